"""`glue execute`: runs statements in worker processes and lands what each gave, as it arrives.

The parent runs no SQL. It hands statements out in chunks, takes back finished ones as Arrow and appends them
to the landing zone as they are.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence

from glue.engines.server import Address
from glue.errors import GlueError
from glue.execute_databases import wanted_indexes_of
from glue.execute_landing import LandingWriter, Summary, landed_results
from glue.execute_live import Addresses, parts_of, why_unreachable
from glue.execute_wave import Wave
from glue.execute_work import LivePlace, Prepared, Statement, TimeLimits, due_statements, statements_of
from glue.home import Home
from glue.prepared import WantedIndex
from glue.progress import Progress, Silent
from glue.unions import Union
from glue.worker_tasks import KeepRows, Settings

__all__ = [
    "Addresses",
    "Prepared",
    "Statement",
    "Summary",
    "execute",
    "statements_of",
    "wanted_indexes_of",
]

DEFAULT_TIMEOUT_S = 30.0
GOLD_TIMEOUT_FACTOR = 10
DEFAULT_MAX_ROWS = 100_000
DEFAULT_MAX_RESULT_BYTES = 64 << 20
DEFAULT_MAX_MEMORY_BYTES = 2 << 30
DEFAULT_LIVE_WORKERS = 2
"""A live server has others to serve."""


def default_workers() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(
    home: Home,
    pending: Sequence[Statement],
    *,
    writer: LandingWriter,
    workers: int | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    gold_timeout_s: float | None = None,
    max_rows: int = DEFAULT_MAX_ROWS,
    max_result_bytes: int = DEFAULT_MAX_RESULT_BYTES,
    max_memory_bytes: int = DEFAULT_MAX_MEMORY_BYTES,
    prepared: Prepared = "auto",
    keep_rows: KeepRows = "all",
    again: bool = False,
    prepared_indexes: Sequence[WantedIndex] = (),
    unions: Mapping[str, Union] | None = None,
    addresses: Mapping[LivePlace, Address] | Addresses | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run statements and land executions, results, result_rows and prepared_copies as they arrive.

    `gold_timeout_s` defaults to ten times `timeout_s`. Of a result, rows past `max_rows` or past
    `max_result_bytes` (of its rows' JSON) are not stored but counted and signed. `max_memory_bytes` is each
    worker's, above what it needs when idle. `prepared` says where statements run: each as its `variant`
    says, all on prepared copies, or none. Where an engine or a file has no copy, the file itself stands in
    for it. `keep_rows`: of results that are not kept signatures are stored, and no rows (docs/execution.md).
    `again`: questions to live databases that could not be scored are asked once more, and what a local engine
    had no answer to.
    `unions` are the databases of the unions that statements run on, by union_id; `addresses` say
    where the live databases are.

    A live database is asked by two workers unless told otherwise, each with one connection: first for its
    golds, then for all else, then for the golds again, all under one `wave_id`.

    Statements that have landed with a final outcome since the pending table was built, or timed out at as
    large a limit, are skipped. Ctrl-C ends the wave with what was done landed; a second one ends it at once.

    GlueError when a worker cannot be started, an engine is unknown, the landing zone cannot be written, or,
    once everything else has run, when a server cannot be connected to.
    """
    started_s = time.monotonic()
    limits = TimeLimits(
        timeout_s, timeout_s * GOLD_TIMEOUT_FACTOR if gold_timeout_s is None else gold_timeout_s
    )
    summary = Summary(n_pending=len(pending))
    due = due_statements(home, pending, limits, prepared, again)
    summary.n_skipped = len(pending) - len(due)
    wave_id = _wave_id(due)
    stored, unkept = landed_results(home) if due else (set(), set())
    unreachable: GlueError | None = None
    for part in parts_of(due, {} if addresses is None else addresses):
        error = why_unreachable(part)
        if summary.is_interrupted or error is not None:
            summary.n_left += len(part.statements)
            unreachable = unreachable or error
            continue
        n_workers = workers or (DEFAULT_LIVE_WORKERS if part.is_live else default_workers())
        wave = Wave(
            home=home,
            statements=part.statements,
            limits=limits,
            settings=Settings(
                max_rows,
                max_result_bytes,
                max_memory_bytes,
                wave_id if part.is_live else None,
                keep_rows,
            ),
            indexes=prepared_indexes,
            unions=unions or {},
            addresses=part.addresses,
            writer=writer,
            progress=progress or Silent(),
            summary=summary,
            stored=stored,
            unkept=unkept,
            n_workers=min(n_workers, len(part.statements)),
        )
        wave.run()
    if unreachable is not None:
        raise unreachable
    summary.elapsed_s = time.monotonic() - started_s
    return summary


def _wave_id(statements: Sequence[Statement]) -> str:
    """The key of a wave: md5 of when it began and what is due."""
    text = "|".join([str(time.time_ns()), *(statement.statement_id for statement in statements)])
    return hashlib.md5(text.encode()).hexdigest()
