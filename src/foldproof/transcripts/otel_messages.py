"""The messages that a span says, in each convention, as fields of messages; and a message as the convention says it.

What was checked in real files stands in `otel_genai`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, id_text, made_up_id
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.model_calls import Fields
from foldproof.transcripts.rows import noted, with_note

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
_WORDS = ("text", "input_text", "output_text")
_THOUGHTS = ("reasoning", "thinking")
_CALLS = ("tool_call", "tool-call", "tool_use")
_RESULTS = ("tool_call_response", "tool-result", "tool_result")

INPUT: Final = "gen_ai.input.messages"
OUTPUT: Final = "gen_ai.output.messages"
_INSTRUCTIONS: Final = "gen_ai.system_instructions"


class Said(NamedTuple):
    """What a call of a model took and gave."""

    inputs: list[Fields]
    outputs: list[Fields]


def said_in(attributes: Mapping[str, Any], path: str) -> Said | None:
    """Return the messages of a span; None for a span that says none.

    Raises:
        TranscriptError: it says something that cannot be read as messages, and where.
    """
    reader = _Reader(path)
    if attributes.get("gen_ai.operation.name") == "execute_tool" or "ai.toolCall.name" in attributes:
        return None
    for read in (reader.conventions, reader.vercel, reader.openinference):
        said = read(attributes)
        if said.inputs or said.outputs:
            _name_calls([*said.inputs, *said.outputs])
            return said
    return None


def _name_calls(rows: list[Fields]) -> None:
    """Give calls without ids ids by what they say and how often, which every later span repeats, and pair results."""
    counts: Counter[str] = Counter()
    waiting: list[dict[str, Any]] = []
    for row in rows:
        for call in row.get("toolCalls", ()):
            if call["id"] is None:
                said = made_up_id("call", call["name"], call["args"])
                counts[said] += 1
                call["id"] = said if counts[said] == 1 else f"{said}-{counts[said]}"
            waiting.append(call)
        if row["role"] != "tool":
            continue
        fitting = row["toolCallId"], row["toolName"]
        answered = next((call for call in waiting if call["id"] == fitting[0]), None)
        if answered is None and fitting[0] is None:
            answered = next((call for call in waiting if fitting[1] in (None, call["name"])), None)
        if answered is not None:
            waiting.remove(answered)
            row |= {"toolCallId": answered["id"], "toolName": answered["name"]}
        elif fitting[0] is None:
            row["toolCallId"] = made_up_id("result", row.get("content"))


def result_in(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], Json] | None:
    """Return the result of a tool as fields of a message (`toolCallId` None where it is not said), and the arguments.

    None for a span that is no run of a tool.
    """
    if attributes.get("gen_ai.operation.name") == "execute_tool":
        name = attributes.get("gen_ai.tool.name")
        identifier = attributes.get("gen_ai.tool.call.id")
        arguments = _of(attributes, "gen_ai.tool.call.arguments", "gen_ai.tool.args")
        said = _of(attributes, "gen_ai.tool.call.result", "gen_ai.output", "gen_ai.tool.message")
    elif "ai.toolCall.name" in attributes:
        name, identifier = attributes["ai.toolCall.name"], attributes.get("ai.toolCall.id")
        arguments = _of(attributes, "ai.toolCall.args", "ai.toolCall.input")
        said = _vercel_result(_of(attributes, "ai.toolCall.result", "ai.toolCall.output"))
    elif attributes.get("openinference.span.kind") == "TOOL":
        name, identifier = attributes.get("tool.name"), attributes.get("tool_call.id")
        arguments = _of(attributes, "tool_call.function.arguments", "input.value")
        said = attributes.get("output.value")
    else:
        return None
    fields = {"role": "tool", "toolCallId": id_text(identifier), "toolName": name if isinstance(name, str) else None}
    return (fields if said is None else fields | {"content": _words(said)}), _parsed(arguments)


def _of(attributes: Mapping[str, Any], *names: str) -> Json:
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def _vercel_result(value: Json) -> Json:
    """A result of text is JSON text in quotes there."""
    parsed = _parsed(value)
    return parsed if isinstance(parsed, str) else value


def _parsed(value: Json) -> Json:
    """Return JSON in text as what it says; other text as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _words(value: Json) -> Json:
    """Return what a tool said as content: text, parts, or the JSON text of anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(one, dict) and one.get("type") in _WORDS for one in value):
        return [{"type": "text", "text": str(one.get("text", one.get("content", "")))} for one in value]
    return json.dumps(value, ensure_ascii=False)


class _Reader:
    def __init__(self, path: str) -> None:
        self._path = path

    def conventions(self, attributes: Mapping[str, Any]) -> Said:
        """Read the semantic conventions for generative AI; any-agent's output is its own."""
        rows = self._list(attributes, INPUT)
        instructions = self._list(attributes, _INSTRUCTIONS)
        inputs = self._decoded([{"role": "system", "parts": instructions}] if instructions else [], _INSTRUCTIONS)
        inputs += self._decoded(rows, INPUT)
        outputs = self._decoded(self._list(attributes, OUTPUT), OUTPUT)
        if not outputs and isinstance(attributes.get("gen_ai.output"), str):
            outputs = [self._any_agent(attributes["gen_ai.output"])]
        return Said(inputs, outputs)

    def vercel(self, attributes: Mapping[str, Any]) -> Said:
        """Read the attributes of the AI SDK: those of a call, else those of the function around it."""
        rows = self._list(attributes, "ai.prompt.messages")
        around = _parsed(attributes.get("ai.prompt"))
        if not rows and isinstance(around, dict):
            system, prompt, held = around.get("system"), around.get("prompt"), around.get("messages")
            rows = [{"role": "system", "content": system}] if isinstance(system, str) else []
            rows += [{"role": "user", "content": prompt}] if isinstance(prompt, str) else []
            rows += prompt if isinstance(prompt, list) else []
            rows += held if isinstance(held, list) else []
        parts: list[Any] = []
        for name, kind in (("reasoning", "reasoning"), ("text", "text"), ("object", "text")):
            words = attributes.get(f"ai.response.{name}")
            parts += [{"type": kind, "text": words}] if isinstance(words, str) and words else []
        calls = _parsed(attributes.get("ai.response.toolCalls"))
        parts += (
            [{"type": "tool-call"} | call for call in calls if isinstance(call, dict)]
            if isinstance(calls, list)
            else []
        )
        outputs = self._decoded([{"role": "assistant", "content": parts}] if parts else [], "ai.response")
        return Said(self._decoded(rows, "ai.prompt.messages"), outputs)

    def openinference(self, attributes: Mapping[str, Any]) -> Said:
        """Read the flattened attributes of OpenInference."""
        inputs = self._decoded(_unflattened(attributes, "llm.input_messages"), "llm.input_messages")
        return Said(inputs, self._decoded(_unflattened(attributes, "llm.output_messages"), "llm.output_messages"))

    def _list(self, attributes: Mapping[str, Any], name: str) -> list[Any]:
        if attributes.get(name) is None:
            return []
        value = _parsed(attributes[name])
        if isinstance(value, str) and name == _INSTRUCTIONS:
            return [{"type": "text", "content": value}]
        if not isinstance(value, list):
            raise TranscriptError(f"expected a list of messages; found {shown(value)}", path=f"{self._path}.{name}")
        return value

    def _decoded(self, rows: list[Any], name: str) -> list[Fields]:
        return [fields for at, row in enumerate(rows) for fields in decode(row, f"{self._path}.{name}[{at}]")]

    def _any_agent(self, output: str) -> Fields:
        calls = _parsed(output)
        if isinstance(calls, list) and calls and all(isinstance(call, dict) and "tool.name" in call for call in calls):
            return {"role": "assistant", "content": "", "toolCalls": [_any_agent_call(call) for call in calls]}
        return {"role": "assistant", "content": output}


def _any_agent_call(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": None, "name": str(call["tool.name"]), "args": _parsed(call.get("tool.args", {}))}


def decode(row: Json, path: str) -> list[Fields]:
    """Return the messages of one message of a span: each result in it is a message of its own. Ids may be None.

    Raises:
        TranscriptError: it is no message, and where.
    """
    role = row.get("role") if isinstance(row, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        raise TranscriptError(f"expected a message with a role; found {shown(row)}", path=path)
    content = row.get("parts", row.get("content"))
    items = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    turn = _Turn(_ROLES[role], row, path)
    for item in items:
        turn.take(item)
    calls = row.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        turn.call(call.get("tool_call", call) if isinstance(call, dict) else call)
    found = turn.messages()
    return [with_note(found[0], row)] if FIELDS in row and len(found) == 1 else found


class _Turn:
    """Collects what one message of a span holds."""

    def __init__(self, role: str, row: dict[str, Any], path: str) -> None:
        self._role, self._row, self._path = role, row, path
        self._parts: list[dict[str, Any]] = []
        self._calls: list[dict[str, Any]] = []
        self._results: list[Fields] = []

    def take(self, item: Json) -> None:
        if isinstance(item, str):
            self._parts.append({"type": "text", "text": item})
            return
        if not isinstance(item, dict):
            raise TranscriptError(f"expected a part; found {shown(item)}", path=self._path)
        kind = item.get("type")
        words = item.get("content", item.get("text"))
        if kind in _WORDS and isinstance(words, str):
            self._parts.append({"type": "text", "text": words})
        elif kind in _THOUGHTS and isinstance(words, str):
            self._parts.append({"type": "thinking", "text": words})
        elif kind in _CALLS:
            self.call(item)
        elif kind in _RESULTS:
            self._results.append(self._result(item))
        else:
            self._parts.append(item)

    def call(self, call: Json) -> None:
        said = call.get("function", call) if isinstance(call, dict) else None
        name = said.get("name", said.get("toolName")) if isinstance(said, dict) else None
        if not isinstance(call, dict) or not isinstance(said, dict) or not isinstance(name, str):
            raise TranscriptError(f"expected a call with a name; found {shown(call)}", path=self._path)
        identifier = id_text(_of(call, "id", "toolCallId"))
        self._calls.append(
            {"id": identifier, "name": name, "args": _parsed(_of(said, "arguments", "input", "args") or {})}
        )

    def _result(self, item: dict[str, Any]) -> Fields:
        said = _of(item, "response", "result", "output", "content")
        typed = said if isinstance(said, dict) and said.keys() == {"type", "value"} else None
        failed = item.get("isError") is True or (typed is not None and str(typed["type"]).startswith("error"))
        name = _of(item, "name", "toolName")
        identifier = id_text(_of(item, "id", "toolCallId", "tool_use_id", "tool_call_id"))
        return {
            "role": "tool",
            "toolCallId": identifier,
            "toolName": name if isinstance(name, str) else None,
            "content": "" if said is None else _words(said if typed is None else typed["value"]),
            **({"isError": True} if failed else {}),
        }

    def messages(self) -> list[Fields]:
        if self._role == "tool" and not self._results:
            item = {"id": _of(self._row, "tool_call_id", "id"), "name": self._row.get("name")}
            text = "\n".join(filter(None, map(_text_of, self._parts)))
            return [self._result(item | {"content": text})]
        fields: Fields = {"role": self._role, "content": _content(self._parts)}
        if self._calls:
            fields["toolCalls"] = self._calls
        if isinstance(self._row.get("finish_reason"), str):
            fields["finishReason"] = self._row["finish_reason"]
        alone = bool(self._results) and not self._parts and not self._calls
        return self._results if alone else [fields, *self._results]


def _content(parts: list[dict[str, Any]]) -> Json:
    if not parts:
        return ""
    alone = _text_of(parts[0]) if len(parts) == 1 else None
    return parts if alone is None else alone


def _text_of(part: dict[str, Any]) -> str | None:
    text = part.get("text") if part.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _unflattened(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Return what `<prefix>.<i>.message.role` and so on say, as a list of messages."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}."):
            steps = name[len(prefix) + 1 :].split(".")
            holder = root
            for step in steps[:-1]:
                inner = holder.setdefault(step, {})
                if not isinstance(inner, dict):
                    break
                holder = inner
            else:
                holder[steps[-1]] = value
    return [_openinference(row) for row in _in_order(root)]


def _in_order(holder: Json) -> list[Any]:
    numbered = [key for key in holder if key.isdigit()] if isinstance(holder, dict) else []
    return [holder[key] for key in sorted(numbered, key=lambda key: (len(key), key))]


def _openinference(row: Json) -> Json:
    message = row.get("message") if isinstance(row, dict) else None
    if not isinstance(message, dict):
        return row
    contents = _in_order(message.get("contents"))
    parts = [one["message_content"] for one in contents if isinstance(one, dict) and "message_content" in one]
    calls = _in_order(message.get("tool_calls"))
    said = {"content": parts} if parts else {}
    return message | said | {"tool_calls": [_nested_call(call) for call in calls]}


def _nested_call(call: Json) -> Json:
    """`tool_call.function.name` was flattened to steps; it is nested again by now."""
    return call.get("tool_call", call) if isinstance(call, dict) else call


def encode(message: Message) -> dict[str, Any]:
    """Return a message as the conventions say it, with our fields for what they have no place for."""
    words = {"type": "text", "content": message.text}
    if message.role == "tool":
        named = {"type": "tool_call_response", "id": message.tool_call_id, "name": message.tool_name}
        parts: list[Any] = [named | {"response": message.text}]
    else:
        calls = [
            {"type": "tool_call", "id": one.id, "name": one.name, "arguments": one.args} for one in message.tool_calls
        ]
        parts = [words, *calls]
    row: dict[str, Any] = {"role": message.role, "parts": parts}
    if message.finish_reason is not None:
        row["finish_reason"] = message.finish_reason
    (said,) = decode(row, "$")
    return noted(row, said, message)
