"""Finding values in text. One scanner reads both what tools said and what answers state.

Nothing inside a longer token is a value: the number in `ORD-44710` is not 4471, and the phone number in a UUID is none.
A token joins letters, digits and `_` over single `- . / : @`. Prose that wears a number (`48-port`, `32G`, `47th`,
`$20/month`) is judged on the number alone. `24/7` is an idiom, and a number that opens a line as `1.` or `1)` is a list
marker.

Every pattern starts at the edge of a token and has bounded look-ahead, so that hostile text costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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
_UNIT = r"(?:%|(?i:percent|per\ cent|pct|usd|eur|gbp|jpy|inr|dollars?|euros?|rupees?|yen|[kmgt]i?b|ms)(?!\w))"
_CURRENCY = r"(?:(?:[A-Z]{1,3})?\$|[€£¥₹]|(?:USD|EUR|GBP|JPY|INR)(?=[\s\d]))"

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
    | (?P<email>(?=\w)[\w.+-]{{1,64}}@\w[\w-]{{0,62}}(?:\.\w[\w-]{{0,62}}){{1,8}})
    | (?P<money>[-+]?{_CURRENCY}{_GAP}?-?{_NUMBER}(?:{_GAP}?{_SCALE}|[kKmMbB](?!\w))?(?!\d))
    | (?P<number>(?=[-+.\d])[-+]?{_NUMBER}(?:(?:{_GAP}|-)?{_SCALE})?(?:{_GAP}?{_UNIT})?{_END})
    | (?P<token>(?=[\w./:@-]{{0,200}}?\d)\w+(?:(?:[-./@]|::?)\w+)*)
    )""",
    re.VERBOSE,
)

MAY_HOLD_A_VALUE = re.compile(r"\d|@|://")
"""What a text without values never contains."""

_LIST_MARKER = re.compile(r"^[ \t>*#]*\d{1,3}[.)](?=\s)", re.MULTILINE)
_IDIOMS = frozenset({"24/7", "9/11", "50/50"})
_PROSE = re.compile(
    rf"(?P<number>{_NUMBER})(?:(?P<ordinal>st|nd|rd|th)|(?P<letters>[A-Za-z]{{1,4}}(?:/[a-z]{{1,6}})?)|/[a-z]+|(?:-[a-z]+)+)"
    rf"|[A-Za-z_]+:(?P<named>{_NUMBER})"
)
_SCALED = re.compile(rf"(?P<number>{_NUMBER})\s*-?(?P<rest>.*)", re.DOTALL)
_LOOSE = re.compile(r"\d[\d.]*[-/:]\d[\d.]*")
_AMBIGUOUS = re.compile(r"\d{1,3}[.,]\d{3}")
_GROUPED_TWICE = re.compile(r"\d{1,3}(?:,\d{3}){2,}")
_FINAL_UNIT = re.compile(rf"{_UNIT}$")
_SHORTEST_IDENTIFIER = 4
_SHORTEST_GROUPED = 4  # `1,234` is longer
_LONGEST_PLAIN = 7  # `20240303` and `107,141,108` are longer
_TRAILING = ".,;:!?*'~"


def scan(text: str) -> tuple[Value, ...]:
    """Return every value a text states, in order, with offsets in code points of `text`. Never overlapping."""
    folded = fold_characters(text)
    if not MAY_HOLD_A_VALUE.search(folded.text):
        return ()
    values = tuple(_values(folded.text))
    return values if folded.text is text else tuple(_in_original(value, text, folded) for value in values)


def _values(text: str) -> Iterator[Value]:
    markers = {match.end() - 1 for match in _LIST_MARKER.finditer(text)}
    for match in _matches(text):
        if match.end() not in markers or not match.group().isdecimal():
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
    other = (Lookup(form.partition(",")[0]),) if "," in form else ()
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
    value = _date(text, start, *days[0])
    if len(days) > 1:  # 04/05/2024 is a day in April or one in May
        other = spellings.date_forms(*days[1])
        value = value._replace(other=(Lookup(other[0], "ambiguous"),), stated=value.stated + other[:2])
    yield value


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
    return Value("date", text, start, start + len(text), forms[0], forms, distinctive=True, partial=partial)


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
    if len(text) > 1 and text.isdecimal() and text[0] == "0":
        yield from _read_token(text, start)
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
    other: tuple[Lookup, ...] = ()
    if not scale and len(number) > _LONGEST_PLAIN:
        date = spellings.compact_date_forms(number)
        stated = (*stated, *_components(number), *date)
        other = (*map(Lookup, date[:1]), *_other_decimal_sign(number, unit))
    elif not scale and len(number) > _SHORTEST_GROUPED:
        other = tuple(_other_decimal_sign(number, unit))
    return Value(
        kind,
        text,
        start,
        start + len(text),
        form,
        stated,
        unit,
        other,
        _digits(number),
        distinctive=unit is not None,
    )


def _split_scale(amount: str) -> tuple[str, str]:
    if amount.isdecimal():
        return amount, ""
    match = _SCALED.match(amount)
    return (match["number"], match["rest"].strip()) if match else (amount, "")


def _other_decimal_sign(number: str, unit: str | None) -> Iterator[Lookup]:
    """Yield the other reading of `16.181` or `16,181`, where one sign groups and the other starts a fraction."""
    if _AMBIGUOUS.fullmatch(number):
        other = number.replace(".", "") if "." in number else number.replace(",", ".")
        for form in spellings.number_lookups(spellings.canonical_number(other), unit):
            yield Lookup(form, "ambiguous")


def _components(number: str) -> Iterator[str]:
    """Yield what `107,141,108` also says when it is a list without spaces."""
    if _GROUPED_TWICE.fullmatch(number):
        for component in number.split(","):
            yield spellings.POSSIBLE + spellings.canonical_number(component)


def _read_token(text: str, start: int) -> Iterator[Value]:
    inner = text.strip("_-./:@")  # the underscores of Markdown emphasis belong to no value
    if inner != text and re.fullmatch(_NUMBER, inner):
        yield from _read_number(inner, start + text.index(inner))
        return
    text, start = inner, start + text.index(inner)
    if not _digits(text) or text in _IDIOMS:
        return
    prose = _PROSE.fullmatch(text)
    if prose and not re.match(r"0\d", prose["number"] or prose["named"]):
        yield _prose(text, start, prose)
        return
    yield _identifier(text, start)


def _identifier(text: str, start: int) -> Value:
    form = spellings.identifier_form(text)
    stated = (form, *(spellings.PART + piece for piece in spellings.segments(form)))
    loose = _LOOSE.fullmatch(text) is not None  # a range or a ratio is as distinctive as its ends
    return Value(
        "identifier",
        text,
        start,
        start + len(text),
        form,
        stated,
        digits=_digits(text),
        distinctive=len(text) >= _SHORTEST_IDENTIFIER and not loose and not text.isdecimal(),
        pieces=tuple(_pieces(text, start, r"[-/:]" if loose else r"[/:]")),
    )


def _prose(text: str, start: int, match: re.Match[str]) -> Value:
    """Judge `48-port` or `32G` on its number; as a token of its own it may also have been said."""
    number, letters = match["number"] or match["named"], (match["letters"] or "").partition("/")[0]
    unit = spellings.UNIT_OF.get(letters.casefold())
    value = _numeric("quantity" if unit else "number", text, start, number, unit)
    token = spellings.identifier_form(text)
    other = (Lookup(token), *value.other)
    if scaled := spellings.SCALES.get(letters.casefold(), 0):
        large = spellings.canonical_number(spellings.ungrouped(number), scale=scaled)
        other += tuple(Lookup(form, "ambiguous") for form in spellings.number_lookups(large, None))
    return value._replace(stated=(token, *value.stated), other=other)


def _pieces(text: str, start: int, separators: str) -> Iterator[Value]:
    pieces = list(re.finditer(rf"(?:(?!{separators}).)+", text))
    if len(pieces) > 1:
        for piece in pieces:
            read = _read_number if piece.group().isdecimal() else _read_token
            yield from read(piece.group(), start + piece.start())


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
