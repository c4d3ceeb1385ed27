"""Numbers in words: what they come to, where they stand, and how exactly they say it."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex
from foldproof.evidence.words import read_words


@pytest.mark.parametrize(
    ("words", "form", "places"),
    [
        ("thirteen", "13", 0),
        ("twenty", "20", 0),
        ("twenty-five", "25", 0),
        ("Ninety nine", "99", 0),
        ("two hundred", "200", 2),
        ("two hundred and five", "205", 0),
        ("two hundred forty-two", "242", 0),
        ("twelve hundred", "1200", 2),
        ("two thousand", "2000", 3),
        ("two thousand five hundred", "2500", 2),
        ("two thousand and five", "2005", 0),
        ("one hundred thousand", "100000", 3),
        ("one hundred and twenty thousand", "120000", 3),
        ("three million", "3000000", 6),
        ("three million, two hundred thousand and one", "3200001", 0),
        ("four billion", "4000000000", 9),
        ("five trillion", "5000000000000", 12),
    ],
)
def test_words_come_to_a_number_and_say_it_to_their_last_place(words: str, form: str, places: int) -> None:
    text = f"It took {words}, about."
    (value,) = read_words(text)
    assert (value.kind, value.text, value.form, value.places, value.unit) == ("number", words, form, places, None)
    assert (text[value.start : value.end], value.digits, value.distinctive) == (words, len(form), False)


@pytest.mark.parametrize(
    ("words", "kind", "form", "unit", "distinctive"),
    [
        ("five dollars", "money", "5", "usd", True),
        ("two hundred euros", "money", "200", "eur", True),
        ("six percent", "percent", "6", "%", True),
        ("forty five minutes", "duration", "45", "min", False),
        ("Two hours", "duration", "2", "h", False),
        ("ninety kilometers", "quantity", "90", "km", False),
        ("twenty", "number", "20", None, False),
    ],
)
def test_words_may_have_a_unit(words: str, kind: str, form: str, unit: str | None, distinctive: bool) -> None:  # noqa: FBT001
    (value,) = read_words(f"It took {words}.")
    assert (value.kind, value.form, value.unit, value.distinctive) == (kind, form, unit, distinctive)
    assert (value.text, value.digits) == (words, len(form))


@pytest.mark.parametrize(
    "text",
    [
        "one of two",
        "a dozen, or half",
        "twelve of them",
        "an empty city party, plenty of property",
        "seventeenth of May",
        "twenty-first",
        "twenty first",
        "the twenty-x plan",
        "host-twenty",
        "a.twenty",
        "twenty/seven",
        "twenty@mail.com",
        "dozens of millions",
    ],
)
def test_small_counts_and_other_words_are_no_numbers(text: str) -> None:
    assert list(read_words(text)) == []


def test_several_numbers_stand_in_one_text() -> None:
    text = "twenty of two hundred, and one more for five dollars"
    assert [(value.form, value.start) for value in read_words(text)] == [("20", 0), ("200", 10), ("5", 40)]


def test_a_round_number_in_words_is_as_exact_as_it_says() -> None:
    for said, answer, verdict in (
        ("312.40", "It is three hundred dollars.", "grounded"),
        ("312.40", "It is three hundred and one dollars.", "invented"),
        ("350.40", "It is three hundred dollars.", "grounded"),  # cut
        ("412.40", "It is three hundred dollars.", "invented"),
    ):
        (value,) = EvidenceIndex([result(f"fee {said} USD")]).judge(answer).values
        assert value.verdict == verdict
