"""What tests that kill and interrupt `glue generate` and `glue embed` share: commands that a server holds.

The server answers some requests and holds all others. So a process neither ends nor gets further before the
test has seen what it waits for, however slow the machine is.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.home import Home
from tests.model_server import ROOT, ModelServer

HANGS_AFTER_S = 300


@dataclass(frozen=True)
class Command:
    """A command that asks a server about `items`, `n_per_request` at once, in `concurrency` requests.

    `module` runs it (python -m MODULE HOME URL N_ITEMS OPTION=VALUE …), `sent_in` gives the items of a
    request as the server saw it, and `landed` those that have landed; it reads the journals of the dead.
    """

    module: str
    items: frozenset[str]
    n_per_request: int
    concurrency: int
    sent_in: Callable[[dict[str, Any]], list[str]]
    landed: Callable[[Home], set[str]]
    options: tuple[str, ...] = ()

    @contextmanager
    def started(self, home: Home, server: ModelServer) -> Iterator[Running]:
        """A process of it, killed in the end if it has not ended."""
        log = home.root.parent / f"said-{time.monotonic_ns()}.txt"
        options = [f"concurrency={self.concurrency}", "request_timeout_s=600", *self.options]
        arguments = [str(home.root), server.url, str(len(self.items)), *options]
        with log.open("w") as file:
            command = [sys.executable, "-m", self.module, *arguments]
            process = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT)
        try:
            yield Running(process, log)
        finally:
            process.kill()
            process.wait()

    def sent(self, server: ModelServer, n_before: int = 0) -> Counter[str]:
        """How often each item was sent, in the requests after the first `n_before`."""
        return Counter(item for request in server.seen()[n_before:] for item in self.sent_in(request))


@dataclass(frozen=True)
class Running:
    """A process, and the file of all it says."""

    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        """All it has said so far."""
        return self.log.read_text()

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Return once something is so, or the process has ended."""
        deadline = time.monotonic() + HANGS_AFTER_S
        while self.process.poll() is None and not is_so():
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.005)

    def wait_for_requests(self, server: ModelServer, n_requests: int) -> None:
        """Return once the server has seen so many requests, or the process has ended."""
        self.wait_until(lambda: len(server.seen()) >= n_requests)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Wait for its end; its return code."""
        return self.process.wait(HANGS_AFTER_S)


def check_that_kills_lose_only_what_is_under_way(
    command: Command, home: Home, server: ModelServer, seed: int
) -> None:
    """Kill it in the middle of answers again and again, until it gets through.

    Nothing that had landed is sent again, nothing is sent twice in one life, and of what a killed process had
    sent only as much as can be under way has not landed.
    """
    server.plan(delay_s=0.02)
    n_requests = len(command.items) // command.n_per_request
    chance = random.Random(seed)
    n_kills, landed, code = 0, set[str](), -signal.SIGKILL
    while code:
        n_before = len(server.seen())
        n_until_kill = n_before + chance.randrange(n_requests // 40, n_requests // 5)
        server.hold_after(n_until_kill)
        with command.started(home, server) as running:
            running.wait_for_requests(server, n_until_kill)
            running.process.kill()
            code = running.end()
        assert code in (0, -signal.SIGKILL), running.said()
        n_kills += code != 0
        sent = command.sent(server, n_before)
        assert not landed & set(sent)
        assert set(sent.values()) <= {1}
        landed = command.landed(home)
        assert len(set(sent) - landed) <= command.concurrency * command.n_per_request
    assert landed == command.items
    assert n_kills >= 5  # since each life gets fewer answers than a fifth


def check_that_a_second_is_refused(command: Command, home: Home, server: ModelServer, name: str) -> None:
    """Of two at once one works, each item sent once, and the other says who does; `name` is the command's."""
    server.plan()
    server.hold_after(0)
    with command.started(home, server) as first:
        first.wait_for_requests(server, command.concurrency)
        with command.started(home, server) as second:
            assert second.end() != 0
        assert f"{name} is already running (process {first.process.pid}" in second.said()
        server.hold_after(None)
        assert first.end() == 0, first.said()
    assert command.sent(server) == dict.fromkeys(command.items, 1)


def check_that_an_interrupt_waits(command: Command, home: Home, server: ModelServer) -> None:
    """After Ctrl-C nothing more is sent, and all that was sent is answered and lands."""
    server.plan()
    server.hold_after(20)
    with command.started(home, server) as running:
        running.wait_for_requests(server, 20 + command.concurrency)
        running.interrupt()
        running.wait_until(lambda: "stopping: waiting for" in running.said())
        server.hold_after(None)
        running.end()
    assert "stop='interrupted'" in running.said()
    assert len(server.seen()) == 20 + command.concurrency
    assert all(request["is_finished"] for request in server.seen())
    assert command.landed(home) == set(command.sent(server))
