"""The plain callback: a list of message dicts in, a list of message dicts out, for any client.

Reads what `foldproof formats` can read in memory (the OpenAI Chat shape today). Needs no framework.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foldproof import Conversation, SlidingWindow, Visit, parse
from foldproof.transcripts import to_json
from foldproof.window import WindowStrategy

Dicts = list[dict[str, Any]]


def compactor(
    strategy: WindowStrategy | None = None,
    *,
    format: str = "openai_chat",  # noqa: A002 - the name the whole face uses
    on_visit: Callable[[Visit], None] | None = None,
) -> Callable[[Dicts], Dicts]:
    """Return a callback that folds a list of messages with `strategy` (default: `SlidingWindow()`).

    The callback returns the very list it was given when nothing left, and otherwise a new list in which every message
    that stayed is the caller's own dict. State is threaded from one call to the next, so use one callback a
    conversation. `on_visit` receives each visit, with its record.

    Raises (when called):
        TranscriptError: the list cannot be read in `format`.
    """
    used = strategy or SlidingWindow()
    state = None

    def compact(messages: Dicts) -> Dicts:
        nonlocal state
        conversation: Conversation = parse(messages, format=format)
        visit = used.visit(conversation.messages, state=state)
        state = visit.state
        if on_visit is not None:
            on_visit(visit)
        if not visit.changed:
            return messages
        folded: Dicts = to_json(conversation.replace(visit.messages))
        return folded

    return compact
