"""Chat Completions: reasoning that a server left in the model's text."""

from __future__ import annotations

import io
import json

import pytest

from foldproof.messages import Message, TextPart, ThinkingPart
from foldproof.offline.audit import audit
from foldproof.transcripts import dump, parse
from foldproof.transcripts.json_text import Json

NOTICE = Message(role="user", content="[foldproof drop notice] 1 message")


def body(*said: Json) -> Json:
    return {"model": "m", "messages": [{"role": "user", "content": "?"}, *said]}


def said(text: str) -> Json:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize("space", ["", "\n", "\n\n"])
def test_reasoning_in_tags_ahead_of_an_answer_is_reasoning(space: str) -> None:
    text = f"{space}<think>{space}maybe 447123{space}</think>{space}Hello <b>you</b>"
    conversation = parse(body(said(text)))
    message = conversation.messages[1]
    assert message.content == (ThinkingPart(text="maybe 447123"), TextPart(text="Hello <b>you</b>"))
    assert message.text == "Hello <b>you</b>"
    assert [answer.values for answer in audit(conversation).answers] == [()]
    out = io.StringIO()
    window = (NOTICE, message)
    dump(conversation.replace(window), out)
    rows = json.loads(out.getvalue())["messages"]
    assert rows[1] == said(text)
    assert parse(json.loads(out.getvalue())).messages == window


def test_reasoning_without_an_answer_is_no_answer() -> None:
    conversation = parse(body(said("<think>447123</think>\n")))
    assert conversation.messages[1].content == (ThinkingPart(text="447123"),)
    assert audit(conversation).answers == ()


def test_reasoning_of_a_recorded_response_is_read_too() -> None:
    response = {"choices": [{"message": said("<think>a</think>b")}]}
    conversation = parse({"request": body(), "response": response})
    assert conversation.messages[1].content == (ThinkingPart(text="a"), TextPart(text="b"))


@pytest.mark.parametrize("text", ["<think>447123", "The tag <think>a</think> is odd.", "</think>a", "<thinking>a"])
def test_any_other_text_is_what_the_model_said(text: str) -> None:
    assert parse(body(said(text))).messages[1].content == text
    (message,) = parse(body({"role": "user", "content": "<think>a</think>b"})).messages[1:]
    assert message.content == "<think>a</think>b"
