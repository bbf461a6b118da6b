"""Transact-SQL on DuckDB: queries read, refused where SQL Server refuses them, and put into DuckDB's SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from glue.dialects import tsql_macros
from glue.dialects.catalog import StoredTable
from glue.dialects.errors import UnsupportedError
from glue.dialects.local import Settings, Translation
from glue.dialects.tsql.queries import Queries
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.tsql_grammar import read_tsql

if TYPE_CHECKING:
    import duckdb

DEFAULT_VERSION = 2022

_MEANT = (
    (re.compile("More than one row returned by a subquery"), "512", "a query for one value has several rows"),
    (re.compile("Division by zero"), "8134", "divide by zero"),
    (
        re.compile(
            r"Overflow|is out of range|Failed to cast decimal|Could not cast value"
            r'|Could not convert string "[-+.\d]*" to DECIMAL',
            re.IGNORECASE,
        ),
        "8115",
        "arithmetic overflow",
    ),
)


def install(connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Give a session what SQL Server's functions stand on; `now` is its GETDATE."""
    tsql_macros.FUNCTIONS.begin(connection, now)


def add_macros(connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
    """Give a session those of SQL Server's functions that a translation mentions."""
    tsql_macros.FUNCTIONS.add(connection, text, present)


def translator(tables: Sequence[StoredTable], settings: Settings) -> Callable[[str], Translation]:
    """What turns queries over these tables into DuckDB's SQL."""

    def translate(sql: str) -> Translation:
        if settings.version != DEFAULT_VERSION:
            raise UnsupportedError(f"SQL Server {settings.version}")
        text, outputs = Queries(tables, settings).statement(read_tsql(sql))
        return Translation(text, tuple(one.name or "" for one in outputs))

    return translate


def error_of(message: str) -> TSQLError | UnsupportedError | None:
    """What an error of DuckDB means in SQL Server; None where it means nothing there."""
    said = tsql_macros.FUNCTIONS.error_of(message)
    if said is not None:
        return said
    for pattern, code, words in _MEANT:
        if pattern.search(message.partition("\n")[0]):
            return TSQLError(code, words)
    return None
