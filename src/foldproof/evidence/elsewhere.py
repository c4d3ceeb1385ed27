"""Elsewhere: a sentence names a record, and a value of that sentence stands only in other records.

Advisory, and never an accusation: a sentence may well speak of two things. Nothing is said unless what the sentence
names is one record of each result it stands in, and the value is in none of them, nor in what they are part of.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from foldproof.evidence.aggregates import is_identity, measures_something
from foldproof.evidence.candidates import scan
from foldproof.evidence.carriers import Carrier
from foldproof.evidence.near import Near
from foldproof.evidence.values import Kind, Value
from foldproof.evidence.view import Place, View

_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")
_NAMING = frozenset({"identifier", "uuid", "email", "hash", "mac", "ip", "phone"})
_AMOUNTS = frozenset({"money", "percent", "quantity", "duration"})
_MOST_NAMES = 8
_AROUND = re.compile(r"[.\[]")


def closest(value: Value, forms: Sequence[str], view: View) -> Near | None:
    """Return the closest value of the kind in the records that a value's sentence names, if it stands only in others.

    None when the value stands in one of them too, or beside all records, or was supplied by somebody, and when they
    say nothing of the kind.
    """
    if value.kind in _NAMING:
        return None
    named = _records_named(_names_beside(value, view), view)
    if not named or any(view.exempt_how(lookup.form) for lookup in value.lookups):
        return None
    if _stand_in_or_beside((*forms, *(lookup.form for lookup in value.lookups)), named, view):
        return None
    found = [
        (_distance(value, other), place, Near(other.form, view, (carrier,)))
        for place, (carrier, other) in enumerate(_values_in(named, view))
        if _is_of_a_kind(value, other, carrier)
    ]
    return min(found, key=lambda entry: entry[:2])[2] if found else None


def _names_beside(value: Value, view: View) -> list[tuple[Kind, tuple[str, ...]]]:
    """Return the kind and forms of what may be a name in a value's sentence, which ends with its line or a stop.

    None when these are more than 8: such a sentence is about no single thing.
    """
    text, grounded = view.judged
    line = text.rfind("\n", 0, value.start) + 1
    start = max((match.end() for match in _SENTENCE_END.finditer(text, line, value.start)), default=line)
    stop = _SENTENCE_END.search(text, value.end)
    end = stop.end() if stop else len(text)
    names: dict[tuple[Kind, tuple[str, ...]], None] = {}
    for at, kind, forms in grounded[bisect_left(grounded, (start,)) :]:
        if at >= end or len(names) > _MOST_NAMES:
            break
        if at != value.start and (kind in _NAMING or kind == "number"):
            names[kind, forms] = None
    return [] if len(names) > _MOST_NAMES else list(names)


def _is_of_a_kind(value: Value, other: Value, carrier: Carrier) -> bool:
    """Whether two values are of one kind; a bare number may be an amount, unless its column counts or names things."""
    if other.kind == "number" and value.kind in _AMOUNTS:
        return measures_something(carrier.column or "")
    return other.kind == value.kind


def _records_named(names: Sequence[tuple[Kind, tuple[str, ...]]], view: View) -> frozenset[Place]:
    """Return the records that identifiers name; none when one of them names several of a result, or none at all.

    A number is a name only where it stands as one (`order_id`); elsewhere it says nothing of records.
    """
    found: set[Place] = set()
    for kind, forms in names:
        named, beside = _places_of(forms, view)
        if not named and kind == "number":
            continue
        if not named or len({place[:2] for place in named}) < len(named):
            return frozenset()
        found |= named | beside
    return frozenset(found)


def _places_of(forms: tuple[str, ...], view: View) -> tuple[frozenset[Place], frozenset[Place]]:
    """Return the records that an identifier names, and those in which it stands at all; remembered by the view."""
    known = view.remembered.get(forms)
    if known is None:
        carriers = [carrier for form in forms for carrier in view.carriers(form)]
        stands = [
            ((carrier.message, carrier.part, carrier.record), carrier.in_key or is_identity(carrier.column or ""))
            for carrier in carriers
            if carrier.record is not None and carrier.message_id is None
        ]
        known = frozenset(place for place, names in stands if names), frozenset(place for place, _ in stands)
        view.remembered[forms] = known
    return known


def _stand_in_or_beside(forms: Sequence[str], named: frozenset[Place], view: View) -> bool:
    """Whether a value stands in one of the records, inside one, in what one is inside of, or beside all records."""
    messages = sorted({message for message, _, _ in named})
    carriers = [carrier for form in forms for carrier in (*view.carriers(form), *view.carriers_in(form, messages))]
    return any(
        carrier.record is None
        or carrier.message_id is not None  # its record has left
        or carrier.path == "$"  # a result that is one plain value
        or any(
            (carrier.message, carrier.part) == (message, part) and _related(carrier.record, record)
            for message, part, record in named
        )
        for carrier in carriers
    )


def _related(one: str, other: str) -> bool:
    """Whether one record is the other, or stands inside it."""
    outer, inner = sorted((one, other), key=len)
    return inner.startswith(outer) and (inner == outer or _AROUND.match(inner[len(outer) :]) is not None)


def _values_in(named: frozenset[Place], view: View) -> Iterator[tuple[Carrier, Value]]:
    for message, part, record in sorted(named, key=str):
        for carrier in view.cells_of(message, part, record):
            for value in scan(carrier.text):
                yield carrier, value


def _distance(value: Value, other: Value) -> float:
    try:
        return abs(float(value.form) - float(other.form))
    except ValueError:
        return 1 - SequenceMatcher(None, value.form, other.form).ratio()
