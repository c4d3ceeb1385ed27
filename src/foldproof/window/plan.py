"""What may leave the window, and who refuses.

`PlanRemoval` is bound to its guards: the window, its request, the calls that wait, the standings of its results. A
strategy is handed it and calls it with its own counts, so that a user's own strategy inherits every refusal.

A run is a contiguous range of turns that nobody refuses. A turn that is refused at the front is stepped over; one in
the middle ends the run. A call and a result that stand in different turns leave together or not at all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Final, Literal, TypedDict, Unpack

from foldproof.messages import (
    CallAt,
    Message,
    Pairing,
    Role,
    ToolCall,
    Turn,
    author_of,
    calls_of,
    frame_kind,
    is_observation,
    is_tidy,
    may_quote_a_frame,
    message_id,
    only_reasons,
    pair,
    server_half,
    turn_starts,
    turns_of,
)
from foldproof.messages.facts import Facts
from foldproof.window.counting import total_characters
from foldproof.window.pins import PinName, PinReport, Standing, spend, worth
from foldproof.window.refusals import Refusal, RefusalReason, in_order

_MOST_NAMED: Final = 4


@dataclass(frozen=True, slots=True)
class Run:
    """Turns that may leave together: messages `start` to `stop`, and the index of the first turn."""

    start: int
    stop: int
    turn_index: int


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What may leave, the oldest first, and what may not.

    Attributes:
        runs: the runs that may leave; a visit removes the first one whose replacement is smaller.
        refusals: why the other turns stay.
        observations: what the `last-tool-result` pin holds.
        ledger_facts: what the `ledger-fact` pin holds.
        of: whether its runs are turns, which leave, or single results, which are cleared in their place.
    """

    runs: tuple[Run, ...]
    refusals: tuple[Refusal, ...]
    observations: PinReport
    ledger_facts: PinReport
    of: Literal["turns", "results"] = "turns"


@dataclass(frozen=True)
class Guards:
    """The window and everything that holds a part of it. Never raises on a malformed window.

    Attributes:
        messages: the window.
        request_text: the text the run was started with, when the host tells it.
        paused: ids of calls whose run is paused.
        pending_check_ins: ids of calls, or of messages, on which a person's answer is awaited.
        standings: what the model filed results as, by tool call id.
        stand_down: the pins that stand down at this visit.
    """

    messages: Sequence[Message]
    request_text: str | None = None
    paused: frozenset[str] = frozenset()
    pending_check_ins: frozenset[str] = frozenset()
    standings: Mapping[str, Standing] = field(default_factory=dict)
    stand_down: frozenset[PinName] = frozenset()

    @cached_property
    def roles(self) -> list[Role]:
        """The role of every message."""
        return [facts.role for facts in self._facts]

    @cached_property
    def odd(self) -> list[int]:
        """The indices of the messages that hold more than words and calls."""
        return [index for index, facts in enumerate(self._facts) if not facts.plain]

    @cached_property
    def _facts(self) -> list[Facts]:
        return [message.facts for message in self.messages]

    @cached_property
    def starts(self) -> list[int]:
        """Where the turns of the window begin."""
        return turn_starts(self.roles)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the window; to look at a few of them, `starts` and `turn` cost less."""
        return turns_of(self.messages)

    def turn(self, index: int) -> Turn:
        """Return a turn by its index."""
        following = index + 1
        return Turn(self.starts[index], self.starts[following] if following < len(self.starts) else len(self.messages))

    @cached_property
    def conversation_turns(self) -> int:
        """How many turns the window has beside its system messages."""
        return len(self.starts) - len(self.system)

    @cached_property
    def system(self) -> list[int]:
        """The indices of the system messages."""
        return [index for index, role in enumerate(self.roles) if role == "system"]

    @cached_property
    def tidy(self) -> bool:
        """Whether every call is answered in its turn, so that nobody needs the pairing."""
        return is_tidy(self.messages)

    @cached_property
    def pairing(self) -> Pairing:
        """Which result answers which call."""
        return pair(self.messages)

    @cached_property
    def unanswered(self) -> tuple[CallAt, ...]:
        """The calls that no message answers."""
        return () if self.tidy else self.pairing.unanswered

    @cached_property
    def request(self) -> int | None:
        """Index of the current request: the latest thing the person said, or exactly `request_text`."""
        return self.last_said if self.named_request is None else self.named_request

    @cached_property
    def named_request(self) -> int | None:
        """Index of the latest message of the person that says exactly `request_text`, white space around it aside."""
        if self.request_text is None:
            return None
        wanted = self.request_text.strip()
        return next((index for index in self._said_backwards() if self.messages[index].text.strip() == wanted), None)

    @cached_property
    def doubtful(self) -> list[int]:
        """Where a message behind the request opens like a frame and may yet be the person's, quoting one.

        What it says exempts nothing, for a doubt is never resolved in favour of the person; but it may be a request.
        """
        after = -1 if self.request is None else self.request
        return [
            index
            for index in range(after + 1, len(self.messages))
            if self.roles[index] == "user" and may_quote_a_frame(self.messages[index])
        ]

    @cached_property
    def last_said(self) -> int | None:
        """Index of the latest thing the person said."""
        return next(self._said_backwards(), None)

    def _said_backwards(self) -> Iterator[int]:
        for index in range(len(self.messages) - 1, -1, -1):
            if self.roles[index] == "user" and author_of(self.messages[index]) == "person":
                yield index

    def turn_at(self, message: int) -> int:
        """Return the index of the turn that holds a message."""
        return bisect_right(self.starts, message) - 1

    def call(self, at: CallAt) -> ToolCall:
        """Return the call that stands there."""
        return calls_of(self.messages[at.message])[at.position]

    def tool_of(self, index: int) -> str | None:
        """Return the name of the tool whose result the message at `index` is, where anybody says it."""
        name = self.messages[index].facts.tool
        if name is None and index in self.pairing.call_of:
            name = self.call(self.pairing.call_of[index]).name
        return name or None

    def tools_in(self, run: Run) -> tuple[str, ...]:
        """Return the tools whose results stand in a run, in order, each once."""
        messages, roles = self.messages, self.roles
        results = [index for index in range(run.start, run.stop) if roles[index] == "tool"]
        observed = [index for index in results if is_observation(messages[index])]
        names = dict.fromkeys([messages[index].facts.tool or self.tool_of(index) for index in observed])
        return tuple(name for name in names if name is not None)

    def dead_calls(self, run: Run) -> tuple[str, ...]:
        """Return the ids of the calls in a run that nobody answered."""
        return tuple(self.call(at).id for at in self.unanswered if run.start <= at.message < run.stop)


class _About(TypedDict, total=False):
    """What a refusal may say beyond its reason."""

    call_ids: tuple[str, ...]
    detail: str | None


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
        return RemovalPlan(runs, in_order(refusals), observations, facts)


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


def _kept_from(guards: Guards, keep: int) -> int:
    """Return the first of the recent turns. System messages do not use up the count."""
    turn = len(guards.starts)
    while turn and keep:
        turn -= 1
        keep -= guards.roles[guards.starts[turn]] != "system"
    return turn


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
    yield from _named(guards, "paused-tool", guards.paused)
    yield from _named(guards, "pending-check-in", guards.pending_check_ins)
    for at in guards.unanswered:
        # A call the person has talked past will never be answered: it may leave, and the record says so.
        if guards.last_said is None or guards.last_said < at.message:
            identifier = guards.call(at).id
            yield refuse(guards, "unresolved-tool-call", guards.turn_at(at.message), at.message, call_ids=(identifier,))


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


def _split(guards: Guards, free: list[bool], cut_every: int) -> list[Refusal]:
    """Refuse, in `free` too, what stands behind the last cut, and every turn whose other half would stay behind."""
    groups = _groups(_links(guards))
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
        counted = [turn for turn in range(first, stop) if not _is_frame(guards, turn)]
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


def _is_frame(guards: Guards, turn: int) -> bool:
    return frame_kind(guards.messages[guards.starts[turn]]) in ("summary", "drop-notice")


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


def _links(guards: Guards) -> Iterator[tuple[int, int]]:
    """Yield the turns of every two messages that hang together and stand in different turns."""
    if not guards.tidy:
        for call, results in guards.pairing.results.items():
            # A result between the first and the last was overtaken by the next: it holds nothing, and may leave alone.
            for index in (*results[:1], *results[-1:]):
                yield guards.turn_at(call.message), guards.turn_at(index)
    for one, other in chain(_provider_links(guards), _reasoning_links(guards)):
        yield guards.turn_at(one), guards.turn_at(other)


def _provider_links(guards: Guards) -> Iterator[tuple[int, int]]:
    asked: dict[str, int] = {}
    for index in guards.odd:
        content = guards.messages[index].content
        for part in () if isinstance(content, str) else content:
            half = server_half(part)
            if half is None:
                continue
            identifier, is_result = half
            if not is_result:
                asked[identifier] = index
            elif asked.get(identifier, index) != index:
                yield asked[identifier], index


def _reasoning_links(guards: Guards) -> Iterator[tuple[int, int]]:
    """Yield every message that only reasons and the assistant message right after it, which it led to."""
    for index in guards.odd:
        if guards.roles[index + 1 : index + 2] == ["assistant"] and only_reasons(guards.messages[index]):
            yield index, index + 1


def _groups(links: Iterator[tuple[int, int]]) -> list[list[int]]:
    """Return the turns that hang together, each group in order."""
    group_of: dict[int, list[int]] = {}
    for one, other in links:
        if one == other:
            continue
        left, right = group_of.get(one, [one]), group_of.get(other, [other])
        if left is right:
            continue
        small, large = sorted((left, right), key=len)
        large += small
        group_of |= dict.fromkeys([*small, one, other], large)
    unique = {id(group): group for group in group_of.values()}
    return sorted(map(sorted, unique.values()))


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


def worthiest_first(ids: Collection[str], standings: Mapping[str, Standing]) -> list[str]:
    """Return tool call ids in the order of their worth: fact, open, undeclared, ruled-out, noise."""
    return sorted(ids, key=lambda identifier: -worth(standings.get(identifier)))
