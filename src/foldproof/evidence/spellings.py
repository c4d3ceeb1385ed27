"""What is the same value: the one owner of how a spelling becomes a form.

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
| `…4471` | `ORD-4471` | a whole segment of a longer identifier, date, path or address |
| `?141` | `107,141,108` | a reading that the spelling allows but does not say |
| `^3f2a91c` | a hash of 32 digits or more | the hash, abbreviated to 7 to 12 of its digits |
| `https://host/Path` | `HTTPS://Host/Path` | an address: scheme and host without regard to case (RFC 3986 6.2.2.1) |
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Literal

ANY_UNIT = "¤"
PART = "…"
POSSIBLE = "?"
PREFIX = "^"

_LARGEST_EXPONENT = 400
_LONGEST_EXPONENT = 5
_EXACT_DIGITS = 15

UNITS: dict[str, tuple[str, ...]] = {
    "%": ("%", "percent", "per cent", "pct"),
    "bps": ("bps", "basis point", "basis points"),
    "percentage points": ("percentage point", "percentage points"),
    "usd": ("$", "us$", "usd", "dollar", "dollars"),
    "eur": ("€", "eur", "euro", "euros"),
    "gbp": ("£", "gbp"),
    "jpy": ("jpy", "yen"),
    "chf": ("chf",),
    "inr": ("₹", "inr", "rupee", "rupees"),
    "yen or yuan": ("¥",),
    "kb": ("kb", "kib"),
    "mb": ("mb", "mib"),
    "gb": ("gb", "gib"),
    "tb": ("tb", "tib"),
    "ms": ("ms",),
}
"""Units by canonical name. ¥ is yen or yuan and says neither."""

UNIT_OF: dict[str, str] = {spelling: unit for unit, spellings in UNITS.items() for spelling in spellings}

_CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "inr", "chf"})

SCALES: dict[str, int] = {
    "k": 3,
    "thousand": 3,
    "m": 6,
    "mm": 6,
    "mn": 6,
    "million": 6,
    "b": 9,
    "bn": 9,
    "billion": 9,
    "trillion": 12,
}
"""Words and letters that scale a number, as powers of ten."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_GROUPING = str.maketrans("", "", ",'_\u00a0 ")
_SEPARATORS = tuple(map(re.compile, (r"[/:@#?=&%+]+", r"[-/:@#?=&%+]+", r"[-_/:@#?=&%+]+", r"[-_./:@#?=&%+]+")))
_HEXADECIMAL = re.compile(r"[0-9a-f]+", re.ASCII)
SHORTEST_SEGMENT = 4
CURRENCY_CODES = "USD|EUR|GBP|JPY|INR|CHF|CNY|CAD|AUD|NZD|AED|SEK|NOK|DKK|PLN|BRL|MXN|ZAR|SGD|HKD|KRW"
"""ISO 4217 codes that make a number money, as alternatives of a pattern."""

_MOST_CUTS = 16
_SHORTEST_HASH = 32
_ABBREVIATED = (7, 13)


@lru_cache(maxsize=65_536)
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
    whole = whole.rjust(-power + 1, "0")
    return whole[:power], whole[power:] + fraction


def without_float_noise(number: str) -> str:
    """Return a canonical number rounded to 15 significant digits when its fraction runs past what a double holds."""
    digits = number.lstrip("-0.").replace(".", "")
    if "." not in number or len(digits) <= _EXACT_DIGITS:
        return number
    return canonical_number(f"{Decimal(number):.{_EXACT_DIGITS}g}")


def ungrouped(spelling: str) -> str:
    """Return a number's spelling without its grouping characters, its decimal sign a dot.

    With two different separators the last one is the decimal sign (`1.234.567,89`); several dots alone group.
    """
    if spelling.rfind(",") > spelling.rfind(".") >= 0 or spelling.count(".") > 1:
        spelling = spelling.replace(".", "").replace(",", ".")
    return spelling.translate(_GROUPING)


def kind_of_unit(unit: str) -> Literal["percent", "money", "quantity"]:
    """Return what a number with this unit is."""
    return "percent" if unit in ("%", "bps", "percentage points") else "money" if unit in _CURRENCIES else "quantity"


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


def identifier_form(text: str) -> str:
    """Return the form of an identifier: casefolded, without the `v` of a version or the `urn:uuid:` of a UUID."""
    form = text.casefold().removeprefix("urn:uuid:")
    return form[1:] if form[:1] == "v" and form[1:2].isdecimal() and "." in form else form


def segments(form: str) -> tuple[str, ...]:
    """Return the segments of a longer identifier that hold a digit and are long enough to be told apart (4).

    A segment is a run between separators, or between two of the coarser ones: of `nginx:1.25.3-alpine`, `1.25.3` and
    `1.25.3-alpine`. Of a path, what stands behind a slash is one; of a place in a file, what stands ahead of a colon.
    """
    found: dict[str, None] = {}
    for separators in _SEPARATORS:
        found |= dict.fromkeys(separators.split(form))
    for mark in list(re.finditer("[/:]", form))[:_MOST_CUTS]:
        found[form[mark.end() :] if mark.group() == "/" else form[: mark.start()]] = None
    found.pop(form, None)
    told = (piece for piece in found if len(piece) >= SHORTEST_SEGMENT and any(map(str.isdecimal, piece)))
    return tuple(dict.fromkeys(map(identifier_form, told)))


def hash_prefixes(form: str) -> tuple[str, ...]:
    """Return the abbreviations (7 to 12 digits) under which a hash of 32 hexadecimal digits or more is known."""
    if len(form) < _SHORTEST_HASH or not _HEXADECIMAL.fullmatch(form):
        return ()
    return tuple(PREFIX + form[:length] for length in range(*_ABBREVIATED))


def is_short_hash(form: str) -> bool:
    """Whether an identifier may abbreviate a hash."""
    return len(form) in range(*_ABBREVIATED) and _HEXADECIMAL.fullmatch(form) is not None


def address_form(url: str) -> str:
    """Return the form of a URL: scheme and host lower case, no slash behind a bare host."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}" + (slash + path if path else "")


def folded_form(form: str) -> str:
    """Return a form handed in from outside (a declaration, another system's lineage) as this module writes it."""
    return form if "://" in form else form.casefold()
