"""The corpus: for every form, which messages carry it and who else supplied it.

Only which messages carry a form is kept; the path and the span are found again when somebody asks. Reading messages one
by one gives what reading them all at once gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal

from foldproof.evidence.carriers import Carrier, KeptPlaces, Places
from foldproof.evidence.characters import fold_characters
from foldproof.evidence.exempt import ExemptHow, exemption
from foldproof.evidence.file_names import bare_names
from foldproof.evidence.kept import carried_by
from foldproof.evidence.reading import arguments_in, doubtful_in, evidence_in, leaf_texts, said_by_tools, value_texts
from foldproof.evidence.stated import stated_by, stated_by_each
from foldproof.evidence.unread import holds_unread, kept_by_provider
from foldproof.evidence.workings import Workings
from foldproof.messages import (
    Message,
    archived_at,
    author_of,
    folded_observations,
    frame_kind,
    hides_values,
    keeps_every_value,
    results_in,
)

_MOST_CARRIERS = 8
_MOST_PLACES = 64
_MOST_IN_A_MESSAGE = 64
_MOST_EARLIER = 3
_SHORTEST_END = 3
_MOST_SCALED = 8
_SCALES = {
    power: re.compile(rf"(?i)\b(?:in|\(|\$|€|£|usd|eur)\s?(?:\$|€|£|usd|eur)?\s?(?:{words})\b")
    for power, words in ((3, "thousands?|000s|000|k"), (6, "millions?|mm?|mn"), (9, "billions?|bn?"))
}
"""How a table says that its numbers are in thousands, millions or billions."""
Wrote = Literal["tool", "given", "argument"]
"""Who wrote something: a tool, the person or the app, or the model in a call of a tool."""

_UNNAMED = "results that a frame folded without naming them"
_HIDDEN = "what was hidden before it was folded"


@dataclass(eq=True)
class Corpus:
    """What was read so far.

    Attributes:
        messages: every message, in order; all indices count in them.
        carried_by: for every form a tool said, the message or messages that carry it.
        verbatim: spellings that tools used (casefolded) and that are not their own form.
        exempt: for every form the person or the app supplied, who did first, and in which message.
        arguments: forms that the model put into tool calls.
        folded: messages whose results have left the window.
        request: the index of the person's latest message; -1 when there is none.
        characters: how many code points tools said.
        frames: how many frames stand for other messages.
        carrying: the frames that carry values of results which have left.
        partly: whether of some results only the values are known, and not the records they stood in.
        doubtful: forms that a recall brought back, and of which nobody can say who supplied them.
        addresses: how frames name the originals that an archive keeps.
        unread: whether the model was shown something that has no words here.
    """

    most_characters: int
    messages: list[Message] = field(default_factory=list)
    carried_by: dict[str, int | list[int]] = field(default_factory=dict)  # most forms stand in one message: no list
    verbatim: set[str] = field(default_factory=set)
    exempt: dict[str, tuple[ExemptHow, int]] = field(default_factory=dict)
    arguments: set[str] = field(default_factory=set)
    folded: set[int] = field(default_factory=set)
    request: int = -1
    characters: int = 0
    frames: int = 0
    carrying: set[int] = field(default_factory=set)
    partly: bool = False
    doubtful: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    unread: bool = False
    _waiting: set[str] = field(default_factory=set)  # searches of a provider's without what they found
    _lost: set[str] = field(default_factory=set)
    _names: dict[str, list[int]] = field(default_factory=dict, compare=False)
    _recalled: set[str] = field(default_factory=set, compare=False)  # results that were read in a recall of them
    _names_made: int = field(default=0, compare=False)
    _places: dict[int, Places] = field(default_factory=dict, compare=False)  # found again when somebody asks
    _endings: dict[str, list[str]] = field(default_factory=dict, compare=False)  # made when somebody asks
    _ended: int = field(default=0, compare=False)
    _files: dict[str, list[tuple[int, Wrote]]] = field(default_factory=dict, compare=False)  # made when somebody asks
    _filed: int = field(default=0, compare=False)
    _workings: Workings | None = field(default=None, compare=False)
    _unworked: list[str] = field(default_factory=list, compare=False)

    def add(self, message: Message) -> None:
        """Read one more message, which happened after those read before."""
        index = len(self.messages)
        self.messages.append(message)
        if author_of(message) == "person":
            self.request = index
        self._read_evidence(message, index)
        self.doubtful.update(*[stated_by(text).forms for text in doubtful_in(message)])
        self._read_exemption(message)
        self._read_arguments(message)
        if not message.facts.plain:
            self._read_unread(message)

    @property
    def holds_unread(self) -> bool:
        """Whether evidence stands in what cannot be read here: a picture, a result that a provider keeps to itself."""
        return self.unread or bool(self._waiting)

    @property
    def lost(self) -> bool:
        """Whether a fold took results that were never read."""
        return bool(self._lost) and not self._lost <= self._named.keys() | self._recalled

    @property
    def workings(self) -> Workings:
        """What can be computed from what was read, brought up to date."""
        if self._workings is None:
            self._workings = Workings()
            self._unworked.extend(self.carried_by)
        if self._unworked or self._workings.messages < len(self.messages):
            self._workings.add_forms(self._unworked)
            self._unworked.clear()
            self._workings.add_messages(self.messages[self._workings.messages :])
        return self._workings

    def carriers(self, form: str, indices: Sequence[int]) -> tuple[Carrier, ...]:
        """Return where these messages carry a form, at most 8 places, in order; a frame only where no result does."""
        found: list[Carrier] = []
        for index in self.results_among(indices):
            found.extend(self.carriers_at(form, index, most=_MOST_CARRIERS - len(found)))
            if len(found) == _MOST_CARRIERS:
                break
        return tuple(found)

    def results_among(self, indices: Sequence[int]) -> Sequence[int]:
        """Return those of these messages that are results, or all of them where frames alone carry the form."""
        results = [index for index in indices if index not in self.carrying] if self.carrying else indices
        return results or indices

    def ending_in(self, form: str) -> list[str]:
        """Return the longer identifiers and numbers that a tool said and that end in `form`."""
        for longer in islice(self.carried_by, self._ended, None):
            if len(longer) > _SHORTEST_END and longer[-1].isalnum():
                self._endings.setdefault(longer[-_SHORTEST_END:], []).append(longer)
        self._ended = len(self.carried_by)
        return sorted(longer for longer in self._endings.get(form[-_SHORTEST_END:], ()) if ends_in(longer, form))

    def naming(self, file: str) -> Sequence[tuple[int, Wrote]]:
        """Return which messages hold the bare name of a file (casefolded) as a word, and who wrote it there."""
        for index in range(self._filed, len(self.messages)):
            for name, wrote in _files_in(self.messages[index]):
                self._files.setdefault(name, []).append((index, wrote))
        self._filed = len(self.messages)
        return self._files.get(file, ())

    def carriers_at(self, form: str, index: int, *, most: int) -> Iterator[Carrier]:
        """Yield up to `most` carriers of a form in one message, or in the results that have left and it carries."""
        found = self.places_in(index).carriers(form, most=most)
        if index in self.carrying:
            kept = KeptPlaces(carried_by(self.messages[index]), index)
            found = chain(found, kept.carriers(form, most=most))
        yield from islice(found, most)

    def places_in(self, index: int) -> Places:
        """Return where the forms of one message stand."""
        if index not in self._places:
            if len(self._places) == _MOST_PLACES:
                self._places.clear()
            self._places[index] = Places(self.messages[index], index)
        return self._places[index]

    def _read_evidence(self, message: Message, index: int) -> None:
        forms: set[str] = set()
        for segment in said_by_tools(message):
            self.characters += len(segment.text)
            if self.characters > self.most_characters:
                break
            stated = stated_by_each(leaf_texts(segment.text))
            forms.update(*[one.forms for one in stated])
            self.verbatim.update(*[one.verbatim for one in stated if one.verbatim])
        self._carry(forms, index)

    def _carry(self, forms: set[str], index: int) -> None:
        known = forms & self.carried_by.keys()
        for form in known:
            carried_by = self.carried_by[form]
            if not isinstance(carried_by, int):
                if carried_by[-1] != index:
                    carried_by.append(index)
            elif carried_by != index:  # a cleared result may carry what stands in its head, too
                self.carried_by[form] = [carried_by, index]
        new = forms - known
        self.carried_by.update(dict.fromkeys(new, index))
        if self._workings is not None:
            self._unworked.extend(new)

    @property
    def _named(self) -> dict[str, list[int]]:
        """The names by which frames would call what was read, and the messages of each; made when a frame asks."""
        for index in range(self._names_made, len(self.messages)):
            for name in evidence_in((self.messages[index],)):
                self._names.setdefault(name, []).append(index)
            self._recalled.update(evidence_in(results_in(self.messages[index])))
        self._names_made = len(self.messages)
        return self._names

    def _read_exemption(self, message: Message) -> None:
        how, forms = exemption(message)
        supplied = (how, len(self.messages) - 1)
        for form in forms:
            self.exempt.setdefault(form, supplied)
        if hides_values(message):  # a frame, or what stands for a forgotten message of the model's
            self._lost.add(_HIDDEN)
        if frame_kind(message) in ("summary", "drop-notice", "cleared-result"):
            self._read_frame(message, len(self.messages) - 1)

    def _read_frame(self, frame: Message, index: int) -> None:
        self.frames += 1
        taken = folded_observations(frame)
        if taken:
            self.folded.update(chain.from_iterable(self._named.get(name, ()) for name in taken))
        if keeps_every_value(frame):
            self.partly = True
        else:
            self._lost.update((_UNNAMED,) if taken is None else taken)
        address = archived_at(frame)
        if address is not None:
            self.addresses.add(address)
        carried = {form for value in carried_by(frame) for form in value.forms}
        if carried:
            self.carrying.add(index)
            self._carry(carried, index)

    def _read_unread(self, message: Message) -> None:
        self.unread = self.unread or holds_unread(message)
        for identifier, is_answered in kept_by_provider(message):
            (self._waiting.discard if is_answered else self._waiting.add)(identifier)

    def _read_arguments(self, message: Message) -> None:
        for arguments in arguments_in(message):
            for text in value_texts(arguments):
                self.arguments.update(stated_by(text).forms)


def _files_in(message: Message) -> set[tuple[str, Wrote]]:
    found: set[tuple[str, Wrote]] = set()
    if author_of(message) in ("person", "app"):
        found.update((name, "given") for name in bare_names(fold_characters(message.text).text, is_spoken=True))
    for segment in said_by_tools(message):
        for leaf in leaf_texts(segment.text):
            found.update((name, "tool") for name in bare_names(fold_characters(leaf).text, is_spoken=False))
    for arguments in arguments_in(message):
        for text in value_texts(arguments):
            found.update((name, "argument") for name in bare_names(fold_characters(text).text, is_spoken=True))
    return found


def ends_in(longer: str, form: str) -> bool:
    """Whether `form` is the end of a longer identifier or number, and no segment or unit of it."""
    return len(longer) > len(form) >= _SHORTEST_END and longer.endswith(form) and longer[-len(form) - 1].isalnum()


def says_scale(message: Message, scale: int) -> bool:
    """Whether a result says that its numbers are in this power of ten."""
    pattern = _SCALES.get(scale)
    return pattern is not None and any(pattern.search(segment.text) for segment in said_by_tools(message))
