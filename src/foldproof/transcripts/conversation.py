"""The conversation: messages, and where each of them stands in the document they were read from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from foldproof.messages import Message, check_message, kept_indices
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.document import Document, damage_in
from foldproof.window import FoldedSpan

Piece = Any
"""Where a message stands in its document: a format's own business (an index, an index and a block, a name)."""


class Parent(NamedTuple):
    """The conversation that ran a sub-agent, and the call that did; None for what is not known."""

    conversation: str | None
    call: str | None


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """One conversation as a format read it.

    Attributes:
        messages: what was said, in order.
        pieces: for each message, where it stands in the document.
        extras: facts of the format beside the messages (tools, model, reward …).
        id: the conversation's own id, when it has one.
        side: it hangs on another conversation of the same document (a sub-agent's thread).
        damage: what of it could not be read, and where.
        folded: for each compaction that the document holds, what its frame stands for, where the originals are there.
        ran: sub-agents it ran: the id of each one's conversation, and the id of the call that ran it.
        parent: the conversation that ran this one, where the document itself says so.
        incomplete: the document leaves out what the model was told (what tools said, the history behind an id), so that
            nobody can be accused from it.
    """

    messages: tuple[Message, ...]
    pieces: tuple[Piece, ...]
    extras: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    side: bool = False
    damage: tuple[Damage, ...] = ()
    folded: tuple[FoldedSpan, ...] = ()
    ran: Mapping[str, str] = field(default_factory=dict)
    parent: Parent | None = None
    incomplete: bool = False


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Conversation:
    """A conversation, and the document it can be written back into.

    Attributes:
        messages: the window: what `load` read, or what `replace` put in its place.
        format: name of the format it was read in.
        id: the id the file gives it, else one derived from its place in the file.
        extras: facts of the format beside the messages (tools, model, reward …), read-only.
        damage: what of the file could not be read, and where: in this conversation, or right ahead of it.
        folded: for each compaction that the file holds, what its frame stands for, where the originals are there.
        parent: the conversation that ran this one, and the call that did, where it is a sub-agent's.
        incomplete: the format leaves out what the model was told, so that an audit calls nothing invented.
        reading, siblings, document: what `dump` needs to write it back; not for users.
    """

    messages: tuple[Message, ...]
    format: str
    id: str
    extras: Mapping[str, Any]
    damage: tuple[Damage, ...] = ()
    folded: tuple[FoldedSpan, ...] = field(default=(), repr=False)
    parent: Parent | None = None
    incomplete: bool = False
    reading: Reading = field(repr=False)
    siblings: tuple[Reading, ...] = field(repr=False)
    document: Document = field(repr=False)

    def replace(self, messages: Iterable[Message]) -> Conversation:
        """Return the same conversation with another window, ready to dump.

        Raises:
            UsageError: something in `messages` is no Message.
        """
        window = tuple(messages)
        for index, message in enumerate(window):
            check_message(message, index)
        return dataclasses.replace(self, messages=window)


def conversations_of(readings: Sequence[Reading], document: Document, *, number: int) -> tuple[Conversation, ...]:
    """Return the readings of a document as the conversations users see.

    `number` counts the conversations of the file ahead of these: it names those that have no id of their own.
    """
    ahead = document.damage
    by = {child: Parent(reading.id, call) for reading in reversed(readings) for child, call in reading.ran.items()}
    return tuple(
        Conversation(
            messages=reading.messages,
            format=document.format,
            id=reading.id or str(number + index),
            extras=MappingProxyType(dict(reading.extras)),
            damage=(*(ahead if index == 0 else ()), *(damage_in(one, document) for one in reading.damage)),
            folded=reading.folded,
            parent=reading.parent or by.get(reading.id or ""),
            incomplete=reading.incomplete,
            reading=reading,
            siblings=tuple(readings),
            document=document,
        )
        for index, reading in enumerate(readings)
    )


class Entry(NamedTuple):
    """One message of a window to write.

    Attributes:
        message: the message.
        kept: its index among the messages that were read, or None when it is new.
        replaces: for a new tool message, the index of the removed result it stands in for (a cleared result).
    """

    message: Message
    kept: int | None
    replaces: int | None = None


class Edit(NamedTuple):
    """A conversation of a document and the window to write in its place."""

    reading: Reading
    entries: tuple[Entry, ...]

    @property
    def changed(self) -> bool:
        """Whether anything left or came."""
        kept = tuple(entry.kept for entry in self.entries)
        return kept != tuple(range(len(self.reading.messages)))


def edit_of(reading: Reading, window: Sequence[Message]) -> Edit:
    """Return which messages of a window were read (the same object, else an equal one, in order), and which are new."""
    kept = kept_indices(reading.messages, window)
    free = set(range(len(reading.messages))) - {index for index in kept if index is not None}
    entries = []
    for message, index in zip(window, kept, strict=True):
        replaced = _replaced(message, reading.messages, free) if index is None else None
        free.discard(-1 if replaced is None else replaced)
        entries.append(Entry(message, index, replaced))
    return Edit(reading, tuple(entries))


def _replaced(message: Message, originals: Sequence[Message], free: set[int]) -> int | None:
    if message.role != "tool" or message.tool_call_id is None:
        return None
    same = (at for at in sorted(free) if originals[at].role == "tool")
    return next((at for at in same if originals[at].tool_call_id == message.tool_call_id), None)
