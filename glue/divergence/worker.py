"""A worker process of `glue diverge`: as one of `glue execute`, but it runs checks of two statements."""

from __future__ import annotations

import json
import os
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import md5
from pathlib import Path
from typing import Any

import pyarrow as pa

from glue import worker
from glue.divergence.check import Checker
from glue.divergence.outcome import VERSION, Check, Pair
from glue.engines.base import Limits, shortened
from glue.exchange import Running
from glue.landing_rows import append_schema, to_ipc
from glue.worker_limits import limit_memory
from glue.worker_outbox import Outbox
from glue.worker_tasks import Database, Settings, Task

SLACK_S = 5.0
"""So much longer than its limit a check may take to shrink what it found, before its worker is killed."""
MAX_JSON_CHARACTERS = 200_000
_MAX_OPEN = 2


@dataclass(frozen=True)
class CheckSettings(Settings):
    """What the parent asks of every worker of `glue diverge`."""

    n_instances: int = 0


@dataclass
class CheckOutbox(Outbox):
    """What has been checked and not yet sent: rows of divergence_checks."""

    _checks: list[dict[str, Any]] = field(default_factory=list)

    def add_check(self, task: Task, check: Check) -> None:
        """One check."""
        row = check_row(task.statement_id, task.database, check, (task.limit_s - SLACK_S) * 1_000)
        self._checks.append(row)
        self.outcomes.append((task.position, check.outcome))
        self.n_bytes += sum(len(row[name] or "") for name in ("witness", "gold_rows", "predicted_rows"))

    def take(self) -> tuple[dict[str, Any], list[memoryview]]:
        """See Outbox."""
        header, _ = super().take()
        table = pa.Table.from_pylist(self._checks, schema=append_schema("divergence_checks"))
        self._checks = []
        return {**header, "tables": ["divergence_checks"]}, [memoryview(to_ipc("divergence_checks", table))]


class DivergenceWorker(worker.Worker):
    """Checks pairs until its parent says stop or goes away."""

    settings_class = CheckSettings

    def _new_outbox(self, known: set[str]) -> CheckOutbox:
        assert self._settings is not None
        return CheckOutbox(self._settings, known)

    def _run(self, task: Task) -> None:
        assert isinstance(self._outbox, CheckOutbox)
        self._board.write(Running(task.position, time.monotonic(), task.limit_s))
        try:
            check = self._checked(task)
        except MemoryError:
            self._is_retiring = True
            check = Check("failed", "out_of_memory")
        except Exception as error:
            self._close_checkers()
            check = Check("failed", shortened(f"{type(error).__name__}: {error}"))
        self._board.clear()
        if not self._is_stopping:  # one that was cut short has found nothing out
            with self._outbox_lock:
                self._outbox.add_check(task, check)

    def _checked(self, task: Task) -> Check:
        checker = self._checker(task.database)
        checker.timeout_s = task.limit_s - SLACK_S
        return checker.check(Pair(**json.loads(task.sql)))

    def _checker(self, database: Database) -> Checker:
        checkers = self._checkers
        if database in checkers:
            checkers.move_to_end(database)
            return checkers[database]
        assert isinstance(self._settings, CheckSettings)
        if len(checkers) >= _MAX_OPEN:
            checkers.popitem(last=False)[1].close()
        limit_memory(None)
        try:
            checkers[database] = Checker(
                Path(database.path),
                database.engine,
                self._watch,
                Limits(self._settings.max_memory_bytes),
                self._settings.n_instances,
            )
        finally:
            limit_memory(self._settings.max_memory_bytes)
        return checkers[database]

    @property
    def _checkers(self) -> OrderedDict[Database, Checker]:
        found: OrderedDict[Database, Checker] = self.__dict__.setdefault("_open_checkers", OrderedDict())
        return found

    def _close_checkers(self) -> None:
        while self._checkers:
            self._checkers.popitem()[1].close()


def check_row(divergence_id: str, database: Database, check: Check, timeout_ms: float) -> dict[str, Any]:
    """A check as a row of the landing table."""
    checked_at_us = time.time_ns() // 1_000
    key = f"{divergence_id}|{checked_at_us}|{os.getpid()}"
    return {
        "check_id": md5(key.encode()).hexdigest(),
        "divergence_id": divergence_id,
        "engine": database.engine,
        "snapshot_id": database.snapshot_id,
        "outcome": check.outcome,
        "reason": check.reason,
        "kind": check.kind,
        "assumption_classes": sorted({kind for kind, _ in check.assumptions}),
        "assumptions": [text for _, text in check.assumptions],
        "n_instances": check.n_instances,
        "gold_columns": list(check.gold_columns),
        "predicted_columns": list(check.predicted_columns),
        "gold_rows": _json(check.gold_rows),
        "predicted_rows": _json(check.predicted_rows),
        "predicted_error": check.predicted_error,
        "witness": _json(check.witness),
        "is_killed": False,
        "elapsed_ms": check.elapsed_ms,
        "timeout_ms": timeout_ms,
        "checker_version": VERSION,
        "checked_at": checked_at_us,
    }


def _json(value: Any) -> str | None:
    """JSON, dates and decimals as texts; None for nothing and for what is too long to read."""
    if value is None:
        return None
    text = json.dumps(value, default=_text, separators=(",", ":"))
    return text if len(text) <= MAX_JSON_CHARACTERS else None


def _text(value: Any) -> str:
    return bytes(value).hex() if isinstance(value, bytes | bytearray | memoryview) else str(value)


def main(channel_descriptor: int, board_descriptor: int, parent_id: int) -> None:
    """The child process: see glue.worker.main."""
    worker.main(channel_descriptor, board_descriptor, parent_id, DivergenceWorker)
