"""How much of what was said survives a fold: ours, a plain cut of the same size, and what real agents wrote.

    make bench-folds                                    the conversations of the tests
    make bench-folds FOLDS=FOLDER                       every conversation below a folder

`folds_data` reads them, `folds_values` says what a value is, `folds_measure` how a fold is measured. The summarizer was
tuned on the first half of the conversations of each format. Of the second half one thing is known to it: that bare
names of files (`actions.ts`) count as values, which the first half hardly holds.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.evidence_print import percent, table
from benchmarks.folds_data import Found, find
from benchmarks.folds_measure import SHARE, WAYS, Comparison, Figures, Tally, compare, measure
from benchmarks.folds_values import CLASSES, Class

VENDORED = Path(__file__).parent.parent / "tests" / "data"
HALVES = ("tuned on", "held out")


def report(found: Found, *, share: int = SHARE) -> Iterator[str]:
    """Measure, and yield the tables as they come."""
    yield f"{found.files} files, {found.unread} of them without a conversation; {len(found.runs)} conversations."
    measured = measure(found.runs, share=share)
    formats = sorted({format_ for format_, _ in measured})
    groups = {name: [measured[key] for key in measured if key[0] == name] for name in formats}
    groups |= {half: [measured[key] for key in measured if key[1] == place] for place, half in enumerate(HALVES)}
    groups["all"] = list(measured.values())
    sums = {name: together(group) for name, group in groups.items()}
    yield f"## Values of the span that later turns use, in 1/{share} of its tokens"
    yield table(_head(), [_row(name, figures, figures.used) for name, figures in sums.items()])
    yield f"## All values of the span, in 1/{share} of its tokens"
    yield table(_head(), [_row(name, figures, figures.all) for name, figures in sums.items()])
    yield "## By class, all formats"
    yield table(("class", *_columns("used later"), *_columns("all")), _classes(sums["all"]))
    yield "## Summaries that agents wrote, at their own size"
    yield table(_agents_head(), [_agents_row(compare(fold)) for fold in found.recorded])


def together(group: Sequence[Figures]) -> Figures:
    """Add figures up."""
    total = Figures()
    for figures in group:
        total.conversations |= figures.conversations
        total.folds += figures.folds
        total.sizes += figures.sizes
        for into, tally in ((total.used, figures.used), (total.all, figures.all)):
            into.total += tally.total
            for way in WAYS:
                into.kept.setdefault(way, Counter()).update(tally.kept[way])
    return total


def _head() -> tuple[str, ...]:
    sizes = tuple(f"{way}, of size" for way in WAYS)
    return ("", "conversations", "folds", "values", *WAYS, *sizes)


def _row(name: str, figures: Figures, tally: Tally) -> tuple[object, ...]:
    sizes = [percent(figures.sizes[way], figures.sizes["span"]) for way in WAYS]
    counted = sum(tally.total.values())
    return (name, len(figures.conversations), figures.folds, counted, *_kept(tally, CLASSES), *sizes)


def _kept(tally: Tally, classes: Sequence[Class]) -> list[str]:
    total = sum(tally.total[each] for each in classes)
    return [percent(sum(tally.kept.get(way, tally.total)[each] for each in classes), total) for way in WAYS]


def _columns(which: str) -> tuple[str, ...]:
    return (which, *(f"{which}: {way}" for way in WAYS))


def _classes(figures: Figures) -> Iterator[tuple[object, ...]]:
    for each in CLASSES:
        used, every = figures.used, figures.all
        yield (each, used.total[each], *_kept(used, [each]), every.total[each], *_kept(every, [each]))


def _agents_head() -> tuple[str, ...]:
    return ("file", "format", "span tokens", "summary tokens", "used later", *_agents("used"), "all", *_agents("all"))


def _agents(which: str) -> tuple[str, ...]:
    return tuple(f"{which}: {way}" for way in ("agent", *WAYS))


def _agents_row(found: Comparison) -> tuple[object, ...]:
    row: list[object] = [found.fold.name, found.fold.format, found.span_tokens, found.tokens]
    for tally in (found.used, found.all):
        total = sum(tally.total.values())
        row += [total, *(percent(sum(tally.kept[way].values()), total) for way in ("agent", *WAYS))]
    return tuple(row)


@click.command(help=__doc__.split("\n", 1)[0])
@click.argument("folder", default=VENDORED, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--share", default=SHARE, show_default=True, help="a frame has one part in so many of its span's tokens")
def main(*, folder: Path, share: int) -> None:
    """Measure and print."""
    for lines in report(find(folder), share=share):
        click.echo(f"{lines}\n")


if __name__ == "__main__":
    main()
