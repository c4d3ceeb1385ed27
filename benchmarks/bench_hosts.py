"""What a request costs an agent whose messages go through a compactor, beside reading the same list with `json.loads`.

`pytest benchmarks/bench_hosts.py --benchmark-enable`. Messages have 400 characters, in the OpenAI Chat shape.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from benchmarks.conversation import window

from foldproof import Compactor, SummarizeOldest
from foldproof.messages import Message
from foldproof_compactors.callback import compactor

SIZES = [100, 1_000, 10_000]


def rows(size: int) -> list[dict[str, Any]]:
    return [row(message) for message in window(size)]


def row(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        said["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        calls = [(call.id, {"name": call.name, "arguments": json.dumps(call.args)}) for call in message.tool_calls]
        said["tool_calls"] = [{"id": name, "type": "function", "function": function} for name, function in calls]
    return said


@pytest.mark.parametrize("size", SIZES)
def bench_json_loads(benchmark: Any, size: int) -> None:  # noqa: ANN401 - it has no public type
    text = json.dumps(rows(size))
    benchmark(json.loads, text)


@pytest.mark.parametrize("size", SIZES)
def bench_a_request_below_the_threshold(benchmark: Any, size: int) -> None:  # noqa: ANN401 - as above
    compact, messages = compactor(SummarizeOldest(10**9)), rows(size)
    assert benchmark(compact.fold, messages, measured=1) is messages


@pytest.mark.parametrize("size", SIZES)
def bench_a_request_behind_a_fold(benchmark: Any, size: int) -> None:  # noqa: ANN401 - as above
    compact, messages = compactor(SummarizeOldest(1_000)), rows(size)
    assert len(compact.fold(messages)) < size
    assert len(benchmark(compact.fold, messages, measured=1)) < size


@pytest.mark.parametrize("size", SIZES)
def bench_a_request_that_folds(benchmark: Any, size: int) -> None:  # noqa: ANN401 - as above
    messages = rows(size)

    def fold() -> None:
        compactor(Compactor(SummarizeOldest(1_000))).fold(messages)

    benchmark.pedantic(fold, rounds=3, warmup_rounds=1)
