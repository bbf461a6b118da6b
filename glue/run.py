"""`glue execute` until nothing is pending, and what `glue run` says of a prediction set at the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from glue.build import BuildReport, refresh
from glue.errors import GlueError, nearest
from glue.handoff import pending_statements, prepared_indexes, union_members
from glue.home import Home
from glue.landing import Writer

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from glue.execute import Addresses, Statement, Summary
    from glue.progress import Progress

MAX_WAVES = 10
"""Two waves are the rule: all on the copies, then what a verdict hinges on. More than ten mean a bug."""


@dataclass(frozen=True)
class ExecuteOptions:
    """What `glue execute` was asked for; None is the default of `glue.execute.execute`.

    `prepared` says where statements run: 'auto' (on the indexed copy, and on the untouched file where a
    verdict hinges on it), 'all' (copies alone) or 'none' (untouched files alone). `keep_rows` says which
    results are stored with their rows. `again`: questions to live databases that could not be scored, a gold
    having drifted or failed, are asked once more. No `benchmarks` means all.
    `is_of_drafts`: only statements of drafted tasks. `connections` and `engines`: only statements on those.
    """

    workers: int | None = None
    timeout_s: float | None = None
    gold_timeout_s: float | None = None
    max_rows: int | None = None
    max_memory_bytes: int | None = None
    prepared: Literal["auto", "all", "none"] = "auto"
    keep_rows: Literal["all", "mismatches", "none"] = "all"
    check_stability: bool = False
    again: bool = False
    benchmarks: tuple[str, ...] = ()
    is_of_drafts: bool = False
    connections: tuple[str, ...] = ()
    engines: tuple[str, ...] = ()

    @property
    def variables(self) -> dict[str, Any]:
        """The dbt variables that say which statements are pending; defaults are left to dbt_project.yml.

        dbt reads the whole project again when they change, so commands had better agree on them.
        """
        chosen: dict[str, Any] = {"prepared": self.prepared, "check_stability": self.check_stability}
        return {name: value for name, value in chosen.items() if value not in ("auto", False)}


@dataclass
class ExecuteReport:
    """The waves of one `glue execute`; time of refreshing the pending table apart from time of execution.

    `n_unscoreable`: statements on live databases whose questions could not be scored; they wait for `again`.
    """

    waves: list[Summary] = field(default_factory=list)
    n_unscoreable: int = 0
    n_refreshes: int = 0
    refresh_s: float = 0.0
    execute_s: float = 0.0

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it with statements left."""
        return any(wave.is_interrupted for wave in self.waves)


def execute_pending(
    home: Home, options: ExecuteOptions, progress: Progress, *, command: str = "glue execute"
) -> ExecuteReport:
    """Refresh pending_statements and run it, again and again until a wave has nothing left to run.

    GlueError when another `glue execute` runs, a model fails to build, or the waves do not end.
    """
    from glue.execute import Addresses

    _check_names(home, options)
    report = ExecuteReport()
    addresses = Addresses(home)
    with Writer(home, loop="execute", command=command) as writer:
        for number in range(1, MAX_WAVES + 1):
            wave = _one_wave(home, options, progress, writer, report, addresses)
            options = replace(options, again=False)  # once: what drifts each time would go on for ever
            if wave.is_interrupted or not wave.n_run:
                return report
            writer.fold()
            if number == MAX_WAVES:
                break
    raise GlueError(
        f"statements are still pending after {MAX_WAVES} waves",
        'what was run has landed; look at `glue query "select * from pending_statements"` and report this',
    )


def _one_wave(
    home: Home,
    options: ExecuteOptions,
    progress: Progress,
    writer: Writer,
    report: ExecuteReport,
    addresses: Addresses,
) -> Summary:
    from glue.engines.base import UNION_SUFFIX
    from glue.execute import Summary, execute, wanted_indexes_of
    from glue.unions import unions_of

    built, statements = _pending(home, options, progress)
    report.refresh_s += built.elapsed_seconds
    report.n_refreshes += not built.is_skipped
    report.n_unscoreable = sum("unscoreable" in statement.due_because for statement in statements)
    if not statements:
        return Summary()
    given = {
        "workers": options.workers,
        "timeout_s": options.timeout_s,
        "gold_timeout_s": options.gold_timeout_s,
        "max_rows": options.max_rows,
        "max_memory_bytes": options.max_memory_bytes,
    }
    has_unions = any(statement.engine.endswith(UNION_SUFFIX) for statement in statements)
    started = time.monotonic()
    wave = execute(
        home,
        statements,
        writer=writer,
        keep_rows=options.keep_rows,
        again=options.again,
        prepared="auto",  # the pending table already says where each statement runs
        prepared_indexes=wanted_indexes_of(prepared_indexes(home)),
        unions=unions_of(union_members(home)) if has_unions else None,
        addresses=addresses,
        progress=progress,
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
    )
    report.execute_s += time.monotonic() - started
    if wave.n_run or wave.is_interrupted:
        report.waves.append(wave)
    return wave


def pending_of(
    home: Home, options: ExecuteOptions, progress: Progress
) -> tuple[BuildReport, list[Statement]]:
    """Refresh pending_statements; its statements that were asked for.

    GlueError for a benchmark, connection or engine that there is not, or a model that fails to build.
    """
    _check_names(home, options)
    return _pending(home, options, progress)


def _pending(home: Home, options: ExecuteOptions, progress: Progress) -> tuple[BuildReport, list[Statement]]:
    from glue.execute import statements_of

    built = refresh(
        home,
        "pending_statements",
        options.variables,
        on_start=lambda: progress.note("bringing the pending table up to date …"),
    )
    pending = _of_benchmarks(pending_statements(home), options.benchmarks)
    if options.is_of_drafts:
        pending = pending.filter(pending["is_draft"])
    return built, statements_of(on_databases(pending, options))


def _of_benchmarks(pending: pa.Table, benchmarks: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    if not benchmarks:
        return pending
    wanted = set(benchmarks)
    keep = [bool(wanted.intersection(names or ())) for names in pending["benchmarks"].to_pylist()]
    return pending.filter(pa.array(keep, pa.bool_()))


def _check_names(home: Home, options: ExecuteOptions) -> None:
    """GlueError, with the nearest name, for a benchmark, an engine or a connection that there is not."""
    from glue.engines import engine_named
    from glue.importers.landed import landed_benchmark

    for name in options.benchmarks:
        landed_benchmark(home, name)

    for name in options.engines:
        engine_named(name)
    if options.connections:
        from glue.connections import stored_connection

        for name in options.connections:
            stored_connection(home, name)


def on_databases(pending: pa.Table, options: ExecuteOptions) -> pa.Table:
    """The statements on the engines and connections asked for; a union is of its databases' engine."""
    import pyarrow as pa

    from glue.engines.base import UNION_SUFFIX

    if options.engines:
        engines = [name.removesuffix(UNION_SUFFIX) for name in pending["engine"].to_pylist()]
        pending = pending.filter(pa.array([name in options.engines for name in engines], pa.bool_()))
    if options.connections:
        connections = pending["connection"].to_pylist()
        pending = pending.filter(pa.array([name in options.connections for name in connections], pa.bool_()))
    return pending


# --------------------------------------------------------------------------- glue run


@dataclass(frozen=True)
class SetReport:
    """What the leaderboard says of one prediction set: its rows, what they count, and why predictions fail.

    `metrics`: METRIC_COLUMNS. `reasons`: REASON_COLUMNS, the ten most frequent. `coverage`: the benchmark's
    counts of questions by name.
    """

    prediction_set: str
    benchmark: str
    metrics: list[tuple[Any, ...]]
    reasons: list[tuple[Any, ...]]
    coverage: dict[str, int]


METRIC_COLUMNS = ("protocol", "metric", "value", "numerator", "denominator", "place")
REASON_COLUMNS = ("outcome", "reason", "n", "share")
_COVERAGE_COLUMNS = (
    "n_questions",
    "n_questions_without_database",
    "n_questions_with_failed_gold",
    "n_questions_with_drifted_gold",
    "n_unfinished",
    "n_provisional",
)


def build_all(home: Home) -> BuildReport:
    """Build the whole warehouse, if anything has landed since."""
    return refresh(home)


def set_report(home: Home, prediction_set: str, benchmark: str) -> SetReport:
    """Read a set's rows from the built warehouse. GlueError, with the nearest set, when it has none."""
    from glue.warehouse import open_read_only

    with open_read_only(home) as connection:
        metrics = connection.execute(
            f"select {', '.join(METRIC_COLUMNS)} from leaderboard"
            " where prediction_set = ? and benchmark = ?"
            " order by protocol <> 'evalhouse', protocol, metric <> 'ex', metric",
            [prediction_set, benchmark],
        ).fetchall()
        reasons = connection.execute(
            "select outcome, reason, n_predictions, share from outcome_reasons"
            " where prediction_set = ? and benchmark = ?"
            " order by n_predictions desc, outcome, reason limit 10",
            [prediction_set, benchmark],
        ).fetchall()
        if not reasons:
            raise _no_such_set(connection, prediction_set, benchmark)
        counts = connection.execute(
            f"select {', '.join(_COVERAGE_COLUMNS)} from leaderboard"
            " where prediction_set = ? and benchmark = ? limit 1",
            [prediction_set, benchmark],
        ).fetchone()
    coverage = dict(zip(_COVERAGE_COLUMNS, counts or (), strict=False))
    return SetReport(prediction_set, benchmark, metrics, reasons, coverage)


def _no_such_set(connection: duckdb.DuckDBPyConnection, prediction_set: str, benchmark: str) -> GlueError:
    known = connection.execute(
        "select distinct prediction_set from outcome_reasons where benchmark = ?", [benchmark]
    ).fetchall()
    close = nearest(prediction_set, [name for (name,) in known])
    return GlueError(
        f"the warehouse holds no predictions of {prediction_set!r} for {benchmark}",
        f"did you mean {close!r}?" if close else 'see `glue query "from outcome_reasons"`',
    )


def default_set_name(file: Path) -> str:
    """The name of a prediction set that was given none: its file's, without the suffix."""
    return file.stem
