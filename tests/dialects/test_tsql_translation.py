"""Queries of Transact-SQL over small tables: what they answer, what they refuse, and what types they have."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pytest

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.loading import load_statements
from glue.dialects.local import LocalSession

SETUP = (
    "CREATE TABLE crew (id INT, name VARCHAR(20), ship VARCHAR(10), pay DECIMAL(8,2), born DATE, boss INT,"
    " note NVARCHAR(50), active BIT, [first watch] VARCHAR(5))",
    "INSERT INTO crew VALUES (1, 'Ada', 'Argo', 100.50, '1990-01-15', NULL, N'co-op', 1, 'x')",
    "INSERT INTO crew VALUES (2, 'bea', 'argo ', 90, '1991-03-31', 1, N'coop', 0, 'y')",
    "INSERT INTO crew VALUES (3, 'Cy', 'Bark', 80.25, '1992-02-28', 1, NULL, 1, NULL)",
    "INSERT INTO crew VALUES (4, 'dov', 'bark', NULL, '1993-12-31', 2, N'', 0, NULL)",
    "CREATE TABLE ships (code VARCHAR(10), title VARCHAR(30), cost MONEY, size FLOAT)",
    "INSERT INTO ships VALUES ('ARGO', 'Golden', 1000.5, 2.5)",
    "INSERT INTO ships VALUES ('Clip', 'Fast', NULL, 1.5)",
)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalSession]:
    with duckdb.connect() as connection:
        session = LocalSession(connection, "tsql", now=datetime(2024, 3, 15, 10, 30))
        assert load_statements(session, SETUP).failures == []
        yield session


ANSWERS: list[tuple[str, list[tuple[object, ...]]]] = [
    # Rows that tie with the last one, and rows that a percentage leaves.
    ("SELECT TOP 1 WITH TIES id FROM crew ORDER BY ship", [(1,), (2,)]),
    ("SELECT TOP 33.4 PERCENT id FROM crew ORDER BY id", [(1,), (2,)]),
    ("SELECT DISTINCT TOP 1 WITH TIES UPPER(RTRIM(ship)) FROM crew ORDER BY UPPER(RTRIM(ship))", [("ARGO",)]),
    ("SELECT TOP (SELECT COUNT(*) FROM ships) id FROM crew ORDER BY id DESC", [(4,), (3,)]),
    ("SELECT id FROM crew ORDER BY pay OFFSET 1 ROWS FETCH NEXT (1 + 1) ROWS ONLY", [(3,), (2,)]),
    ("SELECT TOP 2 id, COUNT(*) OVER () FROM crew ORDER BY id", [(1, 4), (2, 4)]),
    ("SELECT TOP 1 WITH TIES id FROM (SELECT id, 7 AS x FROM crew) c ORDER BY x", [(1,), (2,), (3,), (4,)]),
    ("SELECT COUNT(*) FROM (SELECT TOP 1 WITH TIES id, 7 AS x FROM crew ORDER BY x) c", [(4,)]),
    ("SELECT 9 AS x FROM ships ORDER BY x DESC", [(9,), (9,)]),
    # Capitals and blanks at the end do not count, wherever texts are compared.
    ("SELECT COUNT(*) FROM crew WHERE ship = 'ARGO'", [(2,)]),
    ("SELECT COUNT(DISTINCT ship) FROM crew", [(2,)]),
    ("SELECT MIN(id), COUNT(*) FROM crew GROUP BY ship ORDER BY ship", [(1, 2), (3, 2)]),
    ("SELECT MIN(id) FROM crew GROUP BY ship + '!' ORDER BY 1", [(1,), (2,), (3,)]),
    ("SELECT COUNT(*) FROM (SELECT ship FROM crew UNION SELECT code FROM ships) u", [(3,)]),
    ("SELECT code FROM ships EXCEPT SELECT ship FROM crew", [("Clip",)]),
    ("SELECT COUNT(*) FROM (SELECT ship FROM crew INTERSECT SELECT code FROM ships) i", [(1,)]),
    ("SELECT c.id FROM crew c JOIN ships s ON c.ship = s.code ORDER BY 1", [(1,), (2,)]),
    ("SELECT MAX(name), MIN(name) FROM crew", [("dov", "Ada")]),
    ("SELECT id FROM crew WHERE name COLLATE Latin1_General_BIN < 'a' ORDER BY id", [(1,), (3,)]),
    ("SELECT id FROM crew ORDER BY name COLLATE Latin1_General_BIN", [(1,), (3,), (2,), (4,)]),
    ("SELECT id FROM crew WHERE note LIKE 'co%' ORDER BY note", [(2,), (1,)]),
    # Groups, sets of them, and windows over them.
    (
        "SELECT UPPER(ship), COUNT(*), GROUPING(ship) FROM crew WHERE id <> 2 GROUP BY ROLLUP(ship)"
        " ORDER BY GROUPING(ship), ship",
        [("ARGO", 1, 0), ("BARK", 2, 0), (None, 3, 1)],
    ),
    (
        "SELECT boss, COUNT(*) FROM crew WHERE id < 4 GROUP BY GROUPING SETS ((boss), ()) ORDER BY 2, 1",
        [(None, 1), (1, 2), (None, 3)],
    ),
    ("SELECT COUNT(*) FROM crew HAVING COUNT(*) > 9", []),
    ("SELECT LEN(name) + 1, COUNT(*) FROM crew GROUP BY LEN(name) ORDER BY LEN(name)", [(3, 1), (4, 3)]),
    (
        "SELECT boss, SUM(pay), 100 * SUM(pay) / SUM(SUM(pay)) OVER () FROM crew WHERE boss = 1"
        " GROUP BY boss",
        [(1, Decimal("170.25"), Decimal("100.000000"))],
    ),
    ("SELECT SUM(DATEDIFF(day, born, '1990-01-16')) FROM crew WHERE id = 1", [(1,)]),
    (
        "SELECT id, SUM(pay) OVER (ORDER BY id ROWS 1 PRECEDING) FROM crew WHERE id < 4 ORDER BY id",
        [(1, Decimal("100.50")), (2, Decimal("190.50")), (3, Decimal("170.25"))],
    ),
    ("SELECT id, LAG(name, 1, '-') OVER (ORDER BY name DESC) FROM crew WHERE id > 2", [(4, "-"), (3, "dov")]),
    ("SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) FROM ships", [(1,), (2,)]),
    # Queries within queries.
    (
        "SELECT s.code, x.name FROM ships s OUTER APPLY"
        " (SELECT TOP 1 name FROM crew WHERE ship = s.code ORDER BY pay DESC) x ORDER BY s.code",
        [("ARGO", "Ada"), ("Clip", None)],
    ),
    ("SELECT (SELECT COUNT(*) FROM crew WHERE ship = s.code) n FROM ships s ORDER BY n", [(0,), (2,)]),
    (
        "SELECT id FROM crew c WHERE EXISTS (SELECT 1 / 0 FROM ships WHERE code = c.ship) ORDER BY 1",
        [(1,), (2,)],
    ),
    ("SELECT id FROM crew WHERE pay > ALL (SELECT pay FROM crew WHERE id = 3) ORDER BY id", [(1,), (2,)]),
    (
        "WITH r AS (SELECT id, 0 AS depth, CAST(name AS VARCHAR(99)) AS path FROM crew WHERE boss IS NULL"
        " UNION ALL SELECT c.id, r.depth + 1, CAST(r.path + '/' + c.name AS VARCHAR(99))"
        " FROM crew c JOIN r ON c.boss = r.id) SELECT depth, path FROM r WHERE id = 4",
        [(2, "Ada/bea/dov")],
    ),
    ("WITH n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT TOP 2 x FROM n", [(1,), (2,)]),
    (
        "WITH n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 200) SELECT MAX(x) FROM n"
        " OPTION (MAXRECURSION 0)",
        [(200,)],
    ),
    ("SELECT v.x * 2 FROM (VALUES (1), (2.5)) v(x)", [(Decimal("2.0"),), (Decimal("5.0"),)]),
    ("SELECT value, ordinal FROM STRING_SPLIT('a;;b', ';', 1)", [("a", 1), ("", 2), ("b", 3)]),
    ("SELECT value FROM GENERATE_SERIES(3, 1)", [(3,), (2,), (1,)]),
    # PIVOT and UNPIVOT.
    (
        "SELECT * FROM (SELECT ship, id, boss FROM crew WHERE boss = 1) c"
        " PIVOT (MAX(id) FOR ship IN ([ARGO], [bark])) p",
        [(1, 2, 3)],
    ),
    (
        "SELECT code, what, worth FROM (SELECT code, CAST(cost AS FLOAT) cost, size FROM ships) s"
        " UNPIVOT (worth FOR what IN (cost, size)) u ORDER BY code, what",
        [("ARGO", "cost", 1000.5), ("ARGO", "size", 2.5), ("Clip", "size", 1.5)],
    ),
    # What may fail is asked only of rows that other conditions leave.
    ("SELECT id FROM crew WHERE id > 1 AND 10 / (id - 1) > 5", [(2,)]),
    ("SELECT id FROM crew WHERE CASE WHEN id > 1 THEN 10 / (id - 1) ELSE 0 END > 5", [(2,)]),
    ("SELECT DISTINCT ship FROM crew WHERE ship = 'bark' AND active = 'true'", [("Bark",)]),
]


@pytest.mark.parametrize(("sql", "expected"), ANSWERS)
def test_answers(server: LocalSession, sql: str, expected: list[tuple[object, ...]]) -> None:
    assert server.query(sql)[1] == expected


REFUSED: list[tuple[str, str]] = [
    ("SELECT nosuch FROM crew", "207"),
    ("SELECT id AS x FROM crew ORDER BY x + 1", "207"),
    ("SELECT ship AS s FROM crew GROUP BY s", "207"),
    ("SELECT id FROM nosuch", "208"),
    ("SELECT id FROM other.crew", "208"),
    ("SELECT id FROM crew a JOIN crew b ON a.id = b.id", "209"),
    ("SELECT crew.id FROM crew c", "4104"),
    ("SELECT a.id FROM crew a, ships s JOIN crew b ON a.id = b.id", "4104"),
    ("SELECT c.id, x.n FROM crew c JOIN (SELECT c.id AS n) x ON 1 = 1", "4104"),
    ("SELECT c.id FROM crew c, ships c", "1011"),
    ("SELECT id FROM crew, crew", "1013"),
    ("SELECT id, COUNT(*) FROM crew", "8120"),
    ("SELECT born FROM crew GROUP BY YEAR(born)", "8120"),
    ("SELECT ship FROM crew GROUP BY ship HAVING pay > 1", "8121"),
    ("SELECT ship FROM crew GROUP BY ship ORDER BY pay", "8127"),
    ("SELECT GROUPING(id) FROM crew GROUP BY ship", "8161"),
    ("SELECT id FROM crew WHERE MAX(pay) > 1", "147"),
    ("SELECT DISTINCT ship FROM crew ORDER BY id", "145"),
    ("SELECT id FROM crew ORDER BY id, id", "169"),
    ("SELECT id FROM crew ORDER BY 2", "108"),
    ("SELECT id FROM crew WHERE id IN (SELECT code, title FROM ships)", "116"),
    ("SELECT (SELECT id FROM crew)", "512"),
    ("SELECT id FROM crew UNION SELECT code, title FROM ships", "205"),
    ("SELECT id FROM crew UNION SELECT id FROM crew ORDER BY id + 1", "104"),
    ("SELECT TOP (id) id FROM crew", "4115"),
    ("SELECT TOP (1.5 + 1) id FROM crew", "1060"),
    ("SELECT id FROM crew WHERE id = name", "245"),
    ("SELECT id FROM crew WHERE pay = 'x'", "8114"),
    ("SELECT id FROM crew WHERE born = 1990", "206"),
    ("SELECT SUM(name) FROM crew", "8117"),
    ("SELECT MAX(active) FROM crew", "8117"),
    ("SELECT * FROM (SELECT id, id FROM crew) c", "8156"),
    ("SELECT * FROM (SELECT id + 1 FROM crew) c", "8155"),
    ("SELECT * FROM (SELECT id FROM crew) c(a, b)", "8159"),
    ("WITH n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n", "530"),
    ("WITH n AS (SELECT 1 AS x UNION ALL SELECT x + 0.5 FROM n) SELECT x FROM n", "240"),
    ("WITH n AS (SELECT 1 AS x UNION ALL SELECT MAX(x) FROM n) SELECT x FROM n", "467"),
    ("SELECT * FROM ships UNPIVOT (v FOR k IN (cost, size)) u", "8167"),
    ("SELECT id COLLATE Latin1_General_BIN FROM crew", "447"),
    ("SELECT dbo.age(born) FROM crew", "4121"),
    ("SELECT STRING_AGG(name, ',') OVER () FROM crew", "4113"),
]


@pytest.mark.parametrize(("sql", "code"), REFUSED)
def test_refusals(server: LocalSession, sql: str, code: str) -> None:
    with pytest.raises(DialectError) as refused:
        server.query(sql)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT NEWID()",
        "SELECT SYSDATETIMEOFFSET()",
        "SELECT id FROM crew c WHERE EXISTS (SELECT SUM(c.pay) FROM ships)",
        "SELECT name FROM sys.tables",
        "SELECT FORMAT(pay, 'N', 'de-DE') FROM crew",
        "SELECT TRIM('A' FROM name) FROM crew",
        "SELECT CONVERT(VARCHAR(30), GETDATE(), 130)",
        "SELECT id FROM crew ORDER BY name COLLATE Latin1_General_CS_AS",
        "SELECT CAST('é' AS VARBINARY(5))",
    ],
)
def test_what_is_unsupported(server: LocalSession, sql: str) -> None:
    with pytest.raises(UnsupportedError):
        server.query(sql)


def test_names_of_columns(server: LocalSession) -> None:
    names, _ = server.query("SELECT ID, c.*, [a b] = 1, 'x' AS 'y z', COUNT(*) OVER () FROM crew c")
    assert names[:3] == ["ID", "id", "name"]
    assert names[-4:] == ["first watch", "a b", "y z", ""]


TYPES: list[tuple[str, str]] = [
    ("id / 2", "INTEGER"),
    ("id + CAST(1 AS BIGINT)", "BIGINT"),
    ("CAST(1 AS SMALLINT) * CAST(2 AS SMALLINT)", "SMALLINT"),
    ("pay + 1", "DECIMAL(9,2)"),
    ("pay * pay", "DECIMAL(17,4)"),
    ("pay / id", "DECIMAL(19,13)"),
    ("pay / 3.0", "DECIMAL(13,6)"),
    ("AVG(id) OVER ()", "INTEGER"),
    ("AVG(pay) OVER ()", "DECIMAL(38,6)"),
    ("SUM(pay) OVER ()", "DECIMAL(38,2)"),
    ("COUNT(*) OVER ()", "INTEGER"),
    ("RANK() OVER (ORDER BY id)", "BIGINT"),
    ("active", "UTINYINT"),
    ("ISNULL(id, 0.5)", "INTEGER"),
    ("COALESCE(id, 0.5)", "DECIMAL(11,1)"),
    ("CASE WHEN id = 1 THEN pay ELSE CAST(1 AS FLOAT) END", "DOUBLE"),
    ("DATEADD(day, 1, born)", "DATE"),
    ("DATEADD(day, 1, '1990-01-15')", "TIMESTAMP"),
    ("ROUND(pay, 1)", "DECIMAL(8,2)"),
    ("FLOOR(pay)", "DECIMAL(8,0)"),
    ("POWER(id, 2)", "INTEGER"),
]


@pytest.mark.parametrize(("expression", "expected"), TYPES)
def test_types(server: LocalSession, expression: str, expected: str) -> None:
    sql = server.translate(f"SELECT {expression} FROM crew").sql
    assert server.connection.execute(f"describe {sql}").fetchall()[0][1] == expected


def test_a_clock_that_is_told(server: LocalSession) -> None:
    sql = "SELECT GETDATE(), CAST(SYSDATETIME() AS DATE), DATEDIFF(year, '2000-12-31', CURRENT_TIMESTAMP)"
    assert server.query(sql)[1] == [(datetime(2024, 3, 15, 10, 30), date(2024, 3, 15), 24)]


@pytest.mark.parametrize("version", [2019, 2025])
def test_other_versions(version: int) -> None:
    with duckdb.connect() as connection, pytest.raises(UnsupportedError):
        LocalSession(connection, "tsql", version).query("SELECT 1")
