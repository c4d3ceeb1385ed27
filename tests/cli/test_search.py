from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.archive.builders import frame_of, kept, said
from tests.cli.running import airline, foldproof, hashes, json_lines

import foldproof as fp
from foldproof.cli import main
from foldproof.messages import RECALLED, Message, message_id
from foldproof.transcripts import load_all


def invoke(*args: str | Path) -> Result:
    return CliRunner().invoke(main, ["search", *map(str, args)])


def test_what_was_folded_is_found_with_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, *said("hello", "order ORD-4471 left"))
    (line,) = json_lines(invoke(path, "4471", "--json").stdout)
    (message,) = said("order ORD-4471 left")
    assert list(line) == ["recalled", "path", "address", "position", "id", "rank", "snippet", "message"]
    assert (line["address"], line["position"], line["id"]) == (address, 1, message_id(message))
    assert Message.model_validate(line["message"]) == message
    shown = invoke(path, "4471").stdout
    assert f"{address[:12]}   1" in shown
    assert "order ORD-4471 left" in shown
    assert shown.splitlines()[0] == f"{RECALLED} 1 message found"
    assert invoke(path, "nothing like this").stdout == f"{RECALLED} 0 messages found\n"
    assert invoke(path, "nothing like this", "--json").stdout == ""


def test_of_an_archive_that_is_shared_a_transcript_sees_its_own(tmp_path: Path) -> None:
    source, out, archive = airline(tmp_path, 3), tmp_path / "out.jsonl", tmp_path / "a.db"
    assert foldproof("compact", source, "-o", out, "--archive", archive).returncode == 0
    only = tmp_path / "one.jsonl"
    only.write_bytes(out.read_bytes().splitlines(keepends=True)[0])
    own = {message_id(message) for message in next(load_all(source)).messages}
    everything = json_lines(invoke(archive, "user", "--limit", "500", "--json").stdout)
    narrow = json_lines(invoke(only, "user", "--archive", archive, "--limit", "500", "--json").stdout)
    assert {line["id"] for line in narrow} == {line["id"] for line in everything} & own
    assert len(narrow) < len(everything)
    piped = foldproof("search", "-", "user", "--archive", archive, "--limit", "2", "--json", stdin=only.read_bytes())
    assert [line["id"] for line in json_lines(piped.stdout)] == [line["id"] for line in narrow[:2]]


def test_what_stands_behind_a_frame_in_a_span_is_a_transcripts_own_too(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        inner = kept(archive, *said("the needle"))
        outer = kept(archive, frame_of(inner), *said("hay"))
        with fp.narrowed(archive, [frame_of(outer)]) as own:
            assert [hit.address for hit in own.search("needle")] == [inner]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("none.db", "x"), "there is no such file"),
        (("text.txt", "x"), "name its archive with --archive DB"),
        (("-", "x"), "name its archive with --archive DB"),
        (("text.txt", "x", "--archive", "a.db"), "text.txt"),
        (("a.db", "x", "--limit", "0"), "--limit"),
        (("a.db",), "QUERY"),
    ],
)
def test_what_cannot_be_searched_is_one_line_and_changes_nothing(
    args: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("no transcript")
    with fp.SqliteArchive(tmp_path / "a.db") as archive:
        kept(archive, *said("hello"))
    before = hashes(tmp_path)
    ran = foldproof("search", *args, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    (line,) = ran.stderr.decode().splitlines()
    assert says in line
    assert hashes(tmp_path) == before


@pytest.mark.parametrize("query", ['"', "*", "a AND", "NEAR(", "-x", "\\", "予約", "%"])
def test_whatever_is_looked_for_is_data(query: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        kept(archive, *said("hello"))
    ran = foldproof("search", path, "--json", "--", query)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
