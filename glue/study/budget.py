"""The budget study in one command: register, embed, ask every cell, execute, build (BudgetSchemaBench).

Each step goes on from what has landed, so that the same command after a kill does what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from glue.build import project_directory, refresh
from glue.errors import GlueError
from glue.generate import Asked, GenerateReport, ModelOptions, Plan, generate, plan
from glue.handoff import study_questions
from glue.home import Home
from glue.run import ExecuteOptions, ExecuteReport, build_all, execute_pending
from glue.study.cells import Cell, Grid, cells_of
from glue.study.registry import register

if TYPE_CHECKING:
    from glue.embed import EmbedReport
    from glue.progress import Progress

DEFAULT_MODELS = ("control/visible-gold", "control/memorizer")
"""Who is asked when nobody is named: the controls, which cost nothing."""
SWEEP = "budget_sweep"
"""The report that a study ends with."""


@dataclass(frozen=True)
class Study:
    """What a study is asked for.

    `n_sampled`: only the first so many held-out questions, the same in every cell. `name` begins the names of
    its sets, which tells them apart from those that were asked otherwise.
    """

    benchmark: str
    models: tuple[str, ...] = DEFAULT_MODELS
    grid: Grid = field(default_factory=Grid)
    n_sampled: int | None = None
    encoders: tuple[str, ...] = ()
    name: str | None = None
    options: ModelOptions = field(default_factory=ModelOptions)

    @property
    def cells(self) -> list[Cell]:
        """Its cells. GlueError for a level that does not exist."""
        return cells_of(self.grid, project_directory())


@dataclass
class Steps:
    """What is told as a study goes on: each is called with how a step ended."""

    on_registered: Callable[[], None]
    on_embedded: Callable[[EmbedReport], None]
    on_plan: Callable[[Plan], None]
    on_generated: Callable[[list[GenerateReport]], None]
    on_executed: Callable[[ExecuteReport], None]
    on_build: Callable[[], None]


@dataclass(frozen=True)
class Sweep:
    """The study's report: names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def plan_study(home: Home, study: Study, progress: Progress, *, command: str) -> list[Plan]:
    """What the study would send, set by set; nothing is sent or embedded.

    GlueError as of `run_study`, but for rankings that lack embeddings: the plans' counts say so.
    """
    options = _begin(home, study, progress, command)
    return plan(
        home,
        study.models,
        study.benchmark,
        asked=questions_asked(home, study),
        options=options,
        progress=progress,
        command=command,
    )


def run_study(
    home: Home, study: Study, execute: ExecuteOptions, progress: Progress, steps: Steps, *, command: str
) -> Sweep:
    """Do all that the study still lacks, and give its report.

    Stops after generating when that ended badly (`on_generated` raises what it makes of it). GlueError
    for an unknown benchmark or level, a ranking that lacks embeddings, and whatever the steps raise.
    """
    options = _begin(home, study, progress, command, steps.on_registered)
    _embed(home, study, progress, steps, command)
    reports = generate(
        home,
        study.models,
        study.benchmark,
        asked=questions_asked(home, study),
        options=options,
        progress=progress,
        command=command,
        on_plan=steps.on_plan,
    )
    steps.on_generated(reports)
    executed = execute_pending(
        home, replace(execute, benchmarks=(study.benchmark,)), progress, command=command
    )
    steps.on_executed(executed)
    steps.on_build()
    build_all(home)
    return sweep(home, study.benchmark)


def _begin(
    home: Home,
    study: Study,
    progress: Progress,
    command: str,
    on_registered: Callable[[], None] | None = None,
) -> ModelOptions:
    """Check and register a study; the options of asking, with its cells for settings."""
    from glue.importers.common import check_name
    from glue.importers.landed import landed_benchmark

    landed_benchmark(home, study.benchmark)
    if study.name is not None:
        check_name(study.name)
    settings = tuple(cell.setting for cell in study.cells)
    if register(home, study.benchmark, command=command) and on_registered:
        on_registered()
    refresh(home, "study_questions", on_start=lambda: progress.note("looking at the study's questions …"))
    return replace(study.options, prompt_settings=settings)


def _embed(home: Home, study: Study, progress: Progress, steps: Steps, command: str) -> None:
    from glue.embed import embed

    for encoder in study.encoders:
        report = embed(home, encoder, [study.benchmark], progress=progress, command=command)
        steps.on_embedded(report)


def questions_asked(home: Home, study: Study) -> Asked:
    """The questions of a study whose database is at hand: all, or the first places of the drawn order.

    GlueError where there is none.
    """
    rows = [row for row in study_questions(home).to_pylist() if row["benchmark"] == study.benchmark]
    if not rows:
        raise GlueError(
            f"no question of {study.benchmark} has its database at hand",
            "import its database files (glue import bird --databases …)",
        )
    if study.n_sampled is None:
        return Asked(tuple(row["question_id"] for row in rows), first_name=study.name)
    placed = [row for row in rows if row["sample_place"] is not None]
    chosen = [row for row in placed if row["sample_place"] <= study.n_sampled]
    if not chosen:
        least = min((row["sample_place"] for row in placed), default=None)
        raise GlueError(
            f"--sample {study.n_sampled}: of these questions of {study.benchmark} no database is at hand",
            f"give --sample {least} or more, or leave it out" if least else "leave --sample out",
        )
    ids = tuple(row["question_id"] for row in chosen)
    return Asked(ids, f"sample-{study.n_sampled}", study.name)


def sweep(home: Home, benchmark: str) -> Sweep:
    """The study's report at a glance: a row for all budgets of a cell, each with its value and 95% interval.

    Of the held-out questions, which the paper reports; of all, where none of those was asked.
    """
    from glue.warehouse import open_read_only

    with open_read_only(home) as connection:
        cursor = connection.execute(_AT_A_GLANCE, [benchmark])
        names = tuple(column[0] for column in cursor.description or ())
        rows = cursor.fetchall()
    budgets = {budget: None for *_, budget, _ in rows}  # in their order, each once
    by_place: dict[tuple[Any, ...], dict[str, str]] = {}
    for *place, budget, cell in rows:
        by_place.setdefault(tuple(place), {})[budget] = cell
    table = [(*place[1:], *map(cells.get, budgets)) for place, cells in by_place.items()]
    return Sweep((*names[1:-2], *budgets), table)


_AT_A_GLANCE = f"""
    with cells as (
        select *
        from {SWEEP}
        semi join (from cell_sets where not is_repeat) as cell_sets using (prediction_set, benchmark)
        where benchmark = ? and not is_majority
        qualify split = max(split) filter (where split in ('all', 'held_out') and denominator > 0) over ()
    )
    select
        cells.solver_id, cells.model, cells.condition, cells.naming, cells.ranker, cells.representation,
        cells.split,
        max(cells.denominator) over (partition by cells.solver_id)::bigint as n_questions,
        cells.budget,
        format('{{:.3f}} [{{:.3f}}, {{:.3f}}]', cells.value, cells.ci_low, cells.ci_high) as cell,
    from cells
    join conditions using (condition)
    join representations using (representation)
    order by
        cells.model, cells.solver_id, condition_position, cells.naming desc, cells.ranker desc,
        representation_position, cells.share
"""


def models_or_default(models: Sequence[str]) -> tuple[str, ...]:
    """The models of a command, or the controls."""
    return tuple(dict.fromkeys(models)) or DEFAULT_MODELS
