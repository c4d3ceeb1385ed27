"""What goes to a provider: the same messages without the fields that only this library and its hosts read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from foldproof.errors import UsageError, shown
from foldproof.messages.frames import FOLDED, frame_kind
from foldproof.messages.model import Message, check_message
from foldproof.messages.parts import is_thinking

FRAMEWORK_FIELDS = frozenset(
    {"ephemeral", "injected_by", "not_dispatched", "tool_chars", "folded_exempt", "tool_result_origin"}
)
"""Fields that never reach a provider. `tool_arguments_failure`, `replay` and `provider_meta` stay for its adapter."""

Thinking = Literal["keep", "drop-behind-frames"]

_NOTHING_ELSE = "…"


def to_wire(messages: Sequence[Message], *, thinking: Thinking = "keep") -> tuple[Message, ...]:
    """Return the messages without framework fields; never one message fewer, so index `i` names the same message.

    A frame's own note in the metadata (`foldproof`) is removed with them; the host's metadata stays.

    Args:
        messages: the window.
        thinking: what becomes of the model's reasoning. Some Claude models bind signed thinking to everything ahead of
            it and reject it once that has changed (`prefix_binding_mismatch`): `"drop-behind-frames"` leaves it out,
            text and signature together, of every message behind the first frame; one that held nothing else says `…`.
            Older ones want the thinking of the tool loop that is running, and take any that is signed: keep it.

    Raises:
        UsageError: something among the messages is no `Message`, or `thinking` is another word.
    """
    if thinking not in ("keep", "drop-behind-frames"):
        raise UsageError(f'thinking is {shown(thinking)}; write "keep" or "drop-behind-frames"')
    for index, message in enumerate(messages):
        check_message(message, index)
    sent = tuple(map(_stripped, messages))
    if thinking == "keep":
        return sent
    first = next((index for index, message in enumerate(messages) if frame_kind(message) is not None), len(sent))
    return (*sent[:first], *map(_without_thinking, sent[first:]))


def _stripped(message: Message) -> Message:
    removed = message.model_fields_set & FRAMEWORK_FIELDS
    update: dict[str, object] = dict.fromkeys(removed)
    if message.metadata is not None and FOLDED in message.metadata:
        update["metadata"] = {key: value for key, value in message.metadata.items() if key != FOLDED} or None
        removed |= set() if update["metadata"] else {"metadata"}
    if not update:
        return message
    stripped = message.model_copy(update=update)
    stripped.model_fields_set.difference_update(removed)
    return stripped


def _without_thinking(message: Message) -> Message:
    if message.role != "assistant":
        return message
    content = message.content
    said = content if isinstance(content, str) else tuple(part for part in content if not is_thinking(part))
    if said == content and not message.thinking_blocks:
        return message
    if not message.tool_calls and not said:
        said = _NOTHING_ELSE  # an empty message is rejected too, and a message is never removed here
    silent = message.model_copy(update={"content": said, "thinking_blocks": None})
    silent.model_fields_set.discard("thinking_blocks")
    return silent
