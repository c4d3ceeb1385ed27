"""How long a visit takes, on windows whose messages have 400 characters: a person, a call, its result, an answer.

`pytest benchmarks/bench_window.py --benchmark-enable`. Warm: the same messages were visited before.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from foldproof.messages import Message
from foldproof.window import SlidingWindow, SummarizeOldest, TokenBudget, WindowStrategy

SIZES = [1_000, 10_000, 100_000]
BYTES = 400


def padded(text: str) -> str:
    return (text + " and so on, as these things go, until the line is full" * 10)[:BYTES]


@cache
def window(size: int) -> list[Message]:
    """A window of `size` messages, each text its own, one value in four of them."""
    found: list[Message] = [Message(role="system", content=padded("be kind"))]
    for turn in range(size // 4):
        name, tool = f"call-{turn}", f"tool_{turn % 7}"
        calls = [{"id": name, "name": tool, "args": {"row": turn}}]
        found += [
            Message(role="user", content=padded(f"please look at order ORD-{turn}")),
            Message.model_validate({"role": "assistant", "content": padded(f"looking {turn}"), "toolCalls": calls}),
            Message(role="tool", tool_call_id=name, tool_name=tool, content=padded(f"row {turn} is fine")),
            Message(role="assistant", content=padded(f"order {turn} is fine")),
        ]
    return found[:size]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "strategy",
    [SlidingWindow(), TokenBudget(1_000), SummarizeOldest(1_000)],
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
