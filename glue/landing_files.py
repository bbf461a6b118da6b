"""Where things lie in landing/, and the steps by which files appear there: whole, on disk, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from glue.errors import GlueError
from glue.home import Home
from glue.journal import sync_folder
from glue.landing_rows import landing_table

SCHEMA_FILE = "_schema.parquet"
PART = ".part"  # what is still being written
ROW_GROUP_ROWS = 122_880  # DuckDB's own
ROW_GROUP_BYTES = 64 << 20


def batch_files(home: Home, table: str) -> list[Path]:
    """The Parquet files of a table that hold rows, by name; none when nothing has landed."""
    folder = home.landing / landing_table(table).name
    names = [path for path in folder.glob("*.parquet") if path.name != SCHEMA_FILE] if folder.is_dir() else []
    return sorted(names)


def journal_folder(home: Home) -> Path:
    return home.landing / "_journals"


def new_batch(loop: str) -> str:
    """A name that sorts by time within a loop and after _schema.parquet, whose types a reader takes."""
    return f"{loop}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S%f')}-{secrets.token_hex(4)}"


def own_part(path: Path) -> Path:
    """A temporary name beside `path` that no other process uses."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}{PART}")


def put_in_place(part: Path, final: Path) -> None:
    part.replace(final)
    sync_folder(final.parent)


def sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def count_rows(paths: Sequence[Path]) -> int:
    import pyarrow.parquet as parquet

    n_rows = 0
    for path in paths:
        with readable(path):
            n_rows += parquet.read_metadata(path).num_rows
    return n_rows


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except pa.ArrowInvalid as error:
        raise GlueError(
            f"{path} cannot be read: {error}", "glue did not write it so: move it away"
        ) from error


@contextmanager
def disk_errors(home: Home) -> Iterator[None]:
    """Turn what the disk refuses into an error that says where and what to do."""
    try:
        yield
    except OSError as error:
        place = error.filename or home.landing
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            hint = "free some space and run the command again: what was synced is kept"
        else:
            hint = f"EVALHOUSE_HOME is {home.root}: glue must be able to write in it"
        raise GlueError(f"cannot write {place}: {error.strerror or error}", hint) from error
