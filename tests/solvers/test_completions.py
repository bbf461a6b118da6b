"""What providers send, read without trust; and the settings a model refuses."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from glue.solvers import attempts
from glue.solvers.attempts import Attempt
from glue.solvers.completions import plain_text, read_body, seconds_to_wait
from glue.solvers.refused_settings import Settings, refused_setting

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(text: str | None, seconds: float | None) -> None:
    assert seconds_to_wait(text, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, "no", attempts.BAD_REQUEST),
        (400, '{"error": {"code": "context_length_exceeded"}}', attempts.CONTEXT_TOO_LONG),
        (413, "too large", attempts.CONTEXT_TOO_LONG),
        (400, '{"error": {"code": "content_filter", "message": "no"}}', attempts.CONTENT_FILTER),
        (401, "", attempts.AUTHENTICATION),
        (402, "", attempts.QUOTA),
        (403, "", attempts.PERMISSION),
        (404, "", attempts.NOT_FOUND),
        (408, "", attempts.SERVER_ERROR),
        (429, "slow down", attempts.RATE_LIMIT),
        (429, '{"error": {"code": "insufficient_quota"}}', attempts.QUOTA),
        (503, "context window", attempts.SERVER_ERROR),
        (307, "", attempts.NOT_FOUND),
        (200, "", attempts.MALFORMED),
        (200, "[" * 100_000, attempts.MALFORMED),
        (200, '{"choices": []}', attempts.MALFORMED),
        (200, '{"choices": [{"message": null}]}', attempts.MALFORMED),
        (200, '{"error": "down"}', attempts.SERVER_ERROR),
        (200, '{"error": {"code": 401}}', attempts.AUTHENTICATION),
    ],
)
def test_kinds_of_failure(status: int, body: str, kind: str) -> None:
    found = read_body(status, body, None)
    assert (found.outcome, found.error_kind, found.http_status) == ("failed", kind, status)
    assert found.error and found.response_json == body


def test_numbers_that_cannot_be_are_unknown() -> None:
    usage = {"prompt_tokens": 2**80, "completion_tokens": True, "completion_tokens_details": 3}
    body = {"choices": [{"message": {"content": "SELECT 1"}, "finish_reason": 7}], "usage": usage}
    found = read_body(200, json.dumps(body), None)
    assert (found.outcome, found.text, found.finish_reason) == ("answered", "SELECT 1", None)
    assert found.usage == attempts.Usage()


def test_a_refusal_is_what_the_model_says() -> None:
    body = {"choices": [{"message": {"content": None, "refusal": "I will not."}, "finish_reason": "stop"}]}
    assert read_body(200, json.dumps(body), None).text == "I will not."


def test_what_is_no_text_is_replaced() -> None:
    assert plain_text("a \ud83d b") == "a � b"
    assert plain_text("客户 🙂") == "客户 🙂"


# --------------------------------------------------------------------------- refused settings

SENT: dict[str, object] = {"temperature": 0, "max_tokens": 100}


def refusal(message: str, status: int = 400, **error: object) -> Attempt:
    return read_body(status, json.dumps({"error": {"message": message, **error}}), None)


@pytest.mark.parametrize(
    ("attempt", "name"),
    [
        (refusal("Unsupported parameter: 'max_tokens' …", param="max_tokens"), "max_tokens"),
        (
            refusal("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
            "max_tokens",
        ),
        (refusal("Unsupported value: 'temperature' does not support 0 with this model."), "temperature"),
        (refusal("temperature: Extra inputs are not permitted", 422), "temperature"),
        (refusal("max_tokens is too large: 100. This model allows at most 50", param="max_tokens"), None),
        (refusal("the tool 'search' is not supported"), None),
        (refusal("temperature is not supported", 500), None),
        (Attempt("failed", error="no support for: temperature=0. Unsupported.", error_kind="refused_setting"),
         "temperature"),
        (Attempt("answered", text="temperature is not supported"), None),
    ],
)  # fmt: skip
def test_a_refused_setting_is_found_in_the_error(attempt: Attempt, name: str | None) -> None:
    assert refused_setting(attempt, SENT) == name


def test_a_setting_is_renamed_then_left_out() -> None:
    said: list[str] = []
    settings = Settings(SENT, said.append)
    attempt = refusal("not supported", param="max_tokens")
    assert settings.learn(attempt, SENT) and settings.learn(attempt, SENT)
    assert settings.now() == {"temperature": 0, "max_completion_tokens": 100}
    assert settings.token_limit == 100
    assert settings.learn(refusal("not supported", param="max_completion_tokens"), settings.now())
    assert settings.now() == {"temperature": 0} and settings.token_limit is None
    assert len(said) == 2
