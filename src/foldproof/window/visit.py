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
        spans: what each summary or cleared result stands for; keep them with the conversation, in the same commit as
            the window. A drop has none.
        state: hand it to the next visit.
    """

    messages: Sequence[Message]
    record: WindowRecord
    spans: tuple[FoldedSpan, ...] = ()
    state: WindowState

    @property
    def changed(self) -> bool:
        """Whether anything left the window."""
        return self.record.outcome == "removed"

    @property
    def folded(self) -> FoldedSpan | None:
        """The span that a summary frame stands for, when there was a summary."""
        return next((span for span in self.spans if span.model is not None), None)
