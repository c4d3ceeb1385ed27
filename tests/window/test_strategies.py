"""Options, and a strategy of the user's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.window.builders import call, loop, plain, reasons, result, user

from foldproof.errors import UsageError
from foldproof.messages import Message
from foldproof.window import (
    Decision,
    SlidingWindow,
    StrategyInput,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    arun_visit,
    run_visit,
    turn_trigger,
)

WINDOW = [user(), *loop(9), plain()]


def claim(_: Sequence[Message], __: SummaryRequest) -> str:
    return "a claim"


async def later(_: Sequence[Message], __: SummaryRequest) -> str:
    await asyncio.sleep(0)
    return "a claim"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: SlidingWindow(0), "keep_recent_turns is 0; write a whole number, 1 or more"),
        (lambda: SlidingWindow(keep_recent_turns=True), "keep_recent_turns is True"),
        (lambda: SlidingWindow(keep_last_tool_results=-1), "keep_last_tool_results is -1"),
        (lambda: SlidingWindow(keep_ledger_facts=1.5), "keep_ledger_facts is 1.5"),  # type: ignore[arg-type]
        (lambda: TokenBudget(-1), "threshold_tokens is -1; write a whole number, 0 or more"),
        (lambda: TokenBudget(1, counter=len), "counter is <built-in function len>"),  # type: ignore[arg-type]
        (lambda: SummarizeOldest(1, 0), "keep_recent_turns is 0"),
        (lambda: SummarizeOldest(1, summarizer=claim), "pass model='...'"),
        (lambda: SummarizeOldest(1, summarizer=claim, model=" "), "pass model='...'"),
        (lambda: SummarizeOldest(1, summarizer="gpt", model="gpt"), "pass a callable"),  # type: ignore[arg-type]
        (lambda: SummarizeOldest(1, model="gpt"), "pass its summarizer too"),
        (lambda: SummarizeOldest(1, retain="nowhere"), 'write "conversation" or "discard"'),  # type: ignore[arg-type]
        (lambda: SlidingWindow().visit([{"role": "user"}]), "messages[0] is {'role': 'user'}"),  # type: ignore[list-item]
        (lambda: SlidingWindow().visit(WINDOW, iteration=-1), "iteration is -1"),
        (lambda: TokenBudget(1).visit(WINDOW, measured=-5), "measured is -5"),
        (lambda: TokenBudget(1).visit(WINDOW, paused="c1"), "paused is one string"),
        (lambda: SummarizeOldest(0, 1, summarizer=later, model="m").visit(WINDOW), "call avisit"),
    ],
)
def test_a_wrong_call_says_what_to_write(make: Callable[[], object], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        make()
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_options_by_place_and_by_name() -> None:
    assert SlidingWindow(3) == SlidingWindow(keep_recent_turns=3)
    assert TokenBudget(10, 3) == TokenBudget(threshold_tokens=10, keep_recent_turns=3)
    assert SummarizeOldest(10, 3) == SummarizeOldest(threshold_tokens=10, keep_recent_turns=3)
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
