"""How values of an answer follow: from which operands, how far away, in how many steps, and when nobody can tell."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions, ValueVerdict
from foldproof.messages import Message


def judged(answer: str, *messages: Message) -> dict[str, ValueVerdict]:
    return {value.text: value for value in EvidenceIndex(messages).judge(answer).values}


def person(text: str) -> Message:
    return Message(role="user", content=text)


def way(answer: str, text: str, *messages: Message) -> str | None:
    """How the value `text` of an answer follows: the operation and its operands (`sum of 152, 103`)."""
    found = judged(answer, *messages)[text].derivation
    return f"{found.operation} of {', '.join(each.text for each in found.operands)}" if found else None


def fares(*amounts: object) -> list[Message]:
    return [result(f"fare {amount}") for amount in amounts]


# Dates


@pytest.mark.parametrize(
    ("said", "answer", "text", "expected"),
    [
        ("2024-05-21", "A week later is May 28, 2024.", "May 28, 2024", "days of 2024-05-21, +7 days"),
        ("2024-05-21", "A week earlier is May 14, 2024.", "May 14, 2024", "days of 2024-05-21, -7 days"),
        ("May 21", "A week later is May 28.", "May 28", "days of May 21, +7 days"),
        ("December 30", "Three days later is January 2.", "January 2", "days of December 30, +3 days"),
        ("February 28", "The next day is March 1.", "March 1", "days of February 28, +1 days"),
        ("May 21", "A week later is May 28, 2024.", "May 28, 2024", None),  # nobody gave a year
        ("2024-05-21", "A week later is May 28, 2025.", "May 28, 2025", None),
        (
            "2024-05-21",
            "That is 7.\nA week later it is.\nIt is 2024-05-28.",
            "2024-05-28",
            "days of 2024-05-21, +7 days",
        ),
        ("2024-05-21", "It is 2024-05-28.\nA week later, that is.", "2024-05-28", "days of 2024-05-21, +7 days"),
        ("2024-05-21", "A week later.\nWe saw it.\nIt is 2024-05-28.", "2024-05-28", None),
        ("2024-05-21", "It is 2024-05-28.\nWe saw it.\nA week later.", "2024-05-28", None),
        (
            "2024-05-21",
            "It is 2024-05-28.\nA week later.\nSo it is.\nIndeed.",
            "2024-05-28",
            "days of 2024-05-21, +7 days",
        ),
        ("2024-05-21", "It is a week.\nLater we saw it: 2024-05-28.", "2024-05-28", "days of 2024-05-21, +7 days"),
        ("2024-05-21", "The one\nday later is 2024-05-22.", "2024-05-22", "days of 2024-05-21, +1 days"),
    ],
)
def test_a_date_is_so_many_days_from_one_that_a_tool_said(
    said: str, answer: str, text: str, expected: str | None
) -> None:
    assert way(answer, text, result(said)) == expected


def test_the_smaller_of_two_offsets_is_tried_first() -> None:
    around = [result("2024-05-21"), result("2024-05-26")]
    both = "It is 2024-05-22, one day later than one, four days earlier than the other."
    assert way(both, "2024-05-22", *around) == "days of 2024-05-21, +1 days"
    read = [result("2024-05-21"), result("2024-05-24")]
    answer = "Four days or one day earlier or three days earlier is 2024-05-23."
    value = judged("It is 2024-05-25, one day later than one, four days later than another.", *read)["2024-05-25"]
    assert value.derivation is not None
    assert (value.derivation.operands[1].text, value.how) == ("+1 days", "ambiguous")
    assert way(answer, "2024-05-23", *read) == "days of 2024-05-24, -1 days"


@pytest.mark.parametrize(
    ("given", "answer", "text", "operand"),
    [
        ("from 2024-05-21", "A week later is 2024-05-28.", "2024-05-28", "2024-05-21"),
        ("from May 21, please", "A week later is May 28.", "May 28", "--05-21"),
        ("from May 21, please", "A week later is 2024-05-28.", "2024-05-28", "2024-05-21"),
        ("from May 22, please", "A week later is May 28.", "May 28", None),
        ("from May 22, please", "A week later is 2024-05-28.", "2024-05-28", None),
    ],
)
def test_a_date_is_counted_from_one_that_the_person_gave(
    given: str, answer: str, text: str, operand: str | None
) -> None:
    found = judged(answer, person(given))[text].derivation
    assert (found and found.operands[0].text) == operand
    assert found is None or found.operands[0].carriers == ()


def test_the_day_that_is_counted_from_leads_back_to_the_tool() -> None:
    found = judged("A week later is 2024-05-28.", result("leaves 2024-05-21"))["2024-05-28"].derivation
    assert found is not None
    assert [(carrier.message, carrier.text) for carrier in found.operands[0].carriers] == [(0, "2024-05-21")]
    assert found.operands[1].carriers == ()


# Operands that stand beside the value


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("$282 and $443 make $725.", "sum of $282, $443"),
        ("$282 and $443.\n\nThat makes $725.", "sum of $282, $443"),
        ("It makes $725:\n$282 and $443.", "sum of $282, $443"),
        ("$282 first.\nIt makes $725 with $443.", "sum of $282, $443"),
        ("It makes $725 with $443\nand $282.", "sum of $443, $282"),
        ("$282 first.\nIt makes $725.\n$443 then.", None),  # one line before, another behind
        ("$282 and $443.\nSo it is.\nThat makes $725.", None),
        ("That makes $725.\nSo it is.\n$282 and $443.", None),
    ],
)
def test_operands_stand_in_the_line_or_in_the_one_before_or_behind(answer: str, expected: str | None) -> None:
    assert way(answer, "$725", *fares(282, 443)) == expected


def test_the_values_own_line_comes_first() -> None:
    answer = "$282 and $443.\n$300 and $425 make $725."
    assert way(answer, "$725", *fares(282, 443, 300, 425)) == "sum of $300, $425"


def test_of_many_numbers_the_nearest_make_a_run() -> None:
    many = " ".join(str(number) for number in range(301, 321))
    read = fares("7,001", "7,500", "8,000", *range(301, 321))
    assert way(f"{many} 7,001 7,500 8,000 make 22,501.", "22,501", *read) == "sum of 7,001, 7,500, 8,000"


def test_the_six_nearest_numbers_are_set_against_each_other() -> None:
    read = fares("7,001", "7,500", *range(301, 317))
    assert way("7,001 7,500 301 302 303 304 make 14,501.", "14,501", *read) == "sum of 7,001, 7,500"
    assert way("7,001 7,500 301 302 303 304 305 make 14,501.", "14,501", *read) is None


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("2,020.5 and 1,202.9 make 3,223.4.", "3,223.4", "sum of 2,020.5, 1,202.9"),
        ("In 2020 it was 1,202.9; in all 3,222.9.", "3,222.9", None),  # a year is no operand
        ("3 of 1,202.9 are 3,608.7.", "3,608.7", "product of 3, 1,202.9"),
        ("12 of 1,202.9 are 14,434.8.", "14,434.8", "product of 12, 1,202.9"),
        ("13 of 1,202.9 are 15,637.7.", "15,637.7", None),  # thirteen is no small count
        ("3.5 of 1,202.9 are 4,210.15.", "4,210.15", None),  # no count, and nobody said it
        ("$3 of 1,202.9 are 3,608.7.", "3,608.7", None),
        ("3 and 1,202.9 make 1,205.9.", "1,205.9", None),  # a count is not added
        ("-3 of 1,202.9 are 3,608.7.", "3,608.7", None),
        ("1 of 1,202.9 is 0.083%.", "0.083%", "ratio of 1, 1,202.9"),
    ],
)
def test_what_may_be_an_operand(answer: str, text: str, expected: str | None) -> None:
    assert way(answer, text, *fares("2020", "2,020.5", "1,202.9")) == expected


def test_an_operand_keeps_its_sign() -> None:
    read = [result("is 300.5 ."), result("is -120.25 .")]
    assert way("300.5 and -120.25 make 180.25.", "180.25", *read) == "sum of 300.5, -120.25"


def test_what_two_numbers_come_to_may_be_said_the_other_way_round() -> None:
    read = fares("1,496.5", "1,202.9")
    change = "From 1,496.5 to 1,202.9 is a change of -293.6."
    assert way(change, "-293.6", *read) == "difference of 1,496.5, 1,202.9"
    paid = [result("is -152 ."), result("is -103 .")]
    assert way("From -152 and -103 comes a refund of 255.", "255", *paid) == "sum of -152, -103"
    assert way("From -152 and -103 comes 255.", "255", *paid) is None


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("$300 instead of $400 saves 25%.", "25%"),
        ("$300 instead of $400 saves 25%, and the rating is higher.", "25%"),  # which went up is another thing
        ("$400 is 33.3% more than $300, and the rating is lower.", "33.3%"),
        ("From $400 to $300 it is -25%.", "-25%"),
        ("$300 against $400: a change of -33.3%.", "-33.3%"),
    ],
)
def test_a_relative_change_of_two_neighbours_may_have_either_sign(answer: str, text: str) -> None:
    found = way(answer, text, *fares("300 USD", "400 USD"))
    assert found in ("relative change of $300, $400", "relative change of $400, $300")


def test_a_mean_of_two_neighbours_is_said_to_be_one() -> None:
    read = fares("$100.50", "$300.50")
    assert way("$100.50 and $300.50 are $200.50 on average.", "$200.50", *read) == "mean of $100.50, $300.50"
    assert way("$100.50 and $300.50, and the fee is $200.50.", "$200.50", *read) is None


def test_a_result_in_millions_follows_from_operands_without_a_scale() -> None:
    read = fares("44.1", "56.7")
    assert way("From 44.1 to 56.7 is a change of 12.6 million.", "12.6 million", *read) == "difference of 56.7, 44.1"
    assert way("From 44.1 to 56.7 is a change of 12.7 million.", "12.7 million", *read) is None
    both = [result("fare 44,100,000"), result("fare 56.7")]
    assert way("From 44.1 million to 56.7 is 12.6 million.", "12.6 million", *both) is None


def test_every_printed_step_may_be_followed_by_another() -> None:
    read = fares("112", "104", "2,787", "5,000")
    answer = "112 + 104 is 216.\n\n2,787 - 216 is 2,571.\n\n5,000 - 2,571 is 2,429."
    values = judged(answer, *read)
    assert [values[text].verdict for text in ("216", "2,571", "2,429")] == ["derived", "derived", "derived"]
    assert judged("5,000 - 2,571 is 2,429.", *read)["2,429"].verdict == "invented"


def test_an_operand_in_the_answer_says_where_it_stands_and_where_it_was_said() -> None:
    answer = "$282 and $443 make $725."
    found = judged(answer, *fares(282, 443))["$725"].derivation
    assert found is not None
    assert [answer[operand.start : operand.end] for operand in found.operands] == ["$282", "$443"]
    assert [[carrier.message for carrier in operand.carriers] for operand in found.operands] == [[0], [1]]
    given = judged(answer, person("282"), *fares(443))["$725"].derivation
    assert given is not None
    assert given.operands[0].carriers == ()


# Lists in the answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("- a: $282\n- b: $443\n- c: $101\n- in all: $826", "sum of $282, $443, $101"),
        ("* a: $282\n* b: $443\n* c: $101\n* in all: $826", "sum of $282, $443, $101"),
        ("  - a: $282\n  - b: $443\n  - c: $101\n- in all: $826", "sum of $282, $443, $101"),
        ("1. a: $282\n2. b: $443\n3. c: $101\n4. in all: $826", "sum of $282, $443, $101"),
        ("- a: $282\n- b: $443\n- c: $101\nIn all: $826", "sum of $282, $443, $101"),
        ("- a: $282\n* b: $443\n- c: $101\n- in all: $826", None),
        ("- a: $282\n- b: $443 or $444\n- c: $101\n- in all: $826", None),  # two in one item
        ("- a: $282\n- b: $443\n- c: $101\n- in all: 826 EUR", None),
        ("- a: $282\n- b: $443\n\n- c: $101\n- in all: $826", "sum of $282, $443, $101"),
        ("- a: $282\n- b: $443\n- c: nothing\n- d: $101\n- mean: $275.33", "mean of $282, $443, $101"),
    ],
)
def test_a_list_in_the_answer_adds_up_to_its_last_item(answer: str, expected: str | None) -> None:
    text = "826 EUR" if "EUR" in answer else "$275.33" if "mean" in answer else "$826"
    assert way(answer, text, *fares(282, 443, 101)) == expected


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("The price of the trip is $826.", "sum of $282, $443, $101"),
        ("The PRICE of the trip is $826.", "sum of $282, $443, $101"),
        ("In total it is $826.", "sum of $282, $443, $101"),
        ("The cost of the trip is $826.", None),
    ],
)
def test_what_stands_behind_one_label_adds_up_where_the_line_names_it_or_a_total(
    last: str, expected: str | None
) -> None:
    parts = "".join(f"Part\n- Price: ${fare}\n- Meal: none\n\n" for fare in (282, 443, 101))
    assert way(parts + last, "$826", *fares(282, 443, 101)) == expected


def test_a_label_is_all_that_stands_ahead_of_its_value() -> None:
    parts = "".join(f"Part\n- Price: about ${fare}\n- Meal: none\n\n" for fare in (282, 443, 101))
    assert way(parts + "The price is $826.", "$826", *fares(282, 443, 101)) is None
    bold = "".join(f"Part\n- **Price:** ${fare}\n- Meal: none\n\n" for fare in (282, 443, 101))
    assert way(bold + "The price is $826.", "$826", *fares(282, 443, 101)) == "sum of $282, $443, $101"


def test_a_label_is_the_same_to_the_letter() -> None:
    parts = "Part\n- Tax X: $282\n- Meal: none\n\nPart\n- Tax: $443\n- Meal: none\n\n"
    assert way(parts + "The tax is $725.", "$725", *fares(282, 443)) is None


def test_a_value_that_its_line_repeats_still_stands_behind_its_label() -> None:
    parts = "".join(f"Part\n- Price: ${fare} (${fare} with tax)\n- Meal: none\n\n" for fare in (282, 443, 101))
    assert way(parts + "The price is $826.", "$826", *fares(282, 443, 101)) == "sum of $282, $443, $101"


def test_values_without_a_label_are_no_list() -> None:
    answer = "We had $282.\n\nThen $443.\n\nThen $101.\n\nIn total $826."
    assert way(answer, "$826", *fares(282, 443, 101)) is None


# Which aggregates a value may be


ROWS = [{"name": "a", "used": 41, "quota": 120, "seats": 410}, {"name": "b", "used": 19, "quota": 280, "seats": 75}]


@pytest.mark.parametrize(
    ("answer", "text", "operation"),
    [
        ("There are 485 seats.", "485", "sum"),
        ("It costs $485.", "$485", None),
        ("That is 485%.", "485%", None),
        ("A seat is 242.5 on average.", "242.5", "mean"),
        ("A seat is 242.5.", "242.5", None),
    ],
)
def test_what_counts_is_no_money_and_a_mean_is_said_to_be_one(answer: str, text: str, operation: str | None) -> None:
    found = judged(answer, result(ROWS))[text].derivation
    assert (found and found.operation) == operation


DISKS = [{"disk": "a", "used_gb": 130, "total_gb": 250}, {"disk": "b", "used_gb": 120, "total_gb": 775}]


@pytest.mark.parametrize(
    ("answer", "text", "operation"),
    [
        ("24.4% is used.", "24.4%", "ratio"),
        ("It is 4.10 times as much.", "4.10", "ratio"),
        ("It is 4.10%.", "4.10%", None),
        ("It is 24.4 times as much.", "24.4", None),
        ("It is 24.4 GB.", "24.4 GB", None),
        ("75.6% is free.", "75.6%", "complement"),
        ("775 GB are free.", "775 GB", None),
        ("775.0 GB more.", "775.0 GB", None),
        ("1,025 GB in all.", "1,025 GB", "sum"),
        ("1,025 USD in all.", "1,025 USD", None),
    ],
)
def test_a_share_is_said_in_percent_and_a_ratio_without_a_unit(answer: str, text: str, operation: str | None) -> None:
    found = judged(answer, result(DISKS))[text].derivation
    assert (found and found.operation) == operation


def test_ninety_nine_rivals_stand_for_that_many_or_more() -> None:
    pairs = [result([{"price": 100 + row}, {"price": 500 - row}]) for row in range(105)]
    for number, rivals in ((3, 2), (100, 99), (105, 99)):
        found = judged("In all $600.", *pairs[:number])["$600"].derivation
        assert found is not None
        assert found.rivals == rivals


def test_the_first_sixty_four_operands_are_named() -> None:
    found = judged("In all $7,015.", result([{"price": row} for row in range(66, 136)]))["$7,015"].derivation
    assert found is None
    found = judged("In all $7,035.", result([{"price": row} for row in range(66, 136)]))["$7,035"].derivation
    assert found is not None
    assert len(found.operands) == 64


def test_what_has_left_the_window_is_no_operand_within_it() -> None:
    rows = result([{"price": 152}, {"price": 103}])
    index = EvidenceIndex([rows])
    assert index.judge("In all $255.", options=EvidenceOptions(scope="window")).values[0].verdict == "derived"


# What an earlier answer derived


def test_a_value_that_is_stated_twice_follows_as_it_did_the_first_time() -> None:
    answer = "$282 and $443 make $725.\n\nWe looked.\n\nSo I charge $725."
    values = EvidenceIndex(fares(282, 443)).judge(answer).values
    first, again = values[2], values[3]
    assert (first.verdict, again.verdict) == ("derived", "derived")
    assert (again.derivation, again.start) == (first.derivation, 50)


def test_an_answer_of_long_ago_is_not_looked_into() -> None:
    read = fares(282, 443)
    earlier = [Message(role="assistant", content="$282 and $443 make $725.")]
    later = [Message(role="assistant", content=f"So it is $725, as I said {word}.") for word in ("once", "twice", "so")]
    assert judged("I charge $725.", *read, *earlier, *later[:2])["$725"].verdict == "derived"
    assert judged("I charge $725.", *read, *earlier, *later)["$725"].verdict == "invented"
