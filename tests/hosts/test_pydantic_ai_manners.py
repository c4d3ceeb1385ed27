"""What of a host's bad manners a compaction of pydantic-ai's survives."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.compaction.talk import Heard, Slow
from tests.hosts.pydantic_ai_runs import Scripted, canonical, tools
from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS
from tests.hosts.test_pydantic_ai import folding, talk

import foldproof as fp
from foldproof_compactors.pydantic_ai import FoldproofCompaction


class Strange:
    """A part that neither the framework's format nor ours knows."""

    part_kind = "hologram"


def test_ids_that_are_used_again_do_no_harm() -> None:
    messages = talk()
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart | ToolReturnPart):
                part.tool_call_id = "c1"
    sent = folding().fold(messages)
    assert len(sent) < len(messages)
    fp.validate_messages(canonical(sent))


@pytest.mark.parametrize("bad", [cast("Any", "meanwhile"), cast("Any", None)])
def test_a_list_that_cannot_be_read_goes_on_as_it_is(bad: Any) -> None:  # noqa: ANN401
    compaction, messages = folding(), talk()
    messages.insert(3, bad)
    assert compaction.fold(messages) == messages
    assert compaction.records[-1].outcome == "error"


def test_parts_nobody_knows_stay_where_they_are() -> None:
    messages, strange = talk(), cast("Any", Strange())
    at = len(messages) - 4
    messages[at] = ModelResponse([*messages[at].parts, strange])
    own = messages[at]
    compaction = folding()
    sent = compaction.fold(messages)
    assert any(message is own for message in sent)
    assert own.parts[-1] is strange


@pytest.mark.parametrize("persistent", [False, True])
def test_a_listener_that_raises_is_on_the_record_and_the_run_goes_on(*, persistent: bool) -> None:
    compactor = fp.Compactor(fp.SummarizeOldest(THRESHOLD, 4), listener=Heard(lambda _: True))
    compaction = FoldproofCompaction(compactor, persistent=persistent)
    scripted = Scripted()
    agent = Agent(scripted.function_model, instructions=SYSTEM, tools=tools(), capabilities=[compaction])
    history: list[ModelMessage] = []
    for turn in TURNS:
        history = asyncio.run(agent.run(turn.request, message_history=history)).all_messages()
    assert any(record.listener_failed is not None for record in compaction.records)
    for request in scripted.model.requests:
        fp.validate_for("openai_chat", request)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_cancelled_run_leaves_the_history_as_it_was(*, persistent: bool) -> None:
    async def cancelled() -> None:
        slow, history = Slow(), talk()[:-1]
        compaction = FoldproofCompaction(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"), persistent=persistent)
        agent = Agent(FunctionModel(_hello), capabilities=[compaction])
        running = asyncio.create_task(agent.run("and now?", message_history=history))
        await slow.began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert canonical(history) == canonical(talk()[:-1])
        slow.go_on.set()
        result = await agent.run("and now?", message_history=history)
        assert result.output == "hello"
        assert [record.outcome for record in compaction.records] == ["cancelled", "complete"]

    asyncio.run(cancelled())


@pytest.mark.parametrize("persistent", [False, True])
def test_one_compaction_serves_runs_at_once(*, persistent: bool) -> None:
    async def at_once() -> list[Scripted]:
        compaction = FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4), persistent=persistent)
        models = [Scripted() for _ in range(3)]
        agents = [
            Agent(model.function_model, instructions=SYSTEM, tools=tools(), capabilities=[compaction])
            for model in models
        ]
        histories: list[list[ModelMessage]] = [[] for _ in models]
        for turn in TURNS[:3]:
            running = zip(agents, histories, strict=True)
            done = await asyncio.gather(*(one.run(turn.request, message_history=history) for one, history in running))
            histories = [result.all_messages() for result in done]
        assert any(record.outcome == "complete" for record in compaction.records)
        return models

    for model in asyncio.run(at_once()):
        assert len(model.model.requests) == sum(len(turn.steps) for turn in TURNS[:3])
        for request in model.model.requests:
            fp.validate_for("openai_chat", request)


def test_feedback_of_the_frameworks_is_not_taken_for_the_request() -> None:
    messages = [
        *talk(),
        ModelResponse([TextPart("{")]),
        ModelRequest([RetryFeedbackPart("write JSON", retry=RetryInfo("model_retry"))]),
    ]
    sent = folding().fold(messages)
    assert len(sent) < len(messages)
    assert sent[-3:] == messages[-3:]


def test_a_history_that_ends_with_an_answer_is_sent_as_it_is() -> None:
    compaction, messages = folding(), talk()[:-1]
    context = cast("Any", type("Context", (), {"messages": messages})())
    assert asyncio.run(compaction.before_model_request(cast("Any", None), context)) is context
    assert context.messages is messages
    assert compaction.records == ()


def test_it_takes_what_a_function_ahead_of_it_left() -> None:
    compaction = FoldproofCompaction(fp.SummarizeOldest(0, 3), persistent=True)
    agent = Agent(FunctionModel(_hello), capabilities=[ProcessHistory(lambda messages: messages[4:]), compaction])
    result = asyncio.run(agent.run("and now?", message_history=talk()[:-1]))
    assert result.output == "hello"
    said = "\n".join(message.text for message in compaction.hosted.state(result.all_messages()).ledger)
    assert "where is 1?" in said
    assert "where is 0?" not in said


def _hello(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart("hello")])


def test_no_messages_are_no_messages() -> None:
    assert folding().fold([]) == []


def test_what_is_no_json_is_folded_all_the_same() -> None:
    mark, messages = object(), talk()
    messages[0] = ModelRequest([UserPromptPart("where is 0?")], metadata={"mine": mark})
    messages[-2] = ModelResponse([TextPart("there, 5")], metadata={"mine": mark})
    sent = folding().fold(messages)
    assert len(sent) < len(messages)
    assert sent[-2].metadata == {"mine": mark}
