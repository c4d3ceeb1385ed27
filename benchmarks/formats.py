"""What reading costs: every format beside `json.loads` of the same bytes, and the memory of a long JSONL file.

    make bench-formats                    the files of the tests; FORMATS=a folder of folders of transcripts for others

Process time, the best of several rounds, the garbage collector off. A ratio of a small file says more about the start
than about the reading, so only files of 50 kB and more are timed. Memory is what Python held at most (tracemalloc)
while it read a file of 1 GB of real runs, one a line.
"""

from __future__ import annotations

import gc
import json
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time

import click
from formats_table import FILES, counted, markdown

from foldproof.errors import TranscriptError
from foldproof.transcripts import load_all

ROUNDS = 5
SMALLEST = 50_000  # bytes
RUNS = FILES.parent / "tau_bench_airline" / "runs.jsonl"
MEGABYTE = 1 << 20


def best(call: Callable[[], object]) -> float:
    """Return the seconds of the best round."""
    rounds = []
    for _ in range(ROUNDS):
        gc.collect()
        gc.disable()
        start = process_time()
        call()
        rounds.append(process_time() - start)
        gc.enable()
    return min(rounds)


def parsed(raw: bytes) -> object:
    """Parse the bytes of a file as JSON or JSONL: what any reader has to do."""
    try:
        return json.loads(raw)
    except ValueError:
        return [json.loads(line) for line in raw.split(b"\n") if line.strip()]


def ratio(path: Path) -> tuple[str, float] | None:
    """Return the format of a file and how many times `json.loads` its reading costs; None where it is no JSON."""
    raw = path.read_bytes()
    try:
        parsed(raw)
        (name,) = {conversation.format for conversation in load_all(path)}
    except (ValueError, TranscriptError):
        return None
    return name, best(lambda: list(load_all(path))) / best(lambda: parsed(raw))


def memory(megabytes: int) -> tuple[int, float, int]:
    """Return the conversations of a file of so many MB, the MB that reading took, and the bytes of its longest row."""
    lines = RUNS.read_bytes()
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        for _ in range(megabytes * MEGABYTE // len(lines)):
            file.write(lines)
        file.flush()
        gc.collect()
        tracemalloc.start()
        count = sum(1 for _ in load_all(file.name))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return count, most / MEGABYTE, max(map(len, lines.split(b"\n")))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=FILES, required=False)
@click.option("--megabytes", type=int, default=1_024, show_default=True, help="Size of the JSONL file.")
def main(folder: Path, megabytes: int) -> None:
    """Print what the files of FOLDER hold, what reading them costs, and what a long file takes."""
    rows = counted(folder)
    click.echo(markdown(rows))
    for row in rows.values():
        for refused in row.refused:
            click.echo(f"refused: {refused}")
    click.echo()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size >= SMALLEST):
        found = ratio(path)
        if found is not None:
            size = path.stat().st_size
            click.echo(f"{found[0]:20} {found[1]:5.1f} x json.loads   {size:>9,} bytes   {path.name[:60]}")
    count, taken, longest = memory(megabytes)
    click.echo(f"\n{megabytes:,} MB of JSONL, {count:,} conversations: at most {taken:.1f} MB at a time")
    click.echo(f"its largest row has {longest:,} bytes")


if __name__ == "__main__":
    main()
