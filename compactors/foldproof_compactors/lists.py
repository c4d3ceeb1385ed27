"""One list of a host: how it is read and written, and what a compaction of it is applied to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from foldproof import Conversation, Message
from foldproof.compaction import (
    Compacted,
    CompactionContext,
    CompactionError,
    CompactionRecord,
    CompactionTrigger,
    ConversationState,
    HostPlace,
    TurnOptions,
    folded_beginning,
    list_digests,
    list_words,
    merged,
    placed,
)
from foldproof.errors import described
from foldproof.transcripts import FIELDS, parse_as, written
from foldproof.window import MessageCounter

Item = TypeVar("Item")

_ANSWERING = ("tool_call_id", "tool_name", "is_error")
"""What a cleared result says beside its words: which call it answers, and that it failed."""


@dataclass(frozen=True, kw_only=True)
class Shape(Generic[Item]):
    """How the items of a host's list are said in a saved format, one row an item, and read back.

    Attributes:
        format: name of the format.
        row: an item as JSON.
        item: the item that a row says; asked for rows that are new or changed.
        document: what the format calls a list of rows.
        rows: the rows of such a document.
        keeps_frames: the host keeps what it is given, and can keep the notes of a frame. Where it sends what it is
            given, frames go without their notes, and are remembered here.
    """

    format: str
    row: Callable[[Item], Any]
    item: Callable[[Any], Item]
    document: Callable[[list[Any]], Any] = list
    rows: Callable[[Any], list[Any]] = list
    keeps_frames: bool = False


@dataclass(frozen=True)
class ReadList(Generic[Item]):
    """A host's list as it was read.

    Attributes:
        items: the list.
        own: the host's item of each row, by the row's `id()`.
        conversation: what the rows say.
        words: what each of its messages is known by.
    """

    items: Sequence[Item]
    own: Mapping[int, Item]
    conversation: Conversation
    words: Sequence[str]


def read_list(shape: Shape[Item], items: Sequence[Item]) -> ReadList[Item]:
    """Return a host's list as it is read.

    Raises:
        TranscriptError: it cannot be read.
    """
    rows = [shape.row(item) for item in items]
    conversation = parse_as(shape.document(rows), shape.format)
    own = {id(row): item for row, item in zip(rows, items, strict=True)}
    return ReadList(items, own, conversation, [list_words(message) for message in conversation.messages])


class HostList(Generic[Item]):
    """One list of a host, and what a compaction is applied to while it is about this list."""

    def __init__(
        self,
        shape: Shape[Item],
        read: ReadList[Item],
        state: ConversationState,
        *,
        persistent: bool,
        counter: MessageCounter | None,
    ) -> None:
        self._shape, self._read, self._persistent, self._counter = shape, read, persistent, counter
        self._given: Sequence[Item] | None = None
        self.state = state
        self.beginning: ConversationState | None = None  # as far as something left: what another list may share
        self.filed: list[CompactionRecord] = []

    @property
    def given(self) -> Sequence[Item]:
        """What the host is given: its very list where nothing left it."""
        if self._given is None:
            self._given = self._as_items(self.state.messages, places_of(self.state))
        return self._given

    def context(self, trigger: CompactionTrigger, measured_at: int | None, options: TurnOptions) -> CompactionContext:
        """Return what a compaction is told; usage from before the last fold is left out."""
        host, measured = self.state.host, options.get("measured")
        if host is not None:
            is_old = measured is None or (measured_at is not None and measured_at < host.folded_at)
            measured = self._measured(host) if is_old else measured
        told = TurnOptions(**{**options, "measured": measured})
        return CompactionContext(trigger=trigger, **told)

    def _measured(self, host: HostPlace) -> int | None:
        """Return the usage that was reported for a beginning of the list, and what came since as it is counted."""
        if host.measured is None or self._counter is None:
            return host.measured
        return host.measured + self._counter.total(self._read.conversation.messages[host.measured_count :])

    def apply(self, before: ConversationState, done: Compacted, record: CompactionRecord) -> CompactionRecord:
        """Put a compaction in place. Its window is written as the host's items first, so that it is whole or not."""
        places = placed(before, done.messages)
        try:
            given = self._as_items(done.messages, places)
        except Exception as error:
            cause = f"the new window cannot be said in the host's messages: {described(error)}"
            raise CompactionError(cause, window=done.record) from error
        self.state = merged(before, before, done).model_copy(update={"host": self._host(done, places, given)})
        self._given = given
        self.file(record)
        self.beginning = None if self._persistent else folded_beginning(self.state, self._read.words)
        return record

    def file(self, record: CompactionRecord, *, instead_of: CompactionRecord | None = None) -> None:
        """File a record, or put it in the place of another."""
        self.state = self.state.filed(record, instead_of=instead_of)
        self.filed = [*(one for one in self.filed if one is not instead_of), record]

    def _host(self, done: Compacted, places: tuple[int | None, ...], given: Sequence[Item]) -> HostPlace | None:
        """Return which list the new window stands for: the host's as it is, or as it will be."""
        host = self.state.host
        if host is None:
            return None
        if not self._persistent:
            return host.model_copy(update={"places": places, "folded_at": len(self._read.items), "measured": None})
        return HostPlace(
            digest=list_digests([list_words(message) for message in done.messages])[-1],
            count=len(done.messages),
            places=tuple(range(len(done.messages))),
            folded_at=len(given),
        )

    def _as_items(self, window: Sequence[Message], places: Sequence[int | None]) -> Sequence[Item]:
        read = self._read.conversation.messages
        if tuple(places) == tuple(range(len(read))):
            return self._read.items
        sent = [self._new(message) if at is None else read[at] for message, at in zip(window, places, strict=True)]
        rows = self._shape.rows(written(self._read.conversation.replace(sent)))
        return [
            self._read.own[id(row)] if id(row) in self._read.own else self._shape.item(self._said(row)) for row in rows
        ]

    def _said(self, row: Any) -> Any:  # noqa: ANN401 - JSON
        """Return a new row as the host is given it: what the format put there for us alone is not sent."""
        return row if self._shape.keeps_frames else _without_ours(row)

    def _new(self, frame: Message) -> Message:
        """Return a frame as the host is given it: where it is sent as it is, its words, and the call they answer."""
        if self._shape.keeps_frames:
            return frame
        bare = Message(role=frame.role, content=frame.text)
        answering = {name: getattr(frame, name) for name in _ANSWERING if getattr(frame, name) is not None}
        return bare.model_copy(update=answering)


def _without_ours(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _without_ours(inner) for name, inner in value.items() if name != FIELDS}
    return [_without_ours(inner) for inner in value] if isinstance(value, list) else value


def places_of(state: ConversationState) -> tuple[int | None, ...]:
    """Return where the messages of a window stand in the host's list."""
    return state.host.places if state.host is not None else ()
