"""Figures as text: Markdown tables whose columns also line up in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; every column but the first is set flush right when it holds figures."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    right = [column > 0 and all(_is_figure(row[column]) for row in cells[1:]) for column in range(len(head))]
    lines = [_line(row, widths, right) for row in cells]
    rule = "|".join(
        ("-" * (width + 1) + ":") if flush else "-" * (width + 2) for width, flush in zip(widths, right, strict=True)
    )
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = (
        cell.rjust(width) if flush else cell.ljust(width) for cell, width, flush in zip(row, widths, right, strict=True)
    )
    return "| " + " | ".join(cells) + " |"


def _is_figure(cell: str) -> bool:
    return not cell or cell[0].isdecimal() or cell == "-"


def percent(part: int, whole: int) -> str:
    """How many in a hundred, or a dash when there are none."""
    return f"{100 * part / whole:.1f} %" if whole else "-"
