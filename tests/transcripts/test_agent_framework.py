"""Sessions, threads and histories of Microsoft Agent Framework."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tests.transcripts.shapes_agent_frameworks import (
    agent_framework_compacted,
    agent_framework_rows,
    agent_framework_session,
    agent_framework_thread,
)
from tests.transcripts.talk import TALK, Said

from foldproof.errors import TranscriptError
from foldproof.messages import OPENINGS, Message, author_of, calls_of, frame_kind, pair
from foldproof.transcripts import Conversation, detect, dump, parse, read_text
from foldproof.transcripts.json_text import Json


def row(role: Json, *contents: Json, **more: Json) -> dict[str, Any]:
    return {"type": "message", "role": role, "contents": list(contents), **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def result(call: str, words: Json, **more: Json) -> dict[str, Any]:
    return {"type": "function_result", "call_id": call, "result": words, **more}


def call(identifier: str, name: str = "search", arguments: Json = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": identifier, "name": name, "arguments": arguments}


def written(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


def fields(message: Message) -> dict[str, Any]:
    return message.model_dump(by_alias=True)


def test_a_session_a_thread_and_a_history_file_say_the_same() -> None:
    session, thread = parse(agent_framework_session(TALK)), parse(agent_framework_thread(TALK))
    lines = "\n".join(map(json.dumps, agent_framework_rows(TALK)))
    (history,) = read_text(lines, name="session-1.jsonl")
    assert session.format == thread.format == history.format == "agent_framework"
    assert session.messages == thread.messages == history.messages
    assert (session.id, thread.extras["service_thread_id"]) == ("s1", None)
    assert [message.role for message in session.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "assistant",
    ]


def test_a_session_with_two_histories_holds_two_conversations() -> None:
    raw = agent_framework_session(TALK)
    raw["state"]["memory"] = {"messages": [row("user", text("remembered"))]}
    first, second = read_text(json.dumps(raw), name="s.json")
    assert (first.id, second.id) == ("s1/in_memory", "s1/memory")
    assert [message.text for message in second.messages] == ["remembered"]


def test_a_session_whose_service_keeps_the_messages_has_none() -> None:
    raw = {"type": "session", "session_id": "s", "service_session_id": "conv_1", "state": {}}
    conversation = parse(raw)
    assert (conversation.messages, conversation.extras["service_session_id"]) == ((), "conv_1")
    with pytest.raises(TranscriptError, match="keeps its messages elsewhere"):
        written(conversation.replace([Message(role="user", content=f"{OPENINGS['drop-notice']} x")]))


def test_reasoning_and_the_text_around_a_call_are_one_message() -> None:
    reasoning = {"type": "text_reasoning", "id": "r1", "text": "hm", "protected_data": "x"}
    (message,) = parse([row("assistant", reasoning, text("let me"), call("c1", arguments={"q": 1}))]).messages
    assert fields(message)["content"] == (
        {"type": "thinking", "id": "r1", "text": "hm", "continuity": {"protected_data": "x"}},
        {"type": "text", "text": "let me"},
    )
    assert [(one.id, one.name, one.args) for one in calls_of(message)] == [("c1", "search", {"q": 1})]


def test_a_tool_of_the_providers_is_one_part_with_its_result() -> None:
    asked = {"type": "mcp_server_tool_call", "call_id": "m1", "tool_name": "docs", "arguments": '{"q": 1}'}
    answered = {"type": "mcp_server_tool_result", "call_id": "m1", "output": [text("found 7")]}
    (message,) = parse([row("assistant", asked, answered, text("it is 7"))]).messages
    tool = {"type": "provider-tool", "id": "m1", "name": "docs", "input": {"q": 1}, "result": [text("found 7")]}
    assert fields(message)["content"] == (tool, {"type": "text", "text": "it is 7"})


def test_what_a_tool_said_is_its_own_words() -> None:
    rows = [
        row("assistant", call("c1"), call("c2"), call("c3"), call("c4")),
        row(
            "tool",
            result("c1", "found 7", items=[text("found 7")]),
            result("c2", {"naïve": 1}),
            result("c3", "found", items=[text("found"), {"type": "data", "uri": "data:image/png;base64,AA=="}]),
            result("c4", None),
        ),
    ]
    _, plain, data, rich, nothing = parse(rows).messages
    assert (plain.content, data.content, nothing.content) == ("found 7", '{"naïve": 1}', "")
    assert fields(rich)["content"] == (text("found"), {"type": "data", "uri": "data:image/png;base64,AA=="})


@pytest.mark.parametrize(
    ("words", "author"),
    [
        ("Error: Function failed.", "tool"),
        ('Error: Requested function "find" not found.', "library"),
        ("Error: Tool call invocation was rejected by user.", "library"),
        ("Error: Argument parsing failed.", "library"),
    ],
)
def test_a_call_that_never_ran_is_no_observation(words: str, author: str) -> None:
    _, message = parse([row("assistant", call("c1")), row("tool", result("c1", words, exception="x"))]).messages
    assert author_of(message) == author
    assert message.is_error is True


def test_what_a_context_provider_adds_is_the_apps() -> None:
    def added(kind: str) -> Json:
        return {"_attribution": {"source_id": "memory", "source_type": kind}}

    rows = [
        row("user", text("hello"), author_name="ada"),
        row("user", text("recalled"), additional_properties=added("MemoryProvider")),
        row("user", text("said before"), additional_properties=added("InMemoryHistoryProvider")),
        row("developer", text("be brief")),
    ]
    messages = parse(rows).messages
    assert [author_of(message) for message in messages] == ["person", "app", "person", "app"]
    assert (messages[0].name, messages[1].injected_by, messages[3].role) == ("ada", "memory", "system")


def test_a_summary_stands_behind_the_messages_it_stands_for() -> None:
    turns = [*TALK, Said("user", "more?")]
    conversation = parse(agent_framework_compacted(turns))
    plain = parse(agent_framework_rows(turns)).messages
    at = next(index for index, message in enumerate(conversation.messages) if frame_kind(message))
    assert conversation.messages[:at] + conversation.messages[at + 1 :] == plain
    (span,) = conversation.folded
    assert span.originals == plain[1:at]
    assert conversation.messages[at].text == "what was said"
    assert conversation.extras["excluded"] == sum(
        row["additional_properties"].get("_excluded") is True for row in agent_framework_compacted(turns)["messages"]
    )


def test_summaries_of_summaries_come_behind_what_they_stand_for() -> None:
    def summary(identifier: str, ids: list[str], **group: str) -> Json:
        kept = {"_group": {"_summary_of_message_ids": ids, "_summary_of_group_ids": [], **group}}
        return row("assistant", text(identifier), message_id=identifier, additional_properties=kept)

    rows = [
        summary("outer", ["m1", "inner"]),
        row("user", text("one"), message_id="m1"),
        summary("inner", ["m2", "m3"], _summarized_by_summary_id="outer"),
        row("assistant", call("c1"), message_id="m2"),
        row("tool", result("c1", "found 7"), message_id="m3"),
        row("user", text("two"), message_id="m4"),
    ]
    conversation = parse(rows)
    assert [message.text for message in conversation.messages] == ["one", "", "found 7", "inner", "outer", "two"]
    assert [len(span.originals or ()) for span in conversation.folded] == [2, 2]  # m1 and the frame of the inner
    window = conversation.messages[3:]  # without the originals of the inner one
    assert parse(written(conversation.replace(window))).messages == window


def test_no_summary_stands_between_a_call_and_its_results() -> None:
    kept = {"_group": {"_summary_of_message_ids": ["m1"], "_summary_of_group_ids": []}}
    rows = [
        row("assistant", text("gist"), additional_properties=kept),
        row("assistant", call("c1"), call("c2"), message_id="m1"),
        row("tool", result("c1", "one")),
        row("tool", result("c2", "two")),
        row("user", text("go on")),
    ]
    assert [message.text for message in parse(rows).messages] == ["", "one", "two", "gist", "go on"]


def test_a_summary_whose_originals_are_gone_says_so() -> None:
    kept = {"_group": {"_summary_of_message_ids": ["m1"], "_summary_of_group_ids": []}}
    conversation = parse([row("assistant", text("gist"), additional_properties=kept), row("user", text("go on"))])
    frame = conversation.messages[0]
    assert (frame_kind(frame), frame.folded_exempt, conversation.folded) == ("summary", None, ())


def test_a_new_summary_is_marked_as_the_framework_marks_its_own() -> None:
    conversation = parse(agent_framework_session(TALK))
    frame = Message(role="user", content=f"{OPENINGS['summary']} gist", folded_exempt=("7",))
    window = (conversation.messages[0], frame, *conversation.messages[5:])
    raw = written(conversation.replace(window))
    made = raw["state"]["in_memory"]["messages"][1]
    assert made["additional_properties"]["_group"]["_summary_of_message_ids"] == ["m1", "m2"]  # results have no ids
    assert parse(raw).messages == window
    raw["state"]["in_memory"]["messages"][1] = json.loads(json.dumps(made)) | {"author_name": "x"}
    assert parse(raw).messages[1].folded_exempt == ("7",)


def test_new_rows_of_a_beta_are_spelled_as_the_beta_does() -> None:
    conversation = parse(agent_framework_thread(TALK))
    frame = Message(role="user", content=f"{OPENINGS['drop-notice']} x")
    raw = written(conversation.replace([conversation.messages[0], frame]))
    made = raw["chat_message_store_state"]["messages"][1]
    assert (made["type"], made["role"]) == ("chat_message", {"type": "role", "value": "user"})


@pytest.mark.parametrize(
    ("odd", "place", "cause"),
    [
        (7, "[1]", "expected an object; found int"),
        (row("narrator", text("x")), "[1].role", "unknown role 'narrator'"),
        (row({"value": 7}, text("x")), "[1].role", "unknown role 7"),
        (row("user", 7), "[1].contents[0]", "expected a content with a type; found 7"),
        (row("user", {"type": "text", "text": 7}), "[1].contents[0]", "expected a text"),
        (row("assistant", {"type": "function_call", "call_id": "c"}), "[1].contents[0]", "expected a call with a name"),
        (row("tool", text("found 7")), "[1].contents", "expected results of calls"),
        (row("tool"), "[1].contents", "expected results of calls"),
        ({"type": "message", "role": "user", "contents": "x"}, "[1].contents", "expected a list; found 'x'"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_place(odd: Json, place: str, cause: str) -> None:
    conversation = parse([row("user", text("hello")), odd])
    ((path, found, _),) = conversation.damage
    assert (path, found.startswith(cause)) == (f"${place}", True), found
    assert conversation.messages[0].text == "hello"


def test_a_string_among_the_contents_and_a_text_of_none_are_texts() -> None:
    conversation = parse([row("user", "hello", "there"), row("assistant", {"type": "text", "text": None})])
    assert (conversation.format, conversation.damage) == ("agent_framework", ())
    assert [message.text for message in conversation.messages] == ["hello\nthere", ""]


def test_a_result_without_an_id_answers_the_next_call() -> None:
    rows = [row("assistant", call("c1"), call("c2")), row("tool", result("", "one")), row("tool", result("c2", "two"))]
    messages = parse(rows).messages
    assert not pair(messages).orphans
    assert not pair(messages).unanswered


def test_contents_of_gemini_are_not_its_messages() -> None:
    with pytest.raises(TranscriptError, match="not agent_framework"):
        parse({"contents": [{"role": "user", "parts": [{"text": "x"}]}]}, format="agent_framework")
    assert detect(agent_framework_rows(TALK)) == "agent_framework"
