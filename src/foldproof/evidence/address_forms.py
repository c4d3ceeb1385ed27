"""The forms of addresses: of files, of networks and their hardware, of telephones, of the web.

Like all forms they are in the table at the head of `spellings`.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from itertools import pairwise

from foldproof.evidence.spellings import PART

_MAC_SEPARATOR = re.compile(r"[-:.]")
_TWO_DIGIT_COUNTRIES = frozenset(
    [
        "20",
        "27",
        "30",
        "31",
        "32",
        "33",
        "34",
        "36",
        "39",
        "40",
        "41",
        "43",
        "44",
        "45",
        "46",
        "47",
        "48",
        "49",
        "51",
        "52",
        "53",
        "54",
        "55",
        "56",
        "57",
        "58",
        "60",
        "61",
        "62",
        "63",
        "64",
        "65",
        "66",
        "81",
        "82",
        "84",
        "86",
        "90",
        "91",
        "92",
        "93",
        "94",
        "95",
        "98",
    ]
)
_MOST_CUTS = 16


def mac_form(text: str) -> str:
    """Return a hardware address in six groups or three as six groups of two, zeros in front filled in."""
    groups = _MAC_SEPARATOR.split(text.casefold())
    if len(groups) == 3:  # noqa: PLR2004 - 001a.2b3c.4d5e
        groups = [half for group in groups for half in (group[:2], group[2:])]
    return ":".join(group.zfill(2) for group in groups)


def uuid_form(digits: str) -> str:
    """Return 32 hexadecimal digits in the five groups of a UUID."""
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def ip_form(text: str) -> str | None:
    """Return an address of IPv6 in its shortest spelling (RFC 5952); None for what is no such address."""
    try:
        return str(IPv6Address(text))
    except ValueError:
        return None


def path_form(text: str) -> str:
    """Return the form of a path: slashes forward, no `./` in front, nothing behind the last segment, casefolded."""
    form = text.replace("\\", "/").casefold().rstrip("/.")
    while form.startswith("./"):
        form = form[2:].lstrip("/")
    return form


def path_forms(form: str) -> tuple[str, ...]:
    """Return the forms a tool's path is indexed under: itself, its tails, and its pairs of neighbouring segments."""
    segments_of = [segment for segment in form.split("/") if segment][-_MOST_CUTS:]
    tails = (f"{PART}{'/'.join(segments_of[place:])}" for place in range(len(segments_of)))
    return tuple(dict.fromkeys((form, *tails, *(f"{PART}{pair}" for pair in path_pairs(form)))))


def path_pairs(form: str) -> tuple[str, ...]:
    """Return each two neighbouring segments of a path."""
    segments_of = [segment for segment in form.split("/") if segment][-_MOST_CUTS:]
    return tuple(f"{first}/{second}" for first, second in pairwise(segments_of))


def phone_forms(text: str) -> tuple[str, str | None, str]:
    """Return a phone number's digits with their country (None when none is said), and its national digits."""
    digits = "".join(filter(str.isdecimal, text))
    if text.startswith("+"):
        country = digits[:1] if digits[0] in "17" else digits[:2] if digits[:2] in _TWO_DIGIT_COUNTRIES else digits[:3]
        return digits, country, digits[len(country) :].removeprefix("0")
    if len(digits) == 11 and digits[0] == "1":  # noqa: PLR2004 - the long-distance 1 of North America
        return digits, "1", digits[1:]
    return digits, None, digits


def address_form(url: str) -> str:
    """Return the form of a URL: scheme and host lower case, no slash behind a bare host."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower()}" + (slash + path if path else "")
