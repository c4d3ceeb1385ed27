"""What a format is to this room: one object that recognises, reads and writes a document. And what formats share.

A new format is one file that defines a `Codec`, and one line in `registry`; another package offers one as an entry
point of the group `foldproof.formats`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from pydantic import ValidationError

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, Unread

_Read = TypeVar("_Read")

_PLAIN = (str, int, type(None))

FIELDS = "foldproof"
"""Key under which a row we wrote carries the message fields that its format has no place for."""


Medium = Literal["json", "text", "zip"]
"""What a document is made of: JSON (or JSONL), plain text, or a ZIP archive of JSON members."""

Basis = Literal["real files", "fixtures", "the library's source"]
"""What the statements about a format were checked against, at best."""


@dataclass(frozen=True, slots=True)
class Format:
    """A saved format.

    Attributes:
        name: what `--format` takes.
        description: what it is, on one line.
        can_read, can_write: whether it can be read, and whether another window can be written into it.
        one_row_a_line: a list of rows that never was text is written as JSONL, and not as a JSON array.
        shape: what a document of it looks like, for the error that something else was given.
        medium: what its documents are made of, or each of what they may be made of. What `recognise` and `read` are
            given: parsed JSON; the text; for a ZIP archive an object of its JSON members by name.
        basis: what the statements about it were checked against.
        compaction: how the format itself says that history was compacted, on one line; "" where it has no way.
    """

    name: str
    description: str
    can_read: bool = True
    can_write: bool = True
    one_row_a_line: bool = False
    shape: str = ""
    medium: Medium | tuple[Medium, ...] = "json"
    basis: Basis = "real files"
    compaction: str = ""

    @property
    def media(self) -> tuple[Medium, ...]:
        """What its documents may be made of."""
        return (self.medium,) if isinstance(self.medium, str) else self.medium


class Codec(Protocol):
    """A format. Paths in the errors it raises start at `$`, the document."""

    @property
    def format(self) -> Format:
        """What it is."""

    def recognise(self, value: Json) -> str | None:
        """Return why a value is one document of this format, or None.

        An array counts only where its items (or the lines of a JSONL file) together make one document.
        """

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversations of a document, the main one first.

        Raises:
            TranscriptError: it cannot be read, and where.
        """

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with other windows, sharing every value that did not change.

        Raises:
            TranscriptError: the format has no way to say this.
        """


def message_from(fields: Mapping[str, Any], path: str) -> Message:
    """Return a message made of fields named as in its JSON.

    Raises:
        TranscriptError: naming the field that is wrong, below `path`.
    """
    role = fields.get("role")
    if role not in ("system", "user", "assistant", "tool"):
        raise TranscriptError(
            f"unknown role {shown(role)}; expected system, user, assistant or tool", path=f"{path}.role"
        )
    try:
        return Message.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise TranscriptError(f"{first['msg']}; found {shown(first['input'])}", path=path + place) from error


def message_of_foreign_row(fields: Mapping[str, Any], own: Container[str], path: str) -> Message:
    """Return a message of a row in which only the `own` fields have to be what we take them for.

    Whoever exported the row may mean something else by any other name. An integer id is read as text; another value of
    the wrong type is left out of the message, and stays in the row.

    Raises:
        TranscriptError: one of its own fields is wrong, and where.
    """
    known = dict(fields)
    if id_text(known.get("id")) is not None:
        known["id"] = id_text(known["id"])
    try:
        return Message.model_validate(known)
    except ValidationError as error:
        wrong = {problem["loc"][0] for problem in error.errors(include_url=False)}
        names = [(name, str(field.alias)) for name, field in Message.model_fields.items()]  # both are read
        foreign = {name for pair in names if not wrong.isdisjoint(pair) for name in pair if name not in own}
        return message_from(without(known, foreign), path)


def id_text(value: Json) -> str | None:
    """Return an id as text: a database exports integers. None for what is no id."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def fields_of(message: Message) -> dict[str, Any]:
    """Return every field of a message that was set, as its JSON names them."""
    fields: dict[str, Any] = _as_read(message.model_dump(by_alias=True))
    return fields


def _as_read(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a dumped value with lists where JSON that was read has lists."""
    if isinstance(value, dict):
        return {key: _as_read(inner) for key, inner in value.items()}
    return [_as_read(inner) for inner in value] if isinstance(value, list | tuple) else value


def each_message(
    value: Json, path: str, read: Callable[[dict[str, Any], str], Iterable[_Read]], damage: list[Damage]
) -> Iterator[tuple[int, _Read]]:
    """Yield what the messages of an array are read as, with the index of each; one that cannot be read is damage.

    Args:
        value: the array, which it has to be.
        path: its place.
        read: reads one message at a path.
        damage: takes what could not be read.

    Raises:
        TranscriptError: it is no array, or nothing of it could be read.
    """
    if not isinstance(value, list):
        raise TranscriptError(f"expected an array of messages; found {shown(value)}", path=path)
    ahead, nothing = len(damage), True
    for index, item in enumerate(value):
        if isinstance(item, Unread):  # which its file said already
            continue
        place = f"{path}[{index}]"
        try:
            if not isinstance(item, dict):
                raise TranscriptError(f"expected a message object; found {shown(item)}", path=place)  # noqa: TRY301
            for one in read(item, place):
                nothing = False
                yield index, one
        except TranscriptError as error:
            found = damage_of(error)
            damage += [found] if found not in damage[ahead:] else []  # an array inside said so already
    if nothing and len(damage) > ahead:
        raise TranscriptError(damage[ahead].cause, path=damage[ahead].path)


def parts_from(content: Json, path: str) -> str | list[dict[str, Any]]:
    """Return provider content as message content: a string, or a list of parts; nothing is an empty string.

    Raises:
        TranscriptError: it is neither.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TranscriptError(f"expected text or a list of parts; found {shown(content)}", path=path)
    parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    for index, part in enumerate(parts):
        if not isinstance(part, dict):
            raise TranscriptError(f"expected a content part; found {shown(part)}", path=f"{path}[{index}]")
    return parts


def made_up_id(prefix: str, *said: object) -> str:
    """Return an id for what was recorded without one: the same for the same words, wherever they stand."""
    plain = all(type(one) in _PLAIN for one in said)  # repr is ten times faster, and a dict's depends on its order
    words = repr(said) if plain else json.dumps(said, sort_keys=True, default=str)
    return f"{prefix}-{hashlib.sha256(words.encode()).hexdigest()[:12]}"


def without(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the members of an object that have other names than these."""
    left_out = names if isinstance(names, tuple) else frozenset(names)  # of a few names, and no set is made for a row
    return {name: value for name, value in fields.items() if name not in left_out}
