"""The generators make what they promise."""

from __future__ import annotations

import pytest
from hypothesis import find, given
from tests.strategies.conversations import broken_conversations, conversations, valid_conversations

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, frame_kind, pair, validate_messages


@given(valid_conversations)
def test_valid_conversations_are_valid(messages: tuple[Message, ...]) -> None:
    validate_messages(messages)


@given(conversations)
def test_conversations_survive_json(messages: tuple[Message, ...]) -> None:
    assert tuple(Message.model_validate_json(message.model_dump_json()) for message in messages) == messages


def test_broken_conversations_break_in_every_way() -> None:
    with pytest.raises(TranscriptError):
        validate_messages(find(broken_conversations, lambda messages: bool(pair(messages).orphans)))
    assert find(broken_conversations, lambda messages: bool(pair(messages).unanswered))
    assert find(broken_conversations, _far_pair)
    assert find(broken_conversations, lambda messages: not messages) == ()
    assert find(broken_conversations, lambda messages: len(messages) > 1 and all(map(frame_kind, messages)))


def test_conversations_hold_every_author() -> None:
    for author in ("person", "app", "model", "tool", "library"):
        assert find(conversations, lambda messages, author=author: author in map(author_of, messages))  # type: ignore[misc]


def _far_pair(messages: tuple[Message, ...]) -> bool:
    return any(
        any(message.role != "tool" for message in messages[call.message + 1 : result])
        for result, call in pair(messages).call_of.items()
    )
