"""Planted errors: one digit, day, hour or letter changed in a value that a tool said. Which of them are accused?

The values are found with the patterns written here, not with the product's. Only a value that the judgement calls
grounded is changed; the change is made in place and the whole answer is judged again. A change is caught when a value
that overlaps it is `invented` or `echoed`. Where few answers state a kind of value, the sentence "It is {leaf}." is
made of the leaves of tool results.

A changed value may be another one that a tool really said (`collides`): no reading of the evidence can accuse it.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchmarks.evidence_data import Run, answers
from benchmarks.evidence_print import percent, table

import foldproof as fp

ASKED = {"identifier": 99, "4+ digits": 99, "3 digits": 95, "date": 90, "clock": 90}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "(?:Jan|Febr?u?|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}"

_ISO = re.compile(r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])")
_NAMED = re.compile(rf"\b(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})\b")
_CLOCK = re.compile(
    r"(?<![\d:.,-])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:])"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\b)?"
)
_IDENTIFIER = re.compile(
    r"(?<![\w./:@#+-])(?!\d+(?:st|nd|rd|th)\b|\d+-[a-z]+\b)(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[A-Za-z0-9][\w-]{2,}[A-Za-z0-9]"
    r"(?![\w/@-]|[.:]\w)"
)
_NUMBER = re.compile(r"(?<![\w.,/:#-])(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?![\w/:-]|[.,]\d)")
_ANY_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Found:
    """A value in a text, its kind, and where the character or the figure to change stands."""

    kind: str
    start: int
    end: int
    match: re.Match[str]


@dataclass
class Kind:
    """What became of the changes of one kind."""

    skipped: int = 0
    planted: int = 0
    caught: int = 0
    undecidable: int = 0
    collides: int = 0
    missed: Counter[str] = field(default_factory=Counter)

    @property
    def fair(self) -> int:
        """How many changed values no tool said."""
        return self.planted - self.collides


Figures = dict[str, dict[str, Kind]]


@dataclass(frozen=True)
class Place:
    """A text to plant in, the index that judges it, and what had been read."""

    text: str
    index: fp.EvidenceIndex
    read: Read


def find(text: str) -> list[Found]:
    """Find the values of a text, a longer reading before a shorter one."""
    found: list[Found] = []
    patterns = (("date", _ISO), ("date", _NAMED), ("clock", _CLOCK), ("identifier", _IDENTIFIER), ("number", _NUMBER))
    for name, pattern in patterns:
        for match in pattern.finditer(text):
            kind = _size(match) if name == "number" else name
            if kind and not any(match.start() < other.end and other.start < match.end() for other in found):
                found.append(Found(kind, match.start(), match.end(), match))
    return sorted(found, key=lambda value: value.start)


def _size(match: re.Match[str]) -> str:
    digits = sum(character.isdecimal() for character in match["number"])
    return "" if digits < 3 else "3 digits" if digits == 3 else "4+ digits"


def changed(value: Found, chance: random.Random) -> tuple[int, int, str]:
    """Return what to put where: one digit, day, hour or letter."""
    match = value.match
    if value.kind == "date":
        return (*match.span("day"), _other_day(match, chance))
    if value.kind == "clock":
        return (*match.span("hour"), _other_hour(match, chance))
    if value.kind == "identifier":
        places = [place for place, character in enumerate(match.group(), match.start()) if character.isalnum()]
    else:
        places = [place for place in range(*match.span("number")) if match.string[place].isdecimal()]
    place = chance.choice(places)
    return place, place + 1, _other_character(match.string, place, match.start(), chance)


def _other_day(match: re.Match[str], chance: random.Random) -> str:
    day = int(match["day"])
    other = chance.choice([number for number in range(1, 29) if number != day])
    return f"{other:0{len(match['day'])}}"


def _other_hour(match: re.Match[str], chance: random.Random) -> str:
    hours = range(1, 13) if match["half"] else range(24)
    other = chance.choice([hour for hour in hours if hour != int(match["hour"])])
    return f"{other:0{len(match['hour'])}}"


def _other_character(text: str, place: int, start: int, chance: random.Random) -> str:
    old = text[place]
    if not old.isdecimal():
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        letter = chance.choice([other for other in letters if other != old.upper()])
        return letter if old.isupper() else letter.lower()
    lowest = 1 if place == start else 0
    return chance.choice([other for other in map(str, range(lowest, 10)) if other != old])


class Read:
    """What tools, the person and the app have said so far, under comparisons of this script's own."""

    def __init__(self) -> None:
        self._said: set[tuple[str, object]] = set()

    def read(self, text: str) -> None:
        """Read a result."""
        self._said.update(
            ("number", match.group().replace(",", "").lstrip("0")) for match in _ANY_NUMBER.finditer(text)
        )
        self._said.update(("identifier", match.group().casefold()) for match in _TOKEN.finditer(text))
        self._said.update(("date", _day(match)) for pattern in (_ISO, _NAMED) for match in pattern.finditer(text))
        self._said.update(("clock", time) for match in _CLOCK.finditer(text) for time in _times(match))

    def said(self, value: Found) -> bool:
        """Whether somebody said this value, in whatever spelling."""
        if value.kind == "date":
            return ("date", _day(value.match)) in self._said
        if value.kind == "clock":
            return any(("clock", time) in self._said for time in _times(value.match))
        if value.kind == "identifier":
            return ("identifier", value.match.group().casefold()) in self._said
        return any(("number", number) in self._said for number in _spellings(value.match["number"]))


def _day(match: re.Match[str]) -> tuple[int, int, int]:
    month = match["month"]
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].casefold()) + 1
    return int(match["year"]), number, int(match["day"])


def _times(match: re.Match[str]) -> list[tuple[int, int]]:
    hour, minute = int(match["hour"]), int(match["minute"])
    if not match["half"]:  # `8:15` may be 20:15; `08:15:00` is a machine's
        twin = not match["second"] and 1 <= hour <= 12
        return [(hour, minute), ((hour + 12) % 24, minute)] if twin else [(hour, minute)]
    return [(hour % 12 + (12 if match["half"] in "Pp" else 0), minute)]


def _spellings(number: str) -> Iterator[str]:
    plain = number.replace(",", "").lstrip("0")
    yield plain
    if "." in plain:
        yield plain.rstrip("0").rstrip(".")
    else:
        yield from (f"{plain}.0", f"{plain}.00")


def measure(runs: Iterable[Run], *, leaves: int, seed: int = 1, every: int = 1) -> Figures:
    """Plant an error in every `every`-th value of every answer, and in up to `leaves` leaves of each kind."""
    chance = random.Random(seed)  # noqa: S311 - which digit, not a secret
    in_answers: dict[str, Kind] = defaultdict(Kind)
    in_leaves: dict[str, Kind] = defaultdict(Kind)
    sentences: list[tuple[str, Place]] = []
    counter = 0
    for run in runs:
        read, position = Read(), 0
        for answer in answers(run):
            _read(read, run.messages[position : answer.position])
            position = answer.position
            for value in find(answer.text):
                counter += 1
                if counter % every == 0:
                    _plant(Place(answer.text, answer.index, read), value, in_answers[value.kind], chance)
        _read(read, run.messages[position:])
        if leaves:
            sentences.extend(_sentences(run, fp.EvidenceIndex(run.messages), read))
    _plant_leaves(sentences, leaves, in_leaves, chance)
    return {"answers": in_answers, "leaves": in_leaves}


def _read(read: Read, messages: Iterable[fp.Message]) -> None:
    for message in messages:
        if message.role in ("tool", "user", "system"):
            read.read(message.text)


def _sentences(run: Run, index: fp.EvidenceIndex, read: Read) -> Iterator[tuple[str, Place]]:
    """Yield a sentence for every different leaf that is nothing but a value."""
    leaves = dict.fromkeys(leaf for message in run.messages if message.role == "tool" for leaf in _leaves(message.text))
    for leaf in leaves:
        found = find(leaf)
        if found and found[0].start == 0 and (found[0].end == len(leaf) or leaf[found[0].end] in "T "):
            yield found[0].kind, Place(f"It is {leaf}.", index, read)


def _leaves(text: str) -> list[str]:
    try:
        return list(_walk(json.loads(text)))
    except ValueError:
        return [match.match.group() for match in find(text)]


def _walk(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)


def _plant_leaves(
    sentences: list[tuple[str, Place]], leaves: int, into: dict[str, Kind], chance: random.Random
) -> None:
    for kind in ASKED:
        here = [place for its_kind, place in sentences if its_kind == kind]
        chance.shuffle(here)
        for turn in range(leaves and -(-leaves // len(here)) if here else 0):
            for place in here[: leaves - turn * len(here)]:
                _plant(place, find(place.text)[0], into[kind], chance)


def _plant(place: Place, value: Found, figures: Kind, chance: random.Random) -> None:
    text, index = place.text, place.index
    before = _overlapping(index.judge(text), *_span(value))
    if not before or any(verdict.verdict != "grounded" for verdict in before):
        figures.skipped += 1
        return
    start, end, other = changed(value, chance)
    planted = text[:start] + other + text[end:]
    figures.planted += 1
    after = _overlapping(index.judge(planted), start, start + len(other))
    if any(verdict.verdict in ("invented", "echoed") for verdict in after):
        figures.caught += 1
    elif any(verdict.verdict == "undecidable" for verdict in after):
        figures.undecidable += 1
    elif any(now.start <= start < now.end and place.read.said(now) for now in find(planted)):
        figures.collides += 1
    else:
        figures.missed[" + ".join(map(_named, after)) or "unexamined"] += 1


def _span(value: Found) -> tuple[int, int]:
    if value.kind == "identifier":
        return value.match.span()
    return value.match.span({"date": "day", "clock": "hour"}.get(value.kind, "number"))


def _overlapping(judgement: fp.Judgement, start: int, end: int) -> list[fp.ValueVerdict]:
    return [value for value in judgement.values if value.start < end and start < value.end]


def _named(value: fp.ValueVerdict) -> str:
    operation = getattr(getattr(value, "derivation", None), "operation", None)
    return " ".join(str(word) for word in (value.verdict, value.how, operation) if word)


def report(name: str, figures: Figures) -> Iterator[str]:
    """Yield what was found, as text."""
    yield f"## Planted errors: {name}"
    rows = [
        (where, kind, *_row(kind, figures[where][kind]))
        for where in figures
        for kind in ASKED
        if kind in figures[where]
    ]
    head = [
        "in",
        "kind",
        "skipped",
        "planted",
        "caught",
        "undecidable",
        "percent",
        "asked",
        "collides",
        "percent of the rest",
    ]
    yield table([*head, "missed otherwise"], rows)


def _row(kind: str, found: Kind) -> Iterator[object]:
    yield from (found.skipped, found.planted, found.caught, found.undecidable)
    yield percent(found.caught, found.planted)
    yield f"{ASKED[kind]} %"
    yield found.collides
    yield percent(found.caught, found.fair)
    yield ", ".join(f"{count} {what}" for what, count in found.missed.most_common())
