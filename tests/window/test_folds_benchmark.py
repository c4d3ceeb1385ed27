"""What a fold is asked to keep, on a part of what `make bench-folds` measures in full."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from benchmarks import folds
from benchmarks.folds_data import Found, Run, find
from benchmarks.folds_measure import SHARE, WAYS, Figures, compare, measure, said_in, stated_in, used_later
from benchmarks.folds_values import errors_in, values_in
from tests.window.builders import plain, result, user

from foldproof.messages import Message

LEAST_KEPT = 0.6


@cache
def vendored() -> Found:
    return find(folds.VENDORED)


@cache
def measured() -> Figures:
    runs = [run for run in vendored().runs if len(run.messages) > 20][::12]
    return folds.together(list(measure(runs).values()))


def test_a_summary_keeps_what_later_turns_use_at_a_quarter_of_the_size() -> None:
    figures = measured()
    assert sum(figures.used.total.values()) > 40
    assert figures.used.share("extractive") >= LEAST_KEPT
    assert figures.used.share("extractive") > figures.used.share("head and tail")


@pytest.mark.parametrize("way", WAYS)
def test_every_way_keeps_to_the_size_and_makes_use_of_it(way: str) -> None:
    figures = measured()
    assert 0.8 / SHARE < figures.sizes[way] / figures.sizes["span"] <= 1 / SHARE


def test_the_report_names_every_format_and_both_halves() -> None:
    few = Found(vendored().runs[:3] + vendored().runs[-2:], vendored().recorded, files=2, unread=0)
    printed = "\n".join(folds.report(few))
    assert "2 files, 0 of them without a conversation; 5 conversations." in printed
    for name in ("openai_chat", "tuned on", "held out", "all", "identifiers", "errors"):
        assert f"| {name} " in printed


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("seat ORD-4471, user_7557 or", {"identifiers ord-4471", "identifiers user_7557"}),
        ("to a@b.example.", {"identifiers a@b.example"}),
        ("$1,234.50 of 1234.5, 85% and 12 of 300", {"numbers 1234.5", "numbers 85", "numbers 300"}),
        ("4471552 on 2024-05-21 at 14:00:00", {"identifiers 4471552", "numbers 2024-05-21", "numbers 14:00:00"}),
        ("see src/app.py:12 and README.md, and/or not", {"paths src/app.py", "paths readme.md"}),
        ("</b> /srv/data/x and https://a.example/b/", {"paths /srv/data/x", "paths https://a.example/b"}),
        ("10 files, 3 kg, 24 h and it's 5th", set()),
        (r"a\nORD-4471\n", {"identifiers ord-4471"}),
    ],
)  # fmt: skip
def test_a_value_is_what_the_rule_says(text: str, values: set[str]) -> None:
    assert {f"{each} {form}" for each, form in values_in(text)} == values


def test_an_error_is_a_line_that_opens_with_one() -> None:
    said = "ok\n  TypeError: it is None\nno Error: here\nerror: 'a'\n"
    assert {line for _, line in errors_in(said)} == {"typeerror: it is none", "error: 'a'"}


def test_used_later_is_what_nothing_but_the_frame_could_tell() -> None:
    span = [result("1", "ORD-1001 ORD-1002 ORD-1003 ORD-1004 ORD-1005"), plain("ORD-1006")]
    kept = [user("What of ORD-1001?")]
    later = [plain("ORD-1001 and ORD-1002"), result("2", "ORD-1003"), plain("ORD-1003, ORD-1006"), user("ORD-1004")]
    assert used_later(said_in(span), kept, later) == {("identifiers", "ord-1002")}


def test_what_the_model_types_into_arguments_is_used() -> None:
    span = [result("1", json.dumps({"id": "ORD-1001", "fee": 190.5}))]
    call = {
        "role": "assistant",
        "toolCalls": [{"id": "2", "name": "get", "args": {"id": "ORD-1001", "fee": "$190.50"}}],
    }
    used = used_later(said_in(span), [], [Message.model_validate(call)])
    assert used == {("identifiers", "ord-1001"), ("numbers", "190.5")}
    assert stated_in(used, ['{"id":"ORD-1001"}']) == {("identifiers", "ord-1001")}


def test_an_agents_own_summary_is_compared_at_its_own_size(tmp_path: Path) -> None:
    rows = [
        {"type": "session", "cwd": "/"},
        {"type": "message", "message": {"role": "user", "content": "Pay ORD-1001 and ORD-1002, " + "please " * 40}},
        {"type": "compaction", "summary": "To pay: ORD-1001"},
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "Paid ORD-1001."}]}},
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = find(tmp_path)
    (comparison,) = map(compare, found.recorded)
    assert [run.format for run in found.runs] == ["pi_session"]
    assert isinstance(found.runs[0], Run)
    assert (comparison.used.share("agent"), comparison.all.share("agent")) == (1.0, 0.5)
