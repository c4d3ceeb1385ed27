"""Claude Code: a session file (JSONL, one row an event), or the web export `{loglines: [...]}` around such rows.

Checked in real sessions of versions 1.0.x to 2.0.x (sniffly, claude-code-viewer, claude-code-log), a scrubbed one of
2.1 (agent-sessions) and an export (claude-code-transcripts). `claude_threads` says which rows make a conversation,
`claude_rows` what a row says.

* Rows that are no part of a conversation (titles, snapshots, progress) stay in the file untouched. What is of no known
  type, or cannot be read, stays too, and is reported.
* `type: "summary"` rows are titles. A file that holds nothing else is a conversation without messages.
* A frame is a user row: it takes the uuid of the last row it stands for and the parent of the first, so the rows around
  it need no change. Only where that does not keep the chain whole are rows linked anew.
* A summary frame that opens the window is written as the app's own compaction: a `compact_boundary`, and the summary.
  One further back is a user row; a boundary there would hide from the app what stays ahead of it.
* Message fields that the API would not accept stand beside `message`, under `foldproof`.
* Attachments are user messages, see `claude_attachments`. One between a call and its result is read behind the result.
* A sub-agent is named by its `agentId`, else by its first row; a frame that takes the place of that row keeps the name.
  From 2.0 on it has a file of its own (`agent-*.jsonl`), which names the session; `claude_agents` finds its call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.claude_agents import sub_agents_of
from foldproof.transcripts.claude_attachments import spoken
from foldproof.transcripts.claude_rows import RowReader, why_unreadable
from foldproof.transcripts.claude_threads import ATTACHMENT, Row, is_boundary, speaks, threads_of
from foldproof.transcripts.claude_writing import THREAD, Links, Rewriting, unreached
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.conversation import Edit, Parent, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import each_object

SILENT: Final = (
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "fork-context-ref",
    "frame-link",
    "history-suppression",
    "isolation-latch",
    "last-prompt",
    "marble-origami-commit",
    "marble-origami-reset",
    "marble-origami-snapshot",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "relocated",
    "result",
    "speculation-accept",
    "started",
    "summary",
    "system",
    "tag",
    "task-summary",
    "tools-used",
    "worktree-state",
)
"""Types of the rows that are no part of a conversation."""

_OF_SESSIONS: Final = (
    "agent-name",
    "agent-setting",
    "ai-title",
    "custom-title",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "queue-operation",
)
_LINKED: Final = ("attachment", "progress", "system")
"""Types of rows that only sessions have: the first ones with a sessionId, these with links too."""

_FACTS = ("sessionId", "cwd", "gitBranch", "version")


class ClaudeCode:
    """The Claude Code session format."""

    format = Format(
        "claude_code",
        "Claude Code session (JSONL) or loglines export (JSON)",
        one_row_a_line=True,
        shape="rows {type, message: {role, content}, uuid, parentUuid, sessionId}, or {loglines: [rows]}",
        compaction="a system row compact_boundary, and the summary in a user row isCompactSummary",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session: an export, a row, or rows of which one is of a kind that others have not."""
        if isinstance(value, dict) and "loglines" in value:
            return "loglines"
        rows = value if isinstance(value, list) else [value]
        found = any(map(_is_ours, rows))
        return "rows with a type, a message and a parentUuid, uuid or sessionId" if found else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the main conversation of a session, and one for each sub-agent."""
        rows = _rows(value)
        try:
            first, *others = _readings(rows)
        except TranscriptError as error:
            raise TranscriptError(error.cause, path=_placed(error.path or "$", value)) from error
        damage = tuple(Damage(_placed(one.path, value), one.cause) for one in first.damage)
        return dataclasses.replace(first, damage=damage), *others

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with other conversations in it."""
        changed = [edit for edit in edits if edit.changed]
        expected = [tuple(entry.message for entry in edit.entries) for edit in edits]
        rows = _rows(value)
        before = unreached(rows, [edit.reading for edit in edits])
        written, found = rows, None
        links: tuple[Links, ...] = ("kept", "moved", "all")
        for relinked in links:
            written = Rewriting(rows, changed, links=relinked).rows()
            again = self.read(written)
            if [reading.messages for reading in again] != expected:
                continue
            found = found or written
            if unreached(written, again) <= before:
                return _put_back(value, written)
        return _put_back(value, found or written)


def _readings(rows: list[Any]) -> Sequence[Reading]:
    damage: list[Damage] = []
    broken: list[Damage] = []
    rows = _readable(rows, damage, broken)
    facts = _facts(rows)
    session = facts.get("sessionId")
    boundaries = {row["uuid"]: row for row in rows if is_boundary(row) and isinstance(row.get("uuid"), str)}
    threads = threads_of(rows)
    names = [_thread_id(session, rows[thread.rows[0]]) if thread.side else session for thread in threads]
    ran = sub_agents_of(rows, threads, names, session)
    readings = []
    for thread, name, children in zip(threads, names, ran, strict=True):
        reader = RowReader(boundaries)
        read = reader.read(rows, thread.rows)
        broken += reader.damage
        alone = thread.side and threads[0].side and not any(name in other for other in ran)
        readings.append(
            Reading(
                tuple(message for message, _ in read),
                tuple(places for _, places in read),
                facts,
                name,
                thread.side,
                folded=tuple(reader.folded),
                ran=children,
                parent=Parent(session, None) if alone and session is not None else None,
                incomplete=reader.incomplete,
            )
        )
    if broken and not any(reading.messages for reading in readings):
        raise TranscriptError(broken[0].cause, path=broken[0].path)
    first, *others = readings or [Reading((), (), facts, session)]
    return dataclasses.replace(first, damage=(*damage, *broken)), *others


def _readable(rows: list[Any], damage: list[Damage], broken: list[Damage]) -> list[Any]:
    """Return the rows with those that cannot be read silenced: they say nothing, and still link their neighbours."""
    unknown = UnknownKinds("row type")
    readable: list[Any] = list(rows)
    for at, row in each_object(rows, "$", damage):
        kind = row.get("type")
        if kind == ATTACHMENT:
            readable[at] = spoken(row) or row
            if not isinstance(row.get(ATTACHMENT), dict):
                cause = f"expected an attachment; found {shown(row.get(ATTACHMENT))}; it was not read"
                damage.append(Damage(f"$[{at}].{ATTACHMENT}", cause))
            continue
        if kind not in ("user", "assistant"):
            if kind not in SILENT:
                unknown.add(kind, f"$[{at}]")
            continue
        why = why_unreadable(row)
        if why is not None:
            broken.append(Damage(f"$[{at}]{why.path}", why.cause))
            readable[at] = without(row, ("message",))
    damage += unknown.damage()
    return readable


def _placed(path: str, value: Json) -> str:
    """Return the path of rows as one of their document."""
    if isinstance(value, list):
        return path
    return "$.loglines" + path[1:] if "loglines" in value else path.replace("$[0]", "$", 1)


def _is_ours(row: Json) -> bool:
    if not isinstance(row, dict) or "parent_tool_use_id" in row:
        return False
    if row.get("type") == "summary":
        return isinstance(row.get("summary"), str) and "leafUuid" in row
    if row.get("type") == "file-history-snapshot":
        return isinstance(row.get("messageId"), str) and isinstance(row.get("snapshot"), dict)
    if isinstance(row.get("sessionId"), str) and row.get("type") in (*_OF_SESSIONS, *_LINKED):
        return row["type"] in _OF_SESSIONS or ("uuid" in row and "parentUuid" in row)
    return speaks(row) and any(name in row for name in ("parentUuid", "uuid", "sessionId"))


def _rows(value: Json) -> list[Any]:
    path = "$"
    if isinstance(value, dict):
        value, path = (value["loglines"], "$.loglines") if "loglines" in value else ([value], path)
    if not isinstance(value, list):
        raise TranscriptError(f"expected the rows of a session; found {shown(value)}", path=path)
    return value


def _put_back(value: Json, rows: list[Any]) -> Json:
    if isinstance(value, list):
        return revise_items(value, rows)
    if "loglines" in value:
        return revise(value, {"loglines": revise_items(value["loglines"], rows)})
    return rows[0] if len(rows) == 1 else rows


def _facts(rows: Sequence[Any]) -> dict[str, Any]:
    """Return facts of the session: where it ran, and its title."""
    facts: dict[str, Any] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        for name in _FACTS:
            if isinstance(row.get(name), str):
                facts.setdefault(name, row[name])
        if row.get("type") == "summary" and isinstance(row.get("summary"), str):
            facts["title"] = row["summary"]
    return facts


def _thread_id(session: str | None, root: Row) -> str | None:
    beside = root.get(FIELDS)
    folded = beside.get(THREAD) if isinstance(beside, dict) else None
    own = root.get("agentId") or folded or root.get("uuid")
    return f"{session}/{own}" if own else None
