"""Prepared copies: one indexed, analysed copy of a database snapshot, in a cache with a size cap.

A statement whose result cannot depend on the query plan gives the same on the copy, mostly much sooner. The
original file is only ever read, and its content is compared with the snapshot it is said to have.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from glue.engines.base import Engine
from glue.errors import GlueError

RECIPE_VERSION = 2
DEFAULT_CACHE_BYTES = 20 << 30

_READ_BYTES = 1 << 20
_PART = ".part"
_SETTLED_AFTER_NS = 2_000_000_000
"""A file changed less than two seconds before it was hashed may change again within one tick of its clock."""


@dataclass(frozen=True)
class WantedIndex:
    """An index wanted on the prepared copies of a snapshot. Names as the catalog spells them."""

    snapshot_id: str
    table_name: str
    column_names: tuple[str, ...]


@dataclass(frozen=True)
class PreparedCopy:
    """A copy ready to be opened. `elapsed_ms` is what making it took, 0 where it stood already."""

    path: Path
    recipe: str
    n_indexes: int
    n_bytes: int
    elapsed_ms: float
    is_new: bool


class NotPrepared(GlueError):
    """There is no copy: no room in the cache, or SQLite could not make one. The file itself still serves."""


class SnapshotChanged(GlueError):
    """A database file is missing or no longer has the content that was imported."""


def cache_bytes() -> int:
    """The cap of the cache: EVALHOUSE_CACHE_BYTES, or 20 GiB. GlueError when it is no number of bytes."""
    text = os.environ.get("EVALHOUSE_CACHE_BYTES")
    if not text:
        return DEFAULT_CACHE_BYTES
    try:
        return max(int(text), 0)
    except ValueError as error:
        raise GlueError(
            f"EVALHOUSE_CACHE_BYTES is {text!r}, not a number of bytes", "for example 20000000000"
        ) from error


# --- Snapshots ----------------------------------------------------------------------------------------------


def file_sha256(path: Path) -> str:
    """sha256 of a file's bytes. OSError when it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Snapshots:
    """Knows which content a database file has, and reads it again only when it has changed."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._known: dict[str, list[int | str]] = {}
        self._is_changed = False
        with contextlib.suppress(OSError, ValueError):
            known = json.loads(memory.read_text())
            self._known = known if isinstance(known, dict) else {}

    def check(self, engine: Engine, path: Path | None, snapshot_id: str) -> Path:
        """The path of a file that has the snapshot's content. SnapshotChanged when it has not."""
        if path is None:
            raise SnapshotChanged("the database has no file", "import it with a folder of databases")
        try:
            found = self._digest(path)
        except OSError as error:
            raise SnapshotChanged(f"{path} cannot be read: {error.strerror}", _IMPORT_AGAIN) from error
        if found != snapshot_id:
            raise SnapshotChanged(
                f"{path} has changed: sha256 {found[:12]}…, imported as {snapshot_id[:12]}…", _IMPORT_AGAIN
            )
        for log in engine.log_files(path):
            raise SnapshotChanged(
                f"{log} holds changes that {path.name} lacks", "close what writes it, then import"
            )
        return path

    def save(self) -> None:
        """Remember for the next command. A cache that cannot be written is no error."""
        if not self._is_changed:
            return
        with contextlib.suppress(OSError):
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            part = self._memory.with_name(f"{self._memory.name}.{os.getpid()}{_PART}")
            part.write_text(json.dumps(self._known))
            part.replace(self._memory)

    def _digest(self, path: Path) -> str:
        before = _identity(path)
        known = self._known.get(str(path))
        if known is not None and known[:-1] == before:
            return str(known[-1])
        digest = file_sha256(path)
        if before == _identity(path) and time.time_ns() - max(before[1], before[2]) > _SETTLED_AFTER_NS:
            self._known[str(path)] = [*before, digest]
            self._is_changed = True
        return digest


_IMPORT_AGAIN = "put the file back, or import the benchmark again"


def _identity(path: Path) -> list[int]:
    """What changes when a file does: size, times of content and entry, inode."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


# --- Copies -------------------------------------------------------------------------------------------------


def recipe_of(indexes: Iterable[WantedIndex]) -> str:
    """What is done to a copy, as a name: the version of this module's way, and the indexes wanted."""
    wanted = sorted({(index.table_name, index.column_names) for index in indexes})
    return f"{RECIPE_VERSION}-{hashlib.md5(json.dumps(wanted).encode()).hexdigest()[:12]}"


class CopyStore:
    """The prepared copies of one warehouse. One command at a time may use it; its threads may share it.

    A copy appears under its name only when it is whole and on disk. The least recently used ones make room.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._in_use: set[Path] = set()
        self._lock = threading.Lock()
        self._is_cancelled = False
        for stray in folder.glob(f"*{_PART}"):
            stray.unlink(missing_ok=True)

    def obtain(self, source: Path, snapshot_id: str, indexes: Sequence[WantedIndex]) -> PreparedCopy:
        """The copy of a snapshot, made when it is not there. It is not evicted while this store lives.

        Raises SnapshotChanged when `source` has another content, NotPrepared when no copy can be made.
        """
        recipe = recipe_of(indexes)
        path = self._folder / f"{snapshot_id}-{recipe}.sqlite"
        with self._lock:
            self._in_use.add(path)
            if path.exists():
                os.utime(path)
                return PreparedCopy(path, recipe, 0, path.stat().st_size, 0.0, is_new=False)
            self._make_room(source.stat().st_size)
        started_s = time.monotonic()
        part = path.with_name(f"{path.stem}.{threading.get_ident()}{_PART}")
        try:
            n_indexes = self._make(source, snapshot_id, indexes, part)
            with self._lock:
                self._make_room(part.stat().st_size)
                part.replace(path)
        except (OSError, sqlite3.Error) as error:
            raise NotPrepared(
                f"no prepared copy of {source}: {error}", "statements run on the file itself"
            ) from error
        finally:
            part.unlink(missing_ok=True)
        elapsed_ms = (time.monotonic() - started_s) * 1_000
        return PreparedCopy(path, recipe, n_indexes, path.stat().st_size, elapsed_ms, is_new=True)

    def cancel(self) -> None:
        """Have copies in the making end soon, with NotPrepared."""
        self._is_cancelled = True

    def _make(self, source: Path, snapshot_id: str, indexes: Sequence[WantedIndex], part: Path) -> int:
        if self._copy(source, part) != snapshot_id:
            raise SnapshotChanged(f"{source} changed while it was copied", _IMPORT_AGAIN)
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.set_progress_handler(lambda: int(self._is_cancelled), 10_000)
            for pragma in (
                "trusted_schema = off",
                "temp_store = memory",
                "cache_size = -65536",
                "journal_mode = delete",
                "journal_mode = off",
                "synchronous = off",
            ):
                connection.execute(f"PRAGMA {pragma}").close()
            n_indexes = sum(_created(connection, index) for index in indexes)
            if indexes:
                connection.execute("ANALYZE")  # without an index statistics make joins slower, not quicker
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o444)
        return n_indexes

    def _copy(self, source: Path, part: Path) -> str:
        digest = hashlib.sha256()
        with source.open("rb") as original, part.open("wb") as copy:
            while data := original.read(_READ_BYTES):
                if self._is_cancelled:
                    raise OSError("cancelled")
                digest.update(data)
                copy.write(data)
        return digest.hexdigest()

    def _make_room(self, n_bytes: int) -> None:
        """Evict copies, least recently used first, until another of `n_bytes` fits."""
        self._folder.mkdir(parents=True, exist_ok=True)
        copies = sorted(
            (path.stat().st_mtime_ns, path.stat().st_size, path) for path in self._folder.glob("*.sqlite")
        )
        held = sum(size for _, size, _ in copies)
        for _, size, path in copies:
            if held + n_bytes <= self._max_bytes:
                break
            if path not in self._in_use:
                path.unlink()
                held -= size
        if held + n_bytes > self._max_bytes:
            raise NotPrepared(
                f"the cache {self._folder} has no room for {n_bytes:,} bytes (its cap: {self._max_bytes:,})",
                "set EVALHOUSE_CACHE_BYTES higher",
            )


def _created(connection: sqlite3.Connection, index: WantedIndex) -> bool:
    """Create one index; False where the file has no such table or column."""
    columns = ", ".join(map(_quoted, index.column_names))
    identity = json.dumps([index.table_name, index.column_names])
    name = f"evalhouse_{hashlib.md5(identity.encode()).hexdigest()[:16]}"
    try:
        connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {_quoted(index.table_name)} ({columns})")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", None) == "SQLITE_ERROR":
            return False
        raise
    return True


def _quoted(name: str) -> str:
    """A name in backticks: unlike one in double quotes, SQLite never takes it for a text."""
    return "`" + name.replace("`", "``") + "`"
