"""Any provider litellm knows, one request a call: its retries are off (they multiply), ours are in asking.py.

litellm shows each request and each response to `logger_fn` in the provider's own words; that is what lands.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from glue.errors import GlueError
from glue.solvers import attempts, completions
from glue.solvers.attempts import Attempt
from glue.solvers.keys import Address
from glue.solvers.prices import litellm_folder

_BROKEN_OFF = re.compile(r"Server disconnected|payload is not completed|Connection reset|peer closed")
_UNREADABLE = re.compile(r"Unable to get json response")


class LiteLLMConnection:
    """Calls of litellm for one model. An async context manager."""

    def __init__(self, model: str, base: Address | None, timeout_s: float) -> None:
        self._model = model
        self._base = base
        self._timeout_s = timeout_s

    async def __aenter__(self) -> Self:
        imported()
        return self

    async def __aexit__(self, *exception: object) -> None:
        litellm = imported()
        await litellm.close_litellm_async_clients()

    async def call(self, function: str, payload: dict[str, Any], read: Callable[[Any], Attempt]) -> Attempt:
        """One call of litellm's `function` (acompletion), one attempt. Never raises for a failure.

        `read` makes the attempt that a response is. A setting that litellm itself refuses is a refused
        setting of a request never sent.
        """
        overheard = _Overheard()
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout_s):
                attempt = await self._call(function, payload, read, overheard)
        except TimeoutError:
            error = f"no whole response within {self._timeout_s:g} s"
            attempt = Attempt("failed", error=error, error_kind=attempts.TIMEOUT)
        return replace(
            attempt,
            request_json=overheard.request_json or completions.as_json({"model": self._model, **payload}),
            response_json=overheard.response or attempt.response_json,
            elapsed_ms=(time.monotonic() - started) * 1000,
        )

    async def _call(
        self, function: str, payload: dict[str, Any], read: Callable[[Any], Attempt], overheard: _Overheard
    ) -> Attempt:
        litellm = imported()
        try:
            response = await getattr(litellm, function)(
                model=self._model,
                **payload,
                **({"api_base": self._base.url} if self._base else {}),
                **self._extra_headers(),
                timeout=self._timeout_s,
                num_retries=0,
                max_retries=0,
                logger_fn=overheard.listen,
            )
        except Exception as error:  # one class for each way to fail, and whatever slips through
            return _failure(error, overheard)
        return read(response)

    def _extra_headers(self) -> dict[str, Any]:
        header = self._base.basic_auth if self._base else None
        return {"extra_headers": {"Authorization": header}} if header else {}


class LiteLLMWire(LiteLLMConnection):
    """Sends chats to one model through litellm. An async context manager (Sender)."""

    async def send(self, messages: list[dict[str, str]], settings: dict[str, object]) -> Attempt:
        """See Sender."""
        return await self.call("acompletion", {"messages": messages, **settings}, _read)


def _read(response: Any) -> Attempt:
    attempt = completions.read_completion(response.model_dump())
    if attempt is None:
        told = "no answer in the response"
        return Attempt("failed", error=told, error_kind=attempts.MALFORMED, http_status=200)
    return replace(attempt, http_status=200, response_json=response.model_dump_json())


class _Overheard:
    """What litellm says it sent and got, in the provider's format."""

    def __init__(self) -> None:
        self.request_json: str | None = None
        self.response: str | None = None

    def listen(self, details: dict[str, Any]) -> None:
        """litellm calls this before and after the request."""
        sent = (details.get("additional_args") or {}).get("complete_input_dict")
        if isinstance(sent, dict):
            self.request_json = completions.as_json(sent)
        elif isinstance(sent, str):
            self.request_json = sent
        got = details.get("original_response")
        if details.get("log_event_type") == "post_api_call" and isinstance(got, str):
            self.response = got


def imported() -> Any:
    """litellm, set to keep to itself: no network at import, no .env file, no printing, no telemetry."""
    litellm_folder()
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = False
    return litellm


def check_provider(model: str) -> None:
    """GlueError when litellm knows no provider for this name."""
    litellm = imported()
    try:
        litellm.get_llm_provider(model)
    except Exception as error:
        raise GlueError(
            f"litellm knows no provider for the model {model!r}",
            "write provider/model, such as anthropic/claude-sonnet-4-5; a server of your own that speaks"
            " OpenAI's API is openai/NAME with --api-base URL",
        ) from error


def key_variables(model: str) -> list[str]:
    """The environment variables that the provider's key is read from, as far as litellm says so."""
    found = imported().validate_environment(model)
    return [str(name) for name in found.get("missing_keys") or []]


def _failure(error: Exception, overheard: _Overheard) -> Attempt:
    """The failed attempt that one of litellm's exceptions makes; its status codes are partly invented."""
    litellm = imported()
    message = completions.one_line(str(getattr(error, "message", None) or error))
    if isinstance(error, litellm.UnsupportedParamsError):
        return Attempt("failed", error=message, error_kind=attempts.REFUSED_SETTING, is_sent=False)
    if isinstance(error, litellm.Timeout):
        return Attempt("failed", error=message, error_kind=attempts.TIMEOUT)
    status = getattr(error, "status_code", None)
    if _BROKEN_OFF.search(message):
        return Attempt("failed", error=message, error_kind=attempts.CONNECTION)
    if _UNREADABLE.search(message) or not isinstance(status, int) or status < 300:
        return Attempt("failed", error=message, error_kind=attempts.MALFORMED)
    if isinstance(error, litellm.APIConnectionError):
        # It also wraps whatever litellm stumbled over while it read a response that did come.
        kind = attempts.MALFORMED if overheard.response is not None else attempts.CONNECTION
        return Attempt("failed", error=message, error_kind=kind)
    headers = getattr(error, "litellm_response_headers", None) or {}
    failed = completions.read_error(status, {"message": message}, overheard.response or "")
    return replace(
        failed, http_status=status, retry_after_s=completions.seconds_to_wait(headers.get("retry-after"))
    )
