"""The judgement: for every value an answer states, who supplied it.

In this order: a tool said it (`grounded`), the person or the app supplied it (`exempt`), it follows from what was
supplied (`derived`), only the model's own tool arguments hold it (`echoed`), nobody supplied it (`invented`). Where the
evidence is incomplete, what would be `echoed` or `invented` is `undecidable`: nobody is accused from half a corpus. It
detects fabrication; it does not judge truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import localcontext

import regex

from foldproof.evidence import derivations
from foldproof.evidence.answers import Answer, Stand, count_words, words_around
from foldproof.evidence.candidates import scan, without_list_markers
from foldproof.evidence.cues import SAYS_BELOW
from foldproof.evidence.exempt import ExemptHow, declared_forms
from foldproof.evidence.figures import EXACT, scale_of, stated_number
from foldproof.evidence.file_names import has_spaces, is_bare, is_in_words
from foldproof.evidence.options import LONGEST_SEARCH, shape_pattern
from foldproof.evidence.spellings import PART, PREFIX, RARE, canonical_number, folded_form, number_lookups
from foldproof.evidence.values import NUMERIC, How, Lookup, Value
from foldproof.evidence.verdicts import Judgement, ValueVerdict, Verdict, cited
from foldproof.evidence.view import Judged, View

_SEVERAL_WORDS = 3
_MAYBE_A_MARK = r"(?:\[?\d{1,3}\]?)?[\s,;.]{1,8}(?:\[?\d{1,3}\]?\s{1,8})?"


def judge(text: str, view: View) -> Judgement:
    """Judge every value that `text` states against what `view` has read."""
    with localcontext(EXACT):
        return _judge(text, view)


def _judge(text: str, view: View) -> Judgement:
    declared = tuple(_declared(text, view))
    taken = [(verdict.start, verdict.end) for verdict in declared if verdict.verdict != "undecidable"]
    scanned = [value for value in without_list_markers(scan(text), text) if not _overlaps(value, taken)]
    min_digits = view.options.min_digits
    found = [stand for value in scanned for stand in _stands(value, text, view)]
    stands = _derived(found, text, view)
    examined = [stand for stand in stands if stand.value.is_examined(min_digits)]
    verdicts = [*declared, *(stand.verdict or _unsupplied(stand.value, view) for stand in examined)]
    verdicts.sort(key=lambda verdict: verdict.start)
    judged = tuple(verdicts)
    view.judged = Judged(text, [(one.start, one.kind, one.forms) for one in judged if one.verdict == "grounded"])
    return Judgement(judged, len(found) - len(examined), cited(judged, view))


def _stands(value: Value, text: str, view: View) -> Iterator[Stand]:
    """Yield where a value stands; for a quote that only looks like the name of a file, where its pieces do."""
    verdict = _supplied(value, text, view)
    if verdict is None and has_spaces(value) and _is_quote(value, text, view):
        yield from (Stand(piece, _supplied(piece, text, view)) for piece in value.pieces)
    else:
        yield Stand(value, verdict)


def _is_quote(value: Value, text: str, view: View) -> bool:
    """Whether words that are known as no file's name are none: the last is known, or is judged, on its own.

    A short word with a digit (`Q4`), which is not judged on its own, must be known too, or all the words together.
    """
    floor = view.options.min_digits
    if not any(piece.end == value.end and piece.is_examined(floor) for piece in value.pieces):
        last = value.form.rpartition(" ")[2]
        if view.who_names(last) not in ("tool", "given") and not _is_known(last, view):
            return False
    short = (piece for piece in value.pieces if piece.kind == "identifier" and not piece.is_examined(floor))
    return all(_supplied(piece, text, view) for piece in short) or view.is_worded(value.form)


def _is_known(file: str, view: View) -> bool:
    return any(view.is_carried(form) or view.exempt_how(form) for form in (file, PART + file))


def _overlaps(value: Value, spans: list[tuple[int, int]]) -> bool:
    return any(value.start < end and start < value.end for start, end in spans)


def _derived(stands: list[Stand], text: str, view: View) -> list[Stand]:
    """Give what nobody supplied a second look: it may follow from what was, or from what was found to follow."""

    def is_wanting(stand: Stand) -> bool:
        return stand.verdict is None and stand.value.is_examined(view.options.min_digits)

    if not any(map(is_wanting, stands)):
        return stands
    counts = [Stand(count, None) for count in count_words(text)]
    answer = Answer(text, sorted([*stands, *counts], key=lambda stand: stand.value.start))
    wanting = [place for place, stand in enumerate(answer.stands) if is_wanting(stand)]
    left: list[int] = []
    while wanting != left:  # what was found may be what another follows from
        left = wanting
        for place in left:
            verdict = _follows(place, answer, view)
            if verdict is not None:
                answer.settle(place, verdict)
        wanting = [place for place in left if answer.stands[place].verdict is None]
    return answer.stands


def _follows(place: int, answer: Answer, view: View) -> ValueVerdict | None:
    """Return the verdict on a value that follows from others, here or where an answer has stated it before."""
    value = answer.stands[place].value
    same = answer.derived_as(value)
    if same is not None:
        return replace(_as(value, "derived", same.how), derivation=same.derivation)
    derivation = derivations.derive(place, answer, view)
    if derivation is None:
        return _as_before(value, view)
    return replace(_as(value, "derived", "ambiguous" if derivation.is_ambiguous else None), derivation=derivation)


def _as_before(value: Value, view: View) -> ValueVerdict | None:
    """Return the verdict on a value that an earlier answer derived and this one repeats."""
    for text, before in view.earlier_answers(value.stated[0] if value.stated else value.form):
        for earlier in judge(text, before).values:
            if earlier.derivation is not None and earlier.text == value.text:
                operands = tuple(replace(operand, start=None, end=None) for operand in earlier.derivation.operands)
                derivation = replace(earlier.derivation, operands=operands)
                return replace(_as(value, "derived", earlier.how), derivation=derivation)
    return None


def _supplied(value: Value, text: str, view: View) -> ValueVerdict | None:
    """Return what became of a value that a tool said, or that the person or the app supplied; else None."""
    return _grounded(value, view) or _exempt(value, view) or _in_pieces(value, view) or _loosely(value, text, view)


def _as(value: Value, verdict: Verdict, how: How | ExemptHow | None = None) -> ValueVerdict:
    return ValueVerdict(value.text, value.start, value.end, value.kind, verdict, how)


def _lookups(value: Value, view: View) -> Iterator[Lookup]:
    yield from value.lookups
    if view.options.rare_spellings:
        forms = dict.fromkeys((*value.rare, *(lookup.form for lookup in value.lookups)))
        yield from (Lookup(form) for form in (*value.rare, *(RARE + form for form in forms)))


def _grounded(value: Value, view: View) -> ValueVerdict | None:
    for lookup in _lookups(value, view):
        if view.is_carried(lookup.form):
            return _grounded_by(value, _how(value, lookup, view), (lookup.form,), view)
    if value.partial is not None and view.is_carried(value.partial[0]) and view.is_carried(value.partial[1]):
        return _grounded_by(value, "part", value.partial, view)  # `May 20 19:03:11 2024`
    return None


def _grounded_by(value: Value, how: How, forms: tuple[str, ...], view: View) -> ValueVerdict:
    return ValueVerdict(
        value.text,
        value.start,
        value.end,
        value.kind,
        "grounded",
        how,
        forms,
        latest=view.latest(forms),
        folded=view.has_left(forms),
        _view=view,
        _value=value,
    )


def _how(value: Value, lookup: Lookup, view: View) -> How:
    spelling = value.text.casefold()
    if lookup.how != "spelling":
        return lookup.how
    if spelling == lookup.form or view.is_verbatim(spelling):
        return "exact"
    # A spelling may be a form of something else that a tool said, so the places have to tell.
    used = view.is_carried(spelling) and any(spelling == place.text.casefold() for place in view.carriers(spelling))
    return "exact" if used else "spelling"


def _loosely(value: Value, text: str, view: View) -> ValueVerdict | None:
    """Return a weaker match: a part of an identifier, a sign put in words, a scaled table, a rounding."""
    if value.suffix or value.kind in ("identifier", "hash"):
        return _in_part(value, view)
    if value.kind not in NUMERIC or not value.is_examined(view.options.min_digits):
        return None
    below = SAYS_BELOW.search(words_around(text, value)) is not None
    if below and not value.form.startswith("-"):
        for form in number_lookups(f"-{value.form}", value.unit):
            if view.is_carried(form):
                return _grounded_by(value, "spelling", (form,), view)
    scaled = _in_a_scaled_table(value, view)
    if scaled is not None:
        return _grounded_by(value, "spelling", (scaled,), view)
    rounded = derivations.rounded(value, view, may_be_negative=below)
    return None if rounded is None else _grounded_by(value, "rounded", (rounded,), view)


def _in_part(value: Value, view: View) -> ValueVerdict | None:
    """Return the verdict on the end of an identifier that the answer says it is, on segments of one, or on a prefix."""
    if value.suffix:
        form = view.ending_in(value.form)
        if form is not None:
            return _grounded_by(value, "suffix", (form,), view)
        if view.is_exempt_ending(value.form):
            return _as(value, "exempt", "partial")
    form = view.part_or_prefix(value.form)
    return None if form is None else _grounded_by(value, "prefix" if form.startswith(PREFIX) else "part", (form,), view)


def _in_a_scaled_table(value: Value, view: View) -> str | None:
    """Return the form of a number in a table that says it is in millions, for a value that says so itself."""
    scale, stated = scale_of(value), stated_number(value)
    if not scale or stated is None:
        return None
    bare = canonical_number(value.form, scale=-scale)
    return next((form for form in number_lookups(bare, value.unit) if view.says_scale(form, scale)), None)


def _exempt(value: Value, view: View) -> ValueVerdict | None:
    if view.is_address(value.text):
        return _as(value, "exempt", "system")
    declared = declared_forms(view.options.exempt)
    for lookup in _lookups(value, view):
        how = "declared" if lookup.form in declared else view.exempt_how(lookup.form)
        if how is not None:
            return _as(value, "exempt", "partial" if lookup.how == "part" else how)
    if value.partial is not None:
        given, rest = value.partial
        known = view.exempt_how(rest) or view.is_carried(rest) or view.is_carried(PART + rest)
        if known and view.exempt_how(given):
            return _as(value, "exempt", "partial")
    return None


def _in_pieces(value: Value, view: View) -> ValueVerdict | None:
    """Clear a list such as `HAT136/HAT039`, or a range, when each of its pieces was supplied on its own."""
    verdicts = [_grounded(piece, view) or _exempt(piece, view) or _named(piece, view) for piece in value.pieces]
    supplied = [verdict for verdict in verdicts if verdict is not None]
    if not supplied or len(supplied) < len(verdicts):
        return None
    forms = tuple(form for verdict in supplied for form in verdict.forms)
    return _grounded_by(value, "part", forms, view) if forms else _as(value, "exempt", "partial")


def _named(piece: Value, view: View) -> ValueVerdict | None:
    """Return the verdict on the bare name of a file, which is looked up in the words."""
    match view.who_names(piece.form) if is_bare(piece) else None:
        case "tool":
            return _as(piece, "grounded", "part")
        case "given":
            return _as(piece, "exempt", "partial")
        case _:
            return None


def _unsupplied(value: Value, view: View) -> ValueVerdict:
    # A frame carries the lineage of values, and not of words that only a declared shape, or a file's name, makes one.
    if view.is_incomplete or (view.is_folded and (value.kind == "declared" or is_in_words(value))):
        return _as(value, "undecidable")
    if any(view.is_doubtful(lookup.form) for lookup in value.lookups):
        return _as(value, "undecidable")
    typed = has_spaces(value) and view.who_names(value.form.rpartition(" ")[2]) == "argument"
    if typed or any(view.is_argument(lookup.form) for lookup in value.lookups):
        return _as(value, "echoed")
    if value.kind in NUMERIC and (view.is_partly_known or not view.workings.is_complete):
        return _as(value, "undecidable")
    return replace(_as(value, "invented"), _view=view, _value=value)


def _declared(text: str, view: View) -> Iterator[ValueVerdict]:
    """Judge the values of declared shapes. These are looked up in the words themselves, whole token by whole token."""
    for shape in view.options.shapes:
        try:
            matches = list(shape_pattern(shape).finditer(text, timeout=LONGEST_SEARCH))
        except TimeoutError:
            yield ValueVerdict(text, 0, len(text), "declared", "undecidable")
            continue
        yield from (_declared_verdict(match, view) for match in matches if match.group())


def _declared_verdict(match: regex.Match[str], view: View) -> ValueVerdict:
    form = folded_form(match.group())
    whole = re.compile(rf"(?<![\w-]){re.escape(match.group())}(?![\w-])", re.IGNORECASE)
    value = Value("declared", match.group(), match.start(), match.end(), form, (form,), distinctive=True)
    known = _grounded(value, view) or _exempt(value, view)
    if known is not None:
        return known
    if any(whole.search(words) for words in view.tool_words()):
        return _as(value, "grounded", "exact")
    for how, words in view.supplied_words():
        if whole.search(words):
            return _as(value, "exempt", how)
    noted = _with_footnotes(match.group())
    if noted is not None and any(noted.search(words) for words in view.tool_words()):
        return _as(value, "grounded", "part")
    return _unsupplied(value, view)


def _with_footnotes(words: str) -> re.Pattern[str] | None:
    """Return the pattern of several words between which a footnote's mark may stand, as in text taken from a PDF."""
    several = words.split()
    if len(several) < _SEVERAL_WORDS:
        return None
    return re.compile(_MAYBE_A_MARK.join(map(re.escape, several)), re.IGNORECASE)
