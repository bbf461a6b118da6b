"""`glue import`: the commands that bring in benchmarks, databases, predictions, histories and reviews."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from glue.cli_import_own import import_database, import_defog, import_jsonl
from glue.cli_import_parts import (
    DATABASES,
    NAME,
    QUESTIONS,
    REPLACE,
    dialect_option,
    land_and_tell,
    on_database,
)
from glue.cli_import_predictions import import_predictions
from glue.cli_parts import FILE, PoliteGroup, options
from glue.home import Home

_TABLES = click.option(
    "--tables", type=FILE, metavar="FILE", help="The schemas' JSON file (dev_tables.json, tables.json)."
)


@click.group("import", cls=PoliteGroup, short_help="Bring in benchmarks, databases, predictions, logs.")
def import_() -> None:
    """Bring in benchmarks, databases, predictions and query logs.

    Every import ends with a table of what came, what was refused and why. Importing the same files again does
    nothing; other files under the same name need --replace.
    """


@import_.command(
    "bird",
    short_help="A benchmark in BIRD's format.",
    epilog="""\b
Example:
  glue import bird --name bird_dev --questions dev.json --tables dev_tables.json --databases dev_databases""",
)
@options(NAME, QUESTIONS, _TABLES, DATABASES)
@click.option(
    "--descriptions", type=FILE, metavar="DIR", help="Folder of the database_description CSV files."
)
@click.option("--column-meaning", type=FILE, metavar="FILE", help="Column meanings' JSON file.")
@click.option("--tied", type=FILE, metavar="FILE", help="Further accepted golds (dev_tied_append.json).")
@options(dialect_option("sqlite"), REPLACE)
def import_bird(name: str, questions: Path, replace: bool, **given: Any) -> None:
    """Import a benchmark in BIRD's format.

    A database without its file is a catalog entry; its questions are in no denominator.
    """
    from glue.importers.bird import read_bird

    land_and_tell(read_bird(name, questions, **given, on_progress=on_database()), replace)


@import_.command(
    "spider",
    short_help="A benchmark in Spider's format.",
    epilog="""\b
Example:
  glue import spider --name spider_dev --questions dev.json --tables tables.json --databases database""",
)
@options(NAME, QUESTIONS, _TABLES, DATABASES)
@click.option("--all-databases", is_flag=True, help="Also the databases that no question asks.")
@click.option("--id-field", metavar="FIELD", help="Field of the question's id (default: its position).")
@options(dialect_option("sqlite"), REPLACE)
def import_spider(name: str, questions: Path, replace: bool, **given: Any) -> None:
    """Import a benchmark in Spider's format."""
    from glue.importers.spider import read_spider

    land_and_tell(read_spider(name, questions, **given, on_progress=on_database()), replace)


@import_.command(
    "beaver",
    short_help="BEAVER's schemas, questions and golds, without rows.",
    epilog="""\b
Examples:
  glue import beaver beaver
  glue import beaver beaver --dialect mysql""",
)
@click.argument("folder", type=FILE)
@click.option(
    "--dialect",
    type=click.Choice(["oracle", "mysql"]),
    default="oracle",
    show_default=True,
    help="SQL dialect of the golds: oracle has the questions of database dw alone, mysql all.",
)
@click.option(
    "--name",
    metavar="BENCHMARK",
    help="The benchmark's name from now on (default: beaver; with --dialect mysql, beaver_mysql).",
)
@REPLACE
def import_beaver(folder: Path, dialect: str, name: str | None, replace: bool) -> None:
    """Import BEAVER: FOLDER holds dev_tables.json, dev_dw.json and dev_nw.json.

    Its files hold no rows: a model can be asked and its SQL read, but nothing can be executed or scored
    before `glue import database` brings a database that has them (docs/formats.md).
    """
    from glue.importers.beaver import read_beaver

    land_and_tell(read_beaver(folder, dialect, name), replace)


@import_.command(
    "mschema",
    short_help="M-Schema files, into a benchmark's catalog.",
    epilog="""\b
Example:
  glue import mschema --name bird_dev --schemas mschema/""",
)
@NAME
@click.option(
    "--schemas", type=FILE, metavar="PATH", required=True, help="Folder of .mschema files, or one file."
)
@click.option("--db-id", "db_ids", multiple=True, metavar="DB", help="Only this database; may be repeated.")
@click.option("--column-meaning", type=FILE, metavar="FILE", help="Column meanings' JSON file.")
@REPLACE
def import_mschema(
    name: str, schemas: Path, db_ids: tuple[str, ...], column_meaning: Path | None, replace: bool
) -> None:
    """Import M-Schema files into a benchmark's catalog, beside what other imports say of it."""
    from glue.importers.mschema import read_mschema

    land_and_tell(read_mschema(name, schemas, db_ids or None, column_meaning), replace)


for _command in (import_jsonl, import_defog, import_database, import_predictions):
    import_.add_command(_command)


# --------------------------------------------------------------------------- histories


@import_.command(
    "bird-history",
    short_help="Tasks in BIRD-History's format.",
    epilog="""\b
Example:
  glue import bird-history bird_history.json --history bird_dev --benchmark bird_history""",
)
@click.argument("file", type=FILE)
@click.option(
    "--history",
    required=True,
    metavar="BENCHMARK",
    help="The benchmark whose golds are the past queries; its schemas and database files are used.",
)
@click.option("--benchmark", required=True, metavar="BENCHMARK", help="The tasks' name from now on.")
@REPLACE
def import_bird_history(file: Path, history: str, benchmark: str, replace: bool) -> None:
    """Import tasks in BIRD-History's format: questions, golds, and the past queries that help with them."""
    from glue.importers.bird_history import read_bird_history

    land_and_tell(read_bird_history(Home.current(), benchmark, file, history), replace)


@import_.command(
    "history",
    short_help="A query log.",
    epilog="""\b
Example:
  glue import history query_log.csv --name warehouse_log --benchmark ours""",
)
@click.argument("file", type=FILE)
@click.option("--name", required=True, metavar="LOG", help="The log's name from now on.")
@click.option(
    "--benchmark", required=True, metavar="BENCHMARK", help="The benchmark whose databases it asks."
)
@click.option("--db-id", metavar="DB", help="The database of queries that name none.")
@REPLACE
def import_history(file: Path, name: str, benchmark: str, db_id: str | None, replace: bool) -> None:
    """Import a query log: JSON lines, a JSON list, CSV or TSV (docs/formats.md).

    Failed statements and repetitions land too; model history_queries says what is left out, and why.
    """
    from glue.importers.query_logs import read_query_log

    land_and_tell(read_query_log(Home.current(), file, name, benchmark, db_id), replace)


@import_.command(
    "reviews",
    short_help="Human reviews of drafted tasks.",
    epilog="""\b
Example:
  glue import reviews reviews.csv --benchmark bird_history""",
)
@click.argument("file", type=FILE)
@click.option(
    "--benchmark", required=True, metavar="BENCHMARK", help="The benchmark whose tasks they review."
)
@REPLACE
def import_reviews(file: Path, benchmark: str, replace: bool) -> None:
    """Import human reviews of tasks: both rounds, the discussion's outcome, the senior's decision."""
    from glue.importers.reviews import read_reviews

    land_and_tell(read_reviews(Home.current(), file, benchmark), replace)
