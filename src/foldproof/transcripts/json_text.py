"""JSON text in, JSON text out.

Every way that reading can fail becomes one TranscriptError, and what a writer kept keeps its exact source text (number
spellings, escapes, spacing).

A format that changes a document does not build a new one: it returns `Revised` containers, which remember what they
were made from. Everything that is the very object that was read is written as the text it was read from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from foldproof.errors import TranscriptError

Json: TypeAlias = Any
"""Parsed JSON. `Any`, because each format checks for itself what it needs of it."""

MAX_DEPTH = 200
"""Levels of nesting that are read. The message model stops a little above this, and Python's parser at about 1,000."""

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_CONTAINERS = (dict, list, tuple)
_SHOWN = 200


def parse_json(text: str) -> Json:
    """Return the value of a JSON text.

    Raises:
        TranscriptError: it is no JSON, is nested deeper than `MAX_DEPTH`, or holds an integer longer than Python reads.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        cause = f"not JSON: {error.msg} at line {error.lineno} column {error.colno}; expected one complete JSON value"
        raise TranscriptError(cause) from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:  # the limit on digits is no JSONDecodeError
        raise TranscriptError(f"a number cannot be read: {error}; write it as a string") from error
    if text.count("[") + text.count("{") > MAX_DEPTH:
        check_depth(value)
    return value


def check_depth(value: Json) -> None:
    """Check that a value is nested no deeper than `MAX_DEPTH`.

    Raises:
        TranscriptError: it is.
    """
    level = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return
        below: list[Json] = []
        for parent in level:
            children = parent.values() if isinstance(parent, dict) else parent
            below += [child for child in children if isinstance(child, _CONTAINERS)]
        level = below
    if any(level):  # one level more, and something in it
        raise _too_deep()


def _too_deep() -> TranscriptError:
    return TranscriptError(f"the JSON is nested more than {MAX_DEPTH} levels deep; flatten it")


class Unread(str):
    """A line of a JSONL file that is no JSON: it stands among the rows, and is written back as it was."""

    __slots__ = ()


class RevisedObject(dict[str, Json]):
    """An object with some members changed. Members that are still the same value are written as they were read."""

    source: dict[str, Json]


class RevisedArray(list[Json]):
    """An array with some items removed or added. Items that are still the same object are written as they were read."""

    source: list[Json]


def revise(source: dict[str, Json], changes: Mapping[str, Json]) -> dict[str, Json]:
    """Return an object as it was, with some members set; the object itself when nothing changes."""
    if all(name in source and source[name] is value for name, value in changes.items()):
        return source
    revised = RevisedObject(source | dict(changes))
    revised.source = source
    return revised


def revise_items(source: list[Json], items: Iterable[Json]) -> list[Json]:
    """Return an array with other items; the array itself when they are the same."""
    revised = RevisedArray(items)
    if len(revised) == len(source) and all(new is old for new, old in zip(revised, source, strict=True)):
        return source
    revised.source = source
    return revised


def render(value: Json, texts: Mapping[int, str], *, compact: bool = False) -> str:
    """Return the text of a value: the text it was read from as far as it is known, new text for the rest.

    Args:
        value: what to write.
        texts: source texts by `id()` of the value they were read as.
        compact: write new text without spaces.
    """
    known = texts.get(id(value))
    if known is not None:
        return known
    source = getattr(value, "source", None)
    text = texts.get(id(source))
    if text is None:
        return new_text(value, compact=compact)
    members = tuple(_members(text))
    if isinstance(value, RevisedObject) and len(members) == len(value.source):
        return _render_object(value, members, text, texts)
    if isinstance(value, RevisedArray):
        return _render_array(value, members, text, texts)
    return new_text(value, compact=compact)  # an object that repeats a key: which one was meant is not ours to say


def new_text(value: Json, *, compact: bool = False, indent: int | None = None) -> str:
    """Return JSON text for a new value: UTF-8 as it is, escaped only where a lone surrogate makes UTF-8 impossible.

    Raises:
        TranscriptError: the value cannot be written as JSON.
    """
    separators = (",", ":") if compact else None
    try:
        text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"cannot be written as JSON: {error}") from error
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=separators, indent=indent)
    return text


def is_compact(text: str) -> bool:
    """Whether a JSON text was written without spaces, as far as its start shows."""
    start = text[:_SHOWN]
    return '":' in start and '": ' not in start


class _Member(NamedTuple):
    lead: str  # white space ahead of it
    head: str  # the key and its colon, in an object
    text: str
    tail: str  # white space behind it, before the comma or the bracket


def _members(text: str) -> Iterator[_Member]:
    at = _after_space(text, 0)
    is_object = text[at] == "{"
    at += 1
    if text[_after_space(text, at)] in "]}":
        return
    while True:
        start = _after_space(text, at)
        key_end = _after_key(text, start) if is_object else start
        _, end = _DECODER.raw_decode(text, key_end)
        after = _after_space(text, end)
        yield _Member(text[at:start], text[start:key_end], text[key_end:end], text[end:after])
        if text[after] != ",":
            return
        at = after + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _after_key(text: str, start: int) -> int:
    _, end = _DECODER.raw_decode(text, start)
    return _after_space(text, _after_space(text, end) + 1)


def _render_object(value: RevisedObject, members: tuple[_Member, ...], text: str, texts: Mapping[int, str]) -> str:
    old = {name: (value.source[name], member) for name, member in zip(value.source, members, strict=True)}
    inner = dict(texts) | _texts(old.values())
    style = _Style(members, text)
    pieces = []
    for name, new in value.items():
        before, member = old.get(name, (None, None))
        if member is None:
            pieces.append(f"{style.lead}{new_text(name)}:{style.space}{style.new(new, inner)}")
        elif new is before:
            pieces.append(member.lead + member.head + member.text)
        else:
            pieces.append(member.lead + member.head + style.new(new, inner))
    return "{" + ",".join(pieces) + style.closing + "}"


def _render_array(value: RevisedArray, members: tuple[_Member, ...], text: str, texts: Mapping[int, str]) -> str:
    pairs = tuple(zip(value.source, members, strict=True))
    inner = dict(texts) | _texts(pairs)
    leads = {id(old): member.lead for old, member in pairs if isinstance(old, dict | list)}
    style = _Style(members, text)
    pieces = [leads.get(id(new), style.lead) + style.new(new, inner) for new in value]
    return "[" + ",".join(pieces) + (style.closing if value else "") + "]"


def _texts(pairs: Iterable[tuple[Json, _Member]]) -> dict[int, str]:
    return {id(old): member.text for old, member in pairs if isinstance(old, dict | list)}


class _Style:
    """How a container was laid out, so that what is new in it looks like the rest."""

    def __init__(self, members: tuple[_Member, ...], text: str) -> None:
        leads = [member.lead for member in members]
        self.lead = next((lead for lead in leads[1:2]), leads[0] if leads else "")
        self.closing = members[-1].tail if members else ""
        self._compact = is_compact(text)
        self.space = "" if self._compact else " "

    def new(self, value: Json, texts: Mapping[int, str]) -> str:
        """Return the text of a member: as it was read where it was, else on as many lines as its neighbours have."""
        if id(value) in texts or hasattr(value, "source"):
            return render(value, texts, compact=self._compact)
        if "\n" not in self.lead:
            return new_text(value, compact=self._compact)
        margin = self.lead.rpartition("\n")[2]
        return new_text(value, indent=2 if margin else None).replace("\n", "\n" + margin)
