"""A summary by a model that speaks OpenAI's Chat Completions: theirs, or of one of the many servers that speak it too.

Chat Completions and not Responses: it keeps nothing on the server, and a `base_url` is all it takes to ask another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from foldproof.errors import UsageError, shown
from foldproof.window import Summary, SummaryPrompt, SummaryUsage
from foldproof_compactors.summarizers.base import ModelSummarizer, SummaryError, as_answer

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


class OpenAISummarizer(ModelSummarizer):
    """Asks an OpenAI model for the summary of a span; pass it as `summarizer=`.

    * With an `AsyncOpenAI` client it is asynchronous: visit with `avisit`. Cancelling the visit cancels the request.
    * One attempt: the client's retries are turned off for it, and nothing else about the client is changed.
    * `timeout_seconds` limits the whole call, a server that drips included. With a synchronous client the request runs
      on a daemon thread, which is left alone at the limit; the SDK ends it once the server is silent for longer.
    * A refusal, nothing, a text that was cut off, or an answer of another kind is a `SummaryError`, and folds nothing.
    * The summary carries the usage that was reported and the model that really answered.

    Raises:
        UsageError: the SDK is not installed, the client is another one, or an option makes no sense.
    """

    def __init__(
        self,
        client: OpenAI | AsyncOpenAI,
        *,
        model: str,
        timeout_seconds: float = 60.0,
        max_output_tokens: int | None = None,
    ) -> None:
        """Ask `model` through `client`; `max_output_tokens` counts what a model thinks, too."""
        try:
            from openai import AsyncOpenAI, OpenAI
        except ImportError as error:
            raise UsageError("OpenAISummarizer needs the OpenAI SDK; pip install 'foldproof[openai]'") from error
        if not isinstance(client, OpenAI | AsyncOpenAI):
            raise UsageError(f"client is {shown(client)}; pass openai.OpenAI(...) or openai.AsyncOpenAI(...)")
        super().__init__(
            model=model,
            timeout_seconds=timeout_seconds,
            max_output_tokens=max_output_tokens,
            is_asynchronous=isinstance(client, AsyncOpenAI),
        )
        self._client = client

    def _ask(self, prompt: SummaryPrompt) -> object:
        from openai import omit

        client = self._client.with_options(max_retries=0, timeout=self._read_seconds)
        return client.chat.completions.create(
            model=self._model,
            messages=[
                {"role": "system", "content": prompt.instructions},
                {"role": "user", "content": prompt.transcript},
            ],
            max_completion_tokens=omit if self._max_output_tokens is None else self._max_output_tokens,
        )

    def _read(self, answer: object) -> Summary:
        completion = as_answer(_Completion, answer)
        choice = completion.choices[0]
        text = (choice.message.content or "").strip()
        summary = Summary(text=text, usage=_usage(completion.usage), model=completion.model)
        if choice.message.refusal:
            path = "$.choices[0].message.refusal"
            raise SummaryError(f"the model refused: {choice.message.refusal}", path=path, answer=summary)
        if choice.finish_reason not in (None, "stop"):
            what = "was cut off" if choice.finish_reason == "length" else "is not whole"
            cause = f"the summary {what}: the model stopped for {shown(choice.finish_reason)}"
            raise SummaryError(cause, path="$.choices[0].finish_reason", answer=summary)
        if not text:
            raise SummaryError("the model said nothing", path="$.choices[0].message.content", answer=summary)
        return summary


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    finish_reason: str | None = None
    message: _Message


class _Details(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Completion(BaseModel):
    """What is read of a chat completion."""

    choices: list[_Choice] = Field(min_length=1)
    model: str | None = None
    usage: _Usage | None = None


def _usage(usage: _Usage | None) -> SummaryUsage | None:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None  # a server that counts half of it says nothing that can be added up
    cached = None if usage.prompt_tokens_details is None else usage.prompt_tokens_details.cached_tokens
    return SummaryUsage(
        input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens, cached_input_tokens=cached
    )
