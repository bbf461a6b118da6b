"""A SQLite or DuckDB file as a catalog: tables, views, columns, types, keys, comments, counts, samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.importers.catalog import add_introspection
from glue.importers.common import ImportBatch, check_name, existing
from glue.importers.introspection import DatabaseFacts, introspect
from glue.importers.local_catalog import LOCAL_ENGINES


def read_database(
    path: Path,
    name: str | None = None,
    db_id: str | None = None,
    n_samples: int = 0,
    engine: str | None = None,
) -> ImportBatch:
    """Introspect a database file into the catalog of benchmark `name` (default: the file's name) as `db_id`.

    `n_samples`: that many different values of each column are kept. `engine`: what is to answer on a DuckDB
    file, where it does not say so itself. GlueError when it is no database file.
    """
    existing(path, "database")
    if path.is_dir():
        raise GlueError(f"database: {path} is a folder", "name one database file in it")
    if n_samples < 0:
        raise GlueError(f"--samples: {n_samples} is negative", "0 keeps none")
    name, db_id = path.stem if name is None else name, path.stem if db_id is None else db_id
    check_name(db_id, "--db-id")
    options: dict[str, Any] = {"name": name, "db_id": db_id, "n_samples": n_samples}
    if engine is not None:
        options["engine"] = engine
    batch = ImportBatch("database", f"benchmark:{name}:database:{db_id}", name, options=options)
    facts = _answered_by(engine, introspect(path, n_samples))
    batch.files[str(path)] = facts.snapshot_id
    add_introspection(batch, db_id, facts)
    if not facts.tables:
        batch.refuse(
            path, "file", "empty", "the database has no tables", "is this the right file?", is_landed=True
        )
    return batch


def _answered_by(engine: str | None, facts: DatabaseFacts) -> DatabaseFacts:
    """The same database, with the engine that is to answer on it. GlueError where that one cannot."""
    if engine is None or engine == facts.engine:
        return facts
    if engine not in LOCAL_ENGINES.values() or facts.engine != "duckdb":
        what = f"was loaded for {facts.engine}" if facts.engine in LOCAL_ENGINES.values() else "is none"
        raise GlueError(
            f"--engine: {engine} answers on a DuckDB file, and {facts.path} {what}",
            "leave --engine out: the file says what it is",
        )
    return replace(facts, engine=engine)
