"""The command group: finds a command when it is asked for, and turns every way to end into an exit code.

* 0: fine. 1: found what `--fail-on` names. 2: the call or the data is wrong, said in one line on standard error.
* 130: interrupted. 141: whoever read the output stopped reading (what a shell reports for any program in a pipe).
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import click

from foldproof.cli.printing import complain, without_encoding_errors
from foldproof.errors import TranscriptError, UsageError

WRONG: Final = 2
INTERRUPTED: Final = 130
READER_LEFT: Final = 141
TRACEBACK: Final = "FOLDPROOF_TRACEBACK"
"""Environment variable that lets an error of this library itself show where it happened."""

_COMMANDS: Final = ("audit", "compact", "expand", "search", "forget", "mcp", "check", "formats")


class ReaderLeftError(Exception):
    """Whoever read the output stopped reading."""


@contextmanager
def _told_from_other_errors() -> Iterator[None]:
    # click would end the process itself, with the exit code that means a finding here.
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderLeftError from error


class Commands(click.Group):
    """The group `foldproof`. A command's module is imported when the command is asked for, so that each starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the help page."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Return a command by its name, or None."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"foldproof.cli.{cmd_name}").command
        return command

    def make_context(self, *args: Any, **settings: Any) -> click.Context:  # noqa: ANN401 - click's signature
        """Parse the call; `--help` prints here."""
        with _told_from_other_errors():
            return super().make_context(*args, **settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the call; one that names nothing gets the help page, on standard error."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(WRONG)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as above
        """Run the command."""
        with _told_from_other_errors():
            return super().invoke(ctx)

    def main(self, *args: Any, standalone_mode: bool = True, **settings: Any) -> Any:  # noqa: ANN401 - click's signature
        """Run a command. In standalone mode (the default) this never returns: it ends with an exit code."""
        run = partial(super().main, *args, standalone_mode=False, **settings)
        return sys.exit(_exit_code(run)) if standalone_mode else run()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="foldproof", message="%(prog)s %(version)s")
def main() -> None:
    """Fold a conversation's window and keep the proof.

    Reads saved transcripts of LLM agents. Says which values in an answer a tool, the person or the app supplied. Folds
    a transcript and writes it back in its own format, and brings back what it folded.

    A PATH of - is standard input. With --json commands print one JSON object a line. Exit codes: 0 fine; 1 found
    what --fail-on names; 2 the call or the data is wrong, said in one line on standard error.
    """


def _exit_code(run: Callable[[], object]) -> int:
    without_encoding_errors()
    try:
        code = run() if sys.stdout is not None else _closed()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderLeftError):
        return _abandon_output(READER_LEFT)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        complain(_line(error))
        return _abandon_output(WRONG) if isinstance(error, OSError) else WRONG
    return code if isinstance(code, int) else 0


def _closed() -> int:
    raise UsageError("standard output is closed; send it to a file or to /dev/null")


def _abandon_output(code: int) -> int:
    """Return `code`; standard output is let go, for Python flushes it on its way out and would print what it meets."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _line(error: Exception) -> str:
    match error:
        case click.UsageError(ctx=click.Context() as ctx):
            return f"{ctx.command_path}: {error.format_message()} (see {ctx.command_path} --help)"
        case click.ClickException():
            return f"foldproof: {error.format_message()}"
        case TranscriptError() | UsageError():
            return str(error)
        case OSError():
            return f"{error.filename or 'standard output'}: {error.strerror or error}"
        case _:
            kind = type(error).__name__
            return f"foldproof: internal error ({kind}: {error}); please report it with what {TRACEBACK}=1 shows"
