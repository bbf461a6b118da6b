"""Several SQLite files as one database: attached read-only, each table a temporary view under its name there.

Attaching and the views come first; then the session is restricted like that of one file, and nothing can be
attached or made any more. What a statement may not name:

* A table by its own name. SQLite would look an unqualified name up in every attached file, so that each such
  name is taken by a view over a table that is not there: naming it is `no such table`.
* A table by the name of its schema: such names begin with `SCHEMA_PREFIX`, and a statement that holds it
  anywhere is not run.
* What SQLite keeps for itself: `sqlite_temp_master`, and the `sqlite_…` tables of the attached files.
  `sqlite_master` is that of the empty database in memory in which the views live.
* `rowid`. A view has none, and SQLite may give NULL for it: it is an unknown column.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from glue.engines.base import Failure, Limits, Member, Refused, check_members, common_failure, without_data
from glue.engines.sqlite import PAGE_CACHE_KIBIBYTES, SQLiteSession, quoted_name, uri_of

SCHEMA_PREFIX = "evalhouse_member_"

_OWN_SCHEMAS = {"main", None}
_CATALOGS = {"sqlite_master", "sqlite_schema"}
_ROWID = "rowid"


class SQLiteUnionSession(SQLiteSession):
    """One open union. TooManyDatabases beyond the limit, sqlite3.Error when a file is no database."""

    def __init__(self, members: Sequence[Member], limits: Limits) -> None:
        check_members(members)
        self._members = members
        self._attached = [
            (f"{SCHEMA_PREFIX}{number}", Path(member.path), member.tables)
            for number, member in enumerate(members, start=1)
            if member.path is not None
        ]
        self._without_rowid: set[str] = set()
        super().__init__("file::memory:", limits)

    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """See Session."""
        self._denied = None
        if SCHEMA_PREFIX in sql.lower():
            raise Refused("forbidden", f"names that begin with {SCHEMA_PREFIX} are not for statements")
        return super().execute(sql, as_raw_text)

    def failure(self, error: Exception) -> Failure:
        """See Session; a table of a database whose data is not at hand is `no_data`."""
        if self._denied == _ROWID and common_failure(error) is None:
            return Failure("failed", "unknown_column", None, f"no such column: {_ROWID}")
        return without_data(super().failure(error), self._members)

    def _read_schema(self) -> None:
        own_names: dict[str, str] = {}
        views: dict[str, tuple[str, str, str]] = {}
        for schema, path, tables in self._attached:
            self._connection.execute(f"ATTACH ? AS {schema}", (uri_of(path),)).close()
            self._connection.execute(f"PRAGMA {schema}.cache_size = -{PAGE_CACHE_KIBIBYTES}").close()
            found = self._connection.execute(
                f"SELECT name FROM {schema}.sqlite_master WHERE type IN ('table', 'view')"
                " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            ).fetchall()
            own_names |= {_folded(name): name for (name,) in found}
            names = {name.lower(): name for (name,) in found}
            with_own_rowid = self._with_own_rowid(schema)
            for name, shown_as in tables:
                if name.lower() in names:
                    views[_folded(shown_as)] = (shown_as, schema, names[name.lower()])
                    if name.lower() not in with_own_rowid:
                        self._without_rowid.add(shown_as.lower())
        for folded, name in own_names.items():
            views.setdefault(folded, (name, "main", name))  # which lacks it: that is said when it is used
        self._show(list(views.values()))

    def _with_own_rowid(self, schema: str) -> set[str]:
        """Tables and views that have a column of that name."""
        candidates = self._connection.execute(
            f"SELECT name FROM {schema}.sqlite_master"
            " WHERE type = 'view' OR type = 'table' AND sql LIKE '%rowid%'"
        ).fetchall()
        found = set()
        for (name,) in candidates:
            with contextlib.suppress(sqlite3.Error):  # a broken view, or a module that this build lacks
                columns = self._connection.execute(
                    "SELECT lower(name) FROM pragma_table_info(?, ?)", (name, schema)
                ).fetchall()
                if (_ROWID,) in columns:
                    found.add(name.lower())
        return found

    def _show(self, views: list[tuple[str, str, str]]) -> None:
        """Make views, each a name over the table of a schema."""
        self._connection.execute("BEGIN").close()
        for name, schema, table in views:
            self._connection.execute(
                f"CREATE TEMP VIEW {quoted_name(name)} AS SELECT * FROM {schema}.{quoted_name(table)}"
            ).close()
        self._connection.execute("COMMIT").close()

    def _schemas(self) -> list[str]:
        return [schema for schema, _, _ in self._attached]

    def _authorize(
        self, action: int, name: str | None, other: str | None, schema: str | None = None, *more: str | None
    ) -> int:
        table = (name or "").lower()
        if action == sqlite3.SQLITE_READ:
            if table.startswith("sqlite_") and (table not in _CATALOGS or schema not in _OWN_SCHEMAS):
                self._denied = f"use of {name}"
                return sqlite3.SQLITE_DENY
            if other == "ROWID" and table in self._without_rowid:
                self._denied = _ROWID
                return sqlite3.SQLITE_DENY
        return super()._authorize(action, name, other, schema, *more)


def _folded(name: str) -> str:
    """A name as SQLite compares it: A to Z in lower case, all else as it is."""
    return name.encode().lower().decode()
