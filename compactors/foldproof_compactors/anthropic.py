"""Anthropic's SDK: a client whose requests are folded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from anthropic import Anthropic, AsyncAnthropic

from foldproof import Compactor, UsageError
from foldproof.errors import shown
from foldproof.window import Strategy
from foldproof_compactors.callback import list_shape
from foldproof_compactors.hosting import HostedCompactor, as_compactor
from foldproof_compactors.posting import Endpoint, folding, hosted_of

Client = TypeVar("Client", Anthropic, AsyncAnthropic)

_PATH = "/v1/messages"
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def wrap(client: Client, given: Compactor | Strategy | None = None) -> Client:
    """Return a client of the same class whose requests are folded; everything else about it is as it was.

    `messages` (create, parse, stream) and `beta.messages` send a view of `messages`. Keep your own list: nothing in it
    is touched, and what stayed goes byte for byte, signed thinking and cache markers with it. `system` is outside the
    list. The usage that an answer or a stream reports, what went through the cache included, is what the next request
    is measured by.

    Args:
        client: of the SDK's.
        given: a compactor, or the strategy of one; the default folds with `SlidingWindow()`.

    Raises:
        UsageError: it is no client of the SDK, or what is given is no strategy.
    """
    if not isinstance(client, Anthropic | AsyncAnthropic):
        raise UsageError(f"the client is {shown(client)}; pass anthropic.Anthropic(...) or AsyncAnthropic(...)")
    compactor = as_compactor(given)
    strict = compactor if compactor.provider else replace(compactor, provider="anthropic")
    hosted = HostedCompactor(strict, list_shape("anthropic_messages"))
    endpoints = {_PATH: Endpoint(list="messages", hosted=hosted, usage=_usage)}
    return folding(client, endpoints, asynchronous=isinstance(client, AsyncAnthropic))


def hosted(client: Anthropic | AsyncAnthropic) -> HostedCompactor[Any]:
    """Return what folds the lists of a client that `wrap` returned: its records, states, and `review`.

    Raises:
        UsageError: the client folds nothing.
    """
    return hosted_of(client, _PATH)


def _usage(answer: Any) -> int | None:  # noqa: ANN401 - a message, or the event that begins one
    usage = getattr(getattr(answer, "message", answer), "usage", None)
    # Where the server ran tools, the total is that of all its steps; the last step is what the window held.
    steps = [step for step in getattr(usage, "iterations", None) or () if getattr(step, "type", None) == "message"]
    usage = steps[-1] if steps else usage
    if getattr(usage, "input_tokens", None) is None:
        return None
    return sum(getattr(usage, name, None) or 0 for name in _INPUT)
