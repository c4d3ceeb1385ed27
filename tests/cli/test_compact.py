from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.running import AIRLINE, INVENTING, airline, chat, foldproof, hashes, json_lines

from foldproof.archive import SqliteArchive
from foldproof.cli import main
from foldproof.evidence import exempt_forms
from foldproof.messages import frame_kind, validate_messages
from foldproof.transcripts import load_all
from foldproof.window import WindowRecord

REMOVING = ("summarize-oldest", "token-budget", "sliding-window", "prompt-compactor")
CLEARING = (("clear-tool-results", "keep=1"), ("offload-large", "threshold_characters=400", "head-characters=100"))


def invoke(*args: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["compact", *map(str, args)], input=stdin)


@pytest.mark.parametrize("strategy", REMOVING)
def test_every_conversation_is_folded_and_keeps_what_it_must(strategy: str, tmp_path: Path) -> None:
    source, out = airline(tmp_path), tmp_path / "out.jsonl"
    before = source.read_bytes()
    assert invoke(source, "-o", out, "--strategy", strategy).exit_code == 0
    assert source.read_bytes() == before
    pairs = list(zip(load_all(source), load_all(out), strict=True))
    assert len(pairs) == 4
    for old, new in pairs:
        validate_messages(new.messages)
        assert new.id == old.id
        assert len(new.messages) < len(old.messages)
        assert exempt_forms(new.messages) == exempt_forms(old.messages)
        kept = [message for message in new.messages if frame_kind(message) is None]
        assert all(message in old.messages for message in kept)
        assert new.messages[-6:] == old.messages[-6:]


@pytest.mark.parametrize("strategy", CLEARING, ids=lambda strategy: strategy[0])
def test_results_are_cleared_in_their_place(strategy: tuple[str, ...], tmp_path: Path) -> None:
    source, out = airline(tmp_path), tmp_path / "out.jsonl"
    settings = [word for setting in strategy[1:] for word in ("--set", setting)]
    assert invoke(source, "-o", out, "--strategy", strategy[0], *settings).exit_code == 0
    for old, new in zip(load_all(source), load_all(out), strict=True):
        validate_messages(new.messages)
        changed = [(was, now) for was, now in zip(old.messages, new.messages, strict=True) if was != now]
        assert changed
        assert all(frame_kind(now) == "cleared-result" for _, now in changed)
        assert all(was.tool_call_id == now.tool_call_id and len(now.text) < len(was.text) for was, now in changed)
        assert "was not kept" in changed[0][1].text


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--set", "keep"), "'keep' is not OPTION=VALUE"),
        (("--set", "keep=x"), "keep is 'x'; write a whole number"),
        (("--set", "hope=1"), "clear-tool-results has no option hope; it has threshold_tokens, keep, exclude"),
        (("--keep-recent-turns", "2"), "--keep-recent-turns says nothing to clear-tool-results"),
    ],
)
def test_a_setting_that_makes_no_sense_says_so(args: tuple[str, ...], says: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    ran = foldproof("compact", airline(tmp_path), "-o", out, "--strategy", "clear-tool-results", *args)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert says in ran.stderr.decode()
    assert ran.stderr.count(b"\n") == 1
    assert not out.exists()


def test_the_record_says_what_left_and_what_stayed(tmp_path: Path) -> None:
    source, out = airline(tmp_path), tmp_path / "out.jsonl"
    ran = invoke(source, "-o", out, "--json")
    lines = json_lines(ran.stdout)
    for line, old, new in zip(lines, load_all(source), load_all(out), strict=True):
        assert list(line) == ["path", "conversation", "format", "output", "changed", "record"]
        record = WindowRecord.model_validate(line["record"])
        assert (record.messages_before, record.messages_after) == (len(old.messages), len(new.messages))
        assert record.tokens_after is not None
        assert record.tokens_before is not None
        assert record.tokens_after < record.tokens_before


def test_people_see_sizes_and_refusals(tmp_path: Path) -> None:
    source = airline(tmp_path, 1)
    (old,) = load_all(source)
    shown = invoke(source, "-o", tmp_path / "out.jsonl").stdout
    (new,) = load_all(tmp_path / "out.jsonl")
    assert f"{len(old.messages)} -> {len(new.messages)}" in shown
    assert "1 current-request" in shown
    assert shown.splitlines()[-1] == f"1 conversation, 1 folded, 0 unchanged; written to {tmp_path / 'out.jsonl'}"


def test_a_window_that_did_not_change_is_written_as_it_was_and_said_so(tmp_path: Path) -> None:
    source, out = airline(tmp_path), tmp_path / "out.jsonl"
    shown = invoke(source, "-o", out, "--threshold-tokens", "1000000").stdout
    assert out.read_bytes() == source.read_bytes()
    assert shown.count("not over 1,000,000") == 4
    assert "0 folded, 4 unchanged" in shown


def test_standard_output_gets_the_transcript_and_standard_error_the_record(tmp_path: Path) -> None:
    source, out = airline(tmp_path), tmp_path / "out.jsonl"
    foldproof("compact", source, "-o", out)
    piped = foldproof("compact", "-", "-o", "-", "--json", stdin=source.read_bytes())
    assert piped.returncode == 0
    assert piped.stdout == out.read_bytes()
    assert [line["output"] for line in json_lines(piped.stderr)] == ["-"] * 4


def test_what_is_written_can_be_folded_again(tmp_path: Path) -> None:
    source, once, twice = airline(tmp_path), tmp_path / "once.jsonl", tmp_path / "twice.jsonl"
    assert invoke(source, "-o", once).exit_code == 0
    assert invoke(once, "-o", twice, "--keep-recent-turns", "2").exit_code == 0
    for old, new in zip(load_all(source), load_all(twice), strict=True):
        assert exempt_forms(new.messages) == exempt_forms(old.messages)


@pytest.mark.parametrize("alias", ["itself", "symlink", "hard link"])
def test_the_input_is_not_overwritten_unless_asked(alias: str, tmp_path: Path) -> None:
    source, out = airline(tmp_path), tmp_path / "alias.jsonl"
    if alias == "symlink":
        out.symlink_to(source)
    elif alias == "hard link":
        os.link(source, out)
    else:
        out = source
    before = hashes(tmp_path)
    refused = invoke(source, "-o", out)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert hashes(tmp_path) == before
    shutil.copy(source, tmp_path / "copy.jsonl")
    assert invoke(source, "-o", out, "--force").exit_code == 0
    invoke(tmp_path / "copy.jsonl", "-o", tmp_path / "expected.jsonl")
    assert out.read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_when_anything_is_wrong_the_output_stays_as_it_was(tmp_path: Path) -> None:
    source = tmp_path / "half.jsonl"
    source.write_bytes(AIRLINE.read_bytes()[:100_000])
    (tmp_path / "out.jsonl").write_text("precious")
    before = hashes(tmp_path)
    ran = foldproof("compact", source, "-o", tmp_path / "out.jsonl")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert len(ran.stderr.splitlines()) == 1
    assert hashes(tmp_path) == before
    piped = foldproof("compact", source, "-o", "-")
    assert (piped.returncode, piped.stdout) == (2, b"")


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    source = chat(tmp_path, *INVENTING)
    before = hashes(tmp_path)
    for out in (tmp_path / "no such folder" / "out.json", tmp_path):
        ran = foldproof("compact", source, "-o", out)
        assert ran.returncode == 2
        assert len(ran.stderr.splitlines()) == 1
        assert str(out) in ran.stderr.decode()
    assert hashes(tmp_path) == before


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    assert foldproof("compact", chat(tmp_path, *INVENTING), "-o", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()


def test_the_format_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "session.json"
    rows = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"word {n} " * 20} for n in range(30)]
    source.write_text(json.dumps({"sessionId": "s1", "messages": rows, "kept": [1.10]}))
    assert invoke(source, "-o", tmp_path / "out.json", "--strategy", "token-budget").exit_code == 0
    written = json.loads((tmp_path / "out.json").read_text())
    assert (written["sessionId"], written["kept"]) == ("s1", [1.10])
    assert len(written["messages"]) < len(rows)


def test_with_an_archive_every_message_that_left_can_be_brought_back(tmp_path: Path) -> None:
    source, out, db = airline(tmp_path), tmp_path / "out.jsonl", tmp_path / "a.db"
    assert invoke(source, "-o", out, "--archive", db).exit_code == 0
    with SqliteArchive(db, read_only=True) as archive:
        for old, new in zip(load_all(source), load_all(out), strict=True):
            whole = [message for message in archive.history(new.messages) if frame_kind(message) is None]
            assert whole == list(old.messages)
            assert any("archived as" in message.text for message in new.messages)


@pytest.mark.parametrize("strategy", CLEARING, ids=lambda strategy: strategy[0])
def test_with_an_archive_a_cleared_result_can_be_brought_back(strategy: tuple[str, ...], tmp_path: Path) -> None:
    source, out, db = airline(tmp_path), tmp_path / "out.jsonl", tmp_path / "a.db"
    settings = [word for setting in strategy[1:] for word in ("--set", setting)]
    assert invoke(source, "-o", out, "--archive", db, "--strategy", strategy[0], *settings).exit_code == 0
    with SqliteArchive(db, read_only=True) as archive:
        for old, new in zip(load_all(source), load_all(out), strict=True):
            for was, now in zip(old.messages, new.messages, strict=True):
                assert was == now or tuple(archive.expand(now)) == (was,)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_what_was_folded_is_kept_also_where_the_output_fails(tmp_path: Path) -> None:
    source, db = airline(tmp_path), tmp_path / "a.db"
    ran = foldproof("compact", source, "-o", "/dev/full", "--archive", db)
    assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
    with SqliteArchive(db, read_only=True) as archive:
        assert len(archive.addresses()) == 4


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("run.json", "-o", "out.json", "--archive", "folder"), "is a folder"),
        (("run.json", "-o", "out.json", "--archive", "none/a.db"), "its folder does not exist"),
        (("run.json", "-o", "out.json", "--archive", "text.db"), "is no archive"),
        (("run.json", "-o", "out.json", "--archive", "-"), "DB is a file"),
        (("run.json", "-o", "out.json", "--archive", ":memory:"), "DB is a file, and not :memory:"),
        (("run.json", "-o", "out.json", "--set", 'retain="lineage"'), "--set retain is not needed"),
        (
            ("run.json", "-o", "out.json", "--archive", "a.db", "--set", 'retain="discard"'),
            "--set retain is not needed",
        ),
        (("run.json", "-o", "out.json", "--archive", "run.json"), "DB is PATH itself"),
        (("run.json", "-o", "new.json", "--archive", "./new.json"), "DB is OUT itself"),
        (("run.json", "-o", "out.json", "--archive", "a.db", "--strategy", "token-budget"), "keeps no originals"),
        (("none.json", "-o", "out.json", "--archive", "a.db"), "none.json"),
        (("text.db", "-o", "out.json", "--archive", "a.db"), "text.db"),
    ],
)
def test_an_archive_that_cannot_be_used_is_one_line_and_nothing_is_written(
    args: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    chat(tmp_path, *INVENTING)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("no archive " * 100)
    (tmp_path / "out.json").write_text("precious")
    before = hashes(tmp_path)
    ran = foldproof("compact", *args, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    (line,) = ran.stderr.decode().splitlines()
    assert says in line
    assert hashes(tmp_path) == before


def test_an_archive_that_is_locked_leaves_the_output_as_it_was(tmp_path: Path) -> None:
    source, out, db = airline(tmp_path, 1), tmp_path / "out.jsonl", tmp_path / "a.db"
    SqliteArchive(db).close()
    out.write_text("precious")
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ran = foldproof("compact", source, "-o", out, "--archive", db)
    assert (ran.returncode, ran.stdout) == (2, b"")
    (line,) = ran.stderr.decode().splitlines()
    assert "locked" in line
    assert "nothing was written" in line
    assert out.read_text() == "precious"
