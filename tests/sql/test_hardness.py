"""Spider's hardness: by hand, and against the parsed structures that Spider ships with its questions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from glue.sql.hardness import spider_hardness

BY_HAND = [
    ("SELECT COUNT(*) FROM singer", "easy"),
    ("SELECT name FROM singer WHERE age > 20", "easy"),
    ("SELECT name, age FROM singer", "medium"),  # two columns: one of others
    ("SELECT name FROM singer WHERE age > 20 ORDER BY age", "medium"),  # two of component 1
    ("SELECT name FROM singer WHERE age > 20 AND age < 30", "medium"),  # two conditions
    ("SELECT name FROM singer WHERE age > 20 OR age < 10", "medium"),  # WHERE and OR, two conditions
    ("SELECT name FROM singer WHERE name LIKE 'A%' ORDER BY age", "hard"),  # WHERE, LIKE, ORDER BY
    ("SELECT name FROM a JOIN b ON a.id = b.a_id WHERE x = 1 ORDER BY y", "hard"),  # join, WHERE, ORDER BY
    ("SELECT name FROM a JOIN b ON a.id = b.a_id WHERE x = 1 ORDER BY y LIMIT 1", "extra"),
    ("SELECT a, MAX(b), MIN(c) FROM t WHERE d = 1 AND e = 2", "hard"),  # columns, aggregates, conditions
    ("SELECT a, b FROM t WHERE c = 1 AND d = 2 ORDER BY e", "extra"),  # the gap: two and two
    ("SELECT a FROM t WHERE b IN (SELECT c FROM u)", "hard"),  # one subquery
    ("SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE d IN (SELECT e FROM v))", "hard"),  # still one
    ("SELECT a, b FROM t WHERE b IN (SELECT c FROM u)", "extra"),
    ("SELECT a FROM t UNION SELECT b FROM u", "hard"),
    (
        "SELECT a FROM t WHERE c = 1 EXCEPT SELECT b FROM u WHERE d = 2 AND e = 3",
        "hard",
    ),  # first operand only
    ("SELECT a FROM t UNION SELECT b FROM u UNION SELECT c FROM v ORDER BY 1 LIMIT 3", "hard"),
    ("SELECT a FROM t WHERE b = (SELECT MAX(b) FROM t) AND c = (SELECT 1)", "extra"),  # two subqueries
    ("SELECT a FROM (SELECT a, b FROM t WHERE c LIKE 'x' ORDER BY b)", "easy"),  # FROM is not looked into
    ("SELECT MAX(a) FROM t WHERE NOT b LIKE 'x%'", "medium"),  # NOT counts as an aggregate, LIKE as LIKE
    ("SELECT MAX(a) FROM t WHERE b IS NOT NULL", "easy"),
    ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1 AND SUM(b) > 2", "easy"),  # one AND: one "aggregate"
    ("SELECT MAX(a) FROM t GROUP BY b HAVING COUNT(*) > 1 AND SUM(b) > 2", "medium"),  # and MAX: two
    ("SELECT SUM(a) OVER (ORDER BY b), MAX(c, d) FROM t", "medium"),  # no aggregates
    ("SELECT CAST(SUM(a) AS REAL) / COUNT(*) FROM t", "medium"),  # two aggregates in one column
    ("SELECT a FROM t GROUP BY a, b", "medium"),
    ("WITH q AS (SELECT a FROM t WHERE b = 1 ORDER BY c) SELECT a FROM q", "easy"),
    ("  (SELECT a FROM t) ;", "easy"),
]


@pytest.mark.parametrize(("sql", "expected"), BY_HAND)
def test_hardness_by_hand(sql: str, expected: str) -> None:
    assert spider_hardness(sql, "sqlite") == expected


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("", "sqlite"),
        ("DELETE FROM t", "sqlite"),
        ("not SQL at all", "sqlite"),
        ("SELECT 1; SELECT 2", "sqlite"),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "sqlite"),
        ("SELECT 1", "no such dialect"),
        (None, None),
    ],
)
def test_what_has_no_hardness(sql: str, dialect: str) -> None:
    assert spider_hardness(sql, dialect) is None


def test_top_and_fetch_are_limits() -> None:
    sql = "SELECT name FROM t ORDER BY age"
    assert spider_hardness(sql, "sqlite") == "easy"
    assert spider_hardness("SELECT TOP 3 name FROM t ORDER BY age", "tsql") == "medium"
    assert spider_hardness(f"{sql} FETCH FIRST 3 ROWS ONLY", "oracle") == "medium"


def hardness_of_structure(sql: dict[str, Any]) -> str:
    """The published rule on Spider's own parse (conditions alternate with 'and' and 'or'; 9 is LIKE)."""
    where, having, joined = sql["where"], sql["having"], sql["from"]["conds"]
    conditions = [condition for clause in (where, having, joined) for condition in clause[::2]]
    links = [link for clause in (where, having, joined) for link in clause[1::2]]
    component_1 = (
        sum(bool(sql[clause]) for clause in ("where", "groupBy", "orderBy"))
        + (sql["limit"] is not None)
        + len(sql["from"]["table_units"])
        - 1
        + links.count("or")
        + sum(condition[1] == 9 for condition in conditions)
    )
    component_2 = sum(isinstance(value, dict) for condition in conditions for value in condition[3:5]) + sum(
        sql[operator] is not None for operator in ("union", "intersect", "except")
    )
    keys = [
        column for unit in (sql["orderBy"][1] if sql["orderBy"] else []) for column in unit[1:3] if column
    ]
    aggregates = [*sql["select"][1], *where[::2], *sql["groupBy"], *keys, *having]
    others = (
        (sum(part[0] != 0 for part in aggregates) > 1)
        + (len(sql["select"][1]) > 1)
        + (len(where) > 1)
        + (len(sql["groupBy"]) > 1)
    )
    if (component_1, others, component_2) in {(0, 0, 0), (1, 0, 0)}:
        return "easy"
    if component_2 == 0 and ((others <= 2 and component_1 <= 1) or (component_1 <= 2 and others < 2)):
        return "medium"
    if (
        (component_2 == 0 and others > 2 and component_1 <= 2)
        or (component_2 == 0 and others <= 2 and component_1 == 3)
        or (component_2 == 1 and others == 0 and component_1 <= 1)
    ):
        return "hard"
    return "extra"


def test_all_of_spider_dev_as_published(shared_data: Path) -> None:
    questions = json.loads((shared_data / "spider" / "meta" / "dev.json").read_text(encoding="utf-8"))
    expected = [hardness_of_structure(question["sql"]) for question in questions]
    found = [spider_hardness(question["query"], "sqlite") for question in questions]
    assert Counter(expected) == {"easy": 248, "medium": 446, "hard": 174, "extra": 166}
    assert [
        question["query"]
        for question, one, other in zip(questions, expected, found, strict=True)
        if one != other
    ] == []


def test_every_gold_of_bird_dev_has_a_hardness(shared_data: Path) -> None:
    questions = json.loads((shared_data / "bird" / "meta" / "dev.json").read_text(encoding="utf-8"))
    counts = Counter(spider_hardness(question["SQL"], "sqlite") for question in questions)
    assert sum(counts.values()) == 1534
    assert None not in counts
