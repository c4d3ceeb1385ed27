"""The extractive summarizer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import conversations
from tests.window.builders import PROSE, call, loop, plain, result, user

from foldproof.messages import OPENINGS, Message
from foldproof.tokens import default_counter
from foldproof.window import ExtractiveSummarizer, SummarizeOldest, SummaryRequest

SPAN = [
    Message(role="user", content=f"{OPENINGS['summary']} 9 messages folded by x. A claim:\n\nThe plan is gold."),
    user("Move order ORD-44710 to Friday."),
    call("1", tool="find"),
    result("1", '{"order": "ORD-44710", "fee": "$190.00"}', tool="find"),
    call("2", tool="move"),
    plain("It costs $190.00."),
]


def request(room: int = 4_000) -> SummaryRequest:
    return SummaryRequest(iteration=1, model="m", max_characters=room)


def test_a_summary_quotes_everybody() -> None:
    assert ExtractiveSummarizer()([*SPAN, user(PROSE), plain(PROSE * 9)], request()).splitlines()[:9] == [
        "Earlier frames said:",
        "- The plan is gold.",
        "The person said:",
        '- "Move order ORD-44710 to Friday."',
        f'- "{PROSE.strip()}"',
        "The model said:",
        "- It costs $190.00.",
        f"- {(PROSE * 2)[:399].rpartition(' ')[0]}…",
        "Tools were asked, and said:",
    ]


def test_open_calls_and_values_are_named() -> None:
    summary = ExtractiveSummarizer()([*SPAN, user(PROSE), plain(PROSE * 9)], request())
    assert 'move({"q":"2"}) was never answered' in summary
    assert "Values in results:\n- ORD-44710, $190.00" in summary
    assert 'find({"q":"1"}) -> {"order": "ORD-44710"' in summary


def test_nothing_crowds_out_the_rest() -> None:
    summary = ExtractiveSummarizer()([*[user(f"{index} {PROSE}") for index in range(60)], *loop(9)], request(2_000))
    assert "Tools were asked" in summary


def test_feedback_is_not_quoted() -> None:
    retry = Message(role="user", content="ZX-998877 is not known", ephemeral=True)
    check = Message(role="user", content=f"{OPENINGS['evidence-check']} these are not known: ZX-998877")
    assert "ZX" not in ExtractiveSummarizer()([*SPAN, retry, check], request())


@given(conversations, st.integers(0, 600))
def test_a_summary_keeps_to_its_room(span: tuple[Message, ...], room: int) -> None:
    summary = ExtractiveSummarizer()(span, request(room))
    assert len(summary) <= room
    assert ExtractiveSummarizer()(span, request(room)) == summary


@given(conversations)
def test_a_summary_keeps_to_its_tokens(span: tuple[Message, ...]) -> None:
    counter = default_counter()
    asked = SummaryRequest(iteration=1, model="m", max_characters=900, max_tokens=40, counter=counter)
    assert counter.count(ExtractiveSummarizer()(span, asked)) <= 40


def test_half_of_a_surrogate_pair_does_not_stop_a_fold() -> None:
    window = [message for _ in range(3) for message in (user("\ud83d " + PROSE), plain("\ud83d " + PROSE))]
    visit = SummarizeOldest(0, 1).visit(window)
    assert visit.changed
    assert "?" in visit.messages[0].text


def test_a_line_break_stays_visible_and_no_word_is_cut() -> None:
    window = [user("one\ntwo"), call("1"), result("1", "room 44\n17 guests " + "and 4417 more " * 99)]
    summary = ExtractiveSummarizer()(window, request())
    assert '- "one / two"' in summary
    assert "room 44 / 17 guests and 4417 more" in summary
    assert all(cut.endswith(("and", "4417", "more")) for cut in summary.split("…")[:-1])
