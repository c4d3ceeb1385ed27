"""What a listener hears: what was done, in order, once it is decided, and nothing that was not done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.window.builders import (
    EVERY,
    PROSE,
    Listening,
    claim,
    every,
    failing,
    frames_of,
    holds,
    later,
    loop,
    name_of,
    plain,
    talk,
    user,
    without_listener_failure,
)

from foldproof.messages import Message, message_id
from foldproof.window import (
    ClearToolResults,
    CompactionUnmeasurableError,
    Event,
    Folded,
    MessageEvicted,
    Pipeline,
    Progress,
    PromptCompactor,
    Refused,
    Settled,
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    Visit,
    VisitableStrategy,
    VisitStarted,
    span_of,
)

WINDOW = [user(f"order ORD-44710 {PROSE}"), plain(), user("the request"), *loop(8), plain(), plain()]
KINDS = ["visit-started", "progress", "message-evicted", "refused", "folded", "settled"]


def heard_of(
    strategy: VisitableStrategy,
    window: Sequence[Message] = WINDOW,
    **options: Any,  # noqa: ANN401 - any option
) -> tuple[Visit, list[Event]]:
    listening = Listening()
    return strategy.visit(window, listener=listening, **options), listening.heard


def of_kind(heard: Sequence[Event], kind: type[Any]) -> list[Any]:
    return [event for event in heard if isinstance(event, kind)]


def outcome_of(heard: Sequence[Event]) -> list[Event]:
    """What is told once the visit is decided: all but its start and the progress before the end."""
    return [event for event in heard[1:] if not (isinstance(event, Progress) and event.fraction < 1)]


@every
def test_a_visit_starts_and_settles_once_and_tells_its_outcome_in_order(strategy: VisitableStrategy) -> None:
    visit, heard = heard_of(strategy, iteration=3, paused=["c5"])
    assert heard[0] == VisitStarted(strategy=strategy.name, iteration=3, messages=len(WINDOW))
    assert heard[-1] == Settled(record=visit.record)
    kinds = [event.type for event in outcome_of(heard)]
    assert kinds == sorted(kinds, key=["message-evicted", "refused", "folded", "progress", "settled"].index)
    assert len(of_kind(heard, VisitStarted)) == len(of_kind(heard, Settled)) == 1


@every
def test_what_is_told_is_what_was_done(strategy: VisitableStrategy) -> None:
    visit, heard = heard_of(strategy, paused=["c5"])
    left = [index for index, message in enumerate(WINDOW) if not holds(visit.messages, message)]
    evicted = of_kind(heard, MessageEvicted)
    assert [event.message_index for event in evicted] == left
    assert [event.message_id for event in evicted] == [message_id(WINDOW[index]) for index in left]
    assert [event.refusal for event in of_kind(heard, Refused)] == list(visit.record.refusals)
    assert [event.span for event in of_kind(heard, Folded)] == list(visit.spans)
    assert visit.changed == bool(evicted)


@every
def test_every_folded_span_is_told_with_the_frame_it_belongs_to(strategy: VisitableStrategy) -> None:
    if isinstance(strategy, Pipeline):
        return  # a frame of one stage may have left at the next
    visit, heard = heard_of(strategy)
    frames = [span_of(frame, visit.spans) for frame in frames_of(visit.messages)]
    assert [event.span for event in of_kind(heard, Folded)] == [span for span in frames if span is not None]


@every
def test_progress_grows_and_is_one_only_when_the_visit_is_decided(strategy: VisitableStrategy) -> None:
    _, heard = heard_of(strategy)
    fractions = [event.fraction for event in of_kind(heard, Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert all(0 <= fraction < 1 for fraction in fractions[:-1])
    assert [event.type for event in heard[-2:]] == ["progress", "settled"]


@every
def test_an_idle_visit_only_starts_and_settles(strategy: VisitableStrategy) -> None:
    window: list[Message] = []
    visit, heard = heard_of(strategy, window)
    if visit.record.outcome == "idle":
        assert [event.type for event in heard] == ["visit-started", "progress", "settled"]
    assert of_kind(heard, MessageEvicted) == of_kind(heard, Folded) == []


@pytest.mark.parametrize("strategy", [SlidingWindow(99), TokenBudget(10**9), ClearToolResults(10**9)], ids=name_of)
def test_a_visit_below_its_threshold_tells_nothing_else(strategy: VisitableStrategy) -> None:
    visit, heard = heard_of(strategy)
    assert visit.messages is WINDOW
    assert [event.type for event in heard] == ["visit-started", "progress", "settled"]
    assert heard[1] == Progress(fraction=1)


class Recording(Listening):
    """A listener that a summarizer looks at while it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[str]] = []

    def summarize(self, _: Sequence[Message], __: SummaryRequest) -> str:
        self.seen.append(self.kinds)
        return "a claim"


@pytest.mark.parametrize("make", [SummarizeOldest, PromptCompactor], ids=lambda make: make.name)
def test_nothing_is_told_of_a_fold_before_the_summary_is_there(make: Any) -> None:  # noqa: ANN401 - either class
    listening = Recording()
    strategy = make(0, 2, summarizer=listening.summarize, model="m")
    strategy.visit(WINDOW, listener=listening)
    assert listening.seen == [["visit-started", "progress"]]
    progress = [event.fraction for event in listening.heard if isinstance(event, Progress)]
    assert progress == [0, 1]


def test_progress_of_several_summaries_stays_below_one() -> None:
    listening = Recording()
    stages = [SummarizeOldest(0, keep, summarizer=listening.summarize, model="m") for keep in (9, 7, 5, 3, 1)]
    Pipeline(stages).visit([*talk(12), plain()], listener=listening)
    fractions = [event.fraction for event in listening.heard if isinstance(event, Progress)]
    assert len(fractions) == len(listening.seen) + 1 > 3
    assert fractions == sorted(set(fractions))
    assert fractions[-2] < 1
    assert not any("message-evicted" in kinds or "folded" in kinds for kinds in listening.seen)


def test_a_summarizer_that_fails_is_told_as_a_refusal_and_nothing_left() -> None:
    visit, heard = heard_of(SummarizeOldest(0, 2, summarizer=failing, model="m"))
    assert of_kind(heard, MessageEvicted) == of_kind(heard, Folded) == []
    assert "summarizer-failed" in [event.refusal.reason for event in of_kind(heard, Refused)]
    assert of_kind(heard, Settled)[0].record.outcome == "refused"
    assert visit.messages is WINDOW


def test_a_gain_that_was_too_small_tells_of_nothing_cleared() -> None:
    visit, heard = heard_of(ClearToolResults(0, 1, min_gain_tokens=10**6))
    assert visit.messages is WINDOW
    assert of_kind(heard, MessageEvicted) == of_kind(heard, Folded) == []


def test_a_message_says_what_stands_for_it() -> None:
    def reasons_of(strategy: VisitableStrategy, window: Sequence[Message] = WINDOW) -> set[str]:
        return {event.reason for event in of_kind(heard_of(strategy, window)[1], MessageEvicted)}

    assert reasons_of(SummarizeOldest(0, 2)) == {"summary"}
    assert reasons_of(PromptCompactor(0, 2)) == {"summary"}
    assert reasons_of(TokenBudget(0, 2)) == {"drop-notice"}
    assert reasons_of(ClearToolResults(0, 1)) == {"cleared-result"}
    assert reasons_of(SlidingWindow(2), [plain("ok"), plain("ok"), plain("ok"), plain("ok")]) == {"none"}


def test_a_call_that_cannot_be_measured_starts_and_never_settles() -> None:
    listening = Listening()
    with pytest.raises(CompactionUnmeasurableError):
        TokenBudget(0, counter="reported-only").visit(WINDOW, listener=listening)
    assert listening.kinds == ["visit-started", "failed"]


@every
@pytest.mark.parametrize("kind", KINDS)
def test_a_listener_that_raises_changes_nothing_but_its_line_on_the_record(
    strategy: VisitableStrategy, kind: str
) -> None:
    listening = Listening(raise_at=kind)
    visit = strategy.visit(WINDOW, listener=listening, paused=["c5"])
    undisturbed = strategy.visit(WINDOW, paused=["c5"])
    assert without_listener_failure(visit) == without_listener_failure(undisturbed)
    if kind in listening.kinds:
        assert listening.kinds.index(kind) == len(listening.heard) - 1  # it was not asked again
        assert visit.record.listener_failed is not None
        assert visit.record.listener_failed.startswith("OSError: ")
        assert "\n" not in visit.record.listener_failed
    else:
        assert visit == undisturbed


def test_every_kind_of_event_was_raised_at() -> None:
    heard = {event.type for strategy in EVERY for event in heard_of(strategy, paused=["c5"])[1]}
    assert heard == set(KINDS)


def test_what_a_listener_raised_survives_json_and_is_short() -> None:
    class Loud(Listening):
        def on_event(self, event: Event, /) -> None:
            raise ValueError(f"{event.type} \ud83d" * 10_000)

    visit = SlidingWindow(2).visit(WINDOW, listener=Loud())
    record = visit.record
    assert record.listener_failed is not None
    assert len(record.listener_failed) < 200
    assert type(record).model_validate_json(record.model_dump_json()) == record


def test_what_stops_the_process_is_not_swallowed() -> None:
    class Stopping(Listening):
        def on_event(self, event: Event, /) -> None:
            raise KeyboardInterrupt(event.type)

    with pytest.raises(KeyboardInterrupt):
        SlidingWindow(2).visit(WINDOW, listener=Stopping())


@every
def test_an_awaited_visit_tells_the_same(strategy: VisitableStrategy) -> None:
    waiting = Listening()
    visit = asyncio.run(strategy.avisit(WINDOW, listener=waiting))
    assert (visit, waiting.heard) == heard_of(strategy)


def test_an_asynchronous_summarizer_is_waited_for_before_anything_is_told() -> None:
    waiting = Listening()
    strategy = SummarizeOldest(0, 2, summarizer=later, model="m")
    visit = asyncio.run(strategy.avisit(WINDOW, listener=waiting))
    assert (visit, waiting.heard) == heard_of(SummarizeOldest(0, 2, summarizer=claim, model="m"))


def test_a_cancelled_visit_tells_nothing_more() -> None:
    waiting = Listening()

    async def cancelled(_: Sequence[Message], __: SummaryRequest) -> str:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(SummarizeOldest(0, 2, summarizer=cancelled, model="m").avisit(WINDOW, listener=waiting))
    assert waiting.kinds == ["visit-started", "progress", "failed"]
    assert [event.fraction for event in waiting.heard if isinstance(event, Progress)] == [0]


def test_a_pipeline_is_told_as_one_visit() -> None:
    pipeline = Pipeline([ClearToolResults(0, 1), Pipeline([SlidingWindow(4)]), SlidingWindow(2)])
    visit, heard = heard_of(pipeline)
    assert [event.strategy for event in of_kind(heard, VisitStarted)] == ["pipeline"]
    indices = [event.message_index for event in of_kind(heard, MessageEvicted)]
    assert indices == sorted(set(indices))
    assert of_kind(heard, Settled) == [Settled(record=visit.record)]


def _json_of(heard: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    for event in heard:
        yield event, type(event).model_validate_json(event.model_dump_json())


@every
def test_events_survive_json(strategy: VisitableStrategy) -> None:
    for event, restored in _json_of(heard_of(strategy, paused=["c5"])[1]):
        assert restored == event
        assert f'"type":"{event.type}"' in event.model_dump_json()


def test_a_listener_that_nobody_awaits_is_put_on_the_record() -> None:
    class Later:
        async def on_event(self, event: Event, /) -> None:
            raise AssertionError(event)

    record = SlidingWindow(2).visit([*talk(6), plain()], listener=Later()).record
    assert record.outcome == "removed"
    assert record.listener_failed == "on_event is asynchronous, and nobody awaits it; make it a plain function"
