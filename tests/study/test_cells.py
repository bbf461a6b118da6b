"""Which cells a command means: by name, by pattern, by factor; and what is said of one that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from glue.build import project_directory
from glue.errors import GlueError
from glue.generate_runs import chosen_settings, is_cell
from glue.home import Home
from glue.study.cells import Grid, all_cells, cells_of, encoders_of
from glue.study.rankings import missing_rankings
from glue.study.registry import check_studied, register, studied_benchmarks
from tests.commands import glue

PROJECT = project_directory()


def test_every_cell_has_a_name_of_its_own() -> None:
    names = [cell.setting for cell in all_cells(PROJECT)]
    assert len(names) == len(set(names)) == 4 * 3 * 4 * 4 * 2
    assert "lexical-raw-tiny-end_to_end" in names and "dense-hybrid-large-fixed_tables-bare" in names


def test_the_sweep_is_the_papers_rankers_under_prefixed_names() -> None:
    swept = cells_of(Grid(), PROJECT)
    assert len(swept) == 2 * 3 * 4 * 4
    assert {cell.ranker for cell in swept} == {"lexical", "dense"}
    assert {cell.naming for cell in swept} == {"prefixed"}


def test_a_grid_has_the_levels_that_are_named_in_the_order_of_the_seeds() -> None:
    grid = Grid(
        rankers=("lexical",),
        representations=("raw",),
        budgets=("large", "tiny"),
        conditions=("frozen_gold",),
        namings=("bare",),
    )
    assert [cell.setting for cell in cells_of(grid, PROJECT)] == [
        "lexical-raw-tiny-frozen_gold-bare",
        "lexical-raw-large-frozen_gold-bare",
    ]


@pytest.mark.parametrize(
    ("grid", "message", "hint"),
    [
        (Grid(rankers=("lexcal",)), "no ranker 'lexcal'", "did you mean lexical?"),
        (Grid(budgets=("huge",)), "no budget 'huge'", "budgets: tiny, small, medium, large"),
        (Grid(namings=("prefix",)), "no naming 'prefix'", "did you mean prefixed?"),
    ],
)
def test_an_unknown_level_names_the_nearest(grid: Grid, message: str, hint: str) -> None:
    with pytest.raises(GlueError, match=message) as caught:
        cells_of(grid, PROJECT)
    assert caught.value.hint == hint


def test_settings_are_chosen_by_name_and_by_pattern_each_once() -> None:
    texts = ("zero_shot", "lexical-raw-*-end_to_end", "lexical-raw-tiny-*", "lexical-raw-tiny-end_to_end")
    chosen = chosen_settings(texts, PROJECT)
    assert chosen[0] == "zero_shot"
    assert len(chosen) == len(set(chosen)) == 1 + 4 + (4 + 4 - 1)
    assert [is_cell(setting, PROJECT) for setting in chosen] == [False] + [True] * 11


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "lexical-raw-tini-end_to_end",
            "there is no prompt setting 'lexical-raw-tini-end_to_end'",
            "did you mean lexical-raw-tiny-end_to_end?",
        ),
        ("zero_shto", "there is no prompt setting 'zero_shto'", "did you mean zero_shot?"),
        ("zzz*", "no prompt setting fits 'zzz\\*'", "or a cell such as lexical-raw-tiny-end_to_end"),
    ],
)
def test_an_unknown_setting_names_the_nearest(text: str, message: str, hint: str) -> None:
    with pytest.raises(GlueError, match=message) as caught:
        chosen_settings([text], PROJECT)
    assert hint in str(caught.value.hint)


def test_only_dense_rankers_need_an_encoder() -> None:
    assert encoders_of(cells_of(Grid(rankers=("lexical",)), PROJECT), PROJECT) == {}
    assert list(encoders_of(cells_of(Grid(), PROJECT), PROJECT).values()) == [["dense"]]


def test_a_missing_ranking_says_what_mends_it() -> None:
    error = missing_rankings(
        {"dense-raw-tiny-end_to_end": 7, "dense-raw-large-end_to_end": 9}, "shop", PROJECT
    )
    assert error.message == "shop has no ranking of 9 questions by ranker dense"
    (encoder,) = encoders_of(cells_of(Grid(rankers=("dense",)), PROJECT), PROJECT)
    assert f"glue embed --encoder {encoder} --benchmark shop" in str(error.hint)
    error = missing_rankings({"lexical-raw-tiny-end_to_end": 7}, "shop", PROJECT)
    assert "pooled_tables" in str(error.hint)


def test_a_benchmark_is_put_under_study_once(home: Home) -> None:
    with pytest.raises(GlueError, match="a cell of the budget study, and shop is not under study") as caught:
        check_studied(home, "shop", "lexical-raw-tiny-end_to_end")
    assert caught.value.hint == "put it under study: glue run --study budget --benchmark shop --plan"
    assert register(home, "shop") and not register(home, "shop")
    check_studied(home, "shop", "lexical-raw-tiny-end_to_end")
    assert studied_benchmarks(home) == {"shop"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give --predictions FILE, or --study budget"),
        (("--predictions", "p.json", "--study", "budget"), "give --predictions FILE, or --study budget"),
        (("--predictions", "p.json", "--ranker", "lexical"), "--ranker is for a study: say --study budget"),
        (("--study", "budget", "--pair", "id"), "--pair is for a prediction file, not for a study"),
    ],
)
def test_a_run_is_of_a_file_or_of_a_study(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    failed = glue(tmp_path, "run", "--benchmark", "shop", *arguments, is_failure_expected=True)
    assert (failed.returncode, told in failed.stderr) == (2, True), failed.stderr
