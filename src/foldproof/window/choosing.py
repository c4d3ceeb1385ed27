"""Which pieces of a span a summary is made of: what each is worth, and the choice among them for a room.

Nobody knows what later turns will need. What the model handed to a tool once it hands to tools again; what the person
said it comes back to; and an identifier is needed to the letter. `make bench-folds` measures how often that is right.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Final

from foldproof.evidence.values import Kind
from foldproof.messages import Message
from foldproof.window.excerpts import HEADINGS, Excerpt, Line, Section, head_of, lines_of, values_of
from foldproof.window.pins import worth
from foldproof.window.summaries import SummaryRequest

_FIRST_SHARES: Final[dict[Section, float]] = {
    "earlier": 0.25,
    "open": 0.05,
    "said": 0.2,
    "errors": 0.05,
    "decisions": 0.05,
    "tools": 0.15,
}
"""What part of the room a section has for itself, before values compete for the rest; its latest lines come first."""

_AROUND_PIECE: Final = len(" …\n  ")
_AROUND_LINE: Final = len('- "…  …"\n') + len("() -> ")
_AROUND_OPEN: Final = len(" was never answered")

_SHORTEST: Final = 12
_MISSES: Final = 64
_LONG: Final = 60
_SHORT: Final = 60

_WEIGHTS: Final[dict[Kind, float]] = {
    **dict.fromkeys(("identifier", "uuid", "email", "phone", "ip", "mac"), 3.0),
    "path": 2.0,
}
"""What a value is worth by its kind, where that is not 1. Were names worth less, tight summaries would lose them."""

_ASKED: Final = 3.0
_SAID: Final = 2.0
_IN_WINDOW: Final = 0.1
_CROWD: Final = 40
_WORDS: Final[dict[Section, float]] = {
    "earlier": 0.2,
    "said": 0.6,
    "decisions": 0.4,
    "answers": 0.2,
    "app": 0.2,
    "tools": 0.1,
    "errors": 0.6,
    "open": 2.0,
}
"""What a line's first piece is worth for its words, at 60 characters or more; later ones less. A value: up to 27."""

_Value = tuple[Kind, str]
Chosen = dict[int, dict[int, str]]
"""For each line that has a place, which of its excerpts have one, and in what words: the last one may be cut."""


class Choice:
    """The lines of a span, and what their pieces are worth."""

    def __init__(self, span: Sequence[Message], request: SummaryRequest) -> None:
        self.lines = [line for line in lines_of(span, request) if line.excerpts or line.section == "open"]
        self._late = [0.5 + line.at / max(len(span), 1) for line in self.lines]
        for place, line in enumerate(self.lines):
            message = span[line.at]
            if message.role == "tool":
                self._late[place] *= worth(request.standings.get(message.tool_call_id or "")) / worth(None)
        beside = "\n".join((request.current_request or "", *request.quoted))
        self._weights = self._weighed(set(values_of(beside)))
        ranked = (
            (
                -self._gain(place, excerpt, set()) / (len(excerpt.text) + _around(excerpt)),
                -line.at,
                place,
                excerpt.order,
            )
            for place, line in enumerate(self.lines)
            for excerpt in line.excerpts
        )
        self._ranked = sorted(ranked)

    def chosen(self, room: int) -> Chosen:
        """Return what to write into `room` characters: some of each section first, then what is worth most."""
        found = _Found(self.lines, room)
        for section, share in _FIRST_SHARES.items():
            found.take_latest(section, room * share)
        heap, missed = list(self._ranked), 0  # sorted, and so a heap
        while heap and found.left >= _SHORTEST and missed < _MISSES:
            _, at, place, order = heapq.heappop(heap)
            excerpt = self.lines[place].excerpts[order]
            if order in found.chosen.get(place, ()):
                continue
            now = -self._gain(place, excerpt, found.covered) / (len(excerpt.text) + _around(excerpt))
            if heap and now > heap[0][0]:
                heapq.heappush(heap, (now, at, place, order))
            else:
                missed = 0 if found.take(place, excerpt, or_cut=not found.chosen) else missed + 1
        return found.chosen

    def _gain(self, place: int, excerpt: Excerpt, covered: set[_Value]) -> float:
        words = _WORDS[self.lines[place].section] * min(1.0, len(excerpt.text) / _LONG) / (1 + excerpt.order)
        return self._late[place] * words + sum(self._weights[value] for value in excerpt.values if value not in covered)

    def _weighed(self, in_window: set[_Value]) -> dict[_Value, float]:
        """Return what each value of the span is worth."""
        worth_of: dict[_Value, float] = {}
        asked: set[_Value] = set()
        said: set[_Value] = set()
        for place, line in enumerate(self.lines):
            here = {value for excerpt in line.excerpts for value in excerpt.values}
            if line.section in {"said", "app", "earlier"}:
                said |= here
            asked.update(value for excerpt in line.excerpts if excerpt.part == "asked" for value in excerpt.values)
            worth_here = self._late[place] / (1 + len(here) / _CROWD) ** 0.5  # of a long listing few are ever needed
            worth_of.update((value, max(worth_here, worth_of.get(value, 0.0))) for value in here)
        for value in worth_of:
            worth_of[value] *= _WEIGHTS.get(value[0], 1.0) * (1 + _ASKED * (value in asked) + _SAID * (value in said))
            worth_of[value] *= _IN_WINDOW if value in in_window else 1.0
        return worth_of


def _around(excerpt: Excerpt) -> int:
    """Return how many characters stand around a piece at most."""
    return _AROUND_PIECE + (len(excerpt.label) + len(": ") if excerpt.label else 0)


def _beginning(line: Line) -> Sequence[Excerpt]:
    """Return what a line may have of its section's own room: all of its pieces, or the first that a tool said."""
    if line.section != "tools":
        return line.excerpts
    return [excerpt for excerpt in line.excerpts if excerpt.part == "said"][:1] or line.excerpts[:1]


class _Found:
    """What is chosen so far, what it covers, and the characters that are left: never fewer than it takes to write."""

    def __init__(self, lines: Sequence[Line], room: int) -> None:
        self._lines = lines
        self.left = room
        self.chosen: Chosen = {}
        self.covered: set[_Value] = set()
        self._sections: set[Section] = set()
        self._texts: set[tuple[Section, str]] = set()

    def take_latest(self, section: Section, room: float) -> None:
        """Take the latest lines of a section, each from its beginning, while they fit into so many characters."""
        floor = self.left - room
        for place in reversed(range(len(self._lines))):
            line = self._lines[place]
            if line.section != section:
                continue
            if not line.excerpts and self._opening(line) <= self.left - floor:
                self._open(place)
            for excerpt in _beginning(line):
                known = (section, excerpt.text)
                if known in self._texts or not self.take(place, excerpt, floor=floor, or_cut=True):
                    break
                self._texts.add(known)

    def take(self, place: int, excerpt: Excerpt, *, floor: float = 0, or_cut: bool = False) -> bool:
        """Take a piece, or only its beginning, if that leaves `floor` characters."""
        line = self._lines[place]
        is_new = place not in self.chosen
        room = int(self.left - floor) - (self._opening(line) if is_new else 0) - _around(excerpt)
        text, values = excerpt.text, excerpt.values
        if len(text) > room:
            text = head_of(text, room) if or_cut else ""
            if len(text) < _SHORTEST:
                return False
            values = tuple(value for value in values if value in set(values_of(text)))
        self._open(place)
        self.left -= len(text) + _around(excerpt)
        self.chosen[place][excerpt.order] = text
        self.covered.update(values)
        first = line.excerpts[0]
        if is_new and first.part == "asked" and first is not excerpt and len(first.text) <= _SHORT:
            self.take(place, first, floor=floor)  # a result says little without what was asked
        return True

    def _open(self, place: int) -> None:
        line = self._lines[place]
        if place not in self.chosen:
            self.left -= self._opening(line)
            self.chosen[place] = {}
            self._sections.add(line.section)

    def _opening(self, line: Line) -> int:
        heading = 0 if line.section in self._sections else len(HEADINGS[line.section]) + len(":\n")
        return heading + _AROUND_LINE + len(line.name) + (_AROUND_OPEN if line.section == "open" else 0)
