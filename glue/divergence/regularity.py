"""A regularity: what holds in the data though nothing declares it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from glue.divergence.instances import Instance

MIN_SUPPORT = 5
"""What fewer rows show is no regularity."""
MANY = 50
"""Texts of a table with fewer rows are labels: they are there to tell its rows apart."""
LABELLED_COLUMNS = 3
"""So are those of a table that has no more columns than a key, a name and one thing more."""
ORDERED_KINDS = ("whole", "number", "date", "moment")


@dataclass(frozen=True)
class Regularity:
    """`holds` looks at an instance; `tables` are those that it reads."""

    kind: str
    text: str
    tables: frozenset[str]
    holds: Callable[[Instance], bool]
    columns: tuple[str, str, str] = ("", "", "")  # of mirrored_rows: its table and the two columns


def is_unique(places: tuple[int, ...], table: str) -> Callable[[Instance], bool]:
    """Are the values in these places of a table unique, NULL apart?"""

    def holds(instance: Instance) -> bool:
        values = [row.at(places) for row in instance.of(table)]
        full = [value for value in values if None not in value]
        return len(set(full)) == len(full)

    return holds


def at_most(left: Any, right: Any) -> bool:
    """Is one value at most another? True where they cannot be compared."""
    try:
        return bool(left <= right)
    except TypeError:
        return True
