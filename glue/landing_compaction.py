"""Each table's batches merged into one file, one row per key: the work of `landing.compact`."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from glue.errors import GlueError
from glue.home import Home
from glue.journal import journals_in, sync_folder
from glue.landing_files import (
    PART,
    ROW_GROUP_BYTES,
    ROW_GROUP_ROWS,
    SCHEMA_FILE,
    batch_files,
    count_rows,
    journal_folder,
    new_batch,
    put_in_place,
    sync_file,
)
from glue.landing_tables import HALVES, TABLES, LandingTable

_STRAY_AFTER_S = 3600


@dataclass(frozen=True)
class Compaction:
    """What compacting one table did."""

    n_files_before: int
    n_files_after: int
    n_rows_before: int
    n_rows_after: int


def merge_all(home: Home, finished: pa.Table) -> dict[str, Compaction]:
    """Merge every table. `finished` holds the import_id of each import whose rows stay.

    The caller holds the locks of all loops. GlueError when a table cannot be merged: it is then as it was.
    """
    _remove_stray_parts(home)
    with _scratch_folder(home) as scratch:
        return {name: _compact_table(home, table, finished, scratch) for name, table in TABLES.items()}


def _compact_table(home: Home, table: LandingTable, finished: pa.Table, scratch: Path) -> Compaction:
    old = batch_files(home, table.name)
    n_rows_before = count_rows(old)
    if not old or (len(old) == 1 and old[0].name.startswith("compact-")):
        return Compaction(len(old), len(old), n_rows_before, n_rows_before)
    part = scratch / f"{table.name}{PART}"
    n_rows_after = _merge(home, table, old, finished, part)
    if n_rows_after:
        sync_file(part)
        put_in_place(part, home.landing / table.name / f"{new_batch('compact')}.parquet")
    for path in old:
        path.unlink(missing_ok=True)
    sync_folder(home.landing / table.name)
    return Compaction(len(old), 1 if n_rows_after else 0, n_rows_before, n_rows_after)


def _merge(home: Home, table: LandingTable, old: list[Path], finished: pa.Table, part: Path) -> int:
    """Write one row per key of the old files to `part`; gives the number of rows written."""
    import duckdb

    with duckdb.connect(config={"temp_directory": str(part.parent / "spill")}) as connection:
        connection.execute("set preserve_insertion_order = false")
        connection.register("finished", finished)
        try:
            connection.execute(_landed_view(table, [home.landing / table.name / SCHEMA_FILE, *old]))
            connection.execute(_repeated_keys(table))
            connection.execute(
                f"copy ({_one_row_per_key(table)}) to {_literal(part)} (format parquet, compression zstd,"
                f" row_group_size {ROW_GROUP_ROWS}, row_group_size_bytes {ROW_GROUP_BYTES})"
            )
        except duckdb.Error as error:
            raise GlueError(f"cannot merge {table.name}: {error}", "nothing was changed") from error
    _write_halves(table, part)
    _check_merged(table, part)
    return count_rows([part])


def _landed_view(table: LandingTable, paths: list[Path]) -> str:
    files = ", ".join(_literal(path) for path in paths)
    is_finished = ""
    if "import_id" in table.schema.names and table.name != "imports":
        is_finished = " where import_id in (select import_id from finished)"
    return (
        f"create temp view landed as select {_listed(table.schema.names)}"
        f" from read_parquet([{files}], union_by_name = true){is_finished}"
    )


def _repeated_keys(table: LandingTable) -> str:
    keys = _listed(table.key)
    return f"create temp table repeated as select {keys} from landed group by all having count(*) > 1"


def _one_row_per_key(table: LandingTable) -> str:
    """Rows whose key comes once pass straight through; only the others are ranked: memory stays small."""
    same_key = " and ".join(f'landed."{name}" is not distinct from repeated."{name}"' for name in table.key)
    others = [name for name in table.schema.names if name not in (*table.key, "landed_at")]
    order = ", ".join(["landed_at desc", *(f'"{name}" asc nulls last' for name in others)])
    return (
        f"select * from landed anti join repeated on {same_key} union all"
        f" select * from (select * from landed semi join repeated on {same_key})"
        f" qualify row_number() over (partition by {_listed(table.key)} order by {order}) = 1"
    )


def _write_halves(table: LandingTable, part: Path) -> None:
    """Write numbers in half precision as such: DuckDB reads them, and writes them in single."""
    import pyarrow.parquet as parquet

    if HALVES not in table.schema.types:
        return
    found = parquet.read_schema(part)
    halved = [
        field.with_type(HALVES) if field.type == HALVES else found.field(field.name) for field in table.schema
    ]
    written = part.with_suffix(".halves")
    with (
        parquet.ParquetFile(part) as merged,
        parquet.ParquetWriter(written, pa.schema(halved), compression="zstd") as writer,
    ):
        for batch in merged.iter_batches(batch_size=ROW_GROUP_ROWS):
            writer.write_batch(batch.cast(pa.schema(halved)), row_group_size=ROW_GROUP_ROWS)
    written.replace(part)


def _check_merged(table: LandingTable, part: Path) -> None:
    import pyarrow.parquet as parquet

    found = parquet.read_schema(part)
    if found.names != table.schema.names or found.types != table.schema.types:
        raise GlueError(
            f"{table.name}: the batches do not have the declared types",
            f"look for a file in landing/{table.name} that this version of glue did not write",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


@contextmanager
def _scratch_folder(home: Home) -> Iterator[Path]:
    """A folder for files in the making; what an earlier, killed compaction left in it goes first."""
    folder = home.landing / "_compact"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_stray_parts(home: Home) -> None:
    """Remove half-written files: of folds whose journal is gone, of schema files an hour old."""
    folder = journal_folder(home)
    alive = {path.name.removesuffix(".journal") for path in journals_in(folder)}
    for part in folder.glob(f"*{PART}"):
        if part.name.split(".")[0] not in alive:
            part.unlink(missing_ok=True)
    for part in home.landing.glob(f"*/{SCHEMA_FILE}.*{PART}"):
        with suppress(FileNotFoundError):
            if time.time() - part.stat().st_mtime > _STRAY_AFTER_S:
                part.unlink()
