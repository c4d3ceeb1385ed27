"""Reading numbers written in words: `twenty-five`, `one hundred and forty two`, `forty five minutes`.

A small count (`one` to `twelve`), `a dozen` and `half` are words like others, and numbers only with a unit or a scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from foldproof.evidence import spellings, units
from foldproof.evidence.values import Value

_ONES = {
    name: value
    for value, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}
_TEENS = {
    name: value
    for value, name in enumerate(
        ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"], start=13
    )
}
_TENS = {
    name: value * 10
    for value, name in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SMALL = "|".join((*_ONES, *_TEENS))
_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
_TENS_NAMES = "|".join(_TENS)
_UNDER_100 = rf"(?:(?:{_TENS_NAMES})(?:[-\ ](?:{_DIGIT})(?![\w-]))?|(?:{_SMALL}))(?!\w)"
_UNDER_1000 = rf"(?:(?:{_UNDER_100})[-\ ]hundred(?:(?:\ and)?[-\ ]{_UNDER_100})?|{_UNDER_100})"
_UNIT_NAMES = (
    r"percent(?:age\ points?)?|per\ cent|basis\ points?|dollars?|euros?|rupees?|yen|seconds?|minutes?|hours?|days?"
    r"|weeks?|met(?:re|er)s?|kilomet(?:re|er)s?|miles?|feet|inches|grams?|kilograms?|kilos?|tonnes?|lit(?:re|er)s?"
)
_WORDS = re.compile(
    rf"(?<![\w\-./:@])(?P<number>{_UNDER_1000}(?:[-\ ](?:{'|'.join(_SCALES)})(?:,?\ (?:and\ )?{_UNDER_1000})?){{0,4}})"
    rf"(?:[-\ ](?P<unit>{_UNIT_NAMES})(?![\w-]))?"
    r"(?![\w])(?![-/:@\\]\w)(?!\.\w)(?![-\ ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)(?!\w))",
    re.IGNORECASE,
)
_NEEDLES = (
    "ty",
    "teen",
    "hundred",
    "illion",
    "thousand",
    " percent",
    " per cent",
    " dollar",
    " euro",
    " hour",
    " minute",
)
_TENS_ENDINGS = ("enty", "irty", "orty", "ifty", "ixty", "ighty", "inety")
"""What a text with a number in words nearly always holds: most texts hold none, and are not searched."""

_WORD = re.compile(r"[a-z]{1,12}")


def read_words(text: str) -> Iterator[Value]:
    """Yield the numbers that a folded text writes in words, in order."""
    lower = text.lower()
    found = [needle for needle in _NEEDLES if needle in lower]
    if found and (found != ["ty"] or any(ending in lower for ending in _TENS_ENDINGS)):
        for match in _WORDS.finditer(text):
            yield from _read(match)


def _read(match: re.Match[str]) -> Iterator[Value]:
    words = _WORD.findall(match["number"].casefold())
    if len(words) == 1 and words[0] in _ONES and not match["unit"]:
        return
    number, zeros = _number_of(words)
    form = str(number)
    unit = units.UNIT_OF[match["unit"].casefold()] if match["unit"] else None
    yield Value(
        units.kind_of_unit(unit) if unit else "number",
        match.group(),
        match.start(),
        match.end(),
        form,
        spellings.number_forms(form, unit),
        unit,
        digits=len(form),
        distinctive=unit is not None and units.kind_of_unit(unit) in ("percent", "money"),
        places=zeros,
    )


def _number_of(words: list[str]) -> tuple[int, int]:
    """Return the number that words add up to, and the power of ten of the last thing they say."""
    total = group = last = 0
    for word in words:
        if word == "hundred":
            group, last = group * 100, 2
        elif word in _SCALES:
            total, group, last = total + group * 10 ** _SCALES[word], 0, _SCALES[word]
        elif word != "and":
            group, last = group + (_ONES.get(word) or _TEENS.get(word) or _TENS[word]), 0
    return total + group, last
