"""`glue embed` against a server over real sockets: good vectors, bad ones, none; counted by the server."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from glue.embed import EmbedOptions, embed, plan
from glue.encoders.api import ApiOptions
from glue.errors import GlueError
from glue.home import Home
from tests import embed_helpers as helpers
from tests.embed_helpers import ask, attempts, text_names
from tests.embedding_server import N_DIMENSIONS, embedding_server, text_counts, vector_of
from tests.model_server import ModelServer


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with embedding_server() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.plan()
    return running


def studied(home: Home, monkeypatch: pytest.MonkeyPatch, n_texts: int) -> Home:
    helpers.stand_in_for_dbt(text_names(n_texts), monkeypatch.setattr)
    helpers.land_study(home)
    monkeypatch.setenv("OPENAI_API_KEY", "")
    return home


@pytest.fixture
def shop(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Ten texts t1 to t10, and no key in the environment."""
    return studied(home, monkeypatch, 10)


def kinds(home: Home) -> Counter[tuple[Any, ...]]:
    found = attempts(home, "error_kind", "http_status")
    return Counter((row["outcome"], row["error_kind"], row["http_status"]) for row in found)


def test_each_text_is_embedded_once_and_its_vector_kept(shop: Home, server: ModelServer) -> None:
    report = ask(shop, server.url, price_in=2.0)
    assert (report.n_embedded, report.n_failed, report.n_waiting, report.stop) == (10, 0, 0, None)
    assert text_counts(server) == dict.fromkeys(text_names(10), 1)
    assert [len(request["body"]["input"]) for request in server.seen()] == [4, 4, 2]
    assert {request["path"] for request in server.seen()} == {"/v1/embeddings"}
    assert set(server.seen()[0]["body"]) == {"model", "input"}
    rows = helpers.landed(shop, "embeddings", ["text_id", "encoder", "revision", "vector", "n_dimensions"])
    expected = {row["text_id"]: row["text"] for row in helpers.pending_of(text_names(10))(shop).to_pylist()}
    assert expected == {}  # nothing is pending
    assert sorted(row["vector"] for row in rows) == sorted(map(vector_of, text_names(10)))
    assert {(row["encoder"], row["revision"], row["n_dimensions"]) for row in rows} == {
        ("openai/test", f"openai/test at {server.url}", N_DIMENSIONS)
    }
    columns = [
        "n_prompt_tokens",
        "cost_usd",
        "price_source",
        "answering_model",
        "response_json",
        "elapsed_ms",
    ]
    (first, *_) = attempts(shop, *columns, "is_counted")
    assert [first[name] for name in columns[:5]] == [
        40,
        pytest.approx(8e-5),
        "command_line",
        "test-2026",
        None,
    ]
    assert first["elapsed_ms"] > 0 and not first["is_counted"]
    assert report.tally is not None and report.tally.cost_usd == pytest.approx(2e-4)

    again = ask(shop, server.url, price_in=2.0)
    assert (again.n_embedded, len(server.seen())) == (0, 3)


def test_vectors_belong_to_their_texts(shop: Home, server: ModelServer) -> None:
    """The server answers in another order than it was asked in."""
    texts = {row["embedding_id"]: row["text"] for row in asked_rows(shop, server.url, helpers.text_names(10))}
    ask(shop, server.url)
    rows = helpers.landed(shop, "embeddings", ["embedding_id", "vector"])
    assert {texts[row["embedding_id"]]: row["vector"] for row in rows} == {
        text: vector_of(text) for text in text_names(10)
    }


def asked_rows(home: Home, url: str, texts: list[str]) -> list[dict[str, Any]]:
    """The pending rows once the encoder was asked for."""
    plan(home, helpers.ENCODER, options=EmbedOptions(api=ApiOptions(api_base=url)))
    rows: list[dict[str, Any]] = helpers.pending_of(texts)(home).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("kind", "error_kind", "status"),
    [
        ("429", "rate_limit", 429),
        ("500", "server_error", 500),
        ("garbage", "malformed_response", 200),
        ("html", "malformed_response", 200),
        ("chat", "malformed_response", 200),
        ("short", "malformed_response", 200),
        ("long", "malformed_response", 200),
        ("nan", "malformed_response", 200),
        ("words", "malformed_response", 200),
        ("bools", "malformed_response", 200),
        ("empty", "malformed_response", 200),
        ("unnumbered", "malformed_response", 200),
        ("wrapped:429", "rate_limit", 200),
        ("half_body", "connection", 200),
        ("hang_up", "connection", None),
        ("hang", "timeout", None),
    ],
)
def test_a_budget_of_n_retries_is_n_plus_1_requests(
    shop: Home, server: ModelServer, kind: str, error_kind: str, status: int | None
) -> None:
    server.plan(t1=[kind])
    options: dict[str, Any] = {"retries": 2, "request_timeout_s": 0.3 if kind == "hang" else 5.0}
    report = ask(shop, server.url, batch_size=1, **options)
    assert (report.n_embedded, report.n_failed) == (9, 1)
    assert text_counts(server) == {**dict.fromkeys(text_names(10), 1), "t1": 3}
    assert kinds(shop)["failed", error_kind, status] == 3

    server.plan()
    later = ask(shop, server.url, **options)
    assert (later.n_embedded, later.n_used_up, server.seen()) == (0, 1, [])
    fresh = ask(shop, server.url, **options, is_failed_retried=True)
    assert (fresh.n_embedded, text_counts(server)) == (1, {"t1": 1})


def test_what_failed_for_a_moment_is_embedded_in_the_end(shop: Home, server: ModelServer) -> None:
    server.plan(t1=["500", "half_body", "429", "ok"], t9=["garbage", "short", "ok"])
    report = ask(shop, server.url)
    assert (report.n_embedded, report.n_failed) == (10, 0)
    assert kinds(shop)["answered", None, 200] == 3


@pytest.mark.parametrize("kind", ["nan", "short", "500", "garbage", "hang_up", "hang", "429"])
def test_one_bad_text_uses_up_its_own_attempts_and_nobody_elses(
    shop: Home, server: ModelServer, kind: str
) -> None:
    server.plan(t3=[kind])
    options: dict[str, Any] = {"retries": 1, "request_timeout_s": 0.3 if kind == "hang" else 5.0}
    report = ask(shop, server.url, batch_size=10, **options)
    assert (report.n_embedded, report.n_failed, report.n_waiting, report.stop) == (9, 1, 0, None)
    sizes = [len(request["body"]["input"]) for request in server.seen() if request["kind"] == kind]
    assert sizes[:2] == [10, 10] and sizes[-2:] == [1, 1]  # as many attempts at all as at the one
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == len(sizes) - 2  # and one at each half
    failed = [row for row in attempts(shop, "is_counted", "is_permanent") if row["outcome"] == "failed"]
    assert [row["is_counted"] for row in failed] == [row["n_texts"] == 1 for row in failed]
    assert not any(row["is_permanent"] for row in failed)

    server.plan()
    later = ask(shop, server.url, batch_size=10, **options)
    assert (later.n_embedded, later.n_used_up, server.seen()) == (0, 1, [])
    fresh = ask(shop, server.url, batch_size=10, **options, is_failed_retried=True)
    assert (fresh.n_embedded, text_counts(server)) == (1, {"t3": 1})


def test_a_bad_text_keeps_its_count_over_batches_and_commands(shop: Home, server: ModelServer) -> None:
    server.plan(t3=["500"])
    assert ask(shop, server.url, batch_size=10, retries=0).n_failed == 1
    assert ask(shop, server.url, batch_size=10, retries=0).n_used_up == 1
    assert ask(shop, server.url, batch_size=10, retries=2).n_failed == 1
    assert sum(request["body"]["input"] == ["t3"] for request in server.seen()) == 3


@pytest.mark.parametrize("kind", ["429:0.5", "503:0.5"])
def test_halves_wait_as_long_as_the_provider_says(shop: Home, server: ModelServer, kind: str) -> None:
    server.plan(t1=[kind, "ok"])
    assert ask(shop, server.url, batch_size=10, retries=0).n_embedded == 10
    first, second, third = (request["at"] for request in server.seen())
    assert 0.5 <= second - first < 2 and 0.5 <= third - first < 2


def test_a_server_that_takes_few_texts_at_once_in_time_gets_few(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight batches out at once fail, and all their halves: that is no reason to stop."""
    studied(home, monkeypatch, 256)
    server.plan(["most:2:500"])
    report = ask(home, server.url, batch_size=32, retries=0)
    assert (report.n_embedded, report.n_failed, report.stop) == (256, 0, None)


def test_an_outage_stops_the_run_and_counts_for_hardly_anyone(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    studied(home, monkeypatch, 640)
    server.plan(["500"])
    report = ask(home, server.url, batch_size=64, retries=0)
    assert report.stop == "server_error" and report.n_embedded == 0
    assert len(server.seen()) <= 40
    server.plan()
    later = ask(home, server.url, batch_size=64, retries=0)
    assert later.n_embedded == 640 - report.n_failed and report.n_failed <= 16


def test_the_budget_counts_over_commands(shop: Home, server: ModelServer) -> None:
    server.plan(t1=["500"])
    assert ask(shop, server.url, retries=0, batch_size=1).n_failed == 1
    assert ask(shop, server.url, retries=0).n_used_up == 1
    assert ask(shop, server.url, retries=2).n_failed == 1
    assert text_counts(server)["t1"] == 3


def test_retry_after_is_honoured(shop: Home, server: ModelServer) -> None:
    server.plan(t1=["429:0.5", "ok"])
    assert ask(shop, server.url, batch_size=1).n_embedded == 10
    first, second = (request["at"] for request in server.seen() if request["text"] == "t1")
    assert 0.5 <= second - first < 2


def test_a_batch_that_is_refused_for_good_is_halved(shop: Home, server: ModelServer) -> None:
    server.plan(t3=["too_long"])
    report = ask(shop, server.url, batch_size=10, retries=0)
    assert (report.n_embedded, report.n_failed) == (9, 1)
    sizes = [len(request["body"]["input"]) for request in server.seen() if request["kind"] == "too_long"]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 10 and sizes[-1] == 1
    rows = [row for row in attempts(shop, "is_counted", "is_permanent") if row["outcome"] == "failed"]
    assert [(row["n_texts"] == 1, row["is_counted"], row["is_permanent"]) for row in rows] == [
        *[(False, False, False)] * (len(sizes) - 1),
        (True, True, True),
    ]
    assert ask(shop, server.url).n_used_up == 1


def test_a_provider_that_takes_few_texts_at_once_gets_few(shop: Home, server: ModelServer) -> None:
    server.plan(["only:2"])
    assert ask(shop, server.url, batch_size=8).n_embedded == 10


def test_vectors_of_another_length_do_not_land(shop: Home, server: ModelServer) -> None:
    helpers_of_five = text_names(5)
    assert ask(shop, server.url, batch_size=2).n_embedded == 10
    server.plan(["other"])
    more = helpers.pending_of([*helpers_of_five, "t11"])
    assert len(more(shop)) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("glue.embed.pending_embeddings", more)
        report = ask(shop, server.url, retries=0)
    assert (report.n_embedded, report.n_failed) == (0, 1)
    assert report.first_error == f"a vector has {N_DIMENSIONS - 1} dimensions, expected {N_DIMENSIONS}"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("401", "authentication"), ("402", "quota"), ("404", "not_found"), ("redirect", "not_found")],
)
def test_what_would_fail_for_every_text_stops_the_run(
    shop: Home, server: ModelServer, kind: str, reason: str
) -> None:
    server.plan([kind])
    report = ask(shop, server.url, concurrency=1)
    assert report.stop == reason and report.n_waiting == 10 and len(server.seen()) == 1
    server.plan()
    assert ask(shop, server.url, retries=0).n_embedded == 10  # it used up nobody's attempts


def test_texts_that_all_fail_stop_the_run(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    studied(home, monkeypatch, 200)
    server.plan(["400"])
    report = ask(home, server.url, batch_size=100, concurrency=2)
    assert report.stop == "bad_request"
    assert report.n_failed + report.n_waiting == 200 and report.n_failed <= 30


# --------------------------------------------------------------------------- money, keys, plans


def test_max_cost_stops_before_it_could_be_exceeded(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    studied(home, monkeypatch, 20)
    # A text of two tokens by our count costs 2 cents at most; the server counts ten tokens, and bills them.
    server.plan(delay_s=0.02)
    report = ask(home, server.url, batch_size=1, price_in=10_000.0, max_cost_usd=0.35, concurrency=1)
    assert report.stop == "max_cost"
    assert (report.n_embedded, report.n_waiting) == (4, 16)
    assert report.tally is not None and report.tally.cost_usd == pytest.approx(0.4)
    with pytest.raises(GlueError, match="the price of openai/test is unknown") as caught:
        ask(home, server.url, max_cost_usd=1.0)
    assert caught.value.hint is not None and "--price-in" in caught.value.hint


def test_an_answer_without_usage_has_no_known_cost(shop: Home, server: ModelServer) -> None:
    server.plan(["no_usage"])
    report = ask(shop, server.url, price_in=1.0)
    assert report.tally is not None and report.tally.n_unpriced == 3
    assert {row["cost_usd"] for row in attempts(shop, "cost_usd")} == {None}


def test_keys_are_sent_and_never_kept(
    shop: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", 'sk-"very"/secret-1')
    server.plan(t1=["400"], t2=["500"])
    ask(shop, server.url, batch_size=1, retries=0)
    assert server.seen()[0]["headers"]["authorization"] == 'Bearer sk-"very"/secret-1'
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with_password = server.url.replace("http://", "http://user:pass%20word99@") + "?code=query-secret"
    server.plan(t1=["400"])
    assert ask(shop, with_password).revision == f"openai/test at {server.url}"  # a password makes no other
    ask(shop, with_password, batch_size=1, retries=0, dimensions=8)
    assert server.seen()[0]["headers"]["authorization"].startswith("Basic ")
    rows = attempts(shop, "error", "response_json")
    assert any("you sent Bearer [key]" in row["error"] for row in rows if row["error"])
    landed = b"".join(path.read_bytes() for path in shop.root.rglob("*") if path.is_file())
    texts = (
        landed
        + json.dumps([rows, helpers.landed(shop, "encoders", ["revision", "settings"])], default=str).encode()
    )
    for secret in ("secret-1", "pass%20word99", "pass word99", "query-secret", "dXNlcjpwYXNz"):
        assert secret.encode() not in texts


def test_a_plan_counts_and_sends_nothing(shop: Home, server: ModelServer) -> None:
    options = EmbedOptions(4, ApiOptions(api_base=server.url, price_in=3.0))
    found = plan(shop, helpers.ENCODER, options=options)
    assert (found.n_texts, found.n_batches, found.n_used_up, found.benchmarks) == (10, 3, 0, ("shop",))
    assert found.n_tokens is not None and found.n_tokens >= 20
    assert found.most_usd == pytest.approx(found.n_tokens * 3e-6)
    assert found.token_counter is not None and "o200k_base" in found.token_counter
    assert not server.seen() and attempts(shop) == []


def test_dimensions_are_sent_and_make_another_revision(shop: Home, server: ModelServer) -> None:
    ask(shop, server.url)
    report = ask(shop, server.url, dimensions=8)
    assert report.n_embedded == 10
    assert server.seen()[-1]["body"]["dimensions"] == 8
    assert report.revision == f"openai/test at {server.url} in 8 dimensions"


def test_a_setting_that_is_refused_is_not_left_out(shop: Home, server: ModelServer) -> None:
    """Other vectors than those that were asked for would land under their name."""
    server.plan(["refuse:dimensions"])
    report = ask(shop, server.url, dimensions=8, retries=0)
    assert report.n_embedded == 0 and report.n_failed == 10
    assert all("dimensions" in request["body"] for request in server.seen())


def test_without_a_key_openai_is_not_asked(shop: Home) -> None:
    with pytest.raises(GlueError, match="OPENAI_API_KEY is not set"):
        embed(shop, "openai/text-embedding-3-small")


def test_a_benchmark_that_is_not_studied_is_named(shop: Home, home: Home, server: ModelServer) -> None:
    with pytest.raises(GlueError, match="benchmark 'shoe' is under no study") as caught:
        embed(shop, helpers.ENCODER, ["shoe"], options=EmbedOptions(api=ApiOptions(api_base=server.url)))
    assert caught.value.hint is not None and "did you mean 'shop'?" in caught.value.hint


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["hosted_vllm/test"])
def test_other_providers_go_through_litellm(
    shop: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch, encoder: str
) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "sk-vllm-very-secret")
    server.plan(t1=["500"], t2=["garbage", "short", "ok"], t3=["429:0.3", "hang_up", "ok"])
    report = ask(shop, server.url, encoder=encoder, batch_size=1, retries=2, price_in=1.0)
    assert (report.n_embedded, report.n_failed) == (9, 1)
    assert text_counts(server) == {**dict.fromkeys(text_names(10), 1), "t1": 3, "t2": 3, "t3": 3}
    rows = helpers.landed(shop, "embeddings", ["vector", "encoder"])
    assert len(rows) == 9 and {row["encoder"] for row in rows} == {encoder}
    assert sorted(row["vector"] for row in rows) == sorted(vector_of(text) for text in text_names(10)[1:])
    server.plan(["401"])
    assert ask(shop, server.url, encoder=encoder, is_failed_retried=True).stop == "authentication"
    assert "very-secret" not in json.dumps(attempts(shop, "error", "response_json"), default=str)
