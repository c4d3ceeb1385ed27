"""Writes the table of docs/hosts.md: one long run of an agent on every host, without and with compaction.

make hosts-page
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from tests.hosts.scenario import Outcome, Run, outcome

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "hosts.md"

_HEAD: Final = (
    "| what compacts | requests | largest | all | invalid | request missing | values in view | judged wrongly "
    "| invention caught |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n"
)


def hosts() -> tuple[str, ...]:
    """Return the names of the hosts that have runs."""
    return tuple(sorted(path.stem.removesuffix("_runs") for path in (ROOT / "tests" / "hosts").glob("*_runs.py")))


def runs_of(host: str) -> Mapping[str, Callable[[], Run]]:
    """Return the runs of a host by what compacts in them, in the order of the table."""
    return cast("Mapping[str, Callable[[], Run]]", import_module(f"tests.hosts.{host}_runs").RUNS)


def table_of(host: str) -> str:
    """Return a host's table: every one of its runs, played now."""
    return _HEAD + "".join(_rows(runs_of(host)))


def _rows(runs: Mapping[str, Callable[[], Run]]) -> Iterator[str]:
    for name, play in runs.items():
        yield f"| {name} | {' | '.join(_cells(play))} |\n"


def _cells(play: Callable[[], Run]) -> list[str]:
    try:
        shown = outcome(play())
    except Exception as error:  # noqa: BLE001 - that a run broke is what the table has to say
        return [f"broke off: {type(error).__name__}", *[""] * 7]
    return _numbers(shown)


def _numbers(shown: Outcome) -> list[str]:
    counts = (shown.requests, shown.largest, shown.total, shown.invalid, shown.without_request)
    in_view = f"{shown.values_in_view} of {shown.values}"
    return [
        *(f"{count:,}" for count in counts),
        in_view,
        str(shown.wrong_verdicts),
        "yes" if shown.invented_caught else "no",
    ]


def block_of(host: str) -> re.Pattern[str]:
    """Return what finds a host's table in the page."""
    return re.compile(f"(<!-- {host} -->\n).*?(<!-- /{host} -->)", re.DOTALL)


def with_tables(page: str) -> str:
    """Return the page with its tables made anew."""
    for host in hosts():
        table = table_of(host)
        page = block_of(host).sub(lambda match, table=table: f"{match[1]}{table}{match[2]}", page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
