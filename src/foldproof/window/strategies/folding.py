"""What the strategies that fold share: when they act, what they keep, and who summarises."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from foldproof.evidence.gate import Posture
from foldproof.window import checks
from foldproof.window.faithful import Fallback
from foldproof.window.originals import Retain
from foldproof.window.strategies.base import WindowStrategy, named_summarizer
from foldproof.window.strategy import CARRY, Decision, Fold, StrategyInput
from foldproof.window.summaries import Summarizer
from foldproof.window.triggers import token_trigger


@dataclass(frozen=True)
class FoldingStrategy(WindowStrategy):
    """Folds the oldest run of turns that may leave once the window exceeds `threshold_tokens`.

    Attributes:
        threshold_tokens: the tokens up to which nothing happens.
        keep_recent_turns: how many of the last turns stay as they are.
        summarizer: writes the summary; None is the extractive summarizer, which needs no model.
        model: the summarizer's name in the frame and the records; needed for a callable without a `name`.
        retain: where the originals go: into `Visit.folded` (`conversation`), into the archive that the visit is given
            (`archive`), their values into `Visit.folded` (`lineage`), or nowhere (`discard`).
        posture: what happens to a summary that states a value, or quotes the person, and nothing that it replaces does.
            `assist` records it; `guard` asks once more, naming them, and records what is left; `rails` asks once more
            and then refuses.
        fallback: what takes the place of a summary that `rails` refuses: the `extractive` one, or `none`.
        carry: at most how many values of tools, which the open work refers to, the frame carries as data.

    Raises:
        UsageError: an option that makes no sense, or a summarizer without a name.
    """

    threshold_tokens: int
    keep_recent_turns: int = 6
    _: KW_ONLY
    summarizer: Summarizer | None = None
    model: str | None = None
    retain: Retain = "conversation"
    posture: Posture = "guard"
    fallback: Fallback = "extractive"
    carry: int = CARRY

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("threshold_tokens", self.threshold_tokens, at_least=0)
        checks.whole_number("keep_recent_turns", self.keep_recent_turns, at_least=1)
        checks.retain(self.retain)
        checks.posture(self.posture)
        checks.fallback(self.fallback)
        checks.whole_number("carry", self.carry, at_least=0)
        _ = self._fold  # a summarizer without a name is refused here, not at the first fold

    def plan(self, given: StrategyInput, /) -> Decision:
        """Fold what may leave when the window is over its budget."""
        trigger = token_trigger(given, threshold=self.threshold_tokens, counter=self.message_counter)
        return self._decide(given, trigger, keep_recent_turns=self.keep_recent_turns, how=self._fold)

    @cached_property
    def _fold(self) -> Fold:
        return self._folding()

    def _folding(self) -> Fold:
        """Return how it folds; a subclass adds what it adds."""
        summarizer, model = named_summarizer(self.summarizer, self.model)
        return Fold(
            summarizer=summarizer,
            model=model,
            retain=self.retain,
            posture=self.posture,
            fallback=self.fallback,
            carry=self.carry,
        )
