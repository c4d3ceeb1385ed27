"""The message: one frozen model that reads the JSON of agentfootprint and of Axle, with every field of both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, JsonValue, StrictBool

from foldproof.errors import UsageError, shown
from foldproof.messages.base import FrozenModel
from foldproof.messages.facts import Facts
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

    __slots__ = ("facts",)

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

    if TYPE_CHECKING:

        @property
        def facts(self) -> Facts:
            """What was worked out about this message; for the rooms of this library."""

    else:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a field holds
            # An empty slot comes here, once. No field is read this way, so no read of a field is slower for it.
            if name != "facts":
                return super().__getattr__(name)
            facts = Facts(self.role, self.tool_name, type(self.content) is str and self.thinking_blocks is None)
            object.__setattr__(self, "facts", facts)
            return facts

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over the canonical JSON of the message.

        Two messages have one fingerprint exactly when they are equal and write their numbers alike (1, 1.0 and true
        are equal in Python). A field that is absent says what its default says.
        """
        facts = self.facts
        if facts.fingerprint is None:
            canonical = json.dumps(_said(self), sort_keys=True, default=_said)
            facts.fingerprint = hashlib.sha256(canonical.encode()).hexdigest()
        return facts.fingerprint


def _said(model: object) -> object:
    """Return what a part of a message says as JSON; an unknown field may hold anything, and says its `repr`."""
    if not isinstance(model, FrozenModel):
        return repr(model)
    said = {alias: value for name, alias in _aliases(type(model)) if (value := getattr(model, name)) is not None}
    return said | (model.model_extra or {})


@cache
def _aliases(model: type[FrozenModel]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(field.alias)) for name, field in model.model_fields.items())


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
    facts = message.facts
    if facts.identifier is None:
        facts.identifier = message.id or f"sha256:{message.fingerprint[:16]}"
    return facts.identifier


def message_ids(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the id of every message, as `message_id` gives it."""
    return tuple([message.facts.identifier or message_id(message) for message in messages])
