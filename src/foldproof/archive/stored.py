"""A message as a row: written as JSON that gives the very same message back, and checked when it is read."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

from pydantic import JsonValue

from foldproof.archive.failures import ArchiveError
from foldproof.archive.searching import searchable
from foldproof.errors import TranscriptError, UsageError, described, shown
from foldproof.messages import FOLDED, Message, frame_kind, message_id
from foldproof.messages.base import FrozenModel

_HEX: Final = re.compile(r"[0-9a-f]{8,64}")


def json_text(value: object) -> str:
    """Return JSON text that SQLite can hold: escaped only where half of a surrogate pair makes UTF-8 impossible."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def encoded(message: Message) -> str:
    """Return the JSON of a message.

    Raises:
        TranscriptError: it holds something that JSON gives back as something else, or cannot hold.
    """
    try:
        text = json_text(message.model_dump(warnings=False))
        back = decoded(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"{message_id(message)} cannot be written as JSON: {described(error)}") from error
    if back.fingerprint != message.fingerprint:
        cause = f"{message_id(message)} is another message once it is written as JSON and read; give it plain JSON only"
        raise TranscriptError(cause)
    return text


def decoded(text: str) -> Message:
    """Return the message that a JSON text is."""
    return Message.model_validate(json.loads(text))


def read_message(text: str, fingerprint: str) -> Message:
    """Return a message as it was kept.

    Raises:
        ArchiveError: what was read is not what was kept.
    """
    try:
        message = decoded(text)
    except (TypeError, ValueError, RecursionError) as error:  # pydantic's is a ValueError
        raise damaged(fingerprint) from error
    if message.fingerprint != fingerprint:
        raise damaged(fingerprint)
    return message


_Model = TypeVar("_Model", bound=FrozenModel)


def read_model(model: type[_Model], text: str) -> _Model:
    """Return a record, a state or a span as it was written.

    Raises:
        ArchiveError: what was read is none.
    """
    try:
        return model.model_validate(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise damaged(f"a {model.__name__}") from error


def read_object(model: type[FrozenModel], text: str) -> dict[str, Any]:
    """Return a record or a span as JSON, for what is changed about it in place.

    Raises:
        ArchiveError: what was read is none.
    """
    read_model(model, text)
    read: dict[str, Any] = json.loads(text)
    return read


def damaged(what: str) -> ArchiveError:
    """Return the error for something that is not as it was kept."""
    return ArchiveError(f"is damaged: {what} does not read as it was kept; restore it from a copy")


def stands_for(message: Message) -> str | None:
    """Return the address that a frame leads to, or its first 16 digits; None for what is no frame of a kept span."""
    if message.metadata is None or frame_kind(message) is None:
        return None
    note = note_of(message)
    address = note.get("archived") or note.get("span")
    return address if isinstance(address, str) and is_hex(address) else None


def note_of(frame: Message) -> dict[str, JsonValue]:
    """Return what a frame notes about what it folded."""
    note = (frame.metadata or {}).get(FOLDED)
    return note if isinstance(note, dict) else {}


def forgotten_in(frame: Message) -> int:
    """Return how many messages were forgotten from what a frame stands for, as it says itself."""
    count = note_of(frame).get("forgotten")
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0


def is_hex(text: str) -> bool:
    """Whether a text is 8 to 64 hex digits, as an address or its beginning is."""
    return _HEX.fullmatch(text) is not None


def name_key(identifier: str) -> str:
    """Return an id as it stands in a row: whatever a host calls its messages can be looked up."""
    return json.dumps(identifier)


def read_name(key: str) -> str:
    """Return an id as a host wrote it.

    Raises:
        ArchiveError: what was read is none.
    """
    try:
        name = json.loads(key)
    except (ValueError, RecursionError) as error:
        raise damaged("a name") from error
    if not isinstance(name, str):
        raise damaged("a name")
    return name


def store(connection: sqlite3.Connection, message: Message) -> int:
    """Store a message where it is not stored yet, and return its row."""
    text = encoded(message)
    digest = hashlib.sha256(text.encode()).digest()
    known = connection.execute("SELECT id FROM message WHERE digest = ?", (digest,)).fetchone()
    if known is not None:
        return int(known[0])
    row = (digest, message.fingerprint, name_key(message_id(message)), stands_for(message), text)
    added = connection.execute(
        "INSERT INTO message (digest, fingerprint, name, stands_for, json) VALUES (?, ?, ?, ?, ?)", row
    )
    return int(added.lastrowid or 0)


def index_for_search(connection: sqlite3.Connection, row: int, message: Message) -> None:
    """Let a search find a message. A frame is found by the messages it stands for, where those are here."""
    indexed = connection.execute("SELECT 1 FROM said WHERE rowid = ?", (row,)).fetchone() is not None
    if not indexed and stands_for(message) is None:
        connection.execute("INSERT INTO said (rowid, text) VALUES (?, ?)", (row, searchable(message)))


def delete_unused(connection: sqlite3.Connection, rows: Iterable[int]) -> int:
    """Delete the messages among these that no window and no span holds any more; return how many."""
    deleted = 0
    for row in rows:
        deleted += connection.execute(
            "DELETE FROM message WHERE id = :id AND NOT EXISTS (SELECT 1 FROM window WHERE message = :id) "
            "AND NOT EXISTS (SELECT 1 FROM span_message WHERE message = :id)",
            {"id": row},
        ).rowcount
    return deleted


def read_rows(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Message]]:
    """Yield the row and the message of (id, json, fingerprint)."""
    for row, text, fingerprint in rows:
        yield int(row), read_message(text, fingerprint)


def check_messages(messages: Iterable[object], what: str) -> None:
    """Check that all of these are messages."""
    for index, message in enumerate(messages):
        if not isinstance(message, Message):
            raise UsageError(f"{what}[{index}] is {type(message).__name__}, not a Message")


def listed(messages: Iterable[Message], what: str) -> tuple[Message, ...]:
    """Return messages that were passed as a tuple, checked."""
    if not isinstance(messages, Iterable):
        raise UsageError(f"{what} is {shown(messages)}; pass messages, in order")
    given = tuple(messages)
    check_messages(given, what)
    return given
