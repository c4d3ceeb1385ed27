"""Rows of Pydantic AI: a request or a response as messages, a new message as a row, and a row with less in it.

A note of ours stands where Pydantic AI keeps what is the application's: in the `metadata` of a tool's result or of a
summary, and for any other part in the `metadata` of its row, by the number of the part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, ToolCall, frame_kind
from foldproof.transcripts import pydantic_ai_parts as parts_of
from foldproof.transcripts.codec import FIELDS, id_text, made_up_id, without
from foldproof.transcripts.compactions import summary_frame_of
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, noted, with_note

INSTRUCTIONS = "instructions"
"""The place of the instructions of a request, which are no part of it."""

_OWN = ("tool-return", "compaction")


class Said(NamedTuple):
    """A message that a row holds.

    Attributes:
        key: which part of the row it is; None when it is all of it.
        parts: the numbers of its parts.
        fields: the message fields.
        summary: it is the summary that a provider wrote of what stands ahead of it.
    """

    key: Part
    parts: tuple[int, ...]
    fields: dict[str, Any]
    summary: bool = False


class RowReader:
    """Reads rows in order: a result without an id answers the oldest call without one."""

    def __init__(self) -> None:
        self.damage: list[Damage] = []
        self._kinds = UnknownKinds("message kind")
        self._parts = UnknownKinds("part kind")
        self._waiting: list[str] = []

    def all_damage(self) -> tuple[Damage, ...]:
        """Return what could not be read."""
        return (*self.damage, *self._kinds.damage(), *self._parts.damage())

    def said(self, row: dict[str, Any], path: str) -> list[Said]:
        """Return the messages of a row, the results of tools first."""
        kind, parts = row.get("kind"), row.get("parts")
        if kind not in ("request", "response"):
            self._kinds.add(kind, path)
        elif not isinstance(parts, list):
            self.damage.append(Damage(f"{path}.parts", f"expected a list of parts; found {shown(parts)}"))
        elif kind == "request":
            return self._request(row, parts, path)
        else:
            return self._response(row, parts, path)
        return []

    def _objects(self, parts: list[Json], path: str) -> list[tuple[int, dict[str, Any]]]:
        found = []
        for at, part in enumerate(parts):
            if isinstance(part, dict):
                found.append((at, part))
            else:
                self.damage.append(Damage(f"{path}.parts[{at}]", f"expected a part; found {shown(part)}"))
        return found

    def _request(self, row: dict[str, Any], parts: list[Json], path: str) -> list[Said]:
        results: list[Said] = []
        others: list[Said] = []
        notes = notes_of(row)
        objects = self._objects(parts, path)
        for at, part in objects:
            try:
                fields = parts_of.request_fields(part, f"{path}.parts[{at}]")
            except TranscriptError as error:
                self.damage.append(damage_of(error))
                continue
            kind = part.get("part_kind")
            if fields is None:
                if kind not in parts_of.SILENT and kind != "instruction-delta":
                    self._parts.add(kind, f"{path}.parts[{at}]")
                continue
            if fields["role"] == "tool":
                identifier = id_text(fields["toolCallId"])
                fields["toolCallId"] = self._next_waiting(fields) if identifier is None else identifier
            elif kind == "user-prompt" and results and not parts_of.ends_a_run(one for _, one in objects):
                fields["injectedBy"] = parts_of.APP
            elif kind == "compaction" and FIELDS not in _metadata(part):
                fields["metadata"] = _stamp(fields["content"], part)
            fields = _as_noted(fields, part, notes.get(str(at)))
            (results if fields["role"] == "tool" else others).append(Said(at, (at,), fields))
        return results + others

    def _next_waiting(self, fields: dict[str, Any]) -> str:
        return self._waiting.pop(0) if self._waiting else made_up_id("result", fields.get("toolName"))

    def _response(self, row: dict[str, Any], parts: list[Json], path: str) -> list[Said]:
        found: list[Said] = []
        objects = self._objects(parts, path)
        kinds = [part.get("part_kind") for _, part in objects]
        returns: dict[Any, dict[str, Any]] = {}
        if "builtin-tool-return" in kinds:
            returns = {
                part["tool_call_id"]: part
                for _, part in objects
                if part.get("part_kind") == "builtin-tool-return" and isinstance(part.get("tool_call_id"), str)
            }
        self._waiting = []
        run: list[tuple[int, dict[str, Any]]] = []
        for at, part in objects if "compaction" in kinds else ():
            if not parts_of.is_summary(part):
                run.append((at, part))
                continue
            if run:
                found.append(self._spoken(row, run, returns, path))
                run = []
            fields = _as_noted({"role": "user", "content": part["content"]}, part, None)
            found.append(Said(at, (at,), fields, summary=FIELDS not in _metadata(part)))
        run = run if "compaction" in kinds else objects
        if not found:
            return [self._spoken(row, run, returns, path)._replace(key=None)]
        return [*found, self._spoken(row, run, returns, path)] if run else found

    def _spoken(
        self, row: dict[str, Any], run: list[tuple[int, dict[str, Any]]], returns: dict[Any, dict[str, Any]], path: str
    ) -> Said:
        spoken = parts_of.Spoken()
        for at, part in run:
            try:
                known = parts_of.spoken_part(part, spoken, returns, f"{path}.parts[{at}]")
            except TranscriptError as error:
                self.damage.append(damage_of(error))
                continue
            if not known:
                self._parts.add(part.get("part_kind"), f"{path}.parts[{at}]")
        for at, call in enumerate(spoken.calls):
            identifier = id_text(call["id"])
            if identifier is None:
                identifier = made_up_id("call", at, call["name"], call["args"])
                self._waiting.append(identifier)
            call["id"] = identifier
        fields = spoken.fields()
        for name, ours in (("model_name", "model"), ("finish_reason", "finishReason"), ("provider_response_id", "id")):
            if isinstance(row.get(name), str):
                fields[ours] = row[name]
        first = run[0][0] if run else 0
        note = notes_of(row).get(str(first))
        fields = with_note(fields, {FIELDS: note}) if note is not None else fields
        return Said(first, tuple(at for at, _ in run), fields)


def notes_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes of ours in the metadata of a row."""
    notes = _metadata(row).get(FIELDS)
    return notes if isinstance(notes, dict) else {}


def _metadata(holder: Mapping[str, Any]) -> dict[str, Any]:
    metadata = holder.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _stamp(summary: str, part: dict[str, Any]) -> Any:  # noqa: ANN401 - the metadata of a message
    identifier = part.get("id") if isinstance(part.get("id"), str) else None
    return summary_frame_of(summary, originals=None, id=identifier).metadata


def _as_noted(fields: dict[str, Any], part: dict[str, Any], beside: Json) -> dict[str, Any]:
    note = _metadata(part).get(FIELDS) if part.get("part_kind") in _OWN else beside
    return fields if note is None else with_note(fields, {FIELDS: note})


def encode_row(message: Message, *, compacts: bool) -> dict[str, Any]:
    """Return the row of a new message; `compacts`: a request may hold the summary of a compaction."""
    if message.role == "assistant":
        said = [{"content": message.text, "part_kind": "text"}] if message.text else []
        row: dict[str, Any] = {"parts": [*said, *map(_call, message.tool_calls)], "kind": "response"}
        return _with_notes(row, [(0, message)])
    if message.role == "tool":
        part = _returned(message)
    elif message.role == "system":
        part = {"content": message.text, "part_kind": "system-prompt"}
    elif compacts and frame_kind(message) == "summary":
        part = {"content": message.text, "part_kind": "compaction"}
    else:
        part = {"content": message.text, "part_kind": "user-prompt"}
    return _with_notes({"parts": [part], "instructions": None, "kind": "request"}, [(0, message)])


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = call.args if isinstance(call.args, dict) else parts_of.json_text(call.args)
    return {"tool_name": call.name, "args": arguments, "tool_call_id": call.id, "part_kind": "tool-call"}


def _returned(message: Message) -> dict[str, Any]:
    part: dict[str, Any] = {"tool_name": message.tool_name or "unknown", "content": message.text}
    part |= {"tool_call_id": message.tool_call_id} if message.tool_call_id is not None else {}
    return part | ({"outcome": "failed"} if message.is_error else {}) | {"part_kind": "tool-return"}


def shrunk(
    row: dict[str, Any], left: Sequence[Part], messages: Mapping[Part, Message], cleared: Mapping[Part, Message]
) -> dict[str, Any]:
    """Return a row with only some of its messages left, each of which still means what it did.

    Args:
        row: the row.
        left: which of its messages stay.
        messages: what each of them means.
        cleared: the new results that take the place of some of them.
    """
    held = RowReader().said(row, "$")
    gone = {at for said in held if said.key not in left for at in said.parts}
    kept: list[Json] = []
    wanted: list[tuple[int, Message]] = []
    by_first = {said.parts[0]: said for said in held if said.parts and said.key in left}
    for at, part in enumerate(row["parts"]):
        if at in gone:
            continue
        said = by_first.get(at)
        if said is not None:
            wanted.append((len(kept), cleared.get(said.key, messages[said.key])))
        kept.append(_returned(cleared[said.key]) if said is not None and said.key in cleared else part)
    bare = revise(row, {"parts": revise_items(row["parts"], kept)})
    if FIELDS in _metadata(row):
        bare = revise(bare, {"metadata": without(row["metadata"], (FIELDS,))})
    return _with_notes(bare, wanted)


def _with_notes(row: dict[str, Any], wanted: Sequence[tuple[int, Message]]) -> dict[str, Any]:
    """Return a row whose messages, which start at these parts, mean what they have to."""
    parts = list(row["parts"])
    for at, _ in wanted:
        if at < len(parts) and parts[at].get("part_kind") in _OWN:
            parts[at] = _bare(parts[at])
    said = {one.parts[0] if one.parts else 0: one for one in RowReader().said(row | {"parts": parts}, "$")}
    notes: dict[str, Any] = {}
    for at, message in wanted:
        note = noted({}, said[at].fields if at in said else {}, message).get(FIELDS)
        if at >= len(parts) or parts[at].get("part_kind") not in _OWN:
            notes |= {} if note is None else {str(at): note}
        elif note is not None:
            parts[at] = parts[at] | {"metadata": _metadata(parts[at]) | {FIELDS: note}}
    same = all(new is old or new == old for new, old in zip(parts, row["parts"], strict=True))
    changes: dict[str, Json] = {} if same else {"parts": revise_items(row["parts"], parts)}
    if notes:
        changes["metadata"] = _metadata(row) | {FIELDS: notes}
    return revise(row, changes)


def _bare(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part as it reads under a note that says nothing: a summary with a note is ours, whatever it says."""
    if part["part_kind"] == "compaction":
        return part | {"metadata": _metadata(part) | {FIELDS: {}}}
    return part | {"metadata": without(_metadata(part), (FIELDS,))} if FIELDS in _metadata(part) else part


def pinned(row: dict[str, Any], at: int, message: Message) -> dict[str, Any]:
    """Return a row whose summary says for itself what it stands for, whatever stands ahead of it."""
    parts = list(row["parts"])
    note = noted({}, {"role": "user", "content": parts[at].get("content")}, message).get(FIELDS, {})
    parts[at] = parts[at] | {"metadata": _metadata(parts[at]) | {FIELDS: note}}
    return revise(row, {"parts": revise_items(row["parts"], parts)})
