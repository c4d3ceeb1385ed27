"""One visit, for every strategy: ask it, refuse what must be refused, write the frame, prove it smaller, file it.

A visit is a generator that yields only when a summary is needed, so that `run_visit` and `arun_visit` share every rule
and differ in how they wait. Until the visit is returned nothing has changed; an error or a cancellation leaves it so.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Generator, Iterable, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple, Unpack

from foldproof.errors import UsageError, shown
from foldproof.evidence import evidence_forms
from foldproof.messages import Message, frame_kind
from foldproof.window.counting import MessageCounter, characters, longer_than, total_characters
from foldproof.window.filing import Attempt, Replaced, file_visit, results_in, span_refusal
from foldproof.window.frames import claiming, drop_notices, lineage, summary_frame
from foldproof.window.plan import Run
from foldproof.window.refusals import RefusalReason
from foldproof.window.strategy import Decision, Fold, Strategy, StrategyInput, VisitOptions
from foldproof.window.summaries import Summarizer, SummaryRequest
from foldproof.window.visit import Visit

_LEAST_ROOM: Final = 64  # characters; less is no summary
_TOKEN_SLACK: Final = 4  # counts do not add up across a split


class _Ask(NamedTuple):
    """A summary is needed."""

    summarizer: Summarizer
    span: Sequence[Message]
    request: SummaryRequest


class _Failed(NamedTuple):
    """The summarizer raised."""

    detail: str


class _Refused(NamedTuple):
    """Why a span was not replaced."""

    reason: RefusalReason
    detail: str


_Steps = Generator[_Ask, object, Visit]
_Replacing = Generator[_Ask, object, Replaced | _Refused]


def run_visit(strategy: Strategy, messages: Sequence[Message], **options: Unpack[VisitOptions]) -> Visit:
    """Visit a window with any strategy, a user's own included.

    Raises:
        UsageError: an option that makes no sense, or an asynchronous summarizer.
        CompactionUnmeasurableError: the strategy measures tokens and nothing can.
    """
    steps = _steps(strategy, StrategyInput(messages=messages, **options))
    step = _next(steps, None)
    while isinstance(step, _Ask):
        step = _next(steps, _answer(step))
    return step


async def arun_visit(strategy: Strategy, messages: Sequence[Message], **options: Unpack[VisitOptions]) -> Visit:
    """Visit a window as `run_visit` does, awaiting a summarizer that is asynchronous."""
    steps = _steps(strategy, StrategyInput(messages=messages, **options))
    step = _next(steps, None)
    while isinstance(step, _Ask):
        step = _next(steps, await _awaited(step))
    return step


def _next(steps: _Steps, answer: object) -> _Ask | Visit:
    """Go on with a visit: to the next summary it needs, or to its end."""
    try:
        return steps.send(answer)
    except StopIteration as done:
        visit: Visit = done.value
        return visit


def _answer(ask: _Ask) -> object:
    try:
        answer = ask.summarizer(ask.span, ask.request)
    except Exception as error:  # noqa: BLE001 - whatever a summarizer raises folds nothing
        return _failed(error)
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise UsageError("the summarizer is asynchronous; call avisit (or arun_visit) instead of visit")
    return answer


async def _awaited(ask: _Ask) -> object:
    try:
        answer = ask.summarizer(ask.span, ask.request)
        return await answer if inspect.isawaitable(answer) else answer
    except Exception as error:  # noqa: BLE001 - as above; a cancellation is no Exception and passes
        return _failed(error)


def _failed(error: Exception) -> _Failed:
    return _Failed(f"{type(error).__name__}: {shown(str(error))}")


def _steps(strategy: Strategy, given: StrategyInput) -> _Steps:
    decision = strategy.plan(given)
    attempt = Attempt(strategy.name, given, decision)
    for run in decision.removal.runs if decision.removal else ():
        found = yield from _replace(attempt, run)
        if isinstance(found, Replaced):
            attempt.replaced = found
            break
        attempt.refusals.append(span_refusal(given, run, found.reason, found.detail))
        if found.reason == "summarizer-failed":
            break
    return file_visit(attempt)


def _replace(attempt: Attempt, run: Run) -> _Replacing:
    span = attempt.given.messages[run.start : run.stop]
    if len(span) == 1 and frame_kind(span[0]) in ("summary", "drop-notice"):
        return _Refused("only-existing-summary", "nothing new stands beside it")
    if attempt.latched and _key(attempt.strategy, span) in attempt.latched:
        attempt.skipped = "latched"
        return _Refused("replacement-not-smaller", "this very span was refused before")
    fold = attempt.decision.fold
    found = _dropped(attempt, run, span) if fold is None else (yield from _folded(attempt, run, span, fold))
    if isinstance(found, _Refused) and found.reason == "replacement-not-smaller":
        attempt.latched.append(_key(attempt.strategy, span))
    return found


def _key(strategy: str, span: Sequence[Message]) -> str:
    """Return the key under which a refused span is latched: its content, for one strategy."""
    said = " ".join([strategy, *(message.fingerprint for message in span)])
    return hashlib.sha256(said.encode(errors="replace")).hexdigest()


def _dropped(attempt: Attempt, run: Run, span: Sequence[Message]) -> Replaced | _Refused:
    given, tools = attempt.given, results_in(attempt.given, run)
    request_kept = given.plan_removal.guards.request is not None
    for notice in drop_notices(span, strategy=attempt.strategy, tools=tools, request_kept=request_kept):
        if _smaller(notice, span, attempt.decision.counter):
            return Replaced(run, span, tools, notice, "drop-notice")
    if lineage(span) or evidence_forms(span):
        return _Refused("replacement-not-smaller", "only a notice can say that values which were read have left")
    if _must_open(given, run):
        return _Refused("replacement-not-smaller", "without a message there the window would not open on the user")
    return Replaced(run, span, tools, None, "none")


def _must_open(given: StrategyInput, run: Run) -> bool:
    """Whether the window opens on the user, behind its system messages, and would not without the span."""
    after = chain(given.messages[: run.start], given.messages[run.stop :])
    return _opens_on_user(given.messages) and not _opens_on_user(after)


def _opens_on_user(messages: Iterable[Message]) -> bool:
    return next((message.role for message in messages if message.role != "system"), None) == "user"


def _folded(attempt: Attempt, run: Run, span: Sequence[Message], fold: Fold) -> _Replacing:
    given = attempt.given
    empty = summary_frame(span, iteration=given.iteration, model=fold.model, retain=fold.retain)
    request = _request(attempt.decision, given, span, empty, fold)
    if request.max_characters < _LEAST_ROOM or (request.max_tokens is not None and request.max_tokens < 1):
        attempt.skipped = "no-room"
        return _Refused("replacement-not-smaller", "the frame alone is as large as the span")
    answer = yield _Ask(fold.summarizer, tuple(span), request)
    if not isinstance(answer, str) or not _is_text(answer):
        return _Refused("summarizer-failed", _what_it_gave(answer))
    frame = claiming(empty, answer)
    if not _smaller(frame, span, attempt.decision.counter):
        return _Refused("replacement-not-smaller", f"the summary has {len(answer)} characters")
    return Replaced(run, span, results_in(given, run), frame, "summary", answer)


def _request(
    decision: Decision, given: StrategyInput, span: Sequence[Message], empty_frame: Message, fold: Fold
) -> SummaryRequest:
    counter, asked = decision.counter, given.plan_removal.guards.request
    tokens = None
    if counter is not None:
        tokens = sum(map(counter.content, span)) - counter.content(empty_frame) - _TOKEN_SLACK
    return SummaryRequest(
        iteration=given.iteration,
        model=fold.model,
        max_characters=total_characters(span) - characters(empty_frame) - 1,
        max_tokens=tokens,
        counter=None if counter is None else counter.counter,
        current_request=None if asked is None else given.messages[asked].text,
        standings=given.standings or {},
    )


def _is_text(answer: str) -> bool:
    """Whether a summary says something, and can be written: a lone surrogate cannot."""
    return bool(answer.strip()) and answer.encode(errors="replace").decode() == answer


def _what_it_gave(answer: object) -> str:
    if isinstance(answer, _Failed):
        return answer.detail
    return f"it returned {shown(answer)}, not a text"


def _more_than(count: int, span: Sequence[Message]) -> bool:
    """Whether more than `count` messages of a span have words."""
    with_words = (message for message in span if message.content)
    return next(islice(with_words, count, None), None) is not None


def _smaller(frame: Message, span: Sequence[Message], counter: MessageCounter | None) -> bool:
    if not longer_than(span, characters(frame)):
        return False
    # A message with words costs a token at least, and a token covers a byte at least: a long span needs no count.
    if counter is None or _more_than(len(frame.text.encode(errors="replace")), span):
        return True
    return counter.exceeds(span, counter.content(frame))
