"""What a result says, leaf by leaf (the rules are listed at the head of `reading.py`)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.generators import json_values, result, tool_results

from foldproof.evidence import EvidenceIndex
from foldproof.evidence.reading import Leaf, leaf_texts, read_result, value_texts


def leaves(text: str) -> list[tuple[str, int | None, tuple[str | int, ...]]]:
    return [(leaf.text, leaf.block, leaf.path) for leaf in read_result(text)]


def texts(text: str) -> list[str]:
    return [leaf.text for leaf in read_result(text)]


def test_json_is_walked_key_by_key_and_leaf_by_leaf() -> None:
    assert leaves('{"a": [1, {"b c": "x 5"}], "d": null, "e": true}') == [
        ("a", 0, ("a",)),
        ("d", 0, ("d",)),
        ("e", 0, ("e",)),
        ("1", 0, ("a", 0)),
        ("b c", 0, ("a", 1, "b c")),
        ("x 5", 0, ("a", 1, "b c")),
    ]


def test_literals_keep_their_source() -> None:
    assert texts("[1.10, 12345678901234567890123, -0, 1E400]") == ["1.10", "12345678901234567890123", "-0", "1E400"]


def test_leading_values_are_walked_and_the_rest_is_text() -> None:
    assert leaves('{"a": 1}\n{"b": 2}\nnote 5') == [
        ("a", 0, ("a",)),
        ("1", 0, ("a",)),
        ("b", 1, ("b",)),
        ("2", 1, ("b",)),
        ("note 5", None, ()),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-1.5", [("-1.5", 0, ())]),
        (" 1e5\n", [("1e5", 0, ())]),
        ("1E5", [("1E5", 0, ())]),
        ('"x 5"', [("x 5", 0, ())]),
        ("true", []),
        ("null", []),
        ('"x" "y"', [('"x" "y"', None, ())]),
        ('"x" note', [('"x" note', None, ())]),
        ('{"a": 1} "y"', [("a", 0, ("a",)), ("1", 0, ("a",)), ('"y"', None, ())]),
        ('X{"a": 1}', [('X{"a": 1}', None, ())]),
    ],
)
def test_a_plain_value_is_read_where_it_stands_alone(text: str, said: list[object]) -> None:
    assert leaves(text) == said


def test_what_a_number_behind_json_is_glued_to_decides_its_sign() -> None:
    glued, apart = '["a", 1]-4471', '["a", 1] -4471'
    assert [leaf for leaf in read_result(glued) if leaf.block is None] == [Leaf("]-4471", None, (), offset=7)]
    assert [leaf for leaf in read_result(apart) if leaf.block is None] == [Leaf("-4471", None, (), offset=9)]
    for text, stated in ((glued, "4471"), (apart, "-4471")):
        values = EvidenceIndex([result(text)]).judge("Is it 4471 or -4471?").values
        assert [value.text for value in values if value.verdict == "grounded"] == [stated]
        (carrier,) = next(value for value in values if value.verdict == "grounded").carriers
        assert text[carrier.start : carrier.end] == stated


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        ('{"id": 4417, "x": 44', ["id", "4417", "x"]),
        ('[{"note": "hello wor', ["note", "hello"]),
        ('[{"note": "hello', ["note"]),
        ("[1, 2, tr", ["1", "2"]),
        ('{"ok": true, "ke', ["ok"]),
        ("[44", []),
        ('{"a": {"b": [1, 2], "c": 3', ["a", "b", "1", "2", "c"]),
        ('{"a": "x\\', ["a"]),
        ('{"a": "\\q one two', ["a"]),  # no escape of JSON
        ('{"a": "one\\u00fc two', ["a", "one\u00fc"]),
        ('{"looked_for": 4471, "n": 5', ["n"]),
        ('[{"looked_for": {"id": 4471}}, {"n": 5}, ', ["n", "5"]),
        ('[{"looked_for": [4471], "n": {"lookedFor": 4472}, "m": 6}, ', ["n", "m", "6"]),
    ],
)
def test_json_cut_short_gives_its_complete_leaves(cut: str, said: list[str]) -> None:
    assert texts(cut) == said


DOCUMENT = (
    '{"a": [1, -2.50, {"b c": "d", "e": null}, [[3], []]], "f": {"looked_for": {"id": [4471, "g"]}, "h": 4}, '
    '"i": {"f": {}, "j": "\\"k\\""}, "l": [true, "m", [false, 1e3]], "n": [{"lookedFor": {}}, {"o": 7}]}'
)


def test_what_a_cut_leaves_is_what_the_whole_says_and_where() -> None:
    said = set(read_result(DOCUMENT))
    left = [set(read_result(DOCUMENT[:end])) for end in range(2, len(DOCUMENT))]
    assert all(leaves <= said for leaves in left)
    assert all(fewer <= more for fewer, more in pairwise(left))
    assert left[-1] == said
    first = DOCUMENT.index("]]]") + 3  # all of "a" stands before it
    assert left[first - 2] == {leaf for leaf in said if leaf.path[0] == "a"}


def test_what_a_cut_leaves_stands_in_the_block_behind_the_whole_ones() -> None:
    assert leaves('{"a": 1} [{"b": 2}') == [("a", 0, ("a",)), ("1", 0, ("a",)), ("b", 1, (0, "b")), ("2", 1, (0, "b"))]


@pytest.mark.parametrize(
    "text",
    ["[INFO] 2024 start", "[2024-05-01 10:00:00]", "{'a': 5}", "[1 2", "{a: 1}", "plain 4471", "[" * 50_000, "12 34"],
)
def test_text_that_opens_like_json_stays_text(text: str) -> None:
    assert leaves(text) == [(text, None, ())]


def test_a_key_that_stands_twice_says_both() -> None:
    text = '{"a":4711, "b": [{"c": 1, "c": {"d": 2}}], "a":"4712"}'
    assert leaves(text) == [
        ("a", 0, ("a",)),
        ("b", 0, ("b",)),
        ("a", 0, ("a",)),
        ("4711", 0, ("a",)),
        ("c", 0, ("b", 0, "c")),
        ("c", 0, ("b", 0, "c")),
        ("1", 0, ("b", 0, "c")),
        ("d", 0, ("b", 0, "c", "d")),
        ("2", 0, ("b", 0, "c", "d")),
        ("4712", 0, ("a",)),
    ]
    assert leaf_texts(text) == {"a", "b", "c", "d", "1", "2", "4711", "4712"}
    assert leaf_texts('{"a" : 1, "a" : 2}') == {"a", "1", "2"}
    assert leaf_texts('{"looked_for": 5, "looked_for": 6, "n": 7}') == {"n", "7"}


def test_both_values_of_a_key_that_stands_twice_can_be_followed() -> None:
    messages = [result('{"a":4711,"a":4712}')]
    for verdict in EvidenceIndex(messages).judge("It is 4711, or 4712.").values:
        (carrier,) = verdict.carriers
        assert (carrier.path, carrier.resolve(messages)) == ("$.a", verdict.text)


def test_the_question_an_absence_quotes_is_not_said() -> None:
    assert texts('{"found": false, "looked_for": {"id": 4471}, "n": 5}') == ["found", "n", "5"]
    assert texts('{"looked_for": [4471, "x"], "n": 5, "cut') == ["n", "5"]
    assert leaf_texts('[{"found": false, "looked_for": {"id": 4471}, "n": 5}]') == {"found", "n", "5"}
    assert leaf_texts('{"lookedFor": 4471, "n": 5, "cut') == {"n", "5"}


def test_the_texts_of_a_decoded_value_are_its_keys_strings_and_numbers() -> None:
    value = {"a": [1, True, None, -2.5, "x"], "b": ({"c": 10**5000},), "looked_for": {"d": 4471}}
    assert value_texts(value) == {"a", "1", "-2.5", "x", "b", "c", f"1{'0' * 5000}"}


@given(json_values)
def test_every_leaf_stands_where_its_path_says(value: object) -> None:
    for leaf in read_result(json.dumps(value)):
        found: object = value
        for step in leaf.path:
            found = found[step]  # type: ignore[index] # the path is what is tested
        if leaf.block is not None and not leaf.is_key:
            assert leaf.text == (found if isinstance(found, str) else json.dumps(found))


@given(
    st.one_of(
        tool_results.map(lambda message: message.text),
        st.text('{}[]":,1a \\tfn'),
        st.sampled_from(['{"a":1,"a":2}', '{"a" : [], "a" : {"b":3,"b":"x"}}']),
    ),
    st.integers(0, 40),
)
def test_the_fast_reading_reads_the_same(text: str, cut: int) -> None:
    for part in (text, text[:cut], text + " and more"):
        assert leaf_texts(part) == {leaf.text for leaf in read_result(part)}


@given(json_values, st.data())
def test_a_cut_never_makes_a_leaf(value: object, data: st.DataObject) -> None:
    """What a cut leaves is a leaf of the whole, or the first words of one."""
    whole = json.dumps([value], ensure_ascii=False)
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    said = {leaf.text for leaf in read_result(whole)}
    for leaf in read_result(cut):
        assert leaf.text in said or any(text.startswith(leaf.text + " ") for text in said)
