"""Amounts in their spellings: durations, money, scales, lists that a number may be, and what wears a number."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.candidates import scan
from foldproof.evidence.units import kind_of_unit
from foldproof.evidence.values import Value


def how_said(answer: str, said: str) -> str | None:
    """How a tool said the only value of an answer; None when none did."""
    index = EvidenceIndex([result(said)])
    (value,) = index.judge(f"It is {answer}, yes.", options=EvidenceOptions(min_digits=1)).values
    return value.how if value.verdict == "grounded" else None


def with_pieces(value: Value) -> list[Value]:
    return [value, *(each for piece in value.pieces for each in with_pieces(piece))]


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("51 hours", "2d 3h", "spelling"),
        ("1563 minutes", "1d 2h 3m", "spelling"),
        ("86401 s", "1d 1s", "spelling"),
        ("3661 seconds", "1h 1m 1s", "spelling"),
        ("95.50 s", "1m 35.5s", "spelling"),
        ("1m 35.5s", "95.5 s", "spelling"),
        ("1m 35s", "95", "spelling"),
        ("1m 35s", "1m 35s", "exact"),
        ("1m 35s", "1m 36s", None),
        ("95 min", "1m 35s", None),
    ],
)
def test_a_duration_of_several_units_is_counted_in_the_smallest(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


def test_a_duration_of_several_units_is_examined_and_as_exact_as_its_last_number() -> None:
    for text, form, unit, places in (("2h 5m", "125", "min", 0), ("1m 35.25s", "95.25", "s", -2)):
        (value,) = scan(text)
        assert (value.form, value.unit, value.places, value.is_examined(3)) == (form, unit, places, True)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("5m 10 cm", ["5m", "10 cm"]),
        ("5 m 10 cm", ["5", "10 cm"]),
        ("10 minutes 5 apples", ["10 minutes", "5"]),
        ("1h 30 apples", ["1h", "30"]),
    ],
)
def test_one_unit_with_another_number_behind_it_is_a_number_of_its_own(text: str, texts: list[str]) -> None:
    assert [value.text for value in scan(text)] == texts


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("47th", "47", "spelling"),
        ("47.0", "the 47th", "spelling"),
        ("21 ° C", "21 °C", "spelling"),
        ("21 ° C", "21 °F", None),
        ("NT$500", "NT$ 500.00", "spelling"),
        ("NT$500", "$500", None),
        ("US$500", "$500", "spelling"),
        ("C$500", "CAD 500", "spelling"),
        ("-$500", "$-500", "spelling"),
        ("-$500", '{"usd": -500}', "spelling"),
        ("$500", "$-500", None),
        ("(1,250)", "1250", "spelling"),
        ("(1,250)", "-1250", "ambiguous"),
        ("-1250", "(1,250)", "ambiguous"),
        ("($1,250)", "-$1250", "ambiguous"),
        ("-$1250", "($1,250)", "ambiguous"),
        ("-1250", "($1,250)", "ambiguous"),
        ("-€1250", "($1,250)", None),
        ("($1,250)", "-1250 EUR", None),
        ("(5.5%)", "5.5%", "exact"),
        ("(5.5%)", "-5.5%", None),
        ("-5.5%", "(5.5%)", None),
        ("(1250)", "-1250", None),
        ("-1250", "(1250)", None),
        ("-107141108", "(107,141,108)", None),
        ("2½", "2.5", "spelling"),
        ("2 ½", "2.5", "spelling"),
        ("2\u00a0½", "2.5", "spelling"),
        ("0.750", "¾ of it", "spelling"),
        ("2.50", "2½ cups", "spelling"),
        ("1\u00d710⁻³", "0.001", "spelling"),
        ("3.5-million", "3500000", "spelling"),
    ],
)
def test_an_amount_in_another_spelling(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("$200", "$100-200", "ambiguous"),
        ("$100", "$100-200", "exact"),
        ("$1,200", "$1,000-1,200 a day", "ambiguous"),
        ("200", "$100-200", "ambiguous"),
        ("€200", "$100-200", None),
        ("$50", "$100-50", None),  # no range rises so
        ("$200", "-$100-200", None),
        ("$200", "$100-200-300", None),
        ("$200", "$100-200.b", None),
        ("443", "a\n8,443\n1,250", "ambiguous"),
        ("8", "a\n8,443\n1,250", "ambiguous"),
        ("8443.0", "a\n8,443\n1,250", "spelling"),
    ],
)
def test_what_a_spelling_may_state_beside_its_own_number_is_ambiguous(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("16.181", "16181", "ambiguous"),
        ("16181", "16.181", "ambiguous"),
        ("-16.181", "-16181", "ambiguous"),
        ("-16.181", "16181", None),
        ("€16.181", "16181 €", "ambiguous"),
        ("€16.181", "16181 $", None),
        ("16.181 kg", "16181 kg", None),
        ("16,181", "16.181", "ambiguous"),
        ("0.181", "181", None),
        ("16181", "16.181 million", None),
        ("16.181 million", "16181", None),
        ("16.181 million", "16181000000", None),
        ("1,234,567", "1.234.567", "spelling"),
        ("1.234.567", "1234567", "spelling"),
        ("12,34", "12,34 x", "exact"),
        ("-12,34", "-12.34", "ambiguous"),
        ("-12,34", "12.34", None),
        ("12,34", "[12.34]", "ambiguous"),
        ("12.34", "12,34 x", "ambiguous"),
        ("12", "12,34 x", "exact"),
        ("2024-05-21", "20240521", "ambiguous"),
        ("3.10", "v3.10", "spelling"),
        ("-3.10", "v3.10", None),
        ("3.10 kg", "v3.10", None),
    ],
)
def test_one_sign_may_group_or_start_a_fraction(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("¥500", "500 yen", "ambiguous"),
        ("¥500", "CNY 500", "ambiguous"),
        ("500 yen", "¥500", "ambiguous"),
        ("CNY 500", "¥500", "ambiguous"),
        ("500 yen", "CNY 500", None),
        ("¥500", "$500", None),
        ("£500", "500 pounds", "ambiguous"),
        ("500 lb", "500 pounds", "ambiguous"),
        ("500 pounds", "£500", "ambiguous"),
        ("500 pounds", "500 lbs", "ambiguous"),
        ("£500", "500 lb", None),
    ],
)
def test_a_sign_or_a_word_that_two_units_share_says_neither(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("48-port", "48", "spelling"),
        ("48", "a 48-port switch", "exact"),
        ("48-port", "49", None),
        ("50M", "50000000", "spelling"),
        ("50M", "50", "ambiguous"),
        ("50,000,000", "about 50M", "spelling"),
        ("50", "about 50M", None),
        ("48-port", "a 48-port switch", "exact"),
        ("50m", "about 50M", "exact"),  # without regard to case
        ("50m", "50", "spelling"),
        ("50m", "50000000", "ambiguous"),
        ("50000000", "about 50m", "ambiguous"),
        ("50", "about 50m", "exact"),
        ("2.5K", "2500", "spelling"),
        ("2.5k", "2500", "ambiguous"),
        ("500g", "500 grams", "spelling"),
        ("500g", "500 kg", None),
        ("45s", "45 seconds", "spelling"),
        ("45s", "45 ms", None),
        ("5mm/day", "5 mm", "spelling"),
        ("5mm/day", "5000000", None),
        ("1.50s", "1.5 ms", None),
        ("the 90s", "90 kg", "spelling"),  # years, which no unit blocks
    ],
)
def test_what_wears_a_number_is_judged_on_it(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("text", "unit", "places"),
    [
        ("45s", "s", 0),
        ("45S", "s", 0),
        ("90s", None, 0),
        ("90S", None, 0),
        ("1.50s", "s", -2),
        ("500g", "grams", 0),
        ("5G", None, 0),
        ("12GB", "gb", 0),
        ("20kg/month", "kg", 0),
        ("5MW/day", "mw", 0),
        ("5mW/day", None, 0),  # a milliwatt is no megawatt
        ("60W", "w", 0),
        ("60w", None, 0),
        ("2.5K", None, 2),
        ("2.5k", None, -1),
        ("1.5e3", None, 2),
        ("2.5e-3 kg", "kg", -4),
        ("47th", None, 0),
        ("12345678", None, 0),
        ("1.25", None, -2),
        ("-12,345", None, 0),
        ("-12,3456", None, -4),
        ("2½", None, -1),
        ("2¾", None, -2),
    ],
)
def test_the_kind_the_unit_and_the_last_place_of_a_number(text: str, unit: str | None, places: int) -> None:
    (value,) = scan(text)
    assert (value.text, value.unit, value.places) == (text, unit, places)
    assert value.kind == (kind_of_unit(unit) if unit else "number")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("107,141,108", [("number", "107"), ("number", "141"), ("number", "108")]),
        ("107,041,000", [("number", "107"), ("identifier", "041"), ("identifier", "000")]),  # zeros are identity
        ("0,141,108", [("number", "0"), ("number", "141"), ("number", "108")]),
        ("$107,141,108", []),
        ("-107,141,108", []),
        ("107,141,108 kg", []),
        ("107,141", []),
        ("12,05", [("number", "12"), ("identifier", "05")]),
        ("12,0567", [("identifier", "0567")]),
        ("1,8260", [("number", "8260")]),  # what is long enough to be examined
        ("123,45", [("number", "123")]),
        ("123,4567", [("number", "123"), ("number", "4567")]),
        ("-12,34", [("number", "12"), ("number", "34")]),
        ("2 500 ml", [("quantity", "500")]),
        ("2 005 300 ml", [("identifier", "005"), ("quantity", "300")]),
        ("120 500 ml", [("number", "120"), ("quantity", "500")]),
        ("-120 500 ml", [("number", "-120"), ("quantity", "500")]),
        ("XAF 120 500", [("money", "120"), ("number", "500")]),
        ("1 380,50 €", []),
        ("1 380 million EUR", [("money", "380000000")]),
        ("3 x 10^5", []),
        ("1\u00a0380 kg", []),
    ],
)
def test_the_numbers_that_a_number_may_list(text: str, pieces: list[tuple[str, str]]) -> None:
    (value,) = scan(text)
    assert [(piece.kind, piece.form) for piece in value.pieces] == pieces


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("107,141,108", "107 and 141 and 108", "part"),
        ("107,141,108", "107 and 141 and 109", None),
        ("141", "107,141,108", "ambiguous"),
        ("107'141'108", "107,141,108", "spelling"),
        ("107,041,108", "107 and 41 and 108", None),
        ("107,041,108", "107 and #041 and 108", "part"),
        ("2 005 300 ml", "#005 of 300 ml", "part"),
        ("2 005 300 ml", "5 of 300 ml", None),
        ("500 ml", "120 500 ml", "exact"),
        ("120", "120 500 ml", "exact"),
        ("005", "2 005 300 ml", "exact"),
        ("120,500 ml", "120 500 ml", "spelling"),
        ("12,34", "12 and 34", "part"),
        ("12,34", "12 and 35", None),
        ("12,34", "1234", None),
    ],
)
def test_a_list_without_spaces_is_cleared_by_its_numbers_or_as_one(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("text", "examined"),
    [
        ("12", False),
        ("120", True),
        ("12.5", True),
        ("1.5", False),
        ("12,34", False),
        ("123,4", True),
        ("120½", True),
        ("12½", False),
        ("45 min", False),
        ("6 weeks", False),
        ("15 hours", False),
        ("1.5 hours", True),  # a fraction is no everyday count
        ("120 days", True),
        ("45 sec", True),
        ("5%", True),
        ("$5", True),
        ("5 kg", True),
    ],
)
def test_the_floor_counts_digits_and_knows_everyday_durations(text: str, examined: bool) -> None:  # noqa: FBT001
    (value,) = scan(text)
    assert value.is_examined(3) is examined


@pytest.mark.parametrize(
    "text",
    [
        "107,141,108",
        "107,041,108",
        "-12,34",
        "12,05",
        "1,8260",
        "2 500 ml",
        "-2 005 300 ml",
        "XAF 120 500",
        "(1,250)",
        "($1,250)",
        "(107,141,108)",
        "(250)",
        "2½",
        "1h30m",
        "PT45S",
        "10 minutes 5 apples",
        "$100-200",
        "NT$ 500",
        "48-port",
        "50m",
        "47th",
        "10-20",
    ],
)
def test_an_amount_and_its_pieces_stand_where_they_say(text: str) -> None:
    whole = f"There {text} is."
    values = scan(whole)
    assert values
    for value in (each for one in values for each in with_pieces(one)):
        assert whole[value.start : value.end] == value.text
