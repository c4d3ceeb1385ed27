"""Public reports of windows gone wrong (`cases/window_reports.tsv`), one test a row, by its id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.window.builders import PROSE, call, loop, plain, reasons, result, system, user

from foldproof.messages import Message, frame_kind, message_id, pair, validate_messages
from foldproof.tokens import default_counter
from foldproof.window import (
    MessageCounter,
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    WindowState,
    WindowStrategy,
    total_characters,
)

DROPPERS = [SlidingWindow(2), TokenBudget(0, 2)]
EVERY = [*DROPPERS, SummarizeOldest(0, 2)]
every = pytest.mark.parametrize("strategy", EVERY, ids=lambda strategy: strategy.name)


@every
def test_w01_an_orphan_leaves_with_its_turn_and_stays_on_the_record(strategy: WindowStrategy) -> None:
    orphan = result("A", "cut earlier " * 30)
    window = [user(), call("B"), orphan, result("B"), plain(), user("and now?"), plain()]
    visit = strategy.visit(window)
    assert pair(visit.messages).orphans == ()
    assert message_id(orphan) in visit.record.removed


def test_w02_nothing_is_folded_that_was_not_summarised() -> None:
    def down(_: Sequence[Message], __: SummaryRequest) -> str:
        raise TimeoutError

    window = [user(), *loop(60)]
    visit = SummarizeOldest(0, 5, summarizer=down, model="m").visit(window)
    assert visit.messages is window
    assert "summarizer-failed" in reasons(visit.record)


@every
def test_w03_w52_the_window_opens_on_the_user(strategy: WindowStrategy) -> None:
    for window in (
        [user(), call("x"), result("x"), user(), plain(), user(), plain()],
        [system(), user("hm"), call("x"), result("x"), user(), plain()],
    ):
        visit = strategy.visit(window)
        assert next(message.role for message in visit.messages if message.role != "system") == "user"
        validate_messages(visit.messages)


def test_w03_a_notice_is_written_where_the_window_would_open_on_the_model() -> None:
    pinned = call("x")
    window = [system(), user("hm"), pinned, result("x"), user(), plain()]
    visit = SlidingWindow(2).visit(window, paused=["x"])
    assert visit.messages is window
    assert "replacement-not-smaller" in reasons(visit.record)


@every
def test_w04_w37_the_system_prompt_stays(strategy: WindowStrategy) -> None:
    window = [system(), user(), plain(), system("and be brief"), user(), plain(), user(), plain()]
    visit = strategy.visit(window)
    assert visit.changed
    assert [message.text for message in visit.messages if message.role == "system"] == ["be kind", "and be brief"]


@every
@pytest.mark.parametrize("window", [[], [system()], [system(), system()]], ids=len)
def test_w05_a_window_with_nothing_in_it_comes_back(strategy: WindowStrategy, window: list[Message]) -> None:
    assert strategy.visit(window).messages is window


@every
def test_w07_no_progress_is_refused_and_says_why(strategy: WindowStrategy) -> None:
    ids = [f"c{index}" for index in range(30)]
    window = [user(), call(*ids), *(result(name, "data " * 800) for name in ids)]
    visit = strategy.visit(window)
    assert visit.messages is window
    assert {"current-request", "inside-keep-window"} <= reasons(visit.record) or visit.record.outcome == "idle"


@every
def test_w08_the_current_question_survives_a_long_loop(strategy: WindowStrategy) -> None:
    question = user("what is the fee?")
    visit = strategy.visit([question, *loop(30)])
    assert visit.changed
    assert visit.messages[0] is question


@every
def test_w09_a_batch_leaves_whole(strategy: WindowStrategy) -> None:
    window = [user(), call("1", "2"), result("1", PROSE * 4), result("2"), plain(), user(), plain()]
    visit = strategy.visit(window)
    validate_messages(visit.messages)
    assert visit.changed


@every
def test_w11_the_last_question_is_never_folded(strategy: WindowStrategy) -> None:
    last = user("is that so?")
    visit = strategy.visit([user(), plain(), user(), plain(), last, call("1"), result("1"), plain(), plain()])
    assert any(message is last for message in visit.messages)


def test_w12_a_second_fold_carries_the_first() -> None:
    strategy = SummarizeOldest(0, 2)
    first = strategy.visit([user("my seat is 12A and the order is ORD-44710. " * 9), plain(), user(), plain()])
    second = strategy.visit([*first.messages, *[user(), plain()] * 4], state=first.state)
    frames = [message for message in second.messages if frame_kind(message) == "summary"]
    assert len(frames) == 1
    assert "ORD-44710" in frames[0].text
    assert "ord-44710" in {form.casefold() for form in frames[0].folded_exempt or ()}


@every
def test_w15_w23_a_pair_at_any_distance_is_never_split(strategy: WindowStrategy) -> None:
    talk = [message for _ in range(8) for message in (user(), plain())]
    late = [user(), call("A"), *talk, result("A"), plain()]
    visit = strategy.visit(late)
    assert sum(message.role == "tool" for message in visit.messages) == 1
    assert pair(visit.messages).orphans == ()
    old = [user(), call("A"), user(), result("A"), plain(), user(), plain(), user()]
    gone = strategy.visit(old)
    assert gone.changed
    assert not any(message.role == "tool" or message.tool_calls for message in gone.messages)


def test_w14_the_frame_claims_only_what_was_stored() -> None:
    window = [user(), plain(), user(), plain(), user()]
    kept, discarded = (SummarizeOldest(0, 2, retain=retain).visit(window) for retain in ("conversation", "discard"))
    assert kept.folded is not None
    assert kept.folded.originals == tuple(window[:3])
    assert "originals were handed to the application" in kept.messages[0].text
    assert discarded.folded is not None
    assert discarded.folded.originals is None
    assert "originals were not kept" in discarded.messages[0].text


@every
def test_w24_unknown_parts_are_priced_and_never_fatal(strategy: WindowStrategy) -> None:
    strange = Message.model_validate({"role": "user", "content": [{"type": "hologram", "frames": [None, {"x": 1}]}]})
    window = [strange, plain(), user(), plain(), user()]
    assert strategy.visit(window).changed
    assert MessageCounter(default_counter()).content(strange) == 1_000


@every
def test_w25_a_pending_confirmation_stays(strategy: WindowStrategy) -> None:
    asked = call("confirm", tool="ask_person")
    window = [user(), asked, *[user() for _ in range(6)]]
    visit = strategy.visit(window, pending_check_ins=["confirm"])
    assert any(message is asked for message in visit.messages)
    assert "pending-check-in" in reasons(visit.record)


@every
def test_w27_a_dead_call_does_not_block_and_is_recorded(strategy: WindowStrategy) -> None:
    window = [user(), call("dead"), *[message for _ in range(20) for message in (user(), plain())]]
    visit = strategy.visit(window)
    assert visit.record.dead_calls == ("dead",)
    waiting = strategy.visit([user(), *loop(5), call("open"), *[plain() for _ in range(6)]])
    assert any(message.tool_calls and message.tool_calls[0].id == "open" for message in waiting.messages)
    assert ("open",) in [refusal.call_ids for refusal in waiting.record.refusals]


def test_w30_nothing_is_folded_where_one_turn_spans_all() -> None:
    def never(_: Sequence[Message], __: SummaryRequest) -> str:
        raise AssertionError

    ids = [f"c{index}" for index in range(9)]
    window = [call(*ids), *(result(name) for name in ids)]
    visit = SummarizeOldest(0, 1, summarizer=never, model="m").visit(window)
    assert visit.messages is window
    assert reasons(visit.record) == {"inside-keep-window"}


@every
@pytest.mark.parametrize("keep", [1, 2, 3, 4])
def test_w36_every_target_keeps_pairs_and_a_user_first(strategy: WindowStrategy, keep: int) -> None:
    window = [system(), user(), call("1"), result("1"), user(), plain()]
    resized = type(strategy)(**{**vars_of(strategy), "keep_recent_turns": keep})
    visit = resized.visit(window)
    validate_messages(visit.messages)
    assert [message.role for message in visit.messages][:2] == ["system", "user"]


def vars_of(strategy: WindowStrategy) -> dict[str, Any]:
    names = ("threshold_tokens", "keep_recent_turns")
    return {name: getattr(strategy, name) for name in names if hasattr(strategy, name)}


@every
def test_w40_the_latest_pair_of_the_run_stays_however_big(strategy: WindowStrategy) -> None:
    big = result("x", "row 4417; " * 5_000)
    window = [user(), plain(), user("now look"), call("x"), big, plain(), plain()]
    visit = strategy.visit(window)
    assert any(message is big for message in visit.messages)
    assert "last-tool-result" in reasons(visit.record)


@every
def test_w48_an_id_that_is_used_again_pairs_by_place(strategy: WindowStrategy) -> None:
    window = [user(), *[call("c"), result("c", PROSE)] * 6, plain(), user(), plain()]
    visit = strategy.visit(window)
    validate_messages(visit.messages)
    assert visit.changed


def test_w49_cjk_text_is_counted_and_not_divided_by_four() -> None:
    text = "予約の変更手数料は一万九千円です。" * 20
    counted = MessageCounter(default_counter()).content(user(text))
    assert counted > len(text) / 2
    assert TokenBudget(counted - 1, 1).visit([user(text), plain("はい")]).record.over_budget


def test_w50_a_data_uri_costs_what_a_picture_costs() -> None:
    uri = "data:image/png;base64," + "iVBORw0KGgo" * 300_000
    as_text = user(f"look: {uri}")
    as_part = Message.model_validate({"role": "user", "content": [{"type": "image_url", "image_url": {"url": uri}}]})
    counter = MessageCounter(default_counter())
    assert counter.content(as_part) == 1_000
    assert counter.content(as_text) < 1_010
    assert not TokenBudget(5_000, 1).visit([as_text, as_part, plain()]).record.over_budget


def test_w59_a_summary_longer_than_the_history_is_refused_and_not_asked_for_twice() -> None:
    asked = []

    def verbose(span: Sequence[Message], _: SummaryRequest) -> str:
        asked.append(span)
        return PROSE * 99

    strategy = SummarizeOldest(0, 2, summarizer=verbose, model="m")
    window = [user(), plain(), user(), plain(), user()]
    first = strategy.visit(window)
    second = strategy.visit(window, state=WindowState.model_validate_json(first.state.model_dump_json()))
    assert first.messages is second.messages is window
    assert len(asked) == 1
    assert [visit.record.refusals[-1].reason for visit in (first, second)] == ["replacement-not-smaller"] * 2
    assert second.record.summarizer_skipped == "latched"


@every
def test_w65_a_record_names_exactly_what_left(strategy: WindowStrategy) -> None:
    window = [user(f"{index} {PROSE}") for index in range(9)]
    visit = strategy.visit(window)
    start = visit.record.removed_from
    assert start is not None
    left = window[start : start + visit.record.removed_count]
    assert visit.record.removed == tuple(map(message_id, left))
    assert visit.record.characters_before - total_characters(left) < visit.record.characters_after
