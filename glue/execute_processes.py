"""Worker processes as `glue execute` sees them: how they start, what they are sent, what they die of."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import OrderedDict, deque
from dataclasses import asdict
from pathlib import Path
from typing import Any

from glue.engines.server import Address
from glue.exchange import Board, FrameReader, Running, encoded
from glue.execute_work import Group
from glue.worker_outbox import FLUSH_EVERY_S
from glue.worker_tasks import Settings

_LONG_S = 0.2
_QUEUE_S = 2 * FLUSH_EVERY_S
_FIRST_CHUNK = 16
_MAX_CHUNK = 500

_PROGRAM = "import sys; sys.path.insert(0, {folder!r}); from {module} import main; main({arguments})"


class WorkerProcess:
    """A worker: the process, the socket, what it was given and has not answered."""

    def __init__(self, settings: Settings, known: set[str], module: str = "glue.worker") -> None:
        self.board = Board.create()
        self.channel, child_end = socket.socketpair()
        with child_end:
            self.process = _spawned(child_end.fileno(), self.board.descriptor, module)
        self.channel.setblocking(False)
        self.reader = FrameReader()
        self.unsent: deque[memoryview] = deque()
        self.outstanding: OrderedDict[int, None] = OrderedDict()
        self.group: Group | None = None
        self.is_solo = False
        self.is_revoking = False
        self.has_queue = False
        self.is_retiring = False
        self.is_ready = False
        self.n_told = 0
        self.mean_s: float | None = None
        self.heard_s = time.monotonic()
        self.overdue: Running | None = None
        self.server: tuple[Address, str] | None = None  # its session on a server, as the server numbers it
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

    def death(self) -> str:
        """What it died of, once closed: a signal's name or an exit status."""
        code = self.process.returncode
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"

    def failure(self, running: Running | None, is_killed: bool) -> dict[str, Any]:
        """What it says, once closed, of the statement it died of or was killed for: columns of executions."""
        elapsed_ms = (time.monotonic() - running.started_s) * 1_000 if running else None
        if is_killed:
            return {
                "outcome": "timed_out",
                "error_class": "interrupted",
                "error_message": "it did not answer the interrupt; its worker was killed",
                "is_killed": True,
                "elapsed_ms": elapsed_ms,
            }
        name = self.death()
        return {
            "outcome": "crashed",
            "error_class": "resource" if name == "SIGKILL" else "crash",
            "error_code": name,
            "error_message": f"its worker died: {name}",
            "elapsed_ms": elapsed_ms,
        }


def _spawned(channel: int, board: int, module: str) -> subprocess.Popen[bytes]:
    """Start a worker: a fresh interpreter, so that nothing of this process but two descriptors reaches it."""
    program = _PROGRAM.format(
        folder=str(Path(__file__).resolve().parent.parent),
        module=module,
        arguments=f"{channel}, {board}, {os.getpid()}",
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
