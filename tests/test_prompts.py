"""What a model is sent: prompts of a tiny benchmark, which requests are one, and that both stay the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from glue.home import Home
from glue.landing import Writer
from tests.commands import glue, rows_of
from tests.execution_helpers import duckdb_database

pytestmark = pytest.mark.slow

SHOP = """
CREATE TABLE shop ("no" INTEGER PRIMARY KEY, city VARCHAR NOT NULL);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY, shop_no INTEGER REFERENCES shop ("no"), "Paid" VARCHAR, "order" DATE
);
COMMENT ON TABLE sale IS 'What was sold';
COMMENT ON COLUMN sale."Paid" IS 'How it was
paid';
INSERT INTO shop SELECT i, 'city ' || i FROM range(9) AS numbers (i);
INSERT INTO sale
    SELECT i, i, if(i % 2 = 0, 'cash', 'card'), DATE '2025-01-01' + i::INTEGER FROM range(9) AS numbers (i);
"""
QUESTIONS = [
    {"question_id": "a", "question": "How many sales?", "golds": ["SELECT count(*) FROM sale"]},
    {
        "question_id": "b",
        "question": "Which {cities}?",
        "evidence": "a shop's",
        "golds": ["SELECT city FROM shop"],
    },
    {"question_id": "c", "question": "How many sales?", "golds": ["SELECT count(*) FROM sale"]},
]
SCHEMA = """CREATE TABLE sale (  -- What was sold
    id INTEGER,
    shop_no INTEGER,
    Paid VARCHAR,  -- How it was paid
    "order" DATE,
    PRIMARY KEY (id),
    FOREIGN KEY (shop_no) REFERENCES shop ("no")
);

CREATE TABLE shop (
    "no" INTEGER,
    city VARCHAR NOT NULL,
    PRIMARY KEY ("no")
);"""

RUN = {
    "benchmark": "shop",
    "model": "some/model",
    "settings": '{"temperature": 0}',
    "gold_edition": "benchmark",
    "n_samples": 1,
    "is_planned": False,
    "started_at": datetime(2026, 1, 1, tzinfo=UTC),
}
RUNS = {
    "linked": {"setting": "schema_linked"},
    "linked again": {"setting": "schema_linked", "n_samples": 2, "question_ids": ["b"]},
    "bare": {"setting": "zero_shot"},
    "oracle": {"setting": "schema_linked", "dialect": "oracle", "question_ids": ["b"]},
    "planned": {"setting": "zero_shot", "is_planned": True, "settings": '{"temperature": 1}'},
    "control": {"model": "control/gold", "settings": "{}", "question_ids": ["a", "c"]},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built warehouse with one database, three questions and six runs that nobody has answered."""
    root = tmp_path_factory.mktemp("shop")
    (root / "databases").mkdir()
    duckdb_database(root / "databases" / "shop.duckdb", SHOP)
    lines = [json.dumps({"db_id": "shop", **question}) for question in QUESTIONS]
    (root / "questions.jsonl").write_text("\n".join(lines))
    glue(
        root,
        "import",
        "jsonl",
        "--name",
        "shop",
        "--questions",
        "questions.jsonl",
        "--databases",
        "databases",
    )
    land(root, [{**RUN, "run_id": name, "prediction_set": name, **more} for name, more in RUNS.items()])
    glue(root, "build")
    return root


def land(root: Path, runs: list[dict[str, Any]]) -> None:
    with Writer(Home(root), loop="generate") as writer:
        writer.append("runs", runs)


def messages(root: Path, setting: str, question_id: str, dialect: str = "duckdb") -> list[dict[str, str]]:
    (row,) = rows_of(
        root,
        f"select messages from prompts where setting = '{setting}' and question_id = '{question_id}'"
        f" and dialect = '{dialect}'",
    )
    found: list[dict[str, str]] = json.loads(row["messages"])
    return found


def test_a_schema_linked_prompt_shows_schema_hints_and_evidence(shop: Path) -> None:
    system, user = messages(shop, "schema_linked", "b")
    assert (system["role"], user["role"]) == ("system", "user")
    assert "one SQL statement" in system["content"] and "```sql" in system["content"]
    assert user["content"] == (
        f'SQL dialect: DuckDB\n\nSchema:\n{SCHEMA}\n\nColumns that join tables:\nsale.shop_no = shop."no"\n\n'
        "Columns with few values, all of them listed:\nsale.Paid: 'card', 'cash'\n\n"
        "Note on the question: a shop's\n\nQuestion: Which {cities}?"
    )
    assert "Note on the question" not in messages(shop, "schema_linked", "a")[1]["content"]
    assert messages(shop, "schema_linked", "b", "oracle")[1]["content"].startswith("SQL dialect: Oracle\n")


def test_a_zero_shot_prompt_shows_question_and_dialect_alone(shop: Path) -> None:
    assert (
        messages(shop, "zero_shot", "b")[1]["content"] == "SQL dialect: DuckDB\n\nQuestion: Which {cities}?"
    )


def test_equal_prompts_are_one_request_and_a_run_asks_only_its_questions(shop: Path) -> None:
    rows = rows_of(shop, "select * from requests order by prediction_set, question_position, sample")
    by_set: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_set.setdefault(row["prediction_set"], []).append(row)
    asked = {
        name: [(row["question_id"], row["sample"]) for row in requests] for name, requests in by_set.items()
    }
    everything = [("a", 1), ("b", 1), ("c", 1)]
    assert asked == {
        "linked": everything,
        "linked again": [("b", 1), ("b", 2)],
        "bare": everything,
        "oracle": [("b", 1)],
        "planned": everything,
        "control": [("a", 1), ("c", 1)],
    }
    a, b, c = (row["request_id"] for row in by_set["linked"])
    assert a == c != b  # two questions in the same words
    assert by_set["linked again"][0]["request_id"] == b != by_set["linked again"][1]["request_id"]
    assert len({row["request_id"] for row in rows}) == 2 + 1 + 2 + 1 + 2 + 1
    assert {row["dialect"] for row in by_set["oracle"]} == {"oracle"}
    assert {row["messages"] for row in by_set["control"]} == {None}
    assert [row["is_planned"] for row in by_set["planned"]] == [True] * 3


def test_what_is_only_planned_is_pending_and_is_no_prediction(shop: Path) -> None:
    import pyarrow.parquet as parquet

    pending = parquet.read_table(shop / "exports" / "pending_requests.parquet").to_pylist()
    assert len(pending) == 14
    assert {row["prediction_set"] for row in pending if row["is_planned"]} == {"planned"}
    assert {(row["n_attempts"], row["has_answer_without_sql"]) for row in pending} == {(0, False)}
    predicted = rows_of(shop, "select distinct prediction_set from predictions order by all")
    assert [row["prediction_set"] for row in predicted] == sorted(RUNS.keys() - {"planned"})
    (oracle,) = rows_of(
        shop, "select dialect, is_other_dialect from predictions where prediction_set = 'oracle'"
    )
    assert oracle == {"dialect": "oracle", "is_other_dialect": True}


def test_prompts_and_keys_are_the_same_whatever_builds_them(shop: Path) -> None:
    query = "select request_id, messages from requests order by all"
    before = rows_of(shop, query)
    (shop / "warehouse.duckdb").unlink()
    with one_processor():
        glue(shop, "build", "--force")
    assert rows_of(shop, query) == before


def test_an_answer_counts_for_every_set_that_asked_and_a_cut_one_is_its_own_outcome(shop: Path) -> None:
    requests = rows_of(
        shop, "select * from requests where prediction_set = 'linked' order by question_position"
    )
    count, cities = requests[0]["request_id"], requests[1]["request_id"]
    land_responses(
        shop,
        [
            {"request_id": count, "outcome": "failed", "response_text": None},
            {"request_id": count, "outcome": "answered", "response_text": "```sql\nSELECT 9\n```"},
            {"request_id": cities, "outcome": "truncated", "response_text": "SELECT city FROM"},
        ],
    )
    glue(shop, "execute")
    glue(shop, "build")
    found = rows_of(
        shop,
        "select prediction_set, question_id, sample, outcome from execution_match"
        " where starts_with(prediction_set, 'linked') order by all",
    )
    assert [tuple(row.values()) for row in found] == [
        ("linked", "a", 1, "match"),
        ("linked", "b", 1, "truncated"),
        ("linked", "c", 1, "match"),
        ("linked again", "b", 1, "truncated"),
        ("linked again", "b", 2, "waiting"),
        ("linked again/majority", "b", 1, "waiting"),
    ]
    (costs,) = rows_of(shop, "select * from run_costs where prediction_set = 'linked'")
    assert (costs["n_requests"], costs["n_attempts"], costs["n_failures"], costs["n_truncated"]) == (
        2,
        3,
        1,
        1,
    )
    assert (costs["cost_usd"], costs["n_unpriced"]) == (None, 2)


def land_responses(root: Path, responses: list[dict[str, Any]]) -> None:
    with Writer(Home(root), loop="generate") as writer:
        for second, response in enumerate(responses):
            when = datetime(2026, 1, 1, second=second, tzinfo=UTC)
            writer.append("responses", [{"attempt_id": str(second), "responded_at": when, **response}])


@contextmanager
def one_processor() -> Iterator[None]:
    """Let this process and its children use one processor, so that DuckDB uses one thread."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
