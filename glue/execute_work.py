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

LivePlace = tuple[str, tuple[str, ...]]
"""A connection's name and a search path."""

WaveRole = Literal["start", "end"] | None
"""Golds on a live database run at the start of a wave and again at its end."""

MAX_CRASHES = 3
"""A statement that has crashed its worker so often is left alone."""

_FINAL = {"answered", "failed", "refused"}
_FINAL_UNLESS_ASKED_AGAIN = {"unsupported"}
"""A later version may have learned to answer."""
_STANDING = {"not_run", "later_gold", "lost"}
"""Reasons for a statement on a live database to run whatever the limits."""
_ROLES: list[WaveRole] = ["start", None, "end"]


@dataclass(frozen=True)
class Statement:
    """One row of pending_statements. `timed_out_at_ms` is the largest limit it has timed out at.

    A statement on a union of databases has an engine that ends in `_union`, the union's id as its
    snapshot_id, and no path. One on a live database has the name of a connection instead of a path; there
    `due_because` says why it may be run, and golds are compared with the predictions of `needed_by`. The wave
    gives golds a `wave_role`.
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
    connection: str | None = None
    search_path: tuple[str, ...] = ()
    due_because: tuple[str, ...] = ("not_run",)
    needed_by: tuple[str, ...] = ()
    wave_role: WaveRole = None

    @property
    def place(self) -> LivePlace | None:
        """Where it runs on a server; None for a file."""
        return (self.connection, self.search_path) if self.connection else None


def statements_of(table: pa.Table) -> list[Statement]:
    """The rows of the handoff table pending_statements."""
    fields = Statement.__dataclass_fields__
    names = [name for name in fields if name != "wave_role" and name in table.column_names]
    rows = table.select(names).to_pylist()
    for row in rows:
        row |= {name: tuple(row.get(name) or ()) for name in ("search_path", "needed_by", "due_because")}
    return [Statement(**row) for row in rows]


@dataclass(frozen=True)
class TimeLimits:
    """How many seconds a statement may take."""

    prediction_s: float
    gold_s: float

    def of(self, statement: Statement) -> float:
        """Seconds for this one."""
        return self.gold_s if statement.is_gold else self.prediction_s


def due_statements(
    home: Home, pending: Sequence[Statement], limits: TimeLimits, prepared: Prepared, again: bool = False
) -> list[Statement]:
    """The statements to run: of the variant asked for, once each, less those that need no more attempt.

    What landed in another wave says nothing of a live database: there the pending table alone knows. With
    `again` what could not be scored there is asked once more, and what a local engine had no answer to.
    """
    timed_out_at_ms: dict[tuple[str, str], float] = {}
    n_crashes: Counter[tuple[str, str]] = Counter()
    is_final: set[tuple[str, str]] = set()
    for execution in _landed_attempts(home, pending):
        key = (execution["statement_id"], execution["variant"])
        if execution["outcome"] in _FINAL or (
            execution["outcome"] in _FINAL_UNLESS_ASKED_AGAIN and not again
        ):
            is_final.add(key)
        elif execution["outcome"] == "timed_out":
            timed_out_at_ms[key] = max(timed_out_at_ms.get(key, 0.0), execution["timeout_ms"] or 0.0)
        elif execution["outcome"] == "crashed":
            n_crashes[key] += 1
    due: dict[tuple[str, str], Statement] = {}
    for statement in pending:
        if statement.place is not None:
            due.setdefault((statement.statement_id, statement.variant), statement)
            continue
        variant = {"auto": statement.variant, "all": "prepared", "none": "untouched"}[prepared]
        key = (statement.statement_id, variant)
        tried_ms = max(timed_out_at_ms.get(key, 0.0), statement.timed_out_at_ms or 0.0)
        if key in is_final or n_crashes[key] >= MAX_CRASHES or tried_ms >= limits.of(statement) * 1_000:
            continue
        due.setdefault(key, replace(statement, variant=variant))
    return _asked_live(list(due.values()), limits, again)


def _asked_live(statements: list[Statement], limits: TimeLimits, again: bool) -> list[Statement]:
    """The same less what on live databases had as much time, or waits for `again`, with its golds."""
    asked = {each.statement_id for each in statements if _is_asked(each, limits, again)}
    return [
        each
        for each in statements
        if each.place is None or each.statement_id in asked or asked.intersection(each.needed_by)
    ]


def _is_asked(statement: Statement, limits: TimeLimits, again: bool) -> bool:
    """Is it due by itself: for a reason that stands, or one that this run gives?"""
    has_more_time = (statement.timed_out_at_ms or 0.0) < limits.of(statement) * 1_000
    reasons = {*_STANDING, *(["timed_out"] if has_more_time else []), *(["unscoreable"] if again else [])}
    return not reasons.isdisjoint(statement.due_because)


def with_golds_at_both_ends(statements: Sequence[Statement]) -> list[Statement]:
    """Statements on live databases as a wave runs them: golds, then all else, then the golds again."""
    golds = [statement for statement in statements if statement.is_gold]
    return [
        *(replace(gold, wave_role="start") for gold in golds),
        *(statement for statement in statements if not statement.is_gold),
        *(replace(gold, wave_role="end") for gold in golds),
    ]


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
    """The statements of one database and variant that are still to be handed out.

    The database is a file, a union of files, or a live one; of that, each part of the wave is a group.
    """

    engine: str
    source: Path | None
    snapshot_id: str
    variant: str
    positions: deque[int]
    place: LivePlace | None = None
    wave_role: WaveRole = None
    database: Database | None = None

    def comes_after(self, other: Group) -> bool:
        """Must it wait until all of another group has run?"""
        if self.place is None or self.snapshot_id != other.snapshot_id:
            return False
        return _ROLES.index(other.wave_role) < _ROLES.index(self.wave_role)


def grouped(statements: Sequence[Statement]) -> list[Group]:
    """Statements by file and variant: those that may take long before all others, the largest file first."""
    groups: dict[tuple[Any, ...], Group] = {}
    for position, statement in enumerate(statements):
        key = (
            not statement.is_likely_slow,
            statement.engine,
            statement.database_path,
            statement.snapshot_id,
            statement.variant,
            statement.place,
            statement.wave_role,
        )
        if key not in groups:
            source = Path(statement.database_path) if statement.database_path else None
            groups[key] = Group(
                statement.engine,
                source,
                statement.snapshot_id,
                statement.variant,
                deque(),
                statement.place,
                statement.wave_role,
            )
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
