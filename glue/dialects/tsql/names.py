"""What a name means in a query for SQL Server: a column, a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from glue.dialects import nodes
from glue.dialects.catalog import StoredTable
from glue.dialects.errors import UnsupportedError
from glue.dialects.local import Settings
from glue.dialects.scopes import Field, Output, Relation, Scope
from glue.dialects.tsql.functions import DATE_PART_CALLS
from glue.dialects.tsql.types import known
from glue.dialects.tsql_errors import TSQLError
from glue.dialects.values import Sql

OWN_SCHEMA = "DBO"
_UNGROUPED = {"HAVING": "8121", "ORDER BY": "8127"}
"""With which number a column is refused that is no key of its group; 8120 in the select list."""


def folded(name: nodes.Identifier) -> str:
    """A name as it is compared: capitals do not count."""
    return name.text.upper()


def written(node: nodes.Name) -> str:
    """A name as it stands in the query."""
    return ".".join(part.text for part in node.parts)


class Names:
    """A translation as far as it knows names. `scope` is that of the block that is being translated."""

    def __init__(self, tables: Sequence[StoredTable], settings: Settings) -> None:
        self.tables = {table.name.upper(): table for table in tables}
        self.settings = settings
        self.scope = Scope()
        self.clause = ""
        """That of the block which is being translated: WHERE, SELECT, …."""
        self.named_queries: dict[str, tuple[str, list[Output]]] = {}
        """Those of WITH that can be seen: DuckDB's name of each, and its columns."""
        self.columns_of_tables: set[str] = set()
        """The names of columns that tables of the statement have, whether it selects them or not."""
        self._n_aliases = 0

    def alias(self, letter: str = "t") -> str:
        """A name that stands for one table in DuckDB's statement, and is that of no stored table."""
        self._n_aliases += 1
        name = f"{letter}{self._n_aliases}"
        return self.alias(letter) if name.upper() in self.tables else name

    @abstractmethod
    def value(self, node: nodes.Value) -> Sql:
        """The value in DuckDB's SQL. Raises TSQLError and UnsupportedError."""

    @contextmanager
    def within(self, scope: Scope) -> Iterator[Scope]:
        """Names are those of this scope, and of those around it."""
        before, self.scope = self.scope, scope
        try:
            yield scope
        finally:
            self.scope = before

    @contextmanager
    def in_clause(self, clause: str) -> Iterator[None]:
        """What is translated stands in this clause."""
        before, self.clause = self.clause, clause
        try:
            yield
        finally:
            self.clause = before

    def name(self, node: nodes.Name) -> Sql:
        """A column, or a word with a value. Raises 207, 209, 4104, 8120 and others."""
        field, scope = self.field(node)
        return self.field_value(field, scope)

    def field(self, node: nodes.Name) -> tuple[Field, Scope]:
        """The column, and the block it belongs to."""
        parts = [folded(part) for part in node.parts]
        scope: Scope | None = self.scope
        while scope is not None:
            found = self._fields_in(scope, parts, node)
            if len(found) > 1:
                raise TSQLError("209", f"the column {written(node)} is one of several")
            if found:
                return found[0], scope
            scope = scope.outer
        if len(parts) == 1:
            raise TSQLError("207", f"there is no column {written(node)}")
        raise TSQLError("4104", f"nothing here is called {written(node)}")

    def _fields_in(self, scope: Scope, parts: list[str], node: nodes.Name) -> list[Field]:
        if len(parts) == 1:
            return scope.named(parts[0])
        relations = relations_called(scope, parts[:-1])
        if not relations:
            return []
        found = [field for field in relations[0].fields if field.name == parts[-1]]
        if not found:
            raise TSQLError("207", f"there is no column {written(node)}")
        return found

    def field_value(self, field: Field, scope: Scope) -> Sql:
        """A column's value in this place: of its row, or of its group. Raises 8120, 8121 and 8127."""
        value = known(field.sql())
        grouped = scope.grouped
        if grouped is None:
            return value
        key = grouped.keys.get(value.text)
        if key is not None:
            return key
        code = _UNGROUPED.get(self.clause, "8120")
        raise TSQLError(code, f"{field.name} is neither in an aggregate nor in GROUP BY")


def columns_within(node: nodes.Node) -> Iterator[nodes.Name]:
    """The names of columns in it, but for those in queries within it; a part of a date is none."""
    if isinstance(node, nodes.Name):
        yield node
    for part in nodes.children(node):
        is_date_part = (
            isinstance(node, nodes.Call) and node.name in DATE_PART_CALLS and part is node.arguments[0]
        )
        if not is_date_part:
            yield from columns_within(part)


def relations_called(scope: Scope, names: list[str]) -> list[Relation]:
    """The tables of this block alone that these names mean: an alias, a table's name with its schema."""
    if len(names) == 1:
        return scope.relation(names[0])
    if len(names) > 2:
        raise UnsupportedError("a column with the name of its database")
    if names[0] not in (OWN_SCHEMA, ""):
        return []
    return [relation for relation in scope.relation(names[-1]) if relation.is_stored]
