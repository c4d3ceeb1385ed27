"""What Gemini CLI writes in the user's role: its requests and its saved sessions hold it alike."""

from __future__ import annotations

_OPENINGS = (
    "<session_context>",
    "<hook_context>",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object.",
    "Here is a summary of changes in the user's editor context, in JSON format.",
)
_APP_WORDS = ("Please continue.", "System: Please continue.")
_SNAPSHOT, _SNAPSHOT_END = "<state_snapshot>", "</state_snapshot>"


def is_snapshot(text: str) -> bool:
    """Whether a user's text is the summary with which Gemini CLI compacts a conversation."""
    return _SNAPSHOT in text and text.rstrip().endswith(_SNAPSHOT_END)


def app_words(text: str) -> bool:
    """Whether a user's text is one that Gemini CLI writes itself."""
    return text.startswith(_OPENINGS) or text in _APP_WORDS
