"""`glue generate` against a server over real sockets: good answers, bad ones, none; counted by the server."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from glue.errors import GlueError
from glue.generate import ModelOptions, generate
from glue.home import Home
from tests import generate_helpers as helpers
from tests.generate_helpers import ask, responses
from tests.model_server import ANSWER, ModelServer, model_server


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.plan()
    return running


@pytest.fixture
def shop(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Three questions q1, q2, q3, and no key in the environment."""
    helpers.stand_in_for_dbt(monkeypatch.setattr)
    helpers.land_benchmark(home, 3)
    monkeypatch.setenv("OPENAI_API_KEY", "")
    return home


def kinds(home: Home) -> list[tuple[Any, ...]]:
    found = responses(home, "error_kind", "http_status")
    return [(row["outcome"], row["error_kind"], row["http_status"]) for row in found]


def test_each_question_is_asked_once_and_its_answer_kept_as_it_came(shop: Home, server: ModelServer) -> None:
    report = ask(shop, server.url, price_in=2.0, price_out=10.0)
    assert (report.n_answered, report.n_failed, report.n_waiting, report.stop) == (3, 0, 0, None)
    assert server.counts() == {"q1": 1, "q2": 1, "q3": 1}
    columns = ["response_text", "finish_reason", "answering_model", "provider_response_id", "price_source"]
    tokens = ["n_prompt_tokens", "n_cached_tokens", "n_completion_tokens", "n_reasoning_tokens"]
    row = responses(shop, *columns, *tokens, "cost_usd", "request_json", "response_json", "elapsed_ms")[0]
    assert [row[name] for name in columns] == [ANSWER, "stop", "test-2026", "chat-1", "command_line"]
    assert [row[name] for name in tokens] == [1000, 400, 100, 60]
    assert row["cost_usd"] == pytest.approx(1000 * 2e-6 + 100 * 10e-6)
    sent = server.seen()[0]
    assert json.loads(row["request_json"]) == sent["body"]
    assert sent["body"] == {
        "model": "test",
        "messages": [
            {"role": "system", "content": "Answer in SQL."},
            {"role": "user", "content": sent["text"]},
        ],
        "temperature": 0,
        "max_tokens": 8192,
    }
    assert json.loads(row["response_json"])["usage"]["prompt_tokens"] == 1000
    assert row["elapsed_ms"] > 0 and row["attempt_number"] == 1
    assert report.tally is not None and report.tally.n_cached_tokens == 1200

    again = ask(shop, server.url, price_in=2.0, price_out=10.0)
    assert again.n_answered == 0
    assert sum(server.counts().values()) == 3


@pytest.mark.parametrize(
    ("kind", "error_kind", "status"),
    [
        ("429", "rate_limit", 429),
        ("500", "server_error", 500),
        ("garbage", "malformed_response", 200),
        ("html", "malformed_response", 200),
        ("wrapped:429", "rate_limit", 200),
        ("half_body", "connection", 200),
        ("half_stream", "connection", 200),
        ("hang_up", "connection", None),
        ("hang", "timeout", None),
    ],
)
def test_a_budget_of_n_retries_is_n_plus_1_requests(
    shop: Home, server: ModelServer, kind: str, error_kind: str, status: int | None
) -> None:
    server.plan(q1=[kind])
    options = {"retries": 2, "request_timeout_s": 0.3 if kind == "hang" else 5.0}
    report = ask(shop, server.url, **options)
    assert (report.n_answered, report.n_failed) == (2, 1)
    assert server.counts() == {"q1": 3, "q2": 1, "q3": 1}
    assert kinds(shop).count(("failed", error_kind, status)) == 3
    failed = [row for row in responses(shop, "is_permanent") if row["outcome"] == "failed"]
    assert [(row["attempt_number"], row["is_permanent"]) for row in failed] == [(n, False) for n in (1, 2, 3)]

    server.plan()
    later = ask(shop, server.url, **options)
    assert (later.n_answered, later.n_used_up, server.counts()) == (0, 1, Counter())
    fresh = ask(shop, server.url, **options, is_failed_retried=True)
    assert (fresh.n_answered, server.counts()) == (1, {"q1": 1})
    assert responses(shop)[-1]["attempt_number"] == 4


def test_what_failed_for_a_moment_is_answered_in_the_end(shop: Home, server: ModelServer) -> None:
    server.plan(q1=["500", "half_body", "429", "ok"], q2=["garbage", "ok"])
    report = ask(shop, server.url)
    assert (report.n_answered, report.n_failed) == (3, 0)
    assert server.counts() == {"q1": 4, "q2": 2, "q3": 1}


def test_the_budget_counts_over_commands(shop: Home, server: ModelServer) -> None:
    server.plan(q1=["500"])
    assert ask(shop, server.url, retries=0).n_failed == 1
    assert ask(shop, server.url, retries=0).n_used_up == 1
    assert ask(shop, server.url, retries=2).n_failed == 1
    assert server.counts()["q1"] == 3


@pytest.mark.parametrize(("kind", "wait_s"), [("429:0.5", 0.5), ("429:date", 1.0), ("503:0.5", 0.5)])
def test_retry_after_is_honoured(shop: Home, server: ModelServer, kind: str, wait_s: float) -> None:
    server.plan(q1=[kind, "ok"])
    assert ask(shop, server.url).n_answered == 3
    first, second = (request["at"] for request in server.seen() if request["text"] == "q1")
    assert wait_s <= second - first < wait_s + 1.5
    assert any(row["retry_after_s"] for row in responses(shop, "retry_after_s"))


def test_a_rate_limit_holds_the_other_questions_back(shop: Home, server: ModelServer) -> None:
    server.plan(q1=["429:0.4", "ok"])
    ask(shop, server.url, concurrency=1)
    seen = server.seen()
    assert seen[0]["text"] == "q1"
    assert all(request["at"] - seen[0]["at"] >= 0.4 for request in seen[1:])


def test_a_wait_that_is_too_long_ends_the_run(shop: Home, server: ModelServer) -> None:
    server.plan(q1=["429:3600"])
    report = ask(shop, server.url, concurrency=1)
    assert report.stop == "rate_limit" and server.counts() == {"q1": 1}
    assert report.n_waiting == 3


@pytest.mark.parametrize(
    ("kind", "error_kind", "status"),
    [
        ("400", "bad_request", 400),
        ("403", "permission", 403),
        ("too_long", "context_too_long", 400),
        ("filtered", "content_filter", 200),
    ],
)
def test_what_fails_for_good_is_sent_once(
    shop: Home, server: ModelServer, kind: str, error_kind: str, status: int
) -> None:
    server.plan(q1=[kind])
    assert ask(shop, server.url).n_failed == 1
    assert ask(shop, server.url).n_used_up == 1
    assert server.counts() == {"q1": 1, "q2": 1, "q3": 1}
    assert ("failed", error_kind, status) in kinds(shop)
    assert ask(shop, server.url, is_failed_retried=True).n_failed == 1
    assert server.counts()["q1"] == 2


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("401", "authentication"), ("402", "quota"), ("404", "not_found"), ("redirect", "not_found")],
)
def test_what_would_fail_for_every_question_stops_the_run(
    shop: Home, server: ModelServer, kind: str, reason: str
) -> None:
    server.plan([kind])
    report = ask(shop, server.url, concurrency=1)
    assert report.stop == reason and report.n_waiting == 3
    assert sum(server.counts().values()) == 1
    if reason == "authentication":
        assert report.stop_hint == "set OPENAI_API_KEY in the environment to a valid key"
    server.plan()
    assert ask(shop, server.url, retries=0).n_answered == 3  # it used up nobody's attempts


def test_questions_that_all_fail_stop_the_run(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers.stand_in_for_dbt(monkeypatch.setattr)
    helpers.land_benchmark(home, 40)
    server.plan(["500"])
    report = ask(home, server.url, retries=0, concurrency=4)
    assert report.stop == "server_error"
    assert 25 <= sum(server.counts().values()) <= 28
    assert report.n_failed + report.n_waiting == 40


def test_a_dead_address_is_a_connection_that_failed(shop: Home) -> None:
    report = ask(shop, "http://127.0.0.1:1/v1", retries=1)
    assert report.n_failed == 3
    assert kinds(shop) == [("failed", "connection", None)] * 6
    assert report.first_error is not None and "cannot connect" in report.first_error


def test_an_answer_cut_at_the_token_limit_is_final(shop: Home, server: ModelServer) -> None:
    server.plan(["truncated"])
    report = ask(shop, server.url, is_malformed_retried=True)
    assert (report.n_truncated, report.n_answered, report.n_failed) == (3, 0, 0)
    ask(shop, server.url, is_malformed_retried=True, is_failed_retried=True)
    assert server.counts() == {"q1": 1, "q2": 1, "q3": 1}
    assert kinds(shop) == [("truncated", None, 200)] * 3


def test_answers_without_sql_are_asked_again_where_wanted(shop: Home, server: ModelServer) -> None:
    server.plan(q1=["nosql", "ok"], q2=["empty"])
    assert ask(shop, server.url).n_answered == 3
    assert server.counts() == {"q1": 1, "q2": 1, "q3": 1}
    ask(shop, server.url)
    assert sum(server.counts().values()) == 3
    report = ask(shop, server.url, is_malformed_retried=True, retries=2)
    assert server.counts() == {"q1": 2, "q2": 3, "q3": 1}
    assert report.n_answered == 2


def test_the_body_decides_what_an_answer_is(shop: Home, server: ModelServer) -> None:
    server.plan(q1=["text"], q2=["parts"], q3=["ok:half a pair \ud800"])
    assert ask(shop, server.url).n_answered == 3
    found = {row["response_text"] for row in responses(shop, "response_text", "n_prompt_tokens")}
    assert found == {ANSWER, "half a pair �"}
    assert {row["n_prompt_tokens"] for row in responses(shop, "n_prompt_tokens")} == {1000, None}


# --------------------------------------------------------------------------- settings


def test_a_refused_setting_is_renamed_or_left_out(
    shop: Home, server: ModelServer, capfd: pytest.CaptureFixture[str]
) -> None:
    server.plan(["refuse:max_tokens"], q1=["refuse:max_tokens", "refuse:temperature", "ok"])
    said: list[str] = []
    report = ask_aloud(shop, server.url, said, retries=0, concurrency=1)
    assert report.n_answered == 3
    assert server.counts() == {"q1": 3, "q2": 1, "q3": 1}
    assert [line for line in said if "refuses" in line] == [
        "openai/test: the model refuses max_tokens: asking with max_completion_tokens instead (HTTP 400: "
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
        "instead.)",
        "openai/test: the model refuses temperature=0: asking without it (HTTP 400: Unsupported parameter: "
        "'temperature' is not supported with this model.)",
    ]
    rows = responses(shop, "error_kind", "request_json")
    assert [row["error_kind"] for row in rows] == ["refused_setting", "refused_setting", None, None, None]
    sent = json.loads(rows[-1]["request_json"])
    assert sent["max_completion_tokens"] == 8192 and not {"max_tokens", "temperature"} & set(sent)


def test_many_at_once_learn_of_a_refused_setting_once(shop: Home, server: ModelServer) -> None:
    server.plan(["refuse:temperature"], delay_s=0.05)
    said: list[str] = []
    assert ask_aloud(shop, server.url, said, retries=0).n_answered == 3
    assert sum("refuses temperature" in line for line in said) == 1


def ask_aloud(home: Home, url: str, said: list[str], **options: Any) -> Any:
    class Aloud:
        def start(self, what: str, total: int) -> None: ...
        def advance(self, n_done: int, n_failed: int) -> None: ...
        def tell(self, text: str) -> None: ...
        def finish(self) -> None: ...
        def note(self, text: str) -> None:
            said.append(text)

    return ask(home, url, progress=Aloud(), **options)


# --------------------------------------------------------------------------- money, keys, samples


def test_max_cost_stops_before_it_could_be_exceeded(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers.stand_in_for_dbt(monkeypatch.setattr)
    helpers.land_benchmark(home, 20)
    # An answer costs 1 cent (100 tokens), and could cost 10 (1,000 tokens).
    options = {"price_in": 0.0, "price_out": 100.0, "max_tokens": 1000}
    server.plan(delay_s=0.05)
    report = ask(home, server.url, max_cost_usd=0.155, **options)
    n_sent = sum(server.counts().values())
    assert report.stop == "max_cost" and n_sent == 6 and report.n_waiting == 14
    assert report.tally is not None and report.tally.cost_usd == pytest.approx(0.06)
    server.plan(["half_body"])
    report = ask(home, server.url, max_cost_usd=0.15, retries=9, **options)
    assert report.stop == "max_cost"  # what broke off may have cost the most
    assert sum(server.counts().values()) == 1
    assert ask(home, server.url, max_cost_usd=0.05, **options).stop == "max_cost"
    assert sum(server.counts().values()) == 1


def test_max_cost_needs_a_price(shop: Home, server: ModelServer) -> None:
    with pytest.raises(GlueError, match="the price of openai/test is unknown") as caught:
        ask(shop, server.url, max_cost_usd=1.0)
    assert caught.value.hint is not None and "--price-in" in caught.value.hint
    with pytest.raises(GlueError, match="go together"):
        ask(shop, server.url, price_in=1.0)
    assert not server.seen()


def test_keys_are_sent_and_never_kept(
    shop: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", 'sk-"very"/secret-1')
    server.plan(q1=["echo"], q2=["401"], q3=["echo"])
    ask(shop, server.url, concurrency=1)
    seen = server.seen()
    assert seen[0]["headers"]["authorization"] == 'Bearer sk-"very"/secret-1'
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with_password = server.url.replace("http://", "http://user:pass%20word99@") + "?code=query-secret"
    server.plan(["echo"], q1=["400"])
    ask(shop, with_password, name="other", concurrency=1)
    assert server.seen()[0]["headers"]["authorization"].startswith("Basic ")
    errors = [row["error"] for row in responses(shop, "error") if row["error"]]
    assert any("you sent Bearer [key]" in error for error in errors)
    landed = [path.read_bytes() for path in shop.root.rglob("*") if path.is_file()]
    texts = (
        b"".join(landed)
        + json.dumps(
            responses(shop, "error", "response_text", "request_json", "response_json"), default=str
        ).encode()
    )
    for secret in ("secret-1", "pass%20word99", "pass word99", "query-secret", "dXNlcjpwYXNz"):
        assert secret.encode() not in texts


def test_samples_are_requests_of_their_own(shop: Home, server: ModelServer) -> None:
    report = ask(shop, server.url, n_samples=3, limit=2)
    assert (report.n_answered, report.n_waiting) == (6, 3)
    assert server.counts() == {"q1": 3, "q2": 3}


def test_as_many_go_out_at_once_as_wanted(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers.stand_in_for_dbt(monkeypatch.setattr)
    helpers.land_benchmark(home, 30)
    server.plan(delay_s=0.2)
    started = time.monotonic()
    assert ask(home, server.url, concurrency=10).n_answered == 30
    assert 0.6 <= time.monotonic() - started < 3


# --------------------------------------------------------------------------- other providers, through litellm


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hosted_vllm/test", "anthropic/claude-test"])
def test_other_providers_go_through_litellm(
    shop: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-very-secret")
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "sk-vllm-very-secret")
    server.plan(q1=["500"], q2=["garbage", "half_body", "ok"], q3=["429:0.3", "hang_up", "echo"])
    base = server.url if model.startswith("hosted") else server.url.removesuffix("/v1")
    options = ModelOptions(api_base=base, backoff_s=0.01, retries=2, price_in=1.0, price_out=1.0)
    (report,) = generate(shop, [model], helpers.BENCHMARK, options=options)
    assert (report.n_answered, report.n_failed) == (2, 1)
    assert server.counts() == {"q1": 3, "q2": 3, "q3": 3}
    rows = responses(shop, "error_kind", "request_json", "response_json", "cost_usd", "n_prompt_tokens")
    assert Counter(row["error_kind"] for row in rows) == Counter(
        {"server_error": 3, "malformed_response": 1, "connection": 2, "rate_limit": 1, None: 2}
    )
    answered = [row for row in rows if row["outcome"] == "answered"]
    assert [row["n_prompt_tokens"] for row in answered] == [1000, 1000]
    assert json.loads(answered[0]["response_json"])["usage"]  # in the provider's own words
    assert "very-secret" not in json.dumps(rows, default=str)
    server.plan(["401"])
    (stopped,) = generate(
        shop, [model], helpers.BENCHMARK, name="other", options=ModelOptions(api_base=base, max_tokens=9)
    )
    assert stopped.stop == "authentication"


def test_what_cannot_be_landed_stops_the_run(
    home: Home, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glue.landing import Writer

    helpers.stand_in_for_dbt(monkeypatch.setattr)
    helpers.land_benchmark(home, 30)
    real, n_appended = Writer.append, [0]

    def append(writer: Writer, table: str, rows: Any) -> None:
        n_appended[0] += table == "responses"
        if n_appended[0] > 3:
            raise GlueError("the disk is full")
        real(writer, table, rows)

    monkeypatch.setattr(Writer, "append", append)
    with pytest.raises(GlueError, match="the disk is full"):
        ask(home, server.url, concurrency=2)
    assert sum(server.counts().values()) <= 10
