"""The extractive summarizer."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import conversations
from tests.window.builders import PROSE, call, loop, plain, result, user

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceIndex, Value
from foldproof.evidence.candidates import scan
from foldproof.evidence.reading import arguments_in, said_by_tools
from foldproof.messages import OPENINGS, Message, author_of, calls_of
from foldproof.tokens import default_counter
from foldproof.window import ExtractiveSummarizer, SummarizeOldest, SummaryRequest, total_characters
from foldproof.window.excerpts import lines_of

SPAN = [
    Message(role="user", content=f"{OPENINGS['summary']} 9 messages folded by x. A claim:\n\nThe plan is gold."),
    user("Move order ORD-44710 to Friday."),
    call("1", tool="find"),
    result("1", '{"order": "ORD-44710", "fee": "$190.00"}', tool="find"),
    call("2", tool="move"),
    plain("It costs $190.00."),
]


def request(room: int = 4_000, **fields: object) -> SummaryRequest:
    return SummaryRequest(iteration=1, model="m", max_characters=room, **fields)  # type: ignore[arg-type]


def whole(span: Sequence[Message], room: int = 4_000, **fields: object) -> str:
    """A summary that may be as long as its span."""
    return ExtractiveSummarizer(share=1)(span, request(room, **fields))


def test_a_summary_quotes_everybody_and_says_who_said_what() -> None:
    failed = Message(role="tool", content="KeyError: 'fee'", tool_call_id="3", is_error=True)
    span = [*SPAN, call("3", tool="pay"), failed, plain("I've moved it."), *loop(9)]
    assert [line for line in whole(span).splitlines() if PROSE[:20] not in line] == [
        "Earlier frames said:",
        "- The plan is gold.",
        "The person said:",
        '- "Move order ORD-44710 to Friday."',
        "The model decided or did:",
        "- I've moved it.",
        "The model said:",
        "- It costs $190.00.",
        "Tools were asked, and said, among other things:",
        "- find(q: 1) -> order: ORD-44710; fee: $190.00",
        "- pay(q: 3) -> KeyError: 'fee'",
        "Errors:",
        "- pay: KeyError: 'fee'",
        "Open:",
        "- move(q: 2) was never answered",
    ]


def test_nothing_crowds_out_the_rest() -> None:
    people = [user(f"{index} {PROSE}") for index in range(60)]
    for summary in (whole([*people, *loop(9)], 2_000), whole([*loop(200), *people[:2]], 2_000)):
        assert "The person said:" in summary
        assert "Tools were asked" in summary


def test_feedback_is_not_quoted() -> None:
    retry = Message(role="user", content="ZX-998877 is not known", ephemeral=True)
    check = Message(role="user", content=f"{OPENINGS['evidence-check']} these are not known: ZX-998877")
    assert "ZX" not in whole([*SPAN, retry, check])


def test_what_the_model_handed_to_tools_is_kept_before_what_only_a_tool_said() -> None:
    rows = [{"id": f"ORD-{44_710 + row}"} for row in range(99)]
    span = [
        Message(role="assistant", tool_calls=({"id": "1", "name": "list", "args": {}},)),  # type: ignore[arg-type]
        result("1", json.dumps(rows), tool="list"),
        Message(role="assistant", tool_calls=({"id": "2", "name": "get", "args": {"id": "ORD-44750"}},)),  # type: ignore[arg-type]
        result("2", "ok", tool="get"),
        *loop(3),
    ]
    assert "get(id: ORD-44750)" in whole(span, 300)


def test_what_the_current_request_says_makes_room_for_the_rest() -> None:
    fields = {f"part{row}": f"XK-{91_000 + 7 * row}" for row in range(20)}
    span = [call("1"), result("1", json.dumps(fields))]
    without, asked = (whole(span, 200, current_request=text) for text in (None, "What of XK-91000?"))
    assert "XK-91000" in without
    assert "XK-91000" not in asked


def test_an_earlier_frame_takes_no_more_than_its_share_where_there_is_more_to_say() -> None:
    frame = Message(role="user", content=f"{OPENINGS['summary']} 9 folded by x. A claim:\n\n" + PROSE * 99)
    words = [user(f"Number {PROSE}") for _ in range(2)]
    summary = whole([frame, *words, *loop(30)], 2_000)
    earlier = summary.partition("The person said:")[0]
    assert 100 < len(earlier) < 1_000


def test_a_summary_of_summaries_does_not_repeat_their_headings() -> None:
    once = whole([user("ORD-44710"), plain("It is ORD-44711.")])
    frame = Message(role="user", content=f"{OPENINGS['summary']} 9 folded by x. A claim:\n\n{once}")
    assert whole([frame]) == 'Earlier frames said:\n- "ORD-44710"\n  It is ORD-44711.'


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 0}, "max_tokens=0 must be at least 1"),
        ({"max_characters": 0}, "max_characters=0 must be at least 1"),
        ({"share": 0}, "share=0 must be above 0"),
        ({"share": 1.5}, "share=1.5 must be above 0"),
    ],
)
def test_a_bound_that_leaves_no_summary_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ExtractiveSummarizer(**options)  # type: ignore[arg-type]


def test_each_bound_holds() -> None:
    span, counter = loop(60), default_counter()
    assert len(ExtractiveSummarizer(share=0.1)(span, request(10**6))) <= total_characters(span) // 10
    assert len(ExtractiveSummarizer(max_characters=500, share=1)(span, request(10**6))) <= 500
    for bounded, asked in ((300, 10**6), (10**6, 300)):
        summary = ExtractiveSummarizer(max_tokens=bounded, max_characters=None, share=1)(
            span, request(10**6, max_tokens=asked, counter=counter)
        )
        assert 200 < counter.count(summary) <= 300


@given(conversations, st.integers(0, 600))
def test_a_summary_keeps_to_its_room(span: tuple[Message, ...], room: int) -> None:
    summary = whole(span, room)
    assert len(summary) <= room
    assert whole(span, room) == summary


@given(conversations)
def test_a_summary_keeps_to_its_tokens(span: tuple[Message, ...]) -> None:
    counter = default_counter()
    asked = SummaryRequest(iteration=1, model="m", max_characters=900, max_tokens=40, counter=counter)
    assert counter.count(ExtractiveSummarizer()(span, asked)) <= 40


def _texts_of(span: Sequence[Message]) -> Iterator[str]:
    """Every text of a span, and every name and argument of a call."""
    for message in span:
        yield message.text
        yield from (segment.text for segment in said_by_tools(message))
        yield from (call.name for call in calls_of(message))
        yield message.tool_name or ""
        yield from (json.dumps(arguments, ensure_ascii=False) for arguments in arguments_in(message))


def invented(summary: str, texts: Sequence[str]) -> list[str]:
    index = EvidenceIndex([Message(role="tool", content=text, tool_call_id="1") for text in texts])
    return [value.text for value in index.judge(summary).values if value.verdict == "invented"]


@given(conversations, st.integers(0, 900))
def test_every_value_of_a_summary_is_stated_in_its_span(span: tuple[Message, ...], room: int) -> None:
    assert invented(whole(span, room), list(_texts_of(span))) == []


pieces = st.lists(
    st.sampled_from([
        *("12", "30", "5", "%", "$", "1", "000", "000,5", "May", "2024", "-", ":30", "/", "/srv", "ORD", "ORD-4471"),
        *("4417552", "2024-05-21", "14:00", "am", "in thousands", "ending in", "version", "1.2", "$190.00", "kg", "."),
        *("see https://docs.example/about/4417", "x" * 190, "word " * 45, "9" * 230, "…", "\n", "\t", "--", "* 7."),
    ]),
    max_size=14,
)  # fmt: skip
pieced = st.tuples(pieces, st.sampled_from([" ", "\n", ""])).map(lambda drawn: drawn[1].join(drawn[0]))


@given(pieced, st.dictionaries(pieced, pieced, max_size=5), pieced, st.integers(20, 700))
def test_what_joins_pieces_and_what_cuts_them_makes_no_value(
    text: str, fields: dict[str, str], said: str, room: int
) -> None:
    span = [
        user(said),
        Message.model_validate({"role": "assistant", "toolCalls": [{"id": "1", "name": "f", "args": fields}]}),
        result("1", text),
        call("2"),
        result("2", json.dumps([fields, fields])),
        plain(text),
    ]
    assert invented(whole(span, room), list(_texts_of(span))) == []


@given(conversations, st.integers(100, 900))
def test_what_the_person_is_quoted_with_is_verbatim(span: tuple[Message, ...], room: int) -> None:
    said = [" ".join(message.text.split()) for message in span if author_of(message) in ("person", "library")]
    section = whole(span, room).partition("The person said:\n")[2]
    section = re.split(r"^\S.*:$", section, maxsplit=1, flags=re.MULTILINE)[0]
    quotes = re.findall(r'^- "(.*?)"$', section, flags=re.MULTILINE | re.DOTALL)
    assert bool(section.strip()) == bool(quotes)
    for quote in quotes:
        runs = [" ".join(run.split()) for run in re.split(r"(?:^| )…(?: |$|\n)", quote)]
        assert any(_in_order([run for run in runs if run], text) for text in said)


def _in_order(runs: Sequence[str], text: str) -> bool:
    position = 0
    for run in runs:
        position = text.find(run, position)
        if position < 0:
            return False
        position += len(run)
    return True


def test_half_of_a_surrogate_pair_does_not_stop_a_fold() -> None:
    window = [message for _ in range(3) for message in (user("\ud83d " + PROSE), plain("\ud83d " + PROSE))]
    visit = SummarizeOldest(0, 1).visit(window)
    assert visit.changed
    assert "?" in visit.messages[0].text


def test_a_line_break_stays_one_and_no_value_is_cut() -> None:
    many = "room 44\n17 guests " + "and 4417552 more " * 99
    summary = whole([user("one\ntwo"), call("1"), result("1", many)], 1_200)
    assert '- "one\n  two"' in summary
    assert "room 44\n  17 guests and 4417552 more" in summary
    assert {value.text for value in _long(summary)} == {"4417552"}


def _long(text: str) -> list[Value]:
    return [value for value in scan(text) if value.digits > 2]


def test_a_value_without_spaces_is_left_out_as_a_whole_and_other_writing_is_cut() -> None:
    digits, japanese = "7" * 500, "予約は午後に確認します" * 60
    summary = whole([call("1"), result("1", f"{digits} is long\n{japanese}")], 1_500)
    assert "77" not in summary
    assert "is long" in summary
    assert "予約は午後に確認します" * 5 in summary


@pytest.mark.parametrize("mark", ["\t", ": ", "→", "  "])
def test_numbers_of_lines_are_not_taken_for_values(mark: str) -> None:
    def values(said: str) -> list[str]:
        (line,) = lines_of([result("1", said)], request())
        return [form for excerpt in line.excerpts for _, form in excerpt.values]

    listing = "\n".join(f"{number}{mark}line with ORD-{number}0" for number in range(100, 104))
    assert values(listing) == ["ord-1000", "ord-1010", "ord-1020", "ord-1030"]
    assert values(f"441{mark}line\n307{mark}line") == ["441", "307"]


def test_a_summary_costs_a_few_times_what_judging_its_span_does() -> None:
    def messages() -> list[Message]:
        rows = [{"order": f"ORD-{row}", "fee": row * 1.25, "note": PROSE} for row in range(40_000, 41_000)]
        texts = [json.dumps(row) for row in rows]
        return [each for row, text in enumerate(texts) for each in (call(str(row)), result(str(row), text))]

    judged = messages()
    start = time.perf_counter()
    index = EvidenceIndex(judged)
    for message in judged:
        index.judge(message.text)
    judging = time.perf_counter() - start
    span = messages()
    start = time.perf_counter()
    ExtractiveSummarizer()(span, request(10**6, max_tokens=4_000, counter=default_counter()))
    assert time.perf_counter() - start < 5 * judging
