"""Opening the warehouse file politely: who holds it, and how old it is."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from glue.errors import GlueError
from glue.home import Home

if TYPE_CHECKING:
    import duckdb

_HOLDER = re.compile(r"Conflicting lock is held in (?P<program>.*?) \(PID (?P<pid>\d+)\)")


def open_read_only(home: Home) -> duckdb.DuckDBPyConnection:
    """A read-only connection to the warehouse. GlueError when it is missing or another process writes it."""
    import duckdb

    if not home.warehouse.exists():
        raise GlueError(
            f"there is no warehouse at {home.warehouse}", "build it with `glue build` (or `dbt build`)"
        )
    try:
        return duckdb.connect(str(home.warehouse), read_only=True)
    except duckdb.Error as error:
        raise explained(error, home) from error


def ensure_writable(home: Home) -> None:
    """GlueError naming the process that has the warehouse open, before dbt stumbles over it."""
    import duckdb

    if not home.warehouse.exists():
        return
    try:
        duckdb.connect(str(home.warehouse)).close()
    except duckdb.Error as error:
        raise explained(error, home) from error


def explained(error: Exception, home: Home) -> GlueError:
    """DuckDB's error about the warehouse file, as one to act on."""
    holder = lock_holder(str(error))
    if holder is not None:
        pid, command = holder
        return GlueError(
            f"the warehouse {home.warehouse} is in use by process {pid}: {command}",
            f"wait until it is done, or end it with `kill {pid}`",
        )
    if "different configuration" in str(error):
        return GlueError(
            f"this process already has the warehouse {home.warehouse} open",
            "close that connection first",
        )
    return GlueError(
        f"cannot open the warehouse {home.warehouse}: {str(error).splitlines()[0]}",
        "the warehouse is disposable: delete the file and run `glue build`",
    )


def lock_holder(message: str) -> tuple[int, str] | None:
    """Process id and command line of the process that DuckDB's lock error names; None for another error."""
    found = _HOLDER.search(message)
    if found is None:
        return None
    pid = int(found["pid"])
    return pid, _command_line(pid) or found["program"]


def _command_line(pid: int) -> str | None:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    return " ".join(word.decode("utf-8", "replace") for word in words if word)[:300] or None


def newest_landing(home: Home) -> datetime | None:
    """When the newest landed batch was written (UTC); None when nothing has landed."""
    from glue.landing import batch_files
    from glue.landing_tables import TABLES

    moments = [path.stat().st_mtime for table in TABLES for path in batch_files(home, table)]
    return datetime.fromtimestamp(max(moments), UTC) if moments else None


def is_stale(home: Home, connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether something has landed since the last whole build of this warehouse began."""
    import duckdb

    newest = newest_landing(home)
    if newest is None:
        return False
    try:
        row = connection.execute("select max(epoch(build_started_at)) from build_state").fetchone()
    except duckdb.CatalogException:  # only a part has been built so far
        return True
    return row is None or row[0] is None or row[0] < newest.timestamp()
