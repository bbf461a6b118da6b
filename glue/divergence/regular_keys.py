"""What holds along a foreign key: how many children, values in order, values copied, sums of parts, depth."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from glue.divergence.data import Data
from glue.divergence.instances import ForeignKey, Instance, Row, Schema
from glue.divergence.regularity import MANY, MIN_SUPPORT, Regularity, at_most


def of_key(
    data: Data, key: ForeignKey, children: tuple[str, ...], parents: tuple[str, ...]
) -> Iterator[Regularity]:
    """What holds along a key, of these columns of its table and of the one it refers to."""
    schema = data.schema
    child_places, parent_places = schema.places(key)
    tables = frozenset([key.table, key.referenced_table])
    whole = Instance({table: tuple(data.rows(table).values()) for table in {key.table, key.referenced_table}})
    name = f"{key.table}.{', '.join(key.columns)}"
    if not whole.of(key.table) or not whole.of(key.referenced_table):
        return

    def referred(instance: Instance) -> Counter[tuple[Any, ...]]:
        return Counter(row.at(child_places) for row in instance.of(key.table))

    def has_child(instance: Instance) -> bool:
        known = referred(instance)
        return all(row.at(parent_places) in known for row in instance.of(key.referenced_table))

    def has_one(instance: Instance) -> bool:
        return all(n == 1 or None in value for value, n in referred(instance).items())

    def has_parent(instance: Instance) -> bool:
        known = {row.at(parent_places) for row in instance.of(key.referenced_table)}
        return all(value in known or None in value for value in referred(instance))

    if has_child(whole):
        text = f"every row of {key.referenced_table} has one of {key.table}"
        yield Regularity("every_parent_has_children", text, tables, has_child)
    sizes = set(referred(whole).values())
    if sizes == {2} and len(whole.of(key.table)) >= 2 * MANY:  # the two ends of a bond, debit and credit
        text = f"a row of {key.referenced_table} has two of {key.table} or none"
        yield Regularity("pairs_of_children", text, tables, lambda i: set(referred(i).values()) <= sizes)
    is_declared_unique = tuple(child_places) in schema.tables[key.table].key_places
    if has_one(whole) and not is_declared_unique and len(whole.of(key.table)) >= MIN_SUPPORT:
        text = f"a row of {key.referenced_table} has at most one of {key.table}"
        yield Regularity("one_child", text, tables, has_one)
    if not key.is_declared and has_parent(whole):
        yield Regularity("no_dangling_keys", f"{name} is found in {key.referenced_table}", tables, has_parent)
    if key.table == key.referenced_table:
        depth = _depth(schema, key, whole)
        if depth is not None:
            text = f"{key.table} is {depth} levels deep"
            yield Regularity(
                "hierarchy_depth",
                text,
                tables,
                lambda i: (_depth(schema, key, i) or depth + 1) <= depth,
            )
        return
    yield from _across(data, key, whole, children, parents)


def _joined(schema: Schema, key: ForeignKey, instance: Instance) -> Iterator[tuple[Row, Row]]:
    child_places, parent_places = schema.places(key)
    by_key = {row.at(parent_places): row for row in instance.of(key.referenced_table)}
    for row in instance.of(key.table):
        parent = by_key.get(row.at(child_places))
        if parent is not None:
            yield row, parent


def _across(
    data: Data, key: ForeignKey, whole: Instance, children: tuple[str, ...], parents: tuple[str, ...]
) -> Iterator[Regularity]:
    schema = data.schema
    child, parent = schema.tables[key.table], schema.tables[key.referenced_table]
    tables = frozenset([key.table, key.referenced_table])
    pairs = list(_joined(schema, key, whole))
    if len(pairs) < MIN_SUPPORT:
        return
    own = {column.lower() for column in (*key.columns, *key.referenced_columns)}
    for left in children:
        one = data.profile(key.table, left)
        for right in parents:
            other = data.profile(key.referenced_table, right)
            if one.kind != other.kind or (left in own and right in own):
                continue
            a, b = child.place(left), parent.place(right)

            for kind, words, test in _COMPARISONS:
                if kind == "dates_in_order" and one.kind not in ("date", "moment"):
                    continue
                if kind == "numbers_in_order" and one.kind not in ("whole", "number"):
                    continue
                if kind == "copied_values" and len(one.values) < 2:
                    continue
                holds = _along(schema, key, a, b, test)
                if holds(whole):
                    text = f"{key.table}.{left} {words} {key.referenced_table}.{right}"
                    yield Regularity(kind, text, tables, holds)
            if one.kind in ("whole", "number"):
                summed = _summed(schema, key, a, b)
                if summed(whole):
                    text = f"{key.referenced_table}.{right} is the sum of {key.table}.{left}"
                    yield Regularity("sum_of_parts", text, tables, summed)


def _along(
    schema: Schema, key: ForeignKey, a: int, b: int, test: Callable[[Any, Any], bool]
) -> Callable[[Instance], bool]:
    """Does a test hold of a value of each row and one of the row that it refers to?"""

    def holds(instance: Instance) -> bool:
        return all(
            row.values[a] is None or above.values[b] is None or test(row.values[a], above.values[b])
            for row, above in _joined(schema, key, instance)
        )

    return holds


_COMPARISONS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("copied_values", "equals", lambda left, right: bool(left == right)),
    ("dates_in_order", "is at least", lambda left, right: at_most(right, left)),
    ("dates_in_order", "is at most", lambda left, right: at_most(left, right)),
    ("dates_in_order", "is never", lambda left, right: bool(left != right)),
    ("numbers_in_order", "is at most", lambda left, right: at_most(left, right)),
)


def _summed(schema: Schema, key: ForeignKey, a: int, b: int) -> Callable[[Instance], bool]:
    child_places, parent_places = schema.places(key)

    def holds(instance: Instance) -> bool:
        sums: dict[Any, float] = defaultdict(float)
        for row in instance.of(key.table):
            sums[row.at(child_places)] += float(row.values[a] or 0)
        return all(
            row.values[b] is None or abs(sums.get(row.at(parent_places), 0.0) - float(row.values[b])) < 0.005
            for row in instance.of(key.referenced_table)
        )

    return holds


def _depth(schema: Schema, key: ForeignKey, instance: Instance) -> int | None:
    """How many levels a table that refers to itself has; None where it refers in a circle."""
    places, referenced = schema.places(key)
    above = {row.at(referenced): row.at(places) for row in instance.of(key.table)}
    deepest = 0
    for start in above:
        depth, node = 1, above[start]
        while node in above:
            depth, node = depth + 1, above[node]
            if depth > len(above):
                return None
        deepest = max(deepest, depth)
    return deepest
