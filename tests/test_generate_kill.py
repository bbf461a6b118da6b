"""`glue generate` killed with SIGKILL, interrupted, and started twice: what the server then counts.

What is shown of a kill: a request whose response had landed when the process died is never sent again. At
most `concurrency` requests are sent again for each kill: those under way, and those whose response had come
but was not yet appended, which it is some milliseconds after its last byte.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.home import Home
from glue.landing import ensure
from tests import generate_helpers as helpers
from tests.generate_helpers import responses
from tests.model_server import ModelServer, model_server

ROOT = Path(__file__).resolve().parents[1]
N_QUESTIONS = 400
CONCURRENCY = 8
LANDS_WITHIN_S = 0.5  # on a machine that is very busy; some milliseconds else
NAMES = {f"q{number}" for number in range(1, N_QUESTIONS + 1)}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def start(home: Home, server: ModelServer, *options: str) -> subprocess.Popen[str]:
    """A process that asks all questions."""
    given = [f"concurrency={CONCURRENCY}", "request_timeout_s=20", *options]
    command = [sys.executable, "-m", "tests.generate_helpers", str(home.root), server.url, str(N_QUESTIONS)]
    pipe = subprocess.PIPE
    return subprocess.Popen([*command, *given], cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def wait_for_requests(server: ModelServer, process: subprocess.Popen[str], n_requests: int) -> None:
    deadline = time.monotonic() + 60
    while len(server.seen()) < n_requests and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def answered(home: Home) -> set[str]:
    """The questions with an answer that has landed; journals of the dead are read too."""
    ensure(home)
    landed = {row["request_id"] for row in responses(home) if row["outcome"] == "answered"}
    runs = helpers.landed(home, "runs", helpers.RUN)
    return {name for name in NAMES if helpers.request_of(runs[0], name, 1)["request_id"] in landed}


@pytest.mark.slow
def test_killed_again_and_again_it_asks_nothing_twice_that_had_landed(
    home: Home, server: ModelServer
) -> None:
    server.plan(delay_s=0.03)  # so slow that a busy machine still kills in the middle
    chance = random.Random(11)
    n_kills, landed_before = 0, set[str]()
    while True:
        n_before = len(server.seen())
        process = start(home, server)
        wait_for_requests(server, process, n_before + chance.randrange(5, 90))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            n_kills += 1
        killed_at = time.time()
        process.wait()
        seen = server.seen()[n_before:]
        sent = [request["text"] for request in seen]
        assert not landed_before & set(sent)
        assert len(sent) == len(set(sent))
        landed_before = answered(home)
        in_time = [it["text"] for it in seen if it.get("finished_at", killed_at) < killed_at - LANDS_WITHIN_S]
        assert set(in_time) <= landed_before
        if len(landed_before) == N_QUESTIONS and process.returncode == 0:
            break
    counts = server.counts()
    assert n_kills >= 3
    assert set(counts) == NAMES
    assert sum(counts.values()) - N_QUESTIONS <= n_kills * CONCURRENCY
    assert len({row["request_id"] for row in responses(home)}) == N_QUESTIONS


def test_of_two_commands_at_once_one_asks_and_the_other_says_who_does(
    home: Home, server: ModelServer
) -> None:
    server.plan(delay_s=0.05)
    first = start(home, server)
    wait_for_requests(server, first, 10)
    second = start(home, server)
    _, told = second.communicate(timeout=60)
    assert second.returncode != 0
    assert f"glue generate is already running (process {first.pid}" in told
    assert first.wait(timeout=60) == 0
    assert set(server.counts().values()) == {1} and len(server.counts()) == N_QUESTIONS


def test_an_interrupt_loses_no_answer(home: Home, server: ModelServer) -> None:
    server.plan(delay_s=0.2)
    process = start(home, server)
    wait_for_requests(server, process, 20)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert "stop='interrupted'" in output
    n_sent = len(server.seen())
    assert n_sent < N_QUESTIONS
    assert all(request["is_finished"] for request in server.seen())
    assert len(answered(home)) == n_sent


def test_a_second_interrupt_drops_what_is_under_way(home: Home, server: ModelServer) -> None:
    server.plan(["hang"])
    process = start(home, server)
    wait_for_requests(server, process, CONCURRENCY)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=10)
    assert "stop='interrupted'" in output and f"n_left={N_QUESTIONS}" in output
    assert responses(home) == []
