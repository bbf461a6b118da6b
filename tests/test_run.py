"""Waves of `glue execute`, and what `glue run` says at the end: on fakes and a warehouse of literal rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import glue.execute
from glue import run
from glue.build import BuildReport
from glue.cli_execute import tell_waves
from glue.cli_run import _print_set
from glue.errors import GlueError
from glue.execute import Summary
from glue.home import Home
from glue.progress import Silent
from glue.run import ExecuteOptions, execute_pending, set_report

REAL_EXECUTE = glue.execute.execute


class Waves:
    """Stands for dbt and the workers: each wave has so many statements, and then nothing is pending."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *sizes: int, interrupted_in: int | None = None
    ) -> None:
        self.sizes = list(sizes)
        self.interrupted_in = interrupted_in
        self.asked: list[tuple[dict[str, Any], list[str]]] = []
        self.variables: list[dict[str, Any]] = []
        monkeypatch.setattr(run, "refresh", self.refresh)
        monkeypatch.setattr(run, "pending_statements", lambda home: self.pending())
        monkeypatch.setattr(run, "prepared_indexes", lambda home: self.indexes())
        monkeypatch.setattr(glue.execute, "execute", self.execute)

    def refresh(self, home: Home, target: str, variables: dict[str, Any], **_: Any) -> BuildReport:
        self.variables.append(variables)
        return BuildReport(target, False, 1, 2.0)

    def pending(self) -> pa.Table:
        size = self.sizes[0] if self.sizes else 0
        row = {
            "engine": "sqlite",
            "snapshot_id": "s",
            "database_path": "/d.sqlite",
            "variant": "prepared",
            "sql": "select 1",
            "is_gold": False,
            "timed_out_at_ms": None,
            "n_attempts": 0,
            "is_likely_slow": False,
        }
        rows = [
            {"statement_id": f"{number}", "benchmarks": ["odd" if number % 2 else "even"], **row}
            for number in range(size)
        ]
        return pa.Table.from_pylist(rows, schema=PENDING)

    def indexes(self) -> pa.Table:
        return pa.table({"snapshot_id": ["s"], "table_name": ["t"], "column_names": [["c"]]})

    def execute(self, home: Home, pending: list[Any], **options: Any) -> Summary:
        self.asked.append((options, [statement.statement_id for statement in pending]))
        self.sizes.pop(0)
        return Summary(
            outcomes=Counter(answered=len(pending)), is_interrupted=len(self.asked) == self.interrupted_in
        )


PENDING = pa.schema(
    [
        ("statement_id", pa.string()),
        ("engine", pa.string()),
        ("snapshot_id", pa.string()),
        ("database_path", pa.string()),
        ("variant", pa.string()),
        ("sql", pa.string()),
        ("is_gold", pa.bool_()),
        ("timed_out_at_ms", pa.float64()),
        ("n_attempts", pa.int64()),
        ("is_likely_slow", pa.bool_()),
        ("benchmarks", pa.list_(pa.string())),
    ]
)


def test_waves_follow_until_nothing_is_pending(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    waves = Waves(monkeypatch, 4, 2)
    report = execute_pending(home, ExecuteOptions(workers=3, timeout_s=5), Silent())
    assert [wave.n_run for wave in report.waves] == [4, 2]
    assert (report.n_refreshes, report.refresh_s) == (3, 6.0)
    options, _ = waves.asked[0]
    assert (options["workers"], options["timeout_s"], options["prepared"]) == (3, 5, "auto")
    assert "max_rows" not in options  # what was not asked for is the engine's default
    assert options["prepared_indexes"][0].table_name == "t"


def test_what_could_not_be_scored_is_asked_again_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    waves = Waves(monkeypatch, 4, 2)
    execute_pending(home, ExecuteOptions(again=True), Silent())
    assert [options["again"] for options, _ in waves.asked] == [True, False]


def test_where_nothing_is_due_no_password_is_asked_for(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Statements that wait for --again stay pending: their connection need not even be there."""
    waves = Waves(monkeypatch)
    row = {"statement_id": "s", "engine": "postgresql", "variant": "untouched", "sql": "select 1"}
    waiting = {**row, "connection": "gone", "search_path": ["public"], "due_because": ["unscoreable"]}
    table = pa.Table.from_pylist(
        [{**waiting, "is_gold": False, "snapshot_id": "live:gone/public@1", "database_path": None}]
    )
    monkeypatch.setattr(run, "pending_statements", lambda home: table)
    monkeypatch.setattr(glue.execute, "execute", REAL_EXECUTE)
    report = execute_pending(home, ExecuteOptions(), Silent())
    assert (report.waves, report.n_unscoreable) == ([], 1)
    tell_waves(report)
    assert "1 statement of questions that could not be scored" in capsys.readouterr().out
    with pytest.raises(GlueError, match="gone"):
        execute_pending(home, ExecuteOptions(again=True), Silent())
    assert not waves.asked


def test_an_interrupt_ends_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    Waves(monkeypatch, 4, 2, interrupted_in=1)
    report = execute_pending(home, ExecuteOptions(), Silent())
    assert report.is_interrupted and len(report.waves) == 1


def test_waves_without_end_are_an_error(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    Waves(monkeypatch, *[1] * 50)
    with pytest.raises(GlueError, match="still pending after 10 waves"):
        execute_pending(home, ExecuteOptions(), Silent())


def test_only_a_benchmarks_statements(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    waves = Waves(monkeypatch, 5)
    monkeypatch.setattr("glue.importers.landed.landed_benchmark", lambda home, name: name)
    execute_pending(home, ExecuteOptions(benchmarks=("odd",)), Silent())
    assert waves.asked[0][1] == ["1", "3"]


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (ExecuteOptions(), {}),
        (ExecuteOptions(prepared="none"), {"prepared": "none"}),
        (ExecuteOptions(check_stability=True), {"check_stability": True}),
    ],
)
def test_only_what_differs_from_the_project_is_a_variable(
    options: ExecuteOptions, variables: dict[str, Any], home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    waves = Waves(monkeypatch)
    execute_pending(home, options, Silent())
    assert waves.variables == [variables]


@pytest.fixture
def built(home: Home) -> Home:
    with duckdb.connect(str(home.warehouse)) as connection:
        connection.execute(
            """
            create table leaderboard as
            select 'alpha' as prediction_set, 'shop' as benchmark, protocol, metric, value, numerator,
                4 as denominator, 1 as place, 9 as n_questions, 4 as n_questions_without_database,
                1 as n_questions_with_failed_gold, 2 as n_questions_with_drifted_gold,
                0 as n_unfinished, 2 as n_provisional
            from (values
                ('bird_official', 'ex_set', 0.75, 3.0),
                ('evalhouse', 'em', 0.25, 1.0),
                ('evalhouse', 'ex', 0.5, 2.0)
            ) as t(protocol, metric, value, numerator)
            """
        )
        connection.execute(
            """
            create table outcome_reasons as
            select 'alpha' as prediction_set, 'shop' as benchmark, 'mismatch' as outcome,
                'reason_' || i as reason, i as n_predictions, i / 66 as share
            from range(1, 13) as t(i)
            """
        )
    return home


def test_a_set_is_told_with_its_headline_first(built: Home) -> None:
    report = set_report(built, "alpha", "shop")
    assert [row[:5] for row in report.metrics] == [
        ("evalhouse", "ex", 0.5, 2, 4),
        ("evalhouse", "em", 0.25, 1, 4),
        ("bird_official", "ex_set", 0.75, 3, 4),
    ]
    assert [row[2] for row in report.reasons] == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]
    assert report.coverage["n_questions_without_database"] == 4 and report.coverage["n_provisional"] == 2


def test_a_question_whose_gold_drifted_cannot_be_scored(
    built: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    _print_set(set_report(built, "alpha", "shop"))
    assert (
        "2 of 9 questions can be scored: 4 have no database, 1 no gold that answers, 2 a gold that drifted\n"
        in capsys.readouterr().out
    )


def test_an_unknown_set_names_the_nearest(built: Home) -> None:
    with pytest.raises(GlueError) as caught:
        set_report(built, "alhpa", "shop")
    assert caught.value.hint == "did you mean 'alpha'?"
