"""Supplementary instances D′ (ESQ-Bench, section 5.4): a few inserts and updates over a database's base data.

A step is a row of the manifest and knows no dialect; here it becomes the statement of an engine, and is run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from glue.bank.manifest import BankColumn, BankTable, InstanceStep, Value
from glue.errors import GlueError

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TEXT_LITERAL = re.compile(r"'((?:[^']|'')*)'")


def render_step(step: InstanceStep, table: BankTable, engine: str) -> str:
    """The statement of one step in the words of `engine`: sqlite, duckdb or oracle.

    SQLite keeps dates as ISO text; the others get DATE literals, also in the condition of an update.
    """
    columns = {column.name: column for column in table.columns}
    values = {name: _literal(value, columns[name], engine) for name, value in step.assignments.items()}
    if step.action == "insert":
        return f"INSERT INTO {table.name} ({', '.join(values)}) VALUES ({', '.join(values.values())})"
    changes = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f"UPDATE {table.name} SET {changes} WHERE {_condition(step.row_condition or '', engine)}"


def apply_steps(
    connection: Any, tables: Sequence[BankTable], steps: Sequence[InstanceStep], engine: str
) -> None:
    """Run the steps over a connection of `engine` (sqlite3's or DuckDB's).

    GlueError naming instance and step for one that fails or touches no row.
    """
    by_name = {table.name: table for table in tables}
    for step in steps:
        statement = render_step(step, by_name[step.table_name], engine)
        place = f"instance {step.instance}, step {step.step}"
        try:
            cursor = connection.execute(statement)
            n_rows = cursor.rowcount if engine == "sqlite" else cursor.fetchone()[0]
        except Exception as error:
            raise GlueError(
                f"{place} fails: {str(error).splitlines()[0]}", f"mend it in instances.csv: {statement}"
            ) from error
        if n_rows < 1:
            raise GlueError(f"{place} touches no row", f"mend its row_condition: {statement}")


def quoted(text: str) -> str:
    """A text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _literal(value: Value, column: BankColumn, engine: str) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return str(value)
    is_date = column.data_type == "DATE" and engine != "sqlite"
    return f"DATE {quoted(value)}" if is_date else quoted(value)


def _condition(condition: str, engine: str) -> str:
    if engine == "sqlite":
        return condition

    def dated(match: re.Match[str]) -> str:
        return f"DATE {match[0]}" if _ISO_DATE.fullmatch(match[1]) else match[0]

    return _TEXT_LITERAL.sub(dated, condition)
