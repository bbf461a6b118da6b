"""The bare cost of running statements: open, execute, fetch all, nothing else.

What `glue execute` is measured against: the same statements on the same files, with as many processes and
the same time limit, each statement's rows thrown away.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from glue.engines.sqlite import uri_of

_CALLBACK_EVERY_INSTRUCTIONS = 10_000
_CHUNK = 20


def bare_loop(items: Sequence[tuple[Path, str]], *, processes: int, timeout_s: float) -> tuple[float, int]:
    """Run (file, statement) pairs, throw rows away. Gives wall seconds, start included, and how many rows."""
    started_s = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) as pool:
        jobs = [(str(path), sql, timeout_s) for path, sql in items]
        n_rows = sum(pool.imap_unordered(_run, jobs, chunksize=_CHUNK))
    return time.perf_counter() - started_s, n_rows


_connections: dict[str, sqlite3.Connection] = {}


def _run(job: tuple[str, str, float]) -> int:
    """Rows of one statement; 0 when it fails or reaches its limit."""
    path, sql, timeout_s = job
    if path not in _connections:
        _connections[path] = sqlite3.connect(uri_of(Path(path)), uri=True)
    connection = _connections[path]
    deadline_s = time.monotonic() + timeout_s
    connection.set_progress_handler(lambda: time.monotonic() > deadline_s, _CALLBACK_EVERY_INSTRUCTIONS)
    try:
        return len(connection.execute(sql).fetchall())
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return 0
