"""Documents whose conversation is a list of rows: where each message stands in them, and how other windows go in.

Most formats are that: a list of rows, each of which holds a message, several (a call and its result), a part of one, or
none. A format says how to read a row, how to write one, and how to leave parts of one out; the order of what is written
is decided here, once.

* A row without messages (a header, a count of tokens, a title) stays where it is.
* A row whose messages stay is written as it was read; one of which some left is shrunk; one of which all left is gone.
* What is new is written right ahead of the next row that stays. A cleared result takes the place of what it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, fields_of
from foldproof.transcripts.conversation import Edit, Entry
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, Unread

Part = Hashable


class Place(NamedTuple):
    """Where a message, or a part of it, stands: the index of the row, and which part of the row (None: all of it)."""

    row: int
    part: Part = None


Places = tuple[Place, ...]
"""Where a message stands: one place, or several rows that make one message. The `pieces` of a `Reading` by rows."""

Shrink = Callable[[Any, Sequence[Part], Mapping[Part, Message]], Any]
"""Returns a row with only these parts left, and with new results in the place of some of them."""


def rows_in(value: Json, path: str) -> list[Any]:
    """Return a value as the list of rows it has to be.

    Raises:
        TranscriptError: it is no list.
    """
    if isinstance(value, list):
        return value
    raise TranscriptError(f"expected a list of rows; found {type(value).__name__}", path=path)


def each_object(rows: Sequence[Json], path: str, damage: list[Damage]) -> Iterable[tuple[int, dict[str, Any]]]:
    """Yield the rows that are objects, with their index. Any other is damage, unless its file said so already."""
    for at, row in enumerate(rows):
        if isinstance(row, dict):
            yield at, row
        elif not isinstance(row, Unread):
            damage.append(Damage(f"{path}[{at}]", f"expected an object; found {type(row).__name__}; it was not read"))


def rewritten(rows: list[Any], edit: Edit, *, encode: Callable[[Message], Sequence[Any]], shrink: Shrink) -> list[Any]:
    """Return the rows of a document with another window in them.

    Args:
        rows: the rows that were read.
        edit: the window; the pieces of its reading are `Places`.
        encode: makes the rows of a new message.
        shrink: leaves parts of a row out, and puts new results in the place of others.
    """
    return _Writing(rows, edit, encode, shrink).written()


@dataclass(slots=True)
class _Open:
    row: int
    parts: list[Part] = field(default_factory=list)
    cleared: dict[Part, Message] = field(default_factory=dict)


class _Writing:
    def __init__(self, rows: list[Any], edit: Edit, encode: Callable[[Message], Sequence[Any]], shrink: Shrink) -> None:
        self._rows, self._edit, self._encode, self._shrink = rows, edit, encode, shrink
        self._all: dict[int, list[Part]] = {}
        for places in edit.reading.pieces:
            for place in places:
                parts = self._all.setdefault(place.row, [])
                if place.part not in parts:
                    parts.append(place.part)
        self._out: list[Any] = []
        self._new: list[Any] = []
        self._next = 0  # rows without messages ahead of here are written
        self._open: _Open | None = None

    def written(self) -> list[Any]:
        for entry in self._edit.entries:
            self._entry(entry)
        self._close()
        self._without_messages(len(self._rows))
        self._out += self._new
        return self._out

    def _entry(self, entry: Entry) -> None:
        at = entry.replaces if entry.kept is None else entry.kept
        if at is None:
            self._close()
            self._new += self._encode(entry.message)
            return
        for place in self._edit.reading.pieces[at]:
            opened = self._opened(place.row)
            if place.part not in opened.parts:
                opened.parts.append(place.part)
            if entry.kept is None:
                opened.cleared[place.part] = entry.message

    def _opened(self, row: int) -> _Open:
        if self._open is None or self._open.row != row:
            self._close()
            self._without_messages(row)
            self._out += self._new
            self._new = []
            self._open = _Open(row)
        return self._open

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        row = self._rows[opened.row]
        whole = not opened.cleared and set(opened.parts) == set(self._all[opened.row])
        self._out.append(row if whole else self._shrink(row, opened.parts, opened.cleared))

    def _without_messages(self, stop: int) -> None:
        self._out += [self._rows[at] for at in range(self._next, stop) if at not in self._all]
        self._next = max(self._next, stop)


def noted(row: dict[str, Any], said: Mapping[str, Any], message: Message) -> dict[str, Any]:
    """Return a new row with the fields of a message that it does not say in its format's own words.

    Args:
        row: the row, in the format's words.
        said: the message fields that reading those words gives.
        message: what the row has to mean.
    """
    wanted = fields_of(message)
    note = {name: value for name, value in wanted.items() if name not in said or said[name] != value}
    note |= dict.fromkeys(name for name in said if name not in wanted)
    return row | {FIELDS: note} if note else row


def with_note(said: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return message fields as a row's words give them, corrected by what `noted` put beside them."""
    note = row.get(FIELDS)
    if not isinstance(note, dict):
        return said
    return {name: value for name, value in (said | note).items() if value is not None or name not in note}


def marked(row: dict[str, Any], said: Mapping[str, Any], message: Message) -> dict[str, Any]:
    """Return what `noted` does, with a note also where it is empty: it says that we wrote the row."""
    return {FIELDS: {}} | noted(row, said, message)
