"""pi sessions: what a second way of counting says of the real ones, and every quirk in small ones."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, calls_of, frame_kind, message_id, pair
from foldproof.transcripts import Conversation, dump, load, parse
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.pi_session import PiSession
from foldproof.window.frames import lineage

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "pi_session"
SUMMARY = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=("a",))
NOTICE = Message(role="user", content="[foldproof drop notice] 2 messages left")
HEADER = {"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"}
THIRD = HEADER | {"version": 3}


def user(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def model(text: str, *calls: str) -> Json:
    blocks = [{"type": "toolCall", "id": call, "name": "f", "arguments": {}} for call in calls]
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *blocks], "stopReason": "stop"}


def result(call: str, text: str, *, error: bool = False) -> Json:
    blocks = [{"type": "text", "text": text}]
    return {"role": "toolResult", "toolCallId": call, "toolName": "f", "content": blocks, "isError": error}


def listed(*said: Json) -> list[Any]:
    """Entries of version 1: messages, and other entries as they are."""
    return [HEADER, *(one if "type" in one else {"type": "message", "timestamp": "t", "message": one} for one in said)]


def entry(name: str, parent: str | None, said: Json) -> Json:
    own = said if "type" in said else {"type": "message", "message": said}
    return {**own, "id": name, "parentId": parent, "timestamp": "t"}


def rows_of(conversation: Conversation) -> list[Any]:
    out = io.StringIO()
    dump(conversation, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [message.text for message in messages]


def raw_messages(path: Path) -> list[dict[str, Any]]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row["message"] for row in rows if row["type"] == "message"]


def test_the_real_session_has_every_message_in_order() -> None:
    path = DATA / "large-session.jsonl"
    raw, conversation = raw_messages(path), load(path)
    roles = {"toolResult": "tool"}
    assert [message.role for message in conversation.messages] == [roles.get(m["role"], m["role"]) for m in raw]
    blocks = [block for m in raw if m["role"] == "assistant" for block in m["content"] if block["type"] == "toolCall"]
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(c.id, c.name, c.args) for c in calls] == [(b["id"], b["name"], b["arguments"]) for b in blocks]
    errors = [message.is_error is True for message in conversation.messages if message.role == "tool"]
    assert errors == [m["isError"] for m in raw if m["role"] == "toolResult"]
    assert (conversation.damage, conversation.folded) == ((), ())
    assert conversation.id == "d703a1a9-1b7b-4fb1-b512-c9738b1fe617"
    assert conversation.extras["modelId"] == "claude-sonnet-4-5"


def test_the_calls_of_turns_that_broke_off_stay_without_an_answer() -> None:
    path = DATA / "large-session.jsonl"
    conversation = load(path)
    pairing = pair(conversation.messages)
    ended = [conversation.messages[call.message].finish_reason for call in pairing.unanswered]
    answered = {m["toolCallId"] for m in raw_messages(path) if m["role"] == "toolResult"}
    left = [
        m["stopReason"]
        for m in raw_messages(path)
        if m["role"] == "assistant"
        for block in m["content"]
        if block["type"] == "toolCall" and block["id"] not in answered
    ]
    assert ended == left
    assert set(ended) == {"error", "aborted"}
    assert pairing.orphans == ()


def test_the_real_session_of_version_three_holds_two_compactions_that_kept_everything_but_each_other() -> None:
    conversation = load(DATA / "agent-sessions_small.jsonl")
    assert Counter(map(author_of, conversation.messages)) == {"person": 2, "model": 2, "library": 2}
    first, second = (m for m in conversation.messages if frame_kind(m) == "summary")
    assert first.folded_exempt is None  # what it summarised is all kept
    assert second.folded_exempt == lineage([first])
    assert [span.removed for span in conversation.folded] == [(message_id(first),)]


def test_a_compaction_of_version_one_counts_the_header_and_keeps_what_lies_ahead_of_it() -> None:
    rows = listed(
        user("one"), model("two"), user("three"),
        {"type": "compaction", "timestamp": "t", "summary": "sum", "firstKeptEntryIndex": 3, "tokensBefore": 9},
        user("four"),
    )  # fmt: skip
    conversation = parse(rows)
    assert texts(conversation.messages) == ["one", "two", "three", "sum", "four"]
    frame = conversation.messages[3]
    (span,) = conversation.folded
    assert span.originals == conversation.messages[:2]
    assert (span.fingerprint, frame.folded_exempt) == (frame.fingerprint, lineage(conversation.messages[:2]))


def test_a_second_compaction_stands_for_the_first_and_what_it_had_kept() -> None:
    rows = listed(
        user("one"), user("two"),
        {"type": "compaction", "timestamp": "t", "summary": "sum 1", "firstKeptEntryIndex": 2, "tokensBefore": 9},
        user("three"), user("four"),
        {"type": "compaction", "timestamp": "t", "summary": "sum 2", "firstKeptEntryIndex": 5, "tokensBefore": 9},
    )  # fmt: skip
    conversation = parse(rows)
    assert texts(conversation.messages) == ["one", "two", "sum 1", "three", "four", "sum 2"]
    assert [texts(tuple(span.originals or ())) for span in conversation.folded] == [["one"], ["sum 1", "two", "three"]]
    assert conversation.folded[1].frames == (conversation.folded[0].fingerprint,)


def test_reading_a_session_with_many_compactions_takes_time_in_proportion() -> None:
    looks = 0

    class Counted(dict[str, Any]):
        def get(self, key: str, default: Json = None) -> Json:
            nonlocal looks
            looks += 1
            return super().get(key, default)

    def looked_at(blocks: int) -> int:
        nonlocal looks
        looks = 0
        rows: list[Any] = [{"type": "session", "version": 3, "id": "s", "cwd": "/x", "timestamp": "t"}]
        for block in range(blocks):
            start = block * 10
            steps = range(start, start + 9)
            rows += (entry(str(at), str(at - 1) if at else None, user("q")) for at in steps)
            last = str(start + 8)
            told = {"type": "compaction", "summary": "s", "firstKeptEntryId": last}
            rows.append(entry(str(start + 9), last, told))
        (reading,) = PiSession().read([Counted(row) for row in rows])
        assert [len(span.originals or ()) for span in reading.folded] == [8, *[10] * (blocks - 1)]
        return looks

    few, many = looked_at(20), looked_at(80)
    assert many < 4.1 * few


def test_a_line_that_is_no_json_does_not_count_for_a_compaction(tmp_path: Path) -> None:
    rows = listed(user("one"), user("two"), {"type": "compaction", "summary": "sum", "firstKeptEntryIndex": 2})
    lines = list(map(json.dumps, rows))
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join([lines[0], '{"type": "mess', *lines[1:]]), encoding="utf-8")
    conversation = load(path)
    assert [texts(tuple(span.originals or ())) for span in conversation.folded] == [["one"]]
    assert [damage.path for damage in conversation.damage] == ["line 2"]


BRANCHES = [
    THIRD,
    entry("a", None, user("one")),
    entry("b", "a", model("left")),
    entry("c", "a", {"type": "branch_summary", "fromId": "b", "summary": "tried that"}),
    entry("d", "c", model("right")),
]


def test_the_branch_of_the_last_entry_is_the_conversation() -> None:
    conversation = parse(BRANCHES)
    assert texts(conversation.messages) == ["one", "tried that", "right"]
    assert [author_of(message) for message in conversation.messages] == ["person", "library", "model"]
    assert conversation.messages[1].folded_exempt is None  # its originals are on the branch that was left
    assert texts(parse([*BRANCHES, entry("e", "b", user("back"))]).messages) == ["one", "left", "back"]


def test_a_branch_that_is_cut_short_stays_the_last_one() -> None:
    conversation = parse(
        [*BRANCHES[:2], BRANCHES[3], BRANCHES[4], BRANCHES[2] | {"parentId": "d"}, entry("x", "d", user("left"))]
    )
    window = conversation.messages[:1]
    rows = rows_of(conversation.replace(window))
    assert parse(rows).messages == window
    assert (rows[-1]["type"], rows[-1]["parentId"]) == ("custom", "a")
    assert rows[2]["parentId"] == "a"  # the entry of the other branch hung on one that left


def test_entries_are_linked_over_what_left() -> None:
    rows = [
        THIRD,
        entry("a", None, user("one")),
        entry("m", "a", {"type": "model_change"}),
        entry("b", "m", user("two")),
    ]
    conversation = parse([*rows, entry("c", "b", user("three"))])
    written = rows_of(conversation.replace(conversation.messages[2:]))
    assert [(row["id"], row.get("parentId")) for row in written[1:]] == [("m", None), ("c", "m")]
    assert written[2] == entry("c", "m", user("three"))


def test_a_parent_that_names_no_entry_stands_for_the_entry_above() -> None:
    rows = [
        THIRD,
        entry("a", "s", user("one")),
        entry("b", "a", model("two", "call")),
        entry("c", "call", result("call", "x")),
    ]
    conversation = parse(rows)
    assert texts(conversation.messages) == ["one", "two", "x"]
    assert not pair(conversation.messages).unanswered


@pytest.mark.parametrize(
    "rows", [listed(user("one"), user("two")), [THIRD, entry("a", None, user("one")), entry("b", "a", user("two"))]]
)
def test_a_summary_frame_that_opens_the_window_is_a_compaction(rows: list[Any]) -> None:
    conversation = parse(rows)
    written = rows_of(conversation.replace([SUMMARY, NOTICE, conversation.messages[1]]))
    assert [row["type"] for row in written] == ["session", "compaction", "message", "message"]
    compaction = written[1]
    assert compaction["summary"] == SUMMARY.text
    assert compaction["timestamp"] == "t"
    if "version" in rows[0]:
        assert compaction["firstKeptEntryId"] == written[2]["id"]
        assert [row["parentId"] for row in written[1:]] == [None, compaction["id"], written[2]["id"]]
    else:
        assert compaction["firstKeptEntryIndex"] == 2
    assert parse(written).messages == (SUMMARY, NOTICE, conversation.messages[1])
    assert parse(written).folded == ()


def test_a_summary_frame_further_back_is_a_message_for_a_compaction_would_hide_what_is_ahead() -> None:
    conversation = parse(listed(user("one"), user("two"), user("three")))
    written = rows_of(conversation.replace([conversation.messages[0], SUMMARY, conversation.messages[2]]))
    assert [row["type"] for row in written[1:]] == ["message"] * 3


def test_a_compaction_that_was_there_keeps_its_lineage_and_names_an_entry_that_stays() -> None:
    rows = listed(
        user("one"),
        user("two"),
        user("three"),
        {"type": "compaction", "summary": "sum", "firstKeptEntryIndex": 2},
        user("x"),
    )
    conversation = parse(rows)
    window = conversation.messages[2:]
    written = rows_of(conversation.replace(window))
    assert parse(written).messages == window
    assert written[2]["firstKeptEntryIndex"] == 1  # the message "three"


def test_a_command_that_the_person_ran_is_told_by_the_app() -> None:
    ran = {"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 0, "cancelled": False}
    failed = ran | {"output": "", "exitCode": 2}
    hidden = ran | {"excludeFromContext": True}
    conversation = parse(listed(user("one"), ran, failed, hidden, ran | {"cancelled": True}))
    assert texts(conversation.messages)[1:] == [
        "Ran `ls`\n```\na\n\n```",
        "Ran `ls`\n(no output)\n\nCommand exited with code 2",
        "Ran `ls`\n```\na\n\n```\n\n(command cancelled)",
    ]
    assert {author_of(message) for message in conversation.messages[1:]} == {"app"}


@pytest.mark.parametrize(
    "said",
    [
        {"type": "custom_message", "customType": "x", "content": "context", "display": False},
        {"role": "custom", "customType": "x", "content": "context", "display": True},
        {"role": "hookMessage", "customType": "x", "content": [{"type": "text", "text": "context"}]},
    ],
)
def test_what_an_extension_says_is_the_apps(said: Json) -> None:
    conversation = parse(listed(user("one"), said))
    assert [(m.text, author_of(m)) for m in conversation.messages] == [("one", "person"), ("context", "app")]


def test_the_state_of_an_extension_is_no_message() -> None:
    rows = listed(user("one"), {"type": "custom", "customType": "x"}, {"type": "label"}, {"type": "session_info"})
    assert (texts(parse(rows).messages), parse(rows).damage) == (["one"], ())


@pytest.mark.parametrize("words", ["Skipped due to queued user message.", "Operation aborted"])
def test_a_call_that_never_ran_is_no_evidence(words: str) -> None:
    conversation = parse(listed(model("x", "a", "b"), result("a", words, error=True), result("b", words)))
    assert [message.tool_result_origin for message in conversation.messages[1:]] == ["not-entered", None]


def test_thinking_is_kept_as_it_came() -> None:
    block = {"type": "thinking", "thinking": "", "thinkingSignature": "sig"}
    said = model("x")
    said["content"].insert(0, block)
    assert parse(listed(said)).messages[0].thinking_blocks == (block,)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"type": "wonder"}, "$[2]: unknown entry type 'wonder'; it was not read"),
        ({"type": None}, "$[2]: unknown entry type 'None'; it was not read"),
        ({"type": "message"}, "$[2].message: expected a message object; found None"),
        ({"type": "message", "message": {"role": "wizard"}}, "$[2].message.role: unknown role 'wizard'"),
        ({"type": "message", "message": {"role": "user", "content": 5}}, "$[2].message.content: expected text"),
        ({"type": "message", "message": {"role": "assistant", "content": [5]}}, "$[2].message.content[0]: expected a"),
        ({"type": "message", "message": {"role": "bashExecution"}}, "$[2].message: expected a command and its output"),
        ({"type": "compaction", "summary": None}, "$[2].summary: expected the text of a summary; found None"),
        (5, "$[2]: expected an object; found int; it was not read"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(row: Json, said: str) -> None:
    rows = [*listed(user("one")), row, *listed(user("two"))[1:]]
    conversation = parse(rows)
    assert texts(conversation.messages) == ["one", "two"]
    (damage,) = conversation.damage
    assert str(damage).startswith(said)
    assert rows_of(conversation.replace([NOTICE]))[1] == row
    with pytest.raises(TranscriptError):
        parse(rows, strict=True)


def test_an_unknown_entry_on_a_branch_that_was_left_is_reported_too() -> None:
    rows = [*BRANCHES[:2], entry("z", "a", {"type": "wonder"}), *BRANCHES[2:]]
    assert [str(damage) for damage in parse(rows).damage] == ["$[2]: unknown entry type 'wonder'; it was not read"]


def test_a_newer_version_is_read_and_reported() -> None:
    rows = [HEADER | {"version": 4}, entry("a", None, user("one"))]
    conversation = parse(rows)
    assert texts(conversation.messages) == ["one"]
    assert [str(damage) for damage in conversation.damage] == [
        "$[0].version: the version is 4; expected at most 3; it was read as 3"
    ]


def test_nothing_readable_is_an_error() -> None:
    with pytest.raises(TranscriptError, match=r"\$\[1\]\.message: expected a message object"):
        parse([HEADER, {"type": "message", "message": 5}])


def test_a_new_message_of_the_model_is_refused() -> None:
    conversation = parse(listed(user("one")))
    with pytest.raises(TranscriptError, match="cannot write a new assistant message"):
        rows_of(conversation.replace([Message(role="assistant", content="x")]))
