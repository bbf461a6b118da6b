"""Components of queries, their two spellings, and published keys that must lead back to them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from glue.sql.components import KNOWLEDGE_TYPES, REASONS, sql_components
from glue.sql.knowledge_keys import knowledge_key
from glue.tokens import count_tokens
from glue.udfs import register

SCHOOLS = {
    "frpm": ["cdscode", "county name", "free meal count (k-12)", "enrollment (k-12)"],
    "satscores": ["cds", "sname", "numtsttakr", "numge1500", "avgscrmath"],
    "schools": ["cdscode", "county", "charter", "fundingtype", "city", "opendate"],
}
PEOPLE = {
    "person": ["id", "name", "age", "boss_id", "city_id"],
    "city": ["id", "city_name", "size", "country_id"],
    "country": ["id", "country_name"],
}
MAX_SECONDS = 10
"""Of the processor, for any text: a bound that other work on the machine does not reach."""

Found = list[tuple[str, str]]


def outline(catalog: dict[str, list[str]]) -> str:
    return json.dumps([{"table_key": table, "columns": columns} for table, columns in catalog.items()])


def read(sql: str, catalog: dict[str, list[str]] = PEOPLE, dialect: str = "sqlite") -> list[dict[str, Any]]:
    found = sql_components(sql, dialect, outline(catalog))
    assert (found["parse_outcome"], found["reason"], found["detail"]) == ("parsed", None, None)
    components: list[dict[str, Any]] = found["components"]
    assert [each["component_number"] for each in components] == list(range(1, len(components) + 1))
    assert [each["knowledge_type"] for each in components].count("full_sql") == 1
    assert components[-1]["knowledge_type"] == "full_sql"
    assert found["full_skeleton"] == components[-1]["skeleton"]
    return components


def pieces(sql: str, catalog: dict[str, list[str]] = PEOPLE) -> Found:
    """Type and published spelling of every component but the whole."""
    return [(each["knowledge_type"], each["published_skeleton"]) for each in read(sql, catalog)[:-1]]


def skeletons(sql: str, dialect: str = "sqlite") -> Counter[tuple[str, str]]:
    return Counter((each["knowledge_type"], each["skeleton"]) for each in read(sql, PEOPLE, dialect))


def key(text: str, catalog: dict[str, list[str]] = PEOPLE) -> tuple[str | None, str | None]:
    found = knowledge_key(text, "sqlite", outline(catalog))
    assert (found["outcome"] == "read") == (found["error"] is None)
    return found["knowledge_type"], found["skeleton"]


# Which pieces

PIECES: dict[str, tuple[str, Found]] = {
    "one table and plain columns are none": ("SELECT name, age FROM person", []),
    "conditions are split at AND and OR, and NOT stays": (
        "SELECT name FROM person WHERE age > 3 AND (name = 'a' OR NOT (id = 1 OR id = 2)) AND id IS NULL",
        [
            ("condition", "person.age > <val>"),
            ("condition", "person.name='<val>'"),
            ("condition", "NOT (person.id = <val> OR person.id = <val>)"),
            ("condition", "person.id IS NULL"),
        ],
    ),
    "BETWEEN has an AND of its own": (
        "SELECT name FROM person WHERE age BETWEEN 1 AND 2 AND id IN (1, 2, 3)",
        [("condition", "person.age BETWEEN <val> AND <val>"), ("condition", "person.id IN (<val>)")],
    ),
    "a calculation computes": (
        "SELECT name, COUNT(*) AS n, age + 1, 7, 'x', NULL, CASE WHEN age > 3 THEN 1 ELSE 0 END, "
        "MAX(age, id) FROM person",
        [
            ("calculation", "COUNT(*)"),
            ("calculation", "person.age + <val>"),
            ("calculation", "CASE WHEN person.age > <val> THEN <val> ELSE <val> END"),
            ("calculation", "MAX(person.age, person.id)"),
        ],
    ),
    "a predicate in SELECT is a calculation": (
        "SELECT age > 3 FROM person",
        [("calculation", "SELECT person.age > <val>")],
    ),
    "a condition need not be a predicate": (
        "SELECT name FROM person WHERE INSTR(name, 'x') AND age AND 1",
        [("condition", "WHERE INSTR(person.name, '<val>')"), ("condition", "WHERE person.age")],
    ),
    "a join keeps its aliases, the rest gets the tables' names": (
        "SELECT T1.name FROM person AS T1 INNER JOIN city AS T2 ON T1.city_id = T2.id WHERE T2.size > 9",
        [
            ("relation", "FROM person AS T1 INNER JOIN city AS T2 ON T1.city_id = T2.id"),
            ("condition", "city.size > <val>"),
        ],
    ),
    "a comma joins by WHERE, whose part is then no condition": (
        "SELECT name FROM person, city WHERE city_id = city.id AND size > 9",
        [
            ("relation", "FROM person CROSS JOIN city WHERE city_id = city.id"),
            ("condition", "city.size > <val>"),
        ],
    ),
    "groups, their conditions and their order": (
        "SELECT city_id FROM person GROUP BY city_id HAVING COUNT(*) > 2 ORDER BY AVG(age) DESC LIMIT 3",
        [
            ("dimension", "GROUP BY person.city_id"),
            ("condition", "COUNT(*) > <val>"),
            ("output", "ORDER BY AVG(person.age) DESC LIMIT <val>"),
            ("calculation", "AVG(person.age)"),
        ],
    ),
    "numbers and aliases stand for columns of SELECT": (
        "SELECT name AS n, SUM(age) AS total FROM person GROUP BY 1 ORDER BY total, 1 DESC",
        [
            ("calculation", "SUM(person.age)"),
            ("dimension", "GROUP BY person.name"),
            ("output", "ORDER BY SUM(person.age) ASC, person.name DESC"),
        ],
    ),
    "a group is a column where one has the alias's name": (
        "SELECT UPPER(name) AS name FROM person GROUP BY name ORDER BY (name)",
        [
            ("calculation", "UPPER(person.name)"),
            ("dimension", "GROUP BY person.name"),
            ("output", "ORDER BY UPPER(person.name) ASC"),
        ],
    ),
    "limits": ("SELECT name FROM person LIMIT 3 OFFSET 2", [("output", "LIMIT <val> OFFSET <val>")]),
    "distinct rows": (
        "SELECT DISTINCT name, age FROM person",
        [("output", "SELECT DISTINCT person.name, person.age")],
    ),
    "distinct values are a calculation": (
        "SELECT COUNT(DISTINCT name) FROM person",
        [("calculation", "COUNT(DISTINCT person.name)")],
    ),
    "a subquery is read too": (
        "SELECT name FROM person WHERE age = (SELECT MAX(age) FROM person WHERE id > 1)",
        [
            ("condition", "person.age=(SELECT MAX(age) FROM person WHERE id > <val>)"),
            ("calculation", "MAX(person.age)"),
            ("condition", "person.id > <val>"),
        ],
    ),
    "what comes from around a subquery is named by its table": (
        "SELECT name FROM person p WHERE EXISTS (SELECT 1 FROM city AS c WHERE c.id = p.city_id)",
        [
            ("condition", "EXISTS(SELECT <val> FROM city AS c WHERE c.id = person.city_id)"),
            ("condition", "city.id=person.city_id"),
        ],
    ),
    "a derived table and a CTE are followed": (
        "WITH old AS (SELECT id, age * 2 AS twice FROM person) SELECT id FROM old WHERE twice > 5 AND id = 1",
        [
            ("calculation", "person.age * <val>"),
            ("condition", "(person.age * <val>) > <val>"),
            ("condition", "person.id=<val>"),
        ],
    ),
    "a CTE is written out where a piece reads it": (
        "WITH old AS (SELECT id FROM person) SELECT 1 FROM old JOIN city ON old.id = city.id",
        [("relation", "FROM (SELECT id FROM person) AS old JOIN city ON old.id = city.id")],
    ),
    "branches of a set operation": (
        "SELECT name FROM person WHERE id = 1 UNION SELECT city_name FROM city ORDER BY name LIMIT 1",
        [("condition", "person.id=<val>"), ("output", "ORDER BY person.name ASC LIMIT <val>")],
    ),
    "a window": (
        "SELECT RANK() OVER (PARTITION BY city_id ORDER BY age DESC) FROM person",
        [
            ("calculation", "RANK() OVER (PARTITION BY person.city_id ORDER BY person.age DESC)"),
            ("dimension", "PARTITION BY person.city_id"),
            ("output", "ORDER BY person.age DESC"),
        ],
    ),
    "a table with itself": (
        "SELECT a.name FROM person a, person b WHERE a.boss_id = b.id AND a.age > b.age AND b.name = 'x'",
        [
            ("relation", "FROM person AS a CROSS JOIN person AS b WHERE a.boss_id = b.id"),
            ("condition", 'person.age > "person#2".age'),
            ("condition", "person.name='<val>'"),
        ],
    ),
    "SQLite's text in double quotes": (
        'SELECT name FROM person WHERE name = "Ada" AND "age" = 3',
        [("condition", "person.name='<val>'"), ("condition", 'person."age"=<val>')],
    ),
}


@pytest.mark.parametrize(("sql", "expected"), PIECES.values(), ids=PIECES)
def test_pieces(sql: str, expected: Found) -> None:
    assert pieces(sql) == expected


def test_a_component_says_where_it_stands_and_how_it_is_written() -> None:
    sql = """SELECT count( * )  /* all */ FROM person AS p join city c on p.city_id=c.id
        WHERE (p.age>3) and exists (select 1 from country)
        GROUP BY c.size ORDER BY  sum(p.age) desc limit 2;"""
    assert [(each["clause"], each["sql_substring"]) for each in read(sql)] == [
        ("select", "count( * )"),
        ("from", "FROM person AS p join city c on p.city_id=c.id"),
        ("where", "p.age>3"),
        ("where", "exists (select 1 from country)"),
        ("group by", "GROUP BY c.size"),
        ("order by", "ORDER BY  sum(p.age) desc limit 2"),
        ("order by", "sum(p.age)"),
        ("statement", sql.strip()),
    ]


def test_what_an_alias_stands_for_keeps_its_brackets() -> None:
    sql = "SELECT age = 1 OR id = 2 AS q FROM person GROUP BY name HAVING NOT q"
    (having,) = (each for each in read(sql) if each["clause"] == "having")
    assert having["published_skeleton"] == "NOT (person.age = <val> OR person.id = <val>)"
    back = knowledge_key(having["published_skeleton"], "sqlite", outline(PEOPLE))
    assert back["skeleton"] == having["skeleton"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "WITH c AS (SELECT id, age + 1 AS n FROM person) SELECT DISTINCT id, n FROM c",
            "SELECT DISTINCT person.id, (person.age + <val>)",
        ),
        (
            "WITH c AS (SELECT MAX(age) AS n FROM person) SELECT DISTINCT a.n / b.n FROM c AS a JOIN c AS b",
            'SELECT DISTINCT MAX(person.age) / MAX("person#2".age)',
        ),
    ],
)
def test_uses_of_a_table_are_numbered_by_the_reading_of_the_cte(sql: str, expected: str) -> None:
    (found,) = (each for each in read(sql) if each["clause"] == "distinct")
    assert found["published_skeleton"] == expected
    assert knowledge_key(expected, "sqlite", outline(PEOPLE))["skeleton"] == found["skeleton"]


# What is one item

SAME: dict[str, tuple[str, ...]] = {
    "aliases, case, quotes, brackets": (
        "SELECT p.name FROM person AS p WHERE p.age > 3",
        'select ((PERSON."Name")) from Person where (`AGE`) > 3',
        "SELECT [name] FROM person x WHERE 4.5 < x.age",
    ),
    "values": (
        "SELECT name FROM person WHERE name = 'a' AND age IN (1, 2) AND id = -1 LIMIT 1",
        "SELECT name FROM person WHERE name = 'it''s' AND age IN (7) AND id = 0 LIMIT 99",
    ),
    "sides and parts": (
        "SELECT name FROM person WHERE age = 3 AND id <> 1 AND boss_id + city_id >= 2",
        "SELECT name FROM person WHERE 2 <= city_id + boss_id AND 1 != id AND 3 = age",
    ),
    "inner joins": (
        "SELECT 1 FROM person p JOIN city c ON p.city_id = c.id JOIN country k ON k.id = c.country_id",
        "SELECT 1 FROM country JOIN city ON country_id = country.id INNER JOIN person ON city.id = city_id",
        "SELECT 1 FROM person, city, country WHERE city_id = city.id AND country_id = country.id",
    ),
    "an outer join from either side": (
        "SELECT 1 FROM person LEFT JOIN city ON person.city_id = city.id",
        "SELECT 1 FROM city RIGHT OUTER JOIN person ON city.id = person.city_id",
    ),
    "a table with itself": (
        "SELECT 1 FROM person a JOIN person b ON a.boss_id = b.id WHERE a.age > b.age",
        "SELECT 1 FROM person z JOIN person y ON z.id = y.boss_id WHERE z.age < y.age",
    ),
    "three uses of a table": (
        "SELECT 1 FROM person a JOIN person b ON a.boss_id = b.id JOIN person c ON b.boss_id = c.id",
        "SELECT 1 FROM person c JOIN person b ON c.id = b.boss_id JOIN person a ON a.boss_id = b.id",
    ),
    "commas after an outer join": (
        "SELECT 1 FROM person LEFT JOIN city ON city_id = city.id, country WHERE country_id = country.id",
        "SELECT 1 FROM person LEFT JOIN city ON city_id = city.id JOIN country ON country_id = country.id",
    ),
    "terms of PARTITION BY": (
        "SELECT RANK() OVER (PARTITION BY name, age ORDER BY id) FROM person",
        "SELECT RANK() OVER (PARTITION BY age, name ORDER BY id) FROM person",
    ),
    "an alias and what it stands for": (
        "SELECT age = 1 OR id = 2 AS q FROM person GROUP BY name HAVING NOT q AND MAX(id) > 3",
        "SELECT age = 1 OR id = 2 FROM person GROUP BY name HAVING MAX(id) > 3 AND NOT (age = 1 OR id = 2)",
    ),
    "a derived table": (
        "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM person GROUP BY city_id)",
        "SELECT MAX(q.k) FROM (SELECT COUNT(1) AS k FROM person AS p GROUP BY p.city_id) AS q",
    ),
    "IIF and CASE": (
        "SELECT SUM(IIF(age > 3, 1, NULL)) FROM person",
        "SELECT SUM(CASE WHEN age > 3 THEN 1 END) FROM person",
    ),
    "types that are cast to alike": (
        "SELECT CAST(age AS REAL) FROM person",
        "SELECT CAST(age AS FLOAT) FROM person",
    ),
    "terms of GROUP BY and SELECT DISTINCT": (
        "SELECT DISTINCT name, age FROM person GROUP BY name, age",
        "SELECT DISTINCT age, name FROM person GROUP BY 1, name",
    ),
}
DIFFERENT: dict[str, tuple[str, str]] = {
    "operators": ("SELECT 1 FROM person WHERE age > 3", "SELECT 1 FROM person WHERE age >= 3"),
    "NULL and a value": ("SELECT 1 FROM person WHERE age = NULL", "SELECT 1 FROM person WHERE age = 1"),
    "TRUE and FALSE": ("SELECT 1 FROM person WHERE age IS TRUE", "SELECT 1 FROM person WHERE age IS FALSE"),
    "subtraction has an order": ("SELECT age - id FROM person", "SELECT id - age FROM person"),
    "brackets that count": ("SELECT age - (id - 1) FROM person", "SELECT (age - id) - 1 FROM person"),
    "directions": ("SELECT 1 FROM person ORDER BY age", "SELECT 1 FROM person ORDER BY age DESC"),
    "the order of terms": ("SELECT 1 FROM person ORDER BY age, id", "SELECT 1 FROM person ORDER BY id, age"),
    "LEFT and INNER": (
        "SELECT 1 FROM person LEFT JOIN city ON city_id = city.id",
        "SELECT 1 FROM person JOIN city ON city_id = city.id",
    ),
    "WHERE and ON of an outer join": (
        "SELECT 1 FROM person, city LEFT JOIN country ON size = 1 WHERE city.country_id = country.id",
        "SELECT 1 FROM person, city LEFT JOIN country ON size = 1 AND city.country_id = country.id",
    ),
    "what a RIGHT JOIN keeps": (
        "SELECT 1 FROM person, city RIGHT JOIN country ON size = 1 WHERE city_id = city.id",
        "SELECT 1 FROM person JOIN city ON city_id = city.id RIGHT JOIN country ON size = 1",
    ),
    "what is kept by a LEFT JOIN": (
        "SELECT 1 FROM person LEFT JOIN city ON city_id = city.id",
        "SELECT 1 FROM city LEFT JOIN person ON city_id = city.id",
    ),
    "AND and OR in an expression": (
        "SELECT SUM(CASE WHEN age > 3 AND id > 1 THEN 1 END) FROM person",
        "SELECT SUM(CASE WHEN age > 3 OR id > 1 THEN 1 END) FROM person",
    ),
    "one table and two": (
        "SELECT 1 FROM person a JOIN person b ON a.id = b.id WHERE a.age > a.id",
        "SELECT 1 FROM person a JOIN person b ON a.id = b.id WHERE a.age > b.id",
    ),
    "DISTINCT": ("SELECT COUNT(name) FROM person", "SELECT COUNT(DISTINCT name) FROM person"),
}


@pytest.mark.parametrize("sqls", SAME.values(), ids=SAME)
def test_writing_does_not_count(sqls: tuple[str, ...]) -> None:
    first, *others = (skeletons(sql) for sql in sqls)
    assert others == [first] * len(others)


@pytest.mark.parametrize("sqls", DIFFERENT.values(), ids=DIFFERENT)
def test_meaning_counts(sqls: tuple[str, str]) -> None:
    one, other = (skeletons(sql) for sql in sqls)
    assert one != other


def test_names_are_as_certain_as_text_and_catalog_make_them() -> None:
    sql = "SELECT 1 FROM person JOIN city ON city_id = city.id WHERE size > 3 AND id = 4 AND weight = 5"
    conditions = [each["skeleton"] for each in read(sql) if each["knowledge_type"] == "condition"]
    assert conditions == ["city.size > <val>", "?.id = <val>", "?.weight = <val>"]


def test_without_a_catalog_the_text_alone_tells() -> None:
    found = read("SELECT 1 FROM person p WHERE age > 3 AND p.id = 4", {})
    assert [each["skeleton"] for each in found[:-1]] == ["person.age > <val>", "person.id = <val>"]


# Published keys

FIGURE_4 = {
    "schools.Charter=<val>": ("condition", "SELECT City FROM schools AS s WHERE 1 = s.Charter"),
    "schools.FundingType='<val>'": (
        "condition",
        "SELECT City FROM schools WHERE FundingType = 'Directly funded'",
    ),
    "schools.FundingType=’<val>’": (
        "condition",
        "SELECT City FROM schools WHERE FundingType = 'Directly funded'",
    ),
    "schools.County = '<val>'": (
        "condition",
        "SELECT City FROM schools T WHERE T.County = 'Alameda' OR City = 'x'",
    ),
    "FROM frpm AS T1 INNER JOIN schools AS T2 ON T1.CDSCode = T2.CDSCode": (
        "relation",
        "SELECT 1 FROM schools INNER JOIN frpm ON schools.CDSCode = frpm.CDSCode",
    ),
}
TABLE_7 = {
    "CAST(COUNT(CASE WHEN T.name = 'cl' THEN T.age ELSE NULL END) AS REAL) * 100 / COUNT(T.age)": (
        "calculation",
        "SELECT CAST(COUNT(IIF(name = 'na', age, NULL)) AS REAL) * 100.0 / COUNT(age) FROM person",
    ),
    "ORDER BY SUM(T1.age + T1.boss_id)": (
        "calculation",
        "SELECT name FROM person AS p GROUP BY name ORDER BY SUM(p.boss_id + p.age) DESC LIMIT 1",
    ),
    "SUBSTRING(T1.name,1,4)='2019'": ("condition", "SELECT 1 FROM person WHERE SUBSTR(name, 1, 4) = '2020'"),
    "person.name = '-'": ("condition", "SELECT id FROM person AS T1 WHERE T1.name = '+'"),
    "FROM person T1 INNER JOIN city T2 ON T1.city_id = T2.id": (
        "relation",
        "SELECT 1 FROM city JOIN person ON city.id = city_id",
    ),
    "GROUP BY country_name, city_name": (
        "dimension",
        "SELECT 1 FROM city JOIN country ON country_id = country.id GROUP BY city_name, country_name",
    ),
    "ORDER BY age DESC LIMIT 10": ("output", "SELECT age AS result FROM person ORDER BY result DESC LIMIT 5"),
    "SELECT DISTINCT age, name": ("output", "SELECT DISTINCT T.name, T.age FROM person T"),
    "SELECT COUNT(*) FROM person WHERE age > <val>": (
        "full_sql",
        "SELECT COUNT(*) FROM person AS p WHERE p.age > 3",
    ),
}


@pytest.mark.parametrize(
    ("text", "knowledge_type", "sql", "catalog"),
    [(text, *expected, SCHOOLS) for text, expected in FIGURE_4.items()]
    + [(text, *expected, PEOPLE) for text, expected in TABLE_7.items()],
)
def test_keys_of_the_paper_lead_to_components(
    text: str, knowledge_type: str, sql: str, catalog: dict[str, list[str]]
) -> None:
    """Figure 4's keys, and Table 7's examples on another schema."""
    found = key(text, catalog)
    assert found[0] == knowledge_type
    assert found in [(each["knowledge_type"], each["skeleton"]) for each in read(sql, catalog)]


def test_an_undeclared_alias_is_the_only_table_with_all_its_columns() -> None:
    assert key("T1.age > <val>") == ("condition", "person.age > <val>")
    assert key("T1.id = <val>") == ("condition", "?.id = <val>")
    assert key("T1.id + T1.age > <val>") == ("condition", "(person.age + person.id) > <val>")


NO_KEYS = (
    *("", "  ", ";", "<val>", "person.age", "FROM person", "GROUP BY", "ORDER BY", "JOIN city ON a = b"),
    *("SELECT name", "a = ", "DROP TABLE person", "a = 1; b = 2", "(" * 5000, "x" * 200_000),
)


@pytest.mark.parametrize("text", NO_KEYS, ids=lambda text: text[:20])
def test_no_key_raises(text: str) -> None:
    found = knowledge_key(text, "sqlite", outline(PEOPLE))
    assert (found["outcome"], found["knowledge_type"], found["skeleton"]) == ("unread", None, None)
    assert found["error"]


# BIRD dev


@pytest.fixture(scope="module")
def golds(shared_data: Path) -> list[tuple[str, str]]:
    """Text and outline of every gold of BIRD dev."""
    folder = shared_data / "bird" / "meta"
    outlines = {}
    for database in json.loads((folder / "dev_tables.json").read_text()):
        columns = database["column_names_original"]
        outlines[database["db_id"]] = outline(
            {
                table.lower(): [name.lower() for place, name in columns if place == number]
                for number, table in enumerate(database["table_names_original"])
            }
        )
    return [(row["SQL"], outlines[row["db_id"]]) for row in json.loads((folder / "dev.json").read_text())]


@pytest.fixture(scope="module")
def readings(golds: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """What is read off every gold."""
    return [sql_components(sql, "sqlite", catalog) for sql, catalog in golds]


def test_every_published_spelling_leads_back(
    golds: list[tuple[str, str]], readings: list[dict[str, Any]]
) -> None:
    """The share is all of them; the counts are those of docs/history.md."""
    by_type: Counter[str] = Counter()
    lost = []
    for (_, catalog), reading in zip(golds, readings, strict=True):
        for each in reading["components"]:
            by_type[each["knowledge_type"]] += 1
            back = knowledge_key(each["published_skeleton"], "sqlite", catalog)
            if (back["knowledge_type"], back["skeleton"]) != (each["knowledge_type"], each["skeleton"]):
                lost.append((each, back))
    assert lost == []
    assert by_type == {
        "calculation": 770,
        "condition": 2279,
        "relation": 1150,
        "dimension": 123,
        "output": 495,
        "full_sql": 1534,
    }


def test_sizes_are_those_of_the_paper(golds: list[tuple[str, str]], readings: list[dict[str, Any]]) -> None:
    """Table 1 but for the tokens, which are another tokenizer's."""
    means = {
        name: round(sum(each[name] for each in readings) / len(readings), 2)
        for name in ("n_functions", "n_subqueries", "join_length", "nesting_depth")
    }
    assert means == {"n_functions": 1.74, "n_subqueries": 0.1, "join_length": 1.92, "nesting_depth": 1.09}
    tokens = count_tokens([sql for sql, _ in golds], "o200k_base")
    assert round(sum(count or 0 for count in tokens) / len(tokens), 2) == 50.01


def _rename_aliases(tree: exp.Expr) -> None:
    aliases = [alias for alias in tree.find_all(exp.TableAlias) if alias.this]
    names = {alias.this.name.lower() for alias in aliases}
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    columns = [column.args.get("table") for column in tree.find_all(exp.Column)]
    readings = [table.this for table in tree.find_all(exp.Table) if table.name.lower() in ctes]
    for name in [*(alias.this for alias in aliases), *columns, *readings]:
        if name is not None and name.name.lower() in names:
            name.set("this", f"renamed_{name.name[::-1]}")


def _swap_sides(tree: exp.Expr) -> None:
    for node in tree.find_all(exp.EQ, exp.NEQ):
        left, right = node.this, node.expression
        node.set("this", right)
        node.set("expression", left)


def _mirror(tree: exp.Expr) -> None:
    mirrored = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}
    for node in list(tree.find_all(*mirrored)):
        node.replace(mirrored[type(node)](this=node.expression.copy(), expression=node.this.copy()))


def _swap_parts(tree: exp.Expr) -> None:
    for node in tree.find_all(exp.And, exp.Or):
        left, right = (
            exp.Paren(this=part) if isinstance(part, exp.Connector) else part
            for part in (node.this, node.expression)
        )
        node.set("this", right)
        node.set("expression", left)


def _change_values(tree: exp.Expr) -> None:
    for node in tree.find_all(exp.Literal):
        if not isinstance(node.parent, exp.Ordered):
            node.set("this", "changed" if node.is_string else "7")


def _change_case(tree: exp.Expr) -> None:
    for node in tree.find_all(exp.Identifier):
        node.set("this", str(node.this).swapcase())


def _swap_tables(tree: exp.Expr) -> None:
    for select in tree.find_all(exp.Select):
        joins = select.args.get("joins") or []
        if joins and joins[0].args.get("on") and not any(join.side for join in joins):
            first, second = select.args["from_"].this, joins[0].this
            select.args["from_"].set("this", second)
            joins[0].set("this", first)


@pytest.mark.parametrize(
    "change",
    [_rename_aliases, _swap_sides, _mirror, _swap_parts, _change_values, _change_case, _swap_tables],
)
def test_skeletons_do_not_change(
    golds: list[tuple[str, str]], readings: list[dict[str, Any]], change: Callable[[exp.Expr], None]
) -> None:
    changed = []
    for (sql, catalog), reading in zip(golds, readings, strict=True):
        tree = sqlglot.parse_one(sql, read="sqlite")
        change(tree)
        other = tree.sql("sqlite")
        found = [
            Counter((each["knowledge_type"], each["skeleton"]) for each in one["components"])
            for one in (reading, sql_components(other, "sqlite", catalog))
        ]
        if found[0] != found[1]:
            changed.append((sql, other))
    assert changed == []


def test_pieces_are_as_written(golds: list[tuple[str, str]], readings: list[dict[str, Any]]) -> None:
    """What stands in `sql_substring` stands in the text; a relation with commas is two parts of it."""
    for (sql, _), reading in zip(golds, readings, strict=True):
        for each in reading["components"]:
            if each["knowledge_type"] == "relation" and " WHERE " in each["sql_substring"]:
                continue
            assert each["sql_substring"] in sql


# Hostile texts

_WIDTH = 95_000
HOSTILE = {
    "long OR": "SELECT age FROM person WHERE " + " OR ".join(["age=1"] * (_WIDTH // 9)),
    "long AND in a CASE": "SELECT SUM(CASE WHEN "
    + " AND ".join(["age=1"] * 5_000)
    + " THEN 1 END) FROM person",
    "a sum": "SELECT " + "+".join(["age"] * 15_000) + " FROM person",
    "signs that alternate": "SELECT " + "age+id-" * 5_000 + "1 FROM person",
    "a list of IN": "SELECT 1 FROM person WHERE age IN (" + ",".join(["1"] * (_WIDTH // 2)) + ")",
    "many joins": "SELECT 1 FROM person" + " JOIN person ON 1=1" * (_WIDTH // 20),
    "many commas": "SELECT 1 FROM person" + ",person" * 12_000,
    "commas that WHERE joins": "SELECT 1 FROM person p0"
    + "".join(f", person p{n}" for n in range(1, 1_500))
    + " WHERE "
    + " AND ".join(f"p{n}.id=p{n - 1}.boss_id" for n in range(1, 1_000)),
    "joins with themselves": "SELECT 1 FROM person p0"
    + "".join(f" JOIN person p{n} ON p{n}.id=p{n - 1}.boss_id" for n in range(1, 1_500)),
    "many branches": " UNION ".join(["SELECT age FROM person"] * (_WIDTH // 30)),
    "deep subqueries": "SELECT 1 FROM person WHERE age IN (" * 60 + "1" + ")" * 60,
    "deeper subqueries": "SELECT 1 FROM person WHERE age IN (" * 190 + "1" + ")" * 190,
    "deep brackets": "(" * 50_000,
    "CTEs that double": "WITH c0 AS (SELECT id, age FROM person)"
    + "".join(
        f", c{n} AS (SELECT x.id, y.age FROM c{n - 1} x JOIN c{n - 1} y ON x.id=y.age)" for n in range(1, 30)
    )
    + " SELECT id FROM c29 WHERE age = 1",
    "columns that double": "WITH c0 AS (SELECT age + 1 AS v FROM person)"
    + "".join(f", c{n} AS (SELECT v + v AS v FROM c{n - 1})" for n in range(1, 300))
    + " SELECT v FROM c299 WHERE v = 1",
    "a recursive CTE": "WITH RECURSIVE r AS (SELECT id FROM person UNION ALL SELECT r.id + 1 FROM r "
    "JOIN city ON r.id = city.id WHERE r.id < 5) SELECT 1 FROM r JOIN person ON r.id = age WHERE r.id = 3",
    "an alias of itself": "SELECT age + 1 AS weight, weight + 1 AS weight FROM person ORDER BY weight + 1",
    "many subqueries": "SELECT " + ",".join(["(SELECT MAX(age) FROM person)"] * 3_000) + " FROM person",
}


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_end_soon(sql: str) -> None:
    for dialect in ("sqlite", "duckdb"):
        start = time.process_time()
        found = sql_components(sql, dialect, outline(PEOPLE))
        knowledge_key(sql, dialect, outline(PEOPLE))
        assert time.process_time() - start < MAX_SECONDS
        assert found["reason"] in (None, *REASONS)
        assert (found["reason"] is None) == bool(found["components"])
        assert all(each["knowledge_type"] in KNOWLEDGE_TYPES for each in found["components"])


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "empty"),
        ("-- nothing", "empty"),
        ("SELEC 1", "does_not_parse"),
        ("SELECT 1; SELECT 2", "several_statements"),
        ("DROP TABLE person", "not_a_query"),
        ("WITH a AS (DELETE FROM person RETURNING id) SELECT * FROM a", "not_a_query"),
        ("SELECT '" + "x" * 200_000 + "'", "too_large"),
        ("SELECT '\ud800'", "does_not_parse"),
    ],
)
def test_a_text_without_components_says_why(sql: str, reason: str) -> None:
    dialect = "postgres" if "DELETE" in sql else "sqlite"
    found = sql_components(sql, dialect, "[]")
    assert (found["reason"], found["components"], found["full_skeleton"]) == (reason, [], None)
    assert found["join_length"] is None


# As SQL calls them


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    register(connection)
    return connection


def test_sql_gets_every_field(connection: duckdb.DuckDBPyConnection) -> None:
    row = connection.execute(
        "select sql_components('SELECT age FROM person LIMIT 3', 'sqlite', ?)", [outline(PEOPLE)]
    ).fetchone()
    assert row is not None
    assert row[0] == sql_components("SELECT age FROM person LIMIT 3", "sqlite", outline(PEOPLE))
    row = connection.execute("select knowledge_key('LIMIT <val>', 'sqlite', null)").fetchone()
    assert row == ({"outcome": "read", "knowledge_type": "output", "skeleton": "limit <val>", "error": None},)


@pytest.mark.parametrize(("outline_given", "reason"), [(None, None), ("[]", None), ("{", "reader_failed")])
def test_no_outline_breaks_a_query(
    connection: duckdb.DuckDBPyConnection, outline_given: str | None, reason: str | None
) -> None:
    row = connection.execute(
        "select sql_components('SELECT 1 FROM t', 'sqlite', ?).reason, "
        "sql_components(null, null, null).reason, knowledge_key(null, null, null).outcome, "
        "knowledge_key('a = 1', 'klingon', ?).outcome",
        [outline_given, outline_given],
    ).fetchone()
    assert row == (reason, "empty", "unread", "unread")
