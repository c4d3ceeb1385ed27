"""The gate: what becomes of an answer that states values nobody supplied.

It holds no model. It judges an answer against an index, and writes the one message that asks for a revision; the host
calls its own model. Three postures: `assist` only records, `guard` asks for one revision and then lets the answer pass
flagged, `rails` asks for the same one revision and then refuses. An undecidable value is recorded, and never more.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from foldproof.errors import TranscriptError, UsageError, described, shown
from foldproof.evidence.corrections import LONGEST_INSTRUCTION, correction, counted, named, readable, visible
from foldproof.evidence.index import EvidenceIndex
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.values import Kind
from foldproof.evidence.verdicts import Judgement, ValueVerdict, Verdict
from foldproof.messages import Message
from foldproof.messages.base import FrozenModel

Posture = Literal["assist", "guard", "rails"]
"""What the gate may do about unsupported values: record them, ask for one revision, or refuse in the end."""

UnsupportedVerdict = Literal["invented", "echoed"]
"""The verdicts that a gate may count as unsupported."""

GateOutcome = Literal["accepted", "recorded", "revise", "flagged", "refused"]
"""What becomes of an answer.

* `accepted`: it states nothing unsupported and nothing undecidable.
* `recorded`: it passes as it is; what was found is on the record (`assist`, or undecidable values alone).
* `revise`: a correction was written; ask the model once more.
* `flagged`: it passes after the revision, with unsupported values in it (`guard`).
* `refused`: it does not pass (`rails`).
"""


@dataclass(frozen=True, kw_only=True)
class GateContext:
    """What a host's instruction is written from.

    Attributes:
        posture: the gate's posture.
        judgement: every value of the answer, with its verdict.
        unsupported: the values that the correction is about, in order of appearance.
        answer: the answer as the model wrote it.
        revision: which revision is asked for; the first, and only, is 1.
    """

    posture: Posture
    judgement: Judgement
    unsupported: tuple[ValueVerdict, ...]
    answer: str
    revision: int


Instruction: TypeAlias = str | Callable[[GateContext], str]
"""What a host adds to a correction: a text, or a function that writes one. At most 4,000 code points."""


class GateValue(FrozenModel):
    """One value of an answer, as it is filed: where it stands in code points, what it is, who supplied it."""

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict


class GateRecord(FrozenModel):
    """What a gate decided about one answer and why, as plain data.

    Attributes:
        posture: the gate's posture.
        counted: the verdicts that it counted as unsupported.
        outcome: what became of the answer.
        revision: how many revisions had been attempted.
        values: every value of the answer.
        unexamined: how many number-like tokens were below the floor.
        instruction_failure: why the host's instruction was left out of the correction, or None.
        revision_failure: why the answer before the revision was kept, or None.
    """

    posture: Posture
    counted: tuple[UnsupportedVerdict, ...]
    outcome: GateOutcome
    revision: int
    values: tuple[GateValue, ...]
    unexamined: int
    instruction_failure: str | None
    revision_failure: str | None


@dataclass(frozen=True, kw_only=True)
class GateDecision:
    """What a gate decided about one answer.

    Attributes:
        posture: the gate's posture.
        counted: the verdicts that it counts as unsupported.
        outcome: what becomes of the answer.
        answer: the answer it is about.
        judgement: every value of the answer, with its verdict.
        revision: how many revisions had been attempted.
        correction: for `revise`, the frame to send behind the answer; else None.
        instruction_failure: why the host's instruction was left out of the correction, or None.
        revision_failure: why the answer before the revision was kept, or None.
    """

    posture: Posture
    counted: tuple[UnsupportedVerdict, ...]
    outcome: GateOutcome
    answer: str
    judgement: Judgement
    revision: int
    correction: Message | None = None
    instruction_failure: str | None = None
    revision_failure: str | None = None

    @property
    def unsupported(self) -> tuple[ValueVerdict, ...]:
        """The values that count against the answer, in order of appearance; undecidable ones never do."""
        return _unsupported_in(self.judgement, self.counted)

    @property
    def record(self) -> GateRecord:
        """The decision as plain data that survives JSON."""
        return GateRecord(
            posture=self.posture,
            counted=self.counted,
            outcome=self.outcome,
            revision=self.revision,
            values=tuple(map(_filed, self.judgement.values)),
            unexamined=self.judgement.unexamined,
            instruction_failure=self.instruction_failure,
            revision_failure=self.revision_failure,
        )

    def raise_if_refused(self) -> None:
        """Do nothing, unless the answer is refused.

        Raises:
            UnsupportedValuesError: the outcome is `refused`.
        """
        if self.outcome == "refused":
            raise UnsupportedValuesError((self,))


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """An answer that passed a gate. One that does not pass is an `UnsupportedValuesError`, and never an empty result.

    Attributes:
        answer: the answer to show.
        original: what the model proposed first.
        decision: the decision about `answer`.
        decisions: every decision, in order.
        revisions: how many revisions were really attempted, a failed one included.
    """

    answer: str
    original: str
    decision: GateDecision
    decisions: tuple[GateDecision, ...]
    revisions: int

    @property
    def repaired(self) -> bool:
        """Whether the answer is a rewrite of what the model proposed first."""
        return self.answer != self.original


class UnsupportedValuesError(TranscriptError):
    """The answer states values that nobody supplied, and `rails` refuses it.

    The call was right and the data is not: the answer is at fault. What was refused may be shown, as refused.

    Attributes:
        decisions: every decision, in order; the last one is about the refused answer.
    """

    def __init__(self, decisions: tuple[GateDecision, ...]) -> None:
        values, left_out = named(decisions[-1].unsupported)
        places = ", ".join(f"{value.quoted} at character {value.start}" for value in values)
        more = f" and {left_out} more" if left_out else ""
        super().__init__(
            f"the answer states {counted(len(values) + left_out)} that nobody supplied: {places}{more}; expected only "
            "values that a tool, the person or the application supplied; look them up or leave them out, and ask again"
        )
        self.decisions = decisions

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.decisions,), vars(self)

    @property
    def answer(self) -> str:
        """The refused answer."""
        return self.decisions[-1].answer

    @property
    def judgement(self) -> Judgement:
        """Every value of the refused answer, with its verdict."""
        return self.decisions[-1].judgement

    @property
    def values(self) -> tuple[ValueVerdict, ...]:
        """The values it was refused for, in order of appearance."""
        return self.decisions[-1].unsupported


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Decides what becomes of an answer that states values nobody supplied.

    Attributes:
        posture: `assist`, `guard` or `rails`.
        instruction: what the host adds to a correction: a text, or a function of a `GateContext` that returns one. It
            stands between the library's words and the quoted values and replaces neither. Controls and marks that turn
            the reading direction are left out of it. Where a function raises, or returns what would be no text here,
            the correction goes without it and the decision says so.
        unsupported: the verdicts that count against an answer.
        options: how answers are judged; None judges with the index's own options.

    Raises:
        UsageError: an unknown posture or verdict, no verdict at all, or an instruction that is neither text nor
            function, is longer than 4,000 code points, or opens a frame.
    """

    posture: Posture = "guard"
    instruction: Instruction | None = None
    unsupported: tuple[UnsupportedVerdict, ...] = ("invented",)
    options: EvidenceOptions | None = None

    def __post_init__(self) -> None:
        if self.posture not in get_args(Posture):
            raise UsageError(f'posture is {shown(self.posture)}; write "assist", "guard" or "rails"')
        verdicts: object = self.unsupported
        known = get_args(UnsupportedVerdict)
        if not isinstance(verdicts, tuple) or not verdicts or any(verdict not in known for verdict in verdicts):
            raise UsageError(f'unsupported is {shown(verdicts)}; write ("invented",) or ("invented", "echoed")')
        if self.options is not None and not isinstance(self.options, EvidenceOptions):
            raise UsageError(f"options is {shown(self.options)}; pass an EvidenceOptions")
        if self.instruction is not None and not callable(self.instruction):
            _, wrong = readable(self.instruction)
            if wrong is not None:
                raise UsageError(f"instruction {wrong}; pass a text of at most {LONGEST_INSTRUCTION:,} characters")

    def review(self, answer: str, index: EvidenceIndex, *, revision: int = 0) -> GateDecision:
        """Decide about one answer. Pure: nothing is asked, the index is not changed, and nothing raises for a refusal.

        Args:
            answer: the answer's text.
            index: what was read, up to the answer.
            revision: how many revisions were attempted before; only at 0 is one asked for.

        Raises:
            UsageError: `answer` is no text, `index` is no index, or `revision` is no count.
        """
        if not isinstance(index, EvidenceIndex):
            raise UsageError(f"index is {shown(index)}; pass the EvidenceIndex that read the conversation")
        if type(revision) is not int or revision < 0:
            raise UsageError(f"revision is {shown(revision)}; pass how many revisions were attempted before, from 0")
        judgement = index.judge(answer, options=self.options)
        outcome = self._outcome(judgement, revision)
        decision = GateDecision(
            posture=self.posture,
            counted=self.unsupported,
            outcome=outcome,
            answer=answer,
            judgement=judgement,
            revision=revision,
        )
        if outcome != "revise":
            return decision
        instruction, failure = self._instruction(decision)
        frame = correction(decision.unsupported, instruction)
        return replace(decision, correction=frame, instruction_failure=failure)

    def run(self, answer: str, index: EvidenceIndex, revise: Callable[[Message], str]) -> GateResult:
        """Take an answer through the gate, asking for a revision at most once.

        `revise` is given the correction, sends it behind the answer to the host's own model, and returns the new
        answer. What it looks up on the way may be read into `index` (`extend`), and then counts. A revision that is
        blank, no text, or states more distinct unsupported values than the answer before it (a spelling counts once,
        however often it stands there) is not kept.

        Raises:
            UnsupportedValuesError: `rails` refuses what was kept.
            UsageError: as for `review`, or `revise` is no function, or is asynchronous.
            Exception: whatever `revise` raises, as it is; nothing was decided then.
        """
        first = self._first(answer, index, revise)
        if first.correction is None:
            return _passed(first)
        revised: object = revise(first.correction)
        if inspect.isawaitable(revised):
            if inspect.iscoroutine(revised):
                revised.close()
            raise UsageError("revise is asynchronous; call arun instead of run")
        return self._settled(first, revised, index)

    async def arun(
        self, answer: str, index: EvidenceIndex, revise: Callable[[Message], str | Awaitable[str]]
    ) -> GateResult:
        """Do what `run` does, with a `revise` that may be asynchronous."""
        first = self._first(answer, index, revise)
        if first.correction is None:
            return _passed(first)
        given = revise(first.correction)
        revised: object = await given if inspect.isawaitable(given) else given
        if inspect.iscoroutine(revised):
            revised.close()
        return self._settled(first, revised, index)

    def _first(self, answer: str, index: EvidenceIndex, revise: object) -> GateDecision:
        if not callable(revise):
            raise UsageError(f"revise is {shown(revise)}; pass a function from the correction to the new answer")
        return self.review(answer, index)

    def _settled(self, first: GateDecision, revised: object, index: EvidenceIndex) -> GateResult:
        # Judged again, for the revision may have brought evidence for what the model said at first.
        before = self.review(first.answer, index, revision=1)
        if not isinstance(revised, str) or not visible(revised):
            failure = f"the revision was {shown(revised)}, which is no answer"
            decisions = [first, replace(before, revision_failure=failure)]
        else:
            after = self.review(revised, index, revision=1)
            decisions = [first, after]
            stated, stated_before = _distinct(after.unsupported), _distinct(before.unsupported)
            if stated > stated_before:
                failure = f"the revision states {stated} unsupported values, and the answer before it {stated_before}"
                decisions.append(replace(before, revision_failure=failure))
        if decisions[-1].outcome == "refused":
            raise UnsupportedValuesError(tuple(decisions))
        return _passed(*decisions)

    def _outcome(self, judgement: Judgement, revision: int) -> GateOutcome:
        if not _unsupported_in(judgement, self.unsupported):
            undecidable = any(value.verdict == "undecidable" for value in judgement.values)
            return "recorded" if undecidable else "accepted"
        if self.posture == "assist":
            return "recorded"
        if revision == 0:
            return "revise"
        return "flagged" if self.posture == "guard" else "refused"

    def _instruction(self, decision: GateDecision) -> tuple[str, str | None]:
        """Return what the host adds, and why nothing where its function failed."""
        if not callable(self.instruction):
            return readable(self.instruction or "")
        context = GateContext(
            posture=self.posture,
            judgement=decision.judgement,
            unsupported=decision.unsupported,
            answer=decision.answer,
            revision=decision.revision + 1,
        )
        try:
            written: object = self.instruction(context)
        except Exception as error:  # noqa: BLE001 - whatever the host's function raises, the gate still works
            return "", described(error)
        if inspect.iscoroutine(written):
            written.close()
        return readable(written)


def _passed(*decisions: GateDecision) -> GateResult:
    first, last = decisions[0], decisions[-1]
    revisions = int(first.outcome == "revise")
    return GateResult(
        answer=last.answer, original=first.answer, decision=last, decisions=decisions, revisions=revisions
    )


def _unsupported_in(judgement: Judgement, verdicts: tuple[UnsupportedVerdict, ...]) -> tuple[ValueVerdict, ...]:
    return tuple(value for value in judgement.values if value.verdict in verdicts)


def _distinct(values: Iterable[ValueVerdict]) -> int:
    return len({value.text for value in values})


def _filed(value: ValueVerdict) -> GateValue:
    writable = value.text.encode(errors="replace").decode()  # half of a surrogate pair can be read, and not be written
    return GateValue(text=writable, start=value.start, end=value.end, kind=value.kind, verdict=value.verdict)
