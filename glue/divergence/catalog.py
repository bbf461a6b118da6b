"""The schema of a database file, as its own catalog has it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glue.divergence.instances import Column, ForeignKey, Schema, Table
from glue.engines.base import Limits
from glue.engines.sqlite import quoted_name, uri_of

MAX_TABLES = 1_000


def schema_of(path: Path, engine: str, limits: Limits) -> Schema:
    """The schema of a file. Raises the engine's errors."""
    return _sqlite_schema(path) if engine == "sqlite" else _duckdb_schema(path, limits)


def _sqlite_schema(path: Path) -> Schema:
    connection = sqlite3.connect(uri_of(path), uri=True)
    try:
        entries = connection.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            " AND sql IS NOT NULL ORDER BY rowid LIMIT ?",
            [MAX_TABLES],
        ).fetchall()
        tables = {
            name.lower(): _sqlite_table(connection, name, sql)
            for kind, name, sql in entries
            if kind == "table" and not sql.upper().startswith("CREATE VIRTUAL")
        }
        keys = [key for table in tables.values() for key in _sqlite_keys(connection, table, tables)]
    finally:
        connection.close()
    views = tuple(sql for kind, _, sql in entries if kind == "view")
    return Schema(tables, tuple(keys), views)


def _sqlite_table(connection: sqlite3.Connection, name: str, sql: str) -> Table:
    rows = connection.execute(f"PRAGMA table_xinfo({quoted_name(name)})").fetchall()
    key = [column for _, column in sorted((place, column) for _, column, *_, place, _ in rows if place)]
    is_rowid_key = len(key) == 1 and any(
        column == key[0] and kind.upper() == "INTEGER" for _, column, kind, *_ in rows
    )
    columns = tuple(
        Column(
            column,
            kind,
            is_nullable=not not_null and not (is_rowid_key and column in key),
            is_generated=hidden > 1,
        )
        for _, column, kind, not_null, _, _, hidden in rows
        if hidden != 1
    )
    unique = [tuple(key)] if key else []
    for _, index, is_unique, _, is_partial in connection.execute(f"PRAGMA index_list({quoted_name(name)})"):
        if is_unique and not is_partial:
            parts = [part for _, _, part in connection.execute(f"PRAGMA index_info({quoted_name(index)})")]
            if None not in parts and tuple(parts) not in unique:
                unique.append(tuple(parts))
    has_rowid = "WITHOUT ROWID" not in " ".join(sql.upper().split())
    return Table(name, columns, tuple(unique), sql, has_rowid=has_rowid)


def _sqlite_keys(
    connection: sqlite3.Connection, table: Table, tables: Mapping[str, Table]
) -> list[ForeignKey]:
    parts: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, _, parent, column, referenced, *_ in connection.execute(
        f"PRAGMA foreign_key_list({quoted_name(table.name)})"
    ):
        parts.setdefault(number, []).append((parent.lower(), column, referenced))
    keys = []
    for columns in parts.values():
        parent = tables.get(columns[0][0])
        if parent is None:
            continue
        names = [referenced for *_, referenced in columns]
        if None in names:
            names = list(parent.unique[0]) if parent.unique else []
        known = {column.name.lower() for column in parent.columns}
        if len(names) == len(columns) and all(str(name).lower() in known for name in names):
            keys.append(
                ForeignKey(
                    table.name.lower(),
                    tuple(column for _, column, _ in columns),
                    parent.name.lower(),
                    tuple(str(name) for name in names),
                )
            )
    return keys


def _duckdb_schema(path: Path, limits: Limits) -> Schema:
    import duckdb

    from glue.engines.duckdb import configuration

    connection = duckdb.connect(str(path), read_only=True, config=configuration(limits))
    try:
        return _read_duckdb(connection)
    finally:
        connection.close()


def _read_duckdb(connection: Any) -> Schema:
    found = connection.execute(
        "select table_name, sql, comment from duckdb_tables()"
        " where schema_name = 'main' and not internal and not temporary order by table_oid limit ?",
        [MAX_TABLES],
    ).fetchall()
    columns: dict[str, list[tuple[Any, ...]]] = {}
    for table, *rest in connection.execute(
        "select table_name, column_name, data_type, is_nullable, comment from duckdb_columns()"
        " where schema_name = 'main' and not internal order by table_oid, column_index"
    ).fetchall():
        columns.setdefault(table, []).append(tuple(rest))
    constraints = connection.execute(
        "select table_name, constraint_type, constraint_column_names, referenced_table,"
        " referenced_column_names from duckdb_constraints()"
        " where schema_name = 'main' order by table_oid, constraint_index"
    ).fetchall()
    tables, keys = {}, []
    for name, sql, comment in found:
        own = [constraint[1:] for constraint in constraints if constraint[0] == name]
        unique = [tuple(names) for kind, names, *_ in own if kind == "PRIMARY KEY"]
        unique += [tuple(names) for kind, names, *_ in own if kind == "UNIQUE"]
        remarks = [f"COMMENT ON TABLE {quoted_name(name)} IS {_text(comment)}"] if comment else []
        remarks += [
            f"COMMENT ON COLUMN {quoted_name(name)}.{quoted_name(column)} IS {_text(remark)}"
            for column, _, _, remark in columns[name]
            if remark
        ]
        in_key = {column for names in unique[:1] for column in names}
        tables[name.lower()] = Table(
            name,
            tuple(
                Column(column, kind, bool(nullable) and column not in in_key)
                for column, kind, nullable, _ in columns[name]
            ),
            tuple(unique),
            _without_foreign_keys(sql),
            tuple(remarks),
        )
        keys += [
            ForeignKey(name.lower(), tuple(names), referenced.lower(), tuple(referenced_names))
            for kind, names, referenced, referenced_names in own
            if kind == "FOREIGN KEY"
        ]
    views = connection.execute(
        "select sql from duckdb_views() where schema_name = 'main' and not internal order by view_oid"
    ).fetchall()
    return Schema(tables, tuple(keys), tuple(sql for (sql,) in views))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _without_foreign_keys(sql: str) -> str:
    """A CREATE TABLE without its foreign keys, which are looked at apart: tables are filled in any order."""
    from sqlglot import exp, parse_one

    tree = parse_one(sql, dialect="duckdb")
    for node in list(tree.find_all(exp.ForeignKey)):
        parent = node.parent
        (parent if isinstance(parent, exp.Constraint) else node).pop()
    for reference in list(tree.find_all(exp.Reference)):
        holder = reference.parent
        (holder if isinstance(holder, exp.ColumnConstraint) else reference).pop()
    return tree.sql(dialect="duckdb")
