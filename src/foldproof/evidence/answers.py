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
_LABELLED = re.compile(r"[ \t]*(?:[-*+•][ \t])?(?P<label>[^:\d|](?:[^:|]|:(?=\d)){0,60}):[ *_]+")
_RULE = re.compile(r"[\s|:=*_+-]+")
_DIGITS = re.compile(r"\d+")
_CLAUSE_END = re.compile(r"[;.!?\n](?!\d)")
_TABLE = "table"
_NEW_LINE = "\n"
_WORDS_AHEAD, _WORDS_BEHIND, _NEAR, _RIGHT_AHEAD = 120, 40, 400, 24
_FEWEST_ITEMS = 2
_COUNTS = {
    word: str(count)
    for count, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=2
    )
}
_COUNT_WORD = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(_COUNTS)})(?![\w-])")
_LONGEST_LIST = 64  # lines
_MOST_LABELS = 64


class Stand(NamedTuple):
    """A value of the answer, and who supplied it, when anybody did."""

    value: Value
    verdict: ValueVerdict | None


class Answer:
    """The values of an answer, in order, and where they stand.

    Attributes:
        stands: the values; their verdicts are filled in as they are found.
        lines: the lines that are not blank.
    """

    def __init__(self, text: str, stands: Sequence[Stand]) -> None:
        self.stands = list(stands)
        self._text = text
        self.lines: list[str] = []
        self._starts: list[int] = []
        ends: list[int] = []
        position = 0
        for line in text.split("\n"):
            position += len(line) + 1
            if line.strip():
                self.lines.append(line)
                self._starts.append(position - len(line) - 1)
                ends.append(position)
        self._line_of = [bisect_right(ends, stand.value.start) for stand in stands]
        self._derived: dict[tuple[str, str | None], int] = {}

    def line_of(self, place: int) -> int:
        """Return the number of the line in which a value stands."""
        return min(self._line_of[place], len(self.lines) - 1)

    def settle(self, place: int, verdict: ValueVerdict) -> None:
        """Fill in the verdict on a value that was found to follow from others."""
        stand = self.stands[place]
        self.stands[place] = stand._replace(verdict=verdict)
        self._derived.setdefault((stand.value.form, stand.value.unit), place)

    def derived_as(self, value: Value) -> ValueVerdict | None:
        """Return the verdict on the same value where it was found to follow from others already."""
        place = self._derived.get((value.form, value.unit))
        return None if place is None else self.stands[place].verdict

    def near(self, place: int, before: int, behind: int, *, most: int) -> list[int]:
        """Return the places in a value's line and in so many around it, at most `most` on either side."""
        line = self._line_of[place]
        first = bisect_left(self._line_of, line - before, max(place - most, 0), place)
        last = bisect_right(self._line_of, line + behind, place, min(place + most + 1, len(self.stands)))
        return [*range(first, place), *range(place + 1, last)]

    def block_above(self, place: int) -> list[int]:
        """Return the numbers of the list, the label lines or the table column right above a value, one a line.

        Rules between them and the value are passed over. None when the lines above are no list, or one of more than 64
        lines, which nobody adds up in words.
        """
        line = self.line_of(place) - 1
        while line >= 0 and _RULE.fullmatch(self.lines[line]):
            line -= 1
        if line < 0 or not self._shapes[line] or line - self._lists[line] >= _LONGEST_LIST:
            return []
        column = _column(self.stands[place].value, self.lines[self.line_of(place)], self._starts[self.line_of(place)])
        chosen = [self._in_line(number, column) for number in range(self._lists[line], line + 1)]
        return [index for index in chosen if index is not None]

    def _in_line(self, line: int, column: int) -> int | None:
        """Return the number that a line of a list is about: the one in a column of a table, else the last."""
        start, end = bisect_left(self._line_of, line), bisect_right(self._line_of, line)
        for index in reversed(range(start, end)):
            value = self.stands[index].value
            if value.places is None:
                continue
            if self._shapes[line] != _TABLE or _column(value, self.lines[line], self._starts[line]) == column:
                return index
        return None

    def lines_around(self, place: int) -> str:
        """Return a value's line and the two around it, as far as they are near: 400 characters on either side."""
        value, line = self.stands[place].value, self.line_of(place)
        start = self._starts[max(line - 1, 0)]
        end = self._starts[line + 2] if line + 2 < len(self.lines) else len(self._text)
        return self._text[max(start, value.start - _NEAR) : min(end, value.end + _NEAR)]

    def words_ahead(self, place: int) -> str:
        """Return the few words right ahead of a value: 24 characters."""
        start = self.stands[place].value.start
        return self._text[max(start - _RIGHT_AHEAD, 0) : start]

    def words_around(self, place: int) -> str:
        """Return the words in a value's line that may say what it is: some ahead of it, fewer behind it."""
        value = self.stands[place].value
        return words_around(self._text, value)

    def labelled(self, place: int) -> list[tuple[str, list[int]]]:
        """Return the labels that stand in front of several values all over the answer, and those values."""
        return [(label, [index for index in chosen if index != place]) for label, chosen in self._labels]

    @cached_property
    def _shapes(self) -> list[str]:
        return [_shape(line) for line in self.lines]

    @cached_property
    def _lists(self) -> list[int]:
        """For each line, the first line of the run of like lines that it belongs to; itself when it is in none."""
        firsts: list[int] = []
        for line, shape in enumerate(self._shapes):
            goes_on = line > 0 and shape and shape == self._shapes[line - 1]
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
        several = [(label, chosen[:_MOST_LABELS]) for label, chosen in found.items() if len(chosen) >= _FEWEST_ITEMS]
        return several[:_MOST_LABELS]


def count_words(text: str) -> list[Value]:
    """Return the counts that a text gives in words (`two nights`): too small to be examined, and still operands."""
    return [
        Value("number", match.group(), match.start(), match.end(), _COUNTS[match.group().lower()], (), places=0)
        for match in _COUNT_WORD.finditer(text)
    ]


def words_around(text: str, value: Value) -> str:
    """Return the words in a value's line that may say what it is: up to 120 characters ahead of it, 40 behind it."""
    start = max(value.start - _WORDS_AHEAD, 0)
    ahead = text[start : value.start]
    behind = _CLAUSE_END.split(text[value.end : value.end + _WORDS_BEHIND], maxsplit=1)[0]
    return f"{ahead[ahead.rfind(_NEW_LINE) + 1 :]} {behind}"


def _shape(line: str) -> str:
    """Return what makes a line an item of a list: its indentation and bullet, a table's bars, or a label in front."""
    match = _ITEM.match(line)
    if match:
        return _DIGITS.sub("1", match.group())
    if line.count("|") > 1:
        return _TABLE
    return "label" if _LABELLED.match(line) else ""


def _column(value: Value, line: str, start: int) -> int:
    """Return in which cell of a table's line a value stands."""
    return line.count("|", 0, value.start - start)


def _label(value: Value, line: str) -> str:
    """Return the words in front of a value that opens its line behind a label (`- Price: $86`), lower case."""
    match = _LABELLED.match(line)
    return match["label"].strip(" *_").casefold() if match and line.find(value.text) == match.end() else ""
