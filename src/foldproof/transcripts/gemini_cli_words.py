"""What Gemini CLI writes in the user's role: its requests and its saved sessions hold it alike."""

from __future__ import annotations

from collections.abc import Sequence

_OPENINGS = (
    "<session_context>",
    "<hook_context>",
    "I ran the following shell command:",
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


_FILES, _FILES_END = "--- Content from referenced files ---", "--- End of content ---"


def is_app_text(text: str) -> bool:
    """Whether a user's text is Gemini CLI's from its first word."""
    return app_words(text) or text[: len(_FILES) + 2].lstrip().startswith(_FILES)


def hands(texts: Sequence[str | None]) -> list[bool]:
    """Return for every part of a user's content whether Gemini CLI put it there: its own words, files named by `@`."""
    found: list[bool] = []
    inside = False
    for text in texts:
        stripped = None if text is None else text.strip()
        inside = inside or (stripped is not None and stripped.startswith(_FILES))
        found.append(inside or (text is not None and app_words(text)))
        if stripped is not None and stripped.endswith(_FILES_END):
            inside = False
    return found
