"""What tokens cost: litellm's price list, as it lies in the package (no network), or what the user says."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.solvers.attempts import Usage

MODELS_HINT = "pip install 'evalhouse[models]' (in a checkout: make models)"
_PRICES_FILE = "model_prices_and_context_window_backup.json"
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens$")


@dataclass(frozen=True)
class Rates:
    """US dollars per token. Cached and reasoning tokens cost what others do where they have no rate."""

    prompt: float
    completion: float
    cached: float | None = None
    reasoning: float | None = None


@dataclass(frozen=True)
class Price:
    """The rates of a model; `tiers` are (tokens, rates) for prompts above so many tokens, highest first."""

    rates: Rates
    source: str  # cost_map, command_line
    tiers: tuple[tuple[int, Rates], ...] = ()

    def cost_usd(self, usage: Usage) -> float | None:
        """What an answer cost; None where the provider did not count its tokens."""
        if usage.n_prompt_tokens is None or usage.n_completion_tokens is None:
            return None
        rates = self._rates(usage.n_prompt_tokens)
        n_cached = min(usage.n_cached_tokens or 0, usage.n_prompt_tokens)
        n_reasoning = min(usage.n_reasoning_tokens or 0, usage.n_completion_tokens)
        cached = rates.prompt if rates.cached is None else rates.cached
        reasoning = rates.completion if rates.reasoning is None else rates.reasoning
        return (
            (usage.n_prompt_tokens - n_cached) * rates.prompt
            + n_cached * cached
            + (usage.n_completion_tokens - n_reasoning) * rates.completion
            + n_reasoning * reasoning
        )

    def most_usd(self, n_prompt_tokens: int, max_tokens: int) -> float:
        """The most that one request can cost: no token cached, the answer as long as allowed."""
        rates = self._rates(n_prompt_tokens)
        dearest = max(rates.completion, rates.reasoning or 0.0)
        return n_prompt_tokens * max(rates.prompt, rates.cached or 0.0) + max_tokens * dearest

    def _rates(self, n_prompt_tokens: int) -> Rates:
        for n_tokens, rates in self.tiers:
            if n_prompt_tokens > n_tokens:
                return rates
        return self.rates


def price_of(model: str, price_in: float | None = None, price_out: float | None = None) -> Price | None:
    """The price of a model: US dollars per million tokens as given, else the list's; None: unknown."""
    if price_in is not None and price_out is not None:
        return Price(Rates(price_in / 1e6, price_out / 1e6), "command_line")
    entry = listed(model) or {}
    rates = _rates_in(entry, "")
    if rates is None:
        return None
    sizes = sorted((int(found[1]) for name in entry if (found := _TIER.match(name))), reverse=True)
    tiers = [(size * 1000, _rates_in(entry, f"_above_{size}k_tokens")) for size in sizes]
    return Price(rates, "cost_map", tuple((size, tier) for size, tier in tiers if tier is not None))


def listed(model: str) -> Mapping[str, Any] | None:
    """The entry of a model in litellm's list: under its whole name, or without its provider in front."""
    models = _cost_map()
    if model in models:
        return models[model]
    provider, _, name = model.partition("/")
    entry = models.get(name)
    return entry if entry is not None and entry.get("litellm_provider") == provider else None


def litellm_folder() -> Path:
    """Where litellm lies, found without importing it. GlueError when it is not installed."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise GlueError("asking language models needs litellm, which is not installed", MODELS_HINT)
    return Path(spec.origin).parent


@cache
def _cost_map() -> dict[str, dict[str, Any]]:
    models: dict[str, dict[str, Any]] = json.loads(
        (litellm_folder() / _PRICES_FILE).read_text(encoding="utf-8")
    )
    return models


def _rates_in(entry: Mapping[str, Any], suffix: str) -> Rates | None:
    prompt = _number(entry.get(f"input_cost_per_token{suffix}"))
    completion = _number(entry.get(f"output_cost_per_token{suffix}"))
    if prompt is None or completion is None:
        return None
    return Rates(
        prompt,
        completion,
        _number(entry.get(f"cache_read_input_token_cost{suffix}")),
        _number(entry.get(f"output_cost_per_reasoning_token{suffix}")),
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
