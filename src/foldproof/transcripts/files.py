"""Bytes in, documents out: encodings, JSON, JSONL, text or ZIP, and which rows or items make one document.

* UTF-8, with or without a byte order mark, or UTF-16 with one. What is written is UTF-8 without one.
* When the first line is a complete JSON value it is JSONL, one value a line; else the file is one JSON value, else a
  text that a format of texts knows. A ZIP archive is known by its first bytes.
* The lines of a file, or the items of an array, are one document where a format says that they belong together (the
  rows of a session, the messages of a chat); else each is a document of its own, and lines are read one at a time.
* A line that is no JSON (a session that is still written, a cut download) is reported, and the others are read.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

from foldproof.errors import TranscriptError
from foldproof.transcripts.codec import Codec
from foldproof.transcripts.damage import damage_of
from foldproof.transcripts.document import Document, Source
from foldproof.transcripts.json_text import Json, Unread, is_compact, parse_json
from foldproof.transcripts.registry import UnknownFormatError, codec_for
from foldproof.transcripts.zip_file import members_in

_SAMPLE = 50  # lines, of which one format has to recognise the first ones
_SAMPLE_CHARACTERS = 1_000_000
_LEAST_JSONL = 3  # one line in so many is an object, in a JSONL file whose first line is none
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZIP = b"PK\x03\x04"


class Line(NamedTuple):
    """A line of a file: its number from 1, its text with the blank lines around it, its JSON, and why it is none."""

    number: int
    text: str
    value: Json
    error: TranscriptError | None = None


class Broken(NamedTuple):
    """A line, among lines that are documents of their own, that is no JSON."""

    text: str
    error: TranscriptError


def documents_of(stream: BinaryIO, name: str, format_name: str | None) -> Iterator[Document | Broken]:
    """Yield the documents of a file, reading no further than needed, and the lines between them that are broken.

    Raises:
        TranscriptError: the file is empty, binary, no JSON, or of no known format; `file` and `path` say where.
        UsageError: `format_name` names no format.
    """
    head = stream.read(len(_ZIP))
    if head == _ZIP:
        yield _zipped(head + stream.read(), name, format_name)
        return
    if head.startswith(_UTF16):
        text = _decoded(head + stream.read(), "utf-16", name, 1)
        stream, head = io.BytesIO(text.encode("utf-8", "surrogatepass")), b""
    head = head.removeprefix(codecs.BOM_UTF8)
    if not head.endswith(b"\n"):
        head += stream.readline()
    opening = io.BytesIO(head)  # the first bytes may hold line ends of their own
    lines = enumerate(chain(opening, stream), start=1)
    blank = ""
    for first in lines:
        if first[1].strip():
            break
        blank += first[1].decode("ascii")
    else:
        raise UnknownFormatError("the file is empty; expected a transcript as JSON or JSONL", file=name)
    number, raw = first
    line = _parsed(number, raw, name, blank)
    if line.error is None or "not JSON" not in line.error.cause:  # complete, if too deep or no text
        yield from _from_lines(_parsed_all(lines, name, line), name, format_name)
    else:
        rest = opening.read() + stream.read()  # at once: line by line takes longer than parsing it
        yield from _from_text(line.text + _decoded(rest, "utf-8", name, number + 1), name, format_name)


def _decoded(raw: bytes, encoding: str, name: str, number: int) -> str:
    """Return bytes that begin with the line of this number as text."""
    if encoding == "utf-8" and b"\0" in raw:
        place = number + raw.count(b"\n", 0, raw.index(b"\0"))
        raise TranscriptError("a binary file; expected JSON or JSONL text", file=name, path=f"line {place}")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        start = raw.rfind(b"\n", 0, error.start) + 1
        wrong = f"{error.reason} at byte {error.start - start}"
        cause = f"not {encoding.upper()} text ({wrong}); expected JSON or JSONL in UTF-8"
        place = number + raw.count(b"\n", 0, start)
        raise TranscriptError(cause, file=name, path=f"line {place}") from error


def _parsed(number: int, raw: bytes, name: str, blank: str = "") -> Line:
    """Return a line. Bytes that are no text stand in it as lone surrogates, and are written back as they were."""
    try:
        text = _decoded(raw, "utf-8", name, number)
        return Line(number, blank + text, parse_json(text.rstrip()))  # so that an error is on this line
    except TranscriptError as error:
        text = raw.decode("utf-8", "surrogateescape")
        placed = TranscriptError(error.cause, path=f"line {number}", file=name)
        return Line(number, blank + text, Unread(text.strip()), placed)


def _parsed_all(lines: Iterable[tuple[int, bytes]], name: str, held: Line | None = None) -> Iterator[Line]:
    """Yield the lines that are not blank. Blank ones stay with the line ahead of them, or at the top with the first.

    Only a line feed ends a line: JSON may hold any other line separator inside a string.
    """
    blank = ""
    for number, raw in lines:
        if not raw.strip():
            blank += raw.decode("ascii")
            continue
        if held is not None:
            yield held._replace(text=held.text + blank) if blank else held
            blank = ""
        held, blank = _parsed(number, raw, name, blank), ""
    if held is not None:
        yield held._replace(text=held.text + blank) if blank else held


def _zipped(packed: bytes, name: str, format_name: str | None) -> Document:
    try:
        value = members_in(packed)
        codec, _ = codec_for(value, format_name, medium="zip")
    except TranscriptError as error:
        raise error.in_file(name) from error
    return Document(format=codec.format.name, value=value, source=Source("zip", value, packed=packed), name=name)


def _from_text(text: str, name: str, format_name: str | None) -> Iterator[Document | Broken]:
    """Yield the documents of a file whose first line is no JSON."""
    try:
        value = parse_json(text)
    except TranscriptError as error:
        document = _plain(text, name, format_name)
        rows = io.BytesIO(text.encode("utf-8", "surrogateescape"))
        lines = [] if document else list(_parsed_all(enumerate(rows, start=1), name))
        if document is not None:
            yield document
        elif _LEAST_JSONL * sum(isinstance(line.value, dict) for line in lines) >= len(lines):  # its start is broken
            yield from _from_lines(iter(lines), name, format_name)
        else:
            raise _not_json(error, text).in_file(name) from error
    else:
        yield from _from_value(value, text, name, format_name)


def _not_json(error: TranscriptError, text: str) -> TranscriptError:
    """Return why a text is no JSON: one that does not even begin like JSON is no transcript that anybody cut short."""
    return error if text.lstrip()[:1] in ("{", "[", '"') else UnknownFormatError(error.cause)


def _plain(text: str, name: str, format_name: str | None) -> Document | None:
    try:
        codec, _ = codec_for(text, format_name, medium="text")
    except TranscriptError:  # that it is no JSON is the better error
        return None
    return Document(format=codec.format.name, value=text, source=Source("text", text, text), verbatim=text, name=name)


def _from_value(value: Json, text: str, name: str, format_name: str | None) -> Iterator[Document]:
    try:
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
    source = Source("items", value, text)
    for index, item in enumerate(value):
        yield Document(format=codec.format.name, value=item, source=source, name=name, place=f"$[{index}]")


def _from_lines(lines: Iterator[Line], name: str, format_name: str | None) -> Iterator[Document | Broken]:
    head = list(_sample(lines))
    if len(head) == 1 and isinstance(head[0].value, list):  # a whole array on one line is no JSONL
        yield from _from_value(head[0].value, head[0].text, name, format_name)
        return
    try:
        codec, is_one = _codec_for(head, lines, format_name)
    except TranscriptError as error:
        raise error.in_file(name) from error
    source = Source("jsonl")
    if is_one:
        yield _joined([*head, *lines], source, codec, name)
        return
    for line in chain(head, lines):
        yield Broken(line.text, line.error) if line.error else _single(line, source, codec, name)


def _sample(lines: Iterator[Line]) -> Iterator[Line]:
    characters = 0
    for line in islice(lines, _SAMPLE):
        yield line
        characters += len(line.text)
        if characters > _SAMPLE_CHARACTERS:
            return


def _codec_for(head: list[Line], rest: Iterator[Line], format_name: str | None) -> tuple[Codec, bool]:
    """Return what `codec_for` says of the first lines; what was named is looked for in all of them."""
    for more in (_SAMPLE,) if format_name is None else (_SAMPLE, None):
        try:
            return _of_lines(head, format_name)
        except TranscriptError:
            head += islice(rest, more)
    return _of_lines(head, format_name)


def _of_lines(lines: list[Line], format_name: str | None) -> tuple[Codec, bool]:
    values = [line.value for line in lines if line.error is None]
    if not values and lines and lines[0].error:
        raise lines[0].error
    return codec_for(values, format_name)


def _single(line: Line, source: Source, codec: Codec, name: str) -> Document:
    text = line.text.strip()
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


def _joined(lines: list[Line], source: Source, codec: Codec, name: str) -> Document:
    return Document(
        format=codec.format.name,
        value=[line.value for line in lines],
        source=source,
        texts={id(line.value): line.text.strip() for line in lines if isinstance(line.value, dict | list | Unread)},
        verbatim="".join(line.text for line in lines),
        joined=True,
        compact=is_compact(lines[-1].text),
        name=name,
        lines=tuple(line.number for line in lines),
        damage=tuple(damage_of(line.error, outside=line is lines[-1]) for line in lines if line.error),
    )


def document_in_memory(value: Json, codec: Codec) -> Document:
    """Return a document for JSON that never was text."""
    rows = isinstance(value, list) and codec.format.one_row_a_line
    return Document(format=codec.format.name, value=value, source=Source("jsonl" if rows else "json"), joined=rows)
