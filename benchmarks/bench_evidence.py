"""What evidence costs: each group sets it against `json.loads` of the same bytes, or against less evidence."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from foldproof.evidence import EvidenceIndex, spellings, stated
from foldproof.messages import Message

RUNS = Path(__file__).parent.parent / "tests" / "data" / "tau_bench_airline" / "runs.jsonl"


def airline_results() -> list[str]:
    """Every tool result of 100 real runs."""
    with RUNS.open(encoding="utf-8") as file:
        return [row["content"] for line in file for row in json.loads(line)["messages"] if row["role"] == "tool"]


def distinct_records(count: int, *, seed: int = 1) -> list[str]:
    """Results of 20 records each in which nearly every value is a new one: the worst case for an index."""
    chance = random.Random(seed)  # noqa: S311 - made-up orders, not secrets
    return [json.dumps([record(chance) for _ in range(20)]) for _ in range(count)]


def record(chance: random.Random) -> dict[str, object]:
    """One made-up order."""
    return {
        "order_id": f"ORD-{chance.randrange(10**6)}",
        "customer": {"email": f"user{chance.randrange(10**5)}@example.com"},
        "total": chance.randrange(100, 99_999) / 100,
        "created_at": f"2024-0{chance.randrange(1, 9)}-11T0{chance.randrange(9)}:{chance.randrange(10, 59)}:31Z",
        "status": chance.choice(["shipped", "open"]),
        "note": f"Leave the parcel with the neighbour at number {chance.randrange(100)}.",
    }


RESULTS = {"airline": airline_results(), "distinct records": distinct_records(400)}


def parse_all(results: list[str]) -> None:
    for result in results:
        try:
            json.loads(result)
        except ValueError:
            continue  # an error message is a result too


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
