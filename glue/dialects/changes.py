"""UPDATE and DELETE: which rows, and with which values, is asked for in the dialect.

DuckDB changes a row with a key by taking it out and putting it in again, and may find a key broken that is
not: where a key stands in the way, the change is unsupported.
"""

from __future__ import annotations

from typing import Any

import duckdb

from glue.dialects.catalog import quoted
from glue.dialects.definitions import Reader
from glue.dialects.errors import UnsupportedError
from glue.dialects.inserts import literal
from glue.dialects.local import LocalSession
from glue.dialects.stored_rows import broken
from glue.dialects.stored_tables import LoadedColumn, LoadedTable, Tables


def update(session: LocalSession, tables: Tables, reader: Reader) -> None:
    """Obey UPDATE table [alias] SET column = value, … [WHERE …]."""
    _check_dialect(session, "UPDATE")
    words = reader.words
    words.want("UPDATE")
    table, source, row = _target(tables, reader)
    words.want("SET", "ORA-00971")
    columns: list[LoadedColumn] = []
    values: list[str] = []
    while True:
        if words.comes("("):
            raise UnsupportedError("UPDATE … SET (a, b) = …")
        columns.append(tables.column(table, _last_name(reader)))
        words.want("=", "ORA-00927")
        values.append(_value(reader, columns[-1]))
        if not words.take(","):
            break
    rows = _asked(session, f"SELECT {row}.ROWID, {', '.join(values)} FROM {source} {_condition(reader)}")
    stored = [
        [
            row[0],
            *(
                column.type.fit(value, table.where(column.name))
                for column, value in zip(columns, row[1:], strict=True)
            ),
        ]
        for row in rows
    ]
    lists = ["unnest($1::bigint[]) as place"]
    lists += [f"unnest(${n}::{column.type.stored}[]) as v{n}" for n, column in enumerate(columns, 2)]
    sets = ", ".join(f"{quoted(column.stored_name)} = changed.v{n}" for n, column in enumerate(columns, 2))
    name = quoted(table.stored_name)
    _change(
        session,
        f"update {name} set {sets} from (select {', '.join(lists)}) as changed"
        f" where {name}.rowid = changed.place",
        [list(column) for column in zip(*stored, strict=True)],
    )


def delete(session: LocalSession, tables: Tables, reader: Reader) -> None:
    """Obey DELETE [FROM] table [alias] [WHERE …]."""
    _check_dialect(session, "DELETE")
    reader.words.want("DELETE")
    reader.words.take("FROM")
    table, source, row = _target(tables, reader)
    rows = _asked(session, f"SELECT {row}.ROWID FROM {source} {_condition(reader)}")
    name = quoted(table.stored_name)
    _change(
        session,
        f"delete from {name} where rowid in (select unnest($1::bigint[]))",
        [[row[0] for row in rows]],
    )


def _check_dialect(session: LocalSession, statement: str) -> None:
    if session.dialect != "oracle":
        raise UnsupportedError(f"{statement} in SQL Server's dialect")


def _target(tables: Tables, reader: Reader) -> tuple[LoadedTable, str, str]:
    """The table, and as they are written: it with its alias, and what its rows are called."""
    words = reader.words
    place = words.place
    table = tables.loaded(reader.table_name())
    if words.is_name() and not words.comes("SET"):
        reader.name()
    return table, reader.text_since(place), words.since(place)[-1].text


def _last_name(reader: Reader) -> str:
    name = reader.name()
    while reader.words.take("."):
        name = reader.name()
    return name


def _value(reader: Reader, column: LoadedColumn) -> str:
    place = reader.words.place
    reader.skip_to(",", "WHERE")
    if (
        literal(reader.words.since(place), True, {})[1] is not None
        and reader.text_since(place).upper() == "DEFAULT"
    ):
        return column.definition.default or "NULL" if column.definition else "NULL"
    return reader.text_since(place)


def _condition(reader: Reader) -> str:
    token = reader.words.token
    if token.kind == "end" or reader.words.comes(";"):
        return ""
    if not reader.words.comes("WHERE"):
        raise reader.words.refused("ORA-00933", "the statement should end")
    return reader.sql[token.start :]


def _asked(session: LocalSession, sql: str) -> list[tuple[Any, ...]]:
    return session.query(sql)[1]


def _change(session: LocalSession, sql: str, values: list[list[Any]]) -> None:
    if not values or not values[0]:
        return
    try:
        session.connection.execute(sql, values)
    except duckdb.ConstraintException as error:
        meant = broken(error, session.dialect)
        if meant.code == "ORA-01400":
            raise type(meant)("ORA-01407", meant.message) from error
        if meant.code != "ORA-02290":
            raise UnsupportedError(f"a change of rows with keys ({error})") from error
        raise meant from error
