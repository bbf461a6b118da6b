"""What a DuckDB file that was loaded for a dialect says in its comments: engine, exact names, types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from glue.dialects.catalog import StoredTable, read_catalog
from glue.dialects.local import DIALECTS
from glue.importers.introspection import DatabaseFacts, KeyFacts, TableFacts

if TYPE_CHECKING:
    import duckdb

LOCAL_ENGINES = {"oracle": "oracle-local", "tsql": "mssql-local"}
"""Dialect -> the engine that answers in it on a DuckDB file."""


def as_loaded(facts: DatabaseFacts, connection: duckdb.DuckDBPyConnection) -> DatabaseFacts:
    """The same facts, or those of the engine that the file was loaded for."""
    comments = [table.description for table in facts.tables if table.description]
    for dialect in DIALECTS:
        if not any(comment.startswith(f'{dialect} "') for comment in comments):
            continue
        tables = read_catalog(connection, dialect)
        if any(table.is_exact for table in tables):
            return _renamed(replace(facts, engine=LOCAL_ENGINES[dialect]), tables)
    return facts


def _renamed(facts: DatabaseFacts, tables: Sequence[StoredTable]) -> DatabaseFacts:
    stored = {table.stored_name: table for table in tables if table.is_exact}
    return replace(
        facts,
        tables=[_table(table, stored.get(table.name)) for table in facts.tables],
        keys=[_key(key, stored) for key in facts.keys],
    )


def _table(table: TableFacts, loaded: StoredTable | None) -> TableFacts:
    if loaded is None:
        return table
    columns = [
        replace(
            column,
            name=found.name,
            data_type=found.declared_type or column.data_type,
            description=_description(column.description) if found.declared_type else column.description,
        )
        for column, found in zip(table.columns, loaded.columns, strict=True)
    ]
    return replace(table, name=loaded.name, description=_description(table.description), columns=columns)


def _description(comment: str | None) -> str | None:
    """What follows on lines of its own after name and type."""
    return (comment or "").partition("\n")[2] or None


def _key(key: KeyFacts, stored: dict[str, StoredTable]) -> KeyFacts:
    table, other = stored.get(key.table), stored.get(key.referenced_table)
    return replace(
        key,
        table=table.name if table else key.table,
        columns=[_column_name(table, name) or name for name in key.columns],
        referenced_table=other.name if other else key.referenced_table,
        referenced_columns=[_column_name(other, name) for name in key.referenced_columns],
    )


def _column_name(table: StoredTable | None, stored_name: str | None) -> str | None:
    if table is None:
        return stored_name
    return next((c.name for c in table.columns if c.stored_name == stored_name), stored_name)
