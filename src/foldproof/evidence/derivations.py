"""Derivations: how a value that nobody said follows from values that were said, by a closed and ordered set.

In this order: another unit or scale, another zone, an aggregate of records, the change of a record's field, operands
that the answer states beside the value, a date and a stated offset of days. (A rounding is no derivation: the tool said
the value, more exactly.) Never an arbitrary pair over everything that was read. Two steps are taken only where the
middle value is stated, and so is an operand of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain, islice
from typing import NamedTuple

from foldproof.evidence.aggregates import TIMES
from foldproof.evidence.answers import Answer, Stand
from foldproof.evidence.arithmetic import MOST_TERMS, Operation, Term, fits, totals, worked_from
from foldproof.evidence.corpus import View
from foldproof.evidence.figures import Stated, scale_of, stated_number
from foldproof.evidence.offsets import moved, stated_offsets
from foldproof.evidence.spellings import POSSIBLE
from foldproof.evidence.values import Value
from foldproof.evidence.verdicts import Derivation, Operand
from foldproof.evidence.workings import Following, Located, Read

MOST_OPERANDS = 64
MOST_RIVALS = 99
MOST_STEPS = 2
_SAYS_MEAN = re.compile(
    r"(?i)\b(?:average[sd]?|averaging|mean|avg|per|each|typical(?:ly)?|moyenne|durchschnitt\w*|mittel\w*|media|promedio)\b"
)
_SAYS_DIFFERENCE = re.compile(
    r"(?i)\b(?:differen\w+|more|less|than|cheaper|higher|lower|sav(?:e[ds]?|ings?)|extra|additional\w*|left|remain\w*|free"
    r"|unused|available|gap|over|under|excess|short|refund\w*|up|down|net|chang\w+|differenz|mehr|weniger|écart|diferencia)\b"
)
_CUES = {"mean": _SAYS_MEAN, "difference": _SAYS_DIFFERENCE}
"""Words without which nobody states a mean or a difference. A sum is often stated without any."""
_SAYS_TOTAL = re.compile(
    r"(?i)\b(?:total\w*|sums?|together|altogether|combined|overall|in all|both|all|insgesamt|gesamt\w*|somme|totale)\b"
)
_FEWEST_TERMS = 2
_MOST_NEAR = 32
_DATE = re.compile(r"(?P<year>\d{4}|-)-(?P<day>\d\d-\d\d)")
_ANY_YEAR = "2023"
_DAY = 86_400  # seconds
_MINUTE = 60
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_SMALLEST_EXAMINED = 100
_EXAMINED_DIGITS = 3


class Candidate(NamedTuple):
    """One way in which a value follows."""

    operation: Operation
    operands: tuple[Operand, ...]
    steps: int = 1

    @property
    def key(self) -> frozenset[tuple[str, int | None]]:
        """What the way is made of; two ways over the same operands are no rivals."""
        return frozenset((operand.text, operand.start) for operand in self.operands)


def derive(place: int, answer: Answer, view: View) -> tuple[Derivation, int] | None:
    """Return how the value at `place` of an answer follows, and in how many steps; None when it does not."""
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
    return Derivation(first.operation, first.operands, min(len(others), MOST_RIVALS)), first.steps


def rounded(value: Value, view: View, *, may_be_negative: bool) -> str | None:
    """Return the form of a number that a tool said and that reads as `value` at its precision, or None.

    It has the sign of `value`; with `may_be_negative` it may also be negative where `value` has no sign.
    """
    stated = stated_number(value)
    if stated is None:
        return None
    found = view.workings.rounded(stated, value.unit)
    signs = {value.form.startswith("-"), may_be_negative}
    return next(
        (read.form for read in found if read.form.startswith("-") in signs and view.is_carried(read.form)), None
    )


def _of_a_number(place: int, stated: Stated, answer: Answer, view: View) -> Iterator[Candidate]:
    value, line = answer.stands[place].value, answer.lines[answer.line_of(place)]
    workings = view.workings
    if value.unit is not None:
        yield from _read("unit", workings.converted(stated, value.unit), view)
    if value.unit == "%":
        yield from _read("complement", workings.complements(stated), view)
    in_columns = workings.in_columns(stated, value.unit) if value.unit is not None else iter(())
    for following in chain(in_columns, workings.following(stated)):
        if _may_be(value, following, line) and all(view.sees(amount.message) for amount in following.amounts):
            operands = tuple(_located(amount, view) for amount in following.amounts[:MOST_OPERANDS])
            yield Candidate(following.operation, operands)
    yield from _worked(place, stated, answer)
    yield from _listed(place, stated, answer)


def _read(operation: Operation, found: Iterator[Read], view: View) -> Iterator[Candidate]:
    for read in found:
        carriers = view.carriers(read.form) if view.is_carried(read.form) else ()
        if carriers:
            yield Candidate(operation, (Operand(carriers[0].text, _source=carriers),))


def _may_be(value: Value, following: Following, line: str) -> bool:
    """Whether a value may be what an aggregate comes to: of one unit, and a mean only where the answer says so."""
    if following.unit in ("%", TIMES):
        return value.unit == ("%" if following.unit == "%" else None)
    if following.counts and value.kind in ("money", "percent"):
        return False
    cue = _CUES.get(following.operation)
    if cue is not None and not cue.search(line):
        return False
    return fits(value.unit, following.unit)


def _located(located: Located, view: View) -> Operand:
    carrier = view.carrier_of(located.message, located.part, located.amount.cell.leaf)
    return Operand(carrier.text, _source=(carrier,))


def _worked(place: int, stated: Stated, answer: Answer) -> Iterator[Candidate]:
    """Yield what follows from the numbers in the value's line, then from those in the line before or behind it too."""
    seen: list[list[int]] = [[]]
    for before, behind in ((0, 0), (1, 0), (0, 1)):
        places = answer.near(place, before, behind, most=_MOST_NEAR)
        if places in seen:
            continue
        seen.append(places)
        for result, terms in _readings(place, stated, places, answer):
            nearest = sorted(sorted(terms, key=lambda term: abs(term.place - place))[:MOST_TERMS])
            for worked in worked_from(result, answer.stands[place].value.unit, nearest):
                yield _candidate(worked.operation, worked.terms, answer)


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
    used = [answer.stands[term.place] for term in terms]
    return Candidate(operation, tuple(map(_stated, used)), 1 + max(stand.steps for stand in used))


def _listed(place: int, stated: Stated, answer: Answer) -> Iterator[Candidate]:
    """Yield the sum and the mean of a list in the answer: of the items above, or of what has one label all over it."""
    unit = answer.stands[place].value.unit
    words = answer.lines[answer.line_of(place)].casefold()
    says_total = _SAYS_TOTAL.search(words) is not None
    labelled = (chosen for label, chosen in answer.labelled(place) if says_total or label in words)
    for chosen in (answer.items_above(place), *labelled):
        for result, found in _readings(place, stated, chosen[:MOST_OPERANDS], answer):
            terms = [term for term in found if not term.is_count]
            if len(terms) < _FEWEST_TERMS or not all(fits(unit, term.unit) for term in terms):
                continue
            for operation, exact in totals(terms):
                if result.agrees(exact):
                    yield _candidate(operation, terms, answer)


def _term(index: int, stand: Stand) -> Term | None:
    """Return a stated number as an operand: supplied by somebody, or a small count; never a year."""
    value = stand.value
    stated = stated_number(value)
    if stated is None or stand.steps >= MOST_STEPS or (value.unit is None and _YEAR.fullmatch(value.text)):
        return None
    if stand.verdict is None:
        small = (
            value.unit is None
            and value.form.isdecimal()
            and stated.amount < _SMALLEST_EXAMINED
            and value.digits < _EXAMINED_DIGITS
        )
        return Term(index, stated.amount, None, is_count=True) if small else None
    return Term(index, stated.amount.copy_sign(Decimal(value.form)), value.unit)


def _stated(stand: Stand) -> Operand:
    value = stand.value
    return Operand(value.text, value.start, value.end, stand.verdict or ())


def _of_a_date(place: int, answer: Answer, view: View) -> Iterator[Candidate]:
    value, line = answer.stands[place].value, answer.line_of(place)
    yield from _read("epoch", _moments(value, view), view)
    match = _DATE.match(value.form)
    if match is None:
        return
    year = _ANY_YEAR if match["year"] == "-" else match["year"]
    near = "\n".join(answer.lines[max(line - 1, 0) : line + 2])
    for days in sorted(stated_offsets(near) | view.workings.offsets, key=abs):
        base = moved(f"{year}-{match['day']}", days)
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
    try:
        moment = datetime.fromisoformat(value.form.upper())
    except ValueError:
        return iter(())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    first = int(moment.timestamp())
    length = _DAY if value.kind == "date" else 1 if moment.second else _MINUTE
    return view.workings.epochs(first, first + length - 1) if first > _DAY else iter(())
