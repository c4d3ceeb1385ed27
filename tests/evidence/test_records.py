"""What a result says as records (the rules are listed at the heads of `records.py` and `tables.py`)."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.generators import json_values, scrambled, words

from foldproof.evidence import records
from foldproof.evidence.carriers import json_path
from foldproof.evidence.lists import json_steps
from foldproof.evidence.reading import Leaf, read_result
from foldproof.evidence.records import Cell, Layout, Reading, Record, Table, tables_in

ONE_STOP = json.dumps(
    [
        [
            {"flight_number": "HAT057", "prices": {"basic_economy": 76, "economy": 141}, "date": "2024-05-20"},
            {"flight_number": "HAT039", "prices": {"basic_economy": 52, "economy": 103}, "date": "2024-05-20"},
        ],
        [{"flight_number": "HAT136", "prices": {"basic_economy": 70, "economy": 152}, "date": "2024-05-20"}],
    ]
)
USER = json.dumps(
    {
        "name": {"first_name": "Mia", "last_name": "Li"},
        "dob": "1990-04-05",
        "payment_methods": {
            "credit_card_4421486": {"source": "credit_card", "last_four": "7447", "id": "credit_card_4421486"},
            "certificate_4856383": {"source": "certificate", "amount": 100, "id": "certificate_4856383"},
        },
        "saved_passengers": [],
        "reservations": ["NO6JO3", "AIXC49"],
    }
)

Rows = list[list[tuple[str, str]]]

quoting = st.sampled_from(["looked_for", "lookedFor", "price", "id"])
json_results = st.one_of(
    json_values,
    st.lists(st.dictionaries(quoting, json_values, max_size=3), max_size=4),
    st.dictionaries(words, st.fixed_dictionaries({"id": json_values, "price": json_values}), max_size=3),
)
lines = st.lists(
    st.sampled_from(
        [
            "name,price,qty",
            'A1,"5,0",2',
            'B,"open,2',
            '",""x"",',
            "| a | b |",
            "|---|--:|",
            "+---+---+",
            "NAME   READY  AGE",
            "web-1  1/1    5d",
            "a=1 b=2",
            "2024-05-20 10:00:00 took=12ms",
            "id: 1",
            "  - price: $5",
            "spec:",
            "KEY=value",
            "-rw-r--r--  1 root root  4096 Jan  3 12:34 a b",
            "a\tb",
            "c\t5\r",
            "",
            "Some prose, with a comma.",
            '{"a": [1, {"b": 2}',
            '{"a": [1]}',
            "\ufeffé🙂,ü,ö",
        ]
    )
    | words
    | scrambled,
    max_size=12,
).map("\n".join)
texts = st.one_of(st.text(), lines, json_results.map(json.dumps), st.text('|-,="\n: {}[]a1\t', max_size=60))


def cells(record: Record) -> list[tuple[str, str]]:
    return [(cell.column, cell.leaf.text) for cell in record.cells]


def rows(table: Table) -> Rows:
    return [cells(record) for record in table.records]


def only_table(text: str) -> Table:
    reading = tables_in(text)
    assert reading.complete
    (table,) = reading.tables
    return table


def all_cells(reading: Reading) -> list[Cell]:
    return [cell for table in reading.tables for record in table.records for cell in record.cells]


@given(texts)
def test_every_cell_is_at_its_place_and_in_one_record(text: str) -> None:
    reading = tables_in(text)
    leaves = list(read_result(text))
    for leaf in (cell.leaf for cell in all_cells(reading)):
        if leaf.block is None:
            assert leaf.text == text[leaf.offset : leaf.offset + len(leaf.text)]
            assert leaf.text.strip(" \t\r") == leaf.text != ""
            assert (leaf.path, leaf.is_key, leaf.is_number) == ((), False, False)
        else:
            assert leaf in leaves
    assert reading.complete
    for table in reading.tables:
        places = [cell.leaf for record in table.records for cell in record.cells]
        assert len(set(places)) == len(places)
        assert len({record.name for record in table.records}) == len(table.records) > 0
        assert table.items is None or table.whole


@given(st.one_of(json_results.map(json.dumps), st.lists(json_results.map(json.dumps), max_size=3).map("\n".join)))
def test_json_cells_are_the_leaves_that_are_no_keys(text: str) -> None:
    said = Counter(leaf for leaf in read_result(text) if leaf.block is not None and not leaf.is_key)
    read = Counter(cell.leaf for cell in all_cells(tables_in(text)) if cell.leaf.block is not None)
    assert Counter({leaf: count for leaf, count in read.items() if not leaf.is_key}) == said


@given(json_results.filter(lambda value: isinstance(value, dict | list)).map(json.dumps), st.integers(0, 200))
def test_of_json_cut_short_the_complete_leaves_are_read(text: str, length: int) -> None:
    cut = text[:length]
    said = {leaf for leaf in read_result(cut) if leaf.block is not None and not leaf.is_key}
    reading = tables_in(cut)
    assert {cell.leaf for cell in all_cells(reading) if cell.leaf.block is not None and not cell.leaf.is_key} == said
    if said and length < len(text):
        assert not reading.tables[0].whole


@given(texts)
def test_tables_and_records_point_at_each_other(text: str) -> None:
    tables = tables_in(text).tables
    for index, table in enumerate(tables):
        if table.parent is not None:
            assert table.parent[0] < index
            assert index in tables[table.parent[0]].records[table.parent[1]].lists
        for number, record in enumerate(table.records):
            assert all(tables[below].parent == (index, number) for below in record.lists)


@given(texts)
def test_a_place_leads_to_the_record_that_holds_it(text: str) -> None:
    reading = tables_in(text)
    layout = Layout(reading)
    for table in reading.tables:
        for record in table.records:
            for column, leaf in record.cells:
                if leaf.block is not None:
                    assert layout.place(leaf) == (record.name, column)
                else:  # a pair stands inside the line that is a cell too
                    place = layout.place(leaf.offset + len(leaf.text) - 1)
                    assert place is not None
                    assert place[0] == record.name
    assert layout.place(len(text)) is None


@given(
    st.sampled_from(",;\t|"),
    st.lists(
        st.lists(st.text('aé5 ,;|"\n', max_size=8).map(str.strip), min_size=3, max_size=3), min_size=1, max_size=4
    ),
)
def test_quoted_cells_are_those_of_the_csv_module(mark: str, table: list[list[str]]) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b", "c"], *table])
    (read,) = tables_in(file.getvalue()).tables or [None]
    expected = [
        [(title, text.replace('"', '""')) for title, text in zip("abc", row, strict=True) if text] for row in table
    ]
    assert (rows(read) if read else []) == [row for row in expected if row]


@given(st.lists(st.one_of(st.text(max_size=3), st.integers(0, 9)), max_size=4).map(tuple))
def test_names_are_spelled_as_in_a_carrier(path: tuple[str | int, ...]) -> None:
    assert f"${json_steps(path)}" == json_path(Leaf("", 0, path))


def test_a_list_of_objects_is_a_table() -> None:
    table = only_table('[{"flight_number": "HAT069", "prices": {"economy": 121}}, {"flight_number": "HAT083"}]')
    assert (table.name, table.pattern, table.parent, table.whole, table.items) == ("$", "$", None, True, 2)
    assert [record.name for record in table.records] == ["$[0]", "$[1]"]
    assert rows(table) == [[("flight_number", "HAT069"), ("prices.economy", "121")], [("flight_number", "HAT083")]]
    assert table.records[0].cells[1].leaf == Leaf("121", 0, (0, "prices", "economy"), is_number=True)


def test_each_list_in_a_list_is_a_table_and_their_pattern_is_all_of_them() -> None:
    outer, first, second = tables_in(ONE_STOP).tables
    assert [(record.name, record.lengths, record.lists) for record in outer.records] == [
        ("$[0]", (("", 2),), (1,)),
        ("$[1]", (("", 1),), (2,)),
    ]
    assert (first.name, first.pattern, first.parent) == ("$[0]", "$[*]", (0, 0))
    assert (second.name, second.pattern, second.parent) == ("$[1]", "$[*]", (0, 1))
    assert [record.name for record in first.records] == ["$[0][0]", "$[0][1]"]
    assert rows(second) == [
        [
            ("flight_number", "HAT136"),
            ("prices.basic_economy", "70"),
            ("prices.economy", "152"),
            ("date", "2024-05-20"),
        ]
    ]


def test_an_object_of_like_objects_is_a_table_by_key() -> None:
    user, methods, reservations = tables_in(USER).tables
    assert cells(user.records[0]) == [
        ("name.first_name", "Mia"),
        ("name.last_name", "Li"),
        ("dob", "1990-04-05"),
    ]
    assert user.records[0].lengths == (("payment_methods", 2), ("saved_passengers", 0), ("reservations", 2))
    assert user.records[0].lists == (1, 2)
    assert (methods.name, methods.items) == ("$.payment_methods", 2)
    assert methods.records[1].name == "$.payment_methods.certificate_4856383"
    assert cells(methods.records[1]) == [
        ("", "certificate_4856383"),
        ("source", "certificate"),
        ("amount", "100"),
        ("id", "certificate_4856383"),
    ]
    assert methods.records[1].cells[0].leaf.is_key
    assert rows(reservations) == [[("", "NO6JO3")], [("", "AIXC49")]]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"x": 1}}',  # one object
        '{"a": {"x": 1}, "b": {"y": 1}}',  # nothing in common
        '{"a": {"x": 1}, "b": {"x": 1}, "total": 2}',  # and a plain value
        '[{"a": {"x": 1}, "b": {"x": 2}}]',  # a record of a list
    ],
)
def test_an_object_of_other_things_is_one_record(text: str) -> None:
    assert len(only_table(text).records) == 1


def test_several_objects_are_one_table() -> None:
    table, legs = tables_in('{"id": 1, "legs": [7]}\n{"id": 2}\n').tables
    assert (table.name, table.whole, table.items) == ("$", True, 2)
    assert [record.name for record in table.records] == ["block 0 $", "block 1 $"]
    assert rows(table) == [[("id", "1")], [("id", "2")]]
    assert table.records[1].cells[0].leaf == Leaf("2", 1, ("id",), is_number=True)
    assert (legs.name, legs.pattern, legs.parent) == ("block 0 $.legs", "$.legs", (0, 0))


@pytest.mark.parametrize("text", ["255.0", '"hello"'])
def test_a_plain_value_is_a_record(text: str) -> None:
    assert rows(only_table(text)) == [[("", text.strip('"'))]]


@pytest.mark.parametrize(
    "text", ["[]", "{}[]", "null", "[null, true]", "think", "", "Error: paid 255", '{"looked_for": 1']
)
def test_what_says_no_record_is_no_table(text: str) -> None:
    assert [record.cells for table in tables_in(text).tables for record in table.records if record.cells] == []


def test_a_null_and_an_empty_object_count_as_items() -> None:
    table = only_table('[5, null, true, {}, {"a": null}]')
    assert table.items == 5
    assert [record.name for record in table.records] == ["$[0]", "$[3]", "$[4]"]


def test_json_cut_short_has_what_is_whole_and_says_what_is_not() -> None:
    top, names, flights = tables_in('{"names": ["A", "B"], "flights": [{"price": 51}, {"price": 87}, {"pri').tables
    assert (top.whole, names.whole, flights.whole) == (False, True, False)
    assert (top.items, names.items, flights.items) == (None, None, None)
    assert top.records[0].lengths == ()
    assert rows(flights) == [[("price", "51")], [("price", "87")]]


def test_of_a_key_given_twice_the_last_counts_also_before_a_cut() -> None:
    (table,) = tables_in('{"a": {"b": 1}, "a": 5, "c": 6, "d').tables
    assert rows(table) == [[("a", "5"), ("c", "6")]]


def test_after_json_text_is_read_as_text() -> None:
    _, table = tables_in('{"ok": 1}\n\nname,price,qty\nA1,5,2\n').tables
    assert (table.name, table.records[0].name) == ("line 3", "line 4")
    assert rows(table) == [[("name", "A1"), ("price", "5"), ("qty", "2")]]


LOG = "2024-05-20 10:00:00 INFO start took=12ms"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            'name,price,note\r\nA1,"1,200","say ""x""\r\nnow"\r\nB2,6,\r\n',
            [
                [("name", "A1"), ("price", "1,200"), ("note", 'say ""x""\r\nnow')],
                [("name", "B2"), ("price", "6")],
            ],
            id="csv",
        ),
        pytest.param(
            "Sales of May:\nday;amount\nMon;5,30\nTue;6,10\n\nEnd of report.",
            [[("day", "Mon"), ("amount", "5,30")], [("day", "Tue"), ("amount", "6,10")]],
            id="semicolons after a heading",
        ),
        pytest.param(
            ",name,price\n0,HAT1,5\n",
            [[("", "0"), ("name", "HAT1"), ("price", "5")]],
            id="csv with row numbers",
        ),
        pytest.param("id\tqty\nA1\t5\nB1\t6", [[("id", "A1"), ("qty", "5")], [("id", "B1"), ("qty", "6")]], id="tsv"),
        pytest.param(
            "The flights are:\n\n| Flight | Price | Price |\n|:---|---:|---|\n| **HAT1** | $5 | |\n|a\\|b|`6`|7|\nBye.",
            [[("Flight", "HAT1"), ("Price", "$5")], [("Flight", "a\\|b"), ("Price", "6"), ("Price #2", "7")]],
            id="markdown in prose",
        ),
        pytest.param(
            " id | name \n----+------\n  1 | Foo\n(1 row)\n",
            [[("id", "1"), ("name", "Foo")]],
            id="psql",
        ),
        pytest.param(
            "+----+------+\n| id | name |\n+----+------+\n|  1 | Foo  |\n+----+------+\n",
            [[("id", "1"), ("name", "Foo")]],
            id="mysql",
        ),
        pytest.param(
            "┏━━━━┳━━━━━┓\n┃ id ┃ qty ┃\n┡━━━━╇━━━━━┩\n│ A  │ 5   │\n└────┴─────┘\n",
            [[("id", "A"), ("qty", "5")]],
            id="box",
        ),
        pytest.param(
            "total 8\n-rw-r--r--  1 root staff  4096 Jan  3 12:34 a b.txt\n",
            [
                [
                    ("mode", "-rw-r--r--"),
                    ("links", "1"),
                    ("owner", "root"),
                    ("group", "staff"),
                    ("size", "4096"),
                    ("modified", "Jan  3 12:34"),
                    ("name", "a b.txt"),
                ]
            ],
            id="ls -l",
        ),
        pytest.param(
            "CONTAINER ID   IMAGE   PORTS      NAMES\n"
            "abc123         redis   6379/tcp   r\n"
            "def456         foo                f 2\n",
            [
                [("CONTAINER ID", "abc123"), ("IMAGE", "redis"), ("PORTS", "6379/tcp"), ("NAMES", "r")],
                [("CONTAINER ID", "def456"), ("IMAGE", "foo"), ("NAMES", "f 2")],
            ],
            id="docker ps, a cell missing",
        ),
        pytest.param(
            "USER         PID %CPU    VSZ   RSS TTY   COMMAND\n"
            "root           1  0.0 168140 11232 ?     /sbin/init splash\n",
            [
                [
                    ("USER", "root"),
                    ("PID", "1"),
                    ("%CPU", "0.0"),
                    ("VSZ", "168140"),
                    ("RSS", "11232"),
                    ("TTY", "?"),
                    ("COMMAND", "/sbin/init splash"),
                ]
            ],
            id="ps aux",
        ),
        pytest.param(
            "   name  price\n0  HAT1      5\n1  HAT2     16\n",
            [[("", "0"), ("name", "HAT1"), ("price", "5")], [("", "1"), ("name", "HAT2"), ("price", "16")]],
            id="a data frame",
        ),
        pytest.param(
            f"{LOG}\n  File x\n",
            [[("", LOG), ("took", "12ms")]],
            id="log",
        ),
        pytest.param(
            'ts=1 took=12ms msg="a b"\nts=2 took=1,300ms',
            [[("ts", "1"), ("took", "12ms"), ("msg", "a b")], [("ts", "2"), ("took", "1,300ms")]],
            id="logfmt",
        ),
        pytest.param("HOST=a\nPORT = 80\n", [[("HOST", "a"), ("PORT", "80")]], id="assignments"),
        pytest.param(
            "Found:\n\nid: 1\nspec:\n  replicas: 3\n\nid: 2\n",
            [[("id", "1"), ("spec.replicas", "3")], [("id", "2")]],
            id="fields",
        ),
        pytest.param(
            "items:\n  - id: 1\n    price: $5\n  - id: 2\n",
            [[("items.id", "1"), ("items.price", "$5")], [("items.id", "2")]],
            id="yaml",
        ),
        pytest.param("- **Price**: $5\n- **Total:** '6'\n", [[("Price", "$5"), ("Total", "6")]], id="bold fields"),
    ],
)
def test_text_formats(text: str, expected: Rows) -> None:
    table = only_table(text)
    assert rows(table) == expected
    assert table.whole
    assert table.items == len(expected)


def test_df_is_a_table_though_some_of_its_titles_are_one_space_apart() -> None:
    table = only_table(
        "Filesystem      Size  Used Avail Use% Mounted on\n"
        "/dev/sda1        50G   20G   28G  42% /\n"
        "tmpfs           1.6G  2.1M  1.6G   1% /run\n"
    )
    assert [cells(record) for record in table.records] == [
        [("Filesystem", a), ("Size", b), ("Used", c), ("Avail", d), ("Use%", e), ("Mounted on", f)]
        for a, b, c, d, e, f in (
            ("/dev/sda1", "50G", "20G", "28G", "42%", "/"),
            ("tmpfs", "1.6G", "2.1M", "1.6G", "1%", "/run"),
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The Report  Of March Was Late\nIt had  45 of 50 done",
        "Weekly Report  For March And\nWe did 45  of 50 today 7",
        "Filesystem      Size  Used Avail Use% Mounted on\nno such  device 5",
    ],
)
def test_prose_below_capitals_is_no_table(text: str) -> None:
    assert tables_in(text).tables == ()


def test_records_of_text_are_named_by_their_line() -> None:
    table = only_table('\na,b,c\n1,"x\ny",2\n3,4,5\n')
    assert (table.name, [record.name for record in table.records]) == ("line 2", ["line 3", "line 5"])


@pytest.mark.parametrize(
    "text",
    [
        "Yes, it is, indeed.\nNo, it is not, sorry.",
        "One flight, two stops\nanother flight, no stops\nand, so on",
        "def f(a, b, c):\n    return f(a, b, c)",
        "    x = foo(\n        a=1, b=2\n    )\n    y = 5\n    z = 6\n",
        "HAT069,JFK,SEA\nHAT083,JFK,SEA\n",  # no titles
        "Note: it departs at 5 PM.",
        "Certificate certificate_3221322 added to user noah_muller_9847 with amount 50.",
        "DO NOT ENTER\nAT 5 PM",
        "a | b\nc | d\n",
    ],
)
def test_prose_and_code_are_no_tables(text: str) -> None:
    assert tables_in(text) == ((), True)


def test_a_table_that_goes_on_otherwise_is_not_whole() -> None:
    assert not only_table("a,b,c\n1,2,3\n4,5\n").whole
    assert not only_table("NAME   AGE\nw-1    5d\nsomething else 7\n").whole


def test_places_are_found_by_leaf_and_by_offset() -> None:
    layout = Layout(tables_in(USER))
    assert layout.place(Leaf("100", 0, ("payment_methods", "certificate_4856383", "amount"), is_number=True)) == (
        "$.payment_methods.certificate_4856383",
        "amount",
    )
    assert layout.place(Leaf("dob", 0, ("dob",), is_key=True)) == ("$", "dob")
    assert layout.place(Leaf("name", 0, ("name",), is_key=True)) is None
    layout = Layout(tables_in(LOG))
    assert layout.place(LOG.index("12ms")) == ("line 1", "took")
    assert layout.place(LOG.index("start")) == ("line 1", "")
    assert layout.place(Leaf("x", None, (), offset=len(LOG))) is None


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (json.dumps({"small": [1, 2], "large": list(range(20))}), [False, True, False]),
        ("a: 1\nb: 2\n\n" + "n,p,q\n" + "x,1,2\n" * 20, [True, False]),
    ],
)
def test_past_the_most_cells_reading_stops_and_says_so(
    monkeypatch: pytest.MonkeyPatch, text: str, whole: list[bool]
) -> None:
    monkeypatch.setattr(records, "MOST_CELLS", 20)
    reading = tables_in(text)
    assert not reading.complete
    assert len(all_cells(reading)) <= 20
    assert [table.whole for table in reading.tables] == whole


def test_depth_and_long_keys_cost_what_they_keep() -> None:
    deep = '{"a":' * 900 + json.dumps({f"k{number}": number for number in range(20_000)}) + "}" * 900
    long = json.dumps({"k" * 100_000: [{"a": number} for number in range(20_000)]})
    for text in (deep, deep[:-900], long, long[:-2]):
        reading = tables_in(text)
        assert not reading.complete
        kept = sum(len(cell.column) + 8 * len(cell.leaf.path) for cell in all_cells(reading))
        kept += sum(len(record.name) for table in reading.tables for record in table.records)
        assert kept < 300 * records.MOST_CELLS


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 5000, "[" * 900 + "1" + "]" * 900, "[" * 900 + "1, 2"])
def test_deep_json_is_read(text: str) -> None:
    assert len(all_cells(tables_in(text))) <= 1


PIECES = [
    *',|="-\n \t:\\{[#',
    ",,\n",
    "|\n",
    "||\n|-|\n",
    "|-|\n",
    '"\n',
    '""',
    '\na,b,c\nx,"y,""\n',
    '\na,b,c\nx,"""',
    "a,b\n",
    "a,b,c\n1,2,3\n",
    "a=",
    'a="',
    'a="\\"',
    "a=1 ",
    "a=1\n",
    "a: 1\n",
    "a:\n",
    "a:\n\n",
    " a:\n",
    "A  ",
    "A ",
    "A  B\n1  2\n",
    "A B\n1 2\n",
    "2024-01-01 10:00 a=1\n",
    "-rw-r--r-- 1 a a 1 ",
    "{}",
    "{} ",
    '{"a":{}}',
    '{"a":1}\n',
    '[{"a":1},',
    "(a)",
    "a ",
    "a.",
]


@pytest.mark.parametrize("piece", PIECES)
def test_time_is_linear_in_the_text(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        taken = []
        for _ in range(3):
            start = time.process_time()
            tables_in(text)
            taken.append(time.process_time() - start)
        return min(taken)

    short = seconds(15_000)
    assert seconds(60_000) < 12 * short + 0.02  # quadratic would be sixteen times


@pytest.mark.parametrize("head", ["A  " * 20_000 + "\n" + "A1\n" * 20_000, "A," * 20_000 + "\n" + "1,2\n" * 20_000])
def test_a_wide_header_costs_its_rows_nothing(head: str) -> None:
    start = time.process_time()
    tables_in(head)
    assert time.process_time() - start < 5
