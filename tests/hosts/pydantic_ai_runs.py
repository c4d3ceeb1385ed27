"""The long run through pydantic-ai's own loop, with its own model for functions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel, Step, input_tokens

import foldproof as fp
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.pydantic_ai import FoldproofCompaction

FORMAT = "pydantic_ai"


@dataclass
class Scripted:
    """The functions of a model whose answers are the script's."""

    model: ScriptedModel = field(default_factory=ScriptedModel)
    sent: list[list[ModelMessage]] = field(default_factory=list)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        request = self._record(messages, info)
        return ModelResponse(said(self.model.step()), usage=RequestUsage(input_tokens=input_tokens(request)))

    async def stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        self._record(messages, info)
        step = self.model.step()
        if not step.calls:  # a stream of the framework's ends with the first words
            yield step.text
        for at, call in enumerate(step.calls, 1):
            yield {at: DeltaToolCall(name=call.name, json_args=json.dumps(call.arguments), tool_call_id=call.id)}

    def _record(self, messages: list[ModelMessage], info: AgentInfo) -> tuple[fp.Message, ...]:
        told = (fp.Message(role="system", content=info.instructions),) if info.instructions else ()
        request = (*told, *(message for message in canonical(messages) if message.role != "system"))
        self.model.record(request)
        self.sent.append(messages)
        return request

    @property
    def function_model(self) -> FunctionModel:
        return FunctionModel(self.answer, stream_function=self.stream)


def said(step: Step) -> list[TextPart | ToolCallPart]:
    calls = [ToolCallPart(call.name, call.arguments, tool_call_id=call.id) for call in step.calls]
    return [*([TextPart(step.text)] if step.text else []), *calls]


def canonical(messages: Sequence[ModelMessage]) -> tuple[fp.Message, ...]:
    """Messages of the framework as they are read; its own `metadata` is sent to nobody, and ours in it is left out."""
    rows = ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
    return parse_as(rows, FORMAT).messages if rows else ()


def tools() -> list[Tool[Any]]:
    return [Tool(tool.function, name=tool.name, description=tool.description) for tool in TOOLS]


@dataclass
class Played:
    """A run, and what it was played with."""

    run: Run
    scripted: Scripted
    history: list[ModelMessage]


async def _play(capability: Any, known: Callable[[list[ModelMessage]], tuple[fp.Message, ...]]) -> Played:  # noqa: ANN401
    scripted, history, answers = Scripted(), list[ModelMessage](), []
    capabilities = [] if capability is None else [capability]
    agent = Agent(scripted.function_model, instructions=SYSTEM, tools=tools(), capabilities=capabilities)
    for turn in TURNS:
        result = await agent.run(turn.request, message_history=history)
        answers.append(result.output)
        history = result.all_messages()
    run = Run(
        requests=tuple(scripted.model.requests), answers=tuple(answers), kept=known(history), provider="openai_chat"
    )
    return Played(run, scripted, history)


def play(capability: Any = None) -> Played:  # noqa: ANN401 - whatever the framework takes
    """Play the long run with a capability; what is known at the end is what the framework keeps, or our ledger."""
    if not isinstance(capability, FoldproofCompaction):
        return asyncio.run(_play(capability, canonical))
    return asyncio.run(_play(capability, lambda history: capability.hosted.state(history).ledger))


def ours(strategy: Strategy, *, persistent: bool = False) -> Run:
    return play(FoldproofCompaction(fp.Compactor(strategy, provider="openai_chat"), persistent=persistent)).run


def keep_last(messages: list[ModelMessage], *, count: int = 8) -> list[ModelMessage]:
    """Do what the framework's own documentation shows: keep the last messages."""
    return messages[-count:]


async def summarize_oldest(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Do what else it shows: let another agent sum up the oldest messages, and keep the last one."""
    if len(messages) <= 10:
        return messages
    summary = ModelResponse([TextPart("Several orders were looked up; all is well.")])
    summarizer = Agent(FunctionModel(lambda _, __: summary), instructions="Summarize this conversation.")
    result = await summarizer.run(message_history=messages[:10])
    return [*result.new_messages(), *messages[-1:]]


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": lambda: play().run,
    "foldproof: SummarizeOldest, request-only": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: SummarizeOldest, persistent": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4), persistent=True),
    "foldproof: ClearToolResults, request-only": lambda: ours(fp.ClearToolResults(THRESHOLD)),
    "ProcessHistory: last 8 messages": lambda: play(ProcessHistory(keep_last)).run,
    "ProcessHistory: summary of the oldest 10": lambda: play(ProcessHistory(summarize_oldest)).run,
}
