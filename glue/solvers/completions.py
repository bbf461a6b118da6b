"""Reads what an OpenAI-compatible provider sends: chat completions, errors, Retry-After. Trusts nothing."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from glue.solvers import attempts
from glue.solvers.attempts import Attempt, Usage

_MOST_TOKENS = 1 << 40
_SHOWN_CHARACTERS = 400
_TOO_LONG = re.compile(
    r"context[_ ]length|context window|maximum context|prompt is too long|input is too long", re.IGNORECASE
)
_OUT_OF_MONEY = re.compile(
    r"insufficient_quota|insufficient (balance|credits)|exceeded your current quota", re.IGNORECASE
)
_FILTERED = re.compile(r"content_filter|content management policy|content_policy", re.IGNORECASE)


def read_body(status: int, body: str, retry_after: str | None, now: datetime | None = None) -> Attempt:
    """The attempt that an HTTP response makes. `body` decides, whatever content type it claims.

    A 200 without a chat completion in it is a malformed response; one that wraps an error is that error.
    """
    found = _json(body)
    wait_s = seconds_to_wait(retry_after, now)
    if status == 200:
        attempt = read_completion(found) or _wrapped_error(found)
        attempt = attempt or _failed(attempts.MALFORMED, f"no chat completion in it: {one_line(body)}")
    else:
        attempt = read_error(status, found if isinstance(found, dict) else None, body)
    return replace(attempt, http_status=status, retry_after_s=wait_s, response_json=body)


def read_completion(found: Any) -> Attempt | None:
    """The attempt that a parsed chat completion makes; None when it is none."""
    choice = _first_choice(found)
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        return None
    text, refusal = _text(message.get("content")), _text(message.get("refusal"))
    finish_reason = _word(choice.get("finish_reason"))
    attempt = Attempt(
        "truncated" if finish_reason == "length" else "answered",
        text=text or refusal,
        finish_reason=finish_reason,
        usage=_usage(found.get("usage")),
        answering_model=_word(found.get("model")),
        provider_response_id=_word(found.get("id")),
    )
    if finish_reason == "content_filter":
        error = "the provider's content filter withheld the answer"
        return replace(attempt, outcome="failed", error=error, error_kind=attempts.CONTENT_FILTER)
    return attempt


def read_error(status: int, found: Mapping[str, Any] | None, body: str) -> Attempt:
    """The failed attempt that an HTTP status and its body make."""
    message = error_message(found) or one_line(body) or "no reason given"
    everything = f"{message} {body}"
    return _failed(_kind(status, everything), f"HTTP {status}: {message}")


def error_message(found: Mapping[str, Any] | None) -> str | None:
    """The sentence in a provider's error body; None where there is none."""
    if not isinstance(found, dict):
        return None
    error = found.get("error", found)
    if isinstance(error, str):
        return one_line(error)
    if isinstance(error, dict):
        for name in ("message", "detail", "msg"):
            if isinstance(error.get(name), str):
                return one_line(error[name])
    return None


def seconds_to_wait(retry_after: str | None, now: datetime | None = None) -> float | None:
    """Retry-After in seconds, from its number of seconds or its HTTP date; None where it says neither."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(retry_after)
        except (ValueError, TypeError):
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(seconds, 0.0) if abs(seconds) < 1e9 else None


def plain_text(text: str) -> str:
    """A text that can be stored: what is no Unicode character (half a surrogate pair) becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def one_line(text: str) -> str:
    """A text in one line, cut to what an error message can hold."""
    line = " ".join(text[: 2 * _SHOWN_CHARACTERS].split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"


def as_json(value: Any) -> str:
    """JSON for landing; what has no form in it is written as text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _kind(status: int, everything: str) -> str:
    if status == 401:
        return attempts.AUTHENTICATION
    if status == 402 or (status == 429 and _OUT_OF_MONEY.search(everything)):
        return attempts.QUOTA
    if status == 429:
        return attempts.RATE_LIMIT
    if status == 403:
        return attempts.PERMISSION
    if status in (404, 405) or 300 <= status < 400:
        return attempts.NOT_FOUND
    if status == 413 or _TOO_LONG.search(everything):
        return attempts.CONTEXT_TOO_LONG if status < 500 else attempts.SERVER_ERROR
    if status >= 500 or status in (408, 409, 425):
        return attempts.SERVER_ERROR
    if _FILTERED.search(everything):
        return attempts.CONTENT_FILTER
    return attempts.BAD_REQUEST


def _wrapped_error(found: Any) -> Attempt | None:
    """Some gateways answer 200 with {"error": {"code": 429, …}}."""
    if not isinstance(found, dict) or not found.get("error"):
        return None
    error = found["error"]
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return read_error(status, found, json.dumps(found))


def _failed(kind: str, error: str) -> Attempt:
    return Attempt("failed", error=error, error_kind=kind)


def _json(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _first_choice(found: Any) -> dict[str, Any] | None:
    choices = found.get("choices") if isinstance(found, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _text(content: Any) -> str:
    """A message's text, also where it comes in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _usage(found: Any) -> Usage:
    if not isinstance(found, dict):
        return Usage()
    return Usage(
        _count(found.get("prompt_tokens")),
        _count(_inside(found, "prompt_tokens_details", "cached_tokens")),
        _count(found.get("completion_tokens")),
        _count(_inside(found, "completion_tokens_details", "reasoning_tokens")),
    )


def _inside(found: dict[str, Any], outer: str, inner: str) -> Any:
    details = found.get(outer)
    return details.get(inner) if isinstance(details, dict) else None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS
    return value if is_count else None
