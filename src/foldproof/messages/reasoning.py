"""Which messages hold nothing but reasoning, and so are half of what they led to."""

from __future__ import annotations

from foldproof.messages.model import Message
from foldproof.messages.pairing import calls_of
from foldproof.messages.parts import TextPart, is_thinking


def only_reasons(message: Message) -> bool:
    """Whether an assistant message reasons, and neither says nor calls anything.

    Providers take its reasoning only with the assistant message right after it.
    """
    if message.facts.plain or message.role != "assistant" or calls_of(message):
        return False
    if isinstance(message.content, str):
        return bool(message.thinking_blocks) and _is_blank(message.content)
    spoken = [part for part in message.content if not is_thinking(part)]
    reasons = bool(message.thinking_blocks) or len(spoken) < len(message.content)
    return reasons and all(isinstance(part, TextPart) and _is_blank(part.text) for part in spoken)


def _is_blank(text: str) -> bool:
    return not text or text.isspace()
