"""ShareGPT: `{conversations: [{from | role, value | content}]}`, the rows of training sets.

Checked against what data sets publish of it; no shared file was at hand. Both namings occur, and both sets of roles:
`system`, `human`/`user`, `gpt`/`assistant`/`chatgpt`/`bing`, and `tool`/`function_call`/`observation` of tool data.

* A `function_call` row is a call of the model's, `{"name", "arguments"}` as JSON in its text; an `observation` (or
  `tool`) row answers it, by order. A call that is no JSON is kept as the model's words.
* What a fold adds stands in the naming of the rows around it, with our fields under `foldproof`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import Format, made_up_id, message_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, Places, each_object, noted, rewritten, rows_in, with_note

_ROWS = "conversations"
_ROLES = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "function_call": "assistant",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
}
_PATH = f"$.{_ROWS}"


class Sharegpt:
    """The ShareGPT format."""

    format = Format(
        "sharegpt",
        "ShareGPT rows of training sets (JSON, JSONL)",
        shape="{conversations: [{from, value}, …]} or {conversations: [{role, content}, …]}",
        basis="the library's source",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is one row of a training set."""
        if not isinstance(value, dict) or not isinstance(value.get(_ROWS), list):
            return None
        first = next((row for row in value[_ROWS] if isinstance(row, dict)), {})
        says = ("from" in first and "value" in first) or ("role" in first and "content" in first)
        return "rows with from and value under conversations" if says or not value[_ROWS] else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a row."""
        damage: list[Damage] = []
        reader = _Reader()
        messages: list[Message] = []
        places: list[Places] = []
        for at, row in each_object(rows_in(value[_ROWS], _PATH), _PATH, damage):
            try:
                messages.append(reader.message(row, f"{_PATH}[{at}]"))
            except TranscriptError as error:
                damage.append(damage_of(error))
                continue
            places.append((Place(at),))
        extras = without(value, (_ROWS,))
        identifier = value.get("id")
        name = str(identifier) if isinstance(identifier, str | int) else None
        return (Reading(tuple(messages), tuple(places), extras, name, damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the row with another conversation."""
        (edit,) = edits
        rows = value[_ROWS]
        names = _naming(rows)

        def encode(message: Message) -> list[Any]:
            return [_encoded(message, names)]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
            return _encoded(cleared[None], names)

        return revise(value, {_ROWS: revise_items(rows, rewritten(rows, edit, encode=encode, shrink=shrink))})


class _Reader:
    """Reads rows in order: an observation answers the call before it."""

    def __init__(self) -> None:
        self._waiting: list[dict[str, Any]] = []

    def message(self, row: dict[str, Any], path: str) -> Message:
        return message_from(with_note(self._said(row, path), row), path)

    def _said(self, row: dict[str, Any], path: str) -> dict[str, Any]:
        speaker = row.get("from", row.get("role"))
        role = _ROLES.get(speaker) if isinstance(speaker, str) else None
        if role is None:
            expected = ", ".join(_ROLES)
            raise TranscriptError(f"unknown speaker {shown(speaker)}; expected one of {expected}", path=path)
        text = row.get("value", row.get("content"))
        if not isinstance(text, str):
            raise TranscriptError(f"expected text; found {shown(text)}", path=path)
        said: dict[str, Any] = {"role": role, "content": text}
        call = _call(text) if speaker == "function_call" else None
        if call is not None:
            self._waiting.append(call)
            return said | {"content": "", "toolCalls": [call]}
        if role == "tool":
            answered = self._waiting.pop(0) if self._waiting else None
            known = {"toolName": answered["name"]} if answered else {}
            said |= {"toolCallId": answered["id"] if answered else made_up_id("function", text), **known}
        return said


def _call(text: str) -> dict[str, Any] | None:
    try:
        call = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return None
    return {"id": made_up_id("call", text), "name": call["name"], "args": call.get("arguments", {})}


def _naming(rows: Sequence[Any]) -> tuple[str, str, Mapping[str, str]]:
    """Return what the rows call the speaker and the words, and the speakers by role."""
    first = next((row for row in rows if isinstance(row, dict)), {})
    if "from" in first:
        return "from", "value", {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}
    return "role", "content", {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def _encoded(message: Message, names: tuple[str, str, Mapping[str, str]]) -> dict[str, Any]:
    speaker, words, roles = names
    row = {speaker: roles[message.role], words: message.text}
    return noted(row, {"role": message.role, "content": message.text}, message)
