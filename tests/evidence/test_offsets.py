"""Offsets of days: what a text says of how far one day lies from another, and the day that is meant."""

from __future__ import annotations

import pytest

from foldproof.evidence.offsets import day_before, offsets_behind_clocks, stated_offsets


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("You arrive the next day.", {1}),
        ("You arrive on the following day.", {1}),
        ("It is an overnight flight.", {1}),
        ("Come TOMORROW.", {1}),
        ("The day before is free.", {-1}),
        ("It left yesterday.", {-1}),
        ("Move it back one day.", {-1}),
        ("The Previous Day.", {-1}),
    ],
)
def test_a_day_is_named_by_its_neighbour(text: str, offsets: set[int]) -> None:
    assert stated_offsets(text) == offsets


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("three days later", {3}),
        ("three days after that", {3}),
        ("Ten Days FROM then", {10}),
        ("12 days earlier", {-12}),
        ("12 days AGO", {-12}),
        ("a fortnight before", {-14}),
        ("an overlong stay, a week prior", {-7}),
        ("two Weeks later", {14}),
        ("two nights on", {2}),
    ],
)
def test_a_number_of_days_goes_the_way_that_the_next_word_says(text: str, offsets: set[int]) -> None:
    assert stated_offsets(text) == offsets


@pytest.mark.parametrize("text", ["for three days", "a 3-day trip", "three days of rain", "three days."])
def test_without_a_direction_both_ways_count(text: str) -> None:
    assert stated_offsets(text) == {3, -3}


def test_a_timetable_adds_up_to_three_days() -> None:
    assert stated_offsets("arrives 00:30 (+2)") == {2}
    assert stated_offsets("arrives 00:30 +4") == frozenset()


def test_every_offset_of_a_text_counts() -> None:
    assert stated_offsets("The next day, or two days earlier, or three weeks later, or +3") == {1, -2, 21, 3}


def test_zero_days_and_more_than_a_leap_year_are_no_offset() -> None:
    assert stated_offsets("366 days later") == {366}
    assert stated_offsets("367 days later") == frozenset()
    assert stated_offsets("53 weeks ago") == frozenset()
    assert stated_offsets("0 days later") == frozenset()


def test_no_offset_where_none_is_stated() -> None:
    assert stated_offsets("The stay is fine; call +31 6 1234.") == frozenset()


def test_a_clock_carries_the_days_behind_it() -> None:
    assert offsets_behind_clocks("dep 22:10:00, arr 00:30:00+1 back 07:15+2") == {1, 2}
    assert offsets_behind_clocks("2024-05-21T10:00:00+01:00 and 3+1") == frozenset()


@pytest.mark.parametrize(
    ("day", "days", "earlier"),
    [
        ("2024-03-01", 1, "2024-02-29"),
        ("2023-03-01", 1, "2023-02-28"),
        ("2025-01-08", 14, "2024-12-25"),
        ("2024-05-20", -1, "2024-05-21"),
    ],
)
def test_the_day_so_many_days_before(day: str, days: int, earlier: str) -> None:
    assert day_before(day, days) == earlier


def test_there_is_no_day_before_the_first_and_none_in_no_calendar() -> None:
    assert day_before("0001-01-01", 1) is None
    assert day_before("2023-02-29", 1) is None
