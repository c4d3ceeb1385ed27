"""What a visit returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from foldproof.messages import Message
from foldproof.window.records import FoldedSpan, WindowRecord, WindowState


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One visit of a strategy. Nothing is applied until the host puts `messages` in place of its window.

    Attributes:
        messages: the new window; the very object that was given when nothing left.
        record: what was done and why.
        folded: the fold, when there was one; keep it with the conversation, in the same commit as the window.
        state: hand it to the next visit.
    """

    messages: Sequence[Message]
    record: WindowRecord
    folded: FoldedSpan | None = None
    state: WindowState

    @property
    def changed(self) -> bool:
        """Whether anything left the window."""
        return self.record.outcome == "removed"
