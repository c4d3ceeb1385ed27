"""Writing other windows into the rows of a Claude Code session.

A row that holds several blocks loses only the blocks that left. A frame becomes a user row in the place of the last row
it stands for, with that row's uuid and the parent of the first one. A cleared result takes the place of the block it
replaces, in its row. A summary frame that opens the window gets a boundary ahead of it, as the app's own compaction
has; the boundary of a compaction that it stands for leaves. A summary of the app's keeps what it was read as, once
something ahead of it has changed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from foldproof.errors import TranscriptError
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.claude_rows import SPOKEN, Place
from foldproof.transcripts.claude_threads import ATTACHMENT, Row, is_boundary
from foldproof.transcripts.codec import FIELDS, fields_of, made_up_id, without
from foldproof.transcripts.conversation import Edit, Entry, Reading
from foldproof.transcripts.json_text import revise, revise_items

THREAD = "thread"
"""Key under which the first row of a sub-agent keeps the id of its conversation, once the row it came from has left."""

_CARRIED = (
    "sessionId",
    "session_id",
    "parent_tool_use_id",
    "cwd",
    "version",
    "gitBranch",
    "userType",
    "isSidechain",
    "agentId",
    "slug",
    "entrypoint",
    "timestamp",
)
"""What a new row repeats from the row whose place it takes."""


Links = Literal["kept", "moved", "all"]
"""Which rows name their parent anew: new ones only, those whose neighbour changed as well, or all of a conversation."""

_NOBODY = Message(role="user")


@dataclass(slots=True)
class _Chunk:
    """A row of the new conversation: what stays of a row that was read, or the new messages that stand together."""

    at: int | None
    blocks: dict[int, Entry] | None = None  # those that stay or are new, by index; None: the whole row
    message: Message | None = None
    kept: Message = _NOBODY  # one that stays as it was, and stands in this row
    gap: list[int] = field(default_factory=list)  # for a new message, the rows that left in its place
    is_last: bool = False  # of the new messages that stand together
    following: int | None = None  # the next row that stays


class Rewriting:
    """One writing of a session's rows. What the app never resumes from gets no boundary."""

    def __init__(
        self, rows: Sequence[Any], edits: Sequence[Edit], *, links: Links = "kept", is_resumed: bool = True
    ) -> None:
        self._rows = rows
        self._is_resumed = is_resumed
        self._links = links
        self._at: dict[int, list[Any]] = {}  # for each row that changes, the rows to write in its place
        self._behind: dict[int, list[Any]] = {}  # rows to write behind a row that stays
        self._last = len(rows) - 1
        self._told: set[int] = set()  # summaries of the app's that have to say what they were read as
        self._boundaries = {str(row["uuid"]): at for at, row in enumerate(rows) if is_boundary(row) and "uuid" in row}
        named = [row for row in rows if isinstance(row, dict)]
        known = {str(row["uuid"]) for row in named if "uuid" in row}
        self._is_linked = any(str(row["parentUuid"]) in known for row in named if "parentUuid" in row)
        for edit in edits:
            self._edit(edit)

    def rows(self) -> list[Any]:
        """Return the rows to write."""
        written: list[Any] = [*self._behind.get(-1, [])]
        for at, row in enumerate(self._rows):
            written += self._at.get(at, [row])
            written += self._behind.get(at, [])
        return written

    def _edit(self, edit: Edit) -> None:
        order = list(dict.fromkeys(place.row for places in edit.reading.pieces for place in places))
        chunks = list(_chunks(edit))
        staying = {chunk.at for chunk in chunks if chunk.at is not None}
        self._at.update((at, []) for at in order if at not in staying)
        _find_gaps(chunks, order)
        self._tell(edit)
        before = dict(zip(order[1:], order, strict=False))
        previous: _Chunk | None = None
        parent: Row | None = None
        for chunk in chunks:
            if chunk.at is not None:
                row = self._kept_row(chunk.at, chunk)
                behind_new = previous is not None and previous.at is None
                moved = behind_new or before.get(chunk.at) != (previous.at if previous else None)
            else:
                row = self._new_row(chunk, parent if previous and previous.at is None else None, parent)
                moved = not chunk.gap
            if previous is None and edit.reading.side and (chunk.at is None or row is not self._rows[chunk.at]):
                row = self._named(row, edit)
            if previous is None and self._is_compaction(chunk):
                self._without_boundaries(chunk.gap)
                boundary, row = _bounded(row, linked=self._is_linked)
                self._rows_for(chunk).append(boundary)
                parent, moved = boundary, self._links == "all"
            is_new = self._links == "all" and not self._stays(chunk, previous)
            relinked = is_new or (moved and self._links == "moved")
            parent = _linked(row, parent) if relinked else row
            self._rows_for(chunk).append(parent)
            self._last = chunk.at if chunk.at is not None else self._last
            previous = chunk

    def _stays(self, chunk: _Chunk, previous: _Chunk | None) -> bool:
        """Whether a row has to keep its parent: rows beside the conversation open it, or a compaction ahead."""
        if chunk.at is None:
            return False
        row = self._rows[chunk.at]
        return previous is None or (
            row.get("isCompactSummary") is True and str(row.get("parentUuid")) in self._boundaries
        )

    def _is_compaction(self, chunk: _Chunk) -> bool:
        return self._is_resumed and chunk.message is not None and frame_kind(chunk.message) == "summary"

    def _tell(self, edit: Edit) -> None:
        intact = True
        for at, entry in enumerate(edit.entries):
            intact = intact and entry.kept == at
            if entry.kept is not None and not intact:
                row = edit.reading.pieces[entry.kept][0].row
                beside = self._rows[row].get(FIELDS)
                is_told = isinstance(beside, dict) and isinstance(beside.get(SPOKEN), dict)
                if self._rows[row].get("isCompactSummary") is True and not is_told:
                    self._told.add(row)

    def _without_boundaries(self, gap: Sequence[int]) -> None:
        for at in gap:
            if self._rows[at].get("isCompactSummary") is True:
                near = at - 1 if at and is_boundary(self._rows[at - 1]) else None
                boundary = self._boundaries.get(str(self._rows[at].get("parentUuid")), near)
                if boundary is not None:
                    self._at[boundary] = []

    def _named(self, row: Row, edit: Edit) -> Row:
        """Return the new first row of a sub-agent with the id of its conversation, which derives from the first row."""
        if edit.reading.id is None:
            return row
        own = edit.reading.id.removeprefix(f"{edit.reading.extras.get('sessionId')}/")
        return revise(row, {FIELDS: {**row.get(FIELDS, {}), THREAD: own}})

    def _rows_for(self, chunk: _Chunk) -> list[Any]:
        """Return the list that a row goes into: in place of a row, ahead of the next one, or behind the last."""
        if chunk.at is not None:
            return self._at.setdefault(chunk.at, [])
        if chunk.gap:
            return self._at[chunk.gap[-1]]
        if chunk.following is not None:
            return self._at.setdefault(chunk.following, [])
        return self._behind.setdefault(self._last, [])

    def _kept_row(self, at: int, chunk: _Chunk) -> Row:
        row: Row = self._rows[at]
        if at in self._told:
            return revise(row, {FIELDS: {**_fields(row), SPOKEN: _beside(chunk.kept)}})
        if chunk.blocks is None:
            return row
        content = row["message"]["content"]
        parted = chunk.following == at  # by a frame: the second half keeps the uuid
        blocks = sorted(chunk.blocks.items())
        items = [content[index] if entry.kept is not None else _block(entry.message) for index, entry in blocks]
        changes: dict[str, Any] = {"message": revise(row["message"], {"content": revise_items(content, items)})}
        told = [entry.message for _, entry in blocks if entry.kept is None or parted]
        if told:
            changes[FIELDS] = {**row.get(FIELDS, {}), **{_key(message): _beside(message) for message in told}}
        if parted and "uuid" in row:
            changes["uuid"] = made_up_id("row", row["uuid"], sorted(chunk.blocks))
        return revise(row, changes)

    def _new_row(self, chunk: _Chunk, frame: Row | None, parent: Row | None) -> Row:
        """Return the row of a new message; `frame` is the new row right before it, `parent` whatever row is."""
        message = chunk.message or Message(role="user")
        near = chunk.gap[-1] if chunk.gap else chunk.following
        base: Row = parent or {} if near is None else self._rows[near]
        row = {name: copy.copy(base[name]) for name in _CARRIED if name in base} | {"type": "user"}
        if "uuid" in base or "parentUuid" in base:
            first: Row = self._rows[chunk.gap[0]] if chunk.gap else base
            above = (frame or (base if near is None else None)) if self._is_linked else None
            row = {"parentUuid": above.get("uuid") if above else first.get("parentUuid")} | row
            row["uuid"] = made_up_id("row", base.get("uuid"), fields_of(message), len(self._at))
            if chunk.is_last and chunk.gap and "uuid" in base:
                row["uuid"] = base["uuid"]
        if frame_kind(message) == "summary":
            row |= {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
        said = {"role": "user", "content": _content(message)}
        return row | {"message": said, FIELDS: {_key(message): _beside(message)}}


def _chunks(edit: Edit) -> Iterator[_Chunk]:
    """Yield the rows of the new conversation in order; neighbours that share a row stay in one."""
    total = _blocks_by_row(edit)
    current: _Chunk | None = None
    for entry in edit.entries:
        for chunk in _pieces_of(entry, edit):
            if current and chunk.at is not None and chunk.at == current.at and current.blocks and chunk.blocks:
                current.blocks |= chunk.blocks
                continue
            if current is not None:
                yield _whole(current, total)
            current = chunk
    if current is not None:
        yield _whole(current, total)


def _pieces_of(entry: Entry, edit: Edit) -> Iterator[_Chunk]:
    at = entry.replaces if entry.kept is None else entry.kept
    if at is None:
        if entry.message.role not in ("user", "tool"):
            raise TranscriptError(
                f"cannot write a new {entry.message.role} message; only frames (user or tool messages) may be new"
            )
        yield _Chunk(None, message=entry.message)
        return
    places: tuple[Place, ...] = edit.reading.pieces[at]
    for place in places:
        blocks = None if place.blocks is None else dict.fromkeys(place.blocks, entry)
        yield _Chunk(place.row, blocks, kept=entry.message)


def _blocks_by_row(edit: Edit) -> dict[int, set[int]]:
    blocks: dict[int, set[int]] = {}
    for places in edit.reading.pieces:
        for place in places:
            blocks.setdefault(place.row, set()).update(place.blocks or ())
    return blocks


def _whole(chunk: _Chunk, total: dict[int, set[int]]) -> _Chunk:
    """A row of which every block stays as it was is written as it was."""
    if chunk.blocks is None or chunk.at is None:
        return chunk
    untouched = set(chunk.blocks) == total[chunk.at] and all(entry.kept is not None for entry in chunk.blocks.values())
    return _Chunk(chunk.at, kept=chunk.kept) if untouched else chunk


def _find_gaps(chunks: Sequence[_Chunk], order: Sequence[int]) -> None:
    """Tell each chunk the next row that stays, and each run of new messages the rows that left in its place."""
    rank = {at: index for index, at in enumerate(order)}
    staying = {chunk.at for chunk in chunks}
    following: int | None = None
    for chunk in reversed(chunks):
        chunk.following = following
        following = following if chunk.at is None else chunk.at
    start = 0
    for index, chunk in enumerate(chunks):
        if chunk.at is not None:
            start = rank[chunk.at] + 1
            continue
        stop = len(order) if chunk.following is None else rank[chunk.following]
        chunk.gap = [at for at in order[start:stop] if at not in staying]
        chunk.is_last = index + 1 == len(chunks) or chunks[index + 1].at is not None


def _bounded(row: Row, *, linked: bool) -> tuple[Row, Row]:
    """Return the boundary of a compaction, and its summary behind it. How many tokens there were is not known."""
    carried = {name: copy.copy(row[name]) for name in _CARRIED if name in row}
    facts = {"trigger": "manual", "preTokens": 0}
    words = {"content": "Conversation compacted", "level": "info", "compactMetadata": facts}
    boundary = carried | {"type": "system", "subtype": "compact_boundary", **words}
    if "uuid" not in row:
        return boundary, row
    name = made_up_id("row", row["uuid"], "compact_boundary")
    links = {"parentUuid": None, "logicalParentUuid": None}
    return links | boundary | {"uuid": name}, row | ({"parentUuid": name} if linked else {})


def unreached(rows: Sequence[Any], readings: Sequence[Reading]) -> set[str]:
    """Return the rows of conversations to which no chain of parents leads from the last of them, by uuid.

    Results of parallel calls hang beside it from the start. Where uuids are missing nothing is said.
    """
    named = {str(row["uuid"]): row for row in rows if isinstance(row, dict) and "uuid" in row}
    missing: set[str] = set()
    for reading in readings:
        own = [rows[place.row].get("uuid") for places in reading.pieces for place in places]
        if not own or not all(isinstance(uuid, str) for uuid in own):
            continue
        spoken = (uuid for uuid in reversed(own) if named[uuid].get("type") != ATTACHMENT)
        reached: set[object] = set()
        for leaf in (next(spoken, own[-1]), own[-1]):
            uuid: object = leaf
            while isinstance(uuid, str) and uuid in named and uuid not in reached:
                reached.add(uuid)
                row = named[uuid]
                uuid = row.get("parentUuid") or row.get("logicalParentUuid")
        missing.update(uuid for uuid in own if uuid not in reached)
    return missing


def _fields(row: Row) -> dict[str, Any]:
    return row[FIELDS] if isinstance(row.get(FIELDS), dict) else {}


def _linked(row: Row, parent: Row | None) -> Row:
    if "parentUuid" not in row:
        return row
    named = parent.get("uuid") if parent is not None else None
    return revise(row, {"parentUuid": named} | ({"logicalParentUuid": None} if "logicalParentUuid" in row else {}))


def _content(message: Message) -> Any:  # noqa: ANN401 - JSON
    if message.role == "tool":
        return [_block(message)]
    return fields_of(message).get("content", "")


def _block(message: Message) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id}
    block["content"] = fields_of(message).get("content", "")
    return block if message.is_error is None else block | {"is_error": message.is_error}


def _key(message: Message) -> str:
    """Name a message of a row: a result by its call, which is how the row's blocks are told apart."""
    return SPOKEN if message.role == "user" else str(message.tool_call_id or "")


def _beside(message: Message) -> dict[str, Any]:
    in_the_row = ("role", "content", "toolCallId", "isError") if message.role == "tool" else ("role", "content")
    return without(fields_of(message), in_the_row)
