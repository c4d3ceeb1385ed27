"""One visit, for every strategy: ask it, refuse what must be refused, replace what may leave, file it.

A visit is a generator that yields only when a summary is needed, so that `run_visit` and `arun_visit` share every rule
and differ in how they wait. Until the visit is returned nothing has changed; an error or a cancellation leaves it so.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Unpack

from foldproof.errors import UsageError, described, shown
from foldproof.messages import Message, frame_kind
from foldproof.window import checks
from foldproof.window.events import Narrator
from foldproof.window.filing import Attempt, file_visit
from foldproof.window.folds import folded, what_it_invented
from foldproof.window.guards import Run
from foldproof.window.originals import span_address
from foldproof.window.plan import RemovalPlan, new_turns
from foldproof.window.replacing import (
    Ask,
    Failed,
    Keep,
    NotReplaced,
    Place,
    Replaced,
    Replacing,
    cleared,
    dropped,
    span_key,
)
from foldproof.window.stages import in_stages
from foldproof.window.strategy import (
    Clear,
    Decision,
    Drop,
    Fold,
    InStages,
    Strategy,
    StrategyInput,
    VisitOptions,
)
from foldproof.window.summaries import SummaryUsage
from foldproof.window.visit import Visit

_Steps = Generator[Ask | Keep, object, Visit]


def run_visit(strategy: Strategy, messages: Sequence[Message], **options: Unpack[VisitOptions]) -> Visit:
    """Visit a window with any strategy, a user's own included.

    Raises:
        UsageError: an option that makes no sense, or an asynchronous summarizer.
        CompactionUnmeasurableError: the strategy measures tokens and nothing can.
    """
    given = StrategyInput(messages=messages, **options)
    with _begun(strategy, given) as (narrator, steps):
        step = _next(steps, None)
        while not isinstance(step, Visit):
            if isinstance(step, Keep):
                step = _next(steps, _kept(step))
                continue
            narrator.summarizing()
            step = _next(steps, _answer(step))
    return _settled(narrator, given, step, messages)


async def arun_visit(strategy: Strategy, messages: Sequence[Message], **options: Unpack[VisitOptions]) -> Visit:
    """Visit a window as `run_visit` does, awaiting a summarizer that is asynchronous."""
    given = StrategyInput(messages=messages, **options)
    with _begun(strategy, given) as (narrator, steps):
        step = _next(steps, None)
        while not isinstance(step, Visit):
            if isinstance(step, Keep):
                step = _next(steps, _kept(step))
                continue
            narrator.summarizing()
            step = _next(steps, await _awaited(step))
    return _settled(narrator, given, step, messages)


@contextmanager
def _begun(strategy: Strategy, given: StrategyInput) -> Iterator[tuple[Narrator, _Steps]]:
    checks.strategy(strategy)
    narrator = Narrator(given.listener)
    narrator.started(strategy.name, given.iteration, given.messages)
    try:
        yield narrator, _steps(strategy, given)
    except BaseException as error:
        narrator.broke_off(error)
        raise


def _settled(narrator: Narrator, given: StrategyInput, visit: Visit, messages: Sequence[Message]) -> Visit:
    """Tell what came of a visit; where nothing left, the very object that was given comes back."""
    told = narrator.settled(given.messages, visit)
    return told if told.changed else replace(told, messages=messages)


def _next(steps: _Steps, answer: object) -> Ask | Keep | Visit:
    """Go on with a visit: to the next summary it needs, or to its end."""
    try:
        return steps.send(answer)
    except StopIteration as done:
        visit: Visit = done.value
        return visit


def _answer(ask: Ask) -> object:
    try:
        answer = ask.summarizer(ask.span, ask.request)
    except Exception as error:  # noqa: BLE001 - whatever a summarizer raises folds nothing
        return _failed(error)
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise UsageError("the summarizer is asynchronous; call avisit (or arun_visit) instead of visit")
    return answer


async def _awaited(ask: Ask) -> object:
    try:
        answer = ask.summarizer(ask.span, ask.request)
        return await answer if inspect.isawaitable(answer) else answer
    except Exception as error:  # noqa: BLE001 - as above; a cancellation is no Exception and passes
        return _failed(error)


def _kept(keep: Keep) -> Failed | None:
    try:
        keep.archive.keep(keep.spans)
    except Exception as error:  # noqa: BLE001 - whatever an archive raises, nothing leaves
        return _failed(error)
    return None


def _failed(error: Exception) -> Failed:
    usage, model = getattr(error, "usage", None), getattr(error, "model", None)
    return Failed(
        described(error),
        usage if isinstance(usage, SummaryUsage) else None,
        model if isinstance(model, str) else None,
    )


def _steps(strategy: Strategy, given: StrategyInput) -> _Steps:
    decision = strategy.plan(given)
    if not isinstance(decision, Decision | InStages):
        raise UsageError(f"the strategy {strategy.name} decided {shown(decision)}; return a Decision, or InStages")
    if isinstance(decision, InStages):
        if not decision.stages:
            raise UsageError(f"the strategy {strategy.name} decided on no stages; name one at least")
        for stage in decision.stages:
            _check_stage(strategy, stage)
        return (yield from in_stages(strategy.name, given, decision, visit=_steps))
    _check_removal(strategy, decision)
    attempt = Attempt(strategy.name, given, decision)
    yield from _replace_what_may_leave(attempt, decision.removal.runs if decision.removal else ())
    if isinstance(decision.how, Clear):
        _in_whole_steps(attempt, decision.how.cut_every)
        _gain_or_nothing(attempt, decision.how)
    if isinstance(decision.how, Fold | Clear) and decision.how.retain == "archive":
        yield from _archived(attempt)
    return file_visit(attempt)


def _replace_what_may_leave(attempt: Attempt, runs: Iterable[Run]) -> Generator[Ask, object, None]:
    """Replace the first run that can be, or every one where results are cleared; note why the others stay."""
    waiting = iter(runs)
    for run in waiting:
        found = yield from _replace_or_give_way(attempt, run)
        if isinstance(found, Replaced):
            attempt.replaced.append(found)
            attempt.check = found.check
            if found.check is not None and found.check.outcome == "replaced":
                attempt.refuse(run, "summary-not-faithful", what_it_invented(found.check.attempts[-2].invented))
            if not isinstance(attempt.decision.how, Clear):
                break
            continue
        attempt.skipped = found.skipped or attempt.skipped
        attempt.refuse(run, found.reason, found.detail)
        attempt.check = found.check or attempt.check
        if found.check is not None:  # summaries are asked for over one span a visit
            for later in waiting:
                attempt.refuse(later, found.reason, "not asked about: an earlier span was, and one is a visit")


def _archived(attempt: Attempt) -> Generator[Keep, object, None]:
    """Keep the originals of all that was replaced, or replace nothing."""
    archive = attempt.given.archive
    if archive is None:
        raise UsageError(
            f'the strategy {attempt.strategy} has retain="archive" and the visit was given no archive; pass one: '
            "visit(messages, archive=...)"
        )
    if not attempt.replaced:
        return
    failed = yield Keep(archive, {span_address(replaced.shown): replaced.shown for replaced in attempt.replaced})
    if isinstance(failed, Failed):
        attempt.archive_failed = failed.detail
        for replaced in attempt.replaced:
            attempt.refuse(replaced.run, "archive-failed", failed.detail)
        attempt.replaced = []


def _check_removal(strategy: Strategy, decision: Decision) -> None:
    of = "results" if isinstance(decision.how, Clear) else "turns"
    if decision.removal is not None and decision.removal.of != of:
        plans = {"turns": "plan_removal", "results": "plan_clearing"}
        raise UsageError(
            f"the strategy {strategy.name} decided on how={shown(decision.how)} with a plan of {decision.removal.of}; "
            f"take the plan from given.{plans[of]}"
        )


def _check_stage(strategy: Strategy, stage: object) -> None:
    try:
        checks.strategy(stage)
    except UsageError as error:
        raise UsageError(f"a stage of the strategy {strategy.name}: {error}") from error


def _replace_or_give_way(attempt: Attempt, run: Run) -> Replacing:
    """Replace a run, or the most of it where a provider takes no frame at its ends."""
    whole = yield from _replace(attempt, run)
    if isinstance(whole, Replaced) or not whole.at_its_ends:
        return whole
    for less, stays in _less(attempt.given, run, attempt.decision.removal):
        found = yield from _replace(attempt, less)
        if isinstance(found, Replaced):
            for turn in stays:
                attempt.refuse(turn, whole.reason, whole.detail)
            return found
    return whole


def _less(given: StrategyInput, run: Run, removal: RemovalPlan | None) -> Iterator[tuple[Run, tuple[Run, ...]]]:
    """Yield a run without its last turn, its first, and both, with the turns that stay; none where turns hang together.

    A frame is a user message: beside an assistant message it fits where beside the person it does not. No cut is
    smaller than a whole step for that.
    """
    guards, step = given.plan_removal.guards, removal.cut_every if removal else 1
    if not guards.tidy or guards.odd:
        return
    first, last = guards.turn(run.turn_index), guards.turn(guards.turn_at(run.stop - 1))
    head = Run(first.start, first.stop, run.turn_index)
    tail = Run(last.start, last.stop, guards.turn_at(last.start))
    for start, stop, stays in (
        (run.start, last.start, (tail,)),
        (first.stop, run.stop, (head,)),
        (first.stop, last.start, (head, tail)),
    ):
        if start < stop and len(new_turns(guards, guards.turn_at(start), guards.turn_at(stop - 1) + 1)) >= step:
            yield Run(start, stop, guards.turn_at(start)), stays


def _replace(attempt: Attempt, run: Run) -> Replacing:
    place, how = Place(attempt.given, run, attempt.decision.counter), attempt.decision.how
    try:
        _ = place.shown, place.request
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - what cannot be hidden cannot be folded
        attempt.archive_failed = _failed(error).detail
        return NotReplaced("archive-failed", attempt.archive_failed)
    if isinstance(how, Clear):
        return cleared(place, how)
    if all(frame_kind(message) in ("summary", "drop-notice") for message in place.span):
        return NotReplaced("only-existing-summary", "nothing new stands beside it")
    if attempt.latched and _latch(attempt, place) in attempt.latched:
        return NotReplaced("replacement-not-smaller", "this very span was refused before", "latched")
    found = dropped(place, strategy=attempt.strategy) if isinstance(how, Drop) else (yield from folded(place, how))
    if isinstance(found, NotReplaced) and found.reason == "replacement-not-smaller" and not found.at_its_ends:
        attempt.latched.append(_latch(attempt, place))
    return found


def _latch(attempt: Attempt, place: Place) -> str:
    """Return the key under which a refused span is not tried again: by one strategy, one summarizer, one target."""
    how = attempt.decision.how
    asked = f"{how.model} {how.target_tokens}" if isinstance(how, Fold) else ""
    return span_key(f"{attempt.strategy} {asked}", place.span)


def _in_whole_steps(attempt: Attempt, cut_every: int) -> None:
    """Keep back the newest of what could be cleared, down to a whole multiple of `cut_every`."""
    beyond = len(attempt.replaced) % cut_every
    for replaced in attempt.replaced[len(attempt.replaced) - beyond :]:
        attempt.refuse(replaced.run, "inside-keep-window", f"{beyond} of {cut_every} results towards the next cut")
    attempt.replaced = attempt.replaced[: len(attempt.replaced) - beyond]


def _gain_or_nothing(attempt: Attempt, clear: Clear) -> None:
    """Clear nothing where everything together is not worth it."""
    counter = attempt.decision.counter
    if counter is None or not clear.min_gain_tokens or not attempt.replaced:
        return
    gain = counter.total(attempt.left) - counter.total(attempt.frames)
    if gain < clear.min_gain_tokens:
        first, attempt.replaced = attempt.replaced[0].run, []
        detail = f"all of them would save {gain:,} tokens, and at least {clear.min_gain_tokens:,} are asked for"
        attempt.refuse(first, "replacement-not-smaller", detail)
