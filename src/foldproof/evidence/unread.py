"""What a conversation holds that the model could read and nobody here can: a picture, a file, an encrypted result.

An answer may quote an order number out of a photo, or the weather out of a search whose results the provider keeps to
itself. Whoever judges it without them is missing evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from foldproof.messages import (
    FilePart,
    Message,
    OpaquePart,
    Part,
    ProviderToolPart,
    ProviderToolResultPart,
    author_of,
    part_text,
)

_SAYS_NOTHING: Final = ("cachePoint", "cache_point", "step-start", "tool_reference", "container_upload")
_REASONING: Final = ("reasoning", "thinking", "redacted_thinking", "reasoningContent")
_KEPT: Final = ("web_search", "file_search", "code_interpreter", "computer")
"""Tools of a provider's own whose results it shows to the model, and leaves out of the reply unless it is asked."""

_ENCRYPTED: Final = "encrypted_content"
_DEEPEST: Final = 4


def holds_unread(message: Message) -> bool:
    """Whether a message holds something that the model was shown and that has no words here."""
    if isinstance(message.content, str):
        return False
    if author_of(message) == "model":
        return any(map(_is_encrypted, message.content))
    return any(map(_is_wordless, message.content))


def kept_by_provider(message: Message) -> Iterator[tuple[str, bool]]:
    """Yield the searches that a provider ran for the model, by id, and whether the message says what they found."""
    if isinstance(message.content, str) or author_of(message) != "model":
        return
    for part in message.content:
        if isinstance(part, ProviderToolPart | ProviderToolResultPart) and part.name.startswith(_KEPT):
            yield part.id, part.result is not None


def _is_wordless(part: Part) -> bool:
    if isinstance(part, FilePart):
        return part_text(part) is None
    if not isinstance(part, OpaquePart):
        return False
    return part_text(part) is None and _kind(part) not in (*_SAYS_NOTHING, *_REASONING)


def _is_encrypted(part: Part) -> bool:
    if not isinstance(part, OpaquePart) or _kind(part) in _REASONING:
        return False
    return _holds_encrypted(part.model_extra, _DEEPEST)


def _holds_encrypted(value: JsonValue, depth: int) -> bool:
    if isinstance(value, dict):
        inner = value.values()
        return isinstance(value.get(_ENCRYPTED), str) or any(_holds_encrypted(one, depth - 1) for one in inner if depth)
    return isinstance(value, list) and any(_holds_encrypted(one, depth - 1) for one in value if depth)


def _kind(part: OpaquePart) -> str:
    """Return the type of a block; Bedrock and Gemini name one by its first member."""
    extras = part.model_extra or {}
    kind = extras.get("type")
    return kind if isinstance(kind, str) else next(iter(extras), "")
