"""Spider dev on its rebuilt databases: every gold can be scored, every published set comes out as known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.commands import glue

pytestmark = pytest.mark.slow

KNOWN_PERCENT = {
    "dail-sql_gpt-4": 84.0,
    "dail-sql_gpt-4_self-consistency": 84.2,
    "c3sql_predicted": 81.7,
    "codes-15b-spider": 84.7,
    "codes-7b-spider": 85.3,
}
"""Share of the 1,034 questions matched as multisets, as another evaluation of the same files gives it."""


@pytest.fixture(scope="module")
def warehouse(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("spider")
    spider = shared_data / "spider"
    glue(
        home,
        *("import", "spider", "--name", "spider_dev", "--questions", spider / "meta" / "dev.json"),
        *("--tables", spider / "meta" / "tables.json", "--databases", spider / "databases_rebuilt"),
    )
    for path in sorted((spider / "predictions").iterdir()):
        glue(home, "import", "predictions", path, "--benchmark", "spider_dev", "--name", path.stem)
    for control in ("gold", "gold-rewritten"):
        glue(home, "generate", "--model", f"control/{control}", "--benchmark", "spider_dev")
    glue(home, "execute", "--timeout", 10)
    glue(home, "build")
    return home


def rows_of(warehouse: Path, sql: str) -> list[dict[str, Any]]:
    with duckdb.connect(str(warehouse / "warehouse.duckdb"), read_only=True) as connection:
        return connection.sql(sql).to_arrow_table().to_pylist()


def test_every_gold_is_scoreable(warehouse: Path) -> None:
    coverage = rows_of(warehouse, "select * from benchmark_coverage")
    assert [(row["n_questions"], row["n_scoreable_questions"]) for row in coverage] == [(1034, 1034)]
    assert rows_of(warehouse, "select * from unscoreable_questions") == []


def test_every_published_set_is_scored(warehouse: Path, shared_data: Path) -> None:
    scored = rows_of(
        warehouse,
        "select prediction_set, value, denominator, n_unfinished from leaderboard"
        " where protocol = 'evalhouse' and metric = 'ex_multiset'",
    )
    n_sets = len(list((shared_data / "spider" / "predictions").iterdir()))
    assert len(scored) == n_sets + 2
    assert {(row["denominator"], row["n_unfinished"]) for row in scored} == {(1034, 0)}
    percent = {row["prediction_set"]: round(100 * row["value"], 1) for row in scored}
    assert {name: percent[name] for name in KNOWN_PERCENT} == KNOWN_PERCENT


def test_the_controls_match_everywhere(warehouse: Path) -> None:
    missed = rows_of(
        warehouse,
        "select prediction_set, question_id, outcome, reason from execution_match"
        " where starts_with(prediction_set, 'control/') and not coalesce(ex, false)",
    )
    assert missed == []


def test_hardness_is_spiders(warehouse: Path) -> None:
    counted = rows_of(warehouse, "select spider_hardness, count(*) as n from gold_hardness group by all")
    assert {row["spider_hardness"]: row["n"] for row in counted} == {
        "easy": 248,
        "medium": 446,
        "hard": 174,
        "extra": 166,
    }
