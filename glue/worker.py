"""A worker process of `glue execute`: runs statements one at a time and sends back what they gave.

The main thread runs statements. A second thread, the attendant, reads what the parent says and interrupts
the statement that has reached its limit; it works while the main thread is inside the engine. A worker that
does not come back from an interrupt is the parent's to kill.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from hashlib import md5
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from glue.cells import Cells, ResultDigest, RowCounter, cells_of_rows, rows_json
from glue.engines.base import (
    UNION_SUFFIX,
    Engine,
    Failure,
    Limits,
    Member,
    NotText,
    Row,
    Session,
    engine_named,
)
from glue.exchange import Board, Frame, FrameReader, Running, encoded
from glue.landing_rows import append_schema, to_ipc
from glue.landing_tables import TEXT, TEXTS

FLUSH_EVERY_S = 0.25
_FLUSH_BYTES = 8 << 20
_ATTEND_EVERY_S = 0.02
_READ_BYTES = 1 << 20
_MAX_OPEN_DATABASES = 4

_FIRST_FETCH_ROWS = 16
_MAX_FETCH_ROWS = 1_024
_FETCH_BYTES = 1 << 20
_ARROW_FROM_BYTES = 256 << 10

_MAX_DISTINCT_DIGESTS = 1_000_000
_MAX_NAME_CHARACTERS = 10_000


@dataclass(frozen=True)
class Settings:
    """What the parent asks of every worker. Bytes of a result are those of its rows' JSON."""

    max_rows: int
    max_result_bytes: int
    max_memory_bytes: int


@dataclass(frozen=True)
class Database:
    """A database file, or a union of them, as statements are run on it.

    `variant` and `snapshot_id` only pass through. A union has `members` and no path.
    """

    engine: str
    path: str
    snapshot_id: str
    variant: str
    members: tuple[Member, ...] = ()

    @classmethod
    def of_message(cls, fields: dict[str, Any]) -> Database:
        """What `asdict` made of one, sent as JSON."""
        members = tuple(
            Member(member["db_id"], member["path"], tuple((name, shown) for name, shown in member["tables"]))
            for member in fields["members"]
        )
        return cls(**{**fields, "members": members})

    def open(self, engine: Engine, limits: Limits) -> Session:
        """A session on it. Raises what the engine raises."""
        if self.engine.endswith(UNION_SUFFIX):
            return engine.open_union(self.members, limits)
        return engine.open(Path(self.path), limits)


@dataclass(frozen=True)
class Task:
    """One statement to run: `position` is its place in the parent's list."""

    position: int
    statement_id: str
    sql: str
    limit_s: float
    database: Database


# --- Results ------------------------------------------------------------------------------------------------


class TimedOut(Exception):
    """The statement's limit passed while its rows were read."""


@dataclass
class _Piece:
    """Rows of a result that are to be stored: as they came, or as Arrow where they are many."""

    rows: list[Cells]
    array: pa.Array | None
    n_rows: int

    def cells(self) -> list[Cells]:
        return self.rows if self.array is None else [tuple(row) for row in self.array.to_pylist()]


class Result:
    """A result in the making. Rows beyond a cap are not kept, but enter its identity and its signatures."""

    def __init__(self, column_names: list[str], settings: Settings) -> None:
        self.column_names = column_names
        self.n_rows = 0
        self.n_stored_rows = 0
        self.n_stored_bytes = 0
        self.pieces: list[_Piece] = []
        self._settings = settings
        self._digest = ResultDigest(len(column_names))
        self._counter: RowCounter | None = None

    @property
    def is_cut(self) -> bool:
        """Were there rows past a cap?"""
        return self._counter is not None

    def add(self, rows: list[Row]) -> None:
        """Take in the next rows."""
        cells = cells_of_rows(rows)
        text = rows_json(cells).encode()
        self._digest.add(text)
        self.n_rows += len(cells)
        n_bytes = len(text) - (len(cells) - 1)
        if self._counter is None:
            if self._has_room(len(cells), n_bytes):
                self._store(cells, n_bytes)
                return
            self._counter = RowCounter(_MAX_DISTINCT_DIGESTS)
            for piece in self.pieces:
                self._counter.add(piece.cells())
            self._store_what_fits(cells)
        self._counter.add(cells)

    def next_fetch_rows(self, n_fetched: int) -> int:
        """How many rows to ask for after `n_fetched`: more each time, while they stay around a megabyte."""
        if not n_fetched:
            return _FIRST_FETCH_ROWS
        if self.is_cut:
            return n_fetched
        mean_bytes = max(self.n_stored_bytes // max(self.n_stored_rows, 1), 1)
        return max(1, min(n_fetched * 8, _MAX_FETCH_ROWS, _FETCH_BYTES // mean_bytes))

    def result_id(self) -> str:
        """See cells.ResultDigest."""
        return self._digest.result_id(self.n_stored_rows if self.is_cut else None)

    def signatures(self) -> tuple[str, str] | tuple[None, None]:
        """The multiset and set signature of a cut result, over all its rows."""
        return (None, None) if self._counter is None else self._counter.signatures()

    def _has_room(self, n_rows: int, n_bytes: int) -> bool:
        return (
            self.n_stored_rows + n_rows <= self._settings.max_rows
            and self.n_stored_bytes + n_bytes <= self._settings.max_result_bytes
        )

    def _store(self, cells: list[Cells], n_bytes: int) -> None:
        is_large = n_bytes >= _ARROW_FROM_BYTES
        array = _list_array(cells) if is_large else None
        self.pieces.append(_Piece([] if is_large else cells, array, len(cells)))
        self.n_stored_rows += len(cells)
        self.n_stored_bytes += n_bytes

    def _store_what_fits(self, cells: list[Cells]) -> None:
        fitting: list[Cells] = []
        n_bytes = 0
        for row in cells:
            n_row_bytes = len(rows_json([row]).encode())
            if not self._has_room(len(fitting) + 1, n_bytes + n_row_bytes):
                break
            fitting.append(row)
            n_bytes += n_row_bytes
        if fitting:
            self._store(fitting, n_bytes)


def _list_array(rows: list[Cells]) -> pa.Array:
    width = len(rows[0])
    offsets = pa.array(range(0, width * len(rows) + 1, width), pa.int32())
    values = pa.array(list(chain.from_iterable(rows)), TEXT)
    return pa.ListArray.from_arrays(offsets, values, type=TEXTS)


def collect(session: Session, sql: str, settings: Settings, watch: Watch) -> tuple[Result, float]:
    """Run a statement and take in its rows. Gives the result and the seconds spent in the engine.

    Raises TimedOut or what the session raises.
    """
    try:
        return _collect(session, sql, settings, watch, as_raw_text=False)
    except NotText:
        session.finish()
        return _collect(session, sql, settings, watch, as_raw_text=True)


def _collect(
    session: Session, sql: str, settings: Settings, watch: Watch, as_raw_text: bool
) -> tuple[Result, float]:
    started_s = time.perf_counter()
    result = Result(session.execute(sql, as_raw_text), settings)
    n_rows = result.next_fetch_rows(0)
    rows = session.fetch(n_rows)
    elapsed_s = time.perf_counter() - started_s
    while rows:
        result.add(list(rows))
        watch.check()
        n_rows = result.next_fetch_rows(n_rows)
        started_s = time.perf_counter()
        rows = session.fetch(n_rows)
        elapsed_s += time.perf_counter() - started_s
    watch.check()
    return result, elapsed_s


class Watch:
    """Interrupts a statement at its limit. Armed by the main thread, looked at by the attendant."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._deadline_s = 0.0
        self._has_fired = False

    def arm(self, session: Session, deadline_s: float) -> None:
        """From now on `session` runs a statement that must end at `deadline_s` (time.monotonic)."""
        with self._lock:
            self._session, self._deadline_s, self._has_fired = session, deadline_s, False

    def disarm(self) -> None:
        """The statement is over: no interrupt can reach the next one."""
        with self._lock:
            self._session = None

    def check(self) -> None:
        """Raise TimedOut when the limit has passed."""
        if self._has_fired:
            raise TimedOut

    def look(self, must_stop: bool = False) -> None:
        """Interrupt the statement when its limit has passed, again at every look until it is over."""
        with self._lock:
            if self._session is not None and (must_stop or time.monotonic() >= self._deadline_s):
                self._has_fired = True
                self._session.interrupt()


# --- What is sent back --------------------------------------------------------------------------------------


@dataclass
class Outbox:
    """What has been done and not yet sent: rows of three landing tables."""

    settings: Settings
    known: set[str]
    outcomes: list[tuple[int, str]] = field(default_factory=list)
    n_bytes: int = 0
    _executions: list[dict[str, Any]] = field(default_factory=list)
    _results: list[dict[str, Any]] = field(default_factory=list)
    _cells: list[Cells] = field(default_factory=list)
    _counts: list[tuple[str, int, int]] = field(default_factory=list)
    _batches: list[pa.RecordBatch] = field(default_factory=list)

    def add_execution(self, task: Task, row: dict[str, Any]) -> None:
        """One attempt at a statement; `row` lacks what the task already says."""
        executed_at_us = time.time_ns() // 1_000
        database = task.database
        self._executions.append(
            {
                "execution_id": execution_id(task.statement_id, database.variant, executed_at_us),
                "statement_id": task.statement_id,
                "engine": database.engine,
                "snapshot_id": database.snapshot_id,
                "variant": database.variant,
                "is_killed": False,
                "timeout_ms": task.limit_s * 1_000,
                "max_rows": self.settings.max_rows,
                "executed_at": executed_at_us,
                **row,
            }
        )
        self.outcomes.append((task.position, row["outcome"]))

    def add_result(self, result_id: str, result: Result) -> None:
        """A result and its rows, unless it has been stored before."""
        if result_id in self.known:
            return
        self.known.add(result_id)
        multiset, distinct = result.signatures()
        self._results.append(
            {
                "result_id": result_id,
                "n_rows": result.n_rows,
                "n_columns": len(result.column_names),
                "n_stored_rows": result.n_stored_rows,
                "is_cut": result.is_cut,
                "cut_multiset_signature": multiset,
                "cut_set_signature": distinct,
            }
        )
        first_row = 1
        for piece in result.pieces:
            if piece.array is None:
                self._cells += piece.rows
                self._counts.append((result_id, first_row, piece.n_rows))
            else:
                self._batches.append(_rows_batch(result_id, first_row, piece.array))
            first_row += piece.n_rows
        self.n_bytes += result.n_stored_bytes

    def take(self) -> tuple[dict[str, Any], list[memoryview]]:
        """The header and the tables to send, in the order in which they must land; then it is empty."""
        batches = [*([self._small_rows()] if self._cells else []), *self._batches]
        tables: list[tuple[str, pa.Buffer]] = []
        if batches:
            tables.append(("result_rows", to_ipc("result_rows", pa.Table.from_batches(batches))))
        if self._results:
            tables.append(("results", to_ipc("results", self._results)))
        if self._executions:
            tables.append(("executions", to_ipc("executions", _executions_table(self._executions))))
        header = {
            "kind": "done",
            "outcomes": self.outcomes,
            "result_ids": [row["result_id"] for row in self._results],
            "tables": [name for name, _ in tables],
        }
        self.outcomes, self._executions, self._results, self._cells = [], [], [], []
        self._counts, self._batches, self.n_bytes = [], [], 0
        return header, [memoryview(data) for _, data in tables]

    def _small_rows(self) -> pa.RecordBatch:
        ids = list(chain.from_iterable([result_id] * n for result_id, _, n in self._counts))
        numbers = list(chain.from_iterable(range(first, first + n) for _, first, n in self._counts))
        offsets = list(accumulate(map(len, self._cells), initial=0))
        values = pa.array(list(chain.from_iterable(self._cells)), TEXT)
        cells = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=TEXTS)
        columns = [pa.array(ids, TEXT), pa.array(numbers, pa.int64()), cells]
        return pa.RecordBatch.from_arrays(columns, schema=append_schema("result_rows"))


def _rows_batch(result_id: str, first_row: int, cells: pa.Array) -> pa.RecordBatch:
    ids = pa.repeat(pa.scalar(result_id, TEXT), len(cells))
    numbers = pa.array(range(first_row, first_row + len(cells)), pa.int64())
    return pa.RecordBatch.from_arrays([ids, numbers, cells], schema=append_schema("result_rows"))


def _executions_table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=append_schema("executions"))


def execution_id(statement_id: str, variant: str, executed_at_us: int) -> str:
    """The key of one attempt: which statement, on what, when, and in which process."""
    return md5(f"{statement_id}|{variant}|{executed_at_us}|{os.getpid()}".encode()).hexdigest()


# --- The process --------------------------------------------------------------------------------------------


class Worker:
    """Runs tasks until its parent says stop or goes away."""

    def __init__(self, channel: socket.socket, board: Board, parent_id: int) -> None:
        self._channel = channel
        self._board = board
        self._parent_id = parent_id
        self._reader = FrameReader()
        self._send_lock = threading.Lock()
        self._watch = Watch()
        self._tasks: deque[Task] = deque()
        self._has_news = threading.Condition()
        self._is_stopping = False
        self._sessions: OrderedDict[Database, Session] = OrderedDict()
        self._engines: dict[str, Engine] = {}
        self._is_retiring = False
        self._settings: Settings | None = None
        self._outbox: Outbox | None = None
        self._outbox_lock = threading.RLock()
        self._flushed_s = time.monotonic()

    def work(self) -> None:
        """Serve the parent. Returns when there is nothing more to do for it."""
        threading.Thread(target=self._attend, name="attendant", daemon=True).start()
        while not self._is_retiring:
            task = self._next_task()
            if task is None:
                break
            self._run(task)
            if not self._tasks or self._is_flush_due():
                self._flush()
        self._flush()
        self._send({"kind": "bye"})

    # The attendant's side

    def _attend(self) -> None:
        try:
            while True:
                ready, _, _ = select.select([self._channel], [], [], _ATTEND_EVERY_S)
                if ready:
                    data = self._channel.recv(_READ_BYTES)
                    if not data:
                        os._exit(0)
                    for frame in self._reader.feed(data):
                        self._hear(frame)
                self._watch.look(must_stop=self._is_stopping)
                if self._is_flush_due():  # the main thread is at something long
                    self._flush()
                if os.getppid() != self._parent_id:
                    os._exit(0)
        except BaseException:
            os._exit(70)

    def _hear(self, frame: Frame) -> None:
        header = frame.header
        with self._has_news:
            if header["kind"] == "settings":
                self._settings = Settings(**header["settings"])
                self._outbox = Outbox(self._settings, set(header["known"]))
                self._send({"kind": "ready"})
            elif header["kind"] == "run":
                assert self._outbox is not None
                self._outbox.known.update(header["known"])
                database = Database.of_message(header["database"])
                self._tasks.extend(
                    Task(position, statement_id, sql, limit_s, database)
                    for position, statement_id, sql, limit_s in header["tasks"]
                )
            elif header["kind"] == "revoke":
                revoked = [task.position for task in self._tasks]
                self._tasks.clear()
                self._send({"kind": "revoked", "positions": revoked})
            elif header["kind"] == "stop":
                self._is_stopping = True
                self._tasks.clear()
            self._has_news.notify()

    # The main thread's side

    def _next_task(self) -> Task | None:
        """The next task; None when the parent says stop."""
        with self._has_news:
            while not self._tasks:
                if self._is_stopping:
                    return None
                self._has_news.wait()
            task = self._tasks.popleft()
            self._board.write(Running(task.position, time.monotonic(), task.limit_s))
            return task

    def _run(self, task: Task) -> None:
        assert self._settings is not None and self._outbox is not None
        started_s = time.monotonic()
        session = self._session(task, started_s)
        if session is None:
            self._board.clear()
            return
        self._watch.arm(session, started_s + task.limit_s)
        failure: Failure | None = None
        result: Result | None = None
        elapsed_s = 0.0
        try:
            result, elapsed_s = collect(session, task.sql, self._settings, self._watch)
        except TimedOut:
            failure = Failure("timed_out", "interrupted", None, "the limit passed while rows were read")
        except Exception as error:
            failure = session.failure(error)
            if self._watch_has_fired() and failure.outcome == "failed":
                failure = Failure("timed_out", "interrupted", failure.error_code, failure.error_message)
        self._watch.disarm()
        session.finish()
        self._board.clear()
        if failure is None:
            assert result is not None
            self._answer(task, result, elapsed_s)
        elif not (self._is_stopping and failure.outcome == "timed_out"):
            self._fail(task, failure, time.monotonic() - started_s)
            if failure.is_session_lost:
                self._drop_session(task.database)

    def _watch_has_fired(self) -> bool:
        try:
            self._watch.check()
        except TimedOut:
            return True
        return False

    def _answer(self, task: Task, result: Result, elapsed_s: float) -> None:
        assert self._outbox is not None
        result_id = result.result_id()
        row = {
            "outcome": "answered",
            "result_id": result_id,
            "n_rows": result.n_rows,
            "n_columns": len(result.column_names),
            "column_names": [_stored_name(name) for name in result.column_names],
            "is_cut": result.is_cut,
            "elapsed_ms": elapsed_s * 1_000,
        }
        with self._outbox_lock:
            self._outbox.add_result(result_id, result)
            self._outbox.add_execution(task, row)

    def _fail(self, task: Task, failure: Failure, elapsed_s: float) -> None:
        assert self._outbox is not None
        row = {
            "outcome": failure.outcome,
            "error_class": failure.error_class,
            "error_code": failure.error_code,
            "error_message": failure.error_message,
            "elapsed_ms": elapsed_s * 1_000,
        }
        with self._outbox_lock:
            self._outbox.add_execution(task, row)
        self._is_retiring = self._is_retiring or failure.is_memory_short

    def _session(self, task: Task, started_s: float) -> Session | None:
        """The open database of a task; None after landing that it cannot be opened."""
        database = task.database
        if database in self._sessions:
            self._sessions.move_to_end(database)
            return self._sessions[database]
        assert self._settings is not None
        if len(self._sessions) >= _MAX_OPEN_DATABASES:
            self._sessions.popitem(last=False)[1].close()
        if database.engine not in self._engines:
            self._engines[database.engine] = engine_named(database.engine)
        engine = self._engines[database.engine]
        limit_memory(None)
        try:
            session = database.open(engine, Limits(self._settings.max_memory_bytes))
        except Exception as error:
            self._fail(task, engine.open_failure(error), time.monotonic() - started_s)
            return None
        limit_memory(self._settings.max_memory_bytes)
        self._sessions[database] = session
        return session

    def _drop_session(self, database: Database) -> None:
        self._sessions.pop(database).close()

    def _is_flush_due(self) -> bool:
        outbox = self._outbox
        if outbox is None or not outbox.outcomes:
            return False
        return outbox.n_bytes >= _FLUSH_BYTES or time.monotonic() - self._flushed_s >= FLUSH_EVERY_S

    def _flush(self) -> None:
        with self._outbox_lock:
            if self._outbox is None or not self._outbox.outcomes:
                return
            header, parts = self._outbox.take()
            self._send({**header, "is_retiring": self._is_retiring}, parts)
            self._flushed_s = time.monotonic()

    def _send(self, header: dict[str, Any], parts: list[memoryview] | None = None) -> None:
        with self._send_lock:
            for part in encoded(header, parts or []):
                self._channel.sendall(part)


def _stored_name(name: str) -> str:
    return name if len(name) <= _MAX_NAME_CHARACTERS else f"{name[:_MAX_NAME_CHARACTERS]}…"


def limit_process() -> None:
    """A worker writes no file, leaves no core, and leaves Ctrl-C to its parent."""
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        resource.setrlimit(kind, (0, 0))


def limit_memory(max_bytes: int | None) -> None:
    """Allow this process `max_bytes` more address space than it holds now; None lifts the limit.

    Does nothing where the system does not say how much a process holds (macOS).
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if max_bytes is None:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        return
    statistics = Path("/proc/self/statm")
    if statistics.exists():
        held = int(statistics.read_text().split()[0]) * resource.getpagesize()
        allowed = held + max_bytes if hard == resource.RLIM_INFINITY else min(held + max_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def main(channel_descriptor: int, board_descriptor: int, parent_id: int) -> None:
    """The child process: serve the parent at the other end of the socket."""
    limit_process()
    channel = socket.socket(fileno=channel_descriptor)
    try:
        Worker(channel, Board(board_descriptor), parent_id).work()
    except BaseException:
        with contextlib.suppress(OSError):
            for part in encoded({"kind": "broken", "traceback": traceback.format_exc()}):
                channel.sendall(part)
        os._exit(70)
    os._exit(0)  # not one more line of engines' or libraries' code
