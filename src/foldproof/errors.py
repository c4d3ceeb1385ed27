"""The two roots of every error this library raises: the data is wrong, or the call is wrong.

Both print as one line, so that a command can show them as they are. Raising either means that nothing was changed.
"""

from __future__ import annotations

from copy import copy
from typing import final

_SHOWN = 120


def shown(value: object) -> str:
    """Return `repr(value)` cut to 120 characters on one line, for use inside an error; the type where that raises."""
    try:
        text = _one_line(repr(value))
    except Exception:  # noqa: BLE001 - the value is somebody else's, and what is wrong with it must still be said
        text = type(value).__name__
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def described(error: BaseException) -> str:
    """Return the type of somebody else's error and what it says, for use inside an error or a record."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - as above
        return type(error).__name__
    return f"{type(error).__name__}: {shown(text)}"


class TranscriptError(Exception):
    """The data is not what it claims to be: a file, a message or a record that cannot be read as written.

    Attributes:
        cause: what is wrong, what was found, what was expected, what to do; one line.
        file: the file it was found in, when it came from one.
        path: the place inside the data, such as `$.messages[12].toolCallId`.
    """

    def __init__(self, cause: str, *, path: str | None = None, file: str | None = None) -> None:
        super().__init__(cause)
        self.cause = _one_line(cause)
        self.path = path
        self.file = file

    @final
    def __str__(self) -> str:
        return _one_line(": ".join(part for part in (self.file, self.path, self.cause) if part))

    def in_file(self, file: str) -> TranscriptError:
        """Return the same error naming `file`, unless it names one already."""
        return self if self.file else self._placed(self.path, file)

    def under(self, prefix: str) -> TranscriptError:
        """Return the same error with its path placed under `prefix` (`$[3]` under `$.messages` is `$.messages[3]`)."""
        inner = (self.path or "$").removeprefix("$")
        return self._placed(prefix + inner, self.file)

    def _placed(self, path: str | None, file: str | None) -> TranscriptError:
        placed = copy(self)  # a subclass may be made of more than a cause
        placed.path, placed.file = path, file
        return placed


class UsageError(Exception):
    """The call is wrong: an option that makes no sense, a missing argument, an object of the wrong kind."""

    @final
    def __str__(self) -> str:
        return _one_line(super().__str__())


def _one_line(text: str) -> str:
    return " ".join(filter(None, map(str.strip, text.splitlines())))
