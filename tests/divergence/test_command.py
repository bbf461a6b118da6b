"""The whole way: import, execute, diverge, build; what is shown of an alarm."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.commands import glue
from tests.divergence.helpers import write_shop

QUESTIONS = [
    (
        "Which orders are above 60?",
        "SELECT id FROM orders WHERE total > 65",
        "SELECT id FROM orders WHERE total > 61",
    ),
    ("How many customers are there?", "SELECT COUNT(*) FROM customers", "SELECT COUNT(id) FROM customers"),
    ("Which cities?", "SELECT DISTINCT city FROM customers", "select distinct  CITY from customers"),
    ("Which statuses?", "SELECT DISTINCT status FROM orders", "SELECT status FROM orders"),
]
"""Question, gold, prediction: right by luck, right, the same statement, wrong."""


@pytest.mark.slow
def test_from_import_to_the_metric(tmp_path: Path) -> None:
    (tmp_path / "databases").mkdir()
    write_shop(tmp_path / "databases" / "shop.sqlite")
    lines = [{"db_id": "shop", "question": asked, "golds": [gold]} for asked, gold, _ in QUESTIONS]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "predicted.sql").write_text("\n".join(predicted for *_, predicted in QUESTIONS) + "\n")
    glue(
        tmp_path,
        "import",
        "jsonl",
        "--name",
        "shop",
        "--questions",
        "questions.jsonl",
        "--databases",
        "databases",
    )
    glue(tmp_path, "import", "predictions", "predicted.sql", "--benchmark", "shop", "--name", "mine")
    glue(tmp_path, "execute")
    said = glue(tmp_path, "diverge", "--benchmark", "shop", "--workers", "1").stdout
    assert said.startswith("2 pairs in"), said
    assert "1 diverges" in said and "1 stays equal" in said
    assert "nothing was pending" in glue(tmp_path, "diverge", "--predictions", "mine").stdout
    shown = glue(tmp_path, "diverge", "--show", "1").stdout
    assert "diverges: " in shown and "gold gives" in shown and "orders" in shown
    wrong = glue(tmp_path, "diverge", "--predictions", "mina", is_failure_expected=True).stderr
    assert "did you mean 'mine'?" in wrong
    glue(tmp_path, "build")
    with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as warehouse:
        metric = warehouse.execute(
            "select distinct numerator, denominator from metric_values"
            " where prediction_set = 'mine' and metric = 'sd_auto' and protocol = 'evalhouse'"
        ).fetchall()
        kinds = warehouse.execute(
            "select outcome, n_predictions from divergence_kinds order by all"
        ).fetchall()
        witness = warehouse.execute("select question, tables from divergence_witnesses").fetchone()
    assert metric == [(1, 3)]
    assert kinds == [("diverges", 1), ("stays_equal", 2)]
    assert witness is not None and witness[0] == QUESTIONS[0][0] and "orders" in witness[1]
