"""Which lines of a text are a table, where it ends, and which are none (the rules stand at the head of `tables.py`)."""

from __future__ import annotations

import pytest

from foldproof.evidence import records
from foldproof.evidence.reading import Leaf
from foldproof.evidence.records import Cell, Layout, tables_in

Rows = list[list[tuple[str, str]]]


def read(text: str) -> list[tuple[Rows, bool]]:
    """Each table's rows, and whether it is whole."""
    return [
        ([[(cell.column, cell.leaf.text) for cell in record.cells] for record in table.records], table.whole)
        for table in tables_in(text).tables
    ]


def rows(text: str) -> Rows:
    """The rows of the one table of a text; none where there is no table."""
    found = [table for table, _ in read(text)]
    assert len(found) <= 1
    assert all(found)
    return found[0] if found else []


ONE_TWO: Rows = [[("a", "1"), ("b", "2")]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a | b\n---|---\n| 1 | 2 |", ONE_TWO),  # the outer bars may be left out, in any row
        ("| a | b |\n|---|---|\n1 | 2", ONE_TWO),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", ONE_TWO),  # a cell more than there are titles is left out
        ("| a | b |\n|---|---|\n| 1 | 2 | 3", ONE_TWO),
        ("| a | b |\n|---|---|\n| 1 |\n| | 2 |", [[("a", "1")], [("b", "2")]]),
        ("| | b |\n|---|---|\n| 1 | 2 |", [[("", "1"), ("b", "2")]]),
        ("| `a` | *b* |\n|:--|--:|\n| **1** | `2` |", ONE_TWO),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n|---|---|\n| 3 | 4 |", [*ONE_TWO, [("a", "3"), ("b", "4")]]),
        ("| a | a | a |\n|---|---|---|\n| 1 | 2 | 3 |", [[("a", "1"), ("a #2", "2"), ("a #3", "3")]]),
        ("| a |\n|---|\n| 1 |", [[("a", "1")]]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |", ONE_TWO),  # a blank line ends it
        ("| a | b |\n|---|---|\n| 1 | 2 |\n \t\n| 3 | 4 |", ONE_TWO),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nBye.\n| 3 | 4 |", ONE_TWO),  # and so does one without a bar
        ("| a | b |\n|---|---|", []),
        ("|---|---|\n|---|---|\n| 1 | 2 |", []),  # a rule over a rule
        ("| a | b |\n|   |   |\n| 1 | 2 |", []),  # no rule: no stroke
        ("Fees of 2024\n------------\n| 1 | 2 |", []),  # a heading: no joint
        ("Fees\n---|---\n1 | 2", []),  # a head without a bar
        ("| a | b |\n|--x|---|\n| 1 | 2 |", []),
    ],
)
def test_markdown(text: str, expected: Rows) -> None:
    assert rows(text) == expected


FEES: Rows = [[("day", "Mon"), ("fee", "5"), ("qty", "6")]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("day,fee,qty\nMon,5,6", FEES),
        ("\ufeffday,fee,qty\nMon,5,6", FEES),
        ("day|fee|qty\nMon|5|6", FEES),
        ("day | fee | qty\nMon | five | six", [[("day", "Mon"), ("fee", "five"), ("qty", "six")]]),
        ("Fees:\nday, fee, qty\nMon, 5, 6", FEES),  # as prose is spelled, but with numbers
        ("Fees:\nday; fee; qty\nMon; 5; 6", FEES),
        ("day;fee;qty\nMon;5;6,7", [[("day", "Mon"), ("fee", "5"), ("qty", "6,7")]]),
        ("In 2024:\nYes, it is, indeed.\nNo, it is not, sorry.", []),
        ("In 2024:\nYes; it is; indeed\nNo; it is not; sorry", []),
        (" day,fee,qty\nMon,5,6", []),  # indented as code is
        ("day,fee,qty", []),
        ("day,fee,qty\nMon,5", []),
        ("day,fee,qty\nMon,5,6,7", []),
        ("day,fee,fee\nMon,5,6", []),  # two titles that are one
        ("day,4711,qty\nMon,5,6", []),  # 4711 is no title
        (",4711,qty\n0,5,6", []),
        (",day,fee\n,,\n0,Mon,5", [[("", "0"), ("day", "Mon"), ("fee", "5")]]),
        ('"day\nor",fee,qty\nMon,5,6', []),  # a head is one line
        (",day,fee\n,,\n,,\n", []),
        ("a,b\n1,2", []),  # two columns need two rows
        ("a,b\n1,2\n", []),
        ("a,b\n1,2\n3", []),
        ("a,b\n1,2\n3,4", [[("a", "1"), ("b", "2")], [("a", "3"), ("b", "4")]]),
        (f"{'t' * 60},fee,qty\nMon,5,6", [[("t" * 60, "Mon"), ("fee", "5"), ("qty", "6")]]),
        (f"{'t' * 61},fee,qty\nMon,5,6", []),
        ('a,b,c\n "1" ,"2" ,"3,4"', [[("a", "1"), ("b", "2"), ("c", "3,4")]]),
    ],
)
def test_delimited(text: str, expected: Rows) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("day,fee,qty\nMon,5,6\n", True),
        ("day,fee,qty\nMon,5,6\nEnd of report.", True),
        ("day,fee,qty\nMon,5,6\nTue,7\n", False),
        ("day,fee,qty\nMon,5,6\nTue,7,8,9\n", False),
        ("day   fee\nMon     5\n", True),
        ("day   fee\nMon     5\n\nEnd of report.", True),
        ("day   fee\nMon     5\nEnd of report.", False),
        ("day: Mon\nfee: 5\n", True),
        ("day: Mon\nfee: 5\n \nEnd of report.", True),
        ("day: Mon\nfee: 5\nEnd of report.", False),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nEnd of report.", True),
    ],
)
def test_a_table_is_whole_where_nothing_of_it_may_go_on(text: str, whole: bool) -> None:  # noqa: FBT001
    ((found, is_whole),) = read(text)
    assert (len(found), is_whole) == (1, whole)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Name    Price\nHAT1    5", [[("Name", "HAT1"), ("Price", "5")]]),
        ("Name    Price\nHAT1        5", [[("Name", "HAT1"), ("Price", "5")]]),  # under its end
        ("Name    Price\n            5\nHAT1    6", []),  # one cell is no row
        ("Name    Price\nHAT1   5", []),  # under neither end
        ("Name    Price\nHAT     five", []),  # no number in it
        ("Name Price\nHAT1 5", []),  # one space apart
        ("Name\t  Price\nHAT1\t  5", []),
        ("   name  price\n0  HAT1      5", [[("", "0"), ("name", "HAT1"), ("price", "5")]]),
        ("   name  price\n012  HA      5", [[("", "012"), ("name", "HA"), ("price", "5")]]),
        ("   name  price\n0123  A      5", []),  # reaches under the title
        ("      name  price\na  0  HAT1      5", []),  # two before the first title
        ("File name  Price\nab   12.x  5", []),  # two under one title
        ("Price  Name\n5       HAT1", []),
        (
            "A title  Name  Price\nx        HAT1  5\n  y      HAT2  6",
            [[("A title", "x"), ("Name", "HAT1"), ("Price", "5")]],
        ),
    ],
)
def test_aligned_under_titles_two_spaces_apart(text: str, expected: Rows) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AB CD  EFG\nx  y   5", [[("AB", "x"), ("CD", "y"), ("EFG", "5")]]),
        ("AB CD  EFG\nx  y   5 of 7", [[("AB", "x"), ("CD", "y"), ("EFG", "5 of 7")]]),
        ("AB CD  EFG\nx  y   5\nz  w", [[("AB", "x"), ("CD", "y"), ("EFG", "5")]]),  # a word less
        ("AB CD  EFG\nx y     5", []),  # y ends where CD starts
        ("AB CD  EFG\nx    y  5", []),  # y starts where CD ends
        ("AB CD  EFG\nx y5", []),
        ("Ab CD  EFG\nx  y    5", []),
    ],
)
def test_aligned_under_titles_in_capitals(text: str, expected: Rows) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            "Filesystem      Size  Used Mounted on\n/dev/sda1        50G   20G /",
            ["Filesystem", "Size", "Used", "Mounted on"],
        ),
        (
            "Filesystem      Size  Used Mounted on\ntmpfs            50G   20G /",
            ["Filesystem", "Size", "Used", "Mounted on"],
        ),
        ("Filesystem      Size  Used Mounted on\ntmpfs            50G   all /", []),  # one number of four
        ("Filesystem      Size  Used Mounted on\n/dev/sda1        50G   20G /a 5", []),  # a word more
        ("Filesystem      Size Used\n/dev/sda1        50G  20G", []),  # three
        ("Filesystem      size  Used Avail Mounted on\n/dev/sda1        50G   20G   10G /", []),
        ("Year Sold  Left Lost\n2023 1200 34000 550", []),  # no wide gap below
        ("The Report  Of March Was Late\nWe  made    45 of    50  done", []),  # two numbers of six
    ],
)
def test_titles_one_space_apart_are_four_or_more_over_numbers(text: str, titles: list[str]) -> None:
    assert [column for row in rows(text) for column, _ in row] == titles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spec:\n  replicas: 3\nname: x", [[("spec.replicas", "3"), ("name", "x")]]),
        ("a:\n  b:\n    c: 1\n  d: 2\n", [[("a.b.c", "1"), ("a.d", "2")]]),
        ("a: 1\n  b: 2\n", [[("a", "1"), ("b", "2")]]),  # nothing stands below a key that has a value
        ("id: 1\nfee: 5\nid: 2\nfee: 6", [[("id", "1"), ("fee", "5")], [("id", "2"), ("fee", "6")]]),
        ("id: 1\nfee: 5\nfee: 6\n", [[("id", "1"), ("fee", "5"), ("fee", "6")]]),
        ("- id: 1\n- fee: 5\n- fee: 6\n", [[("id", "1"), ("fee", "5")], [("fee", "6")]]),
        ("id: 1\nfee: 5\n \nid: 2\nfee: 6", [[("id", "1"), ("fee", "5")], [("id", "2"), ("fee", "6")]]),
        ("x = 1\ny = 2", [[("x", "1"), ("y", "2")]]),
        ("x=1\ny=2", [[("x", "1"), ("y", "2")]]),
        ('x: "1"\ny: `2`\nz: **3**', [[("x", "1"), ("y", "2"), ("z", "3")]]),
        ("id: 1\nthe fee of it all: 5", []),  # five words
        ("id: 1\nfee of it all: 5", [[("id", "1"), ("fee of it all", "5")]]),
        (f"id: 1\n{'k' * 60}: 5", [[("id", "1"), ("k" * 60, "5")]]),
        (f"id: 1\n{'k' * 61}: 5", []),
        ("size: XL\nfee: 5", [[("size", "XL"), ("fee", "5")]]),
        ("Host:  Alpha Beta Gamma\nPort:  1 2 3", [[("Host", "Alpha Beta Gamma"), ("Port", "1 2 3")]]),  # not aligned
        ("  x = 1\n  y = 2", []),  # code
        ("x = f(y=1)\ny = 2", []),
        ("f(): 1\ng(): 2", []),
        ("a: {\nb: [\nc: (\nd: e,\nf: g;\n", []),
        ("x == 1\ny => 2\nz =~ 3", []),
        ("id:1\nfee:5", []),  # no space behind the colon
        ("id: 1", []),
    ],
)
def test_fields(text: str, expected: Rows) -> None:
    assert rows(text) == expected


def test_a_blank_line_before_another_key_ends_the_fields() -> None:
    assert read("id: 1\nfee: 5\n\nname: x\nqty: 6") == [
        ([[("id", "1"), ("fee", "5")]], True),
        ([[("name", "x"), ("qty", "6")]], True),
    ]


LISTED = ["mode", "links", "owner", "group", "size", "modified", "name"]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (
            "-rw-r--r-- 1 a b 4096 2024-05-20 10:00 c d",
            ["-rw-r--r--", "1", "a", "b", "4096", "2024-05-20 10:00", "c d"],
        ),
        ("drwxr-xr-x+ 12 a b 4.0K Jan  3  2024 c", ["drwxr-xr-x+", "12", "a", "b", "4.0K", "Jan  3  2024", "c"]),
    ],
)
def test_listings(line: str, values: list[str]) -> None:
    row = list(zip(LISTED, values, strict=True))
    assert rows(line) == [row]
    assert rows(f"total 8\n{line}\n{line}\nDone.") == [row, row]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10:00:00 a=1 b\n10:00:01 c", [[("", "10:00:00 a=1 b"), ("a", "1")], [("", "10:00:01 c")]]),
        ("[Mon, May 20 10:00:00] up\nDone.", [[("", "[Mon, May 20 10:00:00] up")]]),
        ("up at 10:00:00\nDone.", []),
        ("a=1 b=2\nc=3 d=4\ne=5\n", [[("a", "1"), ("b", "2")], [("c", "3"), ("d", "4")]]),
        ('a=1 b="x \\" y" c=1,200, d=(5', [[("a", "1"), ("b", 'x \\" y'), ("c", "1,200")]]),
        ("in a=1 b=2\n", []),
    ],
)
def test_lines_of_a_log(text: str, expected: Rows) -> None:
    assert rows(text) == expected


def test_tables_of_several_kinds_stand_in_one_text() -> None:
    text = "Fees:\n\nday,fee,qty\nMon,5,6\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nid: 1\nfee: 5\n\n10:00:00 up\n"
    assert read(text) == [
        (FEES, True),
        (ONE_TWO, True),
        ([[("id", "1"), ("fee", "5")]], True),
        ([[("", "10:00:00 up")]], True),
    ]
    assert [table.name for table in tables_in(text).tables] == ["line 3", "line 6", "line 10", "line 13"]


def test_a_cell_of_a_text_says_where_it_stands() -> None:
    text = 'Fees:\n10:00:00 a=7 b="2 c" d\n\nday: Mon\nfee: 5\n'
    log, fees = tables_in(text).tables
    assert [(table.name, table.pattern) for table in (log, fees)] == [("line 2", "line 2"), ("line 4", "line 4")]
    said = [("", '10:00:00 a=7 b="2 c" d'), ("a", "7"), ("b", "2 c"), ("day", "Mon"), ("fee", "5")]
    found = [cell for table in (log, fees) for record in table.records for cell in record.cells]
    assert found == [Cell(column, Leaf(words, None, (), offset=text.index(words))) for column, words in said]


def test_an_offset_leads_to_its_pair_and_else_to_its_line() -> None:
    text = '10:00:00 a=1 b="2 c" d\nday\n10:00:01 e=5'
    layout = Layout(tables_in(text))
    places = {
        "10:00:00": ("line 1", ""),
        "a=1": ("line 1", ""),
        "1 b": ("line 1", "a"),
        " b": ("line 1", ""),
        "2 c": ("line 1", "b"),
        "c": ("line 1", "b"),
        '" d': ("line 1", ""),
        "d": ("line 1", ""),
        "day": None,
        "e": ("line 3", ""),
        "5": ("line 3", "e"),
    }
    assert {words: layout.place(text.index(words)) for words in places} == places
    assert [layout.place(at) for at in (text.index("\n"), len(text))] == [None, None]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a,b\n1,2\n3,4\n", 4),
        ("a  b\n1  2\n3  4\n", 4),
        ("a: 1\nb: 2\nc: 3\n", 3),
        ("a: 1\nb: 2\n\nx,y\n1,2\n3,4\n", 6),
        ("10:00:00 a=1\n10:00:01 b\n", 3),
    ],
)
def test_a_text_is_read_up_to_so_many_cells(monkeypatch: pytest.MonkeyPatch, text: str, cells: int) -> None:
    monkeypatch.setattr(records, "MOST_CELLS", cells)
    reading = tables_in(text)
    assert reading.complete
    assert all(table.whole and table.items == len(table.records) for table in reading.tables)
    assert sum(len(record.cells) for table in reading.tables for record in table.records) == cells
    monkeypatch.setattr(records, "MOST_CELLS", cells - 1)
    reading = tables_in(text)
    assert not reading.complete
    assert (reading.tables[-1].whole, reading.tables[-1].items) == (False, None)
    assert 0 < sum(len(record.cells) for table in reading.tables for record in table.records) < cells


@pytest.mark.parametrize(("last", "cost"), [(11, 2), (12, 4)])
def test_two_hundred_and_fifty_six_characters_of_a_title_count_as_a_cell(
    monkeypatch: pytest.MonkeyPatch, last: int, cost: int
) -> None:
    above = "".join(f"{'  ' * level}{'k' * 60}:\n" for level in range(4))  # 244 characters, with the dots
    text = above + f"        {'a' * last}: 5\n        {'b' * last}: 6\n"
    monkeypatch.setattr(records, "MOST_CELLS", cost)
    assert tables_in(text).complete
    monkeypatch.setattr(records, "MOST_CELLS", cost - 1)
    assert not tables_in(text).complete
