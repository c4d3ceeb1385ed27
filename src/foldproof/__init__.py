"""Conversation compaction and evidence lineage for LLM agents. Fold the window, keep the proof.

    import foldproof as fp

    conversation = fp.load("run.json")
    visit = fp.SlidingWindow(keep_recent_turns=6).visit(conversation.messages)
    judgement = fp.EvidenceIndex(conversation.messages).judge("The fee is $190.00.")

Everything a user needs is here; see the README for the three ways to use it. A name is imported when it is first used,
so that importing this module costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foldproof.archive import (
        ArchiveError,
        Forgotten,
        Found,
        Originals,
        SqliteArchive,
        StoredConversation,
        narrowed,
        recall,
        recall_tools,
    )
    from foldproof.compaction import (
        Compaction,
        CompactionContext,
        CompactionError,
        CompactionRecord,
        Compactor,
        ConversationState,
        LiveConversation,
    )
    from foldproof.errors import TranscriptError, UsageError
    from foldproof.evidence import (
        Carrier,
        Citation,
        Derivation,
        EvidenceIndex,
        EvidenceOptions,
        Gate,
        GateContext,
        GateDecision,
        GateRecord,
        GateResult,
        Judgement,
        Near,
        Operand,
        UnsupportedValuesError,
        ValueVerdict,
        exempt_forms,
    )
    from foldproof.messages import Message, ToolCall, author_of, to_wire, validate_messages
    from foldproof.plugins import load_strategy
    from foldproof.transcripts import Conversation, dump, formats, load, load_all, parse
    from foldproof.window import (
        ClearToolResults,
        CompactionUnmeasurableError,
        ExtractiveSummarizer,
        FoldedSpan,
        Listener,
        OffloadLarge,
        Pipeline,
        PromptCompactor,
        Refusal,
        SlidingWindow,
        SummarizeOldest,
        TokenBudget,
        Visit,
        WindowRecord,
        validate_for,
    )

_ROOMS = {
    "archive": (
        "ArchiveError",
        "Forgotten",
        "Found",
        "Originals",
        "SqliteArchive",
        "StoredConversation",
        "narrowed",
        "recall",
        "recall_tools",
    ),
    "compaction": (
        "Compaction",
        "CompactionContext",
        "CompactionError",
        "CompactionRecord",
        "Compactor",
        "ConversationState",
        "LiveConversation",
    ),
    "errors": ("TranscriptError", "UsageError"),
    "evidence": (
        "Carrier",
        "Citation",
        "Derivation",
        "EvidenceIndex",
        "EvidenceOptions",
        "Gate",
        "GateContext",
        "GateDecision",
        "GateRecord",
        "GateResult",
        "Judgement",
        "Near",
        "Operand",
        "UnsupportedValuesError",
        "ValueVerdict",
        "exempt_forms",
    ),
    "messages": ("Message", "ToolCall", "author_of", "to_wire", "validate_messages"),
    "plugins": ("load_strategy",),
    "transcripts": ("Conversation", "dump", "formats", "load", "load_all", "parse"),
    "window": (
        "ClearToolResults",
        "CompactionUnmeasurableError",
        "ExtractiveSummarizer",
        "FoldedSpan",
        "Listener",
        "OffloadLarge",
        "Pipeline",
        "PromptCompactor",
        "Refusal",
        "SlidingWindow",
        "SummarizeOldest",
        "TokenBudget",
        "Visit",
        "WindowRecord",
        "validate_for",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "ArchiveError",
    "Carrier",
    "Citation",
    "ClearToolResults",
    "Compaction",
    "CompactionContext",
    "CompactionError",
    "CompactionRecord",
    "CompactionUnmeasurableError",
    "Compactor",
    "Conversation",
    "ConversationState",
    "Derivation",
    "EvidenceIndex",
    "EvidenceOptions",
    "ExtractiveSummarizer",
    "FoldedSpan",
    "Forgotten",
    "Found",
    "Gate",
    "GateContext",
    "GateDecision",
    "GateRecord",
    "GateResult",
    "Judgement",
    "Listener",
    "LiveConversation",
    "Message",
    "Near",
    "OffloadLarge",
    "Operand",
    "Originals",
    "Pipeline",
    "PromptCompactor",
    "Refusal",
    "SlidingWindow",
    "SqliteArchive",
    "StoredConversation",
    "SummarizeOldest",
    "TokenBudget",
    "ToolCall",
    "TranscriptError",
    "UnsupportedValuesError",
    "UsageError",
    "ValueVerdict",
    "Visit",
    "WindowRecord",
    "author_of",
    "dump",
    "exempt_forms",
    "formats",
    "load",
    "load_all",
    "load_strategy",
    "narrowed",
    "parse",
    "recall",
    "recall_tools",
    "to_wire",
    "validate_for",
    "validate_messages",
]


def __getattr__(name: str) -> object:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
