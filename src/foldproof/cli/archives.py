"""Opening an archive for a command: one that is there, and none is made by looking."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from foldproof.archive import ArchiveError, SqliteArchive
from foldproof.cli.reading import STDIN
from foldproof.errors import UsageError

_SQLITE: Final = b"SQLite format 3\0"


def archive_at(path: str, *, read_only: bool = True, otherwise: str | None = None) -> SqliteArchive:
    """Open an archive that is there. `otherwise` is what to do where the file is something else.

    Raises:
        ArchiveError: there is none, it is something else, or it cannot be opened.
        UsageError: it is standard input.
    """
    if path == STDIN:
        raise UsageError(f"an archive cannot be read from standard input; name its file{_also(otherwise)}")
    try:
        archive = SqliteArchive(path, read_only=True)
        if read_only:
            return archive
        archive.close()
        return SqliteArchive(path)
    except ArchiveError as error:
        if Path(path).is_file() and not _is_database(path):
            raise ArchiveError(f"{error.cause}{_also(otherwise)}", file=error.file) from error
        raise


def _also(otherwise: str | None) -> str:
    return "" if otherwise is None else f"; {otherwise}"


def _is_database(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
