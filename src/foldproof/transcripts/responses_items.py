"""Items of the OpenAI Responses API, as messages: what request bodies, Codex sessions and Agents SDK states share.

* The items of one reply (reasoning, text, calls) are one message. It ends at a result, at another's words, and between
  two message items side by side; an item we wrote `starts` a reply where nothing else would tell.
* A result stands right behind the message of its call, in the order of the calls, wherever the file has it. They pair
  on `call_id`, never on `id`; a local shell's result has no `call_id` and names the call by its own `id`.
* Reasoning goes to `thinkingBlocks` as it is: it has to be sent back byte for byte, next to what follows it.
* A tool that the provider ran itself is a `provider-tool` part, its result with it where the file has one: web and file
  search, the code interpreter, MCP, a tool search on the server, a program.
* A compaction item is encrypted: nobody can read the summary, and the provider needs it back. It stays an opaque part
  of the model's, as do pictures the model made and requests for approval.
* Lists of tools, snapshots and triggers are facts beside the conversation; their items stay where they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, id_text, made_up_id, message_from, without
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.rows import Place, Places, with_note

STARTS: Final = "starts"
"""Key of our note on an item of the model's that is the first one of its reply."""

ROLES: Final = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""Roles of a message item, and what they are here."""

_CALLS: Final = {
    "function_call": (None, "arguments"),
    "custom_tool_call": (None, "input"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer", "action"),
    "tool_search_call": ("tool_search", "arguments"),
}
_RESULTS: Final = {
    "function_call_output": "output",
    "custom_tool_call_output": "output",
    "local_shell_call_output": "output",
    "shell_call_output": "output",
    "apply_patch_call_output": "output",
    "computer_call_output": "output",
    "tool_search_output": "tools",
}
_PROVIDER: Final = {
    "web_search_call": ("web_search", "action", "results"),
    "file_search_call": ("file_search", "queries", "results"),
    "code_interpreter_call": ("code_interpreter", "code", "outputs"),
    "mcp_call": (None, "arguments", "output"),
}
_OPAQUE: Final = ("compaction", "compaction_summary", "image_generation_call", "mcp_approval_request")
_BEGINNING: Final = ("tool_search_call", "program")
_ENDING: Final = ("tool_search_output", "program_output")
_HELD: Final = ("reasoning", *_PROVIDER, *_BEGINNING, *_ENDING, *_OPAQUE)
_BESIDE: Final = ("additional_tools", "mcp_list_tools", "compaction_trigger", "configuration_update", "ghost_snapshot")
_TEXTS: Final = ("input_text", "output_text", "text")
_PARTS: Final = ("input_text", "output_text", "input_image", "input_file", "refusal")
_TELLING: Final = (*_CALLS, *_RESULTS, *_PROVIDER, *_OPAQUE, "program", "program_output", "mcp_list_tools")


def is_telling(item: Json) -> bool:
    """Whether a value is an item of the Responses API for certain: no other format has such."""
    if not isinstance(item, dict):
        return False
    kind, content = item.get("type"), item.get("content")
    if kind in (None, "message"):
        parts = content if isinstance(content, list) else []
        return item.get("role") in tuple(ROLES) and any(isinstance(p, dict) and p.get("type") in _PARTS for p in parts)
    if kind == "reasoning":
        return isinstance(item.get("summary"), list)
    if not isinstance(kind, str) or kind not in _TELLING:
        return False
    if kind.startswith("compaction"):  # other formats call a row that
        return isinstance(item.get("encrypted_content"), str)
    return isinstance(item.get("call_id"), str) or (kind not in _CALLS and isinstance(item.get("id"), str))


def is_item(item: Json) -> bool:
    """Whether a value may be an item: it has a type, or a role as the message items that leave the type out."""
    return isinstance(item, dict) and (isinstance(item.get("type"), str) or isinstance(item.get("role"), str))


def content_of(content: Json, path: str, damage: list[Damage]) -> str | list[Any]:
    """Return content as a string where it is one text, else as parts; what is no part is damage.

    Raises:
        TranscriptError: it is neither text nor a list.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TranscriptError(f"expected text or a list of parts; found {shown(content)}", path=path)
    parts: list[Any] = []
    for at, part in enumerate(content):
        if isinstance(part, str):
            parts.append({"type": "text", "text": part})
        elif not isinstance(part, dict):
            damage.append(Damage(f"{path}[{at}]", f"expected a content part; found {shown(part)}; it was not read"))
        elif part.get("type") in _TEXTS and isinstance(part.get("text"), str):
            cited = {"citations": part["annotations"]} if part.get("annotations") else {}
            parts.append({"type": "text", "text": part["text"], **cited})
        else:
            parts.append(part)
    return _plainly(parts)


def _plainly(parts: list[Any]) -> str | list[Any]:
    """Return parts as a string, where they are nothing or one plain text."""
    if not parts:
        return ""
    only = parts[0] if len(parts) == 1 else {}
    return only["text"] if only.get("type") == "text" and len(only) == 2 else parts  # noqa: PLR2004 - type and text


def arguments_of(said: Json) -> Json:
    """Return arguments, which are JSON in a string. A model wrote that string: what is no JSON stays as it is."""
    if not isinstance(said, str):
        return said
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said


def text_of(value: Json) -> str:
    """Return a value as the model saw it: a string, or the JSON of what is none."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(slots=True)
class Draft:
    """A message that is being read."""

    fields: dict[str, Any]
    places: list[Place]
    path: str
    parts: list[Any] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    thinking: list[Any] = field(default_factory=list)
    results: list[tuple[int, Draft]] = field(default_factory=list)
    last: str = ""


@dataclass(slots=True)
class _Asked:
    draft: Draft
    position: int
    name: str
    answered: bool = False


class ItemReader:
    """Reads items in order. What cannot be read is added to `damage`; `finished` returns the messages."""

    def __init__(self, damage: list[Damage]) -> None:
        """Report to `damage`."""
        self.damage = damage
        self.drafts: list[Draft] = []
        self._unknown = UnknownKinds("item type")
        self._open: Draft | None = None
        self._asked: dict[str, list[_Asked]] = {}

    def add(self, item: dict[str, Any], place: Place, path: str, note: Json = None) -> None:
        """Read the next item; `note` holds the fields that we put beside it."""
        said = without(item, (FIELDS,)) if FIELDS in item else item
        try:
            self._add(said, place, path, note if isinstance(note, dict) else None)
        except TranscriptError as error:
            self.damage.append(damage_of(error))

    def ends_reply(self) -> None:
        """Say that the next item is of another reply."""
        self._open = None

    def finished(self) -> tuple[tuple[Message, ...], tuple[Places, ...]]:
        """Return the messages in order, and where each stands."""
        self.damage += self._unknown.damage()
        messages: list[Message] = []
        places: list[Places] = []
        for draft in self._in_order():
            try:
                message = self.message(draft, messages)
            except TranscriptError as error:
                self.damage.append(damage_of(error))
                continue
            messages.append(message)
            places.append(tuple(draft.places))
        return tuple(messages), tuple(places)

    def message(self, draft: Draft, before: Sequence[Message]) -> Message:  # noqa: ARG002 - for who folds them
        """Return the message of a draft; `before` are those ahead of it."""
        fields = draft.fields
        if fields["role"] == "assistant":
            fields["content"] = _plainly(draft.parts)
            if draft.calls:
                fields["toolCalls"] = draft.calls
            if draft.thinking:
                fields["thinkingBlocks"] = draft.thinking
        return message_from(fields, draft.path)

    def about(self, content: str | list[Any]) -> Mapping[str, Any]:  # noqa: ARG002 - for who knows an app
        """Return what the words of a user message say about who wrote them."""
        return {}

    def result(self, item: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return what a result says: its content, and whether it is an error.

        Raises:
            TranscriptError: it says nothing.
        """
        kind = str(item["type"])
        name = _RESULTS[kind]
        if name not in item:
            raise TranscriptError(f"expected {name} of a tool; found {shown(list(item)[:8])}", path=f"{path}.{name}")
        output = item[name]
        failed = {"isError": True} if item.get("status") == "failed" or _has_failed(output) else {}
        if kind == "computer_call_output" and isinstance(output, dict):
            return {"content": [output], **failed}
        if kind in ("shell_call_output", "tool_search_output") or isinstance(output, dict | int | float):
            return {"content": text_of(output), **failed}
        return {"content": content_of(output, f"{path}.{name}", self.damage), **failed}

    def _in_order(self) -> Iterable[Draft]:
        for draft in self.drafts:
            yield draft
            for _, result in sorted(draft.results, key=lambda pair: pair[0]):
                yield result

    def _add(self, item: dict[str, Any], place: Place, path: str, note: dict[str, Any] | None) -> None:
        kind = item.get("type", "message" if "role" in item else None)
        if note is not None and note.get(STARTS) is True:
            self._open = None
        if kind == "message":
            self._message_item(item, place, path, note)
        elif not isinstance(kind, str):
            self._unknown.add(kind, path)
        elif kind in _CALLS and not _is_on_server(item):
            self._call(kind, item, place, path)
        elif kind in _RESULTS and not _is_on_server(item):
            self._result(item, place, path, note)
        elif kind in _HELD:
            _hold(self._reply(item, place, path), kind, item)
        elif kind == "mcp_approval_response":  # the app passes on what was decided
            self._say({"role": "user", "content": [item], "injectedBy": "openai"}, item, place, path, note)
        elif kind == "item_reference":
            raise TranscriptError("an item that is not in the document; the provider keeps it", path=path)
        elif kind not in _BESIDE:
            self._unknown.add(kind, path)

    def _message_item(self, item: dict[str, Any], place: Place, path: str, note: dict[str, Any] | None) -> None:
        role = item.get("role")
        if not isinstance(role, str) or role not in ROLES:
            expected = ", ".join(ROLES)
            raise TranscriptError(f"unknown role {shown(role)}; expected one of {expected}", path=f"{path}.role")
        if "content" not in item:
            raise TranscriptError("expected content; found none", path=f"{path}.content")
        content = content_of(item["content"], f"{path}.content", self.damage)
        if role == "assistant":
            draft = self._reply(item, place, path)
            draft.parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
            if isinstance(item.get("id"), str):
                draft.fields["id"] = item["id"]
            return
        about = self.about(content) if role == "user" else {}
        self._say({"role": ROLES[role], "content": content, **about}, item, place, path, note)

    def _say(
        self, said: dict[str, Any], item: dict[str, Any], place: Place, path: str, note: dict[str, Any] | None
    ) -> None:
        self._open = None
        self.drafts.append(Draft(_noted(_named(said, item), note), [place], path))

    def _reply(self, item: dict[str, Any], place: Place, path: str) -> Draft:
        kind = str(item.get("type", "message"))
        draft = self._open
        if draft is None or (kind == draft.last == "message"):
            draft = self._open = Draft(_named({"role": "assistant"}, item), [], path)
            self.drafts.append(draft)
        draft.places.append(place)
        draft.last = kind
        return draft

    def _call(self, kind: str, item: dict[str, Any], place: Place, path: str) -> None:
        known, key = _CALLS[kind]
        name = known or item.get("name")
        if not isinstance(name, str):
            raise TranscriptError(f"expected a call with a name; found {shown(name)}", path=f"{path}.name")
        said = item.get(key, item.get("actions"))
        identifier = id_text(item.get("call_id"))
        if identifier is None:
            identifier = id_text(item.get("id")) or made_up_id("call", name, said)
        draft = self._reply(item, place, path)
        asked = _Asked(draft, len(draft.calls), name)
        twins = self._asked.get(identifier)
        if twins is not None and twins[0].draft is draft:
            twins.append(asked)
        else:
            self._asked[identifier] = [asked]
        draft.calls.append({"id": identifier, "name": name, "args": said if key == "input" else arguments_of(said)})

    def _result(self, item: dict[str, Any], place: Place, path: str, note: dict[str, Any] | None) -> None:
        identifier = id_text(item.get("call_id"))
        if identifier is None:
            identifier = id_text(item.get("id"))
        told = self.result(item, path) if note is None else ItemReader.result(self, item, path)
        said = _named({"role": "tool", "toolCallId": identifier}, item) | told
        fields = _noted(said, note)
        self._open = None
        draft = Draft(fields, [place], path)
        asked = self._asked.get(str(fields.get("toolCallId")))
        if asked is None:
            self.drafts.append(draft)
            return
        call = next((one for one in asked if not one.answered), asked[-1])
        call.answered = True
        if note is None:
            fields["toolName"] = call.name
        call.draft.results.append((call.position, draft))


def _hold(draft: Draft, kind: str, item: dict[str, Any]) -> None:
    """Add to a reply what is neither said nor called."""
    if kind == "reasoning":
        draft.thinking.append(item)
    elif kind in _PROVIDER:
        draft.parts.append(_provider_tool(item, *_PROVIDER[kind]))
    elif kind in _BEGINNING:
        draft.parts.append(_begun(item))
    elif kind in _ENDING:
        _end(draft.parts, item)
    else:
        draft.parts.append(item)


def _named(said: dict[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    return said | {"id": item["id"]} if isinstance(item.get("id"), str) else said


def _noted(said: dict[str, Any], note: dict[str, Any] | None) -> dict[str, Any]:
    return said if note is None else with_note(said, {FIELDS: note})


def _is_on_server(item: Mapping[str, Any]) -> bool:
    """Whether the provider ran a tool search itself."""
    search = str(item.get("type")).startswith("tool_search")
    return search and (item.get("execution") == "server" or not isinstance(item.get("call_id"), str))


def _has_failed(output: Json) -> bool:
    """Whether a command of a shell call ended with an exit code other than zero."""
    outcomes = [one.get("outcome") for one in output if isinstance(one, dict)] if isinstance(output, list) else []
    return any(isinstance(one, dict) and one.get("exit_code", 0) != 0 for one in outcomes)


def _provider_tool(item: dict[str, Any], known: str | None, asks: str, says: str) -> dict[str, Any]:
    given = arguments_of(item.get(asks))
    name = known or (item["name"] if isinstance(item.get("name"), str) else "mcp")
    part = {"type": "provider-tool", "id": _id_of(item), "name": name, "input": given, "provider": "openai"}
    result = item.get(says)
    if result is None and isinstance(given, dict):
        result = given.get("sources")
    if item.get("error") is not None:
        result = {"type": "error", "error": item["error"]}
    return part if result is None else part | {"result": result}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    """Return the call of a tool whose result is an item of its own."""
    if item["type"] == "program":
        return {"type": "provider-tool", "id": _id_of(item), "name": "program", "input": item.get("code")}
    search = {"type": "provider-tool", "id": _id_of(item), "name": "tool_search"}
    return search | {"input": arguments_of(item.get("arguments")), "provider": "openai"}


def _end(parts: list[Any], item: dict[str, Any]) -> None:
    """Put a result to its call, or, where a client's results stand between the two, behind it."""
    name = "program" if item["type"] == "program_output" else "tool_search"
    result = item.get("result" if name == "program" else "tools")
    for part in parts:
        if part.get("type") == "provider-tool" and part.get("name") == name and "result" not in part:
            part["result"] = result
            return
    half = {"type": "provider-tool-result", "id": _id_of(item), "name": name, "result": result}
    parts.append(half if name == "program" else item)


def _id_of(item: Mapping[str, Any]) -> str:
    names = ("call_id", "id") if str(item["type"]).startswith("program") else ("id", "call_id")
    found = next((item[name] for name in names if isinstance(item.get(name), str)), None)
    return found or made_up_id("tool", dict(item))
