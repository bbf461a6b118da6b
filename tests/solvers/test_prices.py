"""Prices: litellm's list read without importing it, and what an answer costs."""

from __future__ import annotations

import pytest

from glue.errors import GlueError
from glue.solvers.attempts import Usage
from glue.solvers.prices import Price, Rates, listed, litellm_folder, price_of

DEAR = Price(Rates(2e-6, 10e-6, cached=0.5e-6, reasoning=4e-6), "cost_map")


@pytest.mark.parametrize(
    ("usage", "cost_usd"),
    [
        (Usage(1000, None, 100, None), 1000 * 2e-6 + 100 * 10e-6),
        (Usage(1000, 400, 100, 60), 600 * 2e-6 + 400 * 0.5e-6 + 40 * 10e-6 + 60 * 4e-6),
        (Usage(1000, 5000, 100, 900), 1000 * 0.5e-6 + 100 * 4e-6),  # parts beyond the whole are the whole
        (Usage(None, None, 100, None), None),
        (Usage(1000), None),
    ],
)
def test_cached_and_reasoning_tokens_have_their_own_price(usage: Usage, cost_usd: float | None) -> None:
    cost = DEAR.cost_usd(usage)
    assert cost is None if cost_usd is None else cost == pytest.approx(cost_usd)


def test_without_a_rate_of_their_own_they_cost_what_others_do() -> None:
    plain = Price(Rates(2e-6, 10e-6), "command_line")
    assert plain.cost_usd(Usage(1000, 400, 100, 60)) == pytest.approx(1000 * 2e-6 + 100 * 10e-6)


def test_the_most_is_nothing_cached_and_an_answer_as_long_as_allowed() -> None:
    assert DEAR.most_usd(1000, 200) == pytest.approx(1000 * 2e-6 + 200 * 10e-6)


def test_long_prompts_may_have_a_tier_of_their_own() -> None:
    tiered = Price(Rates(1e-6, 1e-6), "cost_map", ((200_000, Rates(2e-6, 3e-6)),))
    assert tiered.cost_usd(Usage(200_000, None, 0, None)) == pytest.approx(0.2)
    assert tiered.cost_usd(Usage(200_001, None, 0, None)) == pytest.approx(0.400002)
    found = price_of("gemini/gemini-2.5-pro")
    assert found is not None and found.tiers[0][0] == 200_000


def test_a_model_is_found_with_its_provider_or_without() -> None:
    assert (
        price_of("openai/gpt-4o-mini")
        == price_of("gpt-4o-mini")
        == Price(Rates(0.15e-6, 0.6e-6, cached=0.075e-6), "cost_map")
    )
    assert listed("openai/claude-sonnet-4-5") is None
    assert price_of("openai/no-such-model") is None
    assert price_of("ollama/llama3") == Price(Rates(0.0, 0.0), "cost_map")  # known, and nothing
    assert price_of("openai/no-such-model", 1.0, 2.0) == Price(Rates(1e-6, 2e-6), "command_line")


def test_without_litellm_the_hint_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(GlueError, match="needs litellm, which is not installed") as caught:
        litellm_folder()
    assert caught.value.hint == "pip install 'evalhouse[models]' (in a checkout: make models)"
