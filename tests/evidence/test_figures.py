"""Figures: when a stated number reads as an exact one, and exact ones found by interval."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.evidence.candidates import scan
from foldproof.evidence.figures import Figures, Stated, scale_of, stated_number
from foldproof.evidence.values import Value


def number(text: str) -> Stated:
    """The number that a spelling states."""
    (value,) = scan(text)
    stated = stated_number(value)
    assert stated is not None
    return stated


@pytest.mark.parametrize(
    ("stated", "exact", "agrees"),
    [
        ("61%", "61.1", True),
        ("61%", "-61.1", True),
        ("61.0%", "61.1", False),
        ("61%", "61.5", False),
        ("61%", "61.9", False),
        ("61%", "60.49", False),
        ("61%", "60.5", True),  # rounded half up
        ("60%", "60.5", True),  # rounded half to even
        ("$181 million", "181674817", True),  # cut
        ("$182 million", "181674817", True),
        ("$180 million", "181674817", False),
        ("$181 million", "180499999", False),
        ("$1.2K", "1299", True),  # a last digit worth 100
        ("$1.22K", "1229", True),  # a last digit worth 10
        ("$1.2K", "1300", False),
        ("$1,299", "1299.9", False),  # nothing is cut where no digit is left out
        ("0.00", "0", True),
        ("0.00", "0.004", False),
        ("0.01", "0", False),
        ("0.1234567890", "0.12345678905", True),
        ("0.12345679", "0.123456785", True),
    ],
)
def test_a_number_reads_as_an_exact_one_at_its_own_precision(stated: str, exact: str, agrees: bool) -> None:  # noqa: FBT001
    assert number(stated).agrees(Decimal(exact)) is agrees


def test_a_number_that_nothing_was_left_out_of_is_only_itself_past_25_digits() -> None:
    of_25, of_26 = Decimal(1234567890123456789012345), Decimal(12345678901234567890123456)
    assert Stated(of_25, 0).agrees(of_25 + Decimal("0.4"))
    assert Stated(of_26, 0).agrees(of_26)
    assert not Stated(of_26, 0).agrees(of_26 + Decimal("0.4"))
    assert Stated(of_26 * 10**9, 0).agrees(of_26 * 10**9)


def test_neither_infinity_nor_a_number_past_every_float_agrees() -> None:
    assert not Stated(Decimal(5), 0).agrees(Decimal("Infinity"))
    assert not Stated(Decimal(5), 0).agrees(Decimal("1e400"))


@pytest.mark.parametrize("digits", [1, 16, 17, 23])
def test_long_numbers_agree_though_a_float_cannot_hold_them(digits: int) -> None:
    amount = Decimal("12345678901234567890123"[:digits])
    assert Stated(amount, 0).agrees(amount + Decimal("0.4"))
    assert Stated(amount, 0).agrees(amount - Decimal("0.4"))


@given(st.decimals(0, 10**9, places=6), st.integers(-6, 8))
def test_bounds_hold_whatever_rounds_to_a_number(exact: Decimal, places: int) -> None:
    for way in (ROUND_HALF_UP, ROUND_HALF_EVEN):
        stated = Stated(exact.quantize(Decimal(1).scaleb(places), way).normalize(), places)
        low, high = stated.bounds()
        assert low <= float(exact) <= high
        assert stated.agrees(exact) or not stated.amount


def test_bounds_are_a_unit_of_the_last_digit_wide() -> None:
    low, high = Stated(Decimal(100), 1).bounds()
    assert low == pytest.approx(90)
    assert high == pytest.approx(110)


def test_a_scaled_number_keeps_its_digits() -> None:
    assert number("12.6 million").scaled(-6) == Stated(Decimal("12.6"), -1)
    assert number("12.6").scaled(3) == Stated(Decimal(12_600), 2)


@pytest.mark.parametrize(
    ("stated", "factor", "interval"),
    [
        (Stated(Decimal(61), 0), "1", ("60.5", "61.5")),
        (Stated(Decimal("61.0"), -1), "1", ("60.95", "61.05")),
        (Stated(Decimal(60), 1), "1", ("50", "70")),  # it may have been cut
        (Stated(Decimal(500), 2), "1", ("400", "600")),
        (Stated(Decimal(61), 0), "1000", ("60500", "61500")),
        (Stated(Decimal(61), 0), "0.01", ("0.605", "0.615")),
    ],
)
def test_the_interval_of_a_number_is_as_wide_as_its_precision(
    stated: Stated, factor: str, interval: tuple[str, str]
) -> None:
    assert stated.times(Decimal(factor)) == (Decimal(interval[0]), Decimal(interval[1]))


@pytest.mark.parametrize(
    ("text", "amount", "places"),
    [("$1.2M", "1200000", 5), ("-8,000", "8000", 0), ("61.0%", "61.0", -1), ("9" * 24, "9" * 24, 0)],
)
def test_the_number_that_a_value_states(text: str, amount: str, places: int) -> None:
    assert number(text) == Stated(Decimal(amount), places)


def number_of(form: str, places: int | None) -> Value:
    return Value("number", form, 0, len(form), form, (form,), places=places)


@pytest.mark.parametrize(
    "value", [number_of("9" * 25, 0), number_of("12", None), number_of("twelve", 0), number_of("NaN", 0)]
)
def test_no_number_is_stated_by_a_name_or_by_what_is_too_long(value: Value) -> None:
    assert stated_number(value) is None


@pytest.mark.parametrize(
    ("text", "power"),
    [("12.6 million", 6), ("$1.2M", 6), ("$5k", 3), ("3 Billion", 9), ("$3bn", 9), ("2 trillion", 12), ("12.6", 0)],
)
def test_the_power_of_ten_of_a_scale_word(text: str, power: int) -> None:
    (value,) = scan(text)
    assert scale_of(value) == power


def test_numbers_are_found_by_interval_in_order_and_whatever_their_sign() -> None:
    figures: Figures[str] = Figures()
    for name, amount in (("c", "30"), ("a", "-10"), ("b", "20"), ("d", "40")):
        figures.add(Decimal(amount), name)
    assert list(figures.between(Decimal(10), Decimal(30))) == ["a", "b", "c"]
    assert list(figures.between(Decimal(11), Decimal(29))) == ["b"]
    assert list(figures.between(Decimal(41), Decimal(99))) == []
    figures.add(Decimal(25), "late")
    assert list(figures.between(Decimal(20), Decimal(30))) == ["b", "late", "c"]


def test_the_ends_of_an_interval_are_widened_by_what_a_float_cannot_tell() -> None:
    figures: Figures[str] = Figures()
    figures.add(Decimal("1000000000000000.1"), "in")
    figures.add(Decimal(1000000000100000), "out")
    figures.add(Decimal(999999999900000), "out")
    assert list(figures.between(Decimal(1000000000000001), Decimal(1000000000000001))) == ["in"]
    assert list(figures.between(Decimal(999999999999999), Decimal(999999999999999))) == ["in"]


class Unordered:
    """Something that cannot be compared, as most of what numbers come from."""


@pytest.mark.parametrize("count", [5, 600])
def test_any_number_of_things_may_have_one_amount(count: int) -> None:
    figures: Figures[Unordered] = Figures()
    sources = {Unordered() for _ in range(count)}
    for source in sources:
        figures.add(Decimal(7), source)
    assert set(figures.between(Decimal(7), Decimal(7))) == sources


@given(st.lists(st.integers(0, 2000), min_size=600, max_size=700, unique=True), st.integers(1, 599))
def test_many_at_once_or_few_at_a_time_makes_no_difference(amounts: list[int], first: int) -> None:
    sources = {amount: Unordered() for amount in amounts}
    figures: Figures[Unordered] = Figures()
    for batch in (amounts[:first], amounts[first:]):
        for amount in batch:
            figures.add(Decimal(amount), sources[amount])
        assert len(list(figures.between(Decimal(0), Decimal(2000)))) in (first, len(amounts))
    found = list(figures.between(Decimal(500), Decimal(1500)))
    assert found == [sources[amount] for amount in sorted(amounts) if 500 <= amount <= 1500]
