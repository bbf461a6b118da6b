"""What one request on the wire came to, and what each kind of failure means for asking again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

RATE_LIMIT = "rate_limit"
SERVER_ERROR = "server_error"
TIMEOUT = "timeout"
CONNECTION = "connection"
MALFORMED = "malformed_response"
REFUSED_SETTING = "refused_setting"
BAD_REQUEST = "bad_request"
CONTEXT_TOO_LONG = "context_too_long"
CONTENT_FILTER = "content_filter"
PERMISSION = "permission"
AUTHENTICATION = "authentication"
NOT_FOUND = "not_found"
QUOTA = "quota"

PERMANENT = frozenset({BAD_REQUEST, CONTEXT_TOO_LONG, CONTENT_FILTER, PERMISSION})
"""The request itself is at fault: it is not sent again, unless --retry-failed asks for it."""

STOPPING = frozenset({AUTHENTICATION, NOT_FOUND, QUOTA})
"""Key, address, model or purse are at fault: every other request would fail alike, so the run stops."""

UNCOUNTED = STOPPING | {REFUSED_SETTING}
"""Not the request's fault: such an attempt lands, and leaves the budget of attempts as it is."""


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider counted them; None where it does not say.

    Cached tokens are part of the prompt, reasoning tokens of the completion.
    """

    n_prompt_tokens: int | None = None
    n_cached_tokens: int | None = None
    n_completion_tokens: int | None = None
    n_reasoning_tokens: int | None = None


@dataclass(frozen=True)
class Attempt:
    """One request that was sent, and its end.

    `outcome`: answered; truncated (cut at the token limit); failed, with `error` and `error_kind`. `is_sent`
    is False where nothing can have reached the provider. Texts are as they came, before keys are taken out.
    """

    outcome: str
    text: str | None = None
    error: str | None = None
    error_kind: str | None = None
    http_status: int | None = None
    retry_after_s: float | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    answering_model: str | None = None
    provider_response_id: str | None = None
    request_json: str | None = None
    response_json: str | None = None
    elapsed_ms: float = 0.0
    is_sent: bool = True

    @property
    def is_permanent(self) -> bool:
        """A failure that asking again cannot mend."""
        return self.error_kind in PERMANENT

    @property
    def may_be_billed(self) -> bool:
        """Whether the provider may charge for it: an answer, or work whose end we did not see."""
        if self.outcome != "failed":
            return True
        return self.is_sent and self.error_kind in {TIMEOUT, CONNECTION, MALFORMED, CONTENT_FILTER}


class Sender(Protocol):
    """Sends one request to one model. Used inside `async with`; never retries, never raises for a failure."""

    async def __aenter__(self) -> Sender:
        """Open what requests share."""

    async def __aexit__(self, *exception: object) -> None:
        """Close it."""

    async def send(self, messages: list[dict[str, str]], settings: dict[str, object]) -> Attempt:
        """One request, one attempt. `settings` go into the request under the names they have."""
