"""The landing zone: the only writer of landing/, append-only, journaled, folded into Parquet batches.

    landing/<table>/_schema.parquet     no rows: makes the table readable before anything has landed
    landing/<table>/<batch>.parquet     what one command landed
    landing/_journals/<batch>.journal   what a command has appended and not yet folded
    landing/_locks/<loop>.lock          who runs which loop
    landing/_rejected/                  appended batches that could not be read back, put aside

What has been appended survives the death of its process, and after a sync that of the machine. Files appear
under their final name only once they are whole and on disk, so that a reader never meets half a file. A kill
between two steps leaves at worst the same row twice: a row is identified by its table's key, and among rows
of one key the one with the newest landed_at counts, then the first in the order of the table's other columns
(ascending, NULL last). Readers and `compact` use this one rule.
"""

from __future__ import annotations

import hashlib
import logging
import math
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import pyarrow as pa

from glue.errors import GlueError, nearest
from glue.home import Home
from glue.journal import Frame, Journal, journals_in
from glue.landing_files import (
    PART,
    ROW_GROUP_BYTES,
    ROW_GROUP_ROWS,
    SCHEMA_FILE,
    batch_files,
    disk_errors,
    journal_folder,
    new_batch,
    own_part,
    put_in_place,
    readable,
    sync_file,
)
from glue.landing_rows import (
    IpcSchemas,
    Rows,
    append_schema,
    from_ipc,
    landing_table,
    serialise,
    to_batches,
    to_ipc,
)
from glue.landing_tables import MOMENT, TABLES, LandingTable
from glue.locks import LoopLock, hold_all

if TYPE_CHECKING:
    from glue.landing_compaction import Compaction

__all__ = [
    "Writer",
    "append_schema",
    "batch_files",
    "compact",
    "ensure",
    "landed_keys",
    "table_fingerprints",
    "to_ipc",
]

_MERGED_BATCHES = 512
_MERGED_BYTES = 8 << 20
_READ_ATTEMPTS = 5
_IPC_HINT = "it was put aside; append what landing.to_ipc gives"

logger = logging.getLogger(__name__)


class Writer:
    """Appends rows to landing tables while holding the lock of one loop. A context manager.

    Entering takes the lock (GlueError names who holds it) and makes sure that the landing zone stands and
    holds what dead writers left. Leaving, with an error or without, folds what was appended into Parquet.
    `landed_at` is filled by the writer and grows with every append, so that of two rows of one key the later
    append counts. Threads may share a writer; a forked child may not use it.
    """

    def __init__(self, home: Home, loop: str, command: str | None = None, sync_every_s: float = 0.5) -> None:
        self.home = home
        self._loop = loop
        self._lock = LoopLock(home, loop, command)
        self._pid = os.getpid()
        self._sync_every_s = sync_every_s
        self._journal: Journal | None = None
        self._is_open = False
        self._last_landed_at_us = 0
        self._synced_at_s = -math.inf
        self._ipc_schemas = IpcSchemas()
        self._mutex = threading.RLock()

    def __enter__(self) -> Writer:
        with disk_errors(self.home):
            self._lock.acquire()
            try:
                ensure(self.home)
            except BaseException:
                self._lock.release()
                raise
        self._is_open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if os.getpid() != self._pid:
            return
        self._is_open = False
        try:
            self._fold()
        except Exception as failure:
            if error is None:
                raise
            logger.warning("%s; the next command folds what was appended", failure)
        finally:
            if self._journal is not None:
                self._journal.close()
            self._lock.release()

    def append(self, table: str, rows: Rows) -> None:
        """Append rows: mappings of the table's fields, or an Arrow batch or table (landing_rows.to_batches).

        All rows are checked before the first is written. GlueError names table, row, field and what is wrong.
        """
        schema = append_schema(table)
        for batch in to_batches(table, rows):
            self._write(table, memoryview(serialise(schema, [batch])))

    def append_ipc(self, table: str, data: bytes | memoryview | pa.Buffer) -> None:
        """Append rows that another process has serialised with `to_ipc`, without decoding them.

        GlueError when the stream's schema is not `append_schema(table)`. Its body is checked when folded:
        one that cannot be read is put aside in landing/_rejected and named, and what else was appended lands.
        """
        view = memoryview(data).cast("B")
        self._ipc_schemas.check(table, view)
        self._write(table, view)

    def sync(self, now: bool = False) -> None:
        """Have what was appended on disk. What was appended survives kill -9 of this process in any case.

        Syncs are grouped: within `sync_every_s` seconds of the last one, nothing is done unless `now`.
        """
        with self._mutex, disk_errors(self.home):
            if self._journal is None:
                return
            if now or time.monotonic() - self._synced_at_s >= self._sync_every_s:
                self._journal.sync()
                self._synced_at_s = time.monotonic()

    def fold(self) -> None:
        """Make what was appended so far readable as Parquet; appending goes on in a new batch.

        GlueError when a batch of `append_ipc` could not be read (all else is folded then).
        """
        self._require_open()
        self._fold()

    def _fold(self) -> None:
        with self._mutex, disk_errors(self.home):
            if self._journal is None:
                return
            rejected = _fold_journal(self.home, self._journal)
            self._journal = None
        if rejected:
            raise GlueError(f"{len(rejected)} appended batches could not be read: {rejected[0]}", _IPC_HINT)

    def _write(self, table: str, payload: memoryview) -> None:
        with self._mutex, disk_errors(self.home):
            self._require_open()
            if self._journal is None:
                self._journal = Journal.create(journal_folder(self.home), new_batch(self._loop))
            self._last_landed_at_us = max(self._last_landed_at_us + 1, time.time_ns() // 1000)
            self._journal.append(table, self._last_landed_at_us, payload)

    def _require_open(self) -> None:
        if not self._is_open:
            raise RuntimeError("a landing Writer appends only inside its `with` block")


def ensure(home: Home) -> None:
    """Make every landing table readable and fold the journals of dead writers. Cheap when nothing is to do.

    Safe to call at any time from several processes. GlueError when the folder cannot be written.
    """
    with disk_errors(home):
        _ensure_schema_files(home)
        for path in journals_in(journal_folder(home)):
            journal = Journal.adopt(path)
            if journal is None:
                continue
            try:
                rejected = _fold_journal(home, journal)
            finally:
                journal.close()
            for problem in rejected:
                logger.warning("put aside a batch that could not be read: %s", problem)


def landed_keys(home: Home, table: str, columns: Sequence[str] | None = None) -> pa.Table:
    """The distinct values of some columns (default: the key) over all landed rows of a table.

    Columns of lists come with every row, repeated ones too. No rows when nothing has landed. Journals are not
    read: call `ensure` or open a Writer first. GlueError on an unknown column.
    """
    declared = landing_table(table)
    names = list(columns or declared.key)
    for name in names:
        if name not in declared.schema.names:
            close = nearest(name, declared.schema.names)
            hint = f"did you mean {close!r}?" if close else f"fields: {', '.join(declared.schema.names)}"
            raise GlueError(f"{table}: unknown field {name!r}", hint)
    schema = pa.schema([declared.schema.field(name) for name in names])
    landed = pa.concat_tables([schema.empty_table(), *_read_batches(home, table, schema)])
    if any(pa.types.is_nested(field.type) for field in schema):
        return landed
    return landed.group_by(names).aggregate([]).select(names)


def table_fingerprints(home: Home) -> dict[str, str]:
    """What has landed, as a digest for each table of its schema and its files' names and sizes.

    Journals do not count, since no build sees them; compaction changes it. Costs one look at each file's
    directory entry.
    """
    found = {}
    for name, table in TABLES.items():
        digest = hashlib.md5(table.schema.to_string(truncate_metadata=False).encode())
        for path in batch_files(home, name):
            try:
                digest.update(f"{path.name}:{path.stat().st_size}\n".encode())
            except FileNotFoundError:  # compacted away just now
                digest.update(f"{path.name}:gone\n".encode())
        found[name] = digest.hexdigest()
    return found


def compact(home: Home, command: str | None = None) -> dict[str, Compaction]:
    """Merge each table's batches into one file, one row per key; rows of imports that never finished go.

    Gives, by table, the files and rows before and after. Among rows of one key the newest landed_at stays,
    then the first by the table's other columns. Holds the locks of all loops (GlueError names who holds one).
    The merged file is in place before the first old one is removed: a kill at any point leaves at worst rows
    twice, which the next compaction merges. A build that reads just then may miss a file: run none.
    """
    from glue.landing_compaction import merge_all

    with disk_errors(home), hold_all(home, command):
        ensure(home)
        return merge_all(home, finished=landed_keys(home, "imports", ["import_id"]))


# --- Schema files -------------------------------------------------------------------------------------------


def _ensure_schema_files(home: Home) -> None:
    """A zero-row file per table, written anew when the declared schemas have changed."""
    digest = _schemas_digest()
    marker = home.landing / "_schemas.md5"
    is_current = marker.is_file() and marker.read_text() == digest
    for name, table in TABLES.items():
        path = home.landing / name / SCHEMA_FILE
        if not (is_current and path.is_file()):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_schema_file(path, table)
    journal_folder(home).mkdir(exist_ok=True)
    if not is_current:
        part = own_part(marker)
        part.write_text(digest)
        part.replace(marker)


def _write_schema_file(path: Path, table: LandingTable) -> None:
    import pyarrow.parquet as parquet

    part = own_part(path)
    parquet.write_table(table.schema.empty_table(), part)
    sync_file(part)
    part.replace(path)


def _schemas_digest() -> str:
    text = "\n".join(
        f"{name}: {table.schema.to_string(truncate_metadata=False)}" for name, table in TABLES.items()
    )
    return hashlib.md5(text.encode()).hexdigest()


# --- Folding ------------------------------------------------------------------------------------------------


def _fold_journal(home: Home, journal: Journal) -> list[str]:
    """Turn a journal into one Parquet file per table and remove it; says which of its frames were put aside.

    The files' names follow from the journal's: folding the same journal again writes the same files again.
    """
    journal.sync()
    files: dict[str, _TableFile] = {}
    rejected: list[str] = []
    try:
        for number, frame in enumerate(journal.frames(), 1):
            try:
                batches = from_ipc(frame.table, frame.payload)
            except (GlueError, pa.ArrowException, OSError, EOFError) as error:
                rejected.append(f"{_put_aside(home, journal.batch, number, frame)} ({error})")
                continue
            if frame.table not in files:
                files[frame.table] = _TableFile(_part_of(journal, frame.table), TABLES[frame.table])
            for batch in batches:
                files[frame.table].add(batch, frame.landed_at_us, len(frame.payload))
    finally:
        for file in files.values():
            file.close()
    for table in _from_last_to_first(files):
        part = files[table].part
        if files[table].n_rows:
            sync_file(part)
            put_in_place(part, home.landing / table / f"{journal.batch}.parquet")
        else:
            part.unlink()
    journal.remove()
    return rejected


def _from_last_to_first(files: dict[str, _TableFile]) -> list[str]:
    """Rows that others point to come first and imports last: a kill in between shows nothing half done."""
    return [table for table in reversed(TABLES) if table in files]


def _put_aside(home: Home, batch: str, number: int, frame: Frame) -> Path:
    folder = home.landing / "_rejected"
    folder.mkdir(exist_ok=True)
    path = folder / f"{batch}-{number}-{frame.table}.arrows"
    path.write_bytes(frame.payload)
    return path


class _TableFile:
    """One table's Parquet file in the making: batches are gathered into row groups, one in memory at most.

    An Arrow batch of one row weighs some 10 kB, so small ones are soon merged into tables of one chunk.
    """

    def __init__(self, part: Path, table: LandingTable) -> None:
        import pyarrow.parquet as parquet

        self.part = part
        self.n_rows = 0
        self._file = parquet.ParquetWriter(part, table.schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []  # not merged yet, each with its moment
        self._moments: list[int] = []
        self._n_batch_bytes = 0
        self._tables: list[pa.Table] = []  # the row group so far
        self._n_table_rows = 0
        self._n_table_bytes = 0

    def add(self, batch: pa.RecordBatch, landed_at_us: int, n_payload_bytes: int) -> None:
        """Add rows that keep a buffer of `n_payload_bytes` alive until they are merged."""
        n_bytes = max(n_payload_bytes, batch.get_total_buffer_size())  # it may have been compressed
        if len(self._batches) == _MERGED_BATCHES or self._n_batch_bytes + n_bytes > _MERGED_BYTES:
            self._merge_batches()
        self._batches.append(batch)
        self._moments.append(landed_at_us)
        self._n_batch_bytes += n_bytes

    def close(self) -> None:
        """Write what is left and the file's footer."""
        self._merge_batches()
        self._write_row_group()
        self._file.close()

    def _merge_batches(self) -> None:
        if self._batches:
            moments = _repeated(self._moments, [batch.num_rows for batch in self._batches])
            rows = pa.Table.from_batches(self._batches).append_column("landed_at", moments)
            self._tables.append(rows.combine_chunks() if len(self._batches) > 1 else rows)
            self._n_table_rows += rows.num_rows
            self._n_table_bytes += self._n_batch_bytes
        self._batches, self._moments, self._n_batch_bytes = [], [], 0
        if self._n_table_rows >= ROW_GROUP_ROWS or self._n_table_bytes >= ROW_GROUP_BYTES:
            self._write_row_group()

    def _write_row_group(self) -> None:
        if self._tables:
            self._file.write_table(pa.concat_tables(self._tables), ROW_GROUP_ROWS)
        self.n_rows += self._n_table_rows
        self._tables, self._n_table_rows, self._n_table_bytes = [], 0, 0


def _repeated(moments: list[int], counts: list[int]) -> pa.Array:
    """Each moment (microseconds since 1970 UTC) as often as its batch has rows."""
    import numpy

    return pa.array(numpy.repeat(numpy.array(moments, "datetime64[us]"), counts), MOMENT)


def _part_of(journal: Journal, table: str) -> Path:
    return journal.path.with_name(f"{journal.batch}.{table}{PART}")


# --- Reading ------------------------------------------------------------------------------------------------


def _read_batches(home: Home, table: str, schema: pa.Schema) -> list[pa.Table]:
    """Some columns of every batch, in the declared types. Starts again when a compaction removes a file."""
    for attempt in range(1, _READ_ATTEMPTS + 1):
        try:
            return [_read_columns(path, schema) for path in batch_files(home, table)]
        except FileNotFoundError:
            if attempt == _READ_ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def _read_columns(path: Path, schema: pa.Schema) -> pa.Table:
    import pyarrow.parquet as parquet

    with readable(path), parquet.ParquetFile(path) as file:
        present = [name for name in schema.names if name in file.schema_arrow.names]
        found = file.read(columns=present)
        n_rows = file.metadata.num_rows
    columns = [
        found[field.name].cast(field.type) if field.name in present else pa.nulls(n_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
