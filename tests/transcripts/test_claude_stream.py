"""What Claude Code prints in stream-json: a conversation, and one for each sub-agent that speaks in between."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, calls_of
from foldproof.transcripts import Conversation, detect, dump, parse, read_text
from foldproof.transcripts.conversation import Parent
from foldproof.transcripts.json_text import Json

INIT = {
    "type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "model": "m", "tools": ["Task"],
    "mcp_servers": [], "uuid": "i",
}  # fmt: skip
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "done",
    "session_id": "s",
    "num_turns": 2,
}
SUMMARY = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=("a",))


def row(kind: str, content: Json, by: str | None = None, **more: Json) -> Json:
    said = {"role": kind, "content": content} | ({"id": f"m-{by}", "model": "m"} if kind == "assistant" else {})
    return {"type": kind, "message": said, "parent_tool_use_id": by, "session_id": "s"} | more


def text(words: str) -> list[Any]:
    return [{"type": "text", "text": words}]


TASK = [{"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "look"}}]
ANSWER = [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]
RUN = [
    INIT,
    {"type": "stream_event", "event": {}, "parent_tool_use_id": None, "session_id": "s"},
    row("assistant", text("let me")),
    row("assistant", TASK),
    row("user", text("look"), "t1"),
    row("assistant", text("there"), "t1"),
    row("user", ANSWER, tool_use_result={"agentId": "a1"}),
    row("assistant", text("done"), message={"role": "assistant", "content": text("done"), "id": "m2"}),
    RESULT,
]


def rows_of(*conversations: Conversation) -> list[Any]:
    out = io.StringIO()
    dump(list(conversations), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_run_and_its_sub_agent() -> None:
    main, side = read_text("\n".join(map(json.dumps, RUN)), name="in")
    assert (main.format, main.id, side.id) == ("claude_stream", "s", "s/t1")
    assert [(message.role, message.text) for message in main.messages] == [
        ("assistant", "let me"),  # two rows of one API message
        ("tool", "found"),
        ("assistant", "done"),
    ]
    assert [call.name for call in calls_of(main.messages[0])] == ["Task"]
    assert [(author_of(message), message.text) for message in side.messages] == [("app", "look"), ("model", "there")]
    assert (main.parent, side.parent) == (None, Parent("s", "t1"))
    assert main.extras["model"] == "m"
    assert main.extras["result"]["num_turns"] == 2
    assert main.damage == ()


def test_a_session_is_no_printed_run_and_the_other_way_round() -> None:
    assert detect(RUN) == "claude_stream"
    session = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": {"content": "x"}}
    assert detect([session]) == "claude_code"


def test_the_prompt_is_the_persons_where_it_is_printed_and_the_apps_words_are_the_apps() -> None:
    rows = [INIT, row("user", "go", isReplay=True), row("user", text("continue"), isSynthetic=True)]
    assert [author_of(message) for message in parse(rows).messages] == ["person", "app"]


def test_an_error_of_the_api_is_marked_as_the_apps() -> None:
    said = {"role": "assistant", "model": "<synthetic>", "content": text("Credit balance is too low")}
    (message,) = parse([INIT, row("assistant", "", message=said)]).messages
    assert message.injected_by == {"source": "claude_code", "reason": "isApiErrorMessage"}


def test_windows_are_written_as_rows_of_a_run() -> None:
    conversation = parse(RUN)
    written = rows_of(conversation.replace([SUMMARY, conversation.messages[2]]))
    frame = next(line for line in written if line.get("isCompactSummary"))
    assert (frame["parent_tool_use_id"], frame["session_id"]) == (None, "s")
    assert "parentUuid" not in frame
    assert [line["type"] for line in written] == [
        "system",
        "stream_event",
        "user",
        "assistant",
        "user",
        "assistant",
        "result",
    ]
    assert parse(written).messages == (SUMMARY, conversation.messages[2])


def test_a_sub_agent_is_written_in_its_thread() -> None:
    main, side = read_text("\n".join(map(json.dumps, RUN)), name="in")
    written = rows_of(main, side.replace([SUMMARY, side.messages[1]]))
    again = list(read_text("\n".join(map(json.dumps, written)), name="in"))
    assert [one.messages for one in again] == [main.messages, (SUMMARY, side.messages[1])]
    assert [one.id for one in again] == ["s", "s/t1"]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"type": "wonder"}, "$[1]: unknown row type 'wonder'; it was not read"),
        (row("user", 5), "$[1].message.content: expected text or a list of parts; found 5"),
        (row("user", "x") | {"parent_tool_use_id": 5}, "$[1].parent_tool_use_id: expected the id of a call, or null"),
        (5, "$[1]: expected an object; found int; it was not read"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported(broken: Json, said: str) -> None:
    conversation = parse([INIT, broken, row("user", "hello")])
    assert [message.text for message in conversation.messages] == ["hello"]
    assert [str(damage)[: len(said)] for damage in conversation.damage] == [said]


def test_nothing_readable_is_an_error() -> None:
    with pytest.raises(TranscriptError, match=r"\$\[1\]\.message\.content: expected text"):
        parse([INIT, row("user", 5)])
