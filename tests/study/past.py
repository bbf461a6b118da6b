"""Three small databases, past queries and tasks that are made of known pieces, and a model that goes by them.

Every query is put together from pieces, so that what it holds is known without reading SQL: the labels of
the tasks, and what a prompt shows, follow from the pieces alone. `answer` is the model: right where all that
a task needs is in the prompt, wrong otherwise, but for the tasks of EXCEPTIONS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.execution_helpers import sqlite_database

HISTORY, TASKS = "log", "log_tasks"
SCRIPTS = {
    "shop": """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, price REAL, stock INTEGER);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id),
    item_id INTEGER REFERENCES item (id), quantity INTEGER, year INTEGER
);
INSERT INTO customer VALUES (1, 'Ann', 'Oslo', 30), (2, 'Bob', 'Rome', 45), (3, 'Eve', 'Oslo', 70),
    (4, 'Ute', 'Bonn', 19);
INSERT INTO item VALUES (1, 'pen', 2.5, 40), (2, 'ink', 4.0, 20), (3, 'pad', 9.0, 30);
INSERT INTO sale VALUES (1, 1, 1, 3, 2019), (2, 1, 2, 1, 2020), (3, 3, 2, 2, 2020), (4, 2, 3, 5, 2021),
    (5, 3, 3, 4, 2021), (6, 4, 1, 7, 2021), (7, 2, 1, 6, 2019);
""",
    "clinic": """
CREATE TABLE patient (id INTEGER PRIMARY KEY, name TEXT, born INTEGER, smokes INTEGER);
CREATE TABLE doctor (id INTEGER PRIMARY KEY, name TEXT, ward TEXT);
CREATE TABLE visit (
    id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient (id),
    doctor_id INTEGER REFERENCES doctor (id), fee REAL, discount REAL
);
INSERT INTO patient VALUES (1, 'Ida', 1941, 1), (2, 'Jon', 1980, 0), (3, 'Kai', 1966, 1), (4, 'Lea', 2001, 0);
INSERT INTO doctor VALUES (1, 'Mo', 'surgery'), (2, 'Nia', 'cardiology'), (3, 'Oz', 'surgery');
INSERT INTO visit VALUES (1, 1, 1, 90.0, 10.0), (2, 2, 2, 60.0, 0.0), (3, 3, 1, 40.0, 5.0),
    (4, 4, 3, 70.0, 20.0), (5, 1, 2, 55.0, 1.0), (6, 3, 3, 33.0, 2.0);
""",
    "school": """
CREATE TABLE pupil (id INTEGER PRIMARY KEY, name TEXT, grade INTEGER, town TEXT);
CREATE TABLE course (id INTEGER PRIMARY KEY, title TEXT, credits INTEGER);
CREATE TABLE mark (
    id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupil (id),
    course_id INTEGER REFERENCES course (id), points INTEGER, term TEXT
);
INSERT INTO pupil VALUES (1, 'Amy', 7, 'Hove'), (2, 'Ben', 8, 'Lewes'), (3, 'Cat', 7, 'Lewes'),
    (4, 'Dan', 9, 'Hove');
INSERT INTO course VALUES (1, 'maths', 4), (2, 'music', 2), (3, 'art', 1);
INSERT INTO mark VALUES (1, 1, 1, 12, 'spring'), (2, 1, 2, 15, 'autumn'), (3, 2, 1, 9, 'spring'),
    (4, 3, 3, 14, 'autumn'), (5, 4, 1, 11, 'spring'), (6, 4, 2, 8, 'autumn');
""",
}
_FACTS = {
    "shop": ("sale", {"customer": "customer_id", "item": "item_id"}),
    "clinic": ("visit", {"patient": "patient_id", "doctor": "doctor_id"}),
    "school": ("mark", {"pupil": "pupil_id", "course": "course_id"}),
}


@dataclass(frozen=True)
class Query:
    """A query by its pieces: `conditions` are pieces with their values, `limit` belongs to `order`."""

    db_id: str
    joined: tuple[str, ...]
    calculation: str
    conditions: tuple[tuple[str, str], ...] = ()
    group: str | None = None
    order: str | None = None
    limit: int = 1

    @property
    def source(self) -> str:
        """What stands after FROM: the fact table with the tables joined to it."""
        fact, keys = _FACTS[self.db_id]
        joins = [f" INNER JOIN {each} ON {fact}.{keys[each]} = {each}.id" for each in self.joined]
        return "".join([fact, *joins])

    @property
    def sql(self) -> str:
        """In one line."""
        return self.written(self.conditions)

    def written(self, conditions: tuple[tuple[str, str], ...]) -> str:
        """The query with other conditions."""
        shown = self.calculation if self.group is None else f"{self.group}, {self.calculation}"
        tests = " AND ".join(piece.format(value) for piece, value in conditions)
        parts = [f"SELECT {shown} FROM {self.source}"]
        parts += [f"WHERE {tests}"] if tests else []
        parts += [f"GROUP BY {self.group}"] if self.group else []
        parts += [f"ORDER BY {self.order} LIMIT {self.limit}"] if self.order else []
        return " ".join(parts)

    @property
    def items(self) -> dict[tuple[str, str], str]:
        """What it holds, by type and published key: each as the query writes it."""
        found = {("calculation", self.calculation): self.calculation}
        if self.joined:
            found["relation", f"FROM {self.source}"] = f"FROM {self.source}"
        masks = tuple((piece, "'<val>'" if "'" in value else "<val>") for piece, value in self.conditions)
        for (piece, value), (_, mask) in zip(self.conditions, masks, strict=True):
            found["condition", piece.format(mask)] = piece.format(value)
        if self.group:
            found["dimension", f"GROUP BY {self.group}"] = f"GROUP BY {self.group}"
        if self.order:
            key = f"ORDER BY {self.order} LIMIT"
            found["output", f"{key} <val>"] = f"{key} {self.limit}"
        found["full_sql", re.sub(r"LIMIT \d+$", "LIMIT <val>", self.written(masks))] = self.sql
        return found


_OSLO, _OLD, _DEAR, _RECENT, _STOCK = (
    ("customer.city = {}", "'Oslo'"),
    ("customer.age > {}", "40"),
    ("item.price > {}", "3"),
    ("sale.year >= {}", "2020"),
    ("item.stock < {}", "35"),
)
_SMOKES, _BORN, _WARD, _CUT = (
    ("patient.smokes = {}", "1"),
    ("patient.born < {}", "1970"),
    ("doctor.ward = {}", "'surgery'"),
    ("visit.discount > {}", "0"),
)
_GRADE, _TOWN, _SPRING, _CREDITS = (
    ("pupil.grade = {}", "7"),
    ("pupil.town = {}", "'Hove'"),
    ("mark.term = {}", "'spring'"),
    ("course.credits >= {}", "2"),
)
_SOLD, _TURNOVER = "SUM(sale.quantity)", "SUM(sale.quantity * item.price)"
_PAID, _POINTS = "SUM(visit.fee - visit.discount)", "AVG(mark.points)"
PAST = {
    "How many pieces did customers from Oslo buy?": Query("shop", ("customer",), _SOLD, (_OSLO,)),
    "What is the turnover of each item?": Query("shop", ("item",), _TURNOVER, (), "item.title"),
    "Which city bought the most pieces?": Query(
        "shop", ("customer",), _SOLD, (), "customer.city", f"{_SOLD} DESC"
    ),
    "How many sales were to customers over 40?": Query("shop", ("customer",), "COUNT(*)", (_OLD,)),
    "What was the turnover of dear items since 2020?": Query("shop", ("item",), _TURNOVER, (_DEAR, _RECENT)),
    "How many sales were of items nearly out of stock?": Query("shop", ("item",), "COUNT(*)", (_STOCK,)),
    "How many visits did smokers make?": Query("clinic", ("patient",), "COUNT(*)", (_SMOKES,)),
    "What did the surgery take after discounts?": Query("clinic", ("doctor",), _PAID, (_WARD,)),
    "Which doctor took the most after discounts?": Query(
        "clinic", ("doctor",), _PAID, (), "doctor.name", f"{_PAID} DESC"
    ),
    "What is the highest fee of patients born before 1970?": Query(
        "clinic", ("patient",), "MAX(visit.fee)", (_BORN,)
    ),
    "How many visits were cheaper than usual, by ward?": Query(
        "clinic", ("doctor",), "COUNT(*)", (_CUT,), "doctor.ward"
    ),
    "What is the mean mark of grade 7?": Query("school", ("pupil",), _POINTS, (_GRADE,)),
    "How many marks were given in spring?": Query("school", (), "COUNT(*)", (_SPRING,)),
    "What is the mean mark of each course?": Query("school", ("course",), _POINTS, (), "course.title"),
    "Which town has the best mean mark?": Query(
        "school", ("pupil",), _POINTS, (), "pupil.town", f"{_POINTS} DESC"
    ),
    "What is the best mark in courses with two credits?": Query(
        "school", ("course",), "MAX(mark.points)", (_CREDITS,)
    ),
    "How many marks went to pupils from Hove?": Query("school", ("pupil",), "COUNT(*)", (_TOWN,)),
    "Which owls were heard?": Query("school", (), "COUNT(mark.owl)"),
}
"""Past questions and their queries, in the order of their numbers. The last one fails."""


def _with(condition: tuple[str, str], value: str) -> tuple[str, str]:
    return condition[0], value


ASKED = {
    "How many pieces did customers from Rome buy since 2020?": Query(
        "shop", ("customer",), _SOLD, (_with(_OSLO, "'Rome'"), _RECENT)
    ),
    "What is the turnover of each item nearly out of stock?": Query(
        "shop", ("item",), _TURNOVER, (_STOCK,), "item.title"
    ),
    "Which city's customers over 25 bought the most pieces?": Query(
        "shop", ("customer",), _SOLD, (_with(_OLD, "25"),), "customer.city", f"{_SOLD} DESC"
    ),
    "How many sales were of dear items?": Query("shop", ("item",), "COUNT(*)", (_DEAR,)),
    "How many pieces did customers from Bonn buy?": Query(
        "shop", ("customer",), _SOLD, (_with(_OSLO, "'Bonn'"),)
    ),
    "What did the surgery take after discounts, by doctor?": Query(
        "clinic", ("doctor",), _PAID, (_WARD,), "doctor.name"
    ),
    "How many visits did smokers born before 1970 make?": Query(
        "clinic", ("patient",), "COUNT(*)", (_SMOKES, _with(_BORN, "1950"))
    ),
    "Which two doctors of the surgery took the most after discounts?": Query(
        "clinic", ("doctor",), _PAID, (_WARD,), "doctor.name", f"{_PAID} DESC", 2
    ),
    "What is the highest fee that smokers paid?": Query("clinic", ("patient",), "MAX(visit.fee)", (_SMOKES,)),
    "How many visits were cheaper than usual in cardiology?": Query(
        "clinic", ("doctor",), "COUNT(*)", (_CUT, _with(_WARD, "'cardiology'"))
    ),
    "What is the mean mark of grade 7 in spring?": Query("school", ("pupil",), _POINTS, (_GRADE, _SPRING)),
    "What is the mean mark of each course with three credits?": Query(
        "school", ("course",), _POINTS, (_with(_CREDITS, "3"),), "course.title"
    ),
    "Which town has the best mean mark in autumn?": Query(
        "school", ("pupil",), _POINTS, (_with(_SPRING, "'autumn'"),), "pupil.town", f"{_POINTS} DESC"
    ),
    "How many marks went to pupils from Lewes in spring?": Query(
        "school", ("pupil",), "COUNT(*)", (_with(_TOWN, "'Lewes'"), _SPRING)
    ),
    "How many marks were given in autumn?": Query("school", (), "COUNT(*)", (_with(_SPRING, "'autumn'"),)),
    "What is the best mark of owls in spring?": Query("school", (), "MAX(mark.owl)", (_SPRING,)),
    "How many marks are there?": Query("school", (), "COUNT(*)"),
}
"""Questions of the tasks' benchmark and their golds. The last but one's fails; the last one has no labels."""
UNLABELLED = "How many marks are there?"
EXCEPTIONS = {
    "How many pieces did customers from Bonn buy?": "right",
    "How many marks were given in autumn?": "fails",
    "Which city's customers over 25 bought the most pieces?": "twice",
    "Which two doctors of the surgery took the most after discounts?": "reversed",
    "How many sales were of dear items?": "silent",
}
"""Tasks that are answered alike, whatever is shown.

`twice` has the set of rows but not the rows, `reversed` the rows but not their order, `silent` no SQL.
"""
_TOO_MUCH = {"database schema (": 2, "/* SQL dialect": 5, "#plan:": 13, "\nA:": 3, "": 7}
"""What tells a pipeline's prompt (CodeS, DAIL-SQL, OpenSearch-SQL, N-rep, none): by what the numbers of tasks
divide that are too much for it.
"""
PAST_IDS = {question: number for number, question in enumerate(PAST)}
TASK_IDS = {question: 100 + number for number, question in enumerate(ASKED)}
_BY_SQL = {query.sql: query_id for query_id, query in enumerate(PAST.values())}


def labels(question: str) -> dict[tuple[str, str], list[int]]:
    """What a task needs: items of its gold that some past query of its database holds, and which do."""
    gold = ASKED[question]
    if question == UNLABELLED:
        return {}
    held = {
        item: [
            number
            for number, past in enumerate(PAST.values())
            if past.db_id == gold.db_id and item in past.items
        ]
        for item in gold.items
    }
    return {item: numbers for item, numbers in held.items() if numbers}


def write_files(root: Path) -> list[list[str]]:
    """Write databases, past queries and tasks into a folder; the words of the import commands."""
    (root / "databases").mkdir()
    for db_id, script in SCRIPTS.items():
        sqlite_database(root / "databases" / f"{db_id}.sqlite", script)
    past = [
        {
            "question_id": PAST_IDS[question],
            "db_id": query.db_id,
            "question": question,
            "evidence": "",
            "SQL": query.sql,
        }
        for question, query in PAST.items()
    ]
    tasks = [
        {
            "question_id": TASK_IDS[question],
            "db_id": query.db_id,
            "question": question,
            "SQL": query.sql,
            "history_knowledge": {key: numbers for (_, key), numbers in labels(question).items()},
        }
        for question, query in ASKED.items()
    ]
    (root / "past.json").write_text(json.dumps(past))
    (root / "tasks.json").write_text(json.dumps(tasks))
    return [
        ["import", "bird", "--questions", "past.json", "--name", HISTORY, "--databases", "databases"],
        ["import", "bird-history", "tasks.json", "--history", HISTORY, "--benchmark", TASKS],
    ]


# --------------------------------------------------------------------------- what a prompt shows


@dataclass(frozen=True)
class Shown:
    """A past query as a prompt shows it: which one, whether all of it, and the items that it brings."""

    query_id: int
    is_whole: bool
    items: frozenset[tuple[str, str]]


def shown_in(prompt: str) -> list[Shown]:
    """The past queries in a prompt, in order: whatever the pipeline, each is a block of lines of its own."""
    return [found for block in re.split(r"\n\n+", prompt) for found in _shown_in_block(block)]


def _shown_in_block(block: str) -> Iterator[Shown]:
    lines = [re.sub(r"^(SQL|#SQL|A): ", "", line) for line in block.split("\n")]
    whole = [_BY_SQL[line] for line in lines if line in _BY_SQL]
    if whole:
        yield Shown(whole[0], True, frozenset(list(PAST.values())[whole[0]].items))
        return
    parts = [line.removeprefix("- ").partition(": ") for line in lines if line.startswith("- ")]
    named = [number for question, number in PAST_IDS.items() if any(question in line for line in lines)]
    if parts and named:
        items = list(PAST.values())[named[0]].items
        yield Shown(named[0], False, frozenset(_item_of(kind, text, items) for kind, _, text in parts))


def _item_of(kind: str, text: str, items: dict[tuple[str, str], str]) -> tuple[str, str]:
    """The item that a line says, perhaps with words about it behind."""
    fitting = [(len(sql), item) for item, sql in items.items() if item[0] == kind and text.startswith(sql)]
    return max(fitting)[1]


def counts(prompt: str, question: str) -> tuple[int, int, int, int]:
    """Items that a task needs, items that its prompt shows, needed ones among them, and queries shown."""
    shown, needed = shown_in(prompt), labels(question)
    retrieved = {item for each in shown for item in each.items}
    covered = {
        item
        for item, numbers in needed.items()
        if any(each.query_id in numbers and item in each.items for each in shown)
    }
    return len(needed), len(retrieved), len(covered), len(shown)


# --------------------------------------------------------------------------- the model


def question_of(prompt: str) -> str | None:
    """The question that a prompt asks: the one that stands last in it."""
    asked = {question: prompt.rfind(question) for question in (*PAST, *ASKED)}
    best = max(asked, key=lambda question: (asked[question], len(question)))
    return best if asked[best] >= 0 else None


def answer(prompt: str) -> str:
    """The model's answer to a prompt that asks for SQL."""
    question = question_of(prompt)
    if question is None:
        return "I cannot say."
    if question in PAST:
        return _sql(PAST[question].sql if PAST_IDS[question] % 3 else wrong(PAST[question]))
    n_needed, _, n_covered, _ = counts(prompt, question)
    is_told = 0 < n_needed == n_covered and TASK_IDS[question] % _every(prompt) != 0
    return _sql(written(ASKED[question], EXCEPTIONS.get(question, "right" if is_told else "wrong")))


def _every(prompt: str) -> int:
    """A task whose number this divides is too much for the pipeline whose prompt it is."""
    return next(number for part, number in _TOO_MUCH.items() if part in prompt)


def _sql(sql: str | None) -> str:
    return "I cannot say." if sql is None else f"Here it is.\n```sql\n{sql}\n```"


def written(gold: Query, manner: str) -> str | None:
    """SQL that answers in some manner, None for none."""
    if manner == "right":
        return gold.sql
    if manner == "fails":
        return f"SELECT nowhere FROM {gold.source}"
    if manner == "twice":
        return f"SELECT * FROM ({gold.sql}) UNION ALL SELECT * FROM ({gold.sql})"
    if manner == "reversed":
        return f"SELECT * FROM ({gold.sql}) ORDER BY 2"
    return None if manner == "silent" else wrong(gold)


def wrong(gold: Query) -> str:
    """What somebody writes who knows none of the conditions."""
    return gold.written(()) if gold.conditions else gold.sql.replace("SELECT ", "SELECT 1 + ", 1)


RERANKED = {
    "queries": [
        {"query": 2, "use_all": True, "components": []},
        {"query": 1, "use_all": False, "components": [1]},
    ]
}


def reply(prompt: str, n_before: int = 0) -> str:
    """The model's reply to any request: what serves retrieval it does not describe, but it reranks.

    In N-rep's manner the third reply to one prompt has no SQL.
    """
    if '{"queries"' in prompt:
        return json.dumps(RERANKED)
    if prompt.endswith("\nA:") and n_before == 2:
        return "I cannot say."
    return "I cannot say." if '{"keywords"' in prompt or '{"name"' in prompt else answer(prompt)
