"""Finding values in text: where they stand, what stands around them, and what only looks like a value."""

from __future__ import annotations

import pytest
from tests.evidence.judging import how, spans

from foldproof.evidence.candidates import scan, without_list_markers
from foldproof.evidence.values import Value

FOUND = [
    "May 21, 2024",
    "May  3",
    "21 May",
    "USD 20",
    "5 %",
    "ORD-4471",
    "1 380 EUR",
    "+1 425 803 8080",
    "(425) 803-8080",
    "https://example.com/a1",
    "a@b.com",
    "src/lib/app.py",
    "10-20",
    "HAT136/HAT039",
    "2½",
]


def read(text: str) -> list[tuple[str, str]]:
    return [(value.kind, value.form) for value in scan(text)]


def moved(values: tuple[Value, ...], by: int) -> list[tuple[int, int, str]]:
    return [(start + by, end + by, text) for value in values for start, end, text in spans(value)]


@pytest.mark.parametrize("text", FOUND)
@pytest.mark.parametrize(
    "before", ["", "So ", "so  ", "It is well known to all that ", "one.\n", "a-b c ", "by ORD-1 and ", "7, ", "\t"]
)
def test_what_stands_before_and_behind_a_value_changes_nothing(before: str, text: str) -> None:
    alone = scan(text)
    assert len(alone) == 1
    for behind in ("", ", yes", " and so on", "\nno"):
        values = [value for value in scan(before + text + behind) if value.start >= len(before)]
        assert moved(tuple(values), 0) == moved(alone, len(before))


@pytest.mark.parametrize("text", FOUND)
@pytest.mark.parametrize("before", ["caf\u200be ", "10⁻⁷, ", "&amp;&amp; ", "\u202a\u202a"])
def test_a_place_is_one_of_the_text_as_it_was_given(before: str, text: str) -> None:
    values = [value for value in scan(before + text) if value.start >= len(before)]
    assert moved(tuple(values), 0) == moved(scan(text), len(before))


def test_a_spelling_is_the_one_of_the_text_as_it_was_given() -> None:
    (value,) = scan("x \uff11\uff10\u2011\u200b\uff12\uff10")
    assert (value.form, value.text) == ("10-20", "\uff11\uff10\u2011\u200b\uff12\uff10")
    assert [(piece.form, piece.text) for piece in value.pieces] == [
        ("10", "\uff11\uff10"),
        ("20", "\uff12\uff10"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is twenty", [("number", "20")]),
        ("ninety", [("number", "90")]),
        ("ninety 5 and twenty", [("number", "90"), ("number", "5"), ("number", "20")]),
        ("5 or thirty", [("number", "5"), ("number", "30")]),
        ("in Twenty-five/ORD-7 of", [("identifier", "twenty-five/ord-7")]),
        ("two and 3 minutes", [("duration", "3")]),
        # Emphasis
        ("_123_", [("number", "123")]),
        ("__ORD-1234__", [("identifier", "ord-1234")]),
        ("_12:30_", [("clock", "12:30")]),
        ("_2024-05-21_", [("date", "2024-05-21")]),
        ("_12XB7_", [("identifier", "12xb7")]),
        # Zeros in front
        ("0123", [("identifier", "0123")]),
        ("007 agents", [("identifier", "007")]),
        ("0", [("number", "0")]),
        ("00.5", [("number", "0.5")]),
        # What looks like a time, or a date, and is none
        ("25:99", [("ratio", "25:99")]),
        ("2024-13-45", [("identifier", "2024-13-45")]),
        ("2024-W60-1", [("identifier", "2024-w60-1")]),
        ("99/99/2024", [("identifier", "99/99/2024")]),
        ("31/Feb/2024:10:00:00", [("identifier", "31/feb/2024:10:00:00")]),
        ("20249999T1200", [("identifier", "20249999t1200")]),
        ("Feb 31, 2024", [("number", "31"), ("number", "2024")]),
        ("31 Feb", [("number", "31")]),
        ("Feb 030 2024", [("identifier", "030"), ("number", "2024")]),
        ("May 5-45", [("number", "5"), ("number", "45")]),
        ("February 30-31, 2024", [("number", "30"), ("number", "31"), ("number", "2024")]),
        ("30-31 February", [("number", "30"), ("number", "31")]),
        # Line ends that were escaped twice
        ("a\\nb\\n12", [("number", "12")]),
        ("foo\\n2024-05-21\\r\\n17", [("date", "2024-05-21"), ("number", "17")]),
        ("1\\n2", [("number", "1"), ("number", "2")]),
        # Backslashes that are no path
        ("either he\\she12 or", [("identifier", "she12")]),
        ("on pages\\10-20", [("range", "10-20")]),
        ("5\\6 of", [("number", "5"), ("number", "6")]),
        ("in C:\\work\\v12\\a.txt", [("path", "c:/work/v12/a.txt")]),
        # Ranges of clocks, and zones
        ("10:00-12:45", [("clock", "10:00"), ("clock", "12:45")]),
        ("08:30-09:30", [("clock", "08:30"), ("clock", "09:30")]),
        ("11:00-13:00", [("clock", "11:00"), ("clock", "13:00")]),
        ("10:00-10:30", [("clock", "10:00"), ("clock", "10:30")]),
        ("10:30-10:00", [("clock", "10:30")]),
        ("05:00-05:00", [("clock", "05:00")]),
        ("11:00 -0430", [("clock", "11:00")]),
        ("23:00 -13:00", [("clock", "23:00"), ("clock", "13:00")]),
        ("23:00 -12:00", [("clock", "23:00")]),
        ("11:00-04:00", [("clock", "11:00")]),
        ("11:00 -04:00, 5", [("clock", "11:00"), ("number", "5")]),
        ("11:00 XYZ 5", [("clock", "11:00"), ("number", "5")]),
        ("7 EST", [("number", "7")]),
        ("15:00Z", [("clock", "15:00")]),
        ("15:00Zx", [("identifier", "15:00zx")]),
        # Places
        ("seat 144B", [("identifier", "144b")]),
        ("a window seat 144B", [("identifier", "144b")]),
        ("Room #12h", [("identifier", "12h")]),
        ("gate 5m", [("identifier", "5m")]),
        ("seat 12W", [("identifier", "12w")]),
        ("10 kg, gate 12B", [("quantity", "10"), ("identifier", "12b")]),
        ("it has 144B", [("number", "144000000000")]),
        ("the deceit 144B", [("number", "144000000000")]),
        ("seat 12 kg", [("quantity", "12")]),
        ("apartment 20 USD", [("money", "20")]),
        # Names of files
        ('see "Q3 report.pdf" now', [("path", "q3 report.pdf")]),
        ('"Q3 report.pdf", "x 9.csv" and 7', [("path", "q3 report.pdf"), ("path", "x 9.csv"), ("number", "7")]),
        ('5 in "my report.pdf" of 7', [("number", "5"), ("path", "my report.pdf"), ("number", "7")]),
        ('say "Q3.csv"', [("identifier", "q3.csv")]),
        ("Q3 final 2024.xhtml", [("path", "q3 final 2024.xhtml")]),
        ("See app.py", [("path", "see app.py")]),
        ('"Q3 20 May 7504069.pdf" and 7', [("path", "q3 20 may 7504069.pdf"), ("number", "7")]),
        ("Q3 x.md", [("path", "q3 x.md")]),
        ('x"Q3 report.pdf"', [("identifier", "q3")]),
    ],
)
def test_what_is_found(text: str, found: list[tuple[str, str]]) -> None:
    values = scan(text)
    assert [(value.kind, value.form) for value in values] == found
    assert all(text[start:end] == spelled for value in values for start, end, spelled in spans(value))


@pytest.mark.parametrize(
    ("answer", "said", "expected"),
    [
        # What is shown of a masked number is its end
        ("xx1239", "card 4000123412341239", "suffix"),
        ("XXXX-1239", "card 4000123412341239", "suffix"),
        ("x1239", "the last four are 1239", "spelling"),
        ("x1239", "ORD-1239", "part"),
        ("xx1239", "card xx1239", "exact"),
        ("xx1238", "card 4000123412341239", None),
        # An ellipsis says that more follows
        ("3f2a91c8...", "3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "prefix"),
        ("3f2a91c8-…", "3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "prefix"),
        ("3f2a91d8...", "3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", None),
        # A version of two numbers behind a name
        ("Python 3.11", "python-3.11.4 and 3.11.4", "part"),
        ("version 3.11", "release 3.11.4", "part"),
        ("Node.js 3.11", "release 3.11.4", "part"),
        ("release 3.11", "release 3.11.4", "part"),
        ("C 3.11", "release 3.11.4", None),
        ("about 3.11", "release 3.11.4", None),
        ("Python\n3.11", "release 3.11.4", None),
        ("Python 3.12", "release 3.11.4", None),
        ("Python 3", "release 3.11.4", None),
        # Two cells of a table of commas
        ("443", "8,443\n1,250", "ambiguous"),
        ("443", "a\n8,443", "ambiguous"),
        ("443", "8,443", None),
        ("443", "a 8,443\nb", None),
        ("443", "a\n8,443 b", None),
        ("443", "a\n8,443.", None),
        ("443", "(8,443\nb", None),
        # Names of files with spaces
        ('"Q3 report.pdf"', 'saved as "Q3 report.pdf"', "exact"),
        ('"Q3 report.pdf"', "Q3 report.pdf", "exact"),
        ("report.pdf1", "report.pdf2", None),
        # Zones
        ("15:00Z", "2024-05-21T17:00:00+02:00", "spelling"),
        ("11:00-04:00", "2024-05-21T15:00:00Z", "spelling"),
        ("09:15 CEST", "2024-05-21T07:15:00Z", "spelling"),
        ("12345 EST", "2024-05-21T17:45:00Z", None),
        ("13:00:05 EDT", "at 13:00:05", "exact"),
        ("00:15 CEST", "2024-05-21T22:15:00Z", "spelling"),
        ("20:30 (-05:30)", "2024-05-21T02:00:00Z", "spelling"),
    ],
)
def test_how_a_tool_said_what_words_around_it_tell_of(answer: str, said: str, expected: str | None) -> None:
    assert how(answer, said) == expected


def test_a_name_may_open_the_text() -> None:
    (value,) = scan("Python 3.11")
    assert ("…v3.11", "part") in value.lookups


def test_a_file_name_states_what_stands_in_it() -> None:
    for name in ('"Q3 20 May 7504069.pdf"', "Q3 20 May 7504069.pdf"):
        (value,) = scan(name)
        assert {"q3 20 may 7504069.pdf", "q3", "--05-20"} <= set(value.stated)
        assert [piece.form for piece in value.pieces] == ["q3", "--05-20", "7504069.pdf"]


@pytest.mark.parametrize(
    ("text", "is_examined"),
    [
        ('"my report.pdf"', True),
        ("my report.pdf", False),
        ("Q3 report.pdf", False),
        ("ORD-4471 report.pdf", True),
        ("the 1234 report.pdf", True),
        ("the 12 report.pdf", False),
        ("the 12 1234 x.pdf", True),
    ],
)
def test_a_whole_text_is_a_file_name_only_where_something_in_it_tells(text: str, is_examined: bool) -> None:  # noqa: FBT001
    (value,) = scan(text)
    assert value.kind == "path"
    assert value.is_examined(3) is is_examined
    assert value.is_examined(1) is (is_examined or "2" in text)


def test_what_looks_like_a_time_and_is_none_is_examined_all_the_same() -> None:
    (value,) = scan("at 25:99, say")
    assert value.is_examined(9)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1. first\n2) second", []),
        ("  > 12. x", []),
        ("* 3) x", []),
        ("1. 20 and 3.", ["20", "3"]),
        ("ok 1. no", ["1"]),
        ("1234. x", ["1234"]),
        ("1.5 x", ["1.5"]),
        ("1.x", ["1.x"]),
        ("5%) x", ["5%"]),
    ],
)
def test_the_number_of_an_item_is_no_value(text: str, kept: list[str]) -> None:
    assert [value.text for value in without_list_markers(scan(text), text)] == kept
