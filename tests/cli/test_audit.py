from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.running import AIRLINE, INVENTING, answer, called, chat, foldproof, json_lines, person, result

from foldproof.cli import main
from foldproof.offline import VERDICTS, AuditReport
from foldproof.transcripts import load_all


def invoke(*args: str | Path, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, args)], input=stdin)


def test_json_is_one_object_a_conversation_as_designed(tmp_path: Path) -> None:
    path = chat(tmp_path, *INVENTING)
    (report,) = json_lines(invoke(path, "--json").stdout)
    assert list(report) == ["path", "conversation", "format", "messages", "answers", "totals"]
    assert (report["path"], report["format"], report["messages"]) == (str(path), "openai_chat", 4)
    assert report["totals"] == dict.fromkeys(VERDICTS, 0) | {"exempt": 1, "echoed": 1, "invented": 1}
    (given,) = report["answers"]
    assert list(given) == ["message", "values", "unexamined"]
    assert [(value["text"], value["verdict"], value["how"]) for value in given["values"]] == [
        ("HAT170", "exempt", "user"),
        ("X9Y8", "echoed", None),
        ("$109.00", "invented", None),
    ]
    near = given["values"][2]["near"]
    assert near["text"] == "$190.00"
    assert near["carriers"][0]["path"] == "$.fee"
    assert given["values"][0]["near"] is None


def test_people_see_findings_and_what_the_tool_said_instead(tmp_path: Path) -> None:
    shown = invoke(chat(tmp_path, *INVENTING)).stdout
    rows = [" ".join(line.split()) for line in shown.splitlines()]
    assert '3 $109.00 invented get_fare said "$190.00" in message 2 at $.fee' in rows
    assert "3 X9Y8 echoed" in rows
    assert not any("exempt" in row and row.startswith("3 ") for row in rows)
    assert rows[-1] == "1 answer, 3 values: 1 exempt, 1 echoed, 1 invented; 0 unexamined"


def test_several_conversations_end_with_one_line_over_all(tmp_path: Path) -> None:
    path = chat(tmp_path, *INVENTING)
    assert invoke(path, path).stdout.splitlines()[-1] == (
        "2 conversations, 2 answers, 2 with an invented value; 6 values: "
        "0 grounded, 2 exempt, 0 derived, 2 echoed, 2 invented, 0 undecidable; 0 unexamined"
    )


def test_no_table_where_nothing_was_found(tmp_path: Path) -> None:
    shown = invoke(chat(tmp_path, person("Is 4417 right?"), answer("4417 is."))).stdout
    assert "verdict" not in shown
    assert "1 answer, 1 value: 1 exempt; 0 unexamined" in shown


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        ((), 0),
        (("undecidable",), 0),
        (("invented",), 1),
        (("echoed",), 1),
        (("undecidable,echoed",), 1),
        (("undecidable", "invented"), 1),
    ],
)
def test_fail_on_decides_the_exit_code(fail_on: tuple[str, ...], code: int, tmp_path: Path) -> None:
    options = [option for verdict in fail_on for option in ("--fail-on", verdict)]
    for extra in ([], ["--json"]):
        assert invoke(chat(tmp_path, *INVENTING), *options, *extra).exit_code == code


def test_options_reach_the_audit(tmp_path: Path) -> None:
    path = chat(tmp_path, person("Hello"), answer("Ask Alice or Bob about 4417 and 99123."))
    args = ("--shape", "alice", "--shape", "bob", "--exempt", "99123", "--min-digits", "5")
    (report,) = json_lines(invoke(path, "--json", *args).stdout)
    values = [(value["text"], value["verdict"]) for value in report["answers"][0]["values"]]
    assert values == [("Alice", "invented"), ("Bob", "invented"), ("99123", "exempt")]
    assert report["answers"][0]["unexamined"] == 1


def test_a_broken_file_costs_its_line_and_the_others_are_audited(tmp_path: Path) -> None:
    good = chat(tmp_path, *INVENTING)
    broken = tmp_path / "broken.json"
    broken.write_text('{"hello')
    ran = invoke(broken, good, tmp_path / "missing.json", good, "--json", "--fail-on", "invented")
    assert [report["path"] for report in json_lines(ran.stdout)] == [str(good), str(good)]
    assert [line.split(": ")[0] for line in ran.stderr.splitlines()] == [str(broken), str(tmp_path / "missing.json")]
    assert ran.exit_code == 2


def test_what_came_before_the_broken_line_is_audited(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    lines = AIRLINE.read_text(encoding="utf-8").splitlines()[:60]  # more than are looked at to tell the format
    path.write_text("\n".join([*lines[:59], lines[59][:200]]), encoding="utf-8")
    ran = invoke(path, "--json")
    assert len(json_lines(ran.stdout)) == 59
    assert f"{path}: line 60" in ran.stderr
    assert ran.exit_code == 2


def test_a_dash_is_standard_input(tmp_path: Path) -> None:
    text = chat(tmp_path, *INVENTING).read_text()
    (report,) = json_lines(invoke("-", "--json", stdin=text).stdout)
    assert report["path"] == "-"
    assert report["totals"]["invented"] == 1
    ran = invoke("-", stdin="{")
    assert ran.exit_code == 2
    assert ran.stderr.startswith("<stdin>: ")


def test_a_table_survives_values_that_look_like_markup(tmp_path: Path) -> None:
    path = chat(tmp_path, person("Hello"), answer("See [red]:smile:\x1b[31mAB or 4417."))
    shown = invoke(path, "--shape", r"\[red\]:smile:\x1b\[31mAB").stdout
    assert "[red]:smile:\\x1b[31mAB" in shown
    assert "\x1b" not in shown


def test_real_runs_are_audited_and_every_carrier_resolves() -> None:
    ran = foldproof("audit", AIRLINE, "--json")
    assert (ran.returncode, ran.stderr) == (0, b"")
    reports = [AuditReport.model_validate(line) for line in json_lines(ran.stdout)]
    runs = list(load_all(AIRLINE))
    assert [report.conversation for report in reports] == [run.id for run in runs]
    for run, report in zip(runs, reports, strict=True):
        for given in report.answers:
            for value in given.values:
                assert all(carrier.resolve(run.messages) == carrier.text for carrier in value.carriers)


def test_message_numbers_count_in_the_conversation(tmp_path: Path) -> None:
    path = chat(
        tmp_path, person("Hi"), answer("Hello."), person("Fee?"), called("c1"), result("c1", "$5.00"), answer("$7.77")
    )
    (report,) = json_lines(invoke(path, "--json").stdout)
    assert [given["message"] for given in report["answers"]] == [1, 5]
