"""Messages in the runs of LangSmith, of whichever library each is: read, and written like those around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError
from foldproof.messages import Message, calls_of
from foldproof.transcripts import openai_rows
from foldproof.transcripts.codec import FIELDS, message_from, parts_from, without
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.langchain_rows import RowReader as LangchainReader
from foldproof.transcripts.langchain_rows import encode_row, stored, style_of
from foldproof.transcripts.langsmith_rows import Answer, Held, path_of
from foldproof.transcripts.rows import noted, with_note

_SPOKEN = ("tool_use", "thinking", "redacted_thinking")


class Decoded(NamedTuple):
    """The messages of a list, each with its row, and what of it could not be read."""

    read: list[tuple[Any, Message]]
    damage: list[Damage]


def decoded(held: Held, seen: Sequence[Message] = (), first: int = 0) -> Decoded:
    """Return the messages of a list, of which the first ones were read before."""
    reader = _Reader(seen)
    found = Decoded([], [])
    for at, row in enumerate(held.rows, start=first):
        reader.take(row, path_of((*held.steps, at)), found)
    return found


def answered(answer: Answer, seen: Sequence[Message]) -> Decoded:
    """Return the message that came out of a run, behind those that were read before."""
    found = Decoded([], [])
    _Reader(seen).take(answer.row, path_of(answer.steps), found)
    return found


class _Reader:
    """Reads the rows of one history in order."""

    def __init__(self, seen: Sequence[Message]) -> None:
        self._chat = openai_rows.RowReader()
        self._langchain = LangchainReader()
        for message in seen:
            for call in calls_of(message):
                self._chat.names[call.id] = self._langchain.names[call.id] = call.name

    def take(self, row: Json, path: str, found: Decoded) -> None:
        try:
            found.read.extend(self._messages(row, path))
        except TranscriptError as error:
            found.damage.append(damage_of(error))

    def _messages(self, row: Json, path: str) -> list[tuple[Any, Message]]:
        if isinstance(row, dict) and "role" in row and row.get("type", "message") == "message":
            return self._of_api(without(row, ("type",)) if "type" in row else row, row, path)
        message = self._langchain.message(row, path)
        if message is None:
            raise TranscriptError("a message that removes another is not read here", path=path)
        return [(row, message)]

    def _of_api(self, said: dict[str, Any], row: Json, path: str) -> list[tuple[Any, Message]]:
        kinds = _kinds(said)
        if said["role"] == "assistant" and not kinds.isdisjoint(_SPOKEN):
            message = self._langchain.message(said, path)
            assert message is not None  # noqa: S101 - an assistant removes nothing
            for call in calls_of(message):
                self._chat.names[call.id] = call.name
            return [(row, message)]
        if said["role"] == "user" and "tool_result" in kinds:
            return self._with_results(said, row, path)
        return [(row, self._chat.message(said, path))]

    def _with_results(self, said: dict[str, Any], row: Json, path: str) -> list[tuple[Any, Message]]:
        """Return the messages of a row with results: each result is one, and so is each other block."""
        read: list[tuple[Any, Message]] = []
        blocks = said["content"]
        for at, block in enumerate(blocks):
            own = row if len(blocks) == 1 else row | {"content": [block]}
            if not isinstance(block, dict) or block.get("type") != "tool_result":
                read.append((own, self._chat.message(said | {"content": [block]}, path)))
                continue
            identifier = block.get("tool_use_id")
            fields: dict[str, Any] = {"role": "tool", "toolCallId": identifier}
            fields["content"] = parts_from(block.get("content"), f"{path}.content[{at}].content")
            if isinstance(identifier, str) and identifier in self._chat.names and FIELDS not in said:
                fields["toolName"] = self._chat.names[identifier]
            fields |= {"isError": True} if block.get("is_error") is True else {}
            read.append((own, message_from(with_note(fields, said), f"{path}.content[{at}]")))
        return read


def _kinds(row: dict[str, Any]) -> set[Any]:
    content = row.get("content")
    kinds = (block.get("type") for block in content if isinstance(block, dict)) if isinstance(content, list) else ()
    return {kind for kind in kinds if isinstance(kind, str)}


def encoder(rows: Sequence[Json]) -> Callable[[Message], dict[str, Any]]:
    """Return what makes the row of a new message, so that it looks like these."""
    if any(isinstance(row, dict) and "role" not in row and stored(row) is not None for row in rows):
        style = style_of(list(rows))
        return lambda message: encode_row(message, style)
    if any(isinstance(row, dict) and not _kinds(row).isdisjoint(("tool_use", "tool_result")) for row in rows):
        return _encoded_with_blocks
    return openai_rows.encode_row


def _encoded_with_blocks(message: Message) -> dict[str, Any]:
    if message.role != "tool":
        return openai_rows.encode_row(message)
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text}
    said: dict[str, Any] = {"role": "tool", "toolCallId": message.tool_call_id, "content": message.text}
    if message.is_error:
        block["is_error"] = said["isError"] = True
    note = noted({}, said, message).get(FIELDS, {})
    return {"role": "user", "content": [block], FIELDS: note}
