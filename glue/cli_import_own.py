"""`glue import jsonl`, `defog` and `database`: one's own questions and databases, in files or live."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue.cli_import_parts import (
    DATABASES,
    NAME,
    QUESTIONS,
    REPLACE,
    dialect_option,
    land_and_tell,
    on_database,
)
from glue.cli_parts import FILE, options, parts_of
from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    from glue.importers.live_questions import LiveDatabases

_connection = click.option(
    "--connection", metavar="NAME", help="The live database, by the name `glue connect` gave it."
)
_schemas = click.option(
    "--schemas",
    multiple=True,
    metavar="S,…",
    help="Its schemas, the first one first (default: where bare names are looked for).",
)
_snapshot = click.option("--snapshot", metavar="LABEL", help="What its state is called (default: the day).")


def _live_databases(
    connection: str | None, schemas: tuple[str, ...], snapshot: str | None, databases: Path | None
) -> LiveDatabases | None:
    """Where the databases of questions are on a server; None where they are files."""
    if connection is None:
        if schemas or snapshot:
            raise GlueError("--schemas and --snapshot are of a live database", "name it with --connection")
        return None
    if databases is not None:
        raise GlueError("--databases and --connection are two places for the databases", "choose one")
    from glue.importers.live_questions import LiveDatabases

    return LiveDatabases.of(Home.current(), connection, parts_of(schemas), snapshot)


@click.command(
    "jsonl",
    short_help="Your own questions, as JSON lines.",
    epilog="""\b
Examples:
  glue import jsonl --name ours --questions questions.jsonl --databases databases
  glue import jsonl --name ours --questions questions.jsonl --connection shop""",
)
@options(NAME, QUESTIONS, DATABASES)
@click.option(
    "--gold-notation",
    type=click.Choice(["plain", "defog"]),
    default="plain",
    show_default=True,
    help="defog: ; separates golds, {a,b} is any choice of columns.",
)
@options(_connection, _schemas, _snapshot, dialect_option(None), REPLACE)
def import_jsonl(
    name: str,
    questions: Path,
    databases: Path | None,
    connection: str | None,
    schemas: tuple[str, ...],
    snapshot: str | None,
    replace: bool,
    **given: Any,
) -> None:
    """Import your own questions: one JSON object a line (docs/formats.md).

    With --connection the databases they ask are there: what `glue import database --connection` has selected,
    else the schemas of the same names, else the connection's own.
    """
    from glue.importers.jsonl import read_jsonl

    live = _live_databases(connection, schemas, snapshot, databases)
    batch = read_jsonl(name, questions, databases=databases, **given, on_progress=on_database(), live=live)
    land_and_tell(batch, replace)


@click.command(
    "defog",
    short_help="Defog's question files (sql-eval).",
    epilog="""\b
Examples:
  glue import defog --name defog --questions questions_gen_sqlite.csv --databases databases
  glue import defog --name defog_pg --questions basic_postgres.csv --questions advanced_postgres.csv
  glue import defog --name defog_pg --questions questions_gen_postgres.csv --connection shop""",
)
@NAME
@click.option(
    "--questions",
    type=FILE,
    metavar="FILE",
    required=True,
    multiple=True,
    help="A CSV file of questions; may be repeated.",
)
@DATABASES
@click.option(
    "--evidence",
    "evidence_column",
    default="instructions",
    show_default=True,
    metavar="COLUMN",
    help="What a model may be told beside the question.",
)
@click.option(
    "--dialect",
    metavar="NAME",
    help="SQL dialect of the golds (default: column db_type, else the file's or folder's name).",
)
@options(_connection, _schemas, _snapshot, REPLACE)
def import_defog(
    name: str,
    questions: tuple[Path, ...],
    databases: Path | None,
    connection: str | None,
    schemas: tuple[str, ...],
    snapshot: str | None,
    replace: bool,
    **given: Any,
) -> None:
    """Import questions in Defog's format: CSV files, a dialect each.

    A gold's alternatives all count: ; separates them, of {a, b} any choice of columns will do. With
    --connection the databases are there, as for `glue import jsonl`.
    """
    from glue.importers.defog import read_defog

    live = _live_databases(connection, schemas, snapshot, databases)
    batch = read_defog(name, questions, databases=databases, **given, on_progress=on_database(), live=live)
    land_and_tell(batch, replace)


@click.command(
    "database",
    short_help="The catalog of a database file or a live database.",
    epilog="""\b
Examples:
  glue import database shop.sqlite --name ours --samples 5
  glue import database --connection shop --benchmark ours --schemas sales,stock --tables 'fact_*'""",
)
@click.argument("file", type=FILE, required=False)
@click.option(
    "--name",
    "--benchmark",
    "name",
    metavar="BENCHMARK",
    help="The benchmark it belongs to (default: the file's or connection's name).",
)
@click.option("--db-id", metavar="DB", help="The database's name in it (default: the file's or its own).")
@options(_connection, _schemas)
@click.option(
    "--tables", multiple=True, metavar="PATTERN", help="Only tables such as 'fact_*'; may be repeated."
)
@click.option(
    "--samples",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=5,
    default=0,
    metavar="[N]",
    help="Keep N sample values of each column (5 where N is left out); on a live database, not of those that "
    "look personal.",
)
@click.option(
    "--engine",
    type=click.Choice(["oracle-local", "mssql-local"]),
    help="Answers on a DuckDB FILE in Oracle's SQL or T-SQL, where it was not loaded for that already.",
)
@options(_snapshot, REPLACE)
def import_database(
    file: Path | None,
    name: str | None,
    db_id: str | None,
    connection: str | None,
    schemas: tuple[str, ...],
    tables: tuple[str, ...],
    samples: int,
    engine: str | None,
    snapshot: str | None,
    replace: bool,
) -> None:
    """Import a catalog: tables, views, columns, types, keys, comments, row counts.

    Of a SQLite or DuckDB FILE, or of a live database by its --connection (docs/connections.md says what is
    read there, and which columns look personal).
    """
    from glue.connection_urls import is_server_url

    if file is not None and is_server_url(_as_typed(file)):
        raise GlueError(
            "a live database is imported by the name of its connection",
            "glue connect NAME URL, then glue import database --connection NAME",
        )
    if (file is None) == (connection is None):
        raise GlueError("the catalog is of a FILE or of a --connection", "name one of them")
    if connection is not None:
        if engine is not None:
            raise GlueError("--engine is of a DuckDB FILE", "leave it out: the connection has its engine")
        from glue.connections import stored_connection
        from glue.importers.live import Selection, read_live_database

        found = stored_connection(Home.current(), connection)
        chosen = Selection(parts_of(schemas), parts_of(tables), samples, snapshot)
        land_and_tell(read_live_database(found, chosen, name or connection, db_id), replace)
        return
    assert file is not None
    if schemas or tables or snapshot:
        raise GlueError("--schemas, --tables and --snapshot are of a live database", "leave them out")
    from glue.importers.database import read_database

    land_and_tell(read_database(file, name, db_id, samples, engine), replace)


def _as_typed(path: Path) -> str:
    """A path that was a URL before `//` became `/`."""
    return re.sub(r"^([A-Za-z][\w+.-]*):/(?!/)", r"\1://", str(path))
