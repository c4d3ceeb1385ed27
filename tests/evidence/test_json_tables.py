"""The lists of JSON values, whole or cut short: which are tables, by what name, and how much of them is read."""

from __future__ import annotations

import json

import pytest

from foldproof.evidence import records
from foldproof.evidence.reading import Leaf, read_result
from foldproof.evidence.records import Cell, Layout, Reading, Table, tables_in

Rows = list[list[tuple[str, str]]]


def rows(table: Table) -> Rows:
    return [[(cell.column, cell.leaf.text) for cell in record.cells] for record in table.records]


def cells(reading: Reading) -> int:
    return sum(len(record.cells) for table in reading.tables for record in table.records)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([5], [("$", "$")]),
        ({"a": [5]}, [("$", "$"), ("$.a", "$.a")]),
        ({"a b": {"c": [5]}}, [("$", "$"), ("$['a b'].c", "$['a b'].c")]),
        ([[5]], [("$", "$"), ("$[0]", "$[*]")]),
        ([{"a": [5]}, {"a": [6]}], [("$", "$"), ("$[0].a", "$[*].a"), ("$[1].a", "$[*].a")]),
        ([{"a": {"b": [[5]]}}], [("$", "$"), ("$[0].a.b", "$[*].a.b"), ("$[0].a.b[0]", "$[*].a.b[*]")]),
        (
            {"x": {"a": [5]}, "y": {"a": [6]}},  # by key
            [("$", "$"), ("$.x.a", "$.*.a"), ("$.y.a", "$.*.a")],
        ),
        ({"k": {"x": {"a": 5}, "y": {"a": 6}}}, [("$", "$"), ("$.k", "$.k")]),
    ],
)
def test_a_list_has_a_name_and_a_pattern_that_its_like_share(value: object, names: list[tuple[str, str]]) -> None:
    assert [(table.name, table.pattern) for table in tables_in(json.dumps(value)).tables] == names


@pytest.mark.parametrize(
    ("value", "records_of_it", "items"),
    [
        ({"a": {"x": 1}, "b": {"x": 2}}, ["$.a", "$.b"], 2),
        ({"a": {"x": 1}, "b": None, "c": {"x": 2}}, ["$.a", "$.c"], 3),
        ({"a": {"x": 1}, "looked_for": 5, "c": {"x": 2}}, ["$.a", "$.c"], 2),
        ({"a": {"x": 1, "y": 2}, "b": {"x": 1, "z": 3}}, ["$.a", "$.b"], 2),  # half of the keys
        ({"a": {"x": 1, "y": 2, "v": 3}, "b": {"x": 1, "z": 2, "w": 3}}, ["$"], 1),  # a third
        ({"a": {"x": 1}, "b": {"x": 1, "y": 2, "z": 3}}, ["$.a", "$.b"], 2),  # of the smaller one
        ({"a": {"x": 1, "y": 2, "z": 3}, "b": {"x": 1}}, ["$.a", "$.b"], 2),
        ({"a": {"x": 1, "y": 1}, "b": {"y": 1, "z": 1}, "c": {"z": 1, "x": 1}}, ["$"], 1),  # no key is all theirs
        ({"a": {"x": 1}, "b": {}}, ["$"], 1),
        ({"a": {"x": 1}, "b": {"x": 1}, "c": [1]}, ["$"], 1),
        ({"a": {"x": 1}, "b": None}, ["$"], 1),
        ({"a": None, "b": None}, ["$"], 1),
    ],
)
def test_objects_that_share_half_their_keys_are_a_list_by_key(
    value: object, records_of_it: list[str], items: int
) -> None:
    table = tables_in(json.dumps(value)).tables[0]
    assert ([record.name for record in table.records], table.items) == (records_of_it, items)


def test_a_record_holds_the_lengths_and_the_tables_of_the_lists_right_inside_it() -> None:
    value = {"a": [1, 2], "b": {"c": [None, True], "d": {"x": {"k": 1}, "y": {"k": 2}, "z": None}}, "e": [[3], []]}
    top, a, d, e, inner = tables_in(json.dumps(value)).tables
    assert top.records[0].lengths == (("a", 2), ("b.c", 2), ("b.d", 3), ("e", 2))
    assert top.records[0].lists == (1, 2, 3)
    assert [table.parent for table in (a, d, e)] == [(0, 0)] * 3
    assert [record.lists for record in e.records] == [(4,), ()]
    assert (inner.parent, inner.name, rows(inner)) == ((3, 0), "$.e[0]", [[("", "3")]])
    assert [record.lengths for record in e.records] == [(("", 1),), (("", 0),)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}\n{"a": 2}\n', [("$", ["block 0 $", "block 1 $"], 2)]),
        ('{"a": 1}\n[5]\n{"a": 2}', [("$", ["block 0 $", "block 2 $"], 2), ("block 1 $", ["block 1 $[0]"], 1)]),
        ('{"a": 1} [5]', [("block 0 $", ["block 0 $"], 1), ("block 1 $", ["block 1 $[0]"], 1)]),
        ("[5] [6]", [("block 0 $", ["block 0 $[0]"], 1), ("block 1 $", ["block 1 $[0]"], 1)]),
        ('{"a": 1} note 5', [("$", ["$"], 1)]),
        ('{"a": 1}\n{"a": 2}\n{"a": 3, "b', [("$", ["block 0 $", "block 1 $", "block 2 $"], None)]),
        ('{"a": 1}\n{"a": 2}\n[5, ', [("$", ["block 0 $", "block 1 $"], 2), ("block 2 $", ["block 2 $[0]"], None)]),
        ('{"a": 1}\n{"a": 2, ', [("$", ["block 0 $", "block 1 $"], None)]),
        ('[5]\n{"a": 2, ', [("block 0 $", ["block 0 $[0]"], 1), ("block 1 $", ["block 1 $"], None)]),
    ],
)
def test_of_several_values_the_objects_are_one_table(
    text: str, expected: list[tuple[str, list[str], int | None]]
) -> None:
    tables = tables_in(text).tables
    assert [(table.name, [record.name for record in table.records], table.items) for table in tables] == expected
    assert [table.whole for table in tables] == [items is not None for _, _, items in expected]
    assert {table.pattern for table in tables} == {"$"}


def test_plain_values_and_keys_are_leaves_as_they_are_read() -> None:
    for text, leaf in (("255.0", Leaf("255.0", 0, (), is_number=True)), ('"hello"', Leaf("hello", 0, ()))):
        assert tables_in(text).tables[0].records[0].cells == (Cell("", leaf),)
    by_key = tables_in('{"n": 1} {"x": {"k": {"a": 1}, "l": {"a": 2}}}').tables[1]
    assert [record.cells[0] for record in by_key.records] == [
        Cell("", Leaf(key, 1, ("x", key), is_key=True)) for key in ("k", "l")
    ]


@pytest.mark.parametrize("above", ["", "\n", "\n \n"])
def test_a_text_behind_json_counts_the_lines_above_it(above: str) -> None:
    tables = tables_in(f'{above}{{"ok": 1}}\nday,fee,qty\nMon,5,6').tables
    assert [table.name for table in tables] == ["$", f"line {above.count(chr(10)) + 2}"]


def test_json_cut_short_is_not_read_as_text_though_its_lines_look_like_a_table() -> None:
    reading = tables_in('[\n"day",null,true\n,5,6,\n')
    assert [(table.name, rows(table)) for table in reading.tables] == [("$", [[("", "day")], [("", "5")], [("", "6")]])]
    assert tables_in('"day",null,true\n,5,6').tables[0].name == "line 1"


@pytest.mark.parametrize("rest", ["a note", "day,fee,qty\nMon,5,6"])
def test_where_the_json_was_not_read_whole_the_text_behind_it_is_not_read(
    monkeypatch: pytest.MonkeyPatch, rest: str
) -> None:
    monkeypatch.setattr(records, "MOST_CELLS", 3)
    reading = tables_in(f"[1, 2, 3]\n{rest}")
    assert ([table.name for table in reading.tables], reading.complete) == (["$"], False)


def test_a_list_that_ends_before_the_cut_is_whole_but_nobody_knows_its_nulls() -> None:
    top, first, second, inner = tables_in('{"a": [5, null], "b": [{"c": [6, 7]}, {"d": 8}, {"d').tables
    assert [table.whole for table in (top, first, second, inner)] == [False, True, False, True]
    assert [table.items for table in (top, first, second, inner)] == [None] * 4
    assert [record.lengths for table in (top, first, second, inner) for record in table.records] == [()] * 6


DOCUMENT = {"a": [{"b": 1.50, "c": {"d": "x"}}, None, {"b": 2, "c": {"d": [[3, "y"], [True, 4]]}}], "e": 5, "f": [[6]]}


def test_a_cut_changes_no_cell_and_no_place() -> None:
    text = json.dumps(DOCUMENT)
    places = Layout(tables_in(text))
    for end in range(2, len(text)):
        cut = text[:end]
        said = {leaf for leaf in read_result(cut) if leaf.block is not None and not leaf.is_key}
        layout = Layout(tables_in(cut))
        assert {
            cell.leaf for table in tables_in(cut).tables for record in table.records for cell in record.cells
        } == said
        assert all(layout.place(leaf) == places.place(leaf) is not None for leaf in said)


def nested(depth: int, inner: object) -> object:
    """`inner` below so many keys."""
    for _ in range(depth):
        inner = {"a": inner}
    return inner


@pytest.mark.parametrize(
    ("value", "cost"),
    [
        ([1, 2, 3], 3 + 3),  # a record each, and a cell each
        ({"a": 1, "b": 2}, 1 + 2),
        ([{"a": 1}, {"b": 2}], 2 + 2),
        ({"a": [5]}, 1 + 1 + 1 + 1),  # a list inside a record
        ([[5]], 1 + 1 + 1 + 1),
        ({"x": {"a": 1}, "y": {"a": 2}}, 2 + 2 + 2),  # the keys are cells
        ({"a": None, "b": True, "c": 5}, 1 + 1),
        (nested(7, 5), 1 + 1),
        (nested(8, 5), 1 + 1 + 1),  # eight steps
        (nested(16, 5), 1 + 1 + 8 + 2),  # each step from the eighth on, and from the sixteenth on two
        (nested(8, [5]), 1 + 1 + 1 + 2 + 1),  # the record inside is as deep
        ({"k" * 255: 5}, 1 + 1),
        ({"k" * 256: 5}, 1 + 1 + 1),  # 256 characters
        ({"k" * 512: 5}, 1 + 1 + 2),
        ({"k" * 300: [5]}, 1 + 1 + 1 + 2 + 2 + 1),  # twice in the list's name and pattern, once in the record's name
    ],
)
def test_records_cells_lists_deep_paths_and_long_names_count(
    monkeypatch: pytest.MonkeyPatch, value: object, cost: int
) -> None:
    text = json.dumps(value)
    monkeypatch.setattr(records, "MOST_CELLS", cost)
    whole = tables_in(text)
    assert whole.complete
    monkeypatch.setattr(records, "MOST_CELLS", cost - 1)
    reading = tables_in(text)
    assert not reading.complete
    assert cells(reading) < cells(whole)


@pytest.mark.parametrize(("nulls", "said", "complete"), [(0, ["5", "6"], True), (1, ["5"], False), (9, ["5"], False)])
def test_a_cut_value_is_put_together_up_to_the_same_bound(
    monkeypatch: pytest.MonkeyPatch,
    nulls: int,
    said: list[str],
    complete: bool,  # noqa: FBT001
) -> None:
    """Sixteen steps down: ten for the keys on the way, two for a key there, three for a value."""
    monkeypatch.setattr(records, "MOST_CELLS", 10 + 2 * (2 + 3))
    inside = "".join(f'"n{number}": null, ' for number in range(nulls))
    reading = tables_in('{"a": ' * 16 + f'{{"m": 5, {inside}"o": 6, ')
    assert [cell.leaf.text for cell in reading.tables[0].records[0].cells] == said
    assert reading.complete is complete


def test_fields_of_a_value_cut_short_count_as_those_of_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({f"k{number}": number for number in range(15)})
    monkeypatch.setattr(records, "MOST_CELLS", 16)
    for end in (len(text), len(text) - 1):
        reading = tables_in(text[:end])
        assert (reading.complete, cells(reading)) == (True, 15 if end == len(text) else 14)
