"""What a tool said, as records: every value with its record and its column, and every list with all of its items.

JSON is grouped by where its leaves stand, so each leaf that `read_result` yields and that is no key is one cell, of one
record. Text is read by `tables`.

* A list is a table: each object, plain value or list in it is a record. A plain value's column is `""`; a boolean or a
  null is no record, but counts in `Table.items`.
* An object inside a record belongs to it, with dotted columns (`prices.economy`); a list inside it is a table of its
  own, and the record says how long it is.
* An object of two or more objects that share their keys (`{"HAT001": {...}, "HAT002": {...}}`) is a table too, unless
  it is itself a record of a list: its keys are the column `""` of its records.
* Of several objects in a row (NDJSON) each is a record of one table. Another object or plain value is a table of one.

A list in a list, or in each record of a list, is one table for each. They are not copied into one: those with the same
`pattern` (`$[*]`, `$.flights[*].legs`) are together all of them, and a sum over all is a sum over a pattern's tables.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import starmap
from typing import NamedTuple

from foldproof.evidence.lists import JsonList, JsonLists
from foldproof.evidence.reading import Leaf, Path, leading_values, rest_of
from foldproof.evidence.tables import TextTable, TextTables

MOST_CELLS = 200_000
"""How many cells of a result are read. A record counts as one too, and deep paths and long keys as several."""


class Cell(NamedTuple):
    """One value of a record.

    Attributes:
        column: the keys from the record to the value, joined by `.`; a title; the key of `key=value`; `""` for an item
            of a list of plain values, for the key of a record in an object of objects, and for a whole log line.
        leaf: the value. For JSON the leaf that `read_result` yields; for text the characters at `leaf.offset`.
    """

    column: str
    leaf: Leaf


class Record(NamedTuple):
    """One thing that a result describes.

    Attributes:
        name: where it stands: `$.flights[0]`, with `block 1 ` before it when the result has several JSON values (0 is
            the first, as in a carrier), or `line 3` for text (1 is the first of the result).
        cells: its values, in order, but not those of lists inside it.
        lengths: for each list inside it, or object of objects, its column and how many items it has. Lists of a value
            cut short are not counted.
        lists: the indexes of the tables directly inside it.
    """

    name: str
    cells: tuple[Cell, ...]
    lengths: tuple[tuple[str, int], ...] = ()
    lists: tuple[int, ...] = ()


class Table(NamedTuple):
    """Records that one list, or one table of a text, holds.

    Attributes:
        name: where it stands, as for a record.
        pattern: its name with `[*]` or `.*` for every position and key of a record around it, and without the block.
        records: its records, in order.
        parent: the table and the record in it (indexes) that hold the list, or None.
        whole: whether these are all: False when the result is cut short inside it, or reading stopped.
        items: how many items it has, also those that state nothing; None when that is not known.
    """

    name: str
    pattern: str
    records: tuple[Record, ...]
    parent: tuple[int, int] | None = None
    whole: bool = True
    items: int | None = None


class Reading(NamedTuple):
    """The tables of a result, and whether all of it was read (`MOST_CELLS`)."""

    tables: tuple[Table, ...]
    complete: bool


def tables_in(text: str) -> Reading:
    """Return the tables of a result, each list before those inside its records. Never raises."""
    blocks, start = leading_values(text)
    rest = list(rest_of(text, start, len(blocks)))
    lists = JsonLists(MOST_CELLS)
    lists.read(blocks, [leaf for leaf in rest if leaf.block is not None])
    tables = list(map(_json_table, lists.lists))
    if not rest or rest[0].block is not None or not lists.complete:
        return Reading(tuple(tables), lists.complete)
    begin = rest[0].offset
    reader = TextTables(text, begin, most=lists.left)
    above = text.count("\n", 0, begin) + 1
    tables.extend(_text_table(text, table, above) for table in reader.read())
    return Reading(tuple(tables), reader.complete)


class Layout:
    """The way from a place in a result to its record and column: made once, then asked for each value."""

    def __init__(self, reading: Reading) -> None:
        self._leaves: dict[tuple[int, Path], tuple[str, str]] = {}
        lines: list[tuple[int, int, tuple[str, str]]] = []
        cells: list[tuple[int, int, tuple[str, str]]] = []
        for table in reading.tables:
            for record in table.records:
                for column, leaf in record.cells:
                    place = (record.name, column)
                    if leaf.block is not None:
                        self._leaves[leaf.block, leaf.path] = place
                    else:
                        spans = cells if column else lines
                        spans.append((leaf.offset, leaf.offset + len(leaf.text), place))
        self._spans = (sorted(cells), sorted(lines))  # a whole line is around its pairs

    def place(self, where: Leaf | int) -> tuple[str, str] | None:
        """Return the record and the column of a JSON leaf, or of an offset in text (code points of the result).

        A key stands where its plain value does. What is in no record has no place.
        """
        if isinstance(where, Leaf):
            if where.block is not None:
                return self._leaves.get((where.block, where.path))
            where = where.offset
        for spans in self._spans:
            index = bisect_right(spans, where, key=lambda span: span[0]) - 1
            if index >= 0 and where < spans[index][1]:
                return spans[index][2]
        return None


def _json_table(table: JsonList) -> Table:
    records = (
        Record(row.name, tuple(starmap(Cell, row.cells)), tuple(row.lengths), tuple(row.lists)) for row in table.rows
    )
    items = table.size if table.whole else None
    return Table(table.name, table.pattern, tuple(records), table.parent, table.whole, items)


def _text_table(text: str, table: TextTable, above: int) -> Table:
    """Return a table of text as records; `above` is the number of the first line that was handed over."""
    records = tuple(
        Record(
            f"line {row.line + above}",
            tuple(Cell(column, Leaf(text[start:end], None, (), offset=start)) for column, start, end in row.cells),
        )
        for row in table.rows
    )
    name = f"line {table.line + above}"
    return Table(name, name, records, whole=table.whole, items=len(records) if table.whole else None)
