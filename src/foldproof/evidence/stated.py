"""What a text states, as forms: the same as `scan` says, with short cuts for the leaves that results are made of.

A short cut may only ever be faster. `tests/evidence/test_stated.py` holds each of them to the scanner's answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from foldproof.evidence import spellings
from foldproof.evidence.candidates import scan
from foldproof.evidence.grammar import GLUED_CURRENCY, MONTH
from foldproof.evidence.reading import leaf_texts, said_by_tools
from foldproof.messages import Message

REMEMBERED = 256
"""Up to how many code points a text is remembered with what it states."""

_SHORT_CUTS = re.compile(
    r"(?=[A-Za-z_])(?:"
    r"(?P<word>[A-Za-z_]{1,40}+\Z(?<!teen)(?<!ty)(?<!TEEN)(?<!TY)(?<!Ty)(?<!tY))"
    rf"|(?P<code>(?!{GLUED_CURRENCY}|[A-Fa-f]{{2,20}}\d)[A-Za-z]{{2,20}}+(?P<joined>-?)(?P<number>\d{{3,10}}))"
    r"|(?P<email>(?P<local>[A-Za-z]{1,20}+\d{1,10}+)@[A-Za-z]{2,30}+\.[A-Za-z]{2,10})"
    rf"|(?P<mixed>(?!{GLUED_CURRENCY}|PT?\d|[A-Fa-f0-9]{{1,41}}\Z)[A-Za-z]{{1,20}}+\d[A-Za-z0-9]{{0,20}})"
    rf"|(?P<labelled>(?!{MONTH})[A-Z][a-z]{{2,20}}+(?<!teen)(?<!ty) (?P<count>[1-9]\d{{0,6}}))"
    r"|(?P<underscored>(?:[A-Za-z]{1,20}_){1,6}(?P<last>\d{1,10})))"
    r"|(?=[-\d])(?:"
    r"(?P<moment>(?P<day>\d{4}-\d\d-\d\d)T(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<seconds>[0-5]\d)(?P<zone>Z)?)"
    r"|(?P<date>\d{4}-\d\d-\d\d)"
    r"|(?P<clock>(?:[01]\d|2[0-3]):[0-5]\d)(?P<second>:[0-5]\d)"
    r"|(?P<plain>-?[1-9]\d{0,6}|-?(?!19|20)[1-9]\d{7}|[1-9]\d{8,40}|0"
    r"|(?!\d{1,3}\.\d{3}\Z)(?:0|[1-9]\d{0,3})\.\d{0,4}[1-9]))",
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


def stated_by_each(texts: Iterable[str]) -> list[Stated]:
    """Return what each of many texts states, as `stated_by` does."""
    return [_remembered(text) if len(text) <= REMEMBERED else _scanned(text) for text in texts]


def evidence_forms(messages: Sequence[Message]) -> frozenset[str]:
    """Return the forms that tools said in these messages: what is evidence no more once they have left unread."""
    segments = (segment.text for message in messages for segment in said_by_tools(message))
    return frozenset(form for text in segments for leaf in leaf_texts(text) for form in stated_by(leaf).forms)


@lru_cache(maxsize=4_096)
def _remembered(text: str) -> Stated:
    known = _short_cut(text)
    if known is not None:
        return known
    return _scanned(text)


def _short_cut(text: str) -> Stated | None:
    match = _SHORT_CUTS.fullmatch(text)
    return None if match is None else _BY_SHAPE[match.lastgroup or "word"](match)


def _word(_match: re.Match[str]) -> Stated:
    return _NOTHING


def _plain(match: re.Match[str]) -> Stated:
    return Stated((match.group(),))


def _code(match: re.Match[str]) -> Stated:
    form, number = match.group().casefold(), match["number"]
    is_part = match["joined"] and len(number) >= spellings.SHORTEST_SEGMENT
    return Stated((form, spellings.PART + number) if is_part else (form,))


def _mixed(match: re.Match[str]) -> Stated:
    return Stated((match.group().casefold(),))


def _labelled(match: re.Match[str]) -> Stated:
    return Stated((match["count"],))


def _underscored(match: re.Match[str]) -> Stated:
    form, number = match.group().casefold(), match["last"]
    return Stated((form, spellings.PART + number) if len(number) >= spellings.SHORTEST_SEGMENT else (form,))


def _email(match: re.Match[str]) -> Stated:
    return Stated((match.group().casefold(), spellings.PART + match["local"].casefold()))


def _clock(match: re.Match[str]) -> Stated:
    clock, second = match["clock"], match["second"]
    return Stated((clock,), (clock + second,)) if second == ":00" else Stated((clock + second, clock))


def _day(match: re.Match[str]) -> Stated | None:
    forms = _date(match.group())
    return None if forms is None else Stated(forms)


def _moment(match: re.Match[str]) -> Stated | None:
    day, hour, minute, second = match["day"], match["hour"], match["minute"], match["seconds"]
    forms = _date(day)
    if forms is None:
        return None
    clock = f"{hour}:{minute}"
    clocks = (clock,) if second == "00" else (f"{clock}:{second}", clock)
    local = f"{day}t{clocks[0]}"
    if match["zone"] is None:
        told: tuple[str, ...] = (local,)
    else:
        told = (spellings.INSTANT + local, spellings.utc_clock_form(clock), f"{local} {spellings.ANY_UNIT}")
        if second != "00":
            told = (*told, f"{spellings.PART}{spellings.INSTANT}{day}t{clock}")
    stated = (*told, *forms, *clocks)
    spelled = match.group().casefold()
    return Stated(stated, () if spelled in stated else (spelled,))


_BY_SHAPE: dict[str, Callable[[re.Match[str]], Stated | None]] = {
    "word": _word,
    "plain": _plain,
    "code": _code,
    "mixed": _mixed,
    "labelled": _labelled,
    "underscored": _underscored,
    "second": _clock,
    "date": _day,
    "email": _email,
    "moment": _moment,
}


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
