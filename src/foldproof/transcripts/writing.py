"""Documents out: other windows put in, checked by reading them back, and written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message
from foldproof.transcripts.codec import Codec
from foldproof.transcripts.conversation import Conversation, Edit, edit_of
from foldproof.transcripts.document import Document, located
from foldproof.transcripts.json_text import Json, new_text, render, revise_items
from foldproof.transcripts.registry import codec_named
from foldproof.transcripts.zip_file import repacked

Chunk = str | bytes
Target = str | os.PathLike[str] | TextIO | BinaryIO
"""Where to write: a path, or an open file for text or bytes."""


def dump(conversations: Conversation | Iterable[Conversation], target: Target) -> None:
    """Write conversations in the format they were read in; messages that were kept are written as they were read.

    Takes one conversation, or what `load_all` yielded for a file. A document that holds several conversations (a
    session and its sub-agents) is written once, with those that are not given as they were. A path is written by way of
    a temporary file beside it, so that it holds either all of the output or what it held before.

    Raises:
        TranscriptError: a window cannot be written in its format so that it reads back equal; nothing is written.
        UsageError: nothing was given, conversations that cannot stand in one file, or a path that cannot be written.
    """
    given = (conversations,) if isinstance(conversations, Conversation) else conversations
    chunks = _chunks(given)
    if isinstance(target, str | os.PathLike):
        try:
            _write(chunks, Path(target))
        except OSError as error:
            raise UsageError(f"cannot write {os.fspath(target)}: {error.strerror or error}") from error
        return
    complete = list(chunks)  # before the first byte leaves
    if not hasattr(target, "encoding"):  # only a text file has one
        target.write(b"".join(map(_bytes, complete)))
    elif any(isinstance(chunk, bytes) for chunk in complete):
        raise UsageError("this format is an archive of bytes; write it to a path, or to a file opened for bytes")
    else:
        cast("TextIO", target).write("".join(map(str, complete)))


def written(conversation: Conversation) -> Json:
    """Return the document of a conversation with its window in it, as JSON in memory.

    What did not change is the very object that was read: a row that stayed `is` the row that `parse` was given.

    Raises:
        TranscriptError: the window cannot be written in its format so that it reads back equal.
        UsageError: the format can only be read.
    """
    return _written(_document_of(conversation), [conversation])


def _bytes(chunk: Chunk) -> bytes:
    return chunk if isinstance(chunk, bytes) else chunk.encode("utf-8", "surrogateescape")  # lines that are no text


def _write(chunks: Iterator[Chunk], named: Path) -> None:
    """Write a file. A pipe or a device is opened as it was named: `/dev/stdout` and `>(gzip)` have no other name."""
    if named.exists() and not named.is_file():
        complete = b"".join(map(_bytes, chunks))
        named.write_bytes(complete)
    else:
        _write_atomically(chunks, Path(os.path.realpath(named)))


def _write_atomically(chunks: Iterator[Chunk], path: Path) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.writelines(map(_bytes, chunks))
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _chunks(conversations: Iterable[Conversation]) -> Iterator[Chunk]:
    documents = ((document, list(group)) for document, group in groupby(conversations, key=_document_of))
    first = next(documents, None)
    if first is None:
        raise UsageError("there is no conversation to dump; expected one, or what load_all yielded")
    document, group = first
    if document.source.layout == "items":
        yield _array_text(document, group, documents)
        return
    if document.source.packed is not None:
        yield _packed(document, group)
    else:
        yield from _texts(document, group, documents)


def _texts(
    document: Document, group: list[Conversation], rest: Iterator[tuple[Document, list[Conversation]]]
) -> Iterator[str]:
    text = document_text(document, group)
    for following, more in rest:
        if (
            following.format != document.format
            or document.source.layout != "jsonl"
            or following.source.layout != "jsonl"
            or following.joined
        ):
            raise UsageError("these conversations come from several files; dump those of one file at a time")
        yield text if text.endswith("\n") else text + "\n"
        text = document_text(following, more)
    yield text


def _document_of(conversation: object) -> Document:
    if not isinstance(conversation, Conversation):
        raise UsageError(f"cannot dump a {type(conversation).__name__}; expected a Conversation that load returned")
    return conversation.document


def _array_text(first: Document, group: list[Conversation], rest: Iterator[tuple[Document, list[Conversation]]]) -> str:
    source = first.source
    items = [_written(first, group)]
    for document, more in rest:
        if document.source is not source:
            raise UsageError("these conversations come from several files; dump those of one file at a time")
        items.append(_written(document, more))
    array = revise_items(source.value, items)
    if source.text is None:
        return new_text(array) + "\n"
    return (
        source.text if array is source.value else _with_end(render(array, {id(source.value): source.text}), source.text)
    )


def _packed(document: Document, group: list[Conversation]) -> bytes:
    value, packed = _written(document, group), document.source.packed or b""
    return packed if value is document.value else repacked(packed, value, document.value)


def document_text(document: Document, conversations: list[Conversation]) -> str:
    """Return the text of a document with these conversations in it, and of the broken lines around it."""
    text = _text(document, conversations)
    if document.after and not text.endswith("\n"):
        text += "\n"
    return document.before + text + document.after


def _text(document: Document, conversations: list[Conversation]) -> str:
    value = _written(document, conversations)
    if value is document.value and document.verbatim is not None:
        return document.verbatim
    if isinstance(value, str):
        return value
    end = "\r\n" if (document.verbatim or "").endswith("\r\n") else "\n"
    if document.joined:
        rows = [render(row, document.texts, compact=document.compact) for row in value]
        return "".join(row + end for row in rows)
    text = render(value, document.texts, compact=document.compact)
    return text + end if document.verbatim is None else _with_end(text, document.verbatim)


def _with_end(text: str, original: str) -> str:
    return text.rstrip() + original[len(original.rstrip()) :]


def _written(document: Document, conversations: list[Conversation]) -> Json:
    codec = codec_named(document.format)
    windows = {id(conversation.reading): conversation.messages for conversation in conversations}
    if len(windows) != len(conversations):
        raise UsageError("one conversation was given twice; dump each conversation once")
    readings = conversations[0].siblings
    edits = [edit_of(reading, windows.get(id(reading), reading.messages)) for reading in readings]
    if not any(edit.changed for edit in edits):
        return document.value
    if not codec.format.can_write:
        raise UsageError(f"{document.format} can only be read; write the conversation in a format that can be written")
    try:
        value = codec.write(document.value, edits)
        if not document.certain:
            _check_known(codec, value)
        again = codec.read(value)
    except TranscriptError as error:
        raise located(error, document) from error
    _check_reads_back([reading.messages for reading in again], edits, document)
    return value


def _check_known(codec: Codec, value: Json) -> None:
    name = codec.format.name
    if codec.recognise(value) is None:
        raise TranscriptError(f"this window cannot be written as {name}: nothing would tell so; keep more of it")


def _check_reads_back(read: list[tuple[Message, ...]], edits: list[Edit], document: Document) -> None:
    """What was written has to mean what was asked for: the law of this room, held on every dump."""
    expected = [tuple(entry.message for entry in edit.entries) for edit in edits]
    if [messages for messages in read if messages] == [messages for messages in expected if messages]:
        return
    pairs = zip(chain(*read), chain(*expected), strict=False)
    at = next((index for index, (found, wanted) in enumerate(pairs) if found != wanted), None)
    place = "the end" if at is None else f"message {at}"
    raise TranscriptError(
        f"this window cannot be written as {document.format}: it would not read back equal at {place}; "
        "remove whole turns, keep the order, and let only frames be new",
        file=document.name,
    )
