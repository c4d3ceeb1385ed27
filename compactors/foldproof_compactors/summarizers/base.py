"""What the summarizers that ask a provider share: one attempt, a limited time, and an answer that is looked at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from foldproof.errors import TranscriptError, UsageError, shown
from foldproof.messages import Message
from foldproof.window import Summary, SummaryPrompt, SummaryRequest, checks, summary_prompt
from foldproof_compactors.summarizers.patience import awaited_within, check_seconds, within

_TOLD_SHARE: Final = 2  # a model counts otherwise than it is told, and may think first: it is told half of its limit
_BEHIND_SECONDS: Final = 1.0  # the SDK's own limit ends the thread that was left; ours is the one that is reported

_Answer = TypeVar("_Answer", bound=BaseModel)


class SummaryError(TranscriptError):
    """What a model answered is no summary: a refusal, nothing, a text that was cut off, or another kind of answer.

    Attributes:
        usage: what was paid for it, where the answer says so; the record of the visit has it.
        model: who really answered, as above.
    """

    def __init__(self, cause: str, *, path: str | None = None, answer: Summary | None = None) -> None:
        super().__init__(cause, path=path)
        self.usage = None if answer is None else answer.usage
        self.model = None if answer is None else answer.model


class ModelSummarizer(ABC):
    """Asks a provider's model for a summary, once, through the SDK of the provider.

    Subclass it, give `_ask` and `_read`, and it is a summarizer.
    """

    def __init__(
        self, *, model: str, timeout_seconds: float, max_output_tokens: int | None, is_asynchronous: bool
    ) -> None:
        """Check the options."""
        _check_model(model)
        check_seconds("timeout_seconds", timeout_seconds)
        if max_output_tokens is not None:
            checks.whole_number("max_output_tokens", max_output_tokens, at_least=1)
        self._model: Final = model
        self._seconds: Final = timeout_seconds
        self._max_output_tokens: Final = max_output_tokens
        self._is_asynchronous: Final = is_asynchronous
        self._read_seconds: Final = timeout_seconds + _BEHIND_SECONDS

    @property
    def name(self) -> str:
        """The model that is asked, as frames and records name it."""
        return self._model

    def __call__(self, span: Sequence[Message], request: SummaryRequest, /) -> Summary | Awaitable[Summary]:
        """Return the model's summary of `span`; with an asynchronous client, something to await.

        Raises:
            SummaryError: the answer is no summary.
            TimeoutError: there was none within `timeout_seconds`.
            Exception: whatever the SDK raises, such as its errors for a status or a connection.
        """
        prompt = summary_prompt(span, self._told(request))
        if self._is_asynchronous:
            return self._awaited(prompt)
        return self._read(within(self._seconds, lambda: self._ask(prompt), who=self.name))

    async def _awaited(self, prompt: SummaryPrompt) -> Summary:
        answer = self._ask(prompt)
        assert isinstance(answer, Awaitable)  # noqa: S101 - an asynchronous client
        return self._read(await awaited_within(self._seconds, answer, who=self.name))

    def _told(self, request: SummaryRequest) -> SummaryRequest:
        if self._max_output_tokens is None:
            return request
        most = max(1, self._max_output_tokens // _TOLD_SHARE)
        return replace(request, max_tokens=most if request.max_tokens is None else min(most, request.max_tokens))

    @abstractmethod
    def _ask(self, prompt: SummaryPrompt) -> object:
        """Send the request, once, and return what the SDK returns."""

    @abstractmethod
    def _read(self, answer: object) -> Summary:
        """Return the summary in what the SDK returned."""


def _check_model(value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"model is {shown(value)}; write the name that the provider has for it")


def as_answer(kind: type[_Answer], answer: object) -> _Answer:
    """Return what an SDK returned as the fields that are read of it; an SDK checks nothing.

    Raises:
        SummaryError: it has not got them.
    """
    said = answer.model_dump(warnings=False) if isinstance(answer, BaseModel) else answer
    try:
        return kind.model_validate(said)
    except ValidationError as error:
        if isinstance(said, dict) and said.get("error"):  # some servers report a failure with a status of success
            raise SummaryError(f"the server answered an error: {shown(said['error'])}", path="$.error") from error
        first = error.errors()[0]
        path = "$" + "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"])
        cause = f"the server answered {shown(first['input'])}, which no answer of this provider has there"
        raise SummaryError(cause, path=path) from error
