"""The checks that options of an archive go through; each raises a `UsageError` of one line."""

from __future__ import annotations

import os

from foldproof.errors import UsageError, shown
from foldproof.messages import Message


def path(value: object) -> None:
    """Check what names a file."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str) or not os.fspath(value):
        raise UsageError(f"path is {shown(value)}; name a file")


def hook(value: object) -> None:
    """Check what redacts."""
    if value is not None and not callable(value):
        raise UsageError(f"redact is {shown(value)}; pass a callable (message) -> message, or None")


def seconds(name: str, value: object) -> None:
    """Check an option that is a time."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise UsageError(f"{name} is {shown(value)}; write seconds, 0 or more")


def at_least_one(name: str, value: object) -> None:
    """Check an option that counts something."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name} is {shown(value)}; write a whole number, 1 or more")


def text(name: str, value: object) -> None:
    """Check an option that is a text with something in it."""
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is {shown(value)}; write a text")


def redacted(value: object) -> Message:
    """Return what a redact hook returned, where it is a message."""
    if not isinstance(value, Message):
        raise UsageError(f"the redact hook returned {shown(value)}; return a Message")
    return value
