"""The gate inside a run of the Agents SDK: asked again once, in the model call, and refused by a guardrail."""

from __future__ import annotations

import asyncio

import pytest
from agents import (
    Agent,
    Model,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    Runner,
    RunResult,
    SQLiteSession,
    Usage,
    function_tool,
)
from agents.memory import Session
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

import foldproof as fp
from foldproof.evidence import Posture
from foldproof_compactors.openai_agents import FoldproofHooks, FoldproofInputFilter, FoldproofSession, ReviewedModel

WRONG, RIGHT = "The fee of A-1 is 777.50 EUR.", "The fee of A-1 is 131.50 EUR."


@function_tool
def find_order(order: str) -> str:
    """Return what is known of an order."""
    return f'{{"order": "{order}", "fee": "131.50 EUR"}}'


def answers(*texts: str) -> ScriptedModel:
    usage = Usage(requests=1, input_tokens=100, output_tokens=5, total_tokens=105)
    call = ModelStep(output=[function_call("find_order", {"order": "A-1"}, call_id="c1")], usage=usage)
    said = [
        ModelStep(output=[assistant_message(text, item_id=f"msg_{at}")], usage=usage) for at, text in enumerate(texts)
    ]
    return ScriptedModel([call, *said])


def compactor(posture: Posture) -> fp.Compactor:
    return fp.Compactor(fp.SummarizeOldest(1_000_000), gate=fp.Gate(posture=posture))


async def asked(
    model: Model, hooks: FoldproofHooks, filter_: FoldproofInputFilter | None = None, session: Session | None = None
) -> RunResult:
    agent = Agent("desk", tools=[find_order], model=model, output_guardrails=[hooks.guardrail])
    config = RunConfig(call_model_input_filter=filter_, tracing_disabled=True)
    return await Runner.run(agent, "What is the fee of A-1?", hooks=hooks, run_config=config, session=session)


@pytest.mark.parametrize("posture", ["guard", "rails"])
def test_an_invented_value_is_asked_about_once_and_no_session_stores_it(posture: Posture) -> None:
    filter_, model, session = FoldproofInputFilter(compactor(posture)), answers(WRONG, RIGHT), SQLiteSession("desk")
    result = asyncio.run(asked(ReviewedModel(model, filter_), FoldproofHooks(filter_), filter_, session))
    assert result.final_output == RIGHT
    again = model.calls[-1].input
    assert [item.get("role") for item in again[-2:]] == ["assistant", "user"]
    assert "777.50" in again[-1]["content"]
    stored = str(asyncio.run(session.get_items()))
    assert RIGHT in stored
    assert "777.50" not in stored
    assert result.context_wrapper.usage.input_tokens == 300
    assert result.output_guardrail_results[0].output.output_info["outcome"] == "accepted"
    session.close()


def test_guard_lets_the_second_answer_pass_and_asks_no_more() -> None:
    filter_, model = FoldproofInputFilter(compactor("guard")), answers(WRONG, WRONG)
    result = asyncio.run(asked(ReviewedModel(model, filter_), FoldproofHooks(filter_), filter_))
    assert result.final_output == WRONG
    assert len(model.calls) == 3
    assert result.output_guardrail_results[0].output.output_info["outcome"] == "flagged"


@pytest.mark.parametrize("reviewed", [True, False])
def test_rails_trips_the_guardrail(reviewed: bool) -> None:  # noqa: FBT001 - a parameter of the test's
    filter_, model = FoldproofInputFilter(compactor("rails")), answers(WRONG, WRONG)
    with pytest.raises(OutputGuardrailTripwireTriggered) as tripped:
        asyncio.run(asked(ReviewedModel(model, filter_) if reviewed else model, FoldproofHooks(filter_), filter_))
    assert tripped.value.guardrail_result.output.output_info["outcome"] == "refused"
    assert len(model.calls) == (3 if reviewed else 2)


def test_a_session_has_the_gate_too_and_a_correction_grounds_nothing() -> None:
    inner = SQLiteSession("desk")
    session, model = FoldproofSession(inner, compactor("rails")), answers(WRONG, WRONG)
    with pytest.raises(OutputGuardrailTripwireTriggered):
        asyncio.run(asked(ReviewedModel(model, session), FoldproofHooks(session), session=session))
    inner.close()


def test_a_model_is_reviewed_with_a_gate_only() -> None:
    with pytest.raises(fp.UsageError, match="no gate"):
        ReviewedModel(answers(), FoldproofInputFilter())


def test_two_requests_are_asked_about_once_each() -> None:
    async def run() -> int:
        filter_, session = FoldproofInputFilter(compactor("guard")), SQLiteSession("desk")
        model = answers(WRONG, WRONG)
        reviewed, hooks = ReviewedModel(model, filter_), FoldproofHooks(filter_)
        await asked(reviewed, hooks, filter_, session)
        model.extend([[assistant_message("It is 888.50 EUR.", item_id="m8")], [assistant_message(RIGHT, item_id="m9")]])
        result = await asked(reviewed, hooks, filter_, session)
        session.close()
        assert result.final_output == RIGHT
        return len(model.calls)

    assert asyncio.run(run()) == 5
