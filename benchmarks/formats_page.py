"""Writes the tables of docs/formats.md: which formats there are, and what their real files hold.

make formats-page
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from benchmarks.formats_table import counted, described, markdown

PAGE: Final = Path(__file__).parent.parent / "docs" / "formats.md"


def with_tables(page: str) -> str:
    """Return the page with its tables made anew."""
    for name, table in (("formats", described()), ("counts", markdown(counted()))):
        block = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        page = block.sub(lambda match, table=table: f"{match[1]}{table}{match[2]}", page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
