"""A live database as a catalog: tables, columns, types, keys, comments, row counts and, if asked, samples.

One body of code; an engine's own queries are in live_<engine>.py. Everything is read under time budgets, and
a table that takes too long to count keeps the server's estimate, marked as such.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from glue.connections import Connection, address_of
from glue.errors import GlueError, nearest
from glue.importers.catalog import add_introspection
from glue.importers.common import ImportBatch, check_name, listed, storable
from glue.importers.inferred_keys import KeyedTable, inferred_keys
from glue.importers.introspection import ColumnFacts, DatabaseFacts, KeyFacts, TableFacts
from glue.importers.personal import looks_personal
from glue.live import LiveDatabase, opened

EXACT_ROWS = 100_000
"""Tables that the server believes to be larger keep its estimate."""
COUNT_S = 5.0
"""A table may take so long to be counted, and all of them the next."""
COUNTS_S = 60.0
SAMPLED_ROWS = 1_000
"""Sample values come from so many rows of a table, the first that the server gives."""
SAMPLE_S = 2.0
SAMPLES_S = 60.0
SAMPLE_CHARACTERS = 200
CATALOG_S = 120.0


@dataclass(frozen=True)
class Selection:
    """Which part of a live database is imported, and what of it.

    `schemas`: default, those in which the connection looks for bare names. `tables`: patterns such as fact_*,
    held against table and schema.table whatever the case. `label` names the snapshot; default: the day.
    """

    schemas: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    n_samples: int = 0
    label: str | None = None

    @property
    def snapshot_label(self) -> str:
        """The label, when it can be one. GlueError."""
        label = self.label if self.label is not None else date.today().isoformat()
        if not label.strip() or not label.isprintable() or "@" in label or len(label) > 80:
            raise GlueError(
                f"--snapshot: {label!r} is no label", "choose a short text without @, such as 2026-12-01"
            )
        return label.strip()


def read_live_database(
    connection: Connection, selection: Selection, benchmark: str, db_id: str | None = None
) -> ImportBatch:
    """The catalog of a live database as `db_id` (default: its name) of a benchmark. GlueError without any."""
    if db_id is None:
        db_id = connection.database or connection.name
    check_name(db_id, "--db-id")
    options = {
        "name": benchmark,
        "db_id": db_id,
        "connection": connection.name,
        "schemas": list(selection.schemas),
        "tables": list(selection.tables),
        "n_samples": selection.n_samples,
        "snapshot": selection.snapshot_label,
    }
    batch = ImportBatch("database", f"benchmark:{benchmark}:database:{db_id}", benchmark, options=options)
    with opened(connection, address_of(connection)) as database:
        add_live_database(batch, db_id, live_facts(database, connection, selection))
    return batch


def add_live_database(batch: ImportBatch, db_id: str, facts: DatabaseFacts) -> None:
    """Land what a live database says about itself; what it said is part of the import's identity."""
    said = repr((facts.snapshot_id, facts.tables, facts.keys)).encode("utf-8", "backslashreplace")
    batch.files[f"connection {facts.connection}, database {db_id}"] = hashlib.sha256(said).hexdigest()
    batch.notes.extend(facts.notes)
    add_introspection(batch, db_id, facts)


def live_facts(database: LiveDatabase, connection: Connection, selection: Selection) -> DatabaseFacts:
    """What a live database says about itself. GlueError where nothing is selected."""
    try:
        return _Reader(database, connection, selection).read()
    except database.error as error:
        told = " ".join(str(error).split())
        raise GlueError(
            f"{connection.shown}: reading the catalog failed: {told}", "try again, or select less (--schemas)"
        ) from None


def known_schemas(database: LiveDatabase) -> dict[str, int]:
    """The schemas with tables that the user may read, and how many each has."""
    return {str(schema): int(n) for schema, n in database.rows(database.catalog.schemas)}


class _Reader:
    def __init__(self, database: LiveDatabase, connection: Connection, selection: Selection) -> None:
        self.database, self.connection, self.selection = database, connection, selection
        self.catalog = database.catalog
        self.notes: list[str] = []
        self.problems: list[tuple[str, str, str]] = []
        self.schemas: tuple[str, ...] = ()
        self.places: dict[tuple[str, str], str] = {}  # (schema, table) of what is selected, as it is shown

    def read(self) -> DatabaseFacts:
        self.database.limit_time(CATALOG_S)
        self.schemas = self._schemas()
        listings = {schema: self._tables(schema) for schema in self.schemas}
        found = self._place(listings)
        if not found:
            patterns = listed(self.selection.tables)
            raise GlueError(
                f"{self.connection.shown}: no table in {listed(self.schemas)}"
                + (f" is called like {patterns}" if patterns else ""),
                "patterns are such as 'fact_*' or 'sales.*', in quotes" if patterns else None,
            )
        columns = {schema: self._columns(schema) for schema in self.schemas}
        keys = {schema: _by_table(self.database.rows(self.catalog.keys, schema)) for schema in self.schemas}
        declared = self._declared()
        declared_columns: dict[str, set[str]] = {}
        for key in declared:
            declared_columns.setdefault(key.table, set()).update(key.columns)
        counts = self._counts(found)
        tables: list[TableFacts] = []
        keyed: list[KeyedTable] = []
        for schema, name, is_view, comment, _ in found:
            shown = self.places[schema, name]
            own_keys = keys[schema].get(name, [])
            primary = _primary_columns(own_keys)
            facts = [
                replace(column, is_primary_key=column.name in primary)
                for column in columns[schema].get(name, [])
            ]
            n_rows, is_estimate = counts[schema, name]
            tables.append(
                TableFacts(
                    shown, len(tables) + 1, facts, n_rows, is_view, comment, is_row_estimate=is_estimate
                )
            )
            if not is_view:
                keyed.append(_keyed(schema, name, shown, facts, own_keys, declared_columns.get(shown, ())))
        tables = self._with_samples(tables, found)
        inferred = inferred_keys(keyed)
        if inferred:
            self.notes.append(f"foreign keys inferred from names and unique keys: {len(inferred)}")
        label = self.selection.snapshot_label
        return DatabaseFacts(
            engine=self.connection.engine,
            path=None,
            snapshot_id=f"live:{self.connection.name}/{','.join(self.schemas)}@{label}",
            n_bytes=None,
            tables=tables,
            keys=[*declared, *inferred],
            problems=self.problems,
            connection=self.connection.name,
            search_path=list(self.schemas),
            notes=self.notes,
        )

    def _schemas(self) -> tuple[str, ...]:
        known = known_schemas(self.database)
        if not known:
            raise GlueError(
                f"{self.connection.shown}: this user may read no table",
                f"glue engine grant {self.connection.engine} prints a script that lets it",
            )
        if self.selection.schemas:
            return tuple(dict.fromkeys(matching_schema(name, known) for name in self.selection.schemas))
        home = [str(schema) for (schema,) in self.database.rows(self.catalog.home_schemas) if schema in known]
        if not home:
            raise GlueError(
                f"{self.connection.shown}: no table has a name without a schema",
                f"--schemas: it has {listed(f'{schema} ({n} tables)' for schema, n in known.items())}",
            )
        left_out = [f"{schema} ({n} tables)" for schema, n in known.items() if schema not in home]
        if left_out:
            self.notes.append(f"schemas: {', '.join(home)}; left out (--schemas): {listed(left_out)}")
        return tuple(home)

    def _tables(self, schema: str) -> list[tuple[str, str, bool, str | None, int | None]]:
        rows = self.database.rows(self.catalog.tables, schema)
        patterns = [pattern.lower() for pattern in self.selection.tables]
        return [
            (schema, str(name), bool(is_view), comment, None if estimate is None else int(estimate))
            for name, is_view, comment, estimate in rows
            if not patterns
            or any(
                fnmatchcase(text, pattern)
                for text in (str(name).lower(), f"{schema}.{name}".lower())
                for pattern in patterns
            )
        ]

    def _place(self, listings: dict[str, list[tuple[str, str, bool, str | None, int | None]]]) -> list[Any]:
        """The selected tables with their names in the catalog: bare where a bare name finds them."""
        found, bare = [], set()
        for number, schema in enumerate(self.schemas):
            for entry in listings[schema]:
                name = entry[1]
                is_bare = name not in bare if self.catalog.has_search_path else number == 0
                bare.add(name)
                self.places[schema, name] = name if is_bare else f"{schema}.{name}"
                found.append(entry)
        return found

    def _columns(self, schema: str) -> dict[str, list[ColumnFacts]]:
        found: dict[str, list[ColumnFacts]] = {}
        for table, name, data_type, is_nullable, comment in self.database.rows(self.catalog.columns, schema):
            members = found.setdefault(str(table), [])
            members.append(
                ColumnFacts(
                    name=str(name),
                    position=len(members) + 1,
                    data_type=data_type,
                    is_primary_key=False,
                    is_nullable=bool(is_nullable),
                    description=comment or None,
                )
            )
        return found

    def _declared(self) -> list[KeyFacts]:
        """The declared keys of selected tables, whatever they refer to."""
        parts: dict[tuple[str, str, str], list[tuple[Any, ...]]] = {}
        for schema in self.schemas:
            for table, key, *rest in self.database.rows(self.catalog.foreign_keys, schema):
                if (schema, table) in self.places:
                    parts.setdefault((schema, str(table), str(key)), []).append(tuple(rest))
        return [
            KeyFacts(
                name=f"{self.places[schema, table]}.{key}",
                table=self.places[schema, table],
                columns=[str(row[0]) for row in rows],
                referenced_table=self.places.get((rows[0][1], rows[0][2]), f"{rows[0][1]}.{rows[0][2]}"),
                referenced_columns=[str(row[3]) for row in rows],
            )
            for (schema, table, key), rows in parts.items()
        ]

    def _counts(self, found: list[Any]) -> dict[tuple[str, str], tuple[int | None, bool | None]]:
        """Rows by table, and are they an estimate: counted where that is quick. A view's are unknown."""
        counts: dict[tuple[str, str], tuple[int | None, bool | None]] = {}
        self.database.limit_time(COUNT_S)
        end_s = time.monotonic() + COUNTS_S
        for schema, name, is_view, _, estimate in found:
            n_rows: int | None = None
            is_small = estimate is None or estimate <= EXACT_ROWS
            if not is_view and is_small and time.monotonic() < end_s:
                n_rows = self._count(schema, name)
            if is_view or (n_rows is None and estimate is None):
                counts[schema, name] = (None, None)
            else:
                counts[schema, name] = (estimate if n_rows is None else n_rows, n_rows is None)
        n_estimates = sum(bool(is_estimate) for _, is_estimate in counts.values())
        if n_estimates:
            self.notes.append(f"row counts that are the server's estimates: {n_estimates}")
        return counts

    def _count(self, schema: str, name: str) -> int | None:
        try:
            ((n_rows,),) = self.database.rows(f"select count(*) from {self.catalog.quoted(schema, name)}")
        except self.database.error:
            return None
        return int(n_rows)

    def _with_samples(self, tables: list[TableFacts], found: list[Any]) -> list[TableFacts]:
        if not self.selection.n_samples:
            return tables
        self.database.limit_time(SAMPLE_S)
        end_s = time.monotonic() + SAMPLES_S
        personal = [c.name for table in tables for c in table.columns if looks_personal(c.name)]
        if personal:
            shown = listed(dict.fromkeys(personal), 5)
            self.notes.append(f"columns without samples, since they look personal: {shown}")
        sampled = []
        for table, (schema, name, is_view, _, _) in zip(tables, found, strict=True):
            if is_view or time.monotonic() > end_s:
                sampled.append(table)
            else:
                sampled.append(replace(table, columns=self._samples(schema, name, table)))
        return sampled

    def _samples(self, schema: str, name: str, table: TableFacts) -> list[ColumnFacts]:
        chosen = [column for column in table.columns if self._is_sampled(column)]
        if not chosen:
            return table.columns
        texts = [
            self.catalog.sample_text.format(column=self.catalog.quoted(column.name), n=SAMPLE_CHARACTERS)
            for column in chosen
        ]
        sql = self.catalog.sample.format(
            columns=", ".join(texts), table=self.catalog.quoted(schema, name), n=SAMPLED_ROWS
        )
        try:
            rows = self.database.rows(sql)
        except self.database.error as error:
            told = " ".join(str(error).split())[:200]
            self.problems.append(
                (f"table {table.name}", "no_samples", f"its values could not be read: {told}")
            )
            return table.columns
        found: dict[str, list[str]] = {}
        for place, column in enumerate(chosen):
            values = dict.fromkeys(storable(str(row[place])) for row in rows if row[place] is not None)
            found[column.name] = list(values)[: self.selection.n_samples]
        return [replace(column, sample_values=found.get(column.name)) for column in table.columns]

    def _is_sampled(self, column: ColumnFacts) -> bool:
        kind = (column.data_type or "").lower()
        return not looks_personal(column.name) and not kind.startswith(
            tuple(beginning.lower() for beginning in self.catalog.unsampled_types)
        )


def matching_schema(name: str, known: dict[str, int]) -> str:
    """A schema as the server spells it; GlueError names the nearest one."""
    if name in known:
        return name
    same = [schema for schema in known if schema.lower() == name.lower()]
    if len(same) == 1:
        return same[0]
    close = nearest(name, list(known))
    hint = f"did you mean {close!r}?" if close else f"schemas with tables: {listed(known)}"
    raise GlueError(f"--schemas: there is no schema {name!r} with tables that this user may read", hint)


Key = tuple[str, bool, str]
"""A column of a primary or unique key: the key, is it the primary one, and the column."""


def _by_table(rows: list[tuple[Any, ...]]) -> dict[str, list[Key]]:
    found: dict[str, list[Key]] = {}
    for table, key, is_primary, column in rows:
        found.setdefault(str(table), []).append((str(key), bool(is_primary), str(column)))
    return found


def _primary_columns(keys: list[Key]) -> tuple[str, ...]:
    return tuple(column for _, is_primary, column in keys if is_primary)


def _keyed(
    schema: str,
    name: str,
    shown: str,
    columns: list[ColumnFacts],
    keys: list[Key],
    declared: Iterable[str],
) -> KeyedTable:
    members: dict[str, list[str]] = {}
    for key, _, column in keys:
        members.setdefault(key, []).append(column)
    return KeyedTable(
        schema=schema,
        name=name,
        shown=shown,
        types={column.name: column.data_type for column in columns},
        primary=_primary_columns(keys),
        unique=frozenset(names[0] for names in members.values() if len(names) == 1),
        declared=frozenset(declared),
    )
