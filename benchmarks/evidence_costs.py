"""What evidence costs, in time and memory.

Every measurement is a process of its own, so that nothing is remembered from before: a first reading is what a user
waits for. Times are process time, the best of several processes. `kept` is what is freed when the index goes, and
`shared` what stays for the next one; the messages are there before and are not counted.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from time import process_time

from benchmarks.evidence_data import airline_results, distinct_records, parse_all
from benchmarks.evidence_print import table

import foldproof as fp

ROOT = Path(__file__).parent.parent
LATER = 20
Measured = dict[str, float]


def results(name: str, size: int | None = None) -> list[str]:
    """The tool results of a kind, up to about so many characters; of the airline, over and over."""
    if size is None:
        return airline_results() if name == "airline" else distinct_records(400)
    source = cycle(airline_results()) if name == "airline" else iter(distinct_records(size // 3_500))
    found: list[str] = []
    total = 0
    for text in source:
        if total >= size:
            break
        found.append(text)
        total += len(text)
    return found


def said(texts: list[str]) -> list[fp.Message]:
    """The messages that carry some results."""
    return [fp.Message(role="tool", content=text, tool_call_id=str(at)) for at, text in enumerate(texts)]


def timed(call: Callable[[], object]) -> float:
    """How long a call takes, in process seconds."""
    start = process_time()
    call()
    return process_time() - start


def warm_up() -> None:
    """Import and compile whatever is on first use, so that a first reading is timed and not Python."""
    assert fp.EvidenceIndex(said(["1"])).judge("It is $7.").invented


def build(name: str) -> Measured:
    """Reading results, set against parsing them."""
    texts = results(name)
    messages = said(texts)
    warm_up()
    return {
        "bytes": _bytes(texts),
        "json": timed(lambda: parse_all(texts)),
        "build": timed(lambda: fp.EvidenceIndex(messages)),
    }


def memory(name: str, size: str) -> Measured:
    """What the index of so many characters keeps."""
    texts = results(name, int(size))
    messages = said(texts)
    warm_up()
    gc.collect()
    tracemalloc.start()
    index = [fp.EvidenceIndex(messages)]
    gc.collect()
    everything = tracemalloc.get_traced_memory()[0]
    index.clear()
    gc.collect()
    shared = tracemalloc.get_traced_memory()[0]
    return {"bytes": _bytes(texts), "kept": everything - shared, "shared": shared}


def judge(size: str) -> Measured:
    """Judging an answer of 1 KB, the first time and later, and reading one more message."""
    texts = results("distinct records", int(size))
    *messages, last = said(texts)
    warm_up()
    index = fp.EvidenceIndex(messages)
    grounded, mixed = answers_of_1_kb(texts)
    measured: Measured = {"bytes": _bytes(texts)}
    for name, text in (("grounded", grounded), ("mixed", mixed)):
        measured[f"{name}, first"] = timed(lambda text=text: index.judge(text))  # type: ignore[misc]
        measured[f"{name}, later"] = min(timed(lambda text=text: index.judge(text)) for _ in range(LATER))  # type: ignore[misc]
    measured["append"] = timed(lambda: index.extend([last]))
    measured["mixed, after append"] = timed(lambda: index.judge(mixed))
    assert {value.verdict for value in index.judge(grounded).values} == {"grounded"}
    assert index.judge(mixed).invented
    return measured


def answers_of_1_kb(texts: list[str]) -> tuple[str, str]:
    """An answer that only says what was read, and one with a sum and a number that nobody said."""
    orders = json.loads(texts[7])[:12]
    lines = [f"Order {order['order_id']} of {order['created_at'][:10]}: ${order['total']}." for order in orders]
    total = round(orders[0]["total"] + orders[1]["total"], 2)
    two = f"They paid ${orders[0]['total']} and ${orders[1]['total']}, ${total} together, and a fee of $77,777.77."
    return " ".join(lines).ljust(1024, "."), " ".join([two, *lines[:10]]).ljust(1024, ".")


def _bytes(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def one(what: str, *arguments: str) -> None:
    """Measure one thing in this process and print it."""
    measures: dict[str, Callable[..., Measured]] = {"build": build, "memory": memory, "judge": judge}
    sys.stdout.write(json.dumps(measures[what](*arguments)))


def alone(what: str, *arguments: str) -> Measured:
    """Measure one thing in a process of its own."""
    code = f"from benchmarks.evidence_costs import one; one({what!r}, *{arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)  # noqa: S603
    measured: Measured = json.loads(done.stdout)
    return measured


def best(rounds: int, what: str, *arguments: str) -> Measured:
    """The best of several processes, figure by figure."""
    measured = [alone(what, *arguments) for _ in range(rounds)]
    return {name: min(one[name] for one in measured) for name in measured[0]}


def report(*, quick: bool = False) -> Iterator[str]:
    """Measure everything, and yield it as text."""
    yield "## Time and memory"
    rounds, sizes = (1, (100_000, 1_000_000)) if quick else (7, (1_000_000, 10_000_000))
    yield "### Building the index"
    built = {name: best(rounds, "build", name) for name in ("airline", "distinct records")}
    yield table(
        ["results", "MB", "json.loads, ms", "build, ms", "times"],
        [
            (name, _mb(found), _ms(found["json"]), _ms(found["build"]), f"{found['build'] / found['json']:.1f}")
            for name, found in built.items()
        ],
    )
    yield "### Bytes kept, for each byte of evidence"
    yield table(
        ["results", "MB", "kept", "shared"],
        [
            (name, _mb(found), f"{found['kept'] / found['bytes']:.2f}", f"{found['shared'] / found['bytes']:.2f}")
            for name in ("airline", "distinct records")
            for found in (alone("memory", name, str(size)) for size in sizes)
        ],
    )
    yield "### Judging an answer of 1 KB, ms (`mixed` states a sum and an invented number)"
    judged = [best(min(rounds, 3), "judge", str(size)) for size in (100_000, sizes[-1])]
    names = [name for name in judged[0] if name != "bytes"]
    rows = [
        (name, *(_ms(found[name]) for found in judged), f"{judged[1][name] / judged[0][name]:.1f}") for name in names
    ]
    yield table(["", *(f"of {_mb(found)} MB" for found in judged), "times"], rows)


def _mb(found: Measured) -> str:
    return f"{found['bytes'] / 1e6:.1f}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f}"
