"""Large and odd results pass whole through landing, verdict and query."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.commands import glue

pytestmark = pytest.mark.slow

N_ROWS = 100_000
N_COLUMNS = 500
CELL_BYTES = 10_000_000

WIDE = ", ".join(f"{i} AS c{i}" for i in range(N_COLUMNS))
WIDE_ALIKE = ", ".join(f"{i}.0 AS other_{i}" for i in range(N_COLUMNS))

# question -> gold, prediction, does the prediction match, engine
CASES: dict[str, tuple[str, str, bool]] = {
    "many rows": ("SELECT i FROM numbers", "SELECT i + 0.0 FROM numbers ORDER BY i DESC", True),
    "one of many rows differs": ("SELECT i FROM numbers", "SELECT max(i, 1) FROM numbers", False),
    "a large cell": (
        f"SELECT hex(zeroblob({CELL_BYTES // 2}))",
        f"SELECT replace(hex(zeroblob({CELL_BYTES // 2})), 'x', 'y')",
        True,
    ),
    "many columns": (f"SELECT {WIDE}", f"SELECT {WIDE_ALIKE}", True),
    "Chinese": ("SELECT 姓名 FROM 客户", "SELECT '梅西'", True),
    "emoji": ("SELECT '🎯👩‍💻'", "SELECT '🎯' || '👩‍💻'", True),
    "NUL": ("SELECT CAST(x'610062' AS TEXT)", "SELECT 'a' || CAST(x'00' AS TEXT) || 'b'", True),
    "NUL is not nothing": ("SELECT CAST(x'610062' AS TEXT)", "SELECT 'ab'", False),
    "invalid UTF-8": ("SELECT CAST(x'416C62E9' AS TEXT)", "SELECT CAST(x'416C62E9' AS TEXT) LIMIT 1", True),
    "invalid UTF-8, other bytes": (
        "SELECT CAST(x'416C62E9' AS TEXT)",
        "SELECT CAST(x'416C62E8' AS TEXT)",
        False,
    ),
    "beyond a double": ("SELECT 9007199254740993", "SELECT 9007199254740992.0", False),
    "whole numbers": ("SELECT 1, 1", "SELECT 1.0, 1 = 1", True),
    "negative zero": ("SELECT 0", "SELECT -0.0", True),
    "text is no number": ("SELECT 1", "SELECT '1'", False),
}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("extremes")
    databases = home / "databases"
    databases.mkdir()
    with sqlite3.connect(databases / "extremes.sqlite") as connection:
        connection.execute("CREATE TABLE numbers (i INTEGER)")
        connection.executemany("INSERT INTO numbers VALUES (?)", ((i,) for i in range(N_ROWS)))
        connection.execute("CREATE TABLE 客户 (姓名 TEXT)")
        connection.execute("INSERT INTO 客户 VALUES ('梅西')")
    with duckdb.connect(str(databases / "typed.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 1.00::DECIMAL(10, 2) AS price, true AS flag, 'nan'::DOUBLE AS x"
        )
    questions = [
        {"question_id": name, "question": name, "db_id": "extremes", "golds": [gold]}
        for name, (gold, _, _) in CASES.items()
    ]
    questions.append(
        {"question_id": "typed", "question": "typed", "db_id": "typed", "golds": ["FROM t SELECT *"]}
    )
    predictions = {name: predicted for name, (_, predicted, _) in CASES.items()}
    predictions["typed"] = "SELECT 1, 1.0, x FROM t"
    (home / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions))
    (home / "predictions.json").write_text(json.dumps(predictions))
    glue(
        home,
        "import",
        "jsonl",
        "--name",
        "extremes",
        "--questions",
        home / "questions.jsonl",
        "--databases",
        databases,
    )
    glue(home, "import", "predictions", home / "predictions.json", "--benchmark", "extremes", "--name", "odd")
    glue(home, "execute")
    glue(home, "build")
    return home


def query(home: Path, sql: str) -> list[dict[str, Any]]:
    """What `glue query` prints as CSV, read back."""
    csv.field_size_limit(CELL_BYTES * 2)
    return list(csv.DictReader(io.StringIO(glue(home, "query", sql, "--format", "csv").stdout, newline="")))


def test_each_verdict(warehouse: Path) -> None:
    said = {
        row["question_id"]: row
        for row in query(warehouse, "select question_id, ex, reason from execution_match")
    }
    expected = {name: str(does_match).lower() for name, (_, _, does_match) in CASES.items()} | {
        "typed": "true"
    }
    assert {name: row["ex"].lower() for name, row in said.items()} == expected
    assert said["text is no number"]["reason"] == "type"


def test_the_rows_are_there(warehouse: Path) -> None:
    sizes = query(
        warehouse,
        "select golds.question_id, count(*) as n_rows, max(len(rows.cells)) as n_columns,"
        " max(len(rows.cells[1])) as size"
        " from gold_outcomes as golds inner join stg_result_rows as rows using (result_id) group by all",
    )
    found = {row["question_id"]: row for row in sizes}
    assert found["many rows"]["n_rows"] == str(N_ROWS)
    assert found["many columns"]["n_columns"] == str(N_COLUMNS)
    assert found["a large cell"]["size"] == str(CELL_BYTES + len("t:"))
    assert found["NUL"]["size"] == "5"


def test_query_prints_a_large_cell_whole(warehouse: Path) -> None:
    printed = query(
        warehouse,
        "select rows.cells[1] as cell from gold_outcomes as golds"
        " inner join stg_result_rows as rows using (result_id) where golds.question_id = 'a large cell'",
    )
    assert printed == [{"cell": "t:" + "0" * CELL_BYTES}]


def test_a_table_for_people_stays_a_table(warehouse: Path) -> None:
    printed = glue(
        warehouse,
        "query",
        "select question_id, cells from gold_outcomes inner join stg_result_rows using (result_id)"
        " where question_id in ('NUL', 'emoji', 'Chinese', 'a large cell')",
    ).stdout
    assert "\x00" not in printed
    assert "梅西" in printed
    assert len(printed) < 20_000
