"""Options, and a strategy of the user's own."""

from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.window.builders import call, claim, every, later, loop, plain, reasons, result, user

from foldproof.messages import Message
from foldproof.window import (
    ClearToolResults,
    Decision,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SlidingWindow,
    StrategyInput,
    SummarizeOldest,
    TokenBudget,
    VisitableStrategy,
    arun_visit,
    run_visit,
    turn_trigger,
)

WINDOW = [user(), *loop(9), plain()]


def test_options_by_place_and_by_name() -> None:
    assert SlidingWindow(3) == SlidingWindow(keep_recent_turns=3)
    assert TokenBudget(10, 3) == TokenBudget(threshold_tokens=10, keep_recent_turns=3)
    assert SummarizeOldest(10, 3) == SummarizeOldest(threshold_tokens=10, keep_recent_turns=3)
    assert PromptCompactor(10, 3) == PromptCompactor(threshold_tokens=10, keep_recent_turns=3)
    assert ClearToolResults(10, 1, ["a"]) == ClearToolResults(threshold_tokens=10, keep=1, exclude=["a"])
    assert OffloadLarge(10, 3) == OffloadLarge(threshold_characters=10, head_characters=3)
    assert Pipeline([SlidingWindow()]) == Pipeline(stages=[SlidingWindow()])
    with pytest.raises(TypeError):
        TokenBudget(10, 3, 2)  # type: ignore[call-arg]


def test_a_summarizer_may_be_asynchronous() -> None:
    visit = asyncio.run(SummarizeOldest(0, 1, summarizer=later, model="m").avisit(WINDOW))
    assert visit.folded is not None
    assert visit.folded.model == "m"
    assert visit == SummarizeOldest(0, 1, summarizer=claim, model="m").visit(WINDOW)


def test_reported_usage_wins_over_counting() -> None:
    record = TokenBudget(100, 1).visit(WINDOW, measured=99).record
    assert (record.outcome, record.measured_by, record.measured) == ("idle", "reported", 99)
    assert TokenBudget(100, 1).visit(WINDOW, measured=101, iteration=0).changed


@every
def test_a_strategy_may_be_shared_between_threads_and_kept(strategy: VisitableStrategy) -> None:
    with ThreadPoolExecutor(4) as threads:
        visits = list(threads.map(strategy.visit, [WINDOW] * 8))
    assert all(visit == visits[0] for visit in visits)
    assert pickle.loads(pickle.dumps(strategy)).visit(WINDOW) == visits[0]  # noqa: S301 - pickled right here
    assert copy.deepcopy(strategy).visit(WINDOW) == visits[0]


class Greedy:
    """A user's own strategy: wants everything gone, and a few turns in particular."""

    name = "greedy"

    def __init__(self, wanted: Any = None) -> None:  # noqa: ANN401 - a container of turn indices
        self.wanted = wanted

    def plan(self, given: StrategyInput, /) -> Decision:
        removal = given.plan_removal(keep_recent_turns=0, keep_last_tool_results=0, wanted=self.wanted)
        return Decision(trigger=turn_trigger(given, threshold=0), removal=removal)


def test_a_users_own_strategy_inherits_every_refusal() -> None:
    window = [
        Message(role="system", content="be kind"),
        *loop(3),
        call("held"),
        result("held"),
        user("?"),
        plain(),
        call("open"),
        plain(),
    ]
    visit = run_visit(Greedy(), window, paused=["held"])
    assert visit.record.strategy == "greedy"
    assert visit.record.removed_count == 6
    assert reasons(visit.record) == {
        "current-request",
        "system-envelope",
        "paused-tool",
        "unresolved-tool-call",
        "inside-keep-window",
    }
    assert asyncio.run(arun_visit(Greedy(), window, paused=["held"])) == visit


def test_a_strategy_may_want_less() -> None:
    visit = run_visit(Greedy(wanted=range(3, 6)), WINDOW)
    assert (visit.record.removed_from, visit.record.removed_count) == (5, 6)


def test_an_exact_request_is_kept_in_place_of_the_latest_words() -> None:
    first, second = user("the request"), user("a remark")
    visit = SlidingWindow(1).visit([first, plain(), second, plain(), plain()], request="the request")
    assert any(message is first for message in visit.messages)
    assert not any(message is second for message in visit.messages)
