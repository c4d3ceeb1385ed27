"""What the strategies of this library share: their pins, their counter, and how they are visited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Unpack

from foldproof.errors import UsageError, shown
from foldproof.messages import Message
from foldproof.tokens import TokenCounter, default_counter
from foldproof.window.counting import MessageCounter
from foldproof.window.engine import arun_visit, run_visit
from foldproof.window.strategy import Decision, Fold, StrategyInput, Trigger, VisitOptions, whole_number
from foldproof.window.visit import Visit


@dataclass(frozen=True, kw_only=True)
class WindowStrategy(ABC):
    """Subclass it, give `name` and `plan`, and the strategy can be visited.

    Attributes:
        keep_last_tool_results: how many turns the `last-tool-result` pin may hold; 0 turns it off.
        keep_ledger_facts: how many turns the `ledger-fact` pin may hold; 0 turns it off.
        counter: counts tokens; None is the library's own counter. With `"reported-only"` nothing is counted: a token
            trigger needs `measured`, and replacements are proven smaller in characters only.

    Raises:
        UsageError: a count that is not a whole number, or too small, or a counter that cannot count.
    """

    name: ClassVar[str]
    keep_last_tool_results: int = 2
    keep_ledger_facts: int = 4
    counter: TokenCounter | Literal["reported-only"] | None = None

    def __post_init__(self) -> None:
        whole_number("keep_last_tool_results", self.keep_last_tool_results, at_least=0)
        whole_number("keep_ledger_facts", self.keep_ledger_facts, at_least=0)
        if not (self.counter is None or self.counter == "reported-only" or isinstance(self.counter, TokenCounter)):
            raise UsageError(
                f"counter is {shown(self.counter)}; pass an object with name and count(text), None for ours, "
                'or "reported-only" to count nothing'
            )

    @cached_property
    def message_counter(self) -> MessageCounter | None:
        """What counts messages, or None when nothing may."""
        if isinstance(self.counter, str):
            return None
        return MessageCounter(self.counter or default_counter())

    @abstractmethod
    def plan(self, given: StrategyInput, /) -> Decision:
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

    def _decide(
        self, given: StrategyInput, trigger: Trigger, *, keep_recent_turns: int, fold: Fold | None = None
    ) -> Decision:
        """Return the decision to remove all that may leave when the trigger is over, else to do nothing."""
        if not trigger.over:
            return Decision(trigger=trigger)
        removal = given.plan_removal(
            keep_recent_turns=keep_recent_turns,
            keep_last_tool_results=self.keep_last_tool_results,
            keep_ledger_facts=self.keep_ledger_facts,
        )
        return Decision(trigger=trigger, removal=removal, fold=fold, counter=self.message_counter)
