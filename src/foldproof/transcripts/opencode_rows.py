"""One message of OpenCode, `{info, parts}`: which messages it holds, and how it is written with some of them gone.

What was checked stands in `opencode`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.messages import PERSON_SAID, Message, frame_kind
from foldproof.transcripts.codec import FIELDS, made_up_id, without
from foldproof.transcripts.damage import Damage, UnknownKinds
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, noted, with_note

_APP = "opencode"
_SILENT = ("step-start", "step-finish", "snapshot", "patch", "agent", "retry")
_SAYS = ("text", "reasoning", "file")
_REFUSED = (
    "The user rejected permission",
    "The user dismissed",
    "The user has specified a rule",
    "Rule prevents tool usage",
    "Tool execution aborted",
    "[Tool execution was interrupted]",
)
"""How an error opens that OpenCode wrote in the place of a tool that never ran, or was broken off."""

_FEEDBACK = "with the following feedback:"

MARKER: Final = "compaction"


@dataclass(slots=True)
class Group:
    """The parts of a row that make one message.

    Attributes:
        key: which part of the row the message is, for `Place`.
        parts: the indices of its parts in the row.
        fields: the message; None for parts that say nothing.
    """

    key: Part
    parts: list[int]
    fields: dict[str, Any] | None = None
    results: list[Group] = field(default_factory=list)


class RowReader:
    """Reads the rows of one session."""

    def __init__(self, damage: list[Damage], kinds: UnknownKinds, *, is_child: bool) -> None:
        """Read a session; in a sub-agent's no person speaks."""
        self._damage, self._kinds, self._is_child = damage, kinds, is_child

    def groups(self, row: dict[str, Any], path: str) -> list[Group]:
        """Return the messages of a row, each with its results.

        Raises:
            TranscriptError: it is no message of OpenCode, and where.
        """
        info, parts = row.get("info"), row.get("parts")
        if not isinstance(info, dict) or info.get("role") not in ("user", "assistant"):
            raise TranscriptError(f"expected info with the role user or assistant; found {shown(info)}", path=path)
        if not isinstance(parts, list):
            raise TranscriptError(f"expected a list of parts; found {shown(parts)}", path=f"{path}.parts")
        if isinstance(row.get(FIELDS), dict):
            return [Group("all", list(range(len(parts))), with_note(said_of(row), row))]
        kinds = [self._kind(part, info["role"], f"{path}.parts[{at}]") for at, part in enumerate(parts)]
        if info["role"] == "user":
            return self._from_user(info, parts, kinds)
        if info.get("summary") is True and not info.get("error"):
            words = summary_text(parts)
            return [Group("summary", list(range(len(parts))), {"content": words})] if words else []
        return [group for run in _runs(kinds) if (group := self._turn(info, parts, run, kinds, path)).fields]

    def _kind(self, part: Json, role: str, path: str) -> str:
        """Return the type of a part, `provider-tool` for a tool the provider ran, "" for one that cannot be read."""
        if not isinstance(part, dict):
            self._damage.append(Damage(path, f"expected a part; found {shown(part)}; it was not read"))
            return ""
        kind = part.get("type")
        known = (*_SAYS, MARKER, "subtask" if role == "user" else "tool", *_SILENT)
        if not isinstance(kind, str) or kind not in known:
            self._kinds.add(kind, path)
            return ""
        cause = _wrong(part, kind)
        if cause:
            self._damage.append(Damage(path, cause))
            return ""
        return "provider-tool" if kind == "tool" and _ran_at_the_provider(part) else kind

    def _from_user(self, info: dict[str, Any], parts: list[Any], kinds: list[str]) -> list[Group]:
        """Return what a person said, and what the app put beside it, as two messages."""
        own, app = Group("own", []), Group("app", [])
        for at, (part, kind) in enumerate(zip(parts, kinds, strict=True)):
            if kind == "subtask" or (kind == "text" and part.get("synthetic") and not part.get("ignored")):
                app.parts.append(at)
            elif kind == "file" or (kind == "text" and not part.get("ignored")):
                own.parts.append(at)
        for group in (own, app):
            content = [_user_part(parts[at]) for at in group.parts]
            group.fields = {"role": "user", "content": _content(content)}
        own.fields = {**(own.fields or {}), **_id(info)}
        if self._is_child:
            own.fields["injectedBy"] = _APP
        app.fields = {**(app.fields or {}), "injectedBy": _APP}
        return sorted((group for group in (own, app) if group.parts), key=lambda group: group.parts[0])

    def _turn(self, info: dict[str, Any], parts: list[Any], run: list[int], kinds: list[str], path: str) -> Group:
        turn = Group(("turn", run[0]), run)
        content: list[dict[str, Any]] = []
        calls: list[dict[str, Any]] = []
        fields: dict[str, Any] = {"role": "assistant"}
        for at in run:
            part, kind = parts[at], kinds[at]
            if kind == "provider-tool":
                content.append(_provider_tool(part))
            elif kind == "tool":
                identifier = _call_id(info, part)
                calls.append({"id": identifier, "name": part["tool"], "args": part["state"].get("input", {})})
                said = _result(part, identifier)
                if said is not None:
                    turn.results.append(Group(("result", at), [at], with_note(said, part)))
                elif part["state"].get("status") not in ("pending", "running"):
                    cause = f"expected output; found {shown(part['state'])}; the call stays without a result"
                    self._damage.append(Damage(f"{path}.parts[{at}].state", cause))
            elif kind in _SAYS:
                content.append(_part(part))
            elif kind == "step-finish" and isinstance(part.get("reason"), str):
                fields["finishReason"] = part["reason"]
                continue
            else:
                continue
            fields |= {} if "id" in fields else _id(part)
        if content or calls:
            named = {"model": info["modelID"]} if isinstance(info.get("modelID"), str) else {}
            turn.fields = fields | named | {"content": _content(content)} | ({"toolCalls": calls} if calls else {})
        return turn


def _wrong(part: dict[str, Any], kind: str) -> str:
    """Return what is wrong with a part of a known type, or ""."""
    if kind in ("text", "reasoning") and not isinstance(part.get("text"), str):
        return f"expected text; found {shown(part.get('text'))}; it was not read"
    if kind == "tool" and not (isinstance(part.get("tool"), str) and isinstance(part.get("state"), dict)):
        return "expected a tool with a state; it was not read"
    return ""


def _runs(kinds: list[str]) -> list[list[int]]:
    """Return the parts of each reply of the model: they begin at step-start; without one, at words behind a call."""
    stepwise = "step-start" in kinds
    runs: list[list[int]] = [[]]
    called = False
    for at, kind in enumerate(kinds):
        begins = kind == "step-start" if stepwise else called and kind in ("text", "reasoning")
        if begins and runs[-1]:
            runs.append([])
            called = False
        runs[-1].append(at)
        called = called or kind == "tool"
    return [run for run in runs if run]


def _id(holder: dict[str, Any]) -> dict[str, Any]:
    return {"id": holder["id"]} if isinstance(holder.get("id"), str) else {}


def _call_id(info: dict[str, Any], part: dict[str, Any]) -> str:
    known = part.get("callID")
    if isinstance(known, str):
        return known
    return made_up_id("call", info.get("id"), part.get("id"), part["tool"], part["state"].get("input"))


def _content(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    if not parts:
        return ""
    return parts[0]["text"] if len(parts) == 1 and parts[0].keys() == {"type", "text"} else parts


def _user_part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == "subtask":
        return {"type": "text", "text": str(part.get("prompt") or "")}
    return _part(part)


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    if part["type"] == "reasoning":
        kept = part.get("metadata")
        return {"type": "thinking", "text": part["text"], **({"continuity": kept} if kept else {})}
    return part


def _ran_at_the_provider(part: dict[str, Any]) -> bool:
    metadata = part.get("metadata")
    return isinstance(metadata, dict) and metadata.get("providerExecuted") is True


def _provider_tool(part: dict[str, Any]) -> dict[str, Any]:
    state = part["state"]
    result = state.get("error") if state.get("status") == "error" else state.get("output")
    said = {"type": "provider-tool", "id": str(part.get("callID")), "name": part["tool"], "input": state.get("input")}
    return said | ({} if result is None else {"result": result})


def _result(part: dict[str, Any], identifier: str) -> dict[str, Any] | None:
    """Return the result of a call, or None for one that was never given."""
    state = part["state"]
    said = {"role": "tool", "toolCallId": identifier, "toolName": part["tool"]}
    if state.get("status") == "error":
        return said | _error(state)
    if state.get("status") in ("pending", "running") or "output" not in state:
        return None
    output = state["output"]
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    attached = state.get("attachments")
    files = [one for one in attached if isinstance(one, dict)] if isinstance(attached, list) else []
    return said | {"content": [{"type": "text", "text": text}, *files] if files else text}


def _error(state: dict[str, Any]) -> dict[str, Any]:
    """Return a failure. What a tool that was broken off had said by then is its own."""
    metadata = state.get("metadata")
    partial = metadata.get("output") if isinstance(metadata, dict) and metadata.get("interrupted") is True else None
    text = partial if isinstance(partial, str) else state.get("error")
    words = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    refused = partial is None and words.startswith(_REFUSED)
    fields = {"content": words, "isError": True}
    if not refused:
        return fields
    said = words.partition(_FEEDBACK)[2].strip() if words.startswith(_REFUSED[0]) else ""
    return fields | {"toolResultOrigin": "not-entered"} | ({"metadata": {PERSON_SAID: said}} if said else {})


def summary_text(parts: Sequence[Any]) -> str:
    """Return the words of a row that holds the summary of a compaction."""
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def said_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the words of a row we wrote give."""
    role = "user" if row["info"].get("summary") is True else row["info"]["role"]
    return {"role": role, "content": summary_text(row["parts"])}


def encode(message: Message) -> list[dict[str, Any]]:
    """Return the rows of a new message, without ids: a summary is the marker of a compaction and what it made.

    Raises:
        TranscriptError: OpenCode has no place for it.
    """
    if message.role in ("system", "tool"):
        raise TranscriptError(f"OpenCode has no row for a {message.role} message; leave the calls and results together")
    text: dict[str, Any] = {"type": "text", "text": message.text}
    if message.role == "user" and frame_kind(message) == "summary":
        marker = {"info": {"role": "user"}, "parts": [{"type": MARKER, "auto": False}]}
        info = {"role": "assistant", "mode": MARKER, "agent": MARKER, "summary": True, "finish": "stop"}
        return [marker, _with_note({"info": info, "parts": [text]}, message)]
    if message.role == "user":
        return [_with_note({"info": {"role": "user"}, "parts": [text | {"synthetic": True}]}, message)]
    calls = [
        {"type": "tool", "callID": call.id, "tool": call.name, "state": {"status": "pending", "input": call.args}}
        for call in message.tool_calls
    ]
    return [_with_note({"info": {"role": "assistant"}, "parts": [text, *calls]}, message)]


def _with_note(row: dict[str, Any], message: Message) -> dict[str, Any]:
    return row | {FIELDS: noted({}, said_of(row), message).get(FIELDS, {})}


def shrunk(row: dict[str, Any], kept: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a row with only these messages left, and with new results in the place of some."""
    reader = RowReader([], UnknownKinds("part type"), is_child=False)
    gone: set[int] = set()
    for group in reader.groups(row, "$"):
        if group.key not in kept:
            gone.update(group.parts)
    parts = row["parts"]
    results = {key[1]: message for key, message in cleared.items() if isinstance(key, tuple)}
    if len(results) != len(cleared):
        raise TranscriptError("only a result can be cleared; remove the whole turn")
    left = [
        _cleared(part, _call_id(row["info"], part), results[at]) if at in results else part
        for at, part in enumerate(parts)
        if at not in gone
    ]
    return revise(row, {"parts": revise_items(parts, left)})


def _cleared(part: dict[str, Any], identifier: str, message: Message) -> dict[str, Any]:
    state = without(part["state"], ("attachments",))
    if isinstance(state.get("metadata"), dict):  # which may hold the output once more
        state["metadata"] = without(state["metadata"], ("output", "interrupted"))
    state["error" if state.get("status") == "error" else "output"] = message.text
    emptied = without(part, (FIELDS,)) | {"state": state}
    said = _result(emptied, identifier) or {}
    return emptied | {FIELDS: noted({}, said, message).get(FIELDS, {})}
