"""`glue engine`: database engines, and users for them that may only read."""

from __future__ import annotations

import importlib.util
from typing import Any

import click

from glue.cli_output import print_table
from glue.cli_parts import PoliteGroup, parts_of


@click.group("engine", cls=PoliteGroup, short_help="Engines, and users for them that may only read.")
def engine() -> None:
    """Database engines: what there is, and scripts for users that may only read."""


@engine.command(
    "list",
    epilog="""\b
Example:
  glue engine list""",
)
def engine_list() -> None:
    """List the engines: do they run statements, has their catalog been read for real, is a driver here."""
    import csv

    from glue.build import project_directory
    from glue.connection_urls import SERVER_KINDS
    from glue.engines.base import UNION_SUFFIX, engine_names

    with (project_directory() / "seeds" / "engines.csv").open(encoding="utf-8", newline="") as file:
        seed = {row["engine"]: row for row in csv.DictReader(file)}
    names = [name for name in dict.fromkeys([*seed, *SERVER_KINDS]) if not name.endswith(UNION_SUFFIX)]
    rows: list[tuple[Any, ...]] = []
    for name in names:
        kind = SERVER_KINDS.get(name)
        fact = seed.get(name, {})
        rows.append(
            (
                name,
                kind.dialect if kind else fact.get("dialect"),
                "server" if kind else "file",
                fact.get("status") or ("implemented" if name in engine_names() else "notyet"),
                "notyet run" if name in ("oracle", "sqlserver", "mysql") else "tested",
                "yes" if kind else "no",
                _driver(kind.driver, kind.extra) if kind else "comes along",
            )
        )
    print_table(["engine", "dialect", "kind", "statements", "catalog", "grant script", "driver"], rows)


def _driver(module: str, extra: str) -> str:
    if importlib.util.find_spec(module):
        return module
    return f"pip install 'evalhouse[{extra}]'"


@engine.command(
    "grant",
    short_help="Print a script for a user that may only read.",
    epilog="""\b
Examples:
  glue engine grant postgresql --database shop --schemas sales,stock
  glue engine grant mariadb --database shop --user reader --password-env READER_PASSWORD > reader.sql""",
)
@click.argument("name", metavar="ENGINE")
@click.option("--user", default="evalhouse", show_default=True, metavar="U", help="The user to be made.")
@click.option("--database", metavar="D", help="The database it may read.")
@click.option("--schemas", multiple=True, metavar="S,…", help="Schemas it may read; may be repeated.")
@click.option(
    "--password-env", metavar="VAR", help="Environment variable of its password, written into the script."
)
def engine_grant(
    name: str, user: str, database: str | None, schemas: tuple[str, ...], password_env: str | None
) -> None:
    """Print a script that makes a user with the least rights: it may read, and nothing else.

    Read it, change the password that stands in for yours, and have it run by whoever runs the server.
    """
    from glue.connections import variable_value
    from glue.grants import PLACEHOLDER, Grant, grant_script

    password = variable_value(password_env) if password_env else PLACEHOLDER
    print(grant_script(name, Grant(user, database, parts_of(schemas), password)), end="")
