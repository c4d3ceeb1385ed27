"""The long run through Agent Framework's own loop, with a scripted chat client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    CompactionProvider,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    InMemoryHistoryProvider,
    Message,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    included_messages,
)
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel, Step, input_tokens

import foldproof as fp
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.agent_framework import FoldproofCompaction, ReportedUsage

FORMAT = "agent_framework"


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A chat client whose answers are the script's; the framework's own layers call the tools."""

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__()
        self.model = model
        self.sent: list[list[Message]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: object
    ) -> Any:  # noqa: ANN401 - an answer, or a stream of one
        del kwargs
        if stream:
            return self._build_response_stream(self._stream(messages, options))
        return self._answer(messages, options)

    async def _stream(
        self, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> AsyncIterator[ChatResponseUpdate]:
        answer = await self._answer(messages, options)
        for message in answer.messages:
            yield ChatResponseUpdate(role="assistant", contents=message.contents)
        usage = Content.from_usage(answer.usage_details or {})
        yield ChatResponseUpdate(role="assistant", contents=[usage])

    async def _answer(self, messages: Sequence[Message], options: Mapping[str, Any]) -> ChatResponse[Any]:
        instructions = [fp.Message(role="system", content=str(options["instructions"]))]
        request = (*(instructions if options.get("instructions") else ()), *canonical(messages))
        self.model.record(request)
        self.sent.append(list(messages))
        tokens = input_tokens(request)
        return ChatResponse(
            messages=[said(self.model.step())], usage_details={"input_token_count": tokens, "output_token_count": 9}
        )


def said(step: Step) -> Message:
    calls = [
        Content.from_function_call(call.id, call.name, arguments=json.dumps(call.arguments)) for call in step.calls
    ]
    return Message("assistant", [*([Content.from_text(step.text)] if step.text else []), *calls])


def canonical(messages: Sequence[Message]) -> tuple[fp.Message, ...]:
    """A request as it is read: without what the framework keeps for itself and sends to nobody."""
    rows = [message.to_dict(exclude={"raw_representation", "additional_properties"}) for message in messages]
    return parse_as(rows, FORMAT).messages if rows else ()


class Summarizer:
    """Stands in for a chat client that writes summaries."""

    async def get_response(self, *_: object, **__: object) -> Any:  # noqa: ANN401
        return ChatResponse(messages=[Message("assistant", ["Several orders were looked up; all is well."])])


def tools() -> list[FunctionTool]:
    return [FunctionTool(name=tool.name, description=tool.description, func=tool.function) for tool in TOOLS]


@dataclass
class Played:
    """A run, and what it was played with."""

    run: Run
    client: ScriptedClient
    session: AgentSession


async def _play(strategy: Any) -> Played:  # noqa: ANN401
    client, history = ScriptedClient(ScriptedModel()), InMemoryHistoryProvider()
    stored = CompactionProvider(after_strategy=strategy, history_source_id=history.source_id)
    agent = Agent(
        client,
        SYSTEM,
        tools=tools(),
        compaction_strategy=strategy,
        context_providers=[history, stored],
        middleware=[ReportedUsage(strategy)] if isinstance(strategy, FoldproofCompaction) else [],
    )
    session = agent.create_session()
    answers = [(await agent.run(turn.request, session=session)).text for turn in TURNS]
    known = ledger(strategy, session) if isinstance(strategy, FoldproofCompaction) else whole(session)
    run = Run(requests=tuple(client.model.requests), answers=tuple(answers), kept=known, provider="openai_chat")
    return Played(run, client, session)


def held(session: AgentSession) -> list[Message]:
    messages: list[Message] = session.state["in_memory"]["messages"]
    return messages


def whole(session: AgentSession) -> tuple[fp.Message, ...]:
    """Everything that the framework still holds, what it excluded among it."""
    return parse_as([message.to_dict(exclude={"raw_representation"}) for message in held(session)], FORMAT).messages


def ledger(compaction: FoldproofCompaction, session: AgentSession) -> tuple[fp.Message, ...]:
    """Everything that is known through our frames: what the framework includes, and what stands behind them."""
    return compaction.hosted.state(included_messages(held(session))).ledger


def play(strategy: Any = None) -> Played:  # noqa: ANN401 - whatever the framework takes
    return asyncio.run(_play(strategy))


def ours(strategy: Strategy) -> Run:
    return play(FoldproofCompaction(fp.Compactor(strategy, provider="openai_chat"))).run


def summarization() -> SummarizationStrategy:
    client: Any = Summarizer()
    return SummarizationStrategy(client=client, target_count=8, threshold=8)


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": lambda: play().run,
    "foldproof: SummarizeOldest": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: ClearToolResults": lambda: ours(fp.ClearToolResults(THRESHOLD)),
    "SlidingWindowStrategy: 8 groups": lambda: play(SlidingWindowStrategy(keep_last_groups=8)).run,
    "TruncationStrategy: 40 to 16 messages": lambda: play(TruncationStrategy(max_n=40, compact_to=16)).run,
    "ToolResultCompactionStrategy: 3 groups": lambda: (
        play(ToolResultCompactionStrategy(keep_last_tool_call_groups=3)).run
    ),
    "SelectiveToolCallCompactionStrategy: 3 groups": lambda: (
        play(SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=3)).run
    ),
    "SummarizationStrategy: 8 messages": lambda: play(summarization()).run,
}
