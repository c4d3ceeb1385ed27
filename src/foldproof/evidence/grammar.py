"""The pieces that the patterns of values are made of: where a token starts and ends, numbers, months, units.

Text has been folded (`characters`) before any of these sees it. Every repetition is bounded, or stands where a match
can start only once in a run, so that hostile text costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from foldproof.evidence import units
from foldproof.evidence.units import CURRENCY_CODES

EDGE = (
    r"(?<!\w)(?:(?<!\w[-./:@])|(?<=:\d\d-)(?=\d\d?:\d\d)|(?<=[AaPp][Mm]-)(?=\d\d?(?::\d\d)?\s?[AaPp]\.?[Mm])"
    r"|(?<=\d{4}-\d\d-\d\d/)(?=\d{4}-\d\d-\d\d(?!\w)))"
)
"""Where a token may start: behind no letter or digit, and behind none that a `-` or the like joins to it.

The other end of a range of clocks or of days starts behind its joint.
"""

END = r"(?!\w)(?![-/:@]\w)(?!\.[\da-z])"

MONTH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\w)(?![.:/]\d)"
YEAR = r"(?:1[0-9]|2[01])\d\d(?!\w)(?![-.,:/]\d)"
HALF = r"(?i:[ap](?:m|\.m\.?)(?!\w))"

GAP = r"[ \u00a0]"
_POWER = rf"(?:{GAP}?[\u00d7x*]{GAP}?10\^[-+]?(?:\^?\d){{1,3}}(?![\w^]))"
NUMBER = (
    r"(?:\d{1,3}(?:\.\d{3}){1,12},\d+|\d{1,3}(?:\.\d{3}){2,12}(?![.\d])"
    r"|(?:(?<!\w,)\d{1,3}(?:,\d{3}){1,12}(?!,?\d)|\d{1,2}(?:,\d{2}){1,12},\d{3}(?!,?\d)|\d{1,3}(?:'\d{3}){1,12}(?!\d)"
    r"|\d{1,3}(?:\u00a0\d{3}){1,12}(?:,\d{1,9}(?![.,]?\d|\u00a0\d))?(?!\d)|\d{1,3}(?:_\d{3}){1,12}(?!\d)"
    rf"|(?<!\w,)\d{{1,9}},(?:\d{{1,2}}|\d{{4,9}})(?![.,]?\d|\w)|\d+)(?:\.\d+)?"
    rf"(?:[eE][-+]?\d{{1,3}}(?!\w)|{_POWER})?|(?<!\.)\.\d+)"
)
"""A number without its sign or unit. `1,8260` and `19,99` have a decimal comma, or list two numbers."""

SPACED = rf"\d{{1,3}}(?:{GAP}\d{{3}}){{1,5}}(?:,\d{{1,9}})?(?![.,]?\d)"
"""A number grouped by spaces. Plain ones stand between two numbers oftener, so something must be behind it."""

SCALE = r"(?i:thousand|million|billion|trillion|bn|mn)(?!\w)"


def any_of(spellings: Collection[str]) -> str:
    """Return a pattern of any of these spellings, the longest first, which looks at each character once."""
    rest: dict[str, list[str]] = {}
    for spelling in sorted(filter(None, spellings)):
        rest.setdefault(spelling[0], []).append(spelling[1:])
    branches = [re.escape(first) + any_of(others) for first, others in rest.items()]
    if "" in spellings:
        return f"(?:{'|'.join(branches)})?" if branches else ""
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


_CASED = any_of([spelling for spelling in units.CASED if len(spelling) > 1])
UNIT = (
    r"(?:%|[$€£¥₹](?!\w)|°\ ?[CF](?!\w)|[℃℉]|(?=[a-zA-Zμ])(?:"
    rf"(?i:{any_of(units.IN_ANY_CASE)})|{_CASED}(?!\ dollar)|(?=[A-Z]{{3}}(?!\w))(?:{CURRENCY_CODES}))(?![\w/]))"
)
"""A unit that may stand apart from its number. Letters that are also prose (`5 in`, `3 m`, `2 s`) are none."""

_FRACTION = "|".join(rf"(?<=[.,]\d{{{length}}}{GAP})" for length in range(1, 10))
LETTER = rf"(?:(?=[sh](?![\w'/]))(?:{_FRACTION})[sh])"
"""Seconds and hours by their letter, apart: `1.53 s`. Behind a whole number it may be anything (`2 s`, `7 h`)."""

_SPACED_DECIMAL = r"(?:(?<=,\d)|(?<=,\d\d))"
SPACED_AND_SAID = rf"(?=\d{{1,3}}{GAP}\d)(?:{SPACED}(?:{_SPACED_DECIMAL}|(?={GAP}?(?:{SCALE}|{UNIT}|(?<=\ ){LETTER}))))"
"""A number grouped by spaces with something behind it that says so: a decimal comma, or a unit."""

MEASURE = rf"(?:(?:st|nd|rd|th)|(?:(?:{GAP}|-)?{SCALE})?(?:{GAP}?{UNIT}|{GAP}{LETTER})?)"
_GLUED_CODES = "USD|EUR|GBP|JPY|INR|CHF|CNY|CAD|AUD|NZD|AED|SEK|NOK|DKK|PLN|BRL|MXN|ZAR|SGD|HKD|KRW"
GLUED_CURRENCY = rf"(?:{_GLUED_CODES})\d"
"""How an identifier must not start: `USD20` is money, where `BOB123` is none."""
CURRENCY = (
    rf"(?:(?:[A-Z]{{1,3}})?\$|[€£¥₹]|(?=[A-Z]{{3}}[\s\d])(?:(?:{_GLUED_CODES})(?=[\s\d])|(?:{CURRENCY_CODES})(?=\s)))"
)

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
COUNTRY_PHONE = (
    r"\+(?=[1-9](?:[-. ]?\(?\d\)?){6})"
    rf"(?!(?:\d+|\d{{1,3}}(?:[. ]\d{{3}})+)(?:[.,]\d{{1,9}})?{GAP}?(?:{SCALE}|{UNIT}))"
    r"(?![-\d ()]{1,24}[.,]\d{1,2}(?![.\d])|\d{1,3}(?:\.\d{3}){1,5},\d|\d{1,3}(?:\.\d{3}){2}(?![-. ]?\d)|\d{16})"
    rf"(?!{_OCTET}(?:\.{_OCTET}){{3}}(?![.\d])|\d\d?\.\d\d?\.\d{{4}}(?!\d)"
    r"|[-. \d]{0,24}(?<!\d)\d{4}-\d\d-\d\d(?!\d))"
    r"\d(?:[-. ]?\(?\d{1,4}(?:\)(?=[-. ]?\d))?){2,7}+"
)
"""A phone number with its country: seven digits or more, and no number with a plus that has a unit or a fraction.

Neither is it an address of a network, nor a date, as they open the lines of a difference between files.
"""

DURATION = (
    r"(?=\d{1,4}\ ?[dhm][a-z]{0,6}(?:,?\ (?:and\ )?)?\d)(?:\d{1,4}\ ?d(?:ays?)?(?:,?\ (?:and\ )?)?)?"
    r"(?:\d{1,4}\ ?h(?:ours?|rs?)?(?:,?\ (?:and\ )?)?)?(?:\d{1,4}\ ?m(?:in(?:ute)?s?)?(?:,?\ (?:and\ )?)?)?"
    r"(?:\d{1,4}(?:\.\d{1,9})?\ ?s(?:ec(?:ond)?s?)?)?(?<=[a-z])"
)
"""A duration of several units: `1h30m`, `2 hours and 5 minutes`."""
