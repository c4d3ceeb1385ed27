"""`tests/data/cases/normalization.tsv`: spellings that are the same value, and spellings that are not.

Every row of the tiers T1 and T2 holds by default but for those that are named below with their reason. `policy` rows
are those for which a reader has to decide: the decisions stand in `DECIDED`.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.candidates import scan
from foldproof.evidence.spellings import RARE
from foldproof.evidence.stated import stated_by

CASES = Path(__file__).parent.parent / "data" / "cases" / "normalization.tsv"

NOT_A_VALUE = {
    "N236": "a name too short to be told from a word",
    "N237": "a name",
    "N241": "a name",
    "N283": "a boolean",
    "N288": "a name",
}
"""`same` rows whose answer holds nothing that is examined, and so nothing that could be accused."""

SECOND_VALUE = {
    "N078": "the row's evidence holds one of the answer's two values",
    "N115": "the port is a value of its own, and the row's evidence holds none",
    "N253": "the citation mark is a value of its own",
    "N256": "the row's evidence holds one of the answer's two ports",
}
"""Rows whose answer states more values than the row is about."""

NEEDS_MEANING = {
    "N085": "a capitalised word names an amount (`Total 190`) as often as a thing (`Apollo 11`)",
}
"""Rows that no rule about spellings decides."""

GROUNDED = {
    "N015": "ambiguous",  # a comma that grouping cannot explain: a decimal sign, or a list
    "N017": "ambiguous",  # as N019: in some countries a dot groups
    "N019": "ambiguous",  # one sign before three digits groups or starts a fraction
    "N029": "spelling",  # 2024.10 is a number where nothing says it is a version
    "N058": "spelling",  # a bare number says no unit and blocks nothing
    "N070": "spelling",  # $ is read as the dollar of the United States
    "N072": "ambiguous",  # ¥ is yen or yuan
    "N088": "spelling",  # a duration is counted in its smallest unit, and this one is minutes
    "N096": "spelling",  # with a letter among its digits, the number behind 0x is hexadecimal anyway
    "N105": "spelling",  # BSD leaves out leading zeros
    "N110": "part",  # a zone says on which link, not which address
    "N122": "prefix",  # the ellipsis says that more follows
    "N140": "spelling",  # the years of a season
    "N144": "ambiguous",  # without its half of the day
    "N149": "spelling",  # 00:30 PM can only be half past twelve
    "N156": "spelling",  # a zone blocks a match only when both sides state one
    "N158": "exact",  # identifiers are compared without regard to case
    "N160": "part",  # a whole segment
    "N171": "part",  # what stands in front of the @
    "N182": "prefix",  # a digest's algorithm is written in front of it
    "N190": "spelling",  # either slash
    "N215": "spelling",  # the number without its country
    "N234": "spelling",  # one half
    "N246": "exact",  # a struck number was still written
    "N271": "spelling",  # an ordinal is judged on its number
}
"""`policy` rows that are grounded, and how."""

NOT_GROUNDED = {
    "N025": "a comma and a space separate two numbers far oftener than they group one",
    "N039": "`about` does not say how near",
    "N077": "a sentence may end between them",
    "N114": "leading zeros are octal to some readers of addresses",
    "N169": "leading zeros are identity",
    "N184": "a bare 1.2 does not say that it is a version; `v1.2` and `Python 1.2` do",
    "N196": "whose home is not said",
    "N207": "another scheme is another address",
    "N208": "another query is another address",
    "N223": "a range is judged by both of its ends",
    "N249": "markup of formulas is not computed",
    "N300": "four operands across results are not guessed at",
    "N304": "products are not guessed at",
}
"""`policy` rows that are examined and not grounded, and why."""

WAITING = frozenset(
    [
        "N034",
        "N037",
        "N043",
        "N227",
        "N056",
        "N061",
        "N082",
        "N084",
        "N086",
        "N093",
        "N136",
        "N297",
        "N298",
        "N301",
        "N303",
    ]
)
"""`policy` rows that a rounding or a derivation may explain. No spelling does: that is what is tested here."""

UNEXAMINED = {
    "N129": "a day of the month alone is below the floor",
    "N191": "a bare file name is a word that ends in a dot and letters",
    "N264": "a dozen is a word",
    "N265": "one is the pronoun",
    "N268": "half is a word",
    "N273": "an idiom",
    "N276": "small counts",
    "N278": "Roman numerals are words",
    "N284": "a boolean",
    "N285": "an absence",
}
"""`policy` rows of which nothing is examined at the default floor."""

RARELY = frozenset(["N106", "N116", "N135", "N146", "N206", "N216"])
"""Rows that are the same value only for who asks for rare spellings."""


def all_rows() -> list[dict[str, str]]:
    with CASES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = {row["id"]: row for row in all_rows()}


def rows(expected: str, *tiers: str) -> list[object]:
    wanted = [row for row in ROWS.values() if row["expected"] == expected and row["tier"] in tiers]
    left_out = NOT_A_VALUE.keys() | SECOND_VALUE.keys() | NEEDS_MEANING.keys() | RARELY
    return [pytest.param(row, id=row["id"]) for row in wanted if row["id"] not in left_out]


def content(row: dict[str, str]) -> str:
    evidence, kind = row["evidence"], row["ev_type"]
    return {
        "jnum": f'{{"v": {evidence}}}',
        "jbool": f'{{"v": {evidence}}}',
        "jnull": f'{{"v": {evidence}}}',
        "jstr": json.dumps({"v": evidence}),
        "jkey": json.dumps({evidence: True}),
    }.get(kind, evidence)


def judged(row: dict[str, str], *, floor: int = 1) -> list[tuple[str, str | None]]:
    index = EvidenceIndex([result(content(row))])
    judgement = index.judge(row["answer"], options=EvidenceOptions(min_digits=floor))
    return [(value.verdict, value.how) for value in judgement.values]


def verdicts(row: dict[str, str]) -> list[str]:
    return [verdict for verdict, _ in judged(row)]


@pytest.mark.parametrize("row", rows("same", "T1", "T2", "T3"))
def test_the_same_value_is_grounded(row: dict[str, str]) -> None:
    assert set(verdicts(row)) == {"grounded"}


@pytest.mark.parametrize("row", rows("different", "T1", "T2", "T3"))
def test_a_different_value_is_not_grounded(row: dict[str, str]) -> None:
    assert "grounded" not in verdicts(row)


@pytest.mark.parametrize("identifier", NOT_A_VALUE)
def test_what_is_no_value_is_never_accused(identifier: str) -> None:
    row = ROWS[identifier]
    assert verdicts(row | {"answer": row["answer"].replace("\\u00e9", "é")}) == []


@pytest.mark.parametrize("identifier", SECOND_VALUE)
def test_of_two_values_one_is_grounded(identifier: str) -> None:
    assert sorted(verdicts(ROWS[identifier])) == ["grounded", "invented"]


def test_every_row_that_leaves_a_choice_is_decided_once() -> None:
    decided = [*GROUNDED, *NOT_GROUNDED, *WAITING, *UNEXAMINED, "N116", "N216"]
    assert sorted(decided) == sorted(row["id"] for row in ROWS.values() if row["expected"] == "policy")


@pytest.mark.parametrize(("identifier", "how"), GROUNDED.items())
def test_a_choice_to_ground(identifier: str, how: str) -> None:
    assert judged(ROWS[identifier]) == [("grounded", how)]


@pytest.mark.parametrize("identifier", NOT_GROUNDED)
def test_a_choice_not_to_ground(identifier: str) -> None:
    found = judged(ROWS[identifier])
    assert found
    assert not [how for verdict, how in found if verdict == "grounded" and how != "rounded"]


@pytest.mark.parametrize("identifier", sorted(WAITING))
def test_no_spelling_explains_a_rounding_or_a_derivation(identifier: str) -> None:
    row = ROWS[identifier]
    evidence = stated_by(row["evidence"]).forms
    values = scan(row["answer"])
    assert values
    assert not {lookup.form for value in values for lookup in value.lookups}.intersection(evidence)


@pytest.mark.parametrize("identifier", UNEXAMINED)
def test_a_choice_not_to_examine(identifier: str) -> None:
    assert judged(ROWS[identifier], floor=3) == []


def rare_matches(answer: str, evidence: str) -> bool:
    """Whether a value of `answer` is one of `evidence` when rare readings count, on either side."""
    said = set(stated_by(evidence).forms)
    for value in scan(answer):
        common = [lookup.form for lookup in value.lookups]
        if said.intersection(value.rare) or said.intersection(RARE + form for form in (*common, *value.rare)):
            return True
    return False


@pytest.mark.parametrize("identifier", sorted(RARELY))
def test_a_rare_spelling_is_the_same_only_when_asked_for(identifier: str) -> None:
    row = ROWS[identifier]
    assert verdicts(row) == ["invented"]
    assert rare_matches(row["answer"], row["evidence"])
    assert rare_matches(row["evidence"], row["answer"])


@pytest.mark.parametrize("identifier", ["N106", "N116", "N135", "N146", "N206", "N216"])
def test_a_rare_spelling_of_another_value_differs(identifier: str) -> None:
    row = ROWS[identifier]
    other = row["evidence"].translate(str.maketrans("345evil", "456fwjm"))
    assert other != row["evidence"]
    assert not rare_matches(row["answer"], other)
