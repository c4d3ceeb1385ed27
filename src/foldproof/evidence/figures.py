"""Figures: exact numbers in order, so that those within a rounding of a stated one are found without reading all.

A stated number agrees with an exact one *at its own precision*: `61%` is 61.1 rounded, `61.0%` is not. With a scale
word the digits may also have been cut: `$181 million` is said of 181,674,817.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, DecimalException
from typing import Generic, NamedTuple, TypeVar

from foldproof.evidence.units import SCALES
from foldproof.evidence.values import Value

EXACT = Context(prec=60, traps=[])
"""What a judgement computes in: exact enough for all of it, and no host's settings change or stop it."""

LONGEST = 24  # digits; what is longer was never rounded, and is no operand

_FEW = 512  # so many are put in their places; more are sorted with the rest

_SCALE = re.compile(rf"(?i)(?<=[\d\W])(?:{'|'.join(sorted(SCALES, key=len, reverse=True))})(?!\w)")

Source = TypeVar("Source")


class Stated(NamedTuple):
    """A number as an answer states it: its amount without a sign, and the power of ten of its last digit."""

    amount: Decimal
    places: int

    def agrees(self, exact: Decimal) -> bool:
        """Whether `exact`, sign aside, reads as this number at its precision. Nothing but zero reads as zero."""
        exact = abs(exact)
        low, high = self.bounds()
        if not low <= float(exact) <= high:
            return False
        if not self.amount or not exact or exact.adjusted() > LONGEST:
            return exact == self.amount
        unit = Decimal(1).scaleb(self.places)
        ways = (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN) if self.places > 0 else (ROUND_HALF_UP, ROUND_HALF_EVEN)
        try:
            return any(exact.quantize(unit, way) == self.amount for way in ways)
        except DecimalException:
            return False

    def bounds(self) -> tuple[float, float]:
        """Return amounts between which lies all that rounding could make this number, and a little more."""
        amount, width = float(self.amount), 10.0**self.places
        return amount - width - amount * 1e-12, amount + width + amount * 1e-12

    def scaled(self, power: int) -> Stated:
        """Return the number times a power of ten."""
        return Stated(self.amount.scaleb(power), self.places + power)

    def times(self, factor: Decimal) -> tuple[Decimal, Decimal]:
        """Return the interval, as wide as the precision, in which `factor` times this number lies."""
        half = Decimal(1).scaleb(self.places) * (1 if self.places > 0 else Decimal("0.5"))
        return (self.amount - half) * factor, (self.amount + half) * factor


def stated_number(value: Value) -> Stated | None:
    """Return the number that a value states, or None when it states none, or one too long to have been computed."""
    if value.places is None or len(value.form) > LONGEST:
        return None
    try:
        amount = Decimal(value.form)
    except DecimalException:
        return None
    return Stated(abs(amount), value.places) if is_usual(amount) else None


def is_usual(amount: Decimal) -> bool:
    """Whether a number is finite and of a size that anybody computes with: what is not takes part in nothing."""
    return amount.is_finite() and abs(amount.adjusted()) <= LONGEST


def scale_of(value: Value) -> int:
    """Return the power of ten of the scale word in a number's spelling; 0 when there is none (`12.6 million` is 6)."""
    match = _SCALE.search(value.text)
    return SCALES[match.group().casefold()] if match else 0


class Figures(Generic[Source]):
    """Numbers, each with where it came from, found by interval. Adding is cheap; the first question after it sorts."""

    def __init__(self) -> None:
        self._amounts: list[float] = []
        self._sources: list[Source] = []
        self._added: list[tuple[float, Source]] = []

    def add(self, amount: Decimal, source: Source) -> None:
        """Add one number; its sign does not count."""
        self._added.append((abs(float(amount)), source))

    def between(self, low: Decimal, high: Decimal) -> Iterator[Source]:
        """Yield what lies between two amounts, widened by what a float cannot tell; in order of amount."""
        self._settle()
        margin = abs(float(high)) * 1e-12
        end = float(high) + margin
        for place in range(bisect_left(self._amounts, float(low) - margin), len(self._amounts)):
            if self._amounts[place] > end:
                return
            yield self._sources[place]

    def _settle(self) -> None:
        if len(self._added) < _FEW:
            for amount, source in self._added:
                place = bisect_left(self._amounts, amount)
                self._amounts.insert(place, amount)
                self._sources.insert(place, source)
        else:
            entries = [*zip(self._amounts, self._sources, strict=True), *self._added]
            entries.sort(key=lambda entry: entry[0])
            self._amounts, self._sources = [entry[0] for entry in entries], [entry[1] for entry in entries]
        self._added.clear()
