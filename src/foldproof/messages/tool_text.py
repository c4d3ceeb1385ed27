"""What in a tool message is the tool's own: the one owner of the `toolChars` cut.

A library may append a note to a result (an assumption, a hint). `toolChars` says where the tool's bytes end, in code
points of the text. A value that stands only past the cut is the library's and grounds nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from foldproof.messages.model import Message
from foldproof.messages.parts import part_text


class Segment(NamedTuple):
    """A run of the tool's own words: which part of the content it stands in (None for string content), and the text."""

    part: int | None
    text: str


def tool_cut(message: Message) -> int | None:
    """Return where the tool's own words end, in code points of all text of the message, or None where no cut applies.

    A cut that is not a whole number inside the content is not applied.
    """
    return _cut(message.tool_chars, sum(len(segment.text) for segment in _whole(message)))


def tool_segments(message: Message) -> tuple[Segment, ...]:
    """Return the tool's own words, cut at `toolChars`, in order; a provider tool's output belongs to `reading`.

    The cut counts code points over all text of the message in order. A cut that is not a whole number inside the
    content is not applied.
    """
    whole = _whole(message)
    if message.tool_chars is None:
        return whole
    cut = _cut(message.tool_chars, sum(len(segment.text) for segment in whole))
    return whole if cut is None else tuple(_until(whole, cut))


def tool_text(message: Message) -> str:
    """Return the tool's own words as one string: its segments, one a line."""
    return "\n".join(segment.text for segment in tool_segments(message))


def library_note(message: Message) -> str:
    """Return what stands behind the `toolChars` cut, which a library appended; "" where no cut applies."""
    cut = tool_cut(message)
    return "" if cut is None else "".join(segment.text for segment in _whole(message))[cut:]


def _whole(message: Message) -> tuple[Segment, ...]:
    if isinstance(message.content, str):
        return (Segment(None, message.content),)
    texts = ((index, part_text(part)) for index, part in enumerate(message.content))
    return tuple(Segment(index, text) for index, text in texts if text is not None)


def _cut(tool_chars: object, length: int) -> int | None:
    if isinstance(tool_chars, bool) or not isinstance(tool_chars, int | float):
        return None
    if tool_chars != tool_chars // 1 or not 0 <= tool_chars <= length:
        return None
    return int(tool_chars)


def _until(segments: tuple[Segment, ...], cut: int) -> list[Segment]:
    kept = []
    for segment in segments:
        if cut <= 0:
            break
        kept.append(Segment(segment.part, segment.text[:cut]))
        cut -= len(segment.text)
    return kept
