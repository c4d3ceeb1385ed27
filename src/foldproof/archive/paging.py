"""What fits: each message as one line, and one that is longer than a page as several, cut where no value is cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from foldproof.archive.searching import said
from foldproof.evidence.reading import QUOTES_THE_QUESTION
from foldproof.messages import RECALLED, Message, is_observation, recalled_text, tool_segments, tool_text
from foldproof.window.frames import head_of

PIECE: Final = "piece"
"""Key in the metadata of a piece of a message, for which of how many it is."""

_LONGEST_NAME: Final = 80
_LOOKAHEAD: Final = 1_000
_GOES_ON: Final = re.compile(r'\n|,(?=["{\[])')
"""Where a text may be read again behind a run that had to be cut: at the next line, or the next thing in JSON."""


def line_of(message: Message) -> str:
    """Return a message as one line of the text of a recall."""
    return recalled_text([message]).partition("\n")[2]


def lines_of(message: Message, most: int) -> list[str]:
    """Return a message as one line, or as several where that line has more than `most` characters (at least 1,000).

    The pieces of a message hold what a tool said, or what anybody else said and passed to tools, and together all of
    it. Other things that it carries, such as pictures and signatures, are left out of them.
    """
    line = line_of(message)
    if len(line) <= most:
        return [line]
    text = tool_text(message) if message.role == "tool" else said(message)
    parted = _keeps_its_sense(message)
    size = most
    while True:
        size //= 2  # as JSON a text is longer than it is
        pieces = [(piece, whole and parted) for piece, whole in cut(text, size)]
        lines = [line_of(_piece(message, pieces, index)) for index in range(len(pieces))]
        if all(len(line) <= most for line in lines):
            return lines


def cut(text: str, size: int) -> Iterator[tuple[str, bool]]:
    """Yield a text in pieces of at most `size` characters, each with whether no word and no value in it was cut."""
    start, whole = 0, True
    while start < len(text) or not start:
        stop = start + size
        if whole and stop < len(text):
            stop = start + len(head_of(text[start : stop + _LOOKAHEAD], size))
            whole = stop > start
            stop = stop if whole else start + size
            yield text[start:stop], whole
        elif whole:
            yield text[start:], True
        else:
            found = _GOES_ON.search(text, start, stop)
            whole, stop = found is not None, found.end() if found else stop
            yield text[start:stop], False
        start = max(stop, start + 1)


def _keeps_its_sense(message: Message) -> bool:
    """Whether every piece of a result still says what the whole says.

    A recall is told from a result by its mark, and what repeats the question from what answers it by its key: both
    may stand in another piece.
    """
    said = [segment.text for segment in tool_segments(message)]
    keys = tuple(map(json.dumps, QUOTES_THE_QUESTION))
    return not any(text.startswith(RECALLED) or any(key in text for key in keys) for text in said)


def _piece(message: Message, pieces: list[tuple[str, bool]], index: int) -> Message:
    text, is_evidence = pieces[index]
    fields: dict[str, object] = {
        "role": message.role,
        "content": text,
        "metadata": {PIECE: f"{index + 1} of {len(pieces)}"},
    }
    for name in ("id", "tool_call_id", "tool_name"):
        value = getattr(message, name)
        if value is not None and len(json.dumps(value)) <= _LONGEST_NAME:
            fields[name] = value
    if message.is_error is not None:
        fields["is_error"] = message.is_error
    if message.role == "tool" and not is_observation(message):
        fields["not_dispatched"] = True
    elif message.role == "tool" and not is_evidence:
        fields["tool_chars"] = 0  # nothing in it is the tool's own word: half of a value is another value
    return Message.model_validate(fields)
