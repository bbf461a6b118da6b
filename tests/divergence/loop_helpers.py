"""Pairs that are pending over the shop, and a run over those that are due."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glue.divergence.command import due_checks
from glue.divergence.wave import CheckWave
from glue.divergence.worker import SLACK_S, CheckSettings
from glue.execute_landing import LandingWriter, Summary
from glue.execute_work import TimeLimits
from glue.home import Home
from glue.progress import Silent
from tests.execution_helpers import sha256

Pairs = Mapping[str, tuple[str, str]]

PENDING: Pairs = {
    f"pair-{n}": (
        f"SELECT id FROM orders WHERE total > {10 * n}",
        f"SELECT id FROM orders WHERE total >= {10 * n + n % 2}",
    )
    for n in range(12)
}
"""Every second pair parts where a total is a multiple of ten; the others are equal, totals being whole."""


def pending_rows(database: Path, pairs: Pairs, engine: str = "sqlite") -> list[dict[str, Any]]:
    """Rows as the handoff table pending_divergences has them."""
    return [
        {
            "divergence_id": key,
            "engine": engine,
            "dialect": engine,
            "snapshot_id": sha256(database),
            "database_path": str(database),
            "gold_sql": gold,
            "predicted_sql": predicted,
            "is_ordered": False,
        }
        for key, (gold, predicted) in pairs.items()
    ]


def run_wave(
    home: Home,
    database: Path,
    pairs: Pairs,
    writer: LandingWriter,
    timeout_s: float = 20.0,
    n_workers: int = 2,
) -> Summary:
    """Check the pairs that are due."""
    due = due_checks(home, pending_rows(database, pairs))
    summary = Summary(n_pending=len(pairs))
    if due:
        CheckWave(
            home=home,
            statements=due,
            limits=TimeLimits(timeout_s + SLACK_S, timeout_s + SLACK_S),
            settings=CheckSettings(0, 0, 512 << 20, n_instances=100),
            indexes=(),
            unions={},
            addresses={},
            writer=writer,
            progress=Silent(),
            summary=summary,
            stored=set(),
            unkept=set(),
            n_workers=n_workers,
        ).run()
    return summary
