"""What goes wrong with an archive, said in one line that names its file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from foldproof.errors import TranscriptError, described


class ArchiveError(TranscriptError):
    """The archive cannot be used as asked: locked, full, read-only, damaged, of another program or a newer version.

    Nothing was changed: what was to be written is either there as a whole or not at all.
    """


_WHAT_TO_DO: Final = (
    ("SQLITE_FULL", "has no room to grow, so nothing was written; make room on the disk and try again"),
    ("SQLITE_BUSY", "is locked by another process, so nothing was done; try again, or wait longer (timeout_seconds)"),
    ("SQLITE_LOCKED", "is locked, so nothing was done; try again"),
    ("SQLITE_READONLY", "is read-only, so nothing was written; make it writable, or name another file"),
    ("SQLITE_CANTOPEN", "cannot be opened; check that its folder exists and may be written to"),
    ("SQLITE_NOTADB", "is no archive (not an SQLite database, or a damaged one); name another file"),
    ("SQLITE_CORRUPT", "is damaged; restore it from a copy"),
    ("SQLITE_IOERR", "could not be read or written by the system, so nothing was changed; check the disk"),
    ("SQLITE_TOOBIG", "cannot hold a message of this size, so nothing was written"),
)


def described_failure(error: sqlite3.Error) -> str:
    """Return what an error of SQLite means for an archive, and what to do."""
    name = getattr(error, "sqlite_errorname", None) or ""
    for prefix, cause in _WHAT_TO_DO:
        if name.startswith(prefix):
            return f"{cause} ({error})"
    return f"could not be used ({error}); where that happens again, restore it from a copy"


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Turn whatever SQLite and the system raise into an `ArchiveError`, and let every one name the file."""
    try:
        yield
    except ArchiveError as error:
        raise error.in_file(path) from error.__cause__
    except sqlite3.Error as error:
        raise ArchiveError(described_failure(error), file=path) from error
    # sqlite3 raises these for a text that is no UTF-8, and for a number that has grown out of its column.
    except (UnicodeDecodeError, OverflowError) as error:
        raise ArchiveError(f"is damaged; restore it from a copy ({error})", file=path) from error
    except OSError as error:
        cause = f"cannot be used by the system ({described(error)}); check its name and its folder"
        raise ArchiveError(cause, file=path) from error
