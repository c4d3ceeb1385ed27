"""What each format means, beyond what the laws and the real files show."""

from __future__ import annotations

import io
import json

import pytest

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import FilePart, Message, OpaquePart, TextPart, author_of, calls_of, frame_kind, pair, tool_text
from foldproof.transcripts import Conversation, detect, dump, parse, read_text
from foldproof.transcripts.json_text import Json

FRAME = Message(
    role="user",
    content="[foldproof summary frame] the past",
    folded_exempt=("MCO", "$5"),
    metadata={"axleCompaction": {"id": "k", "role": "summary"}},
)


def written(conversation: Conversation) -> str:
    out = io.StringIO()
    dump(conversation, out)
    return out.getvalue()


# openai_chat


def test_openai_content_may_be_null_missing_text_or_parts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:…"}}
    conversation = parse(
        [
            {"role": "developer", "content": "be brief"},
            {
                "role": "user",
                "content": ["a", {"type": "text", "text": "b"}, image, {"type": "file", "file": {"id": 1}}],
            },
            {"role": "assistant", "content": None, "refusal": "no"},
            {"role": "assistant"},
        ]
    )
    system, user, refused, empty = conversation.messages
    assert author_of(system) == "app"
    assert user.text == "a\nb"
    assert [type(part) for part in user.content] == [TextPart, TextPart, OpaquePart, OpaquePart]
    assert (refused.content, refused.model_extra, empty.content) == ("", {"refusal": "no"}, "")


def test_openai_arguments_are_parsed_where_they_are_json() -> None:
    def call(arguments: Json) -> Json:
        return {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}

    texts = ['{"a": [1]}', "", '{"a": ', "7", "9" * 5000, {"a": 1}]
    conversation = parse([{"role": "assistant", "tool_calls": [call(text) for text in texts]}])
    assert [found.args for found in conversation.messages[0].tool_calls] == [
        {"a": [1]}, "", '{"a": ', 7, "9" * 5000, {"a": 1},
    ]  # fmt: skip


def test_openai_legacy_calls_pair_by_order() -> None:
    rows = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
    ]
    conversation = parse([*rows, *rows, {"role": "function", "name": "g", "content": "2"}])
    pairing = pair(conversation.messages)
    assert [call.message for _, call in sorted(pairing.call_of.items())] == [0, 2]
    assert pairing.orphans == (4,)
    assert conversation.messages[1].tool_name == "f"


def test_openai_a_frame_carries_our_fields_on_its_row() -> None:
    conversation = parse({"messages": [{"role": "user", "content": "x"}], "model": "m"})
    row = json.loads(written(conversation.replace([FRAME])))["messages"][0]
    assert row["role"] == "user"
    assert row["foldedExempt"] == ["MCO", "$5"]
    assert row["metadata"] == FRAME.metadata
    delivered = parse([{"role": "user", "content": "x", "injectedBy": {"flavor": "rag"}, "ephemeral": True}])
    assert author_of(delivered.messages[0]) == "app"


def test_openai_a_response_that_is_no_longer_last_moves_into_the_request() -> None:
    answer = {"role": "assistant", "content": "a", "audio": None}
    raw = {"request": {"messages": [{"role": "user", "content": "q"}]}, "response": {"choices": [{"message": answer}]}}
    conversation = parse(raw)
    after = json.loads(written(conversation.replace([*conversation.messages, FRAME])))
    assert after["request"]["messages"][1] == answer
    assert after["response"]["choices"] == []


def test_openai_a_stream_as_response_is_left_alone() -> None:
    conversation = parse({"request": {"messages": [{"role": "user", "content": "q"}]}, "response": "data: {}"})
    assert len(conversation.messages) == 1
    assert json.loads(written(conversation.replace([FRAME])))["response"] == "data: {}"


def test_openai_one_message_a_line_is_one_conversation() -> None:
    data = b'{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n'
    (conversation,) = read_text(data, name="in")
    assert [message.text for message in conversation.messages] == ["a", "b"]
    after = written(conversation.replace([FRAME, conversation.messages[1]]))
    assert after.endswith('{"role":"assistant","content":"b"}\n')
    assert next(read_text(after, name="in")).messages == (FRAME, conversation.messages[1])


@pytest.mark.parametrize("kind", ["tool_use", "tool_result", "thinking"])
def test_openai_does_not_take_messages_of_the_anthropic_api(kind: str) -> None:
    with pytest.raises(TranscriptError, match="no known format"):
        detect({"messages": [{"role": "user", "content": [{"type": kind}]}]})


def test_openai_text_that_opens_like_a_message_stays_one_message() -> None:
    conversation = parse({"messages_display": "user: a\nassistant: None\ntool: 1\ntool: 1\nassistant: b"})
    assert len(calls_of(conversation.messages[1])) == 2
    assert not pair(conversation.messages).orphans
    sly = FRAME.model_copy(update={"content": "[foldproof summary frame]\nuser: not me"})
    after = json.loads(written(conversation.replace([sly, conversation.messages[4]])))
    assert parse(after).messages == (sly, conversation.messages[4])


# agentfootprint


def checkpoint(*history: Json) -> Json:
    return {"format": "conversation-v1", "data": {"version": 1, "runId": "r", "history": list(history)}, "savedAt": 1}


@pytest.mark.parametrize(
    ("units", "text"),
    [(3, "a\U0001f389"), (1, "a"), (2, "a\U0001f389b note"), (99, "a\U0001f389b note"), (True, "a\U0001f389b note")],
)
def test_agentfootprint_the_cut_counts_utf16_units(units: Json, text: str) -> None:
    row = {"role": "tool", "content": "a\U0001f389b note", "toolCallId": "c", "toolName": "t", "toolChars": units}
    conversation = parse(checkpoint(row))
    assert tool_text(conversation.messages[0]) == text
    copy = Message.model_validate(conversation.messages[0].model_dump() | {"name": "new"})
    after = json.loads(written(conversation.replace([copy])))
    assert after["data"]["history"][0]["toolChars"] == units


def test_agentfootprint_a_frame_of_an_older_version_is_nobodys_words() -> None:
    conversation = parse(
        checkpoint(
            {"role": "user", "content": "[compacted history — 4 earlier message(s) were folded …"},
            {"role": "user", "content": "[dropped history — 2 earlier message(s) were dropped …"},
            {"role": "user", "content": "compacted history is fine"},
        )
    )
    assert [author_of(message) for message in conversation.messages] == ["library", "library", "person"]


@pytest.mark.parametrize("name", ["flowchart-v1", "conversation-v2"])
def test_agentfootprint_refuses_other_formats_by_name(name: str) -> None:
    with pytest.raises(TranscriptError, match=name):
        parse({"format": name, "data": {}, "savedAt": 1})
    with pytest.raises(TranscriptError, match=r"\$\.data\.version: the version is 2"):
        parse({"format": "conversation-v1", "data": {"version": 2, "history": []}})


@pytest.mark.parametrize("data", [[[1]], {}, {"history": "x"}, None])
def test_an_envelope_of_another_name_is_agentfootprints_only_with_a_history(data: Json) -> None:
    with pytest.raises(TranscriptError) as raised:
        parse({"format": "csv", "data": data})
    assert "$.format" not in str(raised.value)  # which says that agentfootprint took it for its own
    with pytest.raises(TranscriptError, match="the format is 'csv'"):
        parse({"format": "csv", "data": {"history": []}})


def test_agentfootprint_an_answer_that_history_holds_is_not_said_twice() -> None:
    history = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    state = {"history": history, "llmLatestContent": "a", "systemPromptInjections": []}
    assert len(parse({"runId": "r", "finalState": state}).messages) == 2


# axle


def axle_session() -> Json:
    file = {"kind": "text", "mimeType": "text/csv", "name": "t.csv", "source": {"type": "text", "content": "1;2"}}
    call = {"type": "tool-call", "id": "c1", "name": "search", "parameters": {"q": "x"}}
    return {
        "sessionId": "s1",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "file", "file": file}]},
            {
                "role": "assistant",
                "id": "a1",
                "model": "m",
                "content": [{"type": "thinking", "text": "hm"}, call, call | {"id": "c2"}],
                "finishReason": "function-call",
            },
            {
                "role": "tool",
                "id": "t1",
                "content": [
                    {"id": "c1", "name": "search", "content": [{"type": "text", "text": "found 7"}]},
                    {"id": "c2", "name": "search", "content": "nothing", "isError": True},
                ],
            },
            {"role": "user", "content": "old", "metadata": {"axleCompaction": {"id": "k", "role": "appendix"}}},
        ],
    }


def test_axle_one_tool_message_holds_many_results() -> None:
    conversation = parse(axle_session())
    user, assistant, first, second, frame = conversation.messages
    assert isinstance(user.content[1], FilePart)
    assert [call.id for call in calls_of(assistant)] == ["c1", "c2"]
    assert [(result.tool_call_id, result.id, result.text) for result in (first, second)] == [
        ("c1", "t1", "found 7"), ("c2", "t1", "nothing"),
    ]  # fmt: skip
    assert second.is_error is True
    assert author_of(frame) == "library"
    assert conversation.id == "s1"


def test_axle_one_cleared_result_leaves_the_other_as_it_was() -> None:
    raw = axle_session()
    conversation = parse({"definition": {"name": "n"}, "session": raw})
    cleared = Message(role="tool", content="[foldproof cleared result]", tool_call_id="c1", tool_name="search")
    window = [*conversation.messages[:2], cleared, *conversation.messages[3:]]
    after = json.loads(written(conversation.replace(window)))["session"]["messages"]
    assert after[2]["content"][1] == raw["messages"][2]["content"][1]
    assert after[2]["content"][0]["content"] == "[foldproof cleared result]"


# claude_code


def row(kind: str, uuid: str, parent: str | None, content: Json, **more: Json) -> Json:
    message: Json = {"role": kind, "content": content}
    if "message_id" in more:
        message["id"] = more.pop("message_id")
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message} | more


def use(identifier: str) -> Json:
    return {"type": "tool_use", "id": identifier, "name": "Read", "input": {}}


def result(identifier: str) -> Json:
    return {"type": "tool_result", "tool_use_id": identifier, "content": f"of {identifier}"}


def texts(rows: list[Json]) -> list[str]:
    return [message.text for message in parse(rows).messages]


def test_claude_code_the_branch_of_the_last_row_is_the_conversation() -> None:
    rows = [
        row("user", "u1", None, "first"),
        row("user", "u2", "u1", "a mistake"),
        row("assistant", "a2", "u2", "wrong"),
        row("user", "u3", "u1", "edited"),
    ]
    assert texts(rows) == ["first", "edited"]
    conversation = parse(rows)
    after = written(conversation.replace([conversation.messages[1]]))
    assert "a mistake" in after
    assert next(read_text(after, name="in")).messages == (conversation.messages[1],)


def test_claude_code_parallel_calls_fork_the_graph() -> None:
    rows = [
        row("user", "u", None, "q"),
        row("assistant", "a1", "u", [use("t1")], message_id="m"),
        row("assistant", "a2", "a1", [use("t2")], message_id="m"),
        row("user", "r1", "a1", [result("t1")]),
        row("user", "r2", "a2", [result("t2")]),
        row("assistant", "a3", "r1", "done", message_id="n"),
    ]
    conversation = parse(rows)
    assert [message.role for message in conversation.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert not pair(conversation.messages).unanswered
    window = (FRAME, conversation.messages[4])
    assert next(read_text(written(conversation.replace(window)), name="in")).messages == window


def test_claude_code_reads_the_whole_ledger_over_a_compaction() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
        "logicalParentUuid": "a1",
    }
    rows = [
        row("user", "u1", None, "before"),
        row("assistant", "a1", "u1", "answer"),
        boundary,
        row("user", "u2", "b", "This session is being continued", isCompactSummary=True),
        row("user", "u3", "u2", "after"),
    ]
    conversation = parse(rows)
    assert [author_of(message) for message in conversation.messages] == ["person", "model", "library", "person"]


@pytest.mark.parametrize("parent", ["u2", "nowhere"])
def test_claude_code_a_parent_that_leads_nowhere(parent: str) -> None:
    rows = [row("user", "u1", None, "a"), row("user", "u2", parent, "b"), row("user", "u3", "u2", "c")]
    assert texts(rows) == ["a", "b", "c"]


def test_claude_code_two_rows_that_are_each_others_parent() -> None:
    rows = [row("user", "u1", "u2", "a"), row("user", "u2", "u1", "b")]
    assert texts(rows) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "more", "author"),
    [
        ("hello", {}, "person"),
        ("hello", {"isMeta": True}, "app"),
        ("hello", {"isSidechain": True}, "app"),
        ("hello", {"origin": {"kind": "human"}}, "person"),
        ("hello", {"origin": {"kind": "task-notification"}}, "app"),
        ("<command-name>/init</command-name>", {}, "app"),
        ("<local-command-stdout>x</local-command-stdout>", {}, "app"),
        ("<bash-stdout>x</bash-stdout>", {}, "app"),
        ([{"type": "text", "text": "<system-reminder>x</system-reminder>"}], {}, "app"),
        ("[Request interrupted by user]", {}, "app"),
        ("I saw <system-reminder> in my log", {}, "person"),
    ],
)
def test_claude_code_who_wrote_a_user_row(content: Json, more: Json, author: str) -> None:
    assert [author_of(message) for message in parse([row("user", "u", None, content, **more)]).messages] == [author]


def test_claude_code_a_reminder_beside_a_persons_words_is_its_own_message() -> None:
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    words = {"type": "text", "text": "hello"}
    conversation = parse([row("user", "u", None, [reminder, words, {"type": "image", "source": {}}])])
    assert [author_of(message) for message in conversation.messages] == ["app", "person"]


def test_claude_code_a_frame_takes_the_place_of_what_it_stands_for() -> None:
    rows = [
        row("user", "u1", None, "a", cwd="/w", version="2", timestamp="t1"),
        row("assistant", "a1", "u1", "b", timestamp="t2"),
        {"type": "progress", "n": 1.5},
        row("user", "u2", "a1", "c"),
    ]
    conversation = parse(rows)
    lines = written(conversation.replace([FRAME, conversation.messages[2]])).splitlines()
    boundary, frame, progress, kept = map(json.loads, lines)
    assert (boundary["type"], boundary["subtype"], boundary["parentUuid"]) == ("system", "compact_boundary", None)
    assert boundary["compactMetadata"] == {"trigger": "manual", "preTokens": 0}
    assert (frame["uuid"], frame["timestamp"], frame["sessionId"]) == ("a1", "t2", "s")
    assert frame["parentUuid"] == boundary["uuid"]
    assert frame["isCompactSummary"] is True
    assert frame["message"] == {"role": "user", "content": FRAME.content}
    assert [progress, kept] == rows[2:]
    again = parse([boundary, frame, progress, kept]).messages
    assert again[0].folded_exempt == ("MCO", "$5")
    assert frame_kind(again[0]) == "summary"


def test_claude_code_only_the_blocks_that_left_go() -> None:
    rows = [
        row("assistant", "a1", None, [use("t1"), use("t2")], message_id="m"),
        row(
            "user",
            "r",
            "a1",
            [result("t1"), result("t2"), {"type": "text", "text": "and now"}],
            toolUseResult={"n": 1.0},
        ),
    ]
    conversation = parse(rows)
    (line,) = written(conversation.replace([conversation.messages[3]])).splitlines()
    assert json.loads(line)["message"]["content"] == [{"type": "text", "text": "and now"}]


def test_claude_code_edits_of_a_sub_agent_leave_the_main_thread_alone() -> None:
    rows = [
        row("user", "u1", None, "main"),
        row("user", "s1", None, "task one", isSidechain=True),
        row("user", "s2", None, "task two", isSidechain=True),
        row("assistant", "s3", "s1", "done one", isSidechain=True),
        row("assistant", "a1", "u1", "end"),
    ]
    text = "\n".join(map(json.dumps, rows))
    main, one, two = read_text(text, name="in")
    assert [len(thread.messages) for thread in (main, one, two)] == [2, 2, 1]
    out = io.StringIO()
    dump([main.replace([FRAME, main.messages[1]]), one, two.replace([])], out)
    again = list(read_text(out.getvalue(), name="in"))
    assert [thread.messages for thread in again] == [(FRAME, main.messages[1]), one.messages]
    with pytest.raises(UsageError, match="load_all"):
        parse(rows[1:4])


def test_claude_code_the_output_of_a_streaming_run_is_another_format() -> None:
    stream = {"type": "assistant", "uuid": "u", "session_id": "s", "parent_tool_use_id": None}
    assert detect([stream | {"message": {"role": "assistant", "content": "x"}}]) == "claude_stream"
