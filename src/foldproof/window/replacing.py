"""What stands for what leaves: a notice, a summary, a cleared result; each proven smaller than what it replaces."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from foldproof.evidence import evidence_forms, exempt_forms
from foldproof.messages import Message, is_observation
from foldproof.window import checks
from foldproof.window.counting import MessageCounter, characters, has_wordless, longer_than, total_characters
from foldproof.window.faithful import SummaryCheck
from foldproof.window.frames import cleared_result, drop_notices, takes_along
from foldproof.window.guards import Run
from foldproof.window.originals import Archive
from foldproof.window.providers import ANY_PLACE, WIRE_RULES, seam_fault
from foldproof.window.records import Replacement
from foldproof.window.refusals import RefusalReason
from foldproof.window.strategy import Clear, StrategyInput
from foldproof.window.summaries import Summarizer, SummaryRequest, SummaryUsage


class Ask(NamedTuple):
    """A summary is needed."""

    summarizer: Summarizer
    span: Sequence[Message]
    request: SummaryRequest


class Failed(NamedTuple):
    """The summarizer, or the archive, raised. A summarizer's error may say what its attempt cost."""

    detail: str
    usage: SummaryUsage | None = None
    model: str | None = None


class Keep(NamedTuple):
    """Originals are to be kept in an archive before the visit may be returned."""

    archive: Archive
    spans: Mapping[str, Sequence[Message]]


class NotReplaced(NamedTuple):
    """Why a span was not replaced, what was found about its summary, and whether a provider minds its ends."""

    reason: RefusalReason
    detail: str
    skipped: Literal["latched", "no-room"] | None = None
    at_its_ends: bool = False
    check: SummaryCheck | None = None


class Replaced(NamedTuple):
    """What left, the frames that stand for it (none, when nothing had to), and what of it is kept."""

    run: Run
    span: Sequence[Message]
    tools: tuple[str, ...]
    frames: tuple[Message, ...]
    replacement: Replacement
    shown: Sequence[Message]
    summary: str | None = None
    model: str | None = None
    check: SummaryCheck | None = None


@dataclass(frozen=True)
class Place:
    """A run that is to be replaced, in the window it is part of."""

    given: StrategyInput
    run: Run
    counter: MessageCounter | None

    @cached_property
    def span(self) -> Sequence[Message]:
        """The messages of the run."""
        return self.given.messages[self.run.start : self.run.stop]

    @cached_property
    def shown(self) -> Sequence[Message]:
        """The messages of the run as they may be kept: what an archive hides is in no frame and in no summary."""
        if self.given.archive is None:
            return self.span
        return tuple([checks.redacted(message, self.given.archive.redact(message)) for message in self.span])

    @cached_property
    def request(self) -> Message | None:
        """The current request, as it may be shown to whoever writes a summary."""
        at = self.given.plan_removal.guards.request
        if at is None or self.given.archive is None:
            return None if at is None else self.given.messages[at]
        return checks.redacted(self.given.messages[at], self.given.archive.redact(self.given.messages[at]))

    @cached_property
    def hidden(self) -> int:
        """How many forms were hidden."""
        changed = [pair for pair in zip(self.span, self.shown, strict=True) if pair[0] is not pair[1]]
        was, now = [pair[0] for pair in changed], [pair[1] for pair in changed]
        return len(exempt_forms(was) - exempt_forms(now)) + len(evidence_forms(was) - evidence_forms(now))

    @cached_property
    def rest(self) -> Sequence[Message]:
        """What stays of the window, with the span gone."""
        return (*self.given.messages[: self.run.start], *self.given.messages[self.run.stop :])

    def fault(self, frames: Sequence[Message]) -> str | None:
        """Return what a provider would reject if `frames` stood in this place and did not reject before, or None."""
        messages, run = self.given.messages, self.run
        before = next(_conversation(messages[index] for index in range(run.start - 1, -1, -1)), None)
        after = next(_conversation(messages[index] for index in range(run.stop, len(messages))), None)
        first = (*frames, after)[0]
        if before is None and messages[run.start].role == "user" and first is not None and first.role != "user":
            return "the window would not open on the user any more"
        for provider in ANY_PLACE if self.given.provider is None else (self.given.provider,):
            rules = WIRE_RULES[provider]
            if seam_fault(rules, before, messages[run.start]) or seam_fault(rules, messages[run.stop - 1], after):
                continue  # it would have been rejected there anyway
            faults = (seam_fault(rules, left, right) for left, right in pairwise((before, *frames, after)))
            found = next(filter(None, faults), None)
            if found:
                return f"{provider}: {found}"
        return None


Replacing = Generator[Ask, object, Replaced | NotReplaced]


def span_key(strategy: str, span: Sequence[Message]) -> str:
    """Return the key under which a refused span is latched: its content, for one strategy."""
    said = " ".join([strategy, *(message.fingerprint for message in span)])
    return hashlib.sha256(said.encode(errors="replace")).hexdigest()


def dropped(place: Place, *, strategy: str) -> Replaced | NotReplaced:
    """Replace a run by the fullest notice that is smaller, or by nothing where nothing needs to be said."""
    span, shown = place.span, place.shown
    tools = place.given.plan_removal.guards.tools_in(place.run)
    request_kept = place.given.plan_removal.guards.request is not None
    fault = None
    for notice in drop_notices(shown, strategy=strategy, tools=tools, request_kept=request_kept, hidden=place.hidden):
        if smaller((notice,), span, place.counter):
            fault = place.fault((notice,))
            if fault is None:
                return Replaced(place.run, span, tools, (notice,), "drop-notice", shown)
    if takes_along(span):
        detail = fault or "only a notice can say that what was read has left"
        return NotReplaced("replacement-not-smaller", detail, at_its_ends=fault is not None)
    fault = place.fault(())
    if fault is not None:
        return NotReplaced("replacement-not-smaller", f"without a message there, {fault}", at_its_ends=True)
    return Replaced(place.run, span, tools, (), "none", shown)


def cleared(place: Place, clear: Clear) -> Replaced | NotReplaced:
    """Replace one result by a cleared result, in its place."""
    result = place.given.messages[place.run.start]
    tool = place.given.plan_removal.guards.tool_of(place.run.start)
    frame = cleared_result(
        place.shown[0],
        tool=tool,
        retain=clear.retain,
        head_characters=clear.head_characters,
        hidden=place.hidden,
    )
    if not _smaller_than(frame, result, place.counter):
        return NotReplaced("replacement-not-smaller", "what would stand for the result is as large as it is")
    tools = () if tool is None or not is_observation(result) else (tool,)
    return Replaced(place.run, (result,), tools, (frame,), "cleared-result", place.shown)


def _conversation(messages: Iterable[Message]) -> Iterator[Message]:
    return (message for message in messages if message.role != "system")


def _more_than(count: int, span: Sequence[Message]) -> bool:
    """Whether more than `count` messages of a span have words."""
    with_words = (message for message in span if message.content)
    return next(islice(with_words, count, None), None) is not None


def smaller(frames: Sequence[Message], span: Sequence[Message], counter: MessageCounter | None) -> bool:
    """Whether the frames are strictly smaller than the span, in tokens and, where it is all words, in characters."""
    if len(frames) > len(span):
        return False
    if not longer_than(span, total_characters(frames)) and (counter is None or not any(map(has_wordless, span))):
        return False
    # A message with words costs a token at least, and a token covers a byte at least: a long span needs no count.
    if counter is None or _more_than(sum(len(frame.text.encode(errors="replace")) for frame in frames), span):
        return True
    return counter.exceeds(span, sum(map(counter.content, frames)))


def _smaller_than(frame: Message, result: Message, counter: MessageCounter | None) -> bool:
    """Whether a frame is strictly smaller than one result, as `smaller` is for a span."""
    in_characters = characters(frame) < characters(result)
    if counter is None:
        return in_characters
    return (in_characters or has_wordless(result)) and counter.content(frame) < counter.content(result)
