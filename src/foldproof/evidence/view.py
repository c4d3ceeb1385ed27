"""The view: the corpus as one judgement sees it, up to a message and within a scope."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, get_args

from foldproof.evidence.carriers import Carrier
from foldproof.evidence.characters import fold_characters
from foldproof.evidence.corpus import Corpus, Wrote, ends_in, says_scale
from foldproof.evidence.exempt import ExemptHow, exemption
from foldproof.evidence.offsets import LONGEST_OFFSET, offset_form
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.reading import Leaf, said_by_tools
from foldproof.evidence.spellings import LONGEST_ABBREVIATED, PART, PREFIX, segments
from foldproof.evidence.values import Kind
from foldproof.evidence.workings import Workings
from foldproof.messages import author_of

_MOST_IN_A_MESSAGE = 64
_MOST_EARLIER = 3
_MOST_SCALED = 8
_LEAST_OF_ADDRESS = 8
_MOST_NAMING = 8

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

    def is_doubtful(self, form: str) -> bool:
        """Whether a recall brought this form back, and nobody can say who had supplied it."""
        return form in self._corpus.doubtful

    def is_address(self, text: str) -> bool:
        """Whether a frame names the originals that an archive keeps by this, or by what it begins with."""
        begin = text.casefold()
        return len(begin) >= _LEAST_OF_ADDRESS and any(known.startswith(begin) for known in self._corpus.addresses)

    def is_argument(self, form: str) -> bool:
        """Whether the model put this form into a tool call."""
        return form in self._corpus.arguments

    @property
    def is_incomplete(self) -> bool:
        """Whether evidence may be missing: it could not be read, or a fold took results that were never read here."""
        past_ceiling = self._corpus.characters > self._corpus.most_characters
        unread = self.options.unread == "undecidable" and self._corpus.holds_unread
        return (
            self.options.incomplete
            or unread
            or past_ceiling
            or (self.options.scope == "conversation" and self._corpus.lost)
        )

    @property
    def is_partly_known(self) -> bool:
        """Whether of some results only the values are known: what follows from their records cannot be worked out."""
        return self.options.scope == "conversation" and self._corpus.partly

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
            for carrier in self._corpus.carriers_at(form, index, most=_MOST_IN_A_MESSAGE)
        )

    def carrier_of(self, index: int, part: int | None, leaf: Leaf) -> Carrier:
        """Return the carrier of a whole leaf, or cell, of the message at `index`."""
        return self._corpus.places_in(index).carrier_of(part, leaf)

    def cells_of(self, index: int, part: int | None, record: str) -> list[Carrier]:
        """Return the cells of one record of the message at `index`."""
        return self._corpus.places_in(index).cells_of(part, record)

    def latest(self, forms: Sequence[str]) -> int:
        """Return the latest message in which a tool said any of these forms, which must be carried."""
        return max(self._corpus.results_among(self.messages_with(form))[-1] for form in forms)

    def has_left(self, forms: Sequence[str]) -> bool:
        """Whether every result that carries any of these forms has left the window."""
        left = self._corpus.folded | self._corpus.carrying
        return bool(left) and all(left.issuperset(self.messages_with(form)) for form in forms)

    def cited(self, forms: Sequence[str]) -> set[int]:
        """Return the results since the person's latest message in which a tool said any of these forms."""
        request = self._corpus.request
        found: set[int] = set()
        for form in forms:
            indices = self.messages_with(form)
            found.update(indices[bisect_right(indices, request) :])
        return found - self._corpus.carrying

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

    def who_names(self, file: str) -> Wrote | None:
        """Who wrote the bare name of a file (casefolded) as a word: the first of those that `Wrote` lists."""
        wrote = {wrote for _, wrote in self._naming(file)}
        return next((each for each in get_args(Wrote) if each in wrote), None)

    def is_worded(self, name: str) -> bool:
        """Whether somebody but the model wrote these words, which end in the bare name of a file (casefolded)."""
        naming = dict(self._naming(name.rpartition(" ")[2]))
        return any(
            name in fold_characters(self._corpus.messages[index].text).text.casefold()
            for index in sorted(naming)[-_MOST_NAMING:]
            if naming[index] != "argument"
        )

    def _naming(self, file: str) -> Iterator[tuple[int, Wrote]]:
        for index, wrote in self._corpus.naming(file):
            if index < self._read and not (wrote == "tool" and index in self._hidden):
                yield index, wrote

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
