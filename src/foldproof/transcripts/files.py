"""Bytes in, documents out: encodings, JSON or JSONL, and which rows or items make one document.

* UTF-8, with or without a byte order mark, or UTF-16 with one. What is written is UTF-8 without one.
* When the first line is a complete JSON value it is JSONL, one value a line; else the file is one JSON value.
* The lines of a file, or the items of an array, are one document where a format says that they belong together (the
  rows of a session, the messages of a chat); else each is a document of its own, and lines are read one at a time.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

from foldproof.errors import TranscriptError
from foldproof.transcripts.codec import Codec
from foldproof.transcripts.document import Document, Source
from foldproof.transcripts.json_text import Json, is_compact, parse_json
from foldproof.transcripts.registry import codec_for

_SAMPLE = 50
"""Lines looked at to tell what a JSONL file holds: a session may open with dozens of rows that say nothing."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Line(NamedTuple):
    """A line of a file: its number from 1, its text with its line end, and its JSON."""

    number: int
    text: str
    value: Json


def documents_of(stream: BinaryIO, name: str, format_name: str | None) -> Iterator[Document]:
    """Yield the documents of a file, reading no further than needed.

    Raises:
        TranscriptError: the file is empty, binary, no JSON, or of no known format; `file` and `path` say where.
        UsageError: `format_name` names no format.
    """
    lines = _lines(stream, name)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise TranscriptError("the file is empty; expected a transcript as JSON or JSONL", file=name)
    if _is_json(first[1]):
        yield from _from_lines(chain([first], lines), name, format_name)
    else:
        text = "".join(text for _, text in chain([first], lines))
        yield from _from_text(text, name, format_name)


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except TranscriptError as error:
        return "not JSON" not in error.cause  # too deep or a number too long: complete, and reported with its line
    return True


def _lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """Yield numbered lines. Only a line feed ends one: JSON may hold any other line separator inside a string."""
    head = stream.read(len(codecs.BOM_UTF8))
    rest: Iterable[bytes] = stream
    if head.startswith(_UTF16):
        text = _decoded(head + stream.read(), "utf-16", name, None)
        rest, head = io.BytesIO(text.encode("utf-8", "surrogatepass")), b""
    head = head.removeprefix(codecs.BOM_UTF8)
    rows = iter(rest)
    first = head if head.endswith(b"\n") else head + next(rows, b"")
    split = first.split(b"\n")  # three bytes may hold line ends of their own
    opening = [part + b"\n" for part in split[:-1]] + [part for part in split[-1:] if part]
    for number, raw in enumerate(chain(opening, rows), start=1):
        yield number, _decoded(raw, "utf-8", name, number)


def _decoded(raw: bytes, encoding: str, name: str, number: int | None) -> str:
    place = None if number is None else f"line {number}"
    if encoding == "utf-8" and b"\0" in raw:
        raise TranscriptError("a binary file; expected JSON or JSONL text", file=name, path=place)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        cause = f"not {encoding.upper()} text ({error.reason} at byte {error.start}); expected JSON or JSONL in UTF-8"
        raise TranscriptError(cause, file=name, path=place) from error


def _from_text(text: str, name: str, format_name: str | None) -> Iterator[Document]:
    try:
        value = parse_json(text)
        codec, is_one = codec_for(value, format_name)
    except TranscriptError as error:
        raise error.in_file(name) from error
    if is_one:
        yield Document(
            format=codec.format.name,
            value=value,
            source=Source("json", value, text),
            texts={id(value): text},
            verbatim=text,
            name=name,
        )
        return
    yield from _items(value, Source("items", value, text), codec, name)


def _items(value: list[Json], source: Source, codec: Codec, name: str | None) -> Iterator[Document]:
    for index, item in enumerate(value):
        yield Document(format=codec.format.name, value=item, source=source, name=name, place=f"$[{index}]")


def _from_lines(lines: Iterator[tuple[int, str]], name: str, format_name: str | None) -> Iterator[Document]:
    parsed = _parsed(lines, name)
    head = list(islice(parsed, _SAMPLE))
    if len(head) == 1 and isinstance(head[0].value, list):  # a whole array on one line is no JSONL
        yield from _from_text(head[0].text, name, format_name)
        return
    try:
        codec, is_one = _codec_for(head, parsed, format_name)
    except TranscriptError as error:
        raise error.in_file(name) from error
    source = Source("jsonl")
    if is_one:
        yield _joined([*head, *parsed], source, codec, name)
        return
    for line in chain(head, parsed):
        yield _single(line, source, codec, name)


def _codec_for(head: list[Line], rest: Iterator[Line], format_name: str | None) -> tuple[Codec, bool]:
    """Return what `codec_for` says of the first lines; what was named is looked for in all of them."""
    try:
        return codec_for([line.value for line in head], format_name)
    except TranscriptError:
        if format_name is None:
            raise
        head += rest
    return codec_for([line.value for line in head], format_name)


def _single(line: Line, source: Source, codec: Codec, name: str) -> Document:
    text = line.text.strip("\r\n")
    return Document(
        format=codec.format.name,
        value=line.value,
        source=source,
        texts={id(line.value): text},
        verbatim=line.text,
        compact=is_compact(text),
        name=name,
        place=f"line {line.number}: $",
    )


def _parsed(lines: Iterator[tuple[int, str]], name: str) -> Iterator[Line]:
    for number, text in lines:
        if not text.strip():
            continue
        try:
            yield Line(number, text, parse_json(text))
        except TranscriptError as error:
            raise TranscriptError(error.cause, path=f"line {number}", file=name) from error


def _joined(lines: list[Line], source: Source, codec: Codec, name: str) -> Document:
    return Document(
        format=codec.format.name,
        value=[line.value for line in lines],
        source=source,
        texts={id(line.value): line.text.strip("\r\n") for line in lines if isinstance(line.value, dict | list)},
        verbatim="".join(line.text for line in lines),
        joined=True,
        compact=is_compact(lines[-1].text),
        name=name,
        lines=tuple(line.number for line in lines),
    )


def document_in_memory(value: Json, codec: Codec) -> Document:
    """Return a document for JSON that never was text."""
    rows = isinstance(value, list) and codec.format.one_row_a_line
    return Document(format=codec.format.name, value=value, source=Source("jsonl" if rows else "json"), joined=rows)
