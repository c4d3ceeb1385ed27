"""What ADK itself puts into requests, and what the gate reads of them: agents, instructions, caches, searches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any, Literal

import pytest
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.llm_agent import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.agents.sequential_agent import SequentialAgent
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.gemini_context_cache_manager import GeminiContextCacheManager
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import PrivateAttr
from tests.compaction.talk import Slow
from tests.hosts.google_adk_runs import APP, SESSION, USER, request_of

import foldproof as fp
from foldproof_compactors.google_adk import CompactorPlugin

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")  # ADK's own

ASKED = "Find order A-48213, please; I paid a courier fee of 37.20."
OLDEST = fp.SummarizeOldest(500, 2)
Reply = str | types.Part | LlmResponse


class Replies(BaseLlm):
    """A model that gives one reply after the other, and remembers what it was sent."""

    model: str = "replies"
    cuts: bool = False
    _replies: Iterator[Reply] = PrivateAttr()
    _sent: list[LlmRequest] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, *replies: Reply, cuts: bool = False) -> Replies:
        model = cls(cuts=cuts)
        model._replies = iter(replies)
        return model

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse, None]:
        config = llm_request.config.model_copy()
        self._sent.append(llm_request.model_copy(update={"config": config, "contents": list(llm_request.contents)}))
        if self.cuts:  # what Gemini does to a request of which a beginning is in its cache
            GeminiContextCacheManager._apply_cache_to_request(None, llm_request, "cachedContents/1", 9)  # type: ignore[arg-type]
        reply = next(self._replies)
        if isinstance(reply, str) and stream:
            yield said(reply[:5], partial=True)
        yield reply if isinstance(reply, LlmResponse) else said(reply)


def said(reply: str | types.Part, **told: Any) -> LlmResponse:  # noqa: ANN401 - ADK's
    part = types.Part(text=reply) if isinstance(reply, str) else reply
    return LlmResponse(content=types.Content(role="model", parts=[part]), **told)


def call(name: str, **args: object) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args), thought_signature=b"\xff\x00")


def look(n: int) -> str:
    """Look an order up."""
    return f"order A-{48213 + n} is fine. " + "words that take room. " * 60


class Odd:
    """What is no JSON."""

    def __str__(self) -> str:
        return "A-48213 is odd"


def oddly(n: int) -> dict[str, object]:
    """Look an order up, and answer with an object."""
    return {"found": Odd(), "n": n, "more": "words that take room. " * 60}


def agent_of(model: BaseLlm, name: str = "desk", *tools: Callable[..., Any], **options: Any) -> LlmAgent:  # noqa: ANN401
    given = {"instruction": "Be kind. The hotline is 0800-55512.", "description": "a desk", **options}
    return LlmAgent(name=name, model=model, tools=list(tools), **given)


async def _ran(
    agent: BaseAgent, plugin: CompactorPlugin, *requests: str, config: RunConfig | None = None
) -> tuple[list[Event], list[Event]]:
    runner = InMemoryRunner(app=App(name=APP, root_agent=agent, plugins=[plugin]))
    await runner.session_service.create_session(app_name=APP, user_id=USER, session_id=SESSION)
    seen = []
    for request in requests:
        new = types.Content(role="user", parts=[types.Part(text=request)])
        run = runner.run_async(user_id=USER, session_id=SESSION, new_message=new, run_config=config)
        seen += [event async for event in run]
    session = await runner.session_service.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    assert session is not None
    return seen, session.events


def ran(agent: BaseAgent, plugin: CompactorPlugin, *requests: str, config: RunConfig | None = None) -> list[Event]:
    return asyncio.run(_ran(agent, plugin, *requests, config=config))[0]


def gated(posture: Literal["guard", "rails"]) -> CompactorPlugin:
    return CompactorPlugin(fp.Compactor(OLDEST, gate=fp.Gate(posture=posture)))


def answer_of(events: list[Event]) -> str:
    last = events[-1]
    return last.error_code or "".join(part.text or "" for part in (last.content.parts or [] if last.content else []))


def check(model: Replies, plugin: CompactorPlugin) -> None:
    assert [record for record in plugin.hosted.records if record.outcome == "complete"]
    for request in model._sent:
        messages = request_of(request.contents)
        fp.validate_for("gemini", messages)
        assert any(fp.author_of(message) == "person" and message.text == ASKED for message in messages)


LOOKS = [call("look", n=number) for number in range(9)]


def test_the_request_stays_when_an_agent_hands_it_to_another() -> None:
    model, plugin = Replies.of(*LOOKS, "It is A-48213."), CompactorPlugin(OLDEST)
    root = Replies.of(call("transfer_to_agent", agent_name="second"))
    ran(agent_of(root, "first", sub_agents=[agent_of(model, "second", look)]), plugin, ASKED)
    check(model, plugin)


def test_the_request_stays_when_one_agent_works_after_another() -> None:
    model, plugin = Replies.of(*LOOKS, "A-48213.", *LOOKS, "It is A-48213."), CompactorPlugin(OLDEST)
    ran(
        SequentialAgent(name="both", sub_agents=[agent_of(model, name, look) for name in ("one", "two")]), plugin, ASKED
    )
    check(model, plugin)


def test_what_another_agent_made_up_grounds_nothing_and_what_its_tools_said_does() -> None:
    first = Replies.of(LOOKS[0], "It is A-48213, invoice INV-88123.", "It is A-48213, invoice INV-88123.")
    second = Replies.of("It is A-48213 and INV-88123; the hotline is 0800-66613.", "It is INV-88123.")
    agents: list[BaseAgent] = [
        agent_of(first, "one", look, instruction="The second hotline is 0800-66613."),
        agent_of(second, "two", instruction=""),
    ]
    ran(SequentialAgent(name="both", sub_agents=agents), gated("guard"), "What is my invoice?")
    correction = second._sent[-1].contents[-1].parts or []
    assert '"INV-88123"' in (correction[0].text or "")
    assert "A-48213" not in (correction[0].text or "")
    assert "0800-66613" not in (correction[0].text or "")


def test_an_instruction_that_moves_from_request_to_request_is_no_request_and_hides_no_usage() -> None:
    usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=5_000)
    model = Replies.of(*(said(part, usage_metadata=usage) for part in LOOKS), "It is A-48213.")
    plugin = CompactorPlugin(OLDEST)
    ran(agent_of(model, "desk", look, static_instruction="Our rules."), plugin, ASKED)
    check(model, plugin)
    moved = [[at for at, one in enumerate(sent.contents) if "0800-55512" in str(one)] for sent in model._sent]
    assert moved == [[0], *([len(sent.contents) - 1] for sent in model._sent[1:])]
    assert {record.window.measured_by for record in plugin.hosted.records if record.window} == {"reported"}


def test_what_a_prompt_cache_holds_is_still_known_and_is_sent_again() -> None:
    model = Replies.of("The hotline is 0800-55512 for A-77190.", "The hotline is 0800-55512.", cuts=True)
    plugin = gated("rails")
    assert answer_of(ran(agent_of(model), plugin, ASKED)) == "The hotline is 0800-55512."
    first, again = model._sent
    assert again.config.cached_content is None
    assert again.config.system_instruction == first.config.system_instruction
    assert [*again.contents[:1]] == [*first.contents]


def test_an_answer_that_the_provider_searched_for_is_not_accused() -> None:
    found = types.GroundingMetadata(web_search_queries=["a price"])
    model = Replies.of(said("It costs 48.77 EUR.", grounding_metadata=found), "As I said, 48.77 EUR.")
    assert answer_of(ran(agent_of(model), gated("rails"), "A price?", "Again?")) == "As I said, 48.77 EUR."


def test_an_answer_may_state_what_its_own_code_printed() -> None:
    code = types.Part(executable_code=types.ExecutableCode(code="print(f())", language=types.Language.PYTHON))
    result = types.CodeExecutionResult(outcome=types.Outcome.OUTCOME_OK, output="48377.25\n")
    parts = [code, types.Part(code_execution_result=result), types.Part(text="It is 48377.25.")]
    model = Replies.of(LlmResponse(content=types.Content(role="model", parts=parts)))
    events = ran(agent_of(model), gated("rails"), "What is f?")
    assert [event.error_code for event in events] == [None]
    assert len(model._sent) == 1


def test_results_that_are_no_json_are_folded_and_read_by_their_words() -> None:
    model = Replies.of(*[call("oddly", n=number) for number in range(9)], "A-48213 is odd.")
    plugin = gated("rails")
    assert answer_of(ran(agent_of(model, "desk", oddly), plugin, "What is odd?")) == "A-48213 is odd."
    assert plugin.hosted.records[-1].outcome == "complete"


def test_a_second_answer_that_calls_tools_goes_on_with_them() -> None:
    model, plugin = Replies.of("It is A-77190.", LOOKS[1], "It is A-48214."), gated("rails")
    assert answer_of(ran(agent_of(model, "desk", look), plugin, "Which is it?")) == "It is A-48214."
    for request in model._sent:
        fp.validate_for("gemini", request_of(request.contents))


def test_the_whole_answer_of_a_stream_is_the_one_that_is_judged_and_stored() -> None:
    model = Replies.of("It is A-77190.", "It is A-48213.")
    config = RunConfig.model_validate({"streaming_mode": "sse"})
    seen, stored = asyncio.run(_ran(agent_of(model), gated("rails"), ASKED, config=config))
    assert [event.partial for event in seen] == [True, None]
    assert answer_of(stored) == "It is A-48213."


async def _cancelled() -> None:
    slow, model = Slow(), Replies.of(*LOOKS, *LOOKS, "It is A-48213.")
    plugin = CompactorPlugin(fp.SummarizeOldest(500, 2, summarizer=slow, model="slow"))
    runner = InMemoryRunner(app=App(name=APP, root_agent=agent_of(model, "desk", look), plugins=[plugin]))
    await runner.session_service.create_session(app_name=APP, user_id=USER, session_id=SESSION)

    async def asked(text: str) -> list[Event]:
        new = types.Content(role="user", parts=[types.Part(text=text)])
        return [event async for event in runner.run_async(user_id=USER, session_id=SESSION, new_message=new)]

    running = asyncio.create_task(asked("Something else?"))
    await asyncio.wait_for(slow.began.wait(), 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert plugin.hosted.records[-1].outcome == "cancelled"
    slow.go_on.set()
    model._sent.clear()
    assert answer_of(await asked(ASKED)) == "It is A-48213."
    check(model, plugin)


def test_a_run_that_was_cancelled_while_it_folded_is_asked_again() -> None:
    asyncio.run(_cancelled())
