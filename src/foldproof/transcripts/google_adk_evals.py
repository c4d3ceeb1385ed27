"""Eval sets of Google ADK: cases with the turns of a conversation, recorded or made up.

Checked in five real files, whose tool uses have no results: those of a case are calls that nothing answers. The older
shapes (`[{name, data: [{query, expected_tool_use, reference}]}]`, and the turns alone) and the newer members
(`tool_responses`, `invocation_events`) are from the source of ADK 2.13.

* A turn is the user's content, the calls (in one message: nothing says which were made together), their results where
  they are recorded, what sub-agents said, and the final response.
* A turn of which something left stays with what is left. A frame is a turn of its own. Our fields stand on the case,
  by the id of the turn: ADK takes unknown ones only there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, pair
from foldproof.transcripts.codec import FIELDS, made_up_id, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.gemini_contents import RESULTS, Beside, ContentReader
from foldproof.transcripts.gemini_parts import either
from foldproof.transcripts.gemini_writing import new_content, parted, restated, shrunk
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, each_object, rewritten, rows_in

_USER, _USES, _RESPONSES, _SAID, _EVENTS, _FINAL = "user", "uses", "responses", "said", "events", "final"
_SAMPLE = 50
_MORE = "fields"  # in the notes of a case: those of its turns


class _Row(dict[str, Any]):
    """One content of a turn, as a row: `turn` is the index of the turn, `kind` and `number` what of it."""

    turn: int
    kind: str
    number: int
    path: str


def recognise_evals(value: Json) -> str | None:
    """Return why a value is an eval set, a case of one, or the turns of one."""
    if isinstance(value, list):
        return "turns with a query" if any(map(_is_legacy_turn, value[:_SAMPLE])) else None
    if not isinstance(value, dict):
        return None
    if isinstance(either(value, "evalCases", "eval_cases"), list) and either(value, "evalSetId", "eval_set_id"):
        return "an eval set"
    turns = value.get("data")
    if "name" not in value or not isinstance(turns, list):
        return None
    legacy = any(map(_is_legacy_turn, turns[:_SAMPLE])) if turns else "initial_session" in value
    return "an eval case" if legacy else None


def _is_legacy_turn(turn: Json) -> bool:
    known = isinstance(turn, dict) and isinstance(turn.get("query"), str)
    return known and ("expected_tool_use" in turn or "reference" in turn)


def read_evals(value: Json) -> Sequence[Reading]:
    """Return the conversation of every case.

    Raises:
        TranscriptError: there is none.
    """
    cases, odd = _cases(value)
    first, *others = [_reading(case, path) for case, path in cases]
    return (dataclasses.replace(first, damage=(*odd, *first.damage)), *others)


def write_evals(value: Json, edits: Sequence[Edit]) -> Json:
    """Return the eval set with other turns in its cases."""
    cases, _ = _cases(value)
    written = [_written(case, path, edit) for (case, path), edit in zip(cases, edits, strict=True)]
    if isinstance(value, list) or "data" in value:
        return written[0]
    name = _name_of_cases(value)
    changed = iter(written)
    items = [next(changed) if isinstance(case, dict) else case for case in value[name]]
    return revise(value, {name: revise_items(value[name], items)})


def _name_of_cases(value: dict[str, Any]) -> str:
    return "eval_cases" if value.get("eval_cases") is not None else "evalCases"


def _cases(value: Json) -> tuple[list[tuple[Any, str]], list[Damage]]:
    if isinstance(value, list) or "data" in value:
        return [(value, "$")], []
    path = f"$.{_name_of_cases(value)}"
    odd: list[Damage] = []
    found = [(case, f"{path}[{at}]") for at, case in each_object(value[path[2:]], path, odd)]
    if not found:
        raise TranscriptError("an eval set without a case; expected eval_cases with conversations", path=path)
    return found, odd


def _turns(case: Json, path: str) -> tuple[list[Any], str]:
    if isinstance(case, list):
        return case, path
    name = "data" if "data" in case else "conversation"
    turns = case.get(name)
    return ([] if turns is None else rows_in(turns, f"{path}.{name}")), f"{path}.{name}"


def _reading(case: Json, path: str) -> Reading:
    damage: list[Damage] = []
    try:
        turns, here = _turns(case, path)
    except TranscriptError as error:
        turns, here = [], path
        damage.append(damage_of(error))
    reader = _read(_flat(turns, here, damage), turns, _notes(case), damage)
    messages, places, unknown = reader.finished()
    whole = case if isinstance(case, dict) else {}
    extras = without(whole, ("conversation", "data", FIELDS))
    identifier = either(whole, "evalId", "eval_id") or whole.get("name")
    name = identifier if isinstance(identifier, str) else None
    unrecorded = bool(pair(messages).unanswered)  # older sets name the calls, and not what the tools said
    return Reading(messages, places, extras, name, damage=(*damage, *unknown), incomplete=unrecorded)


def _read(rows: list[_Row], turns: list[Any], notes: dict[str, Any], damage: list[Damage]) -> ContentReader:
    reader = ContentReader("google_adk", damage)
    for at, row in enumerate(rows):
        note = row.get(FIELDS) if row.turn < 0 else _note_of(turns[row.turn], row.kind, notes)
        about = {"name": row["author"]} if isinstance(row.get("author"), str) and row.get("role") == "model" else {}
        turn = {} if row.turn < 0 else turns[row.turn]
        salt = either(turn, "invocationId", "invocation_id")
        try:
            reader.read(row, at, row.path, Beside(about, note, salt=salt if isinstance(salt, str) else None))
        except TranscriptError as error:
            damage.append(damage_of(error))
    return reader


def _notes(case: Json) -> dict[str, Any]:
    notes = case.get(FIELDS) if isinstance(case, dict) else None
    return notes if isinstance(notes, dict) else {}


def _note_of(turn: dict[str, Any], kind: str, notes: dict[str, Any]) -> dict[str, Any] | None:
    own = turn.get(FIELDS)  # a turn of the older shapes may hold anything
    if isinstance(own, dict):
        return own
    identifier = either(turn, "invocationId", "invocation_id")
    more = notes.get(_MORE)
    note = more.get(identifier) if isinstance(more, dict) and isinstance(identifier, str) else None
    results = (
        {RESULTS: notes[RESULTS]} if isinstance(notes.get(RESULTS), dict) and kind in (_RESPONSES, _EVENTS) else {}
    )
    return note if isinstance(note, dict) and kind in (_USER, _FINAL) else results or None


def _flat(turns: list[Any], path: str, damage: list[Damage]) -> list[_Row]:
    """Return every content of every turn as a row."""
    rows: list[_Row] = []
    for at, turn in enumerate(turns):
        if not isinstance(turn, dict):
            damage.append(Damage(f"{path}[{at}]", f"expected a turn; found {shown(turn)}; it was not read"))
            continue
        for kind, number, content in _contents(turn, f"{path}[{at}]", damage):
            row = _Row(content)
            row.turn, row.kind, row.number, row.path = at, kind, number, f"{path}[{at}]"
            rows.append(row)
    return rows


def _contents(turn: dict[str, Any], path: str, damage: list[Damage]) -> list[tuple[str, int, dict[str, Any]]]:
    if "query" in turn:
        return _legacy_contents(turn)
    found: list[tuple[str, int, dict[str, Any]]] = []

    def add(kind: str, content: Json, role: str, number: int = 0) -> None:
        if isinstance(content, dict):
            spoken = _with_words(content)
            if spoken:
                found.append((kind, number, content | {"role": role, "parts": spoken}))
        elif content is not None:
            damage.append(Damage(path, f"expected a content of {kind}; found {shown(content)}; it was not read"))

    add(_USER, either(turn, "userContent", "user_content"), "user")
    data = either(turn, "intermediateData", "intermediate_data")
    between = data if isinstance(data, dict) else {}
    for kind, names, role, member in (
        (_USES, ("toolUses", "tool_uses"), "model", "functionCall"),
        (_RESPONSES, ("toolResponses", "tool_responses"), "user", "functionResponse"),
    ):
        several = either(between, *names)
        if isinstance(several, list) and several:
            add(kind, {"parts": [{member: one} for one in several]}, role)
    said = either(between, "intermediateResponses", "intermediate_responses")
    for number, one in enumerate(said if isinstance(said, list) else []):
        pair = isinstance(one, list) and len(one) == 2  # noqa: PLR2004 - an author and parts
        add(_SAID, {"author": one[0], "parts": one[1]} if pair else one, "model", number)
    events = either(between, "invocationEvents", "invocation_events")
    for number, event in enumerate(events if isinstance(events, list) else []):
        content = event.get("content") if isinstance(event, dict) else event
        inner = content | {"author": event.get("author")} if isinstance(content, dict) else content
        add(_EVENTS, inner, str((isinstance(content, dict) and content.get("role")) or "model"), number)
    add(_FINAL, either(turn, "finalResponse", "final_response"), "model")
    return found


def _with_words(content: dict[str, Any]) -> Json:
    """Return the parts of a content but for those in which everything is null, as of a turn that said nothing."""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return parts
    return [part for part in parts if not isinstance(part, dict) or any(value is not None for value in part.values())]


def _legacy_contents(turn: dict[str, Any]) -> list[tuple[str, int, dict[str, Any]]]:
    uses = turn.get("expected_tool_use")
    calls = [
        {"functionCall": {"name": use.get("tool_name"), "args": use.get("tool_input")}}
        if isinstance(use, dict)
        else use
        for use in (uses if isinstance(uses, list) else [])
    ]
    said = turn.get("expected_intermediate_agent_responses")
    between = [
        {"author": one.get("author"), "parts": [{"text": one.get("text")}]} if isinstance(one, dict) else {"parts": one}
        for one in (said if isinstance(said, list) else [])
    ]
    found: list[tuple[str, int, dict[str, Any]]] = []
    if turn["query"] not in ("", None):
        found.append((_USER, 0, {"role": "user", "parts": [{"text": turn["query"]}]}))
    if calls:
        found.append((_USES, 0, {"role": "model", "parts": calls}))
    found += [(_SAID, number, {"role": "model", **one}) for number, one in enumerate(between)]
    if turn.get("reference"):
        found.append((_FINAL, 0, {"role": "model", "parts": [{"text": turn["reference"]}]}))
    return found


def _written(case: Json, path: str, edit: Edit) -> Json:
    if not edit.changed:
        return case
    turns, here = _turns(case, path)
    rows = _flat(turns, here, [])

    def encode(message: Message) -> list[Any]:
        row = _Row(new_content(message))
        row.turn, row.kind, row.number, row.path = -1, _USER, 0, "$"
        return [row]

    def shrink(row: _Row, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> _Row:
        return _as(row, shrunk(dict(row), parts, cleared))

    out = rewritten(rows, edit, encode=encode, shrink=shrink)
    marked = [_as(old, new) for old, new in zip(out, restated(out, edit, _read(out, turns, {}, [])), strict=True)]
    notes = _notes(case)
    left, more, results = _regrouped(marked, turns, legacy=isinstance(case, list) or "data" in case)
    items = revise_items(turns, left)
    if isinstance(case, list):
        return items
    changed = revise(case, {"data" if "data" in case else "conversation": items})
    said = {_MORE: (notes.get(_MORE) or {}) | more, RESULTS: (notes.get(RESULTS) or {}) | results}
    return revise(changed, {FIELDS: notes | said}) if more or results else changed


def _as(old: _Row, new: dict[str, Any]) -> _Row:
    if new is old:
        return old
    row = _Row(new)
    row.turn, row.kind, row.number, row.path = old.turn, old.kind, old.number, old.path
    return row


def _regrouped(rows: list[_Row], turns: list[Any], *, legacy: bool) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
    """Return the turns that rows make, and the notes of new turns and of new results."""
    silent = [at for at in range(len(turns)) if not isinstance(turns[at], dict) or not _contents(turns[at], "$", [])]
    out: list[Any] = []
    more: dict[str, Any] = {}
    results: dict[str, Any] = {}
    at = 0
    while at < len(rows):
        row = rows[at]
        if row.turn < 0:
            out.append(_new_turn(row, more, legacy=legacy))
            at += 1
            continue
        while silent and silent[0] < row.turn:
            out.append(turns[silent.pop(0)])
        stop = at
        while stop < len(rows) and rows[stop].turn == row.turn:
            stop += 1
        out.append(_turn_left(turns[row.turn], rows[at:stop], results, more))
        at = stop
    return [*out, *(turns[index] for index in silent)], more, results


def _new_turn(row: _Row, more: dict[str, Any], *, legacy: bool) -> dict[str, Any]:
    note = row.get(FIELDS, {})
    text = "\n".join(str(part.get("text", "")) for part in row["parts"])
    if legacy:
        return {"query": text, "expected_tool_use": [], "reference": "", FIELDS: note}
    identifier = made_up_id("turn", text, note, len(more))
    more[identifier] = note
    content = without(row, (FIELDS,))
    return {"invocation_id": identifier, "user_content": content, "final_response": None, "intermediate_data": None}


def _turn_left(turn: dict[str, Any], rows: list[_Row], results: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return a turn with only these of its contents left."""
    kept = {(row.kind, row.number): row for row in rows}
    before = [(kind, number) for kind, number, _ in _contents(turn, "$", [])]
    for row in rows:
        notes, bare = parted(row["parts"]) if isinstance(row["parts"], list) else ({}, row["parts"])
        results |= notes
        row["parts"] = bare
        if isinstance(row.get(FIELDS), dict):
            more[str(either(turn, "invocationId", "invocation_id"))] = row[FIELDS]
    gone = [one for one in before if one not in kept]
    changes: dict[str, Any] = {}
    if "query" in turn:
        changes |= {name: "" for kind, name in ((_USER, "query"), (_FINAL, "reference")) if (kind, 0) in gone}
        changes |= {"expected_tool_use": []} if (_USES, 0) in gone else {}
        name = "expected_intermediate_agent_responses"
        return revise(turn, changes | _without_numbers(turn, name, _SAID, gone))
    user = "user_content" if turn.get("user_content") is not None else "userContent"
    final = "final_response" if turn.get("final_response") is not None else "finalResponse"
    changes |= {user: {"role": "user", "parts": []}} if (_USER, 0) in gone else {}
    changes |= {final: None} if (_FINAL, 0) in gone else {}
    data_name = "intermediate_data" if turn.get("intermediate_data") is not None else "intermediateData"
    if isinstance(turn.get(data_name), dict):
        changes |= {data_name: _between_left(turn[data_name], kept, gone)}
    return revise(turn, changes)


def _between_left(
    data: dict[str, Any], kept: Mapping[tuple[str, int], _Row], gone: Sequence[tuple[str, int]]
) -> dict[str, Any]:
    changes: dict[str, Any] = {name: [] for name in ("tool_uses", "toolUses") if (_USES, 0) in gone and name in data}
    for name in ("tool_responses", "toolResponses"):
        if isinstance(data.get(name), list) and data[name]:
            responses = kept[_RESPONSES, 0]["parts"] if (_RESPONSES, 0) in kept else []
            changes[name] = revise_items(data[name], [next(iter(part.values())) for part in responses])
    for name in ("intermediate_responses", "intermediateResponses"):
        changes |= _without_numbers(data, name, _SAID, gone)
    for name in ("invocation_events", "invocationEvents"):
        if isinstance(data.get(name), list):
            changes[name] = revise_items(data[name], _events_left(data[name], kept, gone))
    return revise(data, changes)


def _without_numbers(holder: dict[str, Any], name: str, kind: str, gone: Sequence[tuple[str, int]]) -> dict[str, Any]:
    several = holder.get(name)
    if not isinstance(several, list):
        return {}
    return {name: revise_items(several, [one for at, one in enumerate(several) if (kind, at) not in gone])}


def _events_left(events: list[Any], kept: Mapping[tuple[str, int], _Row], gone: Sequence[tuple[str, int]]) -> list[Any]:
    left = []
    for at, event in enumerate(events):
        if (_EVENTS, at) in gone:
            continue
        row = kept.get((_EVENTS, at))
        parts = event["content"].get("parts") if row is not None else None
        if row is not None and isinstance(parts, list) and row["parts"] != parts:
            left.append(
                revise(event, {"content": revise(event["content"], {"parts": revise_items(parts, row["parts"])})})
            )
        else:
            left.append(event)
    return left
