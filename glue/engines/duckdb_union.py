"""Several DuckDB files as one database: attached read-only, each table a temporary view under its name there.

Attaching comes first; then access to anything else is turned off and the configuration locked. DuckDB looks
an unqualified name up among the views alone. The attached databases have names drawn for each session, so
that no statement can put one together, not even in `query('…')`; DuckDB's own catalog still lists them.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import replace

import duckdb

from glue.engines.base import Failure, Limits, Member, check_members, without_data
from glue.engines.duckdb import DuckDBSession, configuration

_PREFIX = "evalhouse_member_"
_HINT = re.compile(rf'\nDid you mean "{_PREFIX}[^\n]*')

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
            attached = [
                (_attach(connection, member.path), member.tables)
                for member in members
                if member.path is not None
            ]
            for name, value in later.items():
                connection.execute(f"SET {name} = {value}")
            for schema, tables in attached:
                _show(connection, schema, tables)
        except BaseException:
            connection.close()
            raise
        super().__init__(connection, limits)

    def failure(self, error: Exception) -> Failure:
        """See Session; a table of a database whose data is not at hand is `no_data`."""
        found = super().failure(error)
        found = replace(found, error_message=_HINT.sub("", found.error_message))
        return without_data(found, self._members)


def _attach(connection: duckdb.DuckDBPyConnection, path: str) -> str:
    """Attach a file, and give the name it has got."""
    schema = _PREFIX + secrets.token_hex(16)
    location = path.replace("'", "''")
    connection.execute(f"ATTACH '{location}' AS {schema} (READ_ONLY)")
    return schema


def _show(connection: duckdb.DuckDBPyConnection, schema: str, tables: Sequence[tuple[str, str]]) -> None:
    """Make a view of each table that is there, by its name in the union."""
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
            view = f"CREATE TEMP VIEW {_quoted(shown_as)} AS SELECT * FROM {schema}.main.{table}"
            with contextlib.suppress(duckdb.Error):  # a broken view, which is an unknown table here
                connection.execute(view)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
