"""Reading PATH...: one conversation after the other, and what to do with a file that cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from foldproof.cli.printing import complain
from foldproof.errors import TranscriptError, UsageError
from foldproof.transcripts import Conversation, load_all, read_text

STDIN: Final = "-"
"""The PATH that means standard input."""

_STDIN_NAME: Final = "<stdin>"


class Files:
    """Reads several files. One that cannot be read is reported in one line, and the others are read all the same."""

    def __init__(self, *, format_name: str | None) -> None:
        """Read the named format, or detect it in every file."""
        self._format = format_name
        self._failed = False

    def conversations(self, paths: Iterable[str]) -> Iterator[tuple[str, Conversation]]:
        """Yield the conversations of the files, each with its path; one is held at a time.

        Raises:
            UsageError: the format is not one that can be read, or standard input was named twice.
        """
        paths = tuple(paths)
        if sum(map(is_standard_input, paths)) > 1:
            raise UsageError("standard input can be read only once, and is named several times; name it once")
        for path in paths:
            opened = self.opened(path)
            while True:
                # Only the reading is tried: what goes wrong while a command uses a conversation is not the file's.
                try:
                    conversation = next(opened, None)
                except TranscriptError as error:
                    self._report(error)
                    break
                if conversation is None:
                    break
                yield path, conversation

    def opened(self, path: str) -> Iterator[Conversation]:
        """Yield the conversations of one file.

        Raises:
            TranscriptError: the file cannot be read, or is not what it claims to be.
            UsageError: the format is not one that can be read.
        """
        if path == STDIN:
            yield from read_text(_standard_input(), name=_STDIN_NAME, format=self._format)
        else:
            yield from load_all(path, format=self._format)

    def exit_code(self, *, found: bool) -> int:
        """Return 2 when a file could not be read, else 1 when something was found that is to fail, else 0."""
        return 2 if self._failed else int(found)

    def _report(self, error: TranscriptError) -> None:
        self._failed = True
        complain(str(error))


def is_standard_input(path: str) -> bool:
    """Whether a path is standard input by whatever name, and not a file that can be read again."""
    return path == STDIN or (_is_open_as(path, 0) and not Path(path).is_file())


def is_standard_output(path: str) -> bool:
    """Whether a path is standard output by whatever name: what is written there mixes with what is printed."""
    return path == STDIN or (path != os.devnull and _is_open_as(path, 1))


def _is_open_as(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(descriptor))
    except (OSError, ValueError):  # there is none
        return False


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise TranscriptError("standard input is closed; send a transcript to it", file=_STDIN_NAME)
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise TranscriptError(f"cannot be read: {error.strerror or error}", file=_STDIN_NAME) from error
