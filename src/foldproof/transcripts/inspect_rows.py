"""One chat message of an Inspect log: read into the fields of a message, and written from one.

What was checked in real files stands in `inspect_eval_log`; field names and error types are those of the library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, fields_of, id_text, made_up_id, parts_from
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.rows import noted, with_note

SUMMARY: Final = "summary"
"""Key in the metadata of a user message by which Inspect knows the summary of a compaction."""

_REFERENCES = ("attachment://", "tc://")
_APP = "inspect_ai"
_BY_A_PERSON = ("input", "operator")
_NOT_ENTERED = ("parsing", "approval", "cancelled")
"""Types of error by which a call never ran, or was broken off: what stands there are the words of the framework."""


class RowReader:
    """Reads the messages of one sample, in order: a result without an id answers the oldest call of its function."""

    def __init__(self, attachments: Mapping[str, Json], damage: list[Damage]) -> None:
        """Look references up among these attachments, and report those that are not there."""
        self._attachments = attachments
        self._damage = damage
        self._waiting: list[tuple[str, str]] = []  # (id, name)

    def fields(self, row: dict[str, Any], path: str) -> dict[str, Any]:
        """Return the fields of a message, with what we noted beside it.

        Raises:
            TranscriptError: it is no message, and where.
        """
        return with_note(self.said(row, path), row)

    def repeated(self, fields: Mapping[str, Any]) -> None:
        """Take note of a message that was read before: what waits for an answer is as if it were read again."""
        if fields["role"] == "assistant":
            self._waiting = [(call["id"], call["name"]) for call in fields.get("toolCalls", ())]
        elif fields["role"] == "tool":
            self._waiting = [waiting for waiting in self._waiting if waiting[0] != fields.get("toolCallId")]

    def said(self, row: dict[str, Any], path: str) -> dict[str, Any]:
        """Return the fields of a message as the words of the format give them."""
        role = row.get("role")
        fields: dict[str, Any] = {"role": role, "content": self._content(row.get("content"), f"{path}.content")}
        if isinstance(row.get("id"), str):
            fields["id"] = row["id"]
        if role == "assistant":
            fields |= self._turn(row, path)
        elif role == "tool":
            fields |= self._result(row, fields["content"])
        elif role == "user" and (row.get("source") not in _BY_A_PERSON or row.get("tool_call_id")):
            fields["injectedBy"] = _APP  # with the id of a call: what a tool gave, where a provider wants it so
        elif role not in ("user", "system"):
            raise TranscriptError(f"unknown role {shown(role)}; expected system, user, assistant or tool", path=path)
        return fields

    def _turn(self, row: dict[str, Any], path: str) -> dict[str, Any]:
        named = {"model": row["model"]} if isinstance(row.get("model"), str) else {}
        calls = row.get("tool_calls") or []
        if not isinstance(calls, list):
            raise TranscriptError(f"expected a list of calls; found {shown(calls)}", path=f"{path}.tool_calls")
        read = [self._call(call, f"{path}.tool_calls[{at}]") for at, call in enumerate(calls)]
        self._waiting = [(call["id"], call["name"]) for call in read]
        return named | ({"toolCalls": read} if read else {})

    def _call(self, call: Json, path: str) -> dict[str, Any]:
        if not isinstance(call, dict) or not isinstance(call.get("function"), str):
            raise TranscriptError(f"expected a call of a function by name; found {shown(call)}", path=path)
        arguments = self._resolved(call.get("arguments", {}), f"{path}.arguments")
        identifier = id_text(call.get("id"))
        if identifier is None:
            identifier = made_up_id("call", path, call["function"])
        return {"id": identifier, "name": call["function"], "args": arguments}

    def _result(self, row: dict[str, Any], content: Json) -> dict[str, Any]:
        name = row.get("function")
        identifier = id_text(row.get("tool_call_id"))
        if identifier is None:
            identifier = next((known for known, called in self._waiting if name in (called, None)), None)
        named = next((called for known, called in self._waiting if known == identifier), None)
        self._waiting = [waiting for waiting in self._waiting if waiting[0] != identifier]
        fields = {
            "toolCallId": made_up_id("result", content) if identifier is None else identifier,
            "toolName": name if isinstance(name, str) else named,
        }
        error = row.get("error") or row.get("tool_error")
        if not error:
            return fields
        said = error if isinstance(error, dict) else {"message": error}
        if not content:
            fields["content"] = str(said.get("message") or "")
        if said.get("type") in _NOT_ENTERED:
            fields["toolResultOrigin"] = "not-entered"
        return fields | {"isError": True}

    def _content(self, content: Json, path: str) -> str | list[dict[str, Any]]:
        parts = parts_from(self._resolved(content, path), path)
        return parts if isinstance(parts, str) else [_part(part) for part in parts]

    def _resolved(self, value: Json, path: str) -> Json:
        """Return a value with what its references stand for; the value itself where it holds none."""
        if isinstance(value, str):
            if not value.startswith(_REFERENCES):
                return value
            found = self._attachments.get(value.partition("://")[2])
            if not isinstance(found, str):
                cause = f"the attachment {shown(value)} is not in the file; the reference was kept"
                self._damage.append(Damage(path, cause))
                return value
            return found
        if isinstance(value, list):
            items = [self._resolved(item, f"{path}[{at}]") for at, item in enumerate(value)]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        if isinstance(value, dict):
            members = {name: self._resolved(inner, f"{path}.{name}") for name, inner in value.items()}
            return value if all(members[name] is value[name] for name in value) else members
        return value


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") == "reasoning":
        return _thinking(part)
    if part.get("type") == "tool_use" and isinstance(part.get("id"), str):
        return _provider_tool(part)
    return part


def _thinking(part: dict[str, Any]) -> dict[str, Any]:
    """Return reasoning. What is redacted is the provider's cipher, and no words; a signature rides along."""
    words: dict[str, Any] = {"type": "thinking"}
    if isinstance(part.get("summary"), str):
        words["summary"] = part["summary"]
    if part.get("redacted"):
        return words | {"redacted": True, "continuity": part}
    if isinstance(part.get("reasoning"), str):
        words["text"] = part["reasoning"]
    kept = {name: part[name] for name in ("signature", "internal") if part.get(name) is not None}
    return words | ({"continuity": kept} if kept else {})


def _provider_tool(part: dict[str, Any]) -> dict[str, Any]:
    result, error = part.get("result"), part.get("error")
    return {
        "type": "provider-tool",
        "id": part["id"],
        "name": str(part.get("name") or part.get("tool_type")),
        "input": _json_or_text(part.get("arguments")),
        "result": (result or "") if error is None else {"result": result, "error": error},
    }


def _json_or_text(text: Json) -> Json:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return text


def encode(message: Message) -> dict[str, Any]:
    """Return the row of a new message: what Inspect has a place for in its words, the rest beside them."""
    fields = fields_of(message)
    row: dict[str, Any] = {"role": message.role, "content": fields.get("content", "")}
    if message.id is not None:
        row["id"] = message.id
    if message.role == "user" and frame_kind(message) == "summary":
        row["metadata"] = {SUMMARY: True}
    if message.role == "assistant" and message.tool_calls:
        row["tool_calls"] = [
            {"id": call.id, "function": call.name, "arguments": call.args, "type": "function"}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        row |= {"tool_call_id": message.tool_call_id, "function": message.tool_name}
    return noted(row, RowReader({}, []).said(row, "$"), message)


def is_summary(row: Json) -> bool:
    """Whether a row is the summary that a compaction of Inspect's own left, and not one that we noted."""
    metadata = row.get("metadata") if isinstance(row, dict) and row.get("role") == "user" else None
    return isinstance(metadata, dict) and bool(metadata.get(SUMMARY)) and FIELDS not in row


def events_in(events: Json) -> Iterator[dict[str, Any]]:
    """Yield the events of a list, those inside another event (older logs) ahead of it."""
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict):
            yield from events_in(event.get("events"))
            yield event
