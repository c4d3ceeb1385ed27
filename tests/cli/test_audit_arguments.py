from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.running import INVENTING, answer, called, chat, json_lines, person, result

from foldproof.cli import main
from foldproof.offline import VERDICTS, AuditReport

TYPING = (
    person("Cancel my booking"),
    called("c1", user_id="mia_li_3668", limit=500),
    result("c1", '{"booking": "JG7FMM"}'),
    called("c2", booking_id="JG7FMN", user_id="mia_li_3668"),
    result("c2", "Error: not found"),
    answer("It failed with 4417."),
)
"""Its arguments hold two invented ids and an echoed one; its answer an invented value."""


def invoke(*args: str | Path) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, args)])


def rows_of(shown: str) -> list[str]:
    return [" ".join(line.split()) for line in shown.splitlines()]


def test_people_see_the_message_the_tool_and_the_argument(tmp_path: Path) -> None:
    rows = rows_of(invoke(chat(tmp_path, *TYPING), "--arguments").stdout)
    assert rows[2] == "message tool argument value verdict near"
    assert rows[4:8] == [
        "1 get_fare $.user_id mia_li_3668 invented",
        '3 get_fare $.booking_id JG7FMN invented get_fare said "JG7FMM" in message 2 at $.booking',
        "3 get_fare $.user_id mia_li_3668 echoed",
        "5 4417 invented",
    ]
    assert rows[-2:] == [
        "1 answer, 1 value: 1 invented; 0 unexamined",
        "4 arguments, 3 values: 1 echoed, 2 invented; 1 unexamined",
    ]


def test_several_conversations_end_with_one_more_line(tmp_path: Path) -> None:
    path = chat(tmp_path, *TYPING)
    answers, arguments = invoke(path, path, "--arguments").stdout.splitlines()[-2:]
    assert answers == (
        "2 conversations, 2 answers, 2 with an invented value; 2 values: "
        "0 grounded, 0 exempt, 0 derived, 0 echoed, 2 invented, 0 undecidable; 0 unexamined"
    )
    assert arguments == (
        "8 arguments, 4 with an invented value; 6 values: "
        "0 grounded, 0 exempt, 0 derived, 2 echoed, 4 invented, 0 undecidable; 2 unexamined"
    )


def test_no_table_where_nothing_was_found(tmp_path: Path) -> None:
    shown = invoke(chat(tmp_path, person("Find JG7FMM"), called("c1", id="JG7FMM"), result("c1", "ok")), "--arguments")
    assert "verdict" not in shown.stdout
    assert shown.stdout.splitlines()[-2:] == [
        "0 answers, 0 values; 0 unexamined",
        "1 argument, 1 value: 1 exempt; 0 unexamined",
    ]


def test_json_gains_two_keys_and_only_when_asked(tmp_path: Path) -> None:
    path = chat(tmp_path, *TYPING)
    (plain,) = json_lines(invoke(path, "--json").stdout)
    (report,) = json_lines(invoke(path, "--json", "--arguments").stdout)
    assert list(plain) == ["path", "conversation", "format", "messages", "answers", "totals"]
    assert list(report) == [*plain, "arguments", "argument_totals"]
    assert {name: report[name] for name in plain} == plain
    assert report["argument_totals"] == dict.fromkeys(VERDICTS, 0) | {"echoed": 1, "invented": 2}
    assert [
        (found["message"], found["toolCallId"], found["toolName"], found["path"]) for found in report["arguments"]
    ] == [
        (1, "c1", "get_fare", "$.user_id"),
        (1, "c1", "get_fare", "$.limit"),
        (3, "c2", "get_fare", "$.booking_id"),
        (3, "c2", "get_fare", "$.user_id"),
    ]
    assert report["arguments"][2]["values"][0]["near"]["text"] == "JG7FMM"
    assert AuditReport.model_validate(report).argument_totals["invented"] == 2


@pytest.mark.parametrize(("arguments", "code"), [((), 0), (("--arguments",), 1)])
def test_fail_on_counts_arguments_when_they_are_asked_for(
    arguments: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    path = chat(tmp_path, *TYPING[:-1], answer("It failed."))
    assert invoke(path, "--fail-on", "invented", *arguments).exit_code == code
    assert invoke(path, "--fail-on", "undecidable", *arguments).exit_code == 0


def test_the_answers_findings_are_shown_as_well(tmp_path: Path) -> None:
    rows = rows_of(invoke(chat(tmp_path, *INVENTING), "--arguments").stdout)
    assert '3 $109.00 invented get_fare said "$190.00" in message 2 at $.fee' in rows
    assert rows[-1] == "2 arguments, 0 values; 2 unexamined"
