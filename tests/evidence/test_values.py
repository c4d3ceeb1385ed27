"""What each kind of value is read from and what it matches: verdicts follow from what the spellings mean."""

from __future__ import annotations

import itertools
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.generators import result, scrambled, spelled_values, words

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.candidates import scan
from foldproof.evidence.spellings import DIMENSIONS, RARE, Moment, instant_form
from foldproof.evidence.units import UNIT_OF, UNITS
from foldproof.evidence.values import NUMERIC


def verdicts(answer: str, *said: object) -> list[str]:
    index = EvidenceIndex([result(each) for each in said])
    return [value.verdict for value in index.judge(answer, options=EvidenceOptions(min_digits=1)).values]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1,234", "number"),
        ("$20", "money"),
        ("20 CHF", "money"),
        ("19,99 €", "money"),
        ("KES 500", "money"),
        ("85 percent", "percent"),
        ("25 bps", "percent"),
        ("32 GB", "quantity"),
        ("512 bytes", "quantity"),
        ("100 Mbps", "quantity"),
        ("11 metres", "quantity"),
        ("21 °C", "quantity"),
        ("80 kg", "quantity"),
        ("120 km/h", "quantity"),
        ("45 minutes", "duration"),
        ("250ms", "duration"),
        ("1h30m", "duration"),
        ("1 h 30 min", "duration"),
        ("2 hours and 5 minutes", "duration"),
        ("forty five minutes", "duration"),
        ("May 21, 2024", "date"),
        ("2024-05-21", "date"),
        ("8:15 AM", "clock"),
        ("2024-05-21T13:00:00Z", "datetime"),
        ("2024-05-21 13:00", "datetime"),
        ("ORD-4471", "identifier"),
        ("v1.2.3", "version"),
        ("1.2.3", "version"),
        ("15.13.2024", "version"),
        ("v15.03.2024", "version"),
        ("15.03.24", "version"),
        ("15.03.2024", "date"),
        ("./src/app.py", "path"),
        ("/usr/local/bin", "path"),
        ("C:\\work\\notes.txt", "path"),
        ("~/notes/today.md", "path"),
        ("https://example.com/a", "url"),
        ("a@b.com", "email"),
        ("(425) 803-8080", "phone"),
        ("+44 20 7946 0018", "phone"),
        ("10.0.0.5", "ip"),
        ("2001:db8::1", "ip"),
        ("001a.2b3c.4d5e", "mac"),
        ("550e8400-e29b-41d4-a716-446655440000", "uuid"),
        ("3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "hash"),
        ("sha256:ab12cd34", "hash"),
        ("16:9", "ratio"),
        ("2012-2014", "range"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    for surrounding in ("{}", "It is {}, yes.", "({})", "**{}**"):
        (value,) = scan(surrounding.format(text))
        assert value.kind == kind
        assert value.text.strip("()") == text.strip("()")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("61%", 0),
        ("61.0%", -1),
        ("$1.2M", 5),
        ("8,000", 0),
        ("$181 million", 6),
        ("1.5e-7", -8),
        ("1.5×10⁻⁷", -8),  # noqa: RUF001 - a multiplication sign
        ("1.234.567,89", -2),
        ("19,99 €", -2),
        ("2.4 million", 5),
        ("twenty-five million", 6),
        ("142", 0),
        ("½", -1),
        ("1h30m", 0),
        ("50K", 3),
    ],
)
def test_places_are_those_of_the_last_digit_that_is_said(text: str, places: int) -> None:
    (value,) = scan(text)
    assert value.places == places


def test_only_numbers_have_places() -> None:
    for text in ("ORD-4471", "May 21, 2024", "13:00", "/srv/src/app.py", "a@b.com", "10.0.0.5"):
        assert [value.places for value in scan(text)] == [None]


@pytest.mark.parametrize(
    "text",
    [
        "card ending in 1239",
        "it ends with 1239",
        "the last four digits are 1239",
        "last 4: 1239",
        "last four 1239",
        "**** **** **** 1239",
        "****1239",
        "card x1239",
        "card XXXX1239",
        "…1239",
        "...1239",
        "ending in **1239**",
        "gift card ending 7044",
        "the one ending: 7044.",
        "(ending #AB7044)",
    ],
)
def test_what_is_said_to_be_an_end_is_a_suffix(text: str) -> None:
    assert [value.suffix for value in scan(text)][-1]


@pytest.mark.parametrize(
    "text",
    [
        "card 1239",
        "**1239**",
        "the year ending 2019",
        "ending 1,239",
        "ending 70.44",
        "a week ending 12 May",
        "it ended at 1239",
        "x86",
        "- 1239",
        "at last 1239",
    ],
)
def test_what_merely_stands_somewhere_is_no_suffix(text: str) -> None:
    assert not any(value.suffix for value in scan(text))


@pytest.mark.parametrize(
    "text",
    [
        "and/or he/she TCP/IP input/output w/o km/h n/a",
        "one of them, a dozen, half of it, two and three, hundreds of thousands, a million",
        "at a.m./p.m. or U.S./E.U. text/plain application/vnd.ms",
        "NaN and Infinity, MIX, Chapter IV",
        "It may be so, and it will march on.",
        "twenty-first century, the thirtieth",
    ],
)
def test_prose_is_no_value(text: str) -> None:
    assert [value.text for value in scan(text) if value.is_examined(3)] == []


@pytest.mark.parametrize(
    "text", ["5 in", "3 m", "10 a", "2 s", "4 t", "7 h", "9 l", "6 g", "the 90s", "1980s", "5G", "8 US"]
)
def test_a_letter_of_prose_is_no_unit(text: str) -> None:
    assert [value.unit for value in scan(f"It is {text} there.")] == [None]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("1h30m", "1 h 30 min"),
        ("1h30m", "1 hour and 30 minutes"),
        ("90 min", "1h30m"),
        ("15.03.2024", "2024-03-15"),
        ("2024-03-01", "am 1.3.2024, sagt er"),
        ("15.03.2024", "v15.03.2024"),
        ("v15.03.2024", "15.03.2024"),
        ("15.03.2024-16.03.2024", "2024-03-15 and 2024-03-16"),
        ("15.13.2024", "15.13.2024"),
        ("24 hours", "24h"),
        ("24 hours", '{"hours": 24}'),
        ("3.10", '{"python": "v3.10"}'),
        ("v3.10", '{"python": "3.10"}'),
        ("v1.2", "release 1.2.3"),
        ("Python 3.11", "python-3.11.4 and 3.11.4"),
        ("src/app.py", "/srv/src/app.py"),
        ("/src/lib/a.py", "see C:\\work\\src\\lib\\a.py"),
        ("/srv/src/lib", "/data/srv/src/lib/a.py"),
        ("src/app.py:42", "src/app.py:42: error"),
        ("src/app.py", "src/app.py:42: error"),
        ("2024-05-21T17:00:00Z", "2024-05-21T13:00:00-04:00"),
        ("2024-05-21T13:00:00-04:00", "at 2024-05-21 13:00:00 EDT"),
        ("2024-05-21 13:00", "May 21, 2024, 1 PM"),
        ("2024-05-21T13:00:05.5Z", "2024-05-21T13:00:05.500Z"),
        ("2024-05-21T13:00:05Z", "2024-05-21T13:00:05.123Z"),
        ("425 803 8080", "425-803-8080"),
        ("+1 (425) 803-8080", "425.803.8080"),
        ("4258038080", "(425) 803-8080"),
        ("2001:0db8:0:0:0:0:0:1", "2001:db8::1"),
        ("001a2b3c4d5e", "00:1A:2B:3C:4D:5E"),
        ("0:1a:2b:3c:4d:5e", "00-1a-2b-3c-4d-5e"),
        ("550E8400E29B41D4A716446655440000", "{550e8400-e29b-41d4-a716-446655440000}"),
        ("3f2a91c8d0e4", "3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718"),
        ("-3.10", "(3.10)"),
        ("two hundred and five dollars", '{"usd": 205}'),
        ("3 percent", "three percent"),
        ("12", "12,34"),
        ("12.34", "12,34"),
        ("2½", '{"v": 2.5}'),
        ('"Q3 report.pdf"', '{"file": "/home/u/Q3 report.pdf"}'),
        ("http://x.org/a?b=1&c=2", "http://x.org/a?b=1&amp;c=2"),
    ],
)
def test_the_same_value_in_another_spelling(answer: str, said: str) -> None:
    assert set(verdicts(f"It is {answer}, yes.", said)) == {"grounded"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("24 hours", "24 days"),
        ("5 kg", "5 lb"),
        ("15.03.2024", "2024-03-16"),
        ("03.04.2024", "2024-03-04"),
        ("v15.03.2024", "2024-03-15"),
        ("100 Mbps", "100 MB"),
        ("21 °F", "21 °C"),
        ("CAD 20", "USD 20"),
        ("v3.1", '{"python": "v3.10"}'),
        ("v1.3", "release 1.2.3"),
        ("src/app.ts", "/srv/src/app.tsx"),
        ("/home/eve/notes.txt", "/home/u/notes.txt"),
        ("src/app.py:43", "src/app.py:42: error"),
        ("2024-03-03T00:00:00-05:00", "2024-03-03T00:00:00Z"),
        ("2024-05-21T13:00:05.124Z", "2024-05-21T13:00:05.123Z"),
        ("2024-05-21 14:00", "2024-05-21 13:00"),
        ("425-803-8081", "425-803-8080"),
        ("+44 425 803 8080", "+1 425 803 8080"),
        ("00:1a:2b:3c:4d:5f", "001a.2b3c.4d5e"),
        ("2001:db8::2", "2001:db8::1"),
        ("3f2a91c8d0e5", "3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718"),
        ("one hundred and forty three", '{"v": 142}'),
        ("twenty five thousand", '{"v": 25}'),
        ("2½", '{"v": 2.25}'),
        ('"Q4 report.pdf"', '{"file": "/home/u/Q3 report.pdf"}'),
        ("0x1234", "1234"),
    ],
)
def test_another_value(answer: str, said: str) -> None:
    assert "grounded" not in verdicts(f"It is {answer}, yes.", said)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("(+13.7%)", [("percent", "13.7")]),
        ("+24.41%", [("percent", "24.41")]),
        ("+250 ms", [("duration", "250")]),
        ("+12.5 kg", [("quantity", "12.5")]),
        ("+12345678 bytes", [("quantity", "12345678")]),
        ("+1 380 EUR", [("money", "1380")]),
        ("+1.2M", [("number", "1200000")]),
        ("+12345", [("number", "12345")]),
        ("+1234567.5", [("number", "1234567.5")]),
        ("+1.234.567,89", [("number", "1234567.89")]),
        ("+1.234.567", [("number", "1234567")]),
        ("+10 20 30", [("number", "10"), ("number", "20"), ("number", "30")]),
        ("+100 +200", [("number", "100"), ("number", "200")]),
        ("+100 2024-05-21", [("number", "100"), ("date", "2024-05-21")]),
        ("+2024-05-21", [("date", "2024-05-21")]),
        ("+15.03.2024", [("date", "2024-03-15")]),
        ("+192.168.1.1", [("ip", "192.168.1.1")]),
        ("+1.5-2.5", [("range", "1.5-2.5")]),
        ("+290 1234", [("phone", "tel:+2901234")]),
        ("+12345678", [("phone", "tel:+12345678")]),
        ("+33.1.23.45.67.89", [("phone", "tel:+33123456789")]),
        ("(+44 (0)20 7946 0958)", [("phone", "tel:+442079460958")]),
        ("(+1 425 803 8080), 5", [("phone", "tel:+14258038080"), ("number", "5")]),
    ],
)
def test_a_plus_in_front_is_a_phone_only_where_it_looks_like_one(text: str, read: list[tuple[str, str]]) -> None:
    assert [(value.kind, value.form) for value in scan(text)] == read


@pytest.mark.parametrize(
    ("text", "kind", "form", "unit"),
    [
        ("1 380,50 €", "money", "1380.5", "eur"),
        ("1\u202f380,50\u00a0€", "money", "1380.5", "eur"),
        ("1\u00a0380,50", "number", "1380.5", None),
        ("1\u00a0380,500", "number", "1380.5", None),
        ("1 380,50", "number", "1380.5", None),
        ("1 234 567 USD", "money", "1234567", "usd"),
        ("EUR 1 380", "money", "1380", "eur"),
        ("1 380 ms", "duration", "1380", "ms"),
        ("12 345,678 kg", "quantity", "12345.678", "kg"),
        ("534,80 $", "money", "534.8", "usd"),
        ("534,80$", "money", "534.8", "usd"),
        ("1.380,50 $", "money", "1380.5", "usd"),
        ("500 ¥", "money", "500", "yen or yuan"),
        ("1.53 s", "duration", "1.53", "s"),
        ("1,5 h", "duration", "1.5", "h"),
        ("534,80", "number", "534.8", None),
    ],
)
def test_one_number(text: str, kind: str, form: str, unit: str | None) -> None:
    for surrounding in ("{}", "It took {}.", "It was {}, then none.", "({})"):
        (value,) = scan(surrounding.format(text))
        assert (value.text, value.kind, value.form, value.unit) == (text, kind, form, unit)


def test_several_numbers() -> None:
    for text, forms in {
        "1 380 and": ["1", "380"],
        "-1 380": ["-1", "380"],
        "2012 345 EUR": ["2012", "345"],
        "$5 100 users": ["5", "100"],
        "5 $10": ["5", "10"],
        "5 €10": ["5", "10"],
        "1.53 s/op": ["1.53"],
    }.items():
        assert [value.form for value in scan(text)] == forms


def test_numbers_that_spaces_may_group_are_cleared_either_way() -> None:
    assert verdicts("2 500 ml bottles", '{"size": "500 ml"}') == ["grounded"]
    assert verdicts("2 500 ml", '{"ml": 2500}') == ["grounded"]
    assert verdicts("500 ml", "2 500 ml bottles") == ["grounded"]
    assert verdicts("2600 ml", "2 500 ml bottles") == ["invented"]
    assert verdicts("1 380,50 €", '{"eur": "380,50 €"}') == ["invented"]


def test_a_decimal_comma_or_a_list_of_two() -> None:
    assert verdicts("534,80", '{"v": 534.8}') == ["grounded"]
    assert verdicts("12,34", '{"v": [12, 34]}') == ["grounded"]
    assert "grounded" not in verdicts("12,34", '{"v": 1234}')
    (value,) = scan("12,34")
    assert value.lookups[0] == ("12.34", "ambiguous")


def test_numbers_in_words() -> None:
    for text, numbers in {
        "thirty and six": ["30"],
        "two and 3 minutes": ["3"],
        "one hundred and forty two": ["142"],
        "two million three hundred thousand": ["2300000"],
        "ninety-nine": ["99"],
        "twenty four passengers and 3 bags": ["24", "3"],
        "an id like forty-two-x": [],
        "a/twenty/b": [],
    }.items():
        assert [value.form for value in scan(text)] == numbers


def test_a_duration_takes_two_units() -> None:
    for text, units in {
        "5 m 10 cm": [None, "cm"],
        "10 minutes 5 apples": ["min", None],
        "2 h 5 apples": [None, None],
        "2 days, 3 hours": ["h"],
        "5 dogs 3 days": [None, "days"],
    }.items():
        assert [value.unit for value in scan(text)] == units


def test_an_instant_is_said_in_utc() -> None:
    assert instant_form(Moment(2024, 5, 21, 13, 0, zone=-240)) == "@2024-05-21t17:00"
    assert instant_form(Moment(2024, 12, 31, 23, 30, 5, "120", zone=-60)) == "@2025-01-01t00:30:05.12"
    assert instant_form(Moment(2024, 5, 21, 13, 0)) is None
    assert instant_form(Moment(1, 1, 1, 0, 0, zone=60)) is None


def test_units_can_be_converted_within_their_dimension() -> None:
    assert DIMENSIONS["weeks"] == ("seconds", Decimal(7) * 24 * 3600)
    assert DIMENSIONS["gb"][1] == Decimal(10) ** 9
    assert DIMENSIONS["bps"][1] * 100 == DIMENSIONS["%"][1]
    assert DIMENSIONS["feet"][1] * 5280 == DIMENSIONS["miles"][1]
    assert DIMENSIONS["inches"][1] * 12 == DIMENSIONS["feet"][1]
    assert DIMENSIONS["oz"][1] * 16 == DIMENSIONS["lb"][1]
    assert DIMENSIONS.keys() <= UNITS.keys()
    assert "°c" not in DIMENSIONS


def test_no_two_units_share_a_spelling() -> None:
    assert len(UNIT_OF) == sum(len(set(spellings)) for spellings in UNITS.values())


@given(st.one_of(spelled_values, scrambled, words))
def test_a_rare_reading_is_stated_behind_its_mark(text: str) -> None:
    for value in scan(text):
        assert (value.places is not None) <= (value.kind in NUMERIC)
        for form in value.stated:
            assert not form.startswith(RARE) or form.removeprefix(RARE) in value.rare


@given(st.text("0123456789.,:-/ abehmsx$%()+@\\\"'tyfor", max_size=40))
def test_values_stand_in_order_and_apart(text: str) -> None:
    values = scan(text)
    assert all(text[value.start : value.end] == value.text for value in values)
    assert all(first.end <= second.start for first, second in itertools.pairwise(values))


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [
        ("11:00 AM EDT", "grounded"),
        ("11:00 (-04:00)", "grounded"),
        ("17:00 CEST", "grounded"),
        ("15:00 UTC", "grounded"),
        ("11:00 AM EST", "invented"),
        ("11:01 AM EDT", "invented"),
        ("11:00 AM", "invented"),
    ],
)
def test_a_clock_that_states_its_zone_is_the_same_instant(stated: str, verdict: str) -> None:
    index = EvidenceIndex([result({"at": "2024-05-21T15:00:00Z"})])
    assert [value.verdict for value in index.judge(f"It starts at {stated}.").values] == [verdict]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *(
            (text, [("number", "300000", None)])
            for text in ("3 x 10^5", "3 \u00d7 10⁵", "3\u00d710^5", "3 * 10^5", "3x10^5")
        ),
        ("6.022 x 10^23", [("number", "602200000000000000000000", None)]),
        ("4.5 \u00d710^9", [("number", "4500000000", None)]),
        ("1.2 * 10^4 kg", [("quantity", "12000", "kg")]),
        ("-5 °C", [("quantity", "-5", "°c")]),
        ("\u22125 °C", [("quantity", "-5", "°c")]),
        ("900 second delay", [("duration", "900", "s")]),
        ("900 nanosecond", [("duration", "900", "ns")]),
        ("900 millisecond", [("duration", "900", "ms")]),
        ("15 kmh", [("quantity", "15", "km/h")]),
        ("15 us", [("duration", "15", "µs")]),
        ("20 us dollars", [("number", "20", None)]),
        ("330 kW", [("quantity", "330", "kw")]),
        ("5 MW", [("quantity", "5", "mw")]),
        ("5 mW", [("number", "5", None)]),
        ("144 PA", [("number", "144", None)]),
        ("3.2GHz", [("quantity", "3.2", "ghz")]),
        ("95 mg/dL", [("quantity", "95", "mg/dl")]),
        ("120 MB/s", [("quantity", "120", "mb/s")]),
        ("4-Jul-2025", [("date", "2025-07-04", None)]),
        ("04-JUL-2025", [("date", "2025-07-04", None)]),
        ("14-03-2026", [("date", "2026-03-14", None)]),
        ("45-45-2026", [("identifier", "45-45-2026", None)]),
        ("31-Feb-2026", [("identifier", "31-feb-2026", None)]),
        ("2025.07.04", [("version", "2025.07.04", None)]),
        ("08:00-18:30", [("clock", "08:00", None), ("clock", "18:30", None)]),
        ("9:00 AM\u20135:30 PM", [("clock", "09:00", None), ("clock", "17:30", None)]),
        ("11:00-04:00", [("clock", "11:00", None)]),
        ("2026-03-14/2026-03-18", [("date", "2026-03-14", None), ("date", "2026-03-18", None)]),
        ("March 14\u201325, 2026", [("date", "2026-03-14", None), ("date", "2026-03-25", None)]),
        ("14\u201325 March 2026", [("date", "2026-03-14", None), ("date", "2026-03-25", None)]),
        ("PT1H30M", [("duration", "90", "min")]),
        ("P3DT4H", [("duration", "76", "h")]),
        ("PT45S", [("duration", "45", "s")]),
        ("seat 144B", [("identifier", "144b", None)]),
        ("$144B", [("money", "144000000000", "usd")]),
    ],
)
def test_what_is_read(text: str, read: list[tuple[str, str, str | None]]) -> None:
    for surrounding in ("{}", "It was {}, then."):
        assert [(value.kind, value.form, value.unit) for value in scan(surrounding.format(text))] == read


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("04/Jul/2025:15:05:07 +0000", "@2025-07-04t15:05:07"),
        ("20250704T150507Z", "@2025-07-04t15:05:07"),
        ("Tue, 06 Jan 2026 14:03:51 GMT", "@2026-01-06t14:03:51"),
        ("Tue Jan 6 14:03:51 2026 +0530", "@2026-01-06t08:33:51"),
        ("Tue Jan  6 14:03:51 UTC 2026", "@2026-01-06t14:03:51"),
    ],
)
def test_moments_of_logs_and_mails(text: str, instant: str) -> None:
    (value,) = scan(f"at {text}, then")
    assert (value.kind, value.stated[0]) == ("datetime", instant)


@pytest.mark.parametrize(
    ("answer", "said", "verdict"),
    [
        ("2025-07-04T15:05Z", "2025-07-04T15:05:07Z", "grounded"),
        ("2025-07-04T15:06Z", "2025-07-04T15:05:07Z", "invented"),
        ("2025-07-04T15:05:00Z", "2025-07-04T15:05:07Z", "invented"),
        ("2025-07-04T15:05:07.123Z", "2025-07-04T15:05:07.123456Z", "grounded"),
        ("2025-07-04T15:05:07.124Z", "2025-07-04T15:05:07.123456Z", "invented"),
        ("July 4, 2025", "2025.07.04", "grounded"),
        ("400", "150-400", "grounded"),
        ("17.5", "13.5-17.5", "grounded"),
        ("150", "400-150", "invented"),
        ("1234", "555-1234 x", "grounded"),  # a segment
        ("$200", "$100\u2013200", "grounded"),
        ("18:30", "08:00-18:30", "grounded"),
        ("March 18, 2026", "March 14\u201318, 2026", "grounded"),
        ("March 19, 2026", "March 14\u201318, 2026", "invented"),
        ("443", "a\n8,443\n1,250", "grounded"),
        ("443", "there were 8,443 of them", "invented"),
        ("144", "seat 144B", "invented"),
        ("seat 144B", "144", "invented"),
        ("unit 4217B", "4217", "invented"),
        ("900 pounds", "$900", "invented"),
        ("900 pounds", "£900", "grounded"),
        ("900 lb", "900 pounds", "grounded"),
        ("330 kW", "330 kWh", "invented"),
        ("900 second delay", "900 ms", "invented"),
        ("90 min", "PT1H30M", "grounded"),
    ],
)
def test_who_said_it(answer: str, said: str, verdict: str) -> None:
    assert verdicts(f"It is {answer}, yes.", said) == [verdict]
