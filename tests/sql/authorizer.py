"""What SQLite itself says a statement reads: the independent witness of the relevance labels.

While SQLite prepares a statement it asks an authorizer about every table and column that a name was resolved
to, before anything is optimised away. A statement is only prepared here (EXPLAIN), never run.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Reads:
    """Tables, and pairs of table and column, in lower case. A row id that is no column is ROWID to SQLite."""

    tables: set[str] = field(default_factory=set)
    columns: set[tuple[str, str]] = field(default_factory=set)


def reads(connection: sqlite3.Connection, sql: str) -> Reads:
    """What a statement reads of the real tables. sqlite3.Error where SQLite cannot prepare it."""
    found = Reads()

    def authorize(action: int, table: str | None, column: str | None, _: str | None, __: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table is not None:
            found.tables.add(table.lower())
            if column:
                found.columns.add((table.lower(), column.lower()))
        return sqlite3.SQLITE_OK

    connection.set_authorizer(authorize)
    try:
        connection.execute(f"EXPLAIN {sql}").close()
    finally:
        connection.set_authorizer(None)
    return found


def opened(path: Path) -> sqlite3.Connection:
    """A database file, read-only, without a cache of statements: each is prepared anew."""
    return sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, cached_statements=0)


def outline_of(connection: sqlite3.Connection) -> str:
    """The outline of a database as the file has it."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    return json.dumps(
        [
            {
                "table_key": table.lower(),
                "columns": [
                    name.lower()
                    for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
                ],
            }
            for (table,) in tables
        ]
    )


def published_outlines(path: Path) -> dict[str, str]:
    """The outlines of all databases of a `tables.json` as BIRD and Spider publish it, by database."""
    return {schema["db_id"]: _published_outline(schema) for schema in json.loads(path.read_text())}


def _published_outline(schema: dict[str, Any]) -> str:
    columns: list[list[str]] = [[] for _ in schema["table_names_original"]]
    for table, name in schema["column_names_original"]:
        if table >= 0:
            columns[table].append(name.lower())
    return json.dumps(
        [
            {"table_key": name.lower(), "columns": columns[place]}
            for place, name in enumerate(schema["table_names_original"])
        ]
    )
