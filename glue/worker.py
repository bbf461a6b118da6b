"""A worker process of `glue execute`: runs statements one at a time and sends back what they gave.

The main thread runs statements. A second thread, the attendant, reads what the parent says and interrupts
the statement that has reached its limit; it works while the main thread is inside the engine. A worker that
does not come back from an interrupt is the parent's to kill.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import os
import select
import socket
import sys
import threading
import time
import traceback
from collections import OrderedDict, deque
from typing import Any

from glue.engines.base import Engine, Failure, Limits, Session, engine_named
from glue.engines.server import ServerSession
from glue.exchange import Board, Frame, FrameReader, Running, encoded
from glue.keeping import is_asked_first, must_be_kept, must_be_signed
from glue.worker_limits import TimedOut, Watch, limit_memory, limit_process
from glue.worker_outbox import FLUSH_EVERY_S, Outbox
from glue.worker_results import Result, collect
from glue.worker_tasks import Database, Settings, Task

_FLUSH_BYTES = 8 << 20
_ATTEND_EVERY_S = 0.02
_READ_BYTES = 1 << 20
_MAX_OPEN_DATABASES = 4
_MAX_NAME_CHARACTERS = 10_000
_GC_THRESHOLDS = (50_000, 20, 100)
"""Rows are many objects and no cycles: Python's own pace takes half of a large result's time."""
_CONNECTING_S = 30.0
"""How long connecting to a server may take, tried twice."""
_RECONNECT_AFTER_S = 1.0
_UNREACHABLE_S = 10.0
"""So long after a server could not be reached, statements do not wait for it again."""
_LOST_CLASSES = {"connection", "cancelled"}
"""What befalls a statement from outside: with these, and not past its limit, it is tried once more."""


class Worker:
    """Runs tasks until its parent says stop or goes away."""

    settings_class: type[Settings] = Settings

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
        self._unreachable: dict[Database, tuple[Exception, float]] = {}
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

    def break_down(self, why: str) -> None:
        """Tell the parent that this is the end, between two messages of the attendant."""
        self._send({"kind": "broken", "traceback": why})

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
                self._settings = self.settings_class(**header["settings"])
                self._outbox = self._new_outbox(set(header["known"]))
                self._send({"kind": "ready"})
            elif header["kind"] == "run":
                assert self._outbox is not None
                self._outbox.known.update(header["known"])
                database = Database.of_message(header["database"])
                self._tasks.extend(
                    Task(position, statement_id, sql, limit_s, database, header["wave_role"], equal_to)
                    for position, statement_id, sql, limit_s, equal_to in header["tasks"]
                )
            elif header["kind"] == "revoke":
                revoked = [task.position for task in self._tasks]
                self._tasks.clear()
                self._send({"kind": "revoked", "positions": revoked})
            elif header["kind"] == "stop":
                self._is_stopping = True
                self._tasks.clear()
            self._has_news.notify()

    def _new_outbox(self, known: set[str]) -> Outbox:
        """Where what has been done waits to be sent; `known` are results that are stored already."""
        assert self._settings is not None
        return Outbox(self._settings, known)

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
        if not self._attempt(task, may_try_again=task.database.server is not None):
            self._attempt(task, may_try_again=False)

    def _attempt(self, task: Task, may_try_again: bool) -> bool:
        """Run a statement. False where its connection was lost and it may be tried again."""
        assert self._settings is not None and self._outbox is not None
        started_s = time.monotonic()
        session = self._session(task, started_s)
        if session is None:
            self._board.clear()
            return True
        if task.database.server is not None:  # connecting is not the statement's time
            started_s = time.monotonic()
            self._board.write(Running(task.position, started_s, task.limit_s))
        session.limit_time(task.limit_s)
        self._watch.arm(session, started_s + task.limit_s)
        failure: Failure | None = None
        result: Result | None = None
        elapsed_s = 0.0
        must_sign = must_be_signed(task, self._settings)
        try:
            result, elapsed_s = collect(session, task.sql, self._settings, self._watch, must_sign)
        except TimedOut:
            failure = Failure("timed_out", "interrupted", None, "the limit passed while rows were read")
        except Exception as error:
            failure = session.failure(error)
            if self._watch_has_fired() and failure.outcome == "failed":
                failure = Failure("timed_out", "interrupted", failure.error_code, failure.error_message)
        self._watch.disarm()
        session.finish()
        is_lost = failure is not None and failure.outcome == "failed" and failure.error_class in _LOST_CLASSES
        must_try_again = may_try_again and is_lost
        if session.is_closed or (failure is not None and failure.is_session_lost):
            self._drop_session(task)
        if must_try_again:
            return False
        self._board.clear()
        if failure is None:
            assert result is not None
            self._answer(task, result, elapsed_s)
        elif not (self._is_stopping and failure.outcome == "timed_out"):
            self._fail(task, failure, time.monotonic() - started_s)
        return True

    def _watch_has_fired(self) -> bool:
        try:
            self._watch.check()
        except TimedOut:
            return True
        return False

    def _answer(self, task: Task, result: Result, elapsed_s: float) -> None:
        assert self._outbox is not None
        result_id = result.result_id()
        signature = result.signatures()[0]
        if not must_be_kept(task, self._outbox.settings, signature):
            result.leave_out_rows()
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
            if is_asked_first(task, self._outbox.settings):
                self._outbox.add_gold_signature(task.position, signature)

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
        for other in list(self._sessions):
            if database.server is not None and other.server == database.server:
                self._sessions.pop(other).close()  # one connection to a server
        if len(self._sessions) >= _MAX_OPEN_DATABASES:
            self._sessions.popitem(last=False)[1].close()
        if database.engine not in self._engines:
            self._engines[database.engine] = engine_named(database.engine)
        engine = self._engines[database.engine]
        limit_memory(None)
        limits = Limits(self._settings.max_memory_bytes)
        try:
            if database.server is None:
                session = database.open(engine, limits)
            else:
                self._board.write(Running(task.position, started_s, task.limit_s + _CONNECTING_S))
                session = self._connected(engine, database, limits)
                self._send({"kind": "server", "position": task.position, "server_id": session.server_id})
        except Exception as error:
            self._fail(task, engine.open_failure(error), time.monotonic() - started_s)
            return None
        finally:  # of those that are open, too, where this one cannot be
            limit_memory(self._settings.max_memory_bytes)
        self._sessions[database] = session
        return session

    def _connected(self, engine: Engine, database: Database, limits: Limits) -> ServerSession:
        """A session on a server, which is tried again once. Raises the driver's errors."""
        known = self._unreachable.get(database)
        if known and time.monotonic() < known[1]:
            raise known[0]
        session: Session
        try:
            session = database.open(engine, limits)
        except Exception:
            time.sleep(_RECONNECT_AFTER_S)
            try:
                session = database.open(engine, limits)
            except Exception as error:
                self._unreachable[database] = (error, time.monotonic() + _UNREACHABLE_S)
                raise
        assert isinstance(session, ServerSession)
        return session

    def _drop_session(self, task: Task) -> None:
        self._sessions.pop(task.database).close()
        if task.database.server is not None:
            self._send({"kind": "server", "position": task.position, "server_id": None})

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


class _NoPandas(importlib.abc.MetaPathFinder):
    """Arrow would import it where it is installed, amid the first statements, and can do without."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def main(
    channel_descriptor: int, board_descriptor: int, parent_id: int, worker_class: type[Worker] = Worker
) -> None:
    """The child process: serve the parent at the other end of the socket."""
    limit_process()
    sys.meta_path.insert(0, _NoPandas())
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
    worker = worker_class(socket.socket(fileno=channel_descriptor), Board(board_descriptor), parent_id)
    try:
        worker.work()
    except BaseException:
        with contextlib.suppress(OSError):
            worker.break_down(traceback.format_exc())
        os._exit(70)
    os._exit(0)  # not one more line of engines' or libraries' code
