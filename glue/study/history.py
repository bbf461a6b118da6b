"""The history study in one command: describe, embed, rerank, answer, execute, build (BIRD-History).

Each step goes on from what has landed, so that the same command after a kill does what is left. Without a
model everything else is done: templates describe, rules find keywords, and every retriever is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
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
    default_history,
    register_history,
    registered_history,
)

if TYPE_CHECKING:
    from glue.embed import EmbedReport
    from glue.progress import Progress
    from glue.solvers.model_client import ModelClient

DEFAULT_THRESHOLD, DEFAULT_SHOTS = 0.6, "3"
"""What answers are shown where nothing is said: scores from here on, so many past queries."""
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
    questions are not to be used; without them each pipeline has its own.
    """

    benchmark: str
    history: str | None = None
    encoder: str | None = None
    retrievers: tuple[str, ...] = ()
    threshold: float = DEFAULT_THRESHOLD
    max_shots: str = DEFAULT_SHOTS
    models: tuple[str, ...] = ()
    describe_model: str | None = None
    pipelines: tuple[str, ...] = ()
    quality_set: str | None = None
    preliminary_set: str | None = None
    as_of: str | None = None
    options: ModelOptions = field(default_factory=ModelOptions)

    @property
    def serving_model(self) -> str | None:
        """Who serves retrieval; None: templates and rules do."""
        return self.describe_model or (self.models[0] if self.models else None)

    @property
    def settings(self) -> list[str]:
        """The prompt settings that are answered in. GlueError for a retriever or pipeline that is none."""
        project = project_directory()
        found = []
        for pipeline in self.pipelines or (DEFAULT_PIPELINE,):
            own = shots.own_retriever(pipeline, project)
            for retriever in self.retrievers or (own,):
                retrieval = shots.new_retrieval(retriever, self.threshold, self.max_shots, project)
                found.append(f"{shots.PREFIX}{pipeline}/{retrieval.setting}")
        return list(dict.fromkeys(found))

    @property
    def rerankings(self) -> list[str]:
        """What a model reranks for: the retrievers that are its choice; without one, the paper's."""
        project = project_directory()
        named = [text for text in self.retrievers if shots.reranked_retriever(text, project)]
        return list(dict.fromkeys(named)) or [_RERANKED_BY_DEFAULT]

    @property
    def leans_on_preliminary(self) -> bool:
        """Whether what is retrieved hangs on a preliminary prediction."""
        project = project_directory()
        names = {shots.retrieval_of(each.rpartition("/")[2], project).retriever for each in self.settings}
        return _LEANS_ON_PRELIMINARY in names | {shots.reranked_retriever(name, project) for name in names}


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
class RetrievalTable:
    """The study's report: names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass
class _Session:
    home: Home
    study: HistoryStudy
    registered: HistoryOptions
    progress: Progress
    command: str
    left_usd: float | None
    _clients: dict[str, ModelClient] = field(default_factory=dict)

    def client(self, model: str) -> ModelClient:
        from glue.generate_sets import client_of

        if model not in self._clients:
            self._clients[model] = client_of(model, self.study.options)
        return self._clients[model]

    def run(self, name: str, model: str, purpose: str | None, **more: Any) -> Run:
        settings = self.client(model).settings
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
) -> RetrievalTable:
    """Do all that the study still lacks, and give its report.

    Stops after asking when that stopped early: `on_asked` raises what it makes of that, else StoppedEarly is
    raised. GlueError for an unknown benchmark, history, retriever or pipeline, and whatever the steps raise.
    """
    session = _begin(home, study, progress, command, steps.on_registered)
    for model in (*study.models, *([study.serving_model] if study.serving_model else [])):
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
    return retrieval_table(home, study.benchmark)


# --------------------------------------------------------------------------- the steps


def _begin(
    home: Home,
    study: HistoryStudy,
    progress: Progress,
    command: str,
    on_registered: Callable[[], None] | None,
) -> _Session:
    """Check and register a study."""
    from glue.importers.landed import landed_benchmark

    landed_benchmark(home, study.benchmark)
    _ = study.settings  # each one checked
    for model in (*study.models, study.describe_model or ""):
        if model.startswith("control/"):
            raise GlueError(f"{model} is shown no prompt", "name a model, such as openai/gpt-5-mini")
    registered = _registration(home, study)
    _check_sets(home, study, registered.history)
    if register_history(home, study.benchmark, registered, command=command) and on_registered:
        on_registered()
    return _Session(home, study, registered, progress, command, study.options.max_cost_usd)


def _check_sets(home: Home, study: HistoryStudy, history: str) -> None:
    """GlueError where retrieval is to lean on a set that answers nothing, before that is registered."""
    if study.quality_set is not None:
        check_answers(home, study.quality_set, history)
    asked = {preliminary_name(model) for model in study.models[:1]}
    if study.preliminary_set is not None and study.preliminary_set not in asked:
        check_answers(home, study.preliminary_set, study.benchmark)


def _registration(home: Home, study: HistoryStudy) -> HistoryOptions:
    """What the benchmark is registered with: what is asked for, else what it was registered with last."""
    last = registered_history(home, study.benchmark)
    if last is None or (study.history is not None and study.history != last.history):
        found = default_history(home, study.benchmark, study.history)
    else:
        found = last
    preliminary = study.preliminary_set
    if preliminary is None and study.models and study.leans_on_preliminary:
        preliminary = found.preliminary_set or preliminary_name(study.models[0])
    given = {
        "encoder": _landed_name(study.encoder),
        "quality_set": study.quality_set,
        "preliminary_set": preliminary,
        "as_of": study.as_of,
    }
    return replace(found, **{name: value for name, value in given.items() if value is not None})


def _landed_name(encoder: str | None) -> str | None:
    """The name that an encoder's vectors land under: a folder has another than its path."""
    if encoder is None:
        return None
    from glue.encoders import encoder_of
    from glue.encoders.api import ApiOptions

    return encoder_of(encoder, ApiOptions()).name


def preliminary_name(model: str) -> str:
    """The prediction set of a model's answers that retrieval looks at."""
    return f"{model}/preliminary"


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
    study, name = session.study, session.registered.preliminary_set
    if not study.models or study.preliminary_set is not None or not study.leans_on_preliminary:
        return []
    if name != preliminary_name(study.models[0]):
        return []
    return [session.run(name, study.models[0], PRELIMINARY, setting=_PRELIMINARY_SETTING)]


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


def retrieval_table(home: Home, benchmark: str) -> RetrievalTable:
    """Precision, recall and F1 of each retriever at its chosen setting, EX where something was answered."""
    from glue.warehouse import open_read_only

    with open_read_only(home) as warehouse:
        found = warehouse.execute(_RETRIEVAL, [benchmark])
        columns = tuple(column[0] for column in found.description or ())
        return RetrievalTable(columns, found.fetchall())


_RETRIEVAL = """
    with answered as (
        select
            runs.task_set, runs.retriever, runs.uses_questions,
            string_agg(
                format('{} {} {:.3f}', runs.pipeline, runs.history_setting, v.value), ', '
                order by runs.prediction_set
            ) as ex,
        from history_runs as runs
        join metric_values as v using (prediction_set, benchmark)
        where v.protocol = 'evalhouse' and v.metric = 'ex' and v.slice_by = 'all' and not runs.is_planned
        group by all
    ),
    measured as (
        select
            sets.*, sums.n_tasks, sums.n_shots,
            list_sum(sums.required) as required, list_sum(sums.retrieved) as retrieved,
            list_sum(sums.covered) as covered,
            intervals.* exclude (sums_id),
        from history_sets as sets
        join history_sums as sums using (task_set, prediction_set)
        left join history_intervals as intervals on sums.question_sums_id = intervals.sums_id
        where sets.task_set = ? || '/history' and sets.choice = 'best' and sums.knowledge_type = 'all'
    )
    select
        m.history_setting as setting, m.encoder, m.n_tasks as tasks, round(m.n_shots / m.n_tasks, 2) as shots,
        format(
            '{:.3f} [{:.3f}, {:.3f}]', m.covered / m.retrieved, m.precision_low, m.precision_high
        ) as precision,
        format('{:.3f} [{:.3f}, {:.3f}]', m.covered / m.required, m.recall_low, m.recall_high) as recall,
        format(
            '{:.3f} [{:.3f}, {:.3f}]', 2 * m.covered / (m.required + m.retrieved), m.f1_low, m.f1_high
        ) as f1,
        a.ex,
    from measured as m
    join retrievers as r using (retriever)
    left join answered as a using (task_set, retriever, uses_questions)
    order by not m.uses_questions, 2 * m.covered / (m.required + m.retrieved), m.retriever
"""
