"""ADK's own Runner over the long run: with the plugin, the filter and the summarizer."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from google.adk.apps.app import EventsCompactionConfig
from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types
from tests.hosts.google_adk_runs import (
    APP,
    OLDEST,
    RUNS,
    SESSION,
    USER,
    FollowsTheScript,
    asked,
    folded,
    runner_of,
)
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import ANSWER, EXPECTED, THRESHOLD, TURNS, faults, outcome

import foldproof as fp
from foldproof.messages import frames_of
from foldproof.window import history
from foldproof_compactors.google_adk import CompactorEventsSummarizer, CompactorPlugin

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")  # ADK's own

OURS = [name for name in RUNS if name.startswith("foldproof")]


@pytest.mark.parametrize("name", OURS)
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest


@pytest.mark.parametrize("name", [name for name in RUNS if not name.startswith("foldproof")])
def test_the_frameworks_own_runs_come_to_an_end(name: str) -> None:
    assert len(RUNS[name]().answers) == len(TURNS)


@pytest.mark.parametrize("strategy", [OLDEST, fp.ClearToolResults(THRESHOLD)])
def test_the_plugin_acts_on_what_the_model_reported(strategy: fp.SummarizeOldest | fp.ClearToolResults) -> None:
    plugin, _ = folded(strategy)
    records = [record for record in plugin.hosted.records if record.outcome == "complete"]
    assert len(records) >= 2
    assert all(record.window is not None and record.window.measured_by == "reported" for record in records)


async def _two_processes() -> None:
    model, plugin, sessions = FollowsTheScript(), CompactorPlugin(OLDEST), InMemorySessionService()
    first = runner_of(model, [plugin], sessions=sessions)
    for turn in TURNS[:3]:
        await asked(first, turn.request)
    session = await sessions.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    assert session is not None
    stored = Session.model_validate_json(session.model_dump_json(by_alias=True))
    contents = [event.content for event in stored.events if event.content is not None]
    saved = plugin.hosted.state(contents).model_dump_json(by_alias=True)

    elsewhere = CompactorPlugin(OLDEST)
    elsewhere.hosted.restore(fp.ConversationState.model_validate_json(saved))
    again = InMemorySessionService()
    created = await again.create_session(app_name=APP, user_id=USER, session_id=SESSION)
    for event in stored.events:
        await again.append_event(created, event)
    second = runner_of(model, [elsewhere], sessions=again)
    assert await asked(second, TURNS[3].request) == ANSWER
    assert len(frames_of(model.script.requests[-3])) >= 1
    for request in model.script.requests:
        fp.validate_for("gemini", request)


def test_a_session_and_a_state_that_were_saved_go_on_in_another_process() -> None:
    asyncio.run(_two_processes())


async def _summarized() -> tuple[CompactorEventsSummarizer, Session]:
    model, sessions = FollowsTheScript(), InMemorySessionService()
    summarizer = CompactorEventsSummarizer(fp.SummarizeOldest(0, 1))
    config = EventsCompactionConfig(summarizer=summarizer, token_threshold=THRESHOLD, event_retention_size=4)
    runner = runner_of(model, (), config, sessions)
    for turn in TURNS:
        await asked(runner, turn.request)
    session = await sessions.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    assert session is not None
    return summarizer, session


def test_a_compaction_event_names_what_it_stands_for_and_the_saved_format_reads_it() -> None:
    summarizer, session = asyncio.run(_summarized())
    written = [event for event in session.events if event.actions.compaction is not None]
    assert len(written) == sum(record.outcome == "complete" for record in summarizer.hosted.records) >= 2
    by_id = {event.id: event for event in session.events}
    for event in written:
        compaction, noted = event.actions.compaction, event.custom_metadata
        assert compaction is not None
        assert noted is not None
        spanned = [by_id[one] for one in noted["foldproof"]["folded_events"] if one in by_id]
        assert spanned
        assert all(compaction.start_timestamp <= one.timestamp <= compaction.end_timestamp for one in spanned)
        assert not any(one.content and _is_person(one) for one in spanned if _is_last_request(one))
    saved = json.loads(session.model_dump_json(by_alias=True, exclude_none=True))
    read = fp.parse(saved, format="google_adk", strict=True)
    ledger = [message for message in history(read.messages, read.folded) if message.text != ANSWER]
    judged = fp.EvidenceIndex(ledger).judge(ANSWER).values
    found = {name: value.verdict for name in EXPECTED for value in judged if name in value.text}
    assert found == dict(EXPECTED)


def _is_person(event: Event) -> bool:
    return event.author == "user"


def _is_last_request(event: Event) -> bool:
    parts = event.content.parts or [] if event.content else []
    return any(part.text == TURNS[-1].request for part in parts)


def _events() -> list[Event]:
    events = []
    for at in range(5):
        call = types.FunctionCall(id=f"c{at}", name="find", args={"n": at})
        said = types.FunctionResponse(id=f"c{at}", name="find", response={"result": f"A-{at}4213 " + "words " * 90})
        turn = [
            ("user", "user", types.Part(text=f"where is {at}?")),
            ("desk", "model", types.Part(function_call=call)),
            ("desk", "user", types.Part(function_response=said)),
            ("desk", "model", types.Part(text=f"there, {at}")),
        ]
        for number, (author, role, part) in enumerate(turn):
            content = types.Content(role=role, parts=[part])
            events.append(Event(author=author, content=content, timestamp=100.0 + at * 10 + number))
    return events


def _written(events: list[Event]) -> Event | None:
    return asyncio.run(CompactorEventsSummarizer(fp.SummarizeOldest(0, 1)).maybe_summarize_events(events=events))


def test_the_last_request_of_a_range_is_never_hidden() -> None:
    events = _events()
    written = _written(events)
    assert written is not None
    compaction = written.actions.compaction
    assert compaction is not None
    assert compaction.start_timestamp == events[0].timestamp
    assert compaction.end_timestamp < events[-4].timestamp
    assert compaction.compacted_content.role == "user"


def test_events_that_share_a_time_with_one_that_stays_are_not_hidden_with_it() -> None:
    events = _events()
    for event in events:
        event.timestamp = 1.0
    assert _written(events) is None


def test_what_cannot_leave_is_no_compaction() -> None:
    assert _written(_events()[:1]) is None


def test_the_page_and_the_example_run() -> None:
    run_page("google_adk")
    printed = run_example("google_adk")
    assert "folded 6 times" in printed
    assert "nobody supplied: A-77190" in printed


def test_the_framework_is_not_imported_by_the_library() -> None:
    loaded = "import sys, foldproof, foldproof_compactors; print('google.adk' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"
