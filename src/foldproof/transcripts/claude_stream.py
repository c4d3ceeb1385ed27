"""What `claude -p --output-format stream-json` prints (JSONL): rows of a session as they come, without their links.

Checked in lines that other projects recorded for their tests (versions 1.0 to 2.1), and in the documentation of the
Agent SDK, whose messages these are; no whole real run was at hand.

* `system/init` opens a run, `result` ends it; its text repeats the last answer. `stream_event` rows are pieces of
  messages that follow. None of them is a message.
* `user` and `assistant` rows are as in a session (see `claude_rows`): several rows may make one API message. The prompt
  itself is printed only with `--replay-user-messages`.
* `parent_tool_use_id` names the call whose sub-agent speaks: a conversation of its own, under the id of the call.
* A frame is a user row. There is no boundary to write: nobody resumes from what was printed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.messages import calls_of
from foldproof.transcripts.claude_rows import RowReader, why_unreadable
from foldproof.transcripts.claude_writing import Rewriting
from foldproof.transcripts.codec import Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds
from foldproof.transcripts.json_text import Json, revise_items
from foldproof.transcripts.rows import each_object, rows_in

_SILENT: Final = (
    "auth_status",
    "control_cancel_request",
    "control_request",
    "control_response",
    "keep_alive",
    "prompt_suggestion",
    "rate_limit_event",
    "result",
    "stream_event",
    "system",
    "tool_progress",
    "tool_use_summary",
)
_ABOUT: Final = ("type", "subtype", "session_id", "uuid")
_BY = "parent_tool_use_id"
_SAMPLE = 50


class ClaudeStream:
    """The stream-json format of Claude Code and the Agent SDK."""

    format = Format(
        "claude_stream",
        "Claude Code print mode, --output-format stream-json (JSONL)",
        one_row_a_line=True,
        shape="rows {type, message: {role, content}, parent_tool_use_id, session_id} behind one of system/init",
        basis="fixtures",
        compaction="a system row compact_boundary; what the summary says is not printed",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why rows are a printed run: one of them says whose sub-agent speaks."""
        rows = value if isinstance(value, list) else [value]
        return (
            "rows with a message, a session_id and a parent_tool_use_id" if any(map(_is_ours, rows[:_SAMPLE])) else None
        )

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a run, and one for each sub-agent."""
        rows = rows_in(value if isinstance(value, list) else [value], "$")
        damage: list[Damage] = []
        threads = _threads(rows, damage)
        session = next(
            (row["session_id"] for row in rows if isinstance(row, dict) and _is_text(row, "session_id")), None
        )
        facts = _facts(rows)
        views = list(map(_viewed, rows))
        readings = []
        for call, positions in threads.items():
            reader = RowReader({})
            read = reader.read(views, positions)
            damage += reader.damage
            name = session if call is None else f"{session}/{call}"
            messages, places = tuple(message for message, _ in read), tuple(place for _, place in read)
            side, incomplete = call is not None, reader.incomplete
            readings.append(Reading(messages, places, facts, name, side=side, incomplete=incomplete))
        if damage and not any(reading.messages for reading in readings):
            raise TranscriptError(damage[0].cause, path=damage[0].path)
        ran = {f"{session}/{call}": call for call in threads if call is not None}
        readings = [dataclasses.replace(reading, ran=_of(reading, ran)) for reading in readings]
        return dataclasses.replace(readings[0], damage=tuple(damage)), *readings[1:]

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the run with other conversations in it."""
        rows = value if isinstance(value, list) else [value]
        changed = [edit for edit in edits if edit.changed]
        known = {id(row) for row in rows}
        written = Rewriting(rows, changed, is_resumed=False).rows()
        made = [row if id(getattr(row, "source", row)) in known else without(row, ("parentUuid",)) for row in written]
        if isinstance(value, list):
            return revise_items(value, made)
        return made[0] if len(made) == 1 else made


def _is_ours(row: Json) -> bool:
    if not isinstance(row, dict) or "session_id" not in row or "parentUuid" in row:
        return False
    if row.get("type") == "system":
        return row.get("subtype") == "init" and isinstance(row.get("tools"), list) and "mcp_servers" in row
    return row.get("type") in ("user", "assistant") and isinstance(row.get("message"), dict) and _BY in row


def _is_text(row: dict[str, Any], name: str) -> bool:
    return isinstance(row.get(name), str)


def _threads(rows: Sequence[Any], damage: list[Damage]) -> dict[str | None, list[int]]:
    """Return the rows that say something, by the call whose sub-agent says it; the run itself comes first."""
    threads: dict[str | None, list[int]] = {None: []}
    unknown = UnknownKinds("row type")
    for at, row in each_object(rows, "$", damage):
        kind = row.get("type")
        if kind not in ("user", "assistant"):
            if kind not in _SILENT:
                unknown.add(kind, f"$[{at}]")
            continue
        why = why_unreadable(row)
        if why is None and not isinstance(row.get(_BY), str | None):
            why = Damage(f".{_BY}", f"expected the id of a call, or null; found {shown(row[_BY])}")
        if why is None:
            threads.setdefault(row.get(_BY), []).append(at)
        else:
            damage.append(Damage(f"$[{at}]{why.path}", why.cause))
    damage += unknown.damage()
    return threads


def _viewed(row: Json) -> Json:
    """Return a row under the names that it has in a session."""
    if not isinstance(row, dict) or not isinstance(row.get("message"), dict):
        return row
    view = dict(row)
    if row.get(_BY) is not None:
        view["isSidechain"] = True
    if row.get("isSynthetic") is True:
        view["isMeta"] = True
    if row["message"].get("model") == "<synthetic>":
        view["isApiErrorMessage"] = True
    return view


def _facts(rows: Sequence[Any]) -> dict[str, Any]:
    """Return what the opening row says of the run (model, tools, folder), and how it ended."""
    named = [row for row in rows if isinstance(row, dict)]
    opening = next((row for row in named if row.get("type") == "system" and row.get("subtype") == "init"), {})
    ending = next((row for row in reversed(named) if row.get("type") == "result"), None)
    facts = without(opening, _ABOUT)
    return facts if ending is None else facts | {"result": without(ending, _ABOUT)}


def _of(reading: Reading, ran: dict[str, str]) -> dict[str, str]:
    """Return the sub-agents that a conversation ran: those of its own calls."""
    calls = {call.id for message in reading.messages for call in calls_of(message)}
    return {name: call for name, call in ran.items() if call in calls}
