"""An answer as it is laid out: its lines, the values that stand in them, and the lists that they make.

Everything is found once for an answer, so that what one value asks of the others does not grow with how many they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from foldproof.evidence.values import Value
from foldproof.evidence.verdicts import ValueVerdict

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]")
_LABELLED = re.compile(r"[ \t]*(?:[-*+•][ \t])?(?P<label>[^:\d]{3,40}):[ *_]*")
_FEWEST_ITEMS = 2
_MOST_LABELS = 64


class Stand(NamedTuple):
    """A value of the answer, and who supplied it, when anybody did."""

    value: Value
    verdict: ValueVerdict | None
    steps: int = 0  # how many derivations stand behind it


class Answer:
    """The values of an answer, in order, and where they stand.

    Attributes:
        stands: the values; their verdicts are filled in as they are found.
        lines: the lines that are not blank.
    """

    def __init__(self, text: str, stands: Sequence[Stand]) -> None:
        self.stands = list(stands)
        self.lines: list[str] = []
        ends: list[int] = []
        position = 0
        for line in text.split("\n"):
            position += len(line) + 1
            if line.strip():
                self.lines.append(line)
                ends.append(position)
        self._line_of = [bisect_right(ends, stand.value.start) for stand in stands]
        self._derived: dict[tuple[str, str | None], int] = {}

    def line_of(self, place: int) -> int:
        """Return the number of the line in which a value stands."""
        return min(self._line_of[place], len(self.lines) - 1)

    def settle(self, place: int, verdict: ValueVerdict, steps: int) -> None:
        """Fill in the verdict on a value that was found to follow from others."""
        stand = self.stands[place]
        self.stands[place] = stand._replace(verdict=verdict, steps=steps)
        self._derived.setdefault((stand.value.form, stand.value.unit), place)

    def derived_as(self, value: Value) -> Stand | None:
        """Return where the same value was found to follow from others already."""
        place = self._derived.get((value.form, value.unit))
        return None if place is None else self.stands[place]

    def near(self, place: int, before: int, behind: int, *, most: int) -> list[int]:
        """Return the places in a value's line and in so many around it: at most `most` ahead of it and as many behind."""
        line = self._line_of[place]
        first = bisect_left(self._line_of, line - before, max(place - most, 0), place)
        last = bisect_right(self._line_of, line + behind, place, min(place + most + 1, len(self.stands)))
        return [*range(first, place), *range(place + 1, last)]

    def items_above(self, place: int) -> list[int]:
        """Return the values of the list items right above that are marked as the value's own line is, one an item."""
        line = self.line_of(place)
        first = self._lists[line]
        start, end = bisect_left(self._line_of, first), bisect_left(self._line_of, line)
        above = [index for index in range(start, end) if self.stands[index].value.places is not None]
        return above if len({self._line_of[index] for index in above}) == len(above) else []

    def labelled(self, place: int) -> list[tuple[str, list[int]]]:
        """Return the labels that stand in front of several values all over the answer, and those values."""
        return [(label, [index for index in chosen if index != place]) for label, chosen in self._labels]

    @cached_property
    def _lists(self) -> list[int]:
        """For each line, the first line of the run of items that it belongs to; itself when it is none."""
        firsts: list[int] = []
        markers = [_marker(line) for line in self.lines]
        for line, marker in enumerate(markers):
            goes_on = line > 0 and marker and marker == markers[line - 1]
            firsts.append(firsts[line - 1] if goes_on else line)
        return firsts

    @cached_property
    def _labels(self) -> list[tuple[str, list[int]]]:
        found: dict[str, list[int]] = {}
        for index, stand in enumerate(self.stands):
            if stand.value.places is not None and self.line_of(index) != self.line_of(index - 1 if index else -1):
                label = _label(stand.value, self.lines[self.line_of(index)])
                if label:
                    found.setdefault(label, []).append(index)
        several = [(label, chosen) for label, chosen in found.items() if len(chosen) >= _FEWEST_ITEMS]
        return several[:_MOST_LABELS]


def _marker(line: str) -> str:
    """Return what marks a line as an item of a list: its indentation and its bullet."""
    match = _ITEM.match(line)
    return match.group().replace("\t", "    ") if match else ""


def _label(value: Value, line: str) -> str:
    """Return the words in front of a value that opens its line behind a label (`- Price: $86`), lower case."""
    match = _LABELLED.match(line)
    return match["label"].strip(" *_").casefold() if match and line.find(value.text) == match.end() else ""
