"""What goes to a provider: the same messages without the fields that only this library and its hosts read."""

from __future__ import annotations

from collections.abc import Sequence

from foldproof.messages.frames import FOLDED
from foldproof.messages.model import Message, check_message

FRAMEWORK_FIELDS = frozenset(
    {"ephemeral", "injected_by", "not_dispatched", "tool_chars", "folded_exempt", "tool_result_origin"}
)
"""Fields that never reach a provider. `tool_arguments_failure`, `replay` and `provider_meta` stay for its adapter."""


def to_wire(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages without framework fields; never one message fewer, so index `i` names the same message.

    A frame's own note in the metadata (`foldproof`) is removed with them; the host's metadata stays.

    Raises:
        UsageError: something among the messages is no `Message`.
    """
    for index, message in enumerate(messages):
        check_message(message, index)
    return tuple(map(_stripped, messages))


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
