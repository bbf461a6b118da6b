"""The bare cost of statements on a server: the driver alone, in as many processes, rows fetched and dropped.

What `glue execute` is measured against. `safe` sends what a session of glue.engines sends, with nothing
between the driver and the server: a transaction that may only read, a limit on the server, rows from a cursor
there, all undone after. `bare` is what everybody writes: autocommit, execute, fetchall.
"""

from __future__ import annotations

import multiprocessing
import select
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any, Literal

from glue.engines.server import Address

Way = Literal["safe", "bare"]
Run = Callable[[str], int]
"""Runs a statement, gives how many rows it has."""

_LIMIT_S = 30.5
_FETCHES = (16, 128)
"""Rows of the first fetches, as a worker asks for them; then 1,024 each."""


@dataclass
class Timed:
    """One way through all statements: seconds at them, seconds before, and each one's number of rows."""

    work_s: float
    start_s: float
    n_rows: list[int]


def run_bare(address: Address, sqls: Sequence[str], way: Way, n_processes: int) -> Timed:
    """Run statements in processes that are at the first one together, every n-th of them in each."""
    started_s = time.time()
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(n_processes)
    shares = [sqls[number::n_processes] for number in range(n_processes)]
    channels = []
    processes = []
    for share in shares:
        channel, end = context.Pipe()
        process = context.Process(target=_serve, args=(address, share, way, barrier, end))
        process.start()
        channels.append(channel)
        processes.append(process)
    answers: list[tuple[float, float, list[int]]] = [channel.recv() for channel in channels]
    for process in processes:
        process.join()
    n_rows = [0] * len(sqls)
    for number, (_, _, counts) in enumerate(answers):
        n_rows[number::n_processes] = counts
    begun_s, ended_s = min(answer[0] for answer in answers), max(answer[1] for answer in answers)
    return Timed(ended_s - begun_s, begun_s - started_s, n_rows)


def _serve(address: Address, sqls: Sequence[str], way: Way, barrier: Barrier, channel: Connection) -> None:
    run = _RUNS[address.engine, way](address)
    barrier.wait()
    begun_s = time.time()
    n_rows = [run(sql) for sql in sqls]
    channel.send((begun_s, time.time(), n_rows))


def _fetch_sizes() -> Iterator[int]:
    yield from _FETCHES
    while True:
        yield 1_024


# --- PostgreSQL ---------------------------------------------------------------------------------------------


def _postgresql(address: Address) -> Any:
    import psycopg

    return psycopg.connect(
        host=address.host,
        port=address.port,
        user=address.user,
        password=address.password,
        dbname=address.database,
        autocommit=True,
        prepare_threshold=None,
    )


def _postgresql_bare(address: Address) -> Run:
    connection = _postgresql(address)
    return lambda sql: len(connection.execute(sql).fetchall())


def _postgresql_safe(address: Address) -> Run:
    """libpq's pipeline, called as directly as psycopg lets one: its own `pipeline()` takes longer."""
    from psycopg import pq
    from psycopg.adapt import Transformer

    connection = _postgresql(address)
    link = connection.pgconn
    limit = b"SET LOCAL statement_timeout = %d" % round(_LIMIT_S * 1_000)

    def answers(*commands: bytes | None) -> list[Any]:
        link.enter_pipeline_mode()
        for command in commands:
            if command is None:
                link.pipeline_sync()
            else:
                link.send_query_params(command, None)
        link.pipeline_sync()
        found = []
        n_syncs = commands.count(None) + 1
        while n_syncs:
            while link.is_busy():
                select.select([link.socket], [], [])
                link.consume_input()
            result = link.get_result()
            if result is None:
                continue
            if result.status == pq.ExecStatus.PIPELINE_SYNC:
                n_syncs -= 1
            elif result.status == pq.ExecStatus.FATAL_ERROR:
                raise RuntimeError(result.error_message.decode())
            else:
                found.append(result)
        link.exit_pipeline_mode()
        return found

    def run(sql: str) -> int:
        sizes = _fetch_sizes()
        n_wanted, n_rows = next(sizes), 0
        *_, result = answers(
            b"BEGIN READ ONLY",
            limit,
            b"DECLARE bare NO SCROLL CURSOR WITHOUT HOLD FOR " + sql.encode(),
            b"FETCH FORWARD %d FROM bare" % n_wanted,
        )
        while True:
            transformer = Transformer(connection)
            transformer.set_pgresult(result)
            n_rows += len(transformer.load_rows(0, result.ntuples, tuple))
            if result.ntuples < n_wanted:
                break
            n_wanted = next(sizes)
            (result,) = answers(b"FETCH FORWARD %d FROM bare" % n_wanted)
        answers(b"ROLLBACK", None, b"DISCARD ALL")
        return n_rows

    return run


# --- MySQL and MariaDB --------------------------------------------------------------------------------------


def _mysql(address: Address) -> Any:
    import pymysql

    return pymysql.connect(
        host=address.host,
        port=address.port or 0,
        user=address.user,
        password=address.password or "",
        database=address.database,
        charset="utf8mb4",
        autocommit=True,
    )


def _mysql_bare(address: Address) -> Run:
    cursor = _mysql(address).cursor()

    def run(sql: str) -> int:
        cursor.execute(sql)
        return len(cursor.fetchall())

    return run


def _mysql_safe(address: Address) -> Run:
    from pymysql.cursors import SSCursor

    connection = _mysql(address)
    connection.query("SELECT @@global.sql_mode")
    ((modes,),) = connection._result.rows
    limit = f"max_statement_time = {_LIMIT_S:.3f}"
    if address.engine == "mysql":
        limit = f"max_execution_time = {round(_LIMIT_S * 1_000)}"
    read_only = "transaction_read_only" if address.engine == "mysql" else "tx_read_only"
    names = f"NAMES utf8mb4, time_zone = '+00:00', autocommit = 1, sql_mode = '{modes}'"
    settings = f"SET {names}, {read_only} = 1, {limit}"
    connection.query(settings)

    def run(sql: str) -> int:
        connection.query("START TRANSACTION READ ONLY")
        with SSCursor(connection) as cursor:
            cursor.execute(sql)
            n_rows = 0
            for n_wanted in _fetch_sizes():
                rows = cursor.fetchmany(n_wanted)
                n_rows += len(rows)
                if len(rows) < n_wanted:
                    break
        connection._execute_command(0x1F, b"")  # COM_RESET_CONNECTION, which rolls back
        connection._read_ok_packet()
        connection.query(settings)
        return n_rows

    return run


_RUNS: dict[tuple[str, Way], Callable[[Address], Run]] = {
    ("postgresql", "safe"): _postgresql_safe,
    ("postgresql", "bare"): _postgresql_bare,
    ("mysql", "safe"): _mysql_safe,
    ("mysql", "bare"): _mysql_bare,
    ("mariadb", "safe"): _mysql_safe,
    ("mariadb", "bare"): _mysql_bare,
}
