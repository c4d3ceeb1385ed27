"""The pins: what they hold, what it costs them, and when they stand down."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from tests.window.builders import PROSE, call, plain, reasons, result, user

from foldproof.messages import Message
from foldproof.window import SlidingWindow, Visit, WindowState


def turn(name: str, tool: str) -> list[Message]:
    return [call(name, tool=tool), result(name, tool=tool)]


def held(visit: Visit, name: str) -> bool:
    return any(message.tool_call_id == name for message in visit.messages)


def test_the_latest_result_of_each_tool_is_held_newest_first() -> None:
    window = [user(), *turn("a1", "a"), *turn("b1", "b"), *turn("a2", "a"), *turn("c1", "c"), plain()]
    visit = SlidingWindow(1).visit(window)
    assert [held(visit, name) for name in ("a1", "b1", "a2", "c1")] == [False, False, True, True]
    assert visit.record.observations is not None
    assert [pin.tool for pin in visit.record.observations.pinned] == ["c", "a"]
    assert visit.record.observations.yielded == 1
    assert visit.record.observations.pinned[0].characters > len(PROSE)


def test_a_pin_is_free_among_the_recent_turns() -> None:
    window = [user(), *turn("a", "a"), *turn("b", "b"), *turn("x", "x"), *turn("c", "c")]
    visit = SlidingWindow(2).visit(window)
    assert visit.record.observations is not None
    assert [pin.tool for pin in visit.record.observations.pinned] == ["b", "a"]


def test_a_new_request_releases_every_pin() -> None:
    window = [user(), *turn("a", "a"), *turn("b", "b"), user("something else"), plain(), plain()]
    visit = SlidingWindow(1).visit(window, standings={"a": "fact"})
    assert not held(visit, "a")
    assert not held(visit, "b")


def test_a_batch_costs_one_slot() -> None:
    batch = [
        Message.model_validate(
            {"role": "assistant", "toolCalls": [{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]},
        ),
        result("1", tool="a"),
        result("2", tool="b"),
    ]
    visit = SlidingWindow(1, keep_last_tool_results=1).visit([user(), plain(), *batch, plain()])
    assert held(visit, "1")
    assert held(visit, "2")


def test_facts_are_held_and_what_left_is_ranked_by_worth() -> None:
    filed: dict[str, Literal["fact", "open", "noise", "ruled-out"]] = {"1": "noise", "2": "fact", "3": "open"}
    window = [user(), *(m for name in "1234" for m in turn(name, "a")), plain()]
    visit = SlidingWindow(1, keep_last_tool_results=0).visit(window, standings=filed)
    assert "ledger-fact" in reasons(visit.record)
    assert held(visit, "2")
    gone = SlidingWindow(1, keep_last_tool_results=0, keep_ledger_facts=0).visit(window, standings=filed)
    assert [left.tool_call_id for left in gone.record.dropped_standings] == ["2", "3", "4", "1"]


def test_what_never_ran_is_not_held() -> None:
    refused = Message.model_validate(
        {"role": "tool", "toolCallId": "a", "toolName": "a", "content": PROSE, "notDispatched": {"pausedCall": {}}}
    )
    visit = SlidingWindow(1).visit([user(), call("a", tool="a"), refused, plain()])
    assert not held(visit, "a")


@pytest.mark.parametrize("options", [{}, {"standings": {"a": "fact", "b": "fact"}}], ids=["results", "facts too"])
def test_a_pin_that_blocked_two_visits_stands_down_for_one(options: dict[str, Any]) -> None:
    window = [user(), *turn("a", "a"), *turn("b", "b"), plain()]
    strategy, state, outcomes = SlidingWindow(1), WindowState(), []
    for _ in range(3):
        visit = strategy.visit(window, state=state, **options)
        state = WindowState.model_validate_json(visit.state.model_dump_json())
        outcomes.append((visit.changed, visit.record.observations.stand_down if visit.record.observations else None))
    assert outcomes == [(False, False), (False, False), (True, True)]
    assert state.pin_blocks == {}
