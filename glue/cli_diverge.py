"""`glue diverge`: which right answers are right by luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from glue.cli_parts import COUNT, Seconds, Size, command_line
from glue.errors import counted
from glue.home import Home

if TYPE_CHECKING:
    from glue.execute_landing import Summary


@click.command(
    short_help="Tell right answers from those that are right by luck.",
    epilog="""\b
Examples:
  glue diverge
  glue diverge --benchmark enterprise --predictions control/distractor
  glue diverge --workers 8 --timeout 60 --instances 2000
  glue diverge --limit 100
  glue diverge --show 5
  glue diverge --show 3f9a""",
)
@click.option("--benchmark", "benchmarks", multiple=True, metavar="BENCHMARK", help="Only its predictions.")
@click.option(
    "--predictions", "prediction_sets", multiple=True, metavar="SET", help="Only predictions of it."
)
@click.option("--workers", type=COUNT, metavar="N", help="Processes (default: one a core).")
@click.option(
    "--instances", "n_instances", type=COUNT, metavar="N", help="Instances tried for a pair (default: 600)."
)
@click.option("--timeout", "timeout_s", type=Seconds(), help="Seconds for the check of a pair (default: 20).")
@click.option("--max-memory", "max_memory_bytes", type=Size(), help="Memory of a worker (default: 1GB).")
@click.option("--limit", type=COUNT, metavar="N", help="Check so many pairs at most.")
@click.option(
    "--show",
    metavar="N|KEY",
    help="Print witnesses that have landed, the newest N or those whose divergence_id begins with KEY;"
    " check nothing.",
)
def diverge(show: str | None, **given: Any) -> None:
    """Decide for each prediction that passes `ex` whether it stays right on other data.

    Small instances are made of the database's schema, its data and the literals of both statements; gold and
    prediction run on each, and the first on which they part is shrunk to a few rows. Predicted SQL runs in
    processes of its own, on data in memory. Ctrl-C keeps what is done.
    """
    from glue.progress import progress_on

    home = Home.current()
    if show is not None:
        from glue.divergence.showing import witnesses

        for text in witnesses(home, show):
            print(text)
        return
    from glue.divergence.command import DivergeOptions
    from glue.divergence.command import diverge as run

    chosen = {name: value for name, value in given.items() if value is not None}
    _tell(run(home, DivergeOptions(**chosen), progress_on(), command=command_line()))


def _tell(summary: Summary) -> None:
    """Print what was checked; click.Abort if it was interrupted."""
    if not summary.n_run and not summary.is_interrupted:
        print("nothing was pending")
        return
    outcomes = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in summary.outcomes.most_common())
    killed = f" ({summary.n_killed:,} killed)" if summary.n_killed else ""
    print(f"{counted(summary.n_run, 'pairs')} in {summary.elapsed_s:.1f} s: {outcomes}{killed}")
    if summary.outcomes["diverges"]:
        print('look at them: glue diverge --show 5, or glue query "from divergence_witnesses"')
    if summary.is_interrupted:
        raise click.Abort
