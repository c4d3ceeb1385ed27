"""Microsoft Agent Framework: a compaction strategy that excludes what left, as the framework's own do.

    agent = Agent(client, instructions, tools=tools, compaction_strategy=FoldproofCompaction(SummarizeOldest(50_000)))

The framework hands over its list and takes the same list back: what left is marked as excluded and stays in the
history, a frame stands where it left and names it, as the framework's own summaries do, and a cleared result takes the
place of the message it was in, in this run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from agent_framework import (
    EXCLUDE_REASON_KEY,
    EXCLUDED_KEY,
    GROUP_ANNOTATION_KEY,
    SUMMARIZED_BY_SUMMARY_ID_KEY,
    SUMMARY_OF_MESSAGE_IDS_KEY,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    Message,
    annotate_message_groups,
    included_messages,
)

from foldproof import CompactionRecord, Compactor
from foldproof.window import Strategy
from foldproof_compactors.hosting import HostedCompactor, Shape, as_compactor

REASON = "foldproof"
"""Why a message is excluded, in the framework's own field for it."""


def message_shape() -> Shape[Message]:
    """Return how the framework's messages are read and written: as its sessions save them, notes of frames and all."""
    return Shape(format="agent_framework", row=_row, item=Message.from_dict, keeps_frames=True)


class FoldproofCompaction:
    """The framework's `CompactionStrategy`: give it to an agent, a chat client, a run, or a `CompactionProvider`.

    Attributes:
        hosted: what compacts; it has the records, and `state` and `restore` for a conversation's included messages.
    """

    def __init__(self, given: Compactor | Strategy | None = None) -> None:
        self.hosted: HostedCompactor[Message] = HostedCompactor(as_compactor(given), message_shape(), persistent=True)

    @property
    def records(self) -> tuple[CompactionRecord, ...]:
        """What was filed, the oldest first."""
        return self.hosted.records

    async def __call__(self, messages: list[Message]) -> bool:
        """Exclude what leaves, put frames in place, and return whether anything changed."""
        included = included_messages(messages)
        view = await self.hosted.afold(included, request=_request(included))
        if view is included:
            return False
        annotate_message_groups(messages)  # every message has an id now, by which a frame names it
        _put(messages, included, view)
        return True


class ReportedUsage(ChatMiddleware):
    """Tells a compaction what the provider reported for each request, so that it need not count."""

    def __init__(self, compaction: FoldproofCompaction) -> None:
        self._hosted = compaction.hosted

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Let the request be made, and take note of its usage; a stream's when it has ended."""
        if context.stream:
            context.stream_result_hooks.append(lambda response: self._note(context.messages, response))
        await call_next()
        if isinstance(context.result, ChatResponse):
            self._note(context.messages, context.result)

    def _note(self, messages: Sequence[Message], response: ChatResponse[Any]) -> ChatResponse[Any]:
        tokens = (response.usage_details or {}).get("input_token_count")
        if isinstance(tokens, int):
            self._hosted.reported(included_messages(list(messages)), tokens)
        return response


def _request(messages: Sequence[Message]) -> str | None:
    """Return the request that is worked on where the person's last message does no more than approve calls."""
    asked = [message for message in messages if message.role == "user"]
    if not asked or not _approves(asked[-1]):
        return None
    return next((message.text for message in reversed(asked) if not _approves(message)), None)


def _approves(message: Message) -> bool:
    return bool(message.contents) and all(one.type == "function_approval_response" for one in message.contents)


def _row(message: Message) -> dict[str, Any]:
    return message.to_dict(exclude={"raw_representation"})


def _put(messages: list[Message], included: Sequence[Message], view: Sequence[Message]) -> None:
    """Make a view of the included messages the included messages of a list, in place."""
    stays = {id(message) for message in view}
    waiting: list[Message] = []  # what left since the last message that stays
    new: list[Message] = []
    at = iter(included)
    for message in [*view, None]:
        if message is not None and not any(message is own for own in included):
            new.append(message)
            continue
        waiting += _until(at, message)
        _settle(messages, [one for one in waiting if id(one) not in stays], new)
        waiting, new = [], []


def _until(messages: Any, last: Message | None) -> list[Message]:  # noqa: ANN401 - an iterator that goes on
    passed = []
    for message in messages:
        if message is last:
            break
        passed.append(message)
    return passed


def _settle(messages: list[Message], left: Sequence[Message], new: Sequence[Message]) -> None:
    """Put what is new in the place of what left: a changed message of the same id in its place, frames ahead of all."""
    changed = {message.message_id: message for message in new if _is_changed(message, left)}
    frames = [message for message in new if message.message_id not in changed]
    gone = [message for message in left if message.message_id not in changed]
    for message in left:
        if message.message_id in changed:
            messages[_index(messages, message)] = changed[message.message_id]
    if gone:
        _exclude(messages, gone, frames)


def _is_changed(message: Message, left: Sequence[Message]) -> bool:
    return message.role == "tool" and any(one.message_id == message.message_id for one in left)


def _exclude(messages: list[Message], gone: Sequence[Message], frames: Sequence[Message]) -> None:
    """Mark what left, and put frames ahead of it. Where ids are used twice a mark would say too much: it is removed."""
    start = _index(messages, gone[0])
    for frame in frames:
        frame.message_id = f"foldproof_{gone[0].message_id}_{len(gone)}_{frames.index(frame)}"
    named = [message.message_id for message in messages]
    if len(named) != len(set(named)):
        kept = [message for message in messages if not any(message is one for one in gone)]
        messages[:] = [*kept[:start], *frames, *kept[start:]]
        return
    for frame in frames:
        annotation = {SUMMARY_OF_MESSAGE_IDS_KEY: [message.message_id for message in gone]}
        frame.additional_properties[GROUP_ANNOTATION_KEY] = annotation
    for message in gone:
        message.additional_properties[EXCLUDED_KEY] = True
        message.additional_properties[EXCLUDE_REASON_KEY] = REASON
        if frames:
            group = message.additional_properties.setdefault(GROUP_ANNOTATION_KEY, {})
            group[SUMMARIZED_BY_SUMMARY_ID_KEY] = frames[0].message_id
    messages[start:start] = frames
    annotate_message_groups(messages, from_index=start)


def _index(messages: Sequence[Message], message: Message) -> int:
    return next(index for index, one in enumerate(messages) if one is message)
