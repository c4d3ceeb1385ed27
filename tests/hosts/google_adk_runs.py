"""The long run through ADK's own Runner, with a model that follows the script."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Final

from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types
from pydantic import PrivateAttr
from tests.hosts.scenario import SYSTEM, THRESHOLD, TOOLS, TURNS, Run, ScriptedModel, Step, input_tokens

from foldproof import ClearToolResults, Compactor, Message, SummarizeOldest, parse
from foldproof.window import Strategy
from foldproof_compactors.google_adk import CompactorEventsSummarizer, CompactorPlugin, contents_compactor

APP, USER, SESSION = "desk", "person", "one"


def request_of(contents: Sequence[types.Content], system: str = "") -> tuple[Message, ...]:
    """Return what goes over Gemini's wire as messages."""
    rows = [content.model_dump(mode="json", by_alias=True, exclude_none=True) for content in contents]
    told = {"systemInstruction": system} if system else {}
    return parse({**told, "contents": rows}, format="gemini_api", strict=True).messages


class FollowsTheScript(BaseLlm):
    """A model that says what the script says, and remembers what it was sent."""

    model: str = "scripted"
    _script: ScriptedModel = PrivateAttr(default_factory=ScriptedModel)

    @property
    def script(self) -> ScriptedModel:
        return self._script

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse, None]:
        assert not stream
        sent = request_of(llm_request.contents, str(llm_request.config.system_instruction or ""))
        self._script.record(sent)
        yield said(self._script.step(), input_tokens(sent))


class Summarizes(BaseLlm):
    """A model that writes the summaries of ADK's own compaction."""

    model: str = "summarizes"

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse, None]:
        del llm_request, stream
        text = "The person asked about their orders; the desk looked up customers, orders, parcels and invoices."
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def said(step: Step, tokens: int) -> LlmResponse:
    """Return a step of the script as a response of Gemini's."""
    words = [types.Part(text=step.text)] if step.text else []
    calls = [
        types.Part(
            function_call=types.FunctionCall(id=call.id, name=call.name, args=call.arguments),
            thought_signature=call.id.encode() if at == 0 else None,
        )
        for at, call in enumerate(step.calls)
    ]
    usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=tokens)
    return LlmResponse(content=types.Content(role="model", parts=[*words, *calls]), usage_metadata=usage)


def runner_of(
    model: BaseLlm,
    plugins: Sequence[BasePlugin] = (),
    compaction: EventsCompactionConfig | None = None,
    sessions: InMemorySessionService | None = None,
) -> Runner:
    tools: list[Any] = [tool.function for tool in TOOLS]
    agent = LlmAgent(name="desk_agent", model=model, instruction=SYSTEM, tools=tools)
    app = App(name=APP, root_agent=agent, plugins=list(plugins), events_compaction_config=compaction)
    return Runner(app=app, session_service=sessions or InMemorySessionService(), auto_create_session=True)


async def asked(runner: Runner, request: str, *, session: str = SESSION) -> str:
    """Return the final answer to a request; what failed is told by its code."""
    answer = ""
    new = types.Content(role="user", parts=[types.Part(text=request)])
    async for event in runner.run_async(user_id=USER, session_id=session, new_message=new):
        if event.is_final_response() and event.author != "user":
            parts = event.content.parts or [] if event.content else []
            answer = event.error_code or "".join(part.text or "" for part in parts)
    return answer


async def _played(plugins: Sequence[BasePlugin], compaction: EventsCompactionConfig | None) -> Run:
    model = FollowsTheScript()
    runner = runner_of(model, plugins, compaction)
    answers = tuple([await asked(runner, turn.request) for turn in TURNS])
    session = await runner.session_service.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    assert session is not None
    events = [event for event in session.events if event.content is not None]
    kept = request_of([event.content for event in events if event.content], SYSTEM)
    return Run(requests=tuple(model.script.requests), answers=answers, kept=kept, provider="gemini")


def played(*plugins: BasePlugin, compaction: EventsCompactionConfig | None = None) -> Run:
    """Return the run with plugins, or with a compaction of the session."""
    return asyncio.run(_played(plugins, compaction))


def folded(strategy: Strategy) -> tuple[CompactorPlugin, Run]:
    """Return the run with the plugin, with it."""
    plugin = CompactorPlugin(Compactor(strategy))
    return plugin, played(plugin)


OLDEST: Final = SummarizeOldest(THRESHOLD, 4)


def _filtered() -> Run:
    return played(ContextFilterPlugin(custom_filter=contents_compactor(OLDEST)))  # type: ignore[arg-type, unused-ignore]


def _session_folded(**options: int) -> Run:
    summarizer = CompactorEventsSummarizer(SummarizeOldest(0, 1))
    return played(compaction=EventsCompactionConfig(summarizer=summarizer, **options))


def _own(**options: int) -> Run:
    return played(compaction=EventsCompactionConfig(summarizer=LlmEventSummarizer(Summarizes()), **options))


def _quietly(play: Callable[[], Run]) -> Callable[[], Run]:
    """Return a run without ADK's warnings that its compaction is experimental."""

    def quiet() -> Run:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r".*EXPERIMENTAL", UserWarning)
            return play()

    return quiet


_RUNS: Final[Mapping[str, Callable[[], Run]]] = {
    "none": played,
    "foldproof: SummarizeOldest": lambda: folded(OLDEST)[1],
    "foldproof: ClearToolResults": lambda: folded(ClearToolResults(THRESHOLD))[1],
    "foldproof: SummarizeOldest as a custom_filter": _filtered,
    "foldproof: SummarizeOldest as a summarizer, token_threshold": lambda: _session_folded(
        token_threshold=THRESHOLD, event_retention_size=4
    ),
    "foldproof: SummarizeOldest as a summarizer, compaction_interval": lambda: _session_folded(
        compaction_interval=1, overlap_size=0
    ),
    "LlmEventSummarizer: token_threshold": lambda: _own(token_threshold=THRESHOLD, event_retention_size=4),
    "LlmEventSummarizer: compaction_interval": lambda: _own(compaction_interval=1, overlap_size=0),
    "ContextFilterPlugin: num_invocations_to_keep": lambda: played(ContextFilterPlugin(num_invocations_to_keep=1)),
}
RUNS: Final[Mapping[str, Callable[[], Run]]] = {name: _quietly(play) for name, play in _RUNS.items()}
