"""What a message was made into: the spans that hold it, and the frames that stand for it, through any depth.

A frame is reached in two ways: by a span that is here, and by what was filed about the visit that took the message. The
second finds those whose originals were never kept: folds with `retain="lineage"` or `"discard"`, and drops.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from pydantic import JsonValue

from foldproof.archive.spans import known_place
from foldproof.archive.stored import damaged, name_key, read_message, read_model
from foldproof.errors import UsageError, shown
from foldproof.messages import STAMP, Message, frame_kind, message_id
from foldproof.window import FoldedSpan, WindowRecord
from foldproof.window.frames import is_appendix


@dataclass
class Reach:
    """Everything that something was made into.

    Attributes:
        connection: where it is.
        names: the ids of what was reached: of the message, and of the frames that stand for it, stored or not.
        within: the one conversation to look at; None is everything.
        holding: the spans that change, each with the rows in it that do.
        frames: for each of these, the rows of its frames.
        beside: the rows of appendices that quote it.
        blind: the rows of frames that took it and whose originals are not here; true where what they took is known to
            be a tool's, so that it supplied no form.
        conversations: the stored conversations in which any of this stands.
    """

    connection: sqlite3.Connection
    names: set[str]
    within: int | None = None
    holding: dict[int, set[int]] = field(default_factory=dict)
    frames: dict[int, list[int]] = field(default_factory=dict)
    beside: set[int] = field(default_factory=set)
    blind: dict[int, bool] = field(default_factory=dict)
    conversations: set[int] = field(default_factory=set)
    _took: dict[str, list[tuple[int, str, bool]]] = field(default_factory=lambda: defaultdict(list))
    _of_tools: set[str] = field(default_factory=set)

    def walk(self, rows: Iterable[int], *, asked: str) -> None:
        """Go from rows, and from the names, to all that stands for them.

        Raises:
            UsageError: what was asked for is a frame.
        """
        self._read_filed()
        if any(asked == frame for taken in self._took.values() for _, frame, _ in taken):
            raise is_frame(asked)
        start = list(rows)
        waiting: list[int | str] = [*self.names, *start]
        known: set[int] = set()
        while waiting:
            reached = waiting.pop()
            if isinstance(reached, str):
                waiting += self._taken_by(reached)
            elif reached not in known:
                known.add(reached)
                waiting += self._holding(reached)
        for row in (row for rows_of in self.frames.values() for row in rows_of):
            self.blind.pop(row, None)
        for row in known | self.beside:
            self.conversations |= windows_of(self.connection, row)
        for span in self.holding:
            self.conversations |= self._filed_under(self._address(span))

    def inside_out(self) -> list[int]:
        """Return the spans that change in an order in which each comes behind those that its frames lead to."""
        leads = {row: span for span, rows in self.frames.items() for row in rows}
        order = TopologicalSorter(
            {span: {leads[row] for row in rows if row in leads} for span, rows in self.holding.items()}
        )
        try:
            return list(order.static_order())
        except CycleError as error:
            raise damaged("a span that holds its own frame") from error

    def holders(self, row: int) -> set[int]:
        """Return the conversations in which a message stands, in the window or behind a frame."""
        return windows_of(self.connection, row).union(*map(self._holders_of, self._spans_with(row)))

    def message(self, row: int) -> Message:
        """Return the message of a row."""
        found = self.connection.execute("SELECT json, fingerprint FROM message WHERE id = ?", (row,)).fetchone()
        if found is None:
            raise damaged(f"the message {row}")
        return read_message(*found)

    def _read_filed(self) -> None:
        for conversation, text in self.connection.execute("SELECT conversation, json FROM folded").fetchall():
            span = read_model(FoldedSpan, text)
            said = {value.message_id for value in span.kept or ()}
            for name in span.removed:
                by_tool = name in said and span.removed.count(name) == 1
                self._file(name, conversation, f"sha256:{span.fingerprint[:16]}", by_tool=by_tool)
        for conversation, text in self.connection.execute("SELECT conversation, json FROM record").fetchall():
            record = read_model(WindowRecord, text)
            for stage in record.stages or (record,):
                for name, frame in _dropped(stage):
                    self._file(name, conversation, frame, by_tool=False)

    def _file(self, name: str, conversation: int, frame: str, *, by_tool: bool) -> None:
        if self.within in (None, conversation):
            self._took[name].append((conversation, frame, by_tool))

    def _taken_by(self, name: str) -> Iterator[int | str]:
        """Yield what took a message or a frame of this name: rows, and the name where that was taken in turn."""
        for conversation, frame, by_tool in self._took.get(name, ()):
            self.conversations.add(conversation)
            if by_tool or name in self._of_tools:
                self._of_tools.add(frame)
            rows = self._frames_called(frame)
            if frame in self.names or any(known_place(self.connection, self.message(row)) for row in rows):
                continue  # a span that is here leads to it, if it holds what is looked for
            self.names.add(frame)
            yield frame
            for row in rows:
                self.blind[row] = frame in self._of_tools
                yield row
                yield from self._appendices(row)

    def _holding(self, row: int) -> Iterator[int | str]:
        for span in self._spans_with(row):
            if self.within is not None:
                holders = self._holders_of(span)
                if self.within not in holders:
                    continue
                if len(holders) > 1:
                    cause = f"the span {self._address(span)[:16]} stands behind {named(self.connection, holders)}"
                    raise UsageError(f"{cause}, and is one span; forget the message in all of them (conversation=None)")
            new = span not in self.holding
            self.holding.setdefault(span, set()).add(row)
            if new:
                self.frames[span] = self._frames_of(self._address(span))
                for frame in self.frames[span]:
                    name = message_id(self.message(frame))
                    self.names.add(name)
                    yield name
                    yield frame
                    yield from self._appendices(frame)

    def _holders_of(self, span: int) -> set[int]:
        found: set[int] = set()
        waiting, seen = [span], {span}
        while waiting:
            address = self._address(waiting.pop())
            found |= self._filed_under(address)
            for frame in self._frames_of(address):
                found |= windows_of(self.connection, frame)
                above = [each for each in self._spans_with(frame) if each not in seen]
                seen.update(above)
                waiting += above
        return found

    def _spans_with(self, row: int) -> list[int]:
        found = self.connection.execute("SELECT DISTINCT span FROM span_message WHERE message = ?", (row,))
        return [int(span) for (span,) in found.fetchall()]

    def _address(self, span: int) -> str:
        found = self.connection.execute("SELECT address FROM span WHERE id = ?", (span,)).fetchone()
        if found is None:
            raise damaged("a span without an address")
        return str(found[0])

    def _filed_under(self, address: str) -> set[int]:
        found = self.connection.execute("SELECT conversation FROM folded WHERE address = ?", (address,))
        return {int(conversation) for (conversation,) in found.fetchall()}

    def _frames_of(self, address: str) -> list[int]:
        found = self.connection.execute(
            "SELECT id FROM message WHERE stands_for IN (SELECT ?1 UNION SELECT substr(?1, 1, 16) "
            "UNION SELECT old FROM moved WHERE new = ?1 UNION SELECT substr(old, 1, 16) FROM moved WHERE new = ?1)",
            (address,),
        )
        return [int(row) for (row,) in found.fetchall()]

    def _frames_called(self, name: str) -> list[int]:
        found = self.connection.execute("SELECT id FROM message WHERE name = ?", (name_key(name),)).fetchall()
        messages = ((int(row), self.message(row)) for (row,) in found)
        return [row for row, message in messages if frame_kind(message) is not None and not is_appendix(message)]

    def _appendices(self, row: int) -> list[int]:
        """Return the rows of the appendices of a frame."""
        identifier = _stamp_of(self.message(row))
        if not isinstance(identifier, str):
            return []
        rows = self.connection.execute(
            "SELECT id, json, fingerprint FROM message WHERE instr(json, ?)", (json.dumps(identifier),)
        ).fetchall()
        found = ((int(each), read_message(text, fingerprint)) for each, text, fingerprint in rows)
        beside = [each for each, message in found if is_appendix(message) and _stamp_of(message) == identifier]
        self.beside.update(beside)
        return beside


def is_frame(identifier: str) -> UsageError:
    """Return the error for an id that is that of a frame."""
    return UsageError(f"{shown(identifier)} is a frame; forget the messages that it stands for (expand it)")


def named(connection: sqlite3.Connection, conversations: Iterable[int]) -> str:
    """Return the names of conversations, for use inside an error."""
    rows = [
        connection.execute("SELECT name FROM conversation WHERE id = ?", (row,)).fetchone() for row in conversations
    ]
    return ", ".join(sorted(str(row[0]) for row in rows if row is not None))


def windows_of(connection: sqlite3.Connection, row: int) -> set[int]:
    """Return the conversations in whose window a message stands."""
    found = connection.execute("SELECT DISTINCT conversation FROM window WHERE message = ?", (row,))
    return {int(conversation) for (conversation,) in found.fetchall()}


def _dropped(record: WindowRecord) -> Iterator[tuple[str, str]]:
    """Yield the id of each message that a visit took, with the id of each frame that stands for it."""
    start = 0
    for seam in record.seams:
        for name in record.removed[start : start + seam.count]:
            yield from ((name, frame) for frame in seam.frames)
        start += seam.count


def _stamp_of(message: Message) -> JsonValue:
    stamp = (message.metadata or {}).get(STAMP)
    return stamp.get("id") if isinstance(stamp, dict) else None
