"""The history study in one command: describe, embed, rerank, answer, execute, build (BIRD-History).

Each step goes on from what has landed, so that the same command after a kill does what is left. Without a
model everything else is done: templates describe, rules find keywords, and every retriever is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from glue.build import project_directory
from glue.errors import GlueError
from glue.generate import GenerateReport, ModelOptions, Plan, ask_runs, plan_runs
from glue.generate_runs import PRELIMINARY, Run
from glue.home import Home
from glue.run import ExecuteOptions, ExecuteReport, build_all, execute_pending
from glue.study import shots
from glue.study.registry import (
    HistoryOptions,
    check_answers,
    check_quality_set,
    default_history,
    register_history,
    registered_history,
)

if TYPE_CHECKING:
    from glue.embed import EmbedReport
    from glue.progress import Progress
    from glue.solvers.model_client import ModelClient

DEFAULT_THRESHOLD, DEFAULT_SHOTS = 0.6, "3"
"""What answers are shown where nothing is said: scores from here on, at most so many past queries."""
DEFAULT_PIPELINE = "dail_sql"
_PRELIMINARY_SETTING = "schema_linked"
_LEANS_ON_PRELIMINARY = "dail"
_RERANKED_BY_DEFAULT = "q_c_model"
_SERVING = ("describe_history", "extract_keywords")


@dataclass(frozen=True)
class HistoryStudy:
    """What a study is asked for. None of what a benchmark is registered with: as it was registered last.

    `models` answer, `describe_model` (default: the first of them) serves retrieval: it describes, extracts
    keywords, filters and reranks. `retrievers` as in the seed, with -unasked at the end where the history's
    questions are not to be used; without them each pipeline has its own. Each retriever is asked at each
    threshold and number of shots, as far as it has any. `name` begins the names of all sets.
    """

    benchmark: str
    history: str | None = None
    encoder: str | None = None
    retrievers: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = (DEFAULT_THRESHOLD,)
    max_shots: tuple[str, ...] = (DEFAULT_SHOTS,)
    models: tuple[str, ...] = ()
    describe_model: str | None = None
    pipelines: tuple[str, ...] = ()
    quality_set: str | None = None
    preliminary_set: str | None = None
    as_of: str | None = None
    name: str | None = None
    options: ModelOptions = field(default_factory=ModelOptions)

    @property
    def serving_model(self) -> str | None:
        """Who serves retrieval; None: templates and rules do."""
        first = self.models[0] if self.models else None
        return first if self.describe_model is None else self.describe_model

    @property
    def settings(self) -> list[str]:
        """The prompt settings that are answered in. GlueError for what is no pipeline, retriever, …"""
        project = project_directory()
        found = []
        for pipeline in self.pipelines or (DEFAULT_PIPELINE,):
            own = shots.own_retriever(pipeline, project)
            found += [
                f"{shots.PREFIX}{pipeline}/{shots.new_retrieval(*asked, project).setting}"
                for asked in product(self.retrievers or (own,), self.thresholds, self.max_shots)
            ]
        return list(dict.fromkeys(found))

    @property
    def rerankings(self) -> list[str]:
        """What a model reranks for: the retrievers that are its choice; without one, the paper's."""
        project = project_directory()
        named = [text for text in self.retrievers if shots.reranked_retriever(text, project)]
        return list(dict.fromkeys(named)) or [_RERANKED_BY_DEFAULT]

    @property
    def used_retrievers(self) -> set[str]:
        """The retrievers of the settings, and those whose candidates a model reranks for them."""
        project = project_directory()
        names = {shots.retrieval_of(each.rpartition("/")[2], project).retriever for each in self.settings}
        return names | {name for each in names if (name := shots.reranked_retriever(each, project))}

    @property
    def leans_on_preliminary(self) -> bool:
        """Whether what is retrieved hangs on a preliminary prediction."""
        return _LEANS_ON_PRELIMINARY in self.used_retrievers


@dataclass
class HistorySteps:
    """What is told as a study goes on: each is called with how a step ended."""

    on_registered: Callable[[], None]
    on_embedded: Callable[[EmbedReport], None]
    on_plan: Callable[[Plan], None]
    on_asked: Callable[[list[GenerateReport]], None]
    on_executed: Callable[[ExecuteReport], None]
    on_build: Callable[[], None]


@dataclass(frozen=True)
class Table:
    """Names of columns, and rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class StudyReport:
    """How well each retriever finds what is needed, and what answers with its help are worth."""

    retrieval: Table
    pipelines: Table


@dataclass
class _Session:
    home: Home
    study: HistoryStudy
    registered: HistoryOptions
    progress: Progress
    command: str
    left_usd: float | None
    _clients: dict[str, ModelClient] = field(default_factory=dict)

    @property
    def asked_models(self) -> list[str]:
        named = [*self.study.models, self.study.serving_model]
        return list(dict.fromkeys(name for name in named if name is not None))

    def client(self, model: str) -> ModelClient:
        from glue.generate_sets import client_of

        if model not in self._clients:
            self._clients[model] = client_of(model, self.study.options)
        return self._clients[model]

    def run(self, name: str, model: str, purpose: str | None, **more: Any) -> Run:
        from glue.generate_runs import default_name

        settings, name = self.client(model).settings, default_name(self.study.name, name)
        return Run(name, self.study.benchmark, model, settings=settings, purpose=purpose, **more)

    def ask(self, runs: Sequence[Run], steps: HistorySteps) -> None:
        """Ask what runs lack. What stopped them early is raised by `on_asked`."""
        if not runs:
            return
        clients = {run.model: self.client(run.model) for run in runs}
        options = replace(self.study.options, max_cost_usd=self.left_usd)
        reports = ask_runs(
            self.home,
            runs,
            clients,
            options,
            progress=self.progress,
            command=self.command,
            on_plan=steps.on_plan,
        )
        if self.left_usd is not None:
            spent = sum(report.tally.cost_usd for report in reports if report.tally is not None)
            self.left_usd = max(self.left_usd - spent, 1e-9)
        steps.on_asked(reports)
        if any(report.stop for report in reports):
            raise StoppedEarly


class StoppedEarly(Exception):
    """Asking stopped before a step was done; the same command goes on from there."""


def plan_history(
    home: Home, study: HistoryStudy, progress: Progress, *, command: str
) -> list[tuple[str, Plan]]:
    """What the study would send, by purpose; nothing is sent. GlueError as `run_history`.

    What later steps ask depends on the answers to earlier ones: they are counted as they would be now.
    """
    session = _begin(home, study, progress, command, None)
    stages = [
        *_serving_runs(session),
        *_rerank_runs(session),
        *_preliminary_runs(session),
        *_answer_runs(session),
    ]
    clients = {run.model: session.client(run.model) for run in stages}
    plans = plan_runs(home, stages, clients, study.options, progress=progress, command=command)
    return [(run.purpose or "answer", plan) for run, plan in zip(stages, plans, strict=True)]


def run_history(
    home: Home,
    study: HistoryStudy,
    execute: ExecuteOptions,
    progress: Progress,
    steps: HistorySteps,
    *,
    command: str,
) -> StudyReport:
    """Do all that the study still lacks, and give its report.

    Stops after asking when that stopped early: `on_asked` raises what it makes of that, else StoppedEarly is
    raised. GlueError for an unknown benchmark, history, retriever or pipeline, and whatever the steps raise.
    """
    session = _begin(home, study, progress, command, steps.on_registered)
    for model in session.asked_models:
        session.client(model).check_ready()
    session.ask(_preliminary_runs(session), steps)
    _note_verdicts(session, execute, steps)
    session.ask(_serving_runs(session), steps)
    _embed(session, steps)
    session.ask(_rerank_runs(session), steps)
    session.ask(_answer_runs(session), steps)
    _execute(session, execute, steps, (study.benchmark,))
    steps.on_build()
    build_all(home)
    return study_report(home, study.benchmark)


# --------------------------------------------------------------------------- the steps


def _begin(
    home: Home,
    study: HistoryStudy,
    progress: Progress,
    command: str,
    on_registered: Callable[[], None] | None,
) -> _Session:
    """Check and register a study."""
    from glue.importers.common import check_name
    from glue.importers.landed import landed_benchmark

    landed_benchmark(home, study.benchmark)
    if study.name is not None:
        check_name(study.name)
    _ = study.settings  # each one checked
    registered = _registration(home, study)
    _check_sets(home, study, registered)
    session = _Session(home, study, registered, progress, command, study.options.max_cost_usd)
    for model in session.asked_models:
        if model.startswith("control/"):
            raise GlueError(f"{model} is shown no prompt", "name a model, such as openai/gpt-5-mini")
        session.client(model)
    if register_history(home, study.benchmark, registered, command=command) and on_registered:
        on_registered()
    return session


def _check_sets(home: Home, study: HistoryStudy, registered: HistoryOptions) -> None:
    """GlueError where retrieval is to lean on a set that answers nothing, before that is registered."""
    if study.models:
        for retriever in study.used_retrievers:
            check_quality_set(retriever, registered)
    if study.quality_set is not None:
        check_answers(home, study.quality_set, registered.history)
    asked = {_preliminary_set(study)} if study.models else set()
    if study.preliminary_set is not None and study.preliminary_set not in asked:
        check_answers(home, study.preliminary_set, study.benchmark)


def _registration(home: Home, study: HistoryStudy) -> HistoryOptions:
    """What the benchmark is registered with: what is asked for, else what it was registered with last."""
    from glue.encoders import landed_name

    last = registered_history(home, study.benchmark)
    if last is None:
        found = default_history(home, study.benchmark, study.history)
    elif study.history is not None and study.history != last.history:
        other = default_history(home, study.benchmark, study.history)
        found = replace(last, history=other.history, tasks=other.tasks, quality_set=None)
    else:
        found = last
    preliminary = study.preliminary_set
    if preliminary is None and study.models and study.leans_on_preliminary:
        preliminary = found.preliminary_set or _preliminary_set(study)
    given = {
        "encoder": None if study.encoder is None else landed_name(study.encoder),
        "quality_set": study.quality_set,
        "preliminary_set": preliminary,
        "as_of": study.as_of,
    }
    return replace(found, **{name: value for name, value in given.items() if value is not None})


def _preliminary_set(study: HistoryStudy) -> str:
    """The prediction set of the first model's answers that retrieval looks at."""
    from glue.generate_runs import default_name

    return default_name(study.name, study.models[0], "preliminary")


def _serving_runs(session: _Session) -> list[Run]:
    model = session.study.serving_model
    if model is None:
        return []
    names = {"describe_history": session.registered.history, "extract_keywords": session.study.benchmark}
    return [session.run(f"history/{names[each]}/{each}/{model}", model, each) for each in _SERVING]


def _rerank_runs(session: _Session) -> list[Run]:
    model, purpose = session.study.serving_model, "filter_rerank"
    if model is None:
        return []
    name = f"history/{session.study.benchmark}/{purpose}"
    return [
        session.run(f"{name}/{reranking}/{model}", model, purpose, setting=reranking)
        for reranking in session.study.rerankings
    ]


def _preliminary_runs(session: _Session) -> list[Run]:
    """Who answers for retrieval to look at: the first model, where `dail` is used and no set is named."""
    study = session.study
    if not study.models or study.preliminary_set is not None or not study.leans_on_preliminary:
        return []
    if session.registered.preliminary_set != _preliminary_set(study):
        return []
    model = study.models[0]
    return [session.run(f"{model}/preliminary", model, PRELIMINARY, setting=_PRELIMINARY_SETTING)]


def _answer_runs(session: _Session) -> list[Run]:
    from glue.generate_runs import default_name, the_dialect
    from glue.importers.landed import landed_benchmark

    dialect = the_dialect(landed_benchmark(session.home, session.study.benchmark))
    samples = session.study.options.n_samples
    return [
        session.run(default_name(model, setting, dialect), model, None, setting=setting, n_samples=samples)
        for model in session.study.models
        for setting in session.study.settings
    ]


def _note_verdicts(session: _Session, execute: ExecuteOptions, steps: HistorySteps) -> None:
    """Have retrieval know what the sets that it leans on answered, and whether they were right."""
    from glue.study.history_verdicts import note_verdicts

    found = session.registered
    asked = {found.preliminary_set} if session.study.preliminary_set is None else set()
    leaning: dict[str, list[str]] = {}
    if found.quality_set is not None:
        leaning.setdefault(found.history, []).append(found.quality_set)
    if found.preliminary_set is not None:
        leaning.setdefault(session.study.benchmark, []).append(found.preliminary_set)
    if not leaning:
        return
    _execute(session, execute, steps, tuple(leaning))
    steps.on_build()
    build_all(session.home)
    for benchmark, sets in leaning.items():
        note_verdicts(session.home, benchmark, sets, may_lack=asked, command=session.command)


def _embed(session: _Session, steps: HistorySteps) -> None:
    from glue.embed import embed
    from glue.encoders.sentence_models import FOLDER

    encoder = session.study.encoder or session.registered.encoder
    if encoder is not None and encoder.startswith(FOLDER):
        name = encoder.removeprefix(FOLDER)
        raise GlueError(
            f"the study's encoder is a folder named {name}, and it is not stored where it lies",
            "name it again: --encoder FOLDER",
        )
    if encoder is not None:
        report = embed(
            session.home,
            encoder,
            [session.study.benchmark],
            progress=session.progress,
            command=session.command,
        )
        steps.on_embedded(report)


def _execute(
    session: _Session, execute: ExecuteOptions, steps: HistorySteps, benchmarks: tuple[str, ...]
) -> None:
    options = replace(execute, benchmarks=benchmarks)
    steps.on_executed(execute_pending(session.home, options, session.progress, command=session.command))


# --------------------------------------------------------------------------- the report


def study_report(home: Home, benchmark: str) -> StudyReport:
    """What each retriever finds in the setting with the best F1, and EX of those who answered so far."""
    from glue.warehouse import open_read_only

    with open_read_only(home) as warehouse:
        tables = []
        for query in (_RETRIEVAL, _PIPELINES):
            found = warehouse.execute(query, [f"{benchmark}/history"])
            tables.append(Table(tuple(column[0] for column in found.description or ()), found.fetchall()))
        return StudyReport(*tables)


_RETRIEVAL = """
    select
        history_setting as setting, encoder, n_tasks as tasks, round(mean_shots, 2) as shots,
        format('{:.3f} [{:.3f}, {:.3f}]', precision, precision_low, precision_high) as precision,
        format('{:.3f} [{:.3f}, {:.3f}]', recall, recall_low, recall_high) as recall,
        format('{:.3f} [{:.3f}, {:.3f}]', f1, f1_low, f1_high) as f1,
    from history_retrieval
    where task_set = ? and is_best
    order by not uses_questions, history_retrieval.f1, retriever
"""
_PIPELINES = """
    select
        split_part(prediction_set, '/history/', 1) as model,
        coalesce(pipeline_label, pipeline) || if(is_majority, ' (majority)', '') as pipeline,
        history_setting as setting, n_questions as questions,
        format('{:.3f} [{:.3f}, {:.3f}]', ex, ex_low, ex_high) as ex,
        case
            when gain is not null then replace(
                concat(format('{:+.3f}', gain), format(' [{:+.3f}, {:+.3f}]', gain_low, gain_high)),
                '-0.000', '+0.000'
            )
            when is_own_retriever and ex is not null then 'its own'
        end as gain,
        format('{:.3f}', precision) as precision, format('{:.3f}', recall) as recall,
        format('{:.3f}', f1) as f1,
    from history_pipelines as answered
    where task_set = ?
    qualify row_number() over (
        partition by
            split_part(prediction_set, '/history/', 1), answered.pipeline, is_majority,
            retriever, ends_with(history_setting, '-unasked')
        order by answered.ex desc nulls last, prediction_set desc
    ) = 1
    order by
        model, answered.pipeline, is_majority, is_own_retriever desc, answered.ex desc nulls last,
        prediction_set
"""
