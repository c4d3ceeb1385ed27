"""LangChain's and LangGraph's own loops over the long run, and what of a host's bad manners they survive."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph.message import add_messages
from tests.compaction.talk import Heard, Slow
from tests.hosts.langchain_runs import RUNS, agent, ask, canonical, chat, held, play, react, thread, tools
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS, faults, outcome

import foldproof as fp
from foldproof.messages import frame_kind
from foldproof_compactors.langchain import CompactionMiddleware, PreModelHook

PROSE = "words that take room, once and again. " * 20
OURS = [name for name in RUNS if name.startswith("foldproof")]


def talk(turns: int = 6) -> list[AnyMessage]:
    messages: list[AnyMessage] = []
    for at in range(turns):
        call: Any = {"id": f"c{at}", "name": "find", "args": {"n": at}}
        found = f'{{"order": "ORD-{4400 + at}", "is": "{PROSE}"}}'
        messages += [
            HumanMessage(f"where is {at}?", id=f"u{at}"),
            AIMessage("", tool_calls=[call], id=f"a{at}"),
            ToolMessage(found, tool_call_id=f"c{at}", id=f"t{at}"),
            AIMessage(f"there, {at}", id=f"b{at}", additional_kwargs={"mine": at}),
        ]
    return messages


def sent(hook: PreModelHook, messages: list[AnyMessage]) -> list[AnyMessage]:
    view: list[AnyMessage] = hook.invoke({"messages": messages})["llm_input_messages"]
    return view


def hook_of(**options: Any) -> PreModelHook:  # noqa: ANN401
    return PreModelHook(fp.SummarizeOldest(0, 3, **options))


@pytest.mark.parametrize("name", OURS)
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


@pytest.mark.parametrize("name", [name for name in RUNS if name not in OURS])
def test_the_frameworks_own_compaction_runs(name: str) -> None:
    assert len(RUNS[name]().answers) == len(TURNS)


@pytest.mark.parametrize("persistent", [False, True])
def test_reported_usage_is_what_is_measured(persistent: bool) -> None:  # noqa: FBT001
    compaction, model = CompactionMiddleware(fp.SummarizeOldest(THRESHOLD, 4), persistent=persistent), chat()
    play(model, agent(model, compaction), compaction.hosted)
    measured = [record.window.measured_by for record in compaction.records if record.window is not None]
    assert len(measured) == len(compaction.records) >= 2
    assert set(measured) == {"reported"}


def test_a_view_leaves_the_thread_alone_and_holds_its_own_messages() -> None:
    compaction, model = CompactionMiddleware(fp.SummarizeOldest(THRESHOLD, 4)), chat()
    graph = agent(model, compaction)
    play(model, graph, compaction.hosted)
    messages = held(graph)
    assert not any(is_frame(message) for message in messages)
    assert sum(isinstance(message, ToolMessage) for message in messages) == 45
    ids = {message.id for message in messages}
    new = [message for message in model.sent[-1] if message.id not in ids and not isinstance(message, SystemMessage)]
    assert [is_frame(message) for message in new] == [True]


def is_frame(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and frame_kind(fp.Message(role="user", content=message.text)) is not None


def test_a_persistent_compaction_is_the_thread_and_every_message_has_an_id() -> None:
    compaction, model = CompactionMiddleware(fp.SummarizeOldest(THRESHOLD, 4), persistent=True), chat()
    graph = agent(model, compaction)
    play(model, graph, compaction.hosted)
    messages = held(graph)
    assert sum(map(is_frame, messages)) == 1
    assert all(message.id for message in messages)
    assert len({message.id for message in messages}) == len(messages)
    said = "\n".join(message.text for message in compaction.hosted.state(messages).ledger)
    assert all(turn.request in said for turn in TURNS)


@pytest.mark.parametrize("persistent", [False, True])
def test_what_stays_is_the_hosts_own_and_keeps_what_it_carries(persistent: bool) -> None:  # noqa: FBT001
    messages = talk()
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    text = {"type": "text", "text": "so", "cache_control": {"type": "ephemeral"}}
    messages[-1].content = [thinking, text]
    messages[-4].content = [{"type": "text", "text": "where is 5?"}, picture]
    artifact = object()
    messages[-2].artifact = artifact  # type: ignore[union-attr]
    before = [message.model_copy(deep=False) for message in messages]
    hook = PreModelHook(fp.SummarizeOldest(0, 3), persistent=persistent)
    view = sent(hook, messages)
    own = [message for message in view if any(message is one for one in messages)]
    assert 3 <= len(own) == len(view) - 1
    assert own == messages[-len(own) :] == before[-len(own) :]
    assert own[-2].artifact is artifact  # type: ignore[union-attr]
    assert hook.hosted.records[-1].outcome == "complete"


def test_a_cleared_result_is_sent_with_its_id_and_the_thread_keeps_the_original() -> None:
    hook, messages = PreModelHook(fp.ClearToolResults(0, 1)), talk()
    view = sent(hook, messages)
    cleared = [at for at, message in enumerate(view) if message is not messages[at]]
    assert cleared == [2, 6, 10, 14, 18]
    assert all(isinstance(view[at], ToolMessage) and view[at].id == messages[at].id for at in cleared)
    assert all("ORD-44" in messages[at].text and "ORD-44" not in view[at].text for at in cleared)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_saved_state_goes_on_in_another_process(persistent: bool) -> None:  # noqa: FBT001
    hook, messages = PreModelHook(fp.SummarizeOldest(0, 3), persistent=persistent), talk()
    view = sent(hook, messages)
    now = list(view) if persistent else messages
    saved = hook.hosted.state(now).model_dump_json(by_alias=True)
    elsewhere = PreModelHook(fp.SummarizeOldest(10**6, 3), persistent=persistent)
    elsewhere.hosted.restore(fp.ConversationState.model_validate_json(saved))
    assert elsewhere.hosted.state(now) == hook.hosted.state(now)
    assert [message.text for message in sent(elsewhere, now)] == [message.text for message in view]
    assert len(elsewhere.hosted.state(now).ledger) >= len(messages)


@pytest.mark.parametrize("ids", [None, "m1"])
def test_ids_that_are_missing_or_used_again_do_no_harm(ids: str | None) -> None:
    messages = talk()
    for message in messages:
        message.id = ids
        if isinstance(message, ToolMessage):
            message.tool_call_id = "c1"
        if isinstance(message, AIMessage):
            message.tool_calls = [{**call, "id": "c1"} for call in message.tool_calls]
    view = sent(hook_of(), messages)
    assert len(view) < len(messages)
    fp.validate_messages(canonical(view))


def test_a_list_that_cannot_be_read_goes_on_as_it_is() -> None:
    hook, messages = hook_of(), talk()
    messages.insert(3, BaseMessage(content="meanwhile", type="narrator"))  # type: ignore[arg-type]
    assert sent(hook, messages) == messages
    assert hook.hosted.records[-1].outcome == "error"


def test_parts_nobody_knows_stay_where_they_are() -> None:
    messages = talk()
    strange = {"type": "hologram", "deep": [1, {"x": b"\xff"}]}
    messages[-1].content = [strange]
    view = sent(hook_of(), messages)
    assert len(view) < len(messages)
    assert view[-1].content[0] is strange


def test_a_listener_that_raises_is_on_the_record() -> None:
    hook = PreModelHook(fp.Compactor(fp.SummarizeOldest(0, 3), listener=Heard(lambda _: True)))
    assert len(sent(hook, talk())) < 24
    assert hook.hosted.records[-1].listener_failed is not None


@pytest.mark.parametrize("persistent", [False, True])
def test_a_cancelled_run_leaves_the_thread_as_it_was(persistent: bool) -> None:  # noqa: FBT001
    async def cancelled() -> None:
        slow, model, messages = Slow(), chat(), talk()
        strategy = fp.SummarizeOldest(0, 3, summarizer=slow, model="slow")
        compaction = CompactionMiddleware(strategy, persistent=persistent)
        graph = agent(model, compaction)
        await graph.aupdate_state(thread(), {"messages": messages})
        asked = {"messages": [HumanMessage("and now?", id="new")]}
        running = asyncio.create_task(graph.ainvoke(asked, thread()))
        await slow.began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert held(graph) == [*messages, *asked["messages"]]
        assert compaction.records[-1].outcome == "cancelled"
        assert model.sent == []

    asyncio.run(cancelled())


@pytest.mark.parametrize("persistent", [False, True])
def test_one_middleware_serves_threads_at_once(persistent: bool) -> None:  # noqa: FBT001
    async def at_once() -> None:
        compaction = CompactionMiddleware(fp.SummarizeOldest(THRESHOLD, 4), persistent=persistent)
        models = [chat() for _ in range(3)]
        graphs = [agent(model, compaction) for model in models]
        for turn in TURNS:
            asked = {"messages": [("user", turn.request)]}
            await asyncio.gather(*(graph.ainvoke(asked, thread(f"t{at}")) for at, graph in enumerate(graphs)))
        alone, model = RUNS[OURS[int(persistent)]](), models[0]
        assert tuple(model.script.requests) == alone.requests
        assert all(other.script.requests == model.script.requests for other in models)

    asyncio.run(at_once())


def test_two_threads_of_one_agent_keep_apart() -> None:
    compaction = CompactionMiddleware(fp.SummarizeOldest(600, 2), persistent=True)
    model = chat()
    graph = agent(model, compaction)
    ask(graph, TURNS[0].request, "first")
    ask(graph, TURNS[1].request, "second")
    assert TURNS[0].request not in "\n".join(message.text for message in held(graph, "second"))
    for request in model.script.requests:
        fp.validate_for("openai_chat", request)


def test_a_stream_is_compacted_and_measured_too() -> None:
    async def streamed() -> None:
        compaction, model = CompactionMiddleware(fp.SummarizeOldest(600, 2)), chat()
        graph = agent(model, compaction)
        for turn in TURNS[:2]:
            async for _ in graph.astream({"messages": [("user", turn.request)]}, thread(), stream_mode="messages"):
                pass
        assert compaction.records[-1].window is not None
        assert compaction.records[-1].window.measured_by == "reported"
        for request in model.script.requests:
            fp.validate_for("openai_chat", request)

    asyncio.run(streamed())


def test_the_hook_is_awaited_in_an_asynchronous_graph() -> None:
    async def played() -> None:
        hook, model = PreModelHook(fp.SummarizeOldest(THRESHOLD, 4), persistent=True), chat()
        graph = react(model, hook)
        for turn in TURNS:
            await graph.ainvoke({"messages": [("user", turn.request)]}, thread())
        assert tuple(model.script.requests) == RUNS["foldproof: SummarizeOldest, persistent hook"]().requests

    asyncio.run(played())


def test_a_thread_with_nothing_to_fold_is_sent_as_it_is() -> None:
    compaction, model = CompactionMiddleware(), chat()
    graph: Any = create_agent(model, tools(), system_prompt=SYSTEM, middleware=[compaction])
    graph.invoke({"messages": [("user", TURNS[0].request)]})
    assert compaction.records == ()
    hook, messages = PreModelHook(persistent=True), talk(1)
    assert hook.invoke({"messages": messages}) == {"llm_input_messages": messages}


def test_what_a_persistent_hook_returns_replaces_the_list() -> None:
    hook, messages = PreModelHook(fp.SummarizeOldest(0, 3), persistent=True), talk()
    update = hook.invoke({"messages": messages})
    merged: Any = add_messages(messages, update["messages"])  # type: ignore[arg-type]
    assert merged == update["llm_input_messages"]
    assert all(message.id for message in merged)
    state = hook.hosted.state(merged)
    assert fp.exempt_forms(state.messages) == fp.exempt_forms(canonical(messages))


def test_the_page_and_the_example_run() -> None:
    run_page("langchain")
    printed = run_example("langchain")
    assert "complete" in printed
    assert "777.50 is invented" in printed


def test_the_framework_is_not_imported_by_the_library() -> None:
    loaded = "import sys, foldproof, foldproof_compactors; print('langchain_core' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"
