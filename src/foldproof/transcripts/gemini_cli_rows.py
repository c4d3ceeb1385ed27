"""Rows of a Gemini CLI session, as messages: what was checked stands in `gemini_cli_session`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS
from foldproof.transcripts.gemini_cli_log import parts_in
from foldproof.transcripts.gemini_contents import Beside, ContentReader
from foldproof.transcripts.gemini_parts import CALL, RESPONSE, TEXT, kind_of
from foldproof.transcripts.gemini_writing import parted, response_part
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part

SPOKEN = ("user", "gemini", "model")
NOTICES = ("info", "error", "warning")
_CONTENT = "content"


def read_row(reader: ContentReader, row: dict[str, Any], at: int, path: str) -> None:
    """Read a row of a person or of the model, with the results of its calls.

    Raises:
        TranscriptError: it is none, and where.
    """
    about: dict[str, Any] = {"id": row["id"]} if isinstance(row.get("id"), str) else {}
    content = row.get(_CONTENT, row.get("parts"))
    if not isinstance(content, str | list | dict | None):
        raise TranscriptError(f"expected text or parts; found {shown(content)}", path=f"{path}.{_CONTENT}")
    note = row.get(FIELDS)
    if row.get("type") == "user":
        reader.read({"role": "user", "parts": parts_in(content)}, at, path, Beside(about, note))
        return
    if isinstance(row.get("model"), str):
        about["model"] = row["model"]
    spoken = [part for part in parts_in(content) if part != ""]
    calls = _calls(row, path)
    reader.read(
        {"role": "model", "parts": _whole(spoken, row, calls)}, at, path, Beside(about, note, salt=about.get("id"))
    )
    given = [call for call in calls if call.get("result")]
    if given:
        _results(reader, given, at, path, about)


def _calls(row: dict[str, Any], path: str) -> list[dict[str, Any]]:
    calls = row.get("toolCalls")
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise TranscriptError(f"expected a list of calls; found {shown(calls)}", path=f"{path}.toolCalls")
    for at, call in enumerate(calls):
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            raise TranscriptError(f"expected a call with a name; found {shown(call)}", path=f"{path}.toolCalls[{at}]")
    return calls


def _whole(spoken: list[Any], row: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    """Return the parts of a reply: newer rows hold every one in their content, older ones words only."""
    kinds = [kind_of(part) if isinstance(part, dict) else (TEXT, part) for part in spoken]
    own = [value.get("id") for kind, value in kinds if kind == CALL and isinstance(value, dict)]
    thinks = any(isinstance(part, dict) and part.get("thought") is True for part in spoken)
    thoughts = row.get("thoughts")
    before = [_thought(thought) for thought in thoughts] if isinstance(thoughts, list) and not thinks else []
    called = [{CALL: {name: call.get(name) for name in ("id", "name", "args")}} for call in calls]
    return [*before, *spoken, *(part for part in called if part[CALL]["id"] is None or part[CALL]["id"] not in own)]


def _thought(thought: Json) -> Json:
    if not isinstance(thought, dict):
        return thought
    subject, description = thought.get("subject"), thought.get("description")
    words = [f"**{subject}**" if isinstance(subject, str) and subject else "", description]
    return {TEXT: " ".join(word for word in words if isinstance(word, str) and word), "thought": True}


def _results(reader: ContentReader, calls: list[dict[str, Any]], at: int, path: str, about: Mapping[str, Any]) -> None:
    parts = [_response(call) for call in calls]
    before = len(reader.drafts)
    about = {name: value for name, value in about.items() if name == "id"}
    reader.read({"role": "user", "parts": parts}, at, f"{path}.toolCalls", Beside(about))
    for draft, call in zip(reader.drafts[before:], calls, strict=False):
        if FIELDS in call:
            continue
        if call.get("status") == "error":
            draft.fields["isError"] = True
        elif call.get("status") == "cancelled":
            draft.fields |= {"isError": True, "toolResultOrigin": "not-entered"}


def _response(call: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call as one part; what stands behind its response belongs to it."""
    beside = {FIELDS: call[FIELDS]} if isinstance(call.get(FIELDS), dict) else {}
    named = {name: call[name] for name in ("id", "name") if isinstance(call.get(name), str)}
    result = call["result"]
    response: dict[str, Any] | None = None
    more: list[Any] = []
    for part in parts_in(result):
        kind, value = kind_of(part) if isinstance(part, dict) else (None, None)
        if kind == RESPONSE and isinstance(value, dict):
            if response is not None:
                break  # the results of other calls of one reply may stand here too
            if value.get("id") in (None, call.get("id")):
                response = value
        elif response is not None:
            more.append(part)
    if response is None:
        words = [part.get(TEXT) if isinstance(part, dict) else part for part in parts_in(result)]
        said = "\n".join(map(str, words)) if all(isinstance(word, str) for word in words) else result
        return {RESPONSE: {**named, "response": {"output": said}}, **beside}
    held = response.get("parts")
    pieces = [*(held if isinstance(held, list) else []), *more]
    return {RESPONSE: {**response, **named, **({"parts": pieces} if pieces else {})}, **beside}


def row_left(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a row with only these parts left, and with new results in the place of some."""
    if row.get("type") == "user":
        return _user_left(row, parts, cleared)
    kept = {part[0] for part in parts if isinstance(part, tuple)}
    calls: list[Any] = []
    number = -1
    for call in row["toolCalls"]:
        if not call.get("result"):
            calls.append(call)
            continue
        number += 1
        if (number,) in cleared:
            calls.append(_cleared(call, cleared[(number,)]))
        else:
            calls.append(call if number in kept else revise(call, {"result": None}))
    return revise(row, {"toolCalls": revise_items(row["toolCalls"], calls)})


def _cleared(call: dict[str, Any], message: Message) -> dict[str, Any]:
    old = {RESPONSE: {name: call[name] for name in ("id", "name") if name in call}}
    notes, (part,) = parted([response_part(message, old)])
    return revise(call, {"result": [part], FIELDS: next(iter(notes.values()))})


def _user_left(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    content = parts_in(row.get(_CONTENT))
    kept: dict[int, Any] = {}
    notes: dict[str, Any] = {}
    for some in parts:
        for at in some if isinstance(some, tuple) else range(len(content)):
            kept[at] = content[at]
            if some in cleared:
                made, (kept[at],) = parted([response_part(cleared[some], content[at])])
                notes |= made
    left = revise_items(row[_CONTENT], [kept[at] for at in sorted(kept)])
    before = row[FIELDS] if isinstance(row.get(FIELDS), dict) else {}
    return revise(row, {_CONTENT: left} | ({FIELDS: before | {"results": notes}} if notes else {}))
