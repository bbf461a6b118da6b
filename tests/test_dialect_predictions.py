"""Published predictions in three dialects: every file imports, and a loop says what each is worth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.dialects import (
    ENGINES,
    Verdicts,
    contrasts,
    holm,
    own_questions,
    p_mcnemar,
    published_files,
    verdicts_of,
)
from glue.home import Home
from glue.importers.common import land
from glue.importers.jsonl import read_jsonl
from glue.importers.landed import landed_benchmark
from glue.importers.predictions import PredictionOptions, read_predictions
from tests.engines.dialect_data import FoldingMariaDB


def test_nine_systems_answered_in_three_dialects(shared_data: Path) -> None:
    n_files = Counter(file.system for file in published_files(shared_data))
    assert len(n_files) == 9 and set(n_files.values()) == {3}


@pytest.mark.slow
def test_every_file_imports_into_the_benchmark_of_its_dialect(home: Home, shared_data: Path) -> None:
    n_without_sql: Counter[str] = Counter()
    for engine, dialect in ENGINES.items():
        path = home.root / f"{dialect}.jsonl"
        path.write_text("\n".join(map(json.dumps, own_questions(shared_data, engine))))
        batch = read_jsonl(dialect, path, dialect=dialect)
        assert len(batch.rows["questions"]) == 500
        assert len(batch.rows["golds"]) == (498 if dialect == "postgres" else 500)
        land(home, batch)
    for file in published_files(shared_data):
        dialect = ENGINES[file.engine]
        options = PredictionOptions(dialect=dialect)
        batch = read_predictions(
            file.path, landed_benchmark(home, dialect), f"{file.system}/{dialect}", options
        )
        assert "paired by position: 500 of 500 entries" in batch.notes
        assert [row["predicted_sql"] for row in batch.rows["predictions"]] == file.statements()
        n_without_sql[dialect] += sum(row["issue"] is not None for row in batch.rows["predictions"])
    assert n_without_sql == {"sqlite": 18, "mysql": 10, "postgres": 19}


@pytest.fixture(scope="module")
def on_superhero(shared_data: Path) -> Iterator[Verdicts]:
    mariadb = FoldingMariaDB()
    yield verdicts_of(shared_data, mariadb, ["superhero"])
    mariadb.stop()


@pytest.mark.slow
def test_a_loop_scores_every_file_in_its_own_dialect(on_superhero: Verdicts) -> None:
    """On one of the four databases: 52 questions."""
    assert {len(found) for found in on_superhero.values()} == {52}
    n_right = {
        key: sum(verdict == "right" for verdict in found.values()) for key, found in on_superhero.items()
    }
    assert [n_right["gpt-4", engine] for engine in ENGINES] == [40, 35, 40]
    assert not any(verdict == "failed other" for found in on_superhero.values() for verdict in found.values())


@pytest.mark.slow
def test_dialects_of_a_system_are_compared_question_by_question(on_superhero: Verdicts) -> None:
    pairs = {(pair.system, pair.engine_a, pair.engine_b): pair for pair in contrasts(on_superhero)}
    assert len(pairs) == 27
    pair = pairs["gpt-4", "sqlite", "postgresql"]
    assert (pair.n_both + pair.n_only_a, pair.n_both + pair.n_only_b) == (40, 35)


def test_p_values_are_exact_and_corrected() -> None:
    assert p_mcnemar(0, 0) == 1
    assert p_mcnemar(5, 0) == 2 / 2**5
    assert p_mcnemar(3, 1) == 2 * (1 + 4) / 2**4
    assert holm([0.04, 0.01, 0.03]) == [0.06, 0.03, 0.06]
