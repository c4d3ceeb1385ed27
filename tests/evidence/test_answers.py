"""An answer as it is laid out: what its words, lists and tables say of a value that follows."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions, ValueVerdict
from foldproof.messages import Message


def judged(answer: str, *messages: Message) -> dict[str, ValueVerdict]:
    judgement = EvidenceIndex(messages).judge(answer, options=EvidenceOptions(min_digits=2))
    return {value.text: value for value in judgement.values}


def way(answer: str, text: str, *messages: Message) -> str | None:
    """How the value `text` of an answer follows: the operation and its operands (`sum of 152, 103`)."""
    found = judged(answer, *messages)[text].derivation
    return f"{found.operation} of {', '.join(each.text for each in found.operands)}" if found else None


def fares(*amounts: object) -> list[Message]:
    return [result(f"fare {amount}") for amount in amounts]


# Signs


CHANGE = [result({"id": "R-1", "total": 500}), result({"id": "R-1", "total": 216})]
RISE = [result({"id": "R-1", "total": 216}), result({"id": "R-1", "total": 500})]


@pytest.mark.parametrize(
    ("answer", "text", "fell", "rose"),
    [
        ("It changed by $284.", "$284", True, True),
        ("It fell by $284.", "$284", True, False),
        ("It rose by $284.", "$284", False, True),
        ("It changed by -$284.", "-$284", True, False),
        ("It changed by -56.8%.", "-56.8%", True, False),
        ("It is down 56.8%.", "56.8%", True, False),
        ("It is up 56.8%.", "56.8%", False, False),
        ("It is up 131.5%.", "131.5%", False, True),
        ("It is down 131.5%.", "131.5%", False, False),
    ],
)
def test_a_change_goes_the_way_that_the_words_or_the_sign_say(answer: str, text: str, fell: bool, rose: bool) -> None:  # noqa: FBT001
    assert (judged(answer, *CHANGE)[text].verdict == "derived") is fell
    assert (judged(answer, *RISE)[text].verdict == "derived") is rose


@pytest.mark.parametrize(
    ("answer", "text", "derived"),
    [
        ("In all -$255.", "-$255", True),
        ("In all a refund of $255.", "$255", True),
        ("In all $255.", "$255", False),
        ("In all +$255.", "$255", False),
    ],
)
def test_a_sum_below_zero_has_its_sign_or_a_word_for_it(answer: str, text: str, derived: bool) -> None:  # noqa: FBT001
    rows = result([{"price": -152}, {"price": -103}])
    found = {value.text: value.verdict for value in judged(answer, rows).values()}
    assert (found.get(text) == "derived") is derived


def test_an_amount_below_one_has_a_sign_too() -> None:
    rate = [result({"id": "R-1", "rate": 1.25}), result({"id": "R-1", "rate": 1.75})]
    for answer, verdict in (
        ("It rose by 0.50.", "derived"),
        ("It fell by 0.50.", "invented"),
        ("It changed by -0.50.", "invented"),
    ):
        assert [value.verdict for value in judged(answer, *rate).values()] == [verdict]
    rows = result([{"fee": 0.25}, {"fee": 0.26}])
    assert judged("A refund of -0.51 in all.", rows)["-0.51"].verdict == "invented"


def test_a_difference_and_a_share_of_what_is_below_zero_have_no_sign() -> None:
    rows = result({"paid_usd": -500, "due_usd": -1250})
    assert way("It is $750 more.", "$750", rows) == "difference of -500, -1250"
    mixed = result({"paid_usd": -500, "due_usd": 1250})
    assert way("That is 40.0% of it.", "40.0%", mixed) == "ratio of -500, 1250"


def test_a_sum_above_zero_is_not_negative() -> None:
    rows = result([{"price": 152}, {"price": 103}])
    assert judged("In all -$255.", rows)["-$255"].verdict == "invented"
    assert judged("A refund of $255 in all.", rows)["$255"].verdict == "derived"


# Columns


@pytest.mark.parametrize(
    ("said", "answer", "operand"),
    [
        ({"bytes_used": 4471}, "It has 4.47 KB.", "4471"),
        ({"price": 4471}, "It has 4.47 KB.", None),
        ({"price": 4000}, "It has 4.00 KB.", "4000"),  # exactly so many
        ({"order_id": 4000}, "It has 4.00 KB.", None),
        ({"growth": 1.5}, "That is 150%.", "1.5"),
        ({"version": 1.5}, "That is 150%.", None),
        ({"version": 0.5}, "That is 50.0%.", None),
        ({"weight": 0.5}, "That is 50.0%.", "0.5"),
        ({"weight": 1.5}, "That is 150%.", None),
        ({"latitude": 0.5}, "That is 50.0%.", None),
    ],
)
def test_a_bare_number_is_bytes_or_a_share_where_its_column_says_so(
    said: object, answer: str, operand: str | None
) -> None:
    (value,) = judged(answer, result(said)).values()
    assert (value.derivation and [each.text for each in value.derivation.operands]) == (operand and [operand])


@pytest.mark.parametrize(
    ("said", "answer", "grounded"),
    [
        ({"price": 511.73}, "It is $512.", True),
        ({"price_usd": 511.73}, "It is $512.", True),
        ({"price_eur": 511.73}, "It is $512.", False),
        ({"order_id": 511.73}, "It is $512.", False),
        ({"seats": 511.73}, "It is $512.", False),
        ([{"order_id": 511.73}, {"price": 511.73}], "It is $512.", True),
        ("is 511.73 .", "It is $512.", True),
        ({"price_eur": "511.73 USD"}, "It is $512.", True),  # the cell says its unit itself
    ],
)
def test_a_rounding_is_of_an_amount(said: object, answer: str, grounded: bool) -> None:  # noqa: FBT001
    (value,) = judged(answer, result(said)).values()
    assert (value.verdict == "grounded") is grounded


# Words around a value


ROWS = result([{"price": 152}, {"price": 203}])


@pytest.mark.parametrize(
    ("answer", "derived"),
    [
        ("On average it is $177.50.", True),
        ("It is $177.50 on average.", True),
        ("On average.\nIt is $177.50.", False),
        ("It is $177.50.\nOn average.", False),
        (f"On average {'x ' * 50}it is $177.50.", True),
        (f"On average {'x ' * 60}it is $177.50.", False),
        (f"It is $177.50 {'x ' * 10}on average.", True),
        (f"It is $177.50 {'x ' * 20}on average.", False),
        ("It is $177.50. On average.", False),
        ("It is $177.50; on average.", False),
    ],
)
def test_the_words_that_count_stand_near_and_in_the_line(answer: str, derived: bool) -> None:  # noqa: FBT001
    assert (judged(answer, ROWS)["$177.50"].verdict == "derived") is derived


@pytest.mark.parametrize(
    ("answer", "text", "operation"),
    [
        ("It is 60.0% full.", "60.0%", "ratio"),
        ("It is 60.0%.", "60.0%", None),
        ("40.0% of it are free.", "40.0%", "complement"),
        ("It is 40.0%.", "40.0%", None),
        ("The total is 1.67 times as large.", "1.67", "ratio"),
        ("The total is 1.67 now.", "1.67", None),
        ("It is 1.67% full.", "1.67%", None),
        ("200 GB are left.", "200 GB", "difference"),
        ("It has 200 GB.", "200 GB", None),
    ],
)
def test_a_share_a_ratio_and_a_difference_are_spoken_of(answer: str, text: str, operation: str | None) -> None:
    disk = result({"disk": "sda1", "used_gb": 300, "total_gb": 500})
    found = judged(answer, disk)[text].derivation
    assert (found and found.operation) == operation


def test_a_mean_of_neighbours_is_spoken_of() -> None:
    assert way("From 282 and 443, 362.5 on average.", "362.5", *fares(282, 443)) == "mean of 282, 443"
    assert way("From 282 and 443, 362.5 follows.", "362.5", *fares(282, 443)) is None


# Lists and tables


def table(*rows: str, rule: str = "|---|---|---|") -> str:
    return "\n".join(["| Item | Price | Tax |", rule, *rows])


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        (table("| A | $282 | $11.5 |", "| B | $443 | $12.7 |", "| Sum | $725 | |"), "$725", "sum of $282, $443"),
        (table("| A | $282 | $11.5 |", "| B | $443 | $12.7 |", "| Sum | | $24.2 |"), "$24.2", "sum of $11.5, $12.7"),
        (table("| A | $282 | $11.5 |", "| B | $443 | $12.7 |", "|---|---|---|", "Sum: $24.2"), "$24.2", None),
        ("A | $282 | x\nB | $443 | y\nSum | $725 |", "$725", "sum of $282, $443"),
        ("Had a|b $282.\nHad a|b $443.\nSo $725.", "$725", None),  # one bar makes no table
        (table("| A | $282 | $11.5 |", "| B | $443 | $12.7 |", "| Sum | $725 |"), "$725", "sum of $282, $443"),
        (table("| A | $282 | $11.5 |", "| B | $443 | $12.7 |", " | Sum | $725 | |"), "$725", "sum of $282, $443"),
        ("- A: $282 for ORD-1111\n- B: $443 for ORD-2222\nSum: $725", "$725", "sum of $282, $443"),
        ("- A: 2 at $282\n- B: 3 at $443\n- Sum: $725", "$725", "sum of $282, $443"),
        ("- A: $282\n- B: $443\n---\n***\nSum: $725", "$725", "sum of $282, $443"),
        ("1) A: $282\n2) B: $443\nSum: $725", "$725", "sum of $282, $443"),
        ("- A: $282\n1. B: $443\nIn sum $725", "$725", None),  # two lists of one
    ],
)
def test_a_total_is_of_the_list_or_the_column_above_it(answer: str, text: str, expected: str | None) -> None:
    assert way(answer, text, *fares("282", "443", "11.5", "12.7")) == expected


def test_a_list_of_two_units_has_no_total() -> None:
    answer = "- A: $282\n- B: $443\n- C: 77 GB\nSum: $725"
    assert way(answer, "$725", *fares("282", "443", "77 GB")) is None


def test_a_total_of_what_is_below_zero_may_be_put_in_words() -> None:
    read = [result("is -152 ."), result("is -103 .")]
    assert way("- A: -152\n- B: -103\nRefund in all: 255", "255", *read) == "sum of -152, -103"
    assert way("- A: -152\n- B: -103\nIn all: 255", "255", *read) is None


def test_nobody_adds_up_a_list_of_more_than_64_lines() -> None:
    for lines, expected in ((64, "derived"), (65, "invented")):
        numbers = [1000 + 7 * line for line in range(lines)]
        answer = "".join(f"- item: ${number}\n" for number in numbers) + f"\nIn all: ${sum(numbers)}"
        assert judged(answer, *fares(*numbers))[f"${sum(numbers)}"].verdict == expected


def test_a_list_may_stand_far_down_an_answer() -> None:
    answer = "So it is.\n" * 70 + "- A: $282\n- B: $443\n- C: $11.5\nSum: $736.5"
    assert way(answer, "$736.5", *fares("282", "443", "11.5")) == "sum of $282, $443, $11.5"


def test_small_counts_are_operands_in_words_and_in_digits() -> None:
    read = fares(129)
    for count, number in (("Two", 258), ("three", 387), ("twelve", 1548), ("12", 1548)):
        assert judged(f"{count} nights at $129 are ${number:,}.", *read)[f"${number:,}"].verdict == "derived"
    for count, number in (("Thirteen", 1677), ("13", 1677), ("two-bed", 258), ("network", 258), ("One", 130)):
        assert judged(f"{count} nights at $129 are ${number:,}.", *read)[f"${number:,}"].verdict == "invented"


# Time


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("From 09:00 to 11:45 it is 165 minutes.", "165 minutes", "elapsed of 09:00, 11:45"),
        ("From 09:00 to 11:45 it is 2.75 hours.", "2.75 hours", "elapsed of 09:00, 11:45"),
        ("From 09:00 to 11:45 it is 164 minutes.", "164 minutes", None),
        ("From 23:15:30 to 01:00 it is 6,270 seconds.", "6,270 seconds", "elapsed of 23:15:30, 01:00"),
        ("From 01:00 to 23:15:30 it is 80,130 seconds.", "80,130 seconds", "elapsed of 01:00, 23:15:30"),
        ("From 2024-05-01 to 2024-05-21 it is 20 days.", "20 days", "elapsed of 2024-05-01, 2024-05-21"),
        ("It is 20 days from 2024-05-21 back to 2024-05-01.", "20 days", "elapsed of 2024-05-21, 2024-05-01"),
        ("From 2024-05-01 to 2024-05-21 it is 21 days.", "21 days", None),
        ("From 2024-05-01 to 09:00 it is 10 hours.", "10 hours", None),
        ("From 11:45 back to 09:00 it is 165 minutes.", "165 minutes", "elapsed of 11:45, 09:00"),
        ("It is 20 days from 2024-05-01.\nTo 2024-05-21.", "20 days", None),
        ("From 2024-05-01.\nTo 2024-05-21 it is 20 days.", "20 days", None),
        ("From 2024-05-01 to 2024-05-21 it is 480 hours.", "480 hours", "elapsed of 2024-05-01, 2024-05-21"),
    ],
)
def test_what_lies_between_two_moments_of_the_line(answer: str, text: str, expected: str | None) -> None:
    read = result("09:00 11:45 23:15:30 01:00 2024-05-01 2024-05-21")
    assert way(answer, text, read) == expected


def test_what_lies_between_two_moments_of_different_days() -> None:
    read = [result("2024-05-01T10:00"), result("2024-05-03T12:00")]
    answer = "From 2024-05-01 10:00 to 2024-05-03 12:00 it is {}."
    for stated, derived in (("50 hours", True), ("3,000 minutes", True), ("120 minutes", False)):
        assert (judged(answer.format(stated), *read)[stated].verdict == "derived") is derived
