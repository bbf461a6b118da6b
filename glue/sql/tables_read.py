"""The real tables a text reads: names of CTEs, derived tables and table functions are not tables."""

from __future__ import annotations

from collections.abc import Iterable

from glue.sql.scopes import Statement


def tables_read(statements: Iterable[Statement]) -> list[str]:
    """Sorted distinct names in lower case, with a schema where another than the database's own is written."""
    found: set[str] = set()
    for statement in statements:
        found |= statement.tables
    return sorted(found)
