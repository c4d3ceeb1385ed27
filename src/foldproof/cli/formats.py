"""`foldproof formats`: what can be read and written."""

from __future__ import annotations

import click

from foldproof.cli.options import json_option
from foldproof.cli.printing import json_line, say, table
from foldproof.cli.reading import formats_that_know
from foldproof.transcripts import formats


@click.command("formats", short_help="What can be read and written, and which format a file is in.")
@click.option("--why", "path", metavar="PATH", help="Say which format PATH is in, and what tells so.")
@json_option
def command(*, path: str | None, as_json: bool) -> int:
    """List the saved formats by the names that --format takes; or say which of them a file is in, and why.

    Where several know a file for their own, the first reads it, and --format chooses another.
    """
    if path is not None:
        return _explain(path, as_json=as_json)
    known = formats()
    if as_json:
        for known_format in known:
            json_line(
                {
                    "name": known_format.name,
                    "description": known_format.description,
                    "canRead": known_format.can_read,
                    "canWrite": known_format.can_write,
                }
            )
    else:
        rows = [(known.name, _yes(known.can_read), _yes(known.can_write), known.description) for known in formats()]
        table(("name", "read", "write", "what it is"), rows)
    return 0


def _explain(path: str, *, as_json: bool) -> int:
    found = formats_that_know(path)
    if as_json:
        reasons = [{"format": one.format, "reason": one.reason} for one in found]
        json_line({"path": path, "format": found[0].format, "why": reasons})
        return 0
    say(f"{path}: {found[0].format}, because of {found[0].reason}")
    for other in found[1:]:
        say(f"  --format {other.format} would read it too, because of {other.reason}")
    return 0


def _yes(can: bool) -> str:  # noqa: FBT001 - one word for one flag
    return "yes" if can else "no"
