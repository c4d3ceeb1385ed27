"""Claude Code: a session file (JSONL, one row an event), or the web export `{loglines: [...]}` around such rows.

Checked in real sessions of versions 1.0.x to 2.0.x (sniffly, claude-code-viewer, claude-code-log), a scrubbed one of
2.1 (agent-sessions) and an export (claude-code-transcripts). `claude_threads` says which rows make a conversation,
`claude_rows` what a row says.

* Rows that are no part of a conversation (titles, snapshots, progress, odd values) stay in the file untouched.
* `type: "summary"` rows are titles. A file that holds nothing else is a conversation without messages.
* A frame is a user row: it takes the uuid of the last row it stands for and the parent of the first, so the rows around
  it need no change. Only where that does not keep the chain whole are rows linked anew.
* Message fields that the API would not accept stand beside `message`, under `foldproof`.
* A sub-agent is named by its `agentId`, else by its first row; a frame that takes the place of that row keeps the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.claude_rows import RowReader
from foldproof.transcripts.claude_threads import Row, speaks, threads_of
from foldproof.transcripts.claude_writing import THREAD, Rewriting
from foldproof.transcripts.codec import FIELDS, Format
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.json_text import Json, revise, revise_items

_FACTS = ("sessionId", "cwd", "gitBranch", "version")


class ClaudeCode:
    """The Claude Code session format."""

    format = Format(
        "claude_code",
        "Claude Code session (JSONL) or loglines export (JSON)",
        one_row_a_line=True,
        shape="rows {type, message: {role, content}, uuid, parentUuid, sessionId}, or {loglines: [rows]}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session: an export, a row, or rows of which one says something or is a title."""
        if isinstance(value, dict) and "loglines" in value:
            return "loglines"
        rows = value if isinstance(value, list) else [value]
        found = any(map(_is_ours, rows))
        return "rows with a type, a message and a parentUuid, uuid or sessionId" if found else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the main conversation of a session, and one for each sub-agent."""
        rows = _rows(value)
        try:
            return _readings(rows)
        except TranscriptError as error:
            raise _placed(error, value) from error

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with other conversations in it."""
        changed = [edit for edit in edits if edit.changed]
        expected = [tuple(entry.message for entry in edit.entries) for edit in edits]
        rows = _rows(value)
        written = _put_back(value, Rewriting(rows, changed, relink=False).rows())
        if [reading.messages for reading in self.read(written)] == expected:
            return written
        return _put_back(value, Rewriting(rows, changed, relink=True).rows())


def _readings(rows: list[Any]) -> Sequence[Reading]:
    _check_roles(rows)
    facts = _facts(rows)
    session = facts.get("sessionId")
    readings = []
    for thread in threads_of(rows):
        read = RowReader().read(rows, thread.rows)
        messages = tuple(message for message, _ in read)
        places = tuple(place for _, place in read)
        identifier = _thread_id(session, rows[thread.rows[0]]) if thread.side else session
        readings.append(Reading(messages, places, facts, identifier, thread.side))
    return readings or (Reading((), (), facts, session),)


def _check_roles(rows: list[Any]) -> None:
    """A row says twice who speaks; it must not say two things. On a branch that was left it is checked too."""
    for at, row in enumerate(rows):
        if speaks(row) and row["message"].get("role", row["type"]) != row["type"]:
            found = shown(row["message"]["role"])
            cause = f"unknown role {found}; expected {row['type']!r}, as the type of the row says"
            raise TranscriptError(cause, path=f"$[{at}].message.role")


def _placed(error: TranscriptError, value: Json) -> TranscriptError:
    """Return an error of rows with the place of the row in its document."""
    if isinstance(value, list):
        return error
    path = error.path or "$"
    inside = "$.loglines" + path[1:] if "loglines" in value else path.replace("$[0]", "$", 1)
    return TranscriptError(error.cause, path=inside)


def _is_ours(row: Json) -> bool:
    if not isinstance(row, dict) or "parent_tool_use_id" in row:
        return False
    if row.get("type") == "summary":
        return isinstance(row.get("summary"), str) and "leafUuid" in row
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
