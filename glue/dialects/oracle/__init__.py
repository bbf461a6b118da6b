"""Oracle's SQL on DuckDB: its queries read, refused where Oracle refuses them, and put into DuckDB's SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from glue.dialects import oracle_macros
from glue.dialects.catalog import StoredTable
from glue.dialects.errors import UnsupportedError
from glue.dialects.local import Settings, Translation
from glue.dialects.oracle.queries import Queries
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_grammar import read_oracle

if TYPE_CHECKING:
    import duckdb

DEFAULT_VERSION = 19

_WORD = re.compile(r"[A-Z_]+")
_MEANT = (
    (
        re.compile("More than one row returned by a subquery"),
        "ORA-01427",
        "a query for one value gives several",
    ),
    (re.compile("Could not cast value|Type .* with value .* can't be cast|is out of range for"), "", ""),
    (re.compile("Max expression depth limit"), "", ""),
    (re.compile("Overflow in|overflow", re.IGNORECASE), "", ""),
)


def install(connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Give a session Oracle's functions; `now` is its SYSDATE."""
    oracle_macros.install(connection, now)


def translator(tables: Sequence[StoredTable], settings: Settings) -> Callable[[str], Translation]:
    """What turns queries over these tables into DuckDB's SQL."""

    def translate(sql: str) -> Translation:
        query = read_oracle(sql, settings.version)
        words = frozenset(_WORD.findall(sql.upper()))
        try:
            text, outputs = Queries(tables, settings).statement(query, words)
        except RecursionError:
            raise UnsupportedError("brackets or operators too deep within one another") from None
        return Translation(text, tuple(one.name or f"C{at}" for at, one in enumerate(outputs, 1)))

    return translate


def error_of(message: str) -> OracleError | UnsupportedError | None:
    """What an error of DuckDB means in Oracle; None where it means nothing there."""
    said = oracle_macros.error_of(message)
    if said is not None:
        return said
    for pattern, code, words in _MEANT:
        if pattern.search(message):
            return (
                OracleError(code, words) if code else UnsupportedError(f"DuckDB's {message.splitlines()[0]}")
            )
    return None
