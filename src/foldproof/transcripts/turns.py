"""Turns as they are being read: a message, and the results that answer its calls wherever the rows of them stand.

For formats in which a reply is spread over rows, or a result stands apart from its call: what comes out has every
result right behind its call's message, in the order of the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, fields_of, id_text, made_up_id, message_from
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, Places, noted
from foldproof.window import FoldedSpan


@dataclass(slots=True, eq=False)
class Draft:
    """A message that is being read.

    Attributes:
        fields: its fields, by their JSON names.
        places: where it stands.
        path: where errors say it stands.
        is_frame: it is the summary of a compaction of the format's own.
        forgets: which drafts that summary stands for; None where they are not in the file.
        message: what it became.
    """

    fields: dict[str, Any]
    places: list[Place]
    path: str
    is_frame: bool = False
    forgets: list[Draft] | None = None
    message: Message | None = None


@dataclass(slots=True, eq=False)
class Turn:
    """A message that is being read, with its calls and what answers each."""

    draft: Draft
    calls: list[dict[str, Any]] = field(default_factory=list)
    answers: list[list[Draft]] = field(default_factory=list)

    def call(self, call: dict[str, Any]) -> int:
        """Add a call; returns its place among the calls."""
        self.calls.append(call)
        self.answers.append([])
        return len(self.calls) - 1

    def drafts(self) -> list[Draft]:
        """Return its message and its results, in the order of the calls."""
        if self.calls and "toolCalls" not in self.draft.fields:
            self.draft.fields["toolCalls"] = self.calls
        return [self.draft, *(draft for answers in self.answers for draft in answers)]


@dataclass(frozen=True, slots=True)
class Read:
    """What became of turns: messages with their places, and the compactions among them."""

    messages: tuple[Message, ...]
    pieces: tuple[Places, ...]
    folded: tuple[FoldedSpan, ...]


def finished(turns: Sequence[Turn], damage: list[Damage]) -> Read:
    """Return the messages of turns. What makes no message is damage."""
    messages: list[Message] = []
    pieces: list[Places] = []
    folded: list[FoldedSpan] = []
    for draft in (draft for turn in turns for draft in turn.drafts()):
        try:
            message = _message(draft, folded)
        except TranscriptError as error:
            damage.append(damage_of(error))
            continue
        draft.message = message
        messages.append(message)
        pieces.append(tuple(draft.places))
    return Read(tuple(messages), tuple(pieces), tuple(folded))


def _message(draft: Draft, folded: list[FoldedSpan]) -> Message:
    if not draft.is_frame:
        return message_from(draft.fields, draft.path)
    originals = None if draft.forgets is None else [one.message for one in draft.forgets if one.message is not None]
    frame = summary_frame_of(draft.fields["content"], originals=originals, id=draft.fields.get("id"))
    if originals is not None:
        folded.append(folded_span(frame, originals))
    return frame


class TurnReader:
    """Collects messages in order, and puts each result behind the call that it answers."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.turns: list[Turn] = []
        self._last: Turn | None = None  # the latest message with calls

    def waits(self) -> bool:
        """Whether the message right before is one with a call that has no answer yet."""
        turn = self._last
        return turn is not None and turn is self.turns[-1] and not all(turn.answers)

    def add(self, fields: dict[str, Any], place: Place, path: str, calls: Sequence[dict[str, Any]] = ()) -> Draft:
        """Add a message; a result without a call's id answers the first call that waits, by its tool's name."""
        draft = Draft(fields, [place], path)
        number = self._answered(fields) if fields.get("role") == "tool" else None
        if number is not None and self._last is not None:
            self._last.answers[number].append(draft)
            return draft
        turn = Turn(draft)
        for call in calls:
            turn.call(call)
        if calls:
            self._last = turn
        self.turns.append(turn)
        return draft

    def _answered(self, fields: dict[str, Any]) -> int | None:
        calls = [] if self._last is None else self._last.calls
        answers = [] if self._last is None else self._last.answers
        identifier, name = fields.get("toolCallId"), fields.get("toolName")
        waiting = [number for number, answer in enumerate(answers) if not answer]
        if identifier is None:
            number = next((n for n in waiting if name is None or calls[n]["name"] == name), None)
            if number is not None:
                fields |= {"toolCallId": calls[number]["id"], "toolName": calls[number]["name"]}
            return number
        same = [number for number, call in enumerate(calls) if call["id"] == identifier]
        number = next((number for number in same if number in waiting), same[-1] if same else None)
        if number is not None and FIELDS not in fields:
            fields.setdefault("toolName", calls[number]["name"])
        return number


Meaning = tuple[Sequence[Message], Sequence[Places]]
"""What rows mean: messages, and where each stands."""


def settled(rows: list[Any], edit: Edit, read: Callable[[list[Any]], Meaning]) -> list[Any]:
    """Return rows in which what reads otherwise without its old neighbours carries a note of what it is.

    A compaction whose originals left, a speaker who was known by what came before: `read` says what the rows mean now,
    and the window of `edit` what they have to mean. A reader takes every note for granted (`rows.with_note`).
    """
    messages, pieces = read(rows)
    wanted = [entry.message for entry in edit.entries]
    if len(messages) != len(wanted):
        return rows
    notes: dict[int, dict[Part, dict[str, Any]]] = {}
    for message, right, places in zip(messages, wanted, pieces, strict=True):
        if message != right:
            note = noted({}, dict.fromkeys((*fields_of(message), "id")), right)
            notes.setdefault(places[0].row, {})[places[0].part] = note
    return [_with_notes(row, notes[at]) if at in notes else row for at, row in enumerate(rows)]


def _with_notes(row: Any, notes: dict[Part, dict[str, Any]]) -> Any:  # noqa: ANN401 - a row
    if isinstance(row, list):
        return revise_items(row, [revise(side, notes[at]) if at in notes else side for at, side in enumerate(row)])
    return revise(row, notes[None]) if None in notes else row


def calls_in(calls: Json, path: str, *, name: str = "name", identifier: str = "id") -> list[dict[str, Any]]:
    """Return the calls of a row whose arguments are objects, under what its format calls their name and their id.

    Raises:
        TranscriptError: something stands there that is no call.
    """
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise TranscriptError(f"expected a list of calls; found {shown(calls)}", path=f"{path}.tool_calls")
    read = []
    for at, call in enumerate(calls):
        if not isinstance(call, dict) or not isinstance(call.get(name), str):
            where = f"{path}.tool_calls[{at}]"
            raise TranscriptError(f"expected a call with a {name}; found {shown(call)}", path=where)
        arguments = call.get("arguments", {})
        own = id_text(call.get(identifier)) or made_up_id("call", at, call[name], arguments)
        read.append({"id": own, "name": call[name], "args": arguments})
    return read
