"""Parts: the Axle union as its documentation gives it; whatever else a content holds is kept whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from tests.messages.generators import Object, canonical, known_parts, parts, says, unknown_parts

from foldproof.messages import (
    CitationPart,
    FileInfo,
    FilePart,
    Message,
    OpaquePart,
    Part,
    ProviderToolPart,
    ProviderToolResultPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    part_text,
)

PART: TypeAdapter[Any] = TypeAdapter(Part)
FILE = {
    "kind": "text",
    "mimeType": "text/plain",
    "name": "notes.txt",
    "source": {"type": "text", "content": "two words"},
}


def read(part: object) -> Part:
    found: Part = PART.validate_python(part)
    return found


def written(part: Part) -> object:
    return PART.dump_python(part, mode="json")


@given(parts)
def test_round_trip_of_any_part(part: Object) -> None:
    assert canonical(written(read(part))) == canonical(part)
    assert canonical(written(PART.validate_json(canonical(part)))) == canonical(part)


@given(known_parts)
def test_a_part_of_the_union_is_never_opaque(part: Object) -> None:
    assert not isinstance(read(part), OpaquePart)


@given(unknown_parts.filter(lambda part: not isinstance(part.get("type"), str)))
def test_a_part_without_a_type_is_opaque(part: Object) -> None:
    assert type(read(part)) is OpaquePart


@pytest.mark.parametrize(
    ("kind", "part", "fields"),
    [
        (TextPart, {"type": "text", "text": "t"}, {"citations": [1], "providerMetadata": {"a": 1}}),
        (FilePart, {"type": "file", "file": FILE}, {}),
        (ToolCallPart, {"type": "tool-call", "id": "1", "name": "n", "parameters": {}}, {"providerMetadata": {"a": 1}}),
        (ThinkingPart, {"type": "thinking"}, {"id": "1", "text": "t", "summary": "s", "redacted": True}),
        (ThinkingPart, {"type": "thinking"}, {"continuity": {"provider": "openai"}, "providerMetadata": {}}),
        (
            ProviderToolPart,
            {"type": "provider-tool", "id": "1", "name": "n"},
            {"input": {}, "result": {}, "continuity": {}},
        ),
        (
            ProviderToolResultPart,
            {"type": "provider-tool-result", "id": "1", "name": "n"},
            {"result": {}, "continuity": {}},
        ),
        (CitationPart, {"type": "citation", "citations": []}, {"providerMetadata": {"a": 1}}),
        (OpaquePart, {"type": "hologram", "text": "t"}, {}),
        (OpaquePart, {"type": 7}, {}),
        (OpaquePart, {"id": "call-1", "name": "look", "content": "42"}, {}),
        (OpaquePart, {}, {}),
    ],
)
def test_each_part_of_the_seed_and_each_of_its_fields(kind: type[BaseModel], part: Object, fields: Object) -> None:
    found = read(part | fields)
    assert type(found) is kind
    assert set(found.model_extra or ()) == (set(part) if kind is OpaquePart else set())
    assert written(found) == part | fields


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "text", "text": 3, "citations": []},
        {"type": "text", "text": ["a"]},
        {"type": "file", "file": "notes.txt"},
        {"type": "file", "file": {"kind": "text"}},
        {"type": "file", "file": FILE | {"kind": "video"}},
        {"type": "file", "file": FILE | {"source": "inline"}},
        {"type": "tool-call", "name": "look", "parameters": {}},
        {"type": "tool-call", "id": 5, "name": "look", "parameters": {}},
        {"type": "thinking", "text": 5},
        {"type": "provider-tool", "name": "web_search"},
        {"type": "provider-tool-result", "id": "1"},
    ],
)
def test_a_known_part_with_the_wrong_shape_is_kept_whole_and_has_no_words(part: Object) -> None:
    found = read(part)
    assert type(found) is OpaquePart
    assert written(found) == part
    assert part_text(found) is None


@pytest.mark.parametrize("part", ["words", "", 5, True, None, ["words"], [["type", "text"]]])
def test_a_part_that_is_not_an_object_is_refused_where_it_stands(part: object) -> None:
    with pytest.raises(ValidationError) as refused:
        says("user", [{"type": "text", "text": "before"}, part])
    places = [error["loc"] for error in refused.value.errors()]
    assert any(place[0] == "content" and 1 in place for place in places)


@pytest.mark.parametrize("size", [12, 12.0, 0.5, "12", True, None, 10**20])
def test_the_size_of_a_file_is_kept_as_it_was_read(size: object) -> None:
    part = {"type": "file", "file": FILE | {"size": size}}
    assert canonical(written(read(part))) == canonical(part)
    assert part_text(read(part)) == "two words"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"type": "text", "text": "a\nb"}, "a\nb"),
        ({"type": "text", "text": ""}, ""),
        ({"type": "file", "file": FILE}, "two words"),
        (
            {"type": "file", "file": FILE | {"source": {"type": "url", "url": "https://a.example", "content": "x"}}},
            None,
        ),
        ({"type": "file", "file": FILE | {"source": {"type": "ref", "ref": "x"}}}, None),
        ({"type": "file", "file": FILE | {"kind": "image", "source": {"type": "base64", "data": "eA=="}}}, None),
        ({"type": "file", "file": FILE | {"source": {"type": "text", "content": 5}}}, None),
        ({"type": "file", "file": FILE | {"source": {"type": "text"}}}, None),
        ({"type": "tool-call", "id": "1", "name": "n", "parameters": {"text": "x"}}, None),
        ({"type": "thinking", "text": "x", "summary": "y"}, None),
        ({"type": "provider-tool", "id": "1", "name": "n", "result": {"type": "success", "output": "x"}}, None),
        ({"type": "provider-tool-result", "id": "1", "name": "n", "result": {"type": "success", "output": "x"}}, None),
        ({"type": "citation", "citations": [{"source": {"type": "unknown", "citedText": "x"}}]}, None),
        ({"type": "hologram", "text": "x"}, None),
    ],
)
def test_only_text_and_inline_text_files_have_words(part: Object, words: str | None) -> None:
    assert part_text(read(part)) == words


DATA: Object = {"type": "text", "media_type": "text/plain", "data": "two words"}
TEXTS: list[JsonValue] = [{"type": "text", "text": "two"}, {"type": "text", "text": "words"}]
KEYED: list[JsonValue] = [{"text": "two"}, {"text": "words"}]
PICTURE: Object = {"type": "image", "source": {"type": "base64", "data": "eA=="}}


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"type": "document", "source": DATA}, "two words"),
        ({"type": "document", "source": DATA, "title": "a", "context": "b"}, "a\nb\ntwo words"),
        ({"type": "document", "source": {"type": "content", "content": TEXTS}}, "two\nwords"),
        ({"type": "document", "source": {"type": "content", "content": "two words"}}, "two words"),
        ({"type": "search_result", "source": "/a", "title": "b", "content": TEXTS}, "b\n/a\ntwo\nwords"),
        ({"document": {"format": "txt", "name": "a", "source": {"text": "two words"}}}, "a\ntwo words"),
        ({"document": {"format": "txt", "name": "a", "source": {"content": KEYED}}}, "a\ntwo\nwords"),
        ({"searchResult": {"source": "/a", "title": "b", "content": KEYED}}, "b\n/a\ntwo\nwords"),
        ({"type": "document", "source": {"type": "base64", "data": "eA=="}}, None),
        ({"type": "document", "source": {"type": "url", "url": "https://a.example"}}, None),
        ({"type": "document", "source": {"type": "content", "content": [*TEXTS, PICTURE]}}, None),
        ({"type": "document", "source": {"type": ["text"], "data": "x"}}, None),
        ({"type": "document", "source": "two words"}, None),
        ({"type": "search_result", "source": "/a", "content": 5}, None),
        ({"document": {"format": "pdf", "name": "a", "source": {"bytes": "eA=="}}}, None),
        ({"document": "two words"}, None),
        ({"type": ["input_text"], "text": "x"}, None),
    ],
)
def test_a_document_of_text_and_a_search_result_say_all_that_the_model_is_shown_of_them(
    part: Object, words: str | None
) -> None:
    found = read(part)
    assert type(found) is OpaquePart
    assert part_text(found) == words
    assert written(found) == part


def test_a_part_made_in_python_writes_its_type_and_nothing_that_was_not_set() -> None:
    made = Message(
        role="assistant",
        content=(
            TextPart(text="a"),
            FilePart(file=FileInfo(kind="text", mime_type="text/plain", name="n", source={"type": "url", "url": "u"})),
            ToolCallPart(id="1", name="look"),
            ThinkingPart(),
            ProviderToolPart(id="1", name="web_search"),
            ProviderToolResultPart(id="1", name="web_search", continuity={"p": 1}),
            CitationPart(citations=[], provider_metadata={"p": 1}),
        ),
    )
    assert made.model_dump(mode="json")["content"] == [
        {"type": "text", "text": "a"},
        {
            "type": "file",
            "file": {"kind": "text", "mimeType": "text/plain", "name": "n", "source": {"type": "url", "url": "u"}},
        },
        {"type": "tool-call", "id": "1", "name": "look"},
        {"type": "thinking"},
        {"type": "provider-tool", "id": "1", "name": "web_search"},
        {"type": "provider-tool-result", "id": "1", "name": "web_search", "continuity": {"p": 1}},
        {"type": "citation", "citations": [], "providerMetadata": {"p": 1}},
    ]


@given(parts)
def test_a_part_is_frozen(part: Object) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        setattr(read(part), "type", "text")  # noqa: B010 - as an assignment it does not pass the type checker
