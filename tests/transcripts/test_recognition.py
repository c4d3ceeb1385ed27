"""Every real document is known for its own by its format, and by no other that would be asked first."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.transcripts.builders import BUILDERS
from tests.transcripts.talk import TALK
from tests.transcripts.test_real_files import FILES, name_of

from foldproof import Message, TranscriptError, UsageError, parse
from foldproof.transcripts import Codec, parse_as, recognised, written
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.registry import CODECS, recognised_by

ALSO = {("axle", "openai_chat"), ("miniswe_traj", "openai_chat"), ("codex_rollout", "openai_chat")}
"""What a document of the one is for the other too, and rightly: it is a chat."""


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_real_file_is_known_by_its_own_format_alone(path: Path) -> None:
    own, *others = recognised(path)
    assert own.format == path.parent.name
    assert own.reason
    assert [other for other in others if (own.format, other.format) not in ALSO] == []


@pytest.mark.parametrize("shape", BUILDERS)
def test_a_built_document_is_known_by_its_own_format_first(shape: str) -> None:
    name, build = BUILDERS[shape]
    (known,) = (codec.format for codec in CODECS if codec.format.name == name)
    value = build(TALK)
    found = [one for medium in known.media for one in recognised_by(value, medium=medium)]
    assert found[0].format == name, found


ODD: tuple[Json, ...] = (
    None, 0, 1.5, True, "", "text", [], {}, [[]], [{}], [None], {"a": 1}, [1, 2], [["a", 1]], {"messages": 1},
    {"type": []},    [{"role": []}], [{"type": {}}], {"spans": [[]]}, {"events": {}}, {"contents": None}, {"input": 5},
    {"content": [[]]}, {"role": {"value": []}}, {"messages": [{"role": {"a": 1}}]}, [[{}, {}]],
    {"request": [], "response": []},
)  # fmt: skip


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.format.name)
def test_whatever_it_is_asked_a_format_says_yes_or_no(codec: Codec) -> None:
    for value in ODD:
        assert codec.recognise(value) is None or isinstance(codec.recognise(value), str)


def test_a_program_that_knows_its_format_is_not_asked_what_it_looks_like() -> None:
    says_little = {"messages": [{"role": "user", "content": "hello"}]}
    assert parse(says_little).format == "openai_chat"
    read = parse_as(says_little, "anthropic_messages")
    assert read.format == "anthropic_messages"
    rows = written(read.replace([*read.messages, Message(role="user", content="more")]))["messages"]
    assert [(row["role"], row["content"]) for row in rows] == [("user", "hello"), ("user", "more")]
    assert written(read) is says_little
    with pytest.raises(TranscriptError, match="unknown role"):
        parse_as({"messages": [{"role": "nobody", "content": "hello"}]}, "anthropic_messages")
    with pytest.raises(UsageError):
        parse_as(says_little, "no such format")
