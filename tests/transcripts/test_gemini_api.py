"""The Gemini API: what its real files hold, counted in their raw JSON, and what an odd document becomes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, ThinkingPart, author_of, frame_kind, pair
from foldproof.transcripts import detect, dump, load, parse
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "gemini_api"
EXCHANGES = sorted(DATA.glob("*.json"))
RECORDED = sorted(DATA.glob("*.responses"))
BROWSER = DATA / "browser-agent.persistent-session.responses"


def raw(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def raw_parts(path: Path) -> list[dict[str, Any]]:
    """Every part of an exchange, under the spelling of the API reference."""
    document = raw(path)
    contents = [*document["request"]["contents"], document["response"]["candidates"][0]["content"]]
    text = json.dumps([part for content in contents for part in content["parts"]])
    for snake, camel in (("function_call", "functionCall"), ("function_response", "functionResponse")):
        text = text.replace(f'"{snake}"', f'"{camel}"')
    parts: list[dict[str, Any]] = json.loads(text)
    return parts


def written(raw_document: Json, window: list[Message]) -> Json:
    out = io.StringIO()
    dump(parse(raw_document).replace(window), out)
    return json.loads(out.getvalue())


def request(*contents: dict[str, Any], **more: Json) -> dict[str, Any]:
    return {"contents": list(contents), **more}


def said(role: str, *parts: Json) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def call(name: str, **more: Json) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **more}}


def response(name: str, value: Json, **more: Json) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": value, **more}}


@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: path.name[-30:])
def test_every_call_and_every_result_of_a_recorded_exchange_is_there(path: Path) -> None:
    parts = raw_parts(path)
    messages = load(path).messages
    calls = [call for message in messages for call in message.tool_calls]
    expected = [part["functionCall"] for part in parts if "functionCall" in part]
    assert [(call.name, call.args) for call in calls] == [(call["name"], call["args"]) for call in expected]
    results = [message.tool_call_id for message in messages if message.role == "tool"]
    assert results == [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
    pairing = pair(messages)
    assert not pairing.orphans
    assert {pairing_call.message for pairing_call in pairing.unanswered} <= {len(messages) - 1}  # the response calls
    assert not load(path).damage


@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: path.name[-30:])
def test_every_signature_rides_beside_what_it_signs(path: Path) -> None:
    signatures = [found for part in raw_parts(path) for name in part if (found := signature(part, name))]
    kept = [
        beside["google"]["thoughtSignature"]
        for message in load(path).messages
        for beside in (
            *(part.model_dump(by_alias=True).get("providerMetadata") for part in parts_of(message)),
            *(call.provider_meta for call in message.tool_calls),
        )
        if beside
    ]
    assert kept == signatures


def signature(part: dict[str, Any], name: str) -> str | None:
    return part[name] if name in ("thoughtSignature", "thought_signature") else None


def parts_of(message: Message) -> tuple[Any, ...]:
    return () if isinstance(message.content, str) else message.content


def test_the_system_instruction_comes_first_and_the_response_last() -> None:
    path = DATA / "pydantic_test_anthropic_to_google_deferred_capability_history_replay_4.json"
    document = raw(path)
    messages = load(path).messages
    assert messages[0].role == "system"
    assert messages[0].text == document["request"]["systemInstruction"]["parts"][0]["text"]
    assert messages[-1].text == document["response"]["candidates"][0]["content"]["parts"][0]["text"]


def test_two_contents_whose_calls_are_answered_together_are_one_message() -> None:
    path = next(path for path in EXCHANGES if path.name.endswith("preview__3.json"))
    first = next(message for message in load(path).messages if message.tool_calls)
    assert [call.name for call in first.tool_calls] == ["load_capability", "search_tools"]


def test_a_file_that_a_framework_hands_over_behind_results_is_no_persons() -> None:
    for path in (path for path in EXCHANGES if "multimodal" in path.name):
        authors = [author_of(message) for message in load(path).messages]
        assert authors == [
            "person", "model", "library", "model", "library", "model", "tool", "app", "model",
        ]  # fmt: skip


def test_what_pydantic_ai_says_of_a_call_it_did_not_run_is_no_observation() -> None:
    for path in (path for path in EXCHANGES if "multimodal" in path.name):
        refused = [
            part["functionResponse"]["response"]["error"] for part in raw_parts(path) if "error" in text_of(part)
        ]
        found = [message for message in load(path).messages if message.tool_result_origin == "not-entered"]
        assert [message.text for message in found] == refused
        assert all(message.is_error for message in found)


def text_of(part: dict[str, Any]) -> Json:
    return part.get("functionResponse", {}).get("response", {})


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name[:20])
def test_a_file_of_responses_is_the_replies_in_order(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    chunks = [row["response"] if isinstance(row["response"], list) else [row["response"]] for row in rows]
    parts = [
        [part for chunk in reply for part in chunk["candidates"][0].get("content", {}).get("parts", [])]
        for reply in chunks
    ]
    messages = load(path).messages
    assert len(messages) == len(rows)
    for message, reply in zip(messages, parts, strict=True):
        assert message.text.replace("\n", "") == "".join(
            part["text"] for part in reply if "text" in part and not part.get("thought")
        ).replace("\n", "")
        assert [call.id for call in message.tool_calls] == [
            part["functionCall"]["id"] for part in reply if "functionCall" in part
        ]
        thoughts = [part.text for part in parts_of(message) if isinstance(part, ThinkingPart)]
        assert thoughts == [part["text"] for part in reply if part.get("thought")]
    assert len(pair(messages).unanswered) == sum("functionCall" in part for reply in parts for part in reply)


def test_a_frame_has_no_place_among_recorded_responses() -> None:
    conversation = load(BROWSER)
    frame = Message(role="user", content="[foldproof drop notice] x")
    with pytest.raises(TranscriptError, match="nothing can be added"):
        dump(conversation.replace([frame, *conversation.messages[3:]]), io.BytesIO())


def test_results_without_ids_answer_by_name_and_order() -> None:
    document = request(
        said("user", {"text": "go"}),
        said("model", call("a"), call("b"), call("a")),
        said("user", response("b", {"output": "2"}), response("a", {"output": "1"}), response("a", {"output": "3"})),
    )
    messages = parse(document).messages
    ids = [call.id for call in messages[1].tool_calls]
    assert len(set(ids)) == 3
    assert [(message.tool_call_id, message.text) for message in messages[2:]] == [
        (ids[1], "2"),
        (ids[0], "1"),
        (ids[2], "3"),
    ]


def test_a_result_with_an_id_answers_a_call_that_was_recorded_without_one() -> None:
    document = request(said("model", call("a")), said("user", response("a", {"x": 1}, id="7")))
    messages = parse(document).messages
    assert messages[1].tool_call_id == messages[0].tool_calls[0].id
    assert messages[1].text == '{"x": 1}'


def test_a_pending_answer_and_the_final_one_answer_one_call() -> None:
    document = request(
        said("model", call("a")),
        said("user", response("a", {"status": "pending"})),
        said("user", {"text": "well?"}),
        said("user", response("a", {"output": "7"})),
    )
    messages = parse(document).messages
    assert list(pair(messages).results.values()) == [(1, 3)]


def test_a_result_that_answers_nothing_is_an_orphan() -> None:
    messages = parse(request(said("user", response("a", {"output": "x"})))).messages
    assert pair(messages).orphans == (0,)


@pytest.mark.parametrize(
    ("value", "text", "failed"),
    [
        ({"output": "a\nb"}, "a\nb", None),
        ({"result": [1, "é"]}, '[1, "é"]', None),
        ({"error": "no such file"}, "no such file", True),
        ({"error": None, "output": "x"}, '{"error": null, "output": "x"}', None),
        ({"output": "x", "error": "y"}, '{"output": "x", "error": "y"}', True),
        ({"content": [], "isError": True}, '{"content": [], "isError": true}', True),
        ({}, "{}", None),
    ],
)
def test_what_a_tool_said(value: dict[str, Any], text: str, failed: object) -> None:
    messages = parse(request(said("model", call("a")), said("user", response("a", value)))).messages
    assert (messages[1].text, messages[1].is_error) == (text, failed)


def test_a_cancelled_call_never_ran() -> None:
    value = {"error": "[Operation Cancelled] Reason: the user said no"}
    messages = parse(request(said("model", call("a")), said("user", response("a", value)))).messages
    assert author_of(messages[1]) == "library"


@pytest.mark.parametrize(
    "text",
    ["<session_context>\nToday is Monday.", "<hook_context>x</hook_context>", "Please continue."],
)
def test_what_gemini_cli_writes_itself_is_no_persons(text: str) -> None:
    (message,) = parse(request(said("user", {"text": text}))).messages
    assert author_of(message) == "app"


def test_text_in_one_content_with_results_is_in_doubt_and_no_persons() -> None:
    document = request(said("model", call("a")), said("user", {"text": "use 7"}, response("a", {"output": "x"})))
    messages = parse(document).messages
    assert [author_of(message) for message in messages] == ["model", "tool", "app"]
    alone = written(document, [messages[2]])
    assert [author_of(message) for message in parse(alone).messages] == ["app"]


def test_a_persons_text_behind_results_is_the_persons() -> None:
    document = request(
        said("model", call("a")), said("user", response("a", {"output": "x"})), said("user", {"text": "stop"})
    )
    assert author_of(parse(document).messages[2]) == "person"


def test_the_summary_of_gemini_cli_is_a_frame() -> None:
    summary = "scratchpad\n…\n<state_snapshot>\n  <overall_goal>7</overall_goal>\n</state_snapshot>"
    document = request(said("user", {"text": summary}), said("model", {"text": "Got it."}))
    frame = parse(document).messages[0]
    assert frame_kind(frame) == "summary"
    assert frame.text == summary
    assert frame.folded_exempt is None  # what it stands for is not there


def test_code_that_the_model_ran_is_one_part_with_its_result() -> None:
    document = request(
        said(
            "model",
            {"executableCode": {"language": "PYTHON", "code": "print(7)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "7\n"}},
            {"text": "7"},
        )
    )
    (message,) = parse(document).messages
    ran = parts_of(message)[0]
    assert (ran.name, ran.result) == ("code_execution", "7\n")


def test_an_image_is_a_file_and_sound_stays_as_it_is() -> None:
    document = request(
        said(
            "user",
            {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
            {"file_data": {"mime_type": "audio/wav", "file_uri": "gs://x"}},
        )
    )
    image, sound = parts_of(parse(document).messages[0])
    assert image.file.source == {"type": "base64", "data": "AA=="}
    assert sound.model_extra == {"file_data": {"mime_type": "audio/wav", "file_uri": "gs://x"}}


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (said("critic", {"text": "x"}), "$.contents[1].role"),
        ({"role": "user", "parts": "x"}, "$.contents[1].parts"),
        (said("model", {"functionCall": {"args": {}}}), "$.contents[1].parts[0]"),
        (said("model", {"hologramCall": {"a": 1}}), "$.contents[1].parts[0]"),
        (said("user", {"functionResponse": "x"}), "$.contents[1].parts[0]"),
        (said("user", 7), "$.contents[1].parts[0]"),
        (7, "$.contents[1]"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(content: Json, path: str) -> None:
    document = request(said("user", {"text": "a"}), content, said("model", {"text": "b"}))
    conversation = parse(document, format="gemini_api")
    assert [damage.path for damage in conversation.damage] == [path]
    assert [conversation.messages[0].text, conversation.messages[-1].text] == ["a", "b"]


def test_a_removed_content_and_swapped_ones_are_no_silent_loss() -> None:
    document = raw(EXCHANGES[-1])
    contents = document["request"]["contents"]
    before = len(parse(document).messages)
    swapped = {**document, "request": {**document["request"], "contents": contents[::-1]}}
    assert len(parse(swapped).messages) == before
    less = {**document, "request": {**document["request"], "contents": contents[:1] + contents[2:]}}
    assert len(parse(less).messages) == before - 1
    assert pair(parse(less).messages).orphans


@pytest.mark.parametrize(
    "system",
    ["be short", {"parts": [{"text": "be short"}]}, [{"text": "be short"}], {"text": "be short"}, ["be short"]],
)
def test_a_system_instruction_in_each_of_its_shapes(system: Json) -> None:
    document = request(said("user", {"text": "a"}), config={"system_instruction": system})
    assert parse(document).messages[0].text == "be short"


def test_the_response_moves_into_the_request_when_something_follows_it() -> None:
    document = {
        "request": request(said("user", {"text": "a"})),
        "response": {"candidates": [{"content": said("model", {"text": "b"})}]},
    }
    frame = Message(role="user", content="[foldproof drop notice] x")
    changed = written(document, [*parse(document).messages, frame])
    assert changed["response"]["candidates"] == []
    assert [content["role"] for content in changed["request"]["contents"]] == ["user", "model", "user"]


def test_parts_that_name_their_type_are_of_another_format() -> None:
    typed = [{"role": "user", "parts": [{"type": "text", "text": "x"}]}]
    with pytest.raises(TranscriptError):
        parse(typed, format="gemini_api")
    assert detect([said("user", {"text": "x"})]) == "gemini_api"
