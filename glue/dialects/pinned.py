"""What a database says of the server that it stands in for: the time on its clock, and its version.

Results are kept by the content of a file, and a gold may run months before a prediction. So the clock has to
stand still, and is part of the content: a macro `evalhouse_now()` in the database's main schema. Where there
is none it is DEFAULT_NOW, always. `evalhouse_version()` is the server's version (Oracle 19, SQL Server 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

DEFAULT_NOW = datetime(2025, 1, 15, 10, 30)  # no midnight, where TRUNC(SYSDATE) and SYSDATE would be one

_NOW, _VERSION = "evalhouse_now", "evalhouse_version"


@dataclass(frozen=True, slots=True)
class Pinned:
    """`now` is what the clock says; `version` is None where the dialect's default is meant."""

    now: datetime = DEFAULT_NOW
    version: int | None = None


def read_pinned(connection: duckdb.DuckDBPyConnection) -> Pinned:
    """What the database says. duckdb.Error where a macro of that name gives no moment or number."""
    row = connection.execute(
        """
        select
            bool_or(function_name = $now),
            bool_or(function_name = $version),
        from duckdb_functions()
        where database_name = current_database() and schema_name = 'main' and function_type = 'macro'
        """,
        {"now": _NOW, "version": _VERSION},
    ).fetchone()
    has_now, has_version = row or (False, False)
    now, version = DEFAULT_NOW, None
    if has_now:
        ((now,),) = connection.execute(f"select {_NOW}()::timestamp").fetchall()
    if has_version:
        ((version,),) = connection.execute(f"select {_VERSION}()::integer").fetchall()
    return Pinned(now, version)


def write_pinned(connection: duckdb.DuckDBPyConnection, pinned: Pinned) -> None:
    """Have the database say it."""
    moment = pinned.now.isoformat(" ")
    connection.execute(f"create or replace macro {_NOW}() as timestamp '{moment}'")
    if pinned.version is None:
        connection.execute(f"drop macro if exists {_VERSION}")
    else:
        connection.execute(f"create or replace macro {_VERSION}() as {pinned.version:d}")
