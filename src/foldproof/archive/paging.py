"""What fits: each message as one line, and one that is longer than a page as several, cut where no value is cut."""

from __future__ import annotations

import json
from typing import Final

from foldproof.archive.cutting import Piece, cut, pieces_of
from foldproof.archive.searching import said
from foldproof.evidence.reading import said_by_tools
from foldproof.messages import RECALLED, Message, is_observation, recalled_text, tool_text

PIECE: Final = "piece"
"""Key in the metadata of a piece of a message, for which of how many it is."""

_LONGEST_NAME: Final = 80


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
    size = most
    while True:
        size //= 2  # as JSON a text is longer than it is
        pieces = _pieces(message, size)
        lines = [line_of(_piece(message, pieces, index)) for index in range(len(pieces))]
        if all(len(line) <= most for line in lines):
            return lines


def _pieces(message: Message, size: int) -> list[Piece]:
    if not is_observation(message):
        return list(cut(tool_text(message) if message.role == "tool" else said(message), size)) or [
            Piece("", whole=True)
        ]
    if RECALLED in tool_text(message):  # its mark may stand in another piece
        return [piece._replace(whole=False) for piece in cut(tool_text(message), size)]
    return [piece for segment in said_by_tools(message) for piece in pieces_of(segment.text, size)] or [
        Piece("", whole=True)
    ]


def _piece(message: Message, pieces: list[Piece], index: int) -> Message:
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
