"""Labels of syntax that is easily passed over: it is followed as the engine does, or said not to be.

SQLite names every column that its statements read, through an authorizer; DuckDB takes its own.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from glue.sql.labels import sql_labels
from glue.sql.namespaces import table_places
from tests.sql.authorizer import reads
from tests.sql.label_helpers import CATALOG, OUTLINE, Labels, check, each
from tests.sql.renaming import renamed

TYPES = {"name": "TEXT", "city_name": "TEXT", "country": "TEXT", "day": "TEXT"}


def schema(types: dict[str, str]) -> str:
    """The tables of the catalog. A column has its type by name, or is an integer."""
    statements = []
    for table, columns in CATALOG.items():
        typed = ", ".join(f'"{column}" {types.get(column, "INTEGER")}' for column in columns)
        statements.append(f'CREATE TABLE "{table}" ({typed})' if typed else "")
    return ";".join(statements)


@pytest.fixture(scope="module")
def sqlite() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", cached_statements=0)) as connection:
        connection.executescript(schema(TYPES))
        yield connection


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with closing(duckdb.connect()) as connection:
        connection.execute(schema({**TYPES, "tags": "STRUCT(a INTEGER, b INTEGER)"}))
        yield connection


SQLITE = {
    "a column in single quotes": ("SELECT p.'name' FROM person p", {"person.name": "select"}),
    "a table in single quotes": ("SELECT 'p'.name FROM person p", {"person.name": "select"}),
    "both, and a schema": (
        "SELECT 'main'.'person'.'name', main.person.'age' FROM person WHERE person.'id' = 'id'",
        {"person.name": "select", "person.age": "select", "person.id": "filter"},
    ),
    "comments between": (
        "SELECT p./* a */'name', 'p' -- b\n.age FROM person p WHERE id IN/* c */'ids'",
        {"person.name": "select", "person.age": "select", "person.id": "join", "ids.id": "join"},
    ),
    "a star behind single quotes": ("SELECT 'i'.* FROM ids i", {"ids.id": "select"}),
    "a row id in single quotes": ("SELECT i.'rowid', id FROM ids i", {"ids.id": "select"}),
    "a table after IN in single quotes": (
        "SELECT name FROM person WHERE id IN 'ids'",
        {"person.name": "select", "person.id": "join", "ids.id": "join"},
    ),
    "a table after IN behind a schema": (
        "SELECT name FROM person WHERE id NOT IN 'main'.'ids'",
        {"person.name": "select", "person.id": "join", "ids.id": "join"},
    ),
    "a table after IN called as a function": (
        "SELECT name FROM person WHERE id IN ids()",
        {"person.name": "select", "person.id": "join", "ids.id": "join"},
    ),
    "a CTE after IN in single quotes": (
        "WITH few AS (SELECT id FROM city) SELECT name FROM person WHERE city_id IN 'FEW'",
        {"person.name": "select", "person.city_id": "join", "city.id": "join"},
    ),
    "behind a schema is no CTE": (
        "WITH ids AS (SELECT size FROM city) SELECT name FROM person WHERE id IN main.ids",
        {"person.name": "select", "person.id": "join", "ids.id": "join"},
    ),
    "all columns of a table after IN": (
        "SELECT name FROM person WHERE id IN (SELECT * FROM ids)",
        {"person.name": "select", "person.id": "join", "ids.id": "join"},
    ),
    "texts stay texts": (
        "SELECT 'id' FROM person WHERE name = 'name' AND name IN ('ids') ORDER BY 'age'",
        {"person.name": "filter"},
    ),
    "order by an alias in brackets": (
        "SELECT id AS age FROM person ORDER BY ((age)) COLLATE NOCASE DESC, (age COLLATE NOCASE)",
        {"person.id": "order select"},
    ),
    "order by a column after a plus": (
        "SELECT id AS age FROM person ORDER BY +age",
        {"person.id": "select", "person.age": "order"},
    ),
    "order by a column after plus and brackets": (
        "SELECT id AS age, name FROM person ORDER BY name, + /* + */ (\n(+age)) DESC",
        {"person.id": "select", "person.name": "order select", "person.age": "order"},
    ),
    "an alias after a sum": (
        "SELECT id + age AS n, id AS age FROM person ORDER BY n, age",
        {"person.id": "order select", "person.age": "order select"},
    ),
    "numbers in brackets and after a plus": (
        "SELECT name, age, MIN(id) FROM person GROUP BY (1), 2 ORDER BY +2, (3)",
        {
            "person.name": "group select",
            "person.age": "group order select",
            "person.id": "aggregate order select",
        },
    ),
    "a set operation by an expression": (
        "SELECT id + 1 FROM person UNION ALL SELECT size FROM city ORDER BY (ID) + 1",
        {"person.id": "order select", "city.size": "order select"},
    ),
    "a set operation by an expression with names spelled out": (
        "SELECT name, LOWER(name) AS n FROM person UNION ALL SELECT country, city_name FROM city "
        "ORDER BY lower(person.name)",
        {"person.name": "order select", "city.country": "select", "city.city_name": "order select"},
    ),
    "a set operation by another constant": (
        "SELECT 'a', age FROM person UNION ALL SELECT country, size FROM city ORDER BY 'a'",
        {"person.age": "select", "city.country": "order select", "city.size": "select"},
    ),
    "a set operation by a column behind an alias": (
        "SELECT name AS n FROM person UNION ALL SELECT city_name FROM city ORDER BY name",
        {"person.name": "order select", "city.city_name": "order select"},
    ),
    "a set operation by a qualified column, not by the alias": (
        "SELECT id AS age, age AS b FROM person UNION ALL SELECT id, size FROM city ORDER BY person.age",
        {
            "person.id": "select",
            "person.age": "order select",
            "city.id": "select",
            "city.size": "order select",
        },
    ),
    "a set operation by the alias, not by the column": (
        "SELECT id AS age, age AS b FROM person UNION ALL SELECT id, size FROM city ORDER BY (age)",
        {
            "person.id": "order select",
            "person.age": "select",
            "city.id": "order select",
            "city.size": "select",
        },
    ),
    "a set operation by a column behind a star": (
        "SELECT * FROM ids UNION ALL SELECT size FROM city ORDER BY ids.id",
        {"ids.id": "order select", "city.size": "order select"},
    ),
    "a set operation by a later branch": (
        "SELECT 1, 2 UNION ALL SELECT id, age FROM person UNION ALL SELECT id, size * 2 FROM city "
        "ORDER BY size * 2",
        {
            "person.id": "select",
            "person.age": "order select",
            "city.id": "select",
            "city.size": "order select",
        },
    ),
    "a set operation by a row id": (
        "SELECT name FROM person UNION ALL SELECT rowid FROM city ORDER BY city.oid",
        {"person.name": "order select"},
    ),
}


@each(SQLITE)
def test_sqlite(sql: str, expected: Labels, sqlite: sqlite3.Connection) -> None:
    check(sql, expected)
    columns = {f"{table}.{column}" for table, column in reads(sqlite, sql).columns}
    assert columns - {"ids.rowid", "city.rowid"} == set(expected)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize(
    ("term", "is_alias"),
    [("age", True), ("(age)", True), ("+age", False), ("(+age)", False), ("+(age)", False)],
)
def test_a_term_means_what_it_orders_by(engine: str, term: str, is_alias: bool) -> None:
    connect = sqlite3.connect if engine == "sqlite" else duckdb.connect
    sql = f"SELECT id AS age FROM person ORDER BY {term}"
    with closing(connect(":memory:")) as connection:
        connection.execute("CREATE TABLE person (id INTEGER, age INTEGER)")
        connection.execute("INSERT INTO person VALUES (1, 30), (2, 20)")
        assert connection.execute(sql).fetchall() == ([(1,), (2,)] if is_alias else [(2,), (1,)])
    by_column = {"person.id": "select", "person.age": "order"}
    check(sql, {"person.id": "order select"} if is_alias else by_column, engine)


@pytest.mark.parametrize(
    ("dialect", "term", "expected"),
    [
        ("duckdb", "+1", {"person.id": "select"}),
        ("duckdb", "(1)", {"person.id": "order select"}),
        ("mysql", "+age", {"person.id": "order select"}),
        ("mysql", "+1", {"person.id": "order select"}),
        ("postgres", "+age", {"person.id": "select", "person.age": "order"}),
    ],
)
def test_a_plus_in_other_dialects(dialect: str, term: str, expected: Labels) -> None:
    check(f"SELECT id AS age FROM person ORDER BY {term}", expected, dialect)


@pytest.mark.parametrize(
    ("sql", "reason", "detail"),
    [
        ("SELECT x.* FROM person p", "unknown_column", "x.*"),
        ("SELECT 'x'.* FROM person p", "unknown_column", "x.*"),
        ("SELECT p.'nobody' FROM person p", "unknown_column", "p.nobody"),
        ("SELECT 'q'.'name' FROM person p", "unknown_column", "q.name"),
        ("SELECT name FROM person WHERE id IN 'nothing'", "unknown_table", "nothing"),
        ("SELECT name FROM person WHERE id IN other.'ids'", "unknown_table", "other.ids"),
        ("SELECT id + 1 FROM person UNION SELECT size FROM city ORDER BY id + 2", "unknown_column", "id"),
        ("SELECT id + 1 FROM person UNION SELECT size FROM city ORDER BY 1 + id", "unknown_column", "id"),
        ("SELECT * FROM bare", "unknown_column", "bare.*"),
    ],
)
def test_what_sqlite_has_not(sql: str, reason: str, detail: str, sqlite: sqlite3.Connection) -> None:
    found = sql_labels(sql, "sqlite", OUTLINE)
    assert (found["reason"], found["detail"]) == (reason, detail)
    with pytest.raises(sqlite3.Error):
        reads(sqlite, sql)


ALL_OF_IDS = {"ids.id": "select"}
DUCKDB = {
    "order by all": (
        "SELECT name, MAX(age) FROM person GROUP BY ALL ORDER BY ALL DESC",
        {"person.name": "group order select", "person.age": "aggregate order select"},
    ),
    "order a set operation by all": (
        "SELECT name FROM person UNION ALL SELECT city_name FROM city ORDER BY ALL",
        {"person.name": "order select", "city.city_name": "order select"},
    ),
    "order brackets by all": ("(SELECT id FROM ids) ORDER BY ALL", {"ids.id": "order select"}),
    "group by all with a star": ("SELECT *, COUNT(*) FROM ids GROUP BY ALL", {"ids.id": "group select"}),
    "group by all with an aggregate within": (
        "SELECT name, (SELECT MAX(size) FROM city), 1 + SUM(age) FROM person GROUP BY ALL",
        {
            "person.name": "group select",
            "city.size": "aggregate group select",
            "person.age": "aggregate select",
        },
    ),
    "numbers within lists of groups": (
        "SELECT name, age, id, city_id, COUNT(*) FROM person "
        "GROUP BY ROLLUP (1), GROUPING SETS ((2), (name, 1)), (3, (4))",
        {
            "person.name": "group select",
            "person.age": "group select",
            "person.id": "group select",
            "person.city_id": "group select",
        },
    ),
    "distinct on a number": (
        "SELECT DISTINCT ON (2) name, age FROM person",
        {"person.name": "select", "person.age": "distinct select"},
    ),
    "distinct on an alias that is a column too": (
        "SELECT DISTINCT ON ((age)) name AS age FROM person",
        {"person.name": "distinct select"},
    ),
    "the star of a record": ("SELECT tags.* FROM docs", {"docs.tags": "select"}),
    "the star of a record through a derived table": (
        "SELECT x.* FROM (SELECT tags.* EXCLUDE (a), doc_id FROM docs) x",
        {"docs.tags": "select", "docs.doc_id": "select"},
    ),
    "a star under other names": (
        "SELECT x FROM (SELECT * RENAME (id AS x) FROM ids)",
        ALL_OF_IDS,
    ),
    "a method": ("SELECT name.upper().lower() FROM person", {"person.name": "select"}),
    "a method of a qualified column": (
        "SELECT p.age.add(id), (p.boss_id).add(1) FROM person p",
        {"person.age": "select", "person.id": "select", "person.boss_id": "select"},
    ),
    "a method of a field": (
        "SELECT tags.a.add(doc_id) FROM docs",
        {"docs.tags": "select", "docs.doc_id": "select"},
    ),
    "a method that aggregates": ("SELECT age.sum() FROM person", {"person.age": "aggregate select"}),
    "a function behind a schema": ("SELECT main.upper(name) FROM person", {"person.name": "select"}),
    "a star over SEMI JOIN": (
        "SELECT * FROM ids SEMI JOIN city ON ids.id = size",
        {"ids.id": "join select", "city.size": "join"},
    ),
    "a star over ANTI JOIN with USING": (
        "SELECT * FROM ids ANTI JOIN city USING (id)",
        {"ids.id": "join select", "city.id": "join"},
    ),
    "a star over NATURAL SEMI JOIN in brackets": (
        "SELECT * FROM (ids NATURAL SEMI JOIN city)",
        {"ids.id": "join select", "city.id": "join"},
    ),
    "unqualified names over SEMI JOIN": (
        "SELECT city_id FROM visit SEMI JOIN person ON id = person_id WHERE visit.cost > 1 ORDER BY city_id",
        {
            "visit.city_id": "order select",
            "visit.person_id": "join",
            "visit.cost": "filter",
            "person.id": "join",
        },
    ),
    "a subquery in the condition of a SEMI JOIN sees both": (
        "SELECT cost FROM visit SEMI JOIN person "
        "ON person_id = (SELECT MAX(city.id) FROM city WHERE size = age AND country = day)",
        {
            "visit.cost": "select",
            "visit.person_id": "filter",
            "visit.day": "join",
            "person.age": "join",
            "city.id": "aggregate filter",
            "city.size": "join",
            "city.country": "join",
        },
    ),
    "a table joined after a SEMI JOIN": (
        "SELECT * FROM ids SEMI JOIN visit ON ids.id = person_id JOIN (SELECT size AS city_id FROM city) c "
        "ON city_id = ids.id",
        {"ids.id": "join select", "visit.person_id": "join", "city.size": "join select"},
    ),
    "a row id over SEMI JOIN": (
        "SELECT rowid FROM person SEMI JOIN city ON city_id = size",
        {"person.city_id": "join", "city.size": "join"},
    ),
    "union by name": (
        "SELECT id FROM ids UNION ALL BY NAME SELECT size, id FROM city ORDER BY size",
        {"ids.id": "select", "city.id": "select", "city.size": "order select"},
    ),
    "union by name, and a number": (
        "SELECT id FROM ids UNION BY NAME SELECT size, id FROM city ORDER BY 2",
        {"ids.id": "distinct select", "city.id": "distinct select", "city.size": "distinct order select"},
    ),
    "union by name in a derived table": (
        "SELECT size FROM (SELECT id FROM ids UNION ALL BY NAME SELECT id, size FROM city) WHERE id > 1",
        {"ids.id": "filter", "city.id": "filter", "city.size": "select"},
    ),
    "union by name with columns of other names": (
        "SELECT b FROM (SELECT id FROM ids UNION ALL BY NAME SELECT size FROM city) AS t(a, b)",
        {"ids.id": "unused", "city.size": "select"},
    ),
    "each operation of a chain has its own way": (
        "SELECT b FROM (SELECT id AS a, age AS b FROM person UNION ALL BY NAME SELECT size AS b, id AS c "
        "FROM city UNION ALL SELECT person_id, city_id, cost FROM visit)",
        {
            "person.id": "unused",
            "person.age": "select",
            "city.size": "select",
            "city.id": "unused",
            "visit.person_id": "unused",
            "visit.city_id": "select",
            "visit.cost": "unused",
        },
    ),
    "order a set operation by an expression": (
        "SELECT id + 1 FROM ids UNION ALL SELECT size FROM city ORDER BY id + 1",
        {"ids.id": "order select", "city.size": "order select"},
    ),
    "order a set operation by what the first branch shows": (
        "SELECT id FROM ids UNION ALL SELECT size FROM city ORDER BY id + 1",
        {"ids.id": "order select", "city.size": "order select"},
    ),
}


@each(DUCKDB)
def test_duckdb(sql: str, expected: Labels, duck: duckdb.DuckDBPyConnection) -> None:
    duck.execute(f"EXPLAIN {sql}")
    check(sql, expected, "duckdb")


@pytest.mark.parametrize(
    ("sql", "detail"),
    [
        ("SELECT * FROM (PIVOT person ON city_id USING SUM(age))", "PIVOT"),
        ("WITH p AS (PIVOT person ON city_id USING SUM(age)) SELECT * FROM p", "PIVOT"),
        ("SELECT * FROM person PIVOT (SUM(age) FOR city_id IN (1, 2))", "PIVOT"),
        (
            "SELECT * FROM (ids JOIN visit ON id = person_id) PIVOT (SUM(cost) FOR city_id IN (1, 2))",
            "PIVOT",
        ),
        ("SELECT id FROM ids WHERE id IN (SELECT boss_id FROM (PIVOT person ON age USING SUM(id)))", "PIVOT"),
        ("SELECT * FROM (UNPIVOT person ON age, id)", "UNPIVOT"),
        ("SELECT * FROM person UNPIVOT (v FOR n IN (age, id))", "UNPIVOT"),
        ("SELECT * FROM (SUMMARIZE person)", "SUMMARIZE"),
        ("SELECT * FROM (DESCRIBE person)", "DESCRIBE"),
        ("FROM query_table('person')", "query_table"),
        ("SELECT * FROM query('SELECT * FROM person')", "query"),
        ("SELECT COLUMNS(*) FROM person", "COLUMNS"),
        ("SELECT COLUMNS('ag.*') FROM person", "COLUMNS"),
        ("SELECT MIN(COLUMNS(*)) FROM person", "COLUMNS"),
        ("SELECT COLUMNS(p.*) FROM person p", "COLUMNS"),
        ("SELECT name FROM person ORDER BY COLUMNS('n.*')", "COLUMNS"),
        ("SELECT * LIKE 'a%' FROM person", "* with a pattern"),
        ("SELECT * NOT LIKE 'a%' FROM person", "* with a pattern"),
        ("SELECT * ILIKE 'A%' FROM person", "* with a pattern"),
        ("SELECT * GLOB 'a*' FROM person", "* with a pattern"),
        ("SELECT * SIMILAR TO 'a.*' FROM person", "* with a pattern"),
        ("SELECT p.* LIKE 'a%' FROM person p", "* with a pattern"),
        ("SELECT struct_pack(*) FROM person", "* in an expression"),
        ("SELECT #1 FROM person", "#1"),
        ("SELECT name FROM person WHERE #1 > 3", "#1"),
        ("SELECT STRING_AGG(name, ',' ORDER BY ALL) FROM person", "ORDER BY ALL in an expression"),
    ],
)
def test_what_is_not_followed_is_said(sql: str, detail: str, duck: duckdb.DuckDBPyConnection) -> None:
    duck.execute(sql)
    found = sql_labels(sql, "duckdb", OUTLINE)
    assert (found["reason"], found["detail"]) == ("unsupported_syntax", detail)


@pytest.mark.parametrize(
    ("sql", "detail"),
    [
        ("SELECT x.* FROM person p", "x.*"),
        ("SELECT COUNT(x.*) FROM person p", "x.*"),
        ("SELECT nobody.upper() FROM person", "nobody"),
        ("SELECT * EXCLUDE (nobody) FROM person", "nobody"),
        ("SELECT * REPLACE (1 AS nobody) FROM person", "nobody"),
        ("SELECT id FROM (SELECT * RENAME (id AS x) FROM ids)", "id"),
        ("SELECT city.size FROM person SEMI JOIN city ON city_id = size", "city.size"),
        ("SELECT city.* FROM person SEMI JOIN city ON city_id = size", "city.*"),
        ("SELECT size FROM person ANTI JOIN city ON city_id = size", "size"),
        ("SELECT name FROM person SEMI JOIN city ON boss_id = size JOIN visit ON cost = city.id", "city.id"),
    ],
)
def test_what_duckdb_has_not(sql: str, detail: str, duck: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.BinderException):
        duck.execute(sql)
    found = sql_labels(sql, "duckdb", OUTLINE)
    assert (found["reason"], found["detail"]) == ("unknown_column", detail)


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("postgres", "SELECT (tags).* FROM docs", {"docs.tags": "select"}),
        ("postgres", "SELECT public.f(name) FROM person", {"person.name": "select"}),
        ("postgres", "SELECT name FROM person GROUP BY ALL name", {"person.name": "group select"}),
        ("tsql", "SELECT dbo.f(name), docs.tags.value('a', 'int') FROM person, docs", {
            "person.name": "select", "docs.tags": "select"
        }),
    ],
)  # fmt: skip
def test_other_dialects(dialect: str, sql: str, expected: Labels) -> None:
    check(sql, expected, dialect)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t WHERE b IN 't'", 'SELECT a FROM "d__t" AS t WHERE b IN "d__t"'),
        ("SELECT a FROM t WHERE b IN main.t", 'SELECT a FROM "d__t" AS t WHERE b IN "d__t"'),
        ("SELECT a FROM t WHERE b IN 'main' . 't'", 'SELECT a FROM "d__t" AS t WHERE b IN "d__t"'),
        ("SELECT a FROM t WHERE b IN t()", 'SELECT a FROM "d__t" AS t WHERE b IN "d__t"()'),
        ("SELECT main.'t'.'a' FROM 't'", "SELECT 't'.'a' FROM \"d__t\" AS 't'"),
        ("SELECT 't' FROM u WHERE b IN ('t')", "SELECT 't' FROM u WHERE b IN ('t')"),
    ],
)
def test_tables_in_single_quotes_have_places(sql: str, expected: str) -> None:
    assert renamed(sql, {"t": "d__t"}) == expected


def test_a_table_in_single_quotes_is_read() -> None:
    assert table_places("SELECT 1 WHERE 1 IN 'e__ids'", "sqlite")["names"] == ["e__ids"]
    assert sql_labels("SELECT 1 WHERE 1 IN 'ids'", "sqlite", OUTLINE)["tables"] == ["ids"]


SUMS = ",".join(f"id+{i}" for i in range(5_000))
NUMBERS = [",".join(f"{i} AS c{i}" for i in range(j, j + 900)) for j in range(0, 800, 100)]


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {SUMS} FROM ids UNION SELECT 1 ORDER BY {SUMS}",
        " UNION BY NAME ".join(f"SELECT {numbers}" for numbers in NUMBERS),
        "SELECT 1 FROM ids SEMI JOIN city ON " + " + ".join(["size"] * 14_000),
        "SELECT cost FROM visit" + "".join(f" SEMI JOIN ids i{i} ON i{i}.id = cost" for i in range(2_000)),
        "SELECT " + "+".join(["name.upper()"] * 7_000) + " FROM person",
    ],
    ids=["order", "by name", "a long condition", "many joins", "methods"],
)
def test_no_text_takes_long(sql: str) -> None:
    started = time.process_time()
    found = sql_labels(sql, "duckdb", OUTLINE)
    assert time.process_time() - started < 10
    assert found["reason"] is None
