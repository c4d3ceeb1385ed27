"""A document: one JSON value that a format reads, with the exact text it came from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from foldproof.errors import TranscriptError
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json

Layout = Literal["json", "jsonl", "items", "text", "zip"]
"""How documents lie in a file: one JSON value, values one a line, the items of one JSON array, one text, one ZIP."""


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """The file that documents came from.

    Attributes:
        layout: how the documents lie in it.
        value: the whole array, where its items are the documents.
        text: its text, where the file is one JSON value or a text.
        packed: its bytes, where it is a ZIP archive.
    """

    layout: Layout
    value: Json = None
    text: str | None = None
    packed: bytes | None = None

    @property
    def medium(self) -> Literal["json", "text", "zip"]:
        """What the file is made of."""
        return self.layout if self.layout == "text" or self.layout == "zip" else "json"  # noqa: PLR1714 - narrows


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Document:
    """One JSON value that a format reads.

    Attributes:
        format: name of the format.
        value: the parsed JSON; an array of rows where the rows of a JSONL file make one document.
        source: the file it stands in, shared with the file's other documents.
        texts: the source text of `value`, or of each of its rows, by `id()`.
        verbatim: the text to write when nothing changed, line ends included; None for JSON that never was text.
        joined: `value` is an array whose items are the lines of a JSONL file.
        compact: the source writes JSON without spaces.
        name: the file's name, for errors.
        lines: line numbers (from 1) of the rows of a JSONL document.
        place: where it stands in the file, in front of a path (`line 3: $`, `$[3]`).
        before, after: lines of the file around it that could not be read; they are written back as they were.
        damage: what those lines are.
        certain: a program said which format it is, so that nobody asks whether it looks like it.
    """

    format: str
    value: Json
    source: Source
    texts: Mapping[int, str] = field(default_factory=dict)
    verbatim: str | None = None
    joined: bool = False
    compact: bool = False
    name: str | None = None
    lines: tuple[int, ...] = ()
    place: str = "$"
    before: str = ""
    after: str = ""
    damage: tuple[Damage, ...] = ()
    certain: bool = False


def located(error: TranscriptError, document: Document) -> TranscriptError:
    """Return an error of a document with the file and the place of the document in it.

    In a session of one row a line, `$[16].message` is line 17 and `$.message` inside it.
    """
    return TranscriptError(error.cause, path=_place(error.path or "$", document), file=error.file or document.name)


def damage_in(damage: Damage, document: Document) -> Damage:
    """Return damage of a document with the place of the document in its file."""
    return damage._replace(path=_place(damage.path, document))


def _place(path: str, document: Document) -> str:
    row = re.match(r"\$\[(\d+)\]", path)
    if document.joined and row and int(row[1]) < len(document.lines):
        return f"line {document.lines[int(row[1])]}: $" + path[row.end() :]
    return document.place + path.removeprefix("$")
