"""Scores made up for tests of the statistics layer, and the real models built over them.

The models above `execution_match` and `prediction_scores` are built by dbt in a throw-away warehouse whose
lower tables are written here, so that no statement has to be run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from tests.commands import run_dbt

Scores = npt.NDArray[np.float64]
"""One score per question, in the questions' order; NaN where the question does not count."""

SEEDS = tuple(
    f"path:seeds/{name}.csv" for name in ("metrics", "protocols", "protocol_metrics", "contrasts", "slices")
)
MODELS = (
    *("question_slices", "slice_positions", "bootstrap_weights", "question_scores", "metric_slices"),
    *("unpaired_questions", "contrast_pairs", "dialect_pairs", "bootstrap_ratios"),
    *("bootstrap_intervals", "contrast_tests"),
    *("metric_values", "metric_intervals", "metric_contrasts", "leaderboard_neighbours"),
    "dialect_contrasts",
)
LOWER_TABLES = """
    create table placed_questions (
        benchmark varchar, question_id varchar, question_position bigint, db_id varchar, difficulty varchar,
        has_database boolean, dialect varchar, source_question_id varchar, tier integer, schema_id varchar,
        category_group varchar, category varchar
    );
    create table gold_hardness (
        benchmark varchar, question_id varchar, gold_edition varchar, gold_number bigint,
        spider_hardness varchar
    );
    create table execution_match (
        prediction_id varchar, prediction_set varchar, benchmark varchar, question_id varchar, sample bigint,
        outcome varchar, is_generated boolean, is_executed boolean
    );
    create table prediction_scores (prediction_id varchar, metric varchar, value double);
    create table cell_sets (
        prediction_set varchar, benchmark varchar, model varchar, solver_id varchar, ranker varchar,
        representation varchar, budget varchar, condition varchar, naming varchar, is_derived boolean,
        is_repeat boolean
    );
    create table packings (
        benchmark varchar, question_id varchar, ranker varchar, representation varchar, budget varchar,
        condition varchar, is_infeasible boolean
    );
    create table question_splits (benchmark varchar, question_id varchar, split varchar);
    create table collision_strata (benchmark varchar, question_id varchar, stratum varchar);
    create table history_tasks (
        task_set varchar, question_id varchar, question_position bigint, db_id varchar
    );
    create table history_set_scores (
        task_set varchar, prediction_set varchar, question_id varchar, knowledge_type varchar,
        shots_asked varchar,
        n_required integer, n_retrieved integer, n_covered integer
    );
"""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of `n_databases` times `n_questions_each` questions, every third of them hard.

    Benchmarks with a dialect ask the same questions.
    """

    name: str
    n_databases: int
    n_questions_each: int
    dialect: str | None = None

    @property
    def n_questions(self) -> int:
        """Questions in all."""
        return self.n_databases * self.n_questions_each

    @property
    def databases(self) -> npt.NDArray[np.int64]:
        """0-based database of each question."""
        return np.arange(self.n_questions) // self.n_questions_each

    @property
    def is_hard(self) -> npt.NDArray[np.bool_]:
        """Whether each question is hard."""
        return np.arange(self.n_questions) % 3 == 0


def build(home: Path, benchmarks: list[Benchmark], sets: dict[tuple[str, str, str], list[Scores]]) -> Path:
    """Build the statistics over scores by (benchmark, prediction set, metric), one array per sample.

    Gives `home`. A question whose score is NaN has no value under the metric.
    """
    home.mkdir(exist_ok=True)
    with duckdb.connect(str(home / "warehouse.duckdb")) as warehouse:
        warehouse.execute(LOWER_TABLES)
        for benchmark in benchmarks:
            _insert_questions(warehouse, benchmark)
        predictions: set[tuple[str, str, int]] = set()
        for (benchmark_name, prediction_set, metric), samples in sets.items():
            for sample, scores in enumerate(samples, start=1):
                key = (benchmark_name, prediction_set, sample)
                _insert_scores(warehouse, key, metric, scores, is_new=key not in predictions)
                predictions.add(key)
    run_dbt(home, *SEEDS, *MODELS)
    return home


def _insert_questions(warehouse: duckdb.DuckDBPyConnection, benchmark: Benchmark) -> None:
    dialect = benchmark.dialect
    numbers = range(benchmark.n_questions)
    rows = [
        (benchmark.name, f"q{i}", i, f"db{database:02}", "hard" if is_hard else "easy", True, dialect, source)
        for i, database, is_hard, source in zip(
            numbers,
            benchmark.databases,
            benchmark.is_hard,
            [f"q{i}" if dialect else None for i in numbers],
            strict=True,
        )
    ]
    warehouse.executemany(
        "insert into placed_questions values (?, ?, ?, ?, ?, ?, ?, ?, null, null, null, null)", rows
    )


def _insert_scores(
    warehouse: duckdb.DuckDBPyConnection, key: tuple[str, str, int], metric: str, scores: Scores, is_new: bool
) -> None:
    benchmark, prediction_set, sample = key
    ids = [f"{benchmark} {prediction_set} {sample} {i}" for i in range(len(scores))]
    if is_new:
        warehouse.executemany(
            "insert into execution_match values (?, ?, ?, ?, ?, 'match', true, true)",
            [(each, prediction_set, benchmark, f"q{i}", sample) for i, each in enumerate(ids)],
        )
    values = [
        (each, metric, None if np.isnan(score) else float(score))
        for each, score in zip(ids, scores, strict=True)
    ]
    warehouse.executemany("insert into prediction_scores values (?, ?, ?)", values)


def one(rows: list[dict[str, Any]], **key: object) -> dict[str, Any]:
    """The only row with these values."""
    found = [row for row in rows if all(row[name] == value for name, value in key.items())]
    assert len(found) == 1, (key, len(found))
    return found[0]
