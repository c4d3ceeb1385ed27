"""Near: for a value that nobody supplied, one that a tool did say and that is one edit away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from foldproof.evidence.carriers import Carrier
from foldproof.evidence.spellings import ANY_UNIT, PART
from foldproof.evidence.values import NUMERIC, Value
from foldproof.evidence.view import View

_SHORTEST_NEAR = 3
_LONGEST_NEAR = 64  # the edits of a form are as many as its square
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"


@dataclass(frozen=True)
class Near:
    """A value that a tool did say, close to the one the answer states.

    Attributes:
        form: the form it is known by.
    """

    form: str
    _view: View = field(repr=False, compare=False)
    _carriers: tuple[Carrier, ...] = ()

    @property
    def text(self) -> str:
        """The tool's own spelling of it."""
        return self.carriers[0].text if self.carriers else self.form

    @cached_property
    def carriers(self) -> tuple[Carrier, ...]:
        """Where tools said it."""
        return self._carriers or self._view.carriers(self.form)


def nearest(value: Value, view: View) -> Near | None:
    """Return a value that a tool said and that is one edit away from `value`, or None."""
    return next((Near(form, view) for form in _neighbours(value) if view.is_carried(form)), None)


def _neighbours(value: Value) -> Iterator[str]:
    """Yield the forms one edit away from a value: a character changed, two swapped, one dropped, one added."""
    form = value.lookups[0].form
    if not _SHORTEST_NEAR <= len(form) <= _LONGEST_NEAR:
        return
    for edited in _edits(form):
        yield edited
        if value.kind in NUMERIC:
            yield f"{edited} {ANY_UNIT}"
        if value.kind not in ("date", "clock"):
            yield PART + edited


def _edits(form: str) -> Iterator[str]:
    alphabet = _DIGITS if not any(map(str.isalpha, form)) else _DIGITS + _LETTERS
    places = [place for place, character in enumerate(form) if character.isalnum()]
    for place in places:
        for other in alphabet:
            if other != form[place]:
                yield form[:place] + other + form[place + 1 :]
    for place in range(len(form) - 1):
        yield form[:place] + form[place + 1] + form[place] + form[place + 2 :]
    for place in places:
        yield form[:place] + form[place + 1 :]
    for place in range(len(form) + 1):
        for other in alphabet:
            yield form[:place] + other + form[place:]
