"""What a wave lands: what its workers send, what it has to say itself, and the count of it all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol

from glue.execute_databases import Made
from glue.execute_work import Statement, TimeLimits
from glue.home import Home
from glue.landing_rows import NotArrow
from glue.prepared import PreparedCopy
from glue.progress import Progress
from glue.worker_outbox import execution_id
from glue.worker_tasks import Settings


@dataclass
class Summary:
    """What one wave did. `outcomes` counts statements by outcome; an interrupt left `n_left` not run."""

    n_pending: int = 0
    n_skipped: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    n_killed: int = 0
    n_results: int = 0
    n_copies_made: int = 0
    n_left: int = 0
    elapsed_s: float = 0.0
    is_interrupted: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def n_run(self) -> int:
        """Statements that have an outcome now and had none before."""
        return self.outcomes.total()


class LandingWriter(Protocol):
    """What is needed of glue.landing.Writer."""

    def append(self, table: str, rows: list[dict[str, Any]]) -> None:
        """Append rows of a table."""

    def append_ipc(self, table: str, data: memoryview) -> None:
        """Append rows already serialised."""

    def sync(self) -> None:
        """Have appended rows on disk soon."""


@dataclass
class Ledger:
    """Lands the outcomes of a wave and counts them; knows which results are stored and how much is open."""

    statements: Sequence[Statement]
    limits: TimeLimits
    settings: Settings
    writer: LandingWriter
    progress: Progress
    summary: Summary
    stored: set[str]  # results that have been stored with their rows
    unkept: set[str]  # and without

    from_workers: ClassVar[frozenset[str]] = frozenset({"result_rows", "results", "executions"})
    """The tables that workers send."""

    def __post_init__(self) -> None:
        self.n_open = len(self.statements)
        self.newly_stored: list[str] = []
        self.n_new_results = 0
        self._copies_landed: set[Path] = set()

    def land_tables(
        self,
        tables: list[str],
        parts: list[memoryview],
        result_ids: list[str],
        unkept_ids: Sequence[str] = (),
    ) -> None:
        """Land what a worker has sent, less the rows of results that another has sent meanwhile.

        A result that is stored whole is never landed without its rows after that: the newest row counts when
        the landing zone is compacted.
        """
        if not self.from_workers.issuperset(tables):
            raise ValueError("not a table that workers send")
        repeated = self.stored.intersection([*result_ids, *unkept_ids]) | self.unkept.intersection(unkept_ids)
        for table, data in zip(tables, parts, strict=True):
            if not repeated or table == "executions":
                self.writer.append_ipc(table, data)
            else:
                self._append_new(table, data, repeated)
        fresh = [result_id for result_id in result_ids if result_id not in repeated]
        fresh_unkept = [result_id for result_id in unkept_ids if result_id not in repeated]
        self.stored.update(fresh)
        self.newly_stored += fresh
        self.unkept.update(fresh_unkept)
        self.n_new_results += len(fresh) + len(fresh_unkept)

    def land_own(self, failures: list[tuple[int, dict[str, Any]]]) -> None:
        """Land executions that no worker can report."""
        now = datetime.now(UTC)
        now_us = time.time_ns() // 1_000
        rows = []
        for position, failure in failures:
            statement = self.statements[position]
            rows.append(
                {
                    "execution_id": execution_id(statement.statement_id, statement.variant, now_us),
                    "statement_id": statement.statement_id,
                    "engine": statement.engine,
                    "snapshot_id": statement.snapshot_id,
                    "variant": statement.variant,
                    "wave_id": self.settings.wave_id,
                    "wave_role": statement.wave_role,
                    "is_killed": False,
                    "timeout_ms": self.limits.of(statement) * 1_000,
                    "max_rows": self.settings.max_rows,
                    "executed_at": now,
                    **failure,
                }
            )
        if rows:
            self.writer.append("executions", rows)
            self.count(Counter(row["outcome"] for row in rows))

    def land_made(self, made: Made) -> None:
        """Land the copies that have been made for a database and warn of what was amiss, each once."""
        for warning in made.warnings:
            if warning not in self.summary.warnings:
                self.warn(warning)
        for snapshot_id, copy in made.copies:
            if copy.is_new and copy.path not in self._copies_landed:
                self._copies_landed.add(copy.path)
                self._land_copy(snapshot_id, copy)

    def count(self, outcomes: Counter[str]) -> None:
        """Count statements that have landed, by outcome."""
        self.summary.outcomes += outcomes
        n_done = outcomes.total()
        self.n_open -= n_done
        self.progress.advance(n_done, n_done - outcomes["answered"])

    def warn(self, text: str) -> None:
        """Tell of something now and again in the summary."""
        self.summary.warnings.append(text)
        self.progress.note(text)

    def _append_new(self, table: str, data: memoryview, repeated: set[str]) -> None:
        import pyarrow as pa
        import pyarrow.compute as compute

        try:
            rows = pa.ipc.open_stream(data).read_all()
        except (pa.ArrowException, OSError, EOFError) as error:
            raise NotArrow(f"{table}: not an Arrow IPC stream ({error})") from error
        is_repeated = compute.is_in(rows["result_id"], value_set=pa.array(sorted(repeated), pa.string()))
        self.writer.append(table, rows.filter(compute.invert(is_repeated)))

    def _land_copy(self, snapshot_id: str, copy: PreparedCopy) -> None:
        self.summary.n_copies_made += 1
        self.writer.append(
            "prepared_copies",
            [
                {
                    "snapshot_id": snapshot_id,
                    "recipe": copy.recipe,
                    "n_indexes": copy.n_indexes,
                    "n_bytes": copy.n_bytes,
                    "elapsed_ms": copy.elapsed_ms,
                    "prepared_at": datetime.now(UTC),
                }
            ],
        )


def landed_results(home: Home) -> tuple[set[str], set[str]]:
    """The results that have been stored with their rows, and those that have been stored without alone."""
    from glue.landing import landed_keys

    landed = landed_keys(home, "results", columns=["result_id", "is_kept"]).to_pylist()
    kept = {row["result_id"] for row in landed if row["is_kept"] is not False}
    return kept, {row["result_id"] for row in landed} - kept
