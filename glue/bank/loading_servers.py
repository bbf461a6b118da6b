"""`glue bank load` on a live server: who makes the tables, who reads them, and what lands of them."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from glue.bank.ddl import declared_type, own_name
from glue.bank.files import write_duckdb
from glue.bank.generation import TableRows, generate
from glue.bank.manifest import Manifest
from glue.bank.servers import let_read, load_tables, schema_for
from glue.connections import Connection, address_of, stored_connection
from glue.errors import GlueError
from glue.home import Home
from glue.live import LiveDatabase, opened, server_of

if TYPE_CHECKING:
    from glue.importers.introspection import DatabaseFacts, TableFacts

_DIGITS = 12
_READS_AND_WRITES = ("applicationintent", "ReadWrite")


@dataclass(frozen=True)
class ServerChoice:
    """Where on a server: `connection` is asked later on; `owner` makes the tables (default: the same).

    `replace`: tables of the bank's names that hold something else are dropped and made anew.
    """

    connection: str
    owner: str | None = None
    replace: bool = False


@dataclass(frozen=True)
class LoadedDatabase:
    """A database of the bank on a server, as it is landed."""

    db_id: str
    facts: DatabaseFacts
    is_made: bool


def load_databases(
    home: Home, manifest: Manifest, engine: str, choice: ServerChoice, n_samples: int
) -> list[LoadedDatabase]:
    """Make the bank's databases on a server, let its reader read them, and say what is there. GlueError."""
    reader = _connection(home, choice.connection, engine)
    owner = _connection(home, choice.owner, engine) if choice.owner else reader
    loaded = []
    with opened(reader, address_of(reader)) as reading, _opened_for_writing(owner) as writing:
        _check_one_server(reading, writing)
        user = server_of(reading).user
        must_grant = user != server_of(writing).user
        _check_names(manifest, engine)
        for db_id in manifest.databases:
            tables = generate(manifest, db_id)
            schema = schema_for(reading, db_id)
            is_made = load_tables(writing, owner, tables, schema, choice.replace)
            if must_grant:
                _let_read(writing, owner, tables, schema, user)
            facts = _facts(manifest, db_id, engine, n_samples)
            snapshot = f"live:{reader.name}/{schema}@bank-{_digest(tables)}"
            facts = replace(facts, snapshot_id=snapshot, connection=reader.name, search_path=[schema])
            loaded.append(LoadedDatabase(db_id, facts, is_made))
    return loaded


def _connection(home: Home, name: str, engine: str) -> Connection:
    connection = stored_connection(home, name)
    if connection.engine != engine:
        raise GlueError(
            f"connection {name!r} leads to {connection.engine}, and not to {engine}",
            f"glue bank load {connection.engine} --connection {name}",
        )
    return connection


def _opened_for_writing(connection: Connection) -> LiveDatabase:
    if connection.engine == "sqlserver":
        options = tuple(option for option in connection.options if option[0].lower() != _READS_AND_WRITES[0])
        connection = replace(connection, options=(*options, _READS_AND_WRITES))
    return opened(connection, address_of(connection))


def _check_one_server(reading: LiveDatabase, writing: LiveDatabase) -> None:
    places = []
    for database in (reading, writing):
        address = database.address
        is_in_database = address.engine not in ("mysql", "mariadb")
        places.append((address.server, address.database if is_in_database else None))
    if places[0] != places[1]:
        raise GlueError("--connection and --owner lead to two places", "give both the same host and database")


def _check_names(manifest: Manifest, engine: str) -> None:
    """SQL Server's tables all stand in one schema."""
    if engine != "sqlserver":
        return
    names = [table.name for tables in manifest.databases.values() for table in tables]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise GlueError(f"two databases of the bank have tables of one name: {', '.join(twice)}")


def _let_read(
    database: LiveDatabase, owner: Connection, tables: Sequence[TableRows], schema: str, user: str
) -> None:
    said: str | None = None
    try:
        let_read(database, tables, schema, user)
    except database.error as error:
        said = " ".join(str(error).split())[:400]
    if said is not None:
        raise GlueError(
            f"{owner.shown}: {user} was not let read {schema}: {said}",
            f"glue engine grant {owner.engine} --schemas {schema} prints what lets it",
        )


def _facts(manifest: Manifest, db_id: str, engine: str, n_samples: int) -> DatabaseFacts:
    """What the server's catalog says of the database, from the same rows in a DuckDB file."""
    from glue.importers.introspection import introspect

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bank.duckdb"
        write_duckdb(manifest, db_id, path)
        facts = introspect(path, n_samples)
    declared = {table.name: table for table in manifest.databases[db_id]}

    def of_server(table: TableFacts) -> TableFacts:
        types = {column.name: column.data_type for column in declared[table.name].columns}
        columns = [
            replace(
                column,
                name=own_name(column.name, engine),
                data_type=declared_type(types[column.name], engine),
            )
            for column in table.columns
        ]
        return replace(table, name=own_name(table.name, engine), columns=columns)

    return replace(facts, engine=engine, path=None, n_bytes=None, tables=[of_server(t) for t in facts.tables])


def _digest(tables: Sequence[TableRows]) -> str:
    """The content of a database, as a few letters."""
    said = repr([(each.table.name, each.rows) for each in tables])
    return hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]
