"""The tables of docs/hosts.md are those of the runs: `make hosts-page` writes them."""

from __future__ import annotations

import pytest
from benchmarks.hosts_page import PAGE, block_of, hosts, table_of


@pytest.mark.parametrize("host", hosts())
def test_the_table_says_what_the_runs_do(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of(host)
    with capsys.disabled():
        print(f"\n{host}\n{table}")  # noqa: T201 - to be seen
    found = block_of(host).search(PAGE.read_text(encoding="utf-8"))
    assert found is not None, f"docs/hosts.md has no place for {host}"
    assert found[0].removeprefix(found[1]).removesuffix(found[2]) == table
