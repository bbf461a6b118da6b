"""The study's reports against the same numbers reckoned here, one question at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.commands import rows_of
from tests.statistics_helpers import one
from tests.study_reports_helpers import (
    BUDGETS,
    METRICS,
    REPRESENTATIONS,
    ROLES,
    STRATA,
    CellSet,
    MadeUpStudy,
    Question,
    build,
    made_up_study,
)

pytestmark = pytest.mark.slow

Rows = list[dict[str, Any]]
SPLITS: dict[str, Callable[[Question], bool]] = {
    "all": lambda question: True,
    "held_out": lambda question: question.split == "held_out",
    "calibration": lambda question: question.split == "calibration",
}


@pytest.fixture(scope="module")
def study() -> MadeUpStudy:
    return made_up_study()


@pytest.fixture(scope="module")
def warehouse(study: MadeUpStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("reports"), study)


def paired(study: MadeUpStudy, left: CellSet, right: CellSet) -> list[Question]:
    """Held-out questions that fit in both cells in every representation."""
    return [
        question
        for question in study.questions
        if question.split == "held_out"
        and not any(
            (question.question_id, representation, cell.budget, cell.condition) in study.infeasible
            for representation in REPRESENTATIONS
            for cell in (left, right)
        )
    ]


def cell_of(study: MadeUpStudy, prediction_set: str) -> CellSet:
    return next(cell for cell in study.sets if cell.prediction_set == prediction_set)


def test_the_sweep_has_every_cell_and_split_with_its_values(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from budget_sweep")
    assert len(rows) == len(SPLITS) * (len(study.sets) + len(study.probed))
    for cell in study.sets:
        for split, belongs in SPLITS.items():
            row = one(rows, prediction_set=cell.prediction_set, split=split)
            counted = [question for question in study.asked(cell) if belongs(question)]
            packed = [set(study.packed[study.place(cell, question)]) for question in counted]
            required = [set(question.tables) for question in counted]
            recalls = [len(r & p) / len(r) for r, p in zip(required, packed, strict=True)]
            for metric in METRICS:
                expected = np.mean([study.score(cell, question, metric) for question in counted])
                column = "value" if metric == "ex_set_namespace" else metric
                assert row[column] == pytest.approx(expected, abs=1e-9)
            assert row["denominator"] == row["n_contexts"] == row["n_recalls"] == len(counted)
            assert row["n_asked"] - row["n_contexts"] == row["n_infeasible"]
            assert row["mean_table_recall"] == pytest.approx(np.mean(recalls), abs=1e-9)
            assert row["full_coverage"] == pytest.approx(np.mean([r == 1 for r in recalls]), abs=1e-9)
            assert row["mean_packed_tables"] == pytest.approx(np.mean([len(p) for p in packed]), abs=1e-9)
            assert row["mean_context_tokens"] == pytest.approx(10 * row["mean_packed_tables"])
            assert row["ci_low"] <= row["value"] <= row["ci_high"]
            assert row["n_clusters"] == len({question.db_id for question in counted})
            assert (row["ci_low_clustered"] is None) == (row["n_clusters"] < 10)
    assert any(row["n_infeasible"] for row in rows)


def test_a_cell_that_nobody_has_answered_stays_in_the_sweep(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from budget_sweep where condition = 'remove_gold'")
    assert len(rows) == len(SPLITS) * len(study.probed)
    assert all(row["value"] is None and row["n_contexts"] > 0 == row["mean_table_recall"] for row in rows)


def test_gains_are_paired_differences_over_what_fits(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from budget_gains")
    assert len(rows) == 2 * 3 * 2 + 1
    for row in rows:
        large, tiny = cell_of(study, row["set_a"]), cell_of(study, row["set_b"])
        assert (large.budget, tiny.budget) == (row["budget_a"], row["budget_b"]) == ("large", "tiny")
        questions = paired(study, large, tiny)
        values = [np.mean([study.score(cell, question) for question in questions]) for cell in (large, tiny)]
        assert [row["value_a"], row["value_b"]] == pytest.approx(values, abs=1e-9)
        assert row["gain"] == pytest.approx(values[0] - values[1], abs=1e-9)
        assert row["n_questions"] == len(questions) and row["n_questions"] + row["n_infeasible"] == 60
        assert row["ci_low"] <= row["gain"] <= row["ci_high"]
        assert row["mcnemar_reason"] == (None if row["model"] == "x" else "several_samples")
    assert {row["n_infeasible"] > 0 for row in rows} == {True, False}


def test_representations_are_compared_on_the_same_questions(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from representation_contrasts")
    assert len(rows) == 2 * len(BUDGETS) * 2 * 3
    for row in rows:
        left, right = cell_of(study, row["set_a"]), cell_of(study, row["set_b"])
        assert (left.representation, right.representation) == (
            row["representation_a"],
            row["representation_b"],
        )
        questions = paired(study, left, right)
        difference = np.mean([study.score(left, q) - study.score(right, q) for q in questions])
        assert row["difference"] == pytest.approx(difference, abs=1e-9)
        assert row["value_a"] - row["value_b"] == pytest.approx(difference, abs=1e-9)
        assert row["n_questions"] == len(questions)
        ends = ("ci90_low", "ci90_high", "ci90_low_clustered", "ci90_high_clustered")
        assert row["is_within_margin"] == all(abs(row[end]) < row["equivalence_margin"] for end in ends)


def test_bare_names_are_held_against_prefixed_ones(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from unprefixed_robustness")
    gains = rows_of(
        warehouse,
        "from budget_gains where model = 'x' and representation = 'raw' and condition = 'end_to_end'",
    )
    assert [row["budget"] for row in rows] == ["tiny", "large"]
    for row in rows:
        bare, prefixed = (cell_of(study, row[name]) for name in ("bare_set", "prefixed_set"))
        questions = paired(study, bare, prefixed)
        assert row["value_bare"] == pytest.approx(np.mean([study.score(bare, q) for q in questions]))
        assert row["value_prefixed"] == pytest.approx(np.mean([study.score(prefixed, q) for q in questions]))
        assert row["difference"] == pytest.approx(row["value_bare"] - row["value_prefixed"])
        for naming in ("bare", "prefixed"):
            gain = one(gains, naming=naming)
            assert row[f"gain_{naming}"] == gain["gain"]
            assert (row[f"gain_{naming}_low"], row[f"gain_{naming}_high"]) == (
                gain["ci_low"],
                gain["ci_high"],
            )


def test_solvers_stand_side_by_side(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from solver_replication")
    gains = rows_of(warehouse, "from budget_gains")
    assert len(rows) == 3 * 2
    for row in rows:
        key = {name: row[name] for name in ("representation", "condition", "naming")}
        x, y = one(gains, model="x", **key), one(gains, model="y", **key)
        assert (row["model_1"], row["gain_1"], row["model_2"], row["gain_2"]) == (
            *("x", x["gain"], "y", y["gain"]),
        )
        assert row["is_same_sign"] == (np.sign(x["gain"]) == np.sign(y["gain"]))
        assert row["is_overlapping"] == (max(x["ci_low"], y["ci_low"]) <= min(x["ci_high"], y["ci_high"]))
        assert row["decode_standard_error_1"] is None
        variance = 0.0
        for cell in (cell_of(study, y["set_a"]), cell_of(study, y["set_b"])):
            asked = study.asked(cell)
            answers = [
                [
                    study.scores[cell.prediction_set, q.question_id, sample]["ex_set_namespace"]
                    for sample in (1, 2)
                ]
                for q in asked
            ]
            spread = [np.var(pair, ddof=1) for pair in answers]
            variance += sum(spread) / 2 / len(asked) ** 2
        assert row["decode_standard_error_2"] == pytest.approx(np.sqrt(variance), abs=1e-8)


def test_strata_add_up_to_the_sweep(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from collision_strata_results where condition <> 'remove_gold'")
    sweep = rows_of(warehouse, "from budget_sweep where split = 'all'")
    assert len(rows) == len(STRATA) * len(study.sets)
    for cell in study.sets:
        strata = [row for row in rows if row["prediction_set"] == cell.prediction_set]
        whole = one(sweep, prediction_set=cell.prediction_set)
        for count in ("numerator", "denominator", "n_asked", "n_contexts", "n_infeasible", "n_recalls"):
            assert sum(row[count] for row in strata) == pytest.approx(whole[count])
        for row in strata:
            counted = [q for q in study.asked(cell) if q.stratum == row["stratum"]]
            assert row["value"] == pytest.approx(np.mean([study.score(cell, q) for q in counted]))


def subset_holds(subset: str, row: dict[str, Any]) -> bool:
    is_guessable, is_leaking = row["n_guessable"] > 0, row["n_lexical_leaks"] > 0
    return {
        "all": True,
        "guessable": is_guessable,
        "not_guessable": not is_guessable,
        "leaking": is_leaking,
        "not_leaking": not is_leaking,
        "neither": not is_guessable and not is_leaking,
    }[subset]


def test_the_probe_counts_what_correct_predictions_name(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from removal_probe")
    assert len(rows) == (len(study.probed) + 1) * len(SPLITS) * 6
    splits = {question.question_id: question for question in study.questions}
    for row in rows:
        counted = [
            found
            for found in study.removals
            if row["prediction_set"] in (None, found["prediction_set"])
            and SPLITS[row["split"]](splits[found["question_id"]])
            and subset_holds(row["subset"], found)
        ]
        correct = [found for found in counted if found["is_correct"]]
        assert row["n_predictions"] == len(counted) and row["n_correct"] == len(correct)
        assert row["n_naming"] == sum(found["n_named"] > 0 for found in correct)
        assert row["n_naming_every"] == sum(found["n_named"] == found["n_removed"] for found in correct)
        assert row["n_naming_unguessable"] == sum(
            found["n_named"] > found["n_named_guessable"] for found in correct
        )
        assert row["share_naming"] == pytest.approx(row["n_naming"] / row["n_correct"])
        assert row["n_clusters"] == len({found["db_id"] for found in correct})
        assert (row["ci_low_clustered"] is None) == (row["n_clusters"] < 10)


@pytest.mark.parametrize(("unit", "bounds"), [("question", ("ci_low", "ci_high")), ("database", ())])
def test_linearised_intervals_are_those_of_the_bootstrap(
    study: MadeUpStudy, warehouse: Path, unit: str, bounds: tuple[str, ...]
) -> None:
    """On the warehouse's own draws, of the probe over both cells; wide units leave some room."""
    low, high = bounds or ("ci_low_clustered", "ci_high_clustered")
    (row,) = rows_of(
        warehouse,
        "from removal_probe where prediction_set is null and split = 'all' and subset = 'all'",
    )
    with duckdb.connect(str(warehouse / "warehouse.duckdb"), read_only=True) as connection:
        found = connection.execute(
            "select weights from bootstrap_weights where unit = ? order by replicate", [unit]
        ).fetchall()
    weights = np.array([list(weight) for (weight,) in found], dtype=float)
    units = sorted({r["question_id" if unit == "question" else "db_id"] for r in study.removals})
    sums = np.zeros((2, len(units)))
    for removal in study.removals:
        place = units.index(removal["question_id" if unit == "question" else "db_id"])
        sums[0, place] += removal["is_correct"] and removal["n_named"] > 0
        sums[1, place] += removal["is_correct"]
    ratios = (weights @ sums[0]) / (weights @ sums[1])
    expected = np.percentile(ratios, [2.5, 97.5])
    assert 0 < row["share_naming"] < 1 and expected[0] < row["share_naming"] < expected[1]
    assert [row[low], row[high]] == pytest.approx(expected, abs=0.12 * (expected[1] - expected[0]))


def test_columns_are_recalled_with_their_tables(study: MadeUpStudy, warehouse: Path) -> None:
    rows = rows_of(warehouse, "from column_recall_by_role")
    for row in rows:
        place = (row["representation"], row["budget"], row["condition"])
        n_columns = n_shown = n_questions = 0
        for question in study.questions:
            key = (question.question_id, *place)
            if key in study.infeasible or not SPLITS[row["split"]](question):
                continue
            columns = {
                (table, column) for table, column, role in question.columns if row["role"] in (role, "any")
            }
            n_columns += len(columns)
            n_shown += sum(table in study.packed[key] for table, _ in columns)
            n_questions += bool(columns)
        assert (row["n_columns"], row["n_columns_shown"], row["n_questions"]) == (
            *(n_columns, n_shown, n_questions),
        )
        assert row["recall"] == pytest.approx(n_shown / n_columns)
    assert len(rows) == 3 * 2 * 3 * len(SPLITS) * (len(ROLES) + 1)
    frozen = [row for row in rows if row["condition"] == "frozen_gold"]
    assert all(row["recall"] == 1 for row in frozen)
