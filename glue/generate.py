"""`glue generate`: asks models and controls what their prediction sets still lack, and lands each attempt.

A run lands as planned, which makes its requests rows of the warehouse, and again before the first is sent.
What is asked is decided from what has landed, under the lock of the loop, so that nothing is asked twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.build import project_directory, refresh
from glue.errors import GlueError, nearest
from glue.generate_runs import (
    DEFAULT_SETTING,
    Run,
    check_dialect,
    check_names,
    check_not_generated,
    check_setting,
    default_name,
    land_planned,
    land_started,
    read_question_ids,
    the_dialect,
)
from glue.generate_work import Past, Plan, Work, landed_attempts, plan_of, questions_of, work_of
from glue.handoff import pending_requests
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.progress import Silent
from glue.solvers.asking import Asking, Limits, Question, Tally

if TYPE_CHECKING:
    from glue.progress import Progress
    from glue.solvers.attempts import Attempt
    from glue.solvers.model_client import ModelClient

__all__ = ["GenerateReport", "ModelOptions", "Plan", "check_not_generated", "generate", "plan"]


@dataclass(frozen=True)
class ModelOptions:
    """How language models are asked; controls look at none of it but `n_samples`.

    Times in seconds, prices in US dollars per million tokens. `retries` is for each request and over all
    commands. `prompt_settings` give a prediction set each.
    """

    prompt_settings: tuple[str, ...] = ()
    dialect: str | None = None
    temperature: float = 0.0
    max_tokens: int = 8192
    n_samples: int = 1
    concurrency: int = 16
    request_timeout_s: float = 300.0
    retries: int = 3
    is_malformed_retried: bool = False
    is_failed_retried: bool = False
    max_cost_usd: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    api_base: str | None = None
    backoff_s: float = 1.0


@dataclass(frozen=True)
class GenerateReport:
    """How asking for one prediction set ended.

    `n_waiting` requests were left for later (--limit, or the run stopped); `n_used_up` were not asked, since
    they have used up their attempts or failed for good. `tally` is a language model's.
    """

    prediction_set: str
    benchmark: str
    n_answered: int
    n_failed: int
    n_waiting: int
    first_error: str | None
    n_truncated: int = 0
    n_used_up: int = 0
    tally: Tally | None = None
    is_priced: bool = True
    stop_hint: str | None = None

    @property
    def stop(self) -> str | None:
        """Why it stopped early: interrupted, max_cost, or a kind of failure; None when it did not."""
        return self.tally.stop if self.tally else None


class _Inbox:
    """Appends attempts to landing: those that end in one turn of the event loop together, at its end."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._rows: list[dict[str, Any]] = []
        self._error: Exception | None = None

    def add(self, row: dict[str, Any]) -> None:
        """Take a row, to be appended at the end of this turn. Raises what an earlier one failed with."""
        self._rows.append(row)
        if self._error is not None:
            raise self._error
        if len(self._rows) == 1:
            asyncio.get_running_loop().call_soon(self._flush_in_loop)

    def _flush_in_loop(self) -> None:
        try:
            self.flush()
        except Exception as error:  # the loop would only log it: the next row raises it
            self._error = error

    def flush(self) -> None:
        """Append what is there; after an error it is still there."""
        if self._rows:
            self._writer.append("responses", self._rows)
            self._writer.sync()
            self._rows = []


@dataclass
class _Session:
    """What the sets of one command share."""

    home: Home
    writer: Writer
    options: ModelOptions
    limit: int | None
    shown: Progress
    pending: list[dict[str, Any]] = field(default_factory=list)
    past: dict[str, Past] = field(default_factory=dict)
    clients: dict[str, ModelClient] = field(default_factory=dict)


def generate(
    home: Home,
    models: Sequence[str],
    benchmark: str,
    *,
    name: str | None = None,
    gold_edition: str = "benchmark",
    limit: int | None = None,
    question_file: Path | None = None,
    options: ModelOptions | None = None,
    progress: Progress | None = None,
    command: str = "glue generate",
    on_plan: Callable[[Plan], None] | None = None,
) -> list[GenerateReport]:
    """Ask each model what its prediction sets of `benchmark` still lack; a report for each set.

    `on_plan` gets the plan of a language model's set before anything of it is sent. `limit`: at most so many
    questions of a set now. `question_file`: the set consists of the questions it names. A set that stopped
    early is the last one reported. GlueError before anything is sent: an unknown model, benchmark, edition,
    setting or question; a name that stands for something else; no key; --max-cost without a price; another
    `glue generate` at work.
    """
    options, shown = options or ModelOptions(), progress or Silent()
    runs, clients = _runs(home, models, benchmark, name, gold_edition, question_file, options)
    for client in clients.values():
        client.check_ready()
    reports: list[GenerateReport] = []
    with Writer(home, loop="generate", command=command) as writer:
        session = _Session(home, writer, options, limit, shown, clients=clients)
        _bring_up_to_date(session, runs)
        for run in runs:
            land_started(writer, run)
            reports.append(_generate_one(session, run, on_plan))
            if reports[-1].stop:
                break
    return reports


def plan(
    home: Home,
    models: Sequence[str],
    benchmark: str,
    *,
    name: str | None = None,
    gold_edition: str = "benchmark",
    limit: int | None = None,
    question_file: Path | None = None,
    options: ModelOptions | None = None,
    progress: Progress | None = None,
    command: str = "glue generate --plan",
) -> list[Plan]:
    """What `generate` would send, set by set; nothing is sent. Runs land as planned. GlueError as there."""
    options, shown = options or ModelOptions(), progress or Silent()
    runs, clients = _runs(home, models, benchmark, name, gold_edition, question_file, options)
    with Writer(home, loop="generate", command=command) as writer:
        session = _Session(home, writer, options, limit, shown, clients=clients)
        _bring_up_to_date(session, runs)
        return [_plan_one(session, run) for run in runs]


# --------------------------------------------------------------------------- what is to be done


def _runs(
    home: Home,
    models: Sequence[str],
    benchmark: str,
    name: str | None,
    gold_edition: str,
    question_file: Path | None,
    options: ModelOptions,
) -> tuple[list[Run], dict[str, ModelClient]]:
    """The runs that a command names, checked, and a client for each language model among them."""
    from glue.importers.landed import landed_benchmark

    models = list(dict.fromkeys(models))
    for model in models:
        _check_control(model)
    landed = landed_benchmark(home, benchmark)
    _check_edition(home, landed.name, gold_edition)
    question_ids = read_question_ids(question_file, landed) if question_file else None
    clients = {model: _client(model, options) for model in models if not model.startswith("control/")}
    settings = _prompt_settings(options) if clients else ()
    new_run = partial(
        Run,
        benchmark=benchmark,
        gold_edition=gold_edition,
        question_ids=question_ids,
        n_samples=options.n_samples,
    )
    runs: list[Run] = []
    for model in models:
        client = clients.get(model)
        if client is None:
            runs.append(new_run(prediction_set=name or model, model=model))
            continue
        for setting in settings:
            set_name = name or default_name(model, setting, options.dialect or the_dialect(landed))
            run = new_run(prediction_set=set_name, model=model, setting=setting)
            runs.append(replace(run, dialect=options.dialect, settings=client.settings))
    if name is not None and len(runs) > 1:
        what = f"{len(models)} models" if len(models) > 1 else f"{len(runs)} prompt settings"
        raise GlueError(f"{what} cannot share the name {name!r}", "leave --name out, or name one of them")
    check_names(home, runs)
    return runs, clients


def _client(model: str, options: ModelOptions) -> ModelClient:
    from glue.solvers.model_client import ModelClient

    return ModelClient.of(
        model,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        api_base=options.api_base,
        timeout_s=options.request_timeout_s,
        price_in=options.price_in,
        price_out=options.price_out,
        max_cost_usd=options.max_cost_usd,
    )


def _prompt_settings(options: ModelOptions) -> tuple[str, ...]:
    project = project_directory()
    settings = tuple(dict.fromkeys(options.prompt_settings)) or (DEFAULT_SETTING,)
    for setting in settings:
        check_setting(setting, project)
    if options.dialect is not None:
        check_dialect(options.dialect, project)
    return settings


def _check_control(model: str) -> None:
    from glue.solvers.controls import CONTROLS

    known = [f"control/{name}" for name in CONTROLS]
    if model.startswith("control/") and model not in known:
        close = nearest(model, known)
        raise GlueError(
            f"there is no {model}", f"did you mean {close}?" if close else f"one of {', '.join(known)}"
        )


def _check_edition(home: Home, benchmark: str, gold_edition: str) -> None:
    landed = landed_keys(home, "golds", columns=["benchmark", "gold_edition"]).to_pylist()
    editions = sorted({row["gold_edition"] for row in landed if row["benchmark"] == benchmark})
    if gold_edition in editions:
        return
    close = nearest(gold_edition, editions)
    raise GlueError(
        f"{benchmark} has no golds of edition {gold_edition!r}",
        f"did you mean {close!r}?" if close else f"editions: {', '.join(editions) or 'none'}",
    )


def _bring_up_to_date(session: _Session, runs: Sequence[Run]) -> None:
    """Have the runs' requests in the pending table, and read it."""
    check_names(session.home, runs)  # again, now that no other command can land a run
    land_planned(session.writer, runs)
    refresh(
        session.home,
        "pending_requests",
        on_start=lambda: session.shown.note("bringing the pending table up to date …"),
    )
    names = {(run.prediction_set, run.benchmark) for run in runs}
    rows = pending_requests(session.home).to_pylist()
    session.pending = [row for row in rows if (row["prediction_set"], row["benchmark"]) in names]


def _work(session: _Session, run: Run) -> Work:
    session.past = landed_attempts(session.home)
    options = session.options
    return work_of(
        run,
        session.pending,
        session.past,
        retries=options.retries,
        limit=session.limit,
        is_failed_retried=options.is_failed_retried,
        is_malformed_retried=options.is_malformed_retried,
    )


def _plan_one(session: _Session, run: Run) -> Plan:
    work = _work(session, run)
    client = session.clients.get(run.model)
    if client is None:
        return plan_of(work, [], None, None)
    questions = questions_of(work, session.past, client.counter, session.options.is_failed_retried)
    return plan_of(work, questions, client.counter, client.price)


# --------------------------------------------------------------------------- asking


def _generate_one(session: _Session, run: Run, on_plan: Callable[[Plan], None] | None) -> GenerateReport:
    work = _work(session, run)
    client = session.clients.get(run.model)
    if client is None:
        return _answer_by_control(session, work)
    questions = questions_of(work, session.past, client.counter, session.options.is_failed_retried)
    if on_plan and questions:
        on_plan(plan_of(work, questions, client.counter, client.price))
    tally = _ask(session, run, client, questions) if questions else Tally()
    session.writer.fold()
    return GenerateReport(
        run.prediction_set,
        run.benchmark,
        n_answered=tally.outcomes["answered"],
        n_truncated=tally.outcomes["truncated"],
        n_failed=tally.outcomes["failed"],
        n_waiting=work.n_waiting + tally.n_left,
        n_used_up=work.n_used_up,
        first_error=client.scrub(tally.first_error),
        tally=replace(tally, stop_error=client.scrub(tally.stop_error)),
        is_priced=client.price is not None,
        stop_hint=client.stop_hint(tally.stop),
    )


def _ask(session: _Session, run: Run, client: ModelClient, questions: list[Question]) -> Tally:
    from glue.extraction import extract_sql

    options, shown = session.options, session.shown
    inbox = _Inbox(session.writer)

    def land(question: Question, attempt: Attempt, cost_usd: float | None) -> None:
        inbox.add(client.response_row(question, attempt, cost_usd))

    def end(question: Question, is_failed: bool, tally: Tally) -> None:
        shown.tell(client.told(tally))
        shown.advance(1, int(is_failed))

    asking = Asking(
        client.sender(),
        client.learning_settings(lambda text: shown.note(f"{run.model}: {text}")),
        Limits(
            options.concurrency,
            options.retries,
            options.backoff_s,
            options.max_cost_usd,
            options.is_malformed_retried,
        ),
        client.price,
        on_attempt=land,
        on_end=end,
        say=lambda text: shown.note(f"{run.model}: {text}"),
        has_sql=lambda text: extract_sql(text).sql is not None,
    )
    shown.start(run.prediction_set, len(questions))
    try:
        return asyncio.run(asking.run(questions))
    finally:
        inbox.flush()
        shown.finish()


def _answer_by_control(session: _Session, work: Work) -> GenerateReport:
    n_failed, first_error = 0, None
    shown = session.shown
    if work.rows:
        shown.start(work.run.model, len(work.rows))
    try:
        for request in work.rows:
            row = _control_response(request, work.run.model, session.past.get(request["request_id"], Past()))
            session.writer.append("responses", [row])
            session.writer.sync()
            is_failed = row["outcome"] != "answered"
            n_failed += is_failed
            first_error = first_error or row["error"]
            shown.advance(1, int(is_failed))
    finally:
        if work.rows:
            shown.finish()
        session.writer.fold()
    return GenerateReport(
        work.run.prediction_set,
        work.run.benchmark,
        n_answered=len(work.rows) - n_failed,
        n_failed=n_failed,
        n_waiting=work.n_waiting,
        n_used_up=work.n_used_up,
        first_error=first_error,
    )


def _control_response(request: dict[str, Any], model: str, past: Past) -> dict[str, Any]:
    """A control's answer as a row of `responses`; that it has nothing to say will not change."""
    from glue.solvers.controls import solve_control

    started = time.monotonic()
    answer = solve_control(model.removeprefix("control/"), request)
    responded_at = datetime.now(UTC)
    attempt = f"{request['request_id']}|{responded_at.isoformat()}"
    return {
        "request_id": request["request_id"],
        "attempt_id": hashlib.md5(attempt.encode()).hexdigest(),
        "purpose": request["purpose"],
        "model": model,
        "attempt_number": max(past.n_attempts, past.last_number) + 1,
        "outcome": answer.outcome,
        "is_permanent": answer.error is not None,
        "response_text": answer.text,
        "error": answer.error,
        "elapsed_ms": (time.monotonic() - started) * 1000,
        "responded_at": responded_at,
    }
