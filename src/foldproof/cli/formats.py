"""`foldproof formats`: what can be read and written."""

from __future__ import annotations

import click

from foldproof.cli.options import json_option
from foldproof.cli.printing import json_line, table
from foldproof.transcripts import formats


@click.command("formats", short_help="What can be read and written.")
@json_option
def command(*, as_json: bool) -> int:
    """List the saved formats by the names that --format takes."""
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


def _yes(can: bool) -> str:  # noqa: FBT001 - one word for one flag
    return "yes" if can else "no"
