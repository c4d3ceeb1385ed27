"""A value: something a text states that could be right or wrong, where it stands, and the forms it is known by."""

from __future__ import annotations

from typing import Literal, NamedTuple

from foldproof.evidence import spellings

Kind = Literal["number", "money", "percent", "quantity", "date", "clock", "identifier", "url", "email", "declared"]

How = Literal["exact", "spelling", "rounded", "part", "prefix", "suffix", "ambiguous"]
"""How a tool said it, the strongest first."""


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
        digits: how many digits it has, for the floor.
        distinctive: whether it is examined however few digits it has (money, dates, addresses).
        pieces: what the value is made of, when each piece could be right on its own (`HAT136/HAT039`, `10-20`).
        partial: what a person must have given, then what anybody must have said, for it to be exempt in part.
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

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """The forms an answer's value is looked up under, the strongest first."""
        if self.kind in ("number", "money", "percent", "quantity"):
            same = tuple(Lookup(form) for form in spellings.number_lookups(self.form, self.unit))
            weaker: tuple[Lookup, ...] = (
                Lookup(spellings.PART + self.form, "part"),
                Lookup(spellings.POSSIBLE + self.form, "ambiguous"),
            )
        elif self.kind == "identifier":
            same, weaker = (Lookup(self.form),), (Lookup(spellings.PART + self.form, "part"),)
        else:
            same, weaker = (Lookup(self.form),), ()
        return same + self.other + weaker

    def is_examined(self, min_digits: int) -> bool:
        """Whether the value is above the floor.

        A number needs `min_digits` digits, and so does an identifier that is nothing but digits. A range or a ratio
        is examined when one of its ends is.
        """
        if self.distinctive:
            return True
        if self.pieces:
            return any(piece.is_examined(min_digits) for piece in self.pieces)
        return self.digits >= min_digits and (self.kind != "identifier" or self.text.isdecimal())
