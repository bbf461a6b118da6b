"""What the warehouse says of published systems, against independent witnesses.

Every published set on the four BIRD databases at hand is imported, executed and judged once; the tests then
hold the verdicts against Python's own `set(a) == set(b)`, against labels that others published, and against
the counts of another evaluation.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchmarks.published_sets import import_benchmarks, import_sets, labelled_sets, published_sets
from glue.home import Home
from tests.commands import glue, rows_of

pytestmark = pytest.mark.slow

LIMIT_S = 5

KNOWN_COUNTS = {
    "original/alpha-sql_dev_pred_sqls": 439,
    "original/codes-15b-bird-with-evidence": 381,
    "original/rsl-sql_deepseek_final_sql": 409,
    "original/rsl-sql_gpt-4o_final_sql": 435,
    "original/ta-sql_predict_dev": 354,
    "sqlexam/alpha": 439,
    "sqlexam/codes-15b": 381,
    "sqlexam/rsl-ds": 409,
    "sqlexam/rsl-gpt4o": 435,
    "sqlexam/ta": 354,
}
"""Matches by set equality on the 595 questions, as another evaluation of the same files counted them."""


LAST_DIGITS = {"1195", "1339", "1340", "1390"}
"""Sums of floating-point numbers: their last digits differ between the original and the rebuilt files."""

DUPLICATES_COUNTED_WRONG = {"1209", "275", "1159", "1214", "1249"}
"""Equal as sets, unequal as multisets, and labelled wrong: the publisher did not compare these as sets."""

REBUILT = "the rebuilt file lacks rows that break foreign keys, on which the two statements differ"
CLIMB_EXCEPTIONS = {
    "225": REBUILT,
    "259": REBUILT,
    "286": REBUILT,
    "292": REBUILT,
    "311": REBUILT,
    "332": REBUILT,
    "1176": REBUILT,
    "1186": REBUILT,
    "1189": REBUILT,
    "1318": REBUILT,
    "810": "LIMIT 1 through a tie: which row comes depends on the file",
    "1365": "LIMIT 1 through a tie: which row comes depends on the file",
    "1340": "last digits of a floating-point sum",
}
"""Questions on which a published `match` and the multiset verdict differ, and why."""


@pytest.fixture(scope="module")
def bird(shared_data: Path) -> Path:
    return shared_data / "bird"


@pytest.fixture(scope="module")
def warehouse(bird: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Home(tmp_path_factory.mktemp("published"))
    import_benchmarks(home, bird)
    assert import_sets(home, published_sets(bird)) == 42
    assert import_sets(home, labelled_sets(bird)) == 28
    glue(home.root, "execute", "--timeout", LIMIT_S)
    glue(home.root, "build")
    return home.root


def answers(database_path: str, statements: list[str]) -> dict[str, frozenset[Any] | str]:
    """Each statement's rows as a set, or 'failed' or 'timed out', from the untouched file."""
    found: dict[str, frozenset[Any] | str] = {}
    with closing(sqlite3.connect(f"file:{database_path}?mode=ro", uri=True)) as connection:
        for sql in statements:
            has_expired = threading.Event()
            watchdog = threading.Timer(LIMIT_S, lambda done=has_expired: (done.set(), connection.interrupt()))
            watchdog.start()
            try:
                found[sql] = frozenset(connection.execute(sql).fetchall())
            except (sqlite3.Error, sqlite3.Warning, UnicodeError):
                found[sql] = "timed out" if has_expired.is_set() else "failed"
            finally:
                watchdog.cancel()
    return found


@pytest.fixture(scope="module")
def independent_answers(warehouse: Path) -> dict[tuple[str, str], frozenset[Any] | str]:
    statements = rows_of(warehouse, "select database_path, sql from statements where sql_id is not null")
    by_database: dict[str, list[str]] = {}
    for row in statements:
        by_database.setdefault(row["database_path"], []).append(row["sql"])
    found = {}
    with ProcessPoolExecutor(2) as pool:
        for path, answered in zip(
            by_database, pool.map(answers, by_database, by_database.values()), strict=True
        ):
            found.update({(path, sql): answer for sql, answer in answered.items()})
    return found


def test_the_benchmarks_are_whole(warehouse: Path) -> None:
    coverage = {row["benchmark"]: row for row in rows_of(warehouse, "select * from benchmark_coverage")}
    assert coverage["bird_dev"]["n_questions"] == 1534
    assert coverage["bird_dev"]["n_scoreable_questions"] == 595
    assert coverage["bird_dev"]["n_questions_without_database"] == 939
    assert coverage["bird_mini_dev"]["n_scoreable_questions"] == 190


def test_ex_set_is_what_python_says(
    warehouse: Path, independent_answers: dict[tuple[str, str], frozenset[Any] | str]
) -> None:
    pairs = rows_of(
        warehouse,
        "select matches.prediction_set, matches.question_id, matches.ex_set, questions.database_path,"
        " predictions.predicted_sql, golds.gold_sql"
        " from execution_match as matches"
        " inner join predictions using (prediction_id)"
        " inner join golds on predictions.benchmark = golds.benchmark"
        " and predictions.question_id = golds.question_id"
        " and predictions.gold_edition = golds.gold_edition"
        " inner join questions on predictions.benchmark = questions.benchmark"
        " and predictions.question_id = questions.question_id"
        " where matches.is_judged and predictions.predicted_sql is not null",
    )
    assert len(pairs) > 21_000
    wrong, n_timed_out = [], 0
    for pair in pairs:
        gold = independent_answers[pair["database_path"], pair["gold_sql"]]
        predicted = independent_answers[pair["database_path"], pair["predicted_sql"]]
        if "timed out" in (gold, predicted):
            n_timed_out += 1
            continue
        expected = predicted == gold and not isinstance(gold, str)
        if pair["ex_set"] != expected:
            wrong.append((pair["prediction_set"], pair["question_id"], pair["ex_set"], expected))
    assert not wrong
    assert n_timed_out < len(pairs) / 100


def test_counts_equal_those_of_another_evaluation(warehouse: Path) -> None:
    counted = rows_of(
        warehouse,
        "select prediction_set, numerator, denominator from leaderboard"
        " where benchmark = 'bird_dev' and protocol = 'bird_official' and metric = 'ex_set'",
    )
    counts = {row["prediction_set"]: (row["numerator"], row["denominator"]) for row in counted}
    assert {name: counts[name] for name in KNOWN_COUNTS} == {
        name: (n, 595) for name, n in KNOWN_COUNTS.items()
    }


def label_disagreements(warehouse: Path, bird: Path, prefix: str) -> tuple[int, Counter[tuple[str, str]]]:
    """How many labels there are to compare with, and those that differ by question and by our reason."""
    judged = {
        (row["prediction_set"], row["question_id"]): row
        for row in rows_of(
            warehouse,
            "select prediction_set, question_id, ex_set, reason from execution_match"
            f" where starts_with(prediction_set, '{prefix}/') and is_judged",
        )
    }
    n_compared, differing = 0, Counter[tuple[str, str]]()
    for published in labelled_sets(bird):
        if not published.name.startswith(f"{prefix}/"):
            continue
        for entry in json.loads(published.path.read_text()):
            row = judged.get((published.name, str(entry["question_id"])))
            if row is not None:
                n_compared += 1
                if row["ex_set"] != (entry["score"] == 1):
                    differing[row["question_id"], row["reason"]] += 1
    return n_compared, differing


def test_published_labels_agree(warehouse: Path, bird: Path) -> None:
    """With the golds that a label file carries: 2,503 of 2,522, and each of the others has a known cause."""
    n_compared, differing = label_disagreements(warehouse, bird, "labels")
    assert n_compared == 2522
    assert 1 - differing.total() / n_compared >= 0.992
    assert {question for question, reason in differing if reason == "near_in_value"} <= LAST_DIGITS
    assert {
        question for question, reason in differing if reason == "duplicate_count"
    } <= DUPLICATES_COUNTED_WRONG
    others = {
        question for question, reason in differing if reason not in ("near_in_value", "duplicate_count")
    }
    assert others <= {"845"}  # equal here by every rule, labelled wrong in one set; the cause is not known


def test_published_labels_against_the_benchmarks_own_golds(warehouse: Path, bird: Path) -> None:
    """With dev.json's golds some labels differ for another reason: the gold was changed after them."""
    n_compared, differing = label_disagreements(warehouse, bird, "labels_dev_gold")
    changed = {
        row["question_id"]
        for row in rows_of(
            warehouse,
            "select distinct theirs.question_id from golds as theirs"
            " inner join golds as ours using (benchmark, question_id)"
            " where starts_with(theirs.gold_edition, 'labels/') and ours.gold_edition = 'benchmark'"
            " and regexp_replace(theirs.gold_sql, '\\s+', ' ', 'g')"
            " <> regexp_replace(ours.gold_sql, '\\s+', ' ', 'g')",
        )
    }
    assert n_compared == 2522
    assert 1 - differing.total() / n_compared >= 0.985
    explained = changed | LAST_DIGITS | DUPLICATES_COUNTED_WRONG | {"845"}
    assert {question for question, _ in differing} <= explained


def test_climb_match_is_the_multiset_verdict(warehouse: Path, bird: Path) -> None:
    judged = {
        (row["prediction_set"], row["question_position"]): row
        for row in rows_of(
            warehouse,
            "select matches.*, questions.question_position from execution_match as matches"
            " inner join questions using (benchmark, question_id)"
            " where starts_with(prediction_set, 'climb/') and is_judged",
        )
    }
    n_compared, n_as_sets, differing = 0, 0, []
    for published in published_sets(bird):
        if not published.name.startswith("climb/"):
            continue
        for entry in json.loads(published.path.read_text())["results"]:
            row = judged.get((published.name, entry["task_idx"]))
            if row is None or entry["skipped"]:
                continue
            n_compared += 1
            n_as_sets += bool(row["ex_set"]) != bool(entry["match"])
            if bool(row["ex_multiset"]) != bool(entry["match"]):
                differing.append((published.name, row["question_id"], row["reason"], entry["match"]))
    assert n_compared == 4165
    assert n_as_sets > 100  # the two rules are told apart
    by_question = {question for _, question, _, _ in differing}
    assert by_question <= set(CLIMB_EXCEPTIONS), sorted(by_question - set(CLIMB_EXCEPTIONS))
