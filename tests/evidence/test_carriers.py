"""Carriers: where a value was read, and the way back to the text."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.errors import UsageError
from foldproof.evidence import Carrier, EvidenceIndex
from foldproof.messages import Message, TextPart


def carriers(answer: str, *messages: Message) -> tuple[Carrier, ...]:
    (value,) = EvidenceIndex(messages).judge(answer).values
    for carrier in value.carriers:
        assert carrier.resolve(messages) == carrier.text
    return value.carriers


def test_a_carrier_of_json_knows_call_block_path_span_record_and_column() -> None:
    said = result('{"a": 1} {"flights": [{"note": "costs $152 now"}]}', call="c7")
    (carrier,) = carriers("It is $152.", said)
    assert carrier == Carrier(
        message=0,
        tool_call_id="c7",
        tool_name="lookup",
        block=1,
        path="$.flights[0].note",
        start=6,
        end=10,
        text="$152",
        record="block 1 $.flights[0]",
        column="note",
    )


def test_a_carrier_of_text_counts_in_the_text_of_its_part() -> None:
    parts = (TextPart(text="nothing here"), TextPart(text="name,price\nHAT136,$152\nHAT039,$498\n"))
    (carrier,) = carriers("It is $152.", Message(role="tool", tool_call_id="c", content=parts))
    assert (carrier.part, carrier.block, carrier.path) == (1, None, None)
    assert (carrier.start, carrier.end, carrier.record, carrier.column) == (18, 22, "line 2", "price")


def test_a_value_in_prose_has_no_record() -> None:
    (carrier,) = carriers("It is $152.", result("a fare of $152, they say"))
    assert (carrier.start, carrier.end, carrier.record, carrier.column) == (10, 14, None, None)


def test_a_value_in_a_key_is_marked_so() -> None:
    (carrier,) = carriers("ORD-4471", result({"ORD-4471": {"fee": 1}}))
    assert (carrier.in_key, carrier.path, carrier.text) == (True, "$['ORD-4471']", "ORD-4471")
    (carrier,) = carriers("ORD-4471", result({"order": "ORD-4471"}))
    assert not carrier.in_key


@pytest.mark.parametrize(
    ("key", "path"), [("fee", "$.fee"), ("_fee2", "$._fee2"), ("2fee", "$['2fee']"), ("a b", "$['a b']")]
)
def test_a_path_quotes_what_is_no_plain_name(key: str, path: str) -> None:
    assert [carrier.path for carrier in carriers("ORD-4471", result({key: "ORD-4471"}))] == [path]


@pytest.mark.parametrize("padding", [0, 100, 5_000])
def test_the_first_spelling_in_a_leaf_is_named_however_long_the_leaf(padding: int) -> None:
    text = f"{'x ' * padding}order ORD-4471, then ORD-4472 and ord-4471"
    (carrier,) = carriers("ORD-4471", result({"note": text}))
    assert (carrier.text, carrier.start) == ("ORD-4471", 2 * padding + 6)
    (carrier,) = carriers("ORD-4472", result({"note": text}))
    assert carrier.start == 2 * padding + 21


def test_a_carrier_does_not_lead_into_other_messages() -> None:
    (carrier,) = carriers("ORD-4471", result("x"), result({"order": "ORD-4471"}))
    for messages in ([], [result("x")], [result("x"), result({"other": "ORD-4471"})], [result("x"), result("y")]):
        with pytest.raises(UsageError, match=r"carrier \$\.order of message 1 leads nowhere"):
            carrier.resolve(messages)
    (plain,) = carriers("ORD-4471", result("ORD-4471"))
    with pytest.raises(UsageError, match="carrier text of message 0 leads nowhere"):
        plain.resolve([])


def test_of_several_parts_each_is_read_by_its_own_layout() -> None:
    parts = (
        TextPart(text='[{"fee": "$152"}]'),
        TextPart(text="name,price\nHAT136,$152\nHAT039,$498\n"),
        TextPart(text='"$152"'),
    )
    found = carriers("It is $152.", Message(role="tool", tool_call_id="c", content=parts))
    assert [(carrier.part, carrier.record, carrier.column) for carrier in found] == [
        (0, "$[0]", "fee"),
        (1, "line 2", "price"),
        (2, "$", ""),
    ]


def test_a_carrier_of_text_behind_json_counts_from_the_start_of_the_text() -> None:
    text = '{"a": 1}\nname,price\nHAT136,$152\nHAT039,$498\n'
    (carrier,) = carriers("It is $498.", result(text))
    assert (carrier.start, carrier.block) == (text.index("$498"), None)
    assert (carrier.record, carrier.column) == ("line 4", "price")


def test_in_messages_that_were_changed_a_carrier_leads_to_what_stands_there_now() -> None:
    (carrier,) = carriers("It is ORD-1001.", result('{"order": "ORD-1001"}'))
    assert carrier.resolve([result('{"order": "ORD-1002"}')]) == "ORD-1002"
