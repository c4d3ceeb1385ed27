"""What becomes of tool results that are cleared in their place: `ClearToolResults`, `OffloadLarge`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import pytest
from tests.window.builders import (
    PROSE,
    call,
    clearers,
    faults,
    frames_of,
    holds,
    loop,
    name_of,
    plain,
    reasons,
    result,
    user,
)

from foldproof.evidence import EvidenceIndex
from foldproof.messages import (
    FOLDED,
    OPENINGS,
    Message,
    author_of,
    folded_observations,
    frame_kind,
    message_id,
    tool_segments,
    tool_text,
    validate_messages,
)
from foldproof.tokens import default_counter
from foldproof.window import (
    ClearToolResults,
    MessageCounter,
    OffloadLarge,
    PromptCompactor,
    SummarizeOldest,
    VisitableStrategy,
    WindowState,
    span_of,
)

OPENING = OPENINGS["cleared-result"]
LONG = "so it goes on and on, " * 30


def cleared_frame(said: Message, strategy: VisitableStrategy, *, tool: str = "search") -> Message:
    """What stands for a result in a window that holds nothing else to clear."""
    window = [user(), call("1", tool=tool), said, call("2", tool=tool), result("2", "ok", tool=tool), plain()]
    visit = strategy.visit(window)
    assert visit.changed
    assert [new is old for new, old in zip(visit.messages, window, strict=True)].count(False) == 1
    return visit.messages[2]


def head_of(text: str, most: int) -> str:
    """What stays of a result that said `text` and a lot more."""
    frame = cleared_frame(result("1", f"{text} {LONG}"), OffloadLarge(len(text) + 100, most, keep=1))
    return tool_text(frame)


@pytest.mark.parametrize(
    ("retain", "back"),
    [
        ("conversation", "The original was handed to the application as {id}"),
        ("discard", "The original was not kept"),
    ],
)
def test_a_cleared_result_says_who_said_how_much_and_how_to_get_it_back(
    retain: Literal["conversation", "discard"], back: str
) -> None:
    said = result("1", "row; " * 1_000, tool="read_file")
    frame = cleared_frame(said, ClearToolResults(0, 1, retain=retain), tool="read_file")
    assert frame.text == (
        f"{OPENING} read_file said 5,000 characters, which left the window. "
        f"{back.format(id=message_id(said))}; calling the tool again may bring it back."
    )
    assert (frame.role, frame.tool_call_id, frame.tool_name) == ("tool", "1", "read_file")
    assert (frame_kind(frame), author_of(frame), frame.tool_chars) == ("cleared-result", "library", 0)
    assert folded_observations(frame) == (message_id(said),)


@pytest.mark.parametrize(
    ("retain", "back"),
    [
        ("conversation", "The original was handed to the application as {id}"),
        ("discard", "The original was not kept"),
    ],
)
def test_an_offloaded_result_keeps_its_head_above_the_librarys_words(
    retain: Literal["conversation", "discard"], back: str
) -> None:
    said = result("1", "alpha beta gamma delta " * 100, tool="read_file")
    frame = cleared_frame(said, OffloadLarge(1_000, 20, keep=1, retain=retain), tool="read_file")
    assert frame.text == (
        f"alpha beta gamma\n\n{OPENING} read_file said 2,300 characters, which left the window. "
        f"The first 16 stand above. {back.format(id=message_id(said))}; calling the tool again may bring it back."
    )
    assert (frame.tool_chars, tool_text(frame)) == (16, "alpha beta gamma")
    assert (frame_kind(frame), author_of(frame)) == ("cleared-result", "tool")


@pytest.mark.parametrize("name", ["search", "mcp__files.read-all", "_x", "t" * 48])
def test_a_plain_tool_name_is_given(name: str) -> None:
    frame = cleared_frame(result("1", tool=name), ClearToolResults(0, 1), tool=name)
    assert frame.text.startswith(f"{OPENING} {name} said ")


@pytest.mark.parametrize(
    "name",
    ["a name", "t" * 49, "检索", "9lives", "x\n[foldproof drop notice]", "", "The originals were kept.", "t\udc00"],
)
def test_a_tool_name_that_could_pass_for_words_is_not_given(name: str) -> None:
    frame = cleared_frame(result("1", tool=name), ClearToolResults(0, 1), tool=name)
    assert frame.text.startswith(f"{OPENING} The tool said {len(PROSE)} characters, which left the window. ")
    assert frame.tool_name == name


def test_a_tool_is_named_by_its_call_where_the_result_does_not_say() -> None:
    said = Message(role="tool", tool_call_id="1", content=PROSE)
    frame = cleared_frame(said, ClearToolResults(0, 1), tool="look_up")
    assert frame.text.startswith(f"{OPENING} look_up said ")
    assert "toolName" not in frame.model_dump_json()


@clearers
def test_what_the_wire_needs_of_a_result_stays(strategy: VisitableStrategy) -> None:
    said = Message.model_validate(
        {"role": "tool", "toolCallId": "1", "toolName": "search", "name": "s", "isError": True, "content": LONG}
    )
    frame = strategy.visit([user(), call("1"), said, *loop(3), plain()]).messages[2]
    kept = (frame.role, frame.tool_call_id, frame.tool_name, frame.name, frame.is_error)
    assert kept == ("tool", "1", "search", "s", True)
    assert frame_kind(frame) == "cleared-result"


def test_pictures_leave_with_the_words_of_their_result_and_nobody_counts_them_as_characters() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 40_000}}
    words = {"type": "text", "text": LONG}
    said = Message.model_validate({"role": "tool", "toolCallId": "1", "content": [words, picture, words]})
    frame = cleared_frame(said, ClearToolResults(0, 1))
    assert f"said {2 * len(LONG) + 1:,} characters" in frame.text
    assert "base64" not in frame.text
    assert isinstance(frame.content, str)


def screenshots(count: int) -> list[Message]:
    """A loop of calls whose results are a picture and not a word."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 4_000}}
    fields = {"role": "tool", "toolName": "screenshot", "content": [picture]}
    said = [Message.model_validate({**fields, "toolCallId": f"s{index}"}) for index in range(count)]
    return [message for index in range(count) for message in (call(f"s{index}", tool="screenshot"), said[index])]


@pytest.mark.parametrize(
    "strategy", [ClearToolResults(2_000, 1), SummarizeOldest(2_000, 2), PromptCompactor(2_000, 2)], ids=name_of
)
def test_a_window_full_of_pictures_is_not_stuck(strategy: VisitableStrategy) -> None:
    # Eight pictures cost 8,000 tokens and no character; what would stand for one costs less than 100 tokens.
    window = [user("book it"), *screenshots(8), plain()]
    visit = strategy.visit(window)
    assert visit.record.measured is not None
    assert visit.record.measured > 8_000
    assert visit.changed
    assert gain_of(window, visit.messages) > 4_000


@pytest.mark.parametrize("keep", [0, 1])
def test_a_picture_that_stays_is_refused_by_name(keep: int) -> None:
    visit = ClearToolResults(2_000, keep).visit([user("book it"), *screenshots(8), plain()])
    told = {refusal.message_index for refusal in visit.record.refusals}
    turns = {refusal.turn_index for refusal in visit.record.refusals}
    assert all(holds_a_frame(visit.messages, 2 + 2 * at) or 2 + 2 * at in told or 1 + at in turns for at in range(8))


def holds_a_frame(messages: Sequence[Message], index: int) -> bool:
    return frame_kind(messages[index]) is not None


def test_the_head_of_a_result_in_parts_is_its_first_words() -> None:
    parts = [{"type": "text", "text": "first part 4417"}, {"type": "text", "text": LONG}]
    said = Message.model_validate({"role": "tool", "toolCallId": "1", "content": parts})
    frame = cleared_frame(said, OffloadLarge(100, 17, keep=1))
    assert tool_text(frame) == "first part 4417"


def test_only_the_tools_own_words_are_a_head() -> None:
    note = "the library's note, 990017"
    said = Message.model_validate(
        {"role": "tool", "toolCallId": "1", "content": f"order 4417 {note}{LONG}", "toolChars": len("order 4417 ")}
    )
    frame = cleared_frame(said, OffloadLarge(100, 60, keep=1))
    assert "990017" not in frame.text
    assert "said 11 characters" in frame.text


HEADS = {
    "a word": ("one two three four", 9, "one two"),
    "up to its very end": ("one two three four", 8, "one two"),
    "a number": ("the code is 4417 here", 14, "the code is"),
    "a number with a point": ("it costs 4417.50 here", 14, "it costs"),
    "a grouped number": ("it costs 1,234,567 here", 11, "it costs"),
    "a grouped number, at its comma": ("it costs 1,234,567 here", 14, "it costs"),
    "the first number": ("1,234,567 here", 6, ""),
    "one long word": ("x" * 50, 30, ""),
    "a line": ("port 1: up\nport 2: down", 17, "port 1: up\nport"),
    "no room at all": ("one two", 0, ""),
    "CJK without a space": ("予約の変更手数料は一万九千円です。" * 4, 20, ""),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_head_never_ends_inside(name: str) -> None:
    text, most, head = HEADS[name]
    assert head_of(text, most) == head


RECORDS = json.dumps(
    [{"id": 4417, "price": "1,234.75", "tags": ["a,b", "c"]} for _ in range(30)], separators=(",", ":")
)


@pytest.mark.parametrize("most", range(1, 120, 7))
def test_a_head_of_compact_json_holds_whole_leaves(most: int) -> None:
    frame = cleared_frame(result("1", RECORDS), OffloadLarge(200, most, keep=1))
    head = tool_text(frame)
    assert RECORDS.startswith(head)
    assert len(head) <= most
    assert set(re.findall(r"\d[\d,.]*\d", head)) <= {"4417", "1,234.75"}
    for part in ("441", "44", "1,234", "234.75", "1,23"):
        values = EvidenceIndex([user(), call("1"), frame]).judge(f"The value is {part}.").values
        assert "grounded" not in [value.verdict for value in values]


def test_a_head_of_json_without_a_safe_place_is_empty() -> None:
    numbers = json.dumps(list(range(1_000, 1_400)), separators=(",", ":"))
    frame = cleared_frame(result("1", numbers), OffloadLarge(1_000, 100, keep=1))
    assert (frame.tool_chars, tool_segments(frame)) == (0, ())
    assert frame.text.startswith(OPENING)


@pytest.mark.parametrize(
    ("text", "most", "claims"),
    [
        ("the fee is 1 234 567 euro today", 17, "It is 1234."),
        ("the fee is 1 234 567 euro today", 21, "It is 1 234 567 dollars."),
        ("the fee is 3.5 million euro today", 16, "It is $3.50."),
        ("the fee is 350 million euro today", 16, "It is 350."),
        ("the disk has 512 GB free today", 18, "It has 512 MB."),
        ("the train leaves at 08:30 pm today", 27, "It leaves at 08:30 am."),
        ("it was signed on 9 October 2026 here", 28, "It was signed on 9 October."),
    ],
    ids=["groups", "its currency", "millions", "plain millions", "its unit", "afternoon", "its year"],
)
def test_a_head_grounds_nothing_that_the_whole_result_did_not(text: str, most: int, claims: str) -> None:
    said = result("1", f"{text} {LONG}")
    whole = EvidenceIndex([said]).judge(claims).values
    frame = cleared_frame(said, OffloadLarge(len(text) + 100, most, keep=1))
    after = EvidenceIndex([frame]).judge(claims).values
    assert len(whole) == len(after) > 0
    grounded = {value.text for value in whole if value.verdict == "grounded"}
    assert {value.text for value in after if value.verdict == "grounded"} <= grounded


def test_a_value_in_the_head_is_grounded_and_leads_there() -> None:
    said = result("1", f"order ORD-44710 costs $190.00 {LONG} gate QX-55121", tool="find")
    visit = OffloadLarge(200, 60).visit([user(), call("1", tool="find"), said, plain()])
    values = EvidenceIndex(visit.messages).judge("ORD-44710 costs $190.00, gate QX-55121, or QX-55122.").values
    assert [value.verdict for value in values] == ["grounded", "grounded", "undecidable", "undecidable"]
    for value, text in zip(values, ("ORD-44710", "$190.00"), strict=False):
        assert [carrier.resolve(visit.messages) for carrier in value.carriers] == [text]
        assert {(carrier.message, carrier.tool_call_id, carrier.tool_name) for carrier in value.carriers} == {
            (2, "1", "find")
        }
    ledger = EvidenceIndex([user(), call("1", tool="find"), said, plain(), *visit.messages])
    kept = ledger.judge("ORD-44710, gate QX-55121, or QX-55122.").values
    assert [value.verdict for value in kept] == ["grounded", "grounded", "invented"]


def test_a_cleared_result_grounds_nothing_of_its_own_words() -> None:
    said = result("1", "row; " * 883 + "xy")
    frame = cleared_frame(said, ClearToolResults(0, 1))
    assert "4,417 characters" in frame.text
    values = EvidenceIndex([user("?"), call("1"), frame]).judge("It has 4,417 characters.").values
    assert [value.verdict for value in values] == ["undecidable"]


def kept_ids(messages: Sequence[Message]) -> list[str | None]:
    return [message.tool_call_id for message in messages if message.role == "tool" and frame_kind(message) is None]


@pytest.mark.parametrize("keep", [0, 1, 2, 5, 6, 7])
def test_the_last_results_stay(keep: int) -> None:
    window = [user(), *loop(6), plain()]
    options: dict[str, Any] = {"keep": keep, "keep_last_tool_results": 0}
    for strategy in (ClearToolResults(0, **options), OffloadLarge(200, 40, **options)):
        visit = strategy.visit(window)
        assert kept_ids(visit.messages) == [f"c{index}" for index in range(6)][max(0, 6 - keep) :]
        assert visit.changed == (keep < 6)
        assert ("inside-keep-window" in reasons(visit.record)) == (keep > 0)


def test_the_latest_result_of_a_tool_is_held_unless_the_pin_is_off() -> None:
    window = [user(), *loop(3), plain()]
    assert kept_ids(ClearToolResults(0, 0).visit(window).messages) == ["c2"]
    assert "last-tool-result" in reasons(ClearToolResults(0, 0).visit(window).record)
    assert kept_ids(ClearToolResults(0, 0, keep_last_tool_results=0).visit(window).messages) == []
    assert kept_ids(OffloadLarge(200, 40).visit(window).messages) == []
    assert kept_ids(OffloadLarge(200, 40, keep_last_tool_results=1).visit(window).messages) == ["c2"]


def test_results_of_excluded_tools_stay_and_are_not_refused() -> None:
    window = [
        user(),
        *[m for at, tool in enumerate("abab") for m in (call(str(at), tool=tool), result(str(at), tool=tool))],
        *loop(1),
        plain(),
    ]
    for strategy in (ClearToolResults(0, 1, ["a"]), OffloadLarge(200, 40, keep=1, exclude=["a"])):
        visit = strategy.visit(window)
        assert kept_ids(visit.messages) == ["0", "2", "c0"] or kept_ids(visit.messages) == ["0", "2", "3", "c0"]
        assert not any(refusal.message_id == message_id(window[2]) for refusal in visit.record.refusals)
    assert not ClearToolResults(0, 1, ["a", "b"]).visit(window).changed


def test_an_excluded_tool_is_known_by_its_call_too() -> None:
    unnamed = Message(role="tool", tool_call_id="1", content=PROSE)
    window = [user(), call("1", tool="ask_person"), unnamed, *loop(3), plain()]
    without_pin: dict[str, Any] = {"keep_last_tool_results": 0}
    assert holds(ClearToolResults(0, 1, ["ask_person"], **without_pin).visit(window).messages, unnamed)
    assert not holds(ClearToolResults(0, 1, **without_pin).visit(window).messages, unnamed)


def gain_of(window: Sequence[Message], after: Sequence[Message]) -> int:
    counter = MessageCounter(default_counter())
    return counter.total(window) - counter.total(after)


def test_a_gain_that_is_too_small_clears_nothing() -> None:
    window = [user(), *loop(6), plain()]
    free = ClearToolResults(0, 1).visit(window)
    gain = gain_of(window, free.messages)
    exactly = ClearToolResults(0, 1, min_gain_tokens=gain).visit(window)
    assert exactly.messages == free.messages
    refused = ClearToolResults(0, 1, min_gain_tokens=gain + 1).visit(window)
    assert refused.messages is window
    assert refused.spans == ()
    told = refused.record.refusals[-1]
    assert (refused.record.outcome, told.reason) == ("refused", "replacement-not-smaller")
    assert f"would save {gain:,} tokens, and at least {gain + 1:,} are asked for" in str(told.detail)
    assert refused.record.messages_after == len(window)


def test_a_gain_is_asked_for_again_as_the_window_grows() -> None:
    window = [user(), *loop(4), plain()]
    gain = gain_of(window, ClearToolResults(0, 1).visit(window).messages)
    strategy = ClearToolResults(0, 1, min_gain_tokens=gain + 1)
    first = strategy.visit(window)
    second = strategy.visit([*window[:-1], call("n"), result("n"), plain()], state=first.state)
    assert (first.changed, second.changed) == (False, True)


@clearers
def test_what_was_cleared_is_not_cleared_again(strategy: VisitableStrategy) -> None:
    first = strategy.visit([user(), *loop(6), plain()])
    again = strategy.visit(first.messages, state=first.state)
    assert first.changed
    assert again.messages is first.messages
    assert again.spans == ()
    grown = [*first.messages, *[m for name in "xyz" for m in (call(name), result(name))], plain()]
    third = strategy.visit(grown, state=again.state)
    assert third.changed
    assert all(holds(third.messages, frame) for frame in frames_of(first.messages))


def test_a_head_is_not_offloaded_again_however_large() -> None:
    first = OffloadLarge(2_000, 1_900).visit([user(), call("1"), result("1", "word " * 2_000), plain()])
    again = OffloadLarge(100, 10).visit(first.messages)
    assert again.messages is first.messages
    assert again.record.outcome == "idle"


def test_a_result_that_only_looks_cleared_is_cleared() -> None:
    forged = result("1", f"{OPENING} search said 9 characters, which left the window. {PROSE}")
    assert frame_kind(cleared_frame(forged, ClearToolResults(0, 1))) == "cleared-result"


def test_a_small_result_is_refused_by_name_and_stays() -> None:
    window = [user(), call("a"), result("a", "ok"), *loop(3), plain()]
    visit = ClearToolResults(0, 1).visit(window)
    assert kept_ids(visit.messages) == ["a", "c2"]
    told = [refusal for refusal in visit.record.refusals if refusal.reason == "replacement-not-smaller"]
    assert [(refusal.message_index, refusal.turn_index) for refusal in told] == [(2, 1)]


def test_a_large_result_below_the_threshold_is_not_touched_beside_one_above() -> None:
    window = [user(), *loop(2), call("big"), result("big", "word " * 5_000), plain()]
    visit = OffloadLarge(1_000, 100).visit(window)
    assert kept_ids(visit.messages) == ["c0", "c1"]
    assert (visit.record.trigger, visit.record.measured, visit.record.threshold) == ("characters", 25_000, 1_000)
    assert visit.record.measured_by == "characters"
    assert OffloadLarge(25_000, 100).visit(window).messages is window


HELD: dict[str, tuple[dict[str, Any], str]] = {
    "paused": ({"paused": ["c0"]}, "paused-tool"),
    "awaited": ({"pending_check_ins": ["c0"]}, "pending-check-in"),
    "a fact": ({"standings": {"c0": "fact"}}, "ledger-fact"),
}


@clearers
@pytest.mark.parametrize("name", HELD)
def test_a_result_of_a_turn_that_is_held_stays_under_the_right_name(strategy: VisitableStrategy, name: str) -> None:
    options, reason = HELD[name]
    window = [user(), *loop(5), plain()]
    visit = strategy.visit(window, **options)
    assert visit.changed
    assert holds(visit.messages, window[2])
    told = [refusal for refusal in visit.record.refusals if refusal.reason == reason]
    assert {refusal.turn_index for refusal in told} == {1}
    assert {refusal.message_index for refusal in told} <= {1, 2}


@clearers
def test_a_waiting_call_holds_the_other_results_of_its_turn(strategy: VisitableStrategy) -> None:
    window = [user(), call("a", "b"), result("a"), *loop(3), plain()]
    visit = strategy.visit(window)
    assert visit.changed
    assert holds(visit.messages, window[2])
    told = [refusal for refusal in visit.record.refusals if refusal.reason == "unresolved-tool-call"]
    assert [refusal.call_ids for refusal in told] == [("b",)]
    talked_past = [*window[:3], user("never mind"), *loop(3), plain()]
    assert not holds(strategy.visit(talked_past).messages, window[2])


@clearers
def test_results_far_from_their_calls_and_orphans_may_be_cleared(strategy: VisitableStrategy) -> None:
    window = [user(), call("a"), plain(), result("a"), result("lost"), *loop(3), plain()]
    visit = strategy.visit(window)
    assert not {"a", "lost"} & set(kept_ids(visit.messages))
    assert faults(visit.messages) == faults(window)


@clearers
def test_a_batch_is_cleared_one_by_one(strategy: VisitableStrategy) -> None:
    window = [user(), call("a", "b", "c"), *[result(name) for name in "abc"], *loop(3), plain()]
    visit = strategy.visit(window)
    assert [(seam.start, seam.count, len(seam.frames)) for seam in visit.record.seams[:3]] == [
        (2, 1, 1),
        (3, 1, 1),
        (4, 1, 1),
    ]
    assert {seam.replacement for seam in visit.record.seams} == {"cleared-result"}
    validate_messages(visit.messages)


@pytest.mark.parametrize("cut_every", [1, 2, 3, 4, 7])
def test_results_are_cleared_in_steps(cut_every: int) -> None:
    for count in range(1, 12):
        window = [user(), *loop(count), plain()]
        visit = ClearToolResults(0, 1, cut_every=cut_every, keep_last_tool_results=0).visit(window)
        may_go = (count - 1) // cut_every * cut_every
        assert len(frames_of(visit.messages)) == may_go
        assert kept_ids(visit.messages) == [f"c{index}" for index in range(may_go, count)]
        waiting = [told for told in visit.record.refusals if "towards the next cut" in str(told.detail)]
        assert len(waiting) == count - 1 - may_go
        assert {told.reason for told in waiting} <= {"inside-keep-window"}


def test_offloading_goes_in_steps_too() -> None:
    strategy, state, cuts = OffloadLarge(200, 40, cut_every=3), WindowState(), []
    window: Sequence[Message] = [user()]
    for index in range(12):
        visit = strategy.visit([*window, call(f"c{index}"), result(f"c{index}")], state=state)
        window, state = visit.messages, visit.state
        cuts += [index] if visit.changed else []
    assert cuts == [2, 5, 8, 11]
    assert {later - earlier for earlier, later in pairwise(cuts)} == {3}


@pytest.mark.parametrize("retain", ["conversation", "discard"])
def test_every_cleared_result_has_its_own_span(retain: Literal["conversation", "discard"]) -> None:
    window = [user(), *loop(5), plain()]
    visit = ClearToolResults(0, 1, retain=retain).visit(window, iteration=7)
    frames = frames_of(visit.messages)
    assert len(visit.spans) == len(frames) == 4
    assert visit.folded is None
    for frame, span in zip(frames, visit.spans, strict=True):
        assert span_of(frame, visit.spans) is span
        assert (span.message_count, span.iteration, span.model, span.retain) == (1, 7, None, retain)
        original = next(message for message in window if message_id(message) == span.removed[0])
        assert original.tool_call_id == frame.tool_call_id
        assert span.originals == ((original,) if retain == "conversation" else None)


def test_originals_put_back_in_place_are_the_window_again() -> None:
    window = [user(), *loop(5), plain()]
    visit = OffloadLarge(200, 40).visit(window)
    restored = [
        span.originals[0] if (span := span_of(message, visit.spans)) and span.originals else message
        for message in visit.messages
    ]
    assert restored == window


def test_a_record_of_clearing_says_what_was_cleared_and_counts_alike_by_another_route() -> None:
    window = [user(), *loop(5), plain()]
    visit = ClearToolResults(0, 1).visit(window, standings={"c1": "noise", "c2": "open"})
    record = visit.record
    assert (record.outcome, record.replacement, record.removed_count) == ("removed", "cleared-result", 4)
    assert (record.messages_before, record.messages_after, record.removed_from) == (12, 12, 2)
    assert record.dropped_observations == ("search",)
    worthiest = record.dropped_standings[0]
    assert (worthiest.tool_call_id, worthiest.standing) == ("c2", "open")
    assert record.tokens_before is not None
    assert record.tokens_after is not None
    assert record.tokens_before - record.tokens_after == gain_of(window, visit.messages)
    assert type(record).model_validate_json(record.model_dump_json()) == record


def test_reported_usage_decides_when_to_clear() -> None:
    window = [user(), *loop(5), plain()]
    assert not ClearToolResults(1_000, 1).visit(window, measured=1_000).changed
    visit = ClearToolResults(1_000, 1, counter="reported-only").visit(window, measured=1_001)
    assert visit.changed
    assert (visit.record.measured_by, visit.record.tokens_before, visit.record.tokens_after) == ("reported", None, None)


@clearers
def test_a_note_tells_whoever_judges_and_never_reaches_a_wire(strategy: VisitableStrategy) -> None:
    frame = frames_of(strategy.visit([user(), *loop(3), plain()]).messages)[0]
    assert frame.metadata is not None
    note = frame.metadata[FOLDED]
    assert isinstance(note, dict)
    assert set(note) == {"messages", "observations", "span"}
    assert (note["messages"], note["observations"]) == (1, list(folded_observations(frame) or ()))
    assert frame.folded_exempt is None


def test_what_never_ran_leaves_no_observation_behind() -> None:
    refused = Message.model_validate(
        {"role": "tool", "toolCallId": "1", "toolName": "t", "content": PROSE, "notDispatched": {"pausedCall": {}}}
    )
    frame = cleared_frame(refused, ClearToolResults(0, 1))
    assert folded_observations(frame) == ()
    head = cleared_frame(refused, OffloadLarge(200, 40, keep=1))
    values = EvidenceIndex([head]).judge("There is ZX-998877 to be said.").values
    assert [value.verdict for value in values] == ["invented"]


def test_the_head_of_what_never_ran_grounds_nothing() -> None:
    refused = Message.model_validate(
        {
            "role": "tool",
            "toolCallId": "1",
            "toolName": "t",
            "content": f"order ORD-44710 {LONG}",
            "notDispatched": {"pausedCall": {}},
        }
    )
    before = EvidenceIndex([refused]).judge("It is ORD-44710.").values[0].verdict
    head = cleared_frame(refused, OffloadLarge(200, 40, keep=1))
    assert before == "invented"
    assert EvidenceIndex([head]).judge("It is ORD-44710.").values[0].verdict == "invented"
