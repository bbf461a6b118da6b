"""`glue generate`: asks models and controls what their prediction sets still lack, and lands each attempt.

A run lands as planned, which makes its requests rows of the warehouse, and again before the first is sent.
What is asked is decided from what has landed, under the lock of the loop, so that nothing is asked twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.build import project_directory, refresh
from glue.generate_controls import answer_by_controls
from glue.generate_runs import Run, as_begun, check_not_generated, land_planned, land_started
from glue.generate_sets import Asked, ModelOptions, runs_of
from glue.generate_work import (
    Past,
    Plan,
    SetCounts,
    Work,
    landed_attempts,
    plan_of,
    questions_of,
    set_counts,
    work_of,
)
from glue.handoff import pending_requests, read_handoff, request_counts
from glue.home import Home
from glue.landing import Writer
from glue.landing_tables import TABLES
from glue.progress import Silent
from glue.solvers.asking import Asking, Limits, Question, Tally
from glue.study.contexts import Contexts

if TYPE_CHECKING:
    import pyarrow as pa

    from glue.progress import Progress
    from glue.solvers.attempts import Attempt
    from glue.solvers.model_client import ModelClient

__all__ = [
    "Asked",
    "GenerateReport",
    "ModelOptions",
    "Plan",
    "ask_rows",
    "ask_runs",
    "check_not_generated",
    "generate",
    "plan",
    "plan_rows",
    "plan_runs",
]

_WORDED = "pending_history_requests"


@dataclass(frozen=True)
class GenerateReport:
    """How asking for one prediction set ended.

    `n_waiting` requests were left for later (--limit, or the run stopped); `n_used_up` were not asked, since
    they have used up their attempts or failed for good. `tally` is a language model's.
    """

    prediction_set: str
    benchmark: str
    model: str
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
    pending: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    counts: dict[tuple[str, str], SetCounts] = field(default_factory=dict)
    past: dict[str, Past] = field(default_factory=dict)
    clients: dict[str, ModelClient] = field(default_factory=dict)
    counted: dict[str, dict[str, int]] = field(default_factory=dict)  # tokens of messages, by model
    worded: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # of the history study, by run

    def __post_init__(self) -> None:
        self.contexts = Contexts(self.home)


def generate(
    home: Home,
    models: Sequence[str],
    benchmark: str,
    *,
    name: str | None = None,
    gold_edition: str = "benchmark",
    limit: int | None = None,
    question_file: Path | None = None,
    asked: Asked | None = None,
    options: ModelOptions | None = None,
    progress: Progress | None = None,
    command: str = "glue generate",
    on_plan: Callable[[Plan], None] | None = None,
) -> list[GenerateReport]:
    """Ask each model what its prediction sets of `benchmark` still lack; a report for each set.

    `on_plan` gets the plan of a language model's set before anything of it is sent. `limit`: at most so many
    questions of a set now. `question_file`: the set consists of the questions it names, `asked` says the same
    by their ids. A set that stopped early is the last one reported. GlueError before anything is sent: an
    unknown model, benchmark, edition, setting or question; a name that stands for something else; a cell of a
    benchmark that is not under study, or without rankings; no key; --max-cost without a price; another
    `glue generate` at work.
    """
    options = options or ModelOptions()
    runs, clients = runs_of(home, models, benchmark, name, gold_edition, question_file, asked, options)
    return ask_runs(
        home, runs, clients, options, limit=limit, progress=progress, command=command, on_plan=on_plan
    )


def ask_runs(
    home: Home,
    runs: Sequence[Run],
    clients: Mapping[str, ModelClient],
    options: ModelOptions,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    command: str = "glue generate",
    on_plan: Callable[[Plan], None] | None = None,
) -> list[GenerateReport]:
    """Ask what runs still lack, as `generate` does; `clients` by model. GlueError as there."""
    for client in clients.values():
        client.check_ready()
    reports: list[GenerateReport] = []
    with Writer(home, loop="generate", command=command) as writer:
        session = _Session(home, writer, options, limit, progress or Silent(), clients=dict(clients))
        runs = _bring_up_to_date(session, runs)
        _check_rankings(session, [run for run in runs if not run.is_of_history])
        by_controls = _answer_by_controls(session, [run for run in runs if run.is_control])
        for run in runs:
            if run.is_control:
                reports.append(by_controls[run.run_id])
                continue
            land_started(writer, [run])
            _land_worded(session, run)
            reports.append(_ask_model(session, run, on_plan))
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
    asked: Asked | None = None,
    options: ModelOptions | None = None,
    progress: Progress | None = None,
    command: str = "glue generate --plan",
) -> list[Plan]:
    """What `generate` would send, set by set; nothing is sent. Runs land as planned.

    GlueError as there, but for rankings that are missing: the plan's counts say so.
    """
    options = options or ModelOptions()
    runs, clients = runs_of(home, models, benchmark, name, gold_edition, question_file, asked, options)
    return plan_runs(home, runs, clients, options, limit=limit, progress=progress, command=command)


def plan_runs(
    home: Home,
    runs: Sequence[Run],
    clients: Mapping[str, ModelClient],
    options: ModelOptions,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    command: str = "glue generate --plan",
) -> list[Plan]:
    """What `ask_runs` would send. Runs land as planned, nothing else does."""
    with Writer(home, loop="generate", command=command) as writer:
        session = _Session(home, writer, options, limit, progress or Silent(), clients=dict(clients))
        runs = _bring_up_to_date(session, runs)
        session.past = landed_attempts(home)
        return [_plan_one(session, run) for run in runs]


def ask_rows(
    writer: Writer,
    run: Run,
    rows: Sequence[dict[str, Any]],
    client: ModelClient,
    options: ModelOptions,
    progress: Progress | None = None,
    on_plan: Callable[[Plan], None] | None = None,
) -> GenerateReport:
    """Ask requests that are no prediction set's, and land each attempt.

    `rows` are those of a pending table: request_id, purpose, messages, question_id. What has been answered
    since it was built, or has used up its attempts, is left out. `run` names what they are for.
    """
    return _ask_model(_session_of(writer, run, rows, client, options, progress), run, on_plan)


def plan_rows(
    writer: Writer, run: Run, rows: Sequence[dict[str, Any]], client: ModelClient, options: ModelOptions
) -> Plan:
    """What `ask_rows` would send."""
    session = _session_of(writer, run, rows, client, options, None)
    session.past = landed_attempts(writer.home)
    return _plan_one(session, run)


def _session_of(
    writer: Writer,
    run: Run,
    rows: Sequence[dict[str, Any]],
    client: ModelClient,
    options: ModelOptions,
    progress: Progress | None,
) -> _Session:
    names = {"prediction_set": run.prediction_set, "benchmark": run.benchmark, "model": run.model}
    session = _Session(writer.home, writer, options, None, progress or Silent(), clients={run.model: client})
    session.pending[run.prediction_set, run.benchmark] = [{**row, **names} for row in rows]
    return session


# --------------------------------------------------------------------------- what is to be done


def _bring_up_to_date(session: _Session, runs: Sequence[Run]) -> list[Run]:
    """Have the runs' requests in the pending table, and read it; the runs as they go on."""
    runs = as_begun(session.home, runs)  # again, now that no other command can land a run
    land_planned(session.writer, runs)
    of_history = [run for run in runs if run.is_of_history]
    if of_history:
        _read_worded(session, of_history)
    answering = [run for run in runs if not run.is_of_history]
    if not answering:
        return runs
    refresh(
        session.home,
        "pending_requests",
        on_start=lambda: session.shown.note("bringing the pending table up to date …"),
    )
    keys = {(run.prediction_set, run.benchmark) for run in answering}
    for row in _of_sets(pending_requests(session.home), keys).to_pylist():
        session.pending.setdefault((row["prediction_set"], row["benchmark"]), []).append(row)
    session.counts = set_counts(request_counts(session.home))
    return runs


def _read_worded(session: _Session, runs: Sequence[Run]) -> None:
    """What the runs of the history study ask, as it would be worded now."""
    refresh(
        session.home,
        _WORDED,
        on_start=lambda: session.shown.note("wording the requests of the history study …"),
    )
    run_ids = {run.run_id for run in runs}
    for row in read_handoff(session.home, _WORDED).to_pylist():
        if row["run_id"] in run_ids:
            session.worded.setdefault(row["run_id"], []).append({**row, "question_id": row["subject_id"]})
    for run in runs:
        rows = session.worded.get(run.run_id, [])
        session.pending[run.prediction_set, run.benchmark] = [row for row in rows if not row["is_done"]]


def _land_worded(session: _Session, run: Run) -> None:
    """Land the requests of a run that have not landed as they are worded now, before they are sent."""
    names = [name for name in TABLES["history_requests"].schema.names if name != "landed_at"]
    now = {"planned_at": datetime.now(UTC)}
    rows = [row for row in session.worded.get(run.run_id, ()) if not row["is_planned"]]
    if rows:
        session.writer.append(
            "history_requests", [{name: {**row, **now}[name] for name in names} for row in rows]
        )
        session.writer.fold()


def _of_sets(pending: pa.Table, keys: set[tuple[str, str]]) -> pa.Table:
    """The pending requests of some prediction sets; of those of a name, work_of takes its benchmark's."""
    import pyarrow as pa
    import pyarrow.compute as compute

    if not pending.num_rows:
        return pending
    return pending.filter(compute.is_in(pending["prediction_set"], pa.array([name for name, _ in keys])))


def _check_rankings(session: _Session, runs: Sequence[Run]) -> None:
    """GlueError when some question of a cell has no ranking to be packed by."""
    from glue.study.rankings import missing_rankings

    unranked = {
        str(run.setting): counts.n_without_ranking
        for run in runs
        if (counts := session.counts.get((run.prediction_set, run.benchmark))) and counts.n_without_ranking
    }
    if unranked:
        raise missing_rankings(unranked, runs[0].benchmark, project_directory())


def _work(session: _Session, run: Run) -> Work:
    options = session.options
    return work_of(
        run,
        session.pending.get((run.prediction_set, run.benchmark), ()),
        session.past,
        retries=options.retries,
        limit=session.limit,
        is_failed_retried=options.is_failed_retried,
        is_malformed_retried=options.is_malformed_retried,
    )


def _questions(session: _Session, work: Work, client: ModelClient) -> list[Question]:
    return questions_of(
        work,
        session.past,
        client.counter,
        session.options.is_failed_retried,
        session.contexts,
        session.counted.setdefault(work.run.model, {}),
    )


def _plan_one(session: _Session, run: Run) -> Plan:
    work = _work(session, run)
    counts = session.counts.get((run.prediction_set, run.benchmark))
    client = session.clients.get(run.model)
    if client is None:
        return plan_of(work, [], None, None, counts)
    questions = _questions(session, work, client)
    return plan_of(work, questions, client.counter, client.price, counts)


# --------------------------------------------------------------------------- asking


def _ask_model(session: _Session, run: Run, on_plan: Callable[[Plan], None] | None) -> GenerateReport:
    session.past = landed_attempts(session.home)  # what an earlier set was told may be this one's answer
    work = _work(session, run)
    client = session.clients[run.model]
    questions = _questions(session, work, client)
    if on_plan and questions:
        on_plan(plan_of(work, questions, client.counter, client.price))
    tally = _ask(session, run, client, questions) if questions else Tally()
    session.writer.fold()
    return GenerateReport(
        run.prediction_set,
        run.benchmark,
        run.model,
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
    from glue.extraction import extract_sql, holds_json

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
        has_sql=lambda text: holds_json(text) if run.wants_json else extract_sql(text).sql is not None,
    )
    shown.start(run.prediction_set, len(questions))
    try:
        return asyncio.run(asking.run(questions))
    finally:
        inbox.flush()
        shown.finish()


def _answer_by_controls(session: _Session, runs: Sequence[Run]) -> dict[str, GenerateReport]:
    """Have controls answer their sets; the reports by run_id."""
    if not runs:
        return {}
    land_started(session.writer, runs)
    session.past = landed_attempts(session.home)
    works = [_work(session, run) for run in runs]
    found = answer_by_controls(session.writer, works, session.past, session.shown)
    session.writer.fold()
    return {
        work.run.run_id: GenerateReport(
            work.run.prediction_set,
            work.run.benchmark,
            work.run.model,
            n_answered=answered.n_answered,
            n_failed=answered.n_failed,
            n_waiting=work.n_waiting,
            n_used_up=work.n_used_up,
            first_error=answered.first_error,
        )
        for work, answered in zip(works, found, strict=True)
    }
