"""What may leave the window, and who refuses.

`PlanRemoval` is bound to its guards: the window, its request, the calls that wait, the standings of its results. A
strategy is handed it and calls it with its own counts, so that a user's own strategy inherits every refusal.

A run is a contiguous range of turns that nobody refuses. A turn that is refused at the front is stepped over; one in
the middle ends the run. A call and a result that stand in different turns leave together or not at all.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from foldproof.messages import frame_kind
from foldproof.window.guards import Guards, Run
from foldproof.window.holds import fact_pin, held_by_rule, observation_pin, refuse
from foldproof.window.links import linked_turns
from foldproof.window.pins import PinReport
from foldproof.window.refusals import Refusal, in_order

_MOST_NAMED: Final = 4


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What may leave, the oldest first, and what may not.

    Attributes:
        runs: the runs that may leave; a visit removes the first one whose replacement is smaller.
        refusals: why the other turns stay.
        observations: what the `last-tool-result` pin holds.
        ledger_facts: what the `ledger-fact` pin holds.
        cut_every: in whole multiples of how many turns they may leave.
        of: whether its runs are turns, which leave, or single results, which are cleared in their place.
    """

    runs: tuple[Run, ...]
    refusals: tuple[Refusal, ...]
    observations: PinReport
    ledger_facts: PinReport
    cut_every: int = 1
    of: Literal["turns", "results"] = "turns"


@dataclass(frozen=True)
class PlanRemoval:
    """`plan_removal`, bound to its guards."""

    guards: Guards

    def __call__(
        self,
        *,
        keep_recent_turns: int,
        keep_last_tool_results: int = 2,
        keep_ledger_facts: int = 4,
        wanted: Container[int] | None = None,
        cut_every: int = 1,
    ) -> RemovalPlan:
        """Return what may leave.

        The last `keep_recent_turns` turns stay, system messages not counted. The pins hold at most
        `keep_last_tool_results` and `keep_ledger_facts` turns. `wanted` narrows what leaves to those turn indices; a
        turn that is not wanted is not refused either. Of a run, a whole multiple of `cut_every` turns may leave, frames
        not counted: its start then moves in steps, and a prompt cache stays warm between them.
        """
        guards = self.guards
        kept_from = _kept_from(guards, max(1, keep_recent_turns))
        observations = observation_pin(guards, kept_from, keep_last_tool_results)
        facts = fact_pin(guards, kept_from, keep_ledger_facts)
        turns = range(len(guards.starts))
        refusals = [
            *held_by_rule(guards),
            *(refuse(guards, "last-tool-result", held.turn_index, detail=held.tool) for held in observations.pinned),
            *(refuse(guards, "ledger-fact", held.turn_index, detail=held.tool) for held in facts.pinned),
            *(refuse(guards, "inside-keep-window", turn) for turn in turns[kept_from:]),
        ]
        free = [True] * len(turns) if wanted is None else [turn in wanted for turn in turns]
        for refusal in refusals:
            free[refusal.turn_index] = False
        refusals += _split(guards, free, max(1, cut_every))
        runs = tuple(_run(guards, first, stop) for first, stop in _stretches(free))
        return RemovalPlan(runs, in_order(refusals), observations, facts, max(1, cut_every))


def _kept_from(guards: Guards, keep: int) -> int:
    """Return the first of the recent turns. System messages do not use up the count."""
    turn = len(guards.starts)
    while turn and keep:
        turn -= 1
        keep -= guards.roles[guards.starts[turn]] != "system"
    return turn


def _split(guards: Guards, free: list[bool], cut_every: int) -> list[Refusal]:
    """Refuse, in `free` too, what stands behind the last cut, and every turn whose other half would stay behind."""
    groups = linked_turns(guards)
    refusals = list(_split_pairs(guards, free, groups))
    while behind := list(_behind_cuts(guards, free, cut_every)):
        refusals += [*behind, *_split_pairs(guards, free, groups)]
    return refusals


def _behind_cuts(guards: Guards, free: list[bool], cut_every: int) -> Iterator[Refusal]:
    if cut_every == 1:
        return
    for first, stop in list(_stretches(free)):
        if guards.roles[guards.starts[stop]] == "system":
            continue  # it will never grow to a whole step, and so leaves as it is
        counted = new_turns(guards, first, stop)
        beyond = len(counted) % cut_every
        if beyond == len(counted):
            held_from = first  # frames alone are nothing new
        elif beyond:
            held_from = counted[-beyond]
        else:
            continue
        for turn in range(held_from, stop):
            free[turn] = False
            detail = f"{beyond} of {cut_every} turns towards the next cut"
            yield refuse(guards, "inside-keep-window", turn, detail=detail)


def new_turns(guards: Guards, first: int, stop: int) -> list[int]:
    """Return the turns from `first` to before `stop` that are no frames: what a cut counts."""
    frames = ("summary", "drop-notice")
    return [turn for turn in range(first, stop) if frame_kind(guards.messages[guards.starts[turn]]) not in frames]


def _split_pairs(guards: Guards, free: list[bool], groups: list[list[int]]) -> Iterator[Refusal]:
    """Refuse, in `free` too, every turn whose other half would stay behind."""
    both_ways = [*groups, *reversed(groups)]  # one refused turn may hold the next group, on either side
    blocked = True
    while blocked:
        blocked = False
        for turns in both_ways:
            if all(free[turns[0] : turns[-1] + 1]):
                continue
            for turn in filter(free.__getitem__, turns):
                blocked = True
                free[turn] = False
                detail = f"paired with turn {_others(turns, turn)}, which stays"
                yield refuse(guards, "unresolved-tool-call", turn, detail=detail)


def _others(turns: Sequence[int], turn: int) -> str:
    others = [other for other in turns[: _MOST_NAMED + 1] if other != turn][:_MOST_NAMED]
    unnamed = len(turns) - 1 - len(others)
    return ", ".join(map(str, others)) + (f" and {unnamed} more" if unnamed else "")


def _stretches(free: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield where each stretch of free turns begins and ends."""
    ends = [*free, False, True]
    first = ends.index(True)
    while first < len(free):
        stop = ends.index(False, first)
        yield first, stop
        first = ends.index(True, stop)


def _run(guards: Guards, first: int, stop: int) -> Run:
    return Run(guards.starts[first], guards.turn(stop - 1).stop, first)
