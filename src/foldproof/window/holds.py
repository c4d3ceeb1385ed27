"""Who holds a turn, and why: the rules that every strategy is bound to, and the pins that it may set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypedDict, Unpack

from foldproof.messages import Message, OpaquePart, calls_of, is_observation, message_id
from foldproof.window.counting import total_characters
from foldproof.window.guards import Guards
from foldproof.window.pins import PinName, PinReport, spend
from foldproof.window.refusals import Refusal, RefusalReason

_SUMMARIES: Final = ("compaction", "compaction_summary")


class _About(TypedDict, total=False):
    """What a refusal may say beyond its reason."""

    call_ids: tuple[str, ...]
    detail: str | None


def refuse(
    guards: Guards, reason: RefusalReason, turn: int, message: int | None = None, **about: Unpack[_About]
) -> Refusal:
    """Return the refusal of a turn, or of one message in it."""
    index = guards.starts[turn] if message is None else message
    return Refusal(
        reason=reason,
        turn_index=turn,
        message_index=index,
        message_id=message_id(guards.messages[index]),
        call_ids=about.get("call_ids", ()),
        detail=about.get("detail"),
    )


def held_by_rule(guards: Guards) -> Iterator[Refusal]:
    """Yield why turns stay, whatever a strategy keeps: the request, the system messages, the calls that wait."""
    if guards.request is not None:
        lost = guards.request_text is not None and guards.named_request is None
        detail = "the text given as request is nowhere; this is what the person said last" if lost else None
        yield refuse(guards, "current-request", guards.turn_at(guards.request), guards.request, detail=detail)
    for index in guards.doubtful:
        detail = "it opens like a frame and may be a request"
        yield refuse(guards, "current-request", guards.turn_at(index), index, detail=detail)
    for index in guards.system:
        yield refuse(guards, "system-envelope", guards.turn_at(index))
    sealed = next((index for index in reversed(guards.odd) if _is_sealed(guards.messages[index])), None)
    if sealed is not None:  # it stands for all that was ahead of it, and nothing can stand for it
        detail = "a summary that only the provider can read"
        yield refuse(guards, "system-envelope", guards.turn_at(sealed), sealed, detail=detail)
    yield from _named(guards, "paused-tool", guards.paused)
    yield from _named(guards, "pending-check-in", guards.pending_check_ins)
    for at in guards.unanswered:
        # A call the person has talked past will never be answered: it may leave, and the record says so.
        if guards.last_said is None or guards.last_said < at.message:
            identifier = guards.call(at).id
            yield refuse(guards, "unresolved-tool-call", guards.turn_at(at.message), at.message, call_ids=(identifier,))


def _is_sealed(message: Message) -> bool:
    """Whether a message holds a provider's own summary, encrypted: the model reads it, and nobody else can."""
    parts = () if isinstance(message.content, str) else message.content
    extras = [part.model_extra or {} for part in parts if isinstance(part, OpaquePart)]
    return any(one.get("type") in _SUMMARIES and isinstance(one.get("encrypted_content"), str) for one in extras)


def _named(guards: Guards, reason: RefusalReason, ids: Collection[str]) -> Iterator[Refusal]:
    """Refuse every turn with a call, a result or a message of one of these ids."""
    if not ids:
        return
    for index, message in enumerate(guards.messages):
        own = (message.tool_call_id, message.id, *(call.id for call in calls_of(message)))
        named = tuple(identifier for identifier in own if identifier is not None and identifier in ids)
        if named:
            yield refuse(guards, reason, guards.turn_at(index), index, call_ids=named)


def observation_pin(guards: Guards, kept_from: int, limit: int) -> PinReport:
    """Hold the latest result of each tool since the request, newest first, one a turn."""
    seen: set[str] = set()
    wanted: dict[int, str] = {}
    for index in _results_backwards(guards):
        tool = guards.tool_of(index)
        if tool is None or tool in seen or not is_observation(guards.messages[index]):
            continue
        seen.add(tool)
        turn = guards.turn_at(index)
        if turn < kept_from:
            wanted.setdefault(turn, tool)
    return _report(guards, wanted, "last-tool-result", limit)


def fact_pin(guards: Guards, kept_from: int, limit: int) -> PinReport:
    """Hold the results since the request that the model filed as facts, newest first, one a turn."""
    wanted: dict[int, str] = {}
    for index in _results_backwards(guards) if guards.standings else ():
        if guards.standings.get(guards.messages[index].tool_call_id or "") == "fact":
            turn = guards.turn_at(index)
            if turn < kept_from:
                wanted.setdefault(turn, guards.tool_of(index) or "")
    return _report(guards, wanted, "ledger-fact", limit)


def _results_backwards(guards: Guards) -> Iterator[int]:
    after = -1 if guards.request is None else guards.request
    return (index for index in range(len(guards.messages) - 1, after, -1) if guards.roles[index] == "tool")


def _report(guards: Guards, wanted: Mapping[int, str], pin: PinName, limit: int) -> PinReport:
    def cost(turn: int) -> int:
        start, stop = guards.turn(turn)
        return total_characters(guards.messages[start:stop])

    return spend(wanted, limit=limit, stand_down=pin in guards.stand_down, cost=cost)
