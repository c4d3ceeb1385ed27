"""Gemini CLI's sessions: what the files at hand hold, counted in their raw JSON, and what its log means."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.messages import Message, ThinkingPart, author_of, frame_kind, pair
from foldproof.transcripts import Conversation, detect, dump, load, parse, read_text
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "gemini_cli_session"
WHOLE = DATA / "agent-sessions_large.json"
LOG = DATA / "agent-sessions_jsonl_v040.jsonl"
HEADER = {"sessionId": "s", "projectHash": "h", "startTime": "t0"}
SNAPSHOT = "<state_snapshot>\n  <overall_goal>7</overall_goal>\n</state_snapshot>"


def written(conversation: Conversation, window: list[Message]) -> list[Any]:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def user(identifier: str, *parts: Json) -> dict[str, Any]:
    content = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"id": identifier, "timestamp": f"t-{identifier}", "type": "user", "content": content}


def reply(identifier: str, text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    beside = {"toolCalls": list(calls)} if calls else {}
    return {"id": identifier, "timestamp": f"t-{identifier}", "type": "gemini", "content": text, **beside}


def ran(identifier: str, output: Json, status: str = "success") -> dict[str, Any]:
    result = None if output is None else [response(identifier, output)]
    return {"id": identifier, "name": "look", "args": {}, "status": status, "result": result}


def response(identifier: str, output: Json) -> dict[str, Any]:
    said = output if isinstance(output, dict) else {"output": output}
    return {"functionResponse": {"id": identifier, "name": "look", "response": said}}


@pytest.mark.parametrize("path", [WHOLE, LOG], ids=lambda path: path.suffix)
def test_every_row_of_a_file_is_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    log = path == LOG
    rows = [json.loads(line) for line in text.splitlines()] if log else json.loads(text)["messages"]
    spoken = [row for row in rows if row.get("type") in ("user", "gemini", "model")]
    messages = load(path).messages
    assert [message.id for message in messages if message.role != "tool"] == [row["id"] for row in spoken]
    records = [call for row in spoken for call in row.get("toolCalls", [])]
    results = [message for message in messages if message.role == "tool"]
    assert [message.tool_call_id for message in results] == [record["id"] for record in records]
    assert [message.text for message in results] == [
        record["result"][0]["functionResponse"]["response"]["output"] for record in records
    ]
    assert not pair(messages).unanswered
    assert not load(path).damage


def test_the_header_of_a_log_is_beside_the_messages() -> None:
    conversation = load(LOG)
    assert conversation.id == "gemini_stage0_jsonl"
    assert conversation.extras["kind"] == "main"
    assert conversation.extras["lastUpdated"] == "2026-04-29T21:39:33.156Z"  # as the last row that sets it says


def test_a_notice_is_no_message_and_stays_where_it_is() -> None:
    rows = json.loads(WHOLE.read_text(encoding="utf-8"))["messages"]
    conversation = load(WHOLE)
    out = io.StringIO()
    dump(conversation.replace(conversation.messages[5:]), out)
    assert json.loads(out.getvalue())["messages"] == rows[3:]
    assert rows[3]["type"] == "info"


def test_a_thought_keeps_its_subject() -> None:
    row = reply("1", "hi") | {"thoughts": [{"subject": "Plan", "description": "look first", "timestamp": "t"}]}
    (message,) = parse([HEADER, row]).messages
    thought = message.content[0]
    assert isinstance(thought, ThinkingPart)
    assert thought.text == "**Plan** look first"


def test_a_reply_whose_content_holds_its_calls_is_read_once() -> None:
    call = {"functionCall": {"id": "c", "name": "look", "args": {}}, "thoughtSignature": "x"}
    row = reply("1", "", ran("c", "7")) | {"content": [{"text": "hm", "thought": True}, call], "thoughts": [{}]}
    messages = parse([HEADER, row, user("2", response("c", "7"))]).messages
    assert [message.role for message in messages] == ["assistant", "tool"]
    assert [call.provider_meta for call in messages[0].tool_calls] == [{"google": {"thoughtSignature": "x"}}]


@pytest.mark.parametrize(
    ("call", "failed", "author"),
    [
        (ran("c", "7"), None, "tool"),
        (ran("c", "no", "error"), True, "tool"),
        (ran("c", {"error": "[Operation Cancelled] Reason: no"}, "cancelled"), True, "library"),
        (ran("c", "half of it", "cancelled"), True, "library"),
    ],
)
def test_how_a_call_ended(call: dict[str, Any], failed: bool | None, author: str) -> None:  # noqa: FBT001 - expected
    messages = parse([HEADER, reply("1", "", call)]).messages
    assert (messages[1].is_error, author_of(messages[1])) == (failed, author)


def test_a_call_without_a_result_is_unanswered() -> None:
    messages = parse([HEADER, reply("1", "", ran("c", None, "executing"))]).messages
    assert len(pair(messages).unanswered) == 1


@pytest.mark.parametrize("result", ["7", {"functionResponse": {"response": {"output": "7"}}}, [{"text": "7"}]])
def test_a_result_in_each_of_its_shapes(result: Json) -> None:
    messages = parse([HEADER, reply("1", "", ran("c", "x") | {"result": result})]).messages
    assert (messages[1].text, messages[1].tool_call_id) == ("7", "c")


def test_results_of_the_whole_reply_under_every_call_are_told_apart() -> None:
    both = [response("a", "1"), {"inlineData": {"mimeType": "image/png", "data": "AA=="}}, response("b", "2")]
    row = reply("1", "", ran("a", "x") | {"result": both}, ran("b", "x") | {"result": both})
    messages = parse([HEADER, row]).messages
    assert [(message.tool_call_id, message.text) for message in messages[1:]] == [("a", "1"), ("b", "2")]


def test_what_the_app_puts_into_a_user_row_is_a_message_of_its_own() -> None:
    files = ["\n--- Content from referenced files ---", "\nContent from @a.txt:\n", "7", "\n--- End of content ---"]
    rows = [HEADER, user("1", "read it", *files, "<hook_context>x</hook_context>"), user("2", "<session_context>x")]
    conversation = parse(rows)
    assert [author_of(message) for message in conversation.messages] == ["person", "app", "app"]
    assert conversation.messages[0].text == "read it"
    assert written(conversation, [conversation.messages[0]])[1]["content"] == [{"text": "read it"}]


def test_what_a_command_of_the_persons_printed_is_the_apps() -> None:
    ran_it = (
        "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\n447123\n```"
    )
    messages = parse([HEADER, user("1", ran_it), user("2", "what is it?"), reply("3", "447123")]).messages
    assert [author_of(message) for message in messages] == ["app", "person", "model"]


def test_the_latest_version_of_a_row_counts_at_its_first_place() -> None:
    rows = [HEADER, user("1", "go"), reply("2", "7"), reply("2", "7", ran("c", "x")), user("3", "and?")]
    conversation = parse(rows)
    assert [message.role for message in conversation.messages] == ["user", "assistant", "tool", "user"]
    assert written(conversation, list(conversation.messages[:3])) == [rows[0], rows[1], rows[3]]


def test_what_was_taken_back_is_not_read_and_stays_in_the_file() -> None:
    rows = [HEADER, user("1", "go"), reply("2", "7"), {"$rewindTo": "2"}, reply("3", "8"), user("4", "and?")]
    conversation = parse(rows)
    assert [message.text for message in conversation.messages] == ["go", "8", "and?"]
    assert written(conversation, list(conversation.messages[:2])) == rows[:5]


def test_a_rewind_to_no_row_takes_nothing_back_and_is_reported() -> None:
    conversation = parse([HEADER, user("1", "go"), {"$rewindTo": "x"}])
    assert len(conversation.messages) == 1
    assert [damage.path for damage in conversation.damage] == ["$[2].$rewindTo"]


def compacted() -> list[Any]:
    """A compaction as the app logs it: the summary, its acknowledgement, copies of what was kept, all stated anew."""
    kept = [user("k1", "and?"), reply("k2", "it is 7")]
    new = [user("s", SNAPSHOT), reply("a", "Got it. Thanks for the additional context!"), *kept]
    ahead = [user("1", "go"), reply("2", "", ran("c", "7")), user("3", "and?"), reply("4", "it is 7")]
    return [HEADER, *ahead, *new, {"$set": {"messages": new, "lastUpdated": "t9"}}, user("5", "thanks")]


def test_a_compaction_stands_for_what_was_not_kept() -> None:
    conversation = parse(compacted())
    texts = [message.text for message in conversation.messages]
    ack = "Got it. Thanks for the additional context!"
    assert texts == ["go", "", "7", "and?", "it is 7", SNAPSHOT, ack, "thanks"]
    (span,) = conversation.folded
    assert span.originals == conversation.messages[:3]
    assert frame_kind(conversation.messages[5]) == "summary"
    assert span.fingerprint == conversation.messages[5].fingerprint
    assert conversation.extras["lastUpdated"] == "t9"


def test_a_changed_window_of_a_compacted_log_brings_nothing_back() -> None:
    conversation = parse(compacted())
    rows = written(conversation, list(conversation.messages[5:]))
    assert [row.get("id") for row in rows] == [None, "s", "a", None, "5"]
    assert rows[3] == {"$set": {"lastUpdated": "t9"}}


def test_a_restated_row_that_stands_nowhere_else_is_read() -> None:
    rows = [HEADER, user("1", "go"), {"$set": {"messages": [user("1", "go"), user("x", "hm")]}}]
    assert [message.text for message in parse(rows).messages] == ["go", "hm"]


def test_a_new_summary_is_a_user_row_at_the_time_of_the_row_ahead() -> None:
    conversation = parse([HEADER, user("1", "go"), reply("2", "7"), user("3", "and?")])
    frame = Message(role="user", content="[foldproof summary frame] x", folded_exempt=("7",))
    rows = written(conversation, [conversation.messages[0], frame, conversation.messages[2]])
    assert (rows[2]["type"], rows[2]["timestamp"]) == ("user", "t-1")
    assert rows[2]["content"] == [{"text": frame.text}]


@pytest.mark.parametrize(
    ("row", "path"),
    [
        ({"id": "2", "type": "hologram", "content": "x"}, "$[2]"),
        (7, "$[2]"),
        ({"note": 1}, "$[2]"),
        ({"id": "2", "type": "user", "content": 7}, "$[2].content"),
        (reply("2", "x") | {"toolCalls": [{"args": {}}]}, "$[2].toolCalls[0]"),
        ({"$set": {"messages": [7]}}, "$[2].$set.messages[0]"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(row: Json, path: str) -> None:
    conversation = parse([HEADER, user("1", "a"), row, reply("3", "b")])
    assert [damage.path for damage in conversation.damage] == [path]
    assert [conversation.messages[0].text, conversation.messages[-1].text] == ["a", "b"]


def test_a_cut_line_is_reported_and_the_others_are_read() -> None:
    text = LOG.read_text(encoding="utf-8")
    (conversation,) = read_text(text[: text.rindex("Hello!")], name="f")
    assert len(conversation.messages) == 3
    assert [damage.path for damage in conversation.damage] == ["line 5"]


def test_an_axle_session_is_another_format() -> None:
    assert detect({"sessionId": "s", "messages": [{"role": "user", "content": "x"}]}) == "axle"
