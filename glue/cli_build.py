"""`glue build`: builds the warehouse."""

from __future__ import annotations

import click

from glue.cli_output import say
from glue.home import Home


@click.command(
    short_help="Build the warehouse.",
    epilog="""\b
Example:
  glue build && glue query "from leaderboard" """,
)
@click.option("--force", is_flag=True, help="Also when nothing has landed since the last build.")
def build(force: bool) -> None:
    """Build the whole warehouse, if anything has landed since: `dbt build` without its tests."""
    from glue.build import refresh

    say("building the warehouse …")
    report = refresh(Home.current(), is_forced=force)
    if report.is_skipped:
        print("nothing has landed since the last build; --force builds all the same")
    else:
        print(f"built {report.n_built:,} models in {report.elapsed_seconds:.1f} s")
