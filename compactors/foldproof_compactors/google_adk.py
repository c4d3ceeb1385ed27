"""Google ADK: a plugin that folds what an agent sends its model, and an events summarizer that folds a session.

`CompactorPlugin` changes requests only: the session keeps every event. `CompactorEventsSummarizer` (in ADK's
`EventsCompactionConfig`) writes the frame into the session as ADK's own compaction event; the events stay there too,
and ADK hides them.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from foldproof import CompactionError, Compactor
from foldproof.errors import described
from foldproof.transcripts.adk_words import is_transient
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

REFUSED = "UNSUPPORTED_VALUES"
"""The error code of a response that the gate refused."""

_LOG = logging.getLogger("foldproof.compactors")

_ASKED = 512


def _row(item: types.Content | Event) -> Any:  # noqa: ANN401 - JSON
    # A tool may have returned anything; the words of it are what there is to read.
    return item.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)


def _content(row: Any) -> types.Content:  # noqa: ANN401 - JSON
    return types.Content.model_validate_json(json.dumps(row))


def _event(row: Any) -> Event:  # noqa: ANN401 - JSON
    return Event.model_validate_json(json.dumps(row))


_CONTENTS: Shape[types.Content] = Shape(format="gemini_api", row=_row, item=_content)
_EVENTS: Shape[Event] = Shape(format="google_adk", row=_row, item=_event)


def contents_compactor(given: Compactor | Strategy | None = None) -> HostedCompactor[types.Content]:
    """Return what folds a list of contents; it is also a `custom_filter` for ADK's `ContextFilterPlugin`.

    Args:
        given: a compactor, or the strategy of one; the default folds with `SlidingWindow()`. One that names no provider
            is held to what Gemini takes.

    Raises:
        UsageError: what is given is neither.
    """
    return HostedCompactor(_held(given), _CONTENTS)


def _held(given: Compactor | Strategy | None) -> Compactor:
    compactor = as_compactor(given)
    return compactor if compactor.provider is not None else replace(compactor, provider="gemini")


@dataclass
class _Asked:
    """A request on its way: the contents that last, as ADK had them, and what is sent.

    Attributes:
        request: as the model got it; it may have cut off there what its prompt cache holds.
        sent: the same, ahead of that.
        told: what the app told the agent beside the contents.
    """

    contents: list[types.Content]
    request: LlmRequest
    sent: LlmRequest
    told: str
    revision: int = 0

    @property
    def whole(self) -> LlmRequest:
        """The request with all that is in it."""
        config = self.request.config
        if config.cached_content == self.sent.config.cached_content:
            return self.request
        kept = self.sent.config.model_copy(update={"labels": config.labels})
        return self.sent.model_copy(update={"config": kept})


class CompactorPlugin(BasePlugin):
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
        contents, added = _parted(callback_context, llm_request.contents)
        told = "\n".join([_instructions(llm_request), *map(_words, added)])
        llm_request.contents = _woven(llm_request.contents, added, await self.hosted.afold(contents))
        config = llm_request.config.model_copy()
        sent = llm_request.model_copy(update={"config": config, "contents": list(llm_request.contents)})
        self._asked[key] = _Asked(contents, llm_request, sent, told, earlier.revision if earlier else 0)
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
        if not answer or _is_searched(context, response):
            return response
        told = self._told(context, asked)
        items = [*asked.contents, *_ran_by_provider(response)]
        try:
            decision = self.hosted.review(items, answer, instructions=told, revision=asked.revision)
        except Exception as error:  # noqa: BLE001 - whatever it is, the run goes on, or is refused
            return self._unjudged(response, error)
        if decision.correction is not None:
            asked.revision += 1
            correction = types.Content(role="user", parts=[types.Part(text=decision.correction.text)])
            return await self._judged(context, asked, await _revised(context, asked.whole, response, correction))
        if decision.outcome != "refused":
            return response
        named = ", ".join(value.text for value in decision.unsupported)
        return LlmResponse(error_code=REFUSED, error_message=f"the answer states values that nobody supplied: {named}")

    def _told(self, context: CallbackContext, asked: _Asked) -> str:
        """Return what the app told this agent, and those that worked on the run before it and may have passed it on."""
        run = [one.told for (invocation, *_), one in self._asked.items() if invocation == context.invocation_id]
        return "\n".join(dict.fromkeys([*run, asked.told, _instructions(asked.request)]))

    def _unjudged(self, response: LlmResponse, error: Exception) -> LlmResponse:
        _LOG.warning("an answer was not judged: the contents cannot be read: %s", described(error))
        gate = self.hosted.compactor.gate
        if gate is None or gate.posture != "rails":
            return response
        return LlmResponse(error_code=REFUSED, error_message=f"the answer could not be judged: {error}")


async def _revised(
    context: CallbackContext, request: LlmRequest, response: LlmResponse, correction: types.Content
) -> LlmResponse:
    """Return what the model says to a correction; the response it is about where that is nothing, or fails."""
    try:
        revised = await _asked_again(context, request, response.content, correction)
    except Exception as error:  # noqa: BLE001 - the run goes on with the answer it has, and the gate judges that
        _LOG.warning("the model was not asked for a revision: %s", described(error))
        return response
    return revised if _answer(revised) or revised.get_function_calls() else response


async def _asked_again(
    context: CallbackContext, request: LlmRequest, answer: types.Content | None, correction: types.Content
) -> LlmResponse:
    """Return the agent's model's whole response to a request with a correction behind the answer."""
    invocation = context.get_invocation_context()
    agent = invocation.agent
    if not isinstance(agent, LlmAgent):
        raise TypeError(f"{type(agent).__name__} has no model to ask again; expected an LlmAgent")
    invocation.increment_llm_call_count()
    again = request.model_copy(update={"contents": [*request.contents, *([answer] if answer else []), correction]})
    said = [one async for one in agent.canonical_model.generate_content_async(again, stream=False)]
    return said[-1] if said else LlmResponse()


def _key(context: CallbackContext) -> tuple[str, str, str | None]:
    return context.invocation_id, context.agent_name, context.get_invocation_context().branch


def _answer(response: LlmResponse) -> str:
    """Return the words of a final answer; nothing where the model calls a tool, or failed."""
    if response.error_code or response.get_function_calls() or response.content is None:
        return ""
    return "".join(part.text for part in response.content.parts or [] if part.text and not part.thought)


def _is_searched(context: CallbackContext, response: LlmResponse) -> bool:
    """Whether the provider searched for an answer of the conversation: what it found stands nowhere."""
    noted = (response.grounding_metadata, *(event.grounding_metadata for event in context.session.events))
    return any(one and (one.grounding_chunks or one.grounding_supports or one.web_search_queries) for one in noted)


def _ran_by_provider(response: LlmResponse) -> list[types.Content]:
    """Return what the provider's own tools did for an answer, such as the code it ran, and what came of it."""
    parts = response.content.parts or [] if response.content else []
    ran = [
        one for one in parts if one.executable_code or one.code_execution_result or one.tool_call or one.tool_response
    ]
    return [types.Content(role="model", parts=ran)] if ran else []


def _parted(
    context: CallbackContext, contents: Sequence[types.Content]
) -> tuple[list[types.Content], list[types.Content]]:
    """Return the contents that go on from request to request, and those that ADK puts into this one alone."""
    config = context.run_config
    given = config.model_input_context or [] if config else []
    added = [content for content in contents if content in given or is_transient(_words(content))]
    apart = set(map(id, added))
    return [content for content in contents if id(content) not in apart], added


def _woven(
    contents: Sequence[types.Content], added: Sequence[types.Content], sent: Sequence[types.Content]
) -> list[types.Content]:
    """Return what is sent with what was added where it stood: ahead of what follows it."""
    apart, woven = set(map(id, added)), list(sent)
    following = len(woven)
    for content in reversed(contents):
        if id(content) in apart:
            woven.insert(following, content)
        else:
            following = next((at for at, one in enumerate(woven) if one is content), following)
    return woven


def _words(content: types.Content) -> str:
    return "".join(part.text or "" for part in content.parts or [])


def _instructions(request: LlmRequest) -> str:
    """Return what the app tells the model beside the contents: its instruction and its tools."""
    said = request.config.model_dump(mode="json", exclude_none=True, include={"system_instruction"})
    tools = [tool.model_dump(mode="json", exclude_none=True) for tool in _declared(request)]
    parts = [said.get("system_instruction"), tools]
    return "\n".join(part if isinstance(part, str) else json.dumps(part) for part in parts if part)


def _declared(request: LlmRequest) -> list[types.Tool]:
    return [tool for tool in request.config.tools or [] if isinstance(tool, types.Tool)]


class CompactorEventsSummarizer(BaseEventsSummarizer):
    """Writes the compaction events of ADK's `EventsCompactionConfig` with a strategy that puts frames in place.

    ADK says when, and which events; of these the strategy folds what it can on one side of the last request in them,
    which may be the one that runs, and stays for the model to read. Nothing is written where nothing may leave. The
    event says in its `custom_metadata`, under `foldproof`, which events the frame stands for;
    they stay in the session.

    Args:
        given: a compactor, or the strategy of one, such as `SummarizeOldest(0, 1)`; its threshold is not asked.

    Raises:
        UsageError: what is given is neither.
    """

    def __init__(self, given: Compactor | Strategy | None = None) -> None:
        self.hosted: HostedCompactor[Event] = HostedCompactor(_held(given), _EVENTS, persistent=True)

    async def maybe_summarize_events(self, *, events: list[Event]) -> Event | None:
        """Return the compaction event to store, or None where nothing is folded; the record says why."""
        part = _side_of_request(events)
        if part is None:
            return None
        try:
            window = await self.hosted.afold(part, trigger="manual")
        except CompactionError:
            return None
        return _compaction_event(part, window)


def _side_of_request(events: Sequence[Event]) -> list[Event] | None:
    """Return what is ahead of the last request, with it; where nothing new is there, it and what is behind."""
    asked = [at for at, event in enumerate(events) if event.author == "user" and event.content is not None]
    if not asked:
        return list(events)
    last = asked[-1]
    return list(events[: last + 1] if last > 1 else events[last:])


def _compaction_event(part: Sequence[Event], window: Sequence[Event]) -> Event | None:
    """Return a window's frame as the compaction of the one run of events that left; None where it is not that."""
    own = {id(event) for event in part}
    stayed = {id(event) for event in window} & own
    frames = [_frame_text(event) for event in window if id(event) not in own]
    gone = [at for at, event in enumerate(part) if id(event) not in stayed]
    if len(frames) != 1 or not gone or gone[-1] - gone[0] != len(gone) - 1:
        return None
    left = [part[at] for at in gone]
    start, end = left[0].timestamp, left[-1].timestamp
    if any(start <= event.timestamp <= end for event in part if id(event) in stayed):
        return None  # ADK would hide what stays as well
    frame = types.Content(role="user", parts=[types.Part(text=frames[0])])
    compaction = EventCompaction(start_timestamp=start, end_timestamp=end, compacted_content=frame)
    return Event(
        author="user",
        invocation_id=Event.new_id(),
        actions=EventActions(compaction=compaction),
        custom_metadata={"foldproof": {"folded_events": [event.id for event in left]}},
    )


def _frame_text(event: Event) -> str:
    compaction = event.actions.compaction
    content = event.content if compaction is None else compaction.compacted_content
    return _words(content) if content else ""
