"""What the first line of a table says: the titles of its columns, or nothing where it looks like prose."""

from __future__ import annotations

import re

Span = tuple[int, int]

LONGEST_TITLE = 60
"""How many characters a title may have."""

FEWEST_TITLES = 2
"""How many titles a table has at least."""

_TITLE = re.compile(r"[#_]?[^\W\d_](?:[^\W\d]|[/%$€£#&.'-]| (?! )|\([^()\n]{1,30}\)|\d(?!\d\d))*+")
_CAPITALISED = re.compile(r"[%#]?(?:\d[A-Z]|[A-Z])[\w%/().#:-]*")
_DIGIT = re.compile(r"\d")
_FEWEST_CAPITALISED = 4


def distinct(titles: list[str]) -> list[str]:
    """Return the titles, a repeated one numbered (`price`, `price #2`), so that no two columns are one."""
    seen: dict[str, int] = {}
    names = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        names.append(title if seen[title] == 1 else f"{title} #{seen[title]}")
    return names


def capitalised(head: str, words: list[Span], row: str) -> list[Span]:
    """Return the titles among the words of a first line, where the last two may be one; none if they look like prose.

    Prose of title case has no wide gaps in two lines, with as many words in both and mostly numbers in the second.
    """
    cells = row.split()
    if len(words) == len(cells) + 1:
        words = [*words[:-2], (words[-2][0], words[-1][1])]
    titled = all(_CAPITALISED.fullmatch(head[start:end].partition(" ")[0]) for start, end in words)
    numbers = sum(_DIGIT.search(cell) is not None for cell in cells)
    good = len(words) == len(cells) >= _FEWEST_CAPITALISED and "  " in row.strip() and numbers * 2 >= len(cells)
    return words if titled and good else []


def titles_of(texts: list[str]) -> list[str]:
    """Return what a first line says if it can be titles: distinct names, of which the first may be missing."""
    named = texts[1:] if not texts[0] else texts
    good = all(len(text) <= LONGEST_TITLE and _TITLE.fullmatch(text) for text in named)
    return texts if good and len(texts) >= FEWEST_TITLES and len(set(texts)) == len(texts) else []
