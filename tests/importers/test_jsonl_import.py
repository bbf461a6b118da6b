"""One's own questions in the plain format: every field, every kind of gold, and what is refused where."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from glue.errors import GlueError
from glue.importers.common import ImportBatch
from glue.importers.jsonl import read_jsonl

LINE = {"question_id": "q1", "question": "How many?", "db_id": "shop", "golds": ["SELECT count(*) FROM t"]}


def read(folder: Path, *lines: Any, **options: Any) -> ImportBatch:
    """Write lines (texts as they are, anything else as JSON) and read them."""
    path = folder / "questions.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return read_jsonl("own", path, **options)


def test_every_field_lands(tmp_path: Path) -> None:
    more = {
        "dialect": "postgresql",
        "is_ordered": True,
        "source_question_id": "stock/1",
        "evidence": "t holds items",
        "intent": "count",
        "difficulty": "easy",
        "domain": "retail",
        "subdomain": "stock",
        "language": "en",
        "document_ids": ["d1", "d2"],
    }
    batch = read(tmp_path, {**LINE, **more})
    (question,) = batch.rows["questions"]
    assert question == {
        "benchmark": "own",
        "question_id": "q1",
        "question_position": 0,
        "question": "How many?",
        "db_id": "shop",
        **more,
        "dialect": "postgres",
    }
    (gold,) = batch.rows["golds"]
    assert (gold["gold_sql"], gold["dialect"], gold["gold_number"]) == (
        "SELECT count(*) FROM t",
        "postgres",
        1,
    )
    assert batch.scope == "benchmark:own:jsonl"
    assert batch.refusals == []


def test_databases_by_name_alone_are_told(tmp_path: Path) -> None:
    batch = read(tmp_path, LINE)
    assert batch.notes == [
        "databases by name alone: no question can be scored before "
        "glue import database --name own brings them"
    ]


def test_a_question_is_asked_once_in_a_dialect(tmp_path: Path) -> None:
    source = {"source_question_id": "stock/1"}
    lines = [
        {**LINE, **source, "question_id": number, "dialect": dialect}
        for number, dialect in enumerate(["mysql", "sqlite", "mysql"])
    ]
    batch = read(tmp_path, *lines)
    assert [row["dialect"] for row in batch.rows["questions"]] == ["mysql", "sqlite"]
    (refusal,) = batch.refusals
    assert (refusal.record, refusal.reason, refusal.field) == ("line 3", "duplicate", "source_question_id")


def test_the_dialect_is_left_to_the_database_unless_it_is_named(tmp_path: Path) -> None:
    assert read(tmp_path, LINE).rows["golds"][0]["dialect"] is None
    batch = read(
        tmp_path, {**LINE, "golds": ["SELECT 1", {"sql": "SELECT 2", "dialect": "oracle"}]}, dialect="mysql"
    )
    assert [gold["dialect"] for gold in batch.rows["golds"]] == ["mysql", "oracle"]


def test_without_any_id_the_position_is_the_id(tmp_path: Path) -> None:
    line = {name: value for name, value in LINE.items() if name != "question_id"}
    assert [row["question_id"] for row in read(tmp_path, line, "", line).rows["questions"]] == ["0", "1"]


def test_a_stored_result_is_a_gold_without_sql(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "q1.csv").write_text("city,n,note\nOslo,3,x\n")
    golds = [
        {"file": "answers/q1.csv", "columns": ["n", "city"], "is_ordered": True},
        {"rows": [[3, "Oslo"]], "names": ["n", "city"]},
        "SELECT 3, 'Oslo'",
    ]
    batch = read(tmp_path, {**LINE, "golds": golds})
    first, second, third = batch.rows["golds"]
    assert first["result_id"] == second["result_id"]  # the same cells
    assert (first["is_ordered"], second["is_ordered"], first.get("gold_sql")) == (True, False, None)
    assert (third["gold_sql"], third["gold_number"]) == ("SELECT 3, 'Oslo'", 3)
    assert batch.rows["result_rows"][0]["cells"] == ["n:3", "t:Oslo"]
    assert str(tmp_path / "answers" / "q1.csv") in batch.files  # a changed answer is another import


def test_defogs_notation_is_expanded_when_asked(tmp_path: Path) -> None:
    line = {**LINE, "golds": "SELECT {a,b} FROM t; SELECT c FROM t"}
    golds = [gold["gold_sql"] for gold in read(tmp_path, line, gold_notation="defog").rows["golds"]]
    assert golds == ["SELECT a FROM t", "SELECT b FROM t", "SELECT a, b FROM t", "SELECT c FROM t"]
    assert len(read(tmp_path, line).rows["golds"]) == 1


@pytest.mark.parametrize(
    ("line", "reason", "field", "detail"),
    [
        ('{"question_id": 1,}', "not_json", None, "column 19"),
        ("[1]", "not_an_object", None, "a list"),
        ({**LINE, "question_id": 2, "question": ""}, "missing", "question", "empty"),
        ({**LINE, "question_id": 2, "db_id": 4}, "not_text", "db_id", "a number"),
        ({**LINE, "question_id": None}, "missing", "question_id", "null"),
        (LINE, "duplicate", "question_id", "that of line 1"),
        ({**LINE, "question_id": 2, "is_ordered": "yes"}, "wrong_type", "is_ordered", "'yes'"),
        ({**LINE, "question_id": 2, "document_ids": "d1"}, "wrong_type", "document_ids", "a text"),
        ({**LINE, "question_id": 2, "dialect": "postgress"}, "unknown_dialect", "dialect", "postgress"),
        ({**LINE, "question_id": 2, "golds": {"sql": "SELECT 1"}}, "not_a_list", "golds", "an object"),
        ({**LINE, "question_id": 2, "golds": [7]}, "not_text", "golds", "a number"),
        ({**LINE, "question_id": 2, "golds": [""]}, "not_text", "golds", "empty"),
        ({**LINE, "question_id": 2, "golds": [{"sqll": "SELECT 1"}]}, "malformed", "golds", "sqll"),
        ({**LINE, "question_id": 2, "golds": [{"sql": "S", "note": ""}]}, "unknown_field", "golds", "note"),
        ({**LINE, "question_id": 2, "golds": [{"file": "none.csv"}]}, "bad_result", "golds", "none.csv"),
        ({**LINE, "question_id": 2, "golds": [{"rows": [[1], [1, 2]]}]}, "bad_result", "golds", "row 2"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_refused_with_its_number(
    tmp_path: Path, line: Any, reason: str, field: str | None, detail: str
) -> None:
    batch = read(tmp_path, LINE, line, {**LINE, "question_id": "q3"})
    places = [(row["question_id"], row["question_position"]) for row in batch.rows["questions"]]
    assert places == [("q1", 0), ("q3", 2)]
    (refusal,) = batch.refusals
    assert (refusal.record, refusal.reason, refusal.field, refusal.is_landed) == (
        "line 2",
        reason,
        field,
        False,
    )
    assert detail.strip("'") in refusal.detail
    assert refusal.advice


def test_unknown_fields_and_missing_golds_are_remarks(tmp_path: Path) -> None:
    batch = read(
        tmp_path, {**LINE, "golds": [], "dificulty": "easy"}, {**LINE, "question_id": 2, "dificulty": "x"}
    )
    assert len(batch.rows["questions"]) == 2
    assert [(refusal.reason, refusal.field, refusal.is_landed) for refusal in batch.refusals] == [
        ("no_gold", "golds", True),
        ("unknown_field", "dificulty", True),
    ]
    assert batch.refusals[1].advice == "did you mean 'difficulty'?"


def test_a_file_without_one_good_line_stops(tmp_path: Path) -> None:
    with pytest.raises(GlueError, match=r"no line of .* can land; line 1: column 2"):
        read(tmp_path, "{nonsense")
    with pytest.raises(GlueError, match="it is empty"):
        read(tmp_path, "")
    with pytest.raises(GlueError, match="unknown gold notation"):
        read(tmp_path, LINE, gold_notation="other")


def test_databases_of_any_engine_are_introspected(tmp_path: Path) -> None:
    folder = tmp_path / "databases"
    folder.mkdir()
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.execute("create table t (a integer)")
    connection.close()
    with duckdb.connect(str(folder / "store.duckdb")) as other:
        other.execute("create table t (a integer)")
    batch = read(tmp_path, LINE, {**LINE, "question_id": 2, "db_id": "store"}, databases=folder)
    assert {row["db_id"]: row["engine"] for row in batch.rows["databases"]} == {
        "shop": "sqlite",
        "store": "duckdb",
    }
    assert {(row["db_id"], row["column_name"]) for row in batch.rows["columns"]} == {
        ("shop", "a"),
        ("store", "a"),
    }


def test_falcons_canonical_answers_land(shared_data: Path, tmp_path: Path) -> None:
    data = shared_data / "falcon_zh" / "data"
    answers = {
        row["question_id"]: row["answer"]
        for row in map(json.loads, (data / "result" / "query_answer.jsonl").read_text().splitlines())
    }
    lines = [
        {
            "question_id": question_id,
            "question": "?",
            "db_id": "falcon",
            "golds": [{"rows": answer, "is_untyped": True}],
            "language": "zh",
        }
        for question_id, answer in answers.items()
        if isinstance(answer, dict) and answer
    ]
    batch = read(tmp_path, *lines)
    assert len(batch.rows["golds"]) == len(lines) > 400
    assert batch.refusals == []
    assert batch.rows["result_rows"][0]["cells"] == ["t:Female", "n:27.733333333333334"]


def test_spider2s_stored_golds_land(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "spider2" / "gold_exec_result_local"
    paths = sorted(folder.glob("*.csv"))
    lines = [
        {"question_id": path.stem, "question": "?", "db_id": "local", "golds": [{"file": str(path)}]}
        for path in paths
    ]
    batch = read(tmp_path, *lines)
    assert len(batch.rows["golds"]) == len(paths) == 328
    assert batch.refusals == []
