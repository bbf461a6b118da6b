"""What tables a local database has, under the names and with the types that its dialect knows them by.

A database that was loaded for a dialect says so in its comments: a table's holds the dialect and the exact
name (`oracle "EMP"`), a column's its exact name and its declared type (`"HIREDATE" DATE`); what COMMENT ON
said of them may follow on lines of its own. Without comments
the names are taken for unquoted ones, and the types are those of DuckDB.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_TABLE_COMMENT = re.compile(r'(?P<dialect>\w+) "(?P<name>(?:[^"]|"")+)"(?:\n.*)?', re.DOTALL)
_COLUMN_COMMENT = re.compile(r'"(?P<name>(?:[^"]|"")+)" (?P<type>[^\n]+)(?:\n.*)?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, DuckDB's name of it, its declared type where known, and DuckDB's type."""

    name: str
    stored_name: str
    declared_type: str | None
    stored_type: str
    has_empty_text: bool = False
    """Does it hold '', which is NULL to Oracle?"""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table or view. `is_exact`: its names are the dialect's own, and not taken for unquoted ones."""

    name: str
    stored_name: str
    columns: tuple[Column, ...]
    is_exact: bool


def table_comment(dialect: str, name: str, description: str | None = None) -> str:
    """The comment of a table that was loaded for a dialect."""
    return _described(f"{dialect} {quoted(name)}", description)


def column_comment(name: str, declared_type: str, description: str | None = None) -> str:
    """The comment of a column of such a table."""
    return _described(f"{quoted(name)} {declared_type}", description)


def _described(comment: str, description: str | None) -> str:
    return f"{comment}\n{description}" if description else comment


def quoted(name: str) -> str:
    """A name as DuckDB's SQL has it, whatever it holds."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def quoted_text(text: str) -> str:
    """A text as DuckDB's SQL has it, whatever it holds."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def read_catalog(connection: duckdb.DuckDBPyConnection, dialect: str) -> list[StoredTable]:
    """The tables and views of the database's main schema, in the order they were made."""
    rows = connection.execute(
        """
        select t.name, t.comment, c.column_name, c.comment, c.data_type
        from (
            select table_name as name, comment, table_oid as oid
            from duckdb_tables()
            where database_name = current_database() and schema_name = 'main' and not internal
            union all
            select view_name, comment, view_oid
            from duckdb_views()
            where database_name = current_database() and schema_name = 'main' and not internal
        ) as t
        join duckdb_columns() as c
            on c.table_name = t.name
            and c.database_name = current_database()
            and c.schema_name = 'main'
        order by t.oid, c.column_index
        """
    ).fetchall()
    tables: dict[str, tuple[str, bool]] = {}
    columns: dict[str, list[Column]] = {}
    for table, comment, column, column_comment_, stored_type in rows:
        if table not in tables:
            tables[table] = _table_name(table, comment, dialect)
        columns.setdefault(table, []).append(
            _column(column, column_comment_ if tables[table][1] else None, stored_type)
        )
    empty = _columns_with_empty_text(connection, tables, columns) if dialect == "oracle" else set()
    return [
        StoredTable(
            name,
            table,
            tuple(
                Column(c.name, c.stored_name, c.declared_type, c.stored_type, (table, c.stored_name) in empty)
                for c in columns[table]
            ),
            is_exact,
        )
        for table, (name, is_exact) in tables.items()
    ]


def view_texts(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What the views of the database are made of."""
    rows = connection.execute(
        "select sql from duckdb_views() where database_name = current_database() and not internal"
    ).fetchall()
    return [text for (text,) in rows if text]


def _table_name(stored_name: str, comment: str | None, dialect: str) -> tuple[str, bool]:
    said = _TABLE_COMMENT.fullmatch(comment or "")
    if said is None or said["dialect"] != dialect:
        return stored_name, False
    return said["name"].replace('""', '"'), True


def _column(stored_name: str, comment: str | None, stored_type: str) -> Column:
    said = _COLUMN_COMMENT.fullmatch(comment or "")
    if said is None:
        return Column(stored_name, stored_name, None, stored_type)
    return Column(said["name"].replace('""', '"'), stored_name, said["type"], stored_type)


def _columns_with_empty_text(
    connection: duckdb.DuckDBPyConnection,
    tables: dict[str, tuple[str, bool]],
    columns: dict[str, list[Column]],
) -> set[tuple[str, str]]:
    """The columns of tables that were not loaded for Oracle in which '' stands: one look at each table."""
    found: set[tuple[str, str]] = set()
    for table, (_, is_exact) in tables.items():
        texts = [column.stored_name for column in columns[table] if column.stored_type == "VARCHAR"]
        if is_exact or not texts:
            continue
        looks = ", ".join(f"coalesce(bool_or({quoted(text)} = ''), false)" for text in texts)
        row = connection.execute(f"select {looks} from {quoted(table)}").fetchone()
        found |= {(table, text) for text, has in zip(texts, row or (), strict=True) if has}
    return found
