"""Which list of a host's a window stands for, told by what the list says.

Hosts reuse ids, leave them out, and move their own markers about. So a message of a list is known by its words and its
calls, and a list by those of all its messages in order: the same list has the same window, whichever conversation,
thread or retry it comes from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from foldproof.compaction.state import ConversationState, HostPlace
from foldproof.errors import UsageError
from foldproof.messages import Message, TextPart, author_of, calls_of, frame_kind, frames_of
from foldproof.window import FoldedSpan

_MARKERS = ("cache_control", "cachePoint")
"""What hosts put on a part and take off again between two requests: where a prompt cache ends."""


def list_digests(words: Sequence[str]) -> list[str]:
    """Return, for each beginning of a list, what it is known by: the first of one message, the last of all of them.

    Args:
        words: what `list_words` says of each message.
    """
    digests, ahead = [], hashlib.sha256()
    for said in words:
        ahead.update(said.encode("utf-8", "surrogatepass"))
        digests.append(ahead.hexdigest())
    return digests


Frames = Mapping[str, ConversationState]
"""The frames that were written before, by their words, each with a state that has it in its window."""


def begun(read: Sequence[Message], words: Sequence[str], digest: str, frames: Frames) -> ConversationState:
    """Return the state of a list of which no beginning is known: the list is the window.

    Args:
        read: the messages of the list.
        words: what `list_words` says of each.
        digest: what the whole list is known by.
        frames: see `Frames`. Where a host changed its list around one, it keeps its lineage and what it stands for;
            those that read alike stand in the order they had.
    """
    window, spans = _restored(read, words, frames)
    place = HostPlace(digest=digest, count=len(read), places=tuple(range(len(read))))
    return ConversationState(spans=tuple(spans.values()), host=place).appended(window)


def followed(
    state: ConversationState, read: Sequence[Message], words: Sequence[str], digest: str, frames: Frames
) -> ConversationState:
    """Return the state of a list as the host has it now.

    Args:
        state: what is known of a beginning of it.
        read: the messages of the list.
        words: what `list_words` says of each.
        digest: what the whole list is known by.
        frames: as for `begun`.

    Raises:
        UsageError: the state follows no list.
    """
    host = state.host
    if host is None:
        raise UsageError("the state follows no list of a host's; pass one that a HostedCompactor returned")
    # What did not change stays the object it was, with all that was worked out about it; a frame keeps its lineage.
    known = [
        message if at is None or frame_kind(message) is not None or message == read[at] else read[at]
        for message, at in zip(state.messages, host.places, strict=True)
    ]
    new, spans = _restored(read[host.count :], words[host.count :], frames)
    spans = {span.fingerprint: span for span in state.spans} | spans
    now = state.model_copy(update={"messages": tuple(known), "spans": tuple(spans.values())}).appended(new)
    places = (*host.places, *range(host.count, len(read)))
    return now.model_copy(
        update={"host": host.model_copy(update={"digest": digest, "count": len(read), "places": places})}
    )


def folded_beginning(state: ConversationState, words: Sequence[str]) -> ConversationState | None:
    """Return what is known of a list up to the last message that left its window; None where nothing did.

    A list that goes on otherwise behind that one (a reminder that every request ends with, an answer that was asked for
    again) has the same fold, and nobody has to summarise it anew.

    Args:
        state: the state of the whole list, right behind a fold.
        words: what `list_words` says of each message of it.
    """
    host = state.host
    stays = set() if host is None else set(host.places)
    last = next((at for at in range(len(words) - 1, -1, -1) if at not in stays), None)
    if host is None or last is None:
        return None
    places = host.places
    cut = next((index for index, at in enumerate(places) if at is not None and at > last), len(places))
    said = sum(message.role == "assistant" for message in state.messages[cut:])
    digest = list_digests(words[: last + 1])[-1]
    place = host.model_copy(update={"digest": digest, "count": last + 1, "places": places[:cut], "measured": None})
    kept = {"messages": state.messages[:cut], "iteration": state.iteration - said, "host": place}
    return state.model_copy(update=kept)


def holds_request(state: ConversationState, read: Sequence[Message]) -> bool:
    """Whether a list, going on from a state, still has the latest thing the person said in it."""
    if state.host is None:
        return False
    said = (at for at in range(len(read) - 1, -1, -1) if author_of(read[at]) == "person")
    latest = next(said, None)
    return latest is None or latest >= state.host.count or latest in state.host.places


def _restored(
    read: Sequence[Message], words: Sequence[str], frames: Frames
) -> tuple[list[Message], dict[str, FoldedSpan]]:
    """Return messages with the frames among them as they were written, and what these stand for."""
    window, spans = list(read), dict[str, FoldedSpan]()
    waiting = {said: iter(_frames_in(frames[said], said)) for said in words if said in frames}
    for at, said in enumerate(words):
        frame = next(waiting.get(said, iter(())), None)
        if frame is not None:
            window[at] = frame
            spans |= {span.fingerprint: span for span in frames[said].spans}
    return window, spans


def _frames_in(state: ConversationState, words: str) -> list[Message]:
    return [message for message in frames_of(state.messages) if list_words(message) == words]


def placed(before: ConversationState, after: Sequence[Message]) -> tuple[int | None, ...]:
    """Return, for each message of a new window, its index in the host's list; None for what is not in it."""
    host = before.host
    if host is None:
        return (None,) * len(after)
    places = {id(message): at for message, at in zip(before.messages, host.places, strict=True)}
    return tuple(places.get(id(message)) for message in after)


def list_words(message: Message) -> str:
    """Return what tells a message of a list from another, as a JSON text.

    That is its role, its words and other parts, its calls, and what it answers; not its id, usage or metadata, and no
    markers of a prompt cache.
    """
    parts = () if isinstance(message.content, str) else message.content
    others = [_unmarked(part.model_dump(mode="json")) for part in parts if not isinstance(part, TextPart)]
    calls: list[JsonValue] = [[call.id, call.name, call.args] for call in calls_of(message)]
    return json.dumps([message.role, message.text, others, message.tool_call_id, calls], default=repr)


def _unmarked(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _unmarked(inner) for name, inner in value.items() if name not in _MARKERS}
    return [_unmarked(inner) for inner in value] if isinstance(value, list) else value
