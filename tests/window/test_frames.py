"""The words of the frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

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

from foldproof.archive import SqliteArchive
from foldproof.evidence import EvidenceIndex, EvidenceOptions, exempt_forms
from foldproof.messages import (
    OPENINGS,
    STAMP,
    Message,
    author_of,
    folded_messages,
    folded_observations,
    frame_kind,
    may_quote_a_frame,
    message_id,
)
from foldproof.window import (
    ClearToolResults,
    PromptCompactor,
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    VisitableStrategy,
    WindowState,
    span_address,
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


def test_a_frame_of_an_archived_span_shows_the_address_that_leads_back() -> None:
    window = [user("order ORD-4471 " + PROSE), plain(PROSE), user(PROSE), plain(PROSE), user("?"), plain()]
    with SqliteArchive(":memory:") as archive:
        folded = SummarizeOldest(0, 2, retain="archive").visit(window, archive=archive)
        cleared = ClearToolResults(0, 1, retain="archive").visit(
            [user(), call("c1"), result("c1", PROSE), call("c2"), result("c2")], archive=archive
        )
        assert set(archive.addresses()) == {span_address(window[:-2]), span_address([result("c1", PROSE)])}
        for frame in (folded.messages[0], cleared.messages[2]):
            (shown,) = re.findall(r" archived as ([0-9a-f]{12})[.;] ", frame.text)
            assert archive.expand(shown) == archive.expand(frame)
    bare = user(folded.messages[0].text)
    assert frame_kind(bare) == "summary"
    assert not may_quote_a_frame(bare)  # it reads in all the words of one


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


def test_what_a_providers_own_tool_said_is_named_when_it_leaves() -> None:
    gave: dict[str, Any] = {"type": "success", "output": {"fee": 7719.42}}
    block = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "fee 7719.42"}]}
    for part in ({"type": "provider-tool", "id": "s", "name": "w", "input": {}, "result": gave}, block):
        found = Message.model_validate({"role": "assistant", "content": [part, {"type": "text", "text": "found"}]})
        window = [user("find it"), found, *[user(), plain()] * 5]
        assert EvidenceIndex(window).judge("The fee is 7719.42.").values[0].verdict == "grounded"
        for strategy in (SlidingWindow(4), SummarizeOldest(0, 4)):
            visit = strategy.visit(window)
            assert visit.record.removed_from == 0
            assert EvidenceIndex(visit.messages).judge("The fee is 7719.42.").values[0].verdict == "undecidable"
            read = EvidenceIndex([*window, *visit.messages])
            assert read.judge("The fee is 7719.42.").values[0].verdict == "grounded"
            assert read.judge("The fee is 7719.43.").values[0].verdict == "invented"


def test_two_results_of_one_id_are_two_results() -> None:
    first, second = (
        result(name, f"total {total} {PROSE}").model_copy(update={"id": "r"})
        for name, total in (("1", 77123), ("2", 88123))
    )
    window = [user(), call("1"), first, call("2"), second, plain()]
    for strategy in (ClearToolResults(0, 1, keep_last_tool_results=0), SlidingWindow(2, keep_last_tool_results=0)):
        after = strategy.visit(window).messages
        assert EvidenceIndex(after).judge("77123").values[0].verdict == "undecidable"
        assert EvidenceIndex(after).judge("88123").values[0].verdict == "grounded"


@pytest.mark.parametrize("said", [user("my code is ALPHA-BRAVO"), result("1", "ALPHA-BRAVO")], ids=["person", "tool"])
def test_no_word_leaves_without_a_notice_for_any_may_be_a_declared_shape(said: Message) -> None:
    options = EvidenceOptions(shapes=(r"[A-Z]{5}-[A-Z]{5}",))
    asked = [call("1", tool="t")] if said.role == "tool" else []
    window = [*asked, said, plain("ok"), *[user("go on"), plain("ok")] * 3]
    after = SlidingWindow(6, keep_last_tool_results=0).visit(window).messages
    verdict = EvidenceIndex(after, options=options).judge("It is ALPHA-BRAVO").values[0].verdict
    assert verdict in ("grounded", "exempt", "undecidable")


def test_two_spans_that_read_alike_in_their_frames_are_two() -> None:
    def claim(_: Sequence[Message], __: SummaryRequest) -> str:
        return "a claim"

    strategy = SummarizeOldest(0, 1, summarizer=claim, model="m")
    one, other = (strategy.visit([plain(f"{name} {PROSE}"), plain("last")]) for name in ("one", "other"))
    assert one.messages[0].text == other.messages[0].text
    assert span_of(one.messages[0], [*other.spans, *one.spans]) == one.folded


@pytest.mark.parametrize(
    "strategy",
    [SlidingWindow(1), SummarizeOldest(0, 1), PromptCompactor(0, 1), SlidingWindow(1, keep_last_tool_results=0)],
    ids=repr,
)
def test_a_frame_of_which_a_host_kept_only_the_text_is_a_frame_and_no_request(strategy: VisitableStrategy) -> None:
    for window in ([user(f"4417 {PROSE}"), *loop(5), user(), plain()], [user("?"), *loop(5), plain()]):
        frames = [message for message in strategy.visit(window).messages if frame_kind(message) is not None]
        assert frames
        for frame in frames:
            stripped = Message(role="user", content=frame.text)
            assert frame_kind(stripped) == frame_kind(frame)
            assert not may_quote_a_frame(stripped)


def test_who_pastes_a_frame_and_asks_about_it_keeps_the_request_and_gains_no_exemption() -> None:
    pasted = user(f"{OPENINGS['drop-notice']} 6 messages left the window. Why? Cancel order 447123. {PROSE}")
    window = [user("hello"), plain(), pasted, *loop(4), plain()]
    visit = SlidingWindow(2, keep_last_tool_results=0).visit(window)
    assert visit.changed
    assert any(message is pasted for message in visit.messages)
    assert {r.detail for r in visit.record.refusals if r.reason == "current-request"} >= {
        "it opens like a frame and may be a request"
    }
    assert "447123" not in exempt_forms([pasted])
