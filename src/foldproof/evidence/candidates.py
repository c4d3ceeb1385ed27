"""Finding values in text. One scanner reads both what tools said and what answers state.

Nothing inside a longer token is a value: the number in `ORD-44710` is not 4471, and the phone number in a UUID is none.
A token joins letters, digits and `_` over single `- . / : @`. Prose that wears a number (`48-port`, `32G`, `47th`,
`$20/month`) is judged on the number alone. `24/7` is an idiom, and a number that opens a line as `1.` or `1)` is a list
marker. What is encoded (base64) is one token, and nothing in it is decoded.

Every pattern starts at the edge of a token and has bounded look-ahead, so that hostile text costs linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from foldproof.evidence import addresses, amounts, dates, identifiers, spellings
from foldproof.evidence.characters import Folded, fold_characters
from foldproof.evidence.file_names import with_file_names
from foldproof.evidence.grammar import (
    COUNTRY_PHONE,
    CURRENCY,
    DAY,
    DURATION,
    EDGE,
    END,
    GAP,
    HALF,
    MEASURE,
    MONTH,
    NUMBER,
    SCALE,
    SPACED,
    SPACED_AND_SAID,
    YEAR,
)
from foldproof.evidence.values import Lookup, Value
from foldproof.evidence.words import read_words

_ZONE_NAME = r"(?:UTC|GMT|[ECMP][SD]T|CES?T)(?!\w)"
_CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d{1,9}|,\d{3}(?!\d))?)?"
_STAMP_CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?"
_STAMP_ZONE = rf"(?:[-+]\d\d:?\d\d|{_ZONE_NAME}|Z(?!\w))"
_PATTERN = re.compile(
    rf"""(?=[\w$€£¥₹+.(/~¼½¾⅛⅜⅝⅞-]){EDGE}(?:(?=\d)(?:
      (?P<iso>\d{{4}}-\d\d-\d\d(?:[Tt]{_CLOCK}(?:[Zz]|[-+]\d\d:?\d\d|\ {_ZONE_NAME})?
        |\ \d\d:\d\d:\d\d(?:\.\d{{1,9}}|,\d{{3}}(?!\d))?(?:\ ?[-+]\d\d:?\d\d|\ ?{_ZONE_NAME}|Z)?
        |\ \d\d:\d\d(?:\ ?\+\d\d:?\d\d|\ ?{_ZONE_NAME}|Z|(?!-\d)))?(?![-\w])(?!\.\d)(?!:\d)(?!\ ?{HALF}))
    | (?P<iso_day>\d{{4}}-\d\d-\d\d(?![-\w])(?!\.\d))
    | (?P<week_date>\d{{4}}-W\d\d-[1-7]{END})
    | (?P<stamp>\d\d?(?:(?P<slot>[-/]){MONTH}(?P=slot)(?:19|20)\d\d(?:[:\ T]{_STAMP_CLOCK}(?:\ ?{_STAMP_ZONE})?)?
        |\ {MONTH}\ (?:19|20)\d\d\ {_STAMP_CLOCK}\ ?{_STAMP_ZONE})(?![-/:\w])(?!\.\d))
    | (?P<compact>(?:19|20)\d{{6}}T\d{{4}}(?:\d\d)?(?:Z|[-+]\d{{4}})?{END})
    | (?P<day_first>\d\d-\d\d-(?:19|20)\d\d(?![-/\w])(?!\.\d))
    | (?P<slashed>(?:\d{{4}}/\d\d?/\d\d?|\d\d?/\d\d?/\d{{4}})(?![-/\w])(?!\.\d))
    | (?P<days_month>\d\d?-\d\d?\s(?!may\W){MONTH}(?!\w)(?:\.?,?\s{YEAR})?)
    | (?P<day_month>{DAY}\s(?:of\s)?{MONTH}(?!\w)(?:\.?,?\s{YEAR})?)
    | (?P<clock>\d\d?:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:\s?{HALF}|(?=-\d\d?:\d\d|Z(?!\w))|{END})
        |\d\d?\s?{HALF})
    | (?P<dotted_clock>\d\d?\.\d\d\s?{HALF})
    | (?P<phone>\d{{3}}(?P<joint>[-. ])\d{{3}}(?P=joint)\d{{4}}{END}(?!{GAP}?%)|0\d{{2,4}}\ \d{{3,4}}\ \d{{3,4}}{END}
        |1[-. ]\d{{3}}[-. ]\d{{3}}[-. ]\d{{4}}{END})
    | (?P<duration>{DURATION}{END})
    )|(?=[A-Za-z])(?:
      (?P<url>[A-Za-z][A-Za-z0-9+.-]{{1,15}}://(?:[^\s<>"`|\\^{{}}\[\]\ufffc]|\[\.\])+)
    | (?P<month_stamp>{MONTH}\s\s?\d\d?\ {_STAMP_CLOCK}\ (?:{_ZONE_NAME}\ (?:19|20)\d\d|(?:19|20)\d\d\ [-+]\d{{4}})
        (?![-/:\w])(?!\.\d))
    | (?P<month_days>{MONTH}\.?\s\s?\d\d?-\d\d?(?!\w)(?![-./:]\w)(?:,?\s{YEAR})?)
    | (?P<month_day>{MONTH}\.?\s\s?{DAY}(?:,?\s{YEAR})?)
    | (?P<month_year>{MONTH}\.?,?\s{YEAR})
    )
    | (?=[\w.@~:-]{{0,256}}[/\\+=])(?:
        (?P<drive>[A-Za-z]:[\\/](?:[\w.@+~-]{{1,120}}[\\/]){{0,40}}[\w.@+~-]{{1,120}})
      | (?P<blob>(?=[A-Za-z0-9/]{{0,256}}[+=])(?=[A-Za-z0-9+/]{{40}})[A-Za-z0-9+/]+={{0,2}})
      | (?P<path>(?:~/|\.{{1,2}}[/\\]|[/\\](?=[^\W\d]))?(?![-+])(?=[\w@.+~-]{{1,120}}[/\\])
        (?:[^\W\d]|[.@+~-]){{1,120}}(?:[/\\](?:[^\W\d]|[.@+~-]){{1,120}}){{1,40}}[/\\]?(?::[1-9]\d{{0,6}}(?::\d{{1,7}})?)?(?![\w/\\])
        (?!-)(?![\w.+~-]{{0,120}}@[vV]?\d))
      | (?P<windows_path>(?=\w{{1,120}}\\)[\w.@+~-]{{1,120}}(?:\\[\w.@+~-]{{1,120}}){{1,40}})
    )
    | (?P<email>(?=\w)[\w.+-]{{1,64}}@(?:\w[\w-]{{0,62}}\.){{1,8}}[^\W\d][\w-]{{0,62}})
    | (?P<country_phone>{COUNTRY_PHONE}{END})
    | (?P<area_phone>\(\d{{3}}\)[- ]?\d{{3}}[-. ]\d{{4}}{END})
    | (?P<accounting>\((?:[$€£¥]\ ?)?(?:\d{{1,3}}(?:,\d{{3}}){{1,6}}|\d{{1,12}})(?:\.\d{{1,6}})?%?\))
    | (?P<money>[-+]?{CURRENCY}{GAP}?-?(?:(?<![$£¥₹])(?<![$£¥₹]{GAP}){SPACED}|{NUMBER})
        (?:{GAP}?{SCALE}|[kKmMbB](?!\w))?(?!\d))
    | (?P<vulgar>(?:\d{{1,9}}{GAP}?)?[¼½¾⅛⅜⅝⅞](?!\w))
    | (?P<number>(?=[-+.\d])(?:(?<![%)\]])[-+])?(?:{SPACED_AND_SAID}|{NUMBER}){MEASURE}{END})
    | (?P<token>(?=[\w./:@-]{{0,200}}?\d)\w+(?:(?:[-./@]|::?)\w+)*(?:(?<=:\w{{1}})%[A-Za-z]\w{{0,14}})?)
    )""",
    re.VERBOSE,
)

_MARK = re.compile(r"[\d@/\\¼½¾⅛⅜⅝⅞]")
"""What every value holds, but for numbers in words and names of files with spaces."""

_LIST_MARKER = re.compile(r"^[ \t>*#]{0,40}\d{1,3}[.)](?=\s)", re.MULTILINE)
_LEADING_ZERO = re.compile(r"0\d+(?![\d.])")
_EXPONENT = re.compile(r"\d{1,15}[eE]\d{1,3}")
_BETWEEN_BACKSLASHES = re.compile(r"[^\\]+")
_WHOLE_NUMBERS = re.compile(r"\d+")
_ENDING = re.compile(
    r"(?i)(?:\bend(?:ing|s|ed)?\s(?:in|with)|\bending(?=\W{1,5}(?!(?:19|20)\d\d(?!\d))[a-z]{0,4}\d{3,8}(?![\w%]|[-.,:/]\d))"
    r"|\blast\s(?:two|three|four|five|six|[2-6])(?:\sdigits?)?"
    r"(?:\s(?:of|are|is|in|being))?:?|(?:(?<![*•])(?:[*]{4,16}|•{2,16})|(?<!\.)\.{3}|…)-?)[\s:\"'*`(#]{0,4}(?=\w)"
)
_ENDING_WORDS = ("nding", "ends ", "nded ", "ast ", "****", "••", "...", "…")
_MASKED = re.compile(r"x\d{4}|x{2,16}-?\d{3,6}", re.IGNORECASE)
_SHORTEST_WORD = len("ninety")
_LONGEST_EXTENSION = len(".xhtml")
_ZONE = re.compile(r"[ \u00a0]?\(?(?P<zone>Z(?!\w)|[A-Z]{3,4}(?!\w)|[-+]\d\d:?\d\d(?![\d:]))")
_TO_THE_MINUTE = len("15:00")
_FARTHEST_WEST = "12:00"
_CELLS = re.compile(r"[1-9]\d{0,2},[1-9]\d{2}")
_NAMED_PLACE = re.compile(
    r"(?i:(?:^|[^\w])(?:seat|room|unit|apartment|apt\.?|suite|gate|bus|flight|platform|locker)[ \u00a0]#?)$"
)
_LETTERED = re.compile(r"\d{1,6}[A-Za-z]")
_LINE = re.compile(r"(?i)\blines?:?[ \u00a0][*`]{0,2}\Z")
_LONGEST_LINE = len(" lines: **")
_LETTERS = re.compile(r"(?<![\w./@:-])(?P<letters>[A-Za-z]{1,20})[ \u00a0]\Z")
_LONGEST_LETTERS = 22
_CUT = re.compile(r"-?(?:\.{3}|…)")
_NAMED = re.compile(r"[A-Z][\w.+#]{1,40}|[Vv]ersion|[Rr]elease")
_VERSION_OF_TWO = re.compile(r"\d{1,4}\.\d{1,4}")


def scan(text: str) -> tuple[Value, ...]:
    """Return every value a text states, in order, with offsets in code points of `text`. Never overlapping."""
    folded = fold_characters(text)
    values = _values(folded.text)
    if not values or folded.text is text:
        return tuple(values)
    return tuple(_in_original(value, text, folded) for value in values)


def without_list_markers(values: Iterable[Value], text: str) -> list[Value]:
    """Return the values of an answer that are not the number of a list's item (`1.` or `1)` at the start of a line)."""
    markers = {match.end() - 1 for match in _LIST_MARKER.finditer(text)}
    return [value for value in values if value.end not in markers or not value.text.isdecimal()]


def _values(text: str) -> list[Value]:
    values = [value for match in _matches(text) for value in _read(match)]
    if len(text) >= _SHORTEST_WORD:
        values = _with(values, read_words(text))
        if '"' in text or "." in text[-_LONGEST_EXTENSION:-1]:
            values = with_file_names(values, text)
    return _in_context(values, text) if values else values


def _in_context(values: list[Value], text: str) -> list[Value]:
    """Add what the words around a value say of it: an end of something, its beginning, a version of something."""
    endings: set[int] = set()
    if any(word in text for word in _ENDING_WORDS):
        endings.update(match.end() for match in _ENDING.finditer(text))
    values = _with_zones(values, text)
    for place, value in enumerate(values):
        if value.start in endings:
            values[place] = value._replace(suffix=True)
        elif value.kind == "identifier" and value.text[0] in "xX" and _MASKED.fullmatch(value.text):
            values[place] = _masked(value)
        elif value.kind == "identifier" and _CUT.match(text, value.end):
            prefix = Lookup(spellings.PREFIX + value.form, "prefix")
            values[place] = value._replace(other=(prefix, *value.other))
        else:
            values[place] = _behind_letters(_beside(value, text), text)
    return values


def _beside(value: Value, text: str) -> Value:
    """Return a value with what stands right beside it: the other end of its range, a noun that it names, a version."""
    if value.kind == "money":
        return amounts.with_other_end(value, text)
    if value.text[-1].isalpha() and _names_a_place(value, text):
        return identifiers.identifier(value.text, value.start)
    if value.kind in ("number", "range") and _LINE.search(text[max(0, value.start - _LONGEST_LINE) : value.start]):
        value = identifiers.as_line(value)
    if value.kind != "number":
        return value
    if _CELLS.fullmatch(value.text) and _fills_a_line(value, text):
        return amounts.with_cells(value)
    if _VERSION_OF_TWO.fullmatch(value.text):
        name = text[max(0, value.start - 42) : value.start].rpartition(" ")[0].rpartition(" ")[2]
        if text[value.start - 1 : value.start] == " " and _NAMED.fullmatch(name):
            return value._replace(other=(*value.other, Lookup(f"{spellings.PART}v{value.text}", "part")))
    return value


def _behind_letters(value: Value, text: str) -> Value:
    """Let digits be looked up with the letters in front of them: `HAT 136` may be `HAT136`, or `HAT-136`."""
    if value.kind not in ("number", "identifier") or not value.text.isdecimal():
        return value
    letters = _LETTERS.search(text[max(0, value.start - _LONGEST_LETTERS) : value.start])
    if letters is None:
        return value
    name = letters["letters"].casefold()
    together = (Lookup(f"{name}{joint}{value.text}") for joint in ("", "-"))
    return value._replace(other=(*value.other, *together))


def _names_a_place(value: Value, text: str) -> bool:
    """Whether a letter behind a number is part of a name: `seat 144B`."""
    if value.kind not in ("number", "quantity", "duration") or _LETTERED.fullmatch(value.text) is None:
        return False
    return _NAMED_PLACE.search(text[max(0, value.start - 14) : value.start]) is not None


def _fills_a_line(value: Value, text: str) -> bool:
    around = text[max(0, value.start - 1) : value.start], text[value.end : value.end + 1]
    return around != ("", "") and all(each in ("", "\n") for each in around)


def _with_zones(values: list[Value], text: str) -> list[Value]:
    """Let clocks that state a zone be looked up in UTC too, and take an offset (`11:00 -04:00`) for no clock."""
    kept: list[Value] = []
    zone_end = 0
    for value in values:
        if value.start < zone_end:
            continue
        zone = _ZONE.match(text, value.end) if value.kind == "clock" and len(value.form) == _TO_THE_MINUTE else None
        offset = None if zone is None else spellings.zone_offset(zone["zone"])
        if zone is not None and offset is not None and not _ends_a_range(value, zone["zone"], zone.start("zone")):
            minutes = (int(value.form[:2]) * 60 + int(value.form[3:]) - offset) % (24 * 60)
            form = spellings.utc_clock_form(spellings.clock_form(*divmod(minutes, 60)))
            value = value._replace(other=(*value.other, Lookup(form)))  # noqa: PLW2901 - the same value, with its zone
            zone_end = zone.end()
        kept.append(value)
    return kept


def _ends_a_range(value: Value, zone: str, start: int) -> bool:
    """Whether what stands behind a clock is the other end of a range: `10:00-12:45`, where `11:00-04:00` is a zone."""
    other = zone[1:3] + ":" + zone[-2:]
    return zone[0] == "-" and ((start == value.end and other > value.form) or other > _FARTHEST_WEST)


def _masked(value: Value) -> Value:
    """Return `xx1239` as what it ends in."""
    return value._replace(form=value.form.lstrip("x-"), suffix=True, other=(Lookup(value.form),))


def _with(values: list[Value], more: Iterable[Value]) -> list[Value]:
    """Add further values where none stands yet. Both are in order."""
    added = list(more)
    if not added:
        return values
    free = [value for value in added if _is_free(value, values)]
    return sorted((*values, *free), key=lambda value: value.start)


def _is_free(value: Value, values: list[Value]) -> bool:
    place = bisect_right(values, value.start, key=lambda each: each.end)
    return place == len(values) or value.end <= values[place].start


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the pattern, searching only where one can be.

    Every value holds a mark and starts in the word of its first mark or in the word before it (`May 21`, `USD 20`), so
    whole sentences without a mark are passed over.
    """
    position = 0
    while mark := _MARK.search(text, position):
        word = text.rfind(" ", position, mark.start())
        word -= word > position and text[word - 1] == " "  # `ls` writes `May  3`
        before = text.rfind(" ", position, word) if word > position else -1
        match = _PATTERN.search(text, max(before, position))
        if match is None:
            return
        yield match
        position = match.end()


def _read(match: re.Match[str]) -> Iterable[Value]:
    return _READERS[match.lastgroup or "token"](match.group(), match.start())


def _in_original(value: Value, text: str, folded: Folded) -> Value:
    start, end = folded.original(value.start, value.end)
    pieces = tuple(_in_original(piece, text, folded) for piece in value.pieces)
    return value._replace(text=text[start:end], start=start, end=end, pieces=pieces)


def _read_token(text: str, start: int) -> Iterator[Value]:
    inner = text.strip("_-./:@")  # the underscores of Markdown emphasis belong to no value
    start += text.index(inner)
    bare = _PATTERN.fullmatch(inner) if inner != text else None
    if bare:
        yield from _READERS[bare.lastgroup or "token"](inner, start)
    else:
        yield from identifiers.read_token(inner, start)


def _read_number(text: str, start: int) -> Iterator[Value]:
    zero = _LEADING_ZERO.match(text)
    if zero is not None:
        return _read_token(zero.group(), start)
    values = amounts.read_number(text, start)
    return map(_or_hash, values) if _EXPONENT.fullmatch(text) else values


def _or_hash(value: Value) -> Value:
    """Let `4471e12`, a number, abbreviate a hash too."""
    return value._replace(other=(*value.other, Lookup(spellings.PREFIX + value.text.casefold(), "prefix")))


def _or_token(reader: Callable[[str, int], Iterator[Value]], text: str, start: int) -> Iterator[Value]:
    """Read what is of the reader's kind, and for a token what only looks like it."""
    values = list(reader(text, start))
    yield from values or _read_token(text, start)


def _read_clock(text: str, start: int) -> Iterator[Value]:
    values = list(dates.read_clock(text, start))
    # What looks like a time and is none is examined all the same.
    yield from values or (value._replace(distinctive=True) for value in _read_token(text, start))


def _read_day_range(text: str, start: int) -> Iterator[Value]:
    return _or_numbers(list(dates.read_day_range(text, start)), text, start)


def _read_named_date(text: str, start: int) -> Iterator[Value]:
    return _or_numbers(list(dates.read_named_date(text, start)), text, start)


def _or_numbers(values: list[Value], text: str, start: int) -> Iterator[Value]:
    yield from values
    if not values:
        for number in _WHOLE_NUMBERS.finditer(text):
            yield from _read_number(number.group(), start + number.start())


def _read_backslashed(text: str, start: int) -> Iterator[Value]:
    values = list(addresses.read_path(text, start))
    yield from values
    if not values:  # a line end that was escaped twice, say
        for piece in _BETWEEN_BACKSLASHES.finditer(text):
            for match in _matches(piece.group()):
                for value in _read(match):
                    yield _moved(value, start + piece.start())


def _moved(value: Value, by: int) -> Value:
    pieces = tuple(_moved(piece, by) for piece in value.pieces)
    return value._replace(start=value.start + by, end=value.end + by, pieces=pieces)


_READERS: dict[str, Callable[[str, int], Iterator[Value]]] = {
    "url": addresses.read_url,
    "email": addresses.read_email,
    "iso": partial(_or_token, dates.read_iso),
    "iso_day": partial(_or_token, dates.read_iso),
    "week_date": partial(_or_token, dates.read_week_date),
    "stamp": partial(_or_token, dates.read_stamp),
    "month_stamp": partial(_or_token, dates.read_stamp),
    "compact": partial(_or_token, dates.read_compact),
    "day_first": partial(_or_token, dates.read_day_first),
    "slashed": partial(_or_token, dates.read_slashed),
    "days_month": _read_day_range,
    "month_days": _read_day_range,
    "day_month": _read_named_date,
    "month_day": _read_named_date,
    "month_year": _read_named_date,
    "clock": _read_clock,
    "dotted_clock": partial(_or_token, dates.read_dotted_clock),
    "phone": addresses.read_phone,
    "country_phone": addresses.read_phone,
    "area_phone": addresses.read_phone,
    "duration": partial(_or_token, amounts.read_duration),
    "accounting": amounts.read_accounting,
    "money": amounts.read_money,
    "vulgar": amounts.read_vulgar,
    "number": _read_number,
    "path": addresses.read_path,
    "drive": _read_backslashed,
    "windows_path": _read_backslashed,
    "blob": identifiers.read_encoded,
    "token": _read_token,
}
