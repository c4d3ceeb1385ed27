"""How a span is folded: a summary is asked for, checked against what it replaces, and only then stands for it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from foldproof.errors import shown
from foldproof.evidence.kept import KeptValue
from foldproof.messages import Message, author_of
from foldproof.window.carry import carried
from foldproof.window.counting import characters, has_wordless, total_characters
from foldproof.window.extractive import ExtractiveSummarizer
from foldproof.window.faithful import Shown, SummaryAttempt, SummaryCheck
from foldproof.window.frames import appendix, claiming, stamped, summary_frame
from foldproof.window.replacing import Ask, Failed, NotReplaced, Place, Replaced, Replacing, smaller, span_key
from foldproof.window.strategy import Fold
from foldproof.window.summaries import Summary, SummaryRequest

_LEAST_ROOM: Final = 64  # characters; less is no summary
_TOKEN_SLACK: Final = 4  # counts do not add up across a split
_QUOTED_SHARE: Final = 2  # an appendix takes at most half of what the frames may have
_MOST_NAMED: Final = 4


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """The frames of a fold before anything is claimed in them, and the request that fits them."""

    place: Place
    fold: Fold
    model: str
    empty: Message
    beside: tuple[Message, ...]
    request: SummaryRequest


class _Tried(NamedTuple):
    """A summary that was asked for: what was found about it, and the frames it makes, or why it makes none."""

    attempt: SummaryAttempt
    made: tuple[str, tuple[Message, ...]] | NotReplaced


def folded(place: Place, fold: Fold) -> Replacing:
    """Replace a run by a summary frame, and by an appendix where the fold asks for one."""
    draft = _draft(place, fold, fold.model)
    if isinstance(draft, NotReplaced):
        return draft
    read = Shown(place.shown, place.request)
    tried = [(yield from _try(draft, read, draft.request))]
    first = tried[0]
    if isinstance(first.made, NotReplaced):
        return first.made._replace(check=_check(fold, "failed", tried))
    if first.attempt.invented and fold.posture != "assist":
        tried.append((yield from _try(draft, read, replace(draft.request, unfaithful=first.attempt.invented))))
    best = _best(tried)
    if not tried[best].attempt.invented:
        return _replaced(draft, tried, best, "accepted")
    if fold.posture != "rails":
        return _replaced(draft, tried, best, "recorded" if fold.posture == "assist" else "flagged")
    return _fallen_back(draft, read, tried, best)


def _fallen_back(draft: _Draft, read: Shown, tried: list[_Tried], best: int) -> Replaced | NotReplaced:
    """Refuse a summary: the extractive one stands in its place where the fold says so and it is true, or nothing."""
    place, fold = draft.place, draft.fold
    if fold.fallback == "extractive" and fold.model != ExtractiveSummarizer.name:
        extractive = _draft(place, fold, ExtractiveSummarizer.name)
        if not isinstance(extractive, NotReplaced):
            summary = ExtractiveSummarizer()(place.shown, extractive.request)
            tried.append(_judged(extractive, read, summary))
            if not isinstance(tried[-1].made, NotReplaced) and not tried[-1].attempt.invented:
                return _replaced(extractive, tried, len(tried) - 1, "replaced")
    invented = tried[best].attempt.invented
    return NotReplaced("summary-not-faithful", what_it_invented(invented), check=_check(fold, "refused", tried))


def what_it_invented(invented: Sequence[str]) -> str:
    """Return what a summary states that nobody said, on one line, at most four by name."""
    named = ", ".join(map(shown, invented[:_MOST_NAMED]))
    more = f" and {len(invented) - _MOST_NAMED} more" if len(invented) > _MOST_NAMED else ""
    return f"the summary states {named}{more}, and nothing that was folded does"


def _draft(place: Place, fold: Fold, model: str) -> _Draft | NotReplaced:
    carry = carried(place.shown, place.rest, most=fold.carry)
    draft = _drafted(place, fold, model, carry)
    if carry and isinstance(draft, NotReplaced) and draft.skipped == "no-room":
        return _drafted(place, fold, model, ())
    return draft


def _drafted(place: Place, fold: Fold, model: str, carry: Sequence[KeptValue]) -> _Draft | NotReplaced:
    empty = summary_frame(
        place.shown,
        iteration=place.given.iteration,
        model=model,
        retain=fold.retain,
        carry=carry,
        hidden=place.hidden,
    )
    identifier = span_key(model, place.shown)[:16]
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
    return _Draft(place=place, fold=fold, model=model, empty=empty, beside=beside, request=request)


def _try(draft: _Draft, read: Shown, request: SummaryRequest) -> Generator[Ask, object, _Tried]:
    return _judged(draft, read, (yield Ask(draft.fold.summarizer, tuple(draft.place.shown), request)))


def _judged(draft: _Draft, read: Shown, answer: object) -> _Tried:
    given = Summary(text=answer) if isinstance(answer, str) else answer
    if not isinstance(given, Summary) or not _is_text(given.text):
        failed = _what_it_gave(answer)
        return _Tried(_attempt(draft, given, failed), NotReplaced("summarizer-failed", failed))
    frames = (claiming(draft.empty, given.text), *draft.beside)
    too_large = _too_large(draft, given.text, frames)
    if too_large is not None:
        return _Tried(_attempt(draft, given, too_large), NotReplaced("replacement-not-smaller", too_large))
    claims, values = read.unsupported(given.text)
    found = _attempt(draft, given).model_copy(update={"claims": claims, "values": values})
    return _Tried(found, (given.text, frames))


def _attempt(draft: _Draft, given: object, failed: str | None = None) -> SummaryAttempt:
    known = given if isinstance(given, Summary | Failed) else Summary(text="")
    return SummaryAttempt(summarizer=draft.model, failed=failed, usage=known.usage, model=known.model)


def _too_large(draft: _Draft, summary: str, frames: Sequence[Message]) -> str | None:
    place, fold = draft.place, draft.fold
    if not smaller(frames, place.span, place.counter):
        return f"the summary has {len(summary)} characters"
    if place.counter is None or fold.target_tokens is None:
        return None
    on_target = sum(map(place.counter.content, frames)) <= fold.target_tokens
    return None if on_target else f"the frames have more than {fold.target_tokens} tokens"


def _best(tried: Sequence[_Tried]) -> int:
    """Return which summary invents least, the later one of two that invent as much."""
    usable = [index for index, one in enumerate(tried) if not isinstance(one.made, NotReplaced)]
    return min(reversed(usable), key=lambda index: len(tried[index].attempt.invented))


def _replaced(
    draft: _Draft, tried: Sequence[_Tried], which: int, outcome: Literal["accepted", "recorded", "flagged", "replaced"]
) -> Replaced:
    place, made = draft.place, tried[which].made
    summary, frames = ("", ()) if isinstance(made, NotReplaced) else made
    return Replaced(
        place.run,
        place.span,
        place.given.plan_removal.guards.tools_in(place.run),
        frames,
        "summary",
        place.shown,
        summary=summary,
        model=draft.model,
        check=_check(draft.fold, outcome, tried, which),
    )


def _check(
    fold: Fold,
    outcome: Literal["accepted", "recorded", "flagged", "replaced", "refused", "failed"],
    tried: Sequence[_Tried],
    which: int | None = None,
) -> SummaryCheck:
    attempts = tuple(one.attempt for one in tried)
    return SummaryCheck(posture=fold.posture, outcome=outcome, attempts=attempts, applied=which)


def _appendix(place: Place, fold: Fold, identifier: str) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Quote the latest things the person said in the span: the oldest are left out first, and none is cut."""
    said = [message.text for message in place.shown if author_of(message) == "person" and message.text.strip()]
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


def _request(place: Place, fold: Fold, frames: Sequence[Message], quotes: tuple[str, ...]) -> SummaryRequest:
    given, counter, span = place.given, place.counter, place.span
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
        current_request=None if place.request is None else place.request.text,
        standings=given.standings or {},
        quoted=quotes,
    )


def _room(span: Sequence[Message], frames: Sequence[Message], tokens: int | None) -> int:
    """Return the characters a summary may have. A picture has none, so beside one the tokens decide."""
    room = total_characters(span) - total_characters(frames) - 1
    return max(room, tokens) if tokens is not None and any(map(has_wordless, span)) else room


def _is_text(answer: object) -> bool:
    """Whether a summary says something that can be seen, and can be written: a lone surrogate cannot."""
    if not isinstance(answer, str) or answer.encode(errors="replace").decode() != answer:
        return False
    return any(each.isprintable() and not each.isspace() for each in answer)


def _what_it_gave(answer: object) -> str:
    if isinstance(answer, Failed):
        return answer.detail
    if isinstance(answer, Summary):
        answer = answer.text
    return f"it returned {shown(answer)}, not a text"
