"""What a conversation is: the message, who wrote it, its turns, which result answers which call, and the wire.

The lowest room. It relies on pydantic and on nothing else: no file, no clock, no environment, no random source.
"""

from foldproof.messages.authorship import (
    PERSON_SAID,
    Author,
    author_of,
    is_observation,
    observations_of,
    said_with_refusal,
)
from foldproof.messages.frames import (
    FOLDED,
    OPENINGS,
    STAMP,
    FrameKind,
    archived_at,
    carry_of,
    folded_messages,
    folded_observations,
    frame_kind,
    frames_of,
    hides_values,
    is_stamped,
    keeps_every_value,
    may_quote_a_frame,
)
from foldproof.messages.kept import kept_indices
from foldproof.messages.model import Message, Role, ToolCall, check_message, message_id, message_ids
from foldproof.messages.pairing import CallAt, Pairing, calls_of, is_tidy, pair, validate_messages
from foldproof.messages.parts import (
    CitationPart,
    FileInfo,
    FilePart,
    OpaquePart,
    Part,
    ProviderToolPart,
    ProviderToolResultPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    is_thinking,
    part_text,
)
from foldproof.messages.reasoning import only_reasons
from foldproof.messages.recalled import RECALLED, recall_in, recalled_messages, recalled_text, results_in
from foldproof.messages.server_tools import ServerTools, pair_server_tools, server_half
from foldproof.messages.tool_text import Segment, library_note, tool_segments, tool_text
from foldproof.messages.turns import Turn, turn_starts, turns_of
from foldproof.messages.wire import FRAMEWORK_FIELDS, to_wire

__all__ = [
    "FOLDED",
    "FRAMEWORK_FIELDS",
    "OPENINGS",
    "PERSON_SAID",
    "RECALLED",
    "STAMP",
    "Author",
    "CallAt",
    "CitationPart",
    "FileInfo",
    "FilePart",
    "FrameKind",
    "Message",
    "OpaquePart",
    "Pairing",
    "Part",
    "ProviderToolPart",
    "ProviderToolResultPart",
    "Role",
    "Segment",
    "ServerTools",
    "TextPart",
    "ThinkingPart",
    "ToolCall",
    "ToolCallPart",
    "Turn",
    "archived_at",
    "author_of",
    "calls_of",
    "carry_of",
    "check_message",
    "folded_messages",
    "folded_observations",
    "frame_kind",
    "frames_of",
    "hides_values",
    "is_observation",
    "is_stamped",
    "is_thinking",
    "is_tidy",
    "keeps_every_value",
    "kept_indices",
    "library_note",
    "may_quote_a_frame",
    "message_id",
    "message_ids",
    "observations_of",
    "only_reasons",
    "pair",
    "pair_server_tools",
    "part_text",
    "recall_in",
    "recalled_messages",
    "recalled_text",
    "results_in",
    "said_with_refusal",
    "server_half",
    "to_wire",
    "tool_segments",
    "tool_text",
    "turn_starts",
    "turns_of",
    "validate_messages",
]
