"""Histories of benchmark agents: a list of `{role, content}` rows, each of which is a message.

What is new is a row of the same kind, with our fields under `foldproof`; a row that carries those is taken at its word.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, parts_from
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise
from foldproof.transcripts.rows import Part, Place, each_object, noted, rewritten, with_note
from foldproof.transcripts.turns import Meaning, Read, TurnReader, finished, settled

Row = dict[str, Any]
Calls = Sequence[dict[str, Any]]

SayRow = Callable[[Row, str, TurnReader], tuple[dict[str, Any], Calls] | None]
"""What a row says: the fields of its message and its calls, or None for a row that is none. It may raise."""

_SAID = ("toolCallId", "toolName", "isError", "toolChars", "toolResultOrigin", "injectedBy", "toolCalls", "model", "id")


def read_rows(rows: Iterable[Json], path: str, damage: list[Damage], say: SayRow) -> Read:
    """Return the messages of rows. A row that cannot be read is damage."""
    reader = TurnReader()
    for at, row in each_object(list(rows), path, damage):
        where = f"{path}[{at}]"
        try:
            read = _noted(row, where) if isinstance(row.get(FIELDS), dict) else say(row, where, reader)
            if read is not None:
                reader.add(read[0], Place(at), where, read[1])
        except TranscriptError as error:
            damage.append(damage_of(error))
    return finished(reader.turns, damage)


def _noted(row: Row, path: str) -> tuple[dict[str, Any], Calls]:
    said = {"role": row.get("role"), "content": parts_from(row.get("content"), f"{path}.content")}
    fields = with_note(said, row)
    calls = fields.pop("toolCalls", ())
    return fields, calls if isinstance(calls, list) else ()


def written_rows(
    rows: list[Any], edit: Edit, read: Callable[[list[Any]], Meaning], more: Mapping[str, Json]
) -> list[Any]:
    """Return rows with another window in them.

    Args:
        rows: the rows that were read.
        edit: the window.
        read: what rows mean.
        more: what every row of the format says beside its role and its content.
    """

    def encode(message: Message) -> list[Any]:
        row = noted({"role": message.role, "content": message.text, **more}, _plain(message.role, message), message)
        return [{FIELDS: {}} | row]

    def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
        message = cleared[None]
        said = dict.fromkeys(_SAID) | _plain(str(row.get("role")), message)
        return revise(row, noted({"content": message.text}, said, message))

    return settled(rewritten(rows, edit, encode=encode, shrink=shrink), edit, read)


def _plain(role: str, message: Message) -> dict[str, Any]:
    return {"role": role, "content": message.text}


def openai_calls(row: Row, path: str) -> list[dict[str, Any]]:
    """Return the calls of a row as OpenAI writes them: arguments are JSON in a string, which may be no JSON.

    Raises:
        TranscriptError: something stands there that is no call.
    """
    calls = row.get("tool_calls") or []
    if not isinstance(calls, list):
        raise TranscriptError(f"expected a list of calls; found {shown(calls)}", path=f"{path}.tool_calls")
    read = []
    for at, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            where = f"{path}.tool_calls[{at}]"
            raise TranscriptError(f"expected a function with a name; found {shown(call)}", path=where)
        read.append(
            {"id": call.get("id"), "name": function["name"], "args": arguments_of(function.get("arguments", {}))}
        )
    return read


def arguments_of(arguments: Json) -> Json:
    """Return arguments that are JSON in a string; what is no JSON stays a string."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
