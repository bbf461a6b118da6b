"""What the commands of `glue import` share: their options, and landing what was read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from glue.cli_output import print_import
from glue.cli_parts import FILE, OptionDecorator, command_line
from glue.home import Home

if TYPE_CHECKING:
    from glue.importers.common import ImportBatch

NAME = click.option("--name", required=True, metavar="BENCHMARK", help="The benchmark's name from now on.")
QUESTIONS = click.option("--questions", type=FILE, metavar="FILE", required=True, help="The questions' file.")
DATABASES = click.option("--databases", type=FILE, metavar="DIR", help="Folder of the database files.")
REPLACE = click.option(
    "--replace", is_flag=True, help="Let this import count instead of one of the same name."
)


def dialect_option(default: str | None) -> OptionDecorator:
    return click.option(
        "--dialect",
        default=default,
        show_default=default is not None,
        metavar="NAME",
        help="SQL dialect, by sqlglot's name.",
    )


def land_and_tell(batch: ImportBatch, replace: bool) -> str:
    """Land a batch and print its report; the name of what was imported."""
    from glue.importers.common import land

    report = land(Home.current(), batch, replace=replace, command=command_line())
    print_import(report)
    return report.prediction_set or report.benchmark


def on_database() -> Callable[[int, int, str], None] | None:
    """Shows on a terminal which database is being read; nothing elsewhere."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int, what: str) -> None:
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r\x1b[Kreading databases: {done} of {total}  {what}{end}")
        sys.stderr.flush()

    return show
