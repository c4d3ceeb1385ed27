"""The audit report: one frozen model per conversation, whose JSON is what `foldproof audit --json` prints."""

from __future__ import annotations

from typing import Final, Literal, Protocol, get_args

from pydantic import Field

from foldproof.evidence import Carrier, ExemptHow, How, Kind, Verdict
from foldproof.messages.base import FrozenModel

Finding = Literal["invented", "echoed", "undecidable"]
"""The verdicts of values that no tool, no person and no app is known to have supplied."""

FINDINGS: Final[tuple[Finding, ...]] = get_args(Finding)
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


class NearValue(FrozenModel):
    """A value one edit away from an invented one, and where tools said it."""

    text: str
    carriers: tuple[Carrier, ...]


class AuditedOperand(FrozenModel):
    """What a derived value follows from: its spelling, where it stands in the answer (if it does), and who said it."""

    text: str
    start: int | None
    end: int | None
    carriers: tuple[Carrier, ...]


class AuditedDerivation(FrozenModel):
    """How a derived value follows from others; `rivals` counts what else gives the same value."""

    operation: str
    operands: tuple[AuditedOperand, ...]
    rivals: int


class AuditedValue(FrozenModel):
    """A value of an answer or of an argument, with its verdict and all that backs it.

    Attributes:
        text: its spelling there.
        start, end: where, in code points of the answer's text, or of the argument's.
        kind: what it is.
        verdict: who supplied it.
        how: for `grounded`, how a tool said it; for `exempt`, who supplied it; else None.
        carriers: for `grounded`, where tools said it; message indices count in the conversation.
        near: for `invented`, a value one edit away that a tool did say; for `elsewhere`, the closest in the right
            record; else None.
        derivation: for `derived`, how it follows from what was read, or None.
        latest: for `grounded`, the latest message in which a tool said it.
        folded: for `grounded`, whether every result that said it has left the window.
        elsewhere: the sentence names a record, and only other records say this value. Advisory.
    """

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict
    how: How | ExemptHow | None
    carriers: tuple[Carrier, ...]
    near: NearValue | None
    derivation: AuditedDerivation | None
    latest: int | None
    folded: bool
    elsewhere: bool


class _HoldsValues(Protocol):
    @property
    def values(self) -> tuple[AuditedValue, ...]: ...


class _Audited:
    """What can be asked of an answer and of an argument alike."""

    @property
    def findings(self: _HoldsValues) -> tuple[AuditedValue, ...]:
        """The values that are invented, echoed or undecidable, in the order they stand."""
        return tuple(value for value in self.values if value.verdict in FINDINGS)

    def has(self: _HoldsValues, verdict: Verdict) -> bool:
        """Whether a value here got `verdict`."""
        return any(value.verdict == verdict for value in self.values)


class AnswerAudit(_Audited, FrozenModel):
    """One answer: the index of its message, the values it states, and how many were below the floor."""

    message: int
    values: tuple[AuditedValue, ...]
    unexamined: int


class ArgumentAudit(_Audited, FrozenModel):
    """One argument of a tool call: where it stands, its examined values, and how many more it states.

    Attributes:
        message: the index of the message that makes the call.
        tool_call_id, tool_name: the call; None where a provider's own block carries none.
        path: JSON path from the call's arguments (`$.payment.id`); `$` for arguments that are no JSON.
        values: those that are examined; `foldproof.offline.arguments` says which are, and why not the others.
        unexamined: how many number-like tokens are not.
    """

    message: int
    tool_call_id: str | None
    tool_name: str | None
    path: str
    values: tuple[AuditedValue, ...]
    unexamined: int


class Unread(FrozenModel):
    """Something of the file that could not be read: its place, and what was found there."""

    path: str
    cause: str


class AuditReport(FrozenModel):
    """The audit of one conversation.

    Attributes:
        path: the file it was read from, as the caller named it; None when it came from none.
        conversation: the conversation's id.
        format: the format it was read in.
        messages: how many messages it holds.
        answers: every assistant message that says something, in order.
        totals: how many values of answers got each verdict; all six are listed.
        arguments: every string and number in the arguments of a tool call, in order, when they were asked for. A report
            without them writes neither this nor their totals.
        argument_totals: how many values of arguments got each verdict; empty when they were not asked for.
        damage: what of the file could not be read, in this conversation or right ahead of it; not written where it is
            empty. What stood there can be no evidence.
    """

    path: str | None
    conversation: str
    format: str
    messages: int
    answers: tuple[AnswerAudit, ...]
    totals: dict[Verdict, int]
    arguments: tuple[ArgumentAudit, ...] = ()
    argument_totals: dict[Verdict, int] = Field(default_factory=dict, alias="argument_totals")
    damage: tuple[Unread, ...] = ()

    @property
    def unexamined(self) -> int:
        """How many number-like tokens of all answers were below the floor."""
        return sum(answer.unexamined for answer in self.answers)

    @property
    def unexamined_in_arguments(self) -> int:
        """How many number-like tokens of all arguments were not examined."""
        return sum(argument.unexamined for argument in self.arguments)
