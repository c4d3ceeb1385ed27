"""Keep only the head of a large tool result in the window."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from foldproof.errors import UsageError
from foldproof.window import checks
from foldproof.window.originals import Retain
from foldproof.window.strategies.base import WindowStrategy
from foldproof.window.strategy import Clear, Decision, StrategyInput
from foldproof.window.triggers import size_trigger


@dataclass(frozen=True)
class OffloadLarge(WindowStrategy):
    """Replaces a result of more than `threshold_characters` by its head and a *cleared result* behind it.

    * Acts as soon as one result is that large; it needs no usage, and the latest result may be it.
    * The head is the tool's own words, cut where no word is cut, and grounds what it says: the library's words stand
      behind its `toolChars`. What is not in the head grounds nothing any more.
    * The call stays, and so do the result's place and id: no pair is ever split, and no turn leaves.
    * What is left of a result is strictly smaller than it was, in tokens and in characters.
    * A result of a turn that somebody holds stays, and so do those of the tools in `exclude`. The `last-tool-result`
      pin is off unless asked for: a head and a reference are what this strategy keeps of the latest result.

    Attributes:
        threshold_characters: the code points a result may have.
        head_characters: how many of them stay of one that has more.
        keep: how many of the last results stay whole, however large.
        exclude: names of tools whose results stay.
        retain: where the originals go: into `Visit.spans`, one a result (`conversation`), into the archive that the
            visit is given (`archive`), their values into `Visit.spans` (`lineage`), or nowhere (`discard`).

    Raises:
        UsageError: an option that makes no sense, such as a head as large as what is to be offloaded.
    """

    threshold_characters: int = 20_000
    head_characters: int = 2_000
    _: KW_ONLY
    keep: int = 0
    exclude: Collection[str] = ()
    keep_last_tool_results: int = 0
    retain: Retain = "conversation"
    name: ClassVar[str] = "offload-large"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("threshold_characters", self.threshold_characters, at_least=1)
        checks.whole_number("head_characters", self.head_characters, at_least=0)
        checks.whole_number("keep", self.keep, at_least=0)
        checks.names("exclude", self.exclude)
        object.__setattr__(self, "exclude", tuple(self.exclude))  # the list is the caller's, and may change
        checks.retain(self.retain)
        if self.head_characters >= self.threshold_characters:
            raise UsageError(
                f"head_characters is {self.head_characters} and threshold_characters {self.threshold_characters}; "
                "keep a head that is smaller than what is offloaded"
            )

    def plan(self, given: StrategyInput, /) -> Decision:
        """Offload every result that is too large."""
        return self._decide_clearing(
            given,
            size_trigger(given, threshold=self.threshold_characters),
            keep=self.keep,
            wanted=given.plan_clearing.results(exclude=self.exclude, longer_than=self.threshold_characters),
            how=Clear(retain=self.retain, head_characters=self.head_characters, cut_every=self.cut_every),
        )
