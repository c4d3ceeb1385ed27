"""The kit of laws accepts a lawful compaction and names each law that a lawless one breaks."""

from __future__ import annotations

import pytest

from foldproof import Message, SlidingWindow, ToolCall
from foldproof.messages import OPENINGS
from foldproof.testing import broken_laws

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


def test_our_own_strategy_breaks_none() -> None:
    long = (*WINDOW[:5], *WINDOW[1:5], *WINDOW[5:])
    visit = SlidingWindow(keep_recent_turns=1, keep_last_tool_results=0).visit(long)
    assert visit.changed
    assert broken_laws(long, visit.messages, keep_recent_turns=1) == ()
