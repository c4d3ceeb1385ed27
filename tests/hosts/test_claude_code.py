"""The hooks of the Claude Code plug-in, run with the events that Claude Code sends; as processes where that matters."""

from __future__ import annotations

import asyncio
import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from tests.hosts.claude_code_session import ENTRY, Session, ended

import foldproof as fp
from foldproof_compactors import claude_code

ROOT = Path(__file__).parents[2]

INVOICE = '{"order": "A-48213", "total": "190.00", "due": "2026-06-01", "file": "/srv/billing/july.csv"}'
HONEST = "The person asked about order A-48213. Its total is $190.00, due June 1, 2026; see /srv/billing/july.csv."
SYSTEM = "This was done in {project} on 2026-05-04 with session 0a0a1bcf."


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session of 36 calls, in which every third step has two of them at once, and one request still open."""
    made = Session(tmp_path)
    made.say("What is due for order A-48213?")
    made.call(("Read", {"file_path": "/srv/billing/july.csv"}, INVOICE))
    made.answer("$190.00 is due on June 1.")
    made.say("Now check every delivery of ticket T-60417.")
    for day in range(1, 27):
        call = ("Bash", {"command": f"track {day}"}, f"parcel PX-{70_000 + 37 * day} left on 2026-04-{day:02d}")
        more = ("Bash", {"command": f"weigh {day}"}, f"{day}.75 kg") if day % 3 == 0 else None
        made.call(*([call] if more is None else [call, more]))
    made.answer("PX-70962 is the last one; I compare it with the list next.")
    made.write()
    return made


def compacted(session: Session, summary: str) -> tuple[str, str]:
    """Let every hook of a compaction run, and return what the person and what the model is told of it."""
    assert session.hook(session.event("PreCompact", trigger="auto", custom_instructions=None)) == ("", "")
    session.hook(session.event("PostCompact", trigger="auto", compact_summary=summary))
    model = session.told(session.event("SessionStart", source="compact"))
    person = session.told(session.event("UserPromptSubmit", prompt="go on"))
    assert "systemMessage" not in model
    assert set(person) == {"systemMessage"}
    assert model["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return person["systemMessage"], model["hookSpecificOutput"]["additionalContext"]


def test_a_start_waits_in_its_process_for_what_the_others_find(session: Session) -> None:
    assert session.process(session.event("PreCompact", trigger="auto", custom_instructions=None)) == ("", "")
    waiting = session.started(session.event("SessionStart", source="compact"))
    summary = HONEST.replace("A-48213", "A-48218")
    session.process(session.event("PostCompact", trigger="auto", compact_summary=summary))
    model = json.loads(ended(waiting)[0])
    person = json.loads(session.process(session.event("UserPromptSubmit", prompt="go on"))[0])
    assert "A-48218 (near A-48213)" in model["hookSpecificOutput"]["additionalContext"]
    assert set(model) == {"hookSpecificOutput"}
    assert "A-48218 (near A-48213)" in person["systemMessage"]
    assert set(person) == {"systemMessage"}


@pytest.mark.parametrize(
    ("honest", "lie", "near"),
    [
        ("A-48213", "A-48218", "A-48213"),
        ("$190.00", "$195.00", None),
        ("/srv/billing/july.csv", "/srv/billing/june-final.csv", None),
        ("June 1, 2026", "June 11, 2026", None),
    ],
)
def test_a_value_that_a_summary_invented_is_named_to_person_and_model(
    session: Session, honest: str, lie: str, near: str | None
) -> None:
    person, model = compacted(session, f"<analysis>{lie}?</analysis><summary>{HONEST.replace(honest, lie)}</summary>")
    for said in (person, model):
        named = re.search(r"Nothing in the session said: (.*?)\.(?:\n| Values)", said)
        assert named is not None, said
        assert re.sub(r" \(near [^)]*\)", "", named[1]) == lie
        assert near is None or f"(near {near})" in named[1]
    assert "said by nobody: 1" in person


def test_an_honest_summary_is_not_accused(session: Session) -> None:
    person, model = compacted(session, f"{HONEST} {SYSTEM.format(project=session.project)}")
    assert "said by nobody: 0" in person
    assert "Nothing in the session said" not in person + model


def test_what_the_open_work_needs_and_the_summary_left_out_is_named(session: Session) -> None:
    for said in compacted(session, HONEST):
        lost = re.search(r"does not state: (.*?)\.(?:\n| |$)", said)
        assert lost is not None
        assert {"T-60417", "PX-70962"} <= set(lost[1].split(", "))
    kept = f"{HONEST} Ticket T-60417 is open, and PX-70962 was the last parcel."
    person, _ = compacted(session, kept)
    assert "T-60417" not in person
    assert "PX-70962" not in person


def test_what_the_model_is_told_grounds_nothing_that_it_names(session: Session) -> None:
    _, model = compacted(session, HONEST.replace("A-48213", "A-48218"))
    assert "A-48218" in model
    session.attach(
        type="async_hook_response",
        hookEvent="SessionStart",
        response={"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": model}},
    )
    session.attach(type="hook_additional_context", hookEvent="UserPromptSubmit", content=[model])
    session.say("go on")
    session.write()
    (value,) = fp.EvidenceIndex(fp.load(session.path).messages).judge("It is order A-48218.").values
    assert value.verdict == "invented"


def test_what_post_compact_prints_becomes_the_apps_word_and_names_no_value(session: Session) -> None:
    lie = HONEST.replace("A-48213", "A-48218")
    printed, _ = session.hook(session.event("PostCompact", trigger="manual", compact_summary=lie))
    assert re.fullmatch(r"foldproof: values .*: \d+, said by nobody: 1, missing of the open work: \d+\n", printed)


def test_the_originals_are_in_the_archive_before_the_summary_is_written(session: Session) -> None:
    session.hook(session.event("PreCompact", trigger="manual"))
    with fp.SqliteArchive(archive_of(session)) as archive:
        (hit,) = archive.search("A-48213 190.00")
        assert hit.message.text == INVOICE
        assert archive.expand(hit.address) == fp.load(session.path).messages


def test_what_is_written_while_claude_compacts_is_archived_too(session: Session) -> None:
    session.hook(session.event("PreCompact", trigger="auto"))
    session.call(("Bash", {"command": "last"}, "late parcel PX-99001"))
    session.write()
    session.hook(session.event("PostCompact", trigger="auto", compact_summary=HONEST))
    with fp.SqliteArchive(archive_of(session)) as archive:
        assert "late parcel PX-99001" in [hit.message.text for hit in archive.search("PX-99001")]


def test_only_the_person_may_read_what_is_kept(session: Session) -> None:
    compacted(session, "order Z-99173")
    folder = archive_of(session).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert not list(session.project.iterdir())


def test_a_second_compaction_is_judged_against_everything_that_was_said_and_no_summary(session: Session) -> None:
    last = session.rows[-1]
    compacted(session, HONEST)
    session.compacted(f"{HONEST} It mentions code ZX-11111.", kept=[last])
    session.say("And order B-77120?")
    session.write()
    summary = "A-48213 is $190.00. PX-70962 was the last, PX-70037 the first, code ZX-11111. Open: B-77120. T-6041."
    person, _ = compacted(session, summary)
    named = re.search(r"Nothing in the session said: (.*)\.\n", person)
    assert named is not None
    assert re.sub(r" \(near [^)]*\)", "", named[1]).split(", ") == ["ZX-11111", "T-6041"]  # and T-60417 was


def test_what_an_earlier_summary_says_is_believed_where_its_originals_are_gone(session: Session) -> None:
    session.compacted(f"{HONEST} It mentions code ZX-11111.")
    session.rows = session.rows[-2:]
    session.say("And order B-77120?")
    session.write()
    person, _ = compacted(session, "Order A-48213, code ZX-11111. Open: B-77120. C-30303.")
    assert "Nothing in the session said: C-30303" in person
    assert "ZX-11111" not in person


def test_two_compactions_without_a_prompt_between_are_both_told(session: Session) -> None:
    for lie in ("Z-99173", "Z-55821"):
        session.hook(session.event("PostCompact", trigger="auto", compact_summary=f"Order {lie}."))
    told = session.told(session.event("UserPromptSubmit", prompt="go on"))
    assert "Z-99173" in told["systemMessage"]
    assert "Z-55821" in told["systemMessage"]
    assert "Z-55821" in told["hookSpecificOutput"]["additionalContext"]
    assert session.told(session.event("UserPromptSubmit", prompt="go on")) == {}


def test_two_hooks_at_once_keep_the_session_whole(session: Session) -> None:
    for process in [session.started(session.event("PreCompact", trigger="auto")) for _ in range(2)]:
        assert ended(process) == ("", "")
    with fp.SqliteArchive(archive_of(session)) as archive:
        (address,) = archive.addresses()
        assert archive.expand(address) == fp.load(session.path).messages


def test_what_claude_was_told_beside_the_session_is_not_called_invented(session: Session) -> None:
    (session.project / "CLAUDE.md").write_text("Deploy to host rack-7741 with build 2026.11.3.\n")
    session.home.mkdir()
    (session.home / "CLAUDE.md").write_text("My ticket queue is QUEUE-4410.\n")
    session.attach(type="nested_memory", path="/srv/CLAUDE.md", content={"content": "Port 48080."})
    session.write()
    person, _ = compacted(session, "Deploy build 2026.11.3 to rack-7741, port 48080; queue QUEUE-4410.")
    assert "said by nobody: 0" in person


def test_what_only_the_model_thought_is_not_called_invented(session: Session) -> None:
    thought = {"type": "thinking", "thinking": "Perhaps it is GX-5511.", "signature": "s"}
    row = session.answer("I look.")
    row["message"]["content"].insert(0, thought)
    session.write()
    assert "said by nobody: 0" in compacted(session, "Perhaps it is GX-5511.")[0]


def test_a_path_is_said_where_a_listing_says_its_folder_and_its_file_apart(session: Session) -> None:
    session.call(("LS", {"path": "/srv"}, "- /srv/\n  - app2/\n    - orders.py\n  - logs/"))
    session.write()
    assert "said by nobody: 0" in compacted(session, "Next: /srv/app2/orders.py:12.")[0]
    person, _ = compacted(session, "Next: /srv/app2/invoices.py.")
    assert re.search(r"Nothing in the session said: \S*app2/invoices\.py", person)


def test_nobody_is_accused_where_the_model_saw_a_picture(session: Session) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    session.call(("Read", {"file_path": "/srv/shot.png"}, [picture]))
    session.write()
    person, _ = compacted(session, "The picture shows order Z-99173.")
    assert "said by nobody: 0" in person
    assert "Not decided, because not all of the session could be read: Z-99173." in person


def test_nobody_is_accused_where_the_last_row_is_half_written(session: Session) -> None:
    session.write(tail='{"type":"user","uuid":"x","message":{"role":"user","content":"Order Z-99')
    person, _ = compacted(session, "Order Z-99173.")
    assert "Not decided, because not all of the session could be read: Z-99173." in person
    assert f"{len(fp.load(session.path).messages)} messages are archived" in person


def test_a_sub_agents_rows_are_archived_and_are_no_part_of_the_window(session: Session) -> None:
    before = len(fp.load(session.path).messages)
    session.say("Find parcel QQ-12345.", isSidechain=True, agentId="a1")
    session.rows[-1]["parentUuid"] = None
    session.answer("It is in hall H-889.", isSidechain=True, agentId="a1")
    session.write()
    person, _ = compacted(session, HONEST)
    assert f"{before} messages are archived" in person
    with fp.SqliteArchive(archive_of(session)) as archive:
        assert archive.search("H-889")


def test_paths_may_hold_spaces_and_any_letters(tmp_path: Path) -> None:
    folder = tmp_path / "my prójects 項目"
    folder.mkdir()
    session = Session(folder)
    session.say("Order A-48213?")
    session.write()
    person, _ = compacted(session, "Order A-48213.")
    assert "said by nobody: 0" in person
    assert archive_of(session).is_file()


def archive_of(session: Session) -> Path:
    (found,) = session.home.glob("foldproof/*/archive.db")
    return found


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact"])
@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (None, "No such file"),
        ("", "session.jsonl"),
        ("half a row {", "session.jsonl"),
        ('{"type": "nothing known"}\n', "session.jsonl"),
    ],
)
def test_a_session_that_cannot_be_read_is_said_and_blocks_nothing(
    tmp_path: Path, event: str, content: str | None, cause: str
) -> None:
    session = Session(tmp_path, name="session")
    if content is not None:
        session.path.write_text(content)
    run = session.process if content is None else session.hook
    out, err = run(session.event(event, trigger="auto", compact_summary=HONEST))
    assert err.startswith(f"foldproof: {event}: ")
    assert cause in err
    assert out == ("" if event == "PreCompact" else err)
    assert err.strip() in (archive_log(session)).read_text()
    assert session.told(session.event("UserPromptSubmit"))["systemMessage"] == err.strip()


def archive_log(session: Session) -> Path:
    (found,) = session.home.glob("foldproof/*/hook.log")
    return found


@pytest.mark.parametrize("given", ["", "no JSON", "[]", "null", '"PreCompact"', "\ufeff{"])
def test_what_is_no_event_is_said_and_blocks_nothing(session: Session, given: str) -> None:
    out, err = session.process(given)
    assert out == ""
    assert err.startswith("foldproof: hook: ")


@pytest.mark.parametrize("missing", ["transcript_path", "compact_summary"])
def test_an_event_that_lacks_a_field_says_which(session: Session, missing: str) -> None:
    event = session.event("PostCompact", compact_summary=HONEST)
    del event[missing]
    _, err = session.hook(event)
    assert f"{missing} is None in the event" in err


@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "Stop"},
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "SessionStart", "source": "resume"},
        {"hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": "PostCompact", "agent_id": "a1", "compact_summary": "Order Z-99173."},
        {"hook_event_name": 7},
        {},
    ],
)
def test_an_event_that_asks_for_nothing_gets_nothing(session: Session, event: dict[str, object]) -> None:
    assert session.process(session.event("") | event) == ("", "")
    assert not session.home.exists()


def test_without_a_folder_to_write_to_the_summary_is_judged_all_the_same(session: Session) -> None:
    session.home.write_text("a file stands where the folder would be")
    out, err = session.hook(session.event("PreCompact", trigger="auto"))
    assert out == ""
    assert "NotADirectoryError" in err or "FileExistsError" in err
    out, _ = session.hook(session.event("PostCompact", trigger="manual", compact_summary="Order Z-99173."))
    assert "said by nobody: 1" in out
    assert "Error" in out
    assert session.hook(session.event("SessionStart", source="compact")) == ("", "")


def test_a_start_without_a_note_ends_when_its_time_is_over(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_code, "WAIT_SECONDS", 0.0)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(session.home))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    claude_code.folder_of(str(session.project)).mkdir(parents=True)
    assert claude_code.respond(session.event("SessionStart", source="compact")) is None


def test_a_prompt_without_a_note_loads_nothing_of_the_library() -> None:
    code = "import sys, foldproof_compactors.claude_code; sys.exit('foldproof' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own module


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_claude_finds_the_originals_over_mcp_that_are_archived_after_the_server_started(session: Session) -> None:
    command, *arguments = ENTRY
    server = StdioServerParameters(command=command, args=[*arguments, "recall"], env=session.environment)

    async def talk() -> tuple[set[str], str, str]:
        async with Client(server, read_timeout_seconds=60) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            await asyncio.to_thread(session.process, session.event("PreCompact", trigger="auto"))
            with fp.SqliteArchive(archive_of(session), read_only=True) as archive:
                (address,) = archive.addresses()
            found = await client.call_tool("recall_search", {"query": "july.csv total"})
            opened = await client.call_tool("recall_expand", {"frame": address[:12]})
            return tools, text_of(found), text_of(opened)

    tools, found, opened = asyncio.run(talk())
    assert tools == {"recall_search", "recall_expand"}
    assert json.dumps(INVOICE)[1:-1] in found
    assert "What is due for order A-48213?" in opened


def test_the_example_says_what_its_page_shows() -> None:
    example = ROOT / "examples" / "hosts" / "with_claude_code.py"
    assert len(example.read_text().splitlines()) < 40
    printed = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=True)  # noqa: S603
    assert f"```text\n{printed.stdout}```" in (ROOT / "docs" / "hosts" / "claude_code.md").read_text()
