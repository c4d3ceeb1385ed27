"""The lists of decoded JSON values: their records, each with its own values and the lists inside it.

What is a table and what a record is told at the head of `records`, which makes both of what is read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from foldproof.evidence.reading import QUOTES_THE_QUESTION, Leaf, NumberText, Path

_DEEP = 8
"""So many steps of a path, or ..."""
_LONG = 256
"""... so many characters of a name, cost as much as a cell: else a few leaves below long keys would fill the memory."""

_FEWEST_BY_KEY = 2
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*")


def json_steps(path: Path) -> str:
    """Return the steps of a path as a JSON path spells them, after the `$`."""
    return "".join(map(_json_step, path))


def _json_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.fullmatch(step) else f"[{step!r}]"


class _Stop(Exception):  # noqa: N818 - a signal inside this module
    """There is more than is read."""


class JsonRow:
    """A record being read."""

    __slots__ = ("cells", "lengths", "lists", "name", "path")

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.cells: list[tuple[str, Leaf]] = []
        self.lengths: list[tuple[str, int]] = []
        self.lists: list[int] = []


class JsonList:
    """A table being read. `row_pattern` is the pattern of what is right inside one of its records."""

    __slots__ = ("name", "parent", "path", "pattern", "row_pattern", "rows", "size", "whole")

    def __init__(self, name: str, path: Path, pattern: str, row_pattern: str) -> None:
        self.name = name
        self.path = path
        self.pattern = pattern
        self.row_pattern = row_pattern
        self.rows: list[JsonRow] = []
        self.size: int | None = None
        self.parent: tuple[int, int] | None = None
        self.whole = False


class _Open(NamedTuple):
    """An object or a list being walked: what is left of it, where it stands and in which table.

    The record is None for a table itself, each of whose children is a record.
    """

    children: Iterator[tuple[str | int, object]]
    path: Path
    table: int
    row: JsonRow | None
    column: str = ""


class JsonLists:
    """Reads the lists of the JSON values of a result, up to a cost of `most` cells.

    Attributes:
        lists: the tables read so far, each before those inside its records.
        left: how many cells more may be read.
        complete: whether everything was read.
    """

    def __init__(self, most: int) -> None:
        self.lists: list[JsonList] = []
        self.left = most
        self.complete = True
        self._block = 0
        self._cut: Path | None = None  # where the block is cut short

    def read(self, blocks: list[object], cut: Sequence[Leaf]) -> None:
        """Read the decoded values, then the leaves that a cut has left of one more."""
        try:
            if cut:
                self._read_blocks([*blocks, self._rebuilt(cut)], cut=cut[-1].path)
            else:
                self._read_blocks(blocks, cut=None)
        except _Stop:
            self.complete = False

    def _spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise _Stop

    def _read_blocks(self, blocks: list[object], *, cut: Path | None) -> None:
        objects = sum(isinstance(value, dict) for value in blocks)
        lines = self._open("$", (), "$", "$") if objects > 1 else None
        for block, value in enumerate(blocks):
            self._block = block
            self._cut = cut if block == len(blocks) - 1 else None
            self._read_block(value, f"block {block} $" if len(blocks) > 1 else "$", lines)
        if lines is not None:
            self.lists[lines].size = objects
            self.lists[lines].whole = not (self._cut is not None and isinstance(blocks[-1], dict))

    def _read_block(self, value: object, name: str, lines: int | None) -> None:
        if isinstance(value, dict) and lines is not None:
            self._walk(_Open(_fields(value), (), lines, self._row(lines, name, ())))
        elif isinstance(value, list) or (isinstance(value, dict) and _is_keyed(value)):
            opened = self._table(value, (), name, "$")
            if opened is not None:
                self._walk(opened)
        elif isinstance(value, dict | str):
            table = self._open(name, (), "$", "$")
            row = self._row(table, name, ())
            if isinstance(value, str):
                self._cell(row, "", (), value)
            else:
                self._walk(_Open(_fields(value), (), table, row))
            self.lists[table].size = 1
            self.lists[table].whole = self._cut is None

    def _walk(self, opened: _Open) -> None:
        """Walk down from an object or a list, without recursion. A table is whole when its last child is read."""
        waiting = [opened]
        while waiting:
            top = waiting[-1]
            child = next(top.children, None)
            if child is None:
                waiting.pop()
                if top.row is None:
                    self._close(self.lists[top.table])
            elif child[1] is not None and not isinstance(child[1], bool):
                below = self._below(top, *child)
                if below is not None:
                    waiting.append(below)

    def _close(self, table: JsonList) -> None:
        table.whole = self._cut is None or self._cut[: len(table.path)] != table.path
        if self._cut is not None:
            table.size = None  # a null or an empty object at its end is not among the leaves that a cut leaves

    def _below(self, top: _Open, step: str | int, value: object) -> _Open | None:
        """Read one child of what is being walked: a record of a table, or a field of a record."""
        path = (*top.path, step)
        if top.row is None:
            row = self._row(top.table, self.lists[top.table].name + _json_step(step), path)
            column = ""
            if isinstance(step, str):
                self._spend(1)
                row.cells.append(("", Leaf(step, self._block, path, is_key=True)))
        else:
            row = top.row
            column = f"{top.column}.{step}" if top.column else str(step)
            self._spend(len(path) // _DEEP + len(column) // _LONG)
        if isinstance(value, str):
            self._cell(row, column, path, value)
        elif isinstance(value, list) or (isinstance(value, dict) and top.row is not None and _is_keyed(value)):
            return self._inside(top.table, row, column, path, value)
        elif isinstance(value, dict):
            return _Open(_fields(value), path, top.table, row, column)
        return None

    def _inside(
        self, table: int, row: JsonRow, column: str, path: Path, value: list[object] | dict[str, object]
    ) -> _Open | None:
        """Open the table of a list, or of an object of objects, inside a record."""
        self._spend(1)
        if self._cut is None:
            row.lengths.append((column, _size(value)))
        steps = json_steps(path[len(row.path) :])
        opened = self._table(value, path, row.name + steps, self.lists[table].row_pattern + steps)
        if opened is not None:
            self.lists[opened.table].parent = (table, len(self.lists[table].rows) - 1)
            row.lists.append(opened.table)
        return opened

    def _table(self, value: list[object] | dict[str, object], path: Path, name: str, pattern: str) -> _Open | None:
        """Open the table of a list or of an object of objects; none if nothing in it is a record."""
        children = iter(enumerate(value)) if isinstance(value, list) else _fields(value)
        if isinstance(value, list) and all(item is None or isinstance(item, bool) for item in value):
            return None
        table = self._open(name, path, pattern, pattern + ("[*]" if isinstance(value, list) else ".*"))
        self.lists[table].size = _size(value)
        return _Open(children, path, table, None)

    def _open(self, name: str, path: Path, pattern: str, row_pattern: str) -> int:
        self._spend((len(name) + len(pattern)) // _LONG)
        self.lists.append(JsonList(name, path, pattern, row_pattern))
        return len(self.lists) - 1

    def _row(self, table: int, name: str, path: Path) -> JsonRow:
        self._spend(1 + len(path) // _DEEP + len(name) // _LONG)
        row = JsonRow(name, path)
        self.lists[table].rows.append(row)
        return row

    def _cell(self, row: JsonRow, column: str, path: Path, text: str) -> None:
        self._spend(1)
        row.cells.append((column, Leaf(str(text), self._block, path, is_number=isinstance(text, NumberText))))

    def _rebuilt(self, leaves: Sequence[Leaf]) -> object:
        """Return the value that a cut has left these leaves of. Of a key given twice the last counts."""
        top: list[object] = [None]  # one step above the value
        left = self.left
        at: Path | None = None
        container: object = None
        for leaf in leaves:
            left -= (not leaf.is_key) + len(leaf.path) // _DEEP
            if left < 0:
                self.complete = False
                break
            if leaf.path[:-1] != at:
                at = leaf.path[:-1]
                container = _container(top, leaf.path)
            _put(container, leaf.path[-1], None if leaf.is_key else _source(leaf))
        return top[0]


def _fields(value: dict[str, object]) -> Iterator[tuple[str | int, object]]:
    """Yield what the tool says in an object."""
    return ((key, child) for key, child in value.items() if key not in QUOTES_THE_QUESTION)


def _size(value: list[object] | dict[str, object]) -> int:
    return len(value) if isinstance(value, list) else sum(1 for _ in _fields(value))


def _is_keyed(value: dict[str, object]) -> bool:
    """Return whether an object is a list by key: two or more objects, nulls aside, that share half the keys of any."""
    shared: set[str] | None = None
    count, smallest = 0, 0
    for _, child in _fields(value):
        if child is None:
            continue
        if not isinstance(child, dict) or not child:
            return False
        smallest = min(smallest or len(child), len(child))
        shared = set(child) if shared is None else shared.intersection(child)
        if not shared:
            return False
        count += 1
    return count >= _FEWEST_BY_KEY and shared is not None and 2 * len(shared) >= smallest


def _container(top: list[object], path: Path) -> object:
    """Return the object or list that holds the last step of a path, made where it is missing."""
    container: object = top
    for step, below in pairwise((0, *path)):
        child = _get(container, step)
        if child is None:
            child = {} if isinstance(below, str) else []
            _put(container, step, child)
        container = child
    return container


def _get(container: object, step: str | int) -> object:
    if isinstance(container, dict):
        return container.get(step)
    return container[step] if isinstance(container, list) and isinstance(step, int) and step < len(container) else None


def _put(container: object, step: str | int, value: object) -> None:
    if isinstance(container, dict):
        container[step] = value
    elif isinstance(container, list) and isinstance(step, int):
        container.extend([None] * (step + 1 - len(container)))
        container[step] = value


def _source(leaf: Leaf) -> str:
    return NumberText(leaf.text) if leaf.is_number else leaf.text
