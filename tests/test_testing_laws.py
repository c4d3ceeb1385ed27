"""The kit of laws accepts a lawful compaction and names each law that a lawless one breaks."""

from __future__ import annotations

import pytest

from foldproof import Message, SlidingWindow, ToolCall
from foldproof.messages import FOLDED, OPENINGS
from foldproof.testing import broken_laws
from foldproof.window import (
    ClearToolResults,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SummarizeOldest,
    TokenBudget,
    VisitableStrategy,
)

WINDOW = (
    Message(role="system", content="You sell tickets."),
    Message(role="user", content="Where is order 4471?"),
    Message(role="assistant", tool_calls=(ToolCall(id="1", name="find"),)),
    Message(role="tool", content="It left on 2026-05-03." * 20, tool_call_id="1"),
    Message(role="assistant", content="It left on May 3."),
    Message(role="user", content="And order 4472?"),
    Message(role="assistant", content="It waits."),
)
FRAME = Message(role="user", content=OPENINGS["summary"], folded_exempt=("4471",))


def without(*indices: int) -> list[Message]:
    return [message for index, message in enumerate(WINDOW) if index not in indices]


LAWFUL = [WINDOW[0], FRAME, *WINDOW[5:]]


@pytest.mark.parametrize(
    ("after", "laws"),
    [
        (WINDOW, []),
        (LAWFUL, []),
        (without(3), ["pairs"]),
        (without(2), ["pairs"]),
        (without(5), ["request", "conservation"]),
        (without(0), ["envelope"]),
        (without(4, 6), ["recent", "span"]),
        ([*WINDOW[:4], *reversed(WINDOW[4:])], ["recent", "span"]),
        ([WINDOW[0], Message(role="assistant", content="Order 4471"), *WINDOW[5:]], ["frames", "conservation"]),
        ([WINDOW[0], FRAME.model_copy(update={"content": FRAME.text * 99}), *WINDOW[5:]], ["smaller"]),
        ([WINDOW[0], FRAME.model_copy(update={"folded_exempt": None}), *WINDOW[5:]], ["conservation"]),
        ([WINDOW[0], FRAME.model_copy(update={"folded_exempt": ("4471", "9")}), *WINDOW[5:]], ["conservation"]),
        (WINDOW[2:], ["envelope", "head", "conservation"]),
    ],
)
def test_each_law_is_named(after: list[Message], laws: list[str]) -> None:
    assert [broken.law for broken in broken_laws(WINDOW, after, keep_recent_turns=1)] == laws


def test_the_text_of_the_run_is_the_request_when_it_is_named() -> None:
    after = [WINDOW[0], FRAME, *WINDOW[5:]]
    broken = broken_laws(WINDOW, after, request="Where is order 4471?")
    assert [law for law, _ in broken] == ["request"]


CLEARED = Message(
    role="tool",
    content=f"{OPENINGS['cleared-result']} find said 400 characters, which left the window.",
    tool_call_id="1",
    tool_chars=0,
    metadata={FOLDED: {"messages": 1, "observations": []}},
)
STRAY = Message(role="tool", content="Nobody asked." * 20, tool_call_id="9")
STRAY_CLEARED = CLEARED.model_copy(update={"tool_call_id": "9"})


def anew(*messages: Message) -> tuple[Message, ...]:
    """The same messages as other objects: no message stands in a window twice."""
    return tuple(message.model_copy() for message in messages)


BUSY = (*WINDOW[:4], *anew(*WINDOW[2:4]), *WINDOW[4:])


def at(window: tuple[Message, ...], **replaced: Message) -> list[Message]:
    """The window with other messages at some of its indices."""
    return [replaced.get(f"at_{index}", message) for index, message in enumerate(window)]


@pytest.mark.parametrize(
    ("before", "after", "laws"),
    [
        (WINDOW, at(WINDOW, at_3=CLEARED), []),
        (BUSY, at(BUSY, at_3=CLEARED, at_5=CLEARED), []),
        (WINDOW, at(WINDOW, at_3=CLEARED.model_copy(update={"tool_call_id": "2"})), ["pairs"]),
        (BUSY, [BUSY[0], FRAME, BUSY[4], CLEARED, *BUSY[6:]], []),
        (BUSY, [*BUSY[:3], CLEARED, *BUSY[6:]], []),
        (BUSY, [BUSY[0], FRAME, BUSY[2], CLEARED, *BUSY[4:6], *BUSY[7:]], ["span"]),
        ((STRAY, *WINDOW), [STRAY_CLEARED, *WINDOW], []),
        ((*WINDOW, STRAY), [*WINDOW, STRAY_CLEARED], ["recent"]),
    ],
)
def test_a_result_may_be_cleared_in_its_place(
    before: tuple[Message, ...], after: list[Message], laws: list[str]
) -> None:
    assert [broken.law for broken in broken_laws(before, after, keep_recent_turns=1)] == laws


def test_a_frame_may_have_more_characters_than_a_picture() -> None:
    parts = [{"type": "image_url", "image_url": {"url": "https://example.org/seat.png"}}]
    picture = Message.model_validate({"role": "assistant", "content": parts})
    notice = Message(role="user", content=OPENINGS["drop-notice"])
    assert broken_laws((*WINDOW[:6], picture), [*WINDOW[:6], notice]) == ()
    assert [law for law, _ in broken_laws(WINDOW, [*WINDOW[:6], notice])] == ["smaller"]


SHIPPED: list[VisitableStrategy] = [
    SlidingWindow(2, keep_last_tool_results=0),
    TokenBudget(0, 2, keep_last_tool_results=0),
    SummarizeOldest(0, 2, keep_last_tool_results=0),
    PromptCompactor(0, 2, keep_last_tool_results=0),
    ClearToolResults(0, 1, keep_last_tool_results=0),
    OffloadLarge(120, 40),
    Pipeline([ClearToolResults(0, 1, keep_last_tool_results=0), SummarizeOldest(0, 2, keep_last_tool_results=0)]),
]


@pytest.mark.parametrize("strategy", SHIPPED, ids=lambda strategy: strategy.name)
def test_our_own_strategies_break_none(strategy: VisitableStrategy) -> None:
    long = (*WINDOW[:5], *anew(*WINDOW[1:5], *WINDOW[1:5]), *WINDOW[5:])
    visit = strategy.visit(long)
    assert visit.changed
    assert broken_laws(long, visit.messages, keep_recent_turns=1) == ()
