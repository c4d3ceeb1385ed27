"""Forgetting a message: it, and everything that was made of it, goes from spans, frames, windows, records and search.

A span without the message has another address, so a frame that leads to it is another frame, so the span that holds
that frame has another address: they are made anew from the inside out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pydantic import JsonValue

from foldproof.archive.conversations import seal
from foldproof.archive.remaking import carries, remade, stand_in, without_values
from foldproof.archive.spans import Place, find, read_span
from foldproof.archive.stored import (
    damaged,
    delete_unused,
    index_for_search,
    is_hex,
    json_text,
    name_key,
    read_message,
    read_object,
    stands_for,
    store,
)
from foldproof.errors import UsageError, shown
from foldproof.messages import STAMP, Message, message_id
from foldproof.window import span_address
from foldproof.window.frames import is_appendix


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was removed when a message was forgotten; all zero where the archive did not know it.

    Attributes:
        messages: how many messages of this id there were, written differently.
        spans: how many spans are without it now.
        frames: how many frames were made anew, because they stood for it, through any depth.
        forms: how many forms left the lineage of frames, because nothing else supplied them.
        search_rows: how many messages a search does not find any more.
        windows: in how many places of stored windows something else stands now.
        erased: whether its bytes are gone from the files too. False where another process was reading, or the disk had
            no room: they are in the log until it is emptied, by forgetting again or once nobody has the file open.
    """

    messages: int = 0
    spans: int = 0
    frames: int = 0
    forms: int = 0
    search_rows: int = 0
    windows: int = 0
    erased: bool = False


@dataclass
class Forgetting:
    """One message while it is forgotten, in one transaction.

    Attributes:
        connection: where it is.
        ids: what it is called: the id it was asked for by, and those of its rows.
        gone: the rows of the message.
        beside: the rows of appendices that quote it.
        made: for the row of a frame, what stands for it now, or None where nothing does.
    """

    connection: sqlite3.Connection
    ids: set[str]
    gone: dict[int, Message] = field(default_factory=dict)
    beside: set[int] = field(default_factory=set)
    made: dict[int, Message] = field(default_factory=dict)
    spans: int = 0
    forms: set[str] = field(default_factory=set)
    windows: int = 0
    _changed: set[int] = field(default_factory=set)
    _fingerprints: dict[str, str] = field(default_factory=dict)
    _moved_to: set[str] = field(default_factory=set)

    def run(self) -> Forgotten:
        """Forget it, and say what went."""
        self.gone = dict(self._named())
        self._empty_carriers()
        holding, frames = self._touched()
        for span in self._inside_out(holding, frames):
            self._remake_span(span, frames[span])
        self._fingerprints = {self._message(row).fingerprint: frame.fingerprint for row, frame in self.made.items()}
        self._replace_in_windows()
        self._scrub_conversations()
        rows = [*self.gone, *self.beside, *self.made]
        found = sum(self.connection.execute("DELETE FROM said WHERE rowid = ?", (row,)).rowcount for row in rows)
        delete_unused(self.connection, rows)
        if found:
            # Without this the index keeps the words of deleted rows until it merges by itself.
            self.connection.execute("INSERT INTO said (said) VALUES ('optimize')")
        return Forgotten(
            messages=len(self.gone),
            spans=self.spans,
            frames=len(self.made),
            forms=len(self.forms),
            search_rows=found,
            windows=self.windows,
        )

    def _named(self) -> Iterable[tuple[int, Message]]:
        (asked,) = self.ids
        start = asked.removeprefix("sha256:")
        start, until = (start, f"{start}g") if is_hex(start) and len(start) >= len("0" * 16) else ("", "")
        rows = self.connection.execute(
            "SELECT id, json, fingerprint FROM message WHERE name = ? OR fingerprint >= ? AND fingerprint < ?",
            (name_key(asked), start, until),
        ).fetchall()
        for row, text, fingerprint in rows:
            message = read_message(text, fingerprint)
            if stands_for(message) is not None:
                raise UsageError(f"{shown(asked)} is a frame; forget the messages that it stands for (expand it)")
            self.ids |= {message_id(message), f"sha256:{fingerprint[:16]}"}
            yield int(row), message

    def _touched(self) -> tuple[dict[int, set[int]], dict[int, list[int]]]:
        """Return the spans that change, each with the rows in it that do, and the rows of the frames of each."""
        holding: dict[int, set[int]] = {}
        frames: dict[int, list[int]] = {}
        waiting = [*self.gone, *self.made]
        while waiting:
            row = waiting.pop()
            for span, address in self.connection.execute(
                "SELECT DISTINCT span.id, address FROM span_message JOIN span ON span.id = span WHERE message = ?",
                (row,),
            ).fetchall():
                new = span not in holding
                holding.setdefault(span, set()).add(row)
                if new:
                    frames[span] = self._frames_of(address)
                    waiting += frames[span]
                    beside = [found for frame in frames[span] for found in self._beside(frame)]
                    self.beside.update(beside)
                    waiting += beside
        return holding, frames

    def _frames_of(self, address: str) -> list[int]:
        found = self.connection.execute(
            "SELECT id FROM message WHERE stands_for IN (SELECT ?1 UNION SELECT substr(?1, 1, 16) "
            "UNION SELECT old FROM moved WHERE new = ?1 UNION SELECT substr(old, 1, 16) FROM moved WHERE new = ?1)",
            (address,),
        )
        return [int(row) for (row,) in found.fetchall()]

    def _beside(self, row: int) -> list[int]:
        """Return the rows of the appendices of a frame."""
        identifier = _stamp_of(self._message(row))
        if not isinstance(identifier, str):
            return []
        rows = self.connection.execute(
            "SELECT id, json, fingerprint FROM message WHERE instr(json, ?)", (json.dumps(identifier),)
        ).fetchall()
        found = ((int(each), read_message(text, fingerprint)) for each, text, fingerprint in rows)
        return [each for each, message in found if is_appendix(message) and _stamp_of(message) == identifier]

    def _inside_out(self, holding: dict[int, set[int]], frames: dict[int, list[int]]) -> list[int]:
        """Return the spans that change in an order in which each comes behind those that its frames lead to."""
        leads = {row: span for span, rows in frames.items() for row in rows}
        order = TopologicalSorter(
            {span: {leads[row] for row in rows if row in leads} for span, rows in holding.items()}
        )
        try:
            return list(order.static_order())
        except CycleError as error:
            raise damaged("a span that holds its own frame") from error

    def _remake_span(self, span: int, frames: list[int]) -> None:
        (address,) = self.connection.execute("SELECT address FROM span WHERE id = ?", (span,)).fetchone()
        before = read_span(self.connection, Place(span, address, 0))
        rows = self.connection.execute(
            "SELECT position, message FROM span_message WHERE span = ? ORDER BY position", (span,)
        ).fetchall()
        after, went = [], 0
        for (position, row), message in zip(rows, before, strict=True):
            if row in self.gone or row in self.beside:
                went += row in self.gone
                self.connection.execute("DELETE FROM span_message WHERE span = ? AND position = ?", (span, position))
                continue
            new = self.made.get(row, message)
            if new is not message:
                new_row = store(self.connection, new)
                index_for_search(self.connection, new_row, new)
                self.connection.execute(
                    "UPDATE span_message SET message = ? WHERE span = ? AND position = ?", (new_row, span, position)
                )
            after.append(new)
        self.spans += 1
        self._move(span, address, span_address(after), went)
        for row in frames:
            frame = self._message(row)
            self.made[row], forms = remade(frame, before, after, ids=self.ids, forgotten=went)
            self.forms |= forms

    def _move(self, span: int, old: str, new: str, went: int) -> None:
        if old == new:
            return
        self._moved_to.add(new)
        query = "SELECT coalesce(max(forgotten), 0) FROM moved WHERE new = ?"
        earlier = self.connection.execute(query, (old,)).fetchone()[0]
        self.connection.execute("UPDATE moved SET new = ?, forgotten = forgotten + ? WHERE new = ?", (new, went, old))
        self.connection.execute("INSERT OR REPLACE INTO moved VALUES (?, ?, ?)", (old, new, earlier + went))
        self.connection.execute("DELETE FROM moved WHERE old = ?", (new,))
        self.connection.execute("UPDATE folded SET address = ? WHERE address = ?", (new, old))
        if self.connection.execute("SELECT 1 FROM span WHERE address = ?", (new,)).fetchone() is None:
            self.connection.execute("UPDATE span SET address = ? WHERE id = ?", (new, span))
            return
        # What is left is a span that is here already.
        self.connection.execute("DELETE FROM span_message WHERE span = ?", (span,))
        self.connection.execute("DELETE FROM span WHERE id = ?", (span,))

    def _empty_carriers(self) -> None:
        """Take the values of the message out of frames that carry them, whether their originals are here or not."""
        for identifier in self.ids if self.gone else ():
            rows = self.connection.execute(
                "SELECT id, json, fingerprint FROM message WHERE instr(json, ?) AND instr(json, '\"carry\"')",
                (json.dumps(identifier, ensure_ascii=False),),
            ).fetchall()
            for row, text, fingerprint in rows:
                frame = read_message(text, fingerprint)
                if row not in self.gone and carries(frame, self.ids):
                    self.made[int(row)] = without_values(frame, self.ids)

    def _replace_in_windows(self) -> None:
        standing = {row: stand_in(message) for row, message in self.gone.items()} | self.made
        for row in [*standing, *self.beside]:
            places = self.connection.execute(
                "SELECT conversation, position FROM window WHERE message = ?", (row,)
            ).fetchall()
            new = store(self.connection, standing[row]) if places and row in standing else None
            for place in places:
                if new is None:
                    self.connection.execute("DELETE FROM window WHERE conversation = ? AND position = ?", place)
                else:
                    self.connection.execute(
                        "UPDATE window SET message = ? WHERE conversation = ? AND position = ?", (new, *place)
                    )
                self._changed.add(place[0])
            self.windows += len(places)

    def _scrub_conversations(self) -> None:
        """Join the spans on file to the frames as they are now, and take what was said out of what was filed."""
        touched = set(self._changed)
        for row, conversation, fingerprint, address, text in self.connection.execute(
            "SELECT id, conversation, fingerprint, address, json FROM folded"
        ).fetchall():
            new = self._fingerprints.get(fingerprint, fingerprint)
            filed = self._span_without(text, new, address)
            if filed != text:
                touched.add(conversation)
                self.connection.execute("UPDATE folded SET fingerprint = ?, json = ? WHERE id = ?", (new, filed, row))
        for conversation in touched:
            seal(self.connection, conversation)
            for row, text in self.connection.execute(
                "SELECT id, json FROM record WHERE conversation = ?", (conversation,)
            ).fetchall():
                record = read_object(text)
                _drop_words(record)
                self.connection.execute("UPDATE record SET json = ? WHERE id = ?", (json_text(record), row))
            self.connection.execute(
                "UPDATE conversation SET version = version + 1, settled = settled + 1 WHERE id = ?", (conversation,)
            )

    def _span_without(self, text: str, fingerprint: str, address: str | None) -> str:
        filed = read_object(text)
        if address in self._moved_to:
            left = [
                message_id(message)
                for place in find(self.connection, address)
                for message in read_span(self.connection, place)
            ]
        else:
            left = [each for each in filed["removed"] if each not in self.ids]
        filed |= {"removed": left, "messageCount": len(left), "fingerprint": fingerprint}
        if filed.get("address") is not None:
            filed["address"] = address
        if filed.get("kept") is not None:
            filed["kept"] = [value for value in filed["kept"] if value["messageId"] not in self.ids]
        return json_text(filed)

    def _message(self, row: int) -> Message:
        found = self.connection.execute("SELECT json, fingerprint FROM message WHERE id = ?", (row,)).fetchone()
        return read_message(*found)


def _stamp_of(message: Message) -> JsonValue:
    stamp = (message.metadata or {}).get(STAMP)
    return stamp.get("id") if isinstance(stamp, dict) else None


def _drop_words(record: dict[str, Any]) -> None:
    """Take values and quotes out of a record and out of those of its stages; what it counts stays."""
    for name in ("carried", "summaryCheck"):
        record.pop(name, None)
    for survived in (record.get("survival") or {}).values():
        survived.pop("lost", None)
    for refusal in record.get("refusals") or ():
        if refusal["reason"] == "summary-not-faithful":
            refusal.pop("detail", None)
    for stage in record.get("stages") or ():
        _drop_words(stage)
