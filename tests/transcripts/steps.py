"""How much work reading takes, counted and not timed: the lines of Python that run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

_ROOM = 2.6
"""How many times the work twice the input may take: 2 when it is linear, 4 when it is quadratic."""


def steps_of(work: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs, each turn of a loop counted."""
    count = 0

    def traced(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ANN401, ARG001 - what sys.settrace gives
        nonlocal count
        count += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def grows_in_step(work: Callable[[int], object], size: int = 150) -> bool:
    """Whether twice the input takes about twice the work; `work` does it for an input of a size."""
    return steps_of(lambda: work(2 * size)) < _ROOM * steps_of(lambda: work(size))
