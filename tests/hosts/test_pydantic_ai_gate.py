"""What becomes of an answer of pydantic-ai's that states what nobody said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.run import AgentRunResult
from tests.hosts.pydantic_ai_runs import canonical
from tests.hosts.test_pydantic_ai import talk

import foldproof as fp
from foldproof.evidence.gate import Posture, UnsupportedValuesError
from foldproof_compactors.pydantic_ai import FoldproofCompaction

HISTORY = [*talk()[:-1]]
TRUE, FALSE, FALSE_TOO = "The first is ORD-4400.", "The first is ORD-9911.", "The first is ORD-9922."


class Answers:
    """A model that gives its answers in order, and remembers what it was sent."""

    def __init__(self, *answers: str) -> None:
        self.sent: list[list[ModelMessage]] = []
        self._answers = iter(answers)

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(messages)
        answer = next(self._answers)
        if not info.output_tools:
            return ModelResponse([TextPart(answer)])
        call = ToolCallPart(info.output_tools[0].name, {"order": answer}, tool_call_id=f"out{len(self.sent)}")
        return ModelResponse([call])


class Found(BaseModel):
    order: str


def gated(posture: Posture) -> FoldproofCompaction:
    return FoldproofCompaction(fp.Compactor(fp.SummarizeOldest(0, 3), gate=fp.Gate(posture=posture)))


def run(agent: Agent[Any, Any], request: str, history: Sequence[ModelMessage] = HISTORY) -> AgentRunResult[Any]:
    return asyncio.run(agent.run(request, message_history=history))


def outcomes(compaction: FoldproofCompaction) -> list[str]:
    return [decision.outcome for decision in compaction.decisions]


def test_a_guard_asks_once_and_stores_neither_the_answer_nor_the_correction() -> None:
    compaction, model = gated("guard"), Answers(FALSE, TRUE)
    agent = Agent(FunctionModel(model), capabilities=[compaction])
    result = run(agent, "Which is the first?")
    assert result.output == TRUE
    assert outcomes(compaction) == ["revise", "accepted"]
    assert FALSE not in "\n".join(message.text for message in canonical(result.all_messages()))
    assert "evidence check" not in str(result.all_messages())
    assert len(result.all_messages()) == len(HISTORY) + 2
    shown = canonical(model.sent[1])
    assert [message.text for message in shown[-3:-1]] == ["Which is the first?", FALSE]
    assert shown[-1].text.startswith("[foldproof evidence check]")
    assert fp.author_of(shown[-1]) == "library"
    fp.validate_for("openai_chat", shown)


@pytest.mark.parametrize(("posture", "last"), [("guard", "flagged"), ("assist", "recorded")])
def test_a_guard_lets_the_second_answer_pass_and_an_assistant_the_first(posture: Posture, last: str) -> None:
    compaction, model = gated(posture), Answers(FALSE, FALSE_TOO)
    result = run(Agent(FunctionModel(model), capabilities=[compaction]), "And?")
    assert outcomes(compaction)[-1] == last
    assert result.output == (FALSE_TOO if posture == "guard" else FALSE)
    assert len(model.sent) == (2 if posture == "guard" else 1)


def test_rails_refuse_the_second_answer() -> None:
    compaction, model = gated("rails"), Answers(FALSE, FALSE_TOO)
    agent = Agent(FunctionModel(model), capabilities=[compaction])
    with pytest.raises(UnsupportedValuesError) as refused:
        run(agent, "And?")
    assert [value.text for value in refused.value.values] == ["ORD-9922"]
    assert outcomes(compaction) == ["revise", "refused"]


def test_every_run_has_a_revision_of_its_own() -> None:
    compaction, model = gated("guard"), Answers(FALSE, TRUE, FALSE, TRUE)
    agent = Agent(FunctionModel(model), capabilities=[compaction])
    for _ in range(2):
        assert run(agent, "Again?").output == TRUE
    assert outcomes(compaction) == ["revise", "accepted"] * 2


def test_instructions_ground_an_answer() -> None:
    compaction, model = gated("rails"), Answers(FALSE)
    agent = Agent(FunctionModel(model), instructions="ORD-9911 is for tests.", capabilities=[compaction])
    assert run(agent, "And?").output == FALSE
    assert outcomes(compaction) == ["accepted"]


@pytest.mark.parametrize("output_type", [str, Found])
@pytest.mark.parametrize("as_capability", [True, False])
def test_what_a_tool_is_described_with_grounds_an_answer(output_type: type, *, as_capability: bool) -> None:
    def ship(order: str) -> str:
        """Ship an order, such as ORD-9911."""
        return order

    compaction = gated("rails")
    capabilities = [compaction] if as_capability else []
    agent = Agent(
        FunctionModel(Answers("Say for example ORD-9911.")),
        output_type=output_type,
        tools=[ship],
        capabilities=capabilities,
    )
    agent.output_validator(compaction.check_output)
    assert "ORD-9911" in str(run(agent, "How do I order?").output)
    assert set(outcomes(compaction)) == {"accepted"}


@pytest.mark.parametrize("posture", ["guard", "rails"])
def test_an_answer_over_what_cannot_be_read_passes_a_guard_and_no_rails(
    posture: Posture, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object) -> Any:  # noqa: ANN401 - it returns nothing
        raise fp.TranscriptError("it cannot be read")

    compaction = gated(posture)
    agent = Agent(FunctionModel(Answers(FALSE)), capabilities=[compaction])
    monkeypatch.setattr(compaction.hosted, "_list", unreadable)
    if posture == "guard":
        assert run(agent, "And?").output == FALSE
        assert "an answer was not judged" in caplog.text
    else:
        with pytest.raises(fp.TranscriptError):
            run(agent, "And?")


@pytest.mark.parametrize("output_type", [str, Found])
@pytest.mark.parametrize("as_capability", [True, False])
def test_an_output_is_judged_by_a_validator(output_type: type, *, as_capability: bool) -> None:
    compaction, model = gated("guard"), Answers(FALSE, TRUE)
    capabilities = [compaction] if as_capability else []
    agent = Agent(FunctionModel(model), output_type=output_type, capabilities=capabilities)
    agent.output_validator(compaction.check_output)
    result = run(agent, "And?")
    assert TRUE in str(result.output)
    assert len(model.sent) == 2
    assert outcomes(compaction)[0] == "revise"
    assert set(outcomes(compaction)[1:]) == {"accepted"}
    stored = [message for message in canonical(result.all_messages()) if "evidence check" in message.text]
    assert len(stored) == (0 if as_capability and output_type is str else 1)
    assert all(fp.author_of(message) == "library" for message in stored)


def test_rails_refuse_an_output_and_ask_once_with_both() -> None:
    compaction, model = gated("rails"), Answers(FALSE, FALSE)
    agent = Agent(FunctionModel(model), output_type=Found, capabilities=[compaction])
    agent.output_validator(compaction.check_output)
    with pytest.raises(UnsupportedValuesError):
        run(agent, "And?")
    assert outcomes(compaction) == ["revise", "refused"]


def test_an_output_without_a_retry_left_is_judged_as_the_last_one() -> None:
    compaction = gated("guard")
    agent = Agent(FunctionModel(Answers(FALSE)), retries=0)
    agent.output_validator(compaction.check_output)
    assert run(agent, "And?").output == FALSE
    assert outcomes(compaction) == ["flagged"]


async def _stream(compaction: FoldproofCompaction) -> str:
    async def words(_: Sequence[ModelMessage], __: AgentInfo) -> AsyncIterator[str]:
        for piece in (FALSE[:9], FALSE[9:]):
            yield piece

    agent = Agent(FunctionModel(stream_function=words), capabilities=[compaction])
    async with agent.run_stream("And?", message_history=HISTORY) as result:
        return await result.get_output()


def test_a_streamed_answer_is_flagged_by_a_guard_and_refused_by_rails() -> None:
    guard, rails = gated("guard"), gated("rails")
    assert asyncio.run(_stream(guard)) == FALSE
    assert outcomes(guard) == ["flagged"]
    with pytest.raises(UnsupportedValuesError):
        asyncio.run(_stream(rails))
    assert outcomes(rails) == ["refused"]


def test_what_was_folded_still_grounds_an_answer() -> None:
    compaction = FoldproofCompaction(
        fp.Compactor(fp.SummarizeOldest(0, 3), gate=fp.Gate(posture="rails")), persistent=True
    )
    folded = compaction.fold([*HISTORY, ModelRequest([UserPromptPart("And?")])])[:-1]
    assert "ORD-4401" not in str(folded[-3:])
    agent = Agent(FunctionModel(Answers("The second is ORD-4401.")), capabilities=[compaction])
    assert run(agent, "And the second?", folded).output == "The second is ORD-4401."
