"""Fold the oldest turns into a summary frame once the window costs too many tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from foldproof.window.strategies.folding import FoldingStrategy


@dataclass(frozen=True)
class SummarizeOldest(FoldingStrategy):
    """Folds the oldest run of turns that may leave once the window exceeds `threshold_tokens`.

    * Acts on reported usage (`measured`), else on a tokenizer's count; the record says which.
    * Before the first call of a run (iteration 0) nothing was counted yet, and nothing happens.
    * The frame says that the summary is a claim, who made it, and truthfully where the originals are.
    * Exempt before is exempt after: the frame carries the lineage of what it folded, earlier frames included.
    * What a summary states or quotes and nobody had said is on the record, and never grounds or exempts anything.
    * A summarizer that fails folds nothing and is asked again; one whose text is not smaller is not asked again for
      that span, as long as the state is handed on.
    * A span that is one existing frame and nothing new is not folded again.
    * The request, the system messages, the recent turns, waiting calls and pinned results stay.

    Attributes:
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

    name: ClassVar[str] = "summarize-oldest"
