"""`glue execute`: runs every pending statement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from glue.cli_output import print_table
from glue.cli_parts import COUNT, Seconds, Size, command_line, options
from glue.errors import counted
from glue.home import Home

if TYPE_CHECKING:
    from glue.execute_plan import ExecutePlan
    from glue.run import ExecuteOptions, ExecuteReport

EXECUTE_OPTIONS = (
    click.option(
        "--workers", type=COUNT, metavar="N", help="Processes (default: one a core; two on a live server)."
    ),
    click.option("--timeout", type=Seconds(), help="Limit of a prediction, in seconds (default: 30)."),
    click.option("--gold-timeout", type=Seconds(), help="Limit of a gold (default: ten times --timeout)."),
    click.option(
        "--max-rows",
        type=COUNT,
        metavar="N",
        help="Rows stored of a result (default: 100,000).",
    ),
    click.option("--max-memory", type=Size(), help="Memory of a worker (default: 2GB)."),
    click.option(
        "--prepared",
        type=click.Choice(["auto", "all", "none"]),
        default="auto",
        show_default=True,
        help="Where statements run: auto is on the indexed copy, and on the untouched file where a verdict"
        " hinges on it; all is on copies alone; none is on the untouched files alone.",
    ),
    click.option(
        "--keep-rows",
        type=click.Choice(["all", "mismatches", "none"]),
        default="all",
        show_default=True,
        help="Which results are stored with their rows. mismatches: on a live server not those of predictions"
        " that equal their golds. Where a verdict needs rows that were not kept it is NULL: rows_not_kept.",
    ),
    click.option("--check-stability", is_flag=True, help="Run plan-sensitive statements both ways."),
)
"""How statements are run."""


def chosen_execution(benchmarks: Iterable[str], given: dict[str, Any]) -> ExecuteOptions:
    """The values of EXECUTE_OPTIONS, for the statements of some benchmarks; of all where none is named."""
    from glue.run import ExecuteOptions

    return ExecuteOptions(
        workers=given["workers"],
        timeout_s=given["timeout"],
        gold_timeout_s=given["gold_timeout"],
        max_rows=given["max_rows"],
        max_memory_bytes=given["max_memory"],
        prepared=given["prepared"],
        keep_rows=given["keep_rows"],
        check_stability=given["check_stability"],
        again=given.get("again", False),
        benchmarks=tuple(benchmarks),
        connections=tuple(given.get("connections", ())),
        engines=tuple(given.get("engines", ())),
    )


def execute_and_tell(benchmarks: Iterable[str], given: dict[str, Any]) -> None:
    """Run what is pending and print how it went; click.Abort if it was interrupted."""
    from glue.progress import progress_on
    from glue.run import execute_pending

    chosen = chosen_execution(benchmarks, given)
    tell_waves(execute_pending(Home.current(), chosen, progress_on(), command=command_line()))


@click.command(
    short_help="Run every pending statement.",
    epilog="""\b
Examples:
  glue execute
  glue execute --workers 8 --timeout 60 --gold-timeout 300
  glue execute --connection sales --plan
  glue execute --connection sales --workers 1
  glue execute --connection sales --again""",
)
@options(*EXECUTE_OPTIONS)
@click.option("--benchmark", "benchmarks", multiple=True, metavar="BENCHMARK", help="Only its statements.")
@click.option("--connection", "connections", multiple=True, metavar="NAME", help="Only statements on it.")
@click.option("--engine", "engines", multiple=True, metavar="ENGINE", help="Only statements on it.")
@click.option(
    "--again",
    is_flag=True,
    help="Also ask once more: on live servers questions that could not be scored (a gold drifted or failed),"
    " of local engines what they had no answer to.",
)
@click.option("--plan", is_flag=True, help="Print what would be run, where and how often; run nothing.")
def execute(benchmarks: tuple[str, ...], plan: bool, **given: Any) -> None:
    """Run every pending statement, once each, until none is left.

    Predicted SQL is held to be hostile: it runs in processes of its own that can write nothing and are
    killed a second after their limit. Ctrl-C keeps what is done.
    """
    if plan:
        from glue.execute_plan import planned
        from glue.progress import progress_on

        _tell_plan(planned(Home.current(), chosen_execution(benchmarks, given), progress_on()))
        return
    execute_and_tell(benchmarks, given)


def _tell_plan(plan: ExecutePlan) -> None:
    if not plan.parts:
        print("nothing is pending")
        return
    print_table(
        ["connection", "engine", "golds", "others", "to run", "at once"],
        [
            (
                part.connection or "(files)",
                part.engine,
                part.n_golds,
                part.n_others,
                part.n_runs,
                part.workers,
            )
            for part in plan.parts
        ],
    )
    print(f"at most {plan.limits.prediction_s:g} s each, {plan.limits.gold_s:g} s a gold; nothing was run")
    if any(part.connection for part in plan.parts):
        print("golds of a live database run twice: before all else and after it")
    print('their texts: glue query "select is_gold, sql from pending_statements"')


def tell_waves(report: ExecuteReport) -> None:
    """Print what was run, wave by wave; click.Abort if it was interrupted."""
    for number, wave in enumerate(report.waves, start=1):
        outcomes = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in wave.outcomes.most_common())
        killed = f" ({wave.n_killed:,} killed)" if wave.n_killed else ""
        what = counted(wave.n_run, "statements")
        print(f"wave {number}: {what} in {wave.elapsed_s:.1f} s: {outcomes}{killed}")
    n_run = sum(wave.n_run for wave in report.waves)
    what = "nothing was pending"
    if n_run:
        what = f"{counted(n_run, 'statements')} in {counted(len(report.waves), 'waves')}"
    print(
        f"{what}; executing {report.execute_s:.1f} s,"
        f" refreshing the pending table {report.refresh_s:.1f} s ({counted(report.n_refreshes, 'times')})"
    )
    if report.n_unscoreable:
        what = counted(report.n_unscoreable, "statements")
        why = "of questions that could not be scored, a gold having drifted or failed"
        print(f"{what} {why}: --again asks them once more")
    if report.is_interrupted:
        raise click.Abort
