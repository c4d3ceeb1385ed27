"""The long run through Strands' own loop: its Bedrock provider, with a scripted service behind it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import (
    ConversationManager,
    NullConversationManager,
    SlidingWindowConversationManager,
    SummarizingConversationManager,
)
from strands.models import BedrockModel
from strands.tools.tools import PythonAgentTool
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel, Step, Tool, input_tokens

import foldproof as fp
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.strands import FoldproofConversationManager

FORMAT = "bedrock_converse"


@dataclass
class ScriptedService:
    """Stands in for the service's client: what it is sent is what would go over the wire."""

    model: ScriptedModel
    sent: list[dict[str, Any]] = field(default_factory=list)

    def converse_stream(self, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - the service's
        self.sent.append(request)
        messages = canonical(request)
        self.model.record(messages)
        return {"stream": list(streamed(self.model.step(), input_tokens(messages)))}


@dataclass
class SaysSummaries:
    """A service that writes summaries."""

    def converse_stream(self, **_: Any) -> dict[str, Any]:  # noqa: ANN401 - the service's
        return {"stream": list(streamed(Step("Several orders were looked up; all is well."), 9))}


def canonical(request: Mapping[str, Any]) -> tuple[fp.Message, ...]:
    body = {"system": list(request.get("system", ())), "messages": list(request["messages"])}
    return parse_as(body, FORMAT).messages


def streamed(step: Step, tokens: int) -> Iterator[dict[str, Any]]:
    """An answer as the service streams it."""
    yield {"messageStart": {"role": "assistant"}}
    at = 0
    if step.text:
        yield {"contentBlockDelta": {"contentBlockIndex": at, "delta": {"text": step.text}}}
        yield {"contentBlockStop": {"contentBlockIndex": at}}
    for at, call in enumerate(step.calls, at + 1):  # noqa: B020 - goes on counting
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        yield {"contentBlockStart": {"contentBlockIndex": at, "start": start}}
        yield {
            "contentBlockDelta": {
                "contentBlockIndex": at,
                "delta": {"toolUse": {"input": json.dumps(call.arguments)}},
            }
        }
        yield {"contentBlockStop": {"contentBlockIndex": at}}
    yield {"messageStop": {"stopReason": "tool_use" if step.calls else "end_turn"}}
    usage = {"inputTokens": tokens, "outputTokens": 9, "totalTokens": tokens + 9}
    yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


def bedrock(service: object) -> BedrockModel:
    """The framework's provider with a service of ours."""
    model = BedrockModel(
        region_name="eu-central-1", api_key="none", model_id="anthropic.scripted", context_window_limit=100_000
    )
    model.client = service
    return model


def tools() -> list[Any]:
    return [agent_tool(tool) for tool in TOOLS]


def agent_tool(tool: Tool) -> PythonAgentTool:
    def call(use: Any, **_: Any) -> Any:  # noqa: ANN401 - the framework's
        said = tool.function(**use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": said}]}

    schema: Any = {"name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters}}
    return PythonAgentTool(tool.name, schema, call)


@dataclass
class Played:
    """A run, and what it was played with."""

    run: Run
    service: ScriptedService
    agent: Agent


def agent_of(manager: ConversationManager, service: Any, **options: Any) -> Agent:  # noqa: ANN401
    return Agent(
        bedrock(service),
        tools=tools(),
        system_prompt=SYSTEM,
        conversation_manager=manager,
        callback_handler=None,
        **options,
    )


def play(manager: ConversationManager) -> Played:
    service = ScriptedService(ScriptedModel())
    agent = agent_of(manager, service)
    answers = [text_of(agent(turn.request).message) for turn in TURNS]
    run = Run(
        requests=tuple(service.model.requests),
        answers=tuple(answers),
        kept=known(manager, agent.messages),
        provider="bedrock",
    )
    return Played(run, service, agent)


def text_of(message: Any) -> str:  # noqa: ANN401 - the framework's
    return "\n".join(block["text"] for block in message["content"] if "text" in block)


def known(manager: ConversationManager, messages: Sequence[Any]) -> tuple[fp.Message, ...]:
    """Everything that is still known: through our frames, or as the framework has it."""
    if isinstance(manager, FoldproofConversationManager):
        return manager.hosted.state(messages).ledger
    return parse_as(list(messages), FORMAT).messages


def ours(strategy: Strategy) -> Run:
    return play(FoldproofConversationManager(fp.Compactor(strategy, provider="bedrock"))).run


def summarizing() -> SummarizingConversationManager:
    writer = Agent(bedrock(SaysSummaries()), callback_handler=None)
    return SummarizingConversationManager(
        preserve_recent_messages=6,
        summarization_agent=writer,
        proactive_compression={"compression_threshold": THRESHOLD / 100_000},
    )


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": lambda: play(NullConversationManager()).run,
    "foldproof: SummarizeOldest": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: ClearToolResults": lambda: ours(fp.ClearToolResults(THRESHOLD)),
    "SlidingWindowConversationManager: 16 messages, at the end of a turn": lambda: (
        play(SlidingWindowConversationManager(window_size=16)).run
    ),
    "SlidingWindowConversationManager: 16 messages, per_turn": lambda: (
        play(SlidingWindowConversationManager(window_size=16, per_turn=True)).run
    ),
    "SummarizingConversationManager: keeps 6 messages": lambda: play(summarizing()).run,
}
