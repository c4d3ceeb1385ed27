"""Claude's Messages API: what the real files hold, counted in the raw JSON too, and every quirk of the format."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.evidence.reading import said_by_tools
from foldproof.messages import Message, author_of, calls_of, frame_kind, pair, pair_server_tools, tool_text
from foldproof.offline.audit import audit
from foldproof.transcripts import Conversation, detect, dump, load, parse
from foldproof.transcripts.json_text import Json
from foldproof.window import span_of

FILES = sorted((Path(__file__).parent.parent / "data" / "transcripts" / "anthropic_messages").glob("*.json"))
SUMMARY = Message(role="user", content="[foldproof summary frame] so far", folded_exempt=("7",))
NOTICE = Message(role="user", content="[foldproof drop notice] x")
ASKS = {"edits": [{"type": "compact_20260112"}]}
USE = {"type": "tool_use", "id": "c", "name": "look", "input": {"q": 7}}
RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "7"}


def file(part: str) -> Path:
    (found,) = (path for path in FILES if part in path.name)
    return found


def raw(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def rows_of(value: dict[str, Any]) -> list[Any]:
    answer = [value["response"]] if isinstance(value["response"], dict) else []
    return [*value["request"]["messages"], *answer]


def blocks_of(value: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    contents = [row["content"] for row in rows_of(value) if isinstance(row["content"], list)]
    return [block for content in contents for block in content if block["type"] in kinds]


def written(conversation: Conversation, window: list[Message]) -> Json:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    value = json.loads(out.getvalue())
    assert list(parse(value, format="anthropic_messages").messages) == window
    return value


def rows(*content: Json, **body: Json) -> Json:
    """A body whose rows are the user's and the assistant's in turn."""
    roles = ("user", "assistant")
    told = [{"role": roles[at % 2], "content": said} for at, said in enumerate(content)]
    return {"anthropic_version": "v", "messages": told, **body}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-50:])
def test_no_call_no_result_and_no_reasoning_of_a_real_file_is_lost(path: Path) -> None:
    value, conversation = raw(path), load(path)
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(call.id, call.name, call.args) for call in calls] == [
        (block["id"], block["name"], block["input"]) for block in blocks_of(value, "tool_use")
    ]
    results = [message for message in conversation.messages if message.role == "tool"]
    assert [message.tool_call_id for message in results] == [
        block["tool_use_id"] for block in blocks_of(value, "tool_result")
    ]
    pairing = pair(conversation.messages)
    assert not pairing.unanswered
    assert not pairing.orphans
    if isinstance(value["response"], str):
        return
    thinking = [block for message in conversation.messages for block in message.thinking_blocks or ()]
    assert thinking == blocks_of(value, "thinking", "redacted_thinking")
    assert conversation.damage == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-50:])
def test_a_real_file_is_of_no_other_format(path: Path) -> None:
    assert detect(raw(path)) == "anthropic_messages"
    with pytest.raises(TranscriptError, match="not openai_chat"):
        parse(raw(path), format="openai_chat")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-50:])
def test_the_system_prompt_of_a_real_file_is_its_first_message(path: Path) -> None:
    system = raw(path)["request"].get("system")
    told = system if isinstance(system, str | None) else "\n".join(block["text"] for block in system)
    first = load(path).messages[0]
    assert (first.text if first.role == "system" else None) == told


def test_two_assistant_rows_that_one_row_answers_are_one_message() -> None:
    path = file("responses-gpt-5.4")
    merged = [message for message in load(path).messages if len(message.tool_calls) > 1]
    assert [[call.name for call in message.tool_calls] for message in merged] == [["load_capability", "search_tools"]]
    assert len(load(path).messages) == len(rows_of(raw(path))) - 1 + 1 + 1  # one merged, a system prompt, two results


def test_an_id_that_two_calls_share_pairs_by_position() -> None:
    messages = load(file("google-gemini-3")).messages
    twice = [
        identifier for identifier, n in Counter(m.tool_call_id for m in messages if m.role == "tool").items() if n > 1
    ]
    assert twice == ["0usajhl5"]
    assert {call.message + 1 for call in pair(messages).call_of.values()} == set(pair(messages).call_of)


def test_what_the_server_ran_stays_in_the_message_and_is_read_there() -> None:
    for part, kind in (("web_search", "web_search_tool_result"), ("code_execution", "bash_code_execution_tool_result")):
        conversation = load(file(part))
        assert pair_server_tools(conversation.messages).halves == ()
        told = [text for message in conversation.messages for text in said_by_tools(message)]
        assert len(told) == len(blocks_of(raw(file(part)), kind))


def test_a_compaction_of_a_real_file_is_a_frame_with_its_originals() -> None:
    conversation = load(file("compaction_end_to_end"))
    (block,) = blocks_of(raw(file("compaction_end_to_end")), "compaction")
    (frame,) = (message for message in conversation.messages if frame_kind(message) is not None)
    span = span_of(frame, conversation.folded)
    assert frame.text == block["content"]
    assert span is not None
    assert span.originals == conversation.messages[1:2]
    assert [message.role for message in conversation.messages] == [
        "system",
        "user",
        "user",
        "assistant",
        "user",
        "assistant",
    ]


def test_a_summary_some_of_whose_originals_left_keeps_what_it_stood_for() -> None:
    conversation = load(file("compaction_round_trip"))
    window = [conversation.messages[0], *conversation.messages[2:]]
    value = written(conversation, window)
    assert value["request"]["messages"][0]["content"][0]["content"] == "Summary: user said hello."
    assert parse(value).folded == ()


def test_a_later_compaction_stands_for_the_earlier_one_and_what_was_said_since() -> None:
    first, second = ([{"type": "compaction", "content": said}] for said in ("first", "second"))
    conversation = parse(rows("a", first, "b", second))
    frames = [message for message in conversation.messages if frame_kind(message) is not None]
    spans = [span_of(frame, conversation.folded) for frame in frames]
    told = [[message.text for message in span.originals or ()] for span in spans if span is not None]
    assert told == [["a"], ["first", "b"]]
    assert written(conversation, list(conversation.messages[2:]))["messages"][0]["content"] == "b"


def test_a_recorded_stream_is_the_message_it_makes() -> None:
    path = file("redacted_stream")
    text = raw(path)["response"]
    conversation = load(path)
    assert conversation.messages[-1].text == "".join(
        json.loads(found) for found in re.findall(r'"text_delta","text":("(?:[^"\\]|\\.)*")', text)
    )
    kinds = [block["type"] for block in conversation.messages[-1].thinking_blocks or () if isinstance(block, dict)]
    assert kinds == re.findall(r'"content_block":\{"type":"(redacted_thinking)"', text)
    value = written(
        conversation, [*conversation.messages, NOTICE]
    )  # it is no longer the last: a message of the request
    assert value["response"] is None
    assert [row["role"] for row in value["request"]["messages"]] == ["user", "assistant", "user"]


def test_a_stream_puts_its_pieces_together() -> None:
    events: list[Json] = [
        {"type": "message_start", "message": {"role": "assistant", "id": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "h"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"q"'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ": 7}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    (answer,) = parse({"request": rows(), "response": stream}).messages
    assert answer.thinking_blocks == ({"type": "thinking", "thinking": "h", "signature": "s"},)
    assert (answer.tool_calls[0].args, answer.finish_reason, answer.id) == ({"q": 7}, "tool_use", "m")


def test_results_and_words_of_one_row_are_tool_messages_and_then_the_users() -> None:
    other = RESULT | {"tool_use_id": "d", "is_error": True, "content": [{"type": "text", "text": "no"}]}
    said = rows("go", [USE, USE | {"id": "d"}], [{"type": "text", "text": "so?"}, RESULT, other])
    conversation = parse(said)
    assert [message.role for message in conversation.messages] == ["user", "assistant", "tool", "tool", "user"]
    assert [message.is_error for message in conversation.messages[2:4]] == [None, True]
    assert conversation.messages[3].tool_name == "look"
    left = written(conversation, [*conversation.messages[:4], NOTICE])
    assert left["messages"][2]["content"] == [RESULT, other]
    kept = written(conversation, [conversation.messages[4]])
    assert kept["messages"] == [{"role": "user", "content": [{"type": "text", "text": "so?"}]}]


def test_a_cleared_result_takes_the_place_of_its_block() -> None:
    conversation = parse(rows("go", [USE], [RESULT, {"type": "text", "text": "and?"}]))
    note: Json = {"foldproof": {"observations": ["x"]}}
    cleared = Message(role="tool", content="[foldproof cleared result]", tool_call_id="c", metadata=note)
    window = [*conversation.messages[:2], cleared, conversation.messages[3]]
    blocks = written(conversation, window)["messages"][2]["content"]
    assert [block["type"] for block in blocks] == ["tool_result", "text"]


def test_thinking_stays_where_it_stood_among_words_and_calls() -> None:
    thinking = [{"type": "thinking", "thinking": f"{n}", "signature": "s"} for n in range(2)]
    content = [thinking[0], {"type": "text", "text": "a"}, thinking[1], USE]
    conversation = parse(rows("go", content, [RESULT], "done"))
    assert list(conversation.messages[1].thinking_blocks or ()) == thinking
    assert written(conversation, [NOTICE, *conversation.messages[1:3]])["messages"][1]["content"] == content


def test_calls_without_an_id_pair_by_order() -> None:
    uses = [{"type": "tool_use", "name": name, "input": {}} for name in "ab"]
    results = [{"type": "tool_result", "content": name} for name in "ab"]
    messages = parse(rows("go", uses, results)).messages
    assert [(message.tool_name, message.text) for message in messages[2:]] == [("a", "a"), ("b", "b")]
    assert len({message.tool_call_id for message in messages[2:]}) == 2


def test_a_system_message_may_stand_among_the_others() -> None:
    value = rows("go", system="be brief")
    value["messages"].append({"role": "system", "content": "be briefer"})
    conversation = parse(value)
    assert [message.role for message in conversation.messages] == ["system", "user", "system"]
    assert written(conversation, list(conversation.messages[:2]))["messages"] == value["messages"][:1]


def test_a_system_prompt_that_left_is_empty_and_one_behind_others_is_refused() -> None:
    conversation = parse(rows("go", system="be brief"))
    assert written(conversation, list(conversation.messages[1:]))["system"] == []
    with pytest.raises(TranscriptError, match="the system prompt stands outside the messages"):
        written(conversation, [NOTICE, *conversation.messages])


def test_text_inside_a_result_can_be_read_and_a_picture_stays_a_picture() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "894 stars"}
    found = {
        "type": "search_result",
        "source": "https://e.org",
        "title": "t",
        "content": [{"type": "text", "text": "7"}],
    }
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWk="}}
    blocks = [{"type": "document", "source": source}, found, picture]
    result = parse(rows("go", [USE], [RESULT | {"content": blocks}])).messages[2]
    assert tool_text(result) == "894 stars\nhttps://e.org\n7"
    assert isinstance(result.content, tuple)
    assert result.content[2].model_extra == picture


def test_a_new_summary_that_opens_the_window_is_a_compaction_block_where_the_request_asks_for_it() -> None:
    value = rows("go", [{"type": "text", "text": "done"}], "more", context_management=ASKS)
    conversation = parse(value)
    first, *rest = written(conversation, [SUMMARY, conversation.messages[2]])["messages"]
    assert (first["role"], first["content"][0]["type"]) == ("assistant", "compaction")
    assert first["content"][0]["content"] == SUMMARY.text
    assert rest == value["messages"][2:]


@pytest.mark.parametrize("asks", [True, False])
def test_a_new_summary_behind_what_is_kept_is_a_user_message(*, asks: bool) -> None:
    conversation = parse(rows("go", [USE], [RESULT], **({"context_management": ASKS} if asks else {})))
    ahead = conversation.messages[:1] if asks else ()
    rewritten = written(conversation, [*ahead, SUMMARY])["messages"]
    assert (rewritten[-1]["role"], rewritten[-1]["content"]) == ("user", SUMMARY.text)


def test_a_compaction_that_failed_stays_a_block() -> None:
    block = {"type": "compaction", "content": None, "encrypted_content": "x"}
    messages = parse(rows("go", [block, {"type": "text", "text": "done"}])).messages
    assert [message.role for message in messages] == ["user", "assistant"]
    assert isinstance(messages[1].content, tuple)
    assert messages[1].content[0].model_extra == block


@pytest.mark.parametrize(
    ("content", "place", "cause"),
    [
        ([USE | {"name": 5}], "$.messages[1].content[0]", "expected a call with a name; found 5"),
        ([5], "$.messages[1].content[0]", "expected a block; found 5"),
        (5, "$.messages[1].content", "expected text or a list of blocks; found 5"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(content: Json, place: str, cause: str) -> None:
    conversation = parse(rows("go", content, "on"))
    (damage,) = conversation.damage
    assert damage.path == place
    assert cause in damage.cause
    assert [conversation.messages[0].text, conversation.messages[-1].text] == ["go", "on"]


def test_a_row_of_an_unknown_role_and_a_row_that_is_none_are_reported() -> None:
    value = rows("go", "on")
    value["messages"] += [None, "x"]
    value["messages"].insert(1, {"role": "user", "content": [RESULT | {"content": 5}]})
    paths = {damage.path: damage.cause for damage in parse(value).damage}
    assert list(paths) == ["$.messages[1].content[0]", "$.messages[3]", "$.messages[4]"]
    later = rows(*["on"] * 50)
    later["messages"].append({"role": "wizard", "content": "x"})
    assert [damage.path for damage in parse(later).damage] == ["$.messages[50].role"]


def test_a_result_whose_call_was_removed_is_an_orphan_and_not_lost() -> None:
    messages = parse(rows("go", "x", [RESULT])).messages
    assert pair(messages).orphans == (2,)


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}],
        {"model": "claude", "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]},
        {"model": "claude", "thinking": {"type": "enabled"}, "messages": [{"role": "user", "content": "hello"}]},
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
            }
        ],
    ],
)
def test_chat_messages_stay_chat_messages(value: Json) -> None:
    assert detect(value) == "openai_chat"


def test_an_edited_list_without_a_block_of_claudes_is_still_known_by_our_frame() -> None:
    conversation = parse([{"role": "user", "content": "go"}, {"role": "assistant", "content": [USE]}])
    assert detect(written(conversation, [conversation.messages[0], SUMMARY])) == "anthropic_messages"


REMINDER = "<system-reminder>\nthe date is 2026-01-01\n</system-reminder>"


@pytest.mark.parametrize(
    ("texts", "author"),
    [
        ([REMINDER], "app"),
        ([f"{REMINDER}\n{REMINDER}"], "app"),
        ([REMINDER, "\n", REMINDER], "app"),
        ([REMINDER, "fix it"], "person"),
        ([f"{REMINDER}\nfix it"], "person"),
        ([f"fix it\n{REMINDER}"], "person"),
        (["<system-reminder>fix it"], "person"),
        ([""], "person"),
    ],
)
def test_a_row_of_reminders_and_nothing_else_is_the_apps(texts: list[str], author: str) -> None:
    blocks = [{"type": "text", "text": text} for text in texts]
    contents: list[Json] = [blocks, *texts] if len(texts) == 1 else [blocks]
    for content in contents:
        message = parse(rows(content, system="be brief")).messages[1]
        assert author_of(message) == author
    behind = parse(rows("go", [USE], [RESULT, *blocks])).messages[3]
    assert author_of(behind) == author
    answered = parse([{"role": "user", "content": [{"text": text} for text in texts]}], format="bedrock_converse")
    assert author_of(answered.messages[0]) == author


def test_a_picture_beside_a_reminder_is_the_persons() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    (message,) = parse(rows([{"type": "text", "text": REMINDER}, picture])).messages
    assert author_of(message) == "person"


@pytest.mark.parametrize("text", ["[Old tool result content cleared]", "[cleared to save context]\n"])
def test_what_stands_in_the_place_of_a_cleared_result_is_no_word_of_the_tools(text: str) -> None:
    for content in (text, [{"type": "text", "text": text}]):
        conversation = parse(rows("go", [USE], [RESULT | {"content": content}], "It was 4711."))
        result = conversation.messages[2]
        assert (result.tool_chars, tool_text(result), conversation.incomplete) == (0, "", True)
        (answer,) = audit(conversation).answers
        assert [value.verdict for value in answer.values] == ["undecidable"]
        window = [NOTICE, *conversation.messages[1:]]
        assert (
            written(conversation, window)["messages"][2]
            == rows("go", [USE], [RESULT | {"content": content}])["messages"][2]
        )


def test_a_result_that_quotes_the_note_of_a_cleared_one_is_the_tools() -> None:
    told = RESULT | {"content": 'grep: "[cleared to save context]"'}
    conversation = parse(rows("go", [USE], [told], "It was 4711."))
    assert (conversation.messages[2].tool_chars, conversation.incomplete) == (None, False)
