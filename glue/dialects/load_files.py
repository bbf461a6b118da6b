"""A script into a DuckDB file, which then stands in for the server that the script was written for."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from glue.dialects.loading import LoadReport, load_script
from glue.dialects.local import LocalSession
from glue.dialects.pinned import Pinned, read_pinned, write_pinned
from glue.errors import GlueError


def load_file(
    script: Path, dialect: str, database: Path, now: datetime | None = None, version: int | None = None
) -> LoadReport:
    """Load it, and pin the clock and version where they are given. GlueError for files that are none."""
    import duckdb

    if not script.is_file():
        raise GlueError(f"there is no script {script}", "give a file of SQL statements")
    try:
        with duckdb.connect(str(database)) as connection:
            before = read_pinned(connection)
            pinned = Pinned(now or before.now, version or before.version)
            if pinned != before:
                write_pinned(connection, pinned)
            session = LocalSession(connection, dialect, pinned.version, pinned.now)
            return load_script(session, script)
    except duckdb.Error as error:
        raise GlueError(
            f"{database} cannot be written: {str(error).splitlines()[0]}",
            "give a DuckDB file that no other program has open, or one that is still to be made",
        ) from error
