"""SWE-agent trajectories: what the real files hold, counted by way of `trajectory`, which repeats it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_benchmarks import sweagent_native, sweagent_text
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import author_of, calls_of, is_observation, library_note, pair, tool_text
from foldproof.transcripts import load, parse
from foldproof.transcripts.sweagent_traj import SweagentTraj

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "sweagent_traj"
FILES = sorted(DATA.glob("*.traj"))
NATIVE = [path for path in FILES if path.name.startswith("function_calling")]
TEXT = [path for path in FILES if path not in NATIVE]


def raw(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_row_is_a_message(path: Path) -> None:
    conversation = load(path)
    assert len(conversation.messages) == len(raw(path)["history"])
    assert not conversation.damage
    assert not pair(conversation.messages).orphans
    assert "trajectory" not in conversation.extras


@pytest.mark.parametrize("path", [path for path in FILES if "simple" not in path.name], ids=lambda path: path.stem)
def test_the_tools_own_words_are_the_observations_of_the_trajectory(path: Path) -> None:
    steps, conversation = raw(path)["trajectory"], load(path)
    said = [tool_text(message) for message in conversation.messages if message.role == "tool"]
    assert said == [step["observation"] for step in steps][: len(said)]
    assert len(said) >= len(steps) - 1  # in text mode the last action submits, and nothing is said about it
    notes = [library_note(message) for message in conversation.messages if message.role == "tool"]
    assert all(note.endswith("bash-$") for note in notes)


@pytest.mark.parametrize("path", TEXT, ids=lambda path: path.stem)
def test_in_text_mode_the_action_is_the_call(path: Path) -> None:
    document, conversation = raw(path), load(path)
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [call.args for call in calls] == [{"command": step["action"]} for step in document["trajectory"]]
    assert [message.text for message in conversation.messages if calls_of(message)] == [
        row["content"] for row in document["history"] if row.get("action")
    ]
    last = len(conversation.messages) - 1
    assert [call.message for call in pair(conversation.messages).unanswered] == [last]  # it submits


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: path.stem)
def test_native_calls_pair_by_their_ids(path: Path) -> None:
    history, conversation = raw(path)["history"], load(path)
    typed = [call for row in history for call in row.get("tool_calls") or ()]
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(call.id, call.name, call.args) for call in calls] == [
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in typed
    ]
    results = [message for message in conversation.messages if message.role == "tool"]
    assert [[message.tool_call_id] for message in results] == [
        row["tool_call_ids"] for row in history if row["role"] == "tool"
    ]
    assert not pair(conversation.messages).unanswered


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_message_is_the_persons(path: Path) -> None:
    conversation = load(path)
    (task,) = (message for message in conversation.messages if author_of(message) == "person")
    assert task.text.startswith("We're currently solving")


def test_a_demonstration_is_the_apps() -> None:
    conversation = load(DATA / "gpt4_pydicom-1458.traj")
    assert conversation.messages[1].text.startswith("Here is a demonstration")
    assert author_of(conversation.messages[1]) == "app"


def test_the_results_of_a_demonstration_are_no_evidence_of_this_run() -> None:
    document = sweagent_native(TALK)
    for row in document["history"][3:6]:
        row["is_demo"] = True
    conversation = parse(document)
    assert [is_observation(message) for message in conversation.messages if message.role == "tool"] == [False, False]


def test_the_sentence_for_no_output_is_not_the_tools() -> None:
    document = sweagent_text(TALK)
    document["history"][4]["content"] = "Your command ran successfully and did not produce any output.\nbash-$"
    assert tool_text(parse(document).messages[4]) == ""


def test_what_answers_no_call_is_the_apps() -> None:
    document = sweagent_text(TALK)
    document["history"][3] = {"role": "assistant", "content": "hm", "agent": "main"}
    conversation = parse(document)
    assert (conversation.messages[4].role, author_of(conversation.messages[4])) == ("user", "app")


def changed(number: int, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever JSON holds
    document: dict[str, Any] = copy.deepcopy(sweagent_native(TALK))
    document["history"][number] |= fields
    return document


@pytest.mark.parametrize(
    ("document", "path", "cause"),
    [
        (changed(2, role="robot"), "$.history[2].role", "unknown role 'robot'"),
        (changed(2, content=7), "$.history[2].content", "found 7"),
        (changed(3, tool_calls=[{}]), "$.history[3].tool_calls[0]", "expected a function with a name"),
        (changed(3, tool_calls=7), "$.history[3].tool_calls", "expected a list of calls"),
        (changed(4, tool_call_ids=[{}]), "$.history[4].tool_call_ids", "expected the id of a call"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported_with_its_place(document: Any, path: str, cause: str) -> None:  # noqa: ANN401
    (damage,) = parse(document).damage
    assert damage.path == path
    assert cause in damage.cause
    assert len(parse(document).messages) == len(parse(sweagent_native(TALK)).messages) - 1


def test_results_in_another_order_come_in_the_order_of_their_calls() -> None:
    document = sweagent_native(TALK)
    rows = document["history"]
    rows[4], rows[5] = rows[5], rows[4]
    assert parse(document).messages == parse(sweagent_native(TALK)).messages


def test_other_histories_are_refused() -> None:
    assert SweagentTraj().recognise({"history": [{"role": "user", "content": "x"}]}) is None
    assert SweagentTraj().recognise({"history": 3}) is None
    with pytest.raises(TranscriptError, match="not sweagent_traj"):
        parse({"messages": []}, format="sweagent_traj")
