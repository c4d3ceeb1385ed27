"""OpenAI Responses: what the real files say, counted in their JSON, and what is odd about them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, ProviderToolPart, author_of, calls_of, pair
from foldproof.messages.server_tools import pair_server_tools
from foldproof.offline.audit import audit
from foldproof.transcripts import Conversation, detect, dump, load, parse
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "openai_responses"
FILES = sorted(DATA.glob("*.json"))
FRAME = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=("7",))


def raw_of(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def found(name: str) -> Path:
    (path,) = [path for path in FILES if name in path.name]
    return path


def items_in(path: Path) -> list[Any]:
    """The items of a request and of its response, found without the reader."""
    raw = raw_of(path)
    answer = raw["response"]
    if isinstance(answer, str):
        answer = next(json.loads(line[6:]) for line in answer.split("\n") if '{"type":"response.completed"' in line)
        return [*raw["request"]["input"], *answer["response"]["output"]]
    return [*raw["request"]["input"], *answer["output"]]


def rewritten(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


def provider_tools(messages: tuple[Message, ...]) -> Iterator[ProviderToolPart]:
    for message in messages:
        parts = () if isinstance(message.content, str) else message.content
        yield from (part for part in parts if isinstance(part, ProviderToolPart))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[14:50])
def test_every_call_result_and_piece_of_reasoning_of_a_file_is_read(path: Path) -> None:
    items = items_in(path)
    conversation = load(path)
    assert conversation.damage == ()
    calls = [item for item in items if item.get("type") == "function_call"]
    made = [call for message in conversation.messages for call in calls_of(message) if call.name != "tool_search"]
    assert [(call.id, call.name, call.args) for call in made] == [
        (item["call_id"], item["name"], json.loads(item["arguments"])) for item in calls
    ]
    results = [item for item in items if item.get("type") == "function_call_output"]
    read = [
        message for message in conversation.messages if message.role == "tool" and message.tool_name != "tool_search"
    ]
    assert [message.content for message in read] == [item["output"] for item in results]
    assert not pair(conversation.messages).unanswered
    assert not pair(conversation.messages).orphans
    reasoning = [block for message in conversation.messages for block in message.thinking_blocks or ()]
    assert reasoning == [item for item in items if item.get("type") == "reasoning"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[14:50])
def test_every_word_of_a_message_item_is_read_once(path: Path) -> None:
    raw = raw_of(path)
    repeats = isinstance(raw["response"], dict) and raw["response"]["object"] == "response.compaction"
    words = []
    for item in raw["request"]["input"] if repeats else items_in(path):
        content = item.get("content") if "role" in item else None
        words += [content] if isinstance(content, str) else [part.get("text") for part in content or ()]
    told = [raw["request"]["instructions"]] if raw["request"].get("instructions") else []
    read = "\n".join(message.text for message in load(path).messages if message.role != "tool" and message.text)
    assert read == "\n".join([*told, *filter(None, words)])


def test_the_person_of_a_request_is_the_person_and_instructions_are_the_app() -> None:
    conversation = load(found("handoff_anthropic_to_openai"))
    authors = [author_of(message) for message in conversation.messages]
    assert authors[:2] == ["app", "person"]
    assert (authors.count("app"), authors.count("person"), authors.count("tool")) == (1, 2, 3)


def test_a_tool_search_of_the_client_is_a_call_and_one_of_the_server_is_the_providers() -> None:
    client = load(found("handoff_anthropic_to_openai")).messages
    assert next(message.tool_name for message in client if message.role == "tool") == "tool_search"
    assert list(provider_tools(client)) == []
    server = load(found("deferred_capability_3")).messages
    (search,) = provider_tools(server)
    assert search.input == {"queries": ["get_weather"]}
    assert '"get_weather"' in json.dumps(search.result)
    assert pair_server_tools(server).halves == ()


def test_tools_that_the_provider_ran_are_whole_where_they_stand() -> None:
    (web, again) = provider_tools(load(found("web_search_tool")).messages)
    assert (web.name, web.input) == ("web_search", {"query": "weather: San Francisco, CA", "type": "search"})
    assert again.input != web.input
    (mcp,) = provider_tools(load(found("mcp_server_tool")).messages)
    assert (mcp.name, mcp.result) == ("ask_question", None)  # its output is null in the file
    assert pair_server_tools(load(found("mcp_server_tool")).messages).halves == ()


def test_the_result_of_an_mcp_call_goes_with_it_and_its_error_is_no_evidence() -> None:
    call = {"type": "mcp_call", "id": "m", "name": "ask", "server_label": "s", "arguments": '{"q": 1}', "output": "42"}
    said, failed = parse([call, {"role": "user", "content": "?"}, call | {"output": None, "error": "down"}]).messages[
        ::2
    ]
    (part,) = provider_tools((said,))
    assert (part.input, part.result) == ({"q": 1}, "42")
    (part,) = provider_tools((failed,))
    assert part.result == {"type": "error", "error": "down"}


def test_a_compaction_that_nobody_can_read_stays_an_opaque_part_of_the_models() -> None:
    for name in ("compact_messages", "compact_stateful_mode_3", "compact_stateful_mode_stream"):
        conversation = load(found(name))
        (encrypted,) = [item for item in items_in(found(name)) if item.get("type") == "compaction"]
        parts = [part for message in conversation.messages for part in message.content if not isinstance(part, str)]
        (kept,) = [part for part in parts if (part.model_extra or {}).get("type") == "compaction"]
        assert kept.model_extra == encrypted
        assert conversation.folded == ()


def test_what_a_compaction_endpoint_repeats_is_read_once() -> None:
    conversation = load(found("compact_messages"))
    assert [message.role for message in conversation.messages] == [
        "system", "user", "assistant", "user", "assistant", "assistant",
    ]  # fmt: skip
    alone = parse(raw_of(found("compact_messages"))["response"])
    assert [message.role for message in alone.messages] == ["user", "user", "assistant"]


def test_a_streamed_answer_is_read_from_its_last_event_and_written_as_an_object_once_it_changes() -> None:
    conversation = load(found("stream_2"))
    assert conversation.messages[-1].text.startswith("Deep in the cool hush")
    kept = rewritten(conversation.replace((FRAME, *conversation.messages[4:])))
    assert kept["response"] == raw_of(found("stream_2"))["response"]
    without_answer = rewritten(conversation.replace(conversation.messages[:5]))
    assert without_answer["response"]["output"] == []


def test_a_stream_that_broke_off_is_reported() -> None:
    raw = raw_of(found("stream_2"))
    raw["response"] = raw["response"][:5000]
    conversation = parse(raw)
    assert [damage.path for damage in conversation.damage] == ["$.response"]
    assert len(conversation.messages) == 5


def test_reused_ids_pair_by_position() -> None:
    def round_of(result: str) -> list[Any]:
        call = {"type": "function_call", "call_id": "call_0", "name": "f", "arguments": "{}"}
        return [call, {"type": "function_call_output", "call_id": "call_0", "output": result}]

    messages = parse([*round_of("1"), *round_of("2")]).messages
    assert [message.content for message in messages] == ["", "1", "", "2"]
    assert [call.message for call in pair(messages).call_of.values()] == [0, 2]


def test_results_stand_behind_their_call_in_its_order_wherever_the_file_has_them() -> None:
    calls = [{"type": "function_call", "call_id": call, "name": call, "arguments": "{}"} for call in "ab"]
    late = [{"type": "function_call_output", "call_id": call, "output": call} for call in "ba"]
    between = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "wait"}]}
    messages = parse([*calls, late[0], between, late[1]]).messages
    assert [(message.role, message.text) for message in messages] == [
        ("assistant", ""), ("tool", "a"), ("tool", "b"), ("assistant", "wait"),
    ]  # fmt: skip


def test_a_program_that_calls_a_client_spans_two_messages_and_is_no_half() -> None:
    items = [
        {"type": "program", "id": "p", "call_id": "c", "code": "lookup()", "fingerprint": "f"},
        {"type": "function_call", "call_id": "d", "name": "lookup", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "d", "output": "7"},
        {"type": "program_output", "id": "o", "call_id": "c", "result": "8", "status": "completed"},
    ]
    messages = parse(items).messages
    assert [message.role for message in messages] == ["assistant", "tool", "assistant"]
    assert pair_server_tools(messages) == (((0, 2),), ())


def test_other_calls_of_the_api_and_their_results() -> None:
    failed = {"stdout": "", "stderr": "no", "outcome": {"type": "exit", "exit_code": 1}}
    conversation = parse(
        [
            {
                "type": "local_shell_call",
                "id": "l",
                "call_id": "c1",
                "action": {"command": ["ls"]},
                "status": "completed",
            },
            {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
            {"type": "apply_patch_call", "call_id": "c3", "operation": {"type": "delete_file", "path": "a"}},
            {"type": "computer_call", "id": "k", "call_id": "c4", "actions": [{"type": "click"}]},
            {"type": "custom_tool_call", "call_id": "c5", "name": "sql", "input": "7"},
            {"type": "local_shell_call_output", "id": "c1", "output": "a.txt"},
            {"type": "shell_call_output", "call_id": "c2", "output": [failed]},
            {"type": "apply_patch_call_output", "call_id": "c3", "status": "failed", "output": "no such file"},
            {
                "type": "computer_call_output",
                "call_id": "c4",
                "output": {"type": "computer_screenshot", "file_id": "x"},
            },
            {"type": "custom_tool_call_output", "call_id": "c5", "output": [{"type": "input_text", "text": "8"}]},
        ]
    )
    asked, *results = conversation.messages
    assert [(call.id, call.name) for call in calls_of(asked)] == [
        ("c1", "local_shell"), ("c2", "shell"), ("c3", "apply_patch"), ("c4", "computer"), ("c5", "sql"),
    ]  # fmt: skip
    assert calls_of(asked)[4].args == "7"  # raw input of a custom tool, and not a number
    assert [message.tool_call_id for message in results] == ["c1", "c2", "c3", "c4", "c5"]
    assert [message.is_error for message in results] == [None, True, True, None, None]
    assert results[1].text == json.dumps([failed])
    assert results[4].content == "8"


def test_a_frame_is_an_item_with_our_fields_and_the_rest_is_shared() -> None:
    conversation = load(found("web_search_tool"))
    raw = raw_of(found("web_search_tool"))
    written = rewritten(conversation.replace((conversation.messages[0], FRAME, *conversation.messages[3:])))
    assert written["request"]["input"][0] == {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": FRAME.text}],
        "foldproof": {"foldedExempt": ["7"]},
    }
    assert written["request"]["input"][1:] == raw["request"]["input"][-1:]
    assert written["response"] == raw["response"]
    assert parse(written).messages[1] == FRAME


def test_two_replies_that_only_now_stand_side_by_side_stay_two() -> None:
    said = [{"type": "output_text", "text": "a"}]
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    items = [{"type": "message", "role": "assistant", "content": said}, {"role": "user", "content": "go"}, call]
    conversation = parse(items)
    written = rewritten(conversation.replace(conversation.messages[::2]))
    assert written == [items[0], call | {"foldproof": {"starts": True}}]
    assert parse(written).messages == conversation.messages[::2]


@pytest.mark.parametrize(
    ("item", "path", "cause"),
    [
        ({"type": "teleport", "id": "t"}, "$.input[1]", "unknown item type 'teleport'"),
        ({"role": "wizard", "content": "x"}, "$.input[1].role", "unknown role 'wizard'"),
        ({"role": "user"}, "$.input[1].content", "expected content"),
        ({"role": "user", "content": 5}, "$.input[1].content", "expected text or a list of parts; found 5"),
        ({"role": "user", "content": [5]}, "$.input[1].content[0]", "expected a content part; found 5"),
        ({"type": "function_call", "call_id": "c"}, "$.input[1].name", "expected a call with a name"),
        ({"type": "function_call_output", "call_id": "c"}, "$.input[1].output", "expected output of a tool"),
        ({"type": "item_reference", "id": "msg_1"}, "$.input[1]", "an item that is not in the document"),
        (7, "$.input[1]", "expected an item; found 7"),
    ],
)
def test_an_item_that_cannot_be_read_is_reported_with_its_place(item: Json, path: str, cause: str) -> None:
    around = [{"role": "user", "content": "a"}, item, {"role": "user", "content": "b"}]
    conversation = parse({"model": "m", "input": around})
    ((found_at, said, _),) = conversation.damage
    assert (found_at, said.startswith(cause)) == (path, True)
    assert [message.text for message in conversation.messages if message.text] == ["a", "b"]


def test_an_input_that_is_no_list_is_one_error() -> None:
    with pytest.raises(TranscriptError, match=r"\$\.request\.input: expected text or a list of items; found 5"):
        parse({"request": {"model": "m", "input": 5}, "response": {"object": "response", "output": []}})


def test_an_input_may_be_one_text() -> None:
    conversation = parse({"model": "m", "instructions": "be brief", "input": "hello"})
    assert [message.text for message in conversation.messages] == ["be brief", "hello"]
    assert rewritten(conversation.replace((*conversation.messages, FRAME)))["input"][0] == {
        "role": "user",
        "content": "hello",
    }


@pytest.mark.parametrize(
    "other",
    [
        [{"role": "user", "content": "hi"}],
        {"messages": [{"role": "user", "content": "hi"}]},
        {"model": "embedder", "input": "a text to embed"},
        {"input": [{"role": "user", "content": "2+2"}], "ideal": "4"},
    ],
)
def test_what_is_no_call_of_this_api_is_not_taken_for_one(other: Json) -> None:
    try:
        name = detect(other)
    except TranscriptError:
        return
    assert name != "openai_responses"


ENVIRONMENT = "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"
AGENTS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>"


def asked(*texts: str) -> Json:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text} for text in texts]}


@pytest.mark.parametrize(
    ("texts", "author"),
    [
        ([ENVIRONMENT], "app"),
        (["<user_instructions>\nbe brief\n</user_instructions>"], "app"),
        ([AGENTS, ENVIRONMENT], "app"),
        ([f"{AGENTS}\n{ENVIRONMENT}"], "app"),
        ([ENVIRONMENT, "fix it"], "person"),
        ([f"{ENVIRONMENT}\nfix it"], "person"),
        (["# Context from my IDE setup:\n\n## My request for Codex:\nfix it"], "person"),
        (["<instructions>fix it</instructions>"], "person"),  # any app's template
        ([""], "person"),
    ],
)
def test_an_item_of_what_codex_says_as_the_user_and_nothing_else_is_the_apps(texts: list[str], author: str) -> None:
    conversation = parse({"model": "m", "input": [asked(*texts), asked("go")]})
    assert [author_of(message) for message in conversation.messages] == [author, "person"]
    window = [FRAME, conversation.messages[0]]
    assert list(parse(rewritten(conversation.replace(window))).messages) == window


def test_a_new_message_that_reads_like_codex_stays_what_it_was() -> None:
    conversation = parse({"model": "m", "input": [asked("go")]})
    window = [Message(role="user", content=ENVIRONMENT, folded_exempt=("7",)), *conversation.messages]
    assert list(parse(rewritten(conversation.replace(window))).messages) == window


def test_an_answer_may_repeat_the_variables_of_a_stored_prompt() -> None:
    prompt = {"id": "pmpt_1", "variables": {"order": "447123"}}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 447123."}]}
    body = {"model": "m", "input": [asked("which?"), answer]}
    for more, verdict in (({"prompt": prompt}, "exempt"), ({}, "invented")):
        (judged,) = audit(parse(body | more)).answers
        assert [value.verdict for value in judged.values] == [verdict]
