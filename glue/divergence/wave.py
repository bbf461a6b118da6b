"""One run of `glue diverge` over the pairs that are due: as a wave of `glue execute`, landing checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from glue.divergence.outcome import Check
from glue.divergence.worker import check_row
from glue.execute_landing import Ledger
from glue.execute_wave import Wave
from glue.worker_tasks import Database


class CheckLedger(Ledger):
    """Lands checks and counts them."""

    from_workers: ClassVar[frozenset[str]] = frozenset({"divergence_checks"})

    def land_own(self, failures: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        """Land checks that no worker can report: it died of them, or had to be killed."""
        rows = []
        for position, failure in failures:
            each = self.statements[position]
            database = Database(each.engine, "", each.snapshot_id, each.variant)
            reason = f"{failure['outcome']}: {failure.get('error_message')}"
            check = Check("failed", reason, elapsed_ms=failure.get("elapsed_ms") or 0.0)
            row = check_row(each.statement_id, database, check, self.limits.of(each) * 1_000)
            rows.append({**row, "is_killed": bool(failure.get("is_killed"))})
        if rows:
            self.writer.append("divergence_checks", rows)
            self.count(Counter({"failed": len(rows)}))

    def count(self, outcomes: Counter[str]) -> None:
        """See Ledger; what could not be decided is the exception here."""
        self.summary.outcomes += outcomes
        self.n_open -= outcomes.total()
        self.progress.advance(outcomes.total(), outcomes["failed"] + outcomes["not_decidable"])


class CheckWave(Wave):
    """See above. Each statement of it is a pair as JSON, under the pair's key."""

    ledger_class: ClassVar[type[Ledger]] = CheckLedger
    worker_module: ClassVar[str] = "glue.divergence.worker"
    what: ClassVar[str] = "pairs"
