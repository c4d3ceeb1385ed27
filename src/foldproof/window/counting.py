"""What a message costs, in characters and in tokens.

Only what is sent has a cost: the text, the calls with their arguments, readable reasoning. A part that has no words has
a flat price, so that a picture never costs the length of its base64, and a part nobody knows is priced, never fatal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import JsonValue

from foldproof.messages import (
    CitationPart,
    Message,
    OpaquePart,
    Part,
    ProviderToolPart,
    ProviderToolResultPart,
    ThinkingPart,
    ToolCallPart,
    calls_of,
    part_text,
)
from foldproof.tokens import TokenCounter

PART_PRICE: Final = 1_000
"""Tokens of a part without words, such as a picture: between what vendors charge for a small and for a large one."""

MESSAGE_OVERHEAD: Final = 4
"""Tokens that the wire spends on every message beside its content."""

_LONG_PROSE: Final = 2_000
"""Characters of words from which on a part that nobody knows costs what they cost, and not a flat price."""

_CACHE_ENTRIES: Final = 1 << 17
_DATA_URI: Final = re.compile(r"data:[\w.+/-]{1,80};base64,[A-Za-z0-9+/=]{256,}")


class MessageCounter:
    """Counts messages in tokens. Counts are kept by content, so a window that only grows costs its new messages."""

    def __init__(
        self, counter: TokenCounter, *, part_price: int = PART_PRICE, overhead: int = MESSAGE_OVERHEAD
    ) -> None:
        """Count texts with `counter`; `part_price` and `overhead` are in tokens."""
        self.counter: Final = counter
        self._part_price = part_price
        self._overhead = overhead
        self._kept: dict[str, int] = {}

    @property
    def name(self) -> str:
        """What counts, as a record names it: `tokenizer:<name>`."""
        return f"tokenizer:{self.counter.name}"

    def content(self, message: Message) -> int:
        """Return the tokens of a message's content, without the wire's overhead."""
        counted = message.facts.counted
        if counted is not None and counted[0] is self.counter and counted[1] == self._part_price:
            return counted[2]
        tokens = self._found(message)
        message.facts.counted = (self.counter, self._part_price, tokens)
        return tokens

    def total(self, messages: Sequence[Message]) -> int:
        """Return the tokens of the messages on the wire, overhead included."""
        return sum(map(self.content, messages)) + self._overhead * len(messages)

    def schemas(self, tools: Sequence[JsonValue]) -> int:
        """Return the tokens of tool schemas, as the JSON they are sent as."""
        return sum(self.counter.count(arguments_text(tool)) for tool in tools)

    def exceeds(self, messages: Sequence[Message], tokens: int) -> bool:
        """Whether the messages' content holds more than `tokens`; stops counting as soon as that is known."""
        total = 0
        for message in messages:
            total += self.content(message)
            if total > tokens:
                return True
        return False

    def _found(self, message: Message) -> int:
        """Return the tokens of a message, or of one that said the same: a host may read its messages anew."""
        key = message.fingerprint
        kept = self._kept.get(key)
        if kept is None:
            if len(self._kept) >= _CACHE_ENTRIES:
                self._kept.clear()
            kept = self._kept[key] = self._count(message)
        return kept

    def _count(self, message: Message) -> int:
        return sum(self._price(text) for text in _texts(message))

    def _price(self, text: str | None) -> int:
        if text is None:
            return self._part_price
        words, pictures = _DATA_URI.subn("", text) if ";base64," in text else (text, 0)
        return self.counter.count(words) + pictures * self._part_price


def characters(message: Message) -> int:
    """Return the code points of what a message says: text, calls with their arguments, readable reasoning."""
    facts = message.facts
    if facts.characters is None:
        facts.characters = sum(len(text) for text in _texts(message) if text is not None)
    return facts.characters


def has_wordless(message: Message) -> bool:
    """Whether a message holds a part without words, such as a picture, which has a price and no characters."""
    return not message.facts.plain and any(text is None for text in _texts(message))


def longer_than(messages: Sequence[Message], size: int) -> bool:
    """Whether the messages say more than `size` code points; stops adding up as soon as that is known."""
    total = 0
    for message in messages:
        total += characters(message)
        if total > size:
            return True
    return False


def total_characters(messages: Sequence[Message]) -> int:
    """Return the code points of what the messages say."""
    total = 0
    for message in messages:
        known = message.facts.characters
        total += characters(message) if known is None else known
    return total


def arguments_text(arguments: object) -> str:
    """Return the arguments of a call as compact JSON."""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str)


def _texts(message: Message) -> Iterator[str | None]:
    if isinstance(message.content, str):
        yield message.content
    else:
        yield from map(_words, message.content)
    if message.role == "assistant":
        for call in calls_of(message):
            yield call.name
            yield arguments_text(call.args)
        for block in message.thinking_blocks or ():
            yield from _readable(block)


def _readable(block: JsonValue) -> Iterator[str]:
    if isinstance(block, dict):
        inside = block.get("reasoningContent")  # Bedrock's
        said = inside.get("reasoningText") if isinstance(inside, dict) else block
        for text in (said.get("thinking"), said.get("text")) if isinstance(said, dict) else ():
            if isinstance(text, str):
                yield text


def _words(part: Part) -> str | None:
    """Return what a part says, or None when it says nothing that can be counted."""
    match part:
        case ToolCallPart():
            return ""  # counted among the calls of its message
        case ThinkingPart():
            return f"{part.text or ''}{part.summary or ''}"
        case ProviderToolPart():
            return part.name + arguments_text(part.input) + arguments_text(part.result)
        case ProviderToolResultPart() | CitationPart():
            return arguments_text(part.citations if isinstance(part, CitationPart) else part.result)
        case OpaquePart():
            return part_text(part) or _long_prose(part)
        case _:
            return part_text(part)


def _long_prose(part: OpaquePart) -> str | None:
    prose = " ".join(_prose(part.model_extra or {}))
    return prose if len(prose) > _LONG_PROSE else None


def _prose(value: object) -> Iterator[str]:
    """Yield the strings that hold words in a part nobody knows: what is encoded has no white space."""
    if isinstance(value, str):
        if " " in value or "\n" in value:
            yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _prose(child)
