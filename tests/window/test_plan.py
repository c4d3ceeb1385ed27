"""What may leave: cuts in steps, what hangs together, calls that are dead, and what an idle visit does not pay for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import CALL_IDS, conversations
from tests.window.builders import PROSE, call, loop, plain, result, system, user

from foldproof.messages import OPENINGS, Message, frame_kind, is_observation, pair, turns_of
from foldproof.window import SlidingWindow, TokenBudget, guards
from foldproof.window.guards import Guards, Run
from foldproof.window.plan import PlanRemoval, RemovalPlan

Window = tuple[Message, ...]


def planned(
    messages: Sequence[Message],
    keep: int = 1,
    *,
    guards: dict[str, Any] | None = None,
    **how: Any,  # noqa: ANN401 - whatever a plan takes
) -> RemovalPlan:
    how = {"keep_last_tool_results": 0, "keep_ledger_facts": 0} | how
    return PlanRemoval(Guards(messages, **(guards or {})))(keep_recent_turns=keep, **how)


def leaves(messages: Sequence[Message], keep: int = 1, **how: Any) -> list[tuple[int, int]]:  # noqa: ANN401 - as above
    return [(run.start, run.stop) for run in planned(messages, keep, **how).runs]


def told(found: RemovalPlan, reason: str) -> list[tuple[int, str | None]]:
    return [(refusal.turn_index, refusal.detail) for refusal in found.refusals if refusal.reason == reason]


def notice(text: str = "earlier") -> Message:
    return user(f"{OPENINGS['drop-notice']} 3 messages left the window ({text}).")


def reasoning(*, in_content: bool = False) -> Message:
    if in_content:
        return Message.model_validate({"role": "assistant", "content": [{"type": "thinking", "text": "hm"}]})
    return Message.model_validate({"role": "assistant", "content": "", "thinkingBlocks": [{"thinking": "hm"}]})


def pending(name: str) -> Message:
    return result(name, "pending")


def not_dispatched(name: str) -> Message:
    return result(name).model_copy(update={"not_dispatched": {"pausedCall": {}}})


# Cuts in steps


@pytest.mark.parametrize(
    ("old", "cut_every", "leaving"), [(7, 1, 7), (7, 2, 6), (7, 3, 6), (7, 7, 7), (7, 8, 0), (3, 4, 0), (8, 4, 8)]
)
def test_a_whole_multiple_of_the_step_leaves(old: int, cut_every: int, leaving: int) -> None:
    window = [system(), user("do it"), *(plain() for _ in range(old)), plain("recent")]
    found = planned(window, cut_every=cut_every)
    assert found.runs == ((Run(2, 2 + leaving, 2),) if leaving else ())
    detail = f"{old - leaving} of {cut_every} turns towards the next cut"
    inside = told(found, "inside-keep-window")
    assert inside == [*((turn, detail) for turn in range(2 + leaving, 2 + old)), (2 + old, None)]


def test_the_prefix_stays_for_several_turns() -> None:
    prefixes = []
    for old in range(1, 13):
        window = [system(), user("do it"), *(plain(f"step {at} {PROSE}") for at in range(old)), plain()]
        visit = SlidingWindow(1).visit(window)
        assert visit.changed
        prefixes.append([run.stop for run in planned(window, cut_every=4).runs])
    assert prefixes == [[]] * 3 + [[6]] * 4 + [[10]] * 4 + [[14]]


def test_frames_are_not_counted_and_leave_with_the_others() -> None:
    window = [user("do it"), notice(), plain(), plain(), notice("later"), plain(), plain()]
    assert leaves(window, cut_every=2) == [(1, 5)]
    assert leaves(window, cut_every=3) == [(1, 6)]
    assert leaves(window, cut_every=4) == []
    assert leaves([user("do it"), notice(), plain()], cut_every=2) == []
    assert {detail for _, detail in told(planned(window, cut_every=4), "inside-keep-window")} == {
        "3 of 4 turns towards the next cut",
        None,
    }


def test_every_run_is_cut_in_steps_from_its_own_start_but_one_that_can_not_grow_leaves_whole() -> None:
    window = [plain(), plain(), plain(), call("held"), result("held"), plain(), plain(), plain(), plain()]
    assert leaves(window, cut_every=2, guards={"paused": frozenset(["held"])}) == [(0, 2), (5, 7)]
    closed = [plain(), plain(), plain(), system(), plain(), system(), plain(), plain(), plain(), plain()]
    assert leaves(closed, cut_every=2) == [(0, 3), (4, 5), (6, 8)]


def test_a_cut_never_parts_a_call_from_its_late_result() -> None:
    late = [call("late"), plain(), plain(), plain(), plain(), result("late"), plain()]
    window = [user("do it"), *late]
    assert leaves(window) == [(1, 7)]
    # Five turns; the fourth cut would leave the result behind, so the call stays too, and nothing before it is a step.
    assert leaves(window, cut_every=4) == []
    assert leaves([user("do it"), plain(), plain(), *late], cut_every=2) == [(1, 3), (4, 6)]


@given(conversations, st.integers(1, 4), st.integers(1, 3), st.lists(st.sampled_from(CALL_IDS), max_size=1))
def test_law_cuts_in_steps(messages: Window, cut_every: int, keep: int, paused: list[str]) -> None:
    guards = {"paused": frozenset(paused)}
    whole = planned(messages, keep, guards=guards)
    found = planned(messages, keep, guards=guards, cut_every=cut_every)
    if cut_every == 1:
        assert found == whole
    turns = turns_of(messages)
    gone = {index for run in found.runs for index in range(run.start, run.stop)}
    assert gone <= {index for run in whole.runs for index in range(run.start, run.stop)}
    for run in found.runs:
        heads = [messages[turn.start] for turn in turns if run.start <= turn.start < run.stop]
        counted = [head for head in heads if frame_kind(head) not in ("summary", "drop-notice")]
        closed = messages[run.stop : run.stop + 1] and messages[run.stop].role == "system"
        assert closed or len(counted) % cut_every == 0
        assert closed or counted or cut_every == 1
        assert turns[run.turn_index].start == run.start
    assert all((index in gone) == (at.message in gone) for index, at in pair(messages).call_of.items())
    refused = {refusal.turn_index for refusal in found.refusals}
    left = {turn for turn, (start, _) in enumerate(turns) if start in gone}
    assert refused | left == set(range(len(turns)))
    assert not refused & left


# What hangs together


@pytest.mark.parametrize("in_content", [False, True])
def test_reasoning_and_what_it_led_to_leave_together(in_content: bool) -> None:  # noqa: FBT001
    thought = reasoning(in_content=in_content)
    assert leaves([user("do it"), plain(), thought, call("a"), result("a"), plain()]) == [(1, 5)]
    found = planned([user("do it"), plain(), thought, call("a"), result("a"), plain()], 2)
    assert [(run.start, run.stop) for run in found.runs] == [(1, 2)]
    assert told(found, "unresolved-tool-call") == [(2, "paired with turn 3, which stays")]


def test_a_chain_of_reasoning_leaves_as_one() -> None:
    window = [user("do it"), plain(), reasoning(), reasoning(), plain("so"), plain()]
    assert leaves(window) == [(1, 5)]
    assert leaves(window, 2) == [(1, 2)]
    assert leaves([user("do it"), plain(), reasoning(), user("next"), plain()], 2) == [(0, 3)]


def test_reasoning_with_words_of_its_own_needs_nobody() -> None:
    spoken = reasoning().model_copy(update={"content": "so it is"})
    assert leaves([user("do it"), spoken, plain(), plain()], 2) == [(1, 2)]


def test_pairs_across_pairs_are_refused_together_whichever_side_is_held() -> None:
    # Each call is answered behind the next call, so a turn that stays at one end holds every pair up to the other.
    pairs = [(call(f"c{at}"), plain(), result(f"c{at - 1}")) for at in range(1, 9)]
    window = [user(), call("c0"), plain(), *(message for pair in pairs for message in pair), plain(), result("c8")]
    assert leaves([*window, plain()]) == [(1, len(window))]
    for paused in ("c0", "c8"):
        found = planned([*window, plain()], guards={"paused": frozenset({paused})})
        gone = [index for run in found.runs for index in range(run.start, run.stop)]
        assert not any(window[index].tool_calls for index in gone)
        assert not any(window[index].role == "tool" for index in gone)


def test_a_refusal_names_a_few_of_the_turns_it_is_about() -> None:
    window = [user(), *(call(f"c{at}") for at in range(8)), *(result(f"c{at}") for at in range(8))]
    details = dict(told(planned(window), "unresolved-tool-call"))
    assert details[1] == "paired with turn 2, 3, 4, 5 and 3 more, which stays"
    assert details[7] == "paired with turn 1, 2, 3, 4 and 3 more, which stays"


# Several results of one call


def test_a_pending_and_a_final_result_leave_together_or_stay_together() -> None:
    talk = [call("a"), pending("a"), plain(), plain(), result("a"), plain()]
    window = [user("do it"), *talk, plain("recent")]
    assert leaves(window) == [(1, 7)]
    found = planned(window, 3)
    assert found.runs == (Run(3, 4, 2),)
    assert told(found, "unresolved-tool-call") == [(1, "paired with turn 3, which stays")]
    held = planned(window, guards={"pending_check_ins": frozenset({"a"})})
    assert [(run.start, run.stop) for run in held.runs] == [(3, 4), (6, 7)]


def test_the_pin_takes_the_final_result() -> None:
    window = [user("do it"), call("a"), pending("a"), plain(), plain(), result("a"), plain(), plain("recent")]
    found = planned(window, keep_last_tool_results=1)
    assert [held.turn_index for held in found.observations.pinned] == [3]
    assert found.observations.yielded == 0
    assert told(found, "last-tool-result") == [(3, "search")]
    assert told(found, "unresolved-tool-call") == [(1, "paired with turn 3, which stays")]
    assert [(run.start, run.stop) for run in found.runs] == [(3, 4), (6, 7)]


# Calls that wait, and calls that are dead


def test_a_call_that_waits_is_held_until_the_person_has_talked_past_it() -> None:
    waiting = [user("do it"), plain(), call("a"), plain()]
    assert told(planned(waiting), "unresolved-tool-call") == [(2, None)]
    assert leaves(waiting) == [(1, 2)]
    past = [*waiting, user("never mind"), plain()]
    assert leaves(past, 2) == [(0, 4)]
    assert Guards(past).dead_calls(Run(0, 4, 0)) == ("a",)
    assert Guards(past).dead_calls(Run(0, 2, 0)) == ()


def test_a_message_that_the_app_delivered_closes_no_call() -> None:
    delivered = user("a reminder").model_copy(update={"injected_by": "app"})
    window = [user("do it"), plain(), call("a"), delivered, plain(), plain()]
    assert told(planned(window), "unresolved-tool-call") == [(2, None)]


def test_a_call_whose_only_answer_was_not_dispatched_is_answered_on_the_wire() -> None:
    window = [user("do it"), call("a"), not_dispatched("a"), plain(), plain()]
    found = planned(window, keep_last_tool_results=2)
    assert found.observations.pinned == ()
    assert [(run.start, run.stop) for run in found.runs] == [(1, 4)]
    assert Guards(window).unanswered == ()


def test_a_dead_call_does_not_hold_the_window_for_ever() -> None:
    window: Sequence[Message] = [user("do it"), call("dead")]
    for at in range(6):
        window = SlidingWindow(2).visit([*window, user(f"{at} {PROSE}"), plain()]).messages
    assert not any(message.tool_calls for message in window)


@given(conversations)
def test_guards_answer_alike_whether_the_window_is_tidy_or_not(messages: Window) -> None:
    guards, slow = Guards(messages), Guards(messages)
    slow.__dict__["tidy"] = False
    assert guards.unanswered == slow.unanswered == pair(messages).unanswered
    assert PlanRemoval(guards)(keep_recent_turns=1) == PlanRemoval(slow)(keep_recent_turns=1)
    assert tuple(map(guards.turn, range(len(guards.starts)))) == guards.turns == turns_of(messages)


@given(conversations)
def test_the_tools_of_a_run_are_those_of_its_observations(messages: Window) -> None:
    guards = Guards(messages)
    for turn, (start, stop) in enumerate(guards.turns):
        observed = [index for index in range(start, stop) if is_observation(messages[index])]
        assert guards.tools_in(Run(start, stop, turn)) == tuple(
            dict.fromkeys(tool for index in observed if (tool := guards.tool_of(index)) is not None)
        )


def test_a_result_that_does_not_name_its_tool_is_of_the_tool_that_was_called() -> None:
    nameless = result("a").model_copy(update={"tool_name": None})
    window = [call("a", tool="look"), nameless, call("b"), result("b"), call("c"), result("c"), not_dispatched("d")]
    assert Guards(window).tools_in(Run(0, 7, 0)) == ("look", "search")


# What an idle visit pays for


def test_an_idle_visit_plans_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        pytest.fail("an idle visit asked for it")

    for name in ("pair", "is_tidy", "turn_starts", "turns_of"):
        monkeypatch.setattr(guards, name, fail)
    window = [user("do it"), *loop(3)]
    assert not TokenBudget(10**9).visit(window).changed
    monkeypatch.undo()
    for name in ("pair", "is_tidy", "turns_of"):
        monkeypatch.setattr(guards, name, fail)
    assert not SlidingWindow(50).visit(window).changed


def test_a_tidy_window_is_planned_without_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "pair", lambda _: pytest.fail("nobody needs the pairs"))
    assert SlidingWindow(2).visit([user("do it"), *loop(9)]).changed


def test_a_span_that_gives_way_is_still_a_whole_step() -> None:
    window = [user(), plain(), user(), plain(), user("the request"), plain()]
    for cut_every, left in ((1, 3), (3, 3), (4, 0)):
        visit = SlidingWindow(1, cut_every=cut_every, keep_last_tool_results=0).visit(window, provider="chat_template")
        assert visit.record.removed_count == left
