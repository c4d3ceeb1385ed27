"""Google ADK: a session (`{id, app_name, user_id, events}`), its events alone, or an eval set (see `google_adk_evals`).

Checked in real files: three sessions of ADK's own tests (of 2024: `options` for `actions`, `context` for `state`, calls
without ids), five eval sets; what is newer (camelCase, compaction, rewinding, aborted invocations) in the source of ADK
2.13.

* An event holds a Gemini content (see `gemini_contents`) and its author: `user`, or the name of an agent, which is the
  `name` of an assistant message. A text that an agent put in the user's role is no person's.
* A partial event repeats what the whole event behind it says. One that no whole event follows is reported.
* What a rewind took back (`actions.rewindBeforeInvocationId`) is not part of the conversation; its rows stay.
* The results that seal an aborted invocation, and those of ADK's own requests to the person (`adk_request_…`), are no
  tool's words.
* A compaction (`actions.compaction`) is a frame where its event stands; its originals are the messages of its time span
  that stand ahead of it. A new summary is written as such an event, at a time between its neighbours, so that it hides
  none of them; as an event of the user where two events share a time. Our fields stand on the event: ADK takes unknown
  ones only there.
* `event_logs` of the files of 2024 repeat what was sent to the model. They stay as they were, whatever leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, Format, message_from, without
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.gemini_contents import RESULTS, Beside, ContentReader
from foldproof.transcripts.gemini_parts import RESPONSE, either, kind_of
from foldproof.transcripts.gemini_writing import fresh_id, new_content, parted, restated, shrunk
from foldproof.transcripts.google_adk_evals import read_evals, recognise_evals, write_evals
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, each_object, marked, rewritten, rows_in, with_note
from foldproof.window import FoldedSpan

_SAMPLE = 50
_OWNERS = ("app_name", "appName", "user_id", "userId")
_NOT_EXTRAS = ("id", "events", "event_logs", "past_events", "pending_events")
_ABORTED = "INVOCATION_ABORTED"
_REQUESTS = ("adk_request_credential", "adk_request_confirmation", "adk_request_input")
_STEP = 1e-3  # seconds between a new event and its one neighbour


class GoogleAdk:
    """The formats of Google's Agent Development Kit."""

    format = Format(
        "google_adk",
        "Google ADK: session, events, or eval set (JSON, JSONL)",
        shape="{id, app_name, user_id, events: [{author, invocation_id, content}, …]}, or {eval_set_id, eval_cases}",
        compaction="an event with actions.compaction: a time span and its summary",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session, a list of events or an eval set."""
        evals = recognise_evals(value)
        if evals is not None:
            return evals
        if isinstance(value, list):
            return "a list of events" if _are_events(value) else None
        if not isinstance(value, dict) or not isinstance(value.get("events"), list):
            return None
        owned = "id" in value and sum(name in value for name in _OWNERS) > 1 and not value["events"]
        return "a session with events" if owned or _are_events(value["events"]) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session, or that of each case of an eval set."""
        if recognise_evals(value) is not None:
            return read_evals(value)
        rows, path = _rows(value)
        damage: list[Damage] = []
        reader, folded = _read(rows, path, damage)
        messages, places, unknown = reader.finished()
        extras = without(value, _NOT_EXTRAS) if isinstance(value, dict) else {}
        identifier = value.get("id") if isinstance(value, dict) else None
        name = identifier if isinstance(identifier, str) else None
        return (Reading(messages, places, extras, name, damage=(*damage, *unknown), folded=tuple(folded)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with other events."""
        if recognise_evals(value) is not None:
            return write_evals(value, edits)
        (edit,) = edits
        rows, path = _rows(value)
        made: list[dict[str, Any]] = []
        taken = {str(row.get("id")) for row in rows if isinstance(row, dict)}
        camel = "appName" in (value if isinstance(value, dict) else {}) or any(
            isinstance(row, dict) and "invocationId" in row for row in rows
        )

        native = _are_apart(rows)

        def encode(message: Message) -> list[Any]:
            made.append(_new_event(message, fresh_id("event", message, taken), camel=camel, native=native))
            return made[-1:]

        out = _in_time(rewritten(rows, edit, encode=encode, shrink=_shrunk), made)
        reader, _ = _read(out, path, [])
        items = revise_items(rows, restated(out, edit, reader))
        return items if isinstance(value, list) else revise(value, {"events": items})


def _rows(value: Json) -> tuple[list[Any], str]:
    if isinstance(value, list):
        return value, "$"
    return rows_in(value.get("events"), "$.events"), "$.events"


def _are_events(rows: list[Json]) -> bool:
    sample = [row for row in rows[:_SAMPLE] if isinstance(row, dict)]
    return any(map(_is_event, sample))


def _is_event(row: dict[str, Any]) -> bool:
    authored = isinstance(row.get("author"), str) and not {"invocation_id", "invocationId"}.isdisjoint(row)
    content = row.get("content")
    if not authored or not (content is None or (isinstance(content, dict) and "parts" in content)):
        return False
    return content is not None or not {"actions", "options", "errorCode", "error_code"}.isdisjoint(row)


def _read(rows: list[Any], path: str, damage: list[Damage]) -> tuple[ContentReader, list[FoldedSpan]]:
    reader = ContentReader("google_adk", damage)
    folded: list[FoldedSpan] = []
    taken_back = _taken_back(rows)
    whole = {_speaker(row): at for at, row in enumerate(rows) if isinstance(row, dict) and not _is_partial(row)}
    for at, row in each_object(rows, path, damage):
        if at in taken_back:
            continue
        here = f"{path}[{at}]"
        if _is_partial(row):
            if whole.get(_speaker(row), -1) < at:
                damage.append(Damage(here, "a partial event that no whole event follows; it was not read"))
            continue
        try:
            span = _event(reader, rows, at, here)
        except TranscriptError as error:
            damage.append(damage_of(error))
            continue
        folded += [] if span is None else [span]
    return reader, folded


def _event(reader: ContentReader, rows: list[Any], at: int, path: str) -> FoldedSpan | None:
    row = rows[at]
    compaction = _actions(row).get("compaction")
    if isinstance(compaction, dict):
        return _compaction(reader, rows, at, compaction, path)
    content = row.get("content")
    if content is None:
        if not {"actions", "options", "errorCode", "error_code", "author"}.isdisjoint(row):
            return None  # it changed the state, or says that a turn failed
        raise TranscriptError(f"expected an event with an author and a content; found {', '.join(row)}", path=path)
    if not isinstance(content, dict):
        raise TranscriptError(f"expected a content; found {type(content).__name__}", path=f"{path}.content")
    author = row.get("author")
    agent = author if isinstance(author, str) and author != "user" else None
    role = content.get("role") or ("user" if agent is None else "model")
    about: dict[str, Any] = {"id": row["id"]} if isinstance(row.get("id"), str) and row["id"] else {}
    if role == "model" and agent is not None:
        about["name"] = agent
    if role == "user" and agent is not None:
        about["injectedBy"] = {"source": "google_adk", "reason": f"an event of {agent}"}
    origin = "not-entered" if either(row, "errorCode", "error_code") == _ABORTED or _is_request(content) else None
    said = content if content.get("role") else content | {"role": role}
    salt = about.get("id")
    reader.read(said, at, f"{path}.content", Beside(about, row.get(FIELDS), origin, salt))
    return None


def _is_request(content: dict[str, Any]) -> bool:
    parts = content.get("parts")
    found = (kind_of(part) for part in parts if isinstance(part, dict)) if isinstance(parts, list) else ()
    responses = [value for kind, value in found if kind == RESPONSE and isinstance(value, dict)]
    return bool(responses) and all(value.get("name") in _REQUESTS for value in responses)


def _compaction(
    reader: ContentReader, rows: list[Any], at: int, compaction: dict[str, Any], path: str
) -> FoldedSpan | None:
    content = either(compaction, "compactedContent", "compacted_content")
    parts = content.get("parts") if isinstance(content, dict) else None
    here = f"{path}.actions.compaction"
    if not isinstance(parts, list):
        raise TranscriptError(f"expected the content of a summary; found {type(content).__name__}", path=here)
    spoken = [part for part in parts if isinstance(part, dict) and part.get("thought") is not True]
    text = "\n".join(part["text"] for part in spoken if isinstance(part.get("text"), str))
    note = rows[at].get(FIELDS)
    if isinstance(note, dict):
        reader.add(message_from(with_note({"role": "user", "content": text}, {FIELDS: note}), here), at, here)
        return None
    span = _span_of(rows[at])
    originals = [
        message
        for draft, message in reader.settled()
        if span is not None and all(_within(rows[place.row], span) for place in draft.places)
    ]
    identifier = rows[at].get("id")
    frame = summary_frame_of(text, originals=originals or None, id=identifier if isinstance(identifier, str) else None)
    reader.add(frame, at, here)
    return folded_span(frame, originals) if originals else None


def _actions(row: dict[str, Any]) -> dict[str, Any]:
    found = row.get("actions", row.get("options"))
    return found if isinstance(found, dict) else {}


def _span_of(row: dict[str, Any]) -> tuple[float, float] | None:
    """Return the time that a compaction stands for."""
    compaction = _actions(row).get("compaction")
    if not isinstance(compaction, dict):
        return None
    start = _number(either(compaction, "startTimestamp", "start_timestamp"))
    end = _number(either(compaction, "endTimestamp", "end_timestamp"))
    return None if start is None or end is None else (start, end)


def _within(row: dict[str, Any], span: tuple[float, float]) -> bool:
    """Whether an event is among those that a compaction stands for: an older compaction is if all its time is."""
    inner = _span_of(row)
    if inner is not None:
        return span[0] <= inner[0] and inner[1] <= span[1]
    time = _number(row.get("timestamp"))
    return time is not None and span[0] <= time <= span[1]


def _number(value: Json) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_partial(row: dict[str, Any]) -> bool:
    return row.get("partial") is True or _actions(row).get("partial") is True


def _speaker(row: dict[str, Any]) -> tuple[str, str]:
    return repr(either(row, "invocationId", "invocation_id")), repr(row.get("author"))


def _taken_back(rows: list[Any]) -> set[int]:
    """Return the events that a rewind took back: from the first one of an invocation to the rewind."""
    first: dict[str, int] = {}
    for at, row in enumerate(rows):
        if isinstance(row, dict):
            first.setdefault(repr(either(row, "invocationId", "invocation_id")), at)
    gone: set[int] = set()
    for at in reversed(range(len(rows))):
        row = rows[at]
        to = _rewound_to(row) if isinstance(row, dict) and at not in gone else None
        if to is not None and first.get(repr(to), at) < at:
            gone.update(range(first[repr(to)], at))
    return gone


def _rewound_to(row: dict[str, Any]) -> Json:
    return either(_actions(row), "rewindBeforeInvocationId", "rewind_before_invocation_id")


def _are_apart(rows: list[Any]) -> bool:
    """Whether every event has a time of its own: ADK hides whatever happened at the time that a compaction spans."""
    times = [_number(row.get("timestamp")) for row in rows if isinstance(row, dict)]
    return None not in times and len(set(times)) == len(times)


def _new_event(message: Message, identifier: str, *, camel: bool, native: bool) -> dict[str, Any]:
    content = new_content(message)
    note = content.pop(FIELDS, None)
    if message.role == "tool":
        part = content["parts"][0]
        note = {RESULTS: {str(message.tool_call_id): part.pop(FIELDS)}}
    author = {"assistant": message.name or "model"}.get(message.role, "user")
    event: dict[str, Any] = {"id": identifier, "invocationId" if camel else "invocation_id": identifier}
    event |= {"author": author, "timestamp": 0.0}
    if native and frame_kind(message) == "summary":
        names = ("startTimestamp", "endTimestamp", "compactedContent")
        snake = ("start_timestamp", "end_timestamp", "compacted_content")
        summary = {"role": "model", "parts": [{"text": message.text}]}
        event["actions"] = {"compaction": dict(zip(names if camel else snake, (0.0, 0.0, summary), strict=True))}
        return marked(event, {"role": "user", "content": message.text}, message)
    return event | {"content": content, FIELDS: note if message.role == "tool" else _with_id(note, message)}


def _with_id(note: Json, message: Message) -> dict[str, Any]:
    """Return a note that also says what the event's own id and author would be taken for."""
    beside = {"id": message.id, "name": message.name}
    return beside | (note if isinstance(note, dict) else {})


def _shrunk(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401 - a row is any JSON
    content = shrunk(row["content"], parts, cleared)
    notes, bare = parted(content["parts"])
    if not notes:
        return revise(row, {"content": content})
    before = row.get(FIELDS) if isinstance(row.get(FIELDS), dict) else {}
    changed = revise(row["content"], {"parts": revise_items(row["content"]["parts"], bare)})
    return revise(row, {"content": changed, FIELDS: before | {RESULTS: (before.get(RESULTS) or {}) | notes}})


def _in_time(rows: list[Any], made: list[dict[str, Any]]) -> list[Any]:
    """Give new events times between those of their neighbours: ADK orders by time, and hides what a summary spans."""
    fresh = {id(row) for row in made}
    at = 0
    while at < len(rows):
        stop = at
        while stop < len(rows) and id(rows[stop]) in fresh:
            stop += 1
        before, after = _time(rows[:at][::-1], last=True), _time(rows[stop:], last=False)
        for number, row in enumerate(rows[at:stop], start=1):
            _set_time(row, _between(before, after, number, stop - at))
        at = stop + 1
    return rows


def _time(rows: Iterable[Any], *, last: bool) -> float | None:
    """Return the time of the nearest event that has one: for a summary, the time it is put at."""
    for row in rows:
        if isinstance(row, dict):
            span = _span_of(row)
            time = _number(row.get("timestamp")) if span is None else span[last]
            if time is not None:
                return time
    return None


def _between(before: float | None, after: float | None, number: int, count: int) -> float:
    if before is not None and after is not None:
        return before + (after - before) * number / (count + 1)
    if after is not None:
        return after - _STEP * (count + 1 - number)
    return (before or 0.0) + _STEP * number


def _set_time(row: dict[str, Any], time: float) -> None:
    row["timestamp"] = time
    compaction = row.get("actions", {}).get("compaction", {})
    for name in ("startTimestamp", "endTimestamp", "start_timestamp", "end_timestamp"):
        if name in compaction:
            compaction[name] = time
