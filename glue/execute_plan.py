"""`glue execute --plan`: what would be run, where, and how often; nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glue.execute import DEFAULT_LIVE_WORKERS, DEFAULT_TIMEOUT_S, GOLD_TIMEOUT_FACTOR, default_workers
from glue.execute_work import Statement, TimeLimits, due_statements, with_golds_at_both_ends
from glue.home import Home
from glue.progress import Progress
from glue.run import ExecuteOptions, pending_of


@dataclass(frozen=True)
class PlannedPart:
    """What goes to one live connection, or to the files of one engine, in the wave to come."""

    connection: str | None
    engine: str
    n_golds: int
    n_others: int
    n_runs: int
    workers: int


@dataclass(frozen=True)
class ExecutePlan:
    """The wave to come. After it, a file's statements may be due once more where a verdict hinges on them."""

    parts: list[PlannedPart]
    limits: TimeLimits


def planned(home: Home, options: ExecuteOptions, progress: Progress) -> ExecutePlan:
    """Refresh pending_statements and say what its statements come to.

    GlueError for a benchmark, connection or engine that there is not.
    """
    timeout_s = options.timeout_s or DEFAULT_TIMEOUT_S
    limits = TimeLimits(timeout_s, options.gold_timeout_s or timeout_s * GOLD_TIMEOUT_FACTOR)
    _, statements = pending_of(home, options, progress)
    by_place: dict[tuple[str | None, str], list[Statement]] = {}
    for each in due_statements(home, statements, limits, "auto", options.again):
        by_place.setdefault((each.connection, each.engine), []).append(each)
    places = sorted(by_place.items(), key=lambda found: (found[0][0] or "", found[0][1]))
    return ExecutePlan([_part(*place, due, options.workers) for place, due in places], limits)


def _part(
    connection: str | None, engine: str, statements: Sequence[Statement], workers: int | None
) -> PlannedPart:
    n_golds = sum(each.is_gold for each in statements)
    runs = with_golds_at_both_ends(statements) if connection else statements
    n_workers = workers or (DEFAULT_LIVE_WORKERS if connection else default_workers())
    return PlannedPart(
        connection, engine, n_golds, len(statements) - n_golds, len(runs), min(n_workers, len(runs))
    )
