"""Reasoning Layer: a stored `ConversationMessageResponse`, or a list of them, the answers of one conversation.

From the types of the TypeScript SDK (camel case) and of the Python SDK 1.6 (snake case); no stored answer was at hand.
What the person asked is in none of them.

* An answer is up to three messages. The query that was executed (`osfqlExecuted`) is a call of the tool `osfql`; the
  model's own proposal, where the engine rewrote it (`originalOsfql`), stands beside the call. `queryResults` and
  `producedTermIds` are what the tool said, as JSON. `assistantMessage` is the model's, with its claims as citations.
* `gateAbstained`: the query was refused and never ran, whatever is recorded of results; it is no observation.
* What else an answer says of itself (`notices`, `repaired`, the certificate, the traces …) is in `extras`, by turn.
* There is no compaction. A frame is an answer of its own that no model gave, with our fields under `foldproof`; one
  answer that a frame joins becomes a list. Where nothing is left, one answer stays that says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, fields_of, id_text, made_up_id, message_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, Places, each_object, noted, rewritten, with_note

_SAMPLE = 50
_TOOL = "osfql"
_CALL, _RESULT, _ANSWER = "call", "result", "answer"
_SNAKE = {
    "assistantMessage": "assistant_message",
    "conversationId": "conversation_id",
    "turnId": "turn_id",
    "osfqlExecuted": "osfql_executed",
    "originalOsfql": "original_osfql",
    "queryResults": "query_results",
    "producedTermIds": "produced_term_ids",
    "claimAnnotations": "claim_annotations",
    "gateAbstained": "gate_abstained",
    "modelId": "model_id",
}
_SAID = ("assistantMessage", "osfqlExecuted", "originalOsfql", "queryResults", "producedTermIds", "claimAnnotations")
_NO_FACTS = (*_SAID, *map(_SNAKE.get, _SAID), "conversationId", "conversation_id", FIELDS)
_OURS = "foldproof"
_DECLINED = "The gate declined this query; it was not executed."


class Reasoninglayer:
    """The format of stored answers of the Reasoning Layer."""

    format = Format(
        "reasoninglayer",
        "Reasoning Layer answers: one ConversationMessageResponse, or a list (JSON, JSONL)",
        shape="{conversationId, turnId, intent, assistantMessage, osfqlExecuted, queryResults, …}, or a list of them",
        basis="the library's source",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is an answer, or a list of them."""
        if isinstance(value, list):
            return "a list of answers with conversation and intent" if any(map(_is_answer, value[:_SAMPLE])) else None
        return "an answer with its conversation and intent" if _is_answer(value) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation that the answers are of."""
        reader = _Reader("$[{}]" if isinstance(value, list) else "$")
        reader.read(value if isinstance(value, list) else [value])
        return (
            Reading(
                tuple(reader.messages),
                tuple(reader.places),
                {"turns": reader.facts} if reader.facts else {},
                reader.conversation,
                damage=tuple(reader.damage),
            ),
        )

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the answers with another conversation; one answer stays alone as long as nothing joins it."""
        (edit,) = edits
        rows = value if isinstance(value, list) else [value]

        def encode(message: Message) -> list[Any]:
            return [_encoded(message, edit.reading.id)]

        written = rewritten(rows, edit, encode=encode, shrink=_shrunk) or [_shrunk(rows[0], (), {})]
        if isinstance(value, list):
            return revise_items(value, written)
        return written[0] if len(written) == 1 else written


def _is_answer(row: Json) -> bool:
    if not isinstance(row, dict) or not isinstance(_of(row, "assistantMessage"), str):
        return False
    return isinstance(_of(row, "conversationId"), str) and isinstance(row.get("intent"), str)


def _of(row: dict[str, Any], name: str) -> Json:
    """Return a member under either of its names."""
    return row.get(name, row.get(_SNAKE[name]))


class _Reader:
    """Reads answers in order."""

    def __init__(self, path: str) -> None:
        self.messages: list[Message] = []
        self.places: list[Places] = []
        self.facts: list[dict[str, Any]] = []
        self.damage: list[Damage] = []
        self.conversation: str | None = None
        self._path = path

    def read(self, rows: Sequence[Json]) -> None:
        for at, row in each_object(rows, "$", self.damage):
            path, other = self._path.format(at), id_text(_of(row, "conversationId"))
            if self.conversation is None:
                self.conversation = other
            if other != self.conversation:
                cause = (
                    f"expected an answer of {shown(self.conversation)}; found one of {shown(other)}; it was not read"
                )
                self.damage.append(Damage(path, cause))
                continue
            try:
                said = _said(row, path)
                made = [(part, message_from(fields, path)) for part, fields in said.items()]
            except TranscriptError as error:
                self.damage.append(damage_of(error))
                continue
            for part, message in made:
                self.messages.append(message)
                self.places.append((Place(at, part),))
            facts = without(
                row, (*_SAID, *(_SNAKE[name] for name in _SAID), "conversationId", "conversation_id", FIELDS)
            )
            if FIELDS not in row or len(said) > 1:
                self.facts.append(facts)


def _said(row: dict[str, Any], path: str) -> dict[str, dict[str, Any]]:
    """Return the fields of the messages of an answer, by part.

    Raises:
        TranscriptError: a member is of another type than an answer has there.
    """
    answer, query, proposal = (
        _text(row, name, path) for name in ("assistantMessage", "osfqlExecuted", "originalOsfql")
    )
    turn, model = id_text(_of(row, "turnId")), _text(row, "modelId", path)
    own = {"model": model} if model else {}
    note = row.get(FIELDS)
    cleared = note.get(_RESULT) if isinstance(note, dict) else None
    said: dict[str, dict[str, Any]] = {}
    if query:
        call = f"{turn}/{_TOOL}" if turn else made_up_id(_TOOL, query)
        said[_CALL] = {
            "role": "assistant",
            "content": proposal or "",
            "toolCalls": [{"id": call, "name": _TOOL, "args": {"query": query}}],
            **own,
        }
        said[_RESULT] = _result(row, call) if not isinstance(cleared, dict) else {**cleared, "role": "tool"}
    elif proposal:
        said[_CALL] = {"role": "assistant", "content": proposal, **own}
    if answer:
        claims = _of(row, "claimAnnotations")
        words: Any = [{"type": "text", "text": answer, "citations": claims}] if claims else answer
        said[_ANSWER] = {"role": "assistant", "content": words, **({"id": turn} if turn else {}), **own}
        said[_ANSWER] = with_note(said[_ANSWER], row) if cleared is None else said[_ANSWER]
    return said


def _text(row: dict[str, Any], name: str, path: str) -> str:
    found = _of(row, name)
    if found is None or isinstance(found, str):
        return found or ""
    raise TranscriptError(f"expected text; found {shown(found)}; it was not read", path=f"{path}.{name}")


def _result(row: dict[str, Any], call: str) -> dict[str, Any]:
    said = {"role": "tool", "content": "", "toolCallId": call, "toolName": _TOOL}
    if _of(row, "gateAbstained") is True:
        return said | {"content": _DECLINED, "toolResultOrigin": "not-entered"}
    results, produced = _of(row, "queryResults"), _of(row, "producedTermIds")
    words = {"queryResults": results, "producedTermIds": produced} if produced else results
    return said | {"content": "" if words is None else json.dumps(words, ensure_ascii=False)}


def _encoded(message: Message, conversation: str | None) -> dict[str, Any]:
    row = {
        "assistantMessage": message.text,
        "conversationId": conversation or "",
        "turnId": message.id or made_up_id(_OURS, message.fingerprint),
        "intent": _OURS,
        "gateAbstained": False,
        "notices": [],
        "producedTermIds": [],
        "suggestions": [],
        "frameAmbiguities": [],
        "frameRetries": 0,
    }
    return noted(row, _said(row, "$")[_ANSWER], message)


def _shrunk(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return an answer with only these parts left, and with a new result in the place of the old one."""
    changes: dict[str, Json] = {}
    if _ANSWER not in parts and _of(row, "assistantMessage"):
        changes[_named(row, "assistantMessage")] = ""
    if _CALL not in parts:
        gone = [name for name in ("osfqlExecuted", "originalOsfql", "queryResults") if _of(row, name) is not None]
        changes |= dict.fromkeys(_named(row, name) for name in gone)
        changes[_named(row, "producedTermIds")] = []
    if _RESULT in cleared:
        changes[_named(row, "queryResults")] = []
        changes[_named(row, "producedTermIds")] = []
        changes[FIELDS] = {_RESULT: fields_of(cleared[_RESULT])}
    return revise(row, changes)


def _named(row: dict[str, Any], name: str) -> str:
    return _SNAKE[name] if _SNAKE["assistantMessage"] in row else name
