"""`foldproof audit`: which values of each answer were supplied, and by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click

from foldproof.cli.options import format_option, json_option, names_among, paths_argument
from foldproof.cli.printing import counted, json_line, say, shortened, table
from foldproof.cli.reading import Files
from foldproof.evidence import EvidenceOptions
from foldproof.offline import FINDINGS, VERDICTS, AuditedValue, AuditReport, audit

_FLOOR = EvidenceOptions.model_fields["min_digits"].default


@click.command("audit", short_help="Which values of each answer are grounded, exempt, derived, echoed, invented.")
@paths_argument
@json_option
@format_option
@click.option(
    "--fail-on",
    multiple=True,
    callback=names_among(FINDINGS),
    metavar="VERDICT",
    help=f"Exit with 1 when an answer holds a value of this verdict: {', '.join(FINDINGS)}. Several: repeat it, or "
    "separate them with commas.",
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
    fail_on: tuple[str, ...],
    min_digits: int,
    shapes: tuple[str, ...],
    exempt: tuple[str, ...],
) -> int:
    """Judge every answer of every conversation in PATH... against what came before it.

    An answer is an assistant message that says something. For people: the values nobody is known to have supplied. With
    --json: one object a conversation, with every value, its verdict and its carriers. A file that cannot be read costs
    one line on standard error; the others are audited all the same.
    """
    options = EvidenceOptions(min_digits=min_digits, shapes=tuple(shapes), exempt=tuple(exempt))
    files = Files(format_name=format_name)
    seen = _Summary()
    for path, conversation in files.conversations(paths):
        report = audit(conversation, options=options, path=path)
        seen.add(report)
        if as_json:
            json_line(report)
        else:
            _print(report)
    if seen.conversations > 1 and not as_json:
        say(seen.line())
    return files.exit_code(found=any(seen.values[verdict] for verdict in fail_on))


class _Summary:
    """What was seen over all conversations."""

    def __init__(self) -> None:
        self.conversations = self.answers = self.accused = self.unexamined = 0
        self.values: Counter[str] = Counter()

    def add(self, report: AuditReport) -> None:
        self.conversations += 1
        self.answers += len(report.answers)
        self.accused += sum(answer.has("invented") for answer in report.answers)
        self.unexamined += report.unexamined
        self.values.update(report.totals)

    def line(self) -> str:
        verdicts = ", ".join(f"{self.values[verdict]:,} {verdict}" for verdict in VERDICTS)
        return (
            f"{counted(self.conversations, 'conversation')}, {counted(self.answers, 'answer')}, "
            f"{self.accused:,} with an invented value; {counted(self.values.total(), 'value')}: {verdicts}; "
            f"{self.unexamined:,} unexamined"
        )


def _print(report: AuditReport) -> None:
    say(f"{report.path}: {report.conversation} ({report.format}, {counted(report.messages, 'message')})")
    rows = list(_rows(report))
    if rows:
        table(("message", "value", "verdict", "near"), rows)
    found = [f"{count:,} {verdict}" for verdict, count in report.totals.items() if count]
    values = counted(sum(report.totals.values()), "value") + (f": {', '.join(found)}" if found else "")
    say(f"{counted(len(report.answers), 'answer')}, {values}; {report.unexamined:,} unexamined")


def _rows(report: AuditReport) -> Iterator[tuple[str, str, str, str]]:
    for answer in report.answers:
        for value in answer.findings:
            yield str(answer.message), value.text, value.verdict, _near(value)


def _near(value: AuditedValue) -> str:
    if value.near is None:
        return ""
    said = f'said "{shortened(value.near.text)}"'
    if not value.near.carriers:
        return f"a tool {said}"
    carrier = value.near.carriers[0]
    place = f" at {carrier.path}" if carrier.path else ""
    return f"{carrier.tool_name or 'a tool'} {said} in message {carrier.message}{place}"
