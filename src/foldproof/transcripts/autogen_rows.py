"""One model context of AutoGen, message by message. What was checked stands in `autogen`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, made_up_id, message_from
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, Places, each_object, noted, with_note

_SYSTEM, _USER, _ASSISTANT, _RESULTS = (
    "SystemMessage",
    "UserMessage",
    "AssistantMessage",
    "FunctionExecutionResultMessage",
)
ROW_TYPES = (_SYSTEM, _USER, _ASSISTANT, _RESULTS)
"""What the rows of a context are called."""

_PERSON = "user"
_OURS = "foldproof"


class Context:
    """Reads the rows of one context in order."""

    def __init__(self, path: str, models: frozenset[str], people: frozenset[str]) -> None:
        """Read rows at `path`; `models` are the other agents whose words a model wrote, `people` are people."""
        self.messages: list[Message] = []
        self.places: list[Places] = []
        self.damage: list[Damage] = []
        self._path = path
        self._models = models
        self._people = people
        self._waiting: list[tuple[str, str, str]] = []  # calls of the last assistant: recorded id, id here, name

    def read(self, rows: Sequence[Json]) -> None:
        """Read them; what cannot be read is damage."""
        unknown = UnknownKinds("message type")
        for at, row in each_object(rows, self._path, self.damage):
            kind, path = row.get("type"), f"{self._path}[{at}]"
            try:
                if kind == _RESULTS:
                    self._results(row, at, path)
                elif kind in (_SYSTEM, _USER, _ASSISTANT):
                    self._said(row, at, path)
                else:
                    unknown.add(kind, f"{path}.type")
            except TranscriptError as error:
                self.damage.append(damage_of(error))
        self.damage += unknown.damage()

    def _said(self, row: dict[str, Any], at: int, path: str) -> None:
        message = message_from(with_note(said_of(row, path, self._models, self._people, self.damage), row), path)
        self.messages.append(message)
        self.places.append((Place(at),))
        if message.tool_calls and isinstance(row["content"], list):
            recorded = [item["id"] for item in row["content"] if _is_call(item)]
            calls = zip(recorded, message.tool_calls, strict=False)
            self._waiting = [(known, call.id, call.name) for known, call in calls]

    def _results(self, row: dict[str, Any], at: int, path: str) -> None:
        content = row.get("content")
        if not isinstance(content, list):
            raise _unread(f"{path}.content", content, "a list of results")
        for index, result in enumerate(content):
            place = f"{path}.content[{index}]"
            try:
                self.messages.append(message_from(self._result(result, place), place))
            except TranscriptError as error:
                self.damage.append(damage_of(error))
                continue
            self.places.append((Place(at, index),))

    def _result(self, result: Json, path: str) -> dict[str, Any]:
        if not isinstance(result, dict) or not isinstance(result.get("content"), str):
            raise _unread(path, result, "a result with its content as text")
        said = result_of(result)
        recorded = said["toolCallId"]
        fitting = [one for one in self._waiting if one[0] == recorded]
        if not recorded:
            fitting.sort(key=lambda one: one[2] != said.get("toolName"))  # by name, then by order
        if fitting:
            answered = fitting[0]
            self._waiting.remove(answered)
            said["toolCallId"] = answered[1]
            said.setdefault("toolName", answered[2])
        elif not recorded:
            said["toolCallId"] = made_up_id("result", result["content"])
        return with_note(said, result)


def _unread(path: str, found: object, expected: str) -> TranscriptError:
    return TranscriptError(f"expected {expected}; found {shown(found)}; it was not read", path=path)


def people_in(rows: Sequence[Json], agents: frozenset[str], models: frozenset[str]) -> frozenset[str]:
    """Return the sources of a context whose words are a person's.

    Args:
        rows: the rows of the context.
        agents: every agent of the document, its own among them.
        models: those of them whose words a model wrote.
    """
    spoken = [row for row in rows if isinstance(row, dict) and isinstance(row.get("source"), str)]
    sources = {row["source"] for row in spoken if row.get("type") == _USER}
    if _PERSON in sources:
        return frozenset((_PERSON,))
    sources -= models | {row["source"] for row in spoken if row.get("type") == _ASSISTANT} | {_OURS, ""}
    return frozenset(sources - agents or sources)


def with_author(row: Json, people: frozenset[str], unsure: frozenset[str]) -> Json:
    """Return a row that says for itself whether its source is one of the people, where that is unsure."""
    if not isinstance(row, dict) or row.get("type") != _USER or str(row.get("source")) not in unsure:
        return row
    said = said_of(row | {"content": ""}, "$", frozenset(), people, [])
    held = row.get(FIELDS)
    return revise(row, {FIELDS: {"injectedBy": said.get("injectedBy")} | (held if isinstance(held, dict) else {})})


def said_of(
    row: dict[str, Any], path: str, models: frozenset[str], people: frozenset[str], damage: list[Damage]
) -> dict[str, Any]:
    """Return the message fields of a row that is no list of results.

    Args:
        row: the row.
        path: where it stands.
        models: the other agents whose words a model wrote.
        people: the sources whose words are a person's.
        damage: where what cannot be read of its content is added.

    Raises:
        TranscriptError: its content is nothing that such a message has.
    """
    kind, content, source = row["type"], row.get("content"), row.get("source")
    if not isinstance(content, str) and (kind == _SYSTEM or not isinstance(content, list)):
        raise _unread(f"{path}.content", content, "text")
    if kind == _SYSTEM:
        return {"role": "system", "content": content}
    if kind == _ASSISTANT:
        return _assistant(row, content, path, damage)
    words = content if isinstance(content, str) else _parts(content, f"{path}.content", damage)
    if isinstance(source, str) and source in models:
        return {"role": "assistant", "content": words, "name": source}
    if isinstance(source, str) and source in people:
        return {"role": "user", "content": words}
    return {"role": "user", "content": words, "injectedBy": source if isinstance(source, str) and source else "autogen"}


def _parts(items: list[Any], path: str, damage: list[Damage]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for at, item in enumerate(items):
        if isinstance(item, str):
            parts.append({"type": "text", "text": item})
        elif isinstance(item, dict):
            parts.append({"type": "image", **item})  # `{data}`: base64, of a PNG
        else:
            damage.append(damage_of(_unread(f"{path}[{at}]", item, "text or an image")))
    return parts


def _assistant(row: dict[str, Any], content: str | list[Any], path: str, damage: list[Damage]) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant"}
    if isinstance(row.get("source"), str):
        said["name"] = row["source"]
    thought = row.get("thought")
    thinking = [{"type": "thinking", "text": thought}] if isinstance(thought, str) and thought else []
    if isinstance(content, str):
        text = [{"type": "text", "text": content}] if content else []
        return said | {"content": [*thinking, *text] if thinking else content}
    calls: list[dict[str, Any]] = []
    for at, item in enumerate(content):
        if _is_call(item):
            identifier = item["id"] or made_up_id("call", item["name"], item.get("arguments"), len(calls))
            calls.append({"id": identifier, "name": item["name"], "args": _arguments(item.get("arguments", "{}"))})
        else:
            damage.append(damage_of(_unread(f"{path}.content[{at}]", item, "a call with id and name")))
    said["content"] = thinking or ""
    return said | {"toolCalls": calls} if calls else said


def _is_call(item: Json) -> bool:
    return isinstance(item, dict) and isinstance(item.get("id"), str) and isinstance(item.get("name"), str)


def _arguments(arguments: Json) -> Json:
    """Arguments are JSON in a string. A model writes that string, so it may be no JSON; then it is kept as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def result_of(result: dict[str, Any]) -> dict[str, Any]:
    """Return the message fields of one result, with the call id as it was recorded ("" where there is none)."""
    identifier, name = result.get("call_id"), result.get("name")
    said = {"role": "tool", "content": result["content"], "toolCallId": identifier or ""}
    if isinstance(name, str):
        said["toolName"] = name
    if result.get("is_error") is True:
        said["isError"] = True
    return said


def encode(message: Message) -> dict[str, Any]:
    """Return the row of a new message."""
    if message.role == "tool":
        return {"content": [_result_row(message, message.tool_call_id)], "type": _RESULTS}
    row = _row(message)
    return noted(row, said_of(row, "$", frozenset(), frozenset(), []), message)


def _row(message: Message) -> dict[str, Any]:
    if message.role == "system":
        return {"content": message.text, "type": _SYSTEM}
    if message.role == "user":
        return {"content": message.text, "source": _OURS, "type": _USER}
    calls = [
        {"id": call.id, "arguments": json.dumps(call.args, ensure_ascii=False), "name": call.name}
        for call in message.tool_calls
    ]
    return {"content": calls or message.text, "thought": None, "source": message.name or _OURS, "type": _ASSISTANT}


def _result_row(message: Message, identifier: str | None) -> dict[str, Any]:
    row = {
        "content": message.text,
        "name": message.tool_name or "",
        "call_id": identifier or "",
        "is_error": message.is_error or False,
    }
    return noted(row, result_of(row), message)


def shrink(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a row of results with only these left, and with new ones in the place of some."""
    old = row["content"]
    results = [
        _result_row(cleared[at], old[at].get("call_id")) if at in cleared else old[at]
        for at in sorted(part for part in parts if isinstance(part, int))
    ]
    return revise(row, {"content": revise_items(old, results)})
