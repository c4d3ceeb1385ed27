"""OpenAI Chat Completions: messages in a list, in a request, in a request with its response, in a benchmark's row.

Checked in real files: recorded DeepSeek, Groq, Mistral and OpenAI traffic (`{request, response}`), tau-bench runs
(`{task_id, reward, messages | traj}`) and tau-bench's few-shot dialogues (see `openai_display`).

* `content` is a string, null, missing, or a list of parts; parts other than text stay as they are.
* `tool_calls[].function.arguments` is JSON in a string. The legacy `function_call` has no id: a `function` row answers
  by order and name.
* A response's message is the last message of the conversation; a response that is text (a stream) is left alone.
* `reasoning_content`, `reasoning`, `reasoning_details` and whatever else a row holds stay as they are.
* Reasoning in tags (`<think>…</think>`) that opens the model's text is a thinking part, the answer the text behind it.
* Fields of ours (`foldedExempt`, `metadata`, …) stand on the row under our names, and are read back from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.block_signs import is_anthropic, is_bedrock, is_cline
from foldproof.transcripts.codec import Format, each_message, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.openai_display import DISPLAY, read_display, write_display
from foldproof.transcripts.openai_rows import ROLES, RowReader, encode_row
from foldproof.transcripts.rows import Part, Place, rewritten

_LISTS = ("messages", "traj")
_SAMPLE, _OPENING = 50, 3
_WRAPPERS = (*_LISTS, "request", DISPLAY, "message")
_NAMES = {"role", "content", "name", "id", "tool_calls", "tool_call_id", "function_call", "refusal", "metadata"}
# Content blocks of APIs that share `role` and `content` (Anthropic, Responses): read as chat, calls would be lost.
_NOT_OURS = (
    *("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "toolCall", "tool-call"),
    *("input_text", "output_text"),
)


class OpenaiChat:
    """The Chat Completions format and its wrappers."""

    format = Format(
        "openai_chat",
        "OpenAI Chat Completions: message list, request body, JSONL, benchmark rows",
        shape="[{role, content}, …], {messages: […]}, {traj: […]}, {request, response} or {messages_display}",
        basis="real files",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds chat messages."""
        if is_cline(value) or is_anthropic(value) or is_bedrock(value):
            return None
        if isinstance(value, list):
            return "a list of chat messages" if _are_rows(value) else None
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("request"), dict) and "response" in value:
            value = value["request"]
        for name in _LISTS:
            if isinstance(value.get(name), list) and (
                _are_rows(value[name], named=True) or _are_nearly_rows(value[name])
            ):
                return f"chat messages under {name}"
        if DISPLAY in value:
            return "a dialogue rendered to text"
        # What is no array is an error of this place, which reading reports.
        stands = _list_name(value)
        return None if stands is None or isinstance(value[stands], list) else f"something under {stands}"

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a list, a request, or a wrapper."""
        if _is_display(value):
            messages = read_display(value)
            return (Reading(messages, tuple(range(len(messages))), without(value, (DISPLAY,)), _id_of(value)),)
        rows, path = _rows(value)
        reader = RowReader()
        damage: list[Damage] = []
        read = list(each_message(rows, path, lambda row, place: [reader.message(row, place)], damage))
        answer = _answer(value)
        if answer is not None:
            try:
                read.append((len(rows), reader.message(answer, "$.response.choices[0].message")))
            except TranscriptError as error:
                damage.append(damage_of(error))
        messages = tuple(message for _, message in read)
        places = tuple((Place(at),) for at, _ in read)
        return (Reading(messages, places, _extras(value), _id_of(value), damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with other messages; the response keeps its place as long as it comes last."""
        (edit,) = edits
        if _is_display(value):
            return revise(value, write_display(value, edit.entries))
        if isinstance(value, list):
            return revise_items(value, _written(value, edit))
        return _write_wrapper(value, edit)


def _is_display(value: Json) -> bool:
    return isinstance(value, dict) and DISPLAY in value and (isinstance(value[DISPLAY], str) or not _list_name(value))


def _are_rows(items: list[Json], *, named: bool = False) -> bool:
    """Whether these are chat messages: one is for certain, and the first ones are of no other format.

    Where the name of the array says so too, a role is enough. What is wrong with a message (no object, no role, a role
    that nobody knows) is reported with its place on reading.
    """
    sample = [item for item in items[:_SAMPLE] if isinstance(item, dict)]
    known = any(map(_is_row, sample)) or (named and any(item.get("role") in tuple(ROLES) for item in sample))
    return not items or (known and not any(map(_is_foreign, sample[:_OPENING])))


def _are_nearly_rows(items: list[Json]) -> bool:
    """Whether these would be chat messages, had they a role: only where the name of the array says so too."""
    opening = items[:_OPENING]
    return all(isinstance(item, dict) and "content" in item and item.keys() <= _NAMES for item in opening) and not any(
        map(_is_foreign, opening)
    )


def _is_row(item: dict[str, Any]) -> bool:
    """Whether this is a chat message: a role alone says little, a role with words or calls is one."""
    says = "content" in item or "tool_calls" in item or "function_call" in item
    return "role" in item and (says or (item.keys() <= _NAMES and item["role"] in tuple(ROLES)))


def _is_foreign(item: dict[str, Any]) -> bool:
    if "parts" in item or "contents" in item or ("role" not in item and not item.keys().isdisjoint(_WRAPPERS)):
        return True
    content = item.get("content")
    blocks = content if isinstance(content, list) else []
    if any(isinstance(block, dict) and block.get("type") in _NOT_OURS for block in blocks):
        return True
    calls = item.get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else None
    return isinstance(first, dict) and not isinstance(first.get("function", first.get("custom")), dict)


def _list_name(body: dict[str, Any]) -> str | None:
    """Return the name of the messages: an array, else whatever stands in its place."""
    named = [name for name in _LISTS if name in body]
    return next((name for name in named if isinstance(body[name], list)), next(iter(named), None))


def _rows(value: Json) -> tuple[Json, str]:
    """Return what stands in the place of the messages, and the place."""
    if isinstance(value, list):
        return value, "$"
    if not isinstance(value, dict):
        raise TranscriptError(f"expected chat messages; found {shown(value)}", path="$")
    body, path = (value["request"], "$.request") if _has_response(value) else (value, "$")
    name = _list_name(body)
    if name is None:
        raise TranscriptError(f"expected messages or traj; found {', '.join(body) or 'nothing'}", path=path)
    return body[name], f"{path}.{name}"


def _has_response(value: dict[str, Any]) -> bool:
    return isinstance(value.get("request"), dict) and "response" in value


def _answer(value: Json) -> dict[str, Any] | None:
    """Return the message of the first choice of a recorded response, when there is one."""
    response = value.get("response") if isinstance(value, dict) and _has_response(value) else None
    choices = response.get("choices") if isinstance(response, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None


def _extras(value: Json) -> dict[str, Any]:
    if isinstance(value, list):
        return {}
    if _has_response(value):
        return without(value["request"], _LISTS) | without(value, ("request",))
    return without(value, _LISTS)


def _id_of(value: Json) -> str | None:
    """Return the id a wrapper gives its conversation; a benchmark tells the trials of one task apart by number."""
    if not isinstance(value, dict):
        return None
    names = ("id", "conversation_id", "session_id", "task_id")
    found = next((value[name] for name in names if isinstance(value.get(name), str | int)), None)
    trial = value.get("trial")
    return None if found is None else str(found) if trial is None else f"{found}/{trial}"


def _written(rows: list[Any], edit: Edit) -> list[Any]:
    def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
        said = encode_row(cleared[None])
        if row.get("role") != "function":
            return said
        # What answers a legacy `function_call` names the function, and has no id.
        return without(said, ("tool_call_id",)) | {"role": "function", "name": row.get("name")}

    return rewritten(rows, edit, encode=lambda message: [encode_row(message)], shrink=shrink)


def _write_wrapper(value: dict[str, Any], edit: Edit) -> dict[str, Any]:
    rows, _ = _rows(value)
    is_read = (Place(len(rows)),) in edit.reading.pieces
    answer = _answer(value) if is_read else None
    items = _written(rows if answer is None else [*rows, answer], edit)
    stays = answer is not None and bool(items) and items[-1] is answer
    body = value["request"] if _has_response(value) else value
    kept = items[:-1] if stays else items
    changed = revise(body, {_list_name(body) or "messages": revise_items(rows, kept)})
    if body is value:
        return changed
    left = {} if answer is None or stays else {"response": revise(value["response"], {"choices": []})}
    return revise(value, {"request": changed, **left})
