"""Offsets of days that a text states (`the next day`, `two weeks later`, `+1`), for dates that follow from others."""

from __future__ import annotations

import re
from datetime import date, timedelta

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {name: number for number, name in enumerate(_WORDS, 1)} | {"a": 1, "an": 1}
LONGEST_OFFSET = 366  # days
_DAYS = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_AMOUNT = rf"(?P<amount>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_OFFSETS = re.compile(
    rf"(?<!\w)(?:(?P<next>(?:next|following)[ -]day|day after|tomorrow|day later|overnight)"
    r"|(?P<before>day (?:before|earlier|prior)|previous day|prior day|yesterday|(?:back|earlier by) (?:one|a|1) day)"
    rf"|{_AMOUNT}[ -](?P<unit>day|night|week|fortnight)s?(?!\w)(?:[ ](?P<way>\w{{2,8}}))?)"
    r"|(?<![\w.,])\+(?P<plus>[1-3])(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_BEHIND_CLOCK = re.compile(r"(?<=:\d\d)\+([1-3])(?!\w|[.,:]\d)")
_BACK = frozenset(["before", "earlier", "ago", "prior", "sooner", "back"])
_ON = frozenset(["after", "later", "from", "on", "forward"])


def stated_offsets(text: str) -> frozenset[int]:
    """Return the offsets in days that a text states; one without a direction counts both ways."""
    found: set[int] = set()
    for match in _OFFSETS.finditer(text):
        if match["next"]:
            found.add(1)
        elif match["before"]:
            found.add(-1)
        elif match["unit"]:
            found |= _ways(_number(match["amount"]) * _DAYS[match["unit"].lower()], (match["way"] or "").lower())
        else:
            found.add(int(match["plus"]))
    return frozenset(offset for offset in found if offset and abs(offset) <= LONGEST_OFFSET)


def offsets_behind_clocks(text: str) -> frozenset[int]:
    """Return the days that a timetable adds to a clock: `00:30:00+1` arrives on the next day."""
    return frozenset(map(int, _BEHIND_CLOCK.findall(text)))


def offset_form(days: int) -> str:
    """Return the form under which an offset that the person stated is kept, so that a fold keeps it too."""
    return f"{days:+} days"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS[text.lower()]


def _ways(days: int, way: str) -> set[int]:
    return {-days} if way in _BACK else {days} if way in _ON else {days, -days}


def day_before(day: str, days: int) -> str | None:
    """Return the date `days` before the ISO date `day`, or None when there is none."""
    try:
        return (date.fromisoformat(day) - timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return None
