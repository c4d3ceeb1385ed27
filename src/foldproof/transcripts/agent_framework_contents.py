"""The contents of an Agent Framework message, as parts, calls and results. What was checked: `agent_framework`."""

from __future__ import annotations

import json
from typing import Any

from foldproof.errors import shown
from foldproof.transcripts.codec import id_text, made_up_id
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json

_CALL_END, _RESULT_END = "_tool_call", "_tool_result"
_SAYS_NOTHING = "usage"
_INPUTS = ("arguments", "inputs", "commands", "actions")
_OUTPUTS = ("output", "outputs", "result", "items", "image_id")
_NEVER_RAN = (
    "Error: Requested function ",
    "Error: Tool call invocation was rejected by user.",
    "Error: Argument parsing failed.",
    "Error: Function invocation limit reached before the deferred tool could run.",
    "Error: Tool execution was aborted by middleware before a result was produced.",
    "Tool requires user input but no request details were provided.",
)
"""How the framework begins the result of a call that never reached its tool."""


def is_result(content: Json) -> bool:
    """Whether a content is the result of a call."""
    return isinstance(content, dict) and content.get("type") == "function_result"


def said_in(contents: list[Any], path: str, damage: list[Damage]) -> dict[str, Any]:
    """Return the content and the calls of a message, without the results that it holds.

    Args:
        contents: the contents.
        path: where they stand.
        damage: where what cannot be read of them is added.
    """
    parts: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    hosted: dict[str, dict[str, Any]] = {}
    for at, content in enumerate(contents):
        if isinstance(content, str):
            content = {"type": "text", "text": content}  # noqa: PLW2901 - the framework takes a string for that
        kind = content.get("type") if isinstance(content, dict) else None
        expected = _lacking(content, kind)
        if not isinstance(kind, str) or expected is not None:
            cause = f"expected {expected}; found {shown(content)}; it was not read"
            damage.append(Damage(f"{path}[{at}]", cause))
        elif kind == "function_call":
            calls.append(_call(content, len(calls)))
        elif kind.endswith((_CALL_END, _RESULT_END)):
            _provider_tool(content, kind, parts, hosted)
        elif kind not in (_SAYS_NOTHING, "function_result"):
            parts.append(_part(content, kind))
    words: str | list[dict[str, Any]] = parts
    if not parts:
        words = ""
    elif len(parts) == 1 and parts[0].keys() == {"type", "text"} and parts[0]["type"] == "text":
        words = parts[0]["text"]
    return {"content": words, "toolCalls": calls} if calls else {"content": words}


def _lacking(content: Json, kind: Json) -> str | None:
    """Return what a content should have been, where it is none."""
    if not isinstance(kind, str):
        return "a content with a type"
    if kind == "function_call":
        return None if isinstance(content.get("name"), str) else "a call with a name"
    return None if kind != "text" or isinstance(content.get("text"), str | None) else "a text"


def _part(content: dict[str, Any], kind: str) -> dict[str, Any]:
    text = content.get("text")
    if kind == "text":
        part = {"type": "text", "text": text or ""}
        return part | {"citations": content["annotations"]} if content.get("annotations") else part
    if kind == "text_reasoning":
        known = {"type": "thinking", "text": text if isinstance(text, str) else None, "id": content.get("id")}
        if content.get("protected_data") is not None:
            known["continuity"] = {"protected_data": content["protected_data"]}
        return {name: value for name, value in known.items() if value is not None}
    return content


def _call(content: dict[str, Any], number: int) -> dict[str, Any]:
    name, arguments = content["name"], content.get("arguments")
    return {
        "id": id_text(content.get("call_id")) or made_up_id("call", name, arguments, number),
        "name": name,
        "args": {} if arguments is None else _parsed(arguments),
    }


def _parsed(arguments: Json) -> Json:
    """Arguments may be JSON in a string. A model writes that string; what is no JSON is kept as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _provider_tool(
    content: dict[str, Any], kind: str, parts: list[dict[str, Any]], hosted: dict[str, dict[str, Any]]
) -> None:
    """Add a tool that the provider ran; its result goes with the call, where that is in the same message."""
    identifier = id_text(content.get("call_id")) or made_up_id("hosted", kind, len(parts))
    if kind.endswith(_CALL_END):
        name = next((content[key] for key in ("tool_name", "name") if isinstance(content.get(key), str)), None)
        called = {"type": "provider-tool", "id": identifier, "name": name or kind.removesuffix(_CALL_END)}
        given = next((content[key] for key in _INPUTS if content.get(key) is not None), None)
        parts.append(called if given is None else called | {"input": _parsed(given)})
        hosted[identifier] = parts[-1]
        return
    result = next((content[key] for key in _OUTPUTS if content.get(key) is not None), "")
    if identifier in hosted:
        hosted[identifier]["result"] = result
        return
    name = kind.removesuffix(_RESULT_END)
    parts.append({"type": "provider-tool-result", "id": identifier, "name": name, "result": result})


def result_of(content: dict[str, Any]) -> dict[str, Any]:
    """Return the message fields of a result, with the id of its call as it was recorded ("" where there is none)."""
    said: dict[str, Any] = {
        "role": "tool",
        "content": _result_words(content),
        "toolCallId": id_text(content.get("call_id")) or "",
    }
    if content.get("exception") is not None:
        said["isError"] = True
    if isinstance(said["content"], str) and said["content"].startswith(_NEVER_RAN):
        said["toolResultOrigin"] = "not-entered"
    return said


def _result_words(content: dict[str, Any]) -> str | list[dict[str, Any]]:
    items, result = content.get("items"), content.get("result")
    if isinstance(items, list) and not all(_is_text(item) for item in items):
        return [item if not _is_text(item) else {"type": "text", "text": item["text"]} for item in items]
    if isinstance(result, str):
        return result
    if result is not None:
        return json.dumps(result, ensure_ascii=False)
    return "\n".join(item["text"] for item in items) if isinstance(items, list) else ""


def _is_text(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") == "text" and isinstance(item.get("text"), str)
