"""Catalog rows that several importers land: BIRD's and Spider's tables.json, and database files introspected.

The same table may be described by several sources under spellings that differ in case; every spelling lands,
and rows are told apart by `source`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glue.errors import GlueError, nearest
from glue.importers.common import ImportBatch, OnProgress, Row, existing, kind_of, listed, read_json, storable
from glue.importers.introspection import DatabaseFacts, find_database_file, introspect

INTROSPECTION = "introspection"


@dataclass
class KnownNames:
    """The tables and columns that a batch describes, found whatever the case and the white space around."""

    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    columns: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, batch: ImportBatch) -> KnownNames:
        known = cls()
        for row in batch.rows.get("columns", []):
            known.tables.setdefault(row["db_id"], {}).setdefault(folded(row["table_name"]), row["table_name"])
            place = (row["db_id"], folded(row["table_name"]))
            known.columns.setdefault(place, {}).setdefault(folded(row["column_name"]), row["column_name"])
        return known

    def table(self, db_id: str, name: str) -> str | None:
        """The table as spelled in the catalog; the name itself when nothing is known of the database."""
        tables = self.tables.get(db_id)
        return name if tables is None else tables.get(folded(name))

    def column(self, db_id: str, table: str, name: str) -> str | None:
        """The column as spelled in the catalog; the name itself when nothing is known of the table."""
        columns = self.columns.get((db_id, folded(table)))
        return name if columns is None else columns.get(folded(name))

    def nearest_table(self, db_id: str, name: str) -> str | None:
        return nearest(name, list(self.tables.get(db_id, {}).values()))

    def nearest_column(self, db_id: str, table: str, name: str) -> str | None:
        return nearest(name, list(self.columns.get((db_id, folded(table)), {}).values()))


def folded(name: str) -> str:
    """A name for comparison: without white space around it, in lower case, inner white space as one space."""
    return " ".join(name.split()).lower()


# --- Database files -----------------------------------------------------------------------------------------


SAMPLES = 5
"""Different values of a column that a benchmark's import keeps: enough to tell digits kept as text."""


def add_databases(
    batch: ImportBatch,
    db_ids: Collection[str],
    folder: Path | None,
    source: str,
    n_samples: int = SAMPLES,
    on_progress: OnProgress | None = None,
) -> None:
    """Land a row per database and, where its file is found in `folder`, what the file says about itself.

    A database without a file stays a catalog entry of `source` with a remark. GlueError when there is no such
    folder or not one of the databases is in it.
    """
    found: dict[str, Path | None] = dict.fromkeys(db_ids)
    if folder is None:
        batch.notes.append(
            "databases by name alone: no question can be scored before glue import database --name "
            f"{batch.benchmark} brings them"
        )
    else:
        existing(folder, "--databases")
        found = {db_id: find_database_file(folder, db_id) for db_id in db_ids}
        if db_ids and not any(found.values()):
            names = sorted(entry.name for entry in folder.iterdir())
            raise GlueError(
                f"--databases: none of the {len(db_ids)} databases is in {folder}: looked for "
                f"{folder}/{next(iter(db_ids))}/{next(iter(db_ids))}.sqlite and so on",
                f"it holds {listed(names, 5) or 'nothing'}; without --databases the schema alone is imported",
            )
    for done, (db_id, path) in enumerate(found.items()):
        if on_progress is not None:
            on_progress(done, len(found), db_id)
        _add_database(batch, db_id, path, folder, source, n_samples)
    if on_progress is not None:
        on_progress(len(found), len(found), "")


def _add_database(
    batch: ImportBatch, db_id: str, path: Path | None, folder: Path | None, source: str, n_samples: int
) -> None:
    facts: DatabaseFacts | None = None
    if path is not None:
        try:
            facts = introspect(path, n_samples)
        except GlueError as error:
            batch.refuse(path, f"database {db_id}", "unreadable_database", error.message, error.hint or "")
    elif folder is not None:
        batch.refuse(
            folder,
            f"database {db_id}",
            "no_database",
            f"no file for database {db_id}: its questions cannot be scored",
            f"put it at {folder}/{db_id}/{db_id}.sqlite and import again with --replace",
            is_landed=True,
        )
    if facts is None:
        batch.add("databases", benchmark=batch.benchmark, db_id=db_id, source=source)
    else:
        batch.files[str(path)] = facts.snapshot_id
        add_introspection(batch, db_id, facts)


def add_introspection(batch: ImportBatch, db_id: str, facts: DatabaseFacts) -> None:
    """Land what a database says about itself, under its own spellings."""
    of_database = {"benchmark": batch.benchmark, "db_id": db_id, "source": INTROSPECTION}
    batch.add(
        "databases",
        **of_database,
        engine=facts.engine,
        path=None if facts.path is None else str(facts.path),
        snapshot_id=facts.snapshot_id,
        n_bytes=facts.n_bytes,
        connection=facts.connection,
        search_path=facts.search_path,
    )
    for table in facts.tables:
        batch.add(
            "tables",
            **of_database,
            table_name=storable(table.name),
            table_position=table.position,
            description=table.description,
            n_rows=table.n_rows,
            is_row_estimate=table.is_row_estimate,
        )
        for column in table.columns:
            batch.add(
                "columns",
                **of_database,
                table_name=storable(table.name),
                column_name=storable(column.name),
                column_position=column.position,
                data_type=column.data_type,
                description=column.description,
                sample_values=column.sample_values,
                is_primary_key=column.is_primary_key,
                is_nullable=column.is_nullable,
                storage_classes=column.storage_classes,
            )
    for key in facts.keys:
        for position, (column_name, referenced) in enumerate(
            zip(key.columns, key.referenced_columns, strict=True), 1
        ):
            batch.add(
                "foreign_keys",
                **of_database,
                key_name=key.name,
                key_position=position,
                table_name=key.table,
                column_name=column_name,
                referenced_table=key.referenced_table,
                referenced_column=referenced,
                is_inferred=key.is_inferred,
            )
    for record, reason, detail in facts.problems:
        if facts.path is None:
            advice = "the rest of the database landed"
            batch.refuse(f"connection {facts.connection}", record, reason, detail, advice, is_landed=True)
        else:
            advice = "the rest of the database landed; check the file with PRAGMA integrity_check"
            batch.refuse(facts.path, record, reason, detail, advice)


# --- tables.json --------------------------------------------------------------------------------------------


def read_tables_json(path: Path, batch: ImportBatch) -> dict[str, Row]:
    """BIRD's or Spider's tables.json as its entries by db_id; entries that are none are refused."""
    content = read_json(path, batch, "--tables")
    if not isinstance(content, list):
        raise GlueError(
            f"--tables: {path} holds {kind_of(content)}, not a list of databases",
            "give dev_tables.json or tables.json",
        )
    entries: dict[str, Row] = {}
    for number, entry in enumerate(content, 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("db_id"), str):
            batch.refuse(
                path,
                f"entry {number}",
                "malformed",
                "not an object with a db_id",
                "mend or remove it",
                field="db_id",
            )
        elif entry["db_id"] in entries:
            batch.refuse(
                path, f"entry {number}", "duplicate", f"database {entry['db_id']} again", "remove one"
            )
        else:
            entries[entry["db_id"]] = entry
    return entries


def add_described(batch: ImportBatch, path: Path, entries: Iterable[Row], source: str) -> None:
    """Land the tables, columns and keys that entries of tables.json describe; malformed ones are refused."""
    for entry in entries:
        try:
            rows = list(_described_rows(batch.benchmark, entry, source))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            detail = f"database {entry['db_id']}: {type(error).__name__}: {error}"
            batch.refuse(path, f"database {entry['db_id']}", "malformed", detail, "mend the entry")
            continue
        keys_so_far = {_key_place(row) for row in batch.rows.get("foreign_keys", [])}
        for table, row in rows:
            if table != "foreign_keys" or _key_place(row) not in keys_so_far:
                batch.add(table, **row)


def _described_rows(benchmark: str, entry: Row, source: str) -> Iterator[tuple[str, Row]]:
    of_database = {"benchmark": benchmark, "db_id": entry["db_id"], "source": source}
    tables, natural_tables = entry["table_names_original"], entry.get("table_names") or []
    columns, natural_columns = entry["column_names_original"], entry.get("column_names") or []
    types = entry.get("column_types") or []
    if len(types) == len(columns) - 1 and columns[0][0] < 0:  # without one for '*'
        types = [None, *types]
    primary = {int(member) for key in entry.get("primary_keys") or [] for member in _members(key)}
    for index, name in enumerate(tables):
        natural = _natural(natural_tables[index]) if index < len(natural_tables) else None
        yield (
            "tables",
            {**of_database, "table_name": name, "table_position": index + 1, "natural_name": natural},
        )
    positions: dict[int, int] = {}
    for index, (table, name) in enumerate(columns):
        if table < 0:  # '*'
            continue
        positions[table] = positions.get(table, 0) + 1
        natural = _natural(natural_columns[index][1]) if index < len(natural_columns) else None
        row = {
            "table_name": tables[table],
            "column_name": name,
            "column_position": positions[table],
            "data_type": types[index] if index < len(types) else None,
            "natural_name": natural,
            "is_primary_key": index in primary,
        }
        yield "columns", {**of_database, **row}
    for number, pair in enumerate(entry.get("foreign_keys") or []):
        column, referenced = (columns[int(index)] for index in pair)
        row = {
            "key_name": f"{tables[column[0]]}#{number}",
            "key_position": 1,
            "table_name": tables[column[0]],
            "column_name": column[1],
            "referenced_table": tables[referenced[0]],
            "referenced_column": referenced[1],
        }
        yield "foreign_keys", {**of_database, **row}


def _members(key: Any) -> list[Any]:
    return key if isinstance(key, list) else [key]


def _natural(name: Any) -> str | None:
    return str(name).strip() or None if name is not None else None


def _key_place(row: Row) -> tuple[str, ...]:
    names = ("table_name", "column_name", "referenced_table", "referenced_column")
    return (row["db_id"], *(folded(row[name] or "") for name in names))


def refuse_undescribed(batch: ImportBatch, path: Path, db_ids: list[str]) -> None:
    """Remark on databases that questions ask and tables.json does not describe."""
    for db_id in db_ids:
        detail = f"questions ask database {db_id}, which the file does not describe"
        batch.refuse(
            path, f"database {db_id}", "undescribed_database", detail, "add its entry", is_landed=True
        )


def merge_tables(batch: ImportBatch) -> None:
    """One row per spelling of a table: what is described, with the row count that its file has."""
    rows = batch.rows.get("tables", [])
    counts = {
        (row["db_id"], folded(row["table_name"])): row["n_rows"]
        for row in rows
        if row["source"] == INTROSPECTION
    }
    described = {(row["db_id"], row["table_name"]) for row in rows if row["source"] != INTROSPECTION}
    merged = []
    for row in rows:
        if row["source"] == INTROSPECTION:
            if (row["db_id"], row["table_name"]) not in described:
                merged.append(row)
        else:
            merged.append({**row, "n_rows": counts.get((row["db_id"], folded(row["table_name"])))})
    batch.rows["tables"] = merged
