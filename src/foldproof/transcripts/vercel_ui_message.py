"""Vercel AI SDK: UI messages of version 5 and 4, and model messages; in a list, or under `messages`.

Checked in the source of AI SDK (of August 2026): its types, and how it turns UI messages into model messages. No saved
conversation was at hand.

* A part `tool-<NAME>` or `dynamic-tool` is a call with its result in one; version 4 has `tool-invocation` parts, or
  `toolInvocations` beside a `content`. Some stores put `tool-call` and `tool-result` parts of model messages in.
* `state` says how far a call came. One that is still streaming is no call. One that was denied never ran.
* A `step-start`, or words behind a finished call, begin another reply of the model in the same row.
* A tool that the provider ran (`providerExecuted`) is a provider tool. What else a row holds (files, sources, data of
  an app) stays as it is. A row of the role `data` is an app's own and no message.
* A row is a model's several replies: its id is not the id of any of them. A person's row gives its message its id.
* Model messages that call no tool read the same as OpenAI's, which take them, unless one has `providerOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, message_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.gemini_writing import fresh_id
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, Places, each_object, rewritten, rows_in
from foldproof.transcripts.vercel_rows import ROLES, is_tool_part, new_row, read_row, row_left

_SAMPLE = 50
_ROWS = "messages"
_FOREIGN = ("tool_call", "tool_call_response", "tool_use", "tool_result")


class VercelUiMessage:
    """The formats of Vercel's AI SDK."""

    format = Format(
        "vercel_ui_message",
        "Vercel AI SDK: UI messages (version 4, 5) and model messages (JSON)",
        shape="[{id, role, parts: [{type}, …]}, …], {messages: …}, or {role, content: [{type: tool-call, toolCallId}]}",
        basis="the library's source",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds messages of the AI SDK."""
        if isinstance(value, dict):
            rows = value.get(_ROWS)
            return None if not isinstance(rows, list) else self.recognise(rows)
        if not isinstance(value, list):
            return None
        rows = [row for row in value[:_SAMPLE] if isinstance(row, dict)]
        if any(map(_is_ui, rows)) and not any(map(_is_foreign, rows)):
            return "UI messages of the AI SDK"
        return "model messages of the AI SDK" if any(map(_is_model, rows)) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a list of messages."""
        rows, path = _rows(value)
        damage: list[Damage] = []
        messages: list[Message] = []
        places: list[Places] = []
        for at, row in each_object(rows, path, damage):
            here = f"{path}[{at}]"
            try:
                said = read_row(row, here, damage)
                made = [(message_from(one.fields, here), (Place(at, one.part),)) for one in said]
            except TranscriptError as error:
                damage.append(damage_of(error))
                continue
            messages += [message for message, _ in made]
            places += [place for _, place in made]
        extras = without(value, (_ROWS,)) if isinstance(value, dict) else {}
        identifier = value.get("id") if isinstance(value, dict) else None
        name = identifier if isinstance(identifier, str) else None
        return (Reading(tuple(messages), tuple(places), extras, name, damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the list with other messages."""
        (edit,) = edits
        rows, _ = _rows(value)
        known = [row for row in rows if isinstance(row, dict)]
        ui = any("parts" in row or "toolInvocations" in row for row in known)
        both = ui and any("content" in row for row in known)
        taken = {str(row.get("id")) for row in known}

        def encode(message: Message) -> list[Any]:
            return [new_row(message, fresh_id("msg", message, taken), ui=ui, both=both)]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401
            return row_left(row, parts, cleared)

        items = revise_items(rows, rewritten(rows, edit, encode=encode, shrink=shrink))
        return items if isinstance(value, list) else revise(value, {_ROWS: items})


def _rows(value: Json) -> tuple[list[Any], str]:
    if isinstance(value, dict):
        return rows_in(value.get(_ROWS), f"$.{_ROWS}"), f"$.{_ROWS}"
    return rows_in(value, "$"), "$"


def _is_ui(row: dict[str, Any]) -> bool:
    if row.get("role") not in ROLES:
        return False
    invocations = row.get("toolInvocations")
    if isinstance(invocations, list) and any(isinstance(one, dict) and "toolCallId" in one for one in invocations):
        return True
    parts = row.get("parts")
    ours = isinstance(row.get(FIELDS), dict) and isinstance(row.get("id"), str)
    return isinstance(parts, list) and (ours or any(map(_is_ui_part, parts[:_SAMPLE])))


def _is_ui_part(part: Json) -> bool:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return False
    named = isinstance(part.get("text"), str) if part["type"] in ("text", "reasoning") else part["type"] == "step-start"
    return named or is_tool_part(part)


def _is_foreign(row: dict[str, Any]) -> bool:
    """Whether a row's parts are of another format: OpenTelemetry's name their words `content`."""
    parts = row.get("parts")
    typed = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return any(part.get("type") in _FOREIGN or (part.get("type") == "text" and "text" not in part) for part in typed)


def _is_model(row: dict[str, Any]) -> bool:
    content = row.get("content")
    if row.get("role") in ROLES and content is not None and isinstance(row.get("providerOptions"), dict):
        return True
    return row.get("role") in ("assistant", "tool") and isinstance(content, list) and any(map(is_tool_part, content))
