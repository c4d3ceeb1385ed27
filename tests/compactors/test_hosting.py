"""What every host has in common: a list in, a list out, told apart by what it says."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compaction.talk import Says, Slow

from foldproof import (
    ClearToolResults,
    Compactor,
    ConversationState,
    Gate,
    SlidingWindow,
    SummarizeOldest,
    TokenBudget,
    UsageError,
    exempt_forms,
    parse,
    validate_messages,
)
from foldproof.tokens import default_counter
from foldproof.window import MessageCounter, Strategy
from foldproof_compactors.callback import compactor, list_shape
from foldproof_compactors.hosting import HostedCompactor

Rows = list[dict[str, Any]]

FOLDING = SummarizeOldest(0, 3)


def turn(number: int, name: str = "find") -> Rows:
    call = {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": f'{{"n": {number}}}'}}
    found = json.dumps(
        {"order": f"ORD-{number + 4470}", "left": f"2026-05-{number % 20 + 1:02d}", "note": "lorem ipsum " * 40}
    )
    return [
        {"role": "user", "content": f"Where is order {4470 + number}?"},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": "look it up"},
        {"role": "tool", "tool_call_id": f"call-{number}", "content": found},
        {"role": "assistant", "content": f"It left, number {number}."},
    ]


def talk(turns: int, *, first: int = 1) -> Rows:
    rows = [row for at in range(first, first + turns) for row in turn(at)]
    return [{"role": "system", "content": "You track parcels."}, *rows]


def is_sendable(rows: Sequence[Any]) -> None:
    validate_messages(parse(list(rows), format="openai_chat").messages)
    known = {"role", "content", "tool_calls", "tool_call_id", "reasoning", "name"}
    assert all(row.keys() <= known for row in rows)


def test_what_stays_is_the_callers_own_and_the_list_is_not_changed() -> None:
    rows = talk(6)
    before = deepcopy(rows)
    folded = compactor(FOLDING).fold(rows)
    assert rows == before
    own = [row for row in folded if any(row is given for given in rows)]
    assert len(own) == len(folded) - 1 < len(rows)
    is_sendable(folded)


def test_a_list_that_is_not_folded_is_the_very_list() -> None:
    rows = talk(6)
    assert compactor(TokenBudget(10_000_000)).fold(rows) is rows
    assert compactor(FOLDING).fold([]) == []


def test_a_list_that_grows_is_folded_once_and_its_view_only_grows_at_its_end() -> None:
    hosted, rows = compactor(TokenBudget(600, 3)), talk(6)
    hosted.fold(rows)
    folds = len(hosted.records)
    assert folds == 1
    ahead = list(hosted.fold(rows))
    for number in (7, 8):
        rows += turn(number)[:1]
        view = hosted.fold(rows, measured=10)
        assert list(view[: len(ahead)]) == ahead
        assert list(view[len(ahead) :]) == rows[len(rows) - (len(view) - len(ahead)) :]
        ahead = list(view)
    assert len(hosted.records) == folds


def test_one_compactor_serves_conversations_branches_and_retries() -> None:
    hosted, one, other = compactor(FOLDING), talk(6), talk(6, first=100)
    first, second = list(hosted.fold(one)), list(hosted.fold(other))
    assert list(hosted.fold(one)) == first  # a retry
    assert list(hosted.fold(other)) == second
    branch = [*one, *turn(50)]
    other_branch = [*one, *turn(60)]
    for rows in (branch, other_branch, branch):
        view = hosted.fold(rows)
        is_sendable(view)
        assert view[-1] is rows[-1]
        said = [message.text for message in hosted.state(rows).ledger]
        assert all(str(row["content"]) in said for row in rows if row["content"] is not None)


def test_a_list_whose_past_was_changed_begins_anew() -> None:
    hosted, rows = compactor(FOLDING), talk(6)
    hosted.fold(rows)
    edited = deepcopy(rows)
    edited[1]["content"] = "Where is order 9999?"
    view = hosted.fold(edited)
    is_sendable(view)
    assert "9999" in exempt_forms(hosted.state(edited).messages)
    assert "9999" not in exempt_forms(hosted.state(rows).messages)


@pytest.mark.parametrize("strategy", [SummarizeOldest(600, 3), ClearToolResults(600, 1)], ids=lambda one: one.name)
def test_a_list_that_ends_otherwise_in_each_request_is_folded_once(strategy: Strategy) -> None:
    hosted, rows = compactor(strategy), talk(7)

    def reminded(number: int) -> Rows:
        return [*rows, {"role": "user", "content": f"(it is {number} o'clock)"}]

    ahead = [row for row in hosted.fold(reminded(1)) if not any(row is own for own in rows)]
    assert len(hosted.records) == 1
    for number in (2, 3, 4):
        rows += turn(number + 10)[3:]
        sent = reminded(number)
        view = hosted.fold(sent, measured=1)
        is_sendable(view)
        assert len(hosted.records) == 1
        assert view[-1] is sent[-1]
        assert [row for row in view if not any(row is own for own in sent)] == ahead[:-1]
        said = [message.text for message in hosted.state(sent).ledger]
        assert all(str(row["content"]) in said for row in sent if row["content"] is not None)


def test_a_request_that_was_folded_behind_another_one_is_there_when_it_is_the_latest_again() -> None:
    hosted, rows = compactor(SummarizeOldest(0, 2)), talk(6)
    assert not any(row is rows[1] for row in hosted.fold(rows))
    again = hosted.fold(rows[:4])  # the person went back to the first request
    assert again[1] is rows[1]
    is_sendable(again)


def test_markers_of_a_prompt_cache_may_move_without_a_new_fold() -> None:
    hosted = compactor(TokenBudget(100, 3), format="anthropic_messages")

    def said(number: int, *, marked: bool) -> dict[str, Any]:
        mark = {"cache_control": {"type": "ephemeral"}} if marked else {}
        role = "user" if number % 2 == 0 else "assistant"
        return {"role": role, "content": [{"type": "text", "text": f"words {number} " * 30, **mark}]}

    rows = [said(at, marked=at == 8) for at in range(9)]
    first = hosted.fold(rows)
    assert len(first) < len(rows)
    again = [said(at, marked=at == 10) for at in range(11)]
    view = hosted.fold(again, measured=1)
    assert len(hosted.records) == 1
    assert view[-1] is again[-1]
    assert view[-3] is again[-3]
    assert "cache_control" not in view[-3]["content"][0]


def test_what_is_sent_has_nothing_of_ours_but_words() -> None:
    found = {"order": "ORD-4471", "note": "lorem ipsum " * 60}
    rows: Rows = []
    for number in range(4):
        uses = [{"type": "tool_use", "id": f"t{number}{at}", "name": "find", "input": {"n": at}} for at in (1, 2)]
        said = [{"type": "tool_result", "tool_use_id": use["id"], "content": json.dumps(found)} for use in uses]
        asked = {"role": "user", "content": f"Where is {number}?"}
        answer = {"role": "assistant", "content": [{"type": "text", "text": "There."}]}
        rows += [asked, {"role": "assistant", "content": uses}, {"role": "user", "content": said}, answer]
    for strategy in (SummarizeOldest(0, 3), ClearToolResults(0, 1), SlidingWindow(3)):
        view = compactor(strategy, format="anthropic_messages").fold(rows)
        new = [row for row in view if not any(row is own for own in rows)]
        assert new
        assert all(row.keys() == {"role", "content"} for row in new)
        blocks = [block for row in new if isinstance(row["content"], list) for block in row["content"]]
        known = {"type", "text", "tool_use_id", "content", "id", "name", "input"}
        assert all(block.keys() <= known for block in blocks)


def test_a_host_that_keeps_the_view_goes_on_from_it() -> None:
    hosted = HostedCompactor(Compactor(FOLDING), list_shape("openai_chat"), persistent=True)
    rows: Sequence[Any] = talk(4)
    everything = talk(9)
    for number in range(5, 10):
        rows = hosted.fold([*rows, *turn(number)])
        is_sendable(rows)
    state = hosted.state(rows)
    assert exempt_forms(state.messages) == exempt_forms(parse(everything, format="openai_chat").messages)
    said = [message.text for message in state.ledger]
    assert all(str(row["content"]) in said for row in everything if row["content"] is not None)
    trimmed = [rows[0], *rows[1:2], *turn(20)]  # the host left out what it liked
    assert exempt_forms(hosted.state(trimmed).messages) >= exempt_forms(state.messages[:2])


def test_another_process_goes_on_with_a_saved_state() -> None:
    rows, hosted = talk(6), compactor(FOLDING)
    view = list(hosted.fold(rows))
    saved = hosted.state(rows).model_dump_json(by_alias=True)
    elsewhere = compactor(FOLDING)
    elsewhere.restore(ConversationState.model_validate_json(saved))
    longer = [*rows, *turn(7)]
    assert elsewhere.state(longer) == hosted.state(longer)
    assert list(elsewhere.fold(rows, measured=0))[: len(view)] == view
    with pytest.raises(UsageError, match="pass what state"):
        elsewhere.restore(ConversationState())


def test_usage_that_was_reported_is_what_is_measured_until_something_leaves() -> None:
    hosted, rows = compactor(TokenBudget(5_000, 3)), talk(4)
    assert hosted.fold(rows) is rows
    hosted.reported(rows, 6_000)
    longer = [*rows, *turn(5)]
    assert len(hosted.fold(longer)) < len(longer)
    window = hosted.records[-1].window
    assert window is not None
    since = MessageCounter(default_counter()).total(parse(turn(5), format="openai_chat").messages)
    assert (window.measured_by, window.measured) == ("reported", 6_000 + since)
    assert hosted.fold([*longer, *turn(6)])  # what was reported before the fold says nothing about what is left
    assert len(hosted.records) == 1


@pytest.mark.parametrize("tokens", [0, -1, "900", None])
def test_usage_that_no_request_costs_is_not_noted(tokens: Any) -> None:  # noqa: ANN401 - what some servers report
    hosted, rows = compactor(TokenBudget(400, 3)), talk(4)
    hosted.reported(rows, tokens)
    assert len(hosted.fold(rows)) < len(rows)
    assert hosted.records[-1].window is not None
    assert hosted.records[-1].window.measured_by.startswith("tokenizer:")


def test_a_large_result_counts_before_it_is_reported() -> None:
    hosted, rows = compactor(TokenBudget(5_000, 1)), talk(4)
    assert hosted.fold(rows) is rows
    hosted.reported(rows, 900)
    large = {**turn(5)[2], "content": "4417 lorem ipsum " * 3_000}
    longer = [*rows, *turn(5)[:2], large]
    assert len(hosted.fold(longer)) < len(longer)
    only = compactor(TokenBudget(5_000, 1, counter="reported-only"))
    only.fold(rows)
    only.reported(rows, 900)
    assert only.fold(longer) is longer


def test_usage_of_a_list_that_was_not_sent_from_here_is_not_noted() -> None:
    hosted, rows = compactor(TokenBudget(5_000, 3)), talk(4)
    hosted.reported(rows, 900_000)
    assert hosted.fold(rows) is rows
    assert hosted.records == ()


def test_usage_that_an_item_carries_counts_until_something_leaves_behind_it() -> None:
    hosted, rows = compactor(TokenBudget(5_000, 3)), talk(4)
    hosted.fold(rows, measured=6_000, measured_at=len(rows) - 1)
    assert len(hosted.records) == 1
    hosted.fold([*rows, *turn(5)[:1]], measured=6_000, measured_at=len(rows) - 1)
    assert len(hosted.records) == 1
    hosted.fold([*rows, *turn(5)], measured=6_000, measured_at=len(rows) + 3)
    assert len(hosted.records) == 2


async def _cancelled() -> None:
    slow = Slow()
    hosted, rows = compactor(SummarizeOldest(0, 3, summarizer=slow, model="slow")), talk(6)
    folding = asyncio.create_task(_afold(hosted, rows))
    await slow.began.wait()
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert [record.outcome for record in hosted.records] == ["cancelled"]
    slow.go_on.set()
    assert len(await hosted.afold(rows)) < len(rows)


async def _afold(hosted: HostedCompactor[Any], rows: Rows) -> Sequence[Any]:
    return await hosted.afold(rows)


def test_a_cancelled_fold_changes_nothing_and_the_next_one_folds() -> None:
    asyncio.run(_cancelled())


async def _at_once() -> list[Sequence[Any]]:
    slow = Slow()
    hosted, rows = compactor(SummarizeOldest(0, 3, summarizer=slow, model="slow")), talk(6)
    folding = [asyncio.create_task(_afold(hosted, rows)) for _ in range(3)]
    await slow.began.wait()
    slow.go_on.set()
    return list(await asyncio.gather(*folding))


def test_one_list_at_once_is_folded_alike() -> None:
    views = asyncio.run(_at_once())
    for view in views:
        is_sendable(view)
    assert list(views[0]) == list(views[1]) == list(views[2])


def test_threads_share_one_compactor() -> None:
    hosted, views = compactor(FOLDING), {}

    def run(first: int) -> None:
        rows = talk(3, first=first)
        for number in range(first + 3, first + 10):
            rows += turn(number)
            views[first] = (rows, hosted.fold(rows))

    threads = [threading.Thread(target=run, args=(1000 * at,)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(views) == 6
    for rows, view in views.values():
        is_sendable(view)
        assert exempt_forms(hosted.state(rows).messages) == exempt_forms(parse(rows, format="openai_chat").messages)


def test_what_is_forgotten_is_read_anew() -> None:
    hosted = HostedCompactor(Compactor(FOLDING), list_shape("openai_chat"), remember=1)
    one, other = talk(6), talk(6, first=100)
    for rows in (one, other, one, other):
        is_sendable(hosted.fold(rows))
    assert len(hosted.records) == 4


def test_the_gate_reads_what_was_folded_and_what_the_app_says_beside_the_list() -> None:
    hosted, rows = compactor(Compactor(FOLDING, gate=Gate(posture="guard"))), talk(6)
    hosted.fold(rows)
    assert hosted.review(rows, "ORD-4471 left on 2026-05-02.").outcome == "accepted"
    assert hosted.review(rows, "ORD-9971 left.").outcome == "revise"
    assert hosted.review(rows, "Our desk is 00800-4417.").outcome == "revise"
    assert hosted.review(rows, "Our desk is 00800-4417.", instructions="Say: 00800-4417").outcome == "accepted"


def test_a_summarizer_is_asked_once_for_a_list_that_is_sent_again() -> None:
    asked: list[None] = []
    strategy = SummarizeOldest(0, 3, summarizer=Says(lambda: asked.append(None)), model="says")
    hosted, rows = compactor(strategy), talk(6)
    assert list(hosted.fold(rows)) == list(hosted.fold(rows)) == list(hosted.fold(deepcopy(rows)))
    assert len(asked) == 1


def test_results_are_cleared_in_a_view_and_stay_in_the_list() -> None:
    hosted, rows = compactor(ClearToolResults(0, 1)), talk(6)
    view = hosted.fold(rows)
    assert len(view) == len(rows)
    cleared = [at for at, row in enumerate(view) if "[foldproof cleared result]" in str(row["content"])]
    assert len(cleared) >= 3
    assert all(view[at]["tool_call_id"] == rows[at]["tool_call_id"] for at in cleared)
    assert all(view[at] is rows[at] for at in range(len(rows)) if at not in cleared)
    is_sendable(view)


@given(st.lists(st.sampled_from(["turn", "retry", "report", "edit"]), max_size=14), st.booleans())
def test_law_whatever_a_host_does_its_list_is_valid_and_nothing_the_person_said_is_lost(
    acts: list[str],
    persistent: bool,  # noqa: FBT001 - drawn by name
) -> None:
    strategy = SummarizeOldest(200, 2)
    hosted = HostedCompactor(Compactor(strategy), list_shape("openai_chat"), persistent=persistent)
    rows: list[Any] = talk(2)
    said = exempt_forms(parse(rows, format="openai_chat").messages)
    for number, act in enumerate(acts, start=3):
        if act == "turn":
            rows = [*rows, *turn(number)]
            said |= exempt_forms(parse(turn(number), format="openai_chat").messages)
        elif act == "report":
            hosted.reported(rows, number * 100)
        elif act == "edit" and not persistent:
            rows = [*rows[:-1], {**rows[-1], "content": f"It left, at last, {number}."}]
        view = hosted.fold(rows)
        is_sendable(view)
        assert view[-1] is rows[-1]
        assert exempt_forms(hosted.state(view if persistent else rows).messages) == said
        rows = list(view) if persistent else rows


def test_a_strategy_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="strategy"):
        compactor("fold")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="write one of openai_chat"):
        compactor(SlidingWindow(), format="gemini")  # type: ignore[arg-type]
