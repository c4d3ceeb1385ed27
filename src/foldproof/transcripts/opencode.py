"""OpenCode: a session as `opencode export` writes it, `{info, messages: [{info, parts}]}`.

The storage folder is read as the exports of its sessions, see `opencode_storage`; a window is written as an export.

Checked in scrubbed fixtures of the storage of 0.1 and 1.3 (two layouts, no real words); the rest is from the source.

* A row is `{info, parts}`. A tool part holds a call and its result; one that is pending or running has none.
* An assistant row of older versions holds several replies of the model: one begins at every `step-start`, and where
  there is none, at words behind a call. Each becomes a message, with its results behind it.
* Parts of a user row with `synthetic` (files that were read in, "continue") are the app's, and so are the prompt of a
  subtask and what a sub-agent is told (its session has a `parentID`); what is `ignored` is shown and never sent.
* A compaction is a user row with a `compaction` part, and the assistant row with `summary: true` behind it. Together
  they are one frame, for all since the frame before it up to `tail_start_id`. OpenCode hides what stands ahead of one.
* A result that OpenCode pruned (`time.compacted`) is still in the file, and is read as what the tool said.
* A call of `task` ran the session that its metadata names; `Family` joins the two.
* A summary frame is written as such a compaction; a new row gets an id that sorts behind the row ahead, and its time.
* `step-*`, `snapshot`, `patch`, `agent` and `retry` parts say nothing; they go with the reply they stand in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, message_from, without
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit, Parent, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.opencode_rows import MARKER, Group, RowReader, encode, shrunk, summary_text
from foldproof.transcripts.rows import Part, Place, Places, each_object, noted, rewritten, rows_in
from foldproof.window import FoldedSpan

_LOOKED_AT = 50
_SESSION = ("projectID", "directory", "slug")
_FIRST = "msg_0"


class Opencode:
    """The sessions of OpenCode."""

    format = Format(
        "opencode",
        "OpenCode sessions: the export (JSON), and the storage folder",
        shape="{info: {id, directory}, messages: [{info: {role}, parts: […]}, …]}",
        basis="fixtures",
        compaction="a user message with a compaction part, and the assistant message with summary: true behind it",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is an exported session, or the messages of one."""
        rows = value.get("messages") if isinstance(value, dict) else value
        if not isinstance(rows, list):
            return None
        if any(map(_is_row, rows[:_LOOKED_AT])):
            return "messages with info and parts"
        if not isinstance(value, dict):
            return None
        info = value.get("info")
        if "info" in value and not rows and value.keys() <= {"info", "messages", "unread"}:
            return "a session without messages"
        is_session = isinstance(info, dict) and "id" in info and any(name in info for name in _SESSION)
        return "the info of a session" if is_session else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session."""
        info, rows, path = _session(value)
        reader = _Reader(info, path)
        if isinstance(value, dict):
            reader.report(value)
        return (reader.read(rows),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with another conversation."""
        (edit,) = edits
        info, rows, path = _session(value)
        changed = rewritten(_settled(rows, edit), edit, encode=encode, shrink=_shrink)
        linked = revise_items(rows, _linked(changed, rows, info.get("id")))
        return linked if path == "$" else revise(value, {"messages": linked})


def _is_row(row: Json) -> bool:
    info = row.get("info") if isinstance(row, dict) else None
    return isinstance(info, dict) and info.get("role") in ("user", "assistant") and isinstance(row.get("parts"), list)


def _session(value: Json) -> tuple[dict[str, Any], list[Any], str]:
    if not isinstance(value, dict):
        return {}, rows_in(value, "$"), "$"
    info = value.get("info")
    return (info if isinstance(info, dict) else {}), rows_in(value.get("messages"), "$.messages"), "$.messages"


def _shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401
    return shrunk(row, parts, cleared)


def _has(row: Json, kind: str) -> bool:
    parts = row.get("parts") if isinstance(row, dict) else None
    return isinstance(parts, list) and any(isinstance(part, dict) and part.get("type") == kind for part in parts)


class _Reader:
    def __init__(self, info: dict[str, Any], path: str) -> None:
        self._info, self._path = info, path
        self._damage: list[Damage] = []
        self._kinds = UnknownKinds("part type")
        self._rows = RowReader(self._damage, self._kinds, is_child=isinstance(info.get("parentID"), str))
        self._messages: list[Message] = []
        self._places: list[Places] = []
        self._run: list[tuple[str | None, Message]] = []  # with the id of the row
        self._folded: list[FoldedSpan] = []
        self._ran: dict[str, str] = {}
        self._marker: int | None = None  # the row of a compaction that waits for its summary

    def report(self, value: dict[str, Any]) -> None:
        """Take note of what stands beside the messages and cannot be read."""
        if not isinstance(value.get("info"), dict):
            cause = f"expected the info of a session; found {shown(value.get('info'))}; it was not read"
            self._damage.append(Damage("$.info", cause))
        unread = value.get("unread")
        for name in unread if isinstance(unread, list) else ():
            self._damage.append(Damage("$.unread", f"{shown(name)} belongs to no message; it was not read"))

    def read(self, rows: list[Any]) -> Reading:
        for at, row in each_object(rows, self._path, self._damage):
            try:
                self._row(row, at, rows)
            except TranscriptError as error:
                self._damage.append(damage_of(error))
        session, parent = self._info.get("id"), self._info.get("parentID")
        return Reading(
            tuple(self._messages),
            tuple(self._places),
            without(self._info, ("id",)),
            session if isinstance(session, str) else None,
            damage=(*self._damage, *self._kinds.damage()),
            folded=tuple(self._folded),
            ran=self._ran,
            parent=Parent(parent, None) if isinstance(parent, str) else None,
        )

    def _row(self, row: dict[str, Any], at: int, rows: list[Any]) -> None:
        place = f"{self._path}[{at}]"
        for group in self._rows.groups(row, place):
            summary = group.key == "summary" or (group.key == "all" and row["info"].get("summary") is True)
            head = (Place(self._marker, "marker"),) if summary and self._marker is not None else ()
            message = self._frame(row, rows) if group.key == "summary" else message_from(group.fields or {}, place)
            self._take(message, (*head, Place(at, group.key)), row)
            for result in group.results:
                self._take(message_from(result.fields or {}, place), (Place(at, result.key),), row)
                self._note_session(row, result)
        self._marker = at if _has(row, MARKER) and row["info"]["role"] == "user" else None

    def _take(self, message: Message, places: Places, row: dict[str, Any]) -> None:
        self._messages.append(message)
        self._places.append(places)
        self._run.append((row["info"].get("id"), message))

    def _frame(self, row: dict[str, Any], rows: list[Any]) -> Message:
        tail = _tail_of(rows[self._marker]) if self._marker is not None else None
        ids = [name for name, _ in self._run]
        stop = ids.index(tail) if tail is not None and tail in ids else len(ids)
        originals = [message for _, message in self._run[:stop]] or None
        identifier = row["info"].get("id")
        frame = summary_frame_of(
            summary_text(row["parts"]),
            originals=originals,
            id=identifier if isinstance(identifier, str) else None,
        )
        if originals:
            self._folded.append(folded_span(frame, originals))
        self._run = self._run[stop:]
        return frame

    def _note_session(self, row: dict[str, Any], result: Group) -> None:
        metadata = row["parts"][result.parts[0]]["state"].get("metadata")
        names = ("sessionId", "sessionID")
        child = (
            next((metadata[name] for name in names if isinstance(metadata.get(name), str)), None)
            if isinstance(metadata, dict)
            else None
        )
        if child is not None and child != self._info.get("id") and result.fields:
            self._ran[child] = str(result.fields["toolCallId"])


def _tail_of(row: dict[str, Any]) -> str | None:
    part = next(part for part in row["parts"] if isinstance(part, dict) and part.get("type") == MARKER)
    tail = part.get("tail_start_id")
    return tail if isinstance(tail, str) else None


def _settled(rows: list[Any], edit: Edit) -> list[Any]:
    """Return the rows, where a summary of OpenCode's own that loses what it stands for says itself what that was."""
    settled = list(rows)
    kept = [entry.kept for entry in edit.entries]
    for index, (message, places) in enumerate(zip(edit.reading.messages, edit.reading.pieces, strict=True)):
        if places[-1].part == "summary" and kept[: index + 1] != list(range(index + 1)):
            row = rows[places[-1].row]
            said = {"role": "user", "content": summary_text(row["parts"])}
            settled[places[-1].row] = row | {FIELDS: noted({}, said, message)[FIELDS]}
    return settled


def _linked(rows: list[Any], before: list[Any], session: object) -> list[Any]:
    """Return the rows with ids and times on the new ones; an answer whose question is gone follows the one ahead."""
    known, present = ({name for row in some if (name := _name(row))} for some in (before, rows))
    linked: list[Any] = []
    last: dict[str, Any] = {}
    asked: str | None = None
    for row in rows:
        if not _is_row(row):
            linked.append(row)
            continue
        kept = "id" in row["info"]
        new = row if kept else _placed(row, last, session, present)
        parent = new["info"].get("parentID")
        lost = not kept or (isinstance(parent, str) and parent in known - present)
        if new["info"]["role"] == "user":
            asked = _name(new) or asked
        elif lost and asked is not None:
            new = revise(new, {"info": revise(new["info"], {"parentID": asked})})
        last = new["info"]
        linked.append(new)
    return linked


def _name(row: Json) -> str | None:
    name = row["info"].get("id") if _is_row(row) else None
    return name if isinstance(name, str) else None


def _placed(row: dict[str, Any], last: dict[str, Any], session: object, taken: set[str]) -> dict[str, Any]:
    identifier = f"{last.get('id', _FIRST)}f"
    while identifier in taken:
        identifier += "f"
    taken.add(identifier)
    owner = last.get("sessionID", session)
    info = {"id": identifier, "sessionID": owner, "time": last.get("time", {"created": 0})} | row["info"]
    parts = [
        {"id": f"prt_{identifier}_{at}", "sessionID": owner, "messageID": identifier} | part
        if isinstance(part, dict)
        else part  # what could not be read stays as it is
        for at, part in enumerate(row["parts"])
    ]
    return row | {"info": info, "parts": parts}
