"""Pydantic AI histories: what the real files say, counted in their JSON by another route, and every quirk by itself."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_python_frameworks import pydantic_ai, pydantic_ai_merged, pydantic_ai_new
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import OPENINGS, Message, author_of, calls_of, frame_kind, pair
from foldproof.transcripts import Conversation, dump, parse, read_text
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts"
FILES = sorted((DATA / "pydantic_ai").glob("*.json"))
SPEAKERS = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool"}


def request(*parts: Json, **more: Json) -> dict[str, Any]:
    return {"kind": "request", "parts": list(parts), **more}


def response(*parts: Json, **more: Json) -> dict[str, Any]:
    return {"kind": "response", "parts": list(parts), **more}


def prompt(content: Json = "hi") -> dict[str, Any]:
    return {"part_kind": "user-prompt", "content": content}


def text(content: Json = "so") -> dict[str, Any]:
    return {"part_kind": "text", "content": content}


def call(**more: Json) -> dict[str, Any]:
    return {"part_kind": "tool-call", "tool_name": "search", "args": {"q": 1}, "tool_call_id": "c", **more}


def returned(content: Json = "7", **more: Json) -> dict[str, Any]:
    return {"part_kind": "tool-return", "tool_name": "search", "content": content, "tool_call_id": "c", **more}


def messages(*rows: Json) -> tuple[Message, ...]:
    return parse(list(rows), format="pydantic_ai").messages


def written(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


def parts_of(message: Message) -> list[dict[str, Any]]:
    return [part.model_dump(by_alias=True) for part in message.content if not isinstance(part, str)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_file_says_what_its_json_says(path: Path) -> None:
    rows = json.loads(path.read_text(encoding="utf-8"))
    read = parse(rows).messages
    roles: list[str] = []
    for row in rows:
        kinds = [part["part_kind"] for part in row["parts"]]
        roles += ["assistant"] if row["kind"] == "response" else [SPEAKERS[kind] for kind in kinds]
    assert [message.role for message in read] == roles
    parts = [part for row in rows for part in row["parts"]]
    calls = [part for part in parts if part["part_kind"] == "tool-call"]
    assert [(one.id, one.name, one.args) for message in read for one in calls_of(message)] == [
        (
            one["tool_call_id"],
            one["tool_name"],
            json.loads(one["args"]) if isinstance(one["args"], str) else one["args"],
        )
        for one in calls
    ]
    assert [message.text for message in read if message.role == "tool"] == [
        part["content"] for part in parts if part["part_kind"] == "tool-return"
    ]
    assert not pair(read).orphans
    assert not pair(read).unanswered
    signatures = [part["signature"] for part in parts if part["part_kind"] == "thinking"]
    thoughts = [part for message in read for part in parts_of(message) if part["type"] == "thinking"]
    assert [thought["continuity"]["signature"] for thought in thoughts] == signatures


@pytest.mark.parametrize("number", [3, 33, 52])
def test_a_conversation_reads_like_the_same_one_in_langchain(number: int) -> None:
    name = f"taubench_airline_{number}.json"
    ours = json.loads((DATA / "pydantic_ai" / name).read_text(encoding="utf-8"))
    other = json.loads((DATA / "langchain" / f"dict_{name}").read_text(encoding="utf-8"))
    assert [(message.role, message.text, message.tool_call_id) for message in parse(ours).messages] == [
        (message.role, message.text, message.tool_call_id) for message in parse(other).messages
    ]


def test_messages_one_a_line_are_one_conversation() -> None:
    lines = "\n".join(map(json.dumps, pydantic_ai(TALK)))
    (conversation,) = read_text(lines, name="f")
    assert conversation.messages == parse(pydantic_ai(TALK)).messages


def test_arguments_are_an_object_or_its_text_or_nothing() -> None:
    given: list[Json] = [{"q": 1}, '{"q": 1}', "", None, "{nonsense"]
    (said,) = messages(response(*[call(args=args, tool_call_id=f"c{at}") for at, args in enumerate(given)]))
    assert [one.args for one in calls_of(said)] == [{"q": 1}, {"q": 1}, {}, {}, "{nonsense"]


@pytest.mark.parametrize(
    ("content", "shown"),
    [("7", "7"), ({"a": [1, "é"]}, '{"a":[1,"é"]}'), ([1, 2], "[1,2]"), (None, "null"), (7, "7"), ("", "")],
)
def test_a_result_is_read_as_the_model_was_shown_it(content: Json, shown: str) -> None:
    assert messages(response(call()), request(returned(content)))[1].content == shown


def test_files_in_prompts_and_results_are_file_parts() -> None:
    image = {"kind": "image-url", "url": "https://example.org/a.png"}
    binary = {"kind": "binary", "data": "aGk=", "media_type": "application/pdf", "identifier": "f1"}
    read = messages(
        request(prompt(["look", image, {"kind": "cache-point"}, {"kind": "text-content", "content": "and"}])),
        response(call()),
        request(returned(["see", binary])),
    )
    assert read[0].text == "look\nand"
    assert parts_of(read[0])[1]["file"]["source"] == {"type": "url", "url": "https://example.org/a.png"}
    assert [part["type"] for part in parts_of(read[2])] == ["text", "file"]
    assert parts_of(read[2])[1]["file"] == {
        "kind": "document",
        "mimeType": "application/pdf",
        "name": "f1",
        "source": {"type": "base64", "data": "aGk="},
    }


SKIPPED = "Tool not executed - a final result was already processed."


@pytest.mark.parametrize(
    ("part", "author", "failed"),
    [
        (returned("7"), "tool", None),
        (returned("no such flight", outcome="failed"), "tool", True),
        (returned("try a later date", outcome="retried", retry={"cause": "model_retry"}), "tool", True),
        (returned([{"loc": ["q"], "input": "AB12"}], outcome="retried"), "library", True),
        (returned("No such tool", outcome="retried", retry={"cause": "unknown_tool"}), "library", True),
        (returned('[foldproof evidence check] …\n"AB12"', outcome="retried"), "library", True),
        (returned("The tool call was denied.", outcome="denied"), "library", None),
        (returned("interrupted", outcome="interrupted"), "library", None),
        (returned("x", metadata={"pydantic_ai_synthesized_tool_return": True}), "library", None),
        (returned(SKIPPED), "library", None),
        (returned("Final result processed."), "library", None),
        ({"part_kind": "retry-prompt", "tool_name": "search", "content": "later", "tool_call_id": "c"}, "tool", True),
        (
            {
                "part_kind": "retry-prompt",
                "tool_name": "search",
                "content": [{"loc": ["q"], "input": "AB12", "msg": "no"}],
                "tool_call_id": "c",
            },
            "library",
            True,
        ),
        (
            {
                "part_kind": "retry-prompt",
                "tool_name": "serch",
                "content": "Unknown tool name: 'serch'. Available tools: 'search'",
                "tool_call_id": "c",
            },
            "library",
            True,
        ),
    ],
)
def test_whose_words_a_result_is(part: dict[str, Any], author: str, *, failed: bool | None) -> None:
    read = messages(request(prompt()), response(call()), request(part))
    assert read[2].role == "tool"
    assert author_of(read[2]) == author
    assert read[2].is_error is failed
    assert not pair(read).orphans


@pytest.mark.parametrize("kind", ["retry-prompt", "retry-feedback"])
def test_a_correction_without_a_call_is_nobodys_words(kind: str) -> None:
    content = [{"loc": ["code"], "input": "AB12"}]
    (_, _, correction) = messages(request(prompt()), response(text()), request({"part_kind": kind, "content": content}))
    assert (correction.role, author_of(correction)) == ("user", "library")
    assert "AB12" in correction.text


def test_what_a_tool_adds_to_its_result_is_not_the_persons() -> None:
    read = messages(request(prompt()), response(call()), request(returned(), prompt("the screenshot shows AB12")))
    assert [author_of(message) for message in read] == ["person", "model", "tool", "app"]


def test_what_follows_the_end_of_a_run_is_the_persons() -> None:
    ends = returned("Final result processed.")
    read = messages(request(prompt()), response(call()), request(ends, prompt("and tomorrow?")))
    assert [author_of(message) for message in read] == ["person", "model", "library", "person"]
    also = returned(tool_call_id="d")
    read = messages(request(prompt()), response(call(), call(tool_call_id="d")), request(ends, also, prompt("AB12")))
    assert [author_of(message) for message in read[2:]] == ["library", "tool", "app"]


def test_results_come_ahead_of_the_other_parts_of_their_request() -> None:
    read = messages(response(call()), request({"part_kind": "system-prompt", "content": "be"}, returned()))
    assert [message.role for message in read] == ["assistant", "tool", "system"]


def test_what_is_left_of_a_request_still_means_what_it_did() -> None:
    rows = [request(prompt()), response(call()), request(returned(), prompt("the screenshot shows AB12")), response()]
    conversation = parse(rows)
    left = (conversation.messages[0], *conversation.messages[3:])
    raw = written(conversation.replace(left))
    assert parse(raw).messages == left
    assert author_of(parse(raw).messages[1]) == "app"
    assert [part["part_kind"] for part in raw[1]["parts"]] == ["user-prompt"]


def test_a_response_that_thinks_says_and_calls_is_one_message() -> None:
    thought = {"part_kind": "thinking", "content": "hm", "signature": "s", "provider_name": "anthropic", "id": "t1"}
    hidden = {"part_kind": "thinking", "content": "", "signature": "x", "id": "redacted_thinking"}
    row = response(thought, hidden, text(), call(), model_name="m", finish_reason="stop", provider_response_id="r")
    (said,) = messages(row)
    assert parts_of(said) == [
        {"type": "thinking", "text": "hm", "id": "t1", "continuity": {"provider": "anthropic", "signature": "s"}},
        {"type": "thinking", "text": "", "redacted": True, "continuity": {"signature": "x"}},
        {"type": "text", "text": "so"},
    ]
    assert (said.model, said.finish_reason, said.id) == ("m", "stop", "r")


def test_a_tool_that_the_provider_ran_is_one_part_with_its_result() -> None:
    ran = {"tool_name": "web_search", "tool_call_id": "s", "provider_name": "anthropic"}
    answer = ran | {"part_kind": "builtin-tool-return", "content": [{"title": "T"}]}
    (said,) = messages(response(ran | {"part_kind": "builtin-tool-call", "args": {"query": "x"}}, answer, text()))
    tool = {"id": "s", "name": "web_search", "continuity": {"provider": "anthropic"}, "result": [{"title": "T"}]}
    assert parts_of(said) == [tool | {"type": "provider-tool", "input": {"query": "x"}}, {"type": "text", "text": "so"}]
    (_, later) = messages(response(ran | {"part_kind": "builtin-tool-call", "args": "{}"}), response(answer))
    assert parts_of(later) == [tool | {"type": "provider-tool-result"}]


def test_instructions_are_read_once_and_the_last_ones_are_told() -> None:
    rows = [request(prompt(), instructions="be brief"), response(call()), request(returned(), instructions="be brief")]
    conversation = parse(rows)
    assert [message.role for message in conversation.messages] == ["system", "user", "assistant", "tool"]
    assert "instructions" not in conversation.extras
    later = parse([*rows, response(text()), request(prompt(), instructions="be kind")])
    assert later.extras["instructions"] == "be kind"


def test_instructions_outlive_their_request_and_leave_all_requests_when_they_leave() -> None:
    rows = [request(prompt(), instructions="be"), response(text()), request(prompt("on"), instructions="be")]
    conversation = parse(rows)
    system, _, _, last = conversation.messages
    assert parse(written(conversation.replace([system, last]))).messages == (system, last)
    without = written(conversation.replace([last]))
    assert [row["instructions"] for row in without] == [None]
    assert parse(without).messages == (last,)


def test_the_summary_of_a_provider_stands_for_what_is_ahead_of_it() -> None:
    summary = {"part_kind": "compaction", "content": "they asked about AB12", "provider_name": "anthropic"}
    rows = [
        request(prompt("AB12?")),
        response(call()),
        request(returned("AB12: 7")),
        response(summary, text()),
        request(prompt()),
    ]
    conversation = parse(rows)
    assert [message.role for message in conversation.messages] == [
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
        "user",
    ]
    frame = conversation.messages[3]
    assert frame_kind(frame) == "summary"
    (span,) = conversation.folded
    assert span.originals == conversation.messages[:3]
    assert span.fingerprint == frame.fingerprint


def test_the_summary_of_a_provider_stays_whole_without_its_originals() -> None:
    summary = {"part_kind": "compaction", "content": "they asked about AB12", "provider_name": "anthropic"}
    rows = [request(prompt("AB12?")), response(text("7"), summary, text()), request(prompt())]
    conversation = parse(rows)
    left = conversation.messages[2:]
    raw = written(conversation.replace(left))
    assert parse(raw).messages == left
    assert [part["part_kind"] for part in raw[0]["parts"]] == ["compaction", "text"]
    assert written(conversation.replace(conversation.messages)) == rows


def test_a_summary_that_nobody_can_read_stays_with_its_response() -> None:
    sealed = {"part_kind": "compaction", "content": None, "provider_details": {"encrypted_content": "x"}}
    (_, said) = messages(request(prompt()), response(sealed))
    assert parts_of(said) == [sealed | {"type": "compaction"}]


def test_the_summary_of_an_app_is_a_frame_without_originals() -> None:
    conversation = parse([request({"part_kind": "compaction", "content": "so far"}), request(prompt())])
    frame = conversation.messages[0]
    assert (frame_kind(frame), frame.folded_exempt) == ("summary", None)
    assert conversation.folded == ()


def test_a_summary_frame_of_ours_is_a_compaction_where_the_version_takes_one() -> None:
    frames = [Message(role="user", content=f"{OPENINGS[kind]} x") for kind in ("summary", "drop-notice")]
    for shape, kinds in ((pydantic_ai_new, ["compaction", "user-prompt"]), (pydantic_ai, ["user-prompt"] * 2)):
        conversation = parse(shape(TALK))
        systems = [message for message in conversation.messages if message.role == "system"]
        raw = written(conversation.replace([*systems, *frames]))
        rows = raw if isinstance(raw, list) else raw["message_history"]
        assert [row["parts"][0]["part_kind"] for row in rows[1:]] == kinds


def test_merged_requests_say_what_they_said_before() -> None:
    both = [parse(shape(TALK)).messages for shape in (pydantic_ai, pydantic_ai_merged)]
    said = [[(message.role, message.text) for message in read] for read in both]
    assert said[0] == said[1]


def test_parts_that_only_record_a_setup_are_no_messages_and_stay() -> None:
    setup = {"part_kind": "tool-availability-delta", "tools_added": ["x"]}
    delta = {"part_kind": "instruction-delta", "id": "agent", "content": "be kind"}
    rows = [request(setup, prompt()), request(prompt("on"), delta, delta | {"content": None}, setup)]
    conversation = parse(rows)
    assert [message.role for message in conversation.messages] == ["user", "user", "system"]
    assert conversation.damage == ()
    raw = written(conversation.replace(conversation.messages[1:2]))
    assert [part["part_kind"] for part in raw[0]["parts"]] == [
        "user-prompt",
        "instruction-delta",
        "tool-availability-delta",
    ]


@pytest.mark.parametrize(
    ("row", "path", "words"),
    [
        (7, "$[1]", "expected an object"),
        (request(7, prompt("x")), "$[1].parts[0]", "expected a part"),
        (request(prompt(7), prompt("x")), "$[1].parts[0].content", "found 7"),
        (request(prompt([7]), prompt("x")), "$[1].parts[0].content[0]", "found 7"),
        (request({"part_kind": "hologram"}, prompt("x")), "$[1].parts[0]", "unknown part kind 'hologram'"),
        (request({"part_kind": "tool-return"}, prompt("x")), "$[1].parts[0]", "expected content"),
        (response(call(tool_name=None), text()), "$[1].parts[0].tool_name", "expected text"),
        (response({"part_kind": "aura"}, text()), "$[1].parts[0]", "unknown part kind 'aura'"),
        ({"kind": "echo", "parts": []}, "$[1]", "unknown message kind 'echo'"),
        ({"kind": "request", "parts": 7}, "$[1].parts", "expected a list of parts"),
    ],
)
def test_what_cannot_be_read_is_reported_and_stays(row: Json, path: str, words: str) -> None:
    rows = [request(prompt("first")), row, request(prompt("last"))]
    conversation = parse(rows)
    assert [damage.path for damage in conversation.damage] == [path]
    assert words in conversation.damage[0].cause
    assert (conversation.messages[0].text, conversation.messages[-1].text) == ("first", "last")
    assert written(conversation.replace(conversation.messages[:-1])) == rows[:2]
    with pytest.raises(TranscriptError):
        parse(rows, strict=True)


def test_swapped_rows_are_swapped_messages() -> None:
    read = messages(request(returned()), response(call()))
    assert [message.role for message in read] == ["tool", "assistant"]
    assert pair(read).orphans == (0,)


@pytest.mark.parametrize(
    "other",
    [
        [],
        [{"kind": "request", "parts": []}],
        [{"role": "user", "parts": [{"text": "x"}]}],
        {"messages": [{"role": "user", "content": "x"}]},
        [{"kind": "request", "parts": [{"type": "text"}]}],
    ],
)
def test_other_documents_are_left_to_other_formats(other: Json) -> None:
    with pytest.raises(TranscriptError, match="not pydantic_ai"):
        parse(other, format="pydantic_ai")
