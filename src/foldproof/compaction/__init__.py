"""The compactor callback: when to compact, what is told meanwhile, and that complete means applied.

A host calls `before_turn` and `after_turn`; a person asks by hand. A failure of the first two is recorded and the
conversation goes on, one of the last raises. Nothing here reads a file, a clock, the environment or a random source.
"""

from foldproof.compaction.attempt import Policy, Target
from foldproof.compaction.compactor import Compactor
from foldproof.compaction.context import Ask, CompactionContext, TurnOptions
from foldproof.compaction.conversation import LiveConversation
from foldproof.compaction.following import (
    begun,
    folded_beginning,
    followed,
    holds_request,
    list_digests,
    list_words,
    placed,
)
from foldproof.compaction.lifecycle import Compaction, CompactionListener
from foldproof.compaction.records import CompactionError, CompactionOutcome, CompactionRecord, CompactionTrigger
from foldproof.compaction.settling import Compacted, merged
from foldproof.compaction.state import ConversationState, HostPlace

__all__ = [
    "Ask",
    "Compacted",
    "Compaction",
    "CompactionContext",
    "CompactionError",
    "CompactionListener",
    "CompactionOutcome",
    "CompactionRecord",
    "CompactionTrigger",
    "Compactor",
    "ConversationState",
    "HostPlace",
    "LiveConversation",
    "Policy",
    "Target",
    "TurnOptions",
    "begun",
    "folded_beginning",
    "followed",
    "holds_request",
    "list_digests",
    "list_words",
    "merged",
    "placed",
]
