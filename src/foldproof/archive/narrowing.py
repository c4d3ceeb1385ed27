"""An archive of one window: only what its frames stand for, where an archive is shared by several conversations."""

from __future__ import annotations

from collections.abc import Sequence

from foldproof.archive.database import IN_MEMORY
from foldproof.archive.failures import ArchiveError
from foldproof.archive.sqlite import SqliteArchive
from foldproof.archive.stored import check_messages, stands_for
from foldproof.messages import Message
from foldproof.window import span_address


def narrowed(archive: SqliteArchive, messages: Sequence[Message]) -> SqliteArchive:
    """Return an archive in memory that holds only what the frames among `messages` stand for, through any depth.

    A frame whose originals are not in the archive is passed over. It takes time in proportion to what was folded: make
    it again when the window was folded again, and not for every call.

    Raises:
        UsageError: something among them is no `Message`.
        ArchiveError: the archive cannot be read.
    """
    check_messages(messages, "messages")
    spans: dict[str, Sequence[Message]] = {}
    waiting, seen = list(messages), set[str]()
    while waiting:
        message = waiting.pop()
        key = stands_for(message)
        if key is None or key in seen:
            continue
        seen.add(key)
        span = _span(archive, message)
        if span is not None:
            spans[span_address(span)] = span
            waiting += span
    made = SqliteArchive(IN_MEMORY)
    made.keep(spans)
    return made


def _span(archive: SqliteArchive, frame: Message) -> Sequence[Message] | None:
    try:
        return archive.expand(frame, depth=1)
    except ArchiveError:
        archive.history((frame,))  # raises where the archive is at fault, and not the frame
        return None
