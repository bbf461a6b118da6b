"""The coverage gate of relevance labels, in a warehouse of its own: when it is quiet, warns and fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import land
from tests.commands import dbt, rows_of

pytestmark = pytest.mark.slow

GOLDS = [
    ("shop", "SELECT name FROM items WHERE price > 3"),
    ("shop", "SELECT COUNT(*) FROM items"),
    ("shop", "SELECT colour FROM items"),
    ("nowhere", "SELECT a FROM t"),
]
"""Two golds that are covered, one that names an unknown column, one on a database without tables."""
TABLES = {
    "db_id": "shop",
    "table_names_original": ["items"],
    "table_names": ["items"],
    "column_names_original": [[-1, "*"], [0, "name"], [0, "price"]],
    "column_names": [[-1, "*"], [0, "name"], [0, "price"]],
    "column_types": ["text", "text", "number"],
    "primary_keys": [],
    "foreign_keys": [],
}
GATE = "assert_label_coverage_reaches_its_minimum"


def import_golds(home: Home, golds: list[tuple[str, str]]) -> None:
    files: dict[str, Any] = {
        "dev.json": [{"db_id": db_id, "question": sql, "SQL": sql} for db_id, sql in golds],
        "dev_tables.json": [TABLES],
    }
    for name, content in files.items():
        (home.root / name).write_text(json.dumps(content))
    batch = read_bird("b", home.root / "dev.json", home.root / "dev_tables.json")
    land(home, batch, command="glue import bird")


def test_the_gate(home: Home) -> None:
    import_golds(home, GOLDS)
    built = dbt(
        home.root,
        *("build", "--select", "+label_coverage_rates", "+uncovered_questions"),
        *("--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"),
    )
    assert built.returncode == 0, built.stdout
    (rates,) = rows_of(home.root, "from label_coverage_rates")
    assert (rates["numerator"], rates["denominator"], rates["n_golds_without_catalog"]) == (2, 4, 1)
    listed = rows_of(home.root, "select db_id, reason, detail from uncovered_questions order by db_id")
    assert [tuple(row.values()) for row in listed] == [
        ("nowhere", "no_catalog", "t"),
        ("shop", "unknown_column", "colour"),
    ]
    warned = dbt(home.root, "test", "--select", GATE)
    assert warned.returncode == 0 and "WARN=1" in warned.stdout, warned.stdout
    for minimum, outcome in (("0.66", 0), ("0.67", 1)):  # two of the three golds that could be covered
        judged = dbt(home.root, "test", "--select", GATE, "--vars", f"{{minimum_label_coverage: {minimum}}}")
        assert judged.returncode == outcome, judged.stdout
