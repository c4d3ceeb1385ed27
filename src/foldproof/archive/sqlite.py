"""The archive that this library brings: one SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from foldproof.archive import conversations, options
from foldproof.archive.conversations import StoredConversation
from foldproof.archive.database import Database
from foldproof.archive.failures import naming
from foldproof.archive.forgetting import Forgetting, Forgotten
from foldproof.archive.searching import Found, matching, snippet, terms_of
from foldproof.archive.spans import Originals, check_spans, keep, message_in, opened, place_of, unfolded
from foldproof.archive.stored import listed
from foldproof.errors import UsageError, shown
from foldproof.messages import Message

_MOST_FOUND: Final = 2**63 - 1  # what SQLite can count


class SqliteArchive:
    """Keeps the originals of folds in an SQLite file, by content, and finds them again.

    * Each message is stored once, however many spans hold it, and is checked when it is read: a wrong original is never
      handed out.
    * A write is on the disk as a whole once the call returns, or not at all, also where the process is killed.
    * Threads may share one archive: they take turns. Processes each open their own.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        redact: Callable[[Message], Message] | None = None,
        timeout_seconds: float = 5.0,
        read_only: bool = False,
    ) -> None:
        """Open the file, or make it where there is none.

        Args:
            path: the file; `:memory:` keeps everything in memory.
            redact: sees every message before anything of it is kept, and returns it as it may be kept.
            timeout_seconds: how long to wait for another process that is writing.
            read_only: write nothing, and make no file where there is none.

        Raises:
            ArchiveError: the file cannot be opened, is no archive, is damaged, or is of a newer version.
            UsageError: an option that makes no sense.
        """
        options.path(path)
        options.hook(redact)
        options.seconds("timeout_seconds", timeout_seconds)
        self._redact = redact
        self._database = Database(path, read_only=read_only, timeout_seconds=timeout_seconds)

    @property
    def path(self) -> str:
        """The file."""
        return self._database.path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. What was kept is on the disk already."""
        self._database.close()

    def redact(self, message: Message, /) -> Message:
        """Return the message as it may be kept: what the hook makes of it, or the very message.

        Raises:
            ArchiveError: the hook raised something, so that the message cannot be kept.
            UsageError: the hook returned no message, or one of another role or with other calls.
        """
        if self._redact is None:
            return message
        with naming(self.path):
            return options.redacted(self._redact, message)

    def keep(self, spans: Mapping[str, Sequence[Message]], /) -> None:
        """Keep each span under its address, all of them or none, durably once this returns.

        They are kept as they are given: pass every message through `redact` first, as a visit does.

        Raises:
            UsageError: an address is not that of its span, or a span holds something that is no `Message`.
            ArchiveError: the archive cannot be written; nothing was kept.
        """
        check_spans(spans)
        with self._database.writing() as connection:
            keep(connection, spans)

    def expand(self, frame: Message | str, *, depth: int | None = None) -> Originals:
        """Return the messages that a frame stands for, as they were kept.

        Args:
            frame: a frame; or the address of a span, or the first 8 digits of it or more; or the id or the fingerprint
                of a frame that the archive has seen.
            depth: how many folds to open; 1 leaves the frames among the originals as they are. None opens all that
                are here.

        Raises:
            UsageError: it leads to nothing, or to several spans.
            ArchiveError: its originals are not here, or are damaged.
        """
        if depth is not None:
            options.at_least_one("depth", depth)
        with self._database.reading() as connection:
            return opened(connection, place_of(connection, frame), depth=depth)

    def history(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return messages with every frame that can be opened preceded by its originals, through any depth.

        It is what an `EvidenceIndex` needs to judge as if nothing had been folded.
        """
        given = listed(messages, "messages")
        with self._database.reading() as connection:
            return tuple(unfolded(connection, given))

    def search(self, query: str, *, limit: int = 20, conversation: str | None = None) -> tuple[Found, ...]:
        """Return the folded messages that hold every word of the query, in any order, the best first.

        Case and accents do not matter, and a word is also found inside a longer one: `4471` finds `ORD-4471`. A phrase
        in double quotes is one word; nothing else has a meaning of its own. A query without words finds nothing.

        Args:
            query: what to look for.
            limit: how many to return at most.
            conversation: only what was folded out of this stored conversation.

        Raises:
            UsageError: an option that makes no sense, or there is no such conversation.
        """
        if not isinstance(query, str):
            raise UsageError(f"query is {shown(query)}; pass the words to look for")
        options.at_least_one("limit", limit)
        terms = terms_of(query)
        with self._database.reading() as connection:
            within = None if conversation is None else self._row_of(connection, conversation)
            if not terms:
                return ()
            found = []
            for row, rank, span in matching(connection, terms, min(limit, _MOST_FOUND), within):
                message, address, position = message_in(connection, row, span)
                found.append(
                    Found(
                        message=message,
                        address=address,
                        position=position,
                        snippet=snippet(message, terms),
                        rank=rank,
                    )
                )
            return tuple(found)

    def forget(self, message_id: str, *, conversation: str | None = None) -> Forgotten:
        """Remove a message from everywhere, and say what was removed.

        It leaves every span and the search; frames that stand for it lose the forms that only it supplied, and get
        their claims written anew from what is left; in a stored window a line stands in its place. What a frame took
        stays named, so that nothing is called invented for want of what was forgotten. Other messages that repeat what
        it said are left as they are. When this returns its bytes are not in the files any more (see `erased`).

        Args:
            message_id: its own id, or the one that `message_id` derives, or its fingerprint.
            conversation: forget it in this stored conversation only, and in the spans that were folded out of it.

        Raises:
            UsageError: it is the id of a frame; or an id that a host gave, and several conversations have it; or there
                is no such conversation, or it shares a span of the message with another one.
            ArchiveError: the archive cannot be written, or is damaged; nothing was forgotten.
        """
        options.text("message_id", message_id)
        with self._database.writing() as connection:
            within = None if conversation is None else self._row_of(connection, conversation)
            forgotten = Forgetting(connection, message_id, within).run()
        return replace(forgotten, erased=self._database.erase())

    def _row_of(self, connection: sqlite3.Connection, conversation: str) -> int:
        row = conversations.row_of(connection, conversation)
        if row is None:
            raise UsageError(f"there is no conversation {shown(conversation)} in {self.path}")
        return row

    def conversation(self, identifier: str) -> StoredConversation:
        """Return the stored conversation of this name; a new one where there is none.

        Raises:
            ArchiveError: there is none, and the archive cannot be written.
        """
        options.text("the id of a conversation", identifier)
        with self._database.reading() as connection:
            known = conversations.row_of(connection, identifier) is not None
        if not known:
            with self._database.writing() as connection:
                conversations.create(connection, identifier)
        return StoredConversation(self._database, identifier, self.redact)

    def conversation_ids(self) -> tuple[str, ...]:
        """Return the names of the stored conversations, oldest first."""
        with self._database.reading() as connection:
            return conversations.names(connection)

    def addresses(self) -> tuple[str, ...]:
        """Return the addresses of the spans that are kept, oldest first."""
        with self._database.reading() as connection:
            return tuple(address for (address,) in connection.execute("SELECT address FROM span ORDER BY id"))
