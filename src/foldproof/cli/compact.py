"""`foldproof compact`: fold a transcript with a strategy and write it back in its own format."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from foldproof.cli.options import format_option, json_option, strict_option
from foldproof.cli.printing import Cell, counted, json_line, say, table
from foldproof.cli.reading import STDIN, Files, is_standard_output
from foldproof.errors import TranscriptError, UsageError
from foldproof.plugins import STRATEGIES, find_strategy, load_strategy, strategy_options
from foldproof.transcripts import Conversation, dump
from foldproof.window import Archive, Retain, Strategy, WindowRecord, run_visit

if TYPE_CHECKING:
    from foldproof.archive import SqliteArchive

_COLUMNS: Final = ("conversation", "messages", "characters", "tokens", "refusals")


@click.command("compact", short_help="Fold a transcript with a strategy and write it back in its own format.")
@click.argument("path", metavar="PATH", type=click.Path())
@click.option(
    "-o", "--output", required=True, metavar="OUT", type=click.Path(), help="Where to write; - is standard output."
)
@click.option(
    "--strategy",
    metavar="NAME",
    default="summarize-oldest",
    show_default=True,
    help=f"What leaves, and what stands for it: {', '.join(STRATEGIES)}, or one that an installed package offers.",
)
@click.option(
    "--keep-recent-turns",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many of the last turns stay as they are; 6 unless you say otherwise. For strategies that remove turns.",
)
@click.option(
    "--threshold-tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Leave a window of at most N tokens alone. Without it everything that may leave does. Not for sliding-window.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="Another option of the strategy, its value as JSON: keep=3, exclude='[\"search\"]'. Repeatable.",
)
@click.option(
    "--archive",
    metavar="DB",
    type=click.Path(),
    help="Put the originals of what is folded into this archive, ahead of writing OUT; made where there is none.",
)
@click.option("--no-plugins", is_flag=True, help="Look at no strategy of another package.")
@click.option("--force", is_flag=True, help="Let OUT be PATH itself.")
@json_option
@format_option
@strict_option
def command(  # noqa: PLR0913 - one argument an option
    *,
    path: str,
    output: str,
    strategy: str,
    keep_recent_turns: int | None,
    threshold_tokens: int | None,
    settings: tuple[str, ...],
    archive: str | None,
    no_plugins: bool,
    force: bool,
    as_json: bool,
    format_name: str | None,
    strict: bool,
) -> int:
    """Fold every conversation of PATH and write the file back in its own format.

    No model is needed: a summary quotes what it folds. Kept messages are written as they were read. A conversation from
    which nothing may leave is written as it was. So is a row that cannot be read; where a whole conversation cannot be
    read, it is an error. The record of each visit is printed on standard output, or on standard
    error when OUT is -. If anything is wrong, OUT is not written.

    OUT holds no originals. With --archive they are in DB, from where `foldproof expand` and `foldproof search` bring
    them back, also when OUT could not be written.
    """
    named = {"keep_recent_turns": keep_recent_turns, "threshold_tokens": threshold_tokens}
    options = {name: value for name, value in named.items() if value is not None}
    retain: Retain = "discard" if archive is None else "archive"
    chosen = _strategy(strategy, dict(map(_setting, settings)), options, retain=retain, plugins=not no_plugins)
    if not force:
        _refuse_same_file(path, output)
    if archive is not None:
        _refuse_as_archive(archive, path=path, output=output)
    folds = _Folds(chosen, Files(format_name=format_name, strict=strict).opened(path, every=True), archive)
    to_stdout = is_standard_output(output)
    dump(folds, sys.stdout.buffer if to_stdout else output)
    _report(folds.done, path=path, output=output, as_json=as_json, err=to_stdout)
    return 0


def _setting(text: str) -> tuple[str, object]:
    """Read OPTION=VALUE; a value that is no JSON is text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.BadParameter(f"{text!r} is not OPTION=VALUE, such as keep=3", param_hint="--set")
    with suppress(ValueError):
        return name.strip().replace("-", "_"), json.loads(value)
    return name.strip().replace("-", "_"), value


def _strategy(
    name: str, settings: dict[str, object], named: dict[str, int], *, retain: Retain, plugins: bool
) -> Strategy:
    try:
        known = strategy_options(find_strategy(name, plugins=plugins))
    except UsageError as error:
        raise click.BadParameter(str(error), param_hint="--strategy") from error
    for option in named:
        if known is not None and option not in known:
            flag = f"--{option.replace('_', '-')}"
            raise click.UsageError(f"{flag} says nothing to {name}, which has {', '.join(known)}; leave it out")
    if known is not None and "retain" in {*settings} & {*known}:
        raise click.UsageError("--set retain is not needed: originals are kept with --archive DB, and not without it")
    options: dict[str, object] = {**settings, **named}
    if known is not None and "threshold_tokens" in known:
        options.setdefault("threshold_tokens", 0)
    if known is not None and "retain" in known:
        options["retain"] = retain  # OUT holds no originals, and a frame says truthfully where they are
    elif retain == "archive":
        raise click.UsageError(f"--archive says nothing to {name}, which keeps no originals; leave it out")
    return load_strategy(name, plugins=plugins, **options)


def _refuse_same_file(path: str, output: str) -> None:
    with suppress(OSError):  # one of them does not exist, so they are not the same
        if STDIN not in (path, output) and Path(output).is_file() and Path(path).samefile(output):
            raise click.UsageError(f"OUT is PATH itself ({output}); name another file, or say --force")


def _refuse_as_archive(archive: str, *, path: str, output: str) -> None:
    from foldproof.archive.database import IN_MEMORY

    for option, other in (("PATH", path), ("OUT", output)):
        if STDIN in (archive, other):
            continue
        same = os.path.realpath(archive) == os.path.realpath(other)
        with suppress(OSError):  # one of them does not exist
            same = same or Path(archive).samefile(other)
        if same:
            raise click.UsageError(f"DB is {option} itself ({archive}); name another file for the archive")
    if archive in (STDIN, IN_MEMORY):
        raise click.UsageError(f"DB is a file, and not {archive}, where nothing would stay; name one for the archive")


class _Done(NamedTuple):
    """What is kept of a conversation once it is written."""

    conversation: str
    format: str
    changed: bool
    record: WindowRecord


class _Folds:
    """Folds conversations one by one while they are written, and keeps their records."""

    def __init__(self, strategy: Strategy, conversations: Iterable[Conversation], archive: str | None) -> None:
        self._strategy = strategy
        self._conversations = conversations
        self._archive = archive
        self.done: list[_Done] = []

    def __iter__(self) -> Iterator[Conversation]:
        conversations = iter(self._conversations)
        first = next(conversations, None)  # no archive is made for a file that cannot be read
        with nullcontext() if self._archive is None else _opened(self._archive) as archive:
            for conversation in chain(() if first is None else (first,), conversations):
                yield self._fold(conversation, archive)

    def _fold(self, conversation: Conversation, archive: Archive | None) -> Conversation:
        visit = run_visit(self._strategy, conversation.messages, archive=archive)
        if visit.record.archive_failed is not None:
            cause = f"could not keep the originals ({visit.record.archive_failed}), so nothing was written"
            raise TranscriptError(cause, file=self._archive)
        self.done.append(_Done(conversation.id, conversation.format, visit.changed, visit.record))
        return conversation.replace(visit.messages) if visit.changed else conversation


def _opened(path: str) -> SqliteArchive:
    from foldproof.archive import SqliteArchive

    return SqliteArchive(path)


def _report(done: Sequence[_Done], *, path: str, output: str, as_json: bool, err: bool) -> None:
    if as_json:
        for one in done:
            json_line(_json(path, output, one), err=err)
        return
    table(_COLUMNS, map(_row, done), err=err)
    say(_total(done, output), err=err)


def _json(path: str, output: str, done: _Done) -> dict[str, object]:
    return {
        "path": path,
        "conversation": done.conversation,
        "format": done.format,
        "output": output,
        "changed": done.changed,
        "record": done.record.model_dump(),
    }


def _row(done: _Done) -> tuple[Cell, ...]:
    record = done.record
    return (
        done.conversation,
        _sizes(record.messages_before, record.messages_after) + ("" if done.changed else ", unchanged"),
        _sizes(record.characters_before, record.characters_after),
        _sizes(record.tokens_before, record.tokens_after),
        _reasons(record),
    )


def _sizes(before: int | None, after: int | None) -> str:
    if before is None or after is None:
        return "not counted"
    return f"{before:,}" if before == after else f"{before:,} -> {after:,}"


def _reasons(record: WindowRecord) -> tuple[str, ...]:
    if record.outcome == "idle":
        return (f"{record.measured:,} {record.trigger} are not over {record.threshold:,}",)
    reasons = Counter(refusal.reason for refusal in record.refusals)
    return tuple(f"{count} {reason}" for reason, count in reasons.items())


def _total(done: Sequence[_Done], output: str) -> str:
    changed = sum(one.changed for one in done)
    where = "standard output" if output == STDIN else output
    unchanged = len(done) - changed
    return f"{counted(len(done), 'conversation')}, {changed:,} folded, {unchanged:,} unchanged; written to {where}"
