"""ToolBench answers: what the seven real ones hold, counted in their JSON."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_benchmarks import toolbench
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import author_of, calls_of, pair
from foldproof.transcripts import dump, load, parse
from foldproof.transcripts.toolbench import Toolbench

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "toolbench"
FILES = sorted(DATA.glob("*.json"))
GAVE_UP = ("G1_answer_69.json", "G3_answer_8.json")
FOUND = [path for path in FILES if path.name not in GAVE_UP]


def raw(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_the_last_of_the_growing_conversations_is_the_path(path: Path) -> None:
    paths, conversation = raw(path)["answer_generation"]["train_messages"], load(path)
    assert max(map(len, paths)) == len(paths[-1]) == len(conversation.messages)
    names = {"function": "tool"}
    assert [message.role for message in conversation.messages] == [
        names.get(row["role"], row["role"]) for row in paths[-1]
    ]
    assert [message.text for message in conversation.messages] == [row["content"] or "" for row in paths[-1]]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_a_function_row_answers_the_call_before_it_and_nothing_answers_finish(path: Path) -> None:
    rows, conversation = raw(path)["answer_generation"]["train_messages"][-1], load(path)
    pairing = pair(conversation.messages)
    assert {result: call.message for result, call in pairing.call_of.items()} == {
        at: at - 1 for at, row in enumerate(rows) if row["role"] == "function"
    }
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(call.name, call.args) for call in calls] == [
        (row["function_call"]["name"], json.loads(row["function_call"]["arguments"]))
        for row in rows
        if "function_call" in row
    ]
    (last,) = pairing.unanswered
    assert calls_of(conversation.messages[last.message])[0].name == "Finish"


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_the_query_is_the_persons_and_what_was_tried_before_is_the_apps(path: Path) -> None:
    answer, conversation = raw(path)["answer_generation"], load(path)
    (query,) = (message for message in conversation.messages if author_of(message) == "person")
    assert answer["query"] in query.text
    others = [row for row in answer["train_messages"][-1] if row.get("valid") is False]
    assert sum(author_of(message) == "app" for message in conversation.messages) == 1 + len(others)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_an_error_of_the_server_is_an_error(path: Path) -> None:
    rows, conversation = raw(path)["answer_generation"]["train_messages"][-1], load(path)
    failed = [row for row in rows if row["role"] == "function" and not row["content"].startswith('{"error": ""')]
    assert [message.text for message in conversation.messages if message.is_error] == [row["content"] for row in failed]


@pytest.mark.parametrize("name", GAVE_UP)
def test_a_search_that_gave_up_is_an_empty_conversation_with_its_query(name: str) -> None:
    conversation = load(DATA / name)
    assert (conversation.messages, conversation.damage) == ((), ())
    assert conversation.extras["query"] == raw(DATA / name)["answer_generation"]["query"]
    assert "tree" not in conversation.extras


def test_only_the_last_conversation_is_written() -> None:
    document = toolbench(TALK)
    conversation = parse(document)
    out = io.StringIO()
    dump(conversation.replace(conversation.messages[:1]), out)
    written = json.loads(out.getvalue())["answer_generation"]["train_messages"]
    first, last = document["answer_generation"]["train_messages"]
    assert written == [first, last[:1]]


@pytest.mark.parametrize(
    ("number", "fields", "path", "cause"),
    [
        (0, {"role": "robot"}, "[0].role", "unknown role 'robot'"),
        (0, {"content": 1}, "[0].content", "expected text"),
        (1, {"function_call": {"name": 3}}, "[1].function_call", "expected a function with a name"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported(number: int, fields: dict[str, Any], path: str, cause: str) -> None:
    document = copy.deepcopy(toolbench(TALK))
    document["answer_generation"]["train_messages"][1][number] |= fields
    (damage,) = parse(document).damage
    assert damage.path == f"$.answer_generation.train_messages[1]{path}"
    assert cause in damage.cause


def test_what_holds_no_messages_is_an_error_with_its_place() -> None:
    for odd, path in ((7, ""), ([7], "[0]")):
        with pytest.raises(TranscriptError) as caught:
            parse({"answer_generation": {"train_messages": odd}})
        assert caught.value.path == "$.answer_generation.train_messages" + path
    assert Toolbench().recognise({"answer_generation": "x"}) is None
