"""What the SDK clients have in common: every request goes through `client.post`, which folds the list in its body.

That is the SDKs' documented way to any endpoint, and their own methods use it: create, parse and stream, the beta
resources and raw responses, alike. What is folded is what would be sent; the caller's list and objects are not touched,
and whatever the SDK raises is raised.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from foldproof import UsageError
from foldproof.compaction import TurnOptions
from foldproof.errors import shown
from foldproof_compactors.hosting import HostedCompactor

Client = TypeVar("Client")

_FOLDS = "_foldproof"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A list in the body of a request, and who folds it.

    Attributes:
        list: name of the list in the body.
        hosted: what folds it.
        usage: the input tokens that an answer, or an event of a stream, reports; None where it reports none.
        unless: names in a body with which the server holds the list, so that there is nothing to fold.
    """

    list: str
    hosted: HostedCompactor[Any]
    usage: Callable[[Any], int | None]
    unless: tuple[str, ...] = ()

    def has_list(self, body: object) -> bool:
        """Whether there is a list to fold in the body of a request."""
        if not isinstance(body, Mapping) or any(body.get(name) is not None for name in self.unless):
            return False
        return isinstance(body.get(self.list), list)


def folding(client: Client, endpoints: Mapping[str, Endpoint], *, asynchronous: bool) -> Client:
    """Return a client of the same class, with the same connections, whose requests are folded.

    Args:
        client: of an SDK that sends with `post`, and copies itself with `copy`.
        endpoints: by the path they are sent to.
        asynchronous: whether `post` is awaited.
    """
    given: Any = client
    folds = given.copy()

    def again(**options: Any) -> Any:  # noqa: ANN401 - what the SDK takes
        return folding(given.copy(**options), endpoints, asynchronous=asynchronous)

    post = _apost(folds.post, endpoints) if asynchronous else _post(folds.post, endpoints)
    vars(folds).update({"post": post, "copy": again, "with_options": again, _FOLDS: endpoints})
    return folds  # type: ignore[no-any-return]


def hosted_of(client: object, path: str) -> HostedCompactor[Any]:
    """Return what folds the lists that a client sends to a path.

    Raises:
        UsageError: the client folds nothing.
    """
    endpoints: Mapping[str, Endpoint] | None = vars(client).get(_FOLDS) if hasattr(client, "__dict__") else None
    if endpoints is None:
        raise UsageError(f"the client is {shown(client)}, which folds nothing; pass what wrap() returned")
    return endpoints[path].hosted


def _found(path: str, body: object, endpoints: Mapping[str, Endpoint]) -> Endpoint | None:
    endpoint = endpoints.get(path.partition("?")[0])
    return endpoint if endpoint is not None and endpoint.has_list(body) else None


def _told(body: Mapping[str, Any]) -> TurnOptions:
    tools = body.get("tools")
    return TurnOptions(tools=tools) if isinstance(tools, list) else TurnOptions()


def _post(post: Callable[..., Any], endpoints: Mapping[str, Endpoint]) -> Callable[..., Any]:
    def folded(path: str, *, body: Any = None, **options: Any) -> Any:  # noqa: ANN401 - what the SDK sends
        endpoint = _found(path, body, endpoints)
        if endpoint is None:
            return post(path, body=body, **options)
        items = list(body[endpoint.list])  # the caller may append before the answer is read
        sent = endpoint.hosted.fold(items, **_told(body))
        return _heard(post(path, body={**body, endpoint.list: list(sent)}, **options), endpoint, items)

    return folded


def _apost(post: Callable[..., Any], endpoints: Mapping[str, Endpoint]) -> Callable[..., Any]:
    async def folded(path: str, *, body: Any = None, **options: Any) -> Any:  # noqa: ANN401 - as above
        endpoint = _found(path, body, endpoints)
        if endpoint is None:
            return await post(path, body=body, **options)
        items = list(body[endpoint.list])  # the caller may append before the answer is read
        sent = await endpoint.hosted.afold(items, **_told(body))
        return _heard(await post(path, body={**body, endpoint.list: list(sent)}, **options), endpoint, items)

    return folded


def _heard(answer: Any, endpoint: Endpoint, items: list[Any]) -> Any:  # noqa: ANN401 - the SDK's answer, as it is
    """Take note of the usage that an answer reports, a stream's as it is read."""

    def hear(event: Any) -> None:  # noqa: ANN401 - an answer, or an event of a stream
        tokens = endpoint.usage(event)
        if isinstance(tokens, int) and tokens > 0:
            endpoint.hosted.reported(items, tokens)

    events = getattr(answer, "_iterator", None)
    if isinstance(events, AsyncIterator):
        answer._iterator = _aoverheard(events, hear)  # noqa: SLF001 - the stream has to stay the SDK's own object
    elif isinstance(events, Iterator):
        answer._iterator = _overheard(events, hear)  # noqa: SLF001 - as above
    else:
        hear(answer)
    return answer


def _overheard(events: Iterator[Any], hear: Callable[[Any], None]) -> Iterator[Any]:
    for event in events:
        hear(event)
        yield event


async def _aoverheard(events: AsyncIterator[Any], hear: Callable[[Any], None]) -> AsyncIterator[Any]:
    async for event in events:
        hear(event)
        yield event
