"""`glue dialect`: what Oracle and SQL Server say to a query, and whether the local ones answer as they do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue.cli_output import print_table, say
from glue.cli_parts import FILE, PoliteGroup
from glue.errors import GlueError, counted
from glue.home import Home

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from glue.dialects.check import Check
    from glue.dialects.conformance import Result

_DIALECT = click.option(
    "--dialect", type=click.Choice(["oracle", "tsql"]), required=True, help="Whose SQL it is."
)
_FORMAT = click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: one object a line.",
)


@click.group("dialect", cls=PoliteGroup, short_help="Oracle's and SQL Server's SQL without a server.")
def dialect() -> None:
    """Oracle's and SQL Server's SQL: what they say to a query, and how true the local ones are."""


@dialect.command(
    "check",
    short_help="Say what a server would say to a query.",
    epilog="""\b
Examples:
  glue dialect check "select name from staff limit 5" --dialect oracle
  glue dialect check "select nmae from staff" --dialect oracle --database hr.duckdb
  glue dialect check "select 1 from a except select 2 from b" --dialect oracle --version 21
  glue dialect check --dialect tsql < query.sql""",
)
@click.argument("sql", required=False)
@_DIALECT
@click.option(
    "--database",
    metavar="FILE|NAME",
    help="A SQLite or DuckDB file or an imported database, whose tables and columns names must be.",
)
@click.option(
    "--version", type=int, metavar="N", help="The server's version: 19 of Oracle, 2022 of SQL Server."
)
@_FORMAT
@click.pass_context
def check(
    ctx: click.Context,
    sql: str | None,
    dialect: str,
    database: str | None,
    version: int | None,
    format_name: str,
) -> None:
    """Say whether a server refuses a query, with its code and where, or takes it.

    A query that is refused may be valid elsewhere: by the grammar and functions of Oracle, SQL Server,
    PostgreSQL, MySQL, SQLite and DuckDB. Names are resolved only with a --database.

    Fails (exit code 1) for a query that is refused, or that is not supported here.
    """
    from glue.dialects.check import check as run_check
    from glue.dialects.check import tables_of

    text = _statement(sql)
    tables = None if database is None else tables_of(database, dialect, Home.current())
    said = run_check(text, dialect, tables, version)
    if format_name == "json":
        print(json.dumps(_check_fields(said, dialect), ensure_ascii=False))
    else:
        _print_check(said, text, dialect, version)
    ctx.exit(0 if said.verdict == "taken" else 1)


def _statement(sql: str | None) -> str:
    if sql is not None and sql != "-":
        return sql
    if sys.stdin.isatty():
        raise click.UsageError("no query", click.get_current_context())
    return sys.stdin.read()


def _check_fields(said: Check, dialect: str) -> dict[str, Any]:
    return {
        "dialect": dialect,
        "verdict": said.verdict,
        "code": said.code,
        "message": said.message or None,
        "place": said.place,
        "are_names_resolved": said.are_names_resolved,
        "valid_in": list(said.valid_in),
    }


def _print_check(said: Check, sql: str, dialect: str, version: int | None) -> None:
    from glue.dialects.elsewhere import TITLES
    from glue.dialects.local import dialect_named

    title = TITLES[dialect]
    server = f"{title} {version or dialect_named(dialect).DEFAULT_VERSION}"
    if said.verdict == "taken":
        unresolved = "" if said.are_names_resolved else "; names of tables and columns were not looked up"
        print(f"taken by {server}{unresolved}")
    elif said.verdict == "unsupported":
        print(f"unsupported: {said.message}; what {server} says to it is not known here")
    else:
        print(f"refused by {server}: {said.code}: {said.message}")
        _point_at(sql, said.place)
        if said.valid_in:
            print(f"valid in {_joined([TITLES[name] for name in said.valid_in])}, not in {title}")


def _point_at(sql: str, place: int | None) -> None:
    """The line of the place, and a mark under it."""
    if place is None:
        return
    start = sql.rfind("\n", 0, place) + 1
    line, *_ = sql[start:].split("\n", 1)
    before = "".join("\t" if letter == "\t" else " " for letter in line[: place - start])
    print(f"  {line}\n  {before}^")


def _joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


@dialect.command(
    "load",
    short_help="Make a database file of a server's scripts.",
    epilog="""\b
Examples:
  glue dialect load hr_create.sql hr_populate.sql --dialect oracle --database hr.duckdb
  glue dialect load shop.sql --dialect oracle --database shop.duckdb --now 2024-12-31""",
)
@click.argument("scripts", type=FILE, nargs=-1, required=True, metavar="SCRIPT...")
@_DIALECT
@click.option("--database", type=FILE, required=True, metavar="FILE", help="The DuckDB file to make.")
@click.option("--now", type=click.DateTime(), help="What the server's clock says, always (SYSDATE, GETDATE).")
@click.option("--version", type=int, metavar="N", help="The server's version.")
@click.pass_context
def load(
    ctx: click.Context,
    scripts: tuple[Path, ...],
    dialect: str,
    database: Path,
    now: datetime | None,
    version: int | None,
) -> None:
    """Make a database file of scripts for SQL*Plus or sqlcmd, which are obeyed one after another.

    Tables with their types and keys, rows, comments and views are made; what is none of these is skipped and
    counted. What cannot be done is reported with its file and line, and the rest is done. `glue import
    database FILE` then takes the file for what it stands in for.

    Fails (exit code 1) where something could not be done.
    """
    from glue.dialects.files import make_database

    report = make_database(database, dialect, scripts, now, version)
    print_table(["table", "rows"], [(name, f"{n:,}") for name, n in report.n_rows.items()])
    if report.views:
        print(f"views: {', '.join(report.views)}")
    for said in report.not_kept:
        print(f"not kept: {said}")
    if report.n_skipped:
        print("skipped: " + ", ".join(f"{words} ({n})" for words, n in report.n_skipped.most_common()))
    for failure in report.failures:
        code = f"{failure.code}: " if failure.code else ""
        say(f"{failure.path}:{failure.line}: {code}{failure.message}")
    print(f"made {database}: {counted(len(report.n_rows), 'tables')}")
    ctx.exit(int(bool(report.failures)))


@dialect.command(
    "run",
    short_help="Run a query on a database file as a server would.",
    epilog="""\b
Examples:
  glue dialect run "select * from staff fetch first 5 rows only" --dialect oracle --database hr.duckdb
  glue dialect run --dialect oracle --database hr.duckdb --show-sql < query.sql
  glue dialect run "select sysdate from dual" --dialect oracle --database hr.duckdb --format json""",
)
@click.argument("sql", required=False)
@_DIALECT
@click.option("--database", type=FILE, required=True, metavar="FILE", help="A DuckDB file.")
@click.option(
    "--rows",
    "n_rows",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="How many rows are shown at most.",
)
@click.option("--show-sql", is_flag=True, help="Print what DuckDB is asked, and do not ask it.")
@_FORMAT
@click.pass_context
def run(
    ctx: click.Context,
    sql: str | None,
    dialect: str,
    database: Path,
    n_rows: int,
    show_sql: bool,
    format_name: str,
) -> None:
    """Run a query on a database file, read-only, and print what the server would answer.

    Fails (exit code 1) for a query that is refused, or that is not supported here.
    """
    import duckdb

    from glue.dialects.check import refusal
    from glue.dialects.conformance import cell_text
    from glue.dialects.errors import DialectError, UnsupportedError
    from glue.dialects.files import answer, opened

    text = _statement(sql)
    with opened(database, dialect) as session:
        try:
            if show_sql:
                print(session.translate(text).sql)
                return
            names, rows, has_more = answer(session, text, n_rows)
        except (DialectError, UnsupportedError) as error:
            said = refusal(text, dialect, error)
            if format_name == "json":
                print(json.dumps(_check_fields(said, dialect), ensure_ascii=False))
            else:
                _print_check(said, text, dialect, session.settings.version)
            ctx.exit(1)
        except duckdb.Error as error:
            raise GlueError(f"DuckDB says: {error}", "this is unsupported here: please report it") from error
    cells = [[cell_text(cell) for cell in row] for row in rows]
    if format_name == "json":
        for row in cells:
            print(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
    else:
        print_table(names, cells)
    if has_more:
        say(f"note: more than {n_rows:,} rows; --rows shows more")


@dialect.command(
    "conformance",
    short_help="Run a file of cases whose right answers are known.",
    epilog="""\b
Examples:
  glue dialect conformance tests/fixtures/dialects/oracle.jsonl --dialect oracle
  glue dialect conformance cases.jsonl --dialect tsql --format json > answers.jsonl
  EVALHOUSE_ORACLE_DSN=oracle://ada:…@db:1521/shop glue dialect conformance cases.jsonl --dialect oracle""",
)
@click.argument("file", type=FILE)
@_DIALECT
@_FORMAT
@click.pass_context
def conformance(ctx: click.Context, file: Path, dialect: str, format_name: str) -> None:
    """Run the cases of a JSONL file, and count how many are answered rightly.

    A case is an object with id, topic, setup (statements), sql, ordered, and expected (rows) or error (a
    code). Its answer is pass, wrong (rows that are not the right ones), wrong_error (an error that is not) or
    unsupported. With EVALHOUSE_ORACLE_DSN or EVALHOUSE_SQLSERVER_DSN, the URL of a real server and of a user
    that may make tables, that server answers.

    Fails (exit code 1) where an answer is wrong or wrong_error.
    """
    from glue.dialects.conformance import counts_by_topic, read_cases, run_cases
    from glue.dialects.conformance_servers import server_of

    try:
        cases = read_cases(file)
    except (OSError, UnicodeDecodeError) as error:
        raise GlueError(f"cannot read {file}: {error}", "give a file of conformance cases") from error
    server, name = server_of(dialect)
    say(f"{counted(len(cases), 'cases')} for {name}")
    results: list[Result] = []
    for result in run_cases(cases, server):
        results.append(result)
        if format_name == "json":
            print(json.dumps(_case_fields(result), ensure_ascii=False), flush=True)
        elif result.outcome != "pass":
            print(f"{result.outcome}  {result.case.id}: {_shortened(str(result.answer))}")
    counts = counts_by_topic(results)
    if format_name == "json":
        print(json.dumps({"counts": counts}))
    else:
        _print_counts(counts)
    ctx.exit(int(any(result.outcome in ("wrong", "wrong_error") for result in results)))


def _case_fields(result: Result) -> dict[str, Any]:
    case, answer = result.case, result.answer
    rows = None if answer.rows is None else json.loads(str(answer))
    return {
        "id": case.id,
        "topic": case.topic,
        "outcome": result.outcome,
        "rows": rows,
        "error": answer.code,
        "message": None if rows is not None else answer.message or str(answer),
    }


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:159]}…"


def _print_counts(counts: dict[str, dict[Any, int]]) -> None:
    from glue.dialects.conformance import OUTCOMES

    rows = [(topic, *(found[outcome] for outcome in OUTCOMES)) for topic, found in counts.items()]
    total = [sum(found[outcome] for found in counts.values()) for outcome in OUTCOMES]
    print_table(["topic", *OUTCOMES], [*rows, ("total", *total)])
