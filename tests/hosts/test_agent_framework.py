"""Agent Framework's own loop over the long run, and what of a host's bad manners it survives."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from agent_framework import (
    EXCLUDED_KEY,
    SUMMARIZED_BY_SUMMARY_ID_KEY,
    Agent,
    CompactionProvider,
    Content,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
    annotate_message_groups,
    apply_compaction,
    included_messages,
)
from tests.compaction.talk import Heard, Slow
from tests.hosts.agent_framework_runs import RUNS, ScriptedClient, canonical, held, ledger, play, tools
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS, Call, ScriptedModel, Step, faults, outcome

import foldproof as fp
from foldproof.messages import frame_kind
from foldproof_compactors.agent_framework import REASON, FoldproofCompaction, ReportedUsage

pytestmark = pytest.mark.filterwarnings("ignore:.*experimental:FutureWarning")

PROSE = "words that take room, once and again. " * 20


def talk(turns: int = 6) -> list[Message]:
    messages = [Message("system", ["be kind"], message_id="s")]
    for at in range(turns):
        call = Content.from_function_call(f"c{at}", "find", arguments=f'{{"n": {at}}}')
        found = Content.from_function_result(f"c{at}", result=f'{{"order": "ORD-{4400 + at}", "is": "{PROSE}"}}')
        messages += [
            Message("user", [f"where is {at}?"], message_id=f"u{at}"),
            Message("assistant", [call], message_id=f"a{at}"),
            Message("tool", [found], message_id=f"t{at}"),
            Message("assistant", [f"there, {at}"], message_id=f"b{at}", additional_properties={"mine": at}),
        ]
    return messages


def folded(compaction: FoldproofCompaction, messages: list[Message]) -> list[Message]:
    annotate_message_groups(messages)
    return asyncio.run(apply_compaction(messages, strategy=compaction))


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


def test_reported_usage_is_what_is_measured() -> None:
    compaction = FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4))
    played = play(compaction)
    measured = [record.window.measured_by for record in compaction.records if record.window is not None]
    assert len(measured) == len(compaction.records) >= 3
    assert measured[:3] == ["reported"] * 3
    assert faults(played.run) == ()


def test_what_left_is_excluded_and_stays_in_the_session() -> None:
    compaction = FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4))
    played = play(compaction)
    stored = held(played.session)
    frames = [message for message in included_messages(stored) if frame_kind(canonical([message])[0]) is not None]
    assert frames
    excluded = [message for message in stored if message.additional_properties.get(EXCLUDED_KEY)]
    group = excluded[0].additional_properties["_group"]
    assert group[SUMMARIZED_BY_SUMMARY_ID_KEY] == frames[0].message_id
    assert excluded[-1].additional_properties["_exclude_reason"] == REASON
    said = "\n".join(message.text for message in ledger(compaction, played.session))
    assert all(turn.request in said for turn in TURNS)


def test_what_stays_is_the_hosts_own_and_keeps_what_it_carries() -> None:
    messages = talk()
    own = list(messages)
    thinking = Content.from_text_reasoning(text="hm", protected_data="c2lnbmVk")
    messages[-1].contents.insert(0, thinking)
    sent = folded(FoldproofCompaction(fp.SummarizeOldest(0, 3)), messages)
    kept = [message for message in sent if any(message is one for one in own)]
    assert len(kept) == len(sent) - 1
    assert sent[-1].contents[0] is thinking
    assert sent[-1].additional_properties["mine"] == 5
    assert [message for message in messages if any(message is one for one in own)] == own


def test_a_cleared_result_takes_its_place_and_the_next_request_keeps_it() -> None:
    compaction, messages = FoldproofCompaction(fp.ClearToolResults(0, 1)), talk()
    sent = folded(compaction, messages)
    assert len(sent) == len(messages)
    cleared = [message for message in sent if "[foldproof cleared result]" in str(message.to_dict())]
    assert [message.message_id for message in cleared] == ["t0", "t1", "t2", "t3", "t4"]
    again = folded(compaction, [*messages, Message("user", ["and now?"])])
    assert [message for message in again if message in cleared] == cleared


def test_a_frame_goes_through_the_frameworks_own_json_with_its_lineage() -> None:
    messages = talk()
    folded(FoldproofCompaction(fp.SummarizeOldest(0, 3)), messages)
    again = [Message.from_dict(message.to_dict()) for message in messages]
    elsewhere = FoldproofCompaction(fp.SummarizeOldest(0, 3))
    state = elsewhere.hosted.state(included_messages(again))
    assert fp.exempt_forms(state.messages) == fp.exempt_forms(canonical(talk()))


def test_a_saved_state_goes_on_in_another_process() -> None:
    compaction, messages = FoldproofCompaction(fp.SummarizeOldest(0, 3)), talk()
    sent = folded(compaction, messages)
    saved = compaction.hosted.state(sent).model_dump_json(by_alias=True)
    elsewhere = FoldproofCompaction(fp.SummarizeOldest(0, 3))
    elsewhere.hosted.restore(fp.ConversationState.model_validate_json(saved))
    assert elsewhere.hosted.state(sent) == compaction.hosted.state(sent)
    assert len(elsewhere.hosted.state(sent).ledger) > len(sent)


@pytest.mark.parametrize("ids", ["none", "alike"])
def test_ids_that_are_missing_or_used_again_do_no_harm(ids: str) -> None:
    messages = talk()
    for message in messages:
        message.message_id = None if ids == "none" else "m1"
        for content in message.contents:
            content.call_id = "c1" if content.call_id else None
    sent = asyncio.run(apply_compaction(messages, strategy=FoldproofCompaction(fp.SummarizeOldest(0, 3))))
    assert len(sent) < 25
    fp.validate_messages(canonical(sent))


def test_a_list_that_cannot_be_read_goes_on_as_it_is() -> None:
    compaction, messages = FoldproofCompaction(fp.SummarizeOldest(0, 3)), talk()
    messages.insert(3, Message("narrator", ["meanwhile"]))
    sent = folded(compaction, messages)
    assert sent == messages
    assert compaction.records[-1].outcome == "error"


def test_parts_nobody_knows_stay_where_they_are() -> None:
    messages = talk()
    strange = Content("hologram", additional_properties={"deep": [1]})  # type: ignore[arg-type]
    messages[-4].contents.append(strange)
    sent = folded(FoldproofCompaction(fp.SummarizeOldest(0, 3)), messages)
    assert strange in sent[-4].contents


def test_a_listener_that_raises_is_on_the_record() -> None:
    compactor = fp.Compactor(fp.SummarizeOldest(0, 3), listener=Heard(lambda _: True))
    compaction = FoldproofCompaction(compactor)
    assert len(folded(compaction, talk())) < 25
    assert compaction.records[-1].listener_failed is not None


class OneCallATurn(ScriptedModel):
    """Looks an order up, and says so, turn after turn."""

    def step(self) -> Step:
        at = len(self.requests)
        calls = (Call(f"call-{at}", "get_invoice", {"order": "A-7719"}),) if at % 2 else ()
        return Step("" if calls else f"done {at}", calls)


@pytest.mark.parametrize("skip_excluded", [False, True])
def test_an_app_may_send_the_same_message_again(skip_excluded: bool) -> None:  # noqa: FBT001
    async def again() -> ScriptedClient:
        client, history = ScriptedClient(OneCallATurn()), InMemoryHistoryProvider(skip_excluded=skip_excluded)
        compaction = FoldproofCompaction(fp.SummarizeOldest(400, 2))
        stored = CompactionProvider(after_strategy=compaction, history_source_id=history.source_id)
        providers = [history, stored]
        tool = FunctionTool(name="get_invoice", description="Get it.", func=lambda order: f"{order}: {PROSE}" * 50)
        agent = Agent(
            client,
            SYSTEM,
            tools=[tool],
            compaction_strategy=compaction,
            context_providers=providers,
            middleware=[ReportedUsage(compaction)],
        )
        session, asked = agent.create_session(), Message("user", ["go on with A-7719"])
        for _ in range(5):
            before = len(client.sent)
            await agent.run(asked, session=session)
            assert client.sent[before][-1].text == asked.text
            assert all(any(message.text == asked.text for message in sent) for sent in client.sent[before:])
        assert asked.text in [message.text for message in ledger(compaction, session)]
        return client

    for request in asyncio.run(again()).model.requests:
        fp.validate_for("openai_chat", request)


def test_an_approval_is_no_request_of_its_own() -> None:
    call = Content.from_function_call("p1", "pay", arguments="{}")
    waiting = [call, Content.from_function_approval_request("p1", call)]
    approved = Content.from_function_approval_response(approved=True, id="p1", function_call=call)
    asked = Message("user", ["pay order A-5512"])
    messages = [*talk(), asked, Message("assistant", waiting), Message("user", [approved])]
    sent = folded(FoldproofCompaction(fp.SummarizeOldest(0, 2)), messages)
    assert len(sent) < len(messages) - 1
    assert any(message is asked for message in sent)
    assert sent[-1] is messages[-1]


async def _cancelled() -> None:
    slow, messages = Slow(), talk()
    compaction = FoldproofCompaction(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    annotate_message_groups(messages)
    folding = asyncio.create_task(apply_compaction(messages, strategy=compaction))
    await slow.began.wait()
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert len(included_messages(messages)) == len(talk())
    assert compaction.records[-1].outcome == "cancelled"


def test_a_cancelled_run_leaves_the_list_as_it_was() -> None:
    asyncio.run(_cancelled())


async def _at_once() -> None:
    model = [ScriptedClient(ScriptedModel()) for _ in range(3)]
    compaction = FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4))
    agents = [Agent(client, SYSTEM, tools=tools(), compaction_strategy=compaction) for client in model]
    sessions = [agent.create_session() for agent in agents]
    for turn in TURNS[:3]:
        await asyncio.gather(
            *(agent.run(turn.request, session=session) for agent, session in zip(agents, sessions, strict=True))
        )
    for client in model:
        for request in client.model.requests:
            fp.validate_for("openai_chat", request)


def test_one_compaction_serves_agents_at_once() -> None:
    asyncio.run(_at_once())


async def _streamed() -> ScriptedClient:
    client = ScriptedClient(ScriptedModel())
    compaction = FoldproofCompaction(fp.SummarizeOldest(600, 2))
    agent = Agent(client, SYSTEM, tools=tools(), compaction_strategy=compaction, middleware=[ReportedUsage(compaction)])
    async for _ in agent.run(TURNS[0].request, session=agent.create_session(), stream=True):
        pass
    assert compaction.hosted.records[-1].window is not None
    assert compaction.hosted.records[-1].window.measured_by == "reported"
    return client


def test_a_stream_reports_its_usage_too() -> None:
    for request in asyncio.run(_streamed()).model.requests:
        fp.validate_for("openai_chat", request)


def test_the_page_and_the_example_run() -> None:
    run_page("agent_framework")
    printed = run_example("agent_framework")
    assert "complete" in printed
    assert "invented" in printed


def test_the_framework_is_not_imported_by_the_library() -> None:
    loaded = "import sys, foldproof, foldproof_compactors; print('agent_framework' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"
