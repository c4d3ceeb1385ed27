"""What follows from what was read: the closed set, one example an operation, and what is not in the set."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal, Inexact, localcontext
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, ValueVerdict, exempt_forms, workings
from foldproof.messages import FOLDED, OPENINGS, Message

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
        ("Sales were 1,496.5 and 1,202.9, on average 1,349.7.", "1,349.7", "mean"),
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
    exact = {"+": one + other, "-": abs(one - other), "*": one * other, "/": round(one / other, 4)}[operation]
    stated = f"{exact:.10g}"  # 49.0 is stated as 49, which is below the floor
    assume(len(stated.replace(".", "")) > 2 and exact not in (one, other))
    read = [result({"price": one}), result({"price": other})]
    assert [value.verdict for value in judged(f"It is {stated}.", *read).values()] == ["invented"]


@pytest.mark.parametrize("hostile", ["1e9999999", "1e-9999999", "9e999999", "-1e600000"])
def test_a_number_out_of_this_world_takes_part_in_nothing(hostile: str) -> None:
    rows = result(
        f'[{{"id": "R-1", "p_usd": {hostile}, "q_usd": 2, "l": [1, 2]}}, {{"id": "R-2", "p_usd": 5, "q_usd": 3}}]'
    )
    later = result(f'[{{"id": "R-1", "p_usd": -{hostile.lstrip("-")}, "q_usd": 2}}]')
    assert judged("It is $12,345.", rows, later)["$12,345"].verdict == "invented"


def test_a_hosts_decimal_settings_change_nothing() -> None:
    rows = result([{"price": 18450.75}, {"price": 22310.40}, {"price": 9120.10}])
    with localcontext(prec=4) as context:
        context.traps[Inexact] = True
        assert judged("In total $49,881.25.", rows)["$49,881.25"].verdict == "derived"


@pytest.mark.parametrize(
    "answer", ["All three cost -$753.", "The sum of 300 and 200 is -500.", "It is -78%.", "It went up by $284."]
)
def test_a_sign_has_to_be_the_right_one(answer: str) -> None:
    read = [result(FLIGHTS), result('{"a": 300, "b": 200}'), result('{"share": 0.78}')]
    total = [result({"id": "R-100", "total": 500}), result({"id": "R-100", "total": 216})]
    values = judged(answer, *read, *total)
    assert "invented" in {value.verdict for value in values.values()}


def test_a_fall_may_be_said_in_words() -> None:
    total = [result({"id": "R-100", "total": 500}), result({"id": "R-100", "total": 216})]
    assert derived("It fell by $284.", "$284", *total)[0] == "change"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ({"user_id": 5432198}, "It costs $5 million."),
        ({"latitude": 40.7128}, "It costs $40.7."),
        ({"latency_ms": 511.73}, "The fee is $512."),
        ({"order_id": 1709424123}, "It was on 2024-03-03."),
        ("version 3.2 of it", "It is 320%."),
        ("order 4471", "It has 4.47 KB."),
    ],
)
def test_what_names_something_is_no_amount(said: object, answer: str) -> None:
    assert [value.verdict for value in judged(answer, result(said)).values()] == ["invented"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"user_id": "u1", "total": 2787}, {"user_id": "u1", "total": 216}),
        ({"product": "Desk", "order_id": "A-1", "total": 2787}, {"product": "Desk", "order_id": "A-2", "total": 216}),
        ({"status_code": "200", "total": 2787}, {"status_code": "200", "total": 216}),
    ],
)
def test_two_records_that_share_somebody_elses_name_are_two(before: object, after: object) -> None:
    assert judged("It changed by $2,571.", result(before), result(after))["$2,571"].verdict == "invented"


def test_percentages_and_ratios_need_words_that_speak_of_them() -> None:
    disk = result({"disk": "sda1", "used_gb": 30, "total_gb": 50})
    assert derived("sda1 is 60.0% full.", "60.0%", disk)[0] == "ratio"
    assert judged("The fee went to 60.0%.", disk)["60.0%"].verdict == "invented"


def test_two_counts_that_nobody_supplied_make_nothing() -> None:
    assert judged("12 seats left in row 11: 132 in all.", result("x"))["132"].verdict == "invented"


@pytest.mark.parametrize(
    "answer",
    [
        "| Item | Price |\n|---|---|\n| A | $282 |\n| B | $443 |\n| **Total** | **$725** |",
        "1. A: $282\n2. B: $443\n\nTotal: $725",
        "A: $282\nB: $443\nTotal: $725",
        "- A: $282\n- B: $443\n\n---\n**Total: $725**",
    ],
)
def test_a_list_of_any_shape_adds_up(answer: str) -> None:
    read = [result(f"fare {number}") for number in (282, 443)]
    assert derived(answer, "$725", *read) == ("sum", ["$282", "$443"])


def test_a_rate_times_a_quantity_is_money() -> None:
    read = [result("rent $48.50 a day"), Message(role="user", content="for 16 days")]
    assert derived("16 days at $48.50 are $776.00.", "$776.00", *read)[0] == "product"


def test_every_printed_step_may_be_followed() -> None:
    read = [result([{"net": 1140.00}, {"net": 240.50}]), result({"vat": "19%"})]
    answer = "Net: €1,140.00 + €240.50 = €1,380.50.\nVAT (19%): €262.30.\nGross: €1,642.80."
    assert {value.verdict for value in judged(answer, *read).values()} <= {"grounded", "derived"}


def test_the_time_between_two_clocks_or_dates() -> None:
    read = [result("09:00 to 11:45"), result("2024-01-01 to 2024-04-30")]
    assert derived("From 09:00 to 11:45 it takes 165 minutes.", "165 minutes", *read)[0] == "elapsed"
    assert derived("From 2024-01-01 to 2024-04-30 it is 120 days.", "120 days", *read)[0] == "elapsed"
    assert judged("From 09:00 to 11:45 it takes 166 minutes.", *read)["166 minutes"].verdict == "invented"


def test_a_table_may_say_that_it_is_in_millions() -> None:
    table = result("| (in millions) | 2023 |\n|---|---|\n| Revenue | $1,496.2 |\n| Costs | $911.7 |\n")
    assert judged("Revenue was $1,496.2 million.", table)["$1,496.2 million"].verdict == "grounded"
    assert judged("Revenue was $1,496.3 million.", table)["$1,496.3 million"].verdict == "invented"
    plain = result("| Item | 2023 |\n|---|---|\n| Revenue | $1,496.2 |\n| Costs | $911.7 |\n")
    assert judged("Revenue was $1,496.2 million.", plain)["$1,496.2 million"].verdict == "invented"


def test_a_fold_keeps_the_offset_that_the_person_stated() -> None:
    asked = Message(role="user", content="It must be there three days later.")
    frame = Message(
        role="user",
        content=f"{OPENINGS['summary']} a claim",
        folded_exempt=tuple(sorted(exempt_forms([asked]))),
        metadata={FOLDED: {"observations": []}},
    )
    for window in ([asked], [frame]):
        assert derived("So on May 24, 2024.", "May 24, 2024", *window, result("2024-05-21"))[0] == "days"


def test_the_time_does_not_grow_with_the_square_of_the_answer() -> None:
    def seconds(count: int) -> float:
        answer = "\n".join(f"- Price: ${1000 + 7 * number} and $9,{number % 1000:03}" for number in range(count))
        start = process_time()
        EvidenceIndex([result({"a": 1})]).judge(answer)
        return process_time() - start

    seconds(10)
    assert min(seconds(400) / seconds(100) for _ in range(3)) < 10


def test_counts_in_words_are_operands() -> None:
    read = [result({"price": 129}), result({"unit_price": 262.47})]
    assert derived("Three nights at $129 each are $387.", "$387", *read)[0] == "product"
    assert derived("Two at $262.47 come to $524.94.", "$524.94", *read)[0] == "product"
    index = EvidenceIndex(read)
    assert index.judge("Three nights cost $388.").unexamined == 0


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [("-5 °C", "23 °F", "-23 °F"), ("20 °F", "-6.7 °C", "6.7 °C"), ("-40 °C", "-40 °F", "40 °F")],
)
def test_a_temperature_may_change_its_sign(said: str, right: str, wrong: str) -> None:
    found = [judged(f"It is {stated}.", result({"a": said})) for stated in (right, wrong)]
    assert [value.verdict for values in found for value in values.values()] == ["derived", "invented"]


@pytest.mark.parametrize(
    "words", ["Your PIN is", "Flight", "Error", "Invoice", "Room", "See page", "Order", "Ticket no."]
)
def test_what_names_something_adds_up_to_nothing(words: str) -> None:
    rows = result([{"amount": 120}, {"amount": 245}, {"amount": 380}])
    assert judged(f"{words} 745.", rows)["745"].verdict == "invented"
    assert judged("Together 745.", rows)["745"].verdict == "derived"


def test_a_percentage_is_no_sum_of_bare_numbers() -> None:
    read = result({"a": 200, "b": 500})
    assert judged("It rose from 200 to 500, up 300%.", read)["300%"].verdict == "invented"
    assert judged("200 of 500 is 700%.", read)["700%"].verdict == "invented"
    assert derived("It rose from 200 to 500, up 150%.", "150%", read)[0] == "relative change"


def test_parts_of_one_whole_are_alike() -> None:
    assert derived("62.4% is used.", "62.4%", result({"used": 312, "total": 500}))[0] == "ratio"


def test_a_moment_in_seconds_is_compared_in_its_zone() -> None:
    moment = "2024-03-03T00:01:01+01:00"  # 1709420461 seconds since 1970
    assert derived(f"At {moment}.", moment, result({"created_at": 1709420461}))[0] == "epoch"
    assert judged(f"At {moment}.", result({"created_at": 1709424061}))[moment].verdict == "invented"


def test_a_date_that_follows_from_a_duration_does_not_show_it() -> None:
    values = judged("From 2024-01-01 to 2024-04-30 it is 120 days.", result("2024-01-01"))
    assert "invented" in {value.verdict for value in values.values()}
