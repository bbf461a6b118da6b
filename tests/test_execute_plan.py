"""`glue execute --plan`: what would be run, counted on literal statements."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from glue import execute_plan
from glue.build import BuildReport
from glue.cli_execute import execute
from glue.execute_plan import PlannedPart, planned
from glue.execute_work import Statement
from glue.home import Home
from glue.progress import Silent
from glue.run import ExecuteOptions

FILE = Statement("f", "sqlite", "s", "/d.sqlite", "prepared", "select 1")
LIVE = Statement("p", "mariadb", "live:shop/shop@1", None, "untouched", "select 2", connection="shop")
GOLD = replace(LIVE, statement_id="g", sql="select 3", is_gold=True)
OLD_GOLD = replace(GOLD, statement_id="o", due_because=("needed",), needed_by=("elsewhere",))


@pytest.fixture
def pending(home: Home, monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """Stands for what dbt has found pending."""
    monkeypatch.setenv("EVALHOUSE_HOME", str(home.root))
    statements: list[Statement] = []
    monkeypatch.setattr(
        execute_plan, "pending_of", lambda *_: (BuildReport("pending", False, 1, 0.0), statements)
    )
    return statements


def test_live_golds_count_twice_and_only_where_needed(home: Home, pending: list[Statement]) -> None:
    pending += [FILE, LIVE, GOLD, OLD_GOLD]
    plan = planned(home, ExecuteOptions(timeout_s=5), Silent())
    assert [replace(part, workers=0) for part in plan.parts] == [
        PlannedPart(None, "sqlite", 0, 1, 1, 0),
        PlannedPart("shop", "mariadb", 1, 1, 3, 0),
    ]
    assert [part.workers for part in plan.parts] == [1, 2]
    assert (plan.limits.prediction_s, plan.limits.gold_s) == (5, 50)


def test_the_command_runs_nothing(home: Home, pending: list[Statement]) -> None:
    runner = CliRunner()
    assert runner.invoke(execute, ["--plan"]).output == "nothing is pending\n"
    pending += [LIVE, GOLD]
    output = runner.invoke(execute, ["--plan", "--gold-timeout", "60"]).output
    assert output.splitlines()[2].split() == ["shop", "mariadb", "1", "1", "3", "2"]
    assert "at most 30 s each, 60 s a gold; nothing was run" in output
    assert not list(home.landing.rglob("*.parquet"))
