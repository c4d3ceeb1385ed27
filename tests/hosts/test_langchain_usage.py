"""What a provider reported is about what it was sent: not of what came since, nor of what another process sent."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from tests.hosts.langchain_runs import canonical, tools
from tests.hosts.test_langchain import talk
from tests.hosts.test_langchain_gate import Fake

import foldproof as fp
from foldproof.evidence.gate import Gate
from foldproof_compactors.langchain import CompactionMiddleware, GateMiddleware, PreModelHook

CALL: Any = [{"id": "new", "name": "get_order", "args": {"order": "A-1"}}]


def usage(tokens: int) -> Any:  # noqa: ANN401 - their typed dict
    return {"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1}


def view_of(hook: PreModelHook, messages: list[AnyMessage]) -> list[AnyMessage]:
    view: list[AnyMessage] = hook.invoke({"messages": messages})["llm_input_messages"]
    return view


def test_a_large_result_counts_before_it_is_reported() -> None:
    hook, messages = PreModelHook(fp.SummarizeOldest(20_000, 1)), [*talk(), HumanMessage("and now?")]
    assert view_of(hook, messages) == messages
    messages += [AIMessage("", tool_calls=CALL, usage_metadata=usage(900))]
    messages += [ToolMessage("lorem ipsum " * 20_000, tool_call_id="new")]
    assert len(view_of(hook, messages)) < len(messages)
    window = hook.hosted.records[-1].window
    assert window is not None
    assert window.measured_by == "reported"
    assert window.measured is not None
    assert window.measured > 20_000


@pytest.mark.parametrize("tokens", [0, 900])
def test_usage_of_a_request_that_was_not_sent_from_here_says_nothing(tokens: int) -> None:
    messages = talk()  # another process sent a view of it, or the provider reports nothing but zeros
    messages[-1].usage_metadata = usage(tokens)  # type: ignore[union-attr]
    messages += [HumanMessage("and now?")]
    hook = PreModelHook(fp.SummarizeOldest(1_000, 2))
    assert len(view_of(hook, messages)) < len(messages)
    assert hook.hosted.records[-1].outcome == "complete"


@pytest.mark.parametrize("persistent", [False, True])
def test_an_answer_is_revised_once_where_each_revision_folds(persistent: bool) -> None:  # noqa: FBT001
    compactor = fp.Compactor(fp.SummarizeOldest(300, 1), gate=Gate(posture="guard"))
    compaction = CompactionMiddleware(compactor, persistent=persistent)
    gate = GateMiddleware(compaction)
    said = [AIMessage("The first was ORD-9911."), AIMessage("", tool_calls=CALL)]
    model = Fake(messages=iter([*said, AIMessage("The first was ORD-9911.")]), sent=[])
    asked = HumanMessage("what was the first?")
    config: Any = {"configurable": {"thread_id": "one"}}
    graph = create_agent(model, tools(), middleware=[compaction, gate], checkpointer=InMemorySaver())
    messages = graph.invoke({"messages": [*talk(), asked]}, config)["messages"]
    assert [decision.outcome for decision in gate.decisions] == ["revise", "flagged"]
    assert [message.type for message in messages[-4:]] == ["human", "ai", "tool", "ai"]
    assert not any("evidence check" in message.text for message in messages)
    for request in map(canonical, model.sent):
        fp.validate_for("openai_chat", request)
        assert asked.text in [message.text for message in request]
    assert "evidence check" in model.sent[-1][-3].text  # which is still to be seen, behind what it is about
