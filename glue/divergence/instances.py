"""Instances: a schema with its constraints, and a few rows for each of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Value = Any
"""What the engine's driver gives for a cell."""


@dataclass(frozen=True)
class Column:
    """A column as the catalog has it; a generated one has no value of its own."""

    name: str
    data_type: str
    is_nullable: bool = True
    is_generated: bool = False


@dataclass(frozen=True)
class ForeignKey:
    """`is_declared` is false where only the data and the two statements say that it is one."""

    table: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    is_declared: bool = True


@dataclass(frozen=True)
class Table:
    """A table: its columns, the sets of columns that are unique (the primary key first), how to create it."""

    name: str
    columns: tuple[Column, ...]
    unique: tuple[tuple[str, ...], ...]
    definition: str
    remarks: tuple[str, ...] = ()  # COMMENT statements, which dialects of local engines read
    has_rowid: bool = True

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each column stands, by its name in lower case."""
        return {column.name.lower(): place for place, column in enumerate(self.columns)}

    def place(self, column: str) -> int:
        """Where a column stands."""
        return self.places[column.lower()]

    @cached_property
    def key_places(self) -> tuple[tuple[int, ...], ...]:
        """The places of each set of unique columns."""
        return tuple(tuple(self.place(column) for column in columns) for columns in self.unique)

    @cached_property
    def filled(self) -> tuple[Column, ...]:
        """The columns that an INSERT names."""
        return tuple(column for column in self.columns if not column.is_generated)


@dataclass(frozen=True)
class Schema:
    """The tables of a database by name in lower case, its foreign keys, and what else it takes to make it."""

    tables: Mapping[str, Table]
    foreign_keys: tuple[ForeignKey, ...] = ()
    views: tuple[str, ...] = ()
    preliminaries: tuple[str, ...] = ()  # types and schemas, created before the tables

    def keys_of(self, table: str) -> list[ForeignKey]:
        """The foreign keys of a table."""
        return [key for key in self.foreign_keys if key.table == table]

    def keys_to(self, table: str) -> list[ForeignKey]:
        """The foreign keys that refer to a table."""
        return [key for key in self.foreign_keys if key.referenced_table == table]

    def places(self, key: ForeignKey) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where a key's columns stand in its table and in the one it refers to."""
        if key not in self._places:
            self._places[key] = self._places_of(key)
        return self._places[key]

    @cached_property
    def _places(self) -> dict[ForeignKey, tuple[tuple[int, ...], tuple[int, ...]]]:
        return {}

    def _places_of(self, key: ForeignKey) -> tuple[tuple[int, ...], tuple[int, ...]]:
        child, parent = self.tables[key.table], self.tables[key.referenced_table]
        return (
            tuple(child.place(column) for column in key.columns),
            tuple(parent.place(column) for column in key.referenced_columns),
        )


@dataclass(frozen=True, eq=False)
class Row:
    """A row, and the row of the data that it was made from. Two rows are the same only as objects."""

    values: tuple[Value, ...]
    origin: tuple[Value, ...] | None = None

    def at(self, places: Sequence[int]) -> tuple[Value, ...]:
        """Some of its values."""
        return tuple(self.values[place] for place in places)

    def changed(self, place: int, value: Value) -> Row:
        """The same with another value."""
        return Row((*self.values[:place], value, *self.values[place + 1 :]), self.origin or self.values)


@dataclass(frozen=True)
class Instance:
    """The rows of each table, by its name in lower case; a table without rows may be left out."""

    rows: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def of(self, table: str) -> tuple[Row, ...]:
        """The rows of a table."""
        return self.rows.get(table, ())

    def with_rows(self, table: str, rows: Iterable[Row]) -> Instance:
        """The same with other rows in one table."""
        return Instance({**self.rows, table: tuple(rows)})

    def without(self, table: str, row: Row) -> Instance:
        """The same without one row."""
        return self.with_rows(table, (other for other in self.of(table) if other is not row))

    def plus(self, table: str, rows: Iterable[Row]) -> Instance:
        """The same with more rows at the end of a table."""
        return self.with_rows(table, (*self.of(table), *rows))

    def replaced(self, table: str, row: Row, other: Row) -> Instance:
        """The same with one row for another."""
        return self.with_rows(table, (other if each is row else each for each in self.of(table)))

    def all_rows(self) -> Iterator[tuple[str, Row]]:
        """Every row with its table."""
        for table, rows in self.rows.items():
            for row in rows:
                yield table, row

    @property
    def n_rows(self) -> int:
        """How many rows it has in all."""
        return sum(map(len, self.rows.values()))


def is_allowed(schema: Schema, instance: Instance, tables: Iterable[str] | None = None) -> bool:
    """Do NOT NULL, unique columns and declared foreign keys hold? CHECKs are the engine's to say.

    `tables` are those that changed since it was last asked; all where none are named.
    """
    changed = set(instance.rows if tables is None else tables)
    for name in changed:
        table = schema.tables[name]
        rows = instance.of(name)
        for place, column in enumerate(table.columns):
            if not column.is_nullable and any(row.values[place] is None for row in rows):
                return False
        for places in table.key_places:
            values = [row.at(places) for row in rows]
            full = [value for value in values if None not in value]
            if len(set(full)) < len(full):
                return False
    for key in schema.foreign_keys:
        if key.is_declared and (key.table in changed or key.referenced_table in changed):
            places, referenced = schema.places(key)
            known = {row.at(referenced) for row in instance.of(key.referenced_table)}
            wanted = (row.at(places) for row in instance.of(key.table))
            if any(None not in value and value not in known for value in wanted):
                return False
    return True
