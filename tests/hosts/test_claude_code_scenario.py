"""The long run of every host as a session of Claude Code, compacted again and again with the hooks around it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.claude_code_session import Session
from tests.hosts.scenario import (
    ANSWER,
    EXPECTED,
    THRESHOLD,
    TURNS,
    Run,
    answer_to,
    conversation,
    input_tokens,
    verdicts,
)

import foldproof as fp
from foldproof.messages import frame_kind
from foldproof.window import ExtractiveSummarizer, SummaryRequest


def test_the_run_is_compacted_honestly_and_its_last_answer_is_judged_rightly(tmp_path: Path) -> None:
    session, told = played(tmp_path)
    assert len(told) >= 3
    assert [one for one in told if "said by nobody: 0" not in one] == []
    ledger = fp.load(session.path).messages
    assert [one.text for one in ledger if one.role == "tool"] == [
        one.text for one in conversation() if one.role == "tool"
    ]
    assert judged(ledger) == EXPECTED


def test_the_last_answer_is_judged_rightly_from_the_archive_once_the_old_rows_are_gone(tmp_path: Path) -> None:
    session, _ = played(tmp_path)
    (path,) = session.home.glob("foldproof/*/archive.db")
    boundaries = [at for at, row in enumerate(session.rows) if row.get("subtype") == "compact_boundary"]
    session.rows = session.rows[boundaries[-1] :]
    session.write()
    left = fp.load(session.path).messages
    assert judged(left)["A-77190"] == "undecidable"
    with fp.SqliteArchive(path, read_only=True) as archive:
        originals = [one for address in archive.addresses() for one in archive.expand(address)]
    assert judged([one for one in (*originals, *left) if frame_kind(one) is None]) == EXPECTED


def test_a_summary_of_the_run_that_states_the_invented_order_is_found_out(tmp_path: Path) -> None:
    _, (told,) = played(tmp_path, lie=" Order A-77190 was delivered.", most=1)
    assert "A-77190" in told
    assert "said by nobody: 1" in told


def played(folder: Path, *, lie: str = "", most: int = 99) -> tuple[Session, list[str]]:
    """Play the run, compact it whenever it outgrows a window; return the session, and what the person was told.

    It ends after the last turn, or when it was compacted `most` times.
    """
    session, told = Session(folder), []
    for turn in TURNS:
        session.say(turn.request)
        for step in turn.steps:
            if step.calls:
                session.call(*((call.name, call.arguments, answer_to(call)) for call in step.calls), text=step.text)
            else:
                session.answer(step.text)
            session.write()
            window = window_of(session)
            if input_tokens(window) > THRESHOLD and step.text != ANSWER:
                summary = ExtractiveSummarizer()(window, SummaryRequest(iteration=1, model="x", max_characters=3_000))
                told.append(compact(session, summary + lie))
                if len(told) == most:
                    return session, told
    return session, told


def window_of(session: Session) -> tuple[fp.Message, ...]:
    messages = fp.load(session.path).messages
    frames = [at for at, one in enumerate(messages) if frame_kind(one) is not None]
    return messages[frames[-1] :] if frames else messages


def compact(session: Session, summary: str) -> str:
    assert session.hook(session.event("PreCompact", trigger="auto")) == ("", "")
    session.hook(session.event("PostCompact", trigger="auto", compact_summary=summary))
    session.compacted(summary)
    session.write()
    return json.dumps(session.told(session.event("UserPromptSubmit", prompt="")), ensure_ascii=False)


def judged(kept: list[fp.Message] | tuple[fp.Message, ...]) -> dict[str, str]:
    return verdicts(Run(requests=(), answers=(ANSWER,), kept=tuple(kept), provider="anthropic"))
