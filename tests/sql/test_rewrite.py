"""A rewritten gold is another text with the same rows, seen by running both."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from glue.sql.rewrite import rewrite

SCHEMA = """
CREATE TABLE t(
    id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, "odd name" TEXT, d TEXT, v REAL, n INT, "order" INT
);
INSERT INTO t VALUES
    (1, 'Ann', 'x', '2024-01-31 10:11:12', 2.0, 7, 1),
    (2, 'bo', 'y', '2023-12-31', 3.5, 2, 2),
    (3, NULL, 'z', NULL, NULL, NULL, 3),
    (4, 'BO', 'x', '2024-02-29', 2.0, 7, 1);
CREATE TABLE u(id INT, t_id INT, name TEXT);
INSERT INTO u VALUES (1, 1, 'Ann'), (2, 1, 'q'), (3, 9, 'bo');
CREATE TABLE "select"(a INT, "x y" TEXT);
INSERT INTO "select" VALUES (1, 'o''k'), (2, 'é');
"""

QUERIES = """
SELECT COUNT(*), COUNT(*) FROM t
SELECT name, name FROM t
SELECT * FROM t, u
SELECT t.*, u.name FROM t JOIN u ON t.id = u.t_id
SELECT * FROM t NATURAL JOIN u
SELECT * FROM t LEFT JOIN u USING (name)
SELECT a.name, b.name FROM t a, t AS b WHERE a.id < b.id
SELECT T.NAME FROM t WHERE T.Id = 1
SELECT main.t.name FROM main.t
SELECT t.name FROM t ORDER BY t.id DESC
SELECT name AS id FROM t WHERE id > 1 ORDER BY id
SELECT DISTINCT name FROM t ORDER BY name LIMIT 2
SELECT name FROM t ORDER BY v DESC, n ASC LIMIT 1, 2
SELECT id FROM t ORDER BY name COLLATE NOCASE DESC, id
SELECT id FROM t ORDER BY n DESC NULLS FIRST, id
SELECT name FROM t UNION ALL SELECT name FROM u ORDER BY name
SELECT name FROM t UNION SELECT name FROM u INTERSECT SELECT 'z'
SELECT name FROM t INTERSECT SELECT name FROM u UNION SELECT 'z'
WITH x AS (SELECT * FROM t) SELECT x.name FROM x WHERE x.id IN (SELECT t_id FROM u)
WITH x AS (SELECT id FROM t), t AS (SELECT 5 AS id) SELECT t.id FROM t, x
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT r.i + 1 FROM r WHERE r.i < 5) SELECT r.i FROM r
SELECT x.n2 FROM (SELECT t.name n2 FROM t) x JOIN t ON t.name = x.n2
SELECT (SELECT t.n FROM u LIMIT 1) FROM t
SELECT t.name FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id AND t.n > 1)
SELECT name FROM t WHERE n > (SELECT AVG(t.n) FROM t)
SELECT name FROM t WHERE n = (SELECT MAX(t2.n) FROM t t2 WHERE t2.id <> t.id)
SELECT t.name FROM t JOIN (u JOIN t AS t3 ON t3.id = u.t_id) ON u.t_id = t.id
SELECT j.value, t.id FROM t JOIN json_each('[' || t.id || ']') j ON j.value = t.id
SELECT json_each.value FROM t, json_each('[1,2]')
SELECT n, name FROM t GROUP BY n
SELECT MAX(n), name FROM t
SELECT name nm, COUNT(*) c FROM t GROUP BY nm HAVING c > 1
SELECT SUM(n) OVER w FROM t WINDOW w AS (ORDER BY id)
SELECT "text literal", "name", [odd name], `odd name`, t."odd name", "order" FROM t
SELECT id FROM t WHERE name IN ("Ann", "BO")
SELECT "select"."x y" FROM "select"
SELECT name "label", n 'lab el' FROM t
SELECT n / 2, n / 2.0, 7 / 2, n % 2, -n, n | 1, n IS NOT 7, n == 7, 10 - (3 - 2), 5 / 2 * 2.0 FROM t
SELECT name = 'ann', name LIKE 'A%', name NOT LIKE 'a!%' ESCAPE '!', name GLOB 'A*', name < 'B' FROM t
SELECT SUBSTR(name, 1, 1), INSTR(name, 'n'), IIF(n > 3, 'a', 'b'), IFNULL(n, 0), name || '-' || n FROM t
SELECT STRFTIME('%Y', d), STRFTIME('%s', d), JULIANDAY(d), DATE(d, 'start of month', '-1 day') FROM t
SELECT CAST(d AS DATE), CAST(d AS DATETIME), CAST(v AS INT), CAST(v AS FLOAT), CAST(n AS VARCHAR(3)) FROM t
SELECT GROUP_CONCAT(name, '; '), TOTAL(n), SUM(n > 3), COUNT(*) FILTER (WHERE n > 2) FROM t
SELECT PRINTF('%.2f', v), ROUND(v, 1), MAX(n, 2), x'4142', 0x1F, .5, 'it''s' FROM t
SELECT /* a comment */ id FROM t -- and another
SELECT 1
"""


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    yield connection
    connection.close()


@pytest.mark.parametrize("sql", QUERIES.strip().splitlines())
def test_other_text_same_rows(sql: str, database: sqlite3.Connection) -> None:
    rewritten = rewrite(sql, "sqlite")
    assert rewritten is not None
    assert rewritten != sql
    assert database.execute(rewritten).fetchall() == database.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select name from t", "SELECT * FROM (SELECT name FROM t AS rw1) AS rw2"),
        (
            "select t.name from t join u as x on x.t_id = t.id order by t.id limit 3",
            "SELECT rw1.name FROM t AS rw1 JOIN u AS rw2 ON rw2.t_id = rw1.id ORDER BY rw1.id LIMIT 3",
        ),
        ("select rw1 from t limit 1", "SELECT rw1 FROM t AS rww1 LIMIT 1"),
        ("select t.a from t, u limit 1", "SELECT rw1.a FROM t AS rw1, u AS rw2 LIMIT 1"),
        ("select a from t cross join u limit 1", "SELECT a FROM t AS rw1 CROSS JOIN u AS rw2 LIMIT 1"),
        ("(select a from t order by a)", "(SELECT a FROM t AS rw1 ORDER BY a)"),
        (
            "select a from (select b as a from t limit 2)",
            "SELECT * FROM (SELECT a FROM (SELECT b AS a FROM t AS rw2 LIMIT 2) AS rw1) AS rw3",
        ),
    ],
)
def test_the_text_itself(sql: str, expected: str) -> None:
    assert rewrite(sql, "sqlite") == expected


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("mysql", "SELECT a, b FROM t", "SELECT * FROM (SELECT a, b FROM t AS rw1) AS rw2"),
        ("mysql", "SELECT x.a, y.a FROM x JOIN y", "SELECT rw1.a, rw2.a FROM x AS rw1, y AS rw2"),
        ("oracle", "SELECT t.* FROM hr.t", "SELECT rw1.* FROM hr.t rw1"),
        ("oracle", "SELECT t.a FROM hr.t t", "SELECT * FROM (SELECT rw1.a FROM hr.t rw1) rw2"),
        (
            "tsql",
            "WITH q AS (SELECT a FROM t) SELECT a FROM q",
            "WITH q AS (SELECT a AS a FROM t AS rw2) SELECT a FROM q AS rw1",
        ),
        ("postgres", "SELECT t FROM t", "SELECT * FROM (SELECT t FROM t) AS rw1"),
        ("duckdb", "SELECT s.a, t.s.a FROM t", "SELECT * FROM (SELECT s.a, rw1.s.a FROM t AS rw1) AS rw2"),
    ],
)
def test_what_a_dialect_allows(dialect: str, sql: str, expected: str) -> None:
    """No derived table where its names must be unique and are not; no alias where a name is a whole row."""
    assert rewrite(sql, dialect) == expected


@pytest.mark.parametrize(
    "sql",
    ["", "DROP TABLE t", "SELECT 1; SELECT 2", "no SQL", "SELECT " + "(" * 5_000 + "1" + ")" * 5_000, None],
)
def test_what_cannot_be_rewritten(sql: str) -> None:
    assert rewrite(sql, "sqlite") is None


def run(path: Path, sql: str) -> list[tuple]:
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def golds(shared_data: Path) -> Iterator[tuple[Path, str]]:
    """Database file and gold of every question of BIRD and Spider dev whose database is at hand."""
    for question in json.loads((shared_data / "bird/meta/dev.json").read_text(encoding="utf-8")):
        path = shared_data / "bird/databases" / question["db_id"] / f"{question['db_id']}.sqlite"
        if path.exists():
            yield path, question["SQL"]
    for question in json.loads((shared_data / "spider/meta/dev.json").read_text(encoding="utf-8")):
        name = question["db_id"]
        yield shared_data / "spider/databases_rebuilt" / name / f"{name}.sqlite", question["query"]


@pytest.mark.slow
def test_every_gold_of_bird_and_spider_dev(shared_data: Path) -> None:
    """The rows are equal even in their order, which an unordered gold does not promise."""
    found: Counter[str] = Counter()
    for path, sql in golds(shared_data):
        rewritten = rewrite(sql, "sqlite")
        assert rewritten is not None and rewritten != sql, sql
        assert run(path, rewritten) == run(path, sql), sql
        found["derived" if rewritten.startswith("SELECT * FROM (") else "plain"] += 1
    assert found.total() == 595 + 1034
    assert found["derived"] > 1200
