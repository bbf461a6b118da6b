"""What `glue embed` prints, and how it ends."""

from __future__ import annotations

from typing import Any

import click
import pytest

from glue import cli_embed
from glue.embed import EmbedReport
from glue.embed_work import EmbedPlan
from glue.errors import GlueError
from glue.solvers.asking import Tally
from glue.solvers.prices import Price, Rates

PLAN: dict[str, Any] = {
    "encoder": "openai/e",
    "revision": "openai/e",
    "benchmarks": ("bird", "spider"),
    "n_texts": 1200,
    "n_batches": 19,
    "n_used_up": 0,
    "n_tokens": 50_000,
    "token_counter": "tiktoken's cl100k_base",
    "n_cut": 0,
    "n_max_tokens": 8191,
    "price": Price(Rates(2e-8, 0.0), "cost_map"),
    "most_usd": 0.001,
}


def report(**more: Any) -> EmbedReport:
    given = {"n_embedded": 0, "n_failed": 0, "n_waiting": 0, "n_used_up": 0, "elapsed_s": 2.0, **more}
    return EmbedReport("openai/e", "openai/e", **given)


def test_a_plan_says_texts_tokens_and_cost(capsys: pytest.CaptureFixture[str]) -> None:
    cli_embed.print_plan(EmbedPlan(**PLAN))
    out = capsys.readouterr().out
    assert "1,200" in out and "50,000" in out and "0.0010" in out
    assert "of bird, spider; revision openai/e" in out
    assert "cost: one attempt each; 0.02 USD per million tokens, from litellm's list" in out
    assert out.endswith("nothing was embedded\n") and "used up" not in out and "longer" not in out


def test_a_plan_says_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    unknown = {"price": None, "most_usd": None, "n_tokens": None, "token_counter": None}
    cli_embed.print_plan(EmbedPlan(**{**PLAN, **unknown, "n_cut": 7, "n_used_up": 3}))
    out = capsys.readouterr().out
    assert "the price is unknown: give --price-in" in out and out.count("unknown") == 3
    assert "7 texts are longer than the 8,191 tokens that it reads" in out
    assert "3 more have used up their attempts" in out


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (report(), "openai/e: nothing was left to embed"),
        (report(n_embedded=4000), "openai/e: 4,000 embedded, in 2.0 s"),
        (
            report(n_embedded=5, n_failed=1, first_error="HTTP 500", n_waiting=2, n_used_up=3),
            "openai/e: 5 embedded, 1 failed (first: HTTP 500), 2 left for later, 3 have used up their"
            " attempts (--retry-failed tries them again), in 2.0 s",
        ),
        (
            report(n_embedded=9, tally=Tally(n_attempts=3, n_prompt_tokens=90, cost_usd=0.25, n_unpriced=1)),
            "openai/e: 9 embedded, in 2.0 s, 3 requests, 90 tokens, cost of this command 0.2500 USD and 1"
            " without a cost",
        ),
        (
            report(n_embedded=9, tally=Tally(n_attempts=3, n_prompt_tokens=90), is_priced=False),
            "openai/e: 9 embedded, in 2.0 s, 3 requests, 90 tokens, cost of this command unknown",
        ),
    ],
)
def test_a_report_says_how_it_ended(found: EmbedReport, told: str) -> None:
    assert cli_embed.told_report(found) == told


def test_texts_that_failed_are_an_error_where_none_was_embedded(capsys: pytest.CaptureFixture[str]) -> None:
    cli_embed.tell_report(report(n_embedded=1, n_failed=2, first_error="HTTP 500"))
    cli_embed.tell_report(report(n_used_up=2))
    capsys.readouterr()
    with pytest.raises(GlueError) as caught:
        cli_embed.tell_report(report(n_failed=2, first_error="HTTP 500"))
    assert caught.value.message == "openai/e embedded none of 2 texts; the first error: HTTP 500"
    assert caught.value.hint is not None and "--retry-failed" in caught.value.hint
    assert capsys.readouterr().out.startswith("openai/e: 2 failed")


def test_what_stopped_it_is_an_error_but_for_what_was_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    cli_embed.tell_report(report())
    cli_embed.tell_report(report(stop="max_cost", n_waiting=7))
    assert "7 texts remain" in capsys.readouterr().err
    with pytest.raises(click.Abort):
        cli_embed.tell_report(report(stop="interrupted"))
    stopped = report(stop="authentication", stop_error="HTTP 401", stop_hint="set the key")
    with pytest.raises(GlueError, match=r"stopped \(authentication\): HTTP 401") as caught:
        cli_embed.tell_report(stopped)
    assert caught.value.hint == "set the key"
