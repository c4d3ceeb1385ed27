"""The laws of the window, one test each, over valid and broken conversations and every strategy."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.strategies.cases import cases
from tests.strategies.conversations import conversations, dialogues, valid_conversations
from tests.strategies.visits import CLAIMED, FAILURES, Failure, Says, single_strategies, strategies
from tests.window import laws
from tests.window.builders import plain, system, user
from tests.window.laws import Case, Window

from foldproof.evidence import EvidenceIndex, exempt_forms
from foldproof.messages import OPENINGS, Message, frame_kind, message_ids, pair_server_tools, turns_of
from foldproof.window import (
    ClearToolResults,
    CompactionUnmeasurableError,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SlidingWindow,
    Strategy,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    VisitableStrategy,
    WindowRecord,
    WindowState,
    characters,
    run_visit,
)

law = given(cases)


@law
def test_law_01_pairs(case: Case) -> None:
    laws.law_01_pairs(case)


@law
def test_law_02_request(case: Case) -> None:
    laws.law_02_request(case)


@law
def test_law_03_envelope(case: Case) -> None:
    laws.law_03_envelope(case)


@law
def test_law_04_recent(case: Case) -> None:
    laws.law_04_recent(case)


@law
def test_law_05_span(case: Case) -> None:
    laws.law_05_span(case)


@law
def test_law_06_frames(case: Case) -> None:
    laws.law_06_frames(case)


@law
def test_law_07_record(case: Case) -> None:
    laws.law_07_record(case)


turn_strategies = st.one_of(
    st.builds(SlidingWindow, st.integers(1, 3)),
    *(st.builds(kind, st.just(0), st.integers(1, 3)) for kind in (TokenBudget, SummarizeOldest, PromptCompactor)),
)


@given(conversations, turn_strategies)
def test_law_07_every_turn_that_stays_is_accounted_for(messages: Window, strategy: VisitableStrategy) -> None:
    visit = strategy.visit(messages)
    for _ in messages:  # a summary is asked for once a visit
        visit = visit if visit.changed else strategy.visit(messages, state=visit.state)
    record = visit.record
    if record.outcome != "refused":
        return
    refused = {refusal.turn_index: refusal.reason for refusal in record.refusals}
    reason = None
    for turn in range(len(turns_of(messages))):
        # A span that was chosen and refused is named by its first turn; one without a reason follows such a turn.
        reason = refused.get(turn, reason)
        assert turn in refused or reason in (
            "only-existing-summary",
            "replacement-not-smaller",
            "summarizer-failed",
        )


@given(conversations, st.integers(0, 3))
def test_law_07_every_result_that_stays_is_accounted_for(messages: Window, keep: int) -> None:
    visit = ClearToolResults(0, keep).visit(messages)
    stays = {id(message) for message in visit.messages}
    refused = {refusal.turn_index for refusal in visit.record.refusals}
    for index, turn in enumerate(turns_of(messages) if visit.record.outcome != "idle" else ()):
        turn_results = (message for message in messages[turn.start : turn.stop] if message.role == "tool")
        whole = [message for message in turn_results if frame_kind(message) is None and characters(message)]
        assert index in refused or not any(id(message) in stays for message in whole)


@law
def test_law_08_smaller(case: Case) -> None:
    laws.law_08_smaller(case)


@given(valid_conversations, st.integers(1, 2), st.sampled_from([SummarizeOldest, PromptCompactor]))
def test_law_08_what_is_not_smaller_is_latched(
    messages: Window, keep: int, kind: type[SummarizeOldest | PromptCompactor]
) -> None:
    asked = []

    def verbose(span: Sequence[Message], _: SummaryRequest) -> str:
        asked.append(tuple(message_ids(span)))
        return "more words " * 20_000

    # No pin: one that stands down now and then changes what may leave.
    strategy = kind(0, keep, summarizer=verbose, model="verbose-1", keep_last_tool_results=0)
    state = WindowState()
    for _ in range(len(messages)):  # a summary is asked for once a visit
        visit = strategy.visit(messages, state=state)
        assert visit.messages is messages
        state = WindowState.model_validate_json(visit.state.model_dump_json())
    assert len(set(asked)) == len(asked)
    times = len(asked)
    again = strategy.visit(messages, state=state)
    assert len(asked) == times
    assert not times or again.record.summarizer_skipped in ("latched", "no-room")


@law
def test_law_09_pure(case: Case) -> None:
    laws.law_09_pure(case)


@law
def test_law_10_no_op(case: Case) -> None:
    laws.law_10_no_op(case)


@given(conversations, st.booleans())
def test_law_10_whatever_is_under_its_threshold_does_nothing(messages: Window, as_list: bool) -> None:  # noqa: FBT001
    window: Sequence[Message] = list(messages) if as_list else messages
    large = 10**9
    idle = (
        SlidingWindow(90),
        TokenBudget(large),
        SummarizeOldest(large),
        PromptCompactor(large),
        ClearToolResults(large),
        OffloadLarge(large),
    )
    for strategy in (*idle, Pipeline(idle)):
        visit = strategy.visit(window)
        assert visit.messages is window
        assert not visit.changed
        assert visit.record.outcome == "idle"
    for counting in (TokenBudget(0), SummarizeOldest(0), PromptCompactor(0), ClearToolResults(0)):
        assert counting.visit(window, iteration=0).messages is window


@law
def test_law_11_settle_is_applied(case: Case) -> None:
    laws.law_11_settle_is_applied(case)


@given(conversations, st.sampled_from(FAILURES), st.sampled_from([SummarizeOldest, PromptCompactor]))
def test_law_11_a_summarizer_that_fails_is_asked_again(
    messages: Window, failure: Failure, kind: type[SummarizeOldest | PromptCompactor]
) -> None:
    asked: list[str] = []

    def failing(span: Sequence[Message], request: SummaryRequest) -> str:
        asked.append(failure)
        return Says(failure)(span, request)

    strategy = kind(0, 1, summarizer=failing, model="failing-1")
    visit = strategy.visit(messages)
    assert visit.messages is messages
    assert visit.folded is None
    times = len(asked)
    strategy.visit(messages, state=visit.state)
    assert len(asked) == 2 * times
    assert WindowRecord.model_validate_json(visit.record.model_dump_json()) == visit.record


@pytest.mark.parametrize("kind", [SummarizeOldest, PromptCompactor])
@pytest.mark.parametrize("staged", [False, True], ids=["alone", "behind another stage"])
def test_law_11_a_cancellation_passes_through(kind: type[SummarizeOldest | PromptCompactor], *, staged: bool) -> None:
    async def cancelled(_: Sequence[Message], __: SummaryRequest) -> str:
        raise asyncio.CancelledError

    messages = tuple(Message(role="user", content="words " * 100) for _ in range(6))
    alone = kind(0, 1, summarizer=cancelled, model="m")
    strategy = Pipeline([SlidingWindow(4), alone]) if staged else alone
    before = [message.model_dump_json() for message in messages]
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(strategy.avisit(messages))
    assert [message.model_dump_json() for message in messages] == before


@law
def test_law_12_head(case: Case) -> None:
    laws.law_12_head(case)


@law
def test_law_13_progress(case: Case) -> None:
    laws.law_13_progress(case)


DROPPERS = [
    SlidingWindow(2),
    TokenBudget(500, 2),
    SummarizeOldest(500, 2),
    PromptCompactor(500, 2, target_tokens=300),
    Pipeline([ClearToolResults(400, 1), SummarizeOldest(500, 2)]),
]
CLEARERS = [ClearToolResults(500, 2), OffloadLarge(300, 40), Pipeline([OffloadLarge(300, 40), ClearToolResults(300)])]


def grown(strategy: VisitableStrategy, rounds: list[Window], *, times: int) -> list[Window]:
    """The windows of a run of the model and its tools that never ends: each one as a visit left it."""
    state = WindowState()
    window: Window = (Message(role="system", content="policy"), Message(role="user", content="the request"))
    busy = [message for talk in rounds for message in talk if message.role in ("assistant", "tool")]
    # Server tools that are each answered beside the next one's call hang together and leave together, or never.
    busy = [message for message in busy if not pair_server_tools([message]).halves]
    busy.append(Message(role="assistant", content="thinking aloud " * 40))
    windows = []
    for index in range(times):
        visit = strategy.visit((*window, *busy), state=state, iteration=index + 1)
        state, window = visit.state, tuple(visit.messages)
        windows.append(window)
    return windows


@pytest.mark.parametrize("strategy", DROPPERS, ids=lambda strategy: strategy.name)
@given(st.lists(valid_conversations, min_size=1, max_size=2))
def test_law_13_a_window_does_not_grow_without_bound(strategy: VisitableStrategy, rounds: list[Window]) -> None:
    busy = 1 + sum(message.role in ("assistant", "tool") for talk in rounds for message in talk)
    sizes = [len(window) for window in grown(strategy, rounds, times=16)]
    assert max(sizes[8:]) <= max(sizes[:8]) + 2 * busy


@pytest.mark.parametrize("strategy", CLEARERS, ids=lambda strategy: strategy.name)
@given(st.lists(valid_conversations, min_size=1, max_size=2))
def test_law_13_results_do_not_grow_without_bound(strategy: VisitableStrategy, rounds: list[Window]) -> None:
    def large(messages: Sequence[Message]) -> int:
        """How many results are left that a cleared result is smaller than."""
        return sum(
            message.role == "tool" and frame_kind(message) is None and characters(message) > 600 for message in messages
        )

    last = large(grown(strategy, rounds, times=10)[-1])
    assert last <= 3 + 3 * sum(map(large, rounds))


@law
def test_law_14_prefix(case: Case) -> None:
    laws.law_14_prefix(case)


@given(single_strategies, st.one_of(dialogues, valid_conversations))
def test_law_14_between_two_cuts_a_window_only_grows_at_its_end(strategy: Strategy, messages: Window) -> None:
    window: Window = ()
    last: Sequence[Message] = ()
    state = WindowState()
    for message in messages:
        window = (*window, message)
        case = Case(window, strategy, {"iteration": 1, "state": state})
        laws.law_14_prefix(case)
        assert laws.same(window[: len(last)], last)
        window, state = case.after, case.visit.state
        last = window


@law
def test_law_15_counted(case: Case) -> None:
    laws.law_15_counted(case)


@given(conversations)
def test_law_15_unmeasurable(messages: Window) -> None:
    for kind in (TokenBudget, SummarizeOldest, PromptCompactor, ClearToolResults):
        strategy: VisitableStrategy = kind(0, counter="reported-only")
        assert strategy.visit(messages, iteration=0).messages is messages
        assert strategy.visit(messages, measured=10).record.measured_by == "reported"
        with pytest.raises(CompactionUnmeasurableError):
            strategy.visit(messages)
        with pytest.raises(CompactionUnmeasurableError):
            Pipeline([strategy]).visit(messages)


@law
def test_law_providers(case: Case) -> None:
    laws.law_providers(case)


EVIDENCE_CHECK = Message(role="user", content=f"{OPENINGS['evidence-check']} it said 12A", folded_exempt=("12a",))


@law
@example(Case((EVIDENCE_CHECK, system(), user("ok"), plain("done")), SlidingWindow(1), {"iteration": 1}))
def test_lineage_01_conservation(case: Case) -> None:
    laws.lineage_01_conservation(case)


@given(st.lists(strategies, min_size=3, max_size=3), st.lists(conversations, min_size=1, max_size=3))
def test_lineage_01_conservation_through_nested_folds_and_json(visiting: list[Strategy], rounds: list[Window]) -> None:
    window: Window = ()
    for talk, strategy in zip(rounds, visiting, strict=False):
        window = (*window, *talk)
        visit = run_visit(strategy, window)
        restored = tuple(Message.model_validate_json(message.model_dump_json()) for message in visit.messages)
        assert exempt_forms(restored) == exempt_forms(window)
        window = restored
    assert exempt_forms(window) == exempt_forms([message for talk in rounds[:3] for message in talk])


@law
def test_lineage_02_no_laundering(case: Case) -> None:
    laws.lineage_02_no_laundering(case)


@given(valid_conversations, st.sampled_from([SummarizeOldest, PromptCompactor]))
def test_lineage_02_what_only_a_summary_claims_is_vouched_for_by_nobody(
    messages: Window, kind: type[SummarizeOldest | PromptCompactor]
) -> None:
    visit = kind(0, 1, summarizer=Says("claim"), model="claims-1").visit(messages)
    verdicts: list[Any] = [value.verdict for value in EvidenceIndex(visit.messages).judge(f"It is {CLAIMED}.").values]
    assert verdicts not in (["grounded"], ["exempt"])
    assert CLAIMED.casefold() not in exempt_forms(visit.messages)
