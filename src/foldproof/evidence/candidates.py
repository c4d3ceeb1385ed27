"""Finding values in text. One scanner reads both what tools said and what answers state.

Nothing inside a longer token is a value: the number in `ORD-44710` is not 4471, and the phone number in a UUID is none.
A token joins letters, digits and `_` over single `- . / : @`. Prose that wears a number (`48-port`, `32G`, `47th`,
`$20/month`) is judged on the number alone. `24/7` is an idiom, and a number that opens a line as `1.` or `1)` is a list
marker.

Every pattern starts at the edge of a token and has bounded look-ahead, so that hostile text costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from foldproof.evidence import spellings
from foldproof.evidence.characters import Folded, fold_characters
from foldproof.evidence.values import Kind, Lookup, Value

_EDGE = r"(?<!\w)(?:(?<!\w[-./:@])|(?<=:\d\d-)(?=\d\d?:\d\d))"
_END = r"(?!\w)(?![-/:@]\w)(?!\.[\da-z])"
_MONTH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\w)(?![.:/]\d)"
_YEAR = r"(?:1[0-9]|2[01])\d\d(?!\w)(?![-.,:/]\d)"
_HALF = r"(?i:[ap](?:m|\.m\.?)(?!\w))"
_NUMBER = (
    r"(?:\d{1,3}(?:\.\d{3}){1,12},\d+|\d{1,3}(?:\.\d{3}){2,12}(?![.\d])"
    r"|(?:(?<!\w,)\d{1,3}(?:,\d{3}){1,12}(?!,?\d)|\d{1,2}(?:,\d{2}){1,12},\d{3}(?!,?\d)|\d{1,3}(?:'\d{3}){1,12}(?!\d)"
    r"|\d{1,3}(?:\u00a0\d{3}){1,12}(?!\d)|\d{1,3}(?:_\d{3}){1,12}(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,5}(?!\w))?|\.\d+)"
)
_GAP = r"[ \u00a0]"
_SCALE = r"(?i:thousand|million|billion|trillion|bn|mn)(?!\w)"
_UNIT = (
    r"(?:%|(?i:percentage\ points?|percent|per\ cent|pct|bps|basis\ points?|usd|eur|gbp|jpy|inr|chf|dollars?|euros?"
    r"|rupees?|yen|[kmgt]i?b|ms)(?!\w))"
)
_MEASURE = rf"(?:(?:st|nd|rd|th)|(?:(?:{_GAP}|-)?{_SCALE})?(?:{_GAP}?{_UNIT})?)"
_CURRENCY = rf"(?:(?:[A-Z]{{1,3}})?\$|[€£¥₹]|(?:{spellings.CURRENCY_CODES})(?=[\s\d]))"

_PATTERN = re.compile(
    rf"""(?=[\w$€£¥₹+.-]){_EDGE}(?:(?=\d)(?:
      (?P<iso>\d{{4}}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?(?![-\w])(?!\.\d))
    | (?P<slashed>(?:\d{{4}}/\d\d?/\d\d?|\d\d?/\d\d?/\d{{4}})(?![-/\w])(?!\.\d))
    | (?P<day_month>{_DAY}\s(?:of\s)?{_MONTH}(?!\w)(?:\.?,?\s{_YEAR})?)
    | (?P<clock>\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?{_HALF}|(?=-\d\d?:\d\d)|{_END})
        |\d\d?\s?{_HALF})
    )|(?=[A-Za-z])(?:
      (?P<url>[A-Za-z][A-Za-z0-9+.-]{{1,15}}://[^\s<>"`|\\^{{}}\[\]\ufffc]+)
    | (?P<month_day>{_MONTH}\.?\s\s?{_DAY}(?:,?\s{_YEAR})?)
    | (?P<month_year>{_MONTH}\.?,?\s{_YEAR})
    )
    | (?P<email>(?=\w)[\w.+-]{{1,64}}@(?:\w[\w-]{{0,62}}\.){{1,8}}[^\W\d][\w-]{{0,62}})
    | (?P<money>[-+]?{_CURRENCY}{_GAP}?-?{_NUMBER}(?:{_GAP}?{_SCALE}|[kKmMbB](?!\w))?(?!\d))
    | (?P<number>(?=[-+.\d])(?:(?<![%)\]])[-+])?{_NUMBER}{_MEASURE}{_END})
    | (?P<token>(?=[\w./:@-]{{0,200}}?\d)\w+(?:(?:[-./@]|::?)\w+)*)
    )""",
    re.VERBOSE,
)

MAY_HOLD_A_VALUE = re.compile(r"\d|@|://")
"""What a text without values never contains."""

_LIST_MARKER = re.compile(r"^[ \t>*#]*\d{1,3}[.)](?=\s)", re.MULTILINE)
_ORDINALS = ("st", "nd", "rd", "th")
_IDIOMS = frozenset({"24/7", "9/11", "50/50"})
_PROSE = re.compile(
    rf"(?P<number>{_NUMBER})(?:(?P<letters>[A-Za-z]{{1,4}}(?:/[a-z]{{1,6}})?)|/[a-z]+|(?:-[a-z]+)+)"
    rf"|[A-Za-z_]+:(?P<named>{_NUMBER})"
)
_SCALED = re.compile(rf"(?P<number>{_NUMBER})\s*-?(?P<rest>.*)", re.DOTALL)
_LOOSE = re.compile(r"\d[\d.]*[-/:]\d[\d.]*")  # a range or a ratio is as distinctive as its longer end
_RANGE = re.compile(r"\d[\d.]*-\d[\d.]*")
_SEPARATORS = re.compile(r"[-/:]")
_LEADING_ZERO = re.compile(r"0\d+(?![\d.])")
_AMBIGUOUS = re.compile(r"\d{1,3}[.,]\d{3}")
_GROUPED_TWICE = re.compile(r"\d{1,3}(?:,\d{3}){2,}")
_FINAL_UNIT = re.compile(rf"{_UNIT}$")
_SHORTEST_IDENTIFIER = 4
_SHORTEST_WITH_READINGS = 5  # `1,234`
_LONGEST_PLAIN = 7  # `20240303` is longer
_TRAILING = ".,;:!?*'~"


def scan(text: str) -> tuple[Value, ...]:
    """Return every value a text states, in order, with offsets in code points of `text`. Never overlapping."""
    folded = fold_characters(text)
    if not MAY_HOLD_A_VALUE.search(folded.text):
        return ()
    values = tuple(_values(folded.text))
    return values if folded.text is text else tuple(_in_original(value, text, folded) for value in values)


def without_list_markers(values: Iterable[Value], text: str) -> list[Value]:
    """Return the values of an answer that are not the number of a list's item (`1.` or `1)` at the start of a line)."""
    markers = {match.end() - 1 for match in _LIST_MARKER.finditer(text)}
    return [value for value in values if value.end not in markers or not value.text.isdecimal()]


def _values(text: str) -> Iterator[Value]:
    for match in _matches(text):
        yield from _READERS[match.lastgroup or "token"](match.group(), match.start())


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the pattern, searching only where one can be.

    Every value holds one of the marks of `MAY_HOLD_A_VALUE` and starts in the word of its first mark or in the word
    before it (`May 21`, `USD 20`), so whole sentences without a mark are passed over.
    """
    position = 0
    while mark := MAY_HOLD_A_VALUE.search(text, position):
        word = text.rfind(" ", position, mark.start())
        word -= word > position and text[word - 1] == " "  # `ls` writes `May  3`
        before = text.rfind(" ", position, word) if word > position else -1
        match = _PATTERN.search(text, max(before, position))
        if match is None:
            return
        yield match
        position = match.end()


def _in_original(value: Value, text: str, folded: Folded) -> Value:
    start, end = folded.original(value.start, value.end)
    pieces = tuple(_in_original(piece, text, folded) for piece in value.pieces)
    return value._replace(text=text[start:end], start=start, end=end, pieces=pieces)


def _read_url(text: str, start: int) -> Iterator[Value]:
    text = _without_tail(text)
    form = spellings.address_form(text)
    address, comma, rest = form.partition(",")
    other = (Lookup(address),) if comma and not _digits(rest) else ()
    stated = (form, *(spellings.PART + piece for piece in spellings.segments(text.casefold())))
    yield Value("url", text, start, start + len(text), form, stated, other=other, distinctive=True)


def _without_tail(url: str) -> str:
    """Drop the punctuation of the sentence around a URL; a closing bracket stays only where it was opened."""
    end, unopened = len(url), url.count(")") - url.count("(")
    while end and (url[end - 1] in _TRAILING or (url[end - 1] == ")" and unopened > 0)):
        end -= 1
        unopened -= url[end] == ")"
    return url[:end]


def _read_email(text: str, start: int) -> Iterator[Value]:
    form = text.casefold()
    local = form.partition("@")[0]
    stated = (form, spellings.PART + local, *(spellings.PART + piece for piece in spellings.segments(local)))
    yield Value("email", text, start, start + len(text), form, stated, distinctive=True)


def _read_iso(text: str, start: int) -> Iterator[Value]:
    day, _, time = text.partition("T")
    year, month, date = map(int, day.split("-"))
    if not spellings.is_date(year, month, date):
        yield from _read_token(text, start)
        return
    yield _date(day, start, year, month, date)
    if time:
        yield from _read_clock(re.split(r"[Z+-]", time)[0], start + len(day) + 1)


def _read_slashed(text: str, start: int) -> Iterator[Value]:
    numbers = [int(number) for number in text.split("/")]
    if len(text.partition("/")[0]) == 4:  # noqa: PLR2004 - a year
        orders = [(numbers[0], numbers[1], numbers[2])]
    else:
        orders = [(numbers[2], numbers[0], numbers[1]), (numbers[2], numbers[1], numbers[0])]
    days = [order for order in dict.fromkeys(orders) if spellings.is_date(*order)]
    if not days:
        yield from _read_token(text, start)
        return
    if len(days) == 1:
        yield _date(text, start, *days[0])
        return
    readings = [form for day in days for form in spellings.date_forms(*day)]  # 04/05/2024: in April or in May
    stated = (text, *dict.fromkeys(spellings.POSSIBLE + form for form in readings), spellings.date_forms(*days[0])[-1])
    other = tuple(Lookup(spellings.date_forms(*day)[0], "ambiguous") for day in days)
    yield Value("date", text, start, start + len(text), text, stated, other=other, distinctive=True)


def _read_named_date(text: str, start: int) -> Iterator[Value]:
    month = spellings.month_number(re.search(_MONTH, text).group())  # type: ignore[union-attr] # the pattern has one
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    year = next((number for number in numbers if number > 31), None)  # noqa: PLR2004 - no day is
    day = next((number for number in numbers if number <= 31), None)  # noqa: PLR2004
    if spellings.is_date(year or 2000, month, day or 1):
        yield _date(text, start, year, month, day)
    else:
        for number in re.finditer(r"\d+", text):
            yield from _read_number(number.group(), start + number.start())


def _date(text: str, start: int, year: int | None, month: int, day: int | None) -> Value:
    forms = spellings.date_forms(year, month, day)
    known = year is not None and day is not None
    partial = (f"--{month:02}-{day:02}{spellings.POSSIBLE}", str(year)) if known else None
    value = Value("date", text, start, start + len(text), forms[0], forms, distinctive=True, partial=partial)
    return value._replace(other=(Lookup(spellings.POSSIBLE + forms[0], "ambiguous"),))


def _read_clock(text: str, start: int) -> Iterator[Value]:
    numbers = [int(number) for number in re.findall(r"\d+", text)[:3]]
    hour, minute, second = (*numbers, 0, 0)[:3]
    if minute > 59 or second > 59 or hour > 24:  # noqa: PLR2004 - a clock's own
        yield from (value._replace(distinctive=True) for value in _read_token(text, start))  # looks like a time
        return
    half = re.search(r"(?i)[ap](?=\.?m)", text)
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


def _read_money(text: str, start: int) -> Iterator[Value]:
    currency = re.search(_CURRENCY, text).group()  # type: ignore[union-attr] # the pattern has one
    unit = spellings.UNIT_OF.get(currency.casefold(), currency.casefold())
    yield _numeric("money", text, start, text.replace(currency, "", 1), unit)


def _read_number(text: str, start: int) -> Iterator[Value]:
    if len(text) <= _LONGEST_PLAIN and text.isdecimal() and text[0] != "0":
        yield Value("number", text, start, start + len(text), text, (text,), digits=len(text))
        return
    zero = _LEADING_ZERO.match(text)
    if zero:
        yield from _read_token(zero.group(), start)
        return
    if text.endswith(_ORDINALS):
        yield _numeric("number", text, start, text[:-2], None)
        return
    unit_match = None if text[-1].isdecimal() else _FINAL_UNIT.search(text)
    if unit_match is None:
        yield _numeric("number", text, start, text, None)
        return
    unit = spellings.UNIT_OF[unit_match.group().casefold()]
    yield _numeric(spellings.kind_of_unit(unit), text, start, text[: unit_match.start()], unit)


def _numeric(kind: Kind, text: str, start: int, amount: str, unit: str | None) -> Value:
    negative = amount.startswith("-")
    amount = amount.strip(" -+\u00a0")
    number, rest = _split_scale(amount)
    scale = spellings.SCALES.get(rest.casefold(), 0)
    form = spellings.canonical_number(("-" if negative else "") + spellings.ungrouped(number), scale=scale)
    stated = spellings.number_forms(form, unit)
    if not scale and len(number) >= _SHORTEST_WITH_READINGS:
        stated = (*stated, *_other_readings(number))
    return Value(
        kind,
        text,
        start,
        start + len(text),
        form,
        stated,
        unit,
        digits=_digits(number),
        distinctive=unit is not None,
        pieces=_listed(text, start) if text == number else (),
    )


def _split_scale(amount: str) -> tuple[str, str]:
    if amount.isdecimal():
        return amount, ""
    match = _SCALED.match(amount)
    return (match["number"], match["rest"].strip()) if match else (amount, "")


def _listed(text: str, start: int) -> tuple[Value, ...]:
    """Return the numbers that `107,141,108` may list."""
    if not _GROUPED_TWICE.fullmatch(text):
        return ()
    numbers = re.finditer(r"\d+", text)
    return tuple(value for item in numbers for value in _read_number(item.group(), start + item.start()))


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


def _read_token(text: str, start: int) -> Iterator[Value]:
    inner = text.strip("_-./:@")  # the underscores of Markdown emphasis belong to no value
    start += text.index(inner)
    bare = _PATTERN.fullmatch(inner) if inner != text else None
    if bare and bare.lastgroup != "token":
        yield from _READERS[bare.lastgroup or "token"](inner, start)
        return
    text = inner
    if not _digits(text) or text in _IDIOMS:
        return
    prose = _PROSE.fullmatch(text)
    if prose and not re.match(r"0\d", prose["number"] or prose["named"]):
        yield _prose(text, start, prose)
        return
    yield _identifier(text, start)


def _identifier(text: str, start: int) -> Value:
    form = spellings.identifier_form(text)
    stated = (form, *(spellings.PART + piece for piece in spellings.segments(form)), *spellings.hash_prefixes(form))
    loose = _LOOSE.fullmatch(text) is not None
    return Value(
        "identifier",
        text,
        start,
        start + len(text),
        form,
        stated,
        digits=max(map(_digits, _SEPARATORS.split(text))) if (loose or text.isdecimal()) and text.strip("0") else 0,
        distinctive=len(text) >= _SHORTEST_IDENTIFIER and not loose and not text.isdecimal(),
        pieces=_pieces(text, start),
    )


def _prose(text: str, start: int, match: re.Match[str]) -> Value:
    """Judge `48-port` or `32G` on its number; as a token of its own it may also have been said."""
    number, letters = match["number"] or match["named"], (match["letters"] or "").partition("/")[0]
    unit = spellings.UNIT_OF.get(letters.casefold())
    value = _numeric("quantity" if unit else "number", text, start, number, unit)
    token = spellings.identifier_form(text)
    other, stated = (Lookup(token), *value.other), (token, *value.stated)
    scale = spellings.SCALES.get(letters.casefold(), 0)
    if not scale:
        return value._replace(stated=stated, other=other)
    large = spellings.canonical_number(spellings.ungrouped(number), scale=scale)
    if letters.isupper():  # `50M` is fifty million
        plain = Lookup(value.form, "ambiguous")
        return value._replace(form=large, stated=(token, large), other=(*other, plain))
    scaled = (Lookup(form, "ambiguous") for form in spellings.number_lookups(large, None))  # `50m` may be metres
    return value._replace(stated=(*stated, spellings.POSSIBLE + large), other=(*other, *scaled))


def _pieces(text: str, start: int) -> tuple[Value, ...]:
    """Return what a token lists, where each item is a value on its own: `HAT136/HAT039`, `10.0.0.5:8080`, `10-20`.

    A path is no list, and neither is a token of which a part states nothing.
    """
    numbers = _RANGE.fullmatch(text)
    items = list(re.finditer(r"[^-]+" if numbers else r"[^/:]+", text))
    if len(items) == 1 or not (numbers or all(map(_is_item, items))):
        return ()
    read = ((_read_number if item.group().isdecimal() else _read_token, item) for item in items)
    return tuple(value for reader, item in read for value in reader(item.group(), start + item.start()))


def _is_item(item: re.Match[str]) -> bool:
    return len(item.group()) >= _SHORTEST_IDENTIFIER and any(map(str.isdecimal, item.group()))


def _digits(text: str) -> int:
    return len(text) if text.isdecimal() else sum(map(str.isdecimal, text))


_READERS: dict[str, Callable[[str, int], Iterator[Value]]] = {
    "url": _read_url,
    "email": _read_email,
    "iso": _read_iso,
    "slashed": _read_slashed,
    "day_month": _read_named_date,
    "month_day": _read_named_date,
    "month_year": _read_named_date,
    "clock": _read_clock,
    "money": _read_money,
    "number": _read_number,
    "token": _read_token,
}
