"""From what was tried at a visit to the visit: its record, its fold, and the state for the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from foldproof.messages import Message, is_observation, message_id
from foldproof.window.counting import total_characters
from foldproof.window.pins import PIN_NAMES, PinName
from foldproof.window.plan import RemovalPlan, Run, worthiest_first
from foldproof.window.records import DroppedResult, FoldedSpan, Replacement, WindowRecord, WindowState
from foldproof.window.refusals import Refusal, RefusalReason, in_order
from foldproof.window.strategy import Decision, StrategyInput
from foldproof.window.visit import Visit

_MOST_LATCHES: Final = 64


class Replaced(NamedTuple):
    """What left, and what stands for it (nothing, when nothing had to)."""

    run: Run
    span: Sequence[Message]
    tools: tuple[str, ...]
    frame: Message | None
    replacement: Replacement
    summary: str | None = None

    @property
    def frames(self) -> tuple[Message, ...]:
        """The frame, or nothing."""
        return () if self.frame is None else (self.frame,)


@dataclass
class Attempt:
    """A visit while it is made. The one thing here that changes; nobody outside the visit sees it."""

    strategy: str
    given: StrategyInput
    decision: Decision
    refusals: list[Refusal] = field(default_factory=list)
    replaced: Replaced | None = None
    skipped: Literal["latched", "no-room"] | None = None
    latched: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.latched = list(self.given.known_state.latched)


def span_refusal(given: StrategyInput, run: Run, reason: RefusalReason, detail: str) -> Refusal:
    """Return the refusal of a span that was chosen."""
    return Refusal(
        reason=reason,
        turn_index=run.turn_index,
        message_index=run.start,
        message_id=message_id(given.messages[run.start]),
        detail=detail,
    )


def results_in(given: StrategyInput, run: Run) -> tuple[str, ...]:
    """Return the tools whose results stand in a run, in order, each once."""
    guards = given.plan_removal.guards
    results = (index for index in range(run.start, run.stop) if given.messages[index].role == "tool")
    names = (guards.tool_of(index) for index in results if is_observation(given.messages[index]))
    return tuple(dict.fromkeys(name for name in names if name is not None))


def file_visit(attempt: Attempt) -> Visit:
    """Return the visit: everything that was tried, filed, and the new window beside it."""
    replaced, messages = attempt.replaced, attempt.given.messages
    record = _record(attempt)
    if replaced is None:
        return Visit(messages=messages, record=record, state=_next_state(attempt, record))
    run = replaced.run
    return Visit(
        messages=(*messages[: run.start], *replaced.frames, *messages[run.stop :]),
        record=record,
        folded=_folded_span(attempt, replaced, record),
        state=_next_state(attempt, record),
    )


def _record(attempt: Attempt) -> WindowRecord:
    given, trigger, removal = attempt.given, attempt.decision.trigger, attempt.decision.removal
    before, after = _characters(attempt)
    tokens = trigger.measured if trigger.counted else None
    asked = WindowRecord(
        strategy=attempt.strategy,
        iteration=given.iteration,
        outcome="idle" if removal is None else "refused",
        trigger=trigger.kind,
        measured_by=trigger.measured_by,
        measured=trigger.measured,
        threshold=trigger.threshold,
        over_budget=trigger.over,
        messages_before=len(given.messages),
        messages_after=len(given.messages),
        characters_before=before,
        characters_after=after,
        tokens_before=tokens,
        tokens_after=tokens,
    )
    if removal is None:
        return asked
    engaged = asked.model_copy(update=_engaged(attempt, removal))
    if attempt.replaced is None:
        return engaged
    return engaged.model_copy(update=_removed(attempt, attempt.replaced, engaged))


def _characters(attempt: Attempt) -> tuple[int, int]:
    """Return what the window says before and after the visit, reading every message once."""
    messages, replaced = attempt.given.messages, attempt.replaced
    if replaced is None:
        same = total_characters(messages)
        return same, same
    stays = total_characters(messages[: replaced.run.start]) + total_characters(messages[replaced.run.stop :])
    return stays + total_characters(replaced.span), stays + total_characters(replaced.frames)


def _engaged(attempt: Attempt, removal: RemovalPlan) -> dict[str, object]:
    fold = attempt.decision.fold
    return {
        "refusals": in_order([*removal.refusals, *attempt.refusals]),
        "observations": removal.observations,
        "ledger_facts": removal.ledger_facts,
        "summarizer": None if fold is None else fold.model,
        "summarizer_skipped": None if fold is None else attempt.skipped,
    }


def _removed(attempt: Attempt, replaced: Replaced, record: WindowRecord) -> dict[str, object]:
    run, span, frame = replaced.run, replaced.span, replaced.frame
    return {
        "outcome": "removed",
        "removed": tuple(map(message_id, span)),
        "removed_count": len(span),
        "removed_from": run.start,
        "messages_after": record.messages_before - len(span) + (frame is not None),
        "tokens_after": _tokens_after(attempt, replaced, record.tokens_before),
        "dropped_observations": replaced.tools,
        "dropped_standings": _standings_in(attempt.given, span),
        "dead_calls": attempt.given.plan_removal.guards.dead_calls(run),
        "replacement": replaced.replacement,
        "frame": None if frame is None else message_id(frame),
        **_summary_sizes(attempt, replaced.summary),
    }


def _tokens_after(attempt: Attempt, replaced: Replaced, before: int | None) -> int | None:
    counter = attempt.decision.counter
    if before is None or counter is None:
        return None
    return before - counter.total(replaced.span) + counter.total(replaced.frames)


def _summary_sizes(attempt: Attempt, summary: str | None) -> dict[str, object]:
    counter = attempt.decision.counter
    return {
        "summary_characters": None if summary is None else len(summary),
        "summary_tokens": None if summary is None or counter is None else counter.counter.count(summary),
    }


def _standings_in(given: StrategyInput, span: Sequence[Message]) -> tuple[DroppedResult, ...]:
    if given.standings is None:
        return ()
    ids = [message.tool_call_id for message in span if message.role == "tool" and message.tool_call_id]
    ranked = worthiest_first(ids, given.standings)
    return tuple(DroppedResult(tool_call_id=name, standing=given.standings.get(name)) for name in ranked)


def _folded_span(attempt: Attempt, replaced: Replaced, record: WindowRecord) -> FoldedSpan | None:
    fold = attempt.decision.fold
    if fold is None or replaced.frame is None:
        return None
    return FoldedSpan(
        fingerprint=replaced.frame.fingerprint,
        iteration=attempt.given.iteration,
        model=fold.model,
        message_count=len(replaced.span),
        removed=record.removed,
        retain=fold.retain,
        originals=tuple(replaced.span) if fold.retain == "conversation" else None,
    )


def _next_state(attempt: Attempt, record: WindowRecord) -> WindowState:
    if record.outcome == "idle":
        return attempt.given.known_state
    return WindowState(latched=tuple(attempt.latched[-_MOST_LATCHES:]), pin_blocks=_pin_blocks(attempt, record))


def _pin_blocks(attempt: Attempt, record: WindowRecord) -> dict[PinName, int]:
    """Count, for each pin, the visits in a row at which nothing left while it held a turn."""
    if record.outcome == "removed":
        return {}
    before = attempt.given.known_state.pin_blocks
    held = {refusal.reason for refusal in record.refusals}
    return {name: before.get(name, 0) + 1 for name in PIN_NAMES if name in held}
