"""Options, and a strategy of the user's own."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.window.builders import PROSE, call, claim, every, later, loop, plain, reasons, result, user

from foldproof.errors import UsageError
from foldproof.messages import Message
from foldproof.tokens import default_counter
from foldproof.window import (
    WIRE_RULES,
    Clear,
    ClearToolResults,
    Decision,
    MessageCounter,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SlidingWindow,
    StrategyInput,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    VisitableStrategy,
    WindowState,
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


def test_the_request_is_found_whatever_white_space_is_around_it_and_missed_by_name() -> None:
    task = user("do the big task 55123\n")
    window = [task, plain(), user("a remark"), plain(), plain()]
    assert any(message is task for message in SlidingWindow(1).visit(window, request="do the big task 55123").messages)
    missed = SlidingWindow(1).visit(window, request="another task").record
    (refusal,) = [refusal for refusal in missed.refusals if refusal.reason == "current-request"]
    assert refusal.message_index == 2
    assert refusal.detail == "the text given as request is nowhere; this is what the person said last"


def test_naming_a_provider_never_opens_the_window_on_the_model() -> None:
    window = [user("hi"), plain("Hello!"), user("now do it"), plain("done")]
    for provider in WIRE_RULES:
        visit = SlidingWindow(3).visit(window, provider=provider)
        assert visit.messages[0].role == "user"


def test_a_summary_is_asked_for_once_a_visit() -> None:
    asked: list[int] = []

    def verbose(span: Sequence[Message], _: SummaryRequest) -> str:
        asked.append(len(span))
        return PROSE * 99

    mode = Message(role="system", content="mode")
    window = [message for index in range(20) for message in (mode, user(f"{index} {PROSE}"), plain())]
    strategy, state = SummarizeOldest(0, 1, summarizer=verbose, model="m"), WindowState()
    for visits in range(1, 6):
        state = strategy.visit(window, state=state).state
        assert len(asked) == visits


def test_a_pin_that_keeps_a_window_over_its_budget_stands_down_too() -> None:
    big = result("big", "row 99123 " * 4_000, tool="big")
    window: Sequence[Message] = [user("go"), call("big", tool="big"), big]
    strategy, state = TokenBudget(2_000, 2), WindowState()
    for index in range(6):
        window = [*window, call(f"f{index}"), result(f"f{index}", PROSE)]
        visit = strategy.visit(window, state=state)
        window, state = visit.messages, visit.state
    assert big not in window
    assert MessageCounter(default_counter()).total(window) < 2_000


def test_a_result_that_was_overtaken_may_leave_and_the_call_and_the_last_stay_together() -> None:
    asked, first = call("job", tool="job"), result("job", "progress 0", tool="job")
    window: Sequence[Message] = [user("go"), asked, first]
    strategy, state = TokenBudget(500, 3), WindowState()
    for index in range(60):
        window = [*window, plain(f"still running {PROSE}"), result("job", f"progress {index + 1}", tool="job")]
        visit = strategy.visit(window, state=state)
        window, state = visit.messages, visit.state
    assert len(window) < 30
    assert any(message is asked for message in window)
    assert window[-1].text == "progress 60"


class Mismatched:
    """Takes the plan of one thing for another."""

    name = "mismatched"

    def __init__(self, *, clears: bool) -> None:
        self.clears = clears

    def plan(self, given: StrategyInput, /) -> Decision:
        trigger = turn_trigger(given, threshold=0)
        if self.clears:
            return Decision(trigger=trigger, removal=given.plan_removal(keep_recent_turns=1), how=Clear())
        wanted = given.plan_clearing.results()
        return Decision(trigger=trigger, removal=given.plan_clearing(keep=1, wanted=wanted))


@pytest.mark.parametrize("clears", [True, False])
def test_a_plan_and_what_becomes_of_it_have_to_fit(clears: bool) -> None:  # noqa: FBT001
    with pytest.raises(UsageError, match=r"mismatched.*take the plan from given\.plan_"):
        run_visit(Mismatched(clears=clears), WINDOW)


def test_what_one_summarizer_was_refused_another_may_still_do() -> None:
    window = [user(), plain(), user(), plain()]

    def verbose(_: Sequence[Message], __: SummaryRequest) -> str:
        return PROSE * 99

    refused = SummarizeOldest(0, 1, summarizer=verbose, model="verbose-1").visit(window)
    assert refused.state.latched
    assert SummarizeOldest(0, 1, summarizer=claim, model="claims-1").visit(window, state=refused.state).changed
