"""ToolBench: the answer of one search, `{tree, answer_generation: {train_messages, query, function, …}, win, …}`.

Checked in real files: seven answers of three groups, two of which gave up without a path.

* `train_messages` is a list of growing conversations that begin alike; the last is the whole path. The shorter ones and
  the search tree stay as they were. A search that gave up has none: the conversation is empty.
* `function_call` has no id, and a `function` row answers by order. `Finish` is a call that nothing answers.
* The first user row is the person's query; those behind it (what was tried before, also marked `valid: false`) are the
  app's. A result is the server's JSON, as the model saw it, often cut; one whose `error` is not empty is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import Format, made_up_id, parts_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.role_rows import Calls, Row, arguments_of, read_rows, written_rows
from foldproof.transcripts.turns import Meaning, Read, TurnReader

APP = "toolbench"
_ANSWER, _PATHS = "answer_generation", "train_messages"
_LARGE = (_ANSWER, "tree", "compare_candidates")
_ERROR = '{"error": "'


class Toolbench:
    """The ToolBench answer format."""

    format = Format(
        "toolbench",
        "ToolBench answer of a search (JSON)",
        shape="{tree, answer_generation: {train_messages: [[{role, content, function_call}, …], …], query}}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is an answer."""
        answer = value.get(_ANSWER) if isinstance(value, dict) else None
        if not isinstance(answer, dict) or not (_PATHS in answer or "query" in answer):
            return None
        return "an answer_generation with its query or its messages"

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of the path that was found."""
        answer = value[_ANSWER]
        rows, path = _rows(answer)
        damage: list[Damage] = []
        read = _read(rows, path, damage)
        extras = without(value, _LARGE) | without(answer, (_PATHS,))
        return (Reading(read.messages, read.pieces, extras, damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the answer with another path."""
        (edit,) = edits
        answer = value[_ANSWER]
        rows, path = _rows(answer)

        def meaning(rows: list[Any]) -> Meaning:
            read = _read(rows, path, [])
            return read.messages, read.pieces

        paths = answer.get(_PATHS) or []
        paths = revise_items(paths, [*paths[:-1], revise_items(rows, written_rows(rows, edit, meaning, {}))])
        return revise(value, {_ANSWER: revise(answer, {_PATHS: paths})})


def _rows(answer: Row) -> tuple[list[Any], str]:
    paths, where = answer.get(_PATHS) or [], f"$.{_ANSWER}.{_PATHS}"
    if not isinstance(paths, list):
        raise TranscriptError(f"expected a list of conversations; found {shown(paths)}", path=where)
    if not paths:
        return [], where
    where = f"{where}[{len(paths) - 1}]"
    if not isinstance(paths[-1], list):
        raise TranscriptError(f"expected a list of messages; found {shown(paths[-1])}", path=where)
    return paths[-1], where


def _read(rows: list[Json], path: str, damage: list[Damage]) -> Read:
    return read_rows(rows, path, damage, _Speaker().say)


class _Speaker:
    def __init__(self) -> None:
        self._spoken = False  # the model said something

    def say(self, row: Row, path: str, _: TurnReader) -> tuple[dict[str, Any], Calls]:
        role = row.get("role")
        content = parts_from(row.get("content"), f"{path}.content")
        if role == "function":
            fields: dict[str, Any] = {"role": "tool", "content": content}
            if isinstance(row.get("name"), str):
                fields["toolName"] = row["name"]
            failed = isinstance(content, str) and content.startswith(_ERROR) and not content.startswith(_ERROR + '"')
            return fields | ({"isError": True} if failed else {}), ()
        fields = {"role": role, "content": content}
        if role == "assistant":
            self._spoken = True
            return fields, _calls(row, content, path)
        if role == "user" and (self._spoken or row.get("valid") is False):
            fields["injectedBy"] = APP
        return fields, ()


def _calls(row: Row, content: object, path: str) -> list[dict[str, Any]]:
    call = row.get("function_call")
    if call is None:
        return []
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise TranscriptError(f"expected a function with a name; found {shown(call)}", path=f"{path}.function_call")
    arguments = call.get("arguments", {})
    identifier = made_up_id("call", content, call["name"], arguments)
    return [{"id": identifier, "name": call["name"], "args": arguments_of(arguments)}]
