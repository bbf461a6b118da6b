"""Exact match's normal form: what is one statement and what is not."""

from __future__ import annotations

import pytest

from glue.sql.analysis import sql_analysis


def form(sql: str, dialect: str = "sqlite") -> str:
    analysis = sql_analysis(sql, dialect)
    assert analysis["parse_outcome"] == "parsed", analysis["parse_error"]
    return str(analysis["normal_form"])


EQUAL = [
    ("SELECT a FROM t", "select   A\nfrom T ; -- why"),
    ("SELECT a FROM t", 'SELECT "a" FROM `t`'),
    ("SELECT [a b] FROM t", 'SELECT "A B" FROM t'),
    ("SELECT a, b FROM t", "SELECT b, a FROM t"),
    ("SELECT t.a FROM t", "SELECT a FROM t"),
    ("SELECT x.a FROM t AS x WHERE x.b = 1", "SELECT a FROM t y WHERE y.b = 1"),
    (
        "SELECT T1.a FROM t AS T1 JOIN u AS T2 ON T1.id = T2.id",
        "SELECT t.a FROM t INNER JOIN u ON t.id = u.id",
    ),
    ("SELECT a AS n FROM t ORDER BY n", "SELECT a FROM t ORDER BY a ASC"),
    (
        "SELECT COUNT(*) AS c, a FROM t GROUP BY a ORDER BY c",
        "SELECT a, COUNT(*) FROM t GROUP BY 1 ORDER BY 2",
    ),
    ("SELECT a AS b, b AS a FROM t ORDER BY ((a))", "SELECT b, a FROM t ORDER BY b"),
    ("SELECT a AS b, b AS a FROM t ORDER BY +a", "SELECT b, a FROM t ORDER BY a"),
    ("SELECT a, b FROM t ORDER BY (1), +2", "SELECT a, b FROM t ORDER BY a, b"),
    ("SELECT a AS n FROM t ORDER BY n COLLATE NOCASE", "SELECT a FROM t ORDER BY 1 COLLATE NOCASE"),
    (
        "SELECT COUNT(*) AS c FROM t GROUP BY a HAVING c > 2",
        "SELECT COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 2",
    ),
    ("SELECT a FROM t WHERE b != 1", "SELECT a FROM t WHERE b <> 1"),
    ("SELECT a FROM t WHERE b == 1", "SELECT a FROM t WHERE b = 1"),
    ("SELECT e.a FROM e JOIN e AS f ON e.x = f.y", "SELECT m.a FROM e AS m JOIN e AS n ON m.x = n.y"),
    (
        "SELECT q.n FROM (SELECT a AS n, b AS m FROM t) AS q WHERE q.m = 1",
        "SELECT z.x FROM (SELECT b AS y, a AS x FROM t) AS z WHERE z.y = 1",
    ),
    ("WITH c AS (SELECT a FROM t) SELECT a FROM c", "WITH d AS (SELECT a AS k FROM t) SELECT d.k FROM d"),
    ("WITH c(k) AS (SELECT a FROM t) SELECT k FROM c", "WITH c AS (SELECT a FROM t) SELECT a FROM c"),
    ("SELECT a, b FROM t UNION SELECT c, d FROM u", "SELECT b, a FROM t UNION SELECT d, c FROM u"),
    (
        "SELECT a, b FROM t UNION SELECT c, d FROM u ORDER BY a",
        "SELECT b, a FROM t UNION SELECT d, c FROM u ORDER BY 2",
    ),
    (
        "SELECT a FROM e AS x WHERE b > (SELECT AVG(b) FROM e AS y WHERE y.d = x.d)",
        "SELECT a FROM e AS m WHERE b > (SELECT AVG(b) FROM e AS n WHERE n.d = m.d)",
    ),
    (
        "SELECT t.name FROM t JOIN u ON t.i = u.i ORDER BY name",
        "SELECT t.name FROM t JOIN u ON t.i = u.i ORDER BY t.name",
    ),
    ("SELECT * FROM a, b", "SELECT * FROM a CROSS JOIN b"),
    ("SELECT IFNULL(a, 0) FROM t", "SELECT COALESCE(a, 0) FROM t"),
    ("SELECT a FROM t LEFT OUTER JOIN u ON t.x = u.x", "SELECT a FROM t LEFT JOIN u ON t.x = u.x"),
    (
        "SELECT (SELECT MAX(x) FROM a), (SELECT MIN(x) FROM a) FROM a",
        "SELECT (SELECT MIN(x) FROM a), (SELECT MAX(x) FROM a) FROM a",
    ),
    ("SELECT -a AS b FROM t ORDER BY b", "SELECT -a FROM t ORDER BY -a"),
    ("SELECT a FROM t WHERE b = 'it''s'", "SELECT a FROM t WHERE b='it''s';"),
    ("SELECT CAST(a AS INT) FROM t", "SELECT CAST(a AS INTEGER) FROM t"),
]

UNEQUAL = [
    ("SELECT a FROM t", "SELECT b FROM t"),
    ("SELECT a FROM t", "SELECT DISTINCT a FROM t"),
    ("SELECT a FROM t WHERE b = 'Oslo'", "SELECT a FROM t WHERE b = 'oslo'"),
    ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 1.0"),
    ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = '1'"),
    ('SELECT a FROM t WHERE b = "Oslo"', 'SELECT a FROM t WHERE b = "OSLO"'),
    ("SELECT a FROM t WHERE b AND c OR d", "SELECT a FROM t WHERE b AND (c OR d)"),
    ("SELECT a - b - c FROM t", "SELECT a - (b - c) FROM t"),
    ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b DESC"),
    ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b NULLS LAST"),
    ("SELECT a FROM t ORDER BY b, c", "SELECT a FROM t ORDER BY c, b"),
    ("SELECT a, b FROM t ORDER BY 1", "SELECT b, a FROM t ORDER BY 1"),
    ("SELECT a FROM t ORDER BY 1", "SELECT a FROM t ORDER BY 1 COLLATE NOCASE"),
    (
        "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1",
        "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 COLLATE NOCASE",
    ),
    ("SELECT a, b FROM t GROUP BY 1", "SELECT b, a FROM t GROUP BY 1"),
    ("SELECT -a AS b FROM t ORDER BY b", "SELECT -a AS c FROM t ORDER BY b"),
    ("SELECT -a AS b FROM t ORDER BY b", "SELECT -a AS b FROM t ORDER BY t.b"),
    ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2"),
    ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 1 OFFSET 1"),
    ("SELECT a FROM t LEFT JOIN u ON t.x = u.x", "SELECT a FROM t JOIN u ON t.x = u.x"),
    ("SELECT a FROM t JOIN u ON t.x = u.x", "SELECT a FROM t JOIN u USING (x)"),
    ("SELECT a FROM t NATURAL JOIN u", "SELECT a FROM t JOIN u"),
    ("SELECT e.a FROM e JOIN e AS f ON e.x = f.y", "SELECT f.a FROM e JOIN e AS f ON e.x = f.y"),
    ("SELECT t.a FROM t JOIN u ON t.i = u.i", "SELECT u.a FROM t JOIN u ON t.i = u.i"),
    ("SELECT a, b FROM t UNION SELECT c, d FROM u", "SELECT a, b FROM t UNION SELECT d, c FROM u"),
    ("SELECT a FROM t UNION SELECT b FROM u", "SELECT a FROM t UNION ALL SELECT b FROM u"),
    ("SELECT a FROM t EXCEPT SELECT b FROM u", "SELECT b FROM u EXCEPT SELECT a FROM t"),
    ("SELECT 1 WHERE (a, b) IN (SELECT c, d FROM u)", "SELECT 1 WHERE (a, b) IN (SELECT d, c FROM u)"),
    (
        "SELECT * FROM (SELECT a, b FROM t) UNION SELECT c, d FROM u",
        "SELECT * FROM (SELECT b, a FROM t) UNION SELECT c, d FROM u",
    ),
    (
        "SELECT a FROM e AS x WHERE b > (SELECT AVG(b) FROM e AS y WHERE y.d = x.d)",
        "SELECT a FROM e AS x WHERE b > (SELECT AVG(b) FROM e AS y WHERE y.d = y.d)",
    ),
    ("SELECT COUNT(a) FROM t", "SELECT COUNT(DISTINCT a) FROM t"),
    ("SELECT COUNT(*) FROM t", "SELECT COUNT(a) FROM t"),
    ("SELECT MAX(a, b) FROM t", "SELECT MAX(a) FROM t"),
    ("SELECT CAST(a AS REAL) FROM t", "SELECT CAST(a AS NUMERIC) FROM t"),
    ("SELECT SUM(a) OVER (ORDER BY b) FROM t", "SELECT SUM(a) OVER (PARTITION BY b) FROM t"),
    ("SELECT a FROM t WHERE b LIKE 'x'", "SELECT a FROM t WHERE b NOT LIKE 'x'"),
    ("SELECT a FROM t WHERE b IN (1, 2)", "SELECT a FROM t WHERE b NOT IN (1, 2)"),
    ("SELECT a FROM t WHERE b IN (SELECT c FROM u LIMIT 1)", "SELECT a FROM t WHERE b IN (SELECT c FROM u)"),
    ("SELECT CASE WHEN a THEN b ELSE c END FROM t", "SELECT CASE WHEN a THEN b END FROM t"),
    ("SELECT STRFTIME('%Y', a) FROM t", "SELECT STRFTIME('%m', a) FROM t"),
    ("SELECT GROUP_CONCAT(a) FROM t", "SELECT GROUP_CONCAT(a, ';') FROM t"),
    ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", "SELECT a FROM t GROUP BY a HAVING COUNT(*) > 2"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_writing_alone_makes_no_difference(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_what_differs_in_meaning_stays_apart(one: str, other: str) -> None:
    assert form(one) != form(other)


@pytest.mark.parametrize("sql", sorted({sql for pair in EQUAL + UNEQUAL for sql in pair}))
def test_the_normal_form_of_a_normal_form_is_itself(sql: str) -> None:
    once = form(sql)
    if "#" not in once:  # names like query#1 are no SQL, so that no table can have them
        assert form(once) == once


def test_the_form_is_readable() -> None:
    sql = (
        "SELECT B.Year, COUNT(*) AS n FROM Singer AS A JOIN Gig AS B ON A.ID = B.`Singer ID` GROUP BY B.Year"
    )
    assert form(sql) == (
        'select count(*), gig.year from singer join gig on singer.id = gig."singer id" group by gig.year'
    )


def test_the_lower_form_lowers_literals_too() -> None:
    one = sql_analysis("SELECT 'B', 'a' FROM t WHERE x = 'Oslo'", "sqlite")
    other = sql_analysis("SELECT 'A', 'b' FROM t WHERE x = 'OSLO'", "sqlite")
    assert one["normal_form"] != other["normal_form"]
    assert one["normal_form_lower"] == other["normal_form_lower"]


def test_names_keep_their_case_where_the_engine_keeps_it() -> None:
    assert form('SELECT "Name" FROM t', "postgres") != form('SELECT "name" FROM t', "postgres")
    assert form('SELECT "name" FROM t', "postgres") == form("SELECT NAME FROM t", "postgres")
    assert form('SELECT "NAME" FROM t', "oracle") == form("SELECT name FROM t", "oracle")
    assert form('SELECT "Name" FROM t', "oracle") != form("SELECT name FROM t", "oracle")
    assert form('SELECT "Name" FROM t', "duckdb") == form("SELECT name FROM t", "duckdb")


def test_oracle_join_marks_and_hierarchies_count() -> None:
    assert form("SELECT * FROM a, b WHERE a.i = b.i(+)", "oracle") != form(
        "SELECT * FROM a, b WHERE a.i = b.i", "oracle"
    )
    hierarchy = "SELECT a FROM t START WITH b IS NULL CONNECT BY PRIOR a = b"
    assert form(hierarchy, "oracle") != form("SELECT a FROM t", "oracle")
    assert form(hierarchy, "oracle") != form(hierarchy.replace("PRIOR a = b", "a = PRIOR b"), "oracle")


def test_several_statements_and_writes_have_a_form() -> None:
    assert form("SELECT 1; SELECT 2") == "select 1; select 2"
    assert form("DELETE FROM t") != form("DELETE FROM u")


def test_the_order_of_siblings_is_another_than_that_of_all_rows() -> None:
    from glue.sql.analysis import sql_analysis

    tree = "SELECT a FROM t START WITH b IS NULL CONNECT BY PRIOR a = b ORDER {}BY c"
    siblings, rows = (sql_analysis(tree.format(word), "oracle")["normal_form"] for word in ("SIBLINGS ", ""))
    assert siblings != rows
