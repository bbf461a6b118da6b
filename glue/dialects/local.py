"""A DuckDB session that answers as another engine would: statements go in in its dialect.

What the other engine refuses is raised with its code (DialectError); what it could do and is not done here is
an UnsupportedError. Nothing is answered that is not known to be that engine's answer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, cast

from glue.dialects.catalog import StoredTable, read_catalog, view_texts
from glue.dialects.errors import DialectError, UnsupportedError

if TYPE_CHECKING:
    import duckdb

DIALECTS = ("oracle", "tsql")


@dataclass(frozen=True, slots=True)
class Settings:
    """`version` is the server's (Oracle 19, SQL Server 2022); `now` is what its clock says."""

    version: int
    now: datetime


@dataclass(frozen=True, slots=True)
class Translation:
    """A statement for DuckDB, and the names of its columns as the dialect has them.

    `kinds` are what the dialect calls their values, where that says more than DuckDB's types.
    """

    sql: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...] = ()


class Dialect(Protocol):
    """What a dialect's module (oracle.py, tsql.py) offers."""

    DEFAULT_VERSION: int

    def install(self, connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
        """Give a session what the dialect's functions stand on."""

    def add_macros(self, connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
        """Give a session the functions that a text of DuckDB's SQL mentions; `present` are those it has."""

    def translator(self, tables: Sequence[StoredTable], settings: Settings) -> Callable[[str], Translation]:
        """What turns queries over these tables into DuckDB's SQL."""

    def error_of(self, message: str) -> DialectError | UnsupportedError | None:
        """What an error of DuckDB means in the dialect; None where it means nothing there."""


def dialect_named(name: str) -> Dialect:
    """The module of a dialect: one of DIALECTS."""
    return cast("Dialect", importlib.import_module(f"glue.dialects.{name}"))


class LocalSession:
    """Queries in a dialect on a DuckDB connection. `now` defaults to the clock's time when it begins."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        dialect: str,
        version: int | None = None,
        now: datetime | None = None,
    ) -> None:
        self.connection = connection
        self.dialect = dialect
        self._module = dialect_named(dialect)
        self.settings = Settings(version or self._module.DEFAULT_VERSION, now or datetime.now())
        self._module.install(connection, self.settings.now)
        self._macros: set[str] = set()
        self.read_tables()

    def read_tables(self) -> None:
        """Look at the database's tables again, after they were changed."""
        for text in view_texts(self.connection):
            self._module.add_macros(self.connection, text, self._macros)
        tables = read_catalog(self.connection, self.dialect)
        self._translate = self._module.translator(tables, self.settings)

    def translate(self, sql: str) -> Translation:
        """The query in DuckDB's SQL, and the macros it needs in the session: no rollback may undo them.

        Raises DialectError or UnsupportedError.
        """
        translation = self._translate(sql)
        self._module.add_macros(self.connection, translation.sql, self._macros)
        return translation

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns and all rows. Raises DialectError, UnsupportedError or duckdb.Error."""
        translation = self.translate(sql)
        with self.errors():
            rows = self.connection.execute(translation.sql).fetchall()
        return list(translation.columns), rows

    def errors(self) -> _Errors:
        """Within it an error of DuckDB is raised as what it means in the dialect."""
        return _Errors(self._module)


class _Errors:
    def __init__(self, module: Dialect) -> None:
        self._module = module

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        import duckdb

        if isinstance(error, duckdb.Error):
            meant = self._module.error_of(str(error))
            if meant is not None:
                raise meant from error
