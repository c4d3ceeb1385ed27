"""Several stages in one visit: who acts, what is measured, what is filed, and what is handed on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.window.builders import (
    PROSE,
    Listening,
    call,
    claim,
    failing,
    frames_of,
    holds,
    later,
    loop,
    name_of,
    plain,
    reasons,
    result,
    system,
    talk,
    user,
)

from foldproof.evidence import EvidenceIndex, exempt_forms
from foldproof.messages import Message, frame_kind, message_id, turns_of, validate_messages
from foldproof.tokens import default_counter
from foldproof.window import (
    ClearToolResults,
    Decision,
    InStages,
    MessageCounter,
    MessageEvicted,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SlidingWindow,
    StrategyInput,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    Visit,
    WindowRecord,
    WindowState,
    run_visit,
    span_of,
    token_trigger,
    total_characters,
)

COUNTER = MessageCounter(default_counter())
WINDOW = [system(), user("the request"), *loop(8, "row 4417; " * 200), plain(), plain()]
CLEAR = ClearToolResults(0, 1)
STAGED = [
    Pipeline([CLEAR, SlidingWindow(3)]),
    Pipeline([OffloadLarge(200, 40), CLEAR, SummarizeOldest(0, 2)]),
    Pipeline([ClearToolResults(0, 4), PromptCompactor(0, 2)]),
    Pipeline([SlidingWindow(6), SlidingWindow(4), SlidingWindow(2)]),
    Pipeline([SummarizeOldest(0, 4), SlidingWindow(2)]),
    Pipeline([Pipeline([OffloadLarge(200, 40)]), Pipeline([CLEAR, Pipeline([SlidingWindow(2)])])]),
]

staged = pytest.mark.parametrize("pipeline", STAGED, ids=name_of)


class Asked:
    """Wraps a strategy and keeps what it was given."""

    def __init__(self, strategy: ClearToolResults | SlidingWindow | TokenBudget | SummarizeOldest) -> None:
        self.strategy = strategy
        self.name = strategy.name
        self.given: list[StrategyInput] = []

    def plan(self, given: StrategyInput, /) -> Decision:
        self.given.append(given)
        return self.strategy.plan(given)


def outcomes(visit: Visit) -> list[str]:
    return [record.outcome for record in visit.record.stages]


def rebuilt(window: Sequence[Message], visit: Visit) -> list[Message]:
    """Put the frames in place of what the seams say left, by ids alone."""
    named = {message_id(message): message for message in visit.messages}
    found, behind = [], 0
    for seam in visit.record.seams:
        found += [*window[behind : seam.start], *(named[frame] for frame in seam.frames)]
        behind = seam.start + seam.count
    return [*found, *window[behind:]]


def test_the_stages_behind_the_one_that_reached_the_budget_are_idle() -> None:
    cleared = COUNTER.total(CLEAR.visit(WINDOW).messages)
    pipeline = Pipeline([CLEAR, TokenBudget(cleared, 2), SummarizeOldest(cleared, 2)])
    visit = pipeline.visit(WINDOW)
    assert outcomes(visit) == ["removed", "idle", "idle"]
    assert visit.messages == CLEAR.visit(WINDOW).messages
    assert visit.record.stages[1].measured == cleared
    closer = Pipeline([CLEAR, TokenBudget(cleared - 1, 2), SummarizeOldest(cleared - 1, 2)])
    assert outcomes(closer.visit(WINDOW))[:2] == ["removed", "removed"]


def test_every_stage_is_given_the_window_that_the_last_one_left() -> None:
    stages = [Asked(CLEAR), Asked(SlidingWindow(4)), Asked(SlidingWindow(2))]
    visit = Pipeline(stages).visit(WINDOW, iteration=5, request="the request", provider="anthropic", tools=[{"a": 1}])
    first = CLEAR.visit(WINDOW, iteration=5, request="the request", provider="anthropic", tools=[{"a": 1}])
    assert stages[0].given[0].messages == tuple(WINDOW)
    assert stages[1].given[0].messages == first.messages
    assert tuple(visit.messages) != tuple(stages[2].given[0].messages)
    for stage in stages:
        (given,) = stage.given
        kept = (given.iteration, given.request, given.provider, list(given.tools))
        assert kept == (5, "the request", "anthropic", [{"a": 1}])


def test_reported_usage_is_lessened_by_what_was_counted_to_have_been_saved() -> None:
    saved = COUNTER.total(WINDOW) - COUNTER.total(CLEAR.visit(WINDOW).messages)
    stages = [Asked(CLEAR), Asked(TokenBudget(0, 2)), Asked(SlidingWindow(99))]
    Pipeline(stages).visit(WINDOW, measured=50_000)
    after_second = TokenBudget(0, 2).visit(CLEAR.visit(WINDOW).messages).messages
    saved_by_both = COUNTER.total(WINDOW) - COUNTER.total(after_second)
    assert [stage.given[0].measured for stage in stages] == [50_000, 50_000 - saved, 50_000 - saved_by_both]


def test_reported_usage_is_never_less_than_nothing() -> None:
    stages = [Asked(CLEAR), Asked(TokenBudget(0, 2))]
    Pipeline(stages).visit(WINDOW, measured=1)
    assert stages[1].given[0].measured == 0


def test_where_nothing_counts_the_first_stage_that_changed_the_window_is_the_last() -> None:
    stages = [Asked(SlidingWindow(99)), Asked(CLEAR), Asked(SlidingWindow(2))]
    visit = Pipeline(stages, counter="reported-only").visit(WINDOW, measured=50_000)
    assert outcomes(visit) == ["idle", "removed"]
    assert [len(stage.given) for stage in stages] == [1, 1, 0]
    assert visit.messages == CLEAR.visit(WINDOW, measured=50_000).messages
    unmeasured = Pipeline([SlidingWindow(4), SlidingWindow(2)], counter="reported-only").visit(WINDOW)
    assert outcomes(unmeasured) == ["removed", "removed"]


def test_what_the_pipeline_measures_is_the_first_stage_that_acted() -> None:
    record = Pipeline([SlidingWindow(99), CLEAR, SlidingWindow(2)]).visit(WINDOW, measured=50_000).record
    assert (record.trigger, record.measured_by, record.measured, record.threshold) == ("tokens", "reported", 50_000, 0)
    assert record.over_budget
    assert record.strategy == "pipeline"


@staged
def test_seams_count_in_the_window_as_it_was_visited(pipeline: Pipeline) -> None:
    visit = pipeline.visit(WINDOW)
    assert visit.changed
    assert rebuilt(WINDOW, visit) == list(visit.messages)
    places = [index for seam in visit.record.seams for index in range(seam.start, seam.start + seam.count)]
    left = [index for index, message in enumerate(WINDOW) if not holds(visit.messages, message)]
    assert places == left
    assert visit.record.removed == tuple(message_id(WINDOW[index]) for index in left)
    assert (visit.record.removed_from, visit.record.removed_count) == (left[0], len(left))


@staged
def test_refusals_count_in_the_window_as_it_was_visited(pipeline: Pipeline) -> None:
    visit = pipeline.visit(WINDOW, paused=["c6"])
    assert visit.record.refusals
    for told in visit.record.refusals:
        assert message_id(WINDOW[told.message_index]) == told.message_id
        assert turns_of(WINDOW)[told.turn_index].start <= told.message_index < turns_of(WINDOW)[told.turn_index].stop
        assert holds(visit.messages, WINDOW[told.message_index])
    assert any(told.reason == "paused-tool" and told.call_ids == ("c6",) for told in visit.record.refusals)
    places = [(told.reason, told.message_index) for told in visit.record.refusals]
    assert len(places) == len(set(places))


@staged
def test_sizes_are_those_of_the_whole_visit(pipeline: Pipeline) -> None:
    visit = pipeline.visit(WINDOW)
    record = visit.record
    assert (record.messages_before, record.messages_after) == (len(WINDOW), len(visit.messages))
    assert record.characters_before == total_characters(WINDOW)
    assert record.characters_after == total_characters(visit.messages)
    if record.tokens_before is not None:
        assert (record.tokens_before, record.tokens_after) == (COUNTER.total(WINDOW), COUNTER.total(visit.messages))
    assert record.tokens_before is not None or record.trigger != "tokens"


@staged
def test_the_records_of_the_stages_are_those_they_would_file_alone(pipeline: Pipeline) -> None:
    visit = pipeline.visit(WINDOW)
    window: Sequence[Message] = WINDOW
    for stage, record in zip(pipeline.stages, visit.record.stages, strict=True):
        alone = run_visit(stage, window)
        assert record == alone.record
        window = alone.messages
    assert tuple(window) == tuple(visit.messages)


@staged
def test_a_record_with_stages_survives_json(pipeline: Pipeline) -> None:
    visit = pipeline.visit(WINDOW, standings={"c1": "fact", "c2": "noise"}, paused=["c3"])
    restored = WindowRecord.model_validate_json(visit.record.model_dump_json())
    assert restored == visit.record
    assert all(isinstance(stage, WindowRecord) for stage in restored.stages)
    assert '"stages"' in visit.record.model_dump_json()
    assert WindowState.model_validate_json(visit.state.model_dump_json()) == visit.state


@staged
def test_a_pipeline_waits_like_any_other_visit(pipeline: Pipeline) -> None:
    assert asyncio.run(pipeline.avisit(WINDOW)) == pipeline.visit(WINDOW)
    assert pipeline.visit(tuple(WINDOW)) == pipeline.visit(list(WINDOW))


@staged
def test_lineage_is_conserved_through_all_stages(pipeline: Pipeline) -> None:
    window = [user(f"order ORD-44710 {PROSE}"), plain(), *WINDOW[1:]]
    visit = pipeline.visit(window)
    validate_messages(visit.messages)
    assert exempt_forms(visit.messages) == exempt_forms(window)
    verdicts = [value.verdict for value in EvidenceIndex(visit.messages).judge("It is ORD-44711.").values]
    assert verdicts == ["undecidable"]


def test_asynchronous_summarizers_are_awaited_in_every_stage() -> None:
    def made(summarizer: Callable[..., object]) -> Pipeline:
        inner = PromptCompactor(0, 1, summarizer=summarizer, model="b")  # type: ignore[arg-type]
        return Pipeline([SummarizeOldest(0, 5, summarizer=summarizer, model="a"), Pipeline([inner])])  # type: ignore[arg-type]

    visit = asyncio.run(made(later).avisit([*talk(6), user(), plain(), plain()]))
    assert visit == made(claim).visit([*talk(6), user(), plain(), plain()])
    assert len(visit.spans) == 2


def test_adjacent_results_of_a_batch_are_told_as_one_seam_or_one_each_and_rebuild_the_window() -> None:
    window = [user("?"), call("a", "b", "c"), *[result(name) for name in "abc"], *loop(2), plain()]
    visit = Pipeline([CLEAR]).visit(window)
    assert sum(seam.count for seam in visit.record.seams) == len(frames_of(visit.messages))
    assert {seam.replacement for seam in visit.record.seams} == {"cleared-result"}
    assert rebuilt(window, visit) == list(visit.messages)


def test_a_cleared_result_right_before_a_dropped_span_left_in_another_way() -> None:
    # The pin holds the turn of the result, whose head is still an observation, and what is behind it is dropped.
    window = [user("the request"), call("a", tool="a"), result("a", tool="a"), *[plain() for _ in range(5)]]
    listening = Listening()
    visit = Pipeline([OffloadLarge(200, 40), SlidingWindow(2)]).visit(window, listener=listening)
    kinds = {message_id(frame): frame_kind(frame) for frame in frames_of(visit.messages)}
    assert set(kinds.values()) == {"cleared-result", "drop-notice"} or set(kinds.values()) == {"cleared-result"}
    evicted = {event.message_index: event.reason for event in listening.heard if isinstance(event, MessageEvicted)}
    assert evicted[2] == "cleared-result"
    assert all(reason != "cleared-result" for index, reason in evicted.items() if index > 2)
    for seam in visit.record.seams:
        assert {kinds[frame] for frame in seam.frames} <= {seam.replacement}


def test_what_a_stage_wrote_and_the_next_one_took_leaves_no_trace_among_the_frames() -> None:
    visit = Pipeline([CLEAR, SlidingWindow(2)]).visit(WINDOW)
    named = {message_id(message) for message in visit.messages}
    assert all(frame in named for seam in visit.record.seams for frame in seam.frames)
    assert visit.record.frame in named
    removed = set(visit.record.removed)
    assert removed <= {message_id(message) for message in WINDOW}


def test_originals_behind_two_stages_are_reached_through_both_spans() -> None:
    visit = Pipeline([CLEAR, SummarizeOldest(0, 2)]).visit(WINDOW)
    (frame,) = (found for found in frames_of(visit.messages) if frame_kind(found) == "summary")
    folded = span_of(frame, visit.spans)
    assert folded is not None
    assert folded.originals is not None
    restored = [
        inner.originals[0] if (inner := span_of(message, visit.spans)) and inner.originals else message
        for message in folded.originals
    ]
    start = visit.record.stages[1].removed_from
    assert start is not None
    assert restored == WINDOW[start : start + folded.message_count]


def test_a_stage_that_was_refused_leaves_the_rest_their_say() -> None:
    pipeline = Pipeline([SummarizeOldest(0, 2, summarizer=failing, model="m"), SlidingWindow(2)])
    visit = pipeline.visit(WINDOW)
    assert outcomes(visit) == ["refused", "removed"]
    assert visit.record.outcome == "removed"
    assert visit.folded is None
    assert visit.record.replacement == "drop-notice"


def test_nothing_changed_is_refused_or_idle_and_the_very_window_comes_back() -> None:
    refused = Pipeline([SummarizeOldest(0, 2, summarizer=failing, model="m"), SlidingWindow(99)]).visit(WINDOW)
    assert refused.messages is WINDOW
    assert refused.record.outcome == "refused"
    assert "summarizer-failed" in reasons(refused.record)
    state = WindowState(latched=("x",), pin_blocks={"last-tool-result": 1})
    idle = Pipeline([SlidingWindow(99), TokenBudget(10**9)]).visit(WINDOW, state=state)
    assert idle.messages is WINDOW
    assert (idle.record.outcome, idle.state) == ("idle", state)
    assert idle.record.seams == ()
    assert outcomes(idle) == ["idle", "idle"]


def test_a_latch_of_one_stage_is_known_to_the_next_and_to_the_next_visit() -> None:
    asked: list[Sequence[Message]] = []

    def verbose(span: Sequence[Message], _: SummaryRequest) -> str:
        asked.append(span)
        return PROSE * 200

    fold = SummarizeOldest(0, 2, summarizer=verbose, model="m")
    pipeline = Pipeline([fold, SlidingWindow(99), fold, Pipeline([fold])])
    first = pipeline.visit(WINDOW)
    assert first.messages is WINDOW
    assert len(asked) == 1
    second = pipeline.visit(WINDOW, state=WindowState.model_validate_json(first.state.model_dump_json()))
    assert len(asked) == 1
    assert second.record.summarizer_skipped == "latched"
    assert len(first.state.latched) == 1


PINNED = [user("the request"), call("a", tool="a"), result("a", tool="a"), plain()]


@pytest.mark.parametrize("stages", [1, 2, 3], ids=lambda stages: f"{stages} stages")
def test_a_pin_is_blocked_by_the_visit_and_not_by_each_stage(stages: int) -> None:
    pipeline = Pipeline([SlidingWindow(1) for _ in range(stages)])
    state, blocked, changed = WindowState(), [], []
    for _ in range(3):
        visit = pipeline.visit(PINNED, state=state)
        state = visit.state
        blocked.append(state.pin_blocks.get("last-tool-result", 0))
        changed.append(visit.changed)
    assert blocked == [1, 2, 0]
    assert changed == [False, False, True]


def test_a_visit_at_which_something_left_blocks_no_pin() -> None:
    window = [user("the request"), plain(), *PINNED[1:]]
    state = WindowState(pin_blocks={"last-tool-result": 1})
    visit = Pipeline([SlidingWindow(1), SlidingWindow(1)]).visit(window, state=state)
    assert visit.changed
    assert "last-tool-result" in reasons(visit.record)
    assert visit.state.pin_blocks == {}


def test_a_pipeline_of_one_stage_does_what_the_stage_does() -> None:
    for stage in (SlidingWindow(2), TokenBudget(0, 2), SummarizeOldest(0, 2), PromptCompactor(0, 2), CLEAR):
        alone, visit = stage.visit(WINDOW), Pipeline([stage]).visit(WINDOW)
        assert (visit.messages, visit.spans, visit.state) == (alone.messages, alone.spans, alone.state)
        differs = {"strategy", "stages"}
        assert visit.record.model_dump(exclude=differs) == alone.record.model_dump(exclude=differs)


def test_nested_pipelines_do_what_a_flat_one_does() -> None:
    flat = Pipeline([OffloadLarge(200, 40), CLEAR, SlidingWindow(3), SlidingWindow(2)])
    nested = Pipeline(
        [Pipeline([OffloadLarge(200, 40), CLEAR]), Pipeline([SlidingWindow(3), Pipeline([SlidingWindow(2)])])]
    )
    one, other = flat.visit(WINDOW), nested.visit(WINDOW)
    assert (one.messages, one.spans, one.state) == (other.messages, other.spans, other.state)
    differs = {"stages"}
    assert one.record.model_dump(exclude=differs) == other.record.model_dump(exclude=differs)
    assert [len(record.stages) for record in other.record.stages] == [2, 2]
    assert [record.strategy for record in other.record.stages[0].stages] == ["offload-large", "clear-tool-results"]


def test_nested_pipelines_lessen_reported_usage_once() -> None:
    saved = COUNTER.total(WINDOW) - COUNTER.total(CLEAR.visit(WINDOW).messages)
    inner, outer = Asked(TokenBudget(10**9)), Asked(TokenBudget(10**9))
    Pipeline([Pipeline([CLEAR, inner]), outer]).visit(WINDOW, measured=90_000)
    assert inner.given[0].measured == outer.given[0].measured == 90_000 - saved


class Staged:
    """A user's own strategy that decides on stages."""

    name = "staged"

    def plan(self, given: StrategyInput, /) -> InStages:
        assert token_trigger(given, threshold=0, counter=COUNTER).over
        return InStages(stages=[CLEAR, SlidingWindow(2)], counter=COUNTER)


def test_a_strategy_of_the_users_own_may_decide_on_stages() -> None:
    visit = run_visit(Staged(), WINDOW)
    same = Pipeline([CLEAR, SlidingWindow(2)]).visit(WINDOW)
    assert visit.record.strategy == "staged"
    assert visit.messages == same.messages
    assert replace(visit, record=same.record) == same


def test_the_tools_whose_results_left_are_told_once() -> None:
    visit = Pipeline([OffloadLarge(200, 40), CLEAR, SlidingWindow(2)]).visit(WINDOW, standings={"c0": "fact"})
    assert visit.record.dropped_observations == ("search",)
    ids = [one.tool_call_id for one in visit.record.dropped_standings]
    assert len(ids) == len(set(ids))
