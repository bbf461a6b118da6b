"""Compaction: one file per table, one row per key, the newest; a kill leaves at worst rows twice."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from glue import landing
from glue.errors import GlueError
from glue.home import Home
from glue.landing_compaction import Compaction
from glue.landing_tables import TABLES
from glue.locks import LOOPS, LoopLock
from tests import landing_processes
from tests.landing_helpers import count, dead_writer, land, query

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def put(home: Home, table: str, name: str, rows: list[dict[str, Any]]) -> None:
    """A batch file whose landed_at is given."""
    landing.ensure(home)
    rows = [{"landed_at": LONG_AGO, **row} for row in rows]
    parquet.write_table(
        pa.Table.from_pylist(rows, schema=TABLES[table].schema), home.landing / table / f"{name}.parquet"
    )


def test_the_newest_row_of_a_key_stays(home: Home) -> None:
    land(home, "runs", [{"run_id": "a", "model": "old"}, {"run_id": "b", "model": "only"}])
    land(home, "runs", [{"run_id": "a", "model": "new"}, {"run_id": "c", "model": "only"}])
    newest = query(home, "runs", "max(landed_at)")
    counts = landing.compact(home)
    assert query(home, "runs", "run_id, model") == [("a", "new"), ("b", "only"), ("c", "only")]
    assert counts["runs"] == Compaction(n_files_before=2, n_files_after=1, n_rows_before=4, n_rows_after=3)
    assert counts["golds"] == Compaction(0, 0, 0, 0)
    assert query(home, "runs", "max(landed_at)") == newest
    (file,) = landing.batch_files(home, "runs")
    assert parquet.read_schema(file).types == TABLES["runs"].schema.types
    assert parquet.read_schema(file).names == TABLES["runs"].schema.names


@pytest.mark.parametrize("names", [("x", "y"), ("y", "x")])
def test_a_tie_is_decided_by_the_other_columns_whatever_the_files(home: Home, names: tuple[str, str]) -> None:
    put(home, "runs", names[0], [{"run_id": "a", "model": "n"}, {"run_id": "b", "model": None}])
    put(home, "runs", names[1], [{"run_id": "a", "model": "m"}, {"run_id": "b", "model": "z"}])
    landing.compact(home)
    assert query(home, "runs", "run_id, model") == [("a", "m"), ("b", "z")]


def test_null_in_a_key_equals_null(home: Home) -> None:
    land(home, "imports", [{"import_id": "i"}])
    refusal = {"import_id": "i", "file": "f", "record": None, "field": None, "reason": "missing"}
    land(home, "import_refusals", [refusal])
    land(home, "import_refusals", [{**refusal, "detail": "again"}, {**refusal, "record": "line 1"}])
    landing.compact(home)
    assert query(home, "import_refusals", "record, detail") == [("line 1", None), (None, "again")]


def test_lists_are_compared_and_kept(home: Home) -> None:
    row = {"result_id": "r", "row_number": 1}
    put(home, "result_rows", "x", [{**row, "cells": ["t:a", None]}, {**row, "cells": ["t:b"]}])
    put(home, "result_rows", "y", [{**row, "row_number": 2, "cells": []}])
    landing.compact(home)
    assert query(home, "result_rows", "row_number, cells") == [(1, ["t:a", None]), (2, [])]


def test_rows_of_an_import_that_never_finished_go(home: Home) -> None:
    land(home, "questions", [{"import_id": "finished", "question_id": "1"}])
    land(home, "imports", [{"import_id": "finished"}])
    land(home, "questions", [{"import_id": "unfinished", "question_id": "1"}, {"question_id": "2"}])
    land(home, "golds", [{"import_id": "unfinished", "question_id": "1"}])
    land(home, "executions", [{"execution_id": "e"}])
    counts = landing.compact(home)
    assert query(home, "questions", "import_id, question_id") == [("finished", "1")]
    assert query(home, "golds") == []
    assert query(home, "imports", "import_id") == [("finished",)]
    assert query(home, "executions", "execution_id") == [("e",)]
    assert counts["golds"] == Compaction(1, 0, 1, 0)


def test_a_second_compaction_has_nothing_to_do(home: Home) -> None:
    land(home, "runs", [{"run_id": "a"}])
    land(home, "runs", [{"run_id": "b"}])
    landing.compact(home)
    before = landing.table_fingerprints(home)
    assert landing.compact(home)["runs"] == Compaction(1, 1, 2, 2)
    assert landing.table_fingerprints(home) == before


def test_what_lands_later_is_merged_next_time(home: Home) -> None:
    for key in ("a", "b", "a"):
        land(home, "runs", [{"run_id": key}])
        landing.compact(home)
    assert query(home, "runs", "run_id") == [("a",), ("b",)]
    assert len(landing.batch_files(home, "runs")) == 1


def test_a_dead_writers_journal_is_folded_first(home: Home) -> None:
    dead_writer(home, ["a"])
    assert landing.compact(home)["executions"] == Compaction(1, 1, 1, 1)
    assert query(home, "executions", "execution_id") == [("a",)]


def test_files_of_an_older_schema_get_the_declared_one(home: Home) -> None:
    land(home, "runs", [{"run_id": "a", "model": "m"}])
    older = pa.table({"landed_at": pa.array([LONG_AGO], pa.timestamp("us", "UTC")), "run_id": ["b"]})
    parquet.write_table(older, home.landing / "runs" / "import-older.parquet")
    landing.compact(home)
    assert query(home, "runs", "run_id, model") == [("a", "m"), ("b", None)]


def test_a_file_of_another_type_stops_the_compaction_and_nothing_is_lost(home: Home) -> None:
    land(home, "runs", [{"run_id": "a", "n_samples": 1}])
    foreign = pa.table({"run_id": ["b"], "n_samples": ["one"], "landed_at": pa.array([LONG_AGO])})
    parquet.write_table(foreign, home.landing / "runs" / "foreign.parquet")
    with pytest.raises(GlueError, match="runs"):
        landing.compact(home)
    assert len(landing.batch_files(home, "runs")) == 2


@pytest.mark.parametrize("loop", ["import", "execute", "build"])
def test_compaction_waits_for_nobody(home: Home, loop: str) -> None:
    with LoopLock(home, loop), pytest.raises(GlueError, match=f"{LOOPS[loop]} is already running"):
        landing.compact(home)


def test_a_home_with_quotes_and_brackets_in_its_path(tmp_path: Path) -> None:
    home = Home(tmp_path / "it's [1] home *")
    for key in ("a", "b", "a"):
        land(home, "runs", [{"run_id": key}])
    assert landing.compact(home)["runs"] == Compaction(3, 1, 3, 2)


@pytest.mark.slow
def test_a_compaction_killed_at_any_step_on_disk(home: Home, tmp_path: Path) -> None:
    for number in range(2):
        land(home, "runs", [{"run_id": "same", "model": f"m{number}"}, {"run_id": f"own {number}"}])
        land(home, "executions", [{"execution_id": f"e{number}"}])
    expected_runs = [("own 0", None), ("own 1", None), ("same", "m1")]
    landing_processes.run("crash_everywhere", home.root, "compact", tmp_path / "copies")
    homes = [Home(path) for path in (tmp_path / "copies").iterdir()]
    assert len(homes) > 10
    for copy in homes:
        assert newest_runs(copy) == expected_runs, copy
        assert landing.landed_keys(copy, "executions").num_rows == 2, copy
        landing.compact(copy)
        assert newest_runs(copy) == expected_runs, copy
        assert count(copy, "runs") == 3, copy
        assert count(copy, "executions") == landing.landed_keys(copy, "executions").num_rows == 2, copy
        assert len(landing.batch_files(copy, "runs")) == 1
        assert list(copy.landing.rglob("*.part")) == []


def newest_runs(home: Home) -> list[Any]:
    """What a reader takes: of each key the newest row."""
    from_old_to_new = query(home, "runs", "landed_at, run_id, model")
    return sorted({run_id: model for _, run_id, model in from_old_to_new}.items())
