"""Axle: an `AgentSession` `{sessionId, messages}`, or a `SavedAgent` `{definition, session}` around one.

From the published message types (Axle 0.30); no stored session has been checked.

* User and assistant messages are the `Message`'s JSON; assistant content is a list of parts, its calls among them.
* One tool message holds N results. Each becomes a tool message here, under the id of the message that holds it.
* A result we wrote keeps what Axle has no place for under `foldproof`, beside its `id`, `name` and `content`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, each_message, fields_of, message_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, rewritten

_SAMPLE = 50
_RESULT = {"id": "toolCallId", "name": "toolName", "content": "content", "isError": "isError"}


class Axle:
    """The Axle session format."""

    format = Format(
        "axle",
        "Axle AgentSession or SavedAgent (JSON)",
        shape="{sessionId, messages: [{role, content}, …]}, or {definition, session} around one",
        basis="the library's source",
        compaction="messages replaced by ones with metadata.axleCompaction {id, role: summary | appendix}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session or a saved agent."""
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("session"), dict) and "definition" in value:
            return "a definition and a session" if self.recognise(value["session"]) else None
        if not isinstance(value.get("sessionId"), str) or "messages" not in value:
            return None
        messages = value["messages"]
        if not isinstance(messages, list) or not messages:
            return "a sessionId and messages"  # what is no array is an error of this place, which reading reports
        ours = any(isinstance(message, dict) and "role" in message for message in messages[:_SAMPLE])
        return "a sessionId and messages with roles" if ours else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session."""
        session, path = _session(value)
        damage: list[Damage] = []

        def read(row: dict[str, Any], place: str) -> Iterable[tuple[int | None, Message]]:
            return _decoded(row, place, damage)

        found = list(each_message(session.get("messages"), f"{path}.messages", read, damage))
        messages = tuple(message for _, (_, message) in found)
        places = tuple((Place(row, part),) for row, (part, _) in found)
        extras = without(session, ("messages", "sessionId")) | without(value, ("session", "messages", "sessionId"))
        return (Reading(messages, places, extras, session.get("sessionId"), damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with other messages."""
        (edit,) = edits
        session, path = _session(value)
        rows = session["messages"]
        items = rewritten(rows, edit, encode=lambda message: [_encoded(message)], shrink=_shrunk)
        changed = revise(session, {"messages": revise_items(rows, items)})
        return changed if path == "$" else revise(value, {"session": changed})


def _session(value: Json) -> tuple[dict[str, Any], str]:
    if isinstance(value, dict) and "definition" in value and isinstance(value.get("session"), dict):
        return value["session"], "$.session"
    if not isinstance(value, dict):
        raise TranscriptError(f"expected an Axle session; found {shown(value)}", path="$")
    return value, "$"


def _decoded(row: dict[str, Any], path: str, damage: list[Damage]) -> Iterator[tuple[int | None, Message]]:
    """Yield the messages of a stored message, each with the index of its result where it is one."""
    if row.get("role") != "tool":
        yield None, message_from(row, path)
        return

    def read(result: dict[str, Any], place: str) -> list[Message]:
        return [message_from(_fields_of_result(result, row), place)]

    yield from each_message(row.get("content"), f"{path}.content", read, damage)


def _fields_of_result(result: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    named = {_RESULT[name]: value for name, value in result.items() if name in _RESULT}
    if isinstance(result.get(FIELDS), dict):
        return {"role": "tool", **named, **result[FIELDS]}
    rest = without(result, (*_RESULT, FIELDS))
    own = {"id": row["id"]} if "id" in row else {}
    return {"role": "tool", **own, **rest, **named}


def _shrunk(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a stored tool message with these results of its own, in their order, some of them cleared."""
    results = [_encoded_result(cleared[at]) if at in cleared else row["content"][at] for at in parts]
    return revise(row, {"content": revise_items(row["content"], results)})


def _encoded(message: Message) -> dict[str, Any]:
    if message.role != "tool":
        return fields_of(message)
    return {"role": "tool", "id": message.id or message.tool_call_id, "content": [_encoded_result(message)]}


def _encoded_result(message: Message) -> dict[str, Any]:
    fields = fields_of(message)
    named = {name: fields[ours] for name, ours in _RESULT.items() if ours in fields}
    return named | {FIELDS: without(fields, (*_RESULT.values(), "role"))}
