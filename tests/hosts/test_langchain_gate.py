"""The gate inside LangChain's own loop: asked once, flagged or refused, and nothing of it stays in the thread."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult
from tests.hosts.langchain_runs import agent, canonical, chat, play, tools
from tests.hosts.scenario import ANSWER, THRESHOLD
from tests.hosts.test_langchain import talk

import foldproof as fp
from foldproof.evidence.gate import Gate, Posture, UnsupportedValuesError
from foldproof.messages import author_of, frame_kind
from foldproof_compactors.langchain import CompactionMiddleware, GateMiddleware

TRUE = "The first was ORD-4400."
MADE_UP = "The first was ORD-9911."
WORSE = "They were ORD-9911 and ORD-9922."


class Fake(GenericFakeChatModel):
    """Their fake, with tools, which remembers what it was sent."""

    sent: list[list[BaseMessage]] = []  # noqa: RUF012 - pydantic copies it

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401
        self.sent.append(list(messages))
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, *_: Any, **__: Any) -> Fake:  # noqa: ANN401
        return self


class Gated:
    """An agent with a gate, and a thread that was folded before it answers."""

    def __init__(self, posture: Posture, *answers: str | AIMessage, persistent: bool = False, **options: Any) -> None:  # noqa: ANN401
        compactor = fp.Compactor(fp.SummarizeOldest(300, 2), gate=Gate(posture=posture))
        self.compaction = CompactionMiddleware(compactor, persistent=persistent)
        self.gate = GateMiddleware(self.compaction, **options)
        said = iter([AIMessage(answer) if isinstance(answer, str) else answer for answer in answers])
        self.model = Fake(messages=said, sent=[])
        self.graph: Any = create_agent(self.model, tools(), middleware=[self.compaction, self.gate])

    def ask(self) -> list[Any]:
        asked = {"messages": [*talk(), HumanMessage("what was the first?", id="asked")]}
        messages: list[Any] = self.graph.invoke(asked)["messages"]
        return messages

    @property
    def outcomes(self) -> list[str]:
        return [decision.outcome for decision in self.gate.decisions]


@pytest.mark.parametrize("persistent", [False, True])
def test_an_answer_from_what_was_folded_is_accepted(persistent: bool) -> None:  # noqa: FBT001
    gated = Gated("rails", TRUE, persistent=persistent)
    assert gated.ask()[-1].text == TRUE
    assert gated.outcomes == ["accepted"]
    assert gated.compaction.records[0].outcome == "complete"


@pytest.mark.parametrize("persistent", [False, True])
def test_the_model_revises_once_and_the_thread_shows_only_the_revision(persistent: bool) -> None:  # noqa: FBT001
    gated = Gated("guard", MADE_UP, TRUE, persistent=persistent)
    messages = gated.ask()
    assert gated.outcomes == ["revise", "accepted"]
    assert [message.text for message in messages[-2:]] == ["what was the first?", TRUE]


def test_the_correction_is_sent_once_behind_the_answer_and_is_nobodys_request() -> None:
    gated = Gated("guard", MADE_UP, TRUE)
    gated.ask()
    first, second = map(canonical, gated.model.sent)
    assert second[-2].text == MADE_UP
    assert author_of(second[-1]) == "library"
    assert frame_kind(second[-1]) == "evidence-check"
    for request in (first, second):
        assert [message.text for message in request if author_of(message) == "person"][-1] == "what was the first?"
        fp.validate_for("openai_chat", request)


def test_guard_lets_the_second_answer_pass_flagged() -> None:
    gated = Gated("guard", MADE_UP, MADE_UP)
    assert gated.ask()[-1].text == MADE_UP
    assert gated.outcomes == ["revise", "flagged"]


def test_assist_asks_nobody() -> None:
    gated = Gated("assist", MADE_UP)
    assert gated.ask()[-1].text == MADE_UP
    assert gated.outcomes == ["recorded"]


def test_rails_refuses_the_second_answer() -> None:
    with pytest.raises(UnsupportedValuesError, match="ORD-9911"):
        Gated("rails", MADE_UP, MADE_UP).ask()


def test_rails_ends_with_a_refusal_of_the_apps() -> None:
    messages = Gated("rails", MADE_UP, MADE_UP, refusal="I cannot confirm that.").ask()
    assert [message.text for message in messages[-2:]] == ["what was the first?", "I cannot confirm that."]


@pytest.mark.parametrize("revision", ["", WORSE])
def test_a_revision_that_is_none_leaves_the_answer_before_it(revision: str) -> None:
    gated = Gated("guard", MADE_UP, revision)
    messages = gated.ask()
    assert [message.text for message in messages[-2:]] == ["what was the first?", MADE_UP]
    assert gated.outcomes == ["revise", "flagged"]


def test_a_revision_may_call_a_tool_and_its_result_counts() -> None:
    call: Any = {"id": "again", "name": "get_order", "args": {"order": "ORD-9911"}}
    gated = Gated("rails", MADE_UP, AIMessage("", tool_calls=[call]), MADE_UP)
    messages = gated.ask()
    assert gated.outcomes == ["revise", "accepted"]
    assert [message.type for message in messages[-4:]] == ["human", "ai", "tool", "ai"]


def test_what_the_app_tells_the_model_exempts() -> None:
    gated = Gated("rails", MADE_UP, instructions="The demo order is ORD-9911.")
    assert gated.ask()[-1].text == MADE_UP


@pytest.mark.parametrize("is_async", [False, True])
def test_what_a_system_prompt_and_the_tools_say_exempts_in_that_agent_alone(is_async: bool) -> None:  # noqa: FBT001
    compaction = CompactionMiddleware(fp.Compactor(gate=Gate(posture="rails")))
    gate = GateMiddleware(compaction)
    asked: Any = {"messages": [HumanMessage("how do I reach you, and what is the plan?")]}

    def call() -> str:
        """Call 0800-555-1234."""
        return ""

    def said(prompt: str, *offered: Any) -> list[str]:  # noqa: ANN401
        answers = (AIMessage("Call 0800-555-1234, and the plan is ZX-9917.") for _ in range(2))
        model = Fake(messages=answers, sent=[])
        graph: Any = create_agent(model, list(offered), system_prompt=prompt, middleware=[compaction, gate])
        outcome = asyncio.run(graph.ainvoke(asked)) if is_async else graph.invoke(asked)
        assert set(outcome) == {"messages"}
        return [value.text for value in gate.decisions[-1].unsupported]

    assert said("The plan is ZX-9917.", call) == []
    with pytest.raises(UnsupportedValuesError, match="ZX-9917"):
        said("Be kind.", call)


def test_an_asynchronous_agent_is_gated_too() -> None:
    gated = Gated("guard", MADE_UP, TRUE)
    messages = asyncio.run(gated.graph.ainvoke({"messages": [*talk(), HumanMessage("what was the first?")]}))
    assert messages["messages"][-1].text == TRUE


def test_a_thread_that_cannot_be_read_is_answered_by_guard_and_not_by_rails() -> None:
    for posture, raised in (("guard", False), ("rails", True)):
        gated = Gated(posture, MADE_UP)  # type: ignore[arg-type]
        broken = BaseMessage(content="meanwhile", type="narrator")
        asked = {"messages": [broken, HumanMessage("and?")]}
        if raised:
            with pytest.raises(fp.TranscriptError):
                gated.graph.invoke(asked)
        else:
            assert gated.graph.invoke(asked)["messages"][-1].text == MADE_UP


def test_a_gate_needs_one_in_the_compactor() -> None:
    with pytest.raises(fp.UsageError, match="no gate"):
        GateMiddleware(CompactionMiddleware())


def test_the_long_runs_invention_is_named() -> None:
    compactor = fp.Compactor(fp.SummarizeOldest(THRESHOLD, 4), gate=Gate(posture="assist"))
    compaction, model = CompactionMiddleware(compactor), chat()
    gate = GateMiddleware(compaction)
    run = play(model, agent(model, compaction, gate), compaction.hosted)
    assert run.answers[-1] == ANSWER
    assert [len(decision.unsupported) for decision in gate.decisions] == [0, 0, 0, 1]
