"""The judgement: for every value an answer states, who supplied it.

In this order: a tool said it (`grounded`), the person or the app supplied it (`exempt`), only the model's own tool
arguments hold it (`echoed`), nobody supplied it (`invented`). Where the evidence is incomplete, what would be `echoed`
or `invented` is `undecidable`: nobody is accused from half a corpus. It detects fabrication; it does not judge truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

from foldproof.evidence.candidates import scan, without_list_markers
from foldproof.evidence.carriers import Carrier
from foldproof.evidence.exempt import ExemptHow, declared_forms
from foldproof.evidence.options import EvidenceOptions, shape_pattern
from foldproof.evidence.spellings import ANY_UNIT, PART, folded_form
from foldproof.evidence.values import How, Kind, Lookup, Value

Verdict = Literal["grounded", "exempt", "derived", "echoed", "invented", "undecidable"]

_SHORTEST_NEAR = 3
_LONGEST_NEAR = 64  # the edits of a form are as many as its square
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"


class Corpus(Protocol):
    """What a judgement asks of an index."""

    def is_carried(self, form: str) -> bool:
        """Whether a tool said this form."""

    def is_verbatim(self, spelling: str) -> bool:
        """Whether a tool used this very spelling (casefolded)."""

    def exempt_how(self, form: str) -> ExemptHow | None:
        """Who supplied this form, or None."""

    def is_argument(self, form: str) -> bool:
        """Whether the model put this form into a tool call."""

    def is_incomplete(self, scope: str) -> bool:
        """Whether evidence may be missing."""

    def is_folded(self, scope: str) -> bool:
        """Whether messages have left that were never read."""

    def carriers(self, form: str) -> tuple[Carrier, ...]:
        """Where tools said this form."""

    def tool_words(self) -> Iterator[str]:
        """Every text that tools said."""

    def supplied_words(self) -> Iterator[tuple[ExemptHow, str]]:
        """Every text that the person or the app supplied, and who did."""


@dataclass(frozen=True)
class Near:
    """A value that a tool did say, one edit away from an invented one."""

    form: str
    _corpus: Corpus = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The tool's own spelling of it."""
        return self.carriers[0].text if self.carriers else self.form

    @cached_property
    def carriers(self) -> tuple[Carrier, ...]:
        """Where tools said it."""
        return self._corpus.carriers(self.form)


@dataclass(frozen=True)
class ValueVerdict:
    """What became of one value of an answer.

    Attributes:
        text: its spelling in the answer.
        start, end: where, in code points of the answer.
        kind: what it is.
        verdict: who supplied it.
        how: for `grounded`, how a tool said it; for `exempt`, who supplied it; else None.
        forms: the forms under which tools said it (`grounded`), which lead to the carriers.
        derivation: for `derived`, how it follows from values that were read; None until derivations are asked for.
    """

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict
    how: How | ExemptHow | None = None
    forms: tuple[str, ...] = ()
    derivation: None = None
    _corpus: Corpus | None = field(default=None, repr=False, compare=False)
    _value: Value | None = field(default=None, repr=False, compare=False)

    @cached_property
    def carriers(self) -> tuple[Carrier, ...]:
        """Where tools said it; found when asked for. Empty unless `grounded`."""
        if self._corpus is None:
            return ()
        return tuple(carrier for form in self.forms for carrier in self._corpus.carriers(form))

    @cached_property
    def near(self) -> Near | None:
        """For `invented`, a value one edit away that a tool did say, if there is one; found when asked for."""
        if self._value is None or self._corpus is None:
            return None
        corpus = self._corpus
        return next((Near(form, corpus) for form in _neighbours(self._value) if corpus.is_carried(form)), None)


@dataclass(frozen=True)
class Judgement:
    """Every value an answer states, with its verdict, and how many number-like tokens were below the floor."""

    values: tuple[ValueVerdict, ...]
    unexamined: int

    @property
    def invented(self) -> tuple[ValueVerdict, ...]:
        """The values that nobody supplied."""
        return tuple(value for value in self.values if value.verdict == "invented")


def judge(text: str, corpus: Corpus, options: EvidenceOptions) -> Judgement:
    """Judge every value that `text` states against what `corpus` has read."""
    declared = tuple(_declared(text, corpus, options))
    taken = [(value.start, value.end) for value in declared]
    scanned = [value for value in without_list_markers(scan(text), text) if not _overlaps(value, taken)]
    examined = [value for value in scanned if value.is_examined(options.min_digits)]
    verdicts = [*declared, *(_verdict(value, corpus, options) for value in examined)]
    verdicts.sort(key=lambda verdict: verdict.start)
    return Judgement(tuple(verdicts), len(scanned) - len(examined))


def _overlaps(value: Value, spans: list[tuple[int, int]]) -> bool:
    return any(value.start < end and start < value.end for start, end in spans)


def _verdict(value: Value, corpus: Corpus, options: EvidenceOptions) -> ValueVerdict:
    return (
        _grounded(value, corpus)
        or _exempt(value, corpus, options)
        or _in_pieces(value, corpus, options)
        or _unsupplied(value, corpus, options)
    )


def _as(value: Value, verdict: Verdict, how: How | ExemptHow | None = None) -> ValueVerdict:
    return ValueVerdict(value.text, value.start, value.end, value.kind, verdict, how)


def _grounded(value: Value, corpus: Corpus) -> ValueVerdict | None:
    for lookup in value.lookups:
        if corpus.is_carried(lookup.form):
            return _grounded_by(value, _how(value, lookup, corpus), (lookup.form,), corpus)
    if value.partial is not None and corpus.is_carried(value.partial[0]) and corpus.is_carried(value.partial[1]):
        return _grounded_by(value, "part", value.partial, corpus)  # `May 20 19:03:11 2024`
    return None


def _grounded_by(value: Value, how: How, forms: tuple[str, ...], corpus: Corpus) -> ValueVerdict:
    return ValueVerdict(value.text, value.start, value.end, value.kind, "grounded", how, forms, _corpus=corpus)


def _how(value: Value, lookup: Lookup, corpus: Corpus) -> How:
    spelling = value.text.casefold()
    if lookup.how == "spelling" and (spelling == lookup.form or corpus.is_verbatim(spelling)):
        return "exact"
    return lookup.how


def _exempt(value: Value, corpus: Corpus, options: EvidenceOptions) -> ValueVerdict | None:
    declared = declared_forms(options.exempt)
    for lookup in value.lookups:
        how = "declared" if lookup.form in declared else corpus.exempt_how(lookup.form)
        if how is not None:
            return _as(value, "exempt", "partial" if lookup.how == "part" else how)
    if value.partial is not None:
        given, rest = value.partial
        known = corpus.exempt_how(rest) or corpus.is_carried(rest) or corpus.is_carried(PART + rest)
        if known and corpus.exempt_how(given):
            return _as(value, "exempt", "partial")
    return None


def _in_pieces(value: Value, corpus: Corpus, options: EvidenceOptions) -> ValueVerdict | None:
    """Clear a list such as `HAT136/HAT039`, or a range, when each of its pieces was supplied on its own."""
    verdicts = [_grounded(piece, corpus) or _exempt(piece, corpus, options) for piece in value.pieces]
    supplied = [verdict for verdict in verdicts if verdict is not None]
    if not supplied or len(supplied) < len(verdicts):
        return None
    forms = tuple(form for verdict in supplied for form in verdict.forms)
    return _grounded_by(value, "part", forms, corpus) if forms else _as(value, "exempt", "partial")


def _unsupplied(value: Value, corpus: Corpus, options: EvidenceOptions) -> ValueVerdict:
    # A frame carries the lineage of values, and not of words that only a declared shape makes one.
    if corpus.is_incomplete(options.scope) or (value.kind == "declared" and corpus.is_folded(options.scope)):
        return _as(value, "undecidable")
    if any(corpus.is_argument(lookup.form) for lookup in value.lookups):
        return _as(value, "echoed")
    return ValueVerdict(value.text, value.start, value.end, value.kind, "invented", _corpus=corpus, _value=value)


def _neighbours(value: Value) -> Iterator[str]:
    """Yield the forms one edit away from a value: a character changed, two swapped, one dropped, one added."""
    form = value.lookups[0].form
    if not _SHORTEST_NEAR <= len(form) <= _LONGEST_NEAR:
        return
    for edited in _edits(form):
        yield edited
        if value.kind in ("number", "money", "percent", "quantity"):
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


def _declared(text: str, corpus: Corpus, options: EvidenceOptions) -> Iterator[ValueVerdict]:
    """Judge the values of declared shapes. These are looked up in the words themselves, whole token by whole token."""
    for shape in options.shapes:
        for match in shape_pattern(shape).finditer(text):
            if match.group():
                yield _declared_verdict(match, corpus, options)


def _declared_verdict(match: re.Match[str], corpus: Corpus, options: EvidenceOptions) -> ValueVerdict:
    form = folded_form(match.group())
    whole = re.compile(rf"(?<![\w-]){re.escape(match.group())}(?![\w-])", re.IGNORECASE)
    value = Value("declared", match.group(), match.start(), match.end(), form, (form,), distinctive=True)
    known = _grounded(value, corpus) or _exempt(value, corpus, options)
    if known is not None:
        return known
    if any(whole.search(words) for words in corpus.tool_words()):
        return _as(value, "grounded", "exact")
    for how, words in corpus.supplied_words():
        if whole.search(words):
            return _as(value, "exempt", how)
    return _unsupplied(value, corpus, options)
