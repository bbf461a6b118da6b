"""OpenAI's API, spoken directly with aiohttp: to OpenAI and to whatever speaks like it.

Why not litellm for these too: a call of litellm.acompletion costs 4.6 ms of CPU (1.110, measured against a
local server), so one process makes some 200 calls a second at best; aiohttp needs 0.2 ms. 1,000 bare calls of
50 ms at concurrency 32 took 6.0 s with litellm and 1.7 s with aiohttp; the ideal is 1.6 s. Other providers
go through litellm (litellm_wire.py): answers that take seconds leave it room enough.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from glue.solvers import attempts, completions
from glue.solvers.attempts import Attempt
from glue.solvers.keys import Address

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

HOME_ADDRESS = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_ADDRESS_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
_LARGEST_BODY_BYTES = 64 << 20


def address_in_environment() -> str | None:
    """The API's base that the environment names, as OpenAI's own clients read it."""
    return next((value for name in _ADDRESS_VARIABLES if (value := os.environ.get(name))), None)


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for a URL (HTTPS_PROXY, NO_PROXY, …)."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.netloc):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


class OpenAIConnection:
    """Requests to one model at one path (chat/completions) below an address. An async context manager."""

    def __init__(self, model: str, base: Address, path: str, key: str | None, timeout_s: float) -> None:
        self._model = model.removeprefix("openai/")
        root, question_mark, query = base.url.partition("?")
        self._url = f"{root}/{path}{question_mark}{query}"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        authorization = base.basic_auth or (f"Bearer {key}" if key else None)
        if authorization:
            self._headers["Authorization"] = authorization
        self._timeout_s = timeout_s
        self._session: ClientSession | None = None

    async def __aenter__(self) -> Self:
        import aiohttp

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),  # how many go out at once is not decided here
            timeout=aiohttp.ClientTimeout(total=self._timeout_s),
            proxy=proxy_for(self._url),
        )
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._session is not None
        await self._session.close()

    async def post(self, payload: Mapping[str, object]) -> Attempt:
        """One request of the model's name and `payload`, one attempt. Never raises for a failure.

        The response is read as a chat completion (completions.read_body).
        """
        request = json.dumps({"model": self._model, **payload}, ensure_ascii=False)
        started = time.monotonic()
        attempt = await self._post(request)
        return replace(attempt, request_json=request, elapsed_ms=(time.monotonic() - started) * 1000)

    async def _post(self, request: str) -> Attempt:
        import aiohttp

        assert self._session is not None
        body = request.encode("utf-8", "replace")
        try:
            async with self._session.post(
                self._url, data=body, headers=self._headers, allow_redirects=False
            ) as response:
                return await _read(response)
        except TimeoutError:
            return _failed(attempts.TIMEOUT, f"no whole response within {self._timeout_s:g} s")
        except aiohttp.ClientConnectorError as error:
            return _failed(attempts.CONNECTION, f"cannot connect: {error}", is_sent=False)
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError, ValueError) as error:
            return _failed(attempts.CONNECTION, f"{type(error).__name__}: {error}")


class OpenAIWire(OpenAIConnection):
    """Sends chats to one model at one address. An async context manager (Sender)."""

    def __init__(self, model: str, base: Address, key: str | None, timeout_s: float) -> None:
        super().__init__(model, base, "chat/completions", key, timeout_s)

    async def send(self, messages: list[dict[str, str]], settings: dict[str, object]) -> Attempt:
        """See Sender."""
        return await self.post({"messages": messages, **settings})


async def _read(response: ClientResponse) -> Attempt:
    """The response, read to its end. What breaks off half-way is a broken connection."""
    import aiohttp

    chunks: list[bytes] = []
    n_bytes = 0
    try:
        async for chunk in response.content.iter_any():
            chunks.append(chunk)
            n_bytes += len(chunk)
            if n_bytes > _LARGEST_BODY_BYTES:
                error = f"the response is longer than {_LARGEST_BODY_BYTES:,} bytes"
                return replace(_failed(attempts.MALFORMED, error), http_status=response.status)
    except (aiohttp.ClientPayloadError, ConnectionError) as error:
        broken = _failed(attempts.CONNECTION, f"the response broke off after {n_bytes:,} bytes: {error}")
        return replace(broken, http_status=response.status, response_json=_text(chunks) or None)
    return completions.read_body(response.status, _text(chunks), response.headers.get("Retry-After"))


def _text(chunks: list[bytes]) -> str:
    return b"".join(chunks).decode("utf-8", "replace")


def _failed(kind: str, error: str, is_sent: bool = True) -> Attempt:
    return Attempt("failed", error=error, error_kind=kind, is_sent=is_sent)
