"""What follows from what was read: the closed set, one example an operation, and what is not in the set."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, ValueVerdict, workings
from foldproof.messages import Message

FLIGHTS = {
    "reservation": "JG7FMM",
    "passengers": [{"name": "Mia"}, {"name": "Ann"}, {"name": "Lee"}],
    "flights": [
        {"number": "HAT136", "price": 152, "seats": 9, "cabin": "economy"},
        {"number": "HAT039", "price": 103, "seats": 118, "cabin": "economy"},
        {"number": "HAT271", "price": 498, "seats": 240, "cabin": "business"},
    ],
}


def judged(answer: str, *messages: Message) -> dict[str, ValueVerdict]:
    return {value.text: value for value in EvidenceIndex(messages).judge(answer).values}


def derived(answer: str, text: str, *messages: Message) -> tuple[str, list[str]]:
    """The operation and the operands' spellings of the value `text`, checked to lead back to what was read."""
    value = judged(answer, *messages)[text]
    assert value.verdict == "derived", value
    assert value.derivation is not None
    for operand in value.derivation.operands:
        assert all(carrier.resolve(messages) == carrier.text for carrier in operand.carriers)
        if operand.start is not None:
            assert answer[operand.start : operand.end] == operand.text
    return value.derivation.operation, [operand.text for operand in value.derivation.operands]


@pytest.mark.parametrize(
    ("answer", "text", "operation", "operands"),
    [
        ("All three flights together cost $753.", "$753", "sum", ["152", "103", "498"]),
        ("The two economy flights cost $255.", "$255", "sum", ["152", "103"]),
        ("A flight costs $251 on average.", "$251", "mean", ["152", "103", "498"]),
        ("For everyone that is $2,259.", "$2,259", "times", ["152", "103", "498"]),
    ],
)
def test_aggregates_of_one_list(answer: str, text: str, operation: str, operands: list[str]) -> None:
    assert derived(answer, text, result(FLIGHTS)) == (operation, operands)


def test_a_nested_list_is_a_list_of_its_own() -> None:
    routes = [[{"price": 152}, {"price": 103}], [{"price": 158}, {"price": 104}]]
    assert derived("The trip costs $262.", "$262", result(routes)) == ("sum", ["158", "104"])


def test_a_table_in_text_is_a_list_too() -> None:
    table = result("region,units\nnorth,1250\nsouth,1875\n")
    assert derived("3,125 units in all.", "3,125", table) == ("sum", ["1250", "1875"])


def test_columns_of_like_unit_are_set_against_each_other() -> None:
    disks = result([{"disk": "a", "used_tb": 30, "total_tb": 50}, {"disk": "b", "used_tb": 29.2, "total_tb": 50}])
    assert derived("59.2% is used.", "59.2%", disks)[0] == "ratio"
    assert derived("40.8% is free.", "40.8%", disks)[0] == "complement"
    assert derived("40.8 TB are free.", "40.8 TB", disks)[0] == "difference"


def test_columns_of_unlike_unit_are_not() -> None:
    rows = result([{"price": 400, "seats": 150}, {"price": 300, "seats": 130}])
    assert judged("That leaves 420.", rows)["420"].verdict == "invented"


def test_a_mean_is_derived_only_where_the_answer_speaks_of_one() -> None:
    assert judged("The flight costs $251.", result(FLIGHTS))["$251"].verdict == "invented"


def test_seats_are_no_money() -> None:
    assert derived("There are 367 seats.", "367", result(FLIGHTS))[0] == "sum"
    assert judged("It costs $367.", result(FLIGHTS))["$367"].verdict == "invented"


def test_the_change_of_a_field_between_two_results() -> None:
    before, after = result({"id": "R-100", "total": 2787}), result({"id": "R-100", "total": 216})
    assert derived("You get $2,571 back.", "$2,571", before, after) == ("change", ["2787", "216"])
    other = result({"id": "R-200", "total": 216})
    assert judged("You get $2,571 back.", before, other)["$2,571"].verdict == "invented"


@pytest.mark.parametrize(
    ("said", "answer", "text", "operation"),
    [
        ("size: 34359738368", "The disk has 32 GB.", "32 GB", "unit"),
        ("total 1500 GB", "It has 1.5 TB.", "1.5 TB", "unit"),
        ('{"took": "120 minutes"}', "It took 7,200 seconds.", "7,200 seconds", "unit"),
        ('{"share": 0.78}', "That is 78%.", "78%", "unit"),
        ('{"latency_ms": 12500}', "It took 12.5 seconds.", "12.5 seconds", "unit"),
        ("fee 0.25%", "The fee is 25 bps.", "25 bps", "unit"),
        ("it is 21 °C", "It is 69.8 °F.", "69.8 °F", "unit"),
        ("errors: 38.9%", "61.1% went well.", "61.1%", "complement"),
        ('{"created_at": 1709424000}', "It was made on 2024-03-03.", "2024-03-03", "epoch"),
    ],
)
def test_one_number_in_another_unit(said: str, answer: str, text: str, operation: str) -> None:
    assert derived(answer, text, result(said))[0] == operation


@pytest.mark.parametrize(
    ("answer", "text", "operation"),
    [
        ("Sales were 1,496.5 and 1,202.9, a change of 293.6.", "293.6", "difference"),
        ("Sales were 1,496.5 and 1,202.9, up 24.41%.", "24.41%", "relative change"),
        ("Sales were 1,496.5 and 1,202.9, a ratio of 1.244.", "1.244", "ratio"),
        ("Sales were 1,496.5, 1,202.9 and 1,107.7: 3,807.1 in all.", "3,807.1", "sum"),
        ("Sales were 1,496.5 and 1,202.9: 1,349.7 a year.", "1,349.7", "mean"),
        ("Sales were 1,496.5 and 1,202.9.\n\nThat is 293.6 more.", "293.6", "difference"),
        ("That is 293.6 more:\nSales were 1,496.5 and 1,202.9.", "293.6", "difference"),
        ("2 years of 1,202.9 are 2,405.8.", "2,405.8", "product"),
    ],
)
def test_operands_that_stand_beside_the_value(answer: str, text: str, operation: str) -> None:
    read = [result(f"total {number}") for number in ("1,496.5", "1,202.9", "1,107.7")]
    assert derived(answer, text, *read)[0] == operation


def test_operands_further_away_are_none() -> None:
    read = [result("total 1,496.5"), result("total 1,202.9")]
    answer = "Sales were 1,496.5 and 1,202.9.\nWe looked it up.\nThat is 293.6 more."
    assert judged(answer, *read)["293.6"].verdict == "invented"


def test_an_operand_that_nobody_supplied_is_none() -> None:
    assert judged("1,496.5 less 1,202.9 is 293.6.", result("total 1,496.5"))["293.6"].verdict == "invented"


def test_a_middle_value_has_to_be_printed() -> None:
    read = [result("fare 112"), result("fare 104"), result("paid 2,787")]
    printed = "112 + 104 is 216; 2,787 - 216 is 2,571."
    assert derived(printed, "2,571", *read) == ("difference", ["2,787", "216"])
    assert judged("Of 2,787, less 112 and 104, 2,571 are left.", *read)["2,571"].verdict == "invented"


def test_a_list_in_the_answer_adds_up() -> None:
    read = [result(f"fare {number}") for number in (282, 443)]
    items = "New prices:\n- IAH to SFO: $282\n- SFO to IAH: $443\n- Total: $725\n"
    assert derived(items, "$725", *read) == ("sum", ["$282", "$443"])
    labelled = "Out\n- Price: $282\n- Meal: none\n\nBack\n- Price: $443\n\nThe price of the trip is $725."
    assert derived(labelled, "$725", *read) == ("sum", ["$282", "$443"])


def test_what_an_earlier_answer_derived_may_be_repeated() -> None:
    read = [result("fare 282"), result("fare 443")]
    earlier = Message(role="assistant", content="$282 and $443 make $725; I also invent $726.")
    value = judged("Shall I charge the $725?", *read, earlier)["$725"]
    assert (value.verdict, value.derivation and value.derivation.operation) == ("derived", "sum")
    assert value.derivation is not None
    assert [(operand.text, operand.start) for operand in value.derivation.operands] == [("$282", None), ("$443", None)]
    assert judged("Shall I charge the $726?", *read, earlier)["$726"].verdict == "invented"
    too_early = Message(role="assistant", content="$282 and $443 make $725.")
    assert judged("Shall I charge the $725?", too_early, *read)["$725"].verdict == "invented"


@pytest.mark.parametrize(
    ("said", "answer", "text"),
    [
        ("2024-05-21", "You leave the next day, on May 22, 2024.", "May 22, 2024"),
        ("2024-05-21", "A day earlier, on 2024-05-20.", "2024-05-20"),
        ("2024-12-25", "Two weeks later is January 8, 2025.", "January 8, 2025"),
        ('{"date": "2024-05-21", "arrives": "00:30:00+1"}', "You land on May 22, 2024.", "May 22, 2024"),
    ],
)
def test_a_date_and_a_stated_offset(said: str, answer: str, text: str) -> None:
    assert derived(answer, text, result(said))[0] == "days"


def test_a_date_without_an_offset_is_invented() -> None:
    assert judged("You leave on May 22, 2024.", result("2024-05-21"))["May 22, 2024"].verdict == "invented"
    back = "The day before is May 22, 2024."
    assert judged(back, result("2024-05-21"))["May 22, 2024"].verdict == "invented"


@pytest.mark.parametrize(
    ("said", "stated", "grounded"),
    [
        ("85.19", "85%", True),
        ("9.99", "10.0", True),
        ("0.0523", "0.052", True),
        ("181674817", "$181 million", True),
        ("181674817", "$182 million", True),
        ("181674817", "$180 million", False),
        ("85.19", "85.0%", False),
        ("8234", "8,000", False),
        ("85.19 EUR", "$85", False),
        ("-85.19", "85.2", False),
    ],
)
def test_a_rounding_is_at_the_answers_own_precision(said: str, stated: str, grounded: bool) -> None:  # noqa: FBT001
    (value,) = judged(f"It is {stated}.", result(said)).values()
    assert (value.verdict, value.how) == (("grounded", "rounded") if grounded else ("invented", None))


def test_words_that_put_a_minus_sign() -> None:
    paid = result({"amount": -2571})
    assert judged("A refund of $2,571.", paid)["$2,571"].verdict == "grounded"
    assert judged("An additional charge of $2,571.", paid)["$2,571"].verdict == "invented"


def test_rivals_make_it_ambiguous() -> None:
    tables = result({"a": [{"price": 152}, {"price": 103}], "b": [{"price": 151}, {"price": 104}]})
    value = judged("In total $255.", tables)["$255"]
    assert (value.verdict, value.how) == ("derived", "ambiguous")
    assert value.derivation is not None
    assert (value.derivation.rivals, value.derivation.is_ambiguous) == (1, True)


def test_past_a_bound_nothing_is_cleared_and_nobody_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workings, "MOST_AGGREGATES", 0)
    values = judged("All three cost $753, ORD-1234.", result(FLIGHTS))
    assert (values["$753"].verdict, values["ORD-1234"].verdict) == ("undecidable", "invented")


amounts = st.lists(st.decimals(100, 9999, places=2), min_size=2, max_size=8)


@given(amounts, st.sampled_from(["sum", "mean"]))
def test_what_a_column_comes_to_is_derived(column: list[Decimal], operation: str) -> None:
    total = sum(column, Decimal(0))
    exact = total if operation == "sum" else (total / len(column)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    rows = json.dumps([{"id": f"R-{row}", "price": float(price)} for row, price in enumerate(column)])
    (value,) = judged(f"Together or on average: ${exact}.", result(rows)).values()
    assert value.verdict in ("derived", "grounded")


@given(st.integers(100, 99_999), st.integers(100, 99_999), st.sampled_from(["+", "-", "*", "/"]))
def test_never_an_arbitrary_pair(one: int, other: int, operation: str) -> None:
    """Numbers of different results, and of no column, are not set against each other."""
    exact = {"+": one + other, "-": abs(one - other), "*": one * other, "/": round(one / other, 3)}[operation]
    assume(len(str(exact).replace(".", "")) > 2 and exact not in (one, other))
    read = [result({"price": one}), result({"price": other})]
    assert [value.verdict for value in judged(f"It is {exact:.10g}.", *read).values()] == ["invented"]
