"""A dialect made up for the tests of local engines: DuckDB's own SQL, and words for what may happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import duckdb

from glue.dialects.catalog import StoredTable
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.local import Settings, Translation

UNKNOWN = {"oracle": ("ORA-00942", "table or view does not exist"), "tsql": ("208", "Invalid object name")}


class StandIn:
    """What glue/dialects/oracle.py and tsql.py are to be. Names of columns are told in capitals."""

    DEFAULT_VERSION = 19

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self.now: datetime | None = None
        self.version: int | None = None

    def install(self, connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
        self.now = now
        self._connection = connection
        connection.execute(f"create or replace temp macro stand_in_now() as timestamp '{now}'")

    def add_macros(self, connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
        """There are no others."""

    def translator(self, tables: Sequence[StoredTable], settings: Settings) -> Callable[[str], Translation]:
        self.version = settings.version
        return self._translated

    def error_of(self, message: str) -> DialectError | UnsupportedError | None:
        if "does not exist" in message:
            return DialectError(*UNKNOWN[self._dialect])
        return None

    def _translated(self, sql: str) -> Translation:
        match sql:
            case "select refused_call(1)":
                raise DialectError("ORA-00904", '"REFUSED_CALL": invalid identifier')
            case "select refused":
                raise DialectError("ORA-00904", '"REFUSED": invalid identifier')
            case "select refused102":
                raise DialectError("102", "Incorrect syntax near 'refused102'.")
            case "select unsupported":
                raise UnsupportedError("MODEL")
            case "select mistaken":
                raise KeyError("mistaken")
            case "select deep":
                raise RecursionError
            case "select writing":
                return Translation("drop table t", ())
            case "select nameless":
                return Translation("select 1, 2", ("A",))
        columns = self._connection.execute(f"describe {sql}").fetchall() if "nobody" not in sql else []
        return Translation(sql, tuple(str(column[0]).upper() for column in columns))
