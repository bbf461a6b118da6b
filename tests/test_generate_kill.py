"""`glue generate` killed with SIGKILL, interrupted, and started twice: what the server then counts.

What is shown of a kill: a request whose response had landed when the process died is never sent again. At
most `concurrency` requests are sent again for each kill: those under way, and those whose response had come
but was not yet appended, which it is before the next one goes out in its place.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from glue.home import Home
from glue.landing import ensure
from tests import generate_helpers as helpers
from tests import kill_helpers as kills
from tests.generate_helpers import responses
from tests.model_server import ModelServer, model_server

NAMES = frozenset(f"q{number}" for number in range(1, 401))


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def answered(home: Home) -> set[str]:
    """The questions with an answer that has landed; journals of the dead are read too."""
    ensure(home)
    landed = {row["request_id"] for row in responses(home) if row["outcome"] == "answered"}
    runs = helpers.landed(home, "runs", helpers.RUN)
    return {name for name in NAMES if helpers.request_of(runs[0], name, 1)["request_id"] in landed}


GENERATE = kills.Command(
    "tests.generate_helpers",
    NAMES,
    n_per_request=1,
    concurrency=8,
    sent_in=lambda request: [request["text"]],
    landed=answered,
)


@pytest.mark.slow
def test_killed_again_and_again_it_asks_nothing_twice_that_had_landed(
    home: Home, server: ModelServer
) -> None:
    kills.check_that_kills_lose_only_what_is_under_way(GENERATE, home, server, seed=11)
    assert len({row["request_id"] for row in responses(home)}) == len(NAMES)


def test_of_two_commands_at_once_one_asks_and_the_other_says_who_does(
    home: Home, server: ModelServer
) -> None:
    kills.check_that_a_second_is_refused(GENERATE, home, server, "glue generate")


def test_an_interrupt_loses_no_answer(home: Home, server: ModelServer) -> None:
    kills.check_that_an_interrupt_waits(GENERATE, home, server)


def test_a_second_interrupt_drops_what_is_under_way(home: Home, server: ModelServer) -> None:
    server.plan()
    server.hold_after(0)
    with GENERATE.started(home, server) as running:
        running.wait_for_requests(server, GENERATE.concurrency)
        running.interrupt()
        running.wait_until(lambda: "Ctrl-C drops them" in running.said())
        running.interrupt()
        running.end()
    assert "stop='interrupted'" in running.said() and f"n_left={len(NAMES)}" in running.said()
    assert responses(home) == []
