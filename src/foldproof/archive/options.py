"""The checks that options of an archive go through; each raises a `UsageError` of one line."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from foldproof.archive.failures import ArchiveError
from foldproof.errors import UsageError, described, shown
from foldproof.messages import Message, calls_of, message_id

_LONGEST_WAIT: Final = 2_000_000
"""SQLite counts milliseconds in 31 bits."""


def path(value: object) -> None:
    """Check what names a file."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str) or not os.fspath(value):
        raise UsageError(f"path is {shown(value)}; name a file")
    if "\0" in os.fspath(value):
        raise UsageError(f"path is {shown(value)}, and no file has a NUL in its name; name another")


def hook(value: object) -> None:
    """Check what redacts."""
    if value is not None and not callable(value):
        raise UsageError(f"redact is {shown(value)}; pass a callable (message) -> message, or None")


def seconds(name: str, value: object) -> None:
    """Check an option that is a time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST_WAIT:
        raise UsageError(f"{name} is {shown(value)}; write seconds, from 0 to {_LONGEST_WAIT:,}")


def at_least_one(name: str, value: object) -> None:
    """Check an option that counts something."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name} is {shown(value)}; write a whole number, 1 or more")


def text(name: str, value: object) -> None:
    """Check an option that is a text with something in it."""
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is {shown(value)}; write a text")


def redacted(hook: Callable[[Message], Message], message: Message) -> Message:
    """Return what a redact hook makes of a message.

    Raises:
        ArchiveError: it raised something, so that the message cannot be kept.
        UsageError: it returned no message, or one of another role or with other calls.
    """
    who = f"the redact hook {getattr(hook, '__qualname__', type(hook).__name__)}, given {message_id(message)},"
    try:
        made = hook(message)
    except Exception as error:
        raise ArchiveError(f"{who} raised {described(error)}, so nothing was kept; mend the hook") from error
    if made is message:
        return message
    if not isinstance(made, Message):
        raise UsageError(f"{who} returned {shown(made)}; return a Message")
    try:
        Message.model_validate(made.model_dump(warnings=False))
        same = made.fingerprint == message.fingerprint
    except (TypeError, ValueError, RecursionError) as error:  # `model_copy` checks nothing
        raise UsageError(f"{who} returned a message that is none: {described(error)}") from error
    if _structure(made) != _structure(message):
        raise UsageError(f"{who} changed a role, or the id or the name of a call; hide what is said, and keep those")
    return message if same else made


def _structure(message: Message) -> tuple[object, ...]:
    return message.role, message.tool_call_id, tuple((call.id, call.name) for call in calls_of(message))
