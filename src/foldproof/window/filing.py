"""From what was tried at a visit to the visit: its record, its spans, and the state for the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from foldproof.evidence.carriers import kept_values
from foldproof.evidence.kept import carried_by
from foldproof.messages import Message, folded_messages, frame_kind, frames_of, message_id, message_ids
from foldproof.window.counting import total_characters
from foldproof.window.faithful import SummaryCheck
from foldproof.window.guards import Run
from foldproof.window.originals import span_address
from foldproof.window.pins import PIN_NAMES, PinName, worthiest_first
from foldproof.window.plan import RemovalPlan
from foldproof.window.records import DroppedResult, FoldedSpan, Seam, WindowRecord, WindowState
from foldproof.window.refusals import Refusal, RefusalReason, in_order
from foldproof.window.replacing import Replaced
from foldproof.window.strategy import Clear, Decision, Fold, StrategyInput
from foldproof.window.survival import Survival, survival
from foldproof.window.visit import Visit

_MOST_LATCHES: Final = 256


@dataclass
class Attempt:
    """A visit while it is made. The one thing here that changes; nobody outside the visit sees it."""

    strategy: str
    given: StrategyInput
    decision: Decision
    refusals: list[Refusal] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    skipped: Literal["latched", "no-room"] | None = None
    check: SummaryCheck | None = None
    archive_failed: str | None = None
    latched: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.latched = list(self.given.known_state.latched)

    def refuse(self, run: Run, reason: RefusalReason, detail: str) -> None:
        """Note that a span which was chosen stays."""
        self.refusals.append(
            Refusal(
                reason=reason,
                turn_index=run.turn_index,
                message_index=run.start,
                message_id=message_id(self.given.messages[run.start]),
                detail=detail,
            )
        )

    @property
    def left(self) -> list[Message]:
        """The messages that leave, in order."""
        return [message for replaced in self.replaced for message in replaced.span]

    @property
    def frames(self) -> list[Message]:
        """The frames that stand for them, in order."""
        return [frame for replaced in self.replaced for frame in replaced.frames]


def file_visit(attempt: Attempt) -> Visit:
    """Return the visit: everything that was tried, filed, and the new window beside it."""
    record = _record(attempt)
    state = _next_state(attempt, record)
    if not attempt.replaced:
        return Visit(messages=attempt.given.messages, record=record, state=state)
    return Visit(
        messages=_window(attempt),
        record=record,
        spans=tuple(_spans(attempt)),
        state=state,
    )


def next_pin_blocks(before: WindowState, record: WindowRecord) -> dict[PinName, int]:
    """Count, for each pin, the visits in a row at which it held a turn while nothing left, or not enough did."""
    too_big = record.trigger == "tokens" and (record.tokens_after or 0) > (record.threshold or 0)
    if record.outcome == "removed" and not too_big:
        return {}
    held = {refusal.reason for refusal in record.refusals}
    return {name: before.pin_blocks.get(name, 0) + 1 for name in PIN_NAMES if name in held}


def _window(attempt: Attempt) -> tuple[Message, ...]:
    """Return the new window: what stays, and the frames at their seams."""
    messages, behind = attempt.given.messages, 0
    window: list[Message] = []
    for replaced in attempt.replaced:
        window += messages[behind : replaced.run.start]
        window += replaced.frames
        behind = replaced.run.stop
    window += messages[behind:]
    return tuple(window)


def _record(attempt: Attempt) -> WindowRecord:
    given, trigger, removal = attempt.given, attempt.decision.trigger, attempt.decision.removal
    same = total_characters(given.messages)
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
        characters_before=same,
        characters_after=same,
        tokens_before=trigger.counted,
        tokens_after=trigger.counted,
        provider=given.provider,
    )
    if removal is None:
        return asked
    engaged = asked.model_copy(update=_engaged(attempt, removal))
    if not attempt.replaced:
        return engaged
    return engaged.model_copy(update=_removed(attempt, engaged))


def _engaged(attempt: Attempt, removal: RemovalPlan) -> dict[str, object]:
    how = attempt.decision.how
    return {
        "refusals": in_order([*removal.refusals, *attempt.refusals]),
        "observations": removal.observations,
        "ledger_facts": removal.ledger_facts,
        "summarizer": how.model if isinstance(how, Fold) else None,
        "summarizer_skipped": attempt.skipped if isinstance(how, Fold) else None,
        "summary_check": attempt.check,
        "archive_failed": attempt.archive_failed,
    }


def _removed(attempt: Attempt, record: WindowRecord) -> dict[str, object]:
    given, left, frames = attempt.given, attempt.left, attempt.frames
    removed = message_ids(left)
    first = attempt.replaced[0]
    guards = given.plan_removal.guards
    return {
        "outcome": "removed",
        "removed": removed,
        "removed_count": len(removed),
        "removed_from": first.run.start,
        "seams": tuple(map(_seam, attempt.replaced)),
        "messages_after": record.messages_before - len(left) + len(frames),
        "characters_after": record.characters_before - total_characters(left) + total_characters(frames),
        "tokens_after": _tokens_after(attempt, record.tokens_before),
        "dropped_observations": tuple(dict.fromkeys(tool for one in attempt.replaced for tool in one.tools)),
        "dropped_standings": _standings_of(given, left),
        "dead_calls": () if isinstance(attempt.decision.how, Clear) else guards.dead_calls(first.run),
        "replacement": first.replacement,
        "frame": message_id(first.frames[0]) if first.frames else None,
        "carried": tuple(value.text for value in carried_by(first.frames[0])) if first.frames else (),
        "survival": _survival(attempt, first),
        **_summary_sizes(attempt, first.summary),
    }


def _survival(attempt: Attempt, replaced: Replaced) -> Survival | None:
    if replaced.replacement != "summary":
        return None
    messages, run = attempt.given.messages, replaced.run
    return survival(replaced.shown, replaced.frames, (*messages[: run.start], *messages[run.stop :]))


def _seam(replaced: Replaced) -> Seam:
    return Seam(
        start=replaced.run.start,
        count=len(replaced.span),
        replacement=replaced.replacement,
        frames=tuple(map(message_id, replaced.frames)),
    )


def _tokens_after(attempt: Attempt, before: int | None) -> int | None:
    counter = attempt.decision.counter
    if before is None or counter is None:
        return None
    return before - counter.total(attempt.left) + counter.total(attempt.frames)


def _summary_sizes(attempt: Attempt, summary: str | None) -> dict[str, object]:
    counter = attempt.decision.counter
    return {
        "summary_characters": None if summary is None else len(summary),
        "summary_tokens": None if summary is None or counter is None else counter.counter.count(summary),
    }


def _standings_of(given: StrategyInput, left: Sequence[Message]) -> tuple[DroppedResult, ...]:
    if given.standings is None:
        return ()
    ids = [message.tool_call_id for message in left if message.role == "tool" and message.tool_call_id]
    ranked = worthiest_first(ids, given.standings)
    return tuple(DroppedResult(tool_call_id=name, standing=given.standings.get(name)) for name in ranked)


def _spans(attempt: Attempt) -> Iterator[FoldedSpan]:
    how = attempt.decision.how
    if not isinstance(how, Fold | Clear):
        return
    for replaced in attempt.replaced:
        yield FoldedSpan(
            fingerprint=replaced.frames[0].fingerprint,
            iteration=attempt.given.iteration,
            model=replaced.model,
            message_count=len(replaced.span),
            removed=tuple(map(message_id, replaced.span)),
            frames=tuple(frame.fingerprint for frame in frames_of(replaced.shown) if _stands_for_something(frame)),
            retain=how.retain,
            originals=tuple(replaced.shown) if how.retain == "conversation" else None,
            address=span_address(replaced.shown) if how.retain == "archive" else None,
            kept=tuple(kept_values(replaced.shown)) if how.retain == "lineage" else None,
        )


def _stands_for_something(frame: Message) -> bool:
    return frame_kind(frame) != "evidence-check" and folded_messages(frame) > 0


def _next_state(attempt: Attempt, record: WindowRecord) -> WindowState:
    if record.outcome == "idle":
        return attempt.given.known_state
    blocks = next_pin_blocks(attempt.given.known_state, record)
    return WindowState(latched=tuple(attempt.latched[-_MOST_LATCHES:]), pin_blocks=blocks)
