"""What messages cost."""

from __future__ import annotations

from typing import Any

from foldproof.evidence import exempt_forms
from foldproof.messages import Message
from foldproof.tokens import default_counter
from foldproof.window import MessageCounter, characters, total_characters
from foldproof.window.counting import PART_PRICE


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


def test_the_reasoning_of_bedrock_is_counted() -> None:
    block = {"reasoningContent": {"reasoningText": {"text": "a b c", "signature": "x y"}}}
    redacted = {"reasoningContent": {"redactedContent": "z"}}
    assert characters(message(role="assistant", content="", thinkingBlocks=[block, redacted])) == len("a b c")


def test_a_window_that_grows_costs_its_new_messages() -> None:
    words = Words()
    counter = MessageCounter(words, overhead=0)
    window = [message(content=f"text {index}") for index in range(5)]
    counter.total(window)
    assert counter.total([*window, message(content="new")]) == 11
    assert len(words.asked) == 6


def test_messages_that_are_read_anew_are_not_counted_anew() -> None:
    words = Words()
    counter = MessageCounter(words)
    for _ in range(2):
        assert counter.content(message(content="one two")) == 2
    assert words.asked == ["one two"]


def test_every_counter_and_every_price_has_its_own_count() -> None:
    one, other = Words(), Words()
    picture = message(content=[{"type": "file", "file": {"kind": "image"}}, {"type": "text", "text": "a b"}])
    counters = [MessageCounter(one), MessageCounter(one, part_price=7), MessageCounter(other, part_price=8)]
    for _ in range(2):
        assert [counter.content(picture) for counter in counters] == [1_002, 9, 10]
    assert other.asked == ["a b"]
    assert MessageCounter(other, part_price=8).content(picture) == 10
    assert other.asked == ["a b"]  # the message knows


def test_a_changed_copy_costs_what_it_says() -> None:
    counter, said = MessageCounter(Words()), message(content="one two")
    assert (counter.content(said), characters(said), total_characters([said, said])) == (2, 7, 14)
    changed = said.model_copy(update={"content": "one"})
    assert (total_characters([changed]), counter.content(changed), characters(changed)) == (3, 1, 3)


def test_prices_are_options() -> None:
    counter = MessageCounter(Words(), part_price=7, overhead=1)
    assert counter.total([message(content=[{"type": "file", "file": {"kind": "image"}}])]) == 8


def test_a_part_nobody_knows_costs_its_words_where_it_has_many() -> None:
    counter = MessageCounter(default_counter())
    prose = "the fee is nineteen dollars " * 400

    def priced(part: dict[str, Any]) -> int:
        return counter.content(Message.model_validate({"role": "user", "content": [part]}))

    assert priced({"type": "document", "source": {"type": "text", "data": prose}}) == counter.counter.count(prose)
    assert priced({"type": "document", "source": {"type": "base64", "data": "QUJD" * 9_000}}) == PART_PRICE
    assert priced({"type": "input_text", "text": "order 447123"}) == counter.counter.count("order 447123")
    assert priced({"type": "hologram", "title": "a few words"}) == PART_PRICE


def test_a_text_part_of_the_responses_api_is_the_persons_words() -> None:
    message = Message.model_validate({"role": "user", "content": [{"type": "input_text", "text": "order 447123"}]})
    assert message.text == "order 447123"
    assert "447123" in exempt_forms([message])


def test_the_words_of_a_document_are_counted_once() -> None:
    words = "four words " * 99
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": words}}
    found = message(role="user", content=[document])
    assert characters(found) == len(words)
    assert found.text == words
