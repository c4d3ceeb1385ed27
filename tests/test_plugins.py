"""Strategies by name, ours and those of a package that is really installed on the path."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import foldproof, json_lines

from foldproof import ClearToolResults, UsageError, load_strategy
from foldproof.plugins import STRATEGIES, find_strategy, strategy_options

MODULE = """
from foldproof.window import Decision, turn_trigger


class OnlyTheLast:
    name = "only-the-last"

    def __init__(self, *, keep_recent_turns=1):
        self.keep = keep_recent_turns

    def plan(self, given, /):
        trigger = turn_trigger(given, threshold=self.keep)
        return Decision(trigger=trigger, removal=given.plan_removal(keep_recent_turns=self.keep))


def anything(**options):
    return OnlyTheLast()


NOT_CALLABLE = 7


def no_strategy():
    return "a string"
"""
OFFERED = {
    "only-the-last": "windows_of_mine:OnlyTheLast",
    "anything": "windows_of_mine:anything",
    "sliding-window": "windows_of_mine:anything",
    "not-callable": "windows_of_mine:NOT_CALLABLE",
    "no-strategy": "windows_of_mine:no_strategy",
    "not-there": "windows_of_nobody:Strategy",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as an installer leaves it: a module, and its metadata with entry points beside it."""
    metadata = tmp_path / "windows_of_mine-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: windows-of-mine\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in OFFERED.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[foldproof.strategies]", *lines, ""]))
    (tmp_path / "windows_of_mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_of_ours_is_made_by_its_name(name: str) -> None:
    options: dict[str, Any] = (
        {"threshold_tokens": 9} if "threshold_tokens" in (strategy_options(STRATEGIES[name]) or ()) else {}
    )
    assert load_strategy(name, **options).name == name


def test_options_are_those_of_the_constructor() -> None:
    made = load_strategy("clear-tool-results", threshold_tokens=9, keep=1, exclude=["search"])
    assert made == ClearToolResults(9, 1, ["search"])


def test_a_packages_strategy_is_found_and_ours_are_never_taken_over(package: Path) -> None:
    assert package.is_dir()
    assert load_strategy("only-the-last", keep_recent_turns=3).name == "only-the-last"
    assert load_strategy("anything", whatever=1).name == "only-the-last"
    assert load_strategy("sliding-window").name == "sliding-window"


def test_nothing_of_a_package_is_loaded_unless_it_is_asked_for(package: Path) -> None:
    assert package.is_dir()
    sys.modules.pop("windows_of_mine", None)
    find_strategy("sliding-window")
    with pytest.raises(UsageError):
        find_strategy("only-the-last", plugins=False)
    assert "windows_of_mine" not in sys.modules


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("hope", {}, "there is no strategy 'hope'; there are summarize-oldest, token-budget, sliding-window"),
        ("hope", {}, "only-the-last"),
        ("not-there", {}, "cannot be loaded: ModuleNotFoundError: No module named 'windows_of_nobody'"),
        ("not-callable", {}, "is 7; offer a class or a function"),
        ("no-strategy", {}, "made 'a string', which is no strategy"),
        ("token-budget", {}, "missing 1 required positional argument: 'threshold_tokens'"),
        ("token-budget", {"threshold_tokens": -1}, "threshold_tokens is -1; write a whole number, 0 or more"),
        (
            "token-budget",
            {"threshold": 1},
            "token-budget has no option threshold; it has threshold_tokens, keep_recent",
        ),
    ],
)
def test_what_cannot_be_made_says_why(package: Path, name: str, options: dict[str, Any], says: str) -> None:
    assert package.is_dir()
    with pytest.raises(UsageError) as raised:
        load_strategy(name, **options)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_packages_strategy_folds_a_file_from_the_command_line(package: Path) -> None:
    talk = [{"role": role, "content": f"{role} {index} " * 40} for index in range(4) for role in ("user", "assistant")]
    source, out = package / "run.json", package / "out.json"
    source.write_text(json.dumps(talk))
    chosen = ["--strategy", "only-the-last", "--set", "keep_recent_turns=2", "--json"]
    environment = {"PYTHONPATH": str(package)}
    ran = foldproof("compact", source, "-o", out, *chosen, env=environment)
    assert ran.returncode == 0, ran.stderr
    (record,) = [line["record"] for line in json_lines(ran.stdout)]
    assert (record["strategy"], record["messagesAfter"]) == ("only-the-last", 3)
    refused = foldproof("compact", source, "-o", out, *chosen, "--no-plugins", env=environment)
    assert refused.returncode == 2
    assert b"there is no strategy 'only-the-last'" in refused.stderr
