"""Where the originals of folds are kept: brought back byte for byte, searched, and forgotten.

Relies on `messages`, `evidence` and `window`, and on SQLite. The one room below `cli` that writes a file of its own.
"""

from foldproof.archive.conversations import StoredConversation
from foldproof.archive.failures import ArchiveError
from foldproof.archive.forgetting import Forgotten
from foldproof.archive.narrowing import narrowed
from foldproof.archive.recalling import BUDGET, recall
from foldproof.archive.searching import Found
from foldproof.archive.spans import Originals
from foldproof.archive.sqlite import SqliteArchive
from foldproof.archive.tools import RECALL_TOOLS, ToolShape, recall_tools

__all__ = [
    "BUDGET",
    "RECALL_TOOLS",
    "ArchiveError",
    "Forgotten",
    "Found",
    "Originals",
    "SqliteArchive",
    "StoredConversation",
    "ToolShape",
    "narrowed",
    "recall",
    "recall_tools",
]
