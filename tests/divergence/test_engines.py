"""Local engines: Oracle's SQL and T-SQL on small instances, by their translation."""

from __future__ import annotations

from pathlib import Path

import pytest

from glue.divergence.outcome import Pair
from tests.divergence.helpers import checker_of, write_shop

CASES = {
    "oracle-local": (
        "oracle",
        "SELECT id FROM orders WHERE NVL(total, 0) >= 10",
        "SELECT id FROM orders WHERE NVL(total, 20) >= 10",
        "SELECT id FROM orders WHERE DECODE(total, NULL, 0, total) >= 10",
    ),
    "mssql-local": (
        "tsql",
        "SELECT id FROM orders WHERE ISNULL(total, 0) >= 10",
        "SELECT id FROM orders WHERE ISNULL(total, 20) >= 10",
        "SELECT id FROM orders WHERE COALESCE(total, 0) >= 10",
    ),
}


@pytest.mark.parametrize("engine", CASES)
def test_a_local_engine_tells_statements_apart(engine: str, tmp_path: Path) -> None:
    dialect, gold, wrong, same = CASES[engine]
    with checker_of(write_shop(tmp_path / "shop.duckdb", "duckdb"), engine, n_instances=60) as checker:
        found = checker.check(Pair(gold, wrong, False, dialect))
        assert found.outcome == "diverges", found
        assert checker.check(Pair(gold, same, False, dialect)).outcome == "stays_equal"
