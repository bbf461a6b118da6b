"""The command line: parses and prints. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from glue import __version__, cli_embed, cli_generate, cli_study
from glue.cli_output import say, say_error
from glue.errors import GlueError, nearest
from glue.home import Home

if TYPE_CHECKING:
    from glue.importers.common import ImportBatch
    from glue.progress import Progress
    from glue.run import ExecuteOptions, ExecuteReport

FILE = click.Path(path_type=Path)
CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class PoliteGroup(click.Group):
    """A group that shows its commands in the order in which people need them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of definition."""
        return list(self.commands)


class Size(click.ParamType):
    """A number of bytes: 500MB, 2GB, 1.5g."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Bytes; a usage error when it is none."""
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        unit = text[-1:] if text[-1:].isalpha() else ""
        try:
            return int(float(text.removesuffix(unit)) * _SIZES[unit])
        except (ValueError, KeyError):
            self.fail(f"{value!r} is no size; write 500MB or 2GB", param, ctx)


class Seconds(click.ParamType):
    """A positive number of seconds."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds; a usage error when it is no positive number."""
        try:
            seconds = float(str(value).strip().removesuffix("s"))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < 1e9:
            self.fail(f"{value!r} is no time limit; write seconds, such as 30", param, ctx)
        return seconds


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run glue and exit: 0 done, 1 an error to act on, 2 a senseless command line, 130 interrupted."""
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        code = cli.main(args=arguments, prog_name="glue", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        sys.exit(2)
    except click.UsageError as error:
        message, hint = _usage(error)
        say_error(message, hint)
        sys.exit(2)
    except click.ClickException as error:
        say_error(error.format_message(), None)
        sys.exit(1)
    except GlueError as error:
        say_error(error.message, error.hint)
        sys.exit(1)
    except click.Abort:
        say("stopped; what has landed stays, and the same command goes on from there")
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: click.UsageError) -> tuple[str, str | None]:
    """Message and hint of a usage error: the nearest name where one is close, else where the help is."""
    possibilities = getattr(error, "possibilities", None)
    where = error.ctx.command_path if error.ctx else "glue"
    if isinstance(error, click.NoSuchOption):
        message = f"`{where}` has no option {error.option_name}"
        close = possibilities or ([near] if (near := _near_option(error)) else [])
    elif type(error).__name__ == "NoSuchCommand":
        name = getattr(error, "command_name", "")
        message = f"`{where}` has no command {name!r}"
        known = (
            list(error.ctx.command.commands)
            if error.ctx and isinstance(error.ctx.command, click.Group)
            else []
        )
        close = possibilities or ([near] if (near := nearest(name, known)) else [])
    else:
        return error.format_message().rstrip("."), f"see `{where} --help`"
    if close:
        return message, f"did you mean {close[0]}?"
    return message, f"see `{where} --help`"


def _near_option(error: click.NoSuchOption) -> str | None:
    if error.ctx is None:
        return None
    known = [name for parameter in error.ctx.command.params for name in parameter.opts]
    return nearest(error.option_name, known)


def _command_line(secret: str | None = None, shown: str = "") -> str:
    """This command as typed, for whoever asks who holds a lock; `shown` stands in for what is `secret`."""
    words = [word.replace(secret, shown) if secret else word for word in sys.argv[1:]]
    return "glue " + " ".join(words)[:200]


def _progress() -> Progress:
    from glue.progress import progress_on

    return progress_on()


def _options(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Several click options as one decorator, in their order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@click.group(
    cls=PoliteGroup,
    context_settings=CONTEXT,
    epilog="""\b
Examples:
  glue bank load sqlite
  glue generate --model control/gold --benchmark enterprise
  glue execute
  glue build
  glue query "from leaderboard"

EVALHOUSE_HOME (default: the current folder) holds landing/, exports/ and warehouse.duckdb.""",
)
@click.version_option(__version__, "-V", "--version", prog_name="glue")
def cli() -> None:
    """Evalhouse: exact verdicts on text-to-SQL, every number a SQL query away."""


# --------------------------------------------------------------------------- import

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


def _dialect(default: str | None) -> Callable[..., Any]:
    return click.option(
        "--dialect",
        default=default,
        show_default=default is not None,
        metavar="NAME",
        help="SQL dialect, by sqlglot's name.",
    )


def _land(batch: ImportBatch, replace: bool) -> str:
    """Land a batch and print its report; the name of what was imported."""
    from glue.cli_output import print_import
    from glue.importers.common import land

    report = land(Home.current(), batch, replace=replace, command=_command_line())
    print_import(report)
    return report.prediction_set or report.benchmark


@cli.group("import", cls=PoliteGroup, short_help="Bring in benchmarks, databases, predictions.")
def import_() -> None:
    """Bring in benchmarks, databases and predictions.

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
@_options(_name, _questions, _tables, _databases)
@click.option(
    "--descriptions", type=FILE, metavar="DIR", help="Folder of the database_description CSV files."
)
@click.option("--column-meaning", type=FILE, metavar="FILE", help="Column meanings' JSON file.")
@click.option("--tied", type=FILE, metavar="FILE", help="Further accepted golds (dev_tied_append.json).")
@_options(_dialect("sqlite"), _replace)
def import_bird(
    name: str,
    questions: Path,
    tables: Path | None,
    databases: Path | None,
    descriptions: Path | None,
    column_meaning: Path | None,
    tied: Path | None,
    dialect: str,
    replace: bool,
) -> None:
    """Import a benchmark in BIRD's format.

    A database without its file is a catalog entry; its questions are in no denominator.
    """
    from glue.importers.bird import read_bird

    batch = read_bird(
        name,
        questions,
        tables=tables,
        databases=databases,
        descriptions=descriptions,
        column_meaning=column_meaning,
        tied=tied,
        dialect=dialect,
        on_progress=_on_database(),
    )
    _land(batch, replace)


@import_.command(
    "spider",
    short_help="A benchmark in Spider's format.",
    epilog="""\b
Example:
  glue import spider --name spider_dev --questions dev.json --tables tables.json --databases database""",
)
@_options(_name, _questions, _tables, _databases)
@click.option("--all-databases", is_flag=True, help="Also the databases that no question asks.")
@click.option("--id-field", metavar="FIELD", help="Field of the question's id (default: its position).")
@_options(_dialect("sqlite"), _replace)
def import_spider(
    name: str,
    questions: Path,
    tables: Path | None,
    databases: Path | None,
    all_databases: bool,
    id_field: str | None,
    dialect: str,
    replace: bool,
) -> None:
    """Import a benchmark in Spider's format."""
    from glue.importers.spider import read_spider

    batch = read_spider(
        name,
        questions,
        tables=tables,
        databases=databases,
        all_databases=all_databases,
        id_field=id_field,
        dialect=dialect,
        on_progress=_on_database(),
    )
    _land(batch, replace)


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
Example:
  glue import jsonl --name ours --questions questions.jsonl --databases databases""",
)
@_options(_name, _questions, _databases)
@click.option(
    "--gold-notation",
    type=click.Choice(["plain", "defog"]),
    default="plain",
    show_default=True,
    help="defog: ; separates golds, {a,b} is any choice of columns.",
)
@_options(_dialect(None), _replace)
def import_jsonl(
    name: str,
    questions: Path,
    databases: Path | None,
    gold_notation: str,
    dialect: str | None,
    replace: bool,
) -> None:
    """Import your own questions: one JSON object a line (docs/formats.md)."""
    from glue.importers.jsonl import read_jsonl

    batch = read_jsonl(
        name,
        questions,
        databases=databases,
        dialect=dialect,
        gold_notation=gold_notation,
        on_progress=_on_database(),
    )
    _land(batch, replace)


@import_.command(
    "database",
    short_help="The catalog of a SQLite or DuckDB file.",
    epilog="""\b
Example:
  glue import database shop.sqlite --name ours --samples 5""",
)
@click.argument("file", type=FILE)
@click.option("--name", metavar="BENCHMARK", help="The benchmark it belongs to (default: the file's name).")
@click.option("--db-id", metavar="DB", help="The database's name (default: the file's).")
@click.option(
    "--samples",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=5,
    default=0,
    metavar="[N]",
    help="Keep N sample values of each column (5 where N is left out).",
)
@_replace
def import_database(file: Path, name: str | None, db_id: str | None, samples: int, replace: bool) -> None:
    """Import the catalog of a SQLite or DuckDB file: tables, columns, keys, comments, row counts."""
    from glue.importers.database import read_database

    _land(read_database(file, name, db_id, samples), replace)


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

_benchmark = click.option(
    "--benchmark", required=True, metavar="BENCHMARK", help="The benchmark they answer."
)
_set_name = click.option("--name", metavar="SET", help="The prediction set's name (default: the file's).")

_prediction_options = _options(
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


def _import_predictions(file: Path, benchmark: str, name: str | None, given: dict[str, Any]) -> str:
    """Import a prediction file; the set's name."""
    from glue.generate import check_not_generated
    from glue.importers.landed import landed_benchmark
    from glue.importers.prediction_files import FileOptions
    from glue.importers.predictions import PredictionOptions, read_predictions
    from glue.run import default_set_name

    options = PredictionOptions(
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
    prediction_set = name or default_set_name(file)
    check_not_generated(Home.current(), prediction_set)
    landed = landed_benchmark(Home.current(), benchmark)
    return _land(read_predictions(file, landed, prediction_set, options), given["replace"])


@import_.command(
    "predictions",
    short_help="Anyone's predictions, in any format in use.",
    epilog="""\b
Examples:
  glue import predictions predict_dev.json --benchmark bird_dev --name my_model
  glue import predictions runs.json --benchmark bird_dev --records results --sql-field sql --pair question""",
)
@click.argument("file", type=FILE)
@_options(_benchmark, _set_name, _prediction_options)
def import_predictions(file: Path, benchmark: str, name: str | None, **given: Any) -> None:
    """Import anyone's predictions, in any format in use.

    Format, fields and pairing are found out and said; each can be chosen. Where the file names its database,
    question or gold, every row must agree with the benchmark.
    """
    _import_predictions(file, benchmark, name, given)


# --------------------------------------------------------------------------- embed


@cli.command(short_help="Give the texts that rankers compare their vectors.", epilog=cli_embed.EPILOG)
@_options(*cli_embed.OPTIONS)
def embed(**given: Any) -> None:
    """Embed the questions and tables of benchmarks under study, for the dense rankers.

    What has been embedded is not embedded again, and Ctrl-C loses no more than the batches under way. A
    ranking appears with the next build once every table of the pool has its vector.
    """
    typed = given["api_base"]
    shown = cli_generate.shown_address(typed)
    cli_embed.run(_command_line(typed, shown), _progress(), given)


# --------------------------------------------------------------------------- generate


@cli.command(short_help="Have a model or a control answer questions.", epilog=cli_generate.EPILOG)
@_options(*cli_generate.OPTIONS)
def generate(**given: Any) -> None:
    """Have a model answer a benchmark's questions.

    What has been answered is not asked again; every attempt is kept as it came, and Ctrl-C loses none. The
    controls need no model: gold (must be perfect), gold-rewritten (the same in other words), gold-broken (one
    thing changed), nearest-history (the honest floor), distractor (the likeliest mistake), second-gold.
    """
    typed = given["api_base"]
    command = _command_line(typed, cli_generate.shown_address(typed))
    cli_generate.run(command, _progress(), given)


# --------------------------------------------------------------------------- execute, run, build

_execute_options = _options(
    click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Processes (default: one a core)."
    ),
    click.option("--timeout", type=Seconds(), help="Limit of a prediction, in seconds (default: 30)."),
    click.option("--gold-timeout", type=Seconds(), help="Limit of a gold (default: ten times --timeout)."),
    click.option(
        "--max-rows",
        type=click.IntRange(min=1),
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
    click.option("--check-stability", is_flag=True, help="Run plan-sensitive statements both ways."),
)


def _chosen_execution(benchmarks: Iterable[str], given: dict[str, Any]) -> ExecuteOptions:
    from glue.run import ExecuteOptions

    return ExecuteOptions(
        workers=given["workers"],
        timeout_s=given["timeout"],
        gold_timeout_s=given["gold_timeout"],
        max_rows=given["max_rows"],
        max_memory_bytes=given["max_memory"],
        prepared=given["prepared"],
        check_stability=given["check_stability"],
        benchmarks=tuple(benchmarks),
    )


def _execute(benchmarks: Iterable[str], given: dict[str, Any]) -> ExecuteReport:
    """Run what is pending and print how it went."""
    from glue.cli_output import print_waves
    from glue.run import execute_pending

    options = _chosen_execution(benchmarks, given)
    report = execute_pending(Home.current(), options, _progress(), command=_command_line())
    print_waves(report)
    if report.is_interrupted:
        raise click.Abort
    return report


@cli.command(
    short_help="Run every pending statement.",
    epilog="""\b
Examples:
  glue execute
  glue execute --workers 8 --timeout 60 --gold-timeout 300""",
)
@_execute_options
@click.option("--benchmark", "benchmarks", multiple=True, metavar="BENCHMARK", help="Only its statements.")
def execute(benchmarks: tuple[str, ...], **given: Any) -> None:
    """Run every pending statement, once each, until none is left.

    Predicted SQL is held to be hostile: it runs in processes of its own that can write nothing and are
    killed a second after their limit. Ctrl-C keeps what is done.
    """
    _execute(benchmarks, given)


@cli.command(
    short_help="From a prediction file to the leaderboard; or a whole study.",
    epilog="""\b
Examples:
  glue run --predictions predict_dev.json --benchmark bird_dev --name my_model
  glue run --study budget --benchmark bird_dev --encoder minilm
  glue run --study budget --benchmark bird_dev --model openai/gpt-5-mini --sample 30 --plan""",
)
@click.option("--predictions", type=FILE, metavar="FILE", help="The prediction file.")
@_options(_benchmark, _set_name, _prediction_options, *cli_study.OPTIONS, _execute_options)
@click.pass_context
def run(ctx: click.Context, predictions: Path | None, benchmark: str, name: str | None, **given: Any) -> None:
    """From a prediction file to its row of the leaderboard: import, execute, build.

    Prints the set's metrics, what they count, and the ten most frequent reasons. The options are those of
    `glue import predictions` and `glue execute`.

    With --study budget instead of a file: put the benchmark under study, have every model answer in every
    cell, execute, build, and print the sweep. What has been answered or run is not done again.
    """
    from glue.run import build_all, set_report

    _check_run(ctx, predictions)
    study = {option: given.pop(option) for option in cli_study.NAMES}
    if study["study"] is not None:
        typed = study["api_base"]
        command = _command_line(typed, cli_generate.shown_address(typed))
        cli_study.run(command, _progress(), benchmark, _chosen_execution([benchmark], given), study)
        return
    assert predictions is not None
    prediction_set = _import_predictions(predictions, benchmark, name, given)
    _execute([benchmark], given)
    say("building the warehouse …")
    build_all(Home.current())
    _print_set(set_report(Home.current(), prediction_set, benchmark))


def _check_run(ctx: click.Context, predictions: Path | None) -> None:
    """A usage error unless the options are those of a prediction file, or those of a study."""
    study = ctx.params["study"]
    if (predictions is None) == (study is None):
        raise click.UsageError("give --predictions FILE, or --study budget", ctx)
    import_options = {"predictions", "name", *_named(_prediction_options)}
    study_options = set(cli_study.NAMES)
    foreign = import_options if study else study_options
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) is click.core.ParameterSource.COMMANDLINE
        if given and parameter.name in foreign:
            whom = "a prediction file, not for a study" if study else "a study: say --study budget"
            raise click.UsageError(f"{parameter.opts[0]} is for {whom}", ctx)


def _named(options: Callable[..., Any]) -> list[str]:
    """The names of the values of some options."""
    probe: Any = options(lambda: None)
    return [str(parameter.name) for parameter in probe.__click_params__]


def _print_set(report: Any) -> None:
    from glue.cli_output import print_table
    from glue.run import METRIC_COLUMNS, REASON_COLUMNS

    counts = report.coverage
    print(f"\n{report.prediction_set} on {report.benchmark}")
    if counts:
        n_left = counts["n_questions_without_database"] + counts["n_questions_with_failed_gold"]
        print(
            f"{counts['n_questions'] - n_left:,} of {counts['n_questions']:,} questions can be scored: "
            f"{counts['n_questions_without_database']:,} have no database, "
            f"{counts['n_questions_with_failed_gold']:,} no gold that answers"
        )
        if counts["n_unfinished"]:
            print(f"{counts['n_unfinished']:,} predictions are unfinished: the values will change")
        if counts["n_provisional"]:
            print(f"{counts['n_provisional']:,} verdicts are provisional: the untouched files were not asked")
    print()
    print_table(METRIC_COLUMNS, report.metrics)
    print("\nthe most frequent reasons")
    print_table(REASON_COLUMNS, report.reasons)


@cli.command(
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


# --------------------------------------------------------------------------- query, doctor


@cli.command(
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


@cli.command(
    short_help="Say what is installed and what is missing.",
    epilog="""\b
Example:
  glue doctor""",
)
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Say what is installed, reachable and missing, with the command that mends it.

    Fails (exit code 1) only when importing, executing, building or querying cannot work.
    """
    from glue.cli_output import print_findings
    from glue.doctor import examine, is_broken

    findings = examine(Home.current())
    print_findings(findings)
    ctx.exit(1 if is_broken(findings) else 0)


# --------------------------------------------------------------------------- manifest


@cli.command(
    short_help="Say what the numbers rest on.",
    epilog="""\b
Examples:
  glue manifest --output manifest.json
  glue manifest --check manifest.json
  glue manifest --check manifest.json --ignore version --ignore source""",
)
@click.option("--output", type=FILE, metavar="FILE", help="Write to this file instead of stdout.")
@click.option("--check", type=FILE, metavar="FILE", help="Say what differs from this stored manifest.")
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="KIND",
    help="With --check: leave entries of this kind out; may be repeated.",
)
@click.pass_context
def manifest(ctx: click.Context, output: Path | None, check: Path | None, ignored: tuple[str, ...]) -> None:
    """Say what the numbers rest on, as JSON: digests of inputs, versions, settings, seeds.

    With --check, what was added, removed or changed since; then the exit code is 1 where anything differs.
    Kinds of entries: see docs/manifest.md.
    """
    from glue.cli_manifest import check_manifest, write_manifest

    if check is None:
        if ignored:
            raise click.UsageError("--ignore is for --check", ctx)
        write_manifest(Home.current(), output)
        return
    if output is not None:
        raise click.UsageError("--check and --output are one too many", ctx)
    ctx.exit(check_manifest(Home.current(), check, ignored))


# --------------------------------------------------------------------------- bank, landing


@cli.group(cls=PoliteGroup, short_help="The bank that comes with Evalhouse.")
def bank() -> None:
    """The bank that comes with Evalhouse: databases and questions of its own."""


@bank.command(
    "load",
    epilog="""\b
Example:
  glue bank load sqlite
  glue bank load duckdb --instance t1a-007""",
)
@click.argument("engine", type=click.Choice(["sqlite", "duckdb"]))
@click.option(
    "--instance",
    "instances",
    multiple=True,
    metavar="NAME",
    help="D: the base data (default). D': every question's supplementary instance. t1a-007: that one's.",
)
def bank_load(engine: str, instances: tuple[str, ...]) -> None:
    """Make the bank's database files and import them as a benchmark (enterprise, enterprise_duckdb).

    Supplementary instances, whose rows at the edges tell right answers from lucky ones, are a benchmark of
    their own (enterprise_supplementary, enterprise_supplementary_duckdb): a database to each question.
    """
    from glue.bank import load_bank
    from glue.cli_output import print_import

    print_import(load_bank(Home.current(), engine, _command_line(), instances))


@bank.command(
    "show",
    epilog="""\b
Example:
  glue bank show t1a-014 t1b-040
  glue bank show --all | less""",
)
@click.argument("question_ids", nargs=-1, metavar="[QUESTION_ID]...")
@click.option("--all", "is_all", is_flag=True, help="Every question of the bank.")
def bank_show(question_ids: tuple[str, ...], is_all: bool) -> None:
    """Print questions to be read: intent, gold, distractor, second gold, D′, and where the results part.

    The results are those of DuckDB, on the base data D and on the question's supplementary instance D′.
    """
    from glue.bank import read_manifest
    from glue.bank.showing import question_cards
    from glue.cli_output import print_card

    manifest = read_manifest()
    names = [question.question_id for question in manifest.questions] if is_all else list(question_ids)
    if not names:
        raise GlueError("no question is named", "name some, e.g. glue bank show t1a-014, or say --all")
    for card in question_cards(manifest, names):
        print_card(card)


@cli.group(cls=PoliteGroup, short_help="Look after what has landed.")
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
    from glue.cli_output import print_table
    from glue.landing import compact

    done = compact(Home.current(), command=_command_line())
    rows = [
        (table, it.n_files_before, it.n_files_after, it.n_rows_before, it.n_rows_after)
        for table, it in done.items()
        if it.n_files_before
    ]
    if rows:
        print_table(["table", "files before", "files after", "rows before", "rows after"], rows)
    else:
        print("nothing has landed yet")


if __name__ == "__main__":
    main()
