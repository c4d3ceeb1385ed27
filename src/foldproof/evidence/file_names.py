"""Names of files: with spaces, in quotes or alone, and bare ones, of which nothing but a dot and an ending tells.

What stands in quotes and ends in a file's name may be a name with spaces (`"Q3 report.pdf"`) or a quote of other words
(`"update README.md"`). The scanner reads one name; the judgement decides by what was said.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from foldproof.evidence import addresses
from foldproof.evidence.values import Value

_QUOTED = re.compile(r"""(?<!\w)"(?P<quoted>[\w(][\w .()&,+/\\~-]{0,100}\.[A-Za-z][A-Za-z0-9]{0,4})"(?!\w)""")
_ALONE = re.compile(
    r"(?P<alone>[\w(/~][\w.()&+/~-]{0,120}(?:[ ][\w()&+~-]{1,60}){0,8}[ ][\w()&+~-]{1,60}\.[A-Za-z][A-Za-z0-9]{1,4})"
)
_BARE = re.compile(r"(?<![\w.+-])\w[\w.+-]{0,120}\.[A-Za-z][A-Za-z0-9]{0,4}(?!\w)")


def with_file_names(values: list[Value], text: str) -> list[Value]:
    """Put names of files with spaces in place of the values inside them, which are its pieces."""
    alone = _ALONE.fullmatch(text)
    found = [(alone, "alone")] if alone else [(match, "quoted") for match in _QUOTED.finditer(text)]
    for match, group in found:
        name, start, end = match[group], match.start(group), match.end(group)
        first = bisect_right(values, start, key=lambda value: value.end)
        last = first
        while last < len(values) and values[last].start < end:
            last += 1
        inside = tuple(values[first:last])
        if " " in name:
            values[first:last] = [_file_name(name, start, inside, is_quoted=group == "quoted")]
    return values


def _file_name(name: str, start: int, inside: tuple[Value, ...], *, is_quoted: bool) -> Value:
    value = addresses.file_name(name, start)
    stated = dict.fromkeys((*value.stated, *(form for piece in inside for form in piece.stated)))
    value = value._replace(stated=tuple(stated), pieces=inside)
    if is_quoted:
        return value
    told = any(piece.distinctive for piece in inside)  # `See app.py` has the same shape
    return value._replace(distinctive=told, digits=max((piece.digits for piece in inside), default=0))


def has_spaces(value: Value) -> bool:
    """Whether a value is a file's name with spaces, or what looks like one."""
    return value.kind == "path" and " " in value.form


def is_bare(value: Value) -> bool:
    """Whether a value is a file's name without a folder."""
    return value.kind == "path" and "/" not in value.form


def is_in_words(value: Value) -> bool:
    """Whether a value may be known by the bare name of a file, which is looked up in words."""
    return has_spaces(value) or any(map(is_bare, value.pieces))


def bare_names(text: str, *, is_spoken: bool) -> Iterator[str]:
    """Yield the forms of the names of files that are a word of a text, and not the last word of a name with spaces.

    `is_spoken` says that a text which is a name with spaces from end to end is rather a sentence: `Update README.md`.
    """
    if not is_spoken and _ALONE.fullmatch(text):
        return
    for match in _BARE.finditer(_QUOTED.sub(_without_spaces, text)):
        yield match.group().casefold()


def _without_spaces(match: re.Match[str]) -> str:
    return "" if " " in match["quoted"] else match.group()
