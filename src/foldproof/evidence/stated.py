"""What a text states, as forms: the same as `scan` says, with short cuts for the leaves that results are made of.

A short cut may only ever be faster. `tests/evidence/test_stated.py` holds each of them to the scanner's answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from foldproof.evidence import spellings
from foldproof.evidence.candidates import MAY_HOLD_A_VALUE, scan
from foldproof.evidence.reading import leaf_texts, said_by_tools
from foldproof.messages import Message

REMEMBERED = 256
"""Up to how many code points a text is remembered with what it states."""

_SHORT_CUTS = re.compile(
    r"(?P<plain>[1-9]\d{0,6}|(?!19|20)[1-9]\d{7}|[1-9]\d{8,40}|0|(?:0|[1-9]\d{0,3})\.\d{0,4}[1-9])"
    rf"|(?P<code>(?!{spellings.CURRENCY_CODES})[A-Za-z]{{2,20}}(?P<joined>-?)(?P<number>\d{{3,10}}))"
    r"|(?P<email>(?P<local>[A-Za-z]{1,20}\d{1,10})@[A-Za-z]{2,30}\.[A-Za-z]{2,10})"
    r"|(?P<time>(?P<day>\d{4}-\d\d-\d\d)T(?P<clock>(?:[01]\d|2[0-3]):[0-5]\d)(?P<second>:[0-5]\d)(?:Z|[-+]\d\d:\d\d)?)",
    re.ASCII,
)


class Stated(NamedTuple):
    """The forms a text states, and those of its spellings (casefolded) that are not their own form."""

    forms: tuple[str, ...]
    verbatim: tuple[str, ...] = ()


_NOTHING = Stated(())


def stated_by(text: str) -> Stated:
    """Return what a leaf of a result, or any text, states. Short texts repeat and are remembered."""
    return _remembered(text) if len(text) <= REMEMBERED else _scanned(text)


def evidence_forms(messages: Sequence[Message]) -> frozenset[str]:
    """Return the forms that tools said in these messages: what is evidence no more once they have left unread."""
    segments = (segment.text for message in messages for segment in said_by_tools(message))
    return frozenset(form for text in segments for leaf in leaf_texts(text) for form in stated_by(leaf).forms)


@lru_cache(maxsize=65_536)
def _remembered(text: str) -> Stated:
    known = _short_cut(text)
    if known is not None:
        return known
    return _NOTHING if text.isascii() and not MAY_HOLD_A_VALUE.search(text) else _scanned(text)


def _short_cut(text: str) -> Stated | None:
    match = _SHORT_CUTS.fullmatch(text)
    if match is None:
        return None
    if match["plain"]:
        return Stated((text,))
    form = text.casefold()
    if match["code"]:
        is_part = match["joined"] and len(match["number"]) >= spellings.SHORTEST_SEGMENT
        return Stated((form, spellings.PART + match["number"]) if is_part else (form,))
    if match["email"]:
        return Stated((form, spellings.PART + match["local"].casefold()))
    return _by_timestamp(match["day"], match["clock"], match["second"])


def _by_timestamp(day: str, clock: str, second: str) -> Stated | None:
    date = _date(day)
    if date is None:
        return None
    if second == ":00":
        return Stated((*date, clock), (clock + second,))
    return Stated((*date, clock + second, clock))


@lru_cache(maxsize=4_096)
def _date(day: str) -> tuple[str, ...] | None:
    year, month, date = map(int, day.split("-"))
    return spellings.date_forms(year, month, date) if spellings.is_date(year, month, date) else None


def _scanned(text: str) -> Stated:
    values = scan(text)
    if not values:
        return _NOTHING
    forms = dict.fromkeys(form for value in values for form in value.stated)
    spelled = dict.fromkeys(value.text.casefold() for value in values)
    return Stated(tuple(forms), tuple(spelling for spelling in spelled if spelling not in forms))
