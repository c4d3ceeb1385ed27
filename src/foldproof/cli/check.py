"""`foldproof check`: is the structure valid, and where not."""

from __future__ import annotations

import click

from foldproof.cli.options import format_option, json_option, paths_argument, strict_option
from foldproof.cli.printing import counted, json_line, say
from foldproof.cli.reading import Files
from foldproof.errors import TranscriptError
from foldproof.messages import validate_messages
from foldproof.transcripts import Conversation


@click.command("check", short_help="Is the structure valid, and where not.")
@paths_argument
@json_option
@format_option
@strict_option
@click.option(
    "--fail-on",
    type=click.Choice(["invalid", "nothing"]),
    default="invalid",
    show_default=True,
    help="Exit with 1 when a conversation is invalid, or never.",
)
def command(*, paths: tuple[str, ...], as_json: bool, format_name: str | None, strict: bool, fail_on: str) -> int:
    """Check that in every conversation of PATH... calls and results are paired and adjacent.

    That is what every provider asks of a request, and what a fold keeps. Messages are counted from 0, as in an audit.
    """
    files = Files(format_name=format_name, strict=strict)
    checked = invalid = 0
    for path, conversation in files.conversations(paths):
        problem = _problem(conversation)
        checked += 1
        invalid += problem is not None
        if as_json:
            _print_json(path, conversation, problem)
        else:
            verdict = "ok" if problem is None else f"invalid: {problem}"
            say(f"{path}: {conversation.id} ({counted(len(conversation.messages), 'message')}): {verdict}")
    if checked and not as_json:
        say(f"{counted(checked, 'conversation')}, {invalid:,} invalid")
    return files.exit_code(found=invalid > 0 and fail_on == "invalid")


def _problem(conversation: Conversation) -> TranscriptError | None:
    try:
        validate_messages(conversation.messages)
    except TranscriptError as error:
        return error.under("$.messages")
    return None


def _print_json(path: str, conversation: Conversation, problem: TranscriptError | None) -> None:
    json_line(
        {
            "path": path,
            "conversation": conversation.id,
            "format": conversation.format,
            "messages": len(conversation.messages),
            "valid": problem is None,
            "problem": None if problem is None else {"path": problem.path, "cause": problem.cause},
        }
    )
