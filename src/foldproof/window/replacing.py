"""What stands for what leaves: a notice, a summary, a cleared result; each proven smaller than what it replaces."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, Literal, NamedTuple

from foldproof.errors import shown
from foldproof.messages import Message, author_of, is_observation
from foldproof.window.counting import MessageCounter, characters, has_wordless, longer_than, total_characters
from foldproof.window.frames import (
    appendix,
    claiming,
    cleared_result,
    drop_notices,
    stamped,
    summary_frame,
    takes_along,
)
from foldproof.window.guards import Run
from foldproof.window.providers import ANY_PLACE, WIRE_RULES, seam_fault
from foldproof.window.records import Replacement
from foldproof.window.refusals import RefusalReason
from foldproof.window.strategy import Clear, Fold, StrategyInput
from foldproof.window.summaries import Summarizer, SummaryRequest

_LEAST_ROOM: Final = 64  # characters; less is no summary
_TOKEN_SLACK: Final = 4  # counts do not add up across a split
_QUOTED_SHARE: Final = 2  # an appendix takes at most half of what the frames may have


class Ask(NamedTuple):
    """A summary is needed."""

    summarizer: Summarizer
    span: Sequence[Message]
    request: SummaryRequest


class Failed(NamedTuple):
    """The summarizer raised."""

    detail: str


class NotReplaced(NamedTuple):
    """Why a span was not replaced, whether a summary was asked for, and whether a provider minds its ends."""

    reason: RefusalReason
    detail: str
    skipped: Literal["latched", "no-room"] | None = None
    asked: bool = False
    at_its_ends: bool = False


class Replaced(NamedTuple):
    """What left, and the frames that stand for it (none, when nothing had to)."""

    run: Run
    span: Sequence[Message]
    tools: tuple[str, ...]
    frames: tuple[Message, ...]
    replacement: Replacement
    summary: str | None = None


class Place(NamedTuple):
    """A run that is to be replaced, in the window it is part of."""

    given: StrategyInput
    run: Run
    counter: MessageCounter | None

    @property
    def span(self) -> Sequence[Message]:
        """The messages of the run."""
        return self.given.messages[self.run.start : self.run.stop]

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
    span, tools = place.span, place.given.plan_removal.guards.tools_in(place.run)
    request_kept = place.given.plan_removal.guards.request is not None
    fault = None
    for notice in drop_notices(span, strategy=strategy, tools=tools, request_kept=request_kept):
        if _smaller((notice,), span, place.counter):
            fault = place.fault((notice,))
            if fault is None:
                return Replaced(place.run, span, tools, (notice,), "drop-notice")
    if takes_along(span):
        detail = fault or "only a notice can say that what was read has left"
        return NotReplaced("replacement-not-smaller", detail, at_its_ends=fault is not None)
    fault = place.fault(())
    if fault is not None:
        return NotReplaced("replacement-not-smaller", f"without a message there, {fault}", at_its_ends=True)
    return Replaced(place.run, span, tools, (), "none")


def folded(place: Place, fold: Fold) -> Replacing:
    """Replace a run by a summary frame, and by an appendix where the fold asks for one."""
    span, given = place.span, place.given
    empty = summary_frame(span, iteration=given.iteration, model=fold.model, retain=fold.retain)
    identifier = span_key(fold.model, span)[:16]
    if fold.stamped:
        empty = stamped(empty, identifier, "summary")
    fault = place.fault((empty,))
    if fault is not None:
        return NotReplaced("replacement-not-smaller", fault, at_its_ends=True)
    quotes, beside = _appendix(place, fold, identifier)
    if place.fault((empty, *beside)) is not None:
        quotes, beside = (), ()
    request = _request(place, fold, (empty, *beside), quotes)
    if request.max_characters < _LEAST_ROOM or (request.max_tokens is not None and request.max_tokens < 1):
        return NotReplaced("replacement-not-smaller", "the frame alone is as large as the span", "no-room")
    answer = yield Ask(fold.summarizer, tuple(span), request)
    if not isinstance(answer, str) or not _is_text(answer):
        return NotReplaced("summarizer-failed", _what_it_gave(answer))
    frames = (claiming(empty, answer), *beside)
    if not _smaller(frames, span, place.counter):
        return NotReplaced("replacement-not-smaller", f"the summary has {len(answer)} characters", asked=True)
    if not _on_target(frames, place, fold):
        detail = f"the frames have more than {fold.target_tokens} tokens"
        return NotReplaced("replacement-not-smaller", detail, asked=True)
    return Replaced(place.run, span, place.given.plan_removal.guards.tools_in(place.run), frames, "summary", answer)


def cleared(place: Place, clear: Clear) -> Replaced | NotReplaced:
    """Replace one result by a cleared result, in its place."""
    result = place.given.messages[place.run.start]
    tool = place.given.plan_removal.guards.tool_of(place.run.start)
    frame = cleared_result(result, tool=tool, retain=clear.retain, head_characters=clear.head_characters)
    if not _smaller_than(frame, result, place.counter):
        return NotReplaced("replacement-not-smaller", "what would stand for the result is as large as it is")
    tools = () if tool is None or not is_observation(result) else (tool,)
    return Replaced(place.run, (result,), tools, (frame,), "cleared-result")


def _conversation(messages: Iterable[Message]) -> Iterator[Message]:
    return (message for message in messages if message.role != "system")


def _appendix(place: Place, fold: Fold, identifier: str) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Quote the latest things the person said in the span: the oldest are left out first, and none is cut."""
    said = [message.text for message in place.span if author_of(message) == "person" and message.text.strip()]
    quotes = said[-fold.quoted_messages :] if fold.quoted_messages else []
    while quotes:
        frame = appendix(quotes, of=len(said))
        frame = stamped(frame, identifier, "appendix") if fold.stamped else frame
        if _takes_at_most_half(frame, place, fold):
            return tuple(quotes), (frame,)
        quotes = quotes[1:]
    return (), ()


def _takes_at_most_half(frame: Message, place: Place, fold: Fold) -> bool:
    if characters(frame) > total_characters(place.span) // _QUOTED_SHARE:
        return False
    if place.counter is None or fold.target_tokens is None:
        return True
    return place.counter.content(frame) <= fold.target_tokens // _QUOTED_SHARE


def _on_target(frames: Sequence[Message], place: Place, fold: Fold) -> bool:
    if place.counter is None or fold.target_tokens is None:
        return True
    return sum(map(place.counter.content, frames)) <= fold.target_tokens


def _request(place: Place, fold: Fold, frames: Sequence[Message], quotes: tuple[str, ...]) -> SummaryRequest:
    given, counter, span = place.given, place.counter, place.span
    asked = given.plan_removal.guards.request
    tokens = None
    if counter is not None:
        span_tokens = sum(map(counter.content, span))
        room = span_tokens if fold.target_tokens is None else min(span_tokens, fold.target_tokens)
        tokens = room - sum(map(counter.content, frames)) - _TOKEN_SLACK
    return SummaryRequest(
        iteration=given.iteration,
        model=fold.model,
        max_characters=_room(span, frames, tokens),
        max_tokens=tokens,
        counter=None if counter is None else counter.counter,
        current_request=None if asked is None else given.messages[asked].text,
        standings=given.standings or {},
        quoted=quotes,
    )


def _room(span: Sequence[Message], frames: Sequence[Message], tokens: int | None) -> int:
    """Return the characters a summary may have. A picture has none, so beside one the tokens decide."""
    room = total_characters(span) - total_characters(frames) - 1
    return max(room, tokens) if tokens is not None and any(map(has_wordless, span)) else room


def _is_text(answer: str) -> bool:
    """Whether a summary says something, and can be written: a lone surrogate cannot."""
    return bool(answer.strip()) and answer.encode(errors="replace").decode() == answer


def _what_it_gave(answer: object) -> str:
    if isinstance(answer, Failed):
        return answer.detail
    return f"it returned {shown(answer)}, not a text"


def _more_than(count: int, span: Sequence[Message]) -> bool:
    """Whether more than `count` messages of a span have words."""
    with_words = (message for message in span if message.content)
    return next(islice(with_words, count, None), None) is not None


def _smaller(frames: Sequence[Message], span: Sequence[Message], counter: MessageCounter | None) -> bool:
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
    """Whether a frame is strictly smaller than one result, as `_smaller` is for a span."""
    in_characters = characters(frame) < characters(result)
    if counter is None:
        return in_characters
    return (in_characters or has_wordless(result)) and counter.content(frame) < counter.content(result)
