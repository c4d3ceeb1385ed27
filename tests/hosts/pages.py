"""What a host's page and its example say, run as they stand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.test_docs import examples

ROOT: Final = Path(__file__).parent.parent.parent
LONGEST: Final = 40
"""Lines that an example may have at most."""


def run_page(host: str) -> None:
    """Run the Python blocks of a host's page, one after the other, in one namespace."""
    page = ROOT / "docs" / "hosts" / f"{host}.md"
    names: dict[str, object] = {"__name__": host}
    blocks = list(examples(page, "python"))
    assert blocks, f"{page.name} shows no code"
    for block in blocks:
        exec(compile(block.text, str(page), "exec"), names)  # noqa: S102 - running the examples is the test


def run_example(host: str) -> str:
    """Run a host's example as a process of its own, and return what it prints."""
    path = ROOT / "examples" / "hosts" / f"with_{host}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST, f"{path.name} is too long for an example"
    run = [sys.executable, "-W", "ignore", str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603 - our own example
    assert done.returncode == 0, done.stderr
    return done.stdout
