"""Every example in the README and the docs runs: Python blocks as they stand, console blocks with their output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """A block of a page, with the blocks of the same kind before it, which it may rely on."""

    page: Path
    kind: str
    text: str


def examples(page: Path, kind: str) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    return [Example(page, kind, block) for name, block in BLOCK.findall(text) if name == kind]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the project's examples in it, where an example may write."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "tests/data/tau_bench_airline", tmp_path / "tests/data/tau_bench_airline")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pages(kind: str) -> list[Path]:
    return [page for page in PAGES if examples(page, kind)]


@pytest.mark.parametrize("page", pages("python"), ids=lambda page: page.name)
@pytest.mark.usefixtures("folder")
def test_python_examples_run(page: Path) -> None:
    names: dict[str, object] = {}
    for example in examples(page, "python"):
        exec(compile(example.text, str(page), "exec"), names)  # noqa: S102 - running the examples is the test


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block (lines that start with `$ `), each with the output shown under it."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def output_of(command: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(  # noqa: S602 - a page's commands are the project's own
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def squeezed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.mark.parametrize("page", pages("console"), ids=lambda page: page.name)
def test_console_examples_print_what_they_show(page: Path, folder: Path) -> None:
    for example in examples(page, "console"):
        for command, shown in commands(example.text):
            assert squeezed(output_of(command, folder)) == squeezed(shown)


def test_the_demo_ends_by_catching_the_invented_value() -> None:
    done = subprocess.run(  # noqa: S603 - the project's own demo
        [sys.executable, str(ROOT / "examples" / "demo.py")], capture_output=True, text=True, check=True
    )
    caught = done.stdout.partition("one digit of the last answer changed")[2]
    assert re.search(r"7504061\s+invented.*certificate_7504069", caught)
    assert done.stdout.rstrip().endswith("a value that nobody supplied was caught.")
    assert "Traceback" not in done.stderr
