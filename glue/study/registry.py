"""Which benchmarks are under study: rows of landing table `studies`, without which its models are empty."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from glue.errors import GlueError
from glue.home import Home
from glue.landing import Writer, landed_keys

BUDGET = "budget"
"""The study of what a schema-context budget buys (BudgetSchemaBench)."""


def studied_benchmarks(home: Home, study: str = BUDGET) -> set[str]:
    """The benchmarks that a study was registered for."""
    rows = landed_keys(home, "studies", columns=["study", "benchmark"]).to_pylist()
    return {row["benchmark"] for row in rows if row["study"] == study}


def register(home: Home, benchmark: str, study: str = BUDGET, *, command: str | None = None) -> bool:
    """Put a benchmark under study, once; whether that is new. GlueError while an import is at work."""
    if benchmark in studied_benchmarks(home, study):
        return False
    options = "{}"
    key = hashlib.md5(json.dumps([study, benchmark, options]).encode()).hexdigest()
    row = {"study_id": key, "study": study, "benchmark": benchmark, "options": options}
    with Writer(home, loop="import", command=command) as writer:
        writer.append("studies", [{**row, "registered_at": datetime.now(UTC)}])
    return True


def check_studied(home: Home, benchmark: str, setting: str) -> None:
    """GlueError when a cell is asked for on a benchmark that nobody put under study."""
    if benchmark not in studied_benchmarks(home):
        raise GlueError(
            f"{setting} is a cell of the budget study, and {benchmark} is not under study",
            f"put it under study: glue run --study budget --benchmark {benchmark} --plan",
        )
