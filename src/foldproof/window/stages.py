"""A visit in stages: several strategies, each over the window that the last one left, filed as one visit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, TypeVar

from foldproof.messages import message_ids
from foldproof.window.counting import MessageCounter
from foldproof.window.faithful import SummaryCheck
from foldproof.window.filing import next_pin_blocks
from foldproof.window.records import Seam, WindowRecord, WindowState
from foldproof.window.refusals import Refusal, RefusalReason, in_order
from foldproof.window.replacing import Ask, Keep
from foldproof.window.strategy import InStages, Strategy, StrategyInput
from foldproof.window.visit import Visit

_Steps = Generator[Ask | Keep, object, Visit]


class _Entry(NamedTuple):
    """A message of the window, and the range of the window as visited that it is or stands for (empty: beside one)."""

    start: int
    stop: int
    new: bool


def in_stages(
    name: str, given: StrategyInput, decision: InStages, *, visit: Callable[[Strategy, StrategyInput], _Steps]
) -> _Steps:
    """Visit with each stage in turn and return all of it as one visit, its indices those of the window as visited.

    Every stage measures for itself, so that those behind the one that reached the budget are idle.
    """
    visited_window, now = given, given
    entries = [_Entry(index, index + 1, new=False) for index in range(len(given.messages))]
    seams: list[Seam] = []
    filed: list[_Stage] = []
    for strategy in decision.stages:
        visited = yield from visit(strategy, now)
        filed.append(_Stage(entries, visited))
        now = replace(now, state=_latches_of(now.known_state, visited))
        if visited.changed:
            seams = _with_seams_of(visited.record, seams, entries)
            entries = list(_followed(entries, visited.record))
            measured = _still_measured(now, visited, decision)
            if now.measured is not None and measured is None:
                break
            now = replace(now, messages=visited.messages, measured=measured)
    return _as_one(name, visited_window, filed, seams, decision.counter)


class _Stage(NamedTuple):
    """A stage's visit, and where the messages of the window it found came from."""

    entries: Sequence[_Entry]
    visit: Visit


def _latches_of(state: WindowState, visited: Visit) -> WindowState:
    """Return what the next stage needs to know: the latches; a pin is blocked by the visit, not by each stage."""
    return state.model_copy(update={"latched": visited.state.latched})


def _still_measured(given: StrategyInput, visited: Visit, decision: InStages) -> int | None:
    """Return the reported usage less what the stage saved, or None when nothing was reported or nothing counts."""
    counter = decision.counter
    if given.measured is None or counter is None:
        return None
    saved = counter.total(given.messages) - counter.total(visited.messages)
    return max(0, given.measured - saved)


def _covered(entries: Sequence[_Entry], seam: Seam) -> tuple[int, int]:
    """Return the range of the window as visited that leaves at a stage's seam; it is contiguous, as the seam is."""
    return entries[seam.start].start, entries[seam.start + seam.count - 1].stop


def _with_seams_of(record: WindowRecord, seams: Sequence[Seam], entries: Sequence[_Entry]) -> list[Seam]:
    """Return the seams of the window as visited: those of a stage take in what earlier stages left there."""
    found = []
    for seam in record.seams:
        start, stop = _covered(entries, seam)
        found.append(seam.model_copy(update={"start": start, "count": stop - start}))
    taken = {index for seam in found for index in range(seam.start, seam.start + seam.count)}
    return sorted([*(seam for seam in seams if seam.start not in taken), *found], key=lambda seam: seam.start)


def _followed(entries: Sequence[_Entry], record: WindowRecord) -> Iterator[_Entry]:
    """Yield the entries of the window that a stage left: what stays, and the first frame of a seam for all of it."""
    behind = 0
    for seam in record.seams:
        yield from entries[behind : seam.start]
        start, stop = _covered(entries, seam)
        yield from (_Entry(start if first else stop, stop, new=True) for first in _firsts(len(seam.frames)))
        behind = seam.start + seam.count
    yield from entries[behind:]


def _firsts(count: int) -> list[bool]:
    return [place == 0 for place in range(count)]


def _as_one(
    name: str, given: StrategyInput, filed: Sequence[_Stage], seams: Sequence[Seam], counter: MessageCounter | None
) -> Visit:
    last = filed[-1].visit
    record = _record(name, given, filed, seams).model_copy(update=_tokens(given, filed, counter))
    if record.outcome == "idle":
        return Visit(messages=last.messages, record=record, state=given.known_state)
    blocks = next_pin_blocks(given.known_state, record)
    spans = tuple(span for stage in filed for span in stage.visit.spans)
    state = WindowState(latched=last.state.latched, pin_blocks=blocks)
    return Visit(messages=last.messages, record=record, spans=spans, state=state)


def _record(name: str, given: StrategyInput, filed: Sequence[_Stage], seams: Sequence[Seam]) -> WindowRecord:
    stages = tuple(stage.visit.record for stage in filed)
    first = next((record for record in stages if record.outcome != "idle"), stages[0])
    left = [index for seam in seams for index in range(seam.start, seam.start + seam.count)]
    summarised = _summarised(stages)
    checks = [record.summary_check for record in stages if record.summary_check is not None]
    return first.model_copy(
        update={
            "strategy": name,
            "outcome": "removed" if seams else first.outcome,
            "removed": message_ids([given.messages[index] for index in left]),
            "removed_count": len(left),
            "removed_from": seams[0].start if seams else None,
            "seams": tuple(seams),
            "messages_before": len(given.messages),
            "messages_after": len(filed[-1].visit.messages),
            "characters_before": stages[0].characters_before,
            "characters_after": stages[-1].characters_after,
            "refusals": in_order(list(_refusals(given, filed, frozenset(left)))),
            "dropped_observations": _united(record.dropped_observations for record in stages),
            "dropped_standings": _united(record.dropped_standings for record in stages),
            "dead_calls": _united(record.dead_calls for record in stages),
            "replacement": seams[0].replacement if seams else None,
            "frame": next((frame for seam in seams for frame in seam.frames), None),
            "summarizer": summarised.summarizer,
            "summarizer_skipped": summarised.summarizer_skipped,
            "summary_check": max(reversed(checks), key=_invented, default=None),
            "survival": summarised.survival,
            "carried": summarised.carried,
            "archive_failed": next((record.archive_failed for record in stages if record.archive_failed), None),
            "summary_characters": summarised.summary_characters,
            "summary_tokens": summarised.summary_tokens,
            "stages": stages,
        }
    )


def _summarised(stages: Sequence[WindowRecord]) -> WindowRecord:
    """Return the record of the stage whose summary stands; else of one that was to write one; else of the first."""
    stands = [record for record in stages if record.summary_characters is not None]
    asked = [record for record in stages if record.summarizer is not None]
    return [*stages[:1], *asked, *stands][-1]


def _invented(check: SummaryCheck) -> int:
    """How many things somebody's summary invented, in the attempt that invented most."""
    return max(len(attempt.invented) for attempt in check.attempts)


def _tokens(given: StrategyInput, filed: Sequence[_Stage], counter: MessageCounter | None) -> dict[str, int | None]:
    """Return what the window cost before and after, where a stage counted it."""
    if counter is None or all(stage.visit.record.tokens_before is None for stage in filed):
        return {"tokens_before": None, "tokens_after": None}
    after = filed[-1].visit.messages
    return {"tokens_before": counter.total(given.messages), "tokens_after": counter.total(after)}


def _refusals(given: StrategyInput, filed: Sequence[_Stage], left: Collection[int]) -> Iterator[Refusal]:
    """Yield why messages stayed, by where they stood in the window as visited, and which summaries were refused."""
    guards = given.plan_removal.guards
    told: set[tuple[RefusalReason, int]] = set()
    for stage in filed:
        for refusal in stage.visit.record.refusals:
            origin, _, new = stage.entries[refusal.message_index]
            stays = origin not in left or refusal.reason == "summary-not-faithful"
            if not new and stays and (refusal.reason, origin) not in told:
                told.add((refusal.reason, origin))
                place = {"message_index": origin, "turn_index": guards.turn_at(origin)}
                yield refusal.model_copy(update=place)


_Told = TypeVar("_Told")


def _united(told: Iterable[Sequence[_Told]]) -> tuple[_Told, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(told)))
