"""What the strategies of this library share: how they are visited, their pins, their counter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Unpack

from foldproof.errors import UsageError, shown
from foldproof.messages import Message
from foldproof.tokens import TokenCounter, default_counter
from foldproof.window import checks
from foldproof.window.counting import MessageCounter
from foldproof.window.engine import arun_visit, run_visit
from foldproof.window.extractive import ExtractiveSummarizer
from foldproof.window.strategy import (
    Clear,
    Decision,
    Drop,
    Fold,
    InStages,
    StrategyInput,
    Trigger,
    VisitOptions,
)
from foldproof.window.summaries import Summarizer
from foldproof.window.visit import Visit

Counter = TokenCounter | MessageCounter | Literal["reported-only"] | None
"""What counts tokens: a tokenizer; one with prices of your own; nothing but reported usage; None is ours."""


@dataclass(frozen=True, kw_only=True)
class VisitableStrategy(ABC):
    """Subclass it, give `name` and `plan`, and the strategy can be visited."""

    name: ClassVar[str]

    @abstractmethod
    def plan(self, given: StrategyInput, /) -> Decision | InStages:
        """Return what to do with the window."""

    def visit(self, messages: Sequence[Message], **options: Unpack[VisitOptions]) -> Visit:
        """Visit a window at an iteration boundary; the options are the fields of `StrategyInput`.

        Raises:
            UsageError: an option that makes no sense, or an asynchronous summarizer.
            CompactionUnmeasurableError: tokens are to be measured and nothing can.
        """
        return run_visit(self, messages, **options)

    async def avisit(self, messages: Sequence[Message], **options: Unpack[VisitOptions]) -> Visit:
        """Visit a window as `visit` does, awaiting a summarizer that is asynchronous."""
        return await arun_visit(self, messages, **options)


@dataclass(frozen=True, kw_only=True)
class WindowStrategy(VisitableStrategy):
    """What a strategy keeps, and who counts.

    Attributes:
        keep_last_tool_results: how many turns the `last-tool-result` pin may hold; 0 turns it off.
        keep_ledger_facts: how many turns the `ledger-fact` pin may hold; 0 turns it off.
        cut_every: what leaves does so in whole multiples of this many turns (or results, where results are cleared),
            so that the window ahead of the cut stays byte-identical in between and a prompt cache stays warm.
        counter: counts tokens; None is the library's own counter. A `MessageCounter` brings prices of its own for what
            is not text. With `"reported-only"` nothing is counted: a token trigger needs `measured`, and replacements
            are proven smaller in characters only.

    Raises:
        UsageError: a count that is not a whole number, or too small, or a counter that cannot count.
    """

    keep_last_tool_results: int = 2
    keep_ledger_facts: int = 4
    cut_every: int = 1
    counter: Counter = None

    def __post_init__(self) -> None:
        checks.whole_number("keep_last_tool_results", self.keep_last_tool_results, at_least=0)
        checks.whole_number("keep_ledger_facts", self.keep_ledger_facts, at_least=0)
        checks.whole_number("cut_every", self.cut_every, at_least=1)
        _ = self.message_counter  # a counter that cannot count is refused here, not at the first visit

    @cached_property
    def message_counter(self) -> MessageCounter | None:
        """What counts messages, or None when nothing may."""
        return message_counter(self.counter)

    def _decide(
        self,
        given: StrategyInput,
        trigger: Trigger,
        *,
        keep_recent_turns: int,
        how: Drop | Fold = Drop(),  # noqa: B008 - frozen, and has no fields
    ) -> Decision:
        """Return the decision to remove all that may leave when the trigger is over or forced, else to do nothing."""
        if not (trigger.over or given.forced):
            return Decision(trigger=trigger)
        removal = given.plan_removal(
            keep_recent_turns=keep_recent_turns,
            keep_last_tool_results=self.keep_last_tool_results,
            keep_ledger_facts=self.keep_ledger_facts,
            cut_every=self.cut_every,
        )
        return Decision(trigger=trigger, removal=removal, how=how, counter=self.message_counter)

    def _decide_clearing(
        self,
        given: StrategyInput,
        trigger: Trigger,
        *,
        keep: int,
        wanted: Container[int],
        how: Clear,
    ) -> Decision:
        """Return the decision to clear every wanted result that may be, when the trigger is over or forced."""
        if not (trigger.over or given.forced):
            return Decision(trigger=trigger)
        removal = given.plan_clearing(
            keep=keep,
            wanted=wanted,
            keep_last_tool_results=self.keep_last_tool_results,
            keep_ledger_facts=self.keep_ledger_facts,
        )
        return Decision(trigger=trigger, removal=removal, how=how, counter=self.message_counter)


def message_counter(counter: Counter) -> MessageCounter | None:
    """Return what counts messages, or None when nothing may.

    Raises:
        UsageError: it cannot count.
    """
    if isinstance(counter, MessageCounter):
        return counter
    if counter == "reported-only":
        return None
    if counter is None:
        return MessageCounter(default_counter())
    checks.counter(counter)
    return MessageCounter(counter)


def named_summarizer(summarizer: Summarizer | None, model: str | None) -> tuple[Summarizer, str]:
    """Return who summarises and under which name; by default the extractive summarizer.

    Raises:
        UsageError: a summarizer that is no callable or has no name, or a name without a summarizer.
    """
    if summarizer is None:
        if model is not None:
            raise UsageError(f"model={model!r} names who writes the summary; pass its summarizer too, or leave it out")
        return ExtractiveSummarizer(), ExtractiveSummarizer.name
    if not checks.is_object_with("__call__", summarizer):
        raise UsageError(f"summarizer is {shown(summarizer)}; pass a callable (span, request) -> str")
    name = model or getattr(summarizer, "name", None)
    if not isinstance(name, str) or not name.strip():
        raise UsageError("a summarizer needs its model's name for the frame and the record; pass model='...'")
    return summarizer, name
