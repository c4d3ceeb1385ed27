"""Claude Managed Agents: what a client sent and what it was told, one `[method, payload]` a line.

Checked in four recorded sessions of July 2026 (built-in tools, custom tools, tools of an MCP server, a refused call);
the types of events that are in no file here are those of the Python SDK of that time.

* What the user sends stands twice: in `events.send`, and in the stream that answers. It is one message with two places;
  what the stream does not repeat is read where it was sent.
* What the agent says and calls between the start and the end of one model request is one assistant message. Calls and
  results are events of their own; a call's id is the id of its event.
* `agent.thinking` holds no words. `agent.thread_context_compacted` says that the service compacted, and neither what it
  wrote nor what it left out: the session goes on holding everything.
* A call that the user did not confirm, or that a policy denied, has a result in the service's words: it is no evidence.
* The system prompt of the agent is the first message. Events of other threads (`session_thread_id` of an agent's event)
  stay where they are and are not read.
* A new frame is a `user.message` event, with our fields under `foldproof`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.anthropic_messages import words_of
from foldproof.transcripts.codec import FIELDS, Format, fields_of, message_from, parts_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.json_text import Json, Unread, revise, revise_items
from foldproof.transcripts.rows import Part, Place, noted, rewritten, with_note

_METHODS = "client.beta.sessions."
_CREATE, _SEND, _STREAM = f"{_METHODS}create", f"{_METHODS}events.send", f"{_METHODS}events.stream"
_SAMPLE = 50
_SYSTEM = "system"
_NAME = "anthropic_managed_agents"

_CALLS = ("agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use")
_ANSWERS = {
    "agent.tool_result": "tool_use_id",
    "user.tool_result": "tool_use_id",
    "agent.mcp_tool_result": "mcp_tool_use_id",
    "user.custom_tool_result": "custom_tool_use_id",
}
_SPOKEN = {
    "user.message": "user",
    "user.define_outcome": "user",
    "agent.thread_message_received": "user",
    "system.message": "system",
    "agent.message": "assistant",
    "agent.thread_message_sent": "assistant",
}
_SILENT = ("agent.thinking", "agent.thread_context_compacted", "user.interrupt", "user.tool_confirmation")
_ABOUT = ("session.", "span.", "workflow_run.")
_START, _END = "span.model_request_start", "span.model_request_end"


class AnthropicManagedAgents:
    """The format of recorded Claude Managed Agents sessions."""

    format = Format(
        _NAME,
        "Claude Managed Agents session: recorded client calls and events (JSONL)",
        one_row_a_line=True,
        shape='rows ["client.beta.sessions.events.stream", {type: user.message | agent.message | …}]',
        compaction="an event agent.thread_context_compacted, without the summary",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a recorded session: a row, or rows of which one is a call of the client."""
        rows = [value] if _is_call(value) else value if isinstance(value, list) else []
        return "calls of client.beta.sessions with their events" if any(map(_is_call, rows[:_SAMPLE])) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session."""
        reader = _Reader(_rows(value))
        reader.read()
        return (reader.reading(),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with another conversation."""
        (edit,) = edits
        rows = _rows(value)
        twice = {
            (id(rows[place.row]), place.part)
            for places in edit.reading.pieces
            for place in places
            if len(places) > 1 and place.part is not None
        }

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401 - JSON
            if row[0] != _SEND:
                return row if not cleared else revise_items(row, [row[0], _result_event(row[1], cleared[None])])
            events = row[1][1]["events"]
            items = [
                events[at] if at not in cleared else _result_event(events[at], cleared[at])
                for at in range(len(events))
                if (at in parts or not _is_message(events[at])) and not (at in cleared and (id(row), at) in twice)
            ]
            sent = revise(row[1][1], {"events": revise_items(events, items)})
            return revise_items(row, [row[0], revise_items(row[1], [row[1][0], sent])])

        written = rewritten(rows, edit, encode=_encoded, shrink=shrink)
        if rows is value:
            return revise_items(value, written)
        return written[0] if len(written) == 1 else written


def _is_call(row: Json) -> bool:
    return isinstance(row, list) and len(row) > 1 and isinstance(row[0], str) and row[0].startswith(_METHODS)


def _rows(value: Json) -> list[Any]:
    if not isinstance(value, list):
        raise TranscriptError(f"expected the rows of a session; found {shown(value)}", path="$")
    return [value] if _is_call(value) else value


def _is_message(event: Json) -> bool:
    return isinstance(event, dict) and event.get("type") in (*_SPOKEN, *_ANSWERS)


@dataclass(slots=True)
class _Draft:
    fields: dict[str, Any]
    places: list[Place]
    path: str
    calls: list[dict[str, Any]] = field(default_factory=list)


class _Reader:
    """Reads the rows of a session in order."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows
        self._drafts: list[_Draft] = []
        self._damage: list[Damage] = []
        self._methods, self._types = UnknownKinds("method"), UnknownKinds("event type")
        self._facts: dict[str, Any] = {}
        self._id: str | None = None
        self._names: dict[str, str] = {}
        self._denied: set[str] = set()
        self._open: _Draft | None = None
        self._in_request = False
        self._echo_of = _echoes(rows)  # for a row of the stream, the place where the same was sent

    def read(self) -> None:
        repeated = set(self._echo_of.values())
        for at, row in enumerate(self._rows):
            if isinstance(row, Unread):
                continue
            if not isinstance(row, list) or len(row) < 2 or not isinstance(row[0], str):  # noqa: PLR2004 - a pair
                cause = f"expected [method, payload]; found {shown(row)}; it was not read"
                self._damage.append(Damage(f"$[{at}]", cause))
            elif row[0] == _SEND:
                self._sent(row[1], at, repeated)
            elif row[0] == _STREAM:
                self._event(row[1], [*self._echo_of.get(at, ()), Place(at)], f"$[{at}][1]")
            elif row[0].startswith(_METHODS):
                self._session(row[1], at)
            else:
                self._methods.add(row[0], f"$[{at}]")

    def reading(self) -> Reading:
        messages: list[Message] = []
        places = []
        for draft in self._drafts:
            if draft.calls:
                draft.fields["toolCalls"] = draft.calls
            try:
                messages.append(message_from(draft.fields, draft.path))
            except TranscriptError as error:
                self._damage.append(damage_of(error))
                continue
            places.append(tuple(draft.places))
        damage = (*self._damage, *self._methods.damage(), *self._types.damage())
        return Reading(tuple(messages), tuple(places), self._facts, self._id, damage=damage)

    def _session(self, session: Json, at: int) -> None:
        if not isinstance(session, dict):
            return
        if isinstance(session.get("id"), str) and session.get("type") == "session":
            self._id = self._id or session["id"]
        agent = session.get("agent")
        known = without(session, ("agent", "id", "type")) | (agent if isinstance(agent, dict) else {})
        self._facts = known | self._facts
        prompt = agent.get(_SYSTEM) if isinstance(agent, dict) else None
        if isinstance(prompt, str) and prompt and not self._drafts:
            fields = {"role": "system", "content": prompt}
            self._drafts.append(_Draft(fields, [Place(at, _SYSTEM)], f"$[{at}][1].agent.system"))

    def _sent(self, payload: Json, at: int, repeated: set[tuple[Place, ...]]) -> None:
        if not _holds_events(payload):
            cause = f"expected [session, {{events}}]; found {shown(payload)}; it was not read"
            self._damage.append(Damage(f"$[{at}][1]", cause))
            return
        if isinstance(payload[0], str):
            self._id = self._id or payload[0]
        for index, event in enumerate(payload[1]["events"]):
            place = Place(at, index)
            if (place,) not in repeated:
                self._event(event, [place], f"$[{at}][1][1].events[{index}]")

    def _event(self, event: Json, places: list[Place], path: str) -> None:
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(kind, str):
            self._damage.append(Damage(path, f"expected an event with a type; found {shown(event)}; it was not read"))
            return
        if kind in (_START, _END):
            self._open, self._in_request = None, kind == _START
        if kind == "user.tool_confirmation" and event.get("result") == "deny":
            self._denied.add(str(event.get("tool_use_id")))
        if kind in _SILENT or kind.startswith(_ABOUT):
            return
        if isinstance(event.get("session_thread_id"), str):
            return  # another thread's, shown here for a confirmation
        try:
            self._message(event, kind, places, path)
        except TranscriptError as error:
            self._damage.append(Damage(error.path or path, error.cause))

    def _message(self, event: dict[str, Any], kind: str, places: list[Place], path: str) -> None:
        if kind in _CALLS:
            self._call(event, places, path)
        elif kind in _ANSWERS:
            self._result(event, kind, places, path)
        elif kind == "agent.message" and self._open is not None:
            self._open.fields["content"] += parts_from(event.get("content") or [], f"{path}.content")
            self._open.places += places
        elif kind in _SPOKEN:
            self._open = None
            said = event.get("description") if kind == "user.define_outcome" else event.get("content")
            fields = {"role": _SPOKEN[kind], "content": parts_from(said, f"{path}.content"), **_id_of(event)}
            if kind == "agent.thread_message_received":
                fields["injectedBy"] = {"source": _NAME, "reason": "the message of another agent"}
            draft = _Draft(with_note(fields, event), places, path)
            self._drafts.append(draft)
            if kind == "agent.message" and self._in_request and isinstance(fields["content"], list):
                self._open = draft
        else:
            self._types.add(kind, path)

    def _call(self, event: dict[str, Any], places: list[Place], path: str) -> None:
        name, identifier = event.get("name"), event.get("id")
        if not isinstance(name, str) or not isinstance(identifier, str):
            raise TranscriptError(f"expected a call with an id and a name; found {shown(event)}; it was not read")
        draft = self._open
        if draft is None:
            draft = _Draft({"role": "assistant", "content": [], "id": identifier}, [], path)
            self._drafts.append(draft)
            self._open = draft if self._in_request else None
        draft.places += places
        draft.calls.append({"id": identifier, "name": name, "args": event.get("input", {})})
        self._names[identifier] = name
        if event.get("evaluated_permission") == "deny":
            self._denied.add(identifier)

    def _result(self, event: dict[str, Any], kind: str, places: list[Place], path: str) -> None:
        self._open = None
        identifier = event.get(_ANSWERS[kind])
        if not isinstance(identifier, str):
            cause = f"expected the id of a call; found {shown(identifier)}; it was not read"
            raise TranscriptError(cause, path=f"{path}.{_ANSWERS[kind]}")
        fields = {"role": "tool", "toolCallId": identifier, "content": words_of(event), **_id_of(event)}
        if isinstance(event.get("is_error"), bool):
            fields["isError"] = event["is_error"]
        if identifier in self._names:
            fields["toolName"] = self._names[identifier]
        if identifier in self._denied:
            fields["toolResultOrigin"] = "not-entered"
        self._drafts.append(_Draft(with_note(fields, event), places, path))


def _id_of(event: dict[str, Any]) -> dict[str, Any]:
    return {"id": event["id"]} if isinstance(event.get("id"), str) else {}


def _holds_events(payload: Json) -> bool:
    if not isinstance(payload, list) or len(payload) < 2:  # noqa: PLR2004 - a pair
        return False
    return isinstance(payload[1], dict) and isinstance(payload[1].get("events"), list)


def _sent_events(rows: Sequence[Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    for at, row in enumerate(rows):
        if isinstance(row, list) and len(row) > 1 and row[0] == _SEND and _holds_events(row[1]):
            for index, event in enumerate(row[1][1]["events"]):
                if _is_message(event):
                    yield Place(at, index), event


def _echoes(rows: Sequence[Any]) -> dict[int, tuple[Place, ...]]:
    """Return, for the rows of the stream that repeat what was sent before, the place where it was sent."""
    sent: dict[str, list[tuple[Place, dict[str, Any]]]] = {}
    for place, event in _sent_events(rows):
        meant = _meant(event)
        sent.setdefault(_sign(meant, "content" in meant), []).append((place, meant))
    echoes: dict[int, tuple[Place, ...]] = {}
    for at, row in enumerate(rows if sent else ()):
        if not isinstance(row, list) or len(row) < 2 or row[0] != _STREAM or not _is_message(row[1]):  # noqa: PLR2004
            continue
        event = _meant(row[1])
        if FIELDS in event:
            continue
        alike = [sent.get(_sign(event, with_content), []) for with_content in (True, False)]
        firsts = (next((one for one in group if one[1].items() <= event.items()), None) for group in alike)
        found = min((one for one in firsts if one is not None), key=lambda one: one[0], default=None)
        if found is not None and found[0].row < at:
            alike[0 if "content" in found[1] else 1].remove(found)
            echoes[at] = (found[0],)
    return echoes


def _sign(event: dict[str, Any], with_content: bool) -> str:  # noqa: FBT001 - which of two
    """Return what an event has in common with the one that repeats it."""
    answers = event.get(_ANSWERS.get(event["type"], ""))
    return json.dumps([event["type"], answers, [event.get("content")] if with_content else []], sort_keys=True)


def _meant(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event as the service repeats it: what is null left out, text as a block."""
    meant = {name: value for name, value in event.items() if value is not None}
    if isinstance(meant.get("content"), str):
        meant["content"] = [{"type": "text", "text": meant["content"]}]
    return meant


def _encoded(message: Message) -> Sequence[Any]:
    """Return the row of a new message."""
    if message.role == "tool":
        return [[_STREAM, _result_event({"type": "agent.tool_result", "tool_use_id": message.tool_call_id}, message)]]
    if message.role != "user":
        cause = f"cannot write a new {message.role} message; only frames (user or tool messages) may be new"
        raise TranscriptError(cause)
    content = _blocks(message)
    event = {"type": "user.message", "content": content, FIELDS: {}}
    return [[_STREAM, noted(event, {"role": "user", "content": content}, message)]]


def _result_event(event: dict[str, Any], message: Message) -> dict[str, Any]:
    """Return the event of a result with another result in it."""
    content = _blocks(message)
    changes: dict[str, Any] = {"content": content, "is_error": message.is_error}
    told = (*_id_of(event), "toolName", "toolResultOrigin")
    said: dict[str, Any] = {"role": "tool", "toolCallId": message.tool_call_id, "content": content} | dict.fromkeys(
        told, ...
    )
    if message.is_error is not None:
        said["isError"] = message.is_error
    return revise(event, {**changes, FIELDS: noted({}, said, message).get(FIELDS, {})})


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = fields_of(message).get("content", "")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
