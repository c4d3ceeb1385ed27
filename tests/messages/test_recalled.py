"""What a recall gives back, as text, and what of it is evidence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import conversations

from foldproof.evidence import EvidenceIndex
from foldproof.messages import RECALLED, Message, TextPart, recall_in, recalled_messages, recalled_text, results_in

ORIGINALS = [
    Message(role="user", content="Where is order ORD-1001?"),
    Message(role="tool", tool_call_id="1", content='{"order": "ORD-4471", "fee": "$190.00"} note 5555', tool_chars=39),
    Message(role="assistant", content="I think it is ORD-9999."),
]


def recall(text: str) -> Message:
    return Message(role="tool", tool_call_id="9", tool_name="expand", content=text)


@given(conversations)
def test_every_message_comes_back_as_it_was(messages: list[Message]) -> None:
    text = recalled_text(messages, about="a\nb")
    assert text.encode()
    assert text.splitlines()[0] == f"{RECALLED} a b"
    assert recalled_messages(text) == tuple(messages)


def test_half_of_a_surrogate_pair_and_a_line_break_of_unicode_come_back() -> None:
    message = Message(role="tool", tool_call_id="1", content="a\ud800\u2028b\u0085c")
    text = recalled_text([message])
    assert text.encode()
    assert recalled_messages(text) == (message,)


def test_a_text_without_the_mark_is_no_recall() -> None:
    assert recalled_messages("[foldproof recall]") is None
    assert recall_in(["a", "b"]) is None
    assert recalled_messages(RECALLED) == ()


def test_a_line_that_was_cut_off_is_left_out() -> None:
    text = recalled_text(ORIGINALS)
    assert recalled_messages(text[:-9]) == tuple(ORIGINALS[:2])
    assert recalled_messages(f"{text}\n... (shortened)") == tuple(ORIGINALS)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("ORD-4471", "grounded"),
        ("$190.00", "grounded"),
        ("ORD-9999", "invented"),
        ("ORD-1001", "undecidable"),
        ("5555", "invented"),
    ],
)
def test_only_a_recalled_result_is_evidence_again(value: str, verdict: str) -> None:
    for content in (recalled_text(ORIGINALS), (TextPart(text=recalled_text(ORIGINALS)),)):
        message = Message(role="tool", tool_call_id="9", content=content)
        assert [found.verdict for found in EvidenceIndex([message]).judge(f"It is {value}.").values] == [verdict]


def test_the_carrier_of_a_recalled_value_leads_to_it() -> None:
    index = EvidenceIndex([recall(recalled_text([*ORIGINALS, ORIGINALS[1]]))])
    (value,) = index.judge("It is ORD-4471.").values
    assert [(carrier.part, carrier.path, carrier.resolve(index.messages)) for carrier in value.carriers] == [
        (0, "$.order", "ORD-4471"),
        (1, "$.order", "ORD-4471"),
    ]


def test_a_recall_of_a_recall_is_read_to_the_bottom() -> None:
    inner = recall(recalled_text(ORIGINALS))
    index = EvidenceIndex([recall(recalled_text([inner]))])
    assert [value.verdict for value in index.judge("ORD-4471, ORD-9999").values] == ["grounded", "invented"]


def test_the_results_in_a_recall_are_found_to_the_bottom() -> None:
    inner = recall(recalled_text(ORIGINALS))
    assert results_in(recall(recalled_text([*ORIGINALS, inner]))) == [ORIGINALS[1], inner, ORIGINALS[1]]
    assert results_in(recall("ORD-4471")) == results_in(ORIGINALS[2]) == []
    refused = inner.model_copy(update={"not_dispatched": True})
    assert results_in(refused) == []


@given(st.text(max_size=40))
def test_whatever_stands_behind_the_mark_is_read(text: str) -> None:
    assert isinstance(recalled_messages(RECALLED + text), tuple)
    EvidenceIndex([recall(RECALLED + text)]).judge("ORD-4471")


def test_a_result_that_did_not_run_says_nothing_when_it_is_recalled() -> None:
    refused = Message(role="tool", tool_call_id="1", content="ORD-4471", not_dispatched=True)
    assert json.dumps("ORD-4471") in recalled_text([refused])
    assert EvidenceIndex([recall(recalled_text([refused]))]).judge("ORD-4471").values[0].verdict == "invented"


TEXT = recalled_text(ORIGINALS, about="3 messages for ORD-7777")
LINES = TEXT.split("\n")
WRAPPED = {
    "as it is": (TEXT,),
    "behind a line break": (f"\n{TEXT}",),
    "behind a mark of byte order": (f"\ufeff{TEXT}",),
    "behind words": (f"Tool result:\n{TEXT}",),
    "in a tag": (f"<result>\n{TEXT}\n</result>",),
    "as a JSON string": (json.dumps(TEXT),),
    "in a JSON object": (json.dumps({"result": TEXT, "ok": True}),),
    "in a JSON object on several lines": (json.dumps({"result": [{"text": TEXT}]}, indent=2),),
    "in JSON in JSON": (json.dumps({"content": json.dumps([{"type": "text", "text": TEXT}])}),),
    "behind words, in JSON": (f"Here it is: \n{json.dumps({'result': TEXT})}",),
    "without its first line": ("[…]\n" + "\n".join(LINES[1:]),),
    "without its last line's end": (TEXT[:-9],),
    "in two parts": (TEXT[:400], TEXT[400:]),
    "a part a line": tuple(LINES),
    "with the line breaks of Windows": (TEXT.replace("\n", "\r\n"),),
    "as a list of messages": (json.dumps([json.loads(line) for line in LINES[1:]]),),
}


@pytest.mark.parametrize("texts", WRAPPED.values(), ids=WRAPPED)
def test_however_a_host_wraps_a_recall_only_the_tools_words_ground(texts: tuple[str, ...]) -> None:
    content = tuple(TextPart(text=text) for text in texts)
    window = [Message(role="tool", tool_call_id="9", content=content if len(texts) > 1 else texts[0])]
    order, model, person, note, query = EvidenceIndex(window).judge("ORD-4471 ORD-9999 ORD-1001 5555 ORD-7777").values
    assert order.verdict in ("grounded", "undecidable")
    assert order.verdict == "grounded" or len(texts) > 1
    assert model.verdict in ("invented", "undecidable")
    assert person.verdict == "undecidable"  # whether the person said it there nobody can say for sure
    assert note.verdict in ("invented", "undecidable")
    assert query.verdict in ("invented", "undecidable")


def test_a_result_that_happens_to_hold_the_mark_accuses_nobody() -> None:
    log = f"2026-05-01 ORD-4471 shipped\n2026-05-02 {RECALLED} was printed for ORD-5512\n"
    index = EvidenceIndex([recall(log)])
    assert {value.verdict for value in index.judge("ORD-4471 and ORD-5512").values} <= {"undecidable"}
