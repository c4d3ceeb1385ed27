"""How a spelling becomes a form, function by function, as the table at the head of `spellings` has it."""

from __future__ import annotations

import pytest

from foldproof.evidence import spellings
from foldproof.evidence.spellings import Moment

AFTERNOON = Moment(2024, 5, 21, 13, 0)


@pytest.mark.parametrize(
    ("literal", "scale", "number"),
    [
        ("007", 0, "7"),
        ("000", 0, "0"),
        ("-0.0", 0, "0"),
        ("+5", 0, "5"),
        ("1.50", 0, "1.5"),
        ("-.5", 0, "-0.5"),
        ("1.2345e3", 0, "1234.5"),
        ("5e-1", 0, "0.5"),
        ("5E-3", 0, "0.005"),
        ("123.4e-2", 0, "1.234"),
        ("1.2", 6, "1200000"),
        ("12", -3, "0.012"),
        ("1.5e2", -2, "1.5"),
        ("1e400", 0, "1" + "0" * 400),
        ("1E401", 0, "1e401"),
        ("1e-401", 0, "1e-401"),
        ("1e9999999", 0, "1e9999999"),
    ],
)
def test_digits_are_moved_and_never_computed(literal: str, scale: int, number: str) -> None:
    assert spellings.canonical_number(literal, scale=scale) == number


@pytest.mark.parametrize(
    ("number", "quiet"),
    [
        ("0.30000000000000004", "0.3"),
        ("-0.30000000000000004", "-0.3"),
        ("1234567.80000000004", "1234567.8"),
        ("0.00000012345678901234567", "0.000000123456789012346"),
        ("0.000000000123456789", "0.000000000123456789"),
        ("-12345.6789012345", "-12345.6789012345"),
        ("12345678901234567890", "12345678901234567890"),
        ("1.5", "1.5"),
    ],
)
def test_the_noise_of_a_double_is_what_runs_past_fifteen_digits(number: str, quiet: str) -> None:
    assert spellings.without_float_noise(number) == quiet
    assert spellings.number_forms(number, None) == tuple(dict.fromkeys((number, quiet)))


@pytest.mark.parametrize(
    ("spelling", "plain"),
    [
        ("1,234", "1234"),
        ("1,234,567", "1234567"),
        ("1,496.25", "1496.25"),
        ("1,496.2", "1496.2"),
        ("1.234,5", "1234.5"),
        ("1.234.567", "1234567"),
        ("1.234.567,89", "1234567.89"),
        ("19,99", "19.99"),
        ("1,8260", "1.8260"),
        ("1 380", "1380"),
        ("1 380,500", "1380.500"),
        ("1\u00a0380,500", "1380.500"),
        ("1'234'567", "1234567"),
        ("1_000", "1000"),
        (".5", ".5"),
    ],
)
def test_the_last_of_two_separators_is_the_decimal_sign(spelling: str, plain: str) -> None:
    assert spellings.ungrouped(spelling) == plain


def test_a_number_is_indexed_with_its_unit_and_with_some_unit() -> None:
    assert spellings.number_forms("190", "usd") == ("190 usd", "190 ¤")
    assert spellings.number_lookups("190", "usd") == ("190", "190 usd")
    assert spellings.number_lookups("190", None) == ("190", "190 ¤")


@pytest.mark.parametrize(
    ("number", "day"),
    [
        ("20240521", "2024-05-21"),
        ("19991231", "1999-12-31"),
        ("20241012", "2024-10-12"),
        ("18991231", None),
        ("21000101", None),
        ("20240532", None),
        ("20241321", None),
        ("2024052", None),
        ("202405211", None),
        ("2024052a", None),
    ],
)
def test_eight_digits_may_be_a_day_of_this_century_or_the_last(number: str, day: str | None) -> None:
    forms = spellings.compact_date_forms(number)
    assert forms == (() if day is None else (day, day[4:].replace("-", "--", 1), day[:7], f"…{day[:4]}"))


def test_what_is_left_of_a_date_without_year_or_day() -> None:
    assert spellings.date_forms(2024, 5, 21) == ("2024-05-21", "--05-21", "2024-05", "…2024")
    assert spellings.date_forms(2024, 5, None) == ("2024-05", "…2024")
    assert spellings.date_forms(None, 5, 2) == ("--05-02", "--05-02?")


def test_zero_seconds_are_not_written() -> None:
    assert spellings.clock_form(13, 0) == "13:00"
    assert spellings.clock_form(9, 5, 7) == "09:05:07"
    assert spellings.utc_clock_form("13:00:25") == "@t13:00"


@pytest.mark.parametrize(
    ("zone", "minutes"),
    [
        ("Z", 0),
        ("GMT", 0),
        ("EST", -300),
        ("EDT", -240),
        ("CST", -360),
        ("CDT", -300),
        ("MST", -420),
        ("MDT", -360),
        ("PST", -480),
        ("PDT", -420),
        ("CET", 60),
        ("CEST", 120),
        ("+05:30", 330),
        ("-0400", -240),
        ("+12:45", 765),
        ("XYZ", None),
        ("", None),
    ],
)
def test_zones_are_minutes_east_of_utc(zone: str, minutes: int | None) -> None:
    assert spellings.zone_offset(zone) == minutes


def test_a_moment_without_a_zone_is_said_less_exactly_too() -> None:
    assert spellings.moment_forms(AFTERNOON) == ("2024-05-21t13:00",)
    assert spellings.moment_forms(AFTERNOON._replace(second=5, fraction="1234567890")) == (
        "2024-05-21t13:00:05.123456789",
        "2024-05-21t13:00:05.123456",
        "2024-05-21t13:00:05.123",
        "2024-05-21t13:00:05",
    )
    assert spellings.moment_forms(AFTERNOON._replace(fraction="500")) == ("2024-05-21t13:00:00.5", "2024-05-21t13:00")
    assert spellings.moment_forms(AFTERNOON._replace(fraction="0005")) == (
        "2024-05-21t13:00:00.0005",
        "2024-05-21t13:00",
    )


def test_a_moment_with_a_zone_is_an_instant_and_its_clock_in_utc() -> None:
    assert spellings.moment_forms(AFTERNOON._replace(zone=-240)) == (
        "@2024-05-21t17:00",
        "@t17:00",
        "2024-05-21t13:00 ¤",
    )
    assert spellings.moment_forms(AFTERNOON._replace(second=25, fraction="5", zone=-240)) == (
        "@2024-05-21t17:00:25.5",
        "@2024-05-21t17:00:25",
        "@t17:00",
        "…@2024-05-21t17:00",
        "2024-05-21t13:00:25.5 ¤",
        "2024-05-21t13:00:25 ¤",
    )


def test_an_instant_outside_of_the_calendar_keeps_its_own_clock() -> None:
    outside = Moment(1, 1, 1, 0, 0, 7, zone=60)
    assert spellings.moment_forms(outside) == ("0001-01-01t00:00:07 ¤",)
    assert spellings.moment_lookups(outside) == ("0001-01-01t00:00:07", "0001-01-01t00:00:07 ¤")
    assert spellings.moment_lookups(AFTERNOON._replace(zone=-240)) == ("2024-05-21t13:00", "@2024-05-21t17:00")
    assert spellings.moment_lookups(AFTERNOON) == ("2024-05-21t13:00", "2024-05-21t13:00 ¤")


@pytest.mark.parametrize(
    ("text", "form"),
    [("ORD-4471", "ord-4471"), ("V1.2.3", "1.2.3"), ("v12", "v12"), ("via.4", "via.4"), ("1.2v", "1.2v")],
)
def test_the_v_of_a_version_is_no_part_of_it(text: str, form: str) -> None:
    assert spellings.identifier_form(text) == form


@pytest.mark.parametrize(
    ("form", "pieces"),
    [
        ("ord-4471", {"4471"}),
        ("ord-447", set()),
        ("certificate_7504069", {"7504069"}),
        ("4471", set()),
        ("a-1234/b", {"a-1234", "1234"}),
        ("a-b-1234", {"1234"}),
        ("nginx:1.25.3-alpine", {"1.25.3", "1.25.3-alpine"}),
        ("src/app2.py:42", {"app2.py:42", "src/app2.py", "app2.py", "app2"}),
        ("x/v1.2.3/y", {"1.2.3", "1.2.3/y"}),
        ("a_1234.b", {"1234.b", "1234"}),
        ("1234-1234-1234", {"1234"}),
    ],
)
def test_segments_are_runs_between_separators(form: str, pieces: set[str]) -> None:
    found = spellings.segments(form)
    assert len(found) == len(set(found))
    assert set(found) == pieces


@pytest.mark.parametrize(
    ("form", "lengths"),
    [
        ("3f2a91c8d0e", []),
        ("3f2a91c8d0e4", range(7, 12)),
        ("3f2a91c8d0e4b5a6f", range(7, 17)),
        ("3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", range(7, 17)),
        ("3f2a91c8d0eg", []),
        ("abcdefabcdef", []),
        ("123456789012", []),
        ("abcdef" * 6, range(7, 17)),
        ("abcdefab" * 4, range(7, 17)),
        ("1234567890" * 4, range(7, 17)),
        ("ghijkl" * 6, []),
    ],
)
def test_a_hash_is_abbreviated_to_seven_digits_or_more(form: str, lengths: range) -> None:
    assert spellings.hash_prefixes(form) == tuple(f"^{form[:length]}" for length in lengths)


@pytest.mark.parametrize(
    ("form", "is_short"),
    [
        ("3f2a91", False),
        ("3f2a91c", True),
        ("3f2a91c8d0e4b5a6", True),
        ("3f2a91c8d0e4b5a6f", False),
        ("3f2a91g", False),
    ],
)
def test_seven_to_sixteen_hexadecimal_digits_may_abbreviate_a_hash(form: str, is_short: bool) -> None:  # noqa: FBT001
    assert spellings.is_short_hash(form) is is_short


@pytest.mark.parametrize(("form", "is_mixed"), [("a1", True), ("1a", True), ("11", False), ("aa", False), ("", False)])
def test_mixed_is_what_has_digits_and_letters(form: str, is_mixed: bool) -> None:  # noqa: FBT001
    assert spellings.is_mixed(form) is is_mixed


@pytest.mark.parametrize(
    ("form", "above"),
    [
        ("1.2", []),
        ("1.2.3", ["1.2"]),
        ("1.2.3-rc1", ["1.2"]),
        ("10.0.19041.1.7.8", ["10.0", "10.0.19041", "10.0.19041.1", "10.0.19041.1.7"]),
        ("release", []),
    ],
)
def test_less_specific_versions(form: str, above: list[str]) -> None:
    assert spellings.versions_above(form) == tuple(f"…v{version}" for version in above)


def test_a_form_from_outside_is_folded_but_for_an_address_of_the_web() -> None:
    assert spellings.folded_form("ORD-4471") == "ord-4471"
    assert spellings.folded_form("https://host/Path") == "https://host/Path"


def test_months_by_their_names() -> None:
    names = ["January", "feb", "MAR", "April", "May", "june", "Jul", "August", "Sept", "October", "Nov", "dec"]
    assert [spellings.month_number(name) for name in names] == list(range(1, 13))


def test_days_of_the_calendar() -> None:
    assert spellings.is_date(2024, 2, 29)
    assert not spellings.is_date(2023, 2, 29)
    assert not spellings.is_date(2024, 13, 1)
