"""`glue embed` killed with SIGKILL, interrupted, and started twice: what the server then counts.

A text whose vector had landed when the process died is never sent again; at most the batches under way are.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from glue.home import Home
from glue.landing import ensure
from tests import embed_helpers as helpers
from tests import kill_helpers as kills
from tests.embed_helpers import text_names
from tests.embedding_server import embedding_server, vector_of
from tests.model_server import ModelServer

NAMES = frozenset(text_names(400))


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with embedding_server() as running:
        yield running


def embedded(home: Home) -> set[str]:
    """The texts whose vector has landed; journals of the dead are read too."""
    ensure(home)
    texts = {tuple(vector_of(text)): text for text in NAMES}
    return {texts[tuple(row["vector"])] for row in helpers.landed(home, "embeddings", ["vector"])}


EMBED = kills.Command(
    "tests.embed_helpers",
    NAMES,
    n_per_request=4,
    concurrency=4,
    sent_in=lambda request: request["body"]["input"],
    landed=embedded,
    options=("batch_size=4",),
)


@pytest.mark.slow
def test_killed_again_and_again_it_embeds_nothing_twice_that_had_landed(
    home: Home, server: ModelServer
) -> None:
    kills.check_that_kills_lose_only_what_is_under_way(EMBED, home, server, seed=5)


def test_of_two_commands_at_once_one_embeds_and_the_other_says_who_does(
    home: Home, server: ModelServer
) -> None:
    kills.check_that_a_second_is_refused(EMBED, home, server, "glue embed")


def test_an_interrupt_loses_no_vector(home: Home, server: ModelServer) -> None:
    kills.check_that_an_interrupt_waits(EMBED, home, server)
