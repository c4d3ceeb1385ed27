"""What of a host's bad manners a Strands agent survives with our manager."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from strands.types.exceptions import ContextWindowOverflowException
from tests.compaction.talk import Heard, Slow
from tests.hosts.scenario import THRESHOLD, TURNS, ScriptedModel, Tool
from tests.hosts.strands_runs import ScriptedService, agent_of, agent_tool, canonical, streamed, text_of
from tests.hosts.test_strands import Says, gated, holding, manager_of, talk

import foldproof as fp


def asked(messages: list[Any], given: fp.Compactor | None = None) -> tuple[Any, Any, Any]:
    """An agent with a history that is asked once more."""
    manager, service = manager_of(given), ScriptedService(Says("Well."))
    agent = holding(manager, messages, service)
    agent("and now?")
    return manager, service, agent


def test_a_list_that_cannot_be_read_goes_on_as_it_is() -> None:
    manager = manager_of(fp.Compactor(fp.SummarizeOldest(0, 3), ("before_turn", "after_turn")))
    agent = holding(manager, talk())
    agent.messages.insert(4, {"role": "narrator", "content": [{"text": "meanwhile"}]})  # type: ignore[typeddict-item]
    before = list(agent.messages)
    manager.apply_management(agent)
    assert agent.messages == before
    assert manager.records[-1].outcome == "error"
    with pytest.raises(ContextWindowOverflowException):
        manager.reduce_context(agent, ContextWindowOverflowException("too long"))
    assert agent.messages == before


def test_a_listener_that_raises_is_on_the_record() -> None:
    manager, service, _ = asked(talk(), fp.Compactor(fp.SummarizeOldest(0, 3), listener=Heard(lambda _: True)))
    assert manager.records[-1].outcome == "complete"
    assert manager.records[-1].listener_failed is not None
    assert len(service.sent[0]["messages"]) < len(talk())


def test_an_answer_that_cannot_be_judged_passes_only_where_nothing_is_refused(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange: Any = {"role": "narrator", "content": [{"text": "meanwhile"}]}
    monkeypatch.setattr(
        ScriptedService, "converse_stream", lambda self, **_: {"stream": streamed(self.model.step(), 9)}
    )
    guarded, _ = gated("guard", "It is ORD-9977.")
    guarded.messages.insert(4, strange)
    assert text_of(guarded("which was the first?").message) == "It is ORD-9977."
    assert "was not judged" in caplog.text
    refused, _ = gated("rails", "It is ORD-9977.")
    refused.messages.insert(4, strange)
    with pytest.raises(fp.TranscriptError, match="narrator"):
        refused("which was the first?")


def test_what_the_app_says_of_its_tools_is_no_invention() -> None:
    pay = agent_tool(Tool("pay", "The fee is 37.20 EUR.", {"type": "object"}, str))
    agent, service = gated("rails", "The fee is 37.20 EUR.", tools=[pay])
    assert text_of(agent("what is the fee?").message) == "The fee is 37.20 EUR."
    assert len(service.sent) == 1


@pytest.mark.parametrize("identifier", ["", "c1"])
def test_ids_that_are_empty_or_used_again_do_no_harm(identifier: str) -> None:
    messages = talk()
    for message in messages:
        for block in message["content"]:
            for kind in ("toolUse", "toolResult"):
                if kind in block:
                    block[kind]["toolUseId"] = identifier
        message["tracking_id"] = "same"
    manager, service, _ = asked(messages)
    assert manager.records[-1].outcome == "complete"
    assert len(service.sent[0]["messages"]) < len(talk())
    fp.validate_messages(canonical(service.sent[0]))


def test_parts_nobody_knows_stay_where_they_are() -> None:
    messages, manager = talk(), manager_of()
    strange: Any = {"hologram": {"deep": [1]}}
    messages[-4]["content"].append(strange)
    agent = holding(manager, messages)
    manager.reduce_context(agent)
    assert any(block is strange for message in agent.messages for block in message["content"])


def test_a_list_that_the_app_replaced_is_read_anew() -> None:
    manager, _, agent = asked(talk())
    agent.messages[:] = talk(7)
    manager.reduce_context(agent)
    assert len(agent.messages) < len(talk(7))
    fp.validate_for("bedrock", canonical({"messages": agent.messages}))


def test_a_summarizer_that_is_asynchronous_is_awaited_where_the_framework_cannot() -> None:
    slow = Slow()
    slow.go_on.set()
    manager = manager_of(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    agent = holding(manager, talk())
    manager.reduce_context(agent)
    assert "were about orders" in str(agent.messages[0])


async def _cancelled() -> None:
    slow = Slow()
    manager = manager_of(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    agent = holding(manager, talk(), ScriptedService(Says("Well.")))
    running = asyncio.create_task(agent.invoke_async("and now?"))
    await slow.began.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(agent.messages) == len(talk()) + 1
    assert manager.records[-1].outcome == "cancelled"


def test_a_cancelled_invocation_leaves_the_list_as_it_was() -> None:
    asyncio.run(_cancelled())


async def _appended() -> None:
    slow = Slow()
    manager = manager_of(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    agent = holding(manager, talk(), ScriptedService(Says("Well.")))
    running = asyncio.create_task(agent.invoke_async("and now?"))
    await slow.began.wait()
    note: Any = {"role": "user", "content": [{"text": "by the way"}]}
    agent.messages.append(note)
    slow.go_on.set()
    await running
    assert agent.messages[-2] is note
    assert manager.records[-1].outcome == "complete"


async def _cut() -> None:
    slow = Slow()
    manager = manager_of(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    agent = holding(manager, talk(), ScriptedService(Says("Well.")))
    running = asyncio.create_task(agent.invoke_async("and now?"))
    await slow.began.wait()
    last = agent.messages[-1]
    agent.messages[:] = [last]
    slow.go_on.set()
    await running
    assert agent.messages[0] is last
    assert len(agent.messages) == 2


def test_what_the_app_takes_out_while_a_summary_is_awaited_stays_out() -> None:
    asyncio.run(_cut())


def test_what_is_appended_while_a_summary_is_awaited_is_kept() -> None:
    asyncio.run(_appended())


async def _at_once() -> None:
    compactor = fp.Compactor(fp.SummarizeOldest(THRESHOLD, 4), provider="bedrock")
    services = [ScriptedService(ScriptedModel()) for _ in range(3)]
    agents = [agent_of(manager_of(compactor), service) for service in services]
    for turn in TURNS[:3]:
        await asyncio.gather(*(agent.invoke_async(turn.request) for agent in agents))
    for service in services:
        for request in service.sent:
            fp.validate_for("bedrock", canonical(request))
    first, *others = [[len(request["messages"]) for request in service.sent] for service in services]
    assert others == [first, first]


def test_one_compactor_serves_agents_at_once() -> None:
    asyncio.run(_at_once())
