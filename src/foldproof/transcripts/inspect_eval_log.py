"""Inspect (inspect_ai) logs of evaluations: one conversation a sample, as JSON or in the `.eval` archive.

Checked in logs of 2024 to 2026, written by Inspect 0.3.41 to 0.3.135; names and types against the source of 0.3.285.

* A JSON log is `{version, status, eval, plan, samples: [...]}`. An `.eval` file is a ZIP archive: `header.json` (while
  the run goes on, `_journal/start.json`) and a member a sample, `samples/<id>_epoch_<n>.json`. One such sample alone is
  read too. Newer logs pack with Zstandard, which Python reads from 3.14 on; before, reading one is an error. A member
  that cannot be read is reported, and the others are read.
* `sample.messages` is the whole history: a compaction of Inspect's own adds its summary, a user message with
  `metadata.summary`, and takes nothing away. It stands for what the run added since the summary before it: Inspect
  keeps the system messages and the messages with `source: input`. A new summary frame is written in the same way.
* `attachment://<hash>` (older: `tc://`) stands for a string among the sample's attachments.
* A user message is a person's where its `source` is `input` or `operator`; without one the framework wrote it.
* A failed call has `error: {type, message}`, mostly with empty content: the message is then what the model was told.
* A sample without messages (it broke off) is put together from its events, see `model_calls`; so is a file of events
  alone. Newer logs keep the messages of events once, in `events_data.messages` or `message_pool`. A window of such a
  conversation is written beside the events, under `foldproof`.
* Else events, `output` and summaries repeat the messages, or belong to the scorer; they stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, message_from, without
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.inspect_events import EventReader, input_of, output_of
from foldproof.transcripts.inspect_rows import RowReader, encode, events_in, is_summary
from foldproof.transcripts.json_text import Json, Unread, revise, revise_items
from foldproof.transcripts.model_calls import Thread, Threads
from foldproof.transcripts.rows import Part, Place, Places, each_object, noted, rewritten
from foldproof.window import FoldedSpan

_VERSION = 3
_SAMPLE_FOLDER = "samples/"
_HEADERS = ("header.json", "_journal/start.json")
_BULK = (
    "messages",
    "events",
    "attachments",
    "events_data",
    "message_pool",
    "transcript",
    "output",
    "timelines",
    FIELDS,
)
_LOOKED_AT = 50


class InspectEvalLog:
    """The logs of Inspect."""

    format = Format(
        "inspect_eval_log",
        "Inspect (inspect_ai) evaluation logs: JSON, and the .eval archive",
        shape="{eval, plan, samples: [{id, epoch, messages}, …]}, or an archive of samples/<id>_epoch_<n>.json",
        medium=("json", "zip"),
        compaction="a user message with metadata.summary, behind what it stands for",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a log, the members of an archive, a sample, or a list of events."""
        if not isinstance(value, dict):
            return None
        headless = isinstance(value.get(_HEADERS[0], Unread()), Unread)
        if any(_is_header(value.get(name)) for name in _HEADERS) or (headless and _members(value)):
            return "an archive of samples"
        if _is_header(value):
            return "an evaluation with a task and a model"
        if isinstance(value.get("epoch"), int) and {"id", "input", "target", "messages"} <= value.keys():
            return "a sample with an epoch and a target"
        events = value.get("events")
        sample = events[:_LOOKED_AT] if isinstance(events, list) and not isinstance(value.get("messages"), list) else []
        return "events of model calls" if any(map(_is_call, sample)) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of every sample, in the order of the file."""
        header = _header(value)
        about: dict[str, Any] = {name: header[name] for name in ("eval", "status") if name in header}
        readings = [reading for at in _samples(value) for reading in _read_sample(at, about)]
        if not readings:
            readings = [Reading((), (), about | without(header, ("samples", *about)))]
        readings[0] = _with_damage(readings[0], (*_unread(value), *readings[0].damage))
        version = header.get("version")
        if isinstance(version, int) and version > _VERSION:
            cause = f"version {version} is newer than {_VERSION}, the last one known; read as that one"
            damage = (Damage("$.version", cause), *readings[0].damage)
            readings[0] = _with_damage(readings[0], damage)
        return tuple(readings)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the log with other conversations in its samples."""
        left = iter(edits)
        for at in _samples(value):
            talks = _talks(at.sample, at.path, [])
            changed = at.sample
            for talk in talks:
                edit = next(left)
                changed = _write_talk(changed, talk, edit) if edit.changed else changed
            if changed is not at.sample:
                value = _put(value, at.keys, changed)
        for edit in left:
            if edit.changed:
                raise TranscriptError("the log holds no sample that could take a message", path="$.samples")
        return value


class _At(NamedTuple):
    """A sample, and where it stands."""

    keys: tuple[str | int, ...]
    path: str
    sample: Json


class _Talk(NamedTuple):
    """A conversation of a sample: the rows it is read from, or a thread of its events.

    `key` is None for `sample.messages`, else the number of the thread under which a window of it is stored.
    """

    key: str | None
    rows: list[Any] | None
    thread: Thread | None


def _is_header(value: Json) -> bool:
    about = value.get("eval") if isinstance(value, dict) else None
    return isinstance(about, dict) and "task" in about and "model" in about


def _is_call(event: Json) -> bool:
    return isinstance(event, dict) and event.get("event") == "model" and "input" in event and "output" in event


def _members(value: dict[str, Any]) -> list[str]:
    return [name for name in value if name.startswith(_SAMPLE_FOLDER) and name.endswith(".json")]


def _unread(value: dict[str, Any]) -> Iterator[Damage]:
    """Yield the members of an archive that cannot be read and are no samples.

    Raises:
        TranscriptError: no sample can be read, though there are some.
    """
    samples = _members(value)
    if samples and all(isinstance(value[name], Unread) for name in samples):
        raise TranscriptError(f"{value[samples[0]]}; no sample can be read", path=f"$.{samples[0]}")
    for name, member in value.items():
        if isinstance(member, Unread) and name not in samples:
            yield Damage(f"$.{name}", str(member))


def _header(value: Json) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TranscriptError(f"expected an Inspect log; found {shown(value)}", path="$")
    held = next((value[name] for name in _HEADERS if isinstance(value.get(name), dict)), value)
    return held if "eval" in held else {}


def _samples(value: dict[str, Any]) -> Iterator[_At]:
    names = _members(value)
    if names or any(name in value for name in _HEADERS):
        for name in names:
            yield _At((name,), f"$.{name}", value[name])
    elif "eval" in value or "samples" in value:
        samples = value.get("samples")
        if samples is not None and not isinstance(samples, list):
            raise TranscriptError(f"expected a list of samples; found {shown(samples)}", path="$.samples")
        for index, sample in enumerate(samples or ()):
            yield _At(("samples", index), f"$.samples[{index}]", sample)
    else:
        yield _At((), "$", value)


def _put(value: Json, keys: tuple[str | int, ...], sample: Json) -> Json:
    if not keys:
        return sample
    first, *rest = keys
    inner = _put(value[first], tuple(rest), sample)
    if isinstance(value, dict):
        return revise(value, {str(first): inner})
    return revise_items(value, [inner if at == first else item for at, item in enumerate(value)])


def _with_damage(reading: Reading, damage: tuple[Damage, ...]) -> Reading:
    return Reading(
        reading.messages,
        reading.pieces,
        reading.extras,
        reading.id,
        reading.side,
        damage,
        reading.folded,
    )


def _read_sample(at: _At, about: dict[str, Any]) -> list[Reading]:
    if not isinstance(at.sample, dict):
        known = isinstance(at.sample, Unread)
        cause = str(at.sample) if known else f"expected a sample; found {shown(at.sample)}; it was not read"
        return [Reading((), (), about, damage=(Damage(at.path, cause),))]
    sample = at.sample
    name = f"{sample['id']}_epoch_{sample.get('epoch', 1)}" if isinstance(sample.get("id"), str | int) else None
    extras = without(sample, _BULK) | about
    readings = []
    damage = list(_wrong_kinds(at))
    for number, talk in enumerate(_talks(sample, at.path, damage)):
        reader = _SampleReader(at, damage if number == 0 else [])
        reader.read(talk)
        identifier = name if number == 0 or name is None else f"{name}/{number}"
        readings.append(reader.reading(extras, identifier, side=number > 0))
    return readings


class _SampleReader:
    """Reads one conversation of a sample."""

    def __init__(self, at: _At, damage: list[Damage]) -> None:
        self._at = at
        self._damage = damage
        self._rows = RowReader(_attachments(at.sample), self._damage)
        self._messages: list[Message] = []
        self._places: list[Places] = []
        self._run: list[Message] = []  # what a compaction of Inspect's own would summarise
        self._folded: list[FoldedSpan] = []

    def read(self, talk: _Talk) -> None:
        path = f"{self._at.path}.messages"
        if talk.key is not None:
            path = f"{self._at.path}.events" if talk.rows is None else f"{self._at.path}.{FIELDS}.windows.{talk.key}"
        if talk.thread is not None and talk.rows is None:
            for index, fields in enumerate(talk.thread.rows):
                self._take(message_from(fields, path), index, None)
            return
        rows = talk.rows or []
        for index, row in each_object(rows, path, self._damage):
            try:
                self._take(message_from(self._rows.fields(row, f"{path}[{index}]"), f"{path}[{index}]"), index, row)
            except TranscriptError as error:
                self._damage.append(damage_of(error))

    def _take(self, message: Message, index: int, row: dict[str, Any] | None) -> None:
        summary = is_summary(row)
        if summary:
            originals = self._run or None
            message = summary_frame_of(message.text, originals=originals, id=message.id)
            if originals:
                self._folded.append(folded_span(message, originals))
            self._run = []
        if summary or (message.role != "system" and (row is None or row.get("source") != "input")):
            self._run.append(message)
        self._messages.append(message)
        self._places.append((Place(index),))

    def reading(self, extras: Mapping[str, Any], identifier: str | None, *, side: bool) -> Reading:
        return Reading(
            tuple(self._messages),
            tuple(self._places),
            extras,
            identifier,
            side,
            tuple(self._damage),
            tuple(self._folded),
        )


def _wrong_kinds(at: _At) -> Iterator[Damage]:
    """Yield what stands in the place of the messages or the events, and is no list."""
    for name in ("messages", "events"):
        if at.sample.get(name) is not None and not isinstance(at.sample[name], list):
            cause = f"expected a list; found {shown(at.sample[name])}; it was not read"
            yield Damage(f"{at.path}.{name}", cause)


def _attachments(sample: Mapping[str, Any]) -> dict[str, Any]:
    transcript = sample.get("transcript")
    older = transcript.get("content") if isinstance(transcript, dict) else None
    found = sample.get("attachments")
    return (older if isinstance(older, dict) else {}) | (found if isinstance(found, dict) else {})


def _talks(sample: Json, path: str, damage: list[Damage]) -> list[_Talk]:
    if not isinstance(sample, dict):
        return [_Talk(None, [], None)]
    rows = sample.get("messages")
    threads = [] if isinstance(rows, list) and rows else _threads(sample, path, damage)
    if not threads:
        return [_Talk(None, rows if isinstance(rows, list) else [], None)]
    windows = sample.get(FIELDS)
    stored = windows.get("windows") if isinstance(windows, dict) else None
    stored = stored if isinstance(stored, dict) else {}
    main = max(threads, key=lambda thread: thread.calls)
    talks = []
    numbered = [(str(number), thread) for number, thread in enumerate(threads)]
    for key, thread in sorted(numbered, key=lambda one: one[1] is not main):
        rows = stored.get(key)
        talks.append(_Talk(key, rows if isinstance(rows, list) else None, thread))
    return talks


def _threads(sample: dict[str, Any], path: str, damage: list[Damage]) -> list[Thread]:
    transcript = sample.get("transcript")
    events = sample.get("events") or (transcript.get("events") if isinstance(transcript, dict) else None)
    kept = sample.get("events_data")
    pool = kept.get("messages") if isinstance(kept, dict) else sample.get("message_pool")
    reader = EventReader(RowReader(_attachments(sample), damage), damage)
    threads = Threads()
    for number, event in enumerate(events_in(events)):
        place = f"{path}.events[{number}]"
        if event.get("event") == "model":
            said = reader.fields(input_of(event, pool if isinstance(pool, list) else []), f"{place}.input")
            threads.call(said, reader.fields(output_of(event), f"{place}.output"), str(event.get("span_id")))
        elif event.get("event") == "tool":
            result = event.get("result")
            content = result if isinstance(result, str | list) else json.dumps(result, ensure_ascii=False)
            row = {"role": "tool", "tool_call_id": event.get("id"), "function": event.get("function")}
            for fields in reader.fields([row | {"content": content, "error": event.get("error")}], place):
                threads.result(fields)
    return [thread for thread in threads.all if thread.rows]


def _write_talk(sample: Json, talk: _Talk, edit: Edit) -> Json:
    if talk.key is not None:
        rows = [encode(entry.message) for entry in edit.entries]
        windows = sample.get(FIELDS)
        stored = windows.get("windows") if isinstance(windows, dict) else None
        stored = stored if isinstance(stored, dict) else {}
        return revise(sample, {FIELDS: {"windows": stored | {talk.key: rows}}})
    if not isinstance(sample, dict):
        raise TranscriptError(f"{shown(sample)} is no sample that could take a message", path="$.samples")
    rows = talk.rows or []
    held = sample.get("messages")
    source = held if isinstance(held, list) else []
    changed = rewritten(_settled(rows, edit), edit, encode=lambda message: [encode(message)], shrink=_cleared)
    return revise(sample, {"messages": revise_items(source, changed)})


def _cleared(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
    return encode(cleared[None])


def _settled(rows: list[Any], edit: Edit) -> list[Any]:
    """Return the rows, where a summary of Inspect's own that loses what it stands for says itself what that was."""
    settled = list(rows)
    kept = [entry.kept for entry in edit.entries]
    for index, (message, places) in enumerate(zip(edit.reading.messages, edit.reading.pieces, strict=True)):
        row = rows[places[0].row]
        if is_summary(row) and kept[: index + 1] != list(range(index + 1)):
            said = RowReader({}, []).said(row, "$")
            settled[places[0].row] = row | {FIELDS: noted({}, said, message)[FIELDS]}
    return settled
