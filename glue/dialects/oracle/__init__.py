"""Oracle's SQL on DuckDB: its queries read, refused where Oracle refuses them, and put into DuckDB's SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from glue.dialects import nodes, oracle_macros
from glue.dialects.catalog import StoredTable
from glue.dialects.errors import UnsupportedError
from glue.dialects.local import Settings, Translation
from glue.dialects.oracle.names import Catalog
from glue.dialects.oracle.queries import Queries
from glue.dialects.oracle_errors import OracleError
from glue.dialects.oracle_grammar import read_oracle
from glue.dialects.scopes import Output

if TYPE_CHECKING:
    import duckdb

DEFAULT_VERSION = 19

_BEHIND_ITEM = re.compile(r"\s*(,|\bFROM)\s*$", re.IGNORECASE)
_MEANT = (
    (
        re.compile("More than one row returned by a subquery"),
        "ORA-01427",
        "a query for one value gives several",
    ),
    (re.compile("Could not cast value|Type .* with value .* can't be cast|is out of range for"), "", ""),
    (re.compile("Max expression depth limit|window expressions cannot be volatile"), "", ""),
    (re.compile("subqueries in lambda expressions are not supported"), "", ""),
    (re.compile("Overflow in|overflow", re.IGNORECASE), "", ""),
)


def install(connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Give a session what Oracle's functions stand on; `now` is its SYSDATE."""
    oracle_macros.FUNCTIONS.begin(connection, now)


def add_macros(connection: duckdb.DuckDBPyConnection, text: str, present: set[str]) -> None:
    """Give a session those of Oracle's functions that a translation mentions."""
    oracle_macros.FUNCTIONS.add(connection, text, present)


def translator(tables: Sequence[StoredTable], settings: Settings) -> Callable[[str], Translation]:
    """What turns queries over these tables into DuckDB's SQL."""

    catalog = Catalog(tables)

    def translate(sql: str) -> Translation:
        query = read_oracle(sql, settings.version)
        try:
            text, outputs = Queries(catalog, settings).statement(query, sql)
        except RecursionError:
            raise UnsupportedError("brackets or operators too deep within one another") from None
        return Translation(text, _headings(query, sql, outputs), tuple(one.kind for one in outputs))

    return translate


def _headings(query: nodes.Query, sql: str, outputs: Sequence[Output]) -> tuple[str, ...]:
    """The names of the columns; of one without, what was written for it, in capitals and without blanks."""
    body: nodes.Body = query.body
    while not isinstance(body, nodes.Block):
        body = body.left if isinstance(body, nodes.SetOperation) else body.body
    starts = [item.place for item in body.items] + [source.place for source in body.sources[:1]]
    written = [
        "".join(_BEHIND_ITEM.sub("", sql[start:end]).split()).upper()
        for start, end in pairwise([*starts, len(sql)] if len(starts) == len(body.items) else starts)
    ]
    is_as_long = len(written) == len(outputs)
    return tuple(one.name or (written[at] if is_as_long else f"C{at + 1}") for at, one in enumerate(outputs))


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
