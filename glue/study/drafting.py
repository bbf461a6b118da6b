"""The construction of new tasks from past queries: draft, run, check, validate, fix (BIRD-History, §3.3.1).

What is next for each draft is decided in SQL (`task_verdicts`, `task_prompts`). A request lands as planned
before it is sent and is never worded anew, so that the same command after a kill asks nothing again that was
answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.build import refresh
from glue.errors import GlueError
from glue.generate import ask_rows, plan_rows
from glue.generate_runs import Run
from glue.handoff import read_handoff
from glue.landing import Writer
from glue.landing_tables import TABLES
from glue.run import ExecuteOptions, execute_pending
from glue.study.registry import default_history, register_drafting, register_history, registered_history

if TYPE_CHECKING:
    from glue.generate import GenerateReport, ModelOptions, Plan
    from glue.home import Home
    from glue.progress import Progress
    from glue.run import ExecuteReport
    from glue.solvers.model_client import ModelClient

MAX_ROUNDS = 20
"""A draft, its validation, and three revisions with theirs are eight; more than twenty mean a bug."""
_PENDING = "pending_task_requests"


@dataclass(frozen=True)
class Drafting:
    """What drafting is asked for. Of several commands with one model the largest `n_drafts` counts."""

    benchmark: str
    model: str
    n_drafts: int
    options: ModelOptions


@dataclass
class DraftingReport:
    """What one command did, and where the drafts stand (a row of task_progress)."""

    n_answered: int = 0
    standing: dict[str, Any] = field(default_factory=dict)
    last: GenerateReport | None = None

    @property
    def stop(self) -> str | None:
        """Why asking stopped early; None when it did not."""
        return self.last.stop if self.last else None


@dataclass
class DraftingSteps:
    """What is told as drafting goes on."""

    on_registered: Callable[[], None]
    on_plan: Callable[[Plan], None]
    on_asked: Callable[[GenerateReport], None]
    on_executed: Callable[[ExecuteReport], None]


def draft_tasks(
    home: Home,
    drafting: Drafting,
    execute: ExecuteOptions,
    progress: Progress,
    steps: DraftingSteps,
    *,
    command: str = "glue tasks draft",
) -> DraftingReport:
    """Draft, run, validate and fix until every draft is accepted or rejected.

    Stops after asking when that stopped early (`stop` of the report). GlueError for an unknown benchmark, one
    whose history or database files cannot be drafted from, no key, or another `glue generate` at work.
    """
    client, run = _begin(home, drafting, steps.on_registered, command)
    client.check_ready()
    report = DraftingReport()
    left_usd = drafting.options.max_cost_usd
    may_have_drafts = True  # of an earlier command
    for _ in range(MAX_ROUNDS):
        if may_have_drafts:
            executed = execute_pending(home, replace(execute, is_of_drafts=True), progress, command=command)
            if executed.waves:
                steps.on_executed(executed)
        with Writer(home, loop="generate", command=command) as writer:
            rows = _pending_rows(home, run, progress)
            report.standing = _standing(home, run)
            _check_offers(drafting, report.standing)
            _land_planned(writer, rows)
            options = replace(drafting.options, max_cost_usd=left_usd)
            report.last = ask_rows(writer, run, rows, client, options, progress, steps.on_plan)
        n_answered = report.last.n_answered + report.last.n_truncated
        may_have_drafts = any(row["purpose"] != "validate_task" for row in rows)
        if report.last.tally is not None and left_usd is not None:
            left_usd = max(left_usd - report.last.tally.cost_usd, 1e-9)
        report.n_answered += n_answered
        if report.last.tally is not None and report.last.tally.n_attempts:
            steps.on_asked(report.last)
        # What is new may be what another draft was asked already: then it is answered without being sent.
        if report.stop or not (n_answered or any(not row["is_planned"] for row in rows)):
            return report
    raise GlueError(
        f"drafts are still unfinished after {MAX_ROUNDS} rounds",
        'what was asked has landed; look at `glue query "from task_verdicts"` and report this',
    )


def plan_tasks(
    home: Home,
    drafting: Drafting,
    progress: Progress,
    on_registered: Callable[[], None],
    *,
    command: str = "glue tasks draft --plan",
) -> tuple[Plan, dict[str, Any]]:
    """What drafting would send next, and where the drafts stand; nothing is sent.

    GlueError as of `draft_tasks`.
    """
    client, run = _begin(home, drafting, on_registered, command)
    with Writer(home, loop="generate", command=command) as writer:
        rows = _pending_rows(home, run, progress)
        standing = _standing(home, run)
        _check_offers(drafting, standing)
        return plan_rows(writer, run, rows, client, drafting.options), standing


def exported_tasks(
    home: Home, benchmark: str, progress: Progress, decisions: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """The accepted tasks of a benchmark in the published layout (A.1), by number.

    With `decisions`: only those that people so decided on. GlueError when there is none, and for an unknown
    benchmark.
    """
    from glue.importers.landed import landed_benchmark

    landed_benchmark(home, benchmark)
    refresh(home, "exported_tasks", on_start=lambda: progress.note("bringing the tasks up to date …"))
    rows = [row for row in read_handoff(home, "exported_tasks").to_pylist() if row["benchmark"] == benchmark]
    wanted = {decision.strip().lower() for decision in decisions}
    chosen = [row for row in rows if not wanted or row["review_decision"] in wanted]
    if not chosen:
        found = sorted({row["review_decision"] or "none" for row in rows})
        raise GlueError(
            f"no drafted task of {benchmark} " + ("is so decided on" if rows else "has been accepted"),
            f"decisions: {', '.join(found)}" if rows else f"glue tasks draft --benchmark {benchmark} …",
        )
    return [
        {
            "question_id": row["question_id"],
            "db_id": row["db_id"],
            "question": row["question"],
            "SQL": row["sql"],
            "history_knowledge": json.loads(row["history_knowledge"]),
        }
        for row in chosen
    ]


def write_tasks(tasks: list[dict[str, Any]], file: Path) -> None:
    """Write tasks as one JSON list, to a file that appears once it is whole."""
    from glue.query import output_file

    with output_file(file) as out:
        out.write(tasks_text(tasks).encode())


def tasks_text(tasks: list[dict[str, Any]]) -> str:
    """Tasks as JSON for people to read."""
    return json.dumps(tasks, indent=2, ensure_ascii=False) + "\n"


# --------------------------------------------------------------------------- the steps


def _begin(
    home: Home, drafting: Drafting, on_registered: Callable[[], None], command: str
) -> tuple[ModelClient, Run]:
    """Check and register what is asked for; who is asked, and as what."""
    from glue.generate_sets import client_of
    from glue.importers.landed import landed_benchmark

    if drafting.model.startswith("control/"):
        raise GlueError(f"{drafting.model} drafts no tasks", "name a model, such as openai/gpt-5-mini")
    landed_benchmark(home, drafting.benchmark)
    client = client_of(drafting.model, drafting.options)
    run = Run(
        prediction_set=f"tasks/{drafting.model}",
        benchmark=drafting.benchmark,
        model=drafting.model,
        settings=client.settings,
        purpose="draft_tasks",
    )
    is_new = registered_history(home, drafting.benchmark) is None
    if is_new:
        history = default_history(home, drafting.benchmark)
        register_history(home, drafting.benchmark, history, command=command)
    register_drafting(home, run.benchmark, run.model, run.settings_json, drafting.n_drafts, command=command)
    if is_new:
        on_registered()
    return client, run


def _pending_rows(home: Home, run: Run, progress: Progress) -> list[dict[str, Any]]:
    """The requests of this benchmark, model and settings that have no answer."""
    refresh(home, _PENDING, on_start=lambda: progress.note("looking at what the drafts need next …"))
    return [
        {**row, "question_id": str(row["draft_number"])}
        for row in read_handoff(home, _PENDING).to_pylist()
        if _is_of(row, run)
    ]


def _is_of(row: dict[str, Any], run: Run) -> bool:
    named = (row["benchmark"], row["model"], row["settings"])
    return named == (run.benchmark, run.model, run.settings_json)


def _standing(home: Home, run: Run) -> dict[str, Any]:
    rows = read_handoff(home, "task_progress").to_pylist()
    return next((row for row in rows if _is_of(row, run)), {})


def _check_offers(drafting: Drafting, standing: dict[str, Any]) -> None:
    """GlueError where no draft can be offered two past queries of a database that is at hand."""
    if not standing.get("n_offered"):
        raise GlueError(
            f"no database of {drafting.benchmark} that is at hand has two past queries unlike each other",
            "see history_queries for what is kept, and databases for what has a data file",
        )


def _land_planned(writer: Writer, rows: Iterable[dict[str, Any]]) -> None:
    names = [name for name in TABLES["task_requests"].schema.names if name != "landed_at"]
    now = {"planned_at": datetime.now(UTC)}
    new = [{name: {**row, **now}[name] for name in names} for row in rows if not row["is_planned"]]
    if new:
        writer.append("task_requests", new)
        writer.fold()
