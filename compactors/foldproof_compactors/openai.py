"""OpenAI's SDK: a client whose requests are folded, Chat Completions and Responses alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeVar

from openai import AsyncOpenAI, OpenAI

from foldproof import Compactor, UsageError
from foldproof.errors import shown
from foldproof.window import Strategy
from foldproof_compactors.callback import list_shape
from foldproof_compactors.hosting import HostedCompactor, as_compactor
from foldproof_compactors.posting import Endpoint, folding, hosted_of

Client = TypeVar("Client", OpenAI, AsyncOpenAI)

_PATHS = {"chat": "/chat/completions", "responses": "/responses"}


def wrap(client: Client, given: Compactor | Strategy | None = None) -> Client:
    """Return a client of the same class whose requests are folded; everything else about it is as it was.

    `chat.completions` (create, parse, stream) sends a view of `messages`, and `responses` one of `input`. Keep your own
    list: nothing in it is touched. The usage that an answer reports is what the next request is measured by; a stream
    of Chat Completions reports it when `stream_options={"include_usage": True}` asks for it. With
    `previous_response_id` or `conversation` the server holds the list, and the request goes as it is.

    Args:
        client: of the SDK's; `AzureOpenAI` too.
        given: a compactor, or the strategy of one; the default folds with `SlidingWindow()`.

    Raises:
        UsageError: it is no client of the SDK, or what is given is no strategy.
    """
    if not isinstance(client, OpenAI | AsyncOpenAI):
        raise UsageError(f"the client is {shown(client)}; pass openai.OpenAI(...) or openai.AsyncOpenAI(...)")
    compactor = as_compactor(given)
    chat = compactor if compactor.provider else replace(compactor, provider="openai_chat")
    responses = compactor if compactor.provider else replace(compactor, provider="openai_responses")
    endpoints = {
        _PATHS["chat"]: Endpoint(
            list="messages", hosted=HostedCompactor(chat, list_shape("openai_chat")), usage=_chat_usage
        ),
        _PATHS["responses"]: Endpoint(
            list="input",
            hosted=HostedCompactor(responses, list_shape("openai_responses")),
            usage=_responses_usage,
            unless=("previous_response_id", "conversation"),
        ),
    }
    return folding(client, endpoints, asynchronous=isinstance(client, AsyncOpenAI))


def hosted(client: OpenAI | AsyncOpenAI, api: Literal["chat", "responses"] = "chat") -> HostedCompactor[Any]:
    """Return what folds the lists of a client that `wrap` returned: its records, states, and `review`.

    Raises:
        UsageError: the client folds nothing.
    """
    return hosted_of(client, _PATHS[api])


def _chat_usage(answer: Any) -> int | None:  # noqa: ANN401 - a completion, or a chunk of one
    return getattr(getattr(answer, "usage", None), "prompt_tokens", None)


def _responses_usage(answer: Any) -> int | None:  # noqa: ANN401 - a response, or an event that carries one
    response = getattr(answer, "response", answer)
    return getattr(getattr(response, "usage", None), "input_tokens", None)
