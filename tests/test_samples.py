"""Several answers to a question: pass@k against exact arithmetic, and the majority as a set of its own."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import glue, rows_of
from tests.execution_helpers import sqlite_database

MACRO = Path(__file__).resolve().parents[1] / "macros" / "pass_at_k.sql"


def exact_pass_at_k(n: int, c: int, k: int) -> Fraction:
    """1 − C(n−c, k) / C(n, k), by counting."""
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


@given(st.data())
def test_the_formula_agrees_with_counting(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 1000))
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    assert abs(computed_pass_at_k(n, c, k) - exact_pass_at_k(n, c, k)) < Fraction(1, 10**12)


def test_the_formula_at_its_ends() -> None:
    assert computed_pass_at_k(5, 0, 5) == 0
    assert computed_pass_at_k(5, 5, 1) == 1
    assert computed_pass_at_k(5, 1, 5) == 1
    assert computed_pass_at_k(10**6, 10**6 - 1, 2) == 1


def computed_pass_at_k(n: int, c: int, k: int) -> Fraction:
    """What DuckDB makes of the macro, without rounding."""
    macro: Any = jinja2.Template(MACRO.read_text()).module
    row = duckdb.execute(
        f"select {macro.pass_at_k('n', 'c', 'k')} from (values ({n}, {c}, {k})) as given (n, c, k)"
    ).fetchone()
    assert row is not None
    return Fraction(row[0])


# Question -> its samples. q1: two of three are right; q2: the wrong one is most frequent; q3: a tie, whose
# first is right; q4: none runs; q5: one sample has no SQL, and rows in another order are one answer.
SAMPLES = {
    "q1": ["SELECT 2", "SELECT 1", "SELECT 3 - 2"],
    "q2": ["SELECT 1", "SELECT 7", "SELECT 5 + 2"],
    "q3": ["SELECT n FROM none", "SELECT 1", "SELECT 4"],
    "q4": ["SELECT n FROM none", "SELECT", "DROP TABLE t"],
    "q5": ["I do not know.", "SELECT n FROM t WHERE n < 3 ORDER BY n DESC", "SELECT n FROM t WHERE n < 3"],
}
GOLDS = {"q5": "SELECT n FROM t WHERE n IN (1, 2)"}
CHOSEN = {"q1": (2, True), "q2": (2, False), "q3": (2, True), "q4": (1, False), "q5": (2, True)}
"""Question -> the sample of the majority, and whether it is right."""


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An imported set `three` with three samples a question, and `one` with one, executed and built."""
    root = tmp_path_factory.mktemp("sampled")
    (root / "databases").mkdir()
    script = "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1), (2), (3);"
    sqlite_database(root / "databases" / "d.sqlite", script)
    questions: list[dict[str, Any]] = [
        {"question_id": key, "db_id": "d", "question": f"{key}?", "golds": [GOLDS.get(key, "SELECT 1")]}
        for key in SAMPLES
    ]
    entries = [
        {"question_id": key, "predicted_sql": text, "sample": number}
        for key, texts in SAMPLES.items()
        for number, text in enumerate(texts, 1)
    ]
    write_lines(root / "questions.jsonl", questions)
    write_lines(root / "three.jsonl", entries)
    write_lines(root / "one.jsonl", [entry for entry in entries if entry["sample"] == 1])
    glue(root, "import", "jsonl", "--name", "b", "--questions", "questions.jsonl", "--databases", "databases")
    for name in ("three", "one"):
        command = ("import", "predictions", f"{name}.jsonl", "--benchmark", "b", "--name", name)
        glue(root, *command, "--sample-field", "sample", "--sql-field", "predicted_sql")
    return root


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(json.dumps(row) for row in rows))


@pytest.mark.slow
def test_the_majority_of_three_samples(sampled: Path) -> None:
    glue(sampled, "build")
    waiting = rows_of(
        sampled,
        "select outcome, count(*)::int as n from execution_match"
        " where prediction_set = 'three/majority' group by all",
    )
    assert waiting == [{"outcome": "waiting", "n": 5}]  # nothing has been run

    glue(sampled, "execute")
    glue(sampled, "build")
    derived = rows_of(
        sampled,
        "select m.question_id, m.sample, m.ex, m.outcome, s.sample as chosen, s.outcome as sample_outcome"
        " from execution_match as m"
        " join execution_match as s on m.derived_from_prediction_id = s.prediction_id"
        " where m.prediction_set = 'three/majority' order by m.question_id",
    )
    assert {row["question_id"]: (row["chosen"], row["ex"]) for row in derived} == CHOSEN
    assert all(row["sample"] == 1 and row["outcome"] == row["sample_outcome"] for row in derived)
    places = rows_of(
        sampled,
        "select prediction_set, numerator, denominator from leaderboard where protocol = 'evalhouse'"
        " and metric = 'ex' and prediction_set <> 'three' order by prediction_set",
    )
    assert [tuple(row.values()) for row in places] == [("one", 1.0, 5), ("three/majority", 3.0, 5)]


@pytest.mark.slow
def test_pass_at_k_of_a_set_agrees_with_counting(sampled: Path) -> None:
    glue(sampled, "execute")
    glue(sampled, "build")
    right: Counter[tuple[str, str]] = Counter()
    for row in rows_of(sampled, "select * from execution_match where not is_derived"):
        right[row["prediction_set"], row["question_id"]] += bool(row["ex"])
    expected = {
        (name, k): sum(exact_pass_at_k(n, right[name, key], k) for key in SAMPLES) / len(SAMPLES)
        for name, n in (("three", 3), ("one", 1))
        for k in range(1, n + 1)
    }
    found = {(row["prediction_set"], row["k"]): row for row in rows_of(sampled, "select * from pass_at_k")}
    assert found.keys() == expected.keys()
    for key, row in found.items():
        assert row["value"] == pytest.approx(float(expected[key]), abs=1e-11)
        assert row["denominator"] == 5
