"""Run states of the OpenAI Agents SDK: what the real ones say, and what is odd about them."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path

import pytest
from tests.transcripts.shapes_openai_side import run_state_with_session
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import Message, calls_of, pair
from foldproof.transcripts import Conversation, detect, dump, load, parse
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "openai_agents"
FILES = sorted(path for path in DATA.glob("*.json") if not path.name.startswith("negative"))
FRAME = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=("7",))
LISTS = ("session_items", "generated_items")


def raw_of(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def rewritten(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:-5])
def test_each_call_and_result_of_a_state_is_read_once(path: Path) -> None:
    raw = raw_of(path)
    items = [entry["raw_item"] for name in LISTS for entry in raw[name]]
    conversation = load(path)
    assert conversation.damage == ()
    named = {item["call_id"]: item["name"] for item in items if item["type"] in ("function_call", "custom_tool_call")}
    assert {call.id: call.name for message in conversation.messages for call in calls_of(message)} == named
    assert sum(len(calls_of(message)) for message in conversation.messages) == len(named)
    results = {item["call_id"]: item["output"] for item in items if item["type"].endswith("call_output")}
    read = {message.tool_call_id: message.content for message in conversation.messages if message.role == "tool"}
    assert read == results


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:-5])
def test_the_input_comes_first(path: Path) -> None:
    given = raw_of(path)["original_input"]
    first = load(path).messages[0]
    expected = ("user", given) if isinstance(given, str) else ("assistant", given[0]["content"][0]["text"])
    assert (first.role, first.text) == expected


def test_what_stays_open_in_the_real_states() -> None:
    # A call that waits for approval, one of a program, and one of a fixture that holds no result; a result alone.
    opened = {path.name: len(pair(load(path).messages).unanswered) for path in FILES}
    assert {name: count for name, count in opened.items() if count} == {
        "features__v1_13_programmatic_tool_calling.json": 1,
        "features__v1_5_tool_search_and_display_metadata.json": 1,
        "resume__v1_13_pending_tool_approval.json": 1,
    }
    orphans = [path.name for path in FILES if pair(load(path).messages).orphans]
    assert orphans == ["features__v1_11_tool_output_custom_data.json"]


def test_an_item_of_the_input_that_the_run_owns_is_read_once_and_leaves_everywhere() -> None:
    path = DATA / "features__v1_13_nested_history_ownership.json"
    conversation = load(path)
    assert [message.text for message in conversation.messages] == ["owned history"]
    written = rewritten(conversation.replace([FRAME]))
    assert written["session_items"] == written["generated_items"] == written["generated_session_item_indexes"] == []
    assert written["nested_history_owned_session_item_refs"] == []
    assert [item["role"] for item in written["original_input"]] == ["user"]


def test_the_same_words_said_twice_are_two_messages() -> None:
    said = {"role": "user", "content": "go on"}
    part = [{"type": "output_text", "text": "ok", "annotations": []}]
    reply = {"type": "message", "id": "__fake_id__", "role": "assistant", "content": part}
    entry = {"type": "message_output_item", "agent": {"name": "a"}, "raw_item": reply}
    state = {"$schemaVersion": "1.17", "current_agent": {"name": "a"}, "original_input": [said, reply, said]}
    messages = parse(state | {"session_items": [entry], "generated_items": [copy.deepcopy(entry)]}).messages
    assert [message.text for message in messages] == ["go on", "ok", "go on", "ok"]


def test_a_turn_that_leaves_leaves_every_list_and_the_indexes_follow() -> None:
    state = run_state_with_session(TALK[:2])
    conversation = parse(state)
    entries = state["session_items"]
    assert len(entries) == 8  # reasoning, text, two calls, a request for approval each, two results
    window = [conversation.messages[0], FRAME]
    written = rewritten(conversation.replace(window))
    assert parse(written).messages == tuple(window)
    assert written["session_items"] == written["generated_items"] == []
    whole = rewritten(conversation.replace([*conversation.messages, FRAME]))
    assert whole["session_items"][:8] == [*entries[:6], entries[7], entries[6]]  # results in the order of the calls
    assert whole["session_items"] == whole["generated_items"]
    assert whole["generated_session_item_indexes"] == list(range(9))
    assert whole["session_items"][8]["type"] == "input_item"
    assert parse(whole).messages == (*conversation.messages, FRAME)


def test_a_call_that_was_not_approved_is_no_observation() -> None:
    state = run_state_with_session(TALK[:2])
    first, second, *_ = [message.tool_call_id for message in parse(state).messages if message.role == "tool"]
    state["context"] = {"approvals": {"search": {"approved": [second], "rejected": [first]}}}
    refused, approved = (message for message in parse(state).messages if message.role == "tool")
    assert (refused.tool_result_origin, approved.tool_result_origin) == ("not-entered", None)
    for entry in (*state["session_items"], *state["generated_items"]):
        if entry["raw_item"].get("call_id") == second and "output" in entry["raw_item"]:
            entry["raw_item"]["output"] = "Tool execution was not approved."
    assert parse(state).messages[-1].tool_result_origin == "not-entered"


def test_a_newer_version_is_read_and_reported_and_another_kind_is_refused() -> None:
    state = run_state_with_session(TALK)
    for version in ("1.22", "1.999999999999999999999"):
        newer = parse(state | {"$schemaVersion": version})
        assert newer.messages == parse(state).messages
        assert [damage.path for damage in newer.damage] == ["$.$schemaVersion"]
    others: list[Json] = ["2.0", "1.", "1.x", "", None, 1.0, [1], "999"]
    for version in others:
        with pytest.raises(TranscriptError, match=r"^\$\.\$schemaVersion: a run state of version"):
            parse({**state, "$schemaVersion": version})


@pytest.mark.parametrize("name", ["future_version", "malformed_current_agent", "missing_version"])
def test_a_state_that_cannot_be_read_is_refused_by_name_too(name: str) -> None:
    raw = raw_of(DATA / f"negative__{name}.json")
    if name != "missing_version":  # nothing in that one says what it is
        assert detect(raw) == "openai_agents"
    with pytest.raises(TranscriptError) as caught:
        parse(raw, format="openai_agents")
    assert "SENTINEL" not in str(caught.value)


def test_a_missing_version_of_what_is_a_state_is_an_error_of_its_place() -> None:
    state = run_state_with_session(TALK)
    del state["$schemaVersion"]
    assert detect(state) == "openai_agents"
    with pytest.raises(TranscriptError, match=r"^\$\.\$schemaVersion: a run state of version None; expected 1\.0"):
        parse(state)


@pytest.mark.parametrize(
    ("name", "entry", "path", "cause"),
    [
        ("generated_items", {"type": "new_item", "raw_item": {"type": "teleport"}}, "[0]", "unknown item type"),
        ("generated_items", {"type": "new_item"}, "[0]", "expected an item"),
        ("generated_items", 5, "[0]", "expected an item"),
        ("original_input", [], "[0]", "expected an item"),
        ("pending_input", {"role": "wizard", "content": ""}, "[0].role", "unknown role"),
    ],
)
def test_an_item_that_cannot_be_read_is_reported_with_its_place(name: str, entry: Json, path: str, cause: str) -> None:
    state = {"$schemaVersion": "1.17", "current_agent": {"name": "a"}, "original_input": "hello", name: [entry]}
    ((found_at, said, _),) = parse(state).damage
    assert found_at == f"$.{name}{path}"
    assert said.startswith(cause)


def test_a_list_that_is_none_and_an_agent_without_a_name_are_damage_beside_the_rest() -> None:
    conversation = parse({"$schemaVersion": "1.3", "original_input": "hello", "generated_items": 7, "current_agent": 1})
    assert [damage.path for damage in conversation.damage] == ["$.current_agent", "$.generated_items"]
    assert [message.text for message in conversation.messages] == ["hello"]


def test_input_that_waits_comes_last() -> None:
    state = run_state_with_session(TALK) | {"pending_input": [{"role": "user", "content": "and now?"}]}
    assert parse(state).messages[-1].text == "and now?"
    window = [*parse(state).messages[-1:], FRAME]
    written = rewritten(parse(state).replace(window))
    assert [item["role"] for item in written["pending_input"]] == ["user", "user"]
    assert parse(written).messages == tuple(window)
