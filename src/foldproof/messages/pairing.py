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
    facts = message.facts
    if facts.calls is None:
        facts.calls = _calls(message)
    return facts.calls


def _calls(message: Message) -> tuple[ToolCall, ...]:
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
    results: dict[CallAt, list[int]] = {}
    call_of: dict[int, CallAt] = {}
    orphans: list[int] = []
    latest: dict[str | None, CallAt] = {}
    twins: dict[CallAt, list[CallAt]] = {}  # calls of one message under one id, by the first of them
    for index, message in enumerate(messages):
        ids = call_ids(message)
        if ids and message.facts.role == "tool":
            call = latest.get(ids[0])
            if call is None:
                orphans.append(index)
                continue
            if call in twins:
                call = next((twin for twin in twins[call] if not results[twin]), twins[call][-1])
            results[call].append(index)
            call_of[index] = call
            continue
        for position, identifier in enumerate(ids):
            call = CallAt(index, position)
            results[call] = []
            known = latest.get(identifier)
            if known is None or known.message != index:
                latest[identifier] = call
            else:
                twins.setdefault(known, [known]).append(call)
    return Pairing({call: tuple(found) for call, found in results.items()}, call_of, tuple(orphans))


def call_ids(message: Message) -> tuple[str | None, ...]:
    """Return the ids of the calls that a message makes, or the one id that it answers."""
    facts = message.facts
    if facts.call_ids is None:
        answers = message.role == "tool"
        facts.call_ids = (message.tool_call_id,) if answers else tuple(call.id for call in calls_of(message))
    return facts.call_ids


def is_tidy(messages: Sequence[Message]) -> bool:
    """Whether the calls of every message are answered right behind it, once and in their order, and nothing else is.

    Then no call waits and no pair stands apart, so that a window may be cut between any two turns.
    """
    asked: tuple[str | None, ...] = ()
    answered = 0
    for message in messages:
        facts = message.facts
        ids = call_ids(message) if facts.call_ids is None else facts.call_ids
        if facts.role != "tool":
            if answered < len(asked):
                return False
            asked, answered = ids, 0
        elif asked[answered : answered + 1] == ids:
            answered += 1
        else:
            return False
    return answered == len(asked)


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
