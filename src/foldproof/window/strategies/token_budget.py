"""Drop the oldest turns once the window costs too many tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from foldproof.window import checks
from foldproof.window.strategies.base import WindowStrategy
from foldproof.window.strategy import Decision, StrategyInput
from foldproof.window.triggers import token_trigger


@dataclass(frozen=True)
class TokenBudget(WindowStrategy):
    """Drops the oldest run of turns that may leave once the window exceeds `threshold_tokens`.

    * Acts on reported usage (`measured`), else on a tokenizer's count; the record says which.
    * Before the first call of a run (iteration 0) nothing was counted yet, and nothing happens.
    * At or under the threshold the very same messages come back.
    * What left is named by a drop notice that carries its lineage; notices do not pile up.
    * The request, the system messages, the recent turns, waiting calls and pinned results stay.

    Raises:
        UsageError: an option that makes no sense.
    """

    threshold_tokens: int
    keep_recent_turns: int = 6
    name: ClassVar[str] = "token-budget"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("threshold_tokens", self.threshold_tokens, at_least=0)
        checks.whole_number("keep_recent_turns", self.keep_recent_turns, at_least=1)

    def plan(self, given: StrategyInput, /) -> Decision:
        """Drop what may leave when the window is over its budget."""
        trigger = token_trigger(given, threshold=self.threshold_tokens, counter=self.message_counter)
        return self._decide(given, trigger, keep_recent_turns=self.keep_recent_turns)
