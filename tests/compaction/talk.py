"""A conversation with enough in it to be folded, and listeners and summarizers that behave or do not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from foldproof import Compaction, Message, ToolCall
from foldproof.compaction import CompactionTrigger
from foldproof.window import Event, SummaryRequest

PROSE = "there is a lot to be said about this and so it is said at length, once and again, until it is long. " * 3


def person(text: str) -> Message:
    return Message(role="user", content=text)


def turn(number: int) -> list[Message]:
    call = ToolCall(id=f"call-{number}", name="get_order", args={"number": number})
    said = f'{{"fee": "{number}31.50", "is": "{PROSE}"}}'
    return [
        person(f"where is order ORD-{4000 + number}?"),
        Message(role="assistant", tool_calls=(call,)),
        Message(
            role="tool",
            tool_call_id=call.id,
            tool_name="get_order",
            content=said,
        ),
        Message(role="assistant", content=f"It costs {number}31.50."),
    ]


def talk(turns: int = 5) -> list[Message]:
    return [Message(role="system", content="be kind"), *(message for at in range(1, turns + 1) for message in turn(at))]


@dataclass
class Heard:
    """A listener that remembers, and raises at an event where it is told to."""

    raises_at: Callable[[Event | Compaction], bool] = lambda _: False
    events: list[Event | Compaction] = field(default_factory=list)

    def on_event(self, event: Event | Compaction, /) -> None:
        self.events.append(event)
        if self.raises_at(event):
            raise OSError("the screen is gone")

    @property
    def life(self) -> list[Compaction]:
        return [event for event in self.events if isinstance(event, Compaction)]

    @property
    def statuses(self) -> list[str]:
        """The statuses in order, each once as long as it lasts."""
        found = [event.status for event in self.life]
        return [status for at, status in enumerate(found) if at == 0 or found[at - 1] != status]


@dataclass
class Says:
    """A summarizer that says something true, after it did something else."""

    first: Callable[[], object] = lambda: None
    name: str = "says"

    def __call__(self, span: Sequence[Message], _: SummaryRequest, /) -> str:
        self.first()
        return f"{len(span)} messages were about orders."


@dataclass
class Slow:
    """An asynchronous summarizer that says when it began, and goes on when it is told to."""

    began: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    name: str = "slow"

    async def __call__(self, span: Sequence[Message], _: SummaryRequest, /) -> str:
        self.began.set()
        await self.go_on.wait()
        return f"{len(span)} messages were about orders."


AUTOMATIC: tuple[CompactionTrigger, ...] = ("before_turn", "after_turn")
