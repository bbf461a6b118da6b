"""The statement that tells where ties stand."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from glue.sql.analysis import sql_analysis

SETUP = """
CREATE TABLE t (name TEXT, pts INTEGER, team TEXT);
INSERT INTO t VALUES ('A', 10, 'x'), ('B', 10, 'y'), ('C', 3, 'x'), ('d', NULL, 'y');
"""


def probe(sql: str, dialect: str = "sqlite") -> str:
    analysis = sql_analysis(sql, dialect)
    assert analysis["order_probe_problem"] is None, analysis["order_probe_problem"]
    return str(analysis["order_probe_sql"])


def rows_of(sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SETUP)
    return connection.execute(sql).fetchall()


CASES = [
    ("SELECT name FROM t ORDER BY pts DESC LIMIT 1", [("A", 10, 1), ("B", 10, 1)]),
    ("SELECT name FROM t ORDER BY pts LIMIT 1", [("d", None, 1)]),
    ("SELECT name FROM t ORDER BY pts NULLS LAST LIMIT 1", [("C", 3, 1)]),
    ("SELECT name FROM t WHERE pts > 3 LIMIT 1;", [("A", 1), ("B", 1)]),
    ("SELECT name FROM t ORDER BY pts DESC LIMIT 1 OFFSET 1", [("A", 10, 1), ("B", 10, 1)]),
    ("SELECT name FROM t ORDER BY pts DESC LIMIT 1, 1", [("A", 10, 1), ("B", 10, 1)]),
    ("SELECT name FROM t ORDER BY 1 DESC LIMIT 1", [("d", "d", 1)]),
    ("SELECT name AS n FROM t ORDER BY n COLLATE NOCASE DESC LIMIT 1", [("d", "d", 1)]),
    (
        "SELECT name AS pts FROM t ORDER BY pts DESC LIMIT 1",
        [("d", "d", 1)],
    ),  # an alias comes before a column
    ("SELECT name AS pts FROM t ORDER BY (pts) DESC LIMIT 1", [("d", "d", 1)]),
    ("SELECT name AS pts FROM t WHERE pts > 0 ORDER BY +pts DESC LIMIT 1", [("A", 10, 1), ("B", 10, 1)]),
    ("SELECT name, pts FROM t ORDER BY (2) DESC LIMIT 1", [("A", 10, 10, 1), ("B", 10, 10, 1)]),
    ("SELECT name, pts FROM t ORDER BY +2 DESC LIMIT 1", [("A", 10, 10, 1), ("B", 10, 10, 1)]),
    ("SELECT name AS n FROM t ORDER BY (n) COLLATE NOCASE DESC LIMIT 1", [("d", "d", 1)]),
    ("SELECT name FROM t UNION SELECT team FROM t ORDER BY (1) DESC LIMIT 1", [("y", "y", 1)]),
    (
        "SELECT name, pts * 2 AS twice FROM t ORDER BY twice + 1 DESC, name DESC LIMIT 1",
        [("B", 20, 21, "B", 1)],
    ),
    (
        "SELECT team, COUNT(*) FROM t GROUP BY team ORDER BY COUNT(*) DESC LIMIT 1",
        [("x", 2, 2, 1), ("y", 2, 2, 1)],
    ),
    ("SELECT team FROM t GROUP BY team ORDER BY SUM(pts) LIMIT 1", [("y", 10, 1)]),
    ("SELECT DISTINCT team FROM t ORDER BY team DESC LIMIT 1", [("y", "y", 1)]),
    ("SELECT name FROM t UNION SELECT team FROM t ORDER BY name DESC LIMIT 1", [("y", "y", 1)]),
    (
        "WITH c AS (SELECT * FROM t) SELECT name FROM c ORDER BY pts DESC LIMIT 1",
        [("A", 10, 1), ("B", 10, 1)],
    ),
    ("SELECT name -- who\nFROM t ORDER BY pts DESC -- most\nLIMIT 1 -- one", [("A", 10, 1), ("B", 10, 1)]),
    ("SELECT pts IS DISTINCT FROM 3, name FROM t ORDER BY name LIMIT 1", None),
    ("SELECT (SELECT MAX(pts) FROM t) AS m, 'FROM, t' FROM t ORDER BY m, (SELECT 1) LIMIT 1", None),
    ("SELECT name FROM t ORDER BY CASE WHEN pts > 3 THEN 'ORDER BY' END DESC LIMIT 2", None),
    ("SELECT * FROM t ORDER BY pts DESC, name", None),
]


@pytest.mark.parametrize(("sql", "expected"), CASES)
def test_probe_returns_columns_keys_and_rank(sql: str, expected: list[tuple[object, ...]] | None) -> None:
    if "IS DISTINCT FROM" in sql and sqlite3.sqlite_version_info < (3, 39):
        pytest.skip("this SQLite has no IS DISTINCT FROM")
    found = rows_of(probe(sql))
    if expected is not None:
        assert sorted(found, key=str) == sorted(expected, key=str)
    ranks = [row[-1] for row in found]
    assert ranks == sorted(ranks, key=lambda rank: int(str(rank)))
    own = rows_of(sql)
    width = len(own[0])
    assert set(own) <= {row[:width] for row in found}


def test_without_a_limit_every_row_has_its_rank() -> None:
    found = rows_of(probe("SELECT name FROM t ORDER BY pts DESC"))
    assert [row[-1] for row in found] == [1, 1, 3, 4]


def test_names_beyond_ascii_do_not_shift_the_cut() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE 金球奖 (姓名 TEXT, 票 INTEGER); INSERT INTO 金球奖 VALUES ('梅西😀', 2), ('乙', 1);"
    )
    sql = "SELECT 姓名 AS \"球员 😀\", '😀' FROM 金球奖 WHERE 姓名 <> '😀' ORDER BY 票 DESC LIMIT 1"
    assert connection.execute(probe(sql)).fetchall() == [("梅西😀", "😀", 2, 1)]


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT DISTINCT name FROM t ORDER BY pts", "distinct"),
        ("SELECT name FROM t ORDER BY pts LIMIT (SELECT 1)", "limit_not_literal"),
        ("SELECT name FROM t ORDER BY RANDOM() LIMIT 1", "random"),
        ("SELECT name FROM t UNION SELECT team FROM t ORDER BY LENGTH(name)", "set_operation"),
        ("SELECT * FROM t UNION SELECT * FROM t ORDER BY pts", "set_operation"),
        ("SELECT name FROM t ORDER BY pts; SELECT 1", "several_statements"),
        ("SELECT name FROM", "unparsed"),
        ("SELECT name FROM t ORDER BY (1 COLLATE NOCASE)", "unreadable"),
    ],
)
def test_why_there_is_no_probe(sql: str, problem: str) -> None:
    analysis = sql_analysis(sql, "sqlite")
    assert analysis["order_probe_sql"] is None
    assert analysis["order_probe_problem"] == problem


@pytest.mark.parametrize(
    "sql", ["SELECT name FROM t", "SELECT * FROM (SELECT name FROM t ORDER BY pts LIMIT 1)", "DELETE FROM t"]
)
def test_what_needs_no_probe_has_none(sql: str) -> None:
    analysis = sql_analysis(sql, "sqlite")
    assert (analysis["order_probe_sql"], analysis["order_probe_problem"]) == (None, None)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT name FROM t ORDER BY pts DESC NULLS LAST LIMIT 1", [("A", 10, 1), ("B", 10, 1)]),
        ("SELECT name FROM t ORDER BY pts LIMIT 1", [("C", 3, 1)]),  # NULLs come last here
        ("SELECT name FROM t ORDER BY pts FETCH FIRST 1 ROWS ONLY", [("C", 3, 1)]),
        ("SELECT name, name FROM t ORDER BY 1 LIMIT 1", [("A", "A", "A", 1)]),
        ("SELECT name, pts FROM t ORDER BY (2) LIMIT 1", [("C", 3, 3, 1)]),
        ("SELECT name FROM t WHERE pts < 10 ORDER BY +1 LIMIT 1", [("C", 1, 1)]),
    ],
)
def test_probe_in_duckdb(sql: str, expected: list[tuple[object, ...]]) -> None:
    connection = duckdb.connect()
    connection.execute(SETUP)
    assert sorted(connection.execute(probe(sql, "duckdb")).fetchall()) == expected


def test_probe_in_other_dialects_is_read_by_their_parsers() -> None:
    import sqlglot

    for dialect, sql in [
        ("tsql", "SELECT TOP (1) name FROM t ORDER BY pts DESC"),
        ("oracle", "SELECT name FROM t ORDER BY pts DESC FETCH FIRST 1 ROWS ONLY"),
        ("postgres", "SELECT name FROM t ORDER BY pts DESC LIMIT 1"),
        ("mysql", "SELECT name FROM t ORDER BY pts DESC LIMIT 1"),
    ]:
        text = probe(sql, dialect)
        assert sqlglot.parse_one(text, read=dialect) is not None
        assert "TOP" not in text
        assert "<= 1" in text


MUST_BE_NAMED = [
    ("mysql", "SELECT a.id, b.id FROM a JOIN b ON a.id = b.id ORDER BY b.v LIMIT 2"),
    ("mysql", "SELECT MAX(v), MAX(v) FROM a GROUP BY id ORDER BY id"),
    ("oracle", "SELECT a.id, b.id FROM a JOIN b ON a.id = b.id ORDER BY b.v FETCH FIRST 2 ROWS ONLY"),
    ("tsql", "SELECT TOP 2 id, COUNT(*) FROM a GROUP BY id ORDER BY COUNT(*)"),
    ("tsql", "WITH c AS (SELECT id FROM a) SELECT id FROM c ORDER BY id"),
]
"""What these dialects would refuse in FROM: two columns of one name; in T-SQL one without, or a WITH."""


@pytest.mark.parametrize(("dialect", "sql"), MUST_BE_NAMED)
def test_columns_that_cannot_stand_in_from_are_named_anew(dialect: str, sql: str) -> None:
    text = probe(sql, dialect)
    rows = "probe_rows" if dialect == "oracle" else "__rows"
    assert f"{rows} (" in text and f"FROM {rows} " in text
    assert "(WITH" not in text.replace("\n", "").upper()


def test_such_a_probe_gives_what_the_plain_one_gives() -> None:
    sql = "SELECT name, team AS name FROM t ORDER BY pts DESC LIMIT 1"
    assert "__rows" not in probe(sql) and "__rows (" in probe(sql, "mysql")
    expected = [("A", "x", 10, 1), ("B", "y", 10, 1)]
    assert rows_of(probe(sql)) == expected  # SQLite lets two columns have one name
    assert rows_of(probe(sql, "mysql")) == expected


def test_columns_with_names_of_their_own_keep_them() -> None:
    for dialect in ("mysql", "oracle", "tsql"):
        assert "_rows" not in probe("SELECT id, v FROM a ORDER BY v", dialect)


def test_oracle_takes_no_column_beside_a_bare_star() -> None:
    sql = "SELECT * FROM t ORDER BY pts"
    assert sql_analysis(sql, "oracle")["order_probe_problem"] == "bare_star"
    assert sql_analysis(sql, "sqlite")["order_probe_sql"] is not None
    assert sql_analysis("SELECT t.* FROM t ORDER BY pts", "oracle")["order_probe_sql"] is not None
