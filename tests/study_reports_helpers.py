"""A made-up study: the tables that its reports stand on, and the real reports built over them.

Two solvers in 26 cells: `x` answers once, `y` twice. Twelve databases of six questions; what a context holds,
who is right and which tables are named are drawn once, with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from tests.commands import run_dbt

N_DATABASES = 12
N_QUESTIONS_EACH = 6
REPRESENTATIONS = ("enriched", "hybrid", "raw")
BUDGETS = ("tiny", "large")
STRATA = ("none", "some", "all")
METRICS = ("ex_set_namespace", "ex", "ex_tolerant")
ROLES = ("select", "filter", "join")
SEEDS = tuple(
    f"path:seeds/{name}.csv"
    for name in ("metrics", "protocols", "protocol_metrics", "contrasts", "slices", "budgets", "column_roles")
)
MODELS = (
    *("question_slices", "slice_positions", "bootstrap_weights", "question_scores", "metric_slices"),
    *("unpaired_questions", "contrast_pairs", "dialect_pairs", "bootstrap_ratios"),
    *("bootstrap_intervals", "contrast_tests"),
    *("metric_values", "metric_intervals", "metric_contrasts", "decode_variances"),
    *("context_means", "cell_contrasts", "budget_sweep", "budget_gains", "representation_contrasts"),
    *("unprefixed_robustness", "solver_replication", "collision_strata_results", "column_recall_by_role"),
    "removal_probe",
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A question: the numbers of the tables it requires, its gold's columns as (table, column, role)."""

    question_id: str
    db_id: str
    split: str
    stratum: str
    tables: tuple[int, ...]
    columns: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True)
class CellSet:
    """A prediction set in a cell of the lexical ranker."""

    model: str
    representation: str
    budget: str
    condition: str
    naming: str

    @property
    def prediction_set(self) -> str:
        """Its name."""
        return " ".join((self.model, self.representation, self.budget, self.condition, self.naming))

    @property
    def n_samples(self) -> int:
        """Answers to a question."""
        return 2 if self.model == "y" else 1


@dataclass
class MadeUpStudy:
    """Everything drawn: `packed` by question and cell, `scores` by prediction set, question and sample."""

    questions: list[Question] = field(default_factory=list)
    packed: dict[tuple[str, str, str, str], tuple[int, ...]] = field(default_factory=dict)
    infeasible: set[tuple[str, str, str, str]] = field(default_factory=set)
    scores: dict[tuple[str, str, int], Row] = field(default_factory=dict)
    removals: list[Row] = field(default_factory=list)

    @cached_property
    def sets(self) -> list[CellSet]:
        """The sets that have scores."""
        crossed = [
            CellSet(model, representation, budget, condition, "prefixed")
            for model in ("x", "y")
            for representation in REPRESENTATIONS
            for budget in BUDGETS
            for condition in ("end_to_end", "frozen_gold")
        ]
        return crossed + [CellSet("x", "raw", budget, "end_to_end", "bare") for budget in BUDGETS]

    @cached_property
    def probed(self) -> list[CellSet]:
        """The sets of the removal probe."""
        return [CellSet("x", "raw", budget, "remove_gold", "prefixed") for budget in BUDGETS]

    def asked(self, cell: CellSet) -> list[Question]:
        """The questions that have a context in a cell."""
        return [question for question in self.questions if self.place(cell, question) not in self.infeasible]

    def place(self, cell: CellSet, question: Question) -> tuple[str, str, str, str]:
        """Where a question's packing is."""
        return (question.question_id, cell.representation, cell.budget, cell.condition)

    def score(self, cell: CellSet, question: Question, metric: str = "ex_set_namespace") -> float:
        """Mean over the samples."""
        samples = [
            self.scores[cell.prediction_set, question.question_id, sample + 1][metric]
            for sample in range(cell.n_samples)
        ]
        return sum(samples) / len(samples)


def made_up_study() -> MadeUpStudy:
    """The same study every time."""
    rng = np.random.default_rng(11)
    study = MadeUpStudy()
    for database in range(N_DATABASES):
        for number in range(N_QUESTIONS_EACH):
            place = database * N_QUESTIONS_EACH + number
            tables = tuple(
                sorted(3 * database + int(t) for t in rng.permutation(3)[: 1 + int(rng.integers(3))])
            )
            columns = {
                (table, f"c{rng.integers(4)}", ROLES[int(rng.integers(3))])
                for table in tables
                for _ in range(3)
            }
            study.questions.append(
                Question(
                    f"q{place:02}",
                    f"d{database:02}",
                    "calibration" if number == 0 else "held_out",
                    STRATA[int(rng.integers(3))],
                    tables,
                    tuple(sorted(columns)),
                )
            )
    _pack(study, rng)
    for cell in study.sets:
        for question in study.asked(cell):
            has_all = set(question.tables) <= set(study.packed[study.place(cell, question)])
            for sample in range(cell.n_samples):
                is_right = float(rng.random() < (0.8 if has_all else 0.2))
                strict = is_right * float(rng.random() < 0.9)
                row = {metric: strict if metric == "ex" else is_right for metric in METRICS}
                study.scores[cell.prediction_set, question.question_id, sample + 1] = row
    for cell in study.probed:
        for question in study.questions:
            n_removed = len(question.tables)
            n_guessable = int(rng.integers(n_removed + 1)) if rng.random() < 0.4 else 0
            n_named = int(rng.integers(n_removed + 1)) if rng.random() < 0.7 else n_removed
            study.removals.append(
                {
                    "prediction_id": f"{cell.prediction_set} {question.question_id}",
                    "prediction_set": cell.prediction_set,
                    "benchmark": "b",
                    "question_id": question.question_id,
                    "db_id": question.db_id,
                    "is_correct": bool(rng.random() < 0.5),
                    "n_removed": n_removed,
                    "n_guessable": n_guessable,
                    "n_named": n_named,
                    "n_named_guessable": min(n_named, n_guessable),
                    "n_lexical_leaks": int(rng.integers(3)),
                }
            )
    return study


def _pack(study: MadeUpStudy, rng: np.random.Generator) -> None:
    for question in study.questions:
        is_wide = rng.random() < 0.2
        for representation in REPRESENTATIONS:
            for budget in BUDGETS:
                shown = tuple(
                    t for t in question.tables if rng.random() < (0.95 if budget == "large" else 0.5)
                )
                other = (3 * N_DATABASES + int(rng.integers(9)),)
                place = (question.question_id, representation, budget)
                study.packed[*place, "end_to_end"] = shown + other
                study.packed[*place, "remove_gold"] = other
                study.packed[*place, "frozen_gold"] = question.tables
                if is_wide and budget == "tiny" and representation != "raw":
                    study.infeasible.add((*place, "frozen_gold"))


def build(home: Path, study: MadeUpStudy) -> Path:
    """Write the lower tables and build the reports over them; gives `home`."""
    home.mkdir(exist_ok=True)
    with duckdb.connect(str(home / "warehouse.duckdb")) as warehouse:
        for name, rows in _tables(study):
            warehouse.register("given", pa.Table.from_pylist(rows))
            warehouse.execute(f"create table {name} as select * from given")
            warehouse.unregister("given")
        warehouse.execute(
            "create table gold_hardness (benchmark varchar, question_id varchar, gold_edition varchar,"
            " gold_number bigint, spider_hardness varchar)"
        )
        warehouse.execute(
            "create table history_tasks"
            " (task_set varchar, question_id varchar, question_position bigint, db_id varchar)"
        )
        warehouse.execute(
            "create table history_set_scores (task_set varchar, prediction_set varchar, question_id varchar,"
            " knowledge_type varchar, shots_asked varchar, n_required integer, n_retrieved integer,"
            " n_covered integer)"
        )
    run_dbt(home, *SEEDS, *MODELS)
    return home


def _tables(study: MadeUpStudy) -> Iterator[tuple[str, list[Row]]]:
    questions = [{"benchmark": "b", "question_id": q.question_id, "db_id": q.db_id} for q in study.questions]
    with_question = list(zip(study.questions, questions, strict=True))
    yield (
        "placed_questions",
        [
            {
                **row,
                "question_position": place,
                "difficulty": "easy",
                "has_database": True,
                "dialect": "sqlite",
                **dict.fromkeys(("source_question_id", "tier", "schema_id", "category_group", "category")),
            }
            for place, row in enumerate(questions)
        ],
    )
    yield "question_splits", [{**row, "split": q.split} for q, row in with_question]
    yield "collision_strata", [{**row, "stratum": q.stratum} for q, row in with_question]
    yield (
        "pooled_tables",
        [
            {"benchmark": "b", "db_id": f"d{n // 3:02}", "table_key": f"t{n}", "table_number": n}
            for n in range(3 * N_DATABASES + 9)
        ],
    )
    yield (
        "gold_columns",
        [
            {
                **row,
                "gold_edition": "benchmark",
                "gold_number": 1,
                "table_key": f"t{table}",
                "column_key": column,
                "role": role,
            }
            for q, row in with_question
            for table, column, role in q.columns
        ],
    )
    yield (
        "packings",
        [
            _factors(*place, benchmark="b", ranker="lexical")
            | {
                "table_numbers": list(tables),
                "n_tables": len(tables),
                "n_tokens": 10 * len(tables),
                "is_infeasible": place in study.infeasible,
            }
            for place, tables in study.packed.items()
        ],
    )
    required = {q.question_id: set(q.tables) for q in study.questions}
    yield (
        "table_recall",
        [
            _factors(*place, benchmark="b", ranker="lexical")
            | {
                "recall": len(required[place[0]] & set(tables)) / len(required[place[0]]),
                "is_fully_covered": required[place[0]] <= set(tables),
            }
            for place, tables in study.packed.items()
        ],
    )
    yield from _set_tables(study)


def _set_tables(study: MadeUpStudy) -> Iterator[tuple[str, list[Row]]]:
    sets = study.sets + study.probed
    yield (
        "cell_sets",
        [
            _cell(cell)
            | {"solver_id": f"solver {cell.model}", "n_samples": cell.n_samples}
            | {"is_planned": False, "is_derived": False, "is_repeat": False}
            for cell in sets
        ],
    )
    yield (
        "cell_questions",
        [
            _cell(cell)
            | {"question_id": question.question_id, "is_planned": False}
            | {"status": "over_cap" if study.place(cell, question) in study.infeasible else "ready"}
            for cell in sets
            for question in study.questions
        ],
    )
    predictions = [
        (f"{prediction_set} {question_id} {sample}", prediction_set, question_id, sample, row)
        for (prediction_set, question_id, sample), row in study.scores.items()
    ]
    yield (
        "execution_match",
        [
            {
                "prediction_id": prediction_id,
                "prediction_set": prediction_set,
                "benchmark": "b",
                "question_id": question_id,
                "sample": sample,
                "outcome": "match" if row["ex"] else "mismatch",
                "is_generated": True,
                "is_executed": True,
            }
            for prediction_id, prediction_set, question_id, sample, row in predictions
        ],
    )
    yield (
        "prediction_scores",
        [
            {"prediction_id": prediction_id, "metric": metric, "value": value}
            for prediction_id, _, _, _, row in predictions
            for metric, value in row.items()
        ],
    )
    yield "removed_tables_named", study.removals


def _factors(question_id: str, representation: str, budget: str, condition: str, **others: str) -> Row:
    return {
        "question_id": question_id,
        "representation": representation,
        "budget": budget,
        "condition": condition,
        **others,
    }


def _cell(cell: CellSet) -> Row:
    return {
        "run_id": cell.prediction_set,
        "prediction_set": cell.prediction_set,
        "benchmark": "b",
        "model": cell.model,
        "setting": cell.prediction_set,
        "ranker": "lexical",
        "representation": cell.representation,
        "budget": cell.budget,
        "condition": cell.condition,
        "naming": cell.naming,
    }
