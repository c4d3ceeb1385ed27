"""What every host has in common: its list read as messages, compacted, and given back with its own objects in it.

A host says one thing, its `Shape`: in which saved format its items can be said, and back. A list is known by what it
says (`foldproof.compaction.following`), so that one `HostedCompactor` serves any number of conversations, threads,
retries and branches at once, and needs no ids of the host's. It never raises for what a conversation is: the host goes
on with its list, and the record says why.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, Unpack

from foldproof import Conversation, GateDecision, Message, UsageError
from foldproof.compaction import (
    Compacted,
    CompactionContext,
    CompactionError,
    CompactionRecord,
    CompactionTrigger,
    Compactor,
    ConversationState,
    HostPlace,
    TurnOptions,
    begun,
    followed,
    list_digests,
    list_words,
    merged,
    placed,
)
from foldproof.errors import described
from foldproof.messages import frame_kind
from foldproof.transcripts import FIELDS, parse_as, written
from foldproof.window import MessageCounter, Strategy

Item = TypeVar("Item")

_LOG = logging.getLogger("foldproof.compactors")

_RECORDS = 1_000
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


def as_compactor(given: Compactor | Strategy | None) -> Compactor:
    """Return what a user of a host gave as a compactor: one, a strategy, or nothing for the default of both.

    Raises:
        UsageError: it is neither.
    """
    return given if isinstance(given, Compactor) else Compactor() if given is None else Compactor(given)


class HostedCompactor(Generic[Item]):
    """Compacts the lists of a host.

    Args:
        compactor: what compacts, and when.
        shape: how the host's items are said.
        persistent: the host puts what it is given in the place of its list. Otherwise it keeps its list, and is given a
            view of it that grows at its end only, until something leaves again.
        remember: how many lists are remembered. One that was forgotten is read anew.
    """

    def __init__(
        self, compactor: Compactor, shape: Shape[Item], *, persistent: bool = False, remember: int = 512
    ) -> None:
        self.compactor = compactor
        self._shape, self._persistent, self._remember = shape, persistent, remember
        self._lock = threading.Lock()
        self._known: OrderedDict[str, ConversationState] = OrderedDict()
        self._frames: OrderedDict[str, ConversationState] = OrderedDict()
        self._records: deque[CompactionRecord] = deque(maxlen=_RECORDS)

    @property
    def records(self) -> tuple[CompactionRecord, ...]:
        """What was filed, over all conversations, the oldest first; the last thousand."""
        return tuple(self._records)

    def __call__(self, items: Sequence[Item], **options: Unpack[TurnOptions]) -> Sequence[Item]:
        """Do what `fold` does: a host that takes a function takes this."""
        return self.fold(items, **options)

    def fold(
        self,
        items: Sequence[Item],
        *,
        trigger: CompactionTrigger = "before_turn",
        measured_at: int | None = None,
        **options: Unpack[TurnOptions],
    ) -> Sequence[Item]:
        """Return what the model is to be sent of a list: the very list where all of it is.

        Args:
            items: the host's list.
            trigger: what asks.
            measured_at: the index of the item that `measured` was reported with; None for what is about this list.
            options: what a turn may say; see `foldproof.compaction.CompactionContext`.
        """
        list_ = self._read(items, trigger)
        if list_ is None:
            return items
        with self._filing(list_):
            self.compactor.attempt(list_, list_.context(trigger, measured_at, options))
        return self._given(list_, items, trigger)

    async def afold(
        self,
        items: Sequence[Item],
        *,
        trigger: CompactionTrigger = "before_turn",
        measured_at: int | None = None,
        **options: Unpack[TurnOptions],
    ) -> Sequence[Item]:
        """Do what `fold` does, awaiting a summarizer that is asynchronous."""
        list_ = self._read(items, trigger)
        if list_ is None:
            return items
        with self._filing(list_):
            await self.compactor.aattempt(list_, list_.context(trigger, measured_at, options))
        return self._given(list_, items, trigger)

    def reported(self, items: Sequence[Item], tokens: int) -> None:
        """Take note of the input tokens that a provider reported for what was sent of a list.

        All of it was, where the host puts what it is given in the place of its list; else what was sent is known where
        the list was folded here, or restored. Of another one nobody here knows, and nothing is noted.
        """
        list_ = self._read(items, "after_turn")
        if list_ is None or list_.state.host is None:
            return
        if self._persistent or list_.state.host.digest in self._known:
            host = list_.state.host.model_copy(update={"measured": tokens, "measured_count": list_.state.host.count})
            self._keep(list_.state.model_copy(update={"host": host}))

    def state(self, items: Sequence[Item]) -> ConversationState:
        """Return what is known of the conversation of a list: what to save, and to `restore` in another process.

        Raises:
            TranscriptError: the list cannot be read.
        """
        return self._list(items).state

    def restore(self, state: ConversationState) -> None:
        """Take a state that `state` returned, here or in another process."""
        self._keep(state)

    def not_applied(self, items: Sequence[Item], cause: str) -> None:
        """Take back that a list was compacted into `items`: the host could not put them in the place of its own.

        Args:
            items: what `fold` or `afold` returned.
            cause: why not; the record says so, and its outcome is `error`.
        """
        filed = self._list(items).state
        if not filed.records or filed.host is None:
            return
        last = filed.records[-1]
        with self._lock:
            self._known.pop(filed.host.digest, None)
            for at in range(len(self._records) - 1, -1, -1):
                if self._records[at] is last:
                    self._records[at] = last.model_copy(update={"outcome": "error", "error": cause})
                    break
        _LOG.warning("a conversation was not compacted: %s", cause)

    def review(self, items: Sequence[Item], answer: str, *, instructions: str = "", revision: int = 0) -> GateDecision:
        """Return what becomes of an answer, judged over all that is known ahead of it; see `Compactor.review`.

        Args:
            items: the host's list, up to the answer.
            answer: the answer's text.
            instructions: what the app tells the model beside the list: system prompt and tools.
            revision: how many revisions were asked for before.

        Raises:
            UsageError: the compactor has no gate.
            TranscriptError: the list cannot be read.
        """
        told = (Message(role="system", content=instructions),) if instructions else ()
        ledger = self._list(items).state.ledger if items else ()
        return self.compactor.review((*told, *ledger), answer, revision=revision)

    def _read(self, items: Sequence[Item], trigger: CompactionTrigger) -> _HostList[Item] | None:
        try:
            return self._list(items) if items else None
        except Exception as error:
            if trigger == "manual":
                raise
            cause = f"the list cannot be read: {described(error)}"
            self._file([CompactionRecord(id="unread", trigger=trigger, outcome="error", iteration=0, error=cause)])
            return None

    def _list(self, items: Sequence[Item]) -> _HostList[Item]:
        rows = [self._shape.row(item) for item in items]
        conversation = parse_as(self._shape.document(rows), self._shape.format)
        own = {id(row): item for row, item in zip(rows, items, strict=True)}
        state = self._state_of(conversation.messages)
        counter = getattr(self.compactor.strategy, "message_counter", None)
        return _HostList(self._shape, items, own, conversation, state, persistent=self._persistent, counter=counter)

    def _state_of(self, read: Sequence[Message]) -> ConversationState:
        """Return the state of a list: as the longest beginning that is known goes on, else as it stands."""
        words = [list_words(message) for message in read]
        digests = list_digests(words) or [""]
        with self._lock:
            known = next(filter(None, map(self._known.get, reversed(digests))), None)
            if known is None or known.host is None:
                return begun(read, words, digests[-1], self._frames)
            self._known.move_to_end(known.host.digest)
            return followed(known, read, words, digests[-1], self._frames)

    def _given(self, list_: _HostList[Item], items: Sequence[Item], trigger: CompactionTrigger) -> Sequence[Item]:
        """Return a list's view; the list itself where an earlier fold cannot be said any more in what came since."""
        try:
            return list_.given
        except Exception as error:  # noqa: BLE001 - whatever it is, the host goes on
            cause = f"the window cannot be said in the host's messages: {described(error)}"
            self._file([CompactionRecord(id="unsaid", trigger=trigger, outcome="error", iteration=0, error=cause)])
            return items

    @contextmanager
    def _filing(self, list_: _HostList[Item]) -> Iterator[None]:
        """Keep what is known of a list once a compaction of it ended, however it did."""
        try:
            yield
        finally:
            self._file(list_.filed)
            self._keep(list_.state)

    def _file(self, records: Sequence[CompactionRecord]) -> None:
        self._records.extend(records)
        for record in records:
            if record.outcome == "error":
                _LOG.warning("a conversation was not compacted: %s", record.error)

    def _keep(self, state: ConversationState) -> None:
        if state.host is None:
            raise UsageError("the state follows no list of a host's; pass what state() returned")
        frames = {list_words(message): state for message in state.messages if frame_kind(message) is not None}
        with self._lock:
            for memory, new in ((self._known, {state.host.digest: state}), (self._frames, frames)):
                for name, value in new.items():
                    memory[name] = value
                    memory.move_to_end(name)
                while len(memory) > self._remember:
                    memory.popitem(last=False)


class _HostList(Generic[Item]):
    """One list of a host, and what a compaction is applied to while it is about this list."""

    def __init__(  # noqa: PLR0913 - what a list is, once
        self,
        shape: Shape[Item],
        items: Sequence[Item],
        own: Mapping[int, Item],
        conversation: Conversation,
        state: ConversationState,
        *,
        persistent: bool,
        counter: MessageCounter | None,
    ) -> None:
        self._shape, self._items, self._own, self._persistent = shape, items, own, persistent
        self._conversation, self._counter = conversation, counter
        self._given: Sequence[Item] | None = None
        self.state = state
        self.filed: list[CompactionRecord] = []

    @property
    def given(self) -> Sequence[Item]:
        """What the host is given: its very list where nothing left it."""
        if self._given is None:
            self._given = self._as_items(self.state.messages, _places(self.state))
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
        return host.measured + self._counter.total(self._conversation.messages[host.measured_count :])

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
            return host.model_copy(update={"places": places, "folded_at": len(self._items), "measured": None})
        return HostPlace(
            digest=list_digests([list_words(message) for message in done.messages])[-1],
            count=len(done.messages),
            places=tuple(range(len(done.messages))),
            folded_at=len(given),
        )

    def _as_items(self, window: Sequence[Message], places: Sequence[int | None]) -> Sequence[Item]:
        read = self._conversation.messages
        if tuple(places) == tuple(range(len(read))):
            return self._items
        sent = [self._new(message) if at is None else read[at] for message, at in zip(window, places, strict=True)]
        rows = self._shape.rows(written(self._conversation.replace(sent)))
        return [self._own[id(row)] if id(row) in self._own else self._shape.item(self._said(row)) for row in rows]

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


def _places(state: ConversationState) -> tuple[int | None, ...]:
    return state.host.places if state.host is not None else ()
