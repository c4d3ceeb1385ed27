"""Reading tokens that hold a digit: identifiers, versions, hashes, network and hardware addresses, ranges, ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from foldproof.evidence import address_forms, dates, spellings
from foldproof.evidence.amounts import digits_in, dressed_number, numeric, read_duration, read_number
from foldproof.evidence.grammar import NUMBER
from foldproof.evidence.values import Kind, Lookup, Value

_IDIOMS = frozenset({"24/7", "9/11", "50/50"})
_DRESSED = re.compile(
    rf"(?<!\w)(?:(?P<number>{NUMBER})(?:(?P<letters>[A-Za-zμ]{{1,4}}(?:/[a-z]{{1,6}})?)|/[a-z]{{1,40}}|(?:-[a-z]{{1,40}}){{1,20}})"
    rf"|[A-Za-z_]{{1,60}}:(?P<named>{NUMBER}))"
)
_LEADING_ZERO = re.compile(r"0\d")
_DOTTED_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:1[5-9]|2[01])\d\d")
_DOTTED_BACKWARDS = re.compile(r"(?:19|20)\d\d\.\d\d\.\d\d")
_LOOSE = re.compile(r"\d[\d.]{0,400}[-/:]\d[\d.]{0,400}")  # a range or a ratio is as distinctive as its longer end
_RANGE = re.compile(r"\d[\d.]{0,400}-\d[\d.]{0,400}")
_NUMBER = re.compile(r"(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?")
_ISO_DURATION = re.compile(r"P(?:\d{1,4}D)?T(?=\d)(?:\d{1,4}H)?(?:\d{1,4}M)?(?:\d{1,4}(?:\.\d{1,9})?S)?(?<=[HMS])")
_SHORT_YEARS = re.compile(r"(?P<century>1[5-9]|2[01])(?P<from>\d\d)-(?P<to>\d\d)")
_SEPARATORS = re.compile(r"[-/:]")
_PLACE = re.compile(
    r"(?P<file>\w[\w./@+~-]{0,300}\.[A-Za-z][A-Za-z0-9]{0,4}):(?P<line>[1-9]\d{0,6})(?:-(?P<last>[1-9]\d{0,6})|:\d{1,7})?"
)
_CODE = r"(?:[A-Za-z]{2,10}-\d{2,12}|(?=[A-Za-z]{0,19}\d)(?=\d{0,19}[A-Za-z])[A-Za-z0-9]{4,20})(?![A-Za-z0-9])"
_CODES = re.compile(_CODE)
_JOINED = re.compile(rf"(?![A-Fa-f\d-]{{1,200}}\Z){_CODE}(?:-{_CODE}){{1,8}}")
_AT_A_CLOCK = re.compile(rf"(?P<code>{_CODE})@(?P<clock>(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[AaPp][Mm])?)")
_RANGE_ITEM = re.compile(r"[^-]{1,500}")
_ITEM = re.compile(r"[^/:]{1,500}")
_SHORTEST_IDENTIFIER = 4

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_HEX = "[0-9A-Fa-f]"
_TYPED = re.compile(
    rf"(?P<ip>{_OCTET}(?:\.{_OCTET}){{3}})(?::(?P<port>[1-9]\d{{0,4}}))?"
    rf"|(?P<mac>{_HEX}{{1,2}}(?::{_HEX}{{1,2}}){{5}}|{_HEX}{{2}}(?:-{_HEX}{{2}}){{5}}|{_HEX}{{4}}(?:\.{_HEX}{{4}}){{2}})"
    rf"|(?P<wwn>{_HEX}{{2}}(?::{_HEX}{{2}}){{7}})"
    rf"|(?P<uuid>(?:urn:uuid:)?(?:{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}|{_HEX}{{32}}))"
    rf"|(?P<ip6>(?=[0-9A-Fa-f:]{{0,36}}::|(?:{_HEX}{{1,4}}:){{7}}{_HEX})[0-9A-Fa-f:]{{3,39}})(?P<scope>%\w{{1,15}})?"
    rf"|(?P<hash>(?:sha(?:1|224|256|384|512)|md5):{_HEX}{{7,128}}|{_HEX}{{40}}|{_HEX}{{56}}|{_HEX}{{64}}|{_HEX}{{96}}"
    rf"|{_HEX}{{128}})"
    rf"|(?P<bare>{_HEX}{{12}})"
    r"|(?P<version>[vV]\d{1,9}(?:\.\d{1,9}){1,8}(?:[-+.]?[A-Za-z][\w.-]{0,40})?"
    r"|\d{1,9}(?:\.\d{1,9}){2,8}(?:[-+][\w.-]{1,40}|(?:a|b|rc)\d{1,4})?)"
    rf"|(?P<hexadecimal>0[xX]{_HEX}{{1,64}})"
)


def read_token(text: str, start: int) -> Iterator[Value]:
    """Read a token without what surrounds it. Nothing for an idiom, or when it holds no digit."""
    if not digits_in(text) or text in _IDIOMS:
        return
    typed = _TYPED.fullmatch(text)
    if typed is not None:
        kind = next(name for name in _TYPES if typed[name] is not None)
        yield from _TYPES[kind](text, start, typed)
        return
    if text[0] == "P" and _ISO_DURATION.fullmatch(text):
        yield from _iso_duration(text, start)
        return
    dressed = _DRESSED.fullmatch(text)
    if dressed and not _LEADING_ZERO.match(dressed["number"] or dressed["named"]):
        number, letters = dressed["number"] or dressed["named"], dressed["letters"] or ""
        yield dressed_number(text, start, number, letters.partition("/")[0])
        return
    yield identifier(text, start)


def read_encoded(text: str, start: int) -> Iterator[Value]:
    """Read what is encoded (base64) as one token: nothing in it is a value."""
    form = text.casefold()
    yield Value("identifier", text, start, start + len(text), form, (form,), distinctive=True)


def identifier(text: str, start: int) -> Value:
    """Return a token as the identifier, path, range or ratio it is."""
    if text.isalnum() and not text.isdecimal():
        return _word(text, start)
    form = spellings.identifier_form(text)
    loose = _LOOSE.fullmatch(text) is not None
    kind: Kind = "identifier"
    tails: tuple[str, ...] = ()
    if loose:
        kind = "range" if _RANGE.fullmatch(text) else "ratio"
        years = _SHORT_YEARS.fullmatch(text)
        if years and int(years["to"]) > max(int(years["from"]), 12):  # 2012-13; 2009-10 may be a month
            form = f"{years['century']}{years['from']}-{years['century']}{years['to']}"
    elif "/" in text and "." in text.rpartition("/")[2]:
        kind, tails = "path", address_forms.path_forms(form.partition(":")[0])
    parts = (spellings.PART + piece for piece in spellings.segments(form))
    pieces = _pieces(text, start)
    ends = _ends(pieces) if kind == "range" else _places(text)
    return Value(
        kind,
        text,
        start,
        start + len(text),
        form,
        tuple(dict.fromkeys((form, *parts, *tails, *ends, *spellings.hash_prefixes(form)))),
        digits=max(map(digits_in, _SEPARATORS.split(text))) if (loose or text.isdecimal()) and text.strip("0") else 0,
        distinctive=len(text) >= _SHORTEST_IDENTIFIER and not loose and not text.isdecimal(),
        pieces=pieces,
    )


def _ends(pieces: tuple[Value, ...]) -> tuple[str, ...]:
    """Return the ends that a rising range of numbers may also state. `555-1234` is rather a telephone's."""
    if [piece.kind for piece in pieces] != ["number", "number"]:
        return ()
    one, other = (piece.form for piece in pieces)
    if (len(one), len(other)) == (3, 4) or Decimal(one) >= Decimal(other):
        return ()
    return tuple(spellings.POSSIBLE + form for form in (one, other))


def _places(text: str) -> tuple[str, ...]:
    """Return the forms of the lines that a place in a file states, with the file and alone."""
    place = _PLACE.fullmatch(text)
    if place is None:
        return ()
    whole = address_forms.path_form(f"{place['file']}:{place['line']}")
    lines = [spellings.line_form(place[group]) for group in ("line", "last") if place[group] is not None]
    return (*address_forms.path_forms(whole), *lines)


def _iso_duration(text: str, start: int) -> Iterator[Value]:
    """Read `PT1H30M`, which may also be a name."""
    spoken = text[1:].replace("T", "").lower()
    if sum(map(str.isalpha, spoken)) == 1:
        units_of = {"h": "h", "m": "min", "s": "s"}
        values: Iterator[Value] = iter([numeric("duration", text, start, spoken[:-1], units_of[spoken[-1]])])
    else:
        values = read_duration(spoken, start)
    for value in values:
        form = text.casefold()
        stated = (*value.stated, form)
        yield value._replace(text=text, end=start + len(text), stated=stated, other=(Lookup(form), *value.other))


def _word(text: str, start: int) -> Value:
    """Return a token of letters and digits alone: most identifiers are."""
    form = text.casefold()
    stated = (form, *spellings.hash_prefixes(form)) if len(form) >= spellings.SHORTEST_HASH else (form,)
    told = len(text) >= _SHORTEST_IDENTIFIER
    return Value("identifier", text, start, start + len(text), form, stated, distinctive=told)


def _pieces(text: str, start: int) -> tuple[Value, ...]:
    """Return what a token lists, where each item is a value on its own: `HAT136/HAT039`, `HAT136-HAT039`, `10-20`.

    A path is no list, and neither is a token of which a part states nothing. A place in a file is the file and lines.
    """
    place = _PLACE.fullmatch(text)
    if place is not None:
        return tuple(_file_and_lines(place, start))
    timed = _AT_A_CLOCK.fullmatch(text)
    if timed is not None:
        clock = dates.read_clock(timed["clock"], start + timed.start("clock"))
        return (*read_token(timed["code"], start), *clock)
    if _JOINED.fullmatch(text):  # a dash that lists or spans, which the folding of characters made a hyphen
        return tuple(identifier(code.group(), start + code.start()) for code in _CODES.finditer(text))
    numbers = _RANGE.fullmatch(text)
    items = list((_RANGE_ITEM if numbers else _ITEM).finditer(text))
    if len(items) == 1 or not (numbers or all(map(_is_item, items))):
        return ()
    return tuple(value for item in items for value in _read_item(item.group(), start + item.start()))


def _file_and_lines(place: re.Match[str], start: int) -> Iterator[Value]:
    file = place["file"]
    form = address_forms.path_form(file)
    part = Lookup(spellings.PART + form, "part")
    yield Value("path", file, start, start + len(file), form, (form,), other=(part,), distinctive=True)
    for group in ("line", "last"):
        if place[group] is not None:
            yield from read_number(place[group], start + place.start(group))


def as_line(value: Value) -> Value:
    """Return a number, or a range, as what it is behind the word `line`: also the line of a place that a tool said."""
    pieces = tuple(map(as_line, value.pieces))
    return value._replace(other=(*value.other, Lookup(spellings.line_form(value.form), "part")), pieces=pieces)


def _is_item(item: re.Match[str]) -> bool:
    return len(item.group()) >= _SHORTEST_IDENTIFIER and any(map(str.isdecimal, item.group()))


def _read_item(text: str, start: int) -> Iterator[Value]:
    if _NUMBER.fullmatch(text):
        yield from read_number(text, start)
    else:
        yield from read_token(text.strip("_-./:@"), start)


def _typed(kind: Kind, text: str, start: int, form: str, *also: str, other: tuple[Lookup, ...] = ()) -> Value:
    stated = tuple(dict.fromkeys((form, *also)))
    return Value(kind, text, start, start + len(text), form, stated, other=other, distinctive=True)


def _read_ip(_text: str, start: int, match: re.Match[str]) -> Iterator[Value]:
    host = _typed("ip", match["ip"], start, match["ip"], spellings.PART + match["ip"])
    yield host if not match["port"] else host._replace(stated=host.stated[1:])
    if match["port"]:  # a value of its own
        yield from read_number(match["port"], start + match.start("port"))


def _read_ip6(text: str, start: int, match: re.Match[str]) -> Iterator[Value]:
    form = address_forms.ip_form(match["ip6"])
    if form is None:
        yield identifier(text, start)
    elif match["scope"]:
        scoped = form + match["scope"].casefold()
        yield _typed("ip", text, start, scoped, spellings.PART + form, other=(Lookup(form, "part"),))
    else:
        yield _typed("ip", text, start, form)


def _read_mac(text: str, start: int, _match: re.Match[str]) -> Iterator[Value]:
    form = address_forms.mac_form(text)
    if len(text) < len(form) and not any(map(str.isalpha, text)):
        yield identifier(text, start)  # `1:2:3:4:5:6` counts
        return
    bare = form.replace(":", "")
    yield _typed("mac", text, start, form, bare, other=(Lookup(bare),))


def _read_wwn(text: str, start: int, _match: re.Match[str]) -> Iterator[Value]:
    form, rare = text.casefold(), text.casefold().replace(":", "")
    yield _typed("identifier", text, start, form, spellings.RARE + rare)._replace(rare=(rare,))


def _read_uuid(text: str, start: int, match: re.Match[str]) -> Iterator[Value]:
    digits = match["uuid"].casefold().removeprefix("urn:uuid:").replace("-", "")
    form = address_forms.uuid_form(digits)
    groups = (spellings.PART + group for group in form.split("-") if any(map(str.isdecimal, group)))
    stated = (digits, *groups, *spellings.hash_prefixes(digits))
    if digits.isdecimal() and "-" not in text:
        yield identifier(text, start)  # leading zeros are identity; without them it was read as a number
        return
    yield _typed("uuid", text, start, form, *stated, other=(Lookup(digits),))


def _read_hash(text: str, start: int, match: re.Match[str]) -> Iterator[Value]:
    form = match["hash"].casefold().rpartition(":")[2]
    if form.isdecimal() and form == text:
        yield identifier(text, start)  # leading zeros are identity; without them it was read as a number
        return
    yield _typed("hash", text, start, form, *spellings.hash_prefixes(form))


def _read_bare(text: str, start: int, _match: re.Match[str]) -> Iterator[Value]:
    yield identifier(text, start)  # a hardware address in another spelling is stated, and looked up, as this too


def _read_version(text: str, start: int, _match: re.Match[str]) -> Iterator[Value]:
    dotted = list(dates.read_dotted(text, start)) if _DOTTED_DATE.fullmatch(text) else []
    if dotted:
        yield from dotted
        return
    value = identifier(text, start)
    form = value.form
    if form.count(".") == 1 and form.replace(".", "").isdecimal():
        plain = (form,) if not form.endswith("0") else ()  # 3.10 is no number, for that would be 3.1
        other = (*map(Lookup, plain), Lookup(spellings.PART + form, "part"))
        yield value._replace(kind="version", form=f"v{form}", stated=(f"v{form}", *plain), other=other)
        return
    above = spellings.versions_above(form)
    part = Lookup(f"{spellings.PART}v{form}", "part")
    value = value._replace(kind="version", stated=(*value.stated, *above), other=(*value.other, part))
    days = spellings.compact_date_forms(text.replace(".", "")) if _DOTTED_BACKWARDS.fullmatch(text) else ()
    if days:  # 2025.07.04 may be a version, or a day
        possible = tuple(spellings.POSSIBLE + day for day in days)
        value = value._replace(stated=(*value.stated, *possible), other=(*value.other, Lookup(days[0], "ambiguous")))
    yield value


def _read_hexadecimal(text: str, start: int, _match: re.Match[str]) -> Iterator[Value]:
    value = identifier(text, start)
    bare = value.form[2:]
    if bare.isdecimal():  # 0x1234 is not 1234
        yield value
    else:
        yield value._replace(stated=(*value.stated, bare), other=(Lookup(bare),))


_TYPES = {
    "ip": _read_ip,
    "mac": _read_mac,
    "wwn": _read_wwn,
    "uuid": _read_uuid,
    "ip6": _read_ip6,
    "hash": _read_hash,
    "bare": _read_bare,
    "version": _read_version,
    "hexadecimal": _read_hexadecimal,
}
