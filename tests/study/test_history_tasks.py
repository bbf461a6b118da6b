"""Histories and their tasks from file to model: a clinic and a library by hand, and all of BIRD dev.

What the toy must give is counted by hand from tests/importers/history.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glue.build import refresh
from glue.errors import GlueError
from glue.home import Home
from glue.progress import Silent
from glue.run import ExecuteOptions
from glue.study.history import HistorySteps, HistoryStudy, plan_history, run_history
from glue.study.registry import (
    HistoryOptions,
    default_history,
    register,
    register_history,
    registered_history,
    studied_benchmarks,
)
from tests.commands import glue, rows_of
from tests.history_files import LOG, PAST, REVIEWS, TASKS, import_past

pytestmark = pytest.mark.slow

TARGETS = ("history_tasks", "derived_history_tasks", "unmatched_history_keys")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The tasks, the log and the reviews, imported as a person would; all of it under study."""
    root = tmp_path_factory.mktemp("toy")
    import_past(Home(root))
    glue(root, "import", "bird-history", TASKS, "--history", PAST, "--benchmark", "tasks")
    glue(root, "import", "history", LOG, "--name", "log", "--benchmark", PAST)
    glue(root, "import", "reviews", REVIEWS, "--benchmark", "tasks")
    home = Home(root)
    assert register_history(home, "tasks", default_history(home, "tasks"))
    assert register_history(home, PAST, HistoryOptions(PAST))
    build(home)
    refresh(home, "stg_task_reviews")
    return home


def build(home: Home) -> None:
    for target in TARGETS:
        refresh(home, target)


def items(home: Home, task_set: str) -> dict[str, list[tuple[str | None, str, list[str]]]]:
    """The items of each task: type, skeleton, and the queries that hold it."""
    rows = rows_of(
        home.root,
        "select question_id, knowledge_type, skeleton, history_query_ids from history_task_items"
        f" where task_set = '{task_set}' order by question_id, knowledge_type, skeleton",
    )
    found: dict[str, list[tuple[str | None, str, list[str]]]] = {}
    for row in rows:
        item = (row["knowledge_type"], row["skeleton"], row["history_query_ids"])
        found.setdefault(row["question_id"], []).append(item)
    return found


def test_published_keys_become_items_of_their_tasks(toy: Home) -> None:
    found = items(toy, "tasks/history")
    assert found["101"] == [
        ("condition", "patient.is_smoker = <val>", ["0", "5"]),
        ("output", "order by patient.born desc limit <val>", ["3"]),
    ]
    assert {task: len(held) for task, held in found.items()} == {"100": 4, "101": 2, "102": 4}
    tasks = rows_of(toy.root, "from history_tasks where task_set = 'tasks/history' order by question_id")
    assert [(row["n_items"], row["n_types"], row["own_query_id"]) for row in tasks] == [
        (4, 3, None),
        (2, 2, None),
        (4, 3, None),
    ]


def test_a_key_that_its_queries_lack_is_listed_and_stays_an_item(toy: Home) -> None:
    (unmatched,) = rows_of(toy.root, "from unmatched_history_keys")
    assert unmatched["knowledge_key"] == "loan.due < '<val>'"
    assert (unmatched["question_id"], unmatched["reason"]) == ("102", "no_such_item")
    assert ("condition", "loan.due < <val>", ["8"]) in items(toy, "tasks/history")["102"]


def test_held_out_questions_are_labelled_with_the_other_queries(toy: Home) -> None:
    found = items(toy, "past/history")
    smokers = [
        ("calculation", "count(*)"),
        ("condition", "patient.is_smoker = <val>"),
        ("full_sql", "select count(*) from patient where patient.is_smoker = <val>"),
    ]
    assert found == {
        "0": [(*item, ["5"]) for item in smokers],
        "5": [(*item, ["0"]) for item in smokers],
        "2": [
            ("condition", "doctor.ward = <val>", ["4"]),
            ("relation", "from doctor join visit on doctor.id = visit.doctor_id", ["4"]),
        ],
        "4": [
            ("condition", "doctor.ward = <val>", ["2"]),
            ("relation", "from doctor join visit on doctor.id = visit.doctor_id", ["2"]),
        ],
        "6": [("relation", "from book join loan on book.id = loan.book_id", ["7"])],
        "7": [("relation", "from book join loan on book.id = loan.book_id", ["6"])],
    }
    derived = rows_of(toy.root, "from derived_history_tasks where task_set = 'past/history'")
    assert {row["question_id"]: row["n_items"] for row in derived} == {
        task: len(held) for task, held in found.items()
    }
    assert {row["own_query_id"] for row in derived} == set(found)


def test_published_tasks_have_derived_labels_beside_them(toy: Home) -> None:
    derived = rows_of(
        toy.root,
        "select question_id, skeleton, history_query_ids from derived_task_items"
        " where task_set = 'tasks/history' and question_id = '101'",
    )
    assert derived == [
        {"question_id": "101", "skeleton": "patient.is_smoker = <val>", "history_query_ids": ["0", "5"]}
    ]


def test_the_newest_registration_counts_and_a_log_is_filtered(toy: Home) -> None:
    of_log = HistoryOptions("log")
    assert register_history(toy, PAST, of_log)
    assert not register_history(toy, PAST, of_log)
    assert registered_history(toy, PAST) == of_log
    build(toy)
    statuses = rows_of(toy.root, "select history_query_id, status from history_queries where history = 'log'")
    assert {row["history_query_id"]: row["status"] for row in statuses} == {
        "q1": "kept",
        "q2": "duplicate",
        "q3": "failed",
        "q4": "unparsed",
        "q5": "not_a_read",
        "q6": "kept",
        "q7": "empty",
        "q8": "unknown_database",
        "q9": "kept",
        "q10": "kept",
    }
    (translated,) = rows_of(toy.root, "select sql, dialect from history_queries where is_translated")
    assert translated == {"sql": 'SELECT "title" FROM "book" WHERE "pages" > 300', "dialect": "sqlite"}
    found = items(toy, "past/history")
    assert {task: len(held) for task, held in found.items()} == {"0": 3, "5": 3}
    (own,) = rows_of(
        toy.root,
        "select question_id, own_query_id, asked_at::varchar as asked_at from history_questions"
        " where task_set = 'past/history' and own_query_id is not null",
    )
    assert (own["question_id"], own["own_query_id"]) == ("3", "q9")
    assert own["asked_at"].startswith("2026-03-04 08:00:00")
    assert register_history(toy, PAST, HistoryOptions("log", as_of="2026-03-01"))
    build(toy)
    assert items(toy, "past/history") == {}  # q1 was run that day, and all others later
    assert register_history(toy, PAST, HistoryOptions(PAST))  # what was asked for before counts again
    build(toy)
    assert len(items(toy, "past/history")) == 6


def test_reviews_are_there_with_both_rounds(toy: Home) -> None:
    rows = rows_of(toy.root, "select review_round, role, count(*) as n from stg_task_reviews group by all")
    assert {(row["review_round"], row["role"]): row["n"] for row in rows} == {
        (1, "annotator"): 9,
        (2, "annotator"): 3,
        (2, "discussion"): 1,
        (2, "senior"): 1,
    }


def test_a_history_study_is_no_budget_study(toy: Home) -> None:
    assert studied_benchmarks(toy) == set()
    refresh(toy, "budget_benchmarks")
    assert rows_of(toy.root, "from budget_benchmarks") == []


@pytest.mark.parametrize(
    ("benchmark", "options", "told"),
    [
        ("pasts", HistoryOptions(PAST), "did you mean 'past'"),
        (PAST, HistoryOptions("lag"), "did you mean 'log'"),
        (PAST, HistoryOptions(PAST, "published"), "choose derived tasks"),
        ("tasks", HistoryOptions(PAST, "publish"), "choose derived or published"),
        ("tasks", HistoryOptions(PAST, as_of="yesterday"), "write it as 2026-01-31"),
    ],
)
def test_what_cannot_be_studied_is_told(
    toy: Home, benchmark: str, options: HistoryOptions, told: str
) -> None:
    with pytest.raises(GlueError) as error:
        register_history(toy, benchmark, options)
    assert told in (error.value.hint or "")


def test_an_encoder_in_a_folder_is_studied_under_its_landed_name(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not under its path, which no vector has; where it lies is asked for again."""
    monkeypatch.setattr("glue.encoders.sentence_models.find_spec", lambda name: name)
    import_past(home)
    folder = tmp_path / "mine"
    folder.mkdir()
    study = HistoryStudy(PAST, encoder=str(folder))
    assert plan_history(home, study, Silent(), command="") == []
    registered = registered_history(home, PAST)
    assert registered is not None and registered.encoder == "folder:mine"
    ignored: Any = lambda *_: None  # noqa: E731
    steps = HistorySteps(*[ignored] * 6)
    with pytest.raises(GlueError, match="a folder named mine") as error:
        run_history(home, HistoryStudy(PAST), ExecuteOptions(), Silent(), steps, command="")
    assert "--encoder FOLDER" in (error.value.hint or "")


def test_nothing_is_made_of_a_history_that_nobody_studies(home: Home) -> None:
    import_past(home)
    glue(home.root, "import", "history", LOG, "--name", "log", "--benchmark", PAST)
    register(home, PAST)
    build(home)
    counts = {
        model: rows_of(home.root, f"select count(*) as n from {model}")[0]["n"]
        for model in (
            *TARGETS,
            "logged_queries",
            "history_queries",
            "history_questions",
            "component_readings",
        )
    }
    assert set(counts.values()) == {0}


# --- BIRD dev -----------------------------------------------------------------------------------------------

TASKS_BY_ITEMS = {1: 260, 2: 465, 3: 440, 4: 200, 5: 72, 6: 14, 7: 4}
"""Derived tasks of BIRD dev by number of items (BIRD-History, Table 8, has the shape)."""
RARE_TASKS = 1295
"""Of those, the ones that need an item found in at most a tenth of their database's queries."""


@pytest.fixture(scope="module")
def bird(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    root, meta = tmp_path_factory.mktemp("bird"), shared_data / "bird" / "meta"
    questions, tables = meta / "dev.json", meta / "dev_tables.json"
    glue(root, "import", "bird", "--name", "bird_dev", "--questions", questions, "--tables", tables)
    home = Home(root)
    register_history(home, "bird_dev", HistoryOptions("bird_dev"))
    build(home)
    return home


def test_bird_dev_is_a_task_set_without_any_model(bird: Home) -> None:
    (kept,) = rows_of(
        bird.root, "select count(*) as n, count(distinct db_id) as n_pools from history_queries"
    )
    assert kept == {"n": 1534, "n_pools": 11}
    rows = rows_of(bird.root, "select n_items, count(*) as n from derived_history_tasks group by n_items")
    assert dict(sorted((row["n_items"], row["n"]) for row in rows)) == TASKS_BY_ITEMS
    (rare,) = rows_of(bird.root, "select count(*) as n from derived_history_tasks where n_rare_items > 0")
    assert rare["n"] == RARE_TASKS


def publish(home: Home, benchmark: str, rows: list[dict[str, Any]]) -> None:
    """Import keys with their questions and queries as BIRD-History publishes them; put them under study."""
    tasks: dict[str, dict[str, Any]] = {}
    for row in rows:
        empty = {
            "question_id": row["question_id"],
            "db_id": row["db_id"],
            "question": f"task {row['question_id']}",
            "SQL": row["gold_sql"],
            "history_knowledge": {},
        }
        task = tasks.setdefault(row["question_id"], empty)
        task["history_knowledge"][row["key"]] = [int(each) for each in row["history_query_ids"]]
    path = home.root / f"{benchmark}.json"
    path.write_text(json.dumps(list(tasks.values())))
    glue(home.root, "import", "bird-history", path, "--history", "bird_dev", "--benchmark", benchmark)
    register_history(home, benchmark, default_history(home, benchmark))
    build(home)


def test_derived_tasks_published_and_imported_are_the_same_tasks(bird: Home) -> None:
    rows = rows_of(
        bird.root,
        "select i.question_id, i.db_id, i.published_skeleton as key, i.history_query_ids, g.gold_sql"
        " from history_task_items as i join golds as g using (benchmark, question_id)"
        " where i.task_set = 'bird_dev/history' and g.gold_number = 1 order by i.question_id, i.item_id",
    )
    publish(bird, "again", rows)
    assert rows_of(bird.root, "from unmatched_history_keys") == []
    (difference,) = rows_of(
        bird.root,
        """
        with items as (
            select benchmark, question_id, item_id, list_sort(history_query_ids) as ids
            from history_task_items
        )
        select count(*) as n
        from (select * exclude (benchmark) from items where benchmark = 'bird_dev') as derived
        full join (select * exclude (benchmark) from items where benchmark = 'again') as published
            using (question_id, item_id)
        where derived.ids is distinct from published.ids
        """,
    )
    assert difference["n"] == 0
    assert len(rows) == sum(n_items * n for n_items, n in TASKS_BY_ITEMS.items())


def test_pieces_as_written_are_found_in_their_query(bird: Home) -> None:
    """With aliases that they do not declare; what is found is the piece's own item."""
    rows = rows_of(
        bird.root,
        "select c.history_query_id as question_id, c.db_id, c.sql_substring as key, g.gold_sql,"
        " [c.history_query_id] as history_query_ids"
        " from script_components as c join golds as g on g.question_id = c.history_query_id"
        " where c.history = 'bird_dev' and g.benchmark = 'bird_dev' and g.gold_number = 1"
        " order by g.question_id, c.component_number",
    )
    publish(bird, "pieces", rows)
    found = rows_of(
        bird.root,
        """
        select k.matched_by, count(*) as n, bool_and(exists (
            select 1 from script_components as c
            where c.history_query_id = k.question_id and c.sql_substring = k.knowledge_key
            and c.item_id = k.item_id
        )) as is_own
        from matched_history_keys as k where k.benchmark = 'pieces' group by k.matched_by
        """,
    )
    counts = {row["matched_by"]: row["n"] for row in found}
    assert counts == {"skeleton_and_type": 4999, "columns": 1248, None: 66}
    assert all(row["is_own"] for row in found if row["matched_by"])
