"""One message of a Chat Completions request or response, as a row of JSON: read into a message and written from one.

What was checked in real files stands in `openai_chat`; the field names are those of the API reference.
"""

from __future__ import annotations

import json
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import fields_of, id_text, made_up_id, message_of_foreign_row, parts_from, without

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Roles of the format, and what they are here."""

_OWN = ("role", "content", "tool_calls", "function_call", "tool_call_id")
_ELSEWHERE = ("message", "text", "parts", "value")
"""Where rows of other formats have their words: read as chat, these would be lost without a word."""

_OURS = ("role", "content", "toolCalls")
"""Message fields that a row says under its format's own names; any other may be foreign."""


class RowReader:
    """Reads rows in order: a result may name its tool only through the call before it."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._unanswered: list[tuple[str, str]] = []  # legacy calls, which carry no id: (id made up, name)

    def message(self, row: dict[str, Any], path: str) -> Message:
        """Return the message of the next row.

        Raises:
            TranscriptError: it is no chat message, and where.
        """
        role = row.get("role")
        if not isinstance(role, str) or role not in ROLES:
            raise TranscriptError(
                f"unknown role {shown(role)}; expected one of {', '.join(ROLES)}", path=f"{path}.role"
            )
        if "content" not in row and not row.keys().isdisjoint(_ELSEWHERE):
            cause = f"expected words under content; found {shown(list(row))}; it looks like a row of another format"
            raise TranscriptError(cause, path=path)
        fields = without(row, _OWN) | {"role": ROLES[role]}
        if "content" in row:
            fields["content"] = parts_from(row["content"], f"{path}.content")
        if ROLES[role] == "assistant" and isinstance(row.get("content"), str):
            fields["content"] = _thought_and_said(row["content"])
        if ROLES[role] == "tool":
            fields |= self._result(row)
        elif row.get("tool_calls") or row.get("function_call"):
            fields["toolCalls"] = self._calls(row, path)
            return message_of_foreign_row(fields, _OURS, path)
        return message_of_foreign_row(fields, _OURS[:2], path)

    def _calls(self, row: dict[str, Any], path: str) -> list[dict[str, Any]]:
        self._unanswered = []
        calls = row.get("tool_calls") or []
        if not isinstance(calls, list):
            raise TranscriptError(f"expected a list of calls; found {shown(calls)}", path=f"{path}.tool_calls")
        read = [_call(call, f"{path}.tool_calls[{at}]") for at, call in enumerate(calls)]
        legacy = row.get("function_call")
        if legacy:
            call = _call({"function": legacy}, f"{path}.function_call")
            self._unanswered.append((call["id"], call["name"]))
            read.append(call)
        self.names.update((call["id"], call["name"]) for call in read if isinstance(call["id"], str))
        return read

    def _result(self, row: dict[str, Any]) -> dict[str, Any]:
        identifier = id_text(row.get("tool_call_id", row.get("toolCallId")))
        if row["role"] == "function" and identifier is None:
            identifier = self._next_legacy_id(row.get("name"))
        named: dict[str, Any] = {"toolCallId": identifier}
        if not isinstance(row.get("toolName", 0), str | None):
            name = row.get("name")
            known = self.names.get(identifier) if identifier is not None else None
            named |= {"toolName": name if isinstance(name, str) and name else known, "name": None}
        return named

    def _next_legacy_id(self, name: object) -> str:
        """Pair by order: a `function` row answers the oldest call by that name that has no answer yet."""
        for position, (identifier, called) in enumerate(self._unanswered):
            if called == name:
                del self._unanswered[position]
                return identifier
        return made_up_id("function", name)


def _thought_and_said(content: str) -> str | list[dict[str, Any]]:
    """Return the content of the model's; reasoning in tags, which a server left in front of the answer, is a part."""
    if not content.startswith("<think>") and not content.lstrip().startswith("<think>"):
        return content
    thought, tag, said = content.lstrip().removeprefix("<think>").partition("</think>")
    if not tag:
        return content
    parts = [{"type": "thinking", "text": thought.strip()}]
    return [*parts, {"type": "text", "text": said.strip()}] if said.strip() else parts


def _call(call: object, path: str) -> dict[str, Any]:
    if not isinstance(call, dict):
        raise TranscriptError(f"expected a call; found {shown(call)}", path=path)
    custom = call.get("type") == "custom" and isinstance(call.get("custom"), dict)
    said = call["custom"] if custom else call.get("function")
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise TranscriptError(f"expected a function with a name; found {shown(said)}", path=f"{path}.function")
    arguments = said.get("input", "") if custom else _arguments(said.get("arguments", {}))
    identifier = call.get("id") if id_text(call.get("id")) is None else id_text(call["id"])
    if identifier is None:
        identifier = made_up_id("call", said["name"], said.get("arguments"))
    rest = without(call, ("id", "type", "function", "custom", "name", "args"))
    return {**rest, "id": identifier, "name": said["name"], "args": arguments}


def _arguments(arguments: object) -> object:
    """Arguments are JSON in a string. A model writes that string, so it may be no JSON; then it is kept as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def encode_row(message: Message) -> dict[str, Any]:
    """Return the row of a new message: the format's own names, and ours for what it has no name for."""
    fields = fields_of(message)
    row: dict[str, Any] = {"role": message.role, **({"content": fields["content"]} if "content" in fields else {})}
    if message.role == "tool":
        row |= _encoded_result(message)
    if "toolCalls" in fields:
        row["tool_calls"] = [_encoded_call(call) for call in fields["toolCalls"]]
    own = ("role", "content", "toolCalls", *(("toolCallId", "toolName", "name") if message.role == "tool" else ()))
    return row | without(fields, own)


def _encoded_result(message: Message) -> dict[str, Any]:
    named: dict[str, Any] = {"tool_call_id": message.tool_call_id}
    if message.name is None and message.tool_name is not None:
        return named | {"name": message.tool_name}
    return named | {"toolName": message.tool_name, "name": message.name}


def _encoded_call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("args", {})
    if not isinstance(arguments, str) or _arguments(arguments) != arguments:
        arguments = json.dumps(arguments, ensure_ascii=False)
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": call["name"], "arguments": arguments},
        **without(call, ("id", "name", "args")),
    }
