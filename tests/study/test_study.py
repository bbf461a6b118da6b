"""The budget study of a toy pool, through real execution: what both controls must give by construction.

Three databases whose tables share names, a question whose gold fails, a table too large for small budgets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glue.home import Home
from glue.landing import batch_files
from glue.study.contexts import Contexts
from tests.commands import glue, rows_of
from tests.model_server import ModelServer, model_server
from tests.study.pool import BENCHMARK, GOLDS, write_pool

pytestmark = pytest.mark.slow

N_QUESTIONS = sum(len(golds) for golds in GOLDS.values())
N_SCOREABLE = N_QUESTIONS - 1
GRID = ("--ranker", "lexical")
FEW = (*GRID, "--representation", "raw", "--budget", "tiny", "--budget", "large", "--condition", "end_to_end")
MODEL = "openai/test"


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pool under study: both controls in all 48 lexical cells, and the memorizer in one bare cell."""
    root = tmp_path_factory.mktemp("studied")
    glue(root, *write_pool(root))
    missing = glue(root, "run", "--study", "budget", "--benchmark", BENCHMARK, is_failure_expected=True)
    assert f"toy has no ranking of {N_QUESTIONS} questions by ranker dense" in missing.stderr
    assert "glue embed --encoder" in missing.stderr
    bare = ("generate", "--model", "control/memorizer", "--model", "control/visible-gold")
    glue(root, *bare, "--benchmark", BENCHMARK, "--setting", "lexical-raw-*-end_to_end-bare")
    finished = glue(root, "run", "--study", "budget", "--benchmark", BENCHMARK, *GRID)
    assert "control/memorizer on toy: 48 sets" in finished.stdout
    printed = [re.split(r"\s{2,}", line.strip()) for line in finished.stdout.splitlines()]
    assert ["n_questions", "tiny", "small", "medium", "large"] in [row[-5:] for row in printed]
    shown = {tuple(row[:5]) for row in printed}
    assert ("control/visible-gold", "frozen_gold", "prefixed", "lexical", "hybrid") in shown
    return root


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def values(root: Path, model: str, metric: str = "ex_set_namespace") -> list[dict[str, Any]]:
    """The value of each cell over all questions."""
    found = rows_of(
        root,
        "select c.condition, v.numerator::bigint as numerator, v.denominator"
        " from metric_values as v join cell_sets as c using (prediction_set, benchmark)"
        f" where c.model = '{model}' and v.metric = '{metric}' and v.slice_by = 'all'",
    )
    assert len(found) == 48 - n_empty_cells(root) + 4
    return found


def n_empty_cells(root: Path) -> int:
    """Cells in which no scoreable question could be asked, and which so have no value."""
    cells = rows_of(
        root,
        "select setting, bool_and(outcome in ('infeasible', 'gold_failed')) as is_empty"
        " from execution_match join cell_sets using (prediction_set, benchmark)"
        " where model = 'control/memorizer' group by setting",
    )
    return sum(cell["is_empty"] for cell in cells)


@pytest.mark.parametrize("metric", ["ex", "ex_set", "ex_set_namespace", "ex_namespace"])
def test_the_memorizer_is_right_in_every_cell_wherever_gold_is_scoreable(studied: Path, metric: str) -> None:
    for row in values(studied, "control/memorizer", metric):
        assert row["numerator"] == row["denominator"] > 0
        if row["condition"] != "frozen_gold":
            assert row["denominator"] == N_SCOREABLE


def test_visible_gold_is_right_exactly_where_every_required_table_is_shown(studied: Path) -> None:
    """The share of questions whose context holds what gold needs, counted here from the packed tables."""
    rows = rows_of(
        studied,
        """
        with shown as (
            select c.setting, r.question_id, count(*) as n_required, count(p.table_key) as n_shown
            from cells as c
            cross join required_tables as r
            left join packed_tables as p
                on c.ranker = p.ranker and c.representation = p.representation and c.budget = p.budget
                and c.condition = p.condition and r.question_id = p.question_id and r.db_id = p.db_id
                and r.table_key = p.table_key
            where c.ranker = 'lexical'
            group by c.setting, r.question_id
        )
        select s.setting, s.condition, e.question_id, e.outcome, n_required = n_shown as is_shown
        from execution_match as e
        join cell_sets as s using (prediction_set, benchmark)
        left join shown using (setting, question_id)
        where s.model = 'control/visible-gold'
        """,
    )
    judged = [row for row in rows if row["outcome"] not in ("gold_failed", "infeasible")]
    assert len(judged) > 300
    assert all((row["outcome"] == "match") == row["is_shown"] for row in judged)
    assert {row["outcome"] for row in judged} == {"match", "empty"}
    by_condition = {
        name: [row for row in judged if row["condition"] == name]
        for name in ("frozen_gold", "remove_gold", "end_to_end")
    }
    assert all(row["outcome"] == "match" for row in by_condition["frozen_gold"])
    assert all(row["outcome"] == "empty" for row in by_condition["remove_gold"])
    assert {row["outcome"] for row in by_condition["end_to_end"]} == {"match", "empty"}


def test_what_does_not_fit_is_not_asked_and_counts_nowhere(studied: Path) -> None:
    rows = rows_of(
        studied,
        "select e.prediction_set, e.question_id, e.reason, p.is_infeasible from execution_match as e"
        " join cell_sets as s using (prediction_set, benchmark)"
        " join packings as p on p.question_id = e.question_id and p.ranker = s.ranker and p.budget = s.budget"
        " and p.representation = s.representation and p.condition = s.condition"
        " where e.outcome = 'infeasible' or p.is_infeasible",
    )
    assert rows and all(row["is_infeasible"] and row["reason"] == "over_cap" for row in rows)
    asked = rows_of(studied, "select prediction_set, question_id from requests")
    assert not {tuple(row.values()) for row in asked} & {
        (row["prediction_set"], row["question_id"]) for row in rows
    }
    counted = rows_of(
        studied,
        "select prediction_set, question_id from question_scores where protocol = 'budget_schema_bench'",
    )
    assert not {tuple(row.values()) for row in counted} & {
        (row["prediction_set"], row["question_id"]) for row in rows
    }


def test_contrasts_of_a_cell_have_the_same_questions_and_none_that_is_infeasible_anywhere(
    studied: Path,
) -> None:
    contrasts = rows_of(
        studied,
        "select a.ranker, a.budget, a.condition, a.naming, a.model, c.n_questions from metric_contrasts as c"
        " join cell_sets as a on c.set_a = a.prediction_set where contrast_family = 'representation'",
    )
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in contrasts:
        key = (row["model"], row["ranker"], row["budget"], row["condition"], row["naming"])
        groups.setdefault(key, []).append(row["n_questions"])
    assert groups and all(len(counts) == 3 and len(set(counts)) == 1 for counts in groups.values())
    expected = {
        row["budget"]: row["n"]
        for row in rows_of(
            studied,
            "select budget, count(*) as n from (select budget, question_id from packings"
            " join question_splits using (benchmark, question_id) join question_scoreability using"
            " (benchmark, question_id) where ranker = 'lexical' and condition = 'frozen_gold'"
            " and is_scoreable and split = 'held_out' group by all having not bool_or(is_infeasible))"
            " group by budget",
        )
    }
    for (_, _, budget, condition, _), counts in groups.items():
        if condition == "frozen_gold":
            assert counts[0] == expected[budget]


def test_the_gain_of_a_budget_is_that_of_coverage(studied: Path) -> None:
    rows = rows_of(
        studied,
        "select model, condition, difference from metric_contrasts as c"
        " join cell_sets as a on c.set_a = a.prediction_set where contrast_family = 'budget_gain'",
    )
    gains = {
        model: [row for row in rows if row["model"] == model] for model in {row["model"] for row in rows}
    }
    assert all(row["difference"] == 0 for row in gains["control/memorizer"])
    end_to_end = [row for row in gains["control/visible-gold"] if row["condition"] == "end_to_end"]
    assert len(end_to_end) == 3 + 1 and all(row["difference"] > 0 for row in end_to_end)


def test_hundreds_of_sets_stand_on_no_leaderboard_of_others(studied: Path) -> None:
    rows = rows_of(studied, "select protocol, slice_by, prediction_set from metric_values")
    assert {row["protocol"] for row in rows} == {"budget_schema_bench"}
    assert {row["slice_by"] for row in rows} == {"all", "split", "collision_stratum"}


def test_equal_work_of_cells_is_done_once(studied: Path) -> None:
    """96 sets and 8 bare ones: a memorizer answers a question once for each naming."""
    (counts,) = rows_of(
        studied,
        "select count(*) as n, count(distinct request_id) filter (where model = 'control/memorizer')"
        " as memorized, count(distinct request_id) as n_distinct from requests",
    )
    answered = rows_of(studied, "select request_id from stg_responses")
    assert counts["memorized"] == 2 * N_QUESTIONS and counts["n"] > 1000
    assert len(answered) == counts["n_distinct"] <= 4 * N_QUESTIONS + N_QUESTIONS
    assert len(batch_files(Home(studied), "responses")) <= 2


def test_a_second_run_does_nothing_anew(studied: Path) -> None:
    before = rows_of(studied, "select count(*) as n from stg_responses")
    again = glue(studied, "run", "--study", "budget", "--benchmark", BENCHMARK, *GRID)
    assert "nothing was pending" in again.stdout
    assert rows_of(studied, "select count(*) as n from stg_responses") == before


def test_a_model_is_sent_the_schema_and_shares_what_is_equal(studied: Path, server: ModelServer) -> None:
    """Two samples, eight cells: equal prompts go out once, and each text is what `cell_messages` says."""
    server.plan()
    asking = (
        "--model",
        MODEL,
        "--api-base",
        server.url,
        "--samples",
        "2",
        "--temperature",
        "1",
        "--sample",
        "4",
    )
    fixed = ("--condition", "fixed_tables", "--representation", "enriched")
    study = ("run", "--study", "budget", "--benchmark", BENCHMARK, *FEW, *fixed, *asking)
    plan = glue(studied, *study, "--price-in", "1", "--price-out", "1", "--plan").stdout
    found = re.search(r"all 8 sets: 64 requests; 0 are answered; to send now (\d+) distinct", plan)
    assert found is not None, plan
    n_distinct = int(found[1])
    assert n_distinct < 64  # enriched: what is fixed is what fits
    glue(studied, *study)
    sent = server.seen()
    assert len(sent) == n_distinct
    messages = rows_of(studied, "select messages, context_id, schema_text, setting from cell_messages")
    assert len(messages) == 8 * 4
    asked = {request["text"] for request in sent}
    for row in messages:
        assert row["context_id"] not in row["messages"]
        assert any(row["schema_text"] in text for text in asked)
    assert any("CREATE TABLE shop__customer" in text for text in asked)
    assert not any(row["context_id"] in text for row in messages for text in asked)
    again = glue(studied, *study, "--plan").stdout
    assert "to send now 0 distinct" in again and "64 are answered" in again
    spread = rows_of(
        studied,
        "select n_samples_least, n_questions from decode_variances where metric = 'ex_set_namespace'"
        " and not ends_with(prediction_set, '/majority')",
    )
    assert spread and all(row["n_samples_least"] == 2 for row in spread)


def test_the_slice_is_held_out_and_the_same_in_every_cell(studied: Path) -> None:
    rows = rows_of(
        studied,
        "select prediction_set, list(question_id order by question_id) as ids,"
        " bool_and(split = 'held_out') as h"
        " from run_questions join question_splits using (benchmark, question_id)"
        " where contains(prediction_set, 'sample-4') group by prediction_set",
    )
    assert len(rows) == 8 and all(row["h"] for row in rows)
    assert len({tuple(row["ids"]) for row in rows}) == 1 and len(rows[0]["ids"]) == 4
    (held_out,) = rows_of(studied, "select count(*)::int as n from study_questions where split = 'held_out'")
    plan = glue(
        studied, "run", "--study", "budget", "--benchmark", BENCHMARK, *FEW, "--sample", "99", "--plan"
    )
    assert f"all 4 sets: {4 * held_out['n']} requests" in plan.stdout and "/sample-99" in plan.stdout


def test_what_is_sent_is_put_together_as_the_warehouse_shows_it(studied: Path) -> None:
    """Texts joined in Python and in SQL are the same."""
    glue(
        studied,
        "generate",
        "--model",
        MODEL,
        "--benchmark",
        BENCHMARK,
        "--setting",
        "lexical-*-large-remove_gold*",
        "--plan",
    )
    glue(studied, "build")
    rows = rows_of(
        studied, "select context_id, schema_text from cell_messages where setting like '%remove_gold%'"
    )
    contexts = Contexts(Home(studied))
    assert len(rows) > 60
    assert all(contexts.schema_text(row["context_id"]) == row["schema_text"] for row in rows)
