"""`foldproof forget`: remove a message from an archive, and what was made of it."""

from __future__ import annotations

from dataclasses import asdict

import click

from foldproof.cli.archives import archive_at
from foldproof.cli.options import json_option
from foldproof.cli.printing import counted, json_line, say


@click.command("forget", short_help="Remove a message from an archive, and what was made of it.")
@click.argument("path", metavar="DB", type=click.Path())
@click.argument("identifier", metavar="MESSAGE_ID")
@click.option("--conversation", metavar="ID", help="Only in this stored conversation of DB.")
@json_option
def command(*, path: str, identifier: str, conversation: str | None, as_json: bool) -> int:
    """Remove every message of this id from the archive DB, and all that frames and the search have of it.

    MESSAGE_ID is the id of the message, or its fingerprint, as `foldproof search --json` and records name it. It says
    what it removed; nothing where there was no such message. Transcripts that hold the message are left as they are.
    """
    with archive_at(path, read_only=False) as archive:
        forgotten = archive.forget(identifier, conversation=conversation)
    if as_json:
        json_line({"path": path, "message": identifier, **asdict(forgotten)})
        return 0
    say(
        f"{counted(forgotten.messages, 'message')} forgotten: {counted(forgotten.spans, 'span')}, "
        f"{counted(forgotten.frames, 'frame')}, {counted(forgotten.forms, 'form')}, "
        f"{counted(forgotten.search_rows, 'search row')}, {counted(forgotten.windows, 'place')} in windows"
    )
    if not forgotten.erased:
        say("its bytes may still be in the file, which another process was reading: forget it again later")
    return 0
