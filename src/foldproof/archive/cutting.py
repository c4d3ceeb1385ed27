"""Cutting what a tool said into pieces, of which none grounds what the whole does not.

A piece of JSON is JSON: it opens with the keys that lead to where it stands, and a string that is longer than a piece
comes in several, with `…` where it stood. Text ends where no value is cut. What a piece states is then compared with
what the whole states: a piece that reads otherwise is no evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from foldproof.evidence.reading import leading_values, leaf_texts, rest_of
from foldproof.evidence.stated import stated_by_each
from foldproof.window.frames import head_of

_LOOKAHEAD: Final = 1_000
_GOES_ON: Final = re.compile(r'\n|,(?=["{\[])')
"""Where a text may be read again behind a run that had to be cut: at the next line, or the next thing in JSON."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_ELSEWHERE: Final = '"…"'
"""Stands for a string whose words are in the pieces before."""


class Piece(NamedTuple):
    """A piece of a text, and whether what it states is what the whole states."""

    text: str
    whole: bool


@lru_cache(maxsize=16)
def pieces_of(text: str, size: int) -> tuple[Piece, ...]:
    """Return a result in pieces of about `size` characters, which together hold all of it."""
    _, start = leading_values(text)
    if all(leaf.block is not None for leaf in rest_of(text, start, 0)):
        start = len(text)
    known = _states(text)
    parts = [*_json_pieces(text[:start], size), *cut(text[start:], size)]
    return tuple(Piece(piece, whole and _states(piece) <= known) for piece, whole in parts if piece)


def cut(text: str, size: int) -> Iterator[Piece]:
    """Yield a text in pieces of at most `size` characters, each with whether no word and no value in it was cut."""
    start, whole = 0, True
    while start < len(text):
        stop = start + size
        if whole and stop < len(text):
            stop = start + len(head_of(text[start : stop + _LOOKAHEAD], size))
            whole = stop > start
            stop = stop if whole else start + size
            yield Piece(text[start:stop], whole=whole)
        elif whole:
            yield Piece(text[start:], whole=True)
        else:
            found = _GOES_ON.search(text, start, stop)
            whole, stop = found is not None, found.end() if found else stop
            yield Piece(text[start:stop], whole=False)
        start = max(stop, start + 1)


def _states(text: str) -> set[str]:
    """Return what a tool that says this text grounds: forms, and spellings behind a mark that is in no form."""
    stated = stated_by_each(leaf_texts(text))
    forms = {form for one in stated for form in one.forms}
    return forms | {f"\n{spelling}" for one in stated for spelling in one.verbatim}


def _json_pieces(text: str, size: int) -> Iterator[Piece]:
    """Yield JSON in pieces that are JSON cut short, none inside a leaf but a string that is longer than a piece."""
    around: list[str] = []  # what opens each container, with the key whose value is being read
    start, opening = 0, ""
    safe, safe_opening = 0, ""
    key = ""
    for token in _TOKEN.finditer(text):
        said, end = token[0], token.end()
        if len(opening) + end - start > size and safe > start:
            yield Piece(opening + text[start:safe], whole=True)
            start, opening = safe, safe_opening
        if len(opening) + end - start > size:
            if not _is_long_string(said) or len(opening) > size // 2 or (around and around[-1] == "{"):
                break
            yield from _string_pieces(said, opening, size)
            start, opening = end, opening + _ELSEWHERE
        if said in "{[":
            around.append(said)
        elif said in "}]" and around:
            around.pop()
        elif said == ":" and around:
            around[-1] = f"{{{key}:"
        elif said == "," and around:
            around[-1] = around[-1][0]
        else:
            key = said
        if said in "{[,:" or not around:
            safe, safe_opening = end, "".join(around)
    else:
        yield Piece(opening + text[start:], whole=True)
        return
    yield from (Piece(text[at : at + size], whole=False) for at in range(start, len(text), size))


def _is_long_string(said: str) -> bool:
    return len(said) > 1 and said[0] == said[-1] == '"'


def _string_pieces(said: str, opening: str, size: int) -> Iterator[Piece]:
    """Yield a string in pieces, each of them a string where it stood."""
    try:
        text = json.loads(said)
    except ValueError:  # it was cut short behind a backslash
        text = said
    for piece, whole in cut(text, (size - len(opening)) // 2):
        yield Piece(f"{opening}{json.dumps(piece, ensure_ascii=False)}", whole)
