"""The corpus: for every form, which messages carry it and who else supplied it; and how one judgement sees all that.

Only which messages carry a form is kept; the path and the span are found again when somebody asks. Reading messages one
by one gives what reading them all at once gives.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from foldproof.evidence.carriers import Carrier, Places
from foldproof.evidence.exempt import ExemptHow, exemption
from foldproof.evidence.offsets import LONGEST_OFFSET, offset_form
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.reading import Leaf, arguments_in, evidence_in, leaf_texts, said_by_tools, value_texts
from foldproof.evidence.spellings import LONGEST_ABBREVIATED, PART, PREFIX, segments
from foldproof.evidence.stated import stated_by, stated_by_each
from foldproof.evidence.values import Kind
from foldproof.evidence.workings import Workings
from foldproof.messages import Message, author_of, folded_observations, frame_kind

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
_UNNAMED = "results that a frame folded without naming them"


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
    _lost: set[str] = field(default_factory=set)
    _names: dict[str, list[int]] = field(default_factory=dict, compare=False)
    _names_made: int = field(default=0, compare=False)
    _places: dict[int, Places] = field(default_factory=dict, compare=False)  # found again when somebody asks
    _endings: dict[str, list[str]] = field(default_factory=dict, compare=False)  # made when somebody asks
    _ended: int = field(default=0, compare=False)
    _workings: Workings | None = field(default=None, compare=False)
    _unworked: list[str] = field(default_factory=list, compare=False)

    def add(self, message: Message) -> None:
        """Read one more message, which happened after those read before."""
        index = len(self.messages)
        self.messages.append(message)
        if author_of(message) == "person":
            self.request = index
        self._read_evidence(message, index)
        self._read_exemption(message)
        self._read_arguments(message)

    @property
    def lost(self) -> bool:
        """Whether a fold took results that were never read."""
        return bool(self._lost) and not self._lost <= self._named.keys()

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
        """Return where these messages carry a form, at most 8 places, in order."""
        found: list[Carrier] = []
        for index in indices:
            found.extend(self.places_in(index).carriers(form, most=_MOST_CARRIERS - len(found)))
            if len(found) == _MOST_CARRIERS:
                break
        return tuple(found)

    def ending_in(self, form: str) -> list[str]:
        """Return the longer identifiers and numbers that a tool said and that end in `form`."""
        for longer in islice(self.carried_by, self._ended, None):
            if len(longer) > _SHORTEST_END and longer[-1].isalnum():
                self._endings.setdefault(longer[-_SHORTEST_END:], []).append(longer)
        self._ended = len(self.carried_by)
        return sorted(longer for longer in self._endings.get(form[-_SHORTEST_END:], ()) if ends_in(longer, form))

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
            if isinstance(carried_by, int):
                self.carried_by[form] = [carried_by, index]
            else:
                carried_by.append(index)
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
        self._names_made = len(self.messages)
        return self._names

    def _read_exemption(self, message: Message) -> None:
        how, forms = exemption(message)
        supplied = (how, len(self.messages) - 1)
        for form in forms:
            self.exempt.setdefault(form, supplied)
        if frame_kind(message) in ("summary", "drop-notice", "cleared-result"):
            self.frames += 1
            taken = folded_observations(message)
            self._lost.update((_UNNAMED,) if taken is None else taken)
            if taken:
                self.folded.update(chain.from_iterable(self._named.get(name, ()) for name in taken))

    def _read_arguments(self, message: Message) -> None:
        for arguments in arguments_in(message):
            for text in value_texts(arguments):
                self.arguments.update(stated_by(text).forms)


def ends_in(longer: str, form: str) -> bool:
    """Whether `form` is the end of a longer identifier or number, and no segment or unit of it."""
    return len(longer) > len(form) >= _SHORTEST_END and longer.endswith(form) and longer[-len(form) - 1].isalnum()


def says_scale(message: Message, scale: int) -> bool:
    """Whether a result says that its numbers are in this power of ten."""
    pattern = _SCALES.get(scale)
    return pattern is not None and any(pattern.search(segment.text) for segment in said_by_tools(message))


Place = tuple[int, int | None, str]
"""A record: its message, the part of that, and its name."""


class Judged(NamedTuple):
    """A text that was judged: what it is, and the start, kind and forms of every value in it that tools said."""

    text: str
    grounded: Sequence[tuple[int, Kind, tuple[str, ...]]]


class View:
    """The corpus as one judgement sees it: up to the message read last when it was made, within one scope.

    Attributes:
        options: what the judgement was told.
        judged: what it was about, once it is made.
        remembered: for the forms of a name, the records that it names, and those in which it stands.
        is_earlier: whether it is of an answer that a later one repeats.
    """

    def __init__(self, corpus: Corpus, options: EvidenceOptions, *, read: int | None = None) -> None:
        self.options = options
        self.is_earlier = read is not None
        self.judged = Judged("", ())
        self.remembered: dict[tuple[str, ...], tuple[frozenset[Place], frozenset[Place]]] = {}
        self._corpus = corpus
        self._read = len(corpus.messages) if read is None else read
        self._folded = frozenset(corpus.folded)
        self._hidden = self._folded if options.scope == "window" else frozenset[int]()

    def messages_with(self, form: str) -> Sequence[int]:
        """Return the indices of the messages in which a tool said this form, in order."""
        carried_by = self._corpus.carried_by.get(form)
        if carried_by is None:
            return ()
        indices = (carried_by,) if isinstance(carried_by, int) else carried_by
        if not self._hidden and indices[-1] < self._read:
            return indices
        return [index for index in indices if index < self._read and index not in self._hidden]

    def is_carried(self, form: str) -> bool:
        """Whether a tool said this form."""
        return form in self._corpus.carried_by and bool(self.messages_with(form))

    def is_verbatim(self, spelling: str) -> bool:
        """Whether a tool used this very spelling (casefolded)."""
        return spelling in self._corpus.verbatim

    def exempt_how(self, form: str) -> ExemptHow | None:
        """Who supplied this form, or None."""
        supplied = self._corpus.exempt.get(form)
        return supplied[0] if supplied is not None and supplied[1] < self._read else None

    def offsets(self) -> set[int]:
        """Return the offsets of days that the person stated, or that a tool added to a clock."""
        stated = {days for days in range(-LONGEST_OFFSET, LONGEST_OFFSET + 1) if self.exempt_how(offset_form(days))}
        return stated | {days for days, index in self.workings.offsets.items() if self.sees(index)}

    def says_scale(self, form: str, scale: int) -> bool:
        """Whether a result that carries `form` says of its numbers that they are in thousands, millions or billions."""
        return any(
            says_scale(self._corpus.messages[index], scale) for index in self.messages_with(form)[-_MOST_SCALED:]
        )

    def is_argument(self, form: str) -> bool:
        """Whether the model put this form into a tool call."""
        return form in self._corpus.arguments

    @property
    def is_incomplete(self) -> bool:
        """Whether evidence may be missing: a ceiling was hit, or a fold took results that were never read here."""
        past_ceiling = self._corpus.characters > self._corpus.most_characters
        return past_ceiling or (self.options.scope == "conversation" and self._corpus.lost)

    @property
    def is_folded(self) -> bool:
        """Whether a frame stands for messages, whose words may not have been read."""
        return self.options.scope == "conversation" and self._corpus.frames > 0

    def carriers(self, form: str) -> tuple[Carrier, ...]:
        """Return where tools said this form, at most 8 places, in order."""
        return self._corpus.carriers(form, self.messages_with(form))

    def is_current(self, index: int) -> bool:
        """Whether a message came after the person's latest one."""
        return index > self._corpus.request

    def carriers_in(self, form: str, indices: Iterable[int]) -> tuple[Carrier, ...]:
        """Return every place in which these messages carry a form, at most 64 a message."""
        seen = set(self.messages_with(form))
        return tuple(
            carrier
            for index in indices
            if index in seen
            for carrier in self._corpus.places_in(index).carriers(form, most=_MOST_IN_A_MESSAGE)
        )

    def carrier_of(self, index: int, part: int | None, leaf: Leaf) -> Carrier:
        """Return the carrier of a whole leaf, or cell, of the message at `index`."""
        return self._corpus.places_in(index).carrier_of(part, leaf)

    def cells_of(self, index: int, part: int | None, record: str) -> list[Carrier]:
        """Return the cells of one record of the message at `index`."""
        return self._corpus.places_in(index).cells_of(part, record)

    def latest(self, forms: Sequence[str]) -> int:
        """Return the latest message in which a tool said any of these forms, which must be carried."""
        return max(self.messages_with(form)[-1] for form in forms)

    def has_left(self, forms: Sequence[str]) -> bool:
        """Whether every result that carries any of these forms has left the window."""
        return bool(self._corpus.folded) and all(
            self._corpus.folded.issuperset(self.messages_with(form)) for form in forms
        )

    def cited(self, forms: Sequence[str]) -> set[int]:
        """Return the results since the person's latest message in which a tool said any of these forms."""
        request = self._corpus.request
        found: set[int] = set()
        for form in forms:
            indices = self.messages_with(form)
            found.update(indices[bisect_right(indices, request) :])
        return found

    def ending_in(self, form: str) -> str | None:
        """Return a longer identifier or number that a tool said and that ends in `form` (of 3 characters or more)."""
        return next((longer for longer in self._corpus.ending_in(form) if self.is_carried(longer)), None)

    def part_or_prefix(self, form: str) -> str | None:
        """Return the form of a longer identifier of which this is a run of segments, or of a hash that it abbreviates.

        One segment leads to the places, and the text there decides: only single segments are indexed.
        """
        whole = re.compile(rf"(?<![^\W_])(?<!\d\.){re.escape(form)}(?![^\W_]|\.\d)")
        for segment in segments(form):
            known = PART + segment
            if any(whole.search(carrier.text.casefold()) for carrier in self.carriers(known)):
                return known
        known = PREFIX + form[:LONGEST_ABBREVIATED]
        if len(form) > LONGEST_ABBREVIATED and self.is_carried(known):
            return known if any(carrier.text.casefold().startswith(form) for carrier in self.carriers(known)) else None
        return None

    def is_exempt_ending(self, form: str) -> bool:
        """Whether the person or the app supplied a longer identifier or number that ends in `form`."""
        return any(ends_in(longer, form) for longer, (_, index) in self._corpus.exempt.items() if index < self._read)

    def call_of(self, index: int) -> str | None:
        """Return which call the message at `index` answers."""
        return self._corpus.messages[index].tool_call_id

    @property
    def workings(self) -> Workings:
        """What can be computed from what was read."""
        return self._corpus.workings

    def sees(self, index: int) -> bool:
        """Whether this judgement reads the message at `index`."""
        return index < self._read and index not in self._hidden

    def earlier_answers(self, form: str) -> list[tuple[str, View]]:
        """Return the model's latest answers that state `form`, at most 3, each with what had been read before it.

        None for an answer that is judged as an earlier one itself.
        """
        if self.is_earlier:
            return []
        indices = [index for index in self.workings.answers_with(form) if index < self._read]
        return [
            (self._corpus.messages[index].text, View(self._corpus, self.options, read=index))
            for index in reversed(indices[-_MOST_EARLIER:])
        ]

    def tool_words(self) -> Iterator[str]:
        """Yield every text that tools said, for declared shapes."""
        for index in range(self._read):
            if self.sees(index):
                for segment in said_by_tools(self._corpus.messages[index]):
                    yield segment.text

    def supplied_words(self) -> Iterator[tuple[ExemptHow, str]]:
        """Yield every text that the person or the app supplied, for declared shapes."""
        for message in self._corpus.messages[: self._read]:
            if author_of(message) in ("person", "app"):
                yield exemption(message)[0], message.text
