"""The one parse: its fields, and that nothing makes it raise."""

from __future__ import annotations

import json
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glue.sql import analysis as module
from glue.sql.analysis import analysis_version, sql_analysis

FIELDS = {
    "parse_outcome",
    "parse_error",
    "n_statements",
    "is_read",
    "normal_form",
    "normal_form_lower",
    "is_ordered",
    "has_limit",
    "limit_rows",
    "offset_rows",
    "order_probe_sql",
    "order_probe_problem",
    "plan_sensitivity",
    "whole_if_integer",
    "tables",
    "n_joins",
    "findings",
}
DIALECTS = ["sqlite", "duckdb", "oracle", "tsql", "postgres", "mysql"]


def check_shape(sql: str, dialect: str) -> dict[str, object]:
    """The analysis, after looking at the types of its fields."""
    found = sql_analysis(sql, dialect)
    assert set(found) == FIELDS
    assert found["parse_outcome"] in ("parsed", "failed", "empty", "too_deep", "too_large")
    assert (found["parse_outcome"] == "parsed") == (found["normal_form"] is not None)
    for name in ("plan_sensitivity", "whole_if_integer", "tables"):
        assert all(isinstance(value, str) for value in found[name])
    assert all(set(finding) == {"code", "detail"} for finding in found["findings"])
    json.dumps(found, ensure_ascii=False).encode()  # every text is one that can be stored
    return found


def test_flags_of_an_ordered_statement() -> None:
    found = check_shape("SELECT a FROM t ORDER BY b LIMIT 3 OFFSET 2;", "sqlite")
    assert found["n_statements"] == 1
    assert found["is_read"] is True
    assert found["is_ordered"] is True
    assert found["has_limit"] is True
    assert (found["limit_rows"], found["offset_rows"]) == (3, 2)


@pytest.mark.parametrize(
    ("sql", "dialect", "rows", "skipped"),
    [
        ("SELECT a FROM t LIMIT 5, 10", "sqlite", 10, 5),
        ("SELECT a FROM t LIMIT -1", "sqlite", -1, None),
        ("SELECT a FROM t LIMIT 1 + 1", "sqlite", None, None),
        ("SELECT a FROM t LIMIT 99999999999999999999", "sqlite", None, None),
        ("SELECT TOP 5 a FROM t", "tsql", 5, None),
        ("SELECT a FROM t ORDER BY a OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY", "oracle", 5, 2),
        ("SELECT a FROM t FETCH FIRST ROW ONLY", "oracle", 1, None),
        ("SELECT a FROM t UNION SELECT b FROM u LIMIT 7", "sqlite", 7, None),
        ("(SELECT a FROM t LIMIT 3) LIMIT 2", "duckdb", 2, None),
    ],
)
def test_limit_and_offset(sql: str, dialect: str, rows: int | None, skipped: int | None) -> None:
    found = check_shape(sql, dialect)
    assert found["has_limit"] is True
    assert (found["limit_rows"], found["offset_rows"]) == (rows, skipped)


@pytest.mark.parametrize(
    ("sql", "dialect", "is_read"),
    [
        ("WITH c AS (SELECT 1) SELECT * FROM c", "sqlite", True),
        ("VALUES (1), (2)", "sqlite", True),
        ("SELECT 1 UNION SELECT 2", "sqlite", True),
        ("(SELECT 1)", "duckdb", True),
        ("DELETE FROM t", "sqlite", False),
        ("WITH x AS (SELECT 1) DELETE FROM m", "sqlite", False),
        ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "postgres", False),
        ("SELECT a INTO b FROM t", "tsql", False),
        ("PRAGMA table_info(t)", "sqlite", False),
        ("EXPLAIN SELECT 1", "sqlite", False),
        ("ATTACH 'x' AS y", "sqlite", False),
        ("SELECT 1; DROP TABLE t", "sqlite", False),
        ("CREATE TABLE t AS SELECT 1", "sqlite", False),
        ("VACUUM INTO 'x'", "sqlite", False),
    ],
)
def test_is_read(sql: str, dialect: str, is_read: bool) -> None:
    assert check_shape(sql, dialect)["is_read"] is is_read


def test_inner_order_and_limit_are_not_the_statements_own() -> None:
    found = check_shape("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)", "sqlite")
    assert found["is_ordered"] is False
    assert found["has_limit"] is False


def test_what_does_not_parse_is_sensitive_and_says_why() -> None:
    found = check_shape("SELECT a FROM t WHERE", "sqlite")
    assert found["parse_outcome"] == "failed"
    assert found["plan_sensitivity"] == ["unparsed"]
    assert found["is_read"] is None
    assert found["parse_error"]


def test_an_error_of_ours_is_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(module, "order_probe", broken)
    found = check_shape("SELECT 1", "sqlite")
    assert found["parse_outcome"] == "failed"
    assert "oops" in str(found["parse_error"])


def test_version_names_sqlglot_and_the_source() -> None:
    assert analysis_version().startswith(version("sqlglot") + "+")
    assert len(analysis_version().split("+")[1]) == 12


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT '" + "x" * 1_000_000 + "'",
        "\x00" * 50,
        "SELECT a\x00b FROM t",
        "SELECT " + "a AND " * 15_000 + "1",
        "SELECT " + "1 + " * 20_000 + "1",
        "SELECT a FROM t WHERE " + " OR ".join(f"a = {n}" for n in range(3_000)),
        "SELECT 1" + " UNION SELECT 1" * 6_000,
        "SELECT a FROM t WHERE a IN (" + ", ".join(str(n) for n in range(15_000)) + ")",
        "SELECT * FROM t" + ", u" * 3_000,
        "SELECT " + ", ".join(f"a{n} AS b{n}" for n in range(4_000)) + " FROM t ORDER BY b1",
        "SELECT 1;" * 10_000,
        "WITH "
        + ", ".join(f"c{n} AS (SELECT * FROM c{n - 1})" for n in range(1, 800))
        + " SELECT SUM(x) FROM c799",
        "WITH "
        + ", ".join(f"c{n} AS (SELECT x, x AS y FROM c{n - 1} AS a JOIN c{n - 1} AS b)" for n in range(1, 60))
        + " SELECT SUM(a.x + b.y) FROM c59 AS a, c59 AS b ORDER BY y LIMIT 1",
        "SELECT * FROM " + "(SELECT * FROM " * 150 + "t" + ")" * 150 + " ORDER BY a LIMIT 1",
        "SELECT a FROM t WHERE a IN " + "(SELECT a FROM t WHERE a IN " * 150 + "(1)" + ")" * 150,
        "SELECT " + "SUM(a) OVER (ORDER BY b) + " * 1_500 + "1 FROM t",
        "SELECT " + "COUNT(*) + " * 3_000 + "a FROM t GROUP BY b",
    ],
    ids=lambda sql: sql[:30].replace("\x00", "␀"),
)
def test_large_and_deep_texts_end_soon(sql: str) -> None:
    began = time.process_time()
    check_shape(sql, "sqlite")
    assert time.process_time() - began < 5


@given(st.text(max_size=200), st.sampled_from(DIALECTS))
@settings(max_examples=150)
def test_random_text_never_raises(sql: str, dialect: str) -> None:
    check_shape(sql, dialect)


TOKENS = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "ORDER",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "JOIN",
    "LEFT",
    "ON",
    "USING",
    "NATURAL",
    "UNION",
    "ALL",
    "EXCEPT",
    "WITH",
    "AS",
    "RECURSIVE",
    "DISTINCT",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "IN",
    "EXISTS",
    "NOT",
    "NULL",
    "IS",
    "LIKE",
    "BETWEEN",
    "AND",
    "OR",
    "OVER",
    "PARTITION",
    "ROWS",
    "VALUES",
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    ",",
    ",",
    ".",
    "*",
    "+",
    "-",
    "/",
    "%",
    "=",
    "<",
    ">",
    "||",
    "1",
    "2.5",
    "'x'",
    '"y"',
    "`z`",
    "[w]",
    "a",
    "b",
    "t",
    "u",
    "汉",
    "COUNT(",
    "SUM(",
    "MAX(",
    "GROUP_CONCAT(",
    "CAST(",
    "INTEGER",
    ")",
    "DESC",
    "COLLATE",
    "NOCASE",
    "FETCH",
    "FIRST",
    "ROWS",
    "ONLY",
    "TOP",
    "CONNECT",
    "PRIOR",
    "DELETE",
    "INSERT",
    "INTO",
    "RETURNING",
    ";",
    "--",
    "/*",
    "*/",
    "\x00",
    "?",
    ":n",
    "@p",
    "$1",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=40), st.sampled_from(DIALECTS))
@settings(max_examples=400)
def test_token_soup_never_raises(tokens: list[str], dialect: str) -> None:
    check_shape(" ".join(tokens), dialect)


@given(st.lists(st.sampled_from(TOKENS), max_size=25), st.sampled_from(DIALECTS))
@settings(max_examples=400)
def test_token_soup_after_a_good_start_never_raises(tokens: list[str], dialect: str) -> None:
    check_shape("SELECT a, COUNT(*) AS n FROM t JOIN u ON t.i = u.i " + " ".join(tokens), dialect)


def test_real_oracle_queries_never_raise(shared_data: Path) -> None:
    paths = sorted((shared_data / "oracle_queries").rglob("*.sql"))
    assert len(paths) > 200
    outcomes = [check_shape(path.read_text(errors="replace"), "oracle")["parse_outcome"] for path in paths]
    assert outcomes.count("parsed") > 190


@pytest.mark.parametrize(
    ("sql", "dialect", "n_joins"),
    [
        ("SELECT a FROM t", "sqlite", 0),
        ("SELECT a FROM t JOIN u ON t.b = u.b LEFT JOIN v ON v.c = u.c", "sqlite", 2),
        ("SELECT a FROM t, u WHERE t.b = u.b (+)", "oracle", 1),
        ("SELECT a FROM t WHERE b IN (SELECT u.b FROM u JOIN v ON v.c = u.c)", "sqlite", 1),
        ("SELECT a FROM t JOIN u USING (b) UNION SELECT a FROM v JOIN w USING (b)", "duckdb", 2),
        ("SELECT LEVEL FROM t START WITH p IS NULL CONNECT BY PRIOR a = p", "oracle", 0),
        ("SELECT FROM FROM", "sqlite", None),
    ],
)
def test_joins_are_counted_wherever_they_stand(sql: str, dialect: str, n_joins: int | None) -> None:
    assert sql_analysis(sql, dialect)["n_joins"] == n_joins
