"""Codex: a session file of the CLI (JSONL), rows `{timestamp, type, payload}`; older ones hold the bare items.

Checked in fixtures of agent-sessions: field-complete rows of versions up to 0.146 with words that were scrubbed, and
small ones of 0.50 to 0.106; and in the source of the CLI: what it persists, how it resumes, what it says of a tool. No
session with its own words was at hand. `codex_rows` says what a row means, `codex_words` what Codex says in its own
words, `responses_items` how items are read.

* The conversation is the `response_item` rows. `event_msg` rows repeat it for the screen and are not read, but for
  what they alone say: which agent a call started, what was rolled back, how many tokens were used.
* What a person took back (`thread_rolled_back`) is no part of the conversation; its rows stay in the file.
* A result is what the model read, whole: the JSON with an exit code, or the lines about time and exit code, that Codex
  puts around a tool's words are of the same command. An exit code other than zero is an error; what Codex says of a
  call that was refused, was cut off or could not be read is no observation, for it repeats the command.
* What Codex writes as the user (environment, AGENTS.md, IDE context, shell commands, notices) is `injectedBy` codex.
  Where the person's request stands behind it, in the same text or in the next, the whole is the person's.
* `compacted` is a frame for all between the frame before it and itself, the system's messages apart. Its
  `replacement_history` repeats what it kept and is not read, but where the session begins with it. A compaction by the
  provider has no text, but an item that is encrypted: that is an opaque part of the model's.
* A summary frame of ours is a `compacted` row whose `replacement_history` is what stands ahead of it and the summary,
  so that Codex resumes from it. Our fields stand beside the payload; older copies in other rows are left as they are.
* A sub-agent's session names its parent; all that stands there as the user's was written by another model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foldproof.errors import shown
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, Format, fields_of, without
from foldproof.transcripts.codex_rows import BEGINS, SUMMARY, RolloutReader, is_summary, kept_items
from foldproof.transcripts.conversation import Edit, Parent, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.responses_items import is_telling
from foldproof.transcripts.responses_writing import Written, cleared, encoded, rewritten_items
from foldproof.transcripts.rows import Part, Place, each_object, noted, rows_in

_SAMPLE: Final = 50
_ITEM, _COMPACTED, _META, _EVENT = "response_item", "compacted", "session_meta", "event_msg"
_TURN: Final = "turn_context"
_BESIDE: Final = (_EVENT, _TURN, "world_state", "inter_agent_communication_metadata")
_TYPES: Final = (_ITEM, _COMPACTED, _META, *_BESIDE)
_FACTS: Final = ("cwd", "cli_version", "originator", "model_provider", "git", "instructions", "base_instructions")
_NOTHING_SAID: Final = "(no summary available)"


class CodexRollout:
    """The session format of Codex."""

    format = Format(
        "codex_rollout",
        "Codex CLI session (JSONL)",
        one_row_a_line=True,
        shape='rows {timestamp, type: "session_meta" | "response_item" | …, payload}',
        basis="fixtures",
        compaction="a compacted row: a summary, and the history that replaces everything ahead of it",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a session: a row in its envelope, or an older head with items behind it."""
        rows = value[:_SAMPLE] if isinstance(value, list) else [value]
        if any(map(_is_ours, rows)):
            return "rows with a timestamp, a type and a payload"
        first = rows[0] if rows else None
        if isinstance(value, list) and isinstance(first, dict) and "type" not in first and "role" not in first:
            head = isinstance(first.get("id"), str) and "timestamp" in first
            return "a head and items" if head and any(map(_is_old, rows[1:])) else None
        return None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a session."""
        session = _Session(rows_in(value if isinstance(value, list) else [value], "$"))
        return (session.reading(),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with another conversation; a summary is a compaction that Codex resumes from."""
        (edit,) = edits
        rows = value if isinstance(value, list) else [value]
        old = not any(map(_is_ours, rows))

        def encode(message: Message) -> dict[str, Any]:
            return _encoded(message, old=old)

        written = rewritten_items(rows, edit, encode=encode, shrink=_shrunk)
        changed = _dated(_with_history(_noted_compactions(written, edit), edit))
        return revise_items(value, changed) if isinstance(value, list) else changed[0] if len(changed) == 1 else changed


def _is_ours(row: Json) -> bool:
    return (
        isinstance(row, dict)
        and row.get("type") in _TYPES
        and isinstance(row.get("payload"), dict)
        and "timestamp" in row
    )


def _is_old(row: Json) -> bool:
    return is_telling(row) or (isinstance(row, dict) and (row.get("record_type") == "state"))


class _Session:
    """One reading of a session's rows."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows
        self._damage: list[Damage] = []
        self._unknown = UnknownKinds("row type")
        self._facts: dict[str, Any] = {}
        self._ran: dict[str, str] = {}
        self._meta = next((row["payload"] for row in rows if _is_ours(row) and row["type"] == _META), None)
        self._parent, delegated = _parent_of(self._meta or {})
        self._reader = RolloutReader(self._damage, delegated=delegated)

    def reading(self) -> Reading:
        """Return the conversation."""
        head = self._meta
        for at, row in each_object(self._rows, "$", self._damage):
            kind, payload = row.get("type"), row.get("payload")
            if isinstance(payload, dict):
                self._row(row, kind, payload, at)
            elif "payload" in row:
                cause = f"expected an object; found {shown(payload)}; it was not read"
                self._damage.append(Damage(f"$[{at}].payload", cause))
            elif at == 0 and head is None and kind is None and "role" not in row:
                head = row
            elif row.get("record_type") != "state":
                self._bare(row, at)
        messages, places = self._reader.finished()
        self._damage += self._unknown.damage()
        facts = {name: head[name] for name in _FACTS if head is not None and head.get(name) is not None} | self._facts
        name = head.get("id") if head is not None else None
        return Reading(
            messages,
            places,
            facts,
            name if isinstance(name, str) else None,
            damage=tuple(self._damage),
            folded=tuple(self._reader.folded),
            ran=self._ran,
            parent=self._parent,
        )

    def _row(self, row: dict[str, Any], kind: Json, payload: dict[str, Any], at: int) -> None:
        """Read a row by its type."""
        if kind == _ITEM:
            self._reader.add(payload, Place(at), f"$[{at}].payload", row.get(FIELDS))
        elif kind == _COMPACTED:
            self._reader.compacted(payload, at, f"$[{at}].payload", row.get(FIELDS))
        elif kind == _EVENT:
            self._event(payload)
        elif kind == _TURN and isinstance(payload.get("model"), str):
            self._facts["model"] = payload["model"]
        elif kind not in _TYPES:
            self._unknown.add(kind, f"$[{at}].type")

    def _bare(self, row: dict[str, Any], at: int) -> None:
        """Read a row without an envelope: an item, as older versions wrote them."""
        said = row
        if "content" not in row and isinstance(row.get("message"), str):
            said = {key: value for key, value in row.items() if key != "message"} | {"content": row["message"]}
        self._reader.add(said, Place(at), f"$[{at}]", row.get(FIELDS))

    def _event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "thread_rolled_back" and isinstance(event.get("num_turns"), int):
            gone = self._reader.rolled_back(event["num_turns"])
            self._facts["rolledBack"] = self._facts.get("rolledBack", 0) + gone
        elif kind == "token_count" and isinstance(event.get("info"), dict):
            self._facts["usage"] = event["info"].get("total_token_usage", event["info"])
        elif kind == "thread_name_updated" and isinstance(event.get("thread_name"), str):
            self._facts["title"] = event["thread_name"]
        elif kind == "collab_agent_spawn_end":
            self._started(event.get("new_thread_id"), event.get("call_id"))
        elif kind == "sub_agent_activity" and self._reader.knows(str(event.get("event_id"))):
            self._started(event.get("agent_thread_id"), event.get("event_id"))

    def _started(self, child: Json, call: Json) -> None:
        if isinstance(child, str) and isinstance(call, str):
            self._ran.setdefault(child, call)


def _parent_of(meta: Mapping[str, Any]) -> tuple[Parent | None, bool]:
    """Return which conversation ran this one, and whether it is a sub-agent's at all."""
    source = meta.get("source")
    sub = source.get("subagent") if isinstance(source, dict) else None
    spawned = sub.get("thread_spawn") if isinstance(sub, dict) else None
    named = (meta.get("parent_thread_id"), spawned.get("parent_thread_id") if isinstance(spawned, dict) else None)
    parent = next((name for name in named if isinstance(name, str)), None)
    return (None if parent is None else Parent(parent, None)), sub is not None or parent is not None


def _encoded(message: Message, *, old: bool) -> dict[str, Any]:
    if frame_kind(message) == "summary" and not old:
        said = {"role": "user", "content": message.text}
        note = noted({}, said, message).get(FIELDS, {})
        return {"type": _COMPACTED, "payload": {"message": message.text}, FIELDS: note}
    reader = RolloutReader([], delegated=False)
    item, said = encoded(message, reader.about(message.text))
    return noted(item if old else {"type": _ITEM, "payload": item}, said, message)


def _shrunk(row: Any, parts: Sequence[Part], new: Mapping[Part, Message]) -> Any:  # noqa: ANN401
    if row.get("type") == _COMPACTED:
        return _less_history(row, parts, new)
    if "payload" not in row:
        return _cleared(row, new[None])
    item, said = cleared(row["payload"], new[None])
    return noted(revise(row, {"payload": item}), said, new[None])


def _cleared(item: dict[str, Any], message: Message) -> dict[str, Any]:
    changed, said = cleared(item, message)
    return noted(changed, said, message)


def _less_history(row: dict[str, Any], parts: Sequence[Part], new: Mapping[Part, Message]) -> dict[str, Any]:
    """Return a compaction that a session begins with, with what stays of the history it kept."""
    payload = row["payload"]
    left = [(at, item) for at, item in kept_items(payload) if at in parts]
    items = [_cleared(item, new[at]) if at in new else item for at, item in left]
    stays = SUMMARY in parts or any(is_summary(item, payload.get("message") or "") for item in items)
    told = {} if stays else {"message": ""}
    return revise(row, {"payload": revise(payload, {"replacement_history": items, **told})})


def _noted_compactions(written: list[Written], edit: Edit) -> list[Written]:
    """Return the rows, with our fields on compactions ahead of which something changed.

    A frame says what it stood for, and a compaction that a session began with, that it is still read from its history.
    """
    notes: dict[int, dict[str, Any]] = {}
    changed = False
    for index, entry in enumerate(edit.entries):
        changed = changed or entry.kept != index
        places = edit.reading.pieces[entry.kept] if entry.kept is not None else ()
        for place in places:
            if place.part is not None:
                notes[place.row] = {BEGINS: True}
            elif changed and frame_kind(entry.message) == "summary":
                notes[place.row] = without(fields_of(entry.message), ("content",))
    spoken = {place.row for places in edit.reading.pieces for place in places}
    rows = []
    said = False
    for at, row in written:
        if at is not None and isinstance(row, dict) and row.get("type") == _COMPACTED and FIELDS not in row:
            note = notes.get(at) or ({} if said else {BEGINS: False})
            rows.append(Written(at, revise(row, {FIELDS: note}) if note else row))
        else:
            rows.append(Written(at, row))
        said = said or at is None or at in spoken
    return rows


def _with_history(written: list[Written], edit: Edit) -> list[Any]:
    """Return the rows, with the history that each new compaction leaves to whoever resumes the session."""
    spoken = {None, *(place.row for places in edit.reading.pieces for place in places)}
    rows: list[Any] = []
    history: list[Any] = []
    for at, row in written:
        payload = row.get("payload") if isinstance(row, dict) else None
        if not isinstance(payload, dict):
            rows.append(row)
            continue
        if row.get("type") == _COMPACTED:
            if at is None:
                part = {"type": "input_text", "text": payload["message"] or _NOTHING_SAID}
                summary = {"type": "message", "role": "user", "content": [part]}
                row["payload"] = payload | {"replacement_history": [*history, summary]}
            kept = row["payload"].get("replacement_history")
            history = list(kept) if isinstance(kept, list) else history
        elif row.get("type") == _ITEM and at in spoken:
            history.append(payload)
        rows.append(row)
    return rows


def _dated(rows: list[Any]) -> list[Any]:
    """Return the rows, the new ones with the time of the row ahead of them: the CLI reads none without."""
    dates = [row.get("timestamp") for row in rows if isinstance(row, dict)]
    last = next((date for date in dates if isinstance(date, str)), "")
    dated = []
    for row in rows:
        if isinstance(row, dict) and "payload" in row and "timestamp" not in row:
            dated.append({"timestamp": last} | row)
            continue
        last = row["timestamp"] if isinstance(row, dict) and isinstance(row.get("timestamp"), str) else last
        dated.append(row)
    return dated
