"""Aggregates: what follows from the records of one result by a closed set of arithmetic, and from nothing else.

For one column of one list: the sum, the count and the mean, over all rows or over the rows that share one text value.
(Least and largest were said as they are.) For two columns of like unit: the difference and the ratio, and what a share
leaves of 100. For a record that holds a list: an amount times its length, as in a fare for three passengers. For a
record that two results show: the change of a field.

Never an arbitrary pair over everything read: what is like what is said by the names of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, DecimalException
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from foldproof.evidence.arithmetic import Operation
from foldproof.evidence.candidates import scan
from foldproof.evidence.figures import is_usual
from foldproof.evidence.records import Cell, Record, Table
from foldproof.evidence.units import UNIT_OF
from foldproof.evidence.values import NUMERIC, Value

TIMES = "times"
"""The unit of a plain ratio: how many times."""

_MOST_COLUMNS = 24
_FEW_RECORDS = 3  # of more, any percentage is the ratio of two columns of some record
_LONGEST_CELL = 40  # code points; no amount is longer
_MOST_GROUPS = 64
_LONGEST_LIST = 1000  # a list whose length multiplies something
_LOOKS_LIKE_AN_AMOUNT = re.compile(r"[-+(]?\s?(?:[A-Z]{0,3}[$€£¥₹]\s?|[A-Z]{3}\s)?-?\.?\d[^@:]*")
_ONE = Decimal(1)
_HUNDRED = Decimal(100)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|%|\$|€|£")
_NAMES = frozenset(
    {
        "id",
        "ids",
        "number",
        "no",
        "code",
        "zip",
        "year",
        "month",
        "day",
        "phone",
        "version",
        "port",
        "index",
        "line",
        "row",
    }
    | {"position", "offset", "latitude", "longitude", "lat", "lon", "page", "time", "timestamp", "at", "ts", "date"}
)
_IDENTITIES = frozenset({"id", "number", "code", "sku", "key", "uuid"})
_OF_ONE_WHOLE = frozenset(
    {"used", "total", "free", "available", "capacity", "limit", "passed", "failed", "skipped", "sold", "stock", "size"}
)
_FOREIGN = frozenset(
    {
        "user",
        "customer",
        "client",
        "owner",
        "member",
        "account",
        "tenant",
        "status",
        "error",
        "zip",
        "postal",
        "country",
    }
    | {"currency", "area", "category", "type", "parent", "group"}
)
_COUNTS = frozenset(
    {"seats", "count", "counts", "qty", "quantity", "items", "num", "size", "rows", "passengers", "bags", "nights"}
)


class Amount(NamedTuple):
    """A number in a cell: its exact amount, and its unit when the cell or the column's name says one."""

    number: Decimal
    unit: str | None
    cell: Cell


class Aggregate(NamedTuple):
    """One thing that follows from cells.

    Attributes:
        operation: how.
        number: the exact amount; a percentage for a ratio with the unit `%`.
        unit: its unit, when one is known.
        counts: whether the column counts something, so that the amount is no money.
        amounts: what it was made of.
    """

    operation: Operation
    number: Decimal
    unit: str | None
    counts: bool
    amounts: tuple[Amount, ...]


class Measured(NamedTuple):
    """A table, and the amounts of each of its records."""

    table: Table
    amounts: tuple[tuple[Amount, ...], ...]


def measured(tables: Iterable[Table]) -> list[Measured]:
    """Return the tables of one result with the amounts in them, read once for all that follows."""
    return [
        Measured(
            table,
            tuple(tuple(filter(None, map(amount_in, record.cells))) for record in table.records),
        )
        for table in tables
    ]


def aggregates_of(tables: Sequence[Measured]) -> Iterator[Aggregate]:
    """Yield what follows from the records of one result, in a fixed order. A list that was cut short gives nothing."""
    for table in tables:
        if table.table.whole and len(table.amounts) > 1:
            yield from _over_rows(table)
        for record, amounts in zip(table.table.records, table.amounts, strict=True):
            if len(table.amounts) <= _FEW_RECORDS:
                yield from _pairs([[amount] for amount in amounts[:_MOST_COLUMNS]])
            if record.lengths:
                yield from _times(record, amounts, tables)
    yield from _over_nested(tables)


def _over_rows(table: Measured) -> Iterator[Aggregate]:
    columns = _columns(table.amounts)
    records = table.table.records
    for rows in _row_sets(records, columns):
        chosen = [[column[row] for row in rows if row in column] for column in columns.values()]
        chosen = [amounts for amounts in chosen if len(amounts) > 1]
        cells = tuple(Amount(_ONE, None, records[row].cells[0]) for row in rows if records[row].cells)
        count = table.table.items if len(rows) == len(records) else len(rows)
        if count:
            yield Aggregate("count", Decimal(count), None, counts=True, amounts=cells)
        for amounts in chosen:
            total = _total(amounts)
            yield _aggregate("sum", total, amounts)
            yield _aggregate("mean", total / Decimal(len(amounts)), amounts)
        yield from _pairs(chosen)


def _over_nested(tables: Sequence[Measured]) -> Iterator[Aggregate]:
    """Yield the sums over all lists that stand at one place of an outer list's records: all flights of all trips."""
    alike: dict[str, list[Measured]] = {}
    for table in tables:
        alike.setdefault(table.table.pattern, []).append(table)
    for group in alike.values():
        if len(group) > 1 and all(table.table.whole for table in group):
            rows = [amounts for table in group for amounts in table.amounts]
            for column in _columns(rows).values():
                if len(column) > 1:
                    amounts = list(column.values())
                    yield _aggregate("sum", _total(amounts), amounts)


def _row_sets(records: Sequence[Record], columns: dict[str, dict[int, Amount]]) -> Iterator[Sequence[int]]:
    """Yield all rows, then those that share a text value."""
    yield range(len(records))
    groups: dict[tuple[str, str], list[int]] = {}
    for row, record in enumerate(records):
        for cell in record.cells:
            if cell.column not in columns and not cell.leaf.is_number:
                groups.setdefault((cell.column, cell.leaf.text), []).append(row)
    shared = (rows for rows in groups.values() if 1 < len(rows) < len(records))
    seen: set[tuple[int, ...]] = set()
    for rows in shared:
        if tuple(rows) not in seen:
            seen.add(tuple(rows))
            yield rows
            if len(seen) == _MOST_GROUPS:
                return


def _columns(rows: Sequence[Sequence[Amount]]) -> dict[str, dict[int, Amount]]:
    """Return the columns that hold amounts of one unit: for each, the amount by row."""
    columns: dict[str, dict[int, Amount]] = {}
    for row, amounts in enumerate(rows):
        for amount in amounts:
            columns.setdefault(amount.cell.column, {})[row] = amount
    of_one_unit = (
        (name, column) for name, column in columns.items() if len({amount.unit for amount in column.values()}) == 1
    )
    return dict(list(of_one_unit)[:_MOST_COLUMNS])


def _pairs(columns: Sequence[Sequence[Amount]]) -> Iterator[Aggregate]:
    """Yield differences and ratios of what columns of like unit add up to."""
    for one, other in combinations(columns, 2):
        if not are_alike(one[0], other[0]):
            continue
        amounts = [*one, *other]
        less, more = sorted((_total(one), _total(other)), key=abs)
        if less != more:
            yield _aggregate("difference", more - less, amounts)
        if less and more:
            share = less / more * _HUNDRED
            yield _aggregate("ratio", share, amounts, unit="%")
            yield _aggregate("ratio", more / less, amounts, unit=TIMES)
            yield _aggregate("complement", _HUNDRED - share, amounts, unit="%")


def _times(record: Record, amounts: Sequence[Amount], tables: Sequence[Measured]) -> Iterator[Aggregate]:
    """Yield what amounts of a record, or of the lists inside it, come to for each item of another list inside it."""
    for name, length in record.lengths:
        if not 1 < length <= _LONGEST_LIST:
            continue
        for amount in amounts:
            yield _multiplied([amount], length)
        for nested in record.lists:
            if tables[nested].table.whole and tables[nested].table.name != f"{record.name}.{name}":
                for column in _columns(tables[nested].amounts).values():
                    yield _multiplied(list(column.values()), length)


def _multiplied(amounts: Sequence[Amount], length: int) -> Aggregate:
    return _aggregate("times", _total(amounts) * Decimal(length), amounts)


def _aggregate(
    operation: Operation, number: Decimal, amounts: Sequence[Amount], *, unit: str | None = None
) -> Aggregate:
    return Aggregate(
        operation, number, unit or amounts[0].unit, counts_something(amounts[0].cell.column), tuple(amounts)
    )


def _total(amounts: Iterable[Amount]) -> Decimal:
    total = Decimal(0)
    for amount in amounts:
        total = total + amount.number
    return total


def are_alike(one: Amount, other: Amount) -> bool:
    """Whether two columns measure in one unit: both say so, or their names end alike or stand under one name."""
    if one.unit != other.unit:
        return False
    if one.unit is not None:
        return True
    left, right = one.cell.column, other.cell.column
    if {left.lower(), right.lower()} <= _OF_ONE_WHOLE:
        return True
    return _last_word(left) == _last_word(right) or (
        "." in left and left.rpartition(".")[0] == right.rpartition(".")[0]
    )


def amounts_of(tables: Iterable[Measured]) -> Iterator[Amount]:
    """Yield every amount of a result, in order."""
    for table in tables:
        for amounts in table.amounts:
            yield from amounts


def fields_of(tables: Iterable[Measured]) -> Iterator[tuple[int, str, Amount]]:
    """Yield the amounts of every record with an identity: the place among `amounts_of`, the identity, the amount."""
    place = 0
    for table in tables:
        for record, amounts in zip(table.table.records, table.amounts, strict=True):
            identity = identity_of(record) if amounts else None
            for amount in amounts:
                if identity is not None:
                    yield place, identity, amount
                place += 1


def identity_of(record: Record) -> str | None:
    """Return what a record is known by: its columns that are named as an identity is, and what they say.

    None for a record without one, or whose only one is somebody else's: many orders have one `user_id`.
    """
    named = [cell for cell in record.cells if cell.leaf.is_key or is_identity(cell.column)]
    if all(not cell.leaf.is_key and _is_foreign(cell.column) for cell in named):
        return None
    return "\n".join(f"{cell.column}={cell.leaf.text.casefold()}" for cell in named)


def is_identity(column: str) -> bool:
    """Whether a column is named as what a record is known by: `id`, `order_id`, `flight_number`."""
    return not _IDENTITIES.isdisjoint(column_words(column)[-1:])


def _is_foreign(column: str) -> bool:
    return not _FOREIGN.isdisjoint(column_words(column)[-2:-1])


def unit_in(column: str) -> str | None:
    """Return the unit that a column's name ends in: `latency_ms`, `Price (USD)`."""
    return _unit_in(column_words(column))


def measures_something(column: str) -> bool:
    """Whether the numbers of a column may be amounts: it neither counts something nor names it."""
    return not counts_something(column) and _NAMES.isdisjoint(column_words(column)[-1:])


def amount_in(cell: Cell) -> Amount | None:
    """Return the number that a cell holds and nothing else, unless its column names things rather than measuring."""
    words = column_words(cell.column)
    if cell.leaf.is_key or (words and words[-1] in _NAMES):
        return None
    if cell.leaf.is_number:
        found = _number(cell.leaf.text), _unit_in(words)
    else:
        value = _sole_value(cell.leaf.text)
        if value is None or value.kind not in NUMERIC:
            return None
        found = _number(value.form), value.unit or _unit_in(words)
    number, unit = found
    return None if number is None else Amount(number, unit, cell)


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except DecimalException:
        return None
    return number if is_usual(number) else None


@lru_cache(maxsize=4096)
def _sole_value(text: str) -> Value | None:
    """Return the one value that a cell is, or None. What does not look like an amount is not read any closer."""
    text = text.strip()
    if len(text) > _LONGEST_CELL or not _LOOKS_LIKE_AN_AMOUNT.fullmatch(text):
        return None
    values = scan(text)
    return values[0] if len(values) == 1 and values[0].text == text else None


@lru_cache(maxsize=4096)
def column_words(column: str) -> tuple[str, ...]:
    """Return the words of a column's name, lower case: `prices.economyClass` is prices, economy, class."""
    return tuple(word.lower() for word in _WORDS.findall(column))


def _last_word(column: str) -> str:
    words = column_words(column)
    return words[-1] if words else ""


def counts_something(column: str) -> bool:
    """Whether a column counts something, so that its amounts are no money."""
    return not _COUNTS.isdisjoint(column_words(column))


def _unit_in(words: tuple[str, ...]) -> str | None:
    """Return the unit that a column's name ends in: `latency_ms`, `Price (USD)`."""
    return UNIT_OF.get(words[-1]) if words and len(words) > 1 else None
