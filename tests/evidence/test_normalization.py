"""`tests/data/cases/normalization.tsv`: spellings that are the same value, and spellings that are not.

Every row of tier T1 (always) holds, and every row of T2 (the default) except those named below, which need values with
a type. `policy` rows say what a reader may decide; the decisions that were made are tested where they were made.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions

CASES = Path(__file__).parent.parent / "data" / "cases" / "normalization.tsv"

NOT_A_VALUE = {
    "N188": "a path without a digit",
    "N237": "a name",
    "N241": "a name",
    "N283": "a boolean",
    "N288": "a name",
}
"""T1 rows whose answer holds nothing that is examined, and so nothing that could be accused."""

SECOND_VALUE = {
    "N078": "the row's evidence holds one of the answer's two values",
    "N253": "the citation mark is a value of its own",
    "N256": "the row's evidence holds one of the answer's two ports",
}
"""Rows whose answer states more values than the row is about."""

NEEDS_TYPES = {
    "N048": "powers written with a superscript",
    "N073": "accounting parentheses",
    "N085": "what the number counts",
    "N092": "metres against degrees",
    "N102": "MAC addresses",
    "N103": "MAC addresses",
    "N115": "an address and its port",
    "N120": "a UUID without hyphens",
    "N179": "an abbreviated hash",
    "N195": "a name with spaces",
    "N214": "phone numbers",
    "N236": "a name",
    "N259": "number words",
    "N260": "number words",
    "N267": "number words",
    "N269": "number words",
}
"""T2 rows that wait for typed values."""


def rows(tier: str, expected: str) -> list[object]:
    with CASES.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        wanted = [row for row in table if row["tier"] == tier and row["expected"] == expected]
    left_out = NOT_A_VALUE.keys() | SECOND_VALUE.keys() | NEEDS_TYPES.keys()
    return [pytest.param(row, id=row["id"]) for row in wanted if row["id"] not in left_out]


def verdicts(row: dict[str, str]) -> list[str]:
    evidence, kind = row["evidence"], row["ev_type"]
    content = {
        "jnum": f'{{"v": {evidence}}}',
        "jbool": f'{{"v": {evidence}}}',
        "jnull": f'{{"v": {evidence}}}',
        "jstr": json.dumps({"v": evidence}),
        "jkey": json.dumps({evidence: True}),
    }.get(kind, evidence)
    judgement = EvidenceIndex([result(content)]).judge(row["answer"], options=EvidenceOptions(min_digits=1))
    return [value.verdict for value in judgement.values]


@pytest.mark.parametrize("row", rows("T1", "same") + rows("T2", "same"))
def test_the_same_value_is_grounded(row: dict[str, str]) -> None:
    assert set(verdicts(row)) == {"grounded"}


@pytest.mark.parametrize("row", rows("T1", "different") + rows("T2", "different"))
def test_a_different_value_is_not_grounded(row: dict[str, str]) -> None:
    assert "grounded" not in verdicts(row)


@pytest.mark.parametrize("identifier", NOT_A_VALUE)
def test_what_is_no_value_is_never_accused(identifier: str) -> None:
    with CASES.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        row = next(row for row in table if row["id"] == identifier)
    text = row["answer"].replace("\\u00e9", "é")
    assert verdicts(row | {"answer": text}) == []
