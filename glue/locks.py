"""One lock per loop, so that two commands never do the same work at once; a lock dies with its process.

Every lock is an flock, which the kernel drops when the process ends, however it ends. An flock is shared with
forked children, so the children close it first thing: a worker that outlives its parent keeps nothing locked.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from glue.errors import GlueError, nearest
from glue.home import Home

# Loop -> the command people know it by. Compaction moves files under readers' feet, so it holds them all.
LOOPS = {
    "import": "glue import",
    "embed": "glue embed",
    "generate": "glue generate",
    "execute": "glue execute",
    "diverge": "glue diverge",
    "build": "dbt build",
    "compact": "glue landing compact",
}

_PATIENCE_S = 0.3  # a look at who holds a lock takes it for microseconds: worth trying again
_PAUSE_S = 0.02


class LockedFile:
    """An open file under an exclusive flock, which ends with `close` or with this process.

    A forked child finds it closed, and closing it there leaves it locked here.
    """

    def __init__(self, descriptor: int, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = descriptor
        _open_files.add(self)

    @property
    def descriptor(self) -> int:
        """The file descriptor. RuntimeError once closed, which it is in a forked child."""
        if self._descriptor is None:
            raise RuntimeError(f"{self.path} is not open in this process")
        return self._descriptor

    @property
    def is_open(self) -> bool:
        return self._descriptor is not None

    def close(self) -> None:
        """Unlock and close; a second time does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


_open_files: weakref.WeakSet[LockedFile] = weakref.WeakSet()


def _close_in_child() -> None:
    for file in list(_open_files):
        file.close()


os.register_at_fork(after_in_child=_close_in_child)


def lock_file(path: Path, *, create: bool = False, wait: bool = False) -> LockedFile | None:
    """Open `path` for appending and lock it; None when another holds it (unless `wait`) or it does not exist.

    What is returned is the file that the path names now, never one that was removed while we waited.
    """
    flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0)
    while True:
        try:
            descriptor = os.open(path, flags, 0o644)
        except FileNotFoundError:
            if create:
                raise
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_current = _names(path, descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        if is_current:
            return LockedFile(descriptor, path)
        os.close(descriptor)


def _names(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@dataclass(frozen=True)
class Holder:
    """Who holds a lock. `pid` is None in the instant before the holder has written its name."""

    pid: int | None
    program: str
    command: str
    started_at: str  # UTC, for people

    def __str__(self) -> str:
        if self.pid is None:
            return "process unknown"
        return f"process {self.pid}, started {self.started_at}, command `{self.command}`"


class LoopLock:
    """The lock of one loop of one warehouse: a context manager. GlueError names the holder when it is taken.

    `program` is what a refused command is told is running, if not the loop's own command.
    """

    def __init__(self, home: Home, loop: str, command: str | None = None, program: str | None = None) -> None:
        if loop not in LOOPS:
            close = nearest(loop, list(LOOPS))
            raise GlueError(
                f"there is no loop {loop!r}",
                f"did you mean {close!r}?" if close else f"loops: {', '.join(LOOPS)}",
            )
        self.loop = loop
        self.program = program or LOOPS[loop]
        self.command = command or self.program
        self._path = _lock_path(home, loop)
        self._file: LockedFile | None = None

    def acquire(self) -> None:
        """Take the lock, or raise GlueError with the holder's process, start and command."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            self._file = lock_file(self._path, create=True)
            if self._file is not None:
                self._sign(self._file)
                return
            holder = _read_holder(self._path)
            if time.monotonic() > deadline:
                program = holder.program or LOOPS[self.loop]
                raise GlueError(f"{program} is already running ({holder})", _advice(holder))
            time.sleep(_PAUSE_S)

    def release(self) -> None:
        """Give the lock back; a second time does nothing."""
        if self._file is not None and self._file.is_open:
            os.ftruncate(self._file.descriptor, 0)
            self._file.close()
        self._file = None

    def _sign(self, file: LockedFile) -> None:
        started_at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        holder = Holder(os.getpid(), self.program, self.command, started_at)
        os.ftruncate(file.descriptor, 0)
        os.write(file.descriptor, json.dumps(asdict(holder)).encode())

    def __enter__(self) -> LoopLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


@contextmanager
def hold_all(home: Home, command: str | None = None) -> Iterator[None]:
    """Hold the lock of every loop, as compaction does, or raise GlueError naming the first that is held."""
    with ExitStack() as stack:
        for loop in ["compact", *(loop for loop in LOOPS if loop != "compact")]:
            stack.enter_context(LoopLock(home, loop, command, program=LOOPS["compact"]))
        yield


def holder_of(home: Home, loop: str) -> Holder | None:
    """Who runs a loop just now; None when nobody does."""
    path = _lock_path(home, loop)
    file = lock_file(path)
    if file is not None:
        file.close()
        return None
    return _read_holder(path) if path.exists() else None


def _lock_path(home: Home, loop: str) -> Path:
    return home.landing / "_locks" / f"{loop}.lock"


def _read_holder(path: Path) -> Holder:
    try:
        found = json.loads(path.read_text())
        return Holder(**found)
    except (OSError, ValueError, TypeError):
        return Holder(None, "", "", "")


def _advice(holder: Holder) -> str:
    if holder.pid is None:
        return "wait for it to finish"
    return f"wait for it to finish, or stop it with `kill {holder.pid}`: what it has landed stays"
