"""What a provider's own tools gave back, among the model's words; and half a word at the cut of a result."""

from __future__ import annotations

from typing import Any

import pytest

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.reading import evidence_in, said_by_tools
from foldproof.messages import Message, Segment, TextPart


def tool(result: object) -> dict[str, Any]:
    return {"type": "provider-tool", "id": "s", "name": "web_search", "input": {"query": "fees"}, "result": result}


def block(kind: str, content: object) -> dict[str, Any]:
    return {"type": kind, "tool_use_id": "s", "content": content}


def model(*parts: dict[str, Any]) -> Message:
    return Message.model_validate({"role": "assistant", "content": list(parts)})


SAID = [
    (tool("fee 4471"), None),
    (tool({"fee": 4471}), "$.fee"),
    (tool([4471]), "$[0]"),
    (tool({"type": "success", "output": "fee 4471"}), None),
    (tool({"type": "success", "output": {"fee": 4471}}), "$.fee"),
    (tool({"type": "success", "fee": 4471}), "$.fee"),
    (tool({"type": "partial", "output": 4471}), "$.output"),
    (tool({"output": 4471}), "$.output"),
    ({**tool("fee 4471"), "type": "provider-tool-result"}, None),
    (block("web_search_tool_result", [{"title": "fee 4471"}]), "$[0].title"),
    (block("code_execution_tool_result", {"type": "code_execution_result", "stdout": "4471"}), "$.stdout"),
    (block("mcp_tool_result", "fee 4471"), None),
]


@pytest.mark.parametrize(("part", "path"), SAID)
def test_what_a_providers_own_tool_gave_back_is_said_where_it_stands(part: dict[str, Any], path: str | None) -> None:
    messages = [model({"type": "text", "text": "found"}, part)]
    (value,) = EvidenceIndex(messages).judge("The fee is 4471.").values
    assert value.verdict == "grounded"
    (carrier,) = value.carriers
    assert (carrier.part, carrier.path, carrier.text) == (1, path, "4471")


@pytest.mark.parametrize(
    "part",
    [
        tool(None) | {"name": "find"},
        tool({"type": "error", "output": 4471}),
        tool({"type": "tool_error", "message": "fee 4471"}),
        block("web_search_tool_result", {"type": "web_search_tool_result_error", "error_code": "4471"}),
        block("web_search_tool_result", None),
        block("thinking", "fee 4471"),
        block("web_search_tool_call", "fee 4471"),
        {"type": "text", "text": "fee 4471"},
    ],
)
def test_a_failure_and_the_models_own_parts_say_nothing(part: dict[str, Any]) -> None:
    message = model({"type": "text", "text": "found"}, part)
    assert EvidenceIndex([message]).judge("The fee is 4471.").values[0].verdict == "invented"
    assert evidence_in([message]) == []


def test_what_the_model_put_into_a_providers_own_tool_is_an_echo() -> None:
    given = {"input": {"order": 4471}}
    calls = [
        {**tool(None), **given, "name": "find"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", **given},
        {"type": "mcp_tool_use", "id": "s", "name": "find", **given},
    ]
    for part in calls:
        message = model({"type": "text", "text": "looking"}, part)
        assert [value.verdict for value in EvidenceIndex([message]).judge("4471 or 4472").values] == [
            "echoed",
            "invented",
        ]
    others = [{**block("web_search_tool_result", None), **given}, {"type": "thinking", **given}]
    for part in others:
        assert EvidenceIndex([model(part)]).judge("4471").values[0].verdict == "invented"


def test_words_of_a_provider_output_are_found_as_they_are_spelled() -> None:
    message = model(tool({"host": "Zürich-alpha"}))
    (value,) = EvidenceIndex([message]).judge("Zürich-alpha", options=EvidenceOptions(shapes=(r"Zürich-\w+",))).values
    assert (value.verdict, value.how) == ("grounded", "exact")


def test_a_frame_names_every_message_in_which_a_tool_said_something_and_no_other() -> None:
    output = model(tool({"fee": 4471}))
    result = Message(role="tool", content="fee 4471", tool_call_id="c")
    person = Message(role="user", content=(TextPart(text="fee 4471"),))
    other = model({"type": "text", "text": "fee 4471"})
    said = Message(role="assistant", content="fee 4471")
    named = [f"sha256:{message.fingerprint[:16]}" for message in (output, result)]
    assert evidence_in([person, output, other, result, said]) == named


@pytest.mark.parametrize(
    ("words", "cut", "said"),
    [
        ("order 44711", 10, "order "),  # inside a word: the tool never said 4471
        ("order-44711", 10, "order-"),
        ("a bc", 3, "a "),
        ("order 4471 and", 10, "order 4471"),
        ("order 4471, and", 11, "order 4471,"),
        ("order 4471", 10, "order 4471"),
        ("order 4471", 5, "order"),
        ("order 4471", 4, ""),
    ],
)
def test_a_word_that_the_cut_falls_inside_was_not_said(words: str, cut: int, said: str) -> None:
    whole = Message(role="tool", content=words, tool_call_id="c", tool_chars=cut)
    assert said_by_tools(whole) == (Segment(None, said),)
    parts = (TextPart(text="fee"), TextPart(text=words), TextPart(text="never"))
    in_parts = Message(role="tool", content=parts, tool_call_id="c", tool_chars=3 + cut)
    assert said_by_tools(in_parts) == (Segment(0, "fee"), Segment(1, said))
