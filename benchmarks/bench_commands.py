"""What a person waits for: starting, and auditing 100 real runs, as processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

RUNS = Path(__file__).parent.parent / "tests" / "data" / "tau_bench_airline" / "runs.jsonl"


def python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def bench_python_alone(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "start"
    benchmark.pedantic(python, ("-c", "pass"), rounds=10)


def bench_import_foldproof(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "start"
    benchmark.pedantic(python, ("-c", "import foldproof"), rounds=10)


def bench_import_and_use_every_room(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "start"
    benchmark.pedantic(python, ("-c", "from foldproof import *"), rounds=10)


def bench_audit_of_100_runs(benchmark: BenchmarkFixture) -> None:
    benchmark.group = "audit 100 real runs"
    benchmark.pedantic(python, ("-m", "foldproof", "audit", str(RUNS), "--json"), rounds=3)
