"""The long run through LangChain's and LangGraph's own loops, with a scripted chat model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    SummarizationMiddleware,
    ToolCallRequest,
)
from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel, Step, input_tokens

import foldproof as fp
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor
from foldproof_compactors.langchain import CompactionMiddleware, PreModelHook


class ScriptedChat(BaseChatModel):
    """A chat model whose answers are the script's, and which reports usage as a provider does."""

    script: Any
    sent: list[list[BaseMessage]] = []  # noqa: RUF012 - pydantic copies it

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> ScriptedChat:  # noqa: ANN401
        del tools, kwargs
        return self

    def _generate(self, messages: list[BaseMessage], *_: object, **__: object) -> ChatResult:
        request = canonical(messages)
        self.script.record(request)
        self.sent.append(list(messages))
        answer = said(self.script.step(), input_tokens(request))
        return ChatResult(generations=[ChatGeneration(message=answer)])


class NamedResults(AgentMiddleware[Any, Any, Any]):
    """Gives results ids of their own: those that LangGraph draws are other ones, and other tokens, in every run."""

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:  # noqa: ANN401
        return handler(request).model_copy(update={"id": f"result-{request.tool_call['id']}"})

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:  # noqa: ANN401
        return (await handler(request)).model_copy(update={"id": f"result-{request.tool_call['id']}"})


def said(step: Step, tokens: int) -> AIMessage:
    calls: Any = [{"id": call.id, "name": call.name, "args": dict(call.arguments)} for call in step.calls]
    usage: Any = {"input_tokens": tokens, "output_tokens": 9, "total_tokens": tokens + 9}
    return AIMessage(step.text, tool_calls=calls, usage_metadata=usage)


def canonical(messages: Sequence[BaseMessage]) -> tuple[fp.Message, ...]:
    """A request as OpenAI's wire has it, by the framework's own mapping."""
    return parse_as(convert_to_openai_messages(list(messages)), "openai_chat").messages


def tools() -> list[StructuredTool]:
    return [StructuredTool.from_function(tool.function, name=tool.name, description=tool.description) for tool in TOOLS]


def thread(name: str = "one") -> Any:  # noqa: ANN401 - a RunnableConfig
    return {"configurable": {"thread_id": name}, "recursion_limit": 500}


def agent(model: ScriptedChat, *middleware: Any) -> Any:  # noqa: ANN401 - a compiled graph
    return create_agent(
        model, tools(), system_prompt=SYSTEM, middleware=[*middleware, NamedResults()], checkpointer=InMemorySaver()
    )


def react(model: ScriptedChat, hook: Any) -> Any:  # noqa: ANN401 - as above
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "create_react_agent has been moved")  # and is still what many graphs use
        return create_react_agent(model, tools(), prompt=SYSTEM, pre_model_hook=hook, checkpointer=InMemorySaver())


def chat() -> ScriptedChat:
    return ScriptedChat(script=ScriptedModel(), sent=[])


def ask(graph: Any, text: str, name: str = "one") -> str:  # noqa: ANN401
    answer: str = graph.invoke({"messages": [("user", text)]}, thread(name))["messages"][-1].text
    return answer


def held(graph: Any, name: str = "one") -> list[Any]:  # noqa: ANN401
    messages: list[Any] = graph.get_state(thread(name)).values["messages"]
    return messages


def play(model: ScriptedChat, graph: Any, hosted: HostedCompactor[Any] | None = None) -> Run:  # noqa: ANN401
    answers = tuple(ask(graph, turn.request) for turn in TURNS)
    messages = held(graph)
    known = canonical(messages) if hosted is None else hosted.state(messages).ledger
    told = (fp.Message(role="system", content=SYSTEM),)
    return Run(requests=tuple(model.script.requests), answers=answers, kept=(*told, *known), provider="openai_chat")


def compactor(strategy: Strategy) -> fp.Compactor:
    return fp.Compactor(strategy, provider="openai_chat")


def ours(strategy: Strategy, *, persistent: bool = False) -> Run:
    middleware, model = CompactionMiddleware(compactor(strategy), persistent=persistent), chat()
    return play(model, agent(model, middleware), middleware.hosted)


def hooked(strategy: Strategy, *, persistent: bool = False) -> Run:
    hook, model = PreModelHook(compactor(strategy), persistent=persistent), chat()
    return play(model, react(model, hook), hook.hosted)


def theirs(*middleware: Any) -> Run:  # noqa: ANN401
    model = chat()
    return play(model, agent(model, *middleware))


def summarization() -> SummarizationMiddleware:
    told = (AIMessage("Several orders were looked up; all is well.") for _ in range(1_000))
    return SummarizationMiddleware(
        GenericFakeChatModel(messages=told), trigger=("tokens", THRESHOLD), keep=("messages", 8)
    )


def trimmed() -> Run:
    def hook(state: Any) -> dict[str, Any]:  # noqa: ANN401
        view = trim_messages(
            state["messages"], max_tokens=THRESHOLD, token_counter=count_tokens_approximately, start_on="human"
        )
        return {"llm_input_messages": view}

    model = chat()
    return play(model, react(model, hook))


RUNS: Mapping[str, Callable[[], Run]] = {
    "none": theirs,
    "foldproof: SummarizeOldest, request-only": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: SummarizeOldest, persistent": lambda: ours(fp.SummarizeOldest(THRESHOLD, 4), persistent=True),
    "foldproof: ClearToolResults, request-only": lambda: ours(fp.ClearToolResults(THRESHOLD)),
    "foldproof: SummarizeOldest, pre-model hook": lambda: hooked(fp.SummarizeOldest(THRESHOLD, 4)),
    "foldproof: SummarizeOldest, persistent hook": lambda: hooked(fp.SummarizeOldest(THRESHOLD, 4), persistent=True),
    "SummarizationMiddleware: keeps 8 messages": lambda: theirs(summarization()),
    "ContextEditingMiddleware: ClearToolUsesEdit, keeps 3": lambda: theirs(
        ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=THRESHOLD, keep=3)])
    ),
    "trim_messages: in a pre-model hook": trimmed,
}
