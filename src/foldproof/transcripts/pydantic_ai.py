"""Pydantic AI: the messages of `ModelMessagesTypeAdapter`, requests and responses with parts.

Checked in eight files of real conversations (tau-bench, and recorded Anthropic traffic) that pydantic-ai-slim 2.68.0
wrote; the rest in the source of 1.40, 1.107, 2.0, 2.50 and 2.60 to 2.68.

* A list of messages, or one under `messages`, `message_history`, `all_messages` or `history`.
* A request holds several messages: each of its parts is one, results of tools first, as Pydantic AI sends them. A
  response is one. What a tool returned that is no text is shown to the model as JSON, and read so.
* The `instructions` of the first request that has any are a system message. Later ones that differ are what the app
  sent instead; the last of them is in `extras["instructions"]`.
* A prompt behind the results of tools in one request is what a tool added to its result, unless they only say that the
  run is over: then it is what the person said next.
* `retry-prompt` and `retry-feedback` without a call are the app's correction, which may quote the model: `ephemeral`.
  With a call they are its result, and an error. Details of arguments that were refused are no words of the tool's, nor
  a correction of a gate of ours, nor what the framework says of a call that was denied, interrupted, skipped, or that
  ended the run.
* The summary of a compaction in a response stands for all that is ahead of it; in a request (since 2.62) its originals
  are gone. A summary frame of ours is such a part where the file shows a version that takes it (2.64 or later), else a
  prompt. A summary that is encrypted stays an opaque part of the response.
* Our fields stand in `metadata`, which is not sent. Before 2.x Pydantic AI drops that of a request when it merges two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import Format, message_from, without
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.pydantic_ai_rows import INSTRUCTIONS, RowReader, Said, encode_row, pinned, shrunk
from foldproof.transcripts.rows import Part, Place, Places, each_object, rewritten
from foldproof.window import FoldedSpan

_SAMPLE = 50
_LISTS = ("messages", "message_history", "all_messages", "history")


class PydanticAi:
    """The Pydantic AI message history."""

    format = Format(
        "pydantic_ai",
        "Pydantic AI ModelMessagesTypeAdapter: requests and responses (JSON, JSONL)",
        shape="[{kind: request | response, parts: [{part_kind}, …]}, …], or such a list under messages",
        compaction="a part of kind compaction",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds Pydantic AI messages."""
        if isinstance(value, list):
            return "requests and responses with parts" if _are_rows(value) else None
        name = _list_name(value)
        return None if name is None or not _are_rows(value[name]) else f"requests and responses with parts under {name}"

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a history."""
        rows, path = _rows(value)
        reader = RowReader()
        drafts = _Drafts()
        for at, row in each_object(rows, path, reader.damage):
            said = reader.said(row, f"{path}[{at}]")
            results = next((number for number, one in enumerate(said) if one.fields["role"] != "tool"), len(said))
            given = row.get(INSTRUCTIONS) if row.get("kind") == "request" else None
            if isinstance(given, str) and given:
                drafts.instructed(given, said, results)
            for one in said:
                try:
                    drafts.add(one, at, f"{path}[{at}]")
                except TranscriptError as error:
                    reader.damage.append(damage_of(error))
        extras = {} if isinstance(value, list) else without(value, (_list_name(value) or "",))
        ids = (row.get("conversation_id") for row in rows if isinstance(row, dict))
        return (
            Reading(
                tuple(drafts.messages),
                tuple(drafts.places),
                extras | drafts.extras(),
                next((one for one in ids if isinstance(one, str)), None),
                damage=reader.all_damage(),
                folded=tuple(drafts.folded),
            ),
        )

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the history with other messages."""
        (edit,) = edits
        rows, _ = _rows(value)
        changed = _pinned(rows, edit)
        compacts = any(map(_takes_summaries, rows))
        meant: dict[Any, dict[Part, Message]] = {}
        for message, places in zip(edit.reading.messages, edit.reading.pieces, strict=True):
            for place in places:
                meant.setdefault(id(changed[place.row]), {})[place.part] = message

        def encode(message: Message) -> list[Any]:
            return [encode_row(message, compacts=compacts)]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401
            return shrunk(row, parts, meant[id(row)], cleared)

        items = revise_items(rows, rewritten(changed, edit, encode=encode, shrink=shrink))
        return items if isinstance(value, list) else revise(value, {_list_name(value) or "": items})


class _Drafts:
    """The messages read so far, and what they say of each other."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.places: list[Places] = []
        self.folded: list[FoldedSpan] = []
        self._first: str | None = None
        self._last: str | None = None

    def instructed(self, given: str, said: list[Said], at: int) -> None:
        """Take note of the instructions of a request, and say the first ones ahead of what else it says."""
        if self._first is None:
            self._first = given
            said.insert(at, Said(INSTRUCTIONS, (), {"role": "system", "content": given}))
        self._last = given

    def extras(self) -> dict[str, Any]:
        """Return what the conversation has beside its messages."""
        return {INSTRUCTIONS: self._last} if self._last != self._first else {}

    def add(self, said: Said, row: int, path: str) -> None:
        """Take over the next message."""
        if said.summary:
            originals = [message for message in self.messages if message.role != "system"]
            message = summary_frame_of(said.fields["content"], originals=originals)
            self.folded.append(folded_span(message, originals))
        else:
            message = message_from(said.fields, path)
        self.messages.append(message)
        self.places.append((Place(row, said.key),))


def _are_rows(items: list[Json]) -> bool:
    """Whether these are requests and responses: one with a part is for certain, and none says something else."""
    sample = [item for item in items[:_SAMPLE] if isinstance(item, dict)]
    return any(_has_parts(item) for item in sample) and not any("role" in item for item in sample)


def _has_parts(row: dict[str, Any]) -> bool:
    parts: Json = row.get("parts")
    known = row.get("kind") in ("request", "response") and isinstance(parts, list)
    return known and any(isinstance(part, dict) and "part_kind" in part for part in parts)


def _list_name(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    named = [name for name in _LISTS if isinstance(value.get(name), list)]
    return next((name for name in named if _are_rows(value[name])), next(iter(named), None))


def _rows(value: Json) -> tuple[list[Any], str]:
    if isinstance(value, list):
        return value, "$"
    name = _list_name(value)
    if name is None:
        raise TranscriptError(f"expected requests and responses; found {shown(value)}", path="$")
    return value[name], f"$.{name}"


def _takes_summaries(row: Json) -> bool:
    """Whether a row was written by a version in which a request may hold a summary."""
    if not isinstance(row, dict):
        return False
    held = row["parts"] if row.get("kind") == "request" and isinstance(row.get("parts"), list) else []
    return "model_id" in row or any(isinstance(part, dict) and part.get("part_kind") == "compaction" for part in held)


def _pinned(rows: list[Any], edit: Edit) -> list[Any]:
    """Return the rows as they are to be left: no row may depend on another that may go.

    A summary of a provider's stands for what is ahead of it, so one that stays says so for itself. Instructions that
    went are in no row, for the next row has them too.
    """
    changed = list(rows)
    kept = {entry.kept for entry in edit.entries}
    folded = {span.fingerprint for span in edit.reading.folded}
    for at, (message, places) in enumerate(zip(edit.reading.messages, edit.reading.pieces, strict=True)):
        (place,) = places
        if place.part == INSTRUCTIONS and at not in kept:
            changed = [_uninstructed(row) for row in changed]
        elif at in kept and message.fingerprint in folded and isinstance(place.part, int):
            changed[place.row] = pinned(changed[place.row], place.part, message)
    return changed


def _uninstructed(row: Json) -> Json:
    return revise(row, {INSTRUCTIONS: None}) if isinstance(row, dict) and row.get(INSTRUCTIONS) else row
