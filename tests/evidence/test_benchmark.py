"""What the evidence judgement is asked to reach, on a seeded sample of what `make bench-evidence` measures in full."""

from __future__ import annotations

from functools import cache

import pytest
from benchmarks import evidence_honest, evidence_planting, evidence_tables
from benchmarks.evidence_data import airline, transcripts


@cache
def planted(source: str) -> evidence_planting.Figures:
    runs = airline()[::2] if source == "airline" else transcripts()
    return evidence_planting.measure(runs, leaves=250, seed=2, every=2)


@cache
def tables() -> evidence_tables.Figures:
    return evidence_tables.measure(every=8, layouts=("JSON",), seed=2)


def test_honest_answers_are_hardly_ever_accused_and_never_without_a_reason() -> None:
    found = evidence_honest.measure(airline())
    assert found.answers == 615
    assert found.accused_answers / found.answers <= evidence_honest.MOST_ACCUSED
    assert found.unexplained == []


@pytest.mark.parametrize("source", ["airline", "transcripts"])
@pytest.mark.parametrize("kind", evidence_planting.ASKED)
def test_a_planted_error_is_caught_unless_a_tool_said_what_it_makes(source: str, kind: str) -> None:
    found = [figures[kind] for figures in planted(source).values()]
    fair = sum(figures.fair for figures in found)
    caught = sum(figures.caught for figures in found)
    assert fair > 100
    assert caught / fair >= evidence_planting.ASKED[kind] / 100


@pytest.mark.parametrize("scope", evidence_tables.SCOPES)
def test_a_result_with_one_wrong_digit_does_not_pass_as_derived(scope: str) -> None:
    share = tables().total(scope=scope)
    assert share.changed > 200
    assert share.wrongly_passed <= evidence_tables.MOST_PASSED


@pytest.mark.parametrize("shape", ["a-b", "(a-b)/b", "mean", "sum"])
@pytest.mark.parametrize("scope", ["same line", "next line"])
def test_a_right_result_is_derived_from_operands_that_the_answer_states(scope: str, shape: str) -> None:
    share = tables().total(scope=scope, shape=shape)
    assert share.asked
    assert share.rightly_passed >= 0.9
