"""`foldproof compact`: fold a transcript with a strategy and write it back in its own format."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

import click

from foldproof.cli.options import format_option, json_option
from foldproof.cli.printing import Cell, counted, json_line, say, table
from foldproof.cli.reading import STDIN, Files, is_standard_output
from foldproof.transcripts import Conversation, dump
from foldproof.window import SlidingWindow, SummarizeOldest, TokenBudget, WindowRecord, WindowStrategy

StrategyName = Literal["summarize-oldest", "token-budget", "sliding-window"]

_STRATEGIES: Final[tuple[StrategyName, ...]] = ("summarize-oldest", "token-budget", "sliding-window")
_COLUMNS: Final = ("conversation", "messages", "characters", "tokens", "refusals")


@click.command("compact", short_help="Fold a transcript with a strategy and write it back in its own format.")
@click.argument("path", metavar="PATH", type=click.Path())
@click.option(
    "-o", "--output", required=True, metavar="OUT", type=click.Path(), help="Where to write; - is standard output."
)
@click.option(
    "--strategy",
    type=click.Choice(_STRATEGIES),
    default="summarize-oldest",
    show_default=True,
    help="Fold the oldest turns into a summary frame, or drop them.",
)
@click.option(
    "--keep-recent-turns",
    type=click.IntRange(min=1),
    default=6,
    show_default=True,
    metavar="N",
    help="How many of the last turns stay as they are.",
)
@click.option(
    "--threshold-tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="Leave a window of at most N tokens alone. Without it everything that may leave does. Not for sliding-window.",
)
@click.option("--force", is_flag=True, help="Let OUT be PATH itself.")
@json_option
@format_option
def command(  # noqa: PLR0913 - one argument an option
    *,
    path: str,
    output: str,
    strategy: StrategyName,
    keep_recent_turns: int,
    threshold_tokens: int | None,
    force: bool,
    as_json: bool,
    format_name: str | None,
) -> int:
    """Fold every conversation of PATH and write the file back in its own format.

    No model is needed: a summary quotes what it folds. Kept messages are written as they were read. A conversation from
    which nothing may leave is written as it was. The record of each visit is printed on standard output, or on standard
    error when OUT is -. If anything is wrong, nothing is written.
    """
    chosen = _strategy(strategy, keep_recent_turns=keep_recent_turns, threshold_tokens=threshold_tokens)
    if not force:
        _refuse_same_file(path, output)
    folds = _Folds(chosen, Files(format_name=format_name).opened(path))
    to_stdout = is_standard_output(output)
    dump(folds, sys.stdout.buffer if to_stdout else output)
    _report(folds.done, path=path, output=output, as_json=as_json, err=to_stdout)
    return 0


def _strategy(name: StrategyName, *, keep_recent_turns: int, threshold_tokens: int | None) -> WindowStrategy:
    if name == "sliding-window":
        if threshold_tokens is not None:
            raise click.UsageError(
                "--threshold-tokens says nothing to sliding-window, which counts turns; leave it out"
            )
        return SlidingWindow(keep_recent_turns=keep_recent_turns)
    threshold = threshold_tokens or 0
    if name == "token-budget":
        return TokenBudget(threshold, keep_recent_turns=keep_recent_turns)
    # OUT holds no originals, and a frame says truthfully where they are.
    return SummarizeOldest(threshold, keep_recent_turns=keep_recent_turns, retain="discard")


def _refuse_same_file(path: str, output: str) -> None:
    with suppress(OSError):  # one of them does not exist, so they are not the same
        if STDIN not in (path, output) and Path(output).is_file() and Path(path).samefile(output):
            raise click.UsageError(f"OUT is PATH itself ({output}); name another file, or say --force")


class _Done(NamedTuple):
    """What is kept of a conversation once it is written."""

    conversation: str
    format: str
    changed: bool
    record: WindowRecord


class _Folds:
    """Folds conversations one by one while they are written, and keeps their records."""

    def __init__(self, strategy: WindowStrategy, conversations: Iterable[Conversation]) -> None:
        self._strategy = strategy
        self._conversations = conversations
        self.done: list[_Done] = []

    def __iter__(self) -> Iterator[Conversation]:
        for conversation in self._conversations:
            visit = self._strategy.visit(conversation.messages)
            self.done.append(_Done(conversation.id, conversation.format, visit.changed, visit.record))
            yield conversation.replace(visit.messages) if visit.changed else conversation


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
