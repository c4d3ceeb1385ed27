"""What goes to a provider: the same messages without the fields that only this library and its hosts read."""

from __future__ import annotations

from collections.abc import Sequence

from foldproof.messages.model import Message

FRAMEWORK_FIELDS = frozenset(
    {"ephemeral", "injected_by", "not_dispatched", "tool_chars", "folded_exempt", "tool_result_origin"}
)
"""Fields that never reach a provider. `tool_arguments_failure`, `replay` and `provider_meta` stay for its adapter."""


def to_wire(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages without framework fields; never one message fewer, so index `i` names the same message."""
    return tuple(_stripped(message) for message in messages)


def _stripped(message: Message) -> Message:
    framework = message.model_fields_set & FRAMEWORK_FIELDS
    if not framework:
        return message
    stripped = message.model_copy(update=dict.fromkeys(framework))
    stripped.model_fields_set.difference_update(framework)
    return stripped
