"""`foldproof search`: what was folded and says these words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from foldproof.archive import Found, narrowed
from foldproof.cli.archives import archive_at
from foldproof.cli.options import archive_option, format_option, json_option
from foldproof.cli.printing import RECALLED_FIRST, counted, json_line, say, table
from foldproof.cli.reading import Files
from foldproof.messages import RECALLED, message_id

_COLUMNS: Final = ("frame", "message", "id", "role", "says")
_SHOWN_DIGITS: Final = 12


@click.command("search", short_help="What was folded and says these words.")
@click.argument("path", metavar="PATH", type=click.Path())
@click.argument("query", metavar="QUERY")
@archive_option
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Print at most so many.")
@json_option
@format_option
def command(  # noqa: PLR0913 - one argument an option
    *, path: str, query: str, archive: str | None, limit: int, as_json: bool, format_name: str | None
) -> int:
    """Print the folded messages that hold every word of QUERY, in any order, the best first.

    PATH is an archive; with --archive it is a transcript, and only what its frames stand for is searched. Case and
    accents do not matter, a word is also found inside a longer one, and a phrase in double quotes is one word.

    With --json: one object a message: its span's address, its position there, its id, and the message as it was.
    Either way it opens with the mark of what was recalled: to whoever judges a window that holds it, it is evidence of
    nothing.
    """
    if archive is None:
        with archive_at(path, otherwise="for a transcript, name its archive with --archive DB") as opened:
            found = opened.search(query, limit=limit)
    else:
        messages = [message for one in Files(format_name=format_name).opened(path) for message in one.messages]
        with archive_at(archive) as opened, narrowed(opened, messages) as own:
            found = own.search(query, limit=limit)
    if as_json:
        for one in found:
            json_line(_json(path, one))
    else:
        _print(found)
    return 0


def _json(path: str, found: Found) -> dict[str, object]:
    return {
        **RECALLED_FIRST,
        "path": path,
        "address": found.address,
        "position": found.position,
        "id": message_id(found.message),
        "rank": found.rank,
        "snippet": found.snippet,
        "message": found.message.model_dump(),
    }


def _print(found: Sequence[Found]) -> None:
    say(f"{RECALLED} {counted(len(found), 'message')} found")
    if found:
        table(_COLUMNS, map(_row, found))


def _row(found: Found) -> tuple[str, ...]:
    message = found.message
    return found.address[:_SHOWN_DIGITS], str(found.position), message_id(message), message.role, found.snippet
