"""A benchmark whose golds are past queries that tasks can be drafted from, and answers to their drafting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.execution_helpers import sqlite_database

BENCHMARK = "shop_log"
SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER, joined INTEGER);
CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, price REAL, stock INTEGER, weight REAL);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id),
    item_id INTEGER REFERENCES item (id), quantity INTEGER
);
INSERT INTO customer VALUES
    (1, 'Ann', 'Oslo', 30, 2019), (2, 'Bob', 'Rome', 45, 2021), (3, 'Eve', 'Oslo', 70, 2015);
INSERT INTO item VALUES (1, 'pen', 2.5, 40, 0.1), (2, 'ink', 4.0, 20, 0.5), (3, 'pad', 9.0, 30, 0.9);
INSERT INTO sale VALUES (1, 1, 1, 3), (2, 1, 2, 1), (3, 3, 2, 2), (4, 2, 3, 5), (5, 3, 3, 4);
"""
JOINED = "sale AS s INNER JOIN customer AS c ON s.customer_id = c.id INNER JOIN item AS i ON s.item_id = i.id"
CONDITIONS = {
    "How many sales were to customers over 18?": ("COUNT(*)", "c.age > {}", 18),
    "How much was sold of items that cost over 3?": ("SUM(s.quantity)", "i.price > {}", 3),
    "What is the mean price of what was sold from a stock over 15?": ("AVG(i.price)", "i.stock > {}", 15),
    "How old is the oldest buyer of three or more?": ("MAX(c.age)", "s.quantity >= {}", 3),
    "How many cities bought since 2015?": ("COUNT(DISTINCT c.city)", "c.joined >= {}", 2015),
    "What is the least stock of items lighter than 1?": ("MIN(i.stock)", "i.weight < {}", 1),
}
"""Question -> aggregate, condition and its value: all over one join, so that no two are alike."""
QUESTIONS = list(CONDITIONS)


def write_log(root: Path) -> list[str]:
    """Write the database and the questions into a folder; the words of the import command."""
    (root / "databases").mkdir()
    sqlite_database(root / "databases" / "shop.sqlite", SHOP)
    lines = [
        {
            "question_id": str(number),
            "db_id": "shop",
            "question": question,
            "golds": [f"SELECT {shown} FROM {JOINED} WHERE {condition.format(value)}"],
        }
        for number, (question, (shown, condition, value)) in enumerate(CONDITIONS.items(), 1)
    ]
    (root / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    files = ["--questions", "questions.jsonl", "--databases", "databases"]
    return ["import", "jsonl", "--name", BENCHMARK, *files]


def sound_sql(history_query_ids: list[str]) -> str:
    """SQL that every check passes: it reuses past queries' conditions, values changed, in a new ratio."""
    conditions = []
    for history_query_id in history_query_ids:
        _, condition, value = CONDITIONS[QUESTIONS[int(history_query_id) - 1]]
        conditions.append(condition.format(value * 0.9 if condition.count(">") else value * 1.1))
    return f"""
WITH chosen AS (
    SELECT c.city, SUM(s.quantity * i.price) AS sold
    FROM {JOINED}
    WHERE {" AND ".join(conditions)}
    GROUP BY c.city
)
SELECT city, sold * 1.0 / (SELECT SUM(sold) FROM chosen) AS share_sold
FROM chosen
WHERE sold > 0"""


def answer(task: dict[str, Any], *rules: str) -> str:
    """A model's answer for the model server, whatever it is asked of a draft: a task, and a verdict on one.

    It passes unless `rules` are broken.
    """
    issues = [{"rule": rule, "severity": "major", "explanation": f"{rule}, mend it"} for rule in rules]
    verdict = {"pass": not rules, "issues": issues, "recommendations": "Mend it." if rules else ""}
    return "ok:Here it is.\n```json\n" + json.dumps({"task": task, **verdict}, indent=1) + "\n```"
