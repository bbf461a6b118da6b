"""Database files that stand in for a server: made of its scripts, and asked in its SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from glue.dialects.loading import LoadReport, load_scripts
from glue.dialects.local import LocalSession
from glue.dialects.pinned import Pinned, read_pinned, write_pinned
from glue.duckdb_faults import RIGHT_ANSWERS
from glue.errors import GlueError


def make_database(
    database: Path, dialect: str, scripts: Sequence[Path], now: datetime | None, version: int | None
) -> LoadReport:
    """A new database file of what scripts say; it is there when all of them have been obeyed.

    GlueError where the file is there already, or a script is not.
    """
    for script in scripts:
        if not script.is_file():
            raise GlueError(f"there is no script {script}", "give the path of a file of SQL")
    if database.exists():
        raise GlueError(f"{database} is there already", "give the name of a file that is not, or delete it")
    making = database.with_name(f".{database.name}.making")
    making.unlink(missing_ok=True)
    try:
        report = _make(making, dialect, scripts, Pinned(now or Pinned().now, version))
        making.rename(database)
    except (OSError, duckdb.IOException) as error:
        hint = "give a file in a folder that is there"
        raise GlueError(f"cannot make {database}: {error}", hint) from error
    finally:
        making.unlink(missing_ok=True)
    return report


def _make(path: Path, dialect: str, scripts: Sequence[Path], pinned: Pinned) -> LoadReport:
    with duckdb.connect(str(path)) as connection:
        write_pinned(connection, pinned)
        session = LocalSession(connection, dialect, pinned.version, pinned.now)
        return load_scripts(session, scripts)


@contextmanager
def opened(database: Path, dialect: str) -> Iterator[LocalSession]:
    """A session on a database file that it cannot change. GlueError where it cannot be opened."""
    if not database.is_file():
        raise GlueError(f"there is no file {database}", "glue dialect load SCRIPT --database FILE makes one")
    settings: dict[str, str | bool | int | float | list[str]] = {
        **RIGHT_ANSWERS,
        "enable_external_access": "false",
        "temp_directory": "",
    }
    try:
        connection = duckdb.connect(str(database), read_only=True, config=settings)
    except duckdb.Error as error:
        raise GlueError(f"{database} cannot be opened: {error}", "give a DuckDB file") from error
    with connection:
        pinned = read_pinned(connection)
        yield LocalSession(connection, dialect, pinned.version, pinned.now)


def answer(session: LocalSession, sql: str, n_rows: int) -> tuple[list[str], list[tuple[Any, ...]], bool]:
    """Names of columns, at most so many rows, and whether there are more.

    Raises DialectError, UnsupportedError or duckdb.Error.
    """
    translation = session.translate(sql)
    with session.errors():
        rows = session.connection.execute(translation.sql).fetchmany(n_rows + 1)
    return list(translation.columns), rows[:n_rows], len(rows) > n_rows
