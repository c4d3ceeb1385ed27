"""Claude Managed Agents: what the real sessions hold, counted in the raw rows too, and every quirk of the format."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, calls_of, is_observation, pair, tool_text
from foldproof.transcripts import Conversation, detect, dump, load, parse
from foldproof.transcripts.json_text import Json

FILES = sorted((Path(__file__).parent.parent / "data" / "transcripts" / "anthropic_managed_agents").glob("*.jsonl"))
NOTICE = Message(role="user", content="[foldproof drop notice] x")
SEND, STREAM = "client.beta.sessions.events.send", "client.beta.sessions.events.stream"
HELLO = [{"type": "text", "text": "hello"}]


def raw(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def events_of(rows: list[Any]) -> list[dict[str, Any]]:
    return [payload for method, payload in rows if method == STREAM]


def sent(*events: Json) -> Json:
    return [SEND, ["sesn", {"events": list(events)}]]


def streamed(kind: str, **said: Json) -> Json:
    return [STREAM, {"type": kind, **said}]


def written(conversation: Conversation, window: list[Message]) -> list[Any]:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return [json.loads(line) for line in out.getvalue().splitlines() if line]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_a_session_says_is_read_once(path: Path) -> None:
    events, conversation = events_of(raw(path)), load(path)
    said = [event for event in events if event["type"] in ("user.message", "agent.message")]
    words = [
        message.text for message in conversation.messages if message.role in ("user", "assistant") and message.text
    ]
    assert words == ["\n".join(block["text"] for block in event["content"]) for event in said]
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(call.id, call.name, call.args) for call in calls] == [
        (event["id"], event["name"], event["input"]) for event in events if event["type"].endswith("tool_use")
    ]
    results = [message for message in conversation.messages if message.role == "tool"]
    assert [message.id for message in results] == [
        event["id"] for event in events if event["type"].endswith("tool_result")
    ]
    pairing = pair(conversation.messages)
    assert not pairing.unanswered
    assert not pairing.orphans
    assert conversation.damage == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_session_names_the_conversation_and_its_agent_opens_it(path: Path) -> None:
    created = next(payload for method, payload in raw(path) if method.endswith("sessions.create"))
    conversation = load(path)
    assert conversation.id == created["id"]
    assert (conversation.messages[0].role, conversation.messages[0].text) == ("system", created["agent"]["system"])
    assert conversation.extras["tools"] == created["agent"]["tools"]


def test_a_refused_call_is_no_observation_and_its_result_is_the_services() -> None:
    conversation = load(FILES[-1])
    refused, fetched = (message for message in conversation.messages if message.role == "tool")
    assert refused.text.startswith("Permission to use mcp__exa__web_search_exa has been rejected.")
    assert refused.is_error is True
    assert (is_observation(refused), author_of(refused)) == (False, "library")
    assert is_observation(fetched)
    assert "894" in tool_text(fetched)  # the page came as a document, and the answer takes its number from there


def test_words_and_a_call_of_one_model_request_are_one_message() -> None:
    conversation = load(FILES[-1])
    spoke = [message for message in conversation.messages if message.role == "assistant"]
    assert [(message.text, len(message.tool_calls)) for message in spoke[:2]] == [
        ("I'll look that up for you using Exa search.", 1),
        ("Let me fetch the GitHub repository page directly.", 1),
    ]


def test_what_was_sent_leaves_with_what_the_stream_repeats() -> None:
    path = next(path for path in FILES if "custom" in path.name)
    conversation = load(path)
    left = written(conversation, list(conversation.messages[:2]))
    assert "user.custom_tool_result" not in json.dumps(left)
    assert sum("What's the weather" in json.dumps(row) for row in left) == 2


def test_a_cleared_result_of_the_clients_stands_in_the_stream_alone() -> None:
    path = next(path for path in FILES if "custom" in path.name)
    conversation = load(path)
    note: Json = {"foldproof": {"observations": ["x"]}}
    identifier = conversation.messages[3].tool_call_id
    cleared = Message(role="tool", content="[foldproof cleared result]", tool_call_id=identifier, metadata=note)
    rows = written(conversation, [*conversation.messages[:3], cleared, conversation.messages[4]])
    assert "It's 23°C" not in json.dumps(rows, ensure_ascii=False)
    assert sum("cleared result" in json.dumps(row) for row in rows) == 1


def test_what_the_stream_does_not_repeat_is_read_where_it_was_sent() -> None:
    rows = [sent({"type": "user.message", "content": "hello"}), sent({"type": "user.message", "content": "again"})]
    rows.append(streamed("user.message", content=HELLO, id="e"))
    conversation = parse(rows)
    assert [message.text for message in conversation.messages] == ["again", "hello"]
    assert written(conversation, [conversation.messages[0]]) == [rows[1]]


def test_a_call_that_a_policy_denied_never_ran() -> None:
    use = streamed("agent.tool_use", id="c", name="bash", input={}, evaluated_permission="deny")
    told = streamed("agent.tool_result", tool_use_id="c", content=HELLO, is_error=True)
    messages = parse([use, told]).messages
    assert messages[1].tool_result_origin == "not-entered"
    assert messages[1].tool_name == "bash"


def test_calls_outside_of_a_request_are_messages_of_their_own() -> None:
    rows = [streamed("agent.message", content=HELLO), streamed("agent.tool_use", id="c", name="bash", input={})]
    assert [len(message.tool_calls) for message in parse(rows).messages] == [0, 1]
    request = [streamed("span.model_request_start"), *rows, streamed("span.model_request_end")]
    assert [len(message.tool_calls) for message in parse(request).messages] == [1]


def test_a_message_of_another_agent_is_no_persons() -> None:
    rows = [
        streamed("agent.thread_message_received", content=HELLO, from_session_thread_id="t"),
        streamed("agent.tool_use", id="c", name="bash", input={}, session_thread_id="t"),
        streamed("user.define_outcome", description="a report"),
        streamed("system.message", content=HELLO),
    ]
    messages = parse(rows).messages
    assert [author_of(message) for message in messages] == ["app", "person", "app"]
    assert [message.role for message in messages] == ["user", "user", "system"]


def test_a_compaction_leaves_no_summary_and_no_damage() -> None:
    rows = [streamed("user.message", content=HELLO), streamed("agent.thread_context_compacted", id="k")]
    conversation = parse(rows)
    assert [message.text for message in conversation.messages] == ["hello"]
    assert conversation.damage == ()


@pytest.mark.parametrize(
    ("row", "path", "cause"),
    [
        (streamed("agent.dreams"), "$[1][1]", "unknown event type 'agent.dreams'"),
        (["client.beta.agents.create", {}], "$[1]", "unknown method 'client.beta.agents.create'"),
        ([STREAM], "$[1]", "expected [method, payload]"),
        (5, "$[1]", "expected [method, payload]; found 5"),
        ([STREAM, {"id": "e"}], "$[1][1]", "expected an event with a type"),
        ([SEND, {"events": []}], "$[1][1]", "expected [session, {events}]"),
        (streamed("agent.tool_use", id="c"), "$[1][1]", "expected a call with an id and a name"),
        (streamed("agent.tool_result", content=HELLO), "$[1][1].tool_use_id", "expected the id of a call; found None"),
        (streamed("agent.message", content=5), "$[1][1].content", "expected text or a list of parts; found 5"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(row: Json, path: str, cause: str) -> None:
    hello = streamed("user.message", content=HELLO)
    conversation = parse([hello, row, hello])
    (damage,) = conversation.damage
    assert damage.path == path
    assert cause in damage.cause
    assert [message.text for message in conversation.messages] == ["hello", "hello"]
    assert written(conversation, [conversation.messages[1]])[:-1] == [row]


def test_one_row_alone_is_a_session_too(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(streamed("user.message", content=HELLO)) + "\n")
    conversation = load(file)
    assert [message.text for message in conversation.messages] == ["hello"]
    dump(conversation.replace([conversation.messages[0], NOTICE]), file)
    assert [message.text for message in load(file).messages] == ["hello", NOTICE.text]


def test_rows_of_other_clients_are_of_no_format() -> None:
    with pytest.raises(TranscriptError):
        detect([["client.messages.create", {"type": "user.message"}]])


def test_blank_lines_ahead_of_rows_are_written_back(tmp_path: Path) -> None:
    rows = [json.dumps(streamed("user.message", content=HELLO))] * 2
    file = tmp_path / "blank.jsonl"
    file.write_text("\n\n" + "\n \n".join(rows) + "\n")
    out = io.BytesIO()
    dump(load(file), out)
    assert out.getvalue() == file.read_bytes()
