"""Waves on a live database, by literal rows and whole builds: what is compared, drifts, waits and counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from glue.build import refresh
from glue.execute_work import TimeLimits, due_statements, statements_of
from glue.handoff import pending_statements
from glue.home import Home
from glue.landing import ensure
from glue.landing_tables import TABLES
from tests.commands import dbt, rows_of
from tests.live_rows import (
    SNAPSHOT,
    Rows,
    land_benchmark,
    land_predictions,
    land_wave,
    probe_of,
    result_of,
    statement_id,
)

pytestmark = pytest.mark.slow

GOLDS = {
    "same": "select n from same",
    "drifting": "select n from drifting",
    "shuffled": "select n from shuffled",
    "ordered": "select name from ordered order by points",
    "reordered": "select name from reordered order by points",
    "interrupted": "select n from interrupted",
    "unkept": "select n from unkept",
    "unkept order": "select name from unkept_order order by points",
}
ALPHA = {name: f"select alpha from {name.replace(' ', '_')}" for name in GOLDS}
BETA = {name: f"select beta from {name.replace(' ', '_')}" for name in ("same", "drifting")}

ONE, TWO, THREE = [["n:1"]], [["n:2"]], [["n:3"]]
UP, DOWN = [["n:1"], ["n:2"]], [["n:2"], ["n:1"]]
ANN_BO, BO_ANN = [["t:Ann"], ["t:Bo"]], [["t:Bo"], ["t:Ann"]]
# Rows of their own: of a result that was once stored whole, all is known.
SIX, ELEVEN = [["n:6"], ["n:11"]], [["n:11"], ["n:6"]]
CY_DEE, DEE_CY = [["t:Cy"], ["t:Dee"]], [["t:Dee"], ["t:Cy"]]
TIED: Rows = [["t:Ann", "n:5", "n:1"], ["t:Bo", "n:5", "n:1"]]
APART: Rows = [["t:Ann", "n:5", "n:1"], ["t:Bo", "n:6", "n:2"]]
APART_NOW: Rows = [["t:Bo", "n:4", "n:1"], ["t:Ann", "n:5", "n:2"]]


@dataclass
class State:
    """What a build said: by set and question the verdict, the coverage, what is due, what more at wish."""

    matches: dict[tuple[str, str], dict[str, Any]]
    coverage: dict[str, Any]
    leaderboard: dict[str, tuple[float, int]]
    drifts: list[dict[str, Any]]
    pending: dict[str, dict[str, Any]]
    again: set[str]
    root: Path

    def outcomes(self, name: str) -> dict[str, str]:
        """By set, what became of its answer to a question."""
        return {key[0]: row["outcome"] for key, row in self.matches.items() if key[1] == name}


def built(home: Home) -> State:
    for name in ("leaderboard", "benchmark_coverage", "gold_drifts", "pending_statements"):
        refresh(home, name)
    matches = rows_of(home.root, "select * from execution_match")
    board = rows_of(
        home.root,
        "select prediction_set, numerator, denominator from leaderboard"
        " where protocol = 'evalhouse' and metric = 'ex'",
    )
    (coverage,) = rows_of(home.root, "select * from benchmark_coverage")
    table = pending_statements(home)
    due, again = (
        {each.sql for each in due_statements(home, statements_of(table), TimeLimits(5, 50), "auto", again)}
        for again in (False, True)
    )
    return State(
        {(row["prediction_set"], row["question_id"]): row for row in matches},
        coverage,
        {row["prediction_set"]: (row["numerator"], row["denominator"]) for row in board},
        rows_of(home.root, "select * from gold_drifts order by question_id, wave_id"),
        {row["sql"]: row for row in table.to_pylist() if row["sql"] in due},
        again - due,
        home.root,
    )


def land_as_of_old(home: Home) -> None:
    """An execution as a version without waves landed it."""
    ensure(home)
    new = ("wave_id", "wave_role")
    schema = pa.schema([field for field in TABLES["executions"].schema if field.name not in new])
    row = {"execution_id": "of old", "statement_id": "of old", "variant": "prepared", "outcome": "failed"}
    table = pa.Table.from_pylist([row], schema=schema)
    parquet.write_table(table, home.landing / "executions" / "old.parquet")


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, State]:
    """The warehouse before anything has run, and after each of four waves."""
    home = Home(tmp_path_factory.mktemp("waves"))
    land_as_of_old(home)
    land_benchmark(home, GOLDS)
    found = {"golds alone": built(home)}

    land_predictions(home, "alpha", ALPHA)
    golds: dict[str, Rows] = {
        GOLDS["same"]: ONE,
        GOLDS["drifting"]: ONE,
        GOLDS["shuffled"]: UP,
        GOLDS["ordered"]: ANN_BO,
        probe_of(GOLDS["ordered"]): TIED,
        GOLDS["reordered"]: ANN_BO,
        probe_of(GOLDS["reordered"]): APART,
        GOLDS["unkept"]: SIX,
        GOLDS["unkept order"]: CY_DEE,
        probe_of(GOLDS["unkept order"]): [["t:Cy", "n:5", "n:1"], ["t:Dee", "n:5", "n:1"]],
    }
    answers: dict[str, Rows] = {
        ALPHA["same"]: ONE,
        ALPHA["drifting"]: ONE,
        ALPHA["shuffled"]: DOWN,
        ALPHA["ordered"]: BO_ANN,
        ALPHA["reordered"]: ANN_BO,
        ALPHA["interrupted"]: ONE,
        ALPHA["unkept"]: ELEVEN,
        ALPHA["unkept order"]: DEE_CY,
    }
    changed: dict[str, Rows] = {
        GOLDS["drifting"]: TWO,
        GOLDS["shuffled"]: DOWN,
        GOLDS["ordered"]: BO_ANN,
        GOLDS["reordered"]: BO_ANN,
    }
    unkept = [name for name in (*golds, *answers) if "unkept" in name]
    land_wave(home, 1, {**golds, GOLDS["interrupted"]: ONE}, answers, {**golds, **changed}, unkept)
    found["first wave"] = built(home)

    land_predictions(home, "beta", BETA)
    now: dict[str, Rows] = {GOLDS["same"]: TWO, GOLDS["drifting"]: THREE}
    land_wave(home, 2, now, {BETA["same"]: ONE, BETA["drifting"]: THREE}, now)
    found["second wave"] = built(home)

    later: dict[str, Rows] = {GOLDS["drifting"]: TWO}
    land_wave(home, 3, later, {ALPHA["drifting"]: TWO}, later)
    found["third wave"] = built(home)

    anew: dict[str, Rows] = {GOLDS["reordered"]: BO_ANN, probe_of(GOLDS["reordered"]): APART_NOW}
    land_wave(home, 4, anew, {ALPHA["reordered"]: BO_ANN}, anew)
    found["fourth wave"] = built(home)
    return found


def test_golds_that_never_ran_are_pending_by_themselves(states: dict[str, State]) -> None:
    pending = states["golds alone"].pending
    probes = [probe_of(GOLDS[name]) for name in ("ordered", "reordered", "unkept order")]
    assert set(pending) == {*GOLDS.values(), *probes}
    for row in pending.values():
        assert (row["connection"], row["search_path"], row["database_path"]) == ("here", ["public"], None)
        assert (row["is_gold"], row["due_because"], row["variant"]) == (True, ["not_run"], "untouched")


def test_a_prediction_is_judged_against_the_start_of_its_wave(states: dict[str, State]) -> None:
    first, second = states["first wave"], states["second wave"]
    assert first.outcomes("same") == {"alpha": "match"}
    assert second.outcomes("same") == {"alpha": "match", "beta": "mismatch"}  # 1 was right in the first wave
    assert second.matches["alpha", "same"]["wave_id"] == "w1"
    assert second.matches["beta", "same"]["wave_id"] == "w2"


def test_a_gold_drifts_when_its_end_would_be_wrong_against_its_start(states: dict[str, State]) -> None:
    told = {row["question_id"]: (row["changed_in"], row["is_drifted"]) for row in states["first wave"].drifts}
    assert told == {
        "drifting": ("rows", True),
        "shuffled": ("order", False),  # no order is asked for
        "ordered": ("order", False),  # the two are tied
        "reordered": ("order", True),  # they are not
    }


def test_drifted_golds_leave_the_denominator_and_are_counted(states: dict[str, State]) -> None:
    first = states["first wave"]
    for name in ("drifting", "reordered"):
        row = first.matches["alpha", name]
        assert (row["outcome"], row["reason"], row["ex"]) == ("gold_drifted", "gold_drifted", None)
        assert not row["is_scoreable"] and not row["is_judged"]
    assert first.coverage["n_questions_with_drifted_gold"] == 2
    assert first.coverage["n_scoreable_questions"] == 5
    assert first.leaderboard["alpha"] == (4.0, 5)  # same, shuffled, ordered, unkept; not unkept order


def test_without_an_end_a_wave_does_not_count(states: dict[str, State]) -> None:
    first = states["first wave"]
    assert first.outcomes("interrupted") == {"alpha": "not_run"}
    assert first.coverage["n_questions_not_run"] == 1
    assert set(first.pending) == {GOLDS["interrupted"], ALPHA["interrupted"]}
    gold = first.pending[GOLDS["interrupted"]]
    assert gold["due_because"] == ["needed", "not_run"]
    assert gold["needed_by"] == [statement_id(ALPHA["interrupted"])]


def test_a_drift_in_one_wave_is_out_for_every_set_until_each_has_had_another_try(
    states: dict[str, State],
) -> None:
    second, third = states["second wave"], states["third wave"]
    assert second.outcomes("drifting") == {"alpha": "gold_drifted", "beta": "gold_drifted"}
    assert second.leaderboard["beta"] == (0.0, 1)
    again = {sql: row for sql, row in second.pending.items() if "drifting" in sql}
    assert set(again) == {GOLDS["drifting"], ALPHA["drifting"]}
    assert again[GOLDS["drifting"]]["due_because"] == ["needed"]
    assert again[ALPHA["drifting"]]["due_because"] == ["later_gold", "unscoreable"]
    assert again[GOLDS["drifting"]]["needed_by"] == [statement_id(ALPHA["drifting"])]

    assert third.outcomes("drifting") == {"alpha": "match", "beta": "match"}
    assert third.matches["alpha", "drifting"]["wave_id"] == "w3"
    assert third.matches["beta", "drifting"]["wave_id"] == "w2"
    assert third.leaderboard == {"alpha": (5.0, 6), "beta": (1.0, 2)}
    assert not any("drifting" in sql for sql in third.pending)


def test_what_drifted_is_asked_again_at_wish_and_its_newest_whole_wave_counts(
    states: dict[str, State],
) -> None:
    reordered = {GOLDS["reordered"], probe_of(GOLDS["reordered"]), ALPHA["reordered"]}
    first, third, fourth = states["first wave"], states["third wave"], states["fourth wave"]
    assert first.again == {*reordered, GOLDS["drifting"], ALPHA["drifting"]}
    assert third.again == reordered
    assert not reordered.intersection(third.pending)
    assert fourth.outcomes("reordered") == {"alpha": "match"}
    assert fourth.matches["alpha", "reordered"]["wave_id"] == "w4"
    assert fourth.leaderboard["alpha"] == (6.0, 7)
    assert not fourth.again


def test_signatures_decide_what_needs_no_rows(states: dict[str, State]) -> None:
    first = states["first wave"]
    unkept, order = first.matches["alpha", "unkept"], first.matches["alpha", "unkept order"]
    assert (unkept["outcome"], unkept["ex"], unkept["ex_set"], unkept["ex_multiset"]) == (
        "match",
        True,
        True,
        True,
    )
    assert (order["outcome"], order["reason"], order["ex"]) == ("cut", "rows_not_kept", None)
    assert (order["ex_set"], order["ex_multiset"]) == (True, True)


def test_rows_and_no_rows_have_one_signature(states: dict[str, State]) -> None:
    """What the helper signs is what the warehouse signs: else the test before would prove nothing."""
    assert result_of(UP, is_kept=False)["result_id"] == result_of(UP)["result_id"]
    row = states["first wave"].matches["alpha", "unkept"]
    assert (row["n_gold_rows"], row["n_predicted_rows"]) == (2, 2)


def test_the_statement_key_is_content_addressed(states: dict[str, State]) -> None:
    pending = states["golds alone"].pending
    for sql, row in pending.items():
        assert (row["statement_id"], row["snapshot_id"]) == (statement_id(sql), SNAPSHOT)


def test_the_warehouses_own_tests_hold(states: dict[str, State]) -> None:
    """Also while statements on a live database are pending."""
    last = states["fourth wave"]
    refresh(Home(last.root))
    assert set(last.pending) == {GOLDS["interrupted"], ALPHA["interrupted"]}
    tested = dbt(last.root, "--quiet", "test", "--select", "test_type:data")
    assert tested.returncode == 0, tested.stdout
