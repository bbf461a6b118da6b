"""An embedding model behind an API, by its litellm name: its wire, key, price and revision."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from glue.encoders.api_wires import LiteLLMEmbeddingWire, OpenAIEmbeddingWire
from glue.encoders.base import VectorCheck
from glue.errors import GlueError
from glue.solvers.attempts import Attempt, Sender
from glue.solvers.keys import address
from glue.solvers.model_client import ModelClient
from glue.solvers.openai_wire import HOME_ADDRESS, KEY_VARIABLE
from glue.solvers.prices import Price, Rates, listed, litellm_folder, price_of
from glue.solvers.refused_settings import Settings


@dataclass(frozen=True)
class ApiOptions:
    """How an API is asked. Times in seconds, the price in US dollars per million tokens.

    `retries` is for each text and over all commands; `dimensions` is sent along where it is given.
    """

    api_base: str | None = None
    dimensions: int | None = None
    concurrency: int = 8
    request_timeout_s: float = 120.0
    retries: int = 3
    is_failed_retried: bool = False
    max_cost_usd: float | None = None
    price_in: float | None = None
    backoff_s: float = 1.0


class EmbeddingSettings(Settings):
    """What goes into requests. It decides what the vectors are, so that none is ever left out."""

    @property
    def token_limit(self) -> int | None:
        """An embedding answers without a token: a limit there is, and it costs nothing."""
        return 1

    def learn(self, attempt: Attempt, sent: Any) -> bool:
        """Nothing: a model that refuses a setting is another encoder."""
        return False


@dataclass(frozen=True)
class ApiEncoder:
    """An embedding model that answers over HTTP."""

    client: ModelClient
    revision: str
    n_max_tokens: int | None
    kind: str = "api"

    @property
    def name(self) -> str:
        """The model's litellm name."""
        return self.client.model

    @classmethod
    def of(cls, model: str, options: ApiOptions) -> ApiEncoder:
        """GlueError when litellm is missing or knows no such provider, or a price is needed and unknown."""
        litellm_folder()
        entry = listed(model) or {}
        mode = entry.get("mode", "embedding")
        if mode != "embedding":
            raise GlueError(
                f"{model} is no embedding model: litellm's list says {mode}",
                "name an embedding model, such as openai/text-embedding-3-small",
            )
        is_openai_wire = model.startswith("openai/") or entry.get("litellm_provider") == "openai"
        settings = {} if options.dimensions is None else {"dimensions": options.dimensions}
        client = ModelClient.reached(
            model,
            settings,
            is_openai_wire,
            options.api_base,
            options.request_timeout_s,
            _price(model, options.price_in),
        )
        client.check_price(options.max_cost_usd, "--price-in")
        most = entry.get("max_input_tokens")
        return cls(client, _revision(client), most if isinstance(most, int) else None)

    @property
    def token_counter(self) -> str:
        """What counts its tokens before they are sent, for people."""
        return self.client.counter.told

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, by our own count."""
        return [self.client.counter.count(text) for text in texts]

    def sender(self, check: VectorCheck) -> Sender:
        """A new connection to the model, to be used inside `async with`."""
        client = self.client
        if client.is_openai_wire:
            key = os.environ.get(KEY_VARIABLE)
            base = client.base or address(HOME_ADDRESS)
            return OpenAIEmbeddingWire(client.model, base, key, client.timeout_s, check)
        return LiteLLMEmbeddingWire(client.model, client.base, client.timeout_s, check)

    def settings(self, say: Callable[[str], None]) -> Settings:
        """The settings that go into every request."""
        asked = {name: value for name, value in self.client.settings.items() if name != "api_base"}
        return EmbeddingSettings(asked, say)


def _price(model: str, price_in: float | None) -> Price | None:
    if price_in is not None:
        return Price(Rates(price_in / 1e6, 0.0), "command_line")
    found = price_of(model)
    cost = (listed(model) or {}).get("input_cost_per_token")
    if found is None and isinstance(cost, int | float):
        return Price(Rates(float(cost), 0.0), "cost_map")  # some entries leave out that answers are free
    return found


def _revision(client: ModelClient) -> str:
    """The model's name; with its address and its dimensions, where they were given."""
    parts = [client.model]
    if "api_base" in client.settings:
        parts.append(f"at {client.settings['api_base']}")
    if "dimensions" in client.settings:
        parts.append(f"in {client.settings['dimensions']} dimensions")
    return " ".join(parts)
