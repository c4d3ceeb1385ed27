"""What is kept keeps its exact text: spellings of numbers, escapes, spacing; what is new looks like its neighbours."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.errors import TranscriptError
from foldproof.transcripts.json_text import Json, check_depth, new_text, parse_json, render, revise, revise_items

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
OBJECTS = st.dictionaries(st.text(max_size=3), LEAVES | st.lists(LEAVES, max_size=2), max_size=3)
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"ensure_ascii": False}])


def rendered(text: str, change: Json) -> str:
    value = parse_json(text)
    return render(change(value), {id(value): text})


def test_kept_items_keep_their_spelling() -> None:
    text = '{ "m": [ {"a":1.10}, {"b":1e400,"c":"\\ud800"} ,{"d" : 1}],"n":-0.0 }'
    after = rendered(text, lambda value: revise(value, {"m": revise_items(value["m"], value["m"][1:])}))
    assert after == '{ "m": [ {"b":1e400,"c":"\\ud800"},{"d" : 1}],"n":-0.0 }'


def test_new_items_look_like_their_neighbours() -> None:
    text = '{\n  "m": [\n    {\n      "a": 1\n    }\n  ]\n}'
    after = rendered(text, lambda value: revise(value, {"m": revise_items(value["m"], [*value["m"], {"b": [2]}])}))
    assert after == json.dumps({"m": [{"a": 1}, {"b": [2]}]}, indent=2)
    assert rendered('[{"a":1}]', lambda value: revise_items(value, [{"b": 2}, *value])) == '[{"b":2},{"a":1}]'
    assert rendered("[]", lambda value: revise_items(value, [{"b": 2}])) == '[{"b": 2}]'
    assert rendered("[ 1, {} ]", lambda value: revise_items(value, [])) == "[]"


def test_an_object_that_repeats_a_key_is_written_anew() -> None:
    assert rendered('{"a": 1, "a": 2}', lambda value: revise(value, {"b": 3})) == '{"a": 2, "b": 3}'


@given(items=st.lists(OBJECTS, max_size=5), layout=LAYOUTS, data=st.data())
def test_law_a_revised_document_means_what_it_was_revised_to(
    items: list[Json], layout: dict[str, Json], data: st.DataObject
) -> None:
    text = json.dumps({"rows": items, "rest": 1.5}, **layout)
    value = parse_json(text)
    kept = [item for item in value["rows"] if data.draw(st.booleans())]
    new = data.draw(st.lists(OBJECTS, max_size=2))
    at = data.draw(st.integers(0, len(kept)))
    wanted = kept[:at] + new + kept[at:]
    revised = revise(value, {"rows": revise_items(value["rows"], wanted)})
    after = render(revised, {id(value): text})
    assert json.loads(after) == {"rows": wanted, "rest": 1.5}
    if kept == value["rows"] and not new:
        assert after == text


def test_a_lone_surrogate_is_escaped_only_where_it_must_be() -> None:
    assert new_text({"a": "é\ud800"}) == '{"a": "\\u00e9\\ud800"}'
    assert new_text({"a": "é"}, compact=True) == '{"a":"é"}'
    with pytest.raises(TranscriptError, match="cannot be written"):
        new_text({"a": object()})


def test_depth_is_bounded() -> None:
    check_depth(parse_json("[" * 200 + "]" * 200))
    with pytest.raises(TranscriptError, match="nested"):
        parse_json("[" * 202 + "]" * 202)
