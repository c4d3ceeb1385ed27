"""Fold the oldest turns into a summary and an appendix of what the person said last, both stamped."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

from foldproof.errors import UsageError
from foldproof.window import checks
from foldproof.window.strategies.folding import FoldingStrategy
from foldproof.window.strategy import Fold


@dataclass(frozen=True)
class PromptCompactor(FoldingStrategy):
    """Folds as `SummarizeOldest` does, and quotes the person's latest messages of the span in an appendix beside it.

    * Acts on reported usage (`measured`), else on a tokenizer's count; the record says which.
    * The appendix holds at most `quoted_messages`, whole, in order, the oldest left out first, and takes at most half
      of `target_tokens`; together the two frames are within it, and strictly smaller than what they replace.
    * Both frames carry one stamp (`metadata.axleCompaction`), by which they are known; a quote is never quoted again.
    * Exempt before is exempt after: the summary frame carries the lineage of what it folded, the quotes grant nothing.
    * What a summary states or quotes and nobody had said is on the record, and never grounds or exempts anything.
    * A summarizer that fails or says nothing folds nothing and is asked again; one whose text is too long is not asked
      again for that span, as long as the state is handed on.
    * The request, the system messages, the recent turns, waiting calls and pinned results stay.

    The rules for the appendix and the stamp are those of Axle's prompt compactor.

    Attributes:
        target_tokens: the most that summary and appendix may cost, or None for whatever is smaller than the span.
        quoted_messages: how many of the person's messages are quoted at most; 0 writes no appendix.
        summarizer: writes the summary; None is the extractive summarizer, which needs no model.
        model: the summarizer's name in the frame and the records; needed for a callable without a `name`.
        retain: where the originals go: into `Visit.folded` (`conversation`), into the archive that the visit is given
            (`archive`), their values into `Visit.folded` (`lineage`), or nowhere (`discard`).
        posture: what happens to a summary that states what nothing it replaces says: `assist` records it; `guard` asks
            once more, naming it, and records what is left; `rails` asks once more and then refuses.
        fallback: what takes the place of a summary that `rails` refuses: the `extractive` one, or `none`.
        carry: at most how many values of tools, which the open work refers to, the frame carries as data.

    Raises:
        UsageError: an option that makes no sense, or a summarizer without a name.
    """

    _: KW_ONLY
    target_tokens: int | None = None
    quoted_messages: int = 10
    name: ClassVar[str] = "prompt-compactor"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("quoted_messages", self.quoted_messages, at_least=0)
        if self.target_tokens is not None:
            checks.whole_number("target_tokens", self.target_tokens, at_least=1)
            if self.message_counter is None:
                raise UsageError('target_tokens needs something that counts; leave out counter="reported-only"')

    def _folding(self) -> Fold:
        return replace(
            super()._folding(), target_tokens=self.target_tokens, quoted_messages=self.quoted_messages, stamped=True
        )
