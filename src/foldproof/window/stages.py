"""A visit in stages: several strategies, each over the window that the last one left, filed as one visit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Final, NamedTuple, TypeVar

from foldproof.messages import Message, frame_kind, message_id
from foldproof.window.filing import next_pin_blocks
from foldproof.window.records import Replacement, Seam, WindowRecord, WindowState
from foldproof.window.refusals import Refusal, RefusalReason, in_order
from foldproof.window.replacing import Ask
from foldproof.window.strategy import InStages, Strategy, StrategyInput
from foldproof.window.visit import Visit

_Steps = Generator[Ask, object, Visit]

_KINDS: Final[tuple[Replacement, ...]] = ("summary", "drop-notice", "cleared-result")


class _Entry(NamedTuple):
    """A message of the window: the index where it stood, or where what it replaces began, in the window as visited."""

    origin: int
    new: bool


def in_stages(
    name: str, given: StrategyInput, decision: InStages, *, visit: Callable[[Strategy, StrategyInput], _Steps]
) -> _Steps:
    """Visit with each stage in turn and return all of it as one visit, its indices those of the window as visited.

    Every stage measures for itself, so that those behind the one that reached the budget are idle.
    """
    visited_window, now = given, given
    entries = [_Entry(index, new=False) for index in range(len(given.messages))]
    filed: list[_Stage] = []
    for strategy in decision.stages:
        visited = yield from visit(strategy, now)
        filed.append(_Stage(entries, visited))
        now = replace(now, state=_latches_of(now.known_state, visited))
        if visited.changed:
            entries = list(_followed(entries, visited.record))
            measured = _still_measured(now, visited, decision)
            if now.measured is not None and measured is None:
                break
            now = replace(now, messages=visited.messages, measured=measured)
    return _as_one(name, visited_window, filed, entries)


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


def _followed(entries: Sequence[_Entry], record: WindowRecord) -> Iterator[_Entry]:
    behind = 0
    for seam in record.seams:
        yield from entries[behind : seam.start]
        yield from (_Entry(entries[seam.start].origin, new=True) for _ in seam.frames)
        behind = seam.start + seam.count
    yield from entries[behind:]


def _as_one(name: str, given: StrategyInput, filed: Sequence[_Stage], entries: Sequence[_Entry]) -> Visit:
    last = filed[-1].visit
    record = _record(name, given, filed, entries)
    if record.outcome == "idle":
        return Visit(messages=last.messages, record=record, state=given.known_state)
    blocks = next_pin_blocks(given.known_state, record)
    spans = tuple(span for stage in filed for span in stage.visit.spans)
    state = WindowState(latched=last.state.latched, pin_blocks=blocks)
    return Visit(messages=last.messages, record=record, spans=spans, state=state)


def _record(name: str, given: StrategyInput, filed: Sequence[_Stage], entries: Sequence[_Entry]) -> WindowRecord:
    stages = tuple(stage.visit.record for stage in filed)
    first = next((record for record in stages if record.outcome != "idle"), stages[0])
    after = filed[-1].visit.messages
    kept = {entry.origin for entry in entries if not entry.new}
    left = [index for index in range(len(given.messages)) if index not in kept]
    seams = tuple(_seams(left, after, entries))
    summarised = next((record for record in reversed(stages) if record.summarizer is not None), first)
    counted = stages[0].tokens_before is not None and stages[-1].tokens_after is not None
    return first.model_copy(
        update={
            "strategy": name,
            "outcome": "removed" if seams else first.outcome,
            "removed": tuple(message_id(given.messages[index]) for index in left),
            "removed_count": len(left),
            "removed_from": seams[0].start if seams else None,
            "seams": seams,
            "messages_before": len(given.messages),
            "messages_after": len(after),
            "characters_before": stages[0].characters_before,
            "characters_after": stages[-1].characters_after,
            "tokens_before": stages[0].tokens_before if counted else None,
            "tokens_after": stages[-1].tokens_after if counted else None,
            "refusals": in_order(list(_refusals(given, filed, kept))),
            "dropped_observations": _united(record.dropped_observations for record in stages),
            "dropped_standings": _united(record.dropped_standings for record in stages),
            "dead_calls": _united(record.dead_calls for record in stages),
            "replacement": seams[0].replacement if seams else None,
            "frame": next((frame for seam in seams for frame in seam.frames), None),
            "summarizer": summarised.summarizer,
            "summarizer_skipped": summarised.summarizer_skipped,
            "summary_characters": summarised.summary_characters,
            "summary_tokens": summarised.summary_tokens,
            "stages": stages,
        }
    )


def _seams(left: Sequence[int], after: Sequence[Message], entries: Sequence[_Entry]) -> Iterator[Seam]:
    """Yield a seam for every contiguous run of what left, with the frames that now stand there."""
    frames: dict[int, list[Message]] = {}
    for entry, message in zip(entries, after, strict=True):
        if entry.new:
            frames.setdefault(entry.origin, []).append(message)
    for _, group in groupby(enumerate(left), key=lambda place: place[1] - place[0]):
        run = [index for _, index in group]
        here = [frame for index in run for frame in frames.get(index, ())]
        kinds = {frame_kind(frame) for frame in here}
        yield Seam(
            start=run[0],
            count=len(run),
            replacement=next((kind for kind in _KINDS if kind in kinds), "none"),
            frames=tuple(map(message_id, here)),
        )


def _refusals(given: StrategyInput, filed: Sequence[_Stage], kept: Collection[int]) -> Iterator[Refusal]:
    """Yield why the messages that are still there stayed, by where they stood in the window as visited."""
    guards = given.plan_removal.guards
    told: set[tuple[RefusalReason, int]] = set()
    for stage in filed:
        for refusal in stage.visit.record.refusals:
            origin, new = stage.entries[refusal.message_index]
            if not new and origin in kept and (refusal.reason, origin) not in told:
                told.add((refusal.reason, origin))
                place = {"message_index": origin, "turn_index": guards.turn_at(origin)}
                yield refusal.model_copy(update=place)


_Told = TypeVar("_Told")


def _united(told: Iterable[Sequence[_Told]]) -> tuple[_Told, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(told)))
