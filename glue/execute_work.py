"""What a run of `glue execute` still has to do: the statements that are due, grouped by database."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from glue.home import Home
from glue.worker_tasks import Database

if TYPE_CHECKING:
    import pyarrow as pa

Prepared = Literal["auto", "all", "none"]
"""Where statements run: each as its variant says, all on prepared copies, or none."""

MAX_CRASHES = 3
"""A statement that has crashed its worker so often is left alone."""

_FINAL = {"answered", "failed", "refused"}


@dataclass(frozen=True)
class Statement:
    """One row of pending_statements. `timed_out_at_ms` is the largest limit it has timed out at.

    A statement on a union of databases has an engine that ends in `_union`, the union's id as its
    snapshot_id, and no path.
    """

    statement_id: str
    engine: str
    snapshot_id: str
    database_path: str | None
    variant: str
    sql: str
    is_gold: bool = False
    timed_out_at_ms: float | None = None
    n_attempts: int = 0
    is_likely_slow: bool = False


def statements_of(table: pa.Table) -> list[Statement]:
    """The rows of the handoff table pending_statements."""
    names = list(Statement.__dataclass_fields__)
    return [Statement(**row) for row in table.select(names).to_pylist()]


@dataclass(frozen=True)
class TimeLimits:
    """How many seconds a statement may take."""

    prediction_s: float
    gold_s: float

    def of(self, statement: Statement) -> float:
        """Seconds for this one."""
        return self.gold_s if statement.is_gold else self.prediction_s


def due_statements(
    home: Home, pending: Sequence[Statement], limits: TimeLimits, prepared: Prepared
) -> list[Statement]:
    """The statements to run: of the variant asked for, once each, less those that need no more attempt."""
    timed_out_at_ms: dict[tuple[str, str], float] = {}
    n_crashes: Counter[tuple[str, str]] = Counter()
    is_final: set[tuple[str, str]] = set()
    for execution in _landed_attempts(home, pending):
        key = (execution["statement_id"], execution["variant"])
        if execution["outcome"] in _FINAL:
            is_final.add(key)
        elif execution["outcome"] == "timed_out":
            timed_out_at_ms[key] = max(timed_out_at_ms.get(key, 0.0), execution["timeout_ms"] or 0.0)
        elif execution["outcome"] == "crashed":
            n_crashes[key] += 1
    due: dict[tuple[str, str], Statement] = {}
    for statement in pending:
        variant = {"auto": statement.variant, "all": "prepared", "none": "untouched"}[prepared]
        key = (statement.statement_id, variant)
        tried_ms = max(timed_out_at_ms.get(key, 0.0), statement.timed_out_at_ms or 0.0)
        if key in is_final or n_crashes[key] >= MAX_CRASHES or tried_ms >= limits.of(statement) * 1_000:
            continue
        due.setdefault(key, replace(statement, variant=variant))
    return list(due.values())


def _landed_attempts(home: Home, pending: Sequence[Statement]) -> list[dict[str, Any]]:
    """What has landed about some statements."""
    import pyarrow as pa
    import pyarrow.compute as compute

    from glue.landing import landed_keys

    columns = ["execution_id", "statement_id", "variant", "outcome", "timeout_ms"]
    landed = landed_keys(home, "executions", columns=columns)
    pending_ids = pa.array([statement.statement_id for statement in pending], pa.string())
    rows: list[dict[str, Any]] = landed.filter(
        compute.is_in(landed["statement_id"], value_set=pending_ids)
    ).to_pylist()
    return rows


@dataclass
class Group:
    """The statements of one database file, or union of them, and variant that are still to be handed out."""

    engine: str
    source: Path | None
    snapshot_id: str
    variant: str
    positions: deque[int]
    database: Database | None = None


def grouped(statements: Sequence[Statement]) -> list[Group]:
    """Statements by file and variant: those that may take long before all others, the largest file first."""
    groups: dict[tuple[bool, str, str | None, str, str], Group] = {}
    for position, statement in enumerate(statements):
        key = (
            not statement.is_likely_slow,
            statement.engine,
            statement.database_path,
            statement.snapshot_id,
            statement.variant,
        )
        if key not in groups:
            source = Path(statement.database_path) if statement.database_path else None
            groups[key] = Group(statement.engine, source, statement.snapshot_id, statement.variant, deque())
        groups[key].positions.append(position)
    in_order = sorted(
        groups.items(),
        key=lambda each: (each[0][0], -_file_bytes(each[1].source), str(each[1].source), each[1].variant),
    )
    return [group for _, group in in_order]


def _file_bytes(path: Path | None) -> int:
    try:
        return path.stat().st_size if path else 0
    except OSError:
        return 0
