"""Numbers in words: what they come to, where they stand, and how exactly they say it."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex
from foldproof.evidence.candidates import scan
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
    ("words", "digits", "kind", "unit"),
    [
        ("five dollars", "5 dollars", "money", "usd"),
        ("two hundred euros", "200 euros", "money", "eur"),
        ("six percent", "6 percent", "percent", "%"),
        ("forty five minutes", "45 minutes", "duration", "min"),
        ("Two hours", "2 hours", "duration", "h"),
        ("ninety kilometers", "90 kilometers", "quantity", "km"),
        ("twenty", "20", "number", None),
    ],
)
def test_words_state_with_their_unit_what_digits_do(words: str, digits: str, kind: str, unit: str | None) -> None:
    (value,) = read_words(f"It took {words}.")
    (same,) = scan(f"It took {digits}.")
    assert (value.kind, value.unit, value.text, value.digits) == (kind, unit, words, len(value.form))
    assert (value.kind, value.form, value.unit, value.stated) == (same.kind, same.form, same.unit, same.stated)
    assert value.distinctive is (kind in ("money", "percent"))


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
