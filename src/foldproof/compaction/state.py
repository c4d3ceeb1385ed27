"""What is known about a conversation between two turns, as one frozen model that survives JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import JsonValue

from foldproof.compaction.records import CompactionRecord
from foldproof.messages import STAMP, Message, check_message, is_stamped
from foldproof.messages.base import FrozenModel
from foldproof.window import FoldedSpan, WindowState, history


class HostPlace(FrozenModel):
    """Which list of a host's the window stands for.

    Attributes:
        digest: of the list as it was read, one message after the other.
        count: how many messages it has.
        places: for each message of the window, its index in the list; None for a frame that is not in it.
        folded_at: how many items the list had when something last left the window: usage that was reported before then
            says nothing about it.
        measured: the input tokens reported for the window since then, or None.
        measured_count: how many messages the list had when they were.
    """

    digest: str
    count: int
    places: tuple[int | None, ...]
    folded_at: int = 0
    measured: int | None = None
    measured_count: int = 0


class ConversationState(FrozenModel):
    """A conversation between two turns. Frozen: what happens to it makes another one.

    Attributes:
        messages: the window.
        spans: what the frames stand for, through any depth of folding.
        records: the ledger of records, the oldest first.
        iteration: how many messages of the model it has had.
        window: what one visit tells the next.
        host: which list of a host's the window stands for, where it follows one.
    """

    messages: tuple[Message, ...] = ()
    spans: tuple[FoldedSpan, ...] = ()
    records: tuple[CompactionRecord, ...] = ()
    iteration: int = 0
    window: WindowState = WindowState()
    host: HostPlace | None = None

    def appended(self, messages: Iterable[Message]) -> ConversationState:
        """Return the state with messages behind the window.

        Raises:
            UsageError: something among them is no `Message`.
        """
        new = tuple(messages)
        for index, message in enumerate(new):
            check_message(message, index)
        if not new:
            return self
        said = sum(message.role == "assistant" for message in new)
        return self.model_copy(update={"messages": (*self.messages, *new), "iteration": self.iteration + said})

    def filed(self, record: CompactionRecord, *, instead_of: CompactionRecord | None = None) -> ConversationState:
        """Return the state with one more record, or with one in the place of another."""
        others = tuple(one for one in self.records if one is not instead_of)
        return self.model_copy(update={"records": (*others, record)})

    @property
    def ledger(self) -> tuple[Message, ...]:
        """Everything that is still known: the window, and the originals ahead of the frames that stand for them."""
        return history(self.messages, self.spans)

    @property
    def stamps(self) -> tuple[tuple[str, Literal["summary", "appendix"]], ...]:
        """The compaction stamps of the window, in order: whose compaction it was, and as which part of it."""
        marks = ((message.metadata or {})[STAMP] for message in self.messages if is_stamped(message))
        return tuple((str(mark.get("id")), _role(mark)) for mark in marks if isinstance(mark, dict))


def _role(mark: dict[str, JsonValue]) -> Literal["summary", "appendix"]:
    return "appendix" if mark.get("role") == "appendix" else "summary"
