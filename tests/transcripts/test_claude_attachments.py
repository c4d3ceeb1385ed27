"""Attachments of a Claude Code session: who wrote them, what they say, where they stand, and what a fold does."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.messages import Message, author_of, pair
from foldproof.transcripts import Conversation, dump, load, parse
from foldproof.transcripts.codec import fields_of
from foldproof.transcripts.json_text import Json
from foldproof.window import ClearToolResults, SlidingWindow, SummarizeOldest

SMALL = Path(__file__).parent.parent / "data" / "transcripts" / "claude_code" / "agent-sessions_small.jsonl"
FILE = {"type": "file", "filename": "/a.txt", "content": {"type": "text", "file": {"content": "total 981.55"}}}
QUEUED = {"type": "queued_command", "prompt": "STOP. Use port 8765", "commandMode": "prompt"}


def session(*said: tuple[str, Json]) -> list[Any]:
    """Return a chain of rows: users, assistants (a name behind a colon is the id of the API message), attachments."""
    rows: list[Any] = []
    for at, (spoken, content) in enumerate(said):
        kind, _, reply = spoken.partition(":")
        row: dict[str, Any] = {"type": kind, "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None}
        row |= {"sessionId": "s", "isSidechain": False}
        if kind == "attachment":
            row["attachment"] = content
        else:
            row["message"] = {"role": kind, "content": content}
        if kind == "assistant":
            row["message"]["id"] = reply or f"m{at}"
        rows.append(row)
    return rows


def use(call: str) -> Json:
    return [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]


def result(call: str) -> Json:
    return [{"type": "tool_result", "tool_use_id": call, "content": f"of {call}"}]


def attached(held: Json) -> tuple[Message, ...]:
    return parse(session(("user", "go"), ("attachment", held), ("assistant", "ok"))).messages


def said(rows: list[Any]) -> list[str]:
    """Return the roles of what is read, each with the first of its words or calls."""
    messages = parse(rows, strict=True).messages
    return [f"{m.role} {m.text or ','.join(call.id for call in m.tool_calls)}" for m in messages]


@pytest.mark.parametrize(
    ("more", "author"),
    [
        ({}, "person"),
        ({"origin": {"kind": "human"}}, "person"),
        ({"origin": {"kind": "task-notification"}}, "app"),
        ({"origin": "human"}, "app"),
        ({"commandMode": "task-notification"}, "app"),
        ({"isMeta": True}, "app"),
        ({"prompt": "<task-notification>8765</task-notification>"}, "app"),
        ({"prompt": [{"type": "text", "text": "STOP"}, {"type": "image", "source": {}}]}, "person"),
    ],
)
def test_a_queued_command_is_a_persons_where_a_person_typed_it(more: dict[str, Any], author: str) -> None:
    messages = attached(QUEUED | more)
    assert [message.role for message in messages] == ["user", "user", "assistant"]
    assert author_of(messages[1]) == author


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (FILE, "/a.txt\ntotal 981.55"),
        ({"type": "edited_text_file", "filename": "/a.txt", "snippet": "12\torder 7"}, "/a.txt\n12\torder 7"),
        ({"type": "hook_additional_context", "hookName": "x", "content": ["one", "two"]}, "one\ntwo"),
        (
            {
                "type": "async_hook_response",
                "hookName": "x",
                "response": {"systemMessage": "one", "hookSpecificOutput": {"additionalContext": "two"}},
                "stdout": "{}",
            },
            "one\ntwo",
        ),
        (
            {"type": "nested_memory", "path": "/C.md", "content": {"type": "Project", "content": "be brief"}},
            "/C.md\nbe brief",
        ),
        ({"type": "task_status", "taskId": "t7", "status": "done"}, '{"taskId": "t7", "status": "done"}'),
        ({"type": "todo_reminder", "content": [{"subject": "x"}]}, '{"content": [{"subject": "x"}]}'),
        ({"type": "of a later version", "said": {"deeply": 7}}, '{"said": {"deeply": 7}}'),
    ],
)
def test_any_other_attachment_is_the_apps_and_says_what_it_holds(held: Json, text: str) -> None:
    message = attached(held)[1]
    assert (author_of(message), message.text) == ("app", text)


def test_an_evidence_check_that_a_background_hook_added_is_the_librarys() -> None:
    added = {"additionalContext": "[foldproof evidence check] Nothing said Z-99173."}
    message = attached({"type": "async_hook_response", "response": {"hookSpecificOutput": added}})[1]
    assert author_of(message) == "library"


def test_a_picture_or_a_document_is_a_block() -> None:
    picture = {"type": "image", "file": {"base64": "AA==", "type": "image/gif"}}
    document = {"type": "pdf", "file": {"base64": "AA==", "filePath": "/a.pdf"}}
    for content, kind, medium in ((picture, "image", "image/gif"), (document, "document", "application/pdf")):
        message = attached({"type": "file", "filename": "/a", "content": content})[1]
        (part,) = fields_of(message)["content"]
        assert (part["type"], part["source"]["media_type"]) == (kind, medium)


@pytest.mark.parametrize(
    "held",
    [
        {"type": "auto_mode"},
        {"type": "todo_reminder", "content": [], "itemCount": 0},
        {"type": "hook_success", "content": "", "stdout": "{}", "exitCode": 0},
        {"type": "command_permissions", "allowedTools": ["Bash"]},
        {"type": "async_hook_response", "response": {}, "stdout": "{}", "exitCode": 0},
        {"type": "queued_command", "prompt": ""},
    ],
)
def test_an_attachment_that_says_nothing_is_no_message_and_stays(held: Json) -> None:
    rows = session(("user", "go"), ("attachment", held), ("assistant", "ok"))
    conversation = parse(rows, strict=True)
    assert [message.role for message in conversation.messages] == ["user", "assistant"]


def test_a_row_without_an_attachment_is_reported() -> None:
    rows = session(("user", "go"), ("attachment", "x"), ("assistant", "ok"))
    (damage,) = parse(rows).damage
    assert damage.path == "$[1].attachment"


def test_results_follow_their_calls_and_attachments_the_results() -> None:
    between = ("attachment", QUEUED)
    one = session(("user", "go"), ("assistant", use("a")), between, ("user", result("a")), ("assistant", "ok"))
    assert said(one) == ["user go", "assistant a", "tool of a", "user STOP. Use port 8765", "assistant ok"]
    two = session(
        ("user", "go"),
        ("assistant:m", use("a")),
        between,
        ("assistant:m", use("b")),
        ("user", result("a")),
        ("attachment", FILE),
        ("user", result("b")),
    )
    behind = ["user STOP. Use port 8765", "user /a.txt\ntotal 981.55"]
    assert said(two) == ["user go", "assistant a,b", "tool of a", "tool of b", *behind]
    assert not pair(parse(two).messages).orphans


def test_a_call_without_a_result_holds_no_attachment_back() -> None:
    rows = session(
        ("user", "go"), ("assistant", use("a")), ("attachment", QUEUED), ("assistant", "ok"), ("user", "and?")
    )
    assert said(rows) == ["user go", "assistant a", "user STOP. Use port 8765", "assistant ok", "user and?"]


def test_a_branch_ends_with_what_was_said_and_attachments_beside_it_do_not_count() -> None:
    rows = session(("user", "go"), ("assistant", "ok"), ("attachment", QUEUED))
    assert said(rows) == ["user go", "assistant ok", "user STOP. Use port 8765"]
    rows[2]["parentUuid"] = "u0"
    assert said(rows) == ["user go", "assistant ok"]


def test_the_attachments_of_the_real_session_that_say_something_are_messages() -> None:
    """The branch is what follows the last root: the scrubbed rows behind it share one uuid."""
    rows = [json.loads(line) for line in SMALL.read_text("utf-8").splitlines()]
    root = max(at for at, row in enumerate(rows) if row["type"] == "user" and row["parentUuid"] is None)
    held = {at: row["attachment"] for at, row in enumerate(rows) if at > root and row["type"] == "attachment"}
    silent = ("auto_mode", "hook_non_blocking_error", "ultra_effort_enter", "ultra_effort_exit")
    empty = {at for at, one in held.items() if one.get("content") == [] or one["type"] in silent}
    read = {place.row for places in load(SMALL).reading.pieces for place in places}
    assert len(held) > len(empty)
    assert {at for at in read if at in held} == held.keys() - empty


PIECES: dict[str, list[tuple[str, Json]]] = {
    "ask": [("user", "and?"), ("assistant", "so")],
    "call": [("assistant", use("c")), ("user", result("c"))],
    "file": [("attachment", FILE)],
    "queued": [("attachment", QUEUED)],
    "held": [
        ("assistant", use("c")),
        ("attachment", FILE),
        ("user", result("c")),
        ("attachment", {"type": "auto_mode"}),
    ],
    "queued within": [("assistant", use("c")), ("attachment", QUEUED), ("user", result("c"))],
    "silent": [("system", "x")],
}


def built(names: list[str]) -> list[Any]:
    told: list[tuple[str, Json]] = [("user", "go"), ("assistant", "ok")]
    for at, name in enumerate(names):
        told += json.loads(json.dumps(PIECES[name]).replace('"c"', f'"c{at}"').replace("of c", "word " * 60))
    return session(*told, ("assistant", "done"))


def chained(rows: list[Any]) -> list[str]:
    """Return the uuids that the app finds from the last row that is said, by parents alone."""
    by_uuid = {row["uuid"]: row for row in rows}
    at = [row for row in rows if row["type"] in ("user", "assistant")][-1]
    found = [at["uuid"]]
    while at["parentUuid"] is not None:
        at = by_uuid[at["parentUuid"]]
        assert at["uuid"] not in found
        found.append(at["uuid"])
    return found


def written(conversation: Conversation, window: Sequence[Message]) -> list[Any]:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@given(
    st.lists(st.sampled_from(sorted(PIECES)), min_size=1, max_size=14),
    st.sampled_from(["summary", "sliding", "cleared"]),
    st.integers(1, 6),
)
def test_after_a_fold_every_row_that_is_said_is_reached_from_the_last(
    names: list[str], strategy: str, keep: int
) -> None:
    conversation = parse(built(names), strict=True)
    compactor = {
        "summary": SummarizeOldest(0, keep, retain="discard"),
        "sliding": SlidingWindow(keep),
        "cleared": ClearToolResults(0, keep=0, retain="discard"),
    }[strategy]
    window = compactor.visit(conversation.messages).messages
    rows = written(conversation, window)
    again = parse(rows, format="claude_code", strict=True)
    assert again.messages == window
    places = {rows[place.row]["uuid"] for places in again.reading.pieces for place in places}
    assert places <= set(chained(rows))


@given(st.lists(st.sampled_from(sorted(PIECES)), min_size=1, max_size=10), st.data())
def test_any_message_that_is_no_call_or_result_can_leave(names: list[str], data: st.DataObject) -> None:
    conversation = parse(built(names), strict=True)
    free = [at for at, m in enumerate(conversation.messages[:-1]) if m.role == "user"]
    gone = data.draw(st.sets(st.sampled_from(free)))
    window = tuple(message for at, message in enumerate(conversation.messages) if at not in gone)
    rows = written(conversation, window)
    again = parse(rows, format="claude_code", strict=True)
    assert again.messages == window
    places = {rows[place.row]["uuid"] for places in again.reading.pieces for place in places}
    by_uuid = {row["uuid"]: row for row in rows}
    if by_uuid.keys() >= {row["parentUuid"] for row in rows} - {None}:
        assert places <= set(chained(rows))
