"""ShareGPT: `{conversations: [{from | role, value | content}]}`, the rows of training sets.

Checked against what data sets publish of it; no shared file was at hand. Both namings occur, and both sets of roles:
`system`, `human`/`user`, `gpt`/`assistant`/`chatgpt`/`bing`, and `tool`/`function_call`/`observation` of tool data.

* A `function_call` row is a call of the model's, or a list of calls, `{"name", "arguments"}` as JSON in its text; calls
  may also stand in `<tool_call>` tags among the model's words. An `observation` (or `tool`) row answers them, by order,
  until somebody else speaks. A call that is no JSON is kept as the model's words.
* `system` beside the rows is the system message.
* What a fold adds stands in the naming of the rows around it, with our fields under `foldproof`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, fields_of, made_up_id, message_from, without
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
_SAMPLE = 50
_TAG = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


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
        rows = [row for row in value[_ROWS][:_SAMPLE] if isinstance(row, dict)]
        says = any(("from" in row and "value" in row) or ("role" in row and "content" in row) for row in rows)
        return "rows with from and value under conversations" if says or not value[_ROWS] else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a row."""
        damage: list[Damage] = []
        reader = _Reader()
        if _system_of(value):
            reader.add({"from": "system", "value": value["system"]}, Place(0), "$.system")
        for at, row in each_object(rows_in(value[_ROWS], _PATH), _PATH, damage):
            try:
                reader.add(row, Place(at + bool(_system_of(value))), f"{_PATH}[{at}]")
            except TranscriptError as error:
                damage.append(damage_of(error))
        extras = without(value, (_ROWS, "system"))
        identifier = value.get("id")
        name = str(identifier) if isinstance(identifier, str | int) else None
        return (Reading(tuple(reader.messages), tuple(reader.places), extras, name, damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the row with another conversation."""
        (edit,) = edits
        stored = value[_ROWS]
        names = _naming(stored)
        beside = [value["system"]] if _system_of(value) else []

        def encode(message: Message) -> list[Any]:
            return [_encoded(message, names)]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
            return _encoded(cleared[None], names)

        rows = rewritten([*beside, *stored], edit, encode=encode, shrink=shrink)
        if not beside:
            return revise(value, {_ROWS: revise_items(stored, rows)})
        stays = bool(rows) and rows[0] is beside[0]
        changes = {_ROWS: revise_items(stored, rows[1:] if stays else rows)}
        return revise(value, changes if stays else changes | {"system": ""})


def _system_of(value: dict[str, Any]) -> bool:
    """Whether a system message stands beside the rows."""
    return isinstance(value.get("system"), str) and value["system"] != ""


class _Reader:
    """Reads rows in order: an observation answers the oldest call that waits, until somebody else speaks."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.places: list[Places] = []
        self._waiting: list[dict[str, Any]] = []
        self._asks = False  # the last row was a call, and the next one may be made with it

    def add(self, row: dict[str, Any], place: Place, path: str) -> None:
        """Read the next row."""
        said, calls = self._said(row, path)
        if calls and self._asks and said["content"] == "" and FIELDS not in row:
            before = self.messages[-1]
            joined = {**fields_of(before), "toolCalls": [*fields_of(before)["toolCalls"], *calls]}
            self.messages[-1] = message_from(joined, path)
            self.places[-1] = (*self.places[-1], place)
        else:
            self.messages.append(message_from(with_note(said, row), path))
            self.places.append((place,))
        self._asks = bool(calls) and said["content"] == ""

    def _said(self, row: dict[str, Any], path: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        speaker = row.get("from", row.get("role"))
        role = _ROLES.get(speaker) if isinstance(speaker, str) else None
        if role is None:
            expected = ", ".join(_ROLES)
            raise TranscriptError(f"unknown speaker {shown(speaker)}; expected one of {expected}", path=path)
        text = row.get("value", row.get("content"))
        if not isinstance(text, str):
            raise TranscriptError(f"expected text; found {shown(text)}", path=path)
        if role == "tool":
            return {"role": role, "content": text, **self._answer(text)}, []
        words, given = text, []
        if speaker == "function_call":
            given = _calls(text)
            words = "" if given else text
        elif role == "assistant" and _TAG.search(text):
            given = [call for tag in _TAG.findall(text) for call in _calls(tag)]
            words = _TAG.sub("", text).strip() if given else text
        if not (self._asks and given):
            self._waiting = []
        before = len(self._waiting)
        for call in given:
            self._waiting.append(self._call(call))
        calls = self._waiting[before:]
        return {"role": role, "content": words, **({"toolCalls": calls} if calls else {})}, calls

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        arguments = call.get("arguments", {})
        identifier = made_up_id("call", call["name"], arguments)
        same = sum(str(other["id"]).startswith(identifier) for other in self._waiting)
        identifier = f"{identifier}-{same}" if same else identifier
        return {"id": identifier, "name": call["name"], "args": arguments}

    def _answer(self, text: str) -> dict[str, Any]:
        if not self._waiting:
            return {"toolCallId": made_up_id("function", text)}
        answered = self._waiting.pop(0)
        return {"toolCallId": answered["id"], "toolName": answered["name"]}


def _calls(text: str) -> list[dict[str, Any]]:
    """Return the calls that a text is: one object, or a list of them; none where it is anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    calls = value if isinstance(value, list) else [value]
    known = all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls)
    return calls if known else []


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
