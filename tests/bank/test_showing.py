"""`glue bank show`: a card says what is in the manifest, and what gold and distractor give."""

from __future__ import annotations

from pathlib import Path

import pytest

from glue.bank import read_manifest
from glue.bank.showing import ShownResult, question_cards, spread_over_schemas
from glue.errors import GlueError
from tests.commands import glue


def test_the_probe_parts_on_its_instance_alone() -> None:
    (card,) = question_cards(read_manifest(), ["t1a-014"])
    base, supplementary = card.results
    assert (base.instance, base.is_equal) == ("D", True)
    assert (supplementary.instance, supplementary.is_equal) == ("D′", False)
    (lacking,) = supplementary.only_in(supplementary.gold, supplementary.distractor)
    assert lacking[-1] is None


def test_a_row_that_comes_twice_is_missed_once() -> None:
    result = ShownResult("D", ["a"], [(1,), (1,), (2,)], [(2,), (1,)], is_ordered=False)
    assert result.only_in(result.gold, result.distractor) == [(1,)]
    assert not result.is_equal


def test_order_counts_where_the_question_asks_for_one() -> None:
    rows = [(1,), (2,)]
    assert ShownResult("D", ["a"], rows, rows[::-1], is_ordered=False).is_equal
    assert not ShownResult("D", ["a"], rows, rows[::-1], is_ordered=True).is_equal


def test_an_unknown_question_names_the_nearest() -> None:
    with pytest.raises(GlueError, match="no question 't1a-14'") as caught:
        list(question_cards(read_manifest(), ["t1a-14"]))
    assert caught.value.hint == "did you mean 't1a-014'?"


def test_the_card_is_printed_whole(tmp_path: Path) -> None:
    shown = glue(tmp_path, "bank", "show", "t1b-040", "t1a-033").stdout
    for words in (
        "t1b-040 · t1_b_university",
        "silent-divergence probe",
        "  - grain: One row per",
        "gold, oracle",
        "distractor, duckdb and sqlite",
        "second gold, duckdb",
        "D′: the base data, and",
        "on D: gold",
        "on D′: gold",
    ):
        assert words in shown


def test_a_sample_has_every_group_of_every_schema() -> None:
    manifest = read_manifest()
    names = spread_over_schemas(manifest, 10)
    assert names == spread_over_schemas(manifest, 10) and len(set(names)) == len(names)
    chosen = [question for question in manifest.questions if question.question_id in names]
    for db_id in {question.db_id for question in manifest.questions}:
        of_all = [question for question in manifest.questions if question.db_id == db_id]
        shown = [question for question in chosen if question.db_id == db_id]
        assert len(shown) == min(10, len(of_all))
        assert {q.category_group for q in shown} == {q.category_group for q in of_all}
