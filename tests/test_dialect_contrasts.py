"""A set against itself in another dialect: as if its answers there were a set on the same benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from tests.commands import rows_of
from tests.statistics_helpers import Benchmark, Scores, build

pytestmark = pytest.mark.slow

MYSQL = Benchmark("shop in MySQL", n_databases=12, n_questions_each=8, dialect="mysql")
SQLITE = Benchmark("shop in SQLite", n_databases=12, n_questions_each=8, dialect="sqlite")
SETS = ("good", "middling", "poor")
SAME = (
    *("difference", "ci_low", "ci_high", "ci_low_clustered", "ci_high_clustered", "n_clusters"),
    *("is_few_clusters", "clustering_reason", "n_questions", "n_both_right", "n_only_a", "n_only_b"),
    *("p_mcnemar", "mcnemar_reason"),
)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(7)
    scores: dict[tuple[str, str, str], list[Scores]] = {}
    for name, skill in zip(SETS, (0.8, 0.5, 0.3), strict=True):
        in_mysql = (rng.random(MYSQL.n_questions) < skill).astype(float)
        in_sqlite = np.where(rng.random(MYSQL.n_questions) < 0.3, 1.0, in_mysql)
        in_sqlite[:5] = np.nan  # golds that do not answer there
        scores[MYSQL.name, name, "ex"] = [in_mysql]
        scores[SQLITE.name, name, "ex"] = [in_sqlite]
        scores[MYSQL.name, f"{name} in SQLite", "ex"] = [in_sqlite]
    return build(tmp_path_factory.mktemp("dialects"), [MYSQL, SQLITE], scores)


@pytest.fixture(scope="module")
def contrasts(warehouse: Path) -> list[dict[str, Any]]:
    return rows_of(
        warehouse, "select * from dialect_contrasts where contrast_family = 'dialect' order by prediction_set"
    )


def test_dialects_are_contrasted_as_sets_are(warehouse: Path, contrasts: list[dict[str, Any]]) -> None:
    of_sets = rows_of(
        warehouse,
        "select * from metric_contrasts where contrast_family = 'every pair'"
        f" and benchmark = '{MYSQL.name}' and set_b = set_a || ' in SQLite' order by set_a",
    )
    assert [row["prediction_set"] for row in contrasts] == list(SETS)
    assert {(row["dialect_a"], row["dialect_b"]) for row in contrasts} == {("mysql", "sqlite")}
    assert {row["n_questions"] for row in contrasts} == {MYSQL.n_questions - 5}
    assert [{name: row[name] for name in SAME} for row in contrasts] == [
        {name: row[name] for name in SAME} for row in of_sets
    ]
    for row in contrasts:
        assert row["value_a"] - row["value_b"] == pytest.approx(row["difference"], abs=1e-11)
        assert row["ci_low"] < row["difference"] < row["ci_high"] and row["ci_low_clustered"] is not None


def test_p_values_are_corrected_over_the_sets(contrasts: list[dict[str, Any]]) -> None:
    _, corrected, *_ = multipletests([row["p_mcnemar"] for row in contrasts], method="holm")
    assert [row["p_holm"] for row in contrasts] == pytest.approx(corrected.tolist(), rel=1e-9)
