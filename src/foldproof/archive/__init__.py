"""Where the originals of folds are kept: brought back byte for byte, searched, and forgotten.

Relies on `messages`, `evidence` and `window`, and on SQLite. The one room below `cli` that writes a file of its own.
"""

from foldproof.archive.conversations import StoredConversation
from foldproof.archive.failures import ArchiveError
from foldproof.archive.forgetting import Forgotten
from foldproof.archive.searching import Found
from foldproof.archive.spans import Originals
from foldproof.archive.sqlite import SqliteArchive

__all__ = ["ArchiveError", "Forgotten", "Found", "Originals", "SqliteArchive", "StoredConversation"]
