"""Clear the oldest tool results once the window costs too many tokens."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from foldproof.errors import UsageError
from foldproof.window import checks
from foldproof.window.originals import Retain
from foldproof.window.strategies.base import WindowStrategy
from foldproof.window.strategy import Clear, Decision, StrategyInput
from foldproof.window.triggers import token_trigger


@dataclass(frozen=True)
class ClearToolResults(WindowStrategy):
    """Replaces every result but the last `keep` by a short *cleared result*, once the window exceeds the threshold.

    * Acts on reported usage (`measured`), else on a tokenizer's count; the record says which.
    * The call stays, and so do the result's place and id: no pair is ever split, and no turn leaves.
    * A cleared result names the tool, how much it said, and how to get it back; it is strictly smaller, in tokens and
      in characters, and grounds nothing.
    * A result of a turn that somebody holds (a waiting call, a pin) stays, and so do those of the tools in `exclude`.
    * Clears nothing at all where everything together would save less than `min_gain_tokens`.
    * What the person and the app said is not touched, so the lineage stays what it was.

    Attributes:
        keep: how many of the last results stay.
        exclude: names of tools whose results stay.
        min_gain_tokens: what a visit must save, so that a prompt cache is not broken for little.
        retain: where the originals go: into `Visit.spans`, one a result (`conversation`), into the archive that the
            visit is given (`archive`), their values into `Visit.spans` (`lineage`), or nowhere (`discard`).

    Raises:
        UsageError: an option that makes no sense, or a gain in tokens where nothing counts them.
    """

    threshold_tokens: int
    keep: int = 3
    exclude: Collection[str] = ()
    _: KW_ONLY
    min_gain_tokens: int = 0
    retain: Retain = "conversation"
    name: ClassVar[str] = "clear-tool-results"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("threshold_tokens", self.threshold_tokens, at_least=0)
        checks.whole_number("keep", self.keep, at_least=0)
        checks.whole_number("min_gain_tokens", self.min_gain_tokens, at_least=0)
        checks.names("exclude", self.exclude)
        object.__setattr__(self, "exclude", tuple(self.exclude))  # the list is the caller's, and may change
        checks.retain(self.retain)
        if self.min_gain_tokens and self.message_counter is None:
            raise UsageError('min_gain_tokens needs something that counts; leave out counter="reported-only"')

    def plan(self, given: StrategyInput, /) -> Decision:
        """Clear what may be cleared when the window is over its budget."""
        return self._decide_clearing(
            given,
            token_trigger(given, threshold=self.threshold_tokens, counter=self.message_counter),
            keep=self.keep,
            wanted=given.plan_clearing.results(exclude=self.exclude),
            how=Clear(retain=self.retain, min_gain_tokens=self.min_gain_tokens, cut_every=self.cut_every),
        )
