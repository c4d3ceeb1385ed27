from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result
from tests.cli.running import AIRLINE, answer, called, chat, json_lines, person, result

from foldproof.cli import main
from foldproof.transcripts import formats


def invoke(*args: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, args)))


def unpaired(folder: Path) -> Path:
    return chat(folder, person("q"), called("c1"), answer("never mind"), result("c1", "late"), name="unpaired.json")


def test_valid_conversations_are_fine() -> None:
    ran = invoke("check", AIRLINE)
    assert ran.exit_code == 0
    assert ran.stdout.splitlines()[-1] == "100 conversations, 0 invalid"


def test_an_invalid_structure_is_named_with_its_place(tmp_path: Path) -> None:
    path = unpaired(tmp_path)
    ran = invoke("check", path)
    assert ran.exit_code == 1
    assert "invalid: $.messages[1]: the call 'c1' has no result" in ran.stdout
    (checked,) = json_lines(invoke("check", path, "--json").stdout)
    assert list(checked) == ["path", "conversation", "format", "messages", "valid", "problem"]
    assert (checked["valid"], checked["problem"]["path"]) == (False, "$.messages[1]")


def test_it_need_not_fail(tmp_path: Path) -> None:
    assert invoke("check", unpaired(tmp_path), "--fail-on", "nothing").exit_code == 0


def test_what_cannot_be_read_is_worse_than_what_is_invalid(tmp_path: Path) -> None:
    good = chat(tmp_path, person("q"), answer("a"))
    ran = invoke("check", unpaired(tmp_path), tmp_path / "missing.json", good, "--json")
    assert [checked["valid"] for checked in json_lines(ran.stdout)] == [False, True]
    assert ran.exit_code == 2


def test_formats_lists_what_can_be_named(tmp_path: Path) -> None:
    listed = json_lines(invoke("formats", "--json").stdout)
    assert [line["name"] for line in listed] == [known.name for known in formats()]
    assert all(set(line) == {"name", "description", "canRead", "canWrite"} for line in listed)
    assert "openai_chat" in invoke("formats").stdout
    path = tmp_path / "run.json"
    path.write_text(json.dumps([person("q")]))
    assert invoke("check", path, "--format", "openai_chat").exit_code == 0
