"""What is wrong with the data or the call costs one line and exit code 2: no traceback, no output, no changed input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.running import answer, called, chat, foldproof, hashes, json_lines, person, result

COMMANDS = (("audit",), ("check",), ("compact", "-o", "out.json"))


class Wrong(NamedTuple):
    content: bytes
    place: str  # what the line says about where
    cause: str


WRONG: Mapping[str, Wrong] = {
    "empty.json": Wrong(b"", "", "empty"),
    "blank.json": Wrong(b"\n \n", "", "empty"),
    "half.json": Wrong(b'[{"role": "user", "cont', "line 1 column", "not JSON"),
    "half.jsonl": Wrong(b'{"messages": [{"role": "user", "content": "hi"}]}\n{"messages": [{"ro', "line 2", "not JSON"),
    "null.jsonl": Wrong(b'{"messages": [{"role": "user", "content": "hi"}]}\nnull\n', "line 2", "None"),
    "binary.json": Wrong(bytes(range(256)), "line 1", "binary"),
    "png.json": Wrong(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "line 1", "not UTF-8"),
    "latin1.json": Wrong(b'[{"role": "user", "content": "caf\xe9"}]', "line 1", "not UTF-8"),
    "unknown.json": Wrong(b'{"hello": "world"}', "", "no known format"),
    "table.csv": Wrong(b"a,b\n1,2\n", "line 1 column", "not JSON"),
    "role.json": Wrong(
        b'[{"role":"wizard","content":"d"},{"role":"elf","content":"a"}]', "$[0].role", "wizard"
    ),  # not one message can be read
    "bottomless.json": Wrong(b"[" * 100_000 + b"]" * 100_000, "line 1", "nested"),
    "digits.json": Wrong(b'[{"role": "user", "content": "a", "n": ' + b"9" * 5_000 + b"}]", "line 1", "digits"),
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_data_is_one_line_that_names_file_place_and_cause(
    name: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    wrong = WRONG[name]
    (tmp_path / name).write_bytes(wrong.content)
    before = hashes(tmp_path)
    run = foldproof(command[0], name, *command[1:], cwd=tmp_path)
    (line,) = run.stderr.decode().splitlines()
    assert line.startswith(f"{name}: ")
    assert wrong.place in line
    assert wrong.cause in line
    assert run.returncode == 2
    assert hashes(tmp_path) == before
    assert command[0] != "compact" or run.stdout == b""


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_missing_file_is_one_line(command: tuple[str, ...], tmp_path: Path) -> None:
    run = foldproof(command[0], "missing.json", *command[1:], cwd=tmp_path)
    (line,) = run.stderr.decode().splitlines()
    assert line.startswith("missing.json: ")
    assert "No such file" in line
    assert run.returncode == 2
    assert not hashes(tmp_path)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_empty_folder_is_one_line(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    run = foldproof(command[0], "runs", *command[1:], cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.decode().startswith("runs: ")
    assert len(run.stderr.splitlines()) == 1


def nested(levels: int) -> Any:  # noqa: ANN401 - JSON
    value: Any = 190.25
    for _ in range(levels):
        value = {"a": value}
    return value


ODD: Mapping[str, tuple[tuple[Mapping[str, Any], ...], list[tuple[str, str]]]] = {
    "a tool result with no call": (
        (person("q"), result("c9", '{"fee": 190.25}'), answer("It is $190.25.")),
        [("$190.25", "grounded")],
    ),
    "100 levels of nesting": (
        (person("q"), called("c1", deep=nested(100)), result("c1", json.dumps(nested(100))), answer("It is 190.25.")),
        [("190.25", "grounded")],
    ),
    "a 20-digit integer": (
        (
            person("q"),
            called("c1"),
            result("c1", '{"n": 12345678901234567890}'),
            answer("12345678901234567890, not 12345678901234567891."),
        ),
        [("12345678901234567890", "grounded"), ("12345678901234567891", "invented")],
    ),
    "a lone surrogate": (
        (person("q \ud800"), called("c1"), result("c1", '{"a": "\ud800 AB-1234"}'), answer("\udfff AB-1234 \ud800")),
        [("AB-1234", "grounded")],
    ),
    "a 5 MB line": (
        (person("q"), called("c1"), result("c1", "word " * 1_000_000 + "AB-1234"), answer("It is AB-1234.")),
        [("AB-1234", "grounded")],
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_data_is_audited_right(name: str, tmp_path: Path) -> None:
    rows, expected = ODD[name]
    path = chat(tmp_path, *rows)
    before = hashes(tmp_path)
    run = foldproof("audit", path, "--json")
    assert (run.returncode, run.stderr) == (0, b"")
    (report,) = json_lines(run.stdout)
    assert [(v["text"], v["verdict"]) for a in report["answers"] for v in a["values"]] == expected
    assert foldproof("audit", path).returncode == 0
    assert hashes(tmp_path) == before


@pytest.mark.parametrize("name", ODD)
def test_odd_data_is_folded_or_left_alone(name: str, tmp_path: Path) -> None:
    rows, _ = ODD[name]
    path = chat(tmp_path, *rows, *(row for n in range(8) for row in (person(f"and {n}?"), answer(f"{n}, I think"))))
    source = path.read_bytes()
    out = tmp_path / "out.json"
    run = foldproof("compact", path, "-o", out, "--keep-recent-turns", "2", "--json")
    assert (run.returncode, run.stderr) == (0, b"")
    (record,) = json_lines(run.stdout)
    assert path.read_bytes() == source
    assert record["changed"] == (out.read_bytes() != source)
    assert set(hashes(tmp_path)) == {"run.json", "out.json"}
    assert foldproof("check", out).returncode == foldproof("check", path).returncode


def test_the_structure_of_a_result_with_no_call_is_invalid(tmp_path: Path) -> None:
    path = chat(tmp_path, *ODD["a tool result with no call"][0])
    run = foldproof("check", path, "--json")
    (checked,) = json_lines(run.stdout)
    assert run.returncode == 1
    assert checked["problem"]["path"] == "$.messages[1]"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("audit",), "Missing argument"),
        (("audit", "x", "--fail-on", "grounded"), "'grounded' is not one of"),
        (("audit", "x", "--min-digits", "0"), "--min-digits"),
        (("audit", "x", "--shape", "("), "no regular expression"),
        (("audit", "-", "--format", "morse"), "no format 'morse'"),
        (
            ("check", "-", "--format", "claude_code"),
            "<stdin>: not claude_code: found an empty array; expected rows {type",
        ),
        (("nonsense",), "No such command"),
        (("compact", "x"), "--output"),
        (("compact", "x", "-o", "y", "--strategy", "hope"), "--strategy"),
        (("compact", "x", "-o", "y", "--strategy", "sliding-window", "--threshold-tokens", "9"), "--threshold-tokens"),
        (("compact", "x", "-o", "y", "--keep-recent-turns", "0"), "--keep-recent-turns"),
    ],
)
def test_a_wrong_call_is_one_line(args: tuple[str, ...], said: str, tmp_path: Path) -> None:
    run = foldproof(*args, cwd=tmp_path, stdin=b"[]")
    (line,) = run.stderr.decode().splitlines()
    assert said in line
    assert (run.returncode, run.stdout) == (2, b"")
    assert not hashes(tmp_path)


def test_what_would_steer_a_terminal_is_shown_and_not_sent(tmp_path: Path) -> None:
    name = "evil\x1b[31m\nname.json"
    run = foldproof("audit", name, cwd=tmp_path)
    assert run.returncode == 2
    assert b"\x1b" not in run.stderr
    assert len(run.stderr.splitlines()) == 1
