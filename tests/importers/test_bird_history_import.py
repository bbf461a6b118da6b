"""BIRD-History's published layout: what lands, on whose schemas, and what is refused by record and field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from glue.errors import GlueError
from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.bird_history import read_bird_history
from glue.importers.common import ImportBatch, land, landed_rows
from glue.importers.landed import landed_benchmark
from tests.history_files import FILES, PAST, TASKS, import_past

TASK = {"question_id": 1, "db_id": "clinic", "question": "Who smokes?", "SQL": "SELECT 1"}


def read(home: Home, *tasks: Any) -> ImportBatch:
    path = home.root / "tasks.json"
    path.write_text(json.dumps(tasks))
    return read_bird_history(home, "tasks", path, PAST)


def refused(batch: ImportBatch) -> list[tuple[str, str | None, str, bool]]:
    return [(each.record, each.field, each.reason, each.is_landed) for each in batch.refusals]


def test_tasks_land_as_a_benchmark_on_the_schemas_of_the_history(home: Home) -> None:
    import_past(home)
    report = land(home, read_bird_history(home, "tasks", TASKS, PAST))
    assert (report.n_refused, report.refusals) == (0, [])
    assert report.counts["history_labels"] == 10
    landed = landed_benchmark(home, "tasks")
    assert [(question.question_id, question.db_id, question.dialect) for question in landed.questions] == [
        ("100", "clinic", "sqlite"),
        ("101", "clinic", "sqlite"),
        ("102", "library", "sqlite"),
    ]
    for table, columns in {
        "databases": ["db_id", "path", "snapshot_id", "engine"],
        "columns": ["db_id", "table_name", "column_name", "data_type", "source", "sample_values"],
        "foreign_keys": ["db_id", "table_name", "column_name", "referenced_table"],
    }.items():
        rows = landed_rows(home, table, ["benchmark", *columns])
        by_benchmark: dict[str, list[str]] = {PAST: [], "tasks": []}
        for row in rows:
            by_benchmark[row.pop("benchmark")].append(str(row))
        assert by_benchmark[PAST]
        assert sorted(by_benchmark[PAST]) == sorted(by_benchmark["tasks"]), table


def test_labels_keep_keys_and_ids_as_published(home: Home) -> None:
    import_past(home)
    batch = read_bird_history(home, "tasks", TASKS, PAST)
    (first, second) = (row for row in batch.rows["history_labels"] if row["question_id"] == "101")
    assert first == {
        "benchmark": "tasks",
        "question_id": "101",
        "history": PAST,
        "label_number": 1,
        "knowledge_key": "patient.is_smoker=<val>",
        "history_query_ids": ["0", "5"],
    }
    assert (second["label_number"], second["history_query_ids"]) == (2, ["3"])


def test_every_bad_label_is_named_and_the_good_ones_land(home: Home) -> None:
    import_past(home)
    batch = read(
        home,
        {**TASK, "history_knowledge": {"born": [3, "1", 3, 99, True], "name": 3, " ": [3], "title": [98]}},
        {**TASK, "question_id": 2, "history_knowledge": {"T1.title": [6]}},
        {**TASK, "question_id": 3},
        {**TASK, "question_id": 4, "history_knowledge": [["born", [3]]]},
        {**TASK, "question_id": 5, "history_knowledge": {}},
        {"question_id": 6, "db_id": "clinic", "history_knowledge": {"born": [3]}},
    )
    assert [(row["question_id"], row["history_query_ids"]) for row in batch.rows["history_labels"]] == [
        ("1", ["3", "1"]),
        ("2", ["6"]),
    ]
    field = "history_knowledge"
    assert refused(batch) == [
        ("entry 6", "question", "missing", False),
        ("entry 1, key 'born', id 99", field, "unknown_query", False),
        ("entry 1, key 'born', id true", field, "malformed", False),
        ("entry 1, key 'name'", field, "not_a_list", False),
        ("entry 1, key ''", field, "malformed", False),
        ("entry 1, key 'title', id 98", field, "unknown_query", False),
        ("entry 1, key 'title'", field, "no_queries", False),
        ("entry 2, key 'T1.title', id 6", field, "other_database", True),
        ("entry 3", field, "missing", True),
        ("entry 4", field, "not_an_object", True),
        ("entry 5", field, "empty", True),
    ]
    assert [row["question_id"] for row in batch.rows["questions"]] == ["1", "2", "3", "4", "5"]


def test_a_key_that_comes_twice_is_told(home: Home) -> None:
    import_past(home)
    path = home.root / "tasks.json"
    task = json.dumps({**TASK, "history_knowledge": {"born": [3], "bornX": [0]}}).replace("bornX", "born")
    path.write_text(f"[{task}]")
    batch = read_bird_history(home, "tasks", path, PAST)
    assert refused(batch) == [("entry 1, key 'born'", "history_knowledge", "duplicate", True)]
    assert [row["history_query_ids"] for row in batch.rows["history_labels"]] == [["0"]]


def test_a_database_that_the_history_lacks_is_told(home: Home) -> None:
    import_past(home)
    knowledge = {"history_knowledge": {"born": [3]}}
    batch = read(home, {**TASK, **knowledge}, {**TASK, "question_id": 2, "db_id": "zoo", **knowledge})
    assert ("database zoo", "db_id", "unknown_database", True) in refused(batch)
    assert [(row["db_id"], row.get("path") is None) for row in batch.rows["databases"]] == [
        ("clinic", False),
        ("zoo", True),
    ]


@pytest.mark.parametrize(
    ("name", "history", "told"),
    [
        ("tasks", "pats", "did you mean 'past'"),
        (PAST, PAST, "give the tasks another name"),
    ],
)
def test_names_are_checked(home: Home, name: str, history: str, told: str) -> None:
    import_past(home)
    with pytest.raises(GlueError) as error:
        read_bird_history(home, name, TASKS, history)
    assert told in (error.value.hint or "")


@pytest.mark.parametrize("content", ["{}", "[]", None])
def test_what_is_wrong_with_the_file_is_told_of_the_argument(home: Home, content: str | None) -> None:
    import_past(home)
    path = home.root / "other.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(GlueError, match=r"^FILE: "):
        read_bird_history(home, "tasks", path, PAST)


def test_a_file_without_any_label_is_refused(home: Home) -> None:
    import_past(home)
    with pytest.raises(GlueError, match=r"no entry of .* has a label .*; entry 1, .*has no question 99"):
        read(home, {**TASK, "history_knowledge": {"born": [99]}})


def test_another_state_of_the_history_is_another_import(home: Home) -> None:
    import_past(home)
    assert land(home, read_bird_history(home, "tasks", TASKS, PAST)).is_new
    assert not land(home, read_bird_history(home, "tasks", TASKS, PAST)).is_new
    land(home, read_bird(PAST, FILES / "past.json"), replace=True)
    with pytest.raises(GlueError, match="imported already"):
        land(home, read_bird_history(home, "tasks", TASKS, PAST))
