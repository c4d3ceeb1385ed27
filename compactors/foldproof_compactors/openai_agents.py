"""OpenAI Agents SDK: a filter of what a model is sent, a session that folds what it stores, and the gate on answers.

    compaction = FoldproofInputFilter(SummarizeOldest(50_000))
    await Runner.run(agent, "...", session=session, hooks=FoldproofHooks(compaction),
                     run_config=RunConfig(call_model_input_filter=compaction))

The filter gives a view of each request, and the SDK and its session keep everything; `FoldproofSession` puts the folded
list in the place of the stored one. `FoldproofHooks` tells either what the provider reported, and holds the guardrail.
`ReviewedModel` asks a model again, once, where its answer states what nobody supplied.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from agents import (
    Agent,
    GuardrailFunctionOutput,
    Model,
    ModelResponse,
    ModelRetryAdvice,
    ModelRetryAdviceRequest,
    OutputGuardrail,
    RunContextWrapper,
    RunHooks,
    SessionSettings,
    TResponseInputItem,
)
from agents.items import ItemHelpers, TResponseStreamEvent
from agents.memory import Session
from agents.run import CallModelData, ModelInputData

from foldproof import CompactionRecord, Compactor, TranscriptError, UsageError
from foldproof.errors import described
from foldproof.window import Strategy
from foldproof_compactors.callback import list_shape
from foldproof_compactors.hosting import HostedCompactor, as_compactor

Items = Sequence[TResponseInputItem]

_EVERYTHING = 1_000_000_000
_REMEMBERED = 512


class _Compaction:
    """What compacts, and what was filed about it.

    Attributes:
        hosted: what compacts; it has `state` and `restore` for a conversation's items.
    """

    def __init__(self, given: Compactor | Strategy | None, *, persistent: bool) -> None:
        compactor = as_compactor(given)
        self.hosted: HostedCompactor[Any] = HostedCompactor(
            compactor, list_shape("openai_responses"), persistent=persistent
        )

    @property
    def records(self) -> tuple[CompactionRecord, ...]:
        """What was filed, the oldest first."""
        return self.hosted.records

    def whole(self, sent: Items) -> Items:
        """Return the list that what was sent is of."""
        return sent


class FoldproofInputFilter(_Compaction):
    """The SDK's `call_model_input_filter`: a view of each request; the SDK and its session keep their items."""

    def __init__(self, given: Compactor | Strategy | None = None) -> None:
        super().__init__(given, persistent=False)
        self._last: ContextVar[tuple[Items, Items]] = ContextVar("foldproof_request", default=((), ()))

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """Return what the model is sent."""
        items = data.model_data.input
        view = list(await self.hosted.afold(items))
        self._last.set((view[-1:], items))
        return ModelInputData(input=view, instructions=data.model_data.instructions)

    def whole(self, sent: Items) -> Items:
        """Return the list that was filtered last in this task, if that is the one which was sent."""
        end, items = self._last.get()
        return items if items and list(sent[-1:]) == list(end) else sent


class FoldproofSession(_Compaction):
    """A session that folds what another one stores, when a run asks for it.

    What is added while a summary is awaited is kept behind it. Where what was read changed otherwise in the meantime
    (an item was popped, the session cleared), the session stays as it is.
    """

    def __init__(self, session: Session, given: Compactor | Strategy | None = None) -> None:
        super().__init__(given, persistent=True)
        self._session = session
        self.session_id = session.session_id
        self._lock = asyncio.Lock()

    @property
    def session_settings(self) -> SessionSettings | None:
        """The settings of the session inside."""
        return self._session.session_settings

    @session_settings.setter
    def session_settings(self, settings: SessionSettings | None) -> None:
        self._session.session_settings = settings

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Fold what is stored where it is time to, and return it: all of it, or the newest."""
        async with self._lock:
            before = await self._stored()
        folded = await self.hosted.afold(before)
        if folded is not before:
            await _finished(self._swap(before, folded))
        async with self._lock:
            return await self._session.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items behind what is stored."""
        async with self._lock:
            await self._session.add_items(items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item away, and return it."""
        async with self._lock:
            return await self._session.pop_item()

    async def clear_session(self) -> None:
        """Take all items away."""
        async with self._lock:
            await self._session.clear_session()

    async def _stored(self) -> list[TResponseInputItem]:
        return await self._session.get_items(_EVERYTHING)  # its own settings may limit what it returns

    async def _swap(self, before: Items, folded: Items) -> None:
        """Put a folded list in the place of what it was folded from, if that still stands there."""
        async with self._lock:
            now = await self._stored()
            if now[: len(before)] != list(before):
                self.hosted.not_applied(folded, "the session was changed while its summary was awaited")
                return
            await self._session.clear_session()
            try:
                await self._session.add_items([*folded, *now[len(before) :]])
            except BaseException:
                await self._session.clear_session()
                await self._session.add_items(now)
                raise


async def _finished(work: Any) -> None:  # noqa: ANN401 - a coroutine
    """Wait for work that must not stop halfway, also when the run that asked for it is cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


class FoldproofHooks(RunHooks[Any]):
    """Hooks of a run: they tell a compaction what the provider reported for each request.

    Attributes:
        guardrail: for `output_guardrails` of an agent or a run: trips where the gate refuses an answer. Its
            `output_info` is the gate's record. It judges what these hooks heard of, so pass them to the run too.
    """

    def __init__(self, compaction: FoldproofInputFilter | FoldproofSession) -> None:
        self._compaction = compaction
        self._asked: WeakKeyDictionary[RunContextWrapper[Any], tuple[Items, str]] = WeakKeyDictionary()
        self.guardrail: OutputGuardrail[Any] = OutputGuardrail(self._judged, name="foldproof")

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],  # noqa: ARG002 - the SDK's signature
        system_prompt: str | None,
        input_items: list[TResponseInputItem],
    ) -> None:
        """Remember what is asked."""
        self._asked[context] = (list(self._compaction.whole(input_items)), system_prompt or "")

    async def on_llm_end(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],  # noqa: ARG002 - as above
        response: ModelResponse,
    ) -> None:
        """Take note of the usage. A provider that reports none says 0, which is nothing to go by."""
        items, _ = self._asked.get(context, ((), ""))
        if response.usage.input_tokens and response.usage.requests == 1:
            self._compaction.hosted.reported(items, response.usage.input_tokens)

    def _judged(self, context: RunContextWrapper[Any], agent: Agent[Any], output: object) -> GuardrailFunctionOutput:
        del agent
        items, instructions = self._asked.get(context, ((), ""))
        try:
            decision = self._compaction.hosted.review(items, _as_text(output), instructions=instructions, revision=1)
        except TranscriptError as error:
            return GuardrailFunctionOutput(output_info={"not_judged": described(error)}, tripwire_triggered=False)
        return GuardrailFunctionOutput(
            output_info=decision.record.model_dump(mode="json"), tripwire_triggered=decision.outcome == "refused"
        )


class ReviewedModel(Model):
    """A model whose answers are reviewed: where the gate asks for a revision, it is asked again, once a request.

    The correction goes to the model only; no session stores it. A stream is not held back, and so not reviewed here:
    use the guardrail of `FoldproofHooks` for it.

    Args:
        model: the model that is asked.
        compaction: whose gate reviews; it knows what was folded.

    Raises:
        UsageError: the compaction's compactor has no gate.
    """

    def __init__(self, model: Model, compaction: FoldproofInputFilter | FoldproofSession) -> None:
        if compaction.hosted.compactor.gate is None:
            raise UsageError('the compactor has no gate; give it one: Compactor(..., gate=Gate(posture="guard"))')
        self._model, self._compaction = model, compaction
        self._revised: OrderedDict[str, None] = OrderedDict()

    async def get_response(  # what else there is goes on as it is, whatever the SDK adds
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002 - the SDK's name
        *args: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> ModelResponse:
        """Return the model's answer, or its answer to a correction."""
        first = await self._model.get_response(system_instructions, input, *args, **options)
        sent = ItemHelpers.input_to_new_input_list(input)
        items = self._compaction.whole(sent)
        request = _request_of(items)
        if request in self._revised or any(getattr(item, "type", "") != "message" for item in _told(first)):
            return first
        answer = "".join(ItemHelpers.extract_text(item) or "" for item in _told(first))
        try:
            decision = self._compaction.hosted.review(items, answer, instructions=system_instructions or "")
        except TranscriptError:  # nothing to judge by; the guardrail, and the compaction's records, say why
            return first
        if decision.correction is None:
            return first
        self._revised[request] = None
        while len(self._revised) > _REMEMBERED:
            self._revised.popitem(last=False)
        correction: Any = {"role": "user", "content": decision.correction.text}
        again = [*sent, *first.to_input_items(), correction]
        second = await self._model.get_response(system_instructions, again, *args, **options)
        second.usage.add(first.usage)
        return second

    def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002 - as above
        *args: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> AsyncIterator[TResponseStreamEvent]:
        """Return the model's stream."""
        return self._model.stream_response(system_instructions, input, *args, **options)

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """Return what the model advises."""
        return self._model.get_retry_advice(request)

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self._model._cleanup_on_run_end(owner)  # noqa: SLF001 - the SDK asks the model of a run, which is this one

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


def _told(response: ModelResponse) -> list[Any]:
    return [item for item in response.output if getattr(item, "type", "") != "reasoning"]


def _request_of(items: Items) -> str:
    """Return what tells the person's current request from others: all that was said up to it."""
    last = max((at for at, item in enumerate(items) if item.get("role") == "user"), default=-1)
    return hashlib.sha256(json.dumps(items[: last + 1], default=str).encode()).hexdigest()


def _as_text(output: object) -> str:
    dumped = getattr(output, "model_dump_json", None)
    return output if isinstance(output, str) else dumped() if dumped is not None else json.dumps(output, default=str)
