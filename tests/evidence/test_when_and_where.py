"""When a value was said, by which result, whether that is still in the window, and in which record."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue
from tests.evidence.generators import result

from foldproof import SlidingWindow
from foldproof.evidence import Citation, EvidenceIndex, EvidenceOptions, ValueVerdict
from foldproof.evidence.reading import evidence_in
from foldproof.messages import FOLDED, OPENINGS, Message, ToolCall


def person(text: str) -> Message:
    return Message(role="user", content=text)


def values_of(index: EvidenceIndex, answer: str, **options: object) -> dict[str, ValueVerdict]:
    judgement = index.judge(answer, options=EvidenceOptions.model_validate(options) if options else None)
    return {value.text: value for value in judgement.values}


def test_the_latest_message_that_said_it() -> None:
    index = EvidenceIndex([result("order 4471"), result("order 4472"), result("order 4471")])
    values = values_of(index, "Orders 4471 and 4472.")
    assert (values["4471"].latest, values["4472"].latest) == (2, 1)


def test_an_answer_that_rests_on_earlier_turns() -> None:
    index = EvidenceIndex([person("the order?"), result("order 4471"), person("once more?")])
    judgement = index.judge("Order 4471.")
    assert (judgement.is_prior_turn_evidence, judgement.carried_by) == (True, ())
    index.extend([result("order 4471")])
    assert not index.judge("Order 4471.").is_prior_turn_evidence
    assert not EvidenceIndex([person("order 4471")]).judge("Order 4471.").is_prior_turn_evidence


def test_which_results_of_the_turn_an_answer_cites() -> None:
    old = result("order 4470", call="old")
    now = [
        result("order 4471, order 4472", call="a"),
        result("order 4472, fee $190", call="b"),
        result("4473", call="c"),
    ]
    judgement = EvidenceIndex([old, person("and now?"), *now]).judge("Orders 4470, 4471 and 4472; the fee is $190.")
    assert judgement.carried_by == (Citation(2, "a", 2, 1), Citation(3, "b", 2, 1))


def test_the_list_of_cited_results_is_whole_or_not_given() -> None:
    eight = [result("order 4471") for _ in range(8)]
    cited = EvidenceIndex([person("?"), *eight]).judge("Order 4471.").carried_by
    assert cited is not None
    assert len(cited) == 8
    assert EvidenceIndex([person("?"), *eight, result("order 4471")]).judge("Order 4471.").carried_by is None


def history() -> list[Message]:
    messages = [person("What did I order?")]
    for number in range(4471, 4481):
        messages.append(Message(role="assistant", tool_calls=(ToolCall(id=f"c{number}", name="find", args={}),)))
        messages.append(result(json.dumps({"order": f"ORD-{number}"}), call=f"c{number}"))
    return messages


def test_what_a_fold_took_is_folded_and_still_grounds() -> None:
    messages = history()
    visit = SlidingWindow(keep_recent_turns=3, keep_last_tool_results=0).visit(messages)
    assert visit.changed
    frame = next(message for message in visit.messages if message not in messages)
    index = EvidenceIndex([*messages, frame])
    values = values_of(index, "ORD-4471 and ORD-4480.")
    assert [(value.verdict, value.folded, value.in_view) for value in values.values()] == [
        ("grounded", True, False),
        ("grounded", False, True),
    ]
    window = values_of(index, "ORD-4471 and ORD-4480.", scope="window")
    assert [value.verdict for value in window.values()] == ["invented", "grounded"]
    assert window["ORD-4480"].carriers
    again = EvidenceIndex([*messages, frame, messages[2]])
    assert values_of(again, "ORD-4471", scope="window")["ORD-4471"].verdict == "grounded"


def test_a_window_alone_judges_like_the_reference_with_its_scope() -> None:
    visit = SlidingWindow(keep_recent_turns=3, keep_last_tool_results=0).visit(history())
    index = EvidenceIndex(visit.messages)
    assert values_of(index, "ORD-4471")["ORD-4471"].verdict == "undecidable"
    assert values_of(index, "ORD-4471", scope="window")["ORD-4471"].verdict == "invented"


@pytest.mark.parametrize(
    ("said", "stated", "verdict", "how"),
    [
        ("4111111111111239", "the card ending in 1239", "grounded", "suffix"),
        ("4111111111111239", "the card ending in 1238", "invented", None),
        ("4111111111111239", "the number 1239", "invented", None),
        ("4111111111111239", "the card ****1239", "grounded", "suffix"),
    ],
)
def test_the_end_of_a_longer_number(said: str, stated: str, verdict: str, how: str | None) -> None:
    (value,) = values_of(EvidenceIndex([result({"card": said})]), f"It is {stated}.").values()
    assert (value.verdict, value.how) == (verdict, how)


def test_a_value_knows_its_record_and_its_column() -> None:
    index = EvidenceIndex(
        [result({"flights": [{"number": "HAT136"}, {"number": "HAT039", "prices": {"economy": 152}}]})]
    )
    carrier = values_of(index, "It is $152.")["$152"].carriers[0]
    assert (carrier.record, carrier.column) == ("$.flights[1]", "prices.economy")
    csv = values_of(EvidenceIndex([result("flight,price\nHAT136,152\nHAT039,498\n")]), "It is $152.")["$152"].carriers[
        0
    ]
    assert (csv.record, csv.column) == ("line 2", "price")
    prose = values_of(EvidenceIndex([result("It is 152 dollars.")]), "It is $152.")["$152"].carriers[0]
    assert (prose.record, prose.column) == (None, None)


FLIGHTS = result(
    {"date": "2024-05-20", "flights": [{"number": "HAT136", "price": 152}, {"number": "HAT039", "price": 498}]}
)


@pytest.mark.parametrize(
    ("answer", "text", "elsewhere"),
    [
        ("Flight HAT136 costs $498.", "$498", True),
        ("Flight HAT136 costs $152.", "$152", False),
        ("Flight HAT136 costs less. The other is $498.", "$498", False),
        ("Flights HAT136 and HAT039 cost up to $498.", "$498", False),
        ("Flight HAT136 leaves on May 20, 2024.", "May 20, 2024", False),
        ("Some flight costs $498.", "$498", False),
    ],
)
def test_a_value_of_another_record_is_elsewhere(answer: str, text: str, elsewhere: bool) -> None:  # noqa: FBT001
    value = values_of(EvidenceIndex([FLIGHTS]), answer)[text]
    assert (value.verdict, value.elsewhere) == ("grounded", elsewhere)


def test_a_number_names_a_record_where_it_stands_as_a_name() -> None:
    orders = result([{"order_id": 4471, "total": 152}, {"order_id": 4472, "total": 498}])
    assert values_of(EvidenceIndex([orders]), "Order 4471 costs $498.")["$498"].elsewhere
    assert not values_of(EvidenceIndex([orders]), "Order 4472 costs $498.")["$498"].elsewhere


def test_a_judgement_does_not_change_when_more_is_read() -> None:
    index = EvidenceIndex([FLIGHTS])
    value = values_of(index, "Flight HAT136 costs $498.", scope="window")["$498"]
    note: dict[str, JsonValue] = {"observations": list(evidence_in([FLIGHTS]))}
    frame = Message(role="user", content=OPENINGS["drop-notice"], metadata={FOLDED: note})
    index.extend([person("498 please"), frame])
    assert (value.elsewhere, len(value.carriers)) == (True, 1)


def test_what_an_answer_derives_is_cited_too() -> None:
    rows = result([{"price": 152}, {"price": 103}], call="now")
    judgement = EvidenceIndex([result("order 4471"), person("?"), rows]).judge("Order 4471 costs $255 in total.")
    assert judgement.carried_by == (Citation(2, "now", 1, 1),)
    assert not judgement.is_prior_turn_evidence


def test_near_names_the_value_of_the_right_record() -> None:
    near = values_of(EvidenceIndex([FLIGHTS]), "Flight HAT136 costs $498.")["$498"].near
    assert near is not None
    assert (near.text, near.carriers[0].path) == ("152", "$.flights[0].price")
    assert values_of(EvidenceIndex([FLIGHTS]), "Flight HAT136 costs $152.")["$152"].near is None


def test_an_identifier_of_two_records_names_neither() -> None:
    twice = result(
        [{"number": "HAT136", "price": 152}, {"number": "HAT136", "price": 210}, {"number": "X99Q", "price": 498}]
    )
    assert not values_of(EvidenceIndex([twice]), "Flight HAT136 costs $498.")["$498"].elsewhere


def test_a_record_of_another_result_is_the_right_one_too() -> None:
    booking = result({"number": "HAT136", "paid": 498})
    assert not values_of(EvidenceIndex([FLIGHTS, booking]), "Flight HAT136 costs $498.")["$498"].elsewhere
