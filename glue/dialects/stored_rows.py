"""Rows on their way into a table: one DuckDB statement for many INSERTs, and each refused by itself.

The rows of one INSERT are in the table together or not at all, as both servers have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from glue.dialects.catalog import quoted
from glue.dialects.errors import DialectError
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scripts import Statement
from glue.dialects.stored_tables import LoadedTable
from glue.dialects.tsql_errors import TSQLError

# What DuckDB's errors of constraints say, the codes of both dialects, and what is wrong.
_BROKEN = (
    (re.compile("NOT NULL constraint failed: (.*)"), "ORA-01400", "515", "no NULL can stand in"),
    (re.compile("CHECK constraint failed on table (.*)"), "ORA-02290", "547", "a check is not met by"),
    (re.compile("[Dd]uplicate key (.*)"), "ORA-00001", "2627", "a key is there already:"),
    (re.compile("because key (.*) does not exist"), "ORA-02291", "547", "what it refers to is not there:"),
    (re.compile("because key (.*) is still referenced"), "ORA-02292", "547", "it is still referred to:"),
)


@dataclass(slots=True)
class WaitingRows:
    """The rows of one INSERT, as they are stored, for these columns of a table by their stored names."""

    table: LoadedTable
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    statement: Statement


def store(
    connection: duckdb.DuckDBPyConnection, dialect: str, waiting: Sequence[WaitingRows]
) -> Iterator[tuple[WaitingRows, DialectError | duckdb.Error]]:
    """Store the rows, all of the same columns of one table. Yields the INSERTs that are refused, and why."""
    if not waiting:
        return
    rows = [row for one in waiting for row in one.rows]
    try:
        _store_together(connection, waiting[0], rows)
    except duckdb.Error as error:
        if len(waiting) == 1:
            is_broken = isinstance(error, duckdb.ConstraintException)
            yield waiting[0], broken(error, dialect) if is_broken else error
            return
        middle = len(waiting) // 2
        yield from store(connection, dialect, waiting[:middle])
        yield from store(connection, dialect, waiting[middle:])


def broken(error: duckdb.Error, dialect: str) -> DialectError:
    """What a broken constraint is to the dialect."""
    said = str(error).partition("\n")[0]
    for pattern, oracle, tsql, why in _BROKEN:
        match = pattern.search(said)
        if match:
            message = f"{why} {match[1]}"
            return OracleError(oracle, message) if dialect == "oracle" else TSQLError(tsql, message)
    raise error


def _store_together(
    connection: duckdb.DuckDBPyConnection, into: WaitingRows, rows: Sequence[tuple[Any, ...]]
) -> None:
    layers = _layers(into, rows)
    if len(layers) == 1:
        _insert(connection, into, layers[0])
        return
    connection.execute("begin")
    try:
        for layer in layers:
            _insert(connection, into, layer)
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def _layers(into: WaitingRows, rows: Sequence[tuple[Any, ...]]) -> list[Sequence[tuple[Any, ...]]]:
    """The rows in the order in which they refer to each other: DuckDB knows no row of the same statement."""
    own = [
        ([into.columns.index(name) for name in columns], [into.columns.index(name) for name in parents])
        for columns, parents in into.table.own_keys
        if {*columns, *parents} <= {*into.columns}
    ]
    left, found = list(rows), []
    while own and left:
        layer, later = _split(left, own)
        if not layer or not later:
            break
        found.append(layer)
        left = later
    return [*found, left]


def _split(
    rows: list[tuple[Any, ...]], own: list[tuple[list[int], list[int]]]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows that refer to none of the others, and those that do."""
    keys = [{tuple(row[place] for place in parents) for row in rows} for _, parents in own]
    first: list[tuple[Any, ...]] = []
    later: list[tuple[Any, ...]] = []
    for row in rows:
        refers = any(
            tuple(row[place] for place in columns) in known
            for (columns, _), known in zip(own, keys, strict=True)
        )
        (later if refers else first).append(row)
    return first, later


def _insert(
    connection: duckdb.DuckDBPyConnection, into: WaitingRows, rows: Sequence[tuple[Any, ...]]
) -> None:
    types = {column.stored_name: column.type.stored for column in into.table.columns.values()}
    names = ", ".join(map(quoted, into.columns))
    lists = ", ".join(f"unnest(${place}::{types[name]}[])" for place, name in enumerate(into.columns, 1))
    connection.execute(
        f"insert into {quoted(into.table.stored_name)} ({names}) select {lists}",
        [list(column) for column in zip(*rows, strict=True)],
    )
