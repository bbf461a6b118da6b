"""`glue embed` killed with SIGKILL, interrupted, and started twice: what the server then counts.

A text whose vector had landed when the process died is never sent again; at most the batches under way are.
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
from tests import embed_helpers as helpers
from tests.embed_helpers import text_names
from tests.embedding_server import embedding_server, text_counts, vector_of
from tests.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[1]
N_TEXTS = 400
BATCH_SIZE = 4
CONCURRENCY = 4
NAMES = set(text_names(N_TEXTS))


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with embedding_server() as running:
        yield running


def start(home: Home, server: ModelServer) -> subprocess.Popen[str]:
    """A process that embeds all texts."""
    options = [f"batch_size={BATCH_SIZE}", f"concurrency={CONCURRENCY}", "request_timeout_s=20"]
    command = [sys.executable, "-m", "tests.embed_helpers", str(home.root), server.url, str(N_TEXTS)]
    pipe = subprocess.PIPE
    return subprocess.Popen([*command, *options], cwd=ROOT, stdout=pipe, stderr=pipe, text=True)


def wait_for_requests(server: ModelServer, process: subprocess.Popen[str], n_requests: int) -> None:
    deadline = time.monotonic() + 120
    while len(server.seen()) < n_requests and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def embedded(home: Home) -> set[str]:
    """The texts whose vector has landed; journals of the dead are read too."""
    ensure(home)
    texts = {tuple(vector_of(text)): text for text in NAMES}
    return {texts[tuple(row["vector"])] for row in helpers.landed(home, "embeddings", ["vector"])}


@pytest.mark.slow
def test_killed_again_and_again_it_embeds_nothing_twice_that_had_landed(
    home: Home, server: ModelServer
) -> None:
    server.plan(delay_s=0.01)
    chance = random.Random(5)
    n_kills, landed_before = 0, set[str]()
    while True:
        n_before = len(server.seen())
        process = start(home, server)
        wait_for_requests(server, process, n_before + chance.randrange(3, 30))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            n_kills += 1
        process.wait()
        seen = server.seen()[n_before:]
        sent = [text for request in seen for text in request["body"]["input"]]
        assert not landed_before & set(sent)
        assert len(sent) == len(set(sent))
        landed_before = embedded(home)
        if len(landed_before) == N_TEXTS and process.returncode == 0:
            break
    counts = text_counts(server)
    assert n_kills >= 4
    assert set(counts) == NAMES
    assert sum(counts.values()) - N_TEXTS <= n_kills * CONCURRENCY * BATCH_SIZE


def test_of_two_commands_at_once_one_embeds_and_the_other_says_who_does(
    home: Home, server: ModelServer
) -> None:
    server.plan(delay_s=0.4)
    first = start(home, server)
    wait_for_requests(server, first, 3)
    second = start(home, server)
    _, told = second.communicate(timeout=60)
    assert second.returncode != 0
    assert f"glue embed is already running (process {first.pid}" in told
    assert first.wait(timeout=60) == 0
    assert set(text_counts(server).values()) == {1} and set(text_counts(server)) == NAMES


def test_an_interrupt_loses_no_vector(home: Home, server: ModelServer) -> None:
    server.plan(delay_s=0.2)
    process = start(home, server)
    wait_for_requests(server, process, 8)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert "stop='interrupted'" in output
    assert len(server.seen()) < N_TEXTS / BATCH_SIZE
    assert len(embedded(home)) == sum(text_counts(server).values())
