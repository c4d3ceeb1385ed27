"""A summary by a model of Anthropic's, through their Messages interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from foldproof.errors import UsageError, shown
from foldproof.window import Summary, SummaryPrompt, SummaryUsage
from foldproof_compactors.summarizers.base import ModelSummarizer, SummaryError, as_answer

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


class AnthropicSummarizer(ModelSummarizer):
    """Asks a Claude model for the summary of a span; pass it as `summarizer=`.

    * With an `AsyncAnthropic` client it is asynchronous: visit with `avisit`. Cancelling the visit cancels the request.
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
        client: Anthropic | AsyncAnthropic,
        *,
        model: str,
        timeout_seconds: float = 60.0,
        max_output_tokens: int = 8_192,
    ) -> None:
        """Ask `model` through `client`; the provider wants to be told `max_output_tokens`."""
        try:
            from anthropic import Anthropic, AsyncAnthropic
        except ImportError as error:
            raise UsageError(
                "AnthropicSummarizer needs the Anthropic SDK; pip install 'foldproof[anthropic]'"
            ) from error
        if not isinstance(client, Anthropic | AsyncAnthropic):
            raise UsageError(
                f"client is {shown(client)}; pass anthropic.Anthropic(...) or anthropic.AsyncAnthropic(...)"
            )
        super().__init__(
            model=model,
            timeout_seconds=timeout_seconds,
            max_output_tokens=max_output_tokens,
            is_asynchronous=isinstance(client, AsyncAnthropic),
        )
        self._client = client
        self._most = max_output_tokens

    def _ask(self, prompt: SummaryPrompt) -> object:
        client = self._client.with_options(max_retries=0, timeout=self._read_seconds)
        return client.messages.create(
            model=self._model,
            max_tokens=self._most,
            system=prompt.instructions,
            messages=[{"role": "user", "content": prompt.transcript}],
        )

    def _read(self, answer: object) -> Summary:
        message = as_answer(_Message, answer)
        text = "".join(block.text for block in message.content if block.type == "text").strip()
        summary = Summary(text=text, usage=_usage(message.usage), model=message.model)
        if message.stop_reason == "refusal":
            raise SummaryError("the model refused", path="$.stop_reason", answer=summary)
        if message.stop_reason not in (None, "end_turn", "stop_sequence"):
            what = "was cut off" if message.stop_reason == "max_tokens" else "is not whole"
            cause = f"the summary {what}: the model stopped for {shown(message.stop_reason)}"
            raise SummaryError(cause, path="$.stop_reason", answer=summary)
        if not text:
            raise SummaryError("the model said nothing", path="$.content", answer=summary)
        return summary


class _Block(BaseModel):
    type: str
    text: str = ""


class _Usage(BaseModel):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(BaseModel):
    """What is read of a message."""

    content: list[_Block]
    stop_reason: str | None = None
    model: str | None = None
    usage: _Usage | None = None


def _usage(usage: _Usage | None) -> SummaryUsage | None:
    """Return the usage; here, unlike elsewhere, `input_tokens` leaves out what went through the cache."""
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None  # a server that counts half of it says nothing that can be added up
    through_cache = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return SummaryUsage(
        input_tokens=usage.input_tokens + through_cache,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cache_read_input_tokens,
    )
