"""One LangChain message as a row of JSON: read into a message, and written from one. `langchain` says what was checked.

A message is stored in one of three forms, and a list may mix them: `{type, data}` (`messages_to_dict`), `{lc, type:
"constructor", id, kwargs}` (`dumpd`), and flat (`{type, content, …}`, what LangGraph's API and LangSmith show).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, author_of, frame_kind
from foldproof.transcripts.codec import FIELDS, fields_of, made_up_id, message_from, parts_from
from foldproof.transcripts.compactions import summary_frame_of
from foldproof.transcripts.json_text import Json, revise
from foldproof.transcripts.langchain_blocks import call_of, calls_beside, said_in, tool_content
from foldproof.transcripts.rows import noted, with_note

APP = "langchain"
"""Who is named for what no person wrote."""

SOURCE = "lc_source"
"""Key in `additional_kwargs` that names the feature that added a message."""

_SUMMARY = "summarization"
_ANSWERED = "hitl_interrupt_decision"
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_SPEAKERS = {"user": "human", "assistant": "ai", "developer": "system"} | {kind: kind for kind in _ROLES}
_CLASSES = {"human": "Human", "ai": "AI", "system": "System", "tool": "Tool", "function": "Function", "chat": "Chat"}
KINDS = {kind: kind for kind in (*_CLASSES, "remove")} | {"developer": "system", "RemoveMessage": "remove"}
"""Kinds of messages, by every name that a row may give them."""
KINDS |= {f"{name}Message{end}": kind for kind, name in _CLASSES.items() for end in ("", "Chunk")}

_NEVER_RAN = ("User rejected the tool call for `", "Tool call limit exceeded.", "Error invoking tool '")
_NEVER_RAN_IN = (
    " is not a valid tool, try one of [",
    " could not be executed - arguments were malformed",
    " did not complete - no result was recorded.",
    " was cancelled - another message came in",
    " was blocked because it was classified as risky",
)
_QUOTES_ARGUMENTS = "Error executing tool '"
_OPENING = 300  # characters in which words of the framework are looked for

Form = Literal["data", "lc", "flat"]


class Stored(NamedTuple):
    """A stored message: its form, its kind, its fields, and the path of these below the row."""

    form: Form
    kind: str
    fields: dict[str, Any]
    path: str


def stored(row: Json) -> Stored | None:
    """Return what a row stores, or None when it is no LangChain message."""
    if not isinstance(row, dict):
        return None
    if "lc" in row:
        return _constructed(row)
    kind = row.get("type", row.get("role"))
    name = kind if isinstance(kind, str) else ""
    if isinstance(row.get("data"), dict) and "type" in row:
        kind = KINDS.get(name)
        says = kind == "remove" or "content" in row["data"]
        return Stored("data", kind, row["data"], ".data") if kind is not None and says else None
    kind = KINDS.get(name) or _SPEAKERS.get(name)
    if kind is None or ("content" not in row and kind != "remove"):
        return None
    return Stored("flat", kind, row, "")


def _constructed(row: dict[str, Any]) -> Stored | None:
    names = row.get("id")
    if row.get("type") != "constructor" or not isinstance(names, list) or not isinstance(row.get("kwargs"), dict):
        return None
    name = names[-1] if names else None
    kind = KINDS.get(name) if isinstance(name, str) and "Message" in name else None
    return None if kind is None else Stored("lc", kind, row["kwargs"], ".kwargs")


def is_certain(row: Json) -> bool:
    """Whether a row is a LangChain message for certain: no other format has rows like it."""
    known = stored(row)
    if known is None or known.form != "flat":
        return known is not None
    return "role" not in row and (known.kind in ("human", "ai") or "additional_kwargs" in row)


class RowReader:
    """Reads rows in order: a result may name its tool only by its call, and a legacy one is paired by order."""

    def __init__(self, *, named_are_people: bool = False) -> None:
        """Read rows; `named_are_people`: who has a name among the human messages is a person (`names_people`)."""
        self.names: dict[str, str] = {}
        self._named_are_people = named_are_people
        self._waiting: list[tuple[str, str]] = []  # calls recorded without an id: (id made up, name)

    def message(self, row: Json, path: str) -> Message | None:
        """Return the message of the next row; None for one that removes another.

        Raises:
            TranscriptError: it is no LangChain message, or cannot be read, and where.
        """
        known = stored(row)
        if known is None:
            expected = "a message as messages_to_dict, dumpd or LangGraph write it"
            raise TranscriptError(f"expected {expected}; found {_outline(row)}", path=path)
        if known.kind == "remove":
            return None
        return message_from(self.said(known, path + known.path), path)

    def said(self, known: Stored, path: str) -> dict[str, Any]:
        """Return the fields of a stored message."""
        fields = known.fields
        beside = fields.get("additional_kwargs")
        beside = beside if isinstance(beside, dict) else {}
        escaped = known.form == "lc"
        note = unescaped(beside[FIELDS]) if escaped and FIELDS in beside else beside.get(FIELDS)
        kind = known.kind if known.kind != "chat" else _SPEAKERS.get(str(fields.get("role")), "human")
        if kind == "ai":
            said = self._spoken(fields, beside, path, escaped=escaped)
        elif kind in ("tool", "function"):
            said = self._result(fields, beside, path, note if isinstance(note, dict) else None)
        else:
            said = {"role": _ROLES[kind], "content": parts_from(fields.get("content"), f"{path}.content")}
            if kind == "human":
                said |= _author(known, said["content"], beside, people=self._named_are_people)
        if isinstance(fields.get("id"), str):
            said["id"] = fields["id"]
        return with_note(said, {FIELDS: note}) if note is not None else said

    def _spoken(self, fields: dict[str, Any], beside: dict[str, Any], path: str, *, escaped: bool) -> dict[str, Any]:
        said: dict[str, Any] = {"role": "assistant", "content": parts_from(fields.get("content"), f"{path}.content")}
        inside: list[dict[str, Any]] = []
        if not isinstance(said["content"], str):
            words = said_in(said["content"])
            said["content"] = words.content
            inside = words.calls
            if words.thinking:
                said["thinkingBlocks"] = words.thinking
        calls = calls_beside(fields, beside, inside, path)
        self._waiting = []
        if calls:
            said["toolCalls"] = [self._call(call, at, escaped=escaped) for at, call in enumerate(calls)]
        if isinstance(fields.get("name"), str):
            said["name"] = fields["name"]
        about = fields.get("response_metadata")
        if isinstance(about, dict) and about:
            said |= _first(about, "model", "model_name", "model") | _first(
                about, "finishReason", "finish_reason", "stop_reason"
            )
        return said

    def _call(self, call: dict[str, Any], at: int, *, escaped: bool) -> dict[str, Any]:
        if escaped:
            call["args"] = unescaped(call["args"])
        if call["id"] is None:
            identifier = made_up_id("call", at, call["name"], call["args"])
            self._waiting.append((identifier, call["name"]))
            call["id"] = identifier
        self.names[call["id"]] = call["name"]
        return call

    def _result(
        self, fields: dict[str, Any], beside: dict[str, Any], path: str, note: dict[str, Any] | None
    ) -> dict[str, Any]:
        ours = note is not None
        content = tool_content(fields.get("content"), f"{path}.content")
        name = fields.get("name") if isinstance(fields.get("name"), str) else None
        identifier = fields.get("tool_call_id")
        if not isinstance(identifier, str) or not identifier:
            identifier = self._next_waiting(name) if note is None else None
        answered = identifier if note is None else note.get("toolCallId", identifier)
        self._waiting = [call for call in self._waiting if call[0] != answered]
        said: dict[str, Any] = {"role": "tool", "content": content, "toolCallId": identifier}
        name = name or (None if ours or identifier is None else self.names.get(identifier))
        if name is not None:
            said["toolName"] = name
        if ours:
            return said
        failed = fields.get("status") == "error"
        if failed:
            said["isError"] = True
        return said | _origin(content, fields, beside, failed=failed)

    def _next_waiting(self, name: str | None) -> str:
        at = next((at for at, (_, called) in enumerate(self._waiting) if called == name), 0)
        return self._waiting.pop(at)[0] if self._waiting else made_up_id("function", name)


def names_people(rows: Iterable[Json]) -> bool:
    """Whether the human messages with a name are those of people: no message without one is a person's."""
    reader = RowReader()
    for row in rows:
        known = stored(row)
        if known is None or known.kind not in ("human", "chat") or _name_of(known.fields) is not None:
            continue
        try:
            message = reader.message(row, "$")
        except TranscriptError:  # whoever reads the rows says so
            continue
        if message is not None and author_of(message) == "person":
            return False
    return True


def with_author(row: dict[str, Any], *, people: bool) -> dict[str, Any]:
    """Return a row that says for itself whether a human message with a name is a person's, where it has one."""
    known = stored(row)
    if known is None or known.kind not in ("human", "chat") or _name_of(known.fields) is None:
        return row
    held = known.fields.get("additional_kwargs")
    beside = held if isinstance(held, dict) else {}
    said = _author(known, "", beside, people=people)
    note = beside.get(FIELDS)
    if "injectedBy" not in said and "metadata" in said:
        return row
    note = {"injectedBy": said.get("injectedBy")} | (note if isinstance(note, dict) else {})
    fields = revise(known.fields, {"additional_kwargs": beside | {FIELDS: note}})
    return fields if known.form == "flat" else revise(row, {known.path[1:]: fields})


def _name_of(fields: dict[str, Any]) -> str | None:
    name = fields.get("name")
    return name if isinstance(name, str) and name else None


def _author(known: Stored, content: object, beside: dict[str, Any], *, people: bool) -> dict[str, Any]:
    """Return what says that no person wrote a human message: an agent's name, a feature's, or that it is an example."""
    fields = known.fields
    source = beside.get(SOURCE)
    if source == _SUMMARY:
        summary = summary_frame_of(content if isinstance(content, str) else "", originals=None)
        return {"metadata": summary.metadata}
    name = _name_of(fields)
    named = {} if name is None else {"name": name}
    foreign = known.kind == "chat" and _SPEAKERS.get(str(fields.get("role"))) is None
    if isinstance(source, str) or (name is not None and not people) or foreign or fields.get("example") is True:
        return named | {"injectedBy": APP}
    return named


def _origin(content: object, fields: dict[str, Any], beside: dict[str, Any], *, failed: bool) -> dict[str, Any]:
    """Return what says that the words of a result are not the tool's."""
    if beside and beside.get(SOURCE) == _ANSWERED:
        return {"toolResultOrigin": "not-entered"}
    about = fields.get("response_metadata")
    edited = about.get("context_editing") if about and isinstance(about, dict) else None
    if isinstance(edited, dict) and edited.get("cleared") is True:
        return {"toolChars": 0}
    if not failed or not isinstance(content, str):
        return {}
    text = content[:_OPENING]
    if text.startswith(_NEVER_RAN) or any(words in text for words in _NEVER_RAN_IN):
        return {"toolResultOrigin": "not-entered"}
    return {"toolChars": 0} if text.startswith(_QUOTES_ARGUMENTS) else {}


def _first(about: dict[str, Any], field: str, *names: str) -> dict[str, str]:
    value = next((about[name] for name in names if isinstance(about.get(name), str)), None)
    return {} if value is None else {field: value}


def _outline(row: Json) -> str:
    return f"an object with {shown(list(row)[:6])}" if isinstance(row, dict) else shown(row)


class Style(NamedTuple):
    """How new messages are written: the form of those around them, and what comes ahead of a class name there."""

    form: Form
    package: tuple[str, ...] = ("langchain", "schema", "messages")


def style_of(rows: list[Any]) -> Style:
    """Return how the first message among these rows is stored."""
    for row in rows:
        known = stored(row)
        if known is None:
            continue
        if known.form == "lc" and row["id"][0] == "langchain_core":
            return Style("lc", ("langchain_core", "messages"))
        return Style(known.form)
    return Style("data")


def encode_row(message: Message, style: Style, instead_of: Json = None) -> dict[str, Any]:
    """Return the row of a new message. What LangChain has no field for stands in `additional_kwargs`.

    Args:
        message: the message.
        style: how it is stored.
        instead_of: the row of the result that a cleared one takes the place of: it stays of its kind, has its id, and
            answers what that did in the words of the file.
    """
    old = stored(instead_of) if message.role == "tool" else None
    kind = {"user": "human", "assistant": "ai", "tool": old.kind if old else "tool"}.get(message.role, message.role)
    fields = fields_of(message)
    beside: dict[str, Any] = {SOURCE: _SUMMARY} if frame_kind(message) == "summary" else {}
    data: dict[str, Any] = {
        "content": fields.get("content", ""),
        "additional_kwargs": beside,
        "response_metadata": {},
        "type": kind,
        "name": message.tool_name if message.role == "tool" else message.name,
        "id": message.id or (old.fields.get("id") if old else None),
    }
    if kind == "tool":
        answers = (old.fields.get("tool_call_id") if old else message.tool_call_id) or ""
        data |= {"tool_call_id": answers, "status": "error" if message.is_error else "success"}
    elif kind == "function":
        data["name"] = message.tool_name or ""
    if kind == "ai":
        calls = [call_of(call) for call in fields.get("toolCalls", [])]
        data["tool_calls"] = [call for call in calls if call["type"] == "tool_call"]
        data["invalid_tool_calls"] = [call for call in calls if call["type"] != "tool_call"]
    said = RowReader().said(Stored("flat", kind, data | {"additional_kwargs": beside | {FIELDS: {}}}, ""), "$")
    # Whether a name is a person's depends on the messages around it; what is new says so for itself.
    note = {"injectedBy": fields.get("injectedBy")} if kind == "human" and message.name is not None else {}
    data["additional_kwargs"] = beside | {FIELDS: note | noted({}, said, message).get(FIELDS, {})}
    if style.form == "data":
        return {"type": kind, "data": data}
    if style.form == "flat":
        return data
    kwargs = {name: escaped(value) for name, value in data.items() if value is not None}
    return {"lc": 1, "type": "constructor", "id": [*style.package, f"{_CLASSES[kind]}Message"], "kwargs": kwargs}


_ESCAPE = "__lc_escaped__"


def escaped(value: Json) -> Json:
    """Return a value in which no plain object can pass for a constructor of LangChain's."""
    if isinstance(value, Mapping):
        inner = {name: escaped(one) for name, one in value.items()}
        return {_ESCAPE: value} if "lc" in value or _ESCAPE in value else inner
    return [escaped(one) for one in value] if isinstance(value, list | tuple) else value


def unescaped(value: Json) -> Json:
    """Return a value as it was before `escaped`."""
    if isinstance(value, list):
        return [unescaped(one) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and _ESCAPE in value:
        return value[_ESCAPE]
    if not any(isinstance(one, dict | list) for one in value.values()):
        return value
    return {name: unescaped(one) if isinstance(one, dict | list) else one for name, one in value.items()}
