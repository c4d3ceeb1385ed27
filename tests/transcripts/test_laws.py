"""The laws of write-back, for every format: what stays is untouched, what is written reads back equal."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.transcripts.builders import BUILDERS
from tests.transcripts.talk import FRAMES, TURNS

from foldproof.messages import OPENINGS, Message, frame_kind, turns_of
from foldproof.transcripts import Conversation, detect, dump, formats, parse, read_text
from foldproof.transcripts.json_text import Json

FEW = settings(max_examples=max(1, settings().max_examples // 2))
"""Half as many examples as elsewhere, for there are a hundred shapes and each is held to every law."""


def written(conversation: Conversation) -> str:
    out = io.StringIO()
    dump(conversation, out)
    return out.getvalue()


def again(conversation: Conversation) -> Conversation:
    text = written(conversation)
    if conversation.document.joined:
        rows = [json.loads(line) for line in text.split("\n") if line]
        return parse(rows, format=conversation.format)
    return parse(json.loads(text), format=conversation.format)


def read_from_text(obj: Json, name: str, *, as_rows: bool) -> Conversation:
    """The same conversation through bytes, so that source texts are known."""
    text = "\n".join(map(json.dumps, obj)) if as_rows else json.dumps(obj, indent=1)
    (conversation,) = read_text(text, name="f", format=name)
    return conversation


@pytest.mark.parametrize("shape", BUILDERS)
@FEW
@given(data=st.data(), turns=TURNS)
def test_law_unchanged_is_written_as_it_was(shape: str, data: st.DataObject, turns: list[Any]) -> None:
    name, build = BUILDERS[shape]
    raw = build(turns)
    conversation = parse(raw, format=name)
    equal = data.draw(st.booleans())
    text = written(conversation.replace(again(conversation).messages if equal else conversation.messages))
    back = [json.loads(line) for line in text.split("\n") if line] if conversation.document.joined else json.loads(text)
    assert back == raw


@pytest.mark.parametrize("shape", BUILDERS)
@FEW
@given(data=st.data(), turns=TURNS)
def test_law_a_window_reads_back_equal(shape: str, data: st.DataObject, turns: list[Any]) -> None:
    name, build = BUILDERS[shape]
    raw = build(turns)
    conversation = parse(raw, format=name)
    if data.draw(st.booleans()) and raw:
        conversation = read_from_text(raw, name, as_rows=conversation.document.joined)
    window: list[Message] = []
    for turn in turns_of(conversation.messages):
        if data.draw(st.integers(0, 5)) == 0 and conversation.messages[turn.start].role != "system":
            window.append(data.draw(FRAMES))
        stays: bool = data.draw(st.booleans())
        if stays or conversation.messages[turn.start].role == "system":
            window += conversation.messages[turn.start : turn.stop]
    at_the_end: bool = data.draw(st.booleans())
    if window and at_the_end:
        window.append(data.draw(FRAMES))
    first = conversation.replace(window)
    assert again(first).messages == tuple(window)
    second = [message for message in again(first).messages if message.role in ("system", "user")]
    assert again(again(first).replace(second)).messages == tuple(second)


@pytest.mark.parametrize("shape", BUILDERS)
@FEW
@given(data=st.data(), turns=TURNS)
def test_law_cleared_results_read_back_equal(shape: str, data: st.DataObject, turns: list[Any]) -> None:
    name, build = BUILDERS[shape]
    conversation = parse(build(turns), format=name)
    window = [
        cleared(message) if message.role == "tool" and data.draw(st.booleans()) else message
        for message in conversation.messages
    ]
    assert again(conversation.replace(window)).messages == tuple(window)


def cleared(message: Message) -> Message:
    return Message(
        role="tool",
        content=f"{OPENINGS['cleared-result']} 12 characters",
        tool_call_id=message.tool_call_id,
        tool_name=message.tool_name,
        metadata={"foldproof": {"observations": ["x"]}},
        tool_chars=3,
    )


@pytest.mark.parametrize("shape", [name for name in BUILDERS if name.startswith("claude")])
@FEW
@given(data=st.data(), turns=TURNS)
def test_law_kept_rows_are_kept_byte_for_byte_under_a_frame(shape: str, data: st.DataObject, turns: list[Any]) -> None:
    raw = BUILDERS[shape][1](turns)
    if not isinstance(raw, list):
        return
    conversation = read_from_text(raw, "claude_code", as_rows=True)
    spans = turns_of(conversation.messages)
    if not spans:
        return
    start = data.draw(st.integers(0, len(spans) - 1))
    stop = data.draw(st.integers(start, len(spans) - 1))
    frame = data.draw(FRAMES)
    window = (*conversation.messages[: spans[start].start], frame, *conversation.messages[spans[stop].stop :])
    rows = written(conversation.replace(window)).split("\n")
    if shape not in ("claude results and text", "claude compacted"):
        new = [row for row in rows if row and row not in map(json.dumps, raw)]
        assert len(new) == (2 if window[0] is frame and frame_kind(frame) == "summary" else 1)  # a boundary, the frame
    assert again(conversation.replace(window)).messages == window


@pytest.mark.parametrize("shape", BUILDERS)
@FEW
@given(data=st.data(), turns=TURNS)
def test_law_a_fold_is_read_the_same_by_whoever_opens_it(shape: str, data: st.DataObject, turns: list[Any]) -> None:
    name, build = BUILDERS[shape]
    raw = build(turns)
    if not written_as_json(name):
        return
    conversation = parse(raw, format=name)
    spans = turns_of(conversation.messages)
    if not spans or detect(raw) != name:  # without a turn nothing tells a chat of one API from that of another
        return
    stop = data.draw(st.integers(1, len(spans))) - 1
    start = next(
        (at for at, turn in enumerate(spans) if conversation.messages[turn.start].role != "system"), len(spans)
    )
    if start >= stop:
        return
    window = (
        *conversation.messages[: spans[start].start],
        data.draw(FRAMES),
        *conversation.messages[spans[stop].start :],
    )
    text = written(conversation.replace(window))
    rows = conversation.document.joined
    back = [json.loads(line) for line in text.split("\n") if line.strip()] if rows else json.loads(text)
    assert parse(back).messages == window


def written_as_json(name: str) -> bool:
    (known,) = (known for known in formats() if known.name == name)
    return known.can_write and "json" in known.media
