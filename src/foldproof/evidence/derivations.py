"""Derivations: how a value that nobody said follows from values that were said, by a closed and ordered set.

In this order: another unit or scale, an aggregate of records, the change of a record's field, operands that the answer
states beside the value, a list in the answer, a date and a stated offset of days. (A rounding is no derivation: there
the tool said the value, more exactly.) Never an arbitrary pair over everything that was read. A second step is taken
only where the middle value is stated, and so is an operand of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from decimal import Decimal
from itertools import combinations, islice
from typing import NamedTuple

from foldproof.evidence.aggregates import TIMES, column_words, measures_something, unit_in
from foldproof.evidence.answers import Answer, Stand
from foldproof.evidence.arithmetic import MOST_TERMS, Operation, Term, Worked, fits, totals, worked_from
from foldproof.evidence.cues import (
    SAYS_BELOW,
    SAYS_DIFFERENCE,
    SAYS_DOWN,
    SAYS_MEAN,
    SAYS_NAME,
    SAYS_SHARE,
    SAYS_TIMES,
    SAYS_TOTAL,
    SAYS_UP,
    SHARE_COLUMNS,
    SIZE_COLUMNS,
    TIME_COLUMNS,
)
from foldproof.evidence.figures import Stated, scale_of, stated_number
from foldproof.evidence.offsets import day_before, stated_offsets
from foldproof.evidence.spellings import INSTANT, POSSIBLE
from foldproof.evidence.units import DIMENSIONS
from foldproof.evidence.values import Value
from foldproof.evidence.verdicts import Derivation, Operand
from foldproof.evidence.view import View
from foldproof.evidence.workings import Located, Read, in_unit

MOST_OPERANDS = 64
MOST_RIVALS = 99
MOST_TRIED = 256
_CUES = {"mean": SAYS_MEAN, "difference": SAYS_DIFFERENCE, "complement": SAYS_SHARE, "ratio": SAYS_SHARE}
"""Words without which nobody states such a thing of columns. A sum is often stated without any."""
_FEWEST_TERMS = 2
_MOST_NEAR = 32
_DATE = re.compile(r"(?P<year>\d{4}|-)-(?P<day>\d\d-\d\d)")
_ANY_YEAR = "2023"
_DAY = 86_400  # seconds
_MINUTE = 60
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_LARGEST_COUNT = 12
_MOST_MOMENTS = 4


class Candidate(NamedTuple):
    """One way in which a value follows."""

    operation: Operation
    operands: tuple[Operand, ...]

    @property
    def key(self) -> frozenset[tuple[str, int | None]]:
        """What the way is made of; two ways over the same operands are no rivals."""
        return frozenset((operand.text, operand.start) for operand in self.operands)


def derive(place: int, answer: Answer, view: View) -> Derivation | None:
    """Return how the value at `place` of an answer follows, or None when it does not."""
    value = answer.stands[place].value
    if value.kind in ("date", "datetime"):
        ways = _of_a_date(place, answer, view)
    else:
        stated = stated_number(value)
        ways = iter(()) if stated is None else _of_a_number(place, stated, answer, view)
    first = next(ways, None)
    if first is None:
        return None
    others = {way.key for way in islice(ways, MOST_RIVALS + 1)} - {first.key}
    return Derivation(first.operation, first.operands, min(len(others), MOST_RIVALS))


def rounded(value: Value, view: View, *, may_be_negative: bool) -> str | None:
    """Return the form of a number that a tool said and that reads as `value` at its precision, or None.

    It has the sign of `value`; with `may_be_negative` it may also be negative where `value` has no sign.
    """
    stated = stated_number(value)
    if stated is None:
        return None
    signs = {value.form.startswith("-")} | ({True} if may_be_negative else set())
    for read in view.workings.rounded(stated, value.unit):
        if read.form.startswith("-") in signs and _as_amount(read, value, view):
            return read.form
    return None


def _of_a_number(place: int, stated: Stated, answer: Answer, view: View) -> Iterator[Candidate]:
    value, words = answer.stands[place].value, answer.words_around(place)
    yield from _converted(value, stated, words, view)
    if value.unit is None and SAYS_NAME.search(answer.words_ahead(place)):
        return

    def is_wanted(operation: Operation, unit: str | None, counts: bool) -> bool:  # noqa: FBT001 - a callback
        return _may_be(value, words, operation, unit, counts=counts)

    for following in islice(view.workings.following(stated, is_wanted), MOST_TRIED):
        signed = _has_sign(following.number, following.operation, value, words)
        if signed and all(view.sees(amount.message) for amount in following.amounts):
            operands = tuple(_located(amount, view) for amount in following.amounts[:MOST_OPERANDS])
            yield Candidate(following.operation, operands)
    yield from _worked(place, stated, answer)
    yield from _listed(place, stated, answer)
    if value.kind == "duration":
        yield from _elapsed(place, stated, answer)


def _converted(value: Value, stated: Stated, words: str, view: View) -> Iterator[Candidate]:
    """Yield the numbers that are this one in another unit or scale, or leave it of 100."""
    unit, workings = value.unit, view.workings
    if unit is None:
        return
    reads: list[tuple[Operation, Read]] = [("unit", read) for read in workings.converted(stated, unit)]
    if unit == "%":
        reads += [("unit", read) for read in workings.shares(stated) if _is_share(read, view)]
        reads += [("complement", read) for read in workings.complements(stated)]
    else:
        reads += [("unit", read) for read, exactly in workings.bytes(stated, unit) if exactly or _is_size(read, view)]
    for operation, read in reads:
        exact = 100 - read.number if operation == "complement" else in_unit(read, unit)
        if _has_sign(exact, operation, value, words) and (_as_amount(read, value, view) or _is_size(read, view)):
            carriers = view.carriers(read.form)
            yield Candidate(operation, (Operand(carriers[0].text, _source=carriers),))
    for following in workings.in_columns(stated, unit):
        located = following.amounts[0]
        if view.sees(located.message) and _has_sign(following.number, "unit", value, words):
            yield Candidate("unit", (_located(located, view),))


def _as_amount(read: Read, value: Value, view: View) -> bool:
    """Whether a tool said a number as an amount, somewhere: in no column, or in one that measures in the same unit."""
    return view.is_carried(read.form) and any(
        not carrier.column or (measures_something(carrier.column) and fits(value.unit, _unit_of(carrier.column, read)))
        for carrier in view.carriers(read.form)
    )


def _unit_of(column: str, read: Read) -> str | None:
    """Return the unit that a column says; None when the number says one itself, which was compared already."""
    return None if read.unit is not None else unit_in(column)


def _is_share(read: Read, view: View) -> bool:
    """Whether a bare fraction may be a share of something: below 1, or in a column that says so."""
    return abs(read.number) <= 1 or _stands_under(read, SHARE_COLUMNS, view)


def _is_size(read: Read, view: View) -> bool:
    return _stands_under(read, SIZE_COLUMNS, view)


def _stands_under(read: Read, names: frozenset[str], view: View) -> bool:
    """Whether a number stands in a column one of whose words is among `names`."""
    columns = (carrier.column for carrier in view.carriers(read.form) if carrier.column)
    return any(not names.isdisjoint(column_words(column)) for column in columns)


def _may_be(value: Value, words: str, operation: Operation, unit: str | None, *, counts: bool) -> bool:
    """Whether a value may be what an aggregate comes to: of one unit, and where its words speak of such a thing."""
    cue = SAYS_TIMES if unit == TIMES else _CUES.get(operation)
    if cue is not None and not cue.search(words):
        return False
    if unit == TIMES:
        return value.unit is None
    if unit == "%":
        return value.unit == "%"
    return fits(value.unit, unit) and not (counts and value.kind in ("money", "percent"))


def _has_sign(exact: Decimal, operation: Operation, value: Value, words: str) -> bool:
    """Whether the sign of a result is the one that the answer states, in a sign or in words."""
    if operation in ("difference", "ratio"):
        return True
    negative = value.form.startswith("-")
    if operation in ("change", "relative change"):
        other_way = (SAYS_UP if exact < 0 else SAYS_DOWN).search(words) is not None
        return negative == (exact < 0) if negative else not other_way
    return negative == (exact < 0) or (exact < 0 and SAYS_BELOW.search(words) is not None)


def _located(located: Located, view: View) -> Operand:
    carrier = view.carrier_of(located.message, located.part, located.amount.cell.leaf)
    return Operand(carrier.text, _source=(carrier,))


def _worked(place: int, stated: Stated, answer: Answer) -> Iterator[Candidate]:
    """Yield what follows from the numbers in the value's line, then from those in the line before or behind it too."""
    value, words = answer.stands[place].value, answer.words_around(place)
    seen: list[list[int]] = [[]]
    for before, behind in ((0, 0), (1, 0), (0, 1)):
        places = answer.near(place, before, behind, most=_MOST_NEAR)
        if places in seen:
            continue
        seen.append(places)
        for result, terms in _readings(place, stated, places, answer):
            nearest = sorted(sorted(terms, key=lambda term: abs(term.place - place))[:MOST_TERMS])
            for worked in worked_from(result, value.unit, nearest, place=place):
                if _is_stated(worked, value, words):
                    yield _candidate(worked.operation, worked.terms, answer)


def _is_stated(worked: Worked, value: Value, words: str) -> bool:
    """Whether the words around a value do not speak against what its neighbours come to."""
    if worked.operation == "mean":
        return SAYS_MEAN.search(words) is not None
    return worked.operation == "relative change" or _has_sign(worked.exact, worked.operation, value, words)


def _readings(place: int, stated: Stated, places: Sequence[int], answer: Answer) -> Iterator[tuple[Stated, list[Term]]]:
    """Yield the result and the numbers at `places` as they read; then, when only the result has a scale, without it.

    A table in millions has 44.1 and 56.7, and what is said of them is a change of 12.6 million.
    """
    stands = answer.stands
    yield stated, [term for index in places if (term := _term(index, stands[index])) is not None]
    scale = scale_of(stands[place].value)
    if scale:
        bare = [index for index in places if not scale_of(stands[index].value)]
        yield stated.scaled(-scale), [term for index in bare if (term := _term(index, stands[index])) is not None]


def _candidate(operation: Operation, terms: Sequence[Term], answer: Answer) -> Candidate:
    return Candidate(operation, tuple(_stated(answer.stands[term.place]) for term in terms))


def _listed(place: int, stated: Stated, answer: Answer) -> Iterator[Candidate]:
    """Yield the sum and the mean of a list in the answer: of the items above, or of what has one label all over it."""
    value, words = answer.stands[place].value, answer.words_around(place)
    says_total = SAYS_TOTAL.search(words) is not None
    labelled = (chosen for label, chosen in answer.labelled(place) if says_total or label in words.casefold())
    for chosen in (answer.block_above(place), *labelled):
        for result, found in _readings(place, stated, chosen[:MOST_OPERANDS], answer):
            terms = [term for term in found if not term.is_count and fits(value.unit, term.unit)]
            if len(terms) < _FEWEST_TERMS or len(terms) < len(found):
                continue
            for operation, exact in totals(terms):
                if result.agrees(exact) and _has_sign(exact, operation, value, words):
                    yield _candidate(operation, terms, answer)


def _elapsed(place: int, stated: Stated, answer: Answer) -> Iterator[Candidate]:
    """Yield the two clocks or dates in the value's line between which the stated time lies."""
    unit = DIMENSIONS[answer.stands[place].value.unit or "s"][1]
    near = [answer.stands[index] for index in answer.near(place, 0, 0, most=_MOST_MOMENTS)]
    moments = [(stand, moment) for stand in near if _is_read(stand) and (moment := _moment(stand.value)) is not None]
    for (one, start), (other, end) in combinations(moments, 2):
        for seconds in {abs(end - start), (end - start) % _DAY if one.value.kind == "clock" else abs(end - start)}:
            if one.value.kind == other.value.kind and stated.agrees(Decimal(int(seconds)) / unit):
                yield Candidate("elapsed", (_stated(one), _stated(other)))


def _is_read(stand: Stand) -> bool:
    """Whether somebody supplied a clock or a date: what follows from a stated time cannot show how long it was."""
    return stand.verdict is not None and stand.verdict.derivation is None


def _moment(value: Value) -> float | None:
    """Return a clock as seconds of the day, a date or datetime as seconds; None for what has no year, or is neither."""
    try:
        if value.kind == "clock":
            at = time.fromisoformat(value.form)
            return at.hour * 3600 + at.minute * 60 + at.second
        if value.kind in ("date", "datetime"):
            return datetime.fromisoformat(value.form.upper()).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
    return None


def _term(index: int, stand: Stand) -> Term | None:
    """Return a stated number as an operand: supplied by somebody, or a small count; never a year."""
    value = stand.value
    stated = stated_number(value)
    if stated is None or (value.unit is None and _YEAR.fullmatch(value.text)):
        return None
    if stand.verdict is None:
        is_count = value.unit is None and value.form.isdecimal() and 0 < stated.amount <= _LARGEST_COUNT
        return Term(index, stated.amount, None, is_count=True) if is_count else None
    return Term(index, stated.amount.copy_sign(Decimal(value.form)), value.unit)


def _stated(stand: Stand) -> Operand:
    value = stand.value
    return Operand(value.text, value.start, value.end, stand.verdict or ())


def _of_a_date(place: int, answer: Answer, view: View) -> Iterator[Candidate]:
    value = answer.stands[place].value
    for read in _moments(value, view):
        if view.is_carried(read.form) and _stands_under(read, TIME_COLUMNS, view):
            carriers = view.carriers(read.form)
            yield Candidate("epoch", (Operand(carriers[0].text, _source=carriers),))
    match = _DATE.match(value.form)
    if match is None:
        return
    year = _ANY_YEAR if match["year"] == "-" else match["year"]
    for days in sorted(stated_offsets(answer.lines_around(place)) | view.offsets(), key=lambda days: (abs(days), days)):
        base = day_before(f"{year}-{match['day']}", days)
        operand = base and _known_day(f"-{base[4:]}" if match["year"] == "-" else base, view)
        if operand:
            yield Candidate("days", (operand, Operand(f"{days:+} days")))


def _known_day(form: str, view: View) -> Operand | None:
    """Return the day a date is counted from, when a tool said it or somebody supplied it."""
    if view.is_carried(form):
        carriers = view.carriers(form)
        return Operand(carriers[0].text, _source=carriers)
    given = view.exempt_how(form) or (form[:2] != "--" and view.exempt_how(f"--{form[5:]}{POSSIBLE}"))
    return Operand(form) if given else None


def _moments(value: Value, view: View) -> Iterator[Read]:
    instant = next((form[1:] for form in value.stated if form.startswith(INSTANT)), value.form)
    try:
        moment = datetime.fromisoformat(instant.upper()).replace(tzinfo=UTC)
    except ValueError:
        return iter(())
    first = int(moment.timestamp())
    length = _DAY if value.kind == "date" else 1 if moment.second else _MINUTE
    return view.workings.epochs(first, first + length - 1) if first > _DAY else iter(())
