"""The compactor: asks whether to compact, does it, checks it, applies it, and files what happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Unpack, get_args

from foldproof.compaction.attempt import Attempt, Policy, Target
from foldproof.compaction.context import CompactionContext, TurnOptions
from foldproof.compaction.conversation import LiveConversation
from foldproof.compaction.lifecycle import CompactionListener
from foldproof.compaction.records import CompactionRecord, CompactionTrigger
from foldproof.compaction.settling import Compacted, settled
from foldproof.compaction.state import ConversationState
from foldproof.errors import UsageError, shown
from foldproof.evidence import EvidenceIndex, Gate, GateDecision
from foldproof.messages import Message
from foldproof.window import Archive, Provider, SlidingWindow, Strategy, VisitOptions, arun_visit, run_visit


@dataclass(frozen=True)
class Compactor:
    """Compacts a conversation before or after its turns, and by hand.

    * An automatic trigger asks `should_compact_on_trigger`, and then the strategy, which acts over its own threshold. A
      decline of either is silent. What goes wrong is recorded, and the conversation goes on.
    * By hand (`manual`, `compact`) neither is asked: the strategy acts, and where nothing can leave it raises.
    * A listener hears that it is running, then updates, then one of complete or error. Complete means applied.
    * A result is applied only when it keeps the laws: calls and results in pairs, the request verbatim, the system
      messages, nothing new but frames, a window that opens on a user or system message, exempt before is exempt after;
      and, where `provider` is named, when that wire takes it.
    * What is appended while a summary is awaited is kept, verbatim, behind the new window.

    Attributes:
        strategy: what leaves, and what stands for it.
        triggers: which moments ask automatically.
        should_compact_on_trigger: filters what they ask; None lets everything through.
        gate: what becomes of an answer that states values nobody supplied; for `review`.
        listener: hears what happens.
        archive: keeps originals for a strategy with `retain="archive"`.
        provider: whose wire the window must stay valid for.

    Raises:
        UsageError: something is not what it has to be.
    """

    strategy: Strategy = field(default_factory=SlidingWindow)
    triggers: Sequence[CompactionTrigger] = ("before_turn",)
    _: KW_ONLY
    should_compact_on_trigger: Policy | None = None
    gate: Gate | None = None
    listener: CompactionListener | None = None
    archive: Archive | None = None
    provider: Provider | None = None

    def __post_init__(self) -> None:
        triggers: object = self.triggers
        if isinstance(triggers, str) or not isinstance(triggers, Iterable):
            raise UsageError(f'triggers is {shown(triggers)}; pass a tuple, such as ("before_turn", "after_turn")')
        object.__setattr__(self, "triggers", tuple(triggers))  # the list is the caller's, and may change
        known = get_args(CompactionTrigger)
        for trigger in self.triggers:
            if trigger not in known:
                raise UsageError(f"there is no trigger {shown(trigger)}; expected one of {', '.join(known)}")
        if self.should_compact_on_trigger is not None and not callable(self.should_compact_on_trigger):
            raise UsageError(f"should_compact_on_trigger is {shown(self.should_compact_on_trigger)}; pass a function")
        if self.gate is not None and not isinstance(self.gate, Gate):
            raise UsageError(f"gate is {shown(self.gate)}; pass a Gate")
        if self.listener is not None and not callable(getattr(self.listener, "on_event", None)):
            raise UsageError(f"listener is {shown(self.listener)}; pass an object with on_event(event)")
        # What is wrong with the strategy is said here, and not in the middle of somebody's conversation. One that does
        # not know an empty window is asked about a real one soon, and what it raises then is recorded.
        with suppress(LookupError, ValueError, ArithmeticError):
            run_visit(self.strategy, (), archive=self.archive, provider=self.provider, forced=True)

    def before_turn(
        self, conversation: LiveConversation, *new: Message, **options: Unpack[TurnOptions]
    ) -> CompactionRecord | None:
        """Compact ahead of a turn where it is time to, then append the person's new messages, verbatim.

        Returns what is filed about it; None where nobody wanted to compact.

        Raises:
            UsageError: something that is new is no `Message`.
        """
        _ = ConversationState().appended(new)
        record = self.attempt(conversation, CompactionContext(trigger="before_turn", **options))
        conversation.append(*new)
        return record

    async def abefore_turn(
        self, conversation: LiveConversation, *new: Message, **options: Unpack[TurnOptions]
    ) -> CompactionRecord | None:
        """Do what `before_turn` does, awaiting a summarizer that is asynchronous."""
        _ = ConversationState().appended(new)
        record = await self.aattempt(conversation, CompactionContext(trigger="before_turn", **options))
        conversation.append(*new)
        return record

    def after_turn(self, conversation: LiveConversation, **options: Unpack[TurnOptions]) -> CompactionRecord | None:
        """Compact behind a turn where it is time to, and return what is filed about it, as `before_turn` does."""
        return self.attempt(conversation, CompactionContext(trigger="after_turn", **options))

    async def aafter_turn(
        self, conversation: LiveConversation, **options: Unpack[TurnOptions]
    ) -> CompactionRecord | None:
        """Do what `after_turn` does, awaiting a summarizer that is asynchronous."""
        return await self.aattempt(conversation, CompactionContext(trigger="after_turn", **options))

    def manual(self, conversation: LiveConversation, **options: Unpack[TurnOptions]) -> CompactionRecord | None:
        """Compact now, whatever policy and thresholds say, and return what is filed about it.

        Raises:
            CompactionError: it was not done: nothing may leave, the summarizer failed, the result is not valid, it was
                called off, or another compaction was applied first. The conversation's records have it too.
            UsageError: an option makes no sense, or the summarizer is asynchronous.
        """
        return self.attempt(conversation, CompactionContext(trigger="manual", **options))

    async def amanual(self, conversation: LiveConversation, **options: Unpack[TurnOptions]) -> CompactionRecord | None:
        """Do what `manual` does, awaiting a summarizer that is asynchronous."""
        return await self.aattempt(conversation, CompactionContext(trigger="manual", **options))

    def attempt(self, target: Target, context: CompactionContext) -> CompactionRecord | None:
        """Run one compaction through its whole life, over a conversation or whatever a host has in its place."""
        with Attempt(self, target, context) as attempt:
            if attempt.wanted():
                attempt.settle(run_visit(self.strategy, attempt.messages, **attempt.options))
        return attempt.record

    async def aattempt(self, target: Target, context: CompactionContext) -> CompactionRecord | None:
        """Do what `attempt` does, awaiting a summarizer that is asynchronous."""
        with Attempt(self, target, context) as attempt:
            if attempt.wanted():
                attempt.settle(await arun_visit(self.strategy, attempt.messages, **attempt.options))
        return attempt.record

    def compact(
        self, given: ConversationState | Sequence[Message], context: CompactionContext | None = None
    ) -> Compacted:
        """Return the compacted window of a state, or of messages. It never declines, applies nothing and tells nobody.

        Raises:
            CompactionError: nothing may leave, or the result is not valid.
            UsageError: as for `manual`.
        """
        state, context = _state(given), context or CompactionContext()
        visit = run_visit(self.strategy, state.messages, **self._forced(state, context))
        return settled(state.messages, visit, context, self.provider)

    async def acompact(
        self, given: ConversationState | Sequence[Message], context: CompactionContext | None = None
    ) -> Compacted:
        """Do what `compact` does, awaiting a summarizer that is asynchronous."""
        state, context = _state(given), context or CompactionContext()
        visit = await arun_visit(self.strategy, state.messages, **self._forced(state, context))
        return settled(state.messages, visit, context, self.provider)

    def review(self, ledger: Sequence[Message], answer: str, *, revision: int = 0) -> GateDecision:
        """Return what becomes of an answer: the gate's decision over all that was read ahead of it.

        Args:
            ledger: everything known ahead of the answer, as `ConversationState.ledger` has it.
            answer: the answer's text.
            revision: how many revisions were asked for before.

        Raises:
            UsageError: the compactor has no gate.
        """
        if self.gate is None:
            raise UsageError('the compactor has no gate; give it one: Compactor(..., gate=Gate(posture="guard"))')
        return self.gate.review(answer, EvidenceIndex(ledger), revision=revision)

    def _forced(self, state: ConversationState, context: CompactionContext) -> VisitOptions:
        options = context.visit_options(state)
        return options | VisitOptions(archive=self.archive, provider=self.provider, forced=True)


def _state(given: ConversationState | Sequence[Message]) -> ConversationState:
    return given if isinstance(given, ConversationState) else ConversationState().appended(given)
