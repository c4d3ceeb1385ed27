"""What evidence costs: each group sets it against `json.loads` of the same bytes, or against less evidence."""

from __future__ import annotations

import json

import pytest
from benchmarks.evidence_data import airline_results, distinct_records, parse_all
from pytest_benchmark.fixture import BenchmarkFixture

from foldproof.evidence import EvidenceIndex, spellings, stated
from foldproof.messages import Message

RESULTS = {"airline": airline_results(), "distinct records": distinct_records(400)}


def forget() -> None:
    """Empty the caches: a first reading is what a user waits for."""
    stated._remembered.cache_clear()  # noqa: SLF001
    stated._date.cache_clear()  # noqa: SLF001
    spellings.canonical_number.cache_clear()


@pytest.mark.parametrize("name", RESULTS)
def bench_json_loads(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark.group = f"build: {name}"
    benchmark(parse_all, RESULTS[name])


@pytest.mark.parametrize("name", RESULTS)
def bench_build(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark.group = f"build: {name}"
    messages = [Message(role="tool", content=result) for result in RESULTS[name]]
    benchmark.pedantic(EvidenceIndex, (messages,), setup=forget, rounds=10)


@pytest.mark.parametrize("results", [20, 200, 2000])
def bench_judge_1_kb(benchmark: BenchmarkFixture, results: int) -> None:
    benchmark.group = "judge an answer of 1 KB"
    texts = distinct_records(results)
    index = EvidenceIndex([Message(role="tool", content=text) for text in texts])
    orders = json.loads(texts[7])[:12]
    answer = " ".join(
        f"Order {order['order_id']} of {order['created_at'][:10]}: ${order['total']}." for order in orders
    )
    answer = answer.ljust(1024, ".")
    benchmark.extra_info["evidence_mb"] = round(sum(map(len, texts)) / 1e6, 1)
    judgement = benchmark(index.judge, answer)
    assert {value.verdict for value in judgement.values} == {"grounded"}
