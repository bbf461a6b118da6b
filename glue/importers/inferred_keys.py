"""Foreign keys that nobody declared and that names and unique keys suggest. They are marked as inferred.

A column refers to another table of its schema where that table's unique key is this one column, both have the
same type, and

* both have the same name, and it is none that every table has (id, name, code, …); or
* the column is called as the table and its primary key: customer_id or customerid for customers.id.

Nothing is inferred for a column that has a declared key or is a unique key itself, nor where two tables would
do. Values are not looked at, and keys of several columns are not inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glue.importers.introspection import KeyFacts

COMMON_NAMES = frozenset(
    """
    id name code key type value number no nr nbr num date day year month status uuid guid rowid title label
    version position sort rank level
    """.split()  # noqa: SIM905 - a text is easier to add to
)
"""Names that say nothing of the table they belong to."""


@dataclass(frozen=True)
class KeyedTable:
    """A table as the rule sees it: types by column, the unique keys of one column, and what is declared."""

    schema: str
    name: str  # without its schema
    shown: str  # as the catalog names it
    types: dict[str, str | None]
    primary: tuple[str, ...]
    unique: frozenset[str]  # columns that are a unique key each by itself
    declared: frozenset[str]  # columns that have a declared foreign key


def inferred_keys(tables: Sequence[KeyedTable]) -> list[KeyFacts]:
    """The keys that the rule finds, in the order of tables and columns."""
    named: dict[tuple[str, str], list[tuple[KeyedTable, str]]] = {}
    for table in tables:
        for key in sorted(table.unique):
            for name in _referring_names(table, key):
                named.setdefault((table.schema, name), []).append((table, key))
    found: list[KeyFacts] = []
    for table in tables:
        for column, data_type in table.types.items():
            if column in table.declared or column in table.unique or data_type is None:
                continue
            targets = [
                (other, key)
                for other, key in named.get((table.schema, column.lower()), ())
                if other is not table and other.types.get(key) == data_type
            ]
            if len(targets) == 1:
                ((other, key),) = targets
                name = f"inferred:{table.shown}.{column}"
                found.append(KeyFacts(name, table.shown, [column], other.shown, [key], is_inferred=True))
    return found


def _referring_names(table: KeyedTable, key: str) -> set[str]:
    """What a column is called, in small letters, that refers to a unique key of a table."""
    name = key.lower()
    found = set() if name in COMMON_NAMES else {name}
    if table.primary == (key,):
        found |= {
            f"{singular}{joint}{name}" for singular in _singulars(table.name.lower()) for joint in ("_", "")
        }
    return found


def _singulars(name: str) -> set[str]:
    """The name, and what it may be the plural of."""
    found = {name}
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if name.endswith(ending) and len(name) > len(ending) + 1:
            found.add(name.removesuffix(ending) + instead)
    return found
