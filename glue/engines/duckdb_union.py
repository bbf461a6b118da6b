"""Several DuckDB files as one database: attached read-only, each table a temporary view under its name there.

Attaching and the views come first; then access to anything else is turned off and the configuration locked.
DuckDB looks an unqualified name up among the views alone; the attached databases have names that begin with
`SCHEMA_PREFIX`, and a statement that holds it anywhere is not run.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from glue.engines.base import Failure, Limits, Member, Refused, check_members, without_data
from glue.engines.duckdb import DuckDBSession, configuration

SCHEMA_PREFIX = "evalhouse_member_"

_ONLY_LATER = ("enable_external_access", "lock_configuration")
"""Settings that would forbid attaching."""


class DuckDBUnionSession(DuckDBSession):
    """One open union. TooManyDatabases beyond the limit, duckdb.Error when a file cannot be attached."""

    def __init__(self, members: Sequence[Member], limits: Limits) -> None:
        check_members(members)
        self._members = members
        settings = configuration(limits)
        later = {name: settings.pop(name) for name in _ONLY_LATER}
        connection = duckdb.connect(":memory:", config=settings)
        try:
            for number, member in enumerate(members, start=1):
                if member.path is not None:
                    _attach(connection, f"{SCHEMA_PREFIX}{number}", member.path, member.tables)
            for name, value in later.items():
                connection.execute(f"SET {name} = {value}")
        except BaseException:
            connection.close()
            raise
        super().__init__(connection, limits)

    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """See Session."""
        if SCHEMA_PREFIX in sql.lower():
            raise Refused("forbidden", f"names that begin with {SCHEMA_PREFIX} are not for statements")
        return super().execute(sql, as_raw_text)

    def failure(self, error: Exception) -> Failure:
        """See Session; a table of a database whose data is not at hand is `no_data`."""
        return without_data(super().failure(error), self._members)


def _attach(
    connection: duckdb.DuckDBPyConnection, schema: str, path: str, tables: Sequence[tuple[str, str]]
) -> None:
    location = path.replace("'", "''")
    connection.execute(f"ATTACH '{location}' AS {schema} (READ_ONLY)")
    names = {
        name.lower(): name
        for (name,) in connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'main'"
            " UNION ALL SELECT view_name FROM duckdb_views()"
            " WHERE database_name = $1 AND schema_name = 'main' AND NOT internal",
            [schema],
        ).fetchall()
    }
    for name, shown_as in tables:
        if name.lower() in names:
            table = _quoted(names[name.lower()])
            connection.execute(f"CREATE TEMP VIEW {_quoted(shown_as)} AS SELECT * FROM {schema}.main.{table}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
