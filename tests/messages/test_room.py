"""The lowest room: it relies on pydantic and on nothing that could give two answers to one question."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import foldproof.messages as room

FILES = sorted(Path(room.__file__).parent.glob("*.py"))
PURE = {
    "__future__",
    "bisect",
    "collections",
    "dataclasses",
    "functools",
    "hashlib",
    "json",
    "re",
    "typing",
    "pydantic",
    "foldproof",
}
BELOW = {"messages", "errors"}


def imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                yield from (f"{'.' * level}{module or ''}.{name.name}" for name in names)
            case ast.Call(func=ast.Name(id="__import__" | "open" | "exec" | "eval" as name)):
                yield name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_room_imports_no_file_clock_or_other_room(path: Path) -> None:
    for name in imports(path.read_text(encoding="utf-8")):
        first, *rest = name.split(".")
        assert first in PURE, name
        assert first != "foldproof" or rest[0] in BELOW, name


def test_the_check_sees_what_it_is_for() -> None:
    source = (
        "import time, os.path\nfrom foldproof.window import plan\ndef f():\n  from pathlib import Path\n  open('x')\n"
    )
    assert list(imports(source)) == ["time", "os.path", "foldproof.window.plan", "pathlib.Path", "open"]


def test_every_module_of_the_room_was_read() -> None:
    assert {"model.py", "parts.py", "authorship.py", "frames.py", "pairing.py", "turns.py", "wire.py"} <= {
        path.name for path in FILES
    }
