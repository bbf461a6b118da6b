"""What the server of a dialect says to a query: refused and where, unsupported here, or taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from glue.dialects.catalog import Column, StoredTable, read_catalog
from glue.dialects.elsewhere import valid_in
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.local import Settings, dialect_named
from glue.errors import GlueError, nearest

if TYPE_CHECKING:
    from glue.home import Home

Verdict = Literal["taken", "refused", "unsupported"]

_NO_TABLE = {"oracle": "ORA-00942", "tsql": "208"}
_UNGROUPED = frozenset({"ORA-00937", "ORA-00979", "8120"})
"""A column that is not grouped by: of these dialects SQLite alone takes it as it is set up."""
_NAMED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC|NUMBER)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_AFFINITIES = (
    (re.compile("INT"), "BIGINT"),
    (re.compile("CHAR|CLOB|TEXT|STRING"), "VARCHAR"),
    (re.compile("BLOB|BINARY|BYTEA"), "BLOB"),
    (re.compile("REAL|FLOA|DOUB"), "DOUBLE"),
    (re.compile("TIMESTAMP|DATETIME"), "TIMESTAMP"),
    (re.compile("DATE"), "DATE"),
    (re.compile("BOOL|^BIT"), "BOOLEAN"),
    (re.compile("NUM|DEC|MONEY"), "DECIMAL(28,10)"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """What is said to a query.

    `place` counts letters of the query from 0. `are_names_resolved` where the tables are known, or none is
    asked for. `valid_in` is for a query that is refused: the dialects that take it.
    """

    verdict: Verdict
    are_names_resolved: bool
    code: str | None = None
    message: str = ""
    place: int | None = None
    valid_in: tuple[str, ...] = ()


def check(
    sql: str, dialect: str, tables: Sequence[StoredTable] | None = None, version: int | None = None
) -> Check:
    """What the server says to the query, over these tables; over any, where none are given."""
    module = dialect_named(dialect)
    settings = Settings(version or module.DEFAULT_VERSION, datetime.now())
    try:
        module.translator(tables or (), settings)(sql)
    except DialectError as error:
        if tables is None and error.code == _NO_TABLE[dialect]:
            return Check("taken", are_names_resolved=False)
        return refusal(sql, dialect, error, tables is not None)
    except UnsupportedError as error:
        return refusal(sql, dialect, error, tables is not None)
    return Check("taken", are_names_resolved=True)


def refusal(
    sql: str, dialect: str, error: DialectError | UnsupportedError, are_names_resolved: bool = True
) -> Check:
    """What an error says of the query: refused, with the place and where it is valid, or unsupported."""
    if isinstance(error, UnsupportedError):
        return Check("unsupported", are_names_resolved, message=str(error))
    place = error.place if error.place is not None else _place(sql, error.message)
    elsewhere = _elsewhere(sql, dialect, error.code)
    return Check("refused", are_names_resolved, error.code, error.message, place, elsewhere)


def _elsewhere(sql: str, dialect: str, code: str) -> tuple[str, ...]:
    """Where the query is valid. What only its names or meaning are wrong of, others refuse as well."""
    found = valid_in(sql)
    if dialect not in found:
        return tuple(found)
    return ("sqlite",) if code in _UNGROUPED and "sqlite" in found else ()


def _place(sql: str, message: str) -> int | None:
    """Where the name that a message quotes stands in the query."""
    for quoted in _NAMED.findall(message):
        name = quoted[0] or quoted[1]
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE)
        if found:
            return found.start()
    return None


# The tables of a database


def tables_of(database: str, dialect: str, home: Home) -> list[StoredTable]:
    """The tables of a file, or of a database that was imported. GlueError where there is none."""
    path = Path(database)
    return _tables_of_file(path, dialect) if path.is_file() else _tables_of_import(database, home)


def _tables_of_file(path: Path, dialect: str) -> list[StoredTable]:
    import duckdb

    from glue.importers.introspection import engine_of, introspect

    if engine_of(path) == "duckdb":
        try:
            with duckdb.connect(str(path), read_only=True) as connection:
                return read_catalog(connection, dialect)
        except duckdb.Error as error:
            raise GlueError(f"{path} cannot be read: {error}") from error
    return [
        _table(table.name, [(column.name, column.data_type) for column in table.columns])
        for table in introspect(path).tables
    ]


def _tables_of_import(db_id: str, home: Home) -> list[StoredTable]:
    from glue.importers.common import landed_rows, newest_imports

    imports = {row["import_id"] for row in newest_imports(home).values()}
    names = ["import_id", "db_id", "table_name", "column_name", "column_position", "data_type"]
    rows = [row for row in landed_rows(home, "columns", names) if row["import_id"] in imports]
    columns: dict[str, dict[str, tuple[int, str | None]]] = {}
    for row in rows:
        if row["db_id"] == db_id and row["column_position"] is not None:
            table = columns.setdefault(row["table_name"], {})
            table[row["column_name"]] = (row["column_position"], row["data_type"])
    if not columns:
        close = nearest(db_id, sorted({row["db_id"] for row in rows if row["db_id"]}))
        raise GlueError(
            f"there is no file {db_id} and no database of this name has been imported",
            f"did you mean {close}?" if close else "glue import database FILE",
        )
    return [
        _table(name, [(column, said[1]) for column, said in sorted(found.items(), key=lambda one: one[1][0])])
        for name, found in columns.items()
    ]


def _table(name: str, columns: Sequence[tuple[str, str | None]]) -> StoredTable:
    found = tuple(Column(column, column, None, _stored_type(declared)) for column, declared in columns)
    return StoredTable(name, name, found, is_exact=False)


def _stored_type(declared: str | None) -> str:
    """DuckDB's type for a declared one of any dialect, by the words in it."""
    words = (declared or "TEXT").upper()
    digits = _DECIMAL.search(words)
    if digits:
        precision, scale = int(digits[1]), int(digits[2] or 0)
        return f"DECIMAL({min(precision, 38)},{min(scale, precision, 38)})"
    return next((stored for pattern, stored in _AFFINITIES if pattern.search(words)), "VARCHAR")
