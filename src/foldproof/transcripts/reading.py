"""The ways in: a path, the bytes of a stream, or JSON already in memory."""

from __future__ import annotations

import dataclasses
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from foldproof.errors import TranscriptError, UsageError
from foldproof.transcripts.conversation import Conversation, Reading, conversations_of
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.document import Document, located
from foldproof.transcripts.files import Broken, document_in_memory, documents_of
from foldproof.transcripts.folders import Family, files_in
from foldproof.transcripts.json_text import Json, check_depth
from foldproof.transcripts.opencode_storage import is_storage, sessions_in
from foldproof.transcripts.registry import Recognised, UnknownFormatError, codec_for, codec_named, not_of, recognised_by


def load(path: str | os.PathLike[str], *, format: str | None = None, strict: bool = False) -> Conversation:  # noqa: A002
    """Return the one conversation of a file.

    A session's sub-agents are no independent conversations: the main one is returned, and `load_all` yields the rest.

    Args:
        path: the file.
        format: name of its format; None finds out.
        strict: what could not be read is an error, and not the `damage` of a conversation.

    Raises:
        TranscriptError: the file cannot be read as a transcript; it names the file and the place.
        UsageError: the file holds several independent conversations, or there is no such format.
    """
    name = os.fspath(path)
    return _the_one(load_all(path, format=format, strict=strict), name)


def load_all(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the public name
    strict: bool = False,
) -> Iterator[Conversation]:
    """Yield every conversation of a file or of a folder; the rows of a JSONL file are read as they are asked for.

    A folder is walked (see `files_in`), a session ahead of its sub-agents; a file of no known format is passed over.

    Args:
        path: the file, or the folder.
        format: name of its format; None finds out, file by file.
        strict: what could not be read is an error, and not the `damage` of a conversation.

    Raises:
        TranscriptError: the file cannot be read as a transcript; it names the file and the place.
        UsageError: there is no such format.
    """
    family = Family()
    if not Path(path).is_dir():
        yield from family.joined(_of_file(path, format, strict=strict))
        return
    for file in files_in(path):
        read = _of_storage if file.is_dir() else _of_file
        try:
            yield from family.joined(read(file, format, strict=strict))
        except UnknownFormatError:
            if format is not None:
                raise


def read_text(
    data: bytes | str,
    *,
    name: str,
    format: str | None = None,  # noqa: A002 - the public name
    strict: bool = False,
) -> Iterator[Conversation]:
    """Yield every conversation of a file's content, for what comes from standard input.

    Args:
        data: the content.
        name: what errors call it.
        format: name of its format; None finds out.
        strict: what could not be read is an error, and not the `damage` of a conversation.

    Raises:
        TranscriptError: it cannot be read as a transcript.
        UsageError: there is no such format.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    yield from _conversations(io.BytesIO(raw), name, format, strict=strict)


def parse(obj: Json, *, format: str | None = None, strict: bool = False) -> Conversation:  # noqa: A002
    """Return the one conversation of JSON already in memory. The object is referred to, and must not change after.

    Args:
        obj: the parsed JSON; for a session of rows, the list of them.
        format: name of its format; None finds out.
        strict: what could not be read is an error, and not the `damage` of a conversation.

    Raises:
        TranscriptError: it cannot be read as a transcript.
        UsageError: it holds several independent conversations, or there is no such format.
    """
    check_depth(obj)
    codec, is_one = codec_for(obj, format)
    if not is_one and len(obj) > 1:
        raise UsageError(
            f"the list holds {len(obj)} independent conversations; parse each item, or use load_all on a file"
        )
    document = document_in_memory(obj if is_one else obj[0], codec)
    readings = _read(document, strict=strict)
    return _the_one(iter(conversations_of(readings, document, number=0)), "the object")


def parse_as(obj: Json, format: str) -> Conversation:  # noqa: A002 - the public name
    """Return the conversation of JSON that a program knows to be of a format, however little of it there is.

    Nothing is asked of what it looks like, neither here nor when it is written: half a request is a request. What
    cannot be read is an error, as with `strict`.

    Raises:
        TranscriptError: it cannot be read, and where.
        UsageError: there is no such format.
    """
    check_depth(obj)
    document = dataclasses.replace(document_in_memory(obj, codec_named(format)), certain=True)
    readings = _read(document, strict=True)
    return _the_one(iter(conversations_of(readings, document, number=0)), "the object")


def recognised(path: str | os.PathLike[str]) -> tuple[Recognised, ...]:
    """Return every format that knows the first document of a file for its own, and why; the first one reads it.

    Raises:
        TranscriptError: the file cannot be read, or is of no known format.
    """
    if is_storage(Path(path)):
        return recognised_by(next(value for _, value in sessions_in(Path(path))))
    with _opened(path) as stream:
        return recognised_in(stream, os.fspath(path))


def recognised_in(stream: BinaryIO, name: str) -> tuple[Recognised, ...]:
    """Return what `recognised` does, for a stream that errors call by this name.

    Raises:
        TranscriptError: it cannot be read, or is of no known format.
    """
    document = next(one for one in documents_of(stream, name, None) if isinstance(one, Document))
    found = recognised_by(document.value, medium=document.source.medium)
    return tuple(sorted(found, key=lambda one: one.format != document.format))


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        cause = f"cannot be read: {error.strerror or error}; expected the path of a transcript file"
        raise TranscriptError(cause, file=os.fspath(path)) from error


def _of_file(path: str | os.PathLike[str], format_name: str | None, *, strict: bool) -> Iterator[Conversation]:
    name = os.fspath(path)
    with _opened(path) as stream:
        try:
            yield from _conversations(stream, name, format_name, strict=strict)
        except OSError as error:
            raise TranscriptError(f"cannot be read: {error.strerror or error}", file=name) from error


def _of_storage(root: Path, format_name: str | None, *, strict: bool) -> Iterator[Conversation]:
    """Yield the sessions of a storage of OpenCode, each as the document that its export would be."""
    for number, (file, value) in enumerate(sessions_in(root)):
        codec, _ = codec_for(value, format_name)
        document = dataclasses.replace(document_in_memory(value, codec), name=os.fspath(file))
        yield from conversations_of(_read(document, strict=strict), document, number=number)


def _conversations(stream: BinaryIO, name: str, format_name: str | None, *, strict: bool) -> Iterator[Conversation]:
    """Yield the conversations of a file. What is broken between two of them belongs to the one behind it.

    One is held back, so that what is broken behind the last belongs to the last.
    """
    number = 0
    broken = _Spoiled()
    held: tuple[Document, Sequence[Reading]] | None = None
    for document in documents_of(stream, name, format_name):
        try:
            readings = _read(document, strict=strict)
        except TranscriptError as error:
            if strict or not broken.takes(document, error):
                raise
            continue
        assert isinstance(document, Document)  # noqa: S101 - a broken line is an error
        if held is not None:
            yield from conversations_of(held[1], held[0], number=number)
            number += len(held[1])
        held = (broken.ahead_of(document), readings)
    if held is None:
        raise broken.errors[0]
    yield from conversations_of(held[1], broken.behind(held[0]), number=number)


class _Spoiled:
    """The lines since the last conversation that could not be read."""

    def __init__(self) -> None:
        self.errors: list[TranscriptError] = []
        self._texts: list[str] = []
        self._damage: list[Damage] = []

    def takes(self, line: Document | Broken, error: TranscriptError) -> bool:
        """Take note of a line that stands among others; False for what is the whole document."""
        if isinstance(line, Document) and (line.source.layout != "jsonl" or line.joined):
            return False
        text = line.text if isinstance(line, Broken) else line.verbatim or ""
        self._texts.append(text)
        self._damage.append(damage_of(error, outside=True))
        self.errors.append(error)
        return True

    def ahead_of(self, document: Document) -> Document:
        """Return a document with the lines ahead of it."""
        if not self._damage:
            return document
        made = dataclasses.replace(document, before="".join(self._texts), damage=(*self._damage, *document.damage))
        self._texts, self._damage = [], []
        return made

    def behind(self, document: Document) -> Document:
        """Return the last document with the lines behind it."""
        if not self._damage:
            return document
        return dataclasses.replace(document, after="".join(self._texts), damage=(*document.damage, *self._damage))


def _read(document: Document | Broken, *, strict: bool) -> Sequence[Reading]:
    if isinstance(document, Broken):
        raise document.error
    codec = codec_named(document.format)
    try:
        if (
            not document.certain and codec.recognise(document.value) is None
        ):  # one of several, of which the first was looked at
            raise not_of(codec, document.value)
        readings = codec.read(document.value)
    except TranscriptError as error:
        raise located(error, document) from error
    if strict:
        _check_whole(readings, document)
    return readings


def _check_whole(readings: Sequence[Reading], document: Document) -> None:
    for damage in document.damage:
        raise TranscriptError(damage.cause, path=damage.path, file=document.name)
    for damage in (damage for reading in readings for damage in reading.damage):
        raise located(TranscriptError(damage.cause, path=damage.path), document)


def _the_one(conversations: Iterator[Conversation], name: str) -> Conversation:
    first = next(conversations)
    if any(not other.reading.side or first.reading.side for other in conversations):
        raise UsageError(f"{name} holds several conversations; use load_all, which yields every one")
    return first
