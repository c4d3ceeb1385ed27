"""What a strategy is: a name, and a decision about what it is given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, TypedDict

from foldproof.errors import UsageError, shown
from foldproof.messages import Message, check_message
from foldproof.window.counting import MessageCounter
from foldproof.window.pins import PATIENCE, PIN_NAMES, Standing
from foldproof.window.plan import Guards, PlanRemoval, RemovalPlan
from foldproof.window.records import Retain, WindowState
from foldproof.window.summaries import Summarizer


class VisitOptions(TypedDict, total=False):
    """The options of a visit; see `StrategyInput` for what each means."""

    iteration: int
    measured: int | None
    request: str | None
    paused: Collection[str]
    pending_check_ins: Collection[str]
    standings: Mapping[str, Standing] | None
    state: WindowState | None


@dataclass(frozen=True, kw_only=True)
class StrategyInput:
    """What a strategy is given at a visit.

    Attributes:
        messages: the window.
        iteration: the iteration whose boundary is visited; 0 is before the first call of a run.
        measured: input tokens that the provider reported, or None.
        request: the text the run was started with, or None for the latest thing the person said.
        paused: ids of calls whose run is paused.
        pending_check_ins: ids of calls, or of messages, on which a person's answer is awaited.
        standings: what the model filed results as, by tool call id.
        state: what the previous visit handed on.

    Raises:
        UsageError: an option that makes no sense, or something among the messages that is no `Message`.
    """

    messages: Sequence[Message]
    iteration: int = 1
    measured: int | None = None
    request: str | None = None
    paused: Collection[str] = ()
    pending_check_ins: Collection[str] = ()
    standings: Mapping[str, Standing] | None = None
    state: WindowState | None = None

    def __post_init__(self) -> None:
        whole_number("iteration", self.iteration, at_least=0)
        if self.measured is not None:
            whole_number("measured", self.measured, at_least=0)
        for name in ("paused", "pending_check_ins"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"{name} is one string; pass a collection of ids, such as [{getattr(self, name)!r}]")
        if not isinstance(self.messages, Sequence):
            raise UsageError(f"messages is {shown(self.messages)}; pass a list or a tuple of messages")
        if not all(isinstance(entry, Message) for entry in self.messages):
            for index, entry in enumerate(self.messages):
                check_message(entry, index)

    @cached_property
    def known_state(self) -> WindowState:
        """What the previous visit handed on, or an empty state."""
        return self.state or WindowState()

    @cached_property
    def plan_removal(self) -> PlanRemoval:
        """What may leave: call it with the counts the strategy keeps."""
        blocks = self.known_state.pin_blocks
        guards = Guards(
            self.messages,
            request_text=self.request,
            paused=frozenset(self.paused),
            pending_check_ins=frozenset(self.pending_check_ins),
            standings=self.standings or {},
            stand_down=frozenset(name for name in PIN_NAMES if blocks.get(name, 0) >= PATIENCE),
        )
        return PlanRemoval(guards)

    @property
    def conversation_turns(self) -> int:
        """How many turns the window has, system messages not counted."""
        return self.plan_removal.guards.conversation_turns


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """Whether a strategy acts, and what that rests on; see `WindowRecord` for the words.

    `counted` says that `measured` is the count of the decision's own counter over the whole window.
    """

    kind: Literal["tokens", "turns"]
    measured_by: str
    measured: int | None
    threshold: int
    counted: bool = False

    @property
    def over(self) -> bool:
        """Whether what was measured exceeds the threshold."""
        return self.measured is not None and self.measured > self.threshold


@dataclass(frozen=True, kw_only=True)
class Fold:
    """That what leaves is summarised: by whom, under which name, and what happens to the originals."""

    summarizer: Summarizer
    model: str
    retain: Retain = "conversation"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a strategy decided.

    Attributes:
        trigger: why.
        removal: what may leave, from `plan_removal`; None when the strategy does not act.
        fold: how to summarise it; None drops it.
        counter: counts tokens, so that the replacement is proven smaller in tokens too; None where nothing counts.
    """

    trigger: Trigger
    removal: RemovalPlan | None = None
    fold: Fold | None = None
    counter: MessageCounter | None = None


class Strategy(Protocol):
    """A strategy, yours included. It decides; `run_visit` refuses, writes, measures and files."""

    @property
    def name(self) -> str:
        """What records call it."""
        ...

    def plan(self, given: StrategyInput, /) -> Decision:
        """Return what to do with the window. Pure: equal inputs give equal decisions."""
        ...


def whole_number(name: str, value: object, *, at_least: int) -> None:
    """Check an option that counts something.

    Raises:
        UsageError: it is not a whole number, or too small; the message says what to write.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
        raise UsageError(f"{name} is {shown(value)}; write a whole number, {at_least} or more")
