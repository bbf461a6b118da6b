"""The instances to start from: rows that the two statements read or just fail to read, and their kin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from glue.divergence.data import Data
from glue.divergence.instances import ForeignKey, Instance, Row, Schema
from glue.divergence.reading import Place, Reading, Search, searches

MAX_ROWS_OF_TABLE = 40
MAX_SEARCHES = 40
_MATCHES = 8
_NEAR = 2
_GROUP_ROWS = 6
_MAX_CHILDREN = 8


Match = list[tuple[str, Row]]
"""Rows that a block reads together, one of each of its tables."""


@dataclass
class Sample:
    """Per search of a block its matches: `core` what is read, `near` what one condition keeps out."""

    core: list[list[Match]]
    near: list[list[Match]]

    def rows(self, n_core: int, n_near: int) -> dict[str, list[Row]]:
        """The rows of the first matches of each search, by table."""
        found: dict[str, list[Row]] = defaultdict(list)
        for searches_of, n in ((self.core, n_core), (self.near, n_near)):
            for matches in searches_of:
                for table, row in (pair for match in matches[:n] for pair in match):
                    if all(row is not other for other in found[table]):
                        found[table].append(row)
        return found


def sampled(data: Data, reading: Reading, is_late: Callable[[], bool]) -> Sample:
    """Look the rows up. What cannot be run on the data finds none."""
    sample = Sample([], [])
    for search in searches(reading, 400)[:MAX_SEARCHES]:
        if is_late():
            break
        try:
            found = data.fetched(search.sql)
        except Exception:
            continue
        n_tables = len(search.tables)
        if search.is_near:
            sample.near.append(_matches(data, search, _spread(found, _NEAR)))
        else:
            chosen = _groups(found, n_tables) if search.n_groups else _spread(found, _MATCHES)
            sample.core.append(_matches(data, search, chosen))
    return sample


def _spread(rows: Sequence[Any], n: int) -> list[Any]:
    """Some of many, the first and the last among them."""
    if len(rows) <= n:
        return list(rows)
    head = max(n // 2, 1)
    step = max((len(rows) - head) // max(n - head, 1), 1)
    return [*rows[:head], *rows[head::step][: n - head - 1], rows[-1]] if n > 1 else list(rows[:1])


def _groups(rows: Sequence[Any], n_tables: int) -> list[Any]:
    """The rows of a few groups: large, small and in between."""
    by_group: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        by_group[row[n_tables:]].append(row)
    ordered = sorted(by_group.values(), key=len)
    chosen = ordered
    if len(ordered) > 4:
        chosen = [ordered[0], ordered[1], ordered[len(ordered) // 2], ordered[-1]]
    first = [group[0] for group in chosen]
    return [*first, *(row for group in chosen for row in group[1:_GROUP_ROWS])]


def _matches(data: Data, search: Search, found: Iterable[Any]) -> list[Match]:
    matches = []
    for numbers in found:
        match = []
        for table, number in zip(search.tables, numbers, strict=False):
            row = None if number is None else data.row(table, number)
            if row is not None:
                match.append((table, row))
        matches.append(match)
    return matches


def base_instance(
    data: Data,
    keys: Sequence[ForeignKey],
    chosen: dict[str, list[Row]],
    others: Iterable[str],
    n_others: int,
    needs_child: Iterable[ForeignKey] = (),
    needs_all_children: Iterable[ForeignKey] = (),
    mirrored: Iterable[tuple[str, int, int]] = (),
) -> Instance:
    """An instance of chosen rows and a few others of some tables, closed under foreign keys."""
    rows: dict[str, dict[int, Row]] = defaultdict(dict)
    for table, found in chosen.items():
        for row in found[:MAX_ROWS_OF_TABLE]:
            rows[table][id(row)] = row
    for table in others:
        for row in _spread(list(data.rows(table).values()), n_others) if n_others else ():
            rows[table][id(row)] = row
    for _ in range(3):
        for key in needs_child:
            _add_children(data, key, rows, 1)
        for key in needs_all_children:
            _add_children(data, key, rows, _MAX_CHILDREN)
        for table, a, b in mirrored:
            index = _index(data, table, (a, b))
            for row in list(rows[table].values()):
                for other in index.get(row.at((b, a)), [])[:1]:
                    rows[table][id(other)] = other
        _close(data, keys, rows)
    return Instance({table: tuple(found.values()) for table, found in rows.items() if found})


def _index(data: Data, table: str, places: tuple[int, ...]) -> dict[Any, list[Row]]:
    key = ("index", table, places)
    if key not in data.memory:
        index: dict[Any, list[Row]] = defaultdict(list)
        for row in data.rows(table).values():
            index[row.at(places)].append(row)
        data.memory[key] = index
    found: dict[Any, list[Row]] = data.memory[key]
    return found


def _close(data: Data, keys: Sequence[ForeignKey], rows: dict[str, dict[int, Row]]) -> None:
    """Add the rows that others refer to."""
    is_closed = False
    while not is_closed:
        is_closed = True
        for key in keys:
            places, referenced = data.schema.places(key)
            index = _index(data, key.referenced_table, referenced)
            present = {row.at(referenced) for row in rows[key.referenced_table].values()}
            for row in list(rows[key.table].values()):
                wanted = row.at(places)
                if wanted not in present and None not in wanted and wanted in index:
                    parent = index[wanted][0]
                    rows[key.referenced_table][id(parent)] = parent
                    present.add(wanted)
                    is_closed = False


def _add_children(data: Data, key: ForeignKey, rows: dict[str, dict[int, Row]], n: int) -> None:
    places, referenced = data.schema.places(key)
    index = _index(data, key.table, places)
    have: dict[Any, int] = defaultdict(int)
    for row in rows[key.table].values():
        have[row.at(places)] += 1
    for parent in list(rows[key.referenced_table].values()):
        children = index.get(parent.at(referenced), [])
        wanted = len(children) if n > 1 else n
        if have[parent.at(referenced)] < min(wanted, n):
            for child in children[:n]:
                rows[key.table][id(child)] = child


def inferred_keys(data: Data, schema: Schema, reading: Reading) -> list[ForeignKey]:
    """Pairs of columns that the statements compare and of which one looks like a key to the other."""
    found = []
    declared = {
        ((key.table, key.columns[0].lower()), (key.referenced_table, key.referenced_columns[0].lower()))
        for key in schema.foreign_keys
        if len(key.columns) == 1
    }
    pairs = dict.fromkeys(pair for one, other in reading.compared for pair in ((one, other), (other, one)))
    pairs.update(dict.fromkeys(_of_one_name(schema, reading)))
    for (table, column), (parent, referenced) in pairs:
        if table == parent and column == referenced:
            continue
        if ((table, column), (parent, referenced)) in declared or not data.profile(parent, referenced).values:
            continue
        if not data.is_key(parent, referenced):
            continue
        values = data.profile(table, column).values
        if values and all(value in data.profile(parent, referenced).values for value in values):
            names = schema.tables[table].columns[schema.tables[table].place(column)].name
            other = schema.tables[parent].columns[schema.tables[parent].place(referenced)].name
            found.append(ForeignKey(table, (names,), parent, (other,), is_declared=False))
    return found


def _of_one_name(schema: Schema, reading: Reading) -> Iterator[tuple[Place, Place]]:
    """Columns of one name in two tables: one may refer to the other though nothing joins them."""
    for table in reading.tables:
        for other in reading.tables:
            if table != other:
                for column in schema.tables[table].places:
                    if column != "id" and column in schema.tables[other].places:
                        yield (table, column), (other, column)
