"""What a run of `glue generate` still has to ask, and its plan: requests, tokens, the most it can cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from glue.errors import GlueError
from glue.generate_runs import Run
from glue.home import Home
from glue.landing import landed_keys
from glue.solvers import attempts
from glue.solvers.asking import Question

if TYPE_CHECKING:
    from glue.solvers.prices import Price
    from glue.solvers.tokens import Counter


@dataclass(frozen=True)
class Plan:
    """What a prediction set has still to send. Tokens and cost are estimates; the cost is an upper bound.

    `n_requests` counts questions and samples, `n_distinct` what is sent for them (equal requests are sent
    once), `n_now` what --limit leaves of these. `most_usd` is None where the price is unknown: one attempt at
    each request of `n_now`, no token cached, every answer as long as allowed.
    """

    prediction_set: str
    benchmark: str
    n_requests: int
    n_distinct: int
    n_now: int
    n_used_up: int  # of further requests, whose attempts are used up or which failed for good
    n_prompt_tokens: int | None  # of `n_now`; None for controls
    token_counter: str | None
    max_tokens: int | None
    price: Price | None
    most_usd: float | None


@dataclass
class Past:
    """The attempts at one request that have landed."""

    n_attempts: int = 0
    n_counted: int = 0  # those that used up its budget
    n_answers: int = 0
    is_permanent: bool = False  # the last one failed for good
    last_number: int = 0


@dataclass
class Work:
    """What one run still has to ask. `rows` hold one pending request each, distinct, in the set's order."""

    run: Run
    rows: list[dict[str, Any]] = field(default_factory=list)
    n_requests: int = 0
    n_waiting: int = 0  # left for later by --limit
    n_used_up: int = 0


def landed_attempts(home: Home) -> dict[str, Past]:
    """What has landed for each request. Rows of older versions carry no number: their order counts."""
    columns = ["request_id", "attempt_id", "attempt_number", "outcome", "error_kind", "is_permanent"]
    found: dict[str, Past] = {}
    for row in landed_keys(home, "responses", columns=columns).to_pylist():
        past = found.setdefault(row["request_id"], Past())
        past.n_attempts += 1
        past.n_counted += row["error_kind"] not in attempts.UNCOUNTED
        past.n_answers += row["outcome"] != "failed"
        number = row["attempt_number"] or 1
        if number >= past.last_number:
            past.last_number = number
            past.is_permanent = row["outcome"] == "failed" and bool(row["is_permanent"])
    return found


def work_of(
    run: Run,
    pending: Iterable[Mapping[str, Any]],
    past: Mapping[str, Past],
    *,
    retries: int,
    limit: int | None = None,
    is_failed_retried: bool = False,
    is_malformed_retried: bool = False,
) -> Work:
    """The requests of a run that may be sent now.

    Left out: what was answered since the pending table was built, answers without SQL (unless
    `is_malformed_retried`), what has used up its attempts or failed for good (unless `is_failed_retried`).
    `limit` counts questions, with all their samples.
    """
    work = Work(run)
    distinct: dict[str, dict[str, Any]] = {}
    used_up: set[str] = set()
    for row in pending:
        if (row["prediction_set"], row["benchmark"], row["model"]) != _names(run):
            continue
        before = past.get(row["request_id"], Past())
        if before.n_answers > (row.get("n_answers") or 0):
            continue
        if row.get("has_answer_without_sql") and not is_malformed_retried:
            continue
        is_used_up = before.is_permanent or before.n_counted > retries
        if is_used_up and not is_failed_retried:
            used_up.add(row["request_id"])
            continue
        work.n_requests += 1
        distinct.setdefault(row["request_id"], dict(row))
    chosen = _first_questions(distinct.values(), limit)
    work.rows = chosen
    work.n_waiting = len(distinct) - len(chosen)
    work.n_used_up = len(used_up)
    return work


def questions_of(
    work: Work, past: Mapping[str, Past], counter: Counter, is_failed_retried: bool
) -> list[Question]:
    """A run's requests, ready to be asked: messages decoded and counted, earlier attempts known."""
    counted: dict[str, int] = {}
    questions = []
    for row in work.rows:
        if not row["messages"]:
            raise GlueError(
                f"there is no prompt of setting {work.run.setting} for question {row['question_id']!r}",
                "look at the model `prompts`: it has a row for each question, setting and dialect",
            )
        messages = json.loads(row["messages"])
        if row["messages"] not in counted:
            counted[row["messages"]] = counter.count_messages(messages)
        before = past.get(row["request_id"], Past())
        questions.append(
            Question(
                request_id=row["request_id"],
                purpose=row["purpose"],
                messages=messages,
                n_prompt_tokens=counted[row["messages"]],
                n_attempts=max(before.n_attempts, before.last_number),
                n_counted=0 if is_failed_retried else before.n_counted,
            )
        )
    return questions


def plan_of(work: Work, questions: Sequence[Question], counter: Counter | None, price: Price | None) -> Plan:
    """The plan of a run. Controls (no `counter`) count nothing and cost nothing."""
    max_tokens = work.run.settings.get("max_tokens")
    most_usd: float | None = 0.0 if counter is None else None
    if price is not None and max_tokens is not None:
        most_usd = sum(price.most_usd(question.n_prompt_tokens, max_tokens) for question in questions)
    return Plan(
        prediction_set=work.run.prediction_set,
        benchmark=work.run.benchmark,
        n_requests=work.n_requests,
        n_distinct=len(work.rows) + work.n_waiting,
        n_now=len(work.rows),
        n_used_up=work.n_used_up,
        n_prompt_tokens=sum(question.n_prompt_tokens for question in questions) if counter else None,
        token_counter=counter.told if counter else None,
        max_tokens=max_tokens,
        price=price,
        most_usd=most_usd,
    )


def _names(run: Run) -> tuple[str, str, str]:
    return run.prediction_set, run.benchmark, run.model


def _first_questions(rows: Iterable[dict[str, Any]], limit: int | None) -> list[dict[str, Any]]:
    chosen: list[dict[str, Any]] = []
    question_ids: set[str] = set()
    for row in rows:
        question_id = str(row.get("question_id") or row["request_id"])
        if limit is not None and question_id not in question_ids and len(question_ids) == limit:
            continue
        question_ids.add(question_id)
        chosen.append(row)
    return chosen
