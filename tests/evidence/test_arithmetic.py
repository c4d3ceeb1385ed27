"""Arithmetic: which operations over stated numbers give a result, and which never do."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.evidence.arithmetic import Term, fits, totals, worked_from
from foldproof.evidence.figures import Stated


def stated(text: str) -> Stated:
    amount = Decimal(text)
    exponent = amount.as_tuple().exponent
    assert isinstance(exponent, int)
    return Stated(abs(amount), exponent)


def terms_of(text: str) -> list[Term]:
    """Terms as in `152 usd, 3 #`, at the places 0, 1 and so on: an amount, then its unit, or # for a small count."""
    found = []
    for place, entry in enumerate(text.split(", ")):
        amount, _, unit = entry.partition(" ")
        found.append(Term(place, Decimal(amount), None if unit in ("", "#") else unit, is_count=unit == "#"))
    return found


def ways(result: str, terms: str) -> list[str]:
    """How a result (`255 usd`) follows: the operation, and the places of its operands (`sum 0 1`)."""
    amount, _, unit = result.partition(" ")
    operands = terms_of(terms)
    found = worked_from(stated(amount), unit or None, operands, place=len(operands))
    return [" ".join([worked.operation, *(str(term.place) for term in worked.terms)]) for worked in found]


@pytest.mark.parametrize(
    ("result", "terms", "expected"),
    [
        ("255", "152, 103", ["sum 0 1"]),
        ("255 usd", "152 usd, 103 usd", ["sum 0 1"]),
        ("255 usd", "152, 103 usd", ["sum 0 1"]),
        ("255 usd", "152 usd, 103", ["sum 0 1"]),
        ("255", "152 usd, 103 usd", ["sum 0 1"]),
        ("255", "-152, -103", ["sum 0 1"]),
        ("255", "152 usd, 103 eur", []),
        ("255 eur", "152 usd, 103 usd", []),
        ("255 eur", "152 usd, 103", []),
        ("255 eur", "152, 103 usd", []),
        ("155", "152, 3 #", []),
        ("155", "3 #, 152", []),
        ("49", "152, 103", ["difference 0 1"]),
        ("49", "103, 152", ["difference 1 0"]),
        ("255", "152, -103", ["difference 0 1"]),
        ("0", "152, 152", ["difference 0 1"]),
        ("149", "152, 3 #", []),
        ("49 usd", "152 usd, 103 eur", []),
    ],
)
def test_sums_and_differences_are_of_measured_amounts_of_one_unit(result: str, terms: str, expected: list[str]) -> None:
    assert ways(result, terms) == expected


@pytest.mark.parametrize(
    ("result", "terms", "expected"),
    [
        ("2405.8", "2 #, 1202.9", ["product 0 1"]),
        ("2405.8", "1202.9, 2 #", ["product 0 1"]),
        ("2405.8 usd", "2 #, 1202.9 usd", ["product 0 1"]),
        ("2405.8 usd", "1202.9 usd, 2 #", ["product 0 1"]),
        ("2405.8", "1202.9 usd, 2", ["product 0 1"]),
        ("2405.8 eur", "2 #, 1202.9 usd", []),
        ("2405.8 eur", "1202.9 usd, 2 #", []),
        ("15656", "152 usd, 103 usd", []),
        ("15656", "-152, 103", ["product 0 1"]),
        ("132", "12 #, 11 #", []),  # two counts that nobody supplied
        ("776.0 usd", "16 days, 48.5 usd", ["product 0 1"]),  # money for each of something
        ("776.0 usd", "48.5 usd, 16 days", ["product 0 1"]),
        ("776.0", "48.5 usd, 16 days", ["product 0 1"]),
        ("776.0 kg", "16, 48.5 kg", ["product 0 1"]),
        ("776.0 days", "48.5 usd, 16 days", []),
        ("776.0 usd", "48.5 kg, 16 days", []),
        ("776.0 usd", "48.5 usd, 16 %", []),
    ],
)
def test_a_product_takes_a_factor_without_a_unit(result: str, terms: str, expected: list[str]) -> None:
    assert ways(result, terms) == expected


@pytest.mark.parametrize(
    ("result", "terms", "expected"),
    [
        ("310", "25 %, 1240", ["share 0 1"]),
        ("310", "1240, 25 %", ["share 1 0"]),
        ("310 usd", "25 %, 1240 usd", ["share 0 1"]),
        ("310 eur", "25 %, 1240 usd", []),
        ("310", "25 usd, 1240", []),
        ("3.1", "20 %, 15.5 %", []),
    ],
)
def test_a_share_is_a_percentage_of_an_amount(result: str, terms: str, expected: list[str]) -> None:
    assert ways(result, terms) == expected


@pytest.mark.parametrize(
    ("result", "terms", "expected"),
    [
        ("1.244", "1496.5, 1202.9", ["ratio 0 1"]),
        ("1.244", "1202.9, 1496.5", ["ratio 1 0"]),
        ("1.244", "1496.5 usd, 1202.9 usd", ["ratio 0 1"]),
        ("1.244", "-1496.5, 1202.9", ["ratio 0 1"]),
        ("1.244", "1496.5 usd, 1202.9 eur", []),
        ("374.125 usd", "1496.5 usd, 4 #", ["ratio 0 1"]),
        ("374.125 usd", "1496.5 usd, 4 h", []),
        ("374.125 eur", "1496.5 usd, 4 #", []),
        ("374.125", "4, 1496.5", ["ratio 1 0"]),
        ("80.38 %", "1202.9, 1496.5", ["ratio 0 1"]),
        ("80.38 %", "1496.5, 1202.9", ["ratio 1 0"]),
        ("75 %", "3 #, 4 #", []),  # two counts that nobody supplied
        ("75 %", "3 #, 4", ["ratio 0 1"]),
        ("75 %", "3, 4 #", ["ratio 0 1"]),
        ("80.38 %", "1202.9 usd, 1496.5 eur", []),
        ("24.41 %", "1496.5, 1202.9", ["relative change 0 1"]),
        ("24.41 %", "1202.9, 1496.5", ["relative change 1 0"]),
        ("19.62 %", "1202.9, 1496.5", ["relative change 0 1"]),
        ("225.0 %", "1250.0, -1000.0", ["relative change 0 1"]),
        ("33.3 %", "4 #, 3 #", []),
        ("33.3 %", "400, 3 #", []),
        ("33.3 %", "4, 3 #", []),  # a count does not change
        ("5", "0, 5.1", ["sum 0 1", "difference 1 0"]),
        ("5 %", "0, 0", []),
    ],
)
def test_a_quotient_is_a_ratio_a_percentage_a_change_or_an_amount_for_each(
    result: str, terms: str, expected: list[str]
) -> None:
    assert ways(result, terms) == expected


@pytest.mark.parametrize(
    ("result", "terms", "expected"),
    [
        ("753", "152, 103, 498", ["sum 0 1 2"]),
        ("753 usd", "152 usd, 103, 498 usd", ["sum 0 1 2"]),
        ("851", "152, 103, 498, 98", ["sum 0 1 2 3"]),
        ("699", "152, 103, 498, 98", ["sum 1 2 3"]),
        ("650", "152, 103, 498", ["sum 0 2"]),  # two may stand apart, as any pair may
        ("702", "152, 103, 452, 98", []),  # three may not
        ("753", "152, 103, 7 #, 498", ["sum 0 1 3"]),  # counts are left out of a run
        ("753 usd", "152 usd, 103 usd, 7777 eur, 498 usd", ["sum 0 1 3"]),
        ("753", "-152, -103, -498", ["sum 0 1 2"]),
        ("251", "152, 103, 498", ["mean 0 1 2"]),
        ("251", "-152, -103, -498", ["mean 0 1 2"]),
        ("127.5", "152, 103", ["mean 0 1"]),
        ("300.5", "152, 103, 498", ["mean 1 2"]),
        ("212.8", "152, 103, 498, 98", ["mean 0 1 2 3"]),
        ("753 eur", "152 usd, 103 usd, 498 usd", []),
    ],
)
def test_a_sum_and_a_mean_are_over_a_run_of_neighbours(result: str, terms: str, expected: list[str]) -> None:
    assert ways(result, terms) == expected


POWERS = ", ".join(str(3**power) for power in range(17))


@pytest.mark.parametrize(
    ("place", "one", "other", "found"),
    [(17, 11, 16, True), (17, 10, 16, False), (0, 0, 5, True), (0, 0, 6, False), (8, 5, 11, False), (8, 6, 10, True)],
)
def test_pairs_are_taken_from_the_six_terms_nearest_to_the_result(
    place: int,
    one: int,
    other: int,
    found: bool,  # noqa: FBT001
) -> None:
    result = stated(str(3**one + 3**other))
    pairs = [worked.operation for worked in worked_from(result, None, terms_of(POWERS), place=place)]
    assert pairs == (["sum"] if found else [])


def test_of_more_than_16_terms_the_first_16_make_a_run() -> None:
    assert ways(str(sum(3**power for power in range(16))), POWERS) == [f"sum {' '.join(map(str, range(16)))}"]
    assert ways(str(sum(3**power for power in range(17))), POWERS) == []
    assert ways(str(sum(3**power for power in range(1, 17))), f"5 #, {POWERS}") == []
    assert "sum 1 2 3" in ways(str(1 + 3 + 9), f"5 #, {POWERS}")


def test_what_it_comes_to_exactly_is_told() -> None:
    terms = terms_of("152, 103, 498")
    assert [worked.exact for worked in worked_from(stated("753"), None, terms, place=3)] == [Decimal(753)]
    (ratio,) = worked_from(stated("1.476"), None, terms[:2], place=2)
    assert round(ratio.exact, 6) == Decimal("1.475728")


def test_totals_lose_no_digit() -> None:
    found = dict(totals(terms_of("10000000000000000000, 1, 0.25, -4")))
    assert found["sum"] == Decimal("9999999999999999997.25")
    assert found["mean"] == Decimal("2499999999999999999.3125")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("usd", "usd", True), ("usd", "eur", False), (None, "eur", True), ("usd", None, True), (None, None, True)],
)
def test_units_fit_where_they_are_one_or_one_is_not_stated(one: str | None, other: str | None, expected: bool) -> None:  # noqa: FBT001
    assert fits(one, other) is expected


amounts = st.decimals(-99_999, 99_999, places=2).filter(bool)


def text_of(exact: Fraction, places: int) -> str:
    """An exact number as it is rounded to so many decimals, by whole numbers alone."""
    digits = str((abs(exact) * 10**places + Fraction(1, 2)).__floor__()).zfill(places + 1)
    return digits if not places else f"{digits[:-places]}.{digits[-places:]}"


@given(st.tuples(amounts, amounts), st.integers(0, 3))
def test_whatever_two_amounts_come_to_is_found(pair: tuple[Decimal, Decimal], places: int) -> None:
    one, other = map(Fraction, pair)
    plain = {"sum": one + other, "difference": one - other, "product": one * other, "ratio": one / other}
    percentages = {"ratio": 100 * one / other, "relative change": 100 * (one / other - 1)}
    for unit, expected in ((None, plain), ("%", percentages)):
        for operation, exact in expected.items():
            text = text_of(exact, places)
            if Decimal(text):
                terms = [Term(0, pair[0], None), Term(1, pair[1], None)]
                found = [worked.operation for worked in worked_from(stated(text), unit, terms, place=2)]
                assert operation in found, (text, unit)


@given(st.lists(amounts, min_size=3, max_size=16), st.integers(0, 3), st.data())
def test_whatever_a_run_comes_to_is_found(column: list[Decimal], places: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(column) - 3))
    end = data.draw(st.integers(start + 3, len(column)))
    total = sum(map(Fraction, column[start:end]), Fraction(0))
    terms = [Term(place, amount, None) for place, amount in enumerate(column)]
    for operation, exact in (("sum", total), ("mean", total / (end - start))):
        text = text_of(exact, places)
        if Decimal(text):
            found = worked_from(stated(text), None, terms, place=len(terms))
            runs = [(worked.operation, [term.place for term in worked.terms]) for worked in found]
            assert (operation, list(range(start, end))) in runs
