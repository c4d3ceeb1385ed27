"""The plain callback: a list of message dicts in, a list of message dicts out, for any client.

Reads the OpenAI Chat shape. Needs no framework.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foldproof import Message, SlidingWindow, UsageError, Visit, parse
from foldproof.window import WindowState, WindowStrategy

Dicts = list[dict[str, Any]]


def compactor(
    strategy: WindowStrategy | None = None, *, on_visit: Callable[[Visit], None] | None = None
) -> Callable[[Dicts], Dicts]:
    """Return a callback that folds a list of messages with `strategy` (default: `SlidingWindow()`).

    The callback returns the very list it was given when nothing left, and otherwise a new list, ready to be sent, in
    which every message that stayed is the caller's own dict. It remembers the frames it wrote, with their lineage, and
    what one visit tells the next: use one callback a conversation. `on_visit` receives each visit, with its record and
    with the originals of a fold, which nobody else keeps.

    Raises (when called):
        TranscriptError: the list cannot be read as OpenAI Chat messages.
        UsageError: the strategy's options make no sense for it.
    """
    return _Callback(strategy or SlidingWindow(), on_visit)


class _Callback:
    def __init__(self, strategy: WindowStrategy, on_visit: Callable[[Visit], None] | None) -> None:
        self._strategy = strategy
        self._on_visit = on_visit
        self._state: WindowState | None = None
        self._frames: dict[str, Message] = {}  # what was sent has no lineage: it is found again by its words

    def __call__(self, messages: Dicts) -> Dicts:
        if not messages:
            return messages
        read = parse(list(messages), format="openai_chat").messages
        if len(read) != len(messages):
            raise UsageError(f"{len(messages)} dicts were read as {len(read)} messages; pass one dict a message")
        window = [self._frames.get(message.text, message) if message.role == "user" else message for message in read]
        visit = self._strategy.visit(window, state=self._state)
        self._state = visit.state
        if self._on_visit is not None:
            self._on_visit(visit)
        if not visit.changed:
            return messages
        own = {id(message): given for message, given in zip(window, messages, strict=True)}
        return [own[id(message)] if id(message) in own else self._sent(message) for message in visit.messages]

    def _sent(self, frame: Message) -> dict[str, Any]:
        self._frames[frame.text] = frame
        return {"role": frame.role, "content": frame.text}
