"""The study of calibration errors: seeds and model say one thing; independent code agrees on real sets."""

from __future__ import annotations

import csv
import itertools
import re
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from benchmarks.published_sets import DEV, published_sets
from glue.home import Home
from glue.importers.bird import read_bird
from glue.importers.common import land
from glue.importers.landed import landed_benchmark
from glue.importers.predictions import read_predictions
from glue.landing import Writer
from tests.commands import glue, rows_of

PROJECT = Path(__file__).resolve().parents[1]
SETS = ("sqlexam/c3", "sqlexam/chatgpt+cot", "sqlexam/ta")
MOST_COLUMNS = 4
"""Wider results have too many choices of columns to be tried one by one."""


def seed(name: str) -> list[dict[str, str]]:
    with (PROJECT / "seeds" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_kinds_are_tried_in_the_order_of_precedence() -> None:
    sql = (PROJECT / "models" / "scores" / "calibration_error_kinds.sql").read_text()
    case = sql[: sql.index("end as error_kind")]
    tried = re.findall(r"(?:then|else) '(\w+)'", case[case.rindex("        case\n") :])
    rows = sorted(seed("error_kinds"), key=lambda row: int(row["precedence"]))
    assert tried == [row["error_kind"] for row in rows]


def test_every_finding_about_golds_is_a_fault_or_not() -> None:
    twin = yaml.safe_load((PROJECT / "models" / "results" / "gold_findings.yml").read_text())["models"][0]
    (column,) = (column for column in twin["columns"] if column["name"] == "finding")
    described = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", column["description"]))
    assert described == {row["finding"] for row in seed("gold_faults")}


# --------------------------------------------------------------------------- real predictions


@pytest.fixture(scope="module")
def warehouse(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """BIRD dev under study, with three published prediction sets, executed and judged."""
    bird = shared_data / "bird"
    home = Home(tmp_path_factory.mktemp("calibration"))
    tables = bird / "meta" / "dev_tables.json"
    land(home, read_bird(DEV, bird / "meta" / "dev.json", tables, bird / "databases"))
    for published in published_sets(bird):
        if published.name in SETS:
            benchmark = landed_benchmark(home, DEV)
            land(home, read_predictions(published.path, benchmark, published.name, published.options))
    study = {
        "study_id": "budget",
        "study": "budget",
        "benchmark": DEV,
        "options": "{}",
        "registered_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    with Writer(home, loop="generate") as writer:
        writer.append("studies", [study])
    glue(home.root, "execute", "--timeout", 5)
    glue(home.root, "build")
    return home.root


def is_projection(narrow: list[Any], wide: list[Any]) -> bool:
    """Whether some choice and order of the wide rows' columns gives the narrow rows, in any order."""
    wanted = Counter(narrow)
    choices = itertools.permutations(range(len(wide[0])), len(narrow[0]))
    return any(Counter(tuple(row[place] for place in choice) for row in wide) == wanted for choice in choices)


@pytest.mark.slow
def test_shares_add_up_to_the_wrong_predictions(warehouse: Path) -> None:
    rows = rows_of(warehouse, "select * from calibration_errors")
    assert {row["prediction_set"] for row in rows} == set(SETS)
    matches = rows_of(
        warehouse,
        "select prediction_set, ex_set from execution_match"
        " inner join question_splits using (benchmark, question_id)"
        " where split = 'calibration' and is_scoreable",
    )
    for name in SETS:
        of_set = [row for row in rows if row["prediction_set"] == name]
        n_wrong = sum(match["prediction_set"] == name and not match["ex_set"] for match in matches)
        n_scored = sum(match["prediction_set"] == name for match in matches)
        assert n_wrong > 20
        assert {(row["n_wrong"], row["n_predictions"]) for row in of_set} == {(n_wrong, n_scored)}
        assert sum(row["n_errors"] for row in of_set) == n_wrong
        assert sum(row["share"] for row in of_set) == pytest.approx(1)
        outside = sum(row["share"] for row in of_set if row["is_outside_schema"])
        assert [row["share_outside_schema"] for row in of_set] == pytest.approx([outside] * len(of_set))


@pytest.mark.slow
def test_projections_are_what_trying_every_choice_of_columns_finds(warehouse: Path) -> None:
    """Every mistake with a result is run again on the untouched file and its columns are tried one by one.

    Order: `ex_projection` asks for gold's, so a projection in another order is none here.
    """
    mistakes = rows_of(
        warehouse,
        "select kinds.*, matches.pair_id, matches.order_rule, golds.gold_sql, predictions.predicted_sql,"
        " questions.database_path from calibration_error_kinds as kinds"
        " inner join execution_match as matches using (prediction_id)"
        " inner join predictions using (prediction_id)"
        " inner join golds on matches.matched_gold_id = golds.gold_id"
        " inner join questions on matches.benchmark = questions.benchmark"
        " and matches.question_id = questions.question_id"
        " where matches.pair_id is not null and matches.outcome <> 'cut'",
    )
    found: Counter[str] = Counter()
    for mistake in mistakes:
        with closing(sqlite3.connect(f"file:{mistake['database_path']}?mode=ro", uri=True)) as connection:
            gold = connection.execute(mistake["gold_sql"]).fetchall()
            predicted = connection.execute(mistake["predicted_sql"]).fetchall()
        assert set(gold) != set(predicted), mistake
        if not gold or len(gold) != len(predicted) or max(len(gold[0]), len(predicted[0])) > MOST_COLUMNS:
            continue
        kind = "other"
        if len(predicted[0]) >= len(gold[0]) and is_projection(gold, predicted):
            kind = "projection"
        elif len(predicted[0]) < len(gold[0]) and is_projection(predicted, gold):
            kind = "missing_columns"
        if kind == "projection" and mistake["order_rule"] != "none":
            continue
        if kind == "other":
            assert mistake["error_kind"] not in ("projection", "missing_columns"), mistake
        else:
            assert mistake["error_kind"] == kind, mistake
        found[kind] += 1
    assert found["projection"] > 0 and found["missing_columns"] > 0 and found["other"] > 20


@pytest.mark.slow
def test_unknown_names_are_what_sqlite_does_not_know(warehouse: Path) -> None:
    rows = rows_of(
        warehouse,
        "select kinds.error_kind, matches.error_message from calibration_error_kinds as kinds"
        " inner join execution_match as matches using (prediction_id)"
        " where kinds.error_kind = 'unknown_name' or matches.error_message like 'no such %'",
    )
    assert rows
    for row in rows:
        says_unknown = row["error_message"].startswith(("no such column", "no such table"))
        assert (row["error_kind"] == "unknown_name") == says_unknown, row
