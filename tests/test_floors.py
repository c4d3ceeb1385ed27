"""What the import contracts cannot see: a clock, a file or the terminal reached without an import of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINE = Path(__file__).parent.parent / "src" / "foldproof"
PURE_ROOMS = ("messages", "evidence", "window", "account", "compaction")
CLOCKS = {"now", "today", "utcnow"}
BUILTINS = {"open", "input", "print", "breakpoint"}


def impure_calls(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in CLOCKS:
                yield node.lineno, name
            case ast.Call(func=ast.Name(id=name)) if name in BUILTINS:
                yield node.lineno, name


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_a_pure_room_reads_no_clock_file_or_terminal(room: str) -> None:
    found = [
        f"{path.relative_to(ENGINE)}:{line}: {name}()"
        for path in sorted((ENGINE / room).rglob("*.py"))
        for line, name in impure_calls(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_the_check_sees_what_it_is_for() -> None:
    source = "x = datetime.now(UTC)\ny = date.today()\nopen('f')\nindex.open('f')\nprint(1)\n"
    assert sorted(impure_calls(source)) == [(1, "now"), (2, "today"), (3, "open"), (5, "print")]
