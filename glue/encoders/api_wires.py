"""Embeddings over HTTP: OpenAI's /embeddings spoken directly, others through litellm. Trusts nothing.

A batch of texts travels as messages, so that the one loop that asks models (solvers/asking.py) sends it too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from glue.encoders.base import VectorCheck, Vectors
from glue.solvers import attempts
from glue.solvers.attempts import Attempt, Usage
from glue.solvers.keys import Address
from glue.solvers.litellm_wire import LiteLLMConnection
from glue.solvers.openai_wire import OpenAIConnection

_MOST_TOKENS = 1 << 40


@dataclass(frozen=True)
class EmbeddingAttempt(Attempt):
    """An attempt at a batch; `vectors` are there when it was answered."""

    vectors: Vectors | None = None


def as_messages(texts: Sequence[str]) -> list[dict[str, str]]:
    """A batch of texts in the shape of a request."""
    return [{"role": "input", "content": text} for text in texts]


class OpenAIEmbeddingWire(OpenAIConnection):
    """Sends batches to one embedding model at one address. An async context manager (Sender)."""

    def __init__(
        self, model: str, base: Address, key: str | None, timeout_s: float, check: VectorCheck
    ) -> None:
        super().__init__(model, base, "embeddings", key, timeout_s)
        self._check = check

    async def send(self, messages: list[dict[str, str]], settings: dict[str, object]) -> Attempt:
        """See Sender. Of a failure the provider's answer is kept."""
        texts = _texts(messages)
        attempt = await self.post({"input": texts, **settings})
        if attempt.http_status == 200 and attempt.response_json is not None:
            return _of_response(attempt, attempt.response_json, len(texts), self._check)
        return attempt


class LiteLLMEmbeddingWire(LiteLLMConnection):
    """Sends batches to one embedding model through litellm. An async context manager (Sender)."""

    def __init__(self, model: str, base: Address | None, timeout_s: float, check: VectorCheck) -> None:
        super().__init__(model, base, timeout_s)
        self._check = check

    async def send(self, messages: list[dict[str, str]], settings: dict[str, object]) -> Attempt:
        """See Sender."""
        texts = _texts(messages)

        def read(response: Any) -> Attempt:
            return read_embeddings(response.model_dump(), len(texts), self._check)

        return await self.call("aembedding", {"input": texts, **settings}, read)


def _texts(messages: Sequence[dict[str, str]]) -> list[str]:
    return [message["content"] for message in messages]


def _of_response(attempt: Attempt, body: str, n_texts: int, check: VectorCheck) -> Attempt:
    """The attempt that the body of a 200 makes; one that wraps an error stays the error it is."""
    found = _json(body)
    if attempt.error_kind not in (None, attempts.MALFORMED) and _data(found) is None:
        return attempt
    read = read_embeddings(found, n_texts, check)
    return replace(
        read,
        http_status=attempt.http_status,
        retry_after_s=attempt.retry_after_s,
        response_json=body if read.outcome == "failed" else None,
        elapsed_ms=attempt.elapsed_ms,
    )


def read_embeddings(found: Any, n_texts: int, check: VectorCheck) -> EmbeddingAttempt:
    """The attempt that a parsed response makes: vectors in the order of the texts, or what is wrong."""
    data = _data(found)
    if data is None:
        return _malformed("no embeddings in it")
    places = [item.get("index", place) for place, item in enumerate(data)]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(len(data))):
        return _malformed("the embeddings are not numbered from 0 on")
    vectors: list[Any] = [
        item.get("embedding") for _, item in sorted(zip(places, data, strict=True), key=_place)
    ]
    problem = check.problem(vectors, n_texts)
    if problem is not None:
        return _malformed(problem)
    usage, model = found.get("usage"), found.get("model")
    return EmbeddingAttempt(
        "answered",
        http_status=200,
        usage=Usage(_count(usage) if isinstance(usage, dict) else None, n_completion_tokens=0),
        answering_model=model if isinstance(model, str) and model else None,
        vectors=vectors,
    )


def _data(found: Any) -> list[dict[str, Any]] | None:
    data = found.get("data") if isinstance(found, dict) else None
    return data if isinstance(data, list) and all(isinstance(item, dict) for item in data) else None


def _place(placed: tuple[int, dict[str, Any]]) -> int:
    return placed[0]


def _count(usage: dict[str, Any]) -> int | None:
    found = usage.get("prompt_tokens")
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < _MOST_TOKENS
    return found if is_count else None


def _malformed(problem: str) -> EmbeddingAttempt:
    return EmbeddingAttempt("failed", error=problem, error_kind=attempts.MALFORMED, http_status=200)


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
