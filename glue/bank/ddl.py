"""CREATE TABLE for each engine: the manifest's types in the engine's own words, enforced keys as constraints.

A key that is merely inferred (`is_enforced` false) is told to models as such and made nowhere. Texts compare
by their characters, as Oracle's do by default, also in PostgreSQL and MySQL; SQL Server keeps its own
collation. SQLite keeps a DECIMAL as REAL, so that dividing it never divides integers, and a DATE as ISO text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from glue.bank.manifest import BankKey, BankTable


@dataclass(frozen=True)
class _Words:
    """How an engine writes types (the manifest's own where none is named), names and texts' collation."""

    types: dict[str, str] = field(default_factory=dict)
    quotes: tuple[str, str] = ('"', '"')
    has_capitals: bool = False
    collation: str = ""


_ORACLE_TYPES = {"INTEGER": "NUMBER(10)", "DECIMAL": "NUMBER({})", "VARCHAR": "VARCHAR2({} CHAR)"}
_SQL_SERVER_TYPES = {"INTEGER": "INT", "VARCHAR": "NVARCHAR({})"}
_MYSQL = _Words({"INTEGER": "INT"}, ("`", "`"), collation=" CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
_WORDS = {
    "sqlite": _Words({"DECIMAL": "REAL"}),
    "duckdb": _Words(),
    "oracle-local": _Words(
        {"INTEGER": "DECIMAL(10,0)", "VARCHAR": "VARCHAR", "DATE": "TIMESTAMP"}, has_capitals=True
    ),
    "mssql-local": _Words({"VARCHAR": "VARCHAR"}),
    "postgresql": _Words({"DECIMAL": "NUMERIC({})"}, collation=' COLLATE "C"'),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "oracle": _Words(_ORACLE_TYPES, has_capitals=True),
    "sqlserver": _Words(_SQL_SERVER_TYPES, ("[", "]")),
}
_DECLARED = {**_WORDS, "oracle-local": _WORDS["oracle"], "mssql-local": _WORDS["sqlserver"]}
"""A local engine's columns are declared as on its server, and stored as DuckDB's."""


def declared_type(data_type: str, engine: str) -> str:
    """A type of the manifest as the engine's catalog has it."""
    return _type(data_type, _DECLARED[engine])


def own_name(name: str, engine: str) -> str:
    """A name as the engine keeps it."""
    return name.upper() if _WORDS[engine].has_capitals else name


def quoted_name(name: str, engine: str) -> str:
    """A name in the engine's quotes, as the engine keeps it."""
    opening, closing = _WORDS[engine].quotes
    return f"{opening}{own_name(name, engine).replace(closing, closing * 2)}{closing}"


def create_statement(table: BankTable, engine: str, schema: str | None = None) -> str:
    """The CREATE TABLE statement of `table` with its keys, in the words of `engine`, in a schema or none."""
    words = _WORDS[engine]
    parts = []
    for column in table.columns:
        collation = words.collation if column.data_type.startswith("VARCHAR") else ""
        null = "" if column.is_nullable else " NOT NULL"
        parts.append(f"{quoted_name(column.name, engine)} {_type(column.data_type, words)}{collation}{null}")
    if table.primary_key:
        parts.append(f"PRIMARY KEY ({name_list(table.primary_key, engine)})")
    parts += [_foreign_key(key, engine, schema) for key in table.foreign_keys if key.is_enforced]
    return f"CREATE TABLE {place(table.name, engine, schema)} (\n    " + ",\n    ".join(parts) + "\n)"


def place(name: str, engine: str, schema: str | None = None) -> str:
    """A table's name, with its schema where there is one."""
    table = quoted_name(name, engine)
    return table if schema is None else f"{quoted_name(schema, engine)}.{table}"


def name_list(names: Iterable[str], engine: str) -> str:
    """Names in the engine's quotes, with commas between."""
    return ", ".join(quoted_name(name, engine) for name in names)


def _foreign_key(key: BankKey, engine: str, schema: str | None) -> str:
    return (
        f"CONSTRAINT {quoted_name(key.name, engine)} FOREIGN KEY ({name_list(key.columns, engine)}) "
        f"REFERENCES {place(key.referenced_table, engine, schema)} "
        f"({name_list(key.referenced_columns, engine)})"
    )


def _type(data_type: str, words: _Words) -> str:
    kind, _, size = data_type.partition("(")
    return words.types[kind].format(size.rstrip(")")) if kind in words.types else data_type
