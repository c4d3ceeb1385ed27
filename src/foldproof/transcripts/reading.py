"""The ways in: a path, the bytes of a stream, or JSON already in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from foldproof.errors import TranscriptError, UsageError
from foldproof.transcripts.conversation import Conversation, conversations_of
from foldproof.transcripts.document import Document, located
from foldproof.transcripts.files import document_in_memory, documents_of
from foldproof.transcripts.json_text import Json, check_depth
from foldproof.transcripts.registry import codec_for, codec_named, not_of


def load(path: str | os.PathLike[str], *, format: str | None = None) -> Conversation:  # noqa: A002 - the public name
    """Return the one conversation of a file.

    A session's sub-agents are no independent conversations: the main one is returned, and `load_all` yields the rest.

    Args:
        path: the file.
        format: name of its format; None finds out.

    Raises:
        TranscriptError: the file cannot be read as a transcript; it names the file and the place.
        UsageError: the file holds several independent conversations, or there is no such format.
    """
    name = os.fspath(path)
    return _the_one(load_all(path, format=format), name)


def load_all(path: str | os.PathLike[str], *, format: str | None = None) -> Iterator[Conversation]:  # noqa: A002
    """Yield every conversation of a file; the rows of a JSONL file are read as they are asked for.

    Args:
        path: the file.
        format: name of its format; None finds out.

    Raises:
        TranscriptError: the file cannot be read as a transcript; it names the file and the place.
        UsageError: there is no such format.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as stream:
            yield from _conversations(stream, name, format)
    except OSError as error:
        cause = f"cannot be read: {error.strerror or error}; expected the path of a transcript file"
        raise TranscriptError(cause, file=name) from error


def read_text(data: bytes | str, *, name: str, format: str | None = None) -> Iterator[Conversation]:  # noqa: A002
    """Yield every conversation of a file's content, for what comes from standard input.

    Args:
        data: the content.
        name: what errors call it.
        format: name of its format; None finds out.

    Raises:
        TranscriptError: it cannot be read as a transcript.
        UsageError: there is no such format.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    yield from _conversations(io.BytesIO(raw), name, format)


def parse(obj: Json, *, format: str | None = None) -> Conversation:  # noqa: A002 - the public name
    """Return the one conversation of JSON already in memory. The object is referred to, and must not change after.

    Args:
        obj: the parsed JSON; for a session of rows, the list of them.
        format: name of its format; None finds out.

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
    return _the_one(iter(_read(document_in_memory(obj if is_one else obj[0], codec), 0)), "the object")


def _conversations(stream: BinaryIO, name: str, format_name: str | None) -> Iterator[Conversation]:
    number = 0
    for document in documents_of(stream, name, format_name):
        for conversation in _read(document, number):
            number += 1
            yield conversation


def _read(document: Document, number: int) -> tuple[Conversation, ...]:
    codec = codec_named(document.format)
    try:
        readings = codec.read(document.value)
        if codec.recognise(document.value) is None:  # one of several, of which the first was looked at
            raise not_of(codec, document.value)
    except TranscriptError as error:
        raise located(error, document) from error
    return conversations_of(readings, document, number=number)


def _the_one(conversations: Iterator[Conversation], name: str) -> Conversation:
    first = next(conversations)
    if any(not other.reading.side or first.reading.side for other in conversations):
        raise UsageError(f"{name} holds several conversations; use load_all, which yields every one")
    return first
