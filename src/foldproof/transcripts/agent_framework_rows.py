"""One list of Agent Framework messages, row by row. What was checked stands in `agent_framework`.

A row holds what was said (`_SAID`) and results (by their index among the contents); each result is a message here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.agent_framework_contents import is_result, result_of, said_in
from foldproof.transcripts.codec import FIELDS, id_text, made_up_id, message_from
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, Places, each_object, noted, with_note
from foldproof.window import FoldedSpan

_SAID = "said"
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_MORE = "additional_properties"
_GROUP, _EXCLUDED = "_group", "_excluded"
_IDS, _GROUPS, _BY = "_summary_of_message_ids", "_summary_of_group_ids", "_summarized_by_summary_id"
_APP = "agent_framework"


class History:
    """Reads the rows of one list in order."""

    def __init__(self, path: str) -> None:
        """Read rows at `path`."""
        self.messages: list[Message] = []
        self.places: list[Places] = []
        self.damage: list[Damage] = []
        self.folded: list[FoldedSpan] = []
        self.excluded = 0
        self._path = path
        self._waiting: list[dict[str, Any]] = []
        self._names: dict[str, str] = {}
        self._by_row: dict[int, list[Message]] = {}

    def read(self, rows: Sequence[Json]) -> None:
        """Read them; what cannot be read is damage. A summary stands behind the last row that it stands for."""
        known = dict(each_object(rows, self._path, self.damage))
        summaries = _summaries_in(known)
        ends: dict[int, int] = {}
        for at in reversed(summaries):  # one that stands for another stands ahead of it, and is read behind it
            end = max([at, *(max(original, ends.get(original, 0)) for original in summaries[at])])
            while end > at and _role(known.get(end + 1, {})) == "tool":  # nothing stands between a call and its results
                end += 1
            ends[at] = end
        order = sorted(known, key=lambda at: (ends[at], 1, -at) if ends.get(at, at) > at else (at, 0, 0))
        for at in order if summaries else known:
            row, path = known[at], f"{self._path}[{at}]"
            self.excluded += _more(row).get(_EXCLUDED) is True
            try:
                if at in summaries:
                    self._summary(row, at, path, summaries[at])
                else:
                    self._row(row, at, path)
            except TranscriptError as error:
                self.damage.append(damage_of(error))

    def _add(self, message: Message, place: Place) -> None:
        self.messages.append(message)
        self.places.append((place,))
        self._by_row.setdefault(place.row, []).append(message)

    def _row(self, row: dict[str, Any], at: int, path: str) -> None:
        contents = row.get("contents")
        if not isinstance(contents, list):
            raise TranscriptError(f"expected a list; found {shown(contents)}; it was not read", path=f"{path}.contents")
        results = [index for index, content in enumerate(contents) if is_result(content)]
        said = said_of(row, path, self.damage)
        if said["role"] == "tool":
            if said["content"] or not results:
                cause = f"expected results of calls; found {shown(said['content'])}; it was not read"
                self.damage.append(Damage(f"{path}.contents", cause))
        elif said["content"] or "toolCalls" in said or not results:
            message = message_from(with_note(said, _more(row)), path)
            self._add(message, Place(at, _SAID))
            if message.role == "assistant":
                self._waiting = [{"id": call.id, "name": call.name} for call in message.tool_calls]
                self._names.update((call.id, call.name) for call in message.tool_calls)
        for index in results:
            self._result(contents[index], Place(at, index), f"{path}.contents[{index}]")

    def _result(self, content: dict[str, Any], place: Place, path: str) -> None:
        said = result_of(content)
        fitting = [call for call in self._waiting if said["toolCallId"] in ("", call["id"])]
        if fitting:
            self._waiting.remove(fitting[0])
            said["toolCallId"] = fitting[0]["id"]
        said["toolCallId"] = said["toolCallId"] or made_up_id("result", said["content"])
        if said["toolCallId"] in self._names:
            said["toolName"] = self._names[said["toolCallId"]]
        self._add(message_from(with_note(said, _more(content)), path), place)

    def _summary(self, row: dict[str, Any], at: int, path: str, originals: Sequence[int]) -> None:
        stood_for = [message for original in originals for message in self._by_row.get(original, ())]
        text = message_from(said_of(row, path, self.damage), path).text
        frame = summary_frame_of(text, originals=stood_for or None, id=id_text(row.get("message_id")))
        self._add(frame, Place(at, _SAID))
        if stood_for:
            self.folded.append(folded_span(frame, stood_for))


def said_of(row: dict[str, Any], path: str, damage: list[Damage]) -> dict[str, Any]:
    """Return the message fields of a row, without the results that it holds; what is broken of it is added to damage.

    Raises:
        TranscriptError: it is no message, and where.
    """
    role = _role(row)
    if not isinstance(role, str) or role not in _ROLES:
        expected = ", ".join(_ROLES)
        raise TranscriptError(f"unknown role {shown(role)}; expected one of {expected}", path=f"{path}.role")
    said: dict[str, Any] = {"role": _ROLES[role]} | said_in(row["contents"], f"{path}.contents", damage)
    identifier, name = id_text(row.get("message_id")), row.get("author_name")
    if identifier is not None:
        said["id"] = identifier
    if isinstance(name, str):
        said["name"] = name
    by = _more(row).get("_attribution") if role == "user" else None
    source, kind = (by.get("source_id"), by.get("source_type")) if isinstance(by, dict) else (None, None)
    # What a provider of history brings along was said by whoever said it.
    if isinstance(source, str) and not str(kind).endswith("HistoryProvider"):
        said["injectedBy"] = source
    return said


def _role(row: dict[str, Any]) -> Json:
    role = row.get("role")
    return role.get("value") if isinstance(role, dict) else role


def _more(row: dict[str, Any]) -> dict[str, Any]:
    more = row.get(_MORE)
    return more if isinstance(more, dict) else {}


def _group(row: dict[str, Any]) -> dict[str, Any]:
    group = _more(row).get(_GROUP)
    return group if isinstance(group, dict) else {}


def _summaries_in(rows: Mapping[int, dict[str, Any]]) -> dict[int, list[int]]:
    """Return the summaries of the framework's own, and the rows each stands for, by name on either side."""
    groups = {at: group for at, row in rows.items() if (group := _group(row))}
    if not any(_IDS in group or _GROUPS in group for group in groups.values()):
        return {}
    named: dict[str, list[int]] = {}
    naming: dict[str, list[int]] = {}
    for at, row in rows.items():
        for kind, key in ((named, row.get("message_id")), (naming, groups.get(at, {}).get(_BY))):
            if isinstance(key, str):
                kind.setdefault(key, []).append(at)
    found: dict[int, list[int]] = {}
    for at, group in groups.items():
        row = rows[at]
        lists = [group[key] for key in (_IDS, _GROUPS) if isinstance(group.get(key), list)]
        if not lists or FIELDS in _more(row) or not isinstance(row.get("contents"), list):
            continue
        listed = group.get(_IDS)
        ids = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        stood_for = {*naming.get(str(row.get("message_id")), ()), *(at for one in ids for at in named.get(one, ()))}
        found[at] = sorted(stood_for - {at})
    return found


class Style(NamedTuple):
    """How a list spells its messages: what it calls one, and whether a role is an object."""

    kind: str
    wrapped: bool

    @classmethod
    def of(cls, rows: Sequence[Json]) -> Style:
        """Return the style of the first message."""
        first = next((row for row in rows if isinstance(row, dict) and "role" in row), {})
        kind = first.get("type")
        return cls(kind if isinstance(kind, str) else "message", isinstance(first.get("role"), dict))


def encode(message: Message, style: Style, edit: Edit) -> dict[str, Any]:
    """Return the row of a new message."""
    role: Json = {"type": "role", "value": message.role} if style.wrapped else message.role
    row: dict[str, Any] = {"type": style.kind, "role": role}
    if message.role == "tool":
        return row | {"contents": [_result_content(message, message.tool_call_id, {})], _MORE: {}}
    row["contents"] = _contents(message)
    if message.name is not None:
        row["author_name"] = message.name
    if message.id is not None:
        row["message_id"] = message.id
    more: dict[str, Any] = {}
    if frame_kind(message) == "summary":
        row.setdefault("message_id", f"summary_{message.fingerprint[:12]}")
        more[_GROUP] = {_IDS: _folded_ids(message, edit), _GROUPS: []}
    return row | {_MORE: more | _note(said_of(row, "$", []), message)}


def _note(said: Mapping[str, Any], message: Message) -> dict[str, Any]:
    """Return our fields beside those that a row says. There is always a note: what we wrote is known by it."""
    return {FIELDS: noted({}, said, message).get(FIELDS, {})}


def _contents(message: Message) -> list[dict[str, Any]]:
    words = [{"type": "text", "text": message.text}] if message.text else []
    return words + [
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": json.dumps(call.args, ensure_ascii=False),
        }
        for call in message.tool_calls
    ]


def _folded_ids(frame: Message, edit: Edit) -> list[str]:
    """Return the ids of the messages that left where a frame came."""
    at = next(index for index, entry in enumerate(edit.entries) if entry.message is frame)
    before = [entry.kept for entry in edit.entries[:at] if entry.kept is not None]
    after = [entry.kept for entry in edit.entries[at:] if entry.kept is not None]
    stays = {entry.kept for entry in edit.entries}
    start, stop = max(before, default=-1), min(after, default=len(edit.reading.messages))
    gone = (edit.reading.messages[index] for index in range(start + 1, stop) if index not in stays)
    return [message.id for message in gone if message.id is not None]


def _result_content(message: Message, identifier: str | None, old: Mapping[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {"type": "function_result", "call_id": identifier or "", "result": message.text}
    if "items" in old:
        content["items"] = [{"type": "text", "text": message.text}]
    if message.is_error:
        content["exception"] = old.get("exception") or "error"
    return content | {_MORE: _note(result_of(content), message)}


def shrink(row: dict[str, Any], parts: Sequence[Part], cleared: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a row with only these parts left, and with new results in the place of some."""
    contents = []
    for at, content in enumerate(row["contents"]):
        part = at if is_result(content) else _SAID
        if part in cleared:
            contents.append(_result_content(cleared[part], content.get("call_id"), content))
        elif part in parts:
            contents.append(content)
    return revise(row, {"contents": revise_items(row["contents"], contents)})


def marked(rows: list[Any], edit: Edit) -> list[Any]:
    """Return the rows, with a note on each summary that loses an original, so that its frame stays as it was read."""
    index = {id(message): at for at, message in enumerate(edit.reading.messages)}
    kept = {entry.kept for entry in edit.entries}
    losing = {
        span.fingerprint
        for span in edit.reading.folded
        if not all(index.get(id(message)) in kept for message in span.originals or ())
    }
    if not losing:
        return rows
    marked_rows = list(rows)
    for message, places in zip(edit.reading.messages, edit.reading.pieces, strict=True):
        if message.role == "user" and message.fingerprint in losing:
            row = rows[places[0].row]
            note = _note(said_of(row, "$", []), message)
            marked_rows[places[0].row] = revise(row, {_MORE: revise(_more(row), note)})
    return marked_rows
