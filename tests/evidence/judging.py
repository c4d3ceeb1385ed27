"""What a test asks of one value: how a tool said it, and where it and its pieces stand."""

from __future__ import annotations

from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.values import Value


def how(answer: str, said: str, *, rare: bool = False) -> str | None:
    """How a tool said the one value of the answer; None when none said it."""
    options = EvidenceOptions(min_digits=1, rare_spellings=rare)
    (value,) = EvidenceIndex([result(said)]).judge(f"It is {answer}, yes.", options=options).values
    assert (value.how is None) == (value.verdict == "invented")
    return value.how


def spans(value: Value) -> list[tuple[int, int, str]]:
    """Start, end and spelling of a value and of each of its pieces."""
    return [(value.start, value.end, value.text), *(span for piece in value.pieces for span in spans(piece))]
