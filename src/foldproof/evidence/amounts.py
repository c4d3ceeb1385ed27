"""Reading numbers: plain and grouped ones, money, percentages, quantities, durations, and what wears a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from foldproof.evidence import spellings, units
from foldproof.evidence.grammar import CURRENCY, LETTER, NUMBER, SPACED, UNIT
from foldproof.evidence.values import Kind, Lookup, Value

_ORDINALS = ("st", "nd", "rd", "th")
_SCALED = re.compile(rf"(?P<number>{SPACED}|{NUMBER})\s?-?(?P<rest>[\s\S]*)")
_CURRENCY = re.compile(CURRENCY)
_FINAL_UNIT = re.compile(rf"(?:{UNIT}|{LETTER})$")
_OTHER_END = re.compile(rf"-(?P<number>{NUMBER})(?![\w-])(?![./:]\w)")
_BETWEEN_GROUPS = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d{1,400}")
_AMBIGUOUS = re.compile(r"\d{1,3}[.,]\d{3}")
_GROUPED_BY_DOT = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_GROUPED_TWICE = re.compile(r"\d{1,3}(?:,\d{3}){2,13}")
_DECIMAL_COMMA = re.compile(r"\d{1,9},(?:\d{1,2}|\d{4,9})")
_COMPONENT = re.compile(r"(?P<count>\d{1,4}(?:\.\d{1,9})?)\ ?(?P<unit>[dhms])")
_VERSION_LIKE = re.compile(r"\d{1,4}\.\d{0,3}0")
_SHORTEST_WITH_READINGS = 4  # `1,23`
_LONGEST_PLAIN = 7  # `20240303` is longer
_SHORTEST_EXAMINED = 3
_EVERYDAY = frozenset({"weeks", "days", "h", "min"})
_SAME_OR_NOT = {
    "yen or yuan": ("jpy", "cny"),
    "jpy": ("yen or yuan",),
    "cny": ("yen or yuan",),
    "pounds": ("gbp", "lb"),
    "gbp": ("pounds",),
    "lb": ("pounds",),
}

VULGAR = {"¼": "25", "½": "5", "¾": "75", "⅛": "125", "⅜": "375", "⅝": "625", "⅞": "875"}
"""Vulgar fractions that are a decimal fraction, by its digits."""


def digits_in(text: str) -> int:
    """Return how many digits a text holds."""
    return len(text) if text.isdecimal() else sum(map(str.isdecimal, text))


def read_number(text: str, start: int) -> Iterator[Value]:
    """Read a number with its unit, if it has one."""
    if len(text) <= _LONGEST_PLAIN and text.isdecimal():
        yield Value("number", text, start, start + len(text), text, (text,), digits=len(text), places=0)
        return
    if text.endswith(_ORDINALS) and text[-3].isdecimal():  # `900 second` is none
        yield numeric("number", text, start, text[:-2], None)
        return
    unit_match = None if text[-1].isdecimal() else _FINAL_UNIT.search(text)
    if unit_match is None:
        yield numeric("number", text, start, text, None)
        return
    unit = units.UNIT_OF[unit_match.group().casefold().replace("° ", "°")]
    yield numeric(units.kind_of_unit(unit), text, start, text[: unit_match.start()], unit)


def read_money(text: str, start: int) -> Iterator[Value]:
    """Read an amount with its currency in front."""
    currency = _CURRENCY.search(text).group()  # type: ignore[union-attr] # the pattern has one
    unit = units.UNIT_OF.get(currency.casefold(), currency.casefold())
    yield numeric("money", text, start, text.replace(currency, ""), unit)


def read_accounting(text: str, start: int) -> Iterator[Value]:
    """Read a number in parentheses: as it stands, or below zero as accounts write it. A plain integer is itself."""
    inner = text[1:-1]
    reader = read_number if inner[0].isdecimal() else read_money
    (value,) = reader(inner, start + 1)
    if inner.isdecimal() or inner[-1] == "%" or value.pieces:
        yield value
        return
    below = f"-{value.form}"
    stated = (*value.stated, *(spellings.POSSIBLE + form for form in spellings.number_forms(below, value.unit)))
    negative = tuple(Lookup(form, "ambiguous") for form in spellings.number_lookups(below, value.unit))
    yield value._replace(text=text, start=start, end=start + len(text), stated=stated, other=(*value.other, *negative))


def read_duration(text: str, start: int) -> Iterator[Value]:
    """Read a duration of several units as one, counted in the smallest of them. Nothing for a single glued letter."""
    components = list(_COMPONENT.finditer(text))
    if len(components) == 1:  # what follows is no duration: `10 minutes 5 apples`, `5 m 10 cm`
        if _FINAL_UNIT.search(text):
            yield from read_number(text, start)
        elif " " in text:
            yield from read_number(components[0]["count"], start)
        return
    smallest = components[-1]["unit"]
    seconds = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
    whole = sum(int(part["count"]) * seconds[part["unit"]] for part in components[:-1]) // seconds[smallest]
    counted, _, fraction = components[-1]["count"].partition(".")
    number = spellings.canonical_number(f"{whole + int(counted)}.{fraction}")
    unit = {"h": "h", "m": "min", "s": "s"}[smallest]
    stated = spellings.number_forms(number, unit)
    value = Value("duration", text, start, start + len(text), number, stated, unit, distinctive=True)
    yield value._replace(places=-len(fraction))


def read_vulgar(text: str, start: int) -> Iterator[Value]:
    """Read a number that ends in a vulgar fraction: `½`, `2½`."""
    whole, fraction = text[:-1].strip("\u00a0 ") or "0", VULGAR[text[-1]]
    form = spellings.canonical_number(f"{whole}.{fraction}")
    yield Value("number", text, start, start + len(text), form, (form,), digits=digits_in(whole), places=-len(fraction))


def numeric(kind: Kind, text: str, start: int, amount: str, unit: str | None) -> Value:
    """Return the value of a number: `amount` is its spelling without its unit, perhaps with a sign and a scale word."""
    negative = amount.startswith("-")
    amount = amount.strip(" -+\u00a0")
    number, rest = _split_scale(amount)
    scale = units.SCALES.get(rest.casefold(), 0)
    if "," in number and not scale and unit is None and _DECIMAL_COMMA.fullmatch(number):
        return _decimal_or_list(text, start, number, negative=negative)
    literal = plain_literal(number)
    form = spellings.canonical_number(("-" if negative else "") + literal, scale=scale)
    stated = spellings.number_forms(form, unit)
    if not scale and len(number) >= _SHORTEST_WITH_READINGS:
        stated = (*stated, *_other_readings(number))
    other: tuple[Lookup, ...] = ()
    if unit in _SAME_OR_NOT:
        other = tuple(Lookup(f"{form} {name}", "ambiguous") for name in _SAME_OR_NOT[unit])
    elif not scale and _GROUPED_BY_DOT.fullmatch(number) and (unit is None or kind == "money"):
        large = spellings.canonical_number(("-" if negative else "") + number.replace(".", ""))
        other = tuple(Lookup(each, "ambiguous") for each in spellings.number_lookups(large, unit))
    if unit is None and not negative and _VERSION_LIKE.fullmatch(number):  # 3.10 may be a version, and then is not 3.1
        stated, other = (*stated, f"v{number}"), (*other, Lookup(f"v{number}"))
    value = Value(
        kind,
        text,
        start,
        start + len(text),
        form,
        stated,
        unit,
        other,
        digits_in(number),
        unit is not None and (unit not in _EVERYDAY or len(number) >= _SHORTEST_EXAMINED),
        pieces=_listed(text, start),
        places=_places(literal, scale),
    )
    return value if " " not in number else _apart(value)


def with_other_end(value: Value, text: str) -> Value:
    """Return an amount with the other end of its range, which it may also state: `$100-200`."""
    other = _OTHER_END.match(text, value.end)
    if other is None or value.form.startswith("-"):
        return value
    end = spellings.canonical_number(plain_literal(other["number"]))
    if Decimal(end) <= Decimal(value.form):
        return value
    possible = (spellings.POSSIBLE + form for form in spellings.number_forms(end, value.unit))
    return value._replace(stated=(*value.stated, *possible))


def with_cells(value: Value) -> Value:
    """Return `1,250`, alone in a line of several, with the two numbers that it may also state."""
    found = (spellings.POSSIBLE + spellings.canonical_number(piece) for piece in value.text.split(","))
    return value._replace(stated=tuple(dict.fromkeys((*value.stated, *found))))


def _places(literal: str, scale: int) -> int:
    mantissa, _, exponent = literal.lower().partition("e")
    fraction = len(mantissa.partition(".")[2])
    return scale - fraction + int(exponent or 0)


def plain_literal(number: str) -> str:
    """Return a number's spelling as a decimal literal: no grouping, a dot, the exponent behind an `e`."""
    mantissa, _, power = number.partition("10^")
    if power:
        return spellings.ungrouped(mantissa.rstrip("\u00d7x* \u00a0")) + "e" + power.replace("^", "")
    return spellings.ungrouped(number)


def _split_scale(amount: str) -> tuple[str, str]:
    if amount.isdecimal():
        return amount, ""
    match = _SCALED.match(amount)
    return (match["number"], match["rest"].strip()) if match else (amount, "")


def _listed(text: str, start: int) -> tuple[Value, ...]:
    """Return the numbers that `107,141,108` may list."""
    if not _GROUPED_TWICE.fullmatch(text):
        return ()
    return tuple(value for item in _DIGITS.finditer(text) for value in _item(item, start))


def _apart(value: Value) -> Value:
    """Return a number grouped by plain spaces, which may also be several: `2 500 ml` is 2500 ml, or two of 500 ml.

    With a decimal comma (`1 380,50`) it is one to who reads an answer, else the 380,50 of a tool would clear it.
    """
    ends = [match.start() for match in _BETWEEN_GROUPS.finditer(value.text)]
    if not ends:  # the spaces of `3 x 10^5` group nothing, and each group is shorter than the whole
        return value
    spans = zip([0, *(end + 1 for end in ends)], [*ends, len(value.text)], strict=True)
    items = [each for start, end in spans for each in _group(value.text[start:end], value.start + start)]
    told = tuple(each for each in items if each.is_examined(_SHORTEST_EXAMINED))
    stated = dict.fromkeys((*value.stated, *(form for each in items for form in each.stated)))
    pieces = () if (value.places or 0) < 0 else told
    return value._replace(stated=tuple(stated), pieces=pieces)


def _group(text: str, start: int) -> Iterator[Value]:
    if text.isdecimal() and text[0] == "0":
        yield Value("identifier", text, start, start + len(text), text, (text,), digits=len(text))
    elif text[0].isdecimal() or text[0] in "-+":
        yield from read_number(text, start)
    else:
        yield from read_money(text, start)


def _item(item: re.Match[str], start: int) -> Iterator[Value]:
    text = item.group()
    if text[0] == "0" and len(text) > 1:  # leading zeros are identity
        yield Value("identifier", text, start + item.start(), start + item.end(), text, (text,), digits=len(text))
    else:
        yield from read_number(text, start + item.start())


def _decimal_or_list(text: str, start: int, number: str, *, negative: bool) -> Value:
    """Return `1,8260`: with a decimal comma, or two numbers in a list; grouping cannot explain it."""
    form = spellings.canonical_number(("-" if negative else "") + number.replace(",", "."))
    offset = start + text.index(number)
    items = [value for item in _DIGITS.finditer(number) for value in _item(item, offset)]
    listed = [form for value in items for form in value.stated]
    told = tuple(value for value in items if value.digits >= _SHORTEST_EXAMINED)
    return Value(
        "number",
        text,
        start,
        start + len(text),
        form,
        tuple(dict.fromkeys((number, *listed, spellings.POSSIBLE + form))),
        other=(Lookup(number),),
        digits=max(value.digits for value in items),
        pieces=told or tuple(items),
        places=-len(number.partition(",")[2]),
    )


def _other_readings(number: str) -> Iterator[str]:
    """Yield the forms of what a number's spelling also allows, for whoever states them.

    One sign of `16.181` groups or starts a fraction, `107,141,108` may be a list without spaces, and `20240303` a day.
    """
    if _AMBIGUOUS.fullmatch(number):
        other = number.replace(".", "") if "." in number else number.replace(",", ".")
        yield spellings.POSSIBLE + spellings.canonical_number(other)
    elif _GROUPED_TWICE.fullmatch(number):
        for component in number.split(","):
            yield spellings.POSSIBLE + spellings.canonical_number(component)
    for form in spellings.compact_date_forms(number):
        yield spellings.POSSIBLE + form


def dressed_number(text: str, start: int, number: str, letters: str) -> Value:
    """Judge `48-port` or `32G` on its number; what its letters scale may also have been said as a token."""
    unit = _glued_unit(number, letters)
    value = numeric(units.kind_of_unit(unit) if unit else "number", text, start, number, unit)
    scale = units.SCALES.get(letters.casefold(), 0) if unit is None else 0
    if not scale:
        return value
    token = text.casefold()
    other, stated = (Lookup(token), *value.other), (token, *value.stated)
    large = spellings.canonical_number(plain_literal(number), scale=scale)
    places = scale + (value.places or 0)
    if letters.isupper():  # `50M` is fifty million
        plain = Lookup(value.form, "ambiguous")
        return value._replace(form=large, stated=(token, large), other=(*other, plain), places=places)
    scaled = (Lookup(form, "ambiguous") for form in spellings.number_lookups(large, None))  # `50m` may be metres
    return value._replace(stated=(*stated, spellings.POSSIBLE + large), other=(*other, *scaled))


def _glued_unit(number: str, letters: str) -> str | None:
    """Return the unit that letters glued to a number are. `1980s` and `90s` are years, and `5G` is no mass."""
    if letters == "g":
        return "grams"
    if letters in ("s", "S") and "." not in number and number[-1] == "0":
        return None
    return units.glued_unit(letters)
