"""What is wrong with a history study is told before anything is registered or built."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest

from glue.build import project_directory
from glue.errors import GlueError
from glue.home import Home
from glue.importers.common import land
from glue.importers.landed import landed_benchmark
from glue.importers.predictions import read_predictions
from glue.importers.query_logs import read_query_log
from glue.progress import Silent
from glue.study.drafting import exported_tasks
from glue.study.export import exported_shots
from glue.study.history import HistoryStudy, _registration, plan_history
from glue.study.registry import HistoryOptions, check_answers, register_history, registered_history
from glue.study.shots import retrieval_of
from tests.history_files import LOG, PAST, import_past


@pytest.fixture(autouse=True)
def _past(home: Home) -> None:
    import_past(home)


@pytest.mark.parametrize("given", [{"quality_set": "best"}, {"preliminary_set": "first"}])
def test_a_set_without_answers_is_not_registered(home: Home, given: dict[str, Any]) -> None:
    with pytest.raises(GlueError, match="has no answer to past"):
        plan_history(home, HistoryStudy(PAST, **given), Silent(), command="")
    assert registered_history(home, PAST) is None


@pytest.mark.parametrize(
    ("given", "told"),
    [({"name": ""}, "--name: '' is no name"), ({"history": ""}, "there is no history ''")],
)
def test_a_name_that_is_none_is_not_taken_for_none_given(
    home: Home, given: dict[str, Any], told: str
) -> None:
    with pytest.raises(GlueError, match=told):
        plan_history(home, HistoryStudy(PAST, **given), Silent(), command="")
    assert registered_history(home, PAST) is None


@pytest.mark.parametrize(
    "given", [{"models": ("nonsense",)}, {"models": ("control/gold",)}, {"describe_model": ""}]
)
def test_a_model_that_cannot_be_asked_registers_nothing(home: Home, given: dict[str, Any]) -> None:
    with pytest.raises(GlueError, match=r"knows no provider|is shown no prompt"):
        plan_history(home, HistoryStudy(PAST, **given), Silent(), command="")
    assert registered_history(home, PAST) is None


def test_a_set_that_has_landed_may_be_leant_on(home: Home) -> None:
    answers = home.root / "answers.json"
    answers.write_text(json.dumps([{"question_id": 0, "sql": "SELECT 1"}]))
    land(home, read_predictions(answers, landed_benchmark(home, PAST), "best"))
    check_answers(home, "best", PAST)
    with pytest.raises(GlueError) as raised:
        check_answers(home, "bess", PAST)
    assert raised.value.hint == "did you mean 'best'?"


def test_another_history_keeps_what_is_not_about_it(home: Home) -> None:
    land(home, read_query_log(home, LOG, "log", PAST))
    of_past = HistoryOptions(PAST, quality_set="best", encoder="minilm", as_of="2026-03-01")
    register_history(home, PAST, of_past)
    expected = HistoryOptions("log", encoder="minilm", as_of="2026-03-01T00:00:00+00:00")
    assert _registration(home, HistoryStudy(PAST, history="log")) == expected


def test_a_time_beyond_what_can_be_held_is_told(home: Home) -> None:
    with pytest.raises(GlueError, match="that is no time"):
        register_history(home, PAST, HistoryOptions(PAST, as_of="0001-01-01T00:00:00+05:00"))


def test_tasks_of_an_unknown_benchmark_are_told(home: Home) -> None:
    with pytest.raises(GlueError, match="there is no benchmark 'pasts'"):
        exported_tasks(home, "pasts", Silent())


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("mqs-0.60-3", "mqs-0.6-3"),
        ("q_c-0.5-dynamic-unasked", "q_c-0.5-dynamic-unasked"),
        ("q_c_model-0.6-3", "q_c_model-3"),
        ("gold-0.6-dynamic", "gold-dynamic"),
        ("none-0.6-3", "none"),
    ],
)
def test_a_setting_has_one_spelling(text: str, setting: str) -> None:
    assert retrieval_of(text, project_directory()).setting == setting


@pytest.mark.parametrize("text", ["mqs-0.00001-3", "mqs-0.55-3", "mqs-0.6-6"])
def test_what_is_not_measured_is_told(text: str) -> None:
    with pytest.raises(GlueError, match="retrieval is not measured at the"):
        retrieval_of(text, project_directory())


@pytest.mark.parametrize("text", ["mqs-0.6-0", "mqs-0.6-03", "mqs-0.6-3-x", ""])
def test_what_is_no_setting_is_told(text: str) -> None:
    with pytest.raises(GlueError, match="no setting of retrieval"):
        retrieval_of(text, project_directory())


def test_a_retriever_that_lacks_what_it_leans_on_is_told(home: Home) -> None:
    register_history(home, PAST, HistoryOptions(PAST))
    with duckdb.connect(str(home.warehouse)) as warehouse:
        warehouse.execute(_TABLES)
    assert [task["shots"] for task in exported_shots(home, PAST, "mqs-0.9-3")] == [[]]
    with pytest.raises(GlueError, match="mqs_filter finds nothing before") as raised:
        exported_shots(home, PAST, "mqs_filter-0.6-3")
    assert "--quality-set" in (raised.value.hint or "")
    with pytest.raises(GlueError, match="q_c_model has retrieved nothing for past") as raised:
        exported_shots(home, PAST, "q_c_model-3")
    assert "--model" in (raised.value.hint or "")


_TABLES = """
    create table retrievers as select unnest(['mqs', 'q_c_model']) as retriever, true as uses_threshold,
        10 as n_most;
    create table history_tasks as select 'past/history' as task_set, '1' as question_id, 'clinic' as db_id,
        'Who smokes?' as question, 0 as question_position, 'past' as history;
    create table history_candidates as select 'past/history' as task_set, '1' as question_id,
        'mqs' as retriever, true as uses_questions, 1 as rank, '2' as history_query_id, 0.7 as score,
        0.7 as whole_score, ['x'] as item_ids, [0.7] as item_scores;
    create table script_components as select 'past' as history, 'clinic' as db_id, '2' as history_query_id,
        'x' as item_id, 1 as component_number, 'condition' as knowledge_type, 'a = 1' as sql_substring,
        'a=<val>' as published_skeleton;
    create table history_component_lines as select 'past' as history, '2' as history_query_id, 'x' as item_id,
        'a' as description;
    create table script_descriptions as select 'past' as history, '2' as history_query_id,
        'one' as description;
    create table history_queries as select 'past' as history, '2' as history_query_id, 'SELECT 1' as sql,
        'One?' as question;
"""
