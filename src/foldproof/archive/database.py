"""The file: how it is opened, what is checked about it, and the transactions that everything else runs in.

One connection behind one lock serves every thread of a process; processes are kept apart by SQLite. Writes go through
a write-ahead log and are on the disk when a transaction returns (`synchronous=FULL`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from types import NoneType
from typing import Any, Final
from urllib.parse import quote

from foldproof.archive.failures import ArchiveError, naming
from foldproof.errors import UsageError, shown

APPLICATION: Final = 0x464F4C44
"""What the header of the file says: whose it is ("FOLD")."""

VERSION: Final = 1
"""How the file is laid out."""

IN_MEMORY: Final = ":memory:"
_OLDEST_SQLITE: Final = (3, 35, 0)
_PAUSE: Final = 0.01

_PRAGMAS: Final = (
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",  # what is forgotten is overwritten
    "temp_store = MEMORY",  # and never stood in a file of its own
    "trusted_schema = OFF",  # a file from elsewhere runs nothing here
    "cell_size_check = ON",
)

_SCHEMA: Final = (
    # A message is kept once for each way it was written; `stands_for` is the address that a frame leads to. A row is
    # never used again: who read it before may go on with it.
    """CREATE TABLE message (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        digest BLOB NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL,
        name TEXT NOT NULL,
        stands_for TEXT,
        json TEXT NOT NULL)""",
    "CREATE INDEX message_fingerprint ON message (fingerprint)",
    "CREATE INDEX message_name ON message (name)",
    "CREATE INDEX message_stands_for ON message (stands_for) WHERE stands_for IS NOT NULL",
    "CREATE TABLE span (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE)",
    """CREATE TABLE span_message (
        span INTEGER NOT NULL REFERENCES span,
        position INTEGER NOT NULL,
        message INTEGER NOT NULL REFERENCES message,
        PRIMARY KEY (span, position)) WITHOUT ROWID""",
    "CREATE INDEX span_of_message ON span_message (message)",
    # Where a span went when messages in it were forgotten, and how many those were, all in all.
    "CREATE TABLE moved (old TEXT PRIMARY KEY, new TEXT NOT NULL, forgotten INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX moved_to ON moved (new)",
    # `settled` counts what is not an append: between two of those a window only grows at its end. `digest` is over the
    # window, so that one which lost a message or its order is not taken for it.
    """CREATE TABLE conversation (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL,
        settled INTEGER NOT NULL,
        digest TEXT NOT NULL,
        state TEXT NOT NULL)""",
    """CREATE TABLE window (
        conversation INTEGER NOT NULL REFERENCES conversation,
        position INTEGER NOT NULL,
        message INTEGER NOT NULL REFERENCES message,
        PRIMARY KEY (conversation, position)) WITHOUT ROWID""",
    "CREATE INDEX window_of_message ON window (message)",
    """CREATE TABLE folded (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversation,
        fingerprint TEXT NOT NULL,
        address TEXT,
        json TEXT NOT NULL)""",
    "CREATE INDEX folded_of_conversation ON folded (conversation)",
    "CREATE INDEX folded_fingerprint ON folded (fingerprint)",
    "CREATE INDEX folded_address ON folded (address)",
    """CREATE TABLE record (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversation,
        json TEXT NOT NULL)""",
    "CREATE INDEX record_of_conversation ON record (conversation)",
    # Three characters at a time: a part of an id is found, and a language without spaces.
    "CREATE VIRTUAL TABLE said USING fts5 (text, tokenize = 'trigram case_sensitive 1')",
)


_CELLS: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("id", "span", "message", "position", "conversation", "version", "settled", "forgotten"), int),
    **dict.fromkeys(("json", "fingerprint", "name", "state", "digest", "old", "new"), str),
    **dict.fromkeys(("address", "stands_for"), (str, NoneType)),
}
"""What stands in a column of this name: SQLite takes anything anywhere, and a file may come from anywhere."""


class Database:
    """An open archive file.

    Raises:
        ArchiveError: the file cannot be opened, is not an archive, is damaged, or is of a newer version.
        UsageError: the SQLite of this Python is too old.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool, timeout_seconds: float) -> None:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise UsageError(f"an archive needs SQLite 3.35 or newer; this Python has {sqlite3.sqlite_version}")
        self.path: Final = os.fspath(path)
        self.read_only: Final = read_only
        self._timeout: Final = timeout_seconds
        self._lock: Final = RLock()
        self._process: Final = os.getpid()
        self._connection: sqlite3.Connection | None = None
        with naming(self.path):
            self._open()
            self._file: Final = _identity(self.path)

    def close(self) -> None:
        """Close the file. What was written is on the disk already."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and self._process == os.getpid():
                with naming(self.path):
                    connection.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep the other threads of this process waiting."""
        with self._lock, naming(self.path):
            yield

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection on which everything is read as of one moment."""
        with self._lock, naming(self.path), self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection on which everything is written, or nothing where anything raises."""
        with self._lock, naming(self.path), self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection
            self._check_file()

    @contextmanager
    def between_transactions(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for what cannot be done inside a transaction."""
        with self._lock, naming(self.path):
            yield self._connected()

    def erase(self) -> bool:
        """Write the file anew and empty the log, so that what was deleted stands nowhere any more; whether that is so.

        Overwriting what is deleted is not enough: a page that was split or joined may keep a copy where nothing is. For
        a moment it takes as much memory as the file has bytes.
        """
        with self.between_transactions() as connection:
            try:
                connection.execute("VACUUM")
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except (sqlite3.OperationalError, MemoryError):  # locked, or without room: what was deleted stays deleted
                return False
            log = Path(f"{self.path}-wal")
            left = log.stat().st_size if self.path != IN_MEMORY and log.is_file() else 0
            return not (busy or left or _number(connection, "PRAGMA freelist_count"))

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        connection = self._connected()
        connection.execute(begin)
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # SQLite may have rolled back by itself
                connection.execute("ROLLBACK")
            raise

    def _check_file(self) -> None:
        """Check that the path still names the file that is open: what is written to a deleted file is lost."""
        if _identity(self.path) != self._file:
            cause = "was deleted, moved or replaced while it was open, so nothing was written; open the archive again"
            raise ArchiveError(cause, file=self.path)

    def _connected(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            raise UsageError(f"the archive {self.path} was opened in another process; open it again in this one")
        if self._connection is None:
            raise UsageError(f"the archive {self.path} is closed; open it again")
        return self._connection

    def _open(self) -> None:
        if self.path == IN_MEMORY:
            self._connect_and_check(IN_MEMORY, uri=False)
            return
        _check_place(Path(self.path), read_only=self.read_only)
        try:
            self._connect_and_check(_uri(self.path, "mode=ro" if self.read_only else "mode=rwc"), uri=True)
        except sqlite3.OperationalError as error:
            if not self._may_be_read_as_it_stands(error):
                raise
            self._connect_and_check(_uri(self.path, "mode=ro&immutable=1"), uri=True)

    def _connect_and_check(self, name: str, *, uri: bool) -> None:
        self._connection = connection = sqlite3.connect(
            name, timeout=self._timeout, isolation_level=None, check_same_thread=False, uri=uri
        )
        try:
            connection.row_factory = _checked
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            self._check()
        except BaseException:
            self._connection = None
            connection.close()
            raise

    def _may_be_read_as_it_stands(self, error: sqlite3.OperationalError) -> bool:
        """Whether a file that cannot have a log beside it is complete without one."""
        name = getattr(error, "sqlite_errorname", "")
        log = Path(f"{self.path}-wal")
        refused = name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
        return refused and Path(self.path).is_file() and not (log.is_file() and log.stat().st_size)

    def _check(self) -> None:
        """Check whose file this is before anything in it is changed; lay it out where it is new."""
        connection = self._connected()
        connection.execute("BEGIN")
        new = self._is_new(connection)
        connection.execute("ROLLBACK")
        if new and self.read_only:
            raise ArchiveError("is empty; expected an archive", file=self.path)
        if new:
            self._lay_out(connection)

    def _is_new(self, connection: sqlite3.Connection) -> bool:
        application = _number(connection, "PRAGMA application_id")
        version = _number(connection, "PRAGMA user_version")
        tables = _tables(connection)
        if application == 0 and version == 0 and not tables:
            return True
        if application != APPLICATION:
            cause = f"is a database of another program (application_id {application:#x}); name another file"
            raise ArchiveError(cause, file=self.path)
        if version > VERSION:
            cause = f"has the layout {version} of a newer foldproof, and this one reads {VERSION}; upgrade foldproof"
            raise ArchiveError(cause, file=self.path)
        if version != VERSION or tables != set(map(_plain, _SCHEMA)):
            cause = "is damaged: its tables are not those of an archive; restore it from a copy"
            raise ArchiveError(cause, file=self.path)
        self._check_length(connection)
        return False

    def _check_length(self, connection: sqlite3.Connection) -> None:
        # While this transaction reads, an empty log stays empty or grows: then all pages have to be in the file.
        log = Path(f"{self.path}-wal")
        if self.path == IN_MEMORY or (log.is_file() and log.stat().st_size):
            return
        expected = _number(connection, "PRAGMA page_count") * _number(connection, "PRAGMA page_size")
        found = Path(self.path).stat().st_size
        if found < expected:
            cause = f"is cut short: it has {found:,} bytes, and {expected:,} were expected; restore it from a copy"
            raise ArchiveError(cause, file=self.path)

    def _lay_out(self, connection: sqlite3.Connection) -> None:
        _use_a_log(connection, monotonic() + self._timeout)
        with self._transaction("BEGIN IMMEDIATE"):
            if not self._is_new(connection):  # another process was faster
                return
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _check_place(path: Path, *, read_only: bool) -> None:
    if path.is_dir():
        raise ArchiveError("is a folder; name a file", file=str(path))
    if read_only and not path.exists():
        raise ArchiveError("there is no such file; expected an archive", file=str(path))
    if not path.absolute().parent.is_dir():
        raise ArchiveError("its folder does not exist; create it first", file=str(path))


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from every other one; None where there is none."""
    if path == IN_MEMORY:
        return None
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _uri(path: str, options: str) -> str:
    whole = os.fsencode(os.path.abspath(path))  # noqa: PTH100 - `Path.absolute` keeps `..`
    return f"file:{quote(whole)}?{options}"


def _use_a_log(connection: sqlite3.Connection, deadline: float) -> None:
    """Switch to a write-ahead log; SQLite does not wait where two processes do so at once."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if monotonic() > deadline:
                raise
            sleep(_PAUSE)
        else:
            return


def _checked(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row whose cells hold what their columns are for."""
    for (column, *_), value in zip(cursor.description, row, strict=True):
        if not isinstance(value, _CELLS.get(column, object)):
            cause = f"is damaged: {shown(value)} stands where {column} was kept; restore it from a copy"
            raise ArchiveError(cause)
    return row


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])


def _tables(connection: sqlite3.Connection) -> set[str]:
    """Return how the file is laid out, triggers and views too; what FTS5 and SQLite add by themselves is left out."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    return {_plain(sql) for kind, name, sql in found if not (kind == "table" and name.startswith("said_"))}


def _plain(sql: object) -> str:
    return " ".join(str(sql).split())
