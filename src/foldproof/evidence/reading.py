"""Reading what a tool said: every leaf of its result, and where it stands.

A result that is one JSON value is walked: every key and every leaf. Else its leading JSON values are walked (several
blocks, one a line, or JSON followed by a note) and only the rest is text. Else JSON cut short gives its complete
leaves: a number or word that the cut may have fallen inside is none, and a string cut short gives its whole words. Else
it is text.

A key that stands twice in one object says both of its values, though a decoder keeps the last.

Numbers keep their literal, so that integers of any size are exact. The field that quotes what was looked for
(`looked_for`) is not something the tool said, and neither is a boolean or a null a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Literal, NamedTuple

from pydantic import JsonValue

from foldproof.messages import (
    Message,
    Part,
    ProviderToolPart,
    ProviderToolResultPart,
    Segment,
    author_of,
    calls_of,
    is_observation,
    part_text,
    recall_in,
    tool_segments,
)
from foldproof.messages.server_tools import server_half

QUOTES_THE_QUESTION = frozenset({"looked_for", "lookedFor"})
"""Keys under which a declared absence repeats the question. What stands below them is evidence of nothing."""

Path = tuple[str | int, ...]
"""Steps from a JSON value to a leaf: keys and positions."""


class Leaf(NamedTuple):
    """One thing a result says.

    Attributes:
        text: a string's characters, a number's literal, or a key.
        block: which of the result's JSON values it stands in (0 is the first); None for text that is not JSON.
        path: the steps to it inside that block; for a key, the steps to its value.
        is_key: whether it is the key itself.
        is_number: whether it was a JSON number.
        offset: for text that is not JSON, where it starts in the result (code points).
    """

    text: str
    block: int | None
    path: Path
    is_key: bool = False
    is_number: bool = False
    offset: int = 0


class NumberText(str):
    """A JSON number by its source text."""

    __slots__ = ()


class Pairs:
    """An object by its pairs, for a text in which a key stands more than once in one."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self.pairs = pairs


_DECODER = json.JSONDecoder(parse_float=NumberText, parse_int=NumberText, parse_constant=lambda _: None)
_TEXTS = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=lambda _: None)  # where numbers may be text
_EVERY_PAIR = json.JSONDecoder(
    parse_float=NumberText, parse_int=NumberText, parse_constant=lambda _: None, object_pairs_hook=Pairs
)
_TOKEN = re.compile(
    r'[ \t\r\n]*(?:(?P<mark>[{}\[\],:])|(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")|(?P<open>"(?:[^"\\\x00-\x1f]|\\.)*\\?\Z)'
    r"|(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-]))|(?P<word>(?:true|false|null)(?!\w))"
    r"|(?P<stub>(?:-?\d[\d.eE+-]*|-|tr?u?|fa?l?s?|nu?l?)\Z)|\Z)",
    re.DOTALL,
)
_DEEPEST = 1000
_LAST_WORD = re.compile(r"\w+\Z")


def said_by_tools(message: Message) -> tuple[Segment, ...]:
    """Return what tools said in a message: a result up to its `toolChars`, or what the provider's own tools gave back.

    What did not really run said nothing.
    """
    author = author_of(message)
    if author == "tool":
        segments = tool_segments(message)
        recall = recall_in([segment.text for segment in segments])
        if recall is not None:
            results = (said_by_tools(result) for result in recall.messages if result.role == "tool")
            return tuple(Segment(part, said.text) for part, said in enumerate(chain.from_iterable(results)))
        if message.tool_chars is None:
            return segments
        return tuple(_without_half_a_word(segment, message) for segment in segments)
    if author != "model" or isinstance(message.content, str):
        return ()
    outputs = ((index, _provider_output(part)) for index, part in enumerate(message.content))
    return tuple(Segment(index, output) for index, output in outputs if output)


def doubtful_in(message: Message) -> Iterator[str]:
    """Yield what a recall brought back of the person and the app, and what nobody can tell apart: it proves nothing."""
    recall = recall_in([segment.text for segment in tool_segments(message)]) if author_of(message) == "tool" else None
    if recall is not None:
        yield from recall.rest
        for said in recall.messages:
            yield from (said.text,) if author_of(said) in ("person", "app") else doubtful_in(said)


def _without_half_a_word(segment: Segment, message: Message) -> Segment:
    """Leave out a word that the `toolChars` cut falls inside: the tool never said it so short."""
    content = message.content if segment.part is None else part_text(message.content[segment.part])  # type: ignore[arg-type]
    text, rest = segment.text, content[len(segment.text) :] if isinstance(content, str) else ""
    if not (text and rest and text[-1].isalnum() and rest[0].isalnum()):
        return segment
    return segment._replace(text=_LAST_WORD.sub("", text))


def evidence_in(messages: Iterable[Message]) -> list[str]:
    """Return, for each message in which a tool said something, the id by which a frame names it when it leaves.

    It is made of what the message says: a host may use one id for several results.
    """
    told = (message for message in messages if is_observation(message) or _holds_an_output(message))
    return [f"sha256:{message.fingerprint[:16]}" for message in told]


def _holds_an_output(message: Message) -> bool:
    return not message.facts.plain and message.role == "assistant" and bool(said_by_tools(message))


def arguments_in(message: Message) -> list[object]:
    """Return what the model put into the calls of a message, also into those of a provider's own tools."""
    arguments: list[object] = [call.args for call in calls_of(message)]
    if message.role == "assistant" and not isinstance(message.content, str):
        for part in message.content:
            if isinstance(part, ProviderToolPart):
                arguments.append(part.input)
            elif (half := server_half(part)) is not None and not half[1]:
                arguments.append((part.model_extra or {}).get("input"))
    return arguments


def _provider_output(part: Part) -> str | None:
    """Return what a provider's own tool gave back: Axle's `output`, a block of Claude's as it came, or the result."""
    if isinstance(part, ProviderToolPart | ProviderToolResultPart):
        given: JsonValue = part.result
        if isinstance(given, dict) and given.get("type") == "success" and "output" in given:
            given = given["output"]
    else:
        block = part.model_extra or {}
        given = block.get("content") if str(block.get("type")).endswith("_tool_result") else None
    failed = isinstance(given, dict) and str(given.get("type")).endswith("error")
    if given is None or failed:
        return None
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def read_result(text: str) -> Iterator[Leaf]:
    """Yield every leaf of a result, in order. Text that is not JSON is one leaf with no block. Never raises."""
    blocks, start = leading_values(text)
    if _repeats_a_key(text, start, _texts_and_keys(blocks)[1]):
        blocks, start = leading_values(text, _EVERY_PAIR)
    for block, value in enumerate(blocks):
        yield from _walk(value, block)
    yield from rest_of(text, start, len(blocks))


def leaf_texts(text: str) -> set[str]:
    """Return the texts of the leaves that `read_result` yields, without their places: what an index needs, faster."""
    blocks, start = leading_values(text, _TEXTS)
    texts, keys = _texts_and_keys(blocks)
    if _repeats_a_key(text, start, keys):
        texts, _ = _texts_and_keys(leading_values(text, _EVERY_PAIR)[0])
    if start < len(text):
        texts.update(leaf.text for leaf in rest_of(text, start, len(blocks)))
    return texts


def _repeats_a_key(text: str, end: int, keys: int) -> bool:
    """Whether `text[:end]` may hold more keys than were kept: decoding every result with a hook is too slow.

    Text in strings may count too, which costs a second reading and changes nothing. Who writes spaces in front of
    colons does so throughout: those are looked for only where too few keys are written without.
    """
    written = text.count('":', 0, end)
    return written > keys or (written < keys and written + text.count('" :', 0, end) > keys)


def value_texts(value: object) -> set[str]:
    """Return every key, string and number of a decoded JSON value as text."""
    return _texts_and_keys(value)[0]


def _texts_and_keys(value: object) -> tuple[set[str], int]:
    """Return every key, string and number of a decoded JSON value as text, and how many keys its objects have."""
    texts: set[str] = set()
    keys = 0
    waiting: list[Iterable[object]] = [(value,)]
    while waiting:
        for current in waiting.pop():
            kind = type(current)
            if kind is str:
                texts.add(current)  # type: ignore[arg-type] # what kind says, faster than `isinstance`
            elif isinstance(current, dict):
                keys += len(current)
                if not QUOTES_THE_QUESTION.isdisjoint(current):
                    current = {key: child for key, child in current.items() if key not in QUOTES_THE_QUESTION}  # noqa: PLW2901
                texts.update(current)
                waiting.append(current.values())
            elif isinstance(current, list | tuple):
                waiting.append(current)
            elif isinstance(current, int) and kind is not bool:
                texts.add(str(Decimal(current)))  # `str` of a whole number gives up past 4,300 digits
            elif isinstance(current, str | float):
                texts.add(str(current))
            elif isinstance(current, Pairs):
                told = [pair for pair in current.pairs if pair[0] not in QUOTES_THE_QUESTION]
                texts.update(key for key, _ in told)
                waiting.append([child for _, child in told])
    return texts, keys


def leading_values(text: str, decoder: json.JSONDecoder | None = None) -> tuple[list[object], int]:
    """Decode the JSON values a result opens with; return them and where the rest starts. A scalar counts if alone."""
    decode = (decoder or _DECODER).raw_decode
    start = _skip_space(text, 0)
    values: list[object] = []
    if text[start : start + 1] in ("{", "[", '"') or _is_scalar(text):
        while start < len(text):
            try:
                value, end = decode(text, start)
            except (ValueError, RecursionError):
                break
            end = _skip_space(text, end)
            if not isinstance(value, dict | list | Pairs) and (values or end < len(text)):
                break
            values.append(value)
            start = end
    return values, start if values else 0


def _is_scalar(text: str) -> bool:
    return re.fullmatch(r"\s*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)\s*", text) is not None


def _skip_space(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    return start


def _walk(value: object, block: int) -> Iterator[Leaf]:
    """Walk one decoded JSON value, in order, without recursion."""
    waiting: list[tuple[object, Path]] = [(value, ())]
    while waiting:
        current, path = waiting.pop()
        if isinstance(current, str):
            yield Leaf(str(current), block, path, is_number=isinstance(current, NumberText))
        elif isinstance(current, list):
            waiting.extend((current[index], (*path, index)) for index in reversed(range(len(current))))
        elif isinstance(current, dict | Pairs):
            pairs = current.pairs if isinstance(current, Pairs) else current.items()
            children = [(key, child) for key, child in pairs if key not in QUOTES_THE_QUESTION]
            for key, _ in children:
                yield Leaf(key, block, (*path, key), is_key=True)
            waiting.extend((child, (*path, key)) for key, child in reversed(children))


def rest_of(text: str, start: int, block: int) -> Iterator[Leaf]:
    """Yield the leaves of what stands behind the leading values: of JSON cut short, or one leaf of text."""
    opening = _skip_space(text, start)
    if text[opening : opening + 1] in ("{", "["):
        try:
            yield from list(_CutShort(block).read(text[opening:]))
        except _NotJson:
            pass
        else:
            return
    if start < len(text):
        begin = start - 1 if start and not text[start - 1].isspace() else start  # what it is glued to decides its sign
        yield Leaf(text[begin:], None, (), offset=begin)


class _NotJson(Exception):  # noqa: N818 - a signal inside this module
    """The text opened like JSON and went on like something else."""


class _CutShort:
    """Reads JSON token by token, knowing where it stands and what may come next, until the text ends."""

    def __init__(self, block: int) -> None:
        self._block = block
        self._path: list[str | int] = []  # the key or position in each open container; 0 before the first key
        self._next: Literal["value", "key", "colon", "comma"] = "value"
        self._quoted: int | None = None  # depth of the field that quotes the question

    def read(self, text: str) -> Iterator[Leaf]:
        """Yield the complete leaves of `text`, or raise `_NotJson` where it goes on like something else."""
        position = 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None or len(self._path) > _DEEPEST:
                raise _NotJson
            position = token.end()
            match token.lastgroup:
                case "mark":
                    self._mark(token["mark"])
                case "string" if self._next == "key":
                    yield from self._key(_decoded(token["string"]))
                case "string":
                    yield from self._leaf(_decoded(token["string"]))
                case "number":
                    whole = token["number"] if position < len(text) else ""
                    yield from self._leaf(whole, is_number=True)
                case "open" if self._next == "value":
                    yield from self._leaf(_whole_words(token["open"]))
                case "word":
                    self._expect("value", then="comma")
        if not self._path:
            raise _NotJson

    def _expect(self, expected: str, *, then: Literal["value", "key", "colon", "comma"]) -> None:
        if self._next != expected:
            raise _NotJson
        self._next = then

    def _mark(self, mark: str) -> None:
        if mark in "{[":
            self._expect("value", then="key" if mark == "{" else "value")
            self._path.append(0)
        elif mark == ":":
            self._expect("colon", then="value")
        elif not self._path:
            raise _NotJson
        elif mark == ",":
            self._comma()
        else:
            self._path.pop()
            self._next = "comma"
        if self._quoted is not None and len(self._path) < self._quoted:
            self._quoted = None

    def _comma(self) -> None:
        last = self._path[-1]
        self._expect("comma", then="key" if isinstance(last, str) else "value")
        if isinstance(last, int):
            self._path[-1] = last + 1

    def _key(self, key: str) -> Iterator[Leaf]:
        self._expect("key", then="colon")
        self._path[-1] = key
        if self._quoted == len(self._path):
            self._quoted = None
        if key in QUOTES_THE_QUESTION and self._quoted is None:
            self._quoted = len(self._path)
        if self._quoted is None:
            yield Leaf(key, self._block, tuple(self._path), is_key=True)

    def _leaf(self, text: str, *, is_number: bool = False) -> Iterator[Leaf]:
        self._expect("value", then="comma")
        if self._quoted is None and text and self._path:
            yield Leaf(text, self._block, tuple(self._path), is_number=is_number)


def _decoded(source: str) -> str:
    try:
        return str(json.loads(source))
    except ValueError:
        raise _NotJson from None


def _whole_words(opened: str) -> str:
    """Return a string cut short up to its last space: the word the cut falls inside was never said whole."""
    words = opened[1:].rpartition(" ")[0]
    try:
        return str(json.loads(f'"{words}"'))
    except ValueError:
        return ""
