"""Google ADK: a plugin that folds what an agent sends its model, and an events summarizer that folds a session.

`CompactorPlugin` changes requests only: the session keeps every event. `CompactorEventsSummarizer` (in ADK's
`EventsCompactionConfig`) writes the frame into the session as ADK's own compaction event; the events stay there too,
and ADK hides them.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from foldproof import Compactor
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

REFUSED = "UNSUPPORTED_VALUES"
"""The error code of a response that the gate refused."""

_ASKED = 512


def _row(content: types.Content) -> Any:  # noqa: ANN401 - JSON
    return content.model_dump(mode="json", by_alias=True, exclude_none=True)


def _item(row: Any) -> types.Content:  # noqa: ANN401 - JSON
    return types.Content.model_validate_json(json.dumps(row))


_CONTENTS: Shape[types.Content] = Shape(format="gemini_api", row=_row, item=_item)


def contents_compactor(given: Compactor | Strategy | None = None) -> HostedCompactor[types.Content]:
    """Return what folds a list of contents; it is also a `custom_filter` for ADK's `ContextFilterPlugin`.

    Args:
        given: a compactor, or the strategy of one; the default folds with `SlidingWindow()`. One that names no provider
            is held to what Gemini takes.

    Raises:
        UsageError: what is given is neither.
    """
    compactor = as_compactor(given)
    held = compactor if compactor.provider is not None else replace(compactor, provider="gemini")
    return HostedCompactor(held, _CONTENTS)


@dataclass
class _Asked:
    """A request on its way: the contents as ADK had them, and what is sent."""

    contents: list[types.Content]
    request: LlmRequest
    revision: int = 0


class CompactorPlugin(BasePlugin):  # type: ignore[misc, unused-ignore] # untyped where ADK is not installed
    """Folds the contents of each request, of every agent of an app; the session keeps all of its events.

    With a gate (`Compactor(..., gate=Gate(...))`) a final answer is judged over all that is known. For `revise` the
    agent's model is asked once more with the correction behind its answer; neither enters the session. What is refused
    becomes a response with the error code `UNSUPPORTED_VALUES`. While answers are streamed, the pieces of one that is
    revised were seen already; the whole event behind them is what counts.

    Args:
        given: a compactor, or the strategy of one; see `contents_compactor`.
        name: of the plugin.

    Raises:
        UsageError: what is given is neither.
    """

    def __init__(self, given: Compactor | Strategy | None = None, *, name: str = "foldproof") -> None:
        super().__init__(name=name)
        self.hosted = contents_compactor(given)
        self._asked: OrderedDict[tuple[str, str, str | None], _Asked] = OrderedDict()

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Fold what is about to be sent."""
        key = _key(callback_context)
        earlier = self._asked.pop(key, None)
        contents = list(llm_request.contents)
        llm_request.contents = list(await self.hosted.afold(contents))
        self._asked[key] = _Asked(contents, llm_request, earlier.revision if earlier else 0)
        while len(self._asked) > _ASKED:
            self._asked.popitem(last=False)
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Note the usage of a whole response, and let the gate judge an answer."""
        asked = self._asked.get(_key(callback_context))
        if asked is None or llm_response.partial:
            return None
        usage = llm_response.usage_metadata
        if usage is not None and usage.prompt_token_count:
            self.hosted.reported(asked.contents, usage.prompt_token_count)
        if self.hosted.compactor.gate is None:
            return None
        response = await self._judged(callback_context, asked, llm_response)
        return None if response is llm_response else response

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Forget the requests of a run that ended."""
        for key in [key for key in self._asked if key[0] == invocation_context.invocation_id]:
            del self._asked[key]

    async def _judged(self, context: CallbackContext, asked: _Asked, response: LlmResponse) -> LlmResponse:
        answer = _answer(response)
        if not answer:
            return response
        told = _instructions(asked.request)
        decision = self.hosted.review(asked.contents, answer, instructions=told, revision=asked.revision)
        if decision.correction is not None:
            asked.revision += 1
            correction = types.Content(role="user", parts=[types.Part(text=decision.correction.text)])
            revised = await _asked_again(context, asked.request, response.content, correction)
            return await self._judged(context, asked, revised)
        if decision.outcome != "refused":
            return response
        named = ", ".join(value.text for value in decision.unsupported)
        return LlmResponse(error_code=REFUSED, error_message=f"the answer states values that nobody supplied: {named}")


async def _asked_again(
    context: CallbackContext, request: LlmRequest, answer: types.Content | None, correction: types.Content
) -> LlmResponse:
    """Return the agent's model's whole response to a request with a correction behind the answer."""
    invocation = context.get_invocation_context()
    agent = invocation.agent
    if not isinstance(agent, LlmAgent):
        raise TypeError(f"the agent {agent.name} has no model to ask again; expected an LlmAgent")
    invocation.increment_llm_call_count()
    again = request.model_copy(update={"contents": [*request.contents, *([answer] if answer else []), correction]})
    response = LlmResponse()
    async for response in agent.canonical_model.generate_content_async(again, stream=False):
        pass
    return response


def _key(context: CallbackContext) -> tuple[str, str, str | None]:
    return context.invocation_id, context.agent_name, context.get_invocation_context().branch


def _answer(response: LlmResponse) -> str:
    """Return the words of a final answer; nothing where the model calls a tool, or failed."""
    if response.error_code or response.get_function_calls() or response.content is None:
        return ""
    return "".join(part.text for part in response.content.parts or [] if part.text and not part.thought)


def _instructions(request: LlmRequest) -> str:
    """Return what the app tells the model beside the contents: its instruction and its tools."""
    said = request.config.model_dump(mode="json", exclude_none=True, include={"system_instruction"})
    tools = [tool.model_dump(mode="json", exclude_none=True) for tool in _declared(request)]
    parts = [said.get("system_instruction"), tools]
    return "\n".join(part if isinstance(part, str) else json.dumps(part) for part in parts if part)


def _declared(request: LlmRequest) -> list[types.Tool]:
    return [tool for tool in request.config.tools or [] if isinstance(tool, types.Tool)]
