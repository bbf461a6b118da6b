"""What a run still has to ask: decided from what has landed, not from a pending table that may be older."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from glue.generate_runs import Run
from glue.generate_work import Past, landed_attempts, work_of
from glue.home import Home
from glue.landing import Writer

RUN = Run("set", "shop", "openai/m")


def pending(request_id: str, **columns: Any) -> dict[str, Any]:
    """A row of the pending table, of one question to a request."""
    names = {"prediction_set": "set", "benchmark": "shop", "model": "openai/m"}
    return {**names, "request_id": request_id, "question_id": request_id, "n_answers": 0, **columns}


def asked(rows: list[dict[str, Any]], past: dict[str, Past], **options: Any) -> list[str]:
    return [row["request_id"] for row in work_of(RUN, rows, past, retries=3, **options).rows]


def test_what_was_answered_since_the_pending_table_was_built_is_not_asked_again(home: Home) -> None:
    with Writer(home, loop="generate") as writer:
        writer.append(
            "responses",
            [
                {"request_id": "answered", "attempt_id": "a", "outcome": "answered", "attempt_number": 1},
                {"request_id": "cut off", "attempt_id": "a", "outcome": "truncated", "attempt_number": 1},
                {"request_id": "failed", "attempt_id": "a", "outcome": "failed", "attempt_number": 1},
            ],
        )
    rows = [pending(name) for name in ("answered", "cut off", "failed", "new")]
    assert asked(rows, landed_attempts(home)) == ["failed", "new"]


@pytest.mark.parametrize(
    ("past", "is_asked"),
    [
        (Past(n_attempts=3, n_counted=3), True),
        (Past(n_attempts=4, n_counted=4), False),
        (Past(n_attempts=9, n_counted=3), True),
        (Past(n_attempts=1, n_counted=1, is_permanent=True), False),
    ],
)
def test_attempts_are_counted_over_all_commands(past: Past, is_asked: bool) -> None:
    rows = [pending("one")]
    assert asked(rows, {"one": past}) == (["one"] if is_asked else [])
    assert work_of(RUN, rows, {"one": past}, retries=3).n_used_up == (not is_asked)
    assert asked(rows, {"one": past}, is_failed_retried=True) == ["one"]


def test_an_answer_without_sql_is_asked_again_only_where_that_is_wanted() -> None:
    rows = [pending("prose", has_answer_without_sql=True, n_answers=1)]
    past = {"prose": Past(n_attempts=1, n_counted=1, n_answers=1)}
    assert asked(rows, past) == []
    assert asked(rows, past, is_malformed_retried=True) == ["prose"]


def test_a_limit_counts_questions_and_leaves_the_rest() -> None:
    samples = [pending(f"{name}{n}", question_id=name) for name in "abc" for n in (1, 2)]
    work = work_of(RUN, [*samples, pending("a1", question_id="a again")], {}, retries=3, limit=2)
    assert [row["request_id"] for row in work.rows] == ["a1", "a2", "b1", "b2"]
    assert (work.n_requests, work.n_waiting) == (7, 2)


def test_questions_that_a_set_has_only_been_planned_with_are_not_asked() -> None:
    rows = [pending("one"), pending("two", is_planned=True)]
    for question_ids, expected in ((("one",), ["one"]), (None, ["one", "two"])):
        run = replace(RUN, question_ids=question_ids)
        assert [row["request_id"] for row in work_of(run, rows, {}, retries=3).rows] == expected
