"""What bounds a worker process and its statements: time, memory, and no files."""

from __future__ import annotations

import resource
import signal
import sys
import threading
import time
from pathlib import Path

from glue.engines.base import Session


class TimedOut(Exception):
    """The statement's limit passed while its rows were read."""


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
