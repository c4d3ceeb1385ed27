"""`foldproof audit`: which values of each answer were supplied, and by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import click

from foldproof.cli.options import format_option, json_option, names_among, paths_argument, strict_option
from foldproof.cli.printing import counted, json_line, say, shortened, table
from foldproof.cli.reading import Files
from foldproof.evidence import EvidenceOptions, Verdict
from foldproof.offline import FINDINGS, VERDICTS, AuditedValue, AuditReport, audit

_EMPTY: Final = ("",) * 5
_FLOOR: Final = EvidenceOptions.model_fields["min_digits"].default


@click.command("audit", short_help="Which values of each answer are grounded, exempt, derived, echoed, invented.")
@paths_argument
@json_option
@format_option
@strict_option
@click.option(
    "--fail-on",
    multiple=True,
    callback=names_among(FINDINGS),
    metavar="VERDICT",
    help=f"Exit with 1 when an answer holds a value of this verdict: {', '.join(FINDINGS)}. Several: repeat it, or "
    "separate them with commas. With --arguments an argument counts too.",
)
@click.option(
    "--arguments",
    is_flag=True,
    help="Judge also the ids, account numbers and addresses that the model typed into its tool calls.",
)
@click.option(
    "--min-digits",
    type=click.IntRange(min=1),
    default=_FLOOR,
    show_default=True,
    help="How many digits a plain number needs to be examined.",
)
@click.option(
    "--shape", "shapes", multiple=True, metavar="REGEX", help="Examine every whole token that matches this too."
)
@click.option("--exempt", multiple=True, metavar="TEXT", help="Values in this text are the app's own, and exempt.")
def command(  # noqa: PLR0913 - one argument an option
    *,
    paths: tuple[str, ...],
    as_json: bool,
    format_name: str | None,
    strict: bool,
    fail_on: tuple[str, ...],
    arguments: bool,
    min_digits: int,
    shapes: tuple[str, ...],
    exempt: tuple[str, ...],
) -> int:
    """Judge every answer of every conversation in PATH... against what came before it.

    An answer is an assistant message that says something. For people: the values nobody is known to have supplied. With
    --json: one object a conversation, with every value, its verdict and its carriers. A file that cannot be read costs
    one line on standard error; the others are audited all the same.

    With --arguments an id that nobody supplied is named where the model typed it, before an answer repeats it. An
    argument is judged against what came before its call. Sums, days and places in a file are the model's to choose:
    they are counted as unexamined.
    """
    options = EvidenceOptions(min_digits=min_digits, shapes=tuple(shapes), exempt=tuple(exempt))
    files = Files(format_name=format_name, strict=strict)
    seen = _Summary()
    for path, conversation in files.conversations(paths):
        report = audit(conversation, options=options, path=path, arguments=arguments)
        seen.add(path, report)
        if as_json:
            json_line(report)
        else:
            _print(report, arguments=arguments)
    if not as_json:
        _print_summary(seen, files, arguments=arguments)
    return files.exit_code(found=any(seen.values[verdict] + seen.typed[verdict] for verdict in fail_on))


@dataclass(slots=True)
class _Row:
    """What was seen of all conversations of one format."""

    files: set[str] = field(default_factory=set)
    conversations: int = 0
    messages: int = 0
    answers: int = 0
    accused: int = 0
    damaged: int = 0

    def add(self, path: str, report: AuditReport) -> None:
        self.files.add(path)
        self.conversations += 1
        self.messages += report.messages
        self.answers += len(report.answers)
        self.accused += sum(answer.has("invented") for answer in report.answers)
        self.damaged += bool(report.damage)

    def cells(self) -> tuple[str, ...]:
        counts = (self.conversations, self.messages, self.answers, self.accused, self.damaged)
        return tuple(f"{count:,}" for count in (len(self.files), *counts))


class _Summary:
    """What was seen over all conversations."""

    def __init__(self) -> None:
        self.formats: dict[str, _Row] = {}
        self.all = _Row()
        self.unexamined = 0
        self.arguments = self.accused_arguments = self.unexamined_in_arguments = 0
        self.values: Counter[str] = Counter()
        self.typed: Counter[str] = Counter()

    def add(self, path: str, report: AuditReport) -> None:
        for row in (self.formats.setdefault(report.format, _Row()), self.all):
            row.add(path, report)
        self.unexamined += report.unexamined
        self.values.update(report.totals)
        self.arguments += len(report.arguments)
        self.accused_arguments += sum(argument.has("invented") for argument in report.arguments)
        self.unexamined_in_arguments += report.unexamined_in_arguments
        self.typed.update(report.argument_totals)

    def lines(self, *, arguments: bool) -> Iterator[str]:
        yield (
            f"{counted(self.all.conversations, 'conversation')}, {counted(self.all.answers, 'answer')}, "
            f"{self.all.accused:,} with an invented value; {_every_verdict(self.values)}; "
            f"{self.unexamined:,} unexamined"
        )
        if arguments:
            yield (
                f"{counted(self.arguments, 'argument')}, {self.accused_arguments:,} with an invented value; "
                f"{_every_verdict(self.typed)}; {self.unexamined_in_arguments:,} unexamined"
            )


def _print_summary(seen: _Summary, files: Files, *, arguments: bool) -> None:
    if seen.all.conversations > 1:
        for line in seen.lines(arguments=arguments):
            say(line)
    if len(seen.all.files) + files.unread + len(files.passed_over) <= 1:
        return
    rows = [(name, *row.cells()) for name, row in sorted(seen.formats.items())]
    if files.passed_over:
        rows.append(("of no known format", f"{len(files.passed_over):,}", *_EMPTY))
    if files.unread:
        rows.append(("unreadable", f"{files.unread:,}", *_EMPTY))
    rows.append(("all that was read", *seen.all.cells()))
    table(("format", "files", "conversations", "messages", "answers", "with an invented value", "damaged"), rows)


def _every_verdict(values: Counter[str]) -> str:
    verdicts = ", ".join(f"{values[verdict]:,} {verdict}" for verdict in VERDICTS)
    return f"{counted(values.total(), 'value')}: {verdicts}"


def _print(report: AuditReport, *, arguments: bool) -> None:
    say(f"{report.path}: {report.conversation} ({report.format}, {counted(report.messages, 'message')})")
    rows = sorted(_rows(report), key=lambda row: int(row[0]))
    if rows and arguments:
        table(("message", "tool", "argument", "value", "verdict", "near"), rows)
    elif rows:
        table(("message", "value", "verdict", "near"), ((row[0], *row[3:]) for row in rows))
    answers = counted(len(report.answers), "answer")
    say(f"{answers}, {_found_verdicts(report.totals)}; {report.unexamined:,} unexamined")
    if arguments:
        typed = counted(len(report.arguments), "argument")
        found = _found_verdicts(report.argument_totals)
        say(f"{typed}, {found}; {report.unexamined_in_arguments:,} unexamined")


def _found_verdicts(totals: Mapping[Verdict, int]) -> str:
    found = [f"{count:,} {verdict}" for verdict, count in totals.items() if count]
    return counted(sum(totals.values()), "value") + (f": {', '.join(found)}" if found else "")


def _rows(report: AuditReport) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield the findings: message, tool, argument, value, verdict, near. One in an answer has no tool and argument."""
    for answer in report.answers:
        for value in answer.findings:
            yield str(answer.message), "", "", value.text, value.verdict, _near(value)
    for argument in report.arguments:
        for value in argument.findings:
            place = (str(argument.message), argument.tool_name or "", argument.path)
            yield *place, value.text, value.verdict, _near(value)


def _near(value: AuditedValue) -> str:
    if value.near is None:
        return ""
    said = f'said "{shortened(value.near.text)}"'
    if not value.near.carriers:
        return f"a tool {said}"
    carrier = value.near.carriers[0]
    place = f" at {carrier.path}" if carrier.path else ""
    return f"{carrier.tool_name or 'a tool'} {said} in message {carrier.message}{place}"
