"""An ADK agent's requests are folded, and an order number that nobody ever said is refused."""

import asyncio
from collections.abc import AsyncIterator

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from foldproof import Compactor, Gate, SummarizeOldest
from foldproof_compactors.google_adk import CompactorPlugin


class Says(BaseLlm):  # noqa: D101 - in the place of your model
    async def generate_content_async(self, llm_request: LlmRequest, **_: object) -> AsyncIterator[LlmResponse]:  # noqa: D102
        asked = llm_request.contents[-1].parts[-1].text
        text = "It is on its way to you. " * 30 if "parcel" in asked else "Your order is A-77190."
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


plugin = CompactorPlugin(Compactor(SummarizeOldest(600, 2), gate=Gate(posture="rails")))
agent = LlmAgent(name="desk", model=Says(model="scripted"), instruction="Be kind.")
runner = InMemoryRunner(app=App(name="shop", root_agent=agent, plugins=[plugin]))


async def main() -> None:  # noqa: D103
    await runner.session_service.create_session(app_name="shop", user_id="person", session_id="one")
    for text in [*(f"Where is parcel {number}?" for number in range(8)), "What is my order?"]:
        new = types.Content(role="user", parts=[types.Part(text=text)])
        async for event in runner.run_async(user_id="person", session_id="one", new_message=new):
            print(event.error_message or f"{text} -> {event.content.parts[0].text[:24]}")
    print(f"folded {sum(record.outcome == 'complete' for record in plugin.hosted.records)} times")


asyncio.run(main())
