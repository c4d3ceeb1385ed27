"""Elsewhere: a sentence that names a record and states a value that only other records say."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, ValueVerdict
from foldproof.messages import Message, TextPart

FLIGHTS = result(
    [
        {"number": "HAT136", "price": 152, "seats": 37, "leaves": "08:15:00", "date": "2024-05-20"},
        {"number": "HAT039", "price": 498, "seats": 120, "leaves": "19:45:00", "date": "2024-05-23"},
    ]
)


def judged(answer: str, *messages: Message) -> dict[str, ValueVerdict]:
    return {value.text: value for value in EvidenceIndex(messages).judge(answer).values}


def near(answer: str, text: str, *messages: Message) -> str | None:
    """What the right record says instead of the value `text`, or None when the value is not elsewhere."""
    value = judged(answer, *messages)[text]
    assert value.verdict == "grounded"
    assert value.elsewhere is (value.near is not None)
    return value.near.text if value.near else None


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("HAT136 costs $498.", "$498", "152"),
        ("HAT039 costs $152.", "$152", "498"),
        ("HAT136 leaves at 19:45.", "19:45", "08:15:00"),
        ("HAT136 leaves on 2024-05-23.", "2024-05-23", "2024-05-20"),
        ("HAT136 has 120 seats.", "120", "152"),  # a bare number may be any number of the record
        ("HAT136 costs $152.", "$152", None),
        ("It is $498.", "$498", None),
        ("HAT136 and HAT039 cost $498.", "$498", None),
        ("HAT136 and HAT039 cost $152.", "$152", None),
        ("Of 120 seats, HAT136 has one at $498.", "$498", "152"),  # 120 names nothing
        ("HAT136, of 120 seats, has one at $498.", "$498", "152"),
        ("$498 is what HAT136 costs.", "$498", "152"),
    ],
)
def test_a_value_that_only_another_record_says_is_elsewhere(answer: str, text: str, expected: str | None) -> None:
    assert near(answer, text, FLIGHTS) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("HAT136 is full. It is $498.", None),
        ("HAT136 is full! It is $498.", None),
        ("Is HAT136 full? It is $498.", None),
        ("HAT136\nIt is $498", None),
        ("It is $498. HAT136 is full.", None),
        ("It is $498\nHAT136 is full.", None),
        ("HAT136 is v1.full, it is $498.", "152"),  # a full stop within a word ends nothing
        ("All right. HAT136 is $498. All right.", "152"),
        ("HAT039 is left. HAT136 is $498.", "152"),
        ("HAT136 is $498. HAT039 is left.", "152"),
    ],
)
def test_a_sentence_ends_with_its_line_or_where_a_space_follows(answer: str, expected: str | None) -> None:
    assert near(answer, "$498", FLIGHTS) == expected


def test_counts_and_names_are_no_amounts() -> None:
    rows = result([{"number": "HAT136", "seats": 497, "price": 152}, {"number": "HAT039", "seats": 9, "price": 498}])
    assert near("HAT136 costs $498.", "$498", rows) == "152"
    only = result([{"number": "HAT136", "seats": 497}, {"number": "HAT039", "price": 498}])
    assert near("HAT136 costs $498.", "$498", only) is None


def test_the_closest_of_several_values_of_the_record_is_near() -> None:
    rows = result([{"number": "HAT136", "low": 152, "high": 460, "top": 900}, {"number": "HAT039", "price": 498}])
    assert near("HAT136 costs $498.", "$498", rows) == "460"
    clocks = result([{"number": "HAT136", "out": "08:15", "back": "19:40"}, {"number": "HAT039", "out": "19:45"}])
    assert near("HAT136 leaves at 19:45.", "19:45", clocks) == "19:40"


def test_of_equally_close_values_the_first_is_near() -> None:
    rows = result([{"number": "HAT136", "low": 488, "high": 508}, {"number": "HAT039", "price": 498}])
    assert near("HAT136 costs $498.", "$498", rows) == "488"


def test_what_somebody_supplied_is_not_elsewhere() -> None:
    assert near("HAT136 costs $498.", "$498", FLIGHTS, Message(role="user", content="at $498?")) is None


def test_what_stands_beside_all_records_is_not_elsewhere() -> None:
    assert near("HAT136 costs $498.", "$498", FLIGHTS, result("The fee is 498.")) is None
    assert near("HAT136 costs $498.", "$498", FLIGHTS, result("498")) is None


def test_what_stands_inside_the_record_or_in_what_it_is_part_of_is_not_elsewhere() -> None:
    trips = [
        {"id": "TRIP-1", "fee": 498, "legs": [{"number": "HAT136", "fares": [{"kind": "a", "price": 152}]}]},
        {"id": "TRIP-2", "fee": 77, "legs": [{"number": "HAT039", "fares": [{"kind": "b", "price": 603}]}]},
    ]
    said = result(trips)
    assert near("HAT136 has a fee of $498.", "$498", said) is None
    assert near("TRIP-1 has a fare of $152.", "$152", said) is None
    assert near("HAT136 has a fare of $603.", "$603", said) == "152"
    assert near("TRIP-1 has a fare of $603.", "$603", said) == "498"


def test_a_record_whose_name_only_begins_alike_is_another() -> None:
    rows = result([{"number": f"HAT{row:03}", "price": 100 + row * 7} for row in range(12)])
    assert near("HAT001 costs $177.", "$177", rows) == "107"  # $[1] is not $[11]


def test_an_identifier_names_a_record_only_in_an_identity_or_a_key() -> None:
    rows = result([{"number": "HAT136", "next": "HAT555", "price": 152}, {"number": "HAT039", "price": 498}])
    assert near("HAT555 costs $498.", "$498", rows) is None
    keyed = result({"HAT136": {"price": 152}, "HAT039": {"price": 498}})
    assert near("HAT136 costs $498.", "$498", keyed) == "152"


def test_a_record_that_only_mentions_the_name_counts_as_named_too() -> None:
    rows = [{"number": "HAT136", "price": 152}, {"number": "HAT039", "with": "HAT136", "price": 498}]
    assert near("HAT136 costs $498.", "$498", result(rows)) is None


def test_a_name_of_one_record_in_each_of_two_results_names_both() -> None:
    other = result([{"number": "HAT136", "paid": 777}, {"number": "HAT039", "paid": 888}])
    assert near("HAT136 costs $777.", "$777", FLIGHTS, other) is None
    assert near("HAT136 costs $888.", "$888", FLIGHTS, other) == "777"


def test_the_parts_of_a_message_are_results_of_their_own() -> None:
    parts = Message(
        role="tool",
        tool_call_id="c",
        content=(
            TextPart(text='[{"number": "HAT136", "price": 152}, {"number": "HAT039", "price": 498}]'),
            TextPart(text='[{"number": "HAT039", "paid": 603}, {"number": "HAT136", "paid": 888}]'),
        ),
    )
    assert near("HAT136 costs $888.", "$888", parts) is None
    assert near("HAT136 costs $603.", "$603", parts) in {"152", "888"}
    assert near("HAT136 costs $498.", "$498", parts) in {"152", "888"}


def test_one_name_that_is_unknown_says_nothing_of_the_sentence() -> None:
    assert near("HAT136 and a@b.com cost $498.", "$498", FLIGHTS, result("mail a@b.com")) is None


def test_near_leads_to_the_cell_of_the_right_record() -> None:
    found = judged("HAT136 costs $498.", FLIGHTS)["$498"].near
    assert found is not None
    assert [(carrier.path, carrier.record, carrier.column) for carrier in found.carriers] == [
        ("$[0].price", "$[0]", "price")
    ]
    assert found.form == "152"


def test_near_is_what_the_right_record_says_though_others_say_it_too() -> None:
    found = judged("HAT136 costs $498.", FLIGHTS, result("is 152 ."))["$498"].near
    assert found is not None
    assert [(carrier.message, carrier.path) for carrier in found.carriers] == [(0, "$[0].price")]


def test_a_value_that_many_records_say_is_looked_for_in_all_of_them() -> None:
    rows = [{"number": f"HAT{row:03}", "price": 498, "tax": row} for row in range(100, 112)]
    assert near("HAT111 costs $498.", "$498", result(rows)) is None
    rows[-1]["price"] = 152
    assert near("HAT111 costs $498.", "$498", result(rows)) == "152"


def test_names_themselves_are_never_elsewhere() -> None:
    rows = result([{"number": "HAT136", "mail": "a1@b.com"}, {"number": "HAT039", "mail": "c2@d.com"}])
    assert near("HAT136 writes to c2@d.com.", "c2@d.com", rows) is None
