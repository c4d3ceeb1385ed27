"""Strands: a conversation manager that folds ahead of each request to the model, inside a tool loop as between turns.

    agent = Agent(model, tools=tools, conversation_manager=FoldproofConversationManager(SummarizeOldest(50_000)))

The agent's list is changed in place, as its own managers change it. What left is in the manager's state, which the
agent's session manager saves and restores with the agent.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import operator
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from strands import Agent
from strands.agent.conversation_manager import ConversationManager, ProactiveCompressionConfig
from strands.hooks import AfterInvocationEvent, BeforeModelCallEvent, HookRegistry
from strands.types.content import Message
from strands.types.exceptions import ContextWindowOverflowException
from strands.types.session import decode_bytes_values, encode_bytes_values

from foldproof import CompactionRecord, Compactor, ConversationState
from foldproof.compaction import CompactionTrigger
from foldproof.errors import described
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

_LOG = logging.getLogger("foldproof.compactors")

_REVISION = "foldproof_revision"


def message_shape() -> Shape[Message]:
    """Return how the agent's messages are read and written; bytes in them as its sessions save them."""
    return Shape(format="bedrock_converse", row=encode_bytes_values, item=_item)


def _item(row: Any) -> Message:  # noqa: ANN401 - JSON
    message = cast("Message", decode_bytes_values(row))
    message.setdefault("tracking_id", str(uuid.uuid4()))  # as the framework's own summaries have one
    return message


class FoldproofConversationManager(ConversationManager):
    """The framework's `ConversationManager`: give one to each agent.

    It asks before every request to the model (`before_turn`) and at the end of an invocation (`after_turn`). A context
    that the model finds too long is folded by hand, and so is one over `proactive_compression`. With a gate it judges
    the answer at the end of an invocation: `guard` has the agent go on with the correction, `rails` raises.

    Args:
        given: a compactor, or the strategy of one; the default folds with `SlidingWindow()`.
        proactive_compression: as for the framework's own managers.

    Attributes:
        hosted: what compacts; it has the records, and `state(agent.messages)`.
    """

    def __init__(
        self,
        given: Compactor | Strategy | None = None,
        *,
        proactive_compression: bool | ProactiveCompressionConfig | None = None,
    ) -> None:
        super().__init__(proactive_compression=proactive_compression)
        self.hosted: HostedCompactor[Message] = HostedCompactor(as_compactor(given), message_shape(), persistent=True)
        self._saved: dict[str, Any] = {}
        self._saved_count = 0  # messages of the list that `_saved` has, and a session need not

    @property
    def records(self) -> tuple[CompactionRecord, ...]:
        """What was filed, the oldest first."""
        return self.hosted.records

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:  # noqa: ANN401 - the framework's
        """Register what the framework's managers do, the fold ahead of each request, and the gate."""
        super().register_hooks(registry, **kwargs)
        registry.add_callback(BeforeModelCallEvent, self._before_model_call)
        if self.hosted.compactor.gate is not None:
            registry.add_callback(AfterInvocationEvent, self._after_invocation)

    def apply_management(self, agent: Agent, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - the framework's
        """Fold at the end of an invocation, where the compactor's triggers have `after_turn`."""
        self._fold(agent, "after_turn")

    def reduce_context(self, agent: Agent, e: Exception | None = None, **kwargs: Any) -> None:  # noqa: ANN401, ARG002
        """Fold whatever the threshold says.

        Raises:
            ContextWindowOverflowException: with `e`, and nothing could leave.
            CompactionError: without `e`, and nothing could leave; the framework goes on then.
        """
        try:
            self._fold(agent, "manual")
        except Exception as error:
            if e is None:
                raise
            raise ContextWindowOverflowException(f"the context could not be folded: {error}") from e

    def get_state(self) -> dict[str, Any]:
        """Return what to save: the window as the last fold left it, and all that its frames stand for."""
        return {**super().get_state(), **self._saved}

    def restore_from_session(self, state: dict[str, Any]) -> list[Message] | None:
        """Take what `get_state` returned, and return the window to put ahead of what the session has since.

        Raises:
            ValueError: it is another manager's state.
        """
        super().restore_from_session(state)
        if "conversation" not in state:
            return None
        self.hosted.restore(ConversationState.model_validate(state["conversation"]))
        self._saved = {name: state[name] for name in ("conversation", "window")}
        self._saved_count = len(state["window"])
        return cast("list[Message]", decode_bytes_values(state["window"]))

    async def _before_model_call(self, event: BeforeModelCallEvent) -> None:
        agent = event.agent
        items, at = list(agent.messages), _last_usage(agent.messages)
        measured = event.projected_input_tokens if at is not None else None
        self._put(agent, items, await self.hosted.afold(items, measured=measured, measured_at=at))

    def _fold(self, agent: Agent, trigger: CompactionTrigger) -> None:
        """Fold where the framework cannot await: a summarizer that is asynchronous runs in a loop of its own."""
        items, at = list(agent.messages), _last_usage(agent.messages)
        measured = _tokens(agent.messages[at]) if at is not None else None
        folding = self.hosted.afold(items, trigger=trigger, measured=measured, measured_at=at)
        with ThreadPoolExecutor(1) as pool:
            view = pool.submit(contextvars.copy_context().run, asyncio.run, folding).result()
        self._put(agent, items, view)

    def _put(self, agent: Agent, items: Sequence[Message], view: Sequence[Message]) -> None:
        """Make a view the agent's list, in place; what was appended meanwhile stays behind it.

        A list that the app cut or replaced meanwhile is another one, and stays as it is.
        """
        is_same = len(agent.messages) >= len(items) and all(map(operator.is_, agent.messages, items))
        if view is items or not is_same:
            return
        behind = agent.messages[len(items) :]
        agent.messages[:] = [*view, *behind]
        # A session has every message that was ever added, and no frame.
        self.removed_message_count += max(0, len(items) - self._saved_count)
        state = self.hosted.state(view).model_dump(mode="json", by_alias=True)
        self._saved = {"conversation": state, "window": encode_bytes_values(list(view))}
        self._saved_count = len(view)

    def _after_invocation(self, event: AfterInvocationEvent) -> None:
        answer = None if event.result is None else event.result.message
        messages = event.agent.messages
        if event.result is None or event.result.stop_reason != "end_turn" or not messages or messages[-1] is not answer:
            return
        revision = event.invocation_state.get(_REVISION, 0)
        text = "\n".join(block["text"] for block in answer["content"] if "text" in block)
        try:
            decision = self.hosted.review(messages[:-1], text, instructions=_told(event.agent), revision=revision)
        except Exception as error:
            _LOG.warning("an answer was not judged: the list cannot be read: %s", described(error))
            gate = self.hosted.compactor.gate
            if gate is not None and gate.posture == "rails":
                raise
            return
        decision.raise_if_refused()
        if decision.correction is not None:
            event.invocation_state[_REVISION] = revision + 1
            event.resume = decision.correction.text


def _told(agent: Agent) -> str:
    """Return what the app tells the model beside the list: the system prompt and the tools."""
    tools = agent.tool_registry.get_all_tools_config()
    return "\n".join(filter(None, [agent.system_prompt, json.dumps(tools, default=str) if tools else ""]))


def _last_usage(messages: Sequence[Message]) -> int | None:
    """Return the index of the last answer whose usage the framework noted."""
    usual = (at for at in reversed(range(len(messages))) if messages[at].get("metadata", {}).get("usage"))
    return next(usual, None)


def _tokens(message: Message) -> int:
    """Return the tokens of a request and its answer, those of the prompt cache among them."""
    usage: Any = message["metadata"]["usage"]
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    return sum(usage.get(name) or 0 for name in names)
