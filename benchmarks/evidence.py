"""How well the evidence judgement does, and what it costs: through the public interface only.

    make bench-evidence                                  everything, in about a minute
    .venv/bin/python benchmarks/evidence.py --quick      a look, in a few seconds

1. Honest answers: 615 real ones. Which values are accused, and for each accusation, why the closed set of derivations
   does not give it. Exits 1 when an accusation has no written reason (`UNEXPLAINED`).
2. Planted errors: one digit, day, hour or letter changed in a value that a tool said. How many are caught?
3. Arithmetic over real tables (TAT-QA): how many right results are derivable, how many changed ones pass?
4. Time and memory.

Each part is a module of its own, `evidence_*.py`, whose docstring says how it measures. Everything is seeded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import evidence_costs, evidence_honest, evidence_planting, evidence_tables
from benchmarks.evidence_data import airline, transcripts


def show(lines: Iterable[str]) -> None:
    """Print what a part found, as it comes."""
    for line in lines:
        click.echo(f"{line}\n")


@click.command(help=__doc__.split("\n", 1)[0])
@click.option("--quick", is_flag=True, help="a look, in a few seconds")
@click.option("--seed", default=1, show_default=True)
def main(*, quick: bool, seed: int) -> None:
    """Measure and print."""
    honest = evidence_honest.measure(airline())
    show(evidence_honest.report(honest))
    leaves = 100 if quick else 500
    for name, runs in (("airline", airline()), ("saved transcripts", transcripts())):
        planted = evidence_planting.measure(runs, leaves=leaves, seed=seed, every=4 if quick else 1)
        show(evidence_planting.report(name, planted))
    figures = evidence_tables.measure(every=15 if quick else 1, each=1 if quick else 2, seed=seed)
    show(evidence_tables.report(figures))
    show(evidence_costs.report(quick=quick))
    sys.exit(bool(honest.unexplained))


if __name__ == "__main__":
    main()
