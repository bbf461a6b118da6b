"""`glue deployability`: may a model be let at this schema?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from glue.cli_output import print_table, say
from glue.home import Home

if TYPE_CHECKING:
    from glue.deployability import Card

_MARKS = {"passes": "ok", "fails": "!!", "not_measured": "--"}


@click.command(
    short_help="Say whether a model may be let at a schema, and what to do first.",
    epilog="""\\b
Example:
  glue deployability t1_a_sales_orders
  glue deployability t1_a_sales_orders --benchmark enterprise""",
)
@click.argument("database")
@click.option("--benchmark", metavar="NAME", help="Of this benchmark alone (default: of all that have it).")
def deployability(database: str, benchmark: str | None) -> None:
    """Say whether a model may be let at DATABASE, by the checklist of ESQ-Bench, section 7.4.

    DATABASE is any imported one: a file, a live database, a benchmark's. Ambiguous names, declared keys and
    comments are its catalog's; constructs and joins those of its imported questions and its query log. What
    cannot be measured is said and does not count. `glue query "from deployability"` has it as a table.
    """
    from glue.build import refresh
    from glue.deployability import deployability as cards_of

    home = Home.current()
    refresh(home, on_start=lambda: say("building the warehouse with what has landed …"))
    for card in cards_of(home, database, benchmark):
        _print(card)


def _print(card: Card) -> None:
    score = f"{card.n_passed} of {card.n_measured} checks that were measured"
    print(f"{card.db_id} ({card.benchmark}): passes {score}")
    rows = [
        (
            _MARKS[check.status],
            check.label,
            "not measured" if check.measure is None else round(check.measure, 2),
            check.threshold,
            check.detail or "no questions and no query log have been imported",
        )
        for check in card.checks
    ]
    print_table(["", "check", "measured", "bound", "of"], rows, width=140)
    for check in card.checks:
        if check.advice:
            print(f"{check.label}: {check.advice}.")
