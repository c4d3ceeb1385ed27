"""The arguments that a model typed into its tool calls, judged as answers are: an id that nobody supplied is named.

An argument is a string or a number inside a call's arguments; keys, booleans and null state nothing. It is judged
against what was read before the call: a message's own arguments are no echo of themselves, and one call of a message
does not vouch for another.

An answer claims; an argument mostly chooses. A model may search the next day, read 200 lines, pay the sum it worked
out, name an encoding, write a file or run a command, and nobody has to have told it so. Only what refers to a thing
that already is can be made up, so these values are examined, in arguments of at most `LONGEST_EXAMINED` code points:

* identifiers, where the argument's name says that it identifies (its last word is one of `IDENTIFYING`, as in
  `payment_id`, `flightNumber` or `ids[0]`), or where a code as records have
  it (`ORD-4471`) is the whole argument;
* plain numbers, where that word is not `number`; there they are examined only in quotes, because `line_number: 1474` is
  a place in a file and `"account_number": "12345678"` is an account. The floor is `min_digits`, as in answers;
* an e-mail address that is the whole argument;
* values of declared shapes.

Every other value is counted as unexamined, whatever its verdict would have been: money, quantities, dates, clocks,
URLs, numbers under any other name, and all that stands in longer text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from foldproof.evidence import EvidenceIndex, EvidenceOptions, Judgement, Leaf, ValueVerdict, read_result
from foldproof.evidence.candidates import scan, without_list_markers
from foldproof.evidence.carriers import json_path
from foldproof.evidence.reading import Path, said_by_tools
from foldproof.messages import Message, Part, ProviderToolPart, ToolCallPart, calls_of
from foldproof.messages.server_tools import server_half
from foldproof.offline.reports import FINDINGS

LONGEST_EXAMINED: Final = 100
"""How many code points an argument may have to be examined: an identifier is short, and prose is the model's work."""

IDENTIFYING: Final = frozenset({"id", "identifier", "uuid", "guid", "number", "reference", "sku", "iban"})
"""The last words, also with an `s`, of the names of arguments that identify something."""

_CODE = re.compile(r"[A-Za-z]{1,5}[-_#]?\d{4,}")  # `ORD-4471` is somebody's, `gpt-4o` and `utf-8` are everybody's
_KNOWN = frozenset({"encoding", "charset", "model", "version", "codec", "standard", "name", "query"})
_WORDS = re.compile(r"[A-Z]+s?(?![A-Za-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+")


class JudgedArgument(NamedTuple):
    """One argument of one call.

    Attributes:
        message: the index of the message that makes the call.
        tool_call_id, tool_name: the call; None where a provider's own block carries none.
        path: JSON path to the argument, from the call's arguments (`$.payment.id`); `$` for arguments that are no JSON.
        judgement: the values it states that are examined, with offsets in code points of the argument, and how many
            more it states.
    """

    message: int
    tool_call_id: str | None
    tool_name: str | None
    path: str
    judgement: Judgement


class _Call(NamedTuple):
    """A call, and how many parts of its message's content stand before it."""

    identifier: str | None
    name: str | None
    arguments: object
    parts_before: int


def arguments_of(messages: Sequence[Message], *, options: EvidenceOptions | None = None) -> Iterator[JudgedArgument]:
    """Yield every argument of every tool call, in order, with its judgement; see this module for what is examined.

    Calls of the provider's own tools count too. Carriers and near values are found when asked for: ask before the next
    argument is taken, or they are looked up in all that was read since.
    """
    index = EvidenceIndex(options=options)
    for position, message in enumerate(messages):
        yield from judge_arguments(message, position, index)
        index.extend((message,))


def judge_arguments(message: Message, position: int, index: EvidenceIndex) -> Iterator[JudgedArgument]:
    """Yield every argument of one message's calls, judged by an index that has read the `position` messages before."""
    for call in _calls(message):
        before = _Before(message, index, call.parts_before)
        for leaf in _leaves(call.arguments):
            judgement = before.judge(leaf)
            yield JudgedArgument(position, call.identifier, call.name, json_path(leaf) or "$", judgement)


def _calls(message: Message) -> list[_Call]:
    """Return the calls of a message, in order: those among the parts of its content, then those beside it."""
    if message.role != "assistant":
        return []
    parts: Sequence[Part] = () if isinstance(message.content, str) else message.content
    places = {part.id: place for place, part in enumerate(parts) if isinstance(part, ToolCallPart)}
    calls = [_Call(call.id, call.name, call.args, places.get(call.id, len(parts))) for call in calls_of(message)]
    calls.extend(call for place, part in enumerate(parts) if (call := _provider_call(part, place)) is not None)
    return sorted(calls, key=lambda call: call.parts_before)


def _provider_call(part: Part, place: int) -> _Call | None:
    if isinstance(part, ProviderToolPart):
        return _Call(part.id, part.name, part.input, place)
    half = server_half(part)
    if half is None or half[1]:
        return None
    block = part.model_extra or {}
    name = block.get("name")
    return _Call(half[0], name if isinstance(name, str) else None, block.get("input"), place)


class _Before:
    """What was read before a call: earlier messages and, in its own, what the provider's tools gave back before it."""

    def __init__(self, message: Message, index: EvidenceIndex, parts_before: int) -> None:
        self._index = index
        told = (segment.part for segment in said_by_tools(message))
        is_told = any(part is not None and part < parts_before for part in told)
        self._parts: tuple[Part, ...] = ()
        if is_told and not isinstance(message.content, str):
            self._parts = message.content[:parts_before]

    def judge(self, leaf: Leaf) -> Judgement:
        judgement = _judge(leaf, self._index)
        if self._parts and any(value.verdict in FINDINGS for value in judgement.values):
            self._read_parts()  # rarely, because it reads everything again
            judgement = _judge(leaf, self._index)
        return judgement

    def _read_parts(self) -> None:
        earlier = Message(role="assistant", content=self._parts)
        self._index = EvidenceIndex((*self._index.messages, earlier), options=self._index.options)
        self._parts = ()


def _judge(leaf: Leaf, index: EvidenceIndex) -> Judgement:
    if len(leaf.text) > LONGEST_EXAMINED:
        return Judgement((), len(without_list_markers(scan(leaf.text), leaf.text)))
    judgement = index.judge(leaf.text)
    values = tuple(value for value in judgement.values if _is_examined(value, leaf))
    left_out = len(judgement.values) - len(values)
    return replace(judgement, values=values, unexamined=judgement.unexamined + left_out)


def _is_examined(value: ValueVerdict, leaf: Leaf) -> bool:
    match value.kind:
        case "declared":
            return True
        case "email":
            return value.text == leaf.text.strip()
        case "identifier" | "uuid" | "hash" | "phone":
            return _identifies(leaf.path) is not None or _tells_itself_apart(value, leaf)
        case "number":
            word = _identifies(leaf.path)
            return word is not None and not (word == "number" and leaf.is_number)
        case _:
            return False


def _tells_itself_apart(value: ValueVerdict, leaf: Leaf) -> bool:
    """Whether the whole argument is a code as records have it, and its name does not say that everybody knows it."""
    return (
        value.text == leaf.text.strip()
        and _CODE.fullmatch(value.text) is not None
        and _last_word(leaf.path) not in _KNOWN
    )


def _identifies(path: Path) -> str | None:
    """Return the word by which an argument's name says that it identifies something, or None."""
    word = _last_word(path)
    return word if word in IDENTIFYING else None


def _last_word(path: Path) -> str:
    """Return the last word of an argument's name, lower case, without a plural `s`."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    words = _WORDS.findall(name)
    return words[-1].casefold().removesuffix("s") if words else ""


def _leaves(arguments: object) -> Iterator[Leaf]:
    """Yield every string and number of a call's arguments, in order.

    Arguments that are text were no JSON when they were read: what is whole of them is read as of a result cut short.
    """
    if isinstance(arguments, str):
        yield from (leaf for leaf in read_result(arguments) if not leaf.is_key)
        return
    waiting: list[tuple[object, Path]] = [(arguments, ())]
    while waiting:
        current, path = waiting.pop()
        if isinstance(current, str):
            yield Leaf(current, 0, path)
        elif isinstance(current, dict):
            waiting.extend((child, (*path, str(key))) for key, child in reversed(current.items()))
        elif isinstance(current, list | tuple):
            waiting.extend((current[place], (*path, place)) for place in reversed(range(len(current))))
        elif isinstance(current, int | float) and not isinstance(current, bool):
            yield Leaf(str(current), 0, path, is_number=True)
