"""The changes that are tried on an instance, each with its kind (`divergence_kinds` counts them)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glue.divergence.edits import Editor
from glue.divergence.instances import ForeignKey, Instance, Row, Value
from glue.divergence.reading import Reading
from glue.divergence.values import as_number, candidates, fitting_values, fresh, proportions, shifted

MAX_COPIES = 12
_MAX_LEVELS = 4
_ROWS_OF_TABLE = 4
_MAX_SHIFTED = 36


@dataclass(frozen=True)
class Change:
    """`group` says which changes may be made together; None: it is tried by itself alone."""

    kind: str
    table: str
    group: tuple[object, ...] | None
    apply: Callable[[Instance], Instance | None]


@dataclass
class Changes:
    """Proposes changes for the rows in `focus`, by table."""

    editor: Editor
    reading: Reading
    focus: dict[str, Sequence[Row]]

    def all(self) -> Iterator[Change]:
        """Every change, those of rows first."""
        yield from self._of_rows()
        yield from self._of_cells()

    # --- Cells ----------------------------------------------------------------------------------------------

    def _of_cells(self) -> Iterator[Change]:
        for turn in range(_ROWS_OF_TABLE):
            for table, column in self.reading.columns:
                rows = self.focus.get(table, ())
                if turn < len(rows):
                    yield from self._of_cell(table, column, rows[turn])

    def _of_cell(self, table: str, column: str, row: Row) -> Iterator[Change]:
        data, found = self.editor.data, self.editor.schema.tables[table]
        place = found.place(column)
        if found.columns[place].is_generated:
            return
        profile = data.profile(table, column)
        parents = [key for key in self.editor.keys if key.table == table and column in _lower(key.columns)]
        is_referred = any(
            key.referenced_table == table and column in _lower(key.referenced_columns)
            for key in self.editor.keys
        )
        literals = self.reading.literals.get((table, column), [])
        for kind, value in candidates(profile, literals, found.columns[place].is_nullable):
            if value == row.values[place] and type(value) is type(row.values[place]):
                continue
            if parents and value is not None and kind != "boundary":
                continue
            if (place,) in found.key_places and value is None:
                continue
            yield self._cloned(kind, table, row, place, value)
            if not is_referred:
                yield self._in_place(kind, table, row, place, value)
        for key in parents:
            yield from self._moved(key, row)
        for other in self.focus.get(table, ()):
            if other is not row and other.values[place] != row.values[place] and not (is_referred or parents):
                yield self._in_place("tie", table, row, place, other.values[place])
        yield from self._shifted(table, column, row)
        for one, other_place, ratio in self.reading.ratios:
            if one == (table, column):
                yield from self._in_proportion(table, row, column, other_place[1], ratio)
        for left, right in self.reading.compared:
            if left == (table, column) and right[0] == table:
                yield from self._compared(table, row, place, found.place(right[1]))

    def _cloned(self, kind: str, table: str, row: Row, place: int, value: Value) -> Change:
        group = ("clone", table, place, kind)
        return Change(
            kind, table, group, lambda i: self.editor.clone(i, table, row, {place: value}, is_deep=True)
        )

    def _in_place(self, kind: str, table: str, row: Row, place: int, value: Value) -> Change:
        def apply(instance: Instance) -> Instance | None:
            if not any(each is row for each in instance.of(table)):
                return None
            return instance.replaced(table, row, row.changed(place, value))

        return Change(kind, table, None, apply)

    def _compared(self, table: str, row: Row, place: int, other: int) -> Iterator[Change]:
        value = row.values[other]
        if value is None:
            return
        yield self._in_place("boundary", table, row, place, value)
        yield self._cloned("boundary", table, row, place, value)
        if isinstance(value, int | float):
            for near in (value + 1, value - 1):
                yield self._cloned("boundary", table, row, place, near)

    def _shifted(self, table: str, column: str, row: Row) -> Iterator[Change]:
        """A date as far from a literal or another date as a number in the statements says."""
        data, place = self.editor.data, self.editor.schema.tables[table].place(column)
        profile = data.profile(table, column)
        if profile.kind not in ("date", "moment") or not self.reading.offsets:
            return
        bases = [
            value
            for literal in self.reading.literals.get((table, column), [])
            for value in fitting_values(profile, literal)
        ]
        bases += [
            row.values[self.editor.schema.tables[table].place(other)]
            for other in self.reading.of_table(table)
            if data.profile(table, other).kind == profile.kind and other != column
        ]
        bases += [other.values[place] for other in self.focus.get(table, ()) if other is not row]
        bases = [value for value in dict.fromkeys(bases) if value is not None][:6]
        found = [
            value
            for number, unit in self.reading.offsets
            for base in bases
            for value in shifted(profile, base, number, unit)
        ]
        for value in list(dict.fromkeys(found))[:_MAX_SHIFTED]:
            yield self._in_place("boundary", table, row, place, value)

    def _in_proportion(self, table: str, row: Row, one: str, two: str, ratio: float) -> Iterator[Change]:
        data, found = self.editor.data, self.editor.schema.tables[table]
        profiles = data.profile(table, one), data.profile(table, two)
        if any(profile.kind not in ("whole", "number") for profile in profiles):
            return
        for left, right in proportions(ratio):
            values = {
                found.place(one): as_number(profiles[0], left),
                found.place(two): as_number(profiles[1], right),
            }
            yield Change(
                "boundary",
                table,
                ("ratio", table, one, two),
                lambda i, values=values: self.editor.clone(i, table, row, values),  # type: ignore[misc]
            )

    def _moved(self, key: ForeignKey, row: Row) -> Iterator[Change]:
        """A row under another parent, and under none where the key is not enforced."""
        places, referenced = self.editor.schema.places(key)
        for parent in list(self.focus.get(key.referenced_table, ()))[:3]:
            moved = dict(zip(places, parent.at(referenced), strict=True))
            if row.at(places) != parent.at(referenced):
                for kind, is_exact in (("several_matches", False), ("tie", True)):
                    yield Change(
                        kind,
                        key.table,
                        ("moved", key, is_exact),
                        lambda i, moved=moved, is_exact=is_exact: self.editor.clone(  # type: ignore[misc]
                            i, key.table, row, moved, is_exact=is_exact
                        ),
                    )
        if not key.is_declared and len(places) == 1:
            profile = self.editor.data.profile(key.referenced_table, key.referenced_columns[0].lower())
            value = fresh(profile, [])
            if value is not None:
                yield self._cloned("dangling_key", key.table, row, places[0], value)

    # --- Rows -----------------------------------------------------------------------------------------------

    def _of_rows(self) -> Iterator[Change]:
        for turn in range(_ROWS_OF_TABLE):
            for table, rows in self.focus.items():
                if turn < len(rows):
                    yield from self._of_row(table, rows[turn])
        for table in self.reading.tables:
            yield Change("empty_table", table, None, lambda i, table=table: self.editor.emptied(i, table))  # type: ignore[misc]

    def _of_row(self, table: str, row: Row) -> Iterator[Change]:
        editor = self.editor
        yield Change("duplicate", table, ("deep", table), lambda i: editor.clone(i, table, row))
        yield Change(
            "duplicate", table, ("exact", table), lambda i: editor.clone(i, table, row, is_exact=True)
        )
        keys = [key for key in editor.keys if key.referenced_table == table]
        if keys:
            yield Change(
                "empty_group",
                table,
                ("shallow", table),
                lambda i: editor.clone(i, table, row, is_deep=False),
            )
        if any(key.table == table for key in editor.keys):
            for is_exact in (False, True):
                yield Change(
                    "several_matches",
                    table,
                    ("child", table, is_exact),
                    lambda i, is_exact=is_exact: editor.clone(  # type: ignore[misc]
                        i, table, row, is_deep=False, is_exact=is_exact
                    ),
                )
        for key in keys:
            yield Change(
                "empty_group",
                table,
                None,
                lambda i, key=key: editor.without_children(i, key, row),  # type: ignore[misc]
            )
            if key.table == table:
                yield Change(
                    "deeper_hierarchy",
                    table,
                    None,
                    lambda i, key=key: self._deeper(i, key, row),  # type: ignore[misc]
                )
        yield Change("fewer_rows", table, None, lambda i: editor.without(i, table, row))
        for n in self.reading.counts:
            for wanted in (n, n + 1):
                if 1 < wanted <= MAX_COPIES:
                    yield Change(
                        "group_size",
                        table,
                        None,
                        lambda i, wanted=wanted: self._many(i, table, row, wanted),  # type: ignore[misc]
                    )

    def _many(self, instance: Instance, table: str, row: Row, n: int) -> Instance | None:
        """`n` rows where one was."""
        found: Instance | None = instance
        for _ in range(n - 1):
            found = None if found is None else self.editor.clone(found, table, row, is_deep=False)
        return found

    def _deeper(self, instance: Instance, key: ForeignKey, row: Row) -> Instance | None:
        """More levels below a row of a table that refers to itself."""
        places, referenced = self.editor.schema.places(key)
        above = row
        for _ in range(_MAX_LEVELS):
            moved = dict(zip(places, above.at(referenced), strict=True))
            found = self.editor.clone(instance, key.table, row, moved, is_deep=False)
            if found is None:
                return None
            instance, above = found, found.of(key.table)[-1]
        return instance


def _lower(names: Sequence[str]) -> set[str]:
    return {name.lower() for name in names}
