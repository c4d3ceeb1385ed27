"""Gemini API: `contents` of a request, alone, with its response, or as a bare history.

Checked in real files: seven recorded exchanges (`{request, response}`) of gemini-3-flash-preview with the Gemini API
and Vertex AI, in both spellings (one of them uses `function_call` in the request and `thoughtSignature` in the
response), and two files of responses that Gemini CLI's tests recorded (`{method, response}` rows).

* `systemInstruction` is the system message: a content, a list of them or of parts, or a string; an SDK request has it
  under `config`. It stays where it is, whatever the window.
* Ids are optional: five of the seven files give every call one, and one response lacks it. See `gemini_contents`.
* The first candidate's content is the last message. A streamed response is an array of chunks, which make one message.
* A file of `{method, response}` rows holds the model's side only: what it was asked and what its tools said was never
  recorded. It is read as the replies in order, whose calls are unanswered, and rows can be taken out of it; a frame has
  no place in it.
* No compaction is marked by the API itself. The summary that Gemini CLI puts in (`<state_snapshot>`) is a frame; what
  it stands for is not in such a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.gemini_contents import Beside, ContentReader
from foldproof.transcripts.gemini_parts import is_part, signature_of
from foldproof.transcripts.gemini_writing import new_content, restated, shrunk
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, each_object, rewritten, rows_in

_SAMPLE, _OPENING = 50, 10
_ROLES = ("user", "model", "function", "system")
_LISTS = ("contents", "history")
_SYSTEM = ("systemInstruction", "system_instruction")
_METHODS = ("generateContent", "generateContentStream")
_NO_REPLY = ("countTokens", "embedContent")


class GeminiApi:
    """The Gemini API format."""

    format = Format(
        "gemini_api",
        "Gemini API: contents of a request, request with response, history (JSON, JSONL)",
        shape="{contents: [{role, parts}, …]}, {request: {contents}, response}, or a list of {role, parts}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds contents."""
        if isinstance(value, list):
            if _is_recording(value):
                return "recorded responses of the Gemini API"
            return "a list of contents" if value and _are_contents(value) else None
        if not isinstance(value, dict):
            return None
        if _is_exchange(value):
            value = value["request"]
        name = _list_name(value)
        if name is None or not isinstance(value[name], list):
            return None
        some = [one for one in value[name] if not isinstance(one, str)]
        empty = not some and ((name == "contents" and "role" not in value) or "authType" in value)
        return f"contents with parts under {name}" if empty or _are_contents(some) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a request, an exchange, or a history."""
        if _is_recording(value):
            return (_recorded(value),)
        damage: list[Damage] = []
        messages, places, unknown = _reader(*_rows(value), damage).finished()
        return (Reading(messages, places, _extras(value), damage=(*damage, *unknown)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with other contents; the response keeps its place as long as it comes last."""
        (edit,) = edits
        if _is_recording(value):
            return _recording_left(value, edit)
        rows, _ = _rows(value)

        def encode(message: Message) -> list[Any]:
            return [new_content(message)]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401
            return shrunk(row, parts, cleared)

        out = rewritten(rows, edit, encode=encode, shrink=shrink)
        return _with_rows(value, restated(out, edit, _reader(out, ["$"] * len(out), [])))


def _reader(rows: list[Any], paths: list[str], damage: list[Damage]) -> ContentReader:
    reader = ContentReader("gemini_api", damage)
    for at, (row, path) in enumerate(zip(rows, paths, strict=True)):
        try:
            content = _as_content(row, path)
            reader.read(content, at, path, Beside({}, content.get(FIELDS)))
        except TranscriptError as error:
            damage.append(damage_of(error))
    return reader


class _System(dict[str, Any]):
    """The system instruction among the rows."""


class _Answer(dict[str, Any]):
    """The response's content among the rows."""


def _rows(value: Json) -> tuple[list[Any], list[str]]:
    """Return the system instruction, the contents and the answer as rows, with their paths."""
    if isinstance(value, list):
        return value, [f"$[{at}]" for at in range(len(value))]
    if not isinstance(value, dict):
        raise TranscriptError(f"expected contents; found {shown(value)}", path="$")
    body, path = (value["request"], "$.request") if _is_exchange(value) else (value, "$")
    name = _list_name(body)
    if name is None:
        raise TranscriptError(f"expected contents; found {', '.join(body) or 'nothing'}", path=path)
    contents = rows_in(body[name], f"{path}.{name}")
    rows, paths = list(contents), [f"{path}.{name}[{at}]" for at in range(len(contents))]
    system = _system(body)
    if system is not None:
        rows.insert(0, _System(role="system", parts=_parts_of(system[1])))
        paths.insert(0, f"{path}.{system[0]}")
    answer = _answer(value)
    if answer is not None:
        rows.append(_Answer(answer))
        paths.append("$.response.candidates[0].content" if isinstance(value["response"], dict) else "$.response")
    return rows, paths


def _with_rows(value: Json, out: list[Any]) -> Json:
    if isinstance(value, list):
        return revise_items(value, out)
    answered = bool(out) and isinstance(out[-1], _Answer)
    contents = [_plain(row) for row in (out[:-1] if answered else out) if not isinstance(row, _System)]
    body = value["request"] if _is_exchange(value) else value
    name = _list_name(body) or "contents"
    changes: dict[str, Any] = {name: revise_items(body[name], contents)}
    system = _system(body)
    if system is not None and not any(isinstance(row, _System) for row in out):
        changes |= _without_system(body, system[0])
    changed = revise(body, changes)
    if body is value:
        return changed
    if answered or _answer(value) is None:
        return revise(value, {"request": changed})
    return revise(value, {"request": changed, "response": _unanswered(value["response"])})


def _plain(row: Any) -> Any:  # noqa: ANN401 - a row is any JSON
    return dict(row) if isinstance(row, _Answer) else row


def _without_system(body: dict[str, Any], name: str) -> dict[str, Any]:
    where, _, inner = name.rpartition(".")
    return {where: revise(body[where], {inner: None})} if where else {inner: None}


def _unanswered(response: Json) -> Json:
    if isinstance(response, list):
        return revise_items(response, [])
    return revise(response, {"candidates": []})


def _system(body: dict[str, Any]) -> tuple[str, Json] | None:
    config = body.get("config")
    for where, holder in (("", body), ("config.", config if isinstance(config, dict) else {})):
        for name in _SYSTEM:
            if holder.get(name) not in (None, "", []):
                return where + name, holder[name]
    return None


def _parts_of(system: Json) -> Json:
    """Return the parts of an instruction: a content, a string, a part, or a list of any of these."""
    if isinstance(system, list):
        return [part for one in system for part in _parts_of(one)]
    if isinstance(system, dict) and "parts" in system:
        parts = system["parts"]
        return parts if isinstance(parts, list) else [] if parts is None else [parts]
    return [system]


def _as_content(row: Any, path: str) -> dict[str, Any]:  # noqa: ANN401 - a row is any JSON
    if isinstance(row, str):  # the SDK takes a string for a content of the user's
        return {"role": "user", "parts": [row]}
    if not isinstance(row, dict):
        raise TranscriptError(f"expected a content; found {shown(row)}; it was not read", path=path)
    return row


def _is_exchange(value: dict[str, Any]) -> bool:
    return isinstance(value.get("request"), dict) and "response" in value


def _list_name(body: dict[str, Any]) -> str | None:
    return next((name for name in _LISTS if name in body), None)


def _are_contents(items: list[Json]) -> bool:
    sample = [item for item in items[:_SAMPLE] if isinstance(item, dict)]
    return any(map(_is_content, sample)) and not any(map(_is_foreign, sample[:_OPENING]))


def _is_content(item: dict[str, Any]) -> bool:
    parts = item.get("parts")
    named = item.get("role") in _ROLES or ("role" not in item and parts)
    return isinstance(parts, list) and bool(named) and all(map(_may_be_part, parts[:_SAMPLE]))


def _is_foreign(item: dict[str, Any]) -> bool:
    parts = item.get("parts")
    typed = isinstance(parts, list) and any(isinstance(part, dict) and "type" in part for part in parts)
    return typed or ("parts" not in item and not {"content", "type", "event"}.isdisjoint(item))


def _may_be_part(part: Json) -> bool:
    return isinstance(part, str) or is_part(part)


def _extras(value: Json) -> dict[str, Any]:
    if isinstance(value, list):
        return {}
    if not _is_exchange(value):
        return without(value, (*_LISTS, *_SYSTEM))
    response = value["response"] if isinstance(value["response"], dict) else {}
    return without(value["request"], (*_LISTS, *_SYSTEM)) | without(response, ("candidates",))


def _answer(value: Json) -> dict[str, Any] | None:
    """Return the content that the model answered with, when there is one."""
    if not isinstance(value, dict) or not _is_exchange(value):
        return None
    return _reply(value["response"])


def _reply(response: Json) -> dict[str, Any] | None:
    """Return the content of a response; the chunks of a stream make one, its words joined."""
    chunks = response if isinstance(response, list) else [response]
    contents = [content for chunk in chunks if (content := _first(chunk)) is not None]
    if len(contents) <= 1:
        return contents[0] if contents else None
    parts: list[Any] = []
    for part in (part for content in contents for part in _parts_of(content)):
        if parts and _continues(parts[-1], part):
            parts[-1] = parts[-1] | part | {"text": parts[-1]["text"] + part["text"]}
        elif part != {"text": ""}:
            parts.append(part)
    return {"role": "model", "parts": parts}


def _continues(before: Json, part: Json) -> bool:
    both = (before, part)
    texts = all(isinstance(one, dict) and isinstance(one.get("text"), str) for one in both)
    signed = any(isinstance(one, dict) and signature_of(one) is not None for one in both)
    return texts and not signed and before.get("thought") == part.get("thought")


def _first(response: Json) -> dict[str, Any] | None:
    candidates = response.get("candidates") if isinstance(response, dict) else None
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content = first.get("content") if isinstance(first, dict) else None
    if not isinstance(content, dict):
        return None
    return content if content.get("role") == "model" else content | {"role": "model"}


def _is_recorded(row: Json) -> bool:
    return isinstance(row, dict) and row.get("method") in (*_METHODS, *_NO_REPLY) and "response" in row


def _is_recording(value: Json) -> bool:
    sample = [row for row in value[:_SAMPLE] if isinstance(row, dict)] if isinstance(value, list) else []
    return any(map(_is_recorded, sample)) and all("method" in row and "response" in row for row in sample)


def _recorded(rows: list[Any]) -> Reading:
    damage: list[Damage] = []
    reader = ContentReader("gemini_api", damage)
    for at, row in each_object(rows, "$", damage):
        path = f"$[{at}].response"
        if not _is_recorded(row):
            cause = f"expected a method of {', '.join(_METHODS)}; found {shown(row.get('method'))}; it was not read"
            damage.append(Damage(f"$[{at}]", cause))
            continue
        reply = None if row["method"] in _NO_REPLY else _reply(row["response"])
        try:
            if reply is not None:
                reader.read(reply, at, path, Beside({}))
        except TranscriptError as error:
            damage.append(damage_of(error))
    messages, places, unknown = reader.finished()
    return Reading(messages, places, {"recorded": "responses only"}, damage=(*damage, *unknown), incomplete=True)


def _recording_left(rows: list[Any], edit: Edit) -> list[Any]:
    if any(entry.kept is None for entry in edit.entries):
        raise TranscriptError(
            "a file of recorded responses holds replies of the model only; replies can be removed, nothing can be added"
        )

    def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
        return row

    return revise_items(rows, rewritten(rows, edit, encode=lambda _: [], shrink=shrink))
