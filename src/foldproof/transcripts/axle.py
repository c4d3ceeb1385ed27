"""Axle: an `AgentSession` `{sessionId, messages}`, or a `SavedAgent` `{definition, session}` around one.

From the published message types (Axle 0.30); no stored session has been checked.

* User and assistant messages are the `Message`'s JSON; assistant content is a list of parts, its calls among them.
* One tool message holds N results. Each becomes a tool message here, under the id of the message that holds it.
* A result we wrote keeps what Axle has no place for under `foldproof`, beside its `id`, `name` and `content`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, fields_of, message_from, objects_in, without
from foldproof.transcripts.conversation import Edit, Entry, Reading
from foldproof.transcripts.json_text import Json, revise, revise_items

Place = tuple[int, int | None]
"""Index of the stored message, and of the result inside it."""

_SAMPLE = 50
_RESULT = {"id": "toolCallId", "name": "toolName", "content": "content", "isError": "isError"}


class Axle:
    """The Axle session format."""

    format = Format(
        "axle",
        "Axle AgentSession or SavedAgent (JSON)",
        shape="{sessionId, messages: [{role, content}, …]}, or {definition, session} around one",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session or a saved agent."""
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("session"), dict) and "definition" in value:
            return "a definition and a session" if self.recognise(value["session"]) else None
        if not isinstance(value.get("sessionId"), str) or "messages" not in value:
            return None
        messages = value["messages"]
        if not isinstance(messages, list) or not messages:
            return "a sessionId and messages"  # what is no array is an error of this place, which reading reports
        ours = any(isinstance(message, dict) and "role" in message for message in messages[:_SAMPLE])
        return "a sessionId and messages with roles" if ours else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session."""
        session, path = _session(value)
        messages: list[Message] = []
        pieces: list[Place] = []
        for index, row in enumerate(objects_in(session.get("messages"), f"{path}.messages")):
            for piece, message in _decoded(row, index, f"{path}.messages[{index}]"):
                messages.append(message)
                pieces.append(piece)
        extras = without(session, ("messages", "sessionId")) | without(value, ("session", "messages", "sessionId"))
        return (Reading(tuple(messages), tuple(pieces), extras, session.get("sessionId")),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with other messages."""
        (edit,) = edits
        session, path = _session(value)
        rows = session["messages"]
        changed = revise(session, {"messages": revise_items(rows, _written(rows, edit))})
        return changed if path == "$" else revise(value, {"session": changed})


def _session(value: Json) -> tuple[dict[str, Any], str]:
    if isinstance(value, dict) and "definition" in value and isinstance(value.get("session"), dict):
        return value["session"], "$.session"
    if not isinstance(value, dict):
        raise TranscriptError(f"expected an Axle session; found {shown(value)}", path="$")
    return value, "$"


def _decoded(row: dict[str, Any], index: int, path: str) -> list[tuple[Place, Message]]:
    if row.get("role") != "tool":
        return [((index, None), message_from(row, path))]
    results = objects_in(row.get("content"), f"{path}.content")
    return [
        ((index, at), message_from(_fields_of_result(result, row), f"{path}.content[{at}]"))
        for at, result in enumerate(results)
    ]


def _fields_of_result(result: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    named = {_RESULT[name]: value for name, value in result.items() if name in _RESULT}
    if isinstance(result.get(FIELDS), dict):
        return {"role": "tool", **named, **result[FIELDS]}
    rest = without(result, (*_RESULT, FIELDS))
    own = {"id": row["id"]} if "id" in row else {}
    return {"role": "tool", **own, **rest, **named}


def _written(rows: list[Any], edit: Edit) -> list[Any]:
    """Return the rows to store: a tool message again holds every result of its own that stayed, in order."""
    written: list[Any] = []
    open_row: int | None = None  # the stored tool message whose results are being collected
    results: list[Any] = []

    def close() -> None:
        if open_row is not None:
            written.append(revise(rows[open_row], {"content": revise_items(rows[open_row]["content"], results)}))

    for entry in edit.entries:
        place = _place(entry, edit)
        if place is None or place[0] != open_row:
            close()
            open_row, results = (place[0], []) if place is not None else (None, [])
        if place is None:
            written.append(rows[_index(entry, edit)] if entry.kept is not None else _encoded(entry.message))
        else:
            results.append(_result(entry, rows, edit))
    close()
    return written


def _place(entry: Entry, edit: Edit) -> Place | None:
    """Return where a result stands or stood; None for what is a stored message of its own."""
    at = entry.replaces if entry.kept is None else entry.kept
    piece: Place | None = None if at is None else edit.reading.pieces[at]
    return None if piece is None or piece[1] is None else piece


def _index(entry: Entry, edit: Edit) -> int:
    piece: Place = edit.reading.pieces[entry.kept or 0]
    return piece[0]


def _result(entry: Entry, rows: list[Any], edit: Edit) -> dict[str, Any]:
    if entry.kept is None:
        return _encoded_result(entry.message)
    row, at = edit.reading.pieces[entry.kept]
    kept: dict[str, Any] = rows[row]["content"][at]
    return kept


def _encoded(message: Message) -> dict[str, Any]:
    if message.role != "tool":
        return fields_of(message)
    return {"role": "tool", "id": message.id or message.tool_call_id, "content": [_encoded_result(message)]}


def _encoded_result(message: Message) -> dict[str, Any]:
    fields = fields_of(message)
    named = {name: fields[ours] for name, ours in _RESULT.items() if ours in fields}
    return named | {FIELDS: without(fields, (*_RESULT.values(), "role"))}
