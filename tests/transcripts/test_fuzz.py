"""Real documents with something odd put anywhere in them: they load, or there is one error of ours."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transcripts.builders import BUILDERS, Call, Said

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message
from foldproof.transcripts import dump, parse
from foldproof.transcripts.json_text import Json

ODD: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, 0, -1.5, "", "x", [], [[]], [None], ["a"], {}, {"type": "text"}, {"id": []}, {"a": {}}]
)
TALK = [
    Said("user", "hello"),
    Said("assistant", "let me see", (Call("search", {"q": 1}, "found 7"), Call("search", {}, "nothing"))),
    Said("user", "and?"),
    Said("assistant", "it is 7"),
]
FRAME = Message(role="user", content="[foldproof drop notice] x")
DATA = Path(__file__).parent.parent / "data" / "transcripts"
REAL = {
    "demo-turn": DATA / "agentfootprint" / "demo-turn.json",
    "edge_cases": DATA / "claude_code" / "cclog_edge_cases.jsonl",
}


def places(value: Json) -> list[tuple[Json, Json]]:
    """Every container of a value with each of its keys, down to a size that a test can walk."""
    found: list[tuple[Json, Json]] = []
    waiting = [value]
    while waiting and len(found) < 500:
        container = waiting.pop(0)
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], dict | list):
                waiting.append(container[key])
    return found


def try_it(raw: Json, name: str) -> None:
    try:
        conversation = parse(raw, format=name)
        dump(conversation.replace([*conversation.messages[1:3], FRAME]), io.BytesIO())
    except (TranscriptError, UsageError) as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error}")


@pytest.mark.parametrize("shape", BUILDERS)
@given(data=st.data())
def test_something_odd_anywhere_is_read_or_refused(shape: str, data: st.DataObject) -> None:
    name, build = BUILDERS[shape]
    raw = copy.deepcopy(build(TALK))
    for _ in range(data.draw(st.integers(1, 2))):
        container, key = data.draw(st.sampled_from(places(raw)))
        container[key] = copy.deepcopy(data.draw(ODD))
    try_it(raw, name)


@pytest.mark.parametrize("real", REAL)
@given(data=st.data())
def test_something_odd_in_a_real_file_is_read_or_refused(real: str, data: st.DataObject) -> None:
    text = REAL[real].read_text(encoding="utf-8")
    raw = [json.loads(line) for line in text.splitlines()] if REAL[real].suffix == ".jsonl" else json.loads(text)
    container, key = data.draw(st.sampled_from(places(raw)))
    container[key] = copy.deepcopy(data.draw(ODD))
    try_it(raw, REAL[real].parent.name)


@given(
    raw=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "messages",
                        "role",
                        "content",
                        "type",
                        "message",
                        "uuid",
                        "format",
                        "data",
                        "history",
                        "sessionId",
                        "request",
                        "response",
                        "messages_display",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    name=st.sampled_from([None, "openai_chat", "claude_code", "axle", "agentfootprint"]),
)
def test_any_json_is_read_or_refused(raw: Json, name: str | None) -> None:
    try:
        parse(raw, format=name)
    except (TranscriptError, UsageError) as error:
        if "\n" in str(error):
            pytest.fail(f"more than one line: {error}")
