"""What each provider's wire rejects: one table, and the questions a window is asked with it.

A rule is about one message (`message_fault`), about two neighbours (`seam_fault`) or about a pair (`validate_messages`,
`pair_server_tools`), and nothing else makes a window invalid. So a removal of whole turns keeps a valid window valid
when the seam it makes has no fault and when it splits no pair.

The rules hold for messages as they stand here; what an adapter does on the way out is no fault of a window. It puts
system messages in a field of their own, merges neighbours of one role where its wire wants them merged (Bedrock wants
user and assistant in turn, and its results are user content), leaves out an empty text beside other content and the
thinking of another provider, and spells ids as its provider does (Mistral: nine letters or digits). Which role a window
ends on is no rule, because between two turns it ends on an answer and the host appends the next message. What binds a
thinking block to everything before it (Anthropic, `prefix_binding_mismatch`) shows only between two requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from foldproof.errors import TranscriptError, UsageError, shown
from foldproof.messages import (
    Message,
    Part,
    Role,
    TextPart,
    calls_of,
    is_thinking,
    only_reasons,
    pair_server_tools,
    validate_messages,
)
from foldproof.messages.base import FrozenModel

Provider = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral", "chat_template"]
"""A wire. `chat_template` is a strict Hugging Face template, such as Gemma's, Llama 2's or an older one of Mistral."""


class WireRules(FrozenModel):
    """What one wire demands of a window, beside calls and results in pairs, which every wire demands.

    Attributes:
        opens_on_user: the first message behind the system messages is a user's. Bedrock error "must start with a user
            message"; Gemini SDK error "first content should be with role 'user'"; Gemma's template. Anthropic error
            "first message must use the user role": its own API gave that up in October 2024, servers like it may not.
        roles_alternate: user and assistant take turns, with tool results between them. Template error "roles must
            alternate"; templates that skip calls take a call behind an answer too, which two neighbours cannot show.
        results_are_answered: the model speaks between tool results and the next user message. Mistral API error 3230,
            "role 'user' after role 'tool'" (mistral-common allows it since #218, April 2026; servers lag).
        calls_follow_user: calls come right behind a user message or tool results. Gemini API error 400, "function call
            turn".
        thinking_continues: a message that only holds thinking is followed by what the thinking led to. OpenAI Responses
            error "without its required following item"; Anthropic error "final block cannot be thinking" (of the last
            message; elsewhere half an answer would stay).
        thinking_signed: a thinking block has its signature, a redacted one its data. Anthropic error
            "thinking.signature: Field required".
        server_tools_whole: a tool that the provider ran keeps its call and its result, in one turn; only the turn that
            ends the window may still wait. Anthropic error "without a corresponding web_search_tool_result block".
        content_from: whose messages have to say something; the last one of an assistant need not. Anthropic error "all
            messages must have non-empty content"; Bedrock error "text field is blank"; Gemini error "at least one parts
            field"; Mistral error "either content or tool_calls".
    """

    opens_on_user: bool = False
    roles_alternate: bool = False
    results_are_answered: bool = False
    calls_follow_user: bool = False
    thinking_continues: bool = False
    thinking_signed: bool = False
    server_tools_whole: bool = False
    content_from: tuple[Role, ...] = ()


_BOTH: Final[tuple[Role, ...]] = ("user", "assistant")

WIRE_RULES: Final[Mapping[Provider, WireRules]] = MappingProxyType(
    {
        "openai_chat": WireRules(),
        "openai_responses": WireRules(thinking_continues=True),
        "anthropic": WireRules(
            opens_on_user=True,
            content_from=_BOTH,
            thinking_continues=True,
            thinking_signed=True,
            server_tools_whole=True,
        ),
        "gemini": WireRules(opens_on_user=True, content_from=_BOTH, calls_follow_user=True),
        "bedrock": WireRules(opens_on_user=True, content_from=_BOTH, thinking_continues=True),
        "mistral": WireRules(content_from=("assistant",), results_are_answered=True),
        "chat_template": WireRules(
            opens_on_user=True, content_from=("assistant",), results_are_answered=True, roles_alternate=True
        ),
    }
)
"""The rules of every wire; what a row does not name is allowed there."""

ANY_PLACE: Final[tuple[Provider, ...]] = tuple(
    provider for provider, rules in WIRE_RULES.items() if not (rules.roles_alternate or rules.results_are_answered)
)
"""The wires that take a user message, and so a frame, in any place."""

_NAMES: Final[Mapping[Role, str]] = {
    "system": "a system message",
    "user": "a user message",
    "assistant": "an assistant message",
    "tool": "a tool result",
}


def validate_for(provider: Provider, messages: Sequence[Message]) -> None:
    """Check that a provider takes these messages: pairs first, then every seam and every message in order.

    Raises:
        UsageError: there is no such provider, or something among the messages is no `Message`.
        TranscriptError: naming the first message that breaks a rule, as `$[index]`, and what to do.
    """
    if provider not in tuple(WIRE_RULES):
        raise UsageError(f"there is no provider {shown(provider)}; expected one of {', '.join(WIRE_RULES)}")
    validate_messages(messages)
    fault = _first_fault(WIRE_RULES[provider], messages)
    if fault is not None:
        raise TranscriptError(f"{provider} rejects this: {fault[1]}", path=fault[0])


def seam_fault(rules: WireRules, before: Message | None, after: Message | None) -> str | None:
    """Return why `after` may not stand right behind `before` on this wire, or None when it may.

    `before` is None where the window opens and `after` is None where it ends. System messages are no neighbours: pass
    what stands on the other side of them. Whether calls and results are paired is not asked here.
    """
    if before is None:
        return _opening_fault(after) if rules.opens_on_user else None
    if before.role == "assistant":
        fault = _answer_fault(rules, before, after)
        if fault is not None:
            return fault
    return None if after is None else _order_fault(rules, before, after)


def message_fault(rules: WireRules, message: Message) -> str | None:
    """Return why this wire does not take a message, wherever it stands, or None when it does."""
    if message.role == "user" and "user" in rules.content_from and _is_empty(message):
        return "a user message says nothing; it expects content; leave the message out or write something in it"
    if rules.thinking_signed and not all(map(_is_signed, _thoughts(message))):
        return "a thinking block lacks its signature; it expects the block as it made it; keep it whole or leave it out"
    return None


def _first_fault(rules: WireRules, messages: Sequence[Message]) -> tuple[str, str] | None:
    before: Message | None = None
    path = "$"
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        path = f"$[{index}]"
        fault = seam_fault(rules, before, message) or message_fault(rules, message)
        if fault is not None:
            return path, fault
        before = message
    fault = seam_fault(rules, before, None)
    if fault is not None:
        return path, fault
    if rules.server_tools_whole:
        for index in pair_server_tools(messages).halves:
            return f"$[{index}]", "a server tool lacks its call or its result; it expects both; keep or drop the two"
    return None


def _opening_fault(after: Message | None) -> str | None:
    if after is None:
        return "there is no message but system messages; it expects a user message; keep the current request"
    if after.role == "user":
        return None
    return f"{_NAMES[after.role]} opens the window; it expects a user message there; keep one in front of it"


def _answer_fault(rules: WireRules, before: Message, after: Message | None) -> str | None:
    following = "nothing" if after is None else _NAMES[after.role]
    continued = after is not None and after.role == "assistant"
    if rules.thinking_continues and not continued and only_reasons(before):
        cause = f"{following} follows a message that only holds thinking"
        return f"{cause}; it expects what the thinking led to; keep both or leave both out"
    if "assistant" in rules.content_from and after is not None and _is_empty(before):
        return f"{following} follows an assistant message that says nothing; it expects content; leave that one out"
    return None


def _order_fault(rules: WireRules, before: Message, after: Message) -> str | None:
    roles = (before.role, after.role)
    if rules.roles_alternate and roles in (("user", "user"), ("assistant", "assistant")):
        return f"{_NAMES[after.role]} follows another; it expects user and assistant in turn; merge the two"
    if rules.results_are_answered and roles == ("tool", "user"):
        return "a user message follows a tool result; it expects the model's answer first; keep or put one between them"
    if rules.calls_follow_user and roles == ("assistant", "assistant") and calls_of(after):
        cause = "tool calls follow an assistant message; it expects them behind a user message or tool results"
        return f"{cause}; merge the two messages"
    return None


def _is_empty(message: Message) -> bool:
    return not message.tool_calls and not message.thinking_blocks and _is_blank(message.content)


def _is_blank(content: str | tuple[Part, ...]) -> bool:
    if isinstance(content, str):
        return not content or content.isspace()
    return all(isinstance(part, TextPart) and _is_blank(part.text) for part in content)


def _thoughts(message: Message) -> list[dict[str, Any]]:
    """Return the fields of every thinking block, beside the content or in it; no fields for one that is no object."""
    beside = [block if isinstance(block, dict) else {} for block in message.thinking_blocks or ()]
    if isinstance(message.content, str):
        return beside
    return beside + [_extras(part) for part in message.content if is_thinking(part)]


def _is_signed(thought: dict[str, Any]) -> bool:
    if thought.get("provider", "anthropic") != "anthropic":
        return True  # another provider's: the adapter leaves it out
    proofs = ("data",) if thought.get("type") == "redacted_thinking" else ("signature", "redactedData")
    return any(isinstance(thought.get(proof), str) and thought[proof] for proof in proofs)


def _extras(part: Part) -> dict[str, Any]:
    """Return what a part carries beside its own fields: those we do not know, and the provider's continuity."""
    continuity = getattr(part, "continuity", None)
    return (part.model_extra or {}) | (continuity if isinstance(continuity, dict) else {})
