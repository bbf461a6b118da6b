"""The landing zone: what was appended is there exactly once, whoever was killed when."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from glue import landing
from glue.errors import GlueError
from glue.home import Home
from glue.journal import journals_in
from glue.landing_rows import serialise
from glue.landing_tables import TABLES
from tests import landing_processes
from tests.landing_helpers import count, dead_writer, die, land, query
from tests.landing_processes import execution, result_rows

# --- ensure -------------------------------------------------------------------------------------------------


def test_ensure_makes_every_table_readable_with_its_declared_types(home: Home) -> None:
    landing.ensure(home)
    for name, table in TABLES.items():
        assert query(home, name) == []
        assert parquet.read_schema(home.landing / name / "_schema.parquet").equals(table.schema)


def test_ensure_makes_the_home_too(tmp_path: Path) -> None:
    home = Home(tmp_path / "not" / "there" / "yet")
    landing.ensure(home)
    assert query(home, "imports") == []


def test_a_second_ensure_writes_nothing(home: Home) -> None:
    landing.ensure(home)
    before = {path: path.stat().st_mtime_ns for path in home.landing.rglob("*")}
    landing.ensure(home)
    assert {path: path.stat().st_mtime_ns for path in home.landing.rglob("*")} == before


def test_ensure_mends_a_missing_and_an_outdated_schema_file(home: Home) -> None:
    landing.ensure(home)
    (home.landing / "runs" / "_schema.parquet").unlink()
    parquet.write_table(pa.table({"old": [1]}), home.landing / "golds" / "_schema.parquet")
    (home.landing / "_schemas.md5").write_text("of an older glue")
    landing.ensure(home)
    assert query(home, "runs") == []
    assert parquet.read_schema(home.landing / "golds" / "_schema.parquet").equals(TABLES["golds"].schema)


def test_ensure_folds_the_journal_of_a_dead_writer_and_leaves_a_living_one(home: Home) -> None:
    orphan = dead_writer(home, ["dead"])
    with landing.Writer(home, "import") as writer:  # folds it on entering
        assert not orphan.exists()
        writer.append("executions", execution("living"))
        landing.ensure(home)
        assert query(home, "executions", "execution_id") == [("dead",)]
    assert query(home, "executions", "execution_id") == [("dead",), ("living",)]


def test_ensure_in_several_processes_at_once(home: Home) -> None:
    orphan = dead_writer(home, ["a", "b"])
    for table in TABLES:
        (home.landing / table / "_schema.parquet").unlink()
    landing_processes.run("ensure_at_once", home.root, 5)
    assert not orphan.exists()
    assert query(home, "executions", "execution_id") == [("a",), ("b",)]
    assert list(home.landing.rglob("*.part")) == []
    for table in TABLES:
        query(home, table)


# --- Writer -------------------------------------------------------------------------------------------------


def test_rows_land_when_the_block_is_left_and_carry_their_moment(home: Home) -> None:
    before = datetime.now(UTC)
    with landing.Writer(home, "import", "glue import") as writer:
        writer.append("runs", [{"run_id": "a"}])
        writer.append("runs", [{"run_id": "b"}, {"run_id": "c"}])
        assert query(home, "runs") == []
    rows = query(home, "runs", "run_id, landed_at")
    assert [row[0] for row in rows] == ["a", "b", "c"]
    assert before - timedelta(seconds=1) < rows[0][1] < rows[1][1] == rows[2][1] <= datetime.now(UTC)
    assert journals_in(home.landing / "_journals") == []
    assert len(landing.batch_files(home, "runs")) == 1


def test_later_appends_are_newer_even_when_the_clock_stands_still(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_000_000_000)
    with landing.Writer(home, "import") as writer:
        for key in ("first", "second", "third"):
            writer.append("runs", [{"run_id": key}])
    moments = dict(query(home, "runs", "run_id, landed_at"))
    assert moments["first"] < moments["second"] < moments["third"]


def test_a_writer_without_rows_leaves_no_files(home: Home) -> None:
    with landing.Writer(home, "import") as writer:
        writer.append("runs", [])
        writer.append_ipc("runs", landing.to_ipc("runs", []))
        writer.sync()
    assert landing.batch_files(home, "runs") == []
    assert list((home.landing / "_journals").iterdir()) == []


def test_an_error_in_the_block_still_lands_what_was_appended(home: Home) -> None:
    with pytest.raises(KeyboardInterrupt), landing.Writer(home, "import") as writer:
        writer.append("runs", [{"run_id": "a"}])
        raise KeyboardInterrupt
    assert query(home, "runs", "run_id") == [("a",)]
    with landing.Writer(home, "import"):  # and the lock is free
        pass


def test_a_refused_append_appends_nothing(home: Home) -> None:
    with landing.Writer(home, "import") as writer:
        with pytest.raises(GlueError, match="runs, row 2: unknown field 'run'"):
            writer.append("runs", [{"run_id": "a"}, {"run": "b"}])
        writer.append("runs", [{"run_id": "c"}])
    assert query(home, "runs", "run_id") == [("c",)]


def test_fold_makes_rows_readable_and_appending_goes_on(home: Home) -> None:
    with landing.Writer(home, "execute") as writer:
        writer.fold()
        writer.append("runs", [{"run_id": "a"}])
        writer.fold()
        assert query(home, "runs", "run_id") == [("a",)]
        writer.append("runs", [{"run_id": "b"}])
    assert query(home, "runs", "run_id") == [("a",), ("b",)]


def test_a_second_writer_of_a_loop_is_told_who_writes(home: Home) -> None:
    with landing.Writer(home, "execute", "glue execute --timeout 5"):
        with pytest.raises(GlueError, match=rf"glue execute is already running \(process {os.getpid()}, "):
            landing.Writer(home, "execute").__enter__()
        land(home, "runs", [{"run_id": "a"}])  # another loop may write
    assert query(home, "runs", "run_id") == [("a",)]


def test_a_writer_is_of_no_use_outside_its_block(home: Home) -> None:
    writer = landing.Writer(home, "import")
    with pytest.raises(RuntimeError, match="inside its `with` block"):
        writer.append("runs", [{"run_id": "a"}])


def test_a_forked_child_cannot_write_and_does_no_harm(home: Home) -> None:
    landing_processes.run("write_in_child", home.root)
    assert query(home, "executions", "execution_id") == [("after",), ("before",)]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "landing").write_text("a file in the way")
    with pytest.raises(GlueError, match=f"cannot write {tmp_path / 'landing'}") as caught:
        landing.ensure(Home(tmp_path))
    assert caught.value.hint is not None
    assert str(tmp_path) in caught.value.hint


def test_a_fold_that_fails_leaves_the_journal_to_the_next_command(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    with pytest.raises(GlueError, match="No space left") as caught, landing.Writer(home, "import") as writer:
        writer.append("runs", [{"run_id": "a"}])
        with monkeypatch.context() as patch:
            patch.setattr(landing, "sync_file", full_disk)
            writer.fold()
    assert caught.value.hint is not None
    assert "free some space" in caught.value.hint
    landing.ensure(home)
    assert query(home, "runs", "run_id") == [("a",)]


def test_syncs_are_grouped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    with landing.Writer(home, "import", sync_every_s=3600) as writer:
        for number in range(50):
            writer.append("runs", [{"run_id": str(number)}])
            writer.sync()
        assert len(synced) == 1
        writer.sync(now=True)
        writer.sync(now=True)  # nothing new to sync
        assert len(synced) == 2
    with landing.Writer(home, "import", sync_every_s=0) as writer:
        for number in range(5):
            writer.append("runs", [{"run_id": str(number)}])
            writer.sync()
        assert len(synced) == 2 + 5


# --- Serialised rows ----------------------------------------------------------------------------------------


def test_serialised_rows_land_like_others(home: Home) -> None:
    rows = [*result_rows("a"), *result_rows("b")]
    batch = pa.RecordBatch.from_pylist(rows, schema=landing.append_schema("result_rows"))
    with landing.Writer(home, "execute") as writer:
        writer.append_ipc("result_rows", landing.to_ipc("result_rows", rows[:3]))
        writer.append_ipc("result_rows", bytes(landing.to_ipc("result_rows", batch.slice(3))))
    assert query(home, "result_rows", "result_id, row_number, cells") == [
        (key, number, [f"n:{number}"]) for key in "ab" for number in (1, 2, 3)
    ]


def test_serialised_rows_of_another_schema_are_refused_at_once(home: Home) -> None:
    refused = pytest.raises(GlueError, match="executions: field 'execution_id' is missing")
    with landing.Writer(home, "execute") as writer, refused:
        writer.append_ipc("executions", landing.to_ipc("runs", [{"run_id": "a"}]))
    assert count(home, "executions") == 0


def broken_stream() -> bytes:
    """A stream of the right schema whose text is not UTF-8."""
    return bytes(landing.to_ipc("runs", [{"run_id": "broken"}])).replace(
        b"broken", b"\xff\xff\xff\xff\xff\xff"
    )


def test_a_stream_that_cannot_be_read_is_put_aside_and_named(home: Home) -> None:
    named = pytest.raises(GlueError, match=r"1 appended batches could not be read: .*_rejected.*UTF8")
    with named, landing.Writer(home, "execute") as writer:
        writer.append("runs", [{"run_id": "a"}])
        writer.append_ipc("runs", broken_stream())
        writer.append("runs", [{"run_id": "b"}])
    assert query(home, "runs", "run_id") == [("a",), ("b",)]
    assert [path.read_bytes() for path in (home.landing / "_rejected").iterdir()] == [broken_stream()]
    landing.ensure(home)  # nothing is left to stumble over
    assert journals_in(home.landing / "_journals") == []


def test_a_dead_writers_broken_stream_does_not_stop_the_next_command(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    writer = landing.Writer(home, "execute").__enter__()
    writer.append_ipc("runs", broken_stream())
    writer.append("runs", [{"run_id": "a"}])
    die(writer)
    land(home, "runs", [{"run_id": "b"}])
    assert query(home, "runs", "run_id") == [("a",), ("b",)]
    assert "put aside a batch that could not be read" in caplog.text


# --- Values -------------------------------------------------------------------------------------------------


CELLS = [
    ["t:nul\x00nul", "t:😀 客户名称", "t:", None, "r:fffe", "n:9007199254740993", "t:'\"\\\n\r\t"],
    ["t:" + "x" * 10_000_000, "t:" + "汉" * 3_000_000],
    [f"n:{number}" for number in range(500)],
    [None] * 500,
    [],
    None,
]


@pytest.mark.parametrize("is_serialised", [False, True])
def test_awkward_cells_pass_unchanged(home: Home, is_serialised: bool) -> None:
    rows = [{"result_id": "r", "row_number": number, "cells": cells} for number, cells in enumerate(CELLS)]
    with landing.Writer(home, "execute") as writer:
        if is_serialised:
            writer.append_ipc("result_rows", landing.to_ipc("result_rows", rows))
        else:
            writer.append("result_rows", rows)
    assert [cells for _, cells in query(home, "result_rows", "row_number, cells")] == CELLS
    landing.compact(home)
    assert [cells for _, cells in query(home, "result_rows", "row_number, cells")] == CELLS


# --- Folding ------------------------------------------------------------------------------------------------


def test_folding_a_journal_twice_is_harmless(home: Home) -> None:
    path = dead_writer(home, ["a", "b"])
    journal = path.read_bytes()
    landing.ensure(home)
    (file,) = landing.batch_files(home, "executions")
    once = file.read_bytes()
    path.write_bytes(journal)  # killed after the rename, before the journal was removed
    landing.ensure(home)
    assert landing.batch_files(home, "executions") == [file]
    assert file.read_bytes() == once
    assert query(home, "executions", "execution_id") == [("a",), ("b",)]


def test_a_torn_tail_costs_what_was_in_flight(home: Home) -> None:
    path = dead_writer(home, ["a", "b", "c"])
    os.truncate(path, path.stat().st_size - 1)
    landing.ensure(home)
    assert query(home, "executions", "execution_id") == [("a",), ("b",)]
    assert not path.exists()


def test_a_journal_that_holds_nothing_whole_just_goes(home: Home) -> None:
    path = dead_writer(home, ["a"])
    os.truncate(path, 20)
    landing.ensure(home)
    assert not path.exists()
    assert landing.batch_files(home, "executions") == []


def test_a_frame_of_an_older_schema_lacks_columns_and_lands(home: Home) -> None:
    writer = landing.Writer(home, "execute").__enter__()
    older = pa.table({"run_id": ["a"], "model": ["m"]})
    writer._write("runs", memoryview(serialise(older.schema, older.to_batches())))
    die(writer)
    landing.ensure(home)
    assert query(home, "runs", "run_id, model, n_samples") == [("a", "m", None)]


def test_many_rows_are_folded_in_row_groups(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing, "ROW_GROUP_ROWS", 1000)
    monkeypatch.setattr(landing, "_MERGED_BATCHES", 7)
    schema = landing.append_schema("result_rows")
    with landing.Writer(home, "execute") as writer:
        for start in range(0, 10_000, 20):
            columns = [
                pa.repeat("r", 20),
                pa.array(range(start, start + 20)),
                pa.nulls(20, schema.field(2).type),
            ]
            writer.append("result_rows", pa.RecordBatch.from_arrays(columns, schema=schema))
    (file,) = landing.batch_files(home, "result_rows")
    assert parquet.read_metadata(file).num_row_groups >= 10
    assert parquet.read_table(file)["row_number"].to_pylist() == list(range(10_000))
    landed_at = parquet.read_table(file)["landed_at"].to_pylist()
    assert landed_at == sorted(landed_at)
    assert len(set(landed_at)) == 500


def test_memory_of_a_fold_does_not_grow_with_the_journal(home: Home) -> None:
    cells = [["t:" + "x" * 1000] * 10] * 100
    schema = landing.append_schema("result_rows")
    columns = [pa.repeat("r", 100), pa.array(range(100)), pa.array(cells, schema.field(2).type)]
    data = landing.to_ipc("result_rows", pa.RecordBatch.from_arrays(columns, schema=schema))
    n_frames = 300  # 300 MB
    with landing.Writer(home, "execute") as writer:
        for _ in range(n_frames):
            writer.append_ipc("result_rows", data)
        peak = _peak_of_arrow(writer.fold)
    assert peak < n_frames * data.size / 2
    assert parquet.read_metadata(landing.batch_files(home, "result_rows")[0]).num_rows == n_frames * 100


def _peak_of_arrow(action: Any) -> int:
    """The most bytes Arrow held while `action` ran, from a pool of its own."""
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    try:
        action()
        return int(pool.max_memory())
    finally:
        pa.set_memory_pool(usual)


# --- Reading ------------------------------------------------------------------------------------------------


def test_landed_keys_are_distinct_over_all_batches(home: Home) -> None:
    assert landing.landed_keys(home, "executions").num_rows == 0
    land(home, "executions", [{"execution_id": "a", "statement_id": "s"}])
    land(home, "executions", [{"execution_id": "a", "statement_id": "s"}, {"execution_id": "b"}])
    keys = landing.landed_keys(home, "executions", columns=["execution_id", "statement_id"])
    assert sorted(keys.to_pylist(), key=str) == [
        {"execution_id": "a", "statement_id": "s"},
        {"execution_id": "b", "statement_id": None},
    ]
    assert sorted(landing.landed_keys(home, "executions")["execution_id"].to_pylist()) == ["a", "b"]


def test_landed_keys_give_lists_too_before_and_after_a_compaction(home: Home) -> None:
    land(home, "executions", [{"execution_id": "a", "column_names": ["x", "y"]}])
    expected = [{"column_names": ["x", "y"]}]
    assert landing.landed_keys(home, "executions", ["column_names"]).to_pylist() == expected
    landing.compact(home)
    assert landing.landed_keys(home, "executions", ["column_names"]).to_pylist() == expected


def test_landed_keys_name_an_unknown_column(home: Home) -> None:
    with pytest.raises(GlueError, match="executions: unknown field 'statement'") as caught:
        landing.landed_keys(home, "executions", ["statement"])
    assert caught.value.hint == "did you mean 'statement_id'?"


def test_landed_keys_read_files_of_an_older_schema(home: Home) -> None:
    landing.ensure(home)
    parquet.write_table(pa.table({"run_id": ["a"]}), home.landing / "runs" / "import-older.parquet")
    assert landing.landed_keys(home, "runs", ["run_id", "model"]).to_pylist() == [
        {"run_id": "a", "model": None}
    ]


def test_a_foreign_file_is_named(home: Home) -> None:
    landing.ensure(home)
    foreign = home.landing / "runs" / "foreign.parquet"
    foreign.write_text("no parquet at all, only text of some length")
    with pytest.raises(GlueError, match=f"{foreign} cannot be read"):
        landing.landed_keys(home, "runs")


def test_the_fingerprint_changes_with_every_batch_and_only_then(home: Home) -> None:
    fresh = landing.table_fingerprints(home)
    landing.ensure(home)
    assert landing.table_fingerprints(home) == fresh
    land(home, "runs", [{"run_id": "a"}])
    first = landing.table_fingerprints(home)
    assert first != fresh
    with landing.Writer(home, "import") as writer:
        assert landing.table_fingerprints(home) == first
        writer.append("runs", [{"run_id": "b"}])
        writer.sync(now=True)
        assert landing.table_fingerprints(home) == first  # no build would see it
    second = landing.table_fingerprints(home)
    assert second not in (fresh, first)
    landing.batch_files(home, "runs")[0].unlink()
    assert landing.table_fingerprints(home) not in (fresh, first, second)


# --- Kills --------------------------------------------------------------------------------------------------


def test_killed_writers_lose_at_most_what_was_in_flight(home: Home, tmp_path: Path) -> None:
    acknowledged = tmp_path / "acknowledged"
    n_kills = 15
    killer = landing_processes.start("kill_writers", home.root, n_kills, acknowledged)
    n_looks = 0
    while killer.poll() is None:  # a reader at any moment finds whole files and nothing twice
        if (home.landing / "executions" / "_schema.parquet").exists():
            keys = query(home, "executions", "execution_id")
            assert len(keys) == len(set(keys))
            n_looks += 1
        time.sleep(0.02)
    assert killer.returncode == 0
    assert n_looks > 3
    landing.ensure(home)
    synced = acknowledged.read_text().split()
    landed = [key for (key,) in query(home, "executions", "execution_id")]
    assert len(synced) >= n_kills
    assert len(landed) == len(set(landed))
    assert set(synced) <= set(landed)
    assert len(set(landed) - set(synced)) <= n_kills  # each writer had one key in flight
    rows = query(home, "result_rows", "result_id, row_number")
    assert len(rows) == len(set(rows))
    assert set(rows) >= {(key, number) for key in landed for number in (1, 2, 3)}
    assert list(home.landing.rglob("*.journal")) == list(home.landing.rglob("*.part")) == []


def test_a_writer_killed_at_any_step_on_disk(home: Home, tmp_path: Path) -> None:
    landing.ensure(home)
    landing_processes.run("crash_everywhere", home.root, "land", tmp_path / "copies")
    homes = [Home(path) for path in (tmp_path / "copies").iterdir()]
    assert len(homes) > 10
    for copy in homes:
        if count(copy, "imports"):  # even before anything recovers, an import that shows is complete
            assert count(copy, "questions") == count(copy, "golds") == 2
        landing.ensure(copy)
        n_appended = len(list(copy.root.glob("appended ?")))
        assert count(copy, "questions") in (n_appended, n_appended + 1), copy
        assert count(copy, "golds") in (n_appended, n_appended + 1), copy
        assert count(copy, "imports") >= (copy.root / "appended import").exists(), copy
        assert list(copy.landing.rglob("*.journal")) == list(copy.landing.rglob("*.part")) == []


# --- Speed --------------------------------------------------------------------------------------------------


def test_landing_costs_little_more_than_writing_the_file(home: Home, tmp_path: Path) -> None:
    n_frames, n_frame_rows = 1000, 100
    schema = landing.append_schema("result_rows")
    batches = [
        pa.RecordBatch.from_arrays(
            [
                pa.repeat(f"{frame:032d}", n_frame_rows),
                pa.array(range(n_frame_rows)),
                pa.array(
                    [[f"n:{frame * row}", "t:text", None] for row in range(n_frame_rows)],
                    schema.field(2).type,
                ),
            ],
            schema=schema,
        )
        for frame in range(n_frames)
    ]
    streams = [landing.to_ipc("result_rows", batch) for batch in batches]
    started_s = time.process_time()
    parquet.write_table(pa.Table.from_batches(batches), tmp_path / "bare.parquet", compression="zstd")
    bare_s = time.process_time() - started_s
    started_s = time.process_time()
    with landing.Writer(home, "execute") as writer:
        for stream in streams:
            writer.append_ipc("result_rows", stream)
            writer.sync()
    landing_s = time.process_time() - started_s
    assert landing.landed_keys(home, "result_rows").num_rows == n_frames * n_frame_rows
    assert landing_s < 20 * bare_s + 0.5  # measured: about 3 times; row by row in Python it would be 100
