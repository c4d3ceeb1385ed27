"""Turns as they are being read: a message, and the results that answer its calls wherever the rows of them stand.

For formats in which a reply is spread over rows, or a result stands apart from its call: what comes out has every
result right behind its call's message, in the order of the calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from foldproof.errors import TranscriptError
from foldproof.messages import FOLDED, Message
from foldproof.transcripts.codec import message_from
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.rows import Place, Places
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


def unsettled(edit: Edit) -> set[int]:
    """Return which kept frames would read otherwise once what they stand for has left: each needs its note."""
    messages = edit.reading.messages
    kept = {entry.kept for entry in edit.entries if entry.kept is not None}
    if not edit.reading.folded or len(kept) == len(messages):
        return set()
    there = {id(messages[index]) for index in kept}
    gone = {
        span.fingerprint
        for span in edit.reading.folded
        if any(id(original) not in there for original in span.originals or ())
    }
    frames = [index for index in kept if FOLDED in (messages[index].metadata or {})]
    return {index for index in frames if messages[index].fingerprint in gone}
