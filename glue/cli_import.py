"""`glue import`: the commands that bring in benchmarks, databases, predictions, histories and reviews."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue.cli_output import print_import
from glue.cli_parts import FILE, OptionDecorator, PoliteGroup, command_line, options, parts_of
from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    from glue.importers.common import ImportBatch
    from glue.importers.live_questions import LiveDatabases

_name = click.option("--name", required=True, metavar="BENCHMARK", help="The benchmark's name from now on.")
_questions = click.option(
    "--questions", type=FILE, metavar="FILE", required=True, help="The questions' file."
)
_tables = click.option(
    "--tables", type=FILE, metavar="FILE", help="The schemas' JSON file (dev_tables.json, tables.json)."
)
_databases = click.option("--databases", type=FILE, metavar="DIR", help="Folder of the database files.")
_replace = click.option(
    "--replace", is_flag=True, help="Let this import count instead of one of the same name."
)


def _dialect(default: str | None) -> OptionDecorator:
    return click.option(
        "--dialect",
        default=default,
        show_default=default is not None,
        metavar="NAME",
        help="SQL dialect, by sqlglot's name.",
    )


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


def _land(batch: ImportBatch, replace: bool) -> str:
    """Land a batch and print its report; the name of what was imported."""
    from glue.importers.common import land

    report = land(Home.current(), batch, replace=replace, command=command_line())
    print_import(report)
    return report.prediction_set or report.benchmark


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
@options(_name, _questions, _tables, _databases)
@click.option(
    "--descriptions", type=FILE, metavar="DIR", help="Folder of the database_description CSV files."
)
@click.option("--column-meaning", type=FILE, metavar="FILE", help="Column meanings' JSON file.")
@click.option("--tied", type=FILE, metavar="FILE", help="Further accepted golds (dev_tied_append.json).")
@options(_dialect("sqlite"), _replace)
def import_bird(name: str, questions: Path, replace: bool, **given: Any) -> None:
    """Import a benchmark in BIRD's format.

    A database without its file is a catalog entry; its questions are in no denominator.
    """
    from glue.importers.bird import read_bird

    _land(read_bird(name, questions, **given, on_progress=_on_database()), replace)


@import_.command(
    "spider",
    short_help="A benchmark in Spider's format.",
    epilog="""\b
Example:
  glue import spider --name spider_dev --questions dev.json --tables tables.json --databases database""",
)
@options(_name, _questions, _tables, _databases)
@click.option("--all-databases", is_flag=True, help="Also the databases that no question asks.")
@click.option("--id-field", metavar="FIELD", help="Field of the question's id (default: its position).")
@options(_dialect("sqlite"), _replace)
def import_spider(name: str, questions: Path, replace: bool, **given: Any) -> None:
    """Import a benchmark in Spider's format."""
    from glue.importers.spider import read_spider

    _land(read_spider(name, questions, **given, on_progress=_on_database()), replace)


@import_.command(
    "mschema",
    short_help="M-Schema files, into a benchmark's catalog.",
    epilog="""\b
Example:
  glue import mschema --name bird_dev --schemas mschema/""",
)
@_name
@click.option(
    "--schemas", type=FILE, metavar="PATH", required=True, help="Folder of .mschema files, or one file."
)
@click.option("--db-id", "db_ids", multiple=True, metavar="DB", help="Only this database; may be repeated.")
@click.option("--column-meaning", type=FILE, metavar="FILE", help="Column meanings' JSON file.")
@_replace
def import_mschema(
    name: str, schemas: Path, db_ids: tuple[str, ...], column_meaning: Path | None, replace: bool
) -> None:
    """Import M-Schema files into a benchmark's catalog, beside what other imports say of it."""
    from glue.importers.mschema import read_mschema

    _land(read_mschema(name, schemas, db_ids or None, column_meaning), replace)


@import_.command(
    "jsonl",
    short_help="Your own questions, as JSON lines.",
    epilog="""\b
Examples:
  glue import jsonl --name ours --questions questions.jsonl --databases databases
  glue import jsonl --name ours --questions questions.jsonl --connection shop""",
)
@options(_name, _questions, _databases)
@click.option(
    "--gold-notation",
    type=click.Choice(["plain", "defog"]),
    default="plain",
    show_default=True,
    help="defog: ; separates golds, {a,b} is any choice of columns.",
)
@options(_connection, _schemas, _snapshot, _dialect(None), _replace)
def import_jsonl(
    name: str,
    questions: Path,
    databases: Path | None,
    connection: str | None,
    schemas: tuple[str, ...],
    snapshot: str | None,
    gold_notation: str,
    dialect: str | None,
    replace: bool,
) -> None:
    """Import your own questions: one JSON object a line (docs/formats.md).

    With --connection the databases they ask are there: what `glue import database --connection` has selected,
    else the schemas of the same names, else the connection's own.
    """
    from glue.importers.jsonl import read_jsonl

    live = _live_databases(connection, schemas, snapshot, databases)
    batch = read_jsonl(
        name,
        questions,
        databases=databases,
        dialect=dialect,
        gold_notation=gold_notation,
        on_progress=_on_database(),
        live=live,
    )
    _land(batch, replace)


@import_.command(
    "defog",
    short_help="Defog's question files (sql-eval).",
    epilog="""\b
Examples:
  glue import defog --name defog --questions questions_gen_sqlite.csv --databases databases
  glue import defog --name defog_pg --questions basic_postgres.csv --questions advanced_postgres.csv
  glue import defog --name defog_pg --questions questions_gen_postgres.csv --connection shop""",
)
@_name
@click.option(
    "--questions",
    type=FILE,
    metavar="FILE",
    required=True,
    multiple=True,
    help="A CSV file of questions; may be repeated.",
)
@_databases
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
@options(_connection, _schemas, _snapshot, _replace)
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
    batch = read_defog(name, questions, databases=databases, **given, on_progress=_on_database(), live=live)
    _land(batch, replace)


@import_.command(
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
@options(_snapshot, _replace)
def import_database(
    file: Path | None,
    name: str | None,
    db_id: str | None,
    connection: str | None,
    schemas: tuple[str, ...],
    tables: tuple[str, ...],
    samples: int,
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
        from glue.connections import stored_connection
        from glue.importers.live import Selection, read_live_database

        found = stored_connection(Home.current(), connection)
        chosen = Selection(parts_of(schemas), parts_of(tables), samples, snapshot)
        _land(read_live_database(found, chosen, name or connection, db_id), replace)
        return
    assert file is not None
    if schemas or tables or snapshot:
        raise GlueError("--schemas, --tables and --snapshot are of a live database", "leave them out")
    from glue.importers.database import read_database

    _land(read_database(file, name, db_id, samples), replace)


def _as_typed(path: Path) -> str:
    """A path that was a URL before `//` became `/`."""
    return re.sub(r"^([A-Za-z][\w+.-]*):/(?!/)", r"\1://", str(path))


def _on_database() -> Callable[[int, int, str], None] | None:
    """Shows on a terminal which database is being read; nothing elsewhere."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int, what: str) -> None:
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r\x1b[Kreading databases: {done} of {total}  {what}{end}")
        sys.stderr.flush()

    return show


# --------------------------------------------------------------------------- predictions

BENCHMARK = click.option("--benchmark", required=True, metavar="BENCHMARK", help="The benchmark they answer.")
_set_name = click.option("--name", metavar="SET", help="The prediction set's name (default: the file's).")
PREDICTION_OPTIONS = (
    click.option(
        "--format", "format_name", metavar="FORMAT", help="How the file is written (docs/formats.md)."
    ),
    click.option("--sql-field", metavar="FIELD", help="Field that holds the SQL."),
    click.option("--id-field", metavar="FIELD", help="Field that holds the question's id."),
    click.option(
        "--gold-field", metavar="FIELD", help="Field of the file's own golds: an edition of their own."
    ),
    click.option("--gold-edition", metavar="NAME", help="That edition's name (default: the set's)."),
    click.option(
        "--sample-field", metavar="FIELD", help="Field of the sample's number, where there are several."
    ),
    click.option("--records", metavar="KEY", help="Key of the nested list that holds the entries."),
    click.option(
        "--pair",
        type=click.Choice(["id", "position", "question"]),
        help="How entries find their questions (default: found out, and said).",
    ),
    click.option("--partial", is_flag=True, help="Only the questions in the file were asked."),
    click.option("--ignore-gold", is_flag=True, help="Do not hold the file's golds against the benchmark's."),
    click.option("--ignore-question", is_flag=True, help="Nor its questions' texts."),
    click.option(
        "--namespace",
        type=click.Choice(["prefixed", "bare"]),
        help="They name tables as a study's pool does (docs/namespace.md).",
    ),
    _dialect(None),
    _replace,
)
"""How a file of predictions is read; what the set is called is said apart."""


def import_prediction_file(file: Path, benchmark: str, given: dict[str, Any]) -> str:
    """Import predictions, by --name and PREDICTION_OPTIONS, and print the report; the set's name.

    GlueError where the file cannot be read or does not fit the benchmark.
    """
    from glue.generate import check_not_generated
    from glue.importers.landed import landed_benchmark
    from glue.importers.prediction_files import FileOptions
    from glue.importers.predictions import PredictionOptions, read_predictions
    from glue.run import default_set_name

    how = PredictionOptions(
        file=FileOptions(
            format=given["format_name"],
            sql_field=given["sql_field"],
            id_field=given["id_field"],
            gold_field=given["gold_field"],
            sample_field=given["sample_field"],
            records=given["records"],
        ),
        pair=given["pair"],
        gold_edition=given["gold_edition"],
        is_partial=given["partial"],
        ignore_gold=given["ignore_gold"],
        ignore_question=given["ignore_question"],
        dialect=given["dialect"],
        namespace=given["namespace"],
    )
    prediction_set = default_set_name(file) if given["name"] is None else given["name"]
    check_not_generated(Home.current(), prediction_set)
    landed = landed_benchmark(Home.current(), benchmark)
    return _land(read_predictions(file, landed, prediction_set, how), given["replace"])


@import_.command(
    "predictions",
    short_help="Anyone's predictions, in any format in use.",
    epilog="""\b
Examples:
  glue import predictions predict_dev.json --benchmark bird_dev --name my_model
  glue import predictions runs.json --benchmark bird_dev --records results --sql-field sql --pair question""",
)
@click.argument("file", type=FILE)
@options(BENCHMARK, _set_name, *PREDICTION_OPTIONS)
def import_predictions(file: Path, benchmark: str, **given: Any) -> None:
    """Import anyone's predictions, in any format in use.

    Format, fields and pairing are found out and said; each can be chosen. Where the file names its database,
    question or gold, every row must agree with the benchmark.
    """
    import_prediction_file(file, benchmark, given)


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
@_replace
def import_bird_history(file: Path, history: str, benchmark: str, replace: bool) -> None:
    """Import tasks in BIRD-History's format: questions, golds, and the past queries that help with them."""
    from glue.importers.bird_history import read_bird_history

    _land(read_bird_history(Home.current(), benchmark, file, history), replace)


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
@_replace
def import_history(file: Path, name: str, benchmark: str, db_id: str | None, replace: bool) -> None:
    """Import a query log: JSON lines, a JSON list, CSV or TSV (docs/formats.md).

    Failed statements and repetitions land too; model history_queries says what is left out, and why.
    """
    from glue.importers.query_logs import read_query_log

    _land(read_query_log(Home.current(), file, name, benchmark, db_id), replace)


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
@_replace
def import_reviews(file: Path, benchmark: str, replace: bool) -> None:
    """Import human reviews of tasks: both rounds, the discussion's outcome, the senior's decision."""
    from glue.importers.reviews import read_reviews

    _land(read_reviews(Home.current(), file, benchmark), replace)
