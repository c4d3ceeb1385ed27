"""Turns: the unit of removal. A turn is a non-tool message and the tool messages right after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foldproof.messages.model import Message


class Turn(NamedTuple):
    """A run of messages, `messages[start:stop]`."""

    start: int
    stop: int


def turns_of(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Return the turns in order; they cover every message once. Leading tool messages are a turn of their own."""
    starts = [index for index, message in enumerate(messages) if message.role != "tool" or index == 0]
    return tuple(map(Turn._make, zip(starts, [*starts[1:], len(messages)], strict=False)))
