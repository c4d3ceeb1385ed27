"""What commands print: JSON Lines for programs, lines and tables for people, one line for what is wrong."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import click
from pydantic import BaseModel

from foldproof.messages import RECALLED

RECALLED_FIRST: Final = {"recalled": RECALLED}
"""What a JSON object opens with that gives back what was folded: no word of it is evidence to whoever judges."""

_MOST_SHOWN: Final = 100
_WIDE: Final = 10_000
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_STYLES: Final = {"invented": "bold red", "echoed": "yellow", "undecidable": "magenta", "invalid": "bold red"}


def without_encoding_errors() -> None:
    """Let standard output and error escape what the terminal's encoding lacks, instead of failing over it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """Return `text` on one line, with everything escaped that would steer a terminal or hide in it."""
    return _UNPRINTABLE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def shortened(text: str) -> str:
    """Return `text` printable, and cut with a mark past 100 characters."""
    line = printable(text)
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def complain(line: str) -> None:
    """Print one line on standard error."""
    click.echo(printable(line), err=True)


def say(line: str, *, err: bool = False) -> None:
    """Print one line for people, on standard output unless `err`."""
    click.echo(printable(line), err=err)


def json_line(value: BaseModel | Mapping[str, object], *, err: bool = False) -> None:
    """Print one JSON object on one line, in ASCII: it survives every encoding, and no reader splits it elsewhere."""
    plain = value.model_dump() if isinstance(value, BaseModel) else value
    click.echo(json.dumps(plain), err=err)


Cell: TypeAlias = str | tuple[str, ...]
"""What stands in a table: a text on one line, or several lines."""


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, err: bool = False) -> None:
    """Print rows under columns: folded to the width of a terminal, and as wide as they are anywhere else."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=err, highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        lines = ((cell,) if isinstance(cell, str) else cell for cell in row)
        shown.add_row(*(Text("\n".join(map(shortened, cell)), style=_STYLES.get("".join(cell), "")) for cell in lines))
    with console.capture() as captured:
        console.print(shown)
    click.echo("\n".join(line.rstrip() for line in captured.get().strip("\n").splitlines()), err=err)


def counted(count: int, noun: str) -> str:
    """Return `1 answer`, `2 answers`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
