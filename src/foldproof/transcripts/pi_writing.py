"""Writing other windows into a pi session: entries linked anew, and a compaction entry for a summary frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from foldproof.errors import TranscriptError
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, fields_of, made_up_id
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.json_text import Json, Unread, revise
from foldproof.transcripts.rows import Part, noted, rewritten

_ID = 8  # hex digits of an entry's id


def written(rows: list[Any], edit: Edit, path: Sequence[int], *, tree: bool) -> list[Any]:
    """Return the entries of a session with another conversation on this path.

    Raises:
        TranscriptError: a new message is the model's or the system's.
    """
    return _Writing(rows, edit, path, tree=tree).written()


class _Writing:
    def __init__(self, rows: list[Any], edit: Edit, path: Sequence[int], *, tree: bool) -> None:
        self._rows, self._edit, self._tree = rows, edit, tree
        self._path = dict(zip(path, [None, *path], strict=False))
        self._ids = {row["id"] for row in rows if _name(row) is not None}
        self._named = {row["id"]: at for at, row in enumerate(rows) if _name(row) is not None}
        self._places = {id(row): at for at, row in enumerate(rows) if isinstance(row, dict)}
        first = edit.entries[0] if edit.entries else None
        self._opens = first is not None and first.kept is None and frame_kind(first.message) == "summary"

    def written(self) -> list[Any]:
        made = rewritten(self._rows, self._edit, encode=self._encoded, shrink=self._cleared)
        made = self._with_notes(made)
        made = self._linked(made) if self._tree else self._timed(made)
        return self._with_first_kept(made)

    def _at(self, row: Json) -> int | None:
        """Return where a row was read; None for a new one."""
        return self._places.get(id(getattr(row, "source", row)))

    def _new_id(self, message: Message) -> str:
        ids = (made_up_id("entry", fields_of(message), number)[-_ID:] for number in count())
        name = next(name for name in ids if name not in self._ids)
        self._ids.add(name)
        return name

    def _encoded(self, message: Message) -> list[Any]:
        if message.role not in ("user", "tool"):
            cause = f"cannot write a new {message.role} message; only frames (user or tool messages) may be new"
            raise TranscriptError(cause)
        opens, self._opens = self._opens, False
        name = {"id": self._new_id(message), "parentId": None} if self._tree else {}
        if opens:
            row = {"type": "compaction", **name, "summary": message.text, "tokensBefore": 0}
            return [_noted(row, {"role": "user", "content": message.text}, message)]
        said, fields = _said(message)
        return [noted({"type": "message", **name, "message": said}, fields | _id_of(name), message)]

    def _cleared(self, row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG002
        said, fields = _said(cleared[None])
        stamp = {"timestamp": row["message"]["timestamp"]} if "timestamp" in row["message"] else {}
        return revise(row, {"message": said | stamp, **noted({}, fields | _id_of(row), cleared[None])})

    def _with_notes(self, made: list[Any]) -> list[Any]:
        """A summary that is read as a frame keeps what it was, once something ahead of it has changed."""
        told: dict[int, Message] = {}
        intact = True
        for at, entry in enumerate(self._edit.entries):
            intact = intact and entry.kept == at
            if entry.kept is None or intact:
                continue
            place = self._edit.reading.pieces[entry.kept][0].row
            row = self._rows[place]
            if row.get("type") == "compaction" and not isinstance(row.get(FIELDS), dict):
                told[place] = entry.message
        return [self._with_note(row, told) for row in made] if told else made

    def _with_note(self, row: Json, told: Mapping[int, Message]) -> Json:
        at = self._at(row)
        message = None if at is None else told.get(at)
        if message is None:
            return row
        return revise(row, _noted({}, {"role": "user", "content": row["summary"]}, message))

    def _linked(self, made: list[Any]) -> list[Any]:
        """Name the parent of every entry whose neighbour changed, and leave the end of this branch at the end."""
        out: list[Any] = []
        staying = {at for at in map(self._at, made) if at is not None}
        before: Any = None
        for row in made:
            at = self._at(row)
            if not isinstance(row, dict) or (at is not None and at not in self._path):
                out.append(self._beside(row, staying))
                continue
            linked = row
            if at is None:
                linked = revise(_stamped(row, before or self._header()), {"parentId": _name(before)})
            elif "parentId" in row and self._path[at] != (None if before is None else self._at(before)):
                linked = revise_row(row, {"parentId": _name(before)})
            out.append(linked)
            before = linked
        if out and isinstance(out[-1], dict) and out[-1] is not before and len(staying) < len(self._places):
            leaf = {"type": "custom", "customType": FIELDS, "id": self._new_id(Message(role="user"))}
            out.append(_stamped(leaf, before or self._header()) | {"parentId": _name(before)})
        return out

    def _beside(self, row: Json, staying: set[int]) -> Json:
        """Return an entry of another branch with a parent that is still there."""
        if not isinstance(row, dict) or not isinstance(row.get("parentId"), str):
            return row
        parent, seen = row["parentId"], set[str]()
        while parent in self._named and self._named[parent] not in staying and parent not in seen:
            seen.add(parent)
            above = self._rows[self._named[parent]].get("parentId")
            parent = above if isinstance(above, str) else None
        return row if parent == row["parentId"] else revise_row(row, {"parentId": parent})

    def _timed(self, made: list[Any]) -> list[Any]:
        out: list[Any] = []
        before = self._header()
        for row in made:
            out.append(_stamped(row, before) if isinstance(row, dict) and self._at(row) is None else row)
            before = out[-1] if isinstance(row, dict) else before
        return out

    def _header(self) -> dict[str, Any]:
        return next((row for row in self._rows if isinstance(row, dict) and row.get("type") == "session"), {})

    def _with_first_kept(self, made: list[Any]) -> list[Any]:
        """Let every compaction name the first entry that stays of those it kept."""
        index = {at: place for place, row in enumerate(made) if (at := self._at(row)) is not None}
        out = []
        for place, row in enumerate(made):
            if not isinstance(row, dict) or row.get("type") != "compaction":
                out.append(row)
                continue
            at = self._at(row)
            if at is None:
                out.append(row | self._kept_name(made, self._next(made, place), row))
                continue
            known = row.get("firstKeptEntryId", row.get("firstKeptEntryIndex"))
            first = self._first_kept(known)
            if first is None:
                out.append(row)
                continue
            stays = min((other for other in index if first <= other <= at), default=at)
            names = {} if stays == first and self._tree else self._kept_name(made, index[stays], row)
            out.append(revise_row(row, names) if names else row)
        return out

    def _first_kept(self, known: Json) -> int | None:
        if isinstance(known, str):
            return next((at for at, row in enumerate(self._rows) if _name(row) == known), None)
        if not isinstance(known, int) or isinstance(known, bool):
            return None
        lines = [at for at, row in enumerate(self._rows) if not isinstance(row, Unread)]
        return lines[known] if 0 <= known < len(lines) else None

    def _next(self, made: Sequence[Json], place: int) -> int:
        behind = range(place + 1, len(made))
        says = (at for at in behind if isinstance(made[at], dict) and made[at].get("type") in ("message", "compaction"))
        return next(says, place)

    def _kept_name(self, made: Sequence[Json], place: int, row: dict[str, Any]) -> dict[str, Any]:
        if self._tree and "firstKeptEntryIndex" not in row:
            return {"firstKeptEntryId": _name(made[place]) or _name(row)}
        return {"firstKeptEntryIndex": place - sum(isinstance(line, Unread) for line in made[:place])}


def revise_row(row: dict[str, Any], changes: Mapping[str, Json]) -> dict[str, Any]:
    """Return a row with more changes than it may have already: it stays a revision of what was read."""
    source = getattr(row, "source", row)
    return revise(source, {**{name: row[name] for name in row if row[name] is not source.get(name)}, **changes})


def _name(row: Json) -> str | None:
    name = row.get("id") if isinstance(row, dict) else None
    return name if isinstance(name, str) else None


def _stamped(row: dict[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    return row | ({"timestamp": near["timestamp"]} if "timestamp" in near else {})


def _id_of(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": row["id"]} if isinstance(row.get("id"), str) else {}


def _noted(row: dict[str, Any], said: Mapping[str, Any], message: Message) -> dict[str, Any]:
    """A compaction that we wrote, or know better, has a note in any case: that it has one says how to read it."""
    return noted(row | {FIELDS: {}}, said, message)


def _said(message: Message) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the format's words for a new message, and the fields that reading them gives."""
    content = fields_of(message).get("content", "")
    if message.role == "user":
        return {"role": "user", "content": content}, {"role": "user", "content": content}
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    said = {"role": "toolResult", "toolCallId": message.tool_call_id, "toolName": message.tool_name, "content": blocks}
    fields = {"role": "tool", "toolCallId": message.tool_call_id, "content": blocks}
    if message.tool_name is not None:
        fields["toolName"] = message.tool_name
    error = {"isError": True} if message.is_error is True else {}
    return said | {"isError": message.is_error is True}, fields | error
