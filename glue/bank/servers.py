"""The bank's tables on a live server: made where they are not, left alone where they hold these rows already.

Nothing that exists is dropped or changed unasked, and asked only tables of the bank's names in the schema of
the bank's name. PostgreSQL has a schema to each of the bank's databases, MariaDB and MySQL a database, Oracle
a user without a password. SQL Server looks for bare names in the user's own schema and in no other: there all
tables stand. notyet: nothing here has run against Oracle or SQL Server.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glue.bank.ddl import create_statement, own_name, place, quoted_name
from glue.bank.generation import TableRows
from glue.cells import cells_of_rows
from glue.connections import Connection
from glue.errors import GlueError
from glue.live import LiveDatabase

_ROWS_AT_ONCE = 1_000

_TABLES = "select table_name from information_schema.tables where table_schema = '{schema}'"


@dataclass(frozen=True)
class _Kind:
    """What differs between servers. {schema} is the schema's name, {quoted} the same in quotes."""

    mark: Callable[[int], str] = lambda number: "%s"
    schemas: str = "select schema_name from information_schema.schemata"
    create_schema: str = "create schema {quoted}"
    tables: str = _TABLES
    grant: str | None = None
    has_ddl_in_transactions: bool = False


_MYSQL = _Kind(create_schema="create database {quoted} character set utf8mb4 collate utf8mb4_bin")
_KINDS = {
    "postgresql": _Kind(
        grant="grant usage on schema {quoted} to {reader}",
        has_ddl_in_transactions=True,
    ),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "oracle": _Kind(
        mark=lambda number: f":{number}",
        schemas="select username from all_users",
        create_schema="create user {quoted} no authentication quota unlimited on users",
        tables="select table_name from all_tables where owner = '{schema}'",
    ),
    "sqlserver": _Kind(
        mark=lambda number: "?",
        schemas="select name from sys.schemas",
        has_ddl_in_transactions=True,
    ),
}


def schema_for(database: LiveDatabase, db_id: str) -> str:
    """The schema that holds a database of the bank, as the server keeps its name."""
    engine = database.address.engine
    if engine != "sqlserver":
        return own_name(db_id, engine)
    ((home,),) = database.rows(database.catalog.home_schemas)
    return str(home)


def load_tables(
    database: LiveDatabase, connection: Connection, tables: Sequence[TableRows], schema: str, replace: bool
) -> bool:
    """Make the tables with their rows in a schema. Whether they were made: the same are left alone.

    `replace`: tables of these names that hold something else are dropped first; else GlueError names them.
    """
    loader = _Loader(database, schema)
    try:
        return loader.load(tables, replace)
    except database.error as error:
        told = " ".join(str(error).split())[:400]
        raise GlueError(
            f"{connection.shown}: loading {schema} failed: {told}",
            "its user has to be one who may create schemas and tables: --owner names another",
        ) from None


def let_read(database: LiveDatabase, tables: Sequence[TableRows], schema: str, user: str) -> None:
    """Let a user, named as the server says who it is, read the tables. Raises the driver's errors."""
    _Loader(database, schema).let_read(tables, user)


class _Loader:
    def __init__(self, database: LiveDatabase, schema: str) -> None:
        self._engine = database.address.engine
        self._kind = _KINDS[self._engine]
        self._schema = schema
        self._link = database.writer()

    def load(self, tables: Sequence[TableRows], replace: bool) -> bool:
        self._make_schema()
        present = {str(name) for (name,) in self._rows(self._filled(self._kind.tables))}
        there = [each for each in tables if own_name(each.table.name, self._engine) in present]
        different = [each for each in there if not self._is_same(each)]
        if len(there) == len(tables) and not different:
            return False
        if there and not replace:
            names = ", ".join(each.table.name for each in different or there)
            raise GlueError(
                f"schema {self._schema} has tables of the bank's names, and not with its rows: {names}",
                "--replace drops them and makes the bank's; nothing else in the schema is touched",
            )
        with self._transaction():
            for each in reversed(there):
                self._run(f"drop table {self._place(each)}")
            self._make(tables)
        return True

    def let_read(self, tables: Sequence[TableRows], user: str) -> None:
        with self._transaction():
            reader = self._reader(user)
            if self._kind.grant:
                self._run(self._filled(self._kind.grant, reader))
            for each in tables:
                self._run(f"grant select on {self._place(each)} to {reader}")

    def _reader(self, user: str) -> str:
        if self._engine not in ("mysql", "mariadb"):
            return quoted_name(user, self._engine)
        name, _, host = user.rpartition("@")
        return f"'{name}'@'{host}'"

    def _make_schema(self) -> None:
        if self._schema not in {str(name) for (name,) in self._rows(self._kind.schemas)}:
            with self._transaction():
                self._run(self._filled(self._kind.create_schema))

    def _make(self, tables: Sequence[TableRows]) -> None:
        made: list[TableRows] = []
        try:
            for each in tables:
                self._run(create_statement(each.table, self._engine, self._schema))
                made.append(each)
                self._fill(each)
        except Exception:
            if not self._kind.has_ddl_in_transactions:
                for each in reversed(made):
                    with contextlib.suppress(Exception):
                        self._run(f"drop table {self._place(each)}")
            raise

    def _fill(self, each: TableRows) -> None:
        marks = ", ".join(self._kind.mark(number) for number in range(1, len(each.table.columns) + 1))
        insert = f"insert into {self._place(each)} values ({marks})"
        with contextlib.closing(self._link.cursor()) as cursor:
            for start in range(0, len(each.rows), _ROWS_AT_ONCE):
                cursor.executemany(insert, each.rows[start : start + _ROWS_AT_ONCE])

    def _is_same(self, each: TableRows) -> bool:
        """Has the table the bank's columns, and its rows in some order?"""
        names = ", ".join(quoted_name(column.name, self._engine) for column in each.table.columns)
        try:
            rows = self._rows(f"select {names} from {self._place(each)}")
        except Exception:  # other columns, for one
            self._link.rollback()
            return False
        return _sorted_cells(rows) == _sorted_cells(each.rows)

    def _place(self, each: TableRows) -> str:
        return place(each.table.name, self._engine, self._schema)

    def _filled(self, sql: str, reader: str = "") -> str:
        return sql.format(
            schema=self._schema.replace("'", "''"),
            quoted=quoted_name(self._schema, self._engine),
            reader=reader,
        )

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with contextlib.closing(self._link.cursor()) as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()]

    def _run(self, sql: str) -> None:
        with contextlib.closing(self._link.cursor()) as cursor:
            cursor.execute(sql)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with contextlib.suppress(Exception):
                self._link.rollback()
            raise
        self._link.commit()


def _sorted_cells(rows: Sequence[tuple[Any, ...]]) -> list[str]:
    return sorted(map(repr, cells_of_rows(rows)))
