"""Gemini CLI: a saved session, `{sessionId, projectHash, messages}`, or (since 0.40) its JSONL of rows.

Checked in two files that somebody rebuilt from real sessions (the wording is theirs: a row of type `model` with `parts`
comes up in one only), and in the source of Gemini CLI of August 2026.

* A `gemini` row is one reply: thoughts, text, calls, and the results of the calls. `status` says how a call ended:
  `error` failed; `cancelled` never ran, or was stopped, and its words are the app's.
* `info`, `warning` and `error` rows are what the app showed. They stay in the file and are no messages.
* In a user row the app's parts (`<session_context>`, `<hook_context>`, files named by `@`) are messages of their own.
* JSONL is a log. A row with a known id replaces the earlier one; `$set` changes the header; `$rewindTo` takes rows
  back; `$set.messages` states the whole conversation anew. What is said again is read once, at its first place.
* A compaction is such a `$set.messages`, whose summary (`<state_snapshot>`) becomes a frame; it stands for what lies
  ahead and was not kept. Copies of what was kept are not read.
* A changed window is written as the rows of the window: older versions of a row, copies, and `$set.messages` are left
  out, for they would bring back what left. A summary is a user row, as the app writes its own.
* The app repeats results in a user row; they are read from the call, and a changed window leaves the repeats out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.gemini_cli_log import Line, is_header, is_log, lines_of
from foldproof.transcripts.gemini_cli_rows import NOTICES, SPOKEN, read_row, row_left
from foldproof.transcripts.gemini_contents import ContentReader
from foldproof.transcripts.gemini_writing import fresh_id, new_content, restated
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, rewritten, rows_in
from foldproof.window import FoldedSpan

_SAMPLE = 50
_TYPES = (*SPOKEN, *NOTICES)


class GeminiCliSession:
    """The format of Gemini CLI's sessions."""

    format = Format(
        "gemini_cli_session",
        "Gemini CLI session (JSON, JSONL)",
        one_row_a_line=True,
        shape="{sessionId, projectHash, messages: [{id, type, content}, …]}, or these as rows",
        basis="fixtures",
        compaction="a user row with <state_snapshot>, and $set.messages in a log",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session, or the rows of one."""
        if isinstance(value, list):
            rows = [row for row in value[:_SAMPLE] if isinstance(row, dict)]
            return "a log of a session" if any(map(is_header, rows)) or _is_headless(rows) else None
        if not isinstance(value, dict) or not isinstance(value.get("sessionId"), str):
            return None
        messages = value.get("messages")
        rows = [row for row in messages[:_SAMPLE] if isinstance(row, dict)] if isinstance(messages, list) else []
        ours = any(row.get("type") in _TYPES and "role" not in row for row in rows)
        known = isinstance(messages, list) and isinstance(value.get("projectHash"), str) and not rows
        return "a sessionId and messages with types" if ours or known else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session."""
        damage: list[Damage] = []
        lines, header = _lines(value, damage)
        reader = ContentReader("gemini_cli", damage)
        unknown = UnknownKinds("row type")
        folded: list[FoldedSpan] = []
        for at, line in enumerate(lines):
            if line.originals is not None:
                folded += _compaction(reader, lines, at)
            elif line.spoken:
                _read(reader, line, at, damage, unknown)
        messages, places, parts = reader.finished()
        identifier = header.get("sessionId")
        name = identifier if isinstance(identifier, str) else None
        extras = without(header, ("sessionId", "messages"))
        every = (*damage, *unknown.damage(), *parts)
        return (Reading(messages, places, extras, name, damage=every, folded=tuple(folded)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with other rows."""
        (edit,) = edits
        lines, header = _lines(value, [])
        made: list[dict[str, Any]] = []
        taken = {line.id for line in lines if line.id is not None}

        def encode(message: Message) -> list[Any]:
            made.append(_new_row(message, fresh_id("row", message, taken)))
            return made[-1:]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401
            return row_left(row, parts, cleared)

        out = rewritten([line.row for line in lines], edit, encode=encode, shrink=shrink)
        _date(out, made, header)
        reader = ContentReader("gemini_cli", [])
        for at, row in enumerate(out):
            if isinstance(row, dict) and row.get("type") in SPOKEN:
                _read(reader, Line(row, "$", spoken=True), at, [], UnknownKinds("row type"))
        out = restated(out, edit, reader)
        if isinstance(value, list):
            return revise_items(value, out)
        return revise(value, {"messages": revise_items(value["messages"], out)})


def _is_headless(rows: list[dict[str, Any]]) -> bool:
    """Whether rows are the log of a session whose first line is gone."""
    return is_log(rows) and any(row.get("type") == "gemini" and "id" in row and "role" not in row for row in rows)


def _lines(value: Json, damage: list[Damage]) -> tuple[list[Line], dict[str, Any]]:
    if isinstance(value, list):
        return lines_of(value, "$", damage, log=True)
    if not isinstance(value, dict):
        raise TranscriptError(f"expected a session; found {type(value).__name__}", path="$")
    lines, _ = lines_of(rows_in(value.get("messages"), "$.messages"), "$.messages", damage, log=False)
    return lines, value


def _read(reader: ContentReader, line: Line, at: int, damage: list[Damage], unknown: UnknownKinds) -> None:
    kind = line.row.get("type")
    if kind in NOTICES:
        return
    if kind not in SPOKEN:
        unknown.add(kind, line.path)
        return
    try:
        read_row(reader, line.row, at, line.path)
    except TranscriptError as error:
        damage.append(damage_of(error))


def _compaction(reader: ContentReader, lines: list[Line], at: int) -> list[FoldedSpan]:
    """Add the frame of a summary whose originals are in the log."""
    line = lines[at]
    stands_for = line.originals or frozenset()
    settled = reader.settled()
    originals = [
        message for draft, message in settled if all(lines[place.row].id in stands_for for place in draft.places)
    ]
    frame = summary_frame_of(line.text, originals=originals or None, id=line.id)
    reader.add(frame, at, line.path)
    return [folded_span(frame, originals)] if originals else []


def _new_row(message: Message, identifier: str) -> dict[str, Any]:
    content = new_content(message)
    kind = "gemini" if message.role == "assistant" else "user"
    note = content.get(FIELDS)
    beside = note | {"id": message.id} if isinstance(note, dict) else {}
    row = {"id": identifier, "timestamp": "", "type": kind, "content": content["parts"]}
    return row | {FIELDS: beside}


def _date(rows: list[Any], made: list[dict[str, Any]], header: Mapping[str, Any]) -> None:
    """Give new rows the time of the row ahead of them."""
    fresh = {id(row) for row in made}
    time = header.get("startTime", "")
    for row in rows:
        if id(row) in fresh:
            row["timestamp"] = time
        elif isinstance(row, dict):
            time = row.get("timestamp", time)
