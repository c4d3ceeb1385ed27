"""Forgetting a message: it, and everything that was made of it, goes from spans, frames, windows, records and search.

A span without the message has another address, so a frame that leads to it is another frame, so the span that holds
that frame has another address: they are made anew from the inside out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from foldproof.archive.conversations import seal
from foldproof.archive.reaching import Reach, is_frame, named
from foldproof.archive.remaking import blinded, carries, remade, stand_in
from foldproof.archive.spans import Place, find, read_span
from foldproof.archive.stored import (
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
from foldproof.evidence import exempt_forms
from foldproof.messages import Message, folded_observations, message_id
from foldproof.window import FoldedSpan, WindowRecord, span_address

_FORGOTTEN: Final = "(forgotten)"
_NOT_FOUND_ANY_MORE: Final = (
    "DELETE FROM said WHERE rowid = ? AND NOT EXISTS (SELECT 1 FROM span_message WHERE message = ?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was removed when a message was forgotten; all zero where the archive did not know it.

    Attributes:
        messages: how many messages of this id there were, written differently. 0 too where only values of it were kept.
        spans: how many spans are without it now, those that hold nothing but values or ids among them.
        frames: how many frames were made anew, because they stood for it, through any depth.
        forms: how many forms left the lineage of frames, because nothing else supplied them; all that a frame had where
            it took the message without keeping it, since nobody knows then who supplied which.
        search_rows: how many messages a search does not find any more.
        windows: in how many places of stored windows something else stands now.
        erased: whether its bytes are gone from the files too: these were written anew and the log is empty. False where
            another process was reading, or there was no room; forgetting again finishes it.
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
        asked: the id it was asked for by.
        within: the row of the conversation in which to forget it; None is everywhere.
        gone: the rows of the message.
        made: for the row of a frame, what stands for it now.
    """

    connection: sqlite3.Connection
    asked: str
    within: int | None = None
    gone: dict[int, Message] = field(default_factory=dict)
    made: dict[int, Message] = field(default_factory=dict)
    spans: int = 0
    forms: set[str] = field(default_factory=set)
    windows: int = 0
    reach: Reach = field(init=False)
    _ids: set[str] = field(init=False)
    _changed: set[int] = field(default_factory=set)
    _renamed: dict[str, str] = field(default_factory=dict)
    _moved_to: set[str] = field(default_factory=set)

    def run(self) -> Forgotten:
        """Forget it, and say what went.

        Raises:
            UsageError: it is the id of a frame; or a host's id, and several conversations have it.
        """
        self._ids = {self.asked}
        self.reach = Reach(self.connection, self._ids, within=self.within)
        self.gone = dict(self._named())
        # What was kept of it is looked up by the ids of the frames over it too: a value in the head of a cleared
        # result is filed under the id of that.
        self.reach.names = set(self._ids)
        self.reach.walk(self.gone, asked=self.asked)
        self._check_whose()
        self._blind_frames()
        for span in self.reach.inside_out():
            self._remake_span(span, self.reach.frames[span])
        for row, frame in self.made.items():
            before = self.reach.message(row)
            self._renamed |= {before.fingerprint: frame.fingerprint, message_id(before): message_id(frame)}
        self._replace_in_windows()
        self._scrub_conversations()
        rows = [*self.gone, *self.reach.beside, *self.made]
        found = sum(self.connection.execute(_NOT_FOUND_ANY_MORE, (row, row)).rowcount for row in rows)
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

    def _named(self) -> Iterator[tuple[int, Message]]:
        start = self.asked.removeprefix("sha256:")
        start, until = (start, f"{start}g") if is_hex(start) and len(start) >= len("0" * 16) else ("", "")
        if start:
            self._ids.add(f"sha256:{start[:16]}")
        rows = self.connection.execute(
            "SELECT id, json, fingerprint FROM message WHERE name = ? OR fingerprint >= ? AND fingerprint < ?",
            (name_key(self.asked), start, until),
        ).fetchall()
        for row, text, fingerprint in rows:
            message = read_message(text, fingerprint)
            if stands_for(message) is not None:
                raise is_frame(self.asked)
            if self.within is None or self.within in self.reach.holders(row):
                self._ids |= {message_id(message), f"sha256:{fingerprint[:16]}"}
                yield int(row), message

    @property
    def _by_content(self) -> bool:
        """Whether it was asked for by what it says, and not by what a host calls it."""
        return is_hex(self.asked.removeprefix("sha256:"))

    def _check_whose(self) -> None:
        conversations = self.reach.conversations
        if self.within is None and len(conversations) > 1 and not self._by_content:
            cause = f"several conversations have a message {shown(self.asked)}: {named(self.connection, conversations)}"
            raise UsageError(f"{cause}; say in which one to forget it (conversation=...), or name its fingerprint")

    def _blind_frames(self) -> None:
        """Take it out of frames that are not made from a span: those that took it unkept, or carry values of it."""
        for row, text, fingerprint in self.connection.execute(
            "SELECT id, json, fingerprint FROM message WHERE instr(json, '\"carry\"')"
        ).fetchall():
            frame = read_message(text, fingerprint)
            if row not in self.gone and carries(frame, self.reach.names) and self._is_here(row):
                self._blind(int(row), frame, frozenset())
        for row, of_tools in self.reach.blind.items():
            if row not in self.reach.beside:
                frame = self.reach.message(row)
                self._blind(row, frame, self._supplied(frame, of_tools=of_tools))

    def _is_here(self, row: int) -> bool:
        return self.within is None or self.within in self.reach.holders(row)

    def _blind(self, row: int, frame: Message, supplied: frozenset[str] | None) -> None:
        self.made[row], forms = blinded(frame, self.reach.names, supplied)
        self.forms |= forms

    def _supplied(self, frame: Message, *, of_tools: bool) -> frozenset[str] | None:
        """Return the forms that it had supplied to a frame; None where that is not known."""
        if of_tools or not self._ids.isdisjoint(folded_observations(frame) or ()):
            return frozenset()
        return exempt_forms(tuple(self.gone.values())) if self.gone and self._by_content else None

    def _remake_span(self, span: int, frames: list[int]) -> None:
        (address,) = self.connection.execute("SELECT address FROM span WHERE id = ?", (span,)).fetchone()
        before = read_span(self.connection, Place(span, address, 0))
        rows = self.connection.execute(
            "SELECT position, message FROM span_message WHERE span = ? ORDER BY position", (span,)
        ).fetchall()
        after, went = [], 0
        for (position, row), message in zip(rows, before, strict=True):
            if row in self.gone or row in self.reach.beside:
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
            frame = self.reach.message(row)
            self.made[row], forms = remade(frame, before, after, ids=self.reach.names, forgotten=went)
            self.forms |= forms

    def _move(self, span: int, old: str, new: str, went: int) -> None:
        if old == new:
            return
        self._moved_to.add(new)
        query = "SELECT coalesce(max(forgotten), 0) AS forgotten FROM moved WHERE new = ?"
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

    def _replace_in_windows(self) -> None:
        standing = {row: stand_in(message) for row, message in self.gone.items()} | self.made
        for row in [*standing, *self.reach.beside]:
            places = self.connection.execute(
                "SELECT conversation, position FROM window WHERE message = ? "
                "AND conversation = coalesce(?, conversation)",
                (row, self.within),
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
        touched = self._changed | self.reach.conversations
        for row, conversation, fingerprint, address, text in self.connection.execute(
            "SELECT id, conversation, fingerprint, address, json FROM folded"
        ).fetchall():
            if self.within not in (None, conversation):
                continue
            new = self._renamed.get(fingerprint, fingerprint)
            filed = self._span_without(text, new, address)
            if filed != text:
                touched.add(conversation)
                self.connection.execute("UPDATE folded SET fingerprint = ?, json = ? WHERE id = ?", (new, filed, row))
        for conversation in touched:
            seal(self.connection, conversation)
            for row, text in self.connection.execute(
                "SELECT id, json FROM record WHERE conversation = ?", (conversation,)
            ).fetchall():
                record = read_object(WindowRecord, text)
                self._scrub_record(record)
                self.connection.execute("UPDATE record SET json = ? WHERE id = ?", (json_text(record), row))
            self.connection.execute(
                "UPDATE conversation SET version = version + 1, settled = settled + 1 WHERE id = ?", (conversation,)
            )

    def _span_without(self, text: str, fingerprint: str, address: str | None) -> str:
        filed = read_object(FoldedSpan, text)
        kept = [value for value in filed.get("kept") or () if value["messageId"] not in self.reach.names]
        if address in self._moved_to:
            left = [
                message_id(message)
                for place in find(self.connection, address)
                for message in read_span(self.connection, place)
            ]
        else:
            left = [self._renamed.get(each, each) for each in filed["removed"] if each not in self._ids]
            self.spans += len(left) < len(filed["removed"]) or len(kept) < len(filed.get("kept") or ())
        frames = [self._renamed.get(each, each) for each in filed.get("frames", ())]
        filed |= {"removed": left, "messageCount": len(left), "fingerprint": fingerprint, "frames": frames}
        if filed.get("address") is not None:
            filed["address"] = address
        if filed.get("kept") is not None:
            filed["kept"] = kept
        return json_text(filed)

    def _scrub_record(self, record: dict[str, Any]) -> None:
        """Take its id, values and quotes out of a record and out of those of its stages; what it counts stays."""
        for name in ("carried", "summaryCheck"):
            record.pop(name, None)
        for survived in (record.get("survival") or {}).values():
            survived.pop("lost", None)
        for refusal in record.get("refusals") or ():
            if refusal["reason"] == "summary-not-faithful":
                refusal.pop("detail", None)
        record["removed"] = [
            _FORGOTTEN if each in self._ids else self._renamed.get(each, each) for each in record.get("removed") or ()
        ]
        for seam in record.get("seams") or ():
            seam["frames"] = [self._renamed.get(each, each) for each in seam.get("frames") or ()]
        if record.get("frame"):
            record["frame"] = self._renamed.get(record["frame"], record["frame"])
        for stage in record.get("stages") or ():
            self._scrub_record(stage)
