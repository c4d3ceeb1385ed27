"""Folding a conversation at several places, and asking what of it survives.

A window is cut right before the model speaks, a third, a half, two thirds and five sixths into the conversation. The
library's own `SummarizeOldest` says which span of it would leave (two turns stay beside the pins). Then:

* what the span said: values in the words of tools, the person and the app; see `folds_values`;
* what is used later: those of them that the model states afterwards, in words or arguments, before anything that is
  still in the window, or that came into it since, says them. Nothing but the frame could tell the model these.

Every way has the same size in tokens, and sees the same: the span, and the request that stays in the window. None sees
what comes later. Head and tail is the span as a plain transcript, its first and its last half of the size.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.folds_data import RecordedFold, Run
from benchmarks.folds_values import CLASSES, Class, Values, errors_in, states_error, values_in, words_of

import foldproof as fp
from foldproof.tokens import default_counter
from foldproof.window import ExtractiveSummarizer, MessageCounter, SummaryRequest

CUTS = (1 / 3, 1 / 2, 2 / 3, 5 / 6)
KEPT_TURNS = 2
SHARE = 4
SMALLEST_SPAN = 200
_UNBOUNDED = 10**9

Way = Callable[[Sequence[fp.Message], int, str | None], str]


@dataclass(frozen=True)
class Fold:
    """A span that would leave, what the window would still hold, and what came later."""

    run: Run
    span: tuple[fp.Message, ...]
    kept: tuple[fp.Message, ...]
    later: tuple[fp.Message, ...]
    request: str | None
    tokens: int


@dataclass
class Tally:
    """Values counted by class: all there were, and those that each way kept."""

    total: Counter[Class] = field(default_factory=Counter)
    kept: dict[str, Counter[Class]] = field(default_factory=dict)

    def add(self, wanted: Values, kept: dict[str, Values]) -> None:
        self.total.update(each for each, _ in wanted)
        for way, found in kept.items():
            self.kept.setdefault(way, Counter()).update(each for each, _ in wanted & found)

    def share(self, way: str, classes: Iterable[Class] = CLASSES) -> float:
        total = sum(self.total[each] for each in classes)
        return sum(self.kept[way][each] for each in classes) / total if total else 0.0


def folds(run: Run, cuts: Sequence[float] = CUTS) -> Iterator[Fold]:
    """The folds of one conversation."""
    counter = MessageCounter(default_counter())
    strategy = fp.SummarizeOldest(0, keep_recent_turns=KEPT_TURNS, summarizer=lambda *_: "-", model="-")
    places = [at for at, message in enumerate(run.messages) if message.role == "assistant"]
    seen: set[tuple[int, int]] = set()
    for cut in cuts:
        at = next((place for place in places if place >= cut * len(run.messages)), None)
        if at is None:
            continue
        visit = strategy.visit(run.messages[:at])
        start, count = visit.record.removed_from, visit.record.removed_count
        if start is None or (start, count) in seen:
            continue
        seen.add((start, count))
        span, kept = run.messages[start : start + count], run.messages[:start] + run.messages[start + count : at]
        tokens = sum(map(counter.content, span))
        if tokens >= SMALLEST_SPAN:
            asked = [message.text for message in run.messages[:at] if message.role == "user"]
            yield Fold(run, span, kept, run.messages[at:], asked[-1] if asked else None, tokens)


def said_in(span: Iterable[fp.Message]) -> Values:
    """What tools, the person and the app said."""
    found: set[tuple[Class, str]] = set()
    for message in span:
        if message.role != "assistant":
            words = words_of(message)
            found |= values_in(words)
            if message.role == "tool":
                found |= errors_in(words)
    return frozenset(found)


def used_later(said: Values, kept: Iterable[fp.Message], later: Iterable[fp.Message]) -> Values:
    """Which of the values the model states later, before the window holds them otherwise."""
    missing = said - stated_in(said, [words_of(message) for message in kept])
    used: set[tuple[Class, str]] = set()
    for message in later:
        here = stated_in(missing, [words_of(message)])
        if message.role == "assistant":
            used |= here
        missing -= here
    return frozenset(used)


def stated_in(wanted: Values, texts: Iterable[str]) -> Values:
    """Which of the values stand in some texts."""
    found: set[tuple[Class, str]] = set()
    for text in texts:
        found |= wanted & values_in(text)
        found |= {(each, error) for each, error in wanted if each == "errors" and states_error(text, error)}
    return frozenset(found)


def extractive(span: Sequence[fp.Message], tokens: int, request: str | None) -> str:
    """Ours."""
    asked = SummaryRequest(
        iteration=1,
        model="benchmark",
        max_characters=_UNBOUNDED,
        max_tokens=tokens,
        counter=default_counter(),
        current_request=request,
    )
    return ExtractiveSummarizer(max_characters=None, share=1)(span, asked)


def head_and_tail(span: Sequence[fp.Message], tokens: int, _request: str | None) -> str:
    """The beginning and the end of the transcript; no word is cut."""
    text = "\n".join(_line(message) for message in span)
    mark = "\n[…]\n"
    room = tokens - default_counter().count(mark) - 2
    head = _fitting(text, room // 2, from_end=False)
    return head + mark + _fitting(text[len(head) :], room - room // 2, from_end=True)


def _line(message: fp.Message) -> str:
    calls = "".join(f"\ncall {call.name} {json.dumps(call.args, ensure_ascii=False)}" for call in message.tool_calls)
    return f"{message.role}: {message.text}{calls}"


def _fitting(text: str, tokens: int, *, from_end: bool) -> str:
    """The longest beginning or end of a text that has so many tokens, give or take, and ends between words."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        piece = text[-middle:] if from_end else text[:middle]
        low, high = (middle, high) if default_counter().count(piece) <= tokens else (low, middle - 1)
    if low == len(text):
        return text
    if from_end:
        return text[len(text) - low :].partition(" ")[2]
    return text[:low].rpartition(" ")[0]


WAYS: dict[str, Way] = {"extractive": extractive, "head and tail": head_and_tail}


@dataclass
class Figures:
    """What was measured, of a format or of all."""

    conversations: set[str] = field(default_factory=set)
    folds: int = 0
    used: Tally = field(default_factory=Tally)
    all: Tally = field(default_factory=Tally)
    sizes: Counter[str] = field(default_factory=Counter)


Measured = dict[tuple[str, int], Figures]
"""By format and half."""


def measure(runs: Iterable[Run], *, share: int = SHARE) -> Measured:
    """Fold every conversation in every way."""
    found: Measured = {}
    for run in runs:
        for fold in folds(run):
            said = said_in(fold.span)
            used = used_later(said, fold.kept, fold.later)
            figures = found.setdefault((run.format, run.half), Figures())
            figures.conversations.add(run.name)
            figures.folds += 1
            kept: dict[str, Values] = {}
            for name, way in WAYS.items():
                text = way(fold.span, fold.tokens // share, fold.request)
                kept[name] = stated_in(said, [text])
                figures.sizes[name] += default_counter().count(text)
            figures.sizes["span"] += fold.tokens
            figures.used.add(used, kept)
            figures.all.add(said, kept)
    return found


@dataclass(frozen=True)
class Comparison:
    """One summary that an agent wrote, and ours of the same span at the same size."""

    fold: RecordedFold
    span_tokens: int
    tokens: int
    used: Tally
    all: Tally


def compare(fold: RecordedFold) -> Comparison:
    """Ask of an agent's summary what is asked of ours."""
    counter = MessageCounter(default_counter())
    tokens = default_counter().count(fold.summary)
    said = said_in(fold.span)
    used = used_later(said, (), fold.later)
    asked = next((message.text for message in fold.later if message.role == "user"), None)
    kept = {"agent": stated_in(said, [fold.summary])}
    kept |= {name: stated_in(said, [way(fold.span, tokens, asked)]) for name, way in WAYS.items()}
    comparison = Comparison(fold, sum(map(counter.content, fold.span)), tokens, Tally(), Tally())
    comparison.used.add(used, kept)
    comparison.all.add(said, kept)
    return comparison
