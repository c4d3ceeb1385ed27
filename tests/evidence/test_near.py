"""Near: for a value that nobody supplied, the one that a tool did say and that is one edit away."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex


def near(said: str, stated: str) -> str | None:
    (value,) = EvidenceIndex([result(said)]).judge(f"It is {stated}.").values
    assert value.verdict == "invented"
    return value.near.text if value.near else None


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ("ORD-4471", "ORD-4477"),  # a digit changed
        ("ORD-4471", "ORE-4471"),  # a letter
        ("ZRD-4471", "ORD-4471"),
        ("ORD-9471", "ORD-0471"),
        ("ORD-4471", "ROD-4471"),  # two swapped
        ("ORD-4471", "ORD-4417"),
        ("ORD-4471", "ORD-44713"),  # one added
        ("ORD-4471", "XORD-4471"),
        ("ORD-4471", "ORD-471"),  # one dropped
        ("ORD-4471", "RD-4471"),
        ("ORD-4471", "ORD-447"),
        ("4471", "4472"),
        ("$4471", "$4472"),
        ("4471", "4,472"),
        ("450 GB", "451 GB"),
        ("2024-05-21", "2024-05-22"),
        ("13:00", "13:01"),
        ("a" * 30 + "b" * 29 + "-1234", "a" * 30 + "b" * 29 + "-1235"),  # 64 characters
    ],
)
def test_a_value_one_edit_away_is_near(said: str, stated: str) -> None:
    assert near(f"is {said} .", stated) == said


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ("ORD-4471", "ORD-4482"),  # two edits
        ("4471", "ORD-4482"),
        ("a" * 30 + "b" * 30 + "-1234", "a" * 30 + "b" * 30 + "-1235"),  # too long
        ("nothing", "ORD-4471"),
        ("44A1", "4471"),  # in a number no digit is mistaken for a letter
    ],
)
def test_a_value_further_away_is_not(said: str, stated: str) -> None:
    assert near(f"is {said} .", stated) is None


def test_a_segment_of_what_a_tool_said_is_near_too() -> None:
    assert near("certificate_7504069", "7504061") == "certificate_7504069"
    assert near("flight HAT039-2024", "HAT038") == "HAT039-2024"


def test_what_is_near_leads_to_where_it_was_said() -> None:
    messages = [result("none"), result({"order": "ORD-4471"})]
    (value,) = EvidenceIndex(messages).judge("It is ORD-4472.").values
    assert value.near is not None
    assert value.near.form == "ord-4471"
    assert [(carrier.message, carrier.path) for carrier in value.near.carriers] == [(1, "$.order")]
    assert value.near.carriers[0].resolve(messages) == "ORD-4471"


def test_the_first_edit_decides_which_of_two_is_near() -> None:
    assert near("ORD-4479 ORD-4473", "ORD-4471") == "ORD-4473"  # in order of the character that replaces
    assert near("ORD-4479 ORE-4471", "ORD-4471") == "ORE-4471"  # and of its place


def test_nothing_is_near_a_value_that_somebody_supplied() -> None:
    (value,) = EvidenceIndex([result("ORD-4471 ORD-4472")]).judge("It is ORD-4471.").values
    assert (value.verdict, value.near) == ("grounded", None)
