"""Relevance labels against witnesses that know nothing of our reader: SQLite itself, and annotated tables.

Columns and tables must be the same, or differ in a way that is known and checked (`Difference`). Golds of
BIRD and Spider do not differ at all. What SQLite cannot resolve must have no labels, and the reverse.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from glue import bank
from glue.importers.mschema import read_mschema
from glue.sql.labels import sql_labels
from tests.sql.authorizer import Reads, opened, outline_of, published_outlines, reads
from tests.sql.label_helpers import as_outline
from tests.sql.random_queries import Queries, database
from tests.sql.random_statements import Statements, databases

BIRD_DATABASES = ("superhero", "student_club", "thrombosis_prediction", "toxicology")
Gold = tuple[str, str, str]
"""Question, database and SQL."""

NAME_ERRORS = {"no such column", "no such table", "ambiguous column name"}
"""SQLite's errors about names. What else it refuses (functions, aggregates) is no matter of labels."""

ANNOTATED_FOR_MYSQL = {
    "52": ({"se_person"}, {"employee_directory"}),
    "59": ({"moira_list_owner"}, set()),
    "63": ({"moira_list_owner"}, set()),
    "78": ({"library_course_instructor"}, set()),
}
"""Beaver's questions whose Oracle text reads other tables than its MySQL text, after which the tables were
annotated: those it reads more, and those it does not read."""


@dataclass(frozen=True)
class Difference:
    """How labels and SQLite differ on a statement; `kind` is a known one, or unexplained."""

    kind: str
    names: str


def differences(sql: str, labels: dict[str, Any], seen: Reads) -> list[Difference]:
    """All differences of a statement that both can read, each with its kind:

    * joined: SQLite makes the condition of USING or NATURAL itself, and asks about none of its columns, nor
      about a table that is used for nothing else;
    * not run: it asks about a table of which no column is read only when it makes code, and makes none for a
      subquery whose value nobody uses;
    * CTE: it asks about a CTE, of which no column is read, as if it were a table;
    * row id: it names one that is no column.
    """
    roles: dict[tuple[str, str], set[str]] = defaultdict(set)
    for column in labels["columns"]:
        roles[column["table_key"], column["column_key"]].add(column["role"])
    has_joined_names = re.search(r"\b(using|natural)\b", sql, re.IGNORECASE) is not None
    found = []
    joined_tables = set()
    for column in sorted(roles.keys() - seen.columns):
        is_joined = has_joined_names and roles[column] == {"join"}
        found.append(Difference("joined" if is_joined else "unexplained", ".".join(column)))
        joined_tables |= {column[0]} if is_joined else set()
    found += [
        Difference("row id" if column[1] == "rowid" else "unexplained", ".".join(column))
        for column in sorted(seen.columns - roles.keys())
    ]
    ctes = {name.lower() for name in re.findall(r"(\w+) (?:\([^)]*\) )?AS \(", sql)}
    with_columns = {table for table, _ in roles}
    for table in sorted(set(labels["tables"]) - seen.tables):
        kind = "joined" if table in joined_tables else "unexplained" if table in with_columns else "not run"
        found.append(Difference(kind, table))
    for table in sorted(seen.tables - set(labels["tables"])):
        is_cte = table in ctes and not any(table == other for other, _ in seen.columns)
        found.append(Difference("CTE" if is_cte else "unexplained", table))
    return found


def compare(connection: sqlite3.Connection, outline: str, sqls: Iterable[str]) -> Counter[str]:
    """How many statements are the same, differ in each known way, or cannot be read by either."""
    counts: Counter[str] = Counter()
    for sql in sqls:
        labels = sql_labels(sql, "sqlite", outline)
        try:
            seen = reads(connection, sql)
        except (sqlite3.Error, sqlite3.Warning) as error:
            problem = str(error).split(":")[0]
            assert problem not in NAME_ERRORS or labels["reason"] is not None, (str(error), sql)
            counts["neither" if problem in NAME_ERRORS else "refused"] += 1
            continue
        assert labels["reason"] is None, (labels["reason"], labels["detail"], sql)
        found = differences(sql, labels, seen)
        assert [one for one in found if one.kind == "unexplained"] == [], sql
        counts.update({one.kind for one in found} or {"same"})
    return counts


def compare_golds(golds: list[Gold], outlines: dict[str, str], folder: Path) -> Counter[str]:
    """The golds of every database that is at hand, on its file."""
    by_database: dict[str, list[str]] = defaultdict(list)
    for _, db_id, sql in golds:
        by_database[db_id].append(sql)
    counts: Counter[str] = Counter()
    for db_id, sqls in by_database.items():
        path = folder / db_id / f"{db_id}.sqlite"
        if path.exists():
            with closing(opened(path)) as connection:
                counts += compare(connection, outlines[db_id], sqls)
    return counts


def uncovered(
    golds: list[Gold], outlines: dict[str, str], dialect: str = "sqlite"
) -> dict[str, tuple[str, str]]:
    """Reason and detail of every question that has no labels."""
    found = {}
    for question_id, db_id, sql in golds:
        labels = sql_labels(sql, dialect, outlines.get(db_id, "[]"))
        if labels["reason"] is not None:
            found[question_id] = (labels["reason"], labels["detail"])
    return found


def bird_dev(shared_data: Path) -> list[Gold]:
    questions = json.loads((shared_data / "bird" / "meta" / "dev.json").read_text())
    return [(str(each["question_id"]), each["db_id"], each["SQL"]) for each in questions]


def spider_dev(shared_data: Path) -> list[Gold]:
    questions = json.loads((shared_data / "spider" / "meta" / "dev.json").read_text())
    return [(str(place), each["db_id"], each["query"]) for place, each in enumerate(questions)]


def mschema_outlines(shared_data: Path) -> dict[str, str]:
    """Outlines of BIRD's 80 databases, as the importer reads the M-Schema files."""
    tables: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in read_mschema("bird", shared_data / "bird" / "mschema").rows["columns"]:
        columns = tables[row["db_id"]].setdefault(row["table_name"].lower(), [])
        columns.append(row["column_name"].lower())
    return {db_id: as_outline(of_database) for db_id, of_database in tables.items()}


@pytest.mark.parametrize("seed", range(4))
def test_random_queries_with_hard_names(seed: int) -> None:
    """Names with and without qualifiers and quotes, USING, CTEs called as tables, aliases as columns."""
    drawn = Queries(seed)
    with closing(database()) as connection:
        counts = compare(connection, outline_of(connection), (drawn.query() for _ in range(300)))
    assert counts["same"] > 120 and counts["neither"] > 60 and counts["joined"] > 10


def test_random_statements() -> None:
    """Set operations, windows, aggregates and subqueries, most of them valid."""
    drawn = Statements(3)
    connection = databases(2)[0]
    counts = compare(connection, outline_of(connection), (drawn.statement() for _ in range(400)))
    assert counts["same"] > 300


def test_a_question_needs_the_same_in_every_dialect() -> None:
    """The bank's golds say the same thing in the words of each of its six dialects."""
    manifest = bank.read_manifest()
    outlines = {
        db_id: as_outline({table.name: [column.name for column in table.columns] for table in tables})
        for db_id, tables in manifest.databases.items()
    }
    needed: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    translated = [question for question in manifest.questions if question.sql("gold", "duckdb") is not None]
    for question in translated:
        for statement in question.statements:
            labels = sql_labels(statement.sql, statement.dialect, outlines[question.db_id])
            assert labels["reason"] is None, (question.question_id, statement.dialect, labels["detail"])
            if statement.role == "gold":
                columns = sorted({(one["table_key"], one["column_key"]) for one in labels["columns"]})
                place = question.question_id, statement.edition
                needed[place][statement.dialect] = str((labels["tables"], columns))
    assert sum(len(each) == 6 for each in needed.values()) > 90
    assert [key for key, each in needed.items() if len(set(each.values())) > 1] == []


@pytest.mark.slow
def test_every_gold_of_bird_dev_at_hand(shared_data: Path) -> None:
    outlines = published_outlines(shared_data / "bird" / "meta" / "dev_tables.json")
    counts = compare_golds(bird_dev(shared_data), outlines, shared_data / "bird" / "databases")
    assert counts == {"same": 595}


@pytest.mark.slow
def test_every_gold_of_spider_dev(shared_data: Path) -> None:
    outlines = published_outlines(shared_data / "spider" / "meta" / "tables.json")
    counts = compare_golds(spider_dev(shared_data), outlines, shared_data / "spider" / "databases_rebuilt")
    assert counts == {"same": 1034}


@pytest.mark.slow
def test_published_predictions(shared_data: Path) -> None:
    """What models write, right or wrong: SQLite's word on every name, whether it can resolve it or not."""
    outlines = published_outlines(shared_data / "bird" / "meta" / "dev_tables.json")
    written: dict[str, set[str]] = {db_id: set() for db_id in BIRD_DATABASES}
    for path in sorted((shared_data / "bird" / "predictions" / "sqlexam_dev").glob("*.json")):
        for row in json.loads(path.read_text()):
            if row["db_id"] in written and isinstance(row["predicted_sql"], str):
                written[row["db_id"]].add(row["predicted_sql"])
    counts: Counter[str] = Counter()
    for db_id, sqls in written.items():
        path = shared_data / "bird" / "databases" / db_id / f"{db_id}.sqlite"
        with closing(opened(path)) as connection:
            counts += compare(connection, outlines[db_id], sorted(sqls))
    assert set(counts) == {"same", "neither", "refused"}
    assert counts["same"] > 4000 and counts["neither"] > 100


@pytest.mark.slow
def test_all_of_bird_is_covered(shared_data: Path) -> None:
    """Paper, section 3: the gate excludes 0% of the questions. Dev over both catalogs of it, and train."""
    golds = bird_dev(shared_data)
    assert len(golds) == 1534
    assert uncovered(golds, published_outlines(shared_data / "bird" / "meta" / "dev_tables.json")) == {}
    pooled = mschema_outlines(shared_data)
    assert len(pooled) == 80
    assert uncovered(golds, pooled) == {}
    train = json.loads((shared_data / "bird" / "train" / "train.json").read_text())
    assert uncovered([(str(each["question_id"]), each["db_id"], each["SQL"]) for each in train], pooled) == {}


@pytest.mark.slow
def test_tables_annotated_by_people(shared_data: Path) -> None:
    """Beaver: two dialects, over schemas of up to 200 tables; its annotated tables are another witness."""
    schemas = json.loads((shared_data / "beaver" / "dev_tables.json").read_text())
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for schema in schemas.values():
        columns = [name.lower() for name in schema["column_names_original"]]
        tables[schema["db_id"].lower()].append(
            {"table_key": schema["table_name_original"].lower(), "columns": columns}
        )
    found: dict[str, dict[str, tuple[set[str], set[str]]]] = {"sql": {}, "oracle_sql": {}}
    n_read = Counter[str]()
    for name in ("dw", "nw"):
        questions = json.loads((shared_data / "beaver" / f"dev_{name}.json").read_text())
        for place, question in enumerate(questions):
            outline = json.dumps(tables[question["db_id"].lower()])
            wanted = {table.split("#sep#")[-1].lower() for table in question["gold_tables"]}
            for field, dialect in (("sql", "mysql"), ("oracle_sql", "oracle")):
                if question.get(field):
                    labels = sql_labels(question[field], dialect, outline)
                    assert labels["reason"] is None, (place, dialect, labels["detail"])
                    n_read[dialect] += 1
                    if set(labels["tables"]) != wanted:
                        read = set(labels["tables"])
                        found[field][str(place)] = (read - wanted, wanted - read)
    assert n_read == {"mysql": 209, "oracle": 121}
    assert found == {"sql": {}, "oracle_sql": ANNOTATED_FOR_MYSQL}
