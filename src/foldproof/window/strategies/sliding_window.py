"""Drop what is older than the last turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from foldproof.window import checks
from foldproof.window.strategies.base import WindowStrategy
from foldproof.window.strategy import Decision, StrategyInput
from foldproof.window.triggers import turn_trigger


@dataclass(frozen=True)
class SlidingWindow(WindowStrategy):
    """Keeps the last `keep_recent_turns` turns and drops the oldest run of turns that may leave.

    * Acts when there are more turns than it keeps, system messages not counted; it needs no usage.
    * What left is named by a drop notice, as full as is still smaller than what left; notices do not pile up.
    * The lineage of what left rides on the notice; without lineage and without need, a notice is not written at all.
    * The request, the system messages, waiting calls and pinned results stay, whatever their age.
    * A call and its result leave together or not at all.

    Raises:
        UsageError: an option that makes no sense.
    """

    keep_recent_turns: int = 6
    name: ClassVar[str] = "sliding-window"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole_number("keep_recent_turns", self.keep_recent_turns, at_least=1)

    def plan(self, given: StrategyInput, /) -> Decision:
        """Drop what may leave when there are more turns than are kept."""
        trigger = turn_trigger(given, threshold=self.keep_recent_turns)
        return self._decide(given, trigger, keep_recent_turns=self.keep_recent_turns)
