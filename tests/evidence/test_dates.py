"""Days, clocks and moments in their spellings: of logs and mails, in either order, and what they may also be."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.candidates import scan


def how_said(answer: str, said: str, *, rare: bool = False) -> str | None:
    """How a tool said the only value of an answer; None when none did."""
    index = EvidenceIndex([result(said)])
    options = EvidenceOptions(min_digits=1, rare_spellings=rare)
    (value,) = index.judge(f"It is {answer}, yes.", options=options).values
    return value.how if value.verdict == "grounded" else None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("2024-05-21", [("date", "2024-05-21", "2024-05-21")]),
        ("2024-05-21T13:00:00Z", [("datetime", "2024-05-21T13:00:00Z", "2024-05-21t13:00")]),
        ("2024-05-21T25:00:00Z", [("date", "2024-05-21", "2024-05-21")]),  # no clock shows it
        ("2024-05-21T24:00", [("date", "2024-05-21", "2024-05-21"), ("clock", "24:00", "00:00")]),
        ("2024-05-21T23:00", [("datetime", "2024-05-21T23:00", "2024-05-21t23:00")]),
        ("2024-02-31", [("identifier", "2024-02-31", "2024-02-31")]),
        ("2024-02-31T13:00:00Z", [("identifier", "2024-02-31T13:00:00Z", "2024-02-31t13:00:00z")]),
        ("04/Jul/2025", [("date", "04/Jul/2025", "2025-07-04")]),
        ("04/Jul/2025 25:05:07", [("date", "04/Jul/2025", "2025-07-04")]),
        ("04/Jul/2025:15:05", [("datetime", "04/Jul/2025:15:05", "2025-07-04t15:05")]),
        ("04/Jul/2025T24:00", [("date", "04/Jul/2025", "2025-07-04"), ("clock", "24:00", "00:00")]),
        ("20250704T150507", [("datetime", "20250704T150507", "2025-07-04t15:05:07")]),
        ("20250704T1505", [("datetime", "20250704T1505", "2025-07-04t15:05")]),
        ("20251204T1505", [("datetime", "20251204T1505", "2025-12-04t15:05")]),
        ("20250231T1505", [("identifier", "20250231T1505", "20250231t1505")]),
        ("20250704T2505", [("identifier", "20250704T2505", "20250704t2505")]),
        ("20250704T2400", [("identifier", "20250704T2400", "20250704t2400")]),
        ("2026/03/14", [("date", "2026/03/14", "2026-03-14")]),
        ("2026/3/4", [("date", "2026/3/4", "2026-03-04")]),
        ("25/12/2026", [("date", "25/12/2026", "2026-12-25")]),
        ("12/25/2026", [("date", "12/25/2026", "2026-12-25")]),
        ("5/5/2026", [("date", "5/5/2026", "2026-05-05")]),
        ("04/05/2026", [("date", "04/05/2026", "04/05/2026")]),
        ("31/31/2026", [("identifier", "31/31/2026", "31/31/2026")]),
        ("25-12-2026", [("date", "25-12-2026", "2026-12-25")]),
        ("25.12.2026", [("date", "25.12.2026", "2026-12-25")]),
        ("25.13.2026", [("version", "25.13.2026", "25.13.2026")]),
        ("May 21, 2024", [("date", "May 21, 2024", "2024-05-21")]),
        ("21 May 2024", [("date", "21 May 2024", "2024-05-21")]),
        ("May 2024", [("date", "May 2024", "2024-05")]),
        ("May 21", [("date", "May 21", "--05-21")]),
        ("May 31", [("date", "May 31", "--05-31")]),
        ("February 29", [("date", "February 29", "--02-29")]),
        ("31 June 2024", [("number", "31", "31"), ("number", "2024", "2024")]),
        ("March 14-18", [("date", "March 14", "--03-14"), ("date", "18", "--03-18")]),
        ("February 1-29", [("date", "February 1", "--02-01"), ("date", "29", "--02-29")]),
        ("February 28-29, 2023", [("number", "28", "28"), ("number", "29", "29"), ("number", "2023", "2023")]),
        ("March 18-14, 2026", [("number", "18", "18"), ("number", "14", "14"), ("number", "2026", "2026")]),
        ("March 0-14, 2026", [("number", "0", "0"), ("number", "14", "14"), ("number", "2026", "2026")]),
        ("March 14-14, 2026", [("number", "14", "14"), ("number", "14", "14"), ("number", "2026", "2026")]),
        ("14-18 March 2026", [("date", "14", "2026-03-14"), ("date", "18 March 2026", "2026-03-18")]),
        ("2024-W09-7", [("date", "2024-W09-7", "2024-w09-7")]),
        ("2024-W60-7", [("identifier", "2024-W60-7", "2024-w60-7")]),
        ("2.15pm", [("clock", "2.15pm", "2.15pm")]),
        ("2.75pm", [("number", "2.75pm", "2.75")]),
        ("8:15", [("clock", "8:15", "08:15")]),
        ("8:15:30 PM", [("clock", "8:15:30 PM", "20:15:30")]),
        ("12:00 AM", [("clock", "12:00 AM", "00:00")]),
        ("12:00 PM", [("clock", "12:00 PM", "12:00")]),
        ("13:00 PM", [("clock", "13:00 PM", "13:00")]),
        ("13:00 AM", [("clock", "13:00 AM", "13:00")]),  # no dial of 12 hours shows it
        ("13:00:05.25", [("clock", "13:00:05.25", "13:00:05")]),
        ("1 p.m.", [("clock", "1 p.m.", "13:00")]),
        ("24:00", [("clock", "24:00", "00:00")]),
        ("23:59:59", [("clock", "23:59:59", "23:59:59")]),
        ("23:60", [("ratio", "23:60", "23:60")]),
        ("25:00", [("ratio", "25:00", "25:00")]),
    ],
)
def test_what_the_calendar_and_the_dial_allow_is_read(text: str, parts: list[tuple[str, str, str]]) -> None:
    whole = f"There {text} is"
    values = scan(whole)
    assert [(value.kind, value.text, value.form) for value in values] == parts
    for value in [*values, *(piece for one in values for piece in one.pieces)]:
        assert whole[value.start : value.end] == value.text
        assert value.is_examined(5) or value.kind in ("number", "ratio", "range")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("2024-05-21 13:00", [("2024-05-21", "2024-05-21"), ("13:00", "13:00")]),
        ("2024-05-21T13:00:05Z", []),  # another zone's clock is another moment
        ("04/Jul/2025:15:05:07", [("04/Jul/2025", "2025-07-04"), ("15:05:07", "15:05:07")]),
        ("4-Jul-2025T15:05", [("4-Jul-2025", "2025-07-04"), ("15:05", "15:05")]),
        ("04/Jul/2025:15:05:07 +0000", []),
        ("20250704T150507", []),
    ],
)
def test_a_moment_without_a_zone_is_a_day_and_a_clock(text: str, pieces: list[tuple[str, str]]) -> None:
    (value,) = scan(text)
    assert [(piece.text, piece.form) for piece in value.pieces] == pieces


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("2024-05-21 13:00", "at 13:00 on May 21, 2024", "part"),
        ("2024-05-21 13:00", "at 14:00 on May 21, 2024", None),
        ("2024-05-21T13:00:00Z", "at 13:00 on May 21, 2024", None),
        ("2024-05-21", "2024-05-21T13:00:00Z", "exact"),
        ("1 PM", "2024-05-21 13:00", "spelling"),
        ("04/Jul/2025:15:05:07", "2025-07-04 15:05:07", "spelling"),
        ("July 4, 2025", "04/Jul/2025:15:05:07 +0000", "spelling"),
        ("3:05:07 PM", "04/Jul/2025:15:05:07 +0000", "spelling"),
        ("2025-07-04T15:05:07Z", "04/Jul/2025:20:35:07 +0530", "spelling"),
        ("2025-07-04T15:05:07Z", "04/Jul/2025:20:35:07 EST", None),
        ("July 4, 2025", "20250704T150507Z", "spelling"),
        ("2025-07-04T15:05:07Z", "20250704T150507Z", "spelling"),
        ("2025-07-04T15:05:07Z", "20250704T203507+0530", "spelling"),
        ("2025-07-04T15:05:08Z", "20250704T150507Z", None),
        ("20250704T150507Z", "2025-07-04T15:05:07Z", "spelling"),
        ("3:05:07 PM", "20250704T150507Z", "spelling"),
        ("3:05 PM", "20250704T1505Z", "spelling"),
        ("20250704T150507Z", "backup-20250704T150507Z.tar", "part"),
        ("20250704T150508Z", "backup-20250704T150507Z.tar", None),
        ("20250704T150507Z", "20250704T150507Z", "exact"),
        ("20250704T1505Z", "20250704T1505Z", "exact"),
        ("20250704T1505Z", "20250704T150507Z", "part"),  # less exact
        ("20250704T150507", "at 15:05:07 on July 4, 2025", None),  # it may be a name
    ],
)
def test_who_said_a_moment(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("2026/03/14", "2026-03-14", "spelling"),
        ("2026/03/14", "2026-03-15", None),
        ("2026/03/14", "2025-03-14", None),
        ("2026/3/4", "2026-04-03", None),
        ("25/12/2026", "2026-12-25", "spelling"),
        ("04/05/2026", "2026-04-05", "ambiguous"),
        ("04/05/2026", "2026-05-04", "ambiguous"),
        ("04/05/2026", "2026-06-04", None),
        ("04/05/2026", "04/05/2026", "exact"),
        ("April 5, 2026", "04/05/2026", "ambiguous"),
        ("May 4, 2026", "04/05/2026", "ambiguous"),
        ("May 4", "04/05/2026", "ambiguous"),
        ("April 5", "04/05/2026", "ambiguous"),
        ("April 2026", "04/05/2026", "ambiguous"),
        ("2026", "04/05/2026", "part"),
        ("04/05/2026", "2025-04-05", None),
        ("May 5, 2026", "04/05/2026", None),
        ("May 21, 2024", "logs/2024-05-21/app.log", "part"),
        ("2024-05-21", "https://example.com/2024-05-21/a", "part"),
        ("May 2024", "logs/2024-05/app.log", "part"),
        ("May 22, 2024", "logs/2024-05-21/app.log", None),
        ("14-03-2026", "logs/14-03-2026/app.log", "part"),
        ("15-03-2026", "logs/14-03-2026/app.log", None),
        ("14-03-2026", "2026-03-14", "spelling"),
        ("March 14, 2026", "14-03-2026", "spelling"),
        ("14-03-2026", "14-03-2026", "exact"),
        ("04-05-2026", "04-05-2026", "exact"),
        ("04-05-2026", "2026-05-04", "ambiguous"),
        ("15.03.2024", "2024-03-15", "spelling"),
        ("15.03.2024", "15.03.2024", "exact"),
        ("May 21, 2024", "21 May 2024", "spelling"),
        ("May 21", "2024-05-21", "spelling"),
        ("May 2024", "2024-05-21", "spelling"),
        ("May 21, 2024", "May 21", None),  # a year that nobody said
        ("May 22", "2024-05-21", None),
        ("March 18, 2026", "14-18 March 2026", "spelling"),
        ("March 18", "March 14-18", "spelling"),
        ("February 29", "February 1-29", "spelling"),
        ("2024-W09-7", "2024-W09-7", "exact"),
        ("2024-W09-7", "2024-03-03", None),
    ],
)
def test_who_said_a_day(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("8:15", "20:15", "ambiguous"),
        ("8:15", "08:15", "spelling"),
        ("8:15", "8:15 PM", "ambiguous"),
        ("8:15 PM", "it opens at 8:15", "ambiguous"),
        ("20:15", "it opens at 8:15", "ambiguous"),
        ("08:15", "20:15", None),  # a zero in front is on the dial of 24 hours
        ("0:15", "12:15", "ambiguous"),
        ("0:15", "12:15 PM", None),
        ("12:15", "00:15", "ambiguous"),
        ("12:15", "12:15 AM", "ambiguous"),
        ("1:15", "13:15", "ambiguous"),
        ("13:15", "01:15", None),
        ("8:15 AM", "20:15", None),
        ("8:15:30", "20:15:30", None),
        ("20:15", "20:15:30", "exact"),
        ("8:15 PM", "it opens at 20:15:30", "spelling"),
        ("00:00", "it ends at 24:00:05", "exact"),
        ("20:15:30", "20:15", None),
        ("20:15:00", "20:15", "spelling"),
        ("12 PM", "12:00", "spelling"),
        ("12 AM", "00:00", "spelling"),
        ("12 AM", "12:00 PM", None),
    ],
)
def test_who_said_a_clock(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said) == how


@pytest.mark.parametrize(
    ("answer", "said", "how"),
    [
        ("2024-W09-7", "2024-03-03", "spelling"),
        ("2024-W09-7", "2024-03-04", None),
        ("2024-W19-7", "2024-05-12", "spelling"),
        ("May 12, 2024", "2024-W19-7", "spelling"),
        ("2.15pm", "14:15", "spelling"),
        ("2.15pm", "2:15 AM", None),
        ("2:15 PM", "2.15pm", "spelling"),
        ("2.15p.m.", "14:15", "spelling"),
    ],
)
def test_a_rare_spelling_of_a_day_or_a_clock(answer: str, said: str, how: str | None) -> None:
    assert how_said(answer, said, rare=True) == how
    assert how_said(answer, said) is None


def test_a_day_is_exempt_in_part_where_its_year_was_given() -> None:
    for text, partial in {
        "2024-05-21": ("--05-21?", "2024"),
        "May 21": None,
        "May 2024": None,
    }.items():
        (value,) = scan(text)
        assert value.partial == partial
