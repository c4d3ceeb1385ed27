"""Files of one conversation a line are read one at a time, whatever their size."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from foldproof.transcripts import load_all

RUNS = Path(__file__).parent.parent / "data" / "tau_bench_airline" / "runs.jsonl"
MEGABYTE = 1 << 20
MOST = 64  # megabytes above the largest row


def most_while_reading(path: Path) -> tuple[int, float]:
    """How many conversations there are, and the megabytes that Python held at most."""
    gc.collect()
    tracemalloc.start()
    try:
        count = sum(1 for _ in load_all(path))
        return count, tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    lines = RUNS.read_bytes()
    once, four = tmp_path / "once.jsonl", tmp_path / "four.jsonl"
    once.write_bytes(lines)
    four.write_bytes(lines * 4)
    count, least = most_while_reading(once)
    again, most = most_while_reading(four)
    assert again == 4 * count
    assert most < least + 1


def test_a_large_row_costs_what_it_is_and_no_row_after_it(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    large = b'{"messages": [{"role": "user", "content": "' + b"word " * (4 * MEGABYTE // 5) + b'"}]}\n'
    path.write_bytes(large * 12)
    count, most = most_while_reading(path)
    assert count == 12
    assert most < MOST + len(large) / MEGABYTE
