"""What a summary is: who is asked for one, with what, and what comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from foldproof.messages import Message
from foldproof.messages.base import FrozenModel
from foldproof.tokens import TokenCounter
from foldproof.window.pins import Standing


class SummaryUsage(FrozenModel):
    """What a provider reported for one summary, in tokens. `input_tokens` includes what was read from a cache."""

    input_tokens: int
    output_tokens: int
    cached_input_tokens: int | None = None


class Summary(FrozenModel):
    """A summary, and what it cost; for a summarizer that knows. One that does not returns the text alone.

    Attributes:
        text: the summary.
        usage: what the provider reported, or None.
        model: who really wrote it, where the provider says so.
    """

    text: str
    usage: SummaryUsage | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class SummaryRequest:
    """What a summarizer is asked for, beside the span.

    Attributes:
        iteration: the iteration at which the span is folded.
        model: the name the summary will be filed under.
        max_characters: the code points a summary may have; a longer one is refused.
        max_tokens: the same in tokens, or None when nothing counts them.
        counter: what counts those tokens.
        current_request: what the person asked last, so that a summary can serve it; it stays in the window.
        standings: what the model filed results as, by tool call id.
        quoted: what the person said that will stand verbatim beside the summary, which need not repeat it.
        unfaithful: what a first summary stated or quoted and nobody had said, when this is the second one asked for:
            leave it out.
    """

    iteration: int
    model: str
    max_characters: int
    max_tokens: int | None = None
    counter: TokenCounter | None = None
    current_request: str | None = None
    standings: Mapping[str, Standing] = field(default_factory=dict)
    quoted: tuple[str, ...] = ()
    unfaithful: tuple[str, ...] = ()


class Summarizer(Protocol):
    """Writes a claim about a span. May be asynchronous, and then needs `avisit`.

    An exception, something that is no text, an empty text, or one past the request's limits folds nothing.
    """

    def __call__(self, span: Sequence[Message], request: SummaryRequest, /) -> str | Summary | Awaitable[str | Summary]:
        """Return the summary of `span`; frames in it are claims that were made before."""
        ...
