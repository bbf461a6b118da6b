"""`glue execute` on live servers: golds at both ends, few connections, lost ones tried again, none left."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from glue.errors import GlueError
from glue.execute import Addresses, Statement, execute
from glue.execute_work import TimeLimits, due_statements, with_golds_at_both_ends
from glue.home import Home
from glue.landing import Writer
from glue.run import ExecuteOptions, on_databases
from tests.engines.servers import LIVE, Server, Servers
from tests.execution_helpers import MemoryWriter, run, sqlite_database, statements

SCRIPT = "drop table if exists t; create table t (i integer); insert into t values (1), (2), (3);"
SLEEP = {"postgresql": "select 1 from pg_sleep({s})", "mariadb": "select 1 from t where sleep({s} / 3) = 0"}
KILLS_ITSELF = {
    "postgresql": "select pg_terminate_backend(pg_backend_pid()), pg_sleep(1)",
}
CANCELS_ITSELF = {
    "postgresql": "select pg_cancel_backend(pg_backend_pid()), pg_sleep(1)",
}
OPTION = {"postgresql": ("application_name", "other"), "mariadb": ("connect_timeout", "9")}
SNAPSHOT = "live:here/public@2026-11-30"


@pytest.fixture(params=LIVE)
def server(request: pytest.FixtureRequest, servers: Servers) -> Server:
    servers[request.param].run(SCRIPT)
    servers[request.param].wait_until_gone()
    return servers[request.param]


def live_statements(server: Server, sqls: dict[str, str], **more: Any) -> list[Statement]:
    """Statements on the server; those whose key begins with 'gold' are golds."""
    return [
        Statement(
            key,
            server.engine,
            SNAPSHOT,
            None,
            "untouched",
            sql,
            is_gold=key.startswith("gold"),
            connection="here",
            search_path=server.search_path,
            **more,
        )
        for key, sql in sqls.items()
    ]


def run_live(
    home: Home, server: Server, sqls: dict[str, str], **options: Any
) -> tuple[MemoryWriter, dict[tuple[str, str | None], dict[str, Any]]]:
    """Run statements; executions by statement_id and role, each once."""
    addresses = {("here", server.search_path): server.address}
    writer, _ = run(home, live_statements(server, sqls), addresses=addresses, **options)
    landed = writer.rows.get("executions", [])
    found = {(row["statement_id"], row["wave_role"]): row for row in landed}
    assert len(found) == len(landed)
    return writer, found


def later(seconds: float, act: Callable[[], object]) -> threading.Thread:
    """Do something while statements run."""
    thread = threading.Timer(seconds, act)
    thread.start()
    return thread


def worker_processes() -> list[int]:
    """The children of this process that are workers of ours."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                status, command = (folder / "status").read_text(), (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if f"PPid:\t{os.getpid()}\n" in status and b"glue.worker" in command:
                found.append(int(folder.name))
    return found


# The order of a wave


def test_golds_run_at_both_ends_and_all_else_between(home: Home, server: Server) -> None:
    sqls = {
        "gold a": "select count(*) from t",
        "gold b": "select max(i) from t",
        **{f"prediction {n}": f"select i + {n} from t order by i" for n in range(30)},
    }
    writer, found = run_live(home, server, sqls, workers=2)
    assert {row["outcome"] for row in found.values()} == {"answered"}
    assert len({row["wave_id"] for row in found.values()}) == 1
    assert None not in {row["wave_id"] for row in found.values()}
    times = {key: row["executed_at"] for key, row in found.items()}
    starts = [times[key, "start"] for key in ("gold a", "gold b")]
    ends = [times[key, "end"] for key in ("gold a", "gold b")]
    between = [at for (key, role), at in times.items() if role is None]
    assert len(between) == 30
    assert max(starts) <= min(between) <= max(between) <= min(ends)
    assert writer.cells(found["prediction 5", None]["result_id"]) == [["n:6"], ["n:7"], ["n:8"]]


def test_what_waits_for_a_slow_gold_waits(home: Home, server: Server) -> None:
    sqls = {"gold": SLEEP[server.engine].format(s=1), "prediction": "select 1"}
    started_us = time.time() * 1e6
    _, found = run_live(home, server, sqls, workers=2)
    at_us = found["prediction", None]["executed_at"].timestamp() * 1e6
    assert at_us - started_us > 1_000_000


def test_a_gold_that_changes_meanwhile_has_two_results(home: Home, server: Server) -> None:
    sqls = {"gold": "select count(*) from t", "prediction": SLEEP[server.engine].format(s=1.5)}

    def change() -> None:
        """While the prediction sleeps, however long the workers took to start."""
        n_seen = 0
        for _ in range(1_500):
            n_seen = n_seen + 1 if server.sessions(is_busy=True) else 0
            if n_seen == 10:
                break
            time.sleep(0.02)
        server.run("insert into t values (4)")

    changing = later(0, change)
    writer, found = run_live(home, server, sqls)
    changing.join()
    assert writer.cells(found["gold", "start"]["result_id"]) == [["n:3"]]
    assert writer.cells(found["gold", "end"]["result_id"]) == [["n:4"]]


def test_files_have_no_wave(home: Home, server: Server, tmp_path: Path) -> None:
    path = sqlite_database(tmp_path / "a.db", "create table t (i integer)")
    mixed = [*statements(path, {"file": "select 1"}), *live_statements(server, {"gold": "select 1"})]
    addresses = {("here", server.search_path): server.address}
    writer, summary = run(home, mixed, addresses=addresses)
    waves = {(row["statement_id"], row["wave_role"], row["wave_id"] is None)
             for row in writer.rows["executions"]}  # fmt: skip
    assert waves == {("file", None, True), ("gold", "start", False), ("gold", "end", False)}
    assert summary.n_run == 3
    assert len(writer.rows["results"]) == 1, "one result is stored once, wherever it came from"


def test_an_interrupted_wave_has_no_end(home: Home, server: Server) -> None:
    sqls = {"gold": "select 1", "slow": SLEEP[server.engine].format(s=30)}
    stopping = later(2.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    _, found = run_live(home, server, sqls, timeout_s=60)
    stopping.join()
    assert set(found) == {("gold", "start")}
    assert server.seconds_until_free() < 1
    server.wait_until_gone()


# Connections


@pytest.mark.parametrize(("workers", "at_most"), [(None, 2), (1, 1), (3, 3)])
def test_no_more_connections_than_workers(
    home: Home, server: Server, workers: int | None, at_most: int
) -> None:
    seen: list[int] = []
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(0.02):
            seen.append(len(server.sessions()))

    looking = threading.Thread(target=look)
    looking.start()
    sqls = {str(number): SLEEP[server.engine].format(s=0.1 + number / 1_000) for number in range(30)}
    run_live(home, server, sqls, workers=workers)
    is_over.set()
    looking.join()
    assert max(seen) == at_most
    server.wait_until_gone()


def test_one_connection_though_databases_differ(home: Home, server: Server) -> None:
    """A worker leaves one database of a server before it enters another."""
    seen: list[int] = []
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(0.01):
            seen.append(len(server.sessions()))

    looking = threading.Thread(target=look)
    looking.start()
    slow = {str(number): SLEEP[server.engine].format(s=0.3 + number / 1_000) for number in range(3)}
    here = live_statements(server, slow)
    there = [
        replace(each, statement_id=f"there {each.statement_id}", connection="there", snapshot_id="live:there")
        for each in here
    ]
    other = replace(server.address, options=(*server.address.options, OPTION[server.engine]))
    addresses = {("here", server.search_path): server.address, ("there", server.search_path): other}
    writer, _ = run(home, [*here, *there], addresses=addresses)
    is_over.set()
    looking.join()
    assert {row["outcome"] for row in writer.executions().values()} == {"answered"}
    assert len(writer.executions()) == 6
    assert max(seen) == 1


@pytest.mark.parametrize("how", ["end_session", "cancel_statement"])
def test_a_connection_lost_once_is_made_again(home: Home, server: Server, how: str) -> None:
    sql = f"/* lose me */ {SLEEP[server.engine].format(s=2)}"

    def lose() -> None:
        for _ in range(200):
            for server_id in server.sessions(is_busy=True):
                time.sleep(0.2)
                getattr(server, how)(server_id)
                return
            time.sleep(0.02)

    losing = later(0, lose)
    _, found = run_live(home, server, {"lost": sql, "next": "select 1"})
    losing.join()
    assert found["lost", None]["outcome"] == "answered"
    assert found["lost", None]["elapsed_ms"] < 4_000
    assert found["next", None]["outcome"] == "answered"
    server.wait_until_gone()


@pytest.mark.parametrize(
    ("texts", "error_class"), [(KILLS_ITSELF, "connection"), (CANCELS_ITSELF, "cancelled")]
)
def test_a_connection_lost_twice_is_an_outcome(
    home: Home, server: Server, texts: dict[str, str], error_class: str
) -> None:
    if server.engine not in texts:
        pytest.skip(f"a reading user of {server.engine} cannot end its own session in a SELECT")
    _, found = run_live(home, server, {"ends itself": texts[server.engine], "next": "select 1"})
    row = found["ends itself", None]
    assert (row["outcome"], row["error_class"], row["is_killed"]) == ("failed", error_class, False)
    assert row["error_message"]
    assert found["next", None]["outcome"] == "answered"


def test_a_server_that_is_gone_is_said_once_all_else_has_run(
    home: Home, server: Server, tmp_path: Path
) -> None:
    path = sqlite_database(tmp_path / "a.db", "create table t (i integer)")
    mixed = [*statements(path, {"file": "select 1"}), *live_statements(server, {"gold": "select 1"})]
    nowhere = replace(server.address, port=1)
    writer = MemoryWriter()
    with pytest.raises(GlueError) as caught:
        execute(home, mixed, writer=writer, workers=1, addresses={("here", server.search_path): nowhere})
    assert "'here'" in caught.value.message
    assert server.password not in caught.value.message + (caught.value.hint or "")
    assert set(writer.executions()) == {"file"}


def test_a_connection_that_is_not_there_any_more_keeps_nothing_else_from_running(
    home: Home, tmp_path: Path
) -> None:
    path = sqlite_database(tmp_path / "a.db", "create table t (i integer)")
    forgotten = Statement("live", "mariadb", SNAPSHOT, None, "untouched", "select 1", connection="gone")
    mixed = [*statements(path, {"file": "select 1"}), forgotten]
    writer = MemoryWriter()
    with pytest.raises(GlueError, match="there is no connection 'gone'"):
        execute(home, mixed, writer=writer, workers=1, addresses=Addresses(home))
    assert set(writer.executions()) == {"file"}


def test_nothing_that_lands_or_is_shown_holds_the_password(home: Home, server: Server) -> None:
    writer, _ = run_live(home, server, {"gold": "select 1", "wrong": "select nothing from nowhere"})
    assert server.password not in repr(writer.rows)
    assert server.password not in repr(server.address)


# Time


def test_a_statement_past_its_limit_frees_the_server(home: Home, server: Server) -> None:
    sqls = {"slow": SLEEP[server.engine].format(s=60), "next": "select 1"}
    _, found = run_live(home, server, sqls, timeout_s=0.5)
    row = found["slow", None]
    assert (row["outcome"], row["is_killed"]) == ("timed_out", False)
    assert 400 < row["elapsed_ms"] < 3_000
    assert found["next", None]["outcome"] == "answered"
    assert server.seconds_until_free() < 1


def test_the_parent_ends_the_session_of_a_worker_that_hangs(home: Home, server: Server) -> None:
    def stop_worker() -> None:
        while not server.sessions(is_busy=True):
            time.sleep(0.02)
        for process in worker_processes():
            os.kill(process, signal.SIGSTOP)

    stopping = later(0, stop_worker)
    sqls = {"hangs": SLEEP[server.engine].format(s=60), "next": "select 1"}
    _, found = run_live(home, server, {"hangs": sqls["hangs"]}, timeout_s=3)
    stopping.join()
    row = found["hangs", None]
    assert (row["outcome"], row["is_killed"]) == ("timed_out", True)
    server.wait_until_gone(2.0)  # a server told to end a session needs a moment for it


def test_the_parent_ends_the_session_of_a_worker_that_died(home: Home, server: Server) -> None:
    def kill_worker() -> None:
        while not server.sessions(is_busy=True):
            time.sleep(0.02)
        for process in worker_processes():
            os.kill(process, signal.SIGKILL)

    killing = later(0, kill_worker)
    _, found = run_live(home, server, {"dies": SLEEP[server.engine].format(s=60)}, timeout_s=30)
    killing.join()
    assert found["dies", None]["outcome"] == "crashed"
    server.wait_until_gone(2.0)  # a server told to end a session needs a moment for it


# What is due


def landed(home: Home, outcomes: dict[str, str]) -> None:
    with Writer(home, loop="execute", command="test") as writer:
        writer.append(
            "executions",
            [
                {"execution_id": key, "statement_id": key, "variant": "untouched", "outcome": outcome,
                 "timeout_ms": 10_000.0}
                for key, outcome in outcomes.items()
            ],
        )  # fmt: skip


def pending(key: str, **more: Any) -> Statement:
    return Statement(
        key, "postgresql", SNAPSHOT, None, "untouched", "select 1", key.startswith("gold"),
        connection="here", **more,
    )  # fmt: skip


def due_keys(home: Home, *given: Statement, again: bool = False) -> list[str]:
    return [each.statement_id for each in due_statements(home, given, TimeLimits(10, 100), "auto", again)]


def test_what_landed_in_another_wave_is_run_again(home: Home) -> None:
    landed(home, {"gold": "answered", "prediction": "answered", "slow": "timed_out"})
    given = [pending("gold"), pending("prediction"), pending("slow", timed_out_at_ms=10_000.0)]
    assert due_keys(home, *given) == ["gold", "prediction", "slow"]


def timed_out(key: str, at_ms: float, *also: str) -> Statement:
    return pending(key, timed_out_at_ms=at_ms, due_because=("timed_out", *also))


def test_what_the_pending_table_says_timed_out_waits_for_more_time(home: Home) -> None:
    assert due_keys(home, timed_out("slow", 10_000.0)) == []
    assert due_keys(home, timed_out("slow", 9_000.0)) == ["slow"]
    assert due_keys(home, timed_out("gold", 10_000.0)) == ["gold"]
    assert due_keys(home, timed_out("gold", 100_000.0)) == []


def test_what_a_later_wave_could_score_waits_for_nothing(home: Home) -> None:
    """Its question is out for every set until it has had its other try, also where that times out again."""
    assert due_keys(home, timed_out("slow", 10_000.0, "later_gold", "unscoreable")) == ["slow"]


def test_a_gold_that_has_run_waits_for_a_prediction_that_needs_it(home: Home) -> None:
    gold = pending("gold", due_because=("needed",), needed_by=("slow", "prediction"))
    slow = timed_out("slow", 10_000.0)
    assert due_keys(home, gold, slow) == []
    assert due_keys(home, gold, pending("other")) == ["other"]
    assert due_keys(home, gold, slow, pending("prediction")) == ["gold", "prediction"]
    assert due_keys(home, replace(gold, timed_out_at_ms=1e6), pending("prediction")) == ["gold", "prediction"]


def test_what_could_not_be_scored_is_asked_again_at_wish(home: Home) -> None:
    gold = pending("gold", due_because=("needed", "unscoreable"), needed_by=("prediction",))
    prediction = pending("prediction", due_because=("unscoreable",))
    slow = timed_out("slow", 10_000.0, "unscoreable")
    assert due_keys(home, gold, prediction, slow) == []
    assert due_keys(home, gold, pending("prediction")) == ["gold", "prediction"]
    assert due_keys(home, gold, prediction, slow, again=True) == ["gold", "prediction", "slow"]


def test_only_what_is_on_the_engines_and_connections_asked_for() -> None:
    table = pa.table(
        {
            "engine": ["sqlite", "sqlite_union", "postgresql", "postgresql", "mariadb"],
            "connection": [None, None, "sales", "stock", "sales2"],
            "row": [0, 1, 2, 3, 4],
        }
    )

    def rows(**options: Any) -> list[int]:
        return on_databases(table, ExecuteOptions(**options))["row"].to_pylist()

    assert rows() == [0, 1, 2, 3, 4]
    assert rows(engines=("sqlite",)) == [0, 1]
    assert rows(engines=("postgresql", "mariadb")) == [2, 3, 4]
    assert rows(connections=("sales",)) == [2]
    assert rows(engines=("mariadb",), connections=("sales",)) == []


def test_a_gold_without_an_end_is_run_again_by_itself(home: Home) -> None:
    landed(home, {"gold": "answered"})
    assert due_keys(home, pending("gold")) == ["gold"]


def test_golds_stand_at_both_ends() -> None:
    ran = with_golds_at_both_ends([pending("prediction"), pending("gold")])
    assert [(each.statement_id, each.wave_role) for each in ran] == [
        ("gold", "start"),
        ("prediction", None),
        ("gold", "end"),
    ]
