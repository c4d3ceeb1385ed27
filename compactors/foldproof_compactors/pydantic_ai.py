"""pydantic-ai: a capability that folds what an agent sends, and checks its answers.

    agent = Agent(model, tools=tools, capabilities=[FoldproofCompaction(SummarizeOldest(50_000))])

A request-only capability leaves the history of the run as it is and sends the model a view of it; a persistent one puts
the folded messages into the history, which the next run starts with. A frame is a part that the framework has for
summaries of an application's (`CompactionPart`, which keeps its lineage in `metadata` and sends it to nobody).
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pydantic import JsonValue
from pydantic_ai import ModelRetry, RetryModelRequest, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_json

from foldproof import CompactionRecord, Compactor, GateDecision, UsageError
from foldproof.errors import described
from foldproof.transcripts import FIELDS
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

Output = TypeVar("Output")

_LOG = logging.getLogger("foldproof.compactors")

_REMEMBERED = 512


def message_shape() -> Shape[ModelMessage]:
    """Return how messages are read and written: as `ModelMessagesTypeAdapter` saves them, notes of frames and all."""
    return Shape(
        format="pydantic_ai",
        row=_row,
        item=lambda row: ModelMessagesTypeAdapter.validate_python([row])[0],
        keeps_frames=True,
    )


@dataclass
class _Run:
    """What is known of a run of an agent: one request of the person.

    Attributes:
        items: the history of the request that is under way.
        asked: a revision was asked for.
        rejected: names and ids of calls that stated an output, and had to be made again: no call of a tool's.
        corrects: what the attempt under way is shown beside the history: the answer, and what is wrong with it.
        told: what the model is told beside the history: instructions, tools, and how to write an output.
    """

    items: Sequence[ModelMessage] = ()
    told: str = ""
    asked: bool = False
    rejected: set[tuple[str | None, str | None]] = field(default_factory=set)
    corrects: list[ModelMessage] = field(default_factory=list)


class FoldproofCompaction(AbstractCapability[Any]):
    """Folds what an agent sends, and, where the compactor has a gate, judges its answers.

    With the gate's posture `guard`, an answer that states invented values is sent back to the model once in a run, with
    a correction that is not stored. With `rails`, an answer that still does is an `UnsupportedValuesError`, which ends
    the run. A streamed answer cannot be taken back: `guard` only records, `rails` ends the stream with that error.

    Args:
        given: a compactor, or the strategy of one.
        persistent: a fold is put into the history. Otherwise it is for the request alone.

    Attributes:
        hosted: what compacts; it has the records, and `state` and `restore` for a history.
        decisions: what the gate decided, the oldest first; the last 512.
    """

    def __init__(self, given: Compactor | Strategy | None = None, *, persistent: bool = False) -> None:
        self._persistent = persistent
        self.hosted = HostedCompactor(as_compactor(given), message_shape(), persistent=self._persistent)
        self.decisions: list[GateDecision] = []
        self._runs = OrderedDict[str | None, _Run]()

    @property
    def records(self) -> tuple[CompactionRecord, ...]:
        """What was filed, the oldest first."""
        return self.hosted.records

    def fold(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return a history folded: for what takes a function, as `ProcessHistory`, which stores what it is given.

        Raises:
            UsageError: the capability is not persistent.
        """
        self._check_persistent()
        return _with_own_parts(messages, self.hosted.fold(messages))

    async def afold(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Do what `fold` does, awaiting a summarizer that is asynchronous.

        Raises:
            UsageError: as for `fold`.
        """
        self._check_persistent()
        return _with_own_parts(messages, await self.hosted.afold(messages))

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Fold what is about to be sent, and the history where the capability is persistent."""
        messages = request_context.messages
        if not messages or not isinstance(messages[-1], ModelRequest):
            return request_context  # an answer goes on that was suspended: its provider wants the very same history
        tools: list[JsonValue] = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
            for tool in request_context.model_request_parameters.function_tools
        ]
        view = await self.hosted.afold(messages, tools=tools)
        sent = messages if view is messages else _with_own_parts(messages, view)
        if sent is not messages:
            request_context.messages = list(sent)
            if self._persistent:
                ctx.messages[:] = sent
        run = self._run(ctx)
        run.items, run.corrects = list(sent if self._persistent else messages), []
        return request_context

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Show the model its answer and what is wrong with it, where it is asked again."""
        request_context.messages = [*request_context.messages, *self._run(ctx).corrects]
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Take note of the usage that was reported, and judge an answer.

        Raises:
            RetryModelRequest: the model is asked again.
            UnsupportedValuesError: the gate refuses the answer.
        """
        run = self._run(ctx)
        run.told = _told(request_context)
        if run.items and not run.corrects and response.usage.input_tokens:
            self.hosted.reported(run.items, response.usage.input_tokens)
        answer = response.text
        if not answer or any(isinstance(part, ToolCallPart) for part in response.parts):
            return response
        decision = self._judged(run, run.items, answer, is_last=request_context.streaming)
        if decision is not None and decision.correction is not None:
            run.corrects = [response, ModelRequest([UserPromptPart(decision.correction.text)])]
            raise RetryModelRequest
        return response

    def check_output(self, ctx: RunContext[Any], output: Output) -> Output:
        """Judge an output, as a validator: `agent.output_validator(compaction.check_output)`.

        It is for outputs that are no text, and for agents that have the compaction as a function. The framework stores
        the answer and the correction. It asks once in a run, together with the capability.

        Raises:
            ModelRetry: the model is asked again.
            UnsupportedValuesError: the gate refuses the output.
        """
        if ctx.partial_output or self.hosted.compactor.gate is None:
            return output
        run = self._run(ctx)
        run.told = run.told or _described(ctx.tools.values())  # without the capability no request was seen
        ahead = _without(ctx.messages, run.rejected)
        while ahead and isinstance(ahead[-1], ModelResponse):
            ahead.pop()
        answer = output if isinstance(output, str) else to_json(output, fallback=str).decode()
        decision = self._judged(run, ahead, answer, is_last=ctx.retry >= ctx.max_retries)
        if decision is not None and decision.correction is not None:
            if ctx.tool_call_id is not None:
                run.rejected.add((ctx.tool_name, ctx.tool_call_id))
            raise ModelRetry(decision.correction.text)
        return output

    def _judged(self, run: _Run, items: Sequence[ModelMessage], answer: str, *, is_last: bool) -> GateDecision | None:
        """Return what becomes of an answer; None where nothing judges it. A run is asked for one revision."""
        gate = self.hosted.compactor.gate
        if gate is None:
            return None
        revision = 1 if run.asked or is_last else 0
        try:
            decision = self.hosted.review(items, answer, instructions=run.told, revision=revision)
        except Exception as error:
            if gate.posture == "rails":
                raise
            _LOG.warning("an answer was not judged: %s", described(error))
            return None
        self.decisions = [*self.decisions, decision][-_REMEMBERED:]
        decision.raise_if_refused()
        run.asked = run.asked or decision.correction is not None
        return decision

    def _run(self, ctx: RunContext[Any]) -> _Run:
        run = self._runs.setdefault(ctx.run_id, _Run())
        self._runs.move_to_end(ctx.run_id)
        while len(self._runs) > _REMEMBERED:
            self._runs.popitem(last=False)
        return run

    def _check_persistent(self) -> None:
        if not self._persistent:
            raise UsageError("a function's result is stored; write FoldproofCompaction(..., persistent=True)")


def _row(message: ModelMessage) -> dict[str, Any]:
    """Return a message as it is saved; what is no JSON is said in words here, and stays in its part."""
    row: dict[str, Any] = ModelMessagesTypeAdapter.dump_python([message], mode="json", fallback=repr, warnings=False)[0]
    return row


def _with_own_parts(items: Sequence[ModelMessage], view: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Return a view in which what stayed of a message that did not stay whole is the host's own: parts, metadata."""
    own = {id(message) for message in items}
    if all(id(message) in own for message in view):
        return list(view)
    stays = {id(message) for message in view}
    changed = [one for one in items if id(one) not in stays]
    parts = {_key(row): part for one in changed for row, part in _parts(one)}
    kept = {_key(_row(one)["metadata"]): one.metadata for one in changed if one.metadata}

    def with_own(message: Any) -> Any:  # noqa: ANN401 - a request, or a response
        said = message.metadata or {}
        note = {name: value for name, value in said.items() if name == FIELDS}
        metadata = kept.get(_key({name: value for name, value in said.items() if name != FIELDS}))
        own = [parts.get(_key(row), part) for row, part in _parts(message)]
        return replace(message, parts=own, metadata=message.metadata if metadata is None else {**metadata, **note})

    return [message if id(message) in own else with_own(message) for message in view]


def _without(messages: Sequence[Any], calls: set[tuple[str | None, str | None]]) -> list[ModelMessage]:
    """Return messages without these calls and their results."""
    left = []
    for message in messages:
        parts = [
            part
            for part in message.parts
            if (getattr(part, "tool_name", None), getattr(part, "tool_call_id", None)) not in calls
        ]
        if len(parts) == len(message.parts):
            left.append(message)
        elif parts:
            left.append(replace(message, parts=parts))
    return left


def _parts(message: ModelMessage) -> list[tuple[Any, Any]]:
    return list(zip(_row(message)["parts"], message.parts, strict=True))


def _key(row: Any) -> bytes:  # noqa: ANN401 - JSON
    return to_json(row)


def _told(request_context: ModelRequestContext) -> str:
    asked = request_context.model_request_parameters
    parts = [part.content for part in asked.instruction_parts or ()]
    tools = _described([*asked.function_tools, *asked.output_tools])
    output = "" if asked.output_object is None else to_json(asked.output_object, fallback=str).decode()
    return "\n\n".join(filter(None, (*parts, tools, output)))


def _described(tools: Iterable[ToolDefinition]) -> str:
    said = [(tool.name, tool.description, tool.parameters_json_schema) for tool in tools]
    return to_json(said, fallback=str).decode() if said else ""
