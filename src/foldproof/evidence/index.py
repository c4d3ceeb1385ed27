"""The evidence index: what tools said, what was supplied, and what the model only said to its tools. Incremental.

The index keeps, for every form, which messages carry it; the path and the span are found again when somebody asks
(`carriers`). Appending messages gives the index that a rebuild gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from foldproof.errors import UsageError, shown
from foldproof.evidence.carriers import Carrier, Places
from foldproof.evidence.exempt import ExemptHow, exemption
from foldproof.evidence.judge import Judgement, judge
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.reading import evidence_in, leaf_texts, said_by_tools, value_texts
from foldproof.evidence.stated import stated_by
from foldproof.messages import (
    Message,
    author_of,
    calls_of,
    check_message,
    folded_observations,
    frame_kind,
)

_MOST_CARRIERS = 8
_MOST_PLACES = 64
_UNNAMED = "results that a frame folded without naming them"


class EvidenceIndex:
    """What was read, ready to judge answers against.

    Pass messages in the order they happened; `extend` adds later ones and costs only those. Indices in carriers count
    from the first message ever passed. Judging never changes the index.
    """

    def __init__(self, messages: Sequence[Message] = (), *, options: EvidenceOptions | None = None) -> None:
        self.options = options or EvidenceOptions()
        self._messages: list[Message] = []
        self._carried_by: dict[str, int | list[int]] = {}  # most forms stand in one message: no list for those
        self._verbatim: set[str] = set()
        self._exempt: dict[str, ExemptHow] = {}
        self._arguments: set[str] = set()
        self._observed: set[str] = set()
        self._lost: set[str] = set()
        self._characters = self._frames = 0
        self._places: dict[int, Places] = {}  # found again when somebody asks; see `carriers`
        self.extend(messages)

    @property
    def messages(self) -> Sequence[Message]:
        """Every message the index has read, in order; carriers point into it."""
        return tuple(self._messages)

    def extend(self, messages: Iterable[Message]) -> None:
        """Read more messages, which happened after those read before.

        Raises:
            UsageError: something among the messages is no `Message`; those before it have been read.
        """
        for message in messages:
            check_message(message, len(self._messages))
            self._messages.append(message)
            self._read_evidence(message, len(self._messages) - 1)
            self._read_exemption(message)
            self._read_arguments(message)

    def judge(self, text: str, *, options: EvidenceOptions | None = None) -> Judgement:
        """Say of every value that `text` states whether a tool said it, somebody supplied it, or the model made it up.

        `options` replaces the index's own for this judgement, all but `max_characters`, which bounds what is read. The
        cost does not grow with what was read, except for declared shapes.

        Raises:
            UsageError: `text` is no text.
        """
        if not isinstance(text, str):
            raise UsageError(f"text is {shown(text)}; pass the answer's text")
        return judge(text, self, options or self.options)

    # What a judgement asks; see `foldproof.evidence.judge.Corpus`.

    def is_carried(self, form: str) -> bool:
        """Whether a tool said this form."""
        return form in self._carried_by

    def is_verbatim(self, spelling: str) -> bool:
        """Whether a tool used this very spelling (casefolded)."""
        return spelling in self._verbatim

    def exempt_how(self, form: str) -> ExemptHow | None:
        """Who supplied this form, or None."""
        return self._exempt.get(form)

    def is_argument(self, form: str) -> bool:
        """Whether the model put this form into a tool call."""
        return form in self._arguments

    def is_incomplete(self, scope: str) -> bool:
        """Whether evidence may be missing: a ceiling was hit, or a fold took results that were never read here."""
        past_ceiling = self._characters > self.options.max_characters
        return past_ceiling or (scope == "conversation" and not self._lost <= self._observed)

    def is_folded(self, scope: str) -> bool:
        """Whether a frame stands for messages, whose words the index may not have read."""
        return scope == "conversation" and self._frames > 0

    def carriers(self, form: str) -> tuple[Carrier, ...]:
        """Return where tools said this form, at most 8 places, in order."""
        carried_by = self._carried_by.get(form, [])
        found: list[Carrier] = []
        for index in [carried_by] if isinstance(carried_by, int) else carried_by:
            found.extend(self._places_in(index).carriers(form, most=_MOST_CARRIERS - len(found)))
            if len(found) == _MOST_CARRIERS:
                break
        return tuple(found)

    def _places_in(self, index: int) -> Places:
        if index not in self._places:
            if len(self._places) == _MOST_PLACES:
                self._places.clear()
            self._places[index] = Places(self._messages[index], index)
        return self._places[index]

    def tool_words(self) -> Iterator[str]:
        """Yield every text that tools said, for declared shapes."""
        for message in self._messages:
            for segment in said_by_tools(message):
                yield segment.text

    def supplied_words(self) -> Iterator[tuple[ExemptHow, str]]:
        """Yield every text that the person or the app supplied, for declared shapes."""
        for message in self._messages:
            if author_of(message) in ("person", "app"):
                yield exemption(message)[0], message.text

    def _read_evidence(self, message: Message, index: int) -> None:
        self._observed.update(evidence_in((message,)))
        forms: set[str] = set()
        for segment in said_by_tools(message):
            self._characters += len(segment.text)
            if self._characters > self.options.max_characters:
                break
            for stated in map(stated_by, leaf_texts(segment.text)):
                forms.update(stated.forms)
                if stated.verbatim:
                    self._verbatim.update(stated.verbatim)
        self._carry(forms, index)

    def _carry(self, forms: set[str], index: int) -> None:
        new = forms.difference(self._carried_by)
        for form in forms - new:
            carried_by = self._carried_by[form]
            if isinstance(carried_by, int):
                self._carried_by[form] = [carried_by, index]
            else:
                carried_by.append(index)
        self._carried_by.update(dict.fromkeys(new, index))

    def _read_exemption(self, message: Message) -> None:
        how, forms = exemption(message)
        for form in forms:
            self._exempt.setdefault(form, how)
        if frame_kind(message) in ("summary", "drop-notice", "cleared-result"):
            self._frames += 1
            folded = folded_observations(message)
            self._lost.update((_UNNAMED,) if folded is None else folded)

    def _read_arguments(self, message: Message) -> None:
        for call in calls_of(message):
            for text in value_texts(call.args):
                self._arguments.update(stated_by(text).forms)
