"""`glue dialect`: what Oracle and SQL Server say to a query, and whether the local ones answer as they do."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glue.cli_output import print_table, say
from glue.cli_parts import FILE, PoliteGroup
from glue.errors import GlueError, counted
from glue.home import Home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from glue.dialects.check import Check
    from glue.dialects.conformance import Result
    from glue.dialects.loading import LoadReport

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
    "load",
    short_help="Make a local database of a script of theirs.",
    epilog="""\b
Examples:
  glue dialect load hr_install.sql --dialect oracle --database hr.duckdb
  glue dialect load shop.sql --dialect tsql --database shop.duckdb --now "2024-03-15 10:30:00"
  glue import database hr.duckdb""",
)
@click.argument("script", type=FILE)
@_DIALECT
@click.option(
    "--database", type=FILE, required=True, metavar="FILE", help="A DuckDB file, made where none is."
)
@click.option("--now", type=click.DateTime(), help="What the database's clock says, from now on.")
@click.option("--version", type=int, metavar="N", help="The version of the server that it stands in for.")
@click.pass_context
def load(
    ctx: click.Context, script: Path, dialect: str, database: Path, now: datetime | None, version: int | None
) -> None:
    """Load tables, rows, comments and views from a script: SQL*Plus's of Oracle, one with GO of SQL Server.

    Values are those that the server would store, and what a column cannot hold is refused with its code. What
    makes neither a table nor a row nor a view is skipped and counted; nothing stops at what fails.

    Fails (exit code 1) where a statement failed.
    """
    from glue.dialects.load_files import load_file

    report = load_file(script, dialect, database, now, version)
    _print_load(report)
    ctx.exit(1 if report.failures else 0)


def _print_load(report: LoadReport) -> None:
    print_table(["table", "rows"], list(report.n_rows.items()))
    if report.views:
        print(f"views: {', '.join(report.views)}")
    for told in report.not_kept:
        print(f"not kept: {told}")
    if report.n_skipped:
        skipped = ", ".join(f"{n:,} {kind}" for kind, n in report.n_skipped.most_common())
        print(f"skipped: {skipped}")
    for failure in report.failures:
        code = f"{failure.code}: " if failure.code else ""
        print(f"failed: {failure.path}, line {failure.line}: {code}{_shortened(failure.message)}")


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
