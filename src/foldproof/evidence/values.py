"""A value: something a text states that could be right or wrong, where it stands, and the forms it is known by."""

from __future__ import annotations

from typing import Literal, NamedTuple

from foldproof.evidence import spellings

Kind = Literal[
    "number",
    "money",
    "percent",
    "quantity",
    "duration",
    "date",
    "clock",
    "datetime",
    "identifier",
    "version",
    "path",
    "url",
    "email",
    "phone",
    "ip",
    "mac",
    "uuid",
    "hash",
    "ratio",
    "range",
    "declared",
]

NUMERIC: frozenset[Kind] = frozenset({"number", "money", "percent", "quantity", "duration"})
"""The kinds whose form is a number and which may have a unit."""

_TOKENS: frozenset[Kind] = frozenset({"identifier", "version", "path", "ip", "mac", "uuid", "hash", "ratio", "range"})
"""The kinds that may be a whole segment of something longer."""

How = Literal["exact", "spelling", "rounded", "part", "prefix", "suffix", "ambiguous"]
"""How a tool said it, the strongest first."""


_SHORTEST_PART = 4


class Lookup(NamedTuple):
    """A form to look up, and how strong a match under it would be."""

    form: str
    how: How = "spelling"


class Value(NamedTuple):
    """A value in a text.

    Attributes:
        kind: what it is.
        text: its spelling, as it stands in the text.
        start, end: where, in code points of the text.
        form: its form; for a number, without its unit.
        stated: the forms a tool's value is indexed under.
        unit: the unit of a number.
        other: further forms to look it up under, the strongest first.
        digits: how many digits count towards the floor.
        distinctive: whether it is examined however few digits it has (money, dates, addresses).
        pieces: what the value is made of, when each piece could be right on its own (`HAT136/HAT039`, `10-20`).
        partial: what a person must have given, then what anybody must have said, for it to be exempt in part.
        places: for a numeric kind, the power of ten of the last digit that the spelling states, after scale words:
            0 for `61%` and `8,000`, -1 for `61.0%`, 5 for `$1.2M`.
        suffix: whether the text in front says that this is the end of something (`ending in 1239`, `****1239`).
        rare: the forms that a rare reading of the spelling gives (an ISO week date, say); see `spellings.RARE`.
    """

    kind: Kind
    text: str
    start: int
    end: int
    form: str
    stated: tuple[str, ...]
    unit: str | None = None
    other: tuple[Lookup, ...] = ()
    digits: int = 0
    distinctive: bool = False
    pieces: tuple[Value, ...] = ()
    partial: tuple[str, str] | None = None
    places: int | None = None
    suffix: bool = False
    rare: tuple[str, ...] = ()

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """The forms an answer's value is looked up under, the strongest first."""
        if self.kind in NUMERIC:
            # What may be a list of two numbers has a fraction only in one of its readings: `12,34`.
            how: How = "ambiguous" if self.pieces and "." in self.form else "spelling"
            forms = spellings.number_lookups(self.form, self.unit)
            same = tuple(Lookup(form, how) for form in forms)
            possible = tuple(Lookup(spellings.POSSIBLE + form, "ambiguous") for form in forms)
            return same + self.other + (self._as_part() if self.text.isdecimal() else ()) + possible
        same = (Lookup(self.form),)
        return same + self.other + (self._as_part() if self.kind in _TOKENS else ())

    def _as_part(self) -> tuple[Lookup, ...]:
        """What an identifier, or a bare run of digits, may be: a segment of a longer identifier."""
        found = [Lookup(spellings.PART + self.form, "part")] if len(self.form) >= _SHORTEST_PART else []
        if spellings.is_short_hash(self.form):
            found.append(Lookup(spellings.PREFIX + self.form, "prefix"))
        return tuple(found)

    def is_examined(self, min_digits: int) -> bool:
        """Whether the value is above the floor.

        A number needs `min_digits` digits, and so does an identifier that is nothing but digits. A range or a ratio
        is examined when one of its ends is.
        """
        return self.distinctive or self.digits >= min_digits
