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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, Unpack

from foldproof import GateDecision, Message, UsageError
from foldproof.compaction import (
    CompactionRecord,
    CompactionTrigger,
    Compactor,
    ConversationState,
    TurnOptions,
    begun,
    followed,
    holds_request,
    list_digests,
    list_words,
)
from foldproof.errors import described
from foldproof.messages import frame_kind
from foldproof.window import Strategy
from foldproof_compactors.lists import HostList, Item, Shape, places_of, read_list

__all__ = ["HostedCompactor", "Shape", "as_compactor"]

_LOG = logging.getLogger("foldproof.compactors")

_RECORDS = 1_000


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

    def reported(self, items: Sequence[Item], tokens: int | None) -> None:
        """Take note of the input tokens that a provider reported for what was sent of a list.

        All of it was, where the host puts what it is given in the place of its list; else what was sent is known where
        the list was folded here, or restored. Of another one nobody here knows, and nothing is noted; nor is a number
        that no request costs, which is what some servers report when they do not count.
        """
        list_ = self._read(items, "after_turn") if isinstance(tokens, int) and tokens > 0 else None
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

    def _read(self, items: Sequence[Item], trigger: CompactionTrigger) -> HostList[Item] | None:
        try:
            return self._list(items) if items else None
        except Exception as error:
            if trigger == "manual":
                raise
            cause = f"the list cannot be read: {described(error)}"
            self._file([CompactionRecord(id="unread", trigger=trigger, outcome="error", iteration=0, error=cause)])
            return None

    def _list(self, items: Sequence[Item]) -> HostList[Item]:
        read = read_list(self._shape, items)
        state = self._state_of(read.conversation.messages, read.words)
        counter = getattr(self.compactor.strategy, "message_counter", None)
        return HostList(self._shape, read, state, persistent=self._persistent, counter=counter)

    def _state_of(self, read: Sequence[Message], words: Sequence[str]) -> ConversationState:
        """Return the state of a list: as a beginning that is known goes on, else as it stands."""
        digests = list_digests(words) or [""]
        with self._lock:
            known = self._known.get(digests[-1]) or self._beginning(digests, read)
            if known is None or known.host is None:
                return begun(read, words, digests[-1], self._frames)
            self._known.move_to_end(known.host.digest)
            return followed(known, read, words, digests[-1], self._frames)

    def _beginning(self, digests: Sequence[str], read: Sequence[Message]) -> ConversationState | None:
        """Return the longest beginning of a list that is known, and rather one that something left."""
        found = (self._known[digest] for digest in reversed(digests) if digest in self._known)
        fitting = [state for state in found if holds_request(state, read)]
        return next(filter(_something_left, fitting), fitting[0] if fitting else None)

    def _given(self, list_: HostList[Item], items: Sequence[Item], trigger: CompactionTrigger) -> Sequence[Item]:
        """Return a list's view; the list itself where an earlier fold cannot be said any more in what came since."""
        try:
            return list_.given
        except Exception as error:  # noqa: BLE001 - whatever it is, the host goes on
            cause = f"the window cannot be said in the host's messages: {described(error)}"
            self._file([CompactionRecord(id="unsaid", trigger=trigger, outcome="error", iteration=0, error=cause)])
            return items

    @contextmanager
    def _filing(self, list_: HostList[Item]) -> Iterator[None]:
        """Keep what is known of a list once a compaction of it ended, however it did."""
        try:
            yield
        finally:
            self._file(list_.filed)
            for state in (list_.beginning, list_.state):
                if state is not None:
                    self._keep(state)

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


def _something_left(state: ConversationState) -> bool:
    places = places_of(state)
    return state.host is not None and (len(places) < state.host.count or None in places)
