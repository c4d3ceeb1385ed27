"""What a listener hears of a visit: that it started, how far it is, and, once it is decided, what came of it.

What left, what was refused and what was folded is told only after the whole visit is decided, so that a listener never
hears of something that did not happen. A listener that raises is not asked again during that visit, and the record says
what it raised.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from foldproof.errors import described
from foldproof.messages import Message, message_id
from foldproof.messages.base import FrozenModel
from foldproof.window.records import FoldedSpan, Replacement, WindowRecord
from foldproof.window.refusals import Refusal
from foldproof.window.visit import Visit


class VisitStarted(FrozenModel):
    """A visit began, over a window of so many messages."""

    type: Literal["visit-started"] = "visit-started"
    strategy: str
    iteration: int
    messages: int


class Progress(FrozenModel):
    """How far the visit is: from 0 to 1, and 1 only when it is decided."""

    type: Literal["progress"] = "progress"
    fraction: float


class MessageEvicted(FrozenModel):
    """A message left, and what stands for it (`none`: it was dropped without a notice)."""

    type: Literal["message-evicted"] = "message-evicted"
    message_id: str
    message_index: int
    reason: Replacement


class Refused(FrozenModel):
    """A turn or a span stayed."""

    type: Literal["refused"] = "refused"
    refusal: Refusal


class Folded(FrozenModel):
    """A frame stands for a span."""

    type: Literal["folded"] = "folded"
    span: FoldedSpan


class Failed(FrozenModel):
    """The visit raised or was cancelled, and nothing changed. Then this is the last event."""

    type: Literal["failed"] = "failed"
    error: str


class Settled(FrozenModel):
    """The visit is decided; this is its record. The last event of every visit that returns."""

    type: Literal["settled"] = "settled"
    record: WindowRecord


Event = VisitStarted | Progress | MessageEvicted | Refused | Folded | Failed | Settled


Heard = TypeVar("Heard")


class Listener(Protocol):
    """Hears what happens at visits."""

    def on_event(self, event: Event, /) -> object:
        """Take note of an event; what it returns is ignored, what it raises is put on the record."""
        ...


@dataclass
class Narrator:
    """Tells a listener, if there is one, for as long as it does not raise."""

    listener: Listener | None
    failed: str | None = None
    _asked: int = 0

    def started(self, strategy: str, iteration: int, messages: Sequence[Message]) -> None:
        """Tell that a visit began."""
        if self.listener is not None:
            self._tell(VisitStarted(strategy=strategy, iteration=iteration, messages=len(messages)))

    def summarizing(self) -> None:
        """Tell that one more summary is awaited: half of what was left to do may be done, by guess."""
        if self.listener is not None:
            self._tell(Progress(fraction=1 - 0.5**self._asked))
            self._asked += 1

    def broke_off(self, error: BaseException) -> None:
        """Tell that the visit raised, or was cancelled."""
        if self.listener is not None:
            self._tell(Failed(error=described(error)))

    def settled(self, before: Sequence[Message], visit: Visit) -> Visit:
        """Tell what came of the visit, and return it with what the listener raised on its record."""
        if self.listener is not None:
            for event in _outcome(before, visit):
                self._tell(event)
        if self.failed is None:
            return visit
        return replace(visit, record=visit.record.model_copy(update={"listener_failed": self.failed}))

    def _tell(self, event: Event) -> None:
        if self.listener is not None and self.failed is None:
            self.failed = told(self.listener.on_event, event)


def told(on_event: Callable[[Heard], object], event: Heard) -> str | None:
    """Tell a listener an event, and return what it raised, on one line; None where it did not."""
    try:
        answer = on_event(event)
    except Exception as error:  # noqa: BLE001 - whatever a listener raises, the run goes on
        return described(error)
    if inspect.iscoroutine(answer):
        answer.close()
        return "on_event is asynchronous, and nobody awaits it; make it a plain function"
    return None


def _outcome(before: Sequence[Message], visit: Visit) -> Iterator[Event]:
    for seam in visit.record.seams:
        for index in range(seam.start, seam.start + seam.count):
            yield MessageEvicted(message_id=message_id(before[index]), message_index=index, reason=seam.replacement)
    yield from (Refused(refusal=refusal) for refusal in visit.record.refusals)
    yield from (Folded(span=span) for span in visit.spans)
    yield Progress(fraction=1)
    yield Settled(record=visit.record)
