"""Short ways to write the windows of these tests, and the strategies that most of them are tried with."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, calls_of, frame_kind, pair, validate_messages
from foldproof.window import (
    ClearToolResults,
    Event,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    Provider,
    RefusalReason,
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    Visit,
    VisitableStrategy,
    WindowRecord,
)

PROSE = "there is a lot to be said about this and so it is said at length, once and again, until it is long. " * 3

PROVIDERS: tuple[Provider, ...] = get_args(Provider)

DROPPERS: list[VisitableStrategy] = [SlidingWindow(2), TokenBudget(0, 2)]
FOLDERS: list[VisitableStrategy] = [SummarizeOldest(0, 2), PromptCompactor(0, 2)]
REMOVERS = [*DROPPERS, *FOLDERS, Pipeline([OffloadLarge(200, 40), SlidingWindow(2)])]
"""What they replace leaves as whole turns; every one keeps the last two."""

CLEARERS: list[VisitableStrategy] = [ClearToolResults(0, 1), OffloadLarge(200, 40)]
"""They replace results in their place."""

EVERY = [*REMOVERS, *CLEARERS, Pipeline([ClearToolResults(0, 1), Pipeline([SummarizeOldest(0, 2)])])]


def name_of(strategy: object) -> str:
    """Name a strategy for the id of a test; a pipeline by its stages."""
    if isinstance(strategy, Pipeline):
        return "+".join(map(name_of, strategy.stages))
    return str(getattr(strategy, "name", strategy))


every = pytest.mark.parametrize("strategy", EVERY, ids=name_of)
removers = pytest.mark.parametrize("strategy", REMOVERS, ids=name_of)
clearers = pytest.mark.parametrize("strategy", CLEARERS, ids=name_of)
folders = pytest.mark.parametrize("strategy", FOLDERS, ids=name_of)


def system(text: str = "be kind") -> Message:
    return Message(role="system", content=text)


def user(text: str = PROSE) -> Message:
    return Message(role="user", content=text)


def plain(text: str = PROSE) -> Message:
    return Message(role="assistant", content=text)


def call(*ids: str, tool: str = "search") -> Message:
    calls = [{"id": name, "name": tool, "args": {"q": name}} for name in ids]
    return Message.model_validate({"role": "assistant", "content": "", "toolCalls": calls})


def result(name: str, text: str = PROSE, tool: str = "search") -> Message:
    return Message(role="tool", tool_call_id=name, tool_name=tool, content=text)


def loop(count: int, text: str = PROSE) -> list[Message]:
    return [message for index in range(count) for message in (call(f"c{index}"), result(f"c{index}", text))]


def talk(count: int, text: str = PROSE) -> list[Message]:
    return [message for _ in range(count) for message in (user(text), plain(text))]


def reasons(record: WindowRecord) -> set[RefusalReason]:
    return {refusal.reason for refusal in record.refusals}


def frames_of(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if frame_kind(message) is not None]


def holds(messages: Sequence[Message], wanted: Message) -> bool:
    """Whether this very message is among them."""
    return any(message is wanted for message in messages)


def is_valid(messages: Sequence[Message]) -> bool:
    try:
        validate_messages(messages)
    except TranscriptError:
        return False
    return True


def faults(messages: Sequence[Message]) -> Counter[tuple[str, str | None]]:
    """What is wrong with the pairs of a window, by the id of the call."""
    pairing = pair(messages)
    found: Counter[tuple[str, str | None]] = Counter()
    found.update(("orphan", messages[index].tool_call_id) for index in pairing.orphans)
    found.update(("unanswered", call_id) for call_id in _unanswered(messages))
    for index, at in pairing.call_of.items():
        if any(message.role != "tool" for message in messages[at.message + 1 : index]):
            found["apart", messages[index].tool_call_id] += 1
    return found


def _unanswered(messages: Sequence[Message]) -> Iterator[str]:
    for at in pair(messages).unanswered:
        yield calls_of(messages[at.message])[at.position].id


def is_no_worse(before: Sequence[Message], after: Sequence[Message]) -> bool:
    """Whether nothing is wrong with a window that was not wrong with the one it came from."""
    return faults(after) <= faults(before) and (is_valid(after) or not is_valid(before))


def claim(_: Sequence[Message], __: SummaryRequest) -> str:
    return "a claim"


async def later(_: Sequence[Message], __: SummaryRequest) -> str:
    await asyncio.sleep(0)
    return "a claim"


def failing(_: Sequence[Message], __: SummaryRequest) -> str:
    raise TimeoutError


def never(_: Sequence[Message], __: SummaryRequest) -> str:
    raise AssertionError


class Listening:
    """A listener that keeps what it heard, and raises at one kind of event where it is told to."""

    def __init__(self, raise_at: str | None = None) -> None:
        self.heard: list[Event] = []
        self.raise_at = raise_at

    def on_event(self, event: Event, /) -> None:
        self.heard.append(event)
        if event.type == self.raise_at:
            raise OSError("no room left\non the disk")

    @property
    def kinds(self) -> list[str]:
        return [event.type for event in self.heard]


def without_listener_failure(visit: Visit) -> tuple[object, ...]:
    """All of a visit but what its listener raised."""
    return visit.messages, visit.record.model_copy(update={"listener_failed": None}), visit.spans, visit.state
