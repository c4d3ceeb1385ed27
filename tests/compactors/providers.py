"""The two providers as tests use them: how each answers on the wire, and how its real SDK is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import anthropic
import openai

from foldproof import Message, SummarizeOldest, Visit
from foldproof.window import Summarizer, Summary, SummaryRequest
from foldproof_compactors.summarizers import AnthropicSummarizer, OpenAISummarizer

Json = Any
Name = Literal["openai", "anthropic"]

MODEL = "a-model"
SPAN = (Message(role="user", content="Where is order 4471?"), Message(role="assistant", content="On its way."))
BARE: Json = {"trust_env": False, "verify": False}
"""A client that asks no proxy of the environment, and loads no certificates, which takes longer than the rest."""

REQUEST = SummaryRequest(iteration=1, model=MODEL, max_characters=900)


@dataclass(frozen=True)
class Asking:
    """One of the two SDKs, with its synchronous or its asynchronous client."""

    provider: Name
    is_asynchronous: bool

    def __str__(self) -> str:
        return f"{self.provider}-{'async' if self.is_asynchronous else 'sync'}"

    def answer(self, text: str | None = "A claim.", *, stop: str | None = None, **more: Json) -> Json:
        """An answer as the provider writes it."""
        if self.provider == "openai":
            message = {"role": "assistant", "content": text, "refusal": None} | more.pop("message", {})
            choice = {"index": 0, "finish_reason": stop or "stop", "message": message}
            return {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "a-model-1",
                "choices": [choice],
            } | more
        content = [] if text is None else [{"type": "text", "text": text}]
        said: Json = {"id": "1", "type": "message", "role": "assistant", "model": "a-model-1"}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return (
            said | {"content": content, "stop_reason": stop or "end_turn", "stop_sequence": None, "usage": usage} | more
        )

    def ask(self, url: str, **options: Any) -> Summary:  # noqa: ANN401 - the summarizer's options
        """Ask a server for a summary of a span."""
        if self.is_asynchronous:
            return asyncio.run(self.aask(url, **options))
        with self.summarizer(url, **options) as summarizer:
            found = summarizer(SPAN, REQUEST)
            assert isinstance(found, Summary)
            return found

    async def aask(self, url: str, **options: Any) -> Summary:  # noqa: ANN401 - as above
        async with self.asummarizer(url, **options) as summarizer:
            waiting = summarizer(SPAN, REQUEST)
            assert isinstance(waiting, Awaitable)
            found = await waiting
            assert isinstance(found, Summary)
            return found

    def visit(self, url: str, messages: list[Message], **options: Any) -> Visit:  # noqa: ANN401 - as above
        """Visit a window with a strategy that asks a server."""
        if not self.is_asynchronous:
            with self.summarizer(url, **options) as summarizer:
                return SummarizeOldest(0, 2, summarizer=summarizer).visit(messages)

        async def avisit() -> Visit:
            async with self.asummarizer(url, **options) as summarizer:
                return await SummarizeOldest(0, 2, summarizer=summarizer).avisit(messages)

        return asyncio.run(avisit())

    @contextmanager
    def summarizer(self, url: str, **options: Any) -> Iterator[Summarizer]:  # noqa: ANN401 - as above
        if self.provider == "openai":
            plain = openai.DefaultHttpxClient(**BARE)
            with openai.OpenAI(api_key="k", base_url=f"{url}/v1", http_client=plain) as client:
                yield OpenAISummarizer(client, **{"model": MODEL, **options})
        else:
            own = anthropic.DefaultHttpxClient(**BARE)
            with anthropic.Anthropic(api_key="k", base_url=url, http_client=own) as other:
                yield AnthropicSummarizer(other, **{"model": MODEL, **options})

    @asynccontextmanager
    async def asummarizer(self, url: str, **options: Any) -> AsyncIterator[Summarizer]:  # noqa: ANN401 - as above
        if self.provider == "openai":
            plain = openai.DefaultAsyncHttpxClient(**BARE)
            async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1", http_client=plain) as client:
                yield OpenAISummarizer(client, **{"model": MODEL, **options})
        else:
            own = anthropic.DefaultAsyncHttpxClient(**BARE)
            async with anthropic.AsyncAnthropic(api_key="k", base_url=url, http_client=own) as other:
                yield AnthropicSummarizer(other, **{"model": MODEL, **options})


EVERY = [Asking(provider, is_async) for provider in ("openai", "anthropic") for is_async in (False, True)]
