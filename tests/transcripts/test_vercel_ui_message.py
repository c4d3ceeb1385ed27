"""The AI SDK's messages: what each of their shapes means, by the types of the SDK."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, ProviderToolPart, ThinkingPart, author_of, calls_of, pair
from foldproof.transcripts import Conversation, detect, dump, parse
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.vercel_ui_message import VercelUiMessage


def written(conversation: Conversation, window: list[Message]) -> Json:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return json.loads(out.getvalue())


def ui(role: str, *parts: Json, **more: Json) -> dict[str, Any]:
    said = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"id": f"{role}-1", "role": role, "parts": said, **more}


def tool(state: str, **more: Json) -> dict[str, Any]:
    return {"type": "tool-look", "toolCallId": "c", "state": state, "input": {"n": 1}, **more}


STEP = {"type": "step-start"}
DENIED = tool("approval-responded", approval={"id": "a", "approved": False})
CALLED: dict[str, Json] = {"toolCallId": "c", "toolName": "look"}


@pytest.mark.parametrize(
    ("part", "text", "failed", "author"),
    [
        (tool("output-available", output="7"), "7", None, "tool"),
        (tool("output-available", output={"é": [1]}), '{"é": [1]}', None, "tool"),
        (tool("output-error", errorText="no such file"), "no such file", True, "tool"),
        (tool("output-denied", approval={"id": "a", "approved": False, "reason": "no"}), "no", True, "library"),
        (DENIED, "Tool call execution denied.", True, "library"),
        ({**tool("output-available", output="7"), "type": "dynamic-tool", "toolName": "look"}, "7", None, "tool"),
    ],
)
def test_a_part_is_a_call_and_its_result(part: Json, text: str, failed: Json, author: str) -> None:
    messages = parse([ui("user", "go"), ui("assistant", STEP, "hm", part)]).messages
    assert [message.role for message in messages] == ["user", "assistant", "tool"]
    (call,) = calls_of(messages[1])
    assert (call.id, call.name, call.args) == ("c", "look", {"n": 1})
    assert (messages[2].text, messages[2].is_error, author_of(messages[2])) == (text, failed, author)
    assert (messages[2].tool_call_id, messages[2].tool_name) == ("c", "look")


@pytest.mark.parametrize(
    "part",
    [tool("input-available"), tool("approval-requested"), tool("approval-responded", approval={"approved": True})],
)
def test_a_call_that_waits_is_unanswered(part: Json) -> None:
    messages = parse([ui("assistant", part)]).messages
    assert len(messages) == 1
    assert len(pair(messages).unanswered) == 1


def test_a_call_that_is_still_streaming_is_none_and_is_kept() -> None:
    (message,) = parse([ui("assistant", tool("input-streaming"))]).messages
    assert calls_of(message) == ()
    assert [part.model_extra for part in message.content if not isinstance(part, str)] == [tool("input-streaming")]


def test_the_steps_of_a_row_are_messages_of_their_own() -> None:
    row = ui("assistant", STEP, "look", tool("output-available", output="7"), STEP, "it is 7")
    conversation = parse([ui("user", "go"), row])
    assert [message.text for message in conversation.messages] == ["go", "look", "7", "it is 7"]
    left = written(conversation, [conversation.messages[0], conversation.messages[3]])
    assert left[1]["parts"] == row["parts"][3:]


def test_words_behind_a_finished_call_are_another_message() -> None:
    row = ui("assistant", "look", tool("output-available", output="7"), "it is 7")
    assert [message.role for message in parse([row]).messages] == ["assistant", "tool", "assistant"]


def test_a_tool_of_the_provider_is_a_part_with_its_result() -> None:
    row = ui("assistant", tool("output-available", output={"a": 1}, providerExecuted=True), "7")
    (message,) = parse([row]).messages
    assert calls_of(message) == ()
    assert isinstance(message.content[0], ProviderToolPart)
    assert message.content[0].result == '{"a": 1}'


def test_reasoning_keeps_what_the_provider_wants_back() -> None:
    meta = {"anthropic": {"signature": "x"}}
    (message,) = parse([ui("assistant", {"type": "reasoning", "text": "hm", "providerMetadata": meta}, "7")]).messages
    thought = message.content[0]
    assert isinstance(thought, ThinkingPart)
    assert (thought.text, thought.provider_metadata) == ("hm", meta)


def test_version_4_says_its_calls_beside_its_words() -> None:
    ran = {"state": "result", "toolCallId": "c", "toolName": "look", "args": {"n": 1}, "result": {"a": 1}}
    rows = [
        {"id": "1", "role": "user", "content": "go"},
        {"id": "2", "role": "assistant", "content": "it is 7", "toolInvocations": [ran, {**ran, "state": "call"}]},
        {"id": "3", "role": "data", "content": "x", "data": {}},
    ]
    messages = parse(rows).messages
    assert [message.text for message in messages] == ["go", "", '{"a": 1}', "it is 7"]
    assert len(calls_of(messages[1])) == 2


def test_version_4_repeats_its_parts_and_both_are_kept_alike() -> None:
    ran = {"state": "result", "toolCallId": "c", "toolName": "look", "args": {}, "result": "7"}
    parts = ["look", {"type": "tool-invocation", "toolInvocation": ran}, STEP, "it is 7"]
    row = ui("assistant", *parts, content="lookit is 7", toolInvocations=[ran])
    conversation = parse([ui("user", "go"), row])
    left = written(conversation, [conversation.messages[0], conversation.messages[3]])[1]
    assert (left["content"], left["toolInvocations"]) == ("it is 7", [])


def test_calls_and_results_of_model_messages_inside_a_ui_row_are_read() -> None:
    call = {"type": "tool-call", "toolCallId": "1", "toolName": "look", "args": {}}
    result = {"type": "tool-result", "toolCallId": "1", "toolName": "look", "result": "7"}
    conversation = parse([ui("assistant", "hm", call, {**call, "toolCallId": "2"}, result, "it is 7")])
    assert [message.role for message in conversation.messages] == ["assistant", "tool", "assistant"]
    assert len(pair(conversation.messages).unanswered) == 1


def test_a_result_whose_call_is_not_there_is_an_orphan() -> None:
    result = {"type": "tool-result", "toolCallId": "9", "toolName": "look", "result": "7"}
    assert pair(parse([ui("user", "go"), ui("assistant", result)]).messages).orphans == (1,)


@pytest.mark.parametrize(
    ("output", "text", "failed", "origin"),
    [
        ({"type": "text", "value": "7"}, "7", None, None),
        ({"type": "json", "value": {"a": 1}}, '{"a": 1}', None, None),
        ({"type": "error-text", "value": "no"}, "no", True, None),
        ({"type": "error-json", "value": [1]}, "[1]", True, None),
        ({"type": "execution-denied", "reason": "no"}, "no", True, "not-entered"),
        ({"type": "content", "value": [{"type": "text", "text": "7"}]}, "7", None, None),
    ],
)
def test_the_output_of_a_model_message_names_its_type(output: Json, text: str, failed: Json, origin: Json) -> None:
    rows = [
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "look", "output": output}]},
    ]
    result = parse(rows).messages[1]
    assert (result.text, result.is_error, result.tool_result_origin) == (text, failed, origin)


def test_the_older_names_of_a_model_message_are_read() -> None:
    rows = [
        {"role": "assistant", "content": [{"type": "tool-call", **CALLED, "args": {"n": 1}}]},
        {"role": "tool", "content": [{"type": "tool-result", **CALLED, "result": "no", "isError": True}]},
    ]
    messages = parse(rows).messages
    assert messages[0].tool_calls[0].args == {"n": 1}
    assert (messages[1].text, messages[1].is_error) == ("no", True)


@pytest.mark.parametrize(
    ("row", "path"),
    [
        (ui("critic", "x"), "$[1].role"),
        (7, "$[1]"),
        (ui("assistant", 7), "$[1].parts[0]"),
        (ui("assistant", {"text": "x"}), "$[1].parts[0]"),
        (ui("assistant", {"type": "dynamic-tool", "toolCallId": "c"}), "$[1].parts[0]"),
        ({"role": "user", "content": 7}, "$[1].content"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(row: Json, path: str) -> None:
    conversation = parse([ui("user", "a"), row, ui("assistant", "b")], format="vercel_ui_message")
    assert [damage.path for damage in conversation.damage] == [path]
    assert [conversation.messages[0].text, conversation.messages[-1].text] == ["a", "b"]


def test_a_part_of_a_newer_version_is_kept_as_it_is() -> None:
    (message,) = parse([ui("assistant", "x", {"type": "hologram", "data": 1})]).messages
    assert message.content[1].model_extra == {"type": "hologram", "data": 1}  # type: ignore[union-attr]


def test_a_new_summary_is_a_ui_message() -> None:
    conversation = parse({"id": "chat", "messages": [ui("user", "a"), ui("assistant", "b")]})
    frame = Message(role="user", content="[foldproof summary frame] x", folded_exempt=("7",))
    rows = written(conversation, [frame, conversation.messages[1]])["messages"]
    assert rows[0]["parts"] == [{"type": "text", "text": frame.text}]
    assert conversation.id == "chat"


def test_words_alone_are_openais_and_parts_that_say_content_are_not_the_sdks() -> None:
    assert detect([{"role": "user", "content": "x"}]) == "openai_chat"
    assert detect([ui("user", "x")]) == "vercel_ui_message"
    typed = [{"role": "user", "parts": [{"type": "text", "content": "x"}]}, ui("user", "x")]
    with pytest.raises(TranscriptError, match="not vercel_ui_message"):
        parse(typed, format="vercel_ui_message")


FRAME = Message(role="user", content="[foldproof summary frame] what was said")
MODEL = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}]},
    {
        "role": "tool",
        "content": [
            {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": {"type": "text", "value": "done"}}
        ],
    },
    {"role": "assistant", "content": "a"},
]
RAN: dict[str, Json] = {"state": "result", "toolCallId": "c", "toolName": "f", "args": {}, "result": "done"}
OLDER = [
    {"id": "u", "role": "user", "content": "q"},
    {"id": "a", "role": "assistant", "content": "a", "toolInvocations": [RAN]},
]
NEWER = [
    ui("user", {"type": "text", "text": "q"}),
    ui("assistant", tool("output-available", input={}, output="done"), {"type": "text", "text": "a"}),
]


@pytest.mark.parametrize("rows", [MODEL, OLDER, NEWER], ids=["model", "version 4", "version 5"])
@pytest.mark.parametrize("bare", [True, False])
def test_what_is_written_after_a_fold_is_still_known(rows: list[Json], bare: bool) -> None:  # noqa: FBT001
    conversation = parse(rows if bare else {"messages": rows})
    assert conversation.format == "vercel_ui_message"
    first, last = conversation.messages[0], conversation.messages[-1]
    for window in ([FRAME], [FRAME, last], [first, FRAME], [*conversation.messages[:-1], FRAME]):
        value = written(conversation, window)
        assert VercelUiMessage().recognise(value) is not None
        assert list(parse(value, format="vercel_ui_message").messages) == window
