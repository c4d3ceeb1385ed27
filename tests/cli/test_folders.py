"""Folders of mixed formats on the command line, damaged files, and why a file is of its format."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.running import answer, chat, foldproof, json_lines, person

DATA = Path(__file__).parent.parent / "data" / "transcripts"
MIXED = (
    "claude_code/sniffly_ba79134d.jsonl",
    "agentfootprint/demo-turn.json",
    "openai_chat/pydantic_test_tool_use_failed_error_2.json",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in MIXED:
        (tmp_path / "runs" / name).parent.mkdir(parents=True)
        shutil.copyfile(DATA / name, tmp_path / "runs" / name)
    (tmp_path / "runs" / "package.json").write_text('{"name": "x"}')
    return tmp_path / "runs"


def test_a_folder_of_mixed_formats_ends_with_one_table(folder: Path) -> None:
    run = foldproof("audit", folder)
    assert (run.returncode, run.stderr) == (0, b"")
    lines = run.stdout.decode().splitlines()
    rows = [line.split() for line in lines[-7:-1]]
    assert [row[0] for row in rows[1:5]] == ["agentfootprint", "claude_code", "openai_chat", "of"]
    assert [row[1] for row in rows[1:4]] == ["1", "1", "1"]
    assert rows[5][:6] == ["all", "that", "was", "read", "3", "3"]
    assert rows[0][0].startswith("─")


def test_json_of_a_folder_is_one_object_a_conversation_with_its_file(folder: Path) -> None:
    reports = json_lines(foldproof("audit", folder, "--json").stdout)
    assert sorted(report["path"] for report in reports) == sorted(str(folder / name) for name in MIXED)


def test_an_unreadable_file_of_a_folder_costs_its_line_and_exit_code_2(folder: Path) -> None:
    (folder / "z.json").write_text('[{"role": "user", "cont')
    run = foldproof("check", folder)
    assert run.returncode == 2
    (line,) = run.stderr.decode().splitlines()
    assert line.startswith(f"{folder / 'z.json'}: not JSON")
    assert run.stdout.decode().count(": ok") == 3
    assert foldproof("audit", folder).stdout.decode().splitlines()[-3].split() == ["unreadable", "1"]


ROW = {
    "type": "user",
    "uuid": "a",
    "parentUuid": None,
    "sessionId": "s",
    "message": {"role": "user", "content": "fee?"},
}


def test_damage_is_reported_on_standard_error_and_refused_with_strict(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join([json.dumps(ROW), *['{"cut'] * 5, json.dumps(ROW | {"uuid": "b", "parentUuid": "a"})]))
    run = foldproof("check", path)
    assert run.returncode == 0
    lines = run.stderr.decode().splitlines()
    assert [line.split(": ")[1] for line in lines[:3]] == ["line 2", "line 3", "line 4"]
    assert "2 more places" in lines[3]
    assert len(lines) == 4
    for command in (("audit",), ("check",), ("compact", "-o", tmp_path / "out.jsonl")):
        strict = foldproof(command[0], path, *command[1:], "--strict")
        assert (strict.returncode, strict.stdout) == (2, b"")
        assert [line.split(": ")[1] for line in strict.stderr.decode().splitlines()] == ["line 2"]
    assert not (tmp_path / "out.jsonl").exists()


def test_a_conversation_that_is_lost_is_exit_code_2(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "a"}]}\n{"messages": 7}\n')
    for command in ("audit", "check"):
        run = foldproof(command, path, "--json")
        assert run.returncode == 2
        assert len(json_lines(run.stdout)) == 1
        assert run.stderr.decode().startswith(f"{path}: line 2: $")


def test_why_a_file_is_of_its_format(tmp_path: Path) -> None:
    path = chat(tmp_path, person("q"), answer("a"))
    assert foldproof("formats", "--why", path).stdout.decode().startswith(f"{path}: openai_chat, because of ")
    (told,) = json_lines(foldproof("formats", "--why", path, "--json").stdout)
    assert (told["path"], told["format"], told["why"][0]["format"]) == (str(path), "openai_chat", "openai_chat")
    unknown = tmp_path / "x.json"
    unknown.write_text("{}")
    run = foldproof("formats", "--why", unknown)
    assert run.returncode == 2
    assert run.stderr.decode().startswith(f"{unknown}: no known format")
    piped = foldproof("formats", "--why", "-", stdin=path.read_bytes())
    assert piped.stdout.decode().startswith("<stdin>: openai_chat") or piped.stdout.decode().startswith(
        "-: openai_chat"
    )


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """The storage of OpenCode that the file names of the test data spell."""
    for file in (DATA / "opencode").glob("storage_v2__*"):
        target = (tmp_path / "home").joinpath(*file.name.split("__"))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return tmp_path / "home" / "storage_v2"


def test_a_storage_of_many_files_is_read_as_its_sessions(storage: Path) -> None:
    for folder in (storage, storage.parent):
        reports = json_lines(foldproof("audit", folder, "--json").stdout)
        assert [(report["path"], report["format"]) for report in reports] == [(str(storage), "opencode")] * 2
    assert foldproof("check", storage).stdout.decode().splitlines()[-1] == "2 conversations, 0 invalid"
    assert foldproof("formats", "--why", storage).stdout.decode().startswith(f"{storage}: opencode, because of ")


def test_a_folder_is_no_format(tmp_path: Path) -> None:
    run = foldproof("formats", "--why", tmp_path)
    assert run.returncode == 2
    assert run.stderr.decode().startswith(f"{tmp_path}: cannot be read: Is a directory")
