"""LangChain and LangGraph: a middleware that compacts, one that stops invented answers, and a pre-model hook.

    compaction = CompactionMiddleware(SummarizeOldest(50_000))
    agent = create_agent(model, tools, middleware=[compaction])

The middleware gives the model a view and leaves the thread's messages alone, or (`persistent`) puts the compacted list
in their place. `PreModelHook` does the same for LangGraph's `create_react_agent`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    hook_config,
)
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, messages_from_dict
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic_core import to_jsonable_python

from foldproof import CompactionRecord, Compactor, GateDecision, Message, UsageError
from foldproof.errors import described
from foldproof.messages import frame_kind
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

_LOG = logging.getLogger("foldproof.compactors")


def message_shape(*, keeps_frames: bool = False) -> Shape[AnyMessage]:
    """Return how the framework's messages are read and written: as `messages_to_dict` has them, without artifacts.

    Args:
        keeps_frames: frames have their lineage in `additional_kwargs`, which the framework saves and no model is sent.
    """
    return Shape(format="langchain", row=_row, item=_item, keeps_frames=keeps_frames)


class CompactionMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Compacts what the model is sent, ahead of every call of it.

    Args:
        given: a compactor, or the strategy of one.
        persistent: the thread's messages are replaced. Otherwise they stay, and the model is sent a view of them.

    Attributes:
        hosted: what compacts; `state` and `restore` for a thread's messages.
    """

    def __init__(self, given: Compactor | Strategy | None = None, *, persistent: bool = False) -> None:
        super().__init__()
        self.persistent = persistent
        self.hosted = _hosted(given, persistent=persistent)

    @property
    def records(self) -> tuple[CompactionRecord, ...]:
        """What was filed, the oldest first."""
        return self.hosted.records

    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Replace the thread's messages where it is time to, in persistent mode."""
        del runtime
        return _replaced(state["messages"], self._view(state["messages"])) if self.persistent else None

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Do what `before_model` does, awaiting a summarizer that is asynchronous."""
        del runtime
        return _replaced(state["messages"], await self._aview(state["messages"])) if self.persistent else None

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Send the model a view of the thread's messages, in request-only mode."""
        return handler(request if self.persistent else _with(request, self._view(request.messages)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Do what `wrap_model_call` does, awaiting a summarizer that is asynchronous."""
        return await handler(request if self.persistent else _with(request, await self._aview(request.messages)))

    def _view(self, items: list[AnyMessage]) -> Sequence[AnyMessage]:
        ahead, behind = self._parts(items)
        view = self.hosted.fold(ahead)
        return items if view is ahead else [*view, *behind]

    async def _aview(self, items: list[AnyMessage]) -> Sequence[AnyMessage]:
        ahead, behind = self._parts(items)
        view = await self.hosted.afold(ahead)
        return items if view is ahead else [*view, *behind]

    def _parts(self, items: list[AnyMessage]) -> tuple[list[AnyMessage], list[AnyMessage]]:
        """Return what may be compacted, and what may not: an answer that is being revised, and all behind it."""
        asked = _asked(items)
        at = len(items) if asked is None else asked - 1
        _note_usage(self.hosted, items[: at + 1])
        return (items, []) if asked is None else (items[:at], items[at:])


class GateState(AgentState[Any]):
    """What the gate notes in a thread: what the app told the model beside the messages of the last request."""

    foldproof_told: NotRequired[Annotated[str, PrivateStateAttr]]


class GateMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Judges each answer over all that is still known of the thread, and has the model revise it once.

    What the system prompt and the tools of the request say is the app's, and exempt: put it behind a middleware that
    changes them. The correction and the answer it is about leave the thread with the revision. What a posture of
    `rails` refuses raises `UnsupportedValuesError`, or is answered with a text of yours.

    Args:
        compaction: whose compactor has the gate, and who knows what was folded.
        instructions: what the app tells the model and no request of the agent shows.
        refusal: what a refused answer is replaced by; None raises.

    Attributes:
        decisions: what was decided, the oldest first.

    Raises:
        UsageError: the compactor has no gate.
    """

    state_schema: type[AgentState[Any]] = GateState

    def __init__(self, compaction: CompactionMiddleware, *, instructions: str = "", refusal: str | None = None) -> None:
        super().__init__()
        gate = compaction.hosted.compactor.gate
        if gate is None:
            raise UsageError('the compaction has no gate; give it one: Compactor(..., gate=Gate(posture="guard"))')
        self._gate, self._hosted = gate, compaction.hosted
        self._instructions, self._refusal = instructions, refusal
        self.decisions: list[GateDecision] = []

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ExtendedModelResponse[Any]:
        """Note what the app tells the model beside the messages."""
        return ExtendedModelResponse(handler(request), _noted(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ExtendedModelResponse[Any]:
        """Do what `wrap_model_call` does."""
        return ExtendedModelResponse(await handler(request), _noted(request))

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Let an answer pass, ask for its one revision, or refuse it.

        Raises:
            UnsupportedValuesError: it is refused, and there is no text to say instead.
            Exception: the messages cannot be read, and the posture is `rails`.
        """
        del runtime
        messages = state["messages"]
        answer = messages[-1] if messages else None
        if not isinstance(answer, AIMessage) or answer.tool_calls:
            return None
        asked, told = _asked(messages), str(state.get("foldproof_told", ""))
        decision = self._review(messages[:-1], answer.text, told, revision=int(asked is not None))
        gone: list[AnyMessage] = []
        if asked is not None and decision is not None:
            gone = messages[asked - 1 : asked + 1]
            # A revision that says nothing, or makes up more, is none: the answer before it is the one that is decided.
            first = self._review(messages[:-1], gone[0].text, told, revision=1) or decision
            if not answer.text.strip() or len(decision.unsupported) > len(first.unsupported):
                decision, answer = first, gone[0].model_copy(update={"id": answer.id})
        if decision is None:
            return None
        self.decisions.append(decision)
        if decision.correction is not None:
            return {"messages": [HumanMessage(decision.correction.text)], "jump_to": "model"}
        if decision.outcome == "refused":
            if self._refusal is None:
                decision.raise_if_refused()
            answer = AIMessage(self._refusal or "", id=answer.id)
        removed = [RemoveMessage(id=str(message.id)) for message in gone]
        return None if answer is messages[-1] and not gone else {"messages": [*removed, answer]}

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Do what `after_model` does."""
        return self.after_model(state, runtime)

    def _review(self, ahead: Sequence[AnyMessage], answer: str, told: str, *, revision: int) -> GateDecision | None:
        instructions = "\n".join(filter(None, (self._instructions, told)))
        try:
            return self._hosted.review(ahead, answer, instructions=instructions, revision=revision)
        except Exception as error:
            if self._gate.posture == "rails":
                raise
            _LOG.warning("an answer was not judged: %s", described(error))
            return None


class PreModelHook(Runnable[Any, dict[str, Any]]):
    """The `pre_model_hook` of LangGraph's `create_react_agent`.

    Args:
        given: a compactor, or the strategy of one.
        persistent: the graph's messages are replaced. Otherwise they stay, and the model is sent `llm_input_messages`.

    Attributes:
        hosted: what compacts; `records`, and `state` and `restore` for a thread's messages.
    """

    def __init__(self, given: Compactor | Strategy | None = None, *, persistent: bool = False) -> None:
        self.persistent = persistent
        self.hosted = _hosted(given, persistent=persistent)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:  # noqa: A002, ANN401 - theirs
        """Return what the model is sent of the messages of a state."""
        del config, kwargs
        items = _messages(input)
        _note_usage(self.hosted, items)
        return self._update(items, self.hosted.fold(items))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:  # noqa: A002, ANN401 - theirs
        """Do what `invoke` does, awaiting a summarizer that is asynchronous."""
        del config, kwargs
        items = _messages(input)
        _note_usage(self.hosted, items)
        return self._update(items, await self.hosted.afold(items))

    def _update(self, items: Sequence[AnyMessage], view: Sequence[AnyMessage]) -> dict[str, Any]:
        # The graph keeps the last llm_input_messages, so they are said each time.
        return (_replaced(items, view) or {} if self.persistent else {}) | {"llm_input_messages": list(view)}


def _hosted(given: Compactor | Strategy | None, *, persistent: bool) -> HostedCompactor[AnyMessage]:
    return HostedCompactor(as_compactor(given), message_shape(keeps_frames=persistent), persistent=persistent)


def _row(message: AnyMessage) -> dict[str, Any]:
    # A tool's artifact is any object at all, for the app alone: no model is sent it.
    data = message.model_dump(exclude={"artifact"}, warnings=False)
    row: dict[str, Any] = to_jsonable_python({"type": message.type, "data": data}, fallback=repr, bytes_mode="base64")
    return row


def _item(row: Any) -> Any:  # noqa: ANN401 - one of their message classes
    return messages_from_dict([row])[0]


def _note_usage(hosted: HostedCompactor[AnyMessage], items: Sequence[AnyMessage]) -> None:
    """Take note of what the provider reported last: it is about what was sent of the messages ahead of that answer."""
    for at in range(len(items) - 1, -1, -1):
        tokens = (getattr(items[at], "usage_metadata", None) or {}).get("input_tokens")
        if tokens:
            hosted.reported(items[:at], tokens)
            return


def _messages(state: Any) -> list[AnyMessage]:  # noqa: ANN401 - a dict, or a model of the app's
    messages: list[AnyMessage] = state["messages"] if isinstance(state, dict) else state.messages
    return messages


def _with(request: ModelRequest[Any], view: Sequence[AnyMessage]) -> ModelRequest[Any]:
    return request if view is request.messages else request.override(messages=list(view))


def _replaced(items: Sequence[AnyMessage], view: Sequence[AnyMessage]) -> dict[str, Any] | None:
    return None if view is items else {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *view]}


def _noted(request: ModelRequest[Any]) -> Command[Any]:
    system = request.system_message
    tools = (json.dumps(tool, default=str) if isinstance(tool, dict) else tool.description for tool in request.tools)
    told = "\n".join(filter(None, ("" if system is None else system.text, *tools)))
    return Command(update={"foldproof_told": told})


def _asked(messages: Sequence[AnyMessage]) -> int | None:
    """Return where a correction stands that was sent since the person last said something."""
    for at in range(len(messages) - 1, 0, -1):
        if isinstance(messages[at], HumanMessage):
            kind = frame_kind(Message(role="user", content=messages[at].text))
            if kind == "evidence-check":
                return at
            if kind is None:
                return None
    return None
