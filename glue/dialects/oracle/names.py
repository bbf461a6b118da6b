"""What a name means in a query for Oracle: a column, a word with a value, a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from glue.dialects import nodes
from glue.dialects.catalog import StoredTable, quoted
from glue.dialects.errors import UnsupportedError
from glue.dialects.local import Settings
from glue.dialects.oracle.kinds import column_value, known, moment_constant
from glue.dialects.oracle_errors import OracleError
from glue.dialects.scopes import Field, Output, Scope
from glue.dialects.values import Sql

_NOW = {
    "SYSDATE": "date",
    "CURRENT_DATE": "date",
    "SYSTIMESTAMP": "timestamp",
    "CURRENT_TIMESTAMP": "timestamp",
    "LOCALTIMESTAMP": "timestamp",
}
_OF_HIERARCHIES = frozenset({"LEVEL", "CONNECT_BY_ISLEAF", "CONNECT_BY_ISCYCLE"})
_OF_SESSIONS = frozenset({"USER", "UID", "SESSIONTIMEZONE", "DBTIMEZONE", "ORA_ROWSCN"})
_WORDS = frozenset({"ROWNUM", *_NOW, *_OF_HIERARCHIES, *_OF_SESSIONS})


def folded(name: nodes.Identifier) -> str:
    """A name as the catalog has it: in capitals unless it is quoted."""
    return name.text if name.is_quoted else name.text.upper()


class Catalog:
    """The stored tables under Oracle's names, with what is known of their columns."""

    def __init__(self, tables: Sequence[StoredTable]) -> None:
        self.tables = {table.name if table.is_exact else table.name.upper(): table for table in tables}
        self.stored_names = frozenset(table.stored_name.lower() for table in tables)
        """In small letters: to DuckDB they are all one."""
        self._columns: dict[str, list[tuple[str, str, Sql]]] = {}

    def columns(self, table: StoredTable) -> list[tuple[str, str, Sql]]:
        """Of each column its name, DuckDB's name in quotes, and its kind (see column_value)."""
        found = self._columns.get(table.stored_name)
        if found is None:
            found = [
                (
                    column.name if table.is_exact else column.name.upper(),
                    quoted(column.stored_name),
                    column_value(column),
                )
                for column in table.columns
            ]
            self._columns[table.stored_name] = found
        return found


class Names:
    """A translation as far as it knows names. `scope` is that of the block that is being translated."""

    def __init__(self, catalog: Catalog, settings: Settings) -> None:
        self.catalog = catalog
        self.settings = settings
        self.words: frozenset[str] = frozenset()
        """Those of the statement, in capitals."""
        self.has_marks = False
        """May a (+) stand in the statement?"""
        self.scope = Scope()
        self.named_queries: dict[str, tuple[str, list[Output]]] = {}
        """Those of WITH that can be seen: DuckDB's name of each, and its columns."""
        self._n_aliases = 0
        self._other_relations: dict[str, str] = {}

    def alias(self, letter: str = "t") -> str:
        """A name that stands for one table in DuckDB's statement, and is that of no stored table."""
        self._n_aliases += 1
        name = f"{letter}{self._n_aliases}"
        return self.alias(letter) if name in self.catalog.stored_names else name

    @abstractmethod
    def value(self, node: nodes.Value) -> Sql:
        """The value in DuckDB's SQL. Raises OracleError and UnsupportedError."""

    @contextmanager
    def within(self, scope: Scope) -> Iterator[Scope]:
        """Names are those of this scope, and of those around it."""
        before, self.scope = self.scope, scope
        try:
            yield scope
        finally:
            self.scope = before

    @contextmanager
    def in_other_rows(self, relations: dict[str, str]) -> Iterator[None]:
        """Columns are taken from other rows of the same shape: PRIOR's, the root's."""
        before, self._other_relations = self._other_relations, relations
        try:
            yield
        finally:
            self._other_relations = before

    def name(self, node: nodes.Name) -> Sql:
        """A column or a word with a value. Raises ORA-00904, ORA-00918, ORA-00979 and others."""
        parts = self.parts(node)
        if len(parts) == 1 and not node.parts[0].is_quoted:
            word = self._word(parts[0])
            if word is not None:
                return word
        field, scope = self.field(parts, node)
        return self.field_value(field, scope)

    def parts(self, node: nodes.Name) -> list[str]:
        """The names of which it is made, folded."""
        return [folded(part) for part in node.parts]

    def _word(self, word: str) -> Sql | None:
        """A word that no column can be called, or that none is."""
        pseudo = self.scope.pseudo.get(word)
        if pseudo is not None:
            return self.in_this_place(pseudo, word, self.scope)
        if word == "ROWNUM":
            raise UnsupportedError("ROWNUM here")
        if word in _OF_HIERARCHIES and not self.scope.named(word):
            raise OracleError("ORA-01788", f"{word} without CONNECT BY in this query block")
        if word in _NOW and not self.scope.named(word):
            is_date = _NOW[word] == "date"
            now = self.settings.now.replace(microsecond=0) if is_date else self.settings.now
            return moment_constant(now, _NOW[word])
        if word in _OF_SESSIONS and not self.scope.named(word):
            raise UnsupportedError(word)
        return None

    def is_word(self, node: nodes.Name) -> bool:
        """Is it a word with a value of its own, and no column?"""
        name = node.parts[0]
        return (
            len(node.parts) == 1
            and not name.is_quoted
            and name.text.upper() in _WORDS
            and not self.scope.named(name.text.upper())
        )

    def field(self, parts: list[str], node: nodes.Name) -> tuple[Field, Scope]:
        """The column, and the block it belongs to."""
        scope: Scope | None = self.scope
        while scope is not None:
            found = self._fields_in(scope, parts, node)
            if len(found) > 1:
                raise OracleError("ORA-00918", f"column {written(node)} is ambiguously defined")
            if found:
                return found[0], scope
            scope = scope.outer
        raise OracleError("ORA-00904", f"{written(node)}: invalid identifier")

    def _fields_in(self, scope: Scope, parts: list[str], node: nodes.Name) -> list[Field]:
        if len(parts) == 1:
            return scope.named(parts[0])
        relations = scope.relation(parts[-2])
        if not relations:
            return []
        if len(parts) > 2 and not relations[0].is_stored:
            raise OracleError("ORA-00904", f"{written(node)}: invalid identifier")
        found = [field for relation in relations for field in relation.fields if field.name == parts[-1]]
        if not found:
            raise OracleError("ORA-00904", f"{written(node)}: invalid identifier")
        if parts[-1] in scope.merged and found[0] in scope.merged[parts[-1]]:
            code = "ORA-25155" if parts[-1] in scope.naturally_merged else "ORA-25154"
            raise OracleError(code, f"{written(node)}: a column that was joined by its name has no table")
        return found

    def field_value(self, field: Field, scope: Scope) -> Sql:
        """A column's value in this place: of its row, of another row, of its group."""
        value = field.sql(self._other_relations.get(field.relation))
        return self.in_this_place(known(value), field.name, scope)

    def in_this_place(self, value: Sql, name: str | None, scope: Scope) -> Sql:
        """The value where the scope's rows are not grouped, else the key that it is of its group."""
        grouped = scope.grouped
        if grouped is None:
            return value
        key = grouped.keys.get(value.text)
        if key is not None:
            return key
        if grouped.has_keys:
            raise OracleError("ORA-00979", f"{name}: not a GROUP BY expression")
        raise OracleError("ORA-00937", f"{name}: not a single-group group function")


def written(node: nodes.Name) -> str:
    """A name as Oracle's errors show it."""
    return ".".join(f'"{folded(part)}"' for part in node.parts)
