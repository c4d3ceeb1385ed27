"""The long run through the Agents SDK's own loop, with the scripted model that the SDK ships."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agents import (
    Agent,
    FunctionTool,
    Model,
    RunConfig,
    RunHooks,
    Runner,
    SessionSettings,
    SQLiteSession,
    Usage,
    function_tool,
)
from agents.extensions import ToolOutputTrimmer
from agents.extensions.memory import AdvancedSQLiteSession
from agents.memory import Session
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseReasoningItem
from tests.hosts import scenario
from tests.hosts.scenario import STEPS, SYSTEM, THRESHOLD, TOOLS, TURNS, Run, input_tokens

import foldproof as fp
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.openai_agents import FoldproofHooks, FoldproofInputFilter, FoldproofSession

FORMAT: Final = "openai_responses"


def scripted(script: scenario.ScriptedModel) -> ScriptedModel:
    """A model that takes the script's steps, thinks ahead of each of them, and reports its usage."""
    numbers = itertools.count(1)

    def answer(call: ModelCall) -> ModelStep:
        request = canonical(call.input, call.system_instructions)
        script.record(request)
        tokens = input_tokens(request)
        number, step = next(numbers), script.step()
        thought: Any = ResponseReasoningItem(
            id=f"rs_{number}", type="reasoning", summary=[], encrypted_content=f"sealed-{number}"
        )
        said = [assistant_message(step.text, item_id=f"msg_{number}")] if step.text else []
        calls = [function_call(one.name, one.arguments, call_id=one.id, item_id=f"fc_{one.id}") for one in step.calls]
        usage = Usage(requests=1, input_tokens=tokens, output_tokens=9, total_tokens=tokens + 9)
        return ModelStep(output=[thought, *said, *calls], usage=usage, response_id=f"resp_{number}")

    return ScriptedModel([ModelStep.respond(answer) for _ in STEPS])


def canonical(items: Any, instructions: str | None = None) -> tuple[fp.Message, ...]:  # noqa: ANN401
    """A request as it goes over the wire: its items and its instructions."""
    body = {"input": items, **({"instructions": instructions} if instructions else {})}
    return parse_as(body, FORMAT).messages


def tools() -> list[FunctionTool]:
    return [
        function_tool(tool.function, name_override=tool.name, description_override=tool.description) for tool in TOOLS
    ]


@dataclass
class Played:
    """A run, and what it was played with."""

    run: Run
    model: ScriptedModel
    session: Session


async def _play(filter_: Any, session: Session, settings: SessionSettings | None) -> Played:  # noqa: ANN401
    script = scenario.ScriptedModel()
    model: Model = scripted(script)
    agent = Agent("desk", instructions=SYSTEM, tools=list(tools()), model=model)
    ours = filter_ if isinstance(filter_, FoldproofInputFilter) else session
    hooks: RunHooks[Any] | None = (
        FoldproofHooks(ours) if isinstance(ours, FoldproofInputFilter | FoldproofSession) else None
    )
    config = RunConfig(call_model_input_filter=filter_, session_settings=settings, tracing_disabled=True)
    answers = []
    for turn in TURNS:
        done = await Runner.run(agent, turn.request, session=session, run_config=config, hooks=hooks, max_turns=40)
        answers.append(str(done.final_output))
    stored = await session.get_items(1_000_000)
    known = (
        ours.hosted.state(stored).ledger
        if isinstance(ours, FoldproofInputFilter | FoldproofSession)
        else canonical(stored)
    )
    run = Run(requests=tuple(script.requests), answers=tuple(answers), kept=known, provider=FORMAT)
    assert isinstance(model, ScriptedModel)
    return Played(run, model, session)


def play(
    filter_: Any = None,  # noqa: ANN401 - whatever the SDK takes
    session: Callable[[Session], Session] = lambda inner: inner,
    settings: SessionSettings | None = None,
) -> Played:
    inner = SQLiteSession("desk")
    try:
        return asyncio.run(_play(filter_, session(inner), settings))
    finally:
        inner.close()


def compactor(strategy: Strategy) -> fp.Compactor:
    return fp.Compactor(strategy, provider=FORMAT)


def ours(strategy: Strategy) -> Run:
    return play(FoldproofInputFilter(compactor(strategy))).run


def stored(strategy: Strategy) -> Run:
    return play(session=lambda inner: FoldproofSession(inner, compactor(strategy))).run


def advanced() -> Run:
    session = AdvancedSQLiteSession(session_id="desk", create_tables=True)
    try:
        return play(session=lambda _: session, settings=SessionSettings(limit=24)).run
    finally:
        session.close()


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": lambda: play().run,
    "foldproof: SummarizeOldest (filter)": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: ClearToolResults (filter)": lambda: ours(fp.ClearToolResults(THRESHOLD)),
    "foldproof: SummarizeOldest (session)": lambda: stored(fp.SummarizeOldest(THRESHOLD // 3, 2)),
    "SessionSettings: 24 items": lambda: play(settings=SessionSettings(limit=24)).run,
    "AdvancedSQLiteSession: 24 items": advanced,
    "ToolOutputTrimmer: 2 requests": lambda: play(ToolOutputTrimmer(recent_turns=2, max_output_chars=200)).run,
}
