"""Every verdict, against a few lines of Python that know nothing of signatures, probes or SQL.

Random statements over a small table are imported, executed and judged by the real commands; then each pair
is judged again here by brute force, from the rows that Python's own sqlite3 returns.
"""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.commands import glue

pytestmark = pytest.mark.slow

COLUMNS = ["name", "points", "ratio", "tag"]
ROWS = [
    ("Ada", 3, 0.5, "x"),
    ("Bo", 3, 0.25, "x"),
    ("Cy", 1, 1.0, None),
    ("Di", 1, 0.5, "y"),
    ("Di", 1, 0.5, "y"),
    ("Ed", 7, 2.0, "3"),
    ("Fu", None, 0.1, "7"),
    ("Gy", 1, 3.0, "1"),
]
N_QUESTIONS = 60
N_PREDICTION_SETS = 6

Row = tuple[Any, ...]


class Query:
    """A statement and what it means: columns, filter, sort key, limit."""

    def __init__(self, rng: random.Random) -> None:
        self.columns = rng.sample(COLUMNS, rng.choice([1, 1, 2, 2, 3]))
        self.is_distinct = rng.random() < 0.15
        self.filter = rng.choice([None, None, "points >= 1", "points > 100", "tag IS NOT NULL", "ratio < 1"])
        self.key = rng.choice([None, None, "points", "points", "ratio", "name"])
        self.is_descending = rng.random() < 0.5
        self.limit = rng.choice([None, None, 1, 2, 3, 5])
        self.offset = rng.choice([0, 0, 0, 1]) if self.limit else 0
        if self.is_distinct:
            self.limit, self.offset = None, 0
            self.key = self.key if self.key in self.columns else None

    def sql(self) -> str:
        parts = ["SELECT", "DISTINCT" if self.is_distinct else "", ", ".join(self.columns), "FROM scores"]
        if self.filter:
            parts.append(f"WHERE {self.filter}")
        if self.key:
            parts.append(f"ORDER BY {self.key}{' DESC' if self.is_descending else ''}")
        if self.limit:
            parts.append(f"LIMIT {self.limit}" + (f" OFFSET {self.offset}" if self.offset else ""))
        return " ".join(part for part in parts if part)

    def variation(self, rng: random.Random) -> str:
        """Another statement for the same question: the same, or changed in one respect."""
        other = Query.__new__(Query)
        other.__dict__ = {**self.__dict__, "columns": list(self.columns)}
        change = rng.choice(
            ["nothing", "order", "direction", "columns", "extra", "limit", "distinct", "cast", "nudge"]
        )
        if change == "order":
            other.key = rng.choice([None, "name", "points"])
        elif change == "direction":
            other.is_descending = not self.is_descending
        elif change == "columns":
            rng.shuffle(other.columns)
        elif change == "extra":
            other.columns = [*other.columns, rng.choice(COLUMNS)]
        elif change == "limit" and self.limit:
            other.limit = self.limit + rng.choice([-1, 1]) or 1
        elif change == "distinct":
            other.is_distinct = not self.is_distinct
        elif change == "cast":
            other.columns = [f"CAST({column} AS TEXT)" for column in other.columns]
        elif change == "nudge":
            other.columns = [
                f"{column} * 1.0000000001" if column in ("points", "ratio") else column
                for column in other.columns
            ]
        return other.sql()

    def tie_groups(self, table: list[dict[str, Any]]) -> list[list[Row]]:
        """All rows the filter keeps, in groups tied on the sort key, in order."""
        keep = {
            None: lambda row: True,
            "points >= 1": lambda row: row["points"] is not None and row["points"] >= 1,
            "points > 100": lambda row: row["points"] is not None and row["points"] > 100,
            "tag IS NOT NULL": lambda row: row["tag"] is not None,
            "ratio < 1": lambda row: row["ratio"] < 1,
        }[self.filter]
        kept = [row for row in table if keep(row)]
        if not self.key:
            return [[tuple(row[column] for column in self.columns) for row in kept]] if kept else []
        keys = sorted(
            {row[self.key] for row in kept},
            key=lambda value: (value is not None, value),
            reverse=self.is_descending,
        )
        groups = [
            [tuple(row[column] for column in self.columns) for row in kept if row[self.key] == key]
            for key in keys
        ]
        return [list(dict.fromkeys(group)) for group in groups] if self.is_distinct else groups


def same(a: Any, b: Any) -> bool:
    return (type(a) is not str and type(b) is not str and a == b) or (type(a) is type(b) and a == b)


def near(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= max(1e-9, 1e-6 * max(abs(a), abs(b)))
    return same(a, b)


def contained(rows: list[Row], allowed: list[Row]) -> bool:
    return not Counter(rows) - Counter(allowed)


def fits(gold: Query, groups: list[list[Row]], gold_rows: list[Row], predicted: list[Row]) -> bool:
    """The verdict `ex`: the same rows, where gold asks for it in gold's order, ties standing as they like."""
    if len(predicted) != len(gold_rows):
        return False
    if predicted and len(predicted[0]) != len(gold_rows[0]):
        return False
    if gold.key is None and gold.limit is None:
        return Counter(predicted) == Counter(gold_rows)
    place = 0
    for group in groups:
        first, last = place, place + len(group)
        place = last
        first, last = max(first - gold.offset, 0), max(last - gold.offset, 0)
        if not contained(predicted[first:last], group):
            return False
    return True


def mapped(rows: list[Row], columns: tuple[int, ...]) -> list[Row]:
    return [tuple(row[column] for column in columns) for row in rows]


def fits_under_columns(
    gold: Query, groups: list[list[Row]], gold_rows: list[Row], predicted: list[Row], may_be_wider: bool
) -> bool:
    if len(predicted) != len(gold_rows):
        return False
    if not predicted:
        return True
    n_gold, n_predicted = len(gold_rows[0]), len(predicted[0])
    if n_predicted < n_gold or (n_predicted != n_gold and not may_be_wider):
        return False
    return any(
        fits(gold, groups, gold_rows, mapped(predicted, columns))
        for columns in itertools.permutations(range(n_predicted), n_gold)
    )


def fits_nearly(gold: Query, groups: list[list[Row]], gold_rows: list[Row], predicted: list[Row]) -> bool:
    """Replace every predicted row by a gold row near to it, in all ways; does one of them fit?"""
    if len(predicted) != len(gold_rows) or (predicted and len(predicted[0]) != len(gold_rows[0])):
        return False
    allowed = list(dict.fromkeys(itertools.chain(*groups)))
    choices = [
        [row for row in allowed if all(near(a, b) for a, b in zip(row, given, strict=True))]
        for given in predicted
    ]
    return any(fits(gold, groups, gold_rows, list(choice)) for choice in itertools.product(*choices))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Query], list[list[str]]]:
    home = tmp_path_factory.mktemp("parity")
    database = home / "databases" / "scores.sqlite"
    database.parent.mkdir()
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE scores (name TEXT, points INTEGER, ratio REAL, tag TEXT)")
        connection.executemany("INSERT INTO scores VALUES (?, ?, ?, ?)", ROWS)
    rng = random.Random(20261129)
    golds = [Query(rng) for _ in range(N_QUESTIONS)]
    questions = home / "questions.jsonl"
    questions.write_text(
        "".join(
            json.dumps(
                {"question_id": str(i), "question": f"Question {i}", "db_id": "scores", "golds": [gold.sql()]}
            )
            + "\n"
            for i, gold in enumerate(golds)
        )
    )
    glue(
        home, "import", "jsonl", "--name", "parity", "--questions", questions, "--databases", database.parent
    )
    sets = [[gold.variation(rng) for gold in golds] for _ in range(N_PREDICTION_SETS)]
    for number, predictions in enumerate(sets):
        file = home / f"set_{number}.json"
        file.write_text(json.dumps({str(i): sql for i, sql in enumerate(predictions)}))
        glue(home, "import", "predictions", file, "--benchmark", "parity", "--name", f"set_{number}")
    glue(home, "execute")
    glue(home, "build")
    return home, golds, sets


def test_every_verdict_equals_brute_force(judged: tuple[Path, list[Query], list[list[str]]]) -> None:
    home, golds, sets = judged
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        verdicts = {
            (row[0], row[1]): row[2:]
            for row in warehouse.execute(
                "select prediction_set, question_id,"
                " ex_set, ex_multiset, ex, ex_permuted, ex_projection, ex_tolerant from execution_match"
            ).fetchall()
        }
    table = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    connection = sqlite3.connect(home / "databases" / "scores.sqlite")
    seen: Counter[tuple[str, bool]] = Counter()
    for number, predictions in enumerate(sets):
        for i, sql in enumerate(predictions):
            gold = golds[i]
            groups = gold.tie_groups(table)
            gold_rows = connection.execute(gold.sql()).fetchall()
            predicted = connection.execute(sql).fetchall()
            expected = (
                set(gold_rows) == set(predicted),
                Counter(gold_rows) == Counter(predicted),
                fits(gold, groups, gold_rows, predicted),
                fits_under_columns(gold, groups, gold_rows, predicted, may_be_wider=False),
                fits_under_columns(gold, groups, gold_rows, predicted, may_be_wider=True),
                fits_nearly(gold, groups, gold_rows, predicted),
            )
            assert verdicts[f"set_{number}", str(i)] == expected, (gold.sql(), sql, gold_rows, predicted)
            for name, verdict in zip(
                ("set", "multiset", "ex", "permuted", "wide", "near"), expected, strict=True
            ):
                seen[name, verdict] += 1
    # The statements are worth judging: each verdict came out both ways.
    assert all(
        seen[name, verdict] >= 10
        for name in ("set", "ex", "permuted", "wide", "near")
        for verdict in (True, False)
    )
