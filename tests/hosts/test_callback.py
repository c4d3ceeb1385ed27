"""A plain loop over dicts plays the long run."""

from __future__ import annotations

import pytest
from tests.hosts.callback_runs import RUNS
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import faults, outcome


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


def test_the_page_and_the_example_run() -> None:
    run_page("callback")
    printed = run_example("callback")
    assert "complete" in printed
    assert "A-77190 invented" in printed
