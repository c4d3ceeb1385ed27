"""What a listener hears of a compaction: running, updates, then exactly one of complete or error.

Every event is the whole of what is known, and replaces the one before it. What the strategy tells of its visit is
passed on between them.
"""

from __future__ import annotations

from typing import Literal, Protocol

from foldproof.compaction.records import CompactionTrigger
from foldproof.messages.base import FrozenModel
from foldproof.window import Event, Listener, Progress, told

_MOST = 0.99


class Compaction(FrozenModel):
    """A compaction as far as it is. `complete` means that the new window is the conversation's.

    Attributes:
        id: the id of its record.
        trigger: what asked for it.
        status: `running`, then `complete` or `error`, once.
        progress: from 0 to 0.99 by guess, and 1 when it is complete.
        summary: the text of the frame that stands for what left, as soon as there is one.
        error: what went wrong.
    """

    type: Literal["compaction"] = "compaction"
    id: str
    trigger: CompactionTrigger
    status: Literal["running", "complete", "error"] = "running"
    progress: float = 0
    summary: str | None = None
    error: str | None = None


class CompactionListener(Protocol):
    """Hears what happens at compactions, and at the visits in them."""

    def on_event(self, event: Event | Compaction, /) -> object:
        """Take note of an event; what it returns is ignored, what it raises is put on the record."""
        ...


class Lifecycle(Listener):
    """Tells a listener, if there is one, for as long as it does not raise."""

    def __init__(self, listener: CompactionListener | None, compaction: Compaction) -> None:
        self._listener = listener
        self._now = compaction
        self._started = False
        self._held: list[Event] = []
        self.failed: str | None = None

    def on_event(self, event: Event, /) -> None:
        """Pass on what a visit tells; what it tells before it is known to act is held back until then."""
        if isinstance(event, Progress) and event.fraction < 1:  # a summary is awaited, so the strategy acts
            self.start()
            self._update(progress=min(_MOST, max(self._now.progress, event.fraction)))
        if self._started:
            self._tell(event)
        else:
            self._held.append(event)

    def start(self) -> None:
        """Tell that the compaction is running, once."""
        if self._started:
            return
        self._started = True
        self._tell(self._now)
        for event in self._held:
            self._tell(event)
        self._held = []

    def summarised(self, text: str | None) -> None:
        """Tell what stands for what left, before it is applied."""
        self.start()
        if text is not None:
            self._update(summary=text)

    def complete(self) -> None:
        """Tell that the new window is the conversation's."""
        self.start()
        self._update(status="complete", progress=1)

    def broke_off(self, error: str) -> None:
        """Tell that nothing changed, and why; nothing where it was never said to be running."""
        if self._started:
            self._update(status="error", error=error)

    def _update(self, **update: object) -> None:
        changed = self._now.model_copy(update=update)
        if changed != self._now:
            self._now = changed
            self._tell(changed)

    def _tell(self, event: Event | Compaction) -> None:
        if self._listener is not None and self.failed is None:
            self.failed = told(self._listener.on_event, event)
