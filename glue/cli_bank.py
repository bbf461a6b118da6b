"""`glue bank`: the bank that comes with Evalhouse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from glue.cli_output import print_import, print_table
from glue.cli_parts import PoliteGroup, command_line
from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    from glue.bank.showing import QuestionCard, ShownResult

_CARD_WIDTH = 110
"""Characters a line of a question's card, where stdout is no terminal."""
_CARD_ROWS = 5
"""Rows of a result that a card shows."""


@click.group(cls=PoliteGroup, short_help="The bank that comes with Evalhouse.")
def bank() -> None:
    """The bank that comes with Evalhouse: databases and questions of its own."""


@bank.command(
    "load",
    epilog="""\b
Example:
  glue bank load sqlite
  glue bank load oracle-local --instance t1a-007
  glue bank load duckdb --documented-share 0.2
  glue bank load postgresql --connection bank --owner admin""",
)
@click.argument("engine", metavar="ENGINE")
@click.option(
    "--instance",
    "instances",
    multiple=True,
    metavar="NAME",
    help="D: the base data (default). D': every question's supplementary instance. t1a-007: that one's.",
)
@click.option(
    "--connection", metavar="NAME", help="The server, by the name `glue connect` gave it: who will ask there."
)
@click.option(
    "--owner",
    metavar="NAME",
    help="A connection to it whose user may create schemas and tables (default: the same).",
)
@click.option(
    "--replace",
    is_flag=True,
    help="On a server, drop tables of the bank's names that hold something else, and make them anew.",
)
@click.option(
    "--documented-share",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="How many columns show their description, 0 to 1 (default: as each database has it).",
)
def bank_load(
    engine: str,
    instances: tuple[str, ...],
    connection: str | None,
    owner: str | None,
    replace: bool,
    documented_share: float | None,
) -> None:
    """Make the bank's databases and import them as a benchmark (enterprise, enterprise_duckdb, …).

    Files of sqlite, duckdb, oracle-local and mssql-local; on a server (postgresql, mariadb, mysql, oracle,
    sqlserver) tables in schemas named after the databases, which --connection's user is let read. What is
    there already and the same is left alone; what is not the same is an error.

    Supplementary instances, whose rows at the edges tell right answers from lucky ones, are a benchmark of
    their own (enterprise_supplementary, enterprise_supplementary_duckdb, …): a file to each question. Nobody
    is asked there: what is answered to the bank's questions is executed there too.
    """
    from glue.bank import load_bank
    from glue.bank.loading_servers import ServerChoice

    if connection is None and (owner is not None or replace):
        raise GlueError("--owner and --replace are of a server", "name it with --connection")
    server = None if connection is None else ServerChoice(connection, owner, replace)
    report = load_bank(Home.current(), engine, command_line(), instances, server, documented_share)
    print_import(report)


@bank.command(
    "show",
    epilog="""\b
Example:
  glue bank show t1a-014 t1b-040
  glue bank show --sample 10 | less""",
)
@click.argument("question_ids", nargs=-1, metavar="[QUESTION_ID]...")
@click.option("--all", "is_all", is_flag=True, help="Every question of the bank.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="N questions of each schema, of every category group in turn; always the same.",
)
def bank_show(question_ids: tuple[str, ...], is_all: bool, sample: int | None) -> None:
    """Print questions to be read: intent, gold, distractor, second gold, D′, and where the results part.

    The results are those of Oracle's dialect, on the base data D and on the question's supplementary instance
    D′.
    """
    from glue.bank import read_manifest
    from glue.bank.showing import question_cards, spread_over_schemas

    manifest = read_manifest()
    names = [question.question_id for question in manifest.questions] if is_all else list(question_ids)
    if sample is not None and not is_all:
        names += spread_over_schemas(manifest, sample)
    if not names:
        raise GlueError("no question is named", "name some, e.g. glue bank show t1a-014, or say --all")
    for card in question_cards(manifest, names):
        _print_card(card)


def _print_card(card: QuestionCard) -> None:
    """One question of the bank, to be read: text, intent, statements, D′, and where the two results part."""
    question = card.question
    marks = ", ordered" if question.is_ordered else ""
    marks += ", silent-divergence probe" if question.is_sd_probe else ""
    print(f"{question.question_id} · {question.db_id} · {question.category}, {question.difficulty}{marks}")
    _print_wrapped(question.question, "  ")
    if question.evidence:
        _print_wrapped(f"note: {question.evidence}", "  ")
    print("intent")
    for constraint in question.constraints:
        _print_wrapped(f"{constraint.kind}: {constraint.text}", "  - ")
    for role, dialects, sql in card.statements:
        print(f"{role.replace('_', ' ')}, {' and '.join(dialects)}")
        _print_wrapped(sql, "  ")
    if card.steps:
        print("D′: the base data, and")
        for step in card.steps:
            _print_wrapped(step, "  + ")
    for result in card.results:
        _print_shown_result(result)
    print()


def _print_shown_result(result: ShownResult) -> None:
    """The rows that gold and distractor do not share on one instance; gold's first rows where they agree."""
    sizes = f"gold {len(result.gold):,} rows, distractor {len(result.distractor):,}"
    verdict = "the results are equal" if result.is_equal else "the results differ"
    print(f"on {result.instance}: {sizes}; {verdict}")
    lacking = result.only_in(result.gold, result.distractor)
    surplus = result.only_in(result.distractor, result.gold)
    if result.is_equal or not (lacking or surplus):
        marked = [("both" if result.is_equal else "gold", row) for row in result.gold[:_CARD_ROWS]]
        if not result.is_equal:
            marked += [("distractor", row) for row in result.distractor[:_CARD_ROWS]]
    else:
        marked = [("gold only", row) for row in lacking[:_CARD_ROWS]]
        marked += [("distractor only", row) for row in surplus[:_CARD_ROWS]]
    print_table(["in", *result.names], [(mark, *row) for mark, row in marked], _CARD_WIDTH)


def _print_wrapped(text: str, prefix: str) -> None:
    from textwrap import fill

    from glue.query import terminal_width

    width = terminal_width() if sys.stdout.isatty() else _CARD_WIDTH
    blank = " " * len(prefix)
    print(fill(text, width=width, initial_indent=prefix, subsequent_indent=blank, break_long_words=False))
