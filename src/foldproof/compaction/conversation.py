"""A conversation that goes on while it is compacted, from any thread or task."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from foldproof.compaction.records import CompactionRecord
from foldproof.compaction.settling import Compacted, merged
from foldproof.compaction.state import ConversationState
from foldproof.messages import Message


class LiveConversation:
    """Holds the state of a conversation, and lets one change at a time happen to it.

    The lock is held while a state is replaced and never while something is awaited or asked, so that a host can append
    while a summary is written. `state` is what to save (`model_dump_json`) and what to restore from.

    Raises:
        UsageError: something among the messages is no `Message`.
    """

    def __init__(self, messages: Iterable[Message] = (), *, state: ConversationState | None = None) -> None:
        self._lock = threading.Lock()
        self._state = (state or ConversationState()).appended(messages)

    @property
    def state(self) -> ConversationState:
        """The state as it is now; it never changes, another one takes its place."""
        return self._state

    @property
    def messages(self) -> tuple[Message, ...]:
        """The window as it is now."""
        return self._state.messages

    def append(self, *messages: Message) -> None:
        """Put messages behind the window.

        Raises:
            UsageError: something among them is no `Message`.
        """
        self.change(lambda state: state.appended(messages))

    def change(self, change: Callable[[ConversationState], ConversationState]) -> ConversationState:
        """Replace the state by what a function makes of it, and return that; where it raises nothing changes."""
        with self._lock:
            self._state = change(self._state)
            return self._state

    def apply(self, before: ConversationState, done: Compacted, record: CompactionRecord) -> CompactionRecord:
        """Put a compaction of an earlier state in place, file its record, and return it.

        What was appended meanwhile stands behind the new window, and the record says how many messages that were.

        Raises:
            CompactionError: the window is another one by now; nothing changed.
        """
        filed = record

        def settle(now: ConversationState) -> ConversationState:
            nonlocal filed
            filed = record.model_copy(update={"appended": len(now.messages) - len(before.messages)})
            return merged(now, before, done).filed(filed)

        self.change(settle)
        return filed

    def file(self, record: CompactionRecord, *, instead_of: CompactionRecord | None = None) -> None:
        """Put a record on the ledger of records, or in the place of one that is there."""
        self.change(lambda state: state.filed(record, instead_of=instead_of))
