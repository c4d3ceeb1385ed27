"""What a judgement says: a verdict for every value, how strong it is, what backs it, and when and where it was said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from foldproof.evidence.arithmetic import Operation
from foldproof.evidence.carriers import Carrier
from foldproof.evidence.elsewhere import closest
from foldproof.evidence.exempt import ExemptHow
from foldproof.evidence.near import Near, nearest
from foldproof.evidence.values import How, Kind, Value
from foldproof.evidence.view import View

Verdict = Literal["grounded", "exempt", "derived", "echoed", "invented", "undecidable"]

MOST_CITED = 8
"""How many results of the current turn an answer may cite before the list is given up."""


@dataclass(frozen=True)
class Operand:
    """What a derived value follows from.

    Attributes:
        text: its spelling, in the answer when it is stated there, else in a result.
        start, end: where it stands in the answer, in code points; None when it is read from a result.
    """

    text: str
    start: int | None = None
    end: int | None = None
    _source: ValueVerdict | tuple[Carrier, ...] = ()

    @property
    def carriers(self) -> tuple[Carrier, ...]:
        """Where tools said it; empty for what the person or the app supplied."""
        return self._source if isinstance(self._source, tuple) else self._source.carriers


@dataclass(frozen=True)
class Derivation:
    """How a value follows from what was read or supplied, by one operation of a closed set.

    Attributes:
        operation: which.
        operands: over what; of more than 64, the first 64.
        rivals: how many other operations or operands give the same value (99 stands for that many or more).
    """

    operation: Operation
    operands: tuple[Operand, ...]
    rivals: int = 0

    @property
    def is_ambiguous(self) -> bool:
        """Whether something else gives the same value as well."""
        return self.rivals > 0


@dataclass(frozen=True)
class ValueVerdict:
    """What became of one value of an answer.

    Attributes:
        text: its spelling in the answer.
        start, end: where, in code points of the answer.
        kind: what it is.
        verdict: who supplied it.
        how: for `grounded`, how a tool said it; for `exempt`, who supplied it; for `derived`, `ambiguous` when it has
            rivals; else None.
        forms: the forms under which tools said it (`grounded`), which lead to the carriers.
        derivation: for `derived`, how it follows from values that were read or supplied.
        latest: for `grounded`, the index of the latest message in which a tool said it.
        folded: whether every result that said it has left the window (known from the frames that were read).
    """

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict
    how: How | ExemptHow | None = None
    forms: tuple[str, ...] = ()
    derivation: Derivation | None = None
    latest: int | None = None
    folded: bool = False
    _view: View | None = field(default=None, repr=False, compare=False)
    _value: Value | None = field(default=None, repr=False, compare=False)

    @property
    def in_view(self) -> bool:
        """Whether a result that said it is still in the window."""
        return self.verdict == "grounded" and not self.folded

    @cached_property
    def carriers(self) -> tuple[Carrier, ...]:
        """Where tools said it; found when asked for. Empty unless `grounded`."""
        if self._view is None:
            return ()
        return tuple(carrier for form in self.forms for carrier in self._view.carriers(form))

    @property
    def elsewhere(self) -> bool:
        """Whether the sentence names a record that says something of the kind, and only other records say this value.

        Advisory: the value may well be right, and its verdict stays `grounded`. Found when asked for.
        """
        return self.verdict == "grounded" and self.near is not None

    @cached_property
    def near(self) -> Near | None:
        """For `invented`, a value one edit away that a tool did say; for `elsewhere`, the closest in the right record.

        Found when asked for; None when there is none.
        """
        if self._value is None or self._view is None:
            return None
        if self.verdict == "invented":
            return nearest(self._value, self._view)
        return closest(self._value, self.forms, self._view) if self.verdict == "grounded" else None


class Citation(NamedTuple):
    """A result of the current turn that an answer cites.

    Attributes:
        message: the index of its message.
        tool_call_id: which call it answers.
        values: how many values of the answer it carries.
        only: how many of those no other result of this turn carries.
    """

    message: int
    tool_call_id: str | None
    values: int
    only: int


@dataclass(frozen=True)
class Judgement:
    """Every value an answer states, with its verdict, and how many number-like tokens were below the floor.

    Attributes:
        values: the verdicts, in the order the values stand.
        unexamined: how many tokens were below the floor: counted, and never scored as a success.
        carried_by: which results since the person's latest message the answer cites: the whole list, or None when a
            value was said by too many of them (more than 8) for the list to be whole. A result that is not listed is
            not cited, which does not mean that it was not used.
    """

    values: tuple[ValueVerdict, ...]
    unexamined: int
    carried_by: tuple[Citation, ...] | None = ()

    @property
    def invented(self) -> tuple[ValueVerdict, ...]:
        """The values that nobody supplied."""
        return tuple(value for value in self.values if value.verdict == "invented")

    @property
    def support(self) -> float | None:
        """The share of the values that a tool, the person or the app supplied, or that follow from those; 0 to 1.

        None when there is no value: an answer that states nothing has no support to be praised for.
        """
        supplied = sum(value.verdict in ("grounded", "exempt", "derived") for value in self.values)
        return supplied / len(self.values) if self.values else None

    @property
    def is_prior_turn_evidence(self) -> bool:
        """Whether all that tools said of this answer, and they did say some, was said before the current turn."""
        return self.carried_by == () and any(map(_is_from_tools, self.values))


def _is_from_tools(verdict: ValueVerdict) -> bool:
    """Whether what backs a verdict, as far as it can be followed, is what tools said."""
    if verdict.derivation is not None:
        return any(operand.carriers for operand in verdict.derivation.operands)
    return verdict.verdict == "grounded" and bool(verdict.forms)


def cited(verdicts: tuple[ValueVerdict, ...], view: View) -> tuple[Citation, ...] | None:
    """Return the results of the current turn that carry grounded values; None when the list would not be whole."""
    values: Counter[int] = Counter()
    only: Counter[int] = Counter()
    for verdict in verdicts:
        messages = _cited_by(verdict, view)
        if len(messages) > MOST_CITED:
            return None
        values.update(messages)
        if len(messages) == 1:
            only.update(messages)
    return tuple(
        Citation(message, view.call_of(message), count, only[message]) for message, count in sorted(values.items())
    )


def _cited_by(verdict: ValueVerdict, view: View) -> set[int]:
    if verdict.derivation is None:
        return view.cited(verdict.forms)
    carriers = (carrier for operand in verdict.derivation.operands for carrier in operand.carriers)
    return {carrier.message for carrier in carriers if view.is_current(carrier.message)}
