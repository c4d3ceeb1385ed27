"""Fold the oldest turns into a summary and an appendix of what the person said last, both stamped."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

from foldproof.errors import UsageError
from foldproof.window import checks
from foldproof.window.records import Retain
from foldproof.window.strategies.base import WindowStrategy, named_summarizer
from foldproof.window.strategy import Decision, Fold, StrategyInput
from foldproof.window.summaries import Summarizer
from foldproof.window.triggers import token_trigger


@dataclass(frozen=True)
class PromptCompactor(WindowStrategy):
    """Folds as `SummarizeOldest` does, and quotes the person's latest messages of the span in an appendix beside it.

    * Acts on reported usage (`measured`), else on a tokenizer's count; the record says which.
    * The appendix holds at most `quoted_messages`, whole, in order, the oldest left out first, and takes at most half
      of `target_tokens`; together the two frames are within it, and strictly smaller than what they replace.
    * Both frames carry one stamp (`metadata.axleCompaction`), by which they are known; a quote is never quoted again.
    * Exempt before is exempt after: the summary frame carries the lineage of what it folded, the quotes grant nothing.
    * A summarizer that fails or says nothing folds nothing and is asked again; one whose text is too long is not asked
      again for that span, as long as the state is handed on.
    * The request, the system messages, the recent turns, waiting calls and pinned results stay.

    The rules for the appendix and the stamp are those of Axle's prompt compactor.

    Attributes:
        target_tokens: the most that summary and appendix may cost, or None for whatever is smaller than the span.
        quoted_messages: how many of the person's messages are quoted at most; 0 writes no appendix.
        summarizer: writes the summary; None is the extractive summarizer, which needs no model.
        model: the summarizer's name in the frame and the records; needed for a callable without a `name`.
        retain: `conversation` keeps the originals in `Visit.folded`, `discard` does not.

    Raises:
        UsageError: an option that makes no sense, or a summarizer without a name.
    """

    threshold_tokens: int
    keep_recent_turns: int = 6
    _: KW_ONLY
    target_tokens: int | None = None
    quoted_messages: int = 10
    summarizer: Summarizer | None = None
    model: str | None = None
    retain: Retain = "conversation"
    name: ClassVar[str] = "prompt-compactor"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("threshold_tokens", self.threshold_tokens, at_least=0)
        checks.whole_number("keep_recent_turns", self.keep_recent_turns, at_least=1)
        checks.whole_number("quoted_messages", self.quoted_messages, at_least=0)
        if self.target_tokens is not None:
            checks.whole_number("target_tokens", self.target_tokens, at_least=1)
            if self.message_counter is None:
                raise UsageError('target_tokens needs something that counts; leave out counter="reported-only"')
        checks.retain(self.retain)
        _ = self._fold  # a summarizer without a name is refused here, not at the first fold

    def plan(self, given: StrategyInput, /) -> Decision:
        """Fold what may leave when the window is over its budget."""
        trigger = token_trigger(given, threshold=self.threshold_tokens, counter=self.message_counter)
        return self._decide(given, trigger, keep_recent_turns=self.keep_recent_turns, how=self._fold)

    @cached_property
    def _fold(self) -> Fold:
        summarizer, model = named_summarizer(self.summarizer, self.model)
        return Fold(
            summarizer=summarizer,
            model=model,
            retain=self.retain,
            target_tokens=self.target_tokens,
            quoted_messages=self.quoted_messages,
            stamped=True,
        )
