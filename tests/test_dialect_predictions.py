"""Published predictions in three dialects: every file imports, and verdicts are those of a plain loop."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.dialects import (
    DIALECTS,
    disagreements,
    loaded,
    loop_verdicts,
    own_questions,
    published_files,
    scored,
)
from glue.home import Home
from glue.importers.common import land
from glue.importers.jsonl import read_jsonl
from glue.importers.landed import landed_benchmark
from glue.importers.predictions import PredictionOptions, read_predictions
from tests.commands import rows_of


def test_nine_systems_answered_in_three_dialects(shared_data: Path) -> None:
    n_files = Counter(file.system for file in published_files(shared_data))
    assert len(n_files) == 9 and set(n_files.values()) == {3}


@pytest.mark.slow
def test_every_file_imports_into_the_benchmark_of_its_dialect(home: Home, shared_data: Path) -> None:
    n_without_sql: Counter[str] = Counter()
    for engine, dialect in DIALECTS.items():
        path = home.root / f"{dialect}.jsonl"
        path.write_text("\n".join(map(json.dumps, own_questions(shared_data, engine))))
        batch = read_jsonl(dialect, path, dialect=dialect)
        assert len(batch.rows["questions"]) == 500
        assert len(batch.rows["golds"]) == (498 if dialect == "postgres" else 500)
        land(home, batch)
    for file in published_files(shared_data):
        dialect = DIALECTS[file.engine]
        options = PredictionOptions(dialect=dialect)
        batch = read_predictions(file.path, landed_benchmark(home, dialect), file.system, options)
        assert "paired by position: 500 of 500 entries" in batch.notes
        assert [row["predicted_sql"] for row in batch.rows["predictions"]] == file.statements()
        n_without_sql[dialect] += sum(row["issue"] is not None for row in batch.rows["predictions"])
    assert n_without_sql == {"sqlite": 18, "mysql": 10, "postgres": 19}


SYSTEMS = ("gpt-4", "mistralai-mixtral-8x7b-instru-4")
TIES = {"736", "766"}
"""Golds of MariaDB with LIMIT 1 within a tie: see tests/test_three_dialects.py."""


@pytest.mark.slow
def test_the_warehouse_says_what_a_loop_says(home: Home, shared_data: Path) -> None:
    files = [file for file in published_files(shared_data) if file.system in SYSTEMS]
    with loaded(shared_data, ["superhero"]) as servers:
        scored(home.root, shared_data, servers, files)
        looped = loop_verdicts(shared_data, servers, files, ["superhero"])
    assert len(looped) == 2 * 3 * 52
    assert {question for *_, question, _, _ in disagreements(home.root, looped)} <= TIES
    found = rows_of(
        home.root,
        "select prediction_set, n_questions, n_both_right + n_only_a, n_both_right + n_only_b"
        " from dialect_contrasts where contrast_family = 'dialect_set' and dialect_a = 'postgres'"
        " and dialect_b = 'sqlite' order by prediction_set",
    )
    assert [tuple(row.values()) for row in found] == [
        ("gpt-4", 52, 35, 40),
        ("mistralai-mixtral-8x7b-instru-4", 52, 11, 16),
    ]
    assert rows_of(home.root, "select count(*) as n from dialect_contrasts") == [{"n": 2 * 3 * len(SYSTEMS)}]
