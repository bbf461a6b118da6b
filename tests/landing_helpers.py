"""What tests of the landing zone share: rows in, rows out, and writers that die."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as parquet

from glue import landing
from glue.home import Home
from tests.landing_processes import execution


def query(home: Home, table: str, select: str = "*") -> list[Any]:
    """What a DuckDB client sees of a landing table through the glob that dbt uses."""
    files = home.landing / table / "*.parquet"
    sql = f"select {select} from read_parquet('{files}', union_by_name = true) order by all"
    return _connection().execute(sql).fetchall()


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"enable_external_file_cache": "false"})


def count(home: Home, table: str) -> int:
    """The number of rows in a table's files, a row twice where it lies twice."""
    return sum(parquet.read_metadata(path).num_rows for path in (home.landing / table).glob("*.parquet"))


def land(home: Home, table: str, rows: list[dict[str, Any]]) -> None:
    with landing.Writer(home, "import", "glue import") as writer:
        writer.append(table, rows)


def die(writer: landing.Writer) -> Path:
    """End a writer as the kernel ends it on kill -9: what it holds is closed, nothing else happens."""
    journal = writer._journal
    assert journal is not None
    journal.close()
    writer._lock.release()
    return journal.path


def dead_writer(home: Home, keys: list[str]) -> Path:
    """The journal of a writer that died after appending an execution for each key."""
    writer = landing.Writer(home, "execute").__enter__()
    for key in keys:
        writer.append("executions", execution(key))
    return die(writer)
