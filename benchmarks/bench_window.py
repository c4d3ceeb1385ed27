"""How long a visit takes, on windows whose messages have 400 characters: a person, a call, its result, an answer.

`pytest benchmarks/bench_window.py --benchmark-enable`. Warm: the same messages were visited before.
"""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.conversation import window

from foldproof.window import ClearToolResults, SlidingWindow, SummarizeOldest, TokenBudget, WindowStrategy

SIZES = [1_000, 10_000, 100_000]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "strategy",
    [SlidingWindow(), TokenBudget(1_000), SummarizeOldest(1_000), ClearToolResults(1_000)],
    ids=lambda strategy: strategy.name,
)
def bench_warm_visit(benchmark: Any, strategy: WindowStrategy, size: int) -> None:  # noqa: ANN401 - it has no public type
    messages = window(size)
    assert strategy.visit(messages).changed
    benchmark.pedantic(strategy.visit, args=(messages,), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("size", SIZES)
def bench_idle_visit(benchmark: Any, size: int) -> None:  # noqa: ANN401 - as above
    messages = window(size)
    visit = benchmark(TokenBudget(10**9).visit, messages)
    assert visit.messages is messages
