"""The plain callback: a list of message dicts in, a list of message dicts out, for any client.

Reads the OpenAI Chat shape. Needs no framework.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from foldproof import Message, SlidingWindow, UsageError, Visit, parse
from foldproof.messages import frame_kind
from foldproof.window import (
    ClearToolResults,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    Strategy,
    SummarizeOldest,
    WindowState,
    run_visit,
)

Dicts = list[dict[str, Any]]

_Words = tuple[str, str, str | None]


def compactor(
    strategy: Strategy | None = None, *, on_visit: Callable[[Visit], None] | None = None
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
    chosen = strategy or SlidingWindow()
    return _Callback(chosen if on_visit is not None else _discarding(chosen), on_visit)


def _discarding(strategy: Strategy) -> Strategy:
    """Return a strategy whose frames do not say that originals were handed to somebody who is not there."""
    if isinstance(strategy, Pipeline):
        return replace(strategy, stages=[_discarding(stage) for stage in strategy.stages])
    if isinstance(strategy, SummarizeOldest | PromptCompactor | ClearToolResults | OffloadLarge):
        return replace(strategy, retain="discard")
    return strategy


class _Callback:
    def __init__(self, strategy: Strategy, on_visit: Callable[[Visit], None] | None) -> None:
        self._strategy = strategy
        self._on_visit = on_visit
        self._state: WindowState | None = None
        self._frames: dict[_Words, list[Message]] = {}  # what was sent has no lineage: it is found again by its words

    def __call__(self, messages: Dicts) -> Dicts:
        if not messages:
            return messages
        read = parse(list(messages), format="openai_chat", strict=True).messages
        if len(read) != len(messages):
            raise UsageError(f"{len(messages)} dicts were read as {len(read)} messages; pass one dict a message")
        window = self._with_frames(read)
        visit = run_visit(self._strategy, window, state=self._state)
        self._state = visit.state
        if self._on_visit is not None:
            self._on_visit(visit)
        if not visit.changed:
            return messages
        self._remember(visit.messages)
        own = {id(message): given for message, given in zip(window, messages, strict=True)}
        return [own.get(id(message)) or _sent(message) for message in visit.messages]

    def _with_frames(self, read: Sequence[Message]) -> list[Message]:
        """Put the frames in place of what was sent of them; frames that read alike stand in the order they had."""
        waiting = {words: iter(frames) for words, frames in self._frames.items()}
        return [next(waiting.get(_words(message), iter(())), message) for message in read]

    def _remember(self, window: Sequence[Message]) -> None:
        self._frames = {}
        for message in window:
            if frame_kind(message) is not None:
                self._frames.setdefault(_words(message), []).append(message)


def _words(message: Message) -> _Words:
    return message.role, message.text, message.tool_call_id


def _sent(frame: Message) -> dict[str, Any]:
    """Return a frame as the client sends it; a cleared result still answers its call."""
    answers = {} if frame.tool_call_id is None else {"tool_call_id": frame.tool_call_id}
    return {"role": frame.role, **answers, "content": frame.text}
