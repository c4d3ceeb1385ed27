"""The message: one frozen model that reads the JSON of agentfootprint and of Axle, with every field of both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, StrictBool

from foldproof.errors import UsageError, shown
from foldproof.messages.base import FrozenModel
from foldproof.messages.parts import Part, part_text

Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(FrozenModel):
    """A call the model made. `provider_meta` is the provider's own and rides back unchanged."""

    id: str
    name: str
    args: JsonValue = Field(default_factory=dict)
    provider_meta: JsonValue = None


class Message(FrozenModel):
    """One entry of a conversation.

    `content` is a string or a tuple of parts. The framework's own fields (`injected_by`, `not_dispatched`,
    `tool_chars`, `folded_exempt`, `ephemeral`, `tool_result_origin`) never reach a provider; see `to_wire`.
    `tool_chars` counts code points of the content and is kept as it was read even where it makes no sense; see
    `foldproof.messages.tool_text` for when it applies.

    Raises:
        pydantic.ValidationError: an unknown role, or a field of the wrong type.
    """

    role: Role
    content: str | tuple[Part, ...] = ""
    id: str | None = None
    name: str | None = None
    model: str | None = None
    finish_reason: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: StrictBool | None = None
    thinking_blocks: tuple[JsonValue, ...] | None = None
    ephemeral: StrictBool | None = None
    injected_by: JsonValue = None
    not_dispatched: JsonValue = None
    tool_chars: JsonValue = None
    folded_exempt: tuple[str, ...] | None = None
    tool_arguments_failure: JsonValue = None
    tool_result_origin: JsonValue = None
    replay: JsonValue = None
    metadata: dict[str, JsonValue] | None = None

    @property
    def text(self) -> str:
        """The words of the message: its string content, or its text parts, one a line."""
        if isinstance(self.content, str):
            return self.content
        texts = (part_text(part) for part in self.content)
        return "\n".join(text for text in texts if text is not None)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over the canonical JSON of the message.

        Two messages have one fingerprint exactly when they are equal and write their numbers alike (1, 1.0 and true
        are equal in Python). A field that is absent says what its default says.
        """
        canonical = json.dumps(_said(self), sort_keys=True, default=_said)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields changed, as pydantic does; it has a fingerprint of its own."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("fingerprint", None)
        return copied


def _said(model: object) -> object:
    """Return what a part of a message says as JSON; an unknown field may hold anything, and says its `repr`."""
    if not isinstance(model, FrozenModel):
        return repr(model)
    fields = {str(field.alias): getattr(model, name) for name, field in type(model).model_fields.items()}
    return {name: value for name, value in fields.items() if value is not None} | (model.model_extra or {})


def check_message(entry: object, index: int) -> None:
    """Check that an entry of a conversation is a message.

    Raises:
        UsageError: it is something else, such as the dict it could be read from.
    """
    if not isinstance(entry, Message):
        raise UsageError(f"messages[{index}] is {shown(entry)}, not a Message; read it with foldproof.parse first")


def message_id(message: Message) -> str:
    """Return the id a record names this message by: its own, or one derived from what it says.

    Host messages often carry no id (OpenAI and Anthropic dicts have none), so the derived id is `sha256:` and the
    first 16 hex digits of the fingerprint.
    """
    return message.id or f"sha256:{message.fingerprint[:16]}"
