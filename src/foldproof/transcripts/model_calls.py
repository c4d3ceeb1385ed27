"""Records of single model calls, each of which repeats the history: joined to the conversations that they are of.

A trace and a log of events hold the same message many times over: in the input of every call behind it. It is read
once. Messages are dicts of fields, named as in the JSON of a `Message`.

* A call belongs to the conversation with the same system messages that was held in the same group (the span that ran
  it), or that opens with the same message. Else it opens a conversation of its own.
* Of the input of a call, what the conversation does not hold yet, in this order, is new and comes last; so what a
  compaction took out of the input stays, and the summary it put there is one more message.
* A result that was recorded beside the calls goes behind the call that it answers, unless an input says it too.
"""

from __future__ import annotations

import heapq
import json
from bisect import bisect_left, insort
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Fields = dict[str, Any]


class _At(NamedTuple):
    """The place of a message that nothing put in later moves: which group, and which message of it."""

    group: int
    row: int


class Thread:
    """A conversation that was put together.

    Its messages are held in groups: one that is no result, and the results behind it, where a later one goes last.

    Attributes:
        number: the place of it among the conversations that were opened with it, from 0.
        system: what its system messages say.
        calls: how many calls it was made of.
    """

    def __init__(self, number: int, system: Hashable, index: _Index) -> None:
        """Open it with no message, for calls with these system messages."""
        self.number = number
        self.system = system
        self.calls = 0
        self._index = index
        self._held: list[list[Fields]] = []
        self._places: dict[Hashable, list[_At]] = {}  # by what a message says
        self._open: dict[object, int] = {}  # by the id of a call without an answer: the group it stands in

    @property
    def rows(self) -> list[Fields]:
        """Its messages, in order."""
        return [row for group in self._held for row in group]

    def add(self, row: Fields) -> None:
        """Put a message at the end."""
        if row["role"] == "tool" and self._held:
            self._put(row, len(self._held) - 1)
        else:
            self._held.append([])
            self._put(row, len(self._held) - 1)
        for number, call in enumerate(row.get("toolCalls", ())):
            self._open[call["id"]] = len(self._held) - 1
            self._index.opened(self, call, _At(len(self._held) - 1, number))

    def _put(self, row: Fields, group: int) -> _At:
        place = _At(group, len(self._held[group]))
        self._held[group].append(row)
        insort(self._places.setdefault(_key(row), []), place)
        if row["role"] == "tool":
            self._open.pop(row.get("toolCallId"), None)
            self._index.answered.add(row.get("toolCallId"))
        return place

    def answer(self, row: Fields) -> bool:
        """Put a result behind its call. False where no call of that id waits for one."""
        return self._answer(row) is not None

    def _answer(self, row: Fields) -> _At | None:
        group = self._open.get(row.get("toolCallId"))
        return None if group is None else self._put(row, group)

    def waits(self, identifier: object) -> bool:
        """Whether the last call of this id has no answer yet."""
        return identifier in self._open

    def repeat(self, inputs: Sequence[Fields]) -> None:
        """Add what the input of a call says that is not there yet."""
        held = _At(0, 0)
        before = _At(len(self._held) - 1, len(self._held[-1])) if self._held else held
        for row in inputs:
            places = self._places.get(_key(row), ())
            next_at = bisect_left(places, held)
            at = places[next_at] if next_at < len(places) and places[next_at] < before else None
            if at is None:
                at = self._answer(row) if row["role"] == "tool" else None
                if at is None:
                    self.add(row)
                    continue
                before = max(before, _behind(at))
            elif row["role"] == "tool":  # what the model was shown is what counts
                self._held[at.group][at.row] = row
            held = _behind(at)


def _behind(at: _At) -> _At:
    return _At(at.group, at.row + 1)


@dataclass(slots=True)
class _Index:
    """What the conversations that were opened together are looked up by. What no longer waits is dropped on sight."""

    answered: set[object] = field(default_factory=set)
    by_id: dict[str, list[tuple[int, Thread]]] = field(default_factory=dict)
    by_name: dict[Hashable, list[tuple[int, _At, str, Thread]]] = field(default_factory=dict)

    def opened(self, thread: Thread, call: dict[str, Any], place: _At) -> None:
        """Take note of a call that waits for an answer."""
        waiting = self.by_id.setdefault(call["id"], [])
        entry = (thread.number, thread)
        if entry not in waiting[-1:]:
            insort(waiting, entry, key=lambda one: one[0])
        for key in (call["name"], (call["name"], _text(call.get("args")))):
            heapq.heappush(self.by_name.setdefault(key, []), (thread.number, place, call["id"], thread))

    def waiting(self, identifier: object) -> Iterator[Thread]:
        """Yield the conversations in which a call of this id waits, the last opened first."""
        entries = self.by_id.get(identifier, []) if isinstance(identifier, str) else []
        while entries:
            if entries[-1][1].waits(identifier):
                yield entries[-1][1]
            else:
                entries.pop()

    def oldest(self, key: Hashable) -> str | None:
        """Return the id of the oldest call by this name, or by a name and arguments, that waits."""
        entries = self.by_name.get(key, [])
        while entries:
            _, _, identifier, thread = entries[0]
            if thread.waits(identifier):
                return identifier
            heapq.heappop(entries)
        return None


class Threads:
    """Conversations that calls are joined to, in the order in which they were opened."""

    def __init__(self) -> None:
        """Know of none yet."""
        self.all: list[Thread] = []
        self._index = _Index()
        self._last: dict[Hashable, Thread] = {}  # by group, by group or opening and the system messages: the last one

    def call(self, inputs: Sequence[Fields], output: Sequence[Fields], group: Hashable) -> Thread:
        """Add a call: what went in, and what came out."""
        thread = self._thread(inputs, group)
        thread.calls += 1
        thread.repeat(inputs)
        for row in output:
            thread.add(row)
        return thread

    def result(self, row: Fields) -> bool:
        """Add a result that stands beside the calls. False where no call waits for it."""
        thread = next(self._index.waiting(row.get("toolCallId")), None)
        return thread is not None and thread.answer(row)

    def waits(self, identifier: object) -> bool:
        """Whether a call of this id waits for a result."""
        return next(self._index.waiting(identifier), None) is not None

    def answered(self, identifier: object) -> bool:
        """Whether there is a result for a call of this id."""
        return identifier in self._index.answered

    def oldest(self, name: object, arguments: object) -> str | None:
        """Return the id of the oldest call by this name that waits, of these arguments if there is one."""
        if not isinstance(name, str):
            return None
        return self._index.oldest((name, _text(arguments))) or self._index.oldest(name)

    def _thread(self, inputs: Sequence[Fields], group: Hashable) -> Thread:
        system = tuple(_key(row) for row in inputs if row["role"] == "system")
        opening = next((_key(row) for row in inputs if row["role"] != "system"), None)
        signs: list[Hashable] = [(system, "in", group)]
        if opening is not None:
            signs.append((system, "opens", opening))
        known = [self._last[sign] for sign in (*signs, *([("in", group)] if not inputs else [])) if sign in self._last]
        thread = max(known, key=lambda one: one.number, default=None)
        if thread is None:
            thread = Thread(len(self.all), system, self._index)
            self.all.append(thread)
            self._signed(thread, *signs)
        self._signed(thread, ("in", group), (thread.system, "in", group))
        return thread

    def _signed(self, thread: Thread, *signs: Hashable) -> None:
        for sign in signs:
            if sign not in self._last or self._last[sign].number < thread.number:
                self._last[sign] = thread


def _key(row: Fields) -> Hashable:
    """Return what makes two rows one message: what they say, and not the ids that each record gives anew."""
    if row["role"] == "tool" and row.get("toolCallId") is not None:
        return ("tool", row["toolCallId"])
    calls = [(call["name"], call.get("args")) for call in row.get("toolCalls", ())]
    content = row.get("content") or ""
    said = content if isinstance(content, str) and not calls else _text([content, calls], in_order=False)
    return (row["role"], said)


def _text(value: object, *, in_order: bool = True) -> str:
    """Return what a value says as text; of what is nested too deep for that, which one it is."""
    try:
        return json.dumps(value, default=str, sort_keys=in_order)
    except RecursionError:
        return f"object {id(value)}"
