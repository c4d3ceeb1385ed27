"""The words of the frames."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pydantic import JsonValue
from tests.window.builders import (
    PROSE,
    REMOVERS,
    call,
    folders,
    frames_of,
    holds,
    loop,
    name_of,
    plain,
    reasons,
    removers,
    result,
    system,
    user,
)

from foldproof.evidence import EvidenceIndex
from foldproof.messages import (
    OPENINGS,
    STAMP,
    Message,
    author_of,
    folded_messages,
    folded_observations,
    frame_kind,
    message_id,
)
from foldproof.window import (
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    VisitableStrategy,
    WindowState,
    span_of,
)


def test_the_summary_frame_says_what_it_is() -> None:
    def claim(_: Sequence[Message], __: SummaryRequest) -> str:
        return "They spoke.\n\nAt length."

    window = [user(), plain(), user(), plain(), user()]
    visit = SummarizeOldest(0, 2, summarizer=claim, model="claims\n-1").visit(window, iteration=7)
    frame = visit.messages[0]
    assert frame.text == (
        "[foldproof summary frame] 3 messages folded at iteration 7 by claims -1. "
        "The originals were handed to the application. The text below is a claim about them:"
        "\n\nThey spoke.\n\nAt length."
    )
    assert (frame.role, frame_kind(frame), author_of(frame)) == ("user", "summary", "library")
    assert visit.record.summary_characters == 23


def test_the_drop_notice_names_plain_tools_only_and_at_most_four() -> None:
    names = ["read", "a name", "x" * 49, "b.c", "d-e", "f_g", "h"]
    calls = [m for at, name in enumerate(names) for m in (call(str(at), tool=name), result(str(at), tool=name))]
    visit = SlidingWindow(1, keep_last_tool_results=0).visit([user(), *calls, plain()])
    assert visit.messages[1].text == (
        "[foldproof drop notice] 14 messages left the window (sliding-window). The current request is kept. "
        "Results left: read, b.c, d-e, f_g."
    )


def test_the_ladder_of_notices() -> None:
    def replacement(size: int) -> str | None:
        window = [call("c", tool="reader"), result("c", "w " * size, tool="reader"), plain(), user("?"), plain()]
        return SlidingWindow(2).visit(window[:2] + window[3:]).record.replacement

    assert [replacement(size) for size in (200, 55, 2)] == ["drop-notice", "drop-notice", None]
    assert SlidingWindow(2).visit([plain("ok"), user("?"), plain()]).record.replacement == "none"


def test_a_span_with_lineage_needs_its_notice() -> None:
    window = [user("my order is ORD-44710"), plain("ok"), user("?"), plain()]
    visit = SlidingWindow(2).visit(window)
    assert visit.messages is window
    assert "replacement-not-smaller" in reasons(visit.record)


def test_notices_do_not_pile_up() -> None:
    strategy, state = SlidingWindow(2), WindowState()
    window: Sequence[Message] = [system(), user("code AB-1234 " + PROSE), plain()]
    said = 0
    for index in range(6):
        window = [*window, user(f"item {index}000 {PROSE}"), plain()]
        visit = strategy.visit(window, state=state)
        window, state = visit.messages, visit.state
        said = index
    notices = [message for message in window if frame_kind(message) == "drop-notice"]
    assert len(notices) == 1
    assert notices[0].text.startswith(f"{OPENINGS['drop-notice']} {2 * said + 2} messages left")
    assert "ab-1234" in {form.casefold() for form in notices[0].folded_exempt or ()}


def test_a_frame_without_lineage_has_no_lineage_field() -> None:
    visit = SlidingWindow(1, keep_last_tool_results=0).visit([user("go on"), *loop(4), plain()])
    frame = visit.messages[1]
    assert frame_kind(frame) == "drop-notice"
    assert "foldedExempt" not in frame.model_dump_json()


def test_a_lone_frame_is_not_folded_again() -> None:
    frame = Message(role="user", content=f"{OPENINGS['summary']} it was said\n\n{PROSE}")
    window = [frame, user("?"), plain(), plain()]
    for strategy in (SlidingWindow(2), SummarizeOldest(0, 2)):
        visit = strategy.visit(window)
        assert visit.messages is window
        assert "only-existing-summary" in reasons(visit.record)


def test_what_stands_behind_a_refused_span_may_leave() -> None:
    window = [user("ORD-44710"), system("in the middle"), user(), plain(), user(), plain()]
    visit = SlidingWindow(2).visit(window)
    assert list(visit.messages[:2]) == window[:2]
    assert visit.record.removed_count == 2
    assert "replacement-not-smaller" in reasons(visit.record)


def test_a_frame_names_the_results_it_took_so_that_nobody_is_accused_for_want_of_them() -> None:
    window = [user(), call("1"), result("1", f'{{"order": "ORD-44710"}} {PROSE}'), plain(), user(), plain(), user()]
    for strategy in (SlidingWindow(2), SummarizeOldest(0, 2)):
        visit = strategy.visit(window)
        again = strategy.visit([*visit.messages, plain(PROSE), user(), plain()], state=visit.state)
        for folded in (visit, again):
            frame = next(message for message in folded.messages if frame_kind(message))
            assert folded_observations(frame) == (message_id(window[2]),)
            assert EvidenceIndex(folded.messages).judge("ORD-44711").values[0].verdict == "undecidable"
            assert EvidenceIndex([*window, frame]).judge("ORD-44711").values[0].verdict == "invented"


def test_a_frame_that_absorbed_one_of_another_system_does_not_claim_to_know_what_it_took() -> None:
    foreign = user("earlier talk " + PROSE).model_copy(update={"folded_exempt": ("44710",)})
    visit = SlidingWindow(1).visit([user("hi " + PROSE), foreign, plain(PROSE), user(), plain()])
    frame = next(message for message in visit.messages if frame_kind(message))
    assert frame is not foreign
    assert folded_observations(frame) is None


@removers
def test_whoever_quotes_a_frame_is_who_they_were(strategy: VisitableStrategy) -> None:
    frame = frames_of(SummarizeOldest(0, 1).visit([user(), plain(), user(), plain()]).messages)[0]
    quoting = user(f"what does this mean: {frame.text}")
    visit = strategy.visit([user(), *loop(4), plain(), quoting, plain(), plain()])
    assert author_of(quoting) == "person"
    assert holds(visit.messages, quoting)


@folders
def test_a_copy_of_a_frames_words_joins_no_span(strategy: VisitableStrategy) -> None:
    visit = strategy.visit([user("order ORD-44710 " + PROSE), plain(), user(), plain(), user()])
    frame = frames_of(visit.messages)[0]
    copied = user(frame.text)
    stored = Message.model_validate_json(frame.model_dump_json())
    assert span_of(stored, visit.spans) is visit.folded
    assert span_of(copied, visit.spans) is None
    assert span_of(frame.model_copy(update={"folded_exempt": ("990017",)}), visit.spans) is None
    assert author_of(copied) == "library"


@pytest.mark.parametrize("first", REMOVERS, ids=name_of)
@removers
def test_a_frame_of_any_strategy_is_absorbed_by_any_other(
    strategy: VisitableStrategy, first: VisitableStrategy
) -> None:
    window: Sequence[Message] = [user("order ORD-44710 " + PROSE), *loop(4), user(), plain(), plain()]
    earlier = first.visit(window)
    later_on = [*earlier.messages, *loop(4), user(), plain(), plain()]
    visit = strategy.visit(later_on, state=earlier.state)
    standing = [folded_messages(frame) for frame in frames_of(visit.messages) if frame.role == "user"]
    assert earlier.changed
    assert visit.changed
    assert sum(standing) + sum(frame_kind(message) is None for message in visit.messages) == len(window) + len(
        later_on
    ) - (len(earlier.messages))


@pytest.mark.parametrize("strategy", [SlidingWindow(1), TokenBudget(0, 1), SummarizeOldest(0, 1)], ids=name_of)
def test_a_frame_of_another_system_never_leaves_without_a_word(strategy: VisitableStrategy) -> None:
    """It stands for results that nobody named: for want of them nobody may be accused."""
    stamp: dict[str, JsonValue] = {STAMP: {"id": "1", "role": "summary"}}
    window = [Message(role="user", content="we moved an order", metadata=stamp), plain("ok"), user("?"), plain("ok")]
    visit = strategy.visit(window)
    verdicts = [EvidenceIndex(held).judge("ORD-44711").values[0].verdict for held in (window, visit.messages)]
    assert verdicts == ["undecidable", "undecidable"]
