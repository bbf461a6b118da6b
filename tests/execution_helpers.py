"""What the tests of execution share: small databases, a writer that keeps rows in memory, one-line runs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from glue.execute import Statement, Summary, execute
from glue.home import Home

MEBIBYTE = 1 << 20


@dataclass
class MemoryWriter:
    """Keeps appended rows by table, in the order of appending."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)

    def append(self, table: str, rows: Iterable[Mapping[str, Any]] | pa.Table) -> None:
        """Rows as mappings or Arrow."""
        plain = rows.to_pylist() if isinstance(rows, pa.Table) else [dict(row) for row in rows]
        self.rows.setdefault(table, []).extend(plain)
        self.tables.append(table)

    def append_ipc(self, table: str, data: memoryview) -> None:
        """Rows as an Arrow stream."""
        self.append(table, pa.ipc.open_stream(data).read_all())

    def sync(self) -> None:
        """Memory needs none."""

    def executions(self) -> dict[str, dict[str, Any]]:
        """Executions by statement_id; every statement may have only one."""
        found = {row["statement_id"]: row for row in self.rows.get("executions", [])}
        assert len(found) == len(self.rows.get("executions", [])), "a statement has several executions"
        return found

    def result(self, result_id: str) -> dict[str, Any]:
        """The row of a result, which must be stored once."""
        (row,) = [row for row in self.rows.get("results", []) if row["result_id"] == result_id]
        return row

    def cells(self, result_id: str) -> list[list[str | None]]:
        """The stored rows of a result, in order; row numbers must run from 1."""
        rows = [row for row in self.rows.get("result_rows", []) if row["result_id"] == result_id]
        assert [row["row_number"] for row in rows] == list(range(1, len(rows) + 1))
        return [row["cells"] for row in rows]


def sha256(path: Path) -> str:
    """The digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sqlite_database(path: Path, script: str) -> Path:
    """A SQLite file made by a script."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


def duckdb_database(path: Path, script: str) -> Path:
    """A DuckDB file made by a script."""
    import duckdb

    connection = duckdb.connect(str(path))
    connection.execute(script)
    connection.close()
    return path


def statements(path: Path, sqls: Mapping[str, str], engine: str = "sqlite", **more: Any) -> list[Statement]:
    """Statements on one file, by the id they are given."""
    snapshot = sha256(path) if path.exists() else "0" * 64
    fields = {"variant": "untouched", **more}
    return [Statement(key, engine, snapshot, str(path), sql=sql, **fields) for key, sql in sqls.items()]


def run(home: Home, pending: list[Statement], **options: Any) -> tuple[MemoryWriter, Summary]:
    """Execute statements with one worker and a short limit, unless told otherwise."""
    writer = MemoryWriter()
    options = {"workers": 1, "timeout_s": 10.0, "max_memory_bytes": 512 * MEBIBYTE, **options}
    summary = execute(home, pending, writer=writer, **options)
    return writer, summary


def run_one(home: Home, path: Path, sql: str, engine: str = "sqlite", **options: Any) -> dict[str, Any]:
    """The execution of one statement, with `cells` where it was answered."""
    writer, _ = run(home, statements(path, {"only": sql}, engine), **options)
    execution = writer.executions()["only"]
    if execution["outcome"] == "answered":
        execution["cells"] = writer.cells(execution["result_id"])
    return execution
