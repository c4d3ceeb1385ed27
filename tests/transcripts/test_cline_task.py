"""Cline and Roo Code: the rows that their sources write, and every quirk of them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tests.transcripts.shapes_anthropic_side import cline_native, cline_tags, roo_condensed
from tests.transcripts.talk import TALK

from foldproof.messages import Message, author_of, calls_of, frame_kind, is_observation, pair, said_with_refusal
from foldproof.transcripts import Conversation, detect, dump, parse
from foldproof.transcripts.json_text import Json
from foldproof.window import SummarizeOldest, span_of

SUMMARY = Message(role="user", content="[foldproof summary frame] so far", folded_exempt=("7",))
DETAILS = "<environment_details>\n# Current Time\nnoon\n</environment_details>"
TASK = "<task>\nfix it\n</task>"


def text(*said: str) -> list[Any]:
    return [{"type": "text", "text": one} for one in said]


def rows(*content: Json) -> list[Any]:
    """Rows of the user's and the assistant's in turn."""
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": said, "ts": 1_700_000_000_000 + at} for at, said in enumerate(content)]


def read(*content: Json) -> tuple[Message, ...]:
    return parse(rows(*content)).messages


def written(conversation: Conversation, window: list[Message]) -> list[Any]:
    out = io.StringIO()
    dump(conversation.replace(window), out)
    value: list[Any] = json.loads(out.getvalue())
    assert list(parse(value, format="cline_task").messages) == window
    return value


def use(name: Json = "read_file", **more: Json) -> Json:
    return {"type": "tool_use", "id": "c", "name": name, "input": {"path": "x"}, **more}


def test_the_task_is_the_persons_and_the_environment_the_apps() -> None:
    messages = read(text(TASK, DETAILS), text("ok"))
    assert [(message.role, author_of(message)) for message in messages] == [
        ("user", "person"),
        ("user", "app"),
        ("assistant", "model"),
    ]
    assert messages[0].text == "fix it"
    assert read(TASK, text("ok"))[0].text == "fix it"


@pytest.mark.parametrize(
    ("said", "author"),
    [
        ("<feedback>\nno\n</feedback>", "person"),
        ("<user_message>\nno\n</user_message>", "person"),
        ("The user provided the following feedback:\n<feedback>\nno\n</feedback>", "person"),
        ("New instructions for task continuation:\n<user_message>\nno\n</user_message>", "person"),
        ("[TASK RESUMPTION] This task was interrupted.", "app"),
        ("[ERROR] You did not use a tool in your previous response!", "app"),
        ('<hook_context source="TaskStart">\nx\n</hook_context>', "app"),
        ("<task>\nsee 'a'\n</task>\n\n<file_content path=\"a\">\n1\n</file_content>", "person"),
        ("<task>\nsee 'a'\n</task>\n\n<file_content>\n</task>", "person"),
        ("<task>\nnever closed", "app"),
        ("words of nobody", "app"),
    ],
)
def test_who_wrote_a_text_is_said_by_its_tags(said: str, author: str) -> None:
    assert author_of(read(text(TASK), text("ok"), text(said))[-1]) == author


@pytest.mark.parametrize("name", ["native", "tags"])
def test_calls_and_results_of_a_task_pair(name: str) -> None:
    messages = parse((cline_native if name == "native" else cline_tags)(TALK)).messages
    results = [message for message in messages if message.role == "tool"]
    wanted = [call for turn in TALK for call in turn.calls]
    assert [message.text for message in results] == [call.result for call in wanted]
    assert not pair(messages).unanswered
    assert not pair(messages).orphans
    assert len({message.tool_call_id for message in results}) == len(wanted)


def test_a_result_as_text_answers_a_call_that_is_a_block() -> None:
    messages = read(text(TASK), [use()], text("[read_file for 'x'] Result:\nseven", DETAILS), text("done"))
    assert [message.role for message in messages] == ["user", "assistant", "tool", "user", "assistant"]
    assert (messages[2].text, messages[2].tool_name, messages[2].tool_call_id) == ("seven", "read_file", "c")


def test_results_as_text_answer_the_calls_that_they_name() -> None:
    calls = [use(), use("list_files", id="d")]
    told = text("[list_files for 'x'] Result:\na", "[read_file for 'x'] Result:\nb")
    messages = read(text(TASK), calls, told)
    assert [(message.tool_call_id, message.text) for message in messages[2:]] == [("d", "a"), ("c", "b")]


def test_a_heading_in_a_block_of_its_own_belongs_to_the_text_behind_it() -> None:
    tags = "look\n<read_file>\n<path>x</path>\n</read_file>"
    conversation = parse(rows(text(TASK), text(tags), text("[read_file for 'x'] Result:", "seven", DETAILS)))
    result = conversation.messages[2]
    assert result.text == "seven"
    note: Json = {"foldproof": {"observations": ["x"]}}
    cleared = Message(
        role="tool", content="[foldproof cleared result]", tool_call_id=result.tool_call_id, metadata=note
    )
    value = written(conversation, [*conversation.messages[:2], cleared, conversation.messages[3]])
    assert [block["text"] for block in value[2]["content"]] == ["[tool] Result:\n[foldproof cleared result]", DETAILS]


def test_tags_in_a_text_are_calls_and_what_is_written_to_a_file_ends_at_its_last_tag() -> None:
    inside = "<content>\na <content>b</content> c\n</content>"
    said = f"first\n<write_to_file>\n<path>x</path>\n{inside}\n</write_to_file>"
    message = read(text(TASK), text(said))[1]
    (call,) = calls_of(message)
    assert message.text == "first\n"
    assert (call.name, call.args) == ("write_to_file", {"path": "x", "content": "a <content>b</content> c"})


def test_tags_are_words_where_calls_are_blocks() -> None:
    said = "\n<read_file>\n<path>x</path>\n</read_file>"
    messages = read(text(TASK), [*text(said), use()], text("[read_file for 'x'] Result:\nseven"))
    assert messages[1].text == said
    assert [call.id for call in calls_of(messages[1])] == ["c"]


@pytest.mark.parametrize(
    ("said", "observed"),
    [
        ("[read_file for 'x'] Result:\nThe user denied this operation.", False),
        ('[read_file for \'x\'] Result:\n{"status":"denied","feedback":"no"}', False),
        ("Skipping tool due to user rejecting a previous tool. [read_file for 'x']", False),
        ("Tool [read_file] was not executed because a tool has already been used in this message.", False),
        ("[read_file for 'x'] Result:\nseven", True),
    ],
)
def test_a_call_that_never_ran_is_no_observation(said: str, observed: bool) -> None:  # noqa: FBT001 - a case
    messages = read(text(TASK), [use()], text(said))
    assert not pair(messages).unanswered
    assert is_observation(messages[2]) is observed


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("The user denied this operation and gave:\n<feedback>\nuse 8765\n</feedback>", "use 8765"),
        ('{"status":"denied","feedback":"use 8765"}', "use 8765"),
        ('{"status":"denied","feedback":[1]}', ""),
        ('{"status":"denied", and no JSON', ""),
        ("The user denied this operation.", ""),
        ("seven <feedback>\nuse 8765\n</feedback>", ""),
    ],
)
def test_what_the_person_says_when_they_deny_a_call_is_kept(said: str, heard: str) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    for content in (said, [*text(said), picture]):
        block = {"type": "tool_result", "tool_use_id": "c", "content": content}
        assert said_with_refusal(read(text(TASK), [use()], [block])[2]) == heard
    assert said_with_refusal(read(text(TASK), [use()], text(f"[read_file for 'x'] Result:\n{said}"))[2]) == heard


def test_the_heading_of_a_result_with_a_picture_is_the_apps() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    said = [*text("[read_file for 'x'] Result:\nseven"), picture]
    result = read(text(TASK), [use()], [{"type": "tool_result", "tool_use_id": "c", "content": said}])[2]
    assert (result.text, is_observation(result)) == ("seven", True)


def test_a_fold_keeps_a_request_that_names_files() -> None:
    asked = text("<task>\nMIGRATE per 'a.md'\n</task>\n\n<file_content path=\"a.md\">\n1\n</file_content>", DETAILS)
    work = [said for _ in range(12) for said in ([use()], text("[read_file for 'x'] Result:\n" + "line " * 60))]
    conversation = parse(rows(asked, *work))
    window = list(SummarizeOldest(0, 6, retain="discard").visit(conversation.messages).messages)
    left = written(conversation, window)
    assert len(left) < len(work)
    assert asked[:1] in [row["content"][:1] for row in left]


def test_a_failure_is_an_error_and_keeps_the_tools_words() -> None:
    failed = "The tool execution failed with the following error:\n<error>\nno file\n</error>"
    result = read(text(TASK), [use()], [{"type": "tool_result", "tool_use_id": "c", "content": failed}])[2]
    assert (result.is_error, result.text) == (True, failed)


def test_a_summary_that_the_model_wrote_through_a_tool_is_no_evidence() -> None:
    result = read(text(TASK), [use("summarize_task")], text("[summarize_task] Result:\nThe total was 7"))[2]
    assert not is_observation(result)


def test_a_picture_behind_a_result_is_of_the_result() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWk="}}
    messages = read(text(TASK), [use()], [*text("[read_file for 'x'] Result:\nseven"), picture, *text(DETAILS)])
    assert [message.role for message in messages] == ["user", "assistant", "tool", "user"]
    assert len(messages[2].content) == 2


def test_what_roo_condensed_is_a_frame_with_the_rows_that_name_it() -> None:
    value = roo_condensed(TALK)
    conversation = parse(value)
    (frame,) = (message for message in conversation.messages if frame_kind(message) is not None)
    span = span_of(frame, conversation.folded)
    assert span is not None
    hidden = [row for row in value if row.get("condenseParent") == "k"]
    assert len(hidden) == 3
    assert span.originals == conversation.messages[: conversation.messages.index(frame)]
    kept = written(conversation, list(conversation.messages[1:]))
    assert [row["isSummary"] for row in kept if "isSummary" in row] == [True]


def test_what_a_truncation_hid_is_still_in_the_file() -> None:
    value = rows(text(TASK), text("a"), text("<feedback>\nb\n</feedback>"), text("c"))
    value[1]["truncationParent"] = value[2]["truncationParent"] = "t"
    mark = "[Sliding window truncation: 2 messages hidden to reduce context]"
    value.insert(3, {"role": "user", "content": mark, "isTruncationMarker": True, "truncationId": "t", "ts": 5})
    conversation = parse(value)
    frame = conversation.messages[3]
    span = span_of(frame, conversation.folded)
    assert span is not None
    assert span.originals == conversation.messages[1:3]


def test_a_notice_of_what_was_left_out_is_a_frame_without_originals() -> None:
    notice = "[NOTE] Some previous conversation history with the user has been removed to maintain optimal length."
    conversation = parse(rows(text(TASK), text(notice), text("<feedback>\nb\n</feedback>")))
    assert [frame_kind(message) for message in conversation.messages] == [None, "summary", None]
    assert conversation.folded == ()


def test_a_new_summary_that_opens_the_window_is_one_that_roo_knows() -> None:
    conversation = parse(cline_native(TALK))
    first, *_ = written(conversation, [SUMMARY, *conversation.messages[-1:]])
    assert (first["role"], first["isSummary"]) == ("user", True)
    assert isinstance(first["ts"], int)
    behind = written(conversation, [conversation.messages[0], SUMMARY])
    assert not any("isSummary" in row for row in behind)


def test_reasoning_of_another_provider_is_reasoning() -> None:
    block = {"type": "reasoning", "text": "hm", "summary": []}
    message = read(text(TASK), [block, *text("ok")])[1]
    assert message.thinking_blocks == (block,)
    assert message.text == "ok"


def test_a_task_without_times_is_known_by_its_first_words() -> None:
    value: Json = [{"role": "user", "content": text(TASK)}, {"role": "assistant", "content": text("ok")}]
    assert detect(value) == "cline_task"
    assert detect([{"role": "user", "content": "fix it"}]) == "openai_chat"


def test_rows_that_cannot_be_read_are_reported_and_the_rest_is_read() -> None:
    value = rows(text(TASK), [use(name=None)], text("<feedback>\nb\n</feedback>"), text("c"))
    value += [{"role": "wizard", "content": "x", "ts": 1}, 5, {"role": "user", "content": 5, "ts": 1}]
    conversation = parse(value)
    assert [damage.path for damage in conversation.damage] == [
        "$[1].content[0]",
        "$[4].role",
        "$[5]",
        "$[6].content",
    ]
    assert conversation.messages[-1].text == "c"
