"""Compactions of Claude Code: what a summary stands for, and how one of ours is written so that the app knows it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.messages import Message, author_of, frame_kind
from foldproof.transcripts import Conversation, dump, load, load_all, parse, read_text
from foldproof.transcripts.json_text import Json
from foldproof.window.frames import lineage

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "claude_code"
SUMMARY = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=("a",))
APPENDIX = Message(role="user", content="[foldproof summary frame] Appendix", metadata={"foldproof": {"messages": 1}})
NOTICE = Message(role="user", content="[foldproof drop notice] 2 messages left")


def row(uuid: str, parent: str | None, text: str, **more: Json) -> Json:
    said = {"role": more.get("type", "user"), "content": text}
    return {"parentUuid": parent, "sessionId": "s", "type": "user", "message": said, "uuid": uuid, **more}


def compaction(uuid: str, parent: str | None, text: str, **facts: Json) -> list[Any]:
    about = {"sessionId": "s", "isSidechain": False}
    boundary = {"parentUuid": None, "logicalParentUuid": parent, **about, "type": "system", "uuid": f"b-{uuid}"}
    boundary |= {"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9, **facts}}
    return [boundary, row(uuid, f"b-{uuid}", text, isCompactSummary=True, isVisibleInTranscriptOnly=True)]


def rows_of(conversation: Conversation) -> list[Any]:
    out = io.StringIO()
    dump(conversation, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [message.text for message in messages]


TWICE = [
    row("1", None, "one"),
    row("2", "1", "two", type="assistant"),
    *compaction("3", "2", "so far"),
    row("4", "3", "four"),
    row("5", "4", "five", type="assistant"),
    *compaction("6", "5", "so far again"),
    row("7", "6", "seven"),
]


def test_a_summary_is_a_frame_for_what_the_window_held() -> None:
    conversation = parse(TWICE)
    assert texts(conversation.messages) == ["one", "two", "so far", "four", "five", "so far again", "seven"]
    assert [frame_kind(m) for m in conversation.messages] == [None, None, "summary", None, None, "summary", None]
    first, second = conversation.folded
    assert first.originals == conversation.messages[:2]
    assert second.originals == conversation.messages[2:5]
    assert (second.frames, second.fingerprint) == ((first.fingerprint,), conversation.messages[5].fingerprint)
    assert conversation.messages[5].folded_exempt == lineage(conversation.messages[2:5])


def test_a_file_that_starts_at_the_boundary_has_no_lineage() -> None:
    conversation = parse(TWICE[2:5])
    assert texts(conversation.messages) == ["so far", "four"]
    assert (frame_kind(conversation.messages[0]), conversation.messages[0].folded_exempt) == ("summary", None)
    assert conversation.folded == ()


@pytest.mark.parametrize(
    "facts",
    [
        {"preservedSegment": {"headUuid": "2", "anchorUuid": "3", "tailUuid": "2"}},
        {"preservedMessages": {"anchorUuid": "3", "uuids": ["2"], "allUuids": ["1", "2"]}},
    ],
)
def test_what_a_boundary_preserved_is_read_once_and_is_no_original(facts: dict[str, Any]) -> None:
    rows = [*TWICE[:2], *compaction("3", "2", "so far", **facts), *TWICE[4:]]
    conversation = parse(rows)
    assert texts(conversation.messages) == texts(parse(TWICE).messages)
    assert [texts(tuple(span.originals or ())) for span in conversation.folded] == [
        ["one"],
        ["two", "so far", "four", "five"],
    ]


def test_what_was_preserved_once_can_be_preserved_again() -> None:
    facts = {"preservedSegment": {"headUuid": "2", "anchorUuid": "3", "tailUuid": "2"}}
    rows = [*TWICE[:2], *compaction("3", "2", "so far", **facts), TWICE[4]]
    rows += compaction("6", "4", "again", preservedMessages={"uuids": ["2"]})
    conversation = parse([*rows, row("7", "6", "seven"), *compaction("8", "7", "more"), row("9", "8", "nine")])
    originals = [texts(tuple(span.originals or ())) for span in conversation.folded]
    assert originals == [["one"], ["so far", "four"], ["two", "again", "seven"]]


def test_the_real_export_holds_the_originals_of_its_compaction() -> None:
    path = DATA / "simonw_sample_session.json"
    raw = json.loads(path.read_text(encoding="utf-8"))["loglines"]
    ahead = next(at for at, line in enumerate(raw) if line.get("isCompactSummary"))
    conversation = load(path)
    (span,) = conversation.folded
    at = next(at for at, message in enumerate(conversation.messages) if frame_kind(message) == "summary")
    assert span.originals == conversation.messages[:at]
    assert 0 < at <= 2 * ahead  # a row of a result and words makes two messages


def test_the_summary_of_a_sub_agent_stands_for_its_own_thread() -> None:
    _, side = load_all(DATA / "agent-sessions_small.jsonl")
    (span,) = side.folded
    assert texts(side.messages)[4:] == ["Summary of prior context."]
    assert span.originals == side.messages[:4]


def test_a_summary_that_opens_the_window_is_a_compaction_to_the_app() -> None:
    conversation = parse([*TWICE[:2], row("4", "2", "four")])
    boundary, summary, appendix, kept = rows_of(conversation.replace([SUMMARY, APPENDIX, conversation.messages[2]]))
    assert (boundary["type"], boundary["subtype"], boundary["sessionId"]) == ("system", "compact_boundary", "s")
    assert (boundary["parentUuid"], boundary["logicalParentUuid"]) == (None, None)
    assert (summary["isCompactSummary"], summary["isVisibleInTranscriptOnly"]) == (True, True)
    chain = [summary["parentUuid"], appendix["parentUuid"], kept["parentUuid"]]
    assert chain == [boundary["uuid"], summary["uuid"], appendix["uuid"]]
    assert kept == row("4", "2", "four")  # the appendix took the uuid of the last row that left
    again = parse([boundary, summary, appendix, kept])
    assert again.messages == (SUMMARY, APPENDIX, conversation.messages[2])
    assert again.folded == ()


def test_a_summary_further_back_has_no_boundary_for_it_would_hide_what_is_ahead() -> None:
    conversation = parse([*TWICE[:2], row("4", "2", "four")])
    written = rows_of(conversation.replace([conversation.messages[0], SUMMARY, conversation.messages[2]]))
    assert [line["type"] for line in written] == ["user", "user", "user"]


def test_a_drop_notice_is_no_compaction() -> None:
    conversation = parse([*TWICE[:2], row("4", "2", "four")])
    written = rows_of(conversation.replace([NOTICE, conversation.messages[2]]))
    assert [line.get("isCompactSummary") for line in written] == [None, None]


def test_the_boundary_of_a_compaction_that_was_folded_leaves_with_it() -> None:
    conversation = parse(TWICE)
    once = parse(rows_of(conversation.replace([SUMMARY, conversation.messages[6]])))
    written = rows_of(once.replace([APPENDIX, once.messages[1]]))
    assert [line.get("subtype") for line in written] == ["compact_boundary", None, None]
    assert parse(written).messages == (APPENDIX, conversation.messages[6])


def test_a_summary_of_the_app_keeps_its_lineage_when_its_originals_leave() -> None:
    conversation = parse(TWICE)
    window = conversation.messages[2:]
    written = rows_of(conversation.replace(window))
    assert parse(written).messages == window
    assert [line for line in written if line.get("uuid") in ("4", "5", "7")] == [TWICE[4], TWICE[5], TWICE[8]]


def test_a_summary_of_the_app_is_untouched_when_only_what_is_behind_it_changes() -> None:
    conversation = parse(TWICE)
    written = rows_of(conversation.replace(conversation.messages[:3]))
    assert written[:4] == TWICE[:4]


def test_an_error_of_the_api_is_marked_as_the_apps() -> None:
    rows = [*TWICE[:1], row("2", "1", "API Error: overloaded", type="assistant", isApiErrorMessage=True)]
    message = parse(rows).messages[1]
    assert message.injected_by == {"source": "claude_code", "reason": "isApiErrorMessage"}
    assert author_of(message) == "model"  # whoever delivers words in the model's mouth: they exempt nothing


def test_words_that_say_a_request_was_interrupted_are_the_apps() -> None:
    assert author_of(parse([row("1", None, "[Request interrupted by user for tool use]")]).messages[0]) == "app"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"type": "wonder"}, "line 2: $: unknown row type 'wonder'; it was not read"),
        ({"type": "user", "uuid": "x"}, "line 2: $.message: expected a message object; found None"),
        ({"type": "user", "message": {"content": 5}}, "line 2: $.message.content: expected text or a list of parts"),
        ({"type": "user", "message": {"content": ["a", 5]}}, "line 2: $.message.content[1]: expected a content part"),
        ({"type": "user", "message": {"role": "robot", "content": ""}}, "line 2: $.message.role: unknown role 'robot'"),
        (5, "line 2: $: expected an object; found int; it was not read"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported_and_the_others_are_read(broken: Json, said: str) -> None:
    rows = [TWICE[0], broken, TWICE[1]]
    (conversation,) = read_text("\n".join(map(json.dumps, rows)), name="in")
    assert texts(conversation.messages) == ["one", "two"]
    (damage,) = conversation.damage
    assert str(damage).startswith(said)
    assert rows_of(conversation.replace(conversation.messages[1:]))[0] == broken


def test_a_result_that_cannot_be_read_leaves_the_results_beside_it() -> None:
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": words} for name, words in (("a", 5), ("b", "x"))]
    said = {"role": "user", "content": blocks}
    conversation = parse([TWICE[0], {"type": "user", "uuid": "r", "parentUuid": "1", "message": said}])
    assert texts(conversation.messages) == ["one", "x"]
    assert [damage.path for damage in conversation.damage] == ["$[1].message.content[0].content"]


def test_a_row_that_cannot_be_read_still_links_its_neighbours() -> None:
    rows = [TWICE[0], {"type": "user", "uuid": "x", "parentUuid": "1", "message": 5}, row("2", "x", "two")]
    assert texts(parse([*rows, row("3", "2", "three")]).messages) == ["one", "two", "three"]
