"""The Agents SDK's own loop over the long run: filter, session, usage, saved states, and the list's bad manners."""

from __future__ import annotations

import asyncio
import copy
import subprocess
import sys
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession, TResponseInputItem
from agents.run import CallModelData, ModelInputData
from tests.compaction.talk import Heard, Slow
from tests.hosts import scenario
from tests.hosts.openai_agents_runs import FORMAT, RUNS, canonical, play, scripted, tools
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS, faults, outcome

import foldproof as fp
from foldproof_compactors.openai_agents import FoldproofHooks, FoldproofInputFilter, FoldproofSession

PROSE = "words that take room, once and again. " * 20


def talk(turns: int = 6) -> list[TResponseInputItem]:
    items: list[Any] = []
    for at in range(turns):
        items += [
            {"role": "user", "content": f"where is {at}?"},
            {"type": "reasoning", "id": f"rs_{at}", "summary": [], "encrypted_content": f"sealed-{at}"},
            {"type": "function_call", "id": f"fc_{at}", "call_id": f"c{at}", "name": "find", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{at}", "output": f"ORD-{4400 + at}: {PROSE}"},
            {"role": "assistant", "content": f"there, {at}"},
        ]
    return items


async def filtered(filter_: FoldproofInputFilter, items: list[TResponseInputItem]) -> list[TResponseInputItem]:
    data = CallModelData(model_data=ModelInputData(input=items, instructions=None), agent=Agent("desk"), context=None)
    return (await filter_(data)).input


def view(filter_: FoldproofInputFilter, items: list[TResponseInputItem]) -> list[TResponseInputItem]:
    return asyncio.run(filtered(filter_, items))


def summing(threshold: int = 0, turns: int = 3) -> fp.Compactor:
    return fp.Compactor(fp.SummarizeOldest(threshold, turns), provider=FORMAT)


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest


@pytest.mark.parametrize("name", [name for name in RUNS if not name.startswith(("foldproof", "none"))])
def test_the_sdks_own_ways_ran(name: str) -> None:
    assert outcome(RUNS[name]()).requests > 0


def test_reported_usage_is_what_is_measured() -> None:
    filter_ = FoldproofInputFilter(summing(THRESHOLD, 4))
    play(filter_)
    measured = [record.window.measured_by for record in filter_.records if record.window is not None]
    assert len(measured) == len(filter_.records) >= 2
    assert set(measured) == {"reported"}


def test_a_session_is_measured_by_reported_usage_too() -> None:
    wrapped: list[FoldproofSession] = []

    def wrap(inner: Any) -> FoldproofSession:  # noqa: ANN401
        wrapped.append(FoldproofSession(inner, summing(THRESHOLD // 3, 2)))
        return wrapped[0]

    play(session=wrap)
    measured = [record.window.measured_by for record in wrapped[0].records if record.window is not None]
    assert len(measured) >= 2
    assert set(measured) == {"reported"}


def test_reasoning_stays_with_the_calls_that_follow_it() -> None:
    filter_ = FoldproofInputFilter(summing(THRESHOLD, 4))
    sent = play(filter_).model.calls[-1].input
    called = [at for at, item in enumerate(sent) if item.get("type") == "function_call"]
    assert called
    for at in called:
        ahead = next(item for item in reversed(sent[:at]) if item.get("type") not in ("function_call", "message"))
        assert ahead["type"] == "reasoning"
    thought = [item for item in sent if item.get("type") == "reasoning"]
    assert all(item["encrypted_content"].startswith("sealed-") for item in thought)


def test_what_stays_is_the_hosts_own_and_frames_have_nothing_but_words() -> None:
    items = talk()
    sent = view(FoldproofInputFilter(summing()), items)
    new = [item for item in sent if not any(item is own for own in items)]
    assert len(new) == 1
    assert set(new[0]) <= {"type", "role", "content"}
    assert len(items) == 30


def test_a_filter_keeps_the_same_view_until_more_leaves() -> None:
    filter_, items = FoldproofInputFilter(summing(1_000)), talk()
    first = view(filter_, items)
    more = [*items, {"role": "user", "content": "and now?"}]
    assert view(filter_, more) == [*first, more[-1]]  # type: ignore[arg-type]


@pytest.mark.parametrize("way", ["sync", "streamed"])
def test_every_way_to_run_is_folded(way: str) -> None:
    script = scenario.ScriptedModel()
    agent = Agent("desk", instructions=SYSTEM, tools=list(tools()), model=scripted(script))
    filter_ = FoldproofInputFilter(summing(600, 2))
    config = RunConfig(call_model_input_filter=filter_, tracing_disabled=True)
    hooks = FoldproofHooks(filter_)

    async def streamed(session: SQLiteSession) -> None:
        for turn in TURNS:
            result = Runner.run_streamed(
                agent, turn.request, session=session, run_config=config, hooks=hooks, max_turns=40
            )
            async for _ in result.stream_events():
                pass

    session = SQLiteSession("desk")
    loop = asyncio.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        if way == "streamed":
            loop.run_until_complete(streamed(session))
        else:
            for turn in TURNS:
                Runner.run_sync(agent, turn.request, session=session, run_config=config, hooks=hooks, max_turns=40)
    finally:
        asyncio.set_event_loop(None)
        loop.close()
        session.close()
    assert len(script.requests) == len(scenario.STEPS)
    for request in script.requests:
        fp.validate_for(FORMAT, request)
    assert [record.outcome for record in filter_.records].count("complete") >= 2


def test_a_saved_state_goes_on_in_another_process() -> None:
    filter_, items = FoldproofInputFilter(summing(1_000)), talk()
    sent = view(filter_, items)
    saved = filter_.hosted.state(items).model_dump_json(by_alias=True)
    elsewhere = FoldproofInputFilter(summing(1_000))
    elsewhere.hosted.restore(fp.ConversationState.model_validate_json(saved))
    assert elsewhere.hosted.state(items) == filter_.hosted.state(items)
    assert view(elsewhere, items) == sent
    known = {message.text for message in elsewhere.hosted.state(items).ledger}
    assert {message.text for message in canonical(items)} <= known


def test_a_list_that_cannot_be_read_goes_on_as_it_is() -> None:
    filter_ = FoldproofInputFilter(summing())
    items: list[Any] = [*talk(), {"role": "narrator", "content": object()}]
    assert view(filter_, items) == items
    assert filter_.records[-1].outcome == "error"


def test_an_item_nobody_knows_leaves_the_list_as_it_is() -> None:
    filter_, items = FoldproofInputFilter(summing()), talk()
    strange: Any = {"type": "hologram", "deep": [1]}
    items.insert(-1, strange)
    assert view(filter_, items) == items
    assert "hologram" in str(filter_.records[-1].error)


def test_ids_that_are_used_again_do_no_harm() -> None:
    items: list[Any] = copy.deepcopy(talk())
    for item in items:
        for name in {"id", "call_id"} & item.keys():
            item[name] = "same"
    sent = view(FoldproofInputFilter(fp.Compactor(fp.SummarizeOldest(0, 3))), items)
    assert len(sent) < len(items)
    fp.validate_messages(canonical(sent))


def test_a_listener_that_raises_is_on_the_record() -> None:
    filter_ = FoldproofInputFilter(fp.Compactor(fp.SummarizeOldest(0, 3), listener=Heard(lambda _: True)))
    assert len(view(filter_, talk())) < len(talk())
    assert filter_.records[-1].listener_failed is not None


async def _cancelled() -> None:
    slow = Slow()
    filter_ = FoldproofInputFilter(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    folding = asyncio.create_task(filtered(filter_, talk()))
    await slow.began.wait()
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert filter_.records[-1].outcome == "cancelled"


def test_a_cancelled_run_is_on_the_record() -> None:
    asyncio.run(_cancelled())


async def _at_once() -> None:
    filter_ = FoldproofInputFilter(summing(600, 2))
    hooks, scripts = FoldproofHooks(filter_), [scenario.ScriptedModel() for _ in range(3)]
    agents = [Agent("desk", instructions=SYSTEM, tools=list(tools()), model=scripted(script)) for script in scripts]
    config = RunConfig(call_model_input_filter=filter_, tracing_disabled=True)
    request = TURNS[0].request
    await asyncio.gather(*(Runner.run(agent, request, run_config=config, hooks=hooks) for agent in agents))
    assert scripts[0].requests
    assert all(script.requests == scripts[0].requests for script in scripts)


def test_one_filter_serves_runs_at_once() -> None:
    asyncio.run(_at_once())


def test_the_page_and_the_example_run() -> None:
    run_page("openai_agents")
    printed = run_example("openai_agents")
    assert "complete" in printed
    assert "invented" in printed


def test_the_framework_is_not_imported_by_the_library() -> None:
    loaded = "import sys, foldproof, foldproof_compactors; print('agents' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"
