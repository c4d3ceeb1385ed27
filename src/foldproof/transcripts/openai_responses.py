"""OpenAI Responses: a request body, a response, a recorded request with its response, or a bare list of items.

Checked in recorded traffic of OpenAI, DeepSeek and Bedrock (pydantic-ai's cassettes, `{request, response}`): message
items without a type, reasoning with and without `encrypted_content`, tool searches of a client and of the server, MCP
and web search, results that are pictures, compaction items, `/responses/compact`, and an answer that was streamed.
`responses_items` says how items are read.

* `instructions` are the system message; a response repeats them, which is read once. `input` may be one string.
* The output of a response is one reply behind the input. Of a stream the last event holds it whole.
* `/responses/compact` answers with the person's messages, which the request holds already, and one compaction item:
  beside its request only that item is read. What it stands for is in the file, ahead of it.
* What a `previous_response_id` or a `conversation` refers to is not in the file; both are among the extras.
* Items of the user's that hold nothing but what Codex writes (environment, AGENTS.md, IDE context without a request)
  are `injectedBy` codex. The variables of a stored `prompt` are the app's too; they are among the extras.
* What a fold adds is a message item; message fields that the API does not know stand on it under `foldproof`.
* An output that changes is no stream any more: the response is written as the object that its last event holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.block_signs import is_cline
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.codex_words import APP, OWN_OPENINGS, is_injected
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, Unread, revise, revise_items
from foldproof.transcripts.responses_items import ItemReader, is_item, is_telling
from foldproof.transcripts.responses_writing import cleared, encoded, rewritten_items
from foldproof.transcripts.rows import Part, Place, noted

_SAMPLE: Final = 50
_ELSEWHERE: Final = ("previous_response_id", "conversation")
_REQUEST_ONLY: Final = ("instructions", "previous_response_id", "max_output_tokens", "truncation", "reasoning", "store")
_OTHERS: Final = ("messages", "contents", "history", "events", "ideal", "target")
_COMPACTED: Final = "response.compaction"
_ENDS: Final = ('"response.completed"', '"response.incomplete"', '"response.failed"')
_PROMPT, _TEXT = "prompt", "text"


class OpenaiResponses:
    """The Responses format and its wrappers."""

    format = Format(
        "openai_responses",
        "OpenAI Responses: request body, response, items, {request, response} (JSON, JSONL)",
        shape="{input: [items], instructions}, {output: [items], object}, {request, response}, or [items]",
        compaction="an encrypted compaction item, which nobody can read and the provider needs back",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds items of the Responses API."""
        if isinstance(value, list):
            sample = [item for item in value[:_SAMPLE] if isinstance(item, dict)]
            ours = any(map(is_telling, sample)) and is_item(sample[0]) and not is_cline(value)  # Roo keeps our items
            return "a list of Responses items" if ours else None
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("request"), dict) and "response" in value:
            found = self.recognise(value["request"]) or (_is_answer(value["response"]) and "a response")
            return f"a recorded call, {found}" if found else None
        if _is_answer(value):
            return "a response with output"
        return _recognised_input(value)

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a request, a response, or a list of items."""
        source = _source_of(value)
        damage = list(source.damage)
        reader = _Reader(damage)
        for at, row in enumerate(source.rows):
            path = source.path(at)
            if at == len(source.prompt) + len(source.given):
                reader.ends_reply()
            if not isinstance(row, dict):
                if not isinstance(row, Unread):
                    damage.append(Damage(path, f"expected an item; found {shown(row)}; it was not read"))
            elif (
                at < len(source.given) + len(source.prompt) or not source.repeats or "role" not in row or FIELDS in row
            ):
                reader.add(row, Place(at), path, row.get(FIELDS))
        messages, places = reader.finished()
        extras = _extras(value, source.response)
        elsewhere = any(extras.get(name) is not None for name in _ELSEWHERE)
        identifier = source.identifier
        return (Reading(messages, places, extras, identifier, damage=tuple(damage), incomplete=elsewhere),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with other messages; a response keeps its place as long as it comes last."""
        (edit,) = edits
        source = _source_of(value)
        first, last = len(source.prompt), len(source.prompt) + len(source.given)
        rows: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        side = 0
        for at, row in rewritten_items(source.rows, edit, encode=_encoded, shrink=_shrunk):
            side = max(side, 1) if at is None else 0 if at < first else 1 if at < last else 2
            rows[side].append(row)
        return _put_back(value, source, rows)


class _Source(NamedTuple):
    """The items of a document: the instructions as one, those of the request, and those of the response."""

    prompt: list[Any]
    given: list[Any]
    output: list[Any]
    repeats: bool = False
    inside: str = "$"
    answered: str = "$.output"
    identifier: str | None = None
    response: dict[str, Any] | None = None
    damage: tuple[Damage, ...] = ()

    @property
    def rows(self) -> list[Any]:
        return [*self.prompt, *self.given, *self.output]

    def path(self, at: int) -> str:
        """Return where a row stands."""
        first, last = len(self.prompt), len(self.prompt) + len(self.given)
        if at < first:
            return f"{self.inside}.instructions"
        if at >= last:
            return f"{self.answered}[{at - last}]"
        return f"$[{at}]" if self.inside == "" else f"{self.inside}.input[{at - first}]"


def _is_answer(value: Json) -> bool:
    is_object = isinstance(value, dict) and value.get("object") in ("response", _COMPACTED)
    return is_object and isinstance(value.get("output"), list)


def _recognised_input(value: dict[str, Any]) -> str | None:
    given = value.get("input")
    if not value.keys().isdisjoint(_OTHERS):
        return None
    if isinstance(given, str):
        return "input and its instructions" if not value.keys().isdisjoint(_REQUEST_ONLY) else None
    if not isinstance(given, list):
        return None
    sample = [item for item in given[:_SAMPLE] if isinstance(item, dict)]
    asks = "model" in value or not value.keys().isdisjoint(_REQUEST_ONLY)
    plain = asks and (not given or (bool(sample) and all(map(is_item, sample))))
    return "items under input" if plain or any(map(is_telling, sample)) else None


def _source_of(value: Json) -> _Source:
    if isinstance(value, list):
        return _Source([], value, [], inside="")
    if not isinstance(value, dict):
        raise TranscriptError(f"expected Responses items; found {shown(value)}", path="$")
    if isinstance(value.get("request"), dict) and "response" in value:
        response, damage = _response_of(value["response"])
        repeats = response is not None and response.get("object") == _COMPACTED
        body, inside, answered = value["request"], "$.request", "$.response.output"
    else:
        is_response = "input" not in value and "output" in value
        response, damage, repeats = (value if is_response else None), (), False
        body, inside, answered = value, "$", "$.output"
    given = _given(body, inside) if response is not value else []
    output = [] if response is None else response.get("output")
    if not isinstance(output, list):
        damage, output = (*damage, Damage(answered, f"expected a list of items; found {shown(output)}")), []
    told = body.get("instructions")
    prompt = [{"role": "system", "content": told}] if isinstance(told, str) and told else []
    identifier = _id_of(body, response)
    return _Source(prompt, given, output, repeats, inside, answered, identifier, response, damage)


def _given(body: dict[str, Any], inside: str) -> list[Any]:
    given = body.get("input", [])
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise TranscriptError(f"expected text or a list of items; found {shown(given)}", path=f"{inside}.input")
    return given


def _response_of(response: Json) -> tuple[dict[str, Any] | None, tuple[Damage, ...]]:
    """Return a response; of a stream, what its last event says of it."""
    if isinstance(response, dict):
        return (response, ()) if "output" in response else (None, ())  # an error that the API returned
    if response is None:
        return None, ()
    if isinstance(response, str):
        events = (line[len("data:") :] for line in reversed(response.split("\n")) if line.startswith("data:"))
        whole = next((event for event in events if any(end in event[:200] for end in _ENDS)), "null")
        try:
            event = json.loads(whole)
        except (ValueError, RecursionError):
            event = None
        if isinstance(event, dict) and isinstance(event.get("response"), dict):
            return event["response"], ()
    cause = f"expected a response, or the events of one up to its end; found {shown(response)}; it was not read"
    return None, (Damage("$.response", cause),)


def _id_of(body: dict[str, Any], response: dict[str, Any] | None) -> str | None:
    conversation = body.get("conversation")
    named = conversation.get("id") if isinstance(conversation, dict) else conversation
    found = (named, (response or {}).get("id"))
    return next((name for name in found if isinstance(name, str)), None)


def _extras(value: Json, response: dict[str, Any] | None) -> dict[str, Any]:
    if isinstance(value, list):
        return {}
    if not (isinstance(value.get("request"), dict) and "response" in value):
        return without(value, ("input", "instructions", "output"))
    answer = value["response"] if response is None else without(response, ("output",))
    about = {"response": answer} if isinstance(answer, dict) else {}
    return without(value["request"], ("input", "instructions")) | without(value, ("request", "response")) | about


class _Reader(ItemReader):
    """Reads the items of a request; Codex sends what it has to say as the user's."""

    def about(self, content: str | list[Any]) -> Mapping[str, Any]:
        """Return whether a user message is Codex's, with no word of the person's in it."""
        return {"injectedBy": APP} if is_injected(content, OWN_OPENINGS) else {}


def _encoded(message: Message) -> dict[str, Any]:
    item, said = encoded(message, _Reader([]).about(message.text))
    return noted(item, said, message)


def _shrunk(row: Any, parts: Sequence[Part], new: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
    item, said = cleared(row, new[None])
    return noted(item, said, new[None])


def _put_back(value: Json, source: _Source, rows: tuple[list[Any], list[Any], list[Any]]) -> Json:
    prompt, given, output = rows
    if isinstance(value, list):
        return revise_items(value, given)
    left = {"instructions": None} if source.prompt and not prompt else {}
    if source.response is value and isinstance(value, dict):  # a frame ahead of all of a response stands in its output
        return revise(value, left | {"output": revise_items(source.output, given + output)})
    body = value if source.inside == "$" else value["request"]
    changed = revise(body, left | _changed_input(body, source.given, given))
    if body is value:
        return changed
    answer = value["response"]
    if source.response is not None and output != source.output:
        answer = revise(source.response, {"output": revise_items(source.output, output)})
    return revise(value, {"request": changed, "response": answer})


def _changed_input(body: dict[str, Any], before: list[Any], after: list[Any]) -> dict[str, Any]:
    if isinstance(body.get("input"), list):
        return {"input": revise_items(body["input"], after)}
    return {} if after == before or ("input" not in body and not after) else {"input": after}
