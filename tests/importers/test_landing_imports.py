"""Landing a batch: once, last of all its own row, and never over another import unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glue.errors import GlueError
from glue.generate import generate
from glue.home import Home
from glue.importers.bird_history import read_bird_history
from glue.importers.common import (
    ImportBatch,
    drop_repeated_rows,
    import_id_of,
    known_dialect,
    land,
    landed_rows,
    newest_imports,
)
from glue.importers.database import read_database
from glue.importers.jsonl import read_jsonl
from glue.importers.landed import landed_benchmark
from glue.importers.predictions import PredictionOptions, read_predictions
from glue.importers.query_logs import read_query_log
from glue.landing_tables import TABLES
from tests.history_files import LOG, PAST, TASKS, import_past


def questions_file(path: Path, n: int = 2) -> Path:
    lines = [
        {"question_id": i, "question": f"What is {i}?", "db_id": "a", "golds": [f"SELECT {i}"]}
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_batch_lands_with_its_import_row(home: Home, tmp_path: Path) -> None:
    batch = read_jsonl("own", questions_file(tmp_path / "q.jsonl"))
    report = land(home, batch, command="glue import jsonl")
    assert report.is_new
    assert report.counts == {"questions": 2, "golds": 2, "databases": 1}
    (row,) = landed_rows(
        home, "imports", [name for name in TABLES["imports"].schema.names if name != "landed_at"]
    )
    assert (row["kind"], row["scope"], row["benchmark"]) == ("jsonl", "benchmark:own:jsonl", "own")
    assert (row["n_rows"], row["n_refused"]) == (5, 0)
    assert row["files"] == [str(tmp_path / "q.jsonl")]
    assert len(row["file_sha256"][0]) == 64
    assert {row["import_id"] for row in landed_rows(home, "questions", ["import_id"])} == {report.import_id}


def test_landing_the_same_again_does_nothing(home: Home, tmp_path: Path) -> None:
    path = questions_file(tmp_path / "q.jsonl")
    first = land(home, read_jsonl("own", path))
    again = land(home, read_jsonl("own", path))
    assert (first.is_new, again.is_new) == (True, False)
    assert first.import_id == again.import_id
    assert len(landed_rows(home, "imports", ["import_id", "imported_at"])) == 1


def test_another_import_of_the_scope_needs_replace(home: Home, tmp_path: Path) -> None:
    path = questions_file(tmp_path / "q.jsonl")
    old = land(home, read_jsonl("own", path))
    questions_file(path, n=3)
    with pytest.raises(GlueError, match="has been imported already") as error:
        land(home, read_jsonl("own", path))
    assert "--replace" in (error.value.hint or "")
    new = land(home, read_jsonl("own", path), replace=True)
    assert new.import_id != old.import_id
    assert [row["import_id"] for row in newest_imports(home).values()] == [new.import_id]
    assert len(landed_benchmark(home, "own").questions) == 3
    questions_file(path, n=2)
    back = land(home, read_jsonl("own", path), replace=True)
    assert (back.is_new, back.import_id) == (True, old.import_id)
    assert len(landed_benchmark(home, "own").questions) == 2


def test_a_set_may_answer_several_benchmarks_under_one_name(home: Home, tmp_path: Path) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text('["SELECT 0", "SELECT 1"]')
    for name in ("own", "other"):
        land(home, read_jsonl(name, questions_file(tmp_path / "q.jsonl")))
        batch = read_predictions(answers, landed_benchmark(home, name), "alpha")
        assert land(home, batch).is_new
        assert not land(home, batch).is_new
    sets = [row for row in newest_imports(home).values() if row["kind"] == "predictions"]
    assert {(row["prediction_set"], row["benchmark"]) for row in sets} == {
        ("alpha", "own"),
        ("alpha", "other"),
    }
    answers.write_text('["SELECT 0", "SELECT 2"]')
    batch = read_predictions(answers, landed_benchmark(home, "own"), "alpha")
    with pytest.raises(GlueError, match="'alpha' has been imported already"):
        land(home, batch)
    land(home, batch, replace=True)
    sets = [row for row in newest_imports(home).values() if row["kind"] == "predictions"]
    assert len(sets) == 2 and import_id_of(batch) in {row["import_id"] for row in sets}


def test_options_are_part_of_an_imports_identity(tmp_path: Path) -> None:
    path = questions_file(tmp_path / "q.jsonl")
    ids = {
        import_id_of(read_jsonl("own", path)),
        import_id_of(read_jsonl("other", path)),
        import_id_of(read_jsonl("own", path, dialect="mysql")),
    }
    assert len(ids) == 3


def test_a_half_done_import_does_not_count(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glue.landing import Writer

    real = Writer.append

    def failing(self: Writer, table: str, rows: object) -> None:
        if table == "imports":
            raise RuntimeError("killed")
        real(self, table, rows)  # type: ignore[arg-type]

    batch = read_jsonl("own", questions_file(tmp_path / "q.jsonl"))
    monkeypatch.setattr(Writer, "append", failing)
    with pytest.raises(RuntimeError):
        land(home, batch)
    monkeypatch.undo()
    assert landed_rows(home, "questions", ["question_id"])
    with pytest.raises(GlueError, match="there is no benchmark 'own'"):
        landed_benchmark(home, "own")
    assert land(home, batch).is_new
    assert len(landed_benchmark(home, "own").questions) == 2


def test_an_unknown_benchmark_names_the_nearest(home: Home, tmp_path: Path) -> None:
    with pytest.raises(GlueError, match="nothing has been imported yet"):
        landed_benchmark(home, "own")
    land(home, read_jsonl("bird_dev", questions_file(tmp_path / "q.jsonl")))
    with pytest.raises(GlueError) as error:
        landed_benchmark(home, "bird_def")
    assert error.value.hint == "did you mean 'bird_dev'?"


def test_predictions_are_tied_to_the_questions_they_were_paired_with(home: Home, tmp_path: Path) -> None:
    path = questions_file(tmp_path / "q.jsonl")
    land(home, read_jsonl("own", path))
    predictions = tmp_path / "p.json"
    predictions.write_text(json.dumps({"0": "SELECT 0", "1": 0, "x": "SELECT 9"}))
    batch = read_predictions(predictions, landed_benchmark(home, "own"), "alpha", PredictionOptions())
    report = land(home, batch)
    assert (report.prediction_set, report.counts, report.n_refused) == ("alpha", {"predictions": 2}, 1)
    assert [(group.reason, group.is_landed, group.n) for group in report.groups()] == [
        ("extra", False, 1),
        ("not_text", True, 1),
    ]
    refusals = landed_rows(home, "import_refusals", ["record", "reason", "is_landed", "question_id"])
    assert len(refusals) == 2
    questions_file(path, n=3)
    land(home, read_jsonl("own", path), replace=True)
    again = read_predictions(predictions, landed_benchmark(home, "own"), "alpha", PredictionOptions())
    assert import_id_of(again) != report.import_id  # one more question is missing now


def test_every_row_of_every_importer_has_only_declared_fields(home: Home, tmp_path: Path) -> None:
    line = {"question": "?", "db_id": "a", "golds": [{"rows": [[1, None]]}], "document_ids": ["d"]}
    (tmp_path / "q.jsonl").write_text(json.dumps(line))
    land(home, read_jsonl("own", tmp_path / "q.jsonl"))  # the writer refuses unknown fields and wrong types
    assert landed_rows(home, "executions", ["variant", "statement_id"]) == [
        {"variant": "stored", "statement_id": None}
    ]
    assert landed_rows(home, "result_rows", ["cells"]) == [{"cells": ["n:1", None]}]


def test_rows_of_one_key_land_once() -> None:
    batch = ImportBatch("jsonl", "s", "b")
    for description in ("first", "first", "second"):
        batch.add("tables", benchmark="b", db_id="d", source="x", table_name="t", description=description)
    drop_repeated_rows(batch)
    assert [row["description"] for row in batch.rows["tables"]] == ["first"]
    assert [refusal.reason for refusal in batch.refusals] == ["duplicate"]


@pytest.mark.parametrize("name", ["", " ", "\udcff"])
@pytest.mark.parametrize("kind", ["benchmark", "predictions", "tasks", "log", "database", "generated"])
def test_nothing_is_brought_in_under_a_name_that_nobody_can_give(
    home: Home, tmp_path: Path, kind: str, name: str
) -> None:
    file = questions_file(tmp_path / "q.jsonl")
    import_past(home)
    past = landed_benchmark(home, PAST)
    readers: dict[str, Callable[[], Any]] = {
        "benchmark": lambda: read_jsonl(name, file),
        "predictions": lambda: read_predictions(file, past, name),
        "tasks": lambda: read_bird_history(home, name, TASKS, PAST),
        "log": lambda: read_query_log(home, LOG, name, PAST),
        "database": lambda: read_database(file, name),
        "generated": lambda: generate(home, ["control/gold"], PAST, name=name),
    }
    with pytest.raises(GlueError, match=r"^--(name|benchmark): .* is no") as raised:
        readers[kind]()
    assert "NAME" in (raised.value.hint or "")


def test_dialects_have_sqlglots_names() -> None:
    assert [known_dialect(name) for name in ("SQLite", "postgresql", "mssql", "MariaDB")] == [
        "sqlite", "postgres", "tsql", "mysql",
    ]  # fmt: skip
    with pytest.raises(GlueError):
        known_dialect("nosql")
