"""`glue query`: runs one statement on the warehouse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

import click

from glue.cli_output import say
from glue.cli_parts import FILE
from glue.errors import GlueError
from glue.home import Home


@click.command(
    short_help="Run one SQL statement on the warehouse.",
    epilog="""\b
Examples:
  glue query "from leaderboard"
  glue query "select * from execution_match where reason = 'order'" --format csv --output order.csv
  glue query < report.sql""",
)
@click.argument("sql", required=False)
@click.option("--file", type=FILE, metavar="FILE", help="Read the statement from this file.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["table", "csv", "json", "parquet"]),
    default="table",
    show_default=True,
    help="How rows are written; table is for reading: it rounds and cuts.",
)
@click.option("--output", type=FILE, metavar="FILE", help="Write to this file instead of stdout.")
def query(sql: str | None, file: Path | None, format_name: str, output: Path | None) -> None:
    """Run one SQL statement on the warehouse, read-only.

    The statement is the argument, a --file, or what comes on stdin.
    """
    from glue.query import output_file, terminal_width
    from glue.query import query as run_query

    text = _statement(sql, file)
    is_terminal = sys.stdout.isatty() and output is None
    if format_name == "parquet" and is_terminal:
        raise click.UsageError(
            "a terminal cannot show Parquet: give --output FILE", click.get_current_context()
        )
    width = terminal_width() if is_terminal else None
    if output is None:
        notes = run_query(Home.current(), text, format_name, _stdout(), width=width, is_styled=is_terminal)
    else:
        with output_file(output) as out:
            notes = run_query(Home.current(), text, format_name, out)
    for note in notes:
        say(f"note: {note}")


def _stdout() -> IO[bytes]:
    sys.stdout.flush()
    return sys.stdout.buffer


def _statement(sql: str | None, file: Path | None) -> str:
    if sql is not None and sql != "-" and file is not None:
        raise click.UsageError("a statement and --file are one too many", click.get_current_context())
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise GlueError(f"cannot read {file}: {error}", "give a text file of SQL") from error
    if sql is not None and sql != "-":
        return sql
    if sys.stdin.isatty():
        raise click.UsageError("no statement", click.get_current_context())
    return sys.stdin.read()
