"""Workings: numbers that results say, found by what they come to, and what follows from the records of results."""

from __future__ import annotations

import json

import pytest
from tests.evidence.generators import result

from foldproof.evidence import Derivation, EvidenceIndex, EvidenceOptions, ValueVerdict, records, workings
from foldproof.messages import Message, TextPart


def verdict(answer: str, *messages: Message) -> ValueVerdict:
    """The verdict on the one value of an answer, of however few digits."""
    (value,) = EvidenceIndex(messages).judge(answer, options=EvidenceOptions(min_digits=1)).values
    return value


def derivation(answer: str, *messages: Message) -> Derivation | None:
    return verdict(answer, *messages).derivation


def way(answer: str, *messages: Message) -> str | None:
    """How the one value of an answer follows: the operation and its operands (`sum of 152, 103`)."""
    found = derivation(answer, *messages)
    return f"{found.operation} of {', '.join(each.text for each in found.operands)}" if found else None


@pytest.mark.parametrize(
    ("said", "stated", "form"),
    [
        (["85.4", "85.19"], "85", "85.19"),  # the least, whichever was said first
        (["85.19", "85.4"], "85", "85.19"),
        (["85.19 EUR", "85.19 USD"], "$85", "85.19 usd"),
        (["85.19 EUR"], "$85", None),
        (["85.19"], "$85", "85.19"),
        (["86.19", "84.19"], "85", None),
        (["ORD-85.19"], "85", None),
        (["-85.19"], "85", None),
        (["-85.19"], "-85", "-85.19"),
        (["85.19", "-85.3"], "-85", "-85.3"),
    ],
)
def test_a_rounding_is_of_the_least_number_that_fits(said: list[str], stated: str, form: str | None) -> None:
    value = verdict(f"It is {stated}.", result("\n".join(f"is {each} ." for each in said)))
    assert value.forms == (() if form is None else (form,))
    assert value.how == (None if form is None else "rounded")


@pytest.mark.parametrize(
    ("said", "stated", "operand"),
    [
        ("120 minutes", "7,200 seconds", "120 minutes"),
        ("119 minutes, 120 minutes", "2 hours", "119 minutes"),
        ("1500 GB", "1.5 TB", "1500 GB"),
        ("1536 GB", "1.5 TB", "1536 GB"),  # by 1024
        ("1700 GB", "1.5 TB", None),
        ("1500 hours", "1.5 TB", None),
        ("34359738368", "32 GB", "34359738368"),  # a bare number of bytes, by 1024
        ("32000000000", "32 GB", "32000000000"),
        ("1024", "1.0 KB", "1024"),
        ("1000", "1.0 KB", "1000"),
        ("999", "1.0 KB", None),  # too few for a bare number to be bytes
        ("1500 USD", "1.5 KB", None),
        ("0.25%", "25 bps", "0.25%"),
        ("25 bps", "0.25%", "25 bps"),
        ("1.2 MB", "2 million bytes", None),  # neither rounded nor cut it is two
        ("1.8 MB", "2 million bytes", "1.8 MB"),
        ("2000 USD", "2.0 KB", None),
        ('{"disk_used": 999}', "1.0 KB", None),
        ('{"disk_used": 1200000000}', "2 million KB", None),
        ('{"disk_used": 1800000000}', "2 million KB", "1800000000"),
        ("21 °C", "69.8 °F", "21 °C"),
        ("69.8 °F", "21 °C", "69.8 °F"),
        ("it is 212 °F", "100 °C", "212 °F"),
        ("21 °C", "71 °F", None),
        ("69.8 °F", "69.8 °C", None),
        ("0.78", "78%", "0.78"),
        ("0.784", "78%", "0.784"),
        ("0.78 USD", "78%", None),
        ("0.79", "78%", None),
        ('{"growth": 9.5}', "950%", "9.5"),
        ('{"growth": 10.5}', "1,050%", None),  # more than ten is no share
        ('{"version": 9.5}', "950%", None),
        ("-0.78", "78%", None),
        ("-0.78", "-78%", "-0.78"),
        ("5 USD", "5 EUR", None),
        ("errors: 38.9%", "61.1%", "38.9%"),
        ("errors: 38.9%", "61.2%", None),
        ("errors: 38.9", "61.1%", None),
        ("errors: 38.9 USD", "61.1%", None),
        ("growth of 50%", "50%", None),
    ],
)
def test_one_number_reads_as_another_in_another_unit(said: str, stated: str, operand: str | None) -> None:
    found = derivation(f"It is {stated}.", result(said))
    assert found is None or [carrier.text for carrier in found.operands[0].carriers] == [operand]
    assert (found and [each.text for each in found.operands]) == (operand and [operand])


def test_a_number_in_its_own_unit_is_grounded_and_not_converted() -> None:
    assert verdict("It is 120 minutes.", result("120 minutes")).verdict == "grounded"
    assert verdict("It is 121 minutes.", result("120 minutes")).verdict == "invented"


@pytest.mark.parametrize(
    ("said", "stated", "found"),
    [
        ("1709424000", "2024-03-03", True),
        ("1709510399", "2024-03-03", True),
        ("1709510400", "2024-03-03", False),
        ("1709423999", "2024-03-03", False),
        ("1709424000123", "2024-03-03", True),
        ("1709424000.5", "2024-03-03", False),
        ("1709424060", "2024-03-03T00:01Z", True),
        ("1709424119", "2024-03-03T00:01Z", True),
        ("1709424120", "2024-03-03T00:01Z", False),
        ("1709424061", "2024-03-03T00:01:01Z", True),
        ("1709424062", "2024-03-03T00:01:01Z", False),
        ("1709424061", "2024-03-03T00:01:01", True),  # without a zone it is UTC
        ("86400", "1970-01-02", False),  # of the first day nobody knows
        ("172800", "1970-01-03", True),
    ],
)
def test_a_moment_is_whole_seconds_or_milliseconds_since_1970(said: str, stated: str, found: bool) -> None:  # noqa: FBT001
    read = result(f'{{"created_at": {said}}}')
    assert way(f"Made {stated}.", read) == (f"epoch of {said}" if found else None)


@pytest.mark.parametrize(("column", "found"), [("created_at", True), ("updated", True), ("order_id", False)])
def test_a_moment_stands_in_a_column_of_moments(column: str, found: bool) -> None:  # noqa: FBT001
    made = derivation("Made 2024-03-03.", result({column: 1709424000}))
    assert (made is not None) is found
    assert made is None or [carrier.path for carrier in made.operands[0].carriers] == [f"$.{column}"]


def test_a_bare_number_is_read_in_the_unit_of_its_column() -> None:
    said = result([{"name": "a", "latency_ms": 12500}, {"name": "b", "latency_ms": 900}, {"name": "c", "size_gb": 77}])
    assert way("It took 12.5 seconds.", said) == "unit of 12500"
    assert way("It took 13.5 seconds.", said) is None
    assert way("It took 1.5 minutes.", result({"latency_ms": 90000})) == "unit of 90000"
    assert way("It took 2 million ns.", result({"latency_ms": 1.8})) == "unit of 1.8"
    assert way("It took 2 million ns.", result({"latency_ms": 1.2})) is None
    sooner = result({"latency_ms": -12500})
    assert way("It took 12.5 seconds.", sooner) is None
    assert way("It dropped by 12.5 seconds.", sooner) == "unit of -12500"
    assert way("It took 77 seconds.", said) is None
    found = derivation("It took 12.5 seconds.", said)
    assert found is not None
    assert [carrier.path for carrier in found.operands[0].carriers] == ["$[0].latency_ms"]


@pytest.mark.parametrize(
    ("old", "new", "stated", "expected"),
    [
        ({"price": 200}, {"price": 250}, "$50", "change of 200, 250"),
        ({"price": 250}, {"price": 200}, "$50", "change of 250, 200"),
        ({"price": 200}, {"price": 250}, "25%", "relative change of 200, 250"),
        ({"price": 250}, {"price": 200}, "20%", "relative change of 250, 200"),
        ({"price": 0}, {"price": 250}, "$249.6", None),
        ({"price": 0}, {"price": 250}, "100%", None),
        ({"price": 200}, {"price": 250}, "25", None),  # a relative change is said in percent
        ({"seats": 190}, {"seats": 40}, "150", "change of 190, 40"),
        ({"seats": 190}, {"seats": 40}, "$150", None),  # seats are no money
        ({"price": 200}, {"fee": 250}, "$50", None),
        ({"paid": "200 USD"}, {"paid": "250 EUR"}, "$50", None),
        ({"paid": "200 USD"}, {"paid": "250 USD"}, "$50", "change of 200 USD, 250 USD"),
        ({"paid": "200 USD"}, {"paid": "250 USD"}, "50 EUR", None),
    ],
)
def test_a_field_that_two_results_show_changes(old: object, new: object, stated: str, expected: str | None) -> None:
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    said = [result({"id": "R-1", **old}), result({"id": "R-1", **new})]
    assert way(f"The difference is {stated}.", *said) == expected


@pytest.mark.parametrize(
    "said",
    [
        ({"id": "R-1", "price": 200}, {"id": "R-2", "price": 250}),  # of two records
        ({"price": 200}, {"price": 250}),  # of no record
        ([{"id": "R-1", "price": 200}, {"id": "R-1", "price": 250}],),  # in one result
    ],
)
def test_fields_of_two_things_do_not_change(said: tuple[object, ...]) -> None:
    assert way("The change is 25%.", *map(result, said)) is None


def test_the_latest_two_amounts_of_a_field_are_set_against_each_other() -> None:
    said = [result({"id": "R-1", "price": price}) for price in (100, 400, 450)]
    found = derivation("It changed by $50.", *said)
    assert found is not None
    assert [operand.carriers[0].message for operand in found.operands] == [1, 2]
    assert way("It changed by $350.", *said) is None


def test_an_aggregate_leads_back_to_the_message_and_the_part_it_was_made_from() -> None:
    rows = json.dumps([{"price": 152}, {"price": 103}])
    parts = Message(role="tool", tool_call_id="c", content=(TextPart(text="none"), TextPart(text=rows)))
    messages = [result("no rows"), parts]
    found = derivation("In all $255.", *messages)
    assert found is not None
    places = [(carrier.message, carrier.part, carrier.path) for each in found.operands for carrier in each.carriers]
    assert places == [(1, 1, "$[0].price"), (1, 1, "$[1].price")]
    assert [carrier.resolve(messages) for each in found.operands for carrier in each.carriers] == ["152", "103"]


def test_a_change_leads_back_to_both_messages_and_parts() -> None:
    old = Message(
        role="tool", tool_call_id="c", content=(TextPart(text="x"), TextPart(text='{"id": "R-1", "fee": 20}'))
    )
    found = derivation("It changed by $55.", old, result({"id": "R-1", "fee": 75}))
    assert found is not None
    places = [(carrier.message, carrier.part, carrier.text) for each in found.operands for carrier in each.carriers]
    assert places == [(0, 1, "20"), (1, None, "75")]


def test_of_aggregates_in_several_results_the_first_is_named_and_the_others_are_rivals() -> None:
    pairs = [(152, 103), (150, 105), (154, 101)]
    found = derivation("In all $255.", *[result([{"price": one}, {"price": other}]) for one, other in pairs])
    assert found is not None
    assert ([operand.text for operand in found.operands], found.rivals) == (["152", "103"], 2)


def test_an_aggregate_reads_as_the_value_at_the_values_own_precision() -> None:
    for prices, expected in (([700_000, 500_000], None), ([900_000, 900_000], "sum of 900000, 900000")):
        assert way("In all $2 million.", result([{"price": price} for price in prices])) == expected


def test_records_that_are_counted_are_what_the_count_is_made_of() -> None:
    assert way("There are 3 flights.", result([{"name": "x"}, {"name": "y"}, {"name": "z"}])) == "count of x, y, z"
    assert way("It is $3.", result([{"name": "x"}, {"name": "y"}, {"name": "z"}])) is None


def test_days_are_moved_by_what_the_person_said_and_by_what_stands_behind_a_clock() -> None:
    date = result("2024-05-21")
    answer = "It is 2024-05-28."
    for text in ("I return a week later.", "Stay two days later.\nOr a week later."):
        assert way(answer, date, Message(role="user", content=text)) == "days of 2024-05-21, +7 days"
    asked = Message(role="user", content="It was two days earlier.")
    assert way("It was 2024-05-19.", date, asked) == "days of 2024-05-21, -2 days"
    asked = Message(role="user", content="Stay until 366 days later.")
    assert way("It is 2025-05-22.", date, asked) == "days of 2024-05-21, +366 days"
    two = [Message(role="user", content="A week later."), Message(role="user", content="Or one day later.")]
    assert way(answer, date, *two) == "days of 2024-05-21, +7 days"
    assert way("It is 2024-05-22.", date, *two) == "days of 2024-05-21, +1 days"
    assert way(answer, date, result("a week later")) is None
    assert way("It is 2024-05-22.", date, result("arrives 00:30+1")) == "days of 2024-05-21, +1 days"
    assert way("It is 2024-05-22.", date, result("00:30+1"), result("06:10+3")) == "days of 2024-05-21, +1 days"


def test_everything_is_complete_up_to_the_bound_and_not_past_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = result([{"id": "R-1", "price": 152}, {"id": "R-2", "price": 103}])  # a count, a sum and a mean; two fields
    for name, most, expected in (
        ("MOST_AGGREGATES", 3, "invented"),
        ("MOST_AGGREGATES", 2, "undecidable"),
        ("MOST_AGGREGATES", 1, "undecidable"),
        ("MOST_FIELDS", 100, "invented"),
        ("MOST_FIELDS", 1, "undecidable"),
    ):
        monkeypatch.setattr(workings, name, most)
        assert verdict("It is $999.", said).verdict == expected
        monkeypatch.undo()


def test_one_result_that_was_not_read_whole_leaves_all_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_CELLS", 40)
    large = result([{"name": f"incomplete {row}", "price": 100 + row} for row in range(50)])
    small = result({"name": "complete", "price": 7})
    assert verdict("It is $999.", small).verdict == "invented"
    for messages in ([large], [large, small], [small, large]):
        assert verdict("It is $999.", *messages).verdict == "undecidable"


def test_reading_one_by_one_gives_what_reading_at_once_gives() -> None:
    said = [result({"id": f"R-{row % 3}", "price": 100 + 7 * row, "size_gb": row}) for row in range(12)]
    at_once, one_by_one = EvidenceIndex(said), EvidenceIndex()
    for message in said:
        one_by_one.extend([message])
        one_by_one.judge("It is $9,999.")
    for answer in ("It is $21 more.", "In all 2 GB.", "It rose by 20.6%.", "That is 4,000 MB."):
        assert one_by_one.judge(answer) == at_once.judge(answer)


def test_what_was_made_before_stays_when_more_is_read() -> None:
    index = EvidenceIndex([result([{"price": 152}, {"price": 103}])])
    assert index.judge("In all $255.").values[0].verdict == "derived"
    assert index.judge("It is 2,000 MB.").values[0].verdict == "invented"
    index.extend([result("size 2 GB"), result([{"price": 1000}, {"price": 500}])])
    assert [value.verdict for value in index.judge("In all $255, 2,000 MB and $1,500.").values] == ["derived"] * 3
