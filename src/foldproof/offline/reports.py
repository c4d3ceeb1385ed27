"""The audit report: one frozen model per conversation, whose JSON is what `foldproof audit --json` prints."""

from __future__ import annotations

from typing import Final, Literal, get_args

from pydantic import JsonValue

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


class AuditedValue(FrozenModel):
    """A value of an answer, with its verdict and all that backs it.

    Attributes:
        text: its spelling in the answer.
        start, end: where, in code points of the answer's text.
        kind: what it is.
        verdict: who supplied it.
        how: for `grounded`, how a tool said it; for `exempt`, who supplied it; else None.
        carriers: for `grounded`, where tools said it; message indices count in the conversation.
        near: for `invented`, a value one edit away that a tool did say, or None.
        derivation: for `derived`, how it follows from what was read, or None.
    """

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict
    how: How | ExemptHow | None
    carriers: tuple[Carrier, ...]
    near: NearValue | None
    derivation: JsonValue


class AnswerAudit(FrozenModel):
    """One answer: the index of its message, the values it states, and how many were below the floor."""

    message: int
    values: tuple[AuditedValue, ...]
    unexamined: int

    @property
    def findings(self) -> tuple[AuditedValue, ...]:
        """The values that are invented, echoed or undecidable, in the order they stand."""
        return tuple(value for value in self.values if value.verdict in FINDINGS)

    def has(self, verdict: Verdict) -> bool:
        """Whether a value of this answer got `verdict`."""
        return any(value.verdict == verdict for value in self.values)


class AuditReport(FrozenModel):
    """The audit of one conversation.

    Attributes:
        path: the file it was read from, as the caller named it; None when it came from none.
        conversation: the conversation's id.
        format: the format it was read in.
        messages: how many messages it holds.
        answers: every assistant message that says something, in order.
        totals: how many values got each verdict; all six are listed.
    """

    path: str | None
    conversation: str
    format: str
    messages: int
    answers: tuple[AnswerAudit, ...]
    totals: dict[Verdict, int]

    @property
    def unexamined(self) -> int:
        """How many number-like tokens of all answers were below the floor."""
        return sum(answer.unexamined for answer in self.answers)
