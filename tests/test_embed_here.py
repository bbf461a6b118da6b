"""`glue embed` with an encoder that runs in this process: batches, failures, and where it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from glue import embed as module
from glue.embed import EmbedOptions, EmbedReport, embed, plan
from glue.encoders.api import ApiOptions
from glue.errors import GlueError
from glue.home import Home
from glue.landing import table_fingerprints
from tests import embed_helpers as helpers
from tests.embed_helpers import attempts, landed, text_names
from tests.embedding_server import vector_of


class Fake:
    """An encoder that fails where it is told to, and keeps what it was given."""

    name, kind, revision, n_max_tokens, token_counter = "fake", "numpy", "r1", 2, "its letters"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.n_loads = 0
        self.fails: dict[str, BaseException] = {}
        self.answers: dict[str, Any] = {}
        self.most = 100  # texts at once that there is room for
        self.uncountable: str | None = None

    def count_tokens(self, texts: Sequence[str]) -> list[int] | None:
        if self.uncountable in texts:
            raise ValueError(f"cannot count {self.uncountable}")
        return [len(text) for text in texts]

    def load(self) -> None:
        self.n_loads += 1

    def encode(self, texts: Sequence[str]) -> Any:
        if len(texts) > self.most:
            raise MemoryError("no room")
        for text in texts:
            if text in self.fails:
                raise self.fails[text]
        self.batches.append(list(texts))
        return [self.answers.get(text, vector_of(text)) for text in texts]


@pytest.fixture
def fake(home: Home, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """The encoder, and ten texts t1 to t10 of a studied benchmark that wait for it."""
    found = Fake()
    monkeypatch.setattr(module, "encoder_of", lambda name, options: found)
    helpers.stand_in_for_dbt(text_names(10), monkeypatch.setattr)
    helpers.land_study(home)
    return found


def run(home: Home, batch_size: int = 4, *, is_failed_retried: bool = False) -> EmbedReport:
    api = ApiOptions(is_failed_retried=is_failed_retried)
    return embed(home, "fake", options=EmbedOptions(batch_size, api))


def test_batches_are_of_the_size_asked_for_and_the_longest_come_first(home: Home, fake: Fake) -> None:
    report = run(home)
    assert (report.n_embedded, report.n_waiting, report.stop, fake.n_loads) == (10, 0, None, 1)
    assert [len(batch) for batch in fake.batches] == [4, 4, 2]
    assert fake.batches[0][0] == "t10"
    assert [(row["outcome"], row["n_texts"], row["cost_usd"]) for row in attempts(home, "cost_usd")] == [
        ("answered", 4, 0.0),
        ("answered", 4, 0.0),
        ("answered", 2, 0.0),
    ]
    rows = landed(home, "embeddings", ["vector", "n_tokens", "is_cut", "revision"])
    assert sorted(row["vector"] for row in rows) == sorted(map(vector_of, text_names(10)))
    assert sorted((row["n_tokens"], row["is_cut"]) for row in rows) == [*[(2, False)] * 9, (3, True)]
    assert landed(home, "encoders", ["encoder", "kind", "n_max_tokens", "benchmark", "settings"]) == [
        {"encoder": "fake", "kind": "numpy", "n_max_tokens": 2, "benchmark": "shop", "settings": "{}"}
    ]


def test_a_second_command_has_nothing_to_do_and_loads_nothing(home: Home, fake: Fake) -> None:
    run(home)
    before = table_fingerprints(home)
    again = run(home)
    assert (again.n_embedded, fake.n_loads, len(fake.batches)) == (0, 1, 3)
    assert table_fingerprints(home) == before  # so that no build follows from it


def test_another_revision_embeds_anew_beside_the_first(home: Home, fake: Fake) -> None:
    run(home)
    fake.revision = "r2"
    assert run(home).n_embedded == 10
    assert len(landed(home, "embeddings", ["embedding_id"])) == 20
    fake.revision = "r1"
    assert run(home).n_embedded == 0
    asked = landed(home, "encoders", ["revision", "asked_at"])
    assert max(asked, key=lambda row: row["asked_at"])["revision"] == "r1"


@pytest.mark.parametrize("answer", [[float("nan")] * 8, [1.0] * 7, [], "text", None])
@pytest.mark.parametrize("text", ["t10", "t5"])  # the longest, which comes first, and one in between
def test_one_bad_text_costs_no_other_and_is_not_tried_again(
    home: Home, fake: Fake, answer: Any, text: str
) -> None:
    fake.answers[text] = answer
    report = run(home)
    assert (report.n_embedded, report.n_failed, report.n_waiting, report.stop) == (9, 1, 0, None)
    columns = ["error", "is_counted", "is_permanent"]
    failed = [row for row in attempts(home, *columns) if row["outcome"] == "failed"]
    assert [row["n_texts"] for row in failed] in ([4, 2, 1], [2, 1])
    for row in failed:
        assert row["is_counted"] == row["is_permanent"] == (row["n_texts"] == 1)
    assert report.first_error == failed[-1]["error"] and "a vector" in failed[-1]["error"]
    assert (again := run(home)).n_used_up == 1 and (again.n_embedded, again.n_failed) == (0, 0)

    fake.answers.clear()
    assert run(home, is_failed_retried=True).n_embedded == 1
    rows = landed(home, "embeddings", ["vector"])
    assert sorted(row["vector"] for row in rows) == sorted(map(vector_of, text_names(10)))


def test_a_batch_too_large_for_the_memory_is_embedded_in_parts(home: Home, fake: Fake) -> None:
    fake.most = 2
    report = run(home, batch_size=10)
    assert (report.n_embedded, report.n_failed) == (10, 0)
    assert {row["error"] for row in attempts(home, "error")} == {None, "MemoryError: no room"}


def test_a_text_that_cannot_be_counted_fails_alone(home: Home, fake: Fake) -> None:
    fake.uncountable = "t3"
    report = run(home)
    assert (report.n_embedded, report.n_failed) == (9, 1)
    assert report.first_error == "ValueError: cannot count t3"


def test_an_encoder_that_fails_at_everything_stops(
    home: Home, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers.stand_in_for_dbt(text_names(100), monkeypatch.setattr)
    fake.most = 0
    report = run(home, batch_size=8)
    assert (report.n_embedded, report.n_failed, report.n_waiting) == (0, 25, 75)
    assert (report.stop, report.stop_error) == ("failed", "MemoryError: no room")
    assert report.stop_hint is not None and "--retry-failed" in report.stop_hint
    fake.most = 100
    assert run(home, batch_size=8, is_failed_retried=True).n_embedded == 100


def test_an_interrupt_ends_it_and_the_next_command_goes_on(home: Home, fake: Fake) -> None:
    fake.fails["t1"] = KeyboardInterrupt()
    report = run(home, batch_size=1)
    assert report.stop == "interrupted"
    assert report.n_embedded + report.n_waiting == 10 and report.n_waiting > 0
    fake.fails.clear()
    assert run(home).n_embedded == report.n_waiting


def test_a_plan_embeds_nothing(home: Home, fake: Fake) -> None:
    found = plan(home, "fake", options=EmbedOptions(3))
    assert (found.n_texts, found.n_batches, found.n_tokens, found.n_cut, found.most_usd) == (
        10,
        4,
        21,
        1,
        0.0,
    )
    assert (fake.n_loads, fake.batches) == (0, [])
    assert landed(home, "embeddings", ["embedding_id"]) == []


def test_without_a_study_there_is_nothing_to_embed(tmp_path: Any, fake: Fake) -> None:
    empty = Home(tmp_path / "empty")
    with pytest.raises(GlueError, match="no benchmark is under study") as caught:
        embed(empty, "fake")
    assert caught.value.hint is not None and "--study budget" in caught.value.hint
