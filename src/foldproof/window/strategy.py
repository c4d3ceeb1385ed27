"""What a strategy is: a name, and a decision about what it is given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol, TypedDict

from pydantic import JsonValue

from foldproof.errors import UsageError, shown
from foldproof.evidence.gate import Posture
from foldproof.messages import Message, check_message
from foldproof.window import checks
from foldproof.window.clearing import PlanClearing
from foldproof.window.counting import MessageCounter
from foldproof.window.events import Listener
from foldproof.window.faithful import Fallback
from foldproof.window.guards import Guards
from foldproof.window.originals import Archive, Retain
from foldproof.window.pins import PATIENCE, PIN_NAMES, Standing
from foldproof.window.plan import PlanRemoval, RemovalPlan
from foldproof.window.providers import WIRE_RULES, Provider
from foldproof.window.records import TriggerKind, WindowState
from foldproof.window.summaries import Summarizer

CARRY: Final = 12
"""How many values of tools a summary frame carries, where nobody says otherwise."""


class VisitOptions(TypedDict, total=False):
    """The options of a visit; see `StrategyInput` for what each means."""

    iteration: int
    measured: int | None
    request: str | None
    paused: Collection[str]
    pending_check_ins: Collection[str]
    standings: Mapping[str, Standing] | None
    state: WindowState | None
    tools: Sequence[JsonValue]
    provider: Provider | None
    listener: Listener | None
    archive: Archive | None
    forced: bool


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
        tools: the schemas of the tools that go with the window; they are counted with it.
        provider: whose wire the window must stay valid for. None keeps what was valid for any provider that takes a
            user message anywhere; see `foldproof.window.providers`.
        listener: hears what happens at the visit.
        archive: keeps originals for a strategy with `retain="archive"`. Whatever a strategy retains, what the archive
            hides (`redact`) is in no frame, no summary and no span of this visit.
        forced: somebody asked for it by hand: the strategy acts below its threshold too. What may not leave stays.

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
    tools: Sequence[JsonValue] = ()
    provider: Provider | None = None
    listener: Listener | None = None
    archive: Archive | None = None
    forced: bool = False

    def __post_init__(self) -> None:
        checks.whole_number("iteration", self.iteration, at_least=0)
        if self.measured is not None:
            checks.whole_number("measured", self.measured, at_least=0)
        checks.names("paused", self.paused, of="ids")
        checks.names("pending_check_ins", self.pending_check_ins, of="ids")
        if self.standings is not None:
            checks.standings(self.standings)
        checks.schemas(self.tools)
        self._check_objects()
        if not isinstance(self.messages, Sequence):
            raise UsageError(f"messages is {shown(self.messages)}; pass a list or a tuple of messages")
        # The host may go on with its list while a summary is awaited; the visit is about the window as it began.
        object.__setattr__(self, "messages", tuple(self.messages))
        if not {Message}.issuperset(map(type, self.messages)):
            for index, entry in enumerate(self.messages):
                check_message(entry, index)

    def _check_objects(self) -> None:
        if self.request is not None and not isinstance(self.request, str):
            raise UsageError(f"request is {shown(self.request)}; pass the text the run was started with, or None")
        if self.state is not None and not isinstance(self.state, WindowState):
            raise UsageError(f"state is {shown(self.state)}; pass the state of the previous visit, or None")
        if self.provider is not None and self.provider not in tuple(WIRE_RULES):
            raise UsageError(f"provider is {shown(self.provider)}; write one of {', '.join(WIRE_RULES)}, or None")
        if not isinstance(self.forced, bool):
            raise UsageError(f"forced is {shown(self.forced)}; write True or False")
        if self.archive is not None:
            checks.archive(self.archive)
        if self.listener is not None and not checks.is_object_with("on_event", self.listener):
            raise UsageError(f"listener is {shown(self.listener)}; pass an object with on_event(event)")

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
    def plan_clearing(self) -> PlanClearing:
        """Which results may be cleared: call it with the counts the strategy keeps."""
        return PlanClearing(self.plan_removal.guards)

    @property
    def conversation_turns(self) -> int:
        """How many turns the window has, system messages not counted."""
        return self.plan_removal.guards.conversation_turns


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """Whether a strategy acts, and what that rests on; see `WindowRecord` for the words.

    `counted` is what the decision's own counter counted over the messages, without the tool schemas.
    """

    kind: TriggerKind
    measured_by: str
    measured: int | None
    threshold: int
    counted: int | None = None

    @property
    def over(self) -> bool:
        """Whether what was measured exceeds the threshold."""
        return self.measured is not None and self.measured > self.threshold


@dataclass(frozen=True, kw_only=True)
class Drop:
    """That what leaves is dropped, with a notice."""


@dataclass(frozen=True, kw_only=True)
class Fold:
    """That what leaves is summarised.

    Attributes:
        summarizer: who writes the summary.
        model: the name under which it is filed.
        retain: what happens to the originals.
        target_tokens: the most that the frames may cost, or None for whatever is smaller than the span.
        quoted_messages: of the latest messages of the person in the span, how many are quoted in an appendix.
        stamped: whether the frames carry a compactor's stamp.
        posture: what happens to a summary that states what nobody said.
        fallback: what takes the place of one that `rails` refuses.
        carry: at most how many values of tools the frame carries.
    """

    summarizer: Summarizer
    model: str
    retain: Retain = "conversation"
    posture: Posture = "guard"
    fallback: Fallback = "extractive"
    carry: int = CARRY
    target_tokens: int | None = None
    quoted_messages: int = 0
    stamped: bool = False


@dataclass(frozen=True, kw_only=True)
class Clear:
    """That each result which leaves is replaced in its place, so that its call keeps an answer.

    Attributes:
        retain: what happens to the originals.
        head_characters: how much of the tool's own words stays ahead of the library's.
        min_gain_tokens: what the visit must save in all, else nothing is cleared.
        cut_every: results are cleared in whole multiples of it, the oldest first.
    """

    retain: Retain = "conversation"
    head_characters: int = 0
    min_gain_tokens: int = 0
    cut_every: int = 1


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a strategy decided.

    Attributes:
        trigger: why.
        removal: what may leave, from `plan_removal` or `plan_clearing`; None when the strategy does not act.
        how: what becomes of it.
        counter: counts tokens, so that the replacement is proven smaller in tokens too; None where nothing counts.
    """

    trigger: Trigger
    removal: RemovalPlan | None = None
    how: Drop | Fold | Clear = field(default_factory=Drop)
    counter: MessageCounter | None = None


@dataclass(frozen=True, kw_only=True)
class InStages:
    """Decided: these strategies have their say one after the other, each over the window that the last one left.

    Attributes:
        stages: the strategies, in order.
        counter: counts what a stage saved, where usage was reported: the next stage acts on what is left of it. Where
            nothing counts, the first stage that changed the window is the last.
    """

    stages: Sequence[Strategy]
    counter: MessageCounter | None = None


class Strategy(Protocol):
    """A strategy, yours included. It decides; `run_visit` refuses, writes, measures and files."""

    @property
    def name(self) -> str:
        """What records call it."""
        ...

    def plan(self, given: StrategyInput, /) -> Decision | InStages:
        """Return what to do with the window. Pure: equal inputs give equal decisions."""
        ...
