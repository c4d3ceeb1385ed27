"""The window and everything that holds a part of it: the request, the calls that wait, the standings of results."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from foldproof.messages import (
    CallAt,
    Message,
    Pairing,
    Role,
    ToolCall,
    Turn,
    author_of,
    calls_of,
    is_observation,
    is_tidy,
    may_quote_a_frame,
    pair,
    turn_starts,
    turns_of,
)
from foldproof.messages.facts import Facts
from foldproof.window.pins import PinName, Standing


@dataclass(frozen=True, slots=True)
class Run:
    """Turns that may leave together: messages `start` to `stop`, and the index of the first turn."""

    start: int
    stop: int
    turn_index: int


@dataclass(frozen=True)
class Guards:
    """The window and everything that holds a part of it. Never raises on a malformed window.

    Attributes:
        messages: the window.
        request_text: the text the run was started with, when the host tells it.
        paused: ids of calls whose run is paused.
        pending_check_ins: ids of calls, or of messages, on which a person's answer is awaited.
        standings: what the model filed results as, by tool call id.
        stand_down: the pins that stand down at this visit.
    """

    messages: Sequence[Message]
    request_text: str | None = None
    paused: frozenset[str] = frozenset()
    pending_check_ins: frozenset[str] = frozenset()
    standings: Mapping[str, Standing] = field(default_factory=dict)
    stand_down: frozenset[PinName] = frozenset()

    @cached_property
    def roles(self) -> list[Role]:
        """The role of every message."""
        return [facts.role for facts in self._facts]

    @cached_property
    def odd(self) -> list[int]:
        """The indices of the messages that hold more than words and calls."""
        return [index for index, facts in enumerate(self._facts) if not facts.plain]

    @cached_property
    def _facts(self) -> list[Facts]:
        return [message.facts for message in self.messages]

    @cached_property
    def starts(self) -> list[int]:
        """Where the turns of the window begin."""
        return turn_starts(self.roles)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the window; to look at a few of them, `starts` and `turn` cost less."""
        return turns_of(self.messages)

    def turn(self, index: int) -> Turn:
        """Return a turn by its index."""
        following = index + 1
        return Turn(self.starts[index], self.starts[following] if following < len(self.starts) else len(self.messages))

    @cached_property
    def conversation_turns(self) -> int:
        """How many turns the window has beside its system messages."""
        return len(self.starts) - len(self.system)

    @cached_property
    def system(self) -> list[int]:
        """The indices of the system messages."""
        return [index for index, role in enumerate(self.roles) if role == "system"]

    @cached_property
    def tidy(self) -> bool:
        """Whether every call is answered in its turn, so that nobody needs the pairing."""
        return is_tidy(self.messages)

    @cached_property
    def pairing(self) -> Pairing:
        """Which result answers which call."""
        return pair(self.messages)

    @cached_property
    def unanswered(self) -> tuple[CallAt, ...]:
        """The calls that no message answers."""
        return () if self.tidy else self.pairing.unanswered

    @cached_property
    def request(self) -> int | None:
        """Index of the current request: the latest thing the person said, or exactly `request_text`."""
        return self.last_said if self.named_request is None else self.named_request

    @cached_property
    def named_request(self) -> int | None:
        """Index of the latest message of the person that says exactly `request_text`, white space around it aside."""
        if self.request_text is None:
            return None
        wanted = self.request_text.strip()
        return next((index for index in self._said_backwards() if self.messages[index].text.strip() == wanted), None)

    @cached_property
    def doubtful(self) -> list[int]:
        """Where a message behind the request opens like a frame and may yet be the person's, quoting one.

        What it says exempts nothing, for a doubt is never resolved in favour of the person; but it may be a request.
        """
        after = -1 if self.request is None else self.request
        return [
            index
            for index in range(after + 1, len(self.messages))
            if self.roles[index] == "user" and may_quote_a_frame(self.messages[index])
        ]

    @cached_property
    def last_said(self) -> int | None:
        """Index of the latest thing the person said."""
        return next(self._said_backwards(), None)

    def _said_backwards(self) -> Iterator[int]:
        for index in range(len(self.messages) - 1, -1, -1):
            if self.roles[index] == "user" and author_of(self.messages[index]) == "person":
                yield index

    def turn_at(self, message: int) -> int:
        """Return the index of the turn that holds a message."""
        return bisect_right(self.starts, message) - 1

    def call(self, at: CallAt) -> ToolCall:
        """Return the call that stands there."""
        return calls_of(self.messages[at.message])[at.position]

    def tool_of(self, index: int) -> str | None:
        """Return the name of the tool whose result the message at `index` is, where anybody says it."""
        name = self.messages[index].facts.tool
        if name is None and index in self.pairing.call_of:
            name = self.call(self.pairing.call_of[index]).name
        return name or None

    def tools_in(self, run: Run) -> tuple[str, ...]:
        """Return the tools whose results stand in a run, in order, each once."""
        messages, roles = self.messages, self.roles
        results = [index for index in range(run.start, run.stop) if roles[index] == "tool"]
        observed = [index for index in results if is_observation(messages[index])]
        names = dict.fromkeys([messages[index].facts.tool or self.tool_of(index) for index in observed])
        return tuple(name for name in names if name is not None)

    def dead_calls(self, run: Run) -> tuple[str, ...]:
        """Return the ids of the calls in a run that nobody answered."""
        return tuple(self.call(at).id for at in self.unanswered if run.start <= at.message < run.stop)
