"""The tables that a script makes, in DuckDB: made when their first row comes, with all that was said of them.

Until then ALTER TABLE adds to them, for DuckDB adds few constraints to a table that is there. What it cannot
hold is told in `not_kept`: a foreign key of a circle or to other types, a check that does more than compare.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import duckdb

from glue.dialects import oracle_columns, tsql_columns
from glue.dialects.catalog import (
    StoredTable,
    column_comment,
    quoted,
    quoted_text,
    read_catalog,
    table_comment,
)
from glue.dialects.definitions import ColumnDefinition, Constraint, TableDefinition
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.inserts import InsertReader
from glue.dialects.local import LocalSession
from glue.dialects.oracle_errors import OracleError
from glue.dialects.stored_checks import check_sql
from glue.dialects.stored_types import Declared, StoredType
from glue.dialects.tsql_errors import TSQLError


@dataclass(slots=True)
class LoadedColumn:
    """A column of a table that is in DuckDB."""

    name: str
    stored_name: str
    type: StoredType
    definition: ColumnDefinition | None = None
    n_counted: int = 0
    """How many numbers an identity column has given."""


@dataclass(slots=True)
class LoadedTable:
    """A table that is in DuckDB, and the columns of a foreign key to itself with those they refer to."""

    name: str
    stored_name: str
    columns: dict[str, LoadedColumn]
    own_keys: list[tuple[list[str], list[str]]] = field(default_factory=list)

    def where(self, column: str) -> str:
        """The column's name in messages."""
        return f"{quoted(self.name)}.{quoted(column)}"


class Tables:
    """The tables of a session's database, those that are still to be made among them."""

    def __init__(self, session: LocalSession) -> None:
        self.not_kept: list[str] = []
        self.is_known = True
        """Does the session know the tables as they are?"""
        self._session = session
        self._is_oracle = session.dialect == "oracle"
        self._waiting: dict[str, TableDefinition] = {}
        self._definitions: dict[str, TableDefinition] = {}
        self._loaded: dict[str, LoadedTable] = {}
        self._descriptions: dict[tuple[str, str], str] = {}
        self._catalog = {
            self._key(self._name(table)): table for table in read_catalog(session.connection, session.dialect)
        }
        self._stored_names = {table.stored_name.lower() for table in self._catalog.values()}

    def refused(self, oracle: str, tsql: str, message: str) -> DialectError:
        """The session's dialect refuses something, with its own code."""
        return OracleError(oracle, message) if self._is_oracle else TSQLError(tsql, message)

    def _key(self, name: str) -> str:
        return name if self._is_oracle else name.lower()

    def _name(self, table: StoredTable) -> str:
        return table.name.upper() if self._is_oracle and not table.is_exact else table.name

    def add(self, definition: TableDefinition) -> None:
        """A table that is to be made."""
        key = self._key(definition.name)
        if key in self._definitions or key in self._catalog:
            raise self.refused("ORA-00955", "2714", f"there is a {definition.name} already")
        for column in definition.columns:
            self._type(column.declared)
        self._waiting[key] = self._definitions[key] = definition

    def definition(self, name: str) -> TableDefinition:
        """What was said of a table of this script."""
        key = self._key(name)
        if key in self._definitions:
            return self._definitions[key]
        if key in self._catalog:
            raise UnsupportedError(f"a change of {name}, which was there before")
        raise self.refused("ORA-00942", "4902", f"there is no table {name}")

    def is_table(self, name: str) -> bool:
        """Is it a table of this script, or of the database as it was?"""
        return self._key(name) in self._definitions or self._key(name) in self._catalog

    def check_is_free(self, name: str) -> None:
        """Refuse the name of a table for a view."""
        if self._key(name) in self._definitions:
            raise self.refused("ORA-00955", "2714", f"there is a {name} already")

    def is_waiting(self, name: str) -> bool:
        """Is the table still to be made?"""
        return self._key(name) in self._waiting

    def drop(self, name: str) -> None:
        """Forget a table, and its rows."""
        key = self._key(name)
        if key not in self._definitions and key not in self._catalog:
            raise self.refused("ORA-00942", "3701", f"there is no table {name}")
        if key not in self._waiting:
            self._session.connection.execute(f"drop table {quoted(self.loaded(name).stored_name)}")
        self.is_known = False
        for known in (self._waiting, self._definitions, self._loaded, self._catalog):
            known.pop(key, None)

    def loaded(self, name: str) -> LoadedTable:
        """The table in DuckDB, made now if it was not yet."""
        key = self._key(name)
        if key in self._waiting:
            self._make(key, [])
        if key in self._loaded:
            return self._loaded[key]
        if key not in self._catalog:
            raise self.refused("ORA-00942", "208", f"there is no table {name}")
        self._loaded[key] = self._from_catalog(self._catalog[key])
        return self._loaded[key]

    def make_all(self) -> None:
        """Make all tables that wait, and let the session know them."""
        while self._waiting:
            self._make(next(iter(self._waiting)), [])
        if not self.is_known:
            self._session.read_tables()
            self.is_known = True

    def _from_catalog(self, table: StoredTable) -> LoadedTable:
        name = self._name(table)
        columns: dict[str, LoadedColumn] = {}
        for column in table.columns:
            if column.declared_type is None:
                raise UnsupportedError(f"rows for {name}, which was not loaded for {self._session.dialect}")
            known = LoadedColumn(column.name, column.stored_name, self._type(read_type(column.declared_type)))
            columns[self._key(column.name)] = known
        return LoadedTable(name, table.stored_name, columns)

    def column(self, table: LoadedTable, name: str) -> LoadedColumn:
        """A table's column."""
        found = table.columns.get(self._key(name))
        if found is None:
            raise self.refused("ORA-00904", "207", f"{table.name} has no column {name}")
        return found

    def _type(self, declared: Declared) -> StoredType:
        dialect = oracle_columns if self._is_oracle else tsql_columns
        return dialect.stored_type(declared, self._session.settings.now)

    # Making a table

    def _make(self, key: str, makers: list[str]) -> None:
        """Make it after those that its foreign keys refer to; `makers` are being made for this one's sake."""
        definition = self._waiting[key]
        for constraint in definition.constraints:
            parent = self._key(constraint.parent)
            is_wanted = constraint.kind == "foreign key" and not constraint.is_disabled
            if is_wanted and parent in self._waiting and parent not in (key, *makers):
                self._make(parent, [*makers, key])
        del self._waiting[key]
        table = self._new_table(definition)
        never_null = {self._key(one.columns[0]) for one in definition.constraints if one.kind == "not null"}
        parts = [
            f"{quoted(column.stored_name)} {column.type.stored}"
            + (" not null" if name in never_null else "")
            + self._default_sql(table, column)
            for name, column in table.columns.items()
        ]
        parts += self._constraints(definition, table)
        comments = [f"comment on table {quoted(table.stored_name)} is {quoted_text(self._comment(table))}"]
        comments += [
            f"comment on column {quoted(table.stored_name)}.{quoted(column.stored_name)} is "
            + quoted_text(self._comment(table, column))
            for column in table.columns.values()
        ]
        create = f"create table {quoted(table.stored_name)} ({', '.join(parts)})"
        self._session.connection.execute(";".join([create, *comments]))
        self._loaded[key] = table
        self.is_known = False

    def _new_table(self, definition: TableDefinition) -> LoadedTable:
        taken: set[str] = set()
        columns = {
            self._key(column.name): LoadedColumn(
                column.name, _unlike(column.name, taken), self._type(column.declared), column
            )
            for column in definition.columns
        }
        return LoadedTable(definition.name, _unlike(definition.name, self._stored_names), columns)

    def _default_sql(self, table: LoadedTable, column: LoadedColumn) -> str:
        """The default for who adds rows later; one that only this script can work out refuses to be used."""
        definition = column.definition
        if definition is None or (definition.default is None and not definition.identity):
            return ""
        if definition.default is not None:
            reader = InsertReader(definition.default, self._session.dialect, self._session.settings, {})
            with contextlib.suppress(DialectError, UnsupportedError):
                value = column.type.fit(reader.value(), table.where(column.name))
                if value is None:
                    return ""
                if not isinstance(value, bytes):
                    return f" default ({quoted_text(str(value))}::{column.type.stored})"
        return f" default (error({quoted_text(f'the default of {column.name} is that of its script')}))"

    def _comment(self, table: LoadedTable, column: LoadedColumn | None = None) -> str:
        description = self._descriptions.get(
            (self._key(table.name), self._key(column.name) if column else "")
        )
        if column is None:
            return table_comment(self._session.dialect, table.name, description)
        assert column.definition is not None
        return column_comment(column.name, str(column.definition.declared), description)

    def _constraints(self, definition: TableDefinition, table: LoadedTable) -> Iterator[str]:
        for constraint in definition.constraints:
            if constraint.kind == "not null":
                continue
            if constraint.is_disabled:
                self._tell(definition, constraint, "it is disabled")
                continue
            said = self._constraint_sql(definition, constraint, table)
            if said:
                yield said

    def _tell(self, definition: TableDefinition, constraint: Constraint, why: str) -> None:
        named = f" {constraint.name}" if constraint.name else ""
        self.not_kept.append(f"{definition.name}: {constraint.kind}{named}: {why}")

    def _constraint_sql(
        self, definition: TableDefinition, constraint: Constraint, table: LoadedTable
    ) -> str | None:
        if constraint.kind == "check":
            said = check_sql(constraint.check, table, self._session.dialect)
            if said is None:
                self._tell(definition, constraint, "it is more than comparisons")
            return said
        own = [self.column(table, name).stored_name for name in constraint.columns]
        if constraint.kind != "foreign key":
            return f"{constraint.kind} ({_names(own)})"
        return self._foreign_key_sql(definition, constraint, table, own)

    def _foreign_key_sql(
        self, definition: TableDefinition, constraint: Constraint, table: LoadedTable, own: list[str]
    ) -> str | None:
        parent_key = self._key(constraint.parent)
        parent_definition = self._definitions.get(parent_key)
        parent = table if parent_key == self._key(table.name) else self._loaded.get(parent_key)
        if parent_definition is None or parent is None:
            why = "it closes a circle" if parent_key in self._definitions else "its table is not known"
            self._tell(definition, constraint, why)
            return None
        names = constraint.parent_columns or _primary_key(parent_definition)
        if not _is_key(parent_definition, names):
            self._tell(definition, constraint, "what it refers to is no key")
            return None
        columns = [self.column(parent, name) for name in names]
        types = [self.column(table, name).type.stored for name in constraint.columns]
        if types != [column.type.stored for column in columns]:
            self._tell(definition, constraint, "its columns have other types")
            return None
        stored = [column.stored_name for column in columns]
        if parent is table:
            table.own_keys.append((own, stored))
        return f"foreign key ({_names(own)}) references {quoted(parent.stored_name)} ({_names(stored)})"

    # Changing it later

    def constrain(self, name: str, constraint: Constraint) -> None:
        """ALTER TABLE … ADD a constraint."""
        definition = self.definition(name)
        definition.constraints.append(constraint)
        if self.is_waiting(name) or constraint.is_disabled:
            return
        if constraint.kind not in ("primary key", "unique"):
            self._tell(definition, constraint, "the table has rows")
            return
        table = self.loaded(name)
        own = [self.column(table, column).stored_name for column in constraint.columns]
        try:
            self._session.connection.execute(
                f"alter table {quoted(table.stored_name)} add {constraint.kind} ({_names(own)})"
            )
        except duckdb.Error as error:
            self._tell(definition, constraint, str(error).partition("\n")[0])

    def describe(self, table: str, column: str, description: str) -> None:
        """COMMENT ON: kept behind what is said of the name and type."""
        definition = self.definition(table)
        if column and definition.column(column) is None:
            raise self.refused("ORA-00904", "207", f"{table} has no column {column}")
        self._descriptions[self._key(table), self._key(column) if column else ""] = description
        if self.is_waiting(table):
            return
        loaded = self.loaded(table)
        one = self.column(loaded, column) if column else None
        on = quoted(loaded.stored_name) + (f".{quoted(one.stored_name)}" if one else "")
        kind = "column" if one else "table"
        self._session.connection.execute(
            f"comment on {kind} {on} is {quoted_text(self._comment(loaded, one))}"
        )


def read_type(declared: str) -> Declared:
    """A type as a column's comment has it."""
    first, _, behind = declared.partition("(")
    inside, _, rest = behind.partition(")")
    separator = " " if " " in inside else ","
    arguments = tuple(inside.split(separator)) if inside else ()
    return Declared(first + rest, arguments)


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))


def _unlike(name: str, taken: set[str]) -> str:
    """A name that DuckDB, to whom capitals are no other letters, does not take for one that is taken."""
    found, n_tried = name, 1
    while found.lower() in taken:
        n_tried += 1
        found = f"{name}_{n_tried}"
    taken.add(found.lower())
    return found


def _primary_key(definition: TableDefinition) -> list[str]:
    keys = [one.columns for one in definition.constraints if one.kind == "primary key"]
    return keys[0] if keys else []


def _is_key(definition: TableDefinition, names: Sequence[str]) -> bool:
    return any(
        {*constraint.columns} == {*names}
        for constraint in definition.constraints
        if constraint.kind in ("primary key", "unique") and not constraint.is_disabled
    )
