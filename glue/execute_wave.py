"""One wave of `glue execute`: hands statements out to workers, takes back what is done, replaces the dead.

A worker that has not come back one second after a statement's limit is killed. A statement that kills its
worker costs itself alone: what was queued behind it, and what was finished and not yet sent, is run again
elsewhere.
"""

from __future__ import annotations

import selectors
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any, ClassVar

from glue.engines import engine_named
from glue.engines.server import Address
from glue.errors import GlueError
from glue.exchange import Frame, Running
from glue.execute_databases import Databases
from glue.execute_landing import LandingWriter, Ledger, Summary
from glue.execute_live import Endings
from glue.execute_processes import WorkerProcess
from glue.execute_work import Group, LivePlace, Statement, TimeLimits, grouped
from glue.home import Home
from glue.keeping import Golds
from glue.landing_rows import NotArrow
from glue.prepared import SnapshotChanged, WantedIndex
from glue.progress import Progress
from glue.unions import Union
from glue.worker_tasks import Settings

_GRACE_S = 1.0
"""How long after its limit a statement may take to answer the interrupt, before its worker is killed."""
_POLL_S = 0.02
_MAX_STILLBORN = 5
_READ_BYTES = 1 << 20
_GARBLED = (NotArrow, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What comes of reading a message that is none."""


@dataclass
class Wave:
    """One run over the statements that are due."""

    ledger_class: ClassVar[type[Ledger]] = Ledger
    worker_module: ClassVar[str] = "glue.worker"
    what: ClassVar[str] = "statements"

    home: Home
    statements: list[Statement]
    limits: TimeLimits
    settings: Settings
    indexes: Sequence[WantedIndex]
    unions: Mapping[str, Union]
    addresses: Mapping[LivePlace, Address]
    writer: LandingWriter
    progress: Progress
    summary: Summary
    stored: set[str]
    unkept: set[str]
    n_workers: int

    def __post_init__(self) -> None:
        for engine in sorted({statement.engine for statement in self.statements}):
            engine_named(engine)
        self._databases = Databases(self.home, self.indexes, self.unions, self.addresses, self.n_workers)
        self._ledger = self.ledger_class(
            self.statements,
            self.limits,
            self.settings,
            self.writer,
            self.progress,
            self.summary,
            self.stored,
            self.unkept,
        )
        self._golds = Golds(self.statements, self.settings.keep_rows)
        self._groups = grouped(self.statements)
        self._group_of = {position: group for group in self._groups for position in group.positions}
        self._solo: deque[int] = deque()
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._must_stop = False
        self._n_stillborn = 0
        self._endings = Endings()

    def run(self) -> None:
        """Run everything. Whatever happens, no worker outlives this."""
        self.progress.start(self.what, len(self.statements))
        try:
            with self._stopped_by_signal():
                self._databases.start_making(self._groups)
                while self._ledger.n_open and not self._must_stop:
                    self._step()
            if self._ledger.n_open:
                self._stop_workers()
        finally:
            self._databases.stop()
            for worker in self._workers:
                worker.close()
                if worker.server is not None and worker.board.read() is not None:
                    self._endings.begin(*worker.server)
                worker.channel.close()
                worker.board.close()
            self._selector.close()
            self._databases.save_snapshots()
            for warning in self._endings.wait():
                self._ledger.warn(warning)
            self.progress.finish()
            self.summary.n_results += self._ledger.n_new_results
            self.summary.n_left += self._ledger.n_open
        self.writer.sync()

    def _step(self) -> None:
        """Wait for news, at most a moment, and act on it."""
        self._take_made()
        self._feed()
        for key, events in self._selector.select(_POLL_S):
            worker = key.data
            if events & selectors.EVENT_WRITE:
                worker.push()
            if events & selectors.EVENT_READ:
                self._read(worker)
        self._kill_overdue()
        self.writer.sync()

    @contextmanager
    def _stopped_by_signal(self) -> Iterator[None]:
        """Let the first Ctrl-C end the loop between two steps, and the second one end it anywhere."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if self._must_stop:
                raise KeyboardInterrupt
            self._must_stop = self.summary.is_interrupted = True

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    # Handing out

    def _take_made(self) -> None:
        """Note which databases are ready; statements on a file that has changed have no database."""
        for group, making in self._databases.take_made():
            try:
                made = making.result()
            except SnapshotChanged as error:
                self._ledger.warn(f"{error.message}; {error.hint}")
                missing = {
                    "outcome": "no_database",
                    "error_class": "connection",
                    "error_message": error.message,
                }
                self._ledger.land_own([(position, missing) for position in group.positions])
                group.positions.clear()
                continue
            group.database = made.database
            self._ledger.land_made(made)

    def _feed(self) -> None:
        """Have as many workers as there is work for, each with enough of it."""
        while len(self._workers) < min(self.n_workers, self._ledger.n_open):
            worker = WorkerProcess(self.settings, self._ledger.stored, self.worker_module)
            worker.n_told = len(self._ledger.newly_stored)
            self._workers.append(worker)
            self._selector.register(worker.channel, selectors.EVENT_READ, worker)
        for worker in self._workers:
            self._feed_one(worker)
            self._watch_writing(worker)

    def _feed_one(self, worker: WorkerProcess) -> None:
        if self._solo and not worker.outstanding:
            position = self._solo.popleft()
            worker.is_solo = True
            self._hand_out(worker, self._group_of[position], [position])
            return
        while (n_wanted := worker.wanted()) > 0:
            group = self._group_for(worker)
            if group is None:
                if not worker.outstanding:
                    self._steal()
                return
            n_ready = sum(len(ready.positions) for ready in self._ready_groups())
            n_fair = -(-n_ready // (2 * self.n_workers))
            n_handed = min(n_wanted, n_fair, len(group.positions))
            self._hand_out(worker, group, [group.positions.popleft() for _ in range(n_handed)])

    def _group_for(self, worker: WorkerProcess) -> Group | None:
        """The database a worker is at while it has statements, then one that no other is at, then any."""
        ready = self._ready_groups()
        if worker.group in ready:
            return worker.group
        attended = [other.group for other in self._workers if other is not worker]
        unattended = [group for group in ready if group not in attended]
        if unattended:
            return unattended[0]
        return max(ready, key=lambda group: len(group.positions), default=None)

    def _ready_groups(self) -> list[Group]:
        """Those with a database and something to hand out, and for which nothing must run before."""
        waiting = [group for group in self._groups if group.positions]
        ready = [group for group in waiting if group.database]
        if all(group.place is None for group in ready):
            return ready
        given = [position for worker in self._workers for position in worker.outstanding]
        unfinished = [*waiting, *(self._group_of[position] for position in [*given, *self._solo])]
        return [group for group in ready if not any(map(group.comes_after, unfinished))]

    def _hand_out(self, worker: WorkerProcess, group: Group, positions: list[int]) -> None:
        assert group.database is not None
        worker.group = group
        worker.has_queue = True
        if not worker.outstanding:
            worker.heard_s = time.monotonic()
        worker.outstanding.update(dict.fromkeys(positions))
        news = self._ledger.newly_stored[worker.n_told :]
        worker.n_told = len(self._ledger.newly_stored)
        worker.send(
            {
                "kind": "run",
                "database": asdict(group.database),
                "known": news,
                "wave_role": group.wave_role,
                "tasks": [
                    [position, each.statement_id, each.sql, self.limits.of(each), self._golds.equal_to(each)]
                    for position in positions
                    for each in [self.statements[position]]
                ],
            }
        )

    def _steal(self) -> None:
        """Nothing is left to hand out: take back what waits behind a statement that runs long."""
        victims = [
            worker
            for worker in self._workers
            if worker.has_queue and not worker.is_revoking and worker.is_at_length()
        ]
        if victims:
            victim = max(victims, key=lambda worker: len(worker.outstanding))
            victim.is_revoking = True
            victim.send({"kind": "revoke"})

    def _watch_writing(self, worker: WorkerProcess) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.unsent else 0)
        if self._selector.get_key(worker.channel).events != events:
            self._selector.modify(worker.channel, events, worker)

    # Taking back

    def _read(self, worker: WorkerProcess) -> None:
        """Take in what has arrived from a worker; bury it when nothing more can."""
        try:
            data = worker.channel.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._bury(worker)
            return
        try:
            for frame in worker.reader.feed(data):
                self._hear(worker, frame)
        except _GARBLED:  # no worker of ours talks like that: a statement has taken it over
            self._bury(worker)

    def _hear(self, worker: WorkerProcess, frame: Frame) -> None:
        header = frame.header
        if header["kind"] == "ready":
            worker.is_ready = True
            self._n_stillborn = 0
        elif header["kind"] == "done":
            self._take_done(worker, header, frame.parts)
        elif header["kind"] == "server":
            database = self._group_of[header["position"]].database
            address = database.address if database else None
            server_id = header["server_id"]
            worker.server = (address, str(server_id)) if address and server_id is not None else None
        elif header["kind"] == "revoked":
            worker.is_revoking = worker.has_queue = False
            for position in reversed(header["positions"]):
                if worker.outstanding.pop(position, self) is None:
                    self._group_of[position].positions.appendleft(position)
        elif header["kind"] == "broken" and not worker.is_ready:
            last_line = header["traceback"].strip().splitlines()[-1]
            raise GlueError(f"a worker process broke down at its start: {last_line}", "run `glue doctor`")

    def _take_done(self, worker: WorkerProcess, header: dict[str, Any], parts: list[memoryview]) -> None:
        worker.is_retiring = header["is_retiring"]
        self._ledger.land_tables(header["tables"], parts, header["result_ids"], header["unkept_ids"])
        for position, signature in header["gold_signatures"]:
            self._golds.take(self.statements[position], signature)
        outcomes = Counter(
            outcome
            for position, outcome in header["outcomes"]
            if worker.outstanding.pop(position, self) is None
        )
        worker.heard(len(header["outcomes"]))
        worker.is_solo = worker.is_solo and bool(worker.outstanding)
        self._ledger.count(outcomes)

    # Losing workers

    def _kill_overdue(self) -> None:
        """Kill workers whose statement is past its limit and the grace after it, seen so twice in a row."""
        now_s = time.monotonic()
        for worker in list(self._workers):
            running = worker.board.read()
            is_overdue = running is not None and now_s > running.started_s + running.limit_s + _GRACE_S
            if is_overdue and worker.overdue == running:
                self._bury(worker, killed_for=running)
            else:
                worker.overdue = running if is_overdue else None

    def _bury(self, worker: WorkerProcess, killed_for: Running | None = None) -> None:
        """A worker has died or must: land what it sent and what it died of, requeue the rest."""
        worker.close()
        self._workers.remove(worker)
        self._selector.unregister(worker.channel)
        self._read_rest(worker)
        if worker.server is not None:
            self._endings.begin(*worker.server)
        running = worker.board.read()
        worker.channel.close()
        worker.board.close()
        lost = list(worker.outstanding)
        if killed_for is not None:
            culprit = killed_for.position if running == killed_for else None
        elif running is not None:
            culprit = running.position
        else:
            culprit = lost[0] if len(lost) == 1 and worker.is_ready and not worker.is_retiring else None
        if culprit is not None and culprit in worker.outstanding:
            self.summary.n_killed += killed_for is not None
            self._ledger.land_own([(culprit, worker.failure(running, killed_for is not None))])
            lost.remove(culprit)
            self._requeue(lost)
        elif killed_for is not None or worker.is_retiring:
            self._requeue(lost)
        elif not worker.is_ready:
            self._requeue(lost)
            self._n_stillborn += 1
            if self._n_stillborn >= _MAX_STILLBORN:
                raise GlueError(
                    f"{self._n_stillborn} worker processes in a row died at their start ({worker.death()})",
                    "set EVALHOUSE_DEBUG=1 to see what they say",
                )
        else:  # it died of something that it had finished and not sent: each alone will show of which
            self._solo.extend(lost)

    def _read_rest(self, worker: WorkerProcess) -> None:
        worker.channel.setblocking(True)
        try:
            while data := worker.channel.recv(_READ_BYTES):
                for frame in worker.reader.feed(data):
                    self._hear(worker, frame)
        except (OSError, *_GARBLED):
            pass

    def _requeue(self, positions: list[int]) -> None:
        for position in reversed(positions):
            self._group_of[position].positions.appendleft(position)

    def _stop_workers(self) -> None:
        """Have workers send what they have finished; they get a second for it."""
        for worker in self._workers:
            worker.send({"kind": "stop"})
        deadline_s = time.monotonic() + _GRACE_S
        while self._workers and time.monotonic() < deadline_s:
            for key, events in self._selector.select(_POLL_S):
                worker = key.data
                if events & selectors.EVENT_WRITE:
                    worker.push()
                if events & selectors.EVENT_READ:
                    self._read_until_bye(worker)

    def _read_until_bye(self, worker: WorkerProcess) -> None:
        try:
            data = worker.channel.recv(_READ_BYTES)
        except OSError:
            data = b""
        try:
            for frame in worker.reader.feed(data):
                self._hear(worker, frame)
        except _GARBLED:
            data = b""
        if not data:
            self._selector.unregister(worker.channel)
            self._workers.remove(worker)
            worker.close()
            worker.channel.close()
            worker.board.close()
