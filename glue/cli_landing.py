"""`glue landing`: looks after what has landed."""

from __future__ import annotations

import click

from glue.cli_output import print_table
from glue.cli_parts import PoliteGroup, command_line
from glue.home import Home


@click.group(cls=PoliteGroup, short_help="Look after what has landed.")
def landing() -> None:
    """Look after landing/, where everything that comes in is kept."""


@landing.command(
    "compact",
    epilog="""\b
Example:
  glue landing compact""",
)
def landing_compact() -> None:
    """Merge the landed files of each table into one, one row per key.

    What is read from them stays the same; no other glue command may run meanwhile.
    """
    from glue.landing import compact

    done = compact(Home.current(), command=command_line())
    rows = [
        (table, it.n_files_before, it.n_files_after, it.n_rows_before, it.n_rows_after)
        for table, it in done.items()
        if it.n_files_before
    ]
    if rows:
        print_table(["table", "files before", "files after", "rows before", "rows after"], rows)
    else:
        print("nothing has landed yet")
