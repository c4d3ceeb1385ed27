"""Aggregates: what follows from the records of one result, by which operation, and what never does."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.evidence.aggregates import (
    TIMES,
    Aggregate,
    Amount,
    aggregates_of,
    amounts_of,
    are_alike,
    counts_something,
    fields_of,
    identity_of,
    is_identity,
    measured,
    measures_something,
)
from foldproof.evidence.records import tables_in


def aggregates(content: object) -> list[Aggregate]:
    text = content if isinstance(content, str) else json.dumps(content)
    return list(aggregates_of(measured(tables_in(text).tables)))


def found(content: object, *operations: str) -> list[str]:
    """What follows by one of these operations: the operation, the number, its unit if any, and over which cells."""
    return [
        " ".join(
            [one.operation, f"{one.number:f}", *filter(None, [one.unit]), "of"]
            + [amount.cell.leaf.text for amount in one.amounts]
        )
        for one in aggregates(content)
        if one.operation in operations
    ]


def amounts_in(content: object) -> list[Amount]:
    text = content if isinstance(content, str) else json.dumps(content)
    return list(amounts_of(measured(tables_in(text).tables)))


ORDERS = [
    {"sku": "A1", "place": "north", "price": 10, "weight_kg": 4},
    {"sku": "B2", "place": "south", "price": 20, "weight_kg": 2},
    {"sku": "C3", "place": "north", "price": 60, "weight_kg": 3},
]


def test_each_column_has_a_sum_and_a_mean_over_all_rows_and_over_those_that_share_a_text() -> None:
    assert found(ORDERS, "sum", "mean") == [
        "sum 90 of 10 20 60",
        "mean 30 of 10 20 60",
        "sum 9 kg of 4 2 3",
        "mean 3 kg of 4 2 3",
        "sum 70 of 10 60",
        "mean 35 of 10 60",
        "sum 7 kg of 4 3",
        "mean 3.5 kg of 4 3",
    ]


def test_rows_are_counted_and_a_count_is_no_money() -> None:
    counts = [one for one in aggregates(ORDERS) if one.operation == "count"]
    assert [(int(one.number), one.unit, one.counts) for one in counts] == [(3, None, True), (2, None, True)]
    assert [[amount.cell.leaf.text for amount in one.amounts] for one in counts] == [["A1", "B2", "C3"], ["A1", "C3"]]
    assert {amount.number for one in counts for amount in one.amounts} == {Decimal(1)}


def test_an_item_that_states_nothing_counts_but_is_no_row() -> None:
    assert found([{"price": 10}, {"price": 20}, None, True], "count", "sum") == ["count 4 of 10 20", "sum 30 of 10 20"]


def test_a_record_without_a_cell_of_its_own_counts_too() -> None:
    assert found([{"legs": [7]}, {"legs": [8]}], "count") == ["count 2 of"]


def test_a_row_without_an_amount_is_left_out_of_its_columns_sum() -> None:
    rows = [{"sku": "A1", "price": 10}, {"sku": "B2"}, {"sku": "C3", "price": 20, "fee": 5}]
    assert found(rows, "sum", "mean") == ["sum 30 of 10 20", "mean 15 of 10 20"]


def test_a_column_of_two_units_has_no_sum() -> None:
    assert found([{"paid": "10 USD"}, {"paid": "20 EUR"}], "sum", "mean") == []
    assert found([{"paid": "10 USD"}, {"paid": "20 USD"}], "sum") == ["sum 30 usd of 10 USD 20 USD"]


def test_one_row_is_no_list_and_a_list_cut_short_adds_up_to_nothing() -> None:
    assert found([{"price": 10}], "count", "sum") == []
    assert found('[{"price": 10}, {"price": 20}, {"pri', "count", "sum") == []
    assert found('[{"price": 10}, {"price": 20}]', "sum") == ["sum 30 of 10 20"]


def test_rows_that_share_two_texts_are_one_group() -> None:
    rows = [
        {"place": "north", "region": "N", "price": 10},
        {"place": "north", "region": "N", "price": 20},
        {"place": "south", "region": "S", "price": 40},
    ]
    assert found(rows, "sum") == ["sum 70 of 10 20 40", "sum 30 of 10 20"]


def test_rows_that_share_a_number_or_an_amount_are_no_group() -> None:
    by_number = [{"id": 7, "price": 10}, {"id": 7, "price": 20}, {"id": 8, "price": 40}]
    assert found(by_number, "sum") == ["sum 70 of 10 20 40"]
    by_amount = [{"fee": "5 USD", "price": 10}, {"fee": "5 USD", "price": 20}, {"fee": "6 USD", "price": 40}]
    assert found(by_amount, "sum") == ["sum 16 usd of 5 USD 5 USD 6 USD", "sum 70 of 10 20 40"]


def test_a_text_that_all_rows_share_makes_no_other_group() -> None:
    rows = [{"place": "north", "price": 10}, {"place": "north", "price": 20}]
    assert found(rows, "sum") == ["sum 30 of 10 20"]


def test_at_most_64_groups_are_told_apart() -> None:
    rows = [{"place": f"place {row // 2}", "price": row} for row in range(160)]
    sums = [int(one.number) for one in aggregates(rows) if one.operation == "sum"]
    assert sums == [159 * 160 // 2, *(4 * group + 1 for group in range(64))]


def test_at_most_24_columns_are_summed() -> None:
    rows = [{f"c{column}x": 2**column for column in range(30)} for _ in range(2)]
    sums = [int(one.number) for one in aggregates(rows) if one.operation == "sum"]
    assert sums == [2 * 2**column for column in range(24)]


DISKS = [
    {"disk": "a", "used_gb": 10, "total_gb": 25},
    {"disk": "b", "used_gb": 20, "total_gb": 50},
    {"disk": "c", "used_gb": 5, "total_gb": 25},
    {"disk": "d", "used_gb": 15, "total_gb": 25},
]


def test_columns_of_one_unit_are_set_against_each_other() -> None:
    assert found(DISKS, "difference", "ratio", "complement") == [
        "difference 75 gb of 10 20 5 15 25 50 25 25",
        "ratio 40.0 % of 10 20 5 15 25 50 25 25",
        f"ratio 2.5 {TIMES} of 10 20 5 15 25 50 25 25",
        "complement 60.0 % of 10 20 5 15 25 50 25 25",
    ]


def test_of_up_to_three_records_each_is_set_against_itself_too() -> None:
    assert found(DISKS[:1], "difference", "ratio", "complement") == [
        "difference 15 gb of 10 25",
        "ratio 40.0 % of 10 25",
        f"ratio 2.5 {TIMES} of 10 25",
        "complement 60.0 % of 10 25",
    ]
    assert found(DISKS[:3], "difference")[1:] == [
        "difference 15 gb of 10 25",
        "difference 30 gb of 20 50",
        "difference 20 gb of 5 25",
    ]
    assert len(found(DISKS, "difference")) == 1
    wide = {f"c{column}_gb": 2**column for column in range(30)}
    assert len(found(wide, "difference")) == 24 * 23 // 2


def test_of_negative_columns_the_one_further_from_zero_is_the_larger() -> None:
    assert found({"paid_usd": -50, "due_usd": -125}, "difference", "ratio") == [
        "difference -75 usd of -50 -125",
        "ratio 40.0 % of -50 -125",
        f"ratio 2.5 {TIMES} of -50 -125",
    ]


def test_nothing_is_divided_by_zero_and_equal_columns_differ_by_nothing() -> None:
    assert found({"used_gb": 0, "total_gb": 50}, "difference", "ratio", "complement") == ["difference 50 gb of 0 50"]
    assert found({"used_gb": 50, "total_gb": 0}, "difference", "ratio", "complement") == ["difference 50 gb of 50 0"]
    assert found({"used_gb": 5, "total_gb": 5}, "difference", "ratio") == [
        "ratio 100 % of 5 5",
        f"ratio 1 {TIMES} of 5 5",
    ]


def test_unlike_columns_are_passed_over_and_later_ones_compared() -> None:
    assert found({"size_kg": 1, "used_gb": 30, "total_gb": 60}, "difference") == ["difference 30 gb of 30 60"]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("used_gb", "total_gb", True),  # of one unit
        ("used_gb", "total_kg", False),  # of two
        ("used_gb", "total", False),  # of one, and of none
        ("base_price", "full_price", True),  # names that end alike
        ("price", "totalPrice", True),
        ("base_price", "base_weight", False),
        ("prices.economy", "prices.business", True),  # under one name
        ("prices.economy", "fares.business", False),
        ("a.prices.economy", "a.prices.business", True),
        ("a.prices.economy", "a.fares.business", False),
        ("price", "weight", False),
        ("", "-", True),
        ("", "price", False),
        ("価格", "重量", True),
    ],
)
def test_columns_are_alike_by_unit_by_the_end_of_their_names_or_by_what_they_stand_under(
    one: str,
    other: str,
    alike: bool,  # noqa: FBT001
) -> None:
    left, right = amounts_in([{one: 1, other: 2}])
    assert are_alike(left, right) is alike
    assert are_alike(right, left) is alike


TRIP = {
    "base": 100,
    "passengers": [{"name": "Mia"}, {"name": "Ann"}, {"name": "Lee"}],
    "flights": [{"number": "HAT136", "fare": 152}, {"number": "HAT039", "fare": 103}],
}


def test_an_amount_counts_once_for_each_item_of_a_list_of_its_record() -> None:
    assert found(TRIP, "times") == [
        "times 300 of 100",
        "times 765 of 152 103",
        "times 200 of 100",
    ]


def test_a_list_of_one_or_of_more_than_a_thousand_multiplies_nothing() -> None:
    assert found({"base": 7, "guests": ["x"]}, "times") == []
    assert found({"base": 7, "guests": ["x"] * 2}, "times") == ["times 14 of 7"]
    assert found({"base": 7, "guests": ["x"] * 1000}, "times") == ["times 7000 of 7"]
    assert found({"base": 7, "guests": ["x"] * 1001}, "times") == []
    assert found({"base": 7, "host": ["x"], "guests": ["x"] * 2}, "times") == ["times 14 of 7"]


def test_a_list_cut_short_is_multiplied_by_nothing() -> None:
    cut = '{"base": 7, "guests": ["x", "y"], "flights": [{"fare": 152}, {"fare": 10'
    assert found(cut, "times") == []


def test_lists_at_one_place_of_many_records_add_up() -> None:
    trips = [{"legs": [{"fare": 1}, {"fare": 2}]}, {"legs": [{"fare": 40}]}]
    assert found(trips, "sum") == ["sum 3 of 1 2", "sum 43 of 1 2 40"]
    assert found([{"legs": [{"fare": 1}]}, {"legs": [{"fare": 40}]}], "sum") == ["sum 41 of 1 40"]
    assert found([{"legs": [{"fare": 1}]}, {"legs": [{"name": "x"}]}], "sum") == []


def test_lists_at_one_place_add_up_only_when_all_are_whole() -> None:
    cut = '[{"legs": [{"fare": 1}, {"fare": 2}]}, {"legs": [{"fare": 40}, {"fa'
    assert "sum 43 of 1 2 40" not in found(cut, "sum")


def test_lists_at_two_places_do_not_add_up() -> None:
    assert found({"out": [{"fare": 1}, {"fare": 2}], "back": [{"fare": 4}, {"fare": 8}]}, "sum") == [
        "sum 3 of 1 2",
        "sum 12 of 4 8",
    ]


@pytest.mark.parametrize(
    ("content", "number", "unit"),
    [
        ({"price": 12.50}, "12.5", None),
        ({"latency_ms": 12}, "12", "ms"),
        ({"Price (USD)": 12}, "12", "usd"),
        ({"latency_of_all_ms": 12}, "12", "ms"),
        ({"usd_paid": 12}, "12", None),
        ({"ms": 12}, "12", None),  # a name that is only a unit may be anything
        ({"price": "12.50 EUR"}, "12.50", "eur"),
        ({"price_usd": "12.50 EUR"}, "12.50", "eur"),
        ({"price_usd": "12.50"}, "12.50", "usd"),
        ({"share": "12 %"}, "12", "%"),
        ({"took": "90 minutes"}, "90", "min"),
        ({"size": " 32 GB "}, "32", "gb"),
        ({"": 12}, "12", None),
    ],
)
def test_an_amount_is_a_number_and_the_unit_that_the_cell_or_its_column_says(
    content: object, number: str, unit: str | None
) -> None:
    (amount,) = amounts_in(content)
    assert (amount.number, amount.unit) == (Decimal(number), unit)


@pytest.mark.parametrize(
    "content",
    [
        {"order_id": 4471},
        {"id": "4471 EUR"},
        {"year": 2024},
        {"price": "12 EUR each"},
        {"price": "12 EUR, 14 EUR"},
        {"price": "ORD-4471"},
        {"when": "2024-05-21"},
        {"when": "12:30"},
        {"note": "a long price: " + "1" * 40},
        {"price": "1" * 41},
        {"price": "none"},
    ],
)
def test_a_name_and_a_cell_that_says_anything_else_are_no_amount(content: object) -> None:
    assert amounts_in(content) == []


def test_the_keys_of_an_object_of_objects_are_no_amounts() -> None:
    rows = {"4471": {"price": 10}, "4472": {"price": 20}}
    assert [amount.cell.leaf.text for amount in amounts_in(rows)] == ["10", "20"]


@pytest.mark.parametrize("number", ["1e9999999999999999999", "1e25", "1e-25"])
def test_a_number_that_nobody_computes_with_is_no_amount(number: str) -> None:
    assert amounts_in(f'{{"price": {number}}}') == []
    assert len(amounts_in('{"price": 1e24, "fee": 1e-24}')) == 2


@pytest.mark.parametrize(
    ("column", "names"),
    [
        ("id", True),
        ("order_id", True),
        ("flightNumber", True),
        ("SKU", True),
        ("id_of_order", False),
        ("id_text", False),
        ("price", False),
        ("", False),
    ],
)
def test_an_identity_is_the_last_word_of_a_columns_name(column: str, names: bool) -> None:  # noqa: FBT001
    assert is_identity(column) is names


@pytest.mark.parametrize(
    ("column", "counts"), [("seats", True), ("seats_left", True), ("itemCount", True), ("price", False), ("", False)]
)
def test_a_column_counts_something_by_any_word_of_its_name(column: str, counts: bool) -> None:  # noqa: FBT001
    assert counts_something(column) is counts


@pytest.mark.parametrize(
    ("column", "measures"),
    [
        ("price", True),
        ("year_total", True),
        ("total_year_paid", True),
        ("total_year", False),
        ("seats", False),
        ("seats_year", False),
        ("", True),
    ],
)
def test_a_column_measures_what_it_neither_counts_nor_names(column: str, measures: bool) -> None:  # noqa: FBT001
    assert measures_something(column) is measures


def test_amounts_of_what_counts_are_marked() -> None:
    rows = [{"seats": 9, "price": 10}, {"seats": 8, "price": 30}]
    marked = {one.amounts[0].cell.column: one.counts for one in aggregates(rows) if one.operation == "sum"}
    assert marked == {"seats": True, "price": False}


def identities(content: object) -> list[str | None]:
    return [identity_of(record) for table in tables_in(json.dumps(content)).tables for record in table.records]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"order_id": "R-100", "price": 10}, {"price": 20, "order_id": "r-100"}, True),
        ({"id": 4471}, {"id": 4472}, False),
        ({"user_order_id": 4471}, {"user_order_id": 4471}, True),
        ({"order_id": "R-100", "sku": "A1"}, {"order_id": "R-100", "sku": "A2"}, False),
        ({"order_id": "R-100", "user_id": "u1"}, {"order_id": "R-100", "user_id": "u1"}, True),
        ({"order_id": "R-100"}, {"flight_number": "R-100"}, False),
    ],
)
def test_records_are_one_when_all_their_identities_agree(one: object, other: object, same: bool) -> None:  # noqa: FBT001
    left, right = identities([one, other])
    assert left is not None
    assert (left == right) is same


@pytest.mark.parametrize(
    "record",
    [{"price": 10}, {"user_id": "u1", "price": 10}, {"first_user_id": "u1"}, {"zip_code": "10115", "price": 10}],
)
def test_a_record_without_an_identity_of_its_own_has_none(record: object) -> None:
    assert identities([record]) == [None]


def test_a_record_of_an_object_of_objects_is_known_by_its_key() -> None:
    left, right = identities({"HAT001": {"price": 10}, "HAT002": {"price": 20}})
    assert left is not None
    assert right is not None
    assert left != right


def test_fields_are_the_amounts_of_records_that_have_an_identity() -> None:
    content = [{"id": "R-1", "price": 10, "fee": 2}, {"price": 99}, {"id": "R-2", "note": "x"}, {"id": "R-3", "fee": 5}]
    fields = list(fields_of(measured(tables_in(json.dumps(content)).tables)))
    named = [(place, amount.cell.column, int(amount.number)) for place, _, amount in fields]
    assert named == [(0, "price", 10), (1, "fee", 2), (3, "fee", 5)]
    assert [identity for _, identity, _ in fields] == [identities(content)[row] for row in (0, 0, 3)]
    assert [amounts_in(content)[place].number for place, *_ in named] == [10, 2, 5]


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=2, max_size=8))
def test_two_columns_come_to_what_fractions_say(rows: list[tuple[int, int]]) -> None:
    one, other = (Fraction(sum(column)) for column in zip(*rows, strict=True))
    rows = [*rows, *rows]
    one, other = 2 * one, 2 * other
    made = {
        (each.operation, each.unit): Fraction(each.number)
        for each in aggregates([{"in_usd": left, "out_usd": right} for left, right in rows])
        if len(each.amounts) == 2 * len(rows)
    }
    less, more = sorted([one, other])
    expected: dict[tuple[str, str | None], Fraction] = {}
    expected["ratio", "%"] = 100 * less / more
    expected["ratio", TIMES] = more / less
    expected["complement", "%"] = 100 - 100 * less / more
    if less < more:
        expected["difference", "usd"] = more - less
    assert made.keys() == expected.keys()
    assert all(abs(made[way] - expected[way]) < Fraction(1, 10**20) for way in made)
