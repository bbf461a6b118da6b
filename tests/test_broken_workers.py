"""Workers that talk nonsense or break down: each costs one statement, not the run."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from glue.exchange import Board, FrameReader
from glue.execute import execute
from glue.home import Home
from glue.landing import Writer
from glue.worker import Worker
from tests.execution_helpers import duckdb_database, run, sqlite_database, statements


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return sqlite_database(tmp_path / "t.sqlite", "create table t (i integer)")


@pytest.mark.parametrize(
    "garbled",
    [
        "(head, [memoryview(b'no Arrow') for _ in parts])",
        "({**head, 'tables': ['runs' for _ in parts]}, parts)",
        "({**head, 'outcomes': 3}, parts)",
        "({**head, 'gold_signatures': [[999, '']]}, parts)",
    ],
)
def test_a_worker_that_talks_nonsense_costs_one_statement(
    home: Home, database: Path, monkeypatch: pytest.MonkeyPatch, garbled: str
) -> None:
    """With a real writer, which is told apart from one that cannot write."""
    program = f"""
import sys
sys.path.insert(0, {{folder!r}})
import glue.worker as worker
take = worker.Outbox.take
def garbling(box):
    is_odd = 3 in dict(box.outcomes)
    head, parts = take(box)
    return {garbled.replace("{", "{{").replace("}", "}}")} if is_odd else (head, parts)
worker.Outbox.take = garbling
worker.main({{arguments}})
"""
    monkeypatch.setattr("glue.execute_processes._PROGRAM", program)
    texts = {f"s{number}": f"select {number}" for number in range(8)}
    with Writer(home, loop="execute") as writer:
        summary = execute(home, statements(database, texts), writer=writer, workers=1)
    assert summary.outcomes["answered"] >= 7
    assert summary.n_run == 8, "each has one outcome"


def test_a_worker_says_that_it_is_broken_between_two_messages() -> None:
    parent_end, child_end = socket.socketpair()
    board = Board.create()
    with parent_end, child_end:
        worker = Worker(child_end, board, os.getppid())
        parent_end.settimeout(0.3)
        with worker._send_lock:  # the attendant is sending
            breaking = threading.Thread(target=worker.break_down, args=("why",))
            breaking.start()
            with pytest.raises(TimeoutError):
                parent_end.recv(1)
        breaking.join()
        (frame,) = FrameReader().feed(parent_end.recv(1 << 16))
    board.close()
    assert frame.header == {"kind": "broken", "traceback": "why"}


def test_a_database_that_cannot_be_opened_lifts_no_limit(home: Home, tmp_path: Path) -> None:
    """The limit of memory is lifted while one is opened; statements on those that are open come after it."""
    database = duckdb_database(tmp_path / "t.duckdb", "create table t (i integer)")
    broken = tmp_path / "broken.duckdb"
    broken.write_bytes(b"no database" * 100)
    hungry = "select list_sum(range(200000000))"  # 1.6 GB that DuckDB's own limit does not count
    pending = [
        *statements(database, {"first": "select 1"}, "duckdb", is_likely_slow=True),
        *statements(broken, {"unopened": "select 1"}, "duckdb", is_likely_slow=True),
        *statements(database, {"hungry": hungry}, "duckdb"),
    ]
    writer, _ = run(home, pending, max_memory_bytes=600 << 20)
    executions = writer.executions()
    assert executions["first"]["outcome"] == "answered"
    assert executions["unopened"]["outcome"] == "no_database"
    assert (executions["hungry"]["outcome"], executions["hungry"]["error_class"]) == ("failed", "resource")
