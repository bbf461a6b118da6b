"""Relevance labels of small statements, by hand: which tables and columns are needed, and for what."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest

from glue.sql import roles
from glue.sql.labels import REASONS, sql_labels
from glue.sql.shown_columns import read_catalog
from tests.sql.label_helpers import OUTLINE, Labels, as_outline, check, each

PROJECT = Path(__file__).resolve().parents[2]

CLAUSES = {
    "every clause": (
        "SELECT name, COUNT(*) FROM person WHERE age > 3 GROUP BY name HAVING MIN(boss_id) > 1 ORDER BY "
        "city_id",
        {
            "person.name": "group select",
            "person.age": "filter",
            "person.boss_id": "aggregate having",
            "person.city_id": "order",
        },
    ),
    "an aggregate in SELECT is both": (
        "SELECT SUM(age) / COUNT(id) FROM person",
        {"person.age": "aggregate select", "person.id": "aggregate select"},
    ),
    "an aggregate in ORDER BY is both": (
        "SELECT name FROM person GROUP BY name ORDER BY AVG(age) DESC",
        {"person.name": "group select", "person.age": "aggregate order"},
    ),
    "a condition within an aggregate": (
        "SELECT SUM(CASE WHEN age > 3 THEN id ELSE boss_id END), COUNT(IIF(name = 'x', 1, NULL)) FROM person",
        {
            "person.age": "aggregate condition select",
            "person.id": "aggregate select",
            "person.boss_id": "aggregate select",
            "person.name": "aggregate condition select",
        },
    ),
    "a case with an operand": (
        "SELECT CASE name WHEN city_id THEN age END FROM person",
        {"person.name": "condition select", "person.city_id": "condition select", "person.age": "select"},
    ),
    "the filter of an aggregate": (
        "SELECT SUM(age) FILTER (WHERE name = 'x') FROM person",
        {"person.age": "aggregate select", "person.name": "filter select"},
    ),
    "min of two arguments is no aggregate": (
        "SELECT MIN(age, id) FROM person",
        {"person.age": "select", "person.id": "select"},
    ),
    "order within an aggregate": (
        "SELECT GROUP_CONCAT(name ORDER BY age) FROM person",
        {"person.name": "aggregate select", "person.age": "aggregate order select"},
    ),
    "a window": (
        "SELECT SUM(age) OVER (PARTITION BY city_id ORDER BY id) FROM person",
        {
            "person.age": "select window",
            "person.city_id": "partition select",
            "person.id": "select window_order",
        },
    ),
    "a named window": (
        "SELECT RANK() OVER w FROM person WINDOW w AS (PARTITION BY city_id ORDER BY age)",
        {"person.city_id": "partition", "person.age": "window_order"},
    ),
    "a window over an aggregate": (
        "SELECT city_id, RANK() OVER (ORDER BY SUM(age)) FROM person GROUP BY city_id",
        {"person.city_id": "group select", "person.age": "aggregate select window_order"},
    ),
    "distinct": ("SELECT DISTINCT name FROM person", {"person.name": "distinct select"}),
    "a count of distinct values": (
        "SELECT COUNT(DISTINCT name) FROM person",
        {"person.name": "aggregate select"},
    ),
    "a limit from a subquery": (
        "SELECT name FROM person LIMIT (SELECT MAX(size) FROM city)",
        {"person.name": "select", "city.size": "aggregate limit"},
    ),
    "no column": ("SELECT COUNT(*) FROM person", {}),
    "the statement VALUES": ("VALUES (1), (2)", {}),
}

JOINS = {
    "on": (
        "SELECT name FROM person AS p JOIN city AS c ON p.city_id = c.id",
        {"person.name": "select", "person.city_id": "join", "city.id": "join"},
    ),
    "a constant in ON filters": (
        "SELECT name FROM person p LEFT JOIN city c ON p.city_id = c.id AND c.country = 'x' AND (c.size "
        "> 1 OR age = 2)",
        {
            "person.name": "select",
            "person.city_id": "join",
            "city.id": "join",
            "city.country": "filter",
            "city.size": "filter",
            "person.age": "filter",
        },
    ),
    "in WHERE": (
        "SELECT name FROM person, city WHERE person.city_id = city.id AND size BETWEEN 1 AND 2",
        {"person.name": "select", "person.city_id": "join", "city.id": "join", "city.size": "filter"},
    ),
    "other comparisons join too": (
        "SELECT 1 FROM person p JOIN city c ON p.age BETWEEN c.id AND c.size",
        {"person.age": "join", "city.id": "join", "city.size": "join"},
    ),
    "a table with itself": (
        "SELECT a.name FROM person a JOIN person b ON a.boss_id = b.id",
        {"person.name": "select", "person.boss_id": "join", "person.id": "join"},
    ),
    "two columns of one source filter": (
        "SELECT name FROM person WHERE id = boss_id",
        {"person.name": "select", "person.id": "filter", "person.boss_id": "filter"},
    ),
    "using": (
        "SELECT cost FROM person JOIN visit USING (city_id)",
        {"visit.cost": "select", "person.city_id": "join", "visit.city_id": "join"},
    ),
    "a name joined by USING is the left one": (
        "SELECT city_id FROM person JOIN visit USING (city_id)",
        {"person.city_id": "join select", "visit.city_id": "join"},
    ),
    "a full join takes it from both": (
        "SELECT city_id FROM person FULL JOIN visit USING (city_id)",
        {"person.city_id": "join select", "visit.city_id": "join select"},
    ),
    "natural": (
        "SELECT cost FROM person NATURAL JOIN visit",
        {"visit.cost": "select", "person.city_id": "join", "visit.city_id": "join"},
    ),
    "brackets": (
        "SELECT name FROM (person p JOIN city c ON p.city_id = c.id) JOIN visit v ON v.person_id = p.id",
        {
            "person.name": "select",
            "person.city_id": "join",
            "city.id": "join",
            "visit.person_id": "join",
            "person.id": "join",
        },
    ),
    "membership joins": (
        "SELECT name FROM person WHERE city_id IN (SELECT id FROM city WHERE size > 3)",
        {"person.name": "select", "person.city_id": "join", "city.id": "join", "city.size": "filter"},
    ),
    "a comparison with an aggregate filters": (
        "SELECT name FROM person WHERE age = (SELECT MAX(age) FROM person)",
        {"person.name": "select", "person.age": "aggregate filter"},
    ),
    "correlation joins": (
        "SELECT name FROM person p WHERE EXISTS (SELECT cost FROM visit WHERE person_id = p.id AND day "
        "= 'x')",
        {
            "person.name": "select",
            "visit.cost": "unused",
            "visit.person_id": "join",
            "person.id": "join",
            "visit.day": "filter",
        },
    ),
    "a table after IN": (
        "SELECT name FROM person WHERE id IN ids",
        {"person.name": "select", "person.id": "join", "ids.id": "join"},
    ),
    "a CTE after IN": (
        "WITH few AS (SELECT id FROM city) SELECT name FROM person WHERE city_id IN few",
        {"person.name": "select", "person.city_id": "join", "city.id": "join"},
    ),
}

PASSING = {
    "a derived table": (
        "SELECT n FROM (SELECT name AS n, age AS a, id FROM person) AS d WHERE a > 3",
        {"person.name": "select", "person.age": "filter", "person.id": "unused"},
    ),
    "an aggregate inside, a filter outside": (
        "SELECT city_id FROM (SELECT city_id, COUNT(id) AS n FROM person GROUP BY city_id) WHERE n > 3",
        {"person.city_id": "group select", "person.id": "aggregate filter"},
    ),
    "an aggregate outside": (
        "SELECT AVG(total) FROM (SELECT SUM(cost) AS total FROM visit GROUP BY person_id)",
        {"visit.cost": "aggregate select", "visit.person_id": "group"},
    ),
    "a CTE with names of its own": (
        "WITH c (x, y) AS (SELECT id, size FROM city) SELECT name FROM person JOIN c ON city_id = x "
        "ORDER BY y",
        {"person.name": "select", "person.city_id": "join", "city.id": "join", "city.size": "order"},
    ),
    "CTEs upon each other": (
        "WITH a AS (SELECT * FROM city), b AS (SELECT country FROM a WHERE size > 1) SELECT COUNT(*) FROM b",
        {
            "city.size": "filter",
            "city.country": "unused",
            "city.id": "unused",
            "city.city_name": "unused",
        },
    ),
    "a CTE nobody refers to is not read": (
        "WITH a AS (SELECT * FROM city) SELECT name FROM person",
        {"person.name": "select"},
    ),
    "a CTE after the one that reads it": (
        "WITH a AS (SELECT country FROM b), b AS (SELECT country, size FROM city) SELECT country FROM a",
        {"city.country": "select", "city.size": "unused"},
    ),
    "a recursive CTE": (
        "WITH RECURSIVE up (id, boss) AS (SELECT id, boss_id FROM person WHERE name = 'x' UNION ALL "
        "SELECT p.id, p.boss_id FROM person p JOIN up ON p.id = up.boss) SELECT id FROM up",
        {"person.id": "join select", "person.boss_id": "join", "person.name": "filter"},
    ),
    "a recursive CTE with a star": (
        "WITH RECURSIVE up AS (SELECT id FROM ids UNION ALL SELECT * FROM up) SELECT id FROM up",
        {"ids.id": "select"},
    ),
    "a recursive CTE of no table": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        {},
    ),
    "a scalar subquery": (
        "SELECT (SELECT city_name FROM city c WHERE c.id = p.city_id) FROM person p",
        {"city.city_name": "select", "city.id": "join", "person.city_id": "join"},
    ),
    "a subquery within an aggregate": (
        "SELECT SUM((SELECT size FROM city WHERE id = city_id)) FROM person",
        {"city.size": "aggregate select", "city.id": "join", "person.city_id": "join"},
    ),
    "union by place": (
        "SELECT name AS n FROM person UNION ALL SELECT city_name FROM city ORDER BY n",
        {"person.name": "order select", "city.city_name": "order select"},
    ),
    "union tells rows apart": (
        "SELECT name FROM person UNION SELECT city_name FROM city ORDER BY 1",
        {"person.name": "distinct order select", "city.city_name": "distinct order select"},
    ),
    "the name of a later branch": (
        "SELECT name FROM person EXCEPT SELECT city_name FROM city ORDER BY city_name",
        {"person.name": "distinct order select", "city.city_name": "distinct order select"},
    ),
    "a union in a derived table": (
        "SELECT a FROM (SELECT id, age AS a FROM person UNION ALL SELECT id, size FROM city) WHERE id = 3",
        {
            "person.id": "filter",
            "city.id": "filter",
            "person.age": "select",
            "city.size": "select",
        },
    ),
    "a window inside, a filter outside": (
        "SELECT name FROM (SELECT name, ROW_NUMBER() OVER (PARTITION BY city_id ORDER BY age) AS r "
        "FROM person) WHERE r = 1",
        {"person.name": "select", "person.city_id": "filter partition", "person.age": "filter window_order"},
    ),
    "values and their names": (
        "SELECT name FROM person JOIN (VALUES (1), (2)) ON id = column1",
        {"person.name": "select", "person.id": "join"},
    ),
}


@each(CLAUSES)
def test_clauses(sql: str, expected: Labels) -> None:
    check(sql, expected)


@each(JOINS)
def test_joins(sql: str, expected: Labels) -> None:
    check(sql, expected)


@each(PASSING)
def test_columns_that_pass_through(sql: str, expected: Labels) -> None:
    check(sql, expected)


@pytest.mark.parametrize(
    ("sql", "reason", "detail"),
    [
        ("SELEC name FRO person", "does_not_parse", None),
        ("", "empty", None),
        ("SELECT " + "(" * 500 + "1" + ")" * 500, "too_deep", None),
        ("SELECT '" + "x" * 200_000 + "'", "too_large", None),
        ("SELECT 1; SELECT 2", "several_statements", "2"),
        ("DELETE FROM person", "not_a_query", "delete"),
        ("SELECT nobody FROM persons", "unknown_table", "persons"),
        ("SELECT p.nobody, age, `no one` FROM person p", "unknown_column", "no one, p.nobody"),
        ('SELECT p."USA" FROM person p', "unknown_column", "p.USA"),
        ("SELECT q.name FROM person p", "unknown_column", "q.name"),
        ("SELECT id FROM person, city", "ambiguous_column", "id"),
        ("SELECT x FROM bare", "unknown_column", "x"),
        ("SELECT age + 1 AS a, a FROM person", "unknown_column", "a"),
        ("SELECT rowid FROM person, city", "unknown_column", "rowid"),
        ("SELECT name FROM person WHERE id IN (SELECT id FROM city ORDER BY age)", "unknown_column", "age"),
        ("SELECT a.size FROM ids, city a JOIN city b USING (id) WHERE id > 3", "ambiguous_column", "id"),
        (
            "SELECT name FROM person UNION SELECT city_name FROM city ORDER BY nobody",
            "unknown_column",
            "nobody",
        ),
        ("SELECT name FROM person ORDER BY (SELECT nobody FROM city)", "unknown_column", "nobody"),
    ],
)
def test_why_there_are_none(sql: str, reason: str, detail: str | None) -> None:
    found = sql_labels(sql, "sqlite", OUTLINE)
    assert found["reason"] == reason
    assert detail is None or found["detail"] == detail


def test_a_part_nobody_follows_is_said() -> None:
    sql = "SELECT * FROM person PIVOT (SUM(age) FOR name IN ('a', 'b'))"
    assert sql_labels(sql, "oracle", OUTLINE)["reason"] == "unsupported_syntax"


@pytest.mark.parametrize("outline", ["", "[]"])
def test_without_a_catalog_only_statements_of_no_table_are_covered(outline: str) -> None:
    assert sql_labels("SELECT 1", "sqlite", outline)["reason"] is None
    found = sql_labels("SELECT name FROM person", "sqlite", outline)
    assert (found["reason"], found["detail"]) == ("no_catalog", "person")


def test_what_could_be_resolved_is_there_all_the_same() -> None:
    found = sql_labels("SELECT name, nobody FROM person", "sqlite", OUTLINE)
    assert found["reason"] == "unknown_column"
    assert found["tables"] == ["person"]
    assert found["columns"] == [{"table_key": "person", "column_key": "name", "role": "select"}]


@pytest.mark.parametrize("outline", ["{", '[{"columns": []}]', "7"])
def test_an_outline_that_is_none_is_a_value(outline: str) -> None:
    assert sql_labels("SELECT a FROM t", "sqlite", outline)["reason"] == "reader_failed"


def test_many_joined_tables_are_read_quickly() -> None:
    """Names are looked up, not searched for: 2,000 conditions over 60 sources of 200 columns."""
    catalog = as_outline({"wide": [f"c{i}" for i in range(200)]})
    sources = ", ".join(f"wide t{i}" for i in range(60))
    conditions = " AND ".join(f"t{i % 60}.c{i % 200} = t{(i + 1) % 60}.c{i % 199}" for i in range(2000))
    found = sql_labels(f"SELECT 1 FROM {sources} WHERE {conditions}", "sqlite", catalog)
    assert found["reason"] is None
    assert {column["role"] for column in found["columns"]} == {"join"}


def test_long_chains_end() -> None:
    ctes = ", ".join(
        f"c{i} AS (SELECT a.x AS x, b.x AS y FROM c{i - 1} a JOIN c{i - 1} b ON a.x = b.y)"
        for i in range(1, 60)
    )
    sql = f"WITH c0 AS (SELECT id AS x, age AS y FROM person), {ctes} SELECT x FROM c59"
    check(sql, {"person.id": "join select", "person.age": "join"})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + " + ".join(f"x{i}" for i in range(14_000)) + " FROM person",
        "SELECT age AS z FROM person ORDER BY " + " + ".join(["z"] * 24_000),
        "SELECT name FROM person WHERE " + " OR ".join(f"age = {i}" for i in range(3_000)),
        "SELECT name FROM person WHERE age IN (" + ", ".join(str(i) for i in range(15_000)) + ")",
        "SELECT a FROM (VALUES " + ", ".join(f"({i})" for i in range(9_000)) + ") AS d",
        " UNION ALL ".join(["SELECT id FROM ids"] * 4_000),
        "SELECT 1 FROM " + ", ".join(f"ids i{i}" for i in range(3_000)),
        "SELECT * FROM " + " NATURAL JOIN ".join(["person"] * 150),
        "WITH c0 AS (SELECT * FROM person), "
        + ", ".join(f"c{i} AS (SELECT * FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 60))
        + " SELECT * FROM c59",
    ],
    ids=["sum", "order", "or", "in", "values", "union", "from", "natural", "doubling stars"],
)
def test_no_text_takes_long(sql: str) -> None:
    started = time.process_time()
    sql_labels(sql, "sqlite", OUTLINE)
    sql_labels(sql, "duckdb", OUTLINE)
    assert time.process_time() - started < 10


def test_the_vocabulary_is_the_seeds() -> None:
    def seed(name: str) -> list[dict[str, str]]:
        with (PROJECT / "seeds" / f"{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    assert [row["role"] for row in seed("column_roles")] == list(roles.ROLES)
    assert [row["role_position"] for row in seed("column_roles")] == [
        str(i + 1) for i in range(len(roles.ROLES))
    ]
    assert {row["reason"] for row in seed("label_reasons")} == set(REASONS)


def test_an_outline_is_read_in_order() -> None:
    outline = '[{"table_key": "t", "columns": ["b", "a"]}, {"table_key": "u", "columns": null}]'
    assert dict(read_catalog(outline)) == {"t": ("b", "a"), "u": ()}
