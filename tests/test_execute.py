"""`glue execute`: every statement has one outcome, whatever happens to the worker that ran it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from glue.cells import multiset_signature, row_digest, set_signature
from glue.errors import GlueError
from glue.execute import Statement, execute, statements_of, wanted_indexes_of
from glue.execute_work import MAX_CRASHES
from glue.home import Home
from glue.landing import Writer
from glue.prepared import WantedIndex
from tests.execution_helpers import (
    MemoryWriter,
    duckdb_database,
    run,
    run_one,
    sha256,
    sqlite_database,
    statements,
)

ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
NUMBERS = "with recursive n(i) as (select 1 union all select i + 1 from n where i < {}) select {} from n"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return sqlite_database(
        tmp_path / "shop.sqlite",
        "create table shop (id integer primary key, city text);"
        "insert into shop values (1, 'Oslo'), (2, 'Oslo'), (3, 'Lima');",
    )


def worker_ids() -> list[int]:
    """The workers that this process has started; it may have other children."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(child) for child in children if "glue.worker" in _command_of(child)]


def _command_of(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


# --- What lands ---------------------------------------------------------------------------------------------


def test_answers_failures_and_refusals_land(home: Home, database: Path) -> None:
    texts = {
        "all": "select city, id from shop order by id",
        "fails": "select town from shop",
        "refused": "drop table shop",
        "empty": "select city from shop where id > 9",
    }
    writer, summary = run(home, statements(database, texts))
    executions = writer.executions()
    assert {key: row["outcome"] for key, row in executions.items()} == {
        "all": "answered",
        "fails": "failed",
        "refused": "refused",
        "empty": "answered",
    }
    answered = executions["all"]
    assert (answered["n_rows"], answered["n_columns"], answered["column_names"]) == (3, 2, ["city", "id"])
    assert (answered["is_cut"], answered["is_killed"], answered["variant"]) == (False, False, "untouched")
    assert (answered["timeout_ms"], answered["max_rows"]) == (10_000.0, 100_000)
    assert 0 < answered["elapsed_ms"] < 1_000
    assert abs((datetime.now(UTC) - answered["executed_at"]).total_seconds()) < 60
    assert writer.cells(answered["result_id"]) == [["t:Oslo", "n:1"], ["t:Oslo", "n:2"], ["t:Lima", "n:3"]]
    text = '2|["t:Oslo","n:1"],["t:Oslo","n:2"],["t:Lima","n:3"]'
    assert answered["result_id"] == hashlib.md5(text.encode()).hexdigest()
    assert writer.cells(executions["empty"]["result_id"]) == []
    assert writer.result(executions["empty"]["result_id"])["n_rows"] == 0
    assert (executions["fails"]["error_class"], executions["fails"]["error_code"]) == (
        "unknown_column",
        "SQLITE_ERROR",
    )
    assert executions["fails"]["error_message"] == "no such column: town"
    assert executions["fails"]["result_id"] is None
    assert summary.outcomes == Counter(answered=2, failed=1, refused=1)
    assert (summary.n_pending, summary.n_run, summary.n_results, summary.n_left) == (4, 4, 2, 0)


def test_equal_results_are_stored_once_however_they_came(home: Home, database: Path) -> None:
    texts = {f"s{number}": f"select id + 0 * {number} from shop order by id" for number in range(200)}
    writer, summary = run(home, statements(database, texts), workers=2)
    assert summary.n_results == 1
    assert len({row["result_id"] for row in writer.executions().values()}) == 1
    assert len(writer.rows["results"]) == 1
    assert len(writer.rows["result_rows"]) == 3


def test_a_result_lands_before_what_refers_to_it(home: Home, database: Path) -> None:
    texts = {f"s{number}": f"select {number}" for number in range(50)}
    writer, _ = run(home, statements(database, texts))
    for index, table in enumerate(writer.tables):
        if table == "executions":
            assert writer.tables[index - 2 : index] == ["result_rows", "results"]


def test_a_landed_result_is_not_stored_again(home: Home, database: Path) -> None:
    for key in ("first", "second"):
        with Writer(home, "execute") as writer:
            summary = execute(
                home, statements(database, {key: f"select 1 -- {key}"}), writer=writer, workers=1
            )
            assert summary.outcomes == Counter(answered=1)
    landed = home.landing
    assert duckdb.sql(f"select count(*) from '{landed}/executions/*.parquet'").fetchall() == [(2,)]
    assert duckdb.sql(f"select count(*) from '{landed}/results/*.parquet'").fetchall() == [(1,)]
    assert duckdb.sql(f"select count(*) from '{landed}/result_rows/*.parquet'").fetchall() == [(1,)]


def test_column_names_are_kept_as_they_are(home: Home, database: Path) -> None:
    sql = 'select id as "Percent (%) [K-12]", city as 城市, city as 城市, 1 from shop limit 1'
    assert run_one(home, database, sql)["column_names"] == ["Percent (%) [K-12]", "城市", "城市", "1"]


# --- Caps ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_rows", "max_rows"), [(5, 3), (5_000, 1_000), (5_000, 1_001)])
def test_rows_past_the_cap_are_signed_and_not_stored(
    home: Home, database: Path, n_rows: int, max_rows: int
) -> None:
    writer, _ = run(
        home, statements(database, {"only": NUMBERS.format(n_rows, "i % 7 as x")}), max_rows=max_rows
    )
    execution = writer.executions()["only"]
    assert (execution["is_cut"], execution["n_rows"], execution["max_rows"]) == (True, n_rows, max_rows)
    rows = [(f"n:{number % 7}",) for number in range(1, n_rows + 1)]
    counts = Counter(map(row_digest, rows))
    result = writer.result(execution["result_id"])
    assert (result["n_rows"], result["n_stored_rows"], result["is_cut"]) == (n_rows, max_rows, True)
    assert result["cut_multiset_signature"] == multiset_signature(counts)
    assert result["cut_set_signature"] == set_signature(counts)
    assert writer.cells(execution["result_id"]) == [list(row) for row in rows[:max_rows]]
    text = ",".join(f'["{row[0]}"]' for row in rows)
    assert execution["result_id"] == hashlib.md5(f"1|{text}|cut@{max_rows}".encode()).hexdigest()


def test_exactly_the_cap_is_not_cut(home: Home, database: Path) -> None:
    execution = run_one(home, database, NUMBERS.format(1_000, "i"), max_rows=1_000)
    assert (execution["is_cut"], len(execution["cells"])) == (False, 1_000)


def test_a_cap_of_bytes_cuts_between_rows(home: Home, database: Path) -> None:
    pending = statements(database, {"only": NUMBERS.format(300, "printf('%098d', i) as x")})
    for max_bytes, n_stored in (
        (104 * 300, 300),
        (104 * 100 + 103, 100),
        (103, 0),
    ):  # a row: ["t:…98 digits…"]
        writer, _ = run(home, pending, max_result_bytes=max_bytes)
        result = writer.result(writer.executions()["only"]["result_id"])
        assert (result["n_rows"], result["n_stored_rows"], result["is_cut"]) == (
            300,
            n_stored,
            n_stored < 300,
        )


# --- Large and strange --------------------------------------------------------------------------------------


def test_large_and_strange_results_pass_through_landing(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "strange.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("create table t (x)")
    texts = ["名称", "😀", "a\0b", "\x1f\x7f", "", "  "]
    connection.executemany("insert into t values (?)", [(text,) for text in texts])
    connection.execute(
        "insert into t values (cast(x'416c62e9' as text)), (x'00ff'), (null), (9007199254740993)"
    )
    connection.commit()
    connection.close()
    columns = ", ".join(f"{number} as c{number}" for number in range(500))
    pending = statements(
        path,
        {
            "strange": "select x, 9007199254740992.0, -0.0, 1 = 1 from t",
            "long": NUMBERS.format(100_000, "i, 'row ' || i, null"),
            "wide": f"select {columns}",
            "big": "select replace(hex(zeroblob(5000000)), '0', 'é'), 1",
        },
    )
    with Writer(home, "execute") as writer:
        summary = execute(home, pending, writer=writer, workers=2, timeout_s=60)
    assert summary.outcomes == Counter(answered=4)
    rows = f"'{home.landing}/result_rows/*.parquet'"
    found = duckdb.sql(
        f"""select e.statement_id, r.row_number, r.cells
        from '{home.landing}/executions/*.parquet' e join {rows} r using (result_id)
        where e.statement_id = 'strange' order by all"""
    ).fetchall()
    expected = [*(f"t:{text}" for text in texts), "r:416c62e9", "b:00ff", None, "n:9007199254740993"]
    assert [cells for _, _, cells in found] == [
        [cell, "n:9007199254740992", "n:0", "n:1"] for cell in expected
    ]
    shapes = duckdb.sql(
        f"""select e.statement_id, count(*), max(len(r.cells)), max(len(r.cells[1])), max(r.row_number)
        from '{home.landing}/executions/*.parquet' e join {rows} r using (result_id)
        group by all order by all"""
    ).fetchall()
    assert shapes == [
        ("big", 1, 2, 10_000_002, 1),
        ("long", 100_000, 3, 8, 100_000),
        ("strange", 10, 4, 18, 10),
        ("wide", 1, 500, 3, 1),
    ]
    (digest,) = duckdb.sql(
        f"""select md5('3|' || string_agg(to_json(cells), ',' order by row_number)) from {rows}
        where len(cells) = 3"""
    ).fetchall()[0]
    (result_id,) = duckdb.sql(
        f"select result_id from '{home.landing}/executions/*.parquet' where statement_id = 'long'"
    ).fetchall()[0]
    assert digest == result_id


# --- Limits and deaths --------------------------------------------------------------------------------------


def test_a_gold_has_a_limit_of_its_own(home: Home, database: Path) -> None:
    pending = [
        *statements(database, {"prediction": ENDLESS}),
        *statements(database, {"gold": ENDLESS + " -- gold"}, is_gold=True),
    ]
    writer, _ = run(home, pending, timeout_s=0.2, gold_timeout_s=0.6)
    executions = writer.executions()
    assert {row["outcome"] for row in executions.values()} == {"timed_out"}
    assert executions["prediction"]["timeout_ms"] == 200.0
    assert executions["gold"]["timeout_ms"] == 600.0
    assert executions["gold"]["elapsed_ms"] > 550


def test_statements_behind_a_long_one_are_run_elsewhere(home: Home, database: Path) -> None:
    texts = {"long": ENDLESS} | {f"s{number}": f"select {number}" for number in range(15)}
    writer, _ = run(home, statements(database, texts), workers=2, timeout_s=2.0)
    executions = writer.executions()
    long = executions.pop("long")
    assert long["outcome"] == "timed_out"
    began = max(row["executed_at"] for row in executions.values())
    assert long["executed_at"] > began  # when each ended: behind it they would have ended after it


def test_a_worker_that_dies_costs_one_statement(home: Home, database: Path) -> None:
    texts = {"first": "select 1", "deadly": ENDLESS, "second": "select 2", "third": "select 3"}

    def kill_worker() -> None:
        time.sleep(1.0)
        for worker in worker_ids():
            os.kill(worker, signal.SIGSEGV)

    killer = threading.Thread(target=kill_worker)
    killer.start()
    writer, summary = run(home, statements(database, texts), timeout_s=60.0)
    killer.join()
    executions = writer.executions()
    assert {key: row["outcome"] for key, row in executions.items()} == {
        "first": "answered",
        "deadly": "crashed",
        "second": "answered",
        "third": "answered",
    }
    assert executions["deadly"]["error_code"] == "SIGSEGV"
    assert executions["deadly"]["error_class"] == "crash"
    assert 100 < executions["deadly"]["elapsed_ms"] < 5_000
    assert summary.n_killed == 0


def test_what_kills_a_worker_after_it_was_run_is_found_out(
    home: Home, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that dies of a result while sending it: the parent tells which by running each alone."""
    program = """
import os, sys
sys.path.insert(0, {folder!r})
import glue.worker as worker
take = worker.Outbox.take
worker.Outbox.take = lambda box: os._exit(9) if 3 in dict(box.outcomes) else take(box)
worker.main({arguments})
"""
    monkeypatch.setattr("glue.execute_processes._PROGRAM", program)
    texts = {f"s{number}": f"select {number}" for number in range(8)}
    writer, _ = run(home, statements(database, texts))
    outcomes = {key: row["outcome"] for key, row in writer.executions().items()}
    assert outcomes == {key: "crashed" if key == "s3" else "answered" for key in texts}
    assert writer.executions()["s3"]["error_code"] == "exit status 9"


@pytest.mark.slow
def test_whatever_dies_every_statement_has_one_outcome(home: Home, database: Path) -> None:
    work = f"(select count(*) from ({NUMBERS.format(3_000, 'i')}))"
    texts = {f"s{number}": f"select {number}, {work}" for number in range(2_000)}
    n_kills = 0

    def kill_workers() -> None:
        nonlocal n_kills
        for _ in range(4):
            time.sleep(0.5)
            for worker in worker_ids()[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    n_kills += 1

    killer = threading.Thread(target=kill_workers)
    killer.start()
    writer, summary = run(home, statements(database, texts), workers=2)
    killer.join()
    executions = writer.executions()
    assert executions.keys() == texts.keys()
    outcomes = Counter(row["outcome"] for row in executions.values())
    assert outcomes.keys() <= {"answered", "crashed"}
    assert n_kills >= 1
    assert outcomes["crashed"] <= n_kills
    assert summary.outcomes == outcomes
    assert len(writer.rows["results"]) == outcomes["answered"]
    assert len(writer.rows["result_rows"]) == outcomes["answered"]


def test_running_out_of_memory_costs_one_statement(home: Home, database: Path) -> None:
    texts = {
        "hungry": "select group_concat(x) from ("
        + NUMBERS.format(200, "hex(zeroblob(i * 0 + 2000000)) as x")
        + ")",
        "hungrier": "with recursive n(i, x) as (select 1, zeroblob(30000000) union all "
        "select i + 1, zeroblob(30000000 + i) from n where i < 60) select count(distinct x) from n",
        "modest": "select 1",
    }
    writer, _ = run(home, statements(database, texts), max_memory_bytes=300 << 20)
    executions = writer.executions()
    for key in ("hungry", "hungrier"):
        assert (executions[key]["outcome"], executions[key]["error_class"]) == ("failed", "resource"), key
    assert executions["modest"]["outcome"] == "answered"


def test_ctrl_c_keeps_what_was_done(home: Home, database: Path) -> None:
    texts = {"first": "select 1", "second": "select 2", "endless": ENDLESS, "last": "select 3"}
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    started_s = time.monotonic()
    writer, summary = run(home, statements(database, texts), timeout_s=60.0)
    assert time.monotonic() - started_s < 5
    assert summary.is_interrupted
    assert (summary.n_left, summary.outcomes) == (2, Counter(answered=2))
    assert writer.executions().keys() == {"first", "second"}
    assert worker_ids() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_no_worker_outlives_its_parent(tmp_path: Path, database: Path) -> None:
    program = f"""
from pathlib import Path
from glue.home import Home
from tests.execution_helpers import run, statements
pending = statements(Path({str(database)!r}), {{"endless": {ENDLESS!r}}})
run(Home(Path({str(tmp_path)!r})), pending, timeout_s=60.0)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[1], env={**os.environ, "PYTHONPATH": "."}
    )
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    assert _within(20, lambda: bool(children.read_text().split()))
    time.sleep(1.0)
    workers = [Path("/proc") / word for word in children.read_text().split()]
    parent.kill()
    parent.wait()
    assert workers
    assert _within(5, lambda: not any(_is_alive(worker) for worker in workers))


def _is_alive(process: Path) -> bool:
    try:
        return process.joinpath("stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _within(seconds: float, condition: Any) -> bool:
    deadline_s = time.monotonic() + seconds
    while time.monotonic() < deadline_s:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_an_error_of_the_writer_ends_the_run_and_its_workers(home: Home, database: Path) -> None:
    class FullDisk(MemoryWriter):
        def append_ipc(self, table: str, data: memoryview) -> None:
            raise GlueError("no space left", "make some")

    with pytest.raises(GlueError, match="no space left"):
        execute(home, statements(database, {"one": "select 1"}), writer=FullDisk(), workers=1)
    assert worker_ids() == []


def test_workers_that_cannot_start_end_the_run(
    home: Home, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(GlueError, match="5 worker processes in a row died at their start"):
        run(home, statements(database, {"one": "select 1"}))


# --- Databases and variants ---------------------------------------------------------------------------------


def test_a_database_that_is_not_as_imported_is_no_database(
    home: Home, database: Path, tmp_path: Path
) -> None:
    pending = [
        replace(statements(database, {"changed": "select 1"})[0], snapshot_id="0" * 64),
        *statements(tmp_path / "missing.sqlite", {"missing": "select 1"}),
        replace(statements(database, {"nowhere": "select 1"})[0], database_path=None),
        *statements(database, {"fine": "select 1"}),
    ]
    writer, summary = run(home, pending)
    executions = writer.executions()
    assert {key: row["outcome"] for key, row in executions.items()} == {
        "changed": "no_database",
        "missing": "no_database",
        "nowhere": "no_database",
        "fine": "answered",
    }
    assert f"{database} has changed: sha256 {sha256(database)[:12]}" in executions["changed"]["error_message"]
    assert "missing.sqlite cannot be read" in executions["missing"]["error_message"]
    assert executions["nowhere"]["error_message"] == "the database has no file"
    assert len(summary.warnings) == 3
    assert not (tmp_path / "missing.sqlite").exists()


def test_a_file_with_the_right_digest_that_is_no_database(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("nothing of the kind " * 1_000)
    execution = run_one(home, path, "select 1")
    assert (execution["outcome"], execution["error_class"]) == ("no_database", "connection")
    assert "not a database" in execution["error_message"]


@pytest.mark.parametrize(
    ("prepared", "variants"),
    [("auto", {"untouched", "prepared"}), ("all", {"prepared"}), ("none", {"untouched"})],
)
def test_where_statements_run(home: Home, database: Path, prepared: str, variants: set[str]) -> None:
    sql = "select count(*) from sqlite_master where type = 'index'"
    pending = [
        *statements(database, {"one": sql}, variant="untouched"),
        *statements(database, {"one": sql}, variant="prepared"),
    ]
    index = WantedIndex(sha256(database), "shop", ("city",))
    writer, summary = run(home, pending, prepared=prepared, prepared_indexes=[index])
    rows = writer.rows["executions"]
    assert {row["variant"] for row in rows} == variants
    assert len(rows) == len(variants)
    answers = {row["variant"]: writer.cells(row["result_id"]) for row in rows}
    assert answers == {variant: [["n:1" if variant == "prepared" else "n:0"]] for variant in sorted(variants)}
    copies = writer.rows.get("prepared_copies", [])
    assert len(copies) == summary.n_copies_made == ("prepared" in variants)
    if copies:
        assert (copies[0]["snapshot_id"], copies[0]["n_indexes"]) == (sha256(database), 1)
        assert copies[0]["recipe"].startswith("2-")
        assert copies[0]["n_bytes"] >= database.stat().st_size


def test_a_copy_that_finds_no_room_is_replaced_by_the_file(
    home: Home, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALHOUSE_CACHE_BYTES", "100")
    writer, summary = run(home, statements(database, {"one": "select 1"}, variant="prepared"))
    assert writer.executions()["one"]["outcome"] == "answered"
    assert "no room" in summary.warnings[0]
    assert "prepared_copies" not in writer.rows


def test_duckdb_runs_on_the_file_itself(home: Home, tmp_path: Path) -> None:
    path = duckdb_database(
        tmp_path / "d.duckdb", "create table t as select 1.10::decimal(9,2) as a, date '2024-01-31' as b"
    )
    before = sha256(path)
    writer, summary = run(home, statements(path, {"one": "select * from t"}, "duckdb", variant="prepared"))
    execution = writer.executions()["one"]
    assert writer.cells(execution["result_id"]) == [["n:1.1", "d:2024-01-31"]]
    assert (execution["variant"], summary.n_copies_made) == ("prepared", 0)
    assert sha256(path) == before


def test_a_duckdb_file_with_a_log_beside_it_is_not_as_imported(home: Home, tmp_path: Path) -> None:
    path = duckdb_database(tmp_path / "d.duckdb", "create table t as select 1 as a")
    (tmp_path / "d.duckdb.wal").write_bytes(b"something")
    execution = run_one(home, path, "select * from t", "duckdb")
    assert execution["outcome"] == "no_database"
    assert "d.duckdb.wal holds changes" in execution["error_message"]


def test_both_engines_in_one_wave(home: Home, database: Path, tmp_path: Path) -> None:
    other = duckdb_database(tmp_path / "d.duckdb", "create table t as select 1 as a")
    pending = [
        *statements(database, {"sqlite": "select 1.0"}),
        *statements(other, {"duckdb": "select 1.0::decimal(9,1)"}, "duckdb"),
    ]
    writer, summary = run(home, pending, workers=2)
    first, second = writer.executions().values()
    assert first["result_id"] == second["result_id"]
    assert summary.n_results == 1


def test_an_unknown_engine_is_named(home: Home, database: Path) -> None:
    with pytest.raises(GlueError, match="there is no engine 'sqlit'"):
        run(home, statements(database, {"one": "select 1"}, "sqlit"))


# --- What is due --------------------------------------------------------------------------------------------


def _land(home: Home, statement_id: str, outcome: str, timeout_ms: float = 1_000.0, n: int = 1) -> None:
    with Writer(home, "execute") as writer:
        writer.append(
            "executions",
            [
                {
                    "execution_id": f"{statement_id} {number}",
                    "statement_id": statement_id,
                    "variant": "untouched",
                    "outcome": outcome,
                    "timeout_ms": timeout_ms,
                }
                for number in range(n)
            ],
        )


def test_what_has_landed_with_a_final_outcome_is_not_run_again(home: Home, database: Path) -> None:
    for outcome in ("answered", "failed", "refused"):
        _land(home, outcome, outcome)
    _land(home, "timed out at 1 s", "timed_out", 1_000.0)
    _land(home, "timed out at 20 s", "timed_out", 20_000.0)
    _land(home, "crashed once", "crashed")
    _land(home, "crashed often", "crashed", n=MAX_CRASHES)
    _land(home, "no database", "no_database")
    keys = [
        "answered",
        "failed",
        "refused",
        "timed out at 1 s",
        "timed out at 20 s",
        "crashed once",
        "crashed often",
        "no database",
        "new",
    ]
    writer, summary = run(home, statements(database, dict.fromkeys(keys, "select 1")), timeout_s=10.0)
    assert writer.executions().keys() == {"timed out at 1 s", "crashed once", "no database", "new"}
    assert (summary.n_pending, summary.n_skipped, summary.n_run) == (9, 5, 4)
    other, _ = run(home, statements(database, {"answered": "select 1"}, variant="prepared"))
    assert other.executions().keys() == {"answered"}  # another variant is another attempt


def test_what_is_known_to_time_out_is_not_run_at_the_same_limit(home: Home, database: Path) -> None:
    pending = statements(database, {"slow": "select 1"}, timed_out_at_ms=5_000.0)
    assert run(home, pending, timeout_s=5.0)[1].n_skipped == 1
    assert run(home, pending, timeout_s=5.1)[1].n_run == 1


def test_nothing_pending_is_nothing_done(home: Home) -> None:
    writer, summary = run(home, [])
    assert writer.tables == []
    assert (summary.n_run, summary.is_interrupted) == (0, False)


def test_handoff_tables_become_statements_and_indexes() -> None:
    row = {
        "statement_id": "s",
        "engine": "sqlite",
        "snapshot_id": "x",
        "database_path": "/d",
        "variant": "prepared",
        "sql": "select 1",
        "is_gold": True,
        "benchmark": ["b"],
        "timed_out_at_ms": None,
        "n_attempts": 2,
        "is_likely_slow": True,
        "due_because": ["not_run"],
    }
    assert statements_of(pa.Table.from_pylist([row])) == [
        Statement("s", "sqlite", "x", "/d", "prepared", "select 1", True, None, 2, True)
    ]
    wanted = {"snapshot_id": "x", "database_path": "/d", "table_name": "t", "column_names": ["a", "b"]}
    assert wanted_indexes_of(pa.Table.from_pylist([wanted])) == [WantedIndex("x", "t", ("a", "b"))]


def test_what_may_take_long_is_begun_first(home: Home, database: Path) -> None:
    quick = statements(database, {f"quick {i}": f"select {i}" for i in range(40)})
    slow = [replace(each, is_likely_slow=True) for each in statements(database, {"slow": "select 'slow'"})]
    writer, _ = run(home, [*quick, *slow], workers=1)
    first = min(writer.rows["executions"], key=itemgetter("executed_at"))
    assert first["statement_id"] == slow[0].statement_id


def test_progress_hears_of_every_statement(home: Home, database: Path) -> None:
    class Listener:
        def __init__(self) -> None:
            self.total = self.n_done = self.n_failed = 0
            self.is_finished = False

        def start(self, what: str, total: int) -> None:
            self.total = total

        def advance(self, n_done: int, n_failed: int) -> None:
            self.n_done += n_done
            self.n_failed += n_failed

        def note(self, text: str) -> None:
            raise AssertionError(text)

        def finish(self) -> None:
            self.is_finished = True

    listener = Listener()
    texts = {"a": "select 1", "b": "select nothing", "c": "select 2"}
    run(home, statements(database, texts), progress=listener)
    assert (listener.total, listener.n_done, listener.n_failed, listener.is_finished) == (3, 3, 1, True)
