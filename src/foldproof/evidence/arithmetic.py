"""Arithmetic over what an answer itself states: one binary operation, a sum or a mean, of operands beside the result.

The operands stand in the line of the result, or in the line before or behind it. Years and other names are no operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Literal, NamedTuple

from foldproof.evidence.figures import Stated
from foldproof.evidence.units import kind_of_unit

Operation = Literal[
    "sum", "count", "mean", "difference", "ratio", "complement", "times", "change", "relative change",
    "product", "share", "unit", "epoch", "days", "elapsed",
]  # fmt: skip
"""How a value follows from others. `share` is a percentage of an amount, `epoch` a moment in seconds since
1970, `days` a date and a stated offset, `elapsed` what lies between
two clocks or two dates."""

MOST_TERMS = 16
_MOST_PAIRED = 6  # of more, any percentage is the ratio of some two
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
    """An operation over operands that gives the result, and what it comes to exactly."""

    operation: Operation
    terms: tuple[Term, ...]
    exact: Decimal


def worked_from(result: Stated, unit: str | None, terms: Sequence[Term], *, place: int) -> Iterator[Worked]:
    """Yield every operation over `terms`, in the order they stand, that gives `result`.

    A sum or a mean is taken over a run of neighbours. Of more than 16 terms the first 16 count; of pairs,
    those among the 6 terms nearest to `place`, where the result stands. Two counts alone give nothing.
    """
    nearest = sorted(sorted(terms, key=lambda term: abs(term.place - place))[:_MOST_PAIRED])
    yield from _from_pairs(result, unit, nearest)
    summed = [term for term in terms if not term.is_count and _may_add_up(term.unit, term.unit, unit)]
    yield from _from_runs(result, summed[:MOST_TERMS])


def _from_pairs(result: Stated, unit: str | None, terms: Sequence[Term]) -> Iterator[Worked]:
    low, high = result.bounds()
    rough = [float(term.amount) for term in terms]
    for first, second in combinations(range(len(terms)), 2):
        if not _may_give(rough[first], rough[second], low, high):
            continue
        for one, other in ((terms[first], terms[second]), (terms[second], terms[first])):
            for operation, exact in _binary(one, other, unit, in_order=one.place < other.place):
                if result.agrees(exact):
                    yield Worked(operation, (one, other), exact)


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
                        yield Worked(operation, run, exact)


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
        total = total + term.amount
    yield "sum", total
    yield "mean", total / Decimal(len(terms))


def _binary(one: Term, other: Term, unit: str | None, *, in_order: bool) -> Iterator[tuple[Operation, Decimal]]:
    """Yield what two operands give; what does not depend on their order is given for one order only."""
    a, b = one.amount, other.amount
    alike = fits(one.unit, other.unit)
    measured = not (one.is_count or other.is_count)
    if alike and measured and _may_add_up(one.unit, other.unit, unit):
        if in_order:
            yield "sum", a + b
        if a > b or (a == b and in_order):
            yield "difference", a - b
    if in_order and (measured or one.is_count != other.is_count) and _has_product(one.unit, other.unit, unit):
        yield "product", a * b
    if one.unit == "%" and other.unit != "%" and fits(unit, other.unit):
        yield "share", a * b / _HUNDRED
    if b and (measured or one.is_count != other.is_count):
        yield from _quotients(one, other, unit, a / b, is_change=alike and measured)


def _may_add_up(one: str | None, other: str | None, unit: str | None) -> bool:
    """Whether amounts of two units may make a sum or a difference of a third: a percentage only of percentages."""
    return one == other == "%" if unit == "%" else fits(unit, one) and fits(unit, other)


def _has_product(one: str | None, other: str | None, unit: str | None) -> bool:
    """Whether amounts of two units multiply to this one: a number of anything, or money for each of something else."""
    if one is None or other is None:
        return fits(unit, one or other) and not (unit == "%" and one is other)
    money = [name for name in (one, other) if kind_of_unit(name) == "money"]
    return len(money) == 1 and "%" not in (one, other) and fits(unit, money[0])


def _quotients(
    one: Term, other: Term, unit: str | None, ratio: Decimal, *, is_change: bool
) -> Iterator[tuple[Operation, Decimal]]:
    """Yield what one operand divided by another reads as: a percentage, a change in percent, or an amount for each."""
    alike = fits(one.unit, other.unit)
    if alike and unit == "%":
        yield "ratio", ratio * _HUNDRED
        if is_change:
            yield "relative change", (ratio - _ONE) * _HUNDRED
    elif fits(unit, one.unit) and (other.unit is None or alike):
        yield "ratio", ratio


def fits(one: str | None, other: str | None) -> bool:
    """Whether two units, where both are stated, are one."""
    return one is None or other is None or one == other
