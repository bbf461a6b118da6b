"""The real tables a text reads: names of CTEs, derived tables and table functions are not tables."""

from __future__ import annotations

from collections.abc import Iterable

from glue.sql.scopes import Statement


def tables_read(statements: Iterable[Statement]) -> list[str]:
    """Sorted distinct names, lower-cased, after a schema where one is written that is not the database's own."""
    found: set[str] = set()
    for statement in statements:
        found |= statement.tables
    return sorted(found)
