"""Messages of Vercel's AI SDK, UI messages and model messages: read in order, written, and shrunk.

What was checked stands in `vercel_ui_message`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, id_text, without
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, marked, with_note

CALL, RESULT, DYNAMIC, INVOCATION, STEP = "tool-call", "tool-result", "dynamic-tool", "tool-invocation", "step-start"
ROLES = ("system", "user", "assistant", "tool", "data")
_DENIED = "Tool call execution denied."
_R = "result"  # in a place: the result that a part holds


class Said(NamedTuple):
    """A message in a row: its fields, and which parts of the row it is (None: the row)."""

    fields: dict[str, Any]
    part: Part


def is_tool_part(part: Json) -> bool:
    """Whether a part is a call, a result, or both, of the AI SDK: each names its call `toolCallId`."""
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return False
    if part["type"] == INVOCATION:
        return isinstance(part.get("toolInvocation"), dict)
    return part["type"].startswith((DYNAMIC, "tool-")) and "toolCallId" in part


def parts_of_row(row: Mapping[str, Any]) -> list[Any]:
    """Return what a row says as parts: its own, else those that an older one spreads over several members."""
    if isinstance(row.get("parts"), list):
        return list(row["parts"])
    content = row.get("content")
    if isinstance(content, list):
        return content
    invocations = row.get("toolInvocations")
    attached = row.get("experimental_attachments")
    ran = [
        {"type": INVOCATION, "toolInvocation": one} for one in (invocations if isinstance(invocations, list) else [])
    ]
    words = [{"type": "text", "text": content}] if isinstance(content, str) and (content or not ran) else []
    return [*ran, *words, *({"type": "file", **one} for one in (attached or []) if isinstance(one, dict))]


def read_row(row: dict[str, Any], path: str, damage: list[Damage]) -> list[Said]:
    """Return the messages of a row.

    Raises:
        TranscriptError: it is none, and where.
    """
    role = row.get("role")
    if role not in ROLES:
        raise TranscriptError(f"unknown role {shown(role)}; expected one of {', '.join(ROLES)}", path=f"{path}.role")
    if role == "data":
        return []  # what an app kept for its own screen
    where = "parts" if isinstance(row.get("parts"), list) else "content"
    if where == "content" and not isinstance(row.get("content"), str | list | None):
        raise TranscriptError(f"expected text or parts; found {shown(row['content'])}", path=f"{path}.content")
    parts: list[tuple[int, dict[str, Any]]] = []
    for at, part in enumerate(parts_of_row(row)):
        if isinstance(part, dict) and isinstance(part.get("type"), str):
            parts.append((at, part))
        else:
            damage.append(Damage(f"{path}.{where}[{at}]", f"expected a part; found {shown(part)}; it was not read"))
    note = row.get(FIELDS)
    if role in ("assistant", "tool") and not isinstance(note, dict):
        return _replies(parts, path, where, damage, is_tool=role == "tool")
    name = row.get("id")
    fields = {"role": role, "content": _content([_said(part) for _, part in parts])}
    if isinstance(note, dict):
        return [Said(with_note({**fields, "content": _text(fields["content"])}, {FIELDS: note}), None)]
    return [Said(fields | ({"id": name} if isinstance(name, str) and name else {}), None)]


def _replies(
    parts: list[tuple[int, dict[str, Any]]], path: str, where: str, damage: list[Damage], *, is_tool: bool
) -> list[Said]:
    """Return the steps of a reply: each is a message, and the results of its calls behind it."""
    found: list[Said] = []
    step = _Step()
    for at, part in parts:
        kind = part["type"]
        if kind == STEP or (step.results and not (is_tool_part(part) or kind == "tool-approval-response")):
            found += step.done()
            step = _Step()
        if kind == STEP:
            step.at.append(at)
        elif is_tool_part(part):
            try:
                step.tool(at, part)
            except TranscriptError as error:
                damage.append(Damage(f"{path}.{where}[{at}]", error.cause))
        elif not is_tool:
            step.at.append(at)
            step.content.append(_said(part))
    return found + step.done()


class _Step:
    """One reply of the model in the making."""

    def __init__(self) -> None:
        self.content: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.at: list[int] = []
        self.results: list[Said] = []

    def done(self) -> list[Said]:
        if not self.content and not self.calls:
            if self.results or not self.at:
                return self.results
            return [Said({"role": "assistant", "content": ""}, tuple(self.at))] if len(self.at) > 1 else []
        fields: dict[str, Any] = {"role": "assistant", "content": _content(self.content)}
        if self.calls:
            fields["toolCalls"] = self.calls
        return [Said(fields, tuple(self.at)), *self.results]

    def tool(self, at: int, part: dict[str, Any]) -> None:
        tool = _tool(part)
        if tool["state"] in ("input-streaming", "partial-call"):  # the model never finished the call
            self.at.append(at)
            self.content.append(part)
        elif part.get("providerExecuted") is True or (part["type"] == RESULT and self._is_providers(tool["id"])):
            self._provider(at, part, tool)
        else:
            if part["type"] != RESULT or not _is_result_only(part):
                self.at.append(at)
                self.calls.append(_call(part, tool))
            result = _result(part, tool)
            if result is not None:
                self.results.append(Said(result, (_R, at)))

    def _is_providers(self, identifier: str) -> bool:
        return any(part.get("type") == "provider-tool" and part["id"] == identifier for part in self.content)

    def _provider(self, at: int, part: dict[str, Any], tool: dict[str, Any]) -> None:
        self.at.append(at)
        result = _result(part, tool)
        words = None if result is None else result["content"]
        said = {"type": "error", "error": words} if result is not None and result.get("isError") else words
        for known in self.content:
            if known.get("type") == "provider-tool" and known["id"] == tool["id"]:
                known["result"] = said
                return
        ran = {"type": "provider-tool", "id": tool["id"], "name": tool["name"], "input": tool["input"]}
        self.content.append(ran | ({} if said is None else {"result": said}))


def _is_result_only(part: Mapping[str, Any]) -> bool:
    return part["type"] == RESULT and ("toolName" in part or "state" not in part)


def _tool(part: dict[str, Any]) -> dict[str, Any]:
    """Return the id, the name, the input and the state of a tool part."""
    said = part["toolInvocation"] if part["type"] == INVOCATION else part
    name = said.get("toolName")
    if name is None and part["type"].startswith("tool-"):
        name = part["type"].removeprefix("tool-")
    identifier = id_text(said.get("toolCallId"))
    if identifier is None or not isinstance(name, str):
        cause = f"expected a toolCallId and a tool's name; found {shown(said.get('toolCallId'))}, {shown(name)}"
        raise TranscriptError(f"{cause}; it was not read")
    given: Json = next((said[key] for key in ("input", "args", "rawInput") if said.get(key) is not None), {})
    return {"id": identifier, "name": name, "input": given, "state": said.get("state"), "said": said}


def _call(part: Mapping[str, Any], tool: Mapping[str, Any]) -> dict[str, Any]:
    beside = part.get("callProviderMetadata", part.get("providerOptions"))
    meta = {} if beside is None else {"providerMeta": beside}
    return {"id": tool["id"], "name": tool["name"], "args": tool["input"], **meta}


def _result(part: Mapping[str, Any], tool: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of the result that a part holds, or None where it holds none."""
    said, state = tool["said"], tool["state"]
    fields: dict[str, Any] = {"role": "tool", "toolCallId": tool["id"], "toolName": tool["name"]}
    approval = said.get("approval")
    denied = state == "approval-responded" and isinstance(approval, dict) and approval.get("approved") is False
    if state == "output-denied" or denied:
        reason = approval.get("reason") if isinstance(approval, dict) else None
        content = reason if isinstance(reason, str) else _DENIED
        fields |= {"content": content, "isError": True, "toolResultOrigin": "not-entered"}
    elif state == "output-error":
        fields |= {"content": _words(said.get("errorText")), "isError": True}
    elif _is_result_only(part):
        fields |= _model_output(said["output"]) if "output" in said else {"content": _words(said.get("result"))}
        if said.get("isError") is True:
            fields["isError"] = True
    elif state in ("output-available", "result"):
        fields["content"] = _words(said.get("output", said.get("result")))
    else:
        return None
    return with_note(fields, said)


def _model_output(output: Json) -> dict[str, Any]:
    """Return what the output of a model message says; it names its type."""
    kind = output.get("type") if isinstance(output, dict) else None
    if kind == "execution-denied":
        reason = output.get("reason")
        content = reason if isinstance(reason, str) else _DENIED
        return {"content": content, "isError": True, "toolResultOrigin": "not-entered"}
    if kind == "content" and isinstance(output.get("value"), list):
        return {"content": [part for part in output["value"] if isinstance(part, dict)]}
    if kind in ("text", "json", "error-text", "error-json") and "value" in output:
        failed = {"isError": True} if kind.startswith("error") else {}
        return {"content": _words(output["value"]), **failed}
    return {"content": _words(output)}


def _words(value: Json) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _said(part: dict[str, Any]) -> dict[str, Any]:
    """Return the message part of what is no tool's; anything but text and reasoning stays as it is."""
    kind = part["type"]
    text = part.get("text", part.get("reasoning"))
    beside = part.get("providerMetadata", part.get("providerOptions"))
    if kind not in ("text", "reasoning") or not isinstance(text, str):
        return part
    meta = {} if beside is None else {"providerMetadata": beside}
    if kind == "text":
        return {"type": "text", "text": text, **meta}
    details = {} if part.get("details") is None else {"continuity": part["details"]}
    return {"type": "thinking", "text": text, **meta, **details}


def _content(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    if not parts:
        return ""
    only = parts[0]
    return only["text"] if len(parts) == 1 and only.keys() == {"type", "text"} and only["type"] == "text" else parts


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        part["text"] for part in content if part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def new_row(message: Message, identifier: str, *, ui: bool, both: bool) -> dict[str, Any]:
    """Return the row of a new message: a UI message (with the `content` of older ones too), or a model message.

    `providerOptions` tell a model message, if it is the only one left, from OpenAI's.
    """
    if message.role == "tool":
        text = {"type": "text", "value": message.text}
        named = {"toolCallId": message.tool_call_id, "toolName": message.tool_name or ""}
        part = {"type": RESULT, **named, "output": text}
        row: dict[str, Any] = {"id": identifier, "role": "assistant"} if ui else {"role": "tool"}
        said = {"role": "tool", "content": message.text, **named}
        return row | {"parts" if ui else "content": [marked(part, said, message)]}
    said = {"role": message.role, "content": message.text}
    words = {"type": "text", "text": message.text}
    if not ui:
        return marked({"role": message.role, "content": message.text, "providerOptions": {FIELDS: {}}}, said, message)
    row = {"id": identifier, "role": message.role, **({"content": message.text} if both else {}), "parts": [words]}
    return marked(row, said, message)


def row_left(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a row with only these of its parts left, and with new results in the place of some."""
    old = parts_of_row(row)
    results = {some[1] for some in parts if isinstance(some, tuple) and some[:1] == (_R,)}
    own = {at for some in parts if isinstance(some, tuple) and some[:1] != (_R,) for at in some}
    kept: list[Any] = []
    for at, part in enumerate(old):
        new = cleared.get((_R, at))
        if new is not None:
            kept.append(_cleared(part, new))
        elif at in own and at not in results and is_tool_part(part) and _holds_result(part):
            kept.append(_unanswered(part))
        elif at in own or at in results:
            kept.append(part)
    if isinstance(row.get("parts"), list):
        return revise(row, {"parts": revise_items(row["parts"], kept)} | _repeated(row, kept))
    if isinstance(row.get("content"), list):
        return revise(row, {"content": revise_items(row["content"], kept)})
    return revise(row, _repeated(row, kept))


def _repeated(row: Mapping[str, Any], kept: list[Any]) -> dict[str, Any]:
    """Return the members in which an older row says its parts a second time."""
    changes: dict[str, Any] = {}
    if isinstance(row.get("content"), str):
        changes["content"] = "".join(part["text"] for part in kept if part.get("type") == "text")
    if isinstance(row.get("toolInvocations"), list):
        changes["toolInvocations"] = [part["toolInvocation"] for part in kept if part.get("type") == INVOCATION]
    return changes


def _holds_result(part: dict[str, Any]) -> bool:
    try:
        return not _is_result_only(part) and _result(part, _tool(part)) is not None
    except TranscriptError:
        return False


_OUTCOME = ("output", "errorText", "result", "approval", "preliminary", FIELDS)


def _unanswered(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == INVOCATION:
        said = without(part["toolInvocation"], _OUTCOME) | {"state": "call"}
        return without(part, (FIELDS,)) | {"toolInvocation": said}
    return without(part, _OUTCOME) | {"state": "input-available"}


def _cleared(part: dict[str, Any], message: Message) -> dict[str, Any]:
    """Return a part with a new result in the place of its old one."""
    said = {"role": "tool", "content": message.text}
    bare = without(part, _OUTCOME)
    if part["type"] == INVOCATION:
        held = without(part["toolInvocation"], _OUTCOME) | {"state": "result", "result": message.text}
        return bare | {"toolInvocation": marked(held, said, message)}
    if _is_result_only(part):
        value = {"output": {"type": "text", "value": message.text}} if "output" in part else {"result": message.text}
        return marked(without(bare, ("isError",)) | value, said, message)
    return marked(bare | {"state": "output-available", "output": message.text}, said, message)
