"""Arithmetic over what an answer itself states: one binary operation, a sum or a mean, of operands beside the result.

The operands stand in the line of the result, or in the line before or behind it. Years and other names are no operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from itertools import combinations
from typing import Literal, NamedTuple

from foldproof.evidence.figures import Stated

Operation = Literal[
    "sum", "count", "mean", "difference", "ratio", "complement", "times", "change", "relative change",
    "product", "share", "unit", "epoch", "days",
]  # fmt: skip
"""How a value follows from others. `share` is a percentage of an amount, `epoch` a moment in seconds since
1970, `days` a date and a stated offset."""

MOST_TERMS = 16
_EXACT = Context(prec=60)
_HUNDRED = Decimal(100)
_ONE = Decimal(1)
_PAIR = 2


class Term(NamedTuple):
    """A number that an answer states beside a result: which of its values, how much, of what unit."""

    place: int
    amount: Decimal
    unit: str | None
    is_count: bool = False  # a small whole number, which may only multiply and divide


class Worked(NamedTuple):
    """An operation over operands that gives the result."""

    operation: Operation
    terms: tuple[Term, ...]


def worked_from(result: Stated, unit: str | None, terms: Sequence[Term]) -> Iterator[Worked]:
    """Yield every operation over `terms`, in the order they stand, that gives `result`.

    A sum or a mean is taken over a run of neighbours. Of more than 16 terms the first 16 count.
    """
    terms = terms[:MOST_TERMS]
    yield from _from_pairs(result, unit, terms)
    yield from _from_runs(result, [term for term in terms if not term.is_count and fits(unit, term.unit)])


def _from_pairs(result: Stated, unit: str | None, terms: Sequence[Term]) -> Iterator[Worked]:
    low, high = result.bounds()
    rough = [float(term.amount) for term in terms]
    for first, second in combinations(range(len(terms)), 2):
        if not _may_give(rough[first], rough[second], low, high):
            continue
        for one, other in ((terms[first], terms[second]), (terms[second], terms[first])):
            for operation, exact in _binary(one, other, unit, in_order=one.place < other.place):
                if result.agrees(exact):
                    yield Worked(operation, (one, other))


def _from_runs(result: Stated, terms: Sequence[Term]) -> Iterator[Worked]:
    low, high = result.bounds()
    for start in range(len(terms)):
        total = float(terms[start].amount)
        for end in range(start + 1, len(terms)):
            total += float(terms[end].amount)
            count = end + 1 - start
            if low <= abs(total) <= high or low <= abs(total / count) <= high:
                run = tuple(terms[start : end + 1])
                for operation, exact in totals(run):
                    if result.agrees(exact) and (operation == "mean" or count > _PAIR):
                        yield Worked(operation, run)


def _may_give(a: float, b: float, low: float, high: float) -> bool:
    """Whether two operands may come to a number within bounds by any operation: a quick no for nearly all pairs."""
    product = abs(a * b)
    if low <= abs(a + b) <= high or low <= abs(a - b) <= high or low <= product <= high or low <= product / 100 <= high:
        return True
    for one, other in ((a, b), (b, a)):
        if other:
            ratio = one / other
            percent = 100 * ratio
            if low <= abs(ratio) <= high or low <= abs(percent) <= high or low <= abs(percent - 100) <= high:
                return True
    return False


def totals(terms: Sequence[Term]) -> Iterator[tuple[Operation, Decimal]]:
    """Yield the sum and the mean of terms."""
    total = Decimal(0)
    for term in terms:
        total = _EXACT.add(total, term.amount)
    yield "sum", total
    yield "mean", _EXACT.divide(total, Decimal(len(terms)))


def _binary(one: Term, other: Term, unit: str | None, *, in_order: bool) -> Iterator[tuple[Operation, Decimal]]:
    """Yield what two operands give; what does not depend on their order is given for one order only."""
    a, b = one.amount, other.amount
    alike = fits(one.unit, other.unit)
    measured = not (one.is_count or other.is_count)
    if alike and measured and fits(unit, one.unit) and fits(unit, other.unit):
        if in_order:
            yield "sum", _EXACT.add(a, b)
        if a > b or (a == b and in_order):
            yield "difference", _EXACT.subtract(a, b)
    if in_order and (one.unit is None or other.unit is None) and fits(unit, one.unit or other.unit):
        yield "product", _EXACT.multiply(a, b)
    if one.unit == "%" and other.unit != "%" and fits(unit, other.unit):
        yield "share", _EXACT.multiply(a, b).scaleb(-2)
    if b:
        yield from _quotients(one, other, unit, _EXACT.divide(a, b), is_change=alike and measured)


def _quotients(
    one: Term, other: Term, unit: str | None, ratio: Decimal, *, is_change: bool
) -> Iterator[tuple[Operation, Decimal]]:
    """Yield what one operand divided by another reads as: a percentage, a change in percent, or an amount for each."""
    alike = fits(one.unit, other.unit)
    if alike and unit == "%":
        yield "ratio", _EXACT.multiply(ratio, _HUNDRED)
        if is_change:
            yield "relative change", _EXACT.multiply(_EXACT.subtract(ratio, _ONE), _HUNDRED)
    elif fits(unit, one.unit) and (other.unit is None or alike):
        yield "ratio", ratio


def fits(one: str | None, other: str | None) -> bool:
    """Whether two units, where both are stated, are one."""
    return one is None or other is None or one == other
