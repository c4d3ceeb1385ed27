"""Google ADK: what its real files hold, counted in their raw JSON, and what newer sessions become."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, frame_kind, pair
from foldproof.transcripts import Conversation, dump, load, parse, read_text
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "google_adk"
SESSIONS = sorted(DATA.glob("*.session.json"))
EVALS = sorted(DATA.glob("*.test.json"))
SUMMARY = "[foldproof summary frame] 2 messages"


def raw(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def written(conversation: Conversation, window: list[Message]) -> Json:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return json.loads(out.getvalue())


def session(*events: dict[str, Any]) -> dict[str, Any]:
    return {"id": "s", "appName": "a", "userId": "u", "state": {}, "events": list(events)}


def event(author: str, time: float, *parts: Json, **more: Json) -> dict[str, Any]:
    role = "user" if author == "user" or any("functionResponse" in part for part in parts) else "model"
    content = {"content": {"role": role, "parts": list(parts)}} if parts else {}
    return {"id": f"e{time}", "invocationId": f"i{int(time)}", "author": author, "timestamp": time, **content, **more}


def compaction(time: float, start: float, end: float, text: str) -> dict[str, Any]:
    span = {"startTimestamp": start, "endTimestamp": end}
    content = {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": text}]}
    return event("user", time, actions={"compaction": {**span, "compactedContent": content}})


def talk() -> list[dict[str, Any]]:
    return [
        event("user", 1.0, {"text": "go"}),
        event("helper", 2.0, {"functionCall": {"id": "c1", "name": "look", "args": {"n": 1}}}),
        event("helper", 3.0, {"functionResponse": {"id": "c1", "name": "look", "response": {"result": "7"}}}),
        event("helper", 4.0, {"text": "it is 7"}),
    ]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_every_event_of_a_session_is_a_message(path: Path) -> None:
    events = raw(path)["events"]
    messages = load(path).messages
    assert len(messages) == len(events)
    assert load(path).id == raw(path)["id"]
    for message, row in zip(messages, events, strict=True):
        (part,) = row["content"]["parts"]
        if "text" in part:
            assert message.text == part["text"]
            assert message.role == ("user" if row["author"] == "user" else "assistant")
            assert message.name == (None if row["author"] == "user" else row["author"])
        elif "function_call" in part:
            assert [(call.name, call.args) for call in message.tool_calls] == [
                (part["function_call"]["name"], part["function_call"]["args"])
            ]
        else:
            assert json.loads(message.text) == part["function_response"]["response"]
    assert not pair(messages).unanswered
    assert not pair(messages).orphans


@pytest.mark.parametrize("path", EVALS, ids=lambda path: path.name)
def test_the_tool_uses_of_an_eval_set_are_calls_that_nothing_answers(path: Path) -> None:
    (case,) = raw(path)["eval_cases"]
    turns = case["conversation"]
    messages = load(path).messages
    assert [message.text for message in messages if message.role == "user"] == [
        turn["user_content"]["parts"][0]["text"] for turn in turns
    ]
    finals = [turn["final_response"]["parts"][0]["text"] for turn in turns]
    assert [message.text for message in messages if message.role == "assistant" and not message.tool_calls] == [
        text for text in finals if text is not None
    ]
    uses = [use for turn in turns for use in turn["intermediate_data"]["tool_uses"]]
    calls = [call for message in messages for call in message.tool_calls]
    assert [(call.name, call.args) for call in calls] == [(use["name"], use["args"]) for use in uses]
    assert len({call.id for call in calls}) == len(uses)  # the file has none
    assert len(pair(messages).unanswered) == len(uses)
    assert load(path).id == case["eval_id"]


def test_the_state_of_a_session_is_beside_the_messages() -> None:
    path = DATA / "initial.session.json"
    assert load(path).messages == ()
    assert load(path).extras["state"] == raw(path)["state"]


def test_what_a_compaction_stands_for_is_what_its_time_spans() -> None:
    conversation = parse(session(*talk(), compaction(4.5, 1.0, 3.0, "the user asked, it is 7")))
    *originals, last, frame = conversation.messages
    assert frame_kind(frame) == "summary"
    assert frame.text == "the user asked, it is 7"
    (span,) = conversation.folded
    assert span.originals == tuple(originals)
    assert last not in span.originals
    assert span.fingerprint == frame.fingerprint


def test_a_compaction_of_a_compaction_stands_for_its_frame() -> None:
    rows = [*talk(), compaction(4.5, 1.0, 4.0, "first"), event("user", 5.0, {"text": "and?"})]
    conversation = parse(session(*rows, compaction(6.0, 1.0, 5.0, "second")))
    first, second = conversation.folded
    assert second.message_count == first.message_count + 2
    assert second.frames == (first.fingerprint,)


def test_a_compaction_whose_events_are_gone_exempts_nothing() -> None:
    conversation = parse(session(compaction(4.5, 1.0, 3.0, "x"), event("user", 5.0, {"text": "and?"})))
    assert conversation.folded == ()
    assert conversation.messages[0].folded_exempt is None


def test_a_new_summary_is_a_compaction_between_its_neighbours() -> None:
    conversation = parse(session(*talk(), event("user", 9.0, {"text": "and?"})))
    frame = Message(role="user", content=SUMMARY, folded_exempt=("7",))
    document = written(conversation, [conversation.messages[0], frame, frame, *conversation.messages[4:]])
    first, second = (row["actions"]["compaction"] for row in document["events"][1:3])
    times = [first["startTimestamp"], first["endTimestamp"], second["startTimestamp"], second["endTimestamp"]]
    assert times == pytest.approx([1 + 8 / 3, 1 + 8 / 3, 1 + 16 / 3, 1 + 16 / 3])  # no event that stays is hidden
    assert first["compactedContent"] == {"role": "model", "parts": [{"text": SUMMARY}]}
    assert parse(document).messages[1] == frame


def test_where_two_events_share_a_time_a_summary_is_no_compaction_that_would_hide_them() -> None:
    at_once = [row | {"timestamp": 5.0} for row in (*talk(), event("user", 9.0, {"text": "and?"}))]
    conversation = parse(session(*at_once))
    frame = Message(role="user", content=SUMMARY, folded_exempt=("7",))
    window = [conversation.messages[0], frame, *conversation.messages[4:]]
    document = written(conversation, window)
    assert ["compaction" in row.get("actions", {}) for row in document["events"]] == [False, False, False]
    assert parse(document).messages == tuple(window)


def test_a_cleared_result_keeps_its_note_where_adk_takes_it() -> None:
    conversation = parse(session(*talk()))
    cleared = Message(
        role="tool",
        content="[foldproof cleared result] 1 character",
        tool_call_id="c1",
        tool_name="look",
        metadata={"foldproof": {"observations": ["x"]}},
    )
    window = [*conversation.messages[:2], cleared, *conversation.messages[3:]]
    row = written(conversation, window)["events"][2]
    assert row["content"]["parts"][0].keys() == {"functionResponse"}
    assert row["foldproof"].keys() == {"results"}


def test_a_partial_event_repeats_the_whole_one() -> None:
    part = event("helper", 3.5, {"text": "it"}, partial=True) | {"invocationId": "i4"}
    conversation = parse(session(*talk()[:3], part, talk()[3]))
    assert [message.text for message in conversation.messages][3:] == ["it is 7"]
    assert not conversation.damage


def test_a_partial_event_without_a_whole_one_is_reported() -> None:
    conversation = parse(session(*talk(), event("helper", 5.0, {"text": "it"}, partial=True)))
    assert [damage.path for damage in conversation.damage] == ["$.events[4]"]


def test_what_a_rewind_took_back_is_not_read_and_stays_in_the_file() -> None:
    rewind = event("user", 5.0, actions={"rewindBeforeInvocationId": "i2"})
    rows = [*talk(), rewind, event("user", 6.0, {"text": "again"})]
    conversation = parse(session(*rows))
    assert [message.text for message in conversation.messages] == ["go", "again"]
    assert written(conversation, [conversation.messages[1]])["events"] == rows[1:]


@pytest.mark.parametrize(
    "more",
    [
        {"name": "look", "errorCode": "INVOCATION_ABORTED"},
        {"name": "adk_request_confirmation"},
    ],
)
def test_the_frameworks_own_answers_are_no_observation(more: dict[str, str]) -> None:
    name = more["name"]
    answer = {"functionResponse": {"id": "c1", "name": name, "response": {"error": "aborted"}}}
    beside = {key: value for key, value in more.items() if key != "name"}
    rows = [
        event("helper", 1.0, {"functionCall": {"id": "c1", "name": name, "args": {}}}),
        event("helper", 2.0, answer, **beside),
    ]
    assert author_of(parse(session(*rows)).messages[1]) == "library"


def test_an_agents_text_in_the_role_of_the_user_is_no_persons() -> None:
    row = event("helper", 1.0, {"text": "x"})
    row["content"]["role"] = "user"
    assert author_of(parse(session(row)).messages[0]) == "app"


def test_a_pending_answer_and_the_final_one_answer_one_call() -> None:
    final = event("user", 6.0, {"functionResponse": {"id": "c1", "name": "look", "response": {"result": "8"}}})
    conversation = parse(session(*talk(), final))
    assert list(pair(conversation.messages).results.values()) == [(2, 4)]


def test_a_file_of_events_alone_is_one_session() -> None:
    assert len(parse(talk()).messages) == 4


def test_two_cases_are_two_conversations() -> None:
    case = raw(EVALS[0])["eval_cases"][0]
    text = json.dumps({"eval_set_id": "s", "eval_cases": [case, {**case, "eval_id": "2"}, 7]})
    first, second = read_text(text, name="f")
    assert [first.id, second.id] == [case["eval_id"], "2"]
    assert [damage.path for damage in first.damage] == ["line 1: $.eval_cases[2]"]
    out = io.StringIO()
    dump([first.replace(first.messages[3:]), second], out)
    changed = json.loads(out.getvalue())
    assert changed["eval_cases"][1:] == [{**case, "eval_id": "2"}, 7]
    assert changed["eval_cases"][0]["conversation"] == case["conversation"][1:]


def test_recorded_results_of_an_eval_set_answer_its_calls() -> None:
    between = {
        "toolUses": [{"id": "1", "name": "look", "args": {}}],
        "toolResponses": [{"id": "1", "name": "look", "response": {"result": "7"}}],
        "intermediateResponses": [["critic", [{"text": "hm"}]]],
    }
    turn = {
        "invocationId": "i",
        "userContent": {"role": "user", "parts": [{"text": "go"}]},
        "intermediateData": between,
        "finalResponse": {"role": "model", "parts": [{"text": "7"}]},
    }
    conversation = parse({"evalSetId": "s", "evalCases": [{"evalId": "e", "conversation": [turn]}]})
    assert [message.text for message in conversation.messages] == ["go", "", "7", "hm", "7"]
    assert conversation.messages[3].name == "critic"
    assert not pair(conversation.messages).unanswered


def test_turns_of_the_oldest_shape_are_one_conversation() -> None:
    use = {"tool_name": "roll", "tool_input": {"sides": 6}}
    turns = [{"query": "roll", "expected_tool_use": [use], "reference": "4"}, {"query": "bye", "reference": ""}]
    messages = parse(turns).messages
    assert [message.text for message in messages] == ["roll", "", "4", "bye"]
    assert messages[1].tool_calls[0].args == {"sides": 6}


@pytest.mark.parametrize(
    ("row", "path"),
    [
        ({"kind": "hologram"}, "$.events[1]"),
        (7, "$.events[1]"),
        (event("helper", 2.0) | {"content": "x"}, "$.events[1].content"),
        (event("helper", 2.0, {"hologramCall": {}}), "$.events[1].content.parts[0]"),
        (event("user", 2.0, actions={"compaction": {"compactedContent": 7}}), "$.events[1].actions.compaction"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(row: Json, path: str) -> None:
    conversation = parse(session(talk()[0], row, talk()[3]))
    assert [damage.path for damage in conversation.damage] == [path]
    assert [conversation.messages[0].text, conversation.messages[-1].text] == ["go", "it is 7"]


def test_events_in_another_order_and_events_that_are_gone_are_no_silent_loss() -> None:
    assert len(parse(session(*talk()[::-1])).messages) == 4
    less = parse(session(*talk()[:1], *talk()[2:]))
    assert len(less.messages) == 3
    assert len(pair(less.messages).orphans) == 1


def test_an_eval_set_without_a_case_is_an_error() -> None:
    with pytest.raises(TranscriptError, match="without a case"):
        parse({"eval_set_id": "s", "eval_cases": []})
