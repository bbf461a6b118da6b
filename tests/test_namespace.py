"""Statements in the union namespace, by the real commands: what is run, what counts, and gold invariance.

Paper: BudgetSchemaBench, section 3 (the contract), section 4 (invariance), appendix A (bare names).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glue.home import Home
from glue.study.registry import register
from tests.commands import glue, rows_of, run_dbt
from tests.execution_helpers import duckdb_database, sqlite_database

pytestmark = pytest.mark.slow

PEOPLE = """
create table person (id integer primary key, name varchar, town integer);
insert into person values (1, 'Ann', 1), (2, 'Bo', 1), (3, 'Cy', 2);
"""
TOWN = """
create table town (id integer primary key, name varchar);
insert into town values (1, 'Ulm'), (2, 'Pau');
"""
SCRIPTS = {
    "north": PEOPLE + TOWN,
    "south": PEOPLE + 'create table "odd name" (id integer); insert into "odd name" values (7), (8);',
}
QUESTIONS = [
    ("people", "north", "select count(*) from person"),
    (
        "towns",
        "north",
        "select town.name from town join person on person.town = town.id where person.name = 'Cy'",
    ),
    ("shadow", "north", "with town as (select name from person) select name from town order by name"),
    ("odd", "south", 'select max("odd name".id) from "odd name"'),
]
ANSWERS = {
    "prefixed": {
        "people": "select count(*) from south__person",  # right, by another database
        "towns": "select name from NORTH__town where id = 2",
        "shadow": "select name from person order by 1",  # not a name of the union
        "odd": 'select id from "south__odd name" join north__town using (id)',  # wrong, and outside
    },
    "bare": {
        "people": "select count(*) from {north_person}",
        "towns": "select town.name from town, {south_person} as p where p.town = town.id and p.id = 3",
        "shadow": "select name from {north_person} order by name",
        "odd": 'select max(id) from "odd name"',
    },
}


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def warehouse(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two databases that both have a `person`, four questions, a prediction set by each naming."""
    engine = str(request.param)
    home = tmp_path_factory.mktemp(f"namespace_{engine}")
    make = {"sqlite": sqlite_database, "duckdb": duckdb_database}[engine]
    for name, script in SCRIPTS.items():
        (home / "databases").mkdir(exist_ok=True)
        make(home / "databases" / f"{name}.{engine}", script)
    (home / "questions.jsonl").write_text(
        "\n".join(
            json.dumps({"question_id": key, "db_id": db_id, "question": f"{key}?", "golds": sql})
            for key, db_id, sql in QUESTIONS
        )
    )
    glue(
        home,
        *("import", "jsonl", "--name", "two", "--questions", home / "questions.jsonl"),
        *("--databases", home / "databases"),
    )
    register(Home(home), "two")
    run_dbt(home, "+pooled_tables")
    bare = {
        f"{row['db_id']}_{row['table_key']}": row["bare_name"]
        for row in rows_of(home, "select db_id, table_key, bare_name from pooled_tables")
    }
    assert {bare["north_person"], bare["south_person"]} == {"person_1", "person_2"}
    for naming, answers in ANSWERS.items():
        rows = [{"question_id": key, "sql": sql.format(**bare)} for key, sql in answers.items()]
        _import(home, naming, rows, "--namespace", naming)
    _import(home, "plain", [{"question_id": key, "sql": sql} for key, _, sql in QUESTIONS])
    glue(home, "execute")
    run_dbt(home, "+question_scores", "+namespace_changes", "+tables_outside_gold", "+gold_invariance")
    return home


def _import(home: Path, name: str, rows: list[dict[str, str]], *options: str) -> None:
    path = home / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    glue(home, "import", "predictions", path, "--benchmark", "two", "--name", name, *options)


def by_question(home: Path, columns: str, prediction_set: str) -> dict[str, tuple[Any, ...]]:
    rows = rows_of(
        home,
        f"select question_id, {columns} from prediction_verdicts as verdicts"
        " left join score_namespace using (prediction_id)"
        f" where prediction_set = '{prediction_set}'",
    )
    return {row.pop("question_id"): tuple(row.values()) for row in rows}


def test_prefixed_answers_are_held_to_golds_database(warehouse: Path) -> None:
    assert by_question(warehouse, "reason, ex_set, ex_set_namespace, n_tables_outside", "prefixed") == {
        "people": ("match", True, False, 1),
        "towns": ("match", True, True, 0),
        "shadow": ("unknown_table", False, False, 1),
        "odd": ("empty_result", False, False, 1),
    }


def test_bare_answers_are_translated_before_they_run(warehouse: Path) -> None:
    assert by_question(warehouse, "reason, ex_set, ex_set_namespace, n_tables_outside", "bare") == {
        "people": ("match", True, True, 0),
        "towns": ("match", True, False, 1),
        "shadow": ("match", True, True, 0),
        "odd": ("match", True, True, 0),
    }
    translated = rows_of(
        warehouse,
        "select question_id, answer_sql, union_sql, unknown_names from translated_answers"
        " where prediction_set = 'bare' and question_id = 'odd'",
    )
    assert translated == [
        {
            "question_id": "odd",
            "answer_sql": 'select max(id) from "odd name"',
            "union_sql": 'select max(id) from "south__odd name" AS "odd name"',
            "unknown_names": [],
        }
    ]


def test_plain_answers_run_as_ever(warehouse: Path) -> None:
    assert set(by_question(warehouse, "ex, ex_set_namespace", "plain").values()) == {(True, None)}
    engines = rows_of(
        warehouse,
        "select distinct statements.engine, predictions.namespace from predictions"
        " inner join statements using (statement_id) where prediction_set = 'plain'",
    )
    assert [row["namespace"] for row in engines] == [None]
    assert not engines[0]["engine"].endswith("_union")


def test_only_namespaced_sets_have_the_metric(warehouse: Path) -> None:
    values = rows_of(
        warehouse,
        "select prediction_set, metric, avg(numerator) as value, count(*) as n from question_scores"
        " where protocol = 'evalhouse' and metric in ('ex_set_namespace', 'ex_namespace')"
        " group by all order by all",
    )
    assert [(row["prediction_set"], row["metric"], row["value"], row["n"]) for row in values] == [
        ("bare", "ex_namespace", 0.75, 4),
        ("bare", "ex_set_namespace", 0.75, 4),
        ("prefixed", "ex_namespace", 0.25, 4),
        ("prefixed", "ex_set_namespace", 0.25, 4),
    ]


def test_changes_are_counted_and_listed(warehouse: Path) -> None:
    changes = rows_of(
        warehouse,
        "select prediction_set, n_judged, n_reading_outside, n_ex_set, n_changed_ex_set"
        " from namespace_changes order by prediction_set",
    )
    assert [tuple(row.values()) for row in changes] == [("bare", 4, 1, 4, 1), ("prefixed", 4, 3, 2, 1)]
    listed = rows_of(
        warehouse,
        "select prediction_set, question_id, table_read, db_id, is_changed_ex_set from tables_outside_gold"
        " order by all",
    )
    bare_person = rows_of(
        warehouse, "select bare_name from pooled_tables where prefixed_name = 'south__person'"
    )
    assert [tuple(row.values()) for row in listed] == [
        ("bare", "towns", bare_person[0]["bare_name"], "south", True),
        ("prefixed", "odd", "north__town", "north", False),
        ("prefixed", "people", "south__person", "south", True),
        ("prefixed", "shadow", "person", None, False),
    ]


def test_exact_match_is_with_gold_in_the_union(warehouse: Path) -> None:
    rows = rows_of(
        warehouse,
        "select question_id, em from score_exact_match inner join predictions using (prediction_id)"
        " where prediction_set = 'bare' order by question_id",
    )
    assert {row["question_id"]: row["em"] for row in rows}["people"] is True


def test_every_gold_gives_the_same_in_the_union(warehouse: Path) -> None:
    (row,) = rows_of(warehouse, "select * exclude (benchmark, gold_edition) from gold_invariance")
    assert row == {
        "n_golds": 4,
        "n_executable": 4,
        "n_same": 4,
        "n_different": 0,
        "n_not_rewritten": 0,
        "n_not_run": 0,
        "share_same": 1.0,
    }


def test_another_database_in_the_pool_runs_nothing_again(warehouse: Path) -> None:
    """A statement's key holds the databases that it mentions, and no others."""
    unions = rows_of(
        warehouse,
        "select distinct naming, db_ids, union_id from union_statements order by naming, db_ids, union_id",
    )
    assert {tuple(row["db_ids"]) for row in unions if row["naming"] == "own"} == {("north",), ("south",)}
    assert len({tuple(row["db_ids"]) for row in unions}) == len({row["union_id"] for row in unions})


def test_every_executable_gold_of_bird_and_spider_is_invariant(shared_data: Path, tmp_path: Path) -> None:
    """BudgetSchemaBench section 4 has 1,532 of 1,532 on all of BIRD; 595 and Spider's 1,034 are at hand."""
    home = tmp_path / "home"
    home.mkdir()
    bird, spider = shared_data / "bird", shared_data / "spider"
    glue(
        home,
        *("import", "bird", "--name", "bird", "--questions", bird / "meta" / "dev.json"),
        *("--tables", bird / "meta" / "dev_tables.json", "--databases", bird / "databases"),
    )
    glue(
        home,
        *("import", "spider", "--name", "spider", "--questions", spider / "meta" / "dev.json"),
        *("--tables", spider / "meta" / "tables.json", "--databases", spider / "databases_rebuilt"),
    )
    for benchmark in ("bird", "spider"):
        register(Home(home), benchmark)
    glue(home, "execute")
    run_dbt(home, "union_gold_outcomes", "gold_invariance", "gold_invariance_exceptions")
    assert (
        rows_of(home, "select question_id, status, union_error_message from gold_invariance_exceptions") == []
    )
    counts = rows_of(
        home,
        "select benchmark, n_golds, n_executable, n_same, n_not_run from gold_invariance order by benchmark",
    )
    assert [tuple(row.values()) for row in counts] == [
        ("bird", 1_534, 595, 595, 0),
        ("spider", 1_034, 1_034, 1_034, 0),
    ]
