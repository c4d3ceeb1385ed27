"""Content blocks and calls of a LangChain message, of every provider that it takes them over from.

* Reasoning goes to `thinkingBlocks` as it is: `thinking` and `redacted_thinking` (Anthropic), `reasoning` (OpenAI, and
  LangChain's own), `reasoning_content` (Bedrock).
* A call stands in `tool_calls`, and again as a block or in `additional_kwargs`: it is read once, by its id.
* Arguments that are no JSON stand in `invalid_tool_calls`, and are kept as the text that they are.
* `server_tool_call` and `server_tool_result` are one part: a tool that the provider ran itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import id_text, parts_from
from foldproof.transcripts.json_text import Json

_THINKING = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
_CALLS = ("tool_use", "tool_call", "function_call", "invalid_tool_call", "custom_tool_call")
_UNNAMED = "unknown"


@dataclass(slots=True)
class Words:
    """What the blocks of a model's message hold: what it says, its reasoning, its calls (without those beside them)."""

    content: str | list[dict[str, Any]]
    thinking: list[Any] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)


def said_in(blocks: list[dict[str, Any]]) -> Words:
    """Return what the blocks of a model's message hold."""
    content: list[dict[str, Any]] = []
    words = Words("")
    results = {block.get("tool_call_id"): block for block in blocks if _is_result(block)}
    ran: set[Any] = set()
    for block in blocks:
        kind = block.get("type")
        if kind in _THINKING:
            words.thinking.append(block)
        elif kind in _CALLS and isinstance(block.get("name"), str):
            words.calls.append(_call_in(block))
        elif kind == "server_tool_call" and isinstance(block.get("id"), str) and isinstance(block.get("name"), str):
            ran.add(block["id"])
            content.append(_provider_tool(block, results.get(block["id"])))
        elif not (_is_result(block) and block["tool_call_id"] in ran):
            content.append(block)
    words.content = content or ""
    return words


def _is_result(block: dict[str, Any]) -> bool:
    return block.get("type") == "server_tool_result" and isinstance(block.get("tool_call_id"), str)


def _provider_tool(call: dict[str, Any], result: dict[str, Any] | None) -> dict[str, Any]:
    part = {"type": "provider-tool", "id": call["id"], "name": call["name"], "input": call.get("args")}
    return part if result is None else part | {"result": result.get("output")}


def _call_in(block: dict[str, Any]) -> dict[str, Any]:
    identifier = block.get("call_id") if block["type"] in ("function_call", "custom_tool_call") else block.get("id")
    given: Json = next((block[name] for name in ("args", "input", "arguments") if name in block), {})
    arguments = _parsed(given) if block["type"] in ("function_call", "tool_use") else given
    return {"id": id_text(identifier), "name": block["name"], "args": {} if arguments is None else arguments}


def calls_beside(
    fields: dict[str, Any], beside: dict[str, Any], inside: list[dict[str, Any]], path: str
) -> list[dict[str, Any]]:
    """Return every call of a model's message once; the id is None for one that was recorded without.

    Args:
        fields: what the message holds.
        beside: its `additional_kwargs`.
        inside: the calls among its blocks.
        path: its place.

    Raises:
        TranscriptError: a call cannot be read, and where.
    """
    read = _listed(fields, "tool_calls", path) + _listed(fields, "invalid_tool_calls", path)
    if not inside and not beside:
        return read
    known = {call["id"] for call in read}
    for call in [*inside, *_raw(beside, path)]:
        if call["id"] not in known and (call["id"] is not None or not read):
            read.append(call)
            known.add(call["id"])
    return read


def _listed(fields: dict[str, Any], name: str, path: str) -> list[dict[str, Any]]:
    calls = fields.get(name)
    if not calls:
        return []
    if not isinstance(calls, list):
        raise TranscriptError(f"expected a list of calls; found {shown(calls)}", path=f"{path}.{name}")
    return [_call(call, f"{path}.{name}[{at}]") for at, call in enumerate(calls)]


def _call(call: Json, path: str) -> dict[str, Any]:
    if isinstance(call, dict) and "function" in call:  # a message that LangChain has not made its own yet
        return _raw_call(call, path)
    name = call.get("name") if isinstance(call, dict) else ""
    if not isinstance(call, dict) or not isinstance(name, str | None):
        raise TranscriptError(f"expected a call with a name; found {shown(call)}", path=path)
    arguments = call.get("args")
    return {"id": id_text(call.get("id")), "name": name or _UNNAMED, "args": {} if arguments is None else arguments}


def _raw(beside: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """Return the calls of `additional_kwargs`, which are those of the Chat Completions API."""
    raw = beside.get("tool_calls") or []
    legacy = beside.get("function_call")
    calls = [*(raw if isinstance(raw, list) else []), *([{"function": legacy}] if legacy else [])]
    return [_raw_call(call, f"{path}.additional_kwargs.tool_calls[{at}]") for at, call in enumerate(calls)]


def _raw_call(call: Json, path: str) -> dict[str, Any]:
    said = call.get("function") if isinstance(call, dict) else None
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise TranscriptError(f"expected a function with a name; found {shown(call)}", path=path)
    return {"id": id_text(call.get("id")), "name": said["name"], "args": _parsed(said.get("arguments", {}))}


def _parsed(arguments: Json) -> Json:
    """Return arguments that are JSON in a string; a model wrote that string, so it may be none, and is kept then."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):
        return arguments


def call_of(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call as LangChain stores it: one whose arguments are no object is an invalid one there."""
    arguments = call.get("args", {})
    if isinstance(arguments, dict):
        return {"name": call["name"], "args": arguments, "id": call["id"], "type": "tool_call"}
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"name": call["name"], "args": text, "id": call["id"], "error": None, "type": "invalid_tool_call"}


def tool_content(content: Json, path: str) -> str | list[dict[str, Any]]:
    """Return the content of a message: text, blocks, or the JSON text of any other value, as LangChain makes it a text.

    Raises:
        TranscriptError: a block is neither text nor an object.
    """
    if content is None or isinstance(content, str | list):
        return parts_from(content, path)
    return json.dumps(content, ensure_ascii=False)
