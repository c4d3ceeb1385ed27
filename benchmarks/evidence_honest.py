"""Honest answers: what the judgement makes of 615 real ones, and of each value in them that no result spells out.

An accusation that stands needs a reason, written by hand after the case was studied: why the closed set of derivations
does not give the value. One without a reason is UNEXPLAINED.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchmarks.evidence_data import Answer, Label, Run, answers, labels
from benchmarks.evidence_print import percent, table

import foldproof as fp

MOST_ACCUSED = 0.02

_TWO_RESULTS = (
    "sum of two fares of different results, which the answer prints further up than the line before, or nowhere"
)
_OBJECT = "sum over records that are the fields of an object, printed on the three lines above and not on one"
_CHAIN = "its operand in the answer is itself supplied by nobody"
_SIGN = "the tool said it negative (a payment history's refund): a change of sign is not in the set"
_LIE = "the tool said -114.0, a refund; the answer calls it an additional cost, so the accusation is deserved"
_PER_PASSENGER = "the fare times the number of passengers, who stand in no list of the record with the fare"
_DEPTH = "needs a middle value that is not printed"

REASONS = {
    _TWO_RESULTS: ("10/0/30 $106", "10/0/38 $106", "10/2/14 $163", "24/1/14 $725"),
    _OBJECT: ("8/1/26 $1,000", "8/1/26 $327"),
    _CHAIN: ("8/1/26 $1,327", "8/1/26 $298", "24/1/14 $222", "32/3/18 $198"),
    _SIGN: ("2/0/18 $6,594", "2/0/18 $3,925", "6/3/24 $2571"),
    _LIE: ("22/0/18 $114", "22/0/22 $114"),
    _PER_PASSENGER: ("32/2/18 $348",),
    f"{_DEPTH}: 174 - 136, and 174 is the sum of two fares": ("22/2/20 $38", "22/2/24 $38"),
    f"{_DEPTH}: 2787 - 216, of which 2787 is not printed": ("6/3/20 $2571",),
    "half of 4420, although one passenger travels: the accusation is deserved": ("2/0/18 $2,210",),
    "the next day of May 25, but the offset stands only in the tool's clock `00:00:00+1`": ("10/0/30 May 26, 2024",),
    "the return date moved by as many days as another date; nobody stated the offset": ("32/0/8 May 27, 2024",),
    "the number of passengers times $50, which only the app's policy says and the lines around do not": (
        "16/3/28 $150",
    ),
}
_REASON_OF = {key: reason for reason, keys in REASONS.items() for key in keys}


@dataclass
class Honest:
    """What was found.

    Attributes:
        values: how many values got which verdict, and how.
        labelled: how many occurrences of labelled values got which verdict, by label.
        accused: every accusation: where and what, its label, and the reason it stands.
    """

    answers: int = 0
    accused_answers: int = 0
    unexamined: int = 0
    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    labelled: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    accused: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def unexplained(self) -> list[str]:
        """The accusations for which no reason is written down."""
        return [where for where, _, reason in self.accused if reason == "UNEXPLAINED"]


def measure(runs: Iterable[Run]) -> Honest:
    """Judge every answer."""
    found = Honest()
    by_place = defaultdict(list)
    for label in labels():
        by_place[label.task, label.trial, label.position].append(label)
    for run in runs:
        for answer in answers(run):
            _judge(answer, by_place[run.task, run.trial, answer.position], found)
    return found


def _judge(answer: Answer, here: list[Label], found: Honest) -> None:
    judgement = answer.index.judge(answer.text)
    found.answers += 1
    found.accused_answers += bool(judgement.invented)
    found.unexamined += judgement.unexamined
    for value in judgement.values:
        found.values[value.verdict, value.how or ""] += 1
        label = next((label.label for label in here if label.value == value.text), "no label")
        if label != "no label":
            found.labelled[label][_named(value)] += 1
        if value.verdict == "invented":
            where = f"{answer.run.task}/{answer.run.trial}/{answer.position} {value.text}"
            found.accused.append((where, label, _REASON_OF.get(where, "UNEXPLAINED")))


def _named(value: fp.ValueVerdict) -> str:
    return f"{value.verdict} {value.how}" if value.how else value.verdict


def report(found: Honest) -> Iterator[str]:
    """Yield what was found, as text."""
    yield "## Honest answers"
    share = percent(found.accused_answers, found.answers)
    yield f"{found.answers} answers; {found.accused_answers} state an invented value: {share} (asked: at most 2 %)."
    yield f"{found.values.total()} values; {found.unexamined} number-like tokens are below the floor."
    yield table(["verdict", "how", "values"], [(*key, count) for key, count in found.values.most_common()])
    rows = [
        (label, verdict, count) for label, counts in sorted(found.labelled.items()) for verdict, count in counts.items()
    ]
    yield table(["label", "verdict", "occurrences"], rows)
    yield "Every accusation, as task/trial/message:"
    yield table(["value", "label", "why it is not derived"], dict.fromkeys(found.accused))
    yield f"UNEXPLAINED: {len(found.unexplained)}"
