"""Spans: kept under their address, and opened again through any depth of folding."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from foldproof.archive.failures import ArchiveError
from foldproof.archive.stored import (
    check_messages,
    damaged,
    forgotten_in,
    index_for_search,
    is_hex,
    name_key,
    read_message,
    read_rows,
    stands_for,
    store,
)
from foldproof.errors import UsageError, shown
from foldproof.messages import STAMP, Message, archived_at, folded_messages, frame_kind
from foldproof.window import span_address
from foldproof.window.frames import is_appendix

MOST_MESSAGES: Final = 1_000_000
_SHOWN_ADDRESSES: Final = 3


class Originals(tuple[Message, ...]):  # noqa: SLOT001 - a tuple with slots cannot have an attribute
    """What a frame stands for: a tuple of messages, and how many more there were.

    Attributes:
        forgotten: how many were forgotten.
        missing: how many stand behind frames among these that say they were archived, and are not in this archive.
    """

    forgotten: int
    missing: int

    def __new__(cls, messages: Sequence[Message] = (), *, forgotten: int = 0, missing: int = 0) -> Self:
        """Make it of messages, in order."""
        made = super().__new__(cls, messages)
        made.forgotten, made.missing = forgotten, missing
        return made


@dataclass(frozen=True, slots=True)
class Place:
    """A span that is here: its row, its address, and how many of its messages were forgotten."""

    row: int
    address: str
    forgotten: int


def check_spans(spans: object) -> None:
    """Check what is to be kept.

    Raises:
        UsageError: it is no mapping from addresses to messages, or an address is not that of its span.
    """
    if not isinstance(spans, Mapping):
        raise UsageError(f"spans is {shown(spans)}; pass a mapping from span_address(span) to the span")
    for address, span in spans.items():
        if not isinstance(span, Sequence) or isinstance(span, str):
            raise UsageError(f"the span {shown(address)} is {shown(span)}; pass a list or a tuple of messages")
        check_messages(span, f"span {shown(address)}")
        if span_address(span) != address:
            raise UsageError(f"a span is to be kept under {shown(address)}, and its address is {span_address(span)}")


def keep(connection: sqlite3.Connection, spans: Mapping[str, Sequence[Message]]) -> None:
    """Keep each span under its address; one that is known already is left as it is."""
    for address, span in spans.items():
        added = connection.execute("INSERT OR IGNORE INTO span (address) VALUES (?)", (address,))
        if not added.rowcount:
            continue
        # Whoever keeps a span again that was forgotten has it still, and wants it kept.
        connection.execute("DELETE FROM moved WHERE old = ?", (address,))
        for position, message in enumerate(span):
            row = store(connection, message)
            index_for_search(connection, row, message)
            connection.execute("INSERT INTO span_message VALUES (?, ?, ?)", (added.lastrowid, position, row))


def read_span(connection: sqlite3.Connection, place: Place) -> list[Message]:
    """Return the messages of a span, in order.

    Raises:
        ArchiveError: they are not the messages that were kept under this address.
    """
    rows = connection.execute(
        "SELECT message.id, json, fingerprint FROM span_message JOIN message ON message.id = span_message.message "
        "WHERE span = ? ORDER BY position",
        (place.row,),
    )
    messages = [message for _, message in read_rows(rows)]
    if span_address(messages) != place.address:
        raise damaged(f"the span {place.address}")
    return messages


def message_in(connection: sqlite3.Connection, row: int, span: int) -> tuple[Message, str, int]:
    """Return the message of a row, the address of a span that holds it, and where it stands there first."""
    found = connection.execute(
        "SELECT json, fingerprint, address, (SELECT count(*) FROM span_message AS ahead "
        "WHERE ahead.span = here.span AND ahead.position < here.position) FROM span_message AS here "
        "JOIN span ON span.id = here.span JOIN message ON message.id = here.message "
        "WHERE here.span = ? AND here.message = ? ORDER BY here.position",
        (span, row),
    ).fetchone()
    if found is None:
        raise damaged(f"the message {row}")
    return read_message(found[0], found[1]), found[2], found[3]


def find(connection: sqlite3.Connection, address: str) -> list[Place]:
    """Return the spans whose address, now or before something in it was forgotten, begins like this; at most three."""
    until = f"{address}g"
    found = connection.execute(
        "SELECT address FROM span WHERE address >= :from AND address < :until UNION "
        "SELECT old FROM moved WHERE old >= :from AND old < :until ORDER BY 1 LIMIT :most",
        {"from": address, "until": until, "most": _SHOWN_ADDRESSES},
    )
    return [place for (full,) in found.fetchall() if (place := _place(connection, full)) is not None]


def _place(connection: sqlite3.Connection, address: str) -> Place | None:
    query = "SELECT coalesce(max(forgotten), 0) AS forgotten FROM moved WHERE new = ?"
    forgotten, seen = int(connection.execute(query, (address,)).fetchone()[0]), {address}
    while True:
        row = connection.execute("SELECT id FROM span WHERE address = ?", (address,)).fetchone()
        if row is not None:
            return Place(int(row[0]), address, forgotten)
        moved = connection.execute("SELECT new, forgotten FROM moved WHERE old = ?", (address,)).fetchone()
        if moved is None or moved[0] in seen:
            return None
        address, forgotten = str(moved[0]), int(moved[1])
        seen.add(address)


def place_of(connection: sqlite3.Connection, frame: Message | str) -> Place:
    """Return the span that a frame, an address, its beginning, or the id or fingerprint of a frame leads to.

    Raises:
        UsageError: it is none of these, or the beginning of several addresses.
        ArchiveError: what it leads to is not here.
    """
    if isinstance(frame, Message):
        return _place_of_frame(connection, frame)
    if not isinstance(frame, str):
        raise UsageError(f"frame is {shown(frame)}; pass a frame, an address, or the id of a frame")
    keys = [frame] if is_hex(frame) else []
    keys += _addresses_of(connection, frame)
    for key in keys:
        found = {place.row: place for place in find(connection, key)}
        if len(found) > 1:
            several = ", ".join(place.address for place in found.values())
            raise UsageError(f"{frame} begins several addresses ({several}); write more of it")
        if found:
            return next(iter(found.values()))
    raise UsageError(f"{shown(frame)} leads to nothing in this archive; {_what_is_known(connection)}")


def known_place(connection: sqlite3.Connection, frame: Message) -> Place | None:
    """Return the span that a frame leads to, or None where it is no frame, or its span is not here."""
    key = stands_for(frame)
    found = [] if key is None else find(connection, key)
    if key is None or len(found) != 1:
        return None
    if not found[0].address.startswith(key):  # the frame is older than what was forgotten
        return found[0]
    return replace(found[0], forgotten=forgotten_in(frame))


def _place_of_frame(connection: sqlite3.Connection, frame: Message) -> Place:
    known = known_place(connection, frame)
    if known is not None:
        return known
    for (address,) in connection.execute(
        "SELECT address FROM folded WHERE fingerprint = ? AND address IS NOT NULL", (frame.fingerprint,)
    ).fetchall():
        found = find(connection, address)
        if found:
            return found[0]
    if stands_for(frame) is None:
        raise UsageError(f"{shown(frame.text)} is no frame of a span that was kept; pass a frame or an address")
    raise ArchiveError(f"the span {stands_for(frame)} is not in this archive; {_what_is_known(connection)}")


def _addresses_of(connection: sqlite3.Connection, name: str) -> Iterator[str]:
    """Yield where the frames of this id or fingerprint lead, as far as the archive has seen them."""
    start = name.removeprefix("sha256:")
    start, until = (start, f"{start}g") if is_hex(start) else ("", "")
    found = connection.execute(
        "SELECT stands_for FROM message WHERE stands_for IS NOT NULL "
        "AND (name = :name OR fingerprint >= :from AND fingerprint < :until) "
        "UNION SELECT address FROM folded WHERE address IS NOT NULL AND fingerprint >= :from AND fingerprint < :until",
        {"name": name_key(name), "from": start, "until": until},
    )
    yield from (address for (address,) in found.fetchall())


def _what_is_known(connection: sqlite3.Connection) -> str:
    count = connection.execute("SELECT count(*) FROM span").fetchone()[0]
    latest = connection.execute("SELECT address FROM span ORDER BY id DESC LIMIT ?", (_SHOWN_ADDRESSES,)).fetchall()
    if not latest:
        return "it holds no spans yet"
    names = ", ".join(address[:16] for (address,) in latest)
    return f"it holds {count} span{'' if count == 1 else 's'}, the latest {names}"


def opened(connection: sqlite3.Connection, place: Place, *, depth: int | None) -> Originals:
    """Return the messages of a span, with the frames among them opened too, `depth` folds deep."""
    found = _opened(connection, read_span(connection, place), depth, keep_frames=False)
    return Originals(found, forgotten=found.forgotten + place.forgotten, missing=found.missing)


def unfolded(connection: sqlite3.Connection, messages: Sequence[Message]) -> list[Message]:
    """Return messages with every frame that can be opened preceded by what it stands for, through any depth."""
    return list(_opened(connection, messages, None, keep_frames=True))


def _opened(
    connection: sqlite3.Connection, messages: Sequence[Message], depth: int | None, *, keep_frames: bool
) -> Originals:
    # Without recursion: a long life nests as deep as it has folds.
    waiting: list[tuple[Message, int]] = [(message, 0 if keep_frames else 1) for message in reversed(messages)]
    done: list[Message] = []
    forgotten = missing = 0
    while waiting:
        message, level = waiting.pop()
        deep_enough = level < 0 or (depth is not None and level >= depth)
        place = None if deep_enough else known_place(connection, message)
        if place is None:
            done.append(message)
            missing += 0 if deep_enough or not _says_archived(message) else folded_messages(message)
            continue
        forgotten += place.forgotten
        if keep_frames:
            waiting.append((message, -1))
        elif waiting and _is_beside(waiting[-1][0], message):
            waiting.pop()  # it quotes what is about to be opened
        waiting += [(inner, level + 1) for inner in reversed(read_span(connection, place))]
        if len(waiting) + len(done) > MOST_MESSAGES:
            raise ArchiveError(f"more than {MOST_MESSAGES:,} messages stand behind this; open fewer folds (depth=1)")
    return Originals(done, forgotten=forgotten, missing=missing)


def _says_archived(message: Message) -> bool:
    return frame_kind(message) is not None and archived_at(message) is not None


def _is_beside(message: Message, frame: Message) -> bool:
    """Whether a message is the appendix of a frame."""
    stamp = (frame.metadata or {}).get(STAMP)
    if not isinstance(stamp, dict) or not is_appendix(message):
        return False
    other = (message.metadata or {}).get(STAMP)
    return isinstance(other, dict) and other.get("id") == stamp.get("id")
