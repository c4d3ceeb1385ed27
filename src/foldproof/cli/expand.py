"""`foldproof expand`: the originals behind a frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click

from foldproof.archive import ArchiveError, Originals, SqliteArchive, narrowed
from foldproof.archive.database import IN_MEMORY
from foldproof.cli.archives import archive_at
from foldproof.cli.options import archive_option, format_option, json_option
from foldproof.cli.printing import RECALLED_FIRST, counted, json_line, say
from foldproof.cli.reading import Files
from foldproof.errors import UsageError, shown
from foldproof.evidence.reading import said_by_tools
from foldproof.messages import RECALLED, Message, calls_of, frame_kind, message_id
from foldproof.transcripts import Conversation
from foldproof.window.counting import arguments_text

_INDEX: Final = re.compile(r"\d{1,7}")  # an address shows 8 digits or more
_NAMED: Final = 5


@click.command("expand", short_help="The originals behind a frame.")
@click.argument("path", metavar="PATH", type=click.Path())
@click.argument("frame", metavar="FRAME")
@archive_option
@click.option("--conversation", metavar="ID", help="Which conversation of PATH, where FRAME is an index.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N", help="Open N folds; all of them unless you say so.")
@json_option
@format_option
def command(  # noqa: PLR0913 - one argument an option
    *,
    path: str,
    frame: str,
    archive: str | None,
    conversation: str | None,
    depth: int | None,
    as_json: bool,
    format_name: str | None,
) -> int:
    """Print the messages that a frame stands for, as they were, through any depth of folding.

    PATH is an archive; with --archive it is a transcript whose originals are there. FRAME is what the frame says behind
    "archived as" (8 digits of an address or more), the id of the frame, or, for a transcript, its index in it, counted
    from 0.

    With --json: one object, with the messages byte for byte, and how many more were forgotten or are missing. Either
    way it opens with the mark of what was recalled: for whoever judges a window with it, it is evidence of nothing.
    """
    if archive is None:
        otherwise = "for a transcript, name its archive with --archive DB"
        with archive_at(path, otherwise=otherwise) as opened, _naming(frame, file=path, archive=path):
            originals = opened.expand(frame, depth=depth)
    else:
        conversations = list(Files(format_name=format_name).opened(path))
        with archive_at(archive) as opened:
            originals = _behind(conversations, frame, opened, conversation=conversation, depth=depth, path=path)
    if as_json:
        messages = [message.model_dump() for message in originals]
        counts = {"forgotten": originals.forgotten, "missing": originals.missing}
        json_line(RECALLED_FIRST | {"path": path, "frame": frame, **counts, "messages": messages})
        return 0
    forgotten = f"; {originals.forgotten:,} more were forgotten" if originals.forgotten else ""
    missing = f"; {originals.missing:,} more are not in this archive" if originals.missing else ""
    say(f"{RECALLED} {counted(len(originals), 'message')} behind {frame}{forgotten}{missing}")
    for position, message in enumerate(originals):
        for line in _lines(position, message):
            say(line)
    return 0


def _behind(  # noqa: PLR0913 - as the options
    conversations: Sequence[Conversation],
    frame: str,
    archive: SqliteArchive,
    *,
    conversation: str | None,
    depth: int | None,
    path: str,
) -> Originals:
    asked = [one for one in conversations if conversation in (None, one.id)]
    if not asked:
        known = ", ".join(one.id for one in conversations[:_NAMED])
        raise UsageError(f"{path} has no conversation {conversation}; it has {len(conversations)}, such as {known}")
    messages = [message for one in asked for message in one.messages]
    if _INDEX.fullmatch(frame):
        if len(asked) > 1:
            raise UsageError(f"{path} has {len(asked)} conversations; say which one with --conversation ID")
        if int(frame) >= len(messages):
            raise UsageError(f"{path} has {counted(len(messages), 'message')}, counted from 0; there is no {frame}")
        named = messages[int(frame) :][:1]
    else:
        named = [one for one in messages if frame == message_id(one) and frame_kind(one) is not None]
    with _naming(frame, file=f"{path} (its archive: {archive.path})", archive=archive.path):
        if named:
            return archive.expand(named[0], depth=depth)
        with narrowed(archive, messages) as own:
            return own.expand(frame, depth=depth)


@contextmanager
def _naming(frame: str, *, file: str, archive: str) -> Iterator[None]:
    """Let what is wrong with FRAME say it as it was typed, and in which file; a copy of the archive has no name."""
    try:
        yield
    except UsageError as error:
        said = str(error)
        told = said if said.startswith((shown(frame), f"{frame} ")) else f"{shown(frame)}: {said}"
        raise UsageError(f"{file}: {told}") from error
    except ArchiveError as error:
        cause = ArchiveError(error.cause, path=error.path) if error.file == IN_MEMORY else error
        raise cause.in_file(archive).under(shown(frame)) from error


def _lines(position: int, message: Message) -> Iterator[str]:
    yield f"{position} {message.role}" + (f" {message.tool_name}" if message.tool_name else "")
    said = [message.text, *(f"{call.name}({arguments_text(call.args)})" for call in calls_of(message))]
    if message.role == "assistant":
        said += [segment.text for segment in said_by_tools(message)]
    for text in filter(None, said):
        for line in text.split("\n"):
            yield f"| {line}"  # no white space alone: a line that somebody wrote as a message must not be one
