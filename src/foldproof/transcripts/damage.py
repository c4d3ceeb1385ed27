"""What a file holds that could not be read. Nothing is left out in silence: it is reported, or it is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

from foldproof.errors import TranscriptError, shown


class Damage(NamedTuple):
    """Something in a document that was not read.

    Attributes:
        path: the place, such as `$[12].payload` or `line 7`.
        cause: what was found, what was expected.
        outside: it stands behind or outside of what was said, so that nothing which was read can rest on it (the cut
            last line of a session that is still written; another conversation's line).
    """

    path: str
    cause: str
    outside: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.cause}"


def damage_of(error: TranscriptError, *, outside: bool = False) -> Damage:
    """Return an error as damage, where what lies around it can still be read."""
    return Damage(error.path or "$", error.cause, outside)


class UnknownKinds:
    """Collects rows or parts of a kind that a format does not know: one report a kind, with the first place."""

    def __init__(self, what: str) -> None:
        """Report as, for example, `unknown row type 'x'`, where `what` is `row type`."""
        self._what = what
        self._first: dict[Hashable, str] = {}
        self._counts: Counter[Hashable] = Counter()

    def add(self, kind: object, path: str) -> None:
        """Take note of one."""
        key: Hashable = kind if isinstance(kind, str) else shown(kind)
        self._first.setdefault(key, path)
        self._counts[key] += 1

    def damage(self) -> list[Damage]:
        """Return the reports, in the order in which the kinds came up."""
        return [
            Damage(path, f"unknown {self._what} {kind!r}{_times(self._counts[kind])}; it was not read")
            for kind, path in self._first.items()
        ]


def _times(count: int) -> str:
    return "" if count == 1 else f" ({count:,} times)"
