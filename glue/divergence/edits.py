"""Changes of an instance after which its keys still hold: rows cloned with their kin, taken out with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glue.divergence.data import Data
from glue.divergence.instances import ForeignKey, Instance, Row, Schema, Value
from glue.divergence.values import fresh

MAX_CLONED_CHILDREN = 4
_MAX_DEPTH = 3


@dataclass
class Editor:
    """Changes instances of one database; `keys` are its foreign keys and those that are only inferred."""

    data: Data
    keys: Sequence[ForeignKey]

    @property
    def schema(self) -> Schema:
        """The schema of the data."""
        return self.data.schema

    def clone(
        self,
        instance: Instance,
        table: str,
        row: Row,
        changes: dict[int, Value] | None = None,
        is_deep: bool = True,
        is_exact: bool = False,
    ) -> Instance | None:
        """One more row like another one, with keys of its own, and with is_deep the rows that refer to it.

        Values that no two rows share are made new, unless `is_exact`: then only what keys ask for. None where
        its keys leave no room for another row.
        """
        return self._clone(instance, table, row, changes or {}, is_deep, is_exact, 0)

    def _clone(
        self,
        instance: Instance,
        table: str,
        row: Row,
        changes: dict[int, Value],
        is_deep: bool,
        is_exact: bool,
        depth: int,
    ) -> Instance | None:
        copy = row
        for place, value in changes.items():
            copy = copy.changed(place, value)
        if not is_exact:
            copy = self._with_fresh_values(instance, table, copy, set(changes))
        made = self._with_fresh_keys(instance, table, copy, set(changes))
        if made is None:
            return None
        made = Row(made.values, made.origin or row.values)
        found: Instance | None = instance.plus(table, [made])
        if not is_deep or depth >= _MAX_DEPTH:
            return found
        for key in self.keys:
            if key.referenced_table != table or key.table == table:
                continue
            places, referenced = self.schema.places(key)
            if row.at(referenced) == made.at(referenced):
                continue
            children = [child for child in instance.of(key.table) if child.at(places) == row.at(referenced)]
            for child in children[:MAX_CLONED_CHILDREN]:
                assert found is not None
                moved = dict(zip(places, made.at(referenced), strict=True))
                found = self._clone(found, key.table, child, moved, True, is_exact, depth + 1) or found
        return found

    def _with_fresh_values(self, instance: Instance, table: str, row: Row, kept: set[int]) -> Row:
        found = self.schema.tables[table]
        in_keys = {place for places in found.key_places for place in places} | self._key_places(table)
        for place, column in enumerate(found.columns):
            if place in in_keys or place in kept or row.values[place] is None or column.is_generated:
                continue
            profile = self.data.profile(table, column.name.lower())
            is_key = self.data.is_key(table, column.name.lower())
            if is_key or (profile.is_unique and len(profile.values) > 4):
                taken = [other.values[place] for other in instance.of(table)]
                value = fresh(profile, taken)
                if value is not None:
                    row = row.changed(place, value)
        return row

    def _with_fresh_keys(self, instance: Instance, table: str, row: Row, kept: set[int]) -> Row | None:
        found = self.schema.tables[table]
        referring = self._key_places(table)
        for places in found.key_places:
            taken = {other.at(places) for other in instance.of(table)}
            if row.at(places) not in taken:
                continue
            free = [place for place in places if place not in referring and place not in kept]
            if free:
                column = found.columns[free[-1]].name.lower()
                value = fresh(
                    self.data.profile(table, column), [other.values[free[-1]] for other in instance.of(table)]
                )
                if value is None:
                    return None
                row = row.changed(free[-1], value)
                continue
            moved = self._moved(instance, table, row, places, taken, kept)
            if moved is None:
                return None
            row = moved
        return row

    def _moved(
        self,
        instance: Instance,
        table: str,
        row: Row,
        places: tuple[int, ...],
        taken: set[tuple[Value, ...]],
        kept: set[int],
    ) -> Row | None:
        """The row under another parent, where its key is made of foreign ones."""
        for key in self.keys:
            own, referenced = self.schema.places(key)
            if key.table != table or not set(own) <= set(places) or set(own) & kept:
                continue
            for parent in instance.of(key.referenced_table):
                other = row
                for place, value in zip(own, parent.at(referenced), strict=True):
                    other = other.changed(place, value)
                if other.at(places) not in taken:
                    return other
        return None

    def _key_places(self, table: str) -> set[int]:
        found = self.schema.tables[table]
        return {found.place(column) for key in self.keys if key.table == table for column in key.columns}

    # --- Rows that go ---------------------------------------------------------------------------------------

    def without(self, instance: Instance, table: str, row: Row) -> Instance:
        """The same without a row and those that refer to it."""
        found = instance.without(table, row)
        for key in self.keys:
            if key.referenced_table != table:
                continue
            places, referenced = self.schema.places(key)
            value = row.at(referenced)
            if None in value or any(other.at(referenced) == value for other in found.of(table)):
                continue
            for child in found.of(key.table):
                if child.at(places) == value and any(child is each for each in found.of(key.table)):
                    found = self.without(found, key.table, child)
        return found

    def without_children(self, instance: Instance, key: ForeignKey, row: Row) -> Instance:
        """The same without the rows that refer to one by a key."""
        places, referenced = self.schema.places(key)
        for child in instance.of(key.table):
            if child is not row and child.at(places) == row.at(referenced):
                instance = self.without(instance, key.table, child)
        return instance

    def emptied(self, instance: Instance, table: str) -> Instance:
        """The same without the rows of a table, and those that refer to them."""
        for row in instance.of(table):
            instance = self.without(instance, table, row)
        return instance
