"""Tools that the provider ran itself: a call and a result among the model's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foldproof.messages.model import Message
from foldproof.messages.parts import Part, ProviderToolPart, ProviderToolResultPart


class ServerTools(NamedTuple):
    """The tools a provider ran itself, by message index.

    Attributes:
        pairs: a call and its result that stand in two messages: both stay or both leave.
        halves: messages that hold a call whose turn ended without its result, or a result whose call is not there.
    """

    pairs: tuple[tuple[int, int], ...]
    halves: tuple[int, ...]


def pair_server_tools(messages: Sequence[Message]) -> ServerTools:
    """Return which server tools span two messages, and which lack a half. A user message ends the turn they run in."""
    pairs: list[tuple[int, int]] = []
    halves: set[int] = set()
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.role == "user":
            halves.update(waiting.values())
            waiting.clear()
        if message.role != "assistant" or isinstance(message.content, str):
            continue
        for identifier, is_result in _open_halves(message.content):
            if not is_result:
                waiting[identifier] = index
            elif identifier not in waiting:
                halves.add(index)
            elif waiting[identifier] != index:
                pairs.append((waiting.pop(identifier), index))
            else:
                del waiting[identifier]
    return ServerTools(tuple(pairs), tuple(sorted(halves)))


def _open_halves(parts: Sequence[Part]) -> list[tuple[str, bool]]:
    halves = (server_half(part) for part in parts if not _is_whole(part))
    return [half for half in halves if half is not None]


def server_half(part: Part) -> tuple[str, bool] | None:
    """Return the id of a server tool, and whether this part is its result; None for a part of another kind.

    Claude's own blocks are read where they stand as they came: `server_tool_use`, `web_search_tool_result` and so on.
    """
    if isinstance(part, ProviderToolPart | ProviderToolResultPart):
        return part.id, isinstance(part, ProviderToolResultPart)
    extras = part.model_extra or {}
    kind, call, result = str(extras.get("type")), extras.get("id"), extras.get("tool_use_id")
    if kind in ("server_tool_use", "mcp_tool_use") and isinstance(call, str):
        return call, False
    return (result, True) if kind.endswith("_tool_result") and isinstance(result, str) else None


def _is_whole(part: Part) -> bool:
    """Whether a call brings its result along, or is of a provider that keeps the two in one block."""
    if not isinstance(part, ProviderToolPart):
        return False
    continuity = part.continuity if isinstance(part.continuity, dict) else {}
    provider = continuity.get("provider", (part.model_extra or {}).get("provider", "anthropic"))
    return part.result is not None or provider != "anthropic"
