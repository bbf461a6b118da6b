"""What holds in the data though nothing declares it: an instance that breaks one says so.

Looked for among the columns that the two statements mention; a regularity is a class and the fact in words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from glue.divergence.data import Data
from glue.divergence.instances import ForeignKey, Instance
from glue.divergence.regular_columns import of_column
from glue.divergence.regular_keys import of_key
from glue.divergence.regular_pairs import of_pair
from glue.divergence.regularity import Regularity

_REFERENCE = re.compile(r"id\d*$")


def broken(
    regularities: Iterable[Regularity], instance: Instance, tables: Iterable[str] | None = None
) -> list[Regularity]:
    """Those that do not hold in an instance; of some tables, where it differs in them alone."""
    changed = None if tables is None else set(tables)
    return [
        each
        for each in regularities
        if (changed is None or changed & each.tables) and not each.holds(instance)
    ]


def regularities_of(
    data: Data, columns: Iterable[tuple[str, str]], keys: Sequence[ForeignKey]
) -> list[Regularity]:
    """What holds in the data about some columns, and along foreign keys, `keys` among them."""
    columns = list(columns)
    by_table: dict[str, list[str]] = defaultdict(list)
    for table, column in columns:
        by_table[table].append(column)
    found: list[Regularity] = []
    referring = {(key.table, column.lower()) for key in keys for column in key.columns}
    referring |= {(table, column) for table, column in columns if _REFERENCE.search(column)}
    for table, names in by_table.items():
        if data.rows(table):
            found.append(_not_empty(table))
        for column in names:
            found += _remembered(data, ("column", table, column, (table, column) in referring), of_column)
        for left in names:
            for right in names:
                if left != right:
                    is_link = {(table, left), (table, right)} <= referring
                    is_link = is_link or len(data.schema.tables[table].columns) == 2
                    found += _remembered(data, ("pair", table, left, right, is_link), of_pair)
    for key in keys:
        mentioned = (
            tuple(by_table.get(key.table, ())),
            tuple(by_table.get(key.referenced_table, ())),
        )
        found += _remembered(data, ("key", key, *mentioned), of_key)
    return found


def _remembered(
    data: Data, key: tuple[Any, ...], find: Callable[..., Iterator[Regularity]]
) -> list[Regularity]:
    if key not in data.memory:
        data.memory[key] = list(find(data, *key[1:]))
    found: list[Regularity] = data.memory[key]
    return found


def _not_empty(table: str) -> Regularity:
    return Regularity("table_not_empty", f"{table} has rows", frozenset([table]), lambda i: bool(i.of(table)))
