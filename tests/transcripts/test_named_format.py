"""A format that was named has to fit as much as one that was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.transcripts.builders import BUILDERS
from tests.transcripts.talk import Said

from foldproof.errors import TranscriptError
from foldproof.transcripts import formats, load, parse, read_text
from foldproof.transcripts.json_text import Json

TALK = [Said("user", "hello"), Said("assistant", "hi")]
TITLE_ONLY = Path(__file__).parent.parent / "data" / "transcripts" / "claude_code" / "sniffly_ff71dbed.jsonl"
SILENT = {"type": "file-history-snapshot", "snapshot": {}}
ROW = {"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": "hello"}}


def foreign(shape: str, name: str) -> bool:
    # Axle, mini-swe-agent and a sample of Inspect are also chats of user and assistant messages, whoever says so.
    is_chat = shape in ("axle", "inspect sample") or BUILDERS[shape][0] == "miniswe_traj"
    return BUILDERS[shape][0] != name and not (is_chat and name == "openai_chat")


@pytest.mark.parametrize("shape", BUILDERS)
def test_a_format_that_does_not_fit_is_refused(shape: str) -> None:
    raw = BUILDERS[shape][1](TALK)
    rows = "\n".join(map(json.dumps, raw)) if isinstance(raw, list) else json.dumps(raw)
    for wanted in (known for known in formats() if foreign(shape, known.name)):
        for read in (
            lambda name=wanted.name: parse(raw, format=name),
            lambda name=wanted.name: list(read_text(rows, name="in", format=name)),
        ):
            with pytest.raises(TranscriptError, match=f"not {wanted.name}: found ") as caught:
                read()
            assert f"expected {wanted.shape}" in caught.value.cause
            assert f"it looks like {BUILDERS[shape][0]}" in caught.value.cause


@pytest.mark.parametrize("name", [known.name for known in formats()])
@pytest.mark.parametrize("raw", [{"hello": 1}, [{"hello": 1}], 5, "text", None, [5, 6]])
def test_what_is_no_transcript_is_of_no_format(raw: Json, name: str) -> None:
    with pytest.raises(TranscriptError, match=f"not {name}: found "):
        parse(raw, format=name)


def test_an_item_that_does_not_fit_is_refused_with_its_place() -> None:
    export = {"loglines": [ROW]}
    data = f"{json.dumps(export)}\n{json.dumps({'hello': 1})}\n"
    with pytest.raises(TranscriptError, match=r"in: line 2: \$: not claude_code: found an object with \['hello'\]"):
        list(read_text(data, name="in", strict=True))


def test_a_session_without_messages_still_loads_by_name() -> None:
    assert load(TITLE_ONLY, format="claude_code").messages == ()
    assert parse({"loglines": []}, format="claude_code").messages == ()
    assert parse([], format="openai_chat").messages == ()
    assert parse({"sessionId": "s", "messages": []}, format="axle").messages == ()


def test_a_named_session_may_open_with_any_number_of_rows_that_say_nothing() -> None:
    rows = [SILENT] * 200 + [ROW]
    (conversation,) = read_text("\n".join(map(json.dumps, rows)), name="in", format="claude_code")
    assert [message.text for message in conversation.messages] == ["hello"]
    assert len(parse(rows, format="claude_code").messages) == 1
