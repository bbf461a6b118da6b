"""Which real tables a text reads."""

from __future__ import annotations

import pytest

from glue.sql.analysis import sql_analysis


@pytest.mark.parametrize(
    ("sql", "dialect", "tables"),
    [
        ("SELECT * FROM T AS x, main.u JOIN `V w`", "sqlite", ["t", "u", "v w"]),
        ("WITH big AS (SELECT amt FROM orders) SELECT SUM(amt) FROM big", "sqlite", ["orders"]),
        ("WITH orders AS (SELECT * FROM orders) SELECT * FROM orders", "duckdb", ["orders"]),
        ("WITH o AS (SELECT 1), p AS (SELECT * FROM o) SELECT * FROM p, main.o", "sqlite", ["o"]),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", "duckdb", []),
        ("WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", "sqlite", []),
        ("SELECT a FROM (WITH c AS (SELECT a FROM t) SELECT a FROM c) JOIN c", "sqlite", ["c", "t"]),
        (
            "SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE EXISTS (SELECT 1 FROM v))",
            "sqlite",
            ["t", "u", "v"],
        ),
        ("SELECT a FROM t WHERE b IN u", "sqlite", ["t", "u"]),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY (SELECT MAX(c) FROM v)", "sqlite", ["t", "u", "v"]),
        ("SELECT a FROM (t JOIN (u LEFT JOIN v ON u.i = v.i) ON t.i = u.i)", "sqlite", ["t", "u", "v"]),
        ("SELECT * FROM json_each('[1]'), pragma_table_info('t')", "sqlite", []),
        ("SELECT 1 FROM dual", "oracle", []),
        ("SELECT * FROM hr.Employees e, dept", "oracle", ["dept", "hr.employees"]),
        ("SELECT 姓名 FROM 金球奖", "sqlite", ["金球奖"]),
        ("FROM t SELECT a", "duckdb", ["t"]),
        ("SELECT 1; SELECT * FROM t", "sqlite", ["t"]),
        ("DELETE FROM t WHERE a IN (SELECT b FROM u)", "sqlite", ["t", "u"]),
        ("SELECT 1", "sqlite", []),
    ],
)
def test_tables(sql: str, dialect: str, tables: list[str]) -> None:
    analysis = sql_analysis(sql, dialect)
    assert analysis["parse_outcome"] == "parsed", analysis["parse_error"]
    assert analysis["tables"] == tables
