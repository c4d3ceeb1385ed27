"""Nobody is accused where the model was shown what has no words here: a picture, a file, a search kept encrypted."""

from __future__ import annotations

from typing import Any

import pytest

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.messages import Message


def message(role: str, *parts: dict[str, Any], **more: Any) -> Message:  # noqa: ANN401 - fields of a message
    return Message.model_validate({"role": role, "content": list(parts), **more})


def verdict(*said: Message, text: str = "It is 4471.", **options: Any) -> str:  # noqa: ANN401 - options
    (value,) = EvidenceIndex(said, options=EvidenceOptions(**options)).judge(text).values
    return value.verdict


def file(kind: str, source: dict[str, str]) -> dict[str, Any]:
    return {"type": "file", "file": {"kind": kind, "mimeType": "text/plain", "name": "a", "source": source}}


TEXT = {"type": "text", "text": "see"}
WORDLESS = [
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    {"type": "input_image", "image_url": "https://example.com/a.png"},
    {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
    {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
    {"type": "document", "source": {"type": "content", "content": [TEXT, {"type": "image"}]}},
    {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
    {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}},
    {
        "type": "file",
        "file": {"kind": "image", "mimeType": "image/png", "name": "a", "source": {"type": "url", "url": "x"}},
    },
    {"type": "of_a_newer_version", "data": "AAAA"},
]


@pytest.mark.parametrize("part", WORDLESS, ids=str)
def test_what_may_stand_in_a_picture_or_a_file_is_undecidable(part: dict[str, Any]) -> None:
    assert verdict(message("user", TEXT, part)) == "undecidable"
    assert verdict(message("tool", part, toolCallId="1")) == "undecidable"
    assert verdict(message("user", TEXT, part), unread="invented") == "invented"
    assert verdict(message("user", part), message("user", {"type": "text", "text": "order 4471"})) == "exempt"


WITH_WORDS = [
    TEXT,
    {"type": "input_text", "text": "see"},
    {
        "type": "file",
        "file": {"kind": "text", "mimeType": "text/plain", "name": "a", "source": {"type": "text", "content": "x"}},
    },
    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
    {"type": "search_result", "source": "/a", "title": "b", "content": [TEXT]},
    {"document": {"name": "a", "source": {"content": [{"text": "x"}]}}},
    {"cachePoint": {"type": "default"}},
    {"type": "tool_reference", "tool_name": "find"},
]


@pytest.mark.parametrize("part", WITH_WORDS, ids=str)
def test_what_has_words_or_says_nothing_hides_nothing(part: dict[str, Any]) -> None:
    assert verdict(message("user", part)) == "invented"


def search(**result: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "fee"}}
    found = {"type": "web_search_result", "title": "Fees", "url": "https://example.com", **result}
    return [call, {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]}]


def test_a_search_that_the_provider_encrypts_is_evidence_that_is_missing() -> None:
    assert verdict(message("assistant", *search(encrypted_content="abc"))) == "undecidable"
    assert verdict(message("assistant", *search())) == "invented"


def test_a_search_whose_findings_are_left_out_is_evidence_that_is_missing_until_they_come() -> None:
    call = {"type": "provider-tool", "id": "p1", "name": "web_search", "input": {"query": "fee"}}
    result = {"type": "provider-tool-result", "id": "p1", "name": "web_search", "result": "nothing"}
    assert verdict(message("assistant", call)) == "undecidable"
    assert verdict(message("assistant", call), message("assistant", result)) == "invented"
    assert verdict(message("assistant", call | {"result": {"fee": 4471}})) == "grounded"
    assert verdict(message("assistant", call | {"name": "find"})) == "invented"  # one that has not run yet


def test_reasoning_that_is_encrypted_hides_no_evidence() -> None:
    assert (
        verdict(message("assistant", TEXT, {"type": "reasoning", "encrypted_content": "abc", "summary": []}))
        == "invented"
    )


def test_history_that_a_provider_compacted_for_itself_is_missing() -> None:
    assert verdict(message("assistant", {"type": "compaction", "encrypted_content": "abc"})) == "undecidable"


def test_what_a_model_makes_is_its_own() -> None:
    assert (
        verdict(message("assistant", TEXT, {"type": "image", "source": {"type": "base64", "data": "AAAA"}}))
        == "invented"
    )
