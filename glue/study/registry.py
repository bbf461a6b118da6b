"""Which benchmarks are under study: rows of landing table `studies`, without which its models are empty."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from glue.build import project_directory
from glue.errors import GlueError, nearest
from glue.home import Home
from glue.landing import Writer, landed_keys
from glue.study.shots import reranked_retriever, retrieval_of

BUDGET = "budget"
"""The study of what a schema-context budget buys (BudgetSchemaBench)."""
HISTORY = "history"
"""The study of what past queries know (BIRD-History)."""

TASKS = "tasks"
"""The construction of new tasks from past queries (BIRD-History, section 3.3)."""

_LEANS_ON_QUALITY = "mqs_filter"

DERIVED, PUBLISHED = "derived", "published"
"""Where a task's knowledge items come from: found in the other queries, or imported labels."""


@dataclass(frozen=True)
class HistoryOptions:
    """What a history study is asked for with. The newest registration of a benchmark counts.

    `history`: a benchmark, whose golds are the past queries, or an imported query log. `tasks`: derived or
    published. `quality_set`, `preliminary_set`: prediction sets of the retrievers that need one. `encoder`:
    None compares texts by their words. `as_of`: a time (ISO 8601, UTC where it names no zone): what was
    logged from then on is not known.
    """

    history: str
    tasks: str = DERIVED
    quality_set: str | None = None
    preliminary_set: str | None = None
    encoder: str | None = None
    as_of: str | None = None


def studied_benchmarks(home: Home, study: str = BUDGET) -> set[str]:
    """The benchmarks that a study was registered for."""
    rows = landed_keys(home, "studies", columns=["study", "benchmark"]).to_pylist()
    return {row["benchmark"] for row in rows if row["study"] == study}


def register(home: Home, benchmark: str, study: str = BUDGET, *, command: str | None = None) -> bool:
    """Put a benchmark under study, once; whether that is new. GlueError while an import is at work."""
    if benchmark in studied_benchmarks(home, study):
        return False
    _land(home, benchmark, study, "{}", command)
    return True


def register_history(
    home: Home, benchmark: str, options: HistoryOptions, *, command: str | None = None
) -> bool:
    """Put a benchmark under the history study; False where its newest registration says the same.

    GlueError for a benchmark or history that has not landed, for published tasks without
    labels of that history, for a time that is none, and while an import is at work.
    """
    options = _checked(home, benchmark, options)
    if registered_history(home, benchmark) == options:
        return False
    _land(home, benchmark, HISTORY, json.dumps(asdict(options)), command)
    return True


def register_drafting(
    home: Home, benchmark: str, model: str, settings: str, n_drafts: int, *, command: str | None = None
) -> bool:
    """Ask for drafts of tasks for a benchmark; False where the very same was asked for.

    `settings` are the model's, as JSON. Of several numbers the largest counts.
    """
    options = json.dumps({"model": model, "settings": settings, "n_drafts": n_drafts})
    rows = landed_keys(home, "studies", columns=["study", "benchmark", "options"]).to_pylist()
    if {"study": TASKS, "benchmark": benchmark, "options": options} in rows:
        return False
    _land(home, benchmark, TASKS, options, command)
    return True


def registered_history(home: Home, benchmark: str) -> HistoryOptions | None:
    """What a benchmark's history study was last registered with; None where it is not under study."""
    columns = ["study_id", "study", "benchmark", "options", "registered_at"]
    rows = landed_keys(home, "studies", columns=columns).to_pylist()
    mine = [row for row in rows if row["study"] == HISTORY and row["benchmark"] == benchmark]
    if not mine:
        return None
    newest = max(mine, key=lambda row: (row["registered_at"], row["study_id"]))
    return HistoryOptions(**json.loads(newest["options"]))


def default_history(home: Home, benchmark: str, history: str | None = None) -> HistoryOptions:
    """What a history study is registered with where nothing more is said.

    Without `history`: the one that the benchmark's published labels name, else the benchmark itself.
    """
    rows = _current_rows(home, "history_labels", ["benchmark", "history"])
    labelled = {row["history"] for row in rows if row["benchmark"] == benchmark}
    chosen = min(labelled, default=benchmark) if history is None else history
    tasks = PUBLISHED if chosen in labelled else DERIVED
    return HistoryOptions(chosen, tasks)


def check_answers(home: Home, prediction_set: str, benchmark: str) -> None:
    """GlueError, with the nearest, for a prediction set that answers nothing of a benchmark."""
    from glue.importers.common import landed_rows, newest_imports

    runs = landed_rows(home, "runs", ["prediction_set", "benchmark"])
    rows = [*newest_imports(home).values(), *runs]
    known = {row["prediction_set"] for row in rows if row["benchmark"] == benchmark and row["prediction_set"]}
    if prediction_set not in known:
        close = nearest(prediction_set, sorted(known))
        raise GlueError(
            f"prediction set {prediction_set!r} has no answer to {benchmark}",
            f"did you mean {close!r}?" if close else f"glue import predictions FILE --benchmark {benchmark}",
        )


def check_studied(home: Home, benchmark: str, setting: str) -> None:
    """GlueError when a cell is asked for on a benchmark that nobody put under study."""
    if benchmark not in studied_benchmarks(home):
        raise GlueError(
            f"{setting} is a cell of the budget study, and {benchmark} is not under study",
            f"put it under study: glue run --study budget --benchmark {benchmark} --plan",
        )


def check_under_history(home: Home, benchmark: str, setting: str) -> None:
    """GlueError when past queries are to be shown on a benchmark that is not under the history study."""
    if benchmark not in studied_benchmarks(home, HISTORY):
        raise GlueError(
            f"{setting} is of the history study, and {benchmark} is not under it",
            f"put it under study: glue run --study history --benchmark {benchmark}",
        )
    registered = registered_history(home, benchmark)
    assert registered is not None
    project = project_directory()
    retriever = retrieval_of(setting.rpartition("/")[2], project).retriever
    check_quality_set(reranked_retriever(retriever, project) or retriever, registered)


def check_quality_set(retriever: str, options: HistoryOptions) -> None:
    """GlueError for a retriever of what some predictions got right, where none are named."""
    if retriever == _LEANS_ON_QUALITY and options.quality_set is None:
        raise GlueError(
            f"retriever {retriever} finds nothing before some predictions say which past queries are good",
            f"glue run --study history --quality-set SET, a set that answers {options.history};"
            " or choose another --retriever",
        )


def _land(home: Home, benchmark: str, study: str, options: str, command: str | None) -> None:
    key = hashlib.md5(json.dumps([study, benchmark, options]).encode()).hexdigest()
    row = {"study_id": key, "study": study, "benchmark": benchmark, "options": options}
    with Writer(home, loop="import", command=command) as writer:
        writer.append("studies", [{**row, "registered_at": datetime.now(UTC)}])


def _checked(home: Home, benchmark: str, options: HistoryOptions) -> HistoryOptions:
    """The options with their time in one spelling. GlueError for what cannot be studied."""
    from glue.importers.landed import landed_benchmark

    landed_benchmark(home, benchmark)
    logs = {row["history"] for row in _current_rows(home, "history_queries", ["history"])}
    known = logs | {row["benchmark"] for row in _current_rows(home, "questions", ["benchmark"])}
    if options.history not in known:
        close = nearest(options.history, sorted(known))
        raise GlueError(
            f"there is no history {options.history!r}",
            f"did you mean {close!r}?"
            if close
            else "a history is a benchmark, whose golds are used, or a query log (glue import history)",
        )
    if options.tasks not in (DERIVED, PUBLISHED):
        raise GlueError(f"unknown kind of tasks {options.tasks!r}", f"choose {DERIVED} or {PUBLISHED}")
    if options.tasks == PUBLISHED:
        labels = _current_rows(home, "history_labels", ["benchmark", "history"])
        if (benchmark, options.history) not in {(row["benchmark"], row["history"]) for row in labels}:
            raise GlueError(
                f"{benchmark} has no published labels that name queries of {options.history}",
                "import them (glue import bird-history), or choose derived tasks",
            )
    return replace(options, as_of=_moment(options.as_of)) if options.as_of is not None else options


def _moment(text: str) -> str:
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise GlueError(f"as of {text!r}: that is no time", "write it as 2026-01-31T12:00:00Z") from error


def _current_rows(home: Home, table: str, columns: list[str]) -> list[dict[str, str]]:
    """Columns of the rows of a table that current imports bring."""
    from glue.importers.common import landed_rows, newest_imports

    current = {row["import_id"] for row in newest_imports(home).values()}
    rows = landed_rows(home, table, ["import_id", *columns])
    return [row for row in rows if row["import_id"] in current]
