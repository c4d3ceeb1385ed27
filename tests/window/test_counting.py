"""What messages cost."""

from __future__ import annotations

from foldproof.messages import Message
from foldproof.window import MessageCounter, characters


class Words:
    """A counter of words that remembers what it was asked."""

    name = "words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str, /) -> int:
        self.asked.append(text)
        return len(text.split())


def message(**fields: object) -> Message:
    return Message.model_validate({"role": "assistant", **fields})


def test_everything_that_is_sent_is_counted() -> None:
    counter = MessageCounter(Words())
    called = message(content="one two", toolCalls=[{"id": "1", "name": "look up", "args": {"q": "a b"}}])
    thought = message(thinkingBlocks=[{"thinking": "a b c", "signature": "x y"}, {"data": "z"}, "odd"])
    parts = message(content=[{"type": "text", "text": "a"}, {"type": "thinking", "text": "b "}, {"type": "odd"}])
    inside = message(content=[{"type": "tool-call", "id": "1", "name": "look", "parameters": {"q": 1}}])
    assert [counter.content(each) for each in (called, thought, parts, inside)] == [6, 3, 1_002, 2]
    assert [characters(each) for each in (called, thought, parts, inside)] == [25, 5, 3, 11]


def test_a_window_that_grows_costs_its_new_messages() -> None:
    words = Words()
    counter = MessageCounter(words, overhead=0)
    window = [message(content=f"text {index}") for index in range(5)]
    counter.total(window)
    assert counter.total([*window, message(content="new")]) == 11
    assert len(words.asked) == 6


def test_prices_are_options() -> None:
    counter = MessageCounter(Words(), part_price=7, overhead=1)
    assert counter.total([message(content=[{"type": "file", "file": {"kind": "image"}}])]) == 8
