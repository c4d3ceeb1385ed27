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
_STAMP_CLOCK = re.compile(
    r"(?<!\d)(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?(?!\d)"
)
_STAMP_ZONE = re.compile(r"[-+]\d\d:?\d\d|(?<![A-Za-z])(?:Z|[A-Z]{3,4})(?![A-Za-z])")
_COMPACT = re.compile(
    r"\d{8}T(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?(?P<fraction>(?!))?"
    r"(?P<zone>Z|[-+]\d{4})?"
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
    yield from _moment(text, start, _clocked((year, month, day), match, match["zone"]), parts)


def read_stamp(text: str, start: int) -> Iterator[Value]:
    """Read a day with its month as a word, as logs and mails write it: `04/Jul/2025:15:05:07 +0000`, `4-Jul-2025`.

    Also `Jan 6 14:03:51 2026 +0530`. Nothing when the calendar has no such day.
    """
    clock = _STAMP_CLOCK.search(text)
    head, tail = (text, "") if clock is None else (text[: clock.start()], text[clock.end() :])
    found = _STAMP_ZONE.search(tail)
    rest = tail if found is None else tail[: found.start()] + tail[found.end() :]
    month = spellings.month_number(_MONTH.search(head).group())  # type: ignore[union-attr] # the pattern has one
    day, year = map(int, _NUMBERS.findall(head + " " + rest))
    if not spellings.is_date(year, month, day):
        return
    if clock is None:
        yield _date(text, start, year, month, day)
        return
    written = head.rstrip(" :T")
    parts = (_date(written, start, year, month, day), *read_clock(clock.group(), start + clock.start()))
    zone = None if found is None else found.group()
    yield from _moment(text, start, _clocked((year, month, day), clock, zone), parts)


def read_compact(text: str, start: int) -> Iterator[Value]:
    """Read `20250704T150500Z`, which may also be a name. Nothing when the calendar has no such day."""
    day = (int(text[:4]), int(text[4:6]), int(text[6:8]))
    match = _COMPACT.fullmatch(text)
    if match is None or not spellings.is_date(*day):
        return
    clock = f"{match['hour']}:{match['minute']}" + (f":{match['second']}" if match["second"] else "")
    parts = (_date(text[:8], start, *day), *read_clock(clock, start))
    name = Lookup(spellings.PART + text.casefold(), "part")
    for value in _moment(text, start, _clocked(day, match, match["zone"]), parts):
        if value.kind == "datetime":
            yield value._replace(other=(*value.other, name), pieces=())


def _clocked(day: tuple[int, int, int], clock: re.Match[str], zone: str | None) -> spellings.Moment:
    hour, minute, second = int(clock["hour"]), int(clock["minute"]), int(clock["second"] or 0)
    return spellings.Moment(*day, hour, minute, second, clock["fraction"] or "", spellings.zone_offset(zone or ""))


def _moment(text: str, start: int, moment: spellings.Moment, parts: tuple[Value, ...]) -> Iterator[Value]:
    """Yield the value of a moment whose day and, if there is such a clock, clock are `parts`."""
    if len(parts) == 1 or moment.hour == _LAST_HOUR:
        yield from parts  # `2024-05-21T25:61` is a day, and something that is no clock
        return
    stated = (*spellings.moment_forms(moment), *(form for part in parts for form in part.stated))
    forms = spellings.moment_lookups(moment)
    value = Value("datetime", text, start, start + len(text), forms[0], tuple(dict.fromkeys(stated)), distinctive=True)
    other = tuple(map(Lookup, forms[1:]))
    instant = spellings.instant_form(moment)
    if instant is not None and parts[1].text.count(":") == 1:  # less exact than a tool that says the second
        other = (*other, Lookup(spellings.PART + instant, "part"))
    # Another zone's clock is another moment, so with a zone the parts alone say nothing.
    yield value._replace(other=other, pieces=parts if moment.zone is None else ())


def read_slashed(text: str, start: int) -> Iterator[Value]:
    """Read a day written with slashes, in the order or orders the calendar allows. Nothing when it allows none."""
    numbers = [int(number) for number in _NUMBERS.findall(text)]
    if text[:4].isdecimal():  # a year
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


def read_day_first(text: str, start: int) -> Iterator[Value]:
    """Read `14-03-2026` as with slashes. It may also be part of a name."""
    for value in read_slashed(text, start):
        yield value._replace(other=(*value.other, Lookup(spellings.PART + text, "part")))


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


def read_day_range(text: str, start: int) -> Iterator[Value]:
    """Read `March 14-18, 2026` or `14-18 March 2026` as its two ends. Nothing when they do not rise in the calendar."""
    month = spellings.month_number(_MONTH.search(text).group())  # type: ignore[union-attr] # the pattern has one
    first, last, *years = map(int, _NUMBERS.findall(text))
    year = years[0] if years else None
    if not 0 < first < last or not spellings.is_date(year or 2000, month, last):
        return
    joint = text.index("-")
    yield _date(text[:joint], start, year, month, first)
    yield _date(text[joint + 1 :], start + joint + 1, year, month, last)


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
    segment = (Lookup(spellings.PART + forms[0], "part"),) if year is not None else ()  # `logs/2024-05-21/app.log`
    return forms, (*segment, Lookup(spellings.POSSIBLE + forms[0], "ambiguous")), partial


def read_clock(text: str, start: int) -> Iterator[Value]:
    """Read a clock on either dial. Nothing when no clock shows it."""
    numbers = [int(number) for number in _NUMBERS.findall(text)]
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
        twin = spellings.clock_form((hour + 12) % 24, minute)
        other.append(Lookup(twin, "ambiguous"))
        stated.append(spellings.POSSIBLE + twin)
    yield Value("clock", text, start, start + len(text), form, tuple(stated), other=tuple(other), distinctive=True)


def read_dotted_clock(text: str, start: int) -> Iterator[Value]:
    """Read `2.15pm`: a token, and a clock only for who reads it so. Nothing when no clock shows it."""
    form = text.casefold()
    for clock in read_clock(text, start):
        stated = (form, spellings.RARE + clock.form)
        yield Value("clock", text, start, start + len(text), form, stated, distinctive=True, rare=(clock.form,))
