"""Which result answers which call.

An id may be used again by a later call, so a result is paired by position and id: it answers the nearest earlier
message that called under its id, and in that message the first such call that has no answer yet. A result whose calls
are all answered repeats the answer of the last one (a pending notice, then the final result).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages.model import Message, ToolCall, check_message
from foldproof.messages.parts import ToolCallPart


class CallAt(NamedTuple):
    """A call by position: the index of its message, and its place among that message's calls."""

    message: int
    position: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of a conversation, by index.

    Attributes:
        results: for every call, the indices of the tool messages that answer it (none, one, or repeated answers).
        call_of: for every tool message that answers a call, that call.
        orphans: tool messages that answer no call.
    """

    results: dict[CallAt, tuple[int, ...]]
    call_of: dict[int, CallAt]
    orphans: tuple[int, ...]

    @property
    def unanswered(self) -> tuple[CallAt, ...]:
        """Calls that no message answers, in order."""
        return tuple(call for call, results in self.results.items() if not results)


def calls_of(message: Message) -> tuple[ToolCall, ...]:
    """Return the calls a message makes: its `tool_calls`, and those its content parts hold under other ids."""
    if message.role != "assistant":
        return ()
    if isinstance(message.content, str):
        return message.tool_calls
    known = {call.id for call in message.tool_calls}
    parts = (part for part in message.content if isinstance(part, ToolCallPart) and part.id not in known)
    inside = tuple(ToolCall(id=part.id, name=part.name, args=part.parameters) for part in parts)
    return message.tool_calls + inside


def pair(messages: Sequence[Message]) -> Pairing:
    """Return which result answers which call. Never raises: what does not pair is an orphan or unanswered."""
    results: dict[CallAt, tuple[int, ...]] = {}
    call_of: dict[int, CallAt] = {}
    orphans: list[int] = []
    latest: dict[str | None, list[CallAt]] = {}
    for index, message in enumerate(messages):
        if message.role == "assistant":
            fresh: dict[str, list[CallAt]] = {}
            for position, call in enumerate(calls_of(message)):
                at = CallAt(index, position)
                results[at] = ()
                fresh.setdefault(call.id, []).append(at)
            latest.update(fresh)
        elif message.role == "tool":
            asked = latest.get(message.tool_call_id)
            if asked is None:
                orphans.append(index)
                continue
            answered = asked[0] if len(asked) == 1 else next((call for call in asked if not results[call]), asked[-1])
            results[answered] += (index,)
            call_of[index] = answered
    return Pairing(results, call_of, tuple(orphans))


def validate_messages(messages: Sequence[Message]) -> None:
    """Check that calls and results are paired and adjacent, as every provider's wire requires.

    Every call is answered by the tool messages right after its message, every result answers a preceding call, and
    no call is answered twice. Several tool messages may follow one another to answer one batch of calls.

    Raises:
        UsageError: something among the messages is no `Message`.
        TranscriptError: naming the first message that breaks this, as `$[index]`, and what to do.
    """
    waiting: dict[str, int] = {}
    asked: set[str] = set()
    owner = -1
    for index, message in enumerate(messages):
        check_message(message, index)
        if message.role == "tool":
            _answer(message, index, waiting, asked)
            continue
        _nobody_waits(waiting, owner, f"$[{index}]")
        asked = set()
        for call in calls_of(message):
            if call.id in waiting:
                raise TranscriptError(
                    f"two calls of one message share the id {shown(call.id)}; give every call its own id",
                    path=f"$[{index}]",
                )
            waiting[call.id] = index
            asked.add(call.id)
            owner = index
    _nobody_waits(waiting, owner, "the end")


def _answer(message: Message, index: int, waiting: dict[str, int], asked: set[str]) -> None:
    identifier = message.tool_call_id
    if identifier is not None and identifier in waiting:
        del waiting[identifier]
        return
    if identifier in asked:
        cause = f"the call {shown(identifier)} is answered a second time; keep one result a call"
    elif identifier is None:
        cause = "a tool result names no call; expected toolCallId with the id of a call right before it"
    else:
        cause = (
            f"a tool result answers {shown(identifier)}, but no call right before it has that id; keep pairs together"
        )
    raise TranscriptError(cause, path=f"$[{index}]")


def _nobody_waits(waiting: dict[str, int], owner: int, where: str) -> None:
    if waiting:
        identifier = next(iter(waiting))
        raise TranscriptError(
            f"the call {shown(identifier)} has no result before {where}; answer it there or leave the call out",
            path=f"$[{owner}]",
        )
