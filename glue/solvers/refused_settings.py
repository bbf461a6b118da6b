"""Settings that a model refuses: found in its error, renamed or left out from then on, and said once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from glue.solvers import attempts
from glue.solvers.attempts import Attempt

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")
_REFUSAL = re.compile(
    r"unsupported|not support|n't support|unrecogni[sz]ed|unknown|unexpected|extra inputs|not permitted"
    r"|not allowed|not available|deprecated|only the default",
    re.IGNORECASE,
)
_STATUSES = (400, 422)


class Settings:
    """The settings that go into requests to one model, as the model has taught us so far."""

    def __init__(self, asked: Mapping[str, object], say: Callable[[str], None]) -> None:
        self._now: dict[str, object] = dict(asked)
        self._say = say

    def now(self) -> dict[str, object]:
        """What the next request carries."""
        return dict(self._now)

    @property
    def token_limit(self) -> int | None:
        """The most tokens an answer may have; None once the model has refused to be told."""
        found = next((self._now[name] for name in TOKEN_LIMITS if name in self._now), None)
        return found if isinstance(found, int) else None

    def learn(self, attempt: Attempt, sent: Mapping[str, object]) -> bool:
        """Whether the attempt failed for a setting it carried, which from now on is renamed or left out.

        Requests that were under way with the same setting fail for it too: they only need to be sent again.
        """
        name = refused_setting(attempt, sent)
        if name is None:
            return False
        if name in self._now and self._now[name] == sent[name]:
            self._change(name, attempt.error or "")
        return True

    def _change(self, name: str, error: str) -> None:
        value = self._now.pop(name)
        if name == "max_tokens":
            self._now["max_completion_tokens"] = value
            self._say(f"the model refuses {name}: asking with max_completion_tokens instead ({error})")
        else:
            self._say(f"the model refuses {name}={value}: asking without it ({error})")


def refused_setting(attempt: Attempt, sent: Mapping[str, object]) -> str | None:
    """The setting among those `sent` that an error names as not supported; None for any other end.

    A value that is too large is no refusal of the setting: the error says 'at most', and is kept.
    """
    may_refuse = attempt.error_kind in (attempts.BAD_REQUEST, attempts.REFUSED_SETTING)
    is_from_litellm = attempt.error_kind == attempts.REFUSED_SETTING
    if not may_refuse or not (is_from_litellm or attempt.http_status in _STATUSES):
        return None
    error = _error_in(attempt.response_json)
    message = f"{attempt.error or ''} {error.get('code') or ''}"
    if not _REFUSAL.search(message):
        return None
    parameter = error.get("param")
    if isinstance(parameter, str) and parameter in sent:
        return parameter
    named = [name for name in sent if re.search(rf"\b{re.escape(name)}\b", message)]
    return min(named, key=lambda name: message.find(name), default=None)


def _error_in(body: str | None) -> dict[str, Any]:
    try:
        found = json.loads(body or "")
    except (ValueError, RecursionError):
        return {}
    error = found.get("error") if isinstance(found, dict) else None
    return error if isinstance(error, dict) else {}
