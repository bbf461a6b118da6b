"""Lints of gold SQL found on the text alone."""

from __future__ import annotations

import pytest

from glue.sql.analysis import sql_analysis


def found(sql: str, dialect: str = "sqlite") -> list[tuple[str, str]]:
    return [(finding["code"], finding["detail"]) for finding in sql_analysis(sql, dialect)["findings"]]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t WHERE b = 'x'", []),
        ("SELECT COUNT(CASE WHEN a = 1 THEN b ELSE 0 END) FROM t", ["count_case_else_zero"]),
        ("SELECT COUNT(IIF(a = 1, 1, 0)) FROM t", ["count_case_else_zero"]),
        ("SELECT COUNT(a = 1) FROM t", ["count_case_else_zero"]),
        ("SELECT COUNT(CASE WHEN a = 1 THEN b END), COUNT(IIF(a, 1, NULL)) FROM t", []),
        ("SELECT COUNT(CASE WHEN a = 1 THEN b ELSE NULL END) FROM t", []),
        ("SELECT COUNT(DISTINCT CASE WHEN a = 1 THEN b ELSE 0 END) FROM t", []),
        ("SELECT SUM(CASE WHEN a = 1 THEN 1 ELSE 0 END) FROM t", []),
        ("SELECT a FROM t WHERE b > DATE('now')", ["clock_or_random"]),
        ("SELECT a FROM t WHERE b = NULL", ["compares_with_null"]),
        ("SELECT a FROM t WHERE b IS NULL", []),
        ("SELECT a FROM t LIMIT 3", ["limit_without_order"]),
        ("SELECT COUNT(*) FROM t LIMIT 1", []),
        ("SELECT a, MAX(b) FROM t", ["bare_column"]),
        ("DELETE FROM t", ["not_a_read"]),
        ("SELECT 1; SELECT 2", ["several_statements"]),
        ("SELECT a FROM", ["does_not_parse"]),
        ("", []),
    ],
)
def test_codes(sql: str, expected: list[str]) -> None:
    assert [code for code, _ in found(sql)] == expected


def test_details_say_where() -> None:
    assert found("SELECT MAX(b), T1.Name FROM t AS T1 JOIN u ON T1.i = u.i") == [("bare_column", "t.name")]
    assert found("SELECT a FROM t WHERE b < CURRENT_DATE")[0][1] == "currentdate()" or "current_date" in str(
        found("SELECT a FROM t WHERE b < CURRENT_DATE")
    )


def test_double_quoted_names_are_candidates_where_nothing_defines_them() -> None:
    assert found('SELECT "Total" FROM t WHERE name = "France" AND t."x" = `y`') == [
        ("double_quoted_name", "Total"),
        ("double_quoted_name", "France"),
    ]
    assert found('SELECT a AS "The Total" FROM t ORDER BY "The Total"') == [("order_by_column", "t.a")]
    assert found('SELECT "q r" FROM (SELECT a AS "q r" FROM t)') == []
    assert found('SELECT "Total" FROM t', "postgres") == []


def test_order_by_columns_are_followed_to_their_table() -> None:
    assert found("SELECT T1.a AS n FROM t AS T1 JOIN u ON T1.i = u.i ORDER BY n") == [
        ("order_by_column", "t.a")
    ]
    assert found("SELECT a FROM t JOIN u ON t.i = u.i ORDER BY Z") == [("order_by_column", "?.z")]
    assert found("SELECT k FROM (SELECT b AS k FROM t) ORDER BY k") == [("order_by_column", "t.b")]
    assert found("SELECT a FROM t ORDER BY CAST(a AS INTEGER), LENGTH(b)") == []
    assert found("SELECT a FROM t UNION SELECT b FROM u ORDER BY a") == [
        ("order_by_column", "t.a"),
        ("order_by_column", "u.b"),
    ]
