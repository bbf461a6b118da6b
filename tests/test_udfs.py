"""The functions that SQL calls: whatever a SQL text or a result is, a build survives it."""

from __future__ import annotations

import sys
import types
from typing import Any

import duckdb
import pytest

from glue.udfs import ANALYSIS_COLUMNS, register


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    register(connection)
    return connection


def with_analysis(monkeypatch: pytest.MonkeyPatch, function: Any) -> None:
    module = types.ModuleType("glue.sql.analysis")
    module.sql_analysis = function  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "glue.sql.analysis", module)


def one(connection: duckdb.DuckDBPyConnection, sql: str, *values: Any) -> Any:
    row = connection.execute(f"select {sql}", list(values)).fetchone()
    assert row is not None
    return row[0]


def test_an_analysis_has_its_declared_fields(connection: duckdb.DuckDBPyConnection) -> None:
    found = one(connection, "sql_analysis(?, 'sqlite')", "SELECT name FROM t ORDER BY name LIMIT 3")
    assert list(found) == list(ANALYSIS_COLUMNS)
    assert (found["parse_outcome"], found["is_ordered"], found["limit_rows"]) == ("parsed", True, 3)
    assert found["tables"] == ["t"]


@pytest.mark.parametrize("sql", [None, "", "(" * 5000 + ")" * 5000, "SELECT 'x" + "x" * 200_000, "SELEC 1"])
def test_no_text_breaks_a_query(connection: duckdb.DuckDBPyConnection, sql: str | None) -> None:
    found = one(connection, "sql_analysis(?, 'sqlite')", sql)
    assert found["parse_outcome"] in ("empty", "too_deep", "too_large", "failed")


def test_an_unknown_dialect_is_a_value(connection: duckdb.DuckDBPyConnection) -> None:
    assert one(connection, "sql_analysis('select 1', 'klingon')")["parse_outcome"] == "failed"


def test_an_analysis_that_raises_is_a_value(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(sql: str, dialect: str) -> dict[str, Any]:
        raise RecursionError(sql)

    with_analysis(monkeypatch, raising)
    found = one(connection, "sql_analysis('select 1', 'sqlite')")
    assert (found["parse_outcome"], found["parse_error"]) == ("failed", "RecursionError: select 1")
    assert found["plan_sensitivity"] == ["unparsed"]


def test_what_arrow_cannot_hold_costs_only_its_row(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange: dict[str, Any] = {"1": 2**70, "2": "\ud800", "3": 4}

    def answering(sql: str, dialect: str) -> dict[str, Any]:
        value = strange[sql]
        key = "normal_form" if isinstance(value, str) else "limit_rows"
        return {"parse_outcome": "parsed", key: value}

    with_analysis(monkeypatch, answering)
    found = connection.execute(
        "select sql_analysis(i::varchar, 'sqlite') as it from range(1, 4) as t(i) order by i"
    ).fetchall()
    assert [(it["parse_outcome"], it["limit_rows"]) for (it,) in found] == [
        ("parsed", None),
        ("failed", None),
        ("parsed", 4),
    ]


def test_order_is_kept_over_many_rows(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_analysis(monkeypatch, lambda sql, dialect: {"parse_outcome": "parsed", "normal_form": sql})
    rows = "(select i::varchar as sql from range(10000) as t(i))"
    count = f"select count(*) from {rows} where (sql_analysis(sql, '')).normal_form = sql"
    assert connection.execute(count).fetchone() == (10_000,)


def test_columns_are_matched_and_null_is_a_cell(connection: duckdb.DuckDBPyConnection) -> None:
    gold, predicted = "[['t:a', null], ['t:b', 'n:1']]", "[[null, 't:a'], ['n:1', 't:b']]"
    found = one(connection, f"match_columns({gold}, {predicted}, [0, 0], [0, 0], 'permuted')")
    assert (found["outcome"], found["mapping"]) == ("match", [2, 1])
    call = "match_tolerant([['n:1']], [['n:1.0000000001']], [0], [0])"
    assert one(connection, f"({call}).outcome") == "match"


@pytest.mark.parametrize("rows", ["null", "[['t:a']]", "[['t:a'], []]", "[[]]"])
def test_a_result_that_is_no_table_is_undecided(connection: duckdb.DuckDBPyConnection, rows: str) -> None:
    assert (
        one(connection, f"(match_columns({rows}, [['t:a']], null, [0], 'permuted')).outcome") == "undecided"
    )
    assert one(connection, f"(match_tolerant({rows}, [['t:a']], null, [0])).outcome") == "undecided"


def test_a_large_result_passes(connection: duckdb.DuckDBPyConnection) -> None:
    rows = "(select list(['n:' || i, null, 'x']) from range(100000) as t(i))"
    groups = "(select list(0::bigint) from range(100000))"
    found = one(connection, f"match_columns({rows}, {rows}, {groups}, {groups}, 'permuted')")
    assert (found["outcome"], found["mapping"]) == ("match", [1, 2, 3])


def test_sql_is_taken_out_of_an_answer(connection: duckdb.DuckDBPyConnection) -> None:
    found = one(connection, "extract_sql(?)", "Here it is:\n```sql\nSELECT 1\n```")
    assert found["sql"] == "SELECT 1" and found["steps"]
    assert one(connection, "extract_sql(null)")["sql"] is None


def test_registering_twice_is_no_error(connection: duckdb.DuckDBPyConnection) -> None:
    register(connection)
    assert one(connection.cursor(), "spider_hardness('select a from t', 'sqlite')") == "easy"
    assert isinstance(one(connection, "sql_analysis_version()"), str)
