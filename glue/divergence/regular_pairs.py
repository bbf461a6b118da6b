"""What holds of two columns of a table: one decides the other, their order, that they are unique together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from glue.divergence.data import Data
from glue.divergence.instances import Row
from glue.divergence.regularity import (
    LABELLED_COLUMNS,
    MANY,
    MIN_SUPPORT,
    ORDERED_KINDS,
    Regularity,
    at_most,
    is_unique,
)


def of_pair(data: Data, table: str, left: str, right: str, is_link: bool) -> Iterator[Regularity]:
    """What holds of two columns; `is_link`: both refer to other tables."""
    found = data.schema.tables[table]
    a, b = found.place(left), found.place(right)
    one, other = data.profile(table, left), data.profile(table, right)
    rows = list(data.rows(table).values())
    tables = frozenset([table])
    repeats = one.n_rows - one.n_null - len(one.values)
    if repeats >= MIN_SUPPORT and len(other.values) > 1 and not one.is_unique:
        if _determines(rows, a, b):
            text = f"{table}.{left} decides {table}.{right}"
            yield Regularity("dependency", text, tables, lambda i: _determines(i.of(table), a, b))
        elif one.is_closed and other.n_null and other.values:
            is_null = {}
            for value in one.values:
                among = {row.values[b] is None for row in rows if row.values[a] == value}
                if len(among) == 1:
                    is_null[value] = among.pop()
            if is_null:
                yield Regularity(
                    "null_pattern",
                    f"{table}.{left} decides whether {table}.{right} is NULL",
                    tables,
                    lambda i: all(
                        is_null.get(row.values[a], row.values[b] is None) == (row.values[b] is None)
                        for row in i.of(table)
                    ),
                )
    if left < right and one.n_null and other.n_null and one.values and other.values:
        ways = {(row.values[a] is None, row.values[b] is None) for row in rows}
        if len(ways) < 4:
            yield Regularity(
                "null_pattern",
                f"{table}.{left} and {table}.{right} are NULL in {len(ways)} of 4 ways",
                tables,
                lambda i: all((row.values[a] is None, row.values[b] is None) in ways for row in i.of(table)),
            )
    if left < right and not one.is_unique and one.kind == other.kind and len(rows) >= 2 * MIN_SUPPORT:
        is_mirrored = _is_mirrored(a, b)
        if is_mirrored(rows) and any(row.values[a] != row.values[b] for row in rows):
            text = f"{table} has each pair of {left} and {right} both ways round"
            yield Regularity(
                "mirrored_rows", text, tables, lambda i: is_mirrored(i.of(table)), (table, left, right)
            )
    if (
        (len(rows) <= MANY or len(found.columns) <= LABELLED_COLUMNS)
        and data.is_key(table, left)
        and other.kind == "text"
        and not data.is_key(table, right)
    ):
        yield from _of_reference_rows(rows, table, left, right, a, b)
    if one.kind == other.kind and one.kind in ORDERED_KINDS:
        both = [row for row in rows if row.values[a] is not None and row.values[b] is not None]
        is_date = one.kind in ("date", "moment")
        if len(both) >= MIN_SUPPORT and all(row.values[a] <= row.values[b] for row in both):
            yield Regularity(
                "dates_in_order" if is_date else "numbers_in_order",
                f"{table}.{left} is at most {table}.{right}",
                tables,
                lambda i: all(
                    row.values[a] is None or row.values[b] is None or at_most(row.values[a], row.values[b])
                    for row in i.of(table)
                ),
            )
            if is_date and all(row.values[a] < row.values[b] for row in both):
                yield Regularity(
                    "dates_in_order",
                    f"{table}.{left} is before {table}.{right}",
                    tables,
                    lambda i: all(
                        row.values[a] is None or row.values[b] is None or row.values[a] != row.values[b]
                        for row in i.of(table)
                    ),
                )
    if left < right and not one.is_unique and not other.is_unique and len(rows) >= 2 * MIN_SUPPORT:
        declared = {places for places in found.key_places if len(places) == 2}
        if {(a, b), (b, a)}.isdisjoint(declared):
            values = [row.at((a, b)) for row in rows if row.values[a] is not None]
            if len(set(values)) == len(values):
                text = f"{table}.{left} and {table}.{right} are unique together"
                kind = "unique_links" if is_link else "unique_together"
                yield Regularity(kind, text, tables, is_unique((a, b), table))


def _of_reference_rows(
    rows: Sequence[Row], table: str, left: str, right: str, a: int, b: int
) -> Iterator[Regularity]:
    """The few rows of a table of kinds keep their names."""
    names = {row.values[a]: row.values[b] for row in rows}
    keys = {row.values[b]: row.values[a] for row in rows}
    is_one_to_one = len(keys) == len(rows)
    yield Regularity(
        "reference_rows",
        f"{table}.{right} of each {table}.{left} is what it is",
        frozenset([table]),
        lambda i: all(
            names.get(row.values[a], row.values[b]) == row.values[b]
            and (not is_one_to_one or keys.get(row.values[b], row.values[a]) == row.values[a])
            for row in i.of(table)
        ),
    )


def _is_mirrored(a: int, b: int) -> Callable[[Sequence[Row]], bool]:
    def holds(rows: Sequence[Row]) -> bool:
        pairs = {row.at((a, b)) for row in rows}
        return all((right, left) in pairs for left, right in pairs)

    return holds


def _determines(rows: Sequence[Row], a: int, b: int) -> bool:
    known: dict[Any, Any] = {}
    for row in rows:
        value = row.values[a]
        if value is not None and known.setdefault(value, row.values[b]) != row.values[b]:
            return False
    return True
