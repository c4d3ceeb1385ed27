"""Is a summary true to what it replaces? Every value and every quote in it, judged against what its writer was shown.

A value is supported when a tool said it in the span, when the person or the app supplied it, or when it follows from
those. One that only the model said there, or an earlier frame claims, is `echoed`: the summary tells what stands there,
and it is on the record without counting against it. What stands nowhere was invented by whoever wrote the summary, also
where older evidence was discarded: it was shown nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from foldproof.evidence import EvidenceIndex, EvidenceOptions, Kind, ValueVerdict
from foldproof.evidence.gate import Posture
from foldproof.evidence.reading import arguments_in
from foldproof.messages import Message, author_of, calls_of, part_text
from foldproof.messages.base import FrozenModel
from foldproof.window.counting import arguments_text
from foldproof.window.quotes import quotes_of_the_person, says
from foldproof.window.summaries import SummaryUsage

Fallback = Literal["extractive", "none"]
"""What takes the place of a summary that `rails` refused: the extractive summary, or no fold."""

Support = Literal["invented", "echoed", "undecidable"]
"""How little stands behind something in a summary: nothing, a claim of the model or of a frame, or nobody can say."""


class UnsupportedClaim(FrozenModel):
    """Something in a summary that neither a tool, the person nor the app said.

    Attributes:
        text: the value as it is spelt there, or the words in quotation marks.
        start, end: where, in code points of the summary.
        kind: which kind of value; None for words that the summary puts in the person's mouth.
        verdict: how little stands behind it. `invented` counts against the summary.
    """

    text: str
    start: int
    end: int
    kind: Kind | None = None
    verdict: Support


class SummaryAttempt(FrozenModel):
    """One summary that was asked for.

    Attributes:
        summarizer: who was asked.
        claims: what is in it that nobody supplied, in order of appearance.
        values: how many values were judged.
        failed: why there is no summary to judge, or why this one could not be used.
        usage: what it cost, where the summarizer says so.
        model: who really wrote it, where the summarizer says so.
    """

    summarizer: str
    claims: tuple[UnsupportedClaim, ...] = ()
    values: int = 0
    failed: str | None = None
    usage: SummaryUsage | None = None
    model: str | None = None

    @property
    def invented(self) -> tuple[str, ...]:
        """The values and quotes that count against it, each once."""
        return tuple(dict.fromkeys(claim.text for claim in self.claims if claim.verdict == "invented"))


class SummaryCheck(FrozenModel):
    """What was found about the summaries of one fold, and what came of it.

    Attributes:
        posture: what was to happen to a summary that states what nobody said.
        outcome: `accepted`: nothing in it was invented. `recorded` (assist) and `flagged` (guard): it stands, with what
            it invented. `replaced` (rails): the extractive summary stands in its place. `refused` (rails): nothing
            left. `failed`: there was no summary that could be used.
        attempts: every summary that was asked for, in order.
        applied: which of them stands in the frame; None for none.
    """

    posture: Posture
    outcome: Literal["accepted", "recorded", "flagged", "replaced", "refused", "failed"]
    attempts: tuple[SummaryAttempt, ...]
    applied: int | None = None


class Shown:
    """What the writer of a summary was shown, read once and asked for every attempt."""

    def __init__(self, span: Sequence[Message], request: Message | None) -> None:
        shown = [*span, *([] if request is None else [request])]
        # Whoever writes it may see a picture, but nobody could tell that from a lie.
        self._evidence = EvidenceIndex(shown, options=EvidenceOptions(unread="invented"))
        self._told: EvidenceIndex | None = None
        self._shown = shown
        self._said = [message.text for message in shown if author_of(message) == "person"]
        self._claimed = [message.text for message in span if author_of(message) == "library"]

    def unsupported(self, summary: str) -> tuple[tuple[UnsupportedClaim, ...], int]:
        """Return what nobody supplied of what a summary states, in order, and how many values it states."""
        judged = self._evidence.judge(summary).values
        wanting = [value for value in judged if value.verdict in ("invented", "echoed", "undecidable")]
        claims = [*(self._values(summary, wanting) if wanting else ()), *self._quotes(summary)]
        return tuple(sorted(claims, key=lambda claim: claim.start)), len(judged)

    def _values(self, summary: str, wanting: Sequence[ValueVerdict]) -> Iterator[UnsupportedClaim]:
        if self._told is None:
            self._told = EvidenceIndex([Message(role="tool", content=text) for text in _texts(self._shown)])
        told = {value.start: value.verdict for value in self._told.judge(summary).values}
        for value in wanting:
            verdict = told.get(value.start, "invented")
            support: Support = "echoed" if verdict in ("grounded", "derived") else "invented"
            if verdict == "undecidable":
                support = "undecidable"
            yield UnsupportedClaim(text=value.text, start=value.start, end=value.end, kind=value.kind, verdict=support)

    def _quotes(self, summary: str) -> Iterator[UnsupportedClaim]:
        for quote in quotes_of_the_person(summary):
            if not says(self._said, quote.text):
                verdict: Support = "echoed" if says(self._claimed, quote.text) else "invented"
                yield UnsupportedClaim(text=quote.text, start=quote.start, end=quote.end, verdict=verdict)


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    """Yield everything that stands in the messages, whoever said it: words, arguments, results, notes, names."""
    for message in messages:
        yield from filter(None, (message.id, message.name, message.tool_name, message.tool_call_id))
        yield from (name for call in calls_of(message) for name in (call.id, call.name) if name)
        parts = [message.content] if isinstance(message.content, str) else map(part_text, message.content)
        yield from (text for text in parts if text)
        yield from map(arguments_text, arguments_in(message))
