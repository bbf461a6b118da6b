"""Which column a name in a statement means: stars, quotes, aliases, row ids, functions, other dialects."""

from __future__ import annotations

import pytest

from tests.sql.label_helpers import Labels, check, each

NAMES = {
    "a star": (
        "SELECT * FROM city",
        {"city.id": "select", "city.city_name": "select", "city.country": "select", "city.size": "select"},
    ),
    "the star of one source": (
        "SELECT i.* FROM ids i, person WHERE person.id = i.id",
        {"ids.id": "join select", "person.id": "join"},
    ),
    "a star through a derived table": (
        "SELECT d.size FROM (SELECT c.* FROM city c) d",
        {"city.size": "select", "city.id": "unused", "city.city_name": "unused", "city.country": "unused"},
    ),
    "a star over USING": (
        "SELECT * FROM ids JOIN (SELECT id, size FROM city) AS c USING (id)",
        {"ids.id": "join select", "city.id": "join", "city.size": "select"},
    ),
    "order by a number behind a star": (
        "SELECT i.*, size FROM ids i JOIN city ON i.id = city.id ORDER BY 2",
        {"ids.id": "join select", "city.id": "join", "city.size": "order select"},
    ),
    "unqualified names": (
        "SELECT name, country FROM person JOIN city ON city_id = city.id",
        {"person.name": "select", "city.country": "select", "person.city_id": "join", "city.id": "join"},
    ),
    "an inner name comes before an outer one": (
        "SELECT name FROM person WHERE age > (SELECT id FROM city)",
        {"person.name": "select", "person.age": "join", "city.id": "join"},
    ),
    "an outer name where there is no inner one": (
        "SELECT name FROM person WHERE 3 > (SELECT COUNT(*) FROM city WHERE size = age)",
        {"person.name": "select", "person.age": "join", "city.size": "join"},
    ),
    "case counts nowhere": (
        "SELECT P.NaMe FROM PERSON p WHERE p.AGE > 1",
        {"person.name": "select", "person.age": "filter"},
    ),
    "odd names": (
        "SELECT T1.\"Free Meal Count (K-12)\", `a-b` FROM frpm AS T1 WHERE T1.[order] = 1 AND 姓名 = 'x'",
        {
            "frpm.free meal count (k-12)": "select",
            "frpm.a-b": "select",
            "frpm.order": "filter",
            "frpm.姓名": "filter",
        },
    ),
    "names with spaces": ("SELECT [x y] FROM `two words`", {"two words.x y": "select"}),
    "a schema before the table": ("SELECT main.person.name FROM main.person", {"person.name": "select"}),
    "an unknown name in double quotes is a text": (
        'SELECT name FROM person WHERE name = "USA" AND "age" > 3',
        {"person.name": "filter select", "person.age": "filter"},
    ),
    "order by an alias": (
        "SELECT age + 1 AS size FROM person ORDER BY size",
        {"person.age": "order select"},
    ),
    "an alias that is a column too": (
        "SELECT age AS name FROM person ORDER BY name",
        {"person.age": "order select"},
    ),
    "within a term the column comes first": (
        "SELECT age AS name FROM person ORDER BY name || ''",
        {"person.age": "select", "person.name": "order"},
    ),
    "group by an alias": (
        "SELECT SUBSTR(name, 1, 1) AS first, COUNT(*) AS n FROM person GROUP BY first HAVING n > 2 "
        "ORDER BY n",
        {"person.name": "group select"},
    ),
    "group by a column before an alias": (
        "SELECT age AS name FROM person GROUP BY name",
        {"person.age": "select", "person.name": "group"},
    ),
    "numbers": (
        "SELECT name, MAX(age) FROM person GROUP BY 1 ORDER BY 2 DESC",
        {"person.name": "group select", "person.age": "aggregate order select"},
    ),
    "order by a name behind a star": (
        "SELECT i.* FROM ids i JOIN city ON i.id = city.id ORDER BY id",
        {"ids.id": "join order select", "city.id": "join"},
    ),
    "an alias that two tables have": (
        "SELECT t.name FROM city t JOIN person t ON t.city_id = t.size",
        {"person.name": "select", "person.city_id": "join", "city.size": "join"},
    ),
    "row ids need no column": ("SELECT rowid, p.oid FROM person p WHERE _rowid_ = 3", {}),
    "a table function": (
        "SELECT doc_id FROM docs, json_each(docs.tags) AS tag WHERE tag.value = 'x' AND key > 1",
        {"docs.doc_id": "select", "docs.tags": "filter source"},
    ),
    "a table function inside sees the columns outside": (
        "SELECT doc_id FROM docs WHERE EXISTS (SELECT 1 FROM json_each(tags) WHERE value = doc_id)",
        {"docs.doc_id": "join select", "docs.tags": "join source"},
    ),
}


@each(NAMES)
def test_names(sql: str, expected: Labels) -> None:
    check(sql, expected)


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("duckdb", "FROM ids", {"ids.id": "select"}),
        (
            "duckdb",
            "WITH city AS (SELECT id FROM city WHERE size > 1) SELECT id FROM city",
            {"city.id": "select", "city.size": "filter"},
        ),
        ("duckdb", "SELECT * EXCLUDE (id, country, size) FROM city", {"city.city_name": "select"}),
        (
            "duckdb",
            "SELECT * REPLACE (size + 1 AS id) FROM (SELECT id, size FROM city)",
            {"city.size": "select", "city.id": "unused"},
        ),
        ("duckdb", "SELECT age + 1 AS a, a * 2 AS b FROM person", {"person.age": "select"}),
        (
            "duckdb",
            "SELECT name FROM person QUALIFY ROW_NUMBER() OVER (ORDER BY age) = 1",
            {
                "person.name": "select",
                "person.age": "filter window_order",
            },
        ),
        (
            "duckdb",
            "SELECT name, SUM(age) FROM person GROUP BY ALL",
            {
                "person.name": "group select",
                "person.age": "aggregate select",
            },
        ),
        (
            "duckdb",
            "SELECT DISTINCT ON (city_id) name FROM person ORDER BY age",
            {
                "person.name": "select",
                "person.city_id": "distinct",
                "person.age": "order",
            },
        ),
        ("duckdb", "SELECT value FROM docs, UNNEST(docs.tags) AS t(value)", {"docs.tags": "select source"}),
        ("duckdb", "SELECT d.x FROM (VALUES (1)) AS d(x)", {}),
        (
            "postgres",
            'SELECT "name" FROM public.Person p WHERE P.AGE > 1',
            {
                "person.name": "select",
                "person.age": "filter",
            },
        ),
        (
            "postgres",
            "SELECT n FROM city c, LATERAL (SELECT name AS n FROM person WHERE city_id = c.id) p",
            {
                "person.name": "select",
                "person.city_id": "join",
                "city.id": "join",
            },
        ),
        (
            "postgres",
            "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age) FROM person",
            {
                "person.age": "aggregate order select",
            },
        ),
        (
            "oracle",
            "SELECT NAME FROM hr.PERSON WHERE ROWNUM < 3 ORDER BY AGE",
            {
                "person.name": "select",
                "person.age": "order",
            },
        ),
        (
            "oracle",
            "SELECT name FROM person START WITH boss_id IS NULL CONNECT BY PRIOR id = boss_id",
            {
                "person.name": "select",
                "person.boss_id": "filter join",
                "person.id": "join",
            },
        ),
        ("oracle", "SELECT 1 FROM dual", {}),
        (
            "tsql",
            "SELECT TOP 3 [name] FROM dbo.person ORDER BY age",
            {
                "person.name": "select",
                "person.age": "order",
            },
        ),
        ("mysql", 'SELECT `name` FROM person WHERE name = "age"', {"person.name": "filter select"}),
    ],
)
def test_other_dialects(dialect: str, sql: str, expected: Labels) -> None:
    check(sql, expected, dialect)
