"""Defog's question files: alternatives as golds, dialects by name, row or option, and refusals."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from glue.errors import GlueError
from glue.importers.common import ImportBatch
from glue.importers.defog import read_defog
from tests.commands import glue, rows_of

ROW = {
    "question": "Who wrote it?",
    "db_name": "library",
    "query": "SELECT name FROM t",
    "query_category": "join",
}


def write(path: Path, *rows: dict[str, str]) -> Path:
    """A CSV file of rows, under the columns of the first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(folder: Path, *rows: dict[str, str], name: str = "gen_postgres.csv", **options: Any) -> ImportBatch:
    return read_defog("d", [write(folder / name, *rows)], **options)


def golds(batch: ImportBatch) -> list[tuple[str, int, str, str]]:
    return [
        (gold["question_id"], gold["gold_number"], gold["dialect"], gold["gold_sql"])
        for gold in batch.rows["golds"]
    ]


def test_a_row_is_a_question_with_its_alternatives_as_golds(tmp_path: Path) -> None:
    query = "SELECT {a.id, a.name}, count(*) FROM a GROUP BY {}; SELECT name, 'x;y' FROM a"
    batch = read(tmp_path, {**ROW, "query": query, "instructions": "a holds authors"})
    assert batch.rows["questions"] == [
        {
            "benchmark": "d",
            "question_id": "gen/0",
            "question_position": 0,
            "source_question_id": "defog/gen/0",
            "db_id": "library",
            "question": "Who wrote it?",
            "evidence": "a holds authors",
            "intent": "join",
            "dialect": "postgres",
        }
    ]
    assert golds(batch) == [
        ("gen/0", 1, "postgres", "SELECT a.id, count(*) FROM a GROUP BY a.id"),
        ("gen/0", 2, "postgres", "SELECT a.name, count(*) FROM a GROUP BY a.name"),
        ("gen/0", 3, "postgres", "SELECT a.id, a.name, count(*) FROM a GROUP BY a.id, a.name"),
        ("gen/0", 4, "postgres", "SELECT name, 'x;y' FROM a"),
    ]
    assert batch.refusals == []


@pytest.mark.parametrize(
    ("name", "db_type", "option", "dialect"),
    [
        ("gen_mysql.csv", None, None, "mysql"),
        ("gen_snowflake.csv", None, None, "snowflake"),
        ("postgres/gen.csv", None, None, "postgres"),
        ("postgres/gen_tsql.csv", None, None, "tsql"),
        ("gen_mysql.csv", "tsql", None, "tsql"),
        ("gen.csv", "bigquery", None, "bigquery"),
        ("gen.csv", None, "postgresql", "postgres"),
        ("gen_mysql.csv", "mysql", "sqlite", "sqlite"),
    ],
)
def test_option_row_and_name_say_the_dialect_in_this_order(
    tmp_path: Path, name: str, db_type: str | None, option: str | None, dialect: str
) -> None:
    row = ROW if db_type is None else {**ROW, "db_type": db_type}
    batch = read(tmp_path, row, name=name, dialect=option)
    assert golds(batch) == [("gen/0", 1, dialect, "SELECT name FROM t")]


def test_a_dialect_that_nothing_says_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(GlueError, match="which dialect") as error:
        read(tmp_path, ROW, name="idk.csv")
    assert error.value.hint == "say it: --dialect postgres"


def test_several_files_are_one_benchmark(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "basic_postgres.csv", ROW),
        write(
            tmp_path / "advanced_postgres.csv", {**ROW, "instructions": "joins"}, {**ROW, "instructions": ""}
        ),
    ]
    batch = read_defog("d", paths)
    assert [
        (row["question_id"], row["question_position"], row["evidence"]) for row in batch.rows["questions"]
    ] == [
        ("basic/0", 0, None),
        ("advanced/0", 1, "joins"),
        ("advanced/1", 2, None),
    ]


def test_one_question_in_two_dialects_is_refused_once(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"gen_{dialect}.csv", ROW) for dialect in ("postgres", "mysql")]
    batch = read_defog("d", paths)
    assert len(batch.rows["questions"]) == 1
    assert [refusal.reason for refusal in batch.refusals] == ["duplicate"]


@pytest.mark.parametrize(
    ("wrong", "reason", "field", "detail"),
    [
        ({"question": " "}, "missing", "question", "question is ''"),
        ({"db_name": ""}, "missing", "db_name", "db_name is ''"),
        ({"query": ""}, "missing", "query", "query is ''"),
        ({"query": " ; "}, "missing", "query", "no statement"),
        ({"query": "SELECT {a,b,c,d,e,f,g,h,i} FROM t"}, "malformed", "query", "511 statements"),
        ({"db_type": "postgress"}, "unknown_dialect", "db_type", "postgress"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(
    tmp_path: Path, wrong: dict[str, str], reason: str, field: str, detail: str
) -> None:
    two_lines = {**ROW, "db_type": "", "question": "Who?\nAnd when?"}
    batch = read(tmp_path, two_lines, {**ROW, "db_type": "", **wrong}, two_lines)
    assert [row["question_id"] for row in batch.rows["questions"]] == ["gen/0", "gen/2"]
    (refusal,) = batch.refusals
    assert (refusal.record, refusal.reason, refusal.field) == ("line 4", reason, field)
    assert detail in refusal.detail


def test_a_row_of_other_width_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gen_sqlite.csv"
    path.write_text("question,db_name,query\nq,d,SELECT 1\nq,d\n\nq,d,SELECT 1, 2\nq,d,SELECT 2\n")
    batch = read_defog("d", [path])
    assert [row["question_id"] for row in batch.rows["questions"]] == ["gen/0", "gen/3"]
    assert [(refusal.record, refusal.reason) for refusal in batch.refusals] == [
        ("line 3", "malformed"),
        ("line 5", "malformed"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question,db,query\nq,d,s\n", "no column 'db_name'"),
        ("", "no column 'question'"),
        ("question,db_name,query\n", "can land: no rows"),
        ("question,db_name,query\nq,d,\n", "can land; line 2: query is ''"),
        ('question,db_name,query\nq,"d,s\nq,d,s\n', "can land; line 2: 2 cells under 3 columns"),
    ],
)
def test_a_file_that_is_none_stops_the_import(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "gen_sqlite.csv"
    path.write_text(content)
    with pytest.raises(GlueError) as error:
        read_defog("d", [path])
    assert message in error.value.message


def test_a_quote_within_a_cell_may_stand_alone(tmp_path: Path) -> None:
    path = tmp_path / "gen_sqlite.csv"
    path.write_text('question,db_name,query\n"What is "new" then?",d,SELECT 1\n')
    assert [row["question"] for row in read_defog("d", [path]).rows["questions"]] == ['What is new" then?"']


def test_another_column_may_be_what_a_model_is_told(tmp_path: Path) -> None:
    row = {**ROW, "instructions": "short", "full_instructions": "long"}
    short, long = read(tmp_path, row), read(tmp_path, row, evidence_column="full_instructions")
    assert [batch.rows["questions"][0]["evidence"] for batch in (short, long)] == ["short", "long"]
    assert [(refusal.field, refusal.is_landed) for refusal in short.refusals] == [("full_instructions", True)]
    with pytest.raises(GlueError, match="no column 'full_instruction'") as error:
        read(tmp_path, row, evidence_column="full_instruction")
    assert error.value.hint == "did you mean 'full_instructions'?"


@pytest.mark.slow
def test_any_alternative_is_right(tmp_path: Path) -> None:
    """From the files to verdicts: one question, two acceptable answers and one that is neither."""
    write(
        tmp_path / "gen_sqlite.csv",
        {**ROW, "query": "SELECT {id, name} FROM author; SELECT upper(name) FROM author"},
    )
    with closing(sqlite3.connect(tmp_path / "library.sqlite")) as connection:
        connection.executescript(
            "create table author (id integer, name text); insert into author values (1, 'Ann')"
        )
    statements = {
        "first": "select id from author",
        "both": "select id, name from author",
        "second": "select 'ANN' as n",
        "neither": "select lower(name) from author",
    }
    files = ("--questions", tmp_path / "gen_sqlite.csv", "--databases", tmp_path)
    glue(tmp_path, "import", "defog", "--name", "d", *files)
    for name, sql in statements.items():
        (tmp_path / f"{name}.json").write_text(f'{{"0": "{sql}"}}')
        glue(tmp_path, "import", "predictions", tmp_path / f"{name}.json", "--benchmark", "d")
    glue(tmp_path, "execute")
    glue(tmp_path, "build")
    found = rows_of(
        tmp_path,
        "select prediction_set, value from leaderboard where protocol = 'evalhouse' and metric = 'ex'",
    )
    assert {row["prediction_set"]: row["value"] for row in found} == {
        "first": 1,
        "both": 1,
        "second": 1,
        "neither": 0,
    }


def test_every_published_question_lands(shared_data: Path) -> None:
    folder = shared_data / "defog" / "data"
    n_golds = {}
    for dialect in ("postgres", "mysql", "sqlite", "tsql", "bigquery"):
        names = ("questions_gen", "instruct_basic", "instruct_advanced")
        batch = read_defog("d", [folder / f"{name}_{dialect}.csv" for name in names])
        assert len(batch.rows["questions"]) == 314
        assert {gold["dialect"] for gold in batch.rows["golds"]} == {dialect}
        assert all(refusal.is_landed for refusal in batch.refusals)
        n_golds[dialect] = len(batch.rows["golds"])
    assert n_golds["postgres"] == 484
    snowflake = read_defog("d", [folder / "questions_gen_snowflake.csv"])
    assert len(snowflake.rows["questions"]) == 200
    assert len(read_defog("d", [folder / "idk.csv"], dialect="postgres").rows["questions"]) == 105
