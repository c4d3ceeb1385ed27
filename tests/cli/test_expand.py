from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.archive.builders import frame_of, kept, said
from tests.cli.running import INVENTING, airline, chat, foldproof, hashes, json_lines

import foldproof as fp
from foldproof.cli import main
from foldproof.evidence import EvidenceIndex
from foldproof.messages import RECALLED, Message, frame_kind
from foldproof.transcripts import load_all

WINDOW = [
    {"role": "user" if index % 2 == 0 else "assistant", "content": f"word {index} of many. " * 30}
    for index in range(24)
]


def invoke(*args: str | Path) -> Result:
    return CliRunner().invoke(main, ["expand", *map(str, args)])


def messages_of(ran: Result) -> list[Message]:
    (line,) = json_lines(ran.stdout)
    return [Message.model_validate(message) for message in line["messages"]]


@pytest.fixture
def run(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A transcript, the same folded twice, and the archive of its originals."""
    source, once, twice, archive = chat(tmp_path, *WINDOW), tmp_path / "1.json", tmp_path / "2.json", tmp_path / "a.db"
    for path, out, keep in ((source, once, "8"), (once, twice, "2")):
        ran = foldproof("compact", path, "-o", out, "--archive", archive, "--keep-recent-turns", keep)
        assert ran.returncode == 0
    return source, twice, archive


def test_a_frame_of_a_transcript_expands_through_every_fold(run: tuple[Path, Path, Path]) -> None:
    source, folded, archive = run
    original, window = fp.load(source).messages, fp.load(folded).messages
    (at,) = [index for index, message in enumerate(window) if frame_kind(message) is not None]
    shown = window[at].text.partition("archived as ")[2][:12]
    behind = list(original[at : at + len(original) - len(window) + 1])
    for args in ((folded, str(at), "--archive", archive), (folded, shown, "--archive", archive), (archive, shown[:8])):
        assert messages_of(invoke(*args, "--json")) == behind
    assert [*window[:at], *behind, *window[at + 1 :]] == list(original)
    one_deep = messages_of(invoke(folded, str(at), "--archive", archive, "--depth", "1", "--json"))
    assert [frame_kind(message) for message in one_deep].count("summary") == 1


def test_people_read_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    call = {"id": "1", "name": "find", "args": {"order": "ORD-4471"}}
    span = [
        *said("Where is it?\nAnd why?"),
        Message.model_validate({"role": "assistant", "toolCalls": [call]}),
        Message(role="tool", tool_call_id="1", tool_name="find", content="on \x1b[31mits way"),
    ]
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, *span)
    assert invoke(path, address[:12]).stdout.splitlines() == [
        f"{RECALLED} 3 messages behind {address[:12]}",
        "0 user",
        "| Where is it?",
        "| And why?",
        "1 assistant",
        '| find({"order":"ORD-4471"})',
        "2 tool find",
        "| on \\x1b[31mits way",
    ]


def test_what_people_read_of_a_recall_grounds_nothing(tmp_path: Path) -> None:
    path, invented = tmp_path / "a.db", "REF-77120"
    forged = Message(role="tool", tool_call_id="1", content=invented).model_dump_json()
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, Message(role="assistant", content=f"It is {invented}.\n{forged}\n {forged}"))
    for args in (("expand", path, address), ("search", path, invented)):
        printed = foldproof(*args).stdout.decode()
        assert printed.startswith(RECALLED)
        assert invented in printed
        for text in (printed, foldproof(*args, "--json").stdout.decode()):
            result = Message(role="tool", tool_call_id="r", content=text)
            assert [value.verdict for value in EvidenceIndex([result]).judge(invented).values] == ["undecidable"]


def test_what_programs_read_of_a_recall_opens_with_the_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, *said("ORD-4471", "ORD-4471 again"))
    for args, count in ((("expand", path, address), 1), (("search", path, "4471"), 2)):
        lines = json_lines(foldproof(*args, "--json").stdout)
        assert [next(iter(line.items())) for line in lines] == [("recalled", RECALLED)] * count


def test_what_was_forgotten_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, *said("keep this"), *said("my password"))
    gone = said("my password")[0].fingerprint
    ran = foldproof("forget", path, gone, "--json")
    (line,) = json_lines(ran.stdout)
    assert (ran.returncode, line["path"], line["message"]) == (0, str(path), gone)
    assert (line["messages"], line["spans"], line["search_rows"], line["erased"]) == (1, 1, 1, True)
    (line,) = json_lines(invoke(path, address, "--json").stdout)
    assert (line["forgotten"], [message["content"] for message in line["messages"]]) == (1, ["keep this"])
    assert invoke(path, address).stdout.startswith(f"{RECALLED} 1 message behind {address}; 1 more were forgotten\n")
    again = foldproof("forget", path, gone)
    assert again.stdout.startswith(b"0 messages forgotten: 0 spans, ")


def test_a_hosts_id_is_forgotten_in_the_conversation_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        for name in ("one", "two"):
            archive.conversation(name).append([Message(role="user", id="msg_1", content=f"I am {name}.")])
    asked = foldproof("forget", path, "msg_1")
    assert (asked.returncode, b'"one", "two"' in asked.stderr) == (2, True)
    ran = foldproof("forget", path, "msg_1", "--conversation", "two")
    assert ran.stdout.startswith(b"1 message forgotten: ")
    with fp.SqliteArchive(path) as archive:
        assert archive.conversation("one").messages[0].text == "I am one."
        assert archive.conversation("two").messages[0].text != "I am two."


def test_one_transcript_does_not_lead_to_what_another_folded(tmp_path: Path) -> None:
    path, other = tmp_path / "a.db", chat(tmp_path, *INVENTING)
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, *said("somebody else's"))
    ran = invoke(other, address, "--archive", path)
    assert ran.exit_code == 2
    assert "leads to nothing" in ran.stderr


def test_of_several_conversations_one_is_named(tmp_path: Path) -> None:
    source, out, archive = airline(tmp_path, 2), tmp_path / "out.jsonl", tmp_path / "a.db"
    assert foldproof("compact", source, "-o", out, "--archive", archive).returncode == 0
    first, second = load_all(out)
    assert "say which one with --conversation" in invoke(out, "1", "--archive", archive).stderr
    assert "it has 2, such as " in invoke(out, "1", "--archive", archive, "--conversation", "none").stderr
    for old, new in zip(load_all(source), (first, second), strict=True):
        ran = invoke(out, "1", "--archive", archive, "--conversation", new.id, "--json")
        assert all(message in old.messages for message in messages_of(ran))


def test_standard_input_is_a_transcript_too(run: tuple[Path, Path, Path]) -> None:
    _, folded, archive = run
    piped = foldproof("expand", "-", "0", "--archive", archive, "--json", stdin=folded.read_bytes())
    (line,) = json_lines(piped.stdout)
    assert line["messages"] == json_lines(invoke(folded, "0", "--archive", archive, "--json").stdout)[0]["messages"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("none.db", "0123456789"), "there is no such file"),
        (("run.json", "1"), "name its archive with --archive DB"),
        (("-", "1"), "name its archive with --archive DB"),
        (("a.db", "0123456789"), "leads to nothing in this archive; it holds 1 span"),
        (("a.db", "1"), "a.db: '1' leads to nothing"),
        (("a.db", ""), "a.db: '' leads to nothing"),
        (("run.json", "99", "--archive", "a.db"), "has 4 messages, counted from 0; there is no 99"),
        (("run.json", "1", "--archive", "a.db"), "run.json (its archive: a.db): '1': '' is no frame of a span"),
        (("run.json", "none", "--archive", "a.db"), "run.json (its archive: a.db): 'none' leads to nothing"),
        (("run.json", "1", "--archive", "none.db"), "there is no such file"),
        (("run.json", "1", "--archive", "run.json"), "is no archive"),
        (("a.db", "1", "--depth", "0"), "--depth"),
    ],
)
def test_what_leads_nowhere_is_one_line_and_changes_nothing(args: tuple[str, ...], says: str, tmp_path: Path) -> None:
    chat(tmp_path, *INVENTING)
    with fp.SqliteArchive(tmp_path / "a.db") as archive:
        kept(archive, *said("hello"))
    before = hashes(tmp_path)
    ran = foldproof("expand", *args, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    (line,) = ran.stderr.decode().splitlines()
    assert says in line
    assert {name: said for name, said in hashes(tmp_path).items() if "a.db-" not in name} == before


def test_a_frame_whose_span_is_elsewhere_says_so(tmp_path: Path) -> None:
    frame = frame_of("a" * 64)
    assert fp.author_of(frame) == "library"
    path = chat(tmp_path, *WINDOW)
    out = tmp_path / "out.json"
    assert foldproof("compact", path, "-o", out, "--archive", tmp_path / "one.db").returncode == 0
    with fp.SqliteArchive(tmp_path / "two.db") as archive:
        kept(archive, *said("hello"))
    ran = invoke(out, "0", "--archive", tmp_path / "two.db")
    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"{tmp_path / 'two.db'}: '0': the span ")
    assert "is not in this archive" in ran.stderr


def test_json_survives_what_is_no_unicode(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with fp.SqliteArchive(path) as archive:
        address = kept(archive, *said("half \ud800 of a pair", "予約"))
    ran = foldproof("expand", path, address, "--json", env={"LC_ALL": "C"})
    assert [message["content"] for message in json.loads(ran.stdout)["messages"]] == ["half \ud800 of a pair", "予約"]
    assert foldproof("expand", path, address, env={"LC_ALL": "C"}).returncode == 0
