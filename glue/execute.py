"""`glue execute`: runs statements in worker processes and lands what each gave, as it arrives.

The parent runs no SQL. It hands statements out in chunks, takes back finished ones as Arrow and appends them
to the landing zone as they are; it kills a worker that has not come back one second after a statement's
limit, and replaces one that died. A statement that kills its worker costs itself alone: what was queued
behind it, and what was finished and not yet sent, is run again elsewhere.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from glue.engines import Engine, engine_named
from glue.engines.base import UNION_SUFFIX, Member
from glue.errors import GlueError
from glue.exchange import Board, Frame, FrameReader, Running, encoded
from glue.home import Home
from glue.prepared import (
    CopyStore,
    NotPrepared,
    PreparedCopy,
    SnapshotChanged,
    Snapshots,
    WantedIndex,
    cache_bytes,
)
from glue.progress import Progress, Silent
from glue.unions import Union
from glue.worker import FLUSH_EVERY_S, Database, Settings, execution_id

if TYPE_CHECKING:
    import pyarrow as pa

Prepared = Literal["auto", "all", "none"]

DEFAULT_TIMEOUT_S = 30.0
GOLD_TIMEOUT_FACTOR = 10
DEFAULT_MAX_ROWS = 100_000
DEFAULT_MAX_RESULT_BYTES = 64 << 20
DEFAULT_MAX_MEMORY_BYTES = 2 << 30
MAX_CRASHES = 3
"""A statement that has crashed its worker so often is left alone."""

_GRACE_S = 1.0
"""How long after its limit a statement may take to answer the interrupt, before its worker is killed."""
_POLL_S = 0.02
_LONG_S = 0.2
_QUEUE_S = 2 * FLUSH_EVERY_S
_FIRST_CHUNK = 16
_MAX_CHUNK = 500
_MAX_STILLBORN = 5
_READ_BYTES = 1 << 20
_FINAL = {"answered", "failed", "refused"}


@dataclass(frozen=True)
class Statement:
    """One row of pending_statements. `timed_out_at_ms` is the largest limit it has timed out at.

    A statement on a union of databases has an engine that ends in `_union`, the union's id as its
    snapshot_id, and no path.
    """

    statement_id: str
    engine: str
    snapshot_id: str
    database_path: str | None
    variant: str
    sql: str
    is_gold: bool = False
    timed_out_at_ms: float | None = None
    n_attempts: int = 0
    is_likely_slow: bool = False


@dataclass
class Summary:
    """What one wave did. `outcomes` counts statements by outcome; an interrupt left `n_left` not run."""

    n_pending: int = 0
    n_skipped: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    n_killed: int = 0
    n_results: int = 0
    n_copies_made: int = 0
    n_left: int = 0
    elapsed_s: float = 0.0
    is_interrupted: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def n_run(self) -> int:
        """Statements that have an outcome now and had none before."""
        return self.outcomes.total()


class LandingWriter(Protocol):
    """What is needed of glue.landing.Writer."""

    def append(self, table: str, rows: list[dict[str, Any]]) -> None:
        """Append rows of a table."""

    def append_ipc(self, table: str, data: memoryview) -> None:
        """Append rows already serialised."""

    def sync(self) -> None:
        """Have appended rows on disk soon."""


def statements_of(table: pa.Table) -> list[Statement]:
    """The rows of the handoff table pending_statements."""
    names = list(Statement.__dataclass_fields__)
    return [Statement(**row) for row in table.select(names).to_pylist()]


def wanted_indexes_of(table: pa.Table) -> list[WantedIndex]:
    """The rows of the handoff table prepared_indexes."""
    return [
        WantedIndex(row["snapshot_id"], row["table_name"], tuple(row["column_names"]))
        for row in table.select(["snapshot_id", "table_name", "column_names"]).to_pylist()
    ]


def default_workers() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def execute(
    home: Home,
    pending: Sequence[Statement],
    *,
    writer: LandingWriter,
    workers: int | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    gold_timeout_s: float | None = None,
    max_rows: int = DEFAULT_MAX_ROWS,
    max_result_bytes: int = DEFAULT_MAX_RESULT_BYTES,
    max_memory_bytes: int = DEFAULT_MAX_MEMORY_BYTES,
    prepared: Prepared = "auto",
    prepared_indexes: Sequence[WantedIndex] = (),
    unions: Mapping[str, Union] | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Run statements and land executions, results, result_rows and prepared_copies as they arrive.

    `gold_timeout_s` defaults to ten times `timeout_s`. Of a result, rows past `max_rows` or past
    `max_result_bytes` (of its rows' JSON) are not stored but counted and signed. `max_memory_bytes` is each
    worker's, above what it needs when idle. `prepared` says where statements run: each as its `variant`
    says, all on prepared copies, or none. Where an engine or a file has no copy, the file itself stands in
    for it. `unions` are the databases of the unions that statements run on, by union_id.

    Statements that have landed with a final outcome since the pending table was built, or timed out at as
    large a limit, are skipped. Ctrl-C ends the wave with what was done landed; a second one ends it at once.

    GlueError when a worker cannot be started, an engine is unknown, or the landing zone cannot be written.
    """
    started_s = time.monotonic()
    limits = _TimeLimits(
        timeout_s, timeout_s * GOLD_TIMEOUT_FACTOR if gold_timeout_s is None else gold_timeout_s
    )
    summary = Summary(n_pending=len(pending))
    due = _due(home, pending, limits, prepared)
    summary.n_skipped = len(pending) - len(due)
    if due:
        wave = _Wave(
            home=home,
            statements=due,
            limits=limits,
            settings=Settings(max_rows, max_result_bytes, max_memory_bytes),
            indexes=prepared_indexes,
            unions=unions or {},
            writer=writer,
            progress=progress or Silent(),
            summary=summary,
            n_workers=max(1, min(workers or default_workers(), len(due))),
        )
        wave.run()
    summary.elapsed_s = time.monotonic() - started_s
    return summary


@dataclass(frozen=True)
class _TimeLimits:
    prediction_s: float
    gold_s: float

    def of(self, statement: Statement) -> float:
        return self.gold_s if statement.is_gold else self.prediction_s


# --- What is due --------------------------------------------------------------------------------------------


def _due(
    home: Home, pending: Sequence[Statement], limits: _TimeLimits, prepared: Prepared
) -> list[Statement]:
    """The statements to run: of the variant asked for, once each, less those that need no more attempt."""
    timed_out_at_ms: dict[tuple[str, str], float] = {}
    n_crashes: Counter[tuple[str, str]] = Counter()
    is_final: set[tuple[str, str]] = set()
    for execution in _landed_attempts(home, pending):
        key = (execution["statement_id"], execution["variant"])
        if execution["outcome"] in _FINAL:
            is_final.add(key)
        elif execution["outcome"] == "timed_out":
            timed_out_at_ms[key] = max(timed_out_at_ms.get(key, 0.0), execution["timeout_ms"] or 0.0)
        elif execution["outcome"] == "crashed":
            n_crashes[key] += 1
    due: dict[tuple[str, str], Statement] = {}
    for statement in pending:
        variant = {"auto": statement.variant, "all": "prepared", "none": "untouched"}[prepared]
        key = (statement.statement_id, variant)
        tried_ms = max(timed_out_at_ms.get(key, 0.0), statement.timed_out_at_ms or 0.0)
        if key in is_final or n_crashes[key] >= MAX_CRASHES or tried_ms >= limits.of(statement) * 1_000:
            continue
        due.setdefault(key, replace(statement, variant=variant))
    return list(due.values())


def _landed_attempts(home: Home, pending: Sequence[Statement]) -> list[dict[str, Any]]:
    """What has landed about some statements."""
    import pyarrow as pa
    import pyarrow.compute as compute

    from glue.landing import landed_keys

    columns = ["execution_id", "statement_id", "variant", "outcome", "timeout_ms"]
    landed = landed_keys(home, "executions", columns=columns)
    pending_ids = pa.array([statement.statement_id for statement in pending], pa.string())
    rows: list[dict[str, Any]] = landed.filter(
        compute.is_in(landed["statement_id"], value_set=pending_ids)
    ).to_pylist()
    return rows


def _landed_results(home: Home) -> set[str]:
    """The results that have been stored."""
    from glue.landing import landed_keys

    return set(landed_keys(home, "results", columns=["result_id"])["result_id"].to_pylist())


# --- Databases ----------------------------------------------------------------------------------------------


@dataclass
class _Made:
    """A database ready to be opened: its file or files, the copies they are, and what was amiss."""

    database: Database
    copies: list[tuple[str, PreparedCopy]]
    warnings: list[str]


@dataclass
class _Group:
    """The statements of one database file, or union of them, and variant that are still to be handed out."""

    engine: str
    source: Path | None
    snapshot_id: str
    variant: str
    positions: deque[int]
    making: Future[_Made] | None = None
    database: Database | None = None


def _grouped(statements: Sequence[Statement]) -> list[_Group]:
    """Statements by file and variant: those that may take long before all others, the largest file first."""
    groups: dict[tuple[bool, str, str | None, str, str], _Group] = {}
    for position, statement in enumerate(statements):
        key = (
            not statement.is_likely_slow,
            statement.engine,
            statement.database_path,
            statement.snapshot_id,
            statement.variant,
        )
        if key not in groups:
            source = Path(statement.database_path) if statement.database_path else None
            groups[key] = _Group(statement.engine, source, statement.snapshot_id, statement.variant, deque())
        groups[key].positions.append(position)
    in_order = sorted(
        groups.items(),
        key=lambda each: (each[0][0], -_file_bytes(each[1].source), str(each[1].source), each[1].variant),
    )
    return [group for _, group in in_order]


def _file_bytes(path: Path | None) -> int:
    try:
        return path.stat().st_size if path else 0
    except OSError:
        return 0


# --- Workers ------------------------------------------------------------------------------------------------


class _WorkerProcess:
    """A worker as its parent sees it: the process, the socket, what it was given and has not answered."""

    def __init__(self, settings: Settings, known: set[str]) -> None:
        self.board = Board.create()
        self.channel, child_end = socket.socketpair()
        with child_end:
            self.process = _spawned(child_end.fileno(), self.board.descriptor)
        self.channel.setblocking(False)
        self.reader = FrameReader()
        self.unsent: deque[memoryview] = deque()
        self.outstanding: OrderedDict[int, None] = OrderedDict()
        self.group: _Group | None = None
        self.is_solo = False
        self.is_revoking = False
        self.has_queue = False
        self.is_retiring = False
        self.is_ready = False
        self.n_told = 0
        self.mean_s: float | None = None
        self.heard_s = time.monotonic()
        self.overdue: Running | None = None
        self.send({"kind": "settings", "settings": asdict(settings), "known": sorted(known)})

    def send(self, header: dict[str, Any]) -> None:
        """Queue a message; it goes out as far as the socket takes it."""
        self.unsent.extend(encoded(header))
        self.push()

    def push(self) -> None:
        """Send what is queued, as far as the socket takes it. That a worker is dead is found out later."""
        try:
            while self.unsent:
                n_sent = self.channel.send(self.unsent[0])
                self.unsent[0] = self.unsent[0][n_sent:]
                if not self.unsent[0]:
                    self.unsent.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self.unsent.clear()

    def wanted(self) -> int:
        """How many more statements keep this worker busy until it is heard of again."""
        if self.is_solo or self.is_retiring or self.is_revoking or self.is_at_length():
            return 0
        target = _FIRST_CHUNK if self.mean_s is None else round(_QUEUE_S / max(self.mean_s, 1e-5))
        target = max(1, min(target, _MAX_CHUNK))
        return target - len(self.outstanding) if len(self.outstanding) <= target // 2 else 0

    def is_at_length(self) -> bool:
        """Has it been at one statement for so long that others should not wait behind it?"""
        running = self.board.read()
        return running is not None and time.monotonic() - running.started_s > _LONG_S

    def heard(self, n_done: int) -> None:
        """Learn how long a statement takes, from what has come back since the last time."""
        now_s = time.monotonic()
        mean_s = (now_s - self.heard_s) / max(n_done, 1)
        self.mean_s = mean_s if self.mean_s is None else (self.mean_s + mean_s) / 2
        self.heard_s = now_s

    def close(self) -> None:
        """Kill the process and wait for it; what it has sent can still be read."""
        self.process.kill()
        self.process.wait()


_PROGRAM = "import sys; sys.path.insert(0, {folder!r}); from glue.worker import main; main({arguments})"


def _spawned(channel: int, board: int) -> subprocess.Popen[bytes]:
    """Start a worker: a fresh interpreter, so that nothing of this process but two descriptors reaches it."""
    program = _PROGRAM.format(
        folder=str(Path(__file__).resolve().parent.parent), arguments=f"{channel}, {board}, {os.getpid()}"
    )
    environment = {
        **os.environ,
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others reserve a gigabyte of address space
        "MALLOC_ARENA_MAX": "2",
        "OPENBLAS_NUM_THREADS": "1",
        "TZ": "UTC",  # timestamps with a zone are written as text in it
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        pass_fds=(channel, board),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("EVALHOUSE_DEBUG") else subprocess.DEVNULL,
        env=environment,
        cwd="/",
        process_group=0,  # Ctrl-C on the terminal is the parent's alone
    )


def _death(worker: _WorkerProcess) -> str:
    """What a dead worker died of: a signal's name or an exit status."""
    code = worker.process.returncode
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"


# --- The wave -----------------------------------------------------------------------------------------------


@dataclass
class _Wave:
    """One run over the statements that are due."""

    home: Home
    statements: list[Statement]
    limits: _TimeLimits
    settings: Settings
    indexes: Sequence[WantedIndex]
    unions: Mapping[str, Union]
    writer: LandingWriter
    progress: Progress
    summary: Summary
    n_workers: int

    def __post_init__(self) -> None:
        for engine in sorted({statement.engine for statement in self.statements}):
            engine_named(engine)
        self._groups = _grouped(self.statements)
        self._copies_landed: set[Path] = set()
        self._group_of = {position: group for group in self._groups for position in group.positions}
        self._solo: deque[int] = deque()
        self._n_open = len(self.statements)
        self._stored = _landed_results(self.home)
        self._n_stored_before = len(self._stored)
        self._newly_stored: list[str] = []
        self._workers: list[_WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._snapshots = Snapshots(self.home.cache / "snapshots.json")
        self._copies = CopyStore(self.home.cache / "prepared", cache_bytes())
        self._copying: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._makers = ThreadPoolExecutor(self.n_workers, thread_name_prefix="prepare")
        self._must_stop = False
        self._n_stillborn = 0

    def run(self) -> None:
        """Run everything. Whatever happens, no worker outlives this."""
        self.progress.start("statements", len(self.statements))
        try:
            with self._stopped_by_signal():
                self._start_making()
                while self._n_open and not self._must_stop:
                    self._step()
            if self._n_open:
                self._stop_workers()
        finally:
            self._copies.cancel()
            self._makers.shutdown(wait=True, cancel_futures=True)
            for worker in self._workers:
                worker.close()
                worker.channel.close()
                worker.board.close()
            self._selector.close()
            self._snapshots.save()
            self.progress.finish()
            self.summary.n_results = len(self._stored) - self._n_stored_before
            self.summary.n_left = self._n_open
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

    # Databases

    def _start_making(self) -> None:
        makings: dict[tuple[str, Path | None, str, str], Future[_Made]] = {}
        for group in self._groups:
            key = (group.engine, group.source, group.snapshot_id, group.variant)
            if key not in makings:
                makings[key] = self._makers.submit(self._made, group)
            group.making = makings[key]

    def _made(self, group: _Group) -> _Made:
        """What to open for a group. Runs in a thread. Raises SnapshotChanged."""
        engine = engine_named(group.engine)
        made = _Made(Database(group.engine, "", group.snapshot_id, group.variant), [], [])
        if group.engine.endswith(UNION_SUFFIX):
            members = self._members(engine, group, made)
            made.database = replace(made.database, members=members)
        else:
            path = self._file(engine, group.source, group.snapshot_id, group.variant, made)
            made.database = replace(made.database, path=str(path.absolute()))
        return made

    def _members(self, engine: Engine, group: _Group, made: _Made) -> tuple[Member, ...]:
        if group.snapshot_id not in self.unions:
            raise SnapshotChanged(
                f"nothing is known of the union {group.snapshot_id}", "run `glue build`, then `glue execute`"
            )
        members = []
        for member in self.unions[group.snapshot_id]:
            path = None
            if member.database_path is not None and member.snapshot_id is not None:
                source = Path(member.database_path)
                file = self._file(engine, source, member.snapshot_id, group.variant, made)
                path = str(file.absolute())
            members.append(Member(member.db_id, path, member.tables))
        return tuple(members)

    def _file(self, engine: Engine, source: Path | None, snapshot_id: str, variant: str, made: _Made) -> Path:
        """The file itself or its copy, noted in `made`. Raises SnapshotChanged."""
        source = self._snapshots.check(engine, source, snapshot_id)
        if variant != "prepared" or not engine.has_prepared_copies:
            return source
        indexes = [index for index in self.indexes if index.snapshot_id == snapshot_id]
        try:
            with self._copying[snapshot_id]:  # unions share their members
                copy = self._copies.obtain(source, snapshot_id, indexes)
        except NotPrepared as error:
            made.warnings.append(f"{error.message}; {error.hint}")
            return source
        made.copies.append((snapshot_id, copy))
        return copy.path

    def _take_made(self) -> None:
        for group in self._groups:
            if group.making is None or not group.making.done():
                continue
            making, group.making = group.making, None
            try:
                made = making.result()
            except SnapshotChanged as error:
                self._warn(f"{error.message}; {error.hint}")
                self._land_missing(group, error.message)
                continue
            group.database = made.database
            for warning in made.warnings:
                if warning not in self.summary.warnings:
                    self._warn(warning)
            for snapshot_id, copy in made.copies:
                if copy.is_new and copy.path not in self._copies_landed:
                    self._copies_landed.add(copy.path)
                    self._land_copy(snapshot_id, copy)

    def _land_missing(self, group: _Group, message: str) -> None:
        failure = {"outcome": "no_database", "error_class": "connection", "error_message": message}
        self._land_own([(position, failure) for position in group.positions])
        group.positions.clear()

    def _land_copy(self, snapshot_id: str, copy: PreparedCopy) -> None:
        self.summary.n_copies_made += 1
        self.writer.append(
            "prepared_copies",
            [
                {
                    "snapshot_id": snapshot_id,
                    "recipe": copy.recipe,
                    "n_indexes": copy.n_indexes,
                    "n_bytes": copy.n_bytes,
                    "elapsed_ms": copy.elapsed_ms,
                    "prepared_at": datetime.now(UTC),
                }
            ],
        )

    def _warn(self, text: str) -> None:
        self.summary.warnings.append(text)
        self.progress.note(text)

    # Handing out

    def _feed(self) -> None:
        """Have as many workers as there is work for, each with enough of it."""
        while len(self._workers) < min(self.n_workers, self._n_open):
            worker = _WorkerProcess(self.settings, self._stored)
            worker.n_told = len(self._newly_stored)
            self._workers.append(worker)
            self._selector.register(worker.channel, selectors.EVENT_READ, worker)
        for worker in self._workers:
            self._feed_one(worker)
            self._watch_writing(worker)

    def _feed_one(self, worker: _WorkerProcess) -> None:
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
            n_ready = sum(len(ready.positions) for ready in self._groups if ready.database)
            n_fair = -(-n_ready // (2 * self.n_workers))
            n_handed = min(n_wanted, n_fair, len(group.positions))
            self._hand_out(worker, group, [group.positions.popleft() for _ in range(n_handed)])

    def _group_for(self, worker: _WorkerProcess) -> _Group | None:
        """The database a worker is at while it has statements, then one that no other is at, then any."""
        ready = [group for group in self._groups if group.database and group.positions]
        if worker.group in ready:
            return worker.group
        attended = [other.group for other in self._workers if other is not worker]
        unattended = [group for group in ready if group not in attended]
        if unattended:
            return unattended[0]
        return max(ready, key=lambda group: len(group.positions), default=None)

    def _hand_out(self, worker: _WorkerProcess, group: _Group, positions: list[int]) -> None:
        assert group.database is not None
        worker.group = group
        worker.has_queue = True
        if not worker.outstanding:
            worker.heard_s = time.monotonic()
        worker.outstanding.update(dict.fromkeys(positions))
        news = self._newly_stored[worker.n_told :]
        worker.n_told = len(self._newly_stored)
        worker.send(
            {
                "kind": "run",
                "database": asdict(group.database),
                "known": news,
                "tasks": [
                    [position, statement.statement_id, statement.sql, self.limits.of(statement)]
                    for position in positions
                    for statement in [self.statements[position]]
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

    def _watch_writing(self, worker: _WorkerProcess) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.unsent else 0)
        if self._selector.get_key(worker.channel).events != events:
            self._selector.modify(worker.channel, events, worker)

    # Taking back

    def _read(self, worker: _WorkerProcess) -> None:
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
        except (
            ValueError,
            KeyError,
            TypeError,
        ):  # no worker of ours talks like that: a statement has taken it over
            self._bury(worker)

    def _hear(self, worker: _WorkerProcess, frame: Frame) -> None:
        header = frame.header
        if header["kind"] == "ready":
            worker.is_ready = True
            self._n_stillborn = 0
        elif header["kind"] == "done":
            self._land_done(worker, header, frame.parts)
        elif header["kind"] == "revoked":
            worker.is_revoking = worker.has_queue = False
            for position in reversed(header["positions"]):
                if worker.outstanding.pop(position, self) is None:
                    self._group_of[position].positions.appendleft(position)
        elif header["kind"] == "broken" and not worker.is_ready:
            last_line = header["traceback"].strip().splitlines()[-1]
            raise GlueError(f"a worker process broke down at its start: {last_line}", "run `glue doctor`")

    def _land_done(self, worker: _WorkerProcess, header: dict[str, Any], parts: list[memoryview]) -> None:
        worker.is_retiring = header["is_retiring"]
        result_ids = header["result_ids"]
        repeated = self._stored.intersection(result_ids)
        for table, data in zip(header["tables"], parts, strict=True):
            if not repeated or table == "executions":
                self.writer.append_ipc(table, data)
            else:
                self._append_new(table, data, repeated)
        fresh = [result_id for result_id in result_ids if result_id not in repeated]
        self._stored.update(fresh)
        self._newly_stored += fresh
        outcomes = Counter(
            outcome
            for position, outcome in header["outcomes"]
            if worker.outstanding.pop(position, self) is None
        )
        worker.heard(len(header["outcomes"]))
        worker.is_solo = worker.is_solo and bool(worker.outstanding)
        self._count(outcomes)

    def _append_new(self, table: str, data: memoryview, repeated: set[str]) -> None:
        """Append the rows of results that another worker has not sent meanwhile."""
        import pyarrow as pa
        import pyarrow.compute as compute

        rows = pa.ipc.open_stream(data).read_all()
        is_repeated = compute.is_in(rows["result_id"], value_set=pa.array(sorted(repeated), pa.string()))
        self.writer.append(table, rows.filter(compute.invert(is_repeated)))

    def _count(self, outcomes: Counter[str]) -> None:
        self.summary.outcomes += outcomes
        n_done = outcomes.total()
        self._n_open -= n_done
        self.progress.advance(n_done, n_done - outcomes["answered"])

    def _land_own(self, failures: list[tuple[int, dict[str, Any]]]) -> None:
        """Land executions that no worker can report."""
        now = datetime.now(UTC)
        now_us = time.time_ns() // 1_000
        rows = []
        for position, failure in failures:
            statement = self.statements[position]
            rows.append(
                {
                    "execution_id": execution_id(statement.statement_id, statement.variant, now_us),
                    "statement_id": statement.statement_id,
                    "engine": statement.engine,
                    "snapshot_id": statement.snapshot_id,
                    "variant": statement.variant,
                    "is_killed": False,
                    "timeout_ms": self.limits.of(statement) * 1_000,
                    "max_rows": self.settings.max_rows,
                    "executed_at": now,
                    **failure,
                }
            )
        if rows:
            self.writer.append("executions", rows)
            self._count(Counter(row["outcome"] for row in rows))

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

    def _bury(self, worker: _WorkerProcess, killed_for: Running | None = None) -> None:
        """A worker has died or must: land what it sent and what it died of, requeue the rest."""
        worker.close()
        self._workers.remove(worker)
        self._selector.unregister(worker.channel)
        self._read_rest(worker)
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
            self._land_own([(culprit, self._death_of(worker, running, killed_for))])
            lost.remove(culprit)
            self._requeue(lost)
        elif killed_for is not None or worker.is_retiring:
            self._requeue(lost)
        elif not worker.is_ready:
            self._requeue(lost)
            self._n_stillborn += 1
            if self._n_stillborn >= _MAX_STILLBORN:
                raise GlueError(
                    f"{self._n_stillborn} worker processes in a row died at their start ({_death(worker)})",
                    "set EVALHOUSE_DEBUG=1 to see what they say",
                )
        else:  # it died of something that it had finished and not sent: each alone will show of which
            self._solo.extend(lost)

    def _read_rest(self, worker: _WorkerProcess) -> None:
        worker.channel.setblocking(True)
        try:
            while data := worker.channel.recv(_READ_BYTES):
                for frame in worker.reader.feed(data):
                    self._hear(worker, frame)
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def _requeue(self, positions: list[int]) -> None:
        for position in reversed(positions):
            self._group_of[position].positions.appendleft(position)

    def _death_of(
        self, worker: _WorkerProcess, running: Running | None, killed_for: Running | None
    ) -> dict[str, Any]:
        elapsed_ms = (time.monotonic() - running.started_s) * 1_000 if running else None
        if killed_for is not None:
            self.summary.n_killed += 1
            message = "it did not answer the interrupt; its worker was killed"
            return {
                "outcome": "timed_out",
                "error_class": "interrupted",
                "error_message": message,
                "is_killed": True,
                "elapsed_ms": elapsed_ms,
            }
        name = _death(worker)
        return {
            "outcome": "crashed",
            "error_class": "resource" if name == "SIGKILL" else "crash",
            "error_code": name,
            "error_message": f"its worker died: {name}",
            "elapsed_ms": elapsed_ms,
        }

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

    def _read_until_bye(self, worker: _WorkerProcess) -> None:
        try:
            data = worker.channel.recv(_READ_BYTES)
        except OSError:
            data = b""
        for frame in worker.reader.feed(data):
            self._hear(worker, frame)
        if not data:
            self._selector.unregister(worker.channel)
            self._workers.remove(worker)
            worker.close()
            worker.channel.close()
            worker.board.close()
