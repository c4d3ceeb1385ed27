"""Bedrock's Converse API: what the real files hold, counted in the raw JSON too, and every quirk of the format."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, calls_of, pair, pair_server_tools, tool_text
from foldproof.transcripts import Conversation, detect, dump, load, parse
from foldproof.transcripts.json_text import Json

FILES = sorted((Path(__file__).parent.parent / "data" / "transcripts" / "bedrock_converse").glob("*.json"))
NOTICE = Message(role="user", content="[foldproof drop notice] x")
USE = {"toolUse": {"toolUseId": "c", "name": "look", "input": {"q": 7}}}
MARK = {"cachePoint": {"type": "default"}}


def raw(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def blocks_of(value: dict[str, Any], kind: str) -> list[Any]:
    rows = [*value["request"]["messages"], value["response"]["output"]["message"]]
    return [block[kind] for row in rows for block in row["content"] if kind in block]


def result(*content: Json, **more: Json) -> Json:
    return {"toolResult": {"toolUseId": "c", "content": list(content), **more}}


def rows(*content: list[Any]) -> Json:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": said} for at, said in enumerate(content)]


def written(conversation: Conversation, window: list[Message]) -> Json:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-50:])
def test_no_call_no_result_and_no_reasoning_of_a_real_file_is_lost(path: Path) -> None:
    value, conversation = raw(path), load(path)
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [{"toolUseId": call.id, "name": call.name, "input": call.args} for call in calls] == blocks_of(
        value, "toolUse"
    )
    results = [message for message in conversation.messages if message.role == "tool"]
    told = blocks_of(value, "toolResult")
    assert [message.tool_call_id for message in results] == [one["toolUseId"] for one in told]
    assert [tool_text(message) for message in results] == [
        "\n".join(part["text"] for part in one["content"]) for one in told
    ]
    flags = {"success": False, "error": True}
    assert [message.is_error for message in results] == [flags.get(one.get("status")) for one in told]
    thinking = [block for message in conversation.messages for block in message.thinking_blocks or ()]
    assert thinking == [{"reasoningContent": one} for one in blocks_of(value, "reasoningContent")]
    assert conversation.damage == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-50:])
def test_only_a_call_of_the_answer_waits_in_a_real_file(path: Path) -> None:
    messages = load(path).messages
    last = raw(path)["response"]["output"]["message"]["content"]
    waiting = [at.message for at in pair(messages).unanswered]
    assert waiting == [len(messages) - 1] * sum("toolUse" in block for block in last)
    assert not pair(messages).orphans


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-50:])
def test_a_real_file_is_of_no_other_format(path: Path) -> None:
    assert detect(raw(path)) == "bedrock_converse"
    for name in ("openai_chat", "anthropic_messages"):
        with pytest.raises(TranscriptError, match=f"not {name}"):
            parse(raw(path), format=name)


def test_the_answer_moves_among_the_messages_when_something_follows_it() -> None:
    path = FILES[0]
    conversation = load(path)
    value = written(conversation, [*conversation.messages, NOTICE])
    assert value["request"]["messages"][-2] == raw(path)["response"]["output"]["message"]
    assert value["response"] is None


def test_an_answer_that_stays_last_stays_in_the_response() -> None:
    conversation = load(FILES[0])
    value = written(conversation, [NOTICE, conversation.messages[-1]])
    assert value["response"] == raw(FILES[0])["response"]
    assert [block["text"] for row in value["request"]["messages"] for block in row["content"]] == [NOTICE.text]


def test_json_and_documents_of_text_in_a_result_can_be_read() -> None:
    document = {"document": {"name": "d", "format": "txt", "source": {"text": "894 stars"}}}
    found = {"searchResult": {"source": "https://e.org", "title": "t", "content": [{"text": "7"}]}}
    picture = {"image": {"format": "png", "source": {"bytes": "aWk="}}}
    told = result({"json": {"é": [1]}}, document, found, picture, status="error")
    message = parse(rows([{"text": "go"}], [USE], [told])).messages[2]
    assert tool_text(message) == '{"é": [1]}\n894 stars\nhttps://e.org\n7'
    assert message.is_error is True
    assert isinstance(message.content, tuple)
    assert message.content[3].model_extra == picture


def test_a_cache_point_says_nothing_and_stays_behind_what_it_stood_behind() -> None:
    value = rows([{"text": "go"}, MARK], [USE], [result({"text": "7"}), MARK, {"text": "and?"}])
    conversation = parse(value)
    assert [message.text for message in conversation.messages] == ["go", "", "7", "and?"]
    cleared = Message(role="tool", content="[foldproof cleared result]", tool_call_id="c", metadata={"foldproof": {}})
    window = [*conversation.messages[:2], cleared, conversation.messages[3]]
    blocks = written(conversation, window)[2]["content"]
    assert [[name for name in block if name != "foldproof"] for block in blocks] == [
        ["toolResult"],
        ["cachePoint"],
        ["text"],
    ]
    assert written(conversation, list(conversation.messages[:3]))[2]["content"] == value[2]["content"][:2]


def test_a_tool_that_the_service_ran_stays_in_the_message() -> None:
    use = {"toolUse": {"toolUseId": "s", "name": "grounding", "input": {}, "type": "server_tool_use"}}
    told = {"toolResult": {"toolUseId": "s", "content": [{"text": "7"}], "type": "grounding_result"}}
    messages = parse(rows([{"text": "go"}], [use, told, {"text": "it is 7"}])).messages
    assert [message.role for message in messages] == ["user", "assistant"]
    assert pair_server_tools(messages).halves == ()
    assert not calls_of(messages[1])


def test_cited_and_guarded_words_are_words() -> None:
    cited = {"citationsContent": {"content": [{"text": "it is 7"}], "citations": []}}
    messages = parse(rows([{"guardContent": {"text": {"text": "go"}}}], [cited])).messages
    assert [message.text for message in messages] == ["go", "it is 7"]


@pytest.mark.parametrize(
    ("block", "cause"),
    [
        ({"toolUse": {"toolUseId": "c", "input": {}}}, "expected a toolUse with a name"),
        ({"toolUse": 5}, "expected a toolUse with a name; found 5"),
        ({"toolResult": {"toolUseId": "c", "content": "7"}}, "expected a toolResult with a list of content"),
        ({"toolResult": [5]}, "expected a toolResult with a list of content"),
    ],
)
def test_a_block_that_cannot_be_read_is_reported_and_the_rest_is_read(block: Json, cause: str) -> None:
    conversation = parse(rows([{"text": "go"}], [block, {"text": "on"}]))
    (damage,) = conversation.damage
    assert damage.path == "$[1].content[0]"
    assert cause in damage.cause
    assert [message.text for message in conversation.messages] == ["go", "on"]


def test_a_body_without_messages_is_known_by_its_other_fields() -> None:
    assert detect({"messages": [], "inferenceConfig": {}}) == "bedrock_converse"
