"""New messages as Gemini contents, and contents with parts of them left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, fields_of, made_up_id, without
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.gemini_contents import ContentReader
from foldproof.transcripts.gemini_parts import CALL, RESPONSE, TEXT
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, marked


def restated(rows: list[Any], edit: Edit, reader: ContentReader) -> list[Any]:
    """Return rows with a note on those that would now mean something else, for what stood ahead of them is gone.

    What follows results, or stands for what is ahead of it, is known by them. `reader` has read the rows.
    """
    messages, places, _ = reader.finished()
    out = list(rows)
    for message, at, entry in zip(messages, places, edit.entries, strict=False):
        wanted = entry.message
        if message is not wanted and message != wanted and message.role == "user" == wanted.role and len(at) == 1:
            row = out[at[0].row]
            note = row[FIELDS] if isinstance(row.get(FIELDS), dict) else {}
            said = without(fields_of(wanted), ("role", "content"))
            out[at[0].row] = revise(row, {FIELDS: note | {"id": wanted.id} | said})
    return out


def fresh_id(prefix: str, message: Message, taken: set[str]) -> str:
    """Return an id for the row of a new message that no other row has, and take it."""
    number = 0
    while (made := made_up_id(prefix, message.fingerprint, number)) in taken:
        number += 1
    taken.add(made)
    return made


def new_content(message: Message) -> dict[str, Any]:
    """Return the content of a new message."""
    if message.role == "tool":
        return {"role": "user", "parts": [response_part(message, None)]}
    role = {"assistant": "model", "system": "system"}.get(message.role, "user")
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        said["toolCalls"] = [{"id": call.id, "name": call.name, "args": call.args} for call in message.tool_calls]
    return marked({"role": role, "parts": message_parts(message)}, said, message)


def shrunk(content: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a content with only these of its parts left, and with new results in the place of some."""
    kept: dict[int, Json] = {}
    old = content["parts"]
    for some in parts:
        for at in some if isinstance(some, tuple) else range(len(old)):
            kept[at] = response_part(cleared[some], old[at]) if some in cleared else old[at]
    return revise(content, {"parts": revise_items(old, [kept[at] for at in sorted(kept)])})


def parted(parts: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return the notes of new results by the id of the call, and the parts without them."""
    notes: dict[str, Any] = {}
    bare: list[Any] = []
    for part in parts:
        note = part.get(FIELDS) if isinstance(part, dict) else None
        if isinstance(note, dict) and "toolCallId" in note:
            notes[str(note["toolCallId"])] = note
            bare.append(without(part, (FIELDS,)))
        else:
            bare.append(part)
    return notes, bare


def response_part(message: Message, old: Json) -> dict[str, Any]:
    """Return the part of a new result, in the spelling of the one it replaces."""
    snake = isinstance(old, dict) and old.get("function_response") is not None
    name = "function_response" if snake else RESPONSE
    before = old.get(name) if isinstance(old, dict) else None
    known = before if isinstance(before, dict) else {"id": message.tool_call_id, "name": message.tool_name or ""}
    named = {key: known[key] for key in ("id", "name") if key in known}
    made = {name: named | {"response": {"output": message.text}}}
    said = {"role": "tool", "content": message.text, "toolName": named.get("name")}
    return marked(made, said, message)


def message_parts(message: Message) -> list[dict[str, Any]]:
    """Return the parts of a new message: its words and its calls."""
    said = [{TEXT: message.text}] if message.text or not message.tool_calls else []
    calls = [{CALL: {"id": call.id, "name": call.name, "args": call.args}} for call in message.tool_calls]
    return [*said, *calls]
