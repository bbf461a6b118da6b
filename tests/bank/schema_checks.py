"""What every database of the bank is held to: names, types, keys, domains, facts, and files that load.

`schema_problems(manifest, db_id)` looks at the manifest alone, `data_problems` at the generated rows. Authors
run both with `python -m tests.bank.check_schema enterprise/<db_id>`, which prints a profile too.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator

import duckdb

from glue.bank.manifest import BankKey, BankTable, Manifest
from glue.build import project_directory

_TYPE = re.compile(r"INTEGER|DATE|DECIMAL\((\d+),(\d+)\)|VARCHAR\((\d+)\)")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
_UNSTEADY = ("hash(", "random(", "now(", "current_", "uuid", "ln(", "exp(", "pow(", "sin(", "today(")
_ALLOWED_RESERVED = {"status"}


def reserved_words() -> frozenset[str]:
    """Words that one of the engines keeps for itself."""
    with (project_directory() / "seeds" / "reserved_words.csv").open(newline="") as file:
        return frozenset(row["word"] for row in csv.DictReader(file)) - _ALLOWED_RESERVED


def schema_problems(manifest: Manifest, db_id: str) -> Iterator[str]:
    """Names, types, positions, keys and domains of a database that do not hold together."""
    tables = manifest.databases[db_id]
    reserved = reserved_words()
    for name, n in Counter(table.name for table in tables).items():
        if n > 1:
            yield f"{name}: comes {n} times"
    for what, positions in (
        ("table_position", [table.position for table in tables]),
        ("generation_position", [table.generation_position for table in tables]),
    ):
        if len(set(positions)) != len(positions):
            yield f"{what}s are not unique"
    for table in tables:
        yield from (f"{table.name}: {problem}" for problem in _table_problems(manifest, table, reserved))
    names = Counter(key.name for table in tables for key in table.foreign_keys)
    yield from (f"key {name} comes {n} times" for name, n in names.items() if n > 1)
    by_name = {table.name: table for table in tables}
    for table in tables:
        for key in table.foreign_keys:
            yield from (
                f"{table.name}.{key.name}: {problem}" for problem in _key_problems(table, key, by_name)
            )


def _table_problems(manifest: Manifest, table: BankTable, reserved: frozenset[str]) -> Iterator[str]:
    names = [column.name for column in table.columns]
    for name in (table.name, *names):
        if not _NAME.fullmatch(name):
            yield f"{name} is no plain name of at most 30 characters"
        if name in reserved:
            yield f"{name} is a reserved word"
    if len(set(names)) != len(names):
        yield "a column comes twice"
    if not table.primary_key:
        yield "no primary key"
    if table.n_rows < 1:
        yield "no rows"
    if [column.position for column in table.columns] != list(range(1, len(names) + 1)):
        yield f"column_positions are {[column.position for column in table.columns]}"
    if sorted(column.generation_position for column in table.columns) != list(range(1, len(names) + 1)):
        yield "generation_positions of the columns are not 1, 2, …"
    for column in table.columns:
        if not _TYPE.fullmatch(column.data_type):
            yield f"{column.name}: type {column.data_type}"
        if column.is_primary_key and column.is_nullable:
            yield f"{column.name}: a key that may be NULL"
        if column.value_domain is not None and column.value_domain not in manifest.domains:
            yield f"{column.name}: no domain {column.value_domain}"
        for word in _UNSTEADY:
            if word in column.generator.lower():
                yield f"{column.name}: {word} is not the same everywhere"
        for text in (column.description, column.generator):
            if "\n" in text or "\\" in text or '"' in text:
                yield f"{column.name}: a line break, backslash or double quote"


def _key_problems(table: BankTable, key: BankKey, by_name: dict[str, BankTable]) -> Iterator[str]:
    referenced = by_name[key.referenced_table]
    if not _NAME.fullmatch(key.name):
        yield "the key's name is no plain name of at most 30 characters"
    for name in key.columns:
        if name not in {column.name for column in table.columns}:
            yield f"no column {name}"
    for name in key.referenced_columns:
        if name not in {column.name for column in referenced.columns}:
            yield f"{referenced.name} has no column {name}"
    if key.is_enforced and key.referenced_columns != referenced.primary_key:
        yield "enforced, but does not refer to the primary key"
    types = {column.name: column.data_type for column in table.columns}
    theirs = {column.name: column.data_type for column in referenced.columns}
    for name, other in zip(key.columns, key.referenced_columns, strict=True):
        if key.is_enforced and types.get(name) != theirs.get(other):
            yield f"{name} is {types.get(name)}, what it refers to {theirs.get(other)}"


def data_problems(manifest: Manifest, db_id: str, rows: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """What the generated tables of a database, in `rows`, break: NULLs, sizes, domains, keys and facts."""
    tables = manifest.databases[db_id]
    for table in tables:
        yield from (f"{table.name}: {problem}" for problem in _row_problems(manifest, table, rows))
        for key in table.foreign_keys:
            if key.is_enforced and (n := n_dangling(rows, table, key)):
                yield f"{table.name}.{key.name}: enforced, but {n} rows refer to nothing"
    yield from fact_problems(manifest, db_id, rows)


def _row_problems(manifest: Manifest, table: BankTable, rows: duckdb.DuckDBPyConnection) -> Iterator[str]:
    key = ", ".join(f'"{name}"' for name in table.primary_key)
    if key and _one(rows, f'select count(*) - count(distinct ({key})) from "{table.name}"'):
        yield "the primary key is not unique"
    for column in table.columns:
        name = f'"{column.name}"'
        n_null = _one(rows, f'select count(*) - count({name}) from "{table.name}"')
        if n_null and not column.is_nullable:
            yield f"{column.name}: {n_null} NULLs"
        kind = _TYPE.fullmatch(column.data_type)
        if kind and kind[3]:
            longest = _one(rows, f'select max(length({name})) from "{table.name}"') or 0
            shortest = _one(rows, f'select min(length({name})) from "{table.name}"')
            if longest > int(kind[3]) or shortest == 0:
                yield f"{column.name}: texts of {shortest} to {longest} characters in {column.data_type}"
            if _one(rows, f'select count(*) from "{table.name}" where {name} <> trim({name})'):
                yield f"{column.name}: blanks around a text"
        if column.value_domain in manifest.domains:
            allowed = ", ".join(
                "'" + v.value.replace("'", "''") + "'" for v in manifest.domains[column.value_domain]
            )
            query = f'select count(*) from "{table.name}" where {name}::varchar not in ({allowed})'
            if n := _one(rows, query):
                yield f"{column.name}: {n} values are not of domain {column.value_domain}"


def n_dangling(rows: duckdb.DuckDBPyConnection, table: BankTable, key: BankKey) -> int:
    """How many rows refer to a row that is not there."""
    equal = " and ".join(
        f'p."{theirs}" = c."{own}"' for own, theirs in zip(key.columns, key.referenced_columns, strict=True)
    )
    given = " and ".join(f'c."{own}" is not null' for own in key.columns)
    return int(
        _one(
            rows,
            f'select count(*) from "{table.name}" as c where {given} and not exists '
            f'(select 1 from "{key.referenced_table}" as p where {equal})',
        )
    )


def fact_problems(manifest: Manifest, db_id: str, rows: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """The facts of the manifest that do not hold."""
    for fact in manifest.facts[db_id]:
        try:
            found = _one(rows, fact.query)
        except duckdb.Error as error:
            yield f"fact {fact.text!r}: {str(error).splitlines()[0]}"
            continue
        low, high = fact.at_least, fact.at_most
        if found is None or (low is not None and found < low) or (high is not None and found > high):
            yield f"fact {fact.text!r}: {found}, not {low} to {high}"


def _one(rows: duckdb.DuckDBPyConnection, query: str) -> float | None:
    found = rows.execute(query).fetchone()
    return None if found is None else found[0]
