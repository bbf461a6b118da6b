"""One language model, ready to be asked: the wire it is reached by, its key, its price, what lands of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from glue.errors import GlueError
from glue.solvers import attempts
from glue.solvers.asking import Question, Tally
from glue.solvers.attempts import Attempt, Sender
from glue.solvers.completions import plain_text
from glue.solvers.keys import Address, Scrubber, address, secrets_of
from glue.solvers.litellm_wire import LiteLLMWire, check_provider, key_variables
from glue.solvers.openai_wire import HOME_ADDRESS, KEY_VARIABLE, OpenAIWire, address_in_environment
from glue.solvers.prices import Price, listed, litellm_folder, price_of
from glue.solvers.refused_settings import Settings
from glue.solvers.tokens import Counter, counter_for


@dataclass(frozen=True)
class ModelClient:
    """A model by its litellm name. `settings` are what lands with the run; `base` is where it is, if said."""

    model: str
    settings: Mapping[str, Any]
    base: Address | None
    is_openai_wire: bool
    timeout_s: float
    price: Price | None
    scrubber: Scrubber

    @classmethod
    def of(
        cls,
        model: str,
        *,
        temperature: float,
        max_tokens: int,
        api_base: str | None,
        timeout_s: float,
        price_in: float | None,
        price_out: float | None,
        max_cost_usd: float | None,
    ) -> ModelClient:
        """A model that answers in chats. GlueError as of `reached`, and for half a price."""
        litellm_folder()
        if (price_in is None) != (price_out is None):
            raise GlueError(
                "--price-in and --price-out go together", "give both, in US dollars per million tokens"
            )
        settings = {
            "temperature": int(temperature) if temperature == int(temperature) else temperature,
            "max_tokens": max_tokens,
        }
        price = price_of(model, price_in, price_out)
        client = cls.reached(model, settings, speaks_openai(model), api_base, timeout_s, price)
        client.check_price(max_cost_usd, "--price-in and --price-out")
        return client

    @classmethod
    def reached(
        cls,
        model: str,
        settings: Mapping[str, Any],
        is_openai_wire: bool,
        api_base: str | None,
        timeout_s: float,
        price: Price | None,
    ) -> ModelClient:
        """A model at `api_base`, or where the environment or litellm says. The address joins its settings.

        GlueError when litellm knows no such provider, or the address is none.
        """
        if not is_openai_wire:
            check_provider(model)
        typed = api_base or (address_in_environment() if is_openai_wire else None)
        base = address(typed) if typed else None
        if base is not None:
            settings = {**settings, "api_base": base.shown}
        key = os.environ.get(KEY_VARIABLE) if is_openai_wire else None
        scrubber = Scrubber.of([key, *secrets_of(base, typed)])
        return cls(model, settings, base, is_openai_wire, timeout_s, price, scrubber)

    def check_price(self, max_cost_usd: float | None, options: str) -> None:
        """GlueError when a cost is to be held and the price is unknown; `options` would give it."""
        if self.price is None and max_cost_usd is not None:
            raise GlueError(
                f"--max-cost: the price of {self.model} is unknown",
                f"give {options}, in US dollars per million tokens",
            )

    @cached_property
    def counter(self) -> Counter:
        """Counts the tokens of prompts."""
        return counter_for(self.model)

    def check_ready(self) -> None:
        """GlueError when a key is sure to be missing, so that nothing is sent in vain."""
        if self.is_openai_wire and self.base is None and not os.environ.get(KEY_VARIABLE):
            raise GlueError(
                f"{KEY_VARIABLE} is not set, so OpenAI cannot be asked for {self.model}",
                f"export {KEY_VARIABLE}=…, or --api-base URL for a server of your own",
            )

    def stop_hint(self, reason: str | None) -> str | None:
        """What to do about whatever stopped a run; None where the same command can just go on."""
        if reason == attempts.AUTHENTICATION:
            names = [KEY_VARIABLE] if self.is_openai_wire else key_variables(self.model)
            return f"set {' and '.join(names) or 'the key of its provider'} in the environment to a valid key"
        if reason == attempts.NOT_FOUND:
            return "check the model's name" + (f" and --api-base {self.base.shown}" if self.base else "")
        if reason == attempts.QUOTA:
            return "look at the account's balance and limits; the same command goes on from there"
        if reason in (attempts.RATE_LIMIT, attempts.REFUSED_SETTING):
            return "lower --concurrency" if reason == attempts.RATE_LIMIT else "leave --max-cost out"
        return "mend the cause; --retry-failed asks again what has used up its attempts" if reason else None

    def sender(self) -> Sender:
        """A new connection to the model, to be used inside `async with`."""
        if self.is_openai_wire:
            key = os.environ.get(KEY_VARIABLE)
            return OpenAIWire(self.model, self.base or address(HOME_ADDRESS), key, self.timeout_s)
        return LiteLLMWire(self.model, self.base, self.timeout_s)

    def learning_settings(self, say: Callable[[str], None]) -> Settings:
        """The settings that go into requests, which learn what the model refuses."""
        asked = {name: value for name, value in self.settings.items() if name != "api_base"}
        return Settings(asked, say)

    def scrub(self, text: str | None) -> str | None:
        """The text without keys, fit to be stored."""
        return None if text is None else plain_text(self.scrubber.scrub(text) or "")

    def response_row(self, question: Question, attempt: Attempt, cost_usd: float | None) -> dict[str, Any]:
        """An attempt as a row of landing table `responses`."""
        responded_at = datetime.now(UTC)
        key = f"{question.request_id}|{question.n_attempts}|{responded_at.isoformat()}"
        usage = attempt.usage
        return {
            "request_id": question.request_id,
            "attempt_id": hashlib.md5(key.encode()).hexdigest(),
            "purpose": question.purpose,
            "model": self.model,
            "attempt_number": question.n_attempts,
            "outcome": attempt.outcome,
            "is_permanent": attempt.is_permanent,
            "response_text": self.scrub(attempt.text),
            "error": self.scrub(attempt.error),
            "error_kind": attempt.error_kind,
            "http_status": attempt.http_status,
            "retry_after_s": attempt.retry_after_s,
            "finish_reason": self.scrub(attempt.finish_reason),
            "n_prompt_tokens": usage.n_prompt_tokens,
            "n_cached_tokens": usage.n_cached_tokens,
            "n_completion_tokens": usage.n_completion_tokens,
            "n_reasoning_tokens": usage.n_reasoning_tokens,
            "cost_usd": cost_usd,
            "price_source": self.price.source if self.price and cost_usd is not None else None,
            "answering_model": self.scrub(attempt.answering_model),
            "provider_response_id": self.scrub(attempt.provider_response_id),
            "request_json": self.scrub(attempt.request_json),
            "response_json": self.scrub(attempt.response_json),
            "elapsed_ms": attempt.elapsed_ms,
            "responded_at": responded_at,
        }

    def told(self, tally: Tally) -> str:
        """Cost and tokens so far, for people."""
        tokens = f"{tally.n_prompt_tokens:,} + {tally.n_completion_tokens:,} tokens"
        return f"{cost_text(tally.cost_usd if self.price else None)}, {tokens}"


def speaks_openai(model: str) -> bool:
    """Whether the model is reached by OpenAI's chat completions: openai/NAME, or a name of OpenAI's own list.

    OpenAI's models that have only its newer API (mode 'responses' in the list) go through litellm.
    """
    entry = listed(model)
    mode = entry.get("mode", "chat") if entry else "chat"
    if model.startswith("openai/"):
        return mode == "chat" and not model.startswith("openai/responses/")
    return entry is not None and entry.get("litellm_provider") == "openai" and mode == "chat"


def cost_text(cost_usd: float | None) -> str:
    """US dollars for people; 'unknown cost' where there is no price."""
    if cost_usd is None:
        return "unknown cost"
    return f"${cost_usd:,.2f}" if cost_usd >= 10 else f"${cost_usd:,.4f}"
