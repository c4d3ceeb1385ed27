"""Turns: they cover every message once, in order, and never part a call from the results right after it."""

from __future__ import annotations

from hypothesis import given
from tests.messages.generators import answers, calls, conversations, says, valid_conversations

from foldproof.messages import Message, Turn, pair, turns_of


@given(conversations)
def test_turns_cover_every_message_once_in_order(messages: list[Message]) -> None:
    turns = turns_of(messages)
    assert [index for turn in turns for index in range(turn.start, turn.stop)] == list(range(len(messages)))
    assert all(turn.start < turn.stop for turn in turns)


@given(conversations)
def test_a_turn_is_a_message_and_the_tool_messages_after_it(messages: list[Message]) -> None:
    for turn in turns_of(messages):
        head, *rest = messages[turn.start : turn.stop]
        assert head.role != "tool" or turn.start == 0
        assert all(message.role == "tool" for message in rest)
        assert turn.stop == len(messages) or messages[turn.stop].role != "tool"


@given(valid_conversations)
def test_in_a_valid_conversation_a_call_and_its_result_share_a_turn(messages: list[Message]) -> None:
    turn_of = {index: turn for turn in turns_of(messages) for index in range(turn.start, turn.stop)}
    for result, call in pair(messages).call_of.items():
        assert turn_of[result] == turn_of[call.message]


def test_what_the_turns_of_a_conversation_are() -> None:
    said = says("user", "hi")
    messages = [answers("x"), answers("y"), said, said, calls("a", "b"), answers("b"), answers("a"), calls()]
    assert turns_of(messages) == (Turn(0, 2), Turn(2, 3), Turn(3, 4), Turn(4, 7), Turn(7, 8))
    assert turns_of([]) == ()
    assert turns_of(tuple(messages[:1])) == (Turn(0, 1),)
