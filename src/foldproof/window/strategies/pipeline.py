"""Several strategies, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

from foldproof.errors import UsageError, shown
from foldproof.window import checks
from foldproof.window.counting import MessageCounter
from foldproof.window.strategies.base import Counter, VisitableStrategy, message_counter
from foldproof.window.strategy import InStages, Strategy, StrategyInput


@dataclass(frozen=True)
class Pipeline(VisitableStrategy):
    """Gives each stage its say over the window that the last one left. Put the cheapest first.

    * A stage acts by its own trigger, so those behind the one that reached the budget are idle.
    * Reported usage is lessened by what a stage saved, as `counter` counts it; where nothing counts, the first stage
      that changed the window is the last.
    * Every law of a stage holds for the whole, but what leaves may stand at several seams. A turn that a stage refused
      to one way of leaving may leave another way.
    * One visit, one record; the stages' own records are in it.

    Attributes:
        stages: strategies, yours and other pipelines included.
        counter: counts what a stage saved; see `WindowStrategy.counter`.

    Raises:
        UsageError: no stage, or something that is no strategy, or a counter that cannot count.
    """

    stages: Sequence[Strategy]
    _: KW_ONLY
    counter: Counter = None
    name: ClassVar[str] = "pipeline"

    def __post_init__(self) -> None:
        if not _is_list(self.stages):
            raise UsageError(f"stages is {shown(self.stages)}; pass a list of strategies, the cheapest first")
        for stage in self.stages:
            checks.strategy(stage)
        object.__setattr__(self, "stages", tuple(self.stages))  # the list is the caller's, and may change
        _ = self.message_counter

    def plan(self, given: StrategyInput, /) -> InStages:  # noqa: ARG002 - every stage asks for itself
        """Let every stage decide."""
        return InStages(stages=self.stages, counter=self.message_counter)

    @cached_property
    def message_counter(self) -> MessageCounter | None:
        """What counts messages, or None when nothing may."""
        return message_counter(self.counter)


def _is_list(stages: object) -> bool:
    return isinstance(stages, list | tuple) and bool(stages)
