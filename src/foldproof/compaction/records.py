"""What is filed about a compaction, and the error of one that was asked for by hand."""

from __future__ import annotations

from typing import Any, Literal

from foldproof.errors import TranscriptError
from foldproof.messages.base import FrozenModel
from foldproof.window import WindowRecord

CompactionTrigger = Literal["before_turn", "after_turn", "manual"]
"""What asks for a compaction: the two moments of a turn ask automatically, a person asks by hand."""

CompactionOutcome = Literal["complete", "refused", "error", "cancelled"]
"""What became of it.

* `complete`: the new window is the conversation's.
* `refused`: it was over its threshold, and nothing may leave; the window's record names each refusal.
* `error`: something raised, the result was not valid, or another compaction was applied first. Nothing changed.
* `cancelled`: it was called off. Nothing changed.
"""


class CompactionRecord(FrozenModel):
    """What one compaction did, as plain data that survives JSON.

    Attributes:
        id: the same for the same window, trigger and iteration.
        trigger: what asked for it.
        outcome: what became of it.
        iteration: how many messages of the model the conversation had.
        window: the record of the visit, where the strategy got that far.
        error: what went wrong, on one line.
        appended: how many messages came while it ran, and stand behind the new window.
        listener_failed: what the listener raised; it changes nothing else.
    """

    id: str
    trigger: CompactionTrigger
    outcome: CompactionOutcome
    iteration: int
    window: WindowRecord | None = None
    error: str | None = None
    appended: int = 0
    listener_failed: str | None = None


class CompactionError(TranscriptError):
    """A compaction that was asked for by hand did not happen, and nothing changed.

    Attributes:
        window: the record of the visit, where the strategy got that far.
        record: what is filed about it, where a conversation's ledger took note.
    """

    def __init__(self, cause: str, *, window: WindowRecord | None = None) -> None:
        super().__init__(cause)
        self.window = window
        self.record: CompactionRecord | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cause,), vars(self)
