"""The arguments and options that several commands share, each with one help text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def paths_argument(function: _Decorated) -> _Decorated:
    """One or more files or folders; `-` is standard input."""
    return click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())(function)


def format_option(function: _Decorated) -> _Decorated:
    """Which format to read, instead of detecting it."""
    text = "Read this format instead of detecting it; see `foldproof formats`."
    return click.option("--format", "format_name", metavar="NAME", help=text)(function)


def strict_option(function: _Decorated) -> _Decorated:
    """Whether what could not be read is an error."""
    text = "Refuse a file of which something cannot be read, instead of reporting it and reading the rest."
    return click.option("--strict", is_flag=True, help=text)(function)


def json_option(function: _Decorated) -> _Decorated:
    """Print JSON Lines instead of text for people."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")(function)


def archive_option(function: _Decorated) -> _Decorated:
    """The archive in which the originals behind the frames of a transcript are."""
    text = "PATH is a transcript, and DB the archive that `foldproof compact --archive DB` put its originals into."
    return click.option("--archive", metavar="DB", type=click.Path(), help=text)(function)


def names_among(allowed: Sequence[str]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[str, ...]]:
    """Return a callback for a repeatable option whose values are names of a closed set, separated by commas.

    The callback raises `click.BadParameter` for a name that is not allowed.
    """

    def split(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(name.strip() for value in values for name in value.split(","))
        for name in names:
            if name not in allowed:
                raise click.BadParameter(f"{name!r} is not one of {', '.join(allowed)}.", ctx, param)
        return names

    return split
