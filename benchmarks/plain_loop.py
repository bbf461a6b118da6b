"""The alternative that `benchmarks/execute.py` measures against: open, run and compare each pair in turn.

What the official scripts do, in few lines and without their overheads: a pool of processes, one pair of
statements at a time, a connection opened for each, a time limit that interrupts, and `set(a) == set(b)`.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple


class Pair(NamedTuple):
    """What one comparison needs."""

    key: str
    database_path: str
    predicted_sql: str
    gold_sql: str


class Verdict(NamedTuple):
    """What one comparison gave: `is_equal` is None where the limit stopped it."""

    key: str
    is_equal: bool | None


def compare(pair: Pair, limit_s: float) -> Verdict:
    """Run both statements under one limit and compare the sets of their rows."""
    with closing(sqlite3.connect(f"file:{pair.database_path}?mode=ro", uri=True)) as connection:
        has_expired = threading.Event()

        def stop() -> None:
            has_expired.set()
            connection.interrupt()

        watchdog = threading.Timer(limit_s, stop)
        watchdog.start()
        try:
            predicted = connection.execute(pair.predicted_sql).fetchall()
            gold = connection.execute(pair.gold_sql).fetchall()
            return Verdict(pair.key, set(predicted) == set(gold))
        except (sqlite3.Error, sqlite3.Warning, UnicodeError):
            return Verdict(pair.key, None if has_expired.is_set() else False)
        finally:
            watchdog.cancel()


def _compare_one(job: tuple[Pair, float]) -> Verdict:
    return compare(*job)


def compare_all(pairs: Sequence[Pair], limit_s: float, n_processes: int) -> list[Verdict]:
    """Every pair, by a pool of processes; results in the order of the pairs."""
    with multiprocessing.get_context("fork").Pool(n_processes) as pool:
        return pool.map(_compare_one, [(pair, limit_s) for pair in pairs], chunksize=8)
