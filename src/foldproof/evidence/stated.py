"""What a text states, as forms: the same as `scan` says, with short cuts for the leaves that results are made of.

A short cut may only ever be faster. `tests/evidence/test_stated.py` holds each of them to the scanner's answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from foldproof.evidence import spellings
from foldproof.evidence.candidates import MAY_HOLD_A_VALUE, scan

_CACHED = 256
_PLAIN = re.compile(r"[1-9]\d{0,6}|0|(?:0|[1-9]\d{0,3})\.\d{0,4}[1-9]", re.ASCII)
_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:Z|[-+]\d\d:\d\d)?", re.ASCII)
_EMAIL = re.compile(r"[A-Za-z]{1,20}\d{1,10}@[A-Za-z]{2,30}\.[A-Za-z]{2,10}", re.ASCII)
_CODE = re.compile(r"(?!USD|EUR|GBP|JPY|INR)[A-Z]{2,8}-?\d{3,10}", re.ASCII)


class Stated(NamedTuple):
    """The forms a text states, and those of its spellings (casefolded) that are not their own form."""

    forms: tuple[str, ...]
    verbatim: tuple[str, ...] = ()


_NOTHING = Stated(())


def stated_by(text: str) -> Stated:
    """Return what a leaf of a result, or any text, states. Short texts repeat and are remembered."""
    return _remembered(text) if len(text) <= _CACHED else _scanned(text)


@lru_cache(maxsize=65_536)
def _remembered(text: str) -> Stated:
    if not text.isascii():
        return _scanned(text)
    if not MAY_HOLD_A_VALUE.search(text):
        return _NOTHING
    return _short_cut(text) or _scanned(text)


def _short_cut(text: str) -> Stated | None:
    if _PLAIN.fullmatch(text):
        return Stated((text,))
    if _CODE.fullmatch(text):
        form = text.casefold()
        return Stated((form, *(spellings.PART + piece for piece in spellings.segments(form))))
    if _EMAIL.fullmatch(text):
        form = text.casefold()
        return Stated((form, spellings.PART + form.partition("@")[0]))
    timestamp = _TIMESTAMP.fullmatch(text)
    return _by_timestamp(*timestamp.groups()) if timestamp else None


def _by_timestamp(day: str, hour: str, minute: str, second: str) -> Stated | None:
    date = _date(day)
    if date is None:
        return None
    clock = f"{hour}:{minute}"
    if second == "00":
        return Stated((*date, clock), (f"{clock}:00",))
    return Stated((*date, f"{clock}:{second}", clock))


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
