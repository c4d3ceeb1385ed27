"""What a recall gives back, as text that goes through any host: a mark, then one message a line, as JSON, each marked.

A recalled tool result is evidence again, and nothing else is: what the model or a frame had said comes back with it,
and grounds no more than it did. So a result in which the mark stands anywhere counts only for the tool results inside
it. Hosts wrap results into JSON, put words ahead of them, split them into parts and cut them: what cannot be told apart
any more is evidence of nothing, and nobody is accused of it either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from foldproof.messages.authorship import is_observation
from foldproof.messages.model import Message
from foldproof.messages.tool_text import tool_segments

RECALLED = "[foldproof recalled]"
"""What the text of a recall opens with, and what each message in it is marked with."""

_KEY = "recalled"
_BEGIN = f'{{"{_KEY}": "{RECALLED}"'
_DEEPEST = 8
_DECODER = json.JSONDecoder()


class Recall(NamedTuple):
    """What is inside the text of a recall: the messages, and whatever else stands there, as texts."""

    messages: tuple[Message, ...]
    rest: tuple[str, ...]


def recalled_text(messages: Iterable[Message], *, about: str = "") -> str:
    """Return messages as the text of a recall. `about` is said on the first line, behind the mark.

    Bytes that are no Unicode (half of a surrogate pair) are written as JSON escapes, so the text can always be sent.
    """
    first = f"{RECALLED} {' '.join(about.split())}".rstrip()
    return "\n".join((first, *map(_line, messages)))


def recall_in(texts: Sequence[str]) -> Recall | None:
    """Return what a recall in the texts of one result brought back, or None where the mark stands in none of them."""
    if not any(RECALLED in text for text in texts):
        return None
    messages: list[Message] = []
    rest: list[str] = []
    for found in _parsed("".join(texts), 0):
        (messages if isinstance(found, Message) else rest).append(found)  # type: ignore[arg-type]
    return Recall(tuple(messages), tuple(rest))


def recalled_messages(text: str) -> tuple[Message, ...] | None:
    """Return the messages in the text of a recall, or None when it is none. What is no message is left out."""
    recall = recall_in((text,))
    return None if recall is None else recall.messages


def results_in(message: Message) -> list[Message]:
    """Return the tool results that a result brought back, those in recalls of recalls among them."""
    found: list[Message] = []
    if is_observation(message):
        recall = recall_in([segment.text for segment in tool_segments(message)])
        inside = [one for one in recall.messages if one.role == "tool"] if recall else []
        found += inside
        found += [deeper for one in inside for deeper in results_in(one)]
    return found


def _line(message: Message) -> str:
    said = {_KEY: RECALLED, **message.model_dump(mode="python")}
    line = json.dumps(said, default=str, ensure_ascii=False)
    return line if line.isascii() or line.encode(errors="replace").decode() == line else json.dumps(said, default=str)


def _parsed(text: str, depth: int) -> Iterator[Message | str]:
    """Yield the messages in a text, and the pieces of it that are none; the library's own line is neither."""
    whole = _decoded(text)
    if whole is not None:
        yield from _told(whole, text, depth)
        return
    for line in text.split("\n"):
        if line.startswith(RECALLED):  # the library's own; where a host lost the line break, a message follows
            yield from _in_line(line[line.find(_BEGIN) :] if _BEGIN in line else "", depth)
        else:
            yield from _in_line(line, depth)


def _in_line(line: str, depth: int) -> Iterator[Message | str]:
    """Yield what one line holds: JSON values one after the other, or words."""
    at = 0
    while at < len(line):
        start = at + len(line[at:]) - len(line[at:].lstrip())
        try:
            value, at = _DECODER.raw_decode(line, start)
        except (ValueError, RecursionError):
            break
        yield from _told(value, line[start:at], depth)
    if line[at:].strip():
        yield line[at:]


def _decoded(text: str) -> object | None:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        return None


def _told(value: object, text: str, depth: int) -> Iterator[Message | str]:
    """Yield what a JSON value says: it is a message, or holds texts of a recall, or is something else."""
    if isinstance(value, dict) and value.get(_KEY) == RECALLED and "role" in value:
        message = _message(value)
        yield text if message is None else message
    elif depth < _DEEPEST and RECALLED in text:
        for leaf in _leaves(value):
            if RECALLED in leaf:
                yield from _parsed(leaf, depth + 1)
            else:
                yield leaf
    else:
        yield text


def _message(value: dict[str, object]) -> Message | None:
    try:
        return Message.model_validate({key: each for key, each in value.items() if key != _KEY})
    except ValidationError:
        return None


def _leaves(value: object) -> Iterator[str]:
    """Yield the keys, strings and numbers of a JSON value; a marked message inside it stays whole, as its JSON."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict) and each.get(_KEY) == RECALLED and "role" in each:
            yield json.dumps(each)
        elif isinstance(each, dict):
            waiting += [*reversed(each.values()), *reversed(each)]
        elif isinstance(each, list):
            waiting += reversed(each)
        elif each is not None and not isinstance(each, bool):
            yield str(each)
