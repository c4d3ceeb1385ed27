"""Turns: the unit of removal. A turn is a non-tool message and the tool messages right after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foldproof.messages.model import Message, Role


class Turn(NamedTuple):
    """A run of messages, `messages[start:stop]`."""

    start: int
    stop: int


def turns_of(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Return the turns in order; they cover every message once. Leading tool messages are a turn of their own."""
    starts = turn_starts([message.facts.role for message in messages])
    return tuple(map(Turn._make, zip(starts, [*starts[1:], len(messages)], strict=False)))


def turn_starts(roles: Sequence[Role]) -> list[int]:
    """Return where the turns of messages with these roles begin."""
    return [index for index, role in enumerate(roles) if role != "tool" or index == 0]
