"""Reading dates, clocks, and both in one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date as calendar_date
from functools import lru_cache

from foldproof.evidence import spellings
from foldproof.evidence.grammar import MONTH
from foldproof.evidence.values import Lookup, Value

_MONTH = re.compile(MONTH)
_NUMBERS = re.compile(r"\d+")
_HALF = re.compile(r"(?i)[ap](?=\.?m)")
_DATETIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[Tt ]"
    r"(?P<clock>(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)"
    r"\ ?(?P<zone>[Zz]|[-+]\d\d:?\d\d|[A-Z]{3,4})?"
)
_LAST_HOUR = 24
_LAST_MINUTE = 59
_LAST_DAY = 31


def read_iso(text: str, start: int) -> Iterator[Value]:
    """Read `2024-05-21`, alone or with a clock. Nothing when the calendar has no such day."""
    year, month, day = map(int, text[:10].split("-"))
    if not spellings.is_date(year, month, day):
        return
    match = _DATETIME.fullmatch(text)
    if match is None:
        yield _date(text, start, year, month, day)
        return
    parts = (_date(match["day"], start, year, month, day), *read_clock(match["clock"], start + match.start("clock")))
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if len(parts) == 1 or hour == _LAST_HOUR:
        yield from parts  # `2024-05-21T25:61` is a day, and something that is no clock
        return
    zone = spellings.zone_offset(match["zone"] or "")
    moment = spellings.Moment(year, month, day, hour, minute, second, match["fraction"] or "", zone)
    stated = (*spellings.moment_forms(moment), *(form for part in parts for form in part.stated))
    forms = spellings.moment_lookups(moment)
    value = Value("datetime", text, start, start + len(text), forms[0], tuple(dict.fromkeys(stated)), distinctive=True)
    other = tuple(map(Lookup, forms[1:]))
    # Another zone's clock is another moment, so with a zone the parts alone say nothing.
    yield value._replace(other=other, pieces=parts if zone is None else ())


def read_slashed(text: str, start: int) -> Iterator[Value]:
    """Read a day written with slashes, in the order or orders the calendar allows. Nothing when it allows none."""
    numbers = [int(number) for number in text.split("/")]
    if len(text.partition("/")[0]) == 4:  # noqa: PLR2004 - a year
        orders = [(numbers[0], numbers[1], numbers[2])]
    else:
        orders = [(numbers[2], numbers[0], numbers[1]), (numbers[2], numbers[1], numbers[0])]
    days = [order for order in dict.fromkeys(orders) if spellings.is_date(*order)]
    if len(days) == 1:
        yield _date(text, start, *days[0])
    elif days:
        readings = [form for day in days for form in spellings.date_forms(*day)]  # 04/05/2024: in April or in May
        possible = dict.fromkeys(spellings.POSSIBLE + form for form in readings)
        stated = (text, *possible, spellings.date_forms(*days[0])[-1])
        other = tuple(Lookup(spellings.date_forms(*day)[0], "ambiguous") for day in days)
        yield Value("date", text, start, start + len(text), text, stated, other=other, distinctive=True)


def read_dotted(text: str, start: int) -> Iterator[Value]:
    """Read `15.03.2024`: the day, the month, the year, and nobody writes them in another order with dots.

    It may also be a version, for whoever writes `v15.03.2024`. Nothing when the calendar has no such day.
    """
    day, month, year = map(int, text.split("."))
    if spellings.is_date(year, month, day):
        value = _date(text, start, year, month, day)
        yield value._replace(stated=(*value.stated, text), other=(Lookup(text), *value.other))


def read_named_date(text: str, start: int) -> Iterator[Value]:
    """Read a date with its month as a word. Nothing when the calendar has no such day."""
    month = spellings.month_number(_MONTH.search(text).group())  # type: ignore[union-attr] # the pattern has one
    numbers = [int(number) for number in _NUMBERS.findall(text)]
    year = next((number for number in numbers if number > _LAST_DAY), None)
    day = next((number for number in numbers if number <= _LAST_DAY), None)
    if spellings.is_date(year or 2000, month, day or 1):
        yield _date(text, start, year, month, day)


def read_week_date(text: str, start: int) -> Iterator[Value]:
    """Read an ISO week date, `2024-W09-7`: a day only for who reads it so. Nothing when there is no such week."""
    year, week, day = int(text[:4]), int(text[6:8]), int(text[-1])
    try:
        read = calendar_date.fromisocalendar(year, week, day)
    except ValueError:
        return
    form, rare = text.casefold(), read.isoformat()
    stated = (form, spellings.RARE + rare)
    yield Value("date", text, start, start + len(text), form, stated, distinctive=True, rare=(rare,))


def _date(text: str, start: int, year: int | None, month: int, day: int | None) -> Value:
    forms, other, partial = _readings(year, month, day)
    end = start + len(text)
    return Value("date", text, start, end, forms[0], forms, None, other, 0, True, (), partial)  # noqa: FBT003 - distinctive


@lru_cache(maxsize=4_096)
def _readings(
    year: int | None, month: int, day: int | None
) -> tuple[tuple[str, ...], tuple[Lookup, ...], tuple[str, str] | None]:
    forms = spellings.date_forms(year, month, day)
    known = year is not None and day is not None
    partial = (f"--{month:02}-{day:02}{spellings.POSSIBLE}", str(year)) if known else None
    return forms, (Lookup(spellings.POSSIBLE + forms[0], "ambiguous"),), partial


def read_clock(text: str, start: int) -> Iterator[Value]:
    """Read a clock on either dial. Nothing when no clock shows it."""
    numbers = [int(number) for number in _NUMBERS.findall(text)[:3]]
    hour, minute, second = (*numbers, 0, 0)[:3]
    if minute > _LAST_MINUTE or second > _LAST_MINUTE or hour > _LAST_HOUR:
        return
    half = _HALF.search(text)
    if half and hour <= 12:  # noqa: PLR2004 - `13:00 PM` says its half twice
        hour = hour % 12 + (12 if half.group().lower() == "p" else 0)
    form = spellings.clock_form(hour % 24, minute, second)
    stated = [form] if not second else [form, spellings.clock_form(hour % 24, minute)]
    other = [Lookup(spellings.POSSIBLE + form, "ambiguous")]
    if not half and len(numbers) == 2 and 1 <= hour <= 12 and text[0] != "0":  # noqa: PLR2004 - 8:15 may be 20:15
        twin = spellings.clock_form((hour + 12) % 24, minute, second)
        other.append(Lookup(twin, "ambiguous"))
        stated.append(spellings.POSSIBLE + twin)
    yield Value("clock", text, start, start + len(text), form, tuple(stated), other=tuple(other), distinctive=True)


def read_dotted_clock(text: str, start: int) -> Iterator[Value]:
    """Read `2.15pm`: a token, and a clock only for who reads it so. Nothing when no clock shows it."""
    form = text.casefold()
    for clock in read_clock(text.replace(".", ":", 1), start):
        stated = (form, spellings.RARE + clock.form)
        yield Value("clock", text, start, start + len(text), form, stated, distinctive=True, rare=(clock.form,))
