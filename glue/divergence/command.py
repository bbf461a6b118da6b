"""`glue diverge`: checks every pending pair of gold and prediction, and lands what became of each."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from glue.build import refresh
from glue.divergence.check import DEFAULT_INSTANCES, DEFAULT_TIMEOUT_S
from glue.divergence.outcome import VERSION
from glue.divergence.wave import CheckWave
from glue.divergence.worker import SLACK_S, CheckSettings
from glue.errors import GlueError, nearest
from glue.execute import default_workers
from glue.execute_landing import Summary
from glue.execute_work import Statement, TimeLimits
from glue.handoff import pending_divergences
from glue.home import Home
from glue.landing import Writer, landed_keys

if TYPE_CHECKING:
    from glue.progress import Progress

DEFAULT_MAX_MEMORY_BYTES = 1 << 30
MAX_FAILURES = 2
"""A check that has failed so often is left alone."""


@dataclass(frozen=True)
class DivergeOptions:
    """What `glue diverge` was asked for. No `benchmarks` and no `prediction_sets` mean all."""

    workers: int | None = None
    n_instances: int = DEFAULT_INSTANCES
    timeout_s: float = DEFAULT_TIMEOUT_S
    max_memory_bytes: int = DEFAULT_MAX_MEMORY_BYTES
    limit: int | None = None
    benchmarks: tuple[str, ...] = ()
    prediction_sets: tuple[str, ...] = ()


def diverge(
    home: Home, options: DivergeOptions, progress: Progress, *, command: str = "glue diverge"
) -> Summary:
    """Refresh pending_divergences and check what is due.

    GlueError for a benchmark or prediction set that there is not, when another `glue diverge` runs, or when
    a model fails to build. Ctrl-C ends it with what was done landed.
    """
    from glue.importers.landed import landed_benchmark

    for name in options.benchmarks:
        landed_benchmark(home, name)
    started_s = time.monotonic()
    with Writer(home, loop="diverge", command=command) as writer:
        refresh(
            home,
            "pending_divergences",
            on_start=lambda: progress.note("bringing the pending table up to date …"),
        )
        pending = pending_divergences(home).to_pylist()
        wanted = _asked_for(home, pending, options)
        due = due_checks(home, wanted)[: options.limit]
        summary = Summary(n_pending=len(wanted), n_skipped=len(wanted) - len(due))
        if due:
            CheckWave(
                home=home,
                statements=due,
                limits=TimeLimits(options.timeout_s + SLACK_S, options.timeout_s + SLACK_S),
                settings=CheckSettings(
                    max_rows=0,
                    max_result_bytes=0,
                    max_memory_bytes=options.max_memory_bytes,
                    n_instances=options.n_instances,
                ),
                indexes=(),
                unions={},
                addresses={},
                writer=writer,
                progress=progress,
                summary=summary,
                stored=set(),
                unkept=set(),
                n_workers=min(options.workers or default_workers(), len(due)),
            ).run()
    summary.elapsed_s = time.monotonic() - started_s
    return summary


def _asked_for(
    home: Home, pending: Sequence[dict[str, Any]], options: DivergeOptions
) -> list[dict[str, Any]]:
    """The rows of the benchmarks and prediction sets asked for. GlueError for a set that there is not."""
    for name in options.prediction_sets:
        known = {known for row in pending for known in row["prediction_sets"]}
        if name not in known and name not in (known := known | _landed_sets(home)):
            close = nearest(name, sorted(known))
            hint = f"did you mean {close!r}?" if close else 'see `glue query "from leaderboard"`'
            raise GlueError(f"there is no prediction set {name!r}", hint)
    return [
        row
        for row in pending
        if (not options.benchmarks or set(options.benchmarks) & set(row["benchmarks"]))
        and (not options.prediction_sets or set(options.prediction_sets) & set(row["prediction_sets"]))
    ]


def _landed_sets(home: Home) -> set[str]:
    """The prediction sets that were imported or generated."""
    found: set[str] = set()
    for table, key in (("imports", "import_id"), ("runs", "run_id")):
        rows = landed_keys(home, table, columns=[key, "prediction_set"])
        found |= {name for name in rows["prediction_set"].to_pylist() if name is not None}
    return found


def due_checks(home: Home, wanted: Sequence[dict[str, Any]]) -> list[Statement]:
    """The pairs to check, less those that have been since the pending table was built."""
    columns = ["check_id", "divergence_id", "outcome", "checker_version"]
    landed = [
        row
        for row in landed_keys(home, "divergence_checks", columns=columns).to_pylist()
        if row["checker_version"] == VERSION
    ]
    n_failures = Counter(row["divergence_id"] for row in landed if row["outcome"] == "failed")
    done = {row["divergence_id"] for row in landed if row["outcome"] != "failed"}
    done |= {key for key, n in n_failures.items() if n >= MAX_FAILURES}
    return [_as_statement(row) for row in wanted if row["divergence_id"] not in done]


def _as_statement(row: dict[str, Any]) -> Statement:
    pair = {name: row[name] for name in ("gold_sql", "predicted_sql", "is_ordered", "dialect")}
    return Statement(
        statement_id=row["divergence_id"],
        engine=row["engine"],
        snapshot_id=row["snapshot_id"],
        database_path=row["database_path"],
        variant="untouched",
        sql=json.dumps(pair),
    )
