"""The whole sweep on BIRD, over 80 schemas and 1,534 questions, and what it must give by construction.

Both controls answer every question whose database is at hand (595) in all 96 cells: 2 rankers,
3 representations, 4 budgets, 4 conditions.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from glue.home import Home
from glue.study.registry import register
from tests.commands import glue, rows_of

pytestmark = pytest.mark.slow

BENCHMARK = "bird_dev"
N_CELLS = 96
N_RUNNABLE = 595

RECALL = {
    "lexical": {"tiny": 0.759, "small": 0.874, "medium": 1.0, "large": 1.0},
    "dense": {"tiny": 0.972, "small": 0.998, "medium": 1.0, "large": 1.0},
}
"""Mean table recall, raw, end to end. The paper: lexical from 0.75 to 1.0, dense near 1.0 at once."""

CHECKS = {
    "n_databases": 80,
    "n_tables": 597,
    "n_colliding_tables": 146,
    "n_calibration_questions": 255,
    "n_held_out_questions": 1279,
    "label_coverage": 1,
    "n_executable_golds": N_RUNNABLE,
    "gold_invariance": 1,
}
"""Facts of the pool, its splits and its labels, and of golds in the union namespace."""


@pytest.fixture(scope="module")
def swept(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("sentence_transformers") is None:
        missing = "the dense ranker's encoder is not installed: make encoders"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    root, bird = tmp_path_factory.mktemp("swept"), shared_data / "bird"
    meanings = bird / "meta" / "column_meaning"
    glue(
        root,
        *("import", "bird", "--name", BENCHMARK, "--questions", bird / "meta" / "dev.json"),
        *("--tables", bird / "meta" / "dev_tables.json", "--databases", bird / "databases"),
        *("--column-meaning", meanings / "dev_column_meaning.json"),
    )
    glue(
        root,
        *("import", "mschema", "--name", BENCHMARK, "--schemas", bird / "mschema"),
        *("--column-meaning", meanings / "train_column_meaning.json"),
    )
    assert register(Home(root), BENCHMARK)
    glue(root, "embed", "--encoder", "minilm", "--benchmark", BENCHMARK)
    glue(root, "run", "--study", "budget", "--benchmark", BENCHMARK)
    return root


def test_the_pool_is_the_papers(swept: Path) -> None:
    rows = rows_of(swept, "select check_name, value, is_as_expected from validation_report")
    found = {row["check_name"]: row["value"] for row in rows}
    assert {name: found[name] for name in CHECKS} == CHECKS
    assert [row["check_name"] for row in rows if row["is_as_expected"] is False] == []


def test_the_memorizer_is_right_in_every_cell(swept: Path) -> None:
    cells = rows_of(
        swept,
        "select condition, numerator, denominator, n_infeasible from budget_sweep"
        " where model = 'control/memorizer' and split = 'all'",
    )
    assert len(cells) == N_CELLS
    for cell in cells:
        assert cell["numerator"] == cell["denominator"] == N_RUNNABLE - cell["n_infeasible"]
        assert cell["condition"] == "frozen_gold" or cell["n_infeasible"] == 0


def test_visible_gold_is_right_exactly_where_every_required_table_is_shown(swept: Path) -> None:
    """Its EX is the share of contexts that hold what gold needs, counted here from the packed tables."""
    cells = rows_of(
        swept,
        """
        with required as (
            select question_id, list(distinct table_number) as required_numbers
            from required_tables group by question_id
        ),
        shown as (
            select
                p.ranker, p.representation, p.budget, p.condition,
                count(*) filter (where len(list_intersect(p.table_numbers, r.required_numbers))
                    = len(r.required_numbers)) as n_shown
            from packings as p
            join required as r using (question_id)
            join questions as q using (benchmark, question_id)
            where q.has_database and not p.is_infeasible
            group by all
        )
        select s.*, n.n_shown
        from budget_sweep as s
        join shown as n using (ranker, representation, budget, condition)
        where s.model = 'control/visible-gold' and s.split = 'all'
        """,
    )
    assert len(cells) == N_CELLS
    for cell in cells:
        assert cell["numerator"] == cell["n_shown"]
        assert cell["denominator"] == N_RUNNABLE - cell["n_infeasible"]
        if cell["condition"] == "frozen_gold":
            assert cell["numerator"] == cell["denominator"]
        if cell["condition"] == "remove_gold":
            assert cell["numerator"] == 0


def test_a_fixed_set_of_tables_gives_every_representation_the_same(swept: Path) -> None:
    cells = rows_of(
        swept,
        "select ranker, budget, count(distinct numerator) as n_values, count(*) as n_cells from budget_sweep"
        " where model = 'control/visible-gold' and split = 'all' and condition = 'fixed_tables' group by all",
    )
    assert [(cell["n_values"], cell["n_cells"]) for cell in cells] == [(1, 3)] * 8


def test_every_named_table_of_the_probe_was_removed(swept: Path) -> None:
    """The memorizer names every table that it needs; the other control is never right without them."""
    rows = rows_of(
        swept,
        "select n_naming, n_correct from removal_probe where model = 'control/memorizer' and subset = 'all'",
    )
    assert rows
    assert all(row["n_naming"] == row["n_correct"] > 0 for row in rows)


@pytest.mark.parametrize("ranker", RECALL)
def test_table_recall_is_what_was_measured(swept: Path, ranker: str) -> None:
    rows = rows_of(
        swept,
        f"select budget, mean_recall from table_recall_by_budget where ranker = '{ranker}'"
        " and representation = 'raw' and condition = 'end_to_end' and split = 'all'",
    )
    found = {row["budget"]: row["mean_recall"] for row in rows}
    assert found == {budget: pytest.approx(value, abs=0.002) for budget, value in RECALL[ranker].items()}


def test_more_room_never_shows_less_of_the_ranking(swept: Path) -> None:
    """Recall grows with the budget in every ranker and representation."""
    rows = rows_of(
        swept,
        "select ranker, representation, list(mean_recall order by share) as recalls"
        " from table_recall_by_budget where condition = 'end_to_end' and split = 'all' group by all",
    )
    assert len(rows) == 12
    for row in rows:
        assert row["recalls"] == sorted(row["recalls"])
