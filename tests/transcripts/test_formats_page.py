"""The tables of docs/formats.md are those of the files: `make formats-page` writes them."""

from __future__ import annotations

import pytest
from benchmarks.formats_page import PAGE, with_tables


def test_the_tables_say_what_is_in_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    tables = with_tables(page)
    with capsys.disabled():
        print(tables[tables.index("<!-- counts -->") : tables.index("<!-- /counts -->")])  # noqa: T201 - to be seen
    assert page == tables
