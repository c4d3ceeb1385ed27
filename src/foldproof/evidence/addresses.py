"""Reading addresses: of the web, of mail, of telephones, and of files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foldproof.evidence import address_forms, spellings
from foldproof.evidence.amounts import digits_in, read_number
from foldproof.evidence.values import Lookup, Value

_TRAILING = ".,;:!?*'~"
_DEFAULT_PORTS = re.compile(r"(http)://([^/:?#]{1,255}):80(?=[/?#]|\Z)|(https)://([^/:?#]{1,255}):443(?=[/?#]|\Z)")
_DIGITS = re.compile(r"\d{1,20}")
_LINE = re.compile(r":([1-9]\d{0,6})(?::\d{1,7})?\Z")
_ROOT = re.compile(r"~/|[a-z]:/|/(?:usr|etc|var|home|opt|srv|tmp|users|mnt|root|s?bin|dev|proc|lib|run|media|private)/")
_EXTENSION = re.compile(r"\.[a-z]{1,5}\Z")
_MEDIA_TYPES = ("application/", "text/", "image/", "audio/", "video/", "font/", "multipart/", "model/", "message/")
_FEWEST_ROOTED = 2


def read_url(text: str, start: int) -> Iterator[Value]:
    """Read a URL up to the punctuation of the sentence it stands in."""
    text = _without_tail(text)
    form = address_forms.address_form(text)
    address, comma, rest = form.partition(",")
    other = (Lookup(address),) if comma and not digits_in(rest) else ()
    rare = tuple(_rare_addresses(form))
    parts = (spellings.PART + piece for piece in spellings.segments(text.casefold()))
    path = form.partition("://")[2].partition("/")[2].casefold()
    tails = (
        address_forms.path_forms(path)[1:] if _EXTENSION.search(path) else ()
    )  # a file, at its place in a repository
    stated = tuple(dict.fromkeys((form, *parts, *tails, *(spellings.RARE + each for each in rare))))
    yield Value("url", text, start, start + len(text), form, stated, other=other, distinctive=True, rare=rare)


def _rare_addresses(form: str) -> Iterator[str]:
    if "[.]" in form or form.startswith("hxxp"):
        yield address_forms.address_form(form.replace("[.]", ".").replace("hxxp", "http", 1))
    ported = _DEFAULT_PORTS.match(form)
    if ported:
        yield address_forms.address_form(f"{ported[1] or ported[3]}://{ported[2] or ported[4]}{form[ported.end() :]}")


def _without_tail(url: str) -> str:
    """Drop the punctuation of the sentence around a URL; a closing bracket stays only where it was opened."""
    end, unopened = len(url), url.count(")") - url.count("(")
    while end and (url[end - 1] in _TRAILING or (url[end - 1] == ")" and unopened > 0)):
        end -= 1
        unopened -= url[end] == ")"
    return url[:end]


def read_email(text: str, start: int) -> Iterator[Value]:
    """Read an address of mail; what stands in front of the `@` is a part of it."""
    form = text.casefold()
    local = form.partition("@")[0]
    stated = (form, spellings.PART + local, *(spellings.PART + piece for piece in spellings.segments(local)))
    yield Value("email", text, start, start + len(text), form, stated, distinctive=True)


def read_phone(text: str, start: int) -> Iterator[Value]:
    """Read a phone number. Written with spaces or a country it may also be the numbers it is made of."""
    digits, country, national = address_forms.phone_forms(text)
    runs = [(run.group(), start + run.start()) for run in _DIGITS.finditer(text)]
    pieces = (
        tuple(value for run, place in runs for value in _piece(run, place)) if " " in text and country is None else ()
    )
    rare: tuple[str, ...] = ()
    if country is None:
        form = f"tel:{digits}"
        stated = [form, spellings.PART + digits]
        other = [Lookup(f"{form} {spellings.ANY_UNIT}")]
    else:
        form = f"tel:+{country}{national}"
        stated = [form, f"tel:{national} {spellings.ANY_UNIT}", spellings.PART + national, spellings.PART + digits]
        other = [Lookup(f"tel:{national}"), Lookup(country + national)]
        rare = (f"tel:{national}",)
    other.append(Lookup(national))
    stated += [spellings.PART + run for run, _ in runs if len(run) >= spellings.SHORTEST_SEGMENT]
    if country is None and digits[0] == "0":  # a trunk 0 is dropped behind a country
        rare = (f"tel:{digits[1:]} {spellings.ANY_UNIT}", f"tel:{digits[1:]}")
        stated += [spellings.RARE + each for each in rare]
    forms = (*stated, *(each for value in pieces for each in value.stated))
    value = Value("phone", text, start, start + len(text), form, tuple(dict.fromkeys(forms)), distinctive=True)
    yield value._replace(other=tuple(other), pieces=pieces, rare=rare)


def _piece(text: str, start: int) -> Iterator[Value]:
    if text[0] == "0":
        yield Value("identifier", text, start, start + len(text), text, (text,), digits=len(text))
    else:
        yield from read_number(text, start)


def read_path(text: str, start: int) -> Iterator[Value]:
    """Read a path without a digit, and the line behind it. Nothing for what merely has slashes: `and/or`, `text/plain`.

    A run of its segments is a part of any path that holds them side by side. A folder is examined where it hangs from
    the root of a file system: `/api/users` is an address of something else, or prose.
    """
    match = _LINE.search(text)
    name = text[: match.start()] if match else text.rstrip("./\\")
    form = address_forms.path_form(name)
    if not _is_path(name, form):
        return
    forms = address_forms.path_forms(form)
    end = start + len(name)
    part = (Lookup(spellings.PART + form.lstrip("/"), "part"),)
    pairs = tuple(
        Value("path", name, start, end, pair, (), other=(Lookup(spellings.PART + pair, "part"),))
        for pair in address_forms.path_pairs(form)
    )
    told = _EXTENSION.search(form) is not None or _ROOT.match(form) is not None
    path = Value("path", name, start, end, form, forms, other=part, distinctive=told, pieces=pairs)
    if match is None:
        yield path
        return
    line = read_number(match[1], start + match.start(1))
    whole = form + match.group().casefold()
    stated = (whole, *forms, *address_forms.path_forms(f"{form}:{match[1]}"), spellings.line_form(match[1]))
    yield path._replace(
        text=text,
        end=start + len(text),
        form=whole,
        stated=tuple(dict.fromkeys(stated)),
        other=(),
        pieces=(path, *line),
    )


def _is_path(name: str, form: str) -> bool:
    segments = [segment for segment in form.split("/") if segment]
    if name.startswith(("/", "./", "../", "~/", ".\\", "..\\")) or name[1:2] == ":":
        return len(segments) >= _FEWEST_ROOTED
    listed = all("." in segment for segment in segments)  # `a.m./p.m.`
    return _EXTENSION.search(form) is not None and not listed and not form.startswith(_MEDIA_TYPES)


def file_name(text: str, start: int) -> Value:
    """Return the name of a file with spaces in it, which stands in quotes or alone."""
    form = address_forms.path_form(text)
    stated = (form, spellings.PART + form.rpartition("/")[2])
    return Value("path", text, start, start + len(text), form, stated, distinctive=True)
