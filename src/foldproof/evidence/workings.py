"""Workings: the numbers that were read and what follows from the records of results, found fast.

They are made when a number is first asked about that no tool said, and then only from what was read since. Bounds keep
them finite; past one, `is_complete` is False and nothing is made up for what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from foldproof.evidence.aggregates import (
    Aggregate,
    Amount,
    Measured,
    aggregates_of,
    amounts_of,
    counts_something,
    fields_of,
    measured,
)
from foldproof.evidence.arithmetic import Operation, fits
from foldproof.evidence.figures import Figures, Stated
from foldproof.evidence.offsets import offsets_behind_clocks
from foldproof.evidence.reading import said_by_tools
from foldproof.evidence.records import tables_in
from foldproof.evidence.stated import stated_by
from foldproof.evidence.units import DIMENSIONS
from foldproof.messages import Message, author_of

MOST_AGGREGATES = 1_000_000
MOST_FIELDS = 2_000_000
_NUMBER = re.compile(r"(-?(?:0|[1-9]\d{0,23})(?:\.\d{1,24})?)(?: ([^¤]+))?")
_HUNDRED, _HUNDREDTH = Decimal(100), Decimal("0.01")
_LARGEST_SHARE = 10  # 1,000 %
_SMALLEST_BYTES = 1000
_TEMPERATURES = frozenset({"°c", "°f"})
_STEP, _FREEZING = Decimal("1.8"), Decimal(32)
_BYTES = "bytes"
_BINARY = "bytes, in powers of 1024"


class Read(NamedTuple):
    """A number as a tool said it, and the form it is known by."""

    number: Decimal
    form: str
    unit: str | None


class Located(NamedTuple):
    """An amount and the message and part it stands in."""

    message: int
    part: int | None
    amount: Amount


class Following(NamedTuple):
    """What follows from located amounts, by which operation."""

    operation: Operation
    number: Decimal
    unit: str | None
    counts: bool
    amounts: tuple[Located, ...]


class _Place(NamedTuple):
    """Where an aggregate or an amount is made again: the message, which of its texts, and the place in that text."""

    message: int
    segment: int
    ordinal: int


class _Aggregated(NamedTuple):
    """An aggregate that can be made again, and what has to be known of it before that is worth it."""

    place: _Place
    operation: Operation
    unit: str | None
    counts: bool


class _Change(NamedTuple):
    """A field that two results show with different amounts."""

    old: _Place
    new: _Place


class Workings:
    """Numbers and aggregates of what was read."""

    def __init__(self) -> None:
        self.is_complete = True
        self.offsets: dict[int, int] = {}  # days that a timetable adds to a clock, and the first message that does
        self._numbers: Figures[Read] = Figures()
        self._measured: dict[str, Figures[Read]] = {}
        self._temperatures: list[Read] = []
        self._aggregates: Figures[_Aggregated] = Figures()
        self._in_columns: dict[str, Figures[_Place]] = {}  # by dimension: bare numbers whose column says the unit
        self._changes: Figures[_Change] = Figures()
        self._fields: dict[int, tuple[float, _Place]] = {}
        self._answers: dict[str, list[int]] = {}
        self._made = 0
        self._messages: list[Message] = []

    def add_forms(self, forms: Iterable[str]) -> None:
        """Take in the numbers among forms that tools said for the first time."""
        for form in forms:
            self._add_number(form)

    def add_messages(self, messages: Iterable[Message]) -> None:
        """Work through messages, which were read after those before."""
        for message in messages:
            self._messages.append(message)
            self._add_message(message, len(self._messages) - 1)

    @property
    def messages(self) -> int:
        """How many messages were worked through."""
        return len(self._messages)

    def rounded(self, stated: Stated, unit: str | None) -> Iterator[Read]:
        """Yield the numbers, of this unit or of none, that read as `stated` at its precision."""
        for read in _in_order(self._numbers.between(*stated.times(Decimal(1)))):
            if fits(unit, read.unit) and stated.agrees(read.number):
                yield read

    def converted(self, stated: Stated, unit: str) -> Iterator[Read]:
        """Yield the numbers with a unit that read as `stated` once they are given in its own."""
        if unit in _TEMPERATURES:
            other = (read for read in self._temperatures if read.unit != unit)
            yield from (read for read in other if stated.agrees(_degrees(read, unit)))
        for dimension, factor in _measures(unit):
            for read in _in_order(self._measured.get(dimension, Figures()).between(*stated.times(factor))):
                if read.unit != unit and stated.agrees(_base(read, dimension) / factor):
                    yield read

    def bytes(self, stated: Stated, unit: str) -> Iterator[tuple[Read, bool]]:
        """Yield the bare numbers that, as bytes, read as `stated` in a larger unit; and whether they do so exactly."""
        for dimension, factor in _measures(unit):
            if dimension in (_BYTES, _BINARY):
                for read in _in_order(self._numbers.between(*stated.times(factor))):
                    if read.unit is None and read.number >= _SMALLEST_BYTES and stated.agrees(read.number / factor):
                        yield read, read.number % factor == 0

    def shares(self, stated: Stated) -> Iterator[Read]:
        """Yield the bare fractions of which `stated` is the percentage."""
        for read in _in_order(self._numbers.between(*stated.times(_HUNDREDTH))):
            share = read.unit is None and "." in read.form and abs(read.number) <= _LARGEST_SHARE
            if share and stated.agrees(read.number * _HUNDRED):
                yield read

    def complements(self, stated: Stated) -> Iterator[Read]:
        """Yield the percentages that leave `stated` of 100."""
        left = stated._replace(amount=abs(100 - stated.amount))
        for read in _in_order(self._numbers.between(*left.times(Decimal(1)))):
            if read.unit == "%" and stated.agrees(100 - read.number):
                yield read

    def epochs(self, first: int, last: int) -> Iterator[Read]:
        """Yield the whole numbers that are a moment between two others in seconds since 1970, or in milliseconds."""
        for thousands in (1, 1000):
            for read in _in_order(self._numbers.between(Decimal(first * thousands), Decimal(last * thousands))):
                if read.unit is None and "." not in read.form:
                    yield read

    def following(
        self, stated: Stated, is_wanted: Callable[[Operation, str | None, bool], bool]
    ) -> Iterator[Following]:
        """Yield what follows from the records of results and reads as `stated` at its precision.

        `is_wanted` says of an operation, a unit and whether something is counted if that could be what is stated.
        """
        interval = stated.times(Decimal(1))
        found = (one for one in self._aggregates.between(*interval) if is_wanted(one.operation, one.unit, one.counts))
        for one in sorted(set(found), key=lambda one: one.place):
            following = self._aggregate_at(one.place)
            if stated.agrees(following.number):
                yield following
        for change in sorted(set(self._changes.between(*interval))):
            for following in self._changed(change):
                if is_wanted(following.operation, following.unit, following.counts) and stated.agrees(following.number):
                    yield following

    def in_columns(self, stated: Stated, unit: str) -> Iterator[Following]:
        """Yield the bare numbers whose column says a unit (`latency_ms`) and that read as `stated` in another one."""
        for dimension, factor in _measures(unit):
            for place in sorted(set(self._in_columns.get(dimension, Figures()).between(*stated.times(factor)))):
                located = self._amount_at(place)
                read = Read(located.amount.number, "", located.amount.unit)
                if read.unit != unit and stated.agrees(_base(read, dimension) / factor):
                    yield Following("unit", read.number, unit, counts=False, amounts=(located,))

    def answers_with(self, form: str) -> Sequence[int]:
        """Return the indices of the messages in which the model stated a form, in order."""
        return self._answers.get(form, ())

    def _add_number(self, form: str) -> None:
        match = _NUMBER.fullmatch(form)
        if match is None:
            return
        read = Read(Decimal(match[1]), form, match[2])
        self._numbers.add(read.number, read)
        if read.unit in _TEMPERATURES:
            self._temperatures.append(read)
        elif read.unit is not None:
            for dimension, factor in _measures(read.unit):
                self._measured.setdefault(dimension, Figures()).add(read.number * factor, read)

    def _add_message(self, message: Message, index: int) -> None:
        if author_of(message) == "model":
            for form in stated_by(message.text).forms:
                self._answers.setdefault(form, []).append(index)
        for number, segment in enumerate(said_by_tools(message)):
            for days in offsets_behind_clocks(segment.text):
                self.offsets.setdefault(days, index)
            reading = tables_in(segment.text)
            self.is_complete &= reading.complete
            tables = measured(reading.tables)
            self._add_aggregates(tables, index, number)
            for ordinal, amount in enumerate(amounts_of(tables)):
                for dimension, factor in _measures(amount.unit or "") if amount.cell.leaf.is_number else ():
                    place = _Place(index, number, ordinal)
                    self._in_columns.setdefault(dimension, Figures()).add(amount.number * factor, place)
            self._add_changes(tables, index, number)

    def _add_aggregates(self, tables: Sequence[Measured], index: int, number: int) -> None:
        for ordinal, aggregate in enumerate(aggregates_of(tables)):
            if self._made == MOST_AGGREGATES:
                self.is_complete = False
                return
            place = _Place(index, number, ordinal)
            self._aggregates.add(
                aggregate.number, _Aggregated(place, aggregate.operation, aggregate.unit, aggregate.counts)
            )
            self._made += 1

    def _add_changes(self, tables: Sequence[Measured], index: int, number: int) -> None:
        for ordinal, identity, amount in fields_of(tables):
            if len(self._fields) == MOST_FIELDS:
                self.is_complete = False
                return
            field, exact, place = (
                hash((identity, amount.cell.column)),
                float(amount.number),
                _Place(index, number, ordinal),
            )
            before = self._fields.get(field)
            self._fields[field] = (exact, place)
            if before is not None and before[1].message != index and before[0] != exact:
                change = _Change(before[1], place)
                self._changes.add(amount.number - Decimal(before[0]), change)
                if before[0]:
                    self._changes.add(Decimal((exact - before[0]) / before[0] * 100), change)

    def _changed(self, change: _Change) -> Iterator[Following]:
        old, new = self._amount_at(change.old), self._amount_at(change.new)
        if (old.amount.unit, old.amount.cell.column) != (new.amount.unit, new.amount.cell.column):
            return  # two fields of one hash
        counts = counts_something(new.amount.cell.column)
        difference = new.amount.number - old.amount.number
        yield Following("change", difference, new.amount.unit, counts, (old, new))
        if old.amount.number:
            share = difference / old.amount.number * _HUNDRED
            yield Following("relative change", share, "%", counts, (old, new))

    def _aggregate_at(self, place: _Place) -> Following:
        segment = said_by_tools(self._messages[place.message])[place.segment]
        aggregate = _made_from(segment.text).aggregates[place.ordinal]
        amounts = tuple(Located(place.message, segment.part, amount) for amount in aggregate.amounts)
        return Following(aggregate.operation, aggregate.number, aggregate.unit, aggregate.counts, amounts)

    def _amount_at(self, place: _Place) -> Located:
        segment = said_by_tools(self._messages[place.message])[place.segment]
        return Located(place.message, segment.part, _made_from(segment.text).amounts[place.ordinal])


class _Made(NamedTuple):
    """What follows from one text, all of it."""

    aggregates: tuple[Aggregate, ...]
    amounts: tuple[Amount, ...]


@lru_cache(maxsize=8)
def _made_from(text: str) -> _Made:
    tables = measured(tables_in(text).tables)
    return _Made(tuple(islice(aggregates_of(tables), MOST_AGGREGATES)), tuple(amounts_of(tables)))


def _in_order(found: Iterator[Read]) -> list[Read]:
    return sorted(set(found), key=lambda read: (read.number, read.form))


def _measures(unit: str) -> Iterator[tuple[str, Decimal]]:
    """Yield the dimension of a unit and its factor; two for bytes, whose powers are of 1000 or of 1024."""
    if unit not in DIMENSIONS:
        return
    dimension, factor = DIMENSIONS[unit]
    yield dimension, factor
    if dimension == _BYTES:
        yield _BINARY, Decimal(1024) ** (factor.adjusted() // 3)


def _base(read: Read, dimension: str) -> Decimal:
    return next(read.number * factor for name, factor in _measures(read.unit or "") if name == dimension)


def in_unit(read: Read, unit: str) -> Decimal:
    """Return a number given in another unit, as far as its sign goes: only temperatures change theirs."""
    return _degrees(read, unit) if unit in _TEMPERATURES and read.unit != unit else read.number


def _degrees(read: Read, unit: str) -> Decimal:
    """Return a temperature in the other unit."""
    return read.number * _STEP + _FREEZING if unit == "°f" else (read.number - _FREEZING) / _STEP
