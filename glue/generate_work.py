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
    import pyarrow as pa

    from glue.solvers.prices import Price
    from glue.solvers.tokens import Counter
    from glue.study.contexts import Contexts


@dataclass(frozen=True)
class SetCounts:
    """How much a prediction set asks in all: questions, and requests with every sample counted.

    `n_not_asked` questions can have no context in its cell; `n_without_ranking` could not be packed yet;
    `n_done` requests have a final answer.
    """

    n_questions: int
    n_not_asked: int
    n_without_ranking: int
    n_requests: int
    n_done: int


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
    counts: SetCounts | None = None  # None where the warehouse does not say
    setting: str | None = None
    tokens: Mapping[str, int] = field(default_factory=dict, repr=False)  # of each request of `n_now`

    @property
    def request_usd(self) -> Mapping[str, float]:
        """The most that each request of `n_now` can cost; none where the price is unknown."""
        if self.price is None or self.max_tokens is None:
            return {}
        return {key: self.price.most_usd(count, self.max_tokens) for key, count in self.tokens.items()}

    @property
    def n_without_ranking(self) -> int:
        """Questions that its cell's ranker has not ranked the tables for, yet."""
        return self.counts.n_without_ranking if self.counts else 0


@dataclass(frozen=True)
class Total:
    """What several plans come to together: a request that several sets share is sent, and paid for, once."""

    n_questions: int
    n_not_asked: int
    n_requests: int  # of all sets, answered or not
    n_done: int
    n_distinct: int  # to be sent now
    n_prompt_tokens: int | None
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

    Left out: questions that its set has only been planned with, what was answered since the pending table
    was built, answers without SQL (unless `is_malformed_retried`), and what has used up its attempts or
    failed for good (unless `is_failed_retried`).
    `limit` counts questions, with all their samples.
    """
    work = Work(run)
    distinct: dict[str, dict[str, Any]] = {}
    used_up: set[str] = set()
    question_ids = None if run.question_ids is None else set(run.question_ids)
    for row in pending:
        if (row["prediction_set"], row["benchmark"], row["model"]) != _names(run):
            continue
        if question_ids is not None and row["question_id"] not in question_ids:
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
    work: Work,
    past: Mapping[str, Past],
    counter: Counter,
    is_failed_retried: bool,
    contexts: Contexts | None = None,
    counted: dict[str, int] | None = None,
) -> list[Question]:
    """A run's requests, ready to be asked: messages decoded and counted, earlier attempts known.

    Schemas of cells come from `contexts` when they are sent, and are as many tokens as they were counted when
    they were packed. `counted` keeps the tokens of all else from one run to the next.
    """
    counted = {} if counted is None else counted
    questions = []
    for row in work.rows:
        if not row["messages"]:
            raise GlueError(
                f"there is no prompt of setting {work.run.setting} for question {row['question_id']!r}",
                "look at the model `prompts`: it has a row for each question, setting and dialect",
            )
        context_id = row.get("context_id")
        text = row["messages"].replace(context_id, "") if context_id else row["messages"]
        if text not in counted:
            counted[text] = counter.count_messages(json.loads(text))
        before = past.get(row["request_id"], Past())
        questions.append(
            Question(
                request_id=row["request_id"],
                purpose=row["purpose"],
                messages=[] if context_id else json.loads(text),
                write=contexts.writer(row["messages"], context_id) if contexts and context_id else None,
                n_prompt_tokens=counted[text] + (row.get("n_context_tokens") or 0),
                n_attempts=max(before.n_attempts, before.last_number),
                n_counted=0 if is_failed_retried else before.n_counted,
            )
        )
    return questions


def set_counts(table: pa.Table) -> dict[tuple[str, str], SetCounts]:
    """The rows of the handoff table request_counts, by prediction set and benchmark."""
    names = list(SetCounts.__dataclass_fields__)
    return {
        (row["prediction_set"], row["benchmark"]): SetCounts(**{name: row[name] for name in names})
        for row in table.to_pylist()
    }


def plan_of(
    work: Work,
    questions: Sequence[Question],
    counter: Counter | None,
    price: Price | None,
    counts: SetCounts | None = None,
) -> Plan:
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
        counts=counts,
        setting=work.run.setting,
        tokens=(
            {question.request_id: question.n_prompt_tokens for question in questions}
            if counter
            else {row["request_id"]: 0 for row in work.rows}
        ),
    )


def total_of(plans: Sequence[Plan]) -> Total:
    """The sum of plans, in which what they share is counted once."""
    counts = [found.counts for found in plans if found.counts]
    tokens: dict[str, int] = {}
    usd: dict[str, float] = {}
    for found in plans:
        tokens |= found.tokens
        usd |= found.request_usd
    is_priced = all(found.most_usd is not None for found in plans)
    is_counted = any(found.token_counter is not None for found in plans)
    return Total(
        n_questions=sum(count.n_questions for count in counts),
        n_not_asked=sum(count.n_not_asked for count in counts),
        n_requests=sum(count.n_requests for count in counts),
        n_done=sum(count.n_done for count in counts),
        n_distinct=len(tokens),
        n_prompt_tokens=sum(tokens.values()) if is_counted else None,
        most_usd=sum(usd.values()) if is_priced else None,
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
