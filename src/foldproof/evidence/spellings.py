r"""What is the same value: the one owner of how a spelling becomes a form.

A *form* is the canonical text under which a value is looked up. Both sides go through the functions below, so a value
that a tool said and a value that an answer states meet whenever they are the same value. Applying a function to its own
output changes nothing.

| form | from | means |
|---|---|---|
| `1234.5` | `1,234.50`, `1.2345e3` | a number, exact at any size, without a unit |
| `190 usd`, `85 %` | `$190.00`, `85 percent` | a number with its unit |
| `190 ¤` | `$190.00` | a number with *some* unit, for a statement that names none |
| `ord-4471`, `00123` | `#ORD-4471` | an identifier, without regard to case; leading zeros are identity |
| `2024-05-21`, `--05-21`, `2024-05` | `May 21, 2024` | a date, and what is left of it without year or day |
| `--05-21?` | `May 21` | a day of a year that was not said |
| `13:00`, `13:00:25` | `1 PM`, `13:00:25` | a clock; zero seconds are not written |
| `2024-05-21t13:00` | `2024-05-21 13:00:00` | a moment without a zone |
| `2024-05-21t13:00 ¤` | `2024-05-21T13:00:00-04:00` | a moment with *some* zone |
| `@2024-05-21t17:00`, `@t17:00` | `2024-05-21T13:00:00-04:00` | the instant, and its clock to the minute, in UTC |
| `…@2024-05-21t17:00` | `2024-05-21T17:00:25Z` | the instant, to the minute |
| `5400 s`, `90 min` | `1h30m0s`, `1h30m` | a duration, in the smallest unit it was said in |
| `12,34` | `12,34` | what stands for a decimal comma and for a list of two numbers alike |
| `1.2.3`, `v3.10` | `v1.2.3`, `v3.10` | a version; of two numbers, its zeros are identity |
| `…v1.2` | `1.2.3` | a less specific version |
| `src/app.py` | `.\src\app.py` | a path, without regard to case |
| `tel:+14258038080` | `+1 425-803-8080` | a phone number with its country |
| `tel:4258038080` | `(425) 803-8080` | a phone number without its country |
| `tel:4258038080 ¤` | `+1 425-803-8080` | the national number, for a statement that names no country |
| `00:1a:2b:3c:4d:5e` | `001a.2b3c.4d5e` | a hardware address |
| `550e8400-e29b-…` | `{550E8400E29B…}` | a UUID, in its five groups |
| `…4471` | `ORD-4471` | a whole segment of a longer identifier, date, path or address |
| `…:142` | `src/app.py:142` | the line of a place in a file |
| `?141` | `107,141,108` | a reading that the spelling allows but does not say |
| `^3f2a91c` | a hash of 12 digits or more | the hash or UUID, abbreviated to 7 to 16 of its digits |
| `~14:15` | `2.15pm` | a rare reading of the spelling, for who asks for those |
| `https://host/Path` | `HTTPS://Host/Path` | an address: scheme and host without regard to case (RFC 3986 6.2.2.1) |
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from foldproof.evidence import units

ANY_UNIT = "¤"
PART = "…"
POSSIBLE = "?"
PREFIX = "^"
RARE = "~"
INSTANT = "@"

DIMENSIONS = units.DIMENSIONS
"""For each unit that can be converted: its dimension, and the factor to the dimension's base unit."""

_LARGEST_EXPONENT = 400
_LONGEST_EXPONENT = 5
_EXACT_DIGITS = 15

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = {
    **dict.fromkeys(("Z", "z", "UTC", "GMT"), 0),
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
    "CET": 1,
    "CEST": 2,
}
_GROUPING = str.maketrans("", "", ",'_\u00a0 ")
_SEPARATORS = tuple(map(re.compile, (r"[/:@#?=&%+]+", r"[-/:@#?=&%+]+", r"[-_/:@#?=&%+]+", r"[-_./:@#?=&%+]+")))
_NEITHER = re.compile(r"[^a-z0-9]")
_JOINTS = frozenset("-_./:@#?=&%+")
_HEXADECIMAL = re.compile(r"[0-9a-f]+", re.ASCII)
SHORTEST_SEGMENT = 4
_VERSION_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,8}")
_MOST_CUTS = 16
SHORTEST_HASH = 12
_HASH = 32
LONGEST_ABBREVIATED = 16
_ABBREVIATED = (7, LONGEST_ABBREVIATED + 1)


@lru_cache(maxsize=4_096)
def canonical_number(literal: str, *, scale: int = 0) -> str:
    """Return a decimal literal (optional sign, fraction, exponent; no grouping) as a plain decimal string.

    `scale` multiplies by a power of ten. Exact at any size: digits are moved, never computed in floating point. An
    exponent beyond ±400 is not written out. Raises `ValueError` when `literal` is no number.
    """
    if scale == 0 and literal.isdecimal() and literal.isascii():
        return literal.lstrip("0") or "0"
    mantissa, _, exponent = literal.lower().partition("e")
    power = int(exponent or 0) + scale if len(exponent) <= _LONGEST_EXPONENT else _LARGEST_EXPONENT + 1
    if abs(power) > _LARGEST_EXPONENT:
        return literal.lower()
    negative = mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    whole, fraction = _shifted(whole, fraction, power)
    digits = (whole.lstrip("0") or "0") + ("." + fraction.rstrip("0") if fraction.rstrip("0") else "")
    if not digits.replace(".", "").isdecimal():
        msg = f"not a number: {literal[:40]!r}"
        raise ValueError(msg)
    return digits if digits == "0" or not negative else f"-{digits}"


def _shifted(whole: str, fraction: str, power: int) -> tuple[str, str]:
    if power >= 0:
        fraction = fraction.ljust(power, "0")
        return whole + fraction[:power], fraction[power:]
    whole = whole.rjust(-power, "0")
    return whole[:power], whole[power:] + fraction


def without_float_noise(number: str) -> str:
    """Return a canonical number rounded to 15 significant digits when its fraction runs past what a double holds."""
    if "." not in number or len(number) <= _EXACT_DIGITS:
        return number
    return canonical_number(f"{Decimal(number):.{_EXACT_DIGITS}g}")


def ungrouped(spelling: str) -> str:
    """Return a number's spelling without its grouping characters, its decimal sign a dot.

    Behind groups apart by spaces a comma is the decimal sign, however many digits follow (`1 380,500`).
    With two different separators the last one is the decimal sign (`1.234.567,89`); several dots alone group, and a
    comma that no group of three follows is the decimal sign (`19,99`).
    """
    if spelling.rfind(",") > spelling.rfind(".") >= 0 or spelling.count(".") > 1:
        spelling = spelling.replace(".", "").replace(",", ".")
    elif (
        spelling.count(",") == 1
        and "." not in spelling
        and (
            len(spelling.partition(",")[2]) != 3 or " " in spelling or "\u00a0" in spelling  # noqa: PLR2004
        )
    ):
        spelling = spelling.replace(",", ".")
    return spelling.translate(_GROUPING)


def number_forms(number: str, unit: str | None) -> tuple[str, ...]:
    """Return the forms a tool's number is indexed under, given its canonical number and unit."""
    if unit is None:
        quiet = without_float_noise(number)
        return (number,) if quiet == number else (number, quiet)
    return (f"{number} {unit}", f"{number} {ANY_UNIT}")


def number_lookups(number: str, unit: str | None) -> tuple[str, ...]:
    """Return the forms to look a stated number up under. A unit blocks a match only when both sides state one."""
    return (number, f"{number} {unit or ANY_UNIT}")


def month_number(name: str) -> int:
    """Return 1 to 12 for an English month name or its abbreviation."""
    return _MONTHS.index(name[:3].lower()) + 1


def is_date(year: int, month: int, day: int) -> bool:
    """Whether the calendar has this day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def date_forms(year: int | None, month: int, day: int | None) -> tuple[str, ...]:
    """Return the forms a tool's date is indexed under, the most specific first."""
    if year is None:
        return (f"--{month:02}-{day:02}", f"--{month:02}-{day:02}{POSSIBLE}")
    if day is None:
        return (f"{year:04}-{month:02}", f"{PART}{year}")
    return (f"{year:04}-{month:02}-{day:02}", f"--{month:02}-{day:02}", f"{year:04}-{month:02}", f"{PART}{year}")


def compact_date_forms(number: str) -> tuple[str, ...]:
    """Return the forms of a date written as `YYYYMMDD` in this century or the last; none for any other number."""
    if len(number) == 8 and number.isdecimal() and number[:2] in ("19", "20"):  # noqa: PLR2004
        year, month, day = int(number[:4]), int(number[4:6]), int(number[6:])
        if is_date(year, month, day):
            return date_forms(year, month, day)
    return ()


def clock_form(hour: int, minute: int, second: int = 0) -> str:
    """Return the form of a clock on the 24-hour dial."""
    return f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")


class Moment(NamedTuple):
    """A day and a clock: the digits of the fraction of a second, and minutes east of UTC when a zone was said."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int = 0
    fraction: str = ""
    zone: int | None = None


def zone_offset(zone: str) -> int | None:
    """Return how many minutes east of UTC a zone is (`Z`, `+05:30`, `-0400`, `EST`); None for one that is not known."""
    if zone in _ZONES:
        return _ZONES[zone] * 60
    if zone[:1] not in ("+", "-"):
        return None
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes


def local_form(moment: Moment) -> str:
    """Return the form of a moment as its own clock shows it, without its zone."""
    fraction = moment.fraction.rstrip("0")
    clock = f"{moment.hour:02}:{moment.minute:02}"
    if moment.second or fraction:
        clock += f":{moment.second:02}" + (f".{fraction}" if fraction else "")
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}t{clock}"


def instant_form(moment: Moment) -> str | None:
    """Return the form of a moment in UTC; None when no zone was said, or when it falls out of the calendar."""
    if moment.zone is None:
        return None
    local = datetime(*moment[:6])  # noqa: DTZ001 - shifted to UTC here
    try:
        utc = local - timedelta(minutes=moment.zone)
    except OverflowError:
        return None
    shifted = Moment(utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, moment.fraction)
    return INSTANT + local_form(shifted)


def utc_clock_form(clock: str) -> str:
    """Return the form of a clock in UTC, to the minute, for whoever states it in another zone."""
    return f"{INSTANT}t{clock[:5]}"


def moment_forms(moment: Moment) -> tuple[str, ...]:
    """Return the forms a tool's moment is indexed under, besides those of its day and its clock."""
    shorter = (moment.fraction, moment.fraction[:6], moment.fraction[:3], "")  # as micro- and milliseconds say it
    fractions = [moment._replace(fraction=each) for each in dict.fromkeys(shorter)]
    local = tuple(dict.fromkeys(map(local_form, fractions)))
    if moment.zone is None:
        return local
    instants = dict.fromkeys(form for form in map(instant_form, fractions) if form is not None)
    clocks = dict.fromkeys(utc_clock_form(form.partition("t")[2]) for form in instants)
    to_the_minute = instant_form(moment._replace(second=0, fraction="")) if moment.second else None
    less = () if to_the_minute is None else (PART + to_the_minute,)
    return (*instants, *clocks, *less, *(f"{form} {ANY_UNIT}" for form in local))


def moment_lookups(moment: Moment) -> tuple[str, ...]:
    """Return the forms to look a stated moment up under. Zones block a match only when both sides state one."""
    local, instant = local_form(moment), instant_form(moment)
    if moment.zone is None:
        return (local, f"{local} {ANY_UNIT}")
    return (local, f"{local} {ANY_UNIT}" if instant is None else instant)


def identifier_form(text: str) -> str:
    """Return the form of an identifier: casefolded, without the `v` of a version."""
    form = text.casefold()
    return form[1:] if form[:1] == "v" and form[1:2].isdecimal() and "." in form else form


def segments(form: str) -> tuple[str, ...]:
    """Return the segments of a longer identifier that hold a digit and are long enough to be told apart (4).

    A segment is a run between separators, or between two of the coarser ones: of `nginx:1.25.3-alpine`, `1.25.3` and
    `1.25.3-alpine`. Of a path, what stands behind a slash is one; of a place in a file, what stands ahead of a colon.
    """
    marks = _NEITHER.findall(form)
    if len(marks) < 2:  # noqa: PLR2004 - `ORD-4471` falls into two pieces
        pieces = form.split(marks[0]) if marks and marks[0] in _JOINTS else ()
        return tuple(dict.fromkeys(identifier_form(piece) for piece in pieces if _is_told(piece)))
    found: dict[str, None] = {}
    for separators in _SEPARATORS:
        found |= dict.fromkeys(separators.split(form))
    for mark in list(re.finditer("[/:]", form))[:_MOST_CUTS]:
        found[form[mark.end() :] if mark.group() == "/" else form[: mark.start()]] = None
    found.pop(form, None)
    return tuple(dict.fromkeys(identifier_form(piece) for piece in found if _is_told(piece)))


def _is_told(piece: str) -> bool:
    return len(piece) >= SHORTEST_SEGMENT and any(map(str.isdecimal, piece))


def line_form(number: str) -> str:
    """Return the form of the line of a place in a file."""
    return f"{PART}:{number}"


def hash_prefixes(form: str) -> tuple[str, ...]:
    """Return the abbreviations (7 to 16 digits) of a hash: 32 hexadecimal digits or more, or 12 that mix in letters."""
    if len(form) < SHORTEST_HASH or not _HEXADECIMAL.fullmatch(form) or (len(form) < _HASH and not is_mixed(form)):
        return ()
    return tuple(PREFIX + form[:length] for length in range(_ABBREVIATED[0], min(_ABBREVIATED[1], len(form))))


def is_mixed(form: str) -> bool:
    """Whether digits and letters both stand in it."""
    return not form.isdecimal() and any(map(str.isdecimal, form))


def is_short_hash(form: str) -> bool:
    """Whether an identifier may abbreviate a hash."""
    return len(form) in range(*_ABBREVIATED) and _HEXADECIMAL.fullmatch(form) is not None


def versions_above(form: str) -> tuple[str, ...]:
    """Return the forms of the less specific versions of `1.2.3`: `…v1.2`."""
    numbers = _VERSION_NUMBERS.match(form)
    pieces = numbers.group().split(".") if numbers else []
    return tuple(f"{PART}v{'.'.join(pieces[:count])}" for count in range(2, len(pieces)))


def folded_form(form: str) -> str:
    """Return a form handed in from outside (a declaration, another system's lineage) as this module writes it."""
    return form if "://" in form else form.casefold()
