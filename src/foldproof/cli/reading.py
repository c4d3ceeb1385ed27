"""Reading PATH...: one conversation after the other, and what to do with what cannot be read."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from foldproof.cli.printing import complain, counted
from foldproof.errors import TranscriptError, UsageError
from foldproof.transcripts import (
    Conversation,
    Damage,
    Family,
    Recognised,
    UnknownFormatError,
    files_in,
    is_storage,
    load_all,
    read_text,
    recognised,
    recognised_in,
)

STDIN: Final = "-"
"""The PATH that means standard input."""

_STDIN_NAME: Final = "<stdin>"
_MOST_DAMAGE: Final = 3


class Files:
    """Reads several files and folders.

    A file that cannot be read is reported in one line, and the others are read all the same. Of a file that is damaged
    the first places are reported, and what can be read is. In a folder, files of no known format are counted.

    Attributes:
        passed_over: the files of folders that are of no known format.
        unread: how many files could not be read, or not all conversations of them.
    """

    def __init__(self, *, format_name: str | None, strict: bool = False) -> None:
        """Read the named format, or detect it in every file; `strict` takes damage for an error."""
        self._format = format_name
        self._strict = strict
        self.passed_over: list[str] = []
        self.unread = 0

    def conversations(self, paths: Iterable[str]) -> Iterator[tuple[str, Conversation]]:
        """Yield the conversations of the files, each with the path of its file; one is held at a time.

        Raises:
            UsageError: the format is not one that can be read, or standard input was named twice.
        """
        paths = tuple(paths)
        if sum(map(is_standard_input, paths)) > 1:
            raise UsageError("standard input can be read only once, and is named several times; name it once")
        for path in paths:
            if path != STDIN and Path(path).is_dir():
                yield from self._in_folder(path)
            else:
                yield from self._of_one(path, self.opened(path))

    def opened(self, path: str, *, every: bool = False) -> Iterator[Conversation]:
        """Yield the conversations of one file. Its damage is reported; with `every`, one that is lost is an error.

        Raises:
            TranscriptError: the file cannot be read, or is not what it claims to be.
            UsageError: the format is not one that can be read.
        """
        if path == STDIN:
            found = read_text(_standard_input(), name=_STDIN_NAME, format=self._format, strict=self._strict)
        elif Path(path).is_dir() and not is_storage(Path(path)):
            raise TranscriptError("cannot be read: it is a folder; expected one file", file=path)
        else:
            found = load_all(path, format=self._format, strict=self._strict)
        lost = False
        for conversation in found:
            gone = _lost_around(conversation)
            if every and gone:
                raise TranscriptError(gone[0].cause, path=gone[0].path, file=conversation.document.name)
            _report_damage(conversation, _STDIN_NAME if path == STDIN else path)
            lost = lost or bool(gone)
            yield conversation
        self.unread += lost

    def exit_code(self, *, found: bool) -> int:
        """Return 2 when a file could not be read, else 1 when something was found that is to fail, else 0."""
        return 2 if self.unread else int(found)

    def _in_folder(self, folder: str) -> Iterator[tuple[str, Conversation]]:
        family = Family()
        known = unread = 0
        for file in map(str, files_in(folder)):
            before = self.unread, len(self.passed_over)
            yield from self._of_one(file, family.joined(self.opened(file)), in_folder=True)
            known += len(self.passed_over) == before[1]
            unread += self.unread - before[0]
        if not known:
            self._report(TranscriptError("no transcript in this folder; expected files of a known format", file=folder))

    def _of_one(
        self, path: str, opened: Iterator[Conversation], *, in_folder: bool = False
    ) -> Iterator[tuple[str, Conversation]]:
        while True:
            # Only the reading is tried: what goes wrong while a command uses a conversation is not the file's.
            try:
                conversation = next(opened, None)
            except UnknownFormatError as error:
                if in_folder and self._format is None:
                    self.passed_over.append(path)
                else:
                    self._report(error)
                return
            except TranscriptError as error:
                self._report(error)
                return
            if conversation is None:
                return
            yield path, conversation

    def _report(self, error: TranscriptError) -> None:
        self.unread += 1
        complain(str(error))


def _lost_around(conversation: Conversation) -> tuple[Damage, ...]:
    """Return the lines around a conversation that should have been conversations, and could not be read."""
    document = conversation.document
    return document.damage if document.before or document.after else ()


def _report_damage(conversation: Conversation, path: str) -> None:
    damage = conversation.damage
    for one in damage[:_MOST_DAMAGE]:
        complain(f"{path}: {one}")
    if len(damage) > _MOST_DAMAGE:
        more = counted(len(damage) - _MOST_DAMAGE, "more place")
        complain(f"{path}: {more} of conversation {conversation.id} could not be read; --strict refuses such a file")


def formats_that_know(path: str) -> tuple[Recognised, ...]:
    """Return every format that knows a file for its own, and why; the first one reads it.

    Raises:
        TranscriptError: the file cannot be read, or is of no known format.
    """
    return recognised_in(io.BytesIO(_standard_input()), _STDIN_NAME) if path == STDIN else recognised(path)


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
