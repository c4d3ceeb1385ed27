"""A stored conversation: its window, what was folded out of it, its records and its state, in one file."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence

from foldproof.archive.database import Database
from foldproof.archive.failures import ArchiveError
from foldproof.archive.spans import find, keep, read_span
from foldproof.archive.stored import (
    damaged,
    delete_unused,
    json_text,
    listed,
    name_key,
    read_model,
    read_name,
    read_rows,
    store,
)
from foldproof.errors import UsageError, shown
from foldproof.messages import Message, frame_kind, kept_indices, message_id
from foldproof.window import FoldedSpan, Visit, WindowRecord, WindowState, span_address


class StoredConversation:
    """A conversation that an archive keeps. Get one from `SqliteArchive.conversation`.

    What it says is as of the last `append`, `settle` or `refresh`; what others wrote meanwhile is never overwritten.

    Attributes:
        id: its name.
        messages: the window.
        state: what the last visit handed on.
        version: how often it was written to.
    """

    def __init__(self, database: Database, name: str, redact: Callable[[Message], Message]) -> None:
        self.id = name
        self.messages: tuple[Message, ...] = ()
        self.state = WindowState()
        self.version = 0
        self._database = database
        self._redact = redact
        self._row = 0
        self._settled = 0
        self._digest = ""
        self._rows: list[int] = []
        self.refresh()

    @property
    def spans(self) -> tuple[FoldedSpan, ...]:
        """What was folded out of it, oldest first, as the visits said; read anew each time."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT json, address FROM folded WHERE conversation = ? ORDER BY id", (self._row,)
            ).fetchall()
            return tuple(_read_folded(connection, text, address) for text, address in rows)

    @property
    def records(self) -> tuple[WindowRecord, ...]:
        """What its visits did and why, oldest first; read anew each time."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT json FROM record WHERE conversation = ? ORDER BY id", (self._row,))
            return tuple(read_model(WindowRecord, text) for (text,) in rows)

    def refresh(self) -> None:
        """Read what others wrote."""
        with self._database.alone(), self._database.reading() as connection:
            self._refresh(connection)

    def append(self, messages: Iterable[Message]) -> None:
        """Put messages behind the window, durably once this returns.

        Each passes the archive's `redact` first, and an ephemeral one is left out: neither is to be on a disk.

        Raises:
            UsageError: something among them is no `Message`.
            ArchiveError: the archive cannot be written; nothing was appended.
        """
        given = listed(messages, "messages")
        kept = [self._redact(message) for message in given if not message.ephemeral]
        with self._database.alone():
            self._append(kept)

    def _append(self, kept: Sequence[Message]) -> None:
        with self._database.writing() as connection:
            self._catch_up(connection)
            query = "SELECT coalesce(max(position), 0) AS position FROM window WHERE conversation = ?"
            start = connection.execute(query, (self._row,)).fetchone()[0] + 1
            rows = [store(connection, message) for message in kept]
            connection.executemany(
                "INSERT INTO window VALUES (?, ?, ?)",
                [(self._row, start + offset, row) for offset, row in enumerate(rows)],
            )
            digest = chained((message.fingerprint for message in kept), onto=self._digest)
            connection.execute(
                "UPDATE conversation SET version = version + 1, digest = ? WHERE id = ?", (digest, self._row)
            )
        self._digest = digest
        self._rows += rows
        self.messages = (*self.messages, *kept)
        self.version += 1

    def settle(self, visit: Visit) -> None:
        """Put the window, the spans, the state and the record of a visit in place, in one transaction.

        The visit has to be one of `messages`. What was appended since stays behind its window.

        Raises:
            ArchiveError: the archive cannot be written; or the conversation was settled by somebody else since, or the
                visit is of another window: then `refresh` and visit again. Nothing was changed.
        """
        if not isinstance(visit, Visit):
            raise UsageError(f"visit is {shown(visit)}; pass what a strategy's visit returned")
        with self._database.alone():
            self._settle(visit)
            self.refresh()

    def _settle(self, visit: Visit) -> None:
        given = self._given(visit)
        with self._database.writing() as connection:
            settled = connection.execute("SELECT settled FROM conversation WHERE id = ?", (self._row,)).fetchone()
            if settled is None or settled[0] != self._settled:
                raise ArchiveError(f"{self.id} was settled by somebody else since; refresh it and visit again")
            if visit.changed:
                self._replace_window(connection, visit, given)
            for span in visit.spans:
                self._file(connection, span)
            connection.execute(
                "INSERT INTO record (conversation, json) VALUES (?, ?)", (self._row, _json(visit.record))
            )
            connection.execute(
                "UPDATE conversation SET version = version + 1, settled = settled + 1, state = ? WHERE id = ?",
                (_json(visit.state), self._row),
            )

    def _refresh(self, connection: sqlite3.Connection) -> None:
        row = connection.execute(
            "SELECT id, version, settled, digest, state FROM conversation WHERE name = ?", (name_key(self.id),)
        ).fetchone()
        if row is None:
            raise ArchiveError(f"there is no conversation {shown(self.id)} in this archive any more")
        self._row, self.version, self._settled, self._digest = row[:4]
        self.state = read_model(WindowState, row[4])
        # What was read already is the same object again, with what was worked out about it.
        known = dict(zip(self._rows, self.messages, strict=True))
        rows = connection.execute(
            "SELECT message FROM window WHERE conversation = ? ORDER BY position", (self._row,)
        ).fetchall()
        self._rows = [row for (row,) in rows]
        for row in dict.fromkeys(self._rows):
            if row not in known:
                query = "SELECT id, json, fingerprint FROM message WHERE id = ?"
                known.update(read_rows(connection.execute(query, (row,)).fetchall()))
            if row not in known:
                raise damaged(f"the window of {self.id}")
        self.messages = tuple(known[row] for row in self._rows)
        if chained(message.fingerprint for message in self.messages) != self._digest:
            raise damaged(f"the window of {self.id}")

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("SELECT version FROM conversation WHERE id = ?", (self._row,)).fetchone()
        if version is None or version[0] != self.version:
            self._refresh(connection)

    def _given(self, visit: Visit) -> int:
        """Return how many messages of the window were visited.

        Raises:
            ArchiveError: the visit is of another window.
        """
        record = visit.record
        before = self.messages[: record.messages_before]
        kept = kept_indices(before, visit.messages)
        stayed = {index for index in kept if index is not None}
        left = {message_id(message) for index, message in enumerate(before) if index not in stayed}
        new = [message for message, index in zip(visit.messages, kept, strict=True) if index is None]
        fits = len(before) == record.messages_before and left <= set(record.removed)
        if not fits or any(frame_kind(message) is None for message in new):
            raise ArchiveError(f"the visit is not of the window of {self.id}; visit its `messages` and settle that")
        return len(before)

    def _replace_window(self, connection: sqlite3.Connection, visit: Visit, given: int) -> None:
        before = self.messages[:given]
        same = dict(zip(map(id, before), self._rows, strict=False))
        old = [
            row
            for (row,) in connection.execute(
                "SELECT message FROM window WHERE conversation = ? ORDER BY position", (self._row,)
            ).fetchall()
        ]
        rows = [same.get(id(message)) or store(connection, message) for message in visit.messages]
        rows += old[given:]
        connection.execute("DELETE FROM window WHERE conversation = ?", (self._row,))
        connection.executemany(
            "INSERT INTO window VALUES (?, ?, ?)", [(self._row, place, row) for place, row in enumerate(rows)]
        )
        seal(connection, self._row)
        # What a span keeps is in use there, and what was dropped is not kept.
        delete_unused(connection, dict.fromkeys(old))

    def _file(self, connection: sqlite3.Connection, span: FoldedSpan) -> None:
        address = _address(span)
        if span.originals is not None:
            keep(connection, {span_address(span.originals): span.originals})
        elif span.retain == "archive" and not _is_kept(connection, address):
            raise ArchiveError(
                f"the originals of {span.fingerprint[:16]} are not in this archive; visit with archive= this archive"
            )
        text = _json(span.model_copy(update={"originals": None}))
        connection.execute(
            "INSERT INTO folded (conversation, fingerprint, address, json) VALUES (?, ?, ?, ?)",
            (self._row, span.fingerprint, address, text),
        )


def create(connection: sqlite3.Connection, name: str) -> None:
    """Make a conversation where there is none of this name."""
    connection.execute(
        "INSERT OR IGNORE INTO conversation (name, version, settled, digest, state) VALUES (?, 0, 0, '', ?)",
        (name_key(name), _json(WindowState())),
    )


def row_of(connection: sqlite3.Connection, name: str) -> int | None:
    """Return the row of a conversation, or None where there is none."""
    row = connection.execute("SELECT id FROM conversation WHERE name = ?", (name_key(name),)).fetchone()
    return None if row is None else int(row[0])


def chained(fingerprints: Iterable[str], *, onto: str = "") -> str:
    """Return the digest of a window whose beginning has the digest `onto`."""
    for fingerprint in fingerprints:
        onto = hashlib.sha256(f"{onto}{fingerprint}".encode()).hexdigest()
    return onto


def seal(connection: sqlite3.Connection, conversation: int) -> None:
    """Write the digest of a window as it stands now."""
    rows = connection.execute(
        "SELECT fingerprint FROM window JOIN message ON message.id = window.message "
        "WHERE conversation = ? ORDER BY position",
        (conversation,),
    ).fetchall()
    digest = chained(fingerprint for (fingerprint,) in rows)
    connection.execute("UPDATE conversation SET digest = ? WHERE id = ?", (digest, conversation))


def names(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the names of the conversations, oldest first."""
    return tuple(read_name(name) for (name,) in connection.execute("SELECT name FROM conversation ORDER BY id"))


def _json(model: WindowRecord | WindowState | FoldedSpan) -> str:
    return json_text(model.model_dump(mode="python"))


def _address(span: FoldedSpan) -> str | None:
    if span.originals is not None:
        return span_address(span.originals)
    address = getattr(span, "address", None)
    return address if isinstance(address, str) else None


def _is_kept(connection: sqlite3.Connection, address: str | None) -> bool:
    return connection.execute("SELECT 1 FROM span WHERE address = ?", (address,)).fetchone() is not None


def _read_folded(connection: sqlite3.Connection, text: str, address: str | None) -> FoldedSpan:
    span = read_model(FoldedSpan, text)
    if span.retain != "conversation" or address is None:
        return span
    return span.model_copy(update={"originals": _originals(connection, address)})


def _originals(connection: sqlite3.Connection, address: str) -> Sequence[Message]:
    return tuple(message for place in find(connection, address) for message in read_span(connection, place))
